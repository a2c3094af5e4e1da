// SPDX-License-Identifier: BSD-2-Clause
/* Tests injected faults: attributes, effects, counts, resets. */
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

/* Return a fault that makes every call of every object fail, which the test can restrict. */
static union admin_body always(enum tally_inject_fault fault)
{
	union admin_body b = { .raw = { 0 } };

	b.inject.fault = htole32(fault);
	b.inject.probability = htole32(100);
	b.inject.times = htole32(TALLY_INJECT_ALWAYS);
	b.inject.object = htole32(TALLY_INJECT_ANY);
	return b;
}

/* Set a fault. Returns its count so far. */
static uint64_t set(struct host *h, const union admin_body *b)
{
	struct tally_admin_cqe cqe = host_command(h, TALLY_ADMIN_INJECT, b);

	assert_int_equal(le16toh(cqe.status), TALLY_ADMIN_STATUS_OK);
	return le64toh(cqe.value[0]);
}

static uint64_t count(struct host *h, enum tally_inject_fault fault)
{
	union admin_body b = { .raw = { 0 } };

	/* A query ignores the other fields, even if they are nonsense. */
	b.inject.fault = htole32(fault);
	b.inject.action = htole32(TALLY_INJECT_ACTION_QUERY);
	b.inject.probability = htole32(1000);
	b.inject.object = htole32(0x7fffffff);
	b.inject.value = htole32(0x7fffffff);
	return set(h, &b);
}

static void off(struct host *h, enum tally_inject_fault fault)
{
	union admin_body b = always(fault);

	b.inject.probability = 0;
	set(h, &b);
}

static enum tally_coll_status read_by(struct host *h, uint32_t lkey)
{
	struct engine_sge sge = { HOST_IOVA, 64, lkey };

	h->engine->host->read(h->engine->ctx, HOST_PD, &sge, 1, 0);
	host_run(h);
	return h->engine->read_status;
}

static enum tally_coll_status write_by(struct host *h, uint32_t lkey)
{
	struct engine_sge sge = { HOST_IOVA, 64, lkey };
	uint8_t data[64];

	memset(data, 0x5a, sizeof(data));
	h->engine->host->write(h->engine->ctx, HOST_PD, &sge, data, 1, 0);
	host_run(h);
	return h->engine->write_status;
}

static void complete(struct host *h, uint32_t index)
{
	host_complete(h, index, false);
	host_run(h);
}

static void ring(struct host *h, uint64_t posted)
{
	h->qp_slot->counter = htole64(posted);
	host_run(h);
}

static void bad_fields(void **state)
{
	static const struct {
		enum tally_inject_fault fault;
		size_t offset;
		uint32_t value;
	} bad[] = {
#define BAD(name, field, value)                                                                    \
	{ TALLY_INJECT_##name, offsetof(struct tally_cmd_inject, field), value }
		BAD(CORRUPT_CQE, fault, INJECT_NUM_FAULTS),
		BAD(CORRUPT_CQE, fault, UINT32_MAX),
		BAD(CORRUPT_CQE, action, TALLY_INJECT_ACTION_QUERY + 1),
		BAD(CORRUPT_CQE, probability, 101),
		BAD(CORRUPT_CQE, object, TALLY_MAX_CQ),
		BAD(CQ_OVERRUN, object, TALLY_MAX_CQ),
		BAD(LOST_DOORBELL, object, TALLY_MAX_QP),
		BAD(DMA_ERROR, object, TALLY_MAX_MR * 256),
		BAD(DMA_ERROR, object, UINT32_MAX - 1),
		BAD(CORRUPT_CQE, value, offsetof(struct tally_cqe, owner)),
		BAD(CORRUPT_CQE, value, sizeof(struct tally_cqe)),
		BAD(CORRUPT_CQE, value, UINT32_MAX),
		BAD(LOST_DOORBELL, value, 1),
		BAD(DMA_ERROR, value, 1),
		BAD(CQ_OVERRUN, value, 1),
		BAD(CQ_OVERRUN, __rsvd_1c[0], 1),
#undef BAD
	};
	struct host *h = *state;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		union admin_body b = always(bad[i].fault);
		__le32 value = htole32(bad[i].value);
		struct tally_admin_cqe cqe;

		memcpy(b.raw + bad[i].offset, &value, sizeof(value));
		cqe = host_command(h, TALLY_ADMIN_INJECT, &b);
		assert_int_equal(le16toh(cqe.status), TALLY_ADMIN_STATUS_BAD_FIELD);
		assert_int_equal(le16toh(cqe.bad_offset),
				 offsetof(struct tally_admin_cmd, body) + bad[i].offset);
	}
	assert_false(h->nic->inject.armed);
}

