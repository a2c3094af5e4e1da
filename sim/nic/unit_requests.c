// SPDX-License-Identifier: BSD-2-Clause
/*
 * Send queues and doorbells of units that take work requests (struct request of docs/registers.md): what the
 * firmware writes to registers, and what the host writes to BAR2. The host's stores cannot be seen one by
 * one, so a doorbell comes when it is noticed, with the lines that were pushed before it.
 */
#include <stddef.h>
#include <string.h>

#include "gen/tally_fw_hw.h"
#include "nic/priv.h"
#include "tally-push.h"

#define REG(field)	(TALLY_FW_REQUEST_BASE + offsetof(struct tally_fw_request, field))

static void put(struct nic *nic, uint32_t reg, uint32_t value)
{
	units_table(nic, reg, value);
}

static void go(struct nic *nic, enum tally_fw_request_code code, uint32_t number)
{
	put(nic, REG(go), code | number << 16);
}

static void put_slot(struct nic *nic, struct slot_id id, bool push)
{
	put(nic, REG(uar), id.uar);
	put(nic, REG(slot), id.slot);
	put(nic, REG(push), push);
}

static void put_queue(struct nic *nic, const struct qp *qp)
{
	put(nic, REG(offset), qp->sq.offset);
	put(nic, REG(addr), (uint32_t)qp->sq.addr);
	put(nic, REG(addr) + sizeof(uint32_t), qp->sq.addr >> 32);
	put(nic, REG(levels), qp->sq.levels);
	put(nic, REG(page_shift), qp->sq.page_shift);
	put(nic, REG(log_depth), (uint32_t)__builtin_ctz(qp->depth));
	put(nic, REG(log_stride), (uint32_t)__builtin_ctz(qp->stride));
}

void unit_qp_create(struct nic *nic, const struct qp *qp)
{
	if (!nic->units)
		return;
	put_queue(nic, qp);
	go(nic, TALLY_FW_REQUEST_CREATE_QP, qp->qpn);
	put_slot(nic, qp->slot_id, qp->push);
	go(nic, TALLY_FW_REQUEST_BIND_QP, qp->qpn);
}

void unit_qp_clear(struct nic *nic, const struct qp *qp)
{
	if (!nic->units || !qp->push)
		return;
	put_slot(nic, qp->slot_id, qp->push);
	put(nic, REG(log_stride), (uint32_t)__builtin_ctz(qp->stride));
	go(nic, TALLY_FW_REQUEST_BIND_QP, qp->qpn);
}

void unit_qp_destroy(struct nic *nic, const struct qp *qp)
{
	if (!nic->units)
		return;
	put_slot(nic, qp->slot_id, qp->push);
	go(nic, TALLY_FW_REQUEST_UNBIND, 0);
	go(nic, TALLY_FW_REQUEST_RESET_QP, qp->qpn);
}

static void push(struct nic *nic, const struct qp *qp, const struct pushed *pushed)
{
	uint32_t buffer = TALLY_BAR_PUSH_OFFSET + qp->slot_id.uar * TALLY_PUSH_SIZE;
	uint32_t half = buffer + pushed->posted % 2 * TALLY_PUSH_LINES * sizeof(struct tally_push_line);
	size_t used, i;
	struct tally_wqe w;

	memcpy(&w, pushed->wqe, sizeof(w));
	used = push_used(&w);
	for (i = 0; i < tally_push_lines(used); i++) {
		struct tally_push_line line = { .posted = htole64(pushed->posted) };
		size_t from = i * TALLY_PUSH_PIECE, left = used - from;

		memcpy(line.data, pushed->wqe + from, left < TALLY_PUSH_PIECE ? left : TALLY_PUSH_PIECE);
		units_bar_write(nic, half + i * sizeof(line), &line, sizeof(line));
	}
}

static uint32_t slot_offset(struct slot_id id)
{
	return TALLY_BAR_UAR_OFFSET + id.uar * TALLY_PAGE_SIZE + id.slot * sizeof(struct tally_uar_slot);
}

void unit_qp_doorbell(struct nic *nic, const struct qp *qp, uint64_t posted, const struct pushed *pushed)
{
	__le64 count = htole64(posted);

	if (pushed)
		push(nic, qp, pushed);
	units_bar_write(nic, slot_offset(qp->slot_id) + offsetof(struct tally_uar_slot, counter), &count,
			sizeof(count));
}

void unit_cq_bind(struct nic *nic, const struct cq *cq)
{
	put_slot(nic, cq->slot_id, false);
	go(nic, TALLY_FW_REQUEST_BIND_CQ, cq->cqn);
}

void unit_cq_unbind(struct nic *nic, const struct cq *cq)
{
	put_slot(nic, cq->slot_id, false);
	go(nic, TALLY_FW_REQUEST_UNBIND, 0);
}

void unit_cq_doorbell(struct nic *nic, const struct cq *cq, uint64_t arm)
{
	const struct tally_uar_slot slot = {
		.counter = htole64(bar_load64(&cq->slot->counter)),
		.arm = htole64(arm),
	};

	_Static_assert(offsetof(struct tally_uar_slot, counter) == 0 &&
		       offsetof(struct tally_uar_slot, arm) == sizeof(slot.counter),
		       "a slot begins with them");
	units_bar_write(nic, slot_offset(cq->slot_id), &slot,
			sizeof(slot.counter) + sizeof(slot.arm));
}
