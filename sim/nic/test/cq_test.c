// SPDX-License-Identifier: BSD-2-Clause
/* Completion and event queues: phases, wrap, overrun, arming. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "nic/test/host.h"
#ifdef TEST_UNITS
#include "rtl/rtl.h"
#endif

static int setup(void **state)
{
	struct host *h = host_new(NULL, sim_new(1));

	host_objects(h);
	*state = h;
	return 0;
}

static int teardown(void **state)
{
	struct host *h = *state;
	struct sim *sim = h->sim;

	host_free(h);
	sim_free(sim);
	return 0;
}

static void complete(struct host *h, uint32_t index, bool solicited)
{
	host_complete(h, index, solicited);
	host_run(h);
}

static void consume(struct host *h, uint64_t count)
{
	h->cq_record->consumed = htole64(count);
}

/* Ask for an event as the driver does: the count of requests times 2, and the flag. */
static void arm(struct host *h, uint64_t request, bool solicited)
{
	h->cq_slot->counter = h->cq_record->consumed;
	h->cq_slot->arm = htole64(request * 2 + (solicited ? TALLY_CQ_ARM_SOLICITED : 0));
}

/* Units need time for what the model does at once. */
static void settle(struct host *h)
{
	if (host_units)
		assert_true(sim_run_idle(h->sim, sim_now(h->sim) + VT_S));
}

static void phase_and_wrap(void **state)
{
	struct host *h = *state;
	uint32_t i;

	for (i = 0; i < 5 * HOST_CQ_DEPTH; i++) {
		struct tally_cqe *cqe = host_cqe(h, i % HOST_CQ_DEPTH);
		uint8_t phase = i / HOST_CQ_DEPTH % 2 ? 0 : TALLY_OWNER_PHASE;
		vtime_t before = sim_now(h->sim);

		assert_int_not_equal(cqe->owner, phase);
		complete(h, i, false);
		assert_int_equal(cqe->owner, phase);
		assert_int_equal(le32toh(cqe->wqe_index), i);
		/* The record may have been read after the write. */
		assert_in_range(le64toh(cqe->timestamp), before / VT_NS + 1,
				sim_now(h->sim) / VT_NS);
		consume(h, i + 1);
	}
	assert_int_equal(nic_counter(h->nic, TALLY_CTR_cqes), 5 * HOST_CQ_DEPTH);
	assert_int_equal(h->interrupts[1], 0);
}

static void elapsed(void **state)
{
	struct host *h = *state;
	vtime_t rung;

	sim_run_until(h->sim, VT_MS);	/* a whole number of nanoseconds */
	h->qp_slot->counter = htole64(1);
	nic_doorbells(h->nic);
	rung = sim_now(h->sim);
	sim_run_until(h->sim, rung + 3 * VT_US);
	h->qp_slot->counter = htole64(3);
	nic_doorbells(h->nic);
	sim_run_until(h->sim, rung + 5 * VT_US);
	complete(h, 0, false);
	complete(h, 2, false);
	assert_int_equal(le32toh(host_cqe(h, 0)->elapsed),
			 le64toh(host_cqe(h, 0)->timestamp) - rung / VT_NS);
	assert_int_equal(le32toh(host_cqe(h, 1)->elapsed),
			 le64toh(host_cqe(h, 1)->timestamp) - rung / VT_NS - 3000);
	sim_run_until(h->sim, rung + 5 * VT_S);
	complete(h, 0, false);
	assert_int_equal(le32toh(host_cqe(h, 2)->elapsed), UINT32_MAX);
}

/* A result whose write has been answered is in memory before its completion. */
static void after_writes(void **state)
{
	struct host *h = *state;
	struct engine_sge sge = { HOST_IOVA, 4096, HOST_LKEY };
	uint8_t data[4096];

	memset(data, 0x77, sizeof(data));
	h->engine->host->write(h->engine->ctx, HOST_PD, &sge, data, 1, 0);
	while (h->engine->write_tag != 1)
		sim_run_until(h->sim, sim_now(h->sim) + VT_NS);
	host_complete(h, 0, false);
	while (!host_cqe(h, 0)->owner)
		sim_run_until(h->sim, sim_now(h->sim) + VT_NS);
	assert_memory_equal(host_ptr(h, h->mr), data, sizeof(data));
}

