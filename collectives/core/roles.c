// SPDX-License-Identifier: BSD-2-Clause
#include "core/roles.h"

#include <stdlib.h>

static bool together(const struct tc_location *a, const struct tc_location *b, bool sockets)
{
	return a->node == b->node && (!sockets || a->socket == b->socket);
}

/* The first SRR's node has as many MRRs as it has SRRs. */
static void count_mrrs(struct tc_roles *roles, const struct tc_location *at)
{
	for (uint32_t i = 0; i < roles->num_srrs; i++)
		roles->num_mrrs += at[roles->srr[i]].node == at[roles->srr[0]].node;
}

bool tc_roles_init(struct tc_roles *roles, const struct tc_location *at, uint32_t size,
		   bool sockets)
{
	*roles = (struct tc_roles){ .size = size };
	roles->srr = calloc(2 * (size_t)size, sizeof(*roles->srr));
	if (!roles->srr)
		return false;
	roles->srr_of = roles->srr + size;
	for (uint32_t r = 0; r < size; r++) {
		uint32_t i = 0;

		while (i < roles->num_srrs && !together(&at[roles->srr[i]], &at[r], sockets))
			i++;
		if (i == roles->num_srrs)
			roles->srr[roles->num_srrs++] = r;
		roles->srr_of[r] = i;
	}
	count_mrrs(roles, at);
	return true;
}

void tc_roles_free(struct tc_roles *roles)
{
	free(roles->srr);
	roles->srr = NULL;
}

enum tc_role tc_role_of(const struct tc_roles *roles, uint32_t rank)
{
	uint32_t i = roles->srr_of[rank];

	if (roles->srr[i] != rank)
		return TC_ROLE_SR;
	return i < roles->num_mrrs ? TC_ROLE_MRR : TC_ROLE_NMRR;
}

uint32_t tc_role_group(const struct tc_roles *roles, uint32_t rank)
{
	return roles->srr_of[rank] % roles->num_mrrs;
}

uint32_t tc_role_master(const struct tc_roles *roles, uint32_t rank)
{
	return roles->srr[tc_role_group(roles, rank)];
}

uint32_t tc_role_next(const struct tc_roles *roles, uint32_t rank, uint32_t first, uint32_t num)
{
	uint32_t next = roles->srr_of[rank] + roles->num_mrrs;

	if (next >= first + num)
		next = first + (roles->srr_of[rank] - first) % roles->num_mrrs;
	return roles->srr[next];
}

const char *tc_role_name(enum tc_role role)
{
	static const char *const names[] = { "MRR", "NMRR", "SR" };

	return names[role];
}
