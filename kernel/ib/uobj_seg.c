// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The uverbs object of a segment range. */
#define UVERBS_MODULE_NAME tally_ib
#include <rdma/uverbs_named_ioctl.h>

#include "ib.h"

/* The process releases the range. A group that uses the range keeps it. */
static int uobj_seg_free(struct ib_uobject *uobject, enum rdma_remove_reason why,
			 struct uverbs_attr_bundle *attrs)
{
	tally_segs_put(uobject->object);
	return 0;
}

static int UVERBS_HANDLER(TALLY_METHOD_SEG_ALLOC)(struct uverbs_attr_bundle *attrs)
{
	struct ib_uobject *uobject = uverbs_attr_get_uobject(attrs, TALLY_ATTR_SEG_ALLOC_HANDLE);
	struct tally_ucontext *ctx = to_tctx(attrs->context);
	struct ib_device *ibdev = attrs->context->device;
	struct tally_segs *segs;
	u32 count, base;
	int err;

	err = uverbs_copy_from(&count, attrs, TALLY_ATTR_SEG_ALLOC_COUNT);
	if (err)
		return err;
	segs = tally_segs_alloc(to_tdev(ibdev)->tdev, ctx->quota, count);
	if (IS_ERR(segs))
		return tally_refuse(ibdev, (int)PTR_ERR(segs),
				    "segment range of %u (a power of two up to %u, quota %u)",
				    count, TALLY_MAX_GROUP_SEGS, tally_quota_segs(ctx->quota));
	uobject->object = segs;
	base = tally_segs_base(segs);
	uverbs_finalize_uobj_create(attrs, TALLY_ATTR_SEG_ALLOC_HANDLE);
	return uverbs_copy_to(attrs, TALLY_ATTR_SEG_ALLOC_RESP_BASE, &base, sizeof(base));
}

DECLARE_UVERBS_NAMED_METHOD(
	TALLY_METHOD_SEG_ALLOC,
	UVERBS_ATTR_IDR(TALLY_ATTR_SEG_ALLOC_HANDLE, TALLY_OBJECT_SEG, UVERBS_ACCESS_NEW,
			UA_MANDATORY),
	UVERBS_ATTR_PTR_IN(TALLY_ATTR_SEG_ALLOC_COUNT, UVERBS_ATTR_TYPE(u32), UA_MANDATORY),
	UVERBS_ATTR_PTR_OUT(TALLY_ATTR_SEG_ALLOC_RESP_BASE, UVERBS_ATTR_TYPE(u32), UA_MANDATORY));

DECLARE_UVERBS_NAMED_METHOD_DESTROY(
	TALLY_METHOD_SEG_FREE,
	UVERBS_ATTR_IDR(TALLY_ATTR_SEG_FREE_HANDLE, TALLY_OBJECT_SEG, UVERBS_ACCESS_DESTROY,
			UA_MANDATORY));

DECLARE_UVERBS_NAMED_OBJECT(TALLY_OBJECT_SEG, UVERBS_TYPE_ALLOC_IDR(uobj_seg_free),
			    &UVERBS_METHOD(TALLY_METHOD_SEG_ALLOC),
			    &UVERBS_METHOD(TALLY_METHOD_SEG_FREE));

const struct uapi_definition tally_seg_defs[] = {
	UAPI_DEF_CHAIN_OBJ_TREE_NAMED(TALLY_OBJECT_SEG),
	{},
};
