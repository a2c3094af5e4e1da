// SPDX-License-Identifier: BSD-2-Clause
/*
 * asp: the shortest paths between all vertices of a directed graph, by the algorithm of Floyd and
 * Warshall. Each rank has some rows of the matrix; in step k the owner of row k broadcasts it.
 * This is the program ASP of document 002. The result is compared with that of one process.
 */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "arrival.h"
#include "program.h"

#define FAR (1 << 29) /* there is no path; twice this is still an int */

static int distance(const struct program *p, int from, int to)
{
	uint32_t random = program_random(p->seed, from, to);

	if (from == to)
		return 0;
	return random % 8 ? FAR : 1 + random / 8 % 1000;
}

/* Rows of a rank begin here; those of rank `size` end the matrix. */
static int first_row(const struct program *p, int rank)
{
	return (long)p->vertices * rank / p->size;
}

static int owner(const struct program *p, int row)
{
	int rank = 0;

	while (first_row(p, rank + 1) <= row)
		rank++;
	return rank;
}

static int *make_rows(const struct program *p, int from, int to)
{
	int n = p->vertices, *rows = program_room((size_t)(to - from) * n * sizeof(int));

	for (int i = from; i < to; i++)
		for (int j = 0; j < n; j++)
			rows[(size_t)(i - from) * n + j] = distance(p, i, j);
	return rows;
}

/* Paths of these rows that pass vertex k, whose row is given. */
static void relax(int *rows, int num, int n, int k, const int *row)
{
	for (int i = 0; i < num; i++) {
		int *mine = &rows[(size_t)i * n], to_k = mine[k];

		for (int j = 0; to_k < FAR && j < n; j++)
			if (to_k + row[j] < mine[j])
				mine[j] = to_k + row[j];
	}
}

static void solve(const struct program *p, int *rows)
{
	int n = p->vertices, from = first_row(p, p->rank), to = first_row(p, p->rank + 1);
	int *row = program_room(n * sizeof(int));

	for (int k = 0; k < n; k++) {
		if (k >= from && k < to)
			memcpy(row, &rows[(size_t)(k - from) * n], n * sizeof(int));
		arrival_bcast(row, n, MPI_INT, owner(p, k), "row");
		relax(rows, to - from, n, k, row);
	}
	free(row);
}

/* Values of these rows that differ from those of one process. */
static unsigned long long compare(const struct program *p, const int *rows)
{
	int n = p->vertices, from = first_row(p, p->rank), to = first_row(p, p->rank + 1);
	int *all = make_rows(p, 0, n), *row = program_room(n * sizeof(int));
	unsigned long long wrong = 0;

	for (int k = 0; k < n; k++) {
		memcpy(row, &all[(size_t)k * n], n * sizeof(int));
		relax(all, n, n, k, row);
	}
	for (size_t i = 0; i < (size_t)(to - from) * n; i++)
		wrong += rows[i] != all[(size_t)from * n + i];
	free(row);
	free(all);
	return wrong;
}

int main(int argc, char **argv)
{
	struct program p;
	double taken;
	int *rows;

	program_begin(&p, "asp", argc, argv);
	rows = make_rows(&p, first_row(&p, p.rank), first_row(&p, p.rank + 1));
	solve(&p, rows);
	taken = program_seconds(&p);
	return program_end(&p, taken, compare(&p, rows));
}
