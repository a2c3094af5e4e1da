/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One group with three ranks per node, each rank in its own process. The first rank creates the
 * group at all nodes, and the others attach to it. Invalid attachments and a second creation are
 * refused with the right errno.
 */
#include <unistd.h>

#include "check.h"
#include "procs.h"
#include "work.h"

#define RANKS 3
#define ALL_RANKS ((1 << RANKS) - 1)
#define ELEMENTS 10
#define ROUNDS 20

static const uint64_t join_key = 0x8badf00d12345678;
static uint32_t jid;
static struct meeting *meeting;

static struct cluster cluster;
static struct team team;
static struct port ports[MAX_NICS];

static int32_t value(unsigned int node, unsigned int rank, unsigned int round, unsigned int i)
{
	return node * 1009 + rank * 101 + round * 17 + i;
}

static char why[256];

static struct tallydv_group *attach(unsigned int node, uint32_t to, uint64_t key, uint64_t ranks)
{
	struct tallydv_group_attach_attr attr = { .jid = to, .join_key = key, .ranks = ranks };

	return tallydv_attach_group(cluster.nic[node].context, &attr, why, sizeof(why));
}

/* Returns the name of the field that the refusal reports. */
static const char *field_of(int err)
{
	switch (err) {
	case ENOENT:
		return "jid: ";
	case EACCES:
		return "join_key: ";
	default:
		return "ranks: ";
	}
}

static void must_not_attach(uint32_t to, uint64_t key, uint64_t ranks, int err)
{
	for (unsigned int node = 0; node < cluster.count; node++) {
		errno = 0;
		REQUIRE(!attach(node, to, key, ranks) && errno == err,
			"job %#x, key %#lx, ranks %#lx at node %u: wanted %s", to, key, ranks,
			node, strerror(err));
		REQUIRE(!strncmp(why, field_of(err), strlen(field_of(err))), "\"%s\"", why);
	}
}

static void must_not_create_again(void)
{
	struct ibv_context *context = cluster.nic[0].context;
	struct tallydv_seg *seg = tallydv_alloc_seg(context, 1);
	struct tallydv_group_attr attr = {
		.jid = jid,
		.seg = seg,
		.mode = TALLY_MODE_TREE,
		.num_nodes = 1,
		.rank_mask = 1,
		.owner_ranks = 1,
		.total_ranks = 1,
		.timeout_ms = 1000,
	};

	REQUIRE(seg, "segment");
	errno = 0;
	REQUIRE(!tallydv_create_group(context, &attr, why, sizeof(why)) && errno == EEXIST,
		"job %#x twice", jid);
	REQUIRE(!strncmp(why, "jid: ", 5), "\"%s\"", why);
	REQUIRE(!tallydv_free_seg(seg), "segment");
}

static void work(unsigned int rank, unsigned int round)
{
	struct request r;

	for (unsigned int node = 0; node < cluster.count; node++) {
		int32_t *data = (int32_t *)cluster.nic[node].buf;

		for (unsigned int i = 0; i < ELEMENTS; i++)
			data[i] = value(node, rank, round, i);
		request_allreduce(&r, &cluster.nic[node], TALLY_OP_SUM, TALLY_TYPE_INT32, ELEMENTS,
				  sizeof(*data), round);
		post(&ports[node], &r);
	}
	for (unsigned int node = 0; node < cluster.count; node++)
		expect_success(&cluster.nic[node], "allreduce");
}

static void check(unsigned int rank, unsigned int round)
{
	for (unsigned int i = 0; i < ELEMENTS; i++) {
		int32_t sum = 0;

		for (unsigned int n = 0; n < cluster.count * RANKS; n++)
			sum += value(n / RANKS, n % RANKS, round, i);
		for (unsigned int node = 0; node < cluster.count; node++) {
			int32_t *got = (int32_t *)(cluster.nic[node].buf + BUF_SIZE / 2);

			REQUIRE(got[i] == sum, "round %u, element %u at %u.%u is %d, not %d", round,
				i, node, rank, got[i], sum);
		}
	}
}

static void rank_works(unsigned int rank)
{
	ports_open(ports, &team, rank);
	meet(meeting);
	for (unsigned int round = 0; round < ROUNDS; round++) {
		work(rank, round);
		check(rank, round);
	}
	meet(meeting);
	ports_close(ports, &team);
	team_destroy(&team);
	cluster_close(&cluster);
}

static void joiner(void *arg)
{
	unsigned int rank = *(unsigned int *)arg;

	cluster_open(&cluster);
	team = (struct team){ .cluster = &cluster, .ranks = ALL_RANKS };
	meet(meeting); /* the group exists */
	must_not_attach(jid, join_key ^ 1, 1 << rank, EACCES);
	must_not_attach(jid + 1, join_key, 1 << rank, ENOENT);
	must_not_attach(jid, join_key, 1, EBUSY);
	must_not_attach(jid, join_key, 1 << RANKS, EINVAL);
	must_not_attach(jid, join_key, 0, EINVAL);
	if (rank == 1)
		must_not_create_again();
	for (unsigned int node = 0; node < cluster.count; node++) {
		team.group[node] = attach(node, jid, join_key, 1 << rank);
		REQUIRE(team.group[node], "rank %u at node %u", rank, node);
	}
	must_not_attach(jid, join_key, 1 << rank, EBUSY);
	rank_works(rank);
}

int main(void)
{
	struct team_spec spec = {
		.jid = jid = random_jid(),
		.join_key = join_key,
		.ranks = ALL_RANKS,
		.owned = 1,
	};
	static unsigned int rank[RANKS] = { 0, 1, 2 };
	pid_t pids[RANKS];

	meeting = meeting_new(RANKS);
	for (unsigned int i = 1; i < RANKS; i++)
		pids[i] = spawn(joiner, &rank[i]);
	cluster_open(&cluster);
	team_create(&team, &cluster, &spec, ALL_NODES);
	meet(meeting);
	rank_works(0);
	for (unsigned int i = 1; i < RANKS; i++)
		reap(pids[i]);
	return 0;
}
