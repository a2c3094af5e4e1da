/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions and types that the files of the collective engine share; tables.h has its tables. The
 * modules have the names that the source documents use:
 *
 *   wqe.c        parser of work requests, and its refusals
 *   entry.c      entry points for work
 *   fetch.c      request sender: fetching of work requests
 *   query.c      answers to QUERY
 *   sender.c     request sender: order and start of requests, division of messages into chunks
 *   local.c      the local ranks of a chunk
 *   wr.c         memory accesses and outcome of work requests
 *   limit.c      time limits of work requests that are in no slot
 *   refusal.c    effect of a failed queue pair on other ranks
 *   jam.c        requests that wait for one behind them in the same queue pair
 *   rmq.c        receive message queue and CP counters
 *   sum.c        intermediate results of messages
 *   trigger.c    request processor: execution of triggered descriptors
 *   chunk.c      ranks that a chunk takes data from and brings data to
 *   mode.c       modes of messages; tree.c, exchange.c and ring.c: where data go in each of them
 *   multicast.c  results that go down by multicast
 *   multicast_rx.c their arrival and acknowledgement
 *   random.c     random numbers
 *   route.c      ways to nodes, positions of ranks
 *   chunk_send.c packets of a chunk
 *   segment.c    segment buffer and compute control
 *   incoming.c   contributions and results that arrive in packets
 *   message.c    comparison of the contributions to a message
 *   arrival.c    arrival times of the parts of messages
 *   ordered.c    reduction in a fixed shape
 *   cells.c      cells of the receive message queue
 *   pool.c       segments that groups own and hold
 *   payload.c    layout of a slot's memory, and chunk lengths
 *   packet.c     parser
 *   encap.c      encapsulator
 *   window.c     what a neighbour is told of the window
 *   edge.c       numbering, acknowledgement, retransmission
 *   probe.c      probes of silent neighbours
 *   handshake.c  opening of edges
 *   exception.c  causes for the end of an epoch
 *   kill.c       end of an epoch
 *   kill_check.c plausibility of a neighbour's report of the end
 *   blame.c      blame for the end of an epoch
 *   group.c      group contexts and their timers
 *   timers.c     active timers
 *   jid.c        lookup of groups and tombstones by job id
 *   tombstone.c  answers on behalf of destroyed groups
 *   group_cfg.c  configuration of groups; group_tree.c and group_peers.c: their edges by mode
 *   status.c     status update: retirement and CQEs
 *   coll_status.c kinds of status codes
 *   report.c     answers to queries of the driver
 */
#ifndef TALLY_SIM_ENGINE_ENGINE_INT_H
#define TALLY_SIM_ENGINE_ENGINE_INT_H

#include "engine/coll_status.h"
#include "engine/exception.h"
#include "engine/mode.h"
#include "engine/tables.h"

static inline void count(struct engine *e, enum tally_counter c, uint64_t n)
{
	e->host->count(e->ctx, c, n);
}

/*
 * Return how long after `now` the hardware finishes its present work and `cycles` of its clock
 * more.
 */
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

/* Account for a reduction of `len` bytes. */
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

/* Whether a group has a mode, one of TALLY_MODES_. */
static inline bool group_has(const struct group *g, uint8_t mode)
{
	return g->modes & mode;
}

static inline bool has_parent(const struct group *g)
{
	return g->parent != NO_EDGE;
}

static inline bool is_exchange(const struct slot *s)
{
	return s->mode == TALLY_MODE_EXCHANGE;
}

static inline bool has_multicast(const struct group *g)
{
	return g->flags & TALLY_GROUP_F_MULTICAST;
}

/* The epoch is known only together with the key of multicast results. */
static inline bool knows_epoch(const struct group *g)
{
	return g->epoch && (!has_multicast(g) || g->mcast_key);
}

static inline bool is_triggered(uint8_t opcode)
{
	return opcode >= TALLY_OPCODE_REDUCE_MP;
}

/* Whether a packet is a result that came by multicast. */
static inline bool is_multicast(const struct tch *t)
{
	return t->kind == TALLY_KIND_RESULT && (t->flags & TALLY_TCH_F_MULTICAST);
}

/* Whether the packet carries the key, which only a participant in the handshake knows. */
static inline bool packet_has_key(const struct group *g, const struct edge *ed, const struct tch *t)
{
	uint32_t key = is_multicast(t) ? g->mcast_key : ed->key;

	return key && t->key == key;
}

