/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Resources of dead processes are freed soon. Two processes of an unprivileged user take all
 * segments of a NIC with their groups, one after the other, with the longest time limit. They begin
 * messages that will never complete, and exit. A third process and root must then get all segments
 * that they may have, within seconds. A process that destroys its own groups and takes the same
 * number again must not notice that the old ones still drain.
 *
 * linger [SEGS]: with SEGS segments in each group, 16 without it. With more, there are fewer groups.
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "check.h"
#include "procs.h"
#include "work.h"

#define NOBODY 65534
#define MAX_GROUPS 64 /* no fewer than have 16 segments each, of those that a process may have */
/* Longer than everything needs, also with Verilated NICs, and shorter than the groups' time limit. */
#define PATIENCE_MS 300000

static struct cluster cluster;
static struct nic *nic;
static uint32_t segs_each = 16;
static struct tallydv_seg *segs[MAX_GROUPS];
static struct tallydv_group *groups[MAX_GROUPS];
static struct port ports[MAX_GROUPS];

/* Creates the root of a group of two nodes. The other node never joins. */
static struct tallydv_group *try_group(struct tallydv_seg *seg)
{
	struct tallydv_neighbour child = {
		.gid = cluster.nic[1].gid,
		.subtree_first = 1,
		.subtree_count = 1,
		.rank_first = 1,
		.rank_count = 1,
	};
	struct tallydv_group_attr attr = {
		.jid = random_jid(),
		.seg = seg,
		.mode = TALLY_MODE_TREE,
		.num_nodes = 2,
		.num_children = 1,
		.children = &child,
		.rank_mask = 1,
		.owner_ranks = 1,
		.total_ranks = 2,
		.timeout_ms = TALLY_MAX_TIMEOUT_MS,
		.retry_limit = 8,
		.rto_us = TALLY_MAX_RTO_US,
	};

	return tallydv_create_group(nic->context, &attr, NULL, 0);
}

/* Takes group i. Returns false if there is no room now; errno has the reason. */
static bool take(unsigned int i)
{
	int err;

	segs[i] = tallydv_alloc_seg(nic->context, segs_each);
	if (!segs[i])
		return false;
	groups[i] = try_group(segs[i]);
	if (groups[i])
		return true;
	err = errno;
	REQUIRE(!tallydv_free_seg(segs[i]), "segment of no group");
	errno = err;
	return false;
}

static void take_within(unsigned int i, unsigned int ms)
{
	uint64_t end = now_ms() + ms;

	while (!take(i)) {
		REQUIRE(errno == ENOSPC && now_ms() < end, "group %u: errno %d", i, errno);
		usleep(50000);
	}
}

/*
 * Begins a message. Even groups run the root's part of a broadcast, which completes, and odd groups
 * a barrier.
 */
static void begin_message(unsigned int i)
{
	struct request r;

	port_open(&ports[i], nic, groups[i], 0, 0);
	if (i % 2) {
		request_barrier(&r, 0);
		post(&ports[i], &r);
		return;
	}
	request_plain(&r, TALLY_OPCODE_BCAST, 0);
	r.w.coll.dtype = TALLY_TYPE_UINT8;
	r.w.coll.count = 8;
	r.w.wr.num_sge = 1;
	r.give[0] = (struct ibv_sge){ (uintptr_t)nic->buf, 8, nic->mr->lkey };
	post(&ports[i], &r);
	expect_success(nic, "the root's part");
}

/* Takes groups with all segments that a process may have. */
static unsigned int take_all(unsigned int ms)
{
	struct tallydv_device_attr attr = {};
	unsigned int i;

	REQUIRE(!tallydv_query_device(nic->context, &attr) &&
			attr.max_segs / segs_each <= MAX_GROUPS,
		"device");
	for (i = 0; i < attr.max_segs / segs_each; i++) {
		take_within(i, ms);
		begin_message(i);
	}
	return i;
}

static void give_all(unsigned int count)
{
	for (unsigned int i = 0; i < count; i++) {
		port_close(&ports[i]);
		REQUIRE(!tallydv_destroy_group(groups[i]), "group %u", i);
		REQUIRE(!tallydv_free_seg(segs[i]), "segment of group %u", i);
	}
}

/* Becomes an RDMA user who may lock enough memory for the send queues. */
static void open_as_nobody(void)
{
	struct rlimit none = { RLIM_INFINITY, RLIM_INFINITY };

	REQUIRE(!setrlimit(RLIMIT_MEMLOCK, &none), "limit of locked memory");
	REQUIRE(!setresgid(NOBODY, NOBODY, NOBODY) && !setresuid(NOBODY, NOBODY, NOBODY), "nobody");
	prctl(PR_SET_PDEATHSIG, SIGKILL); /* setresuid() has cleared this setting */
	cluster_open(&cluster);
	nic = &cluster.nic[0];
}

static void taker(void *arg)
{
	open_as_nobody();
	take_all(*(unsigned int *)arg);
}

static void third(void *arg)
{
	unsigned int count;

	open_as_nobody();
	count = take_all(*(unsigned int *)arg);
	give_all(count);
	/* the old groups still drain */
	REQUIRE(take_all(0) == count, "groups again");
}

/*
 * A process that has taken all its groups anew knows that the old ones have drained. The new groups
 * have no work.
 */
static void await_drained(unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		take_within(i, 0);
	for (unsigned int i = 0; i < count; i++)
		REQUIRE(!tallydv_destroy_group(groups[i]) && !tallydv_free_seg(segs[i]),
			"group %u", i);
}

int main(int argc, char **argv)
{
	unsigned int at_once = 0, soon = PATIENCE_MS, count;

	if (argc > 1)
		segs_each = strtoul(argv[1], NULL, 0);
	REQUIRE(segs_each, "linger [SEGS]");
	reap(spawn(taker, &at_once));
	reap(spawn(taker, &at_once));
	reap(spawn(third, &soon));
	cluster_open(&cluster);
	nic = &cluster.nic[0];
	count = take_all(soon);
	give_all(count);
	await_drained(count);
	cluster_close(&cluster);
	return 0;
}
