/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The flag word in memory, for requests without a completion; ranks that do not take part; the
 * readers of a completion. There are two ranks per node.
 */
#include <unistd.h>

#include "check.h"
#include "work.h"

#define RANKS 2
#define BOTH 3
#define PATIENCE_MS 30000
#define QUIET_MS 50
#define FLAGGED 100 /* number of messages */
#define SIGNAL_EVERY 16
#define LONG 2500   /* number of elements: several chunks */
#define RESULT 16384
#define FLAG (BUF_SIZE - 64)

static struct cluster cluster;
static struct team team;
static struct port ports[MAX_NICS];
static uint32_t mid;

static int32_t *data_of(unsigned int node, unsigned int rank)
{
	return (int32_t *)(cluster.nic[node].buf + rank * 2 * RESULT);
}

static int32_t *result_of(unsigned int node, unsigned int rank)
{
	return (int32_t *)(cluster.nic[node].buf + rank * 2 * RESULT + RESULT);
}

static uint32_t *flag_of(unsigned int node)
{
	return (uint32_t *)(cluster.nic[node].buf + FLAG);
}

static int32_t value(unsigned int node, unsigned int rank, unsigned int i)
{
	return mid * 1000003 + node * 10007 + rank * 101 + i;
}

static void fill(unsigned int count)
{
	for (unsigned int node = 0; node < cluster.count; node++) {
		for (unsigned int rank = 0; rank < RANKS; rank++) {
			for (unsigned int i = 0; i < count; i++)
				data_of(node, rank)[i] = value(node, rank, i);
			memset(result_of(node, rank), 0, count * sizeof(int32_t));
		}
		*flag_of(node) = 0;
	}
}

/* Prepares an ALLREDUCE of these ranks of a node, which take part unless `empty`. */
static void prepare(struct request *r, unsigned int node, uint64_t ranks, unsigned int count,
		    bool empty)
{
	uint32_t bytes = count * sizeof(int32_t), lkey = cluster.nic[node].mr->lkey;

	request_allreduce(r, &cluster.nic[node], TALLY_OP_SUM, TALLY_TYPE_INT32, count,
			  sizeof(int32_t), mid);
	r->w.coll.rank_mask = ranks;
	r->w.wr.num_sge = r->w.coll.num_result = 0;
	if (empty) {
		r->w.coll.flags = TALLY_WQE_F_EMPTY;
		return;
	}
	for (unsigned int rank = 0; rank < RANKS; rank++) {
		if (!(ranks >> rank & 1))
			continue;
		r->give[r->w.wr.num_sge++] =
			(struct ibv_sge){ (uintptr_t)data_of(node, rank), bytes, lkey };
		r->get[r->w.coll.num_result++] =
			(struct ibv_sge){ (uintptr_t)result_of(node, rank), bytes, lkey };
	}
}

static void check_result(unsigned int node, unsigned int rank, unsigned int count, uint64_t part)
{
	for (unsigned int i = 0; i < count; i++) {
		uint32_t sum = 0;

		for (unsigned int n = 0; n < cluster.count * RANKS; n++)
			if (part >> n & 1)
				sum += value(n / RANKS, n % RANKS, i);
		if (!(part >> (node * RANKS + rank) & 1))
			sum = 0;
		REQUIRE(result_of(node, rank)[i] == (int32_t)sum,
			"message %u, ranks %#lx, element %u at %u.%u is %d, not %d", mid, part, i,
			node, rank, result_of(node, rank)[i], (int32_t)sum);
	}
}

/* ---- Flag words ---- */
static void set_flag(struct request *r, unsigned int node)
{
	r->w.coll.flags |= TALLY_WQE_F_FLAG_WORD;
	r->w.coll.flag_addr = (uintptr_t)flag_of(node);
	r->w.coll.flag_lkey = cluster.nic[node].mr->lkey;
	r->w.coll.flag_value = 0xf1a60000 + mid;
}

