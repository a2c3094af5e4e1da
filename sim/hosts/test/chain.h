/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Three hosts in a row with one rank each; the middle one has two cables. This is the smallest tree
 * in which a node has a parent and a child. The packets sent on the cables are recorded.
 */
#ifndef TALLY_SIM_HOSTS_TEST_CHAIN_H
#define TALLY_SIM_HOSTS_TEST_CHAIN_H

#include "core/trace.h"
#include "fabric/link.h"
#include "hosts/qp.h"

enum { ROOT, MIDDLE, LEAF, CHAIN };

#define CHAIN_SENT	1024
#define CHAIN_JID	77
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
	vtime_t first_bit, arrival;	/* arrival: of the last bit, at the receiver */
};

struct chain {
	struct sim *sim;
	struct fab_link *link[2];
	struct chain_member member[CHAIN];
	struct chain_packet sent[CHAIN_SENT];
	unsigned int num_sent;
};

/* What chain_build() takes besides. */
struct chain_setup {
	const struct nic_units *units;	/* of each NIC; NULL: none */
	bool may_end;			/* the epoch may, so events of groups are no faults */
};
extern struct chain_setup chain_setup;

/* Makes everything and opens the edges, or fails the test. @trace: of the simulation, or NULL. */
void chain_build(struct chain *c, bool push, struct sim_trace *trace);
void chain_free(struct chain *c);

/* Posts an allreduce by member @i of @count 32-bit integers i + 1, with the sum to its region. */
void chain_post(struct chain *c, unsigned int i, uint32_t mid, uint32_t count);

/* Runs until only timers are pending. */
void chain_run(struct chain *c);

/* Returns the only packet of @kind from @from since @since. */
const struct chain_packet *chain_packet(const struct chain *c, unsigned int since,
					unsigned int from, enum tally_kind kind);

#endif
