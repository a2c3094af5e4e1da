// SPDX-License-Identifier: BSD-2-Clause
/*
 * Tests accesses to memory regions by the Verilated NIC at its seam: what is read and written where,
 * what is refused, that a removed region has no access left, and that hardware that waits for
 * memory gets no clock.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gen/tally_fw_hw.h"
#include "nic/nic.h"
#include "rtl/rtl.h"

#define CLOCK		4000ull /* ps */
#define LATENCY		(100 * CLOCK)
#define MEMORY		0x10000
#define BASE		0x4000000000ull
#define IOVA		0x7f0000000300ull
#define REG(field)	(TALLY_FW_REGION_BASE + offsetof(struct tally_fw_region, field))
#define LKEY		0xfff07u
#define PD		1023u
#define LENGTH		0x2800u
#define PLACE		0x345u /* of the first byte in its page */

enum { MOST = 1024, ACCESSES = 128 };

struct burst {
	struct nic_access what;
	uint64_t at;
	uint8_t *data; /* NULL: it reads */
};

struct answer {
	bool there;
	enum tally_coll_status status;
	uint8_t data[TALLY_PAGE_SIZE];
	size_t len;
	uint64_t at;
};

struct seam {
	const struct nic_units *units;
	void *unit;
	uint64_t now;
	uint8_t memory[MEMORY]; /* of the addresses from BASE on */
	struct burst bursts[MOST];
	unsigned int num_bursts, bursts_done, written, edges, ended;
	struct answer answers[ACCESSES];
	uint32_t order[ACCESSES]; /* in which they ended */
};

static void note(struct seam *s, const struct nic_access *what, const void *data)
{
	struct burst *b = &s->bursts[s->num_bursts++];

	assert_true(s->num_bursts <= MOST);
	*b = (struct burst){ *what, s->now, NULL };
	if (!data)
		return;
	b->data = malloc(what->len);
	assert_non_null(b->data);
	memcpy(b->data, data, what->len);
}

static void read(void *ctx, const struct nic_access *what)
{
	note(ctx, what, NULL);
}

static void write(void *ctx, const struct nic_access *what, const void *data)
{
	assert_int_equal(what->id, NIC_AXI_REGIONS);
	note(ctx, what, data);
}

static void written(void *ctx)
{
	((struct seam *)ctx)->written++;
}

static void accessed(void *ctx, uint32_t id, enum tally_coll_status status, const void *data, size_t len)
{
	struct seam *s = ctx;
	struct answer *a = &s->answers[id];

	assert_true(id < ACCESSES && !a->there && len <= sizeof(a->data));
	*a = (struct answer){ .there = true, .status = status, .len = len, .at = s->now };
	if (len)
		memcpy(a->data, data, len);
	s->order[s->ended++] = id;
}

static const struct nic_units_host host = {
	.read = read, .write = write, .written = written, .accessed = accessed,
};

static uint8_t *at(struct seam *s, uint64_t addr, size_t len)
{
	return addr >= BASE && addr - BASE <= MEMORY - len ? s->memory + (addr - BASE) : NULL;
}

/* The memory answers what was asked for a latency ago. */
static void answer(struct seam *s)
{
	while (s->bursts_done < s->num_bursts && s->bursts[s->bursts_done].at + LATENCY <= s->now) {
		struct burst *b = &s->bursts[s->bursts_done++];
		uint8_t *memory = at(s, b->what.addr, b->what.len);

		if (!b->data) {
			s->units->read_done(s->unit, s->now, b->what.id, memory, b->what.len);
			continue;
		}
		if (memory)
			memcpy(memory, b->data, b->what.len);
		s->units->write_done(s->unit, s->now, b->what.id, memory);
		free(b->data);
	}
}

/* Run until @until, or until nothing is left to do. */
static void run_until(struct seam *s, uint64_t until)
{
	for (;;) {
		uint64_t edge = s->units->next(s->unit), memory = UINT64_MAX, next;

		if (s->bursts_done < s->num_bursts)
			memory = s->bursts[s->bursts_done].at + LATENCY;
		next = edge < memory ? edge : memory;
		if (next > until || next == UINT64_MAX)
			return;
		s->now = next > s->now ? next : s->now;
		answer(s);
		if (edge > s->now)
			continue;
		s->units->advance(s->unit, s->now);
		s->edges++;
		assert_true(s->edges < 20000);
	}
}

