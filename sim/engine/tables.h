/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables of the collective engine. All have a fixed size, as they would in hardware. */
#ifndef TALLY_SIM_ENGINE_TABLES_H
#define TALLY_SIM_ENGINE_TABLES_H

#include "engine/divide.h"
#include "engine/engine.h"
#include "firmware/limits.h"
#include "firmware/report.h"
#include "gen/tally_fw_hw.h"

/*
 * Groups and queue pairs have pages of their own, of which only those need memory that they use.
 * They give them back when they are gone.
 */
#define TABLE_PAGE 4096
#define CACHE_LINE 64
#define MAX_EDGES (TALLY_MAX_CONTRIBUTORS + 1)
#define EDGE_PARENT TALLY_CONTRIB_PARENT
/* Work requests of one queue pair inside the engine. A leader posts one for each of its ranks. */
#define WR_WINDOW TALLY_QP_REQUESTS
#define MAX_INPUTS (TALLY_MAX_RANKS + TALLY_MAX_CONTRIBUTORS + TALLY_MAX_ROUNDS)
#define NO_EDGE 0xff
#define NONE 0xffff

#define NEVER UINT64_MAX

/* Delays of the protocol, in virtual time. */
#define ACK_DELAY (TALLY_FW_ACK_DELAY * NS)
#define ANNOUNCE_DELAY (TALLY_FW_ANNOUNCE_DELAY * NS)
#define FENCE_POLL (1 * US)	/* until writes in flight at the end of an epoch are looked at */
#define REORDER_MAX 3		/* packets that may overtake one before it counts as lost */
#define BACKOFF_MAX 10		/* number of doublings of a retransmission time-out */

/* ---- Packets, host byte order ---- */
struct tch {
	uint8_t kind, opcode, op, dtype;
	uint8_t contributor, branch, round, root_rank, counter;
	uint16_t flags, err_vector, root_node, port, limit;
	uint32_t jid, epoch, mid, sid, num, edge_seq, done, total, count, key;
};

/* A numbered packet until it is acknowledged. Its payload stays where it was sent from. */
struct tx_entry {
	struct tch tch;
	const uint8_t *payload;
	uint16_t len;
	bool hurried;  /* retransmitted before its time-out, because later packets arrived */
	uint16_t qp;   /* queue pair of the triggered descriptor */
	uint32_t wqe;  /* index of the descriptor */
	uint16_t next; /* entry that was released before this one */
};

/* ---- Firmware (docs/registers.md) ---- */
struct fw_event {
	enum tally_fw_event_type type;
	enum tally_fw_cause cause;
	uint32_t group, edge, flags, epoch, mid, sid, status, qp;
	uint64_t contributors, ranks;
	uint32_t data[TALLY_FW_DATA_WORDS];
	bool compared; /* by the host, an OPEN */
	uint32_t open; /* what it has found */
};

/*
 * Places of the queue, a power of two: for packets and timers, four for each group, one for each queue pair, and one more.
 */
#define NUM_EVENTS 8192
_Static_assert(NUM_EVENTS > TALLY_FW_EVENT_DEPTH + 4 * TALLY_MAX_GROUP + TALLY_MAX_QP,
	       "each group and queue pair has its places");

/* Groups and tombstones, by their numbers. */
#define NUM_CONTEXTS (TALLY_MAX_GROUP + TALLY_MAX_TOMBSTONES)
_Static_assert(NUM_CONTEXTS % 64 == 0, "they fill their words");

struct fw_command {
	uint32_t kind, flags, epoch, key, mid, sid, length, qp;
	uint64_t contributors, ranks;
	uint32_t data[TALLY_FW_DATA_WORDS];
};

/*
 * What an edge or a group has to do at a time: its entry in the heap of active timers (timers.c).
 */
struct timer {
	uint32_t place; /* in the heap, from 1 on; 0: it is not there */
	bool touched;	/* in the list of those whose time may have become earlier */
	struct timer *next_touched;
};

/* ---- Edges ---- */
/*
 * A large fabric does not fit into the caches, so fields that are used together share their lines:
 * first all times, with the state that says which of them count, then what packets move, then what is
 * known of the neighbour.
 */
