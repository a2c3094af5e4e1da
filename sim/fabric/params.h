/* SPDX-License-Identifier: BSD-2-Clause */
/* Default parameters of the fabric's parts, and the sources of the numbers. */
#ifndef TALLY_SIM_FABRIC_PARAMS_H
#define TALLY_SIM_FABRIC_PARAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/event.h"

/*
 * Bytes on the wire besides the frame: preamble and start delimiter 8, frame check sequence 4,
 * minimum gap between frames 12 (IEEE 802.3, clauses 3 and 4.4.2).
 */
#define ETH_OVERHEAD_BYTES	24

/* Ten thousand times the fastest existing link. */
#define FAB_MAX_BITS_PER_S	10000000000000000

struct fab_link_params {
	uint64_t bits_per_s;	/* of each direction */
	vtime_t propagation;	/* from the last bit sent to the last bit received */
	size_t queue_bytes;	/* waiting at each end, without the frame on the wire */
};

struct fab_switch_params {
	unsigned int ports;
	/*
	 * Store and forward: from the last bit received to the queue of the output port.
	 * Cut-through: from the first bit received to the first bit sent.
	 */
	vtime_t latency;
	bool cut_through;
	size_t queue_bytes;	/* of each output port */
	size_t ecn_bytes;	/* a frame that meets a longer queue is marked; 0: never */
};

/*
 * 100 Gb/s Ethernet (IEEE 802.3ba). 5 m of cable between neighbours: assumption; 5 ns/m is two
 * thirds of the speed of light, the usual figure for glass and copper. 1 MiB of queue: assumption,
 * see below.
 */
#define FAB_LINK_DEFAULTS {							\
	.bits_per_s = 100000000000,						\
	.propagation = 5 * 5 * VT_NS,						\
	.queue_bytes = 1024 * 1024,						\
}

/*
 * 32 ports and 300 ns: the Spectrum-2 Ethernet switch chip (Linley Newsletter, 31 July 2017,
 * "Spectrum-2 Debuts 200GbE"). That chip cuts through. The simulated switch stores and forwards by
 * default, which adds the serialization time of the frame. 1 MiB for each port: assumption; an even
 * share of that chip's buffer of 42 MB would be 1.3 MB.
 */
#define FAB_SWITCH_DEFAULTS	FAB_SWITCH_DEFAULTS_WITH(32)
#define FAB_SWITCH_DEFAULTS_WITH(num_ports) {					\
	.ports = (num_ports),							\
	.latency = 300 * VT_NS,							\
	.queue_bytes = 1024 * 1024,						\
}

#endif
