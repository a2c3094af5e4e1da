// SPDX-License-Identifier: BSD-2-Clause
/*
 * Parser of collective packets. The network is hostile, so the parser checks everything. An admitted
 * packet goes to its unit.
 */
#include "engine/chunk.h"
#include "engine/common.h"
#include "engine/descriptor.h"
#include "engine/encap.h"
#include "engine/group.h"
#include "engine/events.h"
#include "engine/firmware_run.h"
#include "engine/segment_rx.h"
#include "engine/mode.h"
#include "engine/multicast_rx.h"
#include "engine/numbers.h"
#include "engine/probe.h"
#include "engine/rmq.h"
#include "engine/segment.h"
#include "engine/trigger.h"
#include "alu/alu.h"

#include <endian.h>
#include <string.h>

static void unpack(struct tch *t, const struct tally_tch *w)
{
	*t = (struct tch){
		.kind = w->kind,
		.opcode = w->opcode,
		.op = w->op,
		.dtype = w->dtype,
		.contributor = w->contributor,
		.branch = w->branch,
		.round = w->round,
		.root_rank = w->root_rank,
		.counter = w->counter,
		.flags = be16toh(w->flags),
		.err_vector = be16toh(w->err_vector),
		.root_node = be16toh(w->root_node),
		.port = be16toh(w->port),
		.limit = be16toh(w->limit),
		.jid = be32toh(w->jid),
		.epoch = be32toh(w->epoch),
		.mid = be32toh(w->mid),
		.sid = be32toh(w->sid),
		.num = be32toh(w->num),
		.edge_seq = be32toh(w->edge_seq),
		.done = be32toh(w->done),
		.total = be32toh(w->total),
		.count = be32toh(w->count),
		.key = be32toh(w->key),
	};
}

/* A packet of an opcode with blocks may carry a part of the chunk; its slot knows which. */
static bool data_fits(const struct tch *t, size_t len)
{
	uint32_t elem = alu_elem_size(t->op, t->dtype);
	uint64_t bytes = (uint64_t)t->count * elem;

	if (!elem || bytes > TALLY_MAX_MTU)
		return false;
	return opcode_blocked(t->opcode) ? len <= bytes && !(len & (elem - 1)) : len == bytes;
}

static bool is_kill_ack(const struct tch *t)
{
	return t->kind == TALLY_KIND_ACK && (t->flags & TALLY_TCH_F_KILL_ACK);
}

/* Whether the payload has the length that the kind and the header demand. */
static bool payload_fits(const struct tch *t, size_t len)
{
	switch (t->kind) {
	case TALLY_KIND_REDUCE:
	case TALLY_KIND_RESULT:
	case TALLY_KIND_TRIGGER:
		return data_fits(t, len);
	case TALLY_KIND_ACK:
		return len == (is_kill_ack(t) ? 0 : sizeof(struct tally_tch_ack));
	case TALLY_KIND_OPEN:
		return len == sizeof(struct tally_tch_open);
	case TALLY_KIND_KILL:
		return len == sizeof(struct tally_tch_kill);
	case TALLY_KIND_BUSY:
	case TALLY_KIND_QUERY:
	case TALLY_KIND_NOTIFY:
		return len == 0;
	default:
		return false;
	}
}

/* Whether the flags name one mode, and the packet is of a kind that has one. */
static bool mode_fits(const struct tch *t)
{
	uint8_t mode = mode_of_flags(t->flags);

	if (t->kind == TALLY_KIND_REDUCE || t->kind == TALLY_KIND_RESULT || t->kind == TALLY_KIND_QUERY)
		return mode;
	return mode == TALLY_MODE_TREE;
}

static bool well_formed(const struct tch *t, const struct tally_tch *w, size_t len)
{
	return be32toh(w->tag) == TALLY_TCH_TAG && w->version == TALLY_WIRE_VERSION &&
	       t->contributor <= TALLY_CONTRIB_PARENT && mode_fits(t) &&
	       t->round <= (t->kind == TALLY_KIND_REDUCE ? TALLY_MAX_ROUNDS : 0) &&
	       payload_fits(t, len);
}

