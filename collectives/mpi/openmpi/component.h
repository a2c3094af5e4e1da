/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The component "tally" of Open MPI's framework coll: it offers the collectives of a communicator to
 * libtallycoll, and leaves to the components below it what the library does not offload.
 */
#ifndef TALLYCOLL_MPI_OPENMPI_COMPONENT_H
#define TALLYCOLL_MPI_OPENMPI_COMPONENT_H

#include "ompi_config.h"

#include "ompi/communicator/communicator.h"
#include "ompi/mca/coll/base/coll_base_util.h"
#include "ompi/mca/coll/coll.h"
#include "ompi/request/request.h"
#include "opal/class/opal_free_list.h"

#include "mpi/call.h"

struct tally_component {
	mca_coll_base_component_2_0_0_t super;
	int priority;
	bool enabled;
	char *tune;
	bool threads;
	bool tried;	/* to create the context */
	bool hooked;	/* Open MPI tells of released memory */
	bool prints;	/* the summary, as one rank does */
	bool keep;	/* modules that offload nothing, so that the summary counts their operations */
	struct tallycoll_context *context;
	bool idle;	/* nothing is offloaded on any communicator */
	volatile int32_t modules;	/* that have a team */
	opal_free_list_t requests;
	opal_list_t active;	/* requests in progress, guarded by the lock */
	opal_mutex_t lock;
};

/* Open MPI looks for the component by this name. */
extern struct tally_component mca_coll_tally_component;

/* A communicator. Requests hold references, so that they may outlive it. */
typedef struct tally_module {
	mca_coll_base_module_t super;
	ompi_communicator_t *comm;	/* NULL: it has been freed */
	uint32_t *ranks;		/* in MPI_COMM_WORLD, until there is a team */
	struct tallycoll_team *team;	/* NULL: no blocking collective has been called yet */
	mca_coll_base_comm_coll_t previous;	/* functions and modules that this one replaces */
	bool failed;	/* and the user has been told so */
} tally_module_t;

OBJ_CLASS_DECLARATION(tally_module_t);

struct mca_coll_base_module_2_3_0_t *tally_comm_query(ompi_communicator_t *comm, int *priority);
void tally_set_functions(mca_coll_base_module_t *module);

/* The runtime's allgather, which tallycoll_oob describes; the argument is the communicator. */
int tally_allgather_bytes(void *comm, const void *mine, void *all, size_t bytes);

/*
 * Creates the team, for which all ranks wait. So it cannot be done where Open MPI activates a
 * communicator: that is a progress function, which one that is to be activated elsewhere may need.
 */
enum tallycoll_status tally_make_team(struct tally_module *module);

/* ---- Memory. Whether Open MPI tells of memory that is released, before the context is created. ---- */
bool tally_hooks_open(void);
/* From now on this context is told; NULL: none, and no call for another one is under way any more. */
void tally_hooks_tell(struct tallycoll_context *context);
void tally_hooks_close(void);

/* ---- Performing. The functions return a code of MPI, or TALLY_PREVIOUS. ---- */
#define TALLY_PREVIOUS (-9999)	/* the operation is that of the previous module */

int tally_perform(struct tally_module *module, const struct tcm_args *args);
int tally_begin(struct tally_module *module, const struct tcm_args *args, bool persistent,
		ompi_request_t **request);
int tally_progress(void);

/* Returns MPI's code for an error. Prints the sentence for the first error of a communicator. */
int tally_error(struct tally_module *module, enum tallycoll_status status);

#endif
