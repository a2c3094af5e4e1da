/* SPDX-License-Identifier: BSD-2-Clause */
/* Values of options. Each says on stderr what is wrong with one that is refused. */
#ifndef TALLY_SIM_MAIN_OPTION_VALUES_H
#define TALLY_SIM_MAIN_OPTION_VALUES_H

#include <stdbool.h>
#include <stdint.h>

/* A whole number from @min to @max. */
bool option_number(const char *option, const char *text, uint64_t min, uint64_t max,
		   uint64_t *out);

/* The same with K, M or G behind it: times 2^10, 2^20, 2^30. */
bool option_size(const char *option, const char *text, uint64_t min, uint64_t max, uint64_t *out);

/* A number from 0 to @max. */
bool option_rate(const char *option, const char *text, double max, double *out);

/* A seed nobody chose. */
bool option_random_seed(uint64_t *seed);

#endif
