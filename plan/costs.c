// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Costs of an operation's chunks, and defaults for costs that the request does not give: 100 Gb/s
 * Ethernet, switches of 300 ns, cables of 25 ns, NICs with a clock of 250 MHz.
 */
#include "plan/cycles.h"
#include "plan/plan_int.h"

#define CYCLE_NS 4

static void set(uint32_t *value, uint32_t otherwise)
{
	if (!*value)
		*value = otherwise;
}

static struct plan_costs costs_of(const struct plan_request *req)
{
	static const uint32_t hop_ns[PLAN_MAX_LEVELS + 1] = { 25, 350, 1000, 1650 };
	struct plan_costs costs = req->costs;

	set(&costs.request_ns, (ENGINE_CYCLES_REQUEST + ENGINE_CYCLES_ENCAP) * CYCLE_NS);
	set(&costs.nic_ns,
	    (ENGINE_CYCLES_PARSE + ENGINE_CYCLES_ALU + ENGINE_CYCLES_ENCAP) * CYCLE_NS);
	set(&costs.packet_ns, 14);
	set(&costs.alu_ns, ENGINE_CYCLES_CHAIN * CYCLE_NS);
	for (uint32_t l = 0; l <= PLAN_MAX_LEVELS; l++)
		set(&costs.hop_ns[l], hop_ns[l]);
	if (!costs.bits_per_s)
		costs.bits_per_s = 100000000000ULL;
	return costs;
}

/* Returns the bytes of the whole message. */
static uint64_t whole(const struct plan *plan, enum tally_opcode opcode, uint64_t bytes)
{
	switch (opcode) {
	case TALLY_OPCODE_BARRIER:
		return 0;
	case TALLY_OPCODE_ALLGATHER:
	case TALLY_OPCODE_REDUCE_SCATTER:
	case TALLY_OPCODE_GATHER:
	case TALLY_OPCODE_SCATTER:
		return bytes * plan->total_ranks;
	default:
		return bytes;
	}
}

/*
 * A chunk takes this time on the wire, and again in the NIC, which needs all of it before it
 * begins.
 */
void plan_set_chunk(struct plan_work *work, const struct plan_request *req, uint64_t bytes)
{
	uint64_t ns;

	work->costs = costs_of(req);
	work->chunk = bytes;
	ns = bytes * 8 * 1000000000 / work->costs.bits_per_s;
	work->costs.packet_ns += ns;
	work->costs.nic_ns += ns;
}

struct plan_work plan_work_for(const struct plan *plan, const struct plan_request *req,
			       enum tally_opcode opcode, uint64_t bytes, uint32_t most)
{
	struct plan_work work = { .opcode = opcode };

	work.max_segs = req->max_segs ? req->max_segs : TALLY_MAX_GROUP_SEGS;
	bytes = whole(plan, opcode, bytes);
	work.chunks = bytes ? (bytes + most - 1) / most : 1;
	plan_set_chunk(&work, req, bytes < most ? bytes : most);
	return work;
}

struct plan_work plan_work_of(const struct plan *plan, const struct plan_request *req)
{
	return plan_work_for(plan, req, req->opcode ? req->opcode : TALLY_OPCODE_ALLREDUCE,
			     req->bytes, plan->mtu);
}
