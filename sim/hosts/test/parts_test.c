// SPDX-License-Identifier: BSD-2-Clause
/* Parts of a scripted host: memory, numbers, trees. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "hosts/arena.h"
#include "hosts/ids.h"
#include "hosts/tree.h"

#define ARENA_BYTES	(1u << 20)
#define LARGE_BYTES	(512u << 10)

static void arena_blocks(void **state)
{
	struct arena a;
	uint64_t x, y;

	(void)state;
	assert_int_equal(arena_init(&a, ARENA_BYTES), 0);
	x = arena_alloc(&a, 100);
	y = arena_alloc(&a, 5000);
	assert_int_equal(x % 128, 0);
	assert_int_equal(y % 8192, 0);
	assert_true(y >= x + 128 || x >= y + 8192);
	assert_int_equal(a.used, 128 + 8192);
	memset(arena_at(&a, x, 100), 7, 100);
	arena_release(&a, x, 100);
	assert_int_equal(arena_alloc(&a, 128), x);
	assert_int_equal(*(uint8_t *)arena_at(&a, x, 1), 0);
	assert_int_equal(a.written_after_free, 0);
	assert_int_equal(arena_alloc(&a, ARENA_BYTES), 0);
	arena_free(&a);
}

/* Returns the number of pages of a block that occupy memory. */
static unsigned int resident(const struct arena *a, uint64_t at, size_t len)
{
	unsigned int pages = len / sysconf(_SC_PAGESIZE), n = 0;
	unsigned char in[ARENA_BYTES / 4096];

	assert_int_equal(mincore(arena_at(a, at, len), len, in), 0);
	for (unsigned int i = 0; i < pages; i++)
		n += in[i] & 1;
	return n;
}

/* A cleared block reads as zeroes; its whole pages occupy no memory. */
static void arena_cleared(void **state)
{
	size_t page = sysconf(_SC_PAGESIZE), len = 4 * page;
	struct arena a;
	uint64_t x, y;
	uint8_t *at;

	(void)state;
	assert_int_equal(arena_init(&a, ARENA_BYTES), 0);
	x = arena_alloc(&a, len);
	at = arena_at(&a, x, len);
	memset(at, 7, len);
	assert_int_equal(resident(&a, x, len), 4);
	arena_clear(&a, x, 3 * page + 5);
	assert_int_equal(resident(&a, x, len), 1);
	for (size_t i = 0; i < len; i++)
		assert_int_equal(at[i], i < 3 * page + 5 ? 0 : 7);
	y = arena_alloc(&a, 100);
	memset(arena_at(&a, y, 100), 7, 100);
	arena_clear(&a, y, 99);
	assert_int_equal(*(uint8_t *)arena_at(&a, y + 98, 1), 0);
	assert_int_equal(*(uint8_t *)arena_at(&a, y + 99, 1), 7);
	arena_free(&a);
}

static void arena_ranges(void **state)
{
	struct arena a;

	(void)state;
	assert_int_equal(arena_init(&a, ARENA_BYTES), 0);
	assert_non_null(arena_at(&a, ARENA_BUS_BASE, ARENA_BYTES));
	assert_non_null(arena_at(&a, ARENA_BUS_BASE + ARENA_BYTES - 1, 1));
	assert_null(arena_at(&a, ARENA_BUS_BASE + ARENA_BYTES - 1, 2));
	assert_null(arena_at(&a, ARENA_BUS_BASE - 1, 1));
	assert_null(arena_at(&a, UINT64_MAX, 1));
	arena_free(&a);
}

