// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Which devices are ours, the edges of a group, and the texts. */
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
	/* A foreign driver on an ivshmem device. */
	assert_false(tally_match(PCI_OURS, 3, "tally"));
	assert_false(tally_match(PCI_OURS, 0, "uio_ivshmem"));
	assert_false(tally_match(PCI_OURS, 0, ""));
	/* Another device, whatever its driver says. */
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
		.gid = gid_of(LINK_LOCAL), .remote_index = 5, .subtree_first = 1, .subtree_count = 1
	};
	struct tallydv_group_attr attr = {
		.num_children = 2, .children = children, .parent = &parent
	};
	struct tally_group_edge edge[4];

	(void)state;
	memset(edge, 0xee, sizeof(edge));
	assert_int_equal(tally_group_edges(&attr, edge), 0);
	assert_memory_equal(edge[0].gid, LINK_LOCAL, 16);
	assert_memory_equal(edge[0].mac, "\x52\x54\x00\x12\x34\x56", 6);
	assert_int_equal(le16toh(edge[0].remote_index), TALLY_CONTRIB_PARENT);
	assert_int_equal(le16toh(edge[0].subtree_first), 1);
	assert_int_equal(le16toh(edge[0].subtree_count), 3);
	assert_memory_equal(edge[1].mac, "\x02\0\0\0\0\x07", 6);
	assert_int_equal(le16toh(edge[1].subtree_count), 0x102);
	assert_int_equal(le16toh(edge[2].remote_index), 5);
	assert_int_equal(edge[2].subtree_first, 0);
	assert_int_equal(edge[2].subtree_count, 0);
	assert_int_equal(edge[3].gid[0], 0xee);

	attr.parent = NULL;
	memset(edge, 0xee, sizeof(edge));
	assert_int_equal(tally_group_edges(&attr, edge), 0);
	assert_int_equal(edge[2].gid[0], 0xee);
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
		struct tallydv_group_attr child = { .num_children = 1, .children = &neighbour };
		struct tallydv_group_attr parent = { .parent = &neighbour };
		struct tally_group_edge edge[1];

		assert_int_equal(tally_group_edges(&child, edge), EINVAL);
		assert_int_equal(tally_group_edges(&parent, edge), EINVAL);
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
	assert_string_equal(tallydv_opcode_str(0), "?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(matching),
		cmocka_unit_test(edges),
		cmocka_unit_test(no_mac_to_be_had),
		cmocka_unit_test(texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
