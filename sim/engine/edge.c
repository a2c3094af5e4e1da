// SPDX-License-Identifier: BSD-2-Clause
/*
 * An edge: numbered packets in each direction, an anti-replay window, coalesced acknowledgements,
 * and retransmission with back-off. A number is marked as seen only once its packet is stored. A
 * sender never runs a full window ahead of its oldest unacknowledged number.
 */
#include "engine/edge.h"
#include "engine/common.h"
#include "engine/encap.h"
#include "engine/events.h"
#include "engine/exception.h"
#include "engine/timer.h"
#include "engine/window.h"

#include <endian.h>
#include <string.h>

uint64_t edge_backoff(const struct group *g, unsigned int tries)
{
	uint64_t wait = g->rto << (tries < BACKOFF_MAX ? tries : BACKOFF_MAX);

	return wait < g->max_backoff ? wait : g->max_backoff;
}

/* ---- Transmit ---- */

_Static_assert(TALLY_EDGE_WINDOW == 64, "one bit of tx_held and rx_seen for each number");

/* Data flow only once the neighbour has confirmed that its end is open, too. */
static bool has_numbers(const struct edge *ed, uint32_t n)
{
	return ed->state == TALLY_EDGE_OPEN && !ed->unconfirmed && ed->tx_next - ed->tx_una + n <= TALLY_EDGE_WINDOW;
}

bool edge_can_send(const struct edge *ed)
{
	return has_numbers(ed, 1);
}

/* Packets that one chunk of any mode sends on an edge at most: in a ring, its sum and its result. */
static uint32_t chunk_packets(const struct edge *ed)
{
	return ed->roles & TALLY_ROLE_RING_OUT ? 2 : 1;
}

/* Packets that chunks from done up to, but not including, top may still send. */
static uint32_t unsent(const struct group *g, const struct edge *ed, uint32_t top)
{
	return (top - g->done) * chunk_packets(ed) - ed->chunk_sent;
}

/*
 * Whether contributions to younger chunks may find no cell, and are answered BUSY. In a group with a
 * chunk length for fixed order they need none.
 */
static bool may_be_busy(const struct group *g)
{
	return !g->chunk && (is_ordered(g) || group_has(g, TALLY_MODES_EXCHANGE));
}

/*
 * A packet that is answered BUSY keeps its number, and with it the place of the window, until the
 * chunks before its own are done. So a chunk may send only if numbers remain for all packets of
 * these; otherwise the oldest chunk could find no number, and never be done.
 */
bool edge_can_send_chunk(const struct group *g, const struct edge *ed, uint32_t num)
{
	bool counted = !may_be_busy(g) || serial_lt(num, ed->chunk_top);

	return has_numbers(ed, counted ? 1 : unsent(g, ed, num + 1));
}

/* A message leaves the numbers that are kept for chunks. */
bool edge_can_send_message(const struct group *g, const struct edge *ed)
{
	bool kept = may_be_busy(g) && serial_lt(g->done, ed->chunk_top);

	return has_numbers(ed, 1 + (kept ? unsent(g, ed, ed->chunk_top) : 0));
}

void edge_chunk_sent(struct edge *ed, struct slot *s, unsigned int idx)
{
	s->sent[idx]++;
	ed->chunk_sent++;
	if (!serial_lt(s->num, ed->chunk_top))
		ed->chunk_top = s->num + 1;
}

void edge_chunk_done(struct group *g, const struct slot *s)
{
	unsigned int idx;

	for_each_edge(g, idx)
		g->edges[idx].chunk_sent -= s->sent[idx];
}

static uint64_t held_bit(uint32_t seq)
{
	return 1ULL << seq % TALLY_EDGE_WINDOW;
}

static struct tx_entry *tx_of(struct group *g, const struct edge *ed, uint32_t seq)
{
	return &g->tx[ed->tx_of[seq % TALLY_EDGE_WINDOW]];
}

