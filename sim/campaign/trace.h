/* SPDX-License-Identifier: BSD-2-Clause */
/* Records the most recent events of a campaign, which are printed after a failure. */
#ifndef TALLY_SIM_CAMPAIGN_TRACE_H
#define TALLY_SIM_CAMPAIGN_TRACE_H

#include <stdio.h>

#include "hosts/host_set.h"

struct trace;

/* Makes a trace that keeps the last @entries events. Returns NULL if out of memory. */
struct trace *trace_new(size_t entries);
void trace_free(struct trace *t);

/* The following functions do nothing if @t is NULL. */
void trace_post(struct trace *t, vtime_t at, const struct host *h, uint32_t qpn,
		enum tally_opcode opcode, uint32_t mid);
void trace_cqe(struct trace *t, vtime_t at, const struct host *h, const struct tally_cqe *cqe);
/* Records every frame that arrives at the host's NIC. Must be called again for each new NIC. */
void trace_tap(struct trace *t, struct host *h);

/* Prints the recorded events, oldest first; of the frames, those of job @jid, or all if it is 0. */
void trace_print(const struct trace *t, uint32_t jid, FILE *to);

#endif
