// SPDX-License-Identifier: BSD-2-Clause
/*
 * limits_test [short]: values just permitted and just not: vectors whose last piece is one element,
 * the longest operation that the NIC ends alone; groups that the next team may take from the cache
 * and those that it must not; a rank that is done long before its node has posted; a queue that
 * holds one request; and a device that does not perform all operations.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/area.h"
#include "core/staging.h"
#include "testing/operation.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define RANKS 4
#define ELEM 8
#define LATE_US 20000

/* What a job tries: by the way that the variable TALLY_COLL_TUNE names, */
struct limits {
	uint64_t in, net; /* bytes of a piece of a reduction, and of another operation */
	uint32_t pieces;  /* before the last one */
};

static struct operation operation(struct job_rank *r, struct tallycoll_team *team,
				  enum tally_opcode opcode, uint64_t count)
{
	const bool barrier = opcode == TALLY_OPCODE_BARRIER;

	return (struct operation){
		.r = r,
		.team = team,
		.rank = r->rank,
		.size = r->size,
		.opcode = opcode,
		.op = operation_reduces(opcode) ? TALLY_OP_SUM : TALLY_OP_NONE,
		.dtype = barrier ? TALLY_TYPE_NONE : TALLY_TYPE_INT64,
		.count = barrier ? 0 : count,
	};
}

static int works(struct job_rank *r, struct tallycoll_team *team)
{
	struct operation o = operation_sum(r, team);

	if (operation_run(&o))
		return -1;
	JOB_CHECK(r, o.reason == TALLYCOLL_REASON_NONE);
	return 0;
}

/* ---- The last piece is one element ---- */
static int pieces_rank(struct job_rank *r)
{
	const struct limits *l = job_arg(r);
	struct tallycoll_team *team;

	JOB_CHECK(r, job_team(r, r->world, &team) == TALLYCOLL_OK);
	for (enum tally_opcode k = TALLY_OPCODE_ALLREDUCE; k <= TALLY_OPCODE_SCATTER; k++) {
		uint64_t piece = (operation_reduces(k) ? l->in : l->net) / ELEM;
		struct operation o;

		if (operation_has_blocks(k))
			piece /= r->size;
		o = operation(r, team, k, l->pieces * piece + 1);
		o.root = RANKS - 1;
		if (operation_run(&o))
			return -1;
		JOB_CHECK(r, o.reason == TALLYCOLL_REASON_NONE);
	}
	tallycoll_team_destroy(team);
	return 0;
}

static int pieces(bool few)
{
	static const char *const tunes[] = { "all=direct", "all=node", "all=cp-rdaas" };
	const struct job_cfg cfg = { .ranks = RANKS, .machines = 2, .seed = 11 };
	int err = 0;

	for (unsigned int i = 0; i < ARRAY_SIZE(tunes) * 2 && !err; i++) {
		struct limits l = { TC_AREA_IN, TC_AREA_NET, 1 + i % 2 };

		if (i < 2)
			l.in = l.net = TC_STAGING_MOST / 2;
		if (few && i % 2)
			continue;
		setenv("TALLY_COLL_TUNE", tunes[i / 2], true);
		err = job_run(&cfg, pieces_rank, &l);
		if (err)
			fprintf(stderr, "%s, %u pieces and one element\n", tunes[i / 2], l.pieces);
	}
	return err;
}

/* The pieces of a BCAST that scatters are rounded up to whole blocks for six ranks, and fit. */
static int blocks_rank(struct job_rank *r)
{
	struct tallycoll_team *team;
	struct operation o;

	JOB_CHECK(r, job_team(r, r->world, &team) == TALLYCOLL_OK);
	o = operation(r, team, TALLY_OPCODE_BCAST, 2 * TC_AREA_NET / ELEM + 1);
	if (operation_run(&o))
		return -1;
	JOB_CHECK(r, o.reason == TALLYCOLL_REASON_NONE);
	tallycoll_team_destroy(team);
	return 0;
}

static int blocks(void)
{
	const struct job_cfg cfg = { .ranks = 6, .machines = 2, .seed = 11 };

	setenv("TALLY_COLL_TUNE", "all=cp-rdaas", true);
	return job_run(&cfg, blocks_rank, NULL);
}

