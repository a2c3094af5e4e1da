// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Conversion between the structures of processes and those of the device. The latter are
 * little-endian and follow other versioning rules.
 */
#include "uabi.h"

/**
 * tally_edge_from_user() - Convert a neighbour from a process's structure to the device's.
 * @to: structure of the device
 * @from: structure of the process
 */
void tally_edge_from_user(struct tally_group_edge *to, const struct tally_ureq_edge *from)
{
	*to = (struct tally_group_edge){
		.remote_index = cpu_to_le16(from->remote_index),
		.subtree_first = cpu_to_le16(from->subtree_first),
		.subtree_count = cpu_to_le16(from->subtree_count),
		.round = from->round,
		.position = from->position,
		.roles = cpu_to_le16(from->roles),
		.rank_first = cpu_to_le32(from->rank_first),
		.rank_count = cpu_to_le32(from->rank_count),
		.part_first = cpu_to_le32(from->part_first),
		.part_count = cpu_to_le32(from->part_count),
	};
	memcpy(to->gid, from->gid, sizeof(to->gid));
	memcpy(to->mac, from->mac, sizeof(to->mac));
}

/**
 * tally_edge_from_first_version() - Translate a neighbour in a group whose description has no modes.
 * @edge: structure of the process
 * @mode: mode of the group
 *
 * In the first version, EXCHANGE and RING had the same roles, and a part was described by the members
 * for the subtree of a child.
 */
void tally_edge_from_first_version(struct tally_ureq_edge *edge, u8 mode)
{
	if (mode == TALLY_MODE_RING) {
		if (edge->roles & TALLY_ROLE_IN)
			edge->roles |= TALLY_ROLE_RING_IN;
		if (edge->roles & TALLY_ROLE_OUT)
			edge->roles |= TALLY_ROLE_RING_OUT;
		edge->roles &= ~(TALLY_ROLE_IN | TALLY_ROLE_OUT);
	} else if (mode == TALLY_MODE_EXCHANGE && edge->roles & TALLY_ROLE_IN && !edge->part_count) {
		edge->part_first = edge->rank_first;
		edge->part_count = edge->rank_count;
		edge->rank_first = 0;
		edge->rank_count = 0;
	}
}

/**
 * tally_group_info_to_user() - Convert the state of a group for a process.
 * @to: structure of the process
 * @from: structure of the device
 */
void tally_group_info_to_user(struct tally_uresp_group_info *to,
			      const struct tally_group_info *from)
{
	*to = (struct tally_uresp_group_info){
		.open_edges = le64_to_cpu(from->open_edges),
		.attached = le64_to_cpu(from->attached),
		.gone = le64_to_cpu(from->gone),
		.contributors = le64_to_cpu(from->contributors),
		.ranks = le64_to_cpu(from->ranks),
		.jid = le32_to_cpu(from->jid),
		.epoch = le32_to_cpu(from->epoch),
		.done = le32_to_cpu(from->done),
		.status = le16_to_cpu(from->status),
		.detector = le16_to_cpu(from->detector),
		.state = from->state,
		.parent_open = from->parent_open,
	};
}

/**
 * tally_edge_to_user() - Convert the state of an edge for a process.
 * @to: struct tally_uresp_edge
 * @from: struct tally_edge_info
 */
void tally_edge_to_user(void *to, const void *from)
{
	const struct tally_edge_info *info = from;
	struct tally_uresp_edge *edge = to;

	*edge = (struct tally_uresp_edge){
		.state = info->state,
		.index = info->index,
		.subtree_first = le16_to_cpu(info->subtree_first),
		.subtree_count = le16_to_cpu(info->subtree_count),
		.peer_done = le32_to_cpu(info->peer_done),
		.outstanding = le32_to_cpu(info->outstanding),
		.retries = le32_to_cpu(info->retries),
		.sent = le64_to_cpu(info->sent),
		.retransmits = le64_to_cpu(info->retransmits),
		.received = le64_to_cpu(info->received),
		.duplicates = le64_to_cpu(info->duplicates),
		.busy = le64_to_cpu(info->busy),
	};
	memcpy(edge->gid, info->gid, sizeof(edge->gid));
	memcpy(edge->mac, info->mac, sizeof(edge->mac));
}