/* The largest valid numbers are accepted. */
static void good_fields(void **state)
{
	static const uint32_t largest[] = {
		[TALLY_INJECT_LOST_DOORBELL] = TALLY_MAX_QP - 1,
		[TALLY_INJECT_CORRUPT_CQE] = TALLY_MAX_CQ - 1,
		[TALLY_INJECT_DMA_ERROR] = TALLY_MAX_MR * 256 - 1,
		[TALLY_INJECT_CQ_OVERRUN] = TALLY_MAX_CQ - 1,
	};
	struct host *h = *state;
	uint32_t i;

	for (i = 0; i < INJECT_NUM_FAULTS; i++) {
		union admin_body b = always(i);

		b.inject.object = htole32(largest[i]);
		assert_int_equal(set(h, &b), 0);
		assert_true(h->nic->inject.armed);
		off(h, i);
		assert_false(h->nic->inject.armed);
	}
}

/* interval = n, times = 1: exactly the n-th call fails. */
static void nth_call(void **state)
{
	union admin_body b = always(TALLY_INJECT_DMA_ERROR);
	struct host *h = *state;
	unsigned int i;

	b.inject.interval = htole32(3);
	b.inject.times = htole32(1);
	set(h, &b);
	for (i = 1; i <= 8; i++)
		assert_int_equal(read_by(h, HOST_LKEY),
				 i == 3 ? TALLY_COLL_DMA_ERROR : TALLY_COLL_OK);
	assert_int_equal(count(h, TALLY_INJECT_DMA_ERROR), 1);
	/* When the fault is set again, calls are counted anew, and the count continues. */
	read_by(h, HOST_LKEY);
	assert_int_equal(set(h, &b), 1);
	for (i = 1; i <= 3; i++)
		assert_int_equal(read_by(h, HOST_LKEY),
				 i == 3 ? TALLY_COLL_DMA_ERROR : TALLY_COLL_OK);
	assert_int_equal(count(h, TALLY_INJECT_DMA_ERROR), 2);
}

static void times(void **state)
{
	union admin_body b = always(TALLY_INJECT_DMA_ERROR);
	struct host *h = *state;
	unsigned int i;

	b.inject.times = htole32(2);
	set(h, &b);
	for (i = 0; i < 5; i++)
		assert_int_equal(read_by(h, HOST_LKEY),
				 i < 2 ? TALLY_COLL_DMA_ERROR : TALLY_COLL_OK);
	b.inject.times = 0;
	set(h, &b);
	assert_int_equal(read_by(h, HOST_LKEY), TALLY_COLL_OK);
	assert_int_equal(count(h, TALLY_INJECT_DMA_ERROR), 2);
}

/* Return which of 64 reads fail, as a bitmap. */
static uint64_t dice(struct host *h)
{
	union admin_body b = always(TALLY_INJECT_DMA_ERROR);
	uint64_t failed = 0;
	unsigned int i;

	b.inject.probability = htole32(30);
	set(h, &b);
	for (i = 0; i < 64; i++)
		failed |= (uint64_t)(read_by(h, HOST_LKEY) != TALLY_COLL_OK) << i;
	assert_int_equal(count(h, TALLY_INJECT_DMA_ERROR), __builtin_popcountll(failed));
	return failed;
}

