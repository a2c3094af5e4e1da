// SPDX-License-Identifier: BSD-2-Clause
/* CREATE_EQ, DESTROY_EQ. */
#include "nic/admin.h"

struct admin_reply admin_create_eq(struct nic *nic, const union admin_body *body)
{
	const struct tally_cmd_create_eq *c = &body->create_eq;
	uint32_t eqn = le32toh(c->eqn), depth = le32toh(c->depth), vector = le32toh(c->vector);
	struct admin_reply reply;
	struct host_mem ring;

	if (eqn >= TALLY_MAX_EQ)
		return ADMIN_BLAME(BAD_FIELD, create_eq, eqn);
	if (nic->eq[eqn])
		return ADMIN_BLAME(ID_BUSY, create_eq, eqn);
	if (!is_power_of_two(depth) || depth > TALLY_MAX_EQ_DEPTH)
		return ADMIN_BLAME(BAD_FIELD, create_eq, depth);
	if (vector >= TALLY_NUM_VECTORS)
		return ADMIN_BLAME(BAD_FIELD, create_eq, vector);
	if (c->rsvd0)
		return ADMIN_BLAME(BAD_FIELD, create_eq, rsvd0);
	reply = admin_ring(nic, &ring, &c->ring, depth, sizeof(struct tally_eqe),
			   offsetof(struct tally_cmd_create_eq, ring));
	if (reply.status)
		return reply;
	nic->eq[eqn] = eq_new(eqn, depth, vector, &ring);
	if (!nic->eq[eqn])
		return admin_fail(TALLY_ADMIN_STATUS_NO_RESOURCE);
	unit_eq_create(nic, eqn, depth, vector, &ring);
	return admin_ok();
}

/* Event queue 0 also receives the events that belong to no completion queue. */
static bool in_use(const struct nic *nic, uint32_t eqn)
{
	const struct cq *cq;

	TAILQ_FOREACH(cq, &nic->cqs, entry)
		if (cq->eqn == eqn)
			return true;
	return eqn == 0 && (nic->groups || !TAILQ_EMPTY(&nic->qps));
}

struct admin_reply admin_destroy_eq(struct nic *nic, const union admin_body *body)
{
	uint32_t eqn = le32toh(body->object.id);

	if (eqn >= TALLY_MAX_EQ || !nic->eq[eqn])
		return ADMIN_BLAME(NOT_FOUND, object, id);
	if (in_use(nic, eqn))
		return ADMIN_BLAME(IN_USE, object, id);
	eq_free(nic, eqn);
	unit_eq_destroy(nic, eqn);
	return admin_ok();
}
