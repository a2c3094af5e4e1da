// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The folder inject/ in debugfs of a device, with a folder for each fault. The kernel creates the
 * files of the driver's faults, except for the files of the object and of the status.
 */
#include <linux/dcache.h>
#include <linux/debugfs.h>
#include <linux/seq_file.h>

#include "core/pf.h"
#include "inject.h"

#define WORD_SIZE 32

#define NAME(name, value, text) \
	[value] = #name,
static const char * const opcode_names[] = { TALLY_ADMIN_LIST(NAME) };
static const char * const status_names[] = { TALLY_ADMIN_STATUS_LIST(NAME) };

/* ---- Words to values ---- */

static int inject_parse_name(const char *word, const char * const *names, size_t count, u32 *value)
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

static int inject_parse_number(const char *word, u32 *value)
{
	return kstrtou32(word, 0, value);
}

static int inject_parse_percent(const char *word, u32 *value)
{
	int err = kstrtou32(word, 0, value);

	if (err)
		return err;
	return *value > 100 ? -EINVAL : 0;
}

static int inject_parse_times(const char *word, u32 *value)
{
	int number;
	int err = kstrtoint(word, 0, &number);

	if (err || number < -1)
		return -EINVAL;
	*value = number < 0 ? TALLY_INJECT_ALWAYS : number;
	return 0;
}

static int inject_parse_object(const char *word, u32 *value)
{
	if (strcmp(word, "any"))
		return kstrtou32(word, 0, value);
	*value = TALLY_INJECT_ANY;
	return 0;
}

static int inject_parse_opcode(const char *word, u32 *value)
{
	int err;

	if (!strcmp(word, "any")) {
		*value = TALLY_INJECT_ANY;
		return 0;
	}
	err = inject_parse_name(word, opcode_names, ARRAY_SIZE(opcode_names), value);
	if (!err && (*value >= ARRAY_SIZE(opcode_names) || !opcode_names[*value]))
		err = -EINVAL;
	return err;
}

/* A refused command cannot have status OK. */
static int inject_parse_status(const char *word, u32 *value)
{
	int err = inject_parse_name(word, status_names, ARRAY_SIZE(status_names), value);

	if (!err && (!*value || *value > U16_MAX))
		err = -EINVAL;
	return err;
}

/* ---- Values to words ---- */

static void inject_put_number(struct seq_file *m, u32 value)
{
	seq_printf(m, "%u\n", value);
}

static void inject_put_times(struct seq_file *m, u32 value)
{
	seq_printf(m, "%d\n", value == TALLY_INJECT_ALWAYS ? -1 : (int)value);
}

static void inject_put_object(struct seq_file *m, u32 value)
{
	if (value == TALLY_INJECT_ANY)
		seq_puts(m, "any\n");
	else
		inject_put_number(m, value);
}

static void inject_put_opcode(struct seq_file *m, u32 value)
{
	if (value == TALLY_INJECT_ANY)
		seq_puts(m, "any\n");
	else
		seq_printf(m, "%s\n", opcode_names[value]);
}

static void inject_put_status(struct seq_file *m, u32 value)
{
	if (value < ARRAY_SIZE(status_names))
		seq_printf(m, "%s\n", status_names[value]);
	else
		inject_put_number(m, value);
}

/* ---- Files ---- */

/* Parses a word that a process writes. */
static int inject_get_word(const char __user *from, size_t len,
			   int (*parse)(const char *word, u32 *value), u32 *value)
{
	char text[WORD_SIZE];

	if (len >= sizeof(text))
		return -EINVAL;
	if (copy_from_user(text, from, len))
		return -EFAULT;
	text[len] = '\0';
	return parse(strim(text), value) ? -EINVAL : 0;
}

/*
 * Defines the file @name. @get and @set read and change a value of the object that the file belongs
 * to.
 */
#define INJECT_FILE(name, get, set, put, parse) \
	static int name##_show(struct seq_file *m, void *data) \
	{ \
		u32 value; \
		int err = get(m->private, &value); \
\
		if (!err) \
			put(m, value); \
		return err; \
	} \
	static int name##_open(struct inode *inode, struct file *file) \
	{ \
		return single_open(file, name##_show, inode->i_private); \
	} \
	static ssize_t name##_write(struct file *file, const char __user *from, size_t len, \
				    loff_t *pos) \
	{ \
		u32 value; \
		int err = inject_get_word(from, len, parse, &value); \
\
		if (!err) \
			err = set(((struct seq_file *)file->private_data)->private, value); \
		return err ? err : len; \
	} \
	static const struct file_operations name##_fops = { \
		.owner = THIS_MODULE, \
		.open = name##_open, \
		.read = seq_read, \
		.write = name##_write, \
		.llseek = seq_lseek, \
		.release = single_release, \
	}

static int inject_get_u32(const u32 *from, u32 *value)
{
	*value = READ_ONCE(*from);
	return 0;
}

static int inject_set_u32(u32 *to, u32 value)
{
	WRITE_ONCE(*to, value);
	return 0;
}

