/* SPDX-License-Identifier: BSD-2-Clause */
/* Parts of the test of libtallycoll: processes that are the ranks of a job, and their operations. */
#ifndef TALLY_TEST_TALLYCOLL_H
#define TALLY_TEST_TALLYCOLL_H

#include <tallycoll.h>

#include "check.h"

struct member {
	struct tallycoll_context *context;
	struct tallycoll_team *team;
	uint32_t rank, size;
};

/* A prepared operation; ends the program if it is not offloaded. */
struct tallycoll_request *prepare(struct member *m, const struct tallycoll_args *args);
/* Posts an operation and waits for its success. */
void perform(struct tallycoll_request *request, const char *what);

/* tallycoll_matrix.c: every operation, with each pair of op and type, and several lengths. */
void test_pairs(struct member *m);
void test_lengths(struct member *m);
void test_in_place(struct member *m);

#endif
