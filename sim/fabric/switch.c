// SPDX-License-Identifier: BSD-2-Clause
#include "fabric/switch.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/queue.h>

#include "core/pool.h"
#include "fabric/port_groups.h"
#include "fabric/route_table.h"

struct switch_port {
	struct fab_switch *sw;
	struct fab_port *end;	/* NULL: nothing attached */
	struct fab_rate rate;	/* of the link there */
};

/* A frame inside a switch that is part of a NIC; in other switches, frames belong to the links. */
struct transit {
	TAILQ_ENTRY(transit) entry;
	struct switch_port *in;
	struct frame *f;
	struct fab_head head;
	struct sim_event done;
};

struct fab_switch {
	struct sim *sim;
	struct fab_switch_params params;
	struct fab_switch_stats stats;
	struct route_table routes;
	struct port_groups groups;
	bool no_flooding;
	struct switch_port *inner;	/* port of the NIC that contains the switch; NULL: none */
	unsigned int dead;	/* number of reasons; 0: alive */
	TAILQ_HEAD(, transit) inside;
	struct switch_port port[];
};

/* Returns how much earlier a cut-through switch could have begun to send the frame. */
static vtime_t head_start(const struct switch_port *in, const struct switch_port *out,
			  size_t len)
{
	const struct fab_switch *sw = in->sw;

	if (!sw->params.cut_through && in != sw->inner && out != sw->inner)
		return 0;
	return fab_rate_time(&in->rate, len);
}

static void output(struct fab_switch *sw, const struct switch_port *in,
		   const struct switch_port *out, struct frame *f, const struct fab_head *head)
{
	if (sw->params.ecn_bytes && out->end->queues && out->end->queued > sw->params.ecn_bytes &&
	    fab_tx_room(out->end) >= head->len)
		f = fab_port_mark(out->end, f);
	switch (fab_send_early(out->end, f, head, head_start(in, out, head->len))) {
	case -ENOBUFS:
		sw->stats.queue_full++;
		break;
	case -ENOMEM:
		sw->stats.no_memory++;
		break;
	}
}

static void flood(struct fab_switch *sw, const struct switch_port *in, struct frame *f,
		  const struct fab_head *head)
{
	sw->stats.flooded++;
	for (unsigned int i = 0; i < sw->params.ports; i++)
		if (&sw->port[i] != in && sw->port[i].end)
			output(sw, in, &sw->port[i], frame_ref(f), head);
	frame_unref(f);
}

/* Sends to all members of @g except @in and the inner port, which had its copy on arrival. */
static void multicast(struct fab_switch *sw, const struct port_group *g,
		      const struct switch_port *in, struct frame *f, const struct fab_head *head)
{
	sw->stats.multicast++;
	for (unsigned int i = 0; i < g->count; i++) {
		struct switch_port *out = &sw->port[g->port[i]];

		if (out != in && out != sw->inner)
			output(sw, in, out, frame_ref(f), head);
	}
	frame_unref(f);
}

static void forward_group(struct fab_switch *sw, const struct switch_port *in, struct frame *f,
			  const struct fab_head *head)
{
	const struct port_group *g = port_groups_find(&sw->groups, head->dmac);

	if (!g && !sw->no_flooding) {
		flood(sw, in, f, head);
	} else if (g && port_group_has(g, in - sw->port)) {
		multicast(sw, g, in, f, head);
	} else {
		sw->stats.stranger += g != NULL;
		sw->stats.unjoined += g == NULL;
		frame_unref(f);
	}
}

static void forward(struct fab_switch *sw, const struct switch_port *in, struct frame *f,
		    const struct fab_head *head)
{
	int out;

	if (head->dmac[0] & MAC_GROUP_BIT) {
		forward_group(sw, in, f, head);
		return;
	}
	out = route_table_find(&sw->routes, head->dmac);
	if (out >= 0 && &sw->port[out] != in) {
		fab_port_prefetch(sw->port[out].end);
		sw->stats.forwarded++;
		output(sw, in, &sw->port[out], f, head);
		return;
	}
	if (out < 0)
		sw->stats.unknown++;
	else
		sw->stats.hairpin++;
	frame_unref(f);
}

/*
 * Delivers a frame for the NIC that contains the switch. Returns false, and takes over @f, if there
 * is no other receiver.
 */
static bool passes_on(struct fab_switch *sw, const struct switch_port *in, struct frame *f,
		      const struct fab_head *head)
{
	unsigned int inner = sw->inner - sw->port;
	const struct port_group *g;

	if (head->dmac[0] & MAC_GROUP_BIT) {
		g = port_groups_find(&sw->groups, head->dmac);
		if (g && port_group_has(g, inner) && port_group_has(g, in - sw->port))
			output(sw, in, sw->inner, frame_ref(f), head);
		return true;
	}
	if (route_table_find(&sw->routes, head->dmac) != (int)inner)
		return true;
	forward(sw, in, f, head);
	return false;
}

static void transit_done(void *arg)
{
	struct transit *t = arg;
	struct fab_switch *sw = t->in->sw;
	struct switch_port *in = t->in;
	struct fab_head head = t->head;
	struct frame *f = t->f;

	TAILQ_REMOVE(&sw->inside, t, entry);
	pool_free(t, sizeof(*t));
	forward(sw, in, f, &head);
}

/* A frame that is not for the NIC that contains the switch is forwarded after the latency. */
static void enter(struct switch_port *in, struct frame *f, const struct fab_head *head)
{
	struct fab_switch *sw = in->sw;
	struct transit *t = pool_alloc(sizeof(*t));

	if (!t) {
		sw->stats.no_memory++;
		frame_unref(f);
		return;
	}
	t->in = in;
	t->f = f;
	t->head = *head;
	sim_event_init(&t->done, transit_done, t);
	TAILQ_INSERT_TAIL(&sw->inside, t, entry);
	sim_schedule_in(sw->sim, &t->done, sw->params.latency);
}

