// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Detection of devices, the edges of a group, and the texts. */
#include <string.h>

#include "rig.h"

#define PCI_OURS "pci:v00001AF4d00001110sv00001AF4sd00001100bc05sc00i00"
#define PCI_OTHER "pci:v000015B3d00001017sv000015B3sd00000020bc02sc00i00"

static void matching(void **state)
{
	(void)state;
	assert_true(tally_match(PCI_OURS, TALLY_RDMA_DRIVER_ID, "tally"));
	/* The kernel does not tell the driver's id. */
	assert_true(tally_match(PCI_OURS, 0, "tally"));
	/* Another driver on an ivshmem device. */
	assert_false(tally_match(PCI_OURS, 3, "tally"));
	assert_false(tally_match(PCI_OURS, 0, "uio_ivshmem"));
	assert_false(tally_match(PCI_OURS, 0, ""));
	/* Another device, whatever its driver's id and name. */
	assert_false(tally_match(PCI_OTHER, TALLY_RDMA_DRIVER_ID, "tally"));
	assert_false(tally_match("", TALLY_RDMA_DRIVER_ID, "tally"));
	assert_false(tally_match("pci:v00001AF4d00001111sv*", 0, "tally"));
}

static union ibv_gid gid_of(const char *bytes)
{
	union ibv_gid gid;

	memcpy(gid.raw, bytes, sizeof(gid.raw));
	return gid;
}

#define LINK_LOCAL "\xfe\x80\0\0\0\0\0\0\x50\x54\x00\xff\xfe\x12\x34\x56"

static void edges(void **state)
{
	const struct tallydv_neighbour children[] = {
		{ .gid = gid_of(LINK_LOCAL), .subtree_first = 1, .subtree_count = 3,
		  .remote_index = 9 },
		{ .gid = gid_of("\x20\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\x01"), .mac = { 2, 0, 0, 0, 0, 7 },
		  .subtree_first = 4, .subtree_count = 0x102 },
	};
	const struct tallydv_neighbour parent = {
		.gid = gid_of(LINK_LOCAL), .remote_index = 5, .subtree_first = 1, .subtree_count = 1,
		.rank_first = 3, .rank_count = 3, .roles = TALLY_ROLE_OUT, .round = 1,
	};
	struct tallydv_group_attr attr = {
		.num_children = 2, .children = children, .parent = &parent
	};
	struct tally_ureq_edge edge[4];

	(void)state;
	memset(edge, 0xee, sizeof(edge));
	tally_group_edges(&attr, edge);
	assert_memory_equal(edge[0].gid, LINK_LOCAL, 16);
	assert_memory_equal(edge[0].mac, "\x52\x54\x00\x12\x34\x56", 6);
	assert_int_equal(edge[0].remote_index, TALLY_CONTRIB_PARENT);
	assert_int_equal(edge[0].subtree_first, 1);
	assert_int_equal(edge[0].subtree_count, 3);
	assert_memory_equal(edge[1].mac, "\x02\0\0\0\0\x07", 6);
	assert_int_equal(edge[1].subtree_count, 0x102);
	assert_int_equal(edge[2].remote_index, 5);
	assert_int_equal(edge[2].subtree_first, 0);
	assert_int_equal(edge[2].subtree_count, 0);
	assert_int_equal(edge[2].rank_first, 0);
	assert_int_equal(edge[2].rank_count, 0);
	/* these values are left for the kernel to refuse */
	assert_int_equal(edge[2].roles, TALLY_ROLE_OUT);
	assert_int_equal(edge[2].round, 1);
	assert_int_equal(edge[3].gid[0], 0xee);

	attr.parent = NULL;
	memset(edge, 0xee, sizeof(edge));
	tally_group_edges(&attr, edge);
	assert_int_equal(edge[2].gid[0], 0xee);

	/* a peer follows the children, and precedes the parent */
	attr.num_peers = 1;
	attr.peers = &parent;
	attr.parent = &children[0];
	tally_group_edges(&attr, edge);
	assert_int_equal(edge[2].remote_index, 5);
	assert_int_equal(edge[3].remote_index, 9);
}

/* Three ranks at each of seven nodes. This is node 1, with children 2 and 3 (of 4 and 2 nodes). */
static struct tallydv_group_attr even_group(struct tallydv_neighbour children[2],
					    const struct tallydv_neighbour *parent)
{
	children[0] = (struct tallydv_neighbour){
		.gid = gid_of(LINK_LOCAL), .subtree_first = 2, .subtree_count = 1
	};
	children[1] = (struct tallydv_neighbour){
		.gid = gid_of(LINK_LOCAL), .subtree_first = 3, .subtree_count = 4
	};
	return (struct tallydv_group_attr){
		.node = 1, .num_nodes = 7, .num_children = 2, .children = children,
		.parent = parent, .rank_mask = 0x83, .total_ranks = 21,
	};
}

