/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Start and stop of a device. */
#ifndef TALLY_LIFECYCLE_H
#define TALLY_LIFECYCLE_H

struct tally_pf;

int tally_start(struct tally_pf *pf);
void tally_stop(struct tally_pf *pf);
int tally_aux_add(struct tally_pf *pf);
void tally_aux_remove(struct tally_pf *pf);

#endif
