/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The resources that the VMs depend on, which the supervisor therefore owns: the run's folder,
 * memory files, BAR2s and eventfds, and the sockets that pass them to QEMU.
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
	struct ivshmem *nics;			/* by vm * opt->nics + nic, like servers */
	struct ivshmem_server *servers;
	unsigned int num_servers;		/* number of listening servers, and of NICs made */
	int control_fd;				/* listens for tallyctl; workers accept. -1: none */
};

/*
 * Makes the resources of @opt. @epfd watches the servers, which call @owner. Returns 0, or -1 after
 * printing the error, with nothing left behind. @resources must not move.
 */
int vm_resources_make(struct vm_resources *resources, const struct options *opt, int epfd,
		      const struct ivshmem_server_owner *owner);

/*
 * In a forked worker: closes what only the supervisor may hold. Peers must see the end of their
 * connection when the supervisor ends it, and the supervisor owns the folder.
 */
void vm_resources_forked(struct vm_resources *resources);

/*
 * Closes everything and removes the run's files, unless in a forked worker. Returns 0, or -1 after
 * printing the error.
 */
int vm_resources_free(struct vm_resources *resources);

#endif
