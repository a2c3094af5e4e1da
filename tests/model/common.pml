/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Definitions that all models use: small sets of numbers as bits of an integer, and the network.
 *
 * A network is the set of all packets sent in one direction. Each may arrive at any time, in any order, any number
 * of times. The permanent loss of a packet with all its copies takes one of the model's few LOSSES; a late packet
 * needs no loss. So only the steps of timers can form cycles, and they assert that they have changed something.
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
