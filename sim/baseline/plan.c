// SPDX-License-Identifier: BSD-2-Clause
#include "baseline/plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "baseline/names.h"

#define SMP		"smp-"

/*
 * Radix of the tree over which a node's ranks reduce: MPICH 4.3.2, src/mpid/ch4/shm/posix/
 * release_gather/release_gather.c, MPIR_CVAR_REDUCE_INTRANODE_TREE_KVAL.
 */
#define SMP_RADIX	4

uint32_t baseline_task_ranks(const struct baseline_task *task)
{
	return task->nodes * task->ranks;
}

static bool has_blocks(const struct baseline_task *task)
{
	return task->opcode == TALLY_OPCODE_ALLGATHER ||
	       task->opcode == TALLY_OPCODE_REDUCE_SCATTER ||
	       task->opcode == TALLY_OPCODE_GATHER || task->opcode == TALLY_OPCODE_SCATTER;
}

uint64_t baseline_task_data(const struct baseline_task *task)
{
	return (uint64_t)task->count * (has_blocks(task) ? baseline_task_ranks(task) : 1);
}

/* A parsed name: an algorithm, or a reduction followed by a broadcast. */
struct choice {
	struct {
		const struct baseline_algorithm *algorithm;
		uint32_t param;		/* segments are in elements */
	} part[2];
	unsigned int parts;
	bool smp;
	bool competitive;	/* the task names the leaders */
};

/* Moves @name behind @prefix, if it begins so. */
static bool skip(const char **name, const char *prefix)
{
	size_t len = strlen(prefix);

	if (strncmp(*name, prefix, len))
		return false;
	*name += len;
	return true;
}

static bool smp_fits(const struct baseline_task *task)
{
	return task->ranks > 1 && !has_blocks(task);
}

static struct baseline_shape shape_of(const struct baseline_task *task, bool smp)
{
	return (struct baseline_shape){ .n = smp ? task->nodes : baseline_task_ranks(task),
					.count = baseline_task_data(task),
					.elem = task->elem };
}

static int choose_part(const struct baseline_task *task, enum tally_opcode opcode, const char *name,
		       struct choice *c)
{
	struct baseline_shape shape = shape_of(task, c->smp);
	uint32_t param;
	const struct baseline_algorithm *a = baseline_find(opcode, name, &param);

	if (!a || (a->fits && !a->fits(&shape, param)))
		return -EINVAL;
	c->part[c->parts].algorithm = a;
	c->part[c->parts++].param = a->param == BASELINE_SEGMENT ? param / task->elem : param;
	return 0;
}

static int choose(const struct baseline_task *task, const char *name, struct choice *c)
{
	const char *plus;
	char first[BASELINE_NAME_MAX];
	int err;

	*c = (struct choice){ .competitive = skip(&name, BASELINE_COMPETITIVE) };
	c->smp = c->competitive || skip(&name, SMP);
	if ((c->smp && !smp_fits(task)) || (c->competitive && task->opcode != TALLY_OPCODE_BCAST))
		return -EINVAL;
	plus = strchr(name, '+');
	if (!plus)
		return choose_part(task, task->opcode, name, c);
	if (task->opcode != TALLY_OPCODE_ALLREDUCE || plus - name >= BASELINE_NAME_MAX)
		return -EINVAL;
	memcpy(first, name, plus - name);
	first[plus - name] = '\0';
	err = choose_part(task, TALLY_OPCODE_REDUCE, first, c);
	return err ? err : choose_part(task, TALLY_OPCODE_BCAST, plus + 1, c);
}

static void steps(struct baseline_build *b, const struct choice *c, struct baseline_group *t)
{
	for (unsigned int i = 0; i < c->parts; i++) {
		t->param = c->part[i].param;
		c->part[i].algorithm->steps(b, t);
	}
}

/* Writes the steps of @rank for a flat algorithm among all ranks. */
static void plan_flat(struct baseline_build *b, const struct baseline_task *task,
		      const struct choice *c, uint32_t rank)
{
	uint32_t n = baseline_task_ranks(task);
	struct baseline_group t = {
		.stride = 1,
		.shift = task->root,
		.n = n,
		.me = (rank + n - task->root) % n,
		.count = baseline_task_data(task),
	};

	steps(b, c, &t);
}

