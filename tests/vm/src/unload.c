/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unload N: holds one object of each kind at each NIC while the first N NICs are removed. Prints
 * "ready" when they may be removed, checks that it is told, and continues when its input ends. Its
 * calls then fail, but the program does not.
 */
#include <poll.h>

#include "check.h"
#include "work.h"

#define TOLD_MS 20000

static struct cluster cluster;
static struct team team;
static struct port ports[MAX_NICS];

/* The context reports a fatal event, or that no more events will come. */
static void expect_told(struct nic *nic)
{
	struct pollfd fd = { .fd = nic->context->async_fd, .events = POLLIN };
	struct ibv_async_event event;

	REQUIRE(poll(&fd, 1, TOLD_MS) == 1, "no event in %u ms", TOLD_MS);
	if (ibv_get_async_event(nic->context, &event)) {
		REQUIRE(errno == EIO, "event");
		return;
	}
	REQUIRE(event.event_type == IBV_EVENT_DEVICE_FATAL, "event %s",
		ibv_event_type_str(event.event_type));
	ibv_ack_async_event(&event);
}

/* Calls that need the device fail. The other calls have no bad effect. */
static void expect_dead(unsigned int node)
{
	struct nic *nic = &cluster.nic[node];
	struct tallydv_group_info info;
	struct outcome out;
	struct request r;

	errno = 0;
	REQUIRE(!ibv_alloc_pd(nic->context) && errno == EIO, "protection domain");
	errno = 0;
	REQUIRE(!ibv_reg_mr(nic->pd, nic->buf, 4096, 0) && errno == EIO, "region");
	errno = 0;
	REQUIRE(!tallydv_alloc_seg(nic->context, 1) && errno == EIO, "segment");
	REQUIRE(tallydv_query_group(team.group[node], &info) == EIO, "group");
	request_barrier(&r, 1);
	post(&ports[node], &r);
	while (try_outcome(nic, &out))
		REQUIRE(out.status != IBV_WC_SUCCESS, "completion of a device that is gone");
}

/* Destroying an object that is already gone succeeds or returns EIO. */
static bool gone_well(int err)
{
	return !err || err == EIO;
}

static void let_go(unsigned int node)
{
	struct nic *nic = &cluster.nic[node];

	REQUIRE(gone_well(ibv_destroy_qp(ports[node].qp)), "queue pair");
	REQUIRE(gone_well(tallydv_destroy_group(team.group[node])), "group");
	REQUIRE(gone_well(tallydv_free_seg(team.seg[node])), "segments");
	REQUIRE(gone_well(ibv_dereg_mr(nic->mr)), "region");
	REQUIRE(gone_well(ibv_destroy_cq(ibv_cq_ex_to_cq(nic->cq))), "queue");
	REQUIRE(gone_well(ibv_dealloc_pd(nic->pd)), "protection domain");
	REQUIRE(gone_well(ibv_close_device(nic->context)), "context");
}

int main(int argc, char **argv)
{
	struct team_spec spec = { .jid = random_jid(), .timeout_ms = 1000 };
	unsigned int gone = argc == 2 ? atoi(argv[1]) : 0;

	cluster_open(&cluster);
	REQUIRE(gone && gone <= cluster.count, "usage: unload 1..%u", cluster.count);
	team_create(&team, &cluster, &spec, ALL_NODES);
	ports_open(ports, &team, 0);
	expect_barrier(ports, &team, 0);
	say_ready();
	for (unsigned int node = 0; node < gone; node++)
		expect_told(&cluster.nic[node]);
	wait_for_end_of_input();
	for (unsigned int node = 0; node < gone; node++)
		expect_dead(node);
	for (unsigned int node = 0; node < cluster.count; node++)
		let_go(node);
	return 0;
}
