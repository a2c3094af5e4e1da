/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Slots, windows and done in a tree. The edges are assumed to do what edge.pml shows: a chunk that was sent is stored
 * once, at any later time, and acknowledged at any time after that. Until it is stored, it is sent from its slot
 * again and again, so the packet has the data that the slot holds at its arrival. Packets that tell done may be
 * overtaken, and are lost one by one.
 *
 * A chunk has ranks that give and ranks that get. They are drawn for each chunk from KINDS: ALLREDUCE (all to all),
 * REDUCE (all to one), BCAST (one to all), a chunk of GATHER or SCATTER (one to one), and a narrowed mask (some to
 * the same). A rank must get the data of all ranks that give, of this chunk, once each. In the end every rank has
 * posted and got everything, and no slot is busy.
 */
#include "common.pml"

#ifndef SEGS
#define SEGS 1
#endif
#ifndef CHUNKS
#define CHUNKS 3
#endif
#ifndef KINDS
#define KINDS 5
#endif
#define MAX_NODES 3
#define MAX_RANKS 4

/* Trees. PARENT(i) of node 0 is 0; BELOW(i): ranks in the subtree of i. */
#if defined(CHAIN)
#define NODES 3
#define RANKS 3
#define PARENT(i) ((i) - ((i) > 0))
#define NODE_OF(r) (r)
#define BELOW(i) ((7 << (i)) & 7)
#elif defined(STAR)
#define NODES 3
#define RANKS 3
#define PARENT(i) 0
#define NODE_OF(r) (r)
#define BELOW(i) ((i) == 0 -> 7 : BIT(i))
#elif defined(SPARSE)	/* a chain whose middle node has no rank */
#define NODES 3
#define RANKS 2
#define PARENT(i) ((i) - ((i) > 0))
#define NODE_OF(r) ((r) * 2)
#define BELOW(i) ((i) == 0 -> 3 : 2)
#else			/* a pair whose child has two ranks */
#define NODES 2
#define RANKS 3
#define PARENT(i) 0
#define NODE_OF(r) ((r) > 0)
#define BELOW(i) ((i) == 0 -> 7 : 6)
#endif

#define ALL (BIT(RANKS) - 1)
#define MINE(i) (here[i])
#define SLOT(i, num) ((i) * SEGS + (num) % SEGS)
#define UP(i) (i)		/* the edge from node i to its parent */
#define DOWN(i) (MAX_NODES + (i))	/* and the edge back */
#define DATA(num, ranks) ((num) << 4 | (ranks))	/* content of a buffer */

#define SLOW BIT(RANKS - 1)		/* writes to this rank's memory take time, those to others do not */
#define IS_RIGHT (slots[s].down == DATA(slots[s].num, gives[slots[s].num]))

mtype = { FREE, BUSY, FINISHED };

typedef slot {
	mtype state = FREE;
	byte num;
	byte up_children;	/* contributors that are missing */
	byte up_ranks;		/* ranks that are missing */
	byte up, down;		/* accumulate, hold */
	bool up_send, up_waiting;
	bool down_expected, down_have;
	byte down_todo, down_waiting;	/* children */
	byte deliver, delivering;	/* ranks */
	byte posted;
};

slot slots[MAX_NODES * SEGS];
byte here[MAX_NODES];		/* ranks of a node */
byte children[MAX_NODES];
byte done[MAX_NODES];
byte next_num[MAX_RANKS];
byte gives[CHUNKS], gets[CHUNKS];	/* drawn when the first rank posts */
/* by edge */
byte sent[MAX_NODES * 2], stored[MAX_NODES * 2], acked[MAX_NODES * 2];	/* chunks */
byte told[MAX_NODES * 2];	/* network: values of done, from the edge's origin */
byte peer_done[MAX_NODES * 2];	/* done of the edge's end, as its origin knows it */
hidden byte n, e, s, k, c, data;	/* only for one step: node, edge, slot */
hidden byte news, again;

#define ORIGIN(e) ((e) < MAX_NODES -> (e) : PARENT((e) - MAX_NODES))
#define BACK(e) ((e) < MAX_NODES -> (e) + MAX_NODES : (e) - MAX_NODES)

#ifdef NO_WINDOW_CHECK
#define WINDOW_OPEN(e, num) true
#else
#define WINDOW_OPEN(e, num) ((num) < peer_done[e] + SEGS)
#endif
#ifdef NO_LOCAL_WINDOW
#define LOCAL_WINDOW_OPEN(i, num) true
#else
#define LOCAL_WINDOW_OPEN(i, num) ((num) < done[i] + SEGS)
#endif

