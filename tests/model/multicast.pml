/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Results by multicast in a chain of three nodes with a rank each: node 0 is the root, 1 its child, 2 the child of 1.
 * Data on the way up, and the result of a REDUCE, travel on edges as in slot.pml. The root sends other results to all
 * nodes at once. A copy has no number, so it may arrive when its slot is over and in use again. A node that has the
 * result acknowledges it to its parent, possibly before the parent has the result; the parent then forgets the
 * acknowledgement. The parent sends a copy of its own, on the edge, to a child that has not acknowledged.
 *
 * A rank must get the data of all ranks that give, of this chunk, once each. In the end every rank has posted and got
 * everything, and no slot is busy.
 */
#include "common.pml"

#ifndef SEGS
#define SEGS 1
#endif
#ifndef CHUNKS
#define CHUNKS 3
#endif
#define NODES 3
#define ALL 7

#define SLOT(i, num) ((i) * SEGS + (num) % SEGS)
#define BELOW(i) ((ALL << (i)) & ALL)		/* ranks in the subtree of i; ranks are nodes here */
#define UP(i) (i)		/* the edge from node i to its parent */
#define DOWN(i) (NODES + (i))	/* and the edge back */
#define ORIGIN(e) ((e) < NODES -> (e) : (e) - NODES - 1)
#define BACK(e) ((e) < NODES -> (e) + NODES : (e) - NODES)
#define DATA(num, ranks) ((num) << 4 | (ranks))	/* content of a buffer */

mtype = { FREE, BUSY, FINISHED };

typedef slot {
	mtype state = FREE;
	byte num;
	bool child_missing, rank_missing;
	byte up, down;			/* accumulate, hold */
	bool up_send, up_waiting;
	bool expected, have;		/* the result */
	bool todo, waiting;		/* the child is to get it; has not acknowledged its copy */
	bool repaired;
	bool deliver, posted;
};

slot slots[NODES * SEGS];
byte done[NODES];
byte next_num[NODES];
byte gives[CHUNKS], gets[CHUNKS];	/* drawn when the first rank posts */
/* by edge */
byte sent[NODES * 2], stored[NODES * 2], acked[NODES * 2];	/* chunks */
byte told[NODES * 2];		/* network: values of done, from the edge's origin */
byte peer_done[NODES * 2];	/* done of the edge's end, as its origin knows it */
/* by node that receives or acknowledges: chunks */
byte copies[NODES], mcast_acks[NODES];	/* network */
hidden byte n, e, s, k, c, x, y, data, value, news, again;	/* only for one step */

/* Only a REDUCE has a single rank that gets the result. */
#define BY_MULTICAST(num) (gets[num] != 4)
#define IS_CHUNK(s, the_num) (slots[s].state == BUSY && slots[s].num == (the_num))
#define HAS_RESULT(i, the_num) (done[i] > (the_num) || \
	(IS_CHUNK(SLOT(i, the_num), the_num) && slots[SLOT(i, the_num)].have))

/* The done that a node tells its parent covers its subtree. */
#ifdef NO_SUBTREE_MINIMUM
#define REPORT(i) done[i]
#else
#define REPORT(i) ((i) == 1 && peer_done[DOWN(2)] < done[1] -> peer_done[DOWN(2)] : done[i])
#endif
#define WINDOW_OPEN(e, num) ((num) < peer_done[e] + SEGS)

inline tell()
{
	value = (e < NODES -> REPORT(e) : done[ORIGIN(e)]);
	if
	:: value > peer_done[BACK(e)] -> ADD(told[e], value)
	:: else
	fi
}

/* segment.c: slot_open */
inline open(the_num)
{
	s = SLOT(n, the_num);
	assert(slots[s].state == FREE || slots[s].num == the_num);	/* a chunk met a busy slot */
	if
	:: slots[s].state == FREE ->
		slots[s].state = BUSY;
		slots[s].num = the_num;
		slots[s].rank_missing = HAS(gives[the_num], n);
		slots[s].child_missing = n < 2 && (gives[the_num] & BELOW(n + 1));
		slots[s].up_send = n > 0 && (gives[the_num] & BELOW(n));
		slots[s].deliver = HAS(gets[the_num], n);
		slots[s].expected = true;
		slots[s].todo = n < 2;
		slots[s].up = DATA(the_num, 0)
	:: else
	fi
}

inline combine(the_data)
{
	assert((slots[s].up & (the_data) & 15) == 0);	/* counted twice */
	slots[s].up = slots[s].up | (the_data)
}

inline free()
{
	slots[s].state = FREE;
	slots[s].num = 0;
	slots[s].up = 0;
	slots[s].down = 0;
	slots[s].expected = false;
	slots[s].have = false;
	slots[s].repaired = false;
	slots[s].posted = false
}

