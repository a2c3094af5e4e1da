// SPDX-License-Identifier: BSD-2-Clause
/*
 * A host that carries out triggered descriptors: what remains of them in the model. The node has three children and a queue pair.
 */
#include "engine/common.h"
#include "engine/descriptor.h"
#include "engine/late.h"
#include "engine/probe.h"
#include "engine/sender.h"
#include "engine/store.h"
#include "engine/test/alone.h"
#include "engine/wr_timeout.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define QPN 4
#define ENTRY 40 /* of the first request */

static struct alone a;
static struct engine_host host;
static struct qp *qp;
static struct wr *wr[3];
static unsigned int told; /* updates and ends */

static bool yes(void *ctx)
{
	(void)ctx;
	return true;
}

static void update(void *ctx, const struct engine_update *u)
{
	(void)ctx;
	(void)u;
	told++;
}

static void end(void *ctx, const struct engine_end *x)
{
	(void)ctx;
	(void)x;
	told++;
}

static void command(void *ctx, enum tally_fw_store_command c, uint32_t group, uint32_t num)
{
	(void)ctx;
	(void)c;
	(void)group;
	(void)num;
}

static void table(void *ctx, uint32_t reg, uint32_t value)
{
	(void)ctx;
	(void)reg;
	(void)value;
}

static int setup(void **state)
{
	unsigned int i;

	(void)state;
	alone_setup(&a);
	alone_children(&a, 3);
	a.g->modes = TALLY_MODES_TREE;
	qp = alone_qp(&a, QPN, 1);
	host = *a.e->host;
	host.fetches = host.completes = host.stores = host.delivers = host.triggers = yes;
	host.update = update;
	host.end = end;
	host.command = command;
	host.table = table;
	a.e->host = &host;
	a.g->stored = store_does_group(a.e, a.g);
	a.e->firmware = (struct fiber *)&a; /* it is busy with something else */
	for (i = 0; i < 3; i++) {
		wr[i] = alone_wr(qp, WR_READY, TALLY_OPCODE_REDUCE_MP, 6 + i, 1);
		wr[i]->entry = ENTRY + i;
		wr[i]->w.cpcnt = 3;
		wr[i]->w.num_gather = 1;
	}
	told = 0;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	a.e->firmware = NULL;
	alone_teardown(&a);
	return 0;
}

static void which_groups(void **state)
{
	(void)state;
	assert_true(descriptor_is_hosts(a.e, a.g));
	a.g->stored = false;
	assert_false(descriptor_is_hosts(a.e, a.g));
	a.g->stored = true;
	host.triggers = NULL;
	assert_false(descriptor_is_hosts(a.e, a.g));
}

/* The sender of the host has come to a descriptor, or has begun it. */
static void began(unsigned int i)
{
	engine_began(a.e, &(struct engine_begun){ .qpn = QPN, .entry = ENTRY + i });
}

/* Then those before it must have fired. */
static void without_the_host(void **state)
{
	(void)state;
	host.triggers = NULL;
	sender_pump(a.e, qp);
	assert_int_equal(wr[0]->state, WR_READY);
	began(0);
	began(1);
	assert_int_equal(wr[0]->state, WR_ACTIVE);
	assert_int_equal(wr[1]->state, WR_READY);
	assert_int_equal(wr[0]->buf, 1);
	assert_int_equal(a.reads, 1);
	assert_int_equal(told, 1);
}

/* Nobody but the host gives them their turn, takes buffers, reads, and tells what becomes of them. */
static void each_in_its_turn(void **state)
{
	(void)state;
	sender_pump(a.e, qp);
	assert_int_equal(wr[0]->state, WR_READY);
	began(0);
	assert_int_equal(wr[0]->state, WR_ACTIVE);
	assert_int_equal(wr[1]->state, WR_READY);
	engine_fired(a.e, QPN, ENTRY);
	assert_true(wr[0]->fired);
	assert_int_equal(wr[1]->state, WR_READY);
	began(1);
	assert_int_equal(wr[1]->state, WR_ACTIVE);
	assert_int_equal(a.counters[TALLY_CTR_fired], 1);
	assert_int_equal(qp->bufs_used, 0);
	assert_int_equal(a.reads, 0);
	assert_int_equal(told, 0);
	engine_retired(a.e, QPN);
	assert_int_equal(qp->head, wr[1]->w.index);
	assert_int_equal(wr[1]->state, WR_ACTIVE);
}

/* Nor while one waits: its message need not be the next one of a rank. */
static void no_time_limit(void **state)
{
	(void)state;
	sender_pump(a.e, qp);
	assert_true(wr_timeout_next(a.e, a.g) == NEVER);
	began(0);
	sender_pump(a.e, qp);
	assert_true(wr_timeout_next(a.e, a.g) == NEVER);
	a.e->now += a.g->timeout;
	assert_false(wr_timeout_expire(a.e, a.g));
	assert_int_equal(alone_exception(&a)->status, TALLY_COLL_OK);
}

/* The exception of a late one has ended the epoch. */
static void a_frozen_one_does_not_fire(void **state)
{
	(void)state;
	began(0);
	engine_frozen(a.e, a.g - a.e->groups);
	assert_false(group_alive(a.g));
	engine_fired(a.e, QPN, ENTRY);
	assert_false(wr[0]->fired);
}

/* The model does not know whose messages have come, so it blames nobody. */
static void who_is_late(void **state)
{
	(void)state;
	assert_false(late_descriptor(a.e, a.g));
	began(0);
	assert_true(late_descriptor(a.e, a.g));
	assert_int_equal(late_messages(a.e, a.g), 0);
	host.triggers = NULL;
	assert_int_equal(late_messages(a.e, a.g), 7);
}

static void check_watched(uint64_t edges)
{
	probe_watch(a.e, a.g);
	assert_int_equal(a.g->watched, edges);
}

/* A neighbour that the host asks already is not probed. */
static void messages_under_way(void **state)
{
	const uint32_t group = a.g - a.e->groups;

	(void)state;
	a.g->timeout = NEVER;
	engine_message_left(a.e, group, 1, false);
	engine_message_left(a.e, group, 1, true);
	assert_int_equal(a.g->edges[1].away, 1);
	assert_int_equal(a.g->edges[1].retransmits, 1);
	began(0);
	check_watched(5);
	assert_int_equal(a.g->unacked, 2);
	engine_message_there(a.e, group, 1);
	assert_int_equal(a.g->edges[1].away, 0);
	assert_int_equal(a.g->unacked, 0);
	check_watched(7);
}

static void nothing_of_an_old_epoch(void **state)
{
	const uint32_t group = a.g - a.e->groups;

	(void)state;
	a.g->state = TALLY_GROUP_COLLECT;
	engine_message_left(a.e, group, 1, false);
	engine_message_left(a.e, group, 1, true);
	engine_message_there(a.e, group, 1);
	assert_int_equal(a.g->edges[1].away, 0);
	assert_int_equal(a.g->edges[1].retransmits, 0);
	assert_int_equal(a.g->unacked, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(which_groups, setup, teardown),
		cmocka_unit_test_setup_teardown(without_the_host, setup, teardown),
		cmocka_unit_test_setup_teardown(each_in_its_turn, setup, teardown),
		cmocka_unit_test_setup_teardown(no_time_limit, setup, teardown),
		cmocka_unit_test_setup_teardown(a_frozen_one_does_not_fire, setup, teardown),
		cmocka_unit_test_setup_teardown(who_is_late, setup, teardown),
		cmocka_unit_test_setup_teardown(messages_under_way, setup, teardown),
		cmocka_unit_test_setup_teardown(nothing_of_an_old_epoch, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
