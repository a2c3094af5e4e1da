/* SPDX-License-Identifier: BSD-2-Clause */
/* The engine's queue of events and its registers, for the benches of tally_events and tally_event_regs. */
#ifndef TALLY_RTL_EVENTS_MODEL_H
#define TALLY_RTL_EVENTS_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "gen/tally_fw_hw.h"
#include "gen/tally_hw.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An event, as the model has it. */
struct model_event {
	uint32_t type, context, edge, flags, epoch, mid, sid, cause, status, qp;
	uint64_t contributors, ranks;
	uint32_t data[TALLY_FW_DATA_WORDS];
};

struct model_tch {
	uint8_t kind;
	uint16_t flags, limit;
	uint32_t epoch, mid, sid, done;
	uint8_t data[4 * TALLY_FW_DATA_WORDS]; /* 0 behind len */
	uint32_t len;
};

void model_reset(void);
/* Raise an event; those of packets and timers return whether they found a place. */
bool model_packet(uint32_t context, uint32_t edge, const struct model_tch *p);
bool model_after_end(uint32_t context, uint32_t edge);
bool model_timer(uint32_t context, uint32_t edge);
/* The others do nothing if such an event waits already. Return whether one was raised. */
bool model_of_group(uint32_t group, uint32_t type);
bool model_exception(uint32_t group, const struct model_event *ev);
bool model_query(uint32_t qp, uint32_t group, uint32_t mid);
/* Whether an event of this type of a group, or queue pair, waits. */
bool model_waits(uint32_t type, uint32_t number);
void model_drop(uint32_t context);
void model_forget(uint32_t qp);
/* Events that wait: those of packets and timers, and the others. */
uint32_t model_shared(void);
uint32_t model_others(void);
/*
 * Take an event by a read of the register `next`: the oldest of packets and timers, or that of this type of a group or queue
 * pair, wherever it is in the queue, as the hardware has no common order. Returns the register, or 0 if there is no such event.
 */
uint32_t model_take_shared(void);
uint32_t model_take_other(uint32_t type, uint32_t number);
/* Set the event that the firmware handles. Read one of its registers, at an offset of struct event. */
void model_set(const struct model_event *ev);
bool model_has(uint32_t at);
uint32_t model_read(uint32_t at);
/* The header of a packet on the wire. */
void model_header(const struct model_tch *p, uint8_t *wire);

#ifdef __cplusplus
}
#endif

#endif
