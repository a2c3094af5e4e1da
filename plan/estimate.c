// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Estimates the time of an EXCHANGE, packet by packet, one round of each node after the other.
 * Packets wait for each other at the ports of sender and receiver. The time between switches is a
 * constant.
 */
#include "plan/plan_int.h"

#include <errno.h>
#include <stdlib.h>

struct arrival {
	uint64_t at;
	uint8_t position;
};

struct clock {
	uint64_t ready;		/* time of the previous round's partial result */
	uint64_t tx_free, rx_free;
	uint8_t position;
	struct arrival arrival[TALLY_MAX_CONTRIBUTORS];
	uint32_t num;
};

uint32_t plan_levels(uint32_t inputs)
{
	uint32_t levels = 0;

	while (1u << levels < inputs)
		levels++;
	return levels;
}

/*
 * Returns the number of reductions between a position and the result, which is lower if partners
 * are missing.
 */
static uint32_t depth_of(uint32_t position, uint32_t inputs)
{
	uint32_t depth = 0;

	for (; inputs > 1; inputs = (inputs + 1) / 2, position /= 2)
		depth += (position ^ 1) < inputs;
	return depth;
}

/* Sends the packets of a node in a round. The node's part has this position. */
static void send_round(const struct plan_topo *topo, const struct plan_costs *costs,
		       const struct exchange_node *n, struct clock *clocks, uint32_t from,
		       uint32_t round)
{
	struct clock *c = &clocks[from];

	if (c->tx_free < c->ready)
		c->tx_free = c->ready;
	for (uint32_t i = 0; i < n->num_edges; i++) {
		const struct exchange_edge *e = &n->edge[i];
		struct clock *to = &clocks[e->node];

		if (e->round != round || !(e->roles & TALLY_ROLE_OUT))
			continue;
		c->tx_free += costs->packet_ns;
		to->arrival[to->num++] = (struct arrival){
			c->tx_free + costs->hop_ns[plan_topo_distance(topo, from, e->node)],
			c->position,
		};
	}
}

/* Sorts times, which are nearly sorted because the neighbours of a node send to it in turn. */
static void sort(struct arrival *v, uint32_t num)
{
	for (uint32_t i = 1; i < num; i++) {
		struct arrival x = v[i];
		uint32_t at = i;

		for (; at && v[at - 1].at > x.at; at--)
			v[at] = v[at - 1];
		v[at] = x;
	}
}

/*
 * Combines what a node receives in a round. Data that arrive late still need all reductions of
 * their position.
 */
static void end_round(const struct plan_costs *costs, struct clock *c)
{
	uint32_t inputs = c->num + 1;
	uint64_t last;

	if (!c->num)
		return;
	sort(c->arrival, c->num);
	last = c->ready + depth_of(c->position, inputs) * costs->alu_ns;
	for (uint32_t i = 0; i < c->num; i++) {
		uint64_t at = c->arrival[i].at, earliest = c->rx_free + costs->packet_ns;

		c->rx_free = at > earliest ? at : earliest;
		at = c->rx_free + depth_of(c->arrival[i].position, inputs) * costs->alu_ns;
		last = at > last ? at : last;
	}
	c->ready = last - costs->alu_ns + costs->nic_ns;
	c->num = 0;
}

/* Sets the position of each node's part in its family. */
static void set_positions(const struct round_parts *below, const struct round_parts *level,
			  struct clock *clocks)
{
	for (uint32_t p = 0, q = 0; p < level->num; p++)
		for (uint32_t first = q; q < below->num && below->start[q] < level->start[p + 1];
		     q++)
			for (uint32_t i = below->start[q]; i < below->start[q + 1]; i++)
				clocks[i].position = q - first;
}

/* Returns the number of packets that the busiest port sends or receives for a chunk. */
static uint32_t busiest(const struct exchange_node *nodes, uint32_t n)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t in = 0, out = 0;

		for (uint32_t k = 0; k < nodes[i].num_edges; k++) {
			in += !!(nodes[i].edge[k].roles & TALLY_ROLE_IN);
			out += !!(nodes[i].edge[k].roles & TALLY_ROLE_OUT);
		}
		most = in > most ? in : most;
		most = out > most ? out : most;
	}
	return most;
}

int plan_exchange_estimate(const struct plan_topo *topo, const struct plan_costs *costs,
			   const struct parts *parts, const struct exchange_node *nodes,
			   struct plan_time *time)
{
	uint32_t n = parts->level[parts->rounds].start[1];
	struct clock *clocks = calloc(n, sizeof(*clocks));

