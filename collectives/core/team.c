// SPDX-License-Identifier: BSD-2-Clause
/*
 * Teams and their groups. Creating a team takes one allgather if its members find a group in their
 * caches, four if they make one. Each allgather tells whether all have succeeded so far, so all take
 * the same steps.
 */
#include <stdlib.h>
#include <string.h>

#include "core/area.h"
#include "core/core.h"
#include "core/tracing.h"

/* Caches keep so many groups at most. */
#define CACHE_MOST 16

struct hello {
	uint64_t join_key;	/* of rank 0 */
	uint32_t jid;		/* of rank 0, for a new group */
	uint32_t cached_jid, cached_mid;	/* of a group in the cache; 0: none */
	uint32_t good;
};

struct tc_member_group *tc_cache_find(struct tallycoll_context *c, const struct tc_shape *shape)
{
	for (struct tc_member_group **at = &c->cache; *at; at = &(*at)->next) {
		struct tc_member_group *mg = *at;

		if (tc_shape_equal(&mg->shape, shape)) {
			*at = mg->next;
			c->num_cached--;
			return mg;
		}
	}
	return NULL;
}

void tc_member_group_close(struct tallycoll_context *c, struct tc_member_group *mg)
{
	const struct tc_net_ops *ops = c->net->ops;

	if (mg->node)
		ops->queue_close(mg->node);
	if (mg->own)
		ops->queue_close(mg->own);
	if (mg->group) {
		ops->group_close(mg->group);
		c->num_groups--;
	}
	for (unsigned int k = 0; k < TC_NUM_PARTIES; k++)
		if (mg->party[k].area)
			tc_area_close(mg->party[k].area);
	tc_shape_free(&mg->shape);
	free(mg);
}

/* The cache keeps the groups that were used last. */
static void cache_add(struct tallycoll_context *c, struct tc_member_group *mg)
{
	struct tc_member_group **last = &c->cache;

	mg->next = c->cache;
	c->cache = mg;
	if (++c->num_cached <= CACHE_MOST)
		return;
	while ((*last)->next)
		last = &(*last)->next;
	tc_member_group_close(c, *last);
	*last = NULL;
	c->num_cached--;
}

/* Makes room for a group. */
static void evict(struct tallycoll_context *c)
{
	while (c->cache && c->num_groups >= c->net->max_groups) {
		struct tc_member_group **last = &c->cache;

		while ((*last)->next)
			last = &(*last)->next;
		tc_member_group_close(c, *last);
		*last = NULL;
		c->num_cached--;
	}
}

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

