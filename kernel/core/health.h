/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Periodic check for restarted and silent devices. */
#ifndef TALLY_HEALTH_H
#define TALLY_HEALTH_H

struct tally_pf;

void tally_health_start(struct tally_pf *pf);
void tally_health_stop(struct tally_pf *pf);

#endif
