// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Segment ranges and groups: driver-specific uverbs objects. */
#include <rdma/rdma_user_ioctl_cmds.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "tally.h"

/* ---- Attributes of a method ---- */
static struct ib_uverbs_attr attr_handle(uint16_t id, uint32_t handle)
{
	return (struct ib_uverbs_attr){
		.attr_id = id, .flags = UVERBS_ATTR_F_MANDATORY, .data = handle
	};
}

static struct ib_uverbs_attr attr_out(uint16_t id, void *to, uint16_t len)
{
	return (struct ib_uverbs_attr){
		.attr_id = id, .len = len, .flags = UVERBS_ATTR_F_MANDATORY, .data = (uintptr_t)to
	};
}

/* Up to eight bytes travel in the attribute itself. */
static struct ib_uverbs_attr attr_in(uint16_t id, const void *from, uint16_t len)
{
	struct ib_uverbs_attr attr = {
		.attr_id = id, .len = len, .flags = UVERBS_ATTR_F_MANDATORY, .data = (uintptr_t)from
	};

	if (len <= sizeof(attr.data)) {
		attr.data = 0;
		memcpy(&attr.data, from, len);
	}
	return attr;
}

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

/* ---- Segment ranges ---- */
struct tallydv_seg *tallydv_alloc_seg(struct ibv_context *context, uint32_t count)
{
	struct tally_seg *seg;
	int err;

	if (!tallydv_is_supported(context->device)) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	seg = calloc(1, sizeof(*seg));
	if (!seg)
		return NULL;
	seg->dv.context = context;
	seg->dv.count = count;
	struct ib_uverbs_attr attrs[] = {
		attr_handle(TALLY_ATTR_SEG_ALLOC_HANDLE, 0),
		attr_in(TALLY_ATTR_SEG_ALLOC_COUNT, &count, sizeof(count)),
		attr_out(TALLY_ATTR_SEG_ALLOC_RESP_BASE, &seg->dv.base, sizeof(seg->dv.base)),
	};

	err = tally_ioctl(context, TALLY_OBJECT_SEG, TALLY_METHOD_SEG_ALLOC, attrs,
			  ARRAY_SIZE(attrs));
	if (err) {
		free(seg);
		errno = err;
		return NULL;
	}
	seg->handle = attrs[0].data;
	return &seg->dv;
}

int tallydv_free_seg(struct tallydv_seg *dv)
{
	struct tally_seg *seg = container_of(dv, struct tally_seg, dv);
	struct ib_uverbs_attr attrs[] = { attr_handle(TALLY_ATTR_SEG_FREE_HANDLE, seg->handle) };
	int err = tally_ioctl(dv->context, TALLY_OBJECT_SEG, TALLY_METHOD_SEG_FREE, attrs,
			      ARRAY_SIZE(attrs));

	if (!err)
		free(seg);
	return err;
}

/* ---- Groups ---- */
/* Undo the making of an interface identifier: fe80::, the MAC with ff:fe in it, one bit flipped. */
static int mac_from_gid(uint8_t mac[6], const union ibv_gid *gid)
{
	static const uint8_t prefix[8] = { 0xfe, 0x80 };
	const uint8_t *id = gid->raw + 8;

	if (memcmp(gid->raw, prefix, sizeof(prefix)) || id[3] != 0xff || id[4] != 0xfe)
		return EINVAL;
	memcpy(mac, id, 3);
	memcpy(mac + 3, id + 5, 3);
	mac[0] ^= 0x02;
	return 0;
}

static int put_edge(struct tally_group_edge *edge, const struct tallydv_neighbour *from,
		    uint16_t remote_index)
{
	static const uint8_t none[6];

	*edge = (struct tally_group_edge){
		.remote_index = htole16(remote_index),
		.subtree_first = htole16(from->subtree_first),
		.subtree_count = htole16(from->subtree_count),
	};
	memcpy(edge->gid, from->gid.raw, sizeof(edge->gid));
	memcpy(edge->mac, from->mac, sizeof(edge->mac));
	return memcmp(from->mac, none, sizeof(none)) ? 0 : mac_from_gid(edge->mac, &from->gid);
}

