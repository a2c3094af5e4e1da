/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the models share: small sets of numbers as bits of an integer, and the network.
 *
 * A network is a set of the packets ever sent in a direction: each may arrive at any time, in any order, any
 * number of times. Losing one for good, all its copies, takes one of the model's few LOSSES; that a packet is
 * late needs no loss. So the only cycles are those of timers, whose steps say what must have come of them.
 */
#ifndef LOSSES
#define LOSSES 1
#endif

#define BIT(x)		(1 << (x))
#define HAS(set, x)	(((set) >> (x)) & 1)
#define SUBSET(a, b)	(((a) & ~(b)) == 0)
#define CLEAR(set, x)	set = set & ~BIT(x)
#define ADD(set, x)	set = set | BIT(x)

byte losses = LOSSES;
