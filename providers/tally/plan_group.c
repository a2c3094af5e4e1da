// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Plans of groups: conversion of the planner's results for tallydv_create_group(). */
/* For qsort_r(). An rdma-core tree does not define it for every file, unlike ours. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan_group.h"
#include "tally.h"
#include "versions.h"

static int refuse(char *why, size_t size, const char *text)
{
	if (size)
		snprintf(why, size, "%s", text);
	return EINVAL;
}

#define PLAN_ATTR_MASK TALLYDV_PLAN_ATTR_MODES

/* Returns the member, which a program of the first version does not have. */
static uint32_t modes_of(const struct tallydv_plan_attr *attr)
{
	return attr->comp_mask & TALLYDV_PLAN_ATTR_MODES ? attr->modes : 0;
}

static int check_modes(const struct tallydv_plan_attr *attr, char *why, size_t size)
{
	uint32_t modes = modes_of(attr);

	if (attr->comp_mask & TALLYDV_PLAN_ATTR_MODES && attr->reserved)
		return refuse(why, size, "reserved: is not 0");
	if (!(modes & ~(uint32_t)TALLY_OPS_MODES))
		return 0;
	if (size)
		snprintf(why, size, "modes: is %#x, and must be of TREE, EXCHANGE and RING", modes);
	return EINVAL;
}

/* Checks that each given MAC is that of a station, or is 0 with a GID that contains one. */
static int check_macs(const struct tallydv_plan_attr *attr, char *why, size_t size)
{
	for (uint32_t k = 0; attr->macs && k < attr->num_nodes; k++) {
		struct tallydv_neighbour node = { .gid = attr->gids[k] };

		memcpy(node.mac, attr->macs[k], sizeof(node.mac));
		if (!(node.mac[0] & 1) && tally_has_mac(&node))
			continue;
		if (size)
			snprintf(why, size, "macs: node %u has %s", k,
				 node.mac[0] & 1 ? "a multicast one" :
						   "none, nor a link-local GID made of one");
		return EINVAL;
	}
	return 0;
}

static int compare_gids(const void *a, const void *b, void *gids)
{
	const union ibv_gid *gid = gids;

	return memcmp(&gid[*(const uint16_t *)a], &gid[*(const uint16_t *)b], sizeof(*gid));
}

/* Checks that no two nodes have the same GID. */
static int check_gids(const struct tallydv_plan_attr *attr, char *why, size_t size)
{
	uint16_t *sorted = malloc(attr->num_nodes * sizeof(*sorted));
	int err = sorted ? 0 : ENOMEM;

	for (uint32_t k = 0; !err && k < attr->num_nodes; k++)
		sorted[k] = k;
	if (!err)
		qsort_r(sorted, attr->num_nodes, sizeof(*sorted), compare_gids, (void *)attr->gids);
	for (uint32_t i = 1; !err && i < attr->num_nodes; i++) {
		if (compare_gids(&sorted[i - 1], &sorted[i], (void *)attr->gids))
			continue;
		err = EINVAL;
		if (size)
			snprintf(why, size, "gids: nodes %u and %u have the same", sorted[i - 1],
				 sorted[i]);
	}
	free(sorted);
	return err;
}

static int check_attr(const struct tallydv_plan_attr *attr, char *why, size_t size)
{
	static const union ibv_gid none;
	bool address = memcmp(&attr->mcast_gid, &none, sizeof(none));

	if (!attr->gids)
		return refuse(why, size, "gids: is NULL");
	if (address && attr->mcast_gid.raw[0] != 0xff)
		return refuse(why, size, "mcast_gid: is not in ff00::/8");
	if (!address && attr->flags & TALLY_GROUP_F_MULTICAST)
		return refuse(why, size, "mcast_gid: flags ask for MULTICAST, which needs one");
	return check_modes(attr, why, size);
}

/*
 * The planner may choose MULTICAST only if the program gives an address for it. MULTICAST alone
 * stays, because 0 would mean all capabilities.
 */
static uint64_t caps_of(const struct tallydv_plan_attr *attr)
{
	if (attr->mcast_gid.raw[0])
		return attr->caps ? attr->caps : UINT64_MAX;
	if (attr->caps == TALLY_CAP_MULTICAST)
		return attr->caps;
	return attr->caps & ~(uint64_t)TALLY_CAP_MULTICAST;
}

static struct plan_request request_of(const struct tallydv_plan_attr *attr)
{
	struct plan_request req = {
		.num_nodes = attr->num_nodes,
		.ranks = attr->ranks,
		.num_levels = attr->num_levels,
		.opcode = attr->opcode,
		.op = attr->op,
		.dtype = attr->dtype,
		.bytes = attr->bytes,
		.caps = caps_of(attr),
		.modes = modes_of(attr),
		.mode = attr->mode,
		.flags = attr->flags,
		.degree = attr->degree,
		.num_rounds = attr->num_rounds,
		.num_segs = attr->num_segs,
		.max_segs = attr->max_segs,
		.mtu = attr->mtu,
		.keep_order = attr->keep_order,
	};

