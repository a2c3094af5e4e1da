/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Attachment of boards: mapping of BARs, and wake-up. */
#ifndef TALLY_ATTACH_H
#define TALLY_ATTACH_H

#include "tally.h"

struct tally_pf;

/**
 * struct tally_attach - Attachment of a kind of board, selected by PCI id.
 * @wake_bar: BAR with the wake-up register
 * @wake_offset: offset of the register in that BAR
 * @wake_value: value to store there; 0: the device never sleeps and has no register
 * @wake_page: returns the page with the register if a process may map it; otherwise reports why not
 *	and returns 0
 */
struct tally_attach {
	int wake_bar;
	u32 wake_offset;
	u32 wake_value;
	phys_addr_t (*wake_page)(struct tally_pf *pf);
};

int tally_map_bars(struct tally_pf *pf);
void tally_unmap_bars(struct tally_pf *pf);
void tally_map_wake(struct tally_pf *pf);
void tally_wake(struct tally_pf *pf);

/* attach_sim.c: the board of the simulator */
extern const struct tally_attach tally_attach_sim;

#endif