static void assert_ranks(const struct tallydv_group_attr *attr, const uint32_t want[5])
{
	struct tally_ureq_edge edge[3];

	tally_group_edges(attr, edge);
	assert_int_equal(tally_group_rank_first(attr), want[0]);
	assert_int_equal(edge[0].rank_first, want[1]);
	assert_int_equal(edge[0].rank_count, want[2]);
	assert_int_equal(edge[1].rank_first, want[3]);
	assert_int_equal(edge[1].rank_count, want[4]);
	/* A parent has no rank numbers. */
	assert_int_equal(edge[2].rank_first, 0);
	assert_int_equal(edge[2].rank_count, 0);
}

static void rank_numbers(void **state)
{
	const struct tallydv_neighbour parent = {
		.gid = gid_of(LINK_LOCAL), .rank_first = 5, .rank_count = 6
	};
	struct tallydv_neighbour children[2];
	struct tallydv_group_attr attr = even_group(children, &parent);

	(void)state;
	assert_ranks(&attr, (const uint32_t[]){ 3, 6, 3, 9, 12 });
	/* The nodes differ in ranks, so the caller's numbers are used, even if they are 0. */
	attr.total_ranks = 20;
	assert_ranks(&attr, (const uint32_t[]){ 0, 0, 0, 0, 0 });
	attr.rank_first = 2;
	children[0].rank_first = 5;
	children[0].rank_count = 4;
	assert_ranks(&attr, (const uint32_t[]){ 2, 5, 4, 0, 0 });
	/* The nodes could have the same number of ranks, but the caller has set rank numbers. */
	attr = even_group(children, &parent);
	children[1].rank_count = 1;
	assert_ranks(&attr, (const uint32_t[]){ 0, 0, 0, 0, 1 });
	attr = even_group(children, &parent);
	attr.rank_first = 1;
	assert_ranks(&attr, (const uint32_t[]){ 1, 0, 0, 0, 0 });
	/* If some nodes have no ranks, the total proves nothing. */
	attr = even_group(children, &parent);
	attr.flags = TALLY_GROUP_F_SPARSE;
	assert_ranks(&attr, (const uint32_t[]){ 0, 0, 0, 0, 0 });
	/* No ranks here, and none in all. */
	attr = even_group(children, &parent);
	attr.rank_mask = 0;
	attr.total_ranks = 0;
	assert_ranks(&attr, (const uint32_t[]){ 0, 0, 0, 0, 0 });
	/* The last node of the largest group. */
	attr = even_group(children, &parent);
	attr.rank_mask = UINT64_MAX;
	attr.node = TALLY_MAX_NODES - 1;
	attr.num_nodes = TALLY_MAX_NODES;
	attr.total_ranks = 64 * TALLY_MAX_NODES;
	assert_ranks(&attr, (const uint32_t[]){ 64 * 4095, 128, 64, 192, 256 });
}

/* Node 3 of six nodes with two ranks each, in two rounds: parts of two nodes, then of three. */
static struct tallydv_group_attr exchange_group(struct tallydv_neighbour peers[3])
{
	peers[0] = (struct tallydv_neighbour){
		.gid = gid_of(LINK_LOCAL), .remote_index = 2, .round = 1, .position = 0,
		.roles = TALLY_ROLE_IN | TALLY_ROLE_OUT | TALLY_ROLE_EPOCH, .subtree_first = 2,
		.subtree_count = 1,
	};
	peers[1] = (struct tallydv_neighbour){
		.gid = gid_of(LINK_LOCAL), .remote_index = 1, .round = 2, .position = 2,
		.roles = TALLY_ROLE_IN, .subtree_first = 4, .subtree_count = 2,
	};
	peers[2] = (struct tallydv_neighbour){
		.gid = gid_of(LINK_LOCAL), .remote_index = 63, .round = 2, .roles = TALLY_ROLE_OUT,
	};
	return (struct tallydv_group_attr){
		.mode = TALLY_MODE_EXCHANGE, .node = 3, .num_nodes = 6, .num_peers = 3,
		.peers = peers, .rank_mask = 0x5, .total_ranks = 12, .rounds = 2,
	};
}

