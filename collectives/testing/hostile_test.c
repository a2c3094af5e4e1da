// SPDX-License-Identifier: BSD-2-Clause
/*
 * A user who makes mistakes: wrong arguments, objects that are freed too early or twice, an
 * allgather that fails, lists of ranks that are wrong. Every rank gets an error or the documented
 * effect, and the library works afterwards.
 */
#include <stdlib.h>
#include <string.h>

#include "core/create.h"
#include "testing/operation.h"
#include "testing/soft.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define RANKS 4

static struct job_cfg config(void)
{
	return (struct job_cfg){ .ranks = RANKS, .machines = 2, .sockets = 2, .seed = 3 };
}

/* An operation works, and is offloaded. */
static int works(struct job_rank *r, struct tallycoll_team *team)
{
	struct operation o = operation_sum(r, team);

	o.root = r->rank; /* has no meaning */
	if (operation_run(&o))
		return -1;
	JOB_CHECK(r, o.reason == TALLYCOLL_REASON_NONE);
	return 0;
}

/* ---- Arguments of an operation ---- */
static int data[64];

static const struct tallycoll_args good = {
	.opcode = TALLY_OPCODE_ALLREDUCE,
	.op = TALLY_OP_SUM,
	.dtype = TALLY_TYPE_INT32,
	.count = 4,
	.src = data,
	.dst = &data[16],
};

/*
 * Returns whether the call is refused with a sentence that begins with a word, and makes no
 * request.
 */
static bool refused(struct tallycoll_team *team, struct tallycoll_args a, const char *word)
{
	enum tallycoll_reason reason = TALLYCOLL_REASON_SLOWER;
	struct tallycoll_request *request = (void *)data;
	enum tallycoll_status status = tallycoll_collective_init(team, &a, &request, &reason);

	return status == TALLYCOLL_ERR_PARAM && !request && !reason &&
	       !strncmp(tallycoll_team_error(team), word, strlen(word));
}

static bool not_offloaded(struct tallycoll_team *team, struct tallycoll_args a,
			  enum tallycoll_reason want)
{
	struct tallycoll_request *request = NULL;
	enum tallycoll_reason reason;

	return tallycoll_collective_init(team, &a, &request, &reason) == TALLYCOLL_NOT_OFFLOADED &&
	       reason == want && !request && !*tallycoll_team_error(team);
}

#define WITH(member, value)                            \
	({                                             \
		struct tallycoll_args changed_ = good; \
		changed_.member = (value);             \
		changed_;                              \
	})
#define REFUSED(member, value, word) JOB_CHECK(r, refused(team, WITH(member, value), word))

static int wrong_calls(struct job_rank *r, struct tallycoll_team *team)
{
	static const uint64_t counts[] = { 1ULL << 62, UINT64_MAX, UINT64_MAX / 4 + 1,
					   UINT64_MAX / 16 + 2, (1ULL << 42) / RANKS + 1 };

	REFUSED(opcode, 0, "opcode");
	REFUSED(opcode, TALLY_OPCODE_ABORT, "opcode");
	REFUSED(opcode, -1, "opcode");
	REFUSED(opcode, 0x80000002, "opcode");
	REFUSED(flags, 1 << 9, "flags");
	REFUSED(flags, 0x80000001, "flags");
	REFUSED(src, NULL, "src");
	REFUSED(dst, NULL, "dst");
	REFUSED(dst, (void *)TALLYCOLL_IN_PLACE, "dst");
	for (unsigned int i = 0; i < ARRAY_SIZE(counts); i++)
		for (enum tally_opcode k = TALLY_OPCODE_ALLREDUCE; k <= TALLY_OPCODE_SCATTER; k++) {
			struct tallycoll_args a = WITH(opcode, k);

			a.count = counts[i];
			a.op = operation_reduces(k) ? TALLY_OP_SUM : TALLY_OP_NONE;
			JOB_CHECK(r, refused(team, a, "count"));
			a.flags = TALLYCOLL_F_ALONE;
			JOB_CHECK(r, refused(team, a, "count"));
		}
	return 0;
}

/*
 * Values of enumerations that no device knows are as good as operations that it does not perform.
 */
