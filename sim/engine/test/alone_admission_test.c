// SPDX-License-Identifier: BSD-2-Clause
/* The parser of packets alone: each check with values that it just permits and just refuses. */
#include "engine/test/alone_arrive.h"
#include "engine/common.h"
#include "engine/edge.h"
#include "engine/mirror.h"
#include "engine/mode.h"
#include "engine/registers.h"

#include <endian.h>

/* ---- The header ---- */

static void header_is_whole(void **state)
{
	const struct packet p = arriving_notify();
	uint32_t len;

	(void)state;
	for (len = 0; len < sizeof(p.w); len++)
		engine_packet(a.e, &p.from, &p.w, len);
	assert_int_equal(a.counters[TALLY_CTR_drop_tch], sizeof(p.w));
	assert_int_equal(arrive_drops(), sizeof(p.w));
	engine_packet(a.e, &p.from, &p.w, len);
	assert_int_equal(arrive_drops(), sizeof(p.w));
}

static void fixed_fields(void **state)
{
	(void)state;
	DROPPED(drop_tch, notify, w->tag ^= htobe32(1));
	DROPPED(drop_tch, notify, w->tag ^= htobe32(1u << 31));
	DROPPED(drop_tch, notify, w->version = TALLY_WIRE_VERSION + 1);
	DROPPED(drop_tch, notify, w->version = TALLY_WIRE_VERSION - 1);
	DROPPED(drop_tch, notify, w->contributor = TALLY_CONTRIB_PARENT + 1);
	DROPPED(drop_tch, notify, w->contributor = 255);
	TAKEN(notify, w->contributor = TALLY_CONTRIB_PARENT; w->key = htobe32(KEY + EDGE_PARENT);
	      p.from = a.g->edges[EDGE_PARENT].addr);
}

static void kinds(void **state)
{
	unsigned int kind;

	(void)state;
	for (kind = 0; kind < 256; kind++)
		if (kind < TALLY_KIND_REDUCE || kind == TALLY_KIND_CONFIG ||
		    kind == TALLY_KIND_GRANT || kind > TALLY_KIND_KILL)
			DROPPED(drop_tch, notify, w->kind = kind);
	TAKEN(reduce, );
	TAKEN(result, );
	TAKEN(ack, );
	TAKEN(busy, );
	TAKEN(query, );
	TAKEN(notify, );
	TAKEN(open, );
	TAKEN(kill, );
	TAKEN(kill_ack, );
}

static void lengths_of_payloads(void **state)
{
	(void)state;
	DROPPED(drop_tch, reduce, p.len = 7);
	DROPPED(drop_tch, reduce, p.len = 9);
	DROPPED(drop_tch, reduce, p.len = 0);
	DROPPED(drop_tch, result, p.len = 12);
	DROPPED(drop_tch, trigger, p.len = 4);
	DROPPED(drop_tch, ack, p.len = 7);
	DROPPED(drop_tch, ack, p.len = 9);
	DROPPED(drop_tch, ack, p.len = 0);
	DROPPED(drop_tch, kill_ack, p.len = 8);
	DROPPED(drop_tch, open, p.len--);
	DROPPED(drop_tch, open, p.len++);
	DROPPED(drop_tch, kill, p.len--);
	DROPPED(drop_tch, kill, p.len++);
	DROPPED(drop_tch, busy, p.len = 1);
	DROPPED(drop_tch, query, p.len = 1);
	DROPPED(drop_tch, notify, p.len = 1);
	DROPPED(drop_tch, notify, p.len = 128);
	DROPPED(drop_tch, reduce, w->dtype = 0x77; w->count = w->total = 0; p.len = 0);
	DROPPED(drop_tch, reduce,
		w->count = w->total = htobe32((1u << 30) + 2)); /* 2^32 + 8 bytes */
}

