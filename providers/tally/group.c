// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Groups: creation, attachment, epochs, destruction. */
#include <stdlib.h>
#include <sys/random.h>

#include "attrs.h"
#include "tally.h"

static int refuse(struct ibv_context *context, const char *what)
{
	verbs_err(verbs_get_ctx(context), "tallydv_create_group: %s\n", what);
	return EINVAL;
}

/* Does this node draw the first epoch? */
static bool is_root(const struct tallydv_group_attr *attr)
{
	return attr->mode == TALLY_MODE_TREE ? !attr->parent : !attr->node;
}

/* What the kernel and the device cannot judge, or would judge less clearly. */
static int check_attr(struct ibv_context *context, const struct tallydv_group_attr *attr)
{
	if (attr->comp_mask)
		return refuse(context, "comp_mask is not 0");
	if (!attr->seg || attr->seg->context != context)
		return refuse(context, "seg is missing or of another context");
	if (attr->num_children + attr->num_peers > TALLY_MAX_CONTRIBUTORS)
		return refuse(context, "there are more children and peers than TALLY_MAX_CONTRIBUTORS");
	if ((attr->num_children && !attr->children) || (attr->num_peers && !attr->peers))
		return refuse(context, "children or peers is NULL");
	/*
	 * Every node before this one has a rank. A number left out would misplace blocks,
	 * silently.
	 */
	if (!(attr->flags & TALLY_GROUP_F_SPARSE) && tally_group_rank_first(attr) < attr->node)
		return refuse(context, "rank_first is too small; nodes differ in ranks");
	if (attr->mode != TALLY_MODE_TREE && (attr->num_children || attr->parent))
		return refuse(context, "only TREE has children and a parent; in other modes all neighbours are peers");
	if (attr->rounds > TALLY_MAX_ROUNDS)
		return refuse(context, "there are more rounds than TALLY_MAX_ROUNDS");
	if (!is_root(attr) && attr->epoch)
		return refuse(context, "epoch is for the root only: the tree's, or node 0");
	return 0;
}

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
	};

	memcpy(req.mcast_gid, attr->mcast_gid.raw, sizeof(req.mcast_gid));
	memcpy(req.source_gid, attr->source_gid.raw, sizeof(req.source_gid));
	if (is_root(attr)) {
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
	};
}

static int create_group(struct tally_group *group, struct ibv_context *context,
			const struct tallydv_group_attr *attr)
{
	struct tally_group_edge edges[TALLY_MAX_CONTRIBUTORS + 1];
	unsigned int num_edges = attr->num_children + attr->num_peers + (attr->parent ? 1 : 0);
	struct tally_ureq_group req = group_request(to_tctx(context), attr);
	struct tally_seg *seg = container_of(attr->seg, struct tally_seg, dv);
	struct tally_uresp_group resp = {};
	struct ib_uverbs_attr attrs[] = {
		attr_handle(TALLY_ATTR_GROUP_CREATE_HANDLE, 0),
		attr_handle(TALLY_ATTR_GROUP_CREATE_SEG, seg->handle),
		attr_in(TALLY_ATTR_GROUP_CREATE_REQ, &req, sizeof(req)),
		attr_out(TALLY_ATTR_GROUP_CREATE_RESP, &resp, sizeof(resp)),
		attr_in(TALLY_ATTR_GROUP_CREATE_EDGES, edges, num_edges * sizeof(edges[0])),
	};
	int err;

	if (tally_group_edges(attr, edges))
		return refuse(context, "a neighbour has neither a MAC nor a GID made of one, or a peer no index");
	/* A group of one node has no edges, and says so by leaving them out. */
	err = tally_ioctl(context, TALLY_OBJECT_GROUP, TALLY_METHOD_GROUP_CREATE, attrs,
			  ARRAY_SIZE(attrs) - !num_edges);
	if (err)
		return err;
	group->handle = attrs[0].data;
	fill_group(group, context, attr->jid, attr->owner_ranks, &resp);
	return 0;
}

struct tallydv_group *tallydv_create_group(struct ibv_context *context,
					   const struct tallydv_group_attr *attr)
{
	struct tally_group *group;
	int err;

	err = tallydv_is_supported(context->device) ? check_attr(context, attr) : EOPNOTSUPP;
	if (err) {
		errno = err;
		return NULL;
	}
	group = calloc(1, sizeof(*group));
	if (!group)
		return NULL;
	err = create_group(group, context, attr);
	if (err) {
		free(group);
		errno = err;
		return NULL;
	}
	return &group->dv;
}

struct tallydv_group *tallydv_attach_group(struct ibv_context *context,
					   const struct tallydv_group_attach_attr *attr)
{
	struct tally_ureq_group_attach req = {
		.join_key = attr->join_key, .ranks = attr->ranks, .jid = attr->jid
	};
	struct tally_uresp_group resp = {};
	struct ib_uverbs_attr attrs[] = {
		attr_handle(TALLY_ATTR_GROUP_ATTACH_HANDLE, 0),
		attr_in(TALLY_ATTR_GROUP_ATTACH_REQ, &req, sizeof(req)),
		attr_out(TALLY_ATTR_GROUP_ATTACH_RESP, &resp, sizeof(resp)),
	};
	struct tally_group *group;
	int err;

	err = tallydv_is_supported(context->device) ? 0 : EOPNOTSUPP;
	if (!err && (attr->comp_mask || attr->reserved))
		err = EINVAL;
	if (err) {
		errno = err;
		return NULL;
	}
	group = calloc(1, sizeof(*group));
	if (!group)
		return NULL;
	err = tally_ioctl(context, TALLY_OBJECT_GROUP, TALLY_METHOD_GROUP_ATTACH, attrs,
			  ARRAY_SIZE(attrs));
	if (err) {
		free(group);
		errno = err;
		return NULL;
	}
	group->handle = attrs[0].data;
	fill_group(group, context, attr->jid, attr->ranks, &resp);
	return &group->dv;
}

int tallydv_reset_group(struct tallydv_group *dv, uint32_t epoch)
{
	struct tally_group *group = container_of(dv, struct tally_group, dv);
	struct ib_uverbs_attr attrs[] = {
		attr_handle(TALLY_ATTR_GROUP_RESET_HANDLE, group->handle),
		attr_in(TALLY_ATTR_GROUP_RESET_EPOCH, &epoch, sizeof(epoch)),
	};

	return tally_ioctl(dv->context, TALLY_OBJECT_GROUP, TALLY_METHOD_GROUP_RESET, attrs,
			   ARRAY_SIZE(attrs));
}

int tallydv_destroy_group(struct tallydv_group *dv)
{
	struct tally_group *group = container_of(dv, struct tally_group, dv);
	struct ib_uverbs_attr attrs[] = {
		attr_handle(TALLY_ATTR_GROUP_DESTROY_HANDLE, group->handle),
	};
	int err = tally_ioctl(dv->context, TALLY_OBJECT_GROUP, TALLY_METHOD_GROUP_DESTROY, attrs,
			      ARRAY_SIZE(attrs));

	err = tally_destroyed(to_tctx(dv->context), err);
	if (!err)
		free(group);
	return err;
}
