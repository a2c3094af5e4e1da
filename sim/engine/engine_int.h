/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tables of the collective engine. All are bounded, as they would be in
 * hardware; the modules carry the names of the source documents:
 *
 *   wqe.c        work request parser and its refusals
 *   fetch.c      request sender: fetching of work requests, QUERY and ABORT
 *   sender.c     request sender: order and start, cutting of messages into chunks
 *   wr.c         memory accesses of work requests, and their outcome
 *   limit.c      time limits of what is in no slot
 *   rmq.c        receive message queue and CP counters
 *   trigger.c    request processor: what a fired descriptor does
 *   chunk.c      who gives and who gets what of a chunk
 *   ring.c       the same in RING mode
 *   exchange.c   rounds of EXCHANGE mode
 *   multicast.c  results that go down by multicast
 *   segment.c    segment buffer and compute control
 *   incoming.c   what comes for it in packets
 *   message.c    what makes contributions one message
 *   arrival.c    when the parts of messages arrived
 *   ordered.c    reduction in a fixed shape
 *   cells.c      cells of the receive message queue
 *   packet.c     parser and encapsulator
 *   edge.c       numbering, acknowledgement, retransmission, probing
 *   handshake.c  opening of edges
 *   kill.c       end of an epoch
 *   group.c      group contexts and their timers
 *   group_cfg.c  their configuration; group_tree.c and group_peers.c its edges by mode
 *   status.c     status update: retirement and CQEs
 *   report.c     what queries of the driver tell
 */
#ifndef TALLY_ENGINE_INT_H
#define TALLY_ENGINE_INT_H

#include "engine/engine.h"

#define MAX_EDGES (TALLY_MAX_CONTRIBUTORS + 1)
#define EDGE_PARENT TALLY_CONTRIB_PARENT
#define WR_WINDOW 32	/* work requests of one QP inside the engine */
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
	uint32_t jid, epoch, mid, sid, num, edge_seq, done, total, count;
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
	uint64_t open_at, open_wait;
	bool unconfirmed; /* open here, but the neighbour has not said that it is open there */
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
	uint32_t mcast_top; /* newest such result */
	uint32_t total_ranks, rank_first;	 /* global ranks: all, the lowest here */
	uint32_t subtree_first, subtree_ranks; /* and those from this node down */
	uint64_t timeout, rto;
	uint32_t retry_limit;
	uint32_t done;
	uint32_t mid_done; /* the oldest message with a chunk that is not done */
	uint32_t msg_cells, own_cells, promised; /* cells: reserved; of those used, and promised */
	uint16_t qps; /* first of its queue pairs */
	struct report report;
	bool destroyed;
	bool ended_well; /* a tombstone whose epoch nothing ended */
	uint64_t state_until; /* COLLECT, TOMBSTONE: when it ends */
	struct rank ranks[TALLY_MAX_RANKS];
	struct arrival arrivals[TALLY_NUM_ARRIVALS]; /* by mid */
	struct edge edges[MAX_EDGES];
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
	uint64_t live; /* bit g: group g exists */
	uint64_t spent; /* picoseconds of the hardware on what goes on at `now` */
	bool reduced;	/* a reduction was part of it */
	struct group groups[TALLY_MAX_GROUP];
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

static inline void count(struct engine *e, enum tally_counter c, uint64_t n)
{
	e->host->count(e->ctx, c, n);
}

/* How long after `now` the hardware has done what it does, and `cycles` of its clock more. */
static inline uint64_t after(const struct engine *e, uint32_t cycles)
{
	return e->spent + (cycles ? (uint64_t)cycles * 1000000 / e->timing.clock_mhz : 0);
}

static inline void begin_work(struct engine *e, uint32_t cycles)
{
	e->spent = 0;
	e->spent = after(e, cycles);
	e->reduced = false;
}

/* A reduction of `len` bytes. */
static inline void alu_passed(struct engine *e, uint32_t len)
{
	uint32_t words = (len + 63) / 64;

	count(e, TALLY_CTR_alu_words, words);
	if (!e->timing.clock_mhz)
		return;
	e->spent = after(e, (e->reduced ? e->timing.chain : e->timing.alu) + words - 1);
	e->reduced = true;
}