/* A packet of blocks may carry a part of the chunk, of whole elements. */
static void lengths_of_blocks(void **state)
{
	unsigned int len;

	(void)state;
	for (len = 1; len <= 20; len++) {
		bool fits = len <= 16 && !(len % 4);

		arrive_teardown(NULL);
		arrive_setup(NULL);
		ARRIVE(reduce, drop_tch, !fits, w->opcode = TALLY_OPCODE_GATHER;
		       w->op = TALLY_OP_NONE; w->count = w->total = htobe32(4); p.len = len;
		       a.g->rank_first = 3; a.g->edges[1].rank_first = 0;
		       a.g->edges[1].rank_count = len / 4; a.g->subtree_ranks = 4);
	}
}

/* A chunk has at most the largest MTU, whatever the group's. */
static void length_of_the_largest_mtu(void **state)
{
	static uint8_t body[sizeof(struct tally_tch) + TALLY_MAX_MTU + 4];
	struct packet p = arriving_reduce();

	(void)state;
	p.w.count = p.w.total = htobe32(TALLY_MAX_MTU / 4);
	memcpy(body, &p.w, sizeof(p.w));
	engine_packet(a.e, &p.from, body, sizeof(p.w) + TALLY_MAX_MTU);
	assert_int_equal(arrive_drops(), 0);
	p.w.edge_seq = htobe32(501);
	p.w.count = p.w.total = htobe32(TALLY_MAX_MTU / 4 + 1);
	a.g->mtu = TALLY_MAX_MTU + 4;
	memcpy(body, &p.w, sizeof(p.w));
	engine_packet(a.e, &p.from, body, sizeof(p.w) + TALLY_MAX_MTU + 4);
	assert_int_equal(a.counters[TALLY_CTR_drop_tch], 1);
}

static void modes_and_rounds(void **state)
{
	const uint16_t both = htobe16(TALLY_TCH_F_EXCHANGE | TALLY_TCH_F_RING);

	(void)state;
	DROPPED(drop_tch, reduce, w->flags |= both);
	DROPPED(drop_tch, result, w->flags |= both);
	DROPPED(drop_tch, query, w->flags |= both);
	DROPPED(drop_tch, notify, w->flags |= htobe16(TALLY_TCH_F_RING));
	DROPPED(drop_tch, notify, w->flags |= htobe16(TALLY_TCH_F_EXCHANGE));
	DROPPED(drop_tch, notify, w->flags |= both);
	DROPPED(drop_tch, ack, w->flags |= htobe16(TALLY_TCH_F_RING));
	DROPPED(drop_tch, trigger, w->flags |= htobe16(TALLY_TCH_F_RING));
	TAKEN(query, w->flags |= htobe16(TALLY_TCH_F_RING));
	DROPPED(drop_slot, reduce, w->round = TALLY_MAX_ROUNDS); /* the slot has no such round */
	DROPPED(drop_tch, reduce, w->round = TALLY_MAX_ROUNDS + 1);
	DROPPED(drop_tch, result, w->round = 1);
	DROPPED(drop_tch, query, w->round = 1);
	DROPPED(drop_tch, notify, w->round = 1);
}

/* Take a place in a ring, in which child 1 is the left neighbour. */
static void join_ring(unsigned int node)
{
	a.g->modes |= TALLY_MODES_RING;
	a.g->by_nodes = divisor_of(4);
	a.g->node = node;
	a.g->left = 1;
	a.g->right = 0;
}

static void data_of_a_ring(void **state)
{
	(void)state;
	TAKEN(reduce, w->flags |= htobe16(TALLY_TCH_F_RING); join_ring(1));
	assert_int_equal(slot_of(a.e, a.g, 0)->up_contributors, 0);
	TAKEN(reduce, w->flags |= htobe16(TALLY_TCH_F_RING); join_ring(0);
	      w->kind = TALLY_KIND_RESULT);
	assert_true(slot_of(a.e, a.g, 0)->down_have);
}

