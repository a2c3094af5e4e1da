/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The end of an epoch. A chain of three nodes has one work request at each node. Nodes notice causes of different
 * weight: an event, a missing rank, a missing contributor. A node with a report floods it and repeats it until it is
 * acknowledged; the better report wins. Reports are collected until the flood is over (with SHORT_COLLECT, until any
 * time). In the end every node is dead, every request has had one outcome, no memory was written after the outcome,
 * the completion of the ABORT came last, and all nodes have the same report, the best of all.
 */
#include "common.pml"

#define NODES 3
#define PARENT(i) ((i) - 1)
#define UP(i) (i)
#define DOWN(i) (NODES + (i))
#define ORIGIN(e) ((e) < NODES -> (e) : PARENT((e) - NODES))
#define END(e) ((e) < NODES -> PARENT(e) : (e) - NODES)
#define BACK(e) ((e) < NODES -> (e) + NODES : (e) - NODES)
#define EDGES (2 * NODES)

/*
 * A report consists of its weight, its detector (a deeper one is better and has a higher number), and whether it
 * comes from a time limit, to which others add what they know.
 */
#define REPORT(weight, detector, timed) ((weight) << 3 | (detector) << 1 | (timed))
#define DETECTOR(report) ((report) >> 1 & 3)
#define BETTER(a, b) ((a) >> 1 > (b) >> 1)
#ifdef FIRST_REPORT_STAYS
#define WINS(a, b) false
#else
#define WINS(a, b) BETTER(a, b)
#endif
#define EVENT 3
#define RANK_MISSING 2
#define CONTRIBUTOR_MISSING 1

#define LATE 2		/* the rank of this node has not posted */
#define WAITING 0	/* this node has done its part and waits for the result */
#define ABORTER 1
#define HAS_VIEW(i) ((i) != WAITING)
/* Weight of a node's own report. */
#define KNOWN(i) (HAS_VIEW(i) * (((i) == LATE) * RANK_MISSING + ((i) != LATE) * CONTRIBUTOR_MISSING))

#ifdef ACK_NAMES_DETECTOR
#define NAME(report) DETECTOR(report)
#else
#define NAME(report) (report)
#endif

mtype = { ALIVE, COLLECT, DEAD };
mtype state[NODES] = ALIVE;
byte report[NODES];
int kills[EDGES];		/* network: reports */
int acks[EDGES];		/* network: names of reports */
bool sending[EDGES];		/* a kill has not been acknowledged */
byte notices = 2;		/* number of causes that nodes may still notice */
byte best;
bool untimed;			/* another cause than a time limit was noticed */
/* state of the work requests */
bool writing;			/* at ABORTER: the result is being written to memory, whatever ends */
bool outcomes[NODES];
bool aborting, abort_done;	/* at ABORTER */
bool over;			/* the flood is over */
hidden byte e, r, n, back, news;	/* only for one step */

inline complete(node)
{
	assert(!outcomes[node]);
	assert(node != ABORTER || !abort_done);
	outcomes[node] = true
}

inline flood(node, except)
{
	e = 1;
	do
	:: e < EDGES ->
		if
		:: e != NODES && ORIGIN(e) == node && e != except ->
			sending[e] = true;
			ADD(kills[e], report[node])
		:: else
		fi;
		e++
	:: else -> break
	od
}

/* kill.c: consider; `from` is the edge back to the sender of the report, 0: none */
inline consider(node, new, from)
{
	if
	:: state[node] == ALIVE || (state[node] == COLLECT && WINS(new, report[node])) ->
		state[node] = COLLECT;
		report[node] = new;
		if
		:: BETTER(new, best) -> best = new
		:: else
		fi;
		flood(node, from)
	:: else
	fi
}

inline notice(node, new)
{
	notices--;
	untimed = untimed || !(new & 1);
	r = new;
	consider(node, r, 0)
}

inline take_kill(edge, new)
{
	n = END(edge);
	ADD(acks[BACK(edge)], NAME(new));
	r = new;
	back = BACK(edge);
	consider(n, r, back);
#ifndef NO_OWN_VIEW
	if
	:: (new & 1) && HAS_VIEW(n) && state[n] == COLLECT ->
		r = REPORT(KNOWN(n), n, 1);
		consider(n, r, 0)
	:: else
	fi
#endif
}

/* Whether a kill changes anything. */
#ifdef NO_OWN_VIEW
#define ADDS(n, new) false
#else
#define ADDS(n, new) (((new) & 1) && HAS_VIEW(n) && WINS(REPORT(KNOWN(n), n, 1), report[n]))
#endif
#define IS_NEWS(edge, new) (!HAS(acks[BACK(edge)], NAME(new)) || state[END(edge)] == ALIVE || \
	(state[END(edge)] == COLLECT && (WINS(new, report[END(edge)]) || ADDS(END(edge), new))))

