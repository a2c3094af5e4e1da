/* SPDX-License-Identifier: BSD-2-Clause */
/* The NIC of software messages and their packets. For baseline_net.c. */
#ifndef TALLY_SIM_BASELINE_NIC_H
#define TALLY_SIM_BASELINE_NIC_H

#include "baseline/net.h"

struct baseline_nic {
	struct baseline_net *net;
	struct fab_port *port;
	uint8_t mac[6], gid[16];
	/* To be sent, in order of `ready`: answers to reads, and all else, which goes first. */
	struct baseline_message *answers, *requests;
	struct sim_event pump;		/* the first of them can be sent */
	vtime_t read_busy, write_busy;	/* the two directions of PCIe */
};

/* What NICs share. */
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
	uint32_t free;			/* the first unused id; UINT32_MAX: none */
	vtime_t request, parse, encap, status;	/* of the NIC's clock */
};

/* Takes the port's receive function. */
void baseline_nic_init(struct baseline_nic *nic, struct baseline_net *net, uint32_t node,
		       struct fab_port *port);

/* @m, which is complete, is to be sent: its work request is here. */
void baseline_nic_send(struct baseline_nic *nic, struct baseline_message *m);

/* Packets, in baseline_packet.c. */

/* Bytes of data in packet @index of @m. */
uint64_t baseline_packet_data(const struct bench_params *p, const struct baseline_message *m,
			      uint32_t index);

/* Bytes that a message brings into host memory beside its data. */
uint64_t baseline_envelope(enum baseline_message_kind kind);

/* The frame of packet @index of @m, or NULL: no memory. */
struct frame *baseline_packet_build(const struct baseline_nic *from, const struct baseline_nic *to,
				    const struct baseline_message *m, uint32_t index);

/* The message and index of a frame that baseline_packet_build() made, and the data in it. */
struct baseline_message *baseline_packet_parse(const struct baseline_net *net,
					       const struct frame *f, uint32_t *index,
					       const uint8_t **data);

#endif
