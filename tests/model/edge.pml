/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One direction of an edge: numbers, anti-replay window, acknowledgement, retransmission, BUSY, and the order of
 * triggered messages to one counter. Every packet must be stored exactly once and acknowledged. The packets of one
 * counter must be stored in the order in which they were sent. Retries may run out only if packets are lost.
 */
#include "common.pml"

#ifndef WINDOW
#define WINDOW 3
#endif
#ifndef PACKETS
#define PACKETS 5
#endif
#ifndef BUSY
#define BUSY (LOSSES + 2)	/* number of times that the receiver has no room */
#endif
#define FIRST WINDOW		/* the first number: large enough that no number is negative */
#define LAST (FIRST + PACKETS)
#define RETRY_LIMIT (LOSSES + 1)

#ifdef FULL_WINDOW_AHEAD
#define AHEAD (WINDOW + 1)
#else
#define AHEAD WINDOW
#endif

/* Triggered messages to two counters in turn. Each names the previous message to the same counter. */
#define COUNTER(seq) ((seq) % 2)

byte tx_next = FIRST, tx_una = FIRST;
int acked;			/* numbers that the sender knows to be stored */
byte before[LAST];		/* the number that must be stored before this one; its own: none */
byte retries;
byte rx_top = FIRST - 1;
int rx_seen = BIT(WINDOW) - 1;	/* bit k: number rx_top - k */
int stored;
byte newest[2];			/* by counter: the last number stored */
int data;			/* network: numbers */
int refused;			/* network: BUSY, by number */
byte acks[LAST];		/* network: by rx_top, a set of rx_seen */
byte busy_left = BUSY;
hidden byte i;		/* only for one step */

#define IN_WINDOW(seq) ((seq) > rx_top || rx_top - (seq) < WINDOW)
#define IS_SEEN(seq) ((seq) <= rx_top && HAS(rx_seen, rx_top - (seq)))
#ifdef NO_TURN
#define IN_TURN(seq) true
#else
#define IN_TURN(seq) (before[seq] == (seq) || \
		      (before[seq] <= rx_top && (rx_top - before[seq] >= WINDOW || IS_SEEN(before[seq]))))
#endif
#ifdef NO_ANTI_REPLAY
#define ACCEPTS(seq) (HAS(data, seq) && IN_TURN(seq))
#else
#define ACCEPTS(seq) (HAS(data, seq) && IN_WINDOW(seq) && !IS_SEEN(seq) && IN_TURN(seq))
#endif
#define IS_DUPLICATE(seq) (HAS(data, seq) && IN_WINDOW(seq) && IS_SEEN(seq))

inline mark(seq)
{
	if
	:: seq > rx_top ->
		rx_seen = (rx_seen << (seq - rx_top)) & (BIT(WINDOW) - 1);
		rx_top = seq
	:: else
	fi;
	if
	:: rx_top - seq < WINDOW -> ADD(rx_seen, rx_top - seq)
	:: else
	fi
}

inline send_ack()
{
	ADD(acks[rx_top], rx_seen)
}

inline send()
{
	before[tx_next] = tx_next;
	i = tx_una;
	do
	:: i < tx_next ->
		if
		:: !HAS(acked, i) && COUNTER(i) == COUNTER(tx_next) -> before[tx_next] = i
		:: else
		fi;
		i++
	:: else -> break
	od;
	ADD(data, tx_next);
	tx_next++
}

inline store(seq)
{
	assert(!HAS(stored, seq));			/* counted twice */
	assert(newest[COUNTER(seq)] < seq);		/* overtaken */
	newest[COUNTER(seq)] = seq;
	ADD(stored, seq);
	mark(seq);
	send_ack()
}

inline no_room(seq)
{
	busy_left--;
	CLEAR(data, seq);
	ADD(refused, seq);
#ifdef MARK_SEEN_BEFORE_STORE
	mark(seq)
#endif
}

inline take_busy(seq)
{
	CLEAR(refused, seq);
#ifndef BUSY_COSTS_RETRY
	if
	:: seq >= tx_una && seq < tx_next -> retries = 0
	:: else
	fi
#endif
}

#ifdef ACK_IS_CUMULATIVE
#define ACKS(top, mask, seq) ((seq) <= (top))
#else
#define ACKS(top, mask, seq) ((seq) <= (top) && (top) - (seq) < WINDOW && HAS(mask, (top) - (seq)))
#endif

/* Whether an acknowledgement is news about a number of the sender's window, which has at most four. */
#define NEWS1(top, mask, seq) ((seq) < tx_next && !HAS(acked, seq) && ACKS(top, mask, seq))
#define NEWS(top, mask) (NEWS1(top, mask, tx_una) || NEWS1(top, mask, tx_una + 1) || \
			 NEWS1(top, mask, tx_una + 2) || NEWS1(top, mask, tx_una + 3))

inline take_ack(the_top, mask)
{
	i = tx_una;
	do
	:: i < tx_next ->
		if
		:: ACKS(the_top, mask, i) -> ADD(acked, i)
		:: else
		fi;
		i++
	:: else -> break
	od;
	do
	:: tx_una < tx_next && HAS(acked, tx_una) -> tx_una++
	:: else -> break
	od;
	retries = 0
}

/* The time-out, when no other step is possible. An early one would only make a duplicate, which is always possible. */
inline retransmit()
{
	retries++;
	assert(retries <= RETRY_LIMIT);
#ifndef NO_RETRANSMIT
	i = tx_una;
	do
	:: i < tx_next ->
		if
		:: !HAS(acked, i) -> ADD(data, i)
		:: else
		fi;
		i++
	:: else -> break
	od
#endif
}

#ifdef NO_DUPLICATE_ACK
#define DUPLICATE(seq) :: false -> skip
#else
#define DUPLICATE(seq) :: d_step { IS_DUPLICATE(seq) && !HAS(acks[rx_top], rx_seen) -> send_ack() }
#endif
#define PACKET(seq) \
	:: d_step { ACCEPTS(seq) -> store((seq)); skip } \
	:: d_step { ACCEPTS(seq) && busy_left -> no_room((seq)); skip } \
	:: d_step { HAS(data, seq) && losses -> CLEAR(data, seq); losses-- } \
	:: d_step { HAS(refused, seq) -> take_busy((seq)); skip } \
	:: d_step { HAS(refused, seq) && losses -> CLEAR(refused, seq); losses-- } \
	DUPLICATE(seq)
#define ACK(top, mask) \
	:: d_step { HAS(acks[top], mask) && NEWS(top, mask) -> take_ack((top), mask); skip } \
	:: d_step { HAS(acks[top], mask) && losses -> CLEAR(acks[top], mask); losses-- }
#define ACKS_AT(top) ACK(top, 1) ACK(top, 3) ACK(top, 5) ACK(top, 7)

active proctype edge()
{
	do
	:: d_step { tx_next < LAST && tx_next - tx_una < AHEAD -> send(); skip }
	PACKET(FIRST) PACKET(FIRST + 1) PACKET(FIRST + 2) PACKET(FIRST + 3)
	ACKS_AT(FIRST) ACKS_AT(FIRST + 1) ACKS_AT(FIRST + 2) ACKS_AT(FIRST + 3)
#if PACKETS > 4
	PACKET(FIRST + 4) ACKS_AT(FIRST + 4)
#endif
	:: d_step { tx_una == LAST -> assert(stored == BIT(LAST) - BIT(FIRST)) }; break
	:: timeout -> d_step { retransmit(); skip }
	od
}