_Static_assert(MAX_EDGES * TALLY_EDGE_WINDOW < NONE, "entries of tx have 16-bit numbers");

/* Take an entry for a packet number. There is one for each number of every window. */
static struct tx_entry *tx_take(struct group *g, struct edge *ed, uint32_t seq)
{
	uint16_t i = g->tx_free == NONE ? g->tx_fresh++ : g->tx_free;

	if (i == g->tx_free)
		g->tx_free = g->tx[i].next;
	ed->tx_of[seq % TALLY_EDGE_WINDOW] = i;
	return &g->tx[i];
}

static void tx_release(struct group *g, struct tx_entry *tx)
{
	tx->next = g->tx_free;
	g->tx_free = tx - g->tx;
}

void edge_release_all(struct group *g)
{
	g->watched = g->unacked = 0;
	g->tx_free = NONE;
	g->tx_fresh = 0;
}

/* Whether the host numbers packets, and finds when they are to be sent again. */
static bool host_numbers(const struct engine *e)
{
	return e->host->numbers && e->host->numbers(e->ctx);
}

/* @seq: the number that the packet has, if it was sent before. */
static void transmit(struct engine *e, struct group *g, struct edge *ed,
		     const struct tx_entry *tx, bool again, uint32_t seq)
{
	const struct engine_name name = {
		.group = events_number(e, g),
		.edge = ed - g->edges,
		.ref = tx - g->tx,
		.again = again,
	};
	struct tch t = tx->tch;

	t.edge_seq = seq;
	if (host_numbers(e))
		packet_send_numbered(e, g, ed, &t, tx->payload, tx->len, &name);
	else
		packet_send(e, g, ed, &t, tx->payload, tx->len);
}

/* Begin the time-out of an edge anew, with all retries. */
static void start_timeout(struct engine *e, const struct group *g, struct edge *ed)
{
	ed->retries = 0;
	if (host_numbers(e))
		return;
	ed->rto_at = e->now + g->rto;
	timer_touch(e, &ed->timer);
}

/*
 * Return the number of the packet that must be stored before this TRIGGER: the last one to the same
 * counter of the port, if it may be in flight, otherwise its own number. Messages to one counter
 * are stored in the order they were sent; otherwise a firing could combine messages of different
 * rounds.
 */
static uint32_t sent_before(struct group *g, const struct edge *ed, const struct tch *t)
{
	uint32_t seq;

	for (seq = ed->tx_next; seq != ed->tx_una; seq--) {
		const struct tch *b = &tx_of(g, ed, seq - 1)->tch;

		if ((ed->tx_held & held_bit(seq - 1)) && b->kind == TALLY_KIND_TRIGGER &&
		    b->port == t->port && b->counter == t->counter)
			return seq - 1;
	}
	return t->edge_seq;
}

struct tx_entry *edge_send(struct engine *e, struct group *g, unsigned int idx, struct tch *t,
			   const void *payload, uint16_t len)
{
	struct edge *ed = &g->edges[idx];
	struct tx_entry *tx = tx_take(g, ed, ed->tx_next);

	t->edge_seq = ed->tx_next;
	if (t->kind == TALLY_KIND_TRIGGER && !host_numbers(e))
		t->num = sent_before(g, ed, t);
	tx->tch = *t;
	tx->payload = payload;
	tx->len = len;
	tx->hurried = false;
	ed->tx_held |= held_bit(ed->tx_next);
	ed->sent++;
	if (ed->tx_una == ed->tx_next) {
		g->unacked |= contributor_bit(idx);
		start_timeout(e, g, ed);
	}
	ed->tx_next++;
	transmit(e, g, ed, tx, false, t->edge_seq);
	return tx;
}

static void slide(struct edge *ed)
{
	while (ed->tx_una != ed->tx_next && !(ed->tx_held & held_bit(ed->tx_una)))
		ed->tx_una++;
}

