// SPDX-License-Identifier: BSD-2-Clause
/*
 * Opening of edges. Each side repeats OPEN with its own nonce until it has seen that nonce echoed
 * and both sides know the same epoch. The epoch comes down the tree, or from one neighbour in a
 * group without a tree. A node that does not know the epoch sends 0 and takes the neighbour's. An
 * edge is open at this end once the neighbour has proved to be alive and to agree; the flag CONFIRM
 * in an answer tells the neighbour so. This side repeats OPEN until CONFIRM arrives, so that a
 * neighbour that knows an earlier life of this group notices the new one.
 *
 * OPEN also tells the key that all other packets to its sender carry from then on.
 */
#include "firmware/handshake.h"
#include "firmware/bytes.h"
#include "firmware/kill.h"

/* Payload of OPEN, as a structure and as the words of registers. */
union open {
	struct tally_tch_open o;
	uint32_t words[sizeof(struct tally_tch_open) / 4];
};

_Static_assert(sizeof(union open) <= 4 * TALLY_FW_DATA_WORDS, "the registers hold an OPEN");

/* What decides about an OPEN: the packet and the state of the edge on which it came. */
struct arrival {
	uint32_t group, edge, flags, epoch, limit;
	struct tally_tch_open open;
	uint64_t nonce, peer_nonce; /* of the packet's sender; as this side knew it */
	bool echoed;		    /* the packet proves to know this side's nonce */
	bool open_here;
};

static void begin(uint32_t group, uint32_t edge)
{
	uint64_t nonce;

	EDGE_SET(group, edge, state, TALLY_EDGE_OPENING);
	do
		nonce = CONTROL_GET(random);
	while (!nonce);
	EDGE_SET(group, edge, nonce, nonce);
	EDGE_SET(group, edge, key, CONTROL_GET(key));
	EDGE_SET(group, edge, peer_nonce, 0);
	EDGE_SET(group, edge, peer_key, 0);
	EDGE_SET(group, edge, kill, 0);
	EDGE_SET(group, edge, unconfirmed, false);
	EDGE_SET(group, edge, awaits_epoch, false);
	EDGE_SET(group, edge, wait, OPEN_FIRST);
	fw_command(TALLY_FW_CMD_RENEW_EDGE, group, edge);
	EDGE_SET(group, edge, timer, CONTROL_GET(now));
}

void handshake_begin(uint32_t group)
{
	const struct fw_edges all = fw_edges_of(group);
	uint32_t edge;

	fw_for_each_edge(&all, edge)
		begin(group, edge);
}

static void fill(struct tally_tch_open *o, uint32_t group, uint32_t edge, uint64_t echo)
{
	*o = (struct tally_tch_open){
		.nonce = be64(EDGE_GET(group, edge, nonce)),
		.echo = be64(echo),
		.first_seq = be32(EDGE_GET(group, edge, tx_first)),
		.num_segs = be16(GROUP_GET(group, num_segs)),
		.node = be16(GROUP_GET(group, node)),
		.mtu = be32(GROUP_GET(group, mtu)),
		.modes = GROUP_GET(group, modes),
		.rounds = GROUP_GET(group, rounds),
		.num_nodes = be16(GROUP_GET(group, num_nodes)),
		.total_ranks = be32(GROUP_GET(group, total_ranks)),
		.flags = be32(GROUP_GET(group, flags) & ~TALLY_GROUP_F_ROOT),
		.plan = be32(GROUP_GET(group, plan)),
		.chunk = be32(GROUP_GET(group, chunk)),
	};
}

/*
 * Send OPEN. A challenge opens nothing: a neighbour that was created anew must not enter the old
 * epoch. OPEN is trusted by its nonce alone and carries no key. A group that has ended tells its
 * epoch without the key of results by multicast, so that its KILL is accepted.
 */
