/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * modes tree|exchange|ring NODES RANKS [RADIX...]: tests the operations of a mode over the first
 * NODES NICs with RANKS ranks each, and checks every bit. Every opcode runs in sizes from zero to
 * many chunks, with random operations and types. In the first run one request posts for all ranks
 * of a node, in the second each rank posts for itself. "tree" means a tree with multicast. RADIX
 * are the numbers of parts that the rounds of an exchange combine.
 */
#include <unistd.h>

#include "check.h"
#include "message.h"
#include "oracle.h"

#define MAX_MESSAGES 128
#define AT_ONCE 6 /* messages posted before the first one is waited for */
#define MEMORY (48U << 20)
#define LARGE (1U << 20)
#define SEED 5

static const uint8_t types[] = {
	TALLY_TYPE_INT8, TALLY_TYPE_INT16, TALLY_TYPE_INT32, TALLY_TYPE_INT64,
	TALLY_TYPE_UINT8, TALLY_TYPE_UINT16, TALLY_TYPE_UINT32, TALLY_TYPE_UINT64,
	TALLY_TYPE_FP16, TALLY_TYPE_FP32, TALLY_TYPE_FP64, TALLY_TYPE_BF16,
};
static const uint32_t sizes[] = { 0, 1, 48, 264, 1000, 4096, 4104, 20000 };

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The opcodes of a mode, terminated by 0. */
struct offer {
	const char *name;
	struct team_spec spec;
	uint8_t opcodes[8];
};

static const struct offer offers[] = {
	{ "tree", { .mode = TALLY_MODE_TREE, .flags = TALLY_GROUP_F_MULTICAST },
	  { TALLY_OPCODE_ALLREDUCE, TALLY_OPCODE_BCAST, TALLY_OPCODE_BARRIER, TALLY_OPCODE_REDUCE,
	    TALLY_OPCODE_GATHER, TALLY_OPCODE_SCATTER } },
	{ "exchange", { .mode = TALLY_MODE_EXCHANGE },
	  { TALLY_OPCODE_ALLREDUCE, TALLY_OPCODE_BARRIER, TALLY_OPCODE_ALLGATHER,
	    TALLY_OPCODE_REDUCE_SCATTER } },
	{ "ring", { .mode = TALLY_MODE_RING },
	  { TALLY_OPCODE_ALLREDUCE, TALLY_OPCODE_BCAST, TALLY_OPCODE_BARRIER,
	    TALLY_OPCODE_REDUCE, TALLY_OPCODE_ALLGATHER, TALLY_OPCODE_REDUCE_SCATTER } },
};

static struct message list[MAX_MESSAGES];
static unsigned int num_messages;
static unsigned int num_ranks;
static const struct offer *offer;

static struct cluster cluster;
static struct stage stage;
static struct team team;
static struct port ports[TALLY_MAX_RANKS][MAX_NICS]; /* of each rank; row 0 also posts for all */

/* ---- List of messages ---- */
static bool reduces(uint8_t opcode)
{
	return opcode == TALLY_OPCODE_ALLREDUCE || opcode == TALLY_OPCODE_REDUCE ||
	       opcode == TALLY_OPCODE_REDUCE_SCATTER;
}

static bool has_blocks(uint8_t opcode)
{
	return opcode == TALLY_OPCODE_GATHER || opcode == TALLY_OPCODE_SCATTER ||
	       opcode == TALLY_OPCODE_ALLGATHER || opcode == TALLY_OPCODE_REDUCE_SCATTER;
}

static bool has_root(uint8_t opcode)
{
	return opcode == TALLY_OPCODE_BCAST || opcode == TALLY_OPCODE_REDUCE ||
	       opcode == TALLY_OPCODE_GATHER || opcode == TALLY_OPCODE_SCATTER;
}

