// SPDX-License-Identifier: BSD-2-Clause
/* Work requests of the bed: posting, checks of their outcomes, and invariants at the end. */
#include "engine/test/testbed.h"

#include <inttypes.h>

/* ---- Outcomes ---- */

static struct tb_wr *wr_of(struct tb_qp *qp, uint32_t index)
{
	if (index >= qp->posted)
		fail_msg("QP %u: completion of request %u, posted %u", qp->qpn, index, qp->posted);
	return &qp->wrs[index];
}

static void outcome(struct tb_node *n, struct tb_wr *wr)
{
	wr->retired = true;
	wr->completed = sim_now(n->tb->sim);
	wr->nth = n->outcomes++;
	n->open--;
}

/*
 * A completion in order retires all requests before it; those without a CQE of their own have
 * succeeded.
 */
static void retire_up_to(struct tb_node *n, struct tb_qp *qp, uint32_t index)
{
	for (; qp->retired != index; qp->retired++) {
		struct tb_wr *wr = &qp->wrs[qp->retired];

		if (wr->retired || wr->opcode == TALLY_OPCODE_ABORT) /* its own CQE comes last */
			continue;
		if (wr->signaled)
			fail_msg("node %u QP %u: request %u skipped by the completion of %u", n->index,
				 qp->qpn, qp->retired, index);
		outcome(n, wr);
	}
	qp->retired++;
}

void tb_note_completion(struct tb_node *n, const struct tally_cqe *cqe)
{
	uint32_t qpn = le32toh(cqe->qpn), index = le32toh(cqe->wqe_index);
	struct tb_qp *qp = &n->qps[qpn];
	struct tb_wr *wr = wr_of(qp, index);

	if (wr->retired)
		fail_msg("node %u QP %u: second outcome of request %u, status %u", n->index, qpn,
			 index, le16toh(cqe->coll_status));
	wr->has_cqe = true;
	wr->cqe = *cqe;
	outcome(n, wr);
	if (cqe->flags & TALLY_CQE_F_NO_RETIRE)
		return;
	if (index < qp->retired)
		fail_msg("node %u QP %u: request %u completes after %u", n->index, qpn, index,
			 qp->retired);
	retire_up_to(n, qp, index);
}

static bool lies_in(const struct engine_sge *part, const struct engine_sge *whole)
{
	return part->addr >= whole->addr &&
	       part->addr + part->length <= whole->addr + whole->length;
}

void tb_check_write(struct tb_node *n, const struct engine_sge *sge)
{
	unsigned int q, k;
	uint32_t i;

	for (q = 0; q < TB_MAX_QPS; q++) {
		struct tb_qp *qp = &n->qps[q];

		for (i = 0; i < qp->posted; i++)
			for (k = 0; k < qp->wrs[i].num_result; k++)
				if (lies_in(sge, &qp->wrs[i].result[k]) &&
				    (!qp->wrs[i].retired || !qp->used))
					return;
	}
	fail_msg("node %u: a result was written to %#" PRIx64 " after its request's completion",
		 n->index, sge->addr);
}

unsigned int tb_unfinished(const struct tb_qp *qp)
{
	unsigned int found = 0;
	uint32_t k;

	for (k = 0; k < qp->posted; k++)
		found += !qp->wrs[k].retired;
	return found;
}

/* ---- Posting ---- */

struct tb_post tb_request(const struct tb_group *g, uint8_t opcode, uint32_t mid, uint64_t ranks)
{
	struct tb_post p = { .w = {
		.opcode = opcode,
		.flags = htole32(TALLY_WQE_F_SIGNALED),
		.jid = htole32(g->cfg.jid),
		.mid = htole32(mid),
		.rank_mask = htole64(ranks),
	} };

	if (!is_triggered(opcode))
		p.w.node_mask = ~0ULL;
	return p;
}

struct tb_post tb_sum(const struct tb_group *g, uint32_t mid, uint64_t ranks, uint64_t from,
		      uint64_t to, uint32_t count)
{
	struct tb_post p = tb_request(g, TALLY_OPCODE_ALLREDUCE, mid, ranks);

	p.w.op = TALLY_OP_SUM;
	p.w.dtype = TALLY_TYPE_INT32;
	p.w.count = htole64(count);
	tb_gather(&p, from, count * 4);
	tb_result(&p, to, count * 4);
	return p;
}