static void run(struct seam *s)
{
	run_until(s, UINT64_MAX - 1);
}

static void put(struct seam *s, uint32_t reg, uint64_t value)
{
	s->units->table(s->unit, s->now, reg, (uint32_t)value);
}

static void put64(struct seam *s, uint32_t reg, uint64_t value)
{
	put(s, reg, value);
	put(s, reg + 4, value >> 32);
}

/* A region whose pages are the second, the fourth and the third one from BASE on. */
static void enter(struct seam *s, uint32_t lkey, uint32_t access, bool contiguous)
{
	const uint64_t pages[] = { BASE + 0x1000, BASE + 0x3000, BASE + 0x2000 };

	memcpy(at(s, BASE, sizeof(pages)), pages, sizeof(pages));
	put(s, REG(lkey), lkey);
	put64(s, REG(iova), IOVA);
	put64(s, REG(addr), contiguous ? BASE + 0x1000 + PLACE : BASE);
	put64(s, REG(length), LENGTH);
	put(s, REG(offset), contiguous ? 0 : PLACE);
	put(s, REG(levels), !contiguous);
	put(s, REG(page_shift), contiguous ? 0 : TALLY_MIN_PAGE_SHIFT);
	put(s, REG(pd), PD);
	put(s, REG(access), access);
	put(s, REG(go), TALLY_FW_REGION_ENTER);
}

static struct seam *seam_new(const char *name)
{
	struct seam *s = calloc(1, sizeof(*s));
	struct nic_units_cfg cfg = { .host = &host, .ctx = s, .name = name, .clock_ps = CLOCK, .mac = { 2 } };

	assert_non_null(s);
	for (unsigned int i = 0; i < MEMORY; i++)
		s->memory[i] = (uint8_t)(i * 7 + i / 256);
	s->units = rtl_units();
	s->unit = s->units->open(&cfg);
	assert_non_null(s->unit);
	enter(s, LKEY, TALLY_ACCESS_LOCAL_WRITE, false);
	run(s);
	assert_false(s->units->writing(s->unit));
	assert_int_equal(s->written, 1);
	s->edges = 0;
	return s;
}

static void seam_free(struct seam *s)
{
	s->units->close(s->unit);
	free(s);
}

static void ask(struct seam *s, uint32_t id, uint64_t offset, uint32_t len, const void *data)
{
	struct nic_region_access a = { .id = id, .pd = PD, .sge = { IOVA + offset, len, LKEY }, .write = data };

	s->units->access(s->unit, s->now, &a, data);
}

/* Where a byte of the region is. */
static uint8_t *byte(struct seam *s, uint64_t offset)
{
	static const unsigned int pages[] = { 1, 3, 2 };
	uint64_t place = PLACE + offset;

	return s->memory + pages[place / TALLY_PAGE_SIZE] * TALLY_PAGE_SIZE + place % TALLY_PAGE_SIZE;
}

static void check_read(struct seam *s, uint32_t id, uint64_t offset, uint32_t len)
{
	const struct answer *a = &s->answers[id];

	assert_true(a->there);
	assert_int_equal(a->status, TALLY_COLL_OK);
	assert_int_equal(a->len, len);
	for (uint32_t i = 0; i < len; i++)
		assert_int_equal(a->data[i], *byte(s, offset + i));
}

static void a_read_follows_its_page_list(void **state)
{
	struct seam *s = seam_new("read");
	uint64_t begin;

	(void)state;
	s->now = begin = 1000000 * CLOCK;
	ask(s, 5, 0xb00, 1000, NULL); /* of two pages */
	run(s);
	check_read(s, 5, 0xb00, 1000);
	assert_int_equal(s->num_bursts, 4); /* two entries, two pieces */
	assert_in_range(s->answers[5].at, begin + 3 * LATENCY, begin + 3 * LATENCY + 60 * CLOCK);
	assert_in_range(s->edges, 20, 100); /* and none of the three hundred between */
	seam_free(s);
}

