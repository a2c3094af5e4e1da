/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Slots, windows and done of modes without a root. exchange.pml and ring.pml define the flows of a chunk and include
 * this file. A flow carries the output of one stage of a chunk from one node to another, as an input of one of the
 * receiver's stages. There are three nodes with one rank each. As in slot.pml, the edges are assumed to do what
 * edge.pml shows: a chunk that was sent is stored once, at any later time, and acknowledged at any time after that;
 * until it is stored, the packet has the data that the slot holds at its arrival. Packets that tell done may be
 * overtaken, and are lost one by one.
 *
 * Every rank must get the data of all ranks that give, of this chunk, once each. In the end every rank has posted
 * and got everything, and no slot is busy.
 *
 * The including file defines STAGES; FLOWS; FROM(f) and TO(f); FROM_STAGE(f); IN_STAGE(stage), a set of flows;
 * USES(f, num); TAKES_OWN(i, stage, num), whether the previous stage is an input too; GIVES(i, num) and GETS(i, num);
 * EXPECT(num), a set of ranks; LINKS, the number of pairs of nodes that have a flow; LINK(f); SOURCE(link) and
 * END(link).
 */
#include "common.pml"

#ifndef SEGS
#define SEGS 1
#endif
#define NODES 3
#ifndef FLOW_SET
#define FLOW_SET byte
#endif
#define SLOW 2			/* writes to this rank's memory take time, those to others do not */
#define LAST_STAGE (STAGES - 1)

#define SLOT(i, num) ((i) * SEGS + (num) % SEGS)
#define DATA(num, ranks) ((num) << 4 | (ranks))	/* content of a buffer */
#define IS_RIGHT(s) (slots[s].data[LAST_STAGE] == DATA(slots[s].num, EXPECT(slots[s].num)))

mtype = { FREE, BUSY, FINISHED };

typedef slot {
	mtype state = FREE;
	byte num;
	FLOW_SET missing, todo, waiting;	/* flows: to arrive, to be sent, to be acknowledged */
	byte complete;			/* stages */
	bool posted, delivered, delivering;
	byte data[STAGES];
};

slot slots[NODES * SEGS];
byte done[NODES];
byte next_num[NODES];
byte sent[FLOWS], stored[FLOWS], acked[FLOWS];	/* chunks */
byte told[LINKS];		/* network: values of done, from the link's end to its source */
byte peer_done[LINKS];		/* the values of done that the sources know */
hidden byte n, s, k, f, c, data;	/* only for one step: node, slot, stage, flow, link or chunk */
hidden byte i, x, y, again, news;

#ifdef NO_WINDOW_CHECK
#define WINDOW_OPEN(f, num) true
#elif defined(FIRST_ROUND_WINDOW)
#define WINDOW_OPEN(f, num) (FROM_STAGE(f) > 0 || (num) < peer_done[LINK(f)] + SEGS)
#else
#define WINDOW_OPEN(f, num) ((num) < peer_done[LINK(f)] + SEGS)
#endif
#ifdef NO_LOCAL_WINDOW
#define LOCAL_WINDOW_OPEN(i, num) true
#else
#define LOCAL_WINDOW_OPEN(i, num) ((num) < done[i] + SEGS)
#endif
#ifdef NO_SERIAL_MAXIMUM
#define IS_NEWS(link, value) ((value) > 0)
#else
#define IS_NEWS(link, value) ((value) > peer_done[link])	/* other values change nothing */
#endif

/* Every packet tells the sender's done to its neighbours; in this model, only to those that send to the node. */
inline tell(link)
{
	if
	:: IS_NEWS(link, done[END(link)]) -> ADD(told[link], done[END(link)])
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
		k = 0;
		do
		:: k < STAGES -> slots[s].data[k] = DATA(the_num, 0); k++
		:: else -> break
		od;
		f = 0;
		do
		:: f < FLOWS ->
			if
			:: USES(f, the_num) && TO(f) == n -> ADD(slots[s].missing, f)
			:: USES(f, the_num) && FROM(f) == n -> ADD(slots[s].todo, f)
			:: else
			fi;
			f++
		:: else -> break
		od
	:: else
	fi
}

inline combine(stage, the_data)
{
	assert((slots[s].data[stage] & (the_data) & 15) == 0);	/* counted twice */
	slots[s].data[stage] = slots[s].data[stage] | (the_data)
}