static inline bool group_alive(const struct group *g)
{
	return g->state == TALLY_GROUP_OPENING || g->state == TALLY_GROUP_OPEN ||
	       g->state == TALLY_GROUP_DRAINING;
}

static inline bool is_root(const struct group *g)
{
	return g->flags & TALLY_GROUP_F_ROOT;
}

static inline bool has_parent(const struct group *g)
{
	return g->mode == TALLY_MODE_TREE && !is_root(g);
}

static inline bool is_exchange(const struct group *g)
{
	return g->mode == TALLY_MODE_EXCHANGE;
}

static inline bool has_multicast(const struct group *g)
{
	return g->flags & TALLY_GROUP_F_MULTICAST;
}

static inline bool is_triggered(uint8_t opcode)
{
	return opcode >= TALLY_OPCODE_REDUCE_MP;
}

/* The bit of an edge in a bitmap of contributors; the parent has none. */
static inline uint64_t contributor_bit(unsigned int idx)
{
	return idx < TALLY_MAX_CONTRIBUTORS ? 1ULL << idx : 0;
}

/* Segments of a group: those of each round. */
static inline uint32_t segs_of(const struct group *g)
{
	return g->num_segs * (g->rounds ? g->rounds : 1);
}

/* The segment a running number belongs to; of EXCHANGE, in the first round. */
static inline struct slot *slot_of(struct engine *e, const struct group *g, uint32_t num)
{
	return &e->slots[g->seg_base + num % g->num_segs];
}

static inline struct wr *wr_at(struct qp *qp, uint32_t index)
{
	return &qp->wrs[index % WR_WINDOW];
}

static inline bool is_ordered(const struct group *g)
{
	return g->flags & TALLY_GROUP_F_ORDERED;
}

/* Edges of a group: the contributors and peers in order, then the parent. */
static inline unsigned int edge_after(const struct group *g, unsigned int idx)
{
	if (idx == EDGE_PARENT)
		return MAX_EDGES;
	return idx + 1 < g->num_contributors ? idx + 1 : has_parent(g) ? EDGE_PARENT : MAX_EDGES;
}

#define for_each_edge(g, idx)                                                                      \
	for ((idx) = (g)->num_contributors ? 0 : edge_after(g, 0); (idx) < MAX_EDGES;              \
	     (idx) = edge_after(g, idx))

#define for_each_qp(e, g, qp, next)                                                                \
	for ((qp) = (g)->qps; (qp) != NONE && ((next) = (e)->qps[qp].next_in_group, true);         \
	     (qp) = (next))

uint64_t engine_random(struct engine *e);

/* group.c */
/* NULL: none has the job id. */
struct group *group_of_packet(struct engine *e, uint32_t jid, uint32_t epoch);
/* The contributor whose subtree holds a node; -1: none (this node, or above). */
int group_route(const struct group *g, uint16_t node);
/* Try again everything that waited for a window, an edge, a number or a buffer. */
void group_pump(struct engine *e, struct group *g);
void group_timers(struct engine *e, struct group *g);
/* A destroyed group becomes a tombstone, which answers duplicates for a while. */
void group_bury(struct engine *e, struct group *g);
uint64_t group_next(const struct engine *e, const struct group *g);
/* Local ranks that take part, counted: the place of a rank among them. */
unsigned int group_rank_index(const struct group *g, unsigned int rank);

/* group_cfg.c */
/* Checks a configuration; the offset at fault counts the edges after the configuration. */
struct engine_result group_check(const struct engine *e, const struct tally_group_cfg *cfg,
				 const struct tally_group_edge *edges, uint32_t num_edges);
/* The i-th edge is at fault, in the field at this offset. */
struct engine_result group_edge_error(uint32_t i, size_t field);
bool ranges_overlap(uint64_t a, uint64_t num_a, uint64_t b, uint64_t num_b);
/* group_tree.c, group_peers.c: edges by mode; `num` of them but the parent's. */
struct engine_result group_check_tree(const struct tally_group_cfg *cfg,
				      const struct tally_group_edge *edges, uint32_t num);
