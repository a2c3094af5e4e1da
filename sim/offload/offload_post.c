// SPDX-License-Identifier: BSD-2-Clause
/*
 * The cost of posting a request. The CPU builds the request in memory (host.post) and pushes a copy
 * at host.push_rate, by libtally's rule (tally-push.h). The data are inline or stay in memory, as
 * the program chooses. The NIC reads what was not pushed, which costs pcie.read, and its bytes at
 * pcie.rate.
 */
#include "offload/offload_int.h"
#include "tally-push.h"

#define MIN_STRIDE	TALLY_MIN_WQE_SIZE

/* Returns the bytes of a rank's data. */
static uint64_t give_bytes(const struct bench_workload *c)
{
	struct message m = bench_message(c);

	return message_gives(&m, 0) ? message_give_bytes(&m) : 0;
}

static uint32_t request_bytes(const struct bench_workload *c, bool leader, unsigned int how)
{
	struct message m = bench_message(c);
	uint32_t ranks = leader ? c->ranks : 1, give = 0, get = 0;

	/* the request of the root's node is the largest */
	for (uint32_t i = 0; i < ranks; i++) {
		give += message_gives(&m, i);
		get += message_gets(&m, i) || message_gets(&m, c->ranks * c->nodes - 1);
	}
	if (how & OFFLOAD_INLINE)
		return host_wqe_bytes(0, get, give_bytes(c));
	return host_wqe_bytes(give, get, 0);
}

static uint32_t stride_for(uint32_t bytes)
{
	uint32_t stride = MIN_STRIDE;

	while (stride < bytes)
		stride *= 2;
	return stride;
}

/* libtally's part: a queue pair with a push buffer pushes requests if the rule permits. */
static unsigned int as_posted(const struct bench_workload *c, bool leader, bool buffer,
			      unsigned int how)
{
	if (buffer && tally_is_pushed(1, request_bytes(c, leader, how)))
		how |= OFFLOAD_PUSH;
	return how;
}

/* Returns the bytes on the bus: whole lines. */
static uint64_t pushed_bytes(uint64_t bytes)
{
	return tally_push_lines(bytes) * sizeof(struct tally_push_line);
}

/* Returns the time until the NIC has the request and the data of the first chunk. */
static vtime_t time_of(const struct bench_workload *c, bool leader, unsigned int how)
{
	const struct bench_params *p = c->params;
	uint32_t bytes = request_bytes(c, leader, how);
	uint64_t data = give_bytes(c);
	vtime_t time;

	if (how & OFFLOAD_PUSH)
		time = bench_bytes_time(pushed_bytes(bytes), p->push_rate);
	else
		time = p->pcie_read + bench_bytes_time(stride_for(bytes), p->pcie_rate);
	if (!(how & OFFLOAD_INLINE) && data)
		time += p->pcie_read + bench_bytes_time(data < p->mtu ? data : p->mtu, p->pcie_rate);
	return time;
}

/* The program's part: chooses inline data if that is cheaper. */
unsigned int offload_choose_how(const struct bench_workload *c, const struct offload_choice *choice)
{
	bool leader = choice->leader, buffer = !choice->no_push;
	unsigned int lists = as_posted(c, leader, buffer, 0), data;

	if (leader || !give_bytes(c) || give_bytes(c) > TALLY_MAX_INLINE)
		return lists;
	data = as_posted(c, leader, buffer, OFFLOAD_INLINE);
	return time_of(c, leader, data) < time_of(c, leader, lists) ? data : lists;
}

uint32_t offload_stride(const struct bench_workload *c, const struct offload_choice *choice)
{
	return stride_for(request_bytes(c, choice->leader, offload_choose_how(c, choice)));
}

static vtime_t pushed_time(const struct offload *run, uint32_t rank, uint64_t rate)
{
	if (!(run->how & OFFLOAD_PUSH))
		return 0;
	return bench_bytes_time(pushed_bytes(bench_group_request_bytes(&run->group, rank, &run->m,
								       run->how & OFFLOAD_INLINE)),
				rate);
}

vtime_t offload_push_time(const struct offload *run, uint32_t rank)
{
	return pushed_time(run, rank, run->c->params->push_rate);
}

vtime_t offload_bus_time(const struct offload *run, uint32_t rank)
{
	return pushed_time(run, rank, run->c->params->pcie_rate);
}

vtime_t offload_post_time(const struct offload *run, uint32_t rank)
{
	return run->c->params->post + offload_push_time(run, rank);
}