static void plan(uint8_t opcode, uint8_t op, uint8_t dtype, uint32_t bytes, uint32_t chunk_len)
{
	struct message *m = &list[num_messages];
	unsigned int size = oracle_elem_size(op, dtype);
	bool rooted = has_root(opcode);

	REQUIRE(num_messages < MAX_MESSAGES, "%u messages", num_messages);
	*m = (struct message){
		.opcode = opcode,
		.op = op,
		.dtype = dtype,
		.root_node = rooted ? lrand48() % cluster.count : 0,
		.root_rank = rooted ? lrand48() % num_ranks : 0,
		.in_place = lrand48() & 1,
		.inlined = lrand48() & 1,
		.chunk_len = chunk_len,
		.mid = num_messages++,
		.count = opcode == TALLY_OPCODE_BARRIER ? 0 : (bytes + size - 1) / size,
	};
	if (oracle_is_loc(op) && lrand48() & 1) {
		m->loc_values = true;
		m->in_place = false;
	}
}

/* Returns a random operation that the device has for the type. */
static uint8_t some_op(uint8_t dtype)
{
	struct tallydv_type_attr attr = {};
	unsigned int op;

	REQUIRE(!tallydv_query_type(cluster.nic[0].context, dtype, &attr), "type %#x", dtype);
	do
		op = lrand48() % 32;
	while (!(attr.ops >> op & 1));
	return op;
}

static void plan_all(void)
{
	for (const uint8_t *opcode = offer->opcodes; *opcode; opcode++)
		for (unsigned int i = 0; i < COUNT(sizes); i++) {
			uint8_t dtype = types[lrand48() % COUNT(types)];

			if (*opcode == TALLY_OPCODE_BARRIER)
				dtype = TALLY_TYPE_NONE;
			plan(*opcode, reduces(*opcode) ? some_op(dtype) : TALLY_OP_NONE, dtype,
			     has_blocks(*opcode) ? sizes[i] / 4 : sizes[i],
			     lrand48() & 1 ? 0 : 64 + lrand48() % 4000);
		}
	/*
	 * Exchange is for short messages. With several ranks, large messages do not fit into the
	 * memory.
	 */
	if (offer->spec.mode == TALLY_MODE_EXCHANGE || num_ranks > 1)
		return;
	plan(TALLY_OPCODE_ALLREDUCE, TALLY_OP_SUM, TALLY_TYPE_FP64, LARGE, 0);
	plan(TALLY_OPCODE_BCAST, TALLY_OP_NONE, TALLY_TYPE_INT32, LARGE / 2, 0);
	if (offer->spec.mode != TALLY_MODE_RING)
		return;
	plan(TALLY_OPCODE_ALLGATHER, TALLY_OP_NONE, TALLY_TYPE_FP32, LARGE / 8 / cluster.count, 0);
	plan(TALLY_OPCODE_REDUCE_SCATTER, TALLY_OP_MAX, TALLY_TYPE_INT64, LARGE / 8 / cluster.count,
	     0);
}

/* ---- Running the messages ---- */
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

/* Returns the ranks of a node that this row of ports posts for: all ranks, or its own. */
static uint64_t posts_for(unsigned int row, bool leaders)
{
	return leaders ? team.ranks : 1ULL << row;
}

static unsigned int row_of(unsigned int node, uint32_t qp_num)
{
	unsigned int row = 0;

	while (row < num_ranks && ports[row][node].qp->qp_num != qp_num)
		row++;
	return row;
}

/*
 * Each request of a node completes once. Requests of a rank complete in order; those of different
 * ranks in any order.
 */
static void complete_some(unsigned int first, unsigned int end, bool leaders, unsigned int node)
{
	unsigned int rows = leaders ? 1 : num_ranks, next[TALLY_MAX_RANKS], row;
	struct outcome out;

	for (row = 0; row < rows; row++)
		next[row] = first;
	for (unsigned int n = 0; n < (end - first) * rows; n++) {
		REQUIRE(wait_outcome(&cluster.nic[node], &out, MESSAGE_PATIENCE_MS),
			"node %u: %u of messages %u to %u have completed", node, n, first, end - 1);
		row = row_of(node, out.qp_num);
		REQUIRE(row < rows && next[row] < end, "node %u, rank %u: unexpected completion", node, row);
		message_outcome(&stage, &list[next[row]++], &out, node, posts_for(row, leaders));
	}
}

