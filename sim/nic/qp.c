// SPDX-License-Identifier: BSD-2-Clause
/* The NIC's part of queue pairs: doorbells and fetching of work requests. */
#include <stdlib.h>

#include "nic/priv.h"

struct doorbell {
	struct delay_line_item item;
	uint32_t qpn;
	uint64_t posted;
	struct pushed *pushed;		/* request pushed with it; NULL: none, or handed on */
};

struct fetch {
	struct delay_line_item item;
	uint32_t qpn;
	uint32_t index;
	struct pushed *pushed;		/* the entry itself; NULL: it must be read */
};

/* Hand on a doorbell. Only the newest pushed request is kept; the engine fetches an older one. */
static void run_doorbell(void *owner, struct delay_line_item *item)
{
	struct doorbell *d = (struct doorbell *)item;
	struct nic *nic = owner;
	struct qp *qp = nic->qp[d->qpn];

	if (qp->newest == d)
		qp->newest = NULL;
	if (nic->units) {
		unit_qp_doorbell(nic, qp, d->posted, d->pushed);
		return;
	}
	free(qp->pushed);
	qp->pushed = d->pushed;
	d->pushed = NULL;
	engine_doorbell(nic_enter(nic), d->qpn, d->posted);
	nic_leave(nic);
}

static void release_doorbell(struct delay_line_item *item)
{
	free(((struct doorbell *)item)->pushed);
}

/* Doorbells noticed at the same time become one. */
static void send_doorbell(struct nic *nic, struct qp *qp)
{
	vtime_t now = sim_now(nic->sim);
	struct doorbell *d = qp->newest;

	if (!d || qp->newest_at != now) {
		d = delay_line_item(sizeof(*d), run_doorbell);
		d->item.release = release_doorbell;
		d->qpn = qp->qpn;
		qp->newest = d;
		qp->newest_at = now;
		delay_line_add(&nic->doorbells, &d->item, now + nic->timing.doorbell_ns * VT_NS);
		span(nic, SPAN_DOORBELL, "doorbell", now, d->item.at, "qpn", qp->qpn);
	}
	d->posted = qp->posted;
	free(d->pushed);
	d->pushed = push_take(nic, qp, qp->posted);
}

/*
 * Return whether an injected fault hides a new count. The count stays hidden until it changes
 * again. In ERROR the engine flushes everything that was posted, so there no count is hidden.
 */
static bool is_lost(struct nic *nic, struct qp *qp, uint64_t posted)
{
	if (posted != qp->hidden_posted && !nic->inject.armed)
		return false;
	if (engine_qp_state(nic->engine, qp->qpn) == TALLY_QPS_ERROR)
		return false;
	if (posted != qp->hidden_posted &&
	    !inject(&nic->inject, TALLY_INJECT_LOST_DOORBELL, qp->qpn))
		return false;
	qp->hidden_posted = posted;
	return true;
}

/*
 * Accept a new count and note the time of its entries. A count that goes backwards is stale. The
 * engine handles a count that is further ahead than the depth of the ring.
 */
static bool take_posted(struct nic *nic, struct qp *qp)
{
	uint64_t posted = bar_load64(&qp->slot->counter), n;

	if (posted <= qp->posted || is_lost(nic, qp, posted))
		return false;
	n = posted - qp->posted;
	if (n > qp->depth)
		n = qp->depth;
	while (n--)
		qp->doorbell_at[(posted - 1 - n) % qp->depth] = sim_now(nic->sim);
	qp->posted = posted;
	return true;
}

bool qp_poll(struct nic *nic)
{
	bool news = false;
	struct qp *qp;

	TAILQ_FOREACH(qp, &nic->qps, entry) {
		if (qp->stopped || !take_posted(nic, qp))
			continue;
		send_doorbell(nic, qp);
		news = true;
	}
	return news;
}

bool qp_doorbell_time(const struct nic *nic, uint32_t qpn, uint32_t index, vtime_t *at)
{
	const struct qp *qp = qpn < TALLY_MAX_QP ? nic->qp[qpn] : NULL;

	if (!qp)
		return false;
	*at = qp->doorbell_at[index % qp->depth];
	return true;
}

