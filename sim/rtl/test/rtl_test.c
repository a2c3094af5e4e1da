// SPDX-License-Identifier: BSD-2-Clause
/* The seam to the Verilated NIC: the bytes that cross it, its resets, its ALU, and wave forms. */
#include <endian.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "alu/alu.h"
#include "rtl/rtl.h"
#include "rtl/test/seam.h"

static void frames_are_those_of_the_model(void **state)
{
	static const size_t lengths[] = { 0, 8, 48, 56, 64, 72, 1024, 4088, 4096 };
	struct seam *s = seam_new("frames");

	(void)state;
	for (unsigned int i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		const struct roce_hdr h = seam_header();
		const struct tally_tch tch = seam_tch(lengths[i]);
		uint8_t data[TALLY_MAX_MTU];
		struct frame *f;

		seam_fill(data, lengths[i], i);
		f = roce_build(&h, &tch, sizeof(tch), data, lengths[i]);
		assert_non_null(f);
		seam_send(s, lengths[i], i);
		seam_run(s);
		assert_int_equal(s->frames, i + 1);
		assert_int_equal(s->frame_len, f->len);
		assert_memory_equal(s->frame, f->data, f->len);
		frame_unref(f);
	}
	seam_free(s);
}

static void frames_come_back_as_packets(void **state)
{
	static const size_t lengths[] = { 8, 4096, 64 };
	struct seam *s = seam_new("packets");

	(void)state;
	for (unsigned int i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		const struct roce_hdr h = seam_header();
		const struct tally_tch tch = seam_tch(lengths[i]);
		uint8_t data[TALLY_MAX_MTU];

		seam_fill(data, lengths[i], i);
		seam_send(s, lengths[i], i);
		seam_run(s);
		s->units->frame(s->unit, s->now, s->frame, s->frame_len);
		seam_run(s);
		assert_int_equal(s->packets, i + 1);
		assert_int_equal(s->body_len, sizeof(tch) + lengths[i]);
		assert_memory_equal(s->body, &tch, sizeof(tch));
		assert_memory_equal(s->body + sizeof(tch), data, lengths[i]);
		assert_memory_equal(s->hdr.sgid, h.sgid, 16);
		assert_memory_equal(s->hdr.smac, h.smac, 6);
		assert_int_equal(s->hdr.dest_qp, h.dest_qp);
		assert_int_equal(s->hdr.psn, h.psn);
		assert_int_equal(s->hdr.opcode, TALLY_BTH_OPCODE_COLL);
		assert_false(s->hdr.ce);
	}
	assert_int_equal(s->bad, 0);
	assert_int_equal(s->admission.verdict, TALLY_FW_ADMISSION_OK);
	assert_int_equal(s->admission.group, GROUP);
	assert_int_equal(s->admission.edge, 0);
	seam_free(s);
}

/* A packet that is refused has no payload; what is written later counts from then on. */
static void tables_decide_about_packets(void **state)
{
	const uint32_t reg = TALLY_FW_GROUP_BASE + GROUP * TALLY_FW_GROUP_STRIDE;
	struct seam *s = seam_new("tables");

	(void)state;
	seam_send(s, 4096, 0);
	seam_run(s);
	seam_put(s, reg + AT(group, epoch), EPOCH + 1);
	s->units->frame(s->unit, s->now + 8192 * CLOCK, s->frame, s->frame_len);
	seam_run(s);
	assert_int_equal(s->packets, 1);
	assert_int_equal(s->admission.verdict, TALLY_FW_ADMISSION_EPOCH);
	assert_int_equal(s->body_len, sizeof(struct tally_tch));
	assert_true(s->settled);
	seam_put(s, reg + AT(group, epoch), EPOCH);
	s->units->frame(s->unit, s->now, s->frame, s->frame_len);
	seam_run(s);
	assert_int_equal(s->admission.verdict, TALLY_FW_ADMISSION_OK);
	assert_int_equal(s->body_len, sizeof(struct tally_tch) + 4096);
	assert_false(s->settled);
	seam_put(s, TALLY_FW_COMMAND_BASE + AT(command, go), TALLY_FW_CMD_RELEASE | GROUP << 16);
	seam_run(s); /* it visits all edges */
	s->units->frame(s->unit, s->now, s->frame, s->frame_len);
	seam_run(s);
	assert_int_equal(s->admission.verdict, TALLY_FW_ADMISSION_JID);
	assert_int_equal(s->bad, 0);
	seam_free(s);
}