void edge_flush(struct group *g, struct edge *ed)
{
	if (ed->state == TALLY_EDGE_NONE)
		return;
	for (; ed->tx_una != ed->tx_next; ed->tx_una++)
		if (ed->tx_held & held_bit(ed->tx_una))
			tx_release(g, tx_of(g, ed, ed->tx_una));
	g->unacked &= ~contributor_bit(ed - g->edges);
	ed->tx_held = 0;
	ed->away = 0;
	ed->rto_at = NEVER;
}

void edge_repeated(struct engine *e, struct edge *ed)
{
	count(e, TALLY_CTR_retransmits, 1);
	ed->retransmits++;
}

static void send_again(struct engine *e, struct group *g, struct edge *ed, struct tx_entry *tx,
		       uint32_t seq)
{
	edge_repeated(e, ed);
	transmit(e, g, ed, tx, true, seq);
}

/* Return the entry of a number, or NULL if the number is not outstanding. */
static struct tx_entry *outstanding(struct group *g, const struct edge *ed, uint32_t seq)
{
	if (seq - ed->tx_una >= ed->tx_next - ed->tx_una || !(ed->tx_held & held_bit(seq)))
		return NULL;
	return tx_of(g, ed, seq);
}

/*
 * Return the entry of a number that the host has given. Where it numbers packets of its store, too, the
 * engine does not know the numbers of its own ones, but by their entries.
 */
static struct tx_entry *given(struct group *g, const struct edge *ed, uint32_t seq, uint16_t ref)
{
	struct tx_entry *tx;

	if (g->stored && ref >= g->tx_fresh)
		return NULL;
	tx = outstanding(g, ed, g->stored ? g->tx[ref].tch.edge_seq : seq);
	return tx && tx - g->tx == ref ? tx : NULL;
}

bool edge_send_again(struct engine *e, struct group *g, unsigned int idx, uint32_t seq,
		     uint16_t ref)
{
	struct tx_entry *tx = given(g, &g->edges[idx], seq, ref);

	if (tx)
		send_again(e, g, &g->edges[idx], tx, seq);
	return tx;
}

static struct acked take_acked(struct group *g, struct edge *ed, struct tx_entry *tx, uint32_t seq)
{
	ed->tx_held &= ~held_bit(seq);
	tx_release(g, tx);
	return (struct acked){ tx->tch.kind, tx->tch.num, tx->qp, tx->wqe };
}

/* The oldest number that is not acknowledged may be a later one now. */
static void slid(struct group *g, unsigned int idx)
{
	struct edge *ed = &g->edges[idx];

	slide(ed);
	if (!edge_unacked(ed))
		g->unacked &= ~contributor_bit(idx);
}

bool edge_take_acked(struct group *g, unsigned int idx, uint32_t seq, uint16_t ref,
		     struct acked *acked)
{
	struct edge *ed = &g->edges[idx];
	struct tx_entry *tx = given(g, ed, seq, ref);

	if (!tx)
		return false;
	*acked = take_acked(g, ed, tx, tx->tch.edge_seq);
	ed->retries = 0;
	slid(g, idx);
	return true;
}

void edge_left(struct group *g, unsigned int idx)
{
	g->edges[idx].sent++;
	g->edges[idx].away++;
	g->unacked |= contributor_bit(idx);
}

void edge_there(struct group *g, unsigned int idx)
{
	g->edges[idx].retries = 0;
	g->edges[idx].away--;
	slid(g, idx);
}

/*
 * Retransmit packets that later ones have overtaken, without waiting for the time-out, but only
 * once.
 */
static void hurry(struct engine *e, struct group *g, struct edge *ed, uint32_t top)
{
	uint32_t seq;

	for (seq = ed->tx_una; seq != ed->tx_next; seq++) {
		struct tx_entry *tx = tx_of(g, ed, seq);
		uint32_t age = top - seq;

		if (age < REORDER_MAX || age >= TALLY_EDGE_WINDOW ||
		    !(ed->tx_held & held_bit(seq)) || tx->hurried)
			continue;
		tx->hurried = true;
		send_again(e, g, ed, tx, seq);
	}
}

