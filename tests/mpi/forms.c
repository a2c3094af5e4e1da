// SPDX-License-Identifier: BSD-2-Clause
/*
 * Collectives of MPI in all their forms against results computed here: all operations and types, blocking,
 * non-blocking and persistent, in place, with layouts that have gaps, on several communicators. It knows of
 * no Tally, so it also runs without. Arguments are names of parts; without any, all run.
 */
#include <complex.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if MPI_VERSION >= 4
#define PERSISTENT(name) MPI_##name##_init
#elif defined(OPEN_MPI)
#include <mpi-ext.h>
#ifdef OMPI_HAVE_MPI_EXT_PCOLLREQ
#define PERSISTENT(name) MPIX_##name##_init
#endif
#endif

#define NUM_OF(table) (sizeof(table) / sizeof((table)[0]))
#define MOST_REPORTS 10

static unsigned long checks, failures;
static MPI_Comm comm;
static int rank, size;

static void check(bool good, const char *format, ...)
{
	va_list arguments;

	checks++;
	if (good || failures++ >= MOST_REPORTS)
		return;
	printf("rank %d of %d: ", rank, size);
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	putchar('\n');
	fflush(stdout);
}

static void use(MPI_Comm next)
{
	comm = next;
	MPI_Comm_rank(comm, &rank);
	MPI_Comm_size(comm, &size);
}

static uint32_t mix(uint32_t x)
{
	x = (x ^ x >> 16) * 0x7feb352d;
	x = (x ^ x >> 15) * 0x846ca68b;
	return x ^ x >> 16;
}

static void *room(size_t bytes)
{
	void *memory = malloc(bytes ? bytes : 1);

	if (!memory)
		MPI_Abort(MPI_COMM_WORLD, 1);
	return memory;
}

/* ---- Calls ---- */
enum coll {
	ALLREDUCE,
	REDUCE,
	REDUCE_SCATTER,
	REDUCE_SCATTER_BLOCK,
	BCAST,
	BARRIER,
	ALLGATHER,
	GATHER,
	SCATTER,
	NUM_COLLS,
};

static const char *const coll_names[NUM_COLLS] = {
	"allreduce", "reduce",	  "reduce_scatter", "reduce_scatter_block", "bcast",
	"barrier",   "allgather", "gather",	    "scatter",
};

enum form {
	BLOCKING,
	NONBLOCKING,
#ifdef PERSISTENT
	REPEATED,
#endif
	NUM_FORMS,
};

static const char *const form_names[] = { "blocking", "non-blocking", "persistent" };

struct call {
	enum coll coll;
	enum form form;
	const void *send;
	int num_send;
	MPI_Datatype send_type;
	void *recv;
	int num_recv;	/* also the count of reductions */
	MPI_Datatype recv_type;
	const int *counts;	/* of REDUCE_SCATTER */
	MPI_Op op;
	int root;
	MPI_Request request;
};

#ifdef PERSISTENT
#define CASE_REPEATED(name, ...)                                                  \
	case REPEATED:                                                            \
		PERSISTENT(name)(__VA_ARGS__, comm, MPI_INFO_NULL, &c->request);  \
		break;
#else
#define CASE_REPEATED(name, ...)
#endif

#define CALL(name, iname, ...)                                   \
	do {                                                     \
		switch (c->form) {                               \
		case BLOCKING:                                   \
			MPI_##name(__VA_ARGS__, comm);           \
			break;                                   \
		case NONBLOCKING:                                \
			MPI_##iname(__VA_ARGS__, comm, &c->request); \
			break;                                   \
		CASE_REPEATED(name, __VA_ARGS__)                 \
		default:                                         \
			break;                                   \
		}                                                \
	} while (0)

static void init_barrier(struct call *c)
{
	if (c->form == BLOCKING)
		MPI_Barrier(comm);
	else if (c->form == NONBLOCKING)
		MPI_Ibarrier(comm, &c->request);
#ifdef PERSISTENT
	else
		PERSISTENT(Barrier)(comm, MPI_INFO_NULL, &c->request);
#endif
}

/* Performs a blocking call, begins a non-blocking one, makes a persistent one. */
static void init(struct call *c)
{
#define BLOCKS c->send, c->num_send, c->send_type, c->recv, c->num_recv, c->recv_type
#define VECTORS c->send, c->recv, c->num_recv, c->recv_type, c->op

	c->request = MPI_REQUEST_NULL;
	switch (c->coll) {
	case ALLREDUCE:
		CALL(Allreduce, Iallreduce, VECTORS);
		break;
	case REDUCE:
		CALL(Reduce, Ireduce, VECTORS, c->root);
		break;
	case REDUCE_SCATTER:
		CALL(Reduce_scatter, Ireduce_scatter, c->send, c->recv, c->counts, c->recv_type,
		     c->op);
		break;
	case REDUCE_SCATTER_BLOCK:
		CALL(Reduce_scatter_block, Ireduce_scatter_block, VECTORS);
		break;
	case BCAST:
		CALL(Bcast, Ibcast, c->recv, c->num_recv, c->recv_type, c->root);
		break;
	case ALLGATHER:
		CALL(Allgather, Iallgather, BLOCKS);
		break;
	case GATHER:
		CALL(Gather, Igather, BLOCKS, c->root);
		break;
	case SCATTER:
		CALL(Scatter, Iscatter, BLOCKS, c->root);
		break;
	default:
		init_barrier(c);
		break;
	}
}