void tb_inline(struct tb_post *p, const void *data, size_t len)
{
	p->w.flags |= htole32(TALLY_WQE_F_INLINE);
	p->w.inline_len = htole32(len);
	p->data = data;
}

void tb_gather(struct tb_post *p, uint64_t addr, size_t len)
{
	p->gather[p->w.num_gather++] = (struct engine_sge){ addr, len, TB_ANYWHERE };
}

void tb_result(struct tb_post *p, uint64_t addr, size_t len)
{
	p->result[p->w.num_result++] = (struct engine_sge){ addr, len, TB_ANYWHERE };
}

static uint8_t *put_list(uint8_t *at, const uint8_t *end, const struct engine_sge *list,
			 unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n && i < TALLY_MAX_SGE; i++, at += sizeof(struct tally_sge)) {
		struct tally_sge sge = { htole64(list[i].addr), htole32(list[i].length),
					 htole32(list[i].lkey) };

		if (at + sizeof(sge) <= end)
			memcpy(at, &sge, sizeof(sge));
	}
	return at;
}

static void watch(struct tb_node *n, struct tb_qp *qp, const struct tb_post *p)
{
	struct tb_wr *wr;

	if (qp->posted == qp->room) {
		qp->room = qp->room ? 2 * qp->room : 16;
		qp->wrs = realloc(qp->wrs, qp->room * sizeof(*qp->wrs));
		assert_non_null(qp->wrs);
	}
	wr = &qp->wrs[qp->posted];
	*wr = (struct tb_wr){
		.index = qp->posted,
		.mid = le32toh(p->w.mid),
		.opcode = p->w.opcode,
		.signaled = le32toh(p->w.flags) & TALLY_WQE_F_SIGNALED,
		.posted = sim_now(n->tb->sim),
		.num_result = p->w.num_result <= TALLY_MAX_SGE ? p->w.num_result : 0,
	};
	memcpy(wr->result, p->result, sizeof(wr->result));
	n->open++;
}

uint32_t tb_post(struct tb_node *n, struct tb_qp *qp, const struct tb_post *p)
{
	uint8_t *wqe = n->mem + qp->sq + qp->posted % qp->depth * TB_STRIDE;
	uint8_t *end = wqe + TB_STRIDE, *at = wqe + sizeof(p->w);
	uint32_t len = le32toh(p->w.inline_len);

	memset(wqe, 0, TB_STRIDE);
	memcpy(wqe, &p->w, sizeof(p->w));
	((struct tally_wqe *)wqe)->index = htole32(qp->posted + le32toh(p->w.index));
	if (p->data && len <= (size_t)(end - at)) {
		memcpy(at, p->data, len);
		at += (len + 15) / 16 * 16;
	}
	at = put_list(at, end, p->gather, p->w.num_gather);
	put_list(at, end, p->result, p->w.num_result);
	watch(n, qp, p);
	return qp->posted++;
}

void tb_ring(struct tb_node *n, struct tb_qp *qp)
{
	engine_doorbell(tb_enter(n), qp->qpn, qp->posted);
	tb_leave(n);
}

uint32_t tb_post_ring(struct tb_node *n, struct tb_qp *qp, const struct tb_post *p)
{
	uint32_t index = tb_post(n, qp, p);

	tb_ring(n, qp);
	return index;
}

static bool busy(const struct testbed *tb)
{
	unsigned int i;

	for (i = 0; i < tb->num_nodes; i++)
		if (tb->nodes[i].open)
			return true;
	return false;
}

static void name_open(const struct testbed *tb)
{
	unsigned int i, q;
	uint32_t k;

	for (i = 0; i < tb->num_nodes; i++)
		for (q = 0; q < TB_MAX_QPS; q++) {
			const struct tb_qp *qp = &tb->nodes[i].qps[q];

			for (k = 0; qp->used && k < qp->posted; k++)
				if (!qp->wrs[k].retired)
					print_error("node %u QP %u: request %u (opcode %u, mid %u) has "
						    "no outcome\n", i, q, k, qp->wrs[k].opcode,
						    qp->wrs[k].mid);
		}
}

