// SPDX-License-Identifier: BSD-2-Clause
/* Jobs: threads as ranks, and how they fail. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core/create.h"
#include "testing/soft.h"

#define WHY 200

const struct tc_platform soft_platform = {
	.host_open = soft_host_open,
	.net_open = soft_net_open,
};

/* Ranks that died, for leak checkers. */
static struct {
	void *job, *context, *kept[JOB_MAX_KEPT];
} graveyard[256];
static _Atomic uint32_t graves;

uint64_t soft_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

void *job_arg(const struct job_rank *r)
{
	return r->job->arg;
}

const struct job_cfg *job_cfg_of(const struct job_rank *r)
{
	return &r->job->cfg;
}

/* ---- Faults ---- */
bool soft_fault(struct job_rank *r, enum job_call call)
{
	uint32_t number;

	if (!r->job->faults[r->rank][call].armed)
		return false;
	number = ++r->job->faults[r->rank][call].calls;
	return number >= r->job->faults[r->rank][call].nth &&
	       (!r->job->faults[r->rank][call].times ||
		number - r->job->faults[r->rank][call].nth < r->job->faults[r->rank][call].times);
}

void job_set_fault(struct job_rank *r, enum job_call call, uint32_t nth, uint32_t times)
{
	struct job *j = r->job;

	pthread_mutex_lock(&j->lock);
	j->faults[r->rank][call].armed = true;
	j->faults[r->rank][call].calls = 0;
	j->faults[r->rank][call].nth = nth;
	j->faults[r->rank][call].times = times;
	pthread_mutex_unlock(&j->lock);
}

bool job_failed(const struct job_rank *r)
{
	return r->job->failed;
}

int job_fail(struct job_rank *r, const char *file, int line, const char *format, ...)
{
	struct job *j = r->job;
	va_list args;

	r->failed = true;
	pthread_mutex_lock(&j->lock);
	if (!j->failed) {
		fprintf(stderr, "%s:%d: rank %u: ", file, line, r->rank);
		va_start(args, format);
		vfprintf(stderr, format, args);
		va_end(args);
		fputc('\n', stderr);
	}
	j->failed = true;
	for (struct soft_group *g = j->groups; g; g = g->next)
		soft_group_end(g, TALLY_COLL_ABORTED, 0, 0);
	soft_break_comms(j, 0, true);
	pthread_mutex_unlock(&j->lock);
	return -1;
}

static void bury(struct job_rank *r)
{
	uint32_t grave = graves++;

	if (grave >= sizeof(graveyard) / sizeof(graveyard[0]))
		return;
	graveyard[grave].job = r->job;
	graveyard[grave].context = r->context;
	memcpy(graveyard[grave].kept, r->kept, sizeof(r->kept));
}

void job_die(struct job_rank *r)
{
	struct job *j = r->job;
	const struct soft_net *net = r->net;

	r->dead = true;
	bury(r);
	pthread_mutex_lock(&j->lock);
	if (net)
		soft_net_die(j, net);
	soft_break_comms(j, r->rank, false);
	pthread_mutex_unlock(&j->lock);
}

/* ---- The run ---- */
static void *run_rank(void *arg)
{
	struct job_rank *r = arg;
	const struct tallycoll_context_params params = {
		.oob = job_oob(r->world),
		.threads = r->job->cfg.threads,
		.memory_released = r->job->cfg.memory_released,
		.keep_bytes = r->job->cfg.keep_bytes,
	};
	char why[WHY] = "";

	r->created = tc_context_create(&params, &soft_platform, r, &r->context, why, sizeof(why));
	if (r->created)
		r->context = NULL;
	if (r->job->rank_main(r) && !r->failed)
		JOB_FAIL(r, "the rank failed (context: %d %s)", r->created, why);
	if (r->context && !r->dead && !r->failed)
		tallycoll_context_destroy(r->context);
	else if (r->context && r->failed)
		bury(r);
	return NULL;
}

static struct job *job_new(const struct job_cfg *cfg)
{
	struct job *j = calloc(1, sizeof(*j));

	j->cfg = *cfg;
	job_cfg_complete(&j->cfg);
	j->ranks = calloc(cfg->ranks, sizeof(*j->ranks));
	j->wakes = aligned_alloc(TC_LINE, cfg->ranks * sizeof(*j->wakes));
	memset(j->wakes, 0, cfg->ranks * sizeof(*j->wakes));
	j->faults = calloc(cfg->ranks, sizeof(*j->faults));
	pthread_mutex_init(&j->lock, NULL);
	pthread_cond_init(&j->gathered, NULL);
	for (uint32_t k = 0; k < cfg->ranks; k++) {
		j->ranks[k] = (struct job_rank){ .job = j, .rank = k, .size = cfg->ranks };
		j->ranks[k].world = job_seat_first(&j->ranks[k]);
		j->wakes[k].machine = job_machine_of(&j->cfg, k);
	}
	for (unsigned int i = 0; i < JOB_MAX_FAULTS; i++)
		if (cfg->fault[i].call)
			job_set_fault(&j->ranks[cfg->fault[i].rank], cfg->fault[i].call,
				      cfg->fault[i].nth, cfg->fault[i].times);
	return j;
}

/* Whether no rank has died, so that nothing may be left behind. */
static bool is_whole(const struct job *j)
{
	for (uint32_t k = 0; k < j->cfg.ranks; k++)
		if (j->ranks[k].dead || j->ranks[k].failed)
			return false;
	return true;
}

static void check_empty(struct job *j)
{
	for (struct soft_share *s = j->shares; s; s = s->next)
		JOB_FAIL(&j->ranks[0], "shared memory %s remains, with %u users", s->name,
			 s->users);
	for (struct soft_group *g = j->groups; g; g = g->next)
		JOB_FAIL(&j->ranks[0], "group %#x remains", g->jid);
}

static void job_free(struct job *j)
{
	while (j->shares) {
		struct soft_share *s = j->shares;

		j->shares = s->next;
		free(s->memory);
		free(s);
	}
	soft_free_comms(j);
	pthread_cond_destroy(&j->gathered);
	pthread_mutex_destroy(&j->lock);
	free(j->faults);
	free(j->wakes);
	free(j->ranks);
	free(j);
}

int job_run(const struct job_cfg *cfg, int (*rank_main)(struct job_rank *), void *arg)
{
	struct job *j = job_new(cfg);
	pthread_t *thread = calloc(cfg->ranks, sizeof(*thread));
	bool whole;
	int result;

	j->rank_main = rank_main;
	j->arg = arg;
	for (uint32_t k = 0; k < cfg->ranks; k++)
		if (pthread_create(&thread[k], NULL, run_rank, &j->ranks[k]))
			abort();
	for (uint32_t k = 0; k < cfg->ranks; k++)
		pthread_join(thread[k], NULL);
	free(thread);
	whole = is_whole(j);
	if (whole)
		check_empty(j);
	result = j->failed ? -1 : 0;
	if (whole)
		job_free(j);
	return result;
}
