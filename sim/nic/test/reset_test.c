// SPDX-License-Identifier: BSD-2-Clause
/* Tests the identification page, the reset handshake and sleeping. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "alu/alu.h"
#include "nic/test/host.h"

static int setup(void **state)
{
	*state = host_new(NULL, sim_new(1));
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

static void identification(void **state)
{
	struct host *h = *state;
	const struct tally_ident *id = h->ident;
	static const uint8_t gid[16] = { 0xfe, 0x80, [8] = 0x00, 0x54, 0, 0xff, 0xfe, 0, 0, 1 };
	uint64_t guid = htobe64(le64toh(id->guid));

	assert_int_equal(le64toh(id->magic), TALLY_MAGIC);
	assert_int_equal(le32toh(id->abi_version), TALLY_ABI_VERSION);
	assert_int_equal(le64toh(id->caps),
			 TALLY_CAP_TREE | TALLY_CAP_EXCHANGE | TALLY_CAP_RING |
				 TALLY_CAP_MULTICAST | TALLY_CAP_TRIGGERED | TALLY_CAP_PUT_MP |
				 TALLY_CAP_ORDERED | TALLY_CAP_CHUNKED | TALLY_CAP_PUSH |
				 TALLY_CAP_INJECT | TALLY_CAP_GROUP_RESET | TALLY_CAP_FLAG_WORD);
	assert_int_equal(le32toh(id->opcodes), engine_opcodes(h->engine));
	assert_int_equal(le32toh(id->bar_size), TALLY_BAR_SIZE);
	assert_int_equal(le32toh(id->clock_khz), 1000000);
	assert_int_equal(le32toh(id->max_message), TALLY_MAX_MESSAGE);
	assert_int_equal(le32toh(id->max_sge), TALLY_MAX_SGE);
	assert_int_equal(id->port_state, 0);
	assert_int_equal(le32toh(id->alu_ops[TALLY_TYPE_CLASS_FP]), alu_ops(TALLY_TYPE_CLASS_FP));
	assert_int_equal(id->alu_sizes[TALLY_TYPE_CLASS_INT], alu_sizes(TALLY_TYPE_CLASS_INT));
	assert_memory_equal(h->nic->gid, gid, sizeof(gid));
	assert_memory_equal(&guid, gid + 8, 8);
	assert_int_equal(le32toh(id->state), TALLY_DEVICE_NEEDS_RESET);
	assert_int_equal(le32toh(id->epoch), 1);
	assert_int_equal(le32toh(h->status->epoch), 1);
}

static void lacking_opcodes(void **state)
{
	struct host *h = *state, *less = host_new_lacking(h->sim, 1 << TALLY_OPCODE_GATHER);

	assert_int_equal(le32toh(h->ident->opcodes) & ~le32toh(less->ident->opcodes),
			 1 << TALLY_OPCODE_GATHER);
	assert_int_equal(le32toh(less->ident->opcodes) & ~le32toh(h->ident->opcodes), 0);
	host_free(less);
}

static void bad_cfg(void **state)
{
	struct host *h = *state;
	struct nic_cfg cfg = { .mac = { 1, 2, 3, 4, 5, 6 }, .bar = h->bar };

	assert_null(nic_new(h->sim, &cfg));
	assert_int_equal(errno, EINVAL);
	memset(cfg.mac, 0, sizeof(cfg.mac));
	assert_null(nic_new(h->sim, &cfg));
	cfg.mac[5] = 1;
	cfg.bar = h->bar + 8;
	assert_null(nic_new(h->sim, &cfg));
}

static void good_reset(void **state)
{
	struct host *h = *state;

	host_reset(h);
	assert_int_equal(le32toh(h->ident->state), TALLY_DEVICE_READY);
	assert_int_equal(le32toh(h->ident->reset_ack), le32toh(h->control->reset_req));
	assert_int_equal(le32toh(h->ident->epoch), 2);
	assert_int_equal(le32toh(h->status->epoch), 2);
	assert_int_equal(h->engine->resets, 1);
	host_must(h, TALLY_ADMIN_NOP, NULL);
}

/* Before a reset, the device ignores its admin queue. */
static void needs_reset(void **state)
{
	struct host *h = *state;

	h->control->aq_db = htole64(1);
	assert_false(nic_doorbells(h->nic));
	assert_true(sim_run_idle(h->sim, VT_S));
	assert_int_equal(h->interrupts[0], 0);
}

