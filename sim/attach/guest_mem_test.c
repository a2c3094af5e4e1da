// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "attach/guest_mem.h"

#define MIB	(UINT64_C(1) << 20)
#define GIB	(UINT64_C(1) << 30)

/* Files are sparse, so the tests do not use the memory that they map. */
static int sparse_file(uint64_t size)
{
	int fd = memfd_create("guest_mem_test", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, (off_t)size), 0);
	return fd;
}

static void map(struct guest_mem *mem, uint64_t size)
{
	int fd = sparse_file(size);

	assert_int_equal(guest_mem_map(mem, fd, size), 0);
	close(fd);
}

/* Check that address @addr of a memory is byte @offset of the file. */
static void is_at(const struct guest_mem *mem, uint64_t addr, uint64_t len, uint64_t offset)
{
	assert_ptr_equal(guest_mem_at(mem, addr, len), mem->base + offset);
}

static void is_refused(const struct guest_mem *mem, uint64_t addr, uint64_t len)
{
	assert_null(guest_mem_at(mem, addr, len));
}

static void small_memory_is_one_piece(void **state)
{
	struct guest_mem mem;

	(void)state;
	map(&mem, 64 * MIB);
	is_at(&mem, 0, 1, 0);
	is_at(&mem, 0, 64 * MIB, 0);
	is_at(&mem, 64 * MIB - 1, 1, 64 * MIB - 1);
	is_refused(&mem, 64 * MIB, 1);
	is_refused(&mem, 64 * MIB - 1, 2);
	is_refused(&mem, 0, 64 * MIB + 1);
	is_refused(&mem, 4 * GIB, 1);
	guest_mem_unmap(&mem);
}

static void below_the_split_there_is_nothing_above_4g(void **state)
{
	const uint64_t size = 2816 * MIB - MIB;
	struct guest_mem mem;

	(void)state;
	map(&mem, size);
	is_at(&mem, 2 * GIB, 4096, 2 * GIB);
	is_at(&mem, size - 4096, 4096, size - 4096);
	is_refused(&mem, size, 1);
	is_refused(&mem, 4 * GIB, 1);
	guest_mem_unmap(&mem);
}

static void from_the_split_on_the_rest_is_above_4g(void **state)
{
	const uint64_t size = 2816 * MIB;
	struct guest_mem mem;

	(void)state;
	map(&mem, size);
	is_at(&mem, 2 * GIB - 1, 1, 2 * GIB - 1);
	is_refused(&mem, 2 * GIB, 1);
	is_refused(&mem, 2 * GIB - 1, 2);
	is_refused(&mem, 4 * GIB - 1, 1);
	is_refused(&mem, 4 * GIB - 1, 2);
	is_at(&mem, 4 * GIB, 1, 2 * GIB);
	is_at(&mem, 4 * GIB, size - 2 * GIB, 2 * GIB);
	is_at(&mem, 2 * GIB + size - 1, 1, size - 1);
	is_refused(&mem, 2 * GIB + size, 1);
	is_refused(&mem, 4 * GIB, size - 2 * GIB + 1);
	guest_mem_unmap(&mem);
}

static void ranges_that_wrap_are_refused(void **state)
{
	struct guest_mem mem;

	(void)state;
	map(&mem, 4 * GIB);
	is_refused(&mem, 0, 0);
	is_refused(&mem, 4 * GIB, 0);
	is_refused(&mem, 0, UINT64_MAX);
	is_refused(&mem, 4096, UINT64_MAX - 4095);
	is_refused(&mem, 5 * GIB, UINT64_MAX - 5 * GIB + 1);
	is_refused(&mem, UINT64_MAX, 1);
	is_refused(&mem, UINT64_MAX, UINT64_MAX);
	guest_mem_unmap(&mem);
}

static void bytes_reach_the_file(void **state)
{
	const uint64_t size = 3 * GIB;
	struct guest_mem mem;
	int fd = sparse_file(size);
	uint8_t byte = 0;

	(void)state;
	assert_int_equal(guest_mem_map(&mem, fd, size), 0);
	*(uint8_t *)guest_mem_at(&mem, 4 * GIB + 12345, 1) = 0xa5;
	assert_int_equal(pread(fd, &byte, 1, 2 * GIB + 12345), 1);
	assert_int_equal(byte, 0xa5);
	close(fd);
	guest_mem_unmap(&mem);
	assert_null(mem.base);
	guest_mem_unmap(&mem);
}

static void another_size_than_the_file_is_refused(void **state)
{
	struct guest_mem mem = { 0 };
	int fd = sparse_file(64 * MIB);

	(void)state;
	assert_int_equal(guest_mem_map(&mem, fd, 64 * MIB + 1), -EINVAL);
	assert_int_equal(guest_mem_map(&mem, fd, 63 * MIB), -EINVAL);
	assert_int_equal(guest_mem_map(&mem, fd, 0), -EINVAL);
	assert_int_equal(guest_mem_map(&mem, -1, MIB), -EBADF);
	assert_null(mem.base);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(small_memory_is_one_piece),
		cmocka_unit_test(below_the_split_there_is_nothing_above_4g),
		cmocka_unit_test(from_the_split_on_the_rest_is_above_4g),
		cmocka_unit_test(ranges_that_wrap_are_refused),
		cmocka_unit_test(bytes_reach_the_file),
		cmocka_unit_test(another_size_than_the_file_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
