/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the frames of both directions of a link to a file. */
#ifndef TALLY_SIM_FABRIC_CAPTURE_H
#define TALLY_SIM_FABRIC_CAPTURE_H

#include <stdint.h>

#include "core/event.h"
#include "wire/pcap.h"

/* A capture; all-zero means that there is no file. */
struct fab_capture {
	struct pcap_writer *file;	/* NULL: none */
	uint64_t lost;			/* frames that could not be written */
};

/* Writes @f, which goes on the wire at @now. */
static inline void fab_capture_frame(struct fab_capture *capture, vtime_t now, const struct frame *f)
{
	if (capture->file && pcap_write(capture->file, now, f))
		capture->lost++;
}

#endif
