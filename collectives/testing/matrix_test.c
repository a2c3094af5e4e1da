// SPDX-License-Identifier: BSD-2-Clause
/*
 * All operations with all types and reductions, on communicators of several shapes, by each way, with
 * results computed independently. Whether an operation is offloaded is compared as well.
 */
#include <stdlib.h>
#include <string.h>

#include "alu/alu.h"
#include "testing/operation.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static const enum tally_type types[] = {
	TALLY_TYPE_NONE,  TALLY_TYPE_INT8,   TALLY_TYPE_INT16,	TALLY_TYPE_INT32,  TALLY_TYPE_INT64,
	TALLY_TYPE_UINT8, TALLY_TYPE_UINT16, TALLY_TYPE_UINT32, TALLY_TYPE_UINT64, TALLY_TYPE_FP16,
	TALLY_TYPE_FP32,  TALLY_TYPE_FP64,   TALLY_TYPE_BF16,
};

static const enum tally_op reductions[] = {
	TALLY_OP_SUM,  TALLY_OP_MIN,  TALLY_OP_MAX,  TALLY_OP_MINLOC, TALLY_OP_MAXLOC,
	TALLY_OP_LAND, TALLY_OP_LOR,  TALLY_OP_LXOR, TALLY_OP_BAND,   TALLY_OP_BOR,
	TALLY_OP_BXOR, TALLY_OP_PROD, TALLY_OP_AVG,
};

/* A communicator. */
struct shape {
	const char *name;
	struct job_seat *seat;
	struct tallycoll_team *team;
};

#define MAX_SHAPES 8

struct matrix {
	const char *tune; /* TALLY_COLL_TUNE */
	bool whole;	  /* with both placements, and two roots */
	bool few;	  /* some types and reductions */
	uint64_t offloaded, refused;
};

/* Returns whether it should be offloaded. */
static enum tallycoll_reason expected(const struct operation *o, bool crowded)
{
	if (o->size == 1)
		return TALLYCOLL_REASON_ONE_RANK;
	if (!o->count && o->opcode != TALLY_OPCODE_BARRIER)
		return TALLYCOLL_REASON_EMPTY;
	if (operation_reduces(o->opcode) && !o->dtype)
		return TALLYCOLL_REASON_UNSUPPORTED_TYPE;
	if (operation_reduces(o->opcode) && !alu_supported(o->op, o->dtype))
		return TALLYCOLL_REASON_UNSUPPORTED_OP;
	if (crowded && (operation_has_blocks(o->opcode) || o->op == TALLY_OP_AVG))
		return TALLYCOLL_REASON_TOO_MANY_RANKS;
	return TALLYCOLL_REASON_NONE;
}

static bool is_crowded(const struct job_rank *r, const struct job_seat *seat)
{
	uint32_t num[256] = { 0 }, most = 0;

	for (uint32_t k = 0; k < job_seat_size(seat); k++) {
		uint32_t nic = job_nic(r, job_seat_world(seat, k));

		num[nic]++;
		most = num[nic] > most ? num[nic] : most;
	}
	return most > TALLY_MAX_RANKS;
}

static int try(struct job_rank *r, const struct shape *s, struct operation o)
{
	struct matrix *m = job_arg(r);
	enum tallycoll_reason want;

	o.r = r;
	o.team = s->team;
	o.rank = job_seat_rank(s->seat);
	o.size = job_seat_size(s->seat);
	want = expected(&o, is_crowded(r, s->seat));
	if (operation_run(&o))
		return JOB_FAIL(r, "%s, tune %s", s->name, m->tune);
	if (o.reason != want)
		return JOB_FAIL(r, "%s: opcode %u, op %u, type %#x: reason %s instead of %s",
				s->name, o.opcode, o.op, o.dtype, tallycoll_reason_name(o.reason),
				tallycoll_reason_name(want));
	if (!r->rank && o.reason)
		m->refused++;
	else if (!r->rank)
		m->offloaded++;
	return 0;
}

