// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The uverbs object of a group: a handle, obtained by creating a group or by attaching to one. */
#define UVERBS_MODULE_NAME tally_ib
#include <rdma/uverbs_named_ioctl.h>

#include "ib.h"
#include "uabi.h"

/* Queue pairs that use the handle keep it, but no new queue pair can name it. */
static int uobj_group_free(struct ib_uobject *uobject, enum rdma_remove_reason why,
			   struct uverbs_attr_bundle *attrs)
{
	struct tally_ib_group *group = uobject->object;

	xa_erase(&to_tctx(uobject->context)->groups, group->num);
	tally_group_handle_put(group->handle);
	kfree(group);
	return 0;
}

/*
 * Installs the handle in @uobject, which takes over the reference, and fills in the response. On
 * error, drops the reference.
 */
static int uobj_group_install(struct ib_uobject *uobject, struct tally_ucontext *ctx,
			      struct tally_group_handle *handle, struct tally_uresp_group *resp)
{
	const struct tally_group_cfg *cfg = tally_group_handle_cfg(handle);
	struct tally_ib_group *group = kzalloc(sizeof(*group), GFP_KERNEL);
	int err = -ENOMEM;

	if (group)
		err = xa_alloc(&ctx->groups, &group->num, handle, xa_limit_31b, GFP_KERNEL);
	if (err) {
		kfree(group);
		tally_group_handle_put(handle);
		return err;
	}
	group->handle = handle;
	uobject->object = group;
	*resp = (struct tally_uresp_group){
		.group_handle = group->num,
		.num_segs = le16_to_cpu(cfg->num_segs),
		.max_segs = tally_group_segs(cfg),
		.mtu = le32_to_cpu(cfg->mtu),
		.timeout_ms = le32_to_cpu(cfg->timeout_ms),
		.node = le16_to_cpu(cfg->node),
		.num_nodes = le16_to_cpu(cfg->num_nodes),
		.flags = le32_to_cpu(cfg->flags),
		.rank_mask = le64_to_cpu(cfg->rank_mask),
		.total_ranks = le32_to_cpu(cfg->total_ranks),
		.rank_first = le32_to_cpu(cfg->rank_first),
		.msg_cells = le32_to_cpu(cfg->msg_cells),
		.mode = cfg->mode,
		.level = cfg->level,
		.rounds = cfg->rounds,
		.modes = cfg->modes,
	};
	return 0;
}

/* Copies the reason to a process whose call fails with @err. Returns @err. */
static int uobj_group_tell_why(struct uverbs_attr_bundle *attrs, u16 attr, const struct tally_uresp_why *why,
			       int err)
{
	/*
	 * The reason is optional: a process that gives no valid memory for it still gets the errno.
	 */
	if (uverbs_attr_is_valid(attrs, attr) &&
	    uverbs_copy_to_struct_or_zero(attrs, attr, why, sizeof(*why)))
		ibdev_dbg(attrs->context->device, "cannot copy the reason to the process\n");
	return err;
}

/* ---- Create ---- */

static void uobj_group_fill_choices(struct tally_group_cfg *cfg, const struct tally_ureq_group *req)
{
	static_assert(sizeof(cfg->choice_small) == sizeof(req->choice_small));
	memcpy(cfg->choice_small, req->choice_small, sizeof(cfg->choice_small));
	memcpy(cfg->choice_middle, req->choice_middle, sizeof(cfg->choice_middle));
	memcpy(cfg->choice_large, req->choice_large, sizeof(cfg->choice_large));
	memcpy(cfg->choice_small_log, req->choice_small_log, sizeof(cfg->choice_small_log));
	memcpy(cfg->choice_middle_log, req->choice_middle_log, sizeof(cfg->choice_middle_log));
}

