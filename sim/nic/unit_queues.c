// SPDX-License-Identifier: BSD-2-Clause
/*
 * Registers of completion and event queues that are units of hardware (struct queue of
 * docs/registers.md): what the firmware and the doorbells of event queues write there.
 */
#include <stddef.h>

#include "gen/tally_fw_hw.h"
#include "nic/priv.h"

#define REG(field)	(TALLY_FW_QUEUE_BASE + offsetof(struct tally_fw_queue, field))

static void put(struct nic *nic, uint32_t reg, uint64_t value)
{
	units_table(nic, reg, (uint32_t)value);
}

static void put64(struct nic *nic, uint32_t reg, uint64_t value)
{
	put(nic, reg, value);
	put(nic, reg + sizeof(uint32_t), value >> 32);
}

static void go(struct nic *nic, enum tally_fw_queue_code code, uint32_t number)
{
	put(nic, REG(go), code | number << 16);
}

static void put_ring(struct nic *nic, const struct host_mem *ring, uint32_t depth)
{
	put(nic, REG(offset), ring->offset);
	put64(nic, REG(addr), ring->addr);
	put(nic, REG(levels), ring->levels);
	put(nic, REG(page_shift), ring->page_shift);
	put(nic, REG(log_depth), (uint32_t)__builtin_ctz(depth));
}

void unit_cq_create(struct nic *nic, const struct cq *cq)
{
	if (!nic->units)
		return;
	put_ring(nic, &cq->ring, cq->depth);
	put(nic, REG(eqn), cq->eqn);
	go(nic, TALLY_FW_QUEUE_CREATE_CQ, cq->cqn);
	unit_cq_bind(nic, cq);
}

void unit_cq_destroy(struct nic *nic, const struct cq *cq)
{
	if (!nic->units)
		return;
	unit_cq_unbind(nic, cq);
	go(nic, TALLY_FW_QUEUE_DESTROY_CQ, cq->cqn);
}

void unit_eq_create(struct nic *nic, uint32_t eqn, uint32_t depth, uint32_t vector,
		    const struct host_mem *ring)
{
	if (!nic->units)
		return;
	put_ring(nic, ring, depth);
	put(nic, REG(vector), vector);
	go(nic, TALLY_FW_QUEUE_CREATE_EQ, eqn);
}

void unit_eq_destroy(struct nic *nic, uint32_t eqn)
{
	if (nic->units)
		go(nic, TALLY_FW_QUEUE_DESTROY_EQ, eqn);
}

void unit_eq_consumed(struct nic *nic, uint32_t eqn, uint64_t count)
{
	put64(nic, REG(count), count);
	go(nic, TALLY_FW_QUEUE_CONSUMED, eqn);
}
