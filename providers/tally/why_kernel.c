// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Sentences for refusals of the kernel and the device. They name the field; this file adds the
 * valid values.
 */
#include <stdio.h>
#include <string.h>

#include "tally.h"
#include "why.h"

#define TEXT(value) TEXT_OF(value)
#define TEXT_OF(value) #value

/* A field of a request, its name for programs, and its valid values. */
struct field {
	uint32_t offset;
	uint8_t size;
	bool hex;
	const char *name;
	const char *rule;
};

#define FIELD(type, field, hex_, name_, rule_) { \
	.offset = offsetof(struct type, field), .size = sizeof(((struct type *)0)->field), \
	.hex = hex_, .name = name_, .rule = rule_, \
}
#define GROUP(field, hex, rule) FIELD(tally_ureq_group, field, hex, #field, rule)
/* The choices are arrays here, and entries of an array in the program. */
#define CHOICE(field) { .offset = offsetof(struct tally_ureq_group, field), .name = "choice", \
	.rule = "of modes of the group that offer the opcodes, with logarithms of at most "\
		TEXT(TALLY_MAX_CHOICE_LOG) }
#define EDGE(field, rule) FIELD(tally_ureq_edge, field, false, #field, rule)
#define QP(field, hex, name, rule) FIELD(tally_ureq_create_qp, field, hex, name, rule)

#define RANKS_RULE "ranks of the group that no other neighbour has, consecutive with the others', and 0 " \
	"for a neighbour that sends no rank's data"
#define PART_RULE "with role IN, ranks of the group that are not combined before, consecutive with the others', and 0 otherwise"
#define SUBTREE_RULE "other nodes of the group, at least 1 for a child, and 0 for other neighbours"

static const struct field group_fields[] = {
	GROUP(jid, true, "other than 0"),
	GROUP(flags, true, "flags that the device offers: SPARSE and MULTICAST in TREE only, and UNIFORM "
	      "only if all nodes have the same number of ranks"),
	GROUP(mode, false, "TREE, EXCHANGE or RING, and one that the device offers"),
	GROUP(modes, true, "modes that the device offers, with mode among them"),
	GROUP(plan, true, "the hash of the plan"),
	GROUP(chunk, false, "a power of two, such that the inputs and partial results of a chunk fit into a slot"),
	CHOICE(choice_small), CHOICE(choice_middle), CHOICE(choice_large),
	CHOICE(choice_small_log), CHOICE(choice_middle_log),
	GROUP(node, false, "below num_nodes"),
	GROUP(level, false, "below num_nodes"),
	GROUP(num_nodes, false, "1 to " TEXT(TALLY_MAX_NODES)),
	GROUP(num_segs, false, "at least 1, and at most the segments of seg"),
	GROUP(max_segs, false, "0, or num_segs to " TEXT(TALLY_MAX_GROUP_SEGS)),
	GROUP(timeout_ms, false,
	      "0, or " TEXT(TALLY_MIN_TIMEOUT_MS) " to " TEXT(TALLY_MAX_TIMEOUT_MS)),
	GROUP(rank_mask, true,
	      "ranks that the device has, and not 0 except in a SPARSE group with neighbours"),
	GROUP(owner_ranks, true, "a subset of rank_mask"),
	GROUP(epoch, true, "other than 0 at the root, and 0 elsewhere"),
	GROUP(retry_limit, false, "at most " TEXT(TALLY_MAX_RETRIES)
	      ", and retry_limit times rto_us at most " TEXT(TALLY_MAX_RETRY_MS) " ms"),
	GROUP(rto_us, false, "at most " TEXT(TALLY_MAX_RTO_US)
	      ", and retry_limit times rto_us at most " TEXT(TALLY_MAX_RETRY_MS) " ms"),
	GROUP(mtu, false, "a power of two, from 256 to the device's"),
	GROUP(total_ranks, false, "the number of ranks of all nodes, including those of this node and below it"),
	GROUP(rank_first, false,
	      "such that the ranks of this node and below it are consecutive and below total_ranks"),
	GROUP(msg_cells, false,
	      "enough for reductions in a fixed order, and at most " TEXT(TALLY_MAX_GROUP_CELLS)),
	GROUP(rounds, false, "1 to " TEXT(TALLY_MAX_ROUNDS)
	      " in EXCHANGE with more than one node, else 0"),
	GROUP(mcast_gid, false, "in ff00::/8 with MULTICAST, else 0"),
	GROUP(source_gid, false, "the GID of the tree's root with MULTICAST, else 0"),
	{}
};

static const struct field edge_fields[] = {
	EDGE(gid, "a station's: not 0, not IPv4's, not multicast"),
	EDGE(mac, "a station's: not 0, not multicast"),
	EDGE(remote_index, "the index of this node at the neighbour"),
	EDGE(rank_first, RANKS_RULE),
	EDGE(rank_count, RANKS_RULE),
	EDGE(part_first, PART_RULE),
	EDGE(part_count, PART_RULE),
	EDGE(subtree_first, SUBTREE_RULE),
	EDGE(subtree_count, SUBTREE_RULE),
	EDGE(roles, "those that the mode requires, and 0 in TREE"),
	EDGE(round, "1 to rounds with role IN or OUT in EXCHANGE, else 0"),
	EDGE(position, "a place in its round that no other neighbour has, and 0 without role IN in EXCHANGE"),
	{}
};

