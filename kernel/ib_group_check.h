/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What ib_group_check.c and ib_edge_check.c share. */
#ifndef TALLY_IB_GROUP_CHECK_H
#define TALLY_IB_GROUP_CHECK_H

#include "ib.h"

/* A field at fault: name it, the value and what would do. */
#define bad_field(dev, jid, name, value, rule) \
	tally_refuse(&(dev)->ibdev, -EINVAL, "group %#x: " name " is %#llx, must be " rule, jid, \
		     (u64)(value))

/* A tree has a way up; in the other modes all nodes are alike. */
static inline bool is_tree(const struct tally_ureq_group *req)
{
	return req->mode == TALLY_MODE_TREE;
}

/* The last edge of a tree's node that is not the root leads to its parent. */
static inline bool has_parent(const struct tally_ureq_group *req)
{
	return is_tree(req) && !(req->flags & TALLY_GROUP_F_ROOT);
}

static inline unsigned int num_contributors(const struct tally_ureq_group *req,
					    unsigned int num_edges)
{
	return num_edges - has_parent(req);
}

static inline bool edge_has(const struct tally_group_edge *edge, u16 roles)
{
	return le16_to_cpu(edge->roles) & roles;
}

int tally_check_num_edges(struct tally_ibdev *dev, const struct tally_ureq_group *req,
			  unsigned int num_edges);
int tally_check_edges(struct tally_ibdev *dev, const struct tally_ureq_group *req,
		      const struct tally_group_edge *edges, unsigned int num_edges);

#endif
