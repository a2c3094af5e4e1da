/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables of the collective engine. All are bounded, as they would be in hardware. */
#ifndef TALLY_SIM_ENGINE_TABLES_H
#define TALLY_SIM_ENGINE_TABLES_H

#include "engine/engine.h"

#define MAX_EDGES (TALLY_MAX_CONTRIBUTORS + 1)
#define EDGE_PARENT TALLY_CONTRIB_PARENT
/* Work requests of one QP inside the engine: a leader posts one for each of its ranks. */
#define WR_WINDOW TALLY_MAX_RANKS
#define SEND_BUFS 4	/* payloads of triggered descriptors, of one QP */
#define MAX_INPUTS (TALLY_MAX_RANKS + TALLY_MAX_CONTRIBUTORS + TALLY_MAX_ROUNDS)
#define NO_EDGE 0xff
#define NONE 0xffff
#define NO_CHUNK 0xffffffffu /* sid in a report: it is about a triggered descriptor */

#define NEVER UINT64_MAX
#define NS 1000ULL
#define US (1000 * NS)
#define MS (1000 * US)

/* Delays of the protocol, virtual time. */
#define ACK_DELAY (300 * NS)	 /* acknowledgements of one edge within it are one packet */
#define ANNOUNCE_DELAY (1 * US)	 /* done told unasked, unless a packet told it before */
#define OPEN_FIRST (20 * US)	 /* first repetition of OPEN, doubled up to ... */
#define OPEN_MAX (20 * MS)
#define REORDER_MAX 3		 /* packets that may overtake one before it counts as lost */
#define BACKOFF_MAX 10		 /* doublings of a retransmission time-out */

static inline bool serial_lt(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b) < 0;
}

static inline bool power_of_two(uint32_t v)
{
	return v && !(v & (v - 1));
}

/* ---- Packets, host byte order ---- */
struct tch {
	uint8_t kind, opcode, op, dtype;
	uint8_t contributor, branch, round, root_rank, counter;
	uint16_t flags, err_vector, root_node, port, seg;
	uint32_t jid, epoch, mid, sid, num, edge_seq, done, total, count, key;
};

/* A numbered packet until it is acknowledged; its payload stays where it was sent from. */
struct tx_entry {
	struct tch tch;
	const uint8_t *payload;
	uint16_t len;
	bool hurried; /* sent again before its time, because later ones arrived */
	uint16_t qp;  /* of the triggered descriptor */
	uint32_t wqe; /* its index */
};

struct report { /* why an epoch ended */
	uint16_t status;
	uint16_t detector;
	uint8_t level;
	uint64_t contributors, ranks;
	uint32_t mid, sid;
};

/* ---- Edges ---- */
enum kill_state { KILL_NONE, KILL_SENDING, KILL_ACKED };

struct edge {
	enum tally_edge_state state;
	struct engine_addr addr;
	uint8_t remote_index;
	uint16_t first, count;		 /* node indices below this neighbour */
	uint32_t rank_first, rank_count; /* global ranks below this neighbour, or of its part */
	uint8_t round, position;	 /* EXCHANGE: position among what the round combines */
	uint16_t roles;			 /* EXCHANGE, RING */
	/* handshake */
	uint64_t nonce, peer_nonce;
	uint32_t key, peer_key; /* what comes must carry ours, what goes the neighbour's; 0: not known yet */
	uint64_t open_at, open_wait;
	bool unconfirmed; /* open here, but the neighbour has not said that it is open there */
	bool awaits_epoch; /* not open only because the epoch has not come to both */
	/* transmit */
	uint32_t tx_una, tx_next;
	uint64_t tx_held; /* bit seq % EDGE_WINDOW: not acknowledged */
	uint64_t rto_at;
	unsigned int retries;
	/* receive */
	uint32_t rx_top;
	uint64_t rx_seen;
	uint64_t ack_at, announce_at;
	/* the neighbour's done, and what it knows of ours */
	uint32_t peer_done, told_done;
	/* probing */
	uint64_t probe_at;
	unsigned int probes;
	/* end of the epoch */
	enum kill_state kill;
	uint64_t kill_at;
	unsigned int kill_tries;
	/* counted for QUERY_EDGES */
	uint64_t sent, retransmits, received, duplicates, busy;
};

/* ---- Segments ---- */
/* A work request inside the engine. */
struct wr_ref {
	uint16_t qp;
	uint8_t wr; /* index into its wrs */
};

/* A part of a message, in elements: [lo, hi) of it, and where its owner's buffer begins. */
struct span {
	uint32_t lo, hi, base;
};

/* Inputs of reductions in fixed shape: one combined already, by its lowest input. */
struct held {
	uint16_t cell;	/* ABSENT: nothing was given */
	uint8_t level;	/* 1 + doublings of what it covers; 0: nothing here, PROMISED: a cell only */
};
#define ABSENT 0xfffe
#define PROMISED 0xff

