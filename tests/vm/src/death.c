/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A process is killed in the middle of a collective. All other ranks learn at once which ranks are
 * gone. The victim has a node of its own or shares one, and has posted or not.
 */
#include <unistd.h>

#include "check.h"
#include "procs.h"
#include "work.h"

#define KEY 4711
#define LIMIT_MS 20000 /* a rank that is not told of the death gets TIMEOUT, a different status */
#define PATIENCE_MS 40000
#define SETTLE_US 50000

static struct scene {
	unsigned int node; /* node of the victim */
	uint64_t rank;     /* mask of its rank there */
	bool shared;       /* rank 0 of the node belongs to another process */
	bool posts;        /* the victim posts and waits, and node `idle` does not post */
	bool no_limit;     /* messages have no time limit */
	unsigned int idle;
} *scene;
static uint32_t jid;
static struct meeting *meeting; /* of victim, survivor and parent */
static struct meeting *after;   /* of survivor and parent */

static struct cluster cluster;
static struct team team;
static struct port ports[MAX_NICS];

static struct team_spec spec_of(void)
{
	return (struct team_spec){
		.jid = jid,
		.join_key = KEY,
		.ranks = scene->shared ? 3 : 1,
		.owned = 1,
		.timeout_ms = scene->no_limit ? 0 : LIMIT_MS,
		.no_limit = scene->no_limit,
	};
}

static void post_barrier(unsigned int node, uint32_t mid)
{
	struct request r;

	request_barrier(&r, mid);
	post(&ports[node], &r);
}

/* ---- Victim ---- */
static void join_node(unsigned int node, uint64_t rank)
{
	struct tallydv_group_attach_attr attr = { .jid = jid, .join_key = KEY, .ranks = rank };

	team.group[node] = tallydv_attach_group(cluster.nic[node].context, &attr, NULL, 0);
	REQUIRE(team.group[node], "node %u", node);
}

static void victim(void *arg)
{
	struct team_spec spec = spec_of();

	(void)arg;
	cluster_open(&cluster);
	if (!scene->shared)
		team_create(&team, &cluster, &spec, 1U << scene->node);
	meet(meeting); /* all nodes have the group */
	if (scene->shared) {
		team.cluster = &cluster;
		join_node(scene->node, scene->rank);
	}
	port_open(&ports[scene->node], &cluster.nic[scene->node], team.group[scene->node], 0,
		  scene->shared);
	expect_barrier(ports, &team, 0);
	if (scene->posts)
		post_barrier(scene->node, 1);
	meet(meeting); /* now the victim may be killed */
	pause();
}

/* ---- Other ranks ---- */

/*
 * Joins the group at every node that does not belong to the victim. On a shared node, the survivor
 * also posts for the second rank.
 */
static void join_others(struct port *second)
{
	struct tallydv_group_attach_attr attr = { .jid = jid, .join_key = KEY, .ranks = 2 };

	for (unsigned int node = 0; node < cluster.count; node++) {
		struct tallydv_group *group;

		if (node == scene->node)
			continue;
		group = tallydv_attach_group(cluster.nic[node].context, &attr, NULL, 0);
		REQUIRE(group, "node %u", node);
		port_open(&second[node], &cluster.nic[node], group, 0, 1);
	}
}

static bool is_mine(unsigned int node)
{
	return team.group[node];
}

static void post_second(struct port *second, uint32_t mid)
{
	struct request r;

	request_barrier(&r, mid);
	for (unsigned int node = 0; node < cluster.count; node++)
		if (second[node].qp)
			post(&second[node], &r);
}

static void first_barrier(struct port *second)
{
	post_second(second, 0);
	expect_barrier(ports, &team, 0);
	for (unsigned int node = 0; node < cluster.count; node++)
		if (second[node].qp)
			expect_success(&cluster.nic[node], "barrier");
}

static void post_second_message(void)
{
	for (unsigned int node = 0; node < cluster.count; node++)
		if (is_mine(node) && !(scene->posts && node == scene->idle))
			post_barrier(node, 1);
}

static void expect_gone(unsigned int node)
{
	struct outcome out;

	REQUIRE(wait_outcome(&cluster.nic[node], &out, PATIENCE_MS), "node %u: no completion", node);
	REQUIRE(out.status == IBV_WC_REM_ABORT_ERR && out.coll == TALLY_COLL_RANK_GONE,
		"victim %u, node %u: %s, %s", scene->node, node, ibv_wc_status_str(out.status),
		tallydv_coll_status_str(out.coll));
	REQUIRE(out.mid == 1 && out.detector == scene->node && out.ranks == scene->rank,
		"victim %u, node %u: message %u, detector %u, ranks %#lx", scene->node, node,
		out.mid, out.detector, out.ranks);
}

/* The contexts are closed with all objects still open, which the kernel must release. */
static void survivor(void *arg)
{
	static struct port second[MAX_NICS];
	struct team_spec spec = spec_of();
	uint32_t nodes = scene->shared ? ALL_NODES : ~(1U << scene->node);

	(void)arg;
	cluster_open(&cluster);
	team_create(&team, &cluster, &spec, nodes);
	ports_open(ports, &team, 0);
	meet(meeting);
	if (scene->shared)
		join_others(second);
	first_barrier(second);
	post_second_message();
	meet(meeting);
	meet(after); /* the victim is dead */
	for (unsigned int node = 0; node < cluster.count; node++)
		if (is_mine(node) && !(scene->posts && node == scene->idle))
			expect_gone(node);
}

static void run(struct scene what)
{
	pid_t dying, living;

	*scene = what;
	jid = random_jid();
	meeting = meeting_new(3);
	after = meeting_new(2);
	dying = spawn(victim, NULL);
	living = spawn(survivor, NULL);
	meet(meeting);
	meet(meeting);
	usleep(SETTLE_US);
	slay(dying);
	meet(after);
	reap(living);
}

int main(void)
{
	scene = share(sizeof(*scene));
	for (unsigned int node = 0; node < 4; node++) {
		run((struct scene){ .node = node, .rank = 1, .no_limit = node % 2 });
		run((struct scene){ .node = node, .rank = 1, .posts = true, .idle = (node + 1) % 4,
				    .no_limit = node / 2 });
	}
	run((struct scene){ .node = 2, .rank = 2, .shared = true });
	return 0;
}