static void overrun(void **state)
{
	struct host *h = *state;
	union admin_body m = { .raw = { 0 } };
	struct tally_admin_cqe cqe;
	uint32_t i;

	for (i = 0; i < HOST_CQ_DEPTH; i++)
		complete(h, i, false);
	assert_int_equal(h->engine->modified, 0);
	assert_int_equal(h->engine->lost, 0);
	complete(h, 4, false);
	assert_int_equal(nic_counter(h->nic, TALLY_CTR_cq_overruns), 1);
	assert_int_equal(h->engine->modified, 1);
	assert_int_equal(h->engine->modified_qpn, HOST_QPN);
	assert_int_equal(h->engine->modified_state, TALLY_QPS_ERROR);
	assert_int_equal(h->engine->lost, 1);
	assert_int_equal(h->engine->lost_qpn, HOST_QPN);
	assert_int_equal(host_eqe(h, 0)->etype, TALLY_EQE_CQ_ERROR);
	assert_int_equal(le32toh(host_eqe(h, 0)->id), HOST_CQN);
	assert_int_equal(le32toh(host_cqe(h, 0)->wqe_index), 0);
	/* Room comes too late; the event is raised once. */
	consume(h, 4);
	complete(h, 5, false);
	assert_int_equal(nic_counter(h->nic, TALLY_CTR_cq_overruns), 2);
	assert_int_equal(nic_counter(h->nic, TALLY_CTR_cqes), 4);
	assert_int_equal(h->interrupts[1], 1);
	m.modify_qp.qpn = htole32(HOST_QPN);
	m.modify_qp.state = TALLY_QPS_RTS;
	cqe = host_command(h, TALLY_ADMIN_MODIFY_QP, &m);
	assert_int_equal(le16toh(cqe.status), TALLY_ADMIN_STATUS_BAD_STATE);
}

/* The consumer frees one entry at the last moment. */
static void full_is_not_overrun(void **state)
{
	struct host *h = *state;
	uint32_t i;

	for (i = 0; i < HOST_CQ_DEPTH; i++)
		complete(h, i, false);
	consume(h, 1);
	complete(h, 4, false);
	assert_int_equal(nic_counter(h->nic, TALLY_CTR_cq_overruns), 0);
	assert_int_equal(le32toh(host_cqe(h, 0)->wqe_index), 4);
}

/* Impossible counts make no room. */
static void hostile_count(void **state)
{
	static const uint64_t counts[] = { 5, 1000, UINT64_MAX, 1ull << 63 };
	struct host *h = *state;
	uint32_t i;

	for (i = 0; i < HOST_CQ_DEPTH; i++) {
		consume(h, counts[i % 4]);
		complete(h, i, false);
	}
	assert_int_equal(nic_counter(h->nic, TALLY_CTR_cqes), 4);
	consume(h, 1000);
	complete(h, 4, false);
	assert_int_equal(nic_counter(h->nic, TALLY_CTR_cq_overruns), 1);
}

/* A record that goes backwards makes no room, but does not reduce the room known before. */
static void record_backwards(void **state)
{
	struct host *h = *state;
	uint32_t i;

	for (i = 0; i < HOST_CQ_DEPTH; i++)
		complete(h, i, false);
	consume(h, 3);
	for (; i < HOST_CQ_DEPTH + 3; i++) {
		complete(h, i, false);
		consume(h, 2);
	}
	assert_int_equal(nic_counter(h->nic, TALLY_CTR_cqes), HOST_CQ_DEPTH + 3);
	assert_int_equal(nic_counter(h->nic, TALLY_CTR_cq_overruns), 0);
	complete(h, i, false);
	assert_int_equal(nic_counter(h->nic, TALLY_CTR_cq_overruns), 1);
	assert_int_equal(host_eqe(h, 0)->etype, TALLY_EQE_CQ_ERROR);
}