static void await_flag(unsigned int node)
{
	uint64_t end = now_ms() + PATIENCE_MS;

	while (__atomic_load_n(flag_of(node), __ATOMIC_ACQUIRE) != 0xf1a60000 + mid) {
		REQUIRE(now_ms() < end, "message %u, node %u: flag is %#x", mid, node,
			*flag_of(node));
		usleep(100);
	}
}

/*
 * When the flag word is set, the whole result is there. Only signaled requests have a completion.
 */
static void flagged(void)
{
	bool signalled = mid % SIGNAL_EVERY == SIGNAL_EVERY - 1;
	unsigned int count = mid % 2 ? LONG : mid % 60;
	struct outcome out;
	struct request r;

	fill(count);
	for (unsigned int node = 0; node < cluster.count; node++) {
		prepare(&r, node, BOTH, count, false);
		r.w.wr.send_flags = signalled ? IBV_SEND_SIGNALED : 0;
		if (!count)
			r.w.wr.num_sge = r.w.coll.num_result = 0;
		set_flag(&r, node);
		post(&ports[node], &r);
	}
	for (unsigned int node = 0; node < cluster.count; node++) {
		await_flag(node);
		for (unsigned int rank = 0; rank < RANKS; rank++)
			check_result(node, rank, count, ~0ULL);
	}
	for (unsigned int node = 0; node < cluster.count; node++) {
		if (signalled)
			expect_success(&cluster.nic[node], "signalled");
		REQUIRE(!try_outcome(&cluster.nic[node], &out), "message %u: completion", mid);
	}
	mid++;
}

static void flagged_barrier(void)
{
	struct request r;

	for (unsigned int node = 0; node < cluster.count; node++) {
		*flag_of(node) = 0;
		request_barrier(&r, mid);
		set_flag(&r, node);
		post(&ports[node], &r);
	}
	for (unsigned int node = 0; node < cluster.count; node++) {
		expect_success(&cluster.nic[node], "barrier");
		REQUIRE(*flag_of(node) == 0xf1a60000 + mid, "the completion was before the word");
	}
	mid++;
}

/* ---- Ranks that do not take part: participants are bits node * RANKS + rank of `part` ---- */
static bool takes_part(uint64_t part, unsigned int first, unsigned int num)
{
	return part >> first * RANKS & ((1ULL << num * RANKS) - 1);
}

/* Leaves out the subtrees without participants. */
static void narrow(struct request *r, unsigned int node, uint64_t part)
{
	struct tallydv_tree_pos pos;
	uint64_t mask = 0;

	REQUIRE(!tallydv_plan_tree(cluster.count, TREE_DEGREE, node, &pos), "node %u", node);
	for (unsigned int i = 0; i < pos.num_children; i++)
		if (takes_part(part, pos.child[i].node, pos.child[i].count))
			mask |= 1ULL << i;
	r->w.coll.node_mask = mask;
	if (!mask && (pos.num_children || r->w.coll.flags & TALLY_WQE_F_EMPTY))
		r->w.coll.flags |= TALLY_WQE_F_NO_CONTRIBUTORS;
}

static void post_part(unsigned int node, uint64_t part)
{
	struct request r;

	for (unsigned int rank = 0; rank < RANKS; rank++) {
		prepare(&r, node, 1 << rank, LONG, !(part >> (node * RANKS + rank) & 1));
		narrow(&r, node, part);
		post(&ports[node], &r);
	}
}

static void run_part(uint64_t part)
{
	struct outcome out;

	fill(LONG);
	for (unsigned int node = 0; node < cluster.count; node++)
		post_part(node, part);
	for (unsigned int node = 0; node < cluster.count; node++) {
		for (unsigned int rank = 0; rank < RANKS; rank++) {
			bool in = part >> (node * RANKS + rank) & 1;

			REQUIRE(wait_outcome(&cluster.nic[node], &out, PATIENCE_MS) &&
				out.status == IBV_WC_SUCCESS, "ranks %#lx, rank %u.%u: %s", part,
				node, rank, tallydv_coll_status_str(out.coll));
			REQUIRE(out.bytes == (in ? LONG * sizeof(int32_t) : 0),
				"ranks %#lx, rank %u.%u: %u bytes", part, node, rank, out.bytes);
			check_result(node, rank, LONG, part);
		}
	}
	mid++;
}

