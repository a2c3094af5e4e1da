/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A group whose processes post for each other's ranks. At some nodes one process posts for both
 * ranks, with one entry for both, and at other nodes the other one. When one of them destroys a queue
 * pair with a message that it has begun for both, its own rank is named.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "procs.h"
#include "work.h"

#define KEY 4712
#define LIMIT_MS 20000 /* a rank that is not told of the end gets TIMEOUT, a different status */
#define PATIENCE_MS 40000
#define SETTLE_US 50000
#define COUNT 3000
#define BOTH 3

static uint32_t jid;
static struct meeting *meeting; /* of both processes and the parent */
static struct meeting *after;	/* of the first process and the parent */

static struct cluster cluster;
static struct team team;
static struct port ports[MAX_NICS];

static int32_t value(unsigned int node, uint32_t mid, unsigned int i)
{
	return node * 1000 + mid * 100 + i % 7;
}

/* Post a message for both ranks of a node, whose values are already added. */
static void post_sum(unsigned int node, uint32_t mid)
{
	struct nic *nic = &cluster.nic[node];
	struct request r;

	for (unsigned int i = 0; i < COUNT; i++)
		((int32_t *)nic->buf)[i] = 2 * value(node, mid, i);
	request_allreduce(&r, nic, TALLY_OP_SUM, TALLY_TYPE_INT32, COUNT, sizeof(int32_t), mid);
	r.w.coll.flags = TALLY_WQE_F_COMBINED;
	post(&ports[node], &r);
}

static void expect_sum(unsigned int node, uint32_t mid)
{
	const int32_t *result = (int32_t *)(cluster.nic[node].buf + BUF_SIZE / 2);

	expect_success(&cluster.nic[node], "sum");
	for (unsigned int i = 0; i < COUNT; i++) {
		int32_t sum = 0;

		for (unsigned int n = 0; n < cluster.count; n++)
			sum += 2 * value(n, mid, i);
		REQUIRE(result[i] == sum, "node %u, message %u: element %u is %d, not %d", node, mid, i,
			result[i], sum);
	}
}

/* Post a message at every second node, from `first` on, and wait for its results there. */
static void take_part(unsigned int first, uint32_t mid)
{
	for (unsigned int node = first; node < cluster.count; node += 2)
		post_sum(node, mid);
	for (unsigned int node = first; node < cluster.count; node += 2)
		expect_sum(node, mid);
}

static void open_ports(uint16_t number)
{
	for (unsigned int node = 0; node < cluster.count; node++)
		port_open(&ports[node], &cluster.nic[node], team.group[node], BOTH, number);
}

static void join(uint32_t job)
{
	struct tallydv_group_attach_attr attr = { .jid = job, .join_key = KEY, .ranks = 2 };
	char why[256];

	for (unsigned int node = 0; node < cluster.count; node++) {
		team.group[node] = tallydv_attach_group(cluster.nic[node].context, &attr, why,
							sizeof(why));
		REQUIRE(team.group[node], "node %u: %s", node, why);
	}
}

/* ---- Holder of rank 1, which is killed ---- */
static void second(void *arg)
{
	(void)arg;
	cluster_open(&cluster);
	team.cluster = &cluster;
	meet(meeting);
	join(jid);
	meet(meeting);
	open_ports(1);
	take_part(1, 0);
	take_part(0, 1);
	post_sum(1, 2);
	await_begun(&ports[1], 2);
	port_close(&ports[1]);
	meet(meeting);
	pause();
}

/* ---- Holder of rank 0 ---- */
static void expect_gone(unsigned int node)
{
	struct outcome out;

	REQUIRE(wait_outcome(&cluster.nic[node], &out, PATIENCE_MS), "node %u: no completion", node);
	REQUIRE(out.coll == TALLY_COLL_RANK_GONE && out.mid == 2 && out.detector == 1 && out.ranks == 2,
		"node %u: %s, message %u, detector %u, ranks %#lx", node,
		tallydv_coll_status_str(out.coll), out.mid, out.detector, out.ranks);
}

static void first(void *arg)
{
	const struct team_spec spec = {
		.jid = jid,
		.join_key = KEY,
		.ranks = BOTH,
		.owned = 1,
		.timeout_ms = LIMIT_MS,
		.flags = TALLY_GROUP_F_SHARED,
	};

	(void)arg;
	cluster_open(&cluster);
	team_create(&team, &cluster, &spec, ALL_NODES);
	meet(meeting);
	meet(meeting); /* both ranks are held */
	open_ports(0);
	take_part(0, 0);
	take_part(1, 1);
	post_sum(0, 2);
	expect_gone(0);
	meet(meeting);
	meet(after); /* the other process is dead */
}

/* ---- Refusals ---- */

/* Expect that a queue pair for these ranks is refused. */
static void expect_refused(struct tallydv_group *group, uint64_t ranks)
{
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_DRIVER,
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = cluster.nic[0].pd,
		.send_cq = ibv_cq_ex_to_cq(cluster.nic[0].cq),
		.cap = { .max_send_wr = 1 },
	};
	struct tallydv_qp_init_attr dv = { .group = group, .ranks = ranks };
	char why[256];

	REQUIRE(!tallydv_create_qp(cluster.nic[0].context, &attr, &dv, why, sizeof(why)) && errno == EINVAL,
		"a queue pair for ranks %#lx: error %d", ranks, errno);
	REQUIRE(!strncmp(why, "ranks: ", 7), "the sentence is '%s'", why);
}

/* Ranks that nobody holds, and those of others in a group that is not shared. */
static void refusals(void *arg)
{
	struct team_spec spec = { .jid = random_jid(), .ranks = BOTH, .owned = 1 };

	(void)arg;
	cluster_open(&cluster);
	team_create(&team, &cluster, &spec, 1);
	expect_refused(team.group[0], BOTH);
	expect_refused(team.group[0], 2);
	team_destroy(&team);
	spec.jid = random_jid();
	spec.flags = TALLY_GROUP_F_SHARED;
	team_create(&team, &cluster, &spec, 1);
	expect_refused(team.group[0], BOTH);
	expect_refused(team.group[0], 4);
	team_destroy(&team);
	cluster_close(&cluster);
}

int main(void)
{
	pid_t dying, living;

	reap(spawn(refusals, NULL));
	jid = random_jid();
	meeting = meeting_new(3);
	after = meeting_new(2);
	dying = spawn(second, NULL);
	living = spawn(first, NULL);
	meet(meeting);
	meet(meeting);
	meet(meeting);
	usleep(SETTLE_US);
	slay(dying);
	meet(after);
	reap(living);
	return 0;
}
