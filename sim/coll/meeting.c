// SPDX-License-Identifier: BSD-2-Clause
/* Allgathers of the ranks' programs, outside of the simulated network. */
#include <stdlib.h>
#include <string.h>

#include "coll/priv.h"

static struct coll_meeting *find(const struct sim_coll *s, const uint32_t *member, uint32_t num)
{
	struct coll_meeting *m = s->meeting;

	while (m && (m->num != num || memcmp(m->member, member, num * sizeof(*member))))
		m = m->next;
	return m;
}

static struct coll_meeting *make(struct sim_coll *s, const uint32_t *member, uint32_t num)
{
	struct coll_meeting *m = calloc(1, sizeof(*m));

	if (!m)
		abort();
	m->num = num;
	m->member = calloc(num, sizeof(*m->member));
	m->call = calloc(num, sizeof(*m->call));
	m->seat = calloc(num, sizeof(*m->seat));
	if (!m->member || !m->call || !m->seat)
		abort();
	memcpy(m->member, member, num * sizeof(*member));
	for (uint32_t i = 0; i < num; i++)
		m->seat[i] = (struct coll_seat){ m, &s->rank[member[i]], i };
	m->next = s->meeting;
	s->meeting = m;
	return m;
}

/* All have come. */
static void hand_out(struct coll_meeting *m)
{
	size_t bytes = m->call[0].bytes;

	m->differ = false;
	for (uint32_t i = 1; i < m->num; i++)
		m->differ |= m->call[i].bytes != bytes;
	for (uint32_t to = 0; to < m->num && !m->differ; to++)
		for (uint32_t i = 0; i < m->num; i++)
			memcpy((uint8_t *)m->call[to].all + i * bytes, m->call[i].mine, bytes);
	m->here = 0;
	m->round++;
	for (uint32_t i = 0; i < m->num; i++)
		coll_wake(m->seat[i].rank);
}

static int allgather(void *arg, const void *mine, void *all, size_t bytes)
{
	struct coll_seat *seat = arg;
	struct coll_meeting *m = seat->meeting;
	uint64_t round = m->round;

	m->call[seat->number].mine = mine;
	m->call[seat->number].all = all;
	m->call[seat->number].bytes = bytes;
	if (++m->here == m->num)
		hand_out(m);
	while (m->round == round)
		coll_block(seat->rank, VT_NEVER);
	if (m->differ)
		coll_fail(seat->rank, "an allgather of different lengths");
	return m->differ;
}

struct tallycoll_oob coll_oob(struct coll_rank *r, const uint32_t *member, uint32_t num)
{
	struct coll_meeting *m;
	uint32_t *all = NULL, k = 0;

	if (!member) {
		num = r->s->num_ranks;
		all = calloc(num, sizeof(*all));
		if (!all)
			abort();
		for (uint32_t i = 0; i < num; i++)
			all[i] = i;
		member = all;
	}
	m = find(r->s, member, num);
	if (!m)
		m = make(r->s, member, num);
	free(all);
	while (k < num && m->member[k] != r->number)
		k++;
	if (k == num)
		coll_fail(r, "it is no member of its allgather");
	return (struct tallycoll_oob){ .allgather = allgather, .arg = &m->seat[k % num], .rank = k,
				       .size = num };
}
