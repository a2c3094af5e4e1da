// SPDX-License-Identifier: BSD-2-Clause
/*
 * The reset handshake. The driver zeroes aq_db, aq_ci and every eq_db, fills in the admin queue,
 * and changes reset_req last. The device forgets everything, takes the admin queue, and writes
 * epoch, state and, last, reset_ack. All counts begin at 0 again. In READY the device serves the
 * admin queue. In FATAL, fatal_code says what is wrong with the control page, or that the rings
 * which it names cannot be accessed; another reset may follow.
 */
#include "nic/priv.h"

/* Take one ring of @depth entries of @size bytes at @addr. */
static enum tally_fatal take_ring(const struct nic *nic, struct host_mem *ring, uint64_t addr,
				  uint32_t depth, size_t size)
{
	uint64_t len = (uint64_t)depth * size;

	if (addr % size || !mem_contiguous(ring, addr, len))
		return TALLY_FATAL_BAD_CONTROL;
	return mem_present(&nic->bus, ring, len) ? TALLY_FATAL_NONE : TALLY_FATAL_AQ_DMA;
}

static enum tally_fatal take_control(struct nic *nic)
{
	const struct tally_control *c = nic->control;
	struct aq aq = { .depth = bar_load32(&c->aq_depth) };
	enum tally_fatal code;

	if (bar_load32(&c->driver_abi) != TALLY_ABI_VERSION || bar_load32(&c->rsvd0))
		return TALLY_FATAL_BAD_CONTROL;
	if (!is_power_of_two(aq.depth) || aq.depth > TALLY_MAX_AQ_DEPTH)
		return TALLY_FATAL_BAD_CONTROL;
	code = take_ring(nic, &aq.commands, bar_load64(&c->aq_sq_addr), aq.depth,
			 sizeof(struct tally_admin_cmd));
	if (!code)
		code = take_ring(nic, &aq.completions, bar_load64(&c->aq_cq_addr), aq.depth,
				 sizeof(struct tally_admin_cqe));
	if (!code)
		nic->aq = aq;
	return code;
}

bool reset_poll(struct nic *nic)
{
	uint32_t req = bar_load32(&nic->control->reset_req);
	enum tally_fatal code;

	if (req == nic->reset_ack)
		return false;
	nic_drop_all(nic);
	code = take_control(nic);
	bar_store32(&nic->ident->epoch, ++nic->epoch);
	bar_store32(&nic->status->epoch, nic->epoch);
	ident_state(nic, code ? TALLY_DEVICE_FATAL : TALLY_DEVICE_READY, code);
	nic->reset_ack = req;
	bar_store32(&nic->ident->reset_ack, req);
	return true;
}
