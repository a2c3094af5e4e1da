// SPDX-License-Identifier: BSD-2-Clause
/* The fabric's part of a trace: a link is a process, each of its directions a track. */
#include <stdio.h>

#include "core/trace.h"
#include "fabric/fault.h"
#include "fabric/link.h"
#include "gen/tally_hw.h"

#define NAME_BYTES	128

static void trace_end(struct fab_link *link, unsigned int end, const char *process)
{
	char track[NAME_BYTES];

	snprintf(track, sizeof(track), "%s to %s", fab_link_name(link, end),
		 fab_link_name(link, !end));
	fab_link_port(link, end)->track = sim_trace_track(sim_trace(fab_link_sim(link)), process,
							  track, SIM_TRACK_ROWS);
}

void fab_link_trace(struct fab_link *link)
{
	char process[NAME_BYTES];

	if (!sim_trace(fab_link_sim(link)))
		return;
	snprintf(process, sizeof(process), "link %s-%s", fab_link_name(link, 0),
		 fab_link_name(link, 1));
	for (unsigned int end = 0; end < 2; end++)
		trace_end(link, end, process);
}

static const char *frame_name(const struct fault_headers *h)
{
#define KIND(name, value, doc) [value] = #name,
	static const char *const kinds[] = { TALLY_KIND_LIST(KIND) };

	if (!h->collective)
		return h->roce ? "RoCE packet" : "frame";
	return h->kind < sizeof(kinds) / sizeof(kinds[0]) && kinds[h->kind] ? kinds[h->kind] :
									      "packet";
}

void fab_port_span(const struct fab_port *port, const struct frame *f, vtime_t begin, vtime_t end)
{
	struct sim_trace_arg args[2] = { { "bytes", f->len } };
	struct fault_headers h;

	fault_headers(&h, f);
	args[1] = (struct sim_trace_arg){ "jid", h.jid };
	sim_trace_span_args(port->track, frame_name(&h), begin, end, args, h.collective ? 2 : 1);
}
