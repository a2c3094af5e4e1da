// SPDX-License-Identifier: BSD-2-Clause
/* Lives of a job: which of them a packet means, burial, and tombstones. */
#include "engine/common.h"
#include "engine/edge.h"
#include "engine/events.h"
#include "engine/group.h"
#include "engine/jid.h"
#include "engine/test/alone.h"
#include "engine/timers.h"
#include "engine/tombstone.h"

#include <endian.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct alone a;

static int setup(void **state)
{
	(void)state;
	alone_setup(&a);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	alone_teardown(&a);
	return 0;
}

/* Add life `n` of the job, whose edge 0 has these secrets. */
static struct group *add_life(unsigned int n, uint32_t key, uint64_t nonce, uint64_t peer_nonce)
{
	struct group *g = &a.e->groups[n];

	g->state = TALLY_GROUP_OPEN;
	g->jid = ALONE_JID;
	g->edges[0].state = TALLY_EDGE_OPEN;
	g->edges[0].key = key;
	g->edges[0].nonce = nonce;
	g->edges[0].peer_nonce = peer_nonce;
	jid_add(a.e, g);
	return g;
}

static struct group *add_tombstone(unsigned int n, uint32_t key, uint32_t buried)
{
	struct group *t = &a.e->tombstones[n];

	t->state = TALLY_GROUP_DEAD;
	t->jid = ALONE_JID;
	t->edges[0].state = TALLY_EDGE_OPEN;
	t->edges[0].key = key;
	t->buried = buried;
	jid_add(a.e, t);
	return t;
}

/* ---- Jobs ---- */

/* Return the n-th job id, counted from 1, that shares its bucket with that of the group. */
static uint32_t neighbour_of_jid(unsigned int n)
{
	const uint32_t bucket = ALONE_JID * 0x9e3779b1u >> (32 - JID_BITS);
	uint32_t jid = ALONE_JID;

	while (n)
		n -= ++jid * 0x9e3779b1u >> (32 - JID_BITS) == bucket;
	return jid;
}

static void jobs_share_a_bucket(void **state)
{
	struct group *g = a.e->groups;
	unsigned int i;

	(void)state;
	for (i = 0; i < 5; i++) {
		g[i].jid = i % 2 ? neighbour_of_jid(i) : ALONE_JID;
		jid_add(a.e, &g[i]);
	}
	assert_ptr_equal(jid_first(a.e, ALONE_JID), &g[4]);
	assert_ptr_equal(jid_next(&g[4]), &g[2]);
	assert_ptr_equal(jid_next(&g[2]), &g[0]);
	assert_null(jid_next(&g[0]));
	assert_ptr_equal(jid_first(a.e, neighbour_of_jid(3)), &g[3]);
	assert_ptr_equal(jid_first(a.e, neighbour_of_jid(1)), &g[1]);
	assert_null(jid_first(a.e, neighbour_of_jid(2)));
	assert_null(jid_next(&g[1]));
	jid_remove(a.e, &g[2]);
	assert_ptr_equal(jid_first(a.e, ALONE_JID), &g[4]);
	assert_ptr_equal(jid_next(&g[4]), &g[0]);
	jid_remove(a.e, &g[4]);
	assert_ptr_equal(jid_first(a.e, ALONE_JID), &g[0]);
	jid_remove(a.e, &g[0]);
	assert_null(jid_first(a.e, ALONE_JID));
	assert_ptr_equal(jid_first(a.e, neighbour_of_jid(1)), &g[1]);
	assert_ptr_equal(a.e->recent, &g[1]);
	assert_ptr_equal(jid_first(a.e, neighbour_of_jid(3)), &g[3]);
	jid_add(a.e, &g[0]);
	assert_ptr_equal(jid_first(a.e, ALONE_JID), &g[0]);
}

static void newest_life_of_a_job(void **state)
{
	struct group *g[3], *t[3];

	(void)state;
	assert_null(group_of_job(a.e, ALONE_JID));
	t[2] = add_tombstone(2, 1, UINT32_MAX - 1);
	t[0] = add_tombstone(0, 1, UINT32_MAX);
	t[1] = add_tombstone(1, 1, 1);
	assert_ptr_equal(group_of_job(a.e, ALONE_JID), t[1]);
	jid_remove(a.e, t[1]);
	assert_ptr_equal(group_of_job(a.e, ALONE_JID), t[0]);
	g[2] = add_life(2, 1, 1, 1);
	g[2]->destroyed = true;
	assert_ptr_equal(group_of_job(a.e, ALONE_JID), g[2]);
	add_tombstone(3, 1, 5);
	assert_ptr_equal(group_of_job(a.e, ALONE_JID), g[2]);
	g[1] = add_life(1, 1, 1, 1);
	assert_ptr_equal(group_of_job(a.e, ALONE_JID), g[1]);
	g[1]->destroyed = true; /* it is the newer one, whatever its number */
	assert_ptr_equal(group_of_job(a.e, ALONE_JID), g[1]);
	g[0] = add_life(3, 1, 1, 1);
	g[0]->destroyed = true;
	assert_ptr_equal(group_of_job(a.e, ALONE_JID), g[0]);
	g[2]->destroyed = false;
	assert_ptr_equal(group_of_job(a.e, ALONE_JID), g[2]);
}

