/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * messages RANKS: every operation on every type, and every opcode in sizes from zero to many
 * chunks, to and from any root, over RANKS ranks per node. Every bit of the results is checked. The
 * test runs three times. First each rank posts for itself, from its own process; then one request
 * posts for all ranks of a node; then some nodes do it one way and some the other. With 64 ranks,
 * the maximum of a node, only one request per node posts.
 */
#include <unistd.h>

#include "check.h"
#include "message.h"
#include "oracle.h"
#include "procs.h"

#define KEY 0x5eed
#define SEED 4
#define MAX_MESSAGES 512
#define FEW_RANKS 4     /* with more ranks, the sizes and counts are smaller */
#define AT_ONCE 6       /* messages posted before the first one is waited for */
#define MEMORY (66U << 20)
#define LARGE (2U << 20) /* bytes of a rank */
#define LESS (60U << 10) /* bytes of a rank if there are many ranks */

enum style { EACH_ITSELF, LEADERS, MIXED, STYLES };
static const char *const styles[] = { "each rank itself", "leaders", "mixed" };

static const uint8_t types[] = {
	TALLY_TYPE_INT8, TALLY_TYPE_INT16, TALLY_TYPE_INT32, TALLY_TYPE_INT64,
	TALLY_TYPE_UINT8, TALLY_TYPE_UINT16, TALLY_TYPE_UINT32, TALLY_TYPE_UINT64,
	TALLY_TYPE_FP16, TALLY_TYPE_FP32, TALLY_TYPE_FP64, TALLY_TYPE_BF16,
};
static const uint8_t opcodes[] = {
	TALLY_OPCODE_ALLREDUCE, TALLY_OPCODE_REDUCE, TALLY_OPCODE_BCAST,
	TALLY_OPCODE_BARRIER, TALLY_OPCODE_GATHER, TALLY_OPCODE_SCATTER,
};
static const uint32_t sizes[] = { 0, 1, 48, 56, 64, 256, 264, 4096, 4104, 3 * 4096 - 8, 30000 };

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct message list[MAX_MESSAGES];
static unsigned int num_messages;
static unsigned int num_ranks;
static uint64_t all_ranks;
static uint8_t *memory;

static struct cluster cluster;
static struct stage stage;
static struct team team;
static struct port ports[MAX_NICS];
static enum style style;
static uint32_t jid;
static struct meeting *meeting;

/* ---- List of messages, which is the same in all processes ---- */
static bool reduces(uint8_t opcode)
{
	return opcode == TALLY_OPCODE_ALLREDUCE || opcode == TALLY_OPCODE_REDUCE;
}

static void plan(uint8_t opcode, uint8_t op, uint8_t dtype, uint32_t bytes)
{
	struct message *m = &list[num_messages];
	bool rooted = opcode != TALLY_OPCODE_ALLREDUCE && opcode != TALLY_OPCODE_BARRIER;
	unsigned int size = oracle_elem_size(op, dtype), root = lrand48() % num_ranks;

	REQUIRE(num_messages < MAX_MESSAGES, "%u messages", num_messages);
	*m = (struct message){
		.opcode = opcode,
		.op = op,
		.dtype = dtype,
		.root_node = rooted ? lrand48() % cluster.count : 0,
		.root_rank = rooted ? root : 0,
		.in_place = lrand48() & 1,
		.inlined = lrand48() & 1,
		.chunk_len = lrand48() & 1 ? 0 : 64 + lrand48() % 4000,
		.mid = num_messages++,
		.count = opcode == TALLY_OPCODE_BARRIER ? 0 : (bytes + size - 1) / size,
	};
	if (oracle_is_loc(op) && lrand48() & 1) {
		m->loc_values = true;
		m->in_place = false;
	}
}

static void plan_pairs(void)
{
	for (unsigned int t = 0; t < COUNT(types); t++) {
		struct tallydv_type_attr attr = {};

		REQUIRE(!tallydv_query_type(cluster.nic[0].context, types[t], &attr), "type %#x",
			types[t]);
		for (unsigned int op = 0; op < 32; op++)
			if (attr.ops >> op & 1 && (num_ranks <= FEW_RANKS || lrand48() % 4 == 0))
				plan(opcodes[lrand48() % 2], op, types[t],
				     sizes[1 + lrand48() % (COUNT(sizes) - 2)]);
	}
}

static void plan_sizes(void)
{
	unsigned int num = num_ranks <= FEW_RANKS ? COUNT(sizes) : COUNT(sizes) - 3;

	for (unsigned int o = 0; o < COUNT(opcodes); o++)
		for (unsigned int i = 0; i < num; i++)
			plan(opcodes[o], reduces(opcodes[o]) ? TALLY_OP_SUM : TALLY_OP_NONE,
			     opcodes[o] == TALLY_OPCODE_BARRIER ? TALLY_TYPE_NONE :
			     types[(o + i) % COUNT(types)], sizes[i]);
}

static void plan_large(void)
{
	uint32_t bytes = num_ranks <= FEW_RANKS ? LARGE : LESS;
	uint32_t block = bytes / cluster.count / num_ranks;

	plan(TALLY_OPCODE_ALLREDUCE, TALLY_OP_SUM, TALLY_TYPE_INT64, bytes / 2);
	plan(TALLY_OPCODE_REDUCE, TALLY_OP_MAX, TALLY_TYPE_FP64, bytes / 3);
	plan(TALLY_OPCODE_BCAST, TALLY_OP_NONE, TALLY_TYPE_NONE, bytes - 1);
	plan(TALLY_OPCODE_GATHER, TALLY_OP_NONE, TALLY_TYPE_FP32, block);
	plan(TALLY_OPCODE_SCATTER, TALLY_OP_NONE, TALLY_TYPE_UINT16, block);
	for (unsigned int i = num_messages - 5; i < num_messages; i++)
		list[i].chunk_len = 0;
}

