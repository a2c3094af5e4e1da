// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Groups: creation, attachment, reset and destruction. */
#include <infiniband/cmd_ioctl.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

#include "group_check.h"
#include "tally.h"
#include "versions.h"
#include "why.h"

#define MAX_NEIGHBOURS (TALLY_MAX_CONTRIBUTORS + 1)
#define GROUP_ATTR_MASK (TALLYDV_GROUP_ATTR_MODES | TALLYDV_GROUP_ATTR_MAX_SEGS)

static bool has_bytes(const uint8_t *bytes, size_t size)
{
	while (size--)
		if (bytes[size])
			return true;
	return false;
}

/* Checks the lists before the neighbours are read. */
static int check_lists(const struct tally_call *call, const struct tallydv_group_attr *attr)
{
	if (!attr)
		return tally_refuse(call, EINVAL, "attr: is NULL");
	if (attr->comp_mask & ~(uint64_t)GROUP_ATTR_MASK)
		return tally_refuse(call, EOPNOTSUPP, "comp_mask: has bits that this library does not know");
	if (attr->comp_mask & TALLYDV_GROUP_ATTR_MODES && has_bytes(attr->reserved, sizeof(attr->reserved)))
		return tally_refuse(call, EINVAL, "reserved: is not 0");
	if (!attr->seg || attr->seg->context != call->context)
		return tally_refuse(call, EINVAL, "seg: is missing or of another context");
	if (attr->num_children > TALLY_MAX_CONTRIBUTORS)
		return tally_refuse(call, EINVAL, "num_children: is %u, and must be at most %u",
			      attr->num_children, TALLY_MAX_CONTRIBUTORS);
	if (attr->num_children + attr->num_peers > TALLY_MAX_CONTRIBUTORS)
		return tally_refuse(call, EINVAL, "num_peers: %u, and %u children, are more than %u",
			      attr->num_peers, attr->num_children, TALLY_MAX_CONTRIBUTORS);
	if (attr->num_children && !attr->children)
		return tally_refuse(call, EINVAL, "children: is NULL");
	if (attr->num_peers && !attr->peers)
		return tally_refuse(call, EINVAL, "peers: is NULL");
	return 0;
}

/* ---- Structures, which may be longer or shorter in the program ---- */
/* A description of a group and its neighbours in the library's layout. */
struct description {
	struct tallydv_group_attr attr;
	struct tallydv_neighbour neighbours[MAX_NEIGHBOURS];
};

#define NEIGHBOUR_V1_SIZE offsetof(struct tallydv_neighbour, part_first)

/*
 * Copies the members that comp_mask says are there. A program of the first version has no memory
 * for the others.
 */
static void take_attr(struct tallydv_group_attr *to, const struct tallydv_group_attr *from)
{
	*to = (struct tallydv_group_attr){};
	memcpy(to, from, from->comp_mask ? sizeof(*to) :
					   offsetof(struct tallydv_group_attr, max_segs));
	if (!(from->comp_mask & TALLYDV_GROUP_ATTR_MAX_SEGS))
		to->max_segs = 0;
	if (!(from->comp_mask & TALLYDV_GROUP_ATTR_MODES)) {
		to->plan = to->chunk = 0;
		to->modes = 0;
		memset(to->choice, 0, sizeof(to->choice));
	}
}

static int take_list(const struct tally_call *call, struct tallydv_neighbour *to,
		     const struct tallydv_neighbour *from, unsigned int count, size_t size,
		     const char *what)
{
	for (unsigned int i = 0; i < count; i++) {
		int err = tally_copy_in(&to[i], sizeof(to[i]), (const char *)from + i * size, size,
					NEIGHBOUR_V1_SIZE);

		if (err == EINVAL)
			return tally_refuse(call, err, "%s: entry %u is shorter than the first version of struct tallydv_neighbour",
					    what, i);
		if (err)
			return tally_refuse(call, err, "%s: entry %u has a member that this library does not know",
					    what, i);
	}
	return 0;
}

