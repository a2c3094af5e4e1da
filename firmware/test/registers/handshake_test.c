// SPDX-License-Identifier: BSD-2-Clause
/* Opening of edges: what an OPEN changes and how it is answered; and the events of the firmware. */
#include "firmware/firmware.h"
#include "firmware/handshake.h"
#include "firmware/kill.h"
#include "firmware/test/registers/registers.h"

#define PARENT TALLY_MAX_CONTRIBUTORS
#define CONFIRM TALLY_TCH_F_CONFIRM

enum { ECHOED = 1, KNOWN = 2, DISAGREES = 4 };

/* Edges 0 and 1 lead to children and edge 64 to the parent. All are being opened. */
static void opening_group(uint32_t epoch)
{
	static const uint32_t edges[] = { 0, 1, PARENT };
	unsigned int i;

	regs_open_group(2);
	regs_add_parent();
	regs_group()->state = TALLY_GROUP_OPENING;
	regs_group()->epoch = epoch;
	regs_group()->to_open = 3;
	for (i = 0; i < 3; i++)
		*regs_edge(edges[i]) = (struct tally_fw_edge){
			.state = TALLY_EDGE_OPENING,
			.timer = TALLY_FW_NEVER,
			.delay = 7,
		};
	regs.peer_key = 0x55;
	regs.peer_nonce = 0x66;
}

/* What the hardware compares of an OPEN, with the state of its edge and group. */
static uint32_t open_state(uint32_t edge, uint32_t epoch, uint32_t flags, unsigned int what)
{
	const struct tally_fw_edge *ed = regs_edge(edge);
	const struct tally_fw_group *g = regs_group();
	bool learned = (what & KNOWN) && ed->peer_key == regs.peer_key;

	return (what & ECHOED ? TALLY_FW_OPEN_ECHOED : 0) |
	       (what & KNOWN ? TALLY_FW_OPEN_KNOWN : 0) |
	       (what & DISAGREES ? 0 : TALLY_FW_OPEN_AGREES) |
	       (flags & CONFIRM ? TALLY_FW_OPEN_CONFIRM : 0) | (epoch ? TALLY_FW_OPEN_EPOCH : 0) |
	       (epoch && epoch == g->epoch ? TALLY_FW_OPEN_SAME_EPOCH : 0) |
	       (ed->state == TALLY_EDGE_OPEN ? TALLY_FW_OPEN_EDGE : 0) |
	       (ed->unconfirmed ? TALLY_FW_OPEN_UNCONFIRMED : 0) |
	       (ed->awaits_epoch == 1 ? TALLY_FW_OPEN_AWAITS : 0) |
	       (fw_group_alive(G) ? TALLY_FW_OPEN_ALIVE : 0) |
	       (fw_group_knows_epoch(G) ? TALLY_FW_OPEN_KNOWS_EPOCH : 0) |
	       (learned ? TALLY_FW_OPEN_LEARNED : 0);
}

static void arrives(uint32_t edge, uint32_t epoch, uint32_t flags, unsigned int what)
{
	const struct event ev = { .type = TALLY_FW_EV_OPEN, .group = G, .edge = edge };

	regs_forget();
	regs.event = (struct tally_fw_event){
		.open = open_state(edge, epoch, flags, what),
		.epoch = epoch,
		.group_key = 0x77,
	};
	handshake_packet(&ev);
}

static void expect_open(unsigned int n, uint32_t edge, uint32_t epoch, uint32_t flags, bool challenge)
{
	const struct regs_command *c = regs_command(TALLY_FW_CMD_SEND_OPEN, n);

	assert_int_equal(c->group, G);
	assert_int_equal(c->edge, edge);
	assert_int_equal(c->epoch, epoch);
	assert_int_equal(c->flags, flags);
	assert_int_equal(c->challenge, challenge);
}

/* Expect that a packet is answered by one OPEN, and by none. */
static void expect_answer(uint32_t edge, uint32_t epoch, uint32_t flags, bool challenge)
{
	assert_int_equal(regs_count(TALLY_FW_CMD_SEND_OPEN), 1);
	assert_int_equal(regs_count(TALLY_FW_CMD_SEND), 0);
	expect_open(0, edge, epoch, flags, challenge);
}