/* The numbers of an epoch begin at 0, whatever the one before has left open. */
static void epochs_of_the_segment_store(void **state)
{
	struct seam *s = seam_new("store");
	unsigned int epoch;

	(void)state;
	seam_put(s, TALLY_FW_POOL_BASE + AT(pool, num), 3);
	seam_put(s, TALLY_FW_POOL_BASE + AT(pool, max), 8);
	seam_put(s, TALLY_FW_POOL_BASE + AT(pool, go), TALLY_FW_POOL_JOIN | GROUP << 16);
	for (epoch = 0; epoch < 2; epoch++) {
		seam_put(s, TALLY_FW_POOL_BASE + AT(pool, go), TALLY_FW_POOL_BEGIN | GROUP << 16);
		seam_run(s);
		assert_int_equal(s->epochs, epoch + 1);
		assert_int_equal(s->limit, 3);
		s->units->command(s->unit, s->now, TALLY_FW_STORE_CMD_FINISH, GROUP, 1);
		seam_run(s);
		assert_int_equal(s->done, 0);
		s->units->command(s->unit, s->now, TALLY_FW_STORE_CMD_FINISH, GROUP, 0);
		seam_run(s);
		assert_int_equal(s->done, 2);
		assert_int_equal(s->limit, 5);
		seam_put(s, TALLY_FW_POOL_BASE + AT(pool, go), TALLY_FW_POOL_END | GROUP << 16);
		s->units->command(s->unit, s->now, TALLY_FW_STORE_CMD_END, GROUP, 0);
	}
	seam_run(s);
	assert_int_equal(s->units->next(s->unit), UINT64_MAX);
	seam_free(s);
}

static void a_frame_that_is_no_packet_has_a_reason(void **state)
{
	struct seam *s = seam_new("bad");

	(void)state;
	seam_send(s, 8, 0);
	seam_run(s);
	s->frame[s->frame_len - 1] ^= 1;
	s->units->frame(s->unit, s->now, s->frame, s->frame_len);
	seam_run(s);
	assert_int_equal(s->bad, 1);
	assert_int_equal(s->why, TALLY_RX_UDP_CHECKSUM);
	s->frame[s->frame_len - 1] ^= 1;
	s->frame[5] ^= 1;
	s->units->frame(s->unit, s->now, s->frame, s->frame_len);
	seam_run(s);
	assert_int_equal(s->bad, 2);
	assert_int_equal(s->why, TALLY_RX_STATION);
	assert_int_equal(s->packets, 0);
	seam_free(s);
}

static void a_reset_drops_what_is_inside(void **state)
{
	struct seam *s = seam_new("reset");

	(void)state;
	seam_send(s, 8, 0);
	seam_run(s);
	s->units->frame(s->unit, s->now, s->frame, s->frame_len);
	seam_send(s, 4096, 0);
	for (unsigned int i = 0; i < 10; i++)
		s->units->advance(s->unit, s->now += CLOCK);
	s->units->reset(s->unit);
	assert_int_equal(s->units->next(s->unit), UINT64_MAX);
	assert_int_equal(seam_run(s), 0);
	assert_int_equal(s->frames, 1);
	assert_int_equal(s->packets, 0);
	/* It knows its addresses as before, but no group. */
	s->units->frame(s->unit, s->now, s->frame, s->frame_len);
	seam_run(s);
	assert_int_equal(s->packets, 1);
	assert_int_equal(s->bad, 0);
	assert_int_equal(s->admission.verdict, TALLY_FW_ADMISSION_JID);
	seam_free(s);
}