/* Return the time from the engine's completion to the CQE in memory. */
static vtime_t time_to_write(struct host *h, uint32_t index)
{
	uint64_t written = nic_counter(h->nic, TALLY_CTR_cqes);
	vtime_t start = sim_now(h->sim);

	host_complete(h, index, false);
	while (nic_counter(h->nic, TALLY_CTR_cqes) == written)
		sim_run_until(h->sim, sim_now(h->sim) + VT_NS);
	return sim_now(h->sim) - start;
}

/*
 * If the consumer keeps up, no entry is delayed, because the record is read in advance. An entry
 * for which no room is known waits for a read. Later writes wait with it, so the order is kept.
 */
static void room_is_read(void **state)
{
	const vtime_t read = nic_timing_default.pcie_read_ns * VT_NS;
	struct engine_sge sge = { HOST_IOVA, 8, HOST_LKEY };
	struct host *h = *state;
	const vtime_t edge = host_units ? 16 * VT_NS : 0; /* a few clocks */
	vtime_t usual = time_to_write(h, 0), late;
	uint64_t data = UINT64_MAX;
	uint32_t i;

	for (i = 1; i < 3 * HOST_CQ_DEPTH; i++) {
		consume(h, i);
		assert_in_range(time_to_write(h, i), usual - edge, usual + edge);
		assert_true(sim_run_idle(h->sim, sim_now(h->sim) + VT_S));
	}
	for (; i < 4 * HOST_CQ_DEPTH - 1; i++)
		complete(h, i, false);
	consume(h, i);
	host_complete(h, i, false);
	h->engine->host->write(h->engine->ctx, HOST_PD, &sge, &data, 1, 0);
	late = sim_now(h->sim) + read;
	sim_run_until(h->sim, late);
	assert_int_equal(nic_counter(h->nic, TALLY_CTR_cqes), i);
	if (!host_units) /* which hold up completions only */
		assert_int_equal(*(uint64_t *)host_ptr(h, h->mr), 0);
	host_run(h);
	assert_int_equal(nic_counter(h->nic, TALLY_CTR_cqes), i + 1);
	assert_int_equal(*(uint64_t *)host_ptr(h, h->mr), data);
	assert_int_equal(nic_counter(h->nic, TALLY_CTR_cq_overruns), 0);
}

/*
 * More entries are in flight than there is room for: those that fit are written, the others are
 * lost.
 */
static void burst(void **state)
{
	struct host *h = *state;
	uint32_t i;

	for (i = 0; i < HOST_CQ_DEPTH + 2; i++)
		host_complete(h, i, false);
	host_run(h);
	assert_int_equal(nic_counter(h->nic, TALLY_CTR_cqes), HOST_CQ_DEPTH);
	assert_int_equal(nic_counter(h->nic, TALLY_CTR_cq_overruns), 2);
	for (i = 0; i < HOST_CQ_DEPTH; i++)
		assert_int_equal(le32toh(host_cqe(h, i)->wqe_index), i);
}

/* The queue is destroyed while its record is being read. */
static void destroyed_while_reading(void **state)
{
	struct host *h = *state;
	uint32_t i;

	for (i = 0; i < HOST_CQ_DEPTH + 1; i++)
		host_complete(h, i, false);
	qp_free(h->nic, h->nic->qp[HOST_QPN]);
	cq_free(h->nic, h->nic->cq[HOST_CQN]);
	host_run(h);
	assert_int_equal(nic_counter(h->nic, TALLY_CTR_cqes), 0);
}

static void record_gone(void **state)
{
	struct host *h = *state;
	uint32_t i;

	h->hole = h->cq_ring + HOST_CQ_DEPTH * sizeof(struct tally_cqe);
	h->hole_bytes = 1;
	for (i = 0; i < HOST_CQ_DEPTH; i++)
		complete(h, i, false);
	assert_int_equal(nic_counter(h->nic, TALLY_CTR_cqes), HOST_CQ_DEPTH);
	assert_int_not_equal(nic_counter(h->nic, TALLY_CTR_dma_errors), 0);
	complete(h, i, false);
	assert_int_equal(nic_counter(h->nic, TALLY_CTR_cq_overruns), 1);
}