struct slot {
	enum tally_seg_state state;
	uint8_t opcode, op, dtype, root_rank;
	uint16_t root_node, err_vector;
	uint32_t num, mid, sid;
	uint32_t total;	       /* elements of the message */
	uint32_t first, count; /* elements of it in this chunk */
	uint32_t elem;	       /* bytes of one */
	uint64_t started, limit;
	bool masked;	       /* a request has said who takes part */
	uint64_t node_mask;    /* contributors that take part */
	uint64_t empty;	       /* local ranks that do not */
	/* accumulate: what is still missing */
	uint64_t up_contributors, up_ranks;
	uint64_t fetch;	 /* local ranks whose data are still to be read */
	bool up_filled; /* the first contribution is in */
	bool up_complete;
	uint8_t up_edge; /* where the sum goes */
	bool up_send;	 /* it is to go there */
	bool up_waiting; /* sent, not acknowledged */
	bool turns;	 /* the sum becomes the result here */
	/* EXCHANGE */
	uint8_t round;			/* that is being combined; 0: local ranks */
	bool own_given;			/* this node's partial result has become an input of it */
	uint64_t out_todo, out_waiting; /* neighbours that need a partial result */
	/* hold: who still waits for the result */
	uint8_t down_edge;  /* where the result comes from, unless it is made here */
	bool down_expected; /* there is to be a result here */
	bool down_have;
	bool mcast_sent;
	uint64_t repair_at; /* MULTICAST: when those who have not acknowledged get a copy */
	uint64_t down_todo, down_waiting; /* contributors */
	uint64_t deliver, delivering, delivered; /* local ranks: to get it, being written, have it */
	uint64_t posted;		  /* local ranks whose work request is here */
	struct wr_ref by[TALLY_MAX_RANKS]; /* that request */
	uint16_t cells;			  /* fixed shape: inputs that have got a cell */
	struct held held[MAX_INPUTS];
	uint8_t up[TALLY_MAX_MTU];
	uint8_t down[TALLY_MAX_MTU];
};

/* ---- Groups ---- */
struct rank {
	uint32_t next_mid, next_num;
	bool streaming; /* of its last message, chunks are still to be begun */
};

struct arrival { /* of a message's parts; times in picoseconds */
	uint32_t mid;
	uint8_t opcode, op, dtype, last;
	uint32_t count;
	uint64_t first_at, last_at, done_at, ranks, contributors;
	bool used;
};

struct round { /* of EXCHANGE; 0: the local ranks */
	uint64_t ins, outs;   /* edges */
	uint8_t own;	      /* position of this node's part among those it combines */
	uint8_t parts;	      /* how many those are */
	uint16_t base;	      /* of its inputs among those of a slot */
	uint32_t rank_first, rank_count; /* global ranks that its result covers */
};

struct group {
	enum tally_group_state state;
	uint32_t jid, epoch, flags, mtu, num_segs, seg_base;
	uint16_t node, num_nodes, num_contributors; /* peers count as contributors here */
	uint8_t level, mode, rounds;
	uint8_t upstream;    /* the edge the epoch comes by; NO_EDGE: it is drawn here */
	uint8_t left, right; /* RING: edges; NO_EDGE: a single node */
	uint64_t rank_mask, attached, gone;
	uint64_t contributors, peers; /* edges whose data are combined, and the others but the parent */
	struct round round[TALLY_MAX_ROUNDS + 1];
	struct engine_addr mcast; /* where results go, */
	uint8_t source_gid[16];	  /* and from whom alone they are taken */
	uint64_t mcast_ack_at;
	uint64_t slots_next; /* no chunk's time limit or repair is due before */
	uint32_t mcast_top; /* newest such result */
	uint32_t mcast_key; /* which they carry; 0: not known yet */
	uint32_t total_ranks, rank_first;	 /* global ranks: all, the lowest here */
	uint32_t subtree_first, subtree_ranks; /* and those from this node down */
	uint64_t timeout, rto, max_backoff;
	uint32_t retry_limit;
	uint32_t done;
	uint32_t mid_done; /* the oldest message with a chunk that is not done */
	uint32_t msg_cells, own_cells, promised; /* cells: reserved; of those used, and promised */
	uint16_t qps; /* first of its queue pairs */
	uint32_t qp_errors; /* of those, how many times one has failed */
	uint64_t had_qp; /* ranks that had one that was destroyed */
	struct report report;
	bool destroyed;
	bool ended_well; /* a tombstone whose epoch nothing ended */
	uint32_t buried; /* of tombstones: their order */
	uint64_t state_until; /* COLLECT, DRAINING, a tombstone: when it ends */
	struct edge edges[MAX_EDGES];
	/* Below: of groups, not of their tombstones. */
	struct rank ranks[TALLY_MAX_RANKS];
	struct arrival arrivals[TALLY_NUM_ARRIVALS]; /* by mid */
	/* Below: not wiped with the rest. */
	struct tx_entry tx[MAX_EDGES][TALLY_EDGE_WINDOW]; /* by number */
};

