/* SPDX-License-Identifier: BSD-2-Clause */
/* What the programs asp and vcc share: options, ranges of rows, random graphs, their last line. */
#ifndef TESTS_MPI_PROGRAM_H
#define TESTS_MPI_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct program {
	const char *name;
	int rank, size;
	int vertices;	    /* -n */
	uint32_t seed;	    /* -s */
	const char *record; /* -r; NULL: no record of the broadcasts */
	double begun;
};

/*
 * Starts MPI and reads the options. If they are wrong, rank 0 says so, and all ranks exit with 2.
 */
void program_begin(struct program *p, const char *name, int argc, char **argv);
/* The time of the parallel part, after which results are compared. */
double program_seconds(const struct program *p);
/*
 * Writes the record, prints the last line at rank 0, and ends MPI. `wrong` are the wrong values at
 * this rank. Returns the exit status.
 */
int program_end(const struct program *p, double taken, unsigned long long wrong);
void *program_room(size_t bytes);

/* A random number that depends on the seed and an edge. */
static inline uint32_t program_random(uint32_t seed, uint32_t from, uint32_t to)
{
	uint32_t x = from * 0x9e3779b9 + to * 0x85ebca6b + seed * 0xc2b2ae35 + 1;

	x = (x ^ x >> 16) * 0x7feb352d;
	x = (x ^ x >> 15) * 0x846ca68b;
	return x ^ x >> 16;
}

#endif
