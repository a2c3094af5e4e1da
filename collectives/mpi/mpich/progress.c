// SPDX-License-Identifier: BSD-2-Clause
/*
 * Progress of libtallycoll in all functions of MPICH that wait: MPICH makes progress by a function of UCX, which
 * is defined here. An MPICH without UCX does not call it; the NIC must then finish non-blocking operations alone.
 */
#include <dlfcn.h>

#include "mpi/mpich/job.h"

static atomic_bool called;
static atomic_uint pending;	/* non-blocking operations */

bool tcm_progress_is_ours(void)
{
	return atomic_load(&called);
}

void tcm_progress_begin(void)
{
	atomic_fetch_add(&pending, 1);
}

void tcm_progress_end(void)
{
	atomic_fetch_sub(&pending, 1);
}

unsigned int ucp_worker_progress(void *worker);

unsigned int ucp_worker_progress(void *worker)
{
	static unsigned int (*_Atomic next)(void *);

	if (!next)
		next = (unsigned int (*)(void *))dlsym(RTLD_NEXT, "ucp_worker_progress");
	if (!atomic_load_explicit(&called, memory_order_relaxed))
		atomic_store(&called, true);
	if (atomic_load_explicit(&pending, memory_order_relaxed))
		tcm_job_progress_library();
	return next(worker);
}
