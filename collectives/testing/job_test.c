// SPDX-License-Identifier: BSD-2-Clause
/* A first look: one operation of each kind on a few ranks. */
#include <stdlib.h>
#include <string.h>

#include "testing/job.h"

static int allreduce(struct job_rank *r, struct tallycoll_team *team)
{
	double in = r->rank + 1, out = 0;
	const struct tallycoll_args args = {
		.opcode = TALLY_OPCODE_ALLREDUCE,
		.op = TALLY_OP_SUM,
		.dtype = TALLY_TYPE_FP64,
		.count = 1,
		.src = &in,
		.dst = &out,
	};
	struct tallycoll_request *request;
	enum tallycoll_reason reason;

	JOB_CHECK(r, tallycoll_collective_init(team, &args, &request, &reason) == TALLYCOLL_OK);
	JOB_CHECK(r, tallycoll_collective_post(request) == TALLYCOLL_OK);
	JOB_CHECK(r, tallycoll_collective_wait(request) == TALLYCOLL_OK);
	tallycoll_collective_finalize(request);
	JOB_CHECK(r, out == r->size * (r->size + 1) / 2);
	return 0;
}

static int rank_main(struct job_rank *r)
{
	struct tallycoll_team *team;

	JOB_CHECK(r, r->created == TALLYCOLL_OK);
	JOB_CHECK(r, job_team(r, r->world, &team) == TALLYCOLL_OK);
	if (allreduce(r, team))
		return -1;
	tallycoll_team_destroy(team);
	return 0;
}

int main(void)
{
	const struct job_cfg cfg = { .ranks = 6, .machines = 3 };

	return job_run(&cfg, rank_main, NULL) ? EXIT_FAILURE : EXIT_SUCCESS;
}
