/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fibers: functions that run until they yield, and later go on where they yielded, each on a stack
 * of its own. Stacks of fibers that have ended are used again by later ones of the same thread.
 */
#ifndef TALLY_SIM_ENGINE_FIBER_H
#define TALLY_SIM_ENGINE_FIBER_H

#include <stdbool.h>

struct fiber;

/* Return a fiber that will call body(arg) when it is resumed, or NULL if there is no memory. */
struct fiber *fiber_new(void (*body)(void *arg), void *arg);
/* Run a fiber until it yields or ends. Returns false if it has ended; then it is freed. */
bool fiber_resume(struct fiber *f);
/* Return to the caller of fiber_resume(). Only the fiber itself may call this. */
void fiber_yield(struct fiber *f);
/* Free a fiber that has yielded and will not be resumed. */
void fiber_free(struct fiber *f);

#endif
