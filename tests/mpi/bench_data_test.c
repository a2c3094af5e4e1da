// SPDX-License-Identifier: BSD-2-Clause
/*
 * The comparison of tests/mpi/bench.c: it accepts what a plain loop computes, and notices every
 * changed word.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bench_data.h"

#define RANKS 5
#define COUNT 7
#define ROOT 3
#define WORDS (RANKS * COUNT + BENCH_GUARD)

struct world {
	struct bench_turn turn[RANKS];
	uint32_t src[RANKS][WORDS], dst[RANKS][WORDS];
};

static void fill(struct world *w, enum bench_op op, uint32_t number)
{
	memset(w, 0, sizeof(*w));
	for (uint32_t r = 0; r < RANKS; r++) {
		w->turn[r] = (struct bench_turn){ op, r, RANKS, ROOT, COUNT, number };
		bench_fill(&w->turn[r], w->src[r], w->dst[r]);
	}
}

/* Performs the operation word by word. */
static void perform(struct world *w)
{
	static uint32_t sum[WORDS], all[WORDS];

	memset(sum, 0, sizeof(sum));
	for (uint32_t r = 0; r < RANKS; r++) {
		for (uint32_t i = 0; i < RANKS * COUNT; i++)
			sum[i] += w->src[r][i];
		memcpy(&all[r * COUNT], w->src[r], COUNT * sizeof(uint32_t));
	}
	for (uint32_t r = 0; r < RANKS; r++) {
		const uint32_t *from[BENCH_NUM_OPS] = {
			[BENCH_ALLREDUCE] = sum,
			[BENCH_REDUCE] = sum,
			[BENCH_BCAST] = w->dst[ROOT],
			[BENCH_REDUCE_SCATTER] = &sum[r * COUNT],
			[BENCH_SCATTER] = &w->src[ROOT][r * COUNT],
			[BENCH_ALLGATHER] = all,
			[BENCH_GATHER] = all,
			[BENCH_BARRIER] = all,
		};

		memmove(w->dst[r], from[w->turn[r].op],
			bench_gotten(&w->turn[r]) * sizeof(uint32_t));
	}
}

static uint64_t wrong_at(const struct world *w, uint32_t r)
{
	return bench_compare(&w->turn[r], w->src[r], w->dst[r]).words;
}

static void right_results_pass(void **state)
{
	struct world *w = malloc(sizeof(*w));

	(void)state;
	for (enum bench_op op = 0; op < BENCH_NUM_OPS; op++) {
		for (uint32_t number = 0; number < 20; number++) {
			fill(w, op, number);
			perform(w);
			for (uint32_t r = 0; r < RANKS; r++)
				assert_int_equal(wrong_at(w, r), 0);
		}
	}
	free(w);
}

/* Without the operation, every word that a rank gets is wrong, except at the root of BCAST. */
static void nothing_done_fails(void **state)
{
	struct world *w = malloc(sizeof(*w));

	(void)state;
	for (enum bench_op op = 0; op < BENCH_NUM_OPS; op++) {
		fill(w, op, 1);
		for (uint32_t r = 0; r < RANKS; r++)
			if (op != BENCH_BCAST || r != ROOT)
				assert_int_equal(wrong_at(w, r), bench_gotten(&w->turn[r]));
	}
	free(w);
}

static void changed_words_are_named(uint32_t *words, uint64_t num, const struct world *w,
				    uint32_t r)
{
	for (uint64_t i = 0; i < num; i++) {
		struct bench_wrong wrong;
		uint32_t right = words[i];

		words[i] ^= 1u << i % 32;
		wrong = bench_compare(&w->turn[r], w->src[r], w->dst[r]);
		assert_int_equal(wrong.words, 1);
		assert_int_equal(wrong.index, i);
		assert_int_equal(wrong.is, words[i]);
		assert_int_equal(wrong.expected, right);
		words[i] = right;
	}
}

/* In the result, in what follows it, and in the source. */
static void each_changed_word_fails(void **state)
{
	struct world *w = malloc(sizeof(*w));

	(void)state;
	for (enum bench_op op = 0; op < BENCH_NUM_OPS; op++) {
		fill(w, op, 2);
		perform(w);
		for (uint32_t r = 0; r < RANKS; r++) {
			changed_words_are_named(w->dst[r], bench_gotten(&w->turn[r]) + BENCH_GUARD,
						w, r);
			changed_words_are_named(w->src[r], bench_given(&w->turn[r]), w, r);
		}
	}
	free(w);
}

/* The result of one iteration is wrong in the next one, and that of one rank at another. */
static void other_results_fail(void **state)
{
	struct world *w = malloc(sizeof(*w)), *next = malloc(sizeof(*w));

	(void)state;
	for (enum bench_op op = 0; op < BENCH_BARRIER; op++) {
		fill(w, op, 4);
		perform(w);
		fill(next, op, 5);
		perform(next);
		memcpy(next->dst[ROOT], w->dst[ROOT],
		       bench_gotten(&w->turn[ROOT]) * sizeof(uint32_t));
		assert_int_equal(wrong_at(next, ROOT), bench_gotten(&w->turn[ROOT]));
	}
	fill(w, BENCH_SCATTER, 6);
	perform(w);
	memcpy(w->dst[0], w->dst[1], COUNT * sizeof(uint32_t));
	assert_int_equal(wrong_at(w, 0), COUNT);
	free(w);
	free(next);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(right_results_pass),
		cmocka_unit_test(nothing_done_fails),
		cmocka_unit_test(each_changed_word_fails),
		cmocka_unit_test(other_results_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
