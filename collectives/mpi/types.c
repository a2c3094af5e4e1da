// SPDX-License-Identifier: BSD-2-Clause
#include "mpi/types.h"

#include <limits.h>
#include <stddef.h>

/* Which operations MPI defines for a type. */
enum kind {
	SIGNED,
	UNSIGNED,
	FLOAT,
	COMPLEX,	/* two floats */
	LOGICAL,
	BYTES,
	SIGNED_PAIR,	/* with an int */
	FLOAT_PAIR,
};

struct type {
	MPI_Datatype handle;
	enum kind kind;
	int value;	/* bytes of a pair's value */
	enum tally_type dtype;	/* NONE: not known yet, or this MPI does not have the type */
};

/* The most frequent types come first, because lookups begin there. */
static struct type types[] = {
	{ MPI_DOUBLE, FLOAT, 0, 0 },
	{ MPI_INT, SIGNED, 0, 0 },
	{ MPI_FLOAT, FLOAT, 0, 0 },
	{ MPI_LONG, SIGNED, 0, 0 },
	{ MPI_UNSIGNED_LONG, UNSIGNED, 0, 0 },
	{ MPI_LONG_LONG, SIGNED, 0, 0 },
	{ MPI_UNSIGNED_LONG_LONG, UNSIGNED, 0, 0 },
	{ MPI_UNSIGNED, UNSIGNED, 0, 0 },
	{ MPI_DOUBLE_PRECISION, FLOAT, 0, 0 },
	{ MPI_INTEGER, SIGNED, 0, 0 },
	{ MPI_REAL, FLOAT, 0, 0 },
	{ MPI_BYTE, BYTES, 0, 0 },
	{ MPI_SIGNED_CHAR, SIGNED, 0, 0 },
	{ MPI_UNSIGNED_CHAR, UNSIGNED, 0, 0 },
	{ MPI_SHORT, SIGNED, 0, 0 },
	{ MPI_UNSIGNED_SHORT, UNSIGNED, 0, 0 },
	{ MPI_INT8_T, SIGNED, 0, 0 },
	{ MPI_INT16_T, SIGNED, 0, 0 },
	{ MPI_INT32_T, SIGNED, 0, 0 },
	{ MPI_INT64_T, SIGNED, 0, 0 },
	{ MPI_UINT8_T, UNSIGNED, 0, 0 },
	{ MPI_UINT16_T, UNSIGNED, 0, 0 },
	{ MPI_UINT32_T, UNSIGNED, 0, 0 },
	{ MPI_UINT64_T, UNSIGNED, 0, 0 },
	{ MPI_AINT, SIGNED, 0, 0 },
	{ MPI_OFFSET, SIGNED, 0, 0 },
	{ MPI_COUNT, SIGNED, 0, 0 },
	{ MPI_INTEGER1, SIGNED, 0, 0 },
	{ MPI_INTEGER2, SIGNED, 0, 0 },
	{ MPI_INTEGER4, SIGNED, 0, 0 },
	{ MPI_INTEGER8, SIGNED, 0, 0 },
	{ MPI_REAL4, FLOAT, 0, 0 },
	{ MPI_REAL8, FLOAT, 0, 0 },
#ifdef MPIX_C_FLOAT16
	{ MPIX_C_FLOAT16, FLOAT, 0, 0 },
#endif
	{ MPI_C_FLOAT_COMPLEX, COMPLEX, 0, 0 },
	{ MPI_C_DOUBLE_COMPLEX, COMPLEX, 0, 0 },
	{ MPI_COMPLEX, COMPLEX, 0, 0 },
	{ MPI_DOUBLE_COMPLEX, COMPLEX, 0, 0 },
	{ MPI_C_BOOL, LOGICAL, 0, 0 },
	{ MPI_LOGICAL, LOGICAL, 0, 0 },
	{ MPI_2INT, SIGNED_PAIR, sizeof(int), 0 },
	{ MPI_2INTEGER, SIGNED_PAIR, sizeof(int), 0 },
	{ MPI_SHORT_INT, SIGNED_PAIR, sizeof(short), 0 },
	{ MPI_LONG_INT, SIGNED_PAIR, sizeof(long), 0 },
	{ MPI_FLOAT_INT, FLOAT_PAIR, sizeof(float), 0 },
	{ MPI_DOUBLE_INT, FLOAT_PAIR, sizeof(double), 0 },
};

struct op {
	MPI_Op handle;
	enum tally_op op;
	unsigned int kinds;	/* bit 1 << kind */
};

#define NUMBERS (1 << SIGNED | 1 << UNSIGNED | 1 << FLOAT)
#define INTEGERS (1 << SIGNED | 1 << UNSIGNED)
#define PAIRS (1 << SIGNED_PAIR | 1 << FLOAT_PAIR)