static void expect_fatal(struct host *h, enum tally_fatal code)
{
	h->control->reset_req = htole32(le32toh(h->control->reset_req) + 1);
	host_run(h);
	assert_int_equal(le32toh(h->ident->state), TALLY_DEVICE_FATAL);
	assert_int_equal(le32toh(h->ident->fatal_code), code);
	assert_int_equal(le32toh(h->ident->reset_ack), le32toh(h->control->reset_req));
	h->control->aq_db = htole64(1);
	host_run(h);
	assert_int_equal(h->interrupts[0], 0);
	host_reset(h);
	assert_int_equal(le32toh(h->ident->state), TALLY_DEVICE_READY);
	assert_int_equal(le32toh(h->ident->fatal_code), TALLY_FATAL_NONE);
}

static void bad_control(void **state)
{
	static const uint32_t depths[] = { 0, 3, 2 * TALLY_MAX_AQ_DEPTH, 0x80000000u };
	struct host *h = *state;
	struct tally_control *c = h->control;
	const uint64_t addrs[] = { HOST_BASE + 4, UINT64_MAX - 127 };
	size_t i;

	host_reset(h);
	for (i = 0; i < sizeof(depths) / sizeof(depths[0]); i++) {
		c->aq_depth = htole32(depths[i]);
		expect_fatal(h, TALLY_FATAL_BAD_CONTROL);
	}
	for (i = 0; i < sizeof(addrs) / sizeof(addrs[0]); i++) {
		c->aq_sq_addr = htole64(addrs[i]);
		expect_fatal(h, TALLY_FATAL_BAD_CONTROL);
		c->aq_cq_addr = htole64(addrs[i]);
		expect_fatal(h, TALLY_FATAL_BAD_CONTROL);
	}
	c->driver_abi = htole32(TALLY_ABI_VERSION + 1);
	expect_fatal(h, TALLY_FATAL_BAD_CONTROL);
	c->rsvd0 = htole32(1);
	expect_fatal(h, TALLY_FATAL_BAD_CONTROL);
}

/* Rings are well-formed, but all or part of their memory does not exist. */
static void rings_out_of_reach(void **state)
{
	struct host *h = *state;
	struct tally_control *c = h->control;
	const uint64_t addrs[] = { 0, HOST_BASE + HOST_BYTES, HOST_BASE + HOST_BYTES - 128 };
	size_t i;

	host_reset(h);
	for (i = 0; i < sizeof(addrs) / sizeof(addrs[0]); i++) {
		c->aq_sq_addr = htole64(addrs[i]);
		expect_fatal(h, TALLY_FATAL_AQ_DMA);
		c->aq_cq_addr = htole64(addrs[i]);
		expect_fatal(h, TALLY_FATAL_AQ_DMA);
	}
}

/* A reset forgets everything, including accesses in flight. */
static void reset_drops_all(void **state)
{
	struct host *h = *state;
	struct engine_sge sge = { HOST_IOVA, 64, HOST_LKEY };
	unsigned int resets;

	host_objects(h);
	resets = h->engine->resets;
	nic_count(h->nic, TALLY_CTR_wqes, 3);
	h->engine->host->read(h->engine->ctx, HOST_PD, &sge, 1, 0);
	h->engine->host->write(h->engine->ctx, HOST_PD, &sge, h->bar, 2, 0);
	h->engine->host->fetch_wqe(h->engine->ctx, HOST_QPN, 0);
	h->engine->host->event(h->engine->ctx, TALLY_EQE_GROUP_DEAD, 0, 0);
	host_complete(h, 0, false);
	h->qp_slot->counter = htole64(1);
	nic_doorbells(h->nic);
	host_reset(h);
	assert_int_equal(h->engine->resets, resets + 1);
	assert_int_equal(h->engine->reads + h->engine->writes + h->engine->wqes, 0);
	assert_int_equal(h->engine->doorbells, 0);
	assert_int_equal(h->interrupts[1], 0);
	assert_int_equal(nic_counter(h->nic, TALLY_CTR_wqes), 0);
	assert_null(mr_find(h->nic, HOST_LKEY));
	host_objects(h);
}