/* Waits by MPI_Wait() or by MPI_Test(), in turns. */
static void wait_for(struct call *c)
{
	static bool by_test;
	int done = 0;

	by_test = !by_test;
	if (!by_test)
		MPI_Wait(&c->request, MPI_STATUS_IGNORE);
	while (by_test && !done)
		MPI_Test(&c->request, &done, MPI_STATUS_IGNORE);
}

/*
 * A case fills its buffers before each round and compares them after it. Persistent calls run three
 * rounds, others one.
 */
struct test {
	struct call call;
	void (*fill)(struct test *test, unsigned int round);
	void (*compare)(struct test *test, unsigned int round);
};

/*
 * MPICH 4.0's own persistent allgather, gather and scatter lose data if a type is derived, and crash. Its
 * layer for Tally leaves persistent calls alone.
 */
static bool is_broken(const struct call *c)
{
#ifdef MPICH_VERSION
	return c->form > NONBLOCKING &&
	       (c->coll == ALLGATHER || c->coll == GATHER || c->coll == SCATTER);
#else
	return !c;
#endif
}

static void run(struct test *t)
{
	struct call *c = &t->call;

	if (is_broken(c))
		return;
	if (c->form < 2) {
		t->fill(t, 0);
		init(c);
		if (c->form)
			wait_for(c);
		t->compare(t, 0);
		return;
	}
	init(c);
	for (unsigned int round = 0; round < 3; round++) {
		t->fill(t, round);
		MPI_Start(&c->request);
		wait_for(c);
		t->compare(t, round);
	}
	MPI_Request_free(&c->request);
}

/* ---- Reductions ---- */
enum op {
	SUM,
	PROD,
	MAX,
	MIN,
	LAND,
	LOR,
	LXOR,
	BAND,
	BOR,
	BXOR,
	MINLOC,
	MAXLOC,
	NUM_OPS,
};

static const struct {
	const char *name;
	MPI_Op op;
} ops[NUM_OPS] = {
	{ "SUM", MPI_SUM },   { "PROD", MPI_PROD },	{ "MAX", MPI_MAX },	  { "MIN", MPI_MIN },
	{ "LAND", MPI_LAND }, { "LOR", MPI_LOR },	{ "LXOR", MPI_LXOR },	  { "BAND", MPI_BAND },
	{ "BOR", MPI_BOR },   { "BXOR", MPI_BXOR },	{ "MINLOC", MPI_MINLOC }, { "MAXLOC", MPI_MAXLOC },
};

/* Small enough for any type to be exact, and such that the operations have interesting results. */
static int value(enum op op, uint32_t seed, bool is_signed)
{
	uint32_t x = mix(seed);

	switch (op) {
	case PROD:
		return 1 + (x & 1);
	case LAND:
		return x % 8 ? 1 + x % 3 : 0;
	case LOR:
		return x % 8 ? 0 : 1 + x % 3;
	case LXOR:
		return x & 1;
	case MINLOC:
	case MAXLOC:
		return x % 4;	/* many are equal, so the index decides */
	case BAND:
	case BOR:
	case BXOR:
		return x & 0x7f;
	default:
		return (int)(x % 50) - (is_signed ? 25 : 0);
	}
}

/*
 * Whether an unsigned number is above the greatest signed one. Where an MPI itself computes wrongly with
 * such numbers, none is used: MPICH 4.0 compares them as signed ones, as Open MPI 4.1 does with 64 bits;
 * and with AVX its sums of 8 and 16 bits stop at the greatest number.
 */
static bool is_large(enum op op, uint32_t seed, size_t bytes)
{
	switch (op) {
	case MAX:
	case MIN:
#ifdef MPICH_VERSION
		return false;
#endif
		return bytes < 8 && mix(seed + 3) & 1;
	case SUM:
		return bytes > 2 && mix(seed + 3) & 1;
	case BAND:
	case BOR:
	case BXOR:
		return mix(seed + 3) & 1;
	default:
		return false;
	}
}

#define EACH(expression)                     \
	do {                                 \
		for (size_t i = 0; i < n; i++) \
			a[i] = (expression); \
	} while (0)

#define ARITHMETIC                                     \
	case SUM:                                      \
		EACH(a[i] + b[i]);                     \
		break;                                 \
	case PROD:                                     \
		EACH(a[i] * b[i]);                     \
		break;                                 \
	case MAX:                                      \
		EACH(a[i] > b[i] ? a[i] : b[i]);       \
		break;                                 \
	case MIN:                                      \
		EACH(a[i] < b[i] ? a[i] : b[i]);       \
		break;

#define LOGICAL                                \
	case LAND:                             \
		EACH(a[i] && b[i]);            \
		break;                         \
	case LOR:                              \
		EACH(a[i] || b[i]);            \
		break;                         \
	case LXOR:                             \
		EACH(!a[i] != !b[i]);          \
		break;                         \
	case BAND:                             \
		EACH(a[i] & b[i]);             \
		break;                         \
	case BOR:                              \
		EACH(a[i] | b[i]);             \
		break;                         \
	case BXOR:                             \
		EACH(a[i] ^ b[i]);             \
		break;