struct engine_result group_check_peers(const struct tally_group_cfg *cfg,
				       const struct tally_group_edge *edges, uint32_t num);
void group_fill_tree(struct group *g, const struct tally_group_edge *edges, uint32_t num);
void group_fill_peers(struct group *g, const struct tally_group_edge *edges, uint32_t num);
/* Fills in a group from a configuration that was checked; its edges begin to open. */
void group_fill(struct engine *e, struct group *g, const struct tally_group_cfg *cfg,
		const struct tally_group_edge *edges, uint32_t num_edges);

/* handshake.c */
void handshake_begin(struct engine *e, struct edge *ed);
/* The neighbour sends already, so it waits for ours. */
void handshake_hurry(struct engine *e, struct edge *ed);
void handshake_timer(struct engine *e, struct group *g, unsigned int idx);
void handshake_packet(struct engine *e, struct group *g, unsigned int idx, const struct tch *t,
		      const void *payload);

/* edge.c */
enum rx_verdict { RX_STORED, RX_BUSY, RX_DROP };
bool edge_can_send(const struct edge *ed);
/* Number and send a packet; the payload must stay until its acknowledgement is told. */
struct tx_entry *edge_send(struct engine *e, struct group *g, unsigned int idx, struct tch *t,
			   const void *payload, uint16_t len);
/* Is this number new? false: it was dealt with (duplicate, out of window). */
bool edge_accept(struct engine *e, struct group *g, unsigned int idx, const struct tch *t);
/* TRIGGER: is the message before it, to the same port and counter, stored? */
bool edge_in_turn(const struct edge *ed, const struct tch *t);
void edge_verdict(struct engine *e, struct group *g, unsigned int idx, const struct tch *t,
		  enum rx_verdict v);
void edge_ack(struct engine *e, struct group *g, unsigned int idx, const struct tch *t,
	      uint64_t seen);
void edge_busy(struct engine *e, struct group *g, unsigned int idx, const struct tch *t);
/* Any packet of the epoch: the neighbour lives, and tells its done. */
void edge_heard(struct engine *e, struct group *g, unsigned int idx, const struct tch *t);
void edge_send_ack(struct engine *e, struct group *g, unsigned int idx);
void edge_notify(struct engine *e, struct group *g, unsigned int idx);
/* done has advanced: tell the neighbours soon. */
void edge_announce(struct engine *e, struct group *g);
/* The done that a neighbour is told. */
uint32_t edge_told_done(const struct group *g, const struct edge *ed);
/* Start probing the neighbours that the oldest unfinished chunk waits for. */
void edge_watch(struct engine *e, struct group *g);
void edge_timers(struct engine *e, struct group *g, unsigned int idx);
uint64_t edge_next(const struct edge *ed);
/* Forget what is unacknowledged. */
void edge_flush(struct edge *ed);
uint64_t edge_backoff(const struct group *g, unsigned int tries);

/* packet.c */
void packet_fill(const struct group *g, const struct edge *ed, struct tch *t, uint8_t kind);
void packet_send(struct engine *e, struct group *g, struct edge *ed, const struct tch *t,
		 const void *payload, size_t len);
void packet_send_kill(struct engine *e, struct group *g, struct edge *ed);

/* chunk.c */
bool opcode_reduces(uint8_t opcode);
/* GATHER and SCATTER: each rank has a block of the message. */
bool opcode_blocked(uint8_t opcode);
bool opcode_rooted(uint8_t opcode);
bool opcode_offered(uint8_t mode, uint8_t opcode);
/* What a local rank gives to, and gets of, the chunk in a slot. */
struct span chunk_given(const struct group *g, const struct slot *s, unsigned int rank);
struct span chunk_got(const struct group *g, const struct slot *s, unsigned int rank);
/* The blocks of `num` ranks from global rank `first` on, as far as they are in the chunk. */
struct span chunk_blocks(const struct group *g, const struct slot *s, uint32_t first, uint32_t num);
/* What crosses an edge; of EXCHANGE, to this node. */
struct span chunk_across(const struct group *g, const struct slot *s, unsigned int idx,
			 uint8_t kind);
