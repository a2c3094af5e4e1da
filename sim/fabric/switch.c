// SPDX-License-Identifier: BSD-2-Clause
#include "fabric/switch.h"

#include <errno.h>
#include <stdlib.h>

#include "fabric/mac_table.h"

#define MAC_GROUP_BIT	1	/* in the first byte */

struct switch_port {
	struct fab_switch *sw;
	struct fab_port *end;	/* NULL: nothing attached */
};

/* A frame inside the switch. */
struct transit {
	TAILQ_ENTRY(transit) entry;
	struct switch_port *in;
	struct frame *f;
	struct sim_event done;
};

struct fab_switch {
	struct sim *sim;
	struct fab_switch_params params;
	struct fab_switch_stats stats;
	struct mac_table macs;
	unsigned int dead;	/* reasons why; 0: alive */
	TAILQ_HEAD(, transit) inside;
	struct switch_port port[];
};

static void output(struct fab_switch *sw, struct switch_port *out, struct frame *f)
{
	switch (fab_send(out->end, f)) {
	case -ENOBUFS:
		sw->stats.queue_full++;
		break;
	case -ENOMEM:
		sw->stats.no_memory++;
		break;
	}
}

static void flood(struct fab_switch *sw, const struct switch_port *in, struct frame *f)
{
	sw->stats.flooded++;
	for (unsigned int i = 0; i < sw->params.ports; i++)
		if (&sw->port[i] != in && sw->port[i].end)
			output(sw, &sw->port[i], frame_ref(f));
	frame_unref(f);
}

static void forward(struct fab_switch *sw, const struct switch_port *in, struct frame *f)
{
	int out;

	if (f->data[0] & MAC_GROUP_BIT) {
		flood(sw, in, f);
		return;
	}
	out = mac_table_find(&sw->macs, f->data);
	if (out >= 0 && &sw->port[out] != in) {
		sw->stats.forwarded++;
		output(sw, &sw->port[out], f);
		return;
	}
	if (out < 0)
		sw->stats.unknown++;
	else
		sw->stats.hairpin++;
	frame_unref(f);
}

static void transit_done(void *arg)
{
	struct transit *t = arg;
	struct fab_switch *sw = t->in->sw;
	struct switch_port *in = t->in;
	struct frame *f = t->f;

	TAILQ_REMOVE(&sw->inside, t, entry);
	free(t);
	forward(sw, in, f);
}

static void switch_rx(void *arg, struct frame *f)
{
	struct switch_port *in = arg;
	struct fab_switch *sw = in->sw;
	struct transit *t;

	if (sw->dead) {
		sw->stats.dead++;
		frame_unref(f);
		return;
	}
	sw->stats.received++;
	if (f->len < ETH_HEADER_BYTES) {
		sw->stats.runt++;
		frame_unref(f);
		return;
	}
	t = malloc(sizeof(*t));
	if (!t) {
		sw->stats.no_memory++;
		frame_unref(f);
		return;
	}
	t->in = in;
	t->f = f;
	sim_event_init(&t->done, transit_done, t);
	TAILQ_INSERT_TAIL(&sw->inside, t, entry);
	sim_schedule_in(sw->sim, &t->done, sw->params.latency);
}

struct fab_switch *fab_switch_new(struct sim *sim, const struct fab_switch_params *params)
{
	struct fab_switch *sw;

	if (!params->ports || params->ports > FAB_SWITCH_PORTS_MAX) {
		errno = EINVAL;
		return NULL;
	}
	sw = calloc(1, sizeof(*sw) + params->ports * sizeof(sw->port[0]));
	if (!sw)
		return NULL;
	sw->sim = sim;
	sw->params = *params;
	TAILQ_INIT(&sw->inside);
	for (unsigned int i = 0; i < params->ports; i++)
		sw->port[i].sw = sw;
	return sw;
}

/* Empties the switch, but not its ports' queues; returns how many frames that were. */
static uint64_t empty(struct fab_switch *sw)
{
	struct transit *t;
	uint64_t n = 0;

	for (; (t = TAILQ_FIRST(&sw->inside)); n++) {
		TAILQ_REMOVE(&sw->inside, t, entry);
		sim_cancel(sw->sim, &t->done);
		frame_unref(t->f);
		free(t);
	}
	return n;
}

void fab_switch_free(struct fab_switch *sw)
{
	if (!sw)
		return;
	for (unsigned int i = 0; i < sw->params.ports; i++)
		if (sw->port[i].end)
			sw->port[i].end->rx = NULL;
	empty(sw);
	mac_table_clear(&sw->macs);
	free(sw);
}

int fab_switch_attach(struct fab_switch *sw, unsigned int index, struct fab_port *end)
{
	if (index >= sw->params.ports)
		return -ERANGE;
	if (sw->port[index].end || end->rx)
		return -EBUSY;
	sw->port[index].end = end;
	end->rx = switch_rx;
	end->arg = &sw->port[index];
	end->queue_limit = sw->params.queue_bytes;
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
	return mac_table_set(&sw->macs, mac, index);
}

void fab_switch_set_dead(struct fab_switch *sw, bool dead)
{
	if (!dead) {
		sw->dead--;
		return;
	}
	if (sw->dead++)
		return;
	sw->stats.dead += empty(sw);
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