static void uobj_group_fill_spec(struct tally_group_spec *spec, const struct tally_ureq_group *req,
				 u32 room, const struct tally_group_edge *edges, unsigned int num_edges)
{
	*spec = (struct tally_group_spec){
		.join_key = req->join_key,
		.edges = edges,
		.cfg = {
			.jid = cpu_to_le32(req->jid),
			.flags = cpu_to_le32(req->flags),
			.mode = req->mode,
			.level = req->level,
			.node = cpu_to_le16(req->node),
			.num_nodes = cpu_to_le16(req->num_nodes),
			.num_edges = cpu_to_le16(num_edges),
			.num_segs = cpu_to_le16(tally_group_num_segs(req, room)),
			.max_segs = cpu_to_le16(req->max_segs),
			.timeout_ms = cpu_to_le32(req->timeout_ms),
			.rank_mask = cpu_to_le64(req->rank_mask),
			.epoch = cpu_to_le32(req->epoch),
			.retry_limit = cpu_to_le32(req->retry_limit ?: TALLY_DEFAULT_RETRY_LIMIT),
			.rto_us = cpu_to_le32(req->rto_us ?: TALLY_DEFAULT_RTO_US),
			.mtu = cpu_to_le32(req->mtu),
			.owner_ranks = cpu_to_le64(req->owner_ranks),
			.total_ranks = cpu_to_le32(req->total_ranks),
			.rank_first = cpu_to_le32(req->rank_first),
			.msg_cells = cpu_to_le32(req->msg_cells),
			.rounds = req->rounds,
			.modes = req->modes,
			.plan = cpu_to_le32(req->plan),
			.chunk = cpu_to_le32(req->chunk),
		},
	};
	uobj_group_fill_choices(&spec->cfg, req);
	memcpy(spec->cfg.mcast_gid, req->mcast_gid, sizeof(spec->cfg.mcast_gid));
	memcpy(spec->cfg.source_gid, req->source_gid, sizeof(spec->cfg.source_gid));
}

/*
 * Copies one neighbour of the process. The process's entry may be longer than the driver's if its
 * unknown part is 0.
 */
static int uobj_group_get_edge(struct tally_group_edge *to, const void *from, size_t size,
			       const struct tally_ureq_group *req)
{
	struct tally_ureq_edge edge;

	if (memchr_inv(from + sizeof(edge), 0, size - sizeof(edge)))
		return -EOPNOTSUPP;
	memcpy(&edge, from, sizeof(edge));
	if (!req->modes)
		tally_edge_from_first_version(&edge, req->mode);
	tally_edge_from_user(to, &edge);
	return 0;
}

/*
 * Copies the neighbours. Returns their number or a negative errno. The attributes own the memory.
 */
static int uobj_group_get_edges(struct uverbs_attr_bundle *attrs, const struct tally_ureq_group *req,
				struct tally_group_edge **edges, struct tally_uresp_why *why)
{
	size_t size = req->edge_size;
	const void *from;
	int num, i, err;

	if (!uverbs_attr_is_valid(attrs, TALLY_ATTR_GROUP_CREATE_EDGES))
		return 0;
	why->where = TALLY_WHY_REQUEST;
	why->offset = offsetof(struct tally_ureq_group, edge_size);
	why->value = size;
	if (size < sizeof(struct tally_ureq_edge))
		return -EINVAL;
	num = uverbs_attr_ptr_get_array_size(attrs, TALLY_ATTR_GROUP_CREATE_EDGES, size);
	if (num < 0)
		return num;
	*edges = uverbs_kcalloc(attrs, num, sizeof(**edges));
	if (IS_ERR(*edges))
		return PTR_ERR(*edges);
	from = uverbs_attr_get_alloced_ptr(attrs, TALLY_ATTR_GROUP_CREATE_EDGES);
	for (i = 0; i < num; i++) {
		why->edge = i;
		err = uobj_group_get_edge(&(*edges)[i], from + i * size, size, req);
		if (err)
			return err;
	}
	*why = (struct tally_uresp_why){};
	return num;
}

static struct tally_group_handle *uobj_group_create(struct uverbs_attr_bundle *attrs,
						    const struct tally_ureq_group *req,
						    struct tally_uresp_why *why)
{
	struct tally_segs *segs = uverbs_attr_get_obj(attrs, TALLY_ATTR_GROUP_CREATE_SEG);
	struct tally_ibdev *dev = to_tdev(attrs->context->device);
	struct tally_group_edge *edges = NULL;
	struct tally_quota *quota = to_tctx(attrs->context)->quota;
	struct tally_group_handle *handle;
	struct tally_blame blame = {};
	struct tally_group_spec spec;
	int num_edges, err;

	if (IS_ERR(segs))
		return ERR_CAST(segs);
	num_edges = uobj_group_get_edges(attrs, req, &edges, why);
	if (num_edges < 0)
		return ERR_PTR(tally_refuse(&dev->ibdev, num_edges,
					    "group %#x: edges of %u bytes are not valid",
					    req->jid, req->edge_size));
	err = tally_check_group(dev, req, tally_segs_count(segs), num_edges, why);
	if (err)
		return ERR_PTR(err);
	uobj_group_fill_spec(&spec, req, tally_segs_count(segs), edges, num_edges);
	spec.blame = &blame;
	handle = tally_group_create(dev->tdev, quota, segs, &spec);
	tally_blame_to_user_group(why, &blame, req, num_edges);
	if (IS_ERR(handle))
		tally_refuse(&dev->ibdev, (int)PTR_ERR(handle),
			     "group %#x with %u edges and %u message cells: cannot be created (quota %u groups, %u edges, %u cells)",
			     req->jid, num_edges, req->msg_cells, tally_quota_groups(quota),
			     tally_quota_edges(quota), tally_quota_cells(quota));
	return handle;
}

