/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A group that an ABORT has ended begins another epoch, twice, with the same queue pairs. Invalid
 * resets are refused: of a group that is alive, to a past epoch, of a group that lost a rank.
 */
#include <unistd.h>

#include "check.h"
#include "work.h"

#define SOON_MS 15000
#define EPOCHS 4
#define COUNT 3000 /* number of elements: several chunks */
#define SIZE sizeof(int32_t)
#define FIRST_EPOCH UINT32_MAX /* the next one is 1, because 0 means none */
#define BOTH 3

static struct cluster cluster;
static struct team team;
static struct port ports[MAX_NICS];

static int32_t *data_of(unsigned int node)
{
	return (int32_t *)cluster.nic[node].buf;
}

/* Posts the same data for both ranks of a node. */
static void post_sum(unsigned int node, uint32_t mid)
{
	struct request r;

	request_allreduce(&r, &cluster.nic[node], TALLY_OP_SUM, TALLY_TYPE_INT32, COUNT, SIZE, mid);
	r.give[1] = r.give[0];
	r.get[1] = r.get[0];
	r.get[1].addr += COUNT * SIZE;
	r.w.wr.num_sge = r.w.coll.num_result = 2;
	post(&ports[node], &r);
}

static void work(uint32_t mid)
{
	for (unsigned int node = 0; node < cluster.count; node++) {
		for (unsigned int i = 0; i < COUNT; i++)
			data_of(node)[i] = node * 7919 + mid * 31 + i;
		memset(cluster.nic[node].buf + BUF_SIZE / 2, 0, BUF_SIZE / 2);
		post_sum(node, mid);
	}
	for (unsigned int node = 0; node < cluster.count; node++) {
		int32_t *got = (int32_t *)(cluster.nic[node].buf + BUF_SIZE / 2);

		expect_success(&cluster.nic[node], "sum");
		for (unsigned int i = 0; i < 2 * COUNT; i++) {
			int32_t sum = 0;

			for (unsigned int n = 0; n < cluster.count; n++)
				sum += 2 * data_of(n)[i % COUNT];
			REQUIRE(got[i] == sum, "message %u, element %u at node %u is %d, not %d",
				mid, i, node, got[i], sum);
		}
	}
}

/* All nodes except `by` wait for a message when `by` aborts. */
static void abort_by(unsigned int by, uint32_t mid)
{
	struct outcome out;
	struct request r;

	for (unsigned int node = 0; node < cluster.count; node++) {
		if (node == by)
			continue;
		post_sum(node, mid);
		await_begun(&ports[node], mid);
	}
	request_plain(&r, TALLY_OPCODE_ABORT, 0);
	post(&ports[by], &r);
	expect_success(&cluster.nic[by], "abort");
	for (unsigned int node = 0; node < cluster.count; node++) {
		if (node == by)
			continue;
		REQUIRE(wait_outcome(&cluster.nic[node], &out, SOON_MS) &&
			out.coll == TALLY_COLL_ABORTED && out.detector == by, "node %u: %s", node,
			tallydv_coll_status_str(out.coll));
	}
}

static struct tallydv_group_info info_of(unsigned int node)
{
	struct tallydv_group_info info;

	REQUIRE(!tallydv_query_group(team.group[node], &info), "node %u", node);
	return info;
}

static int move(unsigned int node, enum ibv_qp_state state)
{
	struct ibv_qp_attr attr = { .qp_state = state };

	return ibv_modify_qp(ports[node].qp, &attr, IBV_QP_STATE);
}

static int post_error(struct port *port)
{
	struct ibv_send_wr *bad;
	struct request r;

	request_plain(&r, TALLY_OPCODE_BARRIER, 0);
	return ibv_post_send(port->qp, &r.w.wr, &bad);
}

static void begin_epoch(unsigned int node, uint32_t epoch)
{
	int err = move(node, IBV_QPS_RESET);

	REQUIRE(!err, "node %u: queue pair to RESET: error %d", node, err);
	REQUIRE(post_error(&ports[node]) == EINVAL, "node %u: post in RESET", node);
	err = move(node, IBV_QPS_RTS);
	REQUIRE(err == EBUSY, "node %u: queue pair of a dead group to RTS: error %d", node, err);
	err = tallydv_reset_group(team.group[node], epoch);
	REQUIRE(!err, "node %u, epoch %#x: error %d", node, epoch, err);
	err = move(node, IBV_QPS_RTS);
	REQUIRE(!err, "node %u: queue pair to RTS: error %d", node, err);
}

static void must_not_reset(unsigned int node, uint32_t epoch, int err)
{
	int got = tallydv_reset_group(team.group[node], epoch);

	REQUIRE(got == err, "node %u, epoch %#x: error %d, not %d", node, epoch, got, err);
}