/* ---- Data of one byte more than a buffer ---- */
static int byte_rank(struct job_rank *r)
{
	const uint64_t smallest = 1u << TC_STAGING_MIN_LOG;
	struct tallycoll_team *team;

	JOB_CHECK(r, job_team(r, r->world, &team) == TALLYCOLL_OK);
	for (uint64_t bytes = smallest - 1; bytes <= smallest + 1; bytes++) {
		struct operation o = operation(r, team, TALLY_OPCODE_BCAST, bytes);

		o.dtype = TALLY_TYPE_INT8;
		if (operation_run(&o))
			return -1;
		JOB_CHECK(r, o.reason == TALLYCOLL_REASON_NONE);
	}
	tallycoll_team_destroy(team);
	return 0;
}

/* ---- The longest operation that the NIC ends alone ---- */
static int ends_alone(struct job_rank *r, struct tallycoll_team *team, enum tally_opcode opcode,
		      uint64_t most)
{
	for (uint64_t count = most; count <= most + 1; count++) {
		struct operation o = operation(r, team, opcode, count);

		o.flags = TALLYCOLL_F_ALONE;
		if (operation_init(&o))
			return -1;
		JOB_CHECK(r, o.reason == (count == most ? TALLYCOLL_REASON_NONE :
							  TALLYCOLL_REASON_NOT_ALONE));
		operation_free(&o);
	}
	return 0;
}

static int alone_rank(struct job_rank *r)
{
	const uint64_t most = TC_STAGING_MOST / 2 / ELEM;
	struct tallycoll_team *team;

	JOB_CHECK(r, job_team(r, r->world, &team) == TALLYCOLL_OK);
	if (ends_alone(r, team, TALLY_OPCODE_ALLREDUCE, most) ||
	    ends_alone(r, team, TALLY_OPCODE_BCAST, most) ||
	    ends_alone(r, team, TALLY_OPCODE_GATHER, most / RANKS) ||
	    ends_alone(r, team, TALLY_OPCODE_REDUCE_SCATTER, most / RANKS))
		return -1;
	tallycoll_team_destroy(team);
	return 0;
}

/* ---- An operation of which a caller says that it waits for it ---- */
/* It is still to end alone, so its way does not change, whatever is faster for one that waits. */
static int waiting_rank(struct job_rank *r)
{
	struct tallycoll_team *team;

	JOB_CHECK(r, job_team(r, r->world, &team) == TALLYCOLL_OK);
	for (uint64_t num = 1; num * ELEM <= TC_STAGING_MOST / 2; num *= 2) {
		struct operation o = operation(r, team, TALLY_OPCODE_ALLREDUCE, num);
		enum tallycoll_reason reason;

		o.flags = TALLYCOLL_F_ALONE;
		if (operation_init(&o))
			return -1;
		reason = o.reason;
		operation_free(&o);
		o.flags |= TALLYCOLL_F_BLOCKING;
		if (operation_init(&o))
			return -1;
		JOB_CHECK(r, o.reason == reason);
		operation_free(&o);
	}
	tallycoll_team_destroy(team);
	return 0;
}

static int waiting(void)
{
	const struct job_cfg cfg = { .ranks = 16, .machines = 2, .seed = 11 };

	unsetenv("TALLY_COLL_TUNE");
	return job_run(&cfg, waiting_rank, NULL);
}

/* ---- A queue that holds one request ---- */
/* The first operation has ended, but nobody has polled it when the second one is posted. */
static int full_alone_rank(struct job_rank *r)
{
	struct tallycoll_team *team;
	struct operation first, second;

	JOB_CHECK(r, job_team(r, r->world, &team) == TALLYCOLL_OK);
	first = second = operation(r, team, TALLY_OPCODE_ALLREDUCE, 10);
	first.flags = second.flags = TALLYCOLL_F_ALONE;
	if (operation_init(&first) || operation_init(&second) || operation_post(&first) ||
	    job_barrier(r->world) || operation_post(&second) || job_barrier(r->world))
		return -1;
	JOB_CHECK(r, tallycoll_collective_test(second.request) == TALLYCOLL_OK);
	JOB_CHECK(r, tallycoll_collective_test(first.request) == TALLYCOLL_OK);
	if (operation_check(&first) || operation_check(&second))
		return -1;
	operation_free(&first);
	operation_free(&second);
	tallycoll_team_destroy(team);
	return 0;
}