static const struct op ops[] = {
	{ MPI_SUM, TALLY_OP_SUM, NUMBERS | 1 << COMPLEX },
	{ MPI_MAX, TALLY_OP_MAX, NUMBERS },
	{ MPI_MIN, TALLY_OP_MIN, NUMBERS },
	{ MPI_PROD, TALLY_OP_PROD, NUMBERS },
	{ MPI_LAND, TALLY_OP_LAND, INTEGERS | 1 << LOGICAL },
	{ MPI_LOR, TALLY_OP_LOR, INTEGERS | 1 << LOGICAL },
	{ MPI_LXOR, TALLY_OP_LXOR, INTEGERS | 1 << LOGICAL },
	{ MPI_BAND, TALLY_OP_BAND, INTEGERS | 1 << BYTES },
	{ MPI_BOR, TALLY_OP_BOR, INTEGERS | 1 << BYTES },
	{ MPI_BXOR, TALLY_OP_BXOR, INTEGERS | 1 << BYTES },
	{ MPI_MINLOC, TALLY_OP_MINLOC, PAIRS },
	{ MPI_MAXLOC, TALLY_OP_MAXLOC, PAIRS },
};

#define NUM_OF(table) (sizeof(table) / sizeof((table)[0]))

/* The code of a number of @size bytes, or TALLY_TYPE_NONE. */
static enum tally_type dtype_of(enum tally_type_class class, MPI_Count size)
{
	for (unsigned int log = 0; log < 4; log++)
		if (size == 1 << log && (class != TALLY_TYPE_CLASS_FP || log > 0))
			return class << 4 | log;
	return TALLY_TYPE_NONE;
}

static enum tally_type_class class_of(enum kind kind)
{
	switch (kind) {
	case SIGNED:
	case SIGNED_PAIR:
		return TALLY_TYPE_CLASS_INT;
	case FLOAT:
	case COMPLEX:
	case FLOAT_PAIR:
		return TALLY_TYPE_CLASS_FP;
	default:
		return TALLY_TYPE_CLASS_UINT;
	}
}

/* The ALU's pair is C's structure of a value and an int, which must also be this MPI's. */
static bool good_pair(const struct type *t, MPI_Count size, MPI_Aint extent)
{
	return size == t->value + (MPI_Count)sizeof(int) && extent == (t->value < 8 ? 8 : 16);
}

void tcm_types_init(void)
{
	for (unsigned int i = 0; i < NUM_OF(types); i++) {
		struct type *t = &types[i];
		MPI_Aint low, extent;
		MPI_Count size;

		if (t->handle == MPI_DATATYPE_NULL || PMPI_Type_size_x(t->handle, &size) ||
		    PMPI_Type_get_extent(t->handle, &low, &extent))
			continue;
		if (t->kind == COMPLEX)
			size /= 2;
		if (t->value)
			size = good_pair(t, size, extent) ? t->value : 0;
		t->dtype = dtype_of(class_of(t->kind), size);
	}
}

static const struct type *find_type(MPI_Datatype handle)
{
	for (unsigned int i = 0; i < NUM_OF(types); i++)
		if (types[i].handle == handle)
			return &types[i];
	return NULL;
}

struct tcm_reduction tcm_reduction(MPI_Op op, MPI_Datatype type)
{
	struct tcm_reduction r = { .values = 1 };
	const struct type *t = find_type(type);

	for (unsigned int i = 0; i < NUM_OF(ops); i++)
		if (ops[i].handle == op && (!t || ops[i].kinds & 1U << t->kind))
			r.op = ops[i].op;
	if (!t)
		return r;
	r.dtype = t->dtype;
	if (t->kind == COMPLEX)
		r.values = 2;
	return r;
}

/* ---- Packing ---- */
/* Packs or unpacks as many elements at a time as an int can count the bytes of. */
static int convert(void *packed, void *data, MPI_Count count, MPI_Datatype type, bool unpack)
{
	MPI_Aint low, extent;
	MPI_Count size, most;
	int err = PMPI_Type_size_x(type, &size);

	if (!err)
		err = PMPI_Type_get_extent(type, &low, &extent);
	if (err || !size)
		return err;
	most = size < INT_MAX ? INT_MAX / size : 1;
	while (count > 0 && !err) {
		int elements = count < most ? count : most, bytes = elements * size, at = 0;

		err = unpack ? PMPI_Unpack(packed, bytes, &at, data, elements, type, MPI_COMM_SELF) :
			       PMPI_Pack(data, elements, type, packed, bytes, &at, MPI_COMM_SELF);
		packed = (char *)packed + bytes;
		data = (char *)data + elements * extent;
		count -= elements;
	}
	return err;
}

int tcm_pack(const void *from, MPI_Count count, MPI_Datatype type, void *packed)
{
	return convert(packed, (void *)from, count, type, false);
}

int tcm_unpack(const void *packed, void *to, MPI_Count count, MPI_Datatype type)
{
	return convert((void *)packed, to, count, type, true);
}