inline announce()
{
	if
	:: n > 0 -> e = UP(n); tell()
	:: else
	fi;
	if
	:: n < 2 -> e = DOWN(n + 1); tell()
	:: else
	fi
}

inline advance_done()
{
	do
	:: s = SLOT(n, done[n]);
		if
		:: slots[s].state == FINISHED && slots[s].num == done[n] ->
			free();
			done[n]++
		:: else -> break
		fi
	od;
	announce()
}

inline send(edge, the_num)
{
	e = edge;
	ADD(sent[e], the_num);
	tell()
}

/* Sends the result, at a node that has it. */
inline send_result()
{
	if
	:: BY_MULTICAST(slots[s].num) ->
		if
		:: n == 0 && slots[s].todo && !slots[s].repaired && WINDOW_OPEN(DOWN(1), slots[s].num) &&
		   !HAS(copies[0], slots[s].num) ->
			ADD(copies[0], slots[s].num);		/* sent */
			ADD(copies[1], slots[s].num);
			ADD(copies[2], slots[s].num)
		:: else
		fi
	:: else ->
		if
		:: slots[s].todo && WINDOW_OPEN(DOWN(n + 1), slots[s].num) ->
			slots[s].todo = false;
			slots[s].waiting = true;
			send(DOWN(n + 1), slots[s].num)
		:: else
		fi
	fi
}

#ifdef FREE_SLOT_BEFORE_ACK	/* for the multicast result */
#define UNSERVED (slots[s].waiting || (slots[s].todo && !BY_MULTICAST(slots[s].num)))
#else
#define UNSERVED (slots[s].todo || slots[s].waiting)
#endif

/* segment.c: slot_pump */
inline pump_slot()
{
	if
	:: !slots[s].child_missing && !slots[s].rank_missing ->
		if
		:: slots[s].up_send && WINDOW_OPEN(UP(n), slots[s].num) ->
			slots[s].up_send = false;
			slots[s].up_waiting = true;
			send(UP(n), slots[s].num)
		:: else
		fi;
		if
		:: n == 0 && !slots[s].have ->
			slots[s].down = slots[s].up;
			slots[s].have = true
		:: else
		fi
	:: else
	fi;
	if
	:: slots[s].have ->
		send_result();
		if
		:: slots[s].deliver && slots[s].posted ->
			assert(slots[s].down == DATA(slots[s].num, gives[slots[s].num]));
			slots[s].deliver = false
		:: else
		fi
	:: else
	fi;
	if
	:: slots[s].child_missing || slots[s].rank_missing || slots[s].up_send || slots[s].up_waiting ||
	   !slots[s].posted || !slots[s].have || slots[s].deliver || UNSERVED
	:: else ->
		slots[s].todo = false;
		slots[s].state = FINISHED;
		again = true;
		advance_done()
	fi
}

#define IS_OVER(chunk) (done[0] > (chunk) && done[1] > (chunk) && done[2] > (chunk))

/* Clears the past, which is no part of the state, except for late copies. */
inline sweep()
{
	c = 0;
	do
	:: c < CHUNKS && IS_OVER(c) && gives[c] ->
		mcast_acks[2] = mcast_acks[2] & ~BIT(c);
		mcast_acks[1] = mcast_acks[1] & ~BIT(c);
		k = 0;
		do
		:: k < NODES * 2 ->
			CLEAR(sent[k], c);
			CLEAR(stored[k], c);
			CLEAR(acked[k], c);
			k++
		:: else -> break
		od;
#ifndef TAKES_OLD_COPIES
		CLEAR(copies[1], c);
		CLEAR(copies[2], c);
		gives[c] = 0;
		gets[c] = 0;
#endif
		c++
	:: c < CHUNKS && !(IS_OVER(c) && gives[c]) -> c++
	:: else -> break
	od
}

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
	n = r;
	open(next_num[r]);
	slots[s].posted = true;
	if
	:: slots[s].rank_missing ->
		slots[s].rank_missing = false;
		combine(BIT(r))
	:: else
	fi;
	next_num[r]++;
	pump()
}

inline arrive_up(child, the_num)
{
	ADD(stored[UP(child)], the_num);
	data = slots[SLOT(child, the_num)].up;
	n = child - 1;
	open(the_num);
	assert(slots[s].child_missing && the_num >= done[n]);
	slots[s].child_missing = false;
	combine(data);
	e = DOWN(child);
	tell();				/* by the acknowledgement */
	pump()
}

inline ack_up(child, the_num)
{
	ADD(acked[UP(child)], the_num);
	n = child;
	slots[SLOT(n, the_num)].up_waiting = false;
	pump()
}

