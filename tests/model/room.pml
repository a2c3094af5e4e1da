/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Numbers of an edge and answers BUSY. A chunk sends a packet of each of KINDS over the edge. Numbers are given in order,
 * and the last one is less than WINDOW ahead of the oldest that is not acknowledged. BUSY leaves a number unacknowledged.
 * The receiver always stores packets of its oldest chunk. Younger chunks take cells, of which there are CELLS; other packets
 * are answered BUSY. Chunks become ready in any order, as in a ring, where a chunk begins at one of the nodes.
 *
 * The sender keeps numbers for all packets of the chunks before one that it has sent. Without that, younger chunks that
 * wait for cells occupy the window, and the oldest chunk, for which those cells wait, gets no number.
 */
#include "common.pml"

#ifndef WINDOW
#define WINDOW 3
#endif
#ifndef KINDS
#define KINDS 2
#endif
#ifndef CELLS
#define CELLS 1
#endif
#define CHUNKS 4
#define PACKETS (CHUNKS * KINDS)
#define CHUNK(p) ((p) / KINDS)
#define ALL (BIT(PACKETS) - 1)
#define OF(chunk) ((BIT(KINDS) - 1) << (chunk) * KINDS)

short ready, sent, stored, acked;	/* packets */
byte other;				/* chunks whose other inputs the receiver has */
byte done_here, done_there;		/* of the sender, of the receiver */
byte at[PACKETS];			/* number of a packet */
byte una, next;				/* oldest number that is not acknowledged; next one to give */
byte top, counted;			/* 1 + youngest chunk sent; packets sent of chunks from done_here on */
byte in_cells;
hidden byte x;

#ifdef NO_NUMBER_KEPT
#define NEEDS(p) 1
#else
#define NEEDS(p) (CHUNK(p) < top -> 1 : (CHUNK(p) + 1 - done_here) * KINDS - counted)
#endif
#define MAY_USE(p) (next - una + NEEDS(p) <= WINDOW)
#ifdef OLDEST_TAKES_CELLS
#define HAS_ROOM(p) (in_cells < CELLS)
#else
#define HAS_ROOM(p) (CHUNK(p) == done_there || in_cells < CELLS)
#endif

/* The packets of the oldest chunk move from their cells to its slot. */
inline empty_cells()
{
	x = 0;
	do
	:: x < PACKETS && CHUNK(x) == done_there && HAS(stored, x) -> in_cells--; x++
	:: x < PACKETS && !(CHUNK(x) == done_there && HAS(stored, x)) -> x++
	:: else -> break
	od
}

inline advance()
{
	do
	:: done_there < CHUNKS && HAS(other, done_there) && SUBSET(OF(done_there), stored) ->
		done_there++;
		empty_cells()
	:: else -> break
	od
}

inline store(p)
{
	ADD(stored, p);
	in_cells = in_cells + (CHUNK(p) != done_there);
	advance()
}

inline send(p)
{
	ADD(sent, p);
	at[p] = next;
	next++;
	counted++;
	top = (CHUNK(p) < top -> top : CHUNK(p) + 1)
}

inline acknowledge(p)
{
	ADD(acked, p);
	una = next;
	x = 0;
	do
	:: x < PACKETS && HAS(sent, x) && !HAS(acked, x) && at[x] < una -> una = at[x]; x++
	:: x < PACKETS && !(HAS(sent, x) && !HAS(acked, x) && at[x] < una) -> x++
	:: else -> break
	od;
	do
	:: done_here < CHUNKS && SUBSET(OF(done_here), acked) -> done_here++; counted = counted - KINDS
	:: else -> break
	od
}

#define PACKET(p) \
	:: d_step { !HAS(ready, p) -> ADD(ready, p) } \
	:: d_step { HAS(ready, p) && !HAS(sent, p) && MAY_USE(p) -> send(p); skip } \
	:: d_step { HAS(sent, p) && !HAS(stored, p) && CHUNK(p) >= done_there && HAS_ROOM(p) -> store(p); skip } \
	:: d_step { HAS(stored, p) && !HAS(acked, p) -> acknowledge(p); skip }
#define CHUNK_INPUT(c) :: d_step { !HAS(other, c) -> ADD(other, c); advance(); skip }

active proctype edge()
{
	do
	PACKET(0) PACKET(1) PACKET(2) PACKET(3)
#if KINDS == 2
	PACKET(4) PACKET(5) PACKET(6) PACKET(7)
#endif
	CHUNK_INPUT(0) CHUNK_INPUT(1) CHUNK_INPUT(2) CHUNK_INPUT(3)
	:: timeout ->
		assert(done_here == CHUNKS && done_there == CHUNKS);	/* stuck */
		assert(in_cells == 0 && una == next);
		break
	od
}
