/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A port: one end of a link, with the transmit side of its direction. A frame waits in the transmit
 * queue, occupies the wire, and arrives at the other end a propagation delay after its last bit.
 * The time on the wire is that of the frame, of at least FRAME_MIN bytes, and of
 * ETH_OVERHEAD_BYTES; thus the gap behind a frame delays its arrival.
 *
 * The simulation passes on a frame when it has arrived completely. A sender that would have begun
 * earlier, such as a cut-through switch, states how much earlier; the frame then counts as begun at
 * that time, or when the wire became free. No frame overtakes another in flight, so this makes no
 * frame late.
 */
#ifndef TALLY_SIM_FABRIC_PORT_H
#define TALLY_SIM_FABRIC_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/event.h"
#include "core/rng.h"
#include "fabric/capture.h"
#include "fabric/faults.h"
#include "fabric/params.h"
#include "wire/frame.h"

struct fab_xmit;
struct sim_track;

/*
 * What a switch reads of a frame. It travels beside the frame, which is in no cache between its
 * sender and its receiver.
 */
struct fab_head {
	uint16_t len;
	uint8_t dmac[6];		/* zeroes in a shorter frame */
};

/* Receives a frame, which it takes over, at a switch. */
typedef void fab_switch_rx(void *arg, struct frame *f, const struct fab_head *head);

struct fab_xmit_queue {
	struct fab_xmit *first, *last;	/* @last is valid if @first is not NULL */
};

/*
 * Counters since the port was made. Bytes are those of frames, without ETH_OVERHEAD_BYTES. Counters
 * that begin with fault_ and down_ count frames sent by this port.
 */
#define FAB_PORT_STAT_LIST(X)									\
	X(tx_frames, "Frames put on the wire.")						\
	X(tx_bytes, "Bytes of these frames.")						\
	X(tx_queue_full, "Frames dropped because the queue was full.")			\
	X(ecn_marked, "Frames marked because the queue was long.")			\
	X(rx_frames, "Frames received.")						\
	X(rx_bytes, "Bytes of these frames.")						\
	X(rx_unattached, "Frames dropped: no device is attached to the port.")		\
	X(fault_drops, "Frames lost to a fault.")					\
	X(fault_duplicates, "Frames duplicated by a fault.")				\
	X(fault_corruptions, "Frames damaged by a fault.")				\
	X(fault_delays, "Frames delayed by a fault.")					\
	X(down_drops, "Frames lost because the link or the sending switch was down.")	\
	X(no_memory, "Frames dropped, or not duplicated: the host is out of memory.")

#define FAB_PORT_STAT(name, doc)	uint64_t name;
struct fab_port_stats {
	FAB_PORT_STAT_LIST(FAB_PORT_STAT)
};

/* A frame that begins to be sent, while the faults are applied to it. */
struct fab_transit {
	struct fab_port *port;
	struct frame *f;	/* owned; a fault that damages it puts a copy here */
	vtime_t at;		/* time of its arrival; VT_NEVER: never */
	vtime_t gap;		/* its time on the wire */
};

/* The rate of a link. */
struct fab_rate {
	uint64_t bits_per_s;
	uint64_t byte_time;		/* of a byte on the wire, in ps; 0: not an integer */
};

#define FAB_CACHE_LINE	64

/*
 * The owner of the end sets rx, arg, tx_room and carrier; the fabric owns the other fields. A large
 * fabric does not fit into the cache, so fields that are used together share its lines.
 */
struct fab_port {
	void *arg __attribute__((aligned(FAB_CACHE_LINE)));
	union {
		/* Called for a frame that arrived; takes it over. NULL: no receiver. */
		void (*rx)(void *arg, struct frame *f);
		fab_switch_rx *switch_rx;	/* at a switch */
	};
	struct fab_port_stats stats;

	/* The frames on their way to the peer's rx, by the time of its call. */
	struct sim_event arrival __attribute__((aligned(FAB_CACHE_LINE)));	/* of the first */
	struct fab_xmit_queue flight;
	struct fab_port *peer;
	unsigned int down;		/* number of reasons why frames sent here are lost; 0: up */
	uint16_t order;			/* fixed one of arrivals among events; 0: none */
	bool queues : 1;		/* there are frames in queue */
	bool to_switch : 1;		/* the receiver is a switch */
	bool watched : 1;		/* there are a capture, a trace, rules or faults */
	bool late : 1;			/* a frame may have been delayed or duplicated */
	bool wants_room : 1;		/* tx_room is to be called once */
	bool notify_always : 1;		/* ... whenever the wire becomes free */

	struct sim *sim __attribute__((aligned(FAB_CACHE_LINE)));
	vtime_t free_at;		/* time at which the wire becomes free */
	uint64_t free_order;		/* place of that moment among events; 0: none is needed */
	struct fab_rate rate;
	vtime_t propagation;		/* of the link */
	vtime_t far_delay;		/* from the arrival at the peer to the call of its rx */
	/*
	 * Called after fab_tx_notify(), when a frame left the queue for the wire, or the wire
	 * became free. May send. Must be set before anything is sent. NULL: no callback.
	 */
	void (*tx_room)(void *arg);

	/* An event at free_at, while a frame or somebody waits for it. */
	struct sim_event wire_free __attribute__((aligned(FAB_CACHE_LINE)));
	size_t queue_limit;
	size_t queued;			/* bytes in queue */
	struct fab_xmit_queue queue;	/* frames waiting for the wire */

