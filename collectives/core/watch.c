// SPDX-License-Identifier: BSD-2-Clause
/*
 * A rank that waits for others in shared memory learns from no completion that they will not come.
 * Therefore it looks at the group from time to time, and at what the others have called.
 */
#include "core/area.h"
#include "core/core.h"

void tc_tell_end(struct tallycoll_team *t, enum tally_coll_status status)
{
	struct tc_area *a = t->mg->party[TC_PARTY_NODE].area;

	if (a && !tc_flag_get(&a->head->broken))
		a->host->ops->set(a->host, &a->head->broken, 1 + status);
}

/* What the other nodes learn. A mismatch is one there, too; other failures are this node's own. */
static enum tally_coll_status reason_of(enum tally_coll_status status)
{
	return status == TALLY_COLL_RANK_GONE || tc_is_mismatch(status) ? status :
									  TALLY_COLL_ABORTED;
}

void tc_give_up(struct tallycoll_request *r, enum tally_coll_status status)
{
	struct tc_member_group *mg = r->team->mg;

	tc_tell_end(r->team, status);
	if (mg->group)
		r->team->context->net->ops->group_abort(mg->group, reason_of(status));
	tc_request_fail(r, status, NULL);
}

/* A refused request ends only its queue; the other ranks would wait for what it was to bring. */
static bool is_refusal(enum tally_coll_status status)
{
	return status < TALLY_COLL_TIMEOUT || status == TALLY_COLL_FLUSHED;
}

/*
 * Ranks of a node that do not agree may both post for all, of which the NIC refuses one. Then the
 * disagreement is the cause.
 */
static enum tally_coll_status cause_of_refusal(const struct tallycoll_request *r)
{
	const struct tc_member_group *mg = r->team->mg;
	struct tc_area *a = mg->party[TC_PARTY_NODE].area;

	return a ? tc_area_compare(a, mg->shape.local, r->call) : TALLY_COLL_OK;
}

void tc_outcome_failed(struct tallycoll_request *r, const struct tc_outcome *outcome)
{
	struct tallycoll_team *t = r->team;
	enum tally_coll_status cause = TALLY_COLL_OK;

	if (is_refusal(outcome->status) && !t->failed)
		cause = cause_of_refusal(r);
	if (cause) {
		tc_give_up(r, cause);
		return;
	}
	tc_tell_end(t, outcome->status);
	tc_request_fail(r, outcome->status, outcome);
	if (is_refusal(outcome->status))
		t->context->net->ops->group_abort(t->mg->group, TALLY_COLL_ABORTED);
}

/* Returns whether the operation has failed by what other ranks of the node have told or called. */
static bool has_failed(struct tallycoll_request *r)
{
	const struct tc_member_group *mg = r->team->mg;
	struct tc_area *a = mg->party[TC_PARTY_NODE].area;
	uint32_t broken = tc_flag_get(&a->head->broken);
	enum tally_coll_status status = broken ? broken - 1 :
						 tc_area_compare(a, mg->shape.local, r->call);

	if (broken || status)
		tc_give_up(r, status);
	return broken || status;
}

void tc_watch_calls(struct tallycoll_request *r)
{
	has_failed(r);
}

/* The NIC itself ends messages that a gone rank has not posted; a second look is for all others. */
static void look(struct tallycoll_request *r)
{
	struct tallycoll_team *t = r->team;
	struct tc_member_group *mg = t->mg;
	struct tc_group_state state = { 0 };

	if (has_failed(r) || !mg->group ||
	    t->context->net->ops->group_state(mg->group, &state))
		return;
	if (state.status) {
		tc_tell_end(t, state.status);
		tc_request_fail(r, state.status, NULL);
	} else if (state.gone && t->gone) {
		tc_give_up(r, TALLY_COLL_RANK_GONE);
	}
	t->gone = state.gone;
}

/*
 * Another rank's ABORT may never have left, for its queue had failed. So one that learns of the end
 * aborts, too.
 */
void tc_watch(struct tallycoll_request *r)
{
	struct tallycoll_team *t = r->team;
	struct tc_host *host = t->context->host;
	uint32_t broken = tc_flag_get(&t->mg->party[TC_PARTY_NODE].area->head->broken);
	uint64_t now;

	if (broken) {
		tc_give_up(r, broken - 1);
		return;
	}
	now = host->ops->now_ns(host);
	if (!t->looked_ns) {
		t->looked_ns = now;
	} else if (now - t->looked_ns > TC_SCAN_NS) {
		t->looked_ns = now;
		look(r);
	}
}
