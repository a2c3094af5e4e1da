// SPDX-License-Identifier: BSD-2-Clause
/*
 * mismatch_test [all | short]: one rank calls something else than the others: each operation
 * against each other one, another count, operation, type or root, by each way, on one node and on
 * several; and any of the ranks name another root, or each names itself. No rank gets a wrong
 * result, or waits for ever: each one ends with MISMATCH, or if it was done before anybody could
 * notice, with its next operation. Without an argument a part of the cases runs.
 */
#include <stdlib.h>
#include <string.h>

#include "testing/operation.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define RANKS 6
#define ROOT 1

enum difference {
	LESS,
	MUCH_MORE,
	OTHER_OP,
	OTHER_TYPE,
	OTHER_ROOT,
	OWN_ROOT,
	OTHER_OPCODE, /* and those behind it, for each opcode one */
	NUM_DIFFERENCES = OTHER_OPCODE + TALLY_OPCODE_SCATTER + 1,
};

struct mismatch {
	enum tally_opcode opcode;
	enum difference difference;
	uint32_t odd; /* ranks that differ, as bits */
	uint64_t count;
};

static void set_opcode(struct operation *o, enum tally_opcode opcode, uint64_t count)
{
	o->opcode = opcode;
	o->op = operation_reduces(opcode) ? TALLY_OP_SUM : TALLY_OP_NONE;
	o->count = opcode == TALLY_OPCODE_BARRIER ? 0 : count;
	o->dtype = opcode == TALLY_OPCODE_BARRIER ? TALLY_TYPE_NONE : TALLY_TYPE_INT32;
	o->root = operation_rooted(opcode) ? ROOT : 0;
}

static struct operation common(const struct mismatch *m, struct job_rank *r,
			       struct tallycoll_team *team)
{
	struct operation o = { .r = r, .team = team, .rank = r->rank, .size = r->size };

	set_opcode(&o, m->opcode, m->count);
	return o;
}

/* Makes the operation differ. Returns false if it cannot in this way. */
static bool differ(struct operation *o, const struct mismatch *m)
{
	const enum tally_opcode other = m->difference - OTHER_OPCODE;

	switch (m->difference) {
	case LESS:
		o->count--;
		return o->opcode != TALLY_OPCODE_BARRIER;
	case MUCH_MORE:
		o->count += 30000;
		return o->opcode != TALLY_OPCODE_BARRIER;
	case OTHER_OP:
		o->op = TALLY_OP_MAX;
		return operation_reduces(o->opcode);
	case OTHER_TYPE:
		o->dtype = TALLY_TYPE_FP32;
		return o->opcode != TALLY_OPCODE_BARRIER;
	case OTHER_ROOT:
		o->root = ROOT + 2;
		return operation_rooted(o->opcode);
	case OWN_ROOT:
		o->root = o->rank;
		return operation_rooted(o->opcode);
	default:
		set_opcode(o, other, m->count);
		return other != m->opcode && other >= TALLY_OPCODE_ALLREDUCE;
	}
}

/* Whether nothing that a rank gets could tell it of the mismatch: it has its own data at most. */
static bool only_gives(const struct operation *o)
{
	switch (o->opcode) {
	case TALLY_OPCODE_REDUCE:
	case TALLY_OPCODE_GATHER:
		return o->rank != o->root;
	case TALLY_OPCODE_BCAST:
	case TALLY_OPCODE_SCATTER:
		return o->rank == o->root;
	default:
		return false;
	}
}

/*
 * Whether a rank that differs may have a result: one that names another root may get what this root
 * has given, before that meets a rank that waits for the other one.
 */
static bool may_succeed(const struct operation *o, const struct mismatch *m)
{
	if (only_gives(o))
		return true;
	return (m->odd & (m->odd - 1)) &&
	       (o->opcode == TALLY_OPCODE_BCAST || o->opcode == TALLY_OPCODE_SCATTER);
}