inline take_result(the_num)
{
	open(the_num);
	if
	:: !slots[s].have ->
		slots[s].down = data;
		slots[s].have = true
	:: else
	fi;
	pump()
}

/* A result on the edge. If its chunk is over, or the result is there, it is only acknowledged. */
inline arrive_down(child, the_num)
{
	ADD(stored[DOWN(child)], the_num);
	data = slots[SLOT(child - 1, the_num)].down;
	n = child;
	e = UP(child);
	tell();
	if
	:: the_num >= done[n] -> take_result(the_num)
	:: else
	fi
}

inline ack_down(child, the_num)
{
	ADD(acked[DOWN(child)], the_num);
	n = child - 1;
	if
	:: IS_CHUNK(SLOT(n, the_num), the_num) -> slots[SLOT(n, the_num)].waiting = false
	:: else
	fi;
	pump()
}

/* A copy arrives from the root, with the data that the root had when it sent it. */
inline arrive_copy(node, the_num)
{
	data = DATA(the_num, gives[the_num]);
	n = node;
#ifndef TAKES_OLD_COPIES
	if
	:: the_num >= done[n] -> take_result(the_num)
	:: else
	fi;
#else
	take_result(the_num);
#endif
	ADD(mcast_acks[n], the_num);
	e = UP(n);
	tell()
}

/* multicast_rx.c: multicast_ack */
inline ack_copy(child, the_num)
{
	n = child - 1;
	slots[SLOT(n, the_num)].todo = false;
	pump()
}

/* The origin of an edge learns done of its end, and has news for its own parent. */
inline learn(edge, the_value)
{
	e = edge;
	n = ORIGIN(e);
	peer_done[e] = the_value;
	told[BACK(e)] = told[BACK(e)] & ~(BIT(the_value + 1) - 1);
	announce();
	pump()
}

/* The parent's own copy. Its window is open, or the root would not have sent the result. */
#define MAY_REPAIR(i, the_num) (IS_CHUNK(SLOT(i, the_num), the_num) && BY_MULTICAST(the_num) && \
	slots[SLOT(i, the_num)].have && slots[SLOT(i, the_num)].todo && !slots[SLOT(i, the_num)].repaired && \
	(i > 0 || HAS(copies[0], the_num)))
inline repair(i, the_num)
{
	n = i;
	s = SLOT(i, the_num);
	assert(WINDOW_OPEN(DOWN(i + 1), the_num));
	slots[s].todo = false;
	slots[s].waiting = true;
	slots[s].repaired = true;
	send(DOWN(i + 1), the_num)
}

inline probe(edge)
{
	e = BACK(edge);
	tell();
	if
	:: value > peer_done[edge] -> news = true
	:: else
	fi
}

/* Timers fire when no other step is possible; they must change something. */
inline timers()
{
	news = false;
	c = 0;
	do
	:: c < 2 ->
		data = done[c];
		if
#ifndef NO_REPAIR
		:: data < CHUNKS && MAY_REPAIR(c, data) -> repair(c, data); news = true
#endif
		:: else
		fi;
#if LOSSES > 0
		probe(DOWN(c + 1));
		probe(UP(c + 1));
#endif
		c++
	:: else -> break
	od;
	assert(news)				/* stuck */
}

inline draw(r, from, to)
{
	gives[next_num[r]] = from;
	gets[next_num[r]] = to
}

#define MAY_POST(r) (next_num[r] < CHUNKS && next_num[r] < done[r] + SEGS)
#define IS_DRAWN(r) (gives[next_num[r]] != 0)
#ifdef OVER_IS_NOT_ACKNOWLEDGED
#define ACKS_DOWN(n, num) (HAS_RESULT(n, num) && done[n] <= (num))
#else
#define ACKS_DOWN(n, num) true
#endif
#ifdef ACK_OF_ANY_CHUNK
#define TAKES_ACK(i, the_num) (slots[SLOT(i, the_num)].state == BUSY && slots[SLOT(i, the_num)].have)
#else
#define TAKES_ACK(i, the_num) IS_CHUNK(SLOT(i, the_num), the_num)
#endif
/* A step is chosen by x and y, and then taken, so that the program has its code only once. */
#define CAN_GO_UP(i, the_num) \
	:: HAS(sent[UP(i)], the_num) && !HAS(stored[UP(i)], the_num) -> x = i; y = the_num
#define CAN_ACK_UP(i, the_num) \
	:: HAS(stored[UP(i)], the_num) && !HAS(acked[UP(i)], the_num) -> x = i; y = the_num
#define CAN_GO_DOWN(i, the_num) \
	:: HAS(sent[DOWN(i)], the_num) && !HAS(stored[DOWN(i)], the_num) -> x = i; y = the_num