/* Local ranks that give to, and get of, a chunk that is everybody's. */
uint64_t chunk_givers(const struct group *g, const struct slot *s);
uint64_t chunk_getters(const struct group *g, const struct slot *s);
/* Sets who gives to the chunk, and who gets of it. */
void chunk_plan(const struct group *g, struct slot *s);
/* A local request says who takes part; later ones agree. false: one does not. */
bool chunk_narrow(const struct group *g, struct slot *s, const struct wqe *w);
/* Does this node take part in it? Known once all local ranks have posted. */
bool chunk_concerns(const struct group *g, const struct slot *s);

/* ring.c */
void ring_plan(const struct group *g, struct slot *s);

/* exchange.c */
void exchange_plan(const struct group *g, struct slot *s);
/* The partial result after a round; of the last: the result. */
uint8_t *exchange_partial(struct engine *e, const struct group *g, const struct slot *s,
			  unsigned int round);
void exchange_pump(struct engine *e, struct group *g, struct slot *s);

/* multicast.c */
/* Does the result of this chunk go down by multicast? */
bool multicast_applies(const struct group *g, const struct slot *s);
/* The result is here: at the tree's root it is sent as soon as all windows let it. */
void multicast_send(struct engine *e, struct group *g, struct slot *s);
void multicast_packet(struct engine *e, struct group *g, const struct tch *t, const void *payload,
		      uint16_t len);
void multicast_ack(struct engine *e, struct group *g, unsigned int idx, const struct tch *t,
		   uint64_t seen);
void multicast_timer(struct engine *e, struct group *g);

/* message.c */
/* What makes the ranks' requests one message: compared where contributions meet. */
struct message {
	uint8_t opcode, op, dtype, root_rank;
	uint16_t root_node;
	uint32_t num, mid, sid, total, first, count;
};
struct message message_of_packet(const struct tch *t);
/* Could there be such a message, and such a chunk of it? Sets m->first. */
bool message_plausible(const struct group *g, const struct tch *t, struct message *m);
/* OK, or the status that says in what a contribution disagrees with its slot. */
uint16_t message_disagrees(const struct slot *s, const struct message *m);

/* arrival.c */
void arrival_begin(struct engine *e, struct group *g, const struct slot *s);
/* Local ranks have posted, or contributors sent, their part. */
void arrival_note(struct engine *e, struct group *g, const struct slot *s, uint64_t ranks,
		  uint64_t contributors);
void arrival_done(const struct engine *e, struct group *g, const struct slot *s);

/* incoming.c */
enum rx_verdict slot_packet(struct engine *e, struct group *g, unsigned int idx,
			    const struct tch *t, const void *payload, uint16_t len);
/* A neighbour that waits for a chunk tells what it takes it for. */
void slot_compare(struct engine *e, struct group *g, unsigned int idx, const struct tch *t);

/* segment.c */
/* A chunk takes its slot, which is free. */
void slot_open(struct engine *e, struct group *g, struct slot *s, const struct message *m);
/* A contribution disagrees with the slot: the epoch ends. */
void slot_disagree(struct engine *e, struct group *g, struct slot *s, uint16_t status,
		   uint64_t contributors, uint64_t ranks);
/* Reduces data that came into the slot, or puts them in their place. */
void slot_combine(struct engine *e, const struct group *g, struct slot *s, struct span sp,
		  const void *data);
/*
 * Chunk `sid` of a work request enters its slot (within the window) and its ranks count as posted
 * there. false: it disagreed with the slot and the epoch ends.
 */
bool slot_post(struct engine *e, struct group *g, struct qp *qp, struct wr *wr, uint32_t sid);
/* The data of a local rank are here: those of chunk_given(). */
void slot_contribute(struct engine *e, struct group *g, struct slot *s, unsigned int rank,
		     const void *data);
