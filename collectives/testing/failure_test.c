// SPDX-License-Identifier: BSD-2-Clause
/*
 * Failures: calls of the platform that fail at one rank, ranks that die, ranks that call something
 * else than the others. All ranks learn of it, and none waits for ever.
 */
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "testing/operation.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define RANKS 6

static const char *const tunes[] = { "all=direct", "all=node", "all=socket", "all=nic" };

static struct job_cfg config(void)
{
	return (struct job_cfg){ .ranks = RANKS, .machines = 2, .sockets = 2, .seed = 5 };
}

/* Runs an operation, and returns its reason, or -1 after a fault. */
static int reason_of(struct job_rank *r, struct tallycoll_team *team)
{
	struct operation o = operation_sum(r, team);

	return operation_run(&o) ? -1 : (int)o.reason;
}

/* ---- Calls that fail before a team exists ---- */
struct refusal {
	struct job_fault fault;
	enum tallycoll_reason first, second; /* of two teams, one after the other */
};

static int refused_rank(struct job_rank *r)
{
	const struct refusal *want = job_arg(r);
	struct tallycoll_team *team;

	JOB_CHECK(r, r->created == TALLYCOLL_OK);
	JOB_CHECK(r, job_team(r, r->world, &team) == TALLYCOLL_OK);
	JOB_CHECK(r, tallycoll_team_reason(team) == want->first);
	JOB_CHECK(r, reason_of(r, team) == (int)want->first);
	tallycoll_team_destroy(team);
	JOB_CHECK(r, job_team(r, r->world, &team) == TALLYCOLL_OK);
	JOB_CHECK(r, reason_of(r, team) == (int)want->second);
	tallycoll_team_destroy(team);
	return 0;
}

static int refusals(bool few)
{
	static const enum job_call calls[] = { JOB_GROUP_OPEN, JOB_QUEUE_OPEN, JOB_SHARE };
	int err = 0;

	for (uint32_t k = 0; k < ARRAY_SIZE(calls) * RANKS * 2 && !err; k++) {
		struct job_cfg cfg = config();
		struct refusal want = {
			.fault = { .call = calls[k / 2 / RANKS],
				   .rank = k / 2 % RANKS,
				   .nth = 1 + k % 2,
				   .times = 1 },
			.first = TALLYCOLL_REASON_NO_GROUP,
		};

		/* A team opens a group, two queues, and an area, or two where a socket has two ranks. */
		if (want.fault.nth == 2 &&
		    (want.fault.call == JOB_GROUP_OPEN ||
		     (want.fault.call == JOB_SHARE && want.fault.rank % 3 == 2)))
			continue;
		if (few && k % 3)
			continue;
		cfg.fault[0] = want.fault;
		err = job_run(&cfg, refused_rank, &want);
		if (err)
			fprintf(stderr, "call %u of kind %u of rank %u\n", want.fault.nth,
				want.fault.call, want.fault.rank);
	}
	return err;
}

static int without_nic(void)
{
	static const struct job_fault faults[] = {
		{ .call = JOB_NET_OPEN, .rank = 3, .nth = 1 },
		{ .call = JOB_MEMORY_NEW, .rank = 2, .nth = 2 },
	};
	struct refusal want = { .first = TALLYCOLL_REASON_NO_DEVICE,
				.second = TALLYCOLL_REASON_NO_DEVICE };
	int err = 0;

	for (unsigned int i = 0; i < ARRAY_SIZE(faults) && !err; i++) {
		struct job_cfg cfg = config();

		cfg.fault[0] = faults[i];
		err = job_run(&cfg, refused_rank, &want);
	}
	/* Then it does not matter that there is none. */
	setenv("TALLY_COLL", "off", true);
	want.first = want.second = TALLYCOLL_REASON_DISABLED;
	if (!err) {
		struct job_cfg cfg = config();

		cfg.fault[0] = faults[0];
		err = job_run(&cfg, refused_rank, &want);
	}
	unsetenv("TALLY_COLL");
	return err;
}

