// SPDX-License-Identifier: BSD-2-Clause
/* The seam to the Verilated NIC: numbers of packets, acknowledgements and repetitions. */
#include <endian.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "rtl/test/seam.h"

static void arrive(struct seam *s, enum tally_fw_admission verdict)
{
	const size_t len = verdict == TALLY_FW_ADMISSION_OK ? 64 : 0;

	s->units->frame(s->unit, s->now, s->frame, s->frame_len);
	seam_run(s);
	assert_int_equal(s->admission.verdict, verdict);
	assert_int_equal(s->admission.group, GROUP);
	assert_true(s->admission.numbered);
	assert_int_equal(s->body_len, sizeof(struct tally_tch) + len);
}

/* A number passes until its packet is stored, and again when the edge has been opened again. */
static void a_number_passes_once(void **state)
{
	const uint32_t edge = TALLY_FW_GROUP_BASE + GROUP * TALLY_FW_GROUP_STRIDE + TALLY_FW_EDGE_OFFSET;
	struct seam *s = seam_new("numbers");

	(void)state;
	seam_send(s, 64, 0);
	seam_run(s);
	arrive(s, TALLY_FW_ADMISSION_OK);
	s->stores = true;
	arrive(s, TALLY_FW_ADMISSION_OK);
	arrive(s, TALLY_FW_ADMISSION_DUPLICATE);
	seam_put(s, edge + AT(edge, first_seq), TALLY_EDGE_WINDOW + 1);
	arrive(s, TALLY_FW_ADMISSION_WINDOW);
	seam_put(s, edge + AT(edge, first_seq), FIRST);
	arrive(s, TALLY_FW_ADMISSION_OK);
	arrive(s, TALLY_FW_ADMISSION_DUPLICATE);
	assert_int_equal(s->bad, 0);
	seam_free(s);
}

/* A stored packet and its duplicates share an acknowledgement. The clock stands still until it is due. */
static void numbers_are_acknowledged(void **state)
{
	struct seam *s = seam_new("acks");
	uint64_t stored;

	(void)state;
	seam_send(s, 64, 0);
	seam_run(s);
	s->stores = true;
	s->units->frame(s->unit, s->now, s->frame, s->frame_len);
	s->units->frame(s->unit, s->now, s->frame, s->frame_len);
	while (s->packets < 2)
		s->units->advance(s->unit, s->now += CLOCK);
	assert_int_equal(s->admission.verdict, TALLY_FW_ADMISSION_DUPLICATE);
	stored = s->at; /* some clocks later */
	assert_int_equal(s->acks, 0);
	assert_in_range(seam_run(s), 1, 20);
	assert_int_equal(s->acks, 1);
	assert_in_range(s->at - stored, TALLY_FW_ACK_DELAY * 1000 - 20 * CLOCK, TALLY_FW_ACK_DELAY * 1000);
	assert_int_equal(s->ack.group, GROUP);
	assert_int_equal(s->ack.edge, 0);
	assert_int_equal(s->ack.top, 0);
	assert_true(s->ack.seen & 1);
	s->stores = false;
	s->units->frame(s->unit, s->now, s->frame, s->frame_len);
	seam_run(s);
	assert_int_equal(s->acks, 2); /* the first one may be lost */
	seam_free(s);
}

/* Let the edge of seam_header() send, from a number on. */
static void open_edge(struct seam *s, uint32_t first, uint64_t rto, uint32_t retries)
{
	const uint32_t reg = TALLY_FW_GROUP_BASE + GROUP * TALLY_FW_GROUP_STRIDE;

	seam_put(s, reg + AT(group, rto), rto);
	seam_put(s, reg + AT(group, rto) + 4, rto >> 32);
	seam_put(s, reg + AT(group, max_backoff), rto);
	seam_put(s, reg + AT(group, max_backoff) + 4, rto >> 32);
	seam_put(s, reg + AT(group, retry_limit), retries);
	seam_put(s, reg + TALLY_FW_EDGE_OFFSET + AT(edge, own_first_seq), first);
}

static void send_numbered(struct seam *s, uint16_t ref, bool repeat, uint32_t seq)
{
	const struct engine_name name = { .group = GROUP, .edge = 0, .ref = ref, .again = repeat };
	const struct roce_hdr h = seam_header();
	struct tally_tch tch = seam_tch(8);
	const uint64_t data = 1;

	tch.edge_seq = htobe32(seq);
	s->units->send(s->unit, s->now, &h, &tch, &data, sizeof(data), &name);
}

/* The number of the frame that has left last. */
static uint32_t number_of_frame(struct seam *s)
{
	const size_t at = s->frame_len - 4 - 8 - sizeof(struct tally_tch); /* before ICRC and data */
	struct tally_tch tch;

	memcpy(&tch, s->frame + at, sizeof(tch));
	return be32toh(tch.edge_seq);
}

static void run_until(struct seam *s, const unsigned int *count, unsigned int n)
{
	unsigned int edges = 0;

	while (*count < n) {
		assert_true(edges++ < 1000);
		s->now = s->units->next(s->unit);
		s->units->advance(s->unit, s->now);
	}
}

/*
 * The hardware numbers packets, and forgets them once they are acknowledged. What is not is sent again
 * after the time-out, during which the clock stands still, and in the end the neighbour counts as
 * silent.
 */
static void packets_get_numbers(void **state)
{
	const uint64_t rto = 1000000000;
	struct seam *s = seam_new("tx");
	const struct roce_hdr h = seam_header();
	struct tally_tch ack = seam_tch(0);
	const uint64_t seen = htobe64(1);
	struct frame *f;
	uint64_t sent;

	(void)state;
	open_edge(s, 0xffffffff, rto, 1);
	send_numbered(s, 5, false, 77);
	sent = s->now;
	run_until(s, &s->frames, 1);
	assert_int_equal(number_of_frame(s), 0xffffffff);
	send_numbered(s, 6, false, 77);
	run_until(s, &s->frames, 2);
	assert_int_equal(number_of_frame(s), 0);
	ack.kind = TALLY_KIND_ACK;
	ack.opcode = ack.op = ack.dtype = 0;
	f = roce_build(&h, &ack, sizeof(ack), &seen, sizeof(seen));
	assert_non_null(f);
	s->units->frame(s->unit, s->now, f->data, f->len);
	frame_unref(f);
	run_until(s, &s->acked, 1);
	assert_int_equal(s->sent.group, GROUP);
	assert_int_equal(s->sent.ref, 6);
	assert_int_equal(s->sent.seq, 0);
	assert_int_equal(s->again, 0);
	run_until(s, &s->again, 1);
	assert_int_equal(s->sent.ref, 5);
	assert_int_equal(s->sent.seq, 0xffffffff);
	assert_int_equal(s->expiry.tries, 1);
	assert_in_range(s->again_at - sent, rto, rto + 400 * CLOCK);
	send_numbered(s, 5, true, 0xffffffff);
	run_until(s, &s->frames, 3);
	assert_int_equal(number_of_frame(s), 0xffffffff);
	run_until(s, &s->expired, 2);
	assert_true(s->expiry.over);
	seam_run(s);
	assert_int_equal(s->again, 1);
	seam_put(s, TALLY_FW_COMMAND_BASE + AT(command, go), TALLY_FW_CMD_FREEZE | GROUP << 16);
	seam_run(s);
	send_numbered(s, 5, true, 0xffffffff);
	send_numbered(s, 7, false, 0);
	seam_run(s);
	assert_int_equal(s->frames, 3);
	seam_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_number_passes_once),
		cmocka_unit_test(numbers_are_acknowledged),
		cmocka_unit_test(packets_get_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
