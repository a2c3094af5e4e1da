// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The simulated board: QEMU's device ivshmem-doorbell, whose BAR2 is memory shared with the simulator.
 * What is odd about it is here, and nothing of it is for a board, which has a PCI id and an entry in
 * the table of main.c of its own.
 *
 * - Its PCI id is QEMU's: each ivshmem device has it, whatever it is for. So the id makes no device
 *   ours. probe() looks for the magic number of the identification page in BAR2, and leaves a device
 *   without it alone, silently, for another driver to take.
 *
 * - The simulator sleeps when nobody needs it, which no board does. A store to a register of BAR0
 *   wakes it, from processes too. BAR0 has 256 bytes, and firmware puts several such BARs into one
 *   page. A page is the least that a process can map, so it gets that page only if nothing else is in
 *   it: else it could reach registers of other functions.
 */
#include "attach.h"
#include "pf.h"

/* Whether a BAR of any function, but for @own, lies in the page at @page. */
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

/* The page with the wake-up register; 0, reported, if a process may not have it. */
static phys_addr_t sim_ring_page(struct tally_pf *pf)
{
	struct pci_dev *pdev = pf->pub.pdev;
	const struct resource *res = &pdev->resource[pf->attach->ring_bar];
	phys_addr_t page = res->start & PAGE_MASK;

	if (res->start == page && resource_size(res) <= PAGE_SIZE && !sim_page_is_shared(page, res))
		return page;
	dev_err(&pdev->dev,
		"BAR%d %pR shares its page, so no process can use this device: boot with pci=resource_alignment=12@pci:%04x:%04x\n",
		pf->attach->ring_bar, res, pdev->vendor, pdev->device);
	return 0;
}

const struct tally_attach tally_attach_sim = {
	.ring_bar = 0,
	.ring_offset = TALLY_RING_OFFSET,
	.ring_value = TALLY_RING_VALUE,
	.ring_page = sim_ring_page,
};