void slot_pump(struct engine *e, struct group *g, struct slot *s);
/* The result, once it is here. */
uint8_t *slot_result(struct engine *e, const struct group *g, struct slot *s);
/* Send a part of the chunk to a neighbour; false: its window or the edge is not open now. */
bool slot_send(struct engine *e, struct group *g, struct slot *s, unsigned int idx, uint8_t kind,
	       struct span sp, const uint8_t *data);
/* Does the chunk wait for this neighbour: for its part, the result, or its window? */
bool slot_waits_on(const struct group *g, const struct slot *s, unsigned int idx);
/* Contributors whose data the chunk lacks to get on. */
uint64_t slot_missing_contributors(const struct group *g, const struct slot *s);
void slot_tx_acked(struct engine *e, struct group *g, unsigned int idx, const struct tx_entry *tx);
/* A rank's part of the result is in memory. */
void slot_delivered(struct engine *e, struct group *g, struct slot *s, unsigned int rank);
void slot_timer(struct engine *e, struct group *g, struct slot *s);
uint64_t slot_next(const struct group *g, const struct slot *s);
void slot_fill_tch(const struct group *g, const struct edge *ed, const struct slot *s,
		   struct tch *t, uint8_t kind);
bool slots_idle(const struct engine *e, const struct group *g);
/* The epoch is over: all slots are free. */
void slots_clear(struct engine *e, struct group *g);
uint64_t slot_missing_ranks(const struct group *g, const struct slot *s);

/* ordered.c */
bool ordered_applies(const struct group *g, const struct slot *s);
/* Inputs of a group's reductions: local ranks, then contributors; of EXCHANGE by rounds. */
unsigned int ordered_inputs(const struct group *g);
unsigned int ordered_input_of(const struct group *g, unsigned int idx);
/* A cell for an input whose data will come; false: there is none now. */
bool ordered_promise(struct engine *e, struct group *g, struct slot *s, unsigned int input);
/* The data of an input that has a cell. */
void ordered_give(struct engine *e, struct group *g, struct slot *s, unsigned int input,
		  const void *data);
/* An input that takes no part. */
void ordered_absent(struct engine *e, struct group *g, struct slot *s, unsigned int input);
void ordered_clear(struct engine *e, struct group *g, struct slot *s);

/* cells.c */
/*
 * A cell of the receive message queue, of the group's own unless fewer than `keep` of those would
 * be left over, or of those shared by all; NONE: there is none. cell_give() returns it.
 */
uint16_t cell_take(struct engine *e, struct group *g, uint32_t keep);
void cell_give(struct engine *e, struct group *g, uint16_t cell);
/* Keep cells for the firing a queue pair waits for; false: there are not enough now. */
bool cells_promise(struct engine *e, struct group *g, struct qp *qp, uint32_t num);
uint16_t cell_take_promised(struct engine *e, struct group *g, struct qp *qp);
void cells_unpromise(struct engine *e, struct group *g, struct qp *qp);

/* kill.c */
void kill_group(struct engine *e, struct group *g, uint16_t status, uint64_t contributors,
		uint64_t ranks, uint32_t mid, uint32_t sid);
void kill_packet(struct engine *e, struct group *g, unsigned int idx, const struct tch *t,
		 const void *payload);
/* The report of a destroyed group, for neighbours that still want something. */
void kill_peer_gone(struct group *g);
/* Ranks that left before they posted num: end the epoch. */
void kill_if_gone(struct engine *e, struct group *g, uint32_t num, uint32_t mid);
void kill_timers(struct engine *e, struct group *g);
uint64_t kill_next(const struct group *g);

/* wqe.c */
enum tally_coll_status wqe_parse(struct engine *e, const struct qp *qp, uint32_t index,
				 const void *data, size_t len, struct wqe *w);

/* fetch.c */
void fetch_next(struct engine *e, struct qp *qp);
/* Was request `index` answered out of turn? Forgets it. */
bool fetch_take_answered(struct qp *qp, uint32_t index);

