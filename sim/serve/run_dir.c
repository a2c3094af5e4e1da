// SPDX-License-Identifier: BSD-2-Clause
#include "serve/run_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define MEMORY_PREFIX	"/dev/shm/tallysim-"
#define NEW_SUFFIX	".new"

/* Connections that may wait before others are refused; clients are few. */
#define BACKLOG		8

int run_dir_open(struct run_dir *dir, const char *path)
{
	int err;

	*dir = (struct run_dir){ .path = path };
	dir->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir->fd < 0)
		return -errno;
	err = flock(dir->fd, LOCK_EX | LOCK_NB) ? -errno : run_dir_clean(dir);
	if (err)
		run_dir_close(dir);
	return err;
}

void run_dir_close(struct run_dir *dir)
{
	for (unsigned int vm = 0; vm < MAX_VMS; vm++)
		free(dir->memory[vm]);
	memset(dir->memory, 0, sizeof(dir->memory));
	close(dir->fd);
	dir->fd = -1;
}

/* Returns whether @name is @format with numbers for its %u, of which there are at most two. */
static bool name_is(const char *name, const char *format)
{
	unsigned int a, b;
	char again[64];

	if (!strchr(format, '%'))
		return !strcmp(name, format);
	a = b = 0;
	if (sscanf(name, format, &a, &b) < 1)
		return false;
	snprintf(again, sizeof(again), format, a, b);
	return !strcmp(name, again);
}

/* Removes the memory file to which the link @name of @dir points; false if it is no such link. */
static bool remove_memory(const struct run_dir *dir, const char *name)
{
	char target[PATH_MAX];
	ssize_t len = readlinkat(dir->fd, name, target, sizeof(target) - 1);

	if (len < 0)
		return false;
	target[len] = '\0';
	if (strncmp(target, MEMORY_PREFIX, strlen(MEMORY_PREFIX)) ||
	    strchr(target + strlen(MEMORY_PREFIX), '/'))
		return false;
	unlink(target);
	return true;
}

static bool has_type(const struct run_dir *dir, const char *name, mode_t type)
{
	struct stat st;

	return !fstatat(dir->fd, name, &st, AT_SYMLINK_NOFOLLOW) && (st.st_mode & S_IFMT) == type;
}

/* Returns whether the file @name belongs to a run and may be removed. */
static bool is_ours(const struct run_dir *dir, const char *name)
{
	if (name_is(name, "vm%u.mem"))
		return remove_memory(dir, name);
	if (name_is(name, "vm%u-nic%u.sock"))
		return has_type(dir, name, S_IFSOCK);
	if (name_is(name, RUN_CONTROL))
		return has_type(dir, name, S_IFSOCK);
	return (name_is(name, RUN_READY) || name_is(name, RUN_READY NEW_SUFFIX) ||
		name_is(name, RUN_WORKER_PID) || name_is(name, RUN_WORKER_PID NEW_SUFFIX)) &&
	       has_type(dir, name, S_IFREG);
}

/* If the folder has been removed, its links to the memory files are gone too. */
static void remove_own_memory(struct run_dir *dir)
{
	for (unsigned int vm = 0; vm < MAX_VMS; vm++)
		if (dir->memory[vm])
			unlink(dir->memory[vm]);
}

int run_dir_clean(struct run_dir *dir)
{
	int err = 0, fd;
	struct dirent *entry;
	DIR *list;

	remove_own_memory(dir);
	fd = openat(dir->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	list = fdopendir(fd);
	if (!list) {
		err = -errno;
		close(fd);
		return err;
	}
	while ((entry = readdir(list)))
		if (is_ours(dir, entry->d_name) && unlinkat(dir->fd, entry->d_name, 0))
			err = -errno;
	closedir(list);
	return err;
}

/* Creates an empty file with a name that cannot be guessed, and writes the name to @path. */
static int create_memory(char **path, unsigned int vm)
{
	uint64_t random;
	int err, fd;

	if (getrandom(&random, sizeof(random), 0) != sizeof(random))
		return -errno;
	if (asprintf(path, MEMORY_PREFIX "%d-%016jx-vm%u.mem", getpid(), (uintmax_t)random, vm) < 0) {
		*path = NULL;
		return -ENOMEM;
	}
	fd = open(*path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd >= 0)
		return fd;
	err = -errno;
	free(*path);
	*path = NULL;
	return err;
}

/* After a failure, run_dir_clean() removes what exists. */
int run_dir_memory(struct run_dir *dir, unsigned int vm, uint64_t size)
{
	char name[32];
	int err, fd = create_memory(&dir->memory[vm], vm);

	if (fd < 0)
		return fd;
	snprintf(name, sizeof(name), "vm%u.mem", vm);
	if (ftruncate(fd, (off_t)size) || symlinkat(dir->memory[vm], dir->fd, name)) {
		err = -errno;
		close(fd);
		return err;
	}
	return fd;
}

char *run_dir_socket_path(const struct run_dir *dir, unsigned int vm, unsigned int nic)
{
	char *path;

	return asprintf(&path, "%s/vm%u-nic%u.sock", dir->path, vm, nic) < 0 ? NULL : path;
}

int run_dir_listen(const struct run_dir *dir)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd, err;

	if ((size_t)snprintf(addr.sun_path, sizeof(addr.sun_path), "%s/" RUN_CONTROL, dir->path) >=
	    sizeof(addr.sun_path))
		return -ENAMETOOLONG;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	if (!bind(fd, (struct sockaddr *)&addr, sizeof(addr)) && !listen(fd, BACKLOG))
		return fd;
	err = -errno;
	close(fd);
	return err;
}

int run_dir_write_pid(const struct run_dir *dir, const char *name, pid_t pid)
{
	char temporary[64];
	int fd, len;

	snprintf(temporary, sizeof(temporary), "%s" NEW_SUFFIX, name);
	fd = openat(dir->fd, temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return -errno;
	len = dprintf(fd, "%d\n", pid);
	if (close(fd) || len < 0)
		return -errno;
	return renameat(dir->fd, temporary, dir->fd, name) ? -errno : 0;
}
