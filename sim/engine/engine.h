/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Interface between the collective engine and the NIC around it. It is a small transaction
 * interface, behind which the C model and the Verilated RTL are interchangeable. Contexts,
 * doorbells, answers of the host and packets go in; requests to the host and packets come out. The
 * caller advances the time.
 *
 * No call into the engine blocks. The host must not call the engine from one of the engine's
 * callbacks; it queues the answer instead.
 */
#ifndef TALLY_SIM_ENGINE_ENGINE_H
#define TALLY_SIM_ENGINE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/request.h"
#include "firmware/qp_admin.h"
#include "firmware/result.h"
#include "gen/tally_fw_hw.h"
#include "gen/tally_hw.h"

struct engine;

/* Address of a neighbour, to which packets are sent. */
struct engine_addr {
	uint8_t gid[16];
	uint8_t mac[6];
};

/*
 * The edge of a packet with a number, and what the engine knows the packet by until it is acknowledged.
 * @again: it has had its number, which the header has.
 */
struct engine_name {
	uint32_t group, edge; /* as in docs/registers.md */
	uint16_t ref;
	bool again;
};

/*
 * Latencies of the hardware, in cycles of its clock. A packet takes parse, then alu or chain for
 * each reduction that it completes, and encap. A result takes parse and status; a work request
 * takes request and encap. If all fields are zero, the hardware takes no time.
 */
struct engine_timing {
	uint32_t clock_mhz;
	uint16_t request; /* decoding a work request */
	uint16_t parse;	  /* receiving a packet, until it is in its segment */
	uint16_t alu;	/* a reduction, first word in to first word out; then one word per cycle */
	uint16_t chain;	  /* each further reduction whose operand is the result of the one before */
	uint16_t encap;	  /* forming a packet */
	uint16_t status;  /* forming a completion */
	uint16_t access;  /* the firmware reads or writes a register of 32 bits */
	uint16_t event;	  /* the firmware takes an event, and begins to handle it */
};

/* ---- The segment store of the host ---- */

/* An operation on a chunk, whose message is given as in its header; `count` as in a request. */
struct engine_operation {
	enum tally_fw_store_op kind;
	uint32_t group;
	uint8_t mode, opcode, op, dtype, root_rank;
	uint16_t root_node, bytes; /* of the data */
	uint32_t num, mid, sid, total, count;
	uint8_t edge; /* the neighbour, or the rank */
	/* Of a post: by whom; of these, who gives no data, who gets none; neighbours that are left out. */
	uint64_t ranks, absent, quits, out;
	bool rank, sum, last;
};

/* An event for the firmware. One of a host is of type NONE if its queue is empty by now. */
struct engine_event {
	enum tally_fw_event_type type;
	enum tally_fw_cause cause;
	uint32_t group, edge; /* the group or tombstone as in docs/registers.md */
	uint32_t flags, epoch, mid, sid, status;
	uint64_t contributors, ranks;
	uint32_t open; /* of a host that compares: a sum of enum tally_fw_open_state */
	uint32_t data[TALLY_FW_DATA_WORDS];
};

struct engine_answer {
	enum tally_fw_store_answer verdict;
	uint16_t status, err_vector; /* why it disagrees; errors of the chunk by now */
};

/* Words that come out: the result for ranks. */
struct engine_store_out {
	uint32_t group, num, mid;
	uint16_t err_vector;
	uint64_t ranks;
};

/* A sum, or a copy of the result, on its way to a neighbour. @again: it was sent before. */
struct engine_passage {
	uint32_t group, edge, num, mid;
	bool sum, again;
};

/*
 * Requests of the engine to the NIC. `ctx` is the pointer that was passed to engine_new(). The NIC
 * answers a request exactly once, later, with the engine_*() call that the comment names. `delay`
 * is the engine's own latency in picoseconds: the hardware would make the request that long after
 * now. An engine that keeps time itself passes 0.
 */
