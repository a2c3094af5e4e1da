/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the life of the VMs depends on and the supervisor therefore holds: the run's folder, memory
 * files, BAR2s and eventfds, and the sockets that hand them to QEMU.
 */
#ifndef TALLY_SIM_SERVE_VM_RESOURCES_H
#define TALLY_SIM_SERVE_VM_RESOURCES_H

#include "attach/ivshmem.h"
#include "attach/server.h"
#include "serve/options.h"
#include "serve/run_dir.h"

struct vm_resources {
	const struct options *opt;
	struct run_dir dir;
	unsigned int num_nics;			/* of all VMs */
	int *mem_fd;				/* by VM; -1: not made */
	struct ivshmem *nics;			/* by vm * opt->nics + nic, as all about NICs */
	struct ivshmem_server *servers;
	unsigned int num_servers;		/* that listen; so many NICs are made */
	int control_fd;				/* listens for tallyctl; workers accept. -1: none */
};

/*
 * Makes all that @opt asks for. Servers are watched by @epfd and tell @owner. Returns 0, or -1
 * after saying what failed, with nothing left behind. @resources must not move.
 */
int vm_resources_make(struct vm_resources *resources, const struct options *opt, int epfd,
		      const struct ivshmem_server_owner *owner);

/*
 * In a forked worker: gives up what only the supervisor may hold. Peers must see the end of their
 * connection when the supervisor ends it, and the folder is the supervisor's.
 */
void vm_resources_forked(struct vm_resources *resources);

/* Closes all; unless in a forked worker, removes the run's files. 0, or -1 after saying why. */
int vm_resources_free(struct vm_resources *resources);

#endif
