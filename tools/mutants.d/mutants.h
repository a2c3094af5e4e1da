/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Switches of planted bugs. tools/mutants puts these macros into a copy of the sources, and compiles this header into each
 * of them. The environment chooses the bug: MUTANT is its number. A bug is seen when its code runs with values for which it
 * makes a difference; MUTANTS_SEEN names a file to which the numbers of those seen are appended at exit.
 */
#ifndef TALLY_MUTANTS_H
#define TALLY_MUTANTS_H

#include <stdio.h>
#include <stdlib.h>

#define MUTANTS_MAX 16384

/* Weak, so that all objects of a program share them. */
__attribute__((weak)) int mutants_active;
__attribute__((weak)) unsigned char mutants_seen[MUTANTS_MAX];

__attribute__((weak)) void mutants_write(void)
{
	FILE *file = fopen(getenv("MUTANTS_SEEN"), "a");

	for (int i = 1; file && i < MUTANTS_MAX; i++) {
		if (mutants_seen[i])
			fprintf(file, "%d\n", i);
	}
	if (file)
		fclose(file);
}

/* Each object calls it; only the first call counts. */
__attribute__((weak, constructor)) void mutants_start(void)
{
	if (mutants_active)
		return;
	mutants_active = getenv("MUTANT") ? atoi(getenv("MUTANT")) : -1;
	if (getenv("MUTANTS_SEEN"))
		atexit(mutants_write);
}

static inline int mutant_runs(int number)
{
	mutants_seen[number] = 1;
	return number == mutants_active;
}

/* A condition that bug @yes makes true, and bug @no false. */
#define MUTANT_IF(yes, no, ...) ({ int c_ = !!(__VA_ARGS__); c_ ? !mutant_runs(no) : mutant_runs(yes); })
/* One operand of a condition, of which one value changes the outcome: that of && becomes true, that of || false. */
#define MUTANT_TRUE(number, ...) ({ int c_ = !!(__VA_ARGS__); c_ || mutant_runs(number); })
#define MUTANT_FALSE(number, ...) ({ int c_ = !!(__VA_ARGS__); c_ && !mutant_runs(number); })
/* A comparison whose bound moves by one. The sums with zero promote bit-fields. */
#define MUTANT_BOUND(number, wrong, a, op, b) ({ \
	__auto_type a_ = (a) + 0; __auto_type b_ = (b) + 0; int right_ = a_ op b_, wrong_ = a_ wrong b_; \
	right_ != wrong_ && mutant_runs(number) ? wrong_ : right_; })
/* Serial numbers that are compared without regard to their wrap. */
#define MUTANT_WRAP(number, a, b) ({ \
	uint32_t a_ = (a), b_ = (b); int right_ = (int32_t)(a_ - b_) < 0, wrong_ = a_ < b_; \
	right_ != wrong_ && mutant_runs(number) ? wrong_ : right_; })
/* A count of one that becomes zero. */
#define MUTANT_ONE(number, one) (mutant_runs(number) ? 0 * one : one)
/* A statement that is left out is written { if (!mutant_runs(number)) statement } */

#endif
