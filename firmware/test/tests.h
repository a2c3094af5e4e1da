/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions that tests.c lists. */
#ifndef TALLY_FIRMWARE_TEST_TESTS_H
#define TALLY_FIRMWARE_TEST_TESTS_H

/* bytes_test.c */
void byte_orders(void);
/* divide_test.c */
void quotients(void);
void inverses(void);
/* group_test.c */
void groups_taken(void);
void groups_refused(void);
void spans_of_retries(void);
void room_of_the_nic(void);
void multicast_addresses(void);
void several_modes(void);
void choices_of_modes(void);
/* bounds_test.c */
void first_error_is_told(void);
void choices_of_each_operation(void);
void inputs_of_fixed_order(void);
void longest_chunks(void);
void most_neighbours(void);
void groups_of_one_node(void);
/* neighbours_test.c */
void peers_of_a_tree(void);
void order_of_children(void);
void roles_among_several_modes(void);
void neighbours_that_only_take(void);
void parts_that_overlap(void);
void many_neighbours_in_a_ring(void);
/* edges_test.c */
void ranks_of_a_tree(void);
void parts_of_an_exchange(void);
void directions_of_a_ring(void);
void roots_and_leaves(void);
void nodes_without_ranks(void);
void uniform_groups(void);

#endif
