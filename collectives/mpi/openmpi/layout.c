// SPDX-License-Identifier: BSD-2-Clause
#include "ompi_config.h"

#include "ompi/datatype/ompi_datatype.h"

#include "mpi/types.h"

/*
 * Open MPI's own calls of collectives use types that its function MPI_Type_get_envelope() does not
 * know. Two elements are enough to tell whether there is a gap between them.
 */
bool tcm_contiguous(MPI_Datatype type)
{
	return !type->super.true_lb && ompi_datatype_is_contiguous_memory_layout(type, 2);
}

/*
 * MPI_Type_dup() crashes with such types, for it copies what describes a type to users, which they do not
 * have. allgatherv makes one of its displacements, for a broadcast.
 */
int tcm_keep_type(MPI_Datatype type, MPI_Datatype *kept)
{
	OBJ_RETAIN(type);
	*kept = type;
	return MPI_SUCCESS;
}

void tcm_drop_type(MPI_Datatype *kept)
{
	ompi_datatype_destroy(kept);
}