static int unknown_values(struct job_rank *r, struct tallycoll_team *team)
{
	static const int types[] = { 0x7f, 0xff, 0x100, 0x104, -1, INT32_MIN };
	static const int ops[] = { TALLY_OP_NONE, 0x20, 0xff, 0x101, -1, INT32_MIN };

	for (unsigned int i = 0; i < ARRAY_SIZE(types); i++)
		JOB_CHECK(r, not_offloaded(team, WITH(dtype, types[i]),
					   TALLYCOLL_REASON_UNSUPPORTED_TYPE));
	for (unsigned int i = 0; i < ARRAY_SIZE(ops); i++)
		JOB_CHECK(r,
			  not_offloaded(team, WITH(op, ops[i]), TALLYCOLL_REASON_UNSUPPORTED_OP));
	return 0;
}

/*
 * Buffers and roots that are wrong for the rank's part in the operation, and those that it may
 * omit.
 */
static int wrong_parts(struct job_rank *r, struct tallycoll_team *team)
{
	static const enum tally_opcode rooted[] = { TALLY_OPCODE_REDUCE, TALLY_OPCODE_BCAST,
						    TALLY_OPCODE_GATHER, TALLY_OPCODE_SCATTER };
	const uint32_t other = (r->rank + 1) % RANKS;

	for (unsigned int i = 0; i < ARRAY_SIZE(rooted); i++) {
		struct tallycoll_args a = WITH(opcode, rooted[i]);

		a.op = operation_reduces(a.opcode) ? TALLY_OP_SUM : TALLY_OP_NONE;
		a.root = RANKS;
		JOB_CHECK(r, refused(team, a, "root"));
		a.root = UINT32_MAX;
		JOB_CHECK(r, refused(team, a, "root"));
		a.root = other;
		a.src = TALLYCOLL_IN_PLACE;
		a.dst = NULL;
		if (a.opcode == TALLY_OPCODE_REDUCE || a.opcode == TALLY_OPCODE_GATHER)
			JOB_CHECK(r, refused(team, a, "src"));
		else
			JOB_CHECK(r, refused(team, a, "dst"));
		a.root = r->rank;
		if (a.opcode == TALLY_OPCODE_SCATTER)
			JOB_CHECK(r, refused(team, a, "src"));
		else
			JOB_CHECK(r, refused(team, a, "dst"));
	}
	return 0;
}

static int null_calls(struct job_rank *r, struct tallycoll_team *team)
{
	struct tallycoll_request *request;
	enum tallycoll_reason reason;

	JOB_CHECK(r,
		  tallycoll_collective_init(NULL, &good, &request, &reason) == TALLYCOLL_ERR_PARAM);
	JOB_CHECK(r,
		  tallycoll_collective_init(team, NULL, &request, &reason) == TALLYCOLL_ERR_PARAM);
	JOB_CHECK(r, tallycoll_collective_init(team, &good, NULL, &reason) == TALLYCOLL_ERR_PARAM);
	JOB_CHECK(r, tallycoll_collective_init(team, &good, &request, NULL) == TALLYCOLL_ERR_PARAM);
	JOB_CHECK(r, strstr(tallycoll_team_error(team), "NULL"));
	JOB_CHECK(r, tallycoll_collective_post(NULL) == TALLYCOLL_ERR_PARAM);
	JOB_CHECK(r, tallycoll_collective_test(NULL) == TALLYCOLL_ERR_PARAM);
	JOB_CHECK(r, tallycoll_collective_wait(NULL) == TALLYCOLL_ERR_PARAM);
	JOB_CHECK(r, *tallycoll_request_error(NULL));
	JOB_CHECK(r, tallycoll_progress(NULL) == 0);
	JOB_CHECK(r, tallycoll_team_reason(NULL) == TALLYCOLL_REASON_NO_GROUP);
	tallycoll_collective_finalize(NULL);
	tallycoll_team_destroy(NULL);
	tallycoll_context_destroy(NULL);
	return 0;
}

/* What all names and sentences say of values that do not exist. */
static int texts(struct job_rank *r)
{
	for (int i = -100; i < 100; i++) {
		JOB_CHECK(r, *tallycoll_status_str(i));
		JOB_CHECK(r, *tallycoll_reason_name(i));
		JOB_CHECK(r, *tallycoll_reason_str(i));
	}
	return 0;
}

