/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The handshake of an edge, epochs, and restarts. Node 0 provides the epoch, and node 1 learns it. Each node may
 * restart once, at any time, and then forgets everything. When it is back, its earlier packets have arrived or are
 * lost (except with QUICK_RESTART); packets to it may still arrive. Each life has a nonce and a first packet number
 * of its own (random numbers of 64 and 32 bits; here they are the number of the life and never collide).
 *
 * Data must be taken only by the life to which they were sent, from the life with which it communicates. A kill must
 * end only its own epoch. In the end the two nodes are open to each other, or an epoch has ended and no living node
 * is open to a life that is over.
 */
#include "common.pml"

#define LIVES 2
#define AT(node, a_life) ((node) * LIVES + (a_life) - 1)

byte life[2] = 1;
byte epoch[2];			/* 0: not known yet */
bool open[2], unconfirmed[2], dead[2];
byte peer[2];			/* the neighbour's nonce; 0: not heard from */
byte noticed;			/* epochs that a node has ended */
/* networks, by sender, and */
int opens[2 * LIVES];		/* life: OPEN with echo, epoch, flag CONFIRM */
int data[2 * LIVES];		/* life: numbered packets for a life of the receiver, with epoch */
byte kills[2];			/* epochs */
bool restarted[2];
hidden byte answer_echo, answer_epoch, answer_flag;
hidden byte echoed, was_open;

#define OPEN(echo, the_epoch, flag) (((echo) * 3 + (the_epoch)) * 2 + (flag))
#define DATA(to, the_epoch) ((to) * 3 + (the_epoch))

inline send_open(node, echo, the_epoch, flag)
{
	ADD(opens[AT(node, life[node])], OPEN(echo, the_epoch, flag))
}

inline end_epoch(node)
{
	dead[node] = true;
	ADD(noticed, epoch[node]);
	ADD(kills[node], epoch[node])
}

/* handshake.c: confirmed */
inline confirmed(node, the_epoch)
{
	if
	:: node == 1 && !epoch[1] && the_epoch -> epoch[1] = the_epoch
	:: else
	fi;
	if
	:: epoch[node] && epoch[node] == the_epoch ->
		open[node] = true;
		unconfirmed[node] = true
	:: else
	fi
}

#ifdef NO_NONCE
#define ECHOED(node, echo) true
#else
#define ECHOED(node, echo) ((echo) == life[node])
#endif
#ifdef CHALLENGE_TELLS_EPOCH
#define CHALLENGE_EPOCH(node) epoch[node]
#else
#define CHALLENGE_EPOCH(node) 0	/* it only asks for an answer, and opens nothing */
#endif

/* handshake.c: handshake_packet */
inline take_open(node, nonce, echo, the_epoch, flag)
{
	echoed = ECHOED(node, echo);
	was_open = open[node];
	if
	:: !was_open ->
		peer[node] = nonce;
		if
		:: echoed -> confirmed(node, the_epoch)
		:: else
		fi
	:: else
	fi;
	if
	:: was_open && nonce != peer[node] && echoed && !(flag) ->
#ifndef OLD_LIFE_IS_KEPT
		end_epoch(node)
#else
		skip
#endif
	:: else ->
		if
		:: flag ->
			if
			:: echoed && nonce == peer[node] && open[node] -> unconfirmed[node] = false
			:: else
			fi
		:: else ->
			if
			:: open[node] && nonce == peer[node] -> send_open(node, nonce, epoch[node], 1)
			:: open[node] && nonce != peer[node] -> send_open(node, nonce, CHALLENGE_EPOCH(node), 0)
			:: !open[node] && !echoed -> send_open(node, nonce, epoch[node], 0)
			:: else
			fi
		fi
	fi
}

#ifdef NO_FIRST_NUMBER
#define IS_NUMBERED_FOR(node, from) true
#else
#define IS_NUMBERED_FOR(node, from) (peer[node] == (from))
#endif
#ifdef NO_EPOCH_CHECK
#define IS_OF_EPOCH(node, the_epoch) true
#else
#define IS_OF_EPOCH(node, the_epoch) (epoch[node] == (the_epoch) && (the_epoch))
#endif

inline take_data(node, from, to, the_epoch)
{
	assert(to == life[node] && from == peer[node] && the_epoch == epoch[node])
}

inline take_kill(node, the_epoch)
{
	assert(HAS(noticed, epoch[node]));
	dead[node] = true
}

inline restart(node)
{
	restarted[node] = true;
#ifndef QUICK_RESTART
	opens[AT(node, life[node])] = 0;
	data[AT(node, life[node])] = 0;
#endif
	life[node]++;
	epoch[node] = (node == 0 -> life[0] : 0);
	open[node] = false;
	unconfirmed[node] = false;
	dead[node] = false;
	peer[node] = 0
}