void tb_finish(struct testbed *tb, vtime_t limit)
{
	vtime_t end = sim_now(tb->sim) + limit, next;

	while (busy(tb)) {
		if (!sim_next_time(tb->sim, &next) || next > end) {
			name_open(tb);
			fail_msg("work requests hang at %" PRIu64 " ns", sim_now(tb->sim) / VT_NS);
		}
		sim_run_until(tb->sim, next);
	}
}

/* ---- Invariants ---- */

static unsigned int list_length(uint16_t first, const void *array, size_t size, size_t next_at)
{
	unsigned int n = 0;

	for (; first != NONE; n++)
		memcpy(&first, (const uint8_t *)array + first * size + next_at, sizeof(first));
	return n;
}

#define FREE_LENGTH(e, head, array)                                                                \
	list_length((e)->head, (e)->array, sizeof((e)->array[0]),                                  \
		    offsetof(typeof((e)->array[0]), next))

/* Check that every segment that was ever used is either free or set aside for a group. */
static void assert_segments(struct engine *e)
{
	struct group *list[TALLY_MAX_GROUP];
	unsigned int groups = tb_groups(e, list), num = 0, owned = 0, granted = 0, i;
	uint16_t s;

	for (s = e->seg_free; s != NONE; s = e->seg_next[s])
		num++;
	for (i = 0; i < groups; i++) {
		num += list[i]->limit - list[i]->done;
		owned += list[i]->num_segs;
		granted += list[i]->granted;
		assert_int_equal(list[i]->own_cells, 0);
	}
	assert_int_equal(num, e->seg_fresh);
	assert_int_equal(owned, e->segs_owned);
	assert_int_equal(granted, e->segs_granted);
}

void tb_assert_empty(struct tb_node *n)
{
	struct engine *e = n->e;
	unsigned int i, k;

	assert_int_equal(FREE_LENGTH(e, cell_free, cells), e->cell_fresh);
	assert_int_equal(e->shared_used, 0);
	/* What was never used is not looked at, since that would give it memory. */
	for (i = 0; i < e->seg_fresh; i++)
		if (e->slots[i].state != TALLY_SEG_FREE)
			fail_msg("node %u: slot %u is in state %u", n->index, i, e->slots[i].state);
	assert_segments(e);
	for (i = 0; i < TB_MAX_QPS; i++)
		assert_int_equal(e->qps[i].bufs_used, 0);
	for (i = 0; i < TB_MAX_QPS; i++)
		for (k = 0; n->qps[i].life && k < WR_WINDOW; k++)
			assert_int_equal(e->qps[i].wrs[k].state, WR_FREE);
	assert_int_equal(n->open, 0);
}

void tb_assert_all_empty(struct testbed *tb)
{
	unsigned int i;

	for (i = 0; i < tb->num_nodes; i++)
		if (!tb->nodes[i].dead)
			tb_assert_empty(&tb->nodes[i]);
}

void tb_assert_done(const struct tb_group *g, uint32_t done)
{
	unsigned int i;

	for (i = 0; i < g->cfg.nodes; i++)
		if (tb_group_state(g, i)->done != done)
			fail_msg("group node %u has done %u, not %u", i, tb_group_state(g, i)->done,
				 done);
}

void tb_assert_cqe(const struct tb_wr *wr, enum tally_coll_status status)
{
	assert_true(wr->retired);
	if (status == TALLY_COLL_OK && !wr->signaled && !wr->has_cqe)
		return;
	assert_true(wr->has_cqe);
	if (le16toh(wr->cqe.coll_status) != status)
		fail_msg("request %u: status %u, not %u", wr->index, le16toh(wr->cqe.coll_status),
			 status);
	if (wr->cqe.status != coll_status_wc_of_end(status))
		assert_int_equal(wr->cqe.status, coll_status_wc(status));
	assert_int_equal(le32toh(wr->cqe.mid), wr->mid);
	assert_int_equal(wr->cqe.opcode, wr->opcode);
}

void tb_assert_flushed(const struct tb_wr *wr, enum tally_coll_status cause)
{
	assert_true(wr->retired && wr->has_cqe);
	assert_int_equal(wr->cqe.status, TALLY_WC_WR_FLUSH_ERR);
	assert_int_equal(le16toh(wr->cqe.coll_status), cause);
	assert_int_equal(le32toh(wr->cqe.mid), wr->mid);
	assert_int_equal(wr->cqe.opcode, wr->opcode);
}
