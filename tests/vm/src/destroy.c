/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * destroy [ROUNDS]: objects are destroyed in every order, by calls and by the end of a process,
 * many times. An object that another one needs is kept, or its destruction is refused, as the
 * manual page of each call says.
 */
#include <unistd.h>

#include "check.h"
#include "procs.h"
#include "work.h"

#define ROUNDS 100
#define SHORT_RTO_US 1 /* makes the tombstone end soon */

static struct cluster cluster;
static struct team team;
static struct port ports[MAX_NICS];

static void set_up(void)
{
	struct team_spec spec = { .jid = random_jid() };

	team_create(&team, &cluster, &spec, ALL_NODES);
	ports_open(ports, &team, 0);
	expect_barrier(ports, &team, 0);
}

/*
 * The common verbs refuse to destroy an object that another one needs. The object then still works.
 */
static void refused_while_used(void)
{
	struct nic *nic = &cluster.nic[0];

	set_up();
	REQUIRE(ibv_dealloc_pd(nic->pd) == EBUSY, "protection domain with regions");
	REQUIRE(ibv_destroy_cq(ibv_cq_ex_to_cq(nic->cq)) == EBUSY, "queue of a queue pair");
	REQUIRE(ibv_destroy_comp_channel(nic->channel) == EBUSY, "channel of a queue");
	expect_barrier(ports, &team, 1);
	ports_close(ports, &team);
	REQUIRE(ibv_dealloc_pd(nic->pd) == EBUSY, "protection domain with regions");
	team_destroy(&team);
}

/*
 * Queue pairs outlive their group's handle, and a group outlives its segment range: both are kept.
 */
static void kept_while_used(void)
{
	set_up();
	for (unsigned int node = 0; node < cluster.count; node++) {
		REQUIRE(!tallydv_free_seg(team.seg[node]), "segments, node %u", node);
		REQUIRE(!tallydv_destroy_group(team.group[node]), "group, node %u", node);
	}
	expect_barrier(ports, &team, 1);
	ports_close(ports, &team);
}

/* A message whose region has been deregistered fails, and nothing is written. */
static void region_gone(void)
{
	struct nic *nic = &cluster.nic[0];
	struct ibv_mr *mr;
	struct outcome out;
	struct request r;

	set_up();
	mr = ibv_reg_mr(nic->pd, nic->buf, BUF_SIZE, IBV_ACCESS_LOCAL_WRITE);
	REQUIRE(mr, "region");
	memset(nic->buf, 0, BUF_SIZE);
	request_allreduce(&r, nic, TALLY_OP_BOR, TALLY_TYPE_INT32, 1, 4, 1);
	r.get[0].lkey = mr->lkey;
	post(&ports[0], &r);
	usleep(20000);
	REQUIRE(!ibv_dereg_mr(mr), "region");
	for (unsigned int node = 1; node < cluster.count; node++) {
		*(int32_t *)cluster.nic[node].buf = -1;
		request_allreduce(&r, &cluster.nic[node], TALLY_OP_BOR, TALLY_TYPE_INT32, 1, 4, 1);
		post(&ports[node], &r);
	}
	REQUIRE(wait_outcome(nic, &out, 5000), "no completion");
	REQUIRE(out.coll == TALLY_COLL_DMA_ERROR && out.status == IBV_WC_LOC_ACCESS_ERR, "%s",
		tallydv_coll_status_str(out.coll));
	REQUIRE(!*(int32_t *)(nic->buf + BUF_SIZE / 2), "written to a region that is gone");
	for (unsigned int node = 1; node < cluster.count; node++)
		expect_success(&cluster.nic[node], "allreduce");
	ports_close(ports, &team);
	team_destroy(&team);
}

/* A context is closed with all its objects and requests in flight. */
static void close_with_all_open(void)
{
	struct cluster copy;
	struct request r;

	set_up();
	request_barrier(&r, 1);
	post(&ports[0], &r);
	copy = cluster;
	for (unsigned int node = 0; node < copy.count; node++)
		ibv_close_device(copy.nic[node].context);
	cluster_open(&cluster);
}

static void exits_with_all_open(void *arg)
{
	struct request r;

	(void)arg;
	cluster_open(&cluster);
	set_up();
	request_barrier(&r, 1);
	post(&ports[0], &r);
}

/* One node, so that rounds are fast. The job id may be used again at once. */
static void round_of_all(uint32_t jid)
{
	struct cluster one = { .count = 1, .nic = { cluster.nic[0] } };
	struct team_spec spec = { .jid = jid, .rto_us = SHORT_RTO_US };
	struct nic *nic = &cluster.nic[0];
	struct ibv_mr *mr = ibv_reg_mr(nic->pd, nic->buf, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_cq *cq = ibv_create_cq(nic->context, 16, NULL, nic->channel, 0);

	REQUIRE(mr && cq, "region or queue");
	team_create(&team, &one, &spec, ALL_NODES);
	ports_open(ports, &team, 0);
	expect_barrier(ports, &team, 0);
	ports_close(ports, &team);
	team_destroy(&team);
	REQUIRE(!ibv_destroy_cq(cq), "queue");
	REQUIRE(!ibv_dereg_mr(mr), "region");
}

int main(int argc, char **argv)
{
	unsigned int rounds = argc > 1 ? (unsigned int)atoi(argv[1]) : ROUNDS;
	uint32_t jid = random_jid();

	limit_time(60);
	cluster_open(&cluster);
	refused_while_used();
	kept_while_used();
	region_gone();
	for (unsigned int i = 0; i < rounds; i++)
		round_of_all(jid);
	close_with_all_open();
	reap(spawn(exits_with_all_open, NULL));
	set_up();
	ports_close(ports, &team);
	team_destroy(&team);
	cluster_close(&cluster);
	return 0;
}
