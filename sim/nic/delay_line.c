// SPDX-License-Identifier: BSD-2-Clause
#include "nic/delay_line.h"

#include <stdlib.h>
#include <string.h>

#include "core/pool.h"

void delay_line_free(struct delay_line_item *item)
{
	if (item->release)
		item->release(item);
	pool_free(item, item->size);
}

static void follow_head(struct delay_line *line)
{
	line->event.touches = line->head;
	sim_schedule(line->sim, &line->event, line->head->at);
}

/*
 * An item with an earlier time than the one before it leaves late. run() may add to the line and
 * drop from it, so the item is removed first.
 */
static void delay_line_run(void *arg)
{
	struct delay_line *line = arg;

	while (line->head && line->head->at <= sim_now(line->sim)) {
		struct delay_line_item *item = line->head;

		line->head = item->next;
		if (!line->head)
			line->tail = &line->head;
		__builtin_prefetch(line->head);
		item->run(line->owner, item);
		delay_line_free(item);
	}
	if (line->head)
		follow_head(line);
}

void delay_line_init(struct delay_line *line, struct sim *sim, void *owner)
{
	*line = (struct delay_line){ .sim = sim, .owner = owner };
	line->tail = &line->head;
	sim_event_init(&line->event, delay_line_run, line);
}

void *delay_line_item(size_t size, void (*run)(void *owner, struct delay_line_item *item))
{
	struct delay_line_item *item = pool_alloc(size);

	if (!item)
		abort();
	memset(item, 0, size);
	item->size = size;
	item->run = run;
	return item;
}

void delay_line_add(struct delay_line *line, struct delay_line_item *item, vtime_t at)
{
	item->at = at;
	item->next = NULL;
	*line->tail = item;
	line->tail = &item->next;
	if (line->head == item)
		follow_head(line);
}

/* A pending event finds another head, or none, and follows it. */
void delay_line_drop(struct delay_line *line,
		     bool (*match)(const struct delay_line_item *item, const void *arg),
		     const void *arg)
{
	struct delay_line_item **link = &line->head;

	while (*link) {
		struct delay_line_item *item = *link;

		if (match(item, arg)) {
			*link = item->next;
			delay_line_free(item);
		} else {
			link = &item->next;
		}
	}
	line->tail = link;
}

static bool match_all(const struct delay_line_item *item, const void *arg)
{
	(void)item;
	(void)arg;
	return true;
}

void delay_line_clear(struct delay_line *line)
{
	delay_line_drop(line, match_all, NULL);
	sim_cancel(line->sim, &line->event);
}