unsigned int edge_ack(struct engine *e, struct group *g, unsigned int idx, const struct tch *t,
		      uint64_t seen, struct acked *acked)
{
	struct edge *ed = &g->edges[idx];
	uint32_t seq, top = t->edge_seq;
	unsigned int num = 0;

	for (seq = ed->tx_una; seq != ed->tx_next; seq++) {
		uint32_t age = top - seq;
		struct tx_entry *tx = tx_of(g, ed, seq);

		if (!(ed->tx_held & held_bit(seq)) || age >= TALLY_EDGE_WINDOW ||
		    !(seen >> age & 1))
			continue;
		acked[num++] = take_acked(g, ed, tx, seq);
	}
	slid(g, idx);
	if (num) {
		ed->retries = 0;
		ed->rto_at = ed->tx_una == ed->tx_next ? NEVER : e->now + g->rto;
		timer_touch(e, &ed->timer);
	}
	hurry(e, g, ed, top);
	return num;
}

/* Retry later, because the neighbour has no room. This does not count as a retry. */
void edge_busy(struct engine *e, struct group *g, unsigned int idx, const struct tch *t)
{
	struct edge *ed = &g->edges[idx];

	count(e, TALLY_CTR_busy_received, 1);
	ed->busy++;
	if (t->edge_seq - ed->tx_una < ed->tx_next - ed->tx_una)
		start_timeout(e, g, ed);
}

static void retransmit(struct engine *e, struct group *g, unsigned int idx)
{
	struct edge *ed = &g->edges[idx];
	uint32_t seq;

	if (++ed->retries > g->retry_limit) {
		exception_silence(e, g, contributor_bit(idx));
		return;
	}
	for (seq = ed->tx_una; seq != ed->tx_next; seq++) {
		if (ed->tx_held & held_bit(seq))
			send_again(e, g, ed, tx_of(g, ed, seq), seq);
	}
	ed->rto_at = e->now + edge_backoff(g, ed->retries);
}

/* ---- Receive ---- */

static void want_ack(struct engine *e, struct edge *ed)
{
	if (ed->ack_at != NEVER || (e->host->acknowledges && e->host->acknowledges(e->ctx)))
		return;
	ed->ack_at = e->now + ACK_DELAY;
	timer_touch(e, &ed->timer);
}

static enum tally_fw_admission judge_number(const struct edge *ed, uint32_t seq)
{
	int32_t ahead = seq - ed->rx_top;

	if (ahead > TALLY_EDGE_WINDOW || ahead <= -TALLY_EDGE_WINDOW)
		return TALLY_FW_ADMISSION_WINDOW;
	return ahead > 0 || !(ed->rx_seen >> -ahead & 1) ? TALLY_FW_ADMISSION_OK :
							   TALLY_FW_ADMISSION_DUPLICATE;
}

enum tally_fw_admission edge_judge(const struct edge *ed, const struct tch *t)
{
	enum tally_fw_admission verdict = judge_number(ed, t->edge_seq);

	if (verdict == TALLY_FW_ADMISSION_OK && t->kind == TALLY_KIND_TRIGGER && !edge_in_turn(ed, t))
		return TALLY_FW_ADMISSION_TURN;
	return verdict;
}

void edge_refuse(struct engine *e, struct edge *ed, enum tally_fw_admission why)
{
	if (why != TALLY_FW_ADMISSION_DUPLICATE) {
		count(e, TALLY_CTR_drop_window, 1);
		return;
	}
	count(e, TALLY_CTR_duplicates, 1);
	ed->duplicates++;
	want_ack(e, ed);
}