	for (unsigned int l = 0; l < PLAN_MAX_LEVELS; l++)
		req.sw[l] = attr->switches[l];
	memcpy(req.radix, attr->radix, sizeof(req.radix));
	return req;
}

/* Returns a power of two that holds the segments of the group. */
static uint32_t segs_of(const struct plan *plan)
{
	uint32_t count = 1;

	while (count < plan->num_segs)
		count *= 2;
	return count;
}

static void put_choices(struct tallydv_mode_choice to[TALLYDV_NUM_CHOICES], const struct plan *plan)
{
	static_assert(PLAN_NUM_CHOICES == TALLYDV_NUM_CHOICES, "planner and program differ");
	for (unsigned int i = 0; i < TALLYDV_NUM_CHOICES; i++)
		to[i] = (struct tallydv_mode_choice){
			.small = plan->choice_small[i],
			.middle = plan->choice_middle[i],
			.large = plan->choice_large[i],
			.small_log = plan->choice_small_log[i],
			.middle_log = plan->choice_middle_log[i],
		};
}

static void fill_plan(struct group_plan *gp)
{
	struct tallydv_plan *dv = &gp->dv;
	const struct plan *plan = &gp->plan;

	dv->comp_mask = TALLYDV_PLAN_MODES;
	dv->mode = plan->mode;
	dv->flags = plan->flags;
	dv->num_nodes = plan->num_nodes;
	dv->total_ranks = plan->total_ranks;
	dv->degree = plan->degree;
	dv->rounds = plan->rounds;
	dv->num_segs = plan->num_segs;
	dv->seg_count = segs_of(plan);
	dv->mtu = plan->mtu;
	dv->estimate_ns = plan->estimate_ns;
	dv->reason = plan->reason;
	dv->place = plan->place;
	dv->node = plan->node;
	memcpy(dv->radix, plan->radix, sizeof(dv->radix));
	dv->max_segs = plan->max_segs;
	dv->hash = plan->hash;
	dv->chunk = plan->chunk;
	dv->modes = plan->modes;
	put_choices(dv->choice, plan);
}

/* Copies the addresses, because the plan outlives those of the caller. */
static int copy_addresses(struct group_plan *gp, const struct tallydv_plan_attr *attr)
{
	size_t n = attr->num_nodes;

	gp->mcast_gid = attr->mcast_gid;
	gp->gids = malloc(n * sizeof(*gp->gids));
	if (!gp->gids)
		return ENOMEM;
	memcpy(gp->gids, attr->gids, n * sizeof(*gp->gids));
	if (!attr->macs)
		return 0;
	gp->macs = malloc(n * sizeof(*gp->macs));
	if (!gp->macs)
		return ENOMEM;
	memcpy(gp->macs, attr->macs, n * sizeof(*gp->macs));
	return 0;
}

static int make_plan(struct group_plan *gp, const struct tallydv_plan_attr *attr, char *why,
		     size_t size)
{
	struct plan_request req = request_of(attr);
	int err = -plan_make(&gp->plan, &req, why, size);

	if (err)
		return err;
	/* The planner has checked the number of nodes. */
	err = check_gids(attr, why, size);
	if (!err)
		err = check_macs(attr, why, size);
	if (err)
		plan_free(&gp->plan);
	return err;
}

struct tallydv_plan *tallydv_plan_group(const struct tallydv_plan_attr *attr, char *why,
					size_t size)
{
	struct group_plan *gp;
	int err;

	err = EOPNOTSUPP;
	if (!attr)
		err = refuse(why, size, "attr: is NULL");
	else if (attr->comp_mask & ~(uint64_t)PLAN_ATTR_MASK)
		refuse(why, size, "comp_mask: has bits that this library does not know");
	else
		err = check_attr(attr, why, size);
	if (err) {
		errno = err;
		return NULL;
	}
	gp = calloc(1, sizeof(*gp));
	if (!gp)
		return NULL;
	err = make_plan(gp, attr, why, size);
	if (err) {
		free(gp);
		errno = err;
		return NULL;
	}
	err = copy_addresses(gp, attr);
	if (err) {
		tallydv_free_plan(&gp->dv);
		errno = err;
		return NULL;
	}
	fill_plan(gp);
	return &gp->dv;
}

void tallydv_free_plan(struct tallydv_plan *dv)
{
	struct group_plan *gp = (struct group_plan *)tally_group_plan(dv);

	plan_free(&gp->plan);
	free(gp->gids);
	free(gp->macs);
	free(gp);
}

/* A program of the first version may read the description of a neighbour in a group of one mode. */
static void as_first_version(struct tallydv_neighbour *n, enum tally_mode mode)
{
	/* The library sets the index of this node at a child, which has this node as its parent. */
	if (mode == TALLY_MODE_TREE && n->subtree_count)
		n->remote_index = 0;
	if (mode == TALLY_MODE_RING) {
		n->roles = tally_first_ring_roles(n->roles);
	} else if (mode == TALLY_MODE_EXCHANGE) {
		n->rank_first = n->part_first;
		n->rank_count = n->part_count;
		n->part_first = n->part_count = 0;
	}
}