static int describe(const struct tally_call *call, struct description *to,
		    const struct tallydv_group_attr *attr, size_t size)
{
	struct tallydv_neighbour *children = to->neighbours;
	struct tallydv_neighbour *peers = children + attr->num_children;
	struct tallydv_neighbour *parent = peers + attr->num_peers;
	int err = take_list(call, children, attr->children, attr->num_children, size, "children");

	if (!err)
		err = take_list(call, peers, attr->peers, attr->num_peers, size, "peers");
	if (!err && attr->parent)
		err = take_list(call, parent, attr->parent, 1, size, "parent");
	take_attr(&to->attr, attr);
	to->attr.children = children;
	to->attr.peers = peers;
	to->attr.parent = attr->parent ? parent : NULL;
	return err;
}

/* ---- Creation ---- */
static uint32_t draw_epoch(void)
{
	uint32_t epoch = 0;

	while (!epoch)
		if (getrandom(&epoch, sizeof(epoch), 0) != sizeof(epoch))
			epoch = 0;
	return epoch;
}

static struct tally_ureq_group group_request(const struct tally_context *ctx,
					     const struct tallydv_group_attr *attr)
{
	struct tally_ureq_group req = {
		.join_key = attr->join_key,
		.rank_mask = attr->rank_mask,
		.owner_ranks = attr->owner_ranks,
		.jid = attr->jid,
		.flags = attr->flags,
		.timeout_ms = attr->timeout_ms,
		.epoch = attr->epoch,
		.mtu = attr->mtu ? attr->mtu : ctx->info.mtu,
		.total_ranks = attr->total_ranks,
		.retry_limit = attr->retry_limit,
		.rto_us = attr->rto_us,
		.rank_first = tally_group_rank_first(attr),
		.msg_cells = attr->msg_cells,
		.num_segs = attr->num_segs,
		.node = attr->node,
		.num_nodes = attr->num_nodes,
		.mode = attr->mode,
		.level = attr->level,
		.rounds = attr->rounds,
		/* A kernel of the first version knows only groups of one mode. */
		.modes = tally_has_one_mode(attr) ? 0 : attr->modes,
		.edge_size = sizeof(struct tally_ureq_edge),
		.max_segs = attr->max_segs,
		.plan = attr->plan,
		.chunk = attr->chunk,
	};

	memcpy(req.mcast_gid, attr->mcast_gid.raw, sizeof(req.mcast_gid));
	memcpy(req.source_gid, attr->source_gid.raw, sizeof(req.source_gid));
	for (unsigned int i = 0; i < TALLYDV_NUM_CHOICES; i++) {
		req.choice_small[i] = attr->choice[i].small;
		req.choice_middle[i] = attr->choice[i].middle;
		req.choice_large[i] = attr->choice[i].large;
		req.choice_small_log[i] = attr->choice[i].small_log;
		req.choice_middle_log[i] = attr->choice[i].middle_log;
	}
	if (tally_is_root(attr)) {
		req.flags |= TALLY_GROUP_F_ROOT;
		if (!req.epoch)
			req.epoch = draw_epoch();
	}
	return req;
}

static void fill_group(struct tally_group *group, struct ibv_context *context, uint32_t jid,
		       uint64_t ranks, const struct tally_uresp_group *resp)
{
	group->group_handle = resp->group_handle;
	group->dv = (struct tallydv_group){
		.comp_mask = TALLYDV_GROUP_MODES | TALLYDV_GROUP_MAX_SEGS,
		.context = context,
		.jid = jid,
		.num_segs = resp->num_segs,
		.mtu = resp->mtu,
		.timeout_ms = resp->timeout_ms,
		.node = resp->node,
		.num_nodes = resp->num_nodes,
		.rank_mask = resp->rank_mask,
		.ranks = ranks,
		.total_ranks = resp->total_ranks,
		.rank_first = resp->rank_first,
		.flags = resp->flags,
		.msg_cells = resp->msg_cells,
		.mode = (enum tally_mode)resp->mode,
		.level = resp->level,
		.rounds = resp->rounds,
		.modes = resp->modes ? resp->modes : tally_mode_bit(resp->mode),
		.max_segs = resp->max_segs ? resp->max_segs : resp->num_segs,
	};
}

