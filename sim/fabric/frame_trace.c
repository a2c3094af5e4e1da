// SPDX-License-Identifier: BSD-2-Clause
#include "fabric/frame_trace.h"

#include "fabric/fault.h"
#include "gen/tally_hw.h"

static const char *frame_name(const struct fault_headers *h)
{
#define KIND(name, value, doc) [value] = #name,
	static const char *const kinds[] = { TALLY_KIND_LIST(KIND) };

	if (!h->collective)
		return h->roce ? "RoCE packet" : "frame";
	return h->kind < sizeof(kinds) / sizeof(kinds[0]) && kinds[h->kind] ? kinds[h->kind] :
									      "packet";
}

void fab_trace_frame(struct sim_track *track, const struct frame *f, vtime_t begin, vtime_t end)
{
	struct sim_trace_arg args[2] = { { "bytes", f->len } };
	struct fault_headers h;

	fault_headers(&h, f);
	args[1] = (struct sim_trace_arg){ "jid", h.jid };
	sim_trace_span_args(track, frame_name(&h), begin, end, args, h.collective ? 2 : 1);
}
