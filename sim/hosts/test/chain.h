/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Three hosts in a row, the middle one with two cables: the smallest tree in which a node has a
 * parent and a child. One rank each. What begins to be sent on the cables is noted.
 */
#ifndef TALLY_SIM_HOSTS_TEST_CHAIN_H
#define TALLY_SIM_HOSTS_TEST_CHAIN_H

#include "core/trace.h"
#include "fabric/link.h"
#include "hosts/qp.h"

enum { ROOT, MIDDLE, LEAF, CHAIN };

#define CHAIN_SENT	1024
#define CHAIN_MR	4096

struct chain_member {
	struct host *host;
	struct host_cq cq;
	struct host_qp qp;
	struct host_mr mr;
	uint32_t group;
};

/* A collective packet. */
struct chain_packet {
	unsigned int from;
	enum tally_kind kind;
	vtime_t first_bit, arrival;	/* the latter of its last bit, as the receiver sees it */
};

struct chain {
	struct sim *sim;
	struct fab_link *link[2];
	struct chain_member member[CHAIN];
	struct chain_packet sent[CHAIN_SENT];
	unsigned int num_sent;
};

/* Everything made, the edges open. @trace: of the simulation, or NULL. Fails the test otherwise. */
void chain_build(struct chain *c, bool push, struct sim_trace *trace);
void chain_free(struct chain *c);

/* An allreduce by member @i of the @count 32-bit integers i + 1, their sum to its region. */
void chain_post(struct chain *c, unsigned int i, uint32_t mid, uint32_t count);

/* Time passes until nothing more happens but timers. */
void chain_run(struct chain *c);

/* The only packet of @kind from @from since @since. */
const struct chain_packet *chain_packet(const struct chain *c, unsigned int since,
					unsigned int from, enum tally_kind kind);

#endif