/* Tells whether all ranks have succeeded. */
static bool all_good(const struct tallycoll_team *t, bool good)
{
	uint8_t mine = good, *all = calloc(t->oob.size, 1);
	bool result = all && exchange(t, &mine, all, 1);

	for (uint32_t r = 0; result && r < t->oob.size; r++)
		result = all[r];
	free(all);
	return result;
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
static enum tallycoll_reason make_group(struct tallycoll_team *t, struct tc_member_group *mg,
					const struct hello *hello)
{
	struct tallycoll_context *c = t->context;
	bool first = mg->shape.local == 0, good;
	char why[TC_ERROR_MAX] = "";

	evict(c);
	find_party(c, mg, TC_PARTY_NODE);
	find_party(c, mg, TC_PARTY_SOCKET);
	good = (!first || open_group(c, mg, hello, why, sizeof(why))) &&
	       open_areas(c, mg, hello->join_key, true);
	good = all_good(t, good);
	if (good)
		good = all_good(t, (first || open_group(c, mg, hello, why, sizeof(why))) &&
					   open_areas(c, mg, hello->join_key, false));
	if (good)
		good = all_good(t, open_queues(c, mg, why, sizeof(why)));
	unlink_areas(c, mg, hello->join_key);
	if (!good)
		tc_trace_why(c, why);
	return good ? TALLYCOLL_REASON_NONE : TALLYCOLL_REASON_NO_GROUP;
}

static struct hello greet(struct tallycoll_context *c, const struct tc_member_group *cached,
			  bool good)
{
	struct hello hello;

	memset(&hello, 0, sizeof(hello));
	c->host->ops->random(c->host, &hello.jid, sizeof(hello.jid));
	c->host->ops->random(c->host, &hello.join_key, sizeof(hello.join_key));
	hello.jid = hello.jid ? hello.jid : 1;
	hello.good = good;
	if (cached) {
		hello.cached_jid = cached->jid;
		hello.cached_mid = cached->next_mid;
	}
	return hello;
}

/* ---- Teams ---- */
/* Takes the group from the caches if all have it, or makes one. */
static enum tallycoll_status find_group(struct tallycoll_team *t, struct tc_shape *shape, bool good)
{
	struct tallycoll_context *c = t->context;
	struct tc_member_group *cached = good ? tc_cache_find(c, shape) : NULL;
	struct tc_member_group *mg = good ? calloc(1, sizeof(*mg)) : NULL;
	struct hello mine = greet(c, cached, mg), *all = calloc(t->oob.size, sizeof(*all));
	bool reuse = cached;

	if (!all || !exchange(t, &mine, all, sizeof(mine))) {
		free(all);
		free(mg);
		tc_shape_free(shape);
		if (cached)
			tc_member_group_close(c, cached);
		return TALLYCOLL_ERR_OOB;
	}
	for (uint32_t r = 0; r < t->oob.size; r++) {
		reuse &= all[r].cached_jid == mine.cached_jid && all[r].cached_mid == mine.cached_mid;
		if (!all[r].good)
			t->reason = TALLYCOLL_REASON_NO_MEMORY;
	}
	if (reuse && cached) {
		t->mg = cached;
		free(mg);
		tc_shape_free(shape);
	} else {
		if (cached)
			tc_member_group_close(c, cached);
		if (mg && !t->reason) {
			mg->shape = *shape;
			mg->jid = all[0].jid;
			t->reason = make_group(t, mg, &all[0]);
			if (t->reason)
				tc_member_group_close(c, mg);
			else
				t->mg = mg;
		} else {
			free(mg);
			tc_shape_free(shape);
		}
	}
	free(all);
	return TALLYCOLL_OK;
}

enum tallycoll_status tallycoll_team_create(struct tallycoll_context *c,
					    const struct tallycoll_team_params *params,
					    struct tallycoll_team **team)
{
	struct tallycoll_team *t = calloc(1, sizeof(*t));
	enum tallycoll_status status = TALLYCOLL_OK;
	struct tc_shape shape;
	bool good;

	if (!t)
		return TALLYCOLL_ERR_MEMORY;
	t->context = c;
	t->oob = params->oob;
	t->last = &t->first;
	t->reason = c->reason;
	if (t->oob.size < 2 && !t->reason)
		t->reason = TALLYCOLL_REASON_ONE_RANK;
	c->host->ops->lock(c->host);
	if (!t->reason) {
		good = tc_shape_init(&shape, c->process, params->ranks, t->oob.size, t->oob.rank);
		status = find_group(t, &shape, good);
	}
	c->host->ops->unlock(c->host);
	if (status) {
		free(t);
	} else {
		tc_trace_team(t);
		*team = t;
	}
	return status;
}

void tallycoll_team_destroy(struct tallycoll_team *t)
{
	struct tallycoll_context *c = t->context;

	c->host->ops->lock(c->host);
	if (t->mg && t->reason)
		tc_member_group_close(c, t->mg);
	else if (t->mg)
		cache_add(c, t->mg);
	c->host->ops->unlock(c->host);
	free(t);
}

enum tallycoll_reason tallycoll_team_reason(const struct tallycoll_team *t)
{
	struct tc_host *host = t->context->host;
	enum tallycoll_reason reason;

	host->ops->lock(host);
	reason = t->reason;
	host->ops->unlock(host);
	return reason;
}
