// SPDX-License-Identifier: BSD-2-Clause
/* Tests page lists of every level, and that no step of a walk leaves host memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "nic/mem.h"

#define BASE	0x200000000ull
#define BYTES	(16u << 20)
#define SLOTS	(TALLY_PAGE_SIZE / sizeof(uint64_t))

static uint8_t *memory;
static uint64_t next_free;

static void *map(void *ctx, uint64_t addr, size_t len)
{
	(void)ctx;
	assert_true(len > 0 && addr % TALLY_PAGE_SIZE + len <= TALLY_PAGE_SIZE);
	if (addr < BASE || addr - BASE > BYTES - len)
		return NULL;
	return memory + (addr - BASE);
}

static const struct nic_bus ops = { .map = map };
static const struct bus bus = { .ops = &ops };

static int setup(void **state)
{
	(void)state;
	memory = aligned_alloc(TALLY_PAGE_SIZE, BYTES);
	assert_non_null(memory);
	memset(memory, 0xee, BYTES);
	next_free = BASE;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	free(memory);
	return 0;
}

static uint64_t take(size_t len)
{
	uint64_t at = (next_free + len - 1) / len * len;

	next_free = at + len;
	assert_true(next_free <= BASE + BYTES);
	return at;
}

static uint64_t *words(uint64_t addr)
{
	return (uint64_t *)(memory + (addr - BASE));
}

/*
 * Create a list of @levels levels over the pages of @size bytes at @pages[0 .. n-1], which become
 * entries @first and following of the list.
 */
static uint64_t make_list(unsigned int levels, const uint64_t *pages, size_t n, uint64_t first)
{
	uint64_t root = take(TALLY_PAGE_SIZE), i;

	memset(words(root), 0, TALLY_PAGE_SIZE);
	for (i = 0; i < n; i++) {
		uint64_t table = root, number = first + i;
		unsigned int level;

		for (level = levels; level > 1; level--) {
			uint64_t *entry = words(table) + (number >> 9 * (level - 1)) % SLOTS;

			if (!*entry) {
				*entry = htole64(take(TALLY_PAGE_SIZE));
				memset(words(le64toh(*entry)), 0, TALLY_PAGE_SIZE);
			}
			table = le64toh(*entry);
		}
		words(table)[number % SLOTS] = htole64(pages[i]);
	}
	return root;
}

static struct tally_mem raw_mem(uint64_t addr, uint64_t length, uint32_t offset, uint8_t levels,
				uint8_t shift)
{
	return (struct tally_mem){ .addr = htole64(addr), .length = htole64(length),
				   .offset = htole32(offset), .levels = levels,
				   .page_shift = shift };
}

static struct host_mem decode(const struct tally_mem *raw)
{
	struct host_mem mem;
	uint16_t bad;

	assert_true(mem_decode(&mem, raw, &bad));
	return mem;
}

/* Check the same bytes by their pieces. */
static void check_found(const struct host_mem *mem, uint64_t start, const uint8_t *bytes,
			size_t len)
{
	struct mem_piece *pieces = calloc(mem_pieces(len), sizeof(*pieces));
	size_t num, i;

	assert_non_null(pieces);
	assert_true(mem_find(&bus, mem, start, len, pieces, &num));
	assert_true(num <= mem_pieces(len));
	for (i = 0; i < num; i++) {
		assert_true(pieces[i].len <= len);
		assert_memory_equal(pieces[i].at, bytes, pieces[i].len);
		bytes += pieces[i].len;
		len -= pieces[i].len;
	}
	assert_int_equal(len, 0);
	free(pieces);
}

/* Write and read a pattern across the page borders, and check it in the pages. */
static void check_pages(const struct host_mem *mem, const uint64_t *pages, size_t page, size_t n,
			uint64_t start)
{
	size_t len = page * n - mem->offset, i;
	uint8_t *out = calloc(1, len), *in = calloc(1, len);

	assert_non_null(out);
	assert_non_null(in);
	for (i = 0; i < len; i++)
		out[i] = (uint8_t)(i * 7 + i / 251);
	assert_true(mem_copy_out(&bus, mem, start, out, len));
	assert_true(mem_copy_in(&bus, mem, start, in, len));
	assert_memory_equal(in, out, len);
	check_found(mem, start, out, len);
	for (i = 0; i < len; i++) {
		size_t at = start ? i : i + mem->offset;

		assert_int_equal(memory[pages[at / page] - BASE + at % page], out[i]);
	}
	free(out);
	free(in);
}

static void levels_0_to_3(void **state)
{
	uint64_t pages[3];
	struct tally_mem raw;
	struct host_mem mem;
	unsigned int levels;
	size_t i;

	(void)state;
	raw = raw_mem(take(8192) + 24, 5000, 0, 0, 0);
	mem = decode(&raw);
	pages[0] = le64toh(raw.addr);
	check_pages(&mem, pages, 5000, 1, 0);

	for (levels = 1; levels <= 3; levels++) {
		for (i = 0; i < 3; i++)
			pages[2 - i] = take(TALLY_PAGE_SIZE);
		raw = raw_mem(make_list(levels, pages, 3, 0), 3 * 4096 - 100, 100, levels, 12);
		mem = decode(&raw);
		check_pages(&mem, pages, TALLY_PAGE_SIZE, 3, 0);
	}
}

