// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Posting: ibv_post_send() and the ibv_wr_ calls. These make no system calls. */
#include "wqe.h"

static inline void push_line(struct tally_push_line *to, const uint8_t *from, uint64_t posted)
{
	memcpy(to->data, from, sizeof(to->data));
	to->posted = htole64(posted);
}

/*
 * Copy the newest request, which ends at qp->tail, to the push buffer in lines, if the rule for
 * `count` requests permits it. The copy includes the rest of the last piece, which may lie beyond
 * the last entry: see queue_size(). Returns false if the device must fetch the request.
 */
__attribute__((noinline)) static bool push(struct tally_qp *qp, uint64_t next, uint64_t count)
{
	const uint8_t *from = (const uint8_t *)tally_qp_entry(qp, next - 1);
	size_t bytes = (const uint8_t *)qp->tail - from;
	struct tally_push_line *to = tally_push_first(qp->push, next);

	if (!tally_is_pushed(count, bytes))
		return false;
	static_assert(sizeof(struct tally_wqe) > 2 * TALLY_PUSH_PIECE, "the shortest takes three");
	push_line(&to[0], from, next);
	push_line(&to[1], from + TALLY_PUSH_PIECE, next);
	push_line(&to[2], from + 2 * TALLY_PUSH_PIECE, next);
	for (size_t i = 3; i * TALLY_PUSH_PIECE < bytes; i++)
		push_line(&to[i], from + i * TALLY_PUSH_PIECE, next);
	mmio_flush_writes();
	return true;
}

/* Passes everything before `next` to the device. */
static inline __attribute__((always_inline)) void ring_doorbell(struct tally_qp *qp, uint64_t next)
{
	uint64_t count = next - qp->tracker.posted;

	__atomic_store_n(&qp->tracker.posted, next, __ATOMIC_RELEASE);
	if (!qp->push || !push(qp, next, count))
		udma_to_device_barrier();
	mmio_write64_le(qp->doorbell.counter, htole64(next));
	tally_wake(&qp->doorbell);
}

/* ---- Refusals, outside of the fast path ---- */
__attribute__((cold, noinline)) static int refuse(struct tally_qp *qp, int err,
						  enum tally_coll_status status)
{
	qp->refusal = status;
	return err;
}

/* Records why begin() failed, and returns the errno. */
__attribute__((cold, noinline)) static int refusal_of(struct tally_qp *qp,
						      struct tallydv_basic what,
						      unsigned int send_flags)
{
	enum tally_coll_status status;

	/*
	 * The queue pair is in a state in which the device does not read the queue; the request is
	 * not at fault.
	 */
	if (qp->ops == &tally_no_ops)
		return refuse(qp, EINVAL, TALLY_COLL_OK);
	if (send_flags & ~TALLY_SEND_FLAGS)
		return refuse(qp, EINVAL, TALLY_COLL_BAD_FLAGS);
	status = tally_ops_check(qp->ops, what.opcode, what.op, what.dtype);
	if (status != TALLY_COLL_OK)
		return refuse(qp, tally_ops_errno(what.opcode, what.op, what.dtype), status);
	return refuse(qp, ENOMEM, TALLY_COLL_OK);
}

static inline struct tallydv_basic what_of(const struct tallydv_coll_attr *coll)
{
	return (struct tallydv_basic){
		.opcode = coll->opcode, .op = coll->op, .dtype = coll->dtype
	};
}

/* Takes entry `next` of the queue for a request, and returns the device's flags for it. */
static inline bool begin(struct tally_qp *qp, uint64_t next, struct tallydv_basic what,
			 const uint64_t *wr_id, unsigned int send_flags, uint32_t *flags)
{
	const struct tally_rule *rule = &qp->ops->rule[what.opcode];

	if (send_flags & ~TALLY_SEND_FLAGS || !tally_rule_allows(rule, what.op, what.dtype))
		return false;
	*flags = tally_wqe_flags(send_flags) | qp->flags | rule->flags;
	return tally_wr_tracker_take(&qp->tracker, next, what.opcode, rule->state, *wr_id);
}

enum tally_coll_status tallydv_qp_last_refusal(struct ibv_qp *qp)
{
	return to_tqp(qp)->refusal;
}

/* ---- Members that hardly any request has: those of later versions, and a reserved one ---- */
static inline bool has_rare(const struct tallydv_coll_attr *coll)
{
	return coll->comp_mask | coll->trigger.reserved;
}

/* Returns the status with which the device would refuse these members. */
static enum tally_coll_status check_rare(const struct tally_qp *qp,
					 const struct tallydv_coll_attr *coll)
{
	if (coll->comp_mask & ~(uint64_t)TALLYDV_COLL_ATTR_MODE)
		return TALLY_COLL_BAD_FLAGS;
	if (coll->trigger.reserved)
		return TALLY_COLL_BAD_RESERVED;
	/* A program of the first version has no memory for members after comp_mask. */
	if (!(coll->comp_mask & TALLYDV_COLL_ATTR_MODE))
		return TALLY_COLL_OK;
	if (coll->reserved)
		return TALLY_COLL_BAD_RESERVED;
	if (coll->mode && !tally_ops_mode_offers(qp->modes, coll->mode, coll->opcode))
		return TALLY_COLL_BAD_MODE;
	return TALLY_COLL_OK;
}