static void expect_no_answer(void)
{
	assert_int_equal(regs_count(TALLY_FW_CMD_SEND_OPEN), 0);
	assert_int_equal(regs_count(TALLY_FW_CMD_SEND), 0);
}

static void expect_repetition(uint32_t edge, uint64_t delay)
{
	assert_int_equal(regs_edge(edge)->timer, NOW + delay * NS);
	assert_int_equal(regs_edge(edge)->delay, delay);
}

/* ---- Beginning and repetition ---- */

static void all_edges_begin(void **state)
{
	static const uint32_t edges[] = { 0, 1, PARENT };
	unsigned int i;

	(void)state;
	opening_group(EPOCH);
	regs_group()->to_open = 0;
	for (i = 0; i < 3; i++) {
		regs_edge(edges[i])->state = TALLY_EDGE_OPEN;
		regs_edge(edges[i])->kill = KILL_ACKED;
		regs_edge(edges[i])->awaits_epoch = 1;
	}
	handshake_begin(G);
	assert_int_equal(regs_group()->to_open, 3);
	for (i = 0; i < 3; i++) {
		const struct regs_command *renew = regs_command(TALLY_FW_CMD_RENEW_EDGE, i);

		assert_int_equal(renew->group, G);
		assert_int_equal(renew->edge, edges[i]);
		assert_true(renew < regs_command(TALLY_FW_CMD_SEND_OPEN, i));
		expect_open(i, edges[i], EPOCH, 0, false);
		expect_repetition(edges[i], OPEN_FIRST);
		assert_int_equal(regs_edge(edges[i])->kill, KILL_NONE);
		assert_int_equal(regs_edge(edges[i])->awaits_epoch, 0);
	}
	assert_int_equal(regs.commands, 6);
}

/* A parent with an index is one of the edges, not a further one. */
static void parent_with_an_index_begins_once(void **state)
{
	(void)state;
	opening_group(EPOCH);
	regs_group()->parent = 0;
	handshake_begin(G);
	assert_int_equal(regs_group()->to_open, 2);
	assert_int_equal(regs_count(TALLY_FW_CMD_RENEW_EDGE), 2);
}

static void open_is_repeated(void **state)
{
	(void)state;
	opening_group(EPOCH);
	regs_edge(1)->delay = 3000000;
	handshake_timer(G, 1);
	expect_answer(1, EPOCH, 0, false);
	expect_repetition(1, 6000000);
	regs_edge(1)->delay = 12000000;
	handshake_timer(G, 1);
	expect_repetition(1, OPEN_MAX);
	handshake_timer(G, 1);
	expect_repetition(1, OPEN_MAX);
	regs_forget();
	regs_edge(1)->state = TALLY_EDGE_OPEN;
	handshake_timer(G, 1);
	expect_no_answer();
	regs_edge(1)->unconfirmed = 1;
	handshake_timer(G, 1);
	expect_answer(1, EPOCH, 0, false);
}

/* A chunk that nothing else limits has waited for too long. */
static void group_ends_without_an_edge(void **state)
{
	(void)state;
	opening_group(EPOCH);
	regs.control.now = TALLY_HANDSHAKE_MS * MS;
	regs_group()->timeout = TALLY_FW_NEVER;
	regs_group()->oldest_busy = 1;
	regs_group()->oldest_waits = 2;
	regs_edge(1)->delay = OPEN_MAX / 2;
	handshake_timer(G, 1);
	assert_int_equal(regs_group()->status, TALLY_COLL_OK);
	regs_group()->timeout = 1;
	handshake_timer(G, 1);
	assert_int_equal(regs_group()->status, TALLY_COLL_OK);
	regs_group()->timeout = TALLY_FW_NEVER;
	handshake_timer(G, 1);
	assert_int_equal(regs_count(TALLY_FW_CMD_FREEZE), 1);
	assert_int_equal(regs_group()->status, TALLY_COLL_NO_HANDSHAKE);
	assert_int_equal(regs_group()->contributors, 2);
	assert_int_equal(regs_count(TALLY_FW_CMD_SEND_OPEN), 2); /* of the first times */
}