	if (!clocks)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		clocks[i].ready = costs->request_ns;
	for (uint32_t r = 1; r <= parts->rounds; r++) {
		set_positions(&parts->level[r - 1], &parts->level[r], clocks);
		for (uint32_t i = 0; i < n; i++)
			send_round(topo, costs, &nodes[i], clocks, i, r);
		for (uint32_t i = 0; i < n; i++)
			end_round(costs, &clocks[i]);
	}
	time->first_ns = 0;
	for (uint32_t i = 0; i < n; i++)
		if (clocks[i].ready > time->first_ns)
			time->first_ns = clocks[i].ready;
	time->next_ns = (uint64_t)busiest(nodes, n) * costs->packet_ns;
	time->parallel = 1;
	free(clocks);
	return 0;
}

/*
 * A family as in edges.c, in which all members of a part are alike: the values of the slowest
 * member.
 */
struct rough {
	uint64_t *ready;	/* time of each part */
	uint32_t *edges;	/* largest number of edges of a member */
};

static uint32_t part_size(const struct round_parts *level, uint32_t p)
{
	return level->start[p + 1] - level->start[p];
}

/*
 * Computes part `own` of a family of parts first to first + num - 1. The result applies to the
 * whole family.
 */
static void rough_part(const struct plan_topo *topo, const struct plan_costs *costs,
		       const struct round_parts *below, struct rough *was, uint32_t first,
		       uint32_t num, uint32_t own, uint64_t *ready, uint32_t *edges)
{
	uint32_t size = part_size(below, own), excess = 0;
	uint64_t last = was->ready[own];

	for (uint32_t b = first; b < first + num; b++) {
		uint32_t other = part_size(below, b), low = b < own ? b : own,
			 high = b < own ? own : b, d;
		uint64_t at;

		if (b == own)
			continue;
		d = plan_topo_distance(topo, below->start[low], below->start[high + 1] - 1);
		at = was->ready[b] + costs->hop_ns[d] +
		     (uint64_t)costs->packet_ns * (num - 1) * (other < size ? size / other : 1);
		last = at > last ? at : last;
		excess += other > size ? other - size : 0;
	}
	last += costs->nic_ns + (plan_levels(num) - 1) * costs->alu_ns;
	*ready = last > *ready ? last : *ready;
	excess = was->edges[own] + num - 1 + (excess + size - 1) / size;
	*edges = excess > *edges ? excess : *edges;
}

static void rough_round(const struct plan_topo *topo, const struct plan_costs *costs,
			const struct round_parts *below, const struct round_parts *level,
			struct rough *rough)
{
	uint32_t first = 0;

	/*
	 * Entry p is written after the entries of its family have been read, none of which is below
	 * p.
	 */
	for (uint32_t p = 0; p < level->num; p++) {
		uint64_t ready = 0;
		uint32_t edges = 0, num = 0;

		while (first + num < below->num &&
		       below->start[first + num] < level->start[p + 1])
			num++;
		for (uint32_t own = first; own < first + num; own++)
			if (num > 1)
				rough_part(topo, costs, below, rough, first, num, own, &ready,
					   &edges);
		rough->ready[p] = num > 1 ? ready : rough->ready[first];
		rough->edges[p] = num > 1 ? edges : rough->edges[first];
		first += num;
	}
}

int plan_exchange_rough(const struct plan_topo *topo, const struct plan_costs *costs,
			const struct parts *parts, uint32_t max_edges, struct plan_time *time)
{
	uint32_t n = parts->level[0].num;
	struct rough rough = { calloc(n, sizeof(*rough.ready)), calloc(n, sizeof(*rough.edges)) };
	int err = -ENOMEM;

	if (rough.ready && rough.edges) {
		for (uint32_t i = 0; i < n; i++)
			rough.ready[i] = costs->request_ns;
		for (uint32_t r = 1; r <= parts->rounds; r++)
			rough_round(topo, costs, &parts->level[r - 1], &parts->level[r], &rough);
		time->first_ns = rough.ready[0];
		time->next_ns = (uint64_t)rough.edges[0] * costs->packet_ns;
		time->parallel = 1;
		err = rough.edges[0] > max_edges ? -E2BIG : 0;
	}
	free(rough.ready);
	free(rough.edges);
	return err;
}