static void types_are_known(void **state)
{
	(void)state;
	alone_qp(&a, PORT, 1);
	DROPPED(drop_tch, trigger, w->op = TALLY_OP_NONE; w->dtype = 0x77; w->count = 0; p.len = 0);
	ARRIVE(trigger, drop_tch, 0, w->op = TALLY_OP_NONE; w->dtype = TALLY_TYPE_NONE;
	       w->count = 0; p.len = 0);
}

/* ---- Admission ---- */

static void jobs(void **state)
{
	(void)state;
	DROPPED(drop_jid, notify, w->jid = htobe32(ALONE_JID + 1));
	DROPPED(drop_jid, open, w->jid = 0);
}

static void sources(void **state)
{
	(void)state;
	DROPPED(drop_source, notify, p.from.gid[0] ^= 1);
	DROPPED(drop_source, notify, p.from.gid[15] ^= 1);
	DROPPED(drop_source, kill, p.from.gid[15] ^= 1);
	DROPPED(drop_source, open, p.from.gid[15] ^= 1);
	DROPPED(drop_source, notify, w->contributor = 0);
	DROPPED(drop_source, notify, w->contributor = 2); /* there is no such edge */
	DROPPED(drop_source, notify, w->contributor = 2; memset(&p.from, 0, sizeof(p.from)));
	TAKEN(notify, p.from.mac[0] ^= 1);
}

static void sources_of_multicasts(void **state)
{
	(void)state;
	TAKEN(multicast, );
	assert_true(slot_of(a.e, a.g, 0)->down_have);
	DROPPED(drop_source, multicast, p.from.gid[15] ^= 1);
	DROPPED(drop_source, multicast, p.from = a.g->edges[EDGE_PARENT].addr);
	DROPPED(drop_source, multicast, w->contributor = 1);
	DROPPED(drop_source, multicast, a.g->flags = 0);
	DROPPED(drop_source, multicast, a.g->parent = NO_EDGE);
	/* only results come by multicast */
	DROPPED(drop_source, multicast, w->kind = TALLY_KIND_REDUCE);
}

/* The parent may be a contributor. Its results by multicast are the parent's all the same. */
static void multicast_of_a_parent_with_an_index(void **state)
{
	(void)state;
	TAKEN(multicast, a.g->parent = 1; a.g->children = a.g->contributors = 1;
	      a.g->edges[EDGE_PARENT].state = TALLY_EDGE_NONE);
	assert_int_equal(a.g->edges[1].received, 0); /* it has no number */
	assert_int_equal(slot_of(a.e, a.g, 0)->down_edge, 1);
	assert_true(slot_of(a.e, a.g, 0)->down_have);
}

static void epochs(void **state)
{
	(void)state;
	DROPPED(drop_epoch, notify, w->epoch = htobe32(ALONE_EPOCH + 1));
	DROPPED(drop_epoch, notify, w->epoch = 0);
	DROPPED(drop_epoch, kill, w->epoch = 0);
	DROPPED(drop_epoch, kill, w->epoch = htobe32(ALONE_EPOCH - 1));
	DROPPED(drop_epoch, kill_ack, w->epoch = 0);
	TAKEN(open, w->epoch = htobe32(ALONE_EPOCH + 1));
	/* until both ends know the epoch, the end of one is accepted */
	TAKEN(kill, w->epoch = 0; a.g->edges[1].state = TALLY_EDGE_OPENING);
	TAKEN(kill, a.g->epoch = 0; a.g->edges[1].state = TALLY_EDGE_OPENING);
	DROPPED(drop_epoch, kill, w->epoch = htobe32(9); a.g->epoch = ALONE_EPOCH);
	DROPPED(drop_epoch, notify, w->epoch = 0);
	DROPPED(drop_epoch, ack, w->epoch = 0);
	TAKEN(kill_ack, w->epoch = 0; a.g->edges[1].state = TALLY_EDGE_OPENING;
	      a.g->state = TALLY_GROUP_COLLECT);
}