static void ring_gone(void **state)
{
	struct host *h = *state;

	h->hole = h->cq_ring;
	h->hole_bytes = 1;
	complete(h, 0, false);
	assert_int_equal(nic_counter(h->nic, TALLY_CTR_dma_errors), 1);
	if (!host_units) /* which count an entry that is not written only once */
		assert_int_equal(nic_counter(h->nic, TALLY_CTR_cq_overruns), 1);
	assert_int_equal(host_eqe(h, 0)->etype, TALLY_EQE_CQ_ERROR);
}

static void armed_then_completion(void **state)
{
	struct host *h = *state;

	arm(h, 1, false);
	host_run(h);
	assert_int_equal(h->interrupts[1], 0);
	complete(h, 0, false);
	assert_int_equal(h->interrupts[1], 1);
	assert_int_equal(host_eqe(h, 0)->etype, TALLY_EQE_CQ);
	assert_int_equal(le32toh(host_eqe(h, 0)->id), HOST_CQN);
	assert_int_equal(host_eqe(h, 0)->owner, TALLY_OWNER_PHASE);
	/* One request causes one event. */
	complete(h, 1, false);
	assert_int_equal(h->interrupts[1], 1);
	consume(h, 2);
	arm(h, 2, false);
	host_run(h);
	assert_int_equal(h->interrupts[1], 1);
	complete(h, 2, false);
	assert_int_equal(h->interrupts[1], 2);
}

/*
 * The consumer polled, found nothing and armed; the entry was written before the device saw the
 * request. The device sees the request with the entry, or at a later check.
 */
static void arm_races(void **state)
{
	struct host *h = *state;

	host_complete(h, 0, false);
	arm(h, 1, false);
	assert_true(sim_run_idle(h->sim, sim_now(h->sim) + VT_S));	/* no check before */
	assert_int_equal(h->interrupts[1], 1);
	consume(h, 1);
	complete(h, 1, false);
	assert_int_equal(h->interrupts[1], 1);
	arm(h, 2, false);
	host_run(h);
	assert_int_equal(h->interrupts[1], 2);
	/* All entries are consumed, so there is no event. */
	consume(h, 2);
	arm(h, 3, false);
	host_run(h);
	assert_int_equal(h->interrupts[1], 2);
}

static void solicited(void **state)
{
	struct host *h = *state;
	struct tally_cqe failed = { .qpn = htole32(HOST_QPN), .status = TALLY_WC_GENERAL_ERR };

	arm(h, 1, true);
	complete(h, 0, false);
	assert_int_equal(h->interrupts[1], 0);
	complete(h, 1, true);
	assert_int_equal(h->interrupts[1], 1);
	consume(h, 2);
	arm(h, 2, true);
	h->engine->host->complete(h->engine->ctx, HOST_CQN, &failed, false, 0);
	host_run(h);
	assert_int_equal(h->interrupts[1], 2);
	/*
	 * The request is seen late: first with a solicited entry before an ordinary one, then
	 * without.
	 */
	consume(h, 3);
	complete(h, 3, true);
	complete(h, 4, false);
	arm(h, 3, true);
	host_run(h);
	assert_int_equal(h->interrupts[1], 3);
	consume(h, 4);
	arm(h, 4, true);
	host_run(h);
	assert_int_equal(h->interrupts[1], 3);
	/* Widened, and not narrowed again. */
	consume(h, 5);
	arm(h, 5, false);
	host_run(h);
	arm(h, 6, true);
	host_run(h);
	complete(h, 5, false);
	assert_int_equal(h->interrupts[1], 4);
}

static void stale_arm(void **state)
{
	struct host *h = *state;

	arm(h, 5, false);
	complete(h, 0, false);
	assert_int_equal(h->interrupts[1], 1);
	arm(h, 4, false);
	complete(h, 1, false);
	assert_int_equal(h->interrupts[1], 1);
}

static void raise_event(struct host *h, uint32_t id)
{
	h->engine->host->event(h->engine->ctx, TALLY_EQE_GROUP_DEAD, id, 0x1122334455ull);
	host_run(h);
}

