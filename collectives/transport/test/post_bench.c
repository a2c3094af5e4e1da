// SPDX-License-Identifier: BSD-2-Clause
/*
 * Posts requests and polls without a device, for callgrind to count the instructions: post_bench
 * COUNT. Each measured function is called COUNT times.
 */
#include <stdlib.h>

#include "rig.h"
#include "transport/objects.h"

/* Without this, the compiler would merge identical functions. */
#define MEASURED(name) __asm__ volatile("# " name)

static struct tc_dv_net net;
static struct tc_group group = { .net = &net };
static struct tc_queue queue = { .group = &group };
static struct tally_push_buf push_buf;
static uint32_t flag;

/* An allreduce of one double that is pushed, quiet and with a flag word: the usual short request. */
__attribute__((noinline)) static int bench_quiet(const struct tc_work *work)
{
	MEASURED("quiet");
	return tc_dv_post(&queue, work);
}

/* With lists, and with an outcome. */
__attribute__((noinline)) static int bench_lists(const struct tc_work *work)
{
	MEASURED("lists");
	return tc_dv_post(&queue, work);
}

__attribute__((noinline)) static int bench_empty(struct tc_outcome *outcome)
{
	MEASURED("empty");
	return tc_dv_poll(&net.net, outcome);
}

/* While only quiet requests are on their way. */
__attribute__((noinline)) static int bench_quiet_polls(struct tc_outcome *outcome)
{
	int found = 0;

	for (unsigned int i = 0; i < TC_DV_LOOK; i++)
		found |= tc_dv_poll(&net.net, outcome);
	return found;
}

__attribute__((noinline)) static int bench_outcome(struct tc_outcome *outcome)
{
	MEASURED("outcome");
	return tc_dv_poll(&net.net, outcome);
}

static int run(struct rig *rig, uint32_t mid)
{
	static const double data = 1;
	struct tc_work work = {
		.opcode = TALLY_OPCODE_ALLREDUCE,
		.op = TALLY_OP_SUM,
		.dtype = TALLY_TYPE_FP64,
		.flags = TC_WORK_FROM | TC_WORK_TO | TC_WORK_INLINE | TC_WORK_QUIET,
		.mid = mid,
		.count = 1,
		.rank_mask = 1,
		.data = &data,
		.from = { 0x1000, 1, 8 },
		.to = { 0x2000, 1, 8 },
		.flag = &flag,
		.flag_key = 1,
		.flag_value = 1,
	};
	/* The compiler must not know the members of the request. */
	const struct tc_work *volatile at = &work;
	struct tc_outcome outcome;
	int err;

	rig->qp.push = &push_buf;
	err = bench_quiet(at);
	err |= bench_quiet_polls(&outcome);
	rig->qp.push = NULL;
	work.flags = TC_WORK_FROM | TC_WORK_TO;
	work.flag = NULL;
	err |= bench_lists(at);
	err |= bench_empty(&outcome);
	rig_complete(rig, rig->qp.tracker.posted - 1, TALLY_OPCODE_ALLREDUCE);
	return err | (bench_outcome(&outcome) != 1);
}

int main(int argc, char **argv)
{
	unsigned int count = argc > 1 ? atoi(argv[1]) : 1;
	struct rig *rig = rig_new(TC_DV_DEPTH, TC_DV_ENTRIES);

	rig->ctx.vctx.context.ops.post_send = tally_post_send;
	assert_int_equal(tally_lock_init(&rig->qp.lock, true), 0);
	assert_int_equal(tally_lock_init(&rig->cq.lock, true), 0);
	net.cq = &rig->cq.vcq.cq_ex;
	queue.qp = &rig->qp.vqp.qp;
	tc_dv_queue_prepare(&queue);
	for (uint32_t i = 0; i < count; i++)
		if (run(rig, i))
			return 1;
	rig_free(rig);
	return 0;
}
