// SPDX-License-Identifier: BSD-2-Clause
/* Segments of a small NIC: which are owned, lent and owed, and who gets those that return. */
#include "engine/common.h"
#include "engine/pool.h"
#include "engine/test/alone.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#define SEGS 24
#define GROUPS 6

static struct alone a;

/* The group owns four of 24 segments, of which five are kept for the five groups that may come. */
static int setup(void **state)
{
	(void)state;
	alone_setup(&a);
	a.e->max_segs = SEGS;
	a.e->max_groups = GROUPS;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	alone_teardown(&a);
	return 0;
}

/* Let a group join that owns `segs` segments, and may borrow more. */
static struct group *join(unsigned int i, uint32_t segs)
{
	struct group *g = &a.e->groups[i];

	g->num_segs = segs;
	g->max_segs = segs + 40;
	g->granted = 0;
	pool_join(a.e, g);
	pool_begin(a.e, g);
	return g;
}

static void check_sums(unsigned int owned, unsigned int granted, unsigned int lent)
{
	assert_int_equal(a.e->segs_owned, owned);
	assert_int_equal(a.e->segs_granted, granted);
	assert_int_equal(a.e->segs_lent, lent);
}

/* Check that the numbers of a group's window have segments of their own. */
static void check_window(const struct group *g, uint32_t done, uint32_t limit)
{
	static bool used[TALLY_MAX_SEG];
	uint32_t num;

	assert_int_equal(g->done, done);
	assert_int_equal(g->limit, limit);
	for (num = done; num != limit; num++) {
		assert_false(used[g->seg[num % TALLY_MAX_GROUP_SEGS]]);
		used[g->seg[num % TALLY_MAX_GROUP_SEGS]] = true;
	}
	for (num = done; num != limit; num++)
		used[g->seg[num % TALLY_MAX_GROUP_SEGS]] = false;
}

/* ---- What groups own ---- */

static void groups_own_segments(void **state)
{
	struct group *g;

	(void)state;
	check_sums(4, 4, 0);
	check_window(a.g, 0, 4);
	assert_int_equal(pool_left(a.e), 20);
	g = join(3, 7);
	check_sums(11, 11, 0);
	check_window(g, 0, 7);
	assert_int_equal(pool_left(a.e), 13);
	assert_int_equal(a.e->num_groups, 2);
	g->done = g->top = 3;
	g->paid = true;
	g->limit = 3;
	pool_begin(a.e, g);
	check_window(g, 0, 7);
	assert_int_equal(g->top, 0);
	assert_false(g->paid);
	pool_end(a.e, g);
	pool_leave(a.e, g);
	check_sums(4, 4, 0);
	assert_int_equal(a.e->num_groups, 1);
	assert_int_equal(a.e->owed_first, NONE);
	a.e->num_groups = GROUPS - 1;
	assert_int_equal(pool_left(a.e), 20);
	a.e->num_groups = GROUPS;
	assert_int_equal(pool_left(a.e), 0);
}

static void segments_are_used_again(void **state)
{
	uint16_t seg = a.g->seg[0];
	unsigned int i;

	(void)state;
	a.e->slots[seg].state = TALLY_SEG_FINISHED;
	pool_advance(a.e, a.g);
	assert_int_equal(a.e->slots[seg].state, TALLY_SEG_FREE);
	check_window(a.g, 1, 5);
	assert_int_equal(a.g->seg[4], seg);
	for (i = 0; i < 1000; i++)
		pool_advance(a.e, a.g);
	check_window(a.g, 1001, 1005);
	assert_int_equal(a.e->seg_fresh, 4);
	pool_end(a.e, a.g);
	check_window(a.g, 1001, 1001);
	pool_begin(a.e, a.g);
	check_window(a.g, 0, 4);
	assert_int_equal(a.e->seg_fresh, 4);
	check_sums(4, 4, 0);
}

/* ---- What groups borrow ---- */