/* Random bytes are values of every kind, few of them special. */
static void fill_random(uint8_t *data, size_t len, uint64_t *seed)
{
	for (size_t i = 0; i < len; i++) {
		*seed = *seed * 6364136223846793005u + 1442695040888963407u;
		data[i] = *seed >> 60 ? *seed >> 33 : *seed >> 35 & 1 ? 0xff : 0;
	}
}

/* Every pair of operation and type, of lengths within a word, beyond one, and of many words. */
static void reductions_are_those_of_the_model(void **state)
{
	static const uint32_t counts[] = { 1, 3, 17, 200 };
	struct seam *s = seam_new("alu");
	unsigned int pairs = 0;
	uint64_t seed = 1;

	(void)state;
	for (unsigned int k = 0; k < 256 * 256; k++) {
		uint8_t op = k / 256, type = k % 256;

		if (!alu_supported(op, type))
			continue;
		pairs++;
		for (unsigned int i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
			size_t len = counts[i] * alu_elem_size(op, type);
			uint8_t a[TALLY_MAX_MTU], b[TALLY_MAX_MTU], expected[TALLY_MAX_MTU];
			uint16_t flags;

			assert_true(len < sizeof(a));
			fill_random(a, sizeof(a), &seed);
			fill_random(b, sizeof(b), &seed);
			memcpy(expected, a, sizeof(a));
			flags = alu_reduce(op, type, expected, b, counts[i]);
			assert_int_equal(s->units->reduce(s->unit, op, type, a, b, counts[i]),
					 flags);
			assert_memory_equal(a, expected, sizeof(a));
		}
	}
	assert_true(pairs > 100);
	seam_free(s);
}

static bool has_bytes(const char *dir, const char *name)
{
	char path[128];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s.fst", dir, name);
	if (stat(path, &st))
		return false;
	unlink(path);
	return st.st_size > 0;
}

/* Last, because the option is valid for the rest of the program. */
static void wave_forms_of_one_nic(void **state)
{
	char dir[] = "/tmp/tally-wave-XXXXXX", option[64];
	struct seam *s[2];

	(void)state;
	assert_non_null(mkdtemp(dir));
	assert_false(rtl_take_wave("/tmp,nick=1"));
	assert_false(rtl_take_wave("/tmp,from=7"));
	assert_false(rtl_take_wave("/tmp,from=2us,to=1us"));
	assert_false(rtl_take_wave("/tmp/no folder"));
	snprintf(option, sizeof(option), "%s,nic=one,from=1ns,to=1ms", dir);
	assert_true(rtl_take_wave(option));
	assert_true(rtl_check_wave(rtl_units()));
	assert_false(rtl_check_wave(NULL));
	s[0] = seam_new("one");
	s[1] = seam_new("two");
	for (unsigned int i = 0; i < 2; i++) {
		seam_send(s[i], 8, 0);
		seam_run(s[i]);
		seam_free(s[i]);
	}
	assert_true(has_bytes(dir, "one"));
	assert_false(has_bytes(dir, "two"));
	assert_int_equal(rmdir(dir), 0);
}

static void an_unknown_engine_is_refused(void **state)
{
	const struct nic_units *units = NULL;

	(void)state;
	assert_true(rtl_take_engine("rtl", &units));
	assert_non_null(units);
	assert_true(rtl_take_engine("model", &units));
	assert_null(units);
	assert_false(rtl_take_engine("warp", &units));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_are_those_of_the_model),
		cmocka_unit_test(frames_come_back_as_packets),
		cmocka_unit_test(tables_decide_about_packets),
		cmocka_unit_test(epochs_of_the_segment_store),
		cmocka_unit_test(a_frame_that_is_no_packet_has_a_reason),
		cmocka_unit_test(a_reset_drops_what_is_inside),
		cmocka_unit_test(reductions_are_those_of_the_model),
		cmocka_unit_test(an_unknown_engine_is_refused),
		cmocka_unit_test(wave_forms_of_one_nic),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
