// SPDX-License-Identifier: BSD-2-Clause
/* Progress: outcomes go to their pieces, then every request does what it can. */
#include "core/area.h"
#include "core/core.h"

#define OUTCOMES_AT_ONCE 16

static void take_outcomes(struct tallycoll_context *c)
{
	struct tc_outcome outcome;

	for (unsigned int i = 0; i < OUTCOMES_AT_ONCE; i++) {
		struct tc_piece *p;

		if (c->net->ops->poll(c->net, &outcome) <= 0)
			return;
		p = (struct tc_piece *)(uintptr_t)outcome.id;
		p->request->way->outcome(p->request, p, &outcome);
	}
}

static bool has_ended(const struct tallycoll_request *r)
{
	return r->ended == r->pieces || (r->status < 0 && r->ended == r->started);
}

/*
 * After a failure no request of the team sends any more. What is in flight comes back with an
 * outcome, because the group has ended.
 */
static bool step(struct tallycoll_request *r)
{
	if (r->team->failed && r->status == TALLYCOLL_INPROGRESS)
		tc_request_fail(r, TALLY_COLL_FLUSHED, NULL);
	if (r->status < 0)
		r->way->drop(r);
	else
		r->way->step(r);
	return has_ended(r);
}

static void free_all(struct tallycoll_request *r)
{
	while (r) {
		struct tallycoll_request *next = r->next;

		tc_request_free(r);
		r = next;
	}
}

/*
 * Returns whether requests remain. Those that have ended, and which the caller freed before, are
 * put into a list, for the team may end with them.
 */
static bool progress_team(struct tallycoll_team *t, struct tallycoll_request **freed)
{
	struct tallycoll_request **at = &t->first, *abandoned = NULL;

	while (*at) {
		struct tallycoll_request *r = *at;

		if (!step(r)) {
			at = &r->next;
			continue;
		}
		*at = r->next;
		if (r->status == TALLYCOLL_INPROGRESS)
			r->status = TALLYCOLL_OK;
		r->in_progress = false;
		/* What is kept costs little to find again, and may be stale by then. */
		if (t->context->regs.keeps)
			tc_request_unregister(r);
		t->context->ended++;
		if (r->abandoned) {
			r->next = abandoned;
			abandoned = r;
		}
	}
	t->last = at;
	*freed = abandoned;
	return t->first;
}

void tc_progress(struct tallycoll_context *c)
{
	struct tallycoll_team **at = &c->active;

	if (!c->net)
		return;
	take_outcomes(c);
	while (*at) {
		struct tallycoll_team *t = *at;
		struct tallycoll_request *freed;

		if (progress_team(t, &freed))
			at = &t->next;
		else
			*at = t->next;
		free_all(freed);
	}
}

unsigned int tallycoll_progress(struct tallycoll_context *c)
{
	unsigned int ended;

	if (!c)
		return 0;
	c->host->ops->lock(c->host);
	c->ended = 0;
	tc_progress(c);
	ended = c->ended;
	tc_context_unlock(c);
	return ended;
}
