/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory that the ranks of a node share for one group. It has a few slots, which the pieces of the
 * node way use in turn. A flag holds the number of the use for which it was set, counted from 1, so
 * that it never needs to be cleared.
 */
#ifndef TALLYCOLL_CORE_AREA_H
#define TALLYCOLL_CORE_AREA_H

#include "host.h"

#define TC_AREA_SLOTS 2
#define TC_AREA_CALLS 64
#define TC_AREA_IN (64u << 10)	/* bytes of a rank's data in a slot */
#define TC_AREA_NET (256u << 10)	/* bytes that the NIC reads, and that it writes */

/*
 * What a rank called. The calls of a rank are numbered from 1, and number n of all ranks must agree.
 * A rank writes its last TC_AREA_CALLS calls, whatever their ways.
 */
struct tc_call {
	uint64_t count;
	uint32_t root;
	uint8_t opcode, op, dtype, reserved;
};

struct tc_area_rank {
	struct tc_flag arrived;	/* its data are in place */
	struct tc_flag left;	/* it has taken its result */
	struct tc_flag called;	/* number of its last call */
	struct tc_call call[TC_AREA_CALLS];
};

struct tc_area_slot {
	struct tc_flag turns;	/* ranks that have come so far, over all uses */
	struct tc_flag posted;	/* a root's data are in place */
	struct tc_flag result;	/* the result is in place */
};

struct tc_area_head {
	struct tc_flag broken;	/* 1 + enum tally_coll_status: no use ends any more */
	struct tc_area_slot slot[TC_AREA_SLOTS];
	struct tc_area_rank rank[];
};

/* A process's view of the memory. */
struct tc_area {
	struct tc_host *host;
	struct tc_net *net;
	struct tc_area_head *head;
	size_t bytes;
	uint32_t num_local;
	uint8_t *from, *to, *in;	/* parts, see tc_area_from() */
	struct tc_region region;	/* of from and to, once registered */
	bool registered;
	uint32_t agreed[];		/* [local] calls of the rank that were compared with this one's */
};

/* Maps the area called @name. Returns 0 or -errno. */
int tc_area_open(struct tc_area **area, struct tc_host *host, struct tc_net *net,
		 const char *name, uint32_t num_local, bool create);
void tc_area_close(struct tc_area *area);
/* Writes call number @number of rank @local. */
void tc_area_call(struct tc_area *area, uint32_t local, uint32_t number, const struct tc_call *call);
/*
 * Compares the calls up to number @number of all ranks that have come so far: flags may be those of
 * an earlier call that differs. Returns TALLY_COLL_OK or the status of the first mismatch.
 */
enum tally_coll_status tc_area_compare(struct tc_area *area, uint32_t local, uint32_t number);

/* Whether the message of each use up to @entered has ended, or no use ends any more. */
bool tc_area_settled(const struct tc_area *area, uint32_t entered);

/* Registers what the NIC reads and writes, once. Returns 0 or -errno. */
int tc_area_register(struct tc_area *area);

static inline uint8_t *tc_area_from(const struct tc_area *a, uint32_t slot)
{
	return a->from + (size_t)slot * TC_AREA_NET;
}

static inline uint8_t *tc_area_to(const struct tc_area *a, uint32_t slot)
{
	return a->to + (size_t)slot * TC_AREA_NET;
}

static inline uint8_t *tc_area_in(const struct tc_area *a, uint32_t slot, uint32_t local)
{
	return a->in + ((size_t)slot * a->num_local + local) * TC_AREA_IN;
}

static inline uint64_t tc_area_addr(const struct tc_area *a, const uint8_t *at)
{
	return a->region.start + (at - a->from);
}

#endif