/* ---- Packets ---- */

static struct group *of_packet(uint32_t key)
{
	struct tch t = alone_chunk(TALLY_KIND_REDUCE, 1);

	t.jid = ALONE_JID;
	t.key = key;
	return group_of_packet(a.e, &t, NULL);
}

static struct group *of_open(uint64_t echo, uint64_t nonce)
{
	const struct tally_tch_open o = { .nonce = htobe64(nonce), .echo = htobe64(echo) };
	const struct tch t = { .kind = TALLY_KIND_OPEN, .jid = ALONE_JID };

	return group_of_packet(a.e, &t, &o);
}

static void packets_know_a_key(void **state)
{
	struct group *old = add_life(2, 11, 0, 0), *new = add_life(3, 12, 0, 0), *t;

	(void)state;
	old->destroyed = true;
	assert_ptr_equal(of_packet(11), old);
	assert_ptr_equal(of_packet(12), new);
	assert_ptr_equal(of_packet(13), new); /* nobody's: the newest drops it */
	t = add_tombstone(0, 13, 0);
	assert_ptr_equal(of_packet(13), t);
	add_tombstone(1, 11, 0); /* added later, but a group comes first */
	assert_ptr_equal(of_packet(11), old);
	jid_remove(a.e, old);
	jid_add(a.e, old);
	assert_ptr_equal(of_packet(11), old);
}

static void opens_know_a_nonce(void **state)
{
	struct group *old = add_life(2, 11, 0x100000021, 0x31), *new = add_life(3, 12, 0x22, 0x32);

	(void)state;
	assert_ptr_equal(of_open(0x100000021, 0), old);
	assert_ptr_equal(of_open(0x22, 0), new);
	assert_ptr_equal(of_open(0x21, 0), new); /* of which only a half is right */
	assert_ptr_equal(of_open(0, 0x31), old);
	assert_ptr_equal(of_open(0x100000021, 0x32), old); /* the echo counts */
	assert_ptr_equal(of_open(0x22, 0x31), new);
	old->edges[0].state = TALLY_EDGE_NONE;
	assert_ptr_equal(of_open(0x100000021, 0), new);
	assert_ptr_equal(of_open(0, 0x31), new);
	old->edges[0].state = TALLY_EDGE_OPENING;
	assert_ptr_equal(of_open(0, 0x31), old);
	old->edges[0].peer_nonce = 0; /* not known */
	assert_ptr_equal(of_open(1, 0), new);
}

/* ---- Burial ---- */

static void burial_acknowledges(void **state)
{
	(void)state;
	alone_children(&a, 3);
	alone_parent(&a, EDGE_PARENT);
	jid_add(a.e, a.g);
	a.g->edges[0].ack_at = a.g->edges[2].ack_at = a.e->now + 5;
	a.g->edges[0].state = TALLY_EDGE_OPENING;
	a.g->edges[EDGE_PARENT].ack_at = a.e->now + 5;
	group_bury(a.e, a.g);
	assert_int_equal(a.sent, 2);
	assert_int_equal(a.packet[0].kind, TALLY_KIND_ACK);
	assert_int_equal(a.packet[0].contributor, 2);
	assert_int_equal(a.packet[1].contributor, EDGE_PARENT);
	assert_int_equal(a.eqes, 1);
}

static void burial_of_an_ended_group_is_silent(void **state)
{
	(void)state;
	alone_children(&a, 1);
	jid_add(a.e, a.g);
	a.g->edges[0].ack_at = a.e->now + 5;
	a.g->state = TALLY_GROUP_DEAD;
	group_bury(a.e, a.g);
	assert_int_equal(a.sent, 0);
}

