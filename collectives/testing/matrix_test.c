// SPDX-License-Identifier: BSD-2-Clause
/*
 * The matrix: all operations with all types, reductions and lengths, called in all forms, on
 * communicators of several shapes, by each way, with results computed independently. Whether an
 * operation is offloaded, and the reason if not, is compared for each call, and the library's counts
 * at the end.
 *
 *	matrix_test [all | PART/PARTS | EVERY | short] [TUNE]
 *
 * tries all cases, a part of all cases, or one of EVERY cases, which are chosen by a hash; with TUNE only
 * those of one way. Without arguments it tries one of 24, and by two ways all that are short and blocking.
 * Some ways get a share of a sample. All parts together are all cases: a long run that is interrupted goes
 * on with the part at which it was.
 */
#include <stdlib.h>
#include <string.h>

#include "alu/alu.h"
#include "core/core.h"
#include "testing/operation.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define SHORT 600 /* one of so many cases is tried with sanitizers */

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

enum length {
	EMPTY,
	ONE,
	ODD,
	SEVERAL, /* packets, and pieces of most ways */
	MANY,	 /* pieces of all ways; of few pairs of type and reduction */
	NUM_LENGTHS,
};

/* How the operation is called. */
enum form {
	BLOCKING,
	FLYING,	    /* two requests, tested until they have ended */
	PERSISTENT, /* one request, posted three times */
	ALONE,	    /* TALLYCOLL_F_ALONE: nobody calls the library until the NIC must have ended */
	NUM_FORMS,
};

static const char *const form_name[] = { "blocking", "flying", "persistent", "alone" };

/* A communicator. */
struct shape {
	const char *name;
	struct job_seat *seat;
	struct tallycoll_team *team;
	uint32_t most_local; /* ranks of a node */
};

#define NUM_SHAPES 7

struct testcase {
	const struct shape *s;
	uint32_t shape;
	enum tally_opcode opcode;
	enum tally_op op;
	enum tally_type dtype;
	enum length length;
	enum form form;
	bool in_place, other_root;
};

/* What a rank has tried, and what has been offloaded of each operation. */
struct tried {
	uint64_t cases[TALLYCOLL_NUM_REASONS];
	uint64_t calls[TC_NUM_OPCODES][TALLYCOLL_NUM_REASONS];
	uint64_t of_shape[NUM_SHAPES][2]; /* offloaded, not */
	uint32_t types[TC_NUM_OPCODES], ops[TC_NUM_OPCODES], lengths[TC_NUM_OPCODES];
	uint32_t forms[TC_NUM_OPCODES], shapes[TC_NUM_OPCODES], places[TC_NUM_OPCODES];
};

struct matrix {
	const char *tune; /* TALLY_COLL_TUNE */
	uint32_t every;
	uint32_t part, parts;	  /* of all cases; 0: a sample */
	bool all_short;		  /* of those that block */
	bool varied;		  /* every kind of case must have occurred */
	enum tally_opcode only;	  /* 0: all operations */
	struct tried tried[16];	  /* of each rank */
	_Atomic uint32_t arrived; /* at a barrier */
};

/* ---- What the library should do ---- */
static bool goes_direct(const struct matrix *m, const struct shape *s)
{
	return s->most_local == 1 || !*m->tune || !strcmp(m->tune, "all=nic") ||
	       !strcmp(m->tune, "all=direct");
}

static enum tallycoll_reason expected(const struct matrix *m, const struct shape *s,
				      const struct operation *o)
{
	uint64_t bytes = o->count * operation_elem(o->op, o->dtype);

	if (o->size == 1)
		return TALLYCOLL_REASON_ONE_RANK;
	if (!o->count && o->opcode != TALLY_OPCODE_BARRIER)
		return TALLYCOLL_REASON_EMPTY;
	if (operation_reduces(o->opcode) && !o->dtype)
		return TALLYCOLL_REASON_UNSUPPORTED_TYPE;
	if (operation_reduces(o->opcode) && !alu_supported(o->op, o->dtype))
		return TALLYCOLL_REASON_UNSUPPORTED_OP;
	if (operation_has_blocks(o->opcode))
		bytes *= o->size;
	if ((o->flags & TALLYCOLL_F_ALONE) && (!goes_direct(m, s) || bytes > TC_STAGING_MOST / 2))
		return TALLYCOLL_REASON_NOT_ALONE;
	return TALLYCOLL_REASON_NONE;
}