struct edge {
	_Alignas(CACHE_LINE) enum tally_edge_state state;
	uint8_t remote_index;
	bool unconfirmed; /* open at this end, but not yet known to be at the other: nothing is sent */
	uint16_t roles;					       /* 0 in a group of TREE alone */
	uint64_t fw_at, rto_at, ack_at, announce_at, probe_at; /* NEVER: does not run */
	struct timer timer;
	/* Incoming packets must carry key, outgoing ones carry peer_key. 0: not known yet. */
	uint32_t key, peer_key;
	/* transmit */
	uint32_t tx_una, tx_next;
	uint64_t tx_held; /* bit seq % EDGE_WINDOW: not acknowledged */
	uint32_t away;	  /* packets of the host's store that are not acknowledged */
	/* One more than the highest num sent, and the packets sent of chunks from done on. */
	uint32_t chunk_top, chunk_sent;
	/* receive */
	uint64_t rx_seen;
	uint32_t rx_top;
	/* done of the neighbour, and the value that it was told of this node's */
	uint32_t peer_done, told_done;
	/* The same for the limit. This node sends only chunks below the neighbour's. */
	uint32_t peer_limit, told_limit;
	uint32_t retries;
	/* the neighbour */
	struct engine_addr addr;
	uint8_t round, position; /* EXCHANGE: round; position among its inputs */
	uint32_t probes;	 /* probes since the last answer */
	uint16_t first, count;	 /* its subtree: first node index, number of nodes */
	uint32_t rank_first, rank_count; /* global ranks of its subtree: first, number */
	uint32_t part_first, part_count; /* EXCHANGE: the same of its part */
	uint64_t sent, received;	 /* counted for QUERY_EDGES, as are the next ones */
	uint64_t retransmits, duplicates, busy;
	uint64_t nonce, peer_nonce; /* an OPEN that knows one of them is meant for this edge */
	uint16_t tx_of[TALLY_EDGE_WINDOW]; /* entry of tx, by packet number */
	/* what the hardware only keeps for the firmware (docs/registers.md) */
	uint32_t delay, awaits_epoch, kill, kill_tries;
	uint32_t first_seq; /* number of the neighbour's first packet */
	uint32_t first_limit;	/* of the neighbour, told by its OPEN */
	uint32_t own_first_seq; /* that of the first packet to the neighbour */
};

/* ---- Segments ---- */
/* Reference to a work request inside the engine. */
struct wr_ref {
	uint16_t qp;
	uint8_t wr; /* index into its wrs */
};

/* A part [lo, hi) of a message in elements; its owner's buffer begins at element `base`. */
struct span {
	uint32_t lo, hi, base;
};

/* An input of a reduction in fixed shape, or several combined ones, at the index of the lowest. */
struct held {
	uint16_t cell; /* if inputs are inside, the number of the input; ABSENT: takes no part */
	/* 1 + number of levels combined; 0: nothing here; PROMISED: a cell without data */
	uint8_t level;
};
#define ABSENT 0xfffe
#define PROMISED 0xff

