// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The folder inject/ in debugfs of a device: a folder for each fault, a file for each attribute. */
#include <linux/debugfs.h>
#include <linux/seq_file.h>

#include "core/pf.h"
#include "inject.h"

#define WORD_SIZE 32

#define NAME(name, value, text) \
	[value] = #name,
static const char * const opcode_names[] = { TALLY_ADMIN_LIST(NAME) };
static const char * const status_names[] = { TALLY_ADMIN_STATUS_LIST(NAME) };

static bool is_nic(const struct tally_fault *fault)
{
	return fault->id >= TALLY_FIRST_NIC_FAULT;
}

/* Whether the fault's object is the opcode of a command. */
static bool is_admin(const struct tally_fault *fault)
{
	return fault->id == TALLY_FAULT_ADMIN_TIMEOUT || fault->id == TALLY_FAULT_ADMIN_STATUS;
}

/* ---- From words to values; an error if there is none ---- */

static int parse_name(const char *word, const char * const *names, size_t count, u32 *value)
{
	size_t i;

	for (i = 0; i < count; i++) {
		if (!names[i] || strcmp(word, names[i]))
			continue;
		*value = i;
		return 0;
	}
	return kstrtou32(word, 0, value);
}

static int parse_number(const struct tally_fault *fault, const char *word, u32 *value)
{
	return kstrtou32(word, 0, value);
}

static int parse_probability(const struct tally_fault *fault, const char *word, u32 *value)
{
	int err = kstrtou32(word, 0, value);

	if (err)
		return err;
	return *value > 100 ? -EINVAL : 0;
}

static int parse_times(const struct tally_fault *fault, const char *word, u32 *value)
{
	int number;
	int err = kstrtoint(word, 0, &number);

	if (err || number < -1)
		return -EINVAL;
	*value = number < 0 ? TALLY_INJECT_ALWAYS : number;
	return 0;
}

static int parse_filter(const struct tally_fault *fault, const char *word, u32 *value)
{
	int err;

	if (!strcmp(word, "any")) {
		*value = TALLY_INJECT_ANY;
		return 0;
	}
	if (!is_admin(fault))
		return kstrtou32(word, 0, value);
	err = parse_name(word, opcode_names, ARRAY_SIZE(opcode_names), value);
	if (!err && (*value >= ARRAY_SIZE(opcode_names) || !opcode_names[*value]))
		err = -EINVAL;
	return err;
}

/* A command that is refused cannot be so with OK. */
static int parse_status(const struct tally_fault *fault, const char *word, u32 *value)
{
	int err = parse_name(word, status_names, ARRAY_SIZE(status_names), value);

	if (!err && (!*value || *value > U16_MAX))
		err = -EINVAL;
	return err;
}

/* ---- What the files share ---- */

/* An attribute as it stands now. */
static int get_knob(struct tally_fault *fault, enum tally_knob knob, u32 *value)
{
	int err = 0;

	if (is_nic(fault) && knob == TALLY_KNOB_TIMES)
		err = tally_fault_look_nic(fault);
	*value = READ_ONCE(fault->knobs[knob]);
	return err;
}

static void put_number(struct seq_file *m, const struct tally_fault *fault, u32 value)
{
	seq_printf(m, "%u\n", value);
}

static void put_times(struct seq_file *m, const struct tally_fault *fault, u32 value)
{
	seq_printf(m, "%d\n", value == TALLY_INJECT_ALWAYS ? -1 : (int)value);
}

static void put_filter(struct seq_file *m, const struct tally_fault *fault, u32 value)
{
	if (value == TALLY_INJECT_ANY)
		seq_puts(m, "any\n");
	else if (is_admin(fault))
		seq_printf(m, "%s\n", opcode_names[value]);
	else
		seq_printf(m, "%u\n", value);
}

static void put_status(struct seq_file *m, const struct tally_fault *fault, u32 value)
{
	if (value < ARRAY_SIZE(status_names))
		seq_printf(m, "%s\n", status_names[value]);
	else
		seq_printf(m, "%u\n", value);
}

static int set_knob(struct tally_fault *fault, enum tally_knob knob, u32 value)
{
	return is_nic(fault) ? tally_fault_set_nic(fault, knob, value) :
			       tally_fault_set(fault, knob, value);
}