static void large_pages(void **state)
{
	uint64_t pages[2] = { take(1 << 16), take(1 << 16) };
	struct tally_mem raw = raw_mem(make_list(1, pages, 2, 0), (2 << 16) - 60000, 60000, 1, 16);
	struct host_mem mem = decode(&raw);

	(void)state;
	check_pages(&mem, pages, 1 << 16, 2, 0);
}

/* Indices of every level differ from 0: the last pages of a full three-level list. */
static void far_end(void **state)
{
	const uint64_t count = (uint64_t)SLOTS * SLOTS * SLOTS;
	uint64_t pages[2] = { take(4096), take(4096) }, root;
	struct tally_mem raw;
	struct host_mem mem;

	(void)state;
	root = make_list(3, pages, 2, count - 2);
	raw = raw_mem(root, count * 4096, 0, 3, 12);
	mem = decode(&raw);
	check_pages(&mem, pages, 4096, 2, (count - 2) * 4096);
	raw = raw_mem(root, count * 4096 + 1, 0, 3, 12);
	assert_false(mem_decode(&mem, &raw, &(uint16_t){ 0 }));
	raw = raw_mem(root, count * 4096, 1, 3, 12);
	assert_false(mem_decode(&mem, &raw, &(uint16_t){ 0 }));
}

static void bounds(void **state)
{
	struct tally_mem raw = raw_mem(take(4096), 100, 0, 0, 12);
	struct host_mem mem = decode(&raw);
	struct mem_piece pieces[2];
	uint8_t buf[128] = { 0 };
	size_t num;

	(void)state;
	assert_true(mem_copy_in(&bus, &mem, 0, buf, 100));
	assert_true(mem_copy_in(&bus, &mem, 100, buf, 0));
	assert_false(mem_copy_in(&bus, &mem, 0, buf, 101));
	assert_false(mem_copy_in(&bus, &mem, 1, buf, 100));
	assert_false(mem_copy_in(&bus, &mem, 101, buf, 0));
	assert_false(mem_copy_in(&bus, &mem, UINT64_MAX, buf, 2));
	assert_false(mem_copy_out(&bus, &mem, 99, buf, 2));
	assert_false(mem_find(&bus, &mem, 99, 2, pieces, &num));
	assert_true(mem_find(&bus, &mem, 100, 0, pieces, &num));
	assert_int_equal(num, 0);
	assert_true(mem_present(&bus, &mem, 100));
	assert_false(mem_present(&bus, &mem, 101));
}

/* Each table entry in turn points outside memory, or not to the start of a page. */
static void bad_steps(void **state)
{
	static const uint64_t wrong[] = { 0, BASE - 4096, BASE + BYTES, UINT64_MAX - 4095,
					  BASE + 8, BASE + 4095 };
	uint64_t page = take(4096), root = make_list(3, &page, 1, 0);
	struct tally_mem raw = raw_mem(root, 4096, 0, 3, 12);
	struct host_mem mem = decode(&raw);
	uint64_t *steps[3] = { words(root) };
	struct mem_piece pieces[2];
	size_t num;
	uint8_t buf[16];
	size_t i, j;

	(void)state;
	steps[1] = words(le64toh(*steps[0]));
	steps[2] = words(le64toh(*steps[1]));
	for (i = 0; i < 3; i++) {
		uint64_t good = *steps[i];

		for (j = 0; j < sizeof(wrong) / sizeof(wrong[0]); j++) {
			*steps[i] = htole64(wrong[j]);
			assert_false(mem_copy_in(&bus, &mem, 0, buf, sizeof(buf)));
			assert_false(mem_copy_out(&bus, &mem, 0, buf, sizeof(buf)));
			assert_false(mem_find(&bus, &mem, 0, sizeof(buf), pieces, &num));
			assert_false(mem_present(&bus, &mem, 4096));
		}
		*steps[i] = good;
		assert_true(mem_copy_in(&bus, &mem, 0, buf, sizeof(buf)));
	}
	raw = raw_mem(BASE - 4096, 4096, 0, 1, 12);
	mem = decode(&raw);
	assert_false(mem_copy_in(&bus, &mem, 0, buf, sizeof(buf)));
}

/* An entry of 64 KiB pages must be aligned to 64 KiB. */
static void large_page_alignment(void **state)
{
	uint64_t page = take(1 << 16) + 4096;
	struct tally_mem raw = raw_mem(make_list(1, &page, 1, 0), 100, 0, 1, 16);
	struct host_mem mem = decode(&raw);
	uint8_t buf[8];

	(void)state;
	assert_false(mem_copy_in(&bus, &mem, 0, buf, sizeof(buf)));
}

