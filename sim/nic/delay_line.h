/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A delay line. Items leave in the order in which they were added, each at its time, or when the
 * item before it leaves if that is later. One simulation event follows the head.
 */
#ifndef TALLY_SIM_NIC_DELAY_LINE_H
#define TALLY_SIM_NIC_DELAY_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/event.h"

/* First member of an item. An item comes from delay_line_item(), and belongs to the line once added. */
struct delay_line_item {
	struct delay_line_item *next;
	vtime_t at;
	size_t size;			/* of the item */
	void (*run)(void *owner, struct delay_line_item *item);
	/* Releases what the item holds, after run() or when the item is dropped. May be NULL. */
	void (*release)(struct delay_line_item *item);
};

struct delay_line {
	struct sim *sim;
	void *owner;
	struct delay_line_item *head, **tail;
	struct sim_event event;
};

/* Initialize an empty line, whose items run with @owner. */
void delay_line_init(struct delay_line *line, struct sim *sim, void *owner);

/*
 * Allocate a zeroed item of @size bytes. Like sim_schedule(), this aborts the program if there is
 * not enough memory, because a run that loses an access has wrong results.
 */
void *delay_line_item(size_t size, void (*run)(void *owner, struct delay_line_item *item));

/* Free an item that was not added. */
void delay_line_free(struct delay_line_item *item);

/* Add @item, to leave at @at or later. It runs from the event kernel, never from this call. */
void delay_line_add(struct delay_line *line, struct delay_line_item *item, vtime_t at);

/* Drop the items for which match(item, arg) is true. May be called from an item's run(). */
void delay_line_drop(struct delay_line *line,
		     bool (*match)(const struct delay_line_item *item, const void *arg),
		     const void *arg);

/* Drop all items. May be called from an item's run(). */
void delay_line_clear(struct delay_line *line);

#endif