/* ---- Memory that is short ---- */
/* With the reserve alone, and without registered user memory, everything still works. */
static int poor_rank(struct job_rank *r)
{
	const uint64_t *count = job_arg(r);
	struct tallycoll_team *team;

	JOB_CHECK(r, r->created == TALLYCOLL_OK);
	JOB_CHECK(r, job_team(r, r->world, &team) == TALLYCOLL_OK);
	job_set_fault(r, JOB_MEMORY_NEW, 1, 0);
	job_set_fault(r, JOB_REGION_OPEN, 1, 0);
	for (enum tally_opcode k = TALLY_OPCODE_ALLREDUCE; k <= TALLY_OPCODE_SCATTER; k++) {
		struct operation o = operation_sum(r, team);

		o.opcode = k;
		o.op = operation_reduces(k) ? TALLY_OP_SUM : TALLY_OP_NONE;
		o.count = k == TALLY_OPCODE_BARRIER ? 0 : *count;
		o.dtype = k == TALLY_OPCODE_BARRIER ? TALLY_TYPE_NONE : TALLY_TYPE_INT32;
		if (operation_run(&o))
			return -1;
		JOB_CHECK(r, !o.reason);
	}
	tallycoll_team_destroy(team);
	return 0;
}

/* Elements that no buffer of the reserve has room for. */
static int poor(bool few)
{
	const struct job_cfg cfg = config();
	uint64_t count = few ? 140000 : 300000;

	setenv("TALLY_COLL_TUNE", "all=direct", true);
	return job_run(&cfg, poor_rank, &count);
}

/*
 * The first operation holds all buffers while rank 0 tries to begin the second one more often than a
 * request has pieces in flight. Once there are buffers again, the second one goes on.
 */
static int two_poor_rank(struct job_rank *r)
{
	enum tallycoll_status status = TALLYCOLL_INPROGRESS;
	struct operation first, second;
	struct tallycoll_team *team;

	JOB_CHECK(r, job_team(r, r->world, &team) == TALLYCOLL_OK);
	job_set_fault(r, JOB_MEMORY_NEW, 1, 0);
	job_set_fault(r, JOB_REGION_OPEN, 1, 0);
	first = second = operation_sum(r, team);
	first.count = second.count = 80000;	/* two pieces */
	if (operation_init(&first) || operation_init(&second))
		return -1;
	if (!r->rank && (operation_post(&first) || operation_post(&second)))
		return -1;
	for (unsigned int i = 0; i <= TC_DEPTH; i++)
		tallycoll_progress(r->context);
	if (job_barrier(r->world))
		return -1;
	if (r->rank && (operation_post(&first) || operation_post(&second)))
		return -1;
	for (unsigned int i = 0; i < 64; i++) {
		status = tallycoll_collective_test(second.request);
		if (job_barrier(r->world))
			return -1;
	}
	JOB_CHECK(r, status == TALLYCOLL_OK);
	if (operation_wait(&first) || operation_check(&first) || operation_check(&second))
		return -1;
	operation_free(&first);
	operation_free(&second);
	tallycoll_team_destroy(team);
	return 0;
}

static int two_poor(void)
{
	const struct job_cfg cfg = config();

	setenv("TALLY_COLL_TUNE", "all=direct", true);
	return job_run(&cfg, two_poor_rank, NULL);
}

/* ---- Operations that fail at one rank ---- */
enum trouble {
	DIES_BEFORE, /* before it calls */
	DIES_AFTER,  /* when it has posted */
	OTHER_COUNT,
	LONG_COUNT, /* so that it may go another way */
	OTHER_OPCODE,
	OTHER_OP,
	OTHER_TYPE,
	OTHER_ROOT,
	POST_FAILS,
	IS_REFUSED,
	NUM_TROUBLES,
};

static const char *const trouble_names[NUM_TROUBLES] = {
	"dies before", "dies after", "other count", "long count", "other opcode",
	"other op",    "other type", "other root",  "post fails", "is refused",
};

