/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages between hosts over NICs that do no more than that, on the fabric of the benchmark. A NIC
 * takes the same cycles for a request, a packet and a completion as ours, and is pipelined; PCIe,
 * cables and switches are the same.
 *
 * In favour of software: reliable connections without acknowledgements, without a limit of messages
 * under way, without the reaction to congestion; the sender of a message never waits for its end.
 */
#ifndef TALLY_SIM_BENCH_SOFT_NET_H
#define TALLY_SIM_BENCH_SOFT_NET_H

#include "bench/params.h"
#include "core/event.h"
#include "core/trace.h"
#include "fabric/topology.h"

enum soft_message_kind {
	SOFT_EAGER,		/* data for whoever wants them */
	SOFT_READY,		/* rendezvous: the data are ready at the sender */
	SOFT_READ,		/* rendezvous: asks the sender's NIC for them */
	SOFT_DATA,		/* rendezvous: the answer */
	SOFT_LOCAL,		/* within a node; never comes here */
};

struct soft_net;
struct soft_nic;

/* A message; a rendezvous is one all the way. Made by soft_message_new(), which sets id only. */
struct soft_message {
	struct soft_message *next;	/* for who has it */
	enum soft_message_kind kind;
	uint32_t id;			/* place in the table of its net */
	uint32_t from, to;		/* ranks; of the first packet */
	uint32_t from_node, to_node;	/* likewise */
	uint64_t bytes;
	bool gathered;			/* the NIC reads the data from host memory */
	uint8_t *data;			/* to be sent, bytes long; NULL: zeros, and none arrive */
	uint8_t *got;			/* what arrived */
	uint32_t receive;		/* which RECV it is for; for the receiver */
	void *owner;			/* the receiver of a LOCAL one */
	/* the net's own */
	struct soft_nic *at;		/* that sends it */
	uint32_t packets, sent, arrived;
	vtime_t ready;			/* when the first packet can be sent */
	vtime_t read_from;		/* when its data begin to come from host memory */
	struct sim_event event;
};

struct soft_net_cfg {
	const struct bench_params *params;
	struct topo_cfg topo;
	uint64_t seed;
	struct sim_trace *trace;	/* or NULL */
	/*
	 * @m, of kind EAGER, READY or DATA, is complete in the memory of the host it is for, which
	 * may send it on or free it.
	 */
	void (*arrived)(void *arg, struct soft_message *m);
	void *arg;
};

/* NICs on a fabric, one for each host, in a simulation of their own. NULL: why not is in @why. */
struct soft_net *soft_net_new(const struct soft_net_cfg *cfg, char *why, size_t size);
void soft_net_free(struct soft_net *net);

struct sim *soft_net_sim(const struct soft_net *net);
struct topo *soft_net_topo(const struct soft_net *net);

/* A message of nothing. NULL: no memory, or too many. All go with the net. */
struct soft_message *soft_message_new(struct soft_net *net);
/* With its data. */
void soft_message_free(struct soft_net *net, struct soft_message *m);

/*
 * At @at the CPU of the sender's host (READ: of the receiver's) has posted @m, which belongs to the
 * net until it arrives. Kind, ranks, nodes, bytes, gathered, data are set; the nodes differ.
 */
void soft_post(struct soft_net *net, struct soft_message *m, vtime_t at);

/*
 * Whether a CPU that sends @bytes does better to write them into the NIC than to let it read them,
 * and can.
 */
bool soft_pushes(const struct bench_params *p, uint64_t bytes);

/*
 * What it costs the CPU to post a message with @bytes of data, which it pushes or not. The request
 * itself is in host.post.
 */
vtime_t soft_post_time(const struct bench_params *p, uint64_t bytes);

bool soft_has_data(enum soft_message_kind kind);

/* How many packets a message has. */
uint32_t soft_packets(const struct bench_params *p, enum soft_message_kind kind, uint64_t bytes);

/* Bytes of the frame of a packet with @data bytes of data. */
size_t soft_frame_bytes(enum soft_message_kind kind, bool first, bool last, uint64_t data);

/* Bytes of the frames of a message, and of ETH_OVERHEAD_BYTES to each. */
uint64_t soft_wire_bytes(const struct bench_params *p, enum soft_message_kind kind, uint64_t bytes);

#endif
