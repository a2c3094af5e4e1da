/* SPDX-License-Identifier: BSD-2-Clause */
/* Triggered descriptors that the host carries out (docs/rtl-trigger.md). */
#ifndef TALLY_SIM_ENGINE_DESCRIPTOR_H
#define TALLY_SIM_ENGINE_DESCRIPTOR_H

#include "engine/edge.h"
#include "engine/tables.h"

/* Whether the host carries out the descriptors of a group. */
bool descriptor_is_hosts(const struct engine *e, const struct group *g);
/* Tell the host of a group, and that it has no cells any more. */
void descriptor_group(struct engine *e, const struct group *g);
void descriptor_group_ends(struct engine *e, const struct group *g);
/* What becomes of a message in such a group. The host has it, or has answered BUSY. */
enum rx_verdict descriptor_packet(const struct engine *e);

#endif