/* Return the bit of an edge in a bitmap of contributors. The parent has no bit. */
static inline uint64_t contributor_bit(unsigned int idx)
{
	return idx < TALLY_MAX_CONTRIBUTORS ? 1ULL << idx : 0;
}

/* Whether a segment is set aside for a running number. */
static inline bool has_slot(const struct group *g, uint32_t num)
{
	return num - g->done < g->limit - g->done;
}

/* Return the slot of a running number for which a segment is set aside. */
static inline struct slot *slot_of(struct engine *e, const struct group *g, uint32_t num)
{
	return &e->slots[g->seg[num % TALLY_MAX_GROUP_SEGS]];
}

static inline uint8_t *slot_payload(struct slot *s, unsigned int i)
{
	return s->data + (uint32_t)i * s->stride;
}

/* Return the sum, and the result, of a slot in TREE and RING. */
static inline uint8_t *slot_up(struct slot *s)
{
	return slot_payload(s, 0);
}

static inline uint8_t *slot_down(struct slot *s)
{
	return slot_payload(s, 1);
}

static inline struct wr *wr_at(struct qp *qp, uint32_t index)
{
	return &qp->wrs[qp->wr_of[index % WR_WINDOW]];
}

/* Give a request that is taken in the first free place, so that few places are ever used. */
static inline struct wr *wr_take(struct qp *qp, uint32_t index)
{
	unsigned int i = __builtin_ctzll(~qp->wrs_used);

	qp->wrs_used |= 1ULL << i;
	qp->wr_of[index % WR_WINDOW] = i;
	return &qp->wrs[i];
}

static inline void wr_return(struct qp *qp, struct wr *wr)
{
	wr->state = WR_FREE;
	qp->wrs_used &= ~(1ULL << (wr - qp->wrs));
}

/* Return the send buffer of a triggered descriptor, if it has one. */
static inline void wr_release(struct qp *qp, struct wr *wr)
{
	if (!wr->buf)
		return;
	qp->bufs_used &= ~(1u << (wr->buf - 1));
	wr->buf = 0;
}

static inline bool is_ordered(const struct group *g)
{
	return g->flags & TALLY_GROUP_F_ORDERED;
}

/*
 * Iterate over the edges of a group: the contributors and peers in order, then the parent, unless
 * it is one of them.
 */
static inline unsigned int edge_after(const struct group *g, unsigned int idx)
{
	if (idx == EDGE_PARENT)
		return MAX_EDGES;
	if (idx + 1 < g->num_contributors)
		return idx + 1;
	return g->parent == EDGE_PARENT ? EDGE_PARENT : MAX_EDGES;
}

#define for_each_edge(g, idx)                                                                      \
	for ((idx) = (g)->num_contributors ? 0 : edge_after(g, 0); (idx) < MAX_EDGES;              \
	     (idx) = edge_after(g, idx))

#define for_each_qp(e, g, qp, next)                                                                \
	for ((qp) = (g)->qps; (qp) != NONE && ((next) = (e)->qps[qp].next_in_group, true);         \
	     (qp) = (next))

/* random.c */
uint64_t engine_random(struct engine *e);
/* Draw a key for an edge or a group. A key is never 0. */
uint32_t engine_key(struct engine *e);

/* route.c */
/* Return the contributor whose subtree holds a node, or -1 if the node is this one or above it. */
int group_route(const struct group *g, uint16_t node);
/* Return the position of a rank among the group's local ranks. */
unsigned int group_rank_index(const struct group *g, unsigned int rank);

/* memory.c */
/* Clear a group, tombstone or queue pair that is gone, and give back its memory. */
void memory_forget(void *entry, size_t size);

/* group.c */
/*
 * Return the group or tombstone that a well-formed packet proves to know. If there is none, return
 * the newest with the packet's job id, or NULL.
 */
struct group *group_of_packet(struct engine *e, const struct tch *t, const void *payload);
/* Retry everything that waited for a window, an edge, a number or a buffer. */
void group_pump(struct engine *e, struct group *g);
void group_timers(struct engine *e, struct group *g);
/* Release a destroyed group; from now on a tombstone answers for it. */
void group_bury(struct engine *e, struct group *g);
/* Return when a group has something to do that is not a matter of one of its edges. */
uint64_t group_next(struct engine *e, const struct group *g);

/* timer.c */
/*
 * Note that an edge or a group may have something to do earlier than before. Whoever makes one of
 * its times earlier must call this.
 */