#define CAN_ACK_DOWN(i, the_num) \
	:: HAS(stored[DOWN(i)], the_num) && !HAS(acked[DOWN(i)], the_num) && ACKS_DOWN(i, the_num) -> x = i; y = the_num
#define CAN_COPY(i, the_num) \
	:: HAS(copies[i], the_num) && (!HAS_RESULT(i, the_num) || !HAS(mcast_acks[i], the_num)) -> x = i; y = the_num
#define CAN_LOSE_COPY(i, the_num) \
	:: losses && HAS(copies[i], the_num) -> x = i; y = the_num
#define CAN_ACK_COPY(i, the_num) \
	:: HAS(mcast_acks[i], the_num) && TAKES_ACK(i - 1, the_num) && slots[SLOT(i - 1, the_num)].todo -> x = i; y = the_num
#define IS_EARLY(i, the_num) \
	:: HAS(mcast_acks[i], the_num) && !TAKES_ACK(i - 1, the_num) && done[i - 1] <= the_num -> x = i; y = the_num
#define CAN_LOSE_ACK(i, the_num) \
	:: losses && HAS(mcast_acks[i], the_num) -> x = i; y = the_num
#define CAN_REPAIR(i, the_num) \
	:: MAY_REPAIR(i - 1, the_num) -> x = i - 1; y = the_num
#define CAN_LEARN(e, the_num) \
	:: HAS(told[BACK(e)], (the_num) + 1) -> x = e; y = (the_num) + 1
#define CAN_LOSE(e, the_num) \
	:: losses && HAS(told[BACK(e)], (the_num) + 1) -> x = e; y = (the_num) + 1
#if CHUNKS == 2
#define CHUNKS_OF(what, i) what(i, 0) what(i, 1)
#else
#define CHUNKS_OF(what, i) what(i, 0) what(i, 1) what(i, 2)
#endif
#define BOTH(what) CHUNKS_OF(what, 1) CHUNKS_OF(what, 2)
#define EDGES(what) CHUNKS_OF(what, UP(1)) CHUNKS_OF(what, UP(2)) CHUNKS_OF(what, DOWN(1)) CHUNKS_OF(what, DOWN(2))
#define CAN_POST(r) :: MAY_POST(r) && IS_DRAWN(r) -> x = r
#define DRAW(r) \
	:: atomic { MAY_POST(r) && !IS_DRAWN(r) -> \
		if \
		:: draw(r, ALL, ALL)	/* ALLREDUCE */ \
		:: draw(r, 1, ALL - 1)	/* BCAST of rank 0 */ \
		:: draw(r, 4, ALL - 4)	/* BCAST of rank 2 */ \
		:: draw(r, ALL, 4)	/* REDUCE to rank 2 */ \
		fi }

active proctype tree()
{
	do
	DRAW(0) DRAW(1) DRAW(2)
	:: atomic { if CAN_POST(0) CAN_POST(1) CAN_POST(2) fi; d_step { post(x); skip } }
	:: atomic { if BOTH(CAN_GO_UP) fi; d_step { arrive_up(x, y); skip } }
	:: atomic { if BOTH(CAN_ACK_UP) fi; d_step { ack_up(x, y); skip } }
	:: atomic { if BOTH(CAN_GO_DOWN) fi; d_step { arrive_down(x, y); skip } }
	:: atomic { if BOTH(CAN_ACK_DOWN) fi; d_step { ack_down(x, y); skip } }
	:: atomic { if BOTH(CAN_COPY) fi; d_step { arrive_copy(x, y); skip } }
	:: atomic { if BOTH(CAN_LOSE_COPY) fi; d_step { CLEAR(copies[x], y); losses-- } }
	:: atomic { if BOTH(CAN_ACK_COPY) fi; d_step { ack_copy(x, y); skip } }
	:: atomic { if BOTH(IS_EARLY) fi; d_step { CLEAR(mcast_acks[x], y); CLEAR(copies[x], y) } }
	:: atomic { if BOTH(CAN_LOSE_ACK) fi; d_step { CLEAR(mcast_acks[x], y); losses-- } }
	:: atomic { if EDGES(CAN_LEARN) fi; d_step { learn(x, y); skip } }
	:: atomic { if EDGES(CAN_LOSE) fi; d_step { CLEAR(told[BACK(x)], y); losses-- } }
#ifdef EARLY_REPAIR
	:: atomic { if BOTH(CAN_REPAIR) fi; d_step { repair(x, y); skip } }
#endif
	:: timeout ->
		if
		:: d_step { done[0] == CHUNKS && done[1] == CHUNKS && done[2] == CHUNKS }; break
		:: else -> d_step { timers(); skip }
		fi
	od
}