struct engine_host {
	/*
	 * Whether the host fetches and parses work requests. NULL: it does not. If it does, it calls
	 * engine_posted(), engine_overrun(), engine_skipped() and engine_request() instead of
	 * engine_doorbell(), and must be told when the oldest request of a queue pair has retired, when
	 * a QUERY was answered, and (@fails) when a request has failed. It learns states of queue pairs by
	 * table(). What it tells of a queue pair is of after the newest reset.
	 */
	bool (*fetches)(void *ctx);
	void (*retired)(void *ctx, uint32_t qpn);
	void (*notice)(void *ctx, uint32_t qpn, bool fails);
	/*
	 * Whether a host that fetches also retires requests and completes them (docs/rtl-sender.md). NULL:
	 * it does not. If it does, it must be told what becomes of their chunks instead, and calls
	 * engine_retired(), engine_flag_due() and engine_failed(). It learns of queue pairs and the end
	 * of epochs by table().
	 */
	bool (*completes)(void *ctx);
	void (*update)(void *ctx, const struct engine_update *u);
	void (*end)(void *ctx, const struct engine_end *x);
	/* Fetch entry `index` (a running count) of a send queue. Answer: engine_wqe(). */
	void (*fetch_wqe)(void *ctx, uint32_t qpn, uint32_t index);
	/*
	 * Check whether this access is permitted. Returns TALLY_COLL_OK, _BAD_LKEY, _MR_RANGE or
	 * _MR_ACCESS at once.
	 */
	enum tally_coll_status (*check)(void *ctx, uint32_t pd, const struct engine_sge *sge,
					bool write);
	/*
	 * Read one piece of memory. The host checks the access again. Answer: engine_read_done().
	 */
	void (*read)(void *ctx, uint32_t pd, const struct engine_sge *sge, uint64_t tag,
		     uint64_t delay);
	/*
	 * Write sge->length bytes; `data` is copied before return. Answer: engine_write_done(),
	 * when the data are sure to be written before anything that is written later.
	 */
	void (*write)(void *ctx, uint32_t pd, const struct engine_sge *sge, const void *data,
		      uint64_t tag, uint64_t delay);
	/*
	 * Write a CQE. The host fills in owner, timestamp and elapsed; it notes the time of each
	 * doorbell. The CQE is ordered after every write() already answered. There is no answer.
	 */
	void (*complete)(void *ctx, uint32_t cqn, const struct tally_cqe *cqe, bool solicited,
			 uint64_t delay);
	/*
	 * Send a collective packet; header and payload are copied. Packets to one address leave in
	 * the order of the calls. There is no answer.
	 */
	void (*send)(void *ctx, const struct engine_addr *to, const struct tally_tch *tch,
		     const void *payload, size_t len, uint64_t delay);
	/*
	 * The same for packets with a number of an edge. The host gives the number, unless @name says
	 * that the packet has it, and a TRIGGER the number before it; and it calls engine_acked(),
	 * engine_again() and engine_expired(). NULL: the engine does this itself.
	 */
	void (*send_numbered)(void *ctx, const struct engine_name *name,
			      const struct engine_addr *to, const struct tally_tch *tch,
			      const void *payload, size_t len, uint64_t delay);
	/* Whether send_numbered() is to be called. NULL: it is not. */
	bool (*numbers)(void *ctx);
	/*
	 * Combine two vectors, as alu_reduce() of alu/alu.h does, which defines the result; the
	 * engine accounts for the time. NULL: the engine has an ALU of its own.
	 */
	uint16_t (*reduce)(void *ctx, uint8_t op, uint8_t type, void *acc, const void *in,
			   uint32_t count);
	/*
	 * Write a register of docs/registers.md in tables that the host has. Packets that are sent
	 * afterwards leave later. NULL: it has none. There is no answer.
	 */
	void (*table)(void *ctx, uint32_t reg, uint32_t value);
	/*
	 * Whether the host finds by itself when numbered packets that it has admitted are to be
	 * acknowledged, and then calls engine_acknowledge(). NULL: it does not.
	 */
	bool (*acknowledges)(void *ctx);
	/*
	 * Whether the host has a segment store (docs/rtl-store.md), with the segments of all groups
	 * and their pool. NULL: it has none. The pool learns of groups and epochs by table(), begins
	 * epochs and raises limits; it calls engine_moved(), engine_granted() and engine_begun_epoch().
	 * Operations, if the host does not deliver, and commands for the store; `data` are copied. Answer
	 * to an operation: engine_operated(). What comes out: engine_store_out(). What is for neighbours, the host
	 * sends itself, with the values of the store; it acknowledges packets of these groups, and
	 * tells neighbours of new values (docs/rtl-send.md): engine_store_left(), engine_store_there().
	 */
	bool (*stores)(void *ctx);
	void (*operate)(void *ctx, const struct engine_operation *op, const void *data,
			uint64_t delay);
	void (*command)(void *ctx, enum tally_fw_store_command command, uint32_t group, uint32_t num);
	/*
	 * Whether a host that stores and completes also begins the requests of groups that it stores, and
	 * has the local ranks of the chunks that it stores. NULL: it does not. If it does, it posts chunks,
	 * reads their data, writes results and flag words, tells itself what becomes of ranks, and calls
	 * engine_began() and engine_look(). It learns of queue pairs and epochs by table().
	 */
	bool (*delivers)(void *ctx);
	/*
	 * Whether a host that stores and completes also carries out the triggered descriptors of the groups
	 * that it stores (docs/rtl-trigger.md). NULL: it does not. If it does, it begins descriptors in their
	 * turn, takes TRIGGER packets of these groups itself, tells itself what becomes of descriptors, and
	 * calls engine_began(), engine_fired(), engine_message_left() and engine_message_there().
	 */
	bool (*triggers)(void *ctx);
	/*
	 * Whether the host has the queue of events of packets for the firmware (docs/rtl-firmware.md). NULL: it
	 * has none. If it does, it takes OPEN, KILL and acknowledgements of KILL that it admits, and calls
	 * engine_event_waits() when one waits. It learns by table() whose events are to be dropped.
	 */
	bool (*queues_events)(void *ctx);
	/* Whether an event waits there. */
	bool (*event_waits)(void *ctx);
	/* Take the oldest one, behind all earlier writes of table(). Answer: engine_event(). */
	void (*take_event)(void *ctx);
	/*
	 * Whether a host that has events of packets has those of groups, too (docs/rtl-firmware.md,
	 * "Exceptions"). NULL: it has not. If it does, it raises BEGIN with the commands CREATE and BEGIN,
	 * FENCED with FENCE, and exceptions of its units; it keeps the first exception of an epoch, and calls
	 * engine_frozen(). Exceptions of the engine, and that a group has drained, it learns by raise(), of the
	 * epoch of earlier writes of table(). There is no answer.
	 */
	bool (*raises)(void *ctx);
	void (*raise)(void *ctx, const struct engine_event *ev);
	/*
	 * Whether a host with tables sends the packets of the firmware, of the commands SEND, SEND_OPEN,
	 * CONFIRM and CHALLENGE. NULL: it does not. If it does, which needs its queue of events, it gets
	 * what they are formed from, the registers of SEND and the command by table(). A challenge echoes
	 * the nonce of the OPEN that was taken last. There is no answer. Packets of groups with multicast,
	 * and of their tombstones, are sent by send().
	 */
	bool (*fw_sends)(void *ctx);
	/*
	 * Whether a host with tables carries out RENEW_EDGE. NULL: it does not. If it does, it gets the
	 * command by table(), and before it by random() the random numbers that it takes, one by one.
	 */
	bool (*renews)(void *ctx);
	void (*random)(void *ctx, uint64_t number);
	/*
	 * Whether a host with that queue compares each OPEN with its group and its edge. NULL: it does not.
	 * If it does, it gets what it compares with by table().
	 */
	bool (*compares)(void *ctx);
	/* Raise an event (TALLY_EQE_GROUP_*, TALLY_EQE_QP_FATAL). There is no answer. */
	void (*event)(void *ctx, enum tally_eqe_type type, uint32_t id, uint64_t data);
	/* Add to a hardware counter. There is no answer. */
	void (*count)(void *ctx, enum tally_counter counter, uint64_t n);
};

