/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A delay line: items that leave in the order in which they came, each at its time or when the one
 * before it left, if that is later. One sim event follows the head.
 */
#ifndef TALLY_SIM_NIC_LINE_H
#define TALLY_SIM_NIC_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/event.h"

/* First member of an item, which comes from line_item() and belongs to the line once added. */
struct line_item {
	struct line_item *next;
	vtime_t at;
	void (*run)(void *owner, struct line_item *item);
	/* Gives back what the item holds, after run() and when it is dropped instead; may be NULL. */
	void (*release)(struct line_item *item);
};

struct line {
	struct sim *sim;
	void *owner;
	struct line_item *head, **tail;
	struct sim_event event;
};

/* An empty line whose items run with @owner. */
void line_init(struct line *line, struct sim *sim, void *owner);

/*
 * A zeroed item of @size bytes. Aborts the program when memory is short, as sim_schedule() does: a
 * run that lost an access would be a wrong run.
 */
void *line_item(size_t size, void (*run)(void *owner, struct line_item *item));

/* Adds @item, to leave at @at at the earliest; it runs from the event kernel, never from here. */
void line_add(struct line *line, struct line_item *item, vtime_t at);

/* Drops the items for which match(item, arg) is true; may be called from an item's run(). */
void line_drop(struct line *line, bool (*match)(const struct line_item *item, const void *arg),
	       const void *arg);

/* Drops all items; may be called from an item's run(). */
void line_clear(struct line *line);

#endif