void timer_touch(struct engine *e, struct timer *t);
/* Set the time of an entry of the heap. NEVER takes it out. */
void timer_set(struct engine *e, struct timer *t, uint64_t at);
/* Return the group that has a timer, itself or on an edge. */
struct group *timer_owner(struct engine *e, const struct timer *t);
/* Forget the timers of a group and its edges. */
void timers_drop(struct engine *e, struct group *g);

/* timers.c */
/* Return when the next of all timers is due. */
uint64_t timers_next(struct engine *e);
/* Run what is due: the groups by their numbers, in a group first what is due on its edges. */
void timers_run(struct engine *e);

/* jid.c */
void jid_add(struct engine *e, struct group *g);
void jid_remove(struct engine *e, struct group *g);
/* Return the first group or tombstone with this job id, and the next one after `g`, or NULL. */
struct group *jid_first(struct engine *e, uint32_t jid);
struct group *jid_next(const struct group *g);

/* tombstone.c */
bool is_tombstone(const struct engine *e, const struct group *g);
/* Keep the state of a destroyed group for as long as a neighbour may repeat packets to it. */
void tombstone_erect(struct engine *e, const struct group *g);
/* Note that a packet may have given a tombstone something to repeat. Other groups are ignored. */
void tombstone_heard(struct engine *e, const struct group *g);
void tombstone_timers(struct engine *e);

/* group_cfg.c */
/* Check a configuration. In the offset of an error, the edges follow the configuration. */
struct engine_result group_check(const struct engine *e, const struct tally_group_cfg *cfg,
				 const struct tally_group_edge *edges, uint32_t num_edges);
/* Return the number of edges with an index; if the parent's edge has none, it follows them. */
uint32_t cfg_contributors(const struct tally_group_cfg *cfg, const struct tally_group_edge *edges,
			  uint32_t num_edges);
/*
 * group_tree.c, group_peers.c: edges by mode. `num_edges` counts all edges; the others only those
 * with an index.
 */
struct engine_result group_check_tree(const struct tally_group_cfg *cfg,
				      const struct tally_group_edge *edges, uint32_t num_edges);
struct engine_result group_check_peers(const struct tally_group_cfg *cfg,
				       const struct tally_group_edge *edges, uint32_t num);
void group_fill_tree(struct group *g, const struct tally_group_edge *edges, uint32_t num);
void group_fill_peers(struct group *g, const struct tally_group_edge *edges, uint32_t num);
/* Fill in a group from a checked configuration; its edges begin to open. */
void group_fill(struct engine *e, struct group *g, const struct tally_group_cfg *cfg,
		const struct tally_group_edge *edges, uint32_t num_edges);

/* handshake.c */
void handshake_begin(struct engine *e, const struct group *g, struct edge *ed);
/* Repeat OPEN soon: the neighbour sends data already and waits for this side. */
void handshake_hurry(struct engine *e, struct edge *ed);
void handshake_timer(struct engine *e, struct group *g, unsigned int idx);
/* Handle an OPEN. Returns whether the edge is open now and was not before. */
bool handshake_packet(struct engine *e, struct group *g, unsigned int idx, const struct tch *t,
		      const void *payload);

/* edge.c */
enum rx_verdict { RX_STORED, RX_BUSY, RX_DROP };
/* Whether the window of the edge has a number for a packet. */
bool edge_can_send(const struct edge *ed);
/* Whether a packet of chunk @num, or a triggered message, may take a number. */
bool edge_can_send_chunk(const struct group *g, const struct edge *ed, uint32_t num);
bool edge_can_send_message(const struct group *g, const struct edge *ed);
/* Account for a packet of a chunk that was sent, and for a chunk that is done. */
void edge_chunk_sent(struct edge *ed, struct slot *s, unsigned int idx);
void edge_chunk_done(struct group *g, const struct slot *s);
/* Number and send a packet. The payload must stay in place until the packet is acknowledged. */
struct tx_entry *edge_send(struct engine *e, struct group *g, unsigned int idx, struct tch *t,
			   const void *payload, uint16_t len);
/* Return whether this number is new. A duplicate or a number out of the window is handled here. */
bool edge_accept(struct engine *e, struct group *g, unsigned int idx, const struct tch *t);
/* Return whether the predecessor of a TRIGGER, to the same port and counter, is stored. */
bool edge_in_turn(const struct edge *ed, const struct tch *t);
void edge_verdict(struct engine *e, struct group *g, unsigned int idx, const struct tch *t,
		  enum rx_verdict v);
