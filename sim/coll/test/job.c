// SPDX-License-Identifier: BSD-2-Clause
/*
 * Jobs of collectives/testing/job.h on simulated nodes, so that its tests also run there. Each NIC is
 * a node, and ranks are fibers. PARAMS names the folder of parameter sets; JOB_DROP is the share of
 * frames that are lost. No rank dies here, and no call fails by request.
 */
#include "testing/job.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "coll/coll.h"

#define WHY 200

struct job_seat {
	struct job_seat *next;		/* of the job */
	struct coll_rank *rank;
	struct tallycoll_oob oob;
	uint32_t *world;		/* [rank] */
};

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
	coll_fail(r->world->rank, "%s", what);
	return -1;
}

/* ---- Places ---- */
static uint32_t machine_of(const struct job_cfg *c, uint32_t rank)
{
	uint32_t machine = 0;

	if (c->mapping == JOB_ROUND_ROBIN)
		return rank % c->machines;
	if (c->mapping == JOB_CONTIGUOUS)
		return (uint64_t)rank * c->machines / c->ranks;
	while (machine + 1 < c->machines && rank > machine) {
		rank -= machine + 1;
		machine++;
	}
	return machine;
}

static uint32_t nic_of(const struct job_cfg *c, uint32_t rank)
{
	uint32_t machine = machine_of(c, rank), local = 0, all = 0;

	for (uint32_t k = 0; k < c->ranks; k++)
		if (machine_of(c, k) == machine) {
			local += k < rank;
			all++;
		}
	return machine * c->nics + local * c->nics / all;
}

uint32_t job_machine(const struct job_rank *r, uint32_t rank)
{
	return machine_of(&r->job->cfg, rank);
}

uint32_t job_nic(const struct job_rank *r, uint32_t rank)
{
	return nic_of(&r->job->cfg, rank);
}

/* ---- Communicators ---- */
static struct job_seat *new_seat(struct job_rank *r, struct coll_rank *rank, uint32_t *world,
				 uint32_t num)
{
	struct job_seat *seat = calloc(1, sizeof(*seat));

	seat->rank = rank;
	seat->world = world;
	seat->oob = coll_oob(rank, world, num);
	seat->next = r->job->seats;
	r->job->seats = seat;
	return seat;
}

uint32_t job_seat_rank(const struct job_seat *seat)
{
	return seat->oob.rank;
}

uint32_t job_seat_size(const struct job_seat *seat)
{
	return seat->oob.size;
}

uint32_t job_seat_world(const struct job_seat *seat, uint32_t rank)
{
	return seat->world[rank];
}

struct tallycoll_oob job_oob(struct job_seat *seat)
{
	return seat->oob;
}

int job_barrier(struct job_seat *seat)
{
	uint8_t mine = 0, *all = malloc(seat->oob.size);
	int err = seat->oob.allgather(seat->oob.arg, &mine, all, 1);

	free(all);
	return err;
}

struct vote {
	int color, key;
	uint32_t rank, world;
};

static int compare(const void *a, const void *b)
{
	const struct vote *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->rank < y->rank ? -1 : x->rank > y->rank;
}

struct job_seat *job_split(struct job_rank *r, struct job_seat *parent, int color, int key)
{
	const uint32_t size = parent->oob.size;
	struct vote mine = { color, key, parent->oob.rank, r->rank };
	struct vote *all = calloc(size, sizeof(*all));
	uint32_t *world = calloc(size, sizeof(*world)), num = 0;

	if (parent->oob.allgather(parent->oob.arg, &mine, all, sizeof(mine)))
		color = -1;
	qsort(all, size, sizeof(*all), compare);
	for (uint32_t k = 0; k < size; k++)
		if (all[k].color == color)
			world[num++] = all[k].world;
	free(all);
	if (color >= 0)
		return new_seat(r, parent->rank, world, num);
	free(world);
	return NULL;
}

enum tallycoll_status job_team(struct job_rank *r, struct job_seat *seat,
			       struct tallycoll_team **team)
{
	const struct tallycoll_team_params params = { .oob = seat->oob, .ranks = seat->world };

	return tallycoll_team_create(r->context, &params, team);
}

/* ---- The run ---- */
static void make_world(struct job_rank *r, struct coll_rank *rank)
{
	uint32_t *world = calloc(r->size, sizeof(*world));

	for (uint32_t k = 0; k < r->size; k++)
		world[k] = k;
	r->world = new_seat(r, rank, world, r->size);
}

static void run_rank(struct coll_rank *rank, void *arg)
{
	struct job *j = arg;
	struct job_rank *r = &j->ranks[coll_number(rank)];
	struct tallycoll_context_params params = { .threads = j->cfg.threads };
	char why[WHY] = "";

	make_world(r, rank);
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

static void free_seats(struct job *j)
{
	while (j->seats) {
		struct job_seat *seat = j->seats;

		j->seats = seat->next;
		free(seat->world);
		free(seat);
	}
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
		.faults = { .drop = drop ? atof(drop) : 0 },
		.limit = 10000 * VT_S,
	};
	char path[512], why[256];
	struct sim_coll *s = NULL;
	int err = -1;

	for (uint32_t k = 0; k < j->cfg.ranks; k++)
		node_of[k] = nic_of(&j->cfg, k);
	snprintf(path, sizeof(path), "%s/ethernet100g.params", folder);
	if (!bench_params_read(params, path, why, sizeof(why)))
		s = sim_coll_new(&cfg, why, sizeof(why));
	if (s)
		err = sim_coll_run(s, run_rank, j);
	if (err)
		fprintf(stderr, "%s\n", s ? sim_coll_trouble(s) : why);
	sim_coll_free(s);
	free(node_of);
	return err || j->failed ? -1 : 0;
}

int job_run(const struct job_cfg *cfg, int (*rank_main)(struct job_rank *), void *arg)
{
	struct job j = { .cfg = *cfg, .rank_main = rank_main, .arg = arg };
	struct bench_params params;
	int result;

	j.cfg.machines = cfg->machines ? cfg->machines : 1;
	j.cfg.nics = cfg->nics ? cfg->nics : 1;
	j.cfg.sockets = cfg->sockets ? cfg->sockets : 1;
	j.ranks = calloc(cfg->ranks, sizeof(*j.ranks));
	for (uint32_t k = 0; k < cfg->ranks; k++)
		j.ranks[k] = (struct job_rank){ .job = &j, .rank = k, .size = cfg->ranks };
	result = run(&j, &params);
	free_seats(&j);
	free(j.ranks);
	return result;
}
