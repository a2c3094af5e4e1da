/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Conversion between the structures of processes (tally-abi.h) and those of the device
 * (tally.yaml).
 */
#ifndef TALLY_IB_UABI_H
#define TALLY_IB_UABI_H

#include "tally.h"
#include "tally-abi.h"

void tally_edge_from_user(struct tally_group_edge *to, const struct tally_ureq_edge *from);
void tally_edge_from_first_version(struct tally_ureq_edge *edge, u8 mode);
void tally_group_info_to_user(struct tally_uresp_group_info *to,
			      const struct tally_group_info *from);
void tally_edge_to_user(void *to, const void *from);
void tally_seg_to_user(void *to, const void *from);
void tally_arrival_to_user(void *to, const void *from);

void tally_blame_to_user_group(struct tally_uresp_why *why, const struct tally_blame *blame,
			       const struct tally_ureq_group *req, unsigned int num_edges);
void tally_blame_to_user_qp(struct tally_uresp_why *why, const struct tally_blame *blame,
			    const struct tally_ureq_create_qp *req);

#endif
