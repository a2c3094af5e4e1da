/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where the time of a run goes: a file in the JSON format that Perfetto (ui.perfetto.dev) and
 * chrome://tracing read. It holds spans of virtual time on tracks; a track belongs to a process,
 * which is a host, a NIC or a link. A trace belongs to the thread of its simulation.
 */
#ifndef TALLY_SIM_CORE_TRACE_H
#define TALLY_SIM_CORE_TRACE_H

#include <stddef.h>
#include <stdint.h>

#include "core/event.h"

struct sim_trace;
struct sim_track;

/* A number shown with a span. The name must not need escapes in JSON. */
struct sim_trace_arg {
	const char *name;
	uint64_t value;
};

enum sim_track_kind {
	/*
	 * Spans that overlap get rows of their own, called "NAME 2" and so on: work of which several
	 * pieces are under way at once. The spans of a row never overlap.
	 */
	SIM_TRACK_ROWS,
	/*
	 * A span within the one before it is drawn below it, if they are written in the order of their
	 * starts, the longer one first. Others that overlap get rows of their own.
	 */
	SIM_TRACK_NESTED,
};

/* Creates the file @path. NULL with errno. */
struct sim_trace *sim_trace_open(const char *path);

/*
 * Ends the file and frees the trace with its tracks. Returns 0, or -errno of the first write that
 * failed, after which nothing more was written. NULL is allowed. Not while a simulation has it.
 */
int sim_trace_close(struct sim_trace *t);

/*
 * The track @name of the process @process; the same names give the same track. Owned by the trace.
 * What no span was ever written to does not appear. Processes appear in the order of their first
 * calls. Aborts the program when memory is short.
 */
struct sim_track *sim_trace_track(struct sim_trace *t, const char *process, const char *name,
				  enum sim_track_kind kind);

/* Writes a span from @start to @end, which is not before it and may lie in the future. */
void sim_trace_span(struct sim_track *track, const char *name, vtime_t start, vtime_t end);

/* The same with @n numbers. */
void sim_trace_span_args(struct sim_track *track, const char *name, vtime_t start, vtime_t end,
			 const struct sim_trace_arg *args, size_t n);

/*
 * The trace of a simulation, borrowed; NULL, as it is at first: none. To be set before NICs, links
 * and hosts are made, which look for it once, and kept until they are gone.
 */
void sim_set_trace(struct sim *sim, struct sim_trace *t);
struct sim_trace *sim_trace(const struct sim *sim);

#endif