/* Return the edge that a packet concerns. Multicast results count as the parent's at every node. */
static unsigned int edge_of(const struct group *g, const struct tch *t)
{
	return is_multicast(t) && has_parent(g) ? g->parent : t->contributor;
}

/* Return the GID from which a packet must come, or NULL if it cannot be for this group. */
static const uint8_t *source_of(const struct group *g, const struct tch *t)
{
	const struct edge *ed = &g->edges[edge_of(g, t)];

	if (ed->state == TALLY_EDGE_NONE)
		return NULL;
	if (!is_multicast(t))
		return ed->addr.gid;
	return has_multicast(g) && has_parent(g) && t->contributor == EDGE_PARENT ? g->source_gid :
										     NULL;
}

/*
 * Whether a packet has the right epoch. Until both ends know the epoch, a KILL or its
 * acknowledgement is accepted by its key alone.
 */
static bool has_epoch(const struct group *g, const struct edge *ed, const struct tch *t)
{
	bool of_end = t->kind == TALLY_KIND_KILL || is_kill_ack(t);

	if (t->epoch && g->epoch)
		return t->epoch == g->epoch;
	return of_end && ed->state != TALLY_EDGE_OPEN;
}

/* Check whether a packet is from a neighbour of its group. The first check that fails decides. */
static enum tally_fw_admission judge(const struct group *g, const struct tch *t,
				     const struct engine_addr *from)
{
	const struct edge *ed = &g->edges[edge_of(g, t)];
	const uint8_t *source = source_of(g, t);

	if (!source || memcmp(source, from->gid, sizeof(from->gid)))
		return TALLY_FW_ADMISSION_SOURCE;
	if (t->kind == TALLY_KIND_OPEN)
		return TALLY_FW_ADMISSION_OK;
	if (!has_epoch(g, ed, t))
		return TALLY_FW_ADMISSION_EPOCH;
	if (!packet_has_key(g, ed, t))
		return TALLY_FW_ADMISSION_KEY;
	/* A neighbour whose end is open may have to send KILL before this end is open. */
	if (ed->state != TALLY_EDGE_OPEN && group_alive(g) && t->kind != TALLY_KIND_KILL)
		return TALLY_FW_ADMISSION_STATE;
	return TALLY_FW_ADMISSION_OK;
}

/* Whether a packet has a number that must be new. */
static bool is_numbered(const struct group *g, const struct tch *t)
{
	bool data = t->kind == TALLY_KIND_REDUCE || t->kind == TALLY_KIND_RESULT ||
		    t->kind == TALLY_KIND_TRIGGER;

	return data && group_alive(g) && !is_multicast(t);
}

/* Whether a packet is from its neighbour, whatever its number says. */
static bool is_from_there(enum tally_fw_admission verdict)
{
	return verdict == TALLY_FW_ADMISSION_OK || verdict >= TALLY_FW_ADMISSION_DUPLICATE;
}

/* Find the group of a packet, and whether it is admitted there. */
static struct engine_admission admit(struct engine *e, const struct tch *t, const void *payload,
				     const struct engine_addr *from)
{
	const struct group *g = group_of_packet(e, t, payload);
	struct engine_admission a = { .verdict = TALLY_FW_ADMISSION_JID,
				      .answer.verdict = TALLY_FW_STORE_ANSWER_NONE };

	if (!g)
		return a;
	a.verdict = judge(g, t, from);
	a.group = events_number(e, g);
	a.edge = edge_of(g, t);
	a.numbered = a.verdict == TALLY_FW_ADMISSION_OK && is_numbered(g, t);
	if (a.numbered)
		a.verdict = edge_judge(&g->edges[a.edge], t);
	return a;
}

static void count_drop(struct engine *e, enum tally_fw_admission verdict)
{
	static const enum tally_counter counters[] = {
		[TALLY_FW_ADMISSION_JID] = TALLY_CTR_drop_jid,
		[TALLY_FW_ADMISSION_SOURCE] = TALLY_CTR_drop_source,
		[TALLY_FW_ADMISSION_EPOCH] = TALLY_CTR_drop_epoch,
		[TALLY_FW_ADMISSION_KEY] = TALLY_CTR_drop_key,
		[TALLY_FW_ADMISSION_STATE] = TALLY_CTR_drop_state,
	};

	count(e, counters[verdict], 1);
}

