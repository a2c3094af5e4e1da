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
#include "firmware/kill.h"

/* What decides about an OPEN that has arrived: the packet, and the state of its edge. */
struct arrival {
	uint32_t group, edge, flags, epoch;
	bool echoed;	/* the packet proves to know this side's nonce */
	bool known;	/* its nonce is the neighbour's as this side knows it */
	bool open_here; /* the edge is open at this end */
	bool opened;	/* ... by this packet */
};

/*
 * Send OPEN. A challenge opens nothing: a neighbour that was created anew must not enter the old
 * epoch. A group that has ended tells its epoch without the key of results by multicast, so that its
 * KILL is accepted.
 */
static void send_open(uint32_t group, uint32_t edge, uint32_t flags, bool challenge)
{
	bool silent = challenge || (fw_group_alive(group) && !fw_group_knows_epoch(group));

	COMMAND_SET(flags, flags);
	COMMAND_SET(epoch, silent ? 0 : GROUP_GET(group, epoch));
	COMMAND_SET(challenge, challenge);
	fw_command(TALLY_FW_CMD_SEND_OPEN, group, edge);
}

/* Send OPEN, and once more after the present waiting time, which doubles. */
static void repeat(uint32_t group, uint32_t edge, uint64_t wait)
{
	send_open(group, edge, 0, false);
	EDGE_SET(group, edge, timer, CONTROL_GET(now) + wait);
	EDGE_SET(group, edge, wait, wait * 2 < OPEN_MAX ? wait * 2 : OPEN_MAX);
}

static void begin(uint32_t group, uint32_t edge)
{
	EDGE_SET(group, edge, kill, 0);
	EDGE_SET(group, edge, awaits_epoch, false);
	fw_command(TALLY_FW_CMD_RENEW_EDGE, group, edge);
	repeat(group, edge, OPEN_FIRST);
}

void handshake_begin(uint32_t group)
{
	const struct fw_edges all = fw_edges_of(group);
	uint32_t edge, num = 0;

	fw_for_each_edge(&all, edge)
		num++;
	GROUP_SET(group, to_open, num);
	fw_for_each_edge(&all, edge)
		begin(group, edge);
}

void handshake_timer(uint32_t group, uint32_t edge)
{
	if (EDGE_GET(group, edge, state) == TALLY_EDGE_OPENING ||
	    EDGE_GET(group, edge, unconfirmed))
		repeat(group, edge, EDGE_GET(group, edge, wait));
}

/* Data may flow on the edge. The group is open once they may on all its edges. */
static void settle(uint32_t group, uint32_t edge)
{
	uint32_t to_open = GROUP_GET(group, to_open) - 1;

	EDGE_SET(group, edge, unconfirmed, false);
	EDGE_SET(group, edge, timer, TALLY_FW_NEVER);
	GROUP_SET(group, to_open, to_open);
	if (!to_open)
		GROUP_SET(group, state, TALLY_GROUP_OPEN);
}

/* After a reset the command has given the epoch, but the key still comes from upstream. */
static bool learn_epoch(const struct arrival *a)
{
	uint32_t epoch = GROUP_GET(a->group, epoch);

	if (fw_group_knows_epoch(a->group) || a->edge != GROUP_GET(a->group, upstream) ||
	    !a->epoch || (epoch && epoch != a->epoch))
		return false;
	GROUP_SET(a->group, epoch, a->epoch);
	GROUP_SET(a->group, group_key, EVENT_GET(group_key));
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

	if (!EVENT_GET(agrees)) {
		/* The neighbour must see the mismatch too. */
		send_open(a->group, a->edge, 0, false);
		kill_cause(a->group, TALLY_COLL_CONFIG_MISMATCH, fw_edge_bit(a->edge));
		return;
	}
	if (learn_epoch(a))
		pass_epoch_on(a->group);
	awaits = !fw_group_knows_epoch(a->group) || !a->epoch;
	EDGE_SET(a->group, a->edge, awaits_epoch, awaits);
	if (awaits || GROUP_GET(a->group, epoch) != a->epoch)
		return;
	EDGE_SET(a->group, a->edge, unconfirmed, true);
	fw_command(TALLY_FW_CMD_OPEN_EDGE, a->group, a->edge);
	a->open_here = a->opened = true;
	EDGE_SET(a->group, a->edge, wait, 2 * OPEN_FIRST);
	EDGE_SET(a->group, a->edge, timer, CONTROL_GET(now) + OPEN_FIRST);
}

static void learn_peer(struct arrival *a)
{
	fw_command(TALLY_FW_CMD_LEARN_PEER, a->group, a->edge);
	a->known = true;
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
		return a->known;
	return GROUP_GET(a->group, epoch) || !GROUP_GET(a->group, destroyed);
}

/*
 * The epoch has ended here, or the group is buried. A neighbour that has not seen the edge open
 * gets an answer, so that it sees the edge open and can compare the configuration. If the edge was
 * never open here, the neighbour would wait until its time limit, so it also gets a KILL.
 */
static void answer_late(struct arrival *a)
{
	if ((a->flags & TALLY_TCH_F_CONFIRM) || !concerns(a))
		return;
	learn_peer(a);
	if (a->echoed)
		learn_epoch(a);
	send_open(a->group, a->edge, TALLY_TCH_F_CONFIRM, false);
	if (!a->open_here)
		kill_tell_late(a->group, a->edge);
}

/* A confirmation is answered only by the end that it opens: the other end waits for that. */
static void answer(const struct arrival *a)
{
	if (a->flags & TALLY_TCH_F_CONFIRM) {
		if (a->echoed && a->known && a->open_here &&
		    EDGE_GET(a->group, a->edge, unconfirmed))
			settle(a->group, a->edge);
		if (a->opened)
			send_open(a->group, a->edge, TALLY_TCH_F_CONFIRM, false);
	} else if (a->open_here && a->known) {
		send_open(a->group, a->edge, TALLY_TCH_F_CONFIRM, false);
	} else if (!a->echoed) { /* the neighbour does not have this side's nonce yet */
		send_open(a->group, a->edge, 0, !a->known);
	} else if (!a->epoch && fw_group_knows_epoch(a->group)) { /* ... or not the epoch */
		send_open(a->group, a->edge, 0, false);
	}
}

void handshake_packet(const struct event *ev)
{
	struct arrival a = {
		.group = ev->group,
		.edge = ev->edge,
		.flags = EVENT_GET(flags),
		.epoch = EVENT_GET(epoch),
		.echoed = EVENT_GET(echoed),
		.known = EVENT_GET(known),
		.open_here = EDGE_GET(ev->group, ev->edge, state) == TALLY_EDGE_OPEN,
	};

	if (!fw_group_alive(a.group)) {
		answer_late(&a);
		return;
	}
	/* An OPEN with CONFIRM may be the late answer of an earlier life, which had ended. */
	if (a.open_here && !a.known && a.echoed && !(a.flags & TALLY_TCH_F_CONFIRM)) {
		kill_cause(a.group, TALLY_COLL_EPOCH_CHANGED, fw_edge_bit(a.edge));
		return;
	}
	if (!a.open_here) {
		learn_peer(&a);
		if (a.echoed)
			confirmed(&a);
	}
	if (fw_group_alive(a.group))
		answer(&a);
}
