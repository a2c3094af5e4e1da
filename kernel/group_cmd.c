// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The typed commands about groups. */
#include "core.h"

/**
 * tally_cmd_create_group() - Send CREATE_GROUP.
 * @pf: device
 * @num: number of the group
 * @cfg: configuration
 * @edges: cfg->num_edges neighbours
 *
 * Return: 0 or a negative errno, reported.
 */
int tally_cmd_create_group(struct tally_pf *pf, u32 num, const struct tally_group_cfg *cfg,
			   const struct tally_group_edge *edges)
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
	err = tally_exec(pf, TALLY_ADMIN_CREATE_GROUP, num, &body, sizeof(body));
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
 * Return: 0 or a negative errno, reported.
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
 * tally_cmd_query_group() - Send QUERY_GROUP.
 * @pf: device
 * @num: number of the group
 * @info: the answer
 *
 * Return: 0 or a negative errno, reported.
 */
int tally_cmd_query_group(struct tally_pf *pf, u32 num, struct tally_group_info *info)
{
	struct tally_cmd_query body = {
		.id = cpu_to_le32(num),
		.length = cpu_to_le32(sizeof(*info)),
	};
	dma_addr_t dma;
	void *buf;
	int err;

	buf = dma_alloc_coherent(pf_dev(pf), sizeof(*info), &dma, GFP_KERNEL);
	if (!buf)
		return -ENOMEM;
	body.addr = cpu_to_le64(dma);
	err = tally_exec(pf, TALLY_ADMIN_QUERY_GROUP, num, &body, sizeof(body));
	if (!err)
		memcpy(info, buf, sizeof(*info));
	dma_free_coherent(pf_dev(pf), sizeof(*info), buf, dma);
	return err;
}
