// SPDX-License-Identifier: BSD-2-Clause
#include "baseline/baseline.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "baseline/exec.h"

#define MAX_NAMES	512

static int trouble(struct bench_result *res, int err, const char *algorithm)
{
	const char *why = err == -EINVAL ? "does not exist for this case; docs/bench.md lists the names" :
			  err == -EOVERFLOW ? "has too many elements to count" :
			  err == -ENOMEM ? "does not fit into memory" : "does not come to an end";

	snprintf(res->trouble, sizeof(res->trouble), "%.*s %s", BASELINE_NAME_MAX, algorithm, why);
	return err;
}

/* A plan whose leaders are those that call first, and thus another one in each iteration. */
struct competition {
	const struct bench_workload *c;
	const char *algorithm;
	struct baseline_task task;
	struct baseline_plan plan;
	uint32_t *leader;
};

static uint32_t first_of(const struct competition *k, uint32_t iteration, uint32_t node)
{
	uint32_t ranks = k->c->ranks, first = node * ranks;

	if (k->task.root / ranks == node)
		return k->task.root % ranks;
	for (uint32_t i = 1; i < ranks; i++)
		if (bench_arrival(k->c, iteration, node * ranks + i) <
		    bench_arrival(k->c, iteration, first))
			first = node * ranks + i;
	return first % ranks;
}

static int compete(void *arg, uint32_t iteration, const struct baseline_plan **plan)
{
	struct competition *k = arg;

	for (uint32_t node = 0; node < k->c->nodes; node++)
		k->leader[node] = first_of(k, iteration, node);
	baseline_plan_free(&k->plan);
	*plan = &k->plan;
	return baseline_plan_make(&k->plan, &k->task, k->algorithm);
}

static int run_plan(struct competition *k, struct sim_trace *trace, struct bench_result *res)
{
	struct baseline_cluster *cluster;
	int err = baseline_plan_make(&k->plan, &k->task, k->algorithm);

	if (err)
		return trouble(res, err, k->algorithm);
	cluster = baseline_cluster_new(k->c, false, trace, res->trouble, sizeof(res->trouble));
	if (!cluster)
		return -EINVAL;
	res->trouble[0] = '\0';
	if (k->leader)
		baseline_cluster_choose(cluster, compete, k);
	err = baseline_cluster_run(cluster, &k->plan, VT_NEVER, res);
	baseline_cluster_free(cluster);
	return err ? trouble(res, err, k->algorithm) : 0;
}

int baseline_run(const struct bench_workload *c, const char *algorithm, struct sim_trace *trace,
		 struct bench_result *res)
{
	struct competition k = { .c = c, .algorithm = algorithm };
	int err = baseline_task_of(c, &k.task);

	*res = (struct bench_result){ 0 };
	if (err)
		return trouble(res, err, algorithm);
	if (!strncmp(algorithm, BASELINE_COMPETITIVE, strlen(BASELINE_COMPETITIVE))) {
		k.leader = calloc(c->nodes, sizeof(*k.leader));
		if (!k.leader)
			return trouble(res, -ENOMEM, algorithm);
		k.task.leader = k.leader;
	}
	err = run_plan(&k, trace, res);
	baseline_plan_free(&k.plan);
	free(k.leader);
	return err;
}

const char *const *baseline_algorithms(const struct bench_workload *c)
{
	static char names[MAX_NAMES][BASELINE_NAME_MAX];
	static const char *list[MAX_NAMES + 1];
	struct baseline_task task;
	unsigned int n = 0;

	if (!baseline_task_of(c, &task))
		while (n < MAX_NAMES && baseline_plan_name(&task, n, names[n])) {
			list[n] = names[n];
			n++;
		}
	list[n] = NULL;
	return list;
}

struct candidate {
	char name[BASELINE_NAME_MAX];
	unsigned int number;		/* index of baseline_plan_name() */
	vtime_t bound;
	struct bench_result res;	/* valid if it was executed within the limit */
};

/* The search for the fastest algorithm. */
struct search {
	const struct bench_workload *c;
	struct baseline_task task;
	struct baseline_cluster *cluster;
	unsigned int keep;		/* number of candidates to keep */
	struct candidate best[BASELINE_FINALISTS];	/* sorted by time */
	unsigned int found;
	char *trouble;
	size_t trouble_size;
};

