/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Completion channels: an armed queue wakes its waiter each time, and only for the requested
 * completions.
 */
#include <poll.h>
#include <unistd.h>

#include "check.h"
#include "work.h"

#define ROUNDS 200
#define LOST_MS 5000
#define QUIET_MS 30
#define LONGEST_PAUSE_US 1500

static struct cluster cluster;
static struct team team;
static struct port ports[MAX_NICS];
static uint32_t mid;

static void arm(struct nic *nic, bool solicited_only)
{
	REQUIRE(!ibv_req_notify_cq(ibv_cq_ex_to_cq(nic->cq), solicited_only), "arming");
}

static bool has_event(struct nic *nic, int ms)
{
	struct pollfd fd = { .fd = nic->channel->fd, .events = POLLIN };

	return poll(&fd, 1, ms) == 1;
}

static void take_event(struct nic *nic, const char *what)
{
	struct ibv_cq *cq;
	void *context;

	REQUIRE(has_event(nic, LOST_MS), "message %u, %s: no event in %u ms", mid, what, LOST_MS);
	REQUIRE(!ibv_get_cq_event(nic->channel, &cq, &context), "event");
	REQUIRE(cq == ibv_cq_ex_to_cq(nic->cq), "event of another queue");
	ibv_ack_cq_events(cq, 1);
}

static void post_barrier(unsigned int node, unsigned int send_flags)
{
	struct request r;

	request_barrier(&r, mid);
	r.w.wr.send_flags |= send_flags;
	post(&ports[node], &r);
}

static void post_others(unsigned int but)
{
	for (unsigned int node = 0; node < cluster.count; node++)
		if (node != but)
			post_barrier(node, 0);
}

static void finish_others(unsigned int but)
{
	for (unsigned int node = 0; node < cluster.count; node++)
		if (node != but)
			expect_success(&cluster.nic[node], "barrier");
	mid++;
}

/* The waiter posts first or last, and the device may sleep or not. Pauses are random. */
static void round_trip(unsigned int waiter)
{
	struct nic *nic = &cluster.nic[waiter];

	arm(nic, false);
	usleep(lrand48() % LONGEST_PAUSE_US);
	if (mid & 1)
		post_barrier(waiter, 0);
	post_others(waiter);
	if (!(mid & 1)) {
		usleep(lrand48() % LONGEST_PAUSE_US);
		post_barrier(waiter, 0);
	}
	take_event(nic, "armed");
	expect_success(nic, "barrier");
	finish_others(waiter);
}

/* A queue that is not armed raises no event. */
static void unarmed(struct nic *nic)
{
	post_others(0);
	post_barrier(0, IBV_SEND_SOLICITED);
	expect_success(nic, "barrier");
	finish_others(0);
	REQUIRE(!has_event(nic, QUIET_MS), "event of a queue that was not armed");
}

static void solicited_only(struct nic *nic)
{
	arm(nic, true);
	post_others(0);
	post_barrier(0, 0);
	expect_success(nic, "barrier");
	finish_others(0);
	REQUIRE(!has_event(nic, QUIET_MS), "event of a completion that was not solicited");
	post_others(0);
	post_barrier(0, IBV_SEND_SOLICITED);
	take_event(nic, "solicited");
	expect_success(nic, "barrier");
	finish_others(0);
}

/* An error also wakes a waiter for solicited completions only. */
static void solicited_by_error(struct nic *nic)
{
	struct outcome out;
	struct request r;

	arm(nic, true);
	request_barrier(&r, mid);
	r.w.coll.count = 1;
	post(&ports[0], &r);
	take_event(nic, "error");
	REQUIRE(try_outcome(nic, &out) && out.coll == TALLY_COLL_BAD_COUNT, "status %s",
		tallydv_coll_status_name(out.coll));
}

int main(void)
{
	struct team_spec spec = { .jid = random_jid() };

	limit_time(60);
	cluster_open(&cluster);
	team_create(&team, &cluster, &spec, ALL_NODES);
	ports_open(ports, &team, 0);
	for (unsigned int i = 0; i < ROUNDS; i++)
		round_trip(i % cluster.count);
	unarmed(&cluster.nic[0]);
	solicited_only(&cluster.nic[0]);
	solicited_by_error(&cluster.nic[0]);
	ports_close(ports, &team);
	team_destroy(&team);
	cluster_close(&cluster);
	return 0;
}