/* The last rank that comes posts two pieces in a row, of which the second one has to wait. */
static int full_node_rank(struct job_rank *r)
{
	struct tallycoll_team *team;
	struct operation o;

	JOB_CHECK(r, job_team(r, r->world, &team) == TALLYCOLL_OK);
	o = operation(r, team, TALLY_OPCODE_ALLGATHER, TC_AREA_NET / ELEM / RANKS + 1);
	if (operation_init(&o) || (r->rank && operation_post(&o)) || job_barrier(r->world) ||
	    (!r->rank && operation_post(&o)) || operation_wait(&o) || operation_check(&o))
		return -1;
	operation_free(&o);
	tallycoll_team_destroy(team);
	return 0;
}

/* ---- Groups in the cache ---- */
/* An allgather that counts how often it is called: once if the members find a group. */
struct counted {
	struct job_seat *seat;
	uint32_t calls;
};

static int count(void *arg, const void *mine, void *all, size_t bytes)
{
	struct counted *c = arg;
	const struct tallycoll_oob oob = job_oob(c->seat);

	c->calls++;
	return oob.allgather(oob.arg, mine, all, bytes);
}

/* Makes a team, which works if it is of all ranks, and destroys it. Returns the allgathers, or -1. */
static int make_team(struct job_rank *r, struct job_seat *seat)
{
	struct counted c = { .seat = seat };
	uint32_t ranks[RANKS];
	struct tallycoll_team_params params = { .oob = job_oob(seat), .ranks = ranks };
	struct tallycoll_team *team;

	for (uint32_t k = 0; k < params.oob.size; k++)
		ranks[k] = job_seat_world(seat, k);
	params.oob.allgather = count;
	params.oob.arg = &c;
	JOB_CHECK(r, !tallycoll_team_create(r->context, &params, &team));
	if (params.oob.size == RANKS && works(r, team))
		return -1;
	tallycoll_team_destroy(team);
	return c.calls;
}

/* Teams that differ in their last member alone, in turn: each finds its own group. */
static int last_member(struct job_rank *r)
{
	struct job_seat *one = job_split(r, r->world, r->rank == 3 ? -1 : 0, r->rank);
	struct job_seat *other = job_split(r, r->world, r->rank == 2 ? -1 : 0, r->rank);

	for (unsigned int i = 0; i < 4; i++) {
		struct job_seat *seat = i % 2 ? other : one;

		if (seat)
			JOB_CHECK(r, make_team(r, seat) == (i < 2 ? 4 : 1));
	}
	return 0;
}

/* The group of a team that has failed serves no other. */
static int broken_team(struct job_rank *r)
{
	struct tallycoll_team *team;
	struct operation o;

	JOB_CHECK(r, job_team(r, r->world, &team) == TALLYCOLL_OK);
	o = operation(r, team, TALLY_OPCODE_ALLREDUCE, r->rank ? 10 : 11);
	if (operation_init(&o) || operation_post(&o))
		return -1;
	JOB_CHECK(r, tallycoll_collective_wait(o.request) == TALLYCOLL_ERR_MISMATCH);
	operation_free(&o);
	if (job_barrier(r->world))
		return -1;
	tallycoll_team_destroy(team);
	JOB_CHECK(r, make_team(r, r->world) == 4);
	JOB_CHECK(r, make_team(r, r->world) == 1);
	return 0;
}

/*
 * A rank has called a GATHER that the others have not, and is done, since another one would post its
 * data. Their group is in every cache, but its next message is not the same everywhere.
 */
static int one_call_more(struct job_rank *r)
{
	struct tallycoll_team *team;
	struct operation o;

	JOB_CHECK(r, job_team(r, r->world, &team) == TALLYCOLL_OK);
	if (works(r, team))
		return -1;
	o = operation(r, team, TALLY_OPCODE_GATHER, 10);
	if (r->rank == 1) {
		if (operation_init(&o) || operation_post(&o) || operation_wait(&o))
			return -1;
		operation_free(&o);
	}
	tallycoll_team_destroy(team);
	JOB_CHECK(r, make_team(r, r->world) == 4);
	return 0;
}

