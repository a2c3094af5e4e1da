/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * inject_device timeout|refusal: a command of this process gets no answer, or a command that
 * destroys an object is refused. The driver gives the device up. This process gets the errno that
 * docs/faults.md promises, and loses its device.
 */
#include <unistd.h>

#include "check.h"
#include "cluster.h"
#include "knobs.h"

static struct cluster cluster;
static struct nic *nic; /* node 1 */
static struct knobs knobs;

static void timeout(void)
{
	fail_nth(&knobs, "admin_timeout", "REG_MR", 1);
	errno = 0;
	REQUIRE(!ibv_reg_mr(nic->pd, nic->buf, 4096, 0) && errno == ETIMEDOUT, "region");
	REQUIRE(knob_read(&knobs, "admin_timeout", "times") == 0, "not injected");
	fault_off(&knobs, "admin_timeout");
}

/* The destruction succeeds, because the reset has destroyed the object as well. */
static void refusal(void)
{
	struct ibv_mr *mr = ibv_reg_mr(nic->pd, nic->buf, 4096, 0);

	REQUIRE(mr, "region");
	knob_set(&knobs, "admin_status", "status", "BAD_STATE");
	fail_nth(&knobs, "admin_status", "DEREG_MR", 1);
	REQUIRE(!ibv_dereg_mr(mr), "region");
	REQUIRE(knob_read(&knobs, "admin_status", "times") == 0, "not injected");
	fault_off(&knobs, "admin_status");
}

static void expect_fatal(void)
{
	struct ibv_async_event event;

	REQUIRE(!ibv_get_async_event(nic->context, &event), "event");
	REQUIRE(event.event_type == IBV_EVENT_DEVICE_FATAL, "event %s",
		ibv_event_type_str(event.event_type));
	ibv_ack_async_event(&event);
}

int main(int argc, char **argv)
{
	limit_time(100);
	REQUIRE(argc == 2, "usage: inject_device timeout|refusal");
	cluster_open(&cluster);
	REQUIRE(cluster.count > 1, "%u NICs", cluster.count);
	nic = &cluster.nic[1];
	knobs_open(&knobs, nic->context);
	if (!strcmp(argv[1], "timeout"))
		timeout();
	else
		refusal();
	expect_fatal();
	cluster_close(&cluster);
	return 0;
}
