// SPDX-License-Identifier: BSD-2-Clause
/*
 * Intermediate results of messages (001 figure 3): each message is reduced into one when it
 * arrives, and Branch, which the messages carry, says how many messages one takes.
 */
#include "engine/sum.h"
#include "engine/common.h"
#include "alu/alu.h"

#include <string.h>

bool sum_has(const struct sum *s, uint8_t contributor)
{
	return s->from[contributor / 64] >> contributor % 64 & 1;
}

bool sum_counts(const struct sum *s, uint8_t contributor)
{
	return s->counted[contributor / 64] >> contributor % 64 & 1;
}

bool sum_is_open(const struct sum *s)
{
	return !s->branch || s->messages < s->branch;
}

bool sum_is_complete(const struct sum *s)
{
	return s->messages && (!s->branch || s->messages >= s->branch);
}

void sum_spoil(struct sum *s, uint8_t contributor)
{
	s->err_vector |= TALLY_ERR_MISMATCH;
	s->disagree |= contributor_bit(contributor);
}

static void combine(struct engine *e, struct sum *s, uint8_t *to, const struct operand *in,
		    uint8_t contributor)
{
	if (s->err_vector & TALLY_ERR_MISMATCH) /* nobody will use the data */
		return;
	if (!s->filled) {
		s->op = in->op;
		s->dtype = in->dtype;
		s->count = in->count;
		memcpy(to, in->data, in->len);
		s->filled = true;
	} else if (s->op != in->op || s->dtype != in->dtype || s->count != in->count ||
		   s->op == TALLY_OP_NONE) {
		sum_spoil(s, contributor);
	} else {
		s->err_vector |= combine_data(e, s->op, s->dtype, to, in->data, s->count);
		alu_passed(e, in->len);
	}
}

/* Note Branch of a message. After a disagreement, CPCnt alone says when all messages are there. */
static void note_branch(struct sum *s, uint8_t branch, uint8_t contributor)
{
	if (!s->messages)
		s->branch = branch;
	if (s->branch == branch || !s->branch)
		return;
	s->branch = 0;
	sum_spoil(s, contributor);
}

void sum_message(struct engine *e, struct sum *s, uint8_t *to, const struct tch *t,
		 uint8_t contributor, const void *payload, uint16_t len)
{
	const struct operand in = { t->op, t->dtype, len, t->count, payload };
	uint64_t bit = 1ULL << contributor % 64;

	note_branch(s, t->branch, contributor);
	s->messages++;
	s->from[contributor / 64] |= bit;
	if (t->flags & TALLY_TCH_F_CP)
		s->counted[contributor / 64] |= bit;
	if (t->err_vector & TALLY_ERR_MISMATCH)
		sum_spoil(s, contributor);
	s->err_vector |= t->err_vector;
	combine(e, s, to, &in, contributor);
}

void sum_own(struct engine *e, struct sum *s, uint8_t *to, const struct wqe *w, const void *data)
{
	const struct operand in = { w->op, w->dtype, w->count * w->elem, w->count, data };

	combine(e, s, to, &in, TALLY_CONTRIB_SELF);
}