static void send_open(uint32_t group, uint32_t edge, uint64_t echo, uint32_t flags)
{
	bool challenge = EDGE_GET(group, edge, state) == TALLY_EDGE_OPEN &&
			 echo != EDGE_GET(group, edge, peer_nonce);
	bool silent = challenge || (fw_group_alive(group) && !fw_group_knows_epoch(group));
	union open u;
	const struct fw_packet p = {
		.kind = TALLY_KIND_OPEN,
		.flags = flags,
		.epoch = silent ? 0 : GROUP_GET(group, epoch),
		.length = sizeof(u),
		.data = u.words,
	};

	fill(&u.o, group, edge, echo);
	if (!challenge)
		u.o.key = be32(EDGE_GET(group, edge, key));
	if (p.epoch)
		u.o.group_key = be32(GROUP_GET(group, group_key));
	fw_send(group, edge, &p);
}

void handshake_timer(uint32_t group, uint32_t edge)
{
	uint64_t wait = EDGE_GET(group, edge, wait);

	if (EDGE_GET(group, edge, state) != TALLY_EDGE_OPENING &&
	    !EDGE_GET(group, edge, unconfirmed))
		return;
	send_open(group, edge, EDGE_GET(group, edge, peer_nonce), 0);
	EDGE_SET(group, edge, timer, CONTROL_GET(now) + wait);
	EDGE_SET(group, edge, wait, wait * 2 < OPEN_MAX ? wait * 2 : OPEN_MAX);
}

void handshake_hurry(uint32_t group, uint32_t edge)
{
	uint64_t soon = CONTROL_GET(now) + OPEN_FIRST;

	EDGE_SET(group, edge, wait, OPEN_FIRST);
	if (EDGE_GET(group, edge, timer) > soon)
		EDGE_SET(group, edge, timer, soon);
}

static bool same_config(const struct arrival *a)
{
	const struct tally_tch_open *o = &a->open;
	uint32_t g = a->group, node = be16(o->node), flags = GROUP_GET(g, flags);
	uint32_t first = EDGE_GET(g, a->edge, subtree_first);
	uint32_t num = EDGE_GET(g, a->edge, subtree_count);

	/* the limits of a subtree count together, from the beginning on */
	if ((flags & TALLY_GROUP_F_MULTICAST) && be16(o->num_segs) != GROUP_GET(g, num_segs))
		return false;
	if (be32(o->chunk) != GROUP_GET(g, chunk) || o->rounds != GROUP_GET(g, rounds) ||
	    be32(o->mtu) != GROUP_GET(g, mtu) || o->modes != GROUP_GET(g, modes) ||
	    be32(o->plan) != GROUP_GET(g, plan) ||
	    be16(o->num_nodes) != GROUP_GET(g, num_nodes) ||
	    be32(o->total_ranks) != GROUP_GET(g, total_ranks) ||
	    be32(o->flags) != (flags & ~TALLY_GROUP_F_ROOT))
		return false;
	if (node == GROUP_GET(g, node))
		return false;
	return !num || (node >= first && node - first < num);
}

static void all_open(uint32_t group)
{
	const struct fw_edges all = fw_edges_of(group);
	uint32_t edge;

	fw_for_each_edge(&all, edge)
		if (EDGE_GET(group, edge, state) == TALLY_EDGE_OPENING)
			return;
	if (GROUP_GET(group, state) == TALLY_GROUP_OPENING)
		GROUP_SET(group, state, TALLY_GROUP_OPEN);
}

/* After a reset the command has given the epoch, but the key still comes from upstream. */
static bool learn_epoch(const struct arrival *a)
{
	uint32_t epoch = GROUP_GET(a->group, epoch);

	if (fw_group_knows_epoch(a->group) || a->edge != GROUP_GET(a->group, upstream) || !a->epoch ||
	    (epoch && epoch != a->epoch))
		return false;
	GROUP_SET(a->group, epoch, a->epoch);
	GROUP_SET(a->group, group_key, be32(a->open.group_key));
	return true;
}

/* The other neighbours wait for the epoch. */
static void pass_epoch_on(uint32_t group)
{
	const struct fw_edges all = fw_edges_of(group);
	uint32_t edge;

	fw_for_each_edge(&all, edge)
		EDGE_SET(group, edge, timer, CONTROL_GET(now));
}

