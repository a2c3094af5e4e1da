// SPDX-License-Identifier: BSD-2-Clause
#include "engine/store_parts.h"
#include "engine/common.h"

#include <string.h>

#define WORD_LOG 6 /* words of 64 bytes */

struct input {
	enum { NOBODY, RANK, EDGE, PART } kind; /* NOBODY never gives data */
	uint8_t index;
};

static void enter(struct store_parts *p, const struct input *in, bool right)
{
	const struct store_input to = { p->num, right };
	struct store_part *part = &p->part[p->num];

	if (in->kind == EDGE) {
		part->ins |= contributor_bit(in->index);
		p->edge[in->index] = p->num;
		return;
	}
	part->inner |= 1 << right;
	if (in->kind == RANK)
		p->rank[in->index] = to;
	else
		p->part[in->index].next = to;
}

/* Make a part of two inputs, or of one. Returns false if there are too many. */
static bool make_part(struct store_parts *p, struct input *left, const struct input *right)
{
	if (p->num == TALLY_FW_STORE_PARTS)
		return false;
	enter(p, left, false);
	if (right)
		enter(p, right, true);
	*left = (struct input){ PART, p->num++ };
	return true;
}

/* Combine two inputs. One whose partner gives nothing moves up unchanged. */
static bool join(struct store_parts *p, struct input *left, const struct input *right)
{
	if (left->kind != NOBODY && right->kind != NOBODY)
		return make_part(p, left, right);
	if (left->kind == NOBODY)
		*left = *right;
	return true;
}

/* Join the inputs in pairs, then the pairs, and so on; a single input has a part that copies it. */
static bool join_all(struct store_parts *p, struct input *in, unsigned int num)
{
	const unsigned int before = p->num;
	unsigned int i;

	for (; num > 1; num = (num + 1) / 2) {
		for (i = 0; i + 1 < num; i += 2) {
			if (!join(p, &in[i], &in[i + 1]))
				return false;
			in[i / 2] = in[i];
		}
		if (num % 2)
			in[num / 2] = in[num - 1];
	}
	if (!num || in->kind == NOBODY)
		return false;
	return p->num > before || make_part(p, in, NULL);
}

/* Return the number of local ranks, which are inputs in their order. */
static unsigned int add_ranks(const struct group *g, struct input *in)
{
	unsigned int num = 0;
	uint64_t left = g->rank_mask;

	for (; left; left &= left - 1)
		in[num++] = (struct input){ RANK, __builtin_ctzll(left) };
	return num;
}

/* Return the number of inputs of a round of EXCHANGE. */
static unsigned int inputs_of(const struct group *g, const struct store_parts *p, unsigned int r,
			      struct input *in)
{
	uint64_t left = g->round[r].ins;

	if (!r)
		return add_ranks(g, in);
	for (; left; left &= left - 1) {
		unsigned int i = __builtin_ctzll(left);

		in[g->edges[i].position] = (struct input){ EDGE, i };
	}
	in[g->round[r].own] = (struct input){ PART, p->num - 1 };
	return g->round[r].parts;
}

static bool parts_of_rounds(const struct group *g, struct store_parts *p)
{
	struct input in[MAX_INPUTS];
	unsigned int r;

	for (r = 0; r <= g->rounds; r++) {
		if (!join_all(p, in, inputs_of(g, p, r, in)))
			return false;
		if (r < g->rounds)
			p->part[p->num - 1].outs = g->round[r + 1].outs;
	}
	return true;
}

/* The ranks and then the contributors, of which those beside `givers` give nothing to any chunk. */
static bool parts_of_sum(const struct group *g, struct store_parts *p, uint64_t givers)
{
	struct input in[MAX_INPUTS];
	unsigned int i, num = add_ranks(g, in);

	for (i = 0; i < g->num_contributors; i++)
		in[num++] = (struct input){ givers & contributor_bit(i) ? EDGE : NOBODY, i };
	return join_all(p, in, num);
}

static bool needs_parts(const struct group *g, uint8_t mode)
{
	return group_has(g, mode_bit(mode)) && (is_ordered(g) || mode == TALLY_MODE_EXCHANGE);
}

static bool make_parts(const struct group *g, uint8_t mode, struct store_parts *p)
{
	switch (mode) {
	case TALLY_MODE_TREE:
		return parts_of_sum(g, p, g->children);
	case TALLY_MODE_EXCHANGE:
		return parts_of_rounds(g, p);
	default:
		return parts_of_sum(g, p, contributor_bit(g->left));
	}
}

/* The chunks of all modes with parts have the same most length. */
static bool make_tables(const struct group *g, struct store_tables *t)
{
	unsigned int m;

	t->words_log = g->chunk >> WORD_LOG ? __builtin_ctz(g->chunk) - WORD_LOG : 0;
	for (m = 0; m < TALLY_FW_PART_MODES; m++) {
		struct store_parts *p = &t->mode[m];

		if (!needs_parts(g, TALLY_MODE_TREE + m))
			continue;
		if (!g->chunk) /* as long as a packet */
			return false;
		if (!make_parts(g, TALLY_MODE_TREE + m, p) ||
		    p->num << t->words_log > TALLY_MAX_MTU >> WORD_LOG)
			return false;
	}
	return true;
}

bool store_tables(const struct group *g, struct store_tables *t)
{
	memset(t, 0, sizeof(*t));
	if (make_tables(g, t))
		return true;
	memset(t, 0, sizeof(*t));
	return false;
}
