// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Posts collective work requests without a device, for callgrind to count the instructions of:
 * post_bench COUNT. The functions measured are bench_post_send() and bench_wr_api().
 */
#include <stdio.h>
#include <stdlib.h>

#include "rig.h"

static double values[2];

/* One rank's allreduce of a double: a gather and a result entry. */
__attribute__((noinline)) static int bench_post_send(struct ibv_qp *qp, struct tallydv_send_wr *wr)
{
	struct ibv_send_wr *bad;

	return ibv_post_send(qp, &wr->wr, &bad);
}

__attribute__((noinline)) static int bench_wr_api(struct ibv_qp_ex *qp, struct tallydv_qp *dv,
						  uint32_t mid, const struct ibv_sge *sge)
{
	ibv_wr_start(qp);
	qp->wr_id = mid;
	qp->wr_flags = IBV_SEND_SIGNALED;
	tallydv_wr_allreduce(dv, TALLY_OP_SUM, TALLY_TYPE_FP64, 1, mid);
	ibv_wr_set_sge_list(qp, 1, &sge[0]);
	tallydv_wr_set_result(dv, 1, &sge[1]);
	return ibv_wr_complete(qp);
}

static void retire(struct rig *rig)
{
	uint64_t wr_id;

	if (!tally_wring_complete(&rig->qp.ring, rig->qp.ring.posted - 1, &wr_id))
		abort();
}

int main(int argc, char **argv)
{
	unsigned int count = argc > 1 ? atoi(argv[1]) : 1;
	struct rig *rig = rig_new(63, 64);
	struct ibv_sge sge[] = {
		{ .addr = (uintptr_t)&values[0], .length = sizeof(double), .lkey = 1 },
		{ .addr = (uintptr_t)&values[1], .length = sizeof(double), .lkey = 1 },
	};
	struct tallydv_send_wr wr = {
		.wr = {
			.opcode = IBV_WR_DRIVER1,
			.send_flags = IBV_SEND_SIGNALED,
			.sg_list = &sge[0],
			.num_sge = 1,
		},
		.coll = {
			.opcode = TALLY_OPCODE_ALLREDUCE,
			.op = TALLY_OP_SUM,
			.dtype = TALLY_TYPE_FP64,
			.count = 1,
			.result_list = &sge[1],
			.num_result = 1,
		},
	};

	rig->ctx.vctx.context.ops.post_send = tally_post_send;
	for (unsigned int i = 0; i < count; i++) {
		wr.coll.mid = 2 * i;
		if (bench_post_send(&rig->qp.vqp.qp, &wr))
			return 1;
		retire(rig);
		if (bench_wr_api(&rig->qp.vqp.qp_ex, &rig->qp.dv, 2 * i + 1, sge))
			return 1;
		retire(rig);
	}
	rig_free(rig);
	return 0;
}