#ifdef NO_SERIAL_MAXIMUM
#define NEW_TO(e, value) ((value) > 0)
#else
#define NEW_TO(e, value) ((value) > peer_done[BACK(e)])	/* other values change nothing */
#endif

/* Every packet tells the sender's done. */
inline tell()
{
	if
	:: NEW_TO(e, done[ORIGIN(e)]) -> ADD(told[e], done[ORIGIN(e)])
	:: else
	fi
}

/* segment.c: slot_open */
inline open(the_num)
{
	s = SLOT(n, the_num);
	assert(slots[s].state == FREE || slots[s].num == the_num);	/* a chunk met a busy slot */
	assert(the_num >= done[n]);				/* or its slot is over */
	if
	:: slots[s].state == FREE ->
		slots[s].state = BUSY;
		slots[s].num = the_num;
		slots[s].up_ranks = gives[the_num] & MINE(n);
		slots[s].deliver = gets[the_num] & MINE(n);
		slots[s].up_send = n > 0 && (gives[the_num] & BELOW(n));
		slots[s].down_expected = (gets[the_num] & BELOW(n)) != 0;
		slots[s].up = DATA(the_num, 0);
		c = 1;
		do
		:: c < NODES ->
			if
			:: HAS(children[n], c) && (gives[the_num] & BELOW(c)) -> ADD(slots[s].up_children, c)
			:: else
			fi;
			if
			:: HAS(children[n], c) && (gets[the_num] & BELOW(c)) -> ADD(slots[s].down_todo, c)
			:: else
			fi;
			c++
		:: else -> break
		od
	:: else
	fi
}

inline combine(the_data)
{
	assert((slots[s].up & (the_data) & 15) == 0);	/* counted twice */
	slots[s].up = slots[s].up | (the_data)
}

inline send(edge, the_num)
{
	e = edge;
	ADD(sent[e], the_num);
	tell()
}

inline send_down()
{
	c = 1;
	do
	:: c < NODES ->
		if
		:: HAS(slots[s].down_todo, c) && WINDOW_OPEN(DOWN(c), slots[s].num) ->
			CLEAR(slots[s].down_todo, c);
			ADD(slots[s].down_waiting, c);
			send(DOWN(c), slots[s].num)
		:: else
		fi;
		c++
	:: else -> break
	od
}

inline free()
{
	slots[s].state = FREE;
	slots[s].posted = 0;
	slots[s].up = 0;
	slots[s].down = 0;
	slots[s].down_have = 0;
	slots[s].num = 0;
	slots[s].down_expected = 0
}

/* Tells done unasked. If a packet to the neighbour carries done instead, the network is the same. */
inline announce()
{
	skip;
#ifndef NO_ANNOUNCE
	c = 1;
	do
	:: c < NODES ->
		if
		:: c == n -> e = UP(n); tell()
		:: PARENT(c) == n && c != n -> e = DOWN(c); tell()
		:: else
		fi;
		c++
	:: else -> break
	od
#endif
}

inline advance_done()
{
#ifdef DONE_WITH_GAPS
	done[n]++;
	free();
#else
	do
	:: s = SLOT(n, done[n]);
		if
		:: slots[s].state == FINISHED && slots[s].num == done[n] ->
			free();
			done[n]++
		:: else -> break
		fi
	od;
#endif
	announce()
}

#ifdef FREE_SLOT_BEFORE_ACK
#define UNACKED false
#else
#define UNACKED (slots[s].up_waiting || slots[s].down_waiting)
#endif
#ifdef FREE_SLOT_BEFORE_WRITE
#define UNWRITTEN false
#else
#define UNWRITTEN slots[s].delivering
#endif
#ifdef FREE_SLOT_BEFORE_POST
#define UNPOSTED slots[s].deliver
#else
#define UNPOSTED (MINE(n) & ~slots[s].posted)
#endif

