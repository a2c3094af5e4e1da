// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "rig.h"

#include <stdlib.h>
#include <string.h>

enum { SLOT_QP, SLOT_OTHER, SLOT_CQ, SLOT_OTHER_CQ };

static struct tally_doorbell doorbell_of(struct rig *rig, unsigned int slot)
{
	return (struct tally_doorbell){
		.counter = &rig->slots[slot].counter,
		.arm = &rig->slots[slot].arm,
		.need_wake = &rig->status.need_wake,
		.wake = &rig->rung,
		.wake_value = htole32(RIG_WAKE_VALUE),
	};
}

static void init_cq(struct rig *rig, struct tally_cq *cq, uint32_t depth, unsigned int slot)
{
	cq->ctx = &rig->ctx;
	assert_int_equal(tally_cq_alloc_queue(cq, depth), 0);
	cq->doorbell = doorbell_of(rig, slot);
	cq->vcq.cq.context = &rig->ctx.vctx.context;
	assert_int_equal(tally_lock_init(&cq->lock, false), 0);
	tally_set_poll_ops(&cq->vcq.cq_ex, IBV_WC_EX_WITH_COMPLETION_TIMESTAMP);
}

static void init_qp(struct rig *rig, struct tally_qp *qp, struct tally_cq *cq,
		    uint32_t max_send_wr, uint32_t qpn, unsigned int slot)
{
	struct ibv_qp_cap cap = {
		.max_send_wr = max_send_wr,
		.max_send_sge = 4,
		.max_inline_data = TALLY_MAX_INLINE,
	};

	assert_int_equal(tally_qp_alloc_queue(qp, &cap, &rig->ctx.info), 0);
	qp->jid = RIG_JID;
	qp->ops = &rig->ctx.ops;
	qp->modes = TALLY_MODES_TREE;
	qp->ranks = 0x5;
	qp->doorbell = doorbell_of(rig, slot);
	qp->vqp.qp.qp_num = qpn;
	qp->vqp.qp.context = &rig->ctx.vctx.context;
	qp->vqp.qp.send_cq = &cq->vcq.cq;
	assert_int_equal(tally_lock_init(&qp->lock, false), 0);
	tally_set_post_ops(qp);
	tally_cq_attach(cq, qp);
}

struct rig *rig_new(uint32_t max_send_wr, uint32_t cq_depth)
{
	struct rig *rig = calloc(1, sizeof(*rig));

	assert_non_null(rig);
	strcpy(rig->device.device.name, "rig");
	rig->ctx.vctx.context.device = &rig->device.device;
	rig->ctx.vctx.context.abi_compat = __VERBS_ABI_IS_EXTENDED;
	rig->ctx.status_page = &rig->status;
	rig->status.epoch = htole32(RIG_EPOCH);
	rig->ctx.info = (struct tally_uresp_alloc_ucontext){
		.epoch = RIG_EPOCH,
		.max_inline = TALLY_MAX_INLINE,
		.max_sge = TALLY_MAX_SGE,
		.max_sq_depth = TALLY_MAX_SQ_DEPTH,
		.max_cq_depth = TALLY_MAX_CQ_DEPTH,
	};
	tally_ops_init(&rig->ctx.ops, RIG_CAPS, UINT32_MAX, TALLY_CAP_TREE, false);
	init_cq(rig, &rig->cq, cq_depth, SLOT_CQ);
	init_cq(rig, &rig->other_cq, cq_depth, SLOT_OTHER_CQ);
	init_qp(rig, &rig->qp, &rig->cq, max_send_wr, RIG_QPN, SLOT_QP);
	init_qp(rig, &rig->other, &rig->other_cq, max_send_wr, RIG_QPN + 1, SLOT_OTHER);
	return rig;
}

void rig_free(struct rig *rig)
{
	tally_qp_free_queue(&rig->qp);
	tally_qp_free_queue(&rig->other);
	tally_cq_free_queue(&rig->cq);
	tally_cq_free_queue(&rig->other_cq);
	free(rig);
}

const struct tally_wqe *rig_wqe(const struct rig *rig, uint64_t index)
{
	return (const void *)(rig->qp.sq +
			      ((index & rig->qp.tracker.mask) << rig->qp.stride_shift));
}

static size_t wqe_bytes(const struct tally_wqe *w)
{
	return sizeof(*w) + TALLY_ROUND_UP(le32toh(w->inline_len), 16) +
	       (w->num_gather + w->num_result) * sizeof(struct tally_sge);
}

bool rig_is_pushed(const struct rig *rig, uint64_t posted)
{
	const struct tally_push_line *line = tally_push_first(rig->qp.push, posted);
	const uint8_t *entry = (const uint8_t *)rig_wqe(rig, posted - 1);
	size_t left = wqe_bytes(rig_wqe(rig, posted - 1)), n;

	for (; left; left -= n, entry += n, line++) {
		n = left < sizeof(line->data) ? left : sizeof(line->data);
		if (le64toh(line->posted) != posted || memcmp(line->data, entry, n))
			return false;
	}
	return true;
}

struct tally_cqe rig_cqe(uint32_t qpn, uint32_t index, uint8_t opcode, uint8_t status,
			 uint16_t coll_status)
{
	return (struct tally_cqe){
		.qpn = htole32(qpn),
		.wqe_index = htole32(index),
		.byte_cnt = htole32(0x1100),
		.jid = htole32(RIG_JID),
		.mid = htole32(0x2200),
		.sid = htole32(0x3300),
		.contributors = htole64(0x4444444444444444),
		.ranks = htole64(0x5555555555555555),
		.timestamp = htole64(0x6666666666666666),
		.elapsed = htole32(0x77777777),
		.seg = htole16(0x88),
		.detector = htole16(0x99),
		.err_vector = htole16(TALLY_ERR_FP_INEXACT),
		.coll_status = htole16(coll_status),
		.status = status,
		.opcode = opcode,
		.flags = opcode == TALLY_OPCODE_QUERY ? TALLY_CQE_F_NO_RETIRE : 0,
	};
}

void rig_write(struct rig *rig, struct tally_cqe cqe)
{
	uint64_t entry = rig->produced++;

	cqe.owner = entry / rig->cq.depth % 2 ? 0 : TALLY_OWNER_PHASE;
	rig->cq.ring[entry % rig->cq.depth] = cqe;
}

int rig_post(struct rig *rig, uint8_t opcode, uint64_t wr_id)
{
	struct tallydv_send_wr wr = {
		.wr = { .wr_id = wr_id, .opcode = IBV_WR_DRIVER1 },
		.coll = { .opcode = opcode },
	};
	struct ibv_send_wr *bad = NULL;
	int err;

	if (opcode == TALLY_OPCODE_ALLREDUCE) {
		wr.coll.op = TALLY_OP_SUM;
		wr.coll.dtype = TALLY_TYPE_FP64;
	}
	err = tally_post_send(&rig->qp.vqp.qp, &wr.wr, &bad);

	assert_ptr_equal(bad, err ? &wr.wr : NULL);
	return err;
}

void rig_complete(struct rig *rig, uint32_t index, uint8_t opcode)
{
	rig_write(rig, rig_cqe(RIG_QPN, index, opcode, TALLY_WC_SUCCESS, TALLY_COLL_OK));
}
