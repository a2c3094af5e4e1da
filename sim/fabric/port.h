/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A port: one end of a link, with the transmit side of its direction. A frame waits in the transmit
 * queue, takes its time on the wire, and reaches the other end a propagation delay after its last
 * bit. The time on the wire is that of the frame, of at least FRAME_MIN bytes, and of
 * ETH_OVERHEAD_BYTES; so the gap behind a frame counts into its arrival.
 *
 * A frame is handed on when it is there whole. Who would have begun to send it before, as a switch
 * that cuts through, says how much earlier: then it counts as begun at that time, or when the wire
 * became free. What is under way is never overtaken, so such a frame is late by nothing.
 */
#ifndef TALLY_SIM_FABRIC_PORT_H
#define TALLY_SIM_FABRIC_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "core/event.h"
#include "core/rng.h"
#include "fabric/capture.h"
#include "fabric/faults.h"
#include "fabric/params.h"
#include "wire/frame.h"

struct fab_xmit;
struct sim_track;

TAILQ_HEAD(fab_xmit_queue, fab_xmit);

/*
 * Counts since the port was made. Bytes are those of frames, without ETH_OVERHEAD_BYTES. What
 * begins with fault_ and down_ is about frames sent here.
 */
#define FAB_PORT_STAT_LIST(X)									\
	X(tx_frames, "Frames put on the wire.")							\
	X(tx_bytes, "Their bytes.")								\
	X(tx_queue_full, "Frames dropped: no room in the queue.")				\
	X(ecn_marked, "Frames marked because the queue was long.")				\
	X(rx_frames, "Frames received.")							\
	X(rx_bytes, "Their bytes.")								\
	X(rx_unattached, "Frames dropped: nobody receives here.")				\
	X(fault_drops, "Frames lost to a fault.")						\
	X(fault_duplicates, "Frames duplicated by a fault.")					\
	X(fault_corruptions, "Frames damaged by a fault.")					\
	X(fault_delays, "Frames that a fault made late.")					\
	X(down_drops, "Frames lost because the link, or the switch that sends, was down.")	\
	X(no_memory, "Frames dropped, or not duplicated: the host is out of memory.")

#define FAB_PORT_STAT(name, doc)	uint64_t name;
struct fab_port_stats {
	FAB_PORT_STAT_LIST(FAB_PORT_STAT)
};

/* A frame that begins to be sent, on its way through the faults. */
struct fab_passage {
	struct fab_port *port;
	struct frame *f;	/* owned; who damages it puts a copy here */
	vtime_t at;		/* when it will arrive; VT_NEVER: never */
	vtime_t gap;		/* its time on the wire */
};

/*
 * The owner of the end sets rx, tx_room, carrier, arg and rx_delay; the rest is the fabric's. What every
 * frame needs stands together.
 */
struct fab_port {
	/* A frame arrived; the function takes it over. NULL: nobody there. */
	void (*rx)(void *arg, struct frame *f);
	/*
	 * A frame left the queue for the wire, or the wire became free. May send. NULL: no
	 * matter; to be set before anything is sent.
	 */
	void (*tx_room)(void *arg);
	/* The link came up or went down, in any of its directions. NULL: no matter. */
	void (*carrier)(void *arg, bool up);
	void *arg;
	vtime_t rx_delay;		/* rx is called so much after the arrival */

	struct sim *sim;
	struct fab_capture *capture;	/* of the link */
	struct fab_port *peer;
	uint64_t bits_per_s;
	uint64_t byte_time;		/* on the wire, in ps; 0: no whole number */
	vtime_t propagation;		/* of the link */
	vtime_t free_at;		/* when the frame on the wire has been sent */
	struct sim_event wire_free;	/* at that time, if someone waits for it */
	size_t queue_limit;
	size_t queued;			/* bytes in queue */
	struct fab_xmit_queue queue;	/* frames waiting for the wire */
	struct fab_xmit_queue flight;	/* frames that will get to peer's rx */
	struct sim_track *track;	/* of what is sent here; NULL: no trace */
	/* Faults of another kind, before faults: false if the frame is lost. NULL: none. */
	bool (*pass)(void *arg, struct fab_passage *passage);
	void *pass_arg;
	unsigned int down;		/* reasons why what is sent here is lost; 0: up */
	struct fab_faults faults;
	struct fab_port_stats stats;
	struct rng rng;			/* of the faults; a stream of each port's own */
};

/*
 * Sends @f and takes it over, whatever comes of it. Returns 0, or -ENOBUFS when it was dropped
 * because the queue has no room for it (counted), or -ENOMEM (counted). A frame always fits when
 * the wire is free. The bytes of @f must not change any more.
 */
int fab_send(struct fab_port *port, struct frame *f);

/*
 * The same for a frame that could have been on a free wire since @early ago, but not so early that
 * its last bit would be out by now.
 */
int fab_send_early(struct fab_port *port, struct frame *f, vtime_t early);

/*
 * Marks @f, taken over, as one that met a long queue here, if it may be marked (counted). Returns
 * the frame to send: another one where others still use @f.
 */
struct frame *fab_port_mark(struct fab_port *port, struct frame *f);

/* True while a frame is being put on the wire: fab_send() would queue. */
bool fab_tx_busy(const struct fab_port *port);

/* Room in the transmit queue, in bytes of frames. */
size_t fab_tx_room(const struct fab_port *port);

/*
 * Sets what happens from now on to frames that @port begins to send; all-zero for nothing. Returns
 * 0 or what fab_faults_check() says, and then changes nothing.
 */
int fab_port_set_faults(struct fab_port *port, const struct fab_faults *faults);

/*
 * One more reason (@down) or one less why what is sent at @port is lost. With the first one, what
 * is on its way from here to the other end is lost too; what waits in the queue is sent, and lost
 * then. Both ends learn it, as Ethernet's signalling of faults has it.
 */
void fab_port_set_down(struct fab_port *port, bool down);

/* True unless one of the link's directions is down. */
bool fab_port_carrier(const struct fab_port *port);

/* Loses all that waits in the queue, and counts it; what is on the wire still arrives. */
void fab_port_drop_queue(struct fab_port *port);

/*
 * Loses what arrived here, but not given to rx yet, uncounted; returns how many frames that were.
 */
uint64_t fab_port_drop_arrived(struct fab_port *port);

/* For a pass function: lets a copy of @f, which is borrowed, arrive at @at. Counts it. */
void fab_port_twin(struct fab_port *port, struct frame *f, vtime_t at);

/*
 * The same: flips one bit of the frame under way. False: no memory, counted, and the frame is
 * gone.
 */
bool fab_port_corrupt(struct fab_passage *passage);

/* Time on the wire of a frame of @len bytes, overhead included, rounded up to the picosecond. */
vtime_t fab_wire_time(uint64_t bits_per_s, size_t len);

/* The same on the link of @port. */
vtime_t fab_port_wire_time(const struct fab_port *port, size_t len);

/* For fab_link_new() and fab_link_free(). */
void fab_port_init(struct fab_port *port, struct sim *sim, const struct fab_link_params *params,
		   struct fab_port *peer, struct fab_capture *capture);
void fab_port_drop_all(struct fab_port *port);

#endif