/* The guest overwrites the identification page, which does not affect the device's own state. */
static void ident_overwritten(void **state)
{
	struct host *h = *state;

	host_reset(h);
	memset(h->ident, 0x5a, sizeof(*h->ident));
	host_must(h, TALLY_ADMIN_NOP, NULL);
	host_reset(h);
	assert_int_equal(le32toh(h->ident->state), TALLY_DEVICE_READY);
	assert_int_equal(le32toh(h->ident->epoch), 3);
}

/* A new NIC is created over the same BAR2, as if a worker were replaced under a running guest. */
static void replaced(void **state)
{
	struct host *h = *state, *fresh;
	uint8_t *bar = malloc(TALLY_BAR_SIZE);
	struct nic_cfg cfg = { .mac = { 2, 0, 0, 0, 0, 9 }, .bus = h->nic->bus.ops, .bus_ctx = h,
			       .timing = nic_timing_default };

	host_reset(h);
	memcpy(bar, h->bar, TALLY_BAR_SIZE);
	fresh = host_new(NULL, h->sim);
	nic_free(fresh->nic);
	memcpy(fresh->bar, bar, TALLY_BAR_SIZE);
	cfg.bar = fresh->bar;
	fresh->nic = nic_new(h->sim, &cfg);
	assert_int_equal(le32toh(fresh->ident->state), TALLY_DEVICE_NEEDS_RESET);
	assert_int_equal(le32toh(fresh->ident->epoch), 3);
	assert_false(nic_doorbells(fresh->nic));
	assert_int_equal(le32toh(fresh->ident->state), TALLY_DEVICE_NEEDS_RESET);
	host_reset(fresh);
	assert_int_equal(le32toh(fresh->ident->state), TALLY_DEVICE_READY);
	host_free(fresh);
	free(bar);
}

static void sleeping(void **state)
{
	struct host *h = *state;

	assert_int_equal(le32toh(h->status->need_wake), 0);
	nic_sleep(h->nic, true);
	assert_int_equal(le32toh(h->status->need_wake), 1);
	nic_sleep(h->nic, false);
	assert_int_equal(le32toh(h->status->need_wake), 0);
}

static void health_and_news(void **state)
{
	struct host *h = *state;
	uint64_t health;

	host_objects(h);
	host_run(h);
	health = le64toh(h->ident->health);
	assert_false(nic_doorbells(h->nic));
	assert_int_equal(le64toh(h->ident->health), health + 1);
	assert_int_equal(le64toh(h->status->clock), sim_now(h->sim) / VT_NS);
	h->qp_slot->counter = htole64(1);
	assert_true(nic_doorbells(h->nic));
	assert_false(nic_doorbells(h->nic));
	h->cq_slot->arm = htole64(2);
	assert_true(nic_doorbells(h->nic));
	assert_false(nic_doorbells(h->nic));
}

/* The engine is advanced at the time that it asked for. */
static void engine_timer(void **state)
{
	struct host *h = *state;

	host_reset(h);
	h->engine->next = sim_now(h->sim) + 5 * VT_US;
	nic_enter(h->nic);
	nic_leave(h->nic);
	sim_run_until(h->sim, sim_now(h->sim) + 4 * VT_US);
	assert_int_not_equal(h->engine->next, VT_NEVER);
	sim_run_until(h->sim, sim_now(h->sim) + 1 * VT_US);
	assert_int_equal(h->engine->now, sim_now(h->sim));
	assert_int_equal(h->engine->next, VT_NEVER);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(identification), TEST(lacking_opcodes),
		TEST(bad_cfg), TEST(good_reset), TEST(needs_reset),
		TEST(bad_control), TEST(rings_out_of_reach), TEST(reset_drops_all), TEST(ident_overwritten), TEST(replaced),
		TEST(sleeping), TEST(health_and_news), TEST(engine_timer),
	};

	return cmocka_run_group_tests_name("reset", tests, NULL, NULL);
}
