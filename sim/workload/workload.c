// SPDX-License-Identifier: BSD-2-Clause
#include "workload/workload.h"

#include "hosts/values.h"
#include "wire/icrc.h"
#include "wire/roce_layout.h"

#define NOISE_BASE	(100 * VT_MS)	/* later than the end of any setup */

uint32_t bench_total_ranks(const struct bench_workload *c)
{
	return c->nodes * c->ranks;
}

struct message bench_message(const struct bench_workload *c)
{
	struct message m = {
		.opcode = c->opcode,
		.op = c->op,
		.type = c->type,
		.total_ranks = bench_total_ranks(c),
		.seed = c->seed,
	};

	m.count = c->opcode == TALLY_OPCODE_BARRIER ? 0 : c->bytes / message_elem_size(&m);
	return m;
}

struct topo_cfg bench_topology(const struct bench_workload *c)
{
	const struct bench_params *p = c->params;

	return (struct topo_cfg){
		.kind = c->topology,
		.hosts = c->nodes,
		.link = {
			.bits_per_s = p->link_rate,
			.propagation = bench_link_propagation(p),
			.queue_bytes = p->switch_buffer,
		},
		.trunk = {
			.bits_per_s = p->trunk_rate,
			.propagation = bench_trunk_propagation(p),
			.queue_bytes = p->switch_buffer,
		},
		.sw = {
			.ports = p->switch_ports,
			.latency = p->switch_latency,
			.cut_through = p->cut_through,
			.queue_bytes = p->switch_buffer,
			.ecn_bytes = p->switch_ecn,
		},
	};
}

size_t bench_frame_bytes(size_t payload)
{
	return ETH_HEADER_BYTES + IP6_BYTES + UDP_BYTES + BTH_BYTES + sizeof(struct tally_tch) +
	       payload + ICRC_BYTES;
}

vtime_t bench_begin(const struct bench_workload *c, uint32_t iteration, vtime_t now)
{
	vtime_t at;

	if (!(c->noise_rate > 0) || !c->noise_time)
		return now;
	at = NOISE_BASE + iteration * (vtime_t)(2 * VT_S / c->noise_rate);
	return at > now ? at : now;
}

vtime_t bench_arrival(const struct bench_workload *c, uint32_t iteration, uint32_t rank)
{
	uint64_t z = values_mix(c->seed ^ values_mix((uint64_t)iteration << 32 | rank));

	return c->skew ? z % (c->skew + 1) : 0;
}

uint32_t bench_median(const vtime_t *time, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t before = 0;

		for (uint32_t k = 0; k < n; k++)
			before += time[k] < time[i] || (time[k] == time[i] && k < i);
		if (before == (n - 1) / 2)
			return i;
	}
	return 0;
}

double bench_hidden(vtime_t blocking, vtime_t total)
{
	double share = blocking ? 1 - ((double)total - (double)blocking) / (double)blocking : 0;

	return share < 0 ? 0 : share > 1 ? 1 : share;
}
