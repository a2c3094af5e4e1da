/* SPDX-License-Identifier: BSD-2-Clause */
/* A link: a cable with a port at each end. Both directions run at full speed at the same time. */
#ifndef TALLY_SIM_FABRIC_LINK_H
#define TALLY_SIM_FABRIC_LINK_H

#include "core/event.h"
#include "fabric/params.h"
#include "fabric/port.h"

/*
 * Makes a link between the ends @a and @b. The names are copied, appear in captures and reports,
 * and may hold letters, digits, '.', '_' and '-'. Returns NULL and sets errno to EINVAL (an invalid
 * name, no bandwidth, or more than a second of propagation) or ENOMEM. Draws two numbers from the
 * sim's rng, for the faults of its ports. If the sim has a trace, every frame that is sent gets a
 * span there for its time on the wire.
 */
struct fab_link *fab_link_new(struct sim *sim, const struct fab_link_params *params,
			      const char *a, const char *b);

/*
 * Frees the link with all frames on it and closes its capture. Call it before the sim is freed, and
 * after everything that might send on the link. Accepts NULL.
 */
void fab_link_free(struct fab_link *link);

/* Returns the port at @end: 0 for the end named a, 1 for b. It lives as long as the link. */
struct fab_port *fab_link_port(struct fab_link *link, unsigned int end);

/* Returns the name of the end @end, which lives as long as the link. */
const char *fab_link_name(const struct fab_link *link, unsigned int end);

const struct fab_link_params *fab_link_params(const struct fab_link *link);

/*
 * Starts a capture of both directions in link-<a>-<b>.pcap in the folder @dir. It holds each frame
 * as it was sent, before any fault, at the time its first bit went out (frames of a cut-through
 * switch, up to their time on the wire later, as time stamps do not decrease). Returns 0 or -errno;
 * -EBUSY if the link already has a capture.
 */
int fab_link_capture(struct fab_link *link, const char *dir);

/* As fab_link_capture(), to the file @path. */
int fab_link_capture_to(struct fab_link *link, const char *path);

/* Writes the buffered part of the capture. Returns 0, -errno, or -ENOENT without a capture. */
int fab_link_capture_flush(struct fab_link *link);

/* Ends the capture. Returns 0, the first -errno that it met, or -ENOENT without a capture. */
int fab_link_capture_end(struct fab_link *link);

/* Returns the number of frames that are missing in the capture, because writing failed. */
uint64_t fab_link_capture_lost(const struct fab_link *link);

#endif
