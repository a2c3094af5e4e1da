// SPDX-License-Identifier: BSD-2-Clause
/*
 * Push buffers: a work request that comes with its doorbell. The guest may write there at any
 * moment, so the request is copied between two looks at its count, in the order opposite to that of
 * the writer, and what is sent on is the copy. The device does with it what it does with a fetched
 * one, so a guest that pushes something else than what stands in its send queue harms itself only.
 * In any doubt there is no copy, and the request is fetched.
 */
#include <stdlib.h>
#include <string.h>

#include "nic/priv.h"

#define INLINE_ALIGN	16	/* the lists follow inline data rounded up to this */

static struct tally_push_buf *push_at(const struct nic *nic, const struct qp *qp)
{
	_Static_assert(sizeof(struct tally_push_buf) == TALLY_PUSH_SIZE, "one buffer for each UAR");
	_Static_assert(TALLY_BAR_PUSH_OFFSET + TALLY_NUM_UARS * TALLY_PUSH_SIZE <= TALLY_BAR_SIZE,
		       "they fit into BAR2");
	return (struct tally_push_buf *)(nic->bar + TALLY_BAR_PUSH_OFFSET) + qp->slot_id.uar;
}

bool push_bind(struct nic *nic, struct qp *qp)
{
	bool *bound = &nic->push_bound[qp->slot_id.uar];

	if (*bound)
		return false;
	*bound = true;
	qp->push = true;
	push_clear(nic, qp);
	return true;
}

void push_unbind(struct nic *nic, struct qp *qp)
{
	push_clear(nic, qp);
	if (qp->push)
		nic->push_bound[qp->slot_id.uar] = false;
	qp->push = false;
}

void push_clear(struct nic *nic, struct qp *qp)
{
	free(qp->pushed);
	qp->pushed = NULL;
	if (!qp->push)
		return;
	bar_store64(&push_at(nic, qp)->begin, 0);
	bar_store64(&push_at(nic, qp)->end, 0);
}

/* How much of an entry the request with the header @w takes. */
static size_t used_bytes(const struct tally_wqe *w)
{
	uint64_t data = ((uint64_t)le32toh(w->inline_len) + INLINE_ALIGN - 1) / INLINE_ALIGN *
			INLINE_ALIGN;

	return sizeof(*w) + data + (w->num_gather + w->num_result) * sizeof(struct tally_sge);
}

static struct pushed *copy(const struct tally_push_buf *buf, const struct qp *qp, uint64_t posted)
{
	struct pushed *p;
	struct tally_wqe w;
	size_t used;

	memcpy(&w, buf->wqe, sizeof(w));
	used = used_bytes(&w);
	if (used > sizeof(buf->wqe) || used > qp->stride)
		return NULL;
	/* The engine gets a whole entry. */
	p = calloc(1, sizeof(*p) + qp->stride);
	if (!p)
		return NULL;
	p->posted = posted;
	memcpy(p->wqe, &w, sizeof(w));
	memcpy(p->wqe + sizeof(w), buf->wqe + sizeof(w), used - sizeof(w));
	return p;
}

struct pushed *push_take(const struct nic *nic, const struct qp *qp, uint64_t posted)
{
	const struct tally_push_buf *buf = push_at(nic, qp);
	struct pushed *p;

	if (!qp->push || bar_load64(&buf->end) != posted)
		return NULL;
	p = copy(buf, qp, posted);
	/* All of the copy was read before this look at whether the next one was begun meanwhile. */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (p && bar_load64(&buf->begin) == posted)
		return p;
	free(p);
	return NULL;
}
