/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages between hosts over NICs that do no more than that, on the fabric of the benchmark. A NIC
 * takes the same cycles for a request, a packet and a completion as ours, and is pipelined; PCIe,
 * cables and switches are the same.
 *
 * In favour of software: reliable connections without acknowledgements, without a limit of messages
 * under way, without the reaction to congestion; the sender of a message never waits for its end.
 */
#ifndef TALLY_SIM_BASELINE_NET_H
#define TALLY_SIM_BASELINE_NET_H

#include "core/event.h"
#include "core/trace.h"
#include "fabric/topology.h"
#include "workload/params.h"

enum baseline_message_kind {
	BASELINE_EAGER,		/* data for whoever wants them */
	BASELINE_READY,		/* rendezvous: the data are ready at the sender */
	BASELINE_READ,		/* rendezvous: asks the sender's NIC for them */
	BASELINE_DATA,		/* rendezvous: the answer */
	BASELINE_LOCAL,		/* within a node; never comes here */
};

struct baseline_net;
struct baseline_nic;

/* A message; a rendezvous is one all the way. Made by baseline_message_new(), which sets id only. */
struct baseline_message {
	struct baseline_message *next;	/* for who has it */
	enum baseline_message_kind kind;
	uint32_t id;			/* place in the table of its net */
	uint32_t from, to;		/* ranks; of the first packet */
	uint32_t from_node, to_node;	/* likewise */
	uint64_t bytes;
	bool gathered;			/* the NIC reads the data from host memory */
	uint8_t *data;			/* to be sent, bytes long; NULL: zeros, and none arrive */
	uint8_t *got;			/* what arrived */
	uint32_t receive;		/* which RECV it is for; for the receiver */
	/* the net's own */
	struct baseline_nic *at;		/* that sends it */
	uint32_t packets, sent, arrived;
	vtime_t ready;			/* when the first packet can be sent */
	vtime_t read_from;		/* when its data begin to come from host memory */
	struct sim_event event;
};

struct baseline_net_cfg {
	const struct bench_params *params;
	struct topo_cfg topo;
	uint64_t seed;
	struct sim_trace *trace;	/* or NULL */
	/*
	 * @m, of kind LOCAL, EAGER, READY or DATA, is complete in the memory of the host it is for,
	 * which may send it on or free it.
	 */
	void (*arrived)(void *arg, struct baseline_message *m);
	void *arg;
};

/* NICs on a fabric, one for each host, in a simulation of their own. NULL: why not is in @why. */
struct baseline_net *baseline_net_new(const struct baseline_net_cfg *cfg, char *why, size_t size);
void baseline_net_free(struct baseline_net *net);

struct sim *baseline_net_sim(const struct baseline_net *net);
struct topo *baseline_net_topo(const struct baseline_net *net);

/* A message of nothing. NULL: no memory, or too many. All go with the net. */
struct baseline_message *baseline_message_new(struct baseline_net *net);
/* With its data. */
void baseline_message_free(struct baseline_net *net, struct baseline_message *m);

/*
 * At @at the CPU of the sender's host (READ: of the receiver's) has posted @m, which belongs to the
 * net until it arrives. Kind, ranks, nodes, bytes, gathered, data are set; the nodes differ.
 */
void baseline_post(struct baseline_net *net, struct baseline_message *m, vtime_t at);

/* A message of kind LOCAL, set as for baseline_post(), whose nodes are the same: it arrives at @at. */
void baseline_deliver(struct baseline_net *net, struct baseline_message *m, vtime_t at);

/*
 * Whether a CPU that sends @bytes does better to write them into the NIC than to let it read them,
 * and can.
 */
bool baseline_pushes(const struct bench_params *p, uint64_t bytes);

/*
 * What it costs the CPU to post a message with @bytes of data, which it pushes or not. The request
 * itself is in host.post.
 */
vtime_t baseline_post_time(const struct bench_params *p, uint64_t bytes);

bool baseline_has_data(enum baseline_message_kind kind);

/* How many packets a message has. */
uint32_t baseline_packets(const struct bench_params *p, enum baseline_message_kind kind,
			  uint64_t bytes);

/* Bytes of the frame of a packet with @data bytes of data. */
size_t baseline_frame_bytes(enum baseline_message_kind kind, bool first, bool last, uint64_t data);

/* Bytes of the frames of a message, and of ETH_OVERHEAD_BYTES to each. */
uint64_t baseline_wire_bytes(const struct bench_params *p, enum baseline_message_kind kind,
			     uint64_t bytes);

#endif
