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
/* edges_test.c */
void ranks_of_a_tree(void);
void parts_of_an_exchange(void);
void directions_of_a_ring(void);
void roots_and_leaves(void);
void nodes_without_ranks(void);
void uniform_groups(void);

#endif
