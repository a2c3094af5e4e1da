// SPDX-License-Identifier: BSD-2-Clause
/*
 * Steps that make a group. The first rank of each node makes the group, that of each party its memory.
 * Then the others join. When all hold their ranks, all open queues: a queue posts only for ranks that a
 * process holds.
 */
#include <stdlib.h>

#include "core/area.h"
#include "core/core.h"
#include "core/group_make.h"
#include "core/tracing.h"

bool tc_exchange(const struct tallycoll_team *t, const void *mine, void *all, size_t bytes)
{
	struct tc_host *host = t->context->host;
	bool failed;

	host->ops->unlock(host);
	failed = t->oob.allgather(t->oob.arg, mine, all, bytes);
	host->ops->lock(host);
	return !failed;
}

/* Tells whether all ranks have succeeded. */
static bool all_good(struct tc_votes *v, bool good)
{
	uint8_t mine = good;

	v->oob_failed = !tc_exchange(v->team, &mine, v->all, 1);
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
		       uint64_t join_key, char *why, size_t size)
{
	const struct tc_shape *s = &mg->shape;
	struct tc_address *nodes;
	uint8_t *ranks;
	struct tc_group_cfg cfg = {
		.jid = mg->jid,
		.num_nodes = s->num_nodes,
		.node = s->node,
		.join_key = join_key,
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

bool tc_group_make(struct tc_votes *v, struct tc_member_group *mg, uint64_t join_key)
{
	struct tallycoll_context *c = v->team->context;
	bool first = mg->shape.local == 0, good;
	char why[TC_ERROR_MAX] = "";

	tc_cache_make_room(c);
	find_party(c, mg, TC_PARTY_NODE);
	find_party(c, mg, TC_PARTY_SOCKET);
	good = (!first || open_group(c, mg, join_key, why, sizeof(why))) &&
	       open_areas(c, mg, join_key, true);
	good = all_good(v, good);
	if (good)
		good = all_good(v, (first || open_group(c, mg, join_key, why, sizeof(why))) &&
					   open_areas(c, mg, join_key, false));
	if (good)
		good = all_good(v, open_queues(c, mg, why, sizeof(why)));
	unlink_areas(c, mg, join_key);
	if (!good)
		tc_trace_why(c, why);
	return good;
}
