/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Commands of the device, and the meaning of their answers. */
#ifndef TALLY_CMD_H
#define TALLY_CMD_H

#include "tally.h"

struct tally_pf;

/* cmd.c */
int tally_exec(struct tally_pf *pf, enum tally_admin_opcode opcode, u32 object, const void *body,
	       size_t size);
int tally_exec_blame(struct tally_pf *pf, enum tally_admin_opcode opcode, u32 object,
		     const void *body, size_t size, struct tally_blame *blame);
int tally_exec_query(struct tally_pf *pf, enum tally_admin_opcode opcode, u32 object, void *to,
		     size_t size);
void tally_exec_destroy(struct tally_pf *pf, enum tally_admin_opcode opcode, u32 object);
int tally_cmd_inject(struct tally_pf *pf, const struct tally_cmd_inject *cmd, u64 *count);

/* group_cmd.c: commands for groups */
int tally_cmd_create_group(struct tally_pf *pf, u32 num, const struct tally_group_cfg *cfg,
			   const struct tally_group_edge *edges, struct tally_blame *blame);
int tally_cmd_group_ranks(struct tally_pf *pf, enum tally_admin_opcode opcode, u32 num, u64 ranks);
int tally_cmd_reset_group(struct tally_pf *pf, u32 num, u32 epoch);
int tally_cmd_query_group(struct tally_pf *pf, u32 num, struct tally_group_info *info);
int tally_cmd_query_edges(struct tally_pf *pf, u32 num, struct tally_edge_info *edges);
int tally_cmd_query_segs(struct tally_pf *pf, u32 num, struct tally_seg_info *segs, u32 count);
int tally_cmd_query_arrivals(struct tally_pf *pf, u32 num, struct tally_arrival *arrivals);

#endif
