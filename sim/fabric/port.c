// SPDX-License-Identifier: BSD-2-Clause
#include "fabric/port.h"

#include <errno.h>
#include <stdlib.h>

#include "fabric/frame_trace.h"
#include "wire/ecn.h"

/* A frame sent by a port: first in its queue, then in flight. */
struct fab_xmit {
	TAILQ_ENTRY(fab_xmit) entry;
	struct fab_port *from;
	struct frame *f;
	struct sim_event arrival;
};

static void arrive(void *arg);

/* Takes over @f only on success. */
static struct fab_xmit *xmit_new(struct fab_port *from, struct frame *f)
{
	struct fab_xmit *x = malloc(sizeof(*x));

	if (!x) {
		from->stats.no_memory++;
		return NULL;
	}
	x->from = from;
	x->f = f;
	sim_event_init(&x->arrival, arrive, x);
	return x;
}

static void xmit_free(struct fab_xmit *x)
{
	frame_unref(x->f);
	free(x);
}

static void arrive(void *arg)
{
	struct fab_xmit *x = arg;
	struct fab_port *to = x->from->peer;
	struct frame *f = x->f;

	TAILQ_REMOVE(&x->from->flight, x, entry);
	free(x);
	if (!to->rx) {
		to->stats.rx_unattached++;
		frame_unref(f);
		return;
	}
	to->stats.rx_frames++;
	to->stats.rx_bytes += f->len;
	to->rx(to->arg, f);
}

/* Adds times; a sum beyond the range is VT_NEVER. */
static vtime_t later(vtime_t at, vtime_t by)
{
	return __builtin_add_overflow(at, by, &at) ? VT_NEVER : at;
}

bool fab_port_corrupt(struct fab_transit *p)
{
	p->f = fab_flip_random_bit(&p->port->rng, p->f);
	if (!p->f) {
		p->port->stats.no_memory++;
		return false;
	}
	p->port->stats.fault_corruptions++;
	return true;
}

/* Makes @x, which is in no list, arrive at @at; the corruption and delay faults may change that. */
static void fly(struct fab_xmit *x, vtime_t at)
{
	struct fab_port *port = x->from;
	struct fab_transit p = { .port = port, .f = x->f, .at = at };

	if (rng_chance(&port->rng, port->faults.corrupt)) {
		if (!fab_port_corrupt(&p)) {
			free(x);
			return;
		}
		x->f = p.f;
	}
	if (rng_chance(&port->rng, port->faults.delay)) {
		at = later(at, 1 + rng_below(&port->rng, port->faults.delay_max));
		port->stats.fault_delays++;
	}
	TAILQ_INSERT_TAIL(&port->flight, x, entry);
	sim_schedule(port->sim, &x->arrival, later(at, port->peer->rx_delay));
}

void fab_port_duplicate(struct fab_port *port, struct frame *f, vtime_t at)
{
	struct fab_xmit *twin = xmit_new(port, f);

	if (!twin)
		return;
	frame_ref(f);
	port->stats.fault_duplicates++;
	fly(twin, at);
}

static bool survives(struct fab_port *port)
{
	if (!rng_chance(&port->rng, port->faults.drop))
		return true;
	port->stats.fault_drops++;
	return false;
}

/* Applies faults. Returns false if the frame is lost; the caller frees @x. */
static bool meet_faults(struct fab_xmit *x, vtime_t *at, vtime_t gap)
{
	struct fab_port *port = x->from;
	struct fab_transit p = { .port = port, .f = x->f, .at = *at, .gap = gap };
	bool passed = !port->pass || port->pass(port->pass_arg, &p);

	x->f = p.f;
	*at = p.at;
	/* A rule may have brought the link down. */
	if (passed && port->down) {
		port->stats.down_drops++;
		return false;
	}
	return passed && survives(port);
}

/* Makes the last bit of @x arrive at @at; a duplicate would follow after @gap. */
static void launch(struct fab_xmit *x, vtime_t at, vtime_t gap)
{
	struct fab_port *port = x->from;
	struct fab_xmit *twin = NULL;

	if (port->down) {
		port->stats.down_drops++;
		xmit_free(x);
		return;
	}
	if (!meet_faults(x, &at, gap)) {
		xmit_free(x);
		return;
	}
	if (rng_chance(&port->rng, port->faults.duplicate))
		twin = xmit_new(port, x->f);
	if (twin) {
		frame_ref(twin->f);
		port->stats.fault_duplicates++;
	}
	fly(x, at);
	if (twin)
		fly(twin, later(at, gap));
}

/* Puts @x on the wire, which is free; its first bit may have left @early ago. */
static void start(struct fab_port *port, struct fab_xmit *x, vtime_t early)
{
	vtime_t wire_time = fab_port_wire_time(port, x->f->len);
	vtime_t begin = sim_now(port->sim);

	begin -= early < wire_time ? early : wire_time;
	if (begin < port->free_at)
		begin = port->free_at;
	port->free_at = begin + wire_time;
	port->stats.tx_frames++;
	port->stats.tx_bytes += x->f->len;
	fab_capture_frame(port->capture, sim_now(port->sim), x->f);
	if (port->track)
		fab_trace_frame(port->track, x->f, begin, port->free_at);
	if (port->tx_room || !TAILQ_EMPTY(&port->queue))
		sim_schedule(port->sim, &port->wire_free, port->free_at);
	launch(x, port->free_at + port->propagation, wire_time);
}

