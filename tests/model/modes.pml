/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One group whose chunks are of different modes, over three nodes with a link in each direction between any two of
 * them. A link carries the packets of all modes, and one value of done. MODE(num) is the mode of a chunk:
 *
 * TREE: nodes 1 and 2 are children of node 0. Stage 0 is the node's own data, stage 1 the sum at node 0, stage 2 the
 * result. RING: the sum begins at node 0 (stage 0), because the chunk is the first of its message, and the result follows
 * it around (stage 2). EXCHANGE: as in exchange.pml, stage k is round k.
 *
 * flow   0      1      2      3      4      5      6      7      8      9      10     11     12     13     14
 * mode   TREE                        RING, sum            RING, result         EXCHANGE
 * nodes  1 > 0  2 > 0  0 > 1  0 > 2  0 > 1  1 > 2  2 > 0  0 > 1  1 > 2  2 > 0  0 > 1  1 > 0  0 > 2  2 > 0  2 > 1
 */
#ifndef CHUNKS
#define CHUNKS 3
#endif
#define FLOW_SET short
#define STAGES 3
#define FLOWS 15
#define IS_TREE(f) ((f) < 4)
#define IS_RING(f) ((f) > 3 && (f) < 10)
#define RING_FROM(f) (((f) + 2) % 3)
#define EXCHANGE_FROM(f) ((f) < 12 -> (f) - 10 : ((f) == 12 -> 0 : 2))
#define EXCHANGE_TO(f) ((f) == 12 -> 2 : ((f) == 10 || (f) == 14))
#define FROM(f) (IS_TREE(f) -> ((f) < 2) * ((f) + 1) : (IS_RING(f) -> RING_FROM(f) : EXCHANGE_FROM(f)))
#define TO(f) (IS_TREE(f) -> ((f) > 1) * ((f) - 1) : (IS_RING(f) -> (RING_FROM(f) + 1) % 3 : EXCHANGE_TO(f)))
/* The stage that a flow takes its data from, and the flows that a stage waits for. */
#define FROM_STAGE(f) (IS_TREE(f) -> ((f) > 1) : (IS_RING(f) -> ((f) > 6) * 2 : ((f) > 11)))
#define IN_STAGE(stage) ((stage) == 0 -> 112 : ((stage) == 1 -> 3075 : 29580))
#ifndef SHIFT
#define SHIFT 0
#endif
#define MODE(num) (((num) + SHIFT) % 3)	/* 0 TREE, 1 RING, 2 EXCHANGE */
#define FIRST(num) 0
#define WHOLE(num) 2
#define STOP(num) 1
#define WAY(from, to) (((to) + 3 - (from)) % 3)
#define IN_RING(f, num) ((f) < 7 -> \
	WAY(FIRST(num), FROM(f)) < WAY(FIRST(num), WHOLE(num)) : \
	WAY(WHOLE(num), FROM(f)) < WAY(WHOLE(num), STOP(num)))
#define USES(f, num) (IS_TREE(f) -> MODE(num) == 0 : (IS_RING(f) -> MODE(num) == 1 && IN_RING(f, num) : MODE(num) == 2))
/* The result is the stage before, except where another node sends it. */
#define TAKES_OWN(i, stage, num) ((stage) == 1 || MODE(num) == 2 || \
	(MODE(num) == 0 -> (i) == 0 : (i) == WHOLE(num)))
#define GIVES(i, num) true
#define GETS(i, num) true
#define EXPECT(num) 7
#define LINKS 6
#define SOURCE(link) ((link) / 2)
#define END(link) ((link) % 2 + ((link) % 2 >= (link) / 2))
#define LINK(f) (FROM(f) * 2 + TO(f) - (TO(f) > FROM(f)))
#define ALL_LINKS(what) CHUNKS_OF(what, 0) CHUNKS_OF(what, 1) CHUNKS_OF(what, 2) CHUNKS_OF(what, 3) CHUNKS_OF(what, 4) \
	CHUNKS_OF(what, 5)
#define ALL_FLOWS(what) ALL_LINKS(what) CHUNKS_OF(what, 6) CHUNKS_OF(what, 7) CHUNKS_OF(what, 8) CHUNKS_OF(what, 9) \
	CHUNKS_OF(what, 10) CHUNKS_OF(what, 11) CHUNKS_OF(what, 12) CHUNKS_OF(what, 13) CHUNKS_OF(what, 14)

#include "flow.pml"
