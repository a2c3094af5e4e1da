/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lost MASK: several processes use all NICs, each in its own way, and print "ready". Then the NICs
 * of the mask are lost. Each process must be told as docs/recovery.md says, and releases its
 * objects. On a NIC that is not lost, requests end with another error, because its neighbours are
 * missing.
 */
#include <unistd.h>

#include "check.h"
#include "procs.h"
#include "work.h"

#define POLLERS 3
#define PROCESSES (POLLERS + 2)
#define TOLD_MS 20000
#define LIMIT_MS 5000 /* of a group whose neighbour is lost */
#define NO_LIMIT_MS 600000
#define PAUSE_US 10000

static uint32_t lost;	/* mask of lost NICs */
static unsigned int first; /* the first of them */
static struct meeting *ready;

static struct cluster cluster;
static struct team team;
static struct port ports[MAX_NICS];

static bool is_lost(unsigned int node)
{
	return lost >> node & 1;
}

static void begin(uint32_t limit_ms)
{
	struct team_spec spec = { .jid = random_jid(), .timeout_ms = limit_ms };

	cluster_open(&cluster);
	team_create(&team, &cluster, &spec, ALL_NODES);
	ports_open(ports, &team, 0);
	expect_barrier(ports, &team, 0);
}

static void post_barrier(unsigned int node, uint32_t mid)
{
	struct request r;

	request_barrier(&r, mid);
	post(&ports[node], &r);
}

/* ---- Errors and events of a process ---- */

/* Waits for the next completion. Returns false if it is a success. */
static bool has_failed(unsigned int node, const char *what)
{
	struct outcome out;

	REQUIRE(wait_outcome(&cluster.nic[node], &out, TOLD_MS), "node %u, %s: no completion", node,
		what);
	if (out.status == IBV_WC_SUCCESS)
		return false;
	if (is_lost(node))
		REQUIRE(out.status == IBV_WC_FATAL_ERR && out.coll == TALLY_COLL_DEVICE_LOST,
			"node %u, %s: %s, %s", node, what, ibv_wc_status_str(out.status),
			tallydv_coll_status_str(out.coll));
	else
		REQUIRE(out.coll != TALLY_COLL_DEVICE_LOST, "node %u, %s: not lost", node, what);
	return true;
}

/* A request that is posted now fails like those in flight. */
static void expect_failure(unsigned int node, uint32_t mid)
{
	post_barrier(node, mid);
	REQUIRE(has_failed(node, "post after the loss"), "node %u: success after the loss", node);
}

/* A fatal event comes first, and soon afterwards the context loses its device. */
static void expect_taken(unsigned int node)
{
	struct ibv_context *context = cluster.nic[node].context;
	struct ibv_async_event event;
	struct ibv_pd *pd;
	uint64_t end;

	REQUIRE(!ibv_get_async_event(context, &event), "node %u: event", node);
	REQUIRE(event.event_type == IBV_EVENT_DEVICE_FATAL, "node %u: event %s", node,
		ibv_event_type_str(event.event_type));
	ibv_ack_async_event(&event);
	end = now_ms() + TOLD_MS;
	while ((pd = ibv_alloc_pd(context))) {
		REQUIRE(!ibv_dealloc_pd(pd), "node %u: protection domain", node);
		REQUIRE(now_ms() < end, "node %u: not taken away in %u ms", node, TOLD_MS);
		usleep(PAUSE_US);
	}
	REQUIRE(errno == EIO, "node %u: protection domain", node);
}

/* Calls that need the device fail. */
static void expect_dead(unsigned int node)
{
	struct nic *nic = &cluster.nic[node];
	struct tallydv_group_info info;

	errno = 0;
	REQUIRE(!ibv_reg_mr(nic->pd, nic->buf, 4096, 0) && errno == EIO, "region");
	errno = 0;
	REQUIRE(!tallydv_alloc_seg(nic->context, 1) && errno == EIO, "segment");
	REQUIRE(tallydv_query_group(team.group[node], &info) == EIO, "group");
	REQUIRE(ibv_destroy_cq(ibv_cq_ex_to_cq(nic->cq)) == EBUSY, "completion queue of a queue pair");
}

/* Objects can be destroyed whether or not the device exists. */
static void end(void)
{
	for (unsigned int node = 0; node < cluster.count; node++) {
		if (!is_lost(node))
			continue;
		expect_taken(node);
		expect_dead(node);
	}
	ports_close(ports, &team);
	team_destroy(&team);
	cluster_close(&cluster);
}

/* ---- The processes ---- */

/* Runs barriers one after the other. Returns false after one has failed at any node. */
static bool barrier(uint32_t mid, bool *failed)
{
	bool any = false;

	for (unsigned int node = 0; node < cluster.count; node++)
		post_barrier(node, mid);
	for (unsigned int node = 0; node < cluster.count; node++) {
		failed[node] = has_failed(node, "barrier");
		any |= failed[node];
	}
	return !any;
}

static void poller(void *arg)
{
	bool failed[MAX_NICS];
	uint32_t mid = 1;

	(void)arg;
	begin(LIMIT_MS);
	meet(ready);
	while (barrier(mid, failed))
		mid++;
	for (unsigned int node = 0; node < cluster.count; node++)
		expect_failure(node, mid + 1);
	end();
}

/* Sleeps until a completion comes, which only the loss of the device causes. */
static void waiter(void *arg)
{
	struct nic *nic;
	struct ibv_cq *cq;
	void *context;

	(void)arg;
	begin(NO_LIMIT_MS);
	nic = &cluster.nic[first];
	REQUIRE(!ibv_req_notify_cq(ibv_cq_ex_to_cq(nic->cq), 0), "arming");
	post_barrier(first, 1);
	meet(ready);
	errno = 0;
	REQUIRE(ibv_get_cq_event(nic->channel, &cq, &context) && errno == EIO, "event");
	REQUIRE(has_failed(first, "what was waited for"), "success of the only rank");
	end();
}

/* Only waits for events of its NICs. */
static void listener(void *arg)
{
	(void)arg;
	begin(NO_LIMIT_MS);
	meet(ready);
	end();
}

int main(int argc, char **argv)
{
	pid_t process[PROCESSES];

	lost = argc == 2 ? strtoul(argv[1], NULL, 0) : 0;
	REQUIRE(lost, "usage: lost MASK");
	first = __builtin_ctz(lost);
	ready = meeting_new(PROCESSES + 1);
	for (unsigned int i = 0; i < PROCESSES; i++)
		process[i] = spawn(i < POLLERS ? poller : i == POLLERS ? waiter : listener, NULL);
	meet(ready);
	say_ready();
	for (unsigned int i = 0; i < PROCESSES; i++)
		reap(process[i]);
	return 0;
}
