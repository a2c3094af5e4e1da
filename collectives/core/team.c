// SPDX-License-Identifier: BSD-2-Clause
/*
 * Teams and their groups. Creating a team takes one allgather if its members find a group in their
 * caches, four if they make one. Each allgather tells whether all have succeeded so far, so all take
 * the same steps. A rank that cannot go on takes part in the next allgather all the same, because
 * the others wait in it.
 */
#include <stdlib.h>
#include <string.h>

#include "core/area.h"
#include "core/core.h"
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

/* ---- The steps of a new group ---- */
/*
 * The runtime's allgather, without the lock: another thread may have to progress an operation before
 * all ranks come here.
 */
static bool exchange(const struct tallycoll_team *t, const void *mine, void *all, size_t bytes)
{
	struct tc_host *host = t->context->host;
	bool failed;

	host->ops->unlock(host);
	failed = t->oob.allgather(t->oob.arg, mine, all, bytes);
	host->ops->lock(host);
	return !failed;
}

/* The votes of all ranks, in memory that was there before anything could fail. */
struct votes {
	const struct tallycoll_team *team;
	uint8_t *all;
	bool oob_failed;
};

/* Tells whether all ranks have succeeded. */
static bool all_good(struct votes *v, bool good)
{
	uint8_t mine = good;

	v->oob_failed = !exchange(v->team, &mine, v->all, 1);
	if (v->oob_failed)
		return false;
	for (uint32_t r = 0; good && r < v->team->oob.size; r++)
		good = v->all[r];
	return good;
}

/* A rank beyond the contributors of its node has no part in the group; others post for it. */
static bool has_part(const struct tc_shape *s)
{
	return s->local < TALLY_MAX_RANKS;
}

static bool open_group(struct tallycoll_context *c, struct tc_member_group *mg,
		       const struct hello *hello, char *why, size_t size)
{
	const struct tc_shape *s = &mg->shape;
	struct tc_address *nodes;
	uint8_t *ranks;
	struct tc_group_cfg cfg = {
		.jid = hello->jid,
		.num_nodes = s->num_nodes,
		.node = s->node,
		.join_key = hello->join_key,
		.held = 1ULL << s->local % TALLY_MAX_RANKS,
		.create = s->local == 0,
	};
	int err = -1;

	if (!has_part(s))
		return true;
	cfg.nodes = nodes = calloc(s->num_nodes, sizeof(*nodes));
	cfg.ranks = ranks = calloc(s->num_nodes, 1);
	for (uint32_t r = 0; nodes && ranks && r < s->size; r++) {
		nodes[s->node_of[r]] = c->process[s->member[r]].address;
		ranks[s->node_of[r]] = tc_shape_contributors(s, s->node_of[r]);
	}
	if (nodes && ranks)
		err = c->net->ops->group_open(c->net, &cfg, &mg->group, why, size);
	free(nodes);
	free(ranks);
	if (err)
		mg->group = NULL;
	else
		c->num_groups++;
	return !err;
}

static bool open_queues(struct tallycoll_context *c, struct tc_member_group *mg, char *why,
			size_t size)
{
	const struct tc_net_ops *ops = c->net->ops;
	const struct tc_shape *s = &mg->shape;

	if (!has_part(s))
		return true;
	if ((!s->crowded || s->num_local == 1) &&
	    ops->queue_open(mg->group, 1ULL << s->local, s->local, &mg->own, why, size)) {
		mg->own = NULL;
		return false;
	}
	if (s->most_local > 1 &&
	    ops->queue_open(mg->group, mg->party[TC_PARTY_NODE].mask,
			    TALLY_MAX_RANKS + s->local, &mg->node, why, size)) {
		mg->node = NULL;
		return false;
	}
	return true;
}

/* Finds the ranks of this node that belong to a party, and this rank's number among them. */
static void find_party(const struct tallycoll_context *c, struct tc_member_group *mg,
		       enum tc_party_kind kind)
{
	const struct tc_shape *s = &mg->shape;
	struct tc_party *party = &mg->party[kind];

	for (uint32_t r = 0; r < s->size; r++) {
		bool here = s->node_of[r] == s->node;

		if (kind == TC_PARTY_SOCKET)
			here &= c->process[s->member[r]].socket == c->process[c->rank].socket;
		if (!here)
			continue;
		party->number += r < s->rank;
		party->num++;
		party->mask |= 1ULL << tc_shape_contributor(s, r);
	}
}

static void name_area(const struct tallycoll_context *c, const struct tc_member_group *mg,
		      enum tc_party_kind kind, uint64_t key, char name[TC_NAME_MAX])
{
	snprintf(name, TC_NAME_MAX, "/tallycoll-%08x-%016llx-%u-%u", mg->jid,
		 (unsigned long long)key, mg->shape.node,
		 kind == TC_PARTY_SOCKET ? 1 + c->process[c->rank].socket : 0);
}

/* Opens the memory of the parties. Their first ranks make it before the others open it. */
static bool open_areas(struct tallycoll_context *c, struct tc_member_group *mg, uint64_t key,
		       bool create)
{
	char name[TC_NAME_MAX];

	for (unsigned int k = 0; k < TC_NUM_PARTIES; k++) {
		struct tc_party *party = &mg->party[k];

		if (party->num < 2 || (k == TC_PARTY_SOCKET && !mg->shape.has_sockets) ||
		    (party->number == 0) != create)
			continue;
		name_area(c, mg, k, key, name);
		if (tc_area_open(&party->area, c->host, c->net, name, party->num, create)) {
			party->area = NULL;
			return false;
		}
	}
	return true;
}

static void unlink_areas(struct tallycoll_context *c, struct tc_member_group *mg, uint64_t key)
{
	char name[TC_NAME_MAX];

	for (unsigned int k = 0; k < TC_NUM_PARTIES; k++)
		if (mg->party[k].area && mg->party[k].number == 0) {
			name_area(c, mg, k, key, name);
			c->host->ops->share_unlink(c->host, name);
		}
}

/*
 * The first rank of each node makes the group, that of each party its memory. Then the others join.
 * When all hold their ranks, all open queues: a queue posts only for ranks that a process holds.
 */
static bool make_group(struct votes *v, struct tc_member_group *mg, const struct hello *hello)
{
	struct tallycoll_context *c = v->team->context;
	bool first = mg->shape.local == 0, good;
	char why[TC_ERROR_MAX] = "";

	tc_cache_make_room(c);
	find_party(c, mg, TC_PARTY_NODE);
	find_party(c, mg, TC_PARTY_SOCKET);
	good = (!first || open_group(c, mg, hello, why, sizeof(why))) &&
	       open_areas(c, mg, hello->join_key, true);
	good = all_good(v, good);
	if (good)
		good = all_good(v, (first || open_group(c, mg, hello, why, sizeof(why))) &&
					   open_areas(c, mg, hello->join_key, false));
	if (good)
		good = all_good(v, open_queues(c, mg, why, sizeof(why)));
	unlink_areas(c, mg, hello->join_key);
	if (!good)
		tc_trace_why(c, why);
	return good;
}

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
	struct votes v = { .team = t, .all = (uint8_t *)all };

	mg->shape = *shape;
	for (uint32_t opcode = 1; opcode < TC_NUM_OPCODES; opcode++)
		tc_cost_steps(&mg->cost[opcode], opcode, shape->num_nodes, shape->most_local);
	shape->member = NULL;
	mg->jid = first.jid;
	if (make_group(&v, mg, &first)) {
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

	if (all && exchange(t, &mine, all, sizeof(mine)))
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
