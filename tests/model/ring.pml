/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A ring of three nodes. The sum of a chunk begins at node FIRST and is complete at node WHOLE. From there it travels
 * as the result, up to node STOP. An ALLREDUCE travels around the ring twice, and its chunk sid begins at node sid mod
 * 3. There are two of them: chunk 0 is one, and chunks 1 to 3 are the other. With KINDS, chunk 1 is a BCAST of rank 1,
 * chunk 2 a REDUCE_SCATTER in which only rank 2 gets a block, and chunk 3 an ALLGATHER of the blocks of ranks 0 and 1.
 * Stage 0 is the sum, stage 1 the result. Flow f < 3 carries the sum from node f to its right neighbour, flow 3 + f the
 * result. See flow.pml.
 */
#ifndef CHUNKS
#define CHUNKS 4
#endif
#define STAGES 2
#define FLOWS 6
#define FROM(f) ((f) % 3)
#define TO(f) (((f) + 1) % 3)
#define FROM_STAGE(f) ((f) > 2)
#define IN_STAGE(stage) ((stage) == 0 -> 7 : 56)
#ifdef KINDS
#define FIRST(num) ((num) == 1 -> 1 : 0)
#define WHOLE(num) ((num) == 0 || (num) == 2 -> 2 : 1)
#define STOP(num) ((num) == 2 -> 2 : (WHOLE(num) + 2) % 3)
#else
#define SID(num) ((num) == 0 -> 0 : (num) - 1)
#define FIRST(num) (SID(num) % 3)
#define WHOLE(num) ((SID(num) + 2) % 3)
#define STOP(num) ((SID(num) + 1) % 3)
#endif
#define WAY(from, to) (((to) + 3 - (from)) % 3)
#define USES(f, num) ((f) < 3 -> \
	WAY(FIRST(num), FROM(f)) < WAY(FIRST(num), WHOLE(num)) : \
	WAY(WHOLE(num), FROM(f)) < WAY(WHOLE(num), STOP(num)))
#define TAKES_OWN(i, stage, num) ((i) == WHOLE(num))
#define GIVES(i, num) (WAY(FIRST(num), i) <= WAY(FIRST(num), WHOLE(num)))
#define GETS(i, num) (WAY(WHOLE(num), i) <= WAY(WHOLE(num), STOP(num)))
#define EXPECT(num) (GIVES(0, num) | GIVES(1, num) << 1 | GIVES(2, num) << 2)
#define LINKS 3
#define LINK(f) ((f) % 3)
#define SOURCE(link) (link)
#define END(link) (((link) + 1) % 3)
#define ALL_FLOWS(what) CHUNKS_OF(what, 0) CHUNKS_OF(what, 1) CHUNKS_OF(what, 2) CHUNKS_OF(what, 3) CHUNKS_OF(what, 4) CHUNKS_OF(what, 5)
#define ALL_LINKS(what) CHUNKS_OF(what, 0) CHUNKS_OF(what, 1) CHUNKS_OF(what, 2)

#include "flow.pml"