/* In a short run: bytes, INT32, FP64; SUM, MINLOC, AVG. */
static bool leaves_out(const struct job_rank *r, enum tally_op op, enum tally_type dtype)
{
	const struct matrix *m = job_arg(r);

	return m->few && ((dtype && dtype != TALLY_TYPE_INT32 && dtype != TALLY_TYPE_FP64) ||
			  (op != TALLY_OP_NONE && op != TALLY_OP_SUM && op != TALLY_OP_MINLOC &&
			   op != TALLY_OP_AVG));
}

/* Tries an operation with both placements, and with two roots; or in one of these ways, in turn. */
static int try_all(struct job_rank *r, const struct shape *s, enum tally_opcode opcode,
		   enum tally_op op, enum tally_type dtype, uint64_t count)
{
	const uint32_t size = job_seat_size(s->seat);
	const unsigned int variants = operation_rooted(opcode) && size > 1 ? 4 : 2;
	const struct matrix *m = job_arg(r);
	uint32_t salt = opcode * 1000 + op * 50 + dtype + count;
	bool one = !m->whole || !count || size == 1 || count > 1000;
	unsigned int first = one ? salt / 3 % variants : 0;

	for (unsigned int v = first; v < (one ? first + 1 : variants); v++) {
		const struct operation o = {
			.opcode = opcode,
			.op = op,
			.dtype = dtype,
			.count = count,
			.root = v / 2 ? (salt + s->name[0]) % size : size - 1,
			.in_place = v % 2,
			.salt = salt + v,
		};

		if (!operation_elem(op, dtype) || leaves_out(r, op, dtype))
			continue;
		if (try(r, s, o))
			return -1;
	}
	return 0;
}

static int try_type(struct job_rank *r, const struct shape *s, enum tally_type dtype,
		    uint64_t count)
{
	for (enum tally_opcode k = TALLY_OPCODE_ALLREDUCE; k <= TALLY_OPCODE_SCATTER; k++) {
		if (k == TALLY_OPCODE_BARRIER)
			continue;
		if (!operation_reduces(k) && try_all(r, s, k, TALLY_OP_NONE, dtype, count))
			return -1;
		for (unsigned int i = 0; operation_reduces(k) && i < ARRAY_SIZE(reductions); i++)
			if (try_all(r, s, k, reductions[i], dtype, count))
				return -1;
	}
	return 0;
}

static int try_long(struct job_rank *r, const struct shape *s)
{
	static const uint64_t bytes[] = { 5000, 70000, 300000 };
	const struct matrix *m = job_arg(r);
	uint32_t blocks;

	for (unsigned int i = m->few ? 1 + s->name[0] % 2 : 0; i < ARRAY_SIZE(bytes);
	     i += 1 + m->few) {
		for (enum tally_opcode k = TALLY_OPCODE_ALLREDUCE; k <= TALLY_OPCODE_SCATTER; k++) {
			enum tally_op op = operation_reduces(k) ? TALLY_OP_SUM : TALLY_OP_NONE;

			if (k == TALLY_OPCODE_BARRIER)
				continue;
			blocks = operation_has_blocks(k) ? job_seat_size(s->seat) : 1;
			if (try_all(r, s, k, op, TALLY_TYPE_INT32, bytes[i] / 4 / blocks) ||
			    try_all(r, s, k, op, TALLY_TYPE_INT8, bytes[i] / 10 + 1))
				return -1;
		}
	}
	return try_all(r, s, TALLY_OPCODE_ALLREDUCE, TALLY_OP_MINLOC, TALLY_TYPE_FP64, 20001);
}

/* No rank leaves a barrier before all have come. */
static int try_barriers(struct job_rank *r, const struct shape *s, _Atomic uint32_t *arrived)
{
	const struct operation o = { .opcode = TALLY_OPCODE_BARRIER };

	for (uint32_t k = 1; k <= 20; k++) {
		++*arrived;
		if (try(r, s, o))
			return -1;
		if (job_seat_size(s->seat) == r->size)
			JOB_CHECK(r, *arrived >= k * r->size);
	}
	return 0;
}