/* A neighbour that awaits the epoch, but is not heard any more, does not answer. */
static void silence_of_an_end_that_awaits(void **state)
{
	unsigned int i;

	(void)state;
	opening_group(0);
	regs_edge(1)->delay = OPEN_MAX;
	regs_edge(1)->awaits_epoch = 1;
	handshake_timer(G, 1); /* messages have a time limit */
	assert_int_equal(regs_edge(1)->awaits_epoch, 1);
	regs_group()->timeout = TALLY_FW_NEVER;
	regs_edge(1)->awaits_epoch = 0;
	handshake_timer(G, 1);
	assert_int_equal(regs_edge(1)->awaits_epoch, 0);
	for (i = 1; i < AWAITS_MAX + 3; i++) {
		arrives(1, 0, 0, ECHOED);
		assert_int_equal(regs_edge(1)->awaits_epoch, 1);
		handshake_timer(G, 1);
		assert_int_equal(regs_edge(1)->awaits_epoch, 2);
	}
	for (i = 3; i < AWAITS_MAX + 3; i++) {
		handshake_timer(G, 1);
		assert_int_equal(regs_edge(1)->awaits_epoch, i < AWAITS_MAX ? i : AWAITS_MAX);
	}
}

/* ---- The three steps between two ends ---- */

/* The neighbour does not have this side's nonce yet. */
static void first_open_is_answered(void **state)
{
	(void)state;
	opening_group(EPOCH);
	arrives(1, EPOCH, 0, 0);
	assert_int_equal(regs_edge(1)->peer_key, 0x55);
	assert_int_equal(regs_edge(1)->peer_nonce, 0x66);
	assert_int_equal(regs_edge(1)->state, TALLY_EDGE_OPENING);
	expect_answer(1, EPOCH, 0, false);
	arrives(1, EPOCH, CONFIRM, 0); /* late, of an earlier life */
	expect_no_answer();
	assert_int_equal(regs_edge(1)->state, TALLY_EDGE_OPENING);
}

static void echo_opens(void **state)
{
	(void)state;
	opening_group(EPOCH);
	arrives(1, EPOCH, 0, ECHOED);
	assert_int_equal(regs_edge(1)->state, TALLY_EDGE_OPEN);
	assert_int_equal(regs_edge(1)->unconfirmed, 1);
	assert_int_equal(regs_edge(1)->awaits_epoch, 0);
	assert_int_equal(regs_edge(1)->peer_key, 0x55);
	assert_int_equal(regs_count(TALLY_FW_CMD_OPEN_EDGE), 1);
	assert_int_equal(regs_command(TALLY_FW_CMD_OPEN_EDGE, 0)->group, G);
	expect_answer(1, EPOCH, CONFIRM, false);
	expect_repetition(1, OPEN_FIRST);
	assert_int_equal(regs_group()->to_open, 3);
	regs_edge(1)->timer = 1;
	arrives(1, EPOCH, 0, ECHOED | KNOWN); /* the neighbour repeats it */
	assert_int_equal(regs_edge(1)->timer, 1); /* the own repetition comes at its time */
	expect_answer(1, EPOCH, CONFIRM, false);
	assert_int_equal(regs_count(TALLY_FW_CMD_OPEN_EDGE), 0);
	assert_int_equal(regs_count(TALLY_FW_CMD_LEARN_PEER), 0);
}

static void confirmation_settles(void **state)
{
	(void)state;
	opening_group(EPOCH);
	arrives(1, EPOCH, 0, ECHOED);
	arrives(1, EPOCH, CONFIRM, KNOWN); /* it echoes nothing */
	arrives(1, EPOCH, CONFIRM, ECHOED); /* ... or is of another life */
	assert_int_equal(regs_group()->to_open, 3);
	arrives(1, EPOCH, CONFIRM, ECHOED | KNOWN);
	expect_no_answer();
	assert_int_equal(regs_edge(1)->unconfirmed, 0);
	assert_int_equal(regs_edge(1)->timer, TALLY_FW_NEVER);
	assert_int_equal(regs_group()->to_open, 2);
	assert_int_equal(regs_group()->state, TALLY_GROUP_OPENING);
	arrives(1, EPOCH, CONFIRM, ECHOED | KNOWN); /* again */
	assert_int_equal(regs_group()->to_open, 2);
}

