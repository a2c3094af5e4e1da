// SPDX-License-Identifier: BSD-2-Clause
/*
 * Packets of the firmware that the host sends: what it gets for them, and which remain with the engine. What it
 * gets to compare an OPEN with, and what the firmware reads of this.
 */
#include "engine/test/alone_arrive.h"
#include "engine/commands.h"
#include "engine/common.h"
#include "engine/events.h"
#include "engine/mirror.h"
#include "engine/registers.h"

#include <endian.h>

#define MOST 200 /* writes */
#define AT(block, field) offsetof(struct tally_fw_##block, field)
#define COMMAND(field) (TALLY_FW_COMMAND_BASE + AT(command, field))
#define IDX 1

static struct engine_host host;
static struct {
	uint32_t reg, value;
} written[MOST];
static unsigned int writes, sends, before; /* before: writes when the command came */
static uint32_t gone;
static uint64_t numbers[MOST];
static unsigned int given; /* random numbers */

static bool sends_packet(uint32_t code)
{
	return code == TALLY_FW_CMD_SEND || code == TALLY_FW_CMD_SEND_OPEN || code == TALLY_FW_CMD_CONFIRM ||
	       code == TALLY_FW_CMD_CHALLENGE;
}

static bool yes(void *ctx)
{
	(void)ctx;
	return true;
}

static void table(void *ctx, uint32_t reg, uint32_t value)
{
	(void)ctx;
	assert_true(writes < MOST);
	if (reg == COMMAND(go) && sends_packet(value & 0xff)) {
		gone = value;
		before = writes;
		sends++;
		return;
	}
	written[writes].reg = reg;
	written[writes++].value = value;
}

static void give_number(void *ctx, uint64_t number)
{
	(void)ctx;
	assert_int_equal(writes, 0); /* the command comes later */
	assert_true(given < MOST);
	numbers[given++] = number;
}

static int setup(void **state)
{
	arrive_setup(state);
	host = *a.e->host;
	host.table = table;
	host.fw_sends = yes;
	a.e->host = &host;
	writes = sends = given = 0;
	return 0;
}

/* The value that was written last; a register that was not written fails. */
static uint32_t value_of(uint32_t reg)
{
	unsigned int i = writes;

	while (i--)
		if (written[i].reg == reg)
			return written[i].value;
	fail_msg("register %x is not written", reg);
	return 0;
}

static uint32_t reg_of(const struct group *g)
{
	return TALLY_FW_GROUP_BASE + events_number(a.e, g) * TALLY_FW_GROUP_STRIDE;
}

static uint32_t go_of(const struct group *g, enum tally_fw_command_code code)
{
	return code | IDX << 8 | events_number(a.e, g) << 16;
}

static void give_values(struct group *g)
{
	struct edge *ed = &g->edges[IDX];

	g->mtu = 1024;
	g->chunk = 11;
	g->plan = 12;
	g->num_segs = 13;
	g->node = 14;
	g->num_nodes = 15;
	g->modes = 5;
	g->rounds = 6;
	g->total_ranks = 16;
	memcpy(ed->addr.mac, "\x21\x22\x23\x24\x25\x26", 6);
	ed->remote_index = 17;
	ed->own_first_seq = 18;
}

static void has_values(const struct group *g)
{
	const uint32_t reg = reg_of(g), edge = reg + TALLY_FW_EDGE_OFFSET + IDX * TALLY_FW_EDGE_STRIDE;
	const uint32_t next = edge + TALLY_FW_NEIGHBOUR_OFFSET;

	assert_int_equal(value_of(reg + AT(group, mtu)), 1024);
	assert_int_equal(value_of(reg + AT(group, chunk)), 11);
	assert_int_equal(value_of(reg + AT(group, plan)), 12);
	assert_int_equal(value_of(reg + AT(group, num_segs)), 13);
	assert_int_equal(value_of(reg + AT(group, node)), 14);
	assert_int_equal(value_of(reg + AT(group, num_nodes)), 15);
	assert_int_equal(value_of(reg + AT(group, modes)), 5);
	assert_int_equal(value_of(reg + AT(group, rounds)), 6);
	assert_int_equal(value_of(reg + AT(group, total_ranks)), 16);
	assert_int_equal(value_of(next + AT(neighbour, mac)), 0x24232221);
	assert_int_equal(value_of(next + AT(neighbour, mac) + 4), 0x2625);
	assert_int_equal(value_of(next + AT(neighbour, remote_index)), 17);
}

static void the_host_gets_what_packets_tell(void **state)
{
	(void)state;
	give_values(a.g);
	mirror_packets(a.e, a.g);
	has_values(a.g);
	writes = 0;
	a.g->flags |= TALLY_GROUP_F_MULTICAST;
	mirror_packets(a.e, a.g);
	assert_int_equal(writes, 0);
	a.g->flags &= ~TALLY_GROUP_F_MULTICAST;
	host.fw_sends = NULL;
	mirror_packets(a.e, a.g);
	assert_int_equal(writes, 0);
}

