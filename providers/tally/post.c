// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Posting: ibv_post_send() and the ibv_wr_ calls. No system call in here. */
#include "wqe.h"

static struct tally_wqe *entry_at(struct tally_qp *qp, uint64_t index)
{
	size_t slot = index & (qp->ring.depth - 1);

	return (struct tally_wqe *)(qp->sq + (slot << qp->stride_shift));
}

/* Hand everything before `next` to the device. */
static void ring_doorbell(struct tally_qp *qp, uint64_t next)
{
	__atomic_store_n(&qp->ring.posted, next, __ATOMIC_RELEASE);
	udma_to_device_barrier();
	*qp->bell.counter = htole64(next);
	tally_wake(&qp->bell);
}

/* ---- ibv_post_send() ---- */
static int put_inline_list(struct tally_qp *qp, struct tally_wqe *wqe, const struct ibv_sge *list,
			   unsigned int count)
{
	uint64_t total = 0;

	for (unsigned int i = 0; i < count; i++) {
		total += list[i].length;
		if (total > qp->max_inline)
			return EINVAL;
		tally_wqe_put_inline(wqe, (const void *)(uintptr_t)list[i].addr, list[i].length);
	}
	wqe->flags |= htole32(TALLY_WQE_F_INLINE);
	return 0;
}

static int post_one(struct tally_qp *qp, const struct ibv_send_wr *wr, uint64_t next)
{
	const struct tallydv_coll_attr *coll;
	struct tally_wqe *wqe;
	uint32_t flags;
	int err;

	if (wr->opcode != IBV_WR_DRIVER1)
		return EINVAL;
	coll = &container_of(wr, struct tallydv_send_wr, wr)->coll;
	if ((unsigned int)wr->num_sge > qp->max_sge || coll->num_result > qp->max_sge)
		return EINVAL;
	if (wr->send_flags & ~(IBV_SEND_SIGNALED | IBV_SEND_SOLICITED | IBV_SEND_INLINE))
		return EINVAL;
	err = tally_wring_take(&qp->ring, next, coll->opcode, wr->wr_id);
	if (err)
		return err;
	flags = tally_wqe_flags(qp, coll, wr->send_flags);
	wqe = entry_at(qp, next);
	tally_wqe_fill(wqe, qp, coll, flags, next);
	if (wr->send_flags & IBV_SEND_INLINE) {
		err = put_inline_list(qp, wqe, wr->sg_list, wr->num_sge);
		if (err)
			return err;
	} else {
		tally_wqe_put_gather(wqe, wr->sg_list, wr->num_sge);
	}
	tally_wqe_put_result(wqe, coll->result_list, coll->num_result);
	return 0;
}

int tally_post_send(struct ibv_qp *ibqp, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr)
{
	struct tally_qp *qp = to_tqp(ibqp);
	uint64_t next;
	int err = 0;

	tally_lock(&qp->lock);
	for (next = qp->ring.posted; wr; wr = wr->next, next++) {
		err = post_one(qp, wr, next);
		if (err) {
			*bad_wr = wr;
			break;
		}
	}
	if (next != qp->ring.posted)
		ring_doorbell(qp, next);
	tally_unlock(&qp->lock);
	return err;
}

/* ---- ibv_wr_ calls ---- */
static void wr_start(struct ibv_qp_ex *qp_ex)
{
	struct tally_qp *qp = to_tqp_ex(qp_ex);

	tally_lock(&qp->lock);
	qp->next = qp->ring.posted;
	qp->wqe = NULL;
	qp->wr_err = 0;
}

static int wr_complete(struct ibv_qp_ex *qp_ex)
{
	struct tally_qp *qp = to_tqp_ex(qp_ex);
	int err = qp->wr_err;

	if (!err && qp->next != qp->ring.posted)
		ring_doorbell(qp, qp->next);
	tally_unlock(&qp->lock);
	return err;
}

/* Entries past `posted` are nobody's: nothing to undo. */
static void wr_abort(struct ibv_qp_ex *qp_ex)
{
	tally_unlock(&to_tqp_ex(qp_ex)->lock);
}

