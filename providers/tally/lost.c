// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Devices that were reset or removed. The status page tells: its epoch differs from that at the
 * context's creation, and a page that the kernel has unmapped reads as 0. All requests that are
 * posted before or after the loss then complete with TALLY_COLL_DEVICE_LOST, so that no poller
 * waits forever.
 */
#include "tally.h"

/*
 * A read of the page crosses the bus, because the page is in the device. Therefore most empty polls
 * skip it.
 */
#define LOOK_EACH 256

bool tally_is_lost(struct tally_context *ctx)
{
	const volatile struct tally_status_page *status = ctx->status_page;

	if (__atomic_load_n(&ctx->lost, __ATOMIC_RELAXED))
		return true;
	if (le32toh(status->epoch) == ctx->info.epoch)
		return false;
	__atomic_store_n(&ctx->lost, true, __ATOMIC_RELAXED);
	return true;
}

int tally_destroy_errno(struct tally_context *ctx, int err)
{
	return err == ENOENT || (err == EIO && tally_is_lost(ctx)) ? 0 : err;
}

/* ---- Completion queues ---- */
/*
 * A program that requested an event and polls is about to sleep, and a program that received an
 * event expects a completion, so these polls always check. Other polls check from time to time.
 */
bool tally_cq_is_lost(struct tally_cq *cq)
{
	bool look = __atomic_load_n(&cq->armed, __ATOMIC_RELAXED);

	if (__atomic_fetch_add(&cq->idle_polls, 1, __ATOMIC_RELAXED) % LOOK_EACH == LOOK_EACH - 1)
		look = true;
	return look ? tally_is_lost(cq->ctx) : __atomic_load_n(&cq->ctx->lost, __ATOMIC_RELAXED);
}

void tally_cq_event(struct ibv_cq *ibcq)
{
	struct tally_cq *cq = to_tcq(ibcq);

	__atomic_store_n(&cq->armed, false, __ATOMIC_RELAXED);
	__atomic_store_n(&cq->idle_polls, LOOK_EACH - 1, __ATOMIC_RELAXED);
}

void tally_async_event(struct ibv_context *context, struct ibv_async_event *event)
{
	if (event->event_type == IBV_EVENT_DEVICE_FATAL)
		__atomic_store_n(&to_tctx(context)->lost, true, __ATOMIC_RELAXED);
}

/* Completes the oldest outstanding request of `qp`. Returns false if no request is outstanding. */
static bool flush_oldest(struct tally_cq *cq, struct tally_qp *qp, uint64_t *wr_id)
{
	const struct tally_wqe *wqe;
	bool out_of_order;
	uint64_t entry;

	if (!tally_wr_tracker_oldest(&qp->tracker, &entry, &out_of_order))
		return false;
	wqe = tally_qp_entry(qp, entry);
	cq->cur = (struct tally_cqe){
		.qpn = htole32(qp->vqp.qp.qp_num),
		.wqe_index = htole32(entry),
		.jid = wqe->jid,
		.mid = wqe->mid,
		.detector = htole16(qp->node),
		.coll_status = htole16(TALLY_COLL_DEVICE_LOST),
		.status = TALLY_WC_FATAL_ERR,
		.opcode = wqe->opcode,
		.flags = out_of_order ? TALLY_CQE_F_NO_RETIRE : 0,
	};
	return tally_wr_tracker_complete(&qp->tracker, entry, wr_id);
}

int tally_cq_flush(struct tally_cq *cq, uint64_t *wr_id)
{
	struct tally_context *ctx = cq->ctx;

	for (uint32_t qpn = 0; qpn < TALLY_MAX_QP; qpn++)
		if (__atomic_load_n(&ctx->cq_of_qp[qpn], __ATOMIC_RELAXED) == cq &&
		    flush_oldest(cq, ctx->qps[qpn], wr_id))
			return 0;
	return ENOENT;
}
