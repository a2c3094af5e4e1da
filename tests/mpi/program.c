// SPDX-License-Identifier: BSD-2-Clause
#include "program.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "arrival.h"

#define MOST_VERTICES 20000

static bool take(const char *text, unsigned long min, unsigned long max, unsigned long *to)
{
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	*to = strtoul(text, &end, 10);
	return !*end && *to >= min && *to <= max;
}

static bool take_option(struct program *p, int option)
{
	unsigned long value = 0;

	switch (option) {
	case 'n':
		if (!take(optarg, 1, MOST_VERTICES, &value))
			return false;
		p->vertices = value;
		return true;
	case 's':
		if (!take(optarg, 0, UINT32_MAX, &value))
			return false;
		p->seed = value;
		return true;
	case 'r':
		p->record = optarg;
		return true;
	default:
		return false;
	}
}

static bool read_options(struct program *p, int argc, char **argv)
{
	int option;

	opterr = 0;
	while ((option = getopt(argc, argv, "n:s:r:")) != -1)
		if (!take_option(p, option))
			return false;
	return optind == argc;
}

void program_begin(struct program *p, const char *name, int argc, char **argv)
{
	*p = (struct program){ .name = name, .vertices = 96, .seed = 1 };
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &p->rank);
	MPI_Comm_size(MPI_COMM_WORLD, &p->size);
	if (!read_options(p, argc, argv)) {
		if (!p->rank)
			fprintf(stderr,
				"usage: %s [-n VERTICES] [-s SEED] [-r FILE]\n"
				"  -n  vertices of the graph, 1 to %d (96)\n"
				"  -s  number of the random graph (1)\n"
				"  -r  writes when each rank entered and left each broadcast, as CSV\n",
				name, MOST_VERTICES);
		MPI_Finalize();
		exit(2);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	p->begun = MPI_Wtime();
}

double program_seconds(const struct program *p)
{
	return MPI_Wtime() - p->begun;
}

int program_end(const struct program *p, double taken, unsigned long long wrong)
{
	double mine[2] = { taken, arrival_seconds() }, sum[2];
	unsigned long long all = wrong;
	int good = 1;

	if (p->record)
		good = arrival_write(p->record);
	MPI_Bcast(&good, 1, MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Allreduce(&wrong, &all, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
	MPI_Reduce(mine, sum, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	if (!p->rank)
		printf("%s: %d vertices, %d ranks, %zu broadcasts; %.6f s, of which broadcasts %.6f s; "
		       "%llu wrong values: %s\n",
		       p->name, p->vertices, p->size, arrival_count(), sum[0] / p->size,
		       sum[1] / p->size, all, all ? "FAIL" : "PASS");
	MPI_Finalize();
	return all || !good;
}

void *program_room(size_t bytes)
{
	void *memory = malloc(bytes ? bytes : 1);

	if (!memory) {
		fprintf(stderr, "there is no memory for %zu bytes\n", bytes);
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	return memory;
}