/* segment.c: slot_pump */
inline pump_slot()
{
	if
	:: !slots[s].up_children && !slots[s].up_ranks ->
		if
		:: slots[s].up_send && WINDOW_OPEN(UP(n), slots[s].num) ->
			slots[s].up_send = false;
			slots[s].up_waiting = true;
			send(UP(n), slots[s].num)
		:: else
		fi;
		if
		:: n == 0 && !slots[s].down_have && slots[s].down_expected ->
			slots[s].down = slots[s].up;
			slots[s].down_have = true
		:: else
		fi
	:: else
	fi;
	if
	:: slots[s].down_have ->
		send_down();
		assert(!(slots[s].deliver & slots[s].posted) || IS_RIGHT);
		slots[s].delivering = slots[s].delivering | (slots[s].deliver & slots[s].posted & SLOW);
		slots[s].deliver = slots[s].deliver & ~slots[s].posted
	:: else
	fi;
	if
	:: slots[s].up_children || slots[s].up_ranks || slots[s].up_send || UNACKED || UNPOSTED ||
	   (slots[s].down_expected && (!slots[s].down_have || slots[s].down_todo || slots[s].deliver || UNWRITTEN))
	:: else ->
		slots[s].state = FINISHED;
		again = true;
		advance_done()
	fi
}

#define IS_OVER(chunk) (done[0] > (chunk) && done[1] > (chunk) && done[NODES - 1] > (chunk))

/* Clears the past, which is no part of the state. */
inline sweep()
{
	c = 0;
	do
	:: c < CHUNKS && IS_OVER(c) && gives[c] ->
		gives[c] = 0;
		gets[c] = 0;
		k = 0;
		do
		:: k < MAX_NODES * 2 ->
			CLEAR(sent[k], c);
			CLEAR(stored[k], c);
			CLEAR(acked[k], c);
			k++
		:: else -> break
		od;
		c++
	:: c < CHUNKS && !(IS_OVER(c) && gives[c]) -> c++
	:: else -> break
	od
}

/* group.c: group_pump */
inline pump()
{
	again = true;
	do
	:: again ->
		again = false;
		k = 0;
		do
		:: k < SEGS ->
			s = n * SEGS + k;
			if
			:: slots[s].state == BUSY -> pump_slot()
			:: else
			fi;
			k++
		:: else -> break
		od
	:: else -> break
	od;
	sweep()
}

inline post(r)
{
	n = NODE_OF(r);
	open(next_num[r]);
	ADD(slots[s].posted, r);
	if
	:: HAS(slots[s].up_ranks, r) ->
		CLEAR(slots[s].up_ranks, r);
		combine(DATA(next_num[r], BIT(r)))
	:: else
	fi;
	next_num[r]++;
	pump()
}

inline arrive_up(child, the_num)
{
	ADD(stored[UP(child)], the_num);
	data = slots[SLOT(child, the_num)].up;
	n = PARENT(child);
	open(the_num);
	assert(HAS(slots[s].up_children, child));
	CLEAR(slots[s].up_children, child);
	combine(data);
	e = DOWN(child);
	tell();				/* by the acknowledgement */
	pump()
}

inline arrive_down(child, the_num)
{
	ADD(stored[DOWN(child)], the_num);
	data = slots[SLOT(PARENT(child), the_num)].down;
	n = child;
	open(the_num);
	assert(slots[s].down_expected && !slots[s].down_have);
	slots[s].down = data;
	slots[s].down_have = true;
	e = UP(child);
	tell();
	pump()
}

inline ack_up(child, the_num)
{
	ADD(acked[UP(child)], the_num);
	n = child;
	slots[SLOT(n, the_num)].up_waiting = false;
	pump()
}

inline ack_down(child, the_num)
{
	ADD(acked[DOWN(child)], the_num);
	n = PARENT(child);
	CLEAR(slots[SLOT(n, the_num)].down_waiting, child);
	pump()
}

/* The result is in memory. */
inline written(r, the_num)
{
	n = NODE_OF(r);
	s = SLOT(n, the_num);
	assert(IS_RIGHT && slots[s].num == the_num);
	CLEAR(slots[s].delivering, r);
	pump()
}

/* The origin of an edge learns done of its end. */
inline learn(edge, value)
{
	e = edge;
	n = ORIGIN(e);
	CLEAR(told[BACK(e)], value);
#ifdef NO_SERIAL_MAXIMUM
	peer_done[e] = value;
#else
	peer_done[e] = value;
	told[BACK(e)] = told[BACK(e)] & ~(BIT(value) - 1);
#endif
	pump()
}

/* probe.c: waits_on, for the oldest chunk */
#define OLDEST(n) slots[SLOT(n, done[n])]
#define WAITS_UP(n) (OLDEST(n).state == BUSY && OLDEST(n).num == done[n] && \
	(OLDEST(n).up_send || (OLDEST(n).down_expected && !OLDEST(n).down_have)))