static void keys(void **state)
{
	(void)state;
	DROPPED(drop_key, notify, w->key = htobe32(KEY));
	DROPPED(drop_key, notify, w->key = htobe32(1));
	DROPPED(drop_key, notify, w->key = htobe32(101)); /* the neighbour's */
	DROPPED(drop_key, notify, w->key = 0; a.g->edges[1].key = 0);
	a.g->edges[1].key = KEY + 1;
	DROPPED(drop_key, kill, w->key = htobe32(KEY + 2));
	DROPPED(drop_key, kill_ack, w->key = 0);
	DROPPED(drop_key, multicast, w->key = htobe32(KEY + EDGE_PARENT));
	DROPPED(drop_key, multicast, w->key = 0; a.g->mcast_key = 0);
	TAKEN(open, w->key = htobe32(5)); /* its nonce counts */
}

static void states_of_edges(void **state)
{
	(void)state;
	DROPPED(drop_state, notify, a.g->edges[1].state = TALLY_EDGE_OPENING);
	DROPPED(drop_state, kill_ack, );
	DROPPED(drop_state, reduce, );
	TAKEN(kill, a.g->edges[1].state = TALLY_EDGE_OPENING);
	TAKEN(open, a.g->edges[1].state = TALLY_EDGE_OPENING);
	TAKEN(kill_ack, a.g->edges[1].state = TALLY_EDGE_OPENING; a.g->state = TALLY_GROUP_DEAD);
	TAKEN(notify, a.g->edges[1].unconfirmed = true);
}

/* The first check that fails gives the reason. */
static void order_of_reasons(void **state)
{
	(void)state;
	DROPPED(drop_tch, notify, w->tag = 0; w->jid = 0);
	DROPPED(drop_jid, notify, w->jid = 0; p.from.gid[0] = 99);
	DROPPED(drop_source, notify, p.from.gid[0] = 99; w->epoch = 0);
	DROPPED(drop_epoch, notify, w->epoch = 0; w->key = 0);
	DROPPED(drop_key, notify, w->key = 0; a.g->edges[1].state = TALLY_EDGE_OPENING);
}

/* ---- Admission by the host ---- */

static unsigned int admit(enum tally_fw_admission verdict, const struct packet *p)
{
	const struct engine_admission says = { .verdict = verdict, .group = a.g - a.e->groups,
					       .edge = 1 };

	assert_false(engine_admitted(a.e, &says, &p->from, &p->w, sizeof(p->w)));
	return arrive_drops();
}

/* Return whether a packet is stored of whose number the host says this. */
static bool numbered(enum tally_fw_admission verdict, const struct packet *p)
{
	const struct engine_admission says = { .verdict = verdict, .group = a.g - a.e->groups,
					       .edge = 1, .numbered = true };

	return engine_admitted(a.e, &says, &p->from, p, sizeof(p->w) + p->len);
}

static void answers_of_the_host_are_counted(void **state)
{
	const struct packet p = arriving_notify();

	(void)state;
	a.g->edges[1].probes = 1;
	assert_int_equal(admit(TALLY_FW_ADMISSION_OK, &p), 0);
	assert_int_equal(a.g->edges[1].probes, 0); /* it was heard */
	admit(TALLY_FW_ADMISSION_JID, &p);
	admit(TALLY_FW_ADMISSION_SOURCE, &p);
	admit(TALLY_FW_ADMISSION_EPOCH, &p);
	admit(TALLY_FW_ADMISSION_KEY, &p);
	assert_int_equal(admit(TALLY_FW_ADMISSION_STATE, &p), 5);
	assert_int_equal(a.counters[TALLY_CTR_drop_jid], 1);
	assert_int_equal(a.counters[TALLY_CTR_drop_source], 1);
	assert_int_equal(a.counters[TALLY_CTR_drop_epoch], 1);
	assert_int_equal(a.counters[TALLY_CTR_drop_key], 1);
	assert_int_equal(a.counters[TALLY_CTR_drop_state], 1);
}