/* A group borrows while it has less than a third of what is left. */
static void group_borrows_its_share(void **state)
{
	struct group *g;

	(void)state;
	a.g->max_segs = 64;
	assert_true(pool_borrow(a.e, a.g, 5));
	check_sums(4, 4, 1);
	check_window(a.g, 0, 5);
	assert_false(pool_borrow(a.e, a.g, 5));
	assert_false(pool_borrow(a.e, a.g, 3));
	assert_true(pool_borrow(a.e, a.g, 40));
	check_window(a.g, 0, 8); /* with four, 11 of 15 are left */
	check_sums(4, 4, 4);
	assert_false(pool_borrow(a.e, a.g, 40));
	assert_int_equal(a.counters[TALLY_CTR_segs_lent], 4);
	g = join(1, 2);
	check_sums(6, 6, 4);
	assert_true(pool_borrow(a.e, g, 40)); /* of ten */
	check_window(g, 0, 5);
	check_sums(6, 6, 7);
	assert_int_equal(a.counters[TALLY_CTR_segs_lent], 7);
}

static void group_borrows_up_to_max_segs(void **state)
{
	(void)state;
	a.g->max_segs = 6;
	assert_true(pool_borrow(a.e, a.g, 40));
	check_window(a.g, 0, 6);
	pool_advance(a.e, a.g);
	check_window(a.g, 1, 6);
	check_sums(4, 4, 1);
	assert_true(pool_borrow(a.e, a.g, 40));
	check_window(a.g, 1, 7);
	check_sums(4, 4, 2);
	a.g->max_segs = 4;
	assert_false(pool_borrow(a.e, a.g, 40));
	pool_advance(a.e, a.g);
	pool_advance(a.e, a.g);
	pool_advance(a.e, a.g);
	check_window(a.g, 4, 8);
	check_sums(4, 4, 0);
	a.e->max_segs = 8; /* less than those that are kept */
	a.g->max_segs = 64;
	assert_false(pool_borrow(a.e, a.g, 40));
	a.e->max_segs = 9; /* no more than those that are kept for further groups */
	assert_false(pool_borrow(a.e, a.g, 40));
	a.e->max_segs = 10;
	assert_true(pool_borrow(a.e, a.g, 40));
	check_sums(4, 4, 1);
}

static void end_returns_what_was_lent(void **state)
{
	(void)state;
	a.g->max_segs = 64;
	pool_borrow(a.e, a.g, 40);
	pool_advance(a.e, a.g);
	check_sums(4, 4, 3);
	pool_end(a.e, a.g);
	check_sums(4, 4, 0);
	assert_int_equal(a.g->limit, a.g->done);
	pool_end(a.e, a.g); /* its window has ended already */
	check_sums(4, 4, 0);
	pool_begin(a.e, a.g);
	check_window(a.g, 0, 4);
	assert_int_equal(a.e->seg_fresh, 8);
}

/* ---- What groups are owed ---- */

/* Let group 0 borrow four segments, so that 16 are unused. */
static void lend(void)
{
	a.g->max_segs = 64;
	pool_borrow(a.e, a.g, 40);
	check_sums(4, 4, 4);
}

static void debts_are_paid_in_order(void **state)
{
	struct group *b, *c, *d;

	(void)state;
	lend();
	b = join(1, 14);
	assert_int_equal(pool_left(a.e), 6);
	check_sums(18, 16, 4); /* 16 were unused, and four are kept */
	check_window(b, 0, 12);
	assert_int_equal(a.e->owed_first, 1);
	c = join(2, 3);
	check_window(c, 0, 1);
	d = join(5, 3);
	check_window(d, 0, 1);
	assert_int_equal(a.e->owed_first, 1);
	assert_int_equal(a.e->owed_last, 5);
	assert_int_equal(a.counters[TALLY_CTR_groups_owed], 3);
	check_sums(24, 18, 4);
	a.g->done++; /* nothing is lent while a debt exists */
	a.g->limit++;
	assert_false(pool_borrow(a.e, a.g, 40));
	a.g->done--;
	a.g->limit--;
	pool_advance(a.e, a.g);
	check_window(a.g, 1, 8);
	check_window(b, 0, 13);
	assert_true(b->paid);
	assert_true(alone_touched(&a, &b->timer));
	assert_false(c->paid || alone_touched(&a, &c->timer));
	check_sums(24, 19, 3);
	pool_advance(a.e, a.g);
	check_window(b, 0, 14);
	assert_int_equal(a.e->owed_first, 2);
	pool_advance(a.e, a.g);
	check_window(c, 0, 2);
	assert_true(c->paid);
	pool_advance(a.e, a.g); /* nothing is lent any more, so all get what is theirs */
	check_window(c, 0, 3);
	check_window(d, 0, 3);
	check_sums(24, 24, 0);
	assert_int_equal(a.e->owed_first, NONE);
}

