/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Creator of an object, for logs and debugfs. */
#ifndef TALLY_OWNER_H
#define TALLY_OWNER_H

#include <linux/pid.h>
#include <linux/sched.h>

/**
 * struct tally_owner - Creator of an object, for logs and debugfs.
 * @pid: process
 * @comm: name of the process at creation
 */
struct tally_owner {
	pid_t pid;
	char comm[TASK_COMM_LEN];
};

static inline void tally_owner_is_current(struct tally_owner *owner)
{
	owner->pid = task_tgid_nr(current);
	get_task_comm(owner->comm, current->group_leader);
}

#endif