static void edges_with_roles(void **state)
{
	struct tallydv_neighbour peers[3];
	struct tallydv_group_attr attr = exchange_group(peers);
	struct tally_ureq_edge edge[4];

	(void)state;
	memset(edge, 0xee, sizeof(edge));
	tally_group_edges(&attr, edge);
	assert_int_equal(edge[3].gid[0], 0xee);
	assert_int_equal(tally_group_rank_first(&attr), 6);
	for (unsigned int i = 0; i < 3; i++) {
		assert_int_equal(edge[i].remote_index, peers[i].remote_index);
		assert_int_equal(edge[i].round, peers[i].round);
		assert_int_equal(edge[i].position, peers[i].position);
		assert_int_equal(edge[i].roles, peers[i].roles);
		/* The nodes of a part only serve to count its ranks. */
		assert_int_equal(edge[i].subtree_first, 0);
		assert_int_equal(edge[i].subtree_count, 0);
	}
	assert_int_equal(edge[0].rank_first, 4);
	assert_int_equal(edge[0].rank_count, 2);
	assert_int_equal(edge[1].rank_first, 8);
	assert_int_equal(edge[1].rank_count, 4);
	assert_int_equal(edge[2].rank_first, 0);
	assert_int_equal(edge[2].rank_count, 0);
	/* The caller sets all rank numbers. */
	peers[1].rank_first = 8;
	peers[1].rank_count = 4;
	tally_group_edges(&attr, edge);
	assert_int_equal(tally_group_rank_first(&attr), 0);
	assert_int_equal(edge[0].rank_count, 0);
	assert_int_equal(edge[1].rank_first, 8);
	assert_int_equal(edge[1].rank_count, 4);
	/* Values that the kernel must refuse reach the kernel. */
	attr.mode = TALLY_MODE_RING;
	tally_group_edges(&attr, edge);
	assert_int_equal(edge[1].subtree_first, 4);
}

/*
 * In a group of one mode, the kernel gets the description of the first version, whichever members
 * the program has set.
 */
static void edges_of_the_first_version(void **state)
{
	struct tallydv_neighbour peers[3];
	struct tallydv_group_attr attr = exchange_group(peers);
	struct tally_ureq_edge edge[3];

	(void)state;
	peers[0].subtree_first = peers[0].subtree_count = 0;
	peers[0].part_first = 4;
	peers[0].part_count = 2;
	peers[1].part_first = 8;
	peers[1].part_count = 4;
	for (attr.modes = 0; attr.modes <= TALLY_MODES_EXCHANGE; attr.modes += TALLY_MODES_EXCHANGE) {
		tally_group_edges(&attr, edge);
		assert_int_equal(edge[0].rank_first, 4);
		assert_int_equal(edge[0].rank_count, 2);
		assert_int_equal(edge[1].rank_first, 8);
		assert_int_equal(edge[1].rank_count, 4);
		assert_int_equal(edge[0].part_first | edge[0].part_count, 0);
		assert_int_equal(edge[1].subtree_first | edge[1].part_count, 0);
	}
	attr.mode = TALLY_MODE_RING;
	attr.modes = 0;
	peers[0].roles = TALLY_ROLE_RING_IN | TALLY_ROLE_EPOCH;
	peers[1].roles = TALLY_ROLE_OUT;
	peers[2].roles = TALLY_ROLE_RING_IN | TALLY_ROLE_RING_OUT;
	tally_group_edges(&attr, edge);
	assert_int_equal(edge[0].roles, TALLY_ROLE_IN | TALLY_ROLE_EPOCH);
	assert_int_equal(edge[1].roles, TALLY_ROLE_OUT);
	assert_int_equal(edge[2].roles, TALLY_ROLE_IN | TALLY_ROLE_OUT);
}

/* Node 1 of four nodes with two ranks each, in all modes. Its parent, node 0, has no other role. */
static struct tallydv_group_attr shared_group(struct tallydv_neighbour peers[3],
					      struct tallydv_neighbour *parent)
{
	peers[0] = (struct tallydv_neighbour){
		.gid = gid_of(LINK_LOCAL), .remote_index = TALLY_CONTRIB_PARENT,
		.roles = TALLY_ROLE_CHILD, .subtree_first = 2, .subtree_count = 1,
	};
	peers[1] = (struct tallydv_neighbour){
		.gid = gid_of(LINK_LOCAL), .remote_index = 1, .round = 1,
		.roles = TALLY_ROLE_IN | TALLY_ROLE_OUT | TALLY_ROLE_RING_OUT | TALLY_ROLE_CHILD,
		.subtree_first = 3, .subtree_count = 1,
	};
	peers[2] = (struct tallydv_neighbour){
		.gid = gid_of(LINK_LOCAL), .remote_index = 2, .round = 2, .position = 1,
		.roles = TALLY_ROLE_IN | TALLY_ROLE_RING_IN,
	};
	*parent = (struct tallydv_neighbour){
		.gid = gid_of(LINK_LOCAL), .remote_index = 5, .subtree_count = 9, .part_count = 9,
	};
	return (struct tallydv_group_attr){
		.mode = TALLY_MODE_TREE, .node = 1, .num_nodes = 4, .num_peers = 3, .peers = peers,
		.parent = parent, .rank_mask = 0x3, .total_ranks = 8, .rounds = 2,
		.modes = TALLY_MODES_TREE | TALLY_MODES_EXCHANGE | TALLY_MODES_RING,
	};
}

