/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * communicators N: one process with N communicators, each of which is one group by a shared plan. An
 * operation of every kind runs on each of them in turn, with short and with long messages, and all
 * communicators work at the same time. The requests of some messages name their mode. Every element
 * of the results is checked.
 */
#include <unistd.h>

#include "check.h"
#include "work.h"

#define MOST 64
#define MOST_ELEMENTS 512
#define GET_AT (BUF_SIZE / 2)

struct communicator {
	struct tallydv_group *group[MAX_NICS]; /* by index in the group */
	struct tallydv_seg *seg[MAX_NICS];
	struct port port[MAX_NICS];
	struct nic *nic[MAX_NICS];
	uint32_t mid;
};

/* An operation: whether all ranks or only the root give and get data, and how many blocks each. */
struct kind {
	enum tally_opcode opcode;
	bool reduces, all_give, all_get;
	bool gives_blocks, gets_blocks; /* a block for each rank */
	uint32_t count;
	enum tally_mode mode; /* 0: the group's choice */
};

#define ALLREDUCE(count, mode) \
	{ TALLY_OPCODE_ALLREDUCE, true, true, true, false, false, count, mode }
#define BCAST(count, mode) { TALLY_OPCODE_BCAST, false, false, true, false, false, count, mode }
#define ALLGATHER(count, mode) { TALLY_OPCODE_ALLGATHER, false, true, true, false, true, count, mode }
#define BARRIER(mode) { TALLY_OPCODE_BARRIER, false, false, false, false, false, 0, mode }
#define KINDS(count) \
	ALLREDUCE(count, 0), BCAST(count, 0), ALLGATHER(count, 0), \
	{ TALLY_OPCODE_REDUCE, true, true, false, false, false, count, 0 }, \
	{ TALLY_OPCODE_REDUCE_SCATTER, true, true, true, true, false, count, 0 }, \
	{ TALLY_OPCODE_GATHER, false, true, false, false, true, count, 0 }, \
	{ TALLY_OPCODE_SCATTER, false, false, true, true, false, count, 0 }

static const struct kind kinds[] = {
	KINDS(1), BARRIER(0), KINDS(MOST_ELEMENTS), KINDS(7),
	ALLREDUCE(9, TALLY_MODE_TREE), ALLREDUCE(MOST_ELEMENTS, TALLY_MODE_EXCHANGE),
	ALLREDUCE(1, TALLY_MODE_RING), BCAST(9, TALLY_MODE_TREE), BCAST(1, TALLY_MODE_RING),
	ALLGATHER(9, TALLY_MODE_EXCHANGE), ALLGATHER(1, TALLY_MODE_RING), BARRIER(TALLY_MODE_TREE),
	BARRIER(TALLY_MODE_EXCHANGE), BARRIER(TALLY_MODE_RING),
};

static struct cluster cluster;
static struct communicator comms[MOST];
static unsigned int num;

/* ---- Communicators ---- */
static struct tallydv_plan *make_plan(void)
{
	union ibv_gid gids[MAX_NICS];
	struct tallydv_plan_attr attr = {
		.comp_mask = TALLYDV_PLAN_ATTR_MODES,
		.modes = TALLY_MODES_TREE | TALLY_MODES_EXCHANGE | TALLY_MODES_RING,
		.num_nodes = cluster.count, .gids = gids,
	};
	struct tallydv_plan *plan;
	char why[256] = "";

	for (unsigned int k = 0; k < cluster.count; k++)
		gids[k] = cluster.nic[k].gid;
	plan = tallydv_plan_group(&attr, why, sizeof(why));
	REQUIRE(plan, "plan: %s", why);
	return plan;
}

static void open_communicator(struct communicator *comm, const struct tallydv_plan *plan)
{
	uint32_t jid = random_jid();
	char why[256];

	for (unsigned int k = 0; k < cluster.count; k++) {
		struct nic *nic = &cluster.nic[k];
		unsigned int i = plan->place[k];
		struct tallydv_node_plan node;

		REQUIRE(!tallydv_plan_node(plan, k, &node), "node %u", k);
		comm->nic[i] = nic;
		comm->seg[i] = tallydv_alloc_seg(nic->context, plan->seg_count);
		REQUIRE(comm->seg[i], "%u segments at node %u", plan->seg_count, k);
		node.attr.jid = jid;
		node.attr.seg = comm->seg[i];
		node.attr.timeout_ms = 20000;
		comm->group[i] = tallydv_create_group(nic->context, &node.attr, why, sizeof(why));
		REQUIRE(comm->group[i], "group at node %u: %s", k, why);
		REQUIRE(comm->group[i]->modes == plan->modes, "modes %#x", comm->group[i]->modes);
		port_open(&comm->port[i], nic, comm->group[i], 0, 0);
	}
}

