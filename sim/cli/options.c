// SPDX-License-Identifier: BSD-2-Clause
#include "cli/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "core/log.h"

/* strtoull() alone accepts signs and blanks. */
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

bool option_time(const char *option, const char *text, vtime_t max, vtime_t *out)
{
	static const struct {
		const char *name;
		vtime_t length;
	} units[] = { { "ns", VT_NS }, { "us", VT_US }, { "ms", VT_MS } };
	char *end;
	double v = strtod(text, &end);

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (end == text || strcmp(end, units[i].name))
			continue;
		v *= units[i].length;
		if (!(v >= 0 && v <= max))
			break;
		*out = (vtime_t)v;
		return true;
	}
	sim_warn("--%s %s: not a time from 0 to %ju us with one of the units ns, us and ms", option,
		 text, (uintmax_t)(max / VT_US));
	return false;
}

/* ---- Lists ---- */

#define LIST_MAX	4096

static bool append(const char *option, struct option_list *list, uint64_t value)
{
	uint64_t *more = NULL;

	if (list->n < LIST_MAX)
		more = realloc(list->value, (list->n + 1) * sizeof(*more));
	if (!more) {
		sim_warn("--%s: a list of more than %d numbers", option, LIST_MAX);
		return false;
	}
	list->value = more;
	list->value[list->n++] = value;
	return true;
}

/* Appends bound[0] to bound[1]: each is twice the one before, or bound[2] more unless 0. */
static bool append_range(const char *option, struct option_list *list, const uint64_t bound[3])
{
	for (uint64_t v = bound[0]; v <= bound[1]; v = bound[2] ? v + bound[2] : 2 * v)
		if (!append(option, list, v))
			return false;
	return true;
}

typedef bool read_number(const char *option, const char *text, uint64_t min, uint64_t max,
			 uint64_t *out);

/* Parses one number, or a range with one or two colons, which this modifies. */
static bool take_item(const char *option, char *item, read_number *number, uint64_t min,
		      uint64_t max, struct option_list *list)
{
	uint64_t bound[3] = { 0 };
	unsigned int n = 0;
	char *part;

	while ((part = strsep(&item, ":"))) {
		if (n == 3) {
			sim_warn("--%s: a range of more than A:B:STEP", option);
			return false;
		}
		if (!number(option, part, n == 2 ? 1 : min, max, &bound[n]))
			return false;
		n++;
	}
	if (n == 1)
		bound[1] = bound[0];
	if (bound[1] >= bound[0])
		return append_range(option, list, bound);
	sim_warn("--%s: %ju:%ju ends before it begins", option, (uintmax_t)bound[0],
		 (uintmax_t)bound[1]);
	return false;
}

bool option_list(const char *option, const char *text, read_number *number, uint64_t min,
		 uint64_t max, struct option_list *list)
{
	char *copy = strdup(text), *rest = copy, *item;
	bool good = copy;

	option_list_free(list);
	while (good && (item = strsep(&rest, ",")))
		good = take_item(option, item, number, min, max, list);
	free(copy);
	return good;
}

void option_list_free(struct option_list *list)
{
	free(list->value);
	*list = (struct option_list){ 0 };
}

/* ---- The command line ---- */

enum options_result option_loop(int argc, char **argv, const struct option *options,
				bool (*take)(void *arg, int option), void *arg)
{
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (option == 'h')
			return OPTIONS_HELP;
		/* getopt_long() has printed the error */
		if (option == '?' || !take(arg, option))
			return OPTIONS_BAD;
	}
	if (optind == argc)
		return OPTIONS_OK;
	sim_warn("%s: not an option", argv[optind]);
	return OPTIONS_BAD;
}

bool option_go_on(enum options_result result, const char *command, void (*usage)(FILE *to),
		  int *status)
{
	if (result == OPTIONS_OK)
		return true;
	if (result == OPTIONS_HELP)
		usage(stdout);
	else
		fprintf(stderr, "Try 'tallysim %s --help' for the options.\n", command);
	*status = result == OPTIONS_HELP ? EXIT_SUCCESS : EXIT_USAGE;
	return false;
}