static const struct field attach_fields[] = {
	FIELD(tally_ureq_group_attach, ranks, true, "ranks", "ranks of the group"),
	{}
};

static const struct field qp_fields[] = {
	QP(ranks, true, "ranks", "ranks that the group's handle has"),
	/* Programs do not know this number. */
	{ .offset = offsetof(struct tally_ureq_create_qp, group_handle), .name = "group",
	  .rule = "a handle that has not been destroyed" },
	QP(sq_depth, false, "cap.max_send_wr", "within the limits of the device"),
	QP(sq_stride, false, "cap.max_send_sge, cap.max_inline_data",
	   "within the limits of the device"),
	QP(port, false, "port", "a number that no other queue pair of the group has at this node"),
	QP(sq_addr, true, "send queue", "memory that can be pinned"),
	{}
};

static const struct field *find(const struct field *fields, uint32_t offset)
{
	for (; fields->name; fields++)
		if (fields->offset == offset)
			return fields;
	return NULL;
}

/* Writes " is 7, and", or nothing for an address. */
static void put_value(char *text, size_t size, const struct field *field, const void *req)
{
	uint64_t value = 0;

	text[0] = 0;
	if (!field->size || field->size > sizeof(value) || field->size == 6)
		return;
	/* The kernel's ABI, and this copy of the request, are in the host's byte order. */
	switch (field->size) {
	case 1:
		value = *((const uint8_t *)req + field->offset);
		break;
	case 2:
		value = *(const uint16_t *)((const char *)req + field->offset);
		break;
	case 4:
		value = *(const uint32_t *)((const char *)req + field->offset);
		break;
	case 8:
		value = *(const uint64_t *)((const char *)req + field->offset);
		break;
	}
	snprintf(text, size, field->hex ? " is %#llx, and" : " is %llu, and",
		 (unsigned long long)value);
}

/*
 * Refuses a call because of a field. `prefix` tells whose field it is. Returns false if the field
 * is unknown.
 */
static bool refuse_field(const struct tally_call *call, int err, const char *prefix,
			 const struct field *fields, uint32_t offset, const void *req)
{
	const struct field *field = find(fields, offset);
	char value[40];

	if (!field)
		return false;
	put_value(value, sizeof(value), field, req);
	tally_refuse(call, err, "%s%s:%s must be %s", prefix, field->name, value, field->rule);
	return true;
}

#define STATUS_CASE(name, value, doc) case value: return doc;

static const char *status_text(uint32_t status)
{
	switch (status) {
	TALLY_ADMIN_STATUS_LIST(STATUS_CASE)
	default:
		return "The status is unknown to this library.";
	}
}

/* Refuses a call for which only the errno is known, and perhaps the device's status. */
static int refuse_plainly(const struct tally_call *call, int err, const struct tally_uresp_why *why)
{
	if (why->status)
		return tally_refuse(call, err, "the device refuses: %s", status_text(why->status));
	return tally_refuse(call, err, "the kernel refuses: %s", strerror(err));
}

/* ---- Groups ---- */
/* The kernel knows a neighbour by its index among the edges, the program by its place in a list. */
void tally_neighbour_name(char *text, size_t size, const struct tallydv_group_attr *attr,
			  uint32_t i)
{
	if (i < attr->num_children)
		snprintf(text, size, "children: entry %u: ", i);
	else if (i < (uint32_t)attr->num_children + attr->num_peers)
		snprintf(text, size, "peers: entry %u: ", i - attr->num_children);
	else
		snprintf(text, size, "parent: ");
}

static bool refuse_where(const struct tally_call *call, int err, const struct tally_uresp_why *why,
			 const struct tallydv_group_attr *attr, const struct tally_ureq_group *req,
			 const struct tally_ureq_edge *edges)
{
	uint32_t num_edges = attr->num_children + attr->num_peers + (attr->parent ? 1 : 0);
	struct tally_ureq_group told = *req;
	char whose[TALLY_WHOSE_SIZE];

	/* Report the value of the program, without the bits that the library added. */
	told.flags = attr->flags;
	switch (why->where) {
	case TALLY_WHY_REQUEST:
		return refuse_field(call, err, "", group_fields, why->offset, &told);
	case TALLY_WHY_EDGE:
		if (why->edge >= num_edges)
			return false;
		tally_neighbour_name(whose, sizeof(whose), attr, why->edge);
		return refuse_field(call, err, whose, edge_fields, why->offset, &edges[why->edge]);
	case TALLY_WHY_EDGES:
		tally_refuse(call, err, "neighbours: their number, roles or ranks do not match the mode");
		return true;
	default:
		return false;
	}
}