struct slot {
	enum tally_seg_state state;
	uint16_t group;
	const struct words *words; /* where the words are; NULL: here */
	uint8_t mode, opcode, op, dtype, root_rank;
	uint16_t root_node, err_vector;
	uint32_t num, mid, sid;
	uint32_t total;	       /* elements of the message */
	uint32_t first, count; /* elements of the message in this chunk */
	uint32_t elem;	       /* bytes of an element */
	uint32_t whole; /* elements of a whole chunk of the message, once a rank has posted it */
	uint64_t started, limit;
	bool masked;	    /* a request has said who takes part */
	uint64_t node_mask; /* contributors that take part */
	uint64_t empty;	    /* local ranks that do not take part */
	bool combined;	    /* one rank gives and gets the blocks of all local ranks */
	/* accumulate: contributions that are missing */
	uint64_t up_contributors, up_ranks;
	uint64_t fetch; /* local ranks whose data must be read */
	bool up_filled; /* the first contribution has arrived */
	bool up_complete;
	uint8_t up_edge; /* edge that the sum goes to */
	bool up_send;	 /* the sum must be sent there */
	bool up_waiting; /* the sum is sent, but not acknowledged */
	bool turns;	 /* the sum becomes the result at this node */
	/* EXCHANGE */
	uint8_t round;			/* round that is being combined; 0: local ranks */
	bool own_given;			/* this node's partial result is an input of the round */
	uint64_t out_todo, out_waiting; /* neighbours: to send to; not acknowledged */
	/* hold: receivers that wait for the result */
	uint8_t down_edge;  /* edge that the result comes from, unless it is made here */
	bool down_expected; /* the result comes to this node or is made here */
	bool down_have;
	bool mcast_sent;
	uint64_t repair_at; /* MULTICAST: when receivers that have not acknowledged get a copy */
	uint64_t down_todo, down_waiting; /* contributors: to send to; not acknowledged */
	/* Local ranks whose result is in the host's store still. */
	uint64_t results_away;
	/* Local ranks: to be written, being written, finished. */
	uint64_t deliver, delivering, delivered;
	uint64_t posted;		   /* local ranks whose work request is here */
	struct wr_ref by[TALLY_MAX_RANKS]; /* that work request */
	uint8_t sent[MAX_EDGES];	   /* packets of this chunk that this node has sent */
	uint16_t cells;			   /* fixed shape: number of inputs held */
	struct held held[MAX_INPUTS];
	/* Payloads begin every `stride` bytes; from payload `inputs_at` on, those of held inputs. */
	uint16_t stride;
	bool inputs_inside; /* they are here, and not in cells */
	uint8_t inputs_at;
	/* EXCHANGE: the results of all rounds but the last are in cells, those of rounds in `kept` */
	bool spread;
	uint16_t kept, partial[TALLY_MAX_ROUNDS];
	_Alignas(64) uint8_t data[SLOT_BYTES];
};

/* ---- Groups ---- */
struct rank {
	uint32_t next_mid, next_num;
	bool streaming; /* some chunks of its last message have not begun */
};

struct arrival { /* of the parts of a message; times in picoseconds */
	uint32_t mid;
	uint8_t opcode, op, dtype, last;
	uint32_t count;
	uint64_t first_at, last_at, done_at, ranks, contributors;
	bool used;
};

struct round {				 /* round of EXCHANGE; 0: the local ranks */
	uint64_t ins, outs;		 /* edges */
	uint8_t own;			 /* position of this node's part among those combined */
	uint8_t parts;			 /* number of parts combined */
	uint16_t base;			 /* index of its first input among the inputs of a slot */
	uint32_t rank_first, rank_count; /* global ranks that its result covers */
};

struct choice { /* mode of a message that names none; 0: that of the group */
	uint8_t small, middle, large;
	/* log2 of the most bytes that a rank contributes to a message of mode `small`, `middle` */
	uint8_t small_log, middle_log;
};