	/* Called when the link comes up or goes down in either direction. NULL: no callback. */
	void (*carrier)(void *arg, bool up);
	struct fab_capture *capture;	/* of the link */
	struct sim_track *track;	/* of the frames sent here; NULL: no trace */
	/* Rules, applied before @faults. NULL: none. */
	bool (*pass)(void *arg, struct fab_transit *transit);
	void *pass_arg;
	struct fab_faults faults;
	struct rng rng;			/* for the faults; each port has its own stream */
};

/*
 * Sends @f and takes it over in any case. Returns 0; -ENOBUFS if it was dropped because the queue
 * is full (counted); or -ENOMEM (counted). A frame always fits when the wire is free. The bytes of
 * @f must not change after the call.
 */
int fab_send(struct fab_port *port, struct frame *f);

/*
 * As fab_send(), for a frame with the head @head whose sending on a free wire could have begun @early ago. At the
 * earliest, it counts as begun such that its last bit leaves now.
 */
int fab_send_early(struct fab_port *port, struct frame *f, const struct fab_head *head,
		   vtime_t early);

/* Returns what switches read of @f. */
struct fab_head fab_head_of(const struct frame *f);

/*
 * Marks @f, which it takes over, as having met a long queue here, if the frame permits a mark
 * (counted). Returns the frame to send, which is a copy if @f is shared.
 */
struct frame *fab_port_mark(struct fab_port *port, struct frame *f);

/* Returns whether a frame is on the wire, so that fab_send() would queue. */
bool fab_tx_busy(const struct fab_port *port);

/* Returns the room in the transmit queue, in bytes of frames. */
size_t fab_tx_room(const struct fab_port *port);

/* Asks for one call of tx_room; the wire is busy. */
void fab_tx_notify(struct fab_port *port);

/* Asks for a call of tx_room whenever the wire becomes free, before anything is sent. */
void fab_tx_notify_always(struct fab_port *port);

/* Makes a switch the receiver of frames that arrive at @port; NULL: there is no receiver. */
void fab_port_set_switch(struct fab_port *port, fab_switch_rx *rx, void *arg);

/* Sets the time from a frame's arrival at @port to its receipt, before frames are sent to it. */
void fab_port_set_rx_delay(struct fab_port *port, vtime_t delay);

/*
 * Sets the function that applies rules to every frame that @port begins to send; it returns false
 * if the frame is lost. NULL: none.
 */
void fab_port_set_pass(struct fab_port *port,
		       bool (*pass)(void *arg, struct fab_transit *transit), void *arg);

/*
 * Gives the arrivals of frames that @port sends a fixed place among the receiver's events of the same
 * time, not 0. Otherwise the place depends on when a frame was sent.
 */
void fab_port_set_order(struct fab_port *port, uint16_t order);

/* Sets the domains of @port and of its receiver, before anything is sent. Initially 0. */
void fab_port_set_domains(struct fab_port *port, uint16_t own, uint16_t receiver);

/* To be called when the capture of the link, or the track of @port, came or went. */
void fab_port_watch(struct fab_port *port);

/*
 * Sets the faults of frames that @port begins to send from now on; all-zero: none. Returns 0, or
 * the error of fab_faults_check() without a change.
 */
int fab_port_set_faults(struct fab_port *port, const struct fab_faults *faults);

/*
 * Adds (@down) or removes a reason why frames sent at @port are lost. The first reason loses the
 * frames in flight from here to the other end too; queued frames are lost when they are sent. Both
 * ends are notified, as by Ethernet's link fault signalling.
 */
void fab_port_set_down(struct fab_port *port, bool down);

/* Returns true unless a direction of the link is down. */
bool fab_port_carrier(const struct fab_port *port);

/* Drops and counts all queued frames; the frame on the wire still arrives. */
void fab_port_drop_queue(struct fab_port *port);

/* Drops frames that arrived here and were not given to rx; returns their number. Not counted. */
uint64_t fab_port_drop_arrived(struct fab_port *port);

/* For a pass function: makes a copy of @f, which is borrowed, arrive at @at. Counts it. */
void fab_port_duplicate(struct fab_port *port, struct frame *f, vtime_t at);

/*
 * For a pass function: flips one bit of the frame. Returns false if out of memory (counted); the
 * frame is lost then.
 */
bool fab_port_corrupt(struct fab_transit *transit);

/* Returns the wire time of a frame of @len bytes with its overhead, rounded up to 1 ps. */
vtime_t fab_wire_time(uint64_t bits_per_s, size_t len);

/* The same, without a division if a byte takes an integer number of picoseconds. */
static inline vtime_t fab_rate_time(const struct fab_rate *rate, size_t len)
{
	if (!rate->byte_time)
		return fab_wire_time(rate->bits_per_s, len);
	return ((len < FRAME_MIN ? FRAME_MIN : len) + ETH_OVERHEAD_BYTES) * rate->byte_time;
}

/* Makes the cache fetch what a call of fab_send() will use. */
static inline __attribute__((always_inline)) void fab_port_prefetch(const struct fab_port *port)
{
	__builtin_prefetch(port);
	__builtin_prefetch(&port->arrival);
	__builtin_prefetch(&port->sim);
}

/* For fab_link_new() and fab_link_free(). */
void fab_port_init(struct fab_port *port, struct sim *sim, const struct fab_link_params *params,
		   struct fab_port *peer, struct fab_capture *capture);
void fab_port_drop_all(struct fab_port *port);

#endif
