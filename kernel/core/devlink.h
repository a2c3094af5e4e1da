/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* devlink instance and health reporter of the device. */
#ifndef TALLY_DEVLINK_H
#define TALLY_DEVLINK_H

#include <linux/kconfig.h>

#include "recover.h"

#if IS_ENABLED(CONFIG_NET_DEVLINK)
int tally_devlink_add(struct tally_pf *pf);
void tally_devlink_register(struct tally_pf *pf);
void tally_devlink_unregister(struct tally_pf *pf);
void tally_devlink_remove(struct tally_pf *pf);
void tally_devlink_report(struct tally_pf *pf);
void tally_devlink_recovered(struct tally_pf *pf);
#else
static inline int tally_devlink_add(struct tally_pf *pf)
{
	return 0;
}

static inline void tally_devlink_register(struct tally_pf *pf)
{
}

static inline void tally_devlink_unregister(struct tally_pf *pf)
{
}

static inline void tally_devlink_remove(struct tally_pf *pf)
{
}

static inline void tally_devlink_report(struct tally_pf *pf)
{
	tally_recover(pf, true);
}

static inline void tally_devlink_recovered(struct tally_pf *pf)
{
}
#endif

#endif
