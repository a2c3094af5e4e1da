/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * planned: groups planned by tallydv_plan_group(), for each mode and for the mode that it chooses.
 * The nodes have different numbers of ranks, in no order of their switches. Sums, barriers and
 * blocks in the order of global ranks must be right.
 */
#include <unistd.h>

#include "check.h"
#include "work.h"

#define MOST_SEGS 64 /* segments of a group; earlier groups keep theirs until they are drained */
#define MOST_RANKS 3
#define MAX_TOTAL (MAX_NICS * MOST_RANKS)
#define GIVE_AT(rank) ((rank) * 64)
#define GET_AT(rank) (BUF_SIZE / 2 + (rank) * MAX_TOTAL * sizeof(uint64_t))

struct plan_case {
	unsigned int nodes;
	enum tally_mode mode; /* 0: the planner chooses */
	uint32_t flags;
	uint64_t bytes;
};

static const struct plan_case cases[] = {
	{ 4, 0, 0, 8 }, { 7, 0, 0, 8 }, { 16, 0, 0, 8 }, { 16, 0, 0, 1 << 20 },
	{ 4, TALLY_MODE_EXCHANGE, 0, 64 }, { 7, TALLY_MODE_EXCHANGE, 0, 64 },
	{ 13, TALLY_MODE_EXCHANGE, 0, 64 }, { 16, TALLY_MODE_EXCHANGE, 0, 64 },
	{ 2, TALLY_MODE_RING, 0, 8 }, { 11, TALLY_MODE_RING, TALLY_GROUP_F_ORDERED, 8 },
	{ 16, TALLY_MODE_TREE, TALLY_GROUP_F_MULTICAST, 8 },
	{ 16, TALLY_MODE_TREE, TALLY_GROUP_F_ORDERED, 8 }, { 1, 0, 0, 8 },
};

static const char *const mode_names[] = { "", "TREE", "EXCHANGE", "RING" };

static struct cluster cluster;
static uint8_t ranks[MAX_NICS];
static uint32_t leaf[MAX_NICS];
static struct tallydv_group *group[MAX_NICS];
static struct tallydv_seg *seg[MAX_NICS];
static struct port ports[MAX_NICS];

static struct tallydv_plan *make_plan(const struct plan_case *c, uint32_t jid)
{
	union ibv_gid gids[MAX_NICS];
	struct tallydv_device_attr device = {};
	struct tallydv_plan_attr attr = {
		.num_nodes = c->nodes, .num_levels = 1, .gids = gids, .ranks = ranks,
		.switches = { leaf }, .bytes = c->bytes, .mode = c->mode, .flags = c->flags,
		.max_segs = MOST_SEGS,
	};
	struct tallydv_plan *plan;
	char why[200] = "";

	REQUIRE(!tallydv_query_device(cluster.nic[0].context, &device), "device");
	attr.caps = device.caps;
	if (c->flags & TALLY_GROUP_F_MULTICAST)
		attr.mcast_gid = multicast_gid(jid);
	for (unsigned int k = 0; k < c->nodes; k++) {
		gids[k] = cluster.nic[k].gid;
		ranks[k] = 1 + k % MOST_RANKS;
		leaf[k] = k % 2;
	}
	plan = tallydv_plan_group(&attr, why, sizeof(why));
	REQUIRE(plan, "%u nodes, mode %u: %s", c->nodes, c->mode, why);
	REQUIRE(!c->mode || plan->mode == c->mode, "mode %u, not %u", plan->mode, c->mode);
	return plan;
}

static void open_node(const struct tallydv_plan *plan, unsigned int k, uint32_t jid)
{
	struct nic *nic = &cluster.nic[k];
	struct tallydv_node_plan node;

	REQUIRE(!tallydv_plan_node(plan, k, &node), "node %u", k);
	seg[k] = tallydv_alloc_seg(nic->context, plan->seg_count);
	REQUIRE(seg[k], "%u segments at node %u", plan->seg_count, k);
	node.attr.jid = jid;
	node.attr.seg = seg[k];
	node.attr.timeout_ms = 10000;
	group[k] = tallydv_create_group(nic->context, &node.attr, NULL, 0);
	REQUIRE(group[k], "group at node %u of %u, %s", k, plan->num_nodes,
		mode_names[plan->mode]);
	REQUIRE(group[k]->node == plan->place[k] && group[k]->num_segs == plan->num_segs &&
		group[k]->rounds == plan->rounds, "node %u: index %u, %u segments, %u rounds", k,
		group[k]->node, group[k]->num_segs, group[k]->rounds);
	port_open(&ports[k], nic, group[k], 0, 0);
}

