/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A collective message as a test or a benchmark makes it: its parameters, the data and the result
 * of each rank. Ranks are global: they are counted node by node, in the order of the nodes. The
 * data follow from the message's seed, so that a check of the result needs no copy of them.
 */
#ifndef TALLY_SIM_HOSTS_MESSAGE_H
#define TALLY_SIM_HOSTS_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "gen/tally_hw.h"
#include "hosts/oracle.h"

#define MESSAGE_MAX_ABSENT	256	/* only ranks below this may be absent */

struct message {
	enum tally_opcode opcode;
	enum tally_op op;
	enum tally_type type;
	enum tally_mode mode;		/* 0: the group chooses */
	uint32_t count;			/* elements per rank */
	uint32_t total_ranks;		/* of the group */
	uint32_t root;			/* global rank, for opcodes with a root */
	uint16_t root_node;
	uint8_t root_local;
	uint32_t chunk_len;		/* 0: the group's MTU */
	bool loc_values;		/* WQE_F_LOC_VALUES */
	int32_t loc_index;		/* of element 0, with loc_values */
	bool rounded;			/* floating-point sums are rounded; all positive */
	/*
	 * The floating-point data contain NaN, infinities, zeroes of both signs, subnormals, and
	 * sums that overflow, such that the result does not depend on the order. At least two ranks
	 * have data.
	 */
	bool special;
	uint64_t seed;
	uint32_t num_absent;		/* ranks that take no part */
	uint64_t absent[MESSAGE_MAX_ABSENT / 64];	/* one bit for each rank */
};

/* Returns whether @rank takes no part. */
bool message_absent(const struct message *m, uint32_t rank);

bool message_has_root(const struct message *m);
bool message_reduces(const struct message *m);

/* Returns the bytes of an element of the result. */
uint32_t message_elem_size(const struct message *m);

/* Return whether @rank has data (gives), and whether it receives a result (gets). */
bool message_gives(const struct message *m, uint32_t rank);
bool message_gets(const struct message *m, uint32_t rank);

/* Return whether the data, and the result, consist of one block for every rank. */
bool message_gives_blocks(const struct message *m);
bool message_gets_blocks(const struct message *m);

/* Returns the elements of the data of a rank that gives. */
uint64_t message_give_elements(const struct message *m);

/* Return the bytes of the data of a rank that gives, and of the result of a rank that gets. */
uint64_t message_give_bytes(const struct message *m);
uint64_t message_get_bytes(const struct message *m);

/* Returns the number of chunks of the message in a group whose MTU is @mtu. */
uint32_t message_chunks(const struct message *m, uint32_t mtu);
/* Returns the number of chunks of up to @len bytes. */
uint32_t message_chunks_of(const struct message *m, uint32_t len);

/*
 * Returns the work request, in the device's byte order, without the fields that depend on the
 * poster: flags, rank_mask, lists.
 */
struct tally_wqe message_wqe(const struct message *m, uint32_t jid, uint32_t mid);

/* Writes the data of @rank, which gives: message_give_bytes() bytes. */
void message_input(const struct message *m, uint32_t rank, void *data);

/*
 * What one entry has that stands for several ranks of a node which take part, @n in ascending order:
 * WQE_F_COMBINED. Data to be reduced are those of all the ranks, without LOC_VALUES; where ranks
 * have blocks, the entry has those of all. For opcodes whose root gives, the root is among the ranks.
 */
uint64_t message_joint_give_bytes(const struct message *m, unsigned int n);
uint64_t message_joint_get_bytes(const struct message *m, unsigned int n);
/* Returns false if out of memory. @o is as for message_expect(). */
bool message_joint_input(const struct message *m, struct oracle *o, const uint32_t *rank,
			 unsigned int n, void *data);

/*
 * Writes the expected result, which is the same at every rank that gets one. For SCATTER and
 * REDUCE_SCATTER, writes the results of all ranks one after the other. Returns false if out of
 * memory. @o is used by message_expect() only, and must be all-zero initially. With `rounded`, the
 * ranks get this result except for rounding.
 */
bool message_expect(const struct message *m, struct oracle *o, void *result);

/* Returns whether the data of any rank that takes part contain a signalling NaN. */
bool message_signals(const struct message *m);

/* Returns the offset of @rank's result in the output of message_expect(). */
uint64_t message_expect_offset(const struct message *m, uint32_t rank);

/* Returns the number of bytes that message_expect() writes. */
uint64_t message_expect_bytes(const struct message *m);

#endif