/* sender.c */
void sender_pump(struct engine *e, struct qp *qp);
/* The epoch is over: every work request of the QP gets its outcome. */
void sender_group_dead(struct engine *e, struct qp *qp);
/* Reads, or takes from the request, what a rank gives to a chunk. */
void sender_fetch(struct engine *e, struct group *g, struct slot *s, unsigned int rank);
/* Writes to ranks that have posted what they get of the result in a slot. */
void sender_deliver(struct engine *e, struct group *g, struct slot *s, uint64_t ranks);
/* Ranks have all they get from a chunk; a request whose ranks all have all is complete. */
void sender_ranks_finished(struct engine *e, struct group *g, const struct slot *s,
			   uint64_t ranks);

/* limit.c */
/* Contributors whose messages triggered descriptors still lack. */
uint64_t limit_lacking(struct engine *e, const struct group *g);
void limit_timers(struct engine *e, struct group *g);
uint64_t limit_next(const struct engine *e, const struct group *g);

/* wr.c */
#define WR_FLAG_ENTRY TALLY_MAX_SGE /* instead of a list entry: the flag word */
/* Access `len` bytes at `offset` of list entry k, for the chunk in segment `seg` of the group. */
void wr_read(struct engine *e, struct qp *qp, struct wr *wr, unsigned int k, unsigned int seg,
	     uint64_t offset, uint32_t len);
void wr_write(struct engine *e, struct qp *qp, struct wr *wr, unsigned int k, unsigned int seg,
	      uint64_t offset, uint32_t len, const void *data);
/* Local ranks that the gather list, or the result list, of a request is for. */
uint64_t wr_givers(const struct group *g, const struct wqe *w);
uint64_t wr_getters(const struct group *g, const struct wqe *w);
/* All that it was to do is done, but for the flag word. */
void wr_complete(struct engine *e, struct qp *qp, struct wr *wr);
/* The outcome is known; the request retires in its turn. */
void wr_finish(struct engine *e, struct qp *qp, struct wr *wr, uint16_t status);

/* trigger.c */
/* false: no send buffer, or no cell for what it waits for, is free. */
bool trigger_start(struct engine *e, struct qp *qp, struct wr *wr);
void trigger_pump(struct engine *e, struct qp *qp, struct wr *wr);
/* The descriptor's own data are here. */
void trigger_data(struct qp *qp, struct wr *wr, const void *data);
void trigger_written(struct engine *e, struct qp *qp, struct wr *wr);
void trigger_tx_acked(struct engine *e, unsigned int idx, const struct tx_entry *tx);
void trigger_release(struct qp *qp, struct wr *wr);

/* rmq.c */
enum rx_verdict rmq_packet(struct engine *e, struct group *g, unsigned int idx,
			   const struct tch *t, const void *payload, uint16_t len);
/* A message of the node to itself. OK, BAD_DEST, or RMQ_OVERFLOW: there is no room now. */
enum tally_coll_status rmq_to_self(struct engine *e, struct group *g, const struct tch *t,
				   const void *payload, uint16_t len);
/* Keep room for the messages a firing still lacks; false: there is none now. */
bool rmq_reserve(struct engine *e, struct qp *qp, uint8_t counter, uint32_t cpcnt);
void rmq_unreserve(struct engine *e, struct qp *qp);
/*
 * Take cpcnt counted messages of a counter, in the order they arrived, into a
 * list that the caller gives back with rmq_free(). The counter has as many.
 */
uint16_t rmq_take(struct engine *e, struct qp *qp, uint8_t counter, uint32_t cpcnt);
void rmq_free(struct engine *e, struct group *g, uint16_t list);
void rmq_flush(struct engine *e, struct qp *qp);

/* status.c */
struct request status_request(const struct wqe *w);
/* Give completions to the requests at the head of the queue whose outcome is known. */
void status_retire(struct engine *e, struct qp *qp);
/* A CQE out of turn, of QUERY and ABORT. */
void status_out_of_turn(struct engine *e, struct qp *qp, const struct request *q, uint16_t status,
			uint8_t flags, const struct report *r);
uint8_t status_wc(uint16_t coll_status);

#endif
