/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One node of a group without a network: tests call its units directly, and look at its tables. It
 * counts what the node asks of its NIC, and keeps the last packet and the newest of the others.
 */
#ifndef TALLY_SIM_ENGINE_TEST_ALONE_H
#define TALLY_SIM_ENGINE_TEST_ALONE_H

#include "engine/tables.h"

#define ALONE_JID 7
#define ALONE_EPOCH 3

#define ALONE_KEPT 64 /* a power of two */

struct alone_access { /* to memory */
	uint32_t pd;
	struct engine_sge sge;
	uint64_t tag, delay;
	uint8_t data[64]; /* the first bytes of a write */
};

struct alone_cqe {
	struct tally_cqe cqe;
	uint32_t cqn;
	bool solicited;
	uint64_t delay;
};

struct alone {
	struct engine *e;
	struct group *g; /* group 0 of the engine, of TREE mode, with rank 0 and without edges */
	unsigned int sent;
	struct tally_tch packet[ALONE_KEPT]; /* index: running number */
	struct tally_tch last;
	_Alignas(8) uint8_t payload[TALLY_MAX_MTU]; /* of that packet */
	size_t len;
	uint64_t delay;
	struct engine_addr to;
	unsigned int fetches; /* of entries of send queues */
	uint32_t fetch_qp, fetch_index;
	unsigned int checks; /* of accesses to memory; check number `refuse`, from 1 on, fails */
	unsigned int refuse;
	uint32_t check_pd;
	struct engine_sge checked;
	bool check_write;
	unsigned int reads, writes, cqes, eqes;
	struct alone_access read[ALONE_KEPT], write[ALONE_KEPT]; /* index: running number */
	struct alone_cqe cqe[ALONE_KEPT];
	struct {
		enum tally_eqe_type type;
		uint32_t id;
		uint64_t data;
	} eqe;		       /* the last event for the driver */
	uint64_t counters[64]; /* by enum tally_counter */
};

void alone_setup(struct alone *a);
void alone_teardown(struct alone *a);
/* Give the group edges 0 to num - 1, which are open; all of them are children. */
void alone_children(struct alone *a, unsigned int num);
/* Open edge `idx`, which becomes the parent. */
void alone_parent(struct alone *a, unsigned int idx);
/* Give the group queue pair `n`, which works and may post for `ranks`. Its port is n, too. */
struct qp *alone_qp(struct alone *a, unsigned int n, uint64_t ranks);
/* Take a place for the next request of a queue pair, in this state, as if it had been fetched. */
struct wr *alone_wr(struct qp *qp, enum wr_state wr_state, uint8_t opcode, uint32_t mid,
		    uint64_t ranks);
/* Let the firmware take all events without handling them. */
void alone_forget_events(struct alone *a);
/* Return the exception that was raised; its status is OK if there was none. */
const struct fw_event *alone_exception(const struct alone *a);
/* Return whether a timer was touched since the last call for it, or since the beginning. */
bool alone_touched(struct alone *a, struct timer *t);
/* Return the header of chunk 0 of message 0, an ALLREDUCE of `num` INT32. */
struct tch alone_chunk(uint8_t kind, uint32_t num);

/*
 * Set up a node with the ranks 0, 1 and 4, two children, and a parent of index 64. Return an
 * ALLREDUCE of five INT32 of all its ranks, on queue pair 0, of which chunk 0 has begun.
 */
struct wr *alone_sum(struct alone *a);

#endif