static void a_write_ends_in_memory(void **state)
{
	struct seam *s = seam_new("write");
	uint8_t data[3000];

	(void)state;
	memset(data, 0xa5, sizeof(data));
	ask(s, 1, 0xb00, sizeof(data), data);
	run(s);
	assert_true(s->answers[1].there);
	assert_int_equal(s->answers[1].status, TALLY_COLL_OK);
	for (uint32_t i = 0; i < sizeof(data); i++)
		assert_int_equal(*byte(s, 0xb00 + i), 0xa5);
	assert_int_not_equal(*byte(s, 0xb00 - 1), 0xa5);
	assert_int_not_equal(*byte(s, 0xb00 + sizeof(data)), 0xa5);
	assert_true(s->answers[1].at >= s->bursts[s->num_bursts - 1].at + LATENCY);
	seam_free(s);
}

static enum tally_coll_status refused(struct seam *s, struct nic_region_access a)
{
	static uint8_t data[64];
	unsigned int before = s->num_bursts;

	s->answers[7].there = false;
	s->ended = 0;
	a.id = 7;
	s->units->access(s->unit, s->now, &a, data);
	run(s);
	assert_true(s->answers[7].there);
	if (s->answers[7].status != TALLY_COLL_DMA_ERROR)
		assert_int_equal(s->num_bursts, before);
	return s->answers[7].status;
}

static void accesses_are_refused(void **state)
{
	struct seam *s = seam_new("refused");
	const uint64_t none = BASE + MEMORY;

	(void)state;
	enter(s, 0x300, 0, false);
	run(s);
	assert_int_equal(refused(s, (struct nic_region_access){ .pd = PD, .sge = { IOVA, 64, LKEY ^ 1 } }),
			 TALLY_COLL_BAD_LKEY);
	assert_int_equal(refused(s, (struct nic_region_access){ .pd = PD - 1, .sge = { IOVA, 64, LKEY }, .write = true }),
			 TALLY_COLL_BAD_LKEY);
	assert_int_equal(refused(s, (struct nic_region_access){ .pd = PD, .sge = { IOVA - 1, 64, LKEY } }),
			 TALLY_COLL_MR_RANGE);
	assert_int_equal(refused(s, (struct nic_region_access){ .pd = PD, .sge = { IOVA + LENGTH - 63, 64, LKEY }, .write = true }),
			 TALLY_COLL_MR_RANGE);
	assert_int_equal(refused(s, (struct nic_region_access){ .pd = PD, .sge = { IOVA, 64, 0x300 }, .write = true }),
			 TALLY_COLL_MR_ACCESS);
	assert_int_equal(refused(s, (struct nic_region_access){ .pd = PD, .sge = { IOVA, 0, LKEY }, .write = true }),
			 TALLY_COLL_OK);
	memcpy(at(s, BASE, 8), &none, 8); /* the first page is no memory */
	assert_int_equal(refused(s, (struct nic_region_access){ .pd = PD, .sge = { IOVA, 64, LKEY } }),
			 TALLY_COLL_DMA_ERROR);
	assert_int_equal(refused(s, (struct nic_region_access){ .pd = PD, .sge = { IOVA, 64, LKEY }, .write = true }),
			 TALLY_COLL_DMA_ERROR);
	ask(s, 8, 0x1000, 500, NULL); /* of the second page */
	run(s);
	check_read(s, 8, 0x1000, 500);
	seam_free(s);
}

/* More than the hardware takes at a time. The reads end in their order, and the writes. */
static void many_accesses_end(void **state)
{
	struct seam *s = seam_new("many");
	uint32_t last[2] = { 0, 1 };
	uint8_t data[700];

	(void)state;
	for (uint32_t i = 0; i < ACCESSES; i++) {
		memset(data, (int)i, sizeof(data));
		ask(s, i, i % 2 * 0x1400 + i / 2 * 16, i % 2 ? 64 : sizeof(data), i % 2 ? data : NULL);
	}
	run(s);
	assert_int_equal(s->ended, ACCESSES);
	for (uint32_t i = 0; i < ACCESSES; i++) {
		assert_true(s->order[i] >= last[s->order[i] % 2]);
		last[s->order[i] % 2] = s->order[i];
		if (i % 2 == 0)
			check_read(s, i, i / 2 * 16, sizeof(data));
		else
			assert_int_equal(*byte(s, 0x1400 + i / 2 * 16), i);
	}
	assert_in_range(s->edges, 64 * 11, 64 * 50);
	seam_free(s);
}

