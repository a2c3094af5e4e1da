// SPDX-License-Identifier: BSD-2-Clause
#include "serve/vm_resources.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/log.h"

/* Descriptors that do not depend on the number of NICs, with a margin. */
#define OTHER_FDS	64

/* Prints that @what failed because of @err (negative); returns -1. */
static int failed(const struct vm_resources *h, const char *what, int err)
{
	sim_warn("%s: %s: %s", h->opt->dir, what, strerror(-err));
	return -1;
}

/* A NIC has a socket and a peer besides its own descriptors, and a capture in the worker. */
static int raise_fd_limit(const struct vm_resources *h)
{
	rlim_t need = OTHER_FDS + h->opt->vms + h->num_nics * (IVSHMEM_FDS + 2);
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return failed(h, "limit of open files", -errno);
	if (limit.rlim_cur >= need)
		return 0;
	if (limit.rlim_max < need) {
		sim_warn("%u NICs need %ju open files, the limit is %ju (ulimit -n)", h->num_nics,
			 (uintmax_t)need, (uintmax_t)limit.rlim_max);
		return -1;
	}
	limit.rlim_cur = need;
	return setrlimit(RLIMIT_NOFILE, &limit) ? failed(h, "limit of open files", -errno) : 0;
}

static int allocate(struct vm_resources *h)
{
	h->mem_fd = calloc(h->opt->vms, sizeof(*h->mem_fd));
	h->nics = calloc(h->num_nics, sizeof(*h->nics));
	h->servers = calloc(h->num_nics, sizeof(*h->servers));
	if (!h->mem_fd || !h->nics || !h->servers)
		return failed(h, "tables of NICs", -ENOMEM);
	for (unsigned int vm = 0; vm < h->opt->vms; vm++)
		h->mem_fd[vm] = -1;
	return 0;
}

static int open_dir(struct vm_resources *h)
{
	int err = run_dir_open(&h->dir, h->opt->dir);

	if (err == -EWOULDBLOCK) {
		sim_warn("%s: another tallysim serves this folder", h->opt->dir);
		return -1;
	}
	return err ? failed(h, "folder of the run", err) : 0;
}

static int make_memories(struct vm_resources *h)
{
	for (unsigned int vm = 0; vm < h->opt->vms; vm++) {
		h->mem_fd[vm] = run_dir_memory(&h->dir, vm, h->opt->mem_bytes);
		if (h->mem_fd[vm] < 0) {
			sim_warn("%s/vm%u.mem: %s", h->opt->dir, vm, strerror(-h->mem_fd[vm]));
			return -1;
		}
	}
	return 0;
}

static int make_control(struct vm_resources *h)
{
	h->control_fd = run_dir_listen(&h->dir);
	return h->control_fd < 0 ? failed(h, RUN_CONTROL, h->control_fd) : 0;
}

static int make_nic(struct vm_resources *h, unsigned int nic, int epfd,
		    const struct ivshmem_server_owner *owner)
{
	char *path = run_dir_socket_path(&h->dir, nic / h->opt->nics, nic % h->opt->nics);
	int err = path ? ivshmem_create(&h->nics[nic], "tally-bar2") : -ENOMEM;

	if (!err) {
		err = ivshmem_server_start(&h->servers[nic], epfd, path, &h->nics[nic], owner);
		if (err)
			ivshmem_destroy(&h->nics[nic]);
	}
	if (err)
		sim_warn("%s: %s", path ? path : "socket", strerror(-err));
	free(path);
	return err;
}

static int make_all(struct vm_resources *h, int epfd, const struct ivshmem_server_owner *owner)
{
	if (raise_fd_limit(h) || allocate(h) || open_dir(h) || make_memories(h) ||
	    make_control(h))
		return -1;
	for (; h->num_servers < h->num_nics; h->num_servers++)
		if (make_nic(h, h->num_servers, epfd, owner))
			return -1;
	return 0;
}

int vm_resources_make(struct vm_resources *h, const struct options *opt, int epfd,
		      const struct ivshmem_server_owner *owner)
{
	*h = (struct vm_resources){
		.opt = opt, .num_nics = opt->vms * opt->nics, .dir.fd = -1,
		.control_fd = -1,
	};
	if (!make_all(h, epfd, owner))
		return 0;
	vm_resources_free(h);
	return -1;
}

void vm_resources_forked(struct vm_resources *h)
{
	for (unsigned int i = 0; i < h->num_servers; i++)
		ivshmem_server_stop(&h->servers[i]);
	run_dir_close(&h->dir);
}

int vm_resources_free(struct vm_resources *h)
{
	int err = 0;

	for (unsigned int i = 0; i < h->num_servers; i++) {
		ivshmem_server_stop(&h->servers[i]);
		ivshmem_destroy(&h->nics[i]);
	}
	for (unsigned int vm = 0; h->mem_fd && vm < h->opt->vms; vm++)
		if (h->mem_fd[vm] >= 0)
			close(h->mem_fd[vm]);
	if (h->control_fd >= 0)
		close(h->control_fd);
	if (h->dir.fd >= 0) {
		err = run_dir_clean(&h->dir);
		run_dir_close(&h->dir);
	}
	free(h->servers);
	free(h->nics);
	free(h->mem_fd);
	return err ? failed(h, "removing files", err) : 0;
}
