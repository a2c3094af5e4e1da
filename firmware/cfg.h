/* SPDX-License-Identifier: BSD-2-Clause */
/* Small functions on the configuration of a group. */
#ifndef TALLY_FIRMWARE_CFG_H
#define TALLY_FIRMWARE_CFG_H

#include "firmware/bytes.h"
#include "firmware/limits.h"

/* Return the modes of a configuration, TALLY_MODES_. */
static inline uint8_t cfg_modes(const struct tally_group_cfg *cfg)
{
	return cfg->modes ? cfg->modes : mode_bit(cfg->mode);
}

static inline bool cfg_root(const struct tally_group_cfg *cfg)
{
	return le32(cfg->flags) & TALLY_GROUP_F_ROOT;
}

/* Return the number of ranks on this node. */
static inline uint32_t cfg_ranks(const struct tally_group_cfg *cfg)
{
	return __builtin_popcountll(le64(cfg->rank_mask));
}

/* Return the number of edges with an index; if the parent's edge has none, it follows them. */
uint32_t cfg_contributors(const struct tally_group_cfg *cfg, const struct tally_group_edge *edges,
			  uint32_t num_edges);

static inline uint16_t edge_roles(const struct tally_group_edge *ge)
{
	return le16(ge->roles);
}

/*
 * Whether an edge leads to a child. If the child has no other role, this node has no contributor
 * index there.
 */
static inline bool edge_to_child(const struct tally_group_edge *ge)
{
	return le16(ge->remote_index) == TALLY_CONTRIB_PARENT || (edge_roles(ge) & TALLY_ROLE_CHILD);
}

static inline bool edge_to_parent(const struct tally_group_edge *ge)
{
	return edge_roles(ge) & TALLY_ROLE_PARENT;
}

/* Whether a neighbour gives its part in EXCHANGE, and whether it gets one. */
static inline bool edge_in(const struct tally_group_edge *ge)
{
	return edge_roles(ge) & TALLY_ROLE_IN;
}

static inline bool edge_out(const struct tally_group_edge *ge)
{
	return edge_roles(ge) & TALLY_ROLE_OUT;
}

#endif
