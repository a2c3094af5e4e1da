/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TALLYCOLL_MPI_OPENMPI_REQUEST_H
#define TALLYCOLL_MPI_OPENMPI_REQUEST_H

#include "mpi/openmpi/component.h"

/* Open MPI keeps the types and the op of a request in the base class of this one. */
typedef struct tally_request {
	ompi_coll_base_nbc_request_t super;
	struct tally_module *module;	/* a reference */
	struct tcm_call call;
} tally_request_t;

OBJ_CLASS_DECLARATION(tally_request_t);

#endif
