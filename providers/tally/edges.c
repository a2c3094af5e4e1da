// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Conversion of a group's neighbours and rank numbers for the kernel. */
#include <string.h>

#include "group_check.h"
#include "tally.h"

/*
 * Extracts the MAC from a GID with an EUI-64 interface identifier: fe80::, and the MAC with ff:fe
 * in the middle and one bit inverted.
 */
static bool mac_from_gid(uint8_t mac[6], const union ibv_gid *gid)
{
	static const uint8_t prefix[8] = { 0xfe, 0x80 };
	const uint8_t *id = gid->raw + 8;

	if (memcmp(gid->raw, prefix, sizeof(prefix)) || id[3] != 0xff || id[4] != 0xfe)
		return false;
	memcpy(mac, id, 3);
	memcpy(mac + 3, id + 5, 3);
	mac[0] ^= 0x02;
	return true;
}

/* Returns whether the neighbour has a MAC, or a GID that contains one. */
bool tally_has_mac(const struct tallydv_neighbour *neighbour)
{
	static const uint8_t none[6];
	uint8_t mac[6];

	return memcmp(neighbour->mac, none, sizeof(none)) || mac_from_gid(mac, &neighbour->gid);
}

static void put_edge(struct tally_ureq_edge *edge, const struct tallydv_neighbour *from,
		     uint16_t remote_index)
{
	static const uint8_t none[6];

	*edge = (struct tally_ureq_edge){
		.remote_index = remote_index,
		.subtree_first = from->subtree_first,
		.subtree_count = from->subtree_count,
		.rank_first = from->rank_first,
		.rank_count = from->rank_count,
		.part_first = from->part_first,
		.part_count = from->part_count,
		.round = from->round,
		.position = from->position,
		.roles = from->roles,
	};
	memcpy(edge->gid, from->gid.raw, sizeof(edge->gid));
	memcpy(edge->mac, from->mac, sizeof(edge->mac));
	if (!memcmp(from->mac, none, sizeof(none)))
		mac_from_gid(edge->mac, &from->gid);
}

static bool has_numbers(const struct tallydv_neighbour *list, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		if (list[i].rank_first || list[i].rank_count || list[i].part_first ||
		    list[i].part_count)
			return true;
	return false;
}

/* Returns whether the program left all rank numbers 0. */
static bool has_no_numbers(const struct tallydv_group_attr *attr)
{
	return !attr->rank_first && !has_numbers(attr->children, attr->num_children) &&
	       !has_numbers(attr->peers, attr->num_peers);
}

/*
 * Returns the number of ranks of each node if all nodes have the same and the program left the rank
 * numbers to the library, else 0.
 */
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

/* Fills in the rank numbers of a neighbour's nodes, if the library counts the ranks. */
static void count_ranks(struct tallydv_neighbour *neighbour, uint32_t each)
{
	if (!each)
		return;
	neighbour->rank_first = neighbour->subtree_first * each;
	neighbour->rank_count = neighbour->subtree_count * each;
}

/* The description of a part as in the first version, by the members of a child. */
static void describe_part(struct tallydv_neighbour *neighbour, uint32_t each)
{
	if (neighbour->part_count) {
		neighbour->rank_first = neighbour->part_first;
		neighbour->rank_count = neighbour->part_count;
	} else {
		count_ranks(neighbour, each);
	}
	neighbour->part_first = neighbour->part_count = 0;
	/* The kernel does not need the nodes of the part. */
	neighbour->subtree_first = neighbour->subtree_count = 0;
}

uint16_t tally_first_ring_roles(uint16_t roles)
{
	uint16_t first = roles & ~(TALLY_ROLE_RING_IN | TALLY_ROLE_RING_OUT);

	if (roles & TALLY_ROLE_RING_IN)
		first |= TALLY_ROLE_IN;
	if (roles & TALLY_ROLE_RING_OUT)
		first |= TALLY_ROLE_OUT;
	return first;
}

static void put_peer(struct tally_ureq_edge *edge, const struct tallydv_group_attr *attr,
		     const struct tallydv_neighbour *peer)
{
	struct tallydv_neighbour neighbour = *peer;
	uint32_t each = ranks_of_each(attr);

	if (!tally_has_one_mode(attr)) {
		if (peer->roles & TALLY_ROLE_CHILD)
			count_ranks(&neighbour, each);
	} else if (attr->mode == TALLY_MODE_EXCHANGE && peer->roles & TALLY_ROLE_IN) {
		describe_part(&neighbour, each);
	} else if (attr->mode == TALLY_MODE_RING) {
		neighbour.roles = tally_first_ring_roles(peer->roles);
	}
	put_edge(edge, &neighbour, peer->remote_index);
}

void tally_group_edges(const struct tallydv_group_attr *attr, struct tally_ureq_edge *edges)
{
	struct tallydv_neighbour neighbour;

	for (unsigned int i = 0; i < attr->num_children; i++) {
		neighbour = attr->children[i];
		count_ranks(&neighbour, ranks_of_each(attr));
		put_edge(&edges[i], &neighbour, TALLY_CONTRIB_PARENT);
	}
	for (unsigned int i = 0; i < attr->num_peers; i++)
		put_peer(&edges[attr->num_children + i], attr, &attr->peers[i]);
	if (!attr->parent)
		return;
	/* Only a child has a subtree. */
	neighbour = *attr->parent;
	neighbour.subtree_first = neighbour.subtree_count = 0;
	neighbour.rank_first = neighbour.rank_count = 0;
	neighbour.part_first = neighbour.part_count = 0;
	put_edge(&edges[attr->num_children + attr->num_peers], &neighbour,
		 attr->parent->remote_index);
}
