// SPDX-License-Identifier: BSD-2-Clause
/*
 * What it costs to hand a request to the NIC. The CPU builds it (host.post), and writes it either
 * through the push buffer, at host.push_rate, or to memory, which is in host.post; the data go with
 * it or stay where they are. What was not pushed the NIC reads, at the price of pcie.read and its
 * bytes at pcie.rate.
 */
#include "bench/offload_int.h"
#include "tally-push.h"

#define MIN_STRIDE	TALLY_MIN_WQE_SIZE

/* A rank's data, or those of a node's ranks. */
static uint64_t give_bytes(const struct bench_case *c)
{
	struct message m = bench_message(c);

	return message_gives(&m, 0) ? message_give_bytes(&m) : 0;
}

static uint32_t request_bytes(const struct bench_case *c, bool leader, unsigned int how)
{
	struct message m = bench_message(c);
	uint32_t ranks = leader ? c->ranks : 1, give = 0, get = 0;

	/* the root of a node that has it posts the most */
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

static bool possible(const struct bench_case *c, bool leader, unsigned int how)
{
	if (how & OFFLOAD_INLINE && (leader || !give_bytes(c) || give_bytes(c) > TALLY_MAX_INLINE))
		return false;
	return !(how & OFFLOAD_PUSH) || tally_is_pushed(1, request_bytes(c, leader, how));
}

/* Until the NIC has the request and the data of the first chunk. */
static vtime_t time_of(const struct bench_case *c, bool leader, unsigned int how)
{
	const struct bench_params *p = c->params;
	uint32_t bytes = request_bytes(c, leader, how);
	uint64_t data = give_bytes(c);
	vtime_t time;

	if (how & OFFLOAD_PUSH)
		time = bench_bytes_time(bytes, p->push_rate);
	else
		time = p->pcie_read + bench_bytes_time(stride_for(bytes), p->pcie_rate);
	if (!(how & OFFLOAD_INLINE) && data)
		time += p->pcie_read + bench_bytes_time(data < p->mtu ? data : p->mtu, p->pcie_rate);
	return time;
}

unsigned int offload_choose_how(const struct bench_case *c, bool leader)
{
	static const unsigned int ways[] = { OFFLOAD_PUSH | OFFLOAD_INLINE, OFFLOAD_PUSH, OFFLOAD_INLINE, 0 };
	unsigned int best = 0;

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		if (possible(c, leader, ways[i]) &&
		    time_of(c, leader, ways[i]) < time_of(c, leader, best))
			best = ways[i];
	return best;
}

uint32_t offload_stride(const struct bench_case *c, bool leader)
{
	return stride_for(request_bytes(c, leader, offload_choose_how(c, leader)));
}

static vtime_t pushed_time(const struct offload *run, uint32_t rank, uint64_t rate)
{
	if (!(run->how & OFFLOAD_PUSH))
		return 0;
	return bench_bytes_time(team_request_bytes(&run->team, rank, &run->m,
						   run->how & OFFLOAD_INLINE), rate);
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
