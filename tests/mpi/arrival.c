// SPDX-License-Identifier: BSD-2-Clause
#include "arrival.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 32 /* of messages that measure the distance of a clock */

struct record {
	const char *site;
	int root;
	double entered, left;
};

static struct record *records;
static size_t num, room;
static double seconds;

static void *larger(void *old, size_t bytes)
{
	void *memory = realloc(old, bytes ? bytes : 1);

	if (!memory) {
		fprintf(stderr, "arrival: there is no memory for %zu bytes\n", bytes);
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	return memory;
}

void arrival_bcast(void *data, int count, MPI_Datatype type, int root, const char *site)
{
	struct record *r;

	if (num == room) {
		room = room ? 2 * room : 1024;
		records = larger(records, room * sizeof(*records));
	}
	r = &records[num++];
	r->site = site;
	r->root = root;
	r->entered = MPI_Wtime();
	MPI_Bcast(data, count, type, root, MPI_COMM_WORLD);
	r->left = MPI_Wtime();
	seconds += r->left - r->entered;
}

double arrival_seconds(void)
{
	return seconds;
}

size_t arrival_count(void)
{
	return num;
}

/* Rank 0 answers with its time. */
static void answer(int rank)
{
	for (int i = 0; i < ROUNDS; i++) {
		double now;

		MPI_Recv(NULL, 0, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		now = MPI_Wtime();
		MPI_Send(&now, 1, MPI_DOUBLE, rank, 0, MPI_COMM_WORLD);
	}
}

/* What must be added to this rank's clock to get that of rank 0; the fastest round tells. */
static double ask(void)
{
	double best = -1, distance = 0;

	for (int i = 0; i < ROUNDS; i++) {
		double before = MPI_Wtime(), there, after;

		MPI_Send(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD);
		MPI_Recv(&there, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		after = MPI_Wtime();
		if (best < 0 || after - before < best) {
			best = after - before;
			distance = there - (before + after) / 2;
		}
	}
	return distance;
}

/* Ranks of one machine have one clock. */
static bool shares_clock(int rank)
{
	int first = rank;
	MPI_Comm near;

	MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &near);
	MPI_Bcast(&first, 1, MPI_INT, 0, near);
	MPI_Comm_free(&near);
	return first == 0;
}

static double clock_distance(int rank, int size)
{
	int far = !shares_clock(rank), any;
	double distance = 0;

	for (int other = 1; other < size; other++) {
		any = far;
		MPI_Bcast(&any, 1, MPI_INT, other, MPI_COMM_WORLD);
		if (any && !rank)
			answer(other);
		else if (any && rank == other)
			distance = ask();
	}
	return distance;
}

static void write_lines(FILE *to, const double *times, int size)
{
	double start = times[0];

	for (int r = 1; r < size; r++)
		if (times[2 * num * r] < start)
			start = times[2 * num * r];
	fputs("bcast,site,root,rank,entered_us,left_us,after_first_us\n", to);
	for (size_t i = 0; i < num; i++) {
		double first = times[2 * i];

		for (int r = 1; r < size; r++)
			if (times[2 * (num * r + i)] < first)
				first = times[2 * (num * r + i)];
		for (int r = 0; r < size; r++) {
			const double *t = &times[2 * (num * r + i)];

			fprintf(to, "%zu,%s,%d,%d,%.3f,%.3f,%.3f\n", i, records[i].site,
				records[i].root, r, (t[0] - start) * 1e6, (t[1] - start) * 1e6,
				(t[0] - first) * 1e6);
		}
	}
}

static bool write_file(const char *file, const double *times, int size)
{
	FILE *to = fopen(file, "w");
	bool good = to;

	if (to) {
		write_lines(to, times, size);
		good = !ferror(to);
		good = !fclose(to) && good;
	}
	if (!good)
		fprintf(stderr, "arrival: %s cannot be written: %s\n", file, strerror(errno));
	return good;
}

bool arrival_write(const char *file)
{
	double distance, *mine, *all = NULL;
	bool good = true;
	int rank, size;

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	distance = clock_distance(rank, size);
	mine = larger(NULL, 2 * num * sizeof(*mine));
	for (size_t i = 0; i < num; i++) {
		mine[2 * i] = records[i].entered + distance;
		mine[2 * i + 1] = records[i].left + distance;
	}
	if (!rank)
		all = larger(NULL, 2 * num * size * sizeof(*all));
	MPI_Gather(mine, 2 * num, MPI_DOUBLE, all, 2 * num, MPI_DOUBLE, 0, MPI_COMM_WORLD);
	if (!rank && num)
		good = write_file(file, all, size);
	free(all);
	free(mine);
	return good;
}