/* What the host has admitted is checked again, because the group may have changed on the way. */
static void the_group_has_changed_meanwhile(void **state)
{
	const struct packet p = arriving_notify();

	(void)state;
	a.g->edges[1].key++;
	admit(TALLY_FW_ADMISSION_OK, &p);
	assert_int_equal(a.counters[TALLY_CTR_drop_key], 1);
	a.g->edges[1].key--;
	a.g->edges[1].state = TALLY_EDGE_OPENING;
	admit(TALLY_FW_ADMISSION_OK, &p);
	assert_int_equal(a.counters[TALLY_CTR_drop_state], 1);
	a.g->edges[1].state = TALLY_EDGE_NONE;
	admit(TALLY_FW_ADMISSION_OK, &p);
	assert_int_equal(a.counters[TALLY_CTR_drop_source], 1);
	a.g->jid++;
	assert_int_equal(admit(TALLY_FW_ADMISSION_OK, &p), 4);
	assert_int_equal(a.counters[TALLY_CTR_drop_jid], 1);
}

/* The model follows what the host says, and tells what it has stored. */
static void the_host_judges_numbers(void **state)
{
	struct packet p = arriving_reduce();
	struct edge *ed = &a.g->edges[1];
	const uint32_t top = ed->rx_top;

	(void)state;
	assert_false(numbered(TALLY_FW_ADMISSION_DUPLICATE, &p));
	assert_int_equal(ed->duplicates, 1);
	assert_int_not_equal(ed->ack_at, NEVER);
	assert_false(numbered(TALLY_FW_ADMISSION_WINDOW, &p));
	assert_false(numbered(TALLY_FW_ADMISSION_TURN, &p));
	assert_int_equal(a.counters[TALLY_CTR_drop_window], 2);
	assert_int_equal(ed->rx_top, top);
	assert_true(numbered(TALLY_FW_ADMISSION_OK, &p));
	assert_int_equal(ed->rx_top, be32toh(p.w.edge_seq));
	assert_int_equal(ed->duplicates, 1);
}

/* The host has found the group ended, and has not looked at the number. */
static void a_number_that_was_not_judged(void **state)
{
	const struct packet p = arriving_reduce();

	(void)state;
	assert_int_equal(admit(TALLY_FW_ADMISSION_OK, &p), 1);
	assert_int_equal(a.counters[TALLY_CTR_drop_state], 1);
}

/* ---- Tables of the host ---- */

static struct {
	uint32_t reg, value;
} copied[32];
static unsigned int copies;

static void take_copy(void *ctx, uint32_t reg, uint32_t value)
{
	(void)ctx;
	copied[copies].reg = reg;
	copied[copies++ % 32].value = value;
}

static void the_host_gets_what_it_reads(void **state)
{
	const uint32_t group = TALLY_FW_GROUP_BASE + (a.g - a.e->groups) * TALLY_FW_GROUP_STRIDE;
	const uint32_t edge = group + TALLY_FW_EDGE_OFFSET + TALLY_FW_EDGE_STRIDE;
	struct engine_host host = *a.e->host;

	(void)state;
	host.table = take_copy;
	a.e->host = &host;
	copies = 0;
	registers_write(a.e, group + offsetof(struct tally_fw_group, mtu), 4096);
	registers_write(a.e, edge + offsetof(struct tally_fw_edge, kill), 1);
	assert_int_equal(copies, 0);
	registers_write(a.e, group + offsetof(struct tally_fw_group, epoch), 9);
	registers_write(a.e, edge + TALLY_FW_NEIGHBOUR_OFFSET + 12, 0x01020304);
	assert_int_equal(copies, 2);
	assert_int_equal(copied[0].reg, group + offsetof(struct tally_fw_group, epoch));
	assert_int_equal(copied[0].value, 9);
	assert_int_equal(copied[1].reg, edge + TALLY_FW_NEIGHBOUR_OFFSET + 12);
	assert_int_equal(copied[1].value, 0x01020304);
	a.g->state = TALLY_GROUP_COLLECT; /* it does not become OPEN any more */
	registers_write(a.e, group + offsetof(struct tally_fw_group, state), TALLY_GROUP_OPEN);
	assert_int_equal(copied[2].value, TALLY_GROUP_COLLECT);
	a.g->edges[1].nonce = 0x123456789a;
	mirror_edge(a.e, a.g, &a.g->edges[1]);
	assert_int_equal(copied[3].value, KEY + 1);
	assert_int_equal(copied[4].value, 0x3456789a);
	assert_int_equal(copied[5].value, 0x12);
	assert_int_equal(copied[8].reg, edge + offsetof(struct tally_fw_edge, state));
	assert_int_equal(copied[8].value, TALLY_EDGE_OPEN);
	a.g->edges[1].first_seq = 0x87654321;
	mirror_first(a.e, a.g, &a.g->edges[1]);
	assert_int_equal(copied[9].reg, edge + offsetof(struct tally_fw_edge, first_seq));
	assert_int_equal(copied[9].value, 0x87654321);
	mirror_remove(a.e, a.g);
	assert_int_equal(copied[10].reg, TALLY_FW_COMMAND_BASE);
	assert_int_equal(copied[10].value, TALLY_FW_CMD_RELEASE | (a.g - a.e->groups) << 16);
	assert_int_equal(copies, 11);
}

