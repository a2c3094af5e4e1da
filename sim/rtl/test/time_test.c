// SPDX-License-Identifier: BSD-2-Clause
/*
 * The seam to the Verilated NIC: at which time of the simulation something leaves it, and that hardware
 * with nothing inside gets no clock.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "plan/cycles.h"
#include "rtl/test/seam.h"

#define WORD	64
/*
 * More until the payload is there, if the group is the first of its list, so that it has been found
 * before: three in the gate, one to see that it is not for the segment store.
 */
#define ADMISSION_CYCLES 4
/* From a write of a register until its answer: taken, decoded by two blocks, offered, told to others, answered. */
#define WRITE_CYCLES 6

/* The firmware sends OPEN after it has written the key that the neighbour is told. */
static void a_packet_leaves_after_earlier_writes(void **state)
{
	const uint32_t reg = TALLY_FW_GROUP_BASE + GROUP * TALLY_FW_GROUP_STRIDE;
	struct seam *s = seam_new("writes");
	const uint64_t writes = 20, begin = s->now = 1000000 * CLOCK;
	uint64_t i;

	(void)state;
	for (i = 0; i < writes; i++)
		seam_put(s, reg + AT(group, epoch), EPOCH);
	seam_send(s, 8, 0);
	seam_put(s, reg + AT(group, epoch), EPOCH);
	seam_run(s);
	assert_int_equal(s->frames, 1);
	assert_int_equal(s->now - s->early, begin + (WRITE_CYCLES * writes + BLOCK_CYCLES_ENCAP) * CLOCK);
	seam_free(s);
}

/* The cycles are those of the blocks: until the first word of a frame, and from its last one. */
static void time_is_that_of_the_cycles(void **state)
{
	struct seam *s = seam_new("time");
	uint64_t words, begin;

	(void)state;
	s->now = 1000 * CLOCK + 1; /* the next edge is number 1001 */
	seam_send(s, 8, 0);
	seam_run(s);
	words = (s->frame_len + WORD - 1) / WORD;
	assert_int_equal(words, 3);
	assert_int_equal(s->early, (words - 1) * CLOCK);
	assert_int_equal(s->at - s->early, (1001 + BLOCK_CYCLES_ENCAP) * CLOCK);

	/* A second later: the clock has stood still, and the edges are still at multiples of it. */
	s->now = begin = 1000000 * CLOCK * 250;
	s->units->frame(s->unit, s->now, s->frame, s->frame_len);
	seam_run(s);
	assert_int_equal(s->packets, 1);
	assert_int_equal(s->at, begin + (BLOCK_CYCLES_PARSE + ADMISSION_CYCLES) * CLOCK);

	/* While something else is inside, no edge can be had that has passed. */
	s->now = begin = 2000000 * CLOCK * 250;
	seam_send(s, 8, 0);
	s->units->advance(s->unit, s->now);
	s->units->frame(s->unit, s->now, s->frame, s->frame_len);
	seam_run(s);
	assert_int_equal(s->packets, 2);
	assert_in_range(s->at, begin + (words + BLOCK_CYCLES_PARSE + ADMISSION_CYCLES) * CLOCK,
			begin + (words + BLOCK_CYCLES_PARSE + ADMISSION_CYCLES + 2) * CLOCK);
	seam_free(s);
}

/* A packet that comes together with a frame must not enter at the edges of the frame's words. */
static void nothing_enters_before_its_time(void **state)
{
	struct seam *s = seam_new("order");
	uint8_t long_frame[TALLY_MAX_FRAME];
	size_t len;
	uint64_t begin;

	(void)state;
	seam_send(s, 4096, 0);
	seam_run(s);
	len = s->frame_len;
	memcpy(long_frame, s->frame, len);
	s->now = begin = 1000000 * CLOCK;
	s->units->frame(s->unit, s->now, long_frame, len);
	seam_send(s, 8, 1);
	while (s->frames < 2) {
		s->now = s->units->next(s->unit) > s->now ? s->units->next(s->unit) : s->now;
		s->units->advance(s->unit, s->now);
	}
	assert_int_equal(s->now - s->early, begin + BLOCK_CYCLES_ENCAP * CLOCK);
	seam_run(s);
	assert_int_equal(s->packets, 1);
	seam_free(s);
}

static void hardware_without_work_gets_no_clock(void **state)
{
	struct seam *s = seam_new("idle");
	unsigned int edges;

	(void)state;
	assert_int_equal(s->units->next(s->unit), UINT64_MAX);
	seam_send(s, 8, 0);
	edges = seam_run(s);
	assert_in_range(edges, BLOCK_CYCLES_ENCAP, 2 * BLOCK_CYCLES_ENCAP);
	assert_int_equal(s->units->next(s->unit), UINT64_MAX);
	s->now += 1000000000;
	s->units->advance(s->unit, s->now);
	assert_int_equal(s->units->next(s->unit), UINT64_MAX);
	assert_int_equal(s->frames, 1);
	seam_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_packet_leaves_after_earlier_writes),
		cmocka_unit_test(time_is_that_of_the_cycles),
		cmocka_unit_test(nothing_enters_before_its_time),
		cmocka_unit_test(hardware_without_work_gets_no_clock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