/* A packet that was acknowledged: of chunk @num, or of a triggered descriptor. */
struct acked {
	uint8_t kind;
	uint32_t num;
	uint16_t qp;
	uint32_t wqe;
};
/*
 * Handle an acknowledgement. Returns the number of packets that it newly acknowledges, which are
 * put into @acked; it has room for a window of them.
 */
unsigned int edge_ack(struct engine *e, struct group *g, unsigned int idx, const struct tch *t,
		      uint64_t seen, struct acked *acked);
void edge_busy(struct engine *e, struct group *g, unsigned int idx, const struct tch *t);
/* Note a packet of this epoch: the neighbour is alive, and the packet carries its done. */
void edge_heard(struct engine *e, struct group *g, unsigned int idx, const struct tch *t);
void edge_send_ack(struct engine *e, struct group *g, unsigned int idx);
void edge_notify(struct engine *e, struct group *g, unsigned int idx);
/* done has advanced: tell the neighbours soon. */
void edge_announce(struct engine *e, struct group *g);
/* done has advanced, or the limit has risen: tell the neighbours that must know at once. */
void edge_hurry_limit(struct engine *e, struct group *g);
void edge_timers(struct engine *e, struct group *g, unsigned int idx);
uint64_t edge_next(const struct edge *ed);
/* Forget all packets of an edge that are not acknowledged. */
void edge_flush(struct group *g, struct edge *ed);
/* Release the packets of all edges, which begin to open. */
void edge_release_all(struct group *g);
uint64_t edge_backoff(const struct group *g, unsigned int tries);

/* probe.c */
/* Start probing the neighbours that the oldest unfinished chunk waits for. */
void probe_watch(struct engine *e, struct group *g);
void probe_timer(struct engine *e, struct group *g, unsigned int idx);
/* Answer a QUERY. */
void probe_packet(struct engine *e, struct group *g, unsigned int idx, const struct tch *t);

/* encap.c */
void packet_fill(const struct group *g, const struct edge *ed, struct tch *t, uint8_t kind);
void packet_send(struct engine *e, struct group *g, struct edge *ed, const struct tch *t,
		 const void *payload, size_t len);
void packet_send_kill(struct engine *e, struct group *g, struct edge *ed);

/* window.c */
/* Whether a neighbour is told the lowest values of this node's subtree. */
bool window_of_subtree(const struct group *g, const struct edge *ed);
/* Return the values that a neighbour is told. */
uint32_t window_done(const struct group *g, const struct edge *ed);
uint32_t window_limit(const struct group *g, const struct edge *ed);

/* chunk.c */
bool opcode_reduces(uint8_t opcode);
/* Whether a message has one block for each rank, as GATHER, SCATTER, ALLGATHER, REDUCE_SCATTER. */
bool opcode_blocked(uint8_t opcode);
bool opcode_rooted(uint8_t opcode);
/* Whether messages of this mode offer the operation. */
bool opcode_offered(uint8_t mode, uint8_t opcode);
/* Return the part of a chunk that a local rank gives, and the part that it gets. */
struct span chunk_given(const struct group *g, const struct slot *s, unsigned int rank);
struct span chunk_got(const struct group *g, const struct slot *s, unsigned int rank);
/* Return the part of a chunk that lies in the blocks of `num` ranks from global rank `first` on. */
struct span chunk_blocks(const struct group *g, const struct slot *s, uint32_t first, uint32_t num);
/* Return all of a chunk. */
struct span chunk_whole(const struct slot *s);
/* Whether a part must be moved: not if the message consists of blocks and the part is empty. */
bool chunk_moves(const struct slot *s, struct span sp);
/* Return the local ranks that give data to a chunk, or get data of it, if all take part. */
uint64_t chunk_givers(const struct group *g, const struct slot *s);
uint64_t chunk_getters(const struct group *g, const struct slot *s);
/* Set the ranks and edges that give data to a chunk, and those that get data of it. */
void chunk_plan(const struct group *g, struct slot *s);
/*
 * Apply the masks of a local request, which say who takes part. Returns false if they disagree with
 * those of an earlier request.
 */
bool chunk_narrow(const struct group *g, struct slot *s, const struct wqe *w);
/* Whether this node takes part in a chunk. That is known once all local ranks have posted. */
bool chunk_concerns(const struct group *g, const struct slot *s);

