// SPDX-License-Identifier: BSD-2-Clause
/*
 * What Open MPI tells of released memory. Its component memory/patcher puts jumps into the functions
 * of the C library that unmap memory; that is done for the first who opens the framework, usually
 * network components of which this job need not have one.
 */
#include "mpi/openmpi/component.h"

#include <sched.h>

#include "opal/mca/memory/base/base.h"
#include "opal/memoryhooks/memory.h"
#include "opal/runtime/opal_params.h"

/* Functions that let the address have other pages, and free(), which calls them. */
#define NEEDED (OPAL_MEMORY_FREE_SUPPORT | OPAL_MEMORY_MUNMAP_SUPPORT)

static struct tallycoll_context *_Atomic told;	/* the context that hears of it */
static _Atomic unsigned int telling;		/* threads within release() */

/* Runs in any thread, before the memory is released. */
static void release(void *start, size_t bytes, void *arg, bool from_alloc)
{
	struct tallycoll_context *context;

	(void)arg, (void)from_alloc;
	telling++;
	context = told;
	if (context)
		tallycoll_memory_released(context, start, bytes);
	telling--;
}

bool tally_hooks_open(void)
{
	if (!opal_leave_pinned || mca_base_framework_open(&opal_memory_base_framework, 0))
		return false;
	if ((opal_mem_hooks_support_level() & NEEDED) == NEEDED &&
	    !opal_mem_hooks_register_release(release, NULL))
		return true;
	mca_base_framework_close(&opal_memory_base_framework);
	return false;
}

void tally_hooks_tell(struct tallycoll_context *context)
{
	told = context;
	while (!context && telling)
		sched_yield();
}

/* Open MPI calls hooks without a lock, so a call may still be under way. */
void tally_hooks_close(void)
{
	opal_mem_hooks_unregister_release(release);
	tally_hooks_tell(NULL);
	mca_base_framework_close(&opal_memory_base_framework);
}
