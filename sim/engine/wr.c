// SPDX-License-Identifier: BSD-2-Clause
/* Memory accesses of work requests, and the outcome of a request when all are answered. */
#include "engine/wr.h"
#include "engine/coll_status.h"
#include "engine/common.h"
#include "engine/status.h"
#include "engine/timer.h"

#include <endian.h>

/* ---- Tags, which identify the access of an answer ---- */

#define SEG_BITS 11
#define ENTRY_BITS 7
#define WR_BITS 6
#define QP_BITS 10
#define LOW_BITS (QP_BITS + WR_BITS + ENTRY_BITS + SEG_BITS) /* the other bits: generation */
_Static_assert(TALLY_MAX_SEG <= 1 << SEG_BITS, "segment");
_Static_assert(WR_FLAG_ENTRY < 1 << ENTRY_BITS, "list entry");
_Static_assert(WR_WINDOW <= 1 << WR_BITS, "work request");
_Static_assert(WR_WINDOW <= 64, "one bit of wrs_used for each");
_Static_assert(TALLY_MAX_QP <= 1 << QP_BITS, "queue pair");

static uint64_t tag_of(const struct engine *e, const struct qp *qp, const struct wr *wr,
		       unsigned int entry, unsigned int seg)
{
	uint64_t low = qp - e->qps;

	low = low << WR_BITS | (wr - qp->wrs);
	low = low << ENTRY_BITS | entry;
	low = low << SEG_BITS | seg;
	return (uint64_t)wr->generation << LOW_BITS | low;
}

bool wr_access(struct engine *e, uint64_t tag, struct access *a)
{
	uint64_t low = tag;

	a->seg = low & ((1u << SEG_BITS) - 1);
	low >>= SEG_BITS;
	a->entry = low & ((1u << ENTRY_BITS) - 1);
	low >>= ENTRY_BITS;
	a->qp = &e->qps[low >> WR_BITS & ((1u << QP_BITS) - 1)];
	a->wr = &a->qp->wrs[low & ((1u << WR_BITS) - 1)];
	return a->qp->used && a->wr->io &&
	       !((tag ^ (uint64_t)a->wr->generation << LOW_BITS) >> LOW_BITS);
}

static struct engine_sge part(const struct engine_sge *sge, uint64_t offset, uint32_t len)
{
	return (struct engine_sge){ sge->addr + offset, len, sge->lkey };
}

void wr_read(struct engine *e, struct qp *qp, struct wr *wr, unsigned int k, unsigned int seg,
	     uint64_t offset, uint32_t len)
{
	struct engine_sge sge = part(&wr->w.gather[k], offset, len);

	wr->io++;
	e->host->read(e->ctx, qp->cfg.pd, &sge, tag_of(e, qp, wr, k, seg), e->spent);
}

void wr_write(struct engine *e, struct qp *qp, struct wr *wr, unsigned int k, unsigned int seg,
	      uint64_t offset, uint32_t len, const void *data)
{
	struct engine_sge sge = part(&wr->w.result[k], offset, len);

	wr->io++;
	wr->bytes = len > UINT32_MAX - wr->bytes ? UINT32_MAX : wr->bytes + len;
	e->host->write(e->ctx, qp->cfg.pd, &sge, data, tag_of(e, qp, wr, k, seg), e->spent);
}

void wr_wait(struct engine *e, struct group *g, struct wr *wr)
{
	if (wr->since)
		return;
	wr->since = e->now;
	timer_touch(e, &g->timer);
}

/* ---- Outcome ---- */

void wr_finish(struct engine *e, struct qp *qp, struct wr *wr, uint16_t status)
{
	wr->state = WR_DONE;
	if (!wr->status)
		wr->status = status;
	if (!coll_status_spares_queue(wr->status)) {
		qp->failing = true;
		if (host_fetches(e) && !host_completes(e))
			e->host->notice(e->ctx, qp - e->qps, true);
	}
	status_retire(e, qp);
}

void wr_complete(struct engine *e, struct qp *qp, struct wr *wr)
{
	if (!(wr->w.flags & TALLY_WQE_F_FLAG_WORD) || wr->status)
		wr_finish(e, qp, wr, TALLY_COLL_OK);
	else if (!host_completes(e)) /* it says when */
		wr_write_flag(e, qp, wr);
}

void wr_write_flag(struct engine *e, struct qp *qp, struct wr *wr)
{
	uint32_t word = htole32(wr->w.flag_value);

	wr->flag_written = true; /* from now on the request succeeds, even if the group ends */
	wr->io++;
	e->host->write(e->ctx, qp->cfg.pd, &wr->w.flag, &word,
		       tag_of(e, qp, wr, WR_FLAG_ENTRY, 0), e->spent);
}