inline finish(node)
{
	state[node] = DEAD;
	if
	:: !outcomes[node] ->
#ifdef NO_WAIT_FOR_WRITE
		complete(node)
#else
		if
		:: node != ABORTER || !writing -> complete(node)
		:: else
		fi
#endif
	:: else
	fi
}

/* The write ends, and with it the request, in success or failure. */
inline written(node)
{
	assert(!outcomes[node]);	/* the memory belongs to the program again */
	writing = false;
	complete(node)
}

#ifdef ABORT_NOT_LAST
#define ABORT_MAY_END(node) (state[node] == DEAD)
#else
#define ABORT_MAY_END(node) (state[node] == DEAD && outcomes[node])
#endif

#define ALL_ARE(what) (what(0) && what(1) && what(2))
#define IS_COLLECTING(n) (state[n] == COLLECT)
#define IS_AT_END(n) (state[n] == DEAD && outcomes[n] && abort_done == aborting)
#define HAS_BEST(n) (report[n] == best)

/* Kills are repeated when no other step is possible. */
inline repeat_kills()
{
	news = false;
	e = 1;
	do
#ifndef NO_KILL_REPEAT
	:: e < EDGES && e != NODES && sending[e] && !HAS(kills[e], report[ORIGIN(e)]) ->
		ADD(kills[e], report[ORIGIN(e)]);
		news = true
#endif
	:: e < EDGES -> e++
	:: else -> break
	od;
	if
	:: news
	:: else ->
		assert(!over && ALL_ARE(IS_COLLECTING));	/* stuck */
		over = true
	fi
}


inline check_end()
{
#ifndef SHORT_COLLECT
	assert(ALL_ARE(HAS_BEST));
	assert(untimed || !BETTER(REPORT(RANK_MISSING, LATE, 1), best));	/* the late rank is named */
#endif
	skip
}

#ifdef SHORT_COLLECT
#define COLLECTED true
#else
#define COLLECTED over
#endif

#define NODE(n) \
	:: d_step { notices && state[n] == ALIVE && HAS_VIEW(n) -> notice(n, REPORT(KNOWN(n), n, 1)); skip } \
	:: d_step { notices && state[n] == ALIVE -> notice(n, REPORT(CONTRIBUTOR_MISSING, n, 0)); skip } \
	:: d_step { state[n] == COLLECT && COLLECTED -> finish(n); skip }
#define ABORT(n) \
	:: d_step { notices && state[n] == ALIVE && !aborting -> aborting = true; notice(n, REPORT(EVENT, n, 0)); skip } \
	:: d_step { aborting && !abort_done && ABORT_MAY_END(n) -> abort_done = true }
#define RESULT(n) \
	:: d_step { state[n] == ALIVE && !writing && !outcomes[n] -> writing = true } \
	:: d_step { writing -> written(n); skip }
#define KILL(edge, what) \
	:: d_step { HAS(kills[edge], what) && IS_NEWS(edge, what) -> take_kill(edge, what); skip } \
	:: d_step { HAS(kills[edge], what) && losses -> CLEAR(kills[edge], what); losses-- }
#define EDGE1(edge) \
	:: d_step { sending[edge] && HAS(acks[BACK(edge)], NAME(report[ORIGIN(edge)])) -> sending[edge] = false } \
	KILL(edge, REPORT(CONTRIBUTOR_MISSING, 1, 1)) KILL(edge, REPORT(RANK_MISSING, LATE, 1)) \
	KILL(edge, REPORT(CONTRIBUTOR_MISSING, 0, 0)) KILL(edge, REPORT(CONTRIBUTOR_MISSING, 1, 0)) \
	KILL(edge, REPORT(CONTRIBUTOR_MISSING, LATE, 0)) \
	KILL(edge, REPORT(EVENT, ABORTER, 0))
#define EDGE(child) EDGE1(UP(child)) EDGE1(DOWN(child))

active proctype epoch_end()
{
	do
	NODE(0) NODE(1) NODE(2)
	ABORT(ABORTER) RESULT(ABORTER)
	EDGE(1) EDGE(2)
	:: timeout ->
		if
		:: d_step { ALL_ARE(IS_AT_END) -> check_end(); skip }; break
		:: d_step { !ALL_ARE(IS_AT_END) -> repeat_kills(); skip }
		fi
	od
}
