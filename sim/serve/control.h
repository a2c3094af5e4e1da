/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The connection from the supervisor to its worker: a shared page, and an eventfd that announces
 * changes of it. The page contains state and not messages, so nothing can overflow and a worker
 * that starts late misses nothing.
 */
#ifndef TALLY_SIM_SERVE_CONTROL_H
#define TALLY_SIM_SERVE_CONTROL_H

#include <stdatomic.h>
#include <stdbool.h>

#include "fabric/fault.h"
#include "serve/options.h"

/* An active fault, from which a replacement worker continues. */
struct control_fault {
	atomic_uint id;				/* 0: unused; written after the other fields */
	_Atomic vtime_t age;			/* age, seen, hits: see struct fab_rule_past */
	_Atomic uint64_t seen, hits;
	char text[FAULT_TEXT_MAX];
};

struct control {
	atomic_bool stop;
	atomic_uint changes;				/* advances after each change of detached */
	atomic_uint detached[MAX_VMS * MAX_VM_NICS];	/* by NIC: how often its VM has left */
	/* By NIC: how many of these a worker has handled; kept here for the next worker. */
	atomic_uint served[MAX_VMS * MAX_VM_NICS];
	struct control_fault faults[FAB_RULES_MAX];	/* in any order */
};

#endif
