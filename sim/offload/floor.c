// SPDX-License-Identifier: BSD-2-Clause
#include "offload/floor.h"

#include <stdlib.h>

/* As sums are formed in the network, no node needs to receive more than its own result. */
uint64_t bench_floor_bytes(const struct bench_workload *c)
{
	switch (c->opcode) {
	case TALLY_OPCODE_ALLGATHER:
		return c->bytes * c->ranks * (c->nodes - 1);
	case TALLY_OPCODE_REDUCE_SCATTER:
		return c->bytes * c->ranks;
	default:
		return c->bytes;
	}
}

/* Returns the wire time of the packets after a message's first one. */
static vtime_t others(const struct bench_params *p, uint64_t bytes)
{
	uint64_t whole = bytes / p->mtu, rest = bytes % p->mtu;
	vtime_t time = whole * fab_wire_time(p->link_rate, bench_frame_bytes(p->mtu));

	return rest ? time + fab_wire_time(p->link_rate, bench_frame_bytes(rest)) : time;
}

vtime_t bench_floor(const struct bench_workload *c, const struct topo *fabric)
{
	const struct bench_params *p = c->params;
	uint64_t bytes = bench_floor_bytes(c);
	uint64_t first = bytes < p->mtu ? bytes : p->mtu;
	unsigned int hosts[BENCH_MAX_NODES];
	vtime_t way = 0;

	for (unsigned int i = 0; i < c->nodes; i++)
		hosts[i] = i;
	if (c->nodes > 1)
		way = topo_longest_time(fabric, hosts, c->nodes, bench_frame_bytes(first)) +
		      others(p, bytes - first);
	return p->doorbell + way + p->pcie_write;
}
