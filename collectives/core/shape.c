// SPDX-License-Identifier: BSD-2-Clause
#include "core/shape.h"

#include <stdlib.h>
#include <string.h>

#include "core/core.h"

static bool same_node(const struct tc_process *a, const struct tc_process *b)
{
	return !memcmp(a->host, b->host, sizeof(a->host)) &&
	       !memcmp(a->address.gid, b->address.gid, sizeof(a->address.gid));
}

/* Gives each rank its node. The context's ranks of one node form a list by their first one. */
static bool number_nodes(struct tc_shape *s, const struct tc_process *process)
{
	uint32_t *first = calloc(s->size, sizeof(*first));	/* [node] a rank of it */

	if (!first)
		return false;
	for (uint32_t r = 0; r < s->size; r++) {
		const struct tc_process *mine = &process[s->member[r]];
		uint32_t n = 0;

		while (n < s->num_nodes && !same_node(&process[s->member[first[n]]], mine))
			n++;
		if (n == s->num_nodes)
			first[s->num_nodes++] = r;
		s->node_of[r] = n;
		s->local_of[r] = s->node_first[n + 1]++;	/* its ranks; places follow */
	}
	free(first);
	return true;
}

/* A node's ranks are on several sockets if one differs from the first rank's. */
static bool find_sockets(struct tc_shape *s, const struct tc_process *process)
{
	uint32_t *first = calloc(s->num_nodes, sizeof(*first));

	if (!first)
		return false;
	for (uint32_t r = s->size; r-- > 0;)
		first[s->node_of[r]] = r;
	for (uint32_t r = 0; r < s->size; r++)
		s->has_sockets |= process[s->member[r]].socket !=
				  process[s->member[first[s->node_of[r]]]].socket;
	free(first);
	return true;
}

static void number_places(struct tc_shape *s)
{
	s->least_local = s->size;
	for (uint32_t n = 0; n < s->num_nodes; n++) {
		s->most_local = tc_max(s->most_local, s->node_first[n + 1]);
		if (s->node_first[n + 1] < s->least_local)
			s->least_local = s->node_first[n + 1];
		s->node_first[n + 1] += s->node_first[n];
	}
	s->ordered = true;
	for (uint32_t r = 0; r < s->size; r++) {
		s->place[r] = s->node_first[s->node_of[r]] + s->local_of[r];
		s->ordered &= s->place[r] == r;
	}
	s->node = s->node_of[s->rank];
	s->local = s->local_of[s->rank];
	s->num_local = tc_shape_ranks(s, s->node);
	s->crowded = s->most_local > TALLY_MAX_RANKS;
}

bool tc_shape_init(struct tc_shape *s, const struct tc_process *process, const uint32_t *member,
		   uint32_t size, uint32_t rank)
{
	uint32_t *room = calloc(5 * (size_t)size + 1, sizeof(*room));

	if (!room)
		return false;
	*s = (struct tc_shape){ .size = size, .rank = rank, .member = room };
	s->node_of = room + size;
	s->local_of = s->node_of + size;
	s->place = s->local_of + size;
	s->node_first = s->place + size;
	for (uint32_t r = 0; r < size; r++)
		s->member[r] = member ? member[r] : r;
	if (!number_nodes(s, process) || !find_sockets(s, process)) {
		tc_shape_free(s);
		return false;
	}
	number_places(s);
	return true;
}

void tc_shape_free(struct tc_shape *s)
{
	free(s->member);
	s->member = NULL;
}

bool tc_shape_equal(const struct tc_shape *a, const struct tc_shape *b)
{
	return a->size == b->size && a->rank == b->rank &&
	       !memcmp(a->member, b->member, a->size * sizeof(*a->member));
}

uint32_t tc_shape_ranks(const struct tc_shape *s, uint32_t node)
{
	return s->node_first[node + 1] - s->node_first[node];
}

uint32_t tc_shape_contributors(const struct tc_shape *s, uint32_t node)
{
	uint32_t ranks = tc_shape_ranks(s, node);

	return ranks < TALLY_MAX_RANKS ? ranks : TALLY_MAX_RANKS;
}

uint32_t tc_shape_contributor(const struct tc_shape *s, uint32_t rank)
{
	return s->local_of[rank] % TALLY_MAX_RANKS;
}
