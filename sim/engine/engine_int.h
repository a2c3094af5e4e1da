/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files of the collective engine share; its tables are in tables.h. The
 * modules carry the names of the source documents:
 *
 *   wqe.c        work request parser and its refusals
 *   fetch.c      request sender: fetching of work requests, QUERY and ABORT
 *   sender.c     request sender: order and start, cutting of messages into chunks
 *   wr.c         memory accesses of work requests, and their outcome
 *   limit.c      time limits of what is in no slot
 *   refusal.c    what a queue pair's own mistake means to others
 *   jam.c        requests that wait for one behind them
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
 *   kill_check.c what a neighbour may say of it
 *   blame.c      who is blamed for it
 *   group.c      group contexts and their timers
 *   tombstone.c  what answers for groups that have been destroyed
 *   group_cfg.c  their configuration; group_tree.c and group_peers.c its edges by mode
 *   status.c     status update: retirement and CQEs
 *   report.c     what queries of the driver tell
 */
#ifndef TALLY_SIM_ENGINE_ENGINE_INT_H
#define TALLY_SIM_ENGINE_ENGINE_INT_H

#include "engine/tables.h"

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
/* Of an edge or a group: never 0. */
uint32_t engine_key(struct engine *e);

/* group.c */
/*
 * The group, or tombstone, that a well-formed packet proves to know; if none, the newest of its job id.
 * NULL: there is none.
 */
struct group *group_of_packet(struct engine *e, const struct tch *t, const void *payload);
/* The contributor whose subtree holds a node; -1: none (this node, or above). */
int group_route(const struct group *g, uint16_t node);
/* Try again everything that waited for a window, an edge, a number or a buffer. */
void group_pump(struct engine *e, struct group *g);
void group_timers(struct engine *e, struct group *g);
/* A destroyed group is no more: a tombstone answers for it. */
void group_bury(struct engine *e, struct group *g);
uint64_t group_next(const struct engine *e, const struct group *g);
/* Local ranks that take part, counted: the place of a rank among them. */
unsigned int group_rank_index(const struct group *g, unsigned int rank);

/* tombstone.c */
/* What the group has been is kept, for as long as a neighbour may repeat what was sent to it. */
void tombstone_erect(struct engine *e, const struct group *g);
/* The newest one; NULL: none has the job id. */
struct group *tombstone_of_job(struct engine *e, uint32_t jid);
/* A packet may have given it something to repeat, if it is one. */
void tombstone_heard(struct engine *e, const struct group *g);
void tombstone_timers(struct engine *e);

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
/* With the epoch comes the key of results by multicast. */
bool handshake_knows_epoch(const struct group *g);
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
/* Does it carry what only who took part in the handshake knows? */
bool packet_has_key(const struct group *g, const struct edge *ed, const struct tch *t);
void packet_fill(const struct group *g, const struct edge *ed, struct tch *t, uint8_t kind);
void packet_send(struct engine *e, struct group *g, struct edge *ed, const struct tch *t,
		 const void *payload, size_t len);
void packet_send_kill(struct engine *e, struct group *g, struct edge *ed);

/* chunk.c */
bool opcode_reduces(uint8_t opcode);
/* GATHER and SCATTER: each rank has a block of the message. */
bool opcode_blocked(uint8_t opcode);
bool opcode_rooted(uint8_t opcode);
/* By a group of this mode. */
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
/* A new epoch: the root draws the key of its results, the others will learn it. */
void multicast_begin(struct engine *e, struct group *g);
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
/* Nobody here and below takes part, which the parent need not know yet: it may send the result. */
bool slot_stands_aside(const struct group *g, const struct slot *s);

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
/* Tells one neighbour of the end, until it acknowledges. */
void kill_tell(struct engine *e, struct group *g, struct edge *ed);
/* A destroyed group has drained for long enough. */
void kill_undrained(struct engine *e, struct group *g);
/* Ranks that left before they posted num: end the epoch. */
void kill_if_gone(struct engine *e, struct group *g, uint32_t num, uint32_t mid);
void kill_timers(struct engine *e, struct group *g);
uint64_t kill_next(const struct group *g);

/* kill_check.c */
bool kill_plausible(const struct group *g, const struct report *r);

/* blame.c */
/* Local ranks that have not posted a message; who waits for the window has. */
uint64_t blame_late_ranks(struct engine *e, const struct group *g, uint32_t mid);
/* The oldest chunk that is not finished here, and the neighbours and late ranks that it lacks. */
struct report blame_oldest(struct engine *e, const struct group *g);
/* A time limit has passed: ends the epoch with what the oldest chunk lacks. */
void blame_time_out(struct engine *e, struct group *g);
/* What this NIC adds to the report of one that has timed out; false: nothing. */
bool blame_view(struct engine *e, const struct group *g, const struct report *told,
		struct report *mine);
/* How near a report is to the cause. */
unsigned int blame_weight(const struct report *r);
bool blame_better(const struct report *a, const struct report *b);

/* wqe.c */
enum tally_coll_status wqe_parse(struct engine *e, const struct qp *qp, uint32_t index,
				 const void *data, size_t len, struct wqe *w);

/* fetch.c */
void fetch_next(struct engine *e, struct qp *qp);
/* In error: the entry at the head, which is to be flushed. */
void fetch_to_flush(struct engine *e, struct qp *qp);
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

/* refusal.c */
/* Of these ranks, those that no other queue pair may post for. */
uint64_t refusal_mute(struct engine *e, const struct group *g, const struct qp *qp, uint64_t ranks);
/* Ranks of a request ahead of its turn whose message before it can come no more. */
uint64_t refusal_skips(struct engine *e, const struct group *g, const struct qp *qp,
		       const struct wr *wr);
/* A request has put its queue pair into error. */
void refusal_retired(struct engine *e, struct group *g, const struct qp *qp, const struct wr *wr);
/* The queue pair is in error because its send or completion queue has overrun. */
void refusal_queue_failed(struct engine *e, struct group *g, const struct qp *qp,
			  enum tally_coll_status status);

/* jam.c */
/* Ends the epoch if a rank's part of the oldest message stands behind what waits for it. */
void jam_check(struct engine *e, struct qp *qp);

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
/* May a KILL give it as the cause of the end? */
bool status_ends_epoch(uint16_t coll_status);
/* Flush the entry at the head, which was not taken in. */
void status_flush_fetched(struct engine *e, struct qp *qp, const struct request *q);
/* Give completions to the requests at the head of the queue whose outcome is known. */
void status_retire(struct engine *e, struct qp *qp);
/* A CQE out of turn, of QUERY and ABORT. */
void status_out_of_turn(struct engine *e, struct qp *qp, const struct request *q, uint16_t status,
			uint8_t flags, const struct report *r);
uint8_t status_wc(uint16_t coll_status);
/* The same of a request that fails because the group has ended, by another's fault. */
uint8_t status_wc_of_end(uint16_t coll_status);
/* Is it the fault of the request that has it, or of its queue pair? */
bool status_is_local(uint16_t coll_status);

#endif
