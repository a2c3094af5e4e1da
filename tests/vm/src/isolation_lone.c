/* SPDX-License-Identifier: BSD-2-Clause */
#include "isolation.h"

#define SOON_MS 60000
#define SEGS 4

void lone_open(struct lone *lone, struct nic *nic)
{
	struct tallydv_group_attr attr = {
		.jid = random_jid(),
		.mode = TALLY_MODE_TREE,
		.num_nodes = 1,
		.rank_mask = 1,
		.owner_ranks = 1,
		.total_ranks = 1,
		.timeout_ms = 60000,
		.rto_us = 1, /* makes the tombstone end soon */
	};

	*lone = (struct lone){ .nic = nic, .seg = tallydv_alloc_seg(nic->context, SEGS) };
	REQUIRE(lone->seg, "segments");
	attr.seg = lone->seg;
	lone->group = tallydv_create_group(nic->context, &attr, NULL, 0);
	REQUIRE(lone->group, "group");
	port_open(&lone->port, nic, lone->group, 0, 0);
	port_open(&lone->spare, nic, lone->group, 0, 1);
}

void lone_close(struct lone *lone)
{
	port_close(&lone->spare);
	port_close(&lone->port);
	REQUIRE(!tallydv_destroy_group(lone->group), "group");
	REQUIRE(!tallydv_free_seg(lone->seg), "segments");
}

int lone_revive(struct lone *lone)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RESET };
	int err = ibv_modify_qp(lone->port.qp, &attr, IBV_QP_STATE);

	attr.qp_state = IBV_QPS_RTS;
	if (!err)
		err = ibv_modify_qp(lone->port.qp, &attr, IBV_QP_STATE);
	return err;
}

void lone_refused(struct lone *lone, struct request *r, enum tally_coll_status coll)
{
	struct outcome out;

	post(&lone->port, r);
	REQUIRE(wait_outcome(lone->nic, &out, SOON_MS), "no completion");
	REQUIRE(out.coll == coll, "%s, not %s", tallydv_coll_status_name(out.coll),
		tallydv_coll_status_name(coll));
	REQUIRE(!lone_revive(lone), "reviving the queue pair");
	add(&stage->refused, 1);
}

void lone_read_nothing(const struct lone *lone)
{
	const uint64_t *words = (const uint64_t *)lone->nic->buf;

	for (unsigned int i = 0; i < BUF_SIZE / sizeof(*words); i++)
		REQUIRE(words[i] != MARK, "word %u was read from the victim", i);
}
