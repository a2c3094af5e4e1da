/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A ring of three nodes. The sum of chunk num begins at node num mod 3 and is whole at the one before that, whence
 * it travels around again as the result. Every third chunk of BCAST=1 is a BCAST of rank 1. Stage 0 is the sum, stage
 * 1 the result; flow f < 3 takes the sum from node f to its right neighbour, flow 3 + f the result. See flow.pml.
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
#ifdef BCAST
#define IS_BCAST(num) ((num) % 3 == 1)
#else
#define IS_BCAST(num) false
#endif
#define ROOT 1
#define FIRST(num) (IS_BCAST(num) -> ROOT : (num) % 3)		/* the sum begins here */
#define WHOLE(num) (IS_BCAST(num) -> ROOT : ((num) + 2) % 3)	/* and becomes the result */
#define USES(f, num) ((f) < 3 -> \
	!IS_BCAST(num) && FROM(f) != WHOLE(num) : \
	TO(f) != WHOLE(num))
#define TAKES_OWN(i, stage, num) ((i) == WHOLE(num))
#define GIVES(i, num) (!IS_BCAST(num) || (i) == ROOT)
#define EXPECT(num) (IS_BCAST(num) -> BIT(ROOT) : 7)
#define LINKS 3
#define LINK(f) ((f) % 3)
#define SOURCE(link) (link)
#define END(link) (((link) + 1) % 3)
#define ALL_FLOWS(what) CHUNKS_OF(what, 0) CHUNKS_OF(what, 1) CHUNKS_OF(what, 2) CHUNKS_OF(what, 3) CHUNKS_OF(what, 4) CHUNKS_OF(what, 5)
#define ALL_LINKS(what) CHUNKS_OF(what, 0) CHUNKS_OF(what, 1) CHUNKS_OF(what, 2)

#include "flow.pml"
