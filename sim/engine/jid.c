// SPDX-License-Identifier: BSD-2-Clause
/*
 * Lookup of groups and tombstones by job id: a hash table with a list for each bucket. Several lives
 * of one job may be in the table, at most one of which is not destroyed.
 */
#include "engine/jid.h"
#include "engine/common.h"

static struct group **bucket_of(struct engine *e, uint32_t jid)
{
	return &e->by_jid[jid * 0x9e3779b1u >> (32 - JID_BITS)];
}

void jid_add(struct engine *e, struct group *g)
{
	struct group **bucket = bucket_of(e, g->jid);

	e->recent = NULL;
	g->next_of_jid = *bucket;
	*bucket = g;
}

void jid_remove(struct engine *e, struct group *g)
{
	struct group **link = bucket_of(e, g->jid);

	e->recent = NULL;
	while (*link != g)
		link = &(*link)->next_of_jid;
	*link = g->next_of_jid;
}

static struct group *find(struct group *g, uint32_t jid)
{
	while (g && g->jid != jid)
		g = g->next_of_jid;
	return g;
}

struct group *jid_first(struct engine *e, uint32_t jid)
{
	if (!e->recent || e->recent->jid != jid)
		e->recent = find(*bucket_of(e, jid), jid);
	return e->recent;
}

struct group *jid_next(const struct group *g)
{
	return find(g->next_of_jid, g->jid);
}
