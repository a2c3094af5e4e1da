/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * QUERY during a long message reports its chunk. Data that a root broadcasts, or that other ranks
 * reduce to it, wait in the NICs for ranks that post a second later.
 */
#include <unistd.h>

#include "check.h"
#include "message.h"
#include "procs.h"

#define RANKS 2
#define BOTH 3
#define MEMORY (20U << 20)
#define LONG (1U << 20) /* bytes of a rank */
#define CHUNK 256
#define LATE_US 1000000
#define PATIENCE_MS 30000

static struct cluster cluster;
static struct team team;
static struct stage stage;
static struct port ports[MAX_NICS];
static struct port asker; /* own queue: entries after an incomplete one are not freed */
static uint32_t mid;

static void post_node(const struct message *m, unsigned int node)
{
	message_post(&stage, m, &ports[node], node, BOTH, IBV_SEND_SIGNALED);
}

static void complete_node(const struct message *m, unsigned int node)
{
	message_complete(&stage, m, &ports[node], node, BOTH);
}

/* ---- A long message ---- */
/*
 * Queries node 0 while the message proceeds, until the message completes. Returns the number of
 * answers that reported a chunk after the first.
 */
static unsigned int watch(const struct message *m, uint32_t chunks)
{
	unsigned int amid = 0;
	struct outcome out;
	uint32_t last = 0;
	struct request r;
	bool ended = false, asked = false;

	while (!ended || asked) {
		if (!asked && !ended) {
			request_plain(&r, TALLY_OPCODE_QUERY, m->mid);
			post(&asker, &r);
			asked = true;
		}
		REQUIRE(wait_outcome(&cluster.nic[0], &out, PATIENCE_MS), "message %u", m->mid);
		REQUIRE(out.status == IBV_WC_SUCCESS, "message %u: %s", m->mid,
			tallydv_coll_status_str(out.coll));
		ended |= out.opcode == m->opcode;
		if (out.opcode != TALLY_OPCODE_QUERY)
			continue;
		asked = false;
		if (!(out.flags & TALLY_CQE_F_PENDING))
			continue;
		REQUIRE(out.sid >= last && out.sid < chunks, "chunk %u of %u, after %u", out.sid,
			chunks, last);
		last = out.sid;
		amid += last > 0;
	}
	return amid;
}

static void run_long(void)
{
	struct message m = {
		.opcode = TALLY_OPCODE_ALLREDUCE, .op = TALLY_OP_BXOR, .dtype = TALLY_TYPE_UINT64,
		.chunk_len = CHUNK, .mid = mid++, .count = LONG / 8,
	};
	uint8_t *wanted = message_fill(&stage, &m);
	struct outcome out;
	unsigned int amid;

	for (unsigned int node = 1; node < cluster.count; node++)
		post_node(&m, node);
	await_begun(&ports[1], m.mid);
	out = ask(&ports[1], m.mid);
	REQUIRE(!out.sid && !out.ranks, "chunk %u, ranks %#lx before the root posts", out.sid,
		out.ranks);
	post_node(&m, 0);
	amid = watch(&m, LONG / CHUNK);
	REQUIRE(amid > 2, "%u answers from amid a message of %u chunks", amid, LONG / CHUNK);
	for (unsigned int node = 1; node < cluster.count; node++)
		complete_node(&m, node);
	message_check(&stage, &m, wanted);
	out = ask(&ports[0], m.mid);
	REQUIRE(!(out.flags & (TALLY_CQE_F_PENDING | TALLY_CQE_F_UNKNOWN)), "flags %#x", out.flags);
}

/* One node takes only one segment of the group's. The message must complete. */
static void run_narrow(void)
{
	uint32_t bytes = 5000;
	struct outcome out;
	struct request r;

	for (unsigned int node = 0; node < cluster.count; node++) {
		request_allreduce(&r, &cluster.nic[node], TALLY_OP_BOR, TALLY_TYPE_UINT8, bytes, 1,
				  mid);
		memset(cluster.nic[node].buf, 1 << node, bytes);
		r.give[1] = r.give[0];
		r.get[1] = r.get[0];
		r.get[1].addr += bytes;
		r.w.wr.num_sge = r.w.coll.num_result = RANKS;
		r.w.coll.chunk_len = CHUNK;
		r.w.coll.seg_count = node % 2 + 1;
		post(&ports[node], &r);
	}
	for (unsigned int node = 0; node < cluster.count; node++) {
		uint8_t *got = cluster.nic[node].buf + BUF_SIZE / 2;

		REQUIRE(wait_outcome(&cluster.nic[node], &out, PATIENCE_MS) &&
			out.status == IBV_WC_SUCCESS && out.sid == (bytes - 1) / CHUNK, "node %u: %s",
			node, tallydv_coll_status_str(out.coll));
		for (uint32_t i = 0; i < RANKS * bytes; i++)
			REQUIRE(got[i] == (1 << cluster.count) - 1, "node %u: byte %u is %#x", node,
				i, got[i]);
	}
	mid++;
}

/* ---- Early arrivals ---- */
/* The nodes of `first` post, and the others post a second later. */
static void run_late(uint8_t opcode, unsigned int root, uint32_t bytes, uint32_t first)
{
	struct message m = {
		.opcode = opcode, .op = opcode == TALLY_OPCODE_BCAST ? TALLY_OP_NONE : TALLY_OP_SUM,
		.dtype = TALLY_TYPE_INT32, .root_node = root, .root_rank = 1, .mid = mid++,
		.count = bytes / 4,
	};
	uint8_t *wanted = message_fill(&stage, &m);

	for (unsigned int node = 0; node < cluster.count; node++)
		if (first >> node & 1)
			post_node(&m, node);
	usleep(LATE_US);
	for (unsigned int node = 0; node < cluster.count; node++)
		if (!(first >> node & 1))
			post_node(&m, node);
	for (unsigned int node = 0; node < cluster.count; node++)
		complete_node(&m, node);
	message_check(&stage, &m, wanted);
}

int main(void)
{
	struct team_spec spec = { .jid = random_jid(), .ranks = BOTH };
	unsigned int last;

	limit_time(100);
	cluster_open(&cluster);
	last = cluster.count - 1;
	stage_open(&stage, &cluster, BOTH, share(MEMORY), MEMORY);
	team_create(&team, &cluster, &spec, ALL_NODES);
	ports_open(ports, &team, 0);
	port_open(&asker, &cluster.nic[0], team.group[0], 0, 1);
	run_long();
	run_narrow();
	for (uint32_t bytes = 40; bytes <= 400000; bytes *= 100) {
		run_late(TALLY_OPCODE_BCAST, 0, bytes, 1);
		run_late(TALLY_OPCODE_BCAST, last, bytes, 1 << last);
		run_late(TALLY_OPCODE_REDUCE, 0, bytes, ~1U);
		run_late(TALLY_OPCODE_REDUCE, 2 % cluster.count, bytes, ~(1U << 2));
	}
	port_close(&asker);
	ports_close(ports, &team);
	team_destroy(&team);
	stage_close(&stage);
	cluster_close(&cluster);
	return 0;
}
