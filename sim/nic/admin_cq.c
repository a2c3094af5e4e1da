// SPDX-License-Identifier: BSD-2-Clause
/*
 * CREATE_CQ, DESTROY_CQ. Before it creates a queue, the driver zeroes the doorbell slot, the ring
 * and the record behind the ring.
 */
#include <stdlib.h>

#include "nic/admin.h"

static struct admin_reply check_create(const struct nic *nic, const struct tally_cmd_create_cq *c)
{
	uint32_t cqn = le32toh(c->cqn), depth = le32toh(c->depth), eqn = le32toh(c->eqn);

	if (cqn >= TALLY_MAX_CQ)
		return ADMIN_BLAME(BAD_FIELD, create_cq, cqn);
	if (nic->cq[cqn])
		return ADMIN_BLAME(ID_BUSY, create_cq, cqn);
	if (!is_power_of_two(depth) || depth > TALLY_MAX_CQ_DEPTH)
		return ADMIN_BLAME(BAD_FIELD, create_cq, depth);
	if (eqn >= TALLY_MAX_EQ)
		return ADMIN_BLAME(BAD_FIELD, create_cq, eqn);
	if (!nic->eq[eqn])
		return ADMIN_BLAME(NOT_FOUND, create_cq, eqn);
	if (le16toh(c->uar) >= TALLY_NUM_UARS)
		return ADMIN_BLAME(BAD_FIELD, create_cq, uar);
	if (le16toh(c->slot) >= TALLY_UAR_SLOTS)
		return ADMIN_BLAME(BAD_FIELD, create_cq, slot);
	return admin_ok();
}

struct admin_reply admin_create_cq(struct nic *nic, const union admin_body *body)
{
	const struct tally_cmd_create_cq *c = &body->create_cq;
	struct slot_id id = { le16toh(c->uar), le16toh(c->slot) };
	struct admin_reply reply = check_create(nic, c);
	struct host_mem ring;
	struct cq *cq;

	_Static_assert(sizeof(struct tally_cq_record) == sizeof(struct tally_cqe),
		       "the record is as one more entry");
	if (!reply.status)
		reply = admin_ring(nic, &ring, &c->ring, le32toh(c->depth) + 1,
				   sizeof(struct tally_cqe),
				   offsetof(struct tally_cmd_create_cq, ring));
	if (reply.status)
		return reply;
	cq = calloc(1, sizeof(*cq));
	if (!cq)
		return admin_fail(TALLY_ADMIN_STATUS_NO_RESOURCE);
	if (!slot_bind(nic, id)) {
		free(cq);
		return ADMIN_BLAME(IN_USE, create_cq, slot);
	}
	cq->cqn = le32toh(c->cqn);
	cq->depth = le32toh(c->depth);
	cq->eqn = le32toh(c->eqn);
	cq->slot = slot_at(nic, id);
	cq->slot_id = id;
	cq->ring = ring;
	nic->cq[cq->cqn] = cq;
	TAILQ_INSERT_TAIL(&nic->cqs, cq, entry);
	unit_cq_create(nic, cq);
	return admin_ok();
}

struct admin_reply admin_destroy_cq(struct nic *nic, const union admin_body *body)
{
	uint32_t cqn = le32toh(body->object.id);

	if (cqn >= TALLY_MAX_CQ || !nic->cq[cqn])
		return ADMIN_BLAME(NOT_FOUND, object, id);
	if (nic->cq[cqn]->qps)
		return ADMIN_BLAME(IN_USE, object, id);
	unit_cq_destroy(nic, nic->cq[cqn]);
	cq_free(nic, nic->cq[cqn]);
	return admin_ok();
}