/* Its edges have first numbers, which those of a group get when they are renewed. */
static void so_it_does_of_tombstones(void **state)
{
	struct group *t = &a.e->tombstones[2];
	const uint32_t edge = reg_of(t) + TALLY_FW_EDGE_OFFSET + IDX * TALLY_FW_EDGE_STRIDE;

	(void)state;
	memcpy(t, a.g, offsetof(struct group, ranks));
	memcpy(t->edges, a.g->edges, sizeof(t->edges));
	give_values(t);
	mirror_tombstone(a.e, t);
	has_values(t);
	assert_int_equal(value_of(edge + AT(edge, own_first_seq)), 18);
	assert_int_equal(value_of(edge + AT(edge, key)), t->edges[IDX].key);
}

/* A KILL has its registers written before the command. */
static void a_command_has_its_values(void **state)
{
	static const uint32_t data[] = { 31, 32 };
	const uint32_t go = go_of(a.g, TALLY_FW_CMD_SEND);
	unsigned int i;

	(void)state;
	registers_write(a.e, COMMAND(kind), TALLY_KIND_KILL);
	registers_write(a.e, COMMAND(flags), TALLY_TCH_F_DEAD);
	registers_write(a.e, COMMAND(epoch), 21);
	registers_write(a.e, COMMAND(key), 22);
	registers_write(a.e, COMMAND(mid), 23);
	registers_write(a.e, COMMAND(sid), 24);
	registers_write(a.e, COMMAND(length), sizeof(data));
	for (i = 0; i < 2; i++)
		registers_write(a.e, COMMAND(data) + 4 * i, data[i]);
	assert_int_equal(writes, 0);
	registers_write(a.e, COMMAND(go), go);
	assert_int_equal(sends, 1);
	assert_int_equal(gone, go);
	assert_int_equal(a.sent, 0);
	assert_int_equal(before, 9);
	assert_int_equal(value_of(COMMAND(kind)), TALLY_KIND_KILL);
	assert_int_equal(value_of(COMMAND(flags)), TALLY_TCH_F_DEAD);
	assert_int_equal(value_of(COMMAND(epoch)), 21);
	assert_int_equal(value_of(COMMAND(key)), 22);
	assert_int_equal(value_of(COMMAND(mid)), 23);
	assert_int_equal(value_of(COMMAND(sid)), 24);
	assert_int_equal(value_of(COMMAND(length)), sizeof(data));
	assert_int_equal(value_of(COMMAND(data)), 31);
	assert_int_equal(value_of(COMMAND(data) + 4), 32);
}

static void an_open_needs_no_registers(void **state)
{
	static const enum tally_fw_command_code codes[] = { TALLY_FW_CMD_SEND_OPEN, TALLY_FW_CMD_CONFIRM,
							    TALLY_FW_CMD_CHALLENGE };
	unsigned int i;

	(void)state;
	for (i = 0; i < 3; i++) {
		commands_go(a.e, go_of(a.g, codes[i]));
		assert_int_equal(gone, go_of(a.g, codes[i]));
	}
	assert_int_equal(sends, 3);
	assert_int_equal(writes, 0);
	assert_int_equal(a.sent, 0);
}

/* It does not have the values of a subtree. */
static void multicast_remains_with_the_engine(void **state)
{
	(void)state;
	a.g->flags |= TALLY_GROUP_F_MULTICAST;
	commands_go(a.e, go_of(a.g, TALLY_FW_CMD_SEND_OPEN));
	assert_int_equal(a.sent, 1);
	a.g->flags &= ~TALLY_GROUP_F_MULTICAST;
	host.fw_sends = NULL;
	commands_go(a.e, go_of(a.g, TALLY_FW_CMD_SEND_OPEN));
	assert_int_equal(a.sent, 2);
	assert_int_equal(sends, 0);
}

/* ---- What an OPEN is compared with ---- */

static uint32_t edge_of(const struct group *g)
{
	return reg_of(g) + TALLY_FW_EDGE_OFFSET + IDX * TALLY_FW_EDGE_STRIDE;
}

/* That is also so in a group with multicast, and of a tombstone. */
static void host_gets_what_it_compares(void **state)
{
	struct group *t = &a.e->tombstones[2];

	(void)state;
	host.compares = yes;
	give_values(a.g);
	a.g->edges[IDX].first = 3;
	a.g->edges[IDX].count = 4;
	a.g->flags |= TALLY_GROUP_F_MULTICAST;
	mirror_packets(a.e, a.g);
	assert_int_equal(value_of(reg_of(a.g) + AT(group, plan)), 12);
	assert_int_equal(value_of(edge_of(a.g) + AT(edge, subtree_first)), 3);
	assert_int_equal(value_of(edge_of(a.g) + AT(edge, subtree_count)), 4);
	memcpy(t, a.g, offsetof(struct group, ranks));
	memcpy(t->edges, a.g->edges, sizeof(t->edges));
	t->edges[IDX].peer_key = 5;
	t->edges[IDX].unconfirmed = true;
	t->edges[IDX].awaits_epoch = 6;
	mirror_tombstone(a.e, t);
	assert_int_equal(value_of(edge_of(t) + AT(edge, subtree_count)), 4);
	assert_int_equal(value_of(edge_of(t) + AT(edge, peer_key)), 5);
	assert_int_equal(value_of(edge_of(t) + AT(edge, unconfirmed)), 1);
	assert_int_equal(value_of(edge_of(t) + AT(edge, awaits_epoch)), 6);
}