#ifdef OPEN_IS_SILENT
#define REPEATS_OPEN(node) (!dead[node] && !open[node])
#else
#define REPEATS_OPEN(node) (!dead[node] && (!open[node] || unconfirmed[node]))
#endif
#define MY_OPEN(node) OPEN(peer[node], epoch[node], 0)
#define MY_DATA(node) DATA(peer[node], epoch[node])

/* Whether a packet would change anything. */
#define ANSWER(node, nonce) (open[node] -> \
	((nonce) == peer[node] -> OPEN(nonce, epoch[node], 1) : OPEN(nonce, CHALLENGE_EPOCH(node), 0)) : \
	OPEN(nonce, epoch[node], 0))
#define IS_ANSWERED(node, nonce) HAS(opens[AT(node, life[node])], ANSWER(node, nonce))
#define OPENS(node, the_epoch) (!open[node] && (the_epoch) && \
	(epoch[node] == (the_epoch) || (node == 1 && !epoch[node])))
#define IS_NEWS(node, nonce, echo, the_epoch, flag) (!dead[node] && \
	((!open[node] && peer[node] != (nonce)) || \
	 (ECHOED(node, echo) && (OPENS(node, the_epoch) || ENDS(node, nonce, flag))) || \
	 (flag && ECHOED(node, echo) && (nonce) == peer[node] && unconfirmed[node]) || \
	 (!flag && !(!open[node] && ECHOED(node, echo)) && !IS_ANSWERED(node, nonce))))
#ifdef OLD_LIFE_IS_KEPT
#define ENDS(node, nonce, flag) false
#else
#define ENDS(node, nonce, flag) (open[node] && (nonce) != peer[node] && !(flag))
#endif

#define RX_OPEN(node, nonce, echo, the_epoch, flag) \
	:: d_step { HAS(opens[AT(1 - node, nonce)], OPEN(echo, the_epoch, flag)) && \
		    IS_NEWS(node, nonce, echo, the_epoch, flag) -> \
		take_open(node, nonce, echo, the_epoch, flag); skip } \
	:: d_step { HAS(opens[AT(1 - node, nonce)], OPEN(echo, the_epoch, flag)) && losses -> \
		CLEAR(opens[AT(1 - node, nonce)], OPEN(echo, the_epoch, flag)); losses-- }
#define RX_OPENS3(node, nonce, echo, flag) \
	RX_OPEN(node, nonce, echo, 0, flag) RX_OPEN(node, nonce, echo, 1, flag) RX_OPEN(node, nonce, echo, 2, flag)
#define RX_OPENS2(node, nonce, flag) \
	RX_OPENS3(node, nonce, 0, flag) RX_OPENS3(node, nonce, 1, flag) RX_OPENS3(node, nonce, 2, flag)
#define RX_DATA(node, from, to, the_epoch) \
	:: d_step { HAS(data[AT(1 - node, from)], DATA(to, the_epoch)) && !dead[node] && open[node] && \
		    IS_NUMBERED_FOR(node, from) && IS_OF_EPOCH(node, the_epoch) -> \
		take_data(node, from, to, the_epoch); \
		CLEAR(data[AT(1 - node, from)], DATA(to, the_epoch)) }
#define RX_KILL(node, the_epoch) \
	:: d_step { HAS(kills[1 - node], the_epoch) && !dead[node] && epoch[node] && IS_OF_EPOCH(node, the_epoch) -> \
		take_kill(node, the_epoch); skip }
#define RX_LIFE(node, from) \
	RX_OPENS2(node, from, 0) RX_OPENS2(node, from, 1) \
	RX_DATA(node, from, 1, 1) RX_DATA(node, from, 1, 2) RX_DATA(node, from, 2, 1) RX_DATA(node, from, 2, 2)
#define NODE(node) \
	:: d_step { REPEATS_OPEN(node) && !HAS(opens[AT(node, life[node])], MY_OPEN(node)) -> \
		ADD(opens[AT(node, life[node])], MY_OPEN(node)) } \
	:: d_step { open[node] && !dead[node] && !sent[node] -> \
		sent[node] = true; ADD(data[AT(node, life[node])], MY_DATA(node)) } \
	:: d_step { !restarted[node] -> restart(node); sent[node] = false } \
	RX_LIFE(node, 1) RX_LIFE(node, 2) RX_KILL(node, 1) RX_KILL(node, 2)
bool sent[2];

#define IS_OPEN_TO(node) (open[node] && peer[node] == life[1 - node])
#define IS_LEFT_ALONE(node) (!dead[node] && open[node] && (dead[1 - node] || peer[node] != life[1 - node]))

active proctype edge()
{
	epoch[0] = 1;
	do
	NODE(0)
	NODE(1)
	:: timeout ->
		d_step {
			assert(dead[0] || dead[1] || (IS_OPEN_TO(0) && IS_OPEN_TO(1) && epoch[0] == epoch[1]));
			assert(!IS_LEFT_ALONE(0) && !IS_LEFT_ALONE(1))
		};
		break
	od
}
