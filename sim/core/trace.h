/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Trace of the time of a run: a file in the JSON format that Perfetto (ui.perfetto.dev) and
 * chrome://tracing read. It contains spans of virtual time on tracks. A track belongs to a process,
 * which is a host, a NIC or a link. A trace belongs to the thread of its simulation.
 */
#ifndef TALLY_SIM_CORE_TRACE_H
#define TALLY_SIM_CORE_TRACE_H

#include <stddef.h>
#include <stdint.h>

#include "core/event.h"

struct sim_trace;
struct sim_track;

/* A number that is shown with a span. JSON must not need to escape the name. */
struct sim_trace_arg {
	const char *name;
	uint64_t value;
};

enum sim_track_kind {
	/*
	 * Spans that overlap get rows of their own, called "NAME 2" and so on, for work of which
	 * several pieces are in flight at once. The spans of a row never overlap.
	 */
	SIM_TRACK_ROWS,
	/*
	 * A span inside the one before it is drawn below it, provided that they are written in the
	 * order of their starts, the longer one first. Others that overlap get rows of their own.
	 */
	SIM_TRACK_NESTED,
};

/* Create the file @path. Returns NULL with errno on failure. */
struct sim_trace *sim_trace_open(const char *path);

/*
 * End the file and free the trace, which may be NULL, with its tracks. No simulation may use it any
 * more. Returns 0, or -errno of the first write that failed, after which nothing more was written.
 */
int sim_trace_close(struct sim_trace *t);

/*
 * Return the track @name of the process @process; the same names give the same track. The trace
 * owns the track. A track or process without spans does not appear. Processes appear in the order
 * of their first calls. Aborts the program if there is not enough memory.
 */
struct sim_track *sim_trace_track(struct sim_trace *t, const char *process, const char *name,
				  enum sim_track_kind kind);

/* Write a span from @start to @end, which must not be before @start and may be in the future. */
void sim_trace_span(struct sim_track *track, const char *name, vtime_t start, vtime_t end);

/* Write a span with @n numbers. */
void sim_trace_span_args(struct sim_track *track, const char *name, vtime_t start, vtime_t end,
			 const struct sim_trace_arg *args, size_t n);

/*
 * Set and return the trace of a simulation, which borrows it; NULL (initially): none. NICs, links
 * and hosts look for the trace once, when they are created, so it is set before and kept until they
 * are gone.
 */
void sim_set_trace(struct sim *sim, struct sim_trace *t);
struct sim_trace *sim_trace(const struct sim *sim);

#endif