/* A further operation, which ends with MISMATCH or, if nobody has noticed yet, with the right sum. */
static int learn_now(struct job_rank *r, struct tallycoll_team *team)
{
	struct operation o = operation_sum(r, team);
	enum tallycoll_status status;

	if (operation_init(&o) || operation_post(&o))
		return -1;
	status = tallycoll_collective_wait(o.request);
	if (status && status != TALLYCOLL_ERR_MISMATCH)
		return JOB_FAIL(r, "a further operation ended with %d: %s", status,
				tallycoll_request_error(o.request));
	if (!status && operation_check(&o))
		return -1;
	operation_free(&o);
	return 0;
}

/*
 * A rank that was done in time learns of it by the next operation. Only if ranks take each other for
 * the root do no contributions meet, until the NICs ask their neighbours what they wait for.
 */
static int learn(struct job_rank *r, struct tallycoll_team *team, bool others)
{
	if (!tallycoll_team_reason(team) && learn_now(r, team))
		return -1;
	if (!tallycoll_team_reason(team) && others) {
		job_settle(r);
		if (learn_now(r, team))
			return -1;
	}
	return 0;
}

static int perform(struct job_rank *r, struct operation *o, bool odd)
{
	const struct mismatch *m = job_arg(r);
	enum tallycoll_status status;

	if (operation_init(o) || operation_post(o))
		return -1;
	JOB_CHECK(r, o->request);
	status = tallycoll_collective_wait(o->request);
	if (status && status != TALLYCOLL_ERR_MISMATCH)
		return JOB_FAIL(r, "ended with %d: %s", status,
				tallycoll_request_error(o->request));
	if (!status && odd && !may_succeed(o, m))
		return JOB_FAIL(r, "the rank that differs got a result");
	if (!status && operation_check(o))
		return -1;
	operation_free(o);
	return status ? 0 : learn(r, o->team, operation_rooted(o->opcode));
}

static int differing_rank(struct job_rank *r)
{
	const struct mismatch *m = job_arg(r);
	const bool odd = m->odd >> r->rank & 1;
	struct tallycoll_team *team;
	struct operation before, o;

	JOB_CHECK(r, r->created == TALLYCOLL_OK);
	JOB_CHECK(r, job_team(r, r->world, &team) == TALLYCOLL_OK);
	before = common(m, r, team);
	if (operation_run(&before) || job_barrier(r->world))
		return -1;
	o = common(m, r, team);
	if (odd)
		differ(&o, m);
	if (perform(r, &o, odd) || job_barrier(r->world))
		return -1;
	JOB_CHECK(r, tallycoll_team_reason(team) == TALLYCOLL_REASON_TEAM_BROKEN);
	tallycoll_team_destroy(team);
	return 0;
}

static int run(const struct mismatch *m, uint32_t machines)
{
	const struct job_cfg cfg = { .ranks = RANKS, .machines = machines, .sockets = 2, .seed = 7 };
	struct mismatch copy = *m;
	int err = job_run(&cfg, differing_rank, &copy);

	if (err)
		fprintf(stderr,
			"opcode %u, difference %u, ranks %#x, %u elements, %u machines, %s\n",
			m->opcode, m->difference, m->odd, (unsigned int)m->count, machines,
			getenv("TALLY_COLL_TUNE"));
	return err;
}

static const char *const tunes[] = { "all=direct", "all=node",	   "all=socket",   "all=fixed",
				     "all=nic",	   "all=cp-rdaas", "all=p-ringaas" };
static const uint64_t counts[] = { 10, 3000, 80000 };

