/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests of the firmware. They need no library, so that they also run on riscv32. native.c runs them
 * by cmocka, riscv.c on its own.
 */
#ifndef TALLY_FIRMWARE_TEST_TEST_H
#define TALLY_FIRMWARE_TEST_TEST_H

#include <stdint.h>

struct firmware_test {
	const char *name;
	void (*run)(void);
};

extern const struct firmware_test firmware_tests[];
extern const unsigned int firmware_num_tests;

/* Fail the test that runs; `what` names the case. */
_Noreturn void test_fail(const char *what, uint64_t value, uint64_t wanted);

static inline void test_equal(const char *what, uint64_t value, uint64_t wanted)
{
	if (value != wanted)
		test_fail(what, value, wanted);
}

#endif
