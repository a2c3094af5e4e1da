/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An operation in a test: its data, and the result that is computed from the data of all ranks in
 * plain C, without the library and its ALU. Values are small, so that all sums and averages are exact
 * in every type. Areas that a result must not touch are compared as well.
 */
#ifndef TALLYCOLL_TESTING_OPERATION_H
#define TALLYCOLL_TESTING_OPERATION_H

#include "testing/job.h"

struct operation {
	/* Set by the test. */
	struct job_rank *r;
	struct tallycoll_team *team;
	uint32_t rank, size;		/* in the team */
	enum tally_opcode opcode;
	enum tally_op op;
	enum tally_type dtype;
	uint64_t count;
	uint32_t root;
	bool in_place;
	uint32_t flags;			/* TALLYCOLL_F_ */
	uint32_t salt;			/* values differ with it */

	/* Of the functions below. */
	struct tallycoll_request *request;
	enum tallycoll_reason reason;	/* NONE: it is offloaded */
	uint32_t elem;
	uint8_t *src, *dst;		/* with guards around */
	size_t src_bytes, dst_bytes;
	struct tallycoll_args args;
};

/* An ALLREDUCE of ten numbers by all ranks of the job, of which a test changes what it likes. */
struct operation operation_sum(struct job_rank *r, struct tallycoll_team *team);
/* Bytes of an element; 0: the type has no pairs for the operation. */
uint32_t operation_elem(enum tally_op op, enum tally_type dtype);
bool operation_reduces(enum tally_opcode opcode);
bool operation_rooted(enum tally_opcode opcode);
bool operation_has_blocks(enum tally_opcode opcode);

/* Makes the data and the request. A refusal is no fault; then there is no request. Returns 0 or -1. */
int operation_init(struct operation *o);
/* Writes fresh data, of which nothing is left after an operation in place, and posts the request. */
int operation_post(struct operation *o);
/* Returns 1 when the operation has ended well, 0 while it is in progress, -1 after a fault. */
int operation_test(struct operation *o);
/* Waits for the end. */
int operation_wait(struct operation *o);
/* Compares the result. */
int operation_check(struct operation *o);
void operation_free(struct operation *o);
/* All of these. */
int operation_run(struct operation *o);

#endif