struct group {
	_Alignas(TABLE_PAGE) enum tally_group_state state;
	uint32_t jid, epoch, flags, mtu;
	uint32_t num_segs, max_segs; /* segments that the group owns; most that it may hold */
	uint32_t granted;   /* segments of its own that it has; the others are owed to it */
	uint16_t next_owed; /* next group that segments are owed to */
	bool paid;	    /* segments that were owed have come, which nobody has been told yet */
	bool in_epoch;	    /* its epoch has begun in the pool, and not ended */
	uint32_t asked; /* it has asked the host for segments below this number since done has moved */
	uint32_t chunk; /* bytes of a chunk in fixed order; 0: the MTU, and inputs are in cells */
	uint32_t plan;	/* hash of the plan, compared in the handshake; 0: none */
	uint16_t node, num_nodes, num_edges;
	uint16_t num_contributors; /* includes peers */
	uint8_t level, rounds;
	bool stored; /* its chunks may be in the segment store of the host */
	uint8_t modes;	     /* TALLY_MODES_ */
	uint8_t mode;	     /* mode of messages for which nothing else chooses one */
	uint8_t upstream;    /* edge from which the epoch comes; NO_EDGE: it is drawn here */
	uint8_t parent;	     /* edge of the parent; NO_EDGE: there is none */
	uint8_t left, right; /* edges of RING; NO_EDGE: there is only one node */
	uint64_t rank_mask, attached, gone;
	/* Edges whose data are combined in some mode, and all others but a parent without a bit. */
	uint64_t contributors, peers;
	/* Those whose data are combined in TREE and in EXCHANGE. */
	uint64_t children, exchange_ins;
	uint64_t mcast_ack_at;
	uint64_t slots_next; /* no time limit or repair of a chunk is due earlier */
	uint32_t mcast_top;  /* newest multicast result */
	uint32_t mcast_key;  /* key of multicast results; 0: not known yet */
	uint64_t timeout; /* NEVER: messages have no limit of their own */
	uint64_t rto, max_backoff;
	uint32_t retry_limit;
	uint32_t done, limit; /* each num from done up to, but not including, limit has a segment */
	uint32_t top;	   /* one more than the highest num of which a chunk has entered its slot */
	uint32_t mid_done; /* the oldest message with an unfinished chunk */
	uint16_t qps;	   /* first of its queue pairs */
	uint32_t qp_errors;	   /* number of failures of its queue pairs */
	struct timer timer;	   /* of all times but those of edges */
	uint64_t due;		   /* contributors and peers with something due now */
	uint64_t watched;	   /* those that are probed if they stay silent */
	uint64_t unacked;	   /* those that have not acknowledged everything */
	bool due_parent, due_self; /* the same for the parent, and for the group itself */
	struct group *next_of_jid; /* next group or tombstone in the same bucket of by_jid */
	bool destroyed;
	uint32_t to_open;  /* kept for the firmware */
	bool drained;	   /* the event DRAINED has been raised */
	bool ended_well;   /* tombstone: the epoch was not ended by an error */
	uint32_t buried;   /* tombstone: order of burial */
	uint64_t fw_at;	   /* the firmware's timer; NEVER: it does not run */
	uint64_t fence_at; /* when the firmware's FENCE is looked at again */
	struct round round[TALLY_MAX_ROUNDS + 1];
	struct engine_addr mcast; /* destination of multicast results */
	uint8_t source_gid[16];	  /* the only source from which they are accepted */
	struct divisor by_nodes, by_ranks, by_segs; /* num_nodes, total_ranks, max_segs */
	uint32_t total_ranks, rank_first; /* global ranks: number of all, lowest of this node */
	uint32_t subtree_first, subtree_ranks; /* the same for this node and its subtree */
	uint32_t msg_cells, own_cells;	       /* cells: reserved; used of those */
	uint64_t had_qp;		       /* ranks of queue pairs that were destroyed */
	struct report report;
	/* Tombstones do not have the following fields. */
	struct rank ranks[TALLY_MAX_RANKS];
	struct arrival arrivals[TALLY_NUM_ARRIVALS]; /* index: mid */
	struct choice choice[NUM_CHOICES];	     /* index: opcode - 1 */
	uint16_t tx_free;  /* list of released entries of tx; NONE: take one that was never used */
	uint16_t tx_fresh; /* number of entries of tx ever used in this epoch */
	uint16_t seg[TALLY_MAX_GROUP_SEGS]; /* segment, by num modulo the length of this table */
	/* Tombstones have the edges, too. */
	struct edge edges[MAX_EDGES];
	/* Packets in flight on all edges share the entries, so few of them are ever used. */
	struct tx_entry tx[MAX_EDGES * TALLY_EDGE_WINDOW];
};

/* ---- Work ---- */
enum wr_state {
	WR_FREE,
	WR_READY,  /* parsed, not begun */
	WR_ACTIVE, /* collective: in its slots; triggered: waits or sends */
	WR_DONE,   /* outcome known; waits for its turn to retire */
	WR_SKIP,   /* QUERY or ABORT, answered out of turn */
};

