// SPDX-License-Identifier: BSD-2-Clause
/* Writes the configuration of a group that was checked. */
#include "firmware/group_fill.h"
#include "firmware/cfg.h"
#include "firmware/divide.h"
#include "firmware/group.h"

static void fill_choice(uint32_t group, const struct tally_group_cfg *cfg)
{
	unsigned int i;

	for (i = 0; i < NUM_CHOICES; i++) {
		SETUP_SET_AT(group, choice_modes, i,
			     cfg->choice_small[i] | (uint32_t)cfg->choice_middle[i] << 8 |
				     (uint32_t)cfg->choice_large[i] << 16);
		SETUP_SET_AT(group, choice_logs, i,
			     cfg->choice_small_log[i] | (uint32_t)cfg->choice_middle_log[i] << 8);
	}
}

/*
 * The Ethernet address of an IPv6 multicast group has the last bytes of its IPv6 address (RFC
 * 2464).
 */
static void fill_multicast(uint32_t group, const struct tally_group_cfg *cfg)
{
	const uint8_t *last = cfg->mcast_gid + 12;
	unsigned int i;

	for (i = 0; i < 4; i++) {
		SETUP_SET_AT(group, mcast_gid, i, word_of(cfg->mcast_gid + 4 * i));
		SETUP_SET_AT(group, source_gid, i, word_of(cfg->source_gid + 4 * i));
	}
	SETUP_SET_AT(group, mcast_mac, 0, 0x3333 | (uint32_t)last[0] << 16 | (uint32_t)last[1] << 24);
	SETUP_SET_AT(group, mcast_mac, 1, last[2] | (uint32_t)last[3] << 8);
}

static void fill_divisors(uint32_t group, const struct tally_group_cfg *cfg, uint32_t max_segs)
{
	const struct divisor nodes = divisor_of(le16(cfg->num_nodes));
	const struct divisor ranks = divisor_of(le32(cfg->total_ranks));
	const struct divisor segs = divisor_of(max_segs);

	SETUP_SET(group, nodes_inverse, nodes.inverse);
	SETUP_SET(group, nodes_shift, nodes.shift);
	SETUP_SET(group, ranks_inverse, ranks.inverse);
	SETUP_SET(group, ranks_shift, ranks.shift);
	SETUP_SET(group, segs_inverse, segs.inverse);
	SETUP_SET(group, segs_shift, segs.shift);
}

/*
 * Limit the back-off to an eighth of the time limit, and to an equal share of the time that all
 * retransmissions may take.
 */
static void fill_times(uint32_t group, const struct tally_group_cfg *cfg)
{
	uint64_t timeout = cfg->timeout_ms ? le32(cfg->timeout_ms) * MS : TALLY_FW_NEVER;
	uint64_t part = divide(TALLY_MAX_RETRY_MS * MS, le32(cfg->retry_limit));

	GROUP_SET(group, timeout, timeout);
	GROUP_SET(group, rto, le32(cfg->rto_us) * US);
	GROUP_SET(group, retry_limit, le32(cfg->retry_limit));
	GROUP_SET(group, max_backoff, part < timeout / 8 ? part : timeout / 8);
}

static void fill_ranks(uint32_t group, const struct tally_group_cfg *cfg)
{
	GROUP_SET(group, rank_mask, le64(cfg->rank_mask));
	GROUP_SET(group, attached, le64(cfg->owner_ranks));
	GROUP_SET(group, gone, 0);
	GROUP_SET(group, total_ranks, le32(cfg->total_ranks));
	SETUP_SET(group, rank_first, le32(cfg->rank_first));
}

static void fill_segments(uint32_t group, const struct tally_group_cfg *cfg)
{
	uint32_t segs = le16(cfg->num_segs), most = cfg->max_segs ? le16(cfg->max_segs) : segs;

	GROUP_SET(group, num_segs, segs);
	SETUP_SET(group, max_segs, most);
	GROUP_SET(group, mtu, le32(cfg->mtu));
	GROUP_SET(group, chunk, le32(cfg->chunk));
	SETUP_SET(group, msg_cells, le32(cfg->msg_cells));
	fill_divisors(group, cfg, most);
}

void group_fill(uint32_t group, const struct tally_group_cfg *cfg,
		const struct tally_group_edge *edges, uint32_t num_edges)
{
	SETUP_SET(group, jid, le32(cfg->jid));
	SETUP_SET(group, mode, cfg->mode);
	GROUP_SET(group, modes, cfg_modes(cfg));
	GROUP_SET(group, epoch, le32(cfg->epoch));
	GROUP_SET(group, flags, le32(cfg->flags));
	GROUP_SET(group, plan, le32(cfg->plan));
	GROUP_SET(group, node, le16(cfg->node));
	GROUP_SET(group, num_nodes, le16(cfg->num_nodes));
	GROUP_SET(group, level, cfg->level);
	GROUP_SET(group, rounds, cfg->rounds);
	GROUP_SET(group, destroyed, 0);
	fill_choice(group, cfg);
	fill_times(group, cfg);
	fill_ranks(group, cfg);
	fill_segments(group, cfg);
	fill_multicast(group, cfg);
	edges_fill(group, cfg, edges, num_edges);
	if (cfg_modes(cfg) != TALLY_MODES_TREE)
		rounds_fill(group, cfg, edges, cfg_contributors(cfg, edges, num_edges));
}
