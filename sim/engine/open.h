/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets of kind OPEN, as far as they are formed and compared in hardware. */
#ifndef TALLY_SIM_ENGINE_OPEN_H
#define TALLY_SIM_ENGINE_OPEN_H

#include "engine/tables.h"

/* Return the payload of the OPEN that an event holds. */
struct tally_tch_open open_of(const struct fw_event *ev);
/* Whether an OPEN may be of an edge's neighbour, and has the group's configuration. */
bool open_agrees(const struct group *g, const struct edge *ed, const struct tally_tch_open *o);
/*
 * Send OPEN as one of the commands SEND_OPEN, CONFIRM and CHALLENGE. A challenge echoes the nonce of
 * the OPEN @of.
 */
void open_send(struct engine *e, struct group *g, struct edge *ed, enum tally_fw_command_code code,
	       const struct tally_tch_open *of);
/* Return what decides about the OPEN of an event, a sum of enum tally_fw_open_state. */
uint32_t open_state(const struct group *g, const struct edge *ed, const struct fw_event *ev);

#endif
