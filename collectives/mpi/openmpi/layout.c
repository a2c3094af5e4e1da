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
