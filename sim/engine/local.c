// SPDX-License-Identifier: BSD-2-Clause
/*
 * The local ranks of a chunk: their data, which are read from memory or are in the request, their
 * results, and the progress of their requests.
 */
#include "engine/local.h"
#include "engine/chunk.h"
#include "engine/common.h"
#include "engine/outcome.h"
#include "engine/wqe.h"
#include "engine/wr.h"
#include "alu/alu.h"

#include <string.h>

static unsigned int index_of(uint64_t mask, unsigned int rank)
{
	return __builtin_popcountll(mask & ((1ULL << rank) - 1));
}

/* Return the request by which a rank posted a chunk, or NULL if its queue pair is gone. */
static struct wr *poster(struct engine *e, const struct slot *s, unsigned int rank, struct qp **qp)
{
	struct wr *wr;

	*qp = &e->qps[s->by[rank].qp];
	wr = &(*qp)->wrs[s->by[rank].wr];
	if (!(*qp)->used || wr->state != WR_ACTIVE || is_triggered(wr->w.opcode) ||
	    !(wr->w.rank_mask >> rank & 1) || s->num - wr->num >= wr->begun)
		return NULL;
	return wr;
}

/* Copy inline data, which are in the request itself. */
static void copy_inline(const struct wr *wr, struct span sp, uint8_t *to)
{
	const uint8_t *data = wr->w.data + (uint64_t)(sp.lo - sp.base) * wr->w.give;

	if (wr->w.flags & TALLY_WQE_F_LOC_VALUES)
		alu_expand_loc(wr->w.dtype, to, data, sp.hi - sp.lo, wr->w.loc_index + sp.lo);
	else
		memcpy(to, data, (sp.hi - sp.lo) * wr->w.give);
}

bool local_fetch(struct engine *e, struct group *g, const struct slot *s, unsigned int rank,
		 uint8_t *data)
{
	struct span sp = chunk_given(g, s, rank);
	struct qp *qp;
	struct wr *wr = poster(e, s, rank, &qp);

	if (!wr)
		return false;
	if (sp.lo == sp.hi || !wr->w.num_gather) {
		copy_inline(wr, sp, data);
		return true;
	}
	wr_read(e, qp, wr, index_of(wqe_givers(g, &wr->w), rank), s - e->slots,
		(uint64_t)(sp.lo - sp.base) * wr->w.give, (sp.hi - sp.lo) * wr->w.give);
	return false;
}

uint64_t local_deliver(struct engine *e, struct group *g, const struct slot *s, uint64_t ranks,
		       const uint8_t *result)
{
	uint64_t left = ranks, written = 0;

	for (; left; left &= left - 1) {
		unsigned int rank = __builtin_ctzll(left);
		struct span sp = chunk_got(g, s, rank);
		struct qp *qp;
		struct wr *wr = poster(e, s, rank, &qp);

		if (!wr || !wr->w.num_result || sp.lo >= sp.hi)
			continue; /* nothing to write, or the queue pair is gone */
		written |= left & -left;
		wr_write(e, qp, wr, index_of(wqe_getters(g, &wr->w), rank), s - e->slots,
			 (uint64_t)(sp.lo - sp.base) * s->elem, (sp.hi - sp.lo) * s->elem,
			 result + (sp.lo - s->first) * s->elem);
	}
	return ranks & ~written;
}

bool local_writing(struct engine *e, const struct slot *s)
{
	uint64_t ranks = s->delivering;
	struct qp *qp;

	for (; ranks; ranks &= ranks - 1)
		if (poster(e, s, __builtin_ctzll(ranks), &qp))
			return true;
	return false;
}

void local_finished(struct engine *e, const struct slot *s, uint64_t ranks)
{
	for (; ranks; ranks &= ranks - 1) {
		struct qp *qp;
		struct wr *wr = poster(e, s, __builtin_ctzll(ranks), &qp);

		if (!wr || !wr->to_go)
			continue;
		if (host_completes(e))
			outcome_rank(e, qp, wr, s, __builtin_ctzll(ranks));
		wr->err_vector |= s->err_vector;
		if (!--wr->to_go)
			wr_complete(e, qp, wr);
	}
}
