/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Recovery of a failed device. */
#ifndef TALLY_RECOVER_H
#define TALLY_RECOVER_H

#include <linux/mutex.h>
#include <linux/types.h>

struct tally_pf;

/**
 * struct tally_failure - Cause of a device failure, for logs and devlink.
 * @why: the reason, a static text
 * @state: enum tally_device_state of the identification page at the failure
 * @fatal_code: fatal code of that page
 * @epoch: epoch of that page
 */
struct tally_failure {
	const char *why;
	u32 state;
	u32 fatal_code;
	u32 epoch;
};

/**
 * struct tally_recovery - State of the recovery of a device.
 * @lock: held while the device is taken down or brought back; guards all but failures and last
 * @leaving: the driver is releasing the device, which is not recovered any more
 * @reported: devlink was told of the failure
 * @automatic: devlink then asked for automatic recovery
 * @backoff: delay after the last failed attempt, in jiffies
 * @retry_at: time of the next attempt, in jiffies
 * @recoveries: number of recoveries
 * @failures: number of failures
 * @last: cause of the last failure; why is NULL if there was none
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
void tally_recovery_run(struct tally_pf *pf);
void tally_recovery_stop(struct tally_pf *pf);

#endif
