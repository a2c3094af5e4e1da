/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A NIC with the real engine in a guest of its own (nic/test/host.h), with working objects that
 * harnesses corrupt: event and completion queue, memory region, group, and a queue pair with a push
 * buffer.
 */
#ifndef TALLY_FUZZ_GUEST_H
#define TALLY_FUZZ_GUEST_H

#include "input.h"
#include "nic/test/host.h"

#define GUEST_GROUP	2
#define GUEST_JID	0x1234
#define GUEST_RANKS	3	/* ranks of each node; all belong to the queue pair */
#define GUEST_CQ_DEPTH	64
#define GUEST_SQ_DEPTH	32

struct guest {
	struct sim *sim;
	struct host *h;
	unsigned int node, nodes;	/* of the group: one node, or a root and a child */
	uint64_t image;			/* bus address of the group's configuration */
	uint64_t posted;		/* number of posted requests */
	uint32_t next_mid;		/* next mid of collectives */
	uint8_t salt;			/* selects the messages; the same at both nodes */
	union admin_body good[6];	/* bodies of valid commands */
};

/*
 * Starts node @node of @nodes: resets its NIC and creates all objects. @port may be NULL. The
 * address of the other node follows from its number.
 */
void guest_start(struct guest *g, struct sim *sim, struct fab_port *port, unsigned int node,
		 unsigned int nodes, uint8_t salt);
/* Creates the objects again, in a NIC of any state. */
void guest_restart(struct guest *g);
void guest_free(struct guest *g);
/* Returns whether the device or the queue pair has stopped, so that only a restart helps. */
bool guest_is_broken(const struct guest *g);

/*
 * Posts and rings a valid request, which the input sometimes corrupts. The k-th collective is the
 * same message at both nodes.
 */
void guest_post(struct guest *g, struct input *in);
/* Posts a request through the push buffer. */
void guest_push(struct guest *g, struct input *in);
/* Submits a command with a changed valid body. */
void guest_command(struct guest *g, struct input *in);
/* Changes host memory (rings, page lists, data), or makes a part of it disappear. */
void guest_memory(struct guest *g, struct input *in);
/* Stores to BAR2. */
void guest_bar(struct guest *g, struct input *in);
/* Consumes the entries that the NIC wrote: advances the consumer counts. */
void guest_consume(struct guest *g);
/* Lets the NIC examine its doorbells, and time pass. */
void guest_wait(struct guest *g, struct input *in);

/* Checks that a reset recovers the NIC, and that it works. */
void guest_must_recover(struct guest *g);

#endif