static void close_node(unsigned int k)
{
	port_close(&ports[k]);
	REQUIRE(!tallydv_destroy_group(group[k]) && !tallydv_free_seg(seg[k]), "node %u", k);
}

/*
 * Returns the data of a rank, which depend on its node and its place there, not on its number in
 * the group.
 */
static uint64_t value(unsigned int node, unsigned int rank)
{
	return 1000 * (node + 1) + rank;
}

/*
 * Posts one request for all local ranks, with one element of data and `results` elements of result
 * each.
 */
static void post_node(unsigned int k, uint8_t opcode, uint32_t mid, unsigned int results)
{
	struct nic *nic = &cluster.nic[k];
	struct request r;

	request_allreduce(&r, nic, TALLY_OP_SUM, TALLY_TYPE_UINT64, 1, sizeof(uint64_t), mid);
	r.w.coll.opcode = opcode;
	if (opcode != TALLY_OPCODE_ALLREDUCE)
		r.w.coll.op = TALLY_OP_NONE;
	r.w.wr.num_sge = r.w.coll.num_result = ranks[k];
	for (unsigned int rank = 0; rank < ranks[k]; rank++) {
		uint64_t given = value(k, rank);

		memcpy(nic->buf + GIVE_AT(rank), &given, sizeof(given));
		memset(nic->buf + GET_AT(rank), 0xff, results * sizeof(uint64_t));
		r.give[rank] = (struct ibv_sge){ (uintptr_t)nic->buf + GIVE_AT(rank),
						 sizeof(uint64_t), nic->mr->lkey };
		r.get[rank] = (struct ibv_sge){ (uintptr_t)nic->buf + GET_AT(rank),
						results * sizeof(uint64_t), nic->mr->lkey };
	}
	post(&ports[k], &r);
}

static void expect(unsigned int n, const uint64_t *want, unsigned int results, const char *what)
{
	for (unsigned int k = 0; k < n; k++)
		expect_success(&cluster.nic[k], what);
	for (unsigned int k = 0; k < n; k++)
		for (unsigned int rank = 0; rank < ranks[k]; rank++)
			REQUIRE(!memcmp(cluster.nic[k].buf + GET_AT(rank), want,
					results * sizeof(*want)), "%s: rank %u.%u of %u nodes", what,
				k, rank, n);
}

static void work(const struct tallydv_plan *plan)
{
	uint64_t all[MAX_TOTAL], sum = 0;
	unsigned int n = plan->num_nodes;
	struct request r;

	for (unsigned int k = 0; k < n; k++)
		for (unsigned int rank = 0; rank < ranks[k]; rank++) {
			all[group[k]->rank_first + rank] = value(k, rank);
			sum += value(k, rank);
		}
	for (unsigned int k = 0; k < n; k++)
		post_node(k, TALLY_OPCODE_ALLREDUCE, 0, 1);
	expect(n, &sum, 1, "allreduce");
	request_barrier(&r, 1);
	for (unsigned int k = 0; k < n; k++)
		post(&ports[k], &r);
	for (unsigned int k = 0; k < n; k++)
		expect_success(&cluster.nic[k], "barrier");
	if (plan->mode == TALLY_MODE_TREE)
		return;
	for (unsigned int k = 0; k < n; k++)
		post_node(k, TALLY_OPCODE_ALLGATHER, 2, plan->total_ranks);
	expect(n, all, plan->total_ranks, "allgather");
}

int main(void)
{
	cluster_open(&cluster);
	for (unsigned int i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint32_t jid = random_jid();
		struct tallydv_plan *plan;

		REQUIRE(cases[i].nodes <= cluster.count, "%u NICs", cluster.count);
		plan = make_plan(&cases[i], jid);
		for (unsigned int k = 0; k < cases[i].nodes; k++)
			open_node(plan, k, jid);
		work(plan);
		for (unsigned int k = 0; k < cases[i].nodes; k++)
			close_node(k);
		printf("%u nodes, %u ranks: %s in %u rounds\n", plan->num_nodes, plan->total_ranks,
		       mode_names[plan->mode], plan->rounds);
		tallydv_free_plan(plan);
	}
	cluster_close(&cluster);
	return 0;
}
