// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Segment ranges: driver-specific uverbs objects. */
#include <infiniband/cmd_ioctl.h>
#include <stdlib.h>

#include "tally.h"

struct tallydv_seg *tallydv_alloc_seg(struct ibv_context *context, uint32_t count)
{
	DECLARE_COMMAND_BUFFER(cmd, TALLY_OBJECT_SEG, TALLY_METHOD_SEG_ALLOC, 3);
	struct ib_uverbs_attr *handle;
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
	handle = fill_attr_out_obj(cmd, TALLY_ATTR_SEG_ALLOC_HANDLE);
	fill_attr_in_uint32(cmd, TALLY_ATTR_SEG_ALLOC_COUNT, count);
	fill_attr_out_ptr(cmd, TALLY_ATTR_SEG_ALLOC_RESP_BASE, &seg->dv.base);
	err = execute_ioctl(context, cmd);
	if (err) {
		free(seg);
		errno = err;
		return NULL;
	}
	seg->handle = read_attr_obj(TALLY_ATTR_SEG_ALLOC_HANDLE, handle);
	return &seg->dv;
}

int tallydv_free_seg(struct tallydv_seg *dv)
{
	DECLARE_COMMAND_BUFFER(cmd, TALLY_OBJECT_SEG, TALLY_METHOD_SEG_FREE, 1);
	struct tally_seg *seg = container_of(dv, struct tally_seg, dv);
	int err;

	fill_attr_in_obj(cmd, TALLY_ATTR_SEG_FREE_HANDLE, seg->handle);
	err = tally_destroy_errno(to_tctx(dv->context), execute_ioctl(dv->context, cmd));
	if (!err)
		free(seg);
	return err;
}
