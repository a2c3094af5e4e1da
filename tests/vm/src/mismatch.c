/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One node posts a message that differs from that of the others. Every rank whose request is
 * outstanding is told in what they disagree, wherever that node is in the tree. Only this group
 * ends; another one works meanwhile.
 */
#include <unistd.h>

#include "check.h"
#include "work.h"

#define SOON_MS 15000
#define COUNT 8
#define SIZE sizeof(int32_t)
#define BOTH 3

static struct cluster cluster;

static void other_opcode(struct request *r)
{
	r->w.coll.opcode = TALLY_OPCODE_BARRIER;
	r->w.coll.op = TALLY_OP_NONE;
	r->w.coll.dtype = TALLY_TYPE_NONE;
	r->w.coll.count = 0;
	r->w.wr.num_sge = r->w.coll.num_result = 0;
}

static void other_op(struct request *r) { r->w.coll.op = TALLY_OP_MAX; }
static void other_type(struct request *r) { r->w.coll.dtype = TALLY_TYPE_UINT32; }
static void other_chunk(struct request *r) { r->w.coll.chunk_len = COUNT / 2 * SIZE; }

static void other_count(struct request *r)
{
	r->w.coll.count--;
	for (int i = 0; i < r->w.wr.num_sge; i++)
		r->give[i].length -= SIZE;
	for (int i = 0; i < r->w.coll.num_result; i++)
		r->get[i].length -= SIZE;
}

/* The new root is no local rank of any node, so the lists stay the same. */
static void other_root(struct request *r) { r->w.coll.root_rank = 1; }

static const struct odd {
	const char *name;
	void (*spoil)(struct request *r);
	enum tally_coll_status coll;
	bool rooted;
} odds[] = {
	{ "opcode", other_opcode, TALLY_COLL_OPCODE_MISMATCH, false },
	{ "operation", other_op, TALLY_COLL_OP_MISMATCH, false },
	{ "type", other_type, TALLY_COLL_TYPE_MISMATCH, false },
	{ "count", other_count, TALLY_COLL_COUNT_MISMATCH, false },
	{ "chunk", other_chunk, TALLY_COLL_CHUNK_MISMATCH, false },
	{ "root", other_root, TALLY_COLL_ROOT_MISMATCH, true },
};

/* Fills in a request for all ranks of a node. A REDUCE goes to a rank of the last node. */
static void request_of(struct request *r, unsigned int node, bool rooted)
{
	struct nic *nic = &cluster.nic[node];

	request_allreduce(r, nic, TALLY_OP_SUM, TALLY_TYPE_INT32, COUNT, SIZE, 1);
	r->give[1] = r->give[0];
	r->get[1] = r->get[0];
	r->get[1].addr += COUNT * SIZE;
	r->w.wr.num_sge = r->w.coll.num_result = 2;
	if (!rooted)
		return;
	r->w.coll.opcode = TALLY_OPCODE_REDUCE;
	r->w.coll.root_node = cluster.count - 1;
	r->w.coll.num_result = node == r->w.coll.root_node;
}

/* A rank that gets no result is done once the NIC has its data. */
static bool gets_nothing(unsigned int node, bool rooted)
{
	return rooted && node != cluster.count - 1;
}

static void post_others(struct port *ports, unsigned int but, bool rooted)
{
	struct request r;

	for (unsigned int node = 0; node < cluster.count; node++) {
		if (node == but)
			continue;
		request_of(&r, node, rooted);
		post(&ports[node], &r);
		if (gets_nothing(node, rooted))
			expect_success(&cluster.nic[node], "no result to wait for");
		else
			await_begun(&ports[node], 1);
	}
}

/* The group ends at every node, sooner or later. */
static void expect_dead(struct tallydv_group *group, const char *what, unsigned int node,
			enum tally_coll_status coll)
{
	struct tallydv_group_info info;

	for (unsigned int ms = 0; ms < SOON_MS; ms++) {
		REQUIRE(!tallydv_query_group(group, &info), "%s, node %u", what, node);
		if (info.status)
			break;
		usleep(1000);
	}
	REQUIRE(info.status == coll, "%s, node %u: group %s", what, node,
		tallydv_coll_status_str(info.status));
}

/*
 * All outstanding requests end. If it gets no result, the request of the odd node may have
 * completed before.
 */
