/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What ib_group_check.c and ib_edge_check.c share. */
#ifndef TALLY_IB_GROUP_CHECK_H
#define TALLY_IB_GROUP_CHECK_H

#include "ib.h"

/**
 * struct tally_group_check - What is checked.
 * @dev: device
 * @req: a process's description of a group
 * @why: where to tell what is wrong
 */
struct tally_group_check {
	struct tally_ibdev *dev;
	const struct tally_ureq_group *req;
	struct tally_uresp_why *why;
};

static inline void tally_blame_request(const struct tally_group_check *c, u32 offset, u64 value)
{
	c->why->where = TALLY_WHY_REQUEST;
	c->why->offset = offset;
	c->why->value = value;
}

/* Says what is wrong, names the group, and returns -EINVAL. */
#define refuse_group(c, fmt, ...) \
	tally_refuse(&(c)->dev->ibdev, -EINVAL, "group %#x: " fmt, (c)->req->jid, ##__VA_ARGS__)

/* A value that belongs to a field: name it, the value and what would do. */
#define bad_value(c, field, name, val, rule) ({ \
	u64 __value = (val); \
\
	tally_blame_request(c, offsetof(struct tally_ureq_group, field), __value); \
	refuse_group(c, name " is %#llx, must be " rule, __value); \
})

/* A field at fault, and what would do. */
#define bad_field(c, field, rule) bad_value(c, field, #field, (c)->req->field, rule)

/* An address at fault, which is told otherwise. */
#define bad_address(c, field, fmt, ...) ({ \
	tally_blame_request(c, offsetof(struct tally_ureq_group, field), 0); \
	refuse_group(c, fmt, ##__VA_ARGS__); \
})

/* Something is wrong with the edges as a whole. */
#define bad_edges(c, name, val, rule) ({ \
	u64 __value = (val); \
\
	(c)->why->where = TALLY_WHY_EDGES; \
	(c)->why->value = __value; \
	refuse_group(c, name " is %#llx, must be " rule, __value); \
})

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

int tally_check_num_edges(const struct tally_group_check *c, unsigned int num_edges);
int tally_check_edges(const struct tally_group_check *c, const struct tally_group_edge *edges,
		      unsigned int num_edges);

#endif
