// SPDX-License-Identifier: BSD-2-Clause
#include "engine/test/alone_arrive.h"

#include <endian.h>

#include "engine/common.h"
#include "engine/jid.h"

struct alone a;

static void name_edge(unsigned int idx)
{
	struct edge *ed = &a.g->edges[idx];

	memset(&ed->addr, idx + 1, sizeof(ed->addr));
	ed->key = KEY + idx;
	ed->peer_key = 100 + idx;
	ed->rx_top = 499;
}

int arrive_setup(void **state)
{
	(void)state;
	alone_setup(&a);
	alone_children(&a, 2);
	alone_parent(&a, EDGE_PARENT);
	name_edge(0);
	name_edge(1);
	name_edge(EDGE_PARENT);
	memset(a.g->source_gid, 77, sizeof(a.g->source_gid));
	a.g->mcast_key = 7777;
	jid_add(a.e, a.g);
	a.e->firmware = (struct fiber *)&a;
	return 0;
}

int arrive_teardown(void **state)
{
	(void)state;
	a.e->firmware = NULL;
	alone_teardown(&a);
	return 0;
}

/* A packet of child 1 that is admitted. */
static struct packet good(uint8_t kind)
{
	struct packet p = { .w = {
				    .tag = htobe32(TALLY_TCH_TAG),
				    .version = TALLY_WIRE_VERSION,
				    .kind = kind,
				    .contributor = 1,
				    .jid = htobe32(ALONE_JID),
				    .epoch = htobe32(ALONE_EPOCH),
				    .key = htobe32(KEY + 1),
			    } };

	p.from = a.g->edges[1].addr;
	return p;
}

struct packet arriving_reduce(void)
{
	struct packet p = good(TALLY_KIND_REDUCE);

	p.w.opcode = TALLY_OPCODE_ALLREDUCE;
	p.w.op = TALLY_OP_SUM;
	p.w.dtype = TALLY_TYPE_INT32;
	p.w.flags = htobe16(TALLY_TCH_F_LAST);
	p.w.count = p.w.total = htobe32(2);
	p.w.edge_seq = htobe32(500);
	p.len = 8;
	return p;
}

struct packet arriving_result(void)
{
	struct packet p = arriving_reduce();

	p.w.kind = TALLY_KIND_RESULT;
	p.w.contributor = EDGE_PARENT;
	p.w.key = htobe32(KEY + EDGE_PARENT);
	p.from = a.g->edges[EDGE_PARENT].addr;
	return p;
}

/* The same by multicast, from the root of the tree. */
struct packet arriving_multicast(void)
{
	struct packet p = arriving_result();

	a.g->flags |= TALLY_GROUP_F_MULTICAST;
	p.w.flags |= htobe16(TALLY_TCH_F_MULTICAST);
	p.w.key = htobe32(7777);
	memset(p.from.gid, 77, sizeof(p.from.gid));
	return p;
}

struct packet arriving_trigger(void)
{
	struct packet p = arriving_reduce();

	p.w.kind = TALLY_KIND_TRIGGER;
	p.w.opcode = TALLY_OPCODE_REDUCE_MP;
	p.w.flags = htobe16(TALLY_TCH_F_CP | TALLY_TCH_F_SWP_MP);
	p.w.branch = 2;
	p.w.port = htobe16(PORT);
	p.w.num = p.w.edge_seq;
	return p;
}

struct packet arriving_ack(void)
{
	struct packet p = good(TALLY_KIND_ACK);

	p.len = sizeof(struct tally_tch_ack);
	return p;
}

struct packet arriving_kill_ack(void)
{
	struct packet p = good(TALLY_KIND_ACK);

	p.w.flags = htobe16(TALLY_TCH_F_KILL_ACK);
	return p;
}

struct packet arriving_kill(void)
{
	struct packet p = good(TALLY_KIND_KILL);

	p.len = sizeof(struct tally_tch_kill);
	return p;
}

struct packet arriving_open(void)
{
	struct packet p = good(TALLY_KIND_OPEN);

	p.w.key = 0;
	p.len = sizeof(struct tally_tch_open);
	return p;
}

struct packet arriving_busy(void)
{
	return good(TALLY_KIND_BUSY);
}

struct packet arriving_query(void)
{
	return good(TALLY_KIND_QUERY);
}

struct packet arriving_notify(void)
{
	return good(TALLY_KIND_NOTIFY);
}

uint64_t arrive_drops(void)
{
	uint64_t sum = a.counters[TALLY_CTR_duplicates] + a.counters[TALLY_CTR_drop_key];
	unsigned int c;

	for (c = TALLY_CTR_drop_tch; c <= TALLY_CTR_drop_slot; c++)
		sum += a.counters[c];
	return sum;
}

void arrive(const struct packet *p)
{
	uint8_t body[sizeof(p->w) + sizeof(p->payload)];

	memcpy(body, &p->w, sizeof(p->w));
	memcpy(body + sizeof(p->w), p->payload, p->len);
	engine_packet(a.e, &p->from, body, sizeof(p->w) + p->len);
}
