/* SPDX-License-Identifier: BSD-2-Clause */
/* A link: a cable with a port at each end, both directions at full speed at once. */
#ifndef TALLY_SIM_FABRIC_LINK_H
#define TALLY_SIM_FABRIC_LINK_H

#include "core/event.h"
#include "fabric/params.h"
#include "fabric/port.h"

/*
 * A link between the ends @a and @b; the names are for captures and reports, copied, and may hold
 * letters, digits, '.', '_' and '-'. NULL: errno is EINVAL (a name, no bandwidth, or more than a
 * second of propagation) or ENOMEM.
 * Draws two numbers from the sim's rng, for the faults of its ports. What is sent is written to the
 * sim's trace, if it has one: a span for the time of each frame on the wire.
 */
struct fab_link *fab_link_new(struct sim *sim, const struct fab_link_params *params,
			      const char *a, const char *b);

/*
 * Frees the link with all frames on it and closes its capture; before the sim, and after those
 * who might send on it. NULL is allowed.
 */
void fab_link_free(struct fab_link *link);

/* The port at @end: 0 for the end named a, 1 for b. Lives as long as the link. */
struct fab_port *fab_link_port(struct fab_link *link, unsigned int end);

/* The name of the end @end; lives as long as the link. */
const char *fab_link_name(const struct fab_link *link, unsigned int end);

const struct fab_link_params *fab_link_params(const struct fab_link *link);

/*
 * Writes both directions to link-<a>-<b>.pcap in the folder @dir from now on: each frame as it
 * was sent, before any fault, at the time its first bit went out (from a switch that cuts
 * through, up to its time on the wire later: times do not go back). Returns 0 or -errno, -EBUSY
 * when the link already has a capture.
 */
int fab_link_capture(struct fab_link *link, const char *dir);

/* The same to the file @path. */
int fab_link_capture_to(struct fab_link *link, const char *path);

/* Hands the capture so far to the system. Returns 0, -errno, or -ENOENT without a capture. */
int fab_link_capture_flush(struct fab_link *link);

/* Ends the capture. Returns 0, the first -errno of its life, or -ENOENT without a capture. */
int fab_link_capture_end(struct fab_link *link);

/* Frames that should be in the capture and are not, because writing failed. */
uint64_t fab_link_capture_lost(const struct fab_link *link);

#endif