#define WAITS_DOWN(n) (OLDEST(PARENT(n)).state == BUSY && OLDEST(PARENT(n)).num == done[PARENT(n)] && \
	((OLDEST(PARENT(n)).up_children | OLDEST(PARENT(n)).down_todo) & BIT(n)))

inline probe(edge)
{
	e = BACK(edge);
	if
	:: done[ORIGIN(e)] > peer_done[edge] ->
		tell();
		news = true
	:: else
	fi
}

/* Probes are sent when no other step is possible; an answer must be news. */
inline probe_all()
{
	news = false;
#if !defined(NO_PROBE) && LOSSES > 0
	c = 1;
	do
	:: c < NODES ->
		if
		:: WAITS_UP(c) -> probe(UP(c))
		:: else
		fi;
		if
		:: WAITS_DOWN(c) -> probe(DOWN(c))
		:: else
		fi;
		c++
	:: else -> break
	od;
#endif
	assert(news)				/* stuck */
}

inline draw(r, from, to)
{
	gives[next_num[r]] = from;
	gets[next_num[r]] = to
}

#define MAY_POST(r) (next_num[r] < CHUNKS && LOCAL_WINDOW_OPEN(NODE_OF(r), next_num[r]))
#define IS_DRAWN(r) (gives[next_num[r]] != 0)
#define POST(r) \
	:: atomic { MAY_POST(r) && !IS_DRAWN(r) -> \
		if \
		:: draw(r, ALL, ALL) \
		:: draw(r, 1, BIT(RANKS - 1)) \
		:: KINDS > 2 -> draw(r, ALL, BIT(RANKS - 1)) \
		:: KINDS > 2 -> draw(r, BIT(RANKS - 1), ALL) \
		:: KINDS > 2 -> draw(r, ALL - 1, ALL - 1) \
		fi } \
	:: d_step { MAY_POST(r) && IS_DRAWN(r) -> post(r); skip }

#define CHUNK_UP(n, num) \
	:: d_step { HAS(sent[UP(n)], num) && !HAS(stored[UP(n)], num) -> arrive_up(n, num); skip } \
	:: d_step { HAS(stored[UP(n)], num) && !HAS(acked[UP(n)], num) -> ack_up(n, num); skip }
#define CHUNK_DOWN(n, num) \
	:: d_step { HAS(sent[DOWN(n)], num) && !HAS(stored[DOWN(n)], num) -> arrive_down(n, num); skip } \
	:: d_step { HAS(stored[DOWN(n)], num) && !HAS(acked[DOWN(n)], num) -> ack_down(n, num); skip }
#define TOLD(e, value) \
	:: d_step { HAS(told[BACK(e)], value) -> learn(e, value); skip } \
	:: d_step { HAS(told[BACK(e)], value) && losses -> CLEAR(told[BACK(e)], value); losses-- }
#define PER_CHUNK(n, num) CHUNK_UP(n, num) CHUNK_DOWN(n, num) TOLD(UP(n), num + 1) TOLD(DOWN(n), num + 1)
#if CHUNKS == 3
#define EDGE(n) PER_CHUNK(n, 0) PER_CHUNK(n, 1) PER_CHUNK(n, 2)
#define WRITES(r) WRITE(r, 0) WRITE(r, 1) WRITE(r, 2)
#else
#define EDGE(n) PER_CHUNK(n, 0) PER_CHUNK(n, 1) PER_CHUNK(n, 2) PER_CHUNK(n, 3)
#define WRITES(r) WRITE(r, 0) WRITE(r, 1) WRITE(r, 2) WRITE(r, 3)
#endif
#define WRITE(r, chunk) \
	:: d_step { HAS(slots[SLOT(NODE_OF(r), chunk)].delivering, r) && \
		    slots[SLOT(NODE_OF(r), chunk)].num == chunk -> written(r, chunk); skip }

inline start()
{
	c = 0;
	do
	:: c < RANKS -> ADD(here[NODE_OF(c)], c); c++
	:: else -> break
	od;
	c = 1;
	do
	:: c < NODES -> ADD(children[PARENT(c)], c); c++
	:: else -> break
	od
}

active proctype tree()
{
	d_step { start(); skip };
	do
	POST(0) POST(1)
	EDGE(1)
	WRITES(RANKS - 1)
#if RANKS > 2
	POST(2)
#endif
#if NODES > 2
	EDGE(2)
#endif
	:: timeout ->
		if
		:: d_step { done[0] == CHUNKS && done[1] == CHUNKS && (NODES < 3 || done[NODES - 1] == CHUNKS) }; break
		:: else -> d_step { probe_all(); skip }
		fi
	od
}
