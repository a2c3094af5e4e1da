// SPDX-License-Identifier: BSD-2-Clause
#include "coll/measure.h"

#include <stdio.h>
#include <stdlib.h>

#include "coll/operation.h"
#include "hosts/host_set.h"

#define QUIET (100 * VT_US)	/* between iterations */

struct measure {
	const struct bench_workload *c;
	vtime_t work;				/* of a program, before each operation; 0: none */
	uint32_t progress;			/* calls while a rank computes */
	uint32_t flags;				/* of each operation */
	struct coll_measured *res;
	struct coll_expected expected;
	vtime_t *first_call, *last_call, *last_return;	/* of each iteration */
	vtime_t *calls;				/* NULL, or of each rank in each iteration */
	uint64_t *rank_time;			/* of each rank, sum */
};

static void note(struct measure *m, uint32_t iteration, uint32_t rank, vtime_t call, vtime_t end)
{
	uint32_t i = iteration - m->c->warmup;

	if (iteration < m->c->warmup)
		return;
	if (call < m->first_call[i] || !m->first_call[i])
		m->first_call[i] = call;
	if (call > m->last_call[i])
		m->last_call[i] = call;
	if (end > m->last_return[i])
		m->last_return[i] = end;
	m->rank_time[rank] += end - call;
	if (m->calls)
		m->calls[(size_t)i * bench_total_ranks(m->c) + rank] = call;
}

/* What the program does between the call and its wait. */
static void work(const struct measure *m, struct coll_operation *o,
		 struct tallycoll_context *context)
{
	const uint32_t parts = m->progress + 1;

	for (uint32_t k = 0; m->c->overlap && k < parts; k++) {
		if (k)
			tallycoll_progress(context);
		coll_compute(o->r, m->c->compute * (k + 1) / parts - m->c->compute * k / parts);
	}
}

/* The call of a program. Returns false if the run has failed. */
static bool perform(struct measure *m, struct coll_operation *o,
		    struct tallycoll_context *context, struct tallycoll_team *team)
{
	enum tallycoll_reason reason;
	enum tallycoll_status status;

	coll_compute(o->r, m->c->params->mpi_call);
	m->res->calls++;
	status = coll_operation_init(o, team, &reason);
	if (status == TALLYCOLL_NOT_OFFLOADED) {
		m->res->reason = reason;
		return true;
	}
	if (!status) {
		m->res->offloaded++;
		status = tallycoll_collective_post(o->request);
		if (!status) {
			work(m, o, context);
			status = tallycoll_collective_wait(o->request);
		}
		tallycoll_collective_finalize(o->request);
	}
	if (status)
		coll_fail(o->r, "%s %s", tallycoll_status_str(status), tallycoll_team_error(team));
	return !status;
}

/* Returns whether the ranks agree that all went well so far. Costs no time. */
static bool meet(struct coll_rank *r, const struct tallycoll_oob *oob, bool good)
{
	uint8_t mine = good, *all = malloc(oob->size);
	bool result = all && !oob->allgather(oob->arg, &mine, all, 1);

	(void)r;
	for (uint32_t k = 0; result && k < oob->size; k++)
		result = all[k];
	free(all);
	return result;
}

/* Returns at the moment of the rank's call, with false if a rank has failed. */
static bool await_call(struct measure *m, struct coll_operation *o, uint32_t iteration, bool good)
{
	const struct tallycoll_oob oob = coll_oob(o->r, NULL, 0);
	vtime_t start;

	if (m->work) {
		if (m->c->opcode == TALLY_OPCODE_BCAST)
			o->m.root = iteration / COLL_ROOT_TURN % oob.size;
		coll_compute(o->r, m->work);
		return good;
	}
	if (!meet(o->r, &oob, good))
		return false;
	start = bench_begin(m->c, iteration, coll_now(o->r) + QUIET);
	coll_sleep_until(o->r, start + bench_arrival(m->c, iteration, o->rank));
	return true;
}

static void iterate(struct measure *m, struct coll_operation *o,
		    struct tallycoll_context *context, struct tallycoll_team *team)
{
	const uint32_t num = m->c->warmup + m->c->iterations;
	bool good = coll_operation_new(o);