static void same_seed_same_result(void **state)
{
	struct host *h = *state, *other = host_new(NULL, h->sim);
	uint64_t failed = dice(h);
	int n = __builtin_popcountll(failed);

	assert_true(n > 8 && n < 32);
	host_objects(other);
	assert_true(dice(other) == failed);
	host_free(other);
}

static void dma_error(void **state)
{
	union admin_body b = always(TALLY_INJECT_DMA_ERROR), mr;
	struct host *h = *state;
	uint64_t memory = h->mr;

	mr = host_reg_mr(h);
	mr.reg_mr.lkey = htole32(0x500);
	host_must(h, TALLY_ADMIN_REG_MR, &mr);
	b.inject.object = htole32(HOST_LKEY);
	set(h, &b);
	assert_int_equal(read_by(h, HOST_LKEY), TALLY_COLL_DMA_ERROR);
	assert_int_equal(h->engine->read_len, 0);
	assert_int_equal(write_by(h, HOST_LKEY), TALLY_COLL_DMA_ERROR);
	assert_int_equal(*(uint8_t *)host_ptr(h, memory), 0);
	assert_int_equal(nic_counter(h->nic, TALLY_CTR_dma_errors), 2);
	/* The fault ignores accesses with another key, and those that are refused anyway. */
	assert_int_equal(write_by(h, 0x500), TALLY_COLL_OK);
	assert_int_equal(*(uint8_t *)host_ptr(h, h->mr), 0x5a);
	assert_int_equal(read_by(h, HOST_LKEY ^ 1), TALLY_COLL_BAD_LKEY);
	assert_int_equal(count(h, TALLY_INJECT_DMA_ERROR), 2);
	off(h, TALLY_INJECT_DMA_ERROR);
	assert_int_equal(write_by(h, HOST_LKEY), TALLY_COLL_OK);
	assert_int_equal(*(uint8_t *)host_ptr(h, memory), 0x5a);
	assert_int_equal(count(h, TALLY_INJECT_DMA_ERROR), 2);
}

static void lost_doorbell(void **state)
{
	union admin_body b = always(TALLY_INJECT_LOST_DOORBELL);
	struct host *h = *state;

	b.inject.times = htole32(1);
	b.inject.object = htole32(HOST_QPN);
	set(h, &b);
	ring(h, 1);
	/* The doorbell stays lost at every further check, and also when the fault is off. */
	ring(h, 1);
	off(h, TALLY_INJECT_LOST_DOORBELL);
	ring(h, 1);
	assert_int_equal(h->engine->doorbells, 0);
	assert_int_equal(count(h, TALLY_INJECT_LOST_DOORBELL), 1);
	ring(h, 2);
	assert_int_equal(h->engine->doorbells, 1);
	assert_int_equal(h->engine->posted, 2);
}

static void lost_doorbell_of_another(void **state)
{
	union admin_body b = always(TALLY_INJECT_LOST_DOORBELL);
	struct host *h = *state;

	b.inject.object = htole32(HOST_QPN + 1);
	set(h, &b);
	ring(h, 1);
	assert_int_equal(h->engine->doorbells, 1);
	assert_int_equal(count(h, TALLY_INJECT_LOST_DOORBELL), 0);
}

static void modify(struct host *h, enum tally_qp_state to)
{
	union admin_body m = { .raw = { 0 } };

	m.modify_qp.qpn = htole32(HOST_QPN);
	m.modify_qp.state = to;
	host_must(h, TALLY_ADMIN_MODIFY_QP, &m);
	host_run(h);
}

/* Flushing uses the real count, and no doorbell is lost there. A reset forgets the lost count. */
static void lost_doorbell_flushed(void **state)
{
	union admin_body b = always(TALLY_INJECT_LOST_DOORBELL);
	struct host *h = *state;

	set(h, &b);
	ring(h, 3);
	assert_int_equal(h->engine->doorbells, 0);
	modify(h, TALLY_QPS_ERROR);
	assert_int_equal(h->engine->doorbells, 1);
	assert_int_equal(h->engine->posted, 3);
	ring(h, 4);
	assert_int_equal(h->engine->posted, 4);
	assert_int_equal(count(h, TALLY_INJECT_LOST_DOORBELL), 1);
	modify(h, TALLY_QPS_RESET);
	h->qp_slot->counter = 0;
	off(h, TALLY_INJECT_LOST_DOORBELL);
	modify(h, TALLY_QPS_RTS);
	ring(h, 3);
	assert_int_equal(h->engine->posted, 3);
}