/* multicast.c */
/* Begin an epoch: the root draws the key of its results, and the other nodes will learn it. */
void multicast_begin(struct engine *e, struct group *g);
/* Whether the result of this chunk goes down by multicast. */
bool multicast_applies(const struct group *g, const struct slot *s);
/* The result is available: the tree's root sends it as soon as all windows permit. */
void multicast_send(struct engine *e, struct group *g, struct slot *s);

/* multicast_rx.c */
void multicast_packet(struct engine *e, struct group *g, const struct tch *t, const void *payload,
		      uint16_t len);
void multicast_ack(struct engine *e, struct group *g, unsigned int idx, const struct tch *t,
		   uint64_t seen);
void multicast_timer(struct engine *e, struct group *g);

/* message.c */
/* Fields in which all requests for a message agree, compared where contributions meet. */
struct message {
	uint8_t mode, opcode, op, dtype, root_rank;
	uint16_t root_node;
	uint32_t num, mid, sid, total, first, count;
};
struct message message_of_packet(const struct tch *t);
/* Return whether such a message, with such a chunk, is possible. Sets m->first. */
bool message_plausible(const struct group *g, const struct tch *t, struct message *m);
/* Return OK, or the status that says in which field a contribution disagrees with its slot. */
uint16_t message_disagrees(const struct slot *s, const struct message *m);

/* arrival.c */
void arrival_begin(struct engine *e, struct group *g, const struct slot *s);
/* Note that local ranks have posted their part, or that contributors have sent theirs. */
void arrival_note(struct engine *e, struct group *g, const struct slot *s, uint64_t ranks,
		  uint64_t contributors);
void arrival_done(const struct engine *e, struct group *g, const struct slot *s);

/* incoming.c */
enum rx_verdict slot_packet(struct engine *e, struct group *g, unsigned int idx,
			    const struct tch *t, const void *payload, uint16_t len);
/* Compare a chunk with a QUERY, in which a neighbour that waits for the chunk describes it. */
void slot_compare(struct engine *e, struct group *g, unsigned int idx, const struct tch *t);

/* chunk_send.c */
/* Fill in the header of a packet of a chunk. */
void slot_fill_tch(const struct group *g, const struct edge *ed, const struct slot *s,
		   struct tch *t, uint8_t kind);
/* Send a part of the chunk to a neighbour. Returns false if the edge or its window is not open. */
bool slot_send(struct engine *e, struct group *g, struct slot *s, unsigned int idx, uint8_t kind,
	       struct span sp, const uint8_t *data);

/* segment.c */
/* Let a chunk take its slot, which is free. */
void slot_open(struct engine *e, struct group *g, struct slot *s, const struct message *m);
/* End the epoch because a contribution disagrees with the slot. */
void slot_disagree(struct engine *e, struct group *g, struct slot *s, uint16_t status,
		   uint64_t contributors, uint64_t ranks);
/* Combine data with the contents of the slot, or put a block in its place. */
void slot_combine(struct engine *e, const struct group *g, struct slot *s, struct span sp,
		  const void *data);
/*
 * Let chunk `sid` of a work request, which is within the window, enter its slot, where its ranks
 * count as posted. Returns false if the request disagrees with the slot, which ends the epoch.
 */
bool slot_post(struct engine *e, struct group *g, struct qp *qp, struct wr *wr, uint32_t sid);
/* Take the data of a local rank, the part that chunk_given() returns. */
void slot_contribute(struct engine *e, struct group *g, struct slot *s, unsigned int rank,
		     const void *data);
void slot_pump(struct engine *e, struct group *g, struct slot *s);
/* Functions of a mode in which one sum grows and its result is given on, as in TREE and RING. */
void slot_pump_sum(struct engine *e, struct group *g, struct slot *s);
void slot_sum_acked(struct slot *s, unsigned int idx);
uint64_t slot_missing_inputs(const struct group *g, const struct slot *s);
/* Return the neighbours that the chunk waits for, without the parent. */
uint64_t slot_waits(const struct group *g, const struct slot *s);
/* Whether the chunk waits for this neighbour: for its contribution, its result or its window. */
bool slot_waits_on(const struct group *g, const struct slot *s, unsigned int idx);
void slot_tx_acked(struct engine *e, struct group *g, unsigned int idx, const struct acked *a);
/* Note that a rank's part of the result is in memory. */
void slot_delivered(struct engine *e, struct slot *s, unsigned int rank);
void slot_timer(struct engine *e, struct group *g, struct slot *s);
uint64_t slot_next(const struct group *g, const struct slot *s);
bool slots_idle(struct engine *e, const struct group *g);
/* Free all slots, because the epoch has ended. */
void slots_clear(struct engine *e, struct group *g);
uint64_t slot_missing_ranks(const struct group *g, const struct slot *s);
/*
 * Whether neither this node nor its subtree takes part in the chunk. The parent may not know that
 * yet, and may send the result all the same.
 */