/* A packet with a number; @admitted says whether it is new. */
static void numbered(struct engine *e, struct group *g, const struct tch *t, const void *payload,
		     size_t len, enum tally_fw_admission admitted)
{
	unsigned int idx = t->contributor;
	enum rx_verdict v;

	if (admitted != TALLY_FW_ADMISSION_OK) {
		edge_refuse(e, &g->edges[idx], admitted);
		return;
	}
	if (t->kind == TALLY_KIND_TRIGGER && descriptor_is_hosts(e, g))
		v = descriptor_packet(e);
	else if (t->kind == TALLY_KIND_TRIGGER)
		v = rmq_packet(e, g, idx, t, payload, len);
	else
		v = slot_packet(e, g, idx, t, payload, len);
	edge_verdict(e, g, idx, t, v);
}

/* Answer a packet after the end: acknowledge duplicates, otherwise tell the sender of the end. */
static void after_end(struct engine *e, struct group *g, const struct tch *t)
{
	const struct edge *ed = &g->edges[t->contributor];
	bool data = t->kind == TALLY_KIND_REDUCE || t->kind == TALLY_KIND_RESULT ||
		    t->kind == TALLY_KIND_TRIGGER;

	if (g->ended_well) {
		if (data && ed->state == TALLY_EDGE_OPEN && !edge_accept(e, g, t->contributor, t)) {
			edge_send_ack(e, g, t->contributor);
			return;
		}
		if (t->kind == TALLY_KIND_QUERY && serial_lt(t->num, g->done)) {
			edge_notify(e, g, t->contributor);
			return;
		}
	}
	if (data || t->kind == TALLY_KIND_QUERY)
		events_after_end(e, g, t->contributor);
}

/* Pass the packets that a neighbour has acknowledged to those that sent them. */
static void acknowledged(struct engine *e, struct group *g, unsigned int idx, const struct tch *t,
			 uint64_t seen)
{
	struct acked acked[TALLY_EDGE_WINDOW];
	unsigned int num, i;

	if (e->host->numbers && e->host->numbers(e->ctx)) /* it has read the packet */
		return;
	num = edge_ack(e, g, idx, t, seen, acked);
	for (i = 0; i < num; i++)
		numbers_acked(e, g, idx, &acked[i]);
}

static void dispatch(struct engine *e, struct group *g, const struct tch *t, const void *payload,
		     size_t len, enum tally_fw_admission admitted)
{
	unsigned int idx = t->contributor;
	struct tally_tch_ack ack;

	edge_heard(e, g, idx, t);
	switch (t->kind) {
	case TALLY_KIND_REDUCE:
	case TALLY_KIND_RESULT:
	case TALLY_KIND_TRIGGER:
		numbered(e, g, t, payload, len, admitted);
		break;
	case TALLY_KIND_ACK:
		memcpy(&ack, payload, sizeof(ack));
		if (t->flags & TALLY_TCH_F_MULTICAST)
			multicast_ack(e, g, idx, t, be64toh(ack.seen));
		else
			acknowledged(e, g, idx, t, be64toh(ack.seen));
		break;
	case TALLY_KIND_BUSY:
		edge_busy(e, g, idx, t);
		break;
	case TALLY_KIND_QUERY:
		probe_packet(e, g, idx, t);
		break;
	default: /* NOTIFY has only a header */
		break;
	}
	if (group_alive(g))
		group_pump(e, g);
}

static void by_multicast(struct engine *e, struct group *g, const struct tch *t,
			 const void *payload, size_t len)
{
	multicast_packet(e, g, t, payload, len);
	if (group_alive(g))
		group_pump(e, g);
}