/* A challenge tells the neighbour's nonce without its key, which comes with a later OPEN. */
static void key_of_a_known_neighbour(void **state)
{
	(void)state;
	opening_group(EPOCH);
	regs.peer_key = 0;
	arrives(1, 0, 0, 0);
	assert_int_equal(regs_edge(1)->peer_nonce, 0x66);
	assert_int_equal(regs_edge(1)->peer_key, 0);
	regs.peer_key = 0x55;
	arrives(1, 0, 0, KNOWN);
	assert_int_equal(regs_edge(1)->peer_key, 0x55);
	arrives(1, 0, 0, KNOWN); /* that has been learned */
	assert_int_equal(regs_count(TALLY_FW_CMD_LEARN_PEER), 0);
}

/* A confirmation may open this end, too. The other end waits for the answer. */
static void confirmation_opens(void **state)
{
	(void)state;
	opening_group(EPOCH);
	regs_group()->to_open = 1;
	arrives(1, EPOCH, CONFIRM, ECHOED);
	assert_int_equal(regs_edge(1)->state, TALLY_EDGE_OPEN);
	assert_int_equal(regs_edge(1)->unconfirmed, 0);
	assert_int_equal(regs_edge(1)->timer, TALLY_FW_NEVER);
	assert_int_equal(regs_group()->to_open, 0);
	assert_int_equal(regs_group()->state, TALLY_GROUP_OPEN);
	expect_answer(1, EPOCH, CONFIRM, false);
}

/* ---- The epoch ---- */

/* Without the epoch nothing opens, and what this node sends tells none. */
static void epoch_is_awaited(void **state)
{
	(void)state;
	opening_group(0);
	arrives(1, EPOCH, 0, ECHOED); /* it does not come from a child */
	assert_int_equal(regs_group()->epoch, 0);
	assert_int_equal(regs_edge(1)->awaits_epoch, 1);
	assert_int_equal(regs_edge(1)->state, TALLY_EDGE_OPENING);
	expect_no_answer();
	arrives(PARENT, 0, 0, ECHOED); /* the parent does not know it either */
	assert_int_equal(regs_edge(PARENT)->awaits_epoch, 1);
	expect_no_answer();
	arrives(PARENT, EPOCH, 0, 0); /* not by an OPEN that proves nothing */
	assert_int_equal(regs_group()->epoch, 0);
	expect_answer(PARENT, 0, 0, false);
}

static void epoch_is_learned_and_passed_on(void **state)
{
	(void)state;
	opening_group(0);
	regs_edge(PARENT)->awaits_epoch = 1;
	regs_edge(0)->state = TALLY_EDGE_OPEN; /* it needs nothing */
	arrives(PARENT, EPOCH, 0, ECHOED);
	assert_int_equal(regs_group()->epoch, EPOCH);
	assert_int_equal(regs_group()->group_key, 0x77);
	assert_int_equal(regs_edge(PARENT)->state, TALLY_EDGE_OPEN);
	assert_int_equal(regs_edge(PARENT)->awaits_epoch, 0);
	assert_int_equal(regs_count(TALLY_FW_CMD_SEND_OPEN), 3);
	expect_open(0, 1, EPOCH, 0, false);
	expect_open(1, PARENT, EPOCH, 0, false);
	expect_open(2, PARENT, EPOCH, CONFIRM, false);
	expect_repetition(1, OPEN_FIRST);
	assert_int_equal(regs_edge(0)->timer, TALLY_FW_NEVER);
}

/* A node that knows the epoch learns nothing from its parent, and has nothing to pass on. */
static void known_epoch_is_not_learned(void **state)
{
	(void)state;
	opening_group(EPOCH);
	regs_group()->group_key = 0x33;
	arrives(PARENT, EPOCH, 0, ECHOED);
	assert_int_equal(regs_edge(PARENT)->state, TALLY_EDGE_OPEN);
	assert_int_equal(regs_group()->group_key, 0x33);
	expect_answer(PARENT, EPOCH, CONFIRM, false);
}

