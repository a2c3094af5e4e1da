// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Polling and arming. The device writes the completions, so the library checks everything in them.
 */
#include "tally.h"

static uint8_t phase_of(const struct tally_cq *cq, uint64_t entry)
{
	return entry & cq->depth ? 0 : TALLY_OWNER_PHASE;
}

static bool is_written(const struct tally_cq *cq, uint64_t entry)
{
	const struct tally_cqe *cqe = &cq->ring[entry & (cq->depth - 1)];
	uint8_t owner = __atomic_load_n(&cqe->owner, __ATOMIC_RELAXED);

	return (owner & TALLY_OWNER_PHASE) == phase_of(cq, entry);
}

/*
 * Handles a completion in cq->cur that fits no work request. After the loss of the device it may be
 * a late completion of a request that was flushed, whose outcome is already reported.
 */
__attribute__((cold, noinline)) static int bad_completion(const struct tally_cq *cq,
							  const char *what)
{
	if (cq->lost)
		return ENOENT;
	verbs_err(&cq->ctx->vctx, "completion for entry %u of queue pair %u, which is not %s CQ %u\n",
		  le32toh(cq->cur.wqe_index), le32toh(cq->cur.qpn), what, cq->cqn);
	return EIO;
}

/* Finds the work request of cq->cur and retires it. */
static int accept_cqe(struct tally_cq *cq, uint64_t *wr_id)
{
	uint32_t qpn = le32toh(cq->cur.qpn), index = le32toh(cq->cur.wqe_index);
	struct tally_context *ctx = cq->ctx;

	if (qpn >= TALLY_MAX_QP || __atomic_load_n(&ctx->cq_of_qp[qpn], __ATOMIC_RELAXED) != cq)
		return bad_completion(cq, "of");
	if (!tally_wr_tracker_complete(&ctx->qps[qpn]->tracker, index, wr_id))
		return bad_completion(cq, "outstanding at");
	return 0;
}

/*
 * Publishes the number of consumed entries, from which the device computes the free entries of the
 * ring.
 */
static void set_consumed(struct tally_cq *cq, uint64_t consumed)
{
	cq->consumed = consumed;
	__atomic_store_n(&cq->record->consumed, htole64(consumed), __ATOMIC_RELEASE);
}

/*
 * Takes the next completion, which is written, into cq->cur. ENOENT: all completions were of queue
 * pairs that are no more; EIO: it fits no work request.
 */
static int take_cqe(struct tally_cq *cq, uint64_t *wr_id)
{
	do {
		uint32_t slot = cq->consumed & (cq->depth - 1);

		udma_from_device_barrier();
		cq->cur = cq->ring[slot];
		set_consumed(cq, cq->consumed + 1);
		if (!cq->stale[slot])
			return accept_cqe(cq, wr_id);
		cq->stale[slot] = false;
	} while (is_written(cq, cq->consumed));
	return ENOENT;
}

/* The same, if there may be no completion: ENOENT. */
static int next_cqe(struct tally_cq *cq, uint64_t *wr_id)
{
	return is_written(cq, cq->consumed) ? take_cqe(cq, wr_id) : ENOENT;
}

void tally_cq_attach(struct tally_cq *cq, struct tally_qp *qp)
{
	uint32_t qpn = qp->vqp.qp.qp_num;

	tally_lock(&cq->lock);
	cq->ctx->qps[qpn] = qp;
	__atomic_store_n(&cq->ctx->cq_of_qp[qpn], cq, __ATOMIC_RELAXED);
	tally_unlock(&cq->lock);
}

static void forget_unpolled(struct tally_cq *cq, uint32_t qpn)
{
	for (uint64_t i = cq->consumed; i - cq->consumed < cq->depth && is_written(cq, i); i++) {
		uint32_t slot = i & (cq->depth - 1);

		udma_from_device_barrier();
		if (le32toh(cq->ring[slot].qpn) == qpn)
			cq->stale[slot] = true;
	}
}

void tally_cq_detach(struct tally_cq *cq, struct tally_qp *qp)
{
	uint32_t qpn = qp->vqp.qp.qp_num;

	tally_lock(&cq->lock);
	forget_unpolled(cq, qpn);
	__atomic_store_n(&cq->ctx->cq_of_qp[qpn], NULL, __ATOMIC_RELAXED);
	cq->ctx->qps[qpn] = NULL;
	tally_unlock(&cq->lock);
}

static enum ibv_wc_status wc_status(const struct tally_cqe *cqe)
{
#define TALLY_CASE(name, value, doc) case TALLY_WC_##name:
	switch (cqe->status) {
	TALLY_WC_LIST(TALLY_CASE)
		return (enum ibv_wc_status)cqe->status;
	default:
		return IBV_WC_GENERAL_ERR;
	}
#undef TALLY_CASE
}

static int next_poll_lost(struct ibv_cq_ex *cq_ex);