static int try_shape(struct job_rank *r, const struct shape *s)
{
	static const uint64_t counts[] = { 0, 1, 37 };
	static _Atomic uint32_t arrived;
	const struct matrix *m = job_arg(r);

	if (!s->seat)
		return 0;
	arrived = 0;
	if (job_barrier(s->seat) || try_barriers(r, s, &arrived))
		return -1;
	for (unsigned int i = m->whole ? 0 : 2; i < ARRAY_SIZE(counts); i++)
		for (unsigned int k = 0; k < ARRAY_SIZE(types); k++)
			if (try_type(r, s, types[k], counts[i]))
				return -1;
	return try_long(r, s);
}

static int new_shape(struct job_rank *r, struct shape *s, const char *name, int color, int key)
{
	s->name = name;
	s->seat = job_split(r, r->world, color, key);
	if (job_failed(r))
		return -1;
	if (s->seat)
		JOB_CHECK(r, job_team(r, s->seat, &s->team) == TALLYCOLL_OK);
	return 0;
}

static bool first_of_nic(const struct job_rank *r)
{
	for (uint32_t k = 0; k < r->rank; k++)
		if (job_nic(r, k) == job_nic(r, r->rank))
			return false;
	return true;
}

static int make_shapes(struct job_rank *r, struct shape *s)
{
	const int me = r->rank, nic = job_nic(r, me);

	return new_shape(r, &s[0], "world", 0, 0) || new_shape(r, &s[1], "self", me, 0) ||
	       new_shape(r, &s[2], "even and odd", me % 2, 0) ||
	       new_shape(r, &s[3], "reversed", 0, -me) ||
	       new_shape(r, &s[4], "first of each node", first_of_nic(r) ? 0 : -1, 0) ||
	       new_shape(r, &s[5], "one node", nic, 0) ||
	       new_shape(r, &s[6], "shuffled", 0, me * 5 % 7 - me * 3 % 4);
}

static int rank_main(struct job_rank *r)
{
	struct shape s[MAX_SHAPES] = { 0 };

	JOB_CHECK(r, r->created == TALLYCOLL_OK);
	if (make_shapes(r, s))
		return -1;
	for (unsigned int i = 0; i < MAX_SHAPES; i++)
		if (try_shape(r, &s[i]) || job_barrier(r->world))
			return -1;
	for (unsigned int i = 0; i < MAX_SHAPES; i++)
		if (s[i].team)
			tallycoll_team_destroy(s[i].team);
	if (!r->rank)
		tallycoll_context_summary(r->context, stdout);
	return 0;
}

static int run(struct matrix m, struct job_cfg cfg)
{
	int err;

	setenv("TALLY_COLL_TUNE", m.tune, true);
	err = job_run(&cfg, rank_main, &m);
	printf("%u ranks, %u machines, tune \"%s\": rank 0: %llu offloaded, %llu not\n", cfg.ranks,
	       cfg.machines, m.tune, (unsigned long long)m.offloaded,
	       (unsigned long long)m.refused);
	fflush(stdout);
	return err;
}

int main(int argc, char **argv)
{
	static const char *const tunes[] = { "all=nic", "all=direct", "all=node", "all=socket" };
	const bool few = argc > 1 && !strcmp(argv[1], "short");
	int err = 0;

	for (unsigned int i = 0; i < 2 * ARRAY_SIZE(tunes) && !err; i++) {
		struct matrix m = { .tune = tunes[i / 2], .few = few };
		struct job_cfg cfg = { .ranks = 7,
				       .machines = 3,
				       .sockets = 2,
				       .mapping = JOB_UNEVEN,
				       .seed = 1 + i };

		if (i % 2)
			cfg = (struct job_cfg){ .ranks = 6,
						.machines = 2,
						.nics = 2,
						.mapping = JOB_ROUND_ROBIN,
						.seed = 1 + i,
						.max_inline = 16,
						.queue_depth = 4 };
		if ((few && i % 2) || (argc > 2 && strcmp(m.tune, argv[2])))
			continue;
		m.whole = !few && i % 4 == 0;
		err = run(m, cfg);
	}
	return err ? EXIT_FAILURE : EXIT_SUCCESS;
}