#define NUMBER(name, type, cases)                                                        \
	static void fill_##name(void *to, size_t n, enum op op, uint32_t seed)           \
	{                                                                                \
		const bool is_signed = (type)-1 < (type)1;                               \
		const type half = is_signed ? 0 : (type)-1 / 2 + 1;                      \
		type *a = to;                                                            \
                                                                                         \
		EACH((type)value(op, seed + i, is_signed) +                              \
		     (is_large(op, seed + i, sizeof(type)) ? half : 0));                 \
	}                                                                                \
	static void fold_##name(void *into, const void *from, size_t n, enum op op)      \
	{                                                                                \
		const type *b = from;                                                    \
		type *a = into;                                                          \
                                                                                         \
		switch (op) {                                                            \
			cases                                                            \
		default:                                                                 \
			break;                                                           \
		}                                                                        \
	}

NUMBER(i8, int8_t, ARITHMETIC LOGICAL)
NUMBER(i16, int16_t, ARITHMETIC LOGICAL)
NUMBER(i32, int32_t, ARITHMETIC LOGICAL)
NUMBER(i64, int64_t, ARITHMETIC LOGICAL)
NUMBER(u8, uint8_t, ARITHMETIC LOGICAL)
NUMBER(u16, uint16_t, ARITHMETIC LOGICAL)
NUMBER(u32, uint32_t, ARITHMETIC LOGICAL)
NUMBER(u64, uint64_t, ARITHMETIC LOGICAL)
NUMBER(f32, float, ARITHMETIC)
NUMBER(f64, double, ARITHMETIC)
NUMBER(f128, long double, ARITHMETIC)

#define COMPLEX(name, type)                                                              \
	static void fill_##name(void *to, size_t n, enum op op, uint32_t seed)           \
	{                                                                                \
		type *a = to;                                                            \
                                                                                         \
		/* No product has a zero in one part, whose sign would depend on the order. */   \
		EACH(mix(seed + i + 7) % 2 ? 2 + I : value(op, seed + i, false));        \
	}                                                                                \
	static void fold_##name(void *into, const void *from, size_t n, enum op op)      \
	{                                                                                \
		const type *b = from;                                                    \
		type *a = into;                                                          \
                                                                                         \
		EACH(op == PROD ? a[i] * b[i] : a[i] + b[i]);                            \
	}

COMPLEX(c32, float complex)
COMPLEX(c64, double complex)

/* C's bool has two values, so it is filled with them. */
static void fill_bool(void *to, size_t n, enum op op, uint32_t seed)
{
	bool *a = to;

	EACH(value(op, seed + i, false) != 0);
}

#define PAIR(name, type)                                                                 \
	struct name {                                                                    \
		type value;                                                              \
		int index;                                                               \
	};                                                                               \
	static void fill_##name(void *to, size_t n, enum op op, uint32_t seed)           \
	{                                                                                \
		struct name *a = to;                                                     \
                                                                                         \
		for (size_t i = 0; i < n; i++) {                                         \
			a[i].value = value(op, seed + i, true);                          \
			a[i].index = mix(seed + i + 99) % 1000;                          \
		}                                                                        \
	}                                                                                \
	static void fold_##name(void *into, const void *from, size_t n, enum op op)      \
	{                                                                                \
		const struct name *b = from;                                             \
		struct name *a = into;                                                   \
                                                                                         \
		for (size_t i = 0; i < n; i++) {                                         \
			bool better = op == MINLOC ? b[i].value < a[i].value :           \
						     b[i].value > a[i].value;            \
			if (better ||                                                    \
			    (b[i].value == a[i].value && b[i].index < a[i].index)) {     \
				a[i].value = b[i].value;                                 \
				a[i].index = b[i].index;                                 \
			}                                                                \
		}                                                                        \
	}

PAIR(pair_i16, short)
PAIR(pair_i32, int)
PAIR(pair_i64, long)
PAIR(pair_f32, float)
PAIR(pair_f64, double)

#define ALGEBRA (1 << SUM | 1 << PROD | 1 << MAX | 1 << MIN)
#define LOGIC (1 << LAND | 1 << LOR | 1 << LXOR)
#define BITS (1 << BAND | 1 << BOR | 1 << BXOR)
#define PLACE (1 << MINLOC | 1 << MAXLOC)

struct type {
	const char *name;
	MPI_Datatype type;
	size_t bytes;
	void (*fill)(void *to, size_t n, enum op op, uint32_t seed);
	void (*fold)(void *into, const void *from, size_t n, enum op op);
	unsigned int ops;
};