static void wire_free(void *arg)
{
	struct fab_port *port = arg;
	struct fab_xmit *x = TAILQ_FIRST(&port->queue);

	if (x) {
		TAILQ_REMOVE(&port->queue, x, entry);
		port->queued -= x->f->len;
		start(port, x, 0);
	}
	if (port->tx_room)
		port->tx_room(port->arg);
}

static void enqueue(struct fab_port *port, struct fab_xmit *x)
{
	TAILQ_INSERT_TAIL(&port->queue, x, entry);
	port->queued += x->f->len;
	if (!sim_pending(&port->wire_free))
		sim_schedule(port->sim, &port->wire_free, port->free_at);
}

int fab_send_early(struct fab_port *port, struct frame *f, vtime_t early)
{
	bool busy = fab_tx_busy(port);
	struct fab_xmit *x;

	if (busy && f->len > fab_tx_room(port)) {
		port->stats.tx_queue_full++;
		frame_unref(f);
		return -ENOBUFS;
	}
	x = xmit_new(port, f);
	if (!x) {
		frame_unref(f);
		return -ENOMEM;
	}
	if (busy)
		enqueue(port, x);
	else
		start(port, x, early);
	return 0;
}

int fab_send(struct fab_port *port, struct frame *f)
{
	return fab_send_early(port, f, 0);
}

struct frame *fab_port_mark(struct fab_port *port, struct frame *f)
{
	port->stats.ecn_marked += ecn_mark(&f);
	return f;
}

/* At the time at which the wire becomes free, a queued frame precedes a new one. */
bool fab_tx_busy(const struct fab_port *port)
{
	return sim_pending(&port->wire_free) || sim_now(port->sim) < port->free_at;
}

size_t fab_tx_room(const struct fab_port *port)
{
	return port->queued < port->queue_limit ? port->queue_limit - port->queued : 0;
}

int fab_port_set_faults(struct fab_port *port, const struct fab_faults *faults)
{
	int err = fab_faults_check(faults);

	if (!err)
		port->faults = *faults;
	return err;
}

vtime_t fab_wire_time(uint64_t bits_per_s, size_t len)
{
	uint64_t bits = 8 * ((len < FRAME_MIN ? FRAME_MIN : len) + ETH_OVERHEAD_BYTES);

	/* FRAME_MAX keeps the product within 64 bits. */
	return bits * VT_S / bits_per_s + (bits * VT_S % bits_per_s != 0);
}

vtime_t fab_port_wire_time(const struct fab_port *port, size_t len)
{
	if (!port->byte_time)
		return fab_wire_time(port->bits_per_s, len);
	return ((len < FRAME_MIN ? FRAME_MIN : len) + ETH_OVERHEAD_BYTES) * port->byte_time;
}

void fab_port_init(struct fab_port *port, struct sim *sim, const struct fab_link_params *params,
		   struct fab_port *peer, struct fab_capture *capture)
{
	*port = (struct fab_port){
		.sim = sim, .peer = peer, .capture = capture,
		.propagation = params->propagation,
		.bits_per_s = params->bits_per_s,
		.queue_limit = params->queue_bytes,
		.byte_time = 8 * VT_S % params->bits_per_s ? 0 : 8 * VT_S / params->bits_per_s,
	};
	TAILQ_INIT(&port->queue);
	TAILQ_INIT(&port->flight);
	rng_seed(&port->rng, rng_next(sim_rng(port->sim)));
	sim_event_init(&port->wire_free, wire_free, port);
}

/* Empties the queue; returns the number of frames in it. */
static uint64_t empty_queue(struct fab_port *port)
{
	struct fab_xmit *x;
	uint64_t n = 0;

	for (; (x = TAILQ_FIRST(&port->queue)); n++) {
		TAILQ_REMOVE(&port->queue, x, entry);
		xmit_free(x);
	}
	port->queued = 0;
	return n;
}

/* Drops the frames in flight that have arrived (@arrived), or the others; returns their number. */
static uint64_t end_flight(struct fab_port *port, bool arrived)
{
	vtime_t late = later(sim_now(port->sim), port->peer->rx_delay);
	struct fab_xmit *x, *next;
	uint64_t n = 0;

	for (x = TAILQ_FIRST(&port->flight); x; x = next) {
		next = TAILQ_NEXT(x, entry);
		if ((x->arrival.at < late) != arrived)
			continue;
		TAILQ_REMOVE(&port->flight, x, entry);
		sim_cancel(port->sim, &x->arrival);
		xmit_free(x);
		n++;
	}
	return n;
}

uint64_t fab_port_drop_arrived(struct fab_port *port)
{
	return end_flight(port->peer, true);
}

void fab_port_drop_queue(struct fab_port *port)
{
	port->stats.down_drops += empty_queue(port);
}

bool fab_port_carrier(const struct fab_port *port)
{
	return !port->down && !port->peer->down;
}

static void tell_carrier(const struct fab_port *port, bool up)
{
	if (port->carrier)
		port->carrier(port->arg, up);
}

void fab_port_set_down(struct fab_port *port, bool down)
{
	bool was_up = fab_port_carrier(port);
	bool is_up;

	if (!down)
		port->down--;
	else if (!port->down++)
		port->stats.down_drops += end_flight(port, false);
	is_up = fab_port_carrier(port);
	if (is_up == was_up)
		return;
	tell_carrier(port, is_up);
	tell_carrier(port->peer, is_up);
}

void fab_port_drop_all(struct fab_port *port)
{
	sim_cancel(port->sim, &port->wire_free);
	empty_queue(port);
	end_flight(port, false);
	end_flight(port, true);
}