bool edge_accept(struct engine *e, struct group *g, unsigned int idx, const struct tch *t)
{
	struct edge *ed = &g->edges[idx];
	enum tally_fw_admission verdict = judge_number(ed, t->edge_seq);

	if (verdict == TALLY_FW_ADMISSION_OK)
		return true;
	edge_refuse(e, ed, verdict);
	return false;
}

bool edge_in_turn(const struct edge *ed, const struct tch *t)
{
	int32_t age = ed->rx_top - t->num;

	if (t->num == t->edge_seq)
		return true;
	return age >= TALLY_EDGE_WINDOW || (age >= 0 && (ed->rx_seen >> age & 1));
}

void edge_verdict(struct engine *e, struct group *g, unsigned int idx, const struct tch *t,
		  enum rx_verdict v)
{
	struct edge *ed = &g->edges[idx];
	int32_t ahead = t->edge_seq - ed->rx_top;

	if (v == RX_BUSY) {
		struct tch busy;

		packet_fill(g, ed, &busy, TALLY_KIND_BUSY);
		busy.edge_seq = t->edge_seq;
		packet_send(e, g, ed, &busy, NULL, 0);
		count(e, TALLY_CTR_busy_sent, 1);
	} else if (v == RX_STORED) {
		if (ahead > 0) {
			ed->rx_seen = ahead < 64 ? ed->rx_seen << ahead : 0;
			ed->rx_top = t->edge_seq;
			ahead = 0;
		}
		ed->rx_seen |= 1ULL << -ahead;
		ed->received++;
		e->stored = true;
		want_ack(e, ed);
	}
}

void edge_send_given_ack(struct engine *e, struct group *g, unsigned int idx, uint32_t top,
			 uint64_t seen)
{
	struct edge *ed = &g->edges[idx];
	struct tally_tch_ack ack = { .seen = htobe64(seen) };
	struct tch t;

	packet_fill(g, ed, &t, TALLY_KIND_ACK);
	t.edge_seq = top;
	packet_send(e, g, ed, &t, &ack, sizeof(ack));
}

void edge_send_ack(struct engine *e, struct group *g, unsigned int idx)
{
	struct edge *ed = &g->edges[idx];

	ed->ack_at = NEVER;
	edge_send_given_ack(e, g, idx, ed->rx_top, ed->rx_seen);
}

/* ---- Announcing done ---- */

/* Whether a neighbour was told another done or limit than it would be told now. */
static bool has_news(const struct group *g, const struct edge *ed)
{
	return ed->told_done != window_done(g, ed) || ed->told_limit != window_limit(g, ed);
}

static void announce_soon(struct engine *e, struct edge *ed)
{
	ed->announce_at = e->now + ANNOUNCE_DELAY;
	timer_touch(e, &ed->timer);
}

static void announce_now(struct engine *e, struct edge *ed)
{
	ed->announce_at = e->now;
	timer_touch(e, &ed->timer);
}

/* Return the mode of the oldest chunk; 0: it has not begun. */
static uint8_t oldest_mode(struct engine *e, const struct group *g)
{
	const struct slot *s = slot_of(e, g, g->done);

	return has_slot(g, g->done) && s->state != TALLY_SEG_FREE ? s->mode : 0;
}

/* A host that has the group's store tells the values of the store. */
void edge_announce(struct engine *e, struct group *g)
{
	unsigned int i;

	if (g->stored)
		return;
	for_each_edge(g, i) {
		struct edge *ed = &g->edges[i];

		if (ed->state == TALLY_EDGE_OPEN && ed->announce_at == NEVER)
			announce_soon(e, ed);
	}
	edge_hurry_limit(e, g, oldest_mode(e, g));
}

/* Whether a neighbour sends data of chunks of a mode to this node. */
static bool gives(const struct group *g, const struct edge *ed, uint8_t mode)
{
	unsigned int idx = ed - g->edges;

	switch (mode) {
	case TALLY_MODE_TREE:
		return idx == g->parent || (g->children & contributor_bit(idx));
	case TALLY_MODE_EXCHANGE:
		return ed->roles & TALLY_ROLE_IN;
	case TALLY_MODE_RING:
		return idx == g->left;
	default:
		return false;
	}
}

