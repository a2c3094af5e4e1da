/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the configuration of a group into the tables of the hardware. */
#ifndef TALLY_FIRMWARE_GROUP_FILL_H
#define TALLY_FIRMWARE_GROUP_FILL_H

#include <stdint.h>

#include "gen/tally_hw.h"

/* Write a configuration that group_check() has accepted. */
void group_fill(uint32_t group, const struct tally_group_cfg *cfg,
		const struct tally_group_edge *edges, uint32_t num_edges);
/* The same of the edges, and of the rounds of EXCHANGE. */
void edges_fill(uint32_t group, const struct tally_group_cfg *cfg,
		const struct tally_group_edge *edges, uint32_t num_edges);
void rounds_fill(uint32_t group, const struct tally_group_cfg *cfg,
		 const struct tally_group_edge *edges, uint32_t num);

#endif
