/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events for the firmware (enum tally_fw_event_type), in the order in which they occur. Packets and
 * expired timers share EVENT_DEPTH places; a packet that finds none is dropped and counted, as its
 * sender repeats it, and a timer expires again later. Each group has a place for its exception and
 * for each of FENCED, DRAINED and BEGIN, and each queue pair for a QUERY, so these are never lost.
 */
#ifndef TALLY_SIM_ENGINE_EVENTS_H
#define TALLY_SIM_ENGINE_EVENTS_H

#include "engine/tables.h"

/* Return the number by which the firmware knows a group or a tombstone, and the reverse. */
uint32_t events_number(const struct engine *e, const struct group *g);
struct group *events_group(struct engine *e, uint32_t number);

/* A packet of kind OPEN or KILL, or an acknowledgement of KILL. @idx is the edge. */
void events_packet(struct engine *e, const struct group *g, unsigned int idx, const struct tch *t,
		   const void *payload, size_t len);
/* A neighbour sends data to a group that has ended, or asks for a chunk of it. */
void events_after_end(struct engine *e, const struct group *g, unsigned int idx);
/* The firmware's timer *at of an edge, or of the group if @idx is NO_EDGE, has expired. */
void events_timer(struct engine *e, const struct group *g, unsigned int idx, uint64_t *at);
/*
 * An event of a group: BEGIN, FENCED or DRAINED. A host that raises events of groups raises the former two with
 * the commands, and is told of DRAINED and exceptions.
 */
void events_of_group(struct engine *e, const struct group *g, enum tally_fw_event_type type);
void events_exception(struct engine *e, const struct group *g, enum tally_fw_cause cause,
		      const struct report *r);
/* A queue pair asks about a message. */
void events_query(struct engine *e, const struct qp *qp, uint32_t mid);
/* Whether the firmware has events to take. It waits for a host that begins an epoch. */
bool events_wait(const struct engine *e);
/*
 * Ask a host that has events of packets for its oldest one, unless another one is to be taken before. Returns
 * whether the answer is due: events_next() must wait for it.
 */
bool events_ask(struct engine *e);
/* The answer: this event is the next one, unless its context has been dropped meanwhile, or it is of type NONE. */
void events_give(struct engine *e, const struct engine_event *ev);
/* Take the oldest event into e->event, or one of type NONE. */
void events_next(struct engine *e);
/* Drop the events of a group that is released, or those of its former epoch, but no QUERY. */
void events_drop(struct engine *e, const struct group *g);
void events_drop_epoch(struct engine *e, const struct group *g);
/* Drop the QUERY of a queue pair. */
void events_drop_query(struct engine *e, const struct qp *qp);

#endif
