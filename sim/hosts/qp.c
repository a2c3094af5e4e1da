// SPDX-License-Identifier: BSD-2-Clause
#include "hosts/qp.h"

#include <errno.h>
#include <stdlib.h>

#include "hosts/priv.h"
#include "tally-push.h"

#define INLINE_ALIGN	16	/* the result list follows inline data rounded up to this */

static size_t ring_bytes(const struct host_qp *qp)
{
	return (size_t)qp->depth * qp->stride;
}

static void send_create(struct host_qp *qp, const struct host_qp_cfg *cfg, host_answer *fn,
			void *arg)
{
	union host_body b = { .raw = { 0 } };

	b.create_qp.qpn = htole32(qp->qpn);
	b.create_qp.pd = htole32(cfg->pd);
	b.create_qp.cqn = htole32(qp->cq->cqn);
	b.create_qp.group = htole32(cfg->group);
	b.create_qp.ranks = htole64(cfg->ranks);
	b.create_qp.depth = htole32(cfg->depth);
	b.create_qp.stride = htole32(cfg->stride);
	b.create_qp.uar = htole16(qp->uar);
	b.create_qp.slot = htole16(cfg->push ? 0 : qp->qpn % TALLY_UAR_SLOTS);
	b.create_qp.port = htole16(cfg->port);
	b.create_qp.push = htole16(cfg->push);
	b.create_qp.holder = htole64(cfg->holder);
	b.create_qp.sq = host_flat(qp->sq, ring_bytes(qp));
	host_command(qp->host, TALLY_ADMIN_CREATE_QP, &b, fn, arg);
}

/* Takes a doorbell slot: a queue pair that pushes has its own UAR, the others share theirs. */
static int take_slot(struct host *h, struct host_qp *qp, bool push)
{
	uint32_t k;

	if (!push) {
		qp->uar = HOST_QP_UAR + qp->qpn / TALLY_UAR_SLOTS;
		qp->slot = host_slot(h, HOST_QP_UAR, qp->qpn);
		return 0;
	}
	k = ids_take(&h->push_uars, 1);
	if (k == IDS_NONE)
		return -ENOSPC;
	qp->uar = HOST_PUSH_UAR + k;
	qp->slot = host_slot(h, qp->uar, 0);
	qp->push = (struct tally_push_buf *)(h->bar + TALLY_BAR_PUSH_OFFSET) + qp->uar;
	return 0;
}

static void give_back(struct host *h, struct host_qp *qp)
{
	if (qp->qpn != IDS_NONE && ids_taken(&h->qpns, qp->qpn))
		ids_give(&h->qpns, qp->qpn, 1);
	if (qp->push && ids_taken(&h->push_uars, qp->uar - HOST_PUSH_UAR))
		ids_give(&h->push_uars, qp->uar - HOST_PUSH_UAR, 1);
	if (qp->sq)
		arena_release(&h->mem, qp->sq, ring_bytes(qp));
	free(qp->entry);
}

int host_qp_create(struct host *h, struct host_qp *qp, struct host_cq *cq,
		   const struct host_qp_cfg *cfg, host_answer *fn, void *arg)
{
	int err = -ENOMEM;

	*qp = (struct host_qp){ .cq = cq, .depth = cfg->depth, .stride = cfg->stride };
	qp->entry = calloc(cfg->depth, sizeof(*qp->entry));
	qp->sq = arena_alloc(&h->mem, ring_bytes(qp));
	qp->qpn = ids_take(&h->qpns, 1);
	if (qp->entry && qp->sq && qp->qpn != IDS_NONE)
		err = take_slot(h, qp, cfg->push);
	if (err) {
		give_back(h, qp);
		return err;
	}
	qp->host = h;
	send_create(qp, cfg, fn, arg);
	return 0;
}

void host_qp_modify(struct host_qp *qp, enum tally_qp_state state, host_answer *fn, void *arg)
{
	union host_body b = { .raw = { 0 } };

	b.modify_qp.qpn = htole32(qp->qpn);
	b.modify_qp.state = state;
	host_command(qp->host, TALLY_ADMIN_MODIFY_QP, &b, fn, arg);
}

void host_qp_cleared(struct host_qp *qp)
{
	qp->posted = qp->retired = qp->rung = 0;
	qp->slot->counter = 0;
}

void host_qp_destroy(struct host_qp *qp, host_answer *fn, void *arg)
{
	union host_body b = { .raw = { 0 } };

	b.object.id = htole32(qp->qpn);
	host_command(qp->host, TALLY_ADMIN_DESTROY_QP, &b, fn, arg);
}

void host_qp_forget(struct host_qp *qp)
{
	if (!qp->host)
		return;
	give_back(qp->host, qp);
	qp->host = NULL;
}