static void burial_returns_what_a_group_has(void **state)
{
	struct tch t = alone_chunk(TALLY_KIND_REDUCE, 1);

	(void)state;
	alone_children(&a, 2);
	add_life(5, 1, 1, 1)->destroyed = true; /* it is found behind the tombstone */
	jid_add(a.e, a.g);
	a.g->msg_cells = 3;
	a.e->cells_reserved = 10;
	a.e->edges_used = 20;
	events_after_end(a.e, a.g, 1);
	events_after_end(a.e, &a.e->groups[1], 1);
	edge_send(a.e, a.g, 1, &t, NULL, 0);
	timers_next(a.e);
	assert_int_equal(a.e->num_timers, 1);
	group_bury(a.e, a.g);
	assert_int_equal(a.e->cells_reserved, 7);
	assert_int_equal(a.e->edges_used, 18);
	assert_ptr_equal(jid_first(a.e, ALONE_JID), &a.e->tombstones[0]);
	assert_ptr_equal(jid_next(&a.e->tombstones[0]), &a.e->groups[5]);
	assert_null(jid_next(&a.e->groups[5]));
	assert_int_equal(a.e->num_timers, 0);
	assert_int_equal(a.e->tombstones[0].edges[1].tx_held, 0);
	assert_int_equal(a.e->segs_granted, 0);
	events_next(a.e);
	assert_int_equal(a.e->event.group, 1);
	assert_false(events_wait(a.e));
	assert_int_equal(a.g->state, TALLY_GROUP_NONE);
	assert_int_equal(a.eqe.type, TALLY_EQE_GROUP_DRAINED);
	assert_int_equal(a.eqe.id, 0);
}

/* ---- Tombstones ---- */

/* Retransmissions wait 100, 200, 400 and 800 us. */
static void tombstone_stays_while_neighbours_retry(void **state)
{
	struct group *t = &a.e->tombstones[0];

	(void)state;
	alone_children(&a, 1);
	a.g->fence_at = 5;
	tombstone_erect(a.e, a.g);
	assert_int_equal(t->fw_at, a.e->now + 1500 * US);
	assert_int_equal(t->fence_at, NEVER);
	assert_int_equal(t->state, TALLY_GROUP_DEAD);
	assert_int_equal(t->edges[0].key, a.g->edges[0].key);
	assert_int_equal(a.e->tombs_next, a.e->now + 1500 * US);
	a.g->timeout = 1400 * US;
	tombstone_erect(a.e, a.g);
	assert_int_equal(t[1].fw_at, a.e->now + 1400 * US);
	assert_int_equal(a.e->tombs_next, a.e->now + 1400 * US);
	a.g->timeout = 1000 * MS;
	a.g->retry_limit = 1000;
	tombstone_erect(a.e, a.g);
	assert_int_equal(t[2].fw_at, a.e->now + 1000 * MS);
	assert_int_equal(a.e->tombs_next, a.e->now + 1400 * US);
	assert_int_equal(a.e->tombs, 7);
}

static void tombstone_of_an_end(void **state)
{
	struct group *t = &a.e->tombstones[0];

	(void)state;
	alone_children(&a, 1);
	a.g->edges[0].fw_at = a.e->now + 3;
	tombstone_erect(a.e, a.g); /* it runs, and its timers are those of the handshake */
	assert_true(t[0].ended_well);
	assert_int_equal(t[0].edges[0].fw_at, NEVER);
	a.g->state = TALLY_GROUP_DEAD;
	a.g->report.status = TALLY_COLL_ABORTED;
	tombstone_erect(a.e, a.g); /* KILL is being repeated */
	assert_false(t[1].ended_well);
	assert_int_equal(t[1].edges[0].fw_at, a.e->now + 3);
	assert_int_equal(a.e->tombs_next, a.e->now + 3);
	assert_int_equal(t[1].buried, t[0].buried + 1);
}

static void only_neighbours_need_a_tombstone(void **state)
{
	(void)state;
	tombstone_erect(a.e, a.g);
	assert_int_equal(a.e->tombs, 0);
	alone_parent(&a, EDGE_PARENT);
	tombstone_erect(a.e, a.g);
	assert_int_equal(a.e->tombs, 1);
	assert_int_equal(a.e->tombstones[0].edges[EDGE_PARENT].state, TALLY_EDGE_OPEN);
	a.g->parent = NO_EDGE;
	alone_children(&a, 1);
	tombstone_erect(a.e, a.g);
	assert_int_equal(a.e->tombs, 3);
}