/* `seed` is the source of nonces. Returns NULL if there is not enough memory. */
struct engine *engine_new(const struct engine_host *host, void *ctx, uint64_t seed);
void engine_free(struct engine *e);
/* Must be called before any work. The timing survives engine_reset(). */
void engine_set_timing(struct engine *e, const struct engine_timing *timing);
/*
 * Must be called before any work. Limits the number of groups, at most TALLY_MAX_GROUP, and of
 * segments, at most TALLY_MAX_SEG. The limits survive engine_reset().
 */
void engine_set_limits(struct engine *e, uint32_t groups, uint32_t segs);
/*
 * Must be called before any work. The engine refuses the opcodes in `lacking`, bit 1 << opcode, with
 * BAD_OPCODE. They survive engine_reset().
 */
void engine_set_lacking(struct engine *e, uint32_t lacking);
/* Return the opcodes that the engine performs, bit 1 << opcode. */
uint32_t engine_opcodes(const struct engine *e);
/* Forget everything, as after power-up. Outstanding answers must not be delivered afterwards. */
void engine_reset(struct engine *e);

/* ---- Contexts, from the admin queue ---- */
/* `cfg` and `edges` are copies outside host memory; the engine checks every field. */
struct engine_result engine_create_group(struct engine *e, uint32_t group,
					 const struct tally_group_cfg *cfg,
					 const struct tally_group_edge *edges, uint32_t num_edges);
