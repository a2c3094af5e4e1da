// SPDX-License-Identifier: BSD-2-Clause
/*
 * Opening of edges. Each side repeats OPEN with its own nonce until it has seen that nonce echoed
 * and both sides know the same epoch. The epoch comes down the tree, or from one neighbour in a
 * group without a tree. A node that does not know the epoch sends 0 and takes the neighbour's. An
 * edge is open at this end once the neighbour has proved to be alive and to agree; the flag CONFIRM
 * in an answer tells the neighbour so. This side repeats OPEN until CONFIRM arrives, so that a
 * neighbour that knows an earlier life of this group notices the new one, and sends no data before,
 * because the neighbour's end may not be open yet.
 *
 * OPEN also tells the key that all other packets to its sender carry from then on.
 */
#include "firmware/handshake.h"
#include "firmware/blame.h"
#include "firmware/kill.h"

/* An OPEN that has arrived, and what decides about it (TALLY_FW_OPEN_). */
struct arrival {
	uint32_t group, edge, state;
	bool opened; /* it has opened the edge at this end */
};

static bool is(const struct arrival *a, uint32_t state)
{
	return (a->state & state) == state;
}

/* Send OPEN, and once more after `delay` nanoseconds. */
static void repeat(uint32_t group, uint32_t edge, uint32_t delay)
{
	fw_command(TALLY_FW_CMD_SEND_OPEN, group, edge);
	EDGE_SET(group, edge, delay, delay);
}

void handshake_begin(uint32_t group)
{
	const struct fw_edges all = fw_edges_of(group);
	uint32_t edge, num = 0;

	fw_for_each_edge(&all, edge)
		num++;
	GROUP_SET(group, to_open, num);
	fw_for_each_edge(&all, edge) {
		fw_command(TALLY_FW_CMD_RENEW_EDGE, group, edge);
		repeat(group, edge, OPEN_FIRST);
	}
}

/*
 * Nothing else ends the wait for an edge if messages have no time limit. Count the repetitions since
 * a neighbour was heard whose edge is not open because of the epoch: it may have left.
 */
static bool waits_in_vain(uint32_t group, uint32_t edge)
{
	uint32_t awaits;

	if (GROUP_GET(group, timeout) != TALLY_FW_NEVER)
		return false;
	awaits = EDGE_GET(group, edge, awaits_epoch);
	if (awaits && awaits < AWAITS_MAX)
		EDGE_SET(group, edge, awaits_epoch, awaits + 1);
	return blame_unopened(group, edge);
}

/* The waiting time doubles each time. */
void handshake_timer(uint32_t group, uint32_t edge)
{
	uint32_t delay = EDGE_GET(group, edge, delay);

	if (delay == OPEN_MAX && waits_in_vain(group, edge))
		kill_unopened(group);
	else if (EDGE_GET(group, edge, state) == TALLY_EDGE_OPENING ||
		 EDGE_GET(group, edge, unconfirmed))
		repeat(group, edge, delay * 2 < OPEN_MAX ? delay * 2 : OPEN_MAX);
}

/* After a reset the command has given the epoch, but the key still comes from upstream. */
static bool learn_epoch(struct arrival *a)
{
	uint32_t epoch, told;

	if (is(a, TALLY_FW_OPEN_KNOWS_EPOCH) || !is(a, TALLY_FW_OPEN_EPOCH) ||
	    a->edge != GROUP_GET(a->group, upstream))
		return false;
	epoch = GROUP_GET(a->group, epoch);
	told = EVENT_GET(epoch);
	if (epoch && epoch != told)
		return false;
	GROUP_SET(a->group, epoch, told);
	GROUP_SET(a->group, group_key, EVENT_GET(group_key));
	if (!fw_group_knows_epoch(a->group))
		return true;
	a->state |= TALLY_FW_OPEN_KNOWS_EPOCH;
	a->state |= TALLY_FW_OPEN_SAME_EPOCH;
	return true;
}

/* The other neighbours wait for the epoch, so tell them. */
static void pass_epoch_on(uint32_t group)
{
	const struct fw_edges all = fw_edges_of(group);
	uint32_t edge;

	fw_for_each_edge(&all, edge)
		if (EDGE_GET(group, edge, state) == TALLY_EDGE_OPENING)
			repeat(group, edge, OPEN_FIRST);
}

/* The neighbour has proved to be alive: agree on the epoch and open the edge. */
static void confirmed(struct arrival *a)
{
	bool awaits;

	if (learn_epoch(a))
		pass_epoch_on(a->group);
	awaits = !is(a, TALLY_FW_OPEN_KNOWS_EPOCH | TALLY_FW_OPEN_EPOCH);
	if (!awaits && is(a, TALLY_FW_OPEN_SAME_EPOCH)) {
		fw_command(TALLY_FW_CMD_OPEN_EDGE, a->group, a->edge);
		a->state |= TALLY_FW_OPEN_EDGE | TALLY_FW_OPEN_UNCONFIRMED;
		a->opened = true;
	} else if (awaits != is(a, TALLY_FW_OPEN_AWAITS)) {
		EDGE_SET(a->group, a->edge, awaits_epoch, awaits);
	}
}