struct failure {
	enum trouble trouble;
	uint32_t victim;
	uint64_t count;
	bool machine; /* calls fail at all ranks of the victim's machine, one of which posts for all */
};

static void spoil(struct operation *o, enum trouble trouble)
{
	switch (trouble) {
	case OTHER_COUNT:
		o->count--;
		break;
	case LONG_COUNT:
		o->count = 5000;
		break;
	case OTHER_OPCODE:
		o->opcode = TALLY_OPCODE_ALLREDUCE;
		break;
	case OTHER_OP:
		o->op = TALLY_OP_MAX;
		break;
	case OTHER_TYPE:
		o->dtype = TALLY_TYPE_UINT32;
		break;
	case OTHER_ROOT:
		o->root = 4;
		break;
	default:
		break;
	}
}

static void break_calls(struct job_rank *r)
{
	const struct failure *f = job_arg(r);

	if (r->rank != f->victim &&
	    !(f->machine && job_machine(r, r->rank) == job_machine(r, f->victim)))
		return;
	if (f->trouble == POST_FAILS)
		job_set_fault(r, JOB_POST, 1, 0);
	if (f->trouble == IS_REFUSED)
		job_set_fault(r, JOB_REFUSE, 1, 1);
}

static bool is_death(const struct failure *f)
{
	return f->trouble == DIES_BEFORE || f->trouble == DIES_AFTER;
}

static bool is_expected(const struct failure *f, enum tallycoll_status status)
{
	if (is_death(f))
		return status == TALLYCOLL_ERR_RANK_GONE;
	if (f->trouble == POST_FAILS || f->trouble == IS_REFUSED)
		return status == TALLYCOLL_ERR_NETWORK;
	return status == TALLYCOLL_ERR_MISMATCH;
}

static int die(struct job_rank *r, struct operation *o)
{
	r->kept[0] = o->team;
	r->kept[1] = o->request;
	r->kept[2] = o->src;
	r->kept[3] = o->dst;
	job_die(r);
	return 0;
}

/*
 * A rank may be done with an operation that fails elsewhere: a REDUCE of which it is not the root, or
 * one in which the victim died after its part. It must learn of the failure by its next operation.
 */
static int learn_later(struct job_rank *r, struct tallycoll_team *team)
{
	struct operation o = operation_sum(r, team);
	enum tallycoll_status status;

	o.elem = 4;
	status = tallycoll_team_reason(team) ? TALLYCOLL_ERR_NETWORK : TALLYCOLL_OK;
	if (!status && (operation_init(&o) || operation_post(&o)))
		return -1;
	if (!status)
		status = tallycoll_collective_wait(o.request);
	JOB_CHECK(r, status < 0);
	operation_free(&o);
	return 0;
}

/* Another operation is in progress behind the one that fails. */
static bool has_next(const struct failure *f)
{
	return f->trouble == OTHER_COUNT || f->trouble == POST_FAILS;
}

/* The team's first failure is also that of a further operation, unless this one has ended before. */
static int fail_alike(struct job_rank *r, struct operation *next, enum tallycoll_status first)
{
	enum tallycoll_status status = tallycoll_collective_wait(next->request);

	if (status && status != first)
		return JOB_FAIL(r, "the operation behind ended with %d: %s", status,
				tallycoll_request_error(next->request));
	JOB_CHECK(r, first != TALLYCOLL_ERR_MISMATCH ||
			     strstr(tallycoll_team_error(next->team), "element counts"));
	operation_free(next);
	return 0;
}

static int fail_together(struct job_rank *r, struct operation *o)
{
	const struct failure *f = job_arg(r);
	struct operation next = operation_sum(r, o->team);
	enum tallycoll_status status;

	if (f->trouble == DIES_BEFORE && r->rank == f->victim)
		return die(r, o);
	if (r->rank == f->victim)
		spoil(o, f->trouble);
	break_calls(r);
	if (has_next(f) && operation_init(&next))
		return -1;
	if (operation_init(o) || operation_post(o) || (has_next(f) && operation_post(&next)))
		return -1;
	if (f->trouble == DIES_AFTER && r->rank == f->victim)
		return die(r, o);
	status = tallycoll_collective_wait(o->request);
	if (!status && (o->opcode == TALLY_OPCODE_REDUCE || f->trouble == DIES_AFTER)) {
		operation_free(o);
		return learn_later(r, o->team);
	}
	if (!is_expected(f, status))
		return JOB_FAIL(r, "ended with %d: %s", status,
				tallycoll_request_error(o->request));
	if (has_next(f) && fail_alike(r, &next, status))
		return -1;
	operation_free(o);
	return 0;
}

