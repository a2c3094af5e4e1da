/* SPDX-License-Identifier: BSD-2-Clause */
/* Communicators and places of a job: what is the same on every platform of job.h. */
#ifndef TALLYCOLL_TESTING_SEAT_H
#define TALLYCOLL_TESTING_SEAT_H

#include "testing/job.h"

/* A rank's place in a communicator. */
struct job_seat {
	struct job_seat *next;		/* of the job */
	struct job_rank *r;
	uint32_t id;			/* of the communicator, at all members */
	uint32_t splits;		/* so far */
	uint32_t *world;		/* [rank] */
	struct tallycoll_oob oob;
	void *comm;			/* of the platform */
};

/*
 * Of the platform: gives the seat, whose members and number in them are set, its allgather, and keeps
 * it until the end of the job.
 */
void job_seat_open(struct job_seat *seat);

/* Returns the rank's seat in the communicator of all ranks. */
struct job_seat *job_seat_first(struct job_rank *r);
void job_seats_free(struct job_seat *first);

/* Sets what the test has left 0. */
void job_cfg_complete(struct job_cfg *cfg);
uint32_t job_machine_of(const struct job_cfg *c, uint32_t rank);
uint32_t job_nic_of(const struct job_cfg *c, uint32_t rank);

#endif
