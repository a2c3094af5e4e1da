// SPDX-License-Identifier: BSD-2-Clause
#include "engine/store_parts.h"
#include "engine/common.h"

#include <string.h>

#define WORD_LOG 6 /* words of 64 bytes */
#define MAX_ROUND_INPUTS (TALLY_MAX_RANKS + TALLY_MAX_CONTRIBUTORS + 1)

struct input {
	enum { RANK, EDGE, PART } kind;
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
static bool join(struct store_parts *p, struct input *left, const struct input *right)
{
	if (p->num == TALLY_FW_STORE_PARTS)
		return false;
	enter(p, left, false);
	if (right)
		enter(p, right, true);
	*left = (struct input){ PART, p->num++ };
	return true;
}

/* Join the inputs of a round in pairs, then the pairs, and so on. */
static bool join_round(struct store_parts *p, struct input *in, unsigned int num)
{
	unsigned int i;

	if (num == 1)
		return join(p, in, NULL);
	for (; num > 1; num = (num + 1) / 2) {
		for (i = 0; i + 1 < num; i += 2) {
			if (!join(p, &in[i], &in[i + 1]))
				return false;
			in[i / 2] = in[i];
		}
		if (num % 2)
			in[num / 2] = in[num - 1];
	}
	return num;
}

/* Return the number of inputs of a round. */
static unsigned int inputs_of(const struct group *g, const struct store_parts *p, unsigned int r,
			      struct input *in)
{
	unsigned int num = 0;
	uint64_t left = r ? g->round[r].ins : g->rank_mask;

	for (; left; left &= left - 1) {
		unsigned int i = __builtin_ctzll(left);

		if (r)
			in[g->edges[i].position] = (struct input){ EDGE, i };
		else
			in[num++] = (struct input){ RANK, i };
	}
	if (!r)
		return num;
	in[g->round[r].own] = (struct input){ PART, p->num - 1 };
	return g->round[r].parts;
}

static bool fits(const struct group *g, struct store_parts *p)
{
	if (!g->chunk) /* as long as a packet */
		return false;
	p->words_log = g->chunk >> WORD_LOG ? __builtin_ctz(g->chunk) - WORD_LOG : 0;
	return p->num << p->words_log <= TALLY_MAX_MTU >> WORD_LOG;
}

bool store_parts(const struct group *g, struct store_parts *p)
{
	struct input in[MAX_ROUND_INPUTS];
	unsigned int r;

	memset(p, 0, sizeof(*p));
	for (r = 0; r <= g->rounds; r++) {
		if (!join_round(p, in, inputs_of(g, p, r, in)))
			return false;
		if (r < g->rounds)
			p->part[p->num - 1].outs = g->round[r + 1].outs;
	}
	return fits(g, p);
}