struct engine_result engine_destroy_group(struct engine *e, uint32_t group);
struct engine_result engine_attach_ranks(struct engine *e, uint32_t group, uint64_t ranks);
struct engine_result engine_detach_ranks(struct engine *e, uint32_t group, uint64_t ranks);
struct engine_result engine_query_group(struct engine *e, uint32_t group,
					struct tally_group_info *info);
/* `edges` has MAX_CONTRIBUTORS + 1 entries; entries of edges that do not exist become zero. */
struct engine_result engine_query_edges(struct engine *e, uint32_t group,
					struct tally_edge_info *edges);
/*
 * `segs` has room for MAX_GROUP_SEGS entries. *num becomes the number of segments of the group, all
 * of which are written: those of num from done on.
 */
struct engine_result engine_query_segs(struct engine *e, uint32_t group,
				       struct tally_seg_info *segs, uint32_t *num);
/* `arrivals` has NUM_ARRIVALS entries, the newest message first. */
struct engine_result engine_query_arrivals(struct engine *e, uint32_t group,
					   struct tally_arrival *arrivals);
/*
 * Begin `epoch` in a group whose epoch has ended and whose ranks are all attached. Offsets of
 * errors are those of struct tally_cmd_reset_group.
 */
struct engine_result engine_reset_group(struct engine *e, uint32_t group, uint32_t epoch);
/* Offsets of errors are those of struct tally_cmd_create_qp. */
struct engine_result engine_create_qp(struct engine *e, uint32_t qpn,
				      const struct engine_qp_cfg *cfg);
/* RESET sets the count of posted requests to 0. Fetches in flight are still answered. */
struct engine_result engine_modify_qp(struct engine *e, uint32_t qpn, enum tally_qp_state state);
/*
 * Tell the engine that a queue pair in error does not come back, because its completion queue has
 * failed. Ranks that no other queue pair may post for are gone, and the engine reports that to the
 * other nodes.
 */