static void last_page_of_memory(void **state)
{
	struct tally_mem raw = raw_mem(BASE + BYTES - 4096, 8192, 0, 0, 0);
	struct host_mem mem = decode(&raw);
	uint8_t buf[16] = { 0 };

	(void)state;
	assert_true(mem_copy_out(&bus, &mem, 4080, buf, 16));
	assert_false(mem_copy_out(&bus, &mem, 4081, buf, 16));
	assert_false(mem_copy_in(&bus, &mem, 4096, buf, 1));
}

struct bad_mem {
	struct tally_mem raw;
	size_t field;
};

#define FIELD(name) offsetof(struct tally_mem, name)

static void bad_fields(void **state)
{
	const struct bad_mem bad[] = {
		{ { .length = 1, .rsvd0 = 1 }, FIELD(rsvd0) },
		{ { .length = 1, .rsvd1 = 1 }, FIELD(rsvd1) },
		{ { .length = 1, .levels = 4, .page_shift = 12 }, FIELD(levels) },
		{ { .length = 0 }, FIELD(length) },
		{ { .length = 1, .offset = 1 }, FIELD(offset) },
		{ { .length = 1, .page_shift = 11 }, FIELD(page_shift) },
		{ { .length = 1, .page_shift = 31 }, FIELD(page_shift) },
		{ { .addr = UINT64_MAX, .length = htole64(2) }, FIELD(length) },
		{ { .length = 1, .levels = 1 }, FIELD(page_shift) },
		{ { .length = 1, .levels = 1, .page_shift = 11 }, FIELD(page_shift) },
		{ { .length = 1, .levels = 1, .page_shift = 31 }, FIELD(page_shift) },
		{ { .addr = htole64(8), .length = 1, .levels = 1, .page_shift = 12 }, FIELD(addr) },
		{ { .length = 1, .levels = 1, .page_shift = 12, .offset = htole32(4096) },
		  FIELD(offset) },
		{ { .length = htole64(512 * 4096 + 1), .levels = 1, .page_shift = 12 },
		  FIELD(length) },
		{ { .length = UINT64_MAX, .levels = 3, .page_shift = 30 }, FIELD(length) },
	};
	struct host_mem mem;
	uint16_t field;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		field = 0xffff;
		assert_false(mem_decode(&mem, &bad[i].raw, &field));
		assert_int_equal(field, bad[i].field);
	}
}

static void rings(void **state)
{
	struct tally_mem raw = raw_mem(BASE, 4 * 64, 0, 0, 0);
	struct host_mem mem;
	uint16_t bad;

	(void)state;
	assert_true(mem_decode_ring(&mem, &raw, 4, 64, &bad));
	assert_false(mem_decode_ring(&mem, &raw, 8, 64, &bad));
	assert_int_equal(bad, FIELD(length));
	raw.addr = htole64(BASE + 32);
	assert_true(mem_decode_ring(&mem, &raw, 4, 32, &bad));
	assert_false(mem_decode_ring(&mem, &raw, 4, 64, &bad));
	assert_int_equal(bad, FIELD(addr));
	raw = raw_mem(BASE, 4 * 64, 96, 1, 12);
	assert_false(mem_decode_ring(&mem, &raw, 4, 64, &bad));
	assert_int_equal(bad, FIELD(offset));
}

static void ring_write(void **state)
{
	uint64_t at = take(4096), entry[8], *to = words(at);
	struct tally_mem raw = raw_mem(at, 4096, 0, 0, 0);
	struct host_mem mem = decode(&raw);
	size_t i;

	(void)state;
	for (i = 0; i < 8; i++)
		entry[i] = 0x1111111111111111ull * (i + 1);
	assert_true(mem_ring_write(&bus, &mem, 63, entry, 64));
	assert_memory_equal(to + 63 * 8, entry, 64);
	assert_int_equal(to[63 * 8 - 1], 0xeeeeeeeeeeeeeeeeull);
	assert_false(mem_ring_write(&bus, &mem, 64, entry, 64));
}

static void contiguous(void **state)
{
	struct host_mem mem;

	(void)state;
	assert_true(mem_contiguous(&mem, UINT64_MAX, 1));
	assert_false(mem_contiguous(&mem, UINT64_MAX, 2));
	assert_false(mem_contiguous(&mem, 0, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(levels_0_to_3, setup, teardown),
		cmocka_unit_test_setup_teardown(large_pages, setup, teardown),
		cmocka_unit_test_setup_teardown(far_end, setup, teardown),
		cmocka_unit_test_setup_teardown(bounds, setup, teardown),
		cmocka_unit_test_setup_teardown(bad_steps, setup, teardown),
		cmocka_unit_test_setup_teardown(large_page_alignment, setup, teardown),
		cmocka_unit_test_setup_teardown(last_page_of_memory, setup, teardown),
		cmocka_unit_test_setup_teardown(bad_fields, setup, teardown),
		cmocka_unit_test_setup_teardown(rings, setup, teardown),
		cmocka_unit_test_setup_teardown(ring_write, setup, teardown),
		cmocka_unit_test(contiguous),
	};

	return cmocka_run_group_tests_name("page lists", tests, NULL, NULL);
}