/* ---- Posting ranks ---- */
static bool has_leader(unsigned int node)
{
	return style == LEADERS || (style == MIXED && node % 2 == 0);
}

/* Returns the ranks of a node for which the process of rank `rank` posts. */
static uint64_t posts_for(unsigned int rank, unsigned int node)
{
	if (has_leader(node))
		return rank ? 0 : all_ranks;
	return 1ULL << rank;
}

static void join(unsigned int rank)
{
	struct team_spec spec = {
		.jid = jid + style, .join_key = KEY, .ranks = all_ranks, .segs = 16,
	};
	struct tallydv_group_attach_attr attr = { .jid = jid + style, .join_key = KEY };

	team = (struct team){ .cluster = &cluster, .ranks = all_ranks };
	for (unsigned int node = 0; node < cluster.count; node++) {
		spec.owned = attr.ranks = posts_for(rank, node);
		if (!rank)
			team_create_at(&team, &spec, node);
	}
	meet(meeting);
	for (unsigned int node = 0; node < cluster.count; node++) {
		attr.ranks = posts_for(rank, node);
		if (!rank || !attr.ranks)
			continue;
		team.group[node] = tallydv_attach_group(cluster.nic[node].context, &attr, NULL, 0);
		REQUIRE(team.group[node], "rank %u at node %u", rank, node);
	}
	ports_open(ports, &team, rank);
}

/*
 * Places the messages from `first` on that fit into the memory together. Returns the end of these
 * messages.
 */
static unsigned int place(unsigned int first)
{
	unsigned int i;
	size_t at = 0;

	for (i = first; i < num_messages && i - first < AT_ONCE; i++) {
		list[i].at = at;
		at += message_size(&stage, &list[i]);
		if (at > MEMORY)
			break;
	}
	REQUIRE(i > first, "message %u needs %zu bytes", i, at);
	return i;
}

static void post_all(unsigned int rank, unsigned int first, unsigned int end)
{
	for (unsigned int i = first; i < end; i++)
		for (unsigned int node = 0; node < cluster.count; node++)
			if (team.group[node])
				message_post(&stage, &list[i], &ports[node], node,
					     posts_for(rank, node), IBV_SEND_SIGNALED);
}

static void complete_all(unsigned int rank, unsigned int first, unsigned int end)
{
	for (unsigned int i = first; i < end; i++)
		for (unsigned int node = 0; node < cluster.count; node++)
			if (team.group[node])
				message_complete(&stage, &list[i], &ports[node], node,
						 posts_for(rank, node));
}

static void rank_works(unsigned int rank)
{
	uint8_t *wanted[AT_ONCE];
	unsigned int end;

	for (unsigned int first = 0; first < num_messages; first = end) {
		end = place(first);
		for (unsigned int i = first; !rank && i < end; i++)
			wanted[i - first] = message_fill(&stage, &list[i]);
		meet(meeting);
		post_all(rank, first, end);
		complete_all(rank, first, end);
		meet(meeting);
		for (unsigned int i = first; !rank && i < end; i++)
			message_check(&stage, &list[i], wanted[i - first]);
	}
}

static void work(unsigned int rank)
{
	join(rank);
	rank_works(rank);
	meet(meeting);
	ports_close(ports, &team);
	team_destroy(&team);
	meet(meeting); /* all have left; the next team may be created */
}

static void body(void *arg)
{
	unsigned int rank = *(unsigned int *)arg;

	cluster_open(&cluster);
	stage_open(&stage, &cluster, all_ranks, memory, MEMORY);
	for (style = 0; style < STYLES; style++)
		work(rank);
	stage_close(&stage);
	cluster_close(&cluster);
}

int main(int argc, char **argv)
{
	static unsigned int numbers[TALLY_MAX_RANKS];
	pid_t pids[TALLY_MAX_RANKS];

	num_ranks = argc == 2 ? strtoul(argv[1], NULL, 10) : 0;
	REQUIRE(num_ranks >= 1 && num_ranks <= TALLY_MAX_RANKS, "usage: messages RANKS");
	all_ranks = ~0ULL >> (64 - num_ranks);
	memory = share(MEMORY);
	jid = random_jid();
	srand48(SEED);
	cluster_open(&cluster);
	plan_pairs();
	plan_sizes();
	plan_large();
	cluster_close(&cluster);
	if (num_ranks == TALLY_MAX_RANKS) {
		meeting = meeting_new(1);
		style = LEADERS;
		cluster_open(&cluster);
		stage_open(&stage, &cluster, all_ranks, memory, MEMORY);
		work(0);
	} else {
		meeting = meeting_new(num_ranks);
		for (unsigned int i = 0; i < num_ranks; i++) {
			numbers[i] = i;
			pids[i] = spawn(body, &numbers[i]);
		}
		for (unsigned int i = 0; i < num_ranks; i++)
			reap(pids[i]);
	}
	printf("%u messages over %u nodes of %u ranks, by %s\n", num_messages, cluster.count,
	       num_ranks, num_ranks == TALLY_MAX_RANKS ? styles[LEADERS] : "each style");
	return 0;
}
