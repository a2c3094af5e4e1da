/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Requests and responses of the common verbs with the driver's part behind the kernel's. */
#ifndef TALLY_UVERBS_H
#define TALLY_UVERBS_H

#include "tally.h"

/* libibverbs finds the driver's part by the size of the core part: no gap may be between them. */
#define TALLY_ASSERT_NO_GAP(type) \
	static_assert(offsetof(struct type, drv) == sizeof(((struct type *)0)->core), \
		      "padding in struct " #type)

struct tally_get_context_resp {
	struct ib_uverbs_get_context_resp core;
	struct tally_uresp_alloc_ucontext drv;
};
TALLY_ASSERT_NO_GAP(tally_get_context_resp);

struct tally_alloc_pd_resp {
	struct ib_uverbs_alloc_pd_resp core;
	struct tally_uresp_alloc_pd drv;
};
TALLY_ASSERT_NO_GAP(tally_alloc_pd_resp);

struct tally_create_cq_req {
	struct ibv_create_cq_ex core;
	struct tally_ureq_create_cq drv;
};
TALLY_ASSERT_NO_GAP(tally_create_cq_req);

struct tally_create_cq_resp {
	struct ib_uverbs_ex_create_cq_resp core;
	struct tally_uresp_create_cq drv;
};
TALLY_ASSERT_NO_GAP(tally_create_cq_resp);

struct tally_create_qp_req {
	struct ibv_create_qp core;
	struct tally_ureq_create_qp drv;
};
TALLY_ASSERT_NO_GAP(tally_create_qp_req);

struct tally_create_qp_resp {
	struct ib_uverbs_create_qp_resp core;
	struct tally_uresp_create_qp drv;
};
TALLY_ASSERT_NO_GAP(tally_create_qp_resp);

#endif