/* In a group of several modes, the kernel gets every role. The library may count the ranks. */
static void edges_of_several_modes(void **state)
{
	struct tallydv_neighbour peers[3], parent;
	struct tallydv_group_attr attr = shared_group(peers, &parent);
	struct tally_ureq_edge edge[4];

	(void)state;
	tally_group_edges(&attr, edge);
	assert_int_equal(tally_group_rank_first(&attr), 2);
	for (unsigned int i = 0; i < 3; i++) {
		assert_int_equal(edge[i].roles, peers[i].roles);
		assert_int_equal(edge[i].remote_index, peers[i].remote_index);
		assert_int_equal(edge[i].subtree_first, peers[i].subtree_first);
		assert_int_equal(edge[i].round, peers[i].round);
	}
	assert_int_equal(edge[0].rank_first, 4);
	assert_int_equal(edge[0].rank_count, 2);
	assert_int_equal(edge[1].rank_first, 6);
	assert_int_equal(edge[1].rank_count, 2);
	assert_int_equal(edge[2].rank_count, 0);
	assert_int_equal(edge[3].remote_index, 5);
	assert_int_equal(edge[3].subtree_count | edge[3].part_count, 0);
	/* A program that gives some rank numbers gives all of them. */
	peers[1].part_first = 7;
	peers[1].part_count = 1;
	attr.rank_first = 2;
	tally_group_edges(&attr, edge);
	assert_int_equal(edge[1].part_first, 7);
	assert_int_equal(edge[1].part_count, 1);
	assert_int_equal(edge[0].rank_count | edge[1].rank_count, 0);
}

/* ---- Answers of the device about a group ---- */
static void unpacking(void **state)
{
	const struct tally_uresp_edge edge = {
		.gid = LINK_LOCAL, .mac = "\x02\0\0\0\0\x07", .state = TALLY_EDGE_OPEN,
		.index = 64, .subtree_first = 0x102, .subtree_count = 0x304,
		.peer_done = 0x50001, .outstanding = 0x50002,
		.retries = 0x50003, .sent = 1ULL << 40,
		.retransmits = 1ULL << 41, .received = 1ULL << 42,
		.duplicates = 1ULL << 43, .busy = 1ULL << 44,
	};
	const struct tally_uresp_seg seg = {
		.state = TALLY_SEG_BUSY, .opcode = 1, .op = 2, .dtype = 3, .num = 0x40005,
		.mid = 0x40006, .sid = 0x40007, .contributors = 1ULL << 50,
		.ranks = 1ULL << 51, .receivers = 1ULL << 52,
		.deliver = 1ULL << 53,
	};
	const struct tally_uresp_arrival arrival = {
		.mid = 0x30004, .opcode = 4, .op = 5, .dtype = 6, .last = 70,
		.count = 1ULL << 33, .first_ns = 1ULL << 34,
		.last_ns = 1ULL << 35, .done_ns = 1ULL << 36,
		.ranks = 1ULL << 37, .contributors = 1ULL << 38,
	};
	struct tallydv_edge_info e;
	struct tallydv_seg_info s;
	struct tallydv_arrival a;

	(void)state;
	tally_unpack_edge(&e, &edge);
	assert_memory_equal(e.gid.raw, LINK_LOCAL, 16);
	assert_memory_equal(e.mac, "\x02\0\0\0\0\x07", 6);
	assert_true(e.state == TALLY_EDGE_OPEN && e.index == TALLY_CONTRIB_PARENT);
	assert_true(e.subtree_first == 0x102 && e.subtree_count == 0x304);
	assert_true(e.peer_done == 0x50001 && e.outstanding == 0x50002 && e.retries == 0x50003);
	assert_true(e.sent == 1ULL << 40 && e.retransmits == 1ULL << 41);
	assert_true(e.received == 1ULL << 42 && e.duplicates == 1ULL << 43 && e.busy == 1ULL << 44);
	tally_unpack_seg(&s, &seg);
	assert_true(s.state == TALLY_SEG_BUSY && s.opcode == 1 && s.op == 2 && s.dtype == 3);
	assert_true(s.num == 0x40005 && s.mid == 0x40006 && s.sid == 0x40007);
	assert_true(s.contributors == 1ULL << 50 && s.ranks == 1ULL << 51);
	assert_true(s.unacknowledged == 1ULL << 52 && s.undelivered == 1ULL << 53);
	tally_unpack_arrival(&a, &arrival);
	assert_true(a.mid == 0x30004 && a.opcode == 4 && a.op == 5 && a.dtype == 6 && a.last == 70);
	assert_true(a.count == 1ULL << 33 && a.first_ns == 1ULL << 34 && a.last_ns == 1ULL << 35);
	assert_true(a.done_ns == 1ULL << 36 && a.ranks == 1ULL << 37);
	assert_true(a.contributors == 1ULL << 38);
}