static int failing_rank(struct job_rank *r)
{
	const struct failure *f = job_arg(r);
	struct tallycoll_request *request;
	struct tallycoll_team *team;
	enum tallycoll_reason reason;
	struct operation o;

	JOB_CHECK(r, r->created == TALLYCOLL_OK);
	JOB_CHECK(r, job_team(r, r->world, &team) == TALLYCOLL_OK);
	for (unsigned int i = 0; i < 3; i++)
		JOB_CHECK(r, reason_of(r, team) == TALLYCOLL_REASON_NONE);
	if (job_barrier(r->world))
		return -1;
	o = operation_sum(r, team);
	o.count = f->count;
	o.opcode = f->trouble == OTHER_OPCODE || f->trouble == OTHER_ROOT ? TALLY_OPCODE_REDUCE :
									    TALLY_OPCODE_ALLREDUCE;
	if (fail_together(r, &o))
		return -1;
	if (r->dead)
		return 0;
	JOB_CHECK(r, tallycoll_team_reason(team) == TALLYCOLL_REASON_TEAM_BROKEN);
	JOB_CHECK(r, *tallycoll_team_error(team));
	JOB_CHECK(r, tallycoll_collective_init(team, &o.args, &request, &reason) < 0);
	o.args.opcode = 0;
	JOB_CHECK(r, tallycoll_collective_init(team, &o.args, &request, &reason) ==
			     TALLYCOLL_ERR_PARAM);
	JOB_CHECK(r, strncmp(tallycoll_team_error(team), "opcode", 6));
	if (!is_death(f) && job_barrier(r->world))
		return -1;
	tallycoll_team_destroy(team);
	return 0;
}

static int fail_once(const struct failure *f, uint32_t machines)
{
	struct failure copy = *f;
	struct job_cfg cfg = config();
	int err;

	cfg.machines = machines;
	err = job_run(&cfg, failing_rank, &copy);
	if (err)
		fprintf(stderr, "%s, rank %u, %u elements, %u machines, TALLY_COLL_TUNE=\"%s\"\n",
			trouble_names[f->trouble], f->victim, (unsigned int)f->count, machines,
			getenv("TALLY_COLL_TUNE"));
	return err;
}

static int failures(bool few, bool keep_going)
{
	static const uint64_t counts[] = { 10, 3000, 80000 };
	int err = 0;

	for (unsigned int k = 0; k < ARRAY_SIZE(tunes) * NUM_TROUBLES; k++) {
		setenv("TALLY_COLL_TUNE", tunes[k / NUM_TROUBLES], true);
		for (unsigned int i = 0; i < ARRAY_SIZE(counts); i++) {
			const struct failure f = {
				.trouble = k % NUM_TROUBLES,
				.victim = (k + i) % RANKS,
				.count = counts[i],
				.machine = k >= NUM_TROUBLES,
			};

			if (err && !keep_going)
				return err;
			if (few && (k + i + k / NUM_TROUBLES) % 3)
				continue;
			err |= fail_once(&f, 1 + (k + i) % 3);
		}
	}
	return err;
}