struct wr {
	enum wr_state state;
	uint32_t generation; /* part of the tags of its memory accesses */
	uint64_t since;	     /* when it began to wait for its turn; 0: does not wait */
	uint32_t num;	     /* running number of its first chunk */
	uint32_t begun;	     /* number of chunks begun */
	uint16_t io;	     /* memory accesses in flight */
	uint16_t entry;	     /* its number with a host that completes it */
	uint64_t to_go;	     /* collective: chunks times ranks that are not finished */
	bool flag_written;
	/* triggered */
	bool handed; /* the sender of the host has come to it */
	bool data_ready, fired, write_todo;
	bool starved;			  /* the message to this node itself found no cell */
	uint8_t buf;			  /* send buffer + 1; 0: none */
	uint64_t send_todo, send_waiting; /* contributors: to send to; not acknowledged */
	bool parent_todo, parent_waiting, self_todo;
	/* outcome */
	uint16_t status, err_vector;
	uint32_t bytes;
	struct report report;
	struct wqe w; /* last, because its lists are not cleared */
};

/* Intermediate result of the messages of a firing (001 figure 3). Its data are elsewhere. */
struct sum {
	bool filled;	/* there are data */
	uint8_t branch; /* number of messages that it takes; 0: none has come, or they disagree */
	uint8_t messages, op, dtype;
	uint16_t err_vector;
	uint32_t count;	     /* elements */
	uint64_t from[2];    /* contributors of its messages */
	uint64_t counted[2]; /* those whose message the CP counter counts */
	uint64_t disagree;   /* contributors whose messages disagree with the others */
};

/* Data to be reduced into an intermediate result. */
struct operand {
	uint8_t op, dtype;
	uint16_t len;
	uint32_t count;
	const void *data;
};

#define MAX_ALONE UINT8_MAX

struct counter {       /* CP counter */
	uint8_t count; /* contributors that count for the next firing */
	uint8_t order[TALLY_CONTRIB_SELF +
		      1];    /* those contributors, in the order of their messages */
	uint64_t counted[2]; /* the same as a bitmap */
	uint8_t alone[TALLY_CONTRIB_SELF + 1]; /* waiting messages without SwpMp, by contributor */
	uint16_t err_vector;		       /* of those messages */
	uint16_t head, tail; /* cells with the intermediate results of later firings */
};

/* Fields of a request that its completion repeats. */
struct request {
	uint8_t opcode;
	uint32_t flags, index, mid;
};

struct send_buf {
	uint16_t len;
	uint8_t data[TALLY_MAX_MTU];
};

struct qp {
	_Alignas(TABLE_PAGE) bool used; /* the fields from here to `reserve_own` share a page */
	bool failing;			/* failing: no further request is begun */
	bool left_behind; /* its epoch has ended; until RESET it has no part in the next */
	bool end_waits;	  /* the host must be told of that when all accesses have ended */
	bool fetching, fetch_stale; /* stale: requested before a reset; the answer is dropped */
	enum tally_qp_state state;
	struct engine_qp_cfg cfg;
	/*
	 * Running counts of work requests: posted, taken in, scanned for QUERY and ABORT, retired.
	 */
	uint32_t posted, admit, scan, head;
	uint32_t fetch_index;
	uint16_t next_in_group;
	uint16_t requests; /* request entries that it owns; the model has WR_WINDOW for each */
	uint16_t places[TALLY_QP_REQUESTS / TALLY_REQUEST_STEP]; /* the same among all, by steps */
	struct report report; /* of the end that the host must be told of */
	uint64_t answered[TALLY_MAX_SQ_DEPTH / 64]; /* QUERY and ABORT answered ahead of admit */
	struct request question;		    /* a QUERY to be answered */
	bool asked;
	bool abort_pending;
	struct request abort;
	struct counter counters[TALLY_NUM_CP_COUNTERS];
	uint16_t rmq_cells;
	const struct wr *waiting; /* descriptor that waits for an intermediate result, or NULL */
	struct sum sum;		  /* that intermediate result */
	uint8_t *sum_data;
	uint64_t told_sole; /* what the sender of the host knows of it; told_flags: of enum sender_flag */
	uint32_t told_flags;
	uint8_t bufs_used; /* bit i: bufs[i] is used */
	struct send_buf bufs[TALLY_SEND_BUFS];
	uint64_t wrs_used;	  /* bit i: wrs[i] is used */
	uint8_t wr_of[WR_WINDOW]; /* place in wrs, by index of the request */
	struct wr wrs[WR_WINDOW];
};

struct cell { /* cell of the receive message queue */
	uint16_t next;
	bool own;	/* one of those that its group reserved */
	struct sum sum; /* of a message queue */
	uint8_t data[TALLY_MAX_MTU];
};