INJECT_FILE(object, inject_get_u32, inject_set_u32, inject_put_object, inject_parse_object);
INJECT_FILE(opcode, inject_get_u32, inject_set_u32, inject_put_opcode, inject_parse_opcode);
INJECT_FILE(status, inject_get_u32, inject_set_u32, inject_put_status, inject_parse_status);

/* Returns the current value of an attribute of a device fault. */
static int nic_fault_get(struct tally_nic_fault *fault, enum tally_fault_attr attr, u32 *value)
{
	int err = 0;

	if (attr == TALLY_FAULT_ATTR_TIMES)
		err = tally_nic_fault_update(fault);
	*value = READ_ONCE(fault->attrs[attr]);
	return err;
}

#define NIC_FILE(name, attr, put, parse) \
	static int name##_get(struct tally_nic_fault *fault, u32 *value) \
	{ \
		return nic_fault_get(fault, attr, value); \
	} \
	static int name##_set(struct tally_nic_fault *fault, u32 value) \
	{ \
		return tally_nic_fault_set(fault, attr, value); \
	} \
	INJECT_FILE(name, name##_get, name##_set, put, parse)

NIC_FILE(nic_probability, TALLY_FAULT_ATTR_PROBABILITY, inject_put_number, inject_parse_percent);
NIC_FILE(nic_interval, TALLY_FAULT_ATTR_INTERVAL, inject_put_number, inject_parse_number);
NIC_FILE(nic_times, TALLY_FAULT_ATTR_TIMES, inject_put_times, inject_parse_times);
NIC_FILE(nic_filter, TALLY_FAULT_ATTR_FILTER, inject_put_object, inject_parse_object);
NIC_FILE(nic_value, TALLY_FAULT_ATTR_VALUE, inject_put_number, inject_parse_number);

static int nic_count_show(struct seq_file *m, void *data)
{
	struct tally_nic_fault *fault = m->private;
	int err = tally_nic_fault_update(fault);

	if (!err)
		seq_printf(m, "%llu\n", READ_ONCE(fault->count));
	return err;
}
DEFINE_SHOW_ATTRIBUTE(nic_count);

/* ---- Folders ---- */

/* Returns whether the object of the fault is the opcode of a command. */
static bool inject_is_admin(enum tally_fault_id id)
{
	return id == TALLY_FAULT_ADMIN_TIMEOUT || id == TALLY_FAULT_ADMIN_STATUS;
}

static void inject_add_driver(struct tally_fault *fault, enum tally_fault_id id,
			      struct dentry *parent)
{
	struct dentry *dir;

	dir = fault_create_debugfs_attr(tally_fault_names[id], parent, &fault->attr);
	if (IS_ERR(dir))
		return;
	debugfs_create_atomic_t("count", 0400, dir, &fault->count);
	if (id != TALLY_FAULT_DEVICE_RESET)
		debugfs_create_file("filter", 0600, dir, &fault->filter,
				    inject_is_admin(id) ? &opcode_fops : &object_fops);
	if (id == TALLY_FAULT_ADMIN_STATUS)
		debugfs_create_file("status", 0600, dir, &fault->status, &status_fops);
}

static void inject_add_nic(struct tally_nic_fault *fault, struct dentry *parent)
{
	struct dentry *dir = debugfs_create_dir(tally_fault_names[fault->id], parent);

	debugfs_create_file("probability", 0600, dir, fault, &nic_probability_fops);
	debugfs_create_file("interval", 0600, dir, fault, &nic_interval_fops);
	debugfs_create_file("times", 0600, dir, fault, &nic_times_fops);
	debugfs_create_file("count", 0400, dir, fault, &nic_count_fops);
	debugfs_create_file("filter", 0600, dir, fault, &nic_filter_fops);
	if (fault->id == TALLY_FAULT_CORRUPT_CQE)
		debugfs_create_file("value", 0600, dir, fault, &nic_value_fops);
}

/**
 * tally_inject_add() - Create the folder inject/ of a device.
 * @pf: device
 * @parent: folder of the device, whose removal removes this one
 */
void tally_inject_add(struct tally_pf *pf, struct dentry *parent)
{
	struct dentry *dir = debugfs_create_dir("inject", parent);
	enum tally_fault_id id;
	unsigned int n;

	for (id = 0; id < TALLY_FIRST_NIC_FAULT; id++)
		inject_add_driver(&pf->faults.fault[id], id, dir);
	if (!(pf->pub.caps.caps & TALLY_CAP_INJECT))
		return;
	for (n = 0; n < TALLY_NUM_NIC_FAULTS; n++)
		inject_add_nic(&pf->faults.nic[n], dir);
}

/**
 * tally_inject_remove() - Undo tally_inject_add(), and switch off all faults of the driver.
 * @pf: device, whose folder has been removed
 */
void tally_inject_remove(struct tally_pf *pf)
{
	enum tally_fault_id id;

	for (id = 0; id < TALLY_FIRST_NIC_FAULT; id++) {
		struct fault_attr *attr = &pf->faults.fault[id].attr;

		WRITE_ONCE(attr->probability, 0);
		/* fault_create_debugfs_attr() took a reference that the kernel does not drop. */
		dput(attr->dname);
		attr->dname = NULL;
	}
}
