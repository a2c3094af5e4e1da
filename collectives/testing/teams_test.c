// SPDX-License-Identifier: BSD-2-Clause
/*
 * Teams and requests beside one another: many teams that come and go, also without room for the groups of
 * all, a team that gets its group later, several requests of a team in progress, requests that are posted
 * again, teams that two threads use, and nodes with more ranks than a NIC has contributors.
 *
 *	teams_test [short | usual | long] [PART]
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "testing/operation.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static bool few, many; /* a short run, a long one */

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

/* ---- Many teams ---- */
#define PLACES 64
#define COLORS 3
#define MOST_CACHED 16 /* groups that a context keeps */
#define MOST_KNOWN 8192

/* A communicator that is made again and again: its ranks have up to three colors, each with a team. */
struct place {
	struct job_seat *seat; /* NULL: this rank is no member */
	struct tallycoll_team *team;
	bool exists, has_group[COLORS];
};

/* Each rank keeps account of the groups of all. */
struct churn {
	struct place place[PLACES];
	uint32_t groups[8]; /* that the teams of each rank have */
	uint32_t lives;
	uint32_t known[MOST_KNOWN], num_known, reused; /* job ids of groups so far */
};

/* Duplicates, halves, all but the first two in reverse, thirds in another order. */
static void membership(uint32_t k, uint32_t rank, int *color, int *key)
{
	const int me = rank;

	*key = k % 4 == 2 ? -me : k % 4 == 3 ? me * 5 % 4 : 0;
	*color = 0;
	if (k % 4 == 1)
		*color = me % 2;
	else if (k % 4 == 2)
		*color = me < 2 ? -1 : 0;
	else if (k % 4 == 3)
		*color = me * 7 % 3;
}

static int color_of(uint32_t k, uint32_t rank)
{
	int color, key;

	membership(k, rank, &color, &key);
	return color;
}

/* A team gets a group unless one of its members has as many as it may have. */
static void account_for_new(struct job_rank *r, struct churn *c, uint32_t k)
{
	const uint32_t most = job_cfg_of(r)->max_groups ? job_cfg_of(r)->max_groups : 64;

	for (int color = 0; color < COLORS; color++) {
		uint32_t num = 0;
		bool gets = true;

		for (uint32_t rank = 0; rank < r->size; rank++)
			if (color_of(k, rank) == color) {
				num++;
				gets &= c->groups[rank] < most;
			}
		c->place[k].has_group[color] = gets && num > 1;
		for (uint32_t rank = 0; rank < r->size; rank++)
			c->groups[rank] += color_of(k, rank) == color &&
					   c->place[k].has_group[color];
	}
}

static void account_for_old(struct job_rank *r, struct churn *c, uint32_t k)
{
	for (uint32_t rank = 0; rank < r->size; rank++) {
		int color = color_of(k, rank);

		if (color >= 0)
			c->groups[rank] -= c->place[k].has_group[color];
	}
}

/* Notes whether the team's group was that of an earlier team. */
static void note_group(struct churn *c, const struct tallycoll_team *team)
{
	for (uint32_t i = 0; i < c->num_known; i++)
		if (c->known[i] == team->mg->jid) {
			c->reused++;
			return;
		}
	if (c->num_known < MOST_KNOWN)
		c->known[c->num_known++] = team->mg->jid;
}

static int use_team(struct job_rank *r, struct job_seat *seat, struct tallycoll_team *team,
		    uint32_t k, bool has_group)
{
	struct operation o = operation(r, seat, team, opcode_of(k), 1 + k % 50 * (k % 7 ? 1 : 100));
	enum tallycoll_reason want = has_group ? TALLYCOLL_REASON_NONE : TALLYCOLL_REASON_NO_GROUP;

	o.root = k % o.size;
	o.flags = TALLYCOLL_F_BLOCKING;
	if (operation_run(&o))
		return -1;
	if (o.size == 1)
		want = TALLYCOLL_REASON_ONE_RANK;
	if (o.reason != want)
		return JOB_FAIL(r, "team %u: %s, not %s", k, tallycoll_reason_name(o.reason),
				tallycoll_reason_name(want));
	return 0;
}

