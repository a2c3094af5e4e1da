// SPDX-License-Identifier: BSD-2-Clause
/*
 * Completion queues.
 *
 * The consumer keeps its count in memory, in the record behind the ring, and stores it in its
 * doorbell slot only when it arms. The device reads the record in advance when it knows of room for
 * at most half a ring, one read at a time. An entry for which the device knows of no room waits for
 * a read of its own. All later writes wait behind that entry, so that the order is kept. If that
 * read finds no room either, the queue has overrun.
 *
 * Arming: the consumer stores its count in the slot, then the arm word, then polls once more. The
 * device loads the arm word first and the count after it, so the count is at least the one with
 * which the consumer armed. The device raises the event when it sees an arm request and entries
 * beyond that count exist, and otherwise with the next entry that it writes. An entry written
 * before the device saw the request is either found by the consumer's last poll or is still beyond
 * its count, so no wake-up is lost. In between, an event may be raised for an entry already polled,
 * which costs the consumer one poll. One arm request causes at most one event. Until the event is
 * raised, a later request for solicited completions does not narrow an earlier one for any
 * completion. An event for which the event queue has no room is due until it has; a request that
 * comes meanwhile has the same event. The queues take turns: a new event does not pass those of the
 * same event queue that wait.
 *
 * Overrun: an entry that finds no room is lost, and with it the order of all later ones. The queue
 * accepts no more entries (each is counted), raises CQ_ERROR once, and its queue pairs go to error.
 */
#include <stdlib.h>

#include "nic/priv.h"

struct record_item {
	struct delay_line_item item;
	uint32_t cqn;
	bool ahead;		/* no entry waits for it */
};

struct cqe_item {
	struct delay_line_item item;
	uint32_t cqn;
	bool solicited;
	bool doorbell_known;	/* doorbell_at is known */
	vtime_t doorbell_at;
	struct tally_cqe cqe;
};

static void run_record(void *owner, struct delay_line_item *item)
{
	const struct record_item *r = (const struct record_item *)item;
	struct nic *nic = owner;
	struct cq *cq = nic->cq[r->cqn];
	struct tally_cq_record record;

	if (r->ahead)
		cq->reading = false;
	if (mem_copy_in(&nic->bus, &cq->ring, (uint64_t)cq->depth * sizeof(struct tally_cqe),
			&record, sizeof(record)))
		take_consumed(&cq->consumed, cq->produced, le64toh(record.consumed));
	else
		nic_count(nic, TALLY_CTR_dma_errors, 1);
}

/* Read the record. Returns when the device will have it. */
static vtime_t read_record(struct nic *nic, struct cq *cq, bool ahead)
{
	struct record_item *r = delay_line_item(sizeof(*r), run_record);

	r->cqn = cq->cqn;
	r->ahead = ahead;
	if (ahead)
		cq->reading = true;
	return dma_read(nic, &r->item, sizeof(struct tally_cq_record), 0);
}

/*
 * Find room for one more entry, to be written after @delay. Returns the delay including the wait
 * for room.
 */
static vtime_t find_room(struct nic *nic, struct cq *cq, vtime_t delay)
{
	uint64_t used = ++cq->requested - cq->consumed;
	vtime_t now = sim_now(nic->sim), there;

	if (cq->failed)
		return delay;
	if (used > cq->depth) {
		there = read_record(nic, cq, false);
		return there > now + delay ? there - now : delay;
	}
	if (used > cq->depth / 2 && !cq->reading)
		read_record(nic, cq, true);
	return delay;
}

/* Look for a new arm request. */
static bool take_arm(struct cq *cq)
{
	uint64_t word = bar_load64(&cq->slot->arm);
	enum cq_arm arm = word & TALLY_CQ_ARM_SOLICITED ? CQ_ARM_SOLICITED : CQ_ARM_ANY;

	if (word <= cq->arm_word)
		return false;
	cq->arm_word = word;
	if (cq->armed < arm)
		cq->armed = arm;
	return true;
}

static bool others_wait(const struct nic *nic, const struct cq *cq)
{
	const struct cq *other;

	TAILQ_FOREACH(other, &nic->cqs, entry)
		if (other != cq && other->waits && other->eqn == cq->eqn)
			return true;
	return false;
}

/* @in_turn: those that wait and come before this one have been looked at. */
static void raise_if_due(struct nic *nic, struct cq *cq, bool in_turn)
{
	uint64_t end = cq->armed == CQ_ARM_ANY ? cq->produced : cq->solicited_end;

	cq->waits = false;
	if (cq->armed == CQ_ARM_NONE)
		return;
	take_consumed(&cq->consumed, cq->produced, bar_load64(&cq->slot->counter));
	if (end <= cq->consumed)
		return;
	cq->waits = !eq_has_room(nic, cq->eqn) || (!in_turn && others_wait(nic, cq));
	if (cq->waits)
		return;
	cq->armed = CQ_ARM_NONE;
	eq_raise(nic, cq->eqn, TALLY_EQE_CQ, cq->cqn, 0);
	TAILQ_REMOVE(&nic->cqs, cq, entry);	/* the others have their turn first */
	TAILQ_INSERT_TAIL(&nic->cqs, cq, entry);
}

