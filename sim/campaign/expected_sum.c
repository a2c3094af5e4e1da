// SPDX-License-Identifier: BSD-2-Clause
/*
 * Computes floating-point sums bit for bit where the order of additions is fixed: always in
 * EXCHANGE, in other modes for groups with ORDERED. The order is that of docs/protocol.md: inputs
 * in their order are the leaves of a binary tree, and every sum is rounded to the message's type.
 * Here a sum of two numbers of at most 24 bits is rounded to double first, which does not change
 * the result.
 */
#include <stdlib.h>
#include <string.h>

#include "campaign/campaign.h"

/* Inputs of a node: its ranks, and its children, a neighbour, or the parts of a round. */
#define MAX_INPUTS	(TALLY_MAX_RANKS + TALLY_MAX_CONTRIBUTORS)

struct sum {
	const struct job *job;
	const struct job_msg *jm;
	const uint8_t *data;		/* of all ranks, one after the other */
	uint64_t give;			/* bytes of a rank's data */
	uint32_t size;			/* of an element */
	uint64_t element;
};

struct input {
	bool absent;
	double v;
};

bool job_order_is_fixed(const struct job *job, const struct message *m)
{
	return job_mode_of(job, m) == TALLY_MODE_EXCHANGE || job->group.flags & TALLY_GROUP_F_ORDERED;
}

static double rounded(const struct message *m, double v)
{
	return oracle_decode(m->type, oracle_encode(m->type, v));
}

/* Adds pairs, pairs of pairs, and so on; an input without a partner is passed up. */
static struct input add_up(const struct message *m, struct input *in, unsigned int n)
{
	for (; n > 1; n = (n + 1) / 2)
		for (unsigned int i = 0; i < n; i += 2) {
			struct input a = in[i], b = { .absent = true };

			if (i + 1 < n)
				b = in[i + 1];
			if (!a.absent && !b.absent)
				a.v = rounded(m, a.v + b.v);
			in[i / 2] = a.absent ? b : a;
		}
	return in[0];
}

static unsigned int add_ranks(const struct sum *s, unsigned int node, struct input *in)
{
	const struct tree_node *t = &s->job->tree.node[node];
	unsigned int n = __builtin_popcountll(t->ranks);

	for (unsigned int i = 0; i < n; i++) {
		uint32_t rank = t->rank_first + i;
		uint64_t bits = 0;

		in[i].absent = message_absent(&s->jm->m, rank);
		memcpy(&bits, s->data + rank * s->give + s->element * s->size, s->size);
		in[i].v = oracle_decode(s->jm->m.type, le64toh(bits));
	}
	return n;
}

/* Adds the input of a contributor. Those before it that have none yet are absent. */
static void add_contributor(struct input *in, unsigned int ranks, unsigned int *n,
			    unsigned int index, struct input v)
{
	while (*n <= ranks + index)
		in[(*n)++].absent = true;
	in[ranks + index] = v;
}

static struct input tree_sum(const struct sum *s, unsigned int node)
{
	const struct tree *t = &s->job->tree;
	struct input in[MAX_INPUTS];
	unsigned int ranks = add_ranks(s, node, in), n = ranks;

	for (unsigned int i = node + 1; i < t->num_nodes; i++)
		if (t->node[i].parent == (int)node)
			add_contributor(in, ranks, &n, t->node[i].slot, tree_sum(s, i));
	if (!n)
		return (struct input){ .absent = true };
	return add_up(&s->jm->m, in, n);
}

/* Returns a node's partial result after a round. */
static struct input exchange_sum(const struct sum *s, unsigned int node, unsigned int round)
{
	const struct plan_node *p = &s->job->at[node];
	struct input in[MAX_INPUTS];
	uint64_t filled = 0;
	unsigned int n = 1;