static int UVERBS_HANDLER(TALLY_METHOD_GROUP_CREATE)(struct uverbs_attr_bundle *attrs)
{
	struct ib_uobject *uobject = uverbs_attr_get_uobject(attrs, TALLY_ATTR_GROUP_CREATE_HANDLE);
	struct tally_uresp_why why = {};
	struct tally_group_handle *handle;
	struct tally_uresp_group resp;
	struct tally_ureq_group req;
	int err;

	err = uverbs_copy_from_or_zero(&req, attrs, TALLY_ATTR_GROUP_CREATE_REQ);
	if (err)
		return err;
	handle = uobj_group_create(attrs, &req, &why);
	if (IS_ERR(handle))
		return uobj_group_tell_why(attrs, TALLY_ATTR_GROUP_CREATE_RESP_WHY, &why, PTR_ERR(handle));
	err = uobj_group_install(uobject, to_tctx(attrs->context), handle, &resp);
	if (err)
		return err;
	uverbs_finalize_uobj_create(attrs, TALLY_ATTR_GROUP_CREATE_HANDLE);
	return uverbs_copy_to_struct_or_zero(attrs, TALLY_ATTR_GROUP_CREATE_RESP, &resp,
					     sizeof(resp));
}

/* ---- Attach ---- */

/* Names the field that each errno refers to. The key itself is not copied back. */
static void uobj_group_why_no_attach(struct tally_uresp_why *why, const struct tally_ureq_group_attach *req,
				     int err)
{
	why->where = TALLY_WHY_REQUEST;
	switch (err) {
	case -ENOENT:
		why->offset = offsetof(struct tally_ureq_group_attach, jid);
		why->value = req->jid;
		break;
	case -EACCES:
		why->offset = offsetof(struct tally_ureq_group_attach, join_key);
		break;
	case -EINVAL:
	case -EBUSY:
		why->offset = offsetof(struct tally_ureq_group_attach, ranks);
		why->value = req->ranks;
		break;
	default:
		why->where = TALLY_WHY_UNKNOWN;
	}
}

static int UVERBS_HANDLER(TALLY_METHOD_GROUP_ATTACH)(struct uverbs_attr_bundle *attrs)
{
	struct ib_uobject *uobject = uverbs_attr_get_uobject(attrs, TALLY_ATTR_GROUP_ATTACH_HANDLE);
	struct ib_device *ibdev = attrs->context->device;
	struct tally_group_handle *handle;
	struct tally_ureq_group_attach req;
	struct tally_uresp_why why = {};
	struct tally_uresp_group resp;
	int err;

	err = uverbs_copy_from_or_zero(&req, attrs, TALLY_ATTR_GROUP_ATTACH_REQ);
	if (err)
		return err;
	if (req.reserved) {
		err = tally_refuse(ibdev, -EINVAL, "attach to group %#x: reserved field is %#x",
				   req.jid, req.reserved);
		why.where = TALLY_WHY_REQUEST;
		why.offset = offsetof(struct tally_ureq_group_attach, reserved);
		why.value = req.reserved;
		return uobj_group_tell_why(attrs, TALLY_ATTR_GROUP_ATTACH_RESP_WHY, &why, err);
	}
	handle = tally_group_attach(to_tdev(ibdev)->tdev, req.jid, req.join_key, req.ranks);
	if (IS_ERR(handle)) {
		err = tally_refuse(ibdev, (int)PTR_ERR(handle),
				   "attach to group %#x with ranks %#llx", req.jid, req.ranks);
		uobj_group_why_no_attach(&why, &req, err);
		return uobj_group_tell_why(attrs, TALLY_ATTR_GROUP_ATTACH_RESP_WHY, &why, err);
	}
	err = uobj_group_install(uobject, to_tctx(attrs->context), handle, &resp);
	if (err)
		return err;
	uverbs_finalize_uobj_create(attrs, TALLY_ATTR_GROUP_ATTACH_HANDLE);
	return uverbs_copy_to_struct_or_zero(attrs, TALLY_ATTR_GROUP_ATTACH_RESP, &resp,
					     sizeof(resp));
}

/* ---- Query ---- */

