/* SPDX-License-Identifier: BSD-2-Clause */
/* The NIC of software messages and their packets. Used by net.c. */
#ifndef TALLY_SIM_BASELINE_NIC_H
#define TALLY_SIM_BASELINE_NIC_H

#include "baseline/net.h"

struct baseline_nic {
	struct baseline_net *net;
	struct fab_port *port;
	uint8_t mac[6], gid[16];
	/* Messages to send, in order of `ready`: answers to reads; all others, which go first. */
	struct baseline_message *answers, *requests;
	struct sim_event pump;		/* sends when the first of them is ready */
	vtime_t read_busy, write_busy;	/* the two directions of PCIe */
};

/* State shared by the NICs. */
struct baseline_net {
	struct bench_params p;
	struct sim *sim;
	struct topo *topo;
	void (*arrived)(void *arg, struct baseline_message *m);
	void *arg;
	uint32_t nodes;
	struct baseline_nic *nic;
	struct baseline_message **table;
	uint32_t used, room;		/* of the table */
	uint32_t free;			/* first free id; UINT32_MAX: none */
	vtime_t request, parse, encap, status;	/* durations at the NIC's clock */
};

/* Sets the port's receive function. */
void baseline_nic_init(struct baseline_nic *nic, struct baseline_net *net, uint32_t node,
		       struct fab_port *port);

/* Sends @m, which is complete: its work request has arrived. */
void baseline_nic_send(struct baseline_nic *nic, struct baseline_message *m);

/* Packets, in packet.c. */

/* Returns the bytes of data in packet @index of @m. */
uint64_t baseline_packet_data(const struct bench_params *p, const struct baseline_message *m,
			      uint32_t index);

/* Returns the bytes that a message writes to host memory besides its data. */
uint64_t baseline_envelope(enum baseline_message_kind kind);

/* Returns the frame of packet @index of @m; NULL: out of memory. */
struct frame *baseline_packet_build(const struct baseline_nic *from, const struct baseline_nic *to,
				    const struct baseline_message *m, uint32_t index);

/* Returns message and index of a frame that baseline_packet_build() made, and the data in it. */
struct baseline_message *baseline_packet_parse(const struct baseline_net *net,
					       const struct frame *f, uint32_t *index,
					       const uint8_t **data);

#endif
