// SPDX-License-Identifier: BSD-2-Clause
/* Queue pairs as far as they are not the engine's: doorbells and fetching of work requests. */
#include <stdlib.h>

#include "nic/priv.h"

struct doorbell {
	struct line_item item;
	uint32_t qpn;
	uint64_t posted;
};

struct fetch {
	struct line_item item;
	uint32_t qpn;
	uint32_t index;
};

static void run_doorbell(void *owner, struct line_item *item)
{
	const struct doorbell *d = (const struct doorbell *)item;
	struct nic *nic = owner;
	struct qp *qp = nic->qp[d->qpn];

	if (qp->newest == d)
		qp->newest = NULL;
	engine_doorbell(nic_enter(nic), d->qpn, d->posted);
	nic_leave(nic);
}

/* Doorbells noticed at one time are one. */
static void send_doorbell(struct nic *nic, struct qp *qp)
{
	vtime_t now = sim_now(nic->sim);
	struct doorbell *d = qp->newest;

	if (!d || qp->newest_at != now) {
		d = line_item(sizeof(*d), run_doorbell);
		d->qpn = qp->qpn;
		qp->newest = d;
		qp->newest_at = now;
		line_add(&nic->doorbells, &d->item, now + nic->timing.doorbell_ns * VT_NS);
	}
	d->posted = qp->posted;
}

/*
 * Takes a new count and the time of its entries. One that goes backwards is stale; one that jumps
 * further than the ring is deep is the engine's to judge.
 */
static bool take_posted(const struct nic *nic, struct qp *qp)
{
	uint64_t posted = bar_load64(&qp->slot->counter), n;

	if (posted <= qp->posted)
		return false;
	n = posted - qp->posted;
	if (n > qp->depth)
		n = qp->depth;
	while (n--)
		qp->rung[(posted - 1 - n) % qp->depth] = sim_now(nic->sim);
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

bool qp_rung(const struct nic *nic, uint32_t qpn, uint32_t index, vtime_t *at)
{
	const struct qp *qp = qpn < TALLY_MAX_QP ? nic->qp[qpn] : NULL;

	if (!qp)
		return false;
	*at = qp->rung[index % qp->depth];
	return true;
}

static void run_fetch(void *owner, struct line_item *item)
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

void qp_fetch(struct nic *nic, uint32_t qpn, uint32_t index)
{
	struct fetch *f = line_item(sizeof(*f), run_fetch);

	f->qpn = qpn;
	f->index = index;
	dma_read(nic, &f->item, nic->qp[qpn]->stride, 0);
}

static bool is_doorbell_of(const struct line_item *item, const void *arg)
{
	const struct qp *qp = arg;

	return ((const struct doorbell *)item)->qpn == qp->qpn;
}

/*
 * In RESET the slot is not looked at, and the next state begins to count at 0: meanwhile the driver
 * zeroes the slot. Fetches under way are answered, as all are; the engine does not wait for them.
 */
void qp_state(struct nic *nic, struct qp *qp, enum tally_qp_state state)
{
	qp->stopped = state == TALLY_QPS_RESET;
	if (!qp->stopped)
		return;
	line_drop(&nic->doorbells, is_doorbell_of, qp);
	qp->newest = NULL;
	qp->posted = 0;
}

static bool is_fetch_of(const struct line_item *item, const void *arg)
{
	const struct qp *qp = arg;

	return item->run == run_fetch && ((const struct fetch *)item)->qpn == qp->qpn;
}

void qp_free(struct nic *nic, struct qp *qp)
{
	line_drop(&nic->doorbells, is_doorbell_of, qp);
	line_drop(&nic->reads, is_fetch_of, qp);
	TAILQ_REMOVE(&nic->qps, qp, entry);
	nic->qp[qp->qpn] = NULL;
	qp->cq->qps--;
	slot_unbind(nic, qp->slot_id);
	free(qp);
}
