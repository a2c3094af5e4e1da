/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Work requests for the tests of posting. */
#ifndef TALLY_TEST_REQUESTS_H
#define TALLY_TEST_REQUESTS_H

#include "rig.h"

static const struct ibv_sge gather[] = {
	{ .addr = 0x1000, .length = 64, .lkey = 0x101 },
	{ .addr = 0x2000, .length = 64, .lkey = 0x102 },
};
static const struct ibv_sge result[] = {
	{ .addr = 0x3000, .length = 64, .lkey = 0x103 },
	{ .addr = 0x4000, .length = 64, .lkey = 0x104 },
};

static inline size_t stride_of(const struct rig *rig)
{
	return (size_t)1 << rig->qp.stride_shift;
}

/* Returns a leader's request for the two ranks that the rig's queue pair may post for. */
static inline struct tallydv_send_wr allreduce(void)
{
	return (struct tallydv_send_wr){
		.wr = {
			.wr_id = 42,
			.opcode = IBV_WR_DRIVER1,
			.send_flags = IBV_SEND_SIGNALED,
			.sg_list = (struct ibv_sge *)gather,
			.num_sge = 2,
		},
		.coll = {
			.opcode = TALLY_OPCODE_ALLREDUCE,
			.op = TALLY_OP_SUM,
			.dtype = TALLY_TYPE_FP64,
			.mid = 3,
			.count = 8,
			.result_list = result,
			.num_result = 2,
		},
	};
}

static inline void post(struct rig *rig, struct tallydv_send_wr *wr)
{
	struct ibv_send_wr *bad;

	assert_int_equal(tally_post_send(&rig->qp.vqp.qp, &wr->wr, &bad), 0);
}

static inline void assert_list(const void *at, const struct ibv_sge *list, unsigned int count)
{
	const struct tally_sge *sge = at;

	for (unsigned int i = 0; i < count; i++) {
		assert_int_equal(le64toh(sge[i].addr), list[i].addr);
		assert_int_equal(le32toh(sge[i].length), list[i].length);
		assert_int_equal(le32toh(sge[i].lkey), list[i].lkey);
	}
}

#endif
