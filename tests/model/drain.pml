/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The end of an epoch at one node, whose slots two groups share. Group 0 owns one slot and borrows another one. Its
 * results go to memory in the background, from their slots. The epoch may end at any moment. From then on (FREEZE) no
 * write begins. The slots return to the pool when the writes that have begun are confirmed (FENCE); only then does the
 * request complete with its error. Group 1 needs a slot for each of its chunks, one of its own and those of the pool.
 *
 * Each write must take the data of its own group. No memory must be written after the completion. In the end all slots
 * must have returned.
 */
#include "common.pml"

#define SLOTS 3			/* slot 0 belongs to group 0, slot 1 to group 1; slot 2 is lent */
#define POOLED 2
#define CHUNKS 2		/* of each group */
#define FREE 3

mtype = { ALIVE, FROZEN, OVER };
mtype state = ALIVE;		/* of group 0 */
byte owner[SLOTS] = FREE;	/* of the data in a slot: group, or FREE */
bool written[SLOTS];		/* its result is in memory */
byte writing;			/* slots whose write has begun and is not confirmed */
byte made[2];			/* chunks that have begun */
byte finished[2];
bool completed;			/* group 0's request has its completion */
hidden byte k;

#define USABLE(g, s) ((s) == (g) || (s) == POOLED)
#define IS_ACTIVE(g) ((g) == 1 || state == ALIVE)
#ifdef WRITE_AFTER_FREEZE
#define MAY_WRITE(s) true
#else
#define MAY_WRITE(s) IS_ACTIVE(owner[s])
#endif
#ifdef RETURN_BEFORE_FENCE
#define FENCED true
#else
#define FENCED (!(HAS(writing, 0) || (HAS(writing, POOLED) && writer == 0)))
#endif
byte writer = FREE;		/* group whose result is being written from the pooled slot */

inline begin(g, s)
{
	made[g]++;
	owner[s] = g;
	written[s] = false
}

inline start_write(s)
{
	ADD(writing, s);
	if
	:: s == POOLED -> writer = owner[s]
	:: else
	fi
}

/* The bus reads the slot, and the write is confirmed. */
inline confirm(s)
{
	k = (s == POOLED -> writer : s);
	assert(owner[s] == k);			/* the data are of another group */
	assert(k != 0 || !completed);		/* the memory belongs to the program again */
	CLEAR(writing, s);
	written[s] = true
}

inline finish(s)
{
	finished[owner[s]]++;
	owner[s] = FREE
}

/* FENCE has answered: the group returns its slots, and its request completes. */
inline end()
{
	state = OVER;
	completed = true;
	k = 0;
	do
	:: k < SLOTS ->
		if
		:: owner[k] == 0 -> owner[k] = FREE
		:: else
		fi;
		k++
	:: else -> break
	od
}

#define STEPS(g, s) \
	:: d_step { USABLE(g, s) && owner[s] == FREE && IS_ACTIVE(g) && made[g] < CHUNKS -> begin(g, s) }
#define SLOT(s) \
	:: d_step { owner[s] != FREE && !HAS(writing, s) && !written[s] && MAY_WRITE(s) -> start_write(s); skip } \
	:: d_step { HAS(writing, s) -> confirm(s) } \
	:: d_step { owner[s] != FREE && !HAS(writing, s) && written[s] && IS_ACTIVE(owner[s]) -> finish(s) }

active proctype node()
{
	do
	STEPS(0, 0) STEPS(0, 2) STEPS(1, 1) STEPS(1, 2)
	SLOT(0) SLOT(1) SLOT(2)
	:: d_step { state == ALIVE && !completed -> state = FROZEN }
	:: d_step { state == ALIVE && finished[0] == CHUNKS && !completed -> completed = true }
	:: d_step { state == FROZEN && FENCED -> end(); skip }
	:: timeout ->
		assert(completed && finished[1] == CHUNKS);	/* stuck */
		assert(owner[0] == FREE && owner[1] == FREE && owner[2] == FREE && writing == 0);
		break
	od
}
