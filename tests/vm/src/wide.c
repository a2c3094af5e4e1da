/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A leader posts for all 64 ranks of every node: one request with 64 gather and 64 result entries,
 * the largest there is.
 */
#include <unistd.h>

#include "check.h"
#include "work.h"

#define RANKS TALLY_MAX_RANKS
#define COUNT 100
#define BYTES (COUNT * sizeof(uint32_t))
#define DEPTH 8
#define MESSAGES 20

static struct cluster cluster;
static struct team team;
static struct ibv_qp *qp[MAX_NICS];

static void open_wide(unsigned int node)
{
	struct nic *nic = &cluster.nic[node];
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_DRIVER,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.pd = nic->pd,
		.send_cq = ibv_cq_ex_to_cq(nic->cq),
		.cap = { .max_send_wr = DEPTH, .max_send_sge = RANKS },
	};
	struct tallydv_qp_init_attr dv = { .group = team.group[node] };

	qp[node] = tallydv_create_qp(nic->context, &attr, &dv);
	REQUIRE(qp[node], "node %u", node);
	attr.cap.max_send_sge++;
	dv.port = 1;
	REQUIRE(!tallydv_create_qp(nic->context, &attr, &dv) && errno == EINVAL, "65 entries");
}

/* Rank r of node n gives n * 64 + r + i as element i; results lie in the other half of the buffer. */
static void post_all(unsigned int node, uint32_t mid)
{
	struct nic *nic = &cluster.nic[node];
	struct ibv_sge give[RANKS], get[RANKS];
	struct ibv_send_wr *bad;
	struct request r;

	request_plain(&r, TALLY_OPCODE_ALLREDUCE, mid);
	for (unsigned int rank = 0; rank < RANKS; rank++) {
		uint32_t *data = (uint32_t *)(nic->buf + rank * BYTES);

		for (uint32_t i = 0; i < COUNT; i++)
			data[i] = node * RANKS + rank + i;
		give[rank] = (struct ibv_sge){ (uintptr_t)data, BYTES, nic->mr->lkey };
		get[rank] = give[rank];
		get[rank].addr += BUF_SIZE / 2;
	}
	memset(nic->buf + BUF_SIZE / 2, 0, RANKS * BYTES);
	r.w.wr.sg_list = give;
	r.w.wr.num_sge = RANKS;
	r.w.coll.op = TALLY_OP_SUM;
	r.w.coll.dtype = TALLY_TYPE_UINT32;
	r.w.coll.count = COUNT;
	r.w.coll.result_list = get;
	r.w.coll.num_result = RANKS;
	REQUIRE(!ibv_post_send(qp[node], &r.w.wr, &bad), "node %u", node);
}

static void check_all(unsigned int node)
{
	uint32_t n = cluster.count * RANKS;

	expect_success(&cluster.nic[node], "allreduce");
	for (unsigned int rank = 0; rank < RANKS; rank++) {
		const uint32_t *data =
			(uint32_t *)(cluster.nic[node].buf + BUF_SIZE / 2 + rank * BYTES);

		for (uint32_t i = 0; i < COUNT; i++)
			REQUIRE(data[i] == n * (n - 1) / 2 + n * i, "node %u, rank %u: [%u] is %u",
				node, rank, i, data[i]);
	}
}

int main(void)
{
	struct team_spec spec = { .jid = random_jid(), .ranks = UINT64_MAX };

	_Static_assert(RANKS * BYTES <= BUF_SIZE / 2, "all data and all results fit");
	alarm(60);
	cluster_open(&cluster);
	team_create(&team, &cluster, &spec, ALL_NODES);
	for (unsigned int node = 0; node < cluster.count; node++)
		open_wide(node);
	for (uint32_t mid = 0; mid < MESSAGES; mid++) {
		for (unsigned int node = 0; node < cluster.count; node++)
			post_all(node, mid);
		for (unsigned int node = 0; node < cluster.count; node++)
			check_all(node);
	}
	for (unsigned int node = 0; node < cluster.count; node++)
		REQUIRE(!ibv_destroy_qp(qp[node]), "node %u", node);
	team_destroy(&team);
	cluster_close(&cluster);
	return 0;
}
