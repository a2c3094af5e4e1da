/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Announced limits, and slots that groups borrow from a pool. Each of three nodes is a member of GROUPS groups. A member
 * owns GUARANTEE slots; the node lends POOL more. Every num in [done, limit) of a member has a slot set aside. A member
 * announces its limit to the neighbour that sends to it, which sends a chunk only below the last limit that it has heard.
 *
 * A chunk goes from every node to its right neighbour. A member has finished a chunk when it has begun it, has stored the
 * data of the left neighbour, and the right neighbour has stored its own. The data of a neighbour occupy the slot, as
 * does the member's own part. Announcements may be overtaken, and are lost one by one.
 *
 * With JOIN, members are created at any time. One member of a node owns a slot, the other JOIN slots, and the node has no
 * others. A member that is created while slots are lent has those that are free, but leaves one for each member that does
 * not exist yet; the others are owed to it. Nothing is lent while a debt exists.
 *
 * No chunk must arrive or begin without a slot, an idle member must have borrowed nothing, and in the end all chunks must
 * be finished.
 */
#include "common.pml"

#ifndef NODES
#define NODES 3
#endif
#ifndef GROUPS
#define GROUPS 2
#endif
#ifndef CHUNKS
#define CHUNKS 2
#endif
#ifndef POOL
#define POOL 1
#endif
#ifdef NO_GUARANTEE
#define GUARANTEE 0
#else
#define GUARANTEE 1
#endif
#define AT(g, i) ((g) * NODES + (i))
#define MEMBERS (GROUPS * NODES)
#define NODE_OF(m) ((m) % NODES)
#define RIGHT(m) ((m) - (m) % NODES + ((m) % NODES + 1) % NODES)
#define LEFT(m) ((m) - (m) % NODES + ((m) % NODES + NODES - 1) % NODES)

#define IDLE(m) (next_num[m] == done[m])
#ifdef JOIN
#define OWNED(m) ((m) / NODES == NODE_OF(m) -> 1 : JOIN)
#define GRANTED(m) granted[m]
#else
#define GRANTED(m) GUARANTEE
#endif
#define BORROWS(m) (limit[m] > done[m] + GRANTED(m) -> limit[m] - done[m] - GRANTED(m) : 0)

/* by member */
byte next_num[MEMBERS];		/* chunks that the rank has posted */
byte begun[MEMBERS], done[MEMBERS], limit[MEMBERS];
byte borrowed[MEMBERS];
byte held[MEMBERS];		/* chunks that occupy a slot */
byte sent[MEMBERS], stored[MEMBERS];	/* chunks, at the right neighbour */
byte told[MEMBERS];		/* network: limits, to the left neighbour */
byte told_last[MEMBERS];	/* the limit announced last */
byte peer_limit[MEMBERS];	/* limit of the right neighbour, as last heard */
byte lent[NODES];
#ifdef JOIN
byte granted[MEMBERS];		/* slots that a member has of its own */
bool joined[MEMBERS];		/* it exists */
#endif
hidden byte k, x, y, z, c, news;	/* only for one step */

inline hold(m, num)
{
	assert(num >= done[m] && num < limit[m]);	/* no slot was promised */
	ADD(held[m], num);
	c = (held[m] & 1) + ((held[m] >> 1) & 1) + ((held[m] >> 2) & 1) + ((held[m] >> 3) & 1);
	assert(c <= GRANTED(m) + borrowed[m])		/* or no slot is there */
}

#ifdef JOIN
/* A member that is created has a slot at once if one is kept for it. */
#ifdef NO_SLOT_KEPT
#define KEPT(node) 0
#else
#define KEPT(node) (!joined[AT(0, node)] + !joined[AT(1, node)])
#endif
#define UNUSED(node) (1 + JOIN - granted[AT(0, node)] - granted[AT(1, node)] - lent[node])
#define SPARE(node) (UNUSED(node) > KEPT(node))
#define DEBT(m) (joined[m] && granted[m] < OWNED(m))
#define SETTLED(node) !(DEBT(AT(0, node)) || DEBT(AT(1, node)))
#define MAY_BORROW(m) (limit[m] < next_num[m] && SETTLED(NODE_OF(m)) && SPARE(NODE_OF(m)))
#elif defined(NO_GUARANTEE)
#define MAY_BORROW(m) (limit[m] < next_num[m] && lent[NODE_OF(m)] < POOL)
#elif defined(BORROW_UNPOSTED) || defined(LOWERED_LIMIT)
#define MAY_BORROW(m) (limit[m] < CHUNKS && lent[NODE_OF(m)] < POOL)
#else
#define MAY_BORROW(m) (limit[m] < next_num[m] && lent[NODE_OF(m)] < POOL)
#endif

