/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Allocation of segment ranges: naturally aligned, the first free one, and adjacent free ranges
 * merge. Message cells of groups have a quota of their own.
 */
#include "check.h"
#include "cluster.h"
#include "gen/tally_hw.h"

#define QUOTA (TALLY_MAX_SEG / 2) /* the test checks this */

static struct cluster cluster;
static struct ibv_context *context;
static struct tallydv_seg *one[QUOTA]; /* by segment number */

static struct tallydv_seg *take(uint32_t count, uint32_t base)
{
	struct tallydv_seg *seg = tallydv_alloc_seg(context, count);

	REQUIRE(seg, "%u segments", count);
	REQUIRE(seg->base == base, "%u segments at %u, not at %u", count, seg->base, base);
	return seg;
}

static void give(struct tallydv_seg *seg)
{
	REQUIRE(!tallydv_free_seg(seg), "segments at %u", seg->base);
}

/* Frees 1, 3, 5, ... below 64 and 100 to 103. The segments from QUOTA on are free as well. */
static void make_holes(void)
{
	for (uint32_t i = 0; i < QUOTA; i++)
		one[i] = take(1, i);
	REQUIRE(!tallydv_alloc_seg(context, 1) && errno == EDQUOT, "more than the quota");
	for (uint32_t i = 1; i < 64; i += 2)
		give(one[i]);
	for (uint32_t i = 100; i < 104; i++)
		give(one[i]);
}

static void fill_holes(void)
{
	struct tallydv_seg *pair;

	one[1] = take(1, 1);
	give(take(4, 100)); /* merged from four ranges */
	pair = take(2, 100);
	one[100] = take(2, 102); /* not from QUOTA, where there is also room */
	give(take(8, QUOTA));
	one[3] = take(1, 3);
	give(pair);
}

static void free_all(void)
{
	for (uint32_t i = 0; i < QUOTA; i++)
		if (i % 2 == 0 || i >= 64 || i == 1 || i == 3)
			if (i < 101 || i > 103)
				give(one[i]);
	for (uint32_t base = 0; base < QUOTA; base += TALLY_MAX_GROUP_SEGS)
		one[base] = take(TALLY_MAX_GROUP_SEGS, base);
	for (uint32_t base = 0; base < QUOTA; base += TALLY_MAX_GROUP_SEGS)
		give(one[base]);
}

static struct tallydv_group *group_with(uint32_t cells)
{
	struct tallydv_seg *seg = tallydv_alloc_seg(context, 1);
	struct tallydv_group_attr attr = {
		.jid = random_jid(),
		.seg = seg,
		.mode = TALLY_MODE_TREE,
		.num_nodes = 1,
		.rank_mask = 1,
		.owner_ranks = 1,
		.total_ranks = 1,
		.msg_cells = cells,
		.timeout_ms = 1000,
		.rto_us = 1,
	};
	struct tallydv_group *group;
	int err;

	REQUIRE(seg, "segment");
	group = tallydv_create_group(context, &attr, NULL, 0);
	err = errno;
	give(seg); /* the group keeps it */
	errno = err;
	return group;
}

static void cells_have_a_quota(void)
{
	struct tallydv_device_attr attr = {};
	struct tallydv_group *group[TALLY_RMQ_CELLS];
	uint32_t n;

	REQUIRE(!tallydv_query_device(context, &attr), "device");
	REQUIRE(!group_with(TALLY_MAX_GROUP_CELLS + 1) && errno == EINVAL, "too many for a group");
	for (n = 0; (n + 1) * TALLY_MAX_GROUP_CELLS <= attr.max_cells; n++) {
		group[n] = group_with(TALLY_MAX_GROUP_CELLS);
		REQUIRE(group[n], "group %u", n);
	}
	REQUIRE(n && n * TALLY_MAX_GROUP_CELLS == attr.max_cells, "quota %u", attr.max_cells);
	REQUIRE(!group_with(1) && errno == EDQUOT, "a cell more than the quota");
	while (n)
		REQUIRE(!tallydv_destroy_group(group[--n]), "group %u", n);
	group[0] = group_with(TALLY_MAX_GROUP_CELLS);
	REQUIRE(group[0] && !tallydv_destroy_group(group[0]), "cells are not given back");
}

int main(void)
{
	struct tallydv_device_attr attr = {};

	cluster_open(&cluster);
	context = cluster.nic[0].context;
	REQUIRE(!tallydv_query_device(context, &attr) && attr.max_segs == QUOTA, "quota %u",
		attr.max_segs);
	make_holes();
	fill_holes();
	free_all();
	cells_have_a_quota();
	cluster_close(&cluster);
	return 0;
}
