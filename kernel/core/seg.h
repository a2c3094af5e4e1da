/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Ranges of segments. */
#ifndef TALLY_SEG_H
#define TALLY_SEG_H

#include "owner.h"
#include "tally.h"

struct tally_pf;

/**
 * struct tally_segs_view - A range of segments, or a free block of them.
 * @base: first segment
 * @count: segments
 * @taken: it is a range
 * @grouped: a group uses it
 * @group: that group
 * @jid: its job id
 * @owner: who allocated the range
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
unsigned int tally_segs_look(struct tally_pf *pf, struct tally_segs_view *views);

#endif