uint32_t host_qp_room(const struct host_qp *qp)
{
	return qp->depth - (uint32_t)(qp->posted - qp->retired);
}

static uint32_t padded(uint32_t data_len)
{
	return (data_len + INLINE_ALIGN - 1) / INLINE_ALIGN * INLINE_ALIGN;
}

uint32_t host_wqe_bytes(unsigned int num_gather, unsigned int num_result, uint32_t data_len)
{
	return sizeof(struct tally_wqe) + padded(data_len) +
	       (num_gather + num_result) * sizeof(struct tally_sge);
}

static uint8_t *entry_at(const struct host_qp *qp, uint64_t number)
{
	return (uint8_t *)arena_at(&qp->host->mem, qp->sq, ring_bytes(qp)) +
	       number % qp->depth * qp->stride;
}

bool host_post(struct host_qp *qp, const struct host_wr *wr)
{
	uint32_t slot = qp->posted % qp->depth;
	uint8_t *at = entry_at(qp, qp->posted);
	struct tally_wqe w = wr->w;

	if (!host_qp_room(qp)) {
		host_error(qp->host, "a request is posted to a send queue that is full");
		return false;
	}
	w.index = htole32((uint32_t)qp->posted);
	w.num_gather = wr->num_gather;
	w.num_result = wr->num_result;
	w.inline_len = htole32(wr->data_len);
	memcpy(at, &w, sizeof(w));
	at += sizeof(w);
	if (wr->data_len) {
		memcpy(at, wr->data, wr->data_len);
		at += padded(wr->data_len);
	}
	memcpy(at, wr->gather, wr->num_gather * sizeof(wr->gather[0]));
	at += wr->num_gather * sizeof(wr->gather[0]);
	memcpy(at, wr->result, wr->num_result * sizeof(wr->result[0]));
	qp->entry[slot] = (struct host_entry){
		.id = wr->id,
		.alone = w.opcode == TALLY_OPCODE_QUERY || w.opcode == TALLY_OPCODE_ABORT,
	};
	qp->newest_bytes = host_wqe_bytes(wr->num_gather, wr->num_result, wr->data_len);
	qp->posted++;
	return true;
}

static void push_newest(struct host_qp *qp)
{
	struct tally_push_line *line = tally_push_first(qp->push, qp->posted);
	const uint8_t *from = entry_at(qp, qp->posted - 1);
	size_t left = qp->newest_bytes, n;

	for (; left; left -= n, from += n, line++) {
		n = left < sizeof(line->data) ? left : sizeof(line->data);
		memcpy(line->data, from, n);
		line->posted = htole64(qp->posted);
	}
}

void host_qp_push(struct host_qp *qp)
{
	if (qp->push && tally_is_pushed(qp->posted - qp->rung, qp->newest_bytes))
		push_newest(qp);
	host_qp_ring(qp);
}

void host_qp_ring(struct host_qp *qp)
{
	qp->rung = qp->posted;
	__atomic_store_n(&qp->slot->counter, htole64(qp->posted), __ATOMIC_RELEASE);
	host_ring_device(qp->host);
}

static void free_slots(struct host_qp *qp)
{
	while (qp->retired != qp->posted && qp->entry[qp->retired % qp->depth].done)
		qp->retired++;
}

/* Retires every request up to @last that does not wait for its own completion. */
static void retire_up_to(struct host_qp *qp, uint64_t last, const struct tally_cqe *cqe,
			 host_outcome *fn, void *arg)
{
	for (uint64_t i = qp->retired; i <= last; i++) {
		struct host_entry *e = &qp->entry[i % qp->depth];

		if (e->done || e->alone)
			continue;
		e->done = true;
		fn(arg, qp, e->id, i == last ? cqe : NULL);
	}
}

bool host_qp_complete(struct host_qp *qp, const struct tally_cqe *cqe, host_outcome *fn, void *arg)
{
	uint64_t ahead = le32toh(cqe->wqe_index) - (uint32_t)qp->retired;
	struct host_entry *e = &qp->entry[(qp->retired + ahead) % qp->depth];

	/* The device did not execute a flushed request, so it completes whatever kind it is. */
	bool flushed = cqe->status == TALLY_WC_WR_FLUSH_ERR;

	if (ahead >= qp->posted - qp->retired || e->done ||
	    (!flushed && e->alone != !!(cqe->flags & TALLY_CQE_F_NO_RETIRE)))
		return false;
	if (e->alone) {
		e->done = true;
		fn(arg, qp, e->id, cqe);
	} else {
		retire_up_to(qp, qp->retired + ahead, cqe, fn, arg);
	}
	free_slots(qp);
	return true;
}