/* ---- Work ---- */
enum wr_state {
	WR_FREE,
	WR_READY,  /* parsed, not begun */
	WR_ACTIVE, /* collective: in its slot; triggered: waits or sends */
	WR_DONE,   /* outcome known, waits for its turn to retire */
	WR_SKIP,   /* QUERY or ABORT: answered out of turn */
};

struct wqe { /* a work request, parsed and in host byte order */
	uint8_t opcode, op, dtype, num_gather, num_result, root_rank;
	uint8_t counter, dest_counter, branch;
	uint16_t root_node, dest_port, err_vector, inline_len, seg_count;
	uint32_t flags, index, cpcnt, jid, mid;
	uint32_t count, total;	/* elements: of a rank, of the message */
	uint32_t elem, give;	/* bytes of an element, and as it is given (LOC_VALUES) */
	uint32_t chunk, chunks; /* elements of a chunk, and number of those */
	uint32_t give_len, get_len; /* bytes of an entry of the gather and the result list */
	uint32_t loc_index;
	uint64_t rank_mask, node_mask, timeout;
	struct engine_sge flag;
	uint32_t flag_value;
	uint8_t data[TALLY_MAX_INLINE];
	struct engine_sge gather[TALLY_MAX_SGE], result[TALLY_MAX_SGE];
};

struct wr {
	enum wr_state state;
	uint32_t generation; /* part of the tags of its memory accesses */
	uint64_t since;	     /* when it began to wait for its turn, 0: not yet */
	uint32_t num;	     /* of its first chunk */
	uint32_t begun;	     /* chunks */
	uint16_t io;	     /* memory accesses not answered */
	uint64_t to_go;	     /* collective: chunks times ranks whose part is not finished */
	bool flag_written;
	/* triggered */
	bool data_ready, fired, write_todo, starved;
	uint8_t buf; /* send buffer + 1; 0: none */
	uint64_t send_todo, send_waiting; /* contributors */
	bool parent_todo, parent_waiting, self_todo;
	/* outcome */
	uint16_t status, err_vector;
	uint32_t bytes;
	struct report report;
	struct wqe w; /* last: its lists are not wiped */
};

struct counter { /* a CP counter */
	uint32_t count;
	uint64_t counted[2]; /* contributors in this firing */
};

/* What a completion says of the request it is for. */
struct request {
	uint8_t opcode;
	uint32_t flags, index, mid;
};

struct send_buf {
	uint16_t len;
	uint8_t data[TALLY_MAX_MTU];
};

struct qp {
	bool used, failing;	    /* failing: nothing new is begun */
	bool fetching, fetch_stale; /* stale: asked for before a reset, to be thrown away */
	enum tally_qp_state state;
	struct engine_qp_cfg cfg;
	uint32_t posted, admit, scan, head; /* running counts of work requests */
	uint32_t fetch_index;
	uint64_t answered[TALLY_MAX_SQ_DEPTH / 64]; /* QUERY and ABORT answered ahead of admit */
	bool abort_pending;
	struct request abort;
	uint16_t next_in_group;
	struct counter counters[TALLY_NUM_CP_COUNTERS];
	uint16_t rmq_head, rmq_tail, rmq_cells;
	uint16_t reserve; /* cells promised to the firing that is waited for */
	uint8_t reserve_counter;
	bool reserve_own; /* promised of the group's own cells, or of the shared */
	uint8_t bufs_used; /* bit i: bufs[i] */
	struct send_buf bufs[SEND_BUFS];
	struct wr wrs[WR_WINDOW]; /* by index */
};

struct cell { /* of the receive message queue */
	uint16_t next;
	bool own; /* of its group's reserve */
	uint8_t counter, contributor, branch, op, dtype;
	bool counted;
	bool reduce; /* SwpMp: its payload takes part in the reduction */
	uint16_t err_vector, len;
	uint32_t count;
	uint8_t data[TALLY_MAX_MTU];
};

struct engine {
	const struct engine_host *host;
	void *ctx;
	uint64_t now, seed;
	struct engine_timing timing;
	uint64_t live;	/* bit g: group g exists */
	uint64_t next[TALLY_MAX_GROUP]; /* when a group's timers are due, as of engine_next() */
	uint64_t spent; /* picoseconds of the hardware on what goes on at `now` */
	bool reduced;	/* a reduction was part of it */
	struct group groups[TALLY_MAX_GROUP];
	uint64_t tombs;	     /* bit i: tombstone i stands */
	uint64_t tombs_next; /* no timer of a tombstone is due before */
	uint32_t burials;
	struct group tombstones[TALLY_MAX_TOMBSTONES];
	struct qp qps[TALLY_MAX_QP];
	struct slot slots[TALLY_MAX_SEG];
	bool slot_owned[TALLY_MAX_SEG];
	struct cell cells[TALLY_RMQ_CELLS];
	uint16_t cell_free;  /* given back; NONE: take the next of those never used */
	uint16_t cell_fresh; /* how many have been used */
	uint16_t cells_reserved; /* of all groups */
	uint16_t shared_used, shared_promised;
	uint32_t generation;
};

#endif
