/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * EXCHANGE over three nodes with parts {0, 1} and {2}. In round 1 nodes 0 and 1 exchange, and node 2 has no
 * neighbour. In round 2 nodes 0 and 1 take the partial result of node 2, which takes that of node 0. Stage k is
 * round k. See flow.pml.
 *
 * flow   0       1       2       3       4
 *        0 > 1   1 > 0   0 > 2   2 > 0   2 > 1
 */
#ifndef CHUNKS
#define CHUNKS 3
#endif
#define STAGES 3
#define FLOWS 5
#define FROM(f) ((f) < 2 -> (f) : ((f) == 2 -> 0 : 2))
#define TO(f) ((f) == 2 -> 2 : ((f) == 0 || (f) == 4))
#define FROM_STAGE(f) ((f) > 1)
#define IN_STAGE(stage) ((stage) == 0 -> 0 : ((stage) == 1 -> 3 : 28))
#define USES(f, num) true
#define TAKES_OWN(i, stage, num) true
#define GIVES(i, num) true
#define GETS(i, num) true
#define EXPECT(num) 7
/* each pair of nodes has edges of only one round */
#define LINKS 5
#define LINK(f) (f)
#define SOURCE(link) FROM(link)
#define END(link) TO(link)
#define ALL_FLOWS(what) CHUNKS_OF(what, 0) CHUNKS_OF(what, 1) CHUNKS_OF(what, 2) CHUNKS_OF(what, 3) CHUNKS_OF(what, 4)
#define ALL_LINKS(what) CHUNKS_OF(what, 0) CHUNKS_OF(what, 1) CHUNKS_OF(what, 2) CHUNKS_OF(what, 3) CHUNKS_OF(what, 4)

#include "flow.pml"