/* What its transmit windows need: time-outs, where an edge begins, and when it ends. */
static void the_host_learns_of_edges_that_send(void **state)
{
	const uint32_t group = TALLY_FW_GROUP_BASE + (a.g - a.e->groups) * TALLY_FW_GROUP_STRIDE;
	struct engine_host host = *a.e->host;

	(void)state;
	host.table = take_copy;
	a.e->host = &host;
	copies = 0;
	registers_write(a.e, group + offsetof(struct tally_fw_group, rto), 0x123456789a);
	registers_write(a.e, group + offsetof(struct tally_fw_group, max_backoff), 5);
	registers_write(a.e, group + offsetof(struct tally_fw_group, retry_limit), 6);
	assert_int_equal(copies, 5);
	assert_int_equal(copied[0].value, 0x3456789a);
	assert_int_equal(copied[1].reg, group + offsetof(struct tally_fw_group, rto) + 4);
	assert_int_equal(copied[1].value, 0x12);
	assert_int_equal(copied[2].value, 5);
	assert_int_equal(copied[3].value, 0);
	assert_int_equal(copied[4].value, 6);
	a.g->edges[1].own_first_seq = 0x76543210;
	mirror_renewed(a.e, a.g, &a.g->edges[1]);
	assert_int_equal(copied[5].reg, group + TALLY_FW_EDGE_OFFSET + TALLY_FW_EDGE_STRIDE +
						offsetof(struct tally_fw_edge, own_first_seq));
	assert_int_equal(copied[5].value, 0x76543210);
	mirror_freeze(a.e, a.g);
	assert_int_equal(copied[6].value, TALLY_FW_CMD_FREEZE | (a.g - a.e->groups) << 16);
	assert_int_equal(copies, 7);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, arrive_setup, arrive_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(header_is_whole),
		TEST(fixed_fields),
		TEST(kinds),
		TEST(lengths_of_payloads),
		TEST(lengths_of_blocks),
		TEST(length_of_the_largest_mtu),
		TEST(modes_and_rounds),
		TEST(data_of_a_ring),
		TEST(types_are_known),
		TEST(jobs),
		TEST(sources),
		TEST(sources_of_multicasts),
		TEST(multicast_of_a_parent_with_an_index),
		TEST(epochs),
		TEST(keys),
		TEST(states_of_edges),
		TEST(order_of_reasons),
		TEST(answers_of_the_host_are_counted),
		TEST(the_group_has_changed_meanwhile),
		TEST(the_host_judges_numbers),
		TEST(a_number_that_was_not_judged),
		TEST(the_host_gets_what_it_reads),
		TEST(the_host_learns_of_edges_that_send),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
