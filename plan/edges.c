// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * EXCHANGE: derives the edges from the parts.
 *
 * In a round a part is combined with its siblings. Member i of a part takes data from member i of
 * each sibling. If the sibling is smaller, the excess members of the part take data from its
 * members in turn. Each such part begins where the previous one ended, so that the members of a
 * small part share the load.
 *
 * A node sends in the order of its edges of a round. The order begins some siblings after its own
 * part and goes around. Therefore all nodes send to different siblings at any time, and no port
 * receives from two nodes at once. Each family begins one sibling later than the previous one.
 * Otherwise the nodes of one leaf that belong to different families would all send up to the same
 * switch, in this round or in the next one.
 */
#include "plan/plan_int.h"

#include <errno.h>

/* A part and its siblings: parts first to first + num - 1 of the previous round. */
struct family {
	const uint16_t *start;
	uint32_t first, num;
	uint32_t max_edges;
};

static uint32_t size_of(const struct family *f, uint32_t k)
{
	return f->start[f->first + k + 1] - f->start[f->first + k];
}

static uint32_t excess(uint32_t a, uint32_t b)
{
	return a > b ? a - b : 0;
}

/*
 * Returns the number of members, in siblings before the k-th, in excess of the size of sibling
 * `of`.
 */
static uint32_t excess_before(const struct family *f, uint32_t k, uint32_t of)
{
	uint32_t sum = 0, size = size_of(f, of);

	for (uint32_t i = 0; i < k; i++)
		if (i != of)
			sum += excess(size_of(f, i), size);
	return sum;
}

struct exchange_edge *plan_edge_to(struct exchange_node *n, uint16_t node)
{
	for (uint32_t i = 0; i < n->num_edges; i++)
		if (n->edge[i].node == node)
			return &n->edge[i];
	return NULL;
}

static int add(struct exchange_node *n, uint32_t max_edges, struct exchange_edge edge)
{
	if (n->num_edges == max_edges)
		return -E2BIG;
	n->edge[n->num_edges++] = edge;
	return 0;
}

/* Adds edges from all members of part `own` of a family to its part `other`. */
static int join(const struct family *f, uint32_t own, uint32_t other, uint32_t round,
		struct exchange_node *nodes)
{
	uint32_t a = f->start[f->first + own], b = f->start[f->first + other];
	uint32_t num_a = size_of(f, own), num_b = size_of(f, other);
	uint32_t both = num_a < num_b ? num_a : num_b, at = 0;
	int err = 0;

	if (num_a != num_b)
		at = num_a > num_b ? excess_before(f, own, other) : excess_before(f, other, own);
	for (uint32_t i = 0; i < both && !err; i++)
		err = add(&nodes[a + i], f->max_edges, (struct exchange_edge){
			.node = b + i, .round = round, .position = other,
			.roles = TALLY_ROLE_IN | TALLY_ROLE_OUT });
	for (uint32_t i = both; i < num_a && !err; i++, at++)
		err = add(&nodes[a + i], f->max_edges, (struct exchange_edge){
			.node = b + at % num_b, .round = round, .position = other,
			.roles = TALLY_ROLE_IN });
	for (uint32_t i = both; i < num_b && !err; i++, at++)
		err = add(&nodes[a + at % num_a], f->max_edges, (struct exchange_edge){
			.node = b + i, .round = round, .roles = TALLY_ROLE_OUT });
	return err;
}

static int add_round(const struct parts *parts, uint32_t round, uint32_t max_edges,
		     struct exchange_node *nodes)
{
	const struct round_parts *below = &parts->level[round - 1], *level = &parts->level[round];
	struct family f = { .start = below->start, .max_edges = max_edges };
	int err = 0;

	for (uint32_t p = 0; p < level->num; p++, f.first += f.num) {
		uint32_t turn;

		for (f.num = 0; f.first + f.num < below->num &&
				below->start[f.first + f.num] < level->start[p + 1];)
			f.num++;
		/* 0 (modulo f.num - 1) for the last family, one less for each family before it. */
		turn = f.num - 1;
		turn -= turn ? (level->num - 1 - p) % turn : 0;
		for (uint32_t own = 0; own < f.num; own++)
			for (uint32_t i = 0; i + 1 < f.num && !err; i++)
				err = join(&f, own, (own + 1 + (i + turn) % (f.num - 1)) % f.num,
					   round, nodes);
	}
	return err;
}

int plan_exchange_edges(const struct parts *parts, uint32_t max_edges, struct exchange_node *nodes)
{
	uint32_t n = parts->level[parts->rounds].start[1];
	int err = 0;

	for (uint32_t i = 0; i < n; i++)
		nodes[i].num_edges = 0;
	for (uint32_t r = 1; r <= parts->rounds && !err; r++)
		err = add_round(parts, r, max_edges, nodes);
	return err;
}

void plan_set_remote_indices(struct exchange_node *nodes, uint32_t num_nodes)
{
	for (uint32_t i = 0; i < num_nodes; i++)
		for (uint32_t k = 0; k < nodes[i].num_edges; k++) {
			struct exchange_node *there = &nodes[nodes[i].edge[k].node];
			const struct exchange_edge *back = plan_edge_to(there, i);

			nodes[i].edge[k].remote_index = back ? back - there->edge :
							       TALLY_CONTRIB_PARENT;
		}
}

/*
 * Every node but 0 learns the epoch from the lowest node that it takes data from. That node is in
 * an earlier part of some round, and therefore has a lower place, and the way to node 0 has at most
 * as many steps as there are rounds.
 */
void plan_exchange_set_epoch(struct exchange_node *nodes, uint32_t num_nodes)
{
	for (uint32_t i = 1; i < num_nodes; i++) {
		struct exchange_edge *lowest = NULL;

		for (uint32_t k = 0; k < nodes[i].num_edges; k++) {
			struct exchange_edge *e = &nodes[i].edge[k];

			if (e->roles & TALLY_ROLE_IN && (!lowest || e->node < lowest->node))
				lowest = e;
		}
		lowest->roles |= TALLY_ROLE_EPOCH;
	}
}
