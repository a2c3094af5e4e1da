/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes frames to a trace. */
#ifndef TALLY_SIM_FABRIC_FRAME_TRACE_H
#define TALLY_SIM_FABRIC_FRAME_TRACE_H

#include "core/trace.h"
#include "wire/frame.h"

/* Writes @f, which is on the wire from @begin to @end, to the track of its direction. */
void fab_trace_frame(struct sim_track *track, const struct frame *f, vtime_t begin, vtime_t end);

#endif