inline raise(m)
{
	if
	:: limit[m] < done[m] + GRANTED(m) -> limit[m] = done[m] + GRANTED(m)
	:: else
	fi;
	do
	:: MAY_BORROW(m) ->
		borrowed[m]++;
		lent[NODE_OF(m)]++;
#ifdef GAPS
		limit[m] = next_num[m]
#else
		limit[m]++
#endif
	:: else -> break
	od
}

#ifdef LAZY
#define TELLS(m) (told_last[m] <= done[m] || IDLE(m))
#elif defined(TELL_WHEN_IDLE)
#define TELLS(m) IDLE(m)
#else
#define TELLS(m) true
#endif

/* Announces the limit. With a packet or unasked, the network is the same. */
inline announce(m)
{
	if
	:: limit[m] > told_last[m] && TELLS(m) ->
		told_last[m] = limit[m];
		if
		:: limit[m] > peer_limit[LEFT(m)] -> ADD(told[m], limit[m])
		:: else
		fi
	:: else
	fi
}

#ifdef NO_LOCAL_LIMIT
#define LOCAL_OPEN(m) true
#else
#define LOCAL_OPEN(m) (begun[m] < limit[m])
#endif
#ifdef NO_LIMIT_CHECK
#define LINK_OPEN(m, num) true
#else
#define LINK_OPEN(m, num) ((num) < peer_limit[m])
#endif

inline begin_and_send(m)
{
	do
	:: begun[m] < next_num[m] && LOCAL_OPEN(m) ->
		hold(m, begun[m]);
		begun[m]++
	:: else -> break
	od;
	c = done[m];
	do
	:: c < begun[m] ->
		if
		:: LINK_OPEN(m, c) -> ADD(sent[m], c)
		:: else
		fi;
		c++
	:: else -> break
	od
}

#define IS_OVER(m) (begun[m] > done[m] && HAS(stored[m], done[m]) && HAS(stored[LEFT(m)], done[m]))

inline finish(m)
{
	CLEAR(held[m], done[m]);
	done[m]++;
	c = BORROWS(m);
	if
	:: borrowed[m] > c ->
		lent[NODE_OF(m)] = lent[NODE_OF(m)] - (borrowed[m] - c);
		borrowed[m] = c
	:: else
	fi
}

/* Grants a member slots that it owns, as far as they are there. */
#ifdef JOIN
inline settle(m)
{
	do
	:: DEBT(m) && UNUSED(NODE_OF(m)) && (SPARE(NODE_OF(m)) || !lent[NODE_OF(m)]) -> granted[m]++
	:: else -> break
	od
}
#endif

/* Advances all groups of a node, because a slot that has returned may be lent to another group. */
inline pump(node)
{
	news = true;
	do
	:: news ->
		news = false;
		k = 0;
		do
		:: k < GROUPS ->
#ifdef JOIN
			settle(AT(k, node));
#endif
			raise(AT(k, node));
			announce(AT(k, node));
#ifndef LOWERED_LIMIT
			assert(!IDLE(AT(k, node)) || borrowed[AT(k, node)] == 0);	/* lent slots are used */
#endif
			begin_and_send(AT(k, node));
			if
			:: IS_OVER(AT(k, node)) -> finish(AT(k, node)); news = true
			:: else
			fi;
			k++
		:: else -> break
		od
	:: else -> break
	od
}

inline arrive(m, num)
{
	ADD(stored[m], num);
	hold(RIGHT(m), num);
	z = NODE_OF(RIGHT(m));
	pump(z);
	z = NODE_OF(m);
	pump(z)
}

/* The left neighbour learns a limit. Limits that were overtaken change nothing. */
inline learn(m, value)
{
	told[m] = told[m] & ~(BIT(value + 1) - 1);
	peer_limit[LEFT(m)] = value;
	z = NODE_OF(LEFT(m));
	pump(z)
}