static void eq_wrap(void **state)
{
	struct host *h = *state;
	uint32_t i;

	for (i = 0; i < 3 * HOST_EQ_DEPTH; i++) {
		raise_event(h, i);
		assert_int_equal(host_eqe(h, i % HOST_EQ_DEPTH)->owner,
				 i / HOST_EQ_DEPTH % 2 ? 0 : TALLY_OWNER_PHASE);
		assert_int_equal(le32toh(host_eqe(h, i % HOST_EQ_DEPTH)->id), i);
		assert_int_equal(le64toh(host_eqe(h, i % HOST_EQ_DEPTH)->data), 0x1122334455ull);
		h->control->eq_db[HOST_EQN].ci = htole64(i + 1);
	}
	assert_int_equal(h->interrupts[1], 3 * HOST_EQ_DEPTH);
}

static void eq_overrun(void **state)
{
	struct host *h = *state;
	uint32_t i;

	for (i = 0; i < HOST_EQ_DEPTH; i++)
		raise_event(h, i);
	assert_int_equal(le32toh(h->ident->state), TALLY_DEVICE_READY);
	h->control->eq_db[HOST_EQN].ci = htole64(HOST_EQ_DEPTH + 1);	/* impossible */
	raise_event(h, i);
	assert_int_equal(le32toh(h->ident->state), TALLY_DEVICE_FATAL);
	assert_int_equal(le32toh(h->ident->fatal_code), TALLY_FATAL_EQ_OVERRUN);
	assert_int_equal(le32toh(host_eqe(h, 0)->id), 0);
	/*
	 * If the queue cannot tell the driver, vector 0 does. After that the device raises nothing.
	 */
	i = h->interrupts[0];
	assert_true(i > 0);
	h->qp_slot->counter = htole64(1);
	arm(h, 1, false);
	host_run(h);
	assert_int_equal(h->engine->doorbells, 0);
	assert_int_equal(h->interrupts[0], i);
	host_objects(h);
	assert_int_equal(le32toh(h->ident->state), TALLY_DEVICE_READY);
}

/*
 * A process arms faster than the driver consumes events. Requests wait, and the queue keeps room
 * for other events.
 */
static void arm_flood(void **state)
{
	const uint32_t room = HOST_EQ_DEPTH / 2;
	struct host *h = *state;
	uint32_t i;

	complete(h, 0, false);
	for (i = 1; i <= 2 * HOST_EQ_DEPTH; i++) {
		arm(h, i, false);
		assert_true(nic_doorbells(h->nic));
		settle(h);
	}
	assert_int_equal(h->interrupts[1], room);
	for (i = 0; i < HOST_EQ_DEPTH - room; i++)
		raise_event(h, i);
	assert_int_equal(le32toh(h->ident->state), TALLY_DEVICE_READY);
	assert_int_equal(h->interrupts[1], HOST_EQ_DEPTH);
	/*
	 * The request that waits is not lost. The requests before it cause only one event in all.
	 */
	h->control->eq_db[HOST_EQN].ci = htole64(HOST_EQ_DEPTH);
	assert_true(nic_doorbells(h->nic));
	settle(h);
	assert_int_equal(h->interrupts[1], HOST_EQ_DEPTH + 1);
	assert_false(nic_doorbells(h->nic));
}

/* Create a completion queue and arm it. Returns its slot. */
static struct tally_uar_slot *another_armed(struct host *h, uint32_t number, uint32_t eqn)
{
	union admin_body cq = host_create_cq(h);
	struct tally_uar_slot *slot = h->cq_slot + number;

	memset(slot, 0, sizeof(*slot));
	cq.create_cq.cqn = htole32(HOST_CQN + number);
	cq.create_cq.eqn = htole32(eqn);
	cq.create_cq.slot = htole16((uint16_t)(1 + number));
	host_must(h, TALLY_ADMIN_CREATE_CQ, &cq);
	slot->arm = htole64(2);
	return slot;
}

/*
 * More queues are armed than half of the event queue has entries: each event that finds room comes,
 * and each other one when the driver has consumed.
 */