/* The largest count is too long for the NIC alone; the summary tells so. */
static int summary(struct job_rank *r, struct tallycoll_team *team)
{
	struct tallycoll_args a = WITH(count, (1ULL << 42) / RANKS);
	char *text = NULL;
	size_t bytes;
	FILE *to;
	bool told;

	a.flags = TALLYCOLL_F_ALONE;
	JOB_CHECK(r, not_offloaded(team, a, TALLYCOLL_REASON_NOT_ALONE));
	/* A block would fit, all of them do not. */
	a = WITH(opcode, TALLY_OPCODE_ALLGATHER);
	a.op = TALLY_OP_NONE;
	a.count = 50000;
	a.flags = TALLYCOLL_F_ALONE;
	JOB_CHECK(r, not_offloaded(team, a, TALLYCOLL_REASON_NOT_ALONE));
	to = open_memstream(&text, &bytes);
	JOB_CHECK(r, to);
	tallycoll_context_summary(r->context, to);
	fclose(to);
	told = strstr(text, " NOT_ALONE 1\n");
	free(text);
	JOB_CHECK(r, told);
	return 0;
}

/* The same operation, but the NIC is to end it alone, which two of the ways cannot. */
static int other_flags(struct job_rank *r, struct tallycoll_team *team)
{
	const char *tune = getenv("TALLY_COLL_TUNE");
	const bool alone = !strcmp(tune, "all=direct") || !strcmp(tune, "all=nic");
	struct operation o = operation_sum(r, team);

	if (works(r, team))
		return -1;
	o.flags = TALLYCOLL_F_ALONE;
	if (operation_init(&o))
		return -1;
	JOB_CHECK(r, o.reason == (alone ? TALLYCOLL_REASON_NONE : TALLYCOLL_REASON_NOT_ALONE));
	operation_free(&o);
	return 0;
}

static int wrong_rank(struct job_rank *r)
{
	struct tallycoll_team *team;

	JOB_CHECK(r, job_team(r, r->world, &team) == TALLYCOLL_OK);
	if (wrong_calls(r, team) || unknown_values(r, team) || wrong_parts(r, team) ||
	    null_calls(r, team) || texts(r) || summary(r, team) || other_flags(r, team) ||
	    works(r, team))
		return -1;
	JOB_CHECK(r, !*tallycoll_team_error(team));
	tallycoll_team_destroy(team);
	return 0;
}

/* ---- Objects that are freed too early, or twice ---- */
/*
 * Requests: freed in progress, twice, used after that. A rank that waits for the last one ends
 * all.
 */
static int free_early(struct job_rank *r, struct tallycoll_team *team, uint64_t count)
{
	struct operation o = operation_sum(r, team), next = operation_sum(r, team);

	o.count = count;
	if (operation_init(&o) || operation_post(&o))
		return -1;
	JOB_CHECK(r, tallycoll_collective_post(o.request) == TALLYCOLL_ERR_PARAM ||
			     tallycoll_collective_test(o.request) == TALLYCOLL_INPROGRESS);
	tallycoll_collective_finalize(o.request);
	if (operation_run(&next) || job_barrier(r->world))
		return -1;
	tallycoll_progress(r->context);
	if (operation_check(&o))
		return -1;
	o.request = NULL;
	operation_free(&o);
	return 0;
}

/* An operation counts when it ends, also if its request was freed before. */
static int count_freed(struct job_rank *r, struct tallycoll_team *team)
{
	struct operation o = operation_sum(r, team);
	unsigned int ended = 0;

	if (operation_init(&o) || operation_post(&o))
		return -1;
	tallycoll_collective_finalize(o.request);
	for (unsigned int i = 0; i < 16; i++) {
		ended += tallycoll_progress(r->context);
		if (job_barrier(r->world))
			return -1;
	}
	JOB_CHECK(r, ended == 1);
	o.request = NULL;
	operation_free(&o);
	return 0;
}

