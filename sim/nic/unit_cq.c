// SPDX-License-Identifier: BSD-2-Clause
/*
 * Completion queues whose entries and events the units write. The device's part here is to hand
 * over completions, and to pass on the doorbell slots: it looks at them for a guest of the
 * simulator, whose stores cannot be seen one by one.
 */
#include "nic/priv.h"

struct completion_item {
	struct delay_line_item item;
	struct nic_completion what;
};

/*
 * As take_arm() of cq.c: the arm word first, and the count after it. Which words count, the units
 * decide.
 */
static bool take_slot(struct nic *nic, struct cq *cq)
{
	uint64_t word = bar_load64(&cq->slot->arm);

	if (word == cq->arm_word)
		return false;
	cq->arm_word = word;
	unit_cq_doorbell(nic, cq, word);
	return true;
}

bool unit_cq_poll(struct nic *nic)
{
	bool news = eq_poll(nic);
	struct cq *cq;

	TAILQ_FOREACH(cq, &nic->cqs, entry)
		news |= take_slot(nic, cq);
	return news | units_waiting(nic);
}

static void run_completion(void *owner, struct delay_line_item *item)
{
	const struct nic_completion *c = &((const struct completion_item *)item)->what;
	struct nic *nic = owner;

	eq_poll(nic);
	take_slot(nic, nic->cq[c->cqn]);
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
		take_slot(nic, cq);
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

void unit_cq_free(struct nic *nic, struct cq *cq)
{
	delay_line_drop(&nic->completions, is_for_cq, &cq->cqn);
}

void unit_cq_event(struct nic *nic, const struct nic_cq_event *e)
{
	eq_flies(nic, e->eqn);
	if (e->type == TALLY_EQE_CQ_ERROR && nic->cq[e->cqn])	/* it may be being destroyed */
		cq_failed(nic, nic->cq[e->cqn]);
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
