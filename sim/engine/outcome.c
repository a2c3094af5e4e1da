// SPDX-License-Identifier: BSD-2-Clause
#include "engine/outcome.h"
#include "engine/chunk.h"
#include "engine/common.h"
#include "engine/mirror.h"
#include "engine/wqe.h"

#include <stdlib.h>

/* ---- What the host is told ---- */

void outcome_chunk(struct engine *e, const struct qp *qp, const struct wr *wr)
{
	const struct engine_update u = {
		.qpn = qp - e->qps,
		.entry = wr->entry,
		.last = wr->begun == wr->w.chunks,
		.num = wr->num + wr->begun - 1,
		.ranks = __builtin_popcountll(wr->w.rank_mask),
	};

	e->host->update(e->ctx, &u);
}

void outcome_refused(struct engine *e, const struct qp *qp, const struct wr *wr)
{
	const struct engine_update u = {
		.qpn = qp - e->qps,
		.entry = wr->entry,
		.refused = true,
		.status = wr->status,
		.err_vector = wr->err_vector,
		.contributors = wr->report.contributors,
	};

	e->host->update(e->ctx, &u);
}

/* Return the bytes of the result that a rank of a request gets. */
static uint32_t bytes_got(const struct group *g, const struct wr *wr, const struct slot *s,
			  unsigned int rank)
{
	const struct span sp = chunk_got(g, s, rank);

	if (!wr->w.num_result || !(wqe_getters(g, &wr->w) >> rank & 1) || sp.lo >= sp.hi)
		return 0;
	return (sp.hi - sp.lo) * s->elem;
}

void outcome_rank(struct engine *e, const struct qp *qp, const struct wr *wr, const struct slot *s,
		  unsigned int rank)
{
	const struct engine_end x = {
		.qpn = qp - e->qps,
		.entry = wr->entry,
		.failed = wr->status == TALLY_COLL_DMA_ERROR,
		.ranks = 1,
		.bytes = bytes_got(&e->groups[qp->cfg.group], wr, s, rank),
		.err_vector = s->err_vector,
	};

	e->host->end(e->ctx, &x);
}

void outcome_descriptor_begins(struct engine *e, const struct qp *qp, const struct wr *wr)
{
	const struct engine_update u = {
		.qpn = qp - e->qps, .entry = wr->entry, .last = true, .ranks = 1
	};

	e->host->update(e->ctx, &u);
}

void outcome_descriptor_ends(struct engine *e, const struct qp *qp, const struct wr *wr)
{
	const struct engine_end x = {
		.qpn = qp - e->qps,
		.entry = wr->entry,
		.failed = wr->status == TALLY_COLL_DMA_ERROR,
		.ranks = 1,
		.bytes = wr->bytes,
		.err_vector = wr->err_vector,
	};

	if (wr->status == TALLY_COLL_MISMATCH)
		outcome_refused(e, qp, wr);
	else
		e->host->end(e->ctx, &x);
}

void outcome_flag_written(struct engine *e, const struct qp *qp, const struct wr *wr, bool failed)
{
	const struct engine_end x = {
		.qpn = qp - e->qps, .entry = wr->entry, .flag = true, .failed = failed
	};

	e->host->end(e->ctx, &x);
}

/* ---- The end of an epoch ---- */

void outcome_epoch_ends(struct qp *qp, const struct report *r)
{
	qp->report = *r;
	qp->end_waits = true;
}

/* Whether memory may be touched for requests whose epoch has ended. A flag word may still be written. */
static bool touches_memory(const struct qp *qp)
{
	uint64_t used = qp->wrs_used;

	for (; used; used &= used - 1) {
		const struct wr *wr = &qp->wrs[__builtin_ctzll(used)];

		if (wr->io > wr->flag_written)
			return true;
	}
	return false;
}

void outcome_try_end(struct engine *e, struct qp *qp)
{
	if (!qp->end_waits || touches_memory(qp))
		return;
	qp->end_waits = false;
	mirror_epoch_end(e, qp, &qp->report);
}

/* ---- What the host tells ---- */

void outcome_retired(struct qp *qp)
{
	struct wr *wr = wr_at(qp, qp->head);

	wr_release(qp, wr);
	wr_return(qp, wr);
	qp->head++;
}

struct wr *outcome_find(struct qp *qp, uint16_t entry)
{
	uint32_t i;

	for (i = qp->head; i != qp->admit; i++) {
		struct wr *wr = wr_at(qp, i);

		if (wr->entry == entry && wr->state != WR_SKIP)
			return wr;
	}
	abort(); /* the host has lost a request */
}

/* ---- Places ---- */

static unsigned int places_of(const struct qp *qp)
{
	return qp->requests / TALLY_REQUEST_STEP;
}

/* The firmware has seen to it that there are enough. */
void outcome_take_places(struct engine *e, struct qp *qp)
{
	unsigned int k, n = 0;

	for (k = 0; k < places_of(qp); k++) {
		while (e->place_used[n / 64] >> n % 64 & 1)
			n++;
		e->place_used[n / 64] |= 1ULL << n % 64;
		qp->places[k] = n;
	}
}

void outcome_give_places(struct engine *e, const struct qp *qp)
{
	unsigned int k;

	for (k = 0; k < places_of(qp); k++)
		e->place_used[qp->places[k] / 64] &= ~(1ULL << qp->places[k] % 64);
}
