// SPDX-License-Identifier: BSD-2-Clause
/* Tests delay lines: order, dropping, and changes from within an item. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "nic/delay_line.h"

struct numbered {
	struct delay_line_item item;
	char name;
};

struct log {
	struct sim *sim;
	struct delay_line line;
	char names[16];
	vtime_t at[16];
	unsigned int count;
	unsigned int released;
};

static struct log *releasing;

static void release(struct delay_line_item *item)
{
	(void)item;
	releasing->released++;
}

static void run(void *owner, struct delay_line_item *item)
{
	struct log *log = owner;

	log->at[log->count] = sim_now(log->sim);
	log->names[log->count++] = ((struct numbered *)item)->name;
}

static struct delay_line_item *make(char name, void (*fn)(void *owner, struct delay_line_item *item))
{
	struct numbered *n = delay_line_item(sizeof(*n), fn);

	n->name = name;
	n->item.release = release;
	return &n->item;
}

static int setup(void **state)
{
	static struct log log;

	log = (struct log){ .sim = sim_new(1) };
	delay_line_init(&log.line, log.sim, &log);
	releasing = &log;
	*state = &log;
	return 0;
}

static int teardown(void **state)
{
	struct log *log = *state;

	delay_line_clear(&log->line);
	sim_free(log->sim);
	return 0;
}

/* An item never overtakes an earlier one, even if its own time comes first. */
static void order(void **state)
{
	struct log *log = *state;

	delay_line_add(&log->line, make('a', run), 100);
	delay_line_add(&log->line, make('b', run), 50);
	delay_line_add(&log->line, make('c', run), 200);
	assert_true(sim_run_idle(log->sim, VT_S));
	assert_string_equal(log->names, "abc");
	assert_int_equal(log->at[0], 100);
	assert_int_equal(log->at[1], 100);
	assert_int_equal(log->at[2], 200);
	assert_int_equal(log->released, 3);
}

static bool is_named(const struct delay_line_item *item, const void *arg)
{
	return ((const struct numbered *)item)->name == *(const char *)arg;
}

/* Drops first, last and middle items; items that are added afterwards still leave. */
static void dropping(void **state)
{
	struct log *log = *state;
	const char *p;

	for (p = "xaxbx"; *p; p++)
		delay_line_add(&log->line, make(*p, run), 10);
	delay_line_drop(&log->line, is_named, "x");
	assert_int_equal(log->released, 3);
	delay_line_add(&log->line, make('c', run), 10);
	assert_true(sim_run_idle(log->sim, VT_S));
	assert_string_equal(log->names, "abc");
	delay_line_add(&log->line, make('x', run), 100);
	delay_line_drop(&log->line, is_named, "x");
	delay_line_add(&log->line, make('d', run), 200);
	assert_true(sim_run_idle(log->sim, VT_S));
	assert_string_equal(log->names, "abcd");
	assert_int_equal(log->at[3], 200);
}

static void run_and_clear(void *owner, struct delay_line_item *item)
{
	struct log *log = owner;

	run(owner, item);
	delay_line_clear(&log->line);
}

static void run_and_add(void *owner, struct delay_line_item *item)
{
	struct log *log = owner;

	run(owner, item);
	delay_line_add(&log->line, make('z', run), sim_now(log->sim) + 5);
}

static void from_within(void **state)
{
	struct log *log = *state;

	delay_line_add(&log->line, make('a', run_and_add), 10);
	delay_line_add(&log->line, make('b', run), 10);
	assert_true(sim_run_idle(log->sim, VT_S));
	assert_string_equal(log->names, "abz");
	assert_int_equal(log->at[2], 15);
	delay_line_add(&log->line, make('c', run_and_clear), 20);
	delay_line_add(&log->line, make('d', run), 20);
	assert_true(sim_run_idle(log->sim, VT_S));
	assert_string_equal(log->names, "abzc");
	assert_int_equal(log->released, 5);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = { TEST(order), TEST(dropping), TEST(from_within) };

	return cmocka_run_group_tests_name("delay line", tests, NULL, NULL);
}
