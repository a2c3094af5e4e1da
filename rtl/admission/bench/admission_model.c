// SPDX-License-Identifier: BSD-2-Clause
#include "admission_model.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "engine/common.h"
#include "engine/edge.h"
#include "engine/events.h"
#include "engine/jid.h"
#include "engine/mirror.h"
#include "engine/registers.h"

#define EDGES 4 /* of a group, besides that of a parent without a bit */
#define AT(block, field) __builtin_offsetof(struct tally_fw_##block, field)

static struct engine *engine;
static unsigned int groups, tombs;
static uint64_t state;
static struct model_write *out;
static unsigned int made, room;

static uint64_t next(void)
{
	uint64_t z = state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

static unsigned int below(unsigned int n)
{
	return next() % n;
}

static bool one_in(unsigned int n)
{
	return !below(n);
}

/* Tombstones follow the groups of the block directly. */
static uint32_t to_block(uint32_t number)
{
	return number < TALLY_MAX_GROUP ? number : number - TALLY_MAX_GROUP + groups;
}

static struct group *context(unsigned int number)
{
	return number < groups ? &engine->groups[number] : &engine->tombstones[number - groups];
}

static void host_table(void *ctx, uint32_t reg, uint32_t value)
{
	uint32_t n = (reg - TALLY_FW_GROUP_BASE) / TALLY_FW_GROUP_STRIDE;

	(void)ctx;
	if (!out)
		return;
	if (made == room)
		abort();
	if (reg >= TALLY_FW_GROUP_BASE)
		reg -= (n - to_block(n)) * TALLY_FW_GROUP_STRIDE;
	else
		value = (value & 0xffff) | to_block(value >> 16) << 16;
	out[made++] = (struct model_write){ reg, value };
}

static void host_count(void *ctx, enum tally_counter counter, uint64_t n)
{
	(void)ctx;
	(void)counter;
	(void)n;
}

static const struct engine_host host = { .table = host_table, .count = host_count };

void model_init(uint64_t seed, unsigned int num_groups, unsigned int num_tombs)
{
	state = seed;
	groups = num_groups;
	tombs = num_tombs;
	engine = engine_new(&host, NULL, seed);
	if (!engine)
		abort();
}

/* ---- Values that often meet ---- */

static uint32_t some_jid(void)
{
	static const uint32_t jids[] = { 0x10, 0x40000010, 0x11, 0 };

	return jids[below(4)];
}

static uint32_t some_key(void)
{
	return one_in(8) ? 0 : below(2) << 31 | (1 + below(2));
}

static uint64_t some_nonce(void)
{
	return one_in(8) ? 0 : (uint64_t)below(2) << 63 | (uint64_t)below(2) << 32 | below(2);
}

static void some_gid(uint8_t *gid)
{
	memset(gid, 0x20, 16);
	if (one_in(3))
		gid[below(16)] ^= 1 << below(8);
}

static uint32_t some_epoch(void)
{
	return one_in(4) ? 0 : one_in(4) ? 0x80000001 : 1;
}

/* Numbers near the wrap-around. */
static uint32_t some_seq(void)
{
	return below(64) - 32;
}

static unsigned int some_context(void)
{
	return below(groups + tombs);
}

/* ---- Changes ---- */

static bool in_use(const struct group *g)
{
	return g->state != 0;
}

static void write_gid(struct group *g, unsigned int idx)
{
	uint32_t reg = TALLY_FW_GROUP_BASE + events_number(engine, g) * TALLY_FW_GROUP_STRIDE +
		       TALLY_FW_EDGE_OFFSET + idx * TALLY_FW_EDGE_STRIDE + TALLY_FW_NEIGHBOUR_OFFSET +
		       AT(neighbour, gid);
	uint8_t gid[16];
	uint32_t i, word;

	some_gid(gid);
	for (i = 0; i < 16; i += 4) {
		memcpy(&word, gid + i, 4);
		registers_write(engine, reg + i, le32toh(word));
	}
}

static void renew(struct group *g, struct edge *ed)
{
	ed->state = one_in(3) ? TALLY_EDGE_OPENING : TALLY_EDGE_OPEN;
	ed->key = some_key();
	ed->nonce = some_nonce();
	ed->peer_nonce = some_nonce();
	if (ed->state == TALLY_EDGE_OPEN) {
		ed->first_seq = some_seq();
		ed->rx_top = ed->first_seq - 1;
		ed->rx_seen = ~0ULL;
		mirror_first(engine, g, ed);
	}
	mirror_edge(engine, g, ed);
}

static void create(struct group *g)
{
	unsigned int i;

	g->state = 1 + below(5);
	g->jid = some_jid();
	g->epoch = some_epoch();
	g->mcast_key = some_key();
	g->flags = one_in(3) ? next() & ~TALLY_GROUP_F_MULTICAST : next() | TALLY_GROUP_F_MULTICAST;
	g->destroyed = one_in(3);
	g->num_contributors = below(EDGES + 1);
	g->parent = one_in(3) ? NO_EDGE : one_in(2) && g->num_contributors ? below(g->num_contributors) : EDGE_PARENT;
	some_gid(g->source_gid);
	for_each_edge(g, i)
		write_gid(g, i);
	jid_add(engine, g);
	mirror_group(engine, g);
	mirror_add(engine, g);
	for_each_edge(g, i)
		if (!one_in(8))
			renew(g, &g->edges[i]);
}

static void forget(struct group *g)
{
	jid_remove(engine, g);
	mirror_remove(engine, g);
	memset(g, 0, sizeof(*g));
}

static void bury(const struct group *g, struct group *t)
{
	if (in_use(t))
		forget(t);
	memcpy(t, g, offsetof(struct group, ranks));
	memcpy(t->edges, g->edges, sizeof(t->edges));
	t->state = TALLY_GROUP_DEAD;
	jid_add(engine, t);
	mirror_tombstone(engine, t);
}

static void change(void)
{
	struct group *g = context(below(groups)), *t = context(groups + below(tombs));
	unsigned int idx;

	if (!in_use(g)) {
		create(g);
	} else if (one_in(4)) {
		bury(g, t);
		forget(g);
	} else if (one_in(4)) {
		forget(g);
	} else if (in_use(t) && one_in(4)) {
		forget(t);
	} else {
		for_each_edge(g, idx)
			if (one_in(3))
				renew(g, &g->edges[idx]);
	}
}

unsigned int model_change(struct model_write *writes, unsigned int max)
{
	out = writes;
	made = 0;
	room = max;
	change();
	out = NULL;
	return made;
}

struct model_write model_single(void)
{
	unsigned int n = some_context();
	struct model_write w = { .reg = TALLY_FW_GROUP_BASE + n * TALLY_FW_GROUP_STRIDE };

	switch (below(4)) {
	case 0:
		w.reg += AT(group, state);
		w.value = 1 + below(5);
		break;
	case 1:
		w.reg += AT(group, epoch);
		w.value = some_epoch();
		break;
	case 2:
		w.reg += AT(group, group_key);
		w.value = some_key();
		break;
	default:
		w.reg += AT(group, destroyed);
		w.value = below(2) << below(32);
		break;
	}
	return w;
}

/* The register `state` of a group that is frozen does not become OPEN, so the table is set. */
void model_make(struct model_write w)
{
	uint32_t n = (w.reg - TALLY_FW_GROUP_BASE) / TALLY_FW_GROUP_STRIDE;
	struct group *g = context(n);

	if (!in_use(g))
		return;
	switch ((w.reg - TALLY_FW_GROUP_BASE) % TALLY_FW_GROUP_STRIDE) {
	case AT(group, state):
		g->state = w.value;
		break;
	case AT(group, epoch):
		g->epoch = w.value;
		break;
	case AT(group, group_key):
		g->mcast_key = w.value;
		break;
	default:
		g->destroyed = w.value;
		break;
	}
}

/* ---- Packets ---- */

static void some_secrets(struct model_packet *p, const struct group *g, const struct edge *ed)
{
	struct tally_tch_open o = { 0 };

	o.nonce = htobe64(one_in(4) ? some_nonce() : ed->peer_nonce);
	o.echo = htobe64(one_in(3) ? some_nonce() : ed->nonce);
	memcpy(p->payload, &o, sizeof(o));
	p->tch.key = htobe32(one_in(6) ? some_key() : ed->key);
	p->tch.epoch = htobe32(one_in(6) ? some_epoch() : g->epoch);
	memcpy(p->sgid, ed->addr.gid, 16);
}

/* A number near those that the edge expects, and one that may have to be stored before. */
static void some_numbers(struct model_packet *p, const struct edge *ed)
{
	uint32_t seq = ed->rx_top + (one_in(8) ? 96 - below(192) : 2 - below(6));

	p->tch.edge_seq = htobe32(seq);
	p->tch.num = htobe32(one_in(2) ? seq : seq - below(4));
}

static void by_multicast(struct model_packet *p, const struct group *g)
{
	p->tch.flags |= htobe16(TALLY_TCH_F_MULTICAST);
	if (one_in(8))
		return;
	p->tch.contributor = EDGE_PARENT;
	if (one_in(8))
		return;
	p->tch.key = htobe32(g->mcast_key);
	memcpy(p->sgid, g->source_gid, 16);
}

void model_packet(struct model_packet *p)
{
	static const uint8_t kinds[] = { TALLY_KIND_REDUCE, TALLY_KIND_RESULT, TALLY_KIND_TRIGGER,
					 TALLY_KIND_ACK, TALLY_KIND_BUSY, TALLY_KIND_OPEN,
					 TALLY_KIND_QUERY, TALLY_KIND_NOTIFY, TALLY_KIND_KILL };
	const struct group *g = context(some_context());
	unsigned int idx = one_in(16) ? below(MAX_EDGES) : one_in(4) ? EDGE_PARENT : below(EDGES);
	uint64_t *words = (uint64_t *)&p->tch;
	unsigned int i;

	for (i = 0; i < sizeof(p->tch) / 8; i++)
		words[i] = next();
	memset(p->payload, 0, sizeof(p->payload));
	p->tch.kind = one_in(4) ? TALLY_KIND_OPEN : kinds[below(sizeof(kinds))];
	p->tch.contributor = idx;
	p->tch.flags &= ~htobe16(TALLY_TCH_F_MULTICAST);
	p->tch.jid = htobe32(one_in(8) ? some_jid() : g->jid);
	some_secrets(p, g, &g->edges[idx]);
	some_numbers(p, &g->edges[idx]);
	if (one_in(p->tch.kind == TALLY_KIND_RESULT ? 2 : 8))
		by_multicast(p, g);
	if (one_in(8))
		some_gid(p->sgid);
}

struct engine_admission model_judge(const struct model_packet *p)
{
	uint8_t body[sizeof(p->tch) + sizeof(p->payload)];
	struct engine_admission a;
	struct engine_addr from;

	memcpy(from.gid, p->sgid, 16);
	memcpy(body, &p->tch, sizeof(p->tch));
	memcpy(body + sizeof(p->tch), p->payload, sizeof(p->payload));
	a = engine_would_admit(engine, &from, body);
	a.group = to_block(a.group);
	return a;
}

struct engine_admission model_admit(const struct model_packet *p)
{
	struct engine_admission a = model_judge(p);

	if (a.numbered)
		a.verdict = TALLY_FW_ADMISSION_OK;
	return a;
}

bool model_alive(const struct engine_admission *a)
{
	return a->verdict == TALLY_FW_ADMISSION_OK && group_alive(context(a->group));
}

bool model_has(unsigned int group, unsigned int edge, uint32_t top, uint64_t seen)
{
	const struct edge *ed = &context(group)->edges[edge];
	uint32_t age = ed->rx_top - top;

	if (age >= TALLY_EDGE_WINDOW)
		return !(age >> 31);
	return !((seen << age) & ~ed->rx_seen);
}

/* want_ack() finds that an acknowledgement is due already. */
void model_store(const struct engine_admission *a, uint32_t seq)
{
	const struct tch t = { .edge_seq = seq };

	edge_verdict(engine, context(a->group), a->edge, &t, RX_STORED);
}
