/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Commands of the common verbs, for a build outside of an rdma-core tree. libibverbs places the
 * kernel's request after a header of 8 or 24 bytes; the driver's part follows without a gap. In the
 * response, the driver's part follows the kernel's.
 */
#ifndef TALLY_COMPAT_KERN_ABI_H
#define TALLY_COMPAT_KERN_ABI_H

#include <assert.h>
#include <rdma/ib_user_verbs.h>
#include <stddef.h>

#define TALLY_COMPAT_CMD(name)                                                                     \
	struct ibv_##name {                                                                        \
		struct ib_uverbs_cmd_hdr hdr;                                                      \
		struct ib_uverbs_##name core_payload;                                              \
	};                                                                                         \
	static_assert(sizeof(struct ibv_##name) ==                                                 \
			      sizeof(struct ib_uverbs_cmd_hdr) + sizeof(struct ib_uverbs_##name),  \
		      "padding in a uverbs command")

TALLY_COMPAT_CMD(get_context);
TALLY_COMPAT_CMD(alloc_pd);
TALLY_COMPAT_CMD(reg_mr);
TALLY_COMPAT_CMD(rereg_mr);
TALLY_COMPAT_CMD(create_qp);
TALLY_COMPAT_CMD(modify_qp);
TALLY_COMPAT_CMD(query_qp);
TALLY_COMPAT_CMD(query_port);

struct ibv_create_cq_ex {
	struct ib_uverbs_cmd_hdr hdr;
	struct ib_uverbs_ex_cmd_hdr ex_hdr;
	struct ib_uverbs_ex_create_cq core_payload;
};

/* The structures of a command to which a driver may append. */
#define TALLY_COMPAT_REQ_IB_USER_VERBS_CMD_GET_CONTEXT struct ibv_get_context
#define TALLY_COMPAT_RESP_IB_USER_VERBS_CMD_GET_CONTEXT struct ib_uverbs_get_context_resp
#define TALLY_COMPAT_REQ_IB_USER_VERBS_CMD_ALLOC_PD struct ibv_alloc_pd
#define TALLY_COMPAT_RESP_IB_USER_VERBS_CMD_ALLOC_PD struct ib_uverbs_alloc_pd_resp
#define TALLY_COMPAT_REQ_IB_USER_VERBS_EX_CMD_CREATE_CQ struct ibv_create_cq_ex
#define TALLY_COMPAT_RESP_IB_USER_VERBS_EX_CMD_CREATE_CQ struct ib_uverbs_ex_create_cq_resp
#define TALLY_COMPAT_REQ_IB_USER_VERBS_CMD_CREATE_QP struct ibv_create_qp
#define TALLY_COMPAT_RESP_IB_USER_VERBS_CMD_CREATE_QP struct ib_uverbs_create_qp_resp

/* For commands to which a driver appends nothing in one direction. */
struct empty {};

#define DECLARE_DRV_CMD(name, command, request, response)                                          \
	struct name {                                                                              \
		TALLY_COMPAT_REQ_##command ibv_cmd;                                                \
		struct request drv_payload;                                                        \
	};                                                                                         \
	struct name##_resp {                                                                       \
		TALLY_COMPAT_RESP_##command ibv_resp;                                              \
		struct response drv_payload;                                                       \
	};                                                                                         \
	static_assert(offsetof(struct name, drv_payload) == sizeof(TALLY_COMPAT_REQ_##command),    \
		      "padding in struct " #name);                                                 \
	static_assert(offsetof(struct name##_resp, drv_payload) ==                                 \
			      sizeof(TALLY_COMPAT_RESP_##command),                                 \
		      "padding in struct " #name "_resp")

#endif