/*
 * Without a rule the library may leave an operation that it could perform to the host, which is faster by
 * its model. What it does must be the same at all ranks.
 */
static int judge(struct job_rank *r, const struct testcase *c, enum tallycoll_reason *want,
		 enum tallycoll_reason got)
{
	const struct matrix *m = job_arg(r);
	const struct tallycoll_oob oob = job_oob(c->s->seat);
	uint8_t mine = got, all[16];

	if (*m->tune)
		return got == *want ? 0 : -1;
	if (got == TALLYCOLL_REASON_SLOWER && (!*want || *want == TALLYCOLL_REASON_NOT_ALONE))
		*want = got;
	if (got != *want || oob.allgather(oob.arg, &mine, all, 1))
		return -1;
	for (uint32_t k = 0; k < oob.size; k++)
		if (all[k] != mine)
			return -1;
	return 0;
}

static uint32_t index_of_type(enum tally_type dtype)
{
	uint32_t i = 0;

	while (types[i] != dtype)
		i++;
	return i;
}

static void note(struct job_rank *r, const struct testcase *c, enum tallycoll_reason reason,
		 uint32_t calls)
{
	struct tried *t = &((struct matrix *)job_arg(r))->tried[r->rank];

	t->cases[reason]++;
	t->calls[c->opcode][reason] += calls;
	t->of_shape[c->shape][reason != TALLYCOLL_REASON_NONE] += calls;
	if (reason)
		return;
	t->types[c->opcode] |= 1u << index_of_type(c->dtype);
	t->ops[c->opcode] |= 1u << c->op;
	t->lengths[c->opcode] |= 1u << c->length;
	t->forms[c->opcode] |= 1u << c->form;
	t->shapes[c->opcode] |= 1u << c->shape;
	t->places[c->opcode] |= 1u << (c->in_place + 2 * c->other_root);
}

/* ---- A case ---- */
static uint64_t count_of(const struct testcase *c)
{
	static const uint64_t bytes[] = { [SEVERAL] = 70001, [MANY] = 300001 };
	const uint32_t elem = operation_elem(c->op, c->dtype);
	uint64_t count;

	if (c->length <= ONE)
		return c->length;
	if (c->length == ODD)
		return 37;
	count = bytes[c->length] / elem;
	if (c->length == SEVERAL && count > 20011)
		count = 20011;
	return operation_has_blocks(c->opcode) ? count / job_seat_size(c->s->seat) : count;
}

static struct operation operation_of(struct job_rank *r, const struct testcase *c, uint32_t salt)
{
	const uint32_t size = job_seat_size(c->s->seat);

	return (struct operation){
		.r = r,
		.team = c->s->team,
		.rank = job_seat_rank(c->s->seat),
		.size = size,
		.opcode = c->opcode,
		.op = c->op,
		.dtype = c->dtype,
		.count = c->opcode == TALLY_OPCODE_BARRIER ? 0 : count_of(c),
		.root = c->other_root ? salt % size : size - 1,
		.in_place = c->in_place,
		.flags = c->form == ALONE ? TALLYCOLL_F_ALONE :
			 c->form == BLOCKING ? TALLYCOLL_F_BLOCKING : 0,
		.salt = salt,
	};
}

static int fly(struct job_rank *r, struct operation *o)
{
	bool ended[2] = { false, false };

	if (operation_post(&o[0]) || operation_post(&o[1]))
		return -1;
	for (uint32_t k = r->rank; !ended[0] || !ended[1]; k++) {
		int done = ended[k % 2] ? 0 : operation_test(&o[k % 2]);

		if (done < 0)
			return -1;
		ended[k % 2] |= done;
		if (k % 2)
			job_pause(r);
	}
	return operation_check(&o[0]) || operation_check(&o[1]) ? -1 : 0;
}

static int persist(struct operation *o)
{
	for (int k = 0; k < 3; k++) {
		if (operation_post(o) || operation_wait(o) || operation_check(o))
			return -1;
		o->salt += 7;
	}
	return 0;
}

/* All have posted, and the NICs had the time: one look must find the end. */
static int leave_alone(struct job_rank *r, const struct shape *s, struct operation *o)
{
	int done;

	if (operation_post(o) || job_barrier(s->seat))
		return -1;
	job_settle(r);
	done = operation_test(o);
	if (done == 0)
		return JOB_FAIL(r, "%s: the NIC did not end opcode %u, %llu elements of type %#x, alone",
				s->name, o->opcode, (unsigned long long)o->count, o->dtype);
	return done < 0 || operation_check(o) ? -1 : 0;
}

