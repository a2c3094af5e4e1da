// SPDX-License-Identifier: BSD-2-Clause
#include "mpi/types.h"

/* Calls tcm_contiguous() for the type from which a type with one constituent was made. */
static bool inner_contiguous(MPI_Datatype type, int num_ints)
{
	int ints[1], num_inner_ints, num_aints, num_types, combiner;
	MPI_Datatype inner;
	MPI_Aint none;
	bool result;

	if (num_ints > 1 || PMPI_Type_get_contents(type, num_ints, 0, 1, ints, &none, &inner))
		return false;
	result = tcm_contiguous(inner);
	if (!PMPI_Type_get_envelope(inner, &num_inner_ints, &num_aints, &num_types, &combiner) &&
	    combiner != MPI_COMBINER_NAMED)
		PMPI_Type_free(&inner);
	return result;
}

/*
 * A type without gaps may still have its elements in another order, so size and extent do not
 * suffice.
 */
bool tcm_contiguous(MPI_Datatype type)
{
	int num_ints, num_aints, num_types, combiner;
	MPI_Aint low, extent;
	MPI_Count size;

	if (PMPI_Type_get_envelope(type, &num_ints, &num_aints, &num_types, &combiner))
		return false;
	switch (combiner) {
	case MPI_COMBINER_NAMED:
		return !PMPI_Type_size_x(type, &size) &&
		       !PMPI_Type_get_extent(type, &low, &extent) && size == extent && !low;
	case MPI_COMBINER_DUP:
	case MPI_COMBINER_CONTIGUOUS:
		return inner_contiguous(type, num_ints);
	default:
		return false;
	}
}

int tcm_keep_type(MPI_Datatype type, MPI_Datatype *kept)
{
	return PMPI_Type_dup(type, kept);
}

void tcm_drop_type(MPI_Datatype *kept)
{
	PMPI_Type_free(kept);
}
