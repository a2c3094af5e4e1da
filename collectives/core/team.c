// SPDX-License-Identifier: BSD-2-Clause
/*
 * Teams and the groups that they get. Creating a team takes one allgather if its members find a group
 * in their caches, four if they make one (group_make.c). A rank that cannot go on takes part in the next
 * allgather all the same, because the others wait in it.
 */
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "core/group_make.h"
#include "core/tracing.h"

enum health {
	NO_MEMORY,
	GOOD,
	BAD_RANKS,	/* the list of ranks is wrong */
};

struct hello {
	uint64_t join_key;	/* of rank 0 */
	uint32_t jid;		/* of rank 0, for a new group */
	uint32_t cached_jid, cached_mid;	/* of a group in the cache; 0: none */
	uint32_t health;
	uint64_t members;	/* a hash of the list of ranks */
};

/* Two lists that differ have different hashes, but for one in 2^64. */
static uint64_t hash(const struct tc_shape *s)
{
	uint64_t h = 0xcbf29ce484222325;

	for (uint32_t r = 0; r < s->size; r++) {
		h = (h ^ s->member[r]) * 0x100000001b3;
		h ^= h >> 32;
	}
	return h;
}

static struct hello greet(struct tallycoll_context *c, const struct tc_shape *shape,
			  const struct tc_member_group *cached, enum health health)
{
	struct hello hello;

	memset(&hello, 0, sizeof(hello));
	c->host->ops->random(c->host, &hello.jid, sizeof(hello.jid));
	c->host->ops->random(c->host, &hello.join_key, sizeof(hello.join_key));
	hello.jid = hello.jid ? hello.jid : 1;
	hello.health = health;
	hello.members = health == GOOD ? hash(shape) : 0;
	if (cached) {
		hello.cached_jid = cached->jid;
		hello.cached_mid = cached->next_mid;
	}
	return hello;
}

/* ---- The group of a new team ---- */
/* What keeps the team from a group, at all ranks alike. */
static enum tallycoll_status judge(struct tallycoll_team *t, const struct hello *all)
{
	const char *why = NULL;

	for (uint32_t r = 0; r < t->oob.size; r++) {
		if (all[r].health == NO_MEMORY)
			t->reason = TALLYCOLL_REASON_NO_MEMORY;
		else if (all[r].health == BAD_RANKS)
			why = "A rank's list of the team's ranks is wrong.";
		else if (all[0].health == GOOD && all[r].members != all[0].members)
			why = "The lists of the team's ranks differ.";
	}
	if (why)
		tc_trace_why(t->context, why);
	return why ? TALLYCOLL_ERR_PARAM : TALLYCOLL_OK;
}

static bool all_cached(const struct tallycoll_team *t, const struct hello *all)
{
	bool same = all[0].cached_jid;

	for (uint32_t r = 1; r < t->oob.size; r++)
		same &= all[r].cached_jid == all[0].cached_jid &&
			all[r].cached_mid == all[0].cached_mid;
	return same;
}

/* Gives the team a new group if it gets one. @all is used up. */
static enum tallycoll_status use_new_group(struct tallycoll_team *t, struct tc_member_group *mg,
					   struct tc_shape *shape, struct hello *all)
{
	const struct hello first = all[0];
	struct tc_votes v = { .team = t, .all = (uint8_t *)all };

	mg->shape = *shape;
	for (uint32_t opcode = 1; opcode < TC_NUM_OPCODES; opcode++)
		tc_cost_steps(&mg->cost[opcode], opcode, shape->num_nodes, shape->most_local);
	shape->member = NULL;
	mg->jid = first.jid;
	if (tc_group_make(&v, mg, first.join_key)) {
		t->mg = mg;
		return TALLYCOLL_OK;
	}
	t->reason = TALLYCOLL_REASON_NO_GROUP;
	tc_member_group_close(t->context, mg);
	return v.oob_failed ? TALLYCOLL_ERR_OOB : TALLYCOLL_OK;
}

/* Takes the group from the caches if all have it, or makes one. */
static enum tallycoll_status find_group(struct tallycoll_team *t, struct tc_shape *shape,
					enum health health)
{
	struct tallycoll_context *c = t->context;
	struct tc_member_group *cached = health == GOOD ? tc_cache_find(c, shape) : NULL;
	struct tc_member_group *mg = calloc(1, sizeof(*mg));
	struct hello mine = greet(c, shape, cached, mg || health != GOOD ? health : NO_MEMORY);
	struct hello *all = calloc(t->oob.size, sizeof(*all));
	enum tallycoll_status status = all ? TALLYCOLL_ERR_OOB : TALLYCOLL_ERR_MEMORY;

	if (all && tc_exchange(t, &mine, all, sizeof(mine)))
		status = judge(t, all);
	if (!status && !t->reason && all_cached(t, all)) {
		t->mg = cached;
		cached = NULL;
	} else if (!status && !t->reason) {
		if (cached)
			tc_member_group_retire(c, cached);
		cached = NULL;
		status = use_new_group(t, mg, shape, all);
		mg = NULL;
	}
	if (cached)
		tc_member_group_retire(c, cached);
	free(mg);
	tc_shape_free(shape);
	free(all);
	return status;
}

/* ---- Teams ---- */
static bool good_oob(const struct tallycoll_oob *oob)
{
	return oob->allgather && oob->size && oob->rank < oob->size;
}

