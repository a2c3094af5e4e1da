/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Ranges of segments. */
#ifndef TALLY_SEG_H
#define TALLY_SEG_H

#include "owner.h"
#include "tally.h"

struct tally_pf;

/**
 * struct tally_segs_view - A range of segments, or a free block.
 * @base: first segment
 * @count: number of segments
 * @taken: a process owns the range
 * @grouped: a group uses the range
 * @group: number of that group
 * @jid: job id of that group
 * @owner: process that allocated the range
 */
struct tally_segs_view {
	u32 base;
	u32 count;
	bool taken;
	bool grouped;
	u32 group;
	u32 jid;
	struct tally_owner owner;
};

bool tally_segs_claim(struct tally_segs *segs);
void tally_segs_release(struct tally_segs *segs);
unsigned int tally_segs_snapshot(struct tally_pf *pf, struct tally_segs_view *views);

#endif
