/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * QUERY reports the progress of a message while others wait. ABORT ends the outstanding messages at
 * every node, finds room in a full send queue, and completes last.
 */
#include <unistd.h>

#include "check.h"
#include "work.h"

#define SOON_MS 5000
#define SETTLE_US 50000
#define SEGS 4

static struct cluster cluster;
static struct team team;
static struct port ports[MAX_NICS];

static void post_plain(unsigned int node, enum tally_opcode opcode, uint32_t mid)
{
	struct request r;

	request_plain(&r, opcode, mid);
	post(&ports[node], &r);
}

static struct outcome next(unsigned int node)
{
	struct outcome out;

	REQUIRE(wait_outcome(&cluster.nic[node], &out, SOON_MS), "node %u: no completion", node);
	return out;
}

static void query(uint32_t mid, uint8_t flags, uint64_t nodes, uint64_t ranks)
{
	struct outcome out;

	post_plain(0, TALLY_OPCODE_QUERY, mid);
	out = next(0);
	REQUIRE(out.opcode == TALLY_OPCODE_QUERY && out.status == IBV_WC_SUCCESS,
		"message %u: opcode %u, %s", mid, out.opcode, tallydv_coll_status_str(out.coll));
	REQUIRE(out.mid == mid && out.flags == (TALLY_CQE_F_NO_RETIRE | flags) &&
		out.nodes == nodes && out.ranks == ranks && !out.detector,
		"message %u: flags %#x, nodes %#lx, ranks %#lx, node %u", mid, out.flags, out.nodes,
		out.ranks, out.detector);
}

/* The last node is the root's last child, and the others wait for it. */
static void queries(void)
{
	unsigned int last = cluster.count - 1;
	struct tallydv_tree_pos pos;

	REQUIRE(!tallydv_plan_tree(cluster.count, 2, last, &pos) && !pos.parent, "node %u", last);
	query(0, TALLY_CQE_F_UNKNOWN, 0, 0);
	for (unsigned int node = 1; node < last; node++)
		post_plain(node, TALLY_OPCODE_BARRIER, 0);
	usleep(SETTLE_US);
	query(0, TALLY_CQE_F_PENDING, 1U << pos.index, 1);
	post_plain(0, TALLY_OPCODE_BARRIER, 0);
	usleep(SETTLE_US);
	query(0, TALLY_CQE_F_PENDING, 1U << pos.index, 0);
	query(1, TALLY_CQE_F_UNKNOWN, 0, 0);
	post_plain(last, TALLY_OPCODE_BARRIER, 0);
	for (unsigned int node = 0; node < cluster.count; node++)
		expect_success(&cluster.nic[node], "barrier");
	query(0, 0, 0, 0);
}

/* Fills the queue. It takes as many requests as were granted, and one ABORT. */
static void fill_queue(uint32_t first)
{
	struct ibv_send_wr *bad;
	struct request r;

	for (uint32_t i = 0; i < QP_DEPTH; i++)
		post_plain(0, TALLY_OPCODE_BARRIER, first + i);
	request_barrier(&r, first + QP_DEPTH);
	REQUIRE(ibv_post_send(ports[0].qp, &r.w.wr, &bad) == ENOMEM, "more requests than granted");
	post_plain(0, TALLY_OPCODE_ABORT, 0);
}

static void aborts(uint32_t first)
{
	const unsigned int last = cluster.count - 1;
	struct outcome out;

	for (unsigned int node = 1; node < last; node++)
		post_plain(node, TALLY_OPCODE_BARRIER, first); /* waits for the last node */
	fill_queue(first);
	for (uint32_t i = 0; i < QP_DEPTH; i++) {
		out = next(0);
		REQUIRE(out.wr_id == first + i && out.coll == TALLY_COLL_ABORTED &&
			out.status == (i < SEGS ? IBV_WC_REM_ABORT_ERR : IBV_WC_WR_FLUSH_ERR),
			"message %lu, not %u: %s, %s", out.wr_id, first + i,
			ibv_wc_status_str(out.status), tallydv_coll_status_str(out.coll));
		REQUIRE(out.opcode == TALLY_OPCODE_BARRIER && out.mid == first + i &&
			!out.detector && out.ranks == 1, "message %u: opcode %u, mid %u, ranks %#lx",
			first + i, out.opcode, out.mid, out.ranks);
	}
	out = next(0);
	REQUIRE(out.opcode == TALLY_OPCODE_ABORT && out.status == IBV_WC_SUCCESS,
		"opcode %u: %s", out.opcode, tallydv_coll_status_str(out.coll));
	for (unsigned int node = 1; node < last; node++) {
		out = next(node);
		REQUIRE(out.status != IBV_WC_SUCCESS && !out.detector, "node %u: %s, detector %u",
			node, tallydv_coll_status_str(out.coll), out.detector);
	}
}

int main(void)
{
	struct team_spec spec = { .jid = random_jid(), .segs = SEGS, .timeout_ms = 4000 };

	cluster_open(&cluster);
	team_create(&team, &cluster, &spec, ALL_NODES);
	ports_open(ports, &team, 0);
	queries();
	aborts(1);
	ports_close(ports, &team);
	team_destroy(&team);
	cluster_close(&cluster);
	return 0;
}