static void no_room_for_a_list(void **state)
{
	struct tally_group group = {};
	struct tallydv_edge_info edge;
	struct tallydv_arrival arrival;
	struct tallydv_seg_info seg;
	uint32_t count = 0;

	(void)state;
	assert_int_equal(tallydv_query_edges(&group.dv, &edge, &count), EINVAL);
	assert_int_equal(tallydv_query_segs(&group.dv, &seg, &count), EINVAL);
	assert_int_equal(tallydv_query_arrivals(&group.dv, &arrival, &count), EINVAL);
}

static void no_mac_to_be_had(void **state)
{
	static const char *const gids[] = {
		"\x20\x01\0\0\0\0\0\0\x50\x54\x00\xff\xfe\x12\x34\x56",
		"\xfe\x80\0\0\0\0\0\x01\x50\x54\x00\xff\xfe\x12\x34\x56",
		"\xfe\x80\0\0\0\0\0\0\x50\x54\x00\xff\xff\x12\x34\x56",
		"\xfe\x80\0\0\0\0\0\0\x50\x54\x00\xfe\xfe\x12\x34\x56",
	};

	(void)state;
	for (unsigned int i = 0; i < 4; i++) {
		struct tallydv_neighbour neighbour = { .gid = gid_of(gids[i]) };

		assert_false(tally_has_mac(&neighbour));
		neighbour.mac[5] = 1;
		assert_true(tally_has_mac(&neighbour));
	}
}

/* Each status has a sentence of its own. */
static void texts(void **state)
{
	static const uint32_t statuses[] = {
#define VALUE(name, value, doc) value,
		TALLY_COLL_LIST(VALUE)
#undef VALUE
	};
	unsigned int count = sizeof(statuses) / sizeof(statuses[0]);

	(void)state;
	for (unsigned int i = 0; i < count; i++) {
		const char *text = tallydv_coll_status_str(statuses[i]);

		assert_true(strlen(text) > 5 && text[strlen(text) - 1] == '.');
		assert_string_not_equal(text, tallydv_coll_status_str(0xffff));
		for (unsigned int k = 0; k < i; k++)
			assert_string_not_equal(text, tallydv_coll_status_str(statuses[k]));
	}
	assert_string_equal(tallydv_coll_status_name(TALLY_COLL_RANK_TWICE), "RANK_TWICE");
	assert_string_equal(tallydv_coll_status_name(0xffff), "?");
	assert_string_equal(tallydv_opcode_str(TALLY_OPCODE_BCAST_MP), "BCAST_MP");
	assert_string_equal(tallydv_op_str(TALLY_OP_BXOR), "BXOR");
	assert_string_equal(tallydv_type_str(TALLY_TYPE_FP64), "FP64");
	assert_string_equal(tallydv_group_state_str(TALLY_GROUP_OPENING), "OPENING");
	/* Codes of later devices have no name here. */
	assert_string_equal(tallydv_opcode_str(0), "?");
	assert_string_equal(tallydv_op_str(UINT32_MAX), "?");
	assert_string_equal(tallydv_type_str(UINT32_MAX), "?");
	assert_string_equal(tallydv_group_state_str(UINT32_MAX), "?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(matching),
		cmocka_unit_test(edges),
		cmocka_unit_test(no_mac_to_be_had),
		cmocka_unit_test(rank_numbers),
		cmocka_unit_test(edges_with_roles),
		cmocka_unit_test(edges_of_the_first_version),
		cmocka_unit_test(edges_of_several_modes),
		cmocka_unit_test(unpacking),
		cmocka_unit_test(no_room_for_a_list),
		cmocka_unit_test(texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