inline free()
{
	slots[s].state = FREE;
	slots[s].num = 0;
	slots[s].complete = 0;
	slots[s].missing = 0;
	slots[s].todo = 0;
	slots[s].waiting = 0;
	slots[s].posted = false;
	slots[s].delivered = false;
	k = 0;
	do
	:: k < STAGES -> slots[s].data[k] = 0; k++
	:: else -> break
	od
}

/* Tells done unasked. If a packet to the neighbour carries done instead, the network is the same. */
inline announce()
{
	skip;
#ifndef NO_ANNOUNCE
	c = 0;
	do
	:: c < LINKS ->
		if
		:: END(c) == n -> tell(c)
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

inline send_flows()
{
	f = 0;
	do
	:: f < FLOWS ->
		if
		:: HAS(slots[s].todo, f) && HAS(slots[s].complete, FROM_STAGE(f)) &&
		   WINDOW_OPEN(f, slots[s].num) ->
			CLEAR(slots[s].todo, f);
			ADD(slots[s].waiting, f);
			ADD(sent[f], slots[s].num)
		:: else
		fi;
		f++
	:: else -> break
	od
}

inline complete_stages()
{
	k = 0;
	do
	:: k < STAGES ->
		if
		:: !HAS(slots[s].complete, k) && !(slots[s].missing & IN_STAGE(k)) &&
		   (k > 0 || slots[s].posted || !GIVES(n, slots[s].num)) &&
		   (k == 0 || !TAKES_OWN(n, k, slots[s].num) || HAS(slots[s].complete, k - 1)) ->
			ADD(slots[s].complete, k);
			if
			:: k > 0 && TAKES_OWN(n, k, slots[s].num) -> combine(k, slots[s].data[k - 1])
			:: else
			fi
		:: else
		fi;
		k++
	:: else -> break
	od
}

inline deliver()
{
	if
	:: HAS(slots[s].complete, LAST_STAGE) && slots[s].posted && GETS(n, slots[s].num) &&
	   !slots[s].delivered && !slots[s].delivering ->
		assert(IS_RIGHT(s));
		slots[s].delivered = n != SLOW;
		slots[s].delivering = n == SLOW
	:: else
	fi
}

#ifdef FREE_SLOT_BEFORE_ACK
#define UNACKED false
#else
#define UNACKED slots[s].waiting
#endif
#ifdef FREE_SLOT_BEFORE_WRITE
#define UNWRITTEN (GETS(n, slots[s].num) && !(slots[s].delivered || slots[s].delivering))
#else
#define UNWRITTEN (GETS(n, slots[s].num) && !slots[s].delivered)
#endif
#ifdef DONE_OF_FIRST_ROUND
#define LACKS (slots[s].missing & IN_STAGE(1))
#else
#define LACKS (slots[s].missing || UNWRITTEN)
#endif

/* segment.c: slot_pump */
inline pump_slot()
{
	complete_stages();
	send_flows();
	deliver();
	if
	:: LACKS || slots[s].todo || UNACKED || !slots[s].posted
	:: else ->
		slots[s].state = FINISHED;
		again = true;
		advance_done()
	fi
}

#define IS_OVER(chunk) (done[0] > (chunk) && done[1] > (chunk) && done[2] > (chunk))

/* Clears the past, which is no part of the state. */
inline sweep()
{
	c = 0;
	do
	:: c < CHUNKS && IS_OVER(c) ->
		f = 0;
		do
		:: f < FLOWS ->
			CLEAR(sent[f], c);
			CLEAR(stored[f], c);
			CLEAR(acked[f], c);
			f++
		:: else -> break
		od;
		c++
	:: else -> break
	od
}

inline pump()
{
	again = true;
	do
	:: again ->
		again = false;
		i = 0;
		do
		:: i < SEGS ->
			s = n * SEGS + i;
			if
			:: slots[s].state == BUSY -> pump_slot()
			:: else
			fi;
			i++
		:: else -> break
		od
	:: else -> break
	od;
	sweep()
}

inline post(node)
{
	n = node;
	open(next_num[n]);
	slots[s].posted = true;
	if
	:: GIVES(n, next_num[n]) -> combine(0, BIT(n))
	:: else
	fi;
	next_num[n]++;
	pump()
}

/* The data of a flow arrive, for the stage that takes this flow. */
inline arrive(flow, the_num)
{
	ADD(stored[flow], the_num);
	data = slots[SLOT(FROM(flow), the_num)].data[FROM_STAGE(flow)];
	n = TO(flow);
	open(the_num);
	assert(HAS(slots[s].missing, flow));
	CLEAR(slots[s].missing, flow);
	k = 0;
	do
#ifdef ROUNDS_SHARE_SEGMENT
	:: HAS(slots[s].complete, k) || (k > 0 && !IN_STAGE(k)) -> k++
#else
	:: !HAS(IN_STAGE(k), flow) -> k++
#endif
	:: else -> break
	od;
	combine(k, data);
	c = LINK(flow);
	tell(c);			/* by the acknowledgement */
	pump()
}

inline acknowledge(flow, the_num)
{
	ADD(acked[flow], the_num);
	n = FROM(flow);
	CLEAR(slots[SLOT(n, the_num)].waiting, flow);
	pump()
}

/* The result is in memory. */
inline written(the_num)
{
	n = SLOW;
	s = SLOT(n, the_num);
	assert(IS_RIGHT(s) && slots[s].num == the_num);
	slots[s].delivering = false;
	slots[s].delivered = true;
	pump()
}

/* The source of a link learns done of its end. */
inline learn(link, value)
{
	n = SOURCE(link);
	CLEAR(told[link], value);
	peer_done[link] = value;
#ifndef NO_SERIAL_MAXIMUM
	told[link] = told[link] & ~(BIT(value) - 1);
#endif
	pump()
}

/* probe.c: waits_on, for the oldest chunk. Probes are sent when no other step is possible; an answer must be news. */
inline probe_all()
{
	news = false;
#if !defined(NO_PROBE) && LOSSES > 0
	f = 0;
	do
	:: f < FLOWS ->
		s = SLOT(FROM(f), done[FROM(f)]);
		if
		:: slots[s].state == BUSY && slots[s].num == done[FROM(f)] && HAS(slots[s].todo, f) &&
		   done[TO(f)] > peer_done[LINK(f)] ->
			ADD(told[LINK(f)], done[TO(f)]);
			news = true
		:: else
		fi;
		f++
	:: else -> break
	od;
#endif
	assert(news)				/* stuck */
}

/* A step is chosen by x and y, and then taken, so that the program has its code only once. */
#define CAN_POST(i) \
	:: next_num[i] < CHUNKS && LOCAL_WINDOW_OPEN(i, next_num[i]) -> x = i
#define CAN_ARRIVE(f, num) \
	:: HAS(sent[f], num) && !HAS(stored[f], num) -> x = f; y = num
#define CAN_ACK(f, num) \
	:: HAS(stored[f], num) && !HAS(acked[f], num) -> x = f; y = num
#define CAN_LEARN(link, num) \
	:: HAS(told[link], (num) + 1) -> x = link; y = (num) + 1
#define CAN_LOSE(link, num) \
	:: losses && HAS(told[link], (num) + 1) -> x = link; y = (num) + 1
#define CAN_WRITE(i, chunk) \
	:: slots[SLOT(i, chunk)].delivering && slots[SLOT(i, chunk)].num == chunk -> y = chunk
#if CHUNKS == 2
#define CHUNKS_OF(what, f) what(f, 0) what(f, 1)
#elif CHUNKS == 3
#define CHUNKS_OF(what, f) what(f, 0) what(f, 1) what(f, 2)
#else
#define CHUNKS_OF(what, f) what(f, 0) what(f, 1) what(f, 2) what(f, 3)
#endif

active proctype nodes()
{
	do
	:: atomic { if CAN_POST(0) CAN_POST(1) CAN_POST(2) fi; d_step { post(x); skip } }
	:: atomic { if ALL_FLOWS(CAN_ARRIVE) fi; d_step { arrive(x, y); skip } }
	:: atomic { if ALL_FLOWS(CAN_ACK) fi; d_step { acknowledge(x, y); skip } }
	:: atomic { if ALL_LINKS(CAN_LEARN) fi; d_step { learn(x, y); skip } }
	:: atomic { if ALL_LINKS(CAN_LOSE) fi; d_step { CLEAR(told[x], y); losses-- } }
	:: atomic { if CHUNKS_OF(CAN_WRITE, SLOW) fi; d_step { written(y); skip } }
	:: timeout ->
		if
		:: d_step { done[0] == CHUNKS && done[1] == CHUNKS && done[2] == CHUNKS }; break
		:: else -> d_step { probe_all(); skip }
		fi
	od
}