static int create_group(const struct tally_call *call, struct tally_group *group,
			const struct tallydv_group_attr *attr)
{
	DECLARE_COMMAND_BUFFER(cmd, TALLY_OBJECT_GROUP, TALLY_METHOD_GROUP_CREATE, 6);
	struct tally_ureq_edge edges[MAX_NEIGHBOURS];
	unsigned int num_edges = attr->num_children + attr->num_peers + (attr->parent ? 1 : 0);
	struct tally_ureq_group req = group_request(to_tctx(call->context), attr);
	struct tally_seg *seg = container_of(attr->seg, struct tally_seg, dv);
	struct tally_uresp_group resp = {};
	struct tally_uresp_why why = {};
	struct ib_uverbs_attr *handle;
	int err;

	tally_group_edges(attr, edges);
	handle = fill_attr_out_obj(cmd, TALLY_ATTR_GROUP_CREATE_HANDLE);
	fill_attr_in_obj(cmd, TALLY_ATTR_GROUP_CREATE_SEG, seg->handle);
	fill_attr_in_ptr(cmd, TALLY_ATTR_GROUP_CREATE_REQ, &req);
	fill_attr_out_ptr(cmd, TALLY_ATTR_GROUP_CREATE_RESP, &resp);
	attr_optional(fill_attr_out_ptr(cmd, TALLY_ATTR_GROUP_CREATE_RESP_WHY, &why));
	/* A group of one node has no edges, and must omit the attribute. */
	if (num_edges)
		fill_attr_in(cmd, TALLY_ATTR_GROUP_CREATE_EDGES, edges,
			     num_edges * sizeof(edges[0]));
	err = execute_ioctl(call->context, cmd);
	if (err)
		return tally_refuse_group(call, err, &why, attr, &req, edges);
	group->handle = read_attr_obj(TALLY_ATTR_GROUP_CREATE_HANDLE, handle);
	fill_group(group, call->context, attr->jid, attr->owner_ranks, &resp);
	return 0;
}

static int create_described(const struct tally_call *call, struct tally_group *group,
			    const struct tallydv_group_attr *attr, size_t neighbour_size)
{
	struct description own;
	int err = check_lists(call, attr);

	if (!err)
		err = describe(call, &own, attr, neighbour_size);
	if (!err)
		err = tally_check_group(call, &own.attr);
	return err ? err : create_group(call, group, &own.attr);
}

/* Allocates a handle. On error refuses the call, sets `*err` and returns NULL. */
static struct tally_group *new_handle(const struct tally_call *call, int *err)
{
	struct tally_group *group = NULL;

	if (!tallydv_is_supported(call->context->device)) {
		*err = tally_refuse_context(call);
		return NULL;
	}
	group = calloc(1, sizeof(*group));
	if (!group)
		*err = tally_refuse(call, ENOMEM, "out of memory");
	return group;
}

/* Returns the program's handle, or NULL with errno `err`. */
static struct tallydv_group *handle_or_error(struct tally_group *group, int err)
{
	if (!err)
		return &group->dv;
	free(group);
	errno = err;
	return NULL;
}

struct tallydv_group *_tallydv_create_group(struct ibv_context *context,
					    const struct tallydv_group_attr *attr,
					    size_t neighbour_size, char *why, size_t size)
{
	const struct tally_call call = { "tallydv_create_group", context, why, size };
	int err = 0;
	struct tally_group *group = new_handle(&call, &err);

	if (!err)
		err = create_described(&call, group, attr, neighbour_size);
	return handle_or_error(group, err);
}