/* One rank differs in everything. Runs every @stride-th case. */
static int odd_ranks(unsigned int stride, bool keep_going)
{
	static const uint32_t victims[] = { 0, ROOT, 3, RANKS - 1 };
	unsigned int k = 0;
	int err = 0;

	for (unsigned int i = 0; i < ARRAY_SIZE(tunes) * ARRAY_SIZE(counts); i++) {
		setenv("TALLY_COLL_TUNE", tunes[i / ARRAY_SIZE(counts)], true);
		for (unsigned int j = 0; j < NUM_DIFFERENCES * TALLY_OPCODE_SCATTER; j++) {
			const struct mismatch m = {
				.opcode = 1 + j % TALLY_OPCODE_SCATTER,
				.difference = j / TALLY_OPCODE_SCATTER,
				.odd = 1u << victims[(i + j) % ARRAY_SIZE(victims)],
				.count = counts[i % ARRAY_SIZE(counts)],
			};
			struct operation probe =
				common(&m, &(struct job_rank){ .size = RANKS }, NULL);

			if (m.difference == OWN_ROOT || !differ(&probe, &m) || k++ % stride)
				continue;
			err |= run(&m, 1 + (i + j / 3) % 3);
			if (err && !keep_going)
				return err;
		}
	}
	return err;
}

/* Some ranks name one root and some another, or each itself, on nodes of one to six ranks. */
static int roots(unsigned int stride, bool keep_going)
{
	static const enum tally_opcode rooted[] = { TALLY_OPCODE_REDUCE, TALLY_OPCODE_BCAST,
						    TALLY_OPCODE_GATHER, TALLY_OPCODE_SCATTER };
	static const uint32_t machines[] = { 1, 2, 3, RANKS };
	const uint32_t subsets = (1u << RANKS) - 1;
	unsigned int cases = ARRAY_SIZE(tunes) * ARRAY_SIZE(counts) * ARRAY_SIZE(rooted) * subsets;
	int err = 0;

	for (unsigned int k = 0; k < cases && (!err || keep_going); k += stride) {
		unsigned int i = k / ARRAY_SIZE(rooted), j = i / subsets;
		const struct mismatch m = {
			.opcode = rooted[k % ARRAY_SIZE(rooted)],
			.odd = 1 + i % subsets,
			.difference = i % subsets == subsets - 1 ? OWN_ROOT : OTHER_ROOT,
			.count = counts[j % ARRAY_SIZE(counts)],
		};

		setenv("TALLY_COLL_TUNE", tunes[j / ARRAY_SIZE(counts)], true);
		err |= run(&m, machines[(k + j) % ARRAY_SIZE(machines)]);
	}
	return err;
}

/* ---- Two ranks of a node that both give ---- */
/* The data of the root are on their way when another rank takes itself for the root. They stay. */
static int kept_rank(struct job_rank *r)
{
	enum tallycoll_status status;
	struct tallycoll_team *team;
	struct operation o;

	JOB_CHECK(r, job_team(r, r->world, &team) == TALLYCOLL_OK);
	o = operation_sum(r, team);
	o.opcode = TALLY_OPCODE_BCAST;
	o.op = TALLY_OP_NONE;
	o.root = r->rank == 1;
	if (operation_init(&o))
		return -1;
	for (uint32_t turn = 0; turn < 3; turn++) {
		const uint32_t mine = r->rank < 2 ? r->rank : 2;

		if ((turn == mine && operation_post(&o)) || job_barrier(r->world))
			return -1;
	}
	status = tallycoll_collective_wait(o.request);
	JOB_CHECK(r, !status || status == TALLYCOLL_ERR_MISMATCH);
	if (!status && operation_check(&o))
		return -1;
	operation_free(&o);
	if (job_barrier(r->world))
		return -1;
	tallycoll_team_destroy(team);
	return 0;
}

static int kept(void)
{
	const struct job_cfg cfg = { .ranks = RANKS, .machines = 2, .seed = 7 };

	setenv("TALLY_COLL_TUNE", "all=node", true);
	return job_run(&cfg, kept_rank, NULL);
}

int main(int argc, char **argv)
{
	const bool all = argc > 1 && !strcmp(argv[1], "all");
	const bool few = argc > 1 && !strcmp(argv[1], "short");
	const int one = odd_ranks(all ? 1 : few ? 101 : 23, all);
	const int many = roots(all ? 1 : few ? 307 : 61, all);

	return one || many || kept() ? EXIT_FAILURE : EXIT_SUCCESS;
}