/*
 * Handles an empty poll. If the device is lost, takes the next outstanding request as if the device
 * had completed it. Return values are those of next_cqe().
 */
__attribute__((cold, noinline)) static int poll_empty(struct tally_cq *cq, uint64_t *wr_id)
{
	int err;

	if (!cq->lost) {
		if (!tally_cq_is_lost(cq))
			return ENOENT;
		/*
		 * Completions that the device wrote before its loss are in memory by now, and
		 * count.
		 */
		udma_from_device_barrier();
		err = next_cqe(cq, wr_id);
		if (err != ENOENT)
			return err;
		cq->lost = true;
		cq->vcq.cq_ex.next_poll = next_poll_lost;
	}
	return tally_cq_flush(cq, wr_id);
}

static void fill_wc(struct ibv_wc *wc, const struct tally_cqe *cqe, uint64_t wr_id)
{
	*wc = (struct ibv_wc){
		.wr_id = wr_id,
		.status = wc_status(cqe),
		.opcode = IBV_WC_DRIVER1,
		.vendor_err = le16toh(cqe->coll_status),
		.byte_len = le32toh(cqe->byte_cnt),
		.qp_num = le32toh(cqe->qpn),
	};
}

/* A bad completion after good ones is left to the next call, which can return the error. */
__attribute__((cold, noinline)) static int poll_bad(struct tally_cq *cq, int n)
{
	if (!n)
		return -EIO;
	set_consumed(cq, cq->consumed - 1);
	return n;
}

__attribute__((cold, noinline)) static int poll_idle(struct tally_cq *cq, int num_entries,
						     struct ibv_wc *wc)
{
	uint64_t wr_id;
	int n, err = 0;

	for (n = 0; n < num_entries; n++) {
		err = poll_empty(cq, &wr_id);
		if (err)
			break;
		fill_wc(&wc[n], &cq->cur, wr_id);
	}
	return err == EIO ? poll_bad(cq, n) : n;
}

int tally_poll_cq(struct ibv_cq *ibcq, int num_entries, struct ibv_wc *wc)
{
	struct tally_cq *cq = to_tcq(ibcq);
	uint64_t wr_id;
	int n, err = 0;

	tally_lock(&cq->lock);
	for (n = 0; n < num_entries; n++) {
		err = next_cqe(cq, &wr_id);
		if (err)
			break;
		fill_wc(&wc[n], &cq->cur, wr_id);
	}
	if (err == EIO)
		n = poll_bad(cq, n);
	else if (!n)
		n = poll_idle(cq, num_entries, wc);
	tally_unlock(&cq->lock);
	return n;
}

int tally_req_notify_cq(struct ibv_cq *ibcq, int solicited_only)
{
	struct tally_cq *cq = to_tcq(ibcq);
	uint64_t arm;

	tally_lock(&cq->lock);
	__atomic_store_n(&cq->armed, true, __ATOMIC_RELAXED);
	arm = ++cq->arms * 2 + (solicited_only ? TALLY_CQ_ARM_SOLICITED : 0);
	mmio_write64_le(cq->doorbell.counter, htole64(cq->consumed));
	udma_to_device_barrier();
	mmio_write64_le(cq->doorbell.arm, htole64(arm));
	tally_wake(&cq->doorbell);
	tally_unlock(&cq->lock);
	return 0;
}

/* ---- Extended completion queues ---- */
static int next_poll(struct ibv_cq_ex *cq_ex)
{
	struct tally_cq *cq = to_tcq_ex(cq_ex);
	int err = next_cqe(cq, &cq_ex->wr_id);

	if (!err)
		cq_ex->status = wc_status(&cq->cur);
	return err;
}

/* Polls the next completion of a device that is known to be lost. */
static int next_poll_lost(struct ibv_cq_ex *cq_ex)
{
	struct tally_cq *cq = to_tcq_ex(cq_ex);
	int err = poll_empty(cq, &cq_ex->wr_id);

	if (!err)
		cq_ex->status = wc_status(&cq->cur);
	return err;
}

static void end_poll(struct ibv_cq_ex *cq_ex)
{
	struct tally_cq *cq = to_tcq_ex(cq_ex);

	tally_unlock(&cq->lock);
}

static int start_poll(struct ibv_cq_ex *cq_ex, struct ibv_poll_cq_attr *attr)
{
	struct tally_cq *cq = to_tcq_ex(cq_ex);
	int err = ENOENT;
	bool written;

	if (attr->comp_mask)
		return EINVAL;
	tally_lock(&cq->lock);
	written = is_written(cq, cq->consumed);
	if (written) {
		err = take_cqe(cq, &cq_ex->wr_id);
		cq_ex->status = wc_status(&cq->cur);
	}
	/* Callers that poll often find nothing most of the time. */
	if (err == ENOENT && (written || cq->lost || tally_cq_is_lost(cq)))
		err = next_poll_lost(cq_ex);
	/* If there is no completion, the caller does not call ibv_end_poll(). */
	if (err)
		end_poll(cq_ex);
	return err;
}