static void more_armed_than_room(void **state)
{
	const uint32_t room = HOST_EQ_DEPTH / 2, num = HOST_EQ_DEPTH;
	struct host *h = *state;
	uint32_t i;

	for (i = 1; i <= num; i++) {
		another_armed(h, i, HOST_EQN);
		assert_true(nic_doorbells(h->nic));
		assert_false(nic_doorbells(h->nic));
	}
	for (; i > 1; i--)
		h->engine->host->complete(h->engine->ctx, HOST_CQN + i - 1, &(struct tally_cqe){ 0 },
					  false, 0);
	host_run(h);
	assert_int_equal(h->interrupts[1], room);
	assert_true(nic_doorbells(h->nic));	/* it does not go to sleep */
	assert_true(nic_doorbells(h->nic));
	for (i = 1; i <= room; i++) {
		h->control->eq_db[HOST_EQN].ci = htole64(i);
		nic_doorbells(h->nic);
		settle(h);
		assert_int_equal(h->interrupts[1], room + i);
	}
	h->control->eq_db[HOST_EQN].ci = htole64(num);
	nic_doorbells(h->nic);
	settle(h);
	assert_int_equal(h->interrupts[1], num);
	assert_false(nic_doorbells(h->nic));
}

/* Queues that request events again and again have the places of their event queue in turn. */
static void in_turn(void **state)
{
	enum { NUM = HOST_EQ_DEPTH, ROUNDS = 4 };
	struct tally_uar_slot *slots[NUM];
	unsigned int events[NUM] = { 0 };
	struct host *h = *state;
	uint32_t i, number;

	for (i = 0; i < NUM; i++) {
		slots[i] = another_armed(h, 1 + i, HOST_EQN);
		nic_doorbells(h->nic);
		h->engine->host->complete(h->engine->ctx, HOST_CQN + 1 + i,
					  &(struct tally_cqe){ 0 }, false, 0);
		host_run(h);
	}
	for (i = 0; i < ROUNDS * NUM; i++) {
		number = le32toh(host_eqe(h, i % HOST_EQ_DEPTH)->id) - HOST_CQN - 1;
		assert_in_range(number, 0, NUM - 1);
		events[number]++;
		slots[number]->arm = htole64(le64toh(slots[number]->arm) + 2);
		nic_doorbells(h->nic);
		settle(h);
		h->control->eq_db[HOST_EQN].ci = htole64(i + 1);
		nic_doorbells(h->nic);
		settle(h);
	}
	for (i = 0; i < NUM; i++)
		assert_in_range(events[i], ROUNDS - 1, ROUNDS + 1);
}

/* A completion comes when there is room again, and an event of another queue has waited for it. */
static void new_events_wait_behind(void **state)
{
	const uint32_t room = HOST_EQ_DEPTH / 2, waits = room + 1, late = room + 2;
	struct host *h = *state;
	uint32_t i;

	for (i = 1; i <= late; i++) {
		another_armed(h, i, HOST_EQN);
		nic_doorbells(h->nic);
		settle(h);
	}
	for (i = 1; i <= waits; i++) {
		h->engine->host->complete(h->engine->ctx, HOST_CQN + i, &(struct tally_cqe){ 0 }, false, 0);
		host_run(h);
	}
	assert_int_equal(h->interrupts[1], room);
	h->control->eq_db[HOST_EQN].ci = htole64(1);
	h->engine->host->complete(h->engine->ctx, HOST_CQN + late, &(struct tally_cqe){ 0 }, false, 0);
	assert_true(sim_run_idle(h->sim, sim_now(h->sim) + VT_S)); /* before the device looks at doorbells */
	nic_doorbells(h->nic);
	settle(h);
	assert_int_equal(h->interrupts[1], room + 1);
	assert_int_equal(le32toh(host_eqe(h, room)->id), HOST_CQN + waits);
	h->control->eq_db[HOST_EQN].ci = htole64(2);
	nic_doorbells(h->nic);
	settle(h);
	assert_int_equal(h->interrupts[1], room + 2);
	assert_int_equal(le32toh(host_eqe(h, room + 1)->id), HOST_CQN + late);
}

