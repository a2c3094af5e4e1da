/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Attachment of boards: mapping of BARs, and wake-up. */
#ifndef TALLY_ATTACH_H
#define TALLY_ATTACH_H

#include "tally.h"

struct tally_pf;

/**
 * struct tally_attach - Attachment of a kind of board, selected by PCI id.
 * @ring_bar: BAR with the wake-up register
 * @ring_offset: offset of the register in that BAR
 * @ring_value: value to store there; 0: the device never sleeps and has no register
 * @ring_page: returns the page with the register if a process may map it; otherwise reports why not
 *	and returns 0
 */
struct tally_attach {
	int ring_bar;
	u32 ring_offset;
	u32 ring_value;
	phys_addr_t (*ring_page)(struct tally_pf *pf);
};

int tally_map_bars(struct tally_pf *pf);
void tally_unmap_bars(struct tally_pf *pf);
void tally_map_ring(struct tally_pf *pf);
void tally_ring(struct tally_pf *pf);

/* attach_sim.c: the board of the simulator */
extern const struct tally_attach tally_attach_sim;

#endif