/* Hand an admitted packet to its unit or to the firmware. Its contributor is the edge. */
static void pass_on(struct engine *e, struct group *g, struct tch *t, const void *payload,
		    size_t len, enum tally_fw_admission admitted)
{
	if (g->qps != NONE) /* it is asked whether it has work */
		prefetch(&e->qps[g->qps], 2 * CACHE_LINE);
	begin_work(e, e->timing.parse);
	if (t->kind == TALLY_KIND_OPEN || t->kind == TALLY_KIND_KILL || is_kill_ack(t))
		events_packet(e, g, t->contributor, t, payload, len);
	else if (group_alive(g) && is_multicast(t))
		by_multicast(e, g, t, payload, len);
	else if (group_alive(g))
		dispatch(e, g, t, payload, len, admitted);
	else
		after_end(e, g, t);
}

/*
 * Let the caches fetch what a packet probably concerns, all at once, while the header is parsed. In a
 * large fabric each of these lines is a miss.
 */
static inline __attribute__((always_inline)) void expect(const struct engine *e,
							 const struct tally_tch *w)
{
	const struct group *g = e->recent;

	if (!g || w->contributor >= MAX_EDGES)
		return;
	prefetch(g, PACKET_FIELDS);
	prefetch(&g->edges[w->contributor], offsetof(struct edge, retransmits));
	prefetch(g->seg, CACHE_LINE);
}

void engine_packet(struct engine *e, const struct engine_addr *from, const void *body, size_t len)
{
	const uint8_t *payload = (const uint8_t *)body + sizeof(struct tally_tch);
	struct engine_admission a;
	struct tally_tch w;
	struct tch t;

	if (len < sizeof(w)) {
		count(e, TALLY_CTR_drop_tch, 1);
		return;
	}
	memcpy(&w, body, sizeof(w));
	expect(e, &w);
	unpack(&t, &w);
	len -= sizeof(w);
	if (!well_formed(&t, &w, len)) {
		count(e, TALLY_CTR_drop_tch, 1);
		return;
	}
	a = admit(e, &t, payload, from);
	if (is_from_there(a.verdict)) {
		t.contributor = a.edge;
		pass_on(e, events_group(e, a.group), &t, payload, len, a.verdict);
	} else {
		count_drop(e, a.verdict);
	}
	firmware_run(e);
}

/*
 * The group may have changed since the host has looked at it, or be another one. Then the keys
 * differ, so the same checks tell.
 */
static enum tally_fw_admission judge_again(const struct group *g, const struct tch *t,
					   const struct engine_addr *from, bool number_seen)
{
	enum tally_fw_admission verdict =
		g->jid == t->jid ? judge(g, t, from) : TALLY_FW_ADMISSION_JID;

	/* The host has found the group ended. It cannot live again with the same key. */
	if (verdict == TALLY_FW_ADMISSION_OK && is_numbered(g, t) && !number_seen)
		return TALLY_FW_ADMISSION_STATE;
	return verdict;
}

bool engine_admitted(struct engine *e, const struct engine_admission *a,
		     const struct engine_addr *from, const void *body, size_t len)
{
	const uint8_t *payload = (const uint8_t *)body + sizeof(struct tally_tch);
	enum tally_fw_admission verdict = a->verdict;
	struct group *g = events_group(e, a->group);
	struct tally_tch w;
	struct tch t;

	memcpy(&w, body, sizeof(w));
	unpack(&t, &w);
	e->stored = false;
	e->answer = a->answer;
	if (is_from_there(verdict))
		verdict = judge_again(g, &t, from, a->numbered);
	if (verdict == TALLY_FW_ADMISSION_OK) {
		t.contributor = a->edge;
		pass_on(e, g, &t, payload, len - sizeof(w), a->verdict);
	} else {
		count_drop(e, verdict);
	}
	firmware_run(e);
	return e->stored;
}

void engine_acknowledge(struct engine *e, const struct engine_ack *ack)
{
	struct group *g = events_group(e, ack->group);

	begin_work(e, 0);
	if (group_alive(g) && g->edges[ack->edge].state == TALLY_EDGE_OPEN)
		edge_send_given_ack(e, g, ack->edge, ack->top, ack->seen);
}

struct engine_admission engine_would_admit(struct engine *e, const struct engine_addr *from,
					   const void *body)
{
	struct tally_tch w;
	struct tch t;

	memcpy(&w, body, sizeof(w));
	unpack(&t, &w);
	return admit(e, &t, (const uint8_t *)body + sizeof(w), from);
}
