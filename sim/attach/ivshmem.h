/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a NIC and its VM share when QEMU's ivshmem-doorbell device stands in for a PCIe function:
 * BAR2 as a piece of memory, one eventfd that the guest rings, one eventfd for each MSI-X vector.
 *
 * The guest has TALLY_NUM_VECTORS doorbells by the rules of ivshmem. All of them are the same
 * eventfd here, because every ring means the same: look at all doorbells.
 */
#ifndef TALLY_SIM_ATTACH_IVSHMEM_H
#define TALLY_SIM_ATTACH_IVSHMEM_H

#include "gen/tally_hw.h"

struct ivshmem {
	int bar_fd;				/* memfd of TALLY_BAR_SIZE bytes, zeroed at first */
	int doorbell_fd;			/* eventfd: guest to device */
	int vector_fd[TALLY_NUM_VECTORS];	/* eventfds: device to guest */
};

/* Descriptors of one struct ivshmem. */
#define IVSHMEM_FDS	(2 + TALLY_NUM_VECTORS)

/* Makes all descriptors; @name appears in /proc only. 0 or -errno, with nothing left open. */
int ivshmem_create(struct ivshmem *dev, const char *name);

/* Closes all descriptors. Mappings and descriptors that were passed on stay. */
void ivshmem_destroy(struct ivshmem *dev);

/* Maps BAR2 (TALLY_BAR_SIZE bytes, shared with the guest) into @bar. 0 or -errno. */
int ivshmem_map_bar(const struct ivshmem *dev, void **bar);
void ivshmem_unmap_bar(void *bar);

/* Raises MSI-X vector @vector; one that does not exist is ignored, as a PCIe device has it. */
void ivshmem_interrupt(const struct ivshmem *dev, unsigned int vector);

#endif