#define TYPE(mpi, c, functions, ops) \
	{ #mpi, mpi, sizeof(c), fill_##functions, fold_##functions, ops }

static const struct type types[] = {
	TYPE(MPI_SIGNED_CHAR, int8_t, i8, ALGEBRA | LOGIC | BITS),
	TYPE(MPI_SHORT, int16_t, i16, ALGEBRA | LOGIC | BITS),
	TYPE(MPI_INT, int32_t, i32, ALGEBRA | LOGIC | BITS),
	TYPE(MPI_LONG, int64_t, i64, ALGEBRA | LOGIC | BITS),
	TYPE(MPI_LONG_LONG, int64_t, i64, ALGEBRA | LOGIC | BITS),
	TYPE(MPI_UNSIGNED_CHAR, uint8_t, u8, ALGEBRA | LOGIC | BITS),
	TYPE(MPI_UNSIGNED_SHORT, uint16_t, u16, ALGEBRA | LOGIC | BITS),
	TYPE(MPI_UNSIGNED, uint32_t, u32, ALGEBRA | LOGIC | BITS),
	TYPE(MPI_UNSIGNED_LONG, uint64_t, u64, ALGEBRA | LOGIC | BITS),
	TYPE(MPI_INT8_T, int8_t, i8, ALGEBRA),
	TYPE(MPI_INT16_T, int16_t, i16, ALGEBRA),
	TYPE(MPI_INT32_T, int32_t, i32, ALGEBRA),
	TYPE(MPI_INT64_T, int64_t, i64, ALGEBRA),
	TYPE(MPI_UINT8_T, uint8_t, u8, BITS),
	TYPE(MPI_UINT16_T, uint16_t, u16, BITS),
	TYPE(MPI_UINT32_T, uint32_t, u32, BITS),
	TYPE(MPI_UINT64_T, uint64_t, u64, BITS),
	TYPE(MPI_AINT, int64_t, i64, ALGEBRA),
	TYPE(MPI_COUNT, int64_t, i64, ALGEBRA),
	TYPE(MPI_FLOAT, float, f32, ALGEBRA),
	TYPE(MPI_DOUBLE, double, f64, ALGEBRA),
	TYPE(MPI_C_FLOAT_COMPLEX, float complex, c32, 1 << SUM | 1 << PROD),
	TYPE(MPI_C_DOUBLE_COMPLEX, double complex, c64, 1 << SUM | 1 << PROD),
	TYPE(MPI_BYTE, uint8_t, u8, BITS),
	{ "MPI_C_BOOL", MPI_C_BOOL, sizeof(bool), fill_bool, fold_u8, LOGIC },
	TYPE(MPI_SHORT_INT, struct pair_i16, pair_i16, PLACE),
	TYPE(MPI_2INT, struct pair_i32, pair_i32, PLACE),
	TYPE(MPI_LONG_INT, struct pair_i64, pair_i64, PLACE),
	TYPE(MPI_FLOAT_INT, struct pair_f32, pair_f32, PLACE),
	TYPE(MPI_DOUBLE_INT, struct pair_f64, pair_f64, PLACE),
	/* No NIC has it. */
	TYPE(MPI_LONG_DOUBLE, long double, f128, ALGEBRA),
};

struct reduction {
	struct test test;
	const struct type *type;
	enum op op;
	bool in_place;
	size_t count, all;	/* elements of the result, and of each rank's data */
	void *send, *recv, *expected;
	int *counts;
};

static uint32_t seed_of(int of_rank, unsigned int round)
{
	return mix(of_rank * 1000 + round) + 17 * size;
}

static bool gets_result(const struct reduction *r)
{
	return r->test.call.coll != REDUCE || r->test.call.root == rank;
}

static void fill_reduction(struct test *test, unsigned int round)
{
	struct reduction *r = (struct reduction *)test;
	const struct type *t = r->type;
	size_t n = r->all, bytes = r->all * t->bytes;
	uint8_t *other = calloc(1, bytes);

	/* Pairs have unused bytes, which are zero everywhere, so that results can be compared as bytes. */
	memset(r->recv, 0, bytes);
	memset(r->send, 0, bytes);
	memset(r->expected, 0, bytes);
	t->fill(r->in_place ? r->recv : r->send, n, r->op, seed_of(rank, round));
	t->fill(r->expected, n, r->op, seed_of(0, round));
	for (int i = 1; other && i < size; i++) {
		t->fill(other, n, r->op, seed_of(i, round));
		t->fold(r->expected, other, n, r->op);
	}
	free(other);
}

static void compare_reduction(struct test *test, unsigned int round)
{
	struct reduction *r = (struct reduction *)test;
	const struct call *c = &test->call;
	const uint8_t *expected = r->expected;
	size_t bytes = r->count * r->type->bytes, at;

	if (!gets_result(r))
		return;
	if (c->coll == REDUCE_SCATTER || c->coll == REDUCE_SCATTER_BLOCK)
		expected += rank * bytes;
	for (at = 0; at < bytes && expected[at] == ((uint8_t *)r->recv)[at];)
		at++;
	check(at == bytes, "%s %s of %zu %s %s, %s, round %u, root %d: element %zu is wrong",
	      form_names[c->form], coll_names[c->coll], r->count, r->type->name, ops[r->op].name,
	      r->in_place ? "in place" : "not in place", round, c->root, at / r->type->bytes);
}

static void reduce(enum coll coll, enum form form, const struct type *type, enum op op,
		   size_t count, int root, bool in_place)
{
	bool blocks = coll == REDUCE_SCATTER || coll == REDUCE_SCATTER_BLOCK;
	size_t all = blocks ? count * size : count;
	struct reduction r = {
		.test = { .fill = fill_reduction, .compare = compare_reduction },
		.type = type,
		.op = op,
		.in_place = in_place && (coll != REDUCE || rank == root),
		.count = count,
		.all = all,
		.send = room(all * type->bytes),
		.recv = room(all * type->bytes),
		.expected = room(all * type->bytes),
		.counts = room(size * sizeof(int)),
	};

	for (int i = 0; i < size; i++)
		r.counts[i] = count;
	r.test.call = (struct call){
		.coll = coll,
		.form = form,
		.send = r.in_place ? MPI_IN_PLACE : r.send,
		.recv = r.recv,
		.num_recv = count,
		.recv_type = type->type,
		.counts = r.counts,
		.op = ops[op].op,
		.root = root,
	};
	run(&r.test);
	free(r.send);
	free(r.recv);
	free(r.expected);
	free(r.counts);
}

/* Every type with every operation. */
static void test_types(void)
{
	for (size_t t = 0; t < NUM_OF(types); t++)
		for (enum op op = 0; op < NUM_OPS; op++)
			if (types[t].ops & 1U << op)
				reduce(ALLREDUCE, BLOCKING, &types[t], op, 13, 0, op & 1);
}

static const struct type *type_of(MPI_Datatype type)
{
	for (size_t t = 0; t < NUM_OF(types); t++)
		if (types[t].type == type)
			return &types[t];
	return NULL;
}

/* All reductions in all forms, with some types and numbers of elements. */
static void test_reductions(void)
{
	static const size_t counts[] = { 0, 1, 3, 64, 1000, 2500 };
	const struct {
		MPI_Datatype type;
		enum op op;
	} kinds[] = {
		{ MPI_INT, SUM }, { MPI_DOUBLE, MAX }, { MPI_BYTE, BXOR },
		{ MPI_DOUBLE_INT, MINLOC }, { MPI_LONG_DOUBLE, SUM },
	};
	unsigned int step = 0;

	for (enum coll coll = ALLREDUCE; coll <= REDUCE_SCATTER_BLOCK; coll++)
		for (enum form form = 0; form < NUM_FORMS; form++)
			for (size_t k = 0; k < NUM_OF(kinds); k++)
				for (size_t i = 0; i < NUM_OF(counts); i++, step++)
					reduce(coll, form, type_of(kinds[k].type), kinds[k].op,
					       counts[i], step % size, step / 2 & 1);
}

/* Data long enough for several pieces. */
static void test_long(void)
{
	for (enum form form = 0; form < NUM_FORMS; form++) {
		reduce(ALLREDUCE, form, type_of(MPI_DOUBLE), SUM, 100000, 0, form == NONBLOCKING);
		reduce(REDUCE, form, type_of(MPI_INT), SUM, 100000, size - 1, false);
		reduce(REDUCE_SCATTER_BLOCK, form, type_of(MPI_INT), SUM, 9000, 0, form == NONBLOCKING);
	}
}

/* ---- Movements of data ---- */
/*
 * A layout is how a *unit* of six ints lies in memory. `at` are the places of the ints, in the order of
 * the type's signature, in units of ints from the beginning of the element.
 */
#define UNIT 6

struct layout {
	const char *name;
	MPI_Datatype type;
	int per_unit;	/* elements of the type in a unit */
	int extent;	/* of a unit, in ints */
	int at[UNIT];
};

static struct layout layouts[6] = {
	{ "int", MPI_INT, UNIT, UNIT, { 0, 1, 2, 3, 4, 5 } },
	{ "contiguous", MPI_DATATYPE_NULL, 1, UNIT, { 0, 1, 2, 3, 4, 5 } },
	{ "vector", MPI_DATATYPE_NULL, 1, 10, { 0, 1, 4, 5, 8, 9 } },
	{ "reordered", MPI_DATATYPE_NULL, 1, UNIT, { 4, 5, 2, 3, 0, 1 } },
	{ "resized", MPI_DATATYPE_NULL, 1, 12, { 0, 1, 4, 5, 8, 9 } },
	{ "halves", MPI_DATATYPE_NULL, 2, 8, { 0, 1, 2, 4, 5, 6 } },
};

static void make_layouts(void)
{
	int lengths[] = { 2, 2, 2 }, places[] = { 4, 2, 0 };
	MPI_Datatype half;

	MPI_Type_contiguous(UNIT, MPI_INT, &layouts[1].type);
	MPI_Type_vector(3, 2, 4, MPI_INT, &layouts[2].type);
	MPI_Type_indexed(3, lengths, places, MPI_INT, &layouts[3].type);
	MPI_Type_create_resized(layouts[2].type, 0, 12 * sizeof(int), &layouts[4].type);
	MPI_Type_contiguous(3, MPI_INT, &half);
	MPI_Type_create_resized(half, 0, 4 * sizeof(int), &layouts[5].type);
	MPI_Type_free(&half);
	for (size_t i = 1; i < NUM_OF(layouts); i++)
		MPI_Type_commit(&layouts[i].type);
}

static void free_layouts(void)
{
	for (size_t i = 1; i < NUM_OF(layouts); i++)
		MPI_Type_free(&layouts[i].type);
}

#define GAP 0x55555555

/* Ints that `blocks` blocks of `units` units occupy. */
static size_t ints_of(const struct layout *l, size_t units, size_t blocks)
{
	return units * blocks * l->extent;
}

static uint32_t datum(int of_rank, int block, size_t number, unsigned int round)
{
	return mix(of_rank * 77777 + block * 1009 + number + round * 131071);
}

/* Writes the data that `of_rank` has for `block`, at place `place`. */
static void write_block(uint32_t *to, const struct layout *l, size_t units, int place, int of_rank,
			int block, unsigned int round)
{
	to += ints_of(l, units, place);
	for (size_t i = 0; i < units * UNIT; i++)
		to[i / UNIT * l->extent + l->at[i % UNIT]] = datum(of_rank, block, i, round);
}

struct movement {
	struct test test;
	const struct layout *give, *get;
	size_t units;
	bool in_place;
	uint32_t *send, *recv, *expected;
	size_t num_recv;	/* ints of the last two */
};

static void clear(uint32_t *at, size_t n)
{
	for (size_t i = 0; i < n; i++)
		at[i] = GAP;
}

static void fill_bcast(struct movement *m, unsigned int round)
{
	int root = m->test.call.root;

	write_block(m->expected, m->get, m->units, 0, root, 0, round);
	if (rank == root)
		write_block(m->recv, m->get, m->units, 0, root, 0, round);
}

static void fill_gather(struct movement *m, unsigned int round)
{
	bool gets = m->test.call.coll == ALLGATHER || m->test.call.root == rank;

	if (m->in_place)
		write_block(m->recv, m->get, m->units, rank, rank, 0, round);
	else
		write_block(m->send, m->give, m->units, 0, rank, 0, round);
	for (int r = 0; gets && r < size; r++)
		write_block(m->expected, m->get, m->units, r, r, 0, round);
}

static void fill_scatter(struct movement *m, unsigned int round)
{
	int root = m->test.call.root;

	for (int r = 0; rank == root && r < size; r++)
		write_block(m->send, m->give, m->units, r, root, r, round);
	if (!m->in_place)
		write_block(m->expected, m->get, m->units, 0, root, rank, round);
}

static void fill_movement(struct test *test, unsigned int round)
{
	struct movement *m = (struct movement *)test;

	clear(m->send, ints_of(m->give, m->units, size));
	clear(m->recv, m->num_recv);
	clear(m->expected, m->num_recv);
	if (test->call.coll == BCAST)
		fill_bcast(m, round);
	else if (test->call.coll == SCATTER)
		fill_scatter(m, round);
	else
		fill_gather(m, round);
}

static void compare_movement(struct test *test, unsigned int round)
{
	struct movement *m = (struct movement *)test;
	const struct call *c = &test->call;
	size_t at;

	for (at = 0; at < m->num_recv && m->recv[at] == m->expected[at];)
		at++;
	check(at == m->num_recv,
	      "%s %s of %zu units from %s to %s, %s, round %u, root %d: int %zu is wrong",
	      form_names[c->form], coll_names[c->coll], m->units, m->give->name, m->get->name,
	      m->in_place ? "in place" : "not in place", round, c->root, at);
}

static struct call call_of(const struct movement *m, enum coll coll, enum form form, int root)
{
	struct call c = {
		.coll = coll,
		.form = form,
		.send = m->send,
		.num_send = m->units * m->give->per_unit,
		.send_type = m->give->type,
		.recv = m->recv,
		.num_recv = m->units * m->get->per_unit,
		.recv_type = m->get->type,
		.root = root,
	};

	if (m->in_place && coll == SCATTER)
		c.recv = MPI_IN_PLACE;
	else if (m->in_place)
		c.send = MPI_IN_PLACE;
	return c;
}

static void move(enum coll coll, enum form form, const struct layout *give,
		 const struct layout *get, size_t units, int root, bool in_place)
{
	struct movement m = {
		.test = { .fill = fill_movement, .compare = compare_movement },
		.give = give,
		.get = get,
		.units = units,
		.in_place = in_place && (coll == ALLGATHER || rank == root) && coll != BCAST,
	};

	/* Ranks may broadcast with different types of the same signature. */
	if (coll == BCAST && rank == root)
		m.get = give;
	m.num_recv = ints_of(m.get, units, size);
	m.send = room(ints_of(give, units, size) * sizeof(int));
	m.recv = room(m.num_recv * sizeof(int));
	m.expected = room(m.num_recv * sizeof(int));
	m.test.call = call_of(&m, coll, form, root);
	run(&m.test);
	free(m.send);
	free(m.recv);
	free(m.expected);
}

/* Every layout to every other, in all forms, with different numbers of elements. */
static void test_movements(void)
{
	static const size_t units[] = { 0, 1, 5, 90, 700 };
	unsigned int step = 0;

	for (enum coll coll = ALLGATHER; coll <= NUM_COLLS; coll++)
		for (enum form form = 0; form < NUM_FORMS; form++)
			for (size_t from = 0; from < NUM_OF(layouts); from++)
				for (size_t to = 0; to < NUM_OF(layouts); to++, step++)
					move(coll == NUM_COLLS ? BCAST : coll, form, &layouts[from],
					     &layouts[to], units[step % NUM_OF(units)],
					     step / 3 % size, step & 1);
}

/* ---- Several at a time ---- */
#define MANY 12

static void compare_many(const int *result, const int *moved)
{
	for (int i = 0; i < MANY; i++) {
		check(result[i] == size * (size - 1) / 2 + i * size,
		      "allreduce %d of several at a time is wrong", i);
		check(moved[i] == i * 7 + i % size, "bcast %d of several at a time is wrong", i);
	}
}

/* Requests in progress on two communicators, completed in another order than they were begun. */
static void test_many(void)
{
	int given[MANY], result[MANY], moved[MANY];
	MPI_Request requests[2 * MANY];
	MPI_Status statuses[2 * MANY];
	MPI_Comm other;

	MPI_Comm_dup(comm, &other);
	for (int i = 0; i < MANY; i++) {
		given[i] = rank + i;
		moved[i] = rank == i % size ? i * 7 + rank : -1;
		MPI_Iallreduce(&given[i], &result[i], 1, MPI_INT, MPI_SUM, i % 3 ? comm : other,
			       &requests[2 * MANY - 1 - i]);
		MPI_Ibcast(&moved[i], 1, MPI_INT, i % size, i % 2 ? comm : other, &requests[i]);
	}
	MPI_Waitall(2 * MANY, requests, statuses);
	compare_many(result, moved);
	MPI_Comm_free(&other);
}

/* ---- Barriers ---- */
/* Rank `late` waits for a while before it enters. No message of a rank that has left may arrive then. */
static void pass_barrier(enum form form, int late)
{
	struct call c = { .coll = BARRIER, .form = form };
	int left = 0, word = 0;

	for (int polls = 0; rank == late && !left && polls < 200; polls++)
		MPI_Iprobe(MPI_ANY_SOURCE, form, comm, &left, MPI_STATUS_IGNORE);
	check(!left, "%s barrier: a rank left before rank %d entered", form_names[form], late);
	init(&c);
	if (form > NONBLOCKING)
		MPI_Start(&c.request);
	if (form)
		wait_for(&c);
	if (form > NONBLOCKING)
		MPI_Request_free(&c.request);
	if (rank != late)
		MPI_Send(&word, 1, MPI_INT, late, form, comm);
	for (int r = 1; rank == late && r < size; r++)
		MPI_Recv(&word, 1, MPI_INT, MPI_ANY_SOURCE, form, comm, MPI_STATUS_IGNORE);
}

static void test_barriers(void)
{
	for (int i = 0; i < 5; i++)
		for (enum form form = 0; form < NUM_FORMS; form++)
			pass_barrier(form, i % size);
}

/* ---- What no NIC performs ---- */
static void keep_first(void *in, void *inout, int *n, MPI_Datatype *type)
{
	(void)type;
	memcpy(inout, in, *n * sizeof(int));
}

/* Blocks with gaps between them, the last rank's first. Open MPI broadcasts them as a type of its own. */
static void test_places(void)
{
	int *counts = room(size * sizeof(int)), *places = room(size * sizeof(int));
	int *data = room(3 * size * sizeof(int)), mine[2] = { rank, rank + 100 };

	for (int r = 0; r < size; r++) {
		counts[r] = 2;
		places[r] = 3 * (size - 1 - r);
	}
	memset(data, 0xff, 3 * size * sizeof(int));
	MPI_Allgatherv(mine, 2, MPI_INT, data, counts, places, MPI_INT, comm);
	for (int r = 0; r < size; r++) {
		const int *block = data + places[r];

		check(block[0] == r && block[1] == r + 100 && block[2] == -1,
		      "the block of rank %d is %d, %d, then %d", r, block[0], block[1], block[2]);
	}
	free(counts);
	free(places);
	free(data);
}

/* A user's operation that does not commute, and blocks of unequal length. */
static void test_others(void)
{
	int mine = rank + 5, result = -1, *counts = room(size * sizeof(int));
	int *data = room((size + size * size) * sizeof(int)), num = 0;
	MPI_Op op;

	MPI_Op_create(keep_first, 0, &op);
	MPI_Allreduce(&mine, &result, 1, MPI_INT, op, comm);
	check(result == 5, "the user's operation gave %d", result);
	MPI_Op_free(&op);
	for (int r = 0; r < size; r++) {
		counts[r] = r == 1 ? 2 : 1;
		num += counts[r];
	}
	for (int i = 0; i < num; i++)
		data[i] = rank + i;
	MPI_Reduce_scatter(MPI_IN_PLACE, data, counts, MPI_INT, MPI_SUM, comm);
	check(data[0] == size * (size - 1) / 2 + size * (rank + (rank > 1)),
	      "unequal blocks gave %d", data[0]);
	free(counts);
	free(data);
	test_places();
}

/* ---- Communicators ---- */
static void test_one(MPI_Comm one)
{
	MPI_Comm before = comm;

	use(one);
	for (enum form form = 0; form < NUM_FORMS; form++)
		pass_barrier(form, size / 2);
	reduce(ALLREDUCE, BLOCKING, type_of(MPI_INT), SUM, 20, 0, false);
	reduce(REDUCE, NONBLOCKING, type_of(MPI_DOUBLE), SUM, 300, size - 1, true);
	reduce(REDUCE_SCATTER_BLOCK, BLOCKING, type_of(MPI_LONG), MAX, 9, 0, false);
	for (enum coll coll = ALLGATHER; coll <= SCATTER; coll++)
		move(coll, coll % NUM_FORMS, &layouts[2], &layouts[0], 3, size / 2, coll & 1);
	move(BCAST, BLOCKING, &layouts[0], &layouts[3], 40, size - 1, false);
	use(before);
}

static void test_split(int colour, int key)
{
	MPI_Comm part;

	MPI_Comm_split(comm, colour, key, &part);
	if (part == MPI_COMM_NULL)
		return;
	test_one(part);
	MPI_Comm_free(&part);
}

/* An inter-communicator of the lower and the upper half, and both halves merged from it. */
static void test_halves(void)
{
	bool upper = rank >= size / 2;
	int mine = rank, sum = -1, low = size / 2, expected;
	MPI_Comm half, inter, merged;

	MPI_Comm_split(comm, upper, rank, &half);
	MPI_Intercomm_create(half, 0, comm, upper ? 0 : low, 3, &inter);
	MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, inter);
	expected = low * (low - 1) / 2;
	if (!upper)
		expected = size * (size - 1) / 2 - expected;
	check(sum == expected, "allreduce between the halves gave %d", sum);
	MPI_Intercomm_merge(inter, !upper, &merged);
	test_one(merged);
	MPI_Comm_free(&merged);
	MPI_Comm_free(&inter);
	MPI_Comm_free(&half);
}

