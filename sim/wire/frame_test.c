// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "wire/frame.h"

static void lengths(void **state)
{
	static const uint8_t zero[FRAME_MAX];
	struct frame *f = frame_alloc(FRAME_MAX);

	(void)state;
	assert_non_null(f);
	assert_int_equal(f->len, FRAME_MAX);
	assert_memory_equal(f->data, zero, FRAME_MAX);
	frame_unref(f);

	errno = 0;
	assert_null(frame_alloc(FRAME_MAX + 1));
	assert_int_equal(errno, EMSGSIZE);
	assert_null(frame_alloc(SIZE_MAX));
	frame_unref(NULL);
}

static void references_keep_the_frame(void **state)
{
	struct frame *f = frame_alloc(100);

	(void)state;
	assert_ptr_equal(frame_ref(f), f);
	frame_unref(f);
	assert_int_equal(f->refs, 1);
	memset(f->data, 1, f->len);
	frame_unref(f);
}

static void a_copy_is_independent(void **state)
{
	struct frame *f = frame_alloc(64), *copy;

	(void)state;
	memset(f->data, 0x5a, f->len);
	copy = frame_copy(f);
	assert_non_null(copy);
	assert_int_equal(copy->len, 64);
	assert_int_equal(copy->refs, 1);
	assert_memory_equal(copy->data, f->data, 64);
	copy->data[3] ^= 1;
	assert_int_equal(f->data[3], 0x5a);
	frame_unref(f);
	frame_unref(copy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lengths),
		cmocka_unit_test(references_keep_the_frame),
		cmocka_unit_test(a_copy_is_independent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
