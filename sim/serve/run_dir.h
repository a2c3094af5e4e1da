/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The folder of a run and the files of the run: what others find it by, and the memory of the VMs,
 * which is in /dev/shm with a link to it in the folder.
 */
#ifndef TALLY_SIM_SERVE_RUN_DIR_H
#define TALLY_SIM_SERVE_RUN_DIR_H

#include <stdint.h>
#include <sys/types.h>

#include "serve/options.h"

#define RUN_READY	"ready"		/* there once everything is served; holds the supervisor's pid */
#define RUN_WORKER_PID	"worker.pid"
#define RUN_CONTROL	"control.sock"

struct run_dir {
	const char *path;		/* borrowed */
	int fd;				/* the folder, locked for as long as this is open */
	char *memory[MAX_VMS];		/* paths of this run's memory files; NULL: none */
};

/*
 * Locks the folder @path, so that it has one run at a time, and removes what a killed run left in
 * it. Returns 0 or -errno; -EWOULDBLOCK: a run is there.
 */
int run_dir_open(struct run_dir *dir, const char *path);

/*
 * Removes all files of a run, of this one or another, also if somebody has removed the folder;
 * leaves foreign files alone. 0 or -errno.
 */
int run_dir_clean(struct run_dir *dir);

/* Closes the folder, which unlocks it when no forked process has it open. */
void run_dir_close(struct run_dir *dir);

/*
 * Makes a memory file of @size bytes, which take up memory only as they are touched, and links
 * vm<@vm>.mem to it. Once for each VM. Returns its descriptor or -errno.
 */
int run_dir_memory(struct run_dir *dir, unsigned int vm, uint64_t size);

/* Path of the socket vm<@vm>-nic<@nic>.sock for the caller to free. NULL: no memory. */
char *run_dir_socket_path(const struct run_dir *dir, unsigned int vm, unsigned int nic);

/*
 * Makes the socket RUN_CONTROL, not blocking, that listens. Returns its descriptor or -errno,
 * -ENAMETOOLONG when the folder's path leaves no room for the name.
 */
int run_dir_listen(const struct run_dir *dir);

/* Writes @pid to the file @name as a whole: nobody sees half of it. 0 or -errno. */
int run_dir_write_pid(const struct run_dir *dir, const char *name, pid_t pid);

#endif