/* The neighbour has proved to be alive: agree on the epoch and open the edge. */
static void confirmed(struct arrival *a)
{
	bool awaits;

	if (!same_config(a)) {
		/* The neighbour must see the mismatch too. */
		send_open(a->group, a->edge, a->nonce, 0);
		kill_cause(a->group, TALLY_COLL_CONFIG_MISMATCH, fw_edge_bit(a->edge));
		return;
	}
	if (learn_epoch(a))
		pass_epoch_on(a->group);
	awaits = !fw_group_knows_epoch(a->group) || !a->epoch;
	EDGE_SET(a->group, a->edge, awaits_epoch, awaits);
	if (awaits || GROUP_GET(a->group, epoch) != a->epoch)
		return;
	/* a group that has ended tells no limit; it answers whatever comes with KILL */
	EDGE_SET(a->group, a->edge, peer_limit, a->limit ? a->limit : be16(a->open.num_segs));
	EDGE_SET(a->group, a->edge, rx_first, be32(a->open.first_seq));
	EDGE_SET(a->group, a->edge, unconfirmed, true);
	handshake_hurry(a->group, a->edge);
	fw_command(TALLY_FW_CMD_OPEN_EDGE, a->group, a->edge);
	a->open_here = true;
	all_open(a->group);
}

static void learn_peer(const struct arrival *a)
{
	EDGE_SET(a->group, a->edge, peer_nonce, a->nonce);
	EDGE_SET(a->group, a->edge, peer_key, be32(a->open.key));
}

/*
 * Whether an epoch that has ended may concern the neighbour with this nonce. If the neighbour was
 * heard of before, only that life of it is concerned. If not, it may be late for this epoch, or
 * early for the next group. If the group is destroyed and never had an epoch, the neighbour is left
 * to the next group.
 */
static bool concerns(const struct arrival *a)
{
	if (a->peer_nonce)
		return a->nonce == a->peer_nonce;
	return GROUP_GET(a->group, epoch) || !GROUP_GET(a->group, destroyed);
}

/*
 * The epoch has ended here, or the group is buried. A neighbour that has not seen the edge open
 * gets an answer, so that it sees the edge open and can compare the configuration. If the edge was
 * never open here, the neighbour would wait until its time limit, so it also gets a KILL.
 */
static void answer_late(const struct arrival *a)
{
	if ((a->flags & TALLY_TCH_F_CONFIRM) || !concerns(a))
		return;
	learn_peer(a);
	if (a->echoed)
		learn_epoch(a);
	send_open(a->group, a->edge, a->nonce, TALLY_TCH_F_CONFIRM);
	if (!a->open_here)
		kill_tell_late(a->group, a->edge);
}

static void answer(const struct arrival *a)
{
	bool known = a->nonce == EDGE_GET(a->group, a->edge, peer_nonce);

	if (a->flags & TALLY_TCH_F_CONFIRM) {
		if (a->echoed && known && a->open_here) {
			EDGE_SET(a->group, a->edge, unconfirmed, false);
			EDGE_SET(a->group, a->edge, timer, TALLY_FW_NEVER);
		}
	} else if (a->open_here && known) {
		send_open(a->group, a->edge, a->nonce, TALLY_TCH_F_CONFIRM);
	} else if (!a->echoed) { /* the neighbour does not have this side's nonce yet */
		send_open(a->group, a->edge, a->nonce, 0);
	}
}

static struct arrival arrival_of(const struct event *ev)
{
	struct arrival a = {
		.group = ev->group,
		.edge = ev->edge,
		.flags = ev->flags,
		.epoch = ev->epoch,
		.limit = ev->sid,
		.peer_nonce = EDGE_GET(ev->group, ev->edge, peer_nonce),
		.open_here = EDGE_GET(ev->group, ev->edge, state) == TALLY_EDGE_OPEN,
	};
	union open u;
	uint32_t i;

	for (i = 0; i < sizeof(u) / 4; i++)
		u.words[i] = ev->data[i];
	a.open = u.o;
	a.nonce = be64(a.open.nonce);
	a.echoed = be64(a.open.echo) == EDGE_GET(ev->group, ev->edge, nonce);
	return a;
}

void handshake_packet(const struct event *ev)
{
	struct arrival a = arrival_of(ev);

	if (!fw_group_alive(a.group)) {
		answer_late(&a);
		return;
	}
	/* An OPEN with CONFIRM may be the late answer of an earlier life, which had ended. */
	if (a.open_here && a.nonce != a.peer_nonce && a.echoed &&
	    !(a.flags & TALLY_TCH_F_CONFIRM)) {
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
