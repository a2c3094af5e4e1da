/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Reset of a device, and the immediate reaction to a failure. */
#ifndef TALLY_RESET_H
#define TALLY_RESET_H

#include <linux/workqueue.h>

struct tally_pf;

/* State of a device; docs/recovery.md shows the transitions. */
enum tally_pf_state {
	TALLY_PF_QUIET,		/* takes no command, and accesses no memory */
	TALLY_PF_UP,			/* in service */
	TALLY_PF_FAILED,		/* takes no command, but may still access memory */
};

int tally_reset(struct tally_pf *pf);
void tally_fail(struct tally_pf *pf, const char *why);
void tally_quiet(struct tally_pf *pf);
void tally_fail_work(struct work_struct *work);
void tally_wait_quiet(struct tally_pf *pf);

#endif
