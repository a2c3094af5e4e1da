// SPDX-License-Identifier: BSD-2-Clause
#include "fabric/port.h"

#include <errno.h>
#include <string.h>

#include "core/pool.h"
#include "fabric/frame_trace.h"
#include "wire/ecn.h"

/* When the receiver gets a frame, and the place among events at that time. */
struct moment {
	vtime_t at;
	uint64_t order;
};

/*
 * A frame sent by a port: first in its queue, then in flight. It knows the moment of the next one,
 * because that one is seldom in the cache.
 */
struct fab_xmit {
	struct fab_xmit *next;
	struct moment when, next_when;
	struct frame *f;
	struct fab_head head;
};

/* Puts @x behind @before, or first if that is NULL. */
static void insert(struct fab_xmit_queue *q, struct fab_xmit *before, struct fab_xmit *x)
{
	struct fab_xmit **link = before ? &before->next : &q->first;

	x->next = *link;
	*link = x;
	if (before)
		before->next_when = x->when;
	if (x->next)
		x->next_when = x->next->when;
	else
		q->last = x;
}

/* Only writes to the last one, so that nothing waits for the cache. */
static void append(struct fab_xmit_queue *q, struct fab_xmit *x)
{
	x->next = NULL;
	if (q->first) {
		q->last->next = x;
		q->last->next_when = x->when;
	} else {
		q->first = x;
	}
	q->last = x;
}

static struct fab_xmit *take_first(struct fab_xmit_queue *q)
{
	struct fab_xmit *x = q->first;

	if (x)
		q->first = x->next;
	return x;
}

/* Takes over @f only on success. */
static struct fab_xmit *xmit_new(struct fab_port *from, struct frame *f,
				 const struct fab_head *head)
{
	struct fab_xmit *x = pool_alloc(sizeof(*x));

	if (!x) {
		from->stats.no_memory++;
		return NULL;
	}
	x->f = f;
	x->head = *head;
	return x;
}

/* Frees @x without its frame. */
static void xmit_free(struct fab_xmit *x)
{
	pool_free(x, sizeof(*x));
}

static void xmit_drop(struct fab_xmit *x)
{
	frame_unref(x->f);
	xmit_free(x);
}

/* Lets the event follow the first frame in flight, which the receiver gets at @when. */
static void follow(struct fab_port *port, const struct moment *when)
{
	port->arrival.touches = port->flight.first;
	sim_schedule_reserved(port->sim, &port->arrival, when->at, when->order);
}

/* The caches fetch the receiver while the event of the next frame is scheduled. */

static void arrive(void *arg)
{
	struct fab_port *from = arg, *to = from->peer;
	struct fab_xmit *x = take_first(&from->flight);
	struct fab_head head = x->head;
	struct frame *f = x->f;

	__builtin_prefetch(to);
	if (!from->to_switch)
		__builtin_prefetch(f);
	if (x->next)
		follow(from, &x->next_when);
	xmit_free(x);
	if (!to->rx) {
		to->stats.rx_unattached++;
		frame_unref(f);
		return;
	}
	to->stats.rx_frames++;
	to->stats.rx_bytes += head.len;
	if (from->to_switch)
		to->switch_rx(to->arg, f, &head);
	else
		to->rx(to->arg, f);
}

/* Adds times; a sum beyond the range is VT_NEVER. */
static vtime_t later(vtime_t at, vtime_t by)
{
	return __builtin_add_overflow(at, by, &at) ? VT_NEVER : at;
}

/* Puts @x into the row of frames in flight, where only a fault lets a frame precede others. */
static void insert_flight(struct fab_port *port, struct fab_xmit *x)
{
	struct fab_xmit_queue *flight = &port->flight;
	struct fab_xmit *before = NULL, *next;

	if (!port->late || !flight->first || flight->last->when.at <= x->when.at) {
		append(flight, x);
		return;
	}
	for (next = flight->first; next->when.at <= x->when.at; next = next->next)
		before = next;
	insert(flight, before, x);
}

