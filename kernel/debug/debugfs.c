// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * debugfs files of a device, in a format for tools. Each object has a line with its type and then
 * key=value pairs. docs/debugfs.md describes the format. New keys are added only at the end of a
 * line.
 */
#include <linux/debugfs.h>

#include "core/cmd.h"
#include "core/group.h"
#include "core/pf.h"
#include "core/seg.h"
#include "debugfs.h"
#include "debugfs_text.h"
#include "inject.h"

#define NAME(name, value, text) \
	[value] = #name,
static const char * const mode_names[] = { TALLY_MODE_LIST(NAME) };
static const char * const group_names[] = { TALLY_GROUP_LIST(NAME) };
static const char * const coll_names[] = { TALLY_COLL_LIST(NAME) };
static const char * const edge_names[] = { TALLY_EDGE_LIST(NAME) };
static const char * const seg_names[] = { TALLY_SEG_LIST(NAME) };
static const char * const opcode_names[] = { TALLY_OPCODE_LIST(NAME) };
static const char * const op_names[] = { TALLY_OP_LIST(NAME) };
static const char * const type_names[] = { TALLY_TYPE_LIST(NAME) };
static const char * const life_names[] = {
	[TALLY_GROUP_LIFE_CREATING] = "CREATING",
	[TALLY_GROUP_LIFE_LIVE] = "LIVE",
	[TALLY_GROUP_LIFE_DRAINING] = "DRAINING",
};