/* What was permitted before has ended when the removal has been carried out; what is asked then is refused. */
static void a_removal_waits_for_accesses(void **state)
{
	struct seam *s = seam_new("removal");
	uint8_t data[64] = { 1 };

	(void)state;
	ask(s, 1, 0, 64, NULL);
	ask(s, 2, 64, 64, data);
	run_until(s, s->now + LATENCY / 2); /* their lists are being read */
	assert_int_equal(s->ended, 0);
	put(s, REG(go), TALLY_FW_REGION_REMOVE);
	run_until(s, s->now + 5 * CLOCK); /* until the command is offered */
	ask(s, 3, 0, 64, NULL);
	while (s->units->writing(s->unit)) {
		assert_int_equal(s->written, 1);
		run_until(s, s->now + CLOCK);
		s->now += CLOCK;
	}
	assert_int_equal(s->written, 2);
	check_read(s, 1, 0, 64);
	assert_int_equal(s->answers[2].status, TALLY_COLL_OK);
	assert_int_equal(s->bursts_done, s->num_bursts);
	run(s);
	ask(s, 4, 0, 64, NULL);
	run(s);
	assert_int_equal(s->answers[3].status, TALLY_COLL_BAD_LKEY);
	assert_int_equal(s->answers[4].status, TALLY_COLL_BAD_LKEY);
	seam_free(s);
}

/* A contiguous region takes the place of the other one, whose accesses are under way. */
static void another_region_under_the_same_key(void **state)
{
	struct seam *s = seam_new("again");

	(void)state;
	ask(s, 1, 0xc00, 300, NULL);
	run_until(s, s->now + 10 * CLOCK);
	put(s, REG(go), TALLY_FW_REGION_REMOVE);
	enter(s, LKEY, 0, true);
	run(s);
	check_read(s, 1, 0xc00, 300);
	ask(s, 2, 0xc00, 300, NULL);
	run(s);
	assert_int_equal(s->answers[2].status, TALLY_COLL_OK);
	assert_memory_equal(s->answers[2].data, s->memory + 0x1000 + PLACE + 0xc00, 300);
	seam_free(s);
}

static void a_reset_forgets_regions_and_accesses(void **state)
{
	struct seam *s = seam_new("reset");

	(void)state;
	ask(s, 1, 0, 64, NULL);
	run_until(s, s->now + 20 * CLOCK);
	assert_int_equal(s->num_bursts, 1);
	ask(s, 2, 0, 64, NULL);
	s->units->reset(s->unit);
	s->num_bursts = s->bursts_done = 0;
	assert_int_equal(s->units->next(s->unit), UINT64_MAX);
	ask(s, 3, 0, 64, NULL);
	run(s);
	assert_int_equal(s->ended, 1);
	assert_int_equal(s->answers[3].status, TALLY_COLL_BAD_LKEY);
	enter(s, LKEY, TALLY_ACCESS_LOCAL_WRITE, false);
	ask(s, 4, 0, 64, NULL);
	run(s);
	assert_int_equal(s->answers[4].status, TALLY_COLL_BAD_LKEY); /* it was asked before */
	ask(s, 5, 0, 64, NULL);
	run(s);
	check_read(s, 5, 0, 64);
	seam_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_read_follows_its_page_list),
		cmocka_unit_test(a_write_ends_in_memory),
		cmocka_unit_test(accesses_are_refused),
		cmocka_unit_test(many_accesses_end),
		cmocka_unit_test(a_removal_waits_for_accesses),
		cmocka_unit_test(another_region_under_the_same_key),
		cmocka_unit_test(a_reset_forgets_regions_and_accesses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