/* Freed before its requests have ended, or are freed, as MPI allows. */
static void test_early_free(void)
{
	int mine = 3, sum = 0;
	MPI_Request request;
	MPI_Comm copy;

	MPI_Comm_dup(comm, &copy);
	MPI_Iallreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, copy, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	check(sum == 3 * size, "allreduce gave %d", sum);
#ifdef PERSISTENT
	PERSISTENT(Allreduce)(&mine, &sum, 1, MPI_INT, MPI_SUM, copy, MPI_INFO_NULL, &request);
	MPI_Start(&request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Comm_free(&copy);
	MPI_Request_free(&request);
#else
	MPI_Comm_free(&copy);
#endif
}

/* Duplicates of two communicators at once, which ranks see come in different orders. */
static void test_duplicates(void)
{
	MPI_Comm half, made[2];
	MPI_Request request[2];
	MPI_Status status[2];
	uint32_t random = rank;

	MPI_Comm_split(comm, rank < size / 2, rank, &half);
	for (int round = 0; round < 30; round++) {
		MPI_Comm_idup(comm, &made[0], &request[0]);
		MPI_Comm_idup(half, &made[1], &request[1]);
		for (int done = 0; !done;) {
			MPI_Testall(2, request, &done, status);
			random = mix(random + 1);
			if (random % 4 == 0)
				usleep(random / 4 % 3000);
		}
		for (int i = 0; i < 2; i++) {
			if (round % 20 == 0)
				test_one(made[i]);
			MPI_Comm_free(&made[i]);
		}
	}
	MPI_Comm_free(&half);
}

static void test_communicators(void)
{
	MPI_Comm copy, later;
	MPI_Request request;

	MPI_Comm_dup(comm, &copy);
	test_one(copy);
	test_one(comm);
	MPI_Comm_idup(copy, &later, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	test_one(later);
	test_one(copy);
	MPI_Comm_free(&copy);
	MPI_Comm_free(&later);
	test_one(MPI_COMM_SELF);
	for (int i = 0; i < 3; i++)	/* again and again, since groups are reused */
		test_split(rank % 2, rank);
	test_split(0, -rank);
	test_split(rank ? 0 : MPI_UNDEFINED, rank);
	test_split(rank, 0);
	if (size > 1)
		test_halves();
	test_early_free();
	test_duplicates();
}

/* ---- All ---- */
static const struct {
	const char *name;
	void (*run)(void);
} parts[] = {
	{ "barriers", test_barriers },	     { "types", test_types },
	{ "reductions", test_reductions },   { "long", test_long },
	{ "movements", test_movements },     { "many", test_many },
	{ "communicators", test_communicators }, { "others", test_others },
};

static bool wanted(int argc, char **argv, const char *name)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], name))
			return true;
	return argc < 2;
}

int main(int argc, char **argv)
{
	unsigned long mine[2], all[2] = { 0, 0 };

	MPI_Init(&argc, &argv);
	use(MPI_COMM_WORLD);
	make_layouts();
	for (size_t i = 0; i < NUM_OF(parts); i++)
		if (wanted(argc, argv, parts[i].name))
			parts[i].run();
	free_layouts();
	mine[0] = checks;
	mine[1] = failures;
	MPI_Reduce(mine, all, 2, MPI_UNSIGNED_LONG, MPI_SUM, 0, comm);
	if (!rank)
		printf("forms: %lu comparisons at %d ranks, %lu wrong\n", all[0], size, all[1]);
	MPI_Finalize();
	return failures || all[1];
}