static void run_fetch(void *owner, struct delay_line_item *item)
{
	const struct fetch *f = (const struct fetch *)item;
	struct nic *nic = owner;
	const struct qp *qp = nic->qp[f->qpn];
	_Alignas(uint64_t) uint8_t wqe[TALLY_MAX_WQE_SIZE];
	uint64_t offset = (uint64_t)(f->index % qp->depth) * qp->stride;
	bool good = mem_copy_in(&nic->bus, &qp->sq, offset, wqe, qp->stride);

	if (!good)
		nic_count(nic, TALLY_CTR_dma_errors, 1);
	engine_wqe(nic_enter(nic), f->qpn, f->index, good ? wqe : NULL, good ? qp->stride : 0);
	nic_leave(nic);
}

static void run_push(void *owner, struct delay_line_item *item)
{
	const struct fetch *f = (const struct fetch *)item;
	struct nic *nic = owner;

	nic_count(nic, TALLY_CTR_pushed, 1);
	engine_wqe(nic_enter(nic), f->qpn, f->index, f->pushed->wqe, nic->qp[f->qpn]->stride);
	nic_leave(nic);
}

static void release_fetch(struct delay_line_item *item)
{
	free(((struct fetch *)item)->pushed);
}

/* The fetch of a pushed entry takes no time, but is not answered from within this call. */
void qp_fetch(struct nic *nic, uint32_t qpn, uint32_t index)
{
	struct qp *qp = nic->qp[qpn];
	bool pushed = qp->pushed && (uint32_t)(qp->pushed->posted - 1) == index;
	struct fetch *f = delay_line_item(sizeof(*f), pushed ? run_push : run_fetch);
	vtime_t now = sim_now(nic->sim), there;

	f->qpn = qpn;
	f->index = index;
	f->item.release = release_fetch;
	if (!pushed) {
		there = dma_read(nic, &f->item, qp->stride, 0);
		span(nic, SPAN_WQE, "fetch", now, there, "qpn", qpn);
		return;
	}
	f->pushed = qp->pushed;
	qp->pushed = NULL;
	delay_line_add(&nic->pushes, &f->item, now);
	span(nic, SPAN_WQE, "pushed", now, now, "qpn", qpn);
}

static bool is_doorbell_of(const struct delay_line_item *item, const void *arg)
{
	const struct qp *qp = arg;

	return ((const struct doorbell *)item)->qpn == qp->qpn;
}

/*
 * In RESET the device ignores the slot, and the next state begins to count at 0; meanwhile the
 * driver zeroes the slot. Fetches in flight are answered as always, and the engine does not wait
 * for them.
 */
void qp_state(struct nic *nic, struct qp *qp, enum tally_qp_state state)
{
	qp->stopped = state == TALLY_QPS_RESET;
	if (!qp->stopped)
		return;
	delay_line_drop(&nic->doorbells, is_doorbell_of, qp);
	qp->newest = NULL;
	qp->posted = qp->hidden_posted = 0;
	push_clear(nic, qp);
	unit_qp_clear(nic, qp);
}

static bool is_fetch_of(const struct delay_line_item *item, const void *arg)
{
	const struct qp *qp = arg;

	return (item->run == run_fetch || item->run == run_push) &&
	       ((const struct fetch *)item)->qpn == qp->qpn;
}

void qp_free(struct nic *nic, struct qp *qp)
{
	delay_line_drop(&nic->doorbells, is_doorbell_of, qp);
	delay_line_drop(&nic->pushes, is_fetch_of, qp);
	delay_line_drop(&nic->reads, is_fetch_of, qp);
	unit_qp_destroy(nic, qp);
	push_unbind(nic, qp);
	TAILQ_REMOVE(&nic->qps, qp, entry);
	nic->qp[qp->qpn] = NULL;
	qp->cq->qps--;
	slot_unbind(nic, qp->slot_id);
	free(qp);
}