static bool own_group(struct job_rank *r, const struct churn *c, uint32_t k)
{
	return c->place[k].has_group[color_of(k, r->rank)];
}

static int begin_life(struct job_rank *r, struct churn *c, uint32_t k)
{
	struct place *p = &c->place[k];

	account_for_new(r, c, k);
	p->exists = true;
	c->lives++;
	if (!p->seat)
		return 0;
	JOB_CHECK(r, job_team(r, p->seat, &p->team) == TALLYCOLL_OK);
	if (own_group(r, c, k) && p->team->mg)
		note_group(c, p->team);
	return use_team(r, p->seat, p->team, c->lives, own_group(r, c, k));
}

static int end_life(struct job_rank *r, struct churn *c, uint32_t k)
{
	struct place *p = &c->place[k];

	if (p->seat && use_team(r, p->seat, p->team, c->lives + k, own_group(r, c, k)))
		return -1;
	account_for_old(r, c, k);
	p->exists = false;
	if (p->seat)
		tallycoll_team_destroy(p->team);
	return 0;
}

/* The context holds the groups of its teams, and keeps few others. */
static int check_groups(struct job_rank *r, const struct churn *c)
{
	const struct tallycoll_context *context = r->context;

	JOB_CHECK(r, context->num_cached <= MOST_CACHED);
	if (context->num_groups != c->groups[r->rank] + context->num_cached)
		return JOB_FAIL(r, "%u groups, of which teams have %u and the cache %u",
				context->num_groups, c->groups[r->rank], context->num_cached);
	return 0;
}

/* Half of the communicators, chosen at random, are freed and made again. */
static int churn_round(struct job_rank *r, struct churn *c, uint32_t round)
{
	for (uint32_t i = 0; i < PLACES; i++) {
		uint32_t k = (i * 5 + round) % PLACES;

		if (!c->place[k].exists && begin_life(r, c, k))
			return -1;
	}
	if (check_groups(r, c))
		return -1;
	for (uint32_t i = 0; i < PLACES; i++) {
		uint32_t k = (i * 11 + round) % PLACES;

		if ((k * 0x9e3779b1 ^ round * 0x85ebca6b) >> 13 & 1 && end_life(r, c, k))
			return -1;
	}
	return check_groups(r, c);
}

static int churning_rank(struct job_rank *r)
{
	const uint32_t *rounds = job_arg(r);
	struct churn *c = calloc(1, sizeof(*c));
	int err = 0;

	for (uint32_t k = 0; k < PLACES; k++) {
		int color, key;

		membership(k, r->rank, &color, &key);
		c->place[k].seat = job_split(r, r->world, color, key);
	}
	for (uint32_t round = 0; round < *rounds && !err; round++)
		err = churn_round(r, c, round);
	for (uint32_t k = 0; k < PLACES && !err; k++)
		if (c->place[k].exists)
			err = end_life(r, c, k);
	if (!err && !r->rank)
		printf("%u communicators, %u lives, %u groups, reused %u times\n", PLACES, c->lives,
		       c->num_known, c->reused);
	if (!err && *rounds > 3 && !c->reused)
		err = JOB_FAIL(r, "no group was used again");
	free(c);
	return err;
}

/* With room for the groups of all teams, and for those of a third. */
static int churn(void)
{
	struct job_cfg cfg = { .ranks = 6, .machines = 3, .mapping = JOB_ROUND_ROBIN, .seed = 3 };
	uint32_t rounds = few ? 5 : many ? 2000 : 30;
	int err = job_run(&cfg, churning_rank, &rounds);

	cfg.max_groups = 20;
	cfg.mapping = JOB_UNEVEN;
	return err ? err : job_run(&cfg, churning_rank, &rounds);
}