static void learn_peer(struct arrival *a)
{
	if (!is(a, TALLY_FW_OPEN_LEARNED))
		fw_command(TALLY_FW_CMD_LEARN_PEER, a->group, a->edge);
	a->state |= TALLY_FW_OPEN_KNOWN;
}

/*
 * Whether an epoch that has ended may concern the sender of an OPEN. If the neighbour was heard of
 * before, only that life of it is concerned. If not, it may be late for this epoch, or early for the
 * next group. If the group is destroyed and never had an epoch, the neighbour is left to the next
 * group.
 */
static bool concerns(const struct arrival *a)
{
	if (EDGE_GET(a->group, a->edge, peer_nonce))
		return is(a, TALLY_FW_OPEN_KNOWN);
	return GROUP_GET(a->group, epoch) || !GROUP_GET(a->group, destroyed);
}

/*
 * The epoch has ended here, or the group is buried. A neighbour that has not seen the edge open
 * gets an answer, so that it sees the edge open and can compare the configuration. If the edge was
 * never open here, the neighbour would wait until its time limit, so it also gets a KILL.
 */
static void answer_late(struct arrival *a)
{
	if (is(a, TALLY_FW_OPEN_CONFIRM) || !concerns(a))
		return;
	learn_peer(a);
	if (is(a, TALLY_FW_OPEN_ECHOED))
		learn_epoch(a);
	fw_command(TALLY_FW_CMD_CONFIRM, a->group, a->edge);
	if (!is(a, TALLY_FW_OPEN_EDGE))
		kill_tell_late(a->group, a->edge);
}

/* A confirmation is answered only by the end that it opens: the other end waits for that. */
static void answer_confirm(const struct arrival *a)
{
	if (is(a, TALLY_FW_OPEN_ECHOED | TALLY_FW_OPEN_KNOWN | TALLY_FW_OPEN_EDGE |
			  TALLY_FW_OPEN_UNCONFIRMED))
		fw_command(TALLY_FW_CMD_SETTLE_EDGE, a->group, a->edge);
	if (a->opened)
		fw_command(TALLY_FW_CMD_CONFIRM, a->group, a->edge);
}

static void answer(const struct arrival *a)
{
	if (is(a, TALLY_FW_OPEN_CONFIRM)) {
		answer_confirm(a);
		return;
	}
	if (is(a, TALLY_FW_OPEN_EDGE | TALLY_FW_OPEN_KNOWN)) {
		fw_command(TALLY_FW_CMD_CONFIRM, a->group, a->edge);
		if (a->opened)
			EDGE_SET(a->group, a->edge, delay, OPEN_FIRST);
	} else if (!is(a, TALLY_FW_OPEN_ECHOED)) {
		/* the neighbour does not have this side's nonce yet */
		fw_command(is(a, TALLY_FW_OPEN_KNOWN) ? TALLY_FW_CMD_SEND_OPEN :
							TALLY_FW_CMD_CHALLENGE,
			   a->group, a->edge);
	} else if (!is(a, TALLY_FW_OPEN_EPOCH) && is(a, TALLY_FW_OPEN_KNOWS_EPOCH)) {
		fw_command(TALLY_FW_CMD_SEND_OPEN, a->group, a->edge); /* ... or not the epoch */
	}
}

/* The neighbour must see the mismatch too. */
static void mismatch(const struct arrival *a)
{
	fw_command(TALLY_FW_CMD_SEND_OPEN, a->group, a->edge);
	kill_cause(a->group, TALLY_COLL_CONFIG_MISMATCH, fw_edge_bit(a->edge));
}

/* An OPEN with CONFIRM may be the late answer of an earlier life, which had ended. */
static bool is_next_life(const struct arrival *a)
{
	return is(a, TALLY_FW_OPEN_EDGE | TALLY_FW_OPEN_ECHOED) && !is(a, TALLY_FW_OPEN_KNOWN) &&
	       !is(a, TALLY_FW_OPEN_CONFIRM);
}

/* One register has all that decides, so the usual cases read nothing else. */
void handshake_packet(const struct event *ev)
{
	struct arrival a = { .group = ev->group, .edge = ev->edge, .state = EVENT_GET(open) };

	if (!is(&a, TALLY_FW_OPEN_ALIVE)) {
		answer_late(&a);
		return;
	}
	if (is_next_life(&a)) {
		kill_cause(a.group, TALLY_COLL_EPOCH_CHANGED, fw_edge_bit(a.edge));
		return;
	}
	if (!is(&a, TALLY_FW_OPEN_EDGE)) {
		learn_peer(&a);
		if (is(&a, TALLY_FW_OPEN_ECHOED) && !is(&a, TALLY_FW_OPEN_AGREES)) {
			mismatch(&a);
			return;
		}
		if (is(&a, TALLY_FW_OPEN_ECHOED))
			confirmed(&a);
	}
	answer(&a);
}
