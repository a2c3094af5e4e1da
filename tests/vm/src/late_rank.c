/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * late_rank: a rank that posts late but within the time limit causes no error, nor does one of a
 * group without a limit. If a rank never posts, every other rank gets an error within the limit, which names the late rank and its node. A
 * node that never joins is named as well.
 *
 * late_rank hold: runs only the first case, at node 1, and keeps the group until the input ends.
 */
#include <unistd.h>

#include "check.h"
#include "work.h"

#define LIMIT_MS 3000
#define LONG_LIMIT_MS 30000 /* far above DELAY_MS, however slow the machine is */
#define DELAY_MS 400
#define PATIENCE_MS 40000 /* wait for an expected event; time limits count the device's time */
#define FIRST 1ULL   /* masks of the ranks of a node */
#define SECOND 2ULL
#define BOTH (FIRST | SECOND)

static struct cluster cluster;
static struct team team;
static struct port ports[MAX_NICS];

static void post_barrier(unsigned int node, uint64_t ranks, uint32_t mid)
{
	struct request r;

	request_barrier(&r, mid);
	r.w.coll.rank_mask = ranks;
	post(&ports[node], &r);
}

/* Posts for all ranks except the second one of node `late`. */
static void post_all_but(unsigned int late, uint32_t mid)
{
	for (unsigned int node = 0; node < cluster.count; node++)
		post_barrier(node, node == late ? FIRST : BOTH, mid);
}

/*
 * Without a limit if limit_ms is 0. With `held`, prints "ready" and keeps the group until the input
 * ends.
 */
static void late_within_limit(unsigned int late, uint32_t limit_ms, bool held)
{
	struct team_spec spec = { .jid = random_jid(), .ranks = BOTH, .timeout_ms = limit_ms,
				  .no_limit = !limit_ms };

	team_create(&team, &cluster, &spec, ALL_NODES);
	for (unsigned int node = 0; node < cluster.count; node++)
		REQUIRE(team.group[node]->timeout_ms == limit_ms, "node %u: limit of %u ms", node,
			team.group[node]->timeout_ms);
	ports_open(ports, &team, 0);
	post_all_but(late, 0);
	usleep(DELAY_MS * 1000);
	post_barrier(late, SECOND, 0);
	for (unsigned int node = 0; node < cluster.count; node++)
		expect_success(&cluster.nic[node], "late barrier");
	expect_success(&cluster.nic[late], "late barrier");
	if (held) {
		say_ready();
		wait_for_end_of_input();
	}
	ports_close(ports, &team);
	team_destroy(&team);
}

/*
 * Returns the next completion of a node, which must come after half of the limit and before its
 * end.
 */
static struct outcome expect_in_time(unsigned int node)
{
	struct outcome out;

	REQUIRE(wait_outcome(&cluster.nic[node], &out, PATIENCE_MS), "node %u: no completion", node);
	REQUIRE(out.elapsed_ns >= LIMIT_MS / 2 * 1000000U && out.elapsed_ns <= LIMIT_MS * 1000000U,
		"node %u: after %u ns", node, out.elapsed_ns);
	return out;
}

static void expect_late(unsigned int node, unsigned int late, uint32_t mid)
{
	struct outcome out = expect_in_time(node);

	REQUIRE(out.status == IBV_WC_RESP_TIMEOUT_ERR && out.coll == TALLY_COLL_TIMEOUT,
		"node %u, late %u: %s, %s", node, late, ibv_wc_status_str(out.status),
		tallydv_coll_status_str(out.coll));
	REQUIRE(out.mid == mid && out.detector == late && out.ranks == SECOND && !out.nodes,
		"node %u, late %u: message %u, detector %u, ranks %#lx, nodes %#lx", node, late,
		out.mid, out.detector, out.ranks, out.nodes);
}

/* The group is dead: a request that is posted now is flushed, with the reason. */
static void expect_flush(unsigned int late)
{
	struct outcome out;

	post_barrier(late, SECOND, 2);
	REQUIRE(wait_outcome(&cluster.nic[late], &out, PATIENCE_MS), "node %u: not flushed", late);
	REQUIRE(out.status == IBV_WC_WR_FLUSH_ERR && out.coll == TALLY_COLL_TIMEOUT &&
		out.detector == late && out.ranks == SECOND,
		"node %u: %s, detector %u, ranks %#lx", late, tallydv_coll_status_str(out.coll),
		out.detector, out.ranks);
}

static void expect_dead(unsigned int node)
{
	struct tallydv_group_info info;

	REQUIRE(!tallydv_query_group(team.group[node], &info), "node %u", node);
	REQUIRE(info.state == TALLY_GROUP_DEAD && info.status == TALLY_COLL_TIMEOUT,
		"node %u: group is %s: %s", node, tallydv_group_state_str(info.state),
		tallydv_coll_status_str(info.status));
}

static void late_rank(unsigned int late)
{
	struct team_spec spec = { .jid = random_jid(), .ranks = BOTH, .timeout_ms = LIMIT_MS };

	team_create(&team, &cluster, &spec, ALL_NODES);
	ports_open(ports, &team, 0);
	expect_barrier(ports, &team, 0);
	post_all_but(late, 1);
	for (unsigned int node = 0; node < cluster.count; node++)
		expect_late(node, late, 1);
	expect_flush(late);
	for (unsigned int node = 0; node < cluster.count; node++)
		expect_dead(node);
	ports_close(ports, &team);
	team_destroy(&team);
}

/* If a node never creates the group, its parent names it. The last node is a child of the root. */
static void late_node(unsigned int late)
{
	struct team_spec spec = { .jid = random_jid(), .timeout_ms = LIMIT_MS };
	struct tallydv_tree_pos pos;
	struct outcome out;

	REQUIRE(!tallydv_plan_tree(cluster.count, 2, late, &pos) && !pos.parent, "node %u", late);
	team_create(&team, &cluster, &spec, ~(1U << late));
	ports_open(ports, &team, 0);
	for (unsigned int node = 0; node < late; node++)
		post_barrier(node, FIRST, 0);
	for (unsigned int node = 0; node < late; node++) {
		out = expect_in_time(node);
		REQUIRE(out.status == IBV_WC_RESP_TIMEOUT_ERR &&
			out.coll == TALLY_COLL_NO_HANDSHAKE && !out.detector && !out.ranks &&
			out.nodes == 1U << pos.index,
			"node %u: %s, detector %u, ranks %#lx, nodes %#lx", node,
			tallydv_coll_status_str(out.coll), out.detector, out.ranks, out.nodes);
	}
	ports_close(ports, &team);
	team_destroy(&team);
}

int main(int argc, char **argv)
{
	bool hold = argc == 2 && !strcmp(argv[1], "hold");

	REQUIRE(argc == 1 || hold, "usage: late_rank [hold]");
	cluster_open(&cluster);
	if (hold) {
		late_within_limit(1, LONG_LIMIT_MS, true);
	} else {
		for (unsigned int late = 0; late < cluster.count; late++) {
			late_within_limit(late, LONG_LIMIT_MS, false);
			late_within_limit(late, 0, false);
			late_rank(late);
		}
		late_node(cluster.count - 1);
	}
	cluster_close(&cluster);
	return 0;
}
