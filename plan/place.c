// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Assignment of places to nodes, and the switches that nodes share. */
/* For qsort_r(). An rdma-core tree does not define it for every file, unlike ours. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "plan/plan_int.h"

#include <errno.h>
#include <stdlib.h>

/*
 * Returns whether two nodes are under one switch of `level`: their switches at this level and above
 * it agree.
 */
static bool share(const struct plan_request *req, uint32_t level, uint32_t a, uint32_t b)
{
	for (uint32_t l = level; l < req->num_levels; l++)
		if (req->sw[l] && req->sw[l][a] != req->sw[l][b])
			return false;
	return true;
}

/*
 * Orders nodes by switch, from the highest level down. Under one leaf, nodes without ranks come
 * first, so that in a tree they have other nodes below them.
 */
static int compare(const void *va, const void *vb, void *arg)
{
	const struct plan_request *req = arg;
	uint32_t a = *(const uint16_t *)va, b = *(const uint16_t *)vb;

	for (uint32_t l = req->num_levels; l-- > 0;)
		if (req->sw[l] && req->sw[l][a] != req->sw[l][b])
			return req->sw[l][a] < req->sw[l][b] ? -1 : 1;
	if (!request_ranks(req, a) != !request_ranks(req, b))
		return request_ranks(req, a) ? 1 : -1;
	return a < b ? -1 : a > b;
}

/* `sorted` are the nodes of the request, with neighbours next to each other. */
static int find_switches(struct plan *plan, const struct plan_request *req, const uint16_t *sorted)
{
	struct plan_topo *topo = &plan->shape->topo;

	topo->levels = req->num_levels;
	for (uint32_t l = 0; l < req->num_levels; l++) {
		uint16_t id = 0;

		topo->sw[l] = calloc(req->num_nodes, sizeof(*topo->sw[l]));
		if (!topo->sw[l])
			return -ENOMEM;
		for (uint32_t i = 0; i < req->num_nodes; i++) {
			if (i && !share(req, l, sorted[i - 1], sorted[i]))
				id++;
			topo->sw[l][plan->place[sorted[i]]] = id;
		}
	}
	return 0;
}

int plan_place_nodes(struct plan *plan, const struct plan_request *req)
{
	uint32_t n = req->num_nodes;
	uint16_t *sorted = malloc(n * sizeof(*sorted));
	int err;

	if (!sorted)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		sorted[i] = i;
	qsort_r(sorted, n, sizeof(*sorted), compare, (void *)req);
	for (uint32_t i = 0; i < n; i++)
		plan->node[i] = req->keep_order ? i : sorted[i];
	for (uint32_t i = 0; i < n; i++)
		plan->place[plan->node[i]] = i;
	err = find_switches(plan, req, sorted);
	free(sorted);
	return err;
}

void plan_count_ranks(struct plan *plan, const struct plan_request *req)
{
	uint32_t *first = plan->shape->rank_first;

	first[0] = 0;
	plan->shape->uniform = true;
	for (uint32_t i = 0; i < plan->num_nodes; i++) {
		first[i + 1] = first[i] + request_ranks(req, plan->node[i]);
		if (first[i + 1] == first[i])
			plan->flags |= TALLY_GROUP_F_SPARSE;
		if (first[i + 1] - first[i] != first[1])
			plan->shape->uniform = false;
	}
	plan->total_ranks = first[plan->num_nodes];
}

void plan_move(struct plan *plan, const struct plan_request *req, struct placement *to)
{
	struct placement was = { .node = plan->node, .topo = plan->shape->topo };

	plan->node = to->node;
	plan->shape->topo = to->topo;
	*to = was;
	for (uint32_t i = 0; i < plan->num_nodes; i++)
		plan->place[plan->node[i]] = i;
	plan_count_ranks(plan, req);
}

void plan_placement_free(struct placement *placement)
{
	free(placement->node);
	plan_topo_free(&placement->topo);
}

void plan_topo_free(struct plan_topo *topo)
{
	for (uint32_t l = 0; l < PLAN_MAX_LEVELS; l++)
		free(topo->sw[l]);
}

uint32_t plan_topo_distance(const struct plan_topo *topo, uint16_t a, uint16_t b)
{
	uint32_t l = 0;

	while (l < topo->levels && topo->sw[l][a] != topo->sw[l][b])
		l++;
	/* The request has no cost for levels above the highest possible one. */
	return l < PLAN_MAX_LEVELS ? l + 1 : PLAN_MAX_LEVELS;
}
