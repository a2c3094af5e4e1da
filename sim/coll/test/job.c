// SPDX-License-Identifier: BSD-2-Clause
/*
 * Jobs of collectives/testing/job.h on simulated nodes, so that its tests also run there. Each NIC is
 * a node, and ranks are fibers. PARAMS names the folder of parameter sets; JOB_DROP is the share of
 * frames that are lost. No rank dies here, and no call fails by request.
 */
#include "testing/seat.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "coll/coll.h"

#define WHY 200
#define SETTLED (50 * VT_MS)	/* more than losses take */

struct job {
	struct job_cfg cfg;
	struct job_rank *ranks;
	struct job_seat *seats;
	int (*rank_main)(struct job_rank *r);
	void *arg;
	bool failed;
};

void *job_arg(const struct job_rank *r)
{
	return r->job->arg;
}

const struct job_cfg *job_cfg_of(const struct job_rank *r)
{
	return &r->job->cfg;
}

bool job_failed(const struct job_rank *r)
{
	return r->job->failed;
}

/* Ends the run: no rank is resumed any more. */
int job_fail(struct job_rank *r, const char *file, int line, const char *format, ...)
{
	char what[256];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	if (!r->job->failed)
		fprintf(stderr, "%s:%d: rank %u: %s\n", file, line, r->rank, what);
	r->failed = r->job->failed = true;
	coll_fail(r->host, "%s", what);
	return -1;
}

void job_pause(struct job_rank *r)
{
	coll_sleep_until(r->host, coll_now(r->host) + VT_US);
}

void job_settle(struct job_rank *r)
{
	coll_sleep_until(r->host, coll_now(r->host) + SETTLED);
}

void job_seat_open(struct job_seat *seat)
{
	struct job *j = seat->r->job;

	seat->oob = coll_oob(seat->r->host, seat->world, seat->oob.size);
	seat->next = j->seats;
	j->seats = seat;
}

/* ---- The run ---- */
static void run_rank(struct coll_rank *rank, void *arg)
{
	struct job *j = arg;
	struct job_rank *r = &j->ranks[coll_number(rank)];
	struct tallycoll_context_params params = { .threads = j->cfg.threads };
	char why[WHY] = "";

	r->host = rank;
	r->world = job_seat_first(r);
	params.oob = r->world->oob;
	r->created = tc_context_create(&params, &coll_platform, rank, &r->context, why,
				       sizeof(why));
	if (r->created)
		r->context = NULL;
	if (j->rank_main(r) && !r->failed)
		JOB_FAIL(r, "the rank failed (context: %d %s)", r->created, why);
	if (r->context && !r->failed)
		tallycoll_context_destroy(r->context);
}

static int run(struct job *j, struct bench_params *params)
{
	const char *folder = getenv("PARAMS"), *drop = getenv("JOB_DROP");
	uint32_t *node_of = calloc(j->cfg.ranks, sizeof(*node_of));
	struct sim_coll_cfg cfg = {
		.c = { .params = params, .topology = TOPO_SWITCH, .seed = j->cfg.seed,
		       .nodes = j->cfg.machines * j->cfg.nics },
		.node_of = node_of,
		.num_ranks = j->cfg.ranks,
		.sockets = j->cfg.sockets,
		.max_inline = j->cfg.max_inline,
		.queue_depth = j->cfg.queue_depth,
		.max_groups = j->cfg.max_groups,
		.faults = { .drop = drop ? atof(drop) : 0 },
		.limit = 10000 * VT_S,
	};
	char path[512], why[256];
	struct sim_coll *s = NULL;
	int err = -1;

	for (uint32_t k = 0; k < j->cfg.ranks; k++)
		node_of[k] = job_nic_of(&j->cfg, k);
	snprintf(path, sizeof(path), "%s/ethernet100g.params", folder);
	if (!bench_params_read(params, path, why, sizeof(why)))
		s = sim_coll_new(&cfg, why, sizeof(why));
	if (s)
		err = sim_coll_run(s, run_rank, j);
	if (err)
		fprintf(stderr, "%s\n", s ? sim_coll_trouble(s) : why);
	else if (sim_coll_remains(s))
		err = fprintf(stderr, "%s remains\n", sim_coll_remains(s));
	sim_coll_free(s);
	free(node_of);
	return err || j->failed ? -1 : 0;
}

int job_run(const struct job_cfg *cfg, int (*rank_main)(struct job_rank *), void *arg)
{
	struct job j = { .cfg = *cfg, .rank_main = rank_main, .arg = arg };
	struct bench_params params;
	int result;

	job_cfg_complete(&j.cfg);
	j.ranks = calloc(cfg->ranks, sizeof(*j.ranks));
	for (uint32_t k = 0; k < cfg->ranks; k++)
		j.ranks[k] = (struct job_rank){ .job = &j, .rank = k, .size = cfg->ranks };
	result = run(&j, &params);
	job_seats_free(j.seats);
	free(j.ranks);
	return result;
}
