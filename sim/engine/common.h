/* SPDX-License-Identifier: BSD-2-Clause */
/* Small functions on the tables, for all units. */
#ifndef TALLY_SIM_ENGINE_COMMON_H
#define TALLY_SIM_ENGINE_COMMON_H

#include "alu/alu.h"
#include "engine/tables.h"

/* GCC drops calls of a function that does nothing but prefetch, so it is a part of its caller. */
static inline __attribute__((always_inline)) void prefetch(const void *from, size_t len)
{
	const char *at = from, *end = at + len;

	for (; at < end; at += CACHE_LINE)
		__builtin_prefetch(at);
}

/* Fields of a group that every packet needs. */
#define PACKET_FIELDS offsetof(struct group, round)

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

/* acc[i] = acc[i] op in[i], by the ALU of the host if it has one. Returns the error vector. */
static inline uint16_t combine_data(struct engine *e, uint8_t op, uint8_t dtype, void *acc,
				    const void *in, uint32_t count)
{
	if (e->host->reduce)
		return e->host->reduce(e->ctx, op, dtype, acc, in, count);
	return alu_reduce(op, dtype, acc, in, count);
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

/* Whether the host fetches and parses work requests. */
static inline bool host_fetches(const struct engine *e)
{
	return e->host->fetches && e->host->fetches(e->ctx);
}

/* Whether it also retires and completes them. */
static inline bool host_completes(const struct engine *e)
{
	return e->host->completes && e->host->completes(e->ctx);
}

/* Whether it has a segment store, with the segments of all groups. */
static inline bool host_stores(const struct engine *e)
{
	return e->host->stores && e->host->stores(e->ctx);
}

/* Whether it also has the local ranks of chunks that it stores. */
static inline bool host_delivers(const struct engine *e)
{
	return e->host->delivers && e->host->delivers(e->ctx);
}

/* Whether it also carries out triggered descriptors of groups that it stores. */
static inline bool host_triggers(const struct engine *e)
{
	return e->host->triggers && e->host->triggers(e->ctx);
}

/* Whether it has the events of packets for the firmware. */
static inline bool host_queues_events(const struct engine *e)
{
	return e->host->queues_events && e->host->queues_events(e->ctx);
}

/* Whether it has those of groups, too. */
static inline bool host_raises(const struct engine *e)
{
	return e->host->raises && e->host->raises(e->ctx);
}

static inline bool group_alive(const struct group *g)
{
	return g->state == TALLY_GROUP_OPENING || g->state == TALLY_GROUP_OPEN ||
	       g->state == TALLY_GROUP_DRAINING;
}

/* Return when so many eighths of a time limit have passed. A limit of NEVER is none. */
static inline uint64_t limit_passes(uint64_t since, uint64_t limit, unsigned int eighths)
{
	return limit == NEVER ? NEVER : since + limit / 8 * eighths;
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

/*
 * Whether the host sends the packets of the firmware for a group or a tombstone. Those of groups with
 * multicast tell values of a subtree, which it does not have.
 */
static inline bool host_sends(const struct engine *e, const struct group *g)
{
	return e->host->fw_sends && e->host->fw_sends(e->ctx) && !has_multicast(g);
}

static inline bool host_renews(const struct engine *e)
{
	return e->host->renews && e->host->renews(e->ctx);
}

static inline bool host_compares(const struct engine *e)
{
	return e->host->compares && e->host->compares(e->ctx);
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

#endif
