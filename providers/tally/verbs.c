// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Device, port and memory regions. The kernel does the work. */
#include <stdio.h>
#include <stdlib.h>

#include "uverbs.h"

int tally_query_device_ex(struct ibv_context *context,
			  const struct ibv_query_device_ex_input *input,
			  struct ibv_device_attr_ex *attr, size_t attr_size)
{
	struct ib_uverbs_ex_query_device_resp resp = {};
	size_t resp_size = sizeof(resp);
	int err;

	err = ibv_cmd_query_device_any(context, input, attr, attr_size, &resp, &resp_size);
	if (err)
		return err;
	/*
	 * The versions of ABI, engine and wire replace a firmware version, which the device does
	 * not have.
	 */
	snprintf(attr->orig_attr.fw_ver, sizeof(attr->orig_attr.fw_ver), "%u.%u.%u",
		 (unsigned int)(resp.base.fw_ver >> 32), (uint16_t)(resp.base.fw_ver >> 16),
		 (uint16_t)resp.base.fw_ver);
	return 0;
}

int tally_query_port(struct ibv_context *context, uint8_t port, struct ibv_port_attr *attr)
{
	struct ibv_query_port cmd;

	return ibv_cmd_query_port(context, port, attr, &cmd, sizeof(cmd));
}

struct ibv_mr *tally_reg_mr(struct ibv_pd *pd, void *addr, size_t length, uint64_t hca_va,
			    int access)
{
	struct ib_uverbs_reg_mr_resp resp = {};
	struct ibv_reg_mr cmd = {};
	struct verbs_mr *mr = calloc(1, sizeof(*mr));
	int err;

	if (!mr)
		return NULL;
	err = ibv_cmd_reg_mr(pd, addr, length, hca_va, access, mr, &cmd, sizeof(cmd), &resp,
			     sizeof(resp));
	if (err) {
		free(mr);
		errno = err;
		return NULL;
	}
	return &mr->ibv_mr;
}

struct ibv_mr *tally_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset, size_t length,
				   uint64_t iova, int fd, int access)
{
	struct verbs_mr *mr = calloc(1, sizeof(*mr));
	int err;

	if (!mr)
		return NULL;
	err = tally_cmd_reg_dmabuf_mr(pd, offset, length, iova, fd, access, mr);
	if (err) {
		free(mr);
		errno = err;
		return NULL;
	}
	return &mr->ibv_mr;
}

int tally_rereg_mr(struct verbs_mr *mr, int flags, struct ibv_pd *pd, void *addr, size_t length,
		   int access)
{
	struct ib_uverbs_rereg_mr_resp resp;
	struct ibv_rereg_mr cmd;

	/* A handle of another context would name an unrelated object. */
	if (flags & IBV_REREG_MR_CHANGE_PD && pd->context != mr->ibv_mr.context) {
		errno = EINVAL; /* ibv_rereg_mr() hides this value, but programs read errno */
		return EINVAL;
	}
	return ibv_cmd_rereg_mr(mr, flags, addr, length, (uintptr_t)addr, access, pd, &cmd,
				sizeof(cmd), &resp, sizeof(resp));
}

int tally_dereg_mr(struct verbs_mr *mr)
{
	int err = tally_destroy_errno(to_tctx(mr->ibv_mr.context), ibv_cmd_dereg_mr(mr));

	if (!err)
		free(mr);
	return err;
}
