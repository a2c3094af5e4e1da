/* SPDX-License-Identifier: BSD-2-Clause */
/* What TALLY_COLL_TRACE=1 prints. All functions print nothing without it. */
#ifndef TALLYCOLL_CORE_TRACING_H
#define TALLYCOLL_CORE_TRACING_H

#include "core/core.h"

/* What was decided for an operation. @way is NULL if there is a reason. */
void tc_trace_choice(const struct tallycoll_team *t, const struct tallycoll_args *args,
		     const struct tc_way *way, enum tallycoll_reason reason);
/* A new team: its nodes, and the role of this rank; or why it offloads nothing. */
void tc_trace_team(const struct tallycoll_team *t);
/* The NIC of this rank. */
void tc_trace_nic(const struct tallycoll_context *c);
/* A sentence about this rank; nothing if it is empty. */
void tc_trace_why(const struct tallycoll_context *c, const char *why);

#endif
