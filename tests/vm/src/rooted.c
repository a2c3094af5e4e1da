/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * REDUCE to each rank, BCAST from each rank, BARRIER, requests without completion, and a leader
 * that posts for several ranks of its node. There are three ranks per node, and one queue pair
 * posts for all of them.
 */
#include <unistd.h>

#include "check.h"
#include "work.h"

#define RANKS 3
#define ELEMENTS 100
#define BYTES (ELEMENTS * sizeof(int32_t))

static struct cluster cluster;
static struct team team;
static struct port ports[MAX_NICS];
static uint32_t mid;

/* Return the data and the result of a rank in its NIC's buffer. */
static int32_t *data_of(unsigned int node, unsigned int rank)
{
	return (int32_t *)(cluster.nic[node].buf + rank * 2048);
}

static int32_t *result_of(unsigned int node, unsigned int rank)
{
	return (int32_t *)(cluster.nic[node].buf + BUF_SIZE / 2 + rank * 2048);
}

static struct ibv_sge sge_of(unsigned int node, void *at)
{
	return (struct ibv_sge){ (uintptr_t)at, BYTES, cluster.nic[node].mr->lkey };
}

/* Returns an element that identifies message, node, rank and place. */
static int32_t value(unsigned int node, unsigned int rank, unsigned int i)
{
	return mid * 1000003 + node * 10007 + rank * 101 + i;
}

static void fill(void)
{
	for (unsigned int node = 0; node < cluster.count; node++) {
		memset(cluster.nic[node].buf, 0, BUF_SIZE);
		for (unsigned int rank = 0; rank < RANKS; rank++)
			for (unsigned int i = 0; i < ELEMENTS; i++)
				data_of(node, rank)[i] = value(node, rank, i);
	}
}

/*
 * Posts one request for all ranks of a node. `root` is in 0..RANKS-1 at the root's node, otherwise
 * negative.
 */
static void post_node(enum tally_opcode opcode, unsigned int node, unsigned int root_node,
		      unsigned int root_rank, unsigned int send_flags)
{
	int root = node == root_node ? (int)root_rank : -1;
	struct request r;

	request_barrier(&r, mid);
	r.w.wr.send_flags = send_flags;
	r.w.coll.opcode = opcode;
	r.w.coll.dtype = TALLY_TYPE_INT32;
	r.w.coll.count = ELEMENTS;
	if (opcode != TALLY_OPCODE_BCAST)
		r.w.coll.op = TALLY_OP_SUM;
	if (opcode != TALLY_OPCODE_ALLREDUCE) {
		r.w.coll.root_node = root_node;
		r.w.coll.root_rank = root_rank;
	}
	for (int rank = 0; rank < RANKS; rank++) {
		if (opcode != TALLY_OPCODE_BCAST || rank == root)
			r.give[r.w.wr.num_sge++] = sge_of(node, data_of(node, rank));
		if (opcode == TALLY_OPCODE_ALLREDUCE || (opcode == TALLY_OPCODE_REDUCE) == (rank == root))
			r.get[r.w.coll.num_result++] = sge_of(node, result_of(node, rank));
	}
	post(&ports[node], &r);
}

static int32_t total(unsigned int i)
{
	int32_t sum = 0;

	for (unsigned int node = 0; node < cluster.count; node++)
		for (unsigned int rank = 0; rank < RANKS; rank++)
			sum = (uint32_t)sum + (uint32_t)value(node, rank, i);
	return sum;
}

static void check_rank(enum tally_opcode opcode, unsigned int node, unsigned int rank,
		       unsigned int root_node, unsigned int root_rank)
{
	bool root = node == root_node && rank == root_rank;

	for (unsigned int i = 0; i < ELEMENTS; i++) {
		int32_t want = total(i);

		if (opcode == TALLY_OPCODE_BCAST)
			want = root ? 0 : value(root_node, root_rank, i);
		else if (opcode == TALLY_OPCODE_REDUCE)
			want = root ? total(i) : 0;
		REQUIRE(result_of(node, rank)[i] == want,
			"%s, root %u.%u: element %u at %u.%u is %d, not %d",
			tallydv_opcode_str(opcode), root_node, root_rank, i, node, rank,
			result_of(node, rank)[i], want);
	}
}

static void check_all(enum tally_opcode opcode, unsigned int root_node, unsigned int root_rank)
{
	for (unsigned int node = 0; node < cluster.count; node++)
		for (unsigned int rank = 0; rank < RANKS; rank++)
			check_rank(opcode, node, rank, root_node, root_rank);
}

static void run(enum tally_opcode opcode, unsigned int root_node, unsigned int root_rank)
{
	fill();
	for (unsigned int node = 0; node < cluster.count; node++)
		post_node(opcode, node, root_node, root_rank, IBV_SEND_SIGNALED);
	for (unsigned int node = 0; node < cluster.count; node++)
		expect_success(&cluster.nic[node], tallydv_opcode_str(opcode));
	check_all(opcode, root_node, root_rank);
	mid++;
}

/* When a later request completes, the result of an earlier one without completion is there. */
static void run_unsignalled(void)
{
	struct outcome out;

	fill();
	for (unsigned int node = 0; node < cluster.count; node++)
		post_node(TALLY_OPCODE_ALLREDUCE, node, 0, 0, 0);
	expect_barrier(ports, &team, mid + 1);
	for (unsigned int node = 0; node < cluster.count; node++)
		REQUIRE(!try_outcome(&cluster.nic[node], &out), "node %u: unexpected completion",
			node);
	check_all(TALLY_OPCODE_ALLREDUCE, 0, 0);
	mid += 2;
}

/* No node leaves a barrier before the last one has posted. */
static void run_barrier(unsigned int last)
{
	struct outcome out;
	struct request r;

	request_barrier(&r, mid);
	for (unsigned int node = 0; node < cluster.count; node++)
		if (node != last)
			post(&ports[node], &r);
	usleep(LONG_ENOUGH_US);
	for (unsigned int node = 0; node < cluster.count; node++)
		REQUIRE(!try_outcome(&cluster.nic[node], &out),
			"node %u left the barrier before node %u came: %s", node, last,
			tallydv_coll_status_str(out.coll));
	post(&ports[last], &r);
	for (unsigned int node = 0; node < cluster.count; node++)
		expect_success(&cluster.nic[node], "barrier");
	mid++;
}

int main(void)
{
	struct team_spec spec = { .jid = random_jid(), .ranks = (1 << RANKS) - 1 };

	cluster_open(&cluster);
	team_create(&team, &cluster, &spec, ALL_NODES);
	ports_open(ports, &team, 0);
	for (unsigned int node = 0; node < cluster.count; node++) {
		for (unsigned int rank = 0; rank < RANKS; rank++) {
			run(TALLY_OPCODE_REDUCE, node, rank);
			run(TALLY_OPCODE_BCAST, node, rank);
		}
		run(TALLY_OPCODE_ALLREDUCE, 0, 0);
		run_unsignalled();
		run_barrier(node);
	}
	ports_close(ports, &team);
	team_destroy(&team);
	cluster_close(&cluster);
	printf("%u messages over %u nodes of %u ranks\n", mid, cluster.count, RANKS);
	return 0;
}