static int run_form(struct job_rank *r, const struct testcase *c, struct operation *o)
{
	switch (c->form) {
	case FLYING:
		return fly(r, o);
	case PERSISTENT:
		return persist(o);
	case ALONE:
		return leave_alone(r, c->s, o);
	default:
		return operation_post(o) || operation_wait(o) || operation_check(o) ? -1 : 0;
	}
}

static int fail(struct job_rank *r, const struct testcase *c, enum tallycoll_reason got,
		enum tallycoll_reason want)
{
	const struct matrix *m = job_arg(r);

	return JOB_FAIL(r, "%s, %s, tune \"%s\": opcode %u, op %u, type %#x, length %u: %s, not %s",
			c->s->name, form_name[c->form], m->tune, c->opcode, c->op, c->dtype,
			c->length, tallycoll_reason_name(got), tallycoll_reason_name(want));
}

static int try(struct job_rank *r, const struct testcase *c, uint32_t salt)
{
	const uint32_t num = c->form == FLYING ? 2 : 1;
	struct operation o[2] = { operation_of(r, c, salt), operation_of(r, c, salt + 1) };
	enum tallycoll_reason want = expected(job_arg(r), c->s, &o[0]);

	for (uint32_t k = 0; k < num; k++) {
		if (operation_init(&o[k]))
			return fail(r, c, o[k].reason, want);
		if (judge(r, c, &want, o[k].reason) ||
		    !o[k].request != (want != TALLYCOLL_REASON_NONE))
			return fail(r, c, o[k].reason, want);
	}
	if (!want && run_form(r, c, o))
		return fail(r, c, want, want);
	for (uint32_t k = 0; k < num; k++)
		operation_free(&o[k]);
	note(r, c, want, num);
	return 0;
}

/* ---- Cases ---- */
static uint32_t mix(uint32_t a, uint32_t b)
{
	uint32_t z = (a ^ b) * 0x9e3779b1;

	return (z ^ z >> 15) * 0x85ebca6b;
}

static uint32_t hash_of(const struct testcase *c)
{
	uint32_t z = mix(c->shape + 1, c->opcode);

	z = mix(z, c->op << 8 | c->dtype);
	z = mix(z, c->length << 8 | c->form);
	z = mix(z, c->in_place << 1 | c->other_root);
	return z ^ z >> 16;
}

/* Cases that exist. Those of many pieces are few, also if all cases are tried. */
static bool exists(const struct testcase *c)
{
	const bool few = (c->op == TALLY_OP_NONE || c->op == TALLY_OP_SUM) &&
			 (c->dtype == TALLY_TYPE_INT32 || c->dtype == TALLY_TYPE_INT8);
	const bool pairs = c->opcode == TALLY_OPCODE_ALLREDUCE && c->op == TALLY_OP_MINLOC &&
			   c->dtype == TALLY_TYPE_FP64;

	if (!operation_elem(c->op, c->dtype) || (c->other_root && !operation_rooted(c->opcode)) ||
	    (c->in_place && c->opcode == TALLY_OPCODE_BCAST))
		return false;
	return c->length < MANY || few || pairs;
}

/* In a sample, kinds of cases of which there are many get a smaller share. */
static bool is_chosen(const struct matrix *m, const struct testcase *c, uint32_t hash)
{
	uint64_t every = m->every;

	if (m->parts)
		return hash % m->parts == m->part;
	if (m->all_short && c->form == BLOCKING && c->length <= ODD)
		return true;
	if (every > 1 && c->op)
		every *= 6;
	if (every > 1 && c->length == SEVERAL)
		every *= 2;
	if (c->length == SEVERAL && c->op && every < 4)
		every = 4;
	if (c->length == MANY)
		every = every > 3 ? every / 3 : 1;
	return hash % every == 0;
}

static int try_forms(struct job_rank *r, struct testcase *c)
{
	for (c->length = EMPTY; c->length < NUM_LENGTHS; c->length++)
		for (c->form = BLOCKING; c->form < NUM_FORMS; c->form++)
			for (unsigned int k = 0; k < 4; k++) {
				uint32_t hash;

				c->in_place = k % 2;
				c->other_root = k / 2;
				hash = hash_of(c);
				if (exists(c) && is_chosen(job_arg(r), c, hash) &&
				    try(r, c, hash >> 8))
					return -1;
			}
	return 0;
}