static int free_twice(struct job_rank *r, struct tallycoll_team *team)
{
	struct tallycoll_request *freed, *other;
	struct operation o = operation_sum(r, team);

	if (operation_init(&o) || operation_post(&o) || operation_wait(&o))
		return -1;
	freed = o.request;
	tallycoll_collective_finalize(freed);
	tallycoll_collective_finalize(freed);
	JOB_CHECK(r, tallycoll_collective_post(freed) == TALLYCOLL_ERR_PARAM);
	JOB_CHECK(r, tallycoll_collective_test(freed) == TALLYCOLL_ERR_PARAM);
	JOB_CHECK(r, tallycoll_collective_wait(freed) == TALLYCOLL_ERR_PARAM);
	JOB_CHECK(r, strstr(tallycoll_request_error(freed), "freed"));
	o.request = NULL;
	operation_free(&o);
	/* It is in the list of spare requests once. */
	if (operation_init(&o))
		return -1;
	other = o.request;
	JOB_CHECK(r, works(r, team) == 0);
	JOB_CHECK(r, other == o.request && tallycoll_collective_post(other) == TALLYCOLL_OK);
	JOB_CHECK(r, tallycoll_collective_wait(other) == TALLYCOLL_OK);
	operation_free(&o);
	return 0;
}

/* A request outlives its team, and that its context. */
static int outlive(struct job_rank *r, struct tallycoll_team *team)
{
	struct operation o = operation_sum(r, team), second = operation_sum(r, team);
	struct tallycoll_request *request;
	enum tallycoll_reason reason;

	if (operation_init(&second) || operation_init(&o) || operation_post(&o))
		return -1;
	tallycoll_team_destroy(team);
	tallycoll_team_destroy(team); /* it is still there */
	JOB_CHECK(r, tallycoll_collective_init(team, &o.args, &request, &reason) ==
			     TALLYCOLL_ERR_PARAM);
	if (operation_wait(&o) || operation_check(&o))
		return -1;
	operation_free(&o);
	tallycoll_context_destroy(r->context);
	JOB_CHECK(r, job_team(r, r->world, &team) == TALLYCOLL_ERR_PARAM);
	operation_free(&second); /* and with it the team, and the context */
	r->context = NULL;
	return 0;
}

static int careless_rank(struct job_rank *r)
{
	struct tallycoll_team *team;

	JOB_CHECK(r, job_team(r, r->world, &team) == TALLYCOLL_OK);
	for (uint64_t count = 1; count < 1000000; count *= 30)
		if (free_early(r, team, count))
			return -1;
	if (count_freed(r, team) || free_twice(r, team) || works(r, team))
		return -1;
	return outlive(r, team);
}

/* ---- Contexts and teams ---- */
struct flaky {
	struct job_seat *seat;
	uint32_t calls, fails_at;
};

/* The allgather of all ranks fails at the same call, but has passed on data to none. */
static int flaky_allgather(void *arg, const void *mine, void *all, size_t bytes)
{
	struct flaky *f = arg;
	const struct tallycoll_oob oob = job_oob(f->seat);

	if (++f->calls == f->fails_at)
		return 7;
	return oob.allgather(oob.arg, mine, all, bytes);
}

static int flaky_rank(struct job_rank *r)
{
	struct tallycoll_context_params params = { .oob = job_oob(r->world) };
	struct flaky f = { .seat = r->world };
	struct tallycoll_context *context;
	struct tallycoll_team_params team_params;
	struct tallycoll_team *team;
	char why[200];

	params.oob.allgather = flaky_allgather;
	params.oob.arg = &f;
	team_params.oob = params.oob;
	team_params.ranks = NULL;
	for (f.fails_at = 1; f.fails_at <= 3; f.fails_at++) {
		f.calls = 0;
		*why = '\0';
		JOB_CHECK(r, tc_context_create(&params, &soft_platform, r, &context, why,
					       sizeof(why)) == TALLYCOLL_ERR_OOB);
		JOB_CHECK(r, strstr(why, "allgather"));
		r->net = NULL;
	}
	f.fails_at = 0;
	JOB_CHECK(r, !tc_context_create(&params, &soft_platform, r, &context, why, sizeof(why)));
	for (f.fails_at = 1; f.fails_at <= 4; f.fails_at++) {
		f.calls = 0;
		JOB_CHECK(r,
			  tallycoll_team_create(context, &team_params, &team) == TALLYCOLL_ERR_OOB);
	}
	f.fails_at = f.calls = 0;
	JOB_CHECK(r, tallycoll_team_create(context, &team_params, &team) == TALLYCOLL_OK);
	JOB_CHECK(r, f.calls == 4);
	if (works(r, team))
		return -1;
	tallycoll_team_destroy(team);
	tallycoll_context_destroy(context);
	return 0;
}