	for (uint32_t i = 0; i < num && await_call(m, o, i, good); i++) {
		vtime_t call = coll_now(o->r);

		if (i == 0 || i == num - 1)
			coll_operation_fill(o);
		good = perform(m, o, context, team);
		note(m, i, o->rank, call, coll_now(o->r));
	}
	if (good && m->res->offloaded)
		good = coll_operation_check(o, &m->expected);
	m->res->checked = good && m->res->offloaded;
	coll_operation_free(o);
}

static void body(struct coll_rank *r, void *arg)
{
	struct measure *m = arg;
	const struct tallycoll_context_params cp = { .oob = coll_oob(r, NULL, 0),
						     .memory_released = true };
	const struct tallycoll_team_params tp = { .oob = cp.oob };
	struct coll_operation o = { .r = r, .rank = coll_number(r), .m = bench_message(m->c),
				    .flags = m->flags };
	struct tallycoll_context *context;
	struct tallycoll_team *team;
	char why[160] = "";

	if (tc_context_create(&cp, &coll_platform, r, &context, why, sizeof(why))) {
		/* What is wrong at all ranks is told by one. */
		if (*why)
			coll_fail(r, "%s", why);
		return;
	}
	if (tallycoll_team_create(context, &tp, &team)) {
		coll_fail(r, "the team cannot be created");
	} else {
		m->res->setup = coll_now(r);
		iterate(m, &o, context, team);
		tallycoll_team_destroy(team);
	}
	tallycoll_context_destroy(context);
}

/* What document 002's program of figure 11 prints is the largest of the ranks' means. */
static void summarize_ranks(const struct measure *m)
{
	const uint32_t n = m->c->iterations, ranks = bench_total_ranks(m->c);
	uint64_t sum = 0, most = 0;

	for (uint32_t k = 0; k < ranks; k++) {
		sum += m->rank_time[k];
		if (m->rank_time[k] > most)
			most = m->rank_time[k];
	}
	m->res->rank_mean = sum / n / ranks;
	m->res->rank_max = most / n;
	m->res->root_mean = m->rank_time[0] / n;
}

static void summarize(const struct measure *m)
{
	const uint32_t n = m->c->iterations;
	vtime_t *time = m->last_return, sum = 0;

	for (uint32_t i = 0; i < n; i++) {
		m->res->arrival += (m->last_call[i] - m->first_call[i]) / n;
		time[i] -= m->last_call[i];
		sum += time[i];
		if (time[i] > m->res->max)
			m->res->max = time[i];
	}
	m->res->mean = sum / n;
	m->res->median = time[bench_median(time, n)];
	summarize_ranks(m);
}

/* Returns bytes for the buffers of a node. */
static uint64_t memory_of(const struct bench_workload *c)
{
	struct message m = bench_message(c);
	uint64_t bytes = 0;

	for (uint32_t rank = 0; rank < c->ranks; rank++)
		bytes += message_give_bytes(&m) + message_get_bytes(&m);
	return bytes + (1 << 20);
}

int coll_measure(const struct sim_coll_cfg *cfg, struct coll_measured *res)
{
	struct sim_coll_cfg with_memory = *cfg;
	struct measure m = { .c = &cfg->c, .work = cfg->work, .calls = cfg->calls,
			     .progress = cfg->progress,
			     .flags = cfg->nonblocking ? 0 : TALLYCOLL_F_BLOCKING, .res = res };
	struct sim_coll *s;
	int err = -1;

	*res = (struct coll_measured){ 0 };
	m.first_call = calloc(cfg->c.iterations, sizeof(*m.first_call));
	m.last_call = calloc(cfg->c.iterations, sizeof(*m.last_call));
	m.last_return = calloc(cfg->c.iterations, sizeof(*m.last_return));
	m.rank_time = calloc(bench_total_ranks(&cfg->c), sizeof(*m.rank_time));
	if (!with_memory.memory)
		with_memory.memory = memory_of(&cfg->c);
	s = sim_coll_new(&with_memory, res->trouble, sizeof(res->trouble));
	if (s && m.first_call && m.last_call && m.last_return && m.rank_time) {
		err = sim_coll_run(s, body, &m);
		snprintf(res->trouble, sizeof(res->trouble), "%s", sim_coll_trouble(s));
		res->retransmits = host_set_counter(sim_coll_hosts(s), TALLY_CTR_retransmits);
	}
	if (!err)
		summarize(&m);
	coll_expected_free(&m.expected);
	sim_coll_free(s);
	free(m.first_call);
	free(m.last_call);
	free(m.last_return);
	free(m.rank_time);
	return err;
}