bool slot_stands_aside(const struct group *g, const struct slot *s);

/* ordered.c */
bool ordered_applies(const struct group *g, const struct slot *s);
/*
 * Return the number of inputs of a group's reductions: local ranks, then contributors; in EXCHANGE,
 * those of all rounds.
 */
unsigned int ordered_inputs(const struct group *g);
unsigned int ordered_input_of(const struct group *g, const struct slot *s, unsigned int idx);
/* Take a cell for an input whose data will come. Returns false if no cell is free. */
bool ordered_promise(struct engine *e, struct group *g, struct slot *s, unsigned int input);
/* Give the data of an input that has a cell. */
void ordered_give(struct engine *e, struct group *g, struct slot *s, unsigned int input,
		  const void *data);
/* Give nothing for an input that does not take part. */
void ordered_absent(struct engine *e, struct group *g, struct slot *s, unsigned int input);
/* The chunk is finished: return the cells that it still holds. */
void ordered_end(struct engine *e, struct group *g, struct slot *s);
void ordered_clear(struct engine *e, struct group *g, struct slot *s);

/* cells.c */
/*
 * Take a cell of the receive message queue: one that the group has reserved if more than `keep` of
 * those are free, otherwise a shared one. Returns NONE if there is none. cell_give() returns the
 * cell.
 */
uint16_t cell_take(struct engine *e, struct group *g, uint32_t keep);
void cell_give(struct engine *e, struct group *g, uint16_t cell);

/* pool.c */
/* Whether another group may own this number of segments. */
bool pool_fits(const struct engine *e, uint32_t num);
/* Count the segments of a group that is created or destroyed. */
void pool_join(struct engine *e, const struct group *g);
void pool_leave(struct engine *e, const struct group *g);
/* Set the segments aside that the group owns, because an epoch begins; its numbers begin at 0. */
void pool_begin(struct engine *e, struct group *g);
/*
 * Borrow segments for numbers below `top`, all of which a local rank has posted, as far as the group
 * and the NIC have room. Returns whether the limit has risen.
 */
bool pool_borrow(struct engine *e, struct group *g, uint32_t top);
/* The oldest chunk is done. */
void pool_advance(struct engine *e, struct group *g);
/* Give all segments back, because the epoch has ended. */
void pool_end(struct engine *e, struct group *g);

/* payload.c */
/* Return the longest chunk of an operation, in bytes. */
uint32_t payload_most(const struct group *g, uint8_t mode, uint8_t opcode);
/* Choose where the payloads of a chunk are. */
void payload_lay_out(const struct group *g, struct slot *s);

/* kill.c */
/* Handle the exceptions that the present work has raised. */
void kill_exceptions(struct engine *e);
void kill_packet(struct engine *e, struct group *g, unsigned int idx, const struct tch *t,
		 const void *payload);
/* Set the report of a destroyed group, for neighbours that still need something from it. */
void kill_peer_gone(struct group *g);
/* Send KILL to one neighbour until it acknowledges. */
void kill_tell(struct engine *e, struct group *g, struct edge *ed);
/* End the epoch of a destroyed group that has not drained in time. */
void kill_undrained(struct engine *e, struct group *g);
void kill_edge_timer(struct engine *e, struct group *g, struct edge *ed);
uint64_t kill_edge_next(const struct edge *ed);
/* The time to collect reports is over. */
void kill_finish(struct engine *e, struct group *g);

/* kill_check.c */
bool kill_plausible(const struct group *g, const struct report *r);

/* blame.c */
/*
 * Return the local ranks that have not posted a message. A rank whose request only waits for the
 * window has posted.
 */