struct timer_entry { /* entry of the heap of active timers */
	uint64_t at;
	struct timer *timer;
};

#define JID_BITS 10 /* log2 of the number of buckets */

/*
 * What every call uses comes first, so it shares few lines and pages; of the tables only some pages
 * are used.
 */
struct engine {
	_Alignas(CACHE_LINE) const struct engine_host *host;
	void *ctx;
	uint64_t now;
	uint64_t spent; /* picoseconds that the hardware has spent on the present work at `now` */
	struct engine_timing timing;
	bool reduced;	       /* the present work included a reduction */
	bool stored;	       /* the numbered packet that came last has been stored */
	struct engine_answer answer; /* of the host's store about the packet that came last */
	bool firmware_hurries; /* it does not yield */
	bool firmware_inside;  /* it runs as a fiber now */
	bool event_asked;      /* the host takes an event from its queue; the firmware waits for it */
	bool event_given;      /* the host has given event_of_host, which the firmware has not taken */
	bool event_turn;       /* one of the engine is taken before one of the host */
	uint16_t event_head, event_tail, events_shared, event_begins;
	uint32_t num_timers;
	struct fiber *firmware; /* it handles an event, and has yielded until firmware_at */
	uint64_t firmware_at;
	uint64_t tombs_next; /* no timer of a tombstone is due earlier */
	struct timer *touched;
	struct group *recent;	  /* that jid_first() found last; NULL: ask by_jid */
	struct group *proceeding; /* data may flow on a further edge of it */
	uint64_t timer_visits; /* number of times that an edge or a group was asked for its time */
	uint64_t seed;
	struct fw_event event;	   /* that the firmware handles */
	struct fw_event event_of_host;
	uint64_t dropped[NUM_CONTEXTS / 64]; /* groups and tombstones dropped since it was asked for */
	struct fw_command command; /* registers of the firmware's commands */
	uint32_t late_mid;
	uint64_t events_raised;
	uint64_t tombs; /* bit i: tombstone i is in use */
	uint32_t burials;
	uint32_t generation;
	uint16_t cell_free;	 /* list of returned cells; NONE: take one that was never used */
	uint16_t cell_fresh;	 /* number of cells ever used */
	uint16_t cells_reserved; /* sum over all groups */
	uint16_t shared_used;
	uint16_t seg_free;  /* list of segments that were given back; NONE: take a fresh one */
	uint16_t seg_fresh; /* number of segments ever used */
	uint16_t max_groups, max_segs; /* limits of this NIC; engine_reset() keeps them */
	uint32_t no_opcodes;	       /* opcodes that it lacks, bit 1 << opcode; kept likewise */
	uint16_t num_groups;
	uint16_t segs_owned, segs_granted, segs_lent; /* sums over all groups */
	uint16_t owed_first, owed_last;	    /* groups that segments are owed to, oldest first */
	uint16_t begins; /* epochs that the host's pool is about to begin */
	uint64_t due[TALLY_MAX_GROUP / 64]; /* groups with something due now */
	uint32_t edges_used;	 /* sum over all groups */
	uint32_t requests_owned; /* request entries: sum over all queue pairs */
	uint64_t place_used[TALLY_MAX_REQUESTS / TALLY_REQUEST_STEP / 64]; /* by steps of them */
	uint32_t fw_job;     /* job id that the firmware asks about */
	struct {
		uint32_t group, index;
	} fw_segment, fw_arrival; /* the segment and the arrival that it reads */
	struct timer_entry heap[TALLY_MAX_GROUP + TALLY_MAX_EDGES];
	struct fw_event events[NUM_EVENTS];
	struct group *by_jid[1 << JID_BITS]; /* buckets of groups and tombstones */
	struct group groups[TALLY_MAX_GROUP];
	struct group tombstones[TALLY_MAX_TOMBSTONES];
	struct qp qps[TALLY_MAX_QP];
	uint16_t seg_next[TALLY_MAX_SEG];
	struct slot slots[TALLY_MAX_SEG];
	struct cell cells[TALLY_RMQ_CELLS];
};

#endif