#define BIT_NAME(name, bit, text) \
	{ bit, #name },
static const struct bit_name cap_names[] = { TALLY_CAP_LIST(BIT_NAME) };
static const struct bit_name mode_bit_names[] = { TALLY_MODES_LIST(BIT_NAME) };
static const struct bit_name role_names[] = { TALLY_ROLE_LIST(BIT_NAME) };

/* ---- device ---- */

static int device_show(struct seq_file *m, void *data)
{
	struct tally_pf *pf = m->private;
	const struct tally_caps *caps = &pf->pub.caps;

	seq_printf(m, "device name=%s pci=%s guid=%#018llx mac=%pM abi=%u engine=%u wire=%u kind=%u",
		   pf->pub.name, pci_name(pf->pub.pdev), caps->guid, caps->mac, caps->abi_version,
		   caps->engine_version, caps->wire_version, caps->engine_kind);
	put_bit_names(m, "caps", cap_names, caps->caps);
	seq_printf(m, " opcodes=%#x link_up=%u dead=%u\n", caps->opcodes,
		   READ_ONCE(pf->pub.link_up), tally_is_dead(&pf->pub));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(device);

/*
 * ---- Common parts of the files of groups: position n is that of group n; those without a group
 * are skipped ----
 */

static void *group_start(struct seq_file *m, loff_t *pos)
{
	*pos = tally_group_next(m->private, *pos);
	return *pos < TALLY_MAX_GROUP ? pos : NULL;
}

static void *group_next(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return group_start(m, pos);
}

static void group_stop(struct seq_file *m, void *v)
{
}

/* Shows group number @num if it exists; with @live, only if the device can be queried about it. */
static int show_group(struct seq_file *m, u32 num, bool live,
		      int (*show)(struct seq_file *m, const struct tally_group_view *view))
{
	struct tally_pf *pf = m->private;
	struct tally_group_view view;
	int err = 0;

	mutex_lock(&pf->inspecting);
	if (tally_group_snapshot(pf, num, &view) && (!live || view.life == TALLY_GROUP_LIFE_LIVE))
		err = show(m, &view);
	mutex_unlock(&pf->inspecting);
	return err;
}

/* Begins a line about an object of the group. */
static void put_group(struct seq_file *m, const char *what, const struct tally_group_view *view)
{
	seq_printf(m, "%s group=%u jid=%#x", what, view->num, le32_to_cpu(view->cfg.jid));
}

#define GROUP_FILE(name, only_live) \
	static int name##_show(struct seq_file *m, void *pos) \
	{ \
		return show_group(m, *(loff_t *)pos, only_live, show_##name); \
	} \
	static const struct seq_operations name##_sops = { \
		.start = group_start, \
		.next = group_next, \
		.stop = group_stop, \
		.show = name##_show, \
	}; \
	DEFINE_SEQ_ATTRIBUTE(name)

/* ---- groups ---- */

static void put_config(struct seq_file *m, const struct tally_group_view *view)
{
	const struct tally_group_cfg *cfg = &view->cfg;

	put_name(m, "life", life_names, view->life);
	put_name(m, "mode", mode_names, cfg->mode);
	seq_printf(m, " flags=%#x level=%u node=%u num_nodes=%u", le32_to_cpu(cfg->flags),
		   cfg->level, le16_to_cpu(cfg->node), le16_to_cpu(cfg->num_nodes));
	seq_printf(m, " rank_mask=%#llx owner_ranks=%#llx total_ranks=%u rank_first=%u held=%#llx",
		   le64_to_cpu(cfg->rank_mask), le64_to_cpu(cfg->owner_ranks),
		   le32_to_cpu(cfg->total_ranks), le32_to_cpu(cfg->rank_first), view->held);
	seq_printf(m, " num_segs=%u max_segs=%u msg_cells=%u mtu=%u timeout_ms=%u",
		   le16_to_cpu(cfg->num_segs), tally_group_segs(cfg),
		   le32_to_cpu(cfg->msg_cells), le32_to_cpu(cfg->mtu),
		   le32_to_cpu(cfg->timeout_ms));
	tally_put_owner(m, &view->owner);
}

static void put_info(struct seq_file *m, const struct tally_group_info *info)
{
	seq_printf(m, " epoch=%#x", le32_to_cpu(info->epoch));
	put_name(m, "state", group_names, info->state);
	put_name(m, "status", coll_names, le16_to_cpu(info->status));
	seq_printf(m, " done=%u open_edges=%#llx parent_open=%u attached=%#llx gone=%#llx",
		   le32_to_cpu(info->done), le64_to_cpu(info->open_edges), info->parent_open,
		   le64_to_cpu(info->attached), le64_to_cpu(info->gone));
	seq_printf(m, " detector=%u missing_contributors=%#llx missing_ranks=%#llx",
		   le16_to_cpu(info->detector), le64_to_cpu(info->contributors),
		   le64_to_cpu(info->ranks));
}

/* Shows how results reach all nodes: the number of rounds, or the multicast addresses. */
static void put_way_down(struct seq_file *m, const struct tally_group_cfg *cfg)
{
	seq_printf(m, " rounds=%u", cfg->rounds);
	if (cfg->flags & cpu_to_le32(TALLY_GROUP_F_MULTICAST))
		seq_printf(m, " mcast_gid=%pI6 source_gid=%pI6", cfg->mcast_gid, cfg->source_gid);
}

/* Shows the modes of the group's messages, and the plan. */
static void put_modes(struct seq_file *m, const struct tally_group_cfg *cfg)
{
	put_bit_names(m, "modes", mode_bit_names, cfg->modes ?: BIT(cfg->mode - 1));
	seq_printf(m, " plan=%#x", le32_to_cpu(cfg->plan));
}

static int show_groups(struct seq_file *m, const struct tally_group_view *view)
{
	struct tally_group_info info;
	int err = 0;

	if (view->life == TALLY_GROUP_LIFE_LIVE)
		err = tally_cmd_query_group(m->private, view->num, &info);
	if (err)
		return err;
	put_group(m, "group", view);
	put_config(m, view);
	if (view->life == TALLY_GROUP_LIFE_LIVE)
		put_info(m, &info);
	put_way_down(m, &view->cfg);
	put_modes(m, &view->cfg);
	seq_putc(m, '\n');
	return 0;
}
GROUP_FILE(groups, false);

/* ---- edges ---- */

/* Returns the creator's description of the contributor with this index; NULL for the parent. */
static const struct tally_group_edge *edge_contributor(const struct tally_group_view *view, u8 index)
{
	return index < min_t(u16, le16_to_cpu(view->cfg.num_edges), TALLY_CONTRIB_PARENT) ?
	       &view->edges[index] : NULL;
}

static const char *edge_role(const struct tally_group_edge *said)
{
	u16 roles;

	if (!said)
		return "PARENT";
	roles = le16_to_cpu(said->roles);
	if (roles & TALLY_ROLE_PARENT)
		return "PARENT";
	if (roles & TALLY_ROLE_CHILD || le16_to_cpu(said->remote_index) == TALLY_CONTRIB_PARENT)
		return "CHILD";
	return "PEER";
}

static void put_edge(struct seq_file *m, const struct tally_edge_info *edge,
		     const struct tally_group_edge *said)
{
	seq_printf(m, " index=%u role=%s", edge->index, edge_role(said));
	put_name(m, "state", edge_names, edge->state);
	seq_printf(m, " gid=%pI6 mac=%pM subtree_first=%u subtree_count=%u", edge->gid, edge->mac,
		   le16_to_cpu(edge->subtree_first), le16_to_cpu(edge->subtree_count));
	seq_printf(m, " peer_done=%u outstanding=%u retries=%u", le32_to_cpu(edge->peer_done),
		   le32_to_cpu(edge->outstanding), le32_to_cpu(edge->retries));
	seq_printf(m, " sent=%llu retransmits=%llu received=%llu duplicates=%llu busy=%llu",
		   le64_to_cpu(edge->sent), le64_to_cpu(edge->retransmits),
		   le64_to_cpu(edge->received), le64_to_cpu(edge->duplicates),
		   le64_to_cpu(edge->busy));
	if (said) {
		seq_printf(m, " round=%u position=%u", said->round, said->position);
		put_bit_names(m, "roles", role_names, le16_to_cpu(said->roles));
	}
	seq_putc(m, '\n');
}

static int show_edges(struct seq_file *m, const struct tally_group_view *view)
{
	struct tally_edge_info *edges;
	unsigned int i;
	int err;

	edges = kcalloc(TALLY_MAX_CONTRIBUTORS + 1, sizeof(*edges), GFP_KERNEL);
	if (!edges)
		return -ENOMEM;
	err = tally_cmd_query_edges(m->private, view->num, edges);
	for (i = 0; !err && i <= TALLY_MAX_CONTRIBUTORS; i++) {
		if (edges[i].state == TALLY_EDGE_NONE)
			continue;
		put_group(m, "edge", view);
		put_edge(m, &edges[i], edge_contributor(view, edges[i].index));
	}
	kfree(edges);
	return err;
}
GROUP_FILE(edges, true);

/* ---- arrivals ---- */

static void put_message(struct seq_file *m, u8 opcode, u8 op, u8 dtype)
{
	put_name(m, "opcode", opcode_names, opcode);
	put_name(m, "op", op_names, op);
	put_name(m, "type", type_names, dtype);
}

static void put_arrival(struct seq_file *m, const struct tally_arrival *arrival)
{
	u64 first = le64_to_cpu(arrival->first_ns), last = le64_to_cpu(arrival->last_ns);

	seq_printf(m, " mid=%u", le32_to_cpu(arrival->mid));
	put_message(m, arrival->opcode, arrival->op, arrival->dtype);
	seq_printf(m, " count=%llu ranks=%#llx contributors=%#llx", le64_to_cpu(arrival->count),
		   le64_to_cpu(arrival->ranks), le64_to_cpu(arrival->contributors));
	seq_printf(m, " last=%s:%u", arrival->last < TALLY_MAX_RANKS ? "RANK" : "CHILD",
		   arrival->last % TALLY_MAX_RANKS);
	seq_printf(m, " first_ns=%llu last_ns=%llu done_ns=%llu skew_ns=%llu\n", first, last,
		   le64_to_cpu(arrival->done_ns), last - first);
}

static int show_arrivals(struct seq_file *m, const struct tally_group_view *view)
{
	struct tally_arrival arrivals[TALLY_NUM_ARRIVALS];
	unsigned int i;
	int err;

	err = tally_cmd_query_arrivals(m->private, view->num, arrivals);
	for (i = 0; !err && i < TALLY_NUM_ARRIVALS && arrivals[i].opcode; i++) {
		put_group(m, "arrival", view);
		seq_printf(m, " n=%u", i);
		put_arrival(m, &arrivals[i]);
	}
	return err;
}
GROUP_FILE(arrivals, true);

/* ---- segs: position 0 is that of the allocator, position 1 + n is that of group n ---- */

static void put_range(struct seq_file *m, const struct tally_segs_view *view)
{
	seq_printf(m, "range base=%u count=%u state=%s", view->base, view->count,
		   view->grouped ? "GROUP" : view->taken ? "HELD" : "FREE");
	if (view->grouped)
		seq_printf(m, " group=%u jid=%#x", view->group, view->jid);
	if (view->taken)
		tally_put_owner(m, &view->owner);
	seq_putc(m, '\n');
}

static int show_ranges(struct seq_file *m)
{
	struct tally_pf *pf = m->private;
	struct tally_segs_view *views;
	unsigned int i, count;

	views = kvcalloc(pf->pub.caps.max_seg, sizeof(*views), GFP_KERNEL);
	if (!views)
		return -ENOMEM;
	count = tally_segs_snapshot(pf, views);
	for (i = 0; i < count; i++)
		put_range(m, &views[i]);
	kvfree(views);
	return 0;
}

static void put_slot(struct seq_file *m, const struct tally_seg_info *seg)
{
	put_name(m, "state", seg_names, seg->state);
	put_message(m, seg->opcode, seg->op, seg->dtype);
	seq_printf(m, " num=%u mid=%u sid=%u", le32_to_cpu(seg->num), le32_to_cpu(seg->mid),
		   le32_to_cpu(seg->sid));
	seq_printf(m, " contributors=%#llx ranks=%#llx receivers=%#llx deliver=%#llx",
		   le64_to_cpu(seg->contributors), le64_to_cpu(seg->ranks),
		   le64_to_cpu(seg->receivers), le64_to_cpu(seg->deliver));
}

static int show_slots(struct seq_file *m, const struct tally_group_view *view)
{
	u32 count = tally_group_segs(&view->cfg);
	struct tally_seg_info *segs;
	u32 i;
	int err;

	segs = kcalloc(count, sizeof(*segs), GFP_KERNEL);
	if (!segs)
		return -ENOMEM;
	err = tally_cmd_query_segs(m->private, view->num, segs, count);
	for (i = 0; !err && i < count; i++) {
		put_group(m, "seg", view);
		seq_printf(m, " index=%u", i);
		put_slot(m, &segs[i]);
		seq_puts(m, "\n");
	}
	kfree(segs);
	return err;
}

static void *segs_start(struct seq_file *m, loff_t *pos)
{
	if (*pos)
		*pos = 1 + tally_group_next(m->private, *pos - 1);
	return *pos <= TALLY_MAX_GROUP ? pos : NULL;
}

static void *segs_next(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return segs_start(m, pos);
}

static int segs_show(struct seq_file *m, void *v)
{
	loff_t pos = *(loff_t *)v;

	return pos ? show_group(m, pos - 1, true, show_slots) : show_ranges(m);
}

static const struct seq_operations segs_sops = {
	.start = segs_start,
	.next = segs_next,
	.stop = group_stop,
	.show = segs_show,
};
DEFINE_SEQ_ATTRIBUTE(segs);

/* ---- Folders ---- */

static struct dentry *root;

/**
 * tally_debugfs_init() - Create the common folder of all devices.
 *
 * Errors are ignored: nothing depends on debugfs, and files that cannot be created are missing.
 */
void tally_debugfs_init(void)
{
	root = debugfs_create_dir(KBUILD_MODNAME, NULL);
}

/**
 * tally_debugfs_exit() - Undo tally_debugfs_init().
 */
void tally_debugfs_exit(void)
{
	debugfs_remove(root);
}

/**
 * tally_debugfs_add() - Create the folder of a device, named like the PCI function.
 * @pf: device, in service
 */
void tally_debugfs_add(struct tally_pf *pf)
{
	struct dentry *dir = debugfs_create_dir(pci_name(pf->pub.pdev), root);

	debugfs_create_file("device", 0400, dir, pf, &device_fops);
	debugfs_create_file("groups", 0400, dir, pf, &groups_fops);
	debugfs_create_file("segs", 0400, dir, pf, &segs_fops);
	debugfs_create_file("edges", 0400, dir, pf, &edges_fops);
	debugfs_create_file("arrivals", 0400, dir, pf, &arrivals_fops);
	tally_inject_add(pf, dir);
	pf->debugfs = dir;
}

/**
 * tally_debugfs_remove() - Undo tally_debugfs_add(). Waits for readers.
 * @pf: device
 */
void tally_debugfs_remove(struct tally_pf *pf)
{
	debugfs_remove(pf->debugfs);
	tally_inject_remove(pf);
}