static ssize_t write_knob(struct file *file, const char __user *from, size_t len,
			  enum tally_knob knob,
			  int (*parse)(const struct tally_fault *fault, const char *word,
				       u32 *value))
{
	struct tally_fault *fault = ((struct seq_file *)file->private_data)->private;
	char text[WORD_SIZE];
	u32 value;
	int err;

	if (len >= sizeof(text))
		return -EINVAL;
	if (copy_from_user(text, from, len))
		return -EFAULT;
	text[len] = '\0';
	err = parse(fault, strim(text), &value) ? -EINVAL : set_knob(fault, knob, value);
	if (err)
		dev_dbg(pf_dev(fault->pf), "fault %s: %pD refuses this: error %d\n",
			tally_fault_names[fault->id], file, err);
	return err ?: len;
}

#define KNOB(name, knob, put, parse) \
	static int name##_show(struct seq_file *m, void *data) \
	{ \
		u32 value; \
		int err = get_knob(m->private, knob, &value); \
\
		if (!err) \
			put(m, m->private, value); \
		return err; \
	} \
	static int name##_open(struct inode *inode, struct file *file) \
	{ \
		return single_open(file, name##_show, inode->i_private); \
	} \
	static ssize_t name##_write(struct file *file, const char __user *from, size_t len, \
				    loff_t *pos) \
	{ \
		return write_knob(file, from, len, knob, parse); \
	} \
	static const struct file_operations name##_fops = { \
		.owner = THIS_MODULE, \
		.open = name##_open, \
		.read = seq_read, \
		.write = name##_write, \
		.llseek = seq_lseek, \
		.release = single_release, \
	}

KNOB(probability, TALLY_KNOB_PROBABILITY, put_number, parse_probability);
KNOB(interval, TALLY_KNOB_INTERVAL, put_number, parse_number);
KNOB(times, TALLY_KNOB_TIMES, put_times, parse_times);
KNOB(filter, TALLY_KNOB_FILTER, put_filter, parse_filter);
KNOB(pid, TALLY_KNOB_PID, put_number, parse_number);
KNOB(status, TALLY_KNOB_VALUE, put_status, parse_status);
KNOB(value, TALLY_KNOB_VALUE, put_number, parse_number);

static int count_show(struct seq_file *m, void *data)
{
	struct tally_fault *fault = m->private;
	int err = 0;

	if (is_nic(fault))
		err = tally_fault_look_nic(fault);
	if (!err)
		seq_printf(m, "%llu\n", READ_ONCE(fault->count));
	return err;
}
DEFINE_SHOW_ATTRIBUTE(count);

static int seed_get(void *data, u64 *seed)
{
	struct tally_pf *pf = data;

	*seed = READ_ONCE(pf->faults.seed);
	return 0;
}

static int seed_set(void *data, u64 seed)
{
	tally_inject_seed(data, seed);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(seed_fops, seed_get, seed_set, "%llu\n");

/* ---- Folders ---- */

/* What is asked in an interrupt or by a worker is nobody's call. */
static bool has_pid(const struct tally_fault *fault)
{
	return !is_nic(fault) && fault->id != TALLY_FAULT_LOST_INTERRUPT &&
	       fault->id != TALLY_FAULT_DEVICE_RESET;
}

static void add_fault(struct tally_fault *fault, struct dentry *parent)
{
	struct dentry *dir = debugfs_create_dir(tally_fault_names[fault->id], parent);

	debugfs_create_file("probability", 0600, dir, fault, &probability_fops);
	debugfs_create_file("interval", 0600, dir, fault, &interval_fops);
	debugfs_create_file("times", 0600, dir, fault, &times_fops);
	debugfs_create_file("count", 0400, dir, fault, &count_fops);
	if (fault->id != TALLY_FAULT_DEVICE_RESET)
		debugfs_create_file("filter", 0600, dir, fault, &filter_fops);
	if (has_pid(fault))
		debugfs_create_file("pid", 0600, dir, fault, &pid_fops);
	if (fault->id == TALLY_FAULT_ADMIN_STATUS)
		debugfs_create_file("status", 0600, dir, fault, &status_fops);
	if (fault->id == TALLY_FAULT_CORRUPT_CQE)
		debugfs_create_file("value", 0600, dir, fault, &value_fops);
}

/**
 * tally_inject_add() - Make the folder inject/ of a device.
 * @pf: device
 * @parent: the device's folder, with which it goes
 */
void tally_inject_add(struct tally_pf *pf, struct dentry *parent)
{
	struct dentry *dir = debugfs_create_dir("inject", parent);
	bool nic = pf->pub.caps.caps & TALLY_CAP_INJECT;
	enum tally_fault_id id;

	debugfs_create_file_unsafe("seed", 0600, dir, pf, &seed_fops);
	for (id = 0; id < (nic ? TALLY_NUM_FAULTS : TALLY_FIRST_NIC_FAULT); id++)
		add_fault(&pf->faults.fault[id], dir);
}
