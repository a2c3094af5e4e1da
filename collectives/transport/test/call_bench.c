// SPDX-License-Identifier: BSD-2-Clause
/*
 * Calls the library without a device, for callgrind to count the instructions: call_bench COUNT.
 * The team has two ranks on two nodes, of which only this one exists: the runtime's allgather makes
 * up the other. Posts and polls are those of the back end over libtally, with queues in plain memory.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "core/core.h"
#include "core/create.h"
#include "host/process.h"
#include "rig.h"
#include "transport/objects.h"

#define TESTS 16  /* calls of a test in a round; the period of those that look at everything */
#define MADE_UP 1 /* the other rank */

static struct rig *rig;
static struct tc_dv_net net;
static struct tc_group group = { .net = &net };
static struct tc_queue queue = { .group = &group };
static struct tally_push_buf push_buf;
static struct tc_net_ops ops;
static struct tallycoll_request *request;
static double data[2] = { 1 }, result;

/* ---- A network without a kernel ---- */
static int group_open(struct tc_net *tc, const struct tc_group_cfg *cfg, struct tc_group **out,
		      char *why, size_t size)
{
	(void)tc, (void)cfg, (void)why, (void)size;
	*out = &group;
	return 0;
}

static void group_close(struct tc_group *g)
{
	(void)g;
}

static int queue_open(struct tc_group *g, uint64_t ranks, uint16_t port, struct tc_queue **out,
		      char *why, size_t size)
{
	(void)g, (void)ranks, (void)port, (void)why, (void)size;
	*out = &queue;
	return 0;
}

static void queue_close(struct tc_queue *q)
{
	(void)q;
}

static void *memory_new(struct tc_net *tc, size_t bytes, struct tc_region *region)
{
	void *memory = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);

	(void)tc;
	memset(memory, 0, bytes);
	*region = (struct tc_region){ .start = (uintptr_t)memory, .key = 1 };
	return memory;
}

static void memory_free(struct tc_net *tc, void *memory, size_t bytes, struct tc_region *region)
{
	(void)tc, (void)bytes, (void)region;
	free(memory);
}

static enum tally_coll_status can(struct tc_net *tc, uint32_t opcode, uint32_t op, uint32_t dtype)
{
	(void)tc, (void)opcode, (void)op, (void)dtype;
	return TALLY_COLL_OK;
}

static const char *status_str(uint32_t status)
{
	(void)status;
	return "";
}

static void net_close(struct tc_net *tc)
{
	(void)tc;
}

static void open_rig(void)
{
	rig = rig_new(TC_DV_DEPTH, TC_DV_ENTRIES);
	rig->ctx.vctx.context.ops.post_send = tally_post_send;
	assert_int_equal(tally_lock_init(&rig->qp.lock, true), 0);
	assert_int_equal(tally_lock_init(&rig->cq.lock, true), 0);
	rig->qp.push = &push_buf;
	net.cq = &rig->cq.vcq.cq_ex;
	queue.qp = &rig->qp.vqp.qp;
	tc_dv_queue_prepare(&queue);
}

static int net_open(void *arg, struct tc_host *host, const struct tc_neighbours *neighbours,
		    struct tc_net **out, char *why, size_t size)
{
	(void)arg, (void)host, (void)neighbours, (void)why, (void)size;
	ops = (struct tc_net_ops){
		.group_open = group_open,
		.group_close = group_close,
		.queue_open = queue_open,
		.queue_close = queue_close,
		.post = tc_dv_post,
		.poll = tc_dv_poll,
		.memory_new = memory_new,
		.memory_free = memory_free,
		.can = can,
		.status_str = status_str,
		.close = net_close,
	};
	net.net = (struct tc_net){
		.ops = &ops,
		.caps = UINT64_MAX,
		.opcodes = UINT32_MAX,
		.max_inline = TC_DV_INLINE,
		.queue_depth = TC_DV_DEPTH,
		.max_groups = 1,
	};
	open_rig();
	*out = &net.net;
	return 0;
}

static int host_open(void *arg, bool threads, struct tc_host **host, char *why, size_t size)
{
	(void)arg;
	return tc_process_open(threads, host, why, size);
}

/* What the other rank says differs where it names the machine or the NIC: in its first bytes. */
static int allgather(void *arg, const void *mine, void *all, size_t bytes)
{
	uint8_t *other = (uint8_t *)all + bytes;

	(void)arg;
	memcpy(all, mine, bytes);
	memcpy(other, mine, bytes);
	if (bytes == sizeof(struct tc_process) || bytes == sizeof(struct tc_greeting))
		other[0] ^= MADE_UP;
	return 0;
}

/* ---- What is measured ---- */
/* The blocking call's part before it waits. */
__attribute__((noinline)) static int bench_call(struct tallycoll_team *team,
						const struct tallycoll_args *args)
{
	enum tallycoll_reason reason;

	return tallycoll_collective_init(team, args, &request, &reason) ||
	       tallycoll_collective_post(request);
}

/* A persistent request is only posted. */
__attribute__((noinline)) static int bench_persistent_post(void)
{
	return tallycoll_collective_post(request);
}

__attribute__((noinline)) static int bench_tests(void)
{
	int others = 0;

	for (unsigned int i = 0; i < TESTS; i++)
		others += tallycoll_collective_test(request) != TALLYCOLL_INPROGRESS;
	return others;
}

__attribute__((noinline)) static int bench_end(void)
{
	if (tallycoll_collective_test(request))
		return 1;
	tallycoll_collective_finalize(request);
	return 0;
}

/* The NIC's part: the flag word, and a completion for the requests that have one. */
static void complete(void)
{
	uint32_t *flag = request->piece[0].flag;

	if (!queue.quiet)
		rig_complete(rig, rig->qp.tracker.posted - 1, TALLY_OPCODE_ALLREDUCE);
	*flag = 1;
}

static int run(struct tallycoll_team *team)
{
	const struct tallycoll_args args = {
		.opcode = TALLY_OPCODE_ALLREDUCE,
		.op = TALLY_OP_SUM,
		.dtype = TALLY_TYPE_FP64,
		.count = 1,
		.src = data,
		.dst = &result,
	};
	/* The compiler must not know the arguments. */
	const struct tallycoll_args *volatile at = &args;
	int err = bench_call(team, at);

	err |= bench_tests();
	complete();
	err |= tallycoll_collective_test(request);
	err |= bench_persistent_post();
	complete();
	return err | bench_end();
}

int main(int argc, char **argv)
{
	const struct tallycoll_context_params params = { .oob = { allgather, NULL, 0, 2 } };
	const struct tallycoll_team_params team_params = { .oob = { allgather, NULL, 0, 2 } };
	static const struct tc_platform platform = { .host_open = host_open, .net_open = net_open };
	unsigned int count = argc > 1 ? atoi(argv[1]) : 1;
	struct tallycoll_context *context;
	struct tallycoll_team *team;
	char why[200];

	assert_int_equal(tc_context_create(&params, &platform, NULL, &context, why, sizeof(why)),
			 0);
	assert_int_equal(tallycoll_team_create(context, &team_params, &team), 0);
	assert_int_equal(tallycoll_team_reason(team), TALLYCOLL_REASON_NONE);
	for (unsigned int i = 0; i < count; i++)
		if (run(team))
			return 1;
	tallycoll_team_destroy(team);
	tallycoll_context_destroy(context);
	rig_free(rig);
	return 0;
}
