// SPDX-License-Identifier: BSD-2-Clause
/*
 * Groups that no team uses: kept for the next team with the same ranks, and closed in the end.
 *
 * A rank whose data another one of its node posts may be done before that happens. If it left the
 * group then, the NIC would miss it in the message (RANK_GONE). So a group is closed when it has
 * *settled*: when all messages in which this rank took part have ended at this node. Until then it
 * waits in a list of its own.
 */
#include <stdlib.h>

#include "core/area.h"
#include "core/core.h"

/* So many groups are kept at most. */
#define CACHE_MOST 16

static bool has_settled(const struct tc_member_group *mg)
{
	for (unsigned int k = 0; k < TC_NUM_PARTIES; k++) {
		const struct tc_party *party = &mg->party[k];

		if (party->area && !tc_area_settled(party->area, party->entered))
			return false;
	}
	return true;
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

void tc_member_group_retire(struct tallycoll_context *c, struct tc_member_group *mg)
{
	if (has_settled(mg)) {
		tc_member_group_close(c, mg);
		return;
	}
	mg->next = c->retired;
	c->retired = mg;
}

static void close_settled(struct tallycoll_context *c)
{
	struct tc_member_group **at = &c->retired;

	while (*at) {
		struct tc_member_group *mg = *at;

		if (!has_settled(mg)) {
			at = &mg->next;
			continue;
		}
		*at = mg->next;
		tc_member_group_close(c, mg);
	}
}

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

static void retire_last(struct tallycoll_context *c)
{
	struct tc_member_group **last = &c->cache, *mg;

	while ((*last)->next)
		last = &(*last)->next;
	mg = *last;
	*last = NULL;
	c->num_cached--;
	tc_member_group_retire(c, mg);
}

/* The cache keeps the groups that were used last. */
void tc_cache_add(struct tallycoll_context *c, struct tc_member_group *mg)
{
	close_settled(c);
	mg->next = c->cache;
	c->cache = mg;
	if (++c->num_cached > CACHE_MOST)
		retire_last(c);
}

void tc_cache_make_room(struct tallycoll_context *c)
{
	close_settled(c);
	while (c->cache && c->num_groups >= c->net->max_groups)
		retire_last(c);
}

/* Whether a message of the group may never end, because the group has, or a rank of the node. */
static bool is_hopeless(const struct tallycoll_context *c, const struct tc_member_group *mg)
{
	struct tc_group_state state = { 0 };

	return !mg->group || c->net->ops->group_state(mg->group, &state) || state.status ||
	       state.gone;
}

void tc_cache_close(struct tallycoll_context *c)
{
	struct tc_host *host = c->host;

	while (c->cache)
		retire_last(c);
	while (c->retired) {
		struct tc_member_group *mg = c->retired;

		for (unsigned int idle = 0; !has_settled(mg) && !is_hopeless(c, mg); idle++)
			host->ops->wait(host, idle);
		c->retired = mg->next;
		tc_member_group_close(c, mg);
	}
}
