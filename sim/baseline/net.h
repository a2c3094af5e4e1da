/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages between hosts over NICs without collective offload, on the fabric of the benchmark. A
 * NIC takes the same cycles for a request, a packet and a completion as Tally's, and is pipelined;
 * PCIe, cables and switches are the same.
 *
 * Simplifications in favour of software: reliable connections without acknowledgements, without a
 * limit of outstanding messages, without congestion control; a sender never waits for completion.
 */
#ifndef TALLY_SIM_BASELINE_NET_H
#define TALLY_SIM_BASELINE_NET_H

#include "core/event.h"
#include "core/trace.h"
#include "fabric/topology.h"
#include "workload/params.h"

enum baseline_message_kind {
	BASELINE_EAGER,		/* eager data */
	BASELINE_READY,		/* rendezvous: the data are ready at the sender */
	BASELINE_READ,		/* rendezvous: asks the sender's NIC for them */
	BASELINE_DATA,		/* rendezvous: the response */
	BASELINE_LOCAL,		/* within a node; not sent over the net */
};

struct baseline_net;
struct baseline_nic;

/* A message, or a whole rendezvous. Made by baseline_message_new(), which sets only the id. */
struct baseline_message {
	struct baseline_message *next;	/* for the owner */
	enum baseline_message_kind kind;
	uint32_t id;			/* index in the table of its net */
	uint32_t from, to;		/* ranks; of the first packet */
	uint32_t from_node, to_node;	/* nodes of the first packet */
	uint64_t bytes;
	bool gathered;			/* the NIC reads the data from host memory */
	uint8_t *data;			/* data to send, bytes long; NULL: zeros, without @got */
	uint8_t *got;			/* data that arrived */
	uint32_t receive;		/* the RECV it is for; used by the receiver */
	/* private to the net */
	struct baseline_nic *at;		/* the NIC that sends it */
	uint32_t packets, sent, arrived;
	vtime_t ready;			/* time at which the first packet can be sent */
	vtime_t read_from;		/* start of the read of its data from host memory */
	struct sim_event event;
};

struct baseline_net_cfg {
	const struct bench_params *params;
	struct topo_cfg topo;
	uint64_t seed;
	struct sim_trace *trace;	/* or NULL */
	/*
	 * Called when @m, of kind LOCAL, EAGER, READY or DATA, is complete in the memory of its
	 * destination host, which may send it on or free it.
	 */
	void (*arrived)(void *arg, struct baseline_message *m);
	void *arg;
};

/* Makes a simulation with one NIC for each host. Returns NULL with the reason in @why. */
struct baseline_net *baseline_net_new(const struct baseline_net_cfg *cfg, char *why, size_t size);
void baseline_net_free(struct baseline_net *net);

struct sim *baseline_net_sim(const struct baseline_net *net);
struct topo *baseline_net_topo(const struct baseline_net *net);

/* Returns an empty message, which baseline_net_free() frees; NULL: out of memory, or too many. */
struct baseline_message *baseline_message_new(struct baseline_net *net);
/* Frees a message and its data. */
void baseline_message_free(struct baseline_net *net, struct baseline_message *m);

/*
 * Posts @m at the time @at, by a CPU of the sender's host (READ: the receiver's). The message
 * belongs to the net until it arrives. Kind, ranks, nodes, bytes, gathered and data are set; the
 * nodes differ.
 */
void baseline_post(struct baseline_net *net, struct baseline_message *m, vtime_t at);

/* Makes a message of kind LOCAL, set as for baseline_post() but within one node, arrive at @at. */
void baseline_deliver(struct baseline_net *net, struct baseline_message *m, vtime_t at);

/*
 * Returns whether a message of @bytes can be pushed to the NIC, and this is faster than letting the
 * NIC read it.
 */
bool baseline_pushes(const struct bench_params *p, uint64_t bytes);

/*
 * Returns the CPU time to post a message with @bytes of data, which are pushed or not. host.post
 * includes the request itself.
 */
vtime_t baseline_post_time(const struct bench_params *p, uint64_t bytes);

bool baseline_has_data(enum baseline_message_kind kind);

/* Returns the number of packets of a message. */
uint32_t baseline_packets(const struct bench_params *p, enum baseline_message_kind kind,
			  uint64_t bytes);

/* Returns the bytes of the frame of a packet with @data bytes of data. */
size_t baseline_frame_bytes(enum baseline_message_kind kind, bool first, bool last, uint64_t data);

/* Returns the bytes of the frames of a message, with ETH_OVERHEAD_BYTES for each. */
uint64_t baseline_wire_bytes(const struct bench_params *p, enum baseline_message_kind kind,
			     uint64_t bytes);

#endif