/* No rank leaves a barrier before all have come. */
static int try_barriers(struct job_rank *r, struct testcase *c)
{
	struct matrix *m = job_arg(r);

	m->arrived = 0;
	if (job_barrier(c->s->seat))
		return -1;
	c->opcode = TALLY_OPCODE_BARRIER;
	for (uint32_t k = 1; k <= 5; k++)
		for (c->form = BLOCKING; c->form < ALONE; c->form++) {
			uint32_t come = (k - 1) * ALONE + c->form + 1;

			++m->arrived;
			if (try(r, c, k))
				return -1;
			if (job_seat_size(c->s->seat) == r->size)
				JOB_CHECK(r, m->arrived >= come * r->size);
		}
	return try(r, c, 0);
}

/*
 * Requests that have ended without a completion occupy their queue until another one's is polled. An
 * operation that the NIC is to end alone must not wait for that, also if the queue is short.
 */
static int try_full_queue(struct job_rank *r, struct testcase *c)
{
	c->opcode = TALLY_OPCODE_ALLGATHER;
	c->op = TALLY_OP_NONE;
	c->dtype = TALLY_TYPE_INT64;
	for (uint32_t k = 0; k < 9; k++) {
		c->length = ODD + k / 3;
		c->form = k % 3;
		if (try(r, c, k))
			return -1;
		c->length = SEVERAL;
		c->form = ALONE;
		if (try(r, c, k))
			return -1;
	}
	return 0;
}

static int try_shape(struct job_rank *r, const struct shape *s, uint32_t number)
{
	const struct matrix *m = job_arg(r);
	struct testcase c = { .s = s, .shape = number };

	if (!s->seat)
		return 0;
	if (!m->part && try_barriers(r, &c))
		return -1;
	/* Of the communicators one is enough, and short runs are for what sanitizers see. */
	if (!m->part && !number && m->every < SHORT && try_full_queue(r, &c))
		return -1;
	for (c.opcode = TALLY_OPCODE_ALLREDUCE; c.opcode <= TALLY_OPCODE_SCATTER; c.opcode++) {
		const bool reduces = operation_reduces(c.opcode);

		if (c.opcode == TALLY_OPCODE_BARRIER || (m->only && c.opcode != m->only))
			continue;
		for (unsigned int k = 0; k < ARRAY_SIZE(types); k++)
			for (unsigned int i = 0; i < (reduces ? ARRAY_SIZE(reductions) : 1); i++) {
				c.dtype = types[k];
				c.op = reduces ? reductions[i] : TALLY_OP_NONE;
				if (try_forms(r, &c))
					return -1;
			}
	}
	return 0;
}

