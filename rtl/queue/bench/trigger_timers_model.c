// SPDX-License-Identifier: BSD-2-Clause
/* Includes the engine's time limits of requests, with a descriptor of this file. */
#include "engine/trigger.h"

static bool lacks_now;

#define trigger_lacks_messages(qp, wr) ((void)(qp), lacks_now)
#include "engine/wr_timeout.c"

#include "trigger_timers_model.h"

uint64_t timers_limit(uint64_t since, uint32_t ms, uint64_t group_limit, bool lacks)
{
	static struct group g;
	static struct wr wr;

	g.timeout = group_limit;
	wr.since = since;
	wr.w.timeout = ms * 1000000000ULL;
	lacks_now = lacks;
	return limit_of(&g, NULL, &wr);
}
