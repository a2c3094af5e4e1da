// SPDX-License-Identifier: BSD-2-Clause
/*
 * Push buffers: work requests that come with their doorbells (struct tally_push_buf). The guest may
 * write to a buffer at any time. So the device reads every line once, its count first, and passes
 * on the copy. After it has read all lines it checks the doorbell again, because the guest may
 * write to the lines once the doorbell has changed. The device treats a pushed request like a
 * fetched one, so a guest that pushes something else than its send queue contains harms only
 * itself. In any doubt there is no copy, and the device fetches the request.
 */
#include <stdlib.h>
#include <string.h>

#include "nic/priv.h"
#include "tally-push.h"

#define INLINE_ALIGN	16	/* the lists are behind the inline data, rounded up to this */

/* Number of lines with the fixed part of a request. */
#define HEADER_LINES	tally_push_lines(sizeof(struct tally_wqe))

static struct tally_push_buf *push_at(const struct nic *nic, const struct qp *qp)
{
	_Static_assert(sizeof(struct tally_push_buf) == TALLY_PUSH_SIZE, "one buffer for each UAR");
	_Static_assert(sizeof(struct tally_push_buf) ==
		       2 * TALLY_PUSH_LINES * sizeof(struct tally_push_line), "it has two halves");
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
	for (uint32_t i = 0; i < 2 * TALLY_PUSH_LINES; i++)
		bar_store64(&push_at(nic, qp)->line[i].posted, 0);
}

size_t push_used(const struct tally_wqe *w)
{
	uint64_t data = ((uint64_t)le32toh(w->inline_len) + INLINE_ALIGN - 1) / INLINE_ALIGN *
			INLINE_ALIGN;

	return sizeof(*w) + data + (w->num_gather + w->num_result) * sizeof(struct tally_sge);
}

/* Copy lines @from to @end - 1. Returns false unless all have the count @posted. */
static bool copy_lines(const struct tally_push_line *line, uint64_t from, uint64_t end,
		       uint64_t posted, uint8_t *request)
{
	for (uint64_t i = from; i < end; i++) {
		if (bar_load64(&line[i].posted) != posted)
			return false;
		memcpy(request + i * TALLY_PUSH_PIECE, line[i].data, TALLY_PUSH_PIECE);
	}
	return true;
}

/* Copy a request to @request. Returns its length, or 0 if there is none. */
static size_t copy_request(const struct tally_push_line *line, const struct qp *qp,
			   uint64_t posted, uint8_t *request)
{
	struct tally_wqe w;
	size_t used;

	if (!copy_lines(line, 0, HEADER_LINES, posted, request))
		return 0;
	memcpy(&w, request, sizeof(w));
	used = push_used(&w);
	if (used > TALLY_PUSH_LINES * TALLY_PUSH_PIECE || used > qp->stride)
		return 0;
	if (!copy_lines(line, HEADER_LINES, tally_push_lines(used), posted, request))
		return 0;
	return used;
}

struct pushed *push_take(const struct nic *nic, const struct qp *qp, uint64_t posted)
{
	uint8_t request[TALLY_PUSH_LINES * TALLY_PUSH_PIECE];
	struct pushed *p;
	size_t used;

	if (!qp->push)
		return NULL;
	used = copy_request(tally_push_first(push_at(nic, qp), posted), qp, posted, request);
	/* The fence orders the reads of all lines before the check of the doorbell. */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (!used || bar_load64(&qp->slot->counter) != posted)
		return NULL;
	/* The engine expects a whole entry. */
	p = calloc(1, sizeof(*p) + qp->stride);
	if (!p)
		return NULL;
	p->posted = posted;
	memcpy(p->wqe, request, used);
	return p;
}