/*
 * Whether a neighbour must learn the limit at once: it may not send the oldest chunk, or it sends
 * data of chunks of a mode that are posted here, and does not know half of the numbers. The root of
 * the multicast waits for the slowest of all nodes.
 */
static bool lacks_limit(const struct group *g, const struct edge *ed, uint8_t mode)
{
	uint32_t done = window_done(g, ed), limit = window_limit(g, ed);
	uint32_t untold = limit - ed->told_limit;

	if (g->max_segs == g->num_segs || !untold || ed->state != TALLY_EDGE_OPEN)
		return false;
	if (!serial_lt(done, ed->told_limit) || window_of_subtree(g, ed))
		return true;
	return 2 * untold >= limit - done && gives(g, ed, mode);
}

void edge_hurry_limit(struct engine *e, struct group *g, uint8_t mode)
{
	unsigned int i;

	if (g->stored)
		return;
	for_each_edge(g, i) {
		struct edge *ed = &g->edges[i];

		/* a mere peer sends no chunks */
		if (((g->peers & contributor_bit(i)) && i != g->parent) || !lacks_limit(g, ed, mode))
			continue;
		announce_now(e, ed);
	}
}

/*
 * Announce done to the parent soon, if a child's advance has changed the value for the parent; a
 * risen limit, at once.
 */
static void announce_subtree(struct engine *e, struct group *g)
{
	struct edge *ed;

	if (!has_multicast(g) || !has_parent(g))
		return;
	ed = &g->edges[g->parent];
	if (ed->state == TALLY_EDGE_OPEN && ed->announce_at == NEVER && has_news(g, ed))
		announce_soon(e, ed);
	if (lacks_limit(g, ed, oldest_mode(e, g)))
		announce_now(e, ed);
}

void edge_notify(struct engine *e, struct group *g, unsigned int idx)
{
	struct edge *ed = &g->edges[idx];
	struct tch t;

	packet_fill(g, ed, &t, TALLY_KIND_NOTIFY);
	packet_send(e, g, ed, &t, NULL, 0);
}

void edge_heard(struct engine *e, struct group *g, unsigned int idx, const struct tch *t)
{
	struct edge *ed = &g->edges[idx];

	ed->probes = 0;
	if (ed->probe_at != NEVER) { /* probe only after silence */
		ed->probe_at = e->now + edge_backoff(g, 2);
		timer_touch(e, &ed->timer);
	}
	if (serial_lt(ed->peer_limit, t->done + t->limit))
		ed->peer_limit = t->done + t->limit;
	if (serial_lt(ed->peer_done, t->done))
		ed->peer_done = t->done;
	announce_subtree(e, g);
}

/* ---- Time ---- */

void edge_timers(struct engine *e, struct group *g, unsigned int idx)
{
	struct edge *ed = &g->edges[idx];

	if (ed->state != TALLY_EDGE_OPEN)
		return;
	if (ed->ack_at <= e->now)
		edge_send_ack(e, g, idx);
	if (ed->announce_at <= e->now) {
		ed->announce_at = NEVER;
		if (has_news(g, ed))
			edge_notify(e, g, idx);
	}
	if (ed->rto_at <= e->now)
		retransmit(e, g, idx);
}

uint64_t edge_next(const struct edge *ed)
{
	uint64_t next = ed->ack_at;

	if (ed->state == TALLY_EDGE_NONE)
		return NEVER;
	next = ed->fw_at < next ? ed->fw_at : next;
	if (ed->state == TALLY_EDGE_OPENING)
		return ed->fw_at;
	next = ed->announce_at < next ? ed->announce_at : next;
	next = ed->rto_at < next ? ed->rto_at : next;
	return ed->probe_at < next ? ed->probe_at : next;
}