/* ---- Later attempts ---- */
/* The runtime's allgather, counted; it can be made to fail. */
struct counted {
	struct tallycoll_oob oob;
	uint32_t calls;
	bool fails;
};

static int counted_allgather(void *arg, const void *mine, void *all, size_t bytes)
{
	struct counted *c = arg;

	c->calls++;
	return c->fails ? -1 : c->oob.allgather(c->oob.arg, mine, all, bytes);
}

static enum tallycoll_status counted_team(struct job_rank *r, struct job_seat *seat,
					  struct counted *c, struct tallycoll_team **team)
{
	struct tallycoll_team_params params = { .oob = job_oob(seat) };
	uint32_t *ranks = calloc(params.oob.size, sizeof(*ranks));
	enum tallycoll_status status;

	*c = (struct counted){ .oob = params.oob };
	params.oob.allgather = counted_allgather;
	params.oob.arg = c;
	for (uint32_t k = 0; k < params.oob.size; k++)
		ranks[k] = job_seat_world(seat, k);
	params.ranks = ranks;
	status = tallycoll_team_create(r->context, &params, team);
	free(ranks);
	return status;
}

/* Operations until number @last of the team, of which none makes an attempt or gets a group. */
static int refuse(struct job_rank *r, struct tallycoll_team *team, struct counted *c,
		  uint32_t *number, uint32_t last, uint32_t flags)
{
	const uint32_t calls = c->calls;

	while (*number < last) {
		struct operation o = operation(r, r->world, team, opcode_of(++*number), 3);

		o.flags = flags;
		if (operation_run(&o))
			return -1;
		JOB_CHECK(r, o.reason == TALLYCOLL_REASON_NO_GROUP && c->calls == calls);
	}
	return 0;
}

/* An operation that makes an attempt, which succeeds or not. */
static int attempt(struct job_rank *r, struct tallycoll_team *team, struct counted *c,
		   uint32_t *number, enum tallycoll_reason want)
{
	struct operation o = operation(r, r->world, team, opcode_of(++*number), 100);
	const uint32_t calls = c->calls;

	o.flags = TALLYCOLL_F_BLOCKING;
	if (operation_run(&o))
		return -1;
	if (o.reason != want || c->calls == calls)
		return JOB_FAIL(r, "operation %u: %s, %u allgathers", *number,
				tallycoll_reason_name(o.reason), c->calls - calls);
	JOB_CHECK(r, tallycoll_team_reason(team) == want);
	return 0;
}

static int fail_to_attempt(struct job_rank *r, struct tallycoll_team *team, struct counted *c,
			   uint32_t *number)
{
	const struct tallycoll_args args = { .opcode = TALLY_OPCODE_BARRIER,
					     .flags = TALLYCOLL_F_BLOCKING };
	struct tallycoll_request *request;
	enum tallycoll_reason reason;

	++*number;
	c->fails = true;
	JOB_CHECK(r,
		  tallycoll_collective_init(team, &args, &request, &reason) == TALLYCOLL_ERR_OOB);
	c->fails = false;
	JOB_CHECK(r, tallycoll_team_reason(team) == TALLYCOLL_REASON_NO_GROUP);
	return 0;
}

/*
 * The first two ranks have as many groups as they may have, the others have room. The team's attempts are
 * at operations 8, 16 and so on, but not within operations that must not wait for other ranks.
 */