/* ---- A message that has ended well when its team fails ---- */
/* Nobody has looked at the flag word of the first operation when the second one's failure is there. */
static int unseen_rank(struct job_rank *r)
{
	struct tallycoll_team *team;
	struct operation first, second;

	JOB_CHECK(r, r->created == TALLYCOLL_OK);
	JOB_CHECK(r, job_team(r, r->world, &team) == TALLYCOLL_OK);
	first = second = operation_sum(r, team);
	second.count += r->rank == 1;
	if (operation_init(&first) || operation_init(&second) || operation_post(&first) ||
	    job_barrier(r->world) || operation_post(&second) || job_barrier(r->world))
		return -1;
	JOB_CHECK(r, tallycoll_collective_wait(second.request) == TALLYCOLL_ERR_MISMATCH);
	tallycoll_collective_wait(first.request);
	operation_free(&first);
	operation_free(&second);
	if (job_barrier(r->world))
		return -1;
	tallycoll_team_destroy(team);
	return 0;
}

static int unseen(void)
{
	const struct job_cfg cfg = config();

	setenv("TALLY_COLL_TUNE", "all=direct", true);
	return job_run(&cfg, unseen_rank, NULL);
}

/* ---- An operation behind one that could not be posted ---- */
/* Its turn never comes, and a rank alone on its node has nobody who tells it of the failure. */
static int behind_rank(struct job_rank *r)
{
	struct tallycoll_team *team;
	struct operation first, second;

	JOB_CHECK(r, job_team(r, r->world, &team) == TALLYCOLL_OK);
	first = second = operation_sum(r, team);
	if (r->rank == 2)
		job_set_fault(r, JOB_POST, 1, 0);
	if (operation_init(&first) || operation_init(&second) || operation_post(&first) ||
	    operation_post(&second) || job_barrier(r->world))
		return -1;
	JOB_CHECK(r, tallycoll_collective_wait(first.request) == TALLYCOLL_ERR_NETWORK);
	JOB_CHECK(r, r->rank != 2 ||
			     tallycoll_collective_test(second.request) == TALLYCOLL_ERR_NETWORK);
	JOB_CHECK(r, tallycoll_collective_wait(second.request) == TALLYCOLL_ERR_NETWORK);
	operation_free(&first);
	operation_free(&second);
	if (job_barrier(r->world))
		return -1;
	tallycoll_team_destroy(team);
	return 0;
}

static int behind(void)
{
	const struct job_cfg cfg = { .ranks = RANKS, .machines = RANKS, .seed = 5 };

	setenv("TALLY_COLL_TUNE", "all=direct", true);
	return job_run(&cfg, behind_rank, NULL);
}

/* ---- A rank that dies before any message has begun ---- */
/* Its node notices, and tells the other one, which calls only then, that a rank is gone. */
static int bereft_rank(struct job_rank *r)
{
	struct job_seat *living = job_split(r, r->world, r->rank ? 0 : -1, r->rank);
	struct tallycoll_team *team;
	struct operation o;
	bool near;

	JOB_CHECK(r, job_team(r, r->world, &team) == TALLYCOLL_OK);
	JOB_CHECK(r, reason_of(r, team) == TALLYCOLL_REASON_NONE);
	if (job_barrier(r->world))
		return -1;
	o = operation_sum(r, team);
	if (!r->rank)
		return die(r, &o);
	near = job_machine(r, r->rank) == job_machine(r, 0);
	if (operation_init(&o) || (!near && job_barrier(living)) || operation_post(&o))
		return -1;
	JOB_CHECK(r, tallycoll_collective_wait(o.request) == TALLYCOLL_ERR_RANK_GONE);
	operation_free(&o);
	if (near && job_barrier(living))
		return -1;
	tallycoll_team_destroy(team);
	return 0;
}

static int bereft(void)
{
	const struct job_cfg cfg = config();

	setenv("TALLY_COLL_TUNE", "all=node", true);
	return job_run(&cfg, bereft_rank, NULL);
}

int main(int argc, char **argv)
{
	const bool few = argc > 1 && !strcmp(argv[1], "short");
	const bool keep_going = argc > 1 && !strcmp(argv[1], "all");
	int err = refusals(few) || without_nic() || poor(few) || two_poor() ||
		  unseen() || behind() || bereft() || failures(few, keep_going);

	return err ? EXIT_FAILURE : EXIT_SUCCESS;
}