static struct tallydv_neighbour neighbour_of(const struct group_plan *gp,
					     const struct plan_edge *edge)
{
	uint16_t k = gp->plan.node[edge->node];
	struct tallydv_neighbour n = {
		.gid = gp->gids[k],
		.remote_index = edge->remote_index,
		.subtree_first = edge->subtree_first,
		.subtree_count = edge->subtree_count,
		.rank_first = edge->rank_first,
		.rank_count = edge->rank_count,
		.round = edge->round,
		.position = edge->position,
		.part_first = edge->part_first,
		.part_count = edge->part_count,
		.roles = edge->roles,
	};

	if (!tally_plan_is_shared(&gp->plan))
		as_first_version(&n, gp->plan.mode);
	if (gp->macs)
		memcpy(n.mac, gp->macs[k], sizeof(n.mac));
	return n;
}

/* Names children and parent in a group of TREE alone; elsewhere all neighbours are peers. */
static void name_neighbours(struct tallydv_group_attr *attr, const struct plan *plan,
			    const struct plan_node *node, const struct tallydv_neighbour *first,
			    size_t size)
{
	bool tree = plan->mode == TALLY_MODE_TREE && !tally_plan_is_shared(plan);
	bool has_parent = tally_plan_has_parent_last(plan, node);
	uint32_t others = node->num_edges - has_parent;

	attr->num_children = tree ? others : 0;
	attr->num_peers = tree ? 0 : others;
	attr->children = tree && others ? first : NULL;
	attr->peers = !tree && others ? first : NULL;
	attr->parent = has_parent ? (const void *)((const char *)first + others * size) : NULL;
}

static struct tallydv_group_attr attr_of(const struct group_plan *gp, const struct plan_node *node)
{
	const struct plan *plan = &gp->plan;
	struct tallydv_group_attr attr = {
		.flags = plan->flags,
		.mode = plan->mode,
		.node = node->node,
		.num_nodes = plan->num_nodes,
		.level = node->level,
		.rank_mask = node->ranks ? UINT64_MAX >> (64 - node->ranks) : 0,
		.total_ranks = plan->total_ranks,
		.mtu = plan->mtu,
		.rank_first = node->rank_first,
		.msg_cells = node->msg_cells,
		.num_segs = plan->num_segs,
		.rounds = plan->rounds,
	};

	attr.owner_ranks = attr.rank_mask;
	if (plan->shared) {
		attr.comp_mask = TALLYDV_GROUP_ATTR_MODES | TALLYDV_GROUP_ATTR_MAX_SEGS;
		attr.max_segs = plan->max_segs;
		attr.plan = plan->hash;
		/* Without reductions in fixed order, chunks have no other limit than the mtu. */
		if (plan->modes & TALLY_MODES_EXCHANGE || plan->flags & TALLY_GROUP_F_ORDERED)
			attr.chunk = plan->chunk;
		attr.modes = plan->modes;
		put_choices(attr.choice, plan);
	}
	if (plan->flags & TALLY_GROUP_F_MULTICAST) {
		attr.mcast_gid = gp->mcast_gid;
		attr.source_gid = gp->gids[plan->node[0]];
	}
	return attr;
}

/* Writes entries of the program's size. Entries after the last neighbour are 0. */
int _tallydv_plan_node(const struct tallydv_plan *dv, uint32_t k, struct tallydv_group_attr *to,
		       size_t attr_size, struct tallydv_neighbour *neighbours,
		       size_t neighbour_size, uint32_t num_neighbours)
{
	const struct group_plan *gp = tally_group_plan(dv);
	struct tallydv_group_attr attr;
	struct plan_node node;
	int err = 0;

	if (k >= gp->plan.num_nodes || !to)
		return EINVAL;
	if (gp->plan.shared && (attr_size < sizeof(attr) || neighbour_size < sizeof(*neighbours)))
		return EOPNOTSUPP;
	plan_node(&gp->plan, gp->plan.place[k], &node);
	if (node.num_edges > num_neighbours)
		return EINVAL;
	for (uint32_t i = 0; !err && i < num_neighbours; i++) {
		struct tallydv_neighbour n = {};

		if (i < node.num_edges)
			n = neighbour_of(gp, &node.edge[i]);
		err = tally_copy_out((char *)neighbours + i * neighbour_size, neighbour_size, &n,
				     sizeof(n), offsetof(struct tallydv_neighbour, part_first));
	}
	if (err)
		return err;
	attr = attr_of(gp, &node);
	name_neighbours(&attr, &gp->plan, &node, neighbours, neighbour_size);
	return tally_copy_out(to, attr_size, &attr, sizeof(attr),
			      offsetof(struct tallydv_group_attr, max_segs));
}
