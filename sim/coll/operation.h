/* SPDX-License-Identifier: BSD-2-Clause */
/* An operation of a team, with data and results that follow from a message's seed. */
#ifndef TALLY_SIM_COLL_OPERATION_H
#define TALLY_SIM_COLL_OPERATION_H

#include "coll/coll.h"
#include "hosts/message.h"

/* The result that the ranks of a message expect. Zeroed at first; they share it. */
struct coll_expected {
	struct message m;	/* whose result is there, if `bytes` */
	struct oracle oracle;
	uint8_t *result;
	uint64_t bytes;
};

void coll_expected_free(struct coll_expected *e);

/*
 * An operation at a rank. The message's ranks are those of the team; total_ranks, count, root and
 * seed must be set. NULL buffers: the rank has none of this kind.
 */
struct coll_operation {
	struct coll_rank *r;
	struct message m;
	uint32_t rank;			/* in the team */
	bool in_place;
	uint32_t flags;			/* enum tallycoll_flags */
	void *in, *out;
	uint64_t in_bytes, out_bytes;
	struct tallycoll_request *request;
};

/* Allocates the buffers. Returns false without memory; the run has failed then. */
bool coll_operation_new(struct coll_operation *o);
void coll_operation_free(struct coll_operation *o);
/* Writes the data of the message, and wrong bytes to the result. */
void coll_operation_fill(struct coll_operation *o);
/* Makes the request. */
enum tallycoll_status coll_operation_init(struct coll_operation *o, struct tallycoll_team *team,
					  enum tallycoll_reason *reason);
/* Returns whether the result is right. If not, the run has failed. */
bool coll_operation_check(const struct coll_operation *o, struct coll_expected *e);

#endif
