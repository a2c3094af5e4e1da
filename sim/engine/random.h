/* SPDX-License-Identifier: BSD-2-Clause */
/* Random numbers. */
#ifndef TALLY_SIM_ENGINE_RANDOM_H
#define TALLY_SIM_ENGINE_RANDOM_H

#include "engine/tables.h"

uint64_t engine_random(struct engine *e);
/* Draw a key for an edge or a group. A key is never 0. */
uint32_t engine_key(struct engine *e);

#endif