/* A group that returns segments of its own pays nobody. */
static void own_segments_pay_no_debt(void **state)
{
	struct group *b;

	(void)state;
	lend();
	b = join(1, 14);
	pool_advance(a.e, b);
	check_window(b, 1, 13);
	check_sums(18, 16, 4);
	pool_end(a.e, b); /* the debt is paid without a window */
	pool_advance(a.e, a.g);
	assert_int_equal(b->granted, 13);
	assert_int_equal(b->limit, b->done);
	assert_false(b->paid);
	assert_false(alone_touched(&a, &b->timer));
	pool_begin(a.e, b);
	check_window(b, 0, 13);
	pool_end(a.e, a.g);
	check_window(b, 0, 14);
	check_sums(18, 18, 0);
}

/* What is paid is set aside for the next numbers. */
static void payment_raises_the_limit(void **state)
{
	struct group *b;

	(void)state;
	lend();
	b = join(1, 14);
	pool_advance(a.e, b);
	pool_advance(a.e, b);
	check_window(b, 2, 14);
	pool_advance(a.e, a.g);
	check_window(b, 2, 15);
	pool_advance(a.e, b);
	check_window(b, 3, 16);
}

/* Let groups 1, 2 and 4 be owed segments; then group `gone` leaves. */
static void leave_while_owed(unsigned int gone)
{
	struct group *g = &a.e->groups[gone];

	lend();
	a.e->max_groups = 4; /* so few segments are kept */
	join(1, 15);
	join(2, 2);
	join(4, 2);
	assert_int_equal(a.e->owed_first, 1);
	assert_int_equal(a.e->owed_last, 4);
	pool_end(a.e, g);
	pool_leave(a.e, g);
}

static void check_owed(unsigned int first, unsigned int last)
{
	assert_int_equal(a.e->owed_first, first);
	assert_int_equal(a.e->owed_last, last);
	assert_int_equal(a.e->groups[first].next_owed, last);
	assert_int_equal(a.e->groups[last].next_owed, NONE);
}

static void group_leaves_with_a_debt(void **state)
{
	unsigned int gone;

	for (gone = 2; gone <= 4; gone += 2) {
		leave_while_owed(gone);
		check_owed(1, 6 - gone);
		assert_int_equal(a.e->num_groups, 3);
		teardown(state);
		setup(state);
	}
}

/* What the oldest debtor had pays the others. */
static void oldest_debtor_leaves(void **state)
{
	(void)state;
	leave_while_owed(1);
	assert_int_equal(a.e->owed_first, NONE);
	check_sums(8, 8, 4);
	check_window(&a.e->groups[2], 0, 2);
	check_window(&a.e->groups[4], 0, 2);
}

static void last_debtor_leaves(void **state)
{
	struct group *b;

	(void)state;
	lend();
	b = join(1, 14);
	pool_end(a.e, b);
	pool_leave(a.e, b);
	assert_int_equal(a.e->owed_first, NONE);
	check_sums(4, 4, 4);
	b = join(2, 14); /* the list begins again */
	assert_int_equal(a.e->owed_first, 2);
	assert_int_equal(a.e->owed_last, 2);
	assert_int_equal(b->next_owed, NONE);
}

/* While nothing is lent, a group gets all it owns, whatever is kept. */
static void nothing_is_owed_while_nothing_is_lent(void **state)
{
	(void)state;
	check_window(join(1, 20), 0, 20);
	check_sums(24, 24, 0);
	assert_int_equal(a.e->owed_first, NONE);
	assert_int_equal(a.counters[TALLY_CTR_groups_owed], 0);
	assert_int_equal(pool_left(a.e), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(groups_own_segments),
		TEST(segments_are_used_again),
		TEST(group_borrows_its_share),
		TEST(group_borrows_up_to_max_segs),
		TEST(end_returns_what_was_lent),
		TEST(debts_are_paid_in_order),
		TEST(own_segments_pay_no_debt),
		TEST(payment_raises_the_limit),
		TEST(group_leaves_with_a_debt),
		TEST(oldest_debtor_leaves),
		TEST(last_debtor_leaves),
		TEST(nothing_is_owed_while_nothing_is_lent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