/* The neighbour has proved to be alive, but does not know the epoch. */
static void epoch_is_told(void **state)
{
	(void)state;
	opening_group(EPOCH);
	arrives(1, 0, 0, ECHOED);
	assert_int_equal(regs_edge(1)->awaits_epoch, 1);
	assert_int_equal(regs_edge(1)->state, TALLY_EDGE_OPENING);
	expect_answer(1, EPOCH, 0, false);
	arrives(1, EPOCH + 1, 0, ECHOED); /* another one */
	assert_int_equal(regs_edge(1)->state, TALLY_EDGE_OPENING);
	assert_int_equal(regs_edge(1)->awaits_epoch, 0);
	expect_no_answer();
}

/* After a reset the command has given the epoch, but the key of multicast still comes from above. */
static void key_is_learned(void **state)
{
	(void)state;
	opening_group(EPOCH);
	regs_group()->flags = TALLY_GROUP_F_MULTICAST;
	arrives(1, EPOCH, 0, 0);
	expect_answer(1, 0, 0, false);
	arrives(1, EPOCH, 0, ECHOED); /* a child that knows the epoch from the command, too */
	assert_int_equal(regs_edge(1)->state, TALLY_EDGE_OPENING);
	assert_int_equal(regs_edge(1)->awaits_epoch, 1);
	arrives(PARENT, EPOCH + 1, 0, ECHOED);
	assert_int_equal(regs_group()->epoch, EPOCH);
	assert_int_equal(regs_group()->group_key, 0);
	arrives(PARENT, EPOCH, 0, ECHOED);
	assert_int_equal(regs_group()->group_key, 0x77);
	assert_int_equal(regs_edge(PARENT)->state, TALLY_EDGE_OPEN);
	expect_open(0, 0, EPOCH, 0, false);
}

/* ---- Neighbours that disagree ---- */

static void other_configuration(void **state)
{
	const struct tally_fw_group *g = regs_group();

	(void)state;
	opening_group(EPOCH);
	arrives(1, EPOCH, 0, ECHOED | DISAGREES);
	expect_open(0, 1, EPOCH, 0, false); /* the neighbour is to see it, too */
	assert_int_equal(regs_count(TALLY_FW_CMD_SEND_OPEN), 1);
	assert_int_equal(regs_count(TALLY_FW_CMD_FREEZE), 1);
	assert_int_equal(g->status, TALLY_COLL_CONFIG_MISMATCH);
	assert_int_equal(g->contributors, 2);
	assert_int_equal(g->detector, g->node);
	assert_int_equal(regs_edge(1)->state, TALLY_EDGE_OPENING);
	opening_group(EPOCH);
	arrives(PARENT, EPOCH, 0, ECHOED | DISAGREES);
	assert_int_equal(g->contributors, 0); /* it has no bit */
	opening_group(EPOCH);
	arrives(1, 0, 0, ECHOED | DISAGREES); /* the epoch matters no more */
	assert_int_equal(regs_count(TALLY_FW_CMD_SEND_OPEN), 1);
	opening_group(EPOCH);
	arrives(1, EPOCH, 0, DISAGREES); /* that proves nothing */
	assert_int_equal(g->status, 0);
}

/* ---- A further life of the neighbour ---- */

static void open_group(void)
{
	opening_group(EPOCH);
	regs_group()->state = TALLY_GROUP_OPEN;
	regs_edge(1)->state = TALLY_EDGE_OPEN;
	regs_edge(1)->peer_key = 0x101;
	regs_edge(1)->peer_nonce = 0x201;
}

static void new_life_is_challenged(void **state)
{
	(void)state;
	open_group();
	arrives(1, EPOCH, 0, 0);
	expect_answer(1, 0, 0, true);
	assert_int_equal(regs_edge(1)->peer_key, 0x101);
	assert_int_equal(regs_edge(1)->peer_nonce, 0x201);
	assert_int_equal(regs_group()->status, 0);
	arrives(1, EPOCH, CONFIRM, ECHOED); /* late, of an earlier life */
	expect_no_answer();
	assert_int_equal(regs_group()->status, 0);
	arrives(1, 0, 0, ECHOED);
	assert_int_equal(regs_group()->status, TALLY_COLL_EPOCH_CHANGED);
	assert_int_equal(regs_group()->contributors, 2);
	assert_int_equal(regs_count(TALLY_FW_CMD_SEND_OPEN), 0);
}

