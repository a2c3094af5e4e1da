/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The record of a program's broadcasts, as document 002 draws it in figures 22 and 24: when each
 * rank entered each broadcast, and left it. Records stay in memory until the program has ended
 * its work.
 */
#ifndef TESTS_MPI_ARRIVAL_H
#define TESTS_MPI_ARRIVAL_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

/* MPI_Bcast() on MPI_COMM_WORLD, recorded. `site` names the place in the program. */
void arrival_bcast(void *data, int count, MPI_Datatype type, int root, const char *site);
/* Seconds that this rank spent in broadcasts. */
double arrival_seconds(void);
/* Broadcasts so far. */
size_t arrival_count(void);
/*
 * All ranks call this: rank 0 writes a line for each broadcast and rank, as comma-separated values.
 * Returns false at rank 0, after a sentence, if the file cannot be written.
 */
bool arrival_write(const char *file);

#endif