	if (!round)
		return add_up(&s->jm->m, in, add_ranks(s, node, in));
	for (unsigned int k = 0; k < p->num_edges; k++) {
		const struct plan_edge *e = &p->edge[k];

		if (e->round != round || !(e->roles & TALLY_ROLE_IN))
			continue;
		in[e->position] = exchange_sum(s, e->node, round - 1);
		filled |= 1ull << e->position;
		n++;
	}
	in[__builtin_ctzll(~filled)] = exchange_sum(s, node, round - 1);
	return add_up(&s->jm->m, in, n);
}

/* Returns the node where the sum begins. */
static unsigned int ring_start(const struct sum *s)
{
	const struct message *m = &s->jm->m;
	unsigned int nodes = s->job->tree.num_nodes;
	uint64_t most = job_chunk_bytes(s->job, m) / message_elem_size(m);
	uint64_t sid = s->element / most;

	if (m->opcode == TALLY_OPCODE_REDUCE_SCATTER && s->job->plan.flags & TALLY_GROUP_F_UNIFORM)
		return (sid * most / m->count / (m->total_ranks / nodes) + 1) % nodes;
	if (m->opcode == TALLY_OPCODE_REDUCE)
		return (m->root_node + 1) % nodes;
	return sid % nodes;
}

/* Returns the contributor index of a node's left neighbour. */
static unsigned int left_of(const struct job *job, unsigned int node)
{
	const struct plan_node *p = &job->at[node];
	unsigned int k = 0;

	while (k < p->num_edges && !(p->edge[k].roles & TALLY_ROLE_RING_IN))
		k++;
	return k;
}

static struct input ring_sum(const struct sum *s)
{
	unsigned int nodes = s->job->tree.num_nodes, start = ring_start(s);
	struct input v = { .absent = true };

	for (unsigned int i = 0; i < nodes; i++) {
		unsigned int node = (start + i) % nodes;
		struct input in[MAX_INPUTS];
		unsigned int ranks = add_ranks(s, node, in), n = ranks;

		add_contributor(in, ranks, &n, left_of(s->job, node), v);
		v = add_up(&s->jm->m, in, n);
	}
	return v;
}

static double sum_of(const struct sum *s)
{
	const struct message *m = &s->jm->m;
	enum tally_mode mode = job_mode_of(s->job, m);
	struct input v;

	if (mode == TALLY_MODE_EXCHANGE)
		v = exchange_sum(s, 0, s->job->plan.rounds);
	else if (mode == TALLY_MODE_RING)
		v = ring_sum(s);
	else
		v = tree_sum(s, 0);
	return m->op == TALLY_OP_AVG ? v.v / m->total_ranks : v.v;
}

bool job_expect_ordered(const struct job *job, const struct job_msg *jm, uint8_t *result)
{
	const struct message *m = &jm->m;
	uint64_t give = message_give_bytes(m), count = message_give_elements(m);
	uint8_t *data = malloc(m->total_ranks * give + 1);
	struct sum s = { job, jm, data, give, message_elem_size(m), 0 };

	if (!data)
		return false;
	for (uint32_t rank = 0; rank < m->total_ranks; rank++)
		message_input(m, rank, data + rank * give);
	for (; s.element < count; s.element++) {
		uint64_t bits = htole64(oracle_encode(m->type, sum_of(&s)));

		memcpy(result + s.element * s.size, &bits, s.size);
	}
	free(data);
	return true;
}

/* The error of an addition is at most half a unit in the last place; so is that of a division. */
bool job_near(const struct message *m, const void *got, const void *want)
{
	uint32_t size = message_elem_size(m);
	uint64_t a = 0, b = 0;
	double x, y;

	memcpy(&a, got, size);
	memcpy(&b, want, size);
	x = oracle_decode(m->type, le64toh(a));
	y = oracle_decode(m->type, le64toh(b));
	return x >= y - y * m->total_ranks * oracle_unit(m->type) &&
	       x <= y + y * m->total_ranks * oracle_unit(m->type);
}