/*
 * Fills in the members of a request that has some, outside of the fast path. Returns 0, or an errno
 * after it has set `*status`.
 */
__attribute__((cold, noinline)) static int put_rare(const struct tally_qp *qp,
						    struct tally_wqe *wqe,
						    const struct tallydv_coll_attr *coll,
						    enum tally_coll_status *status)
{
	*status = check_rare(qp, coll);
	switch (*status) {
	case TALLY_COLL_OK:
		wqe->mode = coll->comp_mask & TALLYDV_COLL_ATTR_MODE ? coll->mode : 0;
		return 0;
	case TALLY_COLL_BAD_FLAGS:
		return EOPNOTSUPP;
	case TALLY_COLL_BAD_MODE:
		return tally_mode_bit(coll->mode) ? EOPNOTSUPP : EINVAL;
	default:
		return EINVAL;
	}
}

/* ---- ibv_post_send() ---- */
/*
 * Returns the place of the result list, or NULL if the data are too long. Not inlined, so that the
 * path of a gather list need not prepare for calls.
 */
__attribute__((noinline)) static struct tally_sge *put_inline_list(const struct tally_qp *qp,
								   struct tally_wqe *wqe,
								   const struct ibv_sge *list,
								   unsigned int count)
{
	uint64_t total = 0;

	for (unsigned int i = 0; i < count; i++) {
		total += list[i].length;
		if (total > qp->max_inline)
			return NULL;
		tally_wqe_put_inline(wqe, (const void *)(uintptr_t)list[i].addr, list[i].length);
	}
	return tally_wqe_end_inline(wqe);
}

/*
 * Like put_inline_list(). The most frequent case, one value of 8 to 16 bytes, is copied as two
 * words that may overlap.
 */
static inline struct tally_sge *put_inline(const struct tally_qp *qp, struct tally_wqe *wqe,
					   const struct ibv_sge *list, unsigned int count)
{
	uint32_t length = count == 1 ? list->length : 0;

	if (length - 8 > 8 || length > qp->max_inline)
		return put_inline_list(qp, wqe, list, count);
	wqe->inline_len = htole32(length);
	wqe->flags |= htole32(TALLY_WQE_F_INLINE);
	memcpy(wqe + 1, (const void *)(uintptr_t)list->addr, 8);
	memcpy((char *)(wqe + 1) + length - 8, (const char *)(uintptr_t)list->addr + length - 8, 8);
	return (struct tally_sge *)(wqe + 1) + 1;
}

static int post_one(struct tally_qp *qp, const struct ibv_send_wr *wr, uint64_t next)
{
	enum tally_coll_status status;
	const struct tallydv_coll_attr *coll;
	struct tally_wqe *wqe;
	struct tally_sge *tail;
	uint32_t flags;
	int err;

	if (wr->opcode != IBV_WR_DRIVER1)
		return refuse(qp, EINVAL, TALLY_COLL_BAD_OPCODE);
	coll = &container_of(wr, struct tallydv_send_wr, wr)->coll;
	if ((unsigned int)wr->num_sge > qp->max_sge || coll->num_result > qp->max_sge)
		return refuse(qp, EINVAL, TALLY_COLL_BAD_NUM_SGE);
	if (!begin(qp, next, what_of(coll), &wr->wr_id, wr->send_flags, &flags))
		return refusal_of(qp, what_of(coll), wr->send_flags);
	wqe = tally_qp_entry(qp, next);
	tally_wqe_fill(wqe, qp, coll, flags, next);
	if (has_rare(coll)) {
		err = put_rare(qp, wqe, coll, &status);
		if (err)
			return refuse(qp, err, status);
	}
	if (wr->send_flags & IBV_SEND_INLINE) {
		tail = put_inline(qp, wqe, wr->sg_list, wr->num_sge);
		if (!tail)
			return refuse(qp, EINVAL, TALLY_COLL_BAD_INLINE);
	} else {
		tail = tally_wqe_put_gather(wqe, wr->sg_list, wr->num_sge);
	}
	qp->tail = tally_wqe_put_result(wqe, tail, coll->result_list, coll->num_result);
	return 0;
}

int tally_post_send(struct ibv_qp *ibqp, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr)
{
	struct tally_qp *qp = to_tqp(ibqp);
	uint64_t next;
	int err = 0;

	tally_lock(&qp->lock);
	for (next = qp->tracker.posted; wr; wr = wr->next, next++) {
		err = post_one(qp, wr, next);
		if (err) {
			*bad_wr = wr;
			break;
		}
	}
	if (next != qp->tracker.posted)
		ring_doorbell(qp, next);
	tally_unlock(&qp->lock);
	return err;
}

/* ---- ibv_wr_ calls ---- */
static void wr_start(struct ibv_qp_ex *qp_ex)
{
	struct tally_qp *qp = to_tqp_ex(qp_ex);

	tally_lock(&qp->lock);
	qp->next = qp->tracker.posted;
	qp->wqe = NULL;
	qp->wr_err = 0;
}