/* Called for a frame after the switch's latency, or at once if the switch is part of a NIC. */
static void switch_rx(void *arg, struct frame *f, const struct fab_head *head)
{
	struct switch_port *in = arg;
	struct fab_switch *sw = in->sw;

	if (sw->dead) {
		sw->stats.dead++;
		frame_unref(f);
		return;
	}
	sw->stats.received++;
	if (head->len < ETH_HEADER_BYTES) {
		sw->stats.runt++;
		frame_unref(f);
		return;
	}
	if (!sw->inner || in == sw->inner)
		forward(sw, in, f, head);
	else if (passes_on(sw, in, f, head))
		enter(in, f, head);
}

struct fab_switch *fab_switch_new(struct sim *sim, const struct fab_switch_params *params)
{
	struct fab_switch *sw;

	if (!params->ports || params->ports > FAB_SWITCH_PORTS_MAX) {
		errno = EINVAL;
		return NULL;
	}
	sw = calloc(1, sizeof(*sw) + params->ports * sizeof(sw->port[0]));
	if (!sw || route_table_init(&sw->routes)) {
		free(sw);
		errno = ENOMEM;
		return NULL;
	}
	sw->sim = sim;
	sw->params = *params;
	TAILQ_INIT(&sw->inside);
	for (unsigned int i = 0; i < params->ports; i++)
		sw->port[i].sw = sw;
	return sw;
}

/* Drops the frames inside the switch, but not those in its ports' queues. Returns their number. */
static uint64_t empty(struct fab_switch *sw)
{
	struct transit *t;
	uint64_t n = 0;

	for (; (t = TAILQ_FIRST(&sw->inside)); n++) {
		TAILQ_REMOVE(&sw->inside, t, entry);
		sim_cancel(sw->sim, &t->done);
		frame_unref(t->f);
		pool_free(t, sizeof(*t));
	}
	for (unsigned int i = 0; i < sw->params.ports; i++)
		if (sw->port[i].end)
			n += fab_port_drop_arrived(sw->port[i].end);
	return n;
}

static void unplug(struct fab_port *end)
{
	fab_port_set_switch(end, NULL, NULL);
	fab_port_set_rx_delay(end, 0);
}

void fab_switch_free(struct fab_switch *sw)
{
	if (!sw)
		return;
	empty(sw);
	for (unsigned int i = 0; i < sw->params.ports; i++)
		if (sw->port[i].end)
			unplug(sw->port[i].end);
	route_table_free(&sw->routes);
	port_groups_clear(&sw->groups);
	free(sw);
}

int fab_switch_attach(struct fab_switch *sw, unsigned int index, struct fab_port *end)
{
	if (index >= sw->params.ports)
		return -ERANGE;
	if (sw->port[index].end || end->rx)
		return -EBUSY;
	sw->port[index].end = end;
	sw->port[index].rate = end->rate;
	fab_port_set_switch(end, switch_rx, &sw->port[index]);
	end->queue_limit = sw->params.queue_bytes;
	fab_port_set_rx_delay(end, sw->params.latency);
	return 0;
}

int fab_switch_learn(struct fab_switch *sw, const uint8_t mac[6], unsigned int index)
{
	if (index >= sw->params.ports)
		return -ERANGE;
	if (!sw->port[index].end)
		return -ENOTCONN;
	if (mac[0] & MAC_GROUP_BIT)
		return -EINVAL;
	return route_table_set(&sw->routes, mac, index);
}

void fab_switch_share_numbers(struct fab_switch *sw, const struct fab_switch *other)
{
	route_table_share(&sw->routes, &other->routes);
}

int fab_switch_join(struct fab_switch *sw, const uint8_t mac[6], unsigned int index)
{
	if (index >= sw->params.ports)
		return -ERANGE;
	if (!sw->port[index].end)
		return -ENOTCONN;
	if (!(mac[0] & MAC_GROUP_BIT))
		return -EINVAL;
	return port_groups_join(&sw->groups, mac, index);
}

void fab_switch_leave(struct fab_switch *sw, const uint8_t mac[6])
{
	port_groups_leave(&sw->groups, mac);
}

void fab_switch_set_flooding(struct fab_switch *sw, bool flooding)
{
	sw->no_flooding = !flooding;
}

void fab_switch_set_inner(struct fab_switch *sw, unsigned int index)
{
	sw->inner = &sw->port[index];
	for (unsigned int i = 0; i < sw->params.ports; i++)
		if (sw->port[i].end) {
			sw->port[i].end->queue_limit = SIZE_MAX;
			fab_port_set_rx_delay(sw->port[i].end, 0);
		}
}

void fab_switch_set_dead(struct fab_switch *sw, bool dead)
{
	/* The switch is emptied at its revival too: frames that arrived meanwhile must not pass. */
	if (dead ? !sw->dead++ : !--sw->dead)
		sw->stats.dead += empty(sw);
	if (!dead || sw->dead > 1)
		return;
	for (unsigned int i = 0; i < sw->params.ports; i++)
		if (sw->port[i].end)
			fab_port_drop_queue(sw->port[i].end);
}

bool fab_switch_is_dead(const struct fab_switch *sw)
{
	return sw->dead;
}

const struct fab_switch_stats *fab_switch_stats(const struct fab_switch *sw)
{
	return &sw->stats;
}
