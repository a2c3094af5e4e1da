// SPDX-License-Identifier: BSD-2-Clause
/*
 * Teams and requests beside one another: many teams in turn, several requests of a team in progress,
 * requests that are posted again, teams that two threads use, and nodes with more ranks than a NIC
 * has contributors.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "testing/operation.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static bool few; /* a short run */

static struct operation operation(struct job_rank *r, const struct job_seat *seat,
				  struct tallycoll_team *team, enum tally_opcode opcode,
				  uint64_t count)
{
	const bool barrier = opcode == TALLY_OPCODE_BARRIER;

	return (struct operation){
		.r = r,
		.team = team,
		.rank = job_seat_rank(seat),
		.size = job_seat_size(seat),
		.opcode = opcode,
		.op = operation_reduces(opcode) ? TALLY_OP_SUM : TALLY_OP_NONE,
		.dtype = barrier ? TALLY_TYPE_NONE : TALLY_TYPE_INT32,
		.count = barrier ? 0 : count,
		.salt = count,
	};
}

/* The opcode of step @k, so that the steps of a test go through all of them. */
static enum tally_opcode opcode_of(uint32_t k)
{
	return TALLY_OPCODE_ALLREDUCE + k % (TALLY_OPCODE_SCATTER - TALLY_OPCODE_ALLREDUCE + 1);
}

/* ---- Many teams in turn ---- */
#define SEATS 64
#define ALIVE 8

static struct job_seat *new_seat(struct job_rank *r, uint32_t k)
{
	const int me = r->rank;

	switch (k % 4) {
	case 0:
		return job_split(r, r->world, 0, 0);
	case 1:
		return job_split(r, r->world, me % 2, 0);
	case 2:
		return job_split(r, r->world, me < 2 ? -1 : 0, -me);
	default:
		return job_split(r, r->world, me * 7 % 3, me * 5 % 4);
	}
}

static int use_team(struct job_rank *r, struct job_seat *seat, struct tallycoll_team *team,
		    uint32_t k)
{
	struct operation o = operation(r, seat, team, opcode_of(k), 1 + k % 50 * (k % 7 ? 1 : 100));

	o.root = k % o.size;
	if (operation_run(&o))
		return -1;
	if (o.reason != (o.size > 1 ? TALLYCOLL_REASON_NONE : TALLYCOLL_REASON_ONE_RANK))
		return JOB_FAIL(r, "team %u: %s", k, tallycoll_reason_name(o.reason));
	return 0;
}

static int churning_rank(struct job_rank *r)
{
	const uint32_t num = few || job_cfg_of(r)->max_groups ? 200 : 1000;
	struct job_seat *seat[SEATS];
	struct tallycoll_team *team[ALIVE] = { 0 };

	for (uint32_t k = 0; k < SEATS; k++)
		seat[k] = new_seat(r, k);
	for (uint32_t k = 0; k < num + ALIVE; k++) {
		struct tallycoll_team **t = &team[k % ALIVE];

		if (*t)
			tallycoll_team_destroy(*t);
		*t = NULL;
		if (k >= num || !seat[k * 5 % SEATS])
			continue;
		JOB_CHECK(r, job_team(r, seat[k * 5 % SEATS], t) == TALLYCOLL_OK);
		if (use_team(r, seat[k * 5 % SEATS], *t, k))
			return -1;
	}
	return 0;
}

/* With room for all groups, and with so little that caches lose theirs. */
static int churn(void)
{
	struct job_cfg cfg = { .ranks = 6, .machines = 3, .mapping = JOB_ROUND_ROBIN, .seed = 3 };
	int err = job_run(&cfg, churning_rank, NULL);

	cfg.max_groups = ALIVE + 1;
	cfg.mapping = JOB_UNEVEN;
	return err ? err : job_run(&cfg, churning_rank, NULL);
}

/* ---- Several requests in progress ---- */
#define FLYING 24

static int post_all(struct operation *o, uint32_t from, uint32_t to)
{
	for (uint32_t k = from; k < to; k++)
		if (operation_post(&o[k]))
			return -1;
	return 0;
}

/* Tests the requests in an order of its own until all have ended. */
static int finish_all(struct job_rank *r, struct operation *o, uint32_t num)
{
	bool ended[2 * FLYING] = { false };
	uint32_t left = num;

	for (uint32_t k = r->rank * 7; left && !job_failed(r); k++) {
		uint32_t at = k * (r->rank % 2 ? 5 : 7) % num;
		int done = ended[at] ? 0 : operation_test(&o[at]);

		if (done < 0)
			return -1;
		ended[at] |= done;
		left -= done;
		if (k % num == 0)
			job_pause(r);
	}
	for (uint32_t k = 0; k < num && !job_failed(r); k++)
		if (operation_check(&o[k]))
			return -1;
	return left ? -1 : 0;
}

static int init_flying(struct job_rank *r, struct job_seat *seat, struct tallycoll_team *team,
		       struct operation *o, uint32_t salt)
{
	static const uint32_t counts[] = { 1, 40, 2000, 7, 60000 };

	for (uint32_t k = 0; k < FLYING; k++) {
		uint32_t count = counts[k % ARRAY_SIZE(counts)];

		o[k] = operation(r, seat, team, opcode_of(k), count);
		if (operation_has_blocks(o[k].opcode) && count > 10000)
			o[k].count /= o[k].size;
		o[k].root = (k + salt) % o[k].size;
		o[k].salt = salt * 100 + k;
		if (operation_init(&o[k]))
			return -1;
		JOB_CHECK(r, o[k].request);
	}
	return 0;
}

