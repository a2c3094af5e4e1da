/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The folder of a run, with the files through which others find the run. The memory of the VMs is
 * in /dev/shm, with a link to it in the folder.
 */
#ifndef TALLY_SIM_SERVE_RUN_DIR_H
#define TALLY_SIM_SERVE_RUN_DIR_H

#include <stdint.h>
#include <sys/types.h>

#include "serve/options.h"

#define RUN_READY	"ready"		/* exists once all is served; holds the supervisor's pid */
#define RUN_WORKER_PID	"worker.pid"
#define RUN_CONTROL	"control.sock"

struct run_dir {
	const char *path;		/* borrowed */
	int fd;				/* the folder, locked for as long as this is open */
	char *memory[MAX_VMS];		/* paths of this run's memory files; NULL: none */
};

/*
 * Locks the folder @path, so that it has one run at a time, and removes files that a killed run has
 * left there. Returns 0 or -errno; -EWOULDBLOCK if a run uses the folder.
 */
int run_dir_open(struct run_dir *dir, const char *path);

/*
 * Removes all files of this run and of earlier ones, even if the folder itself has been removed.
 * Leaves foreign files alone. Returns 0 or -errno.
 */
int run_dir_clean(struct run_dir *dir);

/* Closes the folder, which unlocks it unless a forked process has it open. */
void run_dir_close(struct run_dir *dir);

/*
 * Makes a memory file of @size bytes, which use memory only when they are touched, and links
 * vm<@vm>.mem to it. Call it once for each VM. Returns the file's descriptor or -errno.
 */
int run_dir_memory(struct run_dir *dir, unsigned int vm, uint64_t size);

/* Returns the path of vm<@vm>-nic<@nic>.sock, which the caller frees; NULL: out of memory. */
char *run_dir_socket_path(const struct run_dir *dir, unsigned int vm, unsigned int nic);

/*
 * Makes the socket RUN_CONTROL, which is non-blocking and listens. Returns its descriptor or
 * -errno; -ENAMETOOLONG if the folder's path leaves no room for the name.
 */
int run_dir_listen(const struct run_dir *dir);

/* Writes @pid to the file @name atomically. Returns 0 or -errno. */
int run_dir_write_pid(const struct run_dir *dir, const char *name, pid_t pid);

#endif
