// SPDX-License-Identifier: BSD-2-Clause
#include "attach/ivshmem.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

/*
 * The file is sealed: a peer that made it shorter could kill every process that maps it, by SIGBUS.
 */
static int create_bar(const char *name)
{
	int err, fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0)
		return -errno;
	if (ftruncate(fd, TALLY_BAR_SIZE) ||
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)) {
		err = -errno;
		close(fd);
		return err;
	}
	return fd;
}

/* Put a new eventfd into @fd. Returns 0 or -errno. */
static int create_event(int *fd)
{
	*fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return *fd < 0 ? -errno : 0;
}

int ivshmem_create(struct ivshmem *dev, const char *name)
{
	int err;

	dev->bar_fd = -1;
	dev->doorbell_fd = -1;
	for (int i = 0; i < TALLY_NUM_VECTORS; i++)
		dev->vector_fd[i] = -1;

	err = create_bar(name);
	if (err < 0)
		return err;
	dev->bar_fd = err;
	err = create_event(&dev->doorbell_fd);
	for (int i = 0; i < TALLY_NUM_VECTORS && !err; i++)
		err = create_event(&dev->vector_fd[i]);
	if (err)
		ivshmem_destroy(dev);
	return err;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void ivshmem_destroy(struct ivshmem *dev)
{
	close_fd(&dev->bar_fd);
	close_fd(&dev->doorbell_fd);
	for (int i = 0; i < TALLY_NUM_VECTORS; i++)
		close_fd(&dev->vector_fd[i]);
}

int ivshmem_map_bar(const struct ivshmem *dev, void **bar)
{
	*bar = mmap(NULL, TALLY_BAR_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, dev->bar_fd, 0);
	return *bar == MAP_FAILED ? -errno : 0;
}

void ivshmem_unmap_bar(void *bar)
{
	munmap(bar, TALLY_BAR_SIZE);
}

void ivshmem_interrupt(const struct ivshmem *dev, unsigned int vector)
{
	/*
	 * A write fails only if the counter is at its limit, and then the interrupt is pending
	 * already.
	 */
	if (vector < TALLY_NUM_VECTORS)
		(void)eventfd_write(dev->vector_fd[vector], 1);
}