static void wr_fail(struct tally_qp *qp, int err)
{
	if (!qp->wr_err)
		qp->wr_err = err;
	qp->wqe = NULL;
}

static void wr_coll(struct tallydv_qp *dv, const struct tallydv_coll_attr *coll)
{
	struct tally_qp *qp = container_of(dv, struct tally_qp, dv);
	unsigned int send_flags = qp->vqp.qp_ex.wr_flags;
	uint32_t flags = tally_wqe_flags(qp, coll, send_flags);
	int err;

	if (qp->wr_err)
		return;
	if (send_flags & ~(IBV_SEND_SIGNALED | IBV_SEND_SOLICITED | IBV_SEND_INLINE)) {
		wr_fail(qp, EINVAL);
		return;
	}
	err = tally_wring_take(&qp->ring, qp->next, coll->opcode, qp->vqp.qp_ex.wr_id);
	if (err) {
		wr_fail(qp, err);
		return;
	}
	qp->wqe = entry_at(qp, qp->next);
	tally_wqe_fill(qp->wqe, qp, coll, flags, qp->next);
	qp->next++;
}

static void wr_set_sge_list(struct ibv_qp_ex *qp_ex, size_t num_sge, const struct ibv_sge *list)
{
	struct tally_qp *qp = to_tqp_ex(qp_ex);
	struct tally_wqe *wqe = qp->wqe;

	if (!wqe)
		return wr_fail(qp, EINVAL);
	if (num_sge > qp->max_sge || wqe->inline_len || wqe->num_result)
		return wr_fail(qp, EINVAL);
	tally_wqe_put_gather(wqe, list, num_sge);
}

static void wr_set_sge(struct ibv_qp_ex *qp_ex, uint32_t lkey, uint64_t addr, uint32_t length)
{
	struct ibv_sge sge = { .addr = addr, .length = length, .lkey = lkey };

	wr_set_sge_list(qp_ex, 1, &sge);
}

static void wr_set_inline_data_list(struct ibv_qp_ex *qp_ex, size_t num_buf,
				    const struct ibv_data_buf *list)
{
	struct tally_qp *qp = to_tqp_ex(qp_ex);
	struct tally_wqe *wqe = qp->wqe;

	if (!wqe || wqe->num_gather || wqe->num_result)
		return wr_fail(qp, EINVAL);
	wqe->flags |= htole32(TALLY_WQE_F_INLINE);
	for (size_t i = 0; i < num_buf; i++) {
		if (list[i].length > qp->max_inline - le32toh(wqe->inline_len))
			return wr_fail(qp, EINVAL);
		tally_wqe_put_inline(wqe, list[i].addr, list[i].length);
	}
}

static void wr_set_inline_data(struct ibv_qp_ex *qp_ex, void *addr, size_t length)
{
	struct ibv_data_buf buf = { .addr = addr, .length = length };

	wr_set_inline_data_list(qp_ex, 1, &buf);
}

static void wr_set_result(struct tallydv_qp *dv, size_t num_sge, const struct ibv_sge *list)
{
	struct tally_qp *qp = container_of(dv, struct tally_qp, dv);

	if (!qp->wqe || num_sge > qp->max_sge)
		return wr_fail(qp, EINVAL);
	tally_wqe_put_result(qp->wqe, list, num_sge);
}

void tally_set_post_ops(struct tally_qp *qp)
{
	struct ibv_qp_ex *qp_ex = &qp->vqp.qp_ex;

	qp_ex->wr_start = wr_start;
	qp_ex->wr_complete = wr_complete;
	qp_ex->wr_abort = wr_abort;
	qp_ex->wr_set_sge = wr_set_sge;
	qp_ex->wr_set_sge_list = wr_set_sge_list;
	qp_ex->wr_set_inline_data = wr_set_inline_data;
	qp_ex->wr_set_inline_data_list = wr_set_inline_data_list;
	qp->dv.wr_coll = wr_coll;
	qp->dv.wr_set_result = wr_set_result;
}