uint64_t blame_late_ranks(struct engine *e, const struct group *g, uint32_t mid);
/* Report the oldest unfinished chunk, and the neighbours and late ranks that it waits for. */
struct report blame_oldest(struct engine *e, const struct group *g);
/* Return the report on the cause of a group's exception. */
struct report blame_cause(struct engine *e, const struct group *g);
/*
 * Report what this NIC knows in addition to the report of a NIC that has timed out. Returns false
 * if it knows nothing.
 */
bool blame_view(struct engine *e, const struct group *g, const struct report *told,
		struct report *mine);
/* Return how close a report is to the cause. */
unsigned int blame_weight(const struct report *r);
bool blame_better(const struct report *a, const struct report *b);

/* wqe.c */
enum tally_coll_status wqe_parse(struct engine *e, const struct qp *qp, uint32_t index,
				 const void *data, size_t len, struct wqe *w);
/* Return the fields that the completion of a request repeats. */
struct request wqe_request(const struct wqe *w);
/* Return the local ranks that the gather list, or the result list, of a request is for. */
uint64_t wqe_givers(const struct group *g, const struct wqe *w);
uint64_t wqe_getters(const struct group *g, const struct wqe *w);

/* fetch.c */
void fetch_next(struct engine *e, struct qp *qp);
/* Take in an entry that was fetched, or look whether it is to be answered ahead of its turn. */
void fetch_arrived(struct engine *e, struct qp *qp, uint32_t index, const void *data, size_t len);
/* Fetch the entry at the head of a queue pair in error, to flush it. */
void fetch_to_flush(struct engine *e, struct qp *qp);
/* Return whether request `index` was answered out of turn, and forget it. */
bool fetch_take_answered(struct qp *qp, uint32_t index);

/* sender.c */
void sender_pump(struct engine *e, struct qp *qp);
/* Give every work request of the queue pair its outcome, because the epoch has ended. */
void sender_group_dead(struct engine *e, struct qp *qp);

/* local.c */
/*
 * Get the data that a rank gives to a chunk. Returns true if they are in the request itself, and so
 * in @data now. Otherwise they are read from memory.
 */
bool local_fetch(struct engine *e, struct group *g, const struct slot *s, unsigned int rank,
		 uint8_t *data);
/* Write a result to the memory of ranks. Returns the ranks for which there is nothing to write. */
uint64_t local_deliver(struct engine *e, struct group *g, const struct slot *s, uint64_t ranks,
		       const uint8_t *result);
/*
 * Note that ranks have finished a chunk. A request completes when its ranks have finished all its
 * chunks.
 */
/* Whether results of the chunk are being written; not by queue pairs that are gone. */
bool local_writing(struct engine *e, const struct slot *s);
void local_finished(struct engine *e, const struct slot *s, uint64_t ranks);

/* limit.c */
/* Returns whether a descriptor has fired, so that others may proceed. */
bool limit_timers(struct engine *e, struct group *g);
uint64_t limit_next(struct engine *e, const struct group *g);

/* refusal.c */
/* Return those of the ranks for which no other queue pair may post. */
uint64_t refusal_mute(struct engine *e, const struct group *g, const struct qp *qp, uint64_t ranks);
/*
 * Return the ranks of a request ahead of its turn whose preceding message can no longer be posted.
 */
uint64_t refusal_skips(struct engine *e, const struct group *g, const struct qp *qp,
		       const struct wr *wr);
/* A request has put its queue pair into error. */
void refusal_retired(struct engine *e, struct group *g, const struct qp *qp, const struct wr *wr);
/* The queue pair is in error because its send queue or completion queue has overrun. */
void refusal_queue_failed(struct engine *e, struct group *g, const struct qp *qp,
			  enum tally_coll_status status);

/* jam.c */
/* End the epoch if a rank's part of the oldest message is behind requests that wait for it. */
void jam_check(struct engine *e, struct qp *qp);

/* query.c */
/* Answer the QUERY that a queue pair holds. */
void query_answer(struct engine *e, struct qp *qp);

/* wr.c */
struct access { /* a memory access */
	struct qp *qp;
	struct wr *wr;
	unsigned int entry, seg;
};
/* Decode the tag of an answer. Returns false if nobody waits for the answer any more. */
bool wr_access(struct engine *e, uint64_t tag, struct access *a);
/* Begin the time limit of a request that is in no slot, unless it has begun. */
void wr_wait(struct engine *e, struct group *g, struct wr *wr);
#define WR_FLAG_ENTRY TALLY_MAX_SGE /* used in place of a list entry, for the flag word */
/* Access `len` bytes at `offset` of list entry k, for the chunk in segment `seg`. */
void wr_read(struct engine *e, struct qp *qp, struct wr *wr, unsigned int k, unsigned int seg,
	     uint64_t offset, uint32_t len);