/* An event that waits goes with its queue. */
static void due_and_destroyed(void **state)
{
	const uint32_t room = HOST_EQ_DEPTH / 2;
	union admin_body id = { .raw = { 0 } }, cq;
	struct host *h = *state;
	uint32_t i;

	complete(h, 0, false);
	for (i = 1; i <= room + 1; i++) {
		arm(h, i, false);
		nic_doorbells(h->nic);
		settle(h);
	}
	assert_true(nic_doorbells(h->nic));
	id.object.id = htole32(HOST_QPN);
	host_must(h, TALLY_ADMIN_DESTROY_QP, &id);
	id.object.id = htole32(HOST_CQN);
	host_must(h, TALLY_ADMIN_DESTROY_CQ, &id);
	cq = host_create_cq(h);
	memset(h->cq_slot, 0, sizeof(*h->cq_slot));
	host_must(h, TALLY_ADMIN_CREATE_CQ, &cq);
	settle(h);
	assert_int_equal(h->interrupts[1], room);
	nic_doorbells(h->nic);	/* that of the command */
	assert_false(nic_doorbells(h->nic));
	h->control->eq_db[HOST_EQN].ci = htole64(room);
	nic_doorbells(h->nic);
	settle(h);
	assert_int_equal(h->interrupts[1], room);
	/* The new one has requests and events of its own. */
	arm(h, 1, false);
	h->engine->host->complete(h->engine->ctx, HOST_CQN, &(struct tally_cqe){ 0 }, false, 0);
	host_run(h);
	assert_int_equal(h->interrupts[1], room + 1);
}

/*
 * Two queues are due at the same time, with event queues of their own. The event of the first
 * cannot be written, so the device stops, and the second gets none.
 */
static void no_event_after_the_stop(void **state)
{
	struct host *h = *state;
	uint64_t broken = h->eq_ring;
	union admin_body eq = host_create_eq(h);
	uint32_t i;

	eq.create_eq.eqn = htole32(1);
	eq.create_eq.vector = htole32(2);
	host_must(h, TALLY_ADMIN_CREATE_EQ, &eq);
	arm(h, 0, false);
	another_armed(h, 1, 1)->arm = 0;
	for (i = 0; i < 2; i++)
		h->engine->host->complete(h->engine->ctx, HOST_CQN + i, &(struct tally_cqe){ 0 },
					  false, 0);
	host_run(h);
	h->hole = broken;
	h->hole_bytes = 1;
	h->cq_slot[0].arm = h->cq_slot[1].arm = htole64(2);
	nic_doorbells(h->nic);
	host_run(h);
	assert_int_equal(le32toh(h->ident->fatal_code), TALLY_FATAL_EQ_DMA);
	assert_int_equal(h->interrupts[2], 0);
	assert_int_equal(host_eqe(h, 0)->owner, 0);
}

static void eq_unreachable(void **state)
{
	struct host *h = *state;

	h->hole = h->eq_ring;
	h->hole_bytes = 1;
	raise_event(h, 1);
	assert_int_equal(le32toh(h->ident->fatal_code), TALLY_FATAL_EQ_DMA);
}

/* Another event queue overruns, and event queue 0 tells why the device stopped. */
static void device_fatal_event(void **state)
{
	struct host *h = *state;

	nic_fatal(h->nic, TALLY_FATAL_AQ_DMA);
	assert_int_equal(host_eqe(h, 0)->etype, TALLY_EQE_DEVICE_FATAL);
	assert_int_equal(le64toh(host_eqe(h, 0)->data), TALLY_FATAL_AQ_DMA);
	assert_int_equal(h->interrupts[1], 1);
	nic_fatal(h->nic, TALLY_FATAL_AQ_DMA);
	assert_int_equal(h->interrupts[1], 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(phase_and_wrap), TEST(elapsed), TEST(after_writes), TEST(overrun),
		TEST(full_is_not_overrun), TEST(hostile_count), TEST(record_backwards), TEST(room_is_read),
		TEST(burst), TEST(destroyed_while_reading), TEST(record_gone), TEST(ring_gone),
		TEST(armed_then_completion), TEST(arm_races), TEST(solicited), TEST(stale_arm),
		TEST(eq_wrap), TEST(eq_overrun), TEST(arm_flood),
		TEST(more_armed_than_room), TEST(in_turn), TEST(new_events_wait_behind),
		TEST(due_and_destroyed),
		TEST(no_event_after_the_stop), TEST(eq_unreachable), TEST(device_fatal_event),
	};

#ifdef TEST_UNITS
	host_units = rtl_units();
#endif
	return cmocka_run_group_tests_name("completion and event queues", tests, NULL, NULL);
}