int tally_group_edges(const struct tallydv_group_attr *attr, struct tally_group_edge *edges)
{
	struct tallydv_neighbour parent;

	for (unsigned int i = 0; i < attr->num_children; i++)
		if (put_edge(&edges[i], &attr->children[i], TALLY_CONTRIB_PARENT))
			return EINVAL;
	if (!attr->parent)
		return 0;
	parent = *attr->parent;
	parent.subtree_first = 0;
	parent.subtree_count = 0;
	return put_edge(&edges[attr->num_children], &parent, parent.remote_index);
}

static int refuse(struct ibv_context *context, const char *what)
{
	verbs_err(verbs_get_ctx(context), "tallydv_create_group: %s\n", what);
	return EINVAL;
}

/* What the kernel and the device cannot judge, or would judge less clearly. */
static int check_attr(struct ibv_context *context, const struct tallydv_group_attr *attr)
{
	if (attr->comp_mask || attr->reserved)
		return refuse(context, "comp_mask or reserved is not 0");
	if (!attr->seg || attr->seg->context != context)
		return refuse(context, "seg is missing or of another context");
	if (attr->num_children > TALLY_MAX_CONTRIBUTORS)
		return refuse(context, "num_children is larger than TALLY_MAX_CONTRIBUTORS");
	if (attr->num_children && !attr->children)
		return refuse(context, "children is NULL");
	if (attr->parent && attr->epoch)
		return refuse(context, "epoch is for the tree's root only");
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
		.node = attr->node,
		.num_nodes = attr->num_nodes,
		.mode = attr->mode,
		.level = attr->level,
	};

	if (!attr->parent) {
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
	};
}

static int create_group(struct tally_group *group, struct ibv_context *context,
			const struct tallydv_group_attr *attr)
{
	struct tally_group_edge edges[TALLY_MAX_CONTRIBUTORS + 1];
	unsigned int num_edges = attr->num_children + (attr->parent ? 1 : 0);
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
		return refuse(context, "a neighbour has neither a MAC nor a GID made of one");
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

int tallydv_query_group(struct tallydv_group *dv, struct tallydv_group_info *info)
{
	struct tally_group *group = container_of(dv, struct tally_group, dv);
	struct tally_group_info raw = {};
	struct ib_uverbs_attr attrs[] = {
		attr_handle(TALLY_ATTR_GROUP_QUERY_HANDLE, group->handle),
		attr_out(TALLY_ATTR_GROUP_QUERY_RESP, &raw, sizeof(raw)),
	};
	int err = tally_ioctl(dv->context, TALLY_OBJECT_GROUP, TALLY_METHOD_GROUP_QUERY, attrs,
			      ARRAY_SIZE(attrs));

	if (err)
		return err;
	*info = (struct tallydv_group_info){
		.jid = le32toh(raw.jid),
		.epoch = le32toh(raw.epoch),
		.state = (enum tally_group_state)raw.state,
		.status = (enum tally_coll_status)le16toh(raw.status),
		.done = le32toh(raw.done),
		.parent_open = raw.parent_open,
		.detector = le16toh(raw.detector),
		.open_contributors = le64toh(raw.open_edges),
		.attached_ranks = le64toh(raw.attached),
		.gone_ranks = le64toh(raw.gone),
		.remaining_contributors = le64toh(raw.contributors),
		.remaining_ranks = le64toh(raw.ranks),
	};
	return 0;
}

int tallydv_destroy_group(struct tallydv_group *dv)
{
	struct tally_group *group = container_of(dv, struct tally_group, dv);
	struct ib_uverbs_attr attrs[] = {
		attr_handle(TALLY_ATTR_GROUP_DESTROY_HANDLE, group->handle),
	};
	int err = tally_ioctl(dv->context, TALLY_OBJECT_GROUP, TALLY_METHOD_GROUP_DESTROY, attrs,
			      ARRAY_SIZE(attrs));

	if (!err)
		free(group);
	return err;
}