/* ---- Communicators ---- */
static int new_shape(struct job_rank *r, struct shape *s, const char *name, int color, int key)
{
	uint32_t num[64] = { 0 };

	s->name = name;
	s->seat = job_split(r, r->world, color, key);
	if (job_failed(r))
		return -1;
	if (!s->seat)
		return 0;
	for (uint32_t k = 0; k < job_seat_size(s->seat); k++) {
		uint32_t nic = job_nic(r, job_seat_world(s->seat, k));

		if (++num[nic] > s->most_local)
			s->most_local = num[nic];
	}
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

/* ---- What has been tried ---- */
/* The library has counted the same calls, with the same reasons. */
static int check_counts(struct job_rank *r)
{
	const struct tried *t = &((struct matrix *)job_arg(r))->tried[r->rank];

	for (uint32_t op = 1; op < TC_NUM_OPCODES; op++)
		for (uint32_t k = 0; k < TALLYCOLL_NUM_REASONS; k++)
			if (r->context->count[op][k] != t->calls[op][k])
				return JOB_FAIL(r, "opcode %u: %s counted %llu times, not %llu", op,
						tallycoll_reason_name(k),
						(unsigned long long)r->context->count[op][k],
						(unsigned long long)t->calls[op][k]);
	return 0;
}

/* Rank 0, which is in all communicators, has offloaded each operation with everything that exists. */
static int check_variety(struct job_rank *r)
{
	const struct matrix *m = job_arg(r);
	const struct tried *t = &m->tried[0];
	const uint32_t all_types = (1u << ARRAY_SIZE(types)) - 1;

	for (uint32_t op = 1; op < TC_NUM_OPCODES && m->varied; op++) {
		const bool reduces = operation_reduces(op);
		uint32_t places = op == TALLY_OPCODE_BCAST ? 5 : operation_rooted(op) ? 15 : 3;
		/* "self" offloads nothing, nor does "one node" if rank 0 is alone on its own. */
		uint32_t shapes = 1 << 0 | 1 << 2 | 1 << 3 | 1 << 4 | 1 << 6;
		uint32_t ops = 0;

		if (op == TALLY_OPCODE_BARRIER)
			continue;
		for (uint32_t i = 0; reduces && i < ARRAY_SIZE(reductions); i++)
			ops |= 1u << reductions[i];
		if (t->types[op] != (reduces ? all_types & ~1u : all_types) ||
		    t->ops[op] != (reduces ? ops : 1u << TALLY_OP_NONE) ||
		    t->places[op] != places || t->lengths[op] != (1u << NUM_LENGTHS) - 2 ||
		    t->forms[op] != (1u << NUM_FORMS) - 1 || (t->shapes[op] & shapes) != shapes)
			return JOB_FAIL(
				r,
				"opcode %u, tried: types %#x, ops %#x, placements %#x, lengths %#x, forms %#x, shapes %#x",
				op, t->types[op], t->ops[op], t->places[op], t->lengths[op],
				t->forms[op], t->shapes[op]);
	}
	return 0;
}

static void print_shares(const struct job_rank *r, const struct shape *s)
{
	const struct tried *t = &((struct matrix *)job_arg(r))->tried[r->rank];

	for (uint32_t k = 0; k < NUM_SHAPES; k++)
		printf("%-20s %6llu offloaded, %6llu not\n", s[k].name,
		       (unsigned long long)t->of_shape[k][0],
		       (unsigned long long)t->of_shape[k][1]);
	tallycoll_context_summary(r->context, stdout);
}

static uint64_t sum_of(const uint64_t cases[TALLYCOLL_NUM_REASONS])
{
	uint64_t sum = 0;

	for (uint32_t k = 0; k < TALLYCOLL_NUM_REASONS; k++)
		sum += cases[k];
	return sum;
}

/* Where a long run is. */
static void print_progress(const struct job_rank *r, const struct shape *s)
{
	const struct matrix *m = job_arg(r);

	if (r->rank || !m->parts)
		return;
	printf("  %-20s done, %llu cases so far\n", s->name,
	       (unsigned long long)sum_of(m->tried[0].cases));
	fflush(stdout);
}

static int rank_main(struct job_rank *r)
{
	struct shape s[NUM_SHAPES] = { 0 };

	JOB_CHECK(r, r->created == TALLYCOLL_OK);
	if (make_shapes(r, s))
		return -1;
	for (unsigned int i = 0; i < NUM_SHAPES; i++) {
		if (try_shape(r, &s[i], i) || job_barrier(r->world))
			return -1;
		print_progress(r, &s[i]);
	}
	for (unsigned int i = 0; i < NUM_SHAPES; i++)
		if (s[i].team)
			tallycoll_team_destroy(s[i].team);
	if (!r->rank)
		print_shares(r, s);
	return check_counts(r) || (!r->rank && check_variety(r)) ? -1 : 0;
}

/* ---- Jobs ---- */
static const struct job_cfg jobs[] = {
	{ .ranks = 7, .machines = 3, .sockets = 2, .mapping = JOB_UNEVEN },
	{ .ranks = 6,
	  .machines = 2,
	  .nics = 2,
	  .mapping = JOB_ROUND_ROBIN,
	  .max_inline = 16,
	  .queue_depth = 4 },
	/* No rank is alone on its node, so ways that scatter between nodes can do so. */
	{ .ranks = 6, .machines = 3, .mapping = JOB_ROUND_ROBIN },
};

/* Rules, and the jobs that use them. One of @share cases of a sample is tried. */
static const struct {
	const char *tune;
	enum tally_opcode only;
	uint32_t share, job[2];
} ways[] = {
	{ "all=nic", 0, 1, { 0, 1 } },
	{ "all=direct", 0, 2, { 0, 1 } },
	{ "all=node", 0, 3, { 0, 1 } },
	{ "all=fixed", 0, 3, { 0, 1 } },
	{ "all=socket", 0, 3, { 0, 1 } },
	{ "", 0, 6, { 0, 1 } },
	{ "all=cp-bt", TALLY_OPCODE_BCAST, 2, { 0, 2 } },
	{ "all=p-bt", TALLY_OPCODE_BCAST, 2, { 0, 2 } },
	{ "all=cp-rdaas", TALLY_OPCODE_BCAST, 2, { 0, 2 } },
	{ "all=p-rdaas", TALLY_OPCODE_BCAST, 2, { 0, 2 } },
	{ "all=cp-ringaas", TALLY_OPCODE_BCAST, 2, { 0, 2 } },
	{ "all=p-ringaas", TALLY_OPCODE_BCAST, 2, { 0, 2 } },
};

static void print_cases(const char *what, const uint64_t cases[TALLYCOLL_NUM_REASONS])
{
	const uint64_t sum = sum_of(cases);

	printf("%s: %llu cases, %llu offloaded (%.1f%%)", what, (unsigned long long)sum,
	       (unsigned long long)cases[0], sum ? 100.0 * cases[0] / sum : 0);
	for (uint32_t k = 1; k < TALLYCOLL_NUM_REASONS; k++)
		if (cases[k])
			printf(", %s %llu", tallycoll_reason_name(k), (unsigned long long)cases[k]);
	putchar('\n');
}

/* Of all jobs, as rank 0 counts them, which is in all communicators. */
static uint64_t all_cases[TALLYCOLL_NUM_REASONS];

static int run(const struct matrix *kind, struct job_cfg cfg)
{
	struct matrix *m = calloc(1, sizeof(*m));
	int err;

	*m = *kind;
	printf("%u ranks, %u machines, tune \"%s\", ", cfg.ranks, cfg.machines, m->tune);
	if (m->parts)
		printf("part %u of %u\n", m->part + 1, m->parts);
	else
		printf("one of %u cases\n", m->every);
	setenv("TALLY_COLL_TUNE", m->tune, true);
	err = job_run(&cfg, rank_main, m);
	print_cases("this job", m->tried[0].cases);
	for (uint32_t k = 0; k < TALLYCOLL_NUM_REASONS; k++)
		all_cases[k] += m->tried[0].cases[k];
	fflush(stdout);
	free(m);
	return err;
}

/* A run of the program. */
struct choice {
	uint32_t every;
	uint32_t part, parts;
	bool all_short;
};

static int run_way(uint32_t i, const struct choice *c)
{
	for (uint32_t k = 0; k < ARRAY_SIZE(ways[i].job); k++) {
		const struct matrix m = {
			.tune = ways[i].tune,
			.only = ways[i].only,
			.every = ways[i].share * c->every,
			.part = c->part,
			.parts = c->parts,
			.all_short = c->all_short && i % 2 == 0 && i < 4 && k == 0,
			.varied = i == 0 && (c->parts ? c->parts == 1 : c->every <= 24),
		};
		struct job_cfg cfg = jobs[ways[i].job[k]];

		cfg.seed = 1 + i * 2 + k;
		if (run(&m, cfg))
			return -1;
	}
	return 0;
}

static int read_choice(struct choice *c, const char *what)
{
	*c = (struct choice){ .every = 24, .all_short = !what };
	if (!what)
		return 0;
	if (!strcmp(what, "all")) {
		c->parts = 1;
	} else if (!strcmp(what, "short")) {
		c->every = SHORT;
	} else if (strchr(what, '/')) {
		c->part = atoi(what) - 1;
		c->parts = atoi(strchr(what, '/') + 1);
		return c->part < c->parts ? 0 : -1;
	} else {
		c->every = atoi(what);
		c->parts = c->every == 1;
	}
	return c->every ? 0 : -1;
}

int main(int argc, char **argv)
{
	struct choice c;

	if (read_choice(&c, argc > 1 ? argv[1] : NULL)) {
		fprintf(stderr, "usage: %s [all | PART/PARTS | EVERY | short] [TUNE]\n", argv[0]);
		return 2;
	}
	for (uint32_t i = 0; i < ARRAY_SIZE(ways); i++) {
		if (argc > 2 && strcmp(ways[i].tune, argv[2]))
			continue;
		if (run_way(i, &c))
			return EXIT_FAILURE;
	}
	print_cases("all jobs", all_cases);
	return EXIT_SUCCESS;
}