static vtime_t limit(const struct search *s)
{
	return s->found < s->keep ? VT_NEVER : s->best[s->keep - 1].res.time;
}

/* Keeps @k if it is faster than one of the kept candidates. */
static void keep(struct search *s, const struct candidate *k)
{
	unsigned int at = s->found;

	while (at && s->best[at - 1].res.time > k->res.time)
		at--;
	if (at == s->keep)
		return;
	if (s->found < s->keep)
		s->found++;
	memmove(&s->best[at + 1], &s->best[at], (s->found - 1 - at) * sizeof(*k));
	s->best[at] = *k;
}

/* Executes @k unless it cannot be one of the best. */
static int try(struct search *s, struct candidate *k)
{
	struct baseline_plan plan;
	int err;

	if (k->bound >= limit(s))
		return 0;
	if (!s->cluster)
		s->cluster = baseline_cluster_new(s->c, false, NULL, s->trouble, s->trouble_size);
	if (!s->cluster)
		return -EINVAL;
	err = baseline_plan_make(&plan, &s->task, k->name);
	if (err)
		return err;
	err = baseline_cluster_run(s->cluster, &plan, limit(s), &k->res);
	baseline_plan_free(&plan);
	if (!err)
		keep(s, k);
	if (err != -ETIME)
		return err;
	baseline_cluster_free(s->cluster);
	s->cluster = NULL;
	return 0;
}

static int by_bound(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->bound != y->bound)
		return x->bound < y->bound ? -1 : 1;
	return x->number < y->number ? -1 : 1;
}

/* Returns all candidates that have a bound, the lowest bound first. NULL: out of memory. */
static struct candidate *candidates(const struct search *s, unsigned int *n)
{
	struct candidate *list = calloc(MAX_NAMES, sizeof(*list));

	*n = 0;
	for (unsigned int i = 0; list && *n < MAX_NAMES; i++) {
		struct candidate *k = &list[*n];
		struct baseline_plan plan;

		if (!baseline_plan_name(&s->task, i, k->name))
			break;
		if (baseline_plan_make(&plan, &s->task, k->name))
			continue;
		k->number = i;
		k->bound = baseline_bound(s->cluster, &plan);
		baseline_plan_free(&plan);
		++*n;
	}
	if (list)
		qsort(list, *n, sizeof(*list), by_bound);
	return list;
}

/* Finds the s->keep fastest candidates for s->c. */
static int search(struct search *s)
{
	struct candidate *list;
	unsigned int n;
	int err = baseline_task_of(s->c, &s->task);

	if (err)
		return err;
	s->cluster = baseline_cluster_new(s->c, false, NULL, s->trouble, s->trouble_size);
	if (!s->cluster)
		return -EINVAL;
	list = candidates(s, &n);
	for (unsigned int i = 0; list && i < n && !err; i++)
		err = try(s, &list[i]);
	free(list);
	baseline_cluster_free(s->cluster);
	s->cluster = NULL;
	if (!list)
		return -ENOMEM;
	return !err && !s->found ? -EOVERFLOW : err;
}

/* Of the candidates that are fast without skew and noise, finds the fastest one with them. */
static int final(const struct bench_workload *c, struct search *s, unsigned int *which)
{
	int err = 0;

	for (unsigned int i = 0; i < s->found && !err; i++) {
		err = baseline_run(c, s->best[i].name, NULL, &s->best[i].res);
		if (s->best[i].res.time < s->best[*which].res.time)
			*which = i;
	}
	return err;
}

int baseline_best(const struct bench_workload *c, struct bench_result *res,
		  char name[BASELINE_NAME_MAX])
{
	bool chance = c->skew || (c->noise_rate > 0 && c->noise_time);
	struct bench_workload calm = *c;
	struct search s = { .c = &calm, .keep = chance ? BASELINE_FINALISTS : 1,
			    .trouble = res->trouble, .trouble_size = sizeof(res->trouble) };
	unsigned int which = 0;
	int err;

	*res = (struct bench_result){ 0 };
	calm.skew = calm.noise_time = 0;
	calm.noise_rate = 0;
	err = search(&s);
	if (!err && chance)
		err = final(c, &s, &which);
	if (err)
		return res->trouble[0] ? err : trouble(res, err, "software");
	*res = s.best[which].res;
	memcpy(name, s.best[which].name, BASELINE_NAME_MAX);
	return 0;
}