/* A queue pair is refused for the reason of the group's end. */
static void no_queue_pair(unsigned int node, uint64_t port)
{
	struct nic *nic = &cluster.nic[node];
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_DRIVER, .comp_mask = IBV_QP_INIT_ATTR_PD, .pd = nic->pd,
		.send_cq = ibv_cq_ex_to_cq(nic->cq), .cap = { .max_send_wr = 1 },
	};
	struct tallydv_qp_init_attr dv = { .group = team.group[node], .port = port };
	char why[256];

	errno = 0;
	REQUIRE(!tallydv_create_qp(nic->context, &attr, &dv, why, sizeof(why)) && errno == EINVAL,
		"node %u: queue pair in a dead group", node);
	REQUIRE(strstr(why, "group: its epoch has ended with ABORTED"), "\"%s\"", why);
}

static uint32_t next_epoch(uint32_t epoch)
{
	return epoch + 1 ? epoch + 1 : 1;
}

static void live_and_die(uint32_t epoch, unsigned int by)
{
	uint32_t next = next_epoch(epoch);

	for (uint32_t mid = 0; mid < 5; mid++)
		work(mid);
	for (unsigned int node = 0; node < cluster.count; node++) {
		REQUIRE(info_of(node).epoch == epoch, "node %u: epoch %#x", node,
			info_of(node).epoch);
		must_not_reset(node, next, EBUSY);
	}
	abort_by(by, 5);
	for (unsigned int node = 0; node < cluster.count; node++) {
		no_queue_pair(node, 77);
		must_not_reset(node, 0, EINVAL);
		must_not_reset(node, epoch, EINVAL);
		must_not_reset(node, epoch - 1, EINVAL);
		begin_epoch(node, next);
		must_not_reset(node, next_epoch(next), EBUSY);
		usleep(node * 20000); /* neighbours need not reset at the same time */
	}
}

/*
 * Another node has lost a rank and does not follow, so the messages of this node's new epoch fail.
 */
static void reset_alone(unsigned int node)
{
	uint64_t end = now_ms() + SOON_MS;
	struct outcome out;
	struct request r;

	while (info_of(node).state != TALLY_GROUP_DEAD)
		REQUIRE(now_ms() < end, "node %u: %u", node, info_of(node).state);
	begin_epoch(node, next_epoch(info_of(node).epoch));
	request_plain(&r, TALLY_OPCODE_BARRIER, 0);
	post(&ports[node], &r);
	REQUIRE(wait_outcome(&cluster.nic[node], &out, SOON_MS), "node %u: no outcome", node);
	REQUIRE(out.coll == TALLY_COLL_NO_HANDSHAKE || out.coll == TALLY_COLL_TIMEOUT,
		"node %u: %s", node, tallydv_coll_status_name(out.coll));
}

/* After a rank is gone, no new epoch is possible. */
static void lose_rank(struct team_spec *spec)
{
	struct tallydv_group_attach_attr attr = { .join_key = spec->join_key, .ranks = 2 };
	struct tallydv_group *second[MAX_NICS];

	spec->jid = attr.jid = random_jid();
	spec->owned = 1;
	spec->timeout_ms = 3000;
	team_create(&team, &cluster, spec, ALL_NODES);
	for (unsigned int node = 0; node < cluster.count; node++) {
		second[node] = tallydv_attach_group(cluster.nic[node].context, &attr, NULL, 0);
		REQUIRE(second[node], "node %u", node);
	}
	ports_open(ports, &team, 0);
	REQUIRE(!tallydv_destroy_group(second[0]), "rank 0.1");
	post(&ports[0], &(struct request){ .w = {
		.wr = { .opcode = IBV_WR_DRIVER1, .send_flags = IBV_SEND_SIGNALED },
		.coll = { .opcode = TALLY_OPCODE_BARRIER },
	} });
	REQUIRE(wait_outcome(&cluster.nic[0], &(struct outcome){}, SOON_MS), "no error");
	REQUIRE(info_of(0).status == TALLY_COLL_RANK_GONE && info_of(0).gone_ranks == 2,
		"group: %s, gone ranks %#lx", tallydv_coll_status_str(info_of(0).status),
		info_of(0).gone_ranks);
	must_not_reset(0, next_epoch(info_of(0).epoch), EOWNERDEAD);
	reset_alone(1);
	ports_close(ports, &team);
	for (unsigned int node = 1; node < cluster.count; node++)
		REQUIRE(!tallydv_destroy_group(second[node]), "rank %u.1", node);
	team_destroy(&team);
}

int main(void)
{
	struct team_spec spec = {
		.jid = random_jid(), .ranks = BOTH, .join_key = 1, .epoch = FIRST_EPOCH,
	};
	uint32_t epoch = FIRST_EPOCH;

	cluster_open(&cluster);
	team_create(&team, &cluster, &spec, ALL_NODES);
	ports_open(ports, &team, 0);
	for (unsigned int i = 0; i < EPOCHS; i++) {
		live_and_die(epoch, i % cluster.count);
		epoch = next_epoch(epoch);
	}
	work(0);
	ports_close(ports, &team);
	team_destroy(&team);
	lose_rank(&spec);
	cluster_close(&cluster);
	return 0;
}