static void corrupt_cqe(void **state)
{
	union admin_body b = always(TALLY_INJECT_CORRUPT_CQE);
	const size_t at = offsetof(struct tally_cqe, wqe_index) + 1;
	struct host *h = *state;

	b.inject.value = htole32(at);
	b.inject.object = htole32(HOST_CQN);
	b.inject.times = htole32(1);
	set(h, &b);
	complete(h, 5);
	complete(h, 6);
	assert_int_equal(host_cqe(h, 0)->owner, TALLY_OWNER_PHASE);
	assert_int_equal(le32toh(host_cqe(h, 0)->wqe_index), 0xff05);
	assert_int_equal(le32toh(host_cqe(h, 0)->qpn), HOST_QPN);
	assert_int_equal(le32toh(host_cqe(h, 1)->wqe_index), 6);
	assert_int_equal(nic_counter(h->nic, TALLY_CTR_cqes), 2);
	assert_int_equal(count(h, TALLY_INJECT_CORRUPT_CQE), 1);
}

#ifndef TEST_UNITS /* units count their overruns: sim/nic_cq_rtl */
/*
 * The fault takes the path of a real overrun: the completion is lost, the queue and its queue pairs
 * fail.
 */
static void cq_overrun(void **state)
{
	union admin_body b = always(TALLY_INJECT_CQ_OVERRUN);
	struct host *h = *state;

	b.inject.object = htole32(HOST_CQN);
	b.inject.interval = htole32(2);
	set(h, &b);
	complete(h, 0);
	assert_int_equal(h->engine->modified, 0);
	complete(h, 1);
	complete(h, 2);
	assert_int_equal(nic_counter(h->nic, TALLY_CTR_cq_overruns), 2);
	assert_int_equal(nic_counter(h->nic, TALLY_CTR_cqes), 1);
	assert_int_equal(h->engine->modified_qpn, HOST_QPN);
	assert_int_equal(h->engine->modified_state, TALLY_QPS_ERROR);
	assert_int_equal(host_eqe(h, 0)->etype, TALLY_EQE_CQ_ERROR);
	assert_int_equal(le32toh(host_eqe(h, 0)->id), HOST_CQN);
	assert_int_equal(host_cqe(h, 1)->owner, 0);
	/* A queue that has failed accepts no entry, so the fault is not counted again. */
	assert_int_equal(count(h, TALLY_INJECT_CQ_OVERRUN), 1);
}
#endif

/* A reset ends faults and clears counts. */
static void reset_clears(void **state)
{
	union admin_body b = always(TALLY_INJECT_DMA_ERROR);
	struct host *h = *state;

	set(h, &b);
	assert_int_equal(read_by(h, HOST_LKEY), TALLY_COLL_DMA_ERROR);
	host_objects(h);
	assert_int_equal(read_by(h, HOST_LKEY), TALLY_COLL_OK);
	assert_int_equal(count(h, TALLY_INJECT_DMA_ERROR), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(bad_fields), TEST(good_fields), TEST(nth_call), TEST(times),
		TEST(same_seed_same_result), TEST(dma_error), TEST(lost_doorbell),
		TEST(lost_doorbell_of_another), TEST(lost_doorbell_flushed), TEST(corrupt_cqe),
#ifndef TEST_UNITS
		TEST(cq_overrun),
#endif
		TEST(reset_clears),
	};

#ifdef TEST_UNITS
	host_units = rtl_units();
#endif
	return cmocka_run_group_tests_name("injected faults", tests, NULL, NULL);
}