static void host_learns_what_changes(void **state)
{
	const struct tally_tch_open o = { .key = htobe32(7) };
	struct edge *ed = &a.g->edges[IDX];

	(void)state;
	registers_write(a.e, edge_of(a.g) + AT(edge, awaits_epoch), 1);
	assert_int_equal(writes, 0);
	host.compares = yes;
	a.g->flags |= TALLY_GROUP_F_MULTICAST; /* it has no store */
	registers_write(a.e, edge_of(a.g) + AT(edge, awaits_epoch), 1);
	assert_int_equal(value_of(edge_of(a.g) + AT(edge, awaits_epoch)), 1);
	memcpy(a.e->event.data, &o, sizeof(o));
	commands_go(a.e, go_of(a.g, TALLY_FW_CMD_LEARN_PEER));
	assert_int_equal(value_of(edge_of(a.g) + AT(edge, peer_key)), 7);
	commands_go(a.e, go_of(a.g, TALLY_FW_CMD_OPEN_EDGE));
	assert_int_equal(value_of(edge_of(a.g) + AT(edge, unconfirmed)), 1);
	assert_int_equal(value_of(edge_of(a.g) + AT(edge, awaits_epoch)), 0);
	a.g->to_open = 2;
	commands_go(a.e, go_of(a.g, TALLY_FW_CMD_SETTLE_EDGE));
	assert_int_equal(value_of(edge_of(a.g) + AT(edge, unconfirmed)), 0);
	ed->awaits_epoch = 1;
	writes = 0;
	commands_go(a.e, go_of(a.g, TALLY_FW_CMD_RENEW_EDGE));
	assert_int_equal(value_of(edge_of(a.g) + AT(edge, peer_key)), 0);
	assert_int_equal(value_of(edge_of(a.g) + AT(edge, unconfirmed)), 0);
	assert_int_equal(value_of(edge_of(a.g) + AT(edge, awaits_epoch)), 0);
}

/* It gets the numbers that the engine has drawn, and the command behind them. */
static void host_renews_edges(void **state)
{
	struct edge *ed = &a.g->edges[IDX];

	(void)state;
	host.compares = host.renews = yes;
	host.random = give_number;
	a.g->flags |= TALLY_GROUP_F_MULTICAST;
	commands_go(a.e, go_of(a.g, TALLY_FW_CMD_RENEW_EDGE));
	assert_int_equal(given, 3);
	assert_true(ed->nonce == numbers[0]);
	assert_int_equal(ed->key, numbers[1] >> 32);
	assert_int_equal(ed->own_first_seq, (uint32_t)numbers[2]);
	assert_int_equal(ed->tx_next, ed->own_first_seq);
	assert_int_equal(writes, 1);
	assert_int_equal(value_of(COMMAND(go)), go_of(a.g, TALLY_FW_CMD_RENEW_EDGE));
}

/* The engine would find something else. */
static void firmware_reads_what_the_host_found(void **state)
{
	struct engine_event ev = { .type = TALLY_FW_EV_OPEN, .group = events_number(a.e, a.g), .edge = IDX,
				   .open = TALLY_FW_OPEN_AWAITS };
	const uint32_t reg = TALLY_FW_EVENT_BASE + AT(event, open);

	(void)state;
	a.g->edges[IDX].awaits_epoch = 0;
	assert_int_equal(engine_would_open(a.e, &ev) & TALLY_FW_OPEN_AWAITS, 0);
	events_give(a.e, &ev);
	events_next(a.e);
	assert_int_equal(registers_read(a.e, reg) & TALLY_FW_OPEN_AWAITS, 0);
	host.compares = yes;
	events_give(a.e, &ev);
	events_next(a.e);
	assert_int_equal(registers_read(a.e, reg), TALLY_FW_OPEN_AWAITS);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, arrive_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_host_gets_what_packets_tell), TEST(so_it_does_of_tombstones), TEST(a_command_has_its_values),
		TEST(an_open_needs_no_registers),      TEST(multicast_remains_with_the_engine),
		TEST(host_gets_what_it_compares),      TEST(host_learns_what_changes),
		TEST(firmware_reads_what_the_host_found), TEST(host_renews_edges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