void engine_qp_lost(struct engine *e, uint32_t qpn);
/* Return the state of a queue pair that exists. */
enum tally_qp_state engine_qp_state(const struct engine *e, uint32_t qpn);
/* After return, the host need not answer any outstanding request of this queue pair. */
struct engine_result engine_destroy_qp(struct engine *e, uint32_t qpn);

/* ---- Work ---- */
/* Set the producer count of a send queue to `posted` (monotonic). A stale value is ignored. */
void engine_doorbell(struct engine *e, uint32_t qpn, uint64_t posted);
/* Answer to fetch_wqe(): `len` bytes (the stride), or data == NULL if the fetch failed. */
void engine_wqe(struct engine *e, uint32_t qpn, uint32_t index, const void *data, size_t len);
/* For a host that fetches: the count of posted requests is @count. */
void engine_posted(struct engine *e, uint32_t qpn, uint32_t count);
/* The queue pair has more requests than its send queue has entries; it is in ERROR. */
void engine_overrun(struct engine *e, uint32_t qpn);
/*
 * The request that is the next to be taken in was answered ahead of its turn. @passes: it has retired,
 * because the queue pair is being flushed.
 */
void engine_skipped(struct engine *e, uint32_t qpn, bool passes);
/* A request is there, with what becomes of it: TAKE, ASK, AHEAD or FLUSH. */
void engine_request(struct engine *e, const struct engine_request *r);
/* The oldest request of a queue pair has retired. */
void engine_retired(struct engine *e, uint32_t qpn);
/* A request has all but its flag word: write it. */
void engine_flag_due(struct engine *e, uint32_t qpn, uint16_t entry);
/* A request has put its queue pair into ERROR: one for these ranks, of message @mid. */
void engine_failed(struct engine *e, uint32_t qpn, uint16_t status, uint64_t ranks, uint32_t mid);
/* Answer to read(): sge->length bytes, or data == NULL and a status. */
void engine_read_done(struct engine *e, uint64_t tag, enum tally_coll_status status,
		      const void *data, size_t len);
void engine_write_done(struct engine *e, uint64_t tag, enum tally_coll_status status);

/* ---- Network ---- */
/*
 * Receive a collective packet with correct Ethernet, IP, UDP, BTH and ICRC; `body` is TCH and
 * payload.
 */
void engine_packet(struct engine *e, const struct engine_addr *from, const void *body, size_t len);

/*
 * Which edge of which group a packet is for. Group and edge are valid if the verdict is OK, DUPLICATE,
 * WINDOW or TURN.
 */
struct engine_admission {
	enum tally_fw_admission verdict;
	uint32_t group, edge; /* the group or tombstone as in docs/registers.md */
	bool numbered;	      /* the packet has a number, of which the verdict tells */
	/* What the store of the host says of it. It has the payload, and what it marks is stored. */
	struct engine_answer answer;
};

/*
 * The same for a host that admits packets by the tables that it has. The host has checked the header;
 * a packet that is not admitted has no payload. Returns whether the packet has a number and is stored,
 * so that the host must not admit the number again. The host must know this before it looks at a
 * further packet of the edge.
 */
bool engine_admitted(struct engine *e, const struct engine_admission *a,
		     const struct engine_addr *from, const void *body, size_t len);
/* Answer to operate(). */
void engine_operated(struct engine *e, const struct engine_operation *op,
		     const struct engine_answer *answer);
/*
 * Words of a chunk have come out of the store. They are of the epoch that runs, unless it has been
 * frozen.
 */
void engine_store_out(struct engine *e, const struct engine_store_out *out, const void *data,
		      size_t len);
/*
 * A sum or a result of the store has left for a neighbour, or is there. Of the epoch that runs, likewise.
 */
