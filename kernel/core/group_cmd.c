// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The typed commands about groups. */
#include "cmd.h"
#include "pf.h"

/**
 * tally_cmd_create_group() - Send CREATE_GROUP.
 * @pf: device
 * @num: number of the group
 * @cfg: configuration
 * @edges: cfg->num_edges neighbours
 * @blame: set if the device refuses the group; may be NULL
 *
 * Return: 0 or a negative errno, which is logged.
 */
int tally_cmd_create_group(struct tally_pf *pf, u32 num, const struct tally_group_cfg *cfg,
			   const struct tally_group_edge *edges, struct tally_blame *blame)
{
	size_t edge_bytes = le16_to_cpu(cfg->num_edges) * sizeof(*edges);
	size_t size = sizeof(*cfg) + edge_bytes;
	struct tally_cmd_group body = {
		.group = cpu_to_le32(num),
		.length = cpu_to_le32(size),
	};
	dma_addr_t dma;
	void *buf;
	int err;

	buf = dma_alloc_coherent(pf_dev(pf), size, &dma, GFP_KERNEL);
	if (!buf)
		return -ENOMEM;
	memcpy(buf, cfg, sizeof(*cfg));
	memcpy(buf + sizeof(*cfg), edges, edge_bytes);
	body.addr = cpu_to_le64(dma);
	err = tally_exec_blame(pf, TALLY_ADMIN_CREATE_GROUP, num, &body, sizeof(body), blame);
	dma_free_coherent(pf_dev(pf), size, buf, dma);
	return err;
}

/**
 * tally_cmd_group_ranks() - Send ATTACH_RANK or DETACH_RANK.
 * @pf: device
 * @opcode: which of the two
 * @num: number of the group
 * @ranks: local ranks
 *
 * Return: 0 or a negative errno, which is logged.
 */
int tally_cmd_group_ranks(struct tally_pf *pf, enum tally_admin_opcode opcode, u32 num, u64 ranks)
{
	struct tally_cmd_group_ranks body = {
		.group = cpu_to_le32(num),
		.ranks = cpu_to_le64(ranks),
	};

	return tally_exec(pf, opcode, num, &body, sizeof(body));
}

/**
 * tally_cmd_reset_group() - Send RESET_GROUP.
 * @pf: device
 * @num: number of the group
 * @epoch: the next epoch
 *
 * Return: 0 or a negative errno, which is logged.
 */
int tally_cmd_reset_group(struct tally_pf *pf, u32 num, u32 epoch)
{
	struct tally_cmd_reset_group body = {
		.group = cpu_to_le32(num),
		.epoch = cpu_to_le32(epoch),
	};

	return tally_exec(pf, TALLY_ADMIN_RESET_GROUP, num, &body, sizeof(body));
}

/**
 * tally_cmd_query_group() - Send QUERY_GROUP.
 * @pf: device
 * @num: number of the group
 * @info: the answer
 *
 * Return: 0 or a negative errno, which is logged.
 */
int tally_cmd_query_group(struct tally_pf *pf, u32 num, struct tally_group_info *info)
{
	return tally_exec_query(pf, TALLY_ADMIN_QUERY_GROUP, num, info, sizeof(*info));
}

/**
 * tally_cmd_query_edges() - Send QUERY_EDGES.
 * @pf: device
 * @num: number of the group
 * @edges: receives an edge for each contributor, and the parent's
 *
 * Return: 0 or a negative errno, which is logged.
 */
int tally_cmd_query_edges(struct tally_pf *pf, u32 num, struct tally_edge_info *edges)
{
	return tally_exec_query(pf, TALLY_ADMIN_QUERY_EDGES, num, edges,
				(TALLY_MAX_CONTRIBUTORS + 1) * sizeof(*edges));
}

/**
 * tally_cmd_query_segs() - Send QUERY_SEGS.
 * @pf: device
 * @num: number of the group
 * @segs: receives the segments
 * @count: number of segments of the group
 *
 * Return: 0 or a negative errno, which is logged.
 */
int tally_cmd_query_segs(struct tally_pf *pf, u32 num, struct tally_seg_info *segs, u32 count)
{
	return tally_exec_query(pf, TALLY_ADMIN_QUERY_SEGS, num, segs, count * sizeof(*segs));
}

/**
 * tally_cmd_query_arrivals() - Send QUERY_ARRIVALS.
 * @pf: device
 * @num: number of the group
 * @arrivals: receives TALLY_NUM_ARRIVALS messages
 *
 * Return: 0 or a negative errno, which is logged.
 */
int tally_cmd_query_arrivals(struct tally_pf *pf, u32 num, struct tally_arrival *arrivals)
{
	return tally_exec_query(pf, TALLY_ADMIN_QUERY_ARRIVALS, num, arrivals,
				TALLY_NUM_ARRIVALS * sizeof(*arrivals));
}
