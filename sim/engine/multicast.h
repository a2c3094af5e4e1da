/* SPDX-License-Identifier: BSD-2-Clause */
/* Results that go down by multicast. */
#ifndef TALLY_SIM_ENGINE_MULTICAST_H
#define TALLY_SIM_ENGINE_MULTICAST_H

#include "engine/tables.h"

/* Begin an epoch: the root draws the key of its results, and the other nodes will learn it. */
void multicast_begin(struct engine *e, struct group *g);
/* Whether the result of this chunk goes down by multicast. */
bool multicast_applies(const struct group *g, const struct slot *s);
/* The result is available: the tree's root sends it as soon as all windows permit. */
void multicast_send(struct engine *e, struct group *g, struct slot *s);

#endif