static void expect_end(struct team *team, const char *what, enum tally_coll_status coll,
		       unsigned int at, bool rooted)
{
	struct outcome out;

	for (unsigned int node = 0; node < cluster.count; node++) {
		bool early = gets_nothing(node, rooted);

		if (early && node != at) {
			expect_dead(team->group[node], what, node, coll);
			continue;
		}
		REQUIRE(wait_outcome(&cluster.nic[node], &out, SOON_MS), "%s, node %u", what, node);
		REQUIRE(out.mid == 1 && ((out.coll == coll && out.status == IBV_WC_REM_ABORT_ERR) ||
					 (early && out.coll == TALLY_COLL_OK)),
			"%s, node %u: message %u, %s", what, node, out.mid,
			tallydv_coll_status_str(out.coll));
		expect_dead(team->group[node], what, node, coll);
	}
}

/* The ranks of node `at` post a different message, after the others. */
static void disagree(const struct odd *odd, unsigned int at)
{
	struct team_spec spec = { .jid = random_jid(), .ranks = BOTH };
	struct port ports[MAX_NICS];
	struct request r;
	struct team team;

	team_create(&team, &cluster, &spec, ALL_NODES);
	ports_open(ports, &team, 0);
	expect_barrier(ports, &team, 0);
	post_others(ports, at, odd->rooted);
	request_of(&r, at, odd->rooted);
	odd->spoil(&r);
	post(&ports[at], &r);
	expect_end(&team, odd->name, odd->coll, at, odd->rooted);
	ports_close(ports, &team);
	team_destroy(&team);
}

/* Two ranks of the tree's root disagree on which children take part. */
static void disagree_on_nodes(void)
{
	struct team_spec spec = { .jid = random_jid(), .ranks = BOTH };
	struct port ports[MAX_NICS];
	struct outcome out;
	struct request r;
	struct team team;

	team_create(&team, &cluster, &spec, ALL_NODES);
	ports_open(ports, &team, 0);
	expect_barrier(ports, &team, 0);
	post_others(ports, 0, false);
	for (unsigned int rank = 0; rank < 2; rank++) {
		request_allreduce(&r, &cluster.nic[0], TALLY_OP_SUM, TALLY_TYPE_INT32, COUNT, SIZE,
				  1);
		r.w.coll.rank_mask = 1 << rank;
		r.w.coll.node_mask = rank ? 1 : 3;
		post(&ports[0], &r);
	}
	REQUIRE(wait_outcome(&cluster.nic[0], &out, SOON_MS) &&
		out.coll == TALLY_COLL_MASK_MISMATCH, "node mask: %s",
		tallydv_coll_status_str(out.coll));
	expect_end(&team, "node mask", TALLY_COLL_MASK_MISMATCH, 0, false);
	ports_close(ports, &team);
	team_destroy(&team);
}

/*
 * A rank is posted for twice in one message, through two queue pairs. Only the second request is
 * refused.
 */
static void post_twice(struct team *team, struct port *ports, uint32_t mid)
{
	struct outcome out;
	struct request r;
	struct port port;

	port_open(&port, &cluster.nic[0], team->group[0], 0, 1);
	request_barrier(&r, mid);
	post(&ports[0], &r);
	await_begun(&ports[0], mid);
	post(&port, &r);
	REQUIRE(wait_outcome(&cluster.nic[0], &out, SOON_MS) && out.qp_num == port.qp->qp_num &&
		out.coll == TALLY_COLL_RANK_TWICE && out.status == IBV_WC_LOC_QP_OP_ERR,
		"posted twice: %s", tallydv_coll_status_str(out.coll));
	for (unsigned int node = 1; node < cluster.count; node++)
		post(&ports[node], &r);
	for (unsigned int node = 0; node < cluster.count; node++)
		expect_success(&cluster.nic[node], "posted twice");
	port_close(&port);
}

int main(void)
{
	struct team_spec spec = { .jid = random_jid() };
	static struct port other_ports[MAX_NICS];
	struct team other_team;
	uint32_t mid = 0;

	cluster_open(&cluster);
	team_create(&other_team, &cluster, &spec, ALL_NODES);
	ports_open(other_ports, &other_team, 0);
	for (size_t i = 0; i < sizeof(odds) / sizeof(odds[0]); i++) {
		disagree(&odds[i], i % (cluster.count - (odds[i].rooted ? 1 : 0)));
		expect_barrier(other_ports, &other_team, mid++);
	}
	disagree_on_nodes();
	post_twice(&other_team, other_ports, mid++);
	expect_barrier(other_ports, &other_team, mid);
	ports_close(other_ports, &other_team);
	team_destroy(&other_team);
	cluster_close(&cluster);
	return 0;
}
