// SPDX-License-Identifier: BSD-2-Clause
#include "fabric/port.h"

#include <errno.h>
#include <stdlib.h>

#include "fabric/link.h"

/* A frame on its way from a port: first in its queue, then in flight. */
struct fab_xmit {
	TAILQ_ENTRY(fab_xmit) entry;
	struct fab_port *from;
	struct frame *f;
	struct sim_event arrival;
};

static void arrive(void *arg);

/* Takes @f over only if it succeeds. */
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

/* A time past the end of time is never. */
static vtime_t later(vtime_t at, vtime_t by)
{
	return __builtin_add_overflow(at, by, &at) ? VT_NEVER : at;
}

bool fab_port_corrupt(struct fab_passage *p)
{
	p->f = fab_flip_a_bit(&p->port->rng, p->f);
	if (!p->f) {
		p->port->stats.no_memory++;
		return false;
	}
	p->port->stats.fault_corruptions++;
	return true;
}

/* Lets @x, in no list, arrive at @at, unless corruption or delay change that. */
static void fly(struct fab_xmit *x, vtime_t at)
{
	struct fab_port *port = x->from;
	struct fab_passage p = { .port = port, .f = x->f, .at = at };

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
	sim_schedule(fab_link_sim(port->link), &x->arrival, at);
}

void fab_port_twin(struct fab_port *port, struct frame *f, vtime_t at)
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

/* False: the frame is lost, and @x without it. */
static bool meet_faults(struct fab_xmit *x, vtime_t *at, vtime_t gap)
{
	struct fab_port *port = x->from;
	struct fab_passage p = { .port = port, .f = x->f, .at = *at, .gap = gap };
	bool passed = !port->pass || port->pass(port->pass_arg, &p);

	x->f = p.f;
	*at = p.at;
	/* What passed may have brought the link down. */
	if (passed && port->down) {
		port->stats.down_drops++;
		return false;
	}
	return passed && survives(port);
}

/* The last bit of @x gets to the other end at @at; a second copy would follow after @gap. */
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

/* Puts @x on the wire, which is free. */
static void start(struct fab_port *port, struct fab_xmit *x)
{
	const struct fab_link_params *params = fab_link_params(port->link);
	struct sim *sim = fab_link_sim(port->link);
	vtime_t wire_time = fab_wire_time(params->bits_per_s, x->f->len);
	vtime_t free_at = sim_now(sim) + wire_time;

	port->stats.tx_frames++;
	port->stats.tx_bytes += x->f->len;
	fab_link_record(port->link, x->f);
	sim_schedule(sim, &port->wire_free, free_at);
	launch(x, free_at + params->propagation, wire_time);
}

static void wire_free(void *arg)
{
	struct fab_port *port = arg;
	struct fab_xmit *x = TAILQ_FIRST(&port->queue);

	if (x) {
		TAILQ_REMOVE(&port->queue, x, entry);
		port->queued -= x->f->len;
		start(port, x);
	}
	if (port->tx_room)
		port->tx_room(port->arg);
}

int fab_send(struct fab_port *port, struct frame *f)
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
	if (busy) {
		TAILQ_INSERT_TAIL(&port->queue, x, entry);
		port->queued += f->len;
	} else {
		start(port, x);
	}
	return 0;
}

bool fab_tx_busy(const struct fab_port *port)
{
	return sim_pending(&port->wire_free);
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

void fab_port_init(struct fab_port *port, struct fab_link *link, struct fab_port *peer)
{
	*port = (struct fab_port){
		.link = link, .peer = peer,
		.queue_limit = fab_link_params(link)->queue_bytes,
	};
	TAILQ_INIT(&port->queue);
	TAILQ_INIT(&port->flight);
	rng_seed(&port->rng, rng_next(sim_rng(fab_link_sim(link))));
	sim_event_init(&port->wire_free, wire_free, port);
}

/* Empties the queue; returns how many frames that were. */
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

static uint64_t empty_flight(struct fab_port *port)
{
	struct fab_xmit *x;
	uint64_t n = 0;

	for (; (x = TAILQ_FIRST(&port->flight)); n++) {
		TAILQ_REMOVE(&port->flight, x, entry);
		sim_cancel(fab_link_sim(port->link), &x->arrival);
		xmit_free(x);
	}
	return n;
}

void fab_port_drop_queue(struct fab_port *port)
{
	port->stats.down_drops += empty_queue(port);
}

void fab_port_set_down(struct fab_port *port, bool down)
{
	if (!down)
		port->down--;
	else if (!port->down++)
		port->stats.down_drops += empty_flight(port);
}

void fab_port_drop_all(struct fab_port *port)
{
	sim_cancel(fab_link_sim(port->link), &port->wire_free);
	empty_queue(port);
	empty_flight(port);
}