static void repeated_open_is_confirmed(void **state)
{
	(void)state;
	open_group();
	arrives(1, EPOCH, 0, KNOWN);
	expect_answer(1, EPOCH, CONFIRM, false);
	arrives(1, 0, 0, KNOWN | ECHOED);
	expect_answer(1, EPOCH, CONFIRM, false);
	assert_int_equal(regs_group()->status, 0);
	assert_int_equal(regs_edge(1)->peer_key, 0x101);
}

/* ---- After the end ---- */

static void ended_group(uint32_t edge_state, uint64_t peer_nonce)
{
	opening_group(EPOCH);
	regs_group()->state = TALLY_GROUP_DEAD;
	regs_group()->status = TALLY_COLL_ABORTED;
	regs_edge(1)->state = edge_state;
	regs_edge(1)->peer_nonce = peer_nonce;
	regs_edge(1)->peer_key = peer_nonce ? 0x101 : 0;
}

/* A neighbour of whom nothing was heard learns that the epoch has ended. */
static void late_neighbour_learns_the_end(void **state)
{
	(void)state;
	ended_group(TALLY_EDGE_OPENING, 0);
	arrives(1, EPOCH, 0, 0);
	assert_int_equal(regs_count(TALLY_FW_CMD_SEND_OPEN), 1);
	expect_open(0, 1, EPOCH, CONFIRM, false);
	assert_int_equal(regs_count(TALLY_FW_CMD_SEND), 1);
	assert_int_equal(regs_command(TALLY_FW_CMD_SEND, 0)->kind, TALLY_KIND_KILL);
	assert_int_equal(regs_command(TALLY_FW_CMD_SEND, 0)->key, 0x55);
	assert_int_equal(regs_edge(1)->kill, KILL_SENDING);
	assert_int_equal(regs_edge(1)->peer_nonce, 0x66);
	assert_int_equal(regs_count(TALLY_FW_CMD_OPEN_EDGE), 0);
}

static void late_neighbour_of_an_open_edge(void **state)
{
	(void)state;
	ended_group(TALLY_EDGE_OPEN, 0x201);
	arrives(1, EPOCH, 0, KNOWN);
	expect_answer(1, EPOCH, CONFIRM, false);
	arrives(1, EPOCH, CONFIRM, KNOWN | ECHOED);
	assert_int_equal(regs.commands, 0);
	arrives(1, EPOCH, 0, ECHOED); /* another life is not concerned */
	assert_int_equal(regs.commands, 0);
}

static void whom_an_end_concerns(void **state)
{
	(void)state;
	ended_group(TALLY_EDGE_OPENING, 0);
	regs_group()->epoch = 0;
	regs_group()->destroyed = 1;
	arrives(1, EPOCH, 0, 0); /* early for the next group */
	assert_int_equal(regs.commands, 0);
	regs_group()->destroyed = 0;
	arrives(1, EPOCH, 0, 0);
	expect_open(0, 1, 0, CONFIRM, false);
	ended_group(TALLY_EDGE_OPENING, 0);
	regs_group()->destroyed = 1;
	arrives(1, EPOCH, 0, 0);
	expect_open(0, 1, EPOCH, CONFIRM, false);
}

/* A node that never learned the epoch takes it from its parent, so that its KILL is accepted. */
static void epoch_is_learned_after_the_end(void **state)
{
	(void)state;
	ended_group(TALLY_EDGE_OPENING, 0);
	regs_group()->epoch = 0;
	arrives(PARENT, EPOCH, 0, 0);
	assert_int_equal(regs_group()->epoch, 0);
	arrives(PARENT, EPOCH, 0, ECHOED | KNOWN);
	assert_int_equal(regs_group()->epoch, EPOCH);
	expect_open(0, PARENT, EPOCH, CONFIRM, false);
	ended_group(TALLY_EDGE_OPENING, 0);
	regs_group()->flags = TALLY_GROUP_F_MULTICAST; /* told without the key */
	arrives(1, EPOCH, 0, 0);
	expect_open(0, 1, EPOCH, CONFIRM, false);
}

/* ---- Events ---- */