static void oldest_tombstone_is_replaced(void **state)
{
	struct group *t = a.e->tombstones, *g;
	unsigned int i;

	(void)state;
	alone_children(&a, 1);
	a.e->burials = UINT32_MAX - 9; /* the numbers wrap */
	for (i = 0; i < TALLY_MAX_TOMBSTONES; i++) {
		assert_int_equal(a.counters[TALLY_CTR_tombstones_evicted], 0);
		assert_false(a.e->tombs >> i & 1);
		tombstone_erect(a.e, a.g);
	}
	t[0].buried = a.e->burials++; /* it is younger than all others */
	t[63].buried = UINT32_MAX - 20;
	events_after_end(a.e, &t[63], 0);
	a.g->epoch = 77;
	tombstone_erect(a.e, a.g);
	assert_int_equal(t[63].epoch, 77);
	assert_int_equal(t[63].buried, 55);
	assert_false(events_wait(a.e));
	for (g = jid_first(a.e, ALONE_JID), i = 0; g; g = jid_next(g))
		i++;
	assert_int_equal(i, TALLY_MAX_TOMBSTONES); /* each of them once */
	tombstone_erect(a.e, a.g);
	assert_int_equal(t[1].epoch, 77);
	assert_int_equal(a.counters[TALLY_CTR_tombstones_evicted], 2);
	tombstone_forget(a.e, &t[9]);
	assert_int_equal(a.e->tombs, ~(1ULL << 9));
	assert_int_equal(t[9].jid, 0);
	tombstone_erect(a.e, a.g);
	assert_int_equal(t[9].epoch, 77);
	assert_int_equal(a.counters[TALLY_CTR_tombstones_evicted], 2);
}

static void expect_timer(uint32_t group, uint32_t edge)
{
	events_next(a.e);
	assert_int_equal(a.e->event.type, TALLY_FW_EV_TIMER);
	assert_int_equal(a.e->event.group, group);
	assert_int_equal(a.e->event.edge, edge);
}

static void timers_of_tombstones(void **state)
{
	struct group *t = a.e->tombstones;

	(void)state;
	alone_children(&a, 2);
	tombstone_erect(a.e, a.g);
	tombstone_erect(a.e, a.g);
	tombstone_forget(a.e, &t[0]);
	t[1].edges[0].fw_at = a.e->now + 1;
	t[1].edges[1].fw_at = a.e->now;
	a.e->tombs_next = 0;
	tombstone_timers(a.e);
	expect_timer(TALLY_MAX_GROUP + 1, 1);
	assert_false(events_wait(a.e));
	assert_int_equal(t[1].edges[1].fw_at, NEVER);
	assert_int_equal(a.e->tombs_next, a.e->now + 1);
	a.e->now = t[1].fw_at;
	tombstone_timers(a.e);
	expect_timer(TALLY_MAX_GROUP + 1, 0);
	expect_timer(TALLY_MAX_GROUP + 1, NO_EDGE);
	assert_false(events_wait(a.e));
	assert_int_equal(a.e->tombs_next, NEVER);
}

static void tombstone_is_heard(void **state)
{
	struct group *t = a.e->tombstones;

	(void)state;
	alone_children(&a, 1);
	tombstone_erect(a.e, a.g);
	t[0].edges[0].fw_at = a.e->now + 7;
	tombstone_heard(a.e, &t[0]);
	assert_int_equal(a.e->tombs_next, a.e->now + 7);
	t[0].edges[0].fw_at = a.e->now + 9;
	tombstone_heard(a.e, &t[0]);
	assert_int_equal(a.e->tombs_next, a.e->now + 7);
	a.g->edges[0].fw_at = 1;
	tombstone_heard(a.e, a.g);
	assert_int_equal(a.e->tombs_next, a.e->now + 7);
	assert_true(is_tombstone(a.e, &t[0]));
	assert_true(is_tombstone(a.e, &t[TALLY_MAX_TOMBSTONES - 1]));
	assert_false(is_tombstone(a.e, &t[TALLY_MAX_TOMBSTONES]));
	assert_false(is_tombstone(a.e, &a.e->groups[TALLY_MAX_GROUP - 1]));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(jobs_share_a_bucket),
		TEST(newest_life_of_a_job),
		TEST(packets_know_a_key),
		TEST(opens_know_a_nonce),
		TEST(burial_acknowledges),
		TEST(burial_of_an_ended_group_is_silent),
		TEST(burial_returns_what_a_group_has),
		TEST(tombstone_stays_while_neighbours_retry),
		TEST(tombstone_of_an_end),
		TEST(only_neighbours_need_a_tombstone),
		TEST(oldest_tombstone_is_replaced),
		TEST(timers_of_tombstones),
		TEST(tombstone_is_heard),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
