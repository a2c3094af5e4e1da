/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Resources that a NIC and its VM share, where QEMU's ivshmem-doorbell device takes the place of a
 * PCIe function: BAR2 as a piece of memory, one eventfd that the guest rings, and one eventfd for
 * each MSI-X vector.
 *
 * By the rules of ivshmem, the guest has TALLY_NUM_VECTORS doorbells. Here all of them are the same
 * eventfd, because every ring has the same meaning: check all doorbells.
 */
#ifndef TALLY_SIM_ATTACH_IVSHMEM_H
#define TALLY_SIM_ATTACH_IVSHMEM_H

#include "gen/tally_hw.h"

struct ivshmem {
	int bar_fd;				/* memfd of TALLY_BAR_SIZE bytes, initially zero */
	int doorbell_fd;			/* eventfd: guest to device */
	int vector_fd[TALLY_NUM_VECTORS];	/* eventfds: device to guest */
};

/* Number of descriptors of a struct ivshmem. */
#define IVSHMEM_FDS	(2 + TALLY_NUM_VECTORS)

/*
 * Create all descriptors; @name appears only in /proc. Returns 0, or -errno with no descriptor left
 * open.
 */
int ivshmem_create(struct ivshmem *dev, const char *name);

/* Close all descriptors. Mappings and descriptors that were passed on stay. */
void ivshmem_destroy(struct ivshmem *dev);

/* Map BAR2 (TALLY_BAR_SIZE bytes, shared with the guest) into @bar. Returns 0 or -errno. */
int ivshmem_map_bar(const struct ivshmem *dev, void **bar);
void ivshmem_unmap_bar(void *bar);

/* Raise MSI-X vector @vector. A vector that does not exist is ignored, as by a PCIe device. */
void ivshmem_interrupt(const struct ivshmem *dev, unsigned int vector);

#endif