static int later_rank(struct job_rank *r)
{
	const enum tallycoll_reason none = TALLYCOLL_REASON_NO_GROUP;
	struct job_seat *pair = job_split(r, r->world, r->rank < 2 ? 0 : -1, 0);
	struct tallycoll_team *first, *second = NULL, *team;
	uint32_t n = 0, all = TALLYCOLL_F_BLOCKING;
	struct counted c;

	JOB_CHECK(r, job_team(r, r->world, &first) == TALLYCOLL_OK);
	if (pair)
		JOB_CHECK(r, job_team(r, pair, &second) == TALLYCOLL_OK);
	JOB_CHECK(r, counted_team(r, r->world, &c, &team) == TALLYCOLL_OK);
	JOB_CHECK(r, tallycoll_team_reason(team) == none);
	if (refuse(r, team, &c, &n, 7, all) || attempt(r, team, &c, &n, none) ||
	    refuse(r, team, &c, &n, 15, all) || refuse(r, team, &c, &n, 19, 0) ||
	    attempt(r, team, &c, &n, none) || refuse(r, team, &c, &n, 39, all) ||
	    fail_to_attempt(r, team, &c, &n))
		return -1;
	if (second)
		tallycoll_team_destroy(second);
	if (refuse(r, team, &c, &n, 79, all) || attempt(r, team, &c, &n, TALLYCOLL_REASON_NONE))
		return -1;
	JOB_CHECK(r, n == 80);
	for (uint32_t k = 0; k < 16; k++)
		if (use_team(r, r->world, team, k, true))
			return -1;
	tallycoll_team_destroy(team);
	tallycoll_team_destroy(first);
	return 0;
}

static int later(void)
{
	const struct job_cfg cfg = { .ranks = 4, .machines = 2, .max_groups = 2, .seed = 5 };

	return job_run(&cfg, later_rank, NULL);
}

/* ---- As many groups as a context keeps ---- */
/* Number @k of the orders of four ranks: the places of ranks 0, 1 and 2 among those that are left. */
static uint32_t place_in_order(uint32_t k, uint32_t rank)
{
	const uint32_t choice[] = { k / 6 % 4, k / 2 % 3, k % 2, 0 };
	uint32_t place = 0;
	bool taken[4] = { false };

	for (uint32_t r = 0; r <= rank; r++) {
		uint32_t skip = choice[r];

		for (place = 0; taken[place] || skip; place++)
			skip -= !taken[place];
		taken[place] = true;
	}
	return place;
}

/* Teams of the same ranks in different orders. A group from the cache takes one allgather. */
static int kept_rank(struct job_rank *r)
{
	for (uint32_t k = 0; k < 2 * MOST_CACHED; k++) {
		const uint32_t order = k % MOST_CACHED;
		struct job_seat *seat = job_split(r, r->world, 0, place_in_order(order, r->rank));
		struct tallycoll_team *team;
		struct counted c;

		JOB_CHECK(r, seat && counted_team(r, seat, &c, &team) == TALLYCOLL_OK);
		JOB_CHECK(r, c.calls == (k < MOST_CACHED ? 4 : 1));
		tallycoll_team_destroy(team);
	}
	return 0;
}

