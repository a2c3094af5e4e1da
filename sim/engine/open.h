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
 * Send OPEN with flags and epoch of e->command. It echoes the neighbour's nonce, or, as a challenge,
 * that of the OPEN @of.
 */
void open_send(struct engine *e, struct group *g, struct edge *ed, const struct tally_tch_open *of);

#endif