void wr_write(struct engine *e, struct qp *qp, struct wr *wr, unsigned int k, unsigned int seg,
	      uint64_t offset, uint32_t len, const void *data);
/* Everything but the flag word is done: write the flag word, or finish the request. */
void wr_complete(struct engine *e, struct qp *qp, struct wr *wr);
/* Set the outcome of a request; it retires in its turn. */
void wr_finish(struct engine *e, struct qp *qp, struct wr *wr, uint16_t status);

/* trigger.c */
/* Begin a descriptor. Returns false if no payload buffer is free. */
bool trigger_start(struct engine *e, struct qp *qp, struct wr *wr);
void trigger_pump(struct engine *e, struct qp *qp, struct wr *wr);
/* Take the descriptor's own data. */
void trigger_data(struct engine *e, struct qp *qp, struct wr *wr, const void *data);
/*
 * Whether the counter of a descriptor has reached CPCnt, but its intermediate result is not complete.
 */
bool trigger_lacks_messages(const struct qp *qp, const struct wr *wr);
/* Let a descriptor fire without the messages that its intermediate result lacks. */
void trigger_give_up(struct engine *e, struct qp *qp, struct wr *wr);
void trigger_written(struct engine *e, struct qp *qp, struct wr *wr);
void trigger_tx_acked(struct engine *e, unsigned int idx, const struct acked *a);

/*
 * Return the contributors whose messages a descriptor lacks. A descriptor does not say which
 * contributors it waits for, unless a reduction needs a message of every one.
 */
uint64_t trigger_lacking(const struct group *g, const struct qp *qp, const struct wr *wr);

/* rmq.c */
void rmq_init(struct qp *qp);
enum rx_verdict rmq_packet(struct engine *e, struct group *g, unsigned int idx,
			   const struct tch *t, const void *payload, uint16_t len);
/*
 * Send a message to this node itself. Returns OK, BAD_DEST, or RMQ_OVERFLOW if there is no room
 * now.
 */
enum tally_coll_status rmq_to_self(struct engine *e, struct group *g, const struct tch *t,
				   const void *payload, uint16_t len);
/*
 * Let a descriptor wait for the oldest intermediate result of its counter, which is in qp->sum from
 * now on, and its data in @data.
 */
void rmq_wait(struct engine *e, struct qp *qp, const struct wr *wr, uint8_t *data);
/* Whether the counter of a descriptor has reached CPCnt. */
bool rmq_reached(const struct qp *qp, const struct wr *wr);
/* Take CPCnt messages from the counter, which has reached it. Returns their error vector. */
uint16_t rmq_fire(struct engine *e, struct qp *qp, const struct wr *wr);
void rmq_flush(struct engine *e, struct qp *qp);

/* sum.c */
/* Whether an intermediate result has a message of the contributor, and whether that one counts. */
bool sum_has(const struct sum *s, uint8_t contributor);
bool sum_counts(const struct sum *s, uint8_t contributor);
/* Whether an intermediate result takes further messages, and whether it lacks none. */
bool sum_is_open(const struct sum *s);
bool sum_is_complete(const struct sum *s);
/* Note that a contributor's message disagrees with the others, so there is no result. */
void sum_spoil(struct sum *s, uint8_t contributor);
/* Reduce a message into an intermediate result, whose data are @to. */
void sum_message(struct engine *e, struct sum *s, uint8_t *to, const struct tch *t,
		 uint8_t contributor, const void *payload, uint16_t len);
/* Reduce a descriptor's own data into an intermediate result. */
void sum_own(struct engine *e, struct sum *s, uint8_t *to, const struct wqe *w, const void *data);

/* status.c */
/* Whether entry @index was fetched only to be flushed; data == NULL: it could not be fetched. */
bool status_wants_entry(const struct qp *qp, uint32_t index);
void status_flush_entry(struct engine *e, struct qp *qp, const void *data);
/* Complete the requests at the head of the queue whose outcome is known. */
void status_retire(struct engine *e, struct qp *qp);
/* Write the CQE of a QUERY or ABORT out of turn. */
void status_out_of_turn(struct engine *e, struct qp *qp, const struct request *q, uint16_t status,
			uint8_t flags, const struct report *r);

#endif