/* Makes @x, which is in no list, arrive at @at. */
static void take_off(struct fab_port *port, struct fab_xmit *x, vtime_t at)
{
	x->when.at = later(at, port->far_delay);
	x->when.order = port->order ? port->order : sim_reserve(port->sim);
	insert_flight(port, x);
	if (port->flight.first == x)
		follow(port, &x->when);
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

/* As take_off(); the corruption and delay faults may change the frame and the time. */
static void fly(struct fab_port *port, struct fab_xmit *x, vtime_t at)
{
	struct fab_transit p = { .port = port, .f = x->f, .at = at };

	if (rng_chance(&port->rng, port->faults.corrupt)) {
		if (!fab_port_corrupt(&p)) {
			xmit_free(x);
			return;
		}
		x->f = p.f;
		x->head = fab_head_of(p.f);
	}
	if (rng_chance(&port->rng, port->faults.delay)) {
		at = later(at, 1 + rng_below(&port->rng, port->faults.delay_max));
		port->stats.fault_delays++;
	}
	take_off(port, x, at);
}

void fab_port_duplicate(struct fab_port *port, struct frame *f, vtime_t at)
{
	const struct fab_head head = fab_head_of(f);
	struct fab_xmit *twin = xmit_new(port, f, &head);

	if (!twin)
		return;
	frame_ref(f);
	port->stats.fault_duplicates++;
	fly(port, twin, at);
}

static bool survives(struct fab_port *port)
{
	if (!rng_chance(&port->rng, port->faults.drop))
		return true;
	port->stats.fault_drops++;
	return false;
}

/* Applies faults. Returns false if the frame is lost; the caller frees @x. */
static bool meet_faults(struct fab_port *port, struct fab_xmit *x, vtime_t *at, vtime_t gap)
{
	struct fab_transit p = { .port = port, .f = x->f, .at = *at, .gap = gap };
	bool passed = !port->pass || port->pass(port->pass_arg, &p);

	if (p.f && x->f != p.f)
		x->head = fab_head_of(p.f);
	x->f = p.f;
	*at = p.at;
	/* A rule may have brought the link down. */
	if (passed && port->down) {
		port->stats.down_drops++;
		return false;
	}
	return passed && survives(port);
}

/* As launch(), where there may be faults. */
static void launch_into_faults(struct fab_port *port, struct fab_xmit *x, vtime_t at, vtime_t gap)
{
	struct fab_xmit *twin = NULL;

	port->late = true;
	if (!meet_faults(port, x, &at, gap)) {
		xmit_drop(x);
		return;
	}
	if (rng_chance(&port->rng, port->faults.duplicate))
		twin = xmit_new(port, x->f, &x->head);
	if (twin) {
		frame_ref(twin->f);
		port->stats.fault_duplicates++;
	}
	fly(port, x, at);
	if (twin)
		fly(port, twin, later(at, gap));
}

/* Makes the last bit of @x arrive at @at; a duplicate would follow after @gap. */
static void launch(struct fab_port *port, struct fab_xmit *x, vtime_t at, vtime_t gap)
{
	if (port->down) {
		port->stats.down_drops++;
		xmit_drop(x);
	} else if (port->watched) {
		launch_into_faults(port, x, at, gap);
	} else {
		take_off(port, x, at);
	}
}

/* Records a frame whose first bit leaves at @begin. */
static void record(struct fab_port *port, const struct frame *f, vtime_t begin)
{
	fab_capture_frame(port->capture, sim_now(port->sim), f);
	if (port->track)
		fab_trace_frame(port->track, f, begin, port->free_at);
}

/* Makes wire_free() run when the wire becomes free; the place of that moment may be reserved. */
static void await_wire(struct fab_port *port)
{
	if (sim_pending(&port->wire_free))
		return;
	port->wire_free.touches = port->queue.first;
	if (!port->free_order)
		port->free_order = sim_reserve(port->sim);
	sim_schedule_reserved(port->sim, &port->wire_free, port->free_at, port->free_order);
}

/* Puts @x on the wire, which is free; its first bit may have left @early ago. */
static void start(struct fab_port *port, struct fab_xmit *x, vtime_t early)
{
	vtime_t wire_time = fab_rate_time(&port->rate, x->head.len);
	vtime_t begin = sim_now(port->sim);

	begin -= early < wire_time ? early : wire_time;
	if (begin < port->free_at)
		begin = port->free_at;
	port->free_at = begin + wire_time;
	port->free_order = port->tx_room ? sim_reserve(port->sim) : 0;
	port->stats.tx_frames++;
	port->stats.tx_bytes += x->head.len;
	if (port->watched)
		record(port, x->f, begin);
	if (port->queues || port->notify_always)
		await_wire(port);
	launch(port, x, port->free_at + port->propagation, wire_time);
}

void fab_tx_notify_always(struct fab_port *port)
{
	port->notify_always = true;
}

static void wire_free(void *arg)
{
	struct fab_port *port = arg;
	struct fab_xmit *x = take_first(&port->queue);

	port->queues = port->queue.first;
	fab_port_prefetch(port);
	if (x) {
		port->queued -= x->head.len;
		start(port, x, 0);
	}
	if ((port->wants_room || port->notify_always) && port->tx_room) {
		port->wants_room = false;
		port->tx_room(port->arg);
	}
}

static void enqueue(struct fab_port *port, struct fab_xmit *x)
{
	append(&port->queue, x);
	port->queues = true;
	port->queued += x->head.len;
	await_wire(port);
}

void fab_tx_notify(struct fab_port *port)
{
	port->wants_room = true;
	await_wire(port);
}

struct fab_head fab_head_of(const struct frame *f)
{
	struct fab_head head = { .len = f->len };

	if (f->len >= sizeof(head.dmac))
		memcpy(head.dmac, f->data, sizeof(head.dmac));
	return head;
}

int fab_send_early(struct fab_port *port, struct frame *f, const struct fab_head *head,
		   vtime_t early)
{
	bool busy = fab_tx_busy(port);
	struct fab_xmit *x;

	if (busy && head->len > fab_tx_room(port)) {
		port->stats.tx_queue_full++;
		frame_unref(f);
		return -ENOBUFS;
	}
	x = xmit_new(port, f, head);
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
	const struct fab_head head = fab_head_of(f);

	return fab_send_early(port, f, &head, 0);
}

struct frame *fab_port_mark(struct fab_port *port, struct frame *f)
{
	port->stats.ecn_marked += ecn_mark(&f);
	return f;
}

/* At the time at which the wire becomes free, a queued frame precedes a new one. */
bool fab_tx_busy(const struct fab_port *port)
{
	return !sim_passed(port->sim, port->free_at, port->free_order);
}

size_t fab_tx_room(const struct fab_port *port)
{
	return port->queued < port->queue_limit ? port->queue_limit - port->queued : 0;
}

int fab_port_set_faults(struct fab_port *port, const struct fab_faults *faults)
{
	int err = fab_faults_check(faults);

	if (err)
		return err;
	port->faults = *faults;
	fab_port_watch(port);
	return 0;
}

void fab_port_set_pass(struct fab_port *port,
		       bool (*pass)(void *arg, struct fab_transit *transit), void *arg)
{
	port->pass = pass;
	port->pass_arg = arg;
	fab_port_watch(port);
}

void fab_port_set_switch(struct fab_port *port, fab_switch_rx *rx, void *arg)
{
	port->switch_rx = rx;
	port->arg = arg;
	port->peer->to_switch = rx != NULL;
}

void fab_port_set_rx_delay(struct fab_port *port, vtime_t delay)
{
	port->peer->far_delay = delay;
}

void fab_port_set_order(struct fab_port *port, uint16_t order)
{
	port->order = order;
}

void fab_port_set_domains(struct fab_port *port, uint16_t own, uint16_t receiver)
{
	port->wire_free.domain = own;
	port->arrival.domain = receiver;
}

void fab_port_watch(struct fab_port *port)
{
	const struct fab_faults *f = &port->faults;

	port->watched = port->capture->file || port->track || port->pass ||
			f->drop > 0 || f->duplicate > 0 || f->corrupt > 0 || f->delay > 0;
}

vtime_t fab_wire_time(uint64_t bits_per_s, size_t len)
{
	uint64_t bits = 8 * ((len < FRAME_MIN ? FRAME_MIN : len) + ETH_OVERHEAD_BYTES);

	/* FRAME_MAX keeps the product within 64 bits. */
	return bits * VT_S / bits_per_s + (bits * VT_S % bits_per_s != 0);
}

void fab_port_init(struct fab_port *port, struct sim *sim, const struct fab_link_params *params,
		   struct fab_port *peer, struct fab_capture *capture)
{
	*port = (struct fab_port){
		.sim = sim, .peer = peer, .capture = capture,
		.propagation = params->propagation,
		.rate.bits_per_s = params->bits_per_s,
		.rate.byte_time = 8 * VT_S % params->bits_per_s ? 0 : 8 * VT_S / params->bits_per_s,
		.queue_limit = params->queue_bytes,
	};
	rng_seed(&port->rng, rng_next(sim_rng(port->sim)));
	sim_event_init(&port->wire_free, wire_free, port);
	sim_event_init(&port->arrival, arrive, port);
}

/* Empties the queue; returns the number of frames in it. */
static uint64_t empty_queue(struct fab_port *port)
{
	struct fab_xmit *x;
	uint64_t n = 0;

	for (; (x = take_first(&port->queue)); n++)
		xmit_drop(x);
	port->queued = 0;
	port->queues = false;
	return n;
}

/* Drops the frames in flight that have arrived (@arrived), or the others; returns their number. */
static uint64_t end_flight(struct fab_port *port, bool arrived)
{
	vtime_t late = later(sim_now(port->sim), port->far_delay);
	struct fab_xmit_queue all = port->flight;
	struct fab_xmit *x;
	uint64_t n = 0;

	port->flight.first = NULL;
	while ((x = take_first(&all))) {
		if ((x->when.at < late) == arrived) {
			xmit_drop(x);
			n++;
		} else {
			append(&port->flight, x);
		}
	}
	if (port->flight.first)
		follow(port, &port->flight.first->when);
	else
		sim_cancel(port->sim, &port->arrival);
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
