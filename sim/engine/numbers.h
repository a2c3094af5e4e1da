/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbered packets that are acknowledged, and hosts that have the transmit windows of edges. */
#ifndef TALLY_SIM_ENGINE_NUMBERS_H
#define TALLY_SIM_ENGINE_NUMBERS_H

#include "engine/edge.h"

/* Tell the sender of a packet that neighbour @idx has acknowledged it. */
void numbers_acked(struct engine *e, struct group *g, unsigned int idx, const struct acked *a);

#endif