/* ---- Readers of a completion ---- */
static void one_third(double *third, unsigned int node)
{
	*third = node ? 1e-30 : 1.0 / 3;
	memcpy(data_of(node, 0), third, sizeof(*third));
}

/* An inexact sum sets the error bit; times, chunk and segment have the expected values. */
static void readers(void)
{
	uint64_t before[MAX_NICS] = {};
	struct outcome out;
	struct request r;
	double third;

	for (unsigned int i = 0; i < 10; i++, mid++) {
		for (unsigned int node = 0; node < cluster.count; node++) {
			one_third(&third, node);
			request_allreduce(&r, &cluster.nic[node], TALLY_OP_SUM, TALLY_TYPE_FP64, 1,
					  sizeof(third), mid);
			r.give[1] = r.give[0];
			r.get[1] = r.get[0];
			r.w.wr.num_sge = r.w.coll.num_result = RANKS;
			post(&ports[node], &r);
		}
		for (unsigned int node = 0; node < cluster.count; node++) {
			REQUIRE(wait_outcome(&cluster.nic[node], &out, PATIENCE_MS), "readers");
			REQUIRE(out.status == IBV_WC_SUCCESS && !out.sid && out.seg < 4 &&
				out.detector == node && out.err_vector == TALLY_ERR_FP_INEXACT &&
				!out.nodes && !out.ranks && !out.flags,
				"node %u: %s, chunk %u, segment %u, detector %u, errors %#x", node,
				tallydv_coll_status_str(out.coll), out.sid, out.seg, out.detector,
				out.err_vector);
			REQUIRE(out.elapsed_ns && out.timestamp_ns - out.elapsed_ns > before[node],
				"node %u: at %lu, %u after the doorbell, and before at %lu", node,
				out.timestamp_ns, out.elapsed_ns, before[node]);
			before[node] = out.timestamp_ns;
		}
	}
}

/* ---- Errors ---- */
static void no_flag_on_error(void)
{
	struct outcome out;
	struct request r;

	fill(LONG);
	for (unsigned int node = 1; node < cluster.count; node++) {
		prepare(&r, node, BOTH, LONG, false);
		set_flag(&r, node);
		post(&ports[node], &r);
		await_begun(&ports[node], mid);
	}
	request_plain(&r, TALLY_OPCODE_ABORT, 0);
	post(&ports[0], &r);
	expect_success(&cluster.nic[0], "abort");
	for (unsigned int node = 1; node < cluster.count; node++) {
		REQUIRE(wait_outcome(&cluster.nic[node], &out, PATIENCE_MS) &&
			out.coll == TALLY_COLL_ABORTED, "node %u: %s", node,
			tallydv_coll_status_str(out.coll));
		REQUIRE(!*flag_of(node), "node %u: flag %#x of an error", node, *flag_of(node));
	}
}

int main(void)
{
	struct team_spec spec = { .jid = random_jid(), .ranks = BOTH };
	uint64_t all;

	cluster_open(&cluster);
	all = (1ULL << cluster.count * RANKS) - 1;
	team_create(&team, &cluster, &spec, ALL_NODES);
	ports_open(ports, &team, 0);
	while (mid < FLAGGED)
		flagged();
	flagged_barrier();
	for (uint64_t part = all; part; part = part * 5 / 7) /* some of each size */
		run_part(part);
	for (unsigned int n = 0; n < cluster.count * RANKS; n++)
		run_part(1ULL << n);
	run_part(all);
	readers();
	no_flag_on_error();
	ports_close(ports, &team);
	team_destroy(&team);
	cluster_close(&cluster);
	printf("%u messages\n", mid);
	return 0;
}
