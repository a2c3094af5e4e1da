/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The end of an epoch at one node, whose slots two groups share. Group 0 owns one slot and borrows another one. Its
 * results go to memory in the background, from their slots. The epoch may end at any moment. From then on (FREEZE) no
 * write begins. The slots go back to the pool once the writes that had begun are confirmed (FENCE); only then the request
 * completes with its error. Group 1 needs a slot for each of its chunks, one of its own and those of the pool.
 *
 * Each write takes the data of its own group; no memory is written after the completion; in the end all slots are back.
 */
#include "common.pml"

#define SLOTS 3			/* slot 0 is group 0's, slot 1 group 1's, slot 2 is lent */
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
byte writer = FREE;		/* whose result the write from the pooled slot is */

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

/* The bus reads the slot now. */
inline confirm(s)
{
	k = (s == POOLED -> writer : s);
	assert(owner[s] == k);			/* the data are of another group */
	assert(k != 0 || !completed);		/* the memory is the program's again */
	CLEAR(writing, s);
	written[s] = true
}

inline finish(s)
{
	finished[owner[s]]++;
	owner[s] = FREE
}

/* FENCE has answered: what the group holds goes back, and its request completes. */
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
