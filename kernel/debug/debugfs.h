/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* debugfs folder of a device. */
#ifndef TALLY_DEBUGFS_H
#define TALLY_DEBUGFS_H

struct tally_pf;

void tally_debugfs_init(void);
void tally_debugfs_exit(void);
void tally_debugfs_add(struct tally_pf *pf);
void tally_debugfs_remove(struct tally_pf *pf);

#endif