static int cached_rank(struct job_rank *r)
{
	return last_member(r) || broken_team(r) || one_call_more(r);
}

/* ---- A rank that is done before its data are posted ---- */
/*
 * Rank 3 is to post for itself and rank 2, but its queue is full until the late ranks 0 and 1 call.
 * Rank 2 has destroyed all it can by then. If it left the group, the NIC would miss it. Its parties
 * are those of a socket, and it has not entered the memory of the node.
 */
static int early_rank(struct job_rank *r)
{
	static const useconds_t late_us[RANKS] = { 4 * LATE_US, 4 * LATE_US, LATE_US, 0 };
	struct tallycoll_team *team;
	struct operation first, o;

	JOB_CHECK(r, job_team(r, r->world, &team) == TALLYCOLL_OK);
	if (works(r, team) || job_barrier(r->world))
		return -1;
	usleep(late_us[r->rank]);
	first = operation(r, team, TALLY_OPCODE_BCAST, 10);
	o = operation(r, team, TALLY_OPCODE_REDUCE, 10);
	first.root = o.root = 3;
	if (operation_init(&first) || operation_init(&o) || operation_post(&first) ||
	    operation_post(&o) || operation_wait(&first) || operation_wait(&o) ||
	    operation_check(&first) || operation_check(&o))
		return -1;
	operation_free(&first);
	operation_free(&o);
	tallycoll_team_destroy(team);
	return 0;
}

/* ---- One device that lacks opcodes ---- */
/* No rank offloads what the NIC of the last machine does not perform, so none waits for it. */
static int lacking_rank(struct job_rank *r)
{
	const uint32_t lacking = *(const uint32_t *)job_arg(r);
	struct tallycoll_team *team;

	JOB_CHECK(r, job_team(r, r->world, &team) == TALLYCOLL_OK);
	for (enum tally_opcode k = TALLY_OPCODE_ALLREDUCE; k <= TALLY_OPCODE_SCATTER; k++) {
		struct operation o = operation(r, team, k, 2 * TC_AREA_NET / ELEM / RANKS);

		if (operation_run(&o))
			return -1;
		JOB_CHECK(r, o.reason == (lacking >> k & 1 ? TALLYCOLL_REASON_UNSUPPORTED_OP :
							     TALLYCOLL_REASON_NONE));
	}
	tallycoll_team_destroy(team);
	return 0;
}

static int lacking(void)
{
	static const char *const tunes[] = { "all=direct", "all=node", "all=cp-rdaas" };
	uint32_t lacks = 1u << TALLY_OPCODE_ALLGATHER | 1u << TALLY_OPCODE_REDUCE;
	const struct job_cfg cfg = { .ranks = RANKS, .machines = 2, .no_opcodes = lacks, .seed = 11 };
	int err = 0;

	for (unsigned int i = 0; i < ARRAY_SIZE(tunes) && !err; i++) {
		setenv("TALLY_COLL_TUNE", tunes[i], true);
		err = job_run(&cfg, lacking_rank, &lacks);
	}
	return err;
}

int main(int argc, char **argv)
{
	static const char *const tunes[] = { "all=direct", "all=node",	 "all=socket",
					     "all=direct", "all=direct", "all=node" };
	static int (*const ranks[])(struct job_rank *) = { alone_rank, cached_rank,
							   early_rank, byte_rank,
							   full_alone_rank, full_node_rank };
	const struct job_cfg cfg = { .ranks = RANKS, .sockets = 2, .queue_depth = 1, .seed = 11 };
	const bool few = argc > 1 && !strcmp(argv[1], "short");
	int err = pieces(few) || blocks() || waiting() || lacking();

	for (unsigned int i = 0; i < ARRAY_SIZE(ranks) && !err; i++) {
		setenv("TALLY_COLL_TUNE", tunes[i], true);
		err = job_run(&cfg, ranks[i], NULL);
		if (err)
			fprintf(stderr, "part %u, %s\n", i, tunes[i]);
	}
	return err ? EXIT_FAILURE : EXIT_SUCCESS;
}