/* Requests of two teams, which are posted again with other data; ranks post the teams in any order. */
static int flying_rank(struct job_rank *r)
{
	struct job_seat *seat[2] = { r->world, job_split(r, r->world, 0, -(int)r->rank) };
	struct operation *o = calloc(2 * FLYING, sizeof(*o));
	struct tallycoll_team *team[2];

	for (uint32_t i = 0; i < 2; i++) {
		JOB_CHECK(r, job_team(r, seat[i], &team[i]) == TALLYCOLL_OK);
		if (init_flying(r, seat[i], team[i], o + i * FLYING, i))
			return -1;
	}
	for (uint32_t round = 0; round < (few ? 2 : 10); round++) {
		uint32_t first = (round + r->rank) % 2;

		for (uint32_t k = 0; k < 2 * FLYING; k++)
			o[k].salt += 1000;
		if (post_all(o, first * FLYING, first * FLYING + FLYING) ||
		    post_all(o, !first * FLYING, !first * FLYING + FLYING) ||
		    finish_all(r, o, 2 * FLYING))
			return -1;
	}
	for (uint32_t k = 0; k < 2 * FLYING; k++)
		operation_free(&o[k]);
	tallycoll_team_destroy(team[0]);
	tallycoll_team_destroy(team[1]);
	free(o);
	return 0;
}

static int flying(void)
{
	static const char *const tunes[] = { "all=nic", "all=direct", "all=node", "all=socket" };
	int err = 0;

	for (uint32_t i = 0; i < ARRAY_SIZE(tunes) && !err; i++) {
		const struct job_cfg cfg = {
			.ranks = 6, .machines = 2, .sockets = 2, .seed = 1 + i, .queue_depth = 8
		};

		setenv("TALLY_COLL_TUNE", tunes[i], true);
		err = job_run(&cfg, flying_rank, NULL);
	}
	unsetenv("TALLY_COLL_TUNE");
	return err;
}

/* ---- Threads ---- */
struct thread {
	struct job_rank *r;
	struct job_seat *seat;
	uint32_t number;
	int result;
};

static int thread_main(const struct thread *t)
{
	struct tallycoll_team *team;

	for (uint32_t round = 0; round < (few ? 3 : 10); round++) {
		JOB_CHECK(t->r, job_team(t->r, t->seat, &team) == TALLYCOLL_OK);
		for (uint32_t k = 0; k < 30; k++)
			if (use_team(t->r, t->seat, team, k + t->number))
				return -1;
		tallycoll_team_destroy(team);
	}
	return 0;
}

static void *run_thread(void *arg)
{
	struct thread *t = arg;

	t->result = thread_main(t);
	return NULL;
}

static int threaded_rank(struct job_rank *r)
{
	struct thread thread[2];
	pthread_t id[2];

	for (uint32_t i = 0; i < 2; i++)
		thread[i] = (struct thread){ .r = r,
					     .number = i,
					     .seat = job_split(r, r->world, 0, i * (r->rank % 3)) };
	for (uint32_t i = 0; i < 2; i++)
		if (pthread_create(&id[i], NULL, run_thread, &thread[i]))
			return -1;
	for (uint32_t i = 0; i < 2; i++)
		pthread_join(id[i], NULL);
	return thread[0].result || thread[1].result ? -1 : 0;
}

static int threads(void)
{
	const struct job_cfg cfg = { .ranks = 4, .machines = 2, .threads = true, .seed = 9 };

	return job_run(&cfg, threaded_rank, NULL);
}

/* ---- More ranks than contributors ---- */
static int crowded_rank(struct job_rank *r)
{
	static const enum tally_op ops[] = { TALLY_OP_SUM, TALLY_OP_AVG, TALLY_OP_MAX };
	static const uint32_t counts[] = { 1, 1000, 20000 };
	struct tallycoll_team *team;
	bool refused;

	JOB_CHECK(r, job_team(r, r->world, &team) == TALLYCOLL_OK);
	for (uint32_t k = 0; k < (few ? 24 : 72); k++) {
		struct operation o = operation(r, r->world, team, opcode_of(k), counts[k / 24]);

		o.root = k * 13 % r->size;
		if (operation_reduces(o.opcode))
			o.op = ops[k % ARRAY_SIZE(ops)];
		if (o.op == TALLY_OP_AVG)
			o.dtype = TALLY_TYPE_FP64; /* shows a wrong divisor */
		if (operation_run(&o))
			return -1;
		refused = operation_has_blocks(o.opcode) || o.op == TALLY_OP_AVG;
		JOB_CHECK(r, o.reason == (refused ? TALLYCOLL_REASON_TOO_MANY_RANKS :
						    TALLYCOLL_REASON_NONE));
	}
	tallycoll_team_destroy(team);
	return 0;
}

static int crowded(void)
{
	const struct job_cfg cfg = {
		.ranks = 70, .machines = 2, .sockets = 2, .mapping = JOB_UNEVEN
	};

	return job_run(&cfg, crowded_rank, NULL);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(void);
	} parts[] = {
		{ "churn", churn },
		{ "flying", flying },
		{ "threads", threads },
		{ "crowded", crowded },
	};
	const char *only = argc > 2 ? argv[2] : NULL;
	int err = 0;

	few = argc > 1 && !strcmp(argv[1], "short");
	for (unsigned int i = 0; i < ARRAY_SIZE(parts) && !err; i++) {
		if (only && strcmp(only, parts[i].name))
			continue;
		err = parts[i].run();
		if (err)
			fprintf(stderr, "%s failed\n", parts[i].name);
	}
	return err ? EXIT_FAILURE : EXIT_SUCCESS;
}
