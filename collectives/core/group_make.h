/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Making a group for a team, by all its ranks at once. Each step ends with an allgather that tells whether
 * all have succeeded so far, so all take the same steps.
 */
#ifndef TALLYCOLL_CORE_GROUP_MAKE_H
#define TALLYCOLL_CORE_GROUP_MAKE_H

#include "core/core.h"

/* The votes of all ranks, in memory that was there before anything could fail. */
struct tc_votes {
	const struct tallycoll_team *team;
	uint8_t *all;		/* one of each rank */
	bool oob_failed;	/* the runtime's allgather has failed */
};

/*
 * The runtime's allgather, without the lock: another thread may have to progress an operation before
 * all ranks come here. Returns false if it fails.
 */
bool tc_exchange(const struct tallycoll_team *t, const void *mine, void *all, size_t bytes);

/*
 * Makes the group of @mg, whose jid and shape are set. @join_key is that of rank 0. Returns false if a
 * rank fails; tc_member_group_close() then gives back what has been made here.
 */
bool tc_group_make(struct tc_votes *v, struct tc_member_group *mg, uint64_t join_key);

#endif