/*
 * Writes the steps of @rank if one rank of each node, with the local number of the root or the one
 * that the task names, executes the algorithm. It first collects the data of the node's ranks, and
 * shares the result with them at the end.
 */
static void plan_smp(struct baseline_build *b, const struct baseline_task *task,
		     const struct choice *c, uint32_t rank)
{
	uint32_t node = rank / task->ranks, local = rank % task->ranks;
	uint32_t root = task->root / task->ranks;
	const uint32_t *chosen = c->competitive ? task->leader : NULL;
	uint32_t leader = chosen ? chosen[node] : task->root % task->ranks;
	struct baseline_group own = {
		.base = node * task->ranks, .stride = 1, .shift = leader,
		.n = task->ranks, .me = (local + task->ranks - leader) % task->ranks,
		.count = task->count, .param = SMP_RADIX,
	};
	struct baseline_group leaders = {
		.base = leader, .stride = task->ranks, .shift = root, .leader = chosen,
		.n = task->nodes, .me = (node + task->nodes - root) % task->nodes,
		.count = task->count,
	};

	if (task->opcode != TALLY_OPCODE_BCAST)
		baseline_knomial_reduce(b, &own);
	if (local == leader)
		steps(b, c, &leaders);
	if (task->opcode == TALLY_OPCODE_REDUCE)
		return;
	if (local == leader)
		baseline_share(b, 0, task->count);
	else
		baseline_recv_wait(b, &own, 0, 0, task->count);
}

static int check(const struct baseline_task *task)
{
	if (!task->nodes || !task->ranks || !task->elem || task->root >= baseline_task_ranks(task))
		return -EINVAL;
	if ((uint64_t)task->nodes * task->ranks > BASELINE_MAX_RANKS ||
	    baseline_task_data(task) > UINT32_MAX)
		return -EOVERFLOW;
	return 0;
}

int baseline_plan_make(struct baseline_plan *plan, const struct baseline_task *task,
		       const char *name)
{
	struct baseline_build b = { .plan = plan, .tmp_max = baseline_task_data(task) };
	uint32_t n = baseline_task_ranks(task);
	struct choice c;
	int err = check(task);

	if (!err)
		err = choose(task, name, &c);
	if (err)
		return err;
	*plan = (struct baseline_plan){ .ranks = n, .first = calloc(n + 1, sizeof(*plan->first)) };
	b.no_memory = !plan->first;
	for (uint32_t rank = 0; rank < n && !b.no_memory; rank++) {
		plan->first[rank] = plan->used;
		b.tmp = baseline_task_data(task);
		(c.smp ? plan_smp : plan_flat)(&b, task, &c, rank);
		plan->first[rank + 1] = plan->used;
	}
	plan->memory = b.tmp_max;
	if (!b.no_memory && b.tmp_max <= UINT32_MAX)
		return 0;
	baseline_plan_free(plan);
	return b.no_memory ? -ENOMEM : -EOVERFLOW;
}

void baseline_plan_free(struct baseline_plan *plan)
{
	free(plan->step);
	free(plan->first);
	*plan = (struct baseline_plan){ 0 };
}

bool baseline_plan_name(const struct baseline_task *task, unsigned int index,
			char name[BASELINE_NAME_MAX])
{
	struct baseline_shape flat = shape_of(task, false), smp = shape_of(task, true);
	const struct baseline_algorithm *a;
	unsigned int before = 0;
	uint32_t param;

	a = baseline_candidate(task->opcode, &flat, index, &param);
	if (a) {
		baseline_name(a, param, "", name);
		return true;
	}
	if (!smp_fits(task))
		return false;
	while (baseline_candidate(task->opcode, &flat, before, &param))
		before++;
	a = baseline_candidate(task->opcode, &smp, index - before, &param);
	if (!a)
		return false;
	baseline_name(a, param, SMP, name);
	return true;
}
