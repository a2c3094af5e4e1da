/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Posts and polls a thousand allreduces between two system calls that strace shows: write(-1,
 * "begin") and write(-1, "end").
 */
#include <unistd.h>

#include "check.h"
#include "work.h"

#define MESSAGES 1000

static struct cluster cluster;
static struct team team;
static struct port ports[MAX_NICS];

/* The file descriptor is invalid: strace shows the call, which has no effect. */
static void mark(const char *text)
{
	ssize_t n = write(-1, text, strlen(text));

	REQUIRE(n < 0 && errno == EBADF, "mark %s", text);
}

static void message(uint32_t mid)
{
	struct request r;

	for (unsigned int node = 0; node < cluster.count; node++) {
		*(int64_t *)cluster.nic[node].buf = (int64_t)mid * node;
		request_allreduce(&r, &cluster.nic[node], TALLY_OP_SUM, TALLY_TYPE_INT64, 1, 8, mid);
		post(&ports[node], &r);
	}
	for (unsigned int node = 0; node < cluster.count; node++) {
		struct nic *nic = &cluster.nic[node];
		int64_t *got = (int64_t *)(nic->buf + BUF_SIZE / 2);
		int64_t want = (int64_t)mid * cluster.count * (cluster.count - 1) / 2;
		struct outcome out;

		while (!try_outcome(nic, &out))
			;
		REQUIRE(out.status == IBV_WC_SUCCESS && *got == want,
			"message %u at node %u: %s, %ld instead of %ld", mid, node,
			tallydv_coll_status_str(out.coll), *got, want);
	}
}

int main(void)
{
	struct team_spec spec = { .jid = random_jid(), .segs = 8 };

	limit_time(55);
	cluster_open(&cluster);
	team_create(&team, &cluster, &spec, ALL_NODES);
	ports_open(ports, &team, 0);
	message(0);
	mark("begin");
	for (uint32_t mid = 1; mid <= MESSAGES; mid++)
		message(mid);
	mark("end");
	ports_close(ports, &team);
	team_destroy(&team);
	cluster_close(&cluster);
	return 0;
}