static void close_communicator(struct communicator *comm)
{
	for (unsigned int i = 0; i < cluster.count; i++) {
		port_close(&comm->port[i]);
		REQUIRE(!tallydv_destroy_group(comm->group[i]), "node %u", i);
		REQUIRE(!tallydv_free_seg(comm->seg[i]), "node %u", i);
	}
}

/* ---- Data ---- */
/* Returns an element that a rank gives; those of a root with blocks are numbered through. */
static uint64_t value(const struct communicator *comm, unsigned int rank, unsigned int k)
{
	return (uint64_t)(comm - comms) * 1000003 + comm->mid * 10007 + rank * 5003 + k;
}

/* Returns element k of the result of a rank. */
static uint64_t expected(const struct communicator *comm, const struct kind *kind,
			 unsigned int root, unsigned int rank, unsigned int k)
{
	unsigned int own = kind->gives_blocks ? rank * kind->count : 0;
	uint64_t sum = 0;

	if (kind->gets_blocks)
		return value(comm, k / kind->count, k % kind->count);
	if (!kind->reduces)
		return value(comm, root, own + k);
	for (unsigned int i = 0; i < cluster.count; i++)
		sum += value(comm, i, own + k);
	return sum;
}

static unsigned int gives(const struct kind *kind, bool is_root)
{
	unsigned int blocks = kind->gives_blocks ? cluster.count : 1;

	return kind->all_give || is_root ? blocks * kind->count : 0;
}

/* The root of a BCAST has the data already. */
static unsigned int gets(const struct kind *kind, bool is_root)
{
	unsigned int blocks = kind->gets_blocks ? cluster.count : 1;

	if (kind->opcode == TALLY_OPCODE_BCAST)
		return is_root ? 0 : kind->count;
	return kind->all_get || is_root ? blocks * kind->count : 0;
}

/* ---- Work ---- */
static void post_rank(struct communicator *comm, const struct kind *kind, unsigned int root,
		      unsigned int rank)
{
	unsigned int give = gives(kind, rank == root), get = gets(kind, rank == root);
	struct nic *nic = comm->nic[rank];
	uint64_t *data = (uint64_t *)nic->buf;
	struct request r;

	for (unsigned int k = 0; k < give; k++)
		data[k] = value(comm, rank, k);
	memset(nic->buf + GET_AT, 0xff, BUF_SIZE - GET_AT);
	request_plain(&r, kind->opcode, comm->mid);
	if (kind->opcode != TALLY_OPCODE_BARRIER) {
		r.w.coll.op = kind->reduces ? TALLY_OP_SUM : TALLY_OP_NONE;
		r.w.coll.dtype = TALLY_TYPE_UINT64;
		r.w.coll.count = kind->count;
		r.w.coll.root_node = kind->all_give && kind->all_get ? 0 : root;
	}
	if (kind->mode) {
		r.w.coll.comp_mask = TALLYDV_COLL_ATTR_MODE;
		r.w.coll.mode = kind->mode;
	}
	r.w.wr.num_sge = give ? 1 : 0;
	r.w.coll.num_result = get ? 1 : 0;
	r.give[0] = (struct ibv_sge){ (uintptr_t)nic->buf, give * 8, nic->mr->lkey };
	r.get[0] = (struct ibv_sge){ (uintptr_t)nic->buf + GET_AT, get * 8, nic->mr->lkey };
	post(&comm->port[rank], &r);
}