static bool create_fails(struct job_rank *r, const struct tallycoll_context_params *params,
			 const char *word)
{
	struct tallycoll_context *context;
	char why[200] = "";

	return tc_context_create(params, &soft_platform, r, &context, why, sizeof(why)) ==
		       TALLYCOLL_ERR_PARAM &&
	       strstr(why, word);
}

static int wrong_contexts(struct job_rank *r)
{
	struct tallycoll_context_params params = { .oob = job_oob(r->world) };

	JOB_CHECK(r, create_fails(r, NULL, "NULL"));
	JOB_CHECK(r, tc_context_create(&params, &soft_platform, r, NULL, NULL, 0) ==
			     TALLYCOLL_ERR_PARAM);
	JOB_CHECK(r, tc_context_create(NULL, &soft_platform, r, NULL, NULL, 100) ==
			     TALLYCOLL_ERR_PARAM);
	params.oob.rank = RANKS;
	JOB_CHECK(r, create_fails(r, &params, "oob.rank"));
	params.oob.rank = params.oob.size = 0;
	JOB_CHECK(r, create_fails(r, &params, "oob.rank"));
	params = (struct tallycoll_context_params){ .oob = job_oob(r->world) };
	params.oob.allgather = NULL;
	JOB_CHECK(r, create_fails(r, &params, "oob.allgather"));
	return 0;
}

/* Each list is wrong at one rank, or differs there. All ranks get the error, and none waits. */
static int wrong_lists(struct job_rank *r)
{
	static const uint32_t lists[][RANKS] = {
		{ 0, 1, 2, RANKS }, { 0, 1, UINT32_MAX, 3 }, { 0, 1, 1, 3 },
		{ 1, 0, 2, 3 },	    { 0, 0, 0, 0 },	     { 3, 2, 1, 0 },
	};
	static const uint32_t right[RANKS] = { 0, 1, 2, 3 };
	struct tallycoll_team *kept;

	/* The ranks find its group in their caches, and must close it. */
	JOB_CHECK(r, job_team(r, r->world, &kept) == TALLYCOLL_OK);
	tallycoll_team_destroy(kept);
	for (unsigned int k = 0; k < ARRAY_SIZE(lists) * RANKS; k++) {
		struct tallycoll_team_params params = { .oob = job_oob(r->world), .ranks = right };
		struct tallycoll_team *team = (void *)data;

		if (k % RANKS == r->rank)
			params.ranks = lists[k / RANKS];
		JOB_CHECK(r,
			  tallycoll_team_create(r->context, &params, &team) == TALLYCOLL_ERR_PARAM);
		JOB_CHECK(r, team == (void *)data);
	}
	return 0;
}

/* A list that is right for each rank alone, in another order at the last two. */
static int different_lists(struct job_rank *r)
{
	static const uint32_t one[] = { 0, 1, 2, 3 }, other[] = { 1, 0, 2, 3 };
	struct tallycoll_team_params params = {
		.oob = job_oob(r->world),
		.ranks = r->rank < 2 ? one : other,
	};
	struct tallycoll_team *team;

	JOB_CHECK(r, tallycoll_team_create(r->context, &params, &team) == TALLYCOLL_ERR_PARAM);
	return 0;
}

static int wrong_teams(struct job_rank *r)
{
	struct tallycoll_team_params params = { .oob = job_oob(r->world) };
	struct tallycoll_team *team;

	JOB_CHECK(r, tallycoll_team_create(NULL, &params, &team) == TALLYCOLL_ERR_PARAM);
	JOB_CHECK(r, tallycoll_team_create(r->context, NULL, &team) == TALLYCOLL_ERR_PARAM);
	JOB_CHECK(r, tallycoll_team_create(r->context, &params, NULL) == TALLYCOLL_ERR_PARAM);
	params.oob.allgather = NULL;
	JOB_CHECK(r, tallycoll_team_create(r->context, &params, &team) == TALLYCOLL_ERR_PARAM);
	params.oob = job_oob(r->world);
	params.oob.rank = RANKS;
	JOB_CHECK(r, tallycoll_team_create(r->context, &params, &team) == TALLYCOLL_ERR_PARAM);
	params.oob.rank = params.oob.size = 0;
	JOB_CHECK(r, tallycoll_team_create(r->context, &params, &team) == TALLYCOLL_ERR_PARAM);
	return 0;
}

