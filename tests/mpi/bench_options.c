// SPDX-License-Identifier: BSD-2-Clause
#include "bench.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const bench_names[BENCH_NUM_OPS] = {
	[BENCH_ALLREDUCE] = "allreduce",
	[BENCH_REDUCE] = "reduce",
	[BENCH_REDUCE_SCATTER] = "reduce_scatter",
	[BENCH_BCAST] = "bcast",
	[BENCH_ALLGATHER] = "allgather",
	[BENCH_GATHER] = "gather",
	[BENCH_SCATTER] = "scatter",
	[BENCH_BARRIER] = "barrier",
};

static uint32_t own_rank;

__attribute__((format(printf, 1, 2))) static bool bad(const char *format, ...)
{
	va_list arguments;

	if (own_rank)
		return false;
	fputs("bench: ", stderr);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputs(" (bench -h lists the options)\n", stderr);
	return false;
}

static void usage(void)
{
	if (own_rank)
		return;
	puts("usage: bench [OPTION...] [COLLECTIVE...]\n"
	     "Latency of blocking collectives, and overlap of non-blocking ones with computation.\n"
	     "All results are compared. COLLECTIVE is one of those below, or with an i before it\n"
	     "the non-blocking one; default: all.\n"
	     "  -m [MIN:]MAX  bytes of each rank, or of each block; powers of two from 4 (4:1M)\n"
	     "  -i NUMBER     iterations of each size (1000, above 8192 bytes 100)\n"
	     "  -x NUMBER     iterations before these, which are not measured (200, above 8192 bytes 10)\n"
	     "  -t NUMBER     calls of MPI_Test() during the computation (0)\n"
	     "  -M BYTES      most memory for the data of a rank (512M)\n"
	     "  -c            compare the results (default)\n"
	     "  -C            do not compare the results\n"
	     "  -f            print all columns\n"
	     "  -h            print this text");
	fputs("collectives:", stdout);
	for (unsigned int op = 0; op < BENCH_NUM_OPS; op++)
		printf(" %s", bench_names[op]);
	putchar('\n');
}

/* A number in `text` up to `end`, with K, M or G behind it, from `min` to `max`. */
static bool take(char option, const char *text, const char *end, uint64_t min, uint64_t max,
		 uint64_t *to)
{
	static const char units[] = "KMG";
	unsigned long long value = 0;
	unsigned int shift = 0;
	const char *unit;
	char *rest;

	errno = 0;
	if (text < end && *text >= '0' && *text <= '9') {
		value = strtoull(text, &rest, 10);
		unit = rest < end ? strchr(units, *rest & ~0x20) : NULL;
		if (unit && *rest) {
			shift = 10 * (unit - units + 1);
			rest++;
		}
	} else {
		rest = NULL;
	}
	if (rest != end)
		return bad("-%c: \"%s\" is not a number", option, text);
	if (errno || value > UINT64_MAX >> shift || value << shift < min || value << shift > max)
		return bad("-%c: \"%s\" is not from %llu to %llu", option, text,
			   (unsigned long long)min, (unsigned long long)max);
	*to = value << shift;
	return true;
}

static bool take_sizes(struct bench_options *o, const char *text)
{
	const char *colon = strchr(text, ':'), *max = colon ? colon + 1 : text;

	if (colon && !take('m', text, colon, 4, 1ull << 31, &o->min))
		return false;
	if (!take('m', max, max + strlen(max), 4, 1ull << 31, &o->max))
		return false;
	if (o->min & (o->min - 1))
		return bad("-m: %llu is not a power of two", (unsigned long long)o->min);
	return o->min <= o->max || bad("-m: %llu is more than %llu", (unsigned long long)o->min,
				       (unsigned long long)o->max);
}

static bool take_count(char option, uint32_t min, uint32_t *to)
{
	uint64_t value;

	if (!take(option, optarg, optarg + strlen(optarg), min, 1000000000, &value))
		return false;
	*to = value;
	return true;
}

static bool take_option(struct bench_options *o, int option)
{
	switch (option) {
	case 'm':
		return take_sizes(o, optarg);
	case 'i':
		return take_count('i', 1, &o->iterations);
	case 'x':
		return take_count('x', 0, &o->warmup);
	case 't':
		return take_count('t', 0, &o->tests);
	case 'M':
		return take('M', optarg, optarg + strlen(optarg), 1, 1ull << 40, &o->most_memory);
	case 'c':
	case 'C':
		o->compare = option == 'c';
		return true;
	case 'f':
		o->full = true;
		return true;
	case 'h':
		usage();
		o->help = true;
		return true;
	case ':':
		return bad("-%c needs a value", optopt);
	default:
		return bad("there is no option -%c", optopt);
	}
}

static bool take_name(struct bench_options *o, const char *name)
{
	for (unsigned int op = 0; op < BENCH_NUM_OPS; op++) {
		if (!strcmp(name, bench_names[op])) {
			o->blocking[op] = true;
			return true;
		}
		if (name[0] == 'i' && !strcmp(name + 1, bench_names[op])) {
			o->nonblocking[op] = true;
			return true;
		}
	}
	return bad("there is no collective \"%s\"", name);
}

/* Each rank has a buffer of one block, and one of a block for each rank at most. */
static bool fits(const struct bench_options *o, uint32_t size)
{
	uint64_t need = o->max * (size + 1ull);

	return need <= o->most_memory ||
	       bad("%llu bytes of each rank need %llu bytes of memory, but -M allows %llu",
		   (unsigned long long)o->max, (unsigned long long)need,
		   (unsigned long long)o->most_memory);
}

bool bench_read_options(struct bench_options *o, int argc, char **argv, uint32_t rank,
			uint32_t size)
{
	int option;

	*o = (struct bench_options){ .min = 4,
				     .max = 1 << 20,
				     .most_memory = 512 << 20,
				     .warmup = UINT32_MAX,
				     .compare = true };
	own_rank = rank;
	opterr = 0;
	while ((option = getopt(argc, argv, ":m:i:x:t:M:cCfh")) != -1)
		if (!take_option(o, option))
			return false;
	for (int i = optind; i < argc; i++)
		if (!take_name(o, argv[i]))
			return false;
	if (optind == argc) {
		memset(o->blocking, 1, sizeof(o->blocking));
		memset(o->nonblocking, 1, sizeof(o->nonblocking));
	}
	return o->help || fits(o, size);
}