static void check_rank(const struct communicator *comm, const struct kind *kind, unsigned int root,
		       unsigned int rank)
{
	const uint64_t *result = (const uint64_t *)(comm->nic[rank]->buf + GET_AT);
	unsigned int count = gets(kind, rank == root);

	for (unsigned int k = 0; k < count; k++)
		REQUIRE(result[k] == expected(comm, kind, root, rank, k),
			"communicator %u, %s of %u: element %u at rank %u is %llu",
			(unsigned int)(comm - comms), tallydv_opcode_str(kind->opcode),
			kind->count, k, rank, (unsigned long long)result[k]);
	REQUIRE(result[count] == UINT64_MAX, "%s writes too much", tallydv_opcode_str(kind->opcode));
}

static void run(struct communicator *comm, const struct kind *kind)
{
	unsigned int root = (comm - comms + comm->mid) % cluster.count;

	for (unsigned int i = 0; i < cluster.count; i++)
		post_rank(comm, kind, root, i);
	for (unsigned int i = 0; i < cluster.count; i++)
		expect_success(comm->nic[i], tallydv_opcode_str(kind->opcode));
	for (unsigned int i = 0; i < cluster.count; i++)
		check_rank(comm, kind, root, i);
	comm->mid++;
}

/* All communicators at once: every rank posts a barrier on each of them, in another order. */
static void barriers(void)
{
	struct request r;

	for (unsigned int i = 0; i < cluster.count; i++)
		for (unsigned int n = 0; n < num; n++) {
			struct communicator *comm = &comms[(n + i * num / cluster.count) % num];

			request_barrier(&r, comm->mid);
			post(&comm->port[i], &r);
		}
	for (unsigned int i = 0; i < cluster.count; i++)
		for (unsigned int n = 0; n < num; n++)
			expect_success(comms[0].nic[i], "barriers of all communicators");
	for (unsigned int n = 0; n < num; n++)
		comms[n].mid++;
}

static const struct kind by_tree = ALLREDUCE(1, TALLY_MODE_TREE);
static const struct kind by_ring = ALLREDUCE(1, TALLY_MODE_RING);

/* The ranks of a message name different modes. This ends the epoch of one communicator only. */
static void mismatch(struct communicator *comm)
{
	struct outcome out;

	for (unsigned int i = 0; i < cluster.count; i++)
		post_rank(comm, i ? &by_tree : &by_ring, 0, i);
	for (unsigned int i = 0; i < cluster.count; i++) {
		REQUIRE(wait_outcome(comm->nic[i], &out, 15000), "no completion at rank %u", i);
		REQUIRE(out.coll == TALLY_COLL_MODE_MISMATCH, "rank %u: %s", i,
			tallydv_coll_status_name(out.coll));
	}
}

/* The library refuses a mode that no group can have. */
static void unknown_mode(struct communicator *comm)
{
	struct ibv_send_wr *bad;
	struct request r;
	int err;

	request_barrier(&r, comm->mid);
	r.w.coll.comp_mask = TALLYDV_COLL_ATTR_MODE;
	r.w.coll.mode = TALLY_MODE_SWITCH;
	err = ibv_post_send(comm->port[0].qp, &r.w.wr, &bad);
	REQUIRE(err == EINVAL, "error %d", err);
	REQUIRE(tallydv_qp_last_refusal(comm->port[0].qp) == TALLY_COLL_BAD_MODE, "another reason");
}

int main(int argc, char **argv)
{
	struct tallydv_device_attr device;
	struct tallydv_plan *plan;

	num = argc == 2 ? atoi(argv[1]) : 0;
	REQUIRE(num && num <= MOST, "usage: communicators N, at most %u", MOST);
	cluster_open(&cluster);
	REQUIRE(!tallydv_query_device(cluster.nic[0].context, &device), "device");
	REQUIRE(device.max_groups >= num, "a process may hold %u groups", device.max_groups);
	plan = make_plan();
	for (unsigned int n = 0; n < num; n++)
		open_communicator(&comms[n], plan);
	for (unsigned int i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		for (unsigned int n = 0; n < num; n++)
			run(&comms[n], &kinds[i]);
	barriers();
	unknown_mode(&comms[0]);
	mismatch(&comms[0]);
	if (num > 1)
		run(&comms[1], &kinds[0]);
	for (unsigned int n = 0; n < num; n++)
		close_communicator(&comms[n]);
	printf("%u communicators on %u nodes: %u messages each\n", num, cluster.count,
	       comms[0].mid);
	tallydv_free_plan(plan);
	cluster_close(&cluster);
	return 0;
}