/**
 * tally_seg_to_user() - Convert the state of a segment for a process.
 * @to: struct tally_uresp_seg
 * @from: struct tally_seg_info
 */
void tally_seg_to_user(void *to, const void *from)
{
	const struct tally_seg_info *info = from;

	*(struct tally_uresp_seg *)to = (struct tally_uresp_seg){
		.contributors = le64_to_cpu(info->contributors),
		.ranks = le64_to_cpu(info->ranks),
		.receivers = le64_to_cpu(info->receivers),
		.deliver = le64_to_cpu(info->deliver),
		.num = le32_to_cpu(info->num),
		.mid = le32_to_cpu(info->mid),
		.sid = le32_to_cpu(info->sid),
		.state = info->state,
		.opcode = info->opcode,
		.op = info->op,
		.dtype = info->dtype,
	};
}

/**
 * tally_arrival_to_user() - Convert the arrival times of a message for a process.
 * @to: struct tally_uresp_arrival
 * @from: struct tally_arrival
 */
void tally_arrival_to_user(void *to, const void *from)
{
	const struct tally_arrival *info = from;

	*(struct tally_uresp_arrival *)to = (struct tally_uresp_arrival){
		.count = le64_to_cpu(info->count),
		.first_ns = le64_to_cpu(info->first_ns),
		.last_ns = le64_to_cpu(info->last_ns),
		.done_ns = le64_to_cpu(info->done_ns),
		.ranks = le64_to_cpu(info->ranks),
		.contributors = le64_to_cpu(info->contributors),
		.mid = le32_to_cpu(info->mid),
		.opcode = info->opcode,
		.op = info->op,
		.dtype = info->dtype,
		.last = info->last,
	};
}

/* ---- Fields that the device blames ---- */
/**
 * struct same_field - A field that exists in both the request and the command.
 * @device: offset in the device's structure
 * @user: offset in the process's structure
 * @size: bytes of the field in the request
 */
struct same_field {
	u16 device;
	u16 user;
	u8 size;
};

#define FIELD(device_type, device_field, user_type, user_field) { \
	offsetof(struct device_type, device_field), \
	offsetof(struct user_type, user_field), \
	sizeof_field(struct user_type, user_field), \
}
#define GROUP(name) FIELD(tally_group_cfg, name, tally_ureq_group, name)
/* The value of an array is not told. */
#define GROUP_ARRAY(name) { \
	offsetof(struct tally_group_cfg, name), offsetof(struct tally_ureq_group, name), U8_MAX, \
}
#define EDGE(name) FIELD(tally_group_edge, name, tally_ureq_edge, name)
#define QP(name, user) FIELD(tally_cmd_create_qp, name, tally_ureq_create_qp, user)

static const struct same_field group_fields[] = {
	GROUP(jid), GROUP(flags), GROUP(mode), GROUP(level), GROUP(node), GROUP(num_nodes),
	GROUP(num_segs), GROUP(max_segs), GROUP(timeout_ms), GROUP(rank_mask), GROUP(epoch),
	GROUP(retry_limit), GROUP(rto_us), GROUP(mtu), GROUP(owner_ranks), GROUP(total_ranks), GROUP(rank_first),
	GROUP(msg_cells), GROUP(rounds), GROUP(mcast_gid), GROUP(source_gid), GROUP(modes),
	GROUP(plan), GROUP(chunk), GROUP_ARRAY(choice_small), GROUP_ARRAY(choice_middle), GROUP_ARRAY(choice_large),
	GROUP_ARRAY(choice_small_log), GROUP_ARRAY(choice_middle_log),
	{}
};