/* While an event waits there is always news, so that the device does not go to sleep. */
bool cq_poll(struct nic *nic)
{
	struct cq *cq, *next;
	bool news = false;

	if (nic->units)
		return unit_cq_poll(nic);
	for (cq = TAILQ_FIRST(&nic->cqs); cq; cq = next) {
		next = TAILQ_NEXT(cq, entry);
		if (!take_arm(cq) && !cq->waits)
			continue;
		news = true;
		raise_if_due(nic, cq, true);
	}
	return news;
}

void cq_failed(struct nic *nic, struct cq *cq)
{
	struct engine *e = nic_enter(nic);
	struct qp *qp;

	cq->failed = true;
	TAILQ_FOREACH(qp, &nic->qps, entry)
		if (qp->cq == cq)
			engine_modify_qp(e, qp->qpn, TALLY_QPS_ERROR);
	TAILQ_FOREACH(qp, &nic->qps, entry) /* none of them can replace another */
		if (qp->cq == cq)
			engine_qp_lost(e, qp->qpn);
	nic_leave(nic);
}

static void fill(const struct nic *nic, const struct cq *cq, struct cqe_item *c)
{
	vtime_t now = sim_now(nic->sim);
	uint64_t elapsed = c->doorbell_known ? (now - c->doorbell_at) / VT_NS : 0;

	c->cqe.timestamp = htole64(now / VT_NS);
	c->cqe.elapsed = htole32(elapsed > UINT32_MAX ? UINT32_MAX : (uint32_t)elapsed);
	c->cqe.owner = ring_owner(cq->produced, cq->depth);
}

/* Return the CQE as it is written: an injected fault inverts one byte. The NIC itself uses @c. */
static struct tally_cqe as_written(struct nic *nic, const struct cqe_item *c)
{
	const struct inject_fault *f = &nic->inject.faults[TALLY_INJECT_CORRUPT_CQE];
	struct tally_cqe cqe = c->cqe;

	if (inject(&nic->inject, TALLY_INJECT_CORRUPT_CQE, c->cqn))
		((uint8_t *)&cqe)[f->value] ^= 0xff;
	return cqe;
}

/* Write a CQE. Returns false if there is no room or no memory behind it. */
static bool write_cqe(struct nic *nic, struct cq *cq, struct cqe_item *c)
{
	struct tally_cqe cqe;

	if (cq->produced - cq->consumed >= cq->depth ||
	    inject(&nic->inject, TALLY_INJECT_CQ_OVERRUN, cq->cqn))
		return false;
	fill(nic, cq, c);
	cqe = as_written(nic, c);
	if (mem_ring_write(&nic->bus, &cq->ring, cq->produced % cq->depth, &cqe, sizeof(cqe)))
		return true;
	nic_count(nic, TALLY_CTR_dma_errors, 1);
	return false;
}

static void run_cqe(void *owner, struct delay_line_item *item)
{
	struct cqe_item *c = (struct cqe_item *)item;
	struct nic *nic = owner;
	struct cq *cq = nic->cq[c->cqn];

	if (cq->failed || !write_cqe(nic, cq, c)) {
		nic_count(nic, TALLY_CTR_cq_overruns, 1);
		if (cq->failed)
			return;
		cq_failed(nic, cq);
		eq_raise(nic, cq->eqn, TALLY_EQE_CQ_ERROR, cq->cqn, 0);
		return;
	}
	cq->produced++;
	commit_cqe(nic, &c->cqe);
	nic_count(nic, TALLY_CTR_cqes, 1);
	if (c->solicited || c->cqe.status != TALLY_WC_SUCCESS)
		cq->solicited_end = cq->produced;
	take_arm(cq);
	raise_if_due(nic, cq, false);
}

void cq_complete(struct nic *nic, uint32_t cqn, const struct tally_cqe *cqe, bool solicited,
		 vtime_t delay)
{
	struct cqe_item *c;
	vtime_t there;

	if (nic->units) {
		unit_cq_complete(nic, cqn, cqe, solicited, delay);
		return;
	}
	c = delay_line_item(sizeof(*c), run_cqe);
	c->cqn = cqn;
	c->solicited = solicited;
	c->cqe = *cqe;
	delay = find_room(nic, nic->cq[cqn], delay);
	c->doorbell_known = qp_doorbell_time(nic, le32toh(cqe->qpn), le32toh(cqe->wqe_index),
					     &c->doorbell_at);
	there = dma_write(nic, &c->item, sizeof(c->cqe), delay);
	span_completion(nic, cqe, delay);
	span_cqe_write(nic, cqe, sim_now(nic->sim) + delay, there);
}

static bool is_record_of(const struct delay_line_item *item, const void *arg)
{
	const struct cq *cq = arg;

	return item->run == run_record && ((const struct record_item *)item)->cqn == cq->cqn;
}

static bool is_for_cq(const struct delay_line_item *item, const void *arg)
{
	const struct cq *cq = arg;

	return item->run == run_cqe && ((const struct cqe_item *)item)->cqn == cq->cqn;
}

void cq_free(struct nic *nic, struct cq *cq)
{
	if (nic->units)
		unit_cq_free(nic, cq);
	delay_line_drop(&nic->writes, is_for_cq, cq);
	delay_line_drop(&nic->reads, is_record_of, cq);
	TAILQ_REMOVE(&nic->cqs, cq, entry);
	nic->cq[cq->cqn] = NULL;
	slot_unbind(nic, cq->slot_id);
	free(cq);
}
