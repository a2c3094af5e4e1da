// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Segment ranges: driver-specific uverbs objects. */
#include <stdlib.h>

#include "attrs.h"
#include "tally.h"

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

	err = tally_destroyed(to_tctx(dv->context), err);
	if (!err)
		free(seg);
	return err;
}
