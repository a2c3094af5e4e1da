// SPDX-License-Identifier: BSD-2-Clause
/*
 * Measures how fast a core of this machine sums two vectors of fp64, as the reduction of an MPI
 * library does. Prints, for each length, the best of many calls in GB/s of one operand, once with
 * both operands in a cache and once with both in memory. The result is host.reduce_rate of a
 * parameter file (docs/bench.md). It checks nothing.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define POOL	(64u << 20)	/* bytes of each operand, more than caches hold */
#define MOVED	(512u << 20)	/* bytes that are summed for each figure */

/* Compiled for each of these CPUs, like the kernels of libraries. */
__attribute__((optimize("O3"), noinline, target_clones("avx512f", "avx2", "default")))
static void sum(double *restrict to, const double *restrict from, size_t n)
{
	for (size_t i = 0; i < n; i++)
		to[i] += from[i];
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/*
 * Returns the bytes of one operand that are summed in a nanosecond, at best. Vectors of @bytes
 * follow one another in @pool bytes, so that they are in a cache if the pool fits in it.
 */
static double rate(double *to, const double *from, size_t bytes, size_t pool)
{
	size_t together = bytes < 65536 ? 65536 / bytes : 1, at = 0;
	double best = 0;

	for (uint64_t moved = 0; moved < MOVED; moved += bytes * together) {
		uint64_t begin = now();
		double got;

		for (size_t i = 0; i < together; i++) {
			sum(to + at / sizeof(*to), from + at / sizeof(*from), bytes / sizeof(*to));
			at = (at + bytes) % pool;
		}
		got = (double)(bytes * together) / (double)(now() - begin);
		best = got > best ? got : best;
	}
	return best;
}

/* Prints the name of the CPU from /proc/cpuinfo. */
static void print_cpu(void)
{
	FILE *f = fopen("/proc/cpuinfo", "re");
	char line[256], *colon;

	while (f && fgets(line, sizeof(line), f)) {
		colon = strchr(line, ':');
		if (colon && !strncmp(line, "model name", 10)) {
			printf("cpu:%s", colon + 1);
			break;
		}
	}
	if (f)
		fclose(f);
}

int main(void)
{
	double *to = aligned_alloc(4096, POOL), *from = aligned_alloc(4096, POOL);

	if (!to || !from)
		return 1;
	memset(to, 0, POOL);
	memset(from, 0, POOL);
	print_cpu();
	printf("%10s %16s %16s\n", "bytes", "in cache, GB/s", "memory, GB/s");
	for (size_t bytes = 1024; bytes <= 1 << 20; bytes *= 4)
		printf("%10zu %16.1f %16.1f\n", bytes, rate(to, from, bytes, bytes),
		       rate(to, from, bytes, POOL));
	free(to);
	free(from);
	return 0;
}