static int wr_complete(struct ibv_qp_ex *qp_ex)
{
	struct tally_qp *qp = to_tqp_ex(qp_ex);
	int err = qp->wr_err;

	if (!err && qp->next != qp->tracker.posted)
		ring_doorbell(qp, qp->next);
	tally_unlock(&qp->lock);
	return err;
}

/* Entries after `posted` are unused, so there is nothing to undo. */
static void wr_abort(struct ibv_qp_ex *qp_ex)
{
	tally_unlock(&to_tqp_ex(qp_ex)->lock);
}

/* Keeps the first error. A request without an entry ignores further calls. */
__attribute__((cold, noinline)) static void wr_fail(struct tally_qp *qp, int err)
{
	if (!qp->wr_err)
		qp->wr_err = err;
	qp->wqe = NULL;
}

__attribute__((cold, noinline)) static void wr_refuse(struct tally_qp *qp, int err,
						      enum tally_coll_status status)
{
	if (!qp->wr_err)
		qp->refusal = status;
	wr_fail(qp, err);
}

__attribute__((cold, noinline)) static void wr_why_not(struct tally_qp *qp,
						       struct tallydv_basic what)
{
	if (!qp->wr_err)
		wr_fail(qp, refusal_of(qp, what, qp->vqp.qp_ex.wr_flags));
}

/*
 * Takes the next entry of the chain. Returns false if that is impossible, or if the chain has
 * already failed.
 */
static inline bool wr_begin(struct tally_qp *qp, struct tallydv_basic what, uint32_t *flags)
{
	struct ibv_qp_ex *qp_ex = &qp->vqp.qp_ex;
	uint64_t next = qp->next;

	if (qp->wr_err || !begin(qp, next, what, &qp_ex->wr_id, qp_ex->wr_flags, flags))
		return false;
	qp->next = next + 1;
	qp->wqe = tally_qp_entry(qp, next);
	qp->tail = (struct tally_sge *)(qp->wqe + 1);
	return true;
}

static void wr_coll(struct tallydv_qp *dv, const struct tallydv_coll_attr *coll)
{
	struct tally_qp *qp = container_of(dv, struct tally_qp, dv);
	enum tally_coll_status status;
	uint32_t flags;
	int err;

	if (!wr_begin(qp, what_of(coll), &flags))
		return wr_why_not(qp, what_of(coll));
	tally_wqe_fill(qp->wqe, qp, coll, flags, qp->next - 1);
	if (!has_rare(coll))
		return;
	err = put_rare(qp, qp->wqe, coll, &status);
	if (err)
		wr_refuse(qp, err, status);
}

static void wr_basic(struct tallydv_qp *dv, struct tallydv_basic what, uint64_t count, uint32_t mid)
{
	struct tally_qp *qp = container_of(dv, struct tally_qp, dv);
	uint32_t flags;

	if (!wr_begin(qp, what, &flags))
		return wr_why_not(qp, what);
	tally_wqe_fill_basic(qp->wqe, qp, what, count, mid, flags, qp->next - 1);
}

static void wr_set_sge_list(struct ibv_qp_ex *qp_ex, size_t num_sge, const struct ibv_sge *list)
{
	struct tally_qp *qp = to_tqp_ex(qp_ex);
	struct tally_wqe *wqe = qp->wqe;

	if (!wqe || num_sge > qp->max_sge || qp->tail != (struct tally_sge *)(wqe + 1))
		return wr_refuse(qp, EINVAL, TALLY_COLL_BAD_NUM_SGE);
	qp->tail = tally_wqe_put_gather(wqe, list, num_sge);
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
		return wr_refuse(qp, EINVAL, TALLY_COLL_BAD_INLINE);
	for (size_t i = 0; i < num_buf; i++) {
		if (list[i].length > qp->max_inline - le32toh(wqe->inline_len))
			return wr_refuse(qp, EINVAL, TALLY_COLL_BAD_INLINE);
		tally_wqe_put_inline(wqe, list[i].addr, list[i].length);
	}
	qp->tail = tally_wqe_end_inline(wqe);
}

static void wr_set_inline_data(struct ibv_qp_ex *qp_ex, void *addr, size_t length)
{
	struct ibv_data_buf buf = { .addr = addr, .length = length };

	wr_set_inline_data_list(qp_ex, 1, &buf);
}

static void wr_set_result(struct tallydv_qp *dv, size_t num_sge, const struct ibv_sge *list)
{
	struct tally_qp *qp = container_of(dv, struct tally_qp, dv);

	struct tally_wqe *wqe = qp->wqe;

	if (!wqe || num_sge > qp->max_sge || wqe->num_result)
		return wr_refuse(qp, EINVAL, TALLY_COLL_BAD_NUM_SGE);
	qp->tail = tally_wqe_put_result(wqe, qp->tail, list, num_sge);
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
	qp->dv.wr_basic = wr_basic;
	qp->dv.wr_set_result = wr_set_result;
}
