// SPDX-License-Identifier: BSD-2-Clause
#include "main/option_values.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "core/log.h"

/* strtoull() alone takes signs and blanks. */
static bool digits(const char *text, char **end, uint64_t *out)
{
	errno = 0;
	*out = strtoull(text, end, 10);
	return *text >= '0' && *text <= '9' && !errno;
}

bool option_number(const char *option, const char *text, uint64_t min, uint64_t max,
		   uint64_t *out)
{
	char *end;

	if (digits(text, &end, out) && !*end && *out >= min && *out <= max)
		return true;
	sim_warn("--%s %s: not a whole number from %ju to %ju", option, text, (uintmax_t)min,
		 (uintmax_t)max);
	return false;
}

bool option_size(const char *option, const char *text, uint64_t min, uint64_t max, uint64_t *out)
{
	static const char units[] = "KMG";
	const char *unit;
	unsigned int shift = 0;
	char *end;

	if (digits(text, &end, out)) {
		unit = *end ? strchr(units, *end) : NULL;
		if (unit) {
			shift = 10 * (unit - units + 1);
			end++;
		}
		if (!*end && *out <= max >> shift && *out << shift >= min) {
			*out <<= shift;
			return true;
		}
	}
	sim_warn("--%s %s: not a size from %ju to %ju bytes", option, text, (uintmax_t)min,
		 (uintmax_t)max);
	return false;
}

bool option_rate(const char *option, const char *text, double max, double *out)
{
	char *end;

	*out = strtod(text, &end);
	if (end != text && !*end && *out >= 0 && *out <= max)
		return true;
	sim_warn("--%s %s: not a number from 0 to %g", option, text, max);
	return false;
}

bool option_random_seed(uint64_t *seed)
{
	if (getrandom(seed, sizeof(*seed), 0) == sizeof(*seed))
		return true;
	sim_warn("no random seed: %s", strerror(errno));
	return false;
}
