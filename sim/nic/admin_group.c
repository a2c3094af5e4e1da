// SPDX-License-Identifier: BSD-2-Clause
/*
 * CREATE_GROUP, DESTROY_GROUP, RESET_GROUP, ATTACH_RANK, DETACH_RANK. The engine owns the groups.
 */
#include <stdlib.h>

#include "nic/admin.h"
#include "wire/gid.h"

/* group_cfg and the edges behind it, in the layout of host memory. */
struct group_image {
	struct tally_group_cfg cfg;
	struct tally_group_edge edges[TALLY_MAX_CONTRIBUTORS + 1];
};

_Static_assert(offsetof(struct group_image, edges) == sizeof(struct tally_group_cfg),
	       "the edges follow at once");

/*
 * Reply with an error in the configuration. bad_offset is an offset in group_cfg and the edges
 * behind it, not in the command, and value[0] is 1 to say so.
 */
static struct admin_reply blame_image(enum tally_admin_status status, uint16_t offset)
{
	return (struct admin_reply){ status, offset, { offset != ADMIN_NO_OFFSET } };
}

static bool is_zero(const uint8_t *address, size_t size)
{
	while (size--)
		if (address[size])
			return false;
	return true;
}

/* The root of a tree multicasts from its own address, which the other nodes check. */
static struct admin_reply check_source(const struct nic *nic, const struct tally_group_cfg *cfg)
{
	uint32_t flags = TALLY_GROUP_F_ROOT | TALLY_GROUP_F_MULTICAST;

	uint8_t tree = cfg->modes ? cfg->modes & TALLY_MODES_TREE : cfg->mode == TALLY_MODE_TREE;

	if (!tree || (le32toh(cfg->flags) & flags) != flags ||
	    !memcmp(cfg->source_gid, nic->gid, sizeof(nic->gid)))
		return admin_ok();
	return blame_image(TALLY_ADMIN_STATUS_BAD_FIELD,
			   offsetof(struct tally_group_cfg, source_gid));
}

/* Check the fields that concern the NIC, which sends over IPv6 from a link-local address. */
static struct admin_reply check_edges(const struct group_image *image, uint32_t num_edges)
{
	uint32_t i;

	for (i = 0; i < num_edges; i++) {
		const struct tally_group_edge *edge = &image->edges[i];
		size_t at = offsetof(struct group_image, edges) + i * sizeof(*edge);

		if (is_zero(edge->gid, sizeof(edge->gid)) || gid_is_ipv4(edge->gid) ||
		    gid_is_multicast(edge->gid))
			at += offsetof(struct tally_group_edge, gid);
		else if (is_zero(edge->mac, sizeof(edge->mac)) || edge->mac[0] & 1)
			at += offsetof(struct tally_group_edge, mac);
		else
			continue;
		return blame_image(TALLY_ADMIN_STATUS_BAD_FIELD, (uint16_t)at);
	}
	return admin_ok();
}

static struct admin_reply create(struct nic *nic, uint32_t group, const struct group_image *image,
				 size_t length)
{
	uint32_t num_edges = (length - sizeof(image->cfg)) / sizeof(image->edges[0]);
	struct admin_reply reply;
	struct engine_result result;

	if (le16toh(image->cfg.num_edges) != num_edges)
		return blame_image(TALLY_ADMIN_STATUS_BAD_FIELD,
				   offsetof(struct tally_group_cfg, num_edges));
	reply = check_source(nic, &image->cfg);
	if (!reply.status)
		reply = check_edges(image, num_edges);
	if (reply.status)
		return reply;
	result = engine_create_group(nic_enter(nic), group, &image->cfg, image->edges, num_edges);
	nic_leave(nic);
	if (result.status == TALLY_ADMIN_STATUS_OK)
		nic->groups++;
	return blame_image(result.status, result.bad_offset);
}

struct admin_reply admin_create_group(struct nic *nic, const union admin_body *body)
{
	const struct tally_cmd_group *c = &body->group;
	uint32_t group = le32toh(c->group), length = le32toh(c->length);
	struct group_image image = { 0 };
	struct host_mem mem;

	if (group >= TALLY_MAX_GROUP)
		return ADMIN_BLAME(BAD_FIELD, group, group);
	if (length < sizeof(image.cfg) || length > sizeof(image) ||
	    (length - sizeof(image.cfg)) % sizeof(image.edges[0]))
		return ADMIN_BLAME(BAD_FIELD, group, length);
	if (!mem_contiguous(&mem, le64toh(c->addr), length))
		return ADMIN_BLAME(BAD_FIELD, group, addr);
	/* Events of groups go to event queue 0 and would be lost without it. */
	if (!nic->eq[0])
		return admin_fail(TALLY_ADMIN_STATUS_BAD_STATE);
	if (!mem_copy_in(&nic->bus, &mem, 0, &image, length))
		return ADMIN_BLAME(DMA_ERROR, group, addr);
	return create(nic, group, &image, length);
}

struct admin_reply admin_destroy_group(struct nic *nic, const union admin_body *body)
{
	uint32_t group = le32toh(body->object.id);
	struct engine_result result;

	if (group >= TALLY_MAX_GROUP)
		return ADMIN_BLAME(NOT_FOUND, object, id);
	result = engine_destroy_group(nic_enter(nic), group);
	nic_leave(nic);
	return admin_engine(result);
}

struct admin_reply admin_reset_group(struct nic *nic, const union admin_body *body)
{
	uint32_t group = le32toh(body->reset_group.group);
	struct engine_result result;

	if (group >= TALLY_MAX_GROUP)
		return ADMIN_BLAME(NOT_FOUND, reset_group, group);
	result = engine_reset_group(nic_enter(nic), group, le32toh(body->reset_group.epoch));
	nic_leave(nic);
	return admin_engine(result);
}

static struct admin_reply change_ranks(struct nic *nic, const struct tally_cmd_group_ranks *c,
				       struct engine_result (*change)(struct engine *e, uint32_t group,
								      uint64_t ranks))
{
	uint32_t group = le32toh(c->group);
	struct engine_result result;

	if (group >= TALLY_MAX_GROUP)
		return ADMIN_BLAME(NOT_FOUND, group_ranks, group);
	if (c->rsvd0)
		return ADMIN_BLAME(BAD_FIELD, group_ranks, rsvd0);
	result = change(nic_enter(nic), group, le64toh(c->ranks));
	nic_leave(nic);
	return admin_engine(result);
}

struct admin_reply admin_attach_rank(struct nic *nic, const union admin_body *body)
{
	return change_ranks(nic, &body->group_ranks, engine_attach_ranks);
}

struct admin_reply admin_detach_rank(struct nic *nic, const union admin_body *body)
{
	return change_ranks(nic, &body->group_ranks, engine_detach_ranks);
}
