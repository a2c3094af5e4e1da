/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* How a device that failed comes back into service. */
#ifndef TALLY_RECOVER_H
#define TALLY_RECOVER_H

#include <linux/mutex.h>
#include <linux/types.h>

struct tally_pf;

/**
 * struct tally_failure - Why a device failed, for people to read.
 * @why: the reason, a static text
 * @state: enum tally_device_state, as the identification page said then
 * @fatal_code: as that page said
 * @epoch: as that page said
 */
struct tally_failure {
	const char *why;
	u32 state;
	u32 fatal_code;
	u32 epoch;
};

/**
 * struct tally_recovery - How a device that failed comes back into service.
 * @lock: held while the device is taken down or brought back; guards all but failures and last
 * @leaving: the driver lets go of the device, which is not brought back any more
 * @reported: of the failure, devlink was told
 * @automatic: devlink said then that the device is to come back without being asked
 * @backoff: what the last attempt that failed made the next one wait, in jiffies
 * @retry_at: when to try next, in jiffies
 * @recoveries: how often the device came back
 * @failures: how often it failed
 * @last: why it failed last; why is NULL if it never did
 */
struct tally_recovery {
	struct mutex lock;
	bool leaving;
	bool reported;
	bool automatic;
	unsigned long backoff;
	unsigned long retry_at;
	unsigned int recoveries;
	unsigned int failures;
	struct tally_failure last;
};

int tally_recover(struct tally_pf *pf, bool automatic);
void tally_repair(struct tally_pf *pf);
void tally_leave(struct tally_pf *pf);

#endif
