// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Checks of those parts of a process's description of a group that the driver itself relies on:
 * counts, sizes of allocations, time limits, and fields reserved for later versions. The device
 * checks the rest, and tally_blame_to_user_group() passes on what it blames.
 */
#include <linux/log2.h>

#include "ib.h"

#define KNOWN_FLAGS (TALLY_GROUP_F_ROOT | TALLY_GROUP_F_ORDERED | TALLY_GROUP_F_MULTICAST | \
		     TALLY_GROUP_F_SPARSE | TALLY_GROUP_F_UNIFORM | TALLY_GROUP_F_SHARED)

/**
 * struct group_check - A check of a description.
 * @dev: device
 * @req: description of a group by a process
 * @why: receives what is wrong
 */
struct group_check {
	const struct tally_ibdev *dev;
	const struct tally_ureq_group *req;
	struct tally_uresp_why *why;
};

static int group_check_refuse(const struct group_check *c, const char *name, u64 value,
			      const char *rule)
{
	c->why->value = value;
	return tally_refuse(&c->dev->ibdev, -EINVAL, "group %#x: %s is %#llx, must be %s",
			    c->req->jid, name, value, rule);
}

static int group_check_refuse_field(const struct group_check *c, const char *name, u32 offset,
				    u64 value, const char *rule)
{
	c->why->where = TALLY_WHY_REQUEST;
	c->why->offset = offset;
	return group_check_refuse(c, name, value, rule);
}

/* Refuses a field, and names the values that are accepted. */
#define bad_field(c, field, rule) \
	group_check_refuse_field(c, #field, offsetof(struct tally_ureq_group, field), \
				 (c)->req->field, rule)

static int group_check_known(const struct group_check *c)
{
	if (c->req->reserved)
		return bad_field(c, reserved, "0");
	if (c->req->flags & ~KNOWN_FLAGS)
		return bad_field(c, flags, "of known bits");
	return 0;
}

/*
 * The job id identifies the group when others attach, and the owner's ranks must be ranks of the
 * group.
 */
static int group_check_names(const struct group_check *c)
{
	if (!c->req->jid)
		return bad_field(c, jid, "other than 0");
	if (c->req->owner_ranks & ~c->req->rank_mask)
		return bad_field(c, owner_ranks, "a subset of rank_mask");
	return 0;
}

/* Checks the segments and cells, which belong to the process and are charged to it. */
static int group_check_room(const struct group_check *c, u32 room)
{
	u32 segs = tally_group_num_segs(c->req, room);

	if (!segs || segs > room)
		return bad_field(c, num_segs, "a number that the segment range has");
	if (c->req->max_segs && (c->req->max_segs < segs ||
				 c->req->max_segs > TALLY_MAX_GROUP_SEGS))
		return bad_field(c, max_segs, "0, or num_segs up to "
				 __stringify(TALLY_MAX_GROUP_SEGS));
	if (c->req->msg_cells > TALLY_MAX_GROUP_CELLS)
		return bad_field(c, msg_cells, "at most " __stringify(TALLY_MAX_GROUP_CELLS));
	return 0;
}

/*
 * Checks how long a group may take to end: its time limit, and the retransmissions to silent
 * neighbours.
 */
static int group_check_times(const struct group_check *c)
{
	u32 retries = c->req->retry_limit ?: TALLY_DEFAULT_RETRY_LIMIT;
	u32 rto = c->req->rto_us ?: TALLY_DEFAULT_RTO_US;

	if (c->req->timeout_ms && (c->req->timeout_ms < TALLY_MIN_TIMEOUT_MS ||
				   c->req->timeout_ms > TALLY_MAX_TIMEOUT_MS))
		return bad_field(c, timeout_ms, "0, or in the device's range");
	if (retries > TALLY_MAX_RETRIES)
		return bad_field(c, retry_limit, "at most " __stringify(TALLY_MAX_RETRIES));
	if (rto > TALLY_MAX_RTO_US)
		return bad_field(c, rto_us, "at most " __stringify(TALLY_MAX_RTO_US));
	if (retries * rto > TALLY_MAX_RETRY_MS * USEC_PER_MSEC)
		return bad_field(c, rto_us,
				 "times retry_limit at most " __stringify(TALLY_MAX_RETRY_MS) " ms");
	return 0;
}

/* A command has room for all contributors and the parent. */
static int group_check_num_edges(const struct group_check *c, unsigned int num_edges)
{
	if (num_edges <= TALLY_MAX_CONTRIBUTORS + 1)
		return 0;
	c->why->where = TALLY_WHY_EDGES;
	return group_check_refuse(c, "number of edges", num_edges,
				  "at most " __stringify(TALLY_MAX_CONTRIBUTORS) ", and the parent's");
}

/**
 * tally_group_num_segs() - Return the number of segments that a group owns.
 * @req: description of the group
 * @room: segments of the group's range
 *
 * Return: the number in the description, or by default the largest power of two that fits; 0 if
 * none fits.
 */
u32 tally_group_num_segs(const struct tally_ureq_group *req, u32 room)
{
	return req->num_segs || !room ? req->num_segs : rounddown_pow_of_two(room);
}

/**
 * tally_check_group() - Check the parts of a group's description that the driver relies on.
 * @dev: device
 * @req: description of the group
 * @room: segments of the group's range
 * @num_edges: number of its neighbours
 * @why: zero on entry; filled in if something is wrong
 *
 * Return: 0 or -EINVAL.
 */
int tally_check_group(const struct tally_ibdev *dev, const struct tally_ureq_group *req, u32 room,
		      unsigned int num_edges, struct tally_uresp_why *why)
{
	const struct group_check c = { .dev = dev, .req = req, .why = why };
	int err = group_check_known(&c);

	if (!err)
		err = group_check_names(&c);
	if (!err)
		err = group_check_room(&c, room);
	if (!err)
		err = group_check_times(&c);
	if (!err)
		err = group_check_num_edges(&c, num_edges);
	return err;
}
