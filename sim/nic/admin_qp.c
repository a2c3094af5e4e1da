// SPDX-License-Identifier: BSD-2-Clause
/*
 * CREATE_QP, MODIFY_QP, QUERY_QP, DESTROY_QP. Before it creates a queue pair, the driver zeroes the
 * doorbell slot.
 */
#include <stdlib.h>

#include "nic/admin.h"

static struct admin_reply check_sizes(const struct tally_cmd_create_qp *c)
{
	uint32_t depth = le32toh(c->depth), stride = le32toh(c->stride);

	if (!is_power_of_two(depth) || depth > TALLY_MAX_SQ_DEPTH)
		return ADMIN_BLAME(BAD_FIELD, create_qp, depth);
	if (!is_power_of_two(stride) || stride < TALLY_MIN_WQE_SIZE ||
	    stride > TALLY_MAX_WQE_SIZE)
		return ADMIN_BLAME(BAD_FIELD, create_qp, stride);
	if (le16toh(c->uar) >= TALLY_NUM_UARS)
		return ADMIN_BLAME(BAD_FIELD, create_qp, uar);
	if (le16toh(c->slot) >= TALLY_UAR_SLOTS)
		return ADMIN_BLAME(BAD_FIELD, create_qp, slot);
	if (le16toh(c->push) > 1)
		return ADMIN_BLAME(BAD_FIELD, create_qp, push);
	return admin_ok();
}

/* Check the numbers. The engine checks those that concern the group. */
static struct admin_reply check_create(const struct nic *nic, const struct tally_cmd_create_qp *c)
{
	uint32_t qpn = le32toh(c->qpn), cqn = le32toh(c->cqn);

	if (qpn >= TALLY_MAX_QP)
		return ADMIN_BLAME(BAD_FIELD, create_qp, qpn);
	if (nic->qp[qpn])
		return ADMIN_BLAME(ID_BUSY, create_qp, qpn);
	if (le32toh(c->pd) >= TALLY_MAX_PD)
		return ADMIN_BLAME(BAD_FIELD, create_qp, pd);
	if (cqn >= TALLY_MAX_CQ)
		return ADMIN_BLAME(BAD_FIELD, create_qp, cqn);
	if (!nic->cq[cqn])
		return ADMIN_BLAME(NOT_FOUND, create_qp, cqn);
	if (le32toh(c->group) >= TALLY_MAX_GROUP)
		return ADMIN_BLAME(BAD_FIELD, create_qp, group);
	return check_sizes(c);
}

static struct qp *qp_new(struct nic *nic, const struct tally_cmd_create_qp *c, struct slot_id id,
			 const struct host_mem *sq)
{
	uint32_t depth = le32toh(c->depth);
	struct qp *qp = calloc(1, sizeof(*qp) + depth * sizeof(qp->doorbell_at[0]));

	if (!qp)
		return NULL;
	qp->qpn = le32toh(c->qpn);
	qp->cq = nic->cq[le32toh(c->cqn)];
	qp->depth = depth;
	qp->stride = le32toh(c->stride);
	qp->slot = slot_at(nic, id);
	qp->slot_id = id;
	qp->sq = *sq;
	qp->cq->qps++;
	nic->qp[qp->qpn] = qp;
	TAILQ_INSERT_TAIL(&nic->qps, qp, entry);
	return qp;
}

static struct engine_result create_in_engine(struct nic *nic, const struct tally_cmd_create_qp *c)
{
	struct engine_qp_cfg cfg = {
		.pd = le32toh(c->pd),
		.cqn = le32toh(c->cqn),
		.group = le32toh(c->group),
		.ranks = le64toh(c->ranks),
		.depth = le32toh(c->depth),
		.stride = le32toh(c->stride),
		.port = le16toh(c->port),
		.holder = le64toh(c->holder),
	};
	struct engine_result result = engine_create_qp(nic_enter(nic), le32toh(c->qpn), &cfg);

	nic_leave(nic);
	return result;
}

struct admin_reply admin_create_qp(struct nic *nic, const union admin_body *body)
{
	const struct tally_cmd_create_qp *c = &body->create_qp;
	struct slot_id id = { le16toh(c->uar), le16toh(c->slot) };
	struct admin_reply reply = check_create(nic, c);
	struct host_mem sq;
	struct qp *qp;

	if (!reply.status)
		reply = admin_ring(nic, &sq, &c->sq, le32toh(c->depth), le32toh(c->stride),
				   offsetof(struct tally_cmd_create_qp, sq));
	if (reply.status)
		return reply;
	if (!slot_bind(nic, id))
		return ADMIN_BLAME(IN_USE, create_qp, slot);
	qp = qp_new(nic, c, id, &sq);
	if (!qp) {
		slot_unbind(nic, id);
		return admin_fail(TALLY_ADMIN_STATUS_NO_RESOURCE);
	}
	if (le16toh(c->push) && !push_bind(nic, qp)) {
		reply = ADMIN_BLAME(IN_USE, create_qp, push);
	} else {
		unit_qp_create(nic, qp);
		reply = admin_engine(create_in_engine(nic, c));
	}
	if (reply.status)
		qp_free(nic, qp);
	return reply;
}

struct admin_reply admin_modify_qp(struct nic *nic, const union admin_body *body)
{
	const struct tally_cmd_modify_qp *c = &body->modify_qp;
	uint32_t qpn = le32toh(c->qpn);
	struct engine_result result;

	if (qpn >= TALLY_MAX_QP || !nic->qp[qpn])
		return ADMIN_BLAME(NOT_FOUND, modify_qp, qpn);
	if (c->state > TALLY_QPS_ERROR)
		return ADMIN_BLAME(BAD_FIELD, modify_qp, state);
	/* The completions that a failed queue has lost do not come back. */
	if (c->state == TALLY_QPS_RTS && nic->qp[qpn]->cq->failed)
		return ADMIN_BLAME(BAD_STATE, modify_qp, state);
	result = engine_modify_qp(nic_enter(nic), qpn, c->state);
	nic_leave(nic);
	if (result.status == TALLY_ADMIN_STATUS_OK)
		qp_state(nic, nic->qp[qpn], c->state);
	return admin_engine(result);
}

struct admin_reply admin_query_qp(struct nic *nic, const union admin_body *body)
{
	uint32_t qpn = le32toh(body->object.id);
	struct admin_reply reply = admin_ok();

	if (qpn >= TALLY_MAX_QP || !nic->qp[qpn])
		return ADMIN_BLAME(NOT_FOUND, object, id);
	reply.value[0] = engine_qp_state(nic->engine, qpn);
	return reply;
}

struct admin_reply admin_destroy_qp(struct nic *nic, const union admin_body *body)
{
	uint32_t qpn = le32toh(body->object.id);
	struct engine_result result;

	if (qpn >= TALLY_MAX_QP || !nic->qp[qpn])
		return ADMIN_BLAME(NOT_FOUND, object, id);
	result = engine_destroy_qp(nic_enter(nic), qpn);
	nic_leave(nic);
	if (result.status == TALLY_ADMIN_STATUS_OK)
		qp_free(nic, nic->qp[qpn]);
	return admin_engine(result);
}