/* A write to any byte of a free block is detected, including the last. */
static void arena_trespass(void **state)
{
	static const struct {
		size_t len, place;
	} writes[] = {
		{ 4096, 0 }, { 4096, 1 }, { 4096, 2047 }, { 4096, 4095 },
		{ LARGE_BYTES, 0 }, { LARGE_BYTES, 1 }, { LARGE_BYTES, LARGE_BYTES - 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(writes) / sizeof(writes[0]); i++) {
		size_t len = writes[i].len;
		struct arena a;
		uint8_t *at;
		uint64_t x;

		assert_int_equal(arena_init(&a, ARENA_BYTES), 0);
		x = arena_alloc(&a, len);
		at = arena_at(&a, x, len);
		arena_release(&a, x, len);
		at[writes[i].place]++;
		assert_int_equal(arena_alloc(&a, len), x);
		assert_int_equal(a.written_after_free, x);
		arena_free(&a);
	}
}

/* A large block that is free occupies no memory, and is zeroed when it is used again. */
static void arena_large(void **state)
{
	struct arena a;
	uint64_t x;

	(void)state;
	assert_int_equal(arena_init(&a, ARENA_BYTES), 0);
	x = arena_alloc(&a, LARGE_BYTES);
	memset(arena_at(&a, x, LARGE_BYTES), 7, LARGE_BYTES);
	arena_release(&a, x, LARGE_BYTES);
	assert_int_equal(resident(&a, x, LARGE_BYTES), 0);
	assert_int_equal(arena_alloc(&a, LARGE_BYTES), x);
	assert_int_equal(a.written_after_free, 0);
	for (size_t i = 0; i < LARGE_BYTES; i += 511)
		assert_int_equal(*(uint8_t *)arena_at(&a, x + i, 1), 0);
	arena_free(&a);
}

static void numbers(void **state)
{
	struct ids ids = { .limit = 10 };

	(void)state;
	assert_int_equal(ids_take(&ids, 4), 0);
	assert_int_equal(ids_take(&ids, 4), 4);
	assert_int_equal(ids_take(&ids, 4), IDS_NONE);
	ids_give(&ids, 0, 4);
	assert_false(ids_taken(&ids, 3));
	assert_true(ids_taken(&ids, 4));
	assert_int_equal(ids.used, 4);
	assert_int_equal(ids_take(&ids, 1), 8);		/* not a number that was just freed */
	assert_int_equal(ids_take(&ids, 2), 0);
	assert_int_equal(ids_take(&ids, 2), 2);
	assert_int_equal(ids_take(&ids, 2), IDS_NONE);
	assert_int_equal(ids_take(&ids, 1), 9);
}

/* Checks that every node except the first has a parent before it, and that subtrees are ranges. */
static void check_tree(const struct tree *t, unsigned int degree)
{
	for (unsigned int i = 1; i < t->num_nodes; i++) {
		const struct tree_node *n = &t->node[i];
		const struct tree_node *p = &t->node[n->parent];

		assert_in_range(n->parent, 0, i - 1);
		assert_true(i + n->subtree <= n->parent + p->subtree);
		assert_int_equal(n->level, p->level + 1);
		assert_in_range(p->children, 1, degree);
		assert_in_range(n->slot, 0, p->children - 1);
	}
	assert_int_equal(t->node[0].subtree, t->num_nodes);
	assert_int_equal(t->node[0].parent, -1);
}

static void trees(void **state)
{
	static struct tree t;
	struct rng rng;

	(void)state;
	rng_seed(&rng, 1);
	for (unsigned int nodes = 1; nodes <= 40; nodes++)
		for (unsigned int degree = 1; degree <= 8; degree++) {
			tree_plan(&t, nodes, degree);
			check_tree(&t, degree);
			tree_random(&t, nodes, degree, &rng);
			check_tree(&t, degree);
		}
	tree_plan(&t, 7, 2);
	assert_int_equal(t.node[0].children, 2);
	assert_int_equal(t.node[4].parent, 0);
}

static void ranks(void **state)
{
	static struct tree t;
	unsigned int node, local;

	(void)state;
	tree_plan(&t, 4, 2);
	t.node[0].ranks = 0x11;
	t.node[1].ranks = 0;
	t.node[2].ranks = 1ull << 63;
	t.node[3].ranks = 0x6;
	tree_count_ranks(&t);
	assert_int_equal(t.total_ranks, 5);
	tree_rank(&t, 1, &node, &local);
	assert_int_equal(node, 0);
	assert_int_equal(local, 4);
	tree_rank(&t, 2, &node, &local);
	assert_int_equal(node, 2);
	assert_int_equal(local, 63);
	tree_rank(&t, 4, &node, &local);
	assert_int_equal(node, 3);
	assert_int_equal(local, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arena_blocks),
		cmocka_unit_test(arena_ranges),
		cmocka_unit_test(arena_cleared),
		cmocka_unit_test(arena_trespass),
		cmocka_unit_test(arena_large),
		cmocka_unit_test(numbers),
		cmocka_unit_test(trees),
		cmocka_unit_test(ranks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
