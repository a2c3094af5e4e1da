/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the supervisor tells its worker: a shared page, and an eventfd to say that it changed. State
 * and not messages, so nothing can overflow and a worker that starts late misses nothing.
 */
#ifndef TALLY_SIM_SERVE_CONTROL_H
#define TALLY_SIM_SERVE_CONTROL_H

#include <stdatomic.h>
#include <stdbool.h>

#include "fabric/fault.h"
#include "serve/options.h"

/* A fault that is in force, so that a worker that takes over goes on with it. */
struct control_fault {
	atomic_uint id;				/* 0: none here; written after the rest */
	_Atomic vtime_t age;			/* as of struct fab_rule_past, as are these */
	_Atomic uint64_t seen, hits;
	char text[FAULT_TEXT_MAX];
};

struct control {
	atomic_bool stop;
	atomic_uint changes;				/* advances after each change of detached */
	atomic_uint detached[MAX_VMS * MAX_VM_NICS];	/* by NIC: how many times its VM left */
	/* By NIC: which of these a worker has served; here, as the next worker has to go on. */
	atomic_uint served[MAX_VMS * MAX_VM_NICS];
	struct control_fault faults[FAB_RULES_MAX];	/* in any order */
};

#endif