#ifdef JOIN
#define MAY_POST(m) :: joined[m] && next_num[m] < CHUNKS -> x = m
#ifdef WAITS_FOR_ALL
#define MAY_JOIN(m) :: !joined[m] && UNUSED(NODE_OF(m)) >= OWNED(m) -> x = m
#else
#define MAY_JOIN(m) :: !joined[m] -> x = m
#endif
#else
#define MAY_POST(m) :: next_num[m] < CHUNKS -> x = m
#endif
#define MAY_ARRIVE(m, num) :: HAS(sent[m], num) && !HAS(stored[m], num) -> x = m; y = num
#define MAY_LEARN(m, num) :: HAS(told[m], (num) + 1) -> x = m; y = (num) + 1
#define MAY_LOSE(m, num) :: losses && HAS(told[m], (num) + 1) -> x = m; y = (num) + 1
#define MAY_LOWER(m) :: borrowed[m] && !HAS(held[m], limit[m] - 1) -> x = m
#if CHUNKS == 2
#define CHUNKS_OF(what, m) what(m, 0) what(m, 1)
#else
#define CHUNKS_OF(what, m) what(m, 0) what(m, 1) what(m, 2)
#endif
#if GROUPS == 1
#define ALL_MEMBERS(what) what(0) what(1) what(2)
#define ALL_CHUNKS(what) CHUNKS_OF(what, 0) CHUNKS_OF(what, 1) CHUNKS_OF(what, 2)
#define ALL_DONE (done[0] == CHUNKS && done[1] == CHUNKS && done[2] == CHUNKS)
#elif NODES == 2
#define ALL_MEMBERS(what) what(0) what(1) what(2) what(3)
#define ALL_CHUNKS(what) CHUNKS_OF(what, 0) CHUNKS_OF(what, 1) CHUNKS_OF(what, 2) CHUNKS_OF(what, 3)
#define ALL_DONE (done[0] == CHUNKS && done[1] == CHUNKS && done[2] == CHUNKS && done[3] == CHUNKS)
#else
#define ALL_MEMBERS(what) what(0) what(1) what(2) what(3) what(4) what(5)
#define ALL_CHUNKS(what) CHUNKS_OF(what, 0) CHUNKS_OF(what, 1) CHUNKS_OF(what, 2) \
	CHUNKS_OF(what, 3) CHUNKS_OF(what, 4) CHUNKS_OF(what, 5)
#define ALL_DONE (done[0] == CHUNKS && done[1] == CHUNKS && done[2] == CHUNKS && \
	done[3] == CHUNKS && done[4] == CHUNKS && done[5] == CHUNKS)
#endif

/* A sender that waits for a limit probes; an answer must be news. */
inline probe_all()
{
	news = false;
#if LOSSES > 0
	k = 0;
	do
	:: k < MEMBERS ->
		if
		:: begun[k] > done[k] && !HAS(sent[k], done[k]) && limit[RIGHT(k)] > peer_limit[k] &&
		   !HAS(told[RIGHT(k)], limit[RIGHT(k)]) ->
			ADD(told[RIGHT(k)], limit[RIGHT(k)]);
			news = true
		:: else
		fi;
		k++
	:: else -> break
	od;
#endif
	assert(news)			/* stuck */
}

active proctype nodes()
{
	d_step {
		c = 0;
		do
		:: c < MEMBERS ->
#ifndef JOIN
			limit[c] = GUARANTEE;	/* OPEN tells it */
			told_last[c] = GUARANTEE;
			peer_limit[c] = GUARANTEE;
#endif
			c++
		:: else -> break
		od;
		c = 0
	};
	do
	:: atomic { if ALL_MEMBERS(MAY_POST) fi; d_step { next_num[x]++; z = NODE_OF(x); pump(z); skip } }
	:: atomic { if ALL_CHUNKS(MAY_ARRIVE) fi; d_step { arrive(x, y); skip } }
	:: atomic { if ALL_CHUNKS(MAY_LEARN) fi; d_step { learn(x, y); skip } }
	:: atomic { if ALL_CHUNKS(MAY_LOSE) fi; d_step { CLEAR(told[x], y); losses-- } }
#ifdef JOIN
	:: atomic { if ALL_MEMBERS(MAY_JOIN) fi; d_step { joined[x] = true; z = NODE_OF(x); pump(z); skip } }
#endif
#ifdef LOWERED_LIMIT
	:: atomic { if ALL_MEMBERS(MAY_LOWER) fi; d_step { limit[x]--; borrowed[x]--; lent[NODE_OF(x)]-- } }
#endif
	:: timeout ->
		if
		:: d_step { ALL_DONE }; break
		:: else -> d_step { probe_all(); skip }
		fi
	od
}