static const char *no_groups(int err)
{
	return err == EDQUOT ? "this process may hold no more groups" :
			       "the device has no more groups";
}

/* Refuses a group because of what the kernel names. Returns false if it names nothing. */
static bool refuse_exhausted(const struct tally_call *call, int err,
			     const struct tally_uresp_why *why,
			     const struct tally_ureq_group *req, uint32_t edges)
{
	const char *limit = err == EDQUOT ? "this process may still hold" : "the device has left";

	switch (why->where) {
	case TALLY_WHY_GROUPS:
		tally_refuse(call, err, "group: %s", no_groups(err));
		return true;
	case TALLY_WHY_EDGES:
		tally_refuse(call, err, "neighbours: are %u, and more edges than %s", edges, limit);
		return true;
	case TALLY_WHY_REQUEST:
		break;
	default:
		return false;
	}
	if (why->offset == offsetof(struct tally_ureq_group, msg_cells))
		tally_refuse(call, err, "msg_cells: is %u, and more cells than %s", req->msg_cells, limit);
	else if (why->offset == offsetof(struct tally_ureq_group, num_segs))
		tally_refuse(call, err, "num_segs: is %u, and more segments than %s", req->num_segs, limit);
	else
		return false;
	return true;
}

/*
 * A kernel that names nothing counts groups, edges and cells together; a group without edges and
 * cells lacks only a number.
 */
static int refuse_number(const struct tally_call *call, int err, const struct tally_uresp_why *why,
			 const struct tally_ureq_group *req, uint32_t edges)
{
	char lacks_edges[64] = "", lacks_cells[64] = "";
	uint32_t cells = req->msg_cells;

	if (refuse_exhausted(call, err, why, req, edges))
		return err;
	if (edges)
		snprintf(lacks_edges, sizeof(lacks_edges), ", or not as many edges as neighbours, which are %u",
			 edges);
	if (cells)
		snprintf(lacks_cells, sizeof(lacks_cells), ", or not as many cells as msg_cells, which is %u",
			 cells);
	return tally_refuse(call, err, "group: %s%s%s", no_groups(err), lacks_edges, lacks_cells);
}

int tally_refuse_group(const struct tally_call *call, int err, const struct tally_uresp_why *why,
		       const struct tallydv_group_attr *attr, const struct tally_ureq_group *req,
		       const struct tally_ureq_edge *edges)
{
	uint32_t num_edges = attr->num_children + attr->num_peers + (attr->parent ? 1 : 0);

	switch (err) {
	case EEXIST:
		return tally_refuse(call, err, "jid: %#x is in use on this device", req->jid);
	case EBUSY:
		return tally_refuse(call, err, "seg: another group has these segments");
	case EDQUOT:
	case ENOSPC:
		return refuse_number(call, err, why, req, num_edges);
	}
	if (refuse_where(call, err, why, attr, req, edges))
		return err;
	return refuse_plainly(call, err, why);
}

int tally_refuse_attach(const struct tally_call *call, int err, const struct tally_uresp_why *why,
			const struct tally_ureq_group_attach *req)
{
	switch (err) {
	case ENOENT:
		return tally_refuse(call, err, "jid: no group of this device has %#x", req->jid);
	case EACCES:
		return tally_refuse(call, err, "join_key: is not the creator's");
	case EBUSY:
		return tally_refuse(call, err, "ranks: one of %#llx belongs to another handle, or to a process that is gone",
				    (unsigned long long)req->ranks);
	}
	if (why->where == TALLY_WHY_REQUEST &&
	    refuse_field(call, err, "", attach_fields, why->offset, req))
		return err;
	return refuse_plainly(call, err, why);
}

/* ---- Queue pairs ---- */
/* The epoch of the group has ended. The group still exists, so it can be asked for the cause. */
static int refuse_dead(const struct tally_call *call, int err, struct tallydv_group *group)
{
	struct tallydv_group_info info;

	if (tallydv_query_group(group, &info) || !info.status)
		return tally_refuse(call, err, "group: its epoch has ended");
	return tally_refuse(call, err, "group: its epoch has ended with %s%s",
			    tallydv_coll_status_name(info.status),
			    info.gone_ranks ? ", and it can only be destroyed, because a rank of this node is gone" :
					      "; tallydv_reset_group() begins the next epoch");
}

int tally_refuse_qp(const struct tally_call *call, int err, const struct tally_uresp_why *why,
		    const struct tally_ureq_create_qp *req, struct tallydv_group *group)
{
	if (err == EDQUOT)
		return tally_refuse(call, err, "this process holds as many queue pairs or doorbells as it may");
	if (err == ENOSPC)
		return tally_refuse(call, err, "the device has no queue pair or doorbell left");
	if (why->status == TALLY_ADMIN_STATUS_BAD_STATE)
		return refuse_dead(call, err, group);
	if (why->where == TALLY_WHY_REQUEST &&
	    refuse_field(call, err, "", qp_fields, why->offset, req))
		return err;
	return refuse_plainly(call, err, why);
}
