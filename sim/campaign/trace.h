/* SPDX-License-Identifier: BSD-2-Clause */
/* The last things that happened in a campaign, kept to be printed when something is wrong. */
#ifndef TALLY_SIM_CAMPAIGN_TRACE_H
#define TALLY_SIM_CAMPAIGN_TRACE_H

#include <stdio.h>

#include "hosts/host_set.h"

struct trace;

/* A trace that keeps the last @entries things. NULL: no memory. */
struct trace *trace_new(size_t entries);
void trace_free(struct trace *t);

/* These do nothing if @t is NULL. */
void trace_post(struct trace *t, vtime_t at, const struct host *h, uint32_t qpn,
		enum tally_opcode opcode, uint32_t mid);
void trace_cqe(struct trace *t, vtime_t at, const struct host *h, const struct tally_cqe *cqe);
/* Notes every frame that arrives at the host's NIC from now on. After each new NIC. */
void trace_tap(struct trace *t, struct host *h);

/* Prints what is kept, oldest first; of frames those of job @jid, or all if it is 0. */
void trace_print(const struct trace *t, uint32_t jid, FILE *to);

#endif
