// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The simulated board is QEMU's device ivshmem-doorbell, whose BAR2 is memory shared with the
 * simulator. This file holds the peculiarities of this board; a real board needs none of them, but
 * only a PCI id and an entry of its own in the table of main.c.
 *
 * - The PCI id is that of every ivshmem device, whatever its purpose, so it does not identify our
 *   device. probe() looks for the magic number of the identification page in BAR2, and silently
 *   leaves a device without it to other drivers.
 *
 * - Unlike a board, the simulator sleeps while there is nothing to do. The kernel and the processes
 *   wake it by a store to a register of BAR0. BAR0 has 256 bytes, and firmware may put several such
 *   BARs into one page. Because a process can map only whole pages, it may map the page only if it
 *   holds nothing else: otherwise the process could reach registers of other functions.
 */
#include "attach.h"
#include "pf.h"

/* Returns whether a BAR of any function, except for @own, lies in the page at @page. */
static bool sim_page_is_shared(phys_addr_t page, const struct resource *own)
{
	struct resource range = {
		.start = page,
		.end = page + PAGE_SIZE - 1,
		.flags = IORESOURCE_MEM,
	};
	struct pci_dev *other = NULL;
	int i;

	for_each_pci_dev(other) {
		for (i = 0; i <= PCI_ROM_RESOURCE; i++) {
			struct resource *res = &other->resource[i];

			if (res == own || !(res->flags & IORESOURCE_MEM) || !res->parent)
				continue;
			if (resource_overlaps(res, &range)) {
				pci_dev_put(other);
				return true;
			}
		}
	}
	return false;
}

/*
 * Returns the page with the wake-up register. If a process may not map it, logs this and returns 0.
 */
static phys_addr_t sim_wake_page(struct tally_pf *pf)
{
	struct pci_dev *pdev = pf->pub.pdev;
	const struct resource *res = &pdev->resource[pf->attach->wake_bar];
	phys_addr_t page = res->start & PAGE_MASK;

	if (res->start == page && resource_size(res) <= PAGE_SIZE && !sim_page_is_shared(page, res))
		return page;
	dev_err(&pdev->dev,
		"BAR%d %pR shares its page, so no process can use this device: boot with pci=resource_alignment=12@pci:%04x:%04x\n",
		pf->attach->wake_bar, res, pdev->vendor, pdev->device);
	return 0;
}

const struct tally_attach tally_attach_sim = {
	.wake_bar = 0,
	.wake_offset = TALLY_RING_OFFSET,
	.wake_value = TALLY_RING_VALUE,
	.wake_page = sim_wake_page,
};
