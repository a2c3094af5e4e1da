/* SPDX-License-Identifier: BSD-2-Clause */
/* Small functions on the configuration of a group, before it is filled in. */
#ifndef TALLY_SIM_ENGINE_CFG_H
#define TALLY_SIM_ENGINE_CFG_H

#include "engine/mode.h"
#include "engine/tables.h"

#include <endian.h>

/* Report an error in the field of the i-th edge at this offset. */
static inline struct engine_result group_edge_error(uint32_t i, size_t field)
{
	return (struct engine_result){ TALLY_ADMIN_STATUS_BAD_FIELD,
				       sizeof(struct tally_group_cfg) +
					       i * sizeof(struct tally_group_edge) + field };
}

static inline bool ranges_overlap(uint64_t a, uint64_t num_a, uint64_t b, uint64_t num_b)
{
	return a < b + num_b && b < a + num_a;
}

static inline bool cfg_root(const struct tally_group_cfg *cfg)
{
	return le32toh(cfg->flags) & TALLY_GROUP_F_ROOT;
}

/* Return the modes of a configuration, TALLY_MODES_. */
static inline uint8_t cfg_modes(const struct tally_group_cfg *cfg)
{
	return cfg->modes ? cfg->modes : mode_bit(cfg->mode);
}

#endif
