// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* A group's neighbours and rank numbers, as the kernel takes them. */
#include <string.h>

#include "tally.h"

/*
 * Undo the making of an interface identifier: fe80::, the MAC with ff:fe in it, one bit flipped.
 */
static int mac_from_gid(uint8_t mac[6], const union ibv_gid *gid)
{
	static const uint8_t prefix[8] = { 0xfe, 0x80 };
	const uint8_t *id = gid->raw + 8;

	if (memcmp(gid->raw, prefix, sizeof(prefix)) || id[3] != 0xff || id[4] != 0xfe)
		return EINVAL;
	memcpy(mac, id, 3);
	memcpy(mac + 3, id + 5, 3);
	mac[0] ^= 0x02;
	return 0;
}

static int put_edge(struct tally_group_edge *edge, const struct tallydv_neighbour *from,
		    uint16_t remote_index)
{
	static const uint8_t none[6];

	*edge = (struct tally_group_edge){
		.remote_index = htole16(remote_index),
		.subtree_first = htole16(from->subtree_first),
		.subtree_count = htole16(from->subtree_count),
		.rank_first = htole32(from->rank_first),
		.rank_count = htole32(from->rank_count),
	};
	memcpy(edge->gid, from->gid.raw, sizeof(edge->gid));
	memcpy(edge->mac, from->mac, sizeof(edge->mac));
	return memcmp(from->mac, none, sizeof(none)) ? 0 : mac_from_gid(edge->mac, &from->gid);
}

/* Nothing is said of rank numbers. */
static bool has_no_numbers(const struct tallydv_group_attr *attr)
{
	for (unsigned int i = 0; i < attr->num_children; i++)
		if (attr->children[i].rank_first || attr->children[i].rank_count)
			return false;
	return !attr->rank_first;
}

/* Ranks of every node where all seem to have as many, and numbers are left to us; or 0. */
static uint32_t ranks_of_each(const struct tallydv_group_attr *attr)
{
	uint32_t here = __builtin_popcountll(attr->rank_mask);

	if (attr->flags & TALLY_GROUP_F_SPARSE || !has_no_numbers(attr))
		return 0;
	return attr->total_ranks == here * attr->num_nodes ? here : 0;
}

uint32_t tally_group_rank_first(const struct tallydv_group_attr *attr)
{
	uint32_t each = ranks_of_each(attr);

	return each ? attr->node * each : attr->rank_first;
}

int tally_group_edges(const struct tallydv_group_attr *attr, struct tally_group_edge *edges)
{
	struct tallydv_neighbour neighbour;
	uint32_t each = ranks_of_each(attr);

	for (unsigned int i = 0; i < attr->num_children; i++) {
		neighbour = attr->children[i];
		if (each) {
			neighbour.rank_first = neighbour.subtree_first * each;
			neighbour.rank_count = neighbour.subtree_count * each;
		}
		if (put_edge(&edges[i], &neighbour, TALLY_CONTRIB_PARENT))
			return EINVAL;
	}
	for (unsigned int i = 0; i < attr->num_peers; i++)
		if (attr->peers[i].remote_index >= TALLY_MAX_CONTRIBUTORS ||
		    put_edge(&edges[attr->num_children + i], &attr->peers[i],
			     attr->peers[i].remote_index))
			return EINVAL;
	if (!attr->parent)
		return 0;
	/* Only a child has a subtree. */
	neighbour = (struct tallydv_neighbour){ .gid = attr->parent->gid };
	memcpy(neighbour.mac, attr->parent->mac, sizeof(neighbour.mac));
	return put_edge(&edges[attr->num_children + attr->num_peers], &neighbour,
			attr->parent->remote_index);
}