static int kept(void)
{
	const struct job_cfg cfg = { .ranks = 4, .machines = 2, .seed = 11 };

	return job_run(&cfg, kept_rank, NULL);
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
			if (use_team(t->r, t->seat, team, k + t->number, true))
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

/* ---- Operations that resemble the last one ---- */
/* The request of the last operation serves for the next one if that differs by its buffers only. */
static int resembling_pairs(struct job_rank *r, struct job_seat *seat[2],
			    struct tallycoll_team *team[2])
{
	static const struct {
		enum tally_opcode opcode;
		enum tally_op op;
		enum tally_type dtype;
		uint32_t count, root;
		bool in_place;
	} v[] = {
		{ TALLY_OPCODE_ALLREDUCE, TALLY_OP_SUM, TALLY_TYPE_INT32, 5, 0, false },
		{ TALLY_OPCODE_ALLREDUCE, TALLY_OP_SUM, TALLY_TYPE_INT32, 5, 0, true },
		{ TALLY_OPCODE_ALLREDUCE, TALLY_OP_MAX, TALLY_TYPE_INT32, 5, 0, false },
		{ TALLY_OPCODE_ALLREDUCE, TALLY_OP_SUM, TALLY_TYPE_INT64, 5, 0, false },
		{ TALLY_OPCODE_ALLREDUCE, TALLY_OP_SUM, TALLY_TYPE_INT32, 6, 0, false },
		{ TALLY_OPCODE_ALLREDUCE, TALLY_OP_SUM, TALLY_TYPE_INT32, 5000, 0, false },
		{ TALLY_OPCODE_REDUCE, TALLY_OP_SUM, TALLY_TYPE_INT32, 5, 0, false },
		{ TALLY_OPCODE_REDUCE, TALLY_OP_SUM, TALLY_TYPE_INT32, 5, 1, false },
		{ TALLY_OPCODE_BCAST, TALLY_OP_NONE, TALLY_TYPE_INT32, 5, 0, false },
		{ TALLY_OPCODE_BCAST, TALLY_OP_NONE, TALLY_TYPE_INT32, 5, 1, false },
		{ TALLY_OPCODE_BARRIER, TALLY_OP_NONE, TALLY_TYPE_NONE, 0, 0, false },
		{ TALLY_OPCODE_ALLGATHER, TALLY_OP_NONE, TALLY_TYPE_INT32, 5, 0, false },
		{ TALLY_OPCODE_ALLGATHER, TALLY_OP_NONE, TALLY_TYPE_INT32, 5, 0, true },
	};
	const uint32_t num = ARRAY_SIZE(v);

	for (uint32_t k = 0; k < 4 * num * num; k++) {
		/* One after the other of each pair with a team, then back with the other team. */
		const uint32_t i = k % 4 % 3 ? k / 4 % num : k / 4 / num, t = k % 4 / 2;
		struct operation o = operation(r, seat[t], team[t], v[i].opcode, v[i].count);

		o.op = v[i].op;
		o.dtype = v[i].dtype;
		o.root = v[i].root;
		o.in_place = v[i].in_place;
		o.salt = k;
		if (operation_run(&o))
			return JOB_FAIL(r, "operation %u, which is variant %u", k, i);
	}
	return 0;
}

/* After an operation, a similar one with a wrong buffer is refused. */
static int wrong_after_right(struct job_rank *r, struct job_seat *seat, struct tallycoll_team *team)
{
	struct operation o = operation(r, seat, team, TALLY_OPCODE_ALLREDUCE, 5);
	struct tallycoll_request *request;
	struct tallycoll_args args;
	enum tallycoll_reason reason;

	if (operation_init(&o))
		return -1;
	args = o.args;
	operation_free(&o);
	args.src = NULL;
	JOB_CHECK(r,
		  tallycoll_collective_init(team, &args, &request, &reason) == TALLYCOLL_ERR_PARAM);
	args.src = args.dst;
	args.dst = (void *)TALLYCOLL_IN_PLACE;
	JOB_CHECK(r,
		  tallycoll_collective_init(team, &args, &request, &reason) == TALLYCOLL_ERR_PARAM);
	return operation_run(&o);
}

/* BCAST ignores src, and the second request is that of the first. */
static int bcast_ignores_src(struct job_rank *r, struct tallycoll_team *team)
{
	int32_t other = 7, data;
	const struct tallycoll_args args = {
		.opcode = TALLY_OPCODE_BCAST,
		.dtype = TALLY_TYPE_INT32,
		.count = 1,
		.src = &other,
		.dst = &data,
	};

	for (int32_t k = 0; k < 2; k++) {
		struct tallycoll_request *request;
		enum tallycoll_reason reason;

		data = r->rank ? -1 : k;
		JOB_CHECK(r, !tallycoll_collective_init(team, &args, &request, &reason));
		JOB_CHECK(r, !tallycoll_collective_post(request));
		JOB_CHECK(r, !tallycoll_collective_wait(request) && data == k);
		tallycoll_collective_finalize(request);
	}
	return 0;
}

/* A request that was freed while its operation was in progress is as good as any later. */
static int after_freed_early(struct job_rank *r, struct job_seat *seat, struct tallycoll_team *team)
{
	struct operation early = operation(r, seat, team, TALLY_OPCODE_ALLREDUCE, 5);
	struct operation o[2] = { early, early };

	if (operation_init(&early) || operation_post(&early))
		return -1;
	tallycoll_collective_finalize(early.request);
	early.request = NULL;
	if (operation_run(&o[0]))
		return -1;
	/* Two requests at a time, so that one of them is that one. */
	for (uint32_t i = 0; i < 2; i++)
		if (operation_init(&o[i]) || operation_post(&o[i]))
			return -1;
	for (uint32_t i = 0; i < 2; i++) {
		if (operation_wait(&o[i]) || operation_check(&o[i]))
			return -1;
		operation_free(&o[i]);
	}
	operation_free(&early);
	return 0;
}

/* A team that was destroyed, and is there only for a request, begins nothing. */
static int end_team(struct job_rank *r, struct job_seat *seat, struct tallycoll_team *team)
{
	struct operation last = operation(r, seat, team, TALLY_OPCODE_ALLREDUCE, 5), o = last;
	struct tallycoll_request *request;
	enum tallycoll_reason reason;

	if (operation_init(&last) || operation_run(&o))
		return -1;
	tallycoll_team_destroy(team);
	JOB_CHECK(r, tallycoll_collective_init(team, &last.args, &request, &reason) ==
			     TALLYCOLL_ERR_PARAM);
	operation_free(&last);
	return 0;
}

static int resembling_rank(struct job_rank *r)
{
	struct job_seat *seat[2] = { r->world, job_split(r, r->world, 0, -(int)r->rank) };
	struct tallycoll_team *team[2];

	for (uint32_t i = 0; i < 2; i++)
		JOB_CHECK(r, job_team(r, seat[i], &team[i]) == TALLYCOLL_OK);
	if (resembling_pairs(r, seat, team) || wrong_after_right(r, seat[0], team[0]) ||
	    bcast_ignores_src(r, team[0]) || after_freed_early(r, seat[0], team[0]) ||
	    end_team(r, seat[0], team[0]))
		return -1;
	tallycoll_team_destroy(team[1]);
	/* A new team may be where the last one was. */
	for (uint32_t k = 0; k < 24; k++) {
		struct operation o;

		JOB_CHECK(r, job_team(r, seat[k % 2], &team[0]) == TALLYCOLL_OK);
		o = operation(r, seat[k % 2], team[0], TALLY_OPCODE_BCAST, 5);
		if (operation_run(&o))
			return -1;
		tallycoll_team_destroy(team[0]);
	}
	return 0;
}

static int resembling(void)
{
	const struct job_cfg cfg = { .ranks = 3, .machines = 2, .mapping = JOB_UNEVEN };

	return job_run(&cfg, resembling_rank, NULL);
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

		/* The first roots are beyond the contributors. */
		o.root = r->size - 1 - k / 3 * 13 % r->size;
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

	/* Ranks beyond the contributors cannot post for themselves. */
	setenv("TALLY_COLL_TUNE", "all=nic;barrier=direct", true);
	return job_run(&cfg, crowded_rank, NULL);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(void);
	} parts[] = {
		{ "churn", churn },	{ "later", later },	{ "kept", kept },
		{ "flying", flying },	{ "threads", threads }, { "resembling", resembling },
		{ "crowded", crowded },
	};
	const char *only = argc > 2 ? argv[2] : NULL;
	int err = 0;

	few = argc > 1 && !strcmp(argv[1], "short");
	many = argc > 1 && !strcmp(argv[1], "long");
	for (unsigned int i = 0; i < ARRAY_SIZE(parts) && !err; i++) {
		if (only && strcmp(only, parts[i].name))
			continue;
		setenv("TALLY_COLL_TUNE", "all=nic", true);
		err = parts[i].run();
		if (err)
			fprintf(stderr, "%s failed\n", parts[i].name);
	}
	return err ? EXIT_FAILURE : EXIT_SUCCESS;
}
