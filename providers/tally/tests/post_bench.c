// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Posts collective work requests and polls their completions without a device, for callgrind to
 * count the instructions: post_bench COUNT. Each measured function is called COUNT times.
 */
#include <stdio.h>
#include <stdlib.h>

#include "rig.h"

/* Without this, the compiler would merge identical functions. */
#define MEASURED(name) __asm__ volatile("# " name)

static double values[2];
static struct tally_push_buf push_buf;

/* An allreduce of one double for one rank, with a gather and a result entry. */
__attribute__((noinline)) static int bench_post_send(struct ibv_qp *qp, struct tallydv_send_wr *wr)
{
	struct ibv_send_wr *bad;

	return ibv_post_send(qp, &wr->wr, &bad);
}

/* The same with inline data, and pushed by a queue pair with a push buffer. */
__attribute__((noinline)) static int bench_post_inline(struct ibv_qp *qp, struct tallydv_send_wr *wr)
{
	struct ibv_send_wr *bad;

	MEASURED("inline");
	return ibv_post_send(qp, &wr->wr, &bad);
}

__attribute__((noinline)) static int bench_post_push(struct ibv_qp *qp, struct tallydv_send_wr *wr)
{
	struct ibv_send_wr *bad;

	MEASURED("push");
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

/* Polls a completion into an array of one; the next function has more room than completions. */
__attribute__((noinline)) static int bench_poll_cq(struct ibv_cq *cq, struct ibv_wc *wc)
{
	return ibv_poll_cq(cq, 1, wc);
}

__attribute__((noinline)) static int bench_poll_array(struct ibv_cq *cq, struct ibv_wc *wc)
{
	return ibv_poll_cq(cq, 4, wc);
}

__attribute__((noinline)) static int bench_start_poll(struct ibv_cq_ex *cq)
{
	struct ibv_poll_cq_attr attr = {};
	int err = ibv_start_poll(cq, &attr);

	if (!err)
		ibv_end_poll(cq);
	return err;
}

/* Polls two completions, and the end. */
__attribute__((noinline)) static int bench_next_poll(struct ibv_cq_ex *cq)
{
	struct ibv_poll_cq_attr attr = {};
	int err = ibv_start_poll(cq, &attr);

	if (err)
		return err;
	while (!err)
		err = ibv_next_poll(cq);
	ibv_end_poll(cq);
	return err != ENOENT;
}

/* Completes all posted requests one by one, as the device does. */
static void complete(struct rig *rig, unsigned int count)
{
	for (unsigned int i = count; i; i--)
		rig_complete(rig, rig->qp.tracker.posted - i, TALLY_OPCODE_ALLREDUCE);
}

static int post_inline(struct rig *rig, struct tallydv_send_wr *wr)
{
	struct ibv_wc wc[2];
	int err;

	wr->wr.send_flags |= IBV_SEND_INLINE;
	err = bench_post_inline(&rig->qp.vqp.qp, wr);
	complete(rig, 1);
	err |= tally_poll_cq(&rig->cq.vcq.cq, 1, wc) != 1;
	rig->qp.push = &push_buf;
	err |= bench_post_push(&rig->qp.vqp.qp, wr);
	complete(rig, 1);
	err |= tally_poll_cq(&rig->cq.vcq.cq, 1, wc) != 1;
	err |= !rig_is_pushed(rig, rig->qp.tracker.posted);
	rig->qp.push = NULL;
	wr->wr.send_flags &= ~IBV_SEND_INLINE;
	return err;
}

static int post_and_poll(struct rig *rig, struct tallydv_send_wr *wr, uint32_t mid,
			 const struct ibv_sge *sge)
{
	struct ibv_cq *cq = &rig->cq.vcq.cq;
	struct ibv_wc wc[4];
	int err = 0;

	wr->coll.mid = mid;
	for (unsigned int i = 0; i < 3; i++) {
		err |= bench_post_send(&rig->qp.vqp.qp, wr);
		complete(rig, 1);
		if (i == 0)
			err |= bench_poll_cq(cq, wc) != 1;
		else if (i == 1)
			err |= bench_poll_array(cq, wc) != 1;
		else
			err |= bench_start_poll(&rig->cq.vcq.cq_ex);
	}
	for (unsigned int i = 0; i < 2; i++)
		err |= bench_wr_api(&rig->qp.vqp.qp_ex, &rig->qp.dv, mid, sge);
	complete(rig, 2);
	err |= post_inline(rig, wr);
	return err | bench_next_poll(&rig->cq.vcq.cq_ex);
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
	rig->ctx.vctx.context.ops.poll_cq = tally_poll_cq;
	for (unsigned int i = 0; i < count; i++)
		if (post_and_poll(rig, &wr, i, sge))
			return 1;
	rig_free(rig);
	return 0;
}
