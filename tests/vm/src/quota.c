/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A process takes segments and groups until its quota is used up. A second process still gets all
 * of its own, and a third one finds the device exhausted. They end without freeing anything, and
 * everything is free again.
 *
 * `quota groups` takes groups of one segment each at the first NIC, so as many as possible. Without
 * it, and at the other NICs, the groups are larger, since the debug kernel needs milliseconds for
 * each.
 */
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "procs.h"
#include "cluster.h"

#define LARGE 64 /* segments of a group, which the number of segments is a multiple of */

static struct cluster cluster;
static struct meeting *meeting;
static uint32_t first_size = LARGE; /* segments of a group at the first NIC */

/* Takes segments one by one until refused. Returns their number. */
static uint32_t take_segs(struct ibv_context *context, uint32_t each)
{
	uint32_t n = 0;

	while (tallydv_alloc_seg(context, each))
		n += each;
	return n;
}

static struct tallydv_group *lonely_group(struct ibv_context *context, struct tallydv_seg *seg)
{
	struct tallydv_group_attr attr = {
		.jid = random_jid(),
		.seg = seg,
		.mode = TALLY_MODE_TREE,
		.num_nodes = 1,
		.rank_mask = 1,
		.owner_ranks = 1,
		.total_ranks = 1,
		.timeout_ms = 1000,
		.rto_us = 1,
	};

	return tallydv_create_group(context, &attr, NULL, 0);
}

/* Takes groups of @size segments each, until the quota of groups or that of segments ends. */
static uint32_t take_groups(struct ibv_context *context, uint32_t size)
{
	struct tallydv_seg *seg;
	uint32_t n;

	for (n = 0; (seg = tallydv_alloc_seg(context, size)); n++) {
		if (lonely_group(context, seg))
			continue;
		REQUIRE(errno == EDQUOT, "group %u", n);
		REQUIRE(!tallydv_free_seg(seg), "segment of no group");
		return n;
	}
	REQUIRE(errno == EDQUOT, "segment of group %u", n);
	return n;
}

/* Takes everything that one process may have. More is refused, also through another context. */
static void take_all(struct ibv_context *context, uint32_t size)
{
	struct ibv_context *other = ibv_open_device(context->device);
	struct tallydv_device_attr attr = {};
	uint32_t groups, segs, most;

	REQUIRE(!tallydv_query_device(context, &attr), "device");
	most = attr.max_segs / size < attr.max_groups ? attr.max_segs / size : attr.max_groups;
	groups = take_groups(context, size);
	REQUIRE(groups == most, "%u groups of %u segments, quota %u and %u segments", groups, size,
		attr.max_groups, attr.max_segs);
	segs = take_segs(context, 1);
	REQUIRE(errno == EDQUOT && segs + groups * size == attr.max_segs,
		"%u segments and %u groups of %u, quota %u", segs, groups, size, attr.max_segs);
	REQUIRE(other && !tallydv_alloc_seg(other, 1) && errno == EDQUOT,
		"a segment for another context");
	REQUIRE(!ibv_close_device(other), "another context");
}

static void greedy(void *arg)
{
	(void)arg;
	cluster_open(&cluster);
	for (unsigned int node = 0; node < cluster.count; node++)
		take_all(cluster.nic[node].context, node ? LARGE : first_size);
	meet(meeting);
	meet(meeting);
}

static void bad_counts(struct ibv_context *context)
{
	static const uint32_t counts[] = { 0, 3, TALLY_MAX_GROUP_SEGS * 2, UINT32_MAX };

	for (unsigned int i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		errno = 0;
		REQUIRE(!tallydv_alloc_seg(context, counts[i]) && errno == EINVAL, "%u segments",
			counts[i]);
	}
}

/* `greedy` takes both halves of the device, one after the other. */
static void third_gets_nothing(void)
{
	for (unsigned int node = 0; node < cluster.count; node++) {
		errno = 0;
		REQUIRE(!tallydv_alloc_seg(cluster.nic[node].context, 1) && errno == ENOSPC,
			"a segment at node %u, which has none left", node);
	}
}

int main(int argc, char **argv)
{
	pid_t first, second;

	if (argc > 1 && !strcmp(argv[1], "groups"))
		first_size = 1;
	for (int round = 0; round < 2; round++) {
		meeting = meeting_new(3);
		first = spawn(greedy, NULL);
		second = spawn(greedy, NULL);
		if (!round)
			cluster_open(&cluster);
		meet(meeting);
		bad_counts(cluster.nic[0].context);
		third_gets_nothing();
		meet(meeting);
		reap(first);
		reap(second);
		usleep(100000); /* the device reports the end of the last groups to the driver */
	}
	cluster_close(&cluster);
	return 0;
}
