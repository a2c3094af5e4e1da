/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A NIC with the real engine in a guest of its own (nic/test/host.h), with objects that work, for
 * harnesses to spoil: event and completion queue, memory region, group, queue pair with a push buffer.
 */
#ifndef TALLY_FUZZ_GUEST_H
#define TALLY_FUZZ_GUEST_H

#include "input.h"
#include "nic/test/host.h"

#define GUEST_GROUP	2
#define GUEST_JID	0x1234
#define GUEST_RANKS	3	/* of each node; all are the queue pair's */
#define GUEST_CQ_DEPTH	64
#define GUEST_SQ_DEPTH	32

struct guest {
	struct sim *sim;
	struct host *h;
	unsigned int node, nodes;	/* of the group: one, or a root and a child */
	uint64_t image;			/* of the group's configuration, bus address */
	uint64_t posted;		/* requests */
	uint32_t next_mid;		/* of collectives */
	uint8_t salt;			/* what the messages are; the same at both nodes */
	union admin_body good[6];	/* bodies of commands that succeeded once */
};

/*
 * Node @node of @nodes, its NIC reset and all objects made. @port may be NULL. The other node's
 * address follows from its number.
 */
void guest_start(struct guest *g, struct sim *sim, struct fab_port *port, unsigned int node,
		 unsigned int nodes, uint8_t salt);
/* Makes the objects anew in a NIC of any state. */
void guest_restart(struct guest *g);
void guest_free(struct guest *g);
/* The device or the queue pair has stopped: only a new start gets further. */
bool guest_is_broken(const struct guest *g);

/*
 * Posts and rings a request that is right, but for what the input spoils now and then. The k-th
 * collective is the same message at both nodes.
 */
void guest_post(struct guest *g, struct input *in);
/* The same through the push buffer. */
void guest_push(struct guest *g, struct input *in);
/* Submits a command: a good body, changed. */
void guest_command(struct guest *g, struct input *in);
/* Changes host memory: rings, page lists, data; or lets a part of it vanish. */
void guest_memory(struct guest *g, struct input *in);
/* A store to BAR2. */
void guest_bar(struct guest *g, struct input *in);
/* Takes what the NIC wrote: consumer counts. */
void guest_consume(struct guest *g);
/* Lets the NIC look, and time pass. */
void guest_wait(struct guest *g, struct input *in);

/* After whatever happened: a reset brings back a NIC that does work. */
void guest_must_recover(struct guest *g);

#endif
