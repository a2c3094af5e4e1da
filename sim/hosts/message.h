/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A collective message as a test or a benchmark makes it: what it asks for, what each rank gives
 * and gets, and the bytes of both. Ranks are global: counted node by node, in the order of nodes.
 * The bytes follow from the message's seed, so that nothing need be kept to check a result.
 */
#ifndef TALLY_SIM_HOSTS_MESSAGE_H
#define TALLY_SIM_HOSTS_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "gen/tally_hw.h"
#include "hosts/oracle.h"

#define MESSAGE_MAX_ABSENT	256	/* ranks that may be absent are those below */

struct message {
	enum tally_opcode opcode;
	enum tally_op op;
	enum tally_type type;
	uint32_t count;			/* elements a rank */
	uint32_t total_ranks;		/* of the group */
	uint32_t root;			/* global rank; of opcodes that have one */
	uint16_t root_node;
	uint8_t root_local;
	uint32_t chunk_len;		/* 0: the group's MTU */
	bool loc_values;		/* WQE_F_LOC_VALUES */
	int32_t loc_index;		/* of element 0, with loc_values */
	bool rounded;			/* sums of floating-point values are, all positive */
	/*
	 * Floating point: NaN, infinities, zeroes of both signs, subnormals, sums that overflow;
	 * such that the result does not depend on the order. Two ranks give something, at least.
	 */
	bool special;
	uint64_t seed;
	uint32_t num_absent;		/* ranks that take no part */
	uint64_t absent[MESSAGE_MAX_ABSENT / 64];	/* a bit for each */
};

/* Takes @rank no part? */
bool message_absent(const struct message *m, uint32_t rank);

bool message_has_root(const struct message *m);
bool message_reduces(const struct message *m);

/* Bytes of an element of the result. */
uint32_t message_elem_size(const struct message *m);

/* Does @rank have data, and does it get a result? */
bool message_gives(const struct message *m, uint32_t rank);
bool message_gets(const struct message *m, uint32_t rank);

/* Does who gives have a block for every rank? Does who gets something get one of every rank? */
bool message_gives_blocks(const struct message *m);
bool message_gets_blocks(const struct message *m);

/* Elements that who gives has. */
uint64_t message_give_elements(const struct message *m);

/* Bytes of the data and of the result of who has one. */
uint64_t message_give_bytes(const struct message *m);
uint64_t message_get_bytes(const struct message *m);

/* Chunks it is cut into in a group of @mtu. */
uint32_t message_chunks(const struct message *m, uint32_t mtu);

/*
 * The request for it, in the device's byte order, but for what depends on the poster: flags,
 * rank_mask, lists.
 */
struct tally_wqe message_wqe(const struct message *m, uint32_t jid, uint32_t mid);

/* Writes what @rank, which gives, has: message_give_bytes() of it. */
void message_input(const struct message *m, uint32_t rank, void *data);

/*
 * Writes what every rank that gets something must get, but for SCATTER and REDUCE_SCATTER: there,
 * what all ranks get, one after the other. False: no memory. @o is for message_expect() alone,
 * all-zero at first. With `rounded`, it is what they must get but for roundings.
 */
bool message_expect(const struct message *m, struct oracle *o, void *result);

/* Does a rank that takes part give a signalling NaN? */
bool message_signals(const struct message *m);

/* Where in what message_expect() writes @rank's result begins. */
uint64_t message_expect_offset(const struct message *m, uint32_t rank);

/* Bytes that message_expect() writes. */
uint64_t message_expect_bytes(const struct message *m);

#endif