/* ---- Attachment ---- */
static int attach_group(const struct tally_call *call, struct tally_group *group,
			const struct tallydv_group_attach_attr *attr)
{
	DECLARE_COMMAND_BUFFER(cmd, TALLY_OBJECT_GROUP, TALLY_METHOD_GROUP_ATTACH, 4);
	struct tally_ureq_group_attach req = {};
	struct tally_uresp_group resp = {};
	struct tally_uresp_why why = {};
	struct ib_uverbs_attr *handle;
	int err;

	if (!attr)
		return tally_refuse(call, EINVAL, "attr: is NULL");
	if (attr->comp_mask)
		return tally_refuse(call, EOPNOTSUPP, "comp_mask: has bits that this library does not know");
	if (attr->reserved)
		return tally_refuse(call, EINVAL, "reserved: is not 0");
	req.join_key = attr->join_key;
	req.ranks = attr->ranks;
	req.jid = attr->jid;
	handle = fill_attr_out_obj(cmd, TALLY_ATTR_GROUP_ATTACH_HANDLE);
	fill_attr_in_ptr(cmd, TALLY_ATTR_GROUP_ATTACH_REQ, &req);
	fill_attr_out_ptr(cmd, TALLY_ATTR_GROUP_ATTACH_RESP, &resp);
	attr_optional(fill_attr_out_ptr(cmd, TALLY_ATTR_GROUP_ATTACH_RESP_WHY, &why));
	err = execute_ioctl(call->context, cmd);
	if (err)
		return tally_refuse_attach(call, err, &why, &req);
	group->handle = read_attr_obj(TALLY_ATTR_GROUP_ATTACH_HANDLE, handle);
	fill_group(group, call->context, attr->jid, attr->ranks, &resp);
	return 0;
}

struct tallydv_group *tallydv_attach_group(struct ibv_context *context,
					   const struct tallydv_group_attach_attr *attr, char *why,
					   size_t size)
{
	const struct tally_call call = { "tallydv_attach_group", context, why, size };
	int err = 0;
	struct tally_group *group = new_handle(&call, &err);

	if (!err)
		err = attach_group(&call, group, attr);
	return handle_or_error(group, err);
}

/* ---- Reset and destruction ---- */
static int reset_group(struct tallydv_group *dv, uint32_t epoch)
{
	DECLARE_COMMAND_BUFFER(cmd, TALLY_OBJECT_GROUP, TALLY_METHOD_GROUP_RESET, 2);
	struct tally_group *group = container_of(dv, struct tally_group, dv);

	fill_attr_in_obj(cmd, TALLY_ATTR_GROUP_RESET_HANDLE, group->handle);
	fill_attr_in_uint32(cmd, TALLY_ATTR_GROUP_RESET_EPOCH, epoch);
	return execute_ioctl(dv->context, cmd);
}

/* The device collects reports for at most 100 ms, but its clock may run slowly. */
#define COLLECT_STEP_NS 2000000
#define COLLECT_STEPS 500

/* Returns whether the epoch has ended. The collection may end after a reset has found it busy. */
static bool has_ended(struct tallydv_group *dv)
{
	struct tallydv_group_info info;

	return !tallydv_query_group(dv, &info) &&
	       (info.state == TALLY_GROUP_COLLECT || info.state == TALLY_GROUP_DEAD);
}

/* Completions tell of the end of an epoch before the device has collected all reports on it. */
int tallydv_reset_group(struct tallydv_group *dv, uint32_t epoch)
{
	static const struct timespec step = { .tv_nsec = COLLECT_STEP_NS };
	int err = reset_group(dv, epoch);

	for (unsigned int i = 0; i < COLLECT_STEPS && err == EBUSY && has_ended(dv); i++) {
		nanosleep(&step, NULL);
		err = reset_group(dv, epoch);
	}
	return err;
}

int tallydv_destroy_group(struct tallydv_group *dv)
{
	DECLARE_COMMAND_BUFFER(cmd, TALLY_OBJECT_GROUP, TALLY_METHOD_GROUP_DESTROY, 1);
	struct tally_group *group = container_of(dv, struct tally_group, dv);
	int err;

	fill_attr_in_obj(cmd, TALLY_ATTR_GROUP_DESTROY_HANDLE, group->handle);
	err = tally_destroy_errno(to_tctx(dv->context), execute_ioctl(dv->context, cmd));
	if (!err)
		free(group);
	return err;
}
