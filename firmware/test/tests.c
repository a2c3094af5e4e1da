// SPDX-License-Identifier: BSD-2-Clause
/* The tests of the firmware. */
#include "firmware/test/tests.h"
#include "firmware/test/test.h"

#define TEST(name) { #name, name }

const struct firmware_test firmware_tests[] = {
	TEST(byte_orders),
	TEST(quotients),
	TEST(inverses),
	TEST(groups_taken),
	TEST(groups_refused),
	TEST(ranks_of_a_tree),
	TEST(parts_of_an_exchange),
	TEST(directions_of_a_ring),
	TEST(roots_and_leaves),
	TEST(nodes_without_ranks),
	TEST(uniform_groups),
	TEST(multicast_addresses),
	TEST(several_modes),
	TEST(choices_of_modes),
	TEST(spans_of_retries),
	TEST(room_of_the_nic),
	TEST(first_error_is_told),
	TEST(choices_of_each_operation),
	TEST(inputs_of_fixed_order),
	TEST(longest_chunks),
	TEST(most_neighbours),
	TEST(groups_of_one_node),
	TEST(peers_of_a_tree),
	TEST(order_of_children),
	TEST(roles_among_several_modes),
	TEST(neighbours_that_only_take),
	TEST(parts_that_overlap),
	TEST(many_neighbours_in_a_ring),
};

const unsigned int firmware_num_tests = sizeof(firmware_tests) / sizeof(firmware_tests[0]);