/* Each member is a rank of the context, once, and this rank is where it says. */
static bool good_ranks(const struct tallycoll_context *c, const struct tallycoll_oob *oob,
		       const uint32_t *ranks, bool *seen)
{
	if (oob->size > c->size || (ranks ? ranks[oob->rank] : oob->rank) != c->rank)
		return false;
	for (uint32_t r = 0; ranks && r < oob->size; r++) {
		if (ranks[r] >= c->size || seen[ranks[r]])
			return false;
		seen[ranks[r]] = true;
	}
	return true;
}

static enum health examine(const struct tallycoll_context *c,
			   const struct tallycoll_team_params *params, struct tc_shape *shape)
{
	const struct tallycoll_oob *oob = &params->oob;
	bool *seen = calloc(c->size, 1);
	enum health health = NO_MEMORY;

	if (seen)
		health = good_ranks(c, oob, params->ranks, seen) ? GOOD : BAD_RANKS;
	free(seen);
	if (health == GOOD &&
	    !tc_shape_init(shape, c->process, params->ranks, oob->size, oob->rank))
		health = NO_MEMORY;
	return health;
}

/* A team that got no group knows its ranks until it gets one. Without memory there are no attempts. */
static void remember(struct tallycoll_team *t, const uint32_t *ranks)
{
	t->members = calloc(t->oob.size, sizeof(*t->members));
	for (uint32_t r = 0; t->members && r < t->oob.size; r++)
		t->members[r] = ranks ? ranks[r] : r;
	t->next_attempt = TC_FIRST_ATTEMPT;
}

static void forget(struct tallycoll_team *t)
{
	free(t->members);
	t->members = NULL;
}

/*
 * All ranks count the same calls, so they come here for the same one. Other teams may have been freed
 * since. An attempt takes an allgather and the NICs' time, so the number of operations doubles from one
 * to the next, and those which must not wait for other ranks only count.
 */
enum tallycoll_status tc_team_attempt(struct tallycoll_team *t, bool may_wait)
{
	struct tc_shape shape = { .member = NULL };
	enum health health = NO_MEMORY;
	enum tallycoll_status status;

	if (++t->refused < t->next_attempt || !may_wait)
		return TALLYCOLL_OK;
	t->next_attempt = 2 * t->refused;
	if (t->members && tc_shape_init(&shape, t->context->process, t->members, t->oob.size,
					t->oob.rank))
		health = GOOD;
	t->reason = TALLYCOLL_REASON_NONE;
	status = find_group(t, &shape, health);
	if (status)
		t->reason = TALLYCOLL_REASON_NO_GROUP;
	if (t->mg)
		forget(t);
	tc_trace_team(t);
	return status;
}

static enum tallycoll_status fill_team(struct tallycoll_team *t,
				       const struct tallycoll_team_params *params)
{
	struct tc_shape shape = { .member = NULL };
	enum health health = examine(t->context, params, &shape);
	enum tallycoll_status status;

	if (!t->reason) {
		status = find_group(t, &shape, health);
		if (t->reason == TALLYCOLL_REASON_NO_GROUP && !status)
			remember(t, params->ranks);
		return status;
	}
	tc_shape_free(&shape);
	return health == BAD_RANKS ? TALLYCOLL_ERR_PARAM : TALLYCOLL_OK;
}

enum tallycoll_status tallycoll_team_create(struct tallycoll_context *c,
					    const struct tallycoll_team_params *params,
					    struct tallycoll_team **team)
{
	enum tallycoll_status status;
	struct tallycoll_team *t;

	if (!c || !params || !team || !good_oob(&params->oob))
		return TALLYCOLL_ERR_PARAM;
	t = calloc(1, sizeof(*t));
	if (!t)
		return TALLYCOLL_ERR_MEMORY;
	t->context = c;
	t->oob = params->oob;
	t->last = &t->first;
	t->reason = c->reason;
	if (t->oob.size < 2 && !t->reason)
		t->reason = TALLYCOLL_REASON_ONE_RANK;
	c->host->ops->lock(c->host);
	status = c->destroyed ? TALLYCOLL_ERR_PARAM : fill_team(t, params);
	if (!status)
		c->num_teams++;
	c->host->ops->unlock(c->host);
	if (status) {
		free(t);
		return status;
	}
	tc_trace_team(t);
	*team = t;
	return TALLYCOLL_OK;
}

void tc_team_free(struct tallycoll_team *t)
{
	struct tallycoll_context *c = t->context;

	if (t->mg && t->reason)
		tc_member_group_close(c, t->mg);
	else if (t->mg)
		tc_cache_add(c, t->mg);
	for (struct tallycoll_request *r = c->spare; r; r = r->next)
		if (r->was == t)
			r->was = NULL;
	c->num_teams--;
	forget(t);
	free(t);
}

void tallycoll_team_destroy(struct tallycoll_team *t)
{
	struct tallycoll_context *c;

	if (!t)
		return;
	c = t->context;
	c->host->ops->lock(c->host);
	t->destroyed = true;
	if (!t->num_requests)
		tc_team_free(t);
	tc_context_unlock(c);
}

enum tallycoll_reason tallycoll_team_reason(const struct tallycoll_team *t)
{
	enum tallycoll_reason reason;
	struct tc_host *host;

	if (!t)
		return TALLYCOLL_REASON_NO_GROUP;
	host = t->context->host;
	host->ops->lock(host);
	reason = t->reason;
	host->ops->unlock(host);
	return reason;
}