static void wait_for(enum tally_fw_event_type type, uint32_t edge)
{
	regs.taken = 0;
	regs.events = 1;
	regs.waiting[0] = (struct tally_fw_event){ .next = type | edge << 8 | G << 16 };
	if (type == TALLY_FW_EV_OPEN)
		regs.waiting[0].open = open_state(edge, 0, 0, 0);
	regs_forget();
	assert_true(firmware_step());
}

static void events_of_a_living_group(void **state)
{
	(void)state;
	opening_group(EPOCH);
	assert_false(firmware_step());
	wait_for(TALLY_FW_EV_BEGIN, TALLY_FW_NO_EDGE);
	assert_int_equal(regs_count(TALLY_FW_CMD_RENEW_EDGE), 3);
	wait_for(TALLY_FW_EV_TIMER, 1);
	expect_answer(1, EPOCH, 0, false);
	wait_for(TALLY_FW_EV_OPEN, 1);
	expect_answer(1, EPOCH, 0, false);
	wait_for(TALLY_FW_EV_DRAINED, TALLY_FW_NO_EDGE);
	assert_int_equal(regs_count(TALLY_FW_CMD_RELEASE), 1);
	wait_for(TALLY_FW_EV_KILL, 1);
	assert_int_equal(regs.counts[TALLY_CTR_drop_kill], 1);
	wait_for(TALLY_FW_EV_EXCEPTION, TALLY_FW_NO_EDGE);
	assert_int_equal(regs_count(TALLY_FW_CMD_FREEZE), 1);
	assert_false(firmware_step());
}

static void events_of_a_dead_group(void **state)
{
	(void)state;
	ended_group(TALLY_EDGE_OPEN, 0x201);
	regs_edge(1)->kill = KILL_SENDING;
	wait_for(TALLY_FW_EV_TIMER, 1);
	assert_int_equal(regs_command(TALLY_FW_CMD_SEND, 0)->kind, TALLY_KIND_KILL);
	wait_for(TALLY_FW_EV_KILL_ACK, 1); /* of detector 0 with weight 0, which is none */
	assert_int_equal(regs_edge(1)->kill, KILL_SENDING);
	regs_group()->status = TALLY_COLL_TIMEOUT;
	regs_group()->report_sid = NO_CHUNK;
	wait_for(TALLY_FW_EV_KILL_ACK, 1);
	assert_int_equal(regs_edge(1)->kill, KILL_ACKED);
	wait_for(TALLY_FW_EV_AFTER_END, 1);
	assert_int_equal(regs_command(TALLY_FW_CMD_SEND, 0)->edge, 1);
	wait_for(TALLY_FW_EV_TIMER, TALLY_FW_NO_EDGE);
	assert_int_equal(regs_count(TALLY_FW_CMD_RELEASE), 1);
	regs_group()->state = TALLY_GROUP_COLLECT;
	wait_for(TALLY_FW_EV_FENCED, TALLY_FW_NO_EDGE);
	assert_int_equal(regs_count(TALLY_FW_CMD_FAIL), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_edges_begin),
		cmocka_unit_test(parent_with_an_index_begins_once),
		cmocka_unit_test(open_is_repeated),
		cmocka_unit_test(group_ends_without_an_edge),
		cmocka_unit_test(silence_of_an_end_that_awaits),
		cmocka_unit_test(first_open_is_answered),
		cmocka_unit_test(echo_opens),
		cmocka_unit_test(confirmation_settles),
		cmocka_unit_test(key_of_a_known_neighbour),
		cmocka_unit_test(confirmation_opens),
		cmocka_unit_test(epoch_is_awaited),
		cmocka_unit_test(epoch_is_learned_and_passed_on),
		cmocka_unit_test(known_epoch_is_not_learned),
		cmocka_unit_test(epoch_is_told),
		cmocka_unit_test(key_is_learned),
		cmocka_unit_test(other_configuration),
		cmocka_unit_test(new_life_is_challenged),
		cmocka_unit_test(repeated_open_is_confirmed),
		cmocka_unit_test(late_neighbour_learns_the_end),
		cmocka_unit_test(late_neighbour_of_an_open_edge),
		cmocka_unit_test(whom_an_end_concerns),
		cmocka_unit_test(epoch_is_learned_after_the_end),
		cmocka_unit_test(events_of_a_living_group),
		cmocka_unit_test(events_of_a_dead_group),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