static int UVERBS_HANDLER(TALLY_METHOD_GROUP_QUERY)(struct uverbs_attr_bundle *attrs)
{
	struct tally_ib_group *group = uverbs_attr_get_obj(attrs, TALLY_ATTR_GROUP_QUERY_HANDLE);
	struct tally_uresp_group_info resp;
	struct tally_group_info info;
	int err;

	if (IS_ERR(group))
		return PTR_ERR(group);
	err = tally_group_query(group->handle, &info);
	if (err)
		return err;
	tally_group_info_to_user(&resp, &info);
	return uverbs_copy_to_struct_or_zero(attrs, TALLY_ATTR_GROUP_QUERY_RESP, &resp,
					     sizeof(resp));
}

/* ---- Declarations ---- */

DECLARE_UVERBS_NAMED_METHOD(
	TALLY_METHOD_GROUP_CREATE,
	UVERBS_ATTR_IDR(TALLY_ATTR_GROUP_CREATE_HANDLE, TALLY_OBJECT_GROUP, UVERBS_ACCESS_NEW,
			UA_MANDATORY),
	UVERBS_ATTR_IDR(TALLY_ATTR_GROUP_CREATE_SEG, TALLY_OBJECT_SEG, UVERBS_ACCESS_READ,
			UA_MANDATORY),
	UVERBS_ATTR_PTR_IN(TALLY_ATTR_GROUP_CREATE_REQ,
			   UVERBS_ATTR_STRUCT(struct tally_ureq_group, source_gid), UA_MANDATORY),
	UVERBS_ATTR_PTR_IN(TALLY_ATTR_GROUP_CREATE_EDGES,
			   UVERBS_ATTR_MIN_SIZE(sizeof(struct tally_ureq_edge)), UA_OPTIONAL,
			   UA_ALLOC_AND_COPY),
	UVERBS_ATTR_PTR_OUT(TALLY_ATTR_GROUP_CREATE_RESP,
			    UVERBS_ATTR_STRUCT(struct tally_uresp_group, modes), UA_MANDATORY),
	UVERBS_ATTR_PTR_OUT(TALLY_ATTR_GROUP_CREATE_RESP_WHY,
			    UVERBS_ATTR_STRUCT(struct tally_uresp_why, status), UA_OPTIONAL));

DECLARE_UVERBS_NAMED_METHOD(
	TALLY_METHOD_GROUP_ATTACH,
	UVERBS_ATTR_IDR(TALLY_ATTR_GROUP_ATTACH_HANDLE, TALLY_OBJECT_GROUP, UVERBS_ACCESS_NEW,
			UA_MANDATORY),
	UVERBS_ATTR_PTR_IN(TALLY_ATTR_GROUP_ATTACH_REQ,
			   UVERBS_ATTR_STRUCT(struct tally_ureq_group_attach, reserved),
			   UA_MANDATORY),
	UVERBS_ATTR_PTR_OUT(TALLY_ATTR_GROUP_ATTACH_RESP,
			    UVERBS_ATTR_STRUCT(struct tally_uresp_group, modes), UA_MANDATORY),
	UVERBS_ATTR_PTR_OUT(TALLY_ATTR_GROUP_ATTACH_RESP_WHY,
			    UVERBS_ATTR_STRUCT(struct tally_uresp_why, status), UA_OPTIONAL));

DECLARE_UVERBS_NAMED_METHOD(
	TALLY_METHOD_GROUP_QUERY,
	UVERBS_ATTR_IDR(TALLY_ATTR_GROUP_QUERY_HANDLE, TALLY_OBJECT_GROUP, UVERBS_ACCESS_READ,
			UA_MANDATORY),
	UVERBS_ATTR_PTR_OUT(TALLY_ATTR_GROUP_QUERY_RESP,
			    UVERBS_ATTR_STRUCT(struct tally_uresp_group_info, reserved),
			    UA_MANDATORY));

DECLARE_UVERBS_NAMED_METHOD_DESTROY(
	TALLY_METHOD_GROUP_DESTROY,
	UVERBS_ATTR_IDR(TALLY_ATTR_GROUP_DESTROY_HANDLE, TALLY_OBJECT_GROUP, UVERBS_ACCESS_DESTROY,
			UA_MANDATORY));

DECLARE_UVERBS_NAMED_OBJECT(TALLY_OBJECT_GROUP, UVERBS_TYPE_ALLOC_IDR(uobj_group_free),
			    &UVERBS_METHOD(TALLY_METHOD_GROUP_CREATE),
			    &UVERBS_METHOD(TALLY_METHOD_GROUP_ATTACH),
			    &UVERBS_METHOD(TALLY_METHOD_GROUP_QUERY),
			    &UVERBS_METHOD(TALLY_METHOD_GROUP_DESTROY));

const struct uapi_definition tally_group_defs[] = {
	UAPI_DEF_CHAIN_OBJ_TREE_NAMED(TALLY_OBJECT_GROUP),
	{},
};