static const struct same_field edge_fields[] = {
	EDGE(gid), EDGE(mac), EDGE(remote_index), EDGE(subtree_first), EDGE(subtree_count),
	EDGE(round), EDGE(position), EDGE(roles), EDGE(rank_first), EDGE(rank_count),
	EDGE(part_first), EDGE(part_count),
	{}
};

static const struct same_field qp_fields[] = {
	QP(group, group_handle), QP(ranks, ranks), QP(depth, sq_depth), QP(stride, sq_stride),
	QP(port, port), QP(sq, sq_addr),
	{}
};

static u64 uabi_value_of(const void *field, u8 size)
{
	switch (size) {
	case 1:
		return *(const u8 *)field;
	case 2:
		return *(const u16 *)field;
	case 4:
		return *(const u32 *)field;
	case 8:
		return *(const u64 *)field;
	default:
		return 0;
	}
}

/* @req is the process's structure, or NULL if the caller no longer has it. */
static void uabi_blame_field(struct tally_uresp_why *why, const struct same_field *fields,
			     unsigned int offset, u32 where, const void *req)
{
	const struct same_field *field;

	for (field = fields; field->size; field++) {
		if (field->device != offset)
			continue;
		why->where = where;
		why->offset = field->user;
		if (req)
			why->value = uabi_value_of(req + field->user, field->size);
	}
}

/* A process of the first version has given the part by other members. */
static void uabi_blame_first_version(struct tally_uresp_why *why)
{
	if (why->offset == offsetof(struct tally_ureq_edge, part_first))
		why->offset = offsetof(struct tally_ureq_edge, rank_first);
	else if (why->offset == offsetof(struct tally_ureq_edge, part_count))
		why->offset = offsetof(struct tally_ureq_edge, rank_count);
}

/**
 * tally_blame_to_user_group() - Translate what is blamed in a group's description.
 * @why: zero on entry; set to the status, and to the place of the fault if it is known
 * @blame: answer of the device, or what the driver blames
 * @req: description of the group
 * @num_edges: number of its neighbours
 */
void tally_blame_to_user_group(struct tally_uresp_why *why, const struct tally_blame *blame,
			       const struct tally_ureq_group *req, unsigned int num_edges)
{
	unsigned int offset = blame->offset, edges = sizeof(struct tally_group_cfg);

	why->status = blame->status;
	if (blame->no_group)
		why->where = TALLY_WHY_GROUPS;
	if (!blame->in_config)
		return;
	if (offset == offsetof(struct tally_group_cfg, num_edges)) {
		why->where = TALLY_WHY_EDGES;
		why->value = num_edges;
	} else if (offset < edges) {
		uabi_blame_field(why, group_fields, offset, TALLY_WHY_REQUEST, req);
	} else if ((offset - edges) / sizeof(struct tally_group_edge) < num_edges) {
		why->edge = (offset - edges) / sizeof(struct tally_group_edge);
		uabi_blame_field(why, edge_fields, (offset - edges) % sizeof(struct tally_group_edge),
				 TALLY_WHY_EDGE, NULL);
		if (!req->modes && why->where == TALLY_WHY_EDGE)
			uabi_blame_first_version(why);
	}
}

/**
 * tally_blame_to_user_qp() - Translate what the device blames in a queue pair's description.
 * @why: zero on entry; set to the status, and to the place of the fault if it is known
 * @blame: answer of the device
 * @req: description of the queue pair
 */
void tally_blame_to_user_qp(struct tally_uresp_why *why, const struct tally_blame *blame,
			    const struct tally_ureq_create_qp *req)
{
	unsigned int body = offsetof(struct tally_admin_cmd, body);

	why->status = blame->status;
	if (!blame->in_config && blame->offset >= body)
		uabi_blame_field(why, qp_fields, blame->offset - body, TALLY_WHY_REQUEST, req);
}