void engine_store_left(struct engine *e, const struct engine_passage *p);
void engine_store_there(struct engine *e, const struct engine_passage *p);
/*
 * A chunk of a request has begun, or (@refused) the request has failed; or a triggered descriptor has begun,
 * or may begin, if the host does not carry it out.
 * @here: the store of the host has the chunk and its ranks, and has answered.
 */
struct engine_begun {
	uint32_t qpn, num;
	uint16_t entry, status;
	bool refused, here;
	struct engine_answer answer;
};
void engine_began(struct engine *e, const struct engine_begun *b);
/* The oldest request of a queue pair that has not begun waits for its turn, or does so no more. */
void engine_look(struct engine *e, uint32_t qpn);
/* A descriptor has fired. */
void engine_fired(struct engine *e, uint32_t qpn, uint16_t entry);
/* A message of a descriptor has left on an edge, perhaps again, or is there. */
void engine_message_left(struct engine *e, uint32_t group, uint32_t edge, bool again);
void engine_message_there(struct engine *e, uint32_t group, uint32_t edge);
/*
 * Of a group, until its epoch ends: all chunks before `done` are finished, and segments are set aside
 * for numbers below `limit`.
 */
void engine_moved(struct engine *e, uint32_t group, uint32_t done, uint32_t limit);
/* Of its own segments, a group has so many now. */
void engine_granted(struct engine *e, uint32_t group, uint32_t num);
/* The pool has begun the epoch of a group, and set aside what it was granted. */
void engine_begun_epoch(struct engine *e, uint32_t group);

/* The queue of the host is not empty any more. */
void engine_event_waits(struct engine *e);
/* Answer to take_event(). */
void engine_event(struct engine *e, const struct engine_event *ev);
/* An exception has ended the epoch of a group, which runs still; the event follows. */
void engine_frozen(struct engine *e, uint32_t group);

/* An acknowledgement that is due on an edge of a host that finds this by itself. */
struct engine_ack {
	uint32_t group, edge; /* as in engine_admission */
	uint32_t top;	      /* newest number that is stored */
	uint64_t seen;	      /* bit i: number top - i is stored */
};
/* Send it, unless the edge is not open any more. */
void engine_acknowledge(struct engine *e, const struct engine_ack *ack);
/* A packet of send_numbered() that has its number. */
struct engine_sent {
	uint32_t group, edge;
	uint16_t ref;
	uint32_t seq;
};
/* A time-out of an edge; @tries: of those since its neighbour has acknowledged something. */
struct engine_expiry {
	uint32_t group, edge, tries;
	bool over; /* the neighbour counts as silent */
};
/*
 * Packets are acknowledged, or are to be sent again, or a time-out has passed. What comes for an edge
 * that is not open any more is of no meaning. Return false if the engine does not know the packet.
 */
bool engine_acked(struct engine *e, const struct engine_sent *s);
bool engine_again(struct engine *e, const struct engine_sent *s);
void engine_expired(struct engine *e, const struct engine_expiry *x);
/* Return what engine_packet() does with a packet whose header is right. Changes nothing. */
struct engine_admission engine_would_admit(struct engine *e, const struct engine_addr *from,
					   const void *body);

/* Return what the engine knows of an OPEN that a host has compared. Changes nothing. */
uint32_t engine_would_open(struct engine *e, const struct engine_event *ev);

/* Let the caches fetch what any call uses, because one follows soon. */
void engine_prefetch(const struct engine *e);
/*
 * The same at three times before a call: first of what any call uses (`ahead` = 3), then of what a
 * packet probably concerns, in two steps (2, 1).
 */
void engine_expect(const struct engine *e, unsigned int ahead);

/* ---- Time, in picoseconds ---- */
/*
 * Return the time at which the engine next needs engine_advance(); UINT64_MAX: never. The caller
 * asks after every other call.
 */
uint64_t engine_next(struct engine *e);
/* Set the time to `now` (monotonic), before any other call at that time. */
void engine_advance(struct engine *e, uint64_t now);

#endif
