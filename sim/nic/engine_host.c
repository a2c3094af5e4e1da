// SPDX-License-Identifier: BSD-2-Clause
/* Requests of the engine to the NIC. Answers are queued, never given from within these calls. */
#include "alu/alu.h"
#include "nic/priv.h"

static void host_fetch_wqe(void *ctx, uint32_t qpn, uint32_t index)
{
	qp_fetch(ctx, qpn, index);
}

static bool host_fetches(void *ctx)
{
	return ((const struct nic *)ctx)->units;
}

static void host_update(void *ctx, const struct engine_update *u)
{
	units_update(ctx, u);
}

static void host_end(void *ctx, const struct engine_end *x)
{
	units_end(ctx, x);
}

static enum tally_coll_status host_check(void *ctx, uint32_t pd, const struct engine_sge *sge,
					 bool write)
{
	return mr_check(ctx, pd, sge, write);
}

static void host_read(void *ctx, uint32_t pd, const struct engine_sge *sge, uint64_t tag,
		      uint64_t delay)
{
	struct nic *nic = ctx;

	if (nic->units)
		unit_engine_read(nic, pd, sge, tag, delay);
	else
		dma_engine_read(nic, pd, sge, tag, delay);
}

static void host_write(void *ctx, uint32_t pd, const struct engine_sge *sge, const void *data,
		       uint64_t tag,
		      uint64_t delay)
{
	struct nic *nic = ctx;

	if (nic->units)
		unit_engine_write(nic, pd, sge, data, tag, delay);
	else
		dma_engine_write(nic, pd, sge, data, tag, delay);
}

static void host_complete(void *ctx, uint32_t cqn, const struct tally_cqe *cqe, bool solicited,
			  uint64_t delay)
{
	cq_complete(ctx, cqn, cqe, solicited, delay);
}

static void host_send(void *ctx, const struct engine_addr *to, const struct tally_tch *tch,
		      const void *payload, size_t len, uint64_t delay)
{
	tx_packet(ctx, to, tch, payload, len, delay, NULL);
}

static void host_send_numbered(void *ctx, const struct engine_name *name,
			       const struct engine_addr *to, const struct tally_tch *tch,
			       const void *payload, size_t len, uint64_t delay)
{
	tx_packet(ctx, to, tch, payload, len, delay, name);
}

static bool host_numbers(void *ctx)
{
	return ((const struct nic *)ctx)->units;
}

static uint16_t host_reduce(void *ctx, uint8_t op, uint8_t type, void *acc, const void *in,
			    uint32_t count)
{
	const struct nic *nic = ctx;

	if (nic->units)
		return nic->units->reduce(nic->unit, op, type, acc, in, count);
	return alu_reduce(op, type, acc, in, count);
}

static void host_table(void *ctx, uint32_t reg, uint32_t value)
{
	struct nic *nic = ctx;

	if (nic->units)
		units_table(nic, reg, value);
}

static bool host_acknowledges(void *ctx)
{
	return ((const struct nic *)ctx)->units;
}

static bool host_stores(void *ctx)
{
	return ((const struct nic *)ctx)->units;
}

static void host_command(void *ctx, enum tally_fw_store_command command, uint32_t group, uint32_t num)
{
	units_command(ctx, command, group, num);
}

static bool host_event_waits(void *ctx)
{
	return units_event_waits(ctx);
}

static void host_take_event(void *ctx)
{
	units_take_event(ctx);
}

static void host_raise(void *ctx, const struct engine_event *ev)
{
	units_raise(ctx, ev);
}

static void host_random(void *ctx, uint64_t number)
{
	units_random(ctx, number);
}

static void host_event(void *ctx, enum tally_eqe_type type, uint32_t id, uint64_t data)
{
	eq_post(ctx, type, id, data);
}

static void host_count(void *ctx, enum tally_counter counter, uint64_t n)
{
	nic_count(ctx, counter, n);
}

const struct engine_host nic_engine_host = {
	.fetches = host_fetches,
	.completes = host_fetches,
	.update = host_update,
	.end = host_end,
	.fetch_wqe = host_fetch_wqe,
	.check = host_check,
	.read = host_read,
	.write = host_write,
	.complete = host_complete,
	.send = host_send,
	.send_numbered = host_send_numbered,
	.numbers = host_numbers,
	.reduce = host_reduce,
	.table = host_table,
	.acknowledges = host_acknowledges,
	.stores = host_stores,
	.command = host_command,
	.delivers = host_stores,
	.triggers = host_stores,
	.queues_events = host_stores,
	.event_waits = host_event_waits,
	.take_event = host_take_event,
	.raises = host_stores,
	.raise = host_raise,
	.fw_sends = host_stores,
	.renews = host_stores,
	.random = host_random,
	.compares = host_stores,
	.event = host_event,
	.count = host_count,
};