static enum ibv_wc_opcode read_opcode(struct ibv_cq_ex *cq_ex)
{
	(void)cq_ex;
	return IBV_WC_DRIVER1;
}

static uint32_t read_vendor_err(struct ibv_cq_ex *cq_ex)
{
	return le16toh(to_tcq_ex(cq_ex)->cur.coll_status);
}

static uint32_t read_byte_len(struct ibv_cq_ex *cq_ex)
{
	return le32toh(to_tcq_ex(cq_ex)->cur.byte_cnt);
}

static uint32_t read_qp_num(struct ibv_cq_ex *cq_ex)
{
	return le32toh(to_tcq_ex(cq_ex)->cur.qpn);
}

/*
 * Fields of received messages. Programs that ask for all standard fields may read them, but they
 * are always 0.
 */
static unsigned int read_wc_flags(struct ibv_cq_ex *cq_ex)
{
	(void)cq_ex;
	return 0;
}

static __be32 read_imm_data(struct ibv_cq_ex *cq_ex)
{
	(void)cq_ex;
	return 0;
}

static uint32_t read_u32_zero(struct ibv_cq_ex *cq_ex)
{
	(void)cq_ex;
	return 0;
}

static uint8_t read_u8_zero(struct ibv_cq_ex *cq_ex)
{
	(void)cq_ex;
	return 0;
}

static uint64_t read_completion_ts(struct ibv_cq_ex *cq_ex)
{
	return le64toh(to_tcq_ex(cq_ex)->cur.timestamp);
}

void tally_set_poll_ops(struct ibv_cq_ex *cq, uint64_t wc_flags)
{
	cq->start_poll = start_poll;
	cq->next_poll = next_poll;
	cq->end_poll = end_poll;
	cq->read_opcode = read_opcode;
	cq->read_vendor_err = read_vendor_err;
	cq->read_wc_flags = read_wc_flags;
	cq->read_byte_len = read_byte_len;
	cq->read_qp_num = read_qp_num;
	cq->read_imm_data = read_imm_data;
	cq->read_src_qp = read_u32_zero;
	cq->read_slid = read_u32_zero;
	cq->read_sl = read_u8_zero;
	cq->read_dlid_path_bits = read_u8_zero;
	if (wc_flags & IBV_WC_EX_WITH_COMPLETION_TIMESTAMP)
		cq->read_completion_ts = read_completion_ts;
}

uint32_t tallydv_wc_read_jid(struct ibv_cq_ex *cq)
{
	return le32toh(to_tcq_ex(cq)->cur.jid);
}

uint32_t tallydv_wc_read_mid(struct ibv_cq_ex *cq)
{
	return le32toh(to_tcq_ex(cq)->cur.mid);
}

uint32_t tallydv_wc_read_sid(struct ibv_cq_ex *cq)
{
	return le32toh(to_tcq_ex(cq)->cur.sid);
}

uint16_t tallydv_wc_read_seg(struct ibv_cq_ex *cq)
{
	return le16toh(to_tcq_ex(cq)->cur.seg);
}

enum tally_coll_status tallydv_wc_read_coll_status(struct ibv_cq_ex *cq)
{
	return (enum tally_coll_status)le16toh(to_tcq_ex(cq)->cur.coll_status);
}

uint8_t tallydv_wc_read_opcode(struct ibv_cq_ex *cq)
{
	return to_tcq_ex(cq)->cur.opcode;
}

uint8_t tallydv_wc_read_flags(struct ibv_cq_ex *cq)
{
	return to_tcq_ex(cq)->cur.flags;
}

uint64_t tallydv_wc_read_node_bitmap(struct ibv_cq_ex *cq)
{
	return le64toh(to_tcq_ex(cq)->cur.contributors);
}

uint64_t tallydv_wc_read_rank_bitmap(struct ibv_cq_ex *cq)
{
	return le64toh(to_tcq_ex(cq)->cur.ranks);
}

uint16_t tallydv_wc_read_detector(struct ibv_cq_ex *cq)
{
	return le16toh(to_tcq_ex(cq)->cur.detector);
}

uint16_t tallydv_wc_read_err_vector(struct ibv_cq_ex *cq)
{
	return le16toh(to_tcq_ex(cq)->cur.err_vector);
}

uint64_t tallydv_wc_read_timestamp_ns(struct ibv_cq_ex *cq)
{
	return le64toh(to_tcq_ex(cq)->cur.timestamp);
}

uint32_t tallydv_wc_read_elapsed_ns(struct ibv_cq_ex *cq)
{
	return le32toh(to_tcq_ex(cq)->cur.elapsed);
}
