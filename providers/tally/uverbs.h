/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Requests and responses of the common verbs, in which the driver's part follows the kernel's. */
#ifndef TALLY_UVERBS_H
#define TALLY_UVERBS_H

#include <infiniband/kern-abi.h>
#include <kernel-abi/tally-abi.h>
#include <rdma/tally-abi.h>

#include "tally.h"

DECLARE_DRV_CMD(tally_get_context, IB_USER_VERBS_CMD_GET_CONTEXT, empty,
		tally_uresp_alloc_ucontext);
DECLARE_DRV_CMD(tally_alloc_pd, IB_USER_VERBS_CMD_ALLOC_PD, empty, tally_uresp_alloc_pd);
DECLARE_DRV_CMD(tally_create_cq, IB_USER_VERBS_EX_CMD_CREATE_CQ, tally_ureq_create_cq,
		tally_uresp_create_cq);
DECLARE_DRV_CMD(tally_create_qp, IB_USER_VERBS_CMD_CREATE_QP, tally_ureq_create_qp,
		tally_uresp_create_qp);

/*
 * libibverbs functions whose arguments have changed. TALLY_RDMA_CORE is the version of the
 * rdma-core that the provider is built in or against.
 */
#if TALLY_RDMA_CORE >= 54
#define tally_cmd_reg_dmabuf_mr(...) ibv_cmd_reg_dmabuf_mr(__VA_ARGS__, NULL)
#else
#define tally_cmd_reg_dmabuf_mr ibv_cmd_reg_dmabuf_mr
#endif

#if TALLY_RDMA_CORE >= 57
#define tally_cmd_get_context(context, cmd, cmd_size, ...) \
	ibv_cmd_get_context(context, cmd, cmd_size, NULL, ##__VA_ARGS__)
#else
#define tally_cmd_get_context ibv_cmd_get_context
#endif

#if TALLY_RDMA_CORE >= 59
#define tally_cmd_create_cq_ex(context, attr, ...) \
	ibv_cmd_create_cq_ex(context, attr, NULL, ##__VA_ARGS__)
#else
#define tally_cmd_create_cq_ex ibv_cmd_create_cq_ex
#endif

#endif
