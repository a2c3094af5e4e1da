/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two ranks per node and two processes. One process has created the group at all nodes and posts
 * for the first rank of each. The other has attached to it and posts for the second rank. Either
 * process is killed, between two messages or during one. The other process must learn that the
 * ranks are gone. It must then be able to release its objects and create a new group.
 */
#include <unistd.h>

#include "check.h"
#include "procs.h"
#include "work.h"

#define KEY 77
#define BOTH 3
#define PATIENCE_MS 40000
#define LIMIT_MS 20000 /* a rank that is not told of the death gets TIMEOUT, a different status */
#define WORK 5         /* messages before the death */

static struct scene {
	bool creator_dies;
	bool amid; /* at the death the survivor waits for a message; otherwise it posts one later */
} *scene;
static uint32_t jid;
static struct meeting *meeting; /* of victim and survivor */
static struct meeting *after;   /* of survivor and parent */

static struct cluster cluster;
static struct team team;
static struct port ports[MAX_NICS];

static void attach_all(void)
{
	struct tallydv_group_attach_attr attr = { .jid = jid, .join_key = KEY, .ranks = 2 };

	team = (struct team){ .cluster = &cluster, .ranks = BOTH };
	for (unsigned int node = 0; node < cluster.count; node++) {
		team.group[node] = tallydv_attach_group(cluster.nic[node].context, &attr, NULL, 0);
		REQUIRE(team.group[node], "node %u", node);
	}
}

static void begin(bool creator)
{
	struct team_spec spec = {
		.jid = jid, .join_key = KEY, .ranks = BOTH, .owned = 1, .timeout_ms = LIMIT_MS,
	};

	cluster_open(&cluster);
	if (creator)
		team_create(&team, &cluster, &spec, ALL_NODES);
	meet(meeting);
	if (!creator)
		attach_all();
	ports_open(ports, &team, !creator);
	for (uint32_t mid = 0; mid < WORK; mid++)
		expect_barrier(ports, &team, mid);
}

static void post_barriers(void)
{
	struct request r;

	request_barrier(&r, WORK);
	for (unsigned int node = 0; node < cluster.count; node++)
		post(&ports[node], &r);
}

/* Waits until the message has begun at a node and waits for the ranks of the other process. */
static void await_pending(unsigned int node, uint64_t others)
{
	uint64_t end = now_ms() + PATIENCE_MS;
	struct outcome out;

	do {
		out = ask(&ports[node], WORK);
		REQUIRE(now_ms() < end, "node %u: flags %#x, ranks %#lx", node, out.flags,
			out.ranks);
	} while (!(out.flags & TALLY_CQE_F_PENDING) || out.ranks != others);
}

/*
 * Checks that the ranks of the dead process are reported as gone. A request posted after another
 * node has noticed the death is flushed, with the reason. Returns whether the message had begun.
 */
static bool expect_gone(unsigned int node, uint64_t ranks)
{
	struct tallydv_group_info info;
	struct outcome out;
	bool begun;

	REQUIRE(wait_outcome(&cluster.nic[node], &out, PATIENCE_MS), "node %u: no completion", node);
	begun = out.coll == TALLY_COLL_RANK_GONE && out.status == IBV_WC_REM_ABORT_ERR &&
		out.mid == WORK;
	REQUIRE(begun || (!scene->amid && out.coll == TALLY_COLL_RANK_GONE &&
			   out.status == IBV_WC_WR_FLUSH_ERR),
		"creator dies %d, amid %d, node %u: %s, message %u", scene->creator_dies,
		scene->amid, node, tallydv_coll_status_str(out.coll), out.mid);
	REQUIRE(out.ranks == ranks && out.detector < cluster.count,
		"creator dies %d, amid %d, node %u: detector %u, ranks %#lx", scene->creator_dies,
		scene->amid, node, out.detector, out.ranks);
	REQUIRE(!tallydv_query_group(team.group[node], &info), "node %u", node);
	REQUIRE(info.gone_ranks == ranks && info.attached_ranks == (BOTH & ~ranks) &&
		info.status == TALLY_COLL_RANK_GONE, "node %u: gone %#lx, attached %#lx, %s", node,
		info.gone_ranks, info.attached_ranks, tallydv_coll_status_str(info.status));
	return begun;
}

static void victim(void *arg)
{
	(void)arg;
	begin(scene->creator_dies);
	meet(meeting);
	pause();
}

/* The segments of the dead process and the numbers of its groups are free. */
static void create_anew(void)
{
	struct team_spec spec = { .jid = random_jid(), .segs = TALLY_MAX_GROUP_SEGS };

	team_create(&team, &cluster, &spec, ALL_NODES);
	ports_open(ports, &team, 0);
	expect_barrier(ports, &team, 0);
	ports_close(ports, &team);
	team_destroy(&team);
}

static void survivor(void *arg)
{
	unsigned int begun = 0;

	(void)arg;
	begin(!scene->creator_dies);
	if (scene->amid) {
		post_barriers();
		for (unsigned int node = 0; node < cluster.count; node++)
			await_pending(node, scene->creator_dies ? 1 : 2);
	}
	meet(meeting);
	meet(after); /* now the victim may be killed */
	meet(after); /* it has been killed */
	if (!scene->amid)
		post_barriers();
	for (unsigned int node = 0; node < cluster.count; node++)
		begun += expect_gone(node, scene->creator_dies ? 1 : 2);
	REQUIRE(begun, "no rank got RANK_GONE");
	ports_close(ports, &team);
	team_destroy(&team);
	create_anew();
	cluster_close(&cluster);
}

static void run(bool creator_dies, bool amid)
{
	pid_t dying, living;

	*scene = (struct scene){ creator_dies, amid };
	jid = random_jid();
	meeting = meeting_new(2);
	after = meeting_new(2);
	dying = spawn(victim, NULL);
	living = spawn(survivor, NULL);
	meet(after); /* the survivor is about to wait */
	slay(dying);
	meet(after);
	reap(living);
}

int main(void)
{
	scene = share(sizeof(*scene));
	for (int i = 0; i < 4; i++)
		run(i & 1, i & 2);
	return 0;
}
