/* SPDX-License-Identifier: BSD-2-Clause */
/* The NIC of software messages and their packets. For soft_net.c. */
#ifndef TALLY_SIM_BENCH_SOFT_NIC_H
#define TALLY_SIM_BENCH_SOFT_NIC_H

#include "bench/soft_net.h"

struct soft_nic {
	struct soft_net *net;
	struct fab_port *port;
	uint8_t mac[6], gid[16];
	/* To be sent, in order of `ready`: answers to reads, and all else, which goes first. */
	struct soft_message *answers, *requests;
	struct sim_event pump;		/* the first of them can be sent */
	vtime_t read_busy, write_busy;	/* the two directions of PCIe */
};

/* What NICs share. */
struct soft_net {
	struct bench_params p;
	struct sim *sim;
	struct topo *topo;
	void (*arrived)(void *arg, struct soft_message *m);
	void *arg;
	uint32_t nodes;
	struct soft_nic *nic;
	struct soft_message **table;
	uint32_t used, room;		/* of the table */
	uint32_t free;			/* the first unused id; UINT32_MAX: none */
	vtime_t request, parse, encap, status;	/* of the NIC's clock */
};

/* Takes the port's receive function. */
void soft_nic_init(struct soft_nic *nic, struct soft_net *net, uint32_t node,
		   struct fab_port *port);

/* @m, which is complete, is to be sent: its work request is here. */
void soft_nic_send(struct soft_nic *nic, struct soft_message *m);

/* Packets, in soft_packet.c. */

/* Bytes of data in packet @index of @m. */
uint64_t soft_packet_data(const struct bench_params *p, const struct soft_message *m,
			  uint32_t index);

/* Bytes that a message brings into host memory beside its data. */
uint64_t soft_envelope(enum soft_message_kind kind);

/* The frame of packet @index of @m, or NULL: no memory. */
struct frame *soft_packet_build(const struct soft_nic *from, const struct soft_nic *to,
				const struct soft_message *m, uint32_t index);

/* The message and index of a frame that soft_packet_build() made, and the data in it. */
struct soft_message *soft_packet_parse(const struct soft_net *net, const struct frame *f,
				       uint32_t *index, const uint8_t **data);

#endif