static int creating_rank(struct job_rank *r)
{
	struct tallycoll_team *team;

	if (wrong_contexts(r) || wrong_teams(r) || wrong_lists(r) || different_lists(r))
		return -1;
	JOB_CHECK(r, job_team(r, r->world, &team) == TALLYCOLL_OK);
	if (works(r, team))
		return -1;
	tallycoll_team_destroy(team);
	return 0;
}

/* ---- A rank that cannot create its context ---- */
static int failing_host_open(void *arg, bool threads, struct tc_host **host, char *why, size_t size)
{
	const struct job_rank *r = arg;

	if (r->rank != 2)
		return soft_host_open(arg, threads, host, why, size);
	snprintf(why, size, "The test wants no host.");
	return -1;
}

static int hostless_rank(struct job_rank *r)
{
	const struct tc_platform platform = { .host_open = failing_host_open,
					      .net_open = soft_net_open };
	const struct tallycoll_context_params params = { .oob = job_oob(r->world) };
	struct tallycoll_context *context;
	char why[200] = "";

	JOB_CHECK(r, tc_context_create(&params, &platform, r, &context, why, sizeof(why)) ==
			     TALLYCOLL_ERR_MEMORY);
	JOB_CHECK(r,
		  !strcmp(why, r->rank == 2 ? "The test wants no host." : "Rank 2 got no memory."));
	return 0;
}

/* ---- Rules that differ from rank to rank ---- */
static int ruled_rank(struct job_rank *r)
{
	struct tallycoll_context_params params = {
		.oob = job_oob(r->world),
		.tune = r->rank ? "all=direct" : "all=direct;bcast=host",
	};
	const struct tallycoll_team_params team_params = { .oob = params.oob };
	struct tallycoll_args a = WITH(opcode, TALLY_OPCODE_BCAST);
	struct tallycoll_context *context;
	struct tallycoll_team *team;
	char why[200];

	a.op = TALLY_OP_NONE;
	JOB_CHECK(r, !tc_context_create(&params, &soft_platform, r, &context, why, sizeof(why)));
	JOB_CHECK(r, !tallycoll_team_create(context, &team_params, &team));
	JOB_CHECK(r, not_offloaded(team, a, TALLYCOLL_REASON_OVERRIDDEN));
	if (works(r, team))
		return -1;
	tallycoll_team_destroy(team);
	tallycoll_context_destroy(context);
	return 0;
}

/* All ranks but the first have a wrong rule, and the first of these tells. */
static int misruled_rank(struct job_rank *r)
{
	struct tallycoll_context_params params = {
		.oob = job_oob(r->world),
		.tune = r->rank ? "all=hosts" : NULL,
	};
	struct tallycoll_context *context;
	char why[200] = "none";

	JOB_CHECK(r, tc_context_create(&params, &soft_platform, r, &context, why, sizeof(why)) ==
			     TALLYCOLL_ERR_PARAM);
	JOB_CHECK(r, r->rank == 1 ? !!strstr(why, "all=hosts") : !*why);
	return 0;
}

static int rules(void)
{
	const struct job_cfg cfg = config();

	unsetenv("TALLY_COLL_TUNE");
	return job_run(&cfg, ruled_rank, NULL) || job_run(&cfg, misruled_rank, NULL);
}

int main(void)
{
	static const char *const tunes[] = { "all=direct", "all=node", "all=socket", "all=nic" };
	static int (*const ranks[])(struct job_rank *) = { wrong_rank, careless_rank, flaky_rank,
							   creating_rank, hostless_rank };
	int err = 0;

	for (unsigned int k = 0; k < ARRAY_SIZE(tunes) * ARRAY_SIZE(ranks) && !err; k++) {
		struct job_cfg cfg = config();

		cfg.threads = k & 1;
		setenv("TALLY_COLL_TUNE", tunes[k / ARRAY_SIZE(ranks)], true);
		err = job_run(&cfg, ranks[k % ARRAY_SIZE(ranks)], NULL);
		if (err)
			fprintf(stderr, "part %u, TALLY_COLL_TUNE=%s\n",
				(unsigned int)(k % ARRAY_SIZE(ranks)), getenv("TALLY_COLL_TUNE"));
	}
	return err || rules() ? EXIT_FAILURE : EXIT_SUCCESS;
}
