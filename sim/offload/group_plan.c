// SPDX-License-Identifier: BSD-2-Clause
/* Makes the planner's request for a group. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "offload/group_int.h"
#include "wire/icrc.h"
#include "wire/roce_layout.h"

/* The frame of a packet with one element. */
#define SHORT_FRAME	(ETH_HEADER_BYTES + IP6_BYTES + UDP_BYTES + BTH_BYTES +		\
			 sizeof(struct tally_tch) + sizeof(uint64_t) + ICRC_BYTES)

/* Writes the switch above each host, for each level, to @sw: nodes entries per level. */
static void find_switches(struct bench_group *t, struct plan_request *req, uint32_t *sw)
{
	req->num_levels = topo_levels(t->host_set.topo);
	for (unsigned int l = 0; l < req->num_levels; l++) {
		uint32_t *at = sw + l * t->cfg.nodes;

		for (unsigned int i = 0; i < t->cfg.nodes; i++)
			at[i] = topo_switch_of(t->host_set.topo, l, i);
		req->sw[l] = at;
	}
}

static uint32_t cycles(const struct engine_timing *e, uint32_t n)
{
	return e->clock_mhz ? n * 1000 / e->clock_mhz : 0;
}

static struct plan_costs costs_of(const struct bench_group *t)
{
	const struct engine_timing *e = &t->cfg.timing.engine;
	uint64_t rate = t->cfg.topo.link.bits_per_s;
	vtime_t packet = fab_wire_time(rate, SHORT_FRAME);
	struct plan_costs costs = {
		.request_ns = cycles(e, e->request + e->encap),
		.nic_ns = cycles(e, e->parse + e->alu + e->encap),
		.packet_ns = packet / VT_NS,
		.alu_ns = cycles(e, e->chain),
		.bits_per_s = rate,
	};

	for (unsigned int l = 0; l <= topo_levels(t->host_set.topo); l++)
		costs.hop_ns[l] =
			(topo_level_time(t->host_set.topo, l, SHORT_FRAME) - packet) / VT_NS;
	return costs;
}

int bench_group_plan(struct bench_group *t)
{
	static const struct plan_costs none;
	struct plan_request req = t->cfg.plan;
	uint8_t *ranks = malloc(t->cfg.nodes);
	uint32_t *sw = calloc(PLAN_MAX_LEVELS * t->cfg.nodes, sizeof(*sw));
	int err = -ENOMEM;

	if (ranks && sw) {
		memset(ranks, t->cfg.ranks, t->cfg.nodes);
		req.num_nodes = t->cfg.nodes;
		req.ranks = ranks;
		find_switches(t, &req, sw);
		if (!memcmp(&req.costs, &none, sizeof(none)))
			req.costs = costs_of(t);
		err = plan_make(&t->plan, &req, t->trouble, sizeof(t->trouble));
	}
	free(ranks);
	free(sw);
	if (!err)
		t->total_ranks = t->plan.total_ranks;
	return err;
}
