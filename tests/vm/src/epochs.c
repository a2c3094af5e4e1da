/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A group dies and is reset, many times: each epoch ends by another node's ABORT in the middle of a
 * message, every node begins the next one, and messages are numbered from 0 again. What comes too
 * early, twice or with an epoch of the past is refused.
 */
#include <unistd.h>

#include "check.h"
#include "work.h"

#define EPOCHS 8
#define SOON_MS 5000

static struct cluster cluster;
static struct team team;
static struct port ports[MAX_NICS];

static int set_state(struct ibv_qp *qp, enum ibv_qp_state state)
{
	struct ibv_qp_attr attr = { .qp_state = state };

	return ibv_modify_qp(qp, &attr, IBV_QP_STATE);
}

static uint32_t epoch_of(unsigned int node)
{
	struct tallydv_group_info info;

	REQUIRE(!tallydv_query_group(team.group[node], &info), "node %u", node);
	return info.epoch;
}

/* All nodes but one post a barrier, then that one aborts: all requests end in an error. */
static void end_epoch(unsigned int who, uint32_t mid)
{
	struct outcome out;
	struct request r;

	request_barrier(&r, mid);
	for (unsigned int node = 0; node < cluster.count; node++)
		if (node != who)
			post(&ports[node], &r);
	request_plain(&r, TALLY_OPCODE_ABORT, mid);
	post(&ports[who], &r);
	for (unsigned int node = 0; node < cluster.count; node++) {
		REQUIRE(wait_outcome(&cluster.nic[node], &out, SOON_MS), "node %u", node);
		if (node != who)
			REQUIRE(out.coll == TALLY_COLL_ABORTED && out.detector == who,
				"node %u: %s, detector %u", node,
				tallydv_coll_status_str(out.coll), out.detector);
	}
}

/* Dead everywhere: a node that is still to learn it would not open a new epoch. */
static void await_death(void)
{
	uint64_t end = now_ms() + SOON_MS;
	struct tallydv_group_info info;

	for (unsigned int node = 0; node < cluster.count; node++)
		do {
			REQUIRE(!tallydv_query_group(team.group[node], &info), "node %u", node);
			REQUIRE(now_ms() < end, "node %u is in state %u", node, info.state);
		} while (info.state != TALLY_GROUP_DEAD);
}

static void begin_epoch(uint32_t old, uint32_t epoch)
{
	for (unsigned int node = 0; node < cluster.count; node++) {
		struct tallydv_group *group = team.group[node];
		struct ibv_qp *qp = ports[node].qp;

		REQUIRE(!set_state(qp, IBV_QPS_RESET), "node %u", node);
		REQUIRE(set_state(qp, IBV_QPS_RTS) == EBUSY, "node %u: to work when dead", node);
		REQUIRE(tallydv_reset_group(group, old) == EINVAL, "node %u: old", node);
		REQUIRE(tallydv_reset_group(group, 0) == EINVAL, "node %u: epoch 0", node);
		REQUIRE(!tallydv_reset_group(group, epoch), "node %u", node);
		REQUIRE(tallydv_reset_group(group, epoch) == EBUSY, "node %u: twice", node);
		REQUIRE(!set_state(qp, IBV_QPS_RTS), "node %u", node);
	}
}

int main(void)
{
	struct team_spec spec = { .jid = random_jid() };
	uint32_t epoch;

	alarm(60);
	cluster_open(&cluster);
	team_create(&team, &cluster, &spec, ALL_NODES);
	ports_open(ports, &team, 0);
	expect_barrier(ports, &team, 0);
	epoch = epoch_of(0);
	REQUIRE(tallydv_reset_group(team.group[0], epoch + 1) == EBUSY, "alive");
	for (unsigned int i = 0; i < EPOCHS; i++) {
		end_epoch(i % cluster.count, 1);
		await_death();
		begin_epoch(epoch, epoch + 1 + i * 1000);
		epoch += 1 + i * 1000;
		expect_barrier(ports, &team, 0);
		for (unsigned int node = 0; node < cluster.count; node++)
			REQUIRE(epoch_of(node) == epoch, "node %u: %#x", node, epoch_of(node));
	}
	ports_close(ports, &team);
	team_destroy(&team);
	cluster_close(&cluster);
	return 0;
}
