/* SPDX-License-Identifier: BSD-2-Clause */
/* For the tests of the fabric: a station at the end of a link that records arriving frames. */
#ifndef TALLY_SIM_FABRIC_TEST_STATION_H
#define TALLY_SIM_FABRIC_TEST_STATION_H

#include "core/event.h"
#include "fabric/link.h"

#define STATION_MAX	1024

struct station {
	struct sim *sim;
	struct fab_port *port;
	int count;
	vtime_t at[STATION_MAX];
	struct frame *frame[STATION_MAX];
};

static inline void station_rx(void *arg, struct frame *f)
{
	struct station *s = arg;

	assert_true(s->count < STATION_MAX);
	s->at[s->count] = sim_now(s->sim);
	s->frame[s->count++] = f;
}

static inline void station_attach(struct station *s, struct sim *sim, struct fab_port *port)
{
	*s = (struct station){ .sim = sim, .port = port };
	port->rx = station_rx;
	port->arg = s;
}

static inline void station_clear(struct station *s)
{
	while (s->count)
		frame_unref(s->frame[--s->count]);
}

/* Returns a frame whose number is in its last two bytes. */
static inline struct frame *numbered_frame(size_t len, unsigned int number)
{
	struct frame *f = frame_alloc(len);

	assert_non_null(f);
	f->data[len - 2] = number >> 8;
	f->data[len - 1] = number;
	return f;
}

static inline unsigned int frame_number(const struct frame *f)
{
	return f->data[f->len - 2] << 8 | f->data[f->len - 1];
}

#endif
