// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * EXCHANGE: other places, in which the nodes of small leaves are guests of large leaves, directly
 * after the nodes of those. Otherwise a part of a few nodes would have to serve all others, or a
 * part with many guests would be slow. One more node in each of several parts costs least.
 */
#include "plan/plan_int.h"

#include <errno.h>
#include <stdlib.h>

struct leaf {
	uint16_t first, count;	/* places */
	uint16_t guests;	/* number of guests to come */
};

struct leaves {
	uint32_t num, most;
	struct leaf *leaf;
};

static int find_leaves(const struct plan *plan, struct leaves *out)
{
	const struct plan_topo *topo = &plan->shape->topo;

	out->leaf = calloc(plan->num_nodes, sizeof(*out->leaf));
	if (!out->leaf)
		return -ENOMEM;
	for (uint32_t i = 0; i < plan->num_nodes; i++) {
		struct leaf *last;

		if (!i || (topo->levels && topo->sw[0][i] != topo->sw[0][i - 1]))
			out->leaf[out->num++].first = i;
		last = &out->leaf[out->num - 1];
		last->count++;
		out->most = last->count > out->most ? last->count : out->most;
	}
	return 0;
}

static bool is_small(const struct leaves *leaves, uint32_t k)
{
	return leaves->leaf[k].count * 3 <= leaves->most * 2;
}

/* Returns the large leaf before `host`, or the last one if there is none before it. */
static uint32_t next_host(const struct leaves *leaves, uint32_t host)
{
	do
		host = host ? host - 1 : leaves->num - 1;
	while (is_small(leaves, host));
	return host;
}

static uint32_t assign_guests(struct leaves *leaves)
{
	uint32_t num = 0;

	for (uint32_t k = 0; k < leaves->num; k++) {
		uint32_t host = k;

		if (!is_small(leaves, k))
			continue;
		for (uint32_t i = 0; i < leaves->leaf[k].count; i++, num++) {
			host = next_host(leaves, host);
			leaves->leaf[host].guests++;
		}
	}
	return num;
}

/* Computes the new order: old[i] is the old place of the node at place i. */
static void reorder(const struct leaves *leaves, uint16_t *old)
{
	uint32_t at = 0, k = 0, i = 0;

	for (uint32_t host = 0; host < leaves->num; host++) {
		const struct leaf *leaf = &leaves->leaf[host];

		if (is_small(leaves, host))
			continue;
		for (uint32_t own = 0; own < leaf->count; own++)
			old[at++] = leaf->first + own;
		for (uint32_t guest = 0; guest < leaf->guests; guest++, i++) {
			/* Find the next node of a small leaf. */
			while (!is_small(leaves, k) || i == leaves->leaf[k].count) {
				k++;
				i = 0;
			}
			old[at++] = leaves->leaf[k].first + i;
		}
	}
}

static int permute(const struct plan *plan, const uint16_t *old, struct placement *to)
{
	const struct plan_topo *topo = &plan->shape->topo;
	uint32_t n = plan->num_nodes;

	to->node = malloc(n * sizeof(*to->node));
	to->topo.levels = topo->levels;
	if (!to->node)
		return -ENOMEM;
	for (uint32_t l = 0; l < topo->levels; l++) {
		to->topo.sw[l] = malloc(n * sizeof(*to->topo.sw[l]));
		if (!to->topo.sw[l])
			return -ENOMEM;
		for (uint32_t i = 0; i < n; i++)
			to->topo.sw[l][i] = topo->sw[l][old[i]];
	}
	for (uint32_t i = 0; i < n; i++)
		to->node[i] = plan->node[old[i]];
	return 0;
}

int plan_rebalance(const struct plan *plan, struct placement *to, bool *any)
{
	struct leaves leaves = { 0 };
	uint16_t *old = malloc(plan->num_nodes * sizeof(*old));
	int err = old ? find_leaves(plan, &leaves) : -ENOMEM;

	*any = !err && assign_guests(&leaves) > 0;
	if (*any) {
		reorder(&leaves, old);
		err = permute(plan, old, to);
	}
	free(old);
	free(leaves.leaf);
	return err;
}
