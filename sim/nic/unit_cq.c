// SPDX-License-Identifier: BSD-2-Clause
/*
 * Completion queues whose entries and events the units write. The device's part here is to hand
 * over completions, and to pass arm requests from the doorbell slots on. A request is passed on if
 * the units are not armed for as much yet. The first one has a place in the event queue. While the
 * units are armed for solicited completions, and a request for any one is on its way to them, the
 * event of the former may come. It says so, and the latter still causes an event. So it has a place
 * of its own if there is one; it must not wait for it, because only one event is due in the end.
 */
#include "nic/priv.h"

struct completion_item {
	struct delay_line_item item;
	struct nic_completion what;
};

static void run_completion(void *owner, struct delay_line_item *item)
{
	const struct nic_completion *c = &((const struct completion_item *)item)->what;
	struct nic *nic = owner;

	eq_poll(nic);
	unit_cq_take_arm(nic, nic->cq[c->cqn]);
	units_complete(nic, c);
}

void unit_cq_complete(struct nic *nic, uint32_t cqn, const struct tally_cqe *cqe, bool solicited,
		      vtime_t delay)
{
	struct completion_item *c = delay_line_item(sizeof(*c), run_completion);
	vtime_t at;

	c->what = (struct nic_completion){ .cqn = cqn, .cqe = *cqe, .solicited = solicited };
	c->what.rung = qp_doorbell_time(nic, le32toh(cqe->qpn), le32toh(cqe->wqe_index), &at);
	if (c->what.rung)
		c->what.rung_at = at / VT_NS;
	span_completion(nic, cqe, delay);
	delay_line_add(&nic->completions, &c->item, sim_now(nic->sim) + delay);
}

bool unit_cq_completing(struct nic *nic, uint32_t cqn, const struct tally_cqe *cqe, uint64_t *at)
{
	struct cq *cq = nic->cq[cqn];
	vtime_t rung;

	if (cq) {
		eq_poll(nic);
		unit_cq_take_arm(nic, cq);
	}
	span_completion(nic, cqe, 0);
	if (!qp_doorbell_time(nic, le32toh(cqe->qpn), le32toh(cqe->wqe_index), &rung))
		return false;
	*at = rung / VT_NS;
	return true;
}

static bool is_for_cq(const struct delay_line_item *item, const void *arg)
{
	return ((const struct completion_item *)item)->what.cqn == *(const uint32_t *)arg;
}

static void take_place(struct nic *nic, struct cq *cq)
{
	if (eq_reserve(nic, cq->eqn))
		cq->places++;
}

static void give_places(struct nic *nic, struct cq *cq, unsigned int num)
{
	while (num-- && cq->places) {
		cq->places--;
		eq_unreserve(nic, cq->eqn);
	}
}

void unit_cq_free(struct nic *nic, struct cq *cq)
{
	give_places(nic, cq, cq->places);
	delay_line_drop(&nic->completions, is_for_cq, &cq->cqn);
}

/* As take_arm() of cq.c. */
bool unit_cq_take_arm(struct nic *nic, struct cq *cq)
{
	uint64_t word = bar_load64(&cq->slot->arm);
	enum cq_arm arm = word & TALLY_CQ_ARM_SOLICITED ? CQ_ARM_SOLICITED : CQ_ARM_ANY;

	if (word <= cq->arm_word)
		return false;
	if (arm > cq->armed) {
		take_place(nic, cq);
		if (!cq->places)
			return true;
		eq_poll(nic);
		cq->armed = arm;
		unit_cq_arm(nic, cq, bar_load64(&cq->slot->counter));
	}
	cq->arm_word = word;
	return true;
}

void unit_cq_event(struct nic *nic, const struct nic_cq_event *e)
{
	struct cq *cq = nic->cq[e->cqn];

	eq_flies(nic, e->eqn);
	if (!cq)	/* it is being destroyed */
		return;
	if (e->type == TALLY_EQE_CQ_ERROR) {
		cq_failed(nic, cq);
		return;
	}
	if (cq->armed == CQ_ARM_ANY && !e->any) { /* the request for any one is still to come */
		give_places(nic, cq, 1);
		if (!cq->places)
			take_place(nic, cq);
		return;
	}
	cq->armed = CQ_ARM_NONE;
	give_places(nic, cq, cq->places);
}

/* The faults are those of the queue pair's CQ now. */
bool cq_unit_writes(struct nic *nic, struct tally_cqe *cqe, vtime_t since)
{
	const struct inject_fault *f = &nic->inject.faults[TALLY_INJECT_CORRUPT_CQE];
	uint32_t qpn = le32toh(cqe->qpn);
	const struct qp *qp = qpn < TALLY_MAX_QP ? nic->qp[qpn] : NULL;

	if (qp && inject(&nic->inject, TALLY_INJECT_CQ_OVERRUN, qp->cq->cqn))
		return false;
	commit_cqe(nic, cqe);
	span_cqe_write(nic, cqe, since, sim_now(nic->sim));
	if (qp && inject(&nic->inject, TALLY_INJECT_CORRUPT_CQE, qp->cq->cqn))
		((uint8_t *)cqe)[f->value] ^= 0xff;
	return true;
}