static void do_some(unsigned int first, unsigned int end, bool leaders)
{
	unsigned int rows = leaders ? 1 : num_ranks;
	uint8_t *wanted[AT_ONCE];

	for (unsigned int i = first; i < end; i++)
		wanted[i - first] = message_fill(&stage, &list[i]);
	for (unsigned int i = first; i < end; i++)
		for (unsigned int row = 0; row < rows; row++)
			for (unsigned int node = 0; node < cluster.count; node++)
				message_post(&stage, &list[i], &ports[row][node], node,
					     posts_for(row, leaders), IBV_SEND_SIGNALED);
	for (unsigned int node = 0; node < cluster.count; node++)
		complete_some(first, end, leaders, node);
	for (unsigned int i = first; i < end; i++)
		message_check(&stage, &list[i], wanted[i - first]);
}

/* No node leaves a barrier before the last node has posted. */
static void barrier_waits(void)
{
	unsigned int last = cluster.count - 1;
	struct outcome out;
	struct request r;

	request_barrier(&r, num_messages);
	for (unsigned int node = 0; node < last; node++)
		post(&ports[0][node], &r);
	usleep(LONG_ENOUGH_US);
	for (unsigned int node = 0; node < last; node++)
		REQUIRE(!try_outcome(&cluster.nic[node], &out), "node %u has passed", node);
	post(&ports[0][last], &r);
	for (unsigned int node = 0; node < cluster.count; node++)
		expect_success(&cluster.nic[node], "barrier");
}

static void run(const struct team_spec *spec, bool leaders)
{
	unsigned int rows = leaders ? 1 : num_ranks, end;

	team_create(&team, &cluster, spec, ALL_NODES);
	for (unsigned int row = 0; row < rows; row++)
		for (unsigned int node = 0; node < cluster.count; node++)
			port_open(&ports[row][node], &cluster.nic[node], team.group[node],
				  posts_for(row, leaders), row);
	for (unsigned int first = 0; first < num_messages; first = end) {
		end = place(first);
		do_some(first, end, leaders);
	}
	if (leaders)
		barrier_waits();
	for (unsigned int row = 0; row < rows; row++)
		for (unsigned int node = 0; node < cluster.count; node++)
			port_close(&ports[row][node]);
	team_destroy(&team);
}

static const struct offer *find_offer(const char *name)
{
	for (unsigned int i = 0; i < COUNT(offers); i++)
		if (!strcmp(offers[i].name, name))
			return &offers[i];
	return NULL;
}

int main(int argc, char **argv)
{
	static uint8_t memory[MEMORY] __attribute__((aligned(4096)));
	unsigned int num_nodes = argc > 3 ? strtoul(argv[2], NULL, 10) : 0, num_nics;
	struct team_spec spec;

	offer = argc > 3 ? find_offer(argv[1]) : NULL;
	num_ranks = offer ? strtoul(argv[3], NULL, 10) : 0;
	REQUIRE(num_ranks && num_ranks <= TALLY_MAX_RANKS && argc - 4 <= TALLY_MAX_ROUNDS,
		"usage: modes tree|exchange|ring NODES RANKS [RADIX...]");
	spec = offer->spec;
	spec.ranks = ~0ULL >> (64 - num_ranks);
	for (int i = 4; i < argc; i++)
		spec.radix[spec.rounds++] = strtoul(argv[i], NULL, 10);
	srand48(SEED);
	cluster_open(&cluster);
	num_nics = cluster.count;
	REQUIRE(num_nodes && num_nodes <= num_nics, "%u nodes of %u", num_nodes, num_nics);
	cluster.count = num_nodes;
	stage_open(&stage, &cluster, spec.ranks, memory, MEMORY);
	plan_all();
	for (unsigned int leaders = 0; leaders < 2; leaders++) {
		spec.jid = random_jid();
		if (leaders) /* all requests qualify for the flag, which a ring uses */
			spec.flags |= TALLY_GROUP_F_UNIFORM;
		run(&spec, leaders);
	}
	stage_close(&stage);
	cluster.count = num_nics;
	cluster_close(&cluster);
	printf("%s: %u messages over %u nodes of %u ranks\n", argv[1], num_messages, num_nodes,
	       num_ranks);
	return 0;
}
