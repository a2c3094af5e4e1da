// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* How the function is attached: its BARs, and the register that wakes a sleeping device. */
#include "attach.h"
#include "pf.h"

/* Returns the BARs to map: BAR2, and that of the wake-up register if there is one. */
static int attach_used_bars(struct tally_pf *pf)
{
	int bars = BIT(2);

	if (pf->attach->wake_value)
		bars |= BIT(pf->attach->wake_bar);
	return bars;
}

/*
 * Maps BAR2 up to the push buffers, which processes map write-combined. If the kernel mapped these
 * uncached, PAT would silently make the mapping of a process uncached, too.
 */
static void __iomem *attach_map_bar2(struct pci_dev *pdev)
{
	u64 size = min_t(u64, pci_resource_len(pdev, 2), TALLY_BAR_PUSH_OFFSET);

	if (!(pci_resource_flags(pdev, 2) & IORESOURCE_MEM))
		return NULL;
	return ioremap(pci_resource_start(pdev, 2), size);
}

/**
 * tally_map_bars() - Claim and map the BARs.
 * @pf: device
 *
 * Return: 0 or a negative errno, which is logged.
 */
int tally_map_bars(struct tally_pf *pf)
{
	struct pci_dev *pdev = pf->pub.pdev;
	int err;

	err = pci_request_selected_regions(pdev, attach_used_bars(pf), pf->pub.name);
	if (err) {
		dev_err(&pdev->dev, "cannot claim the BARs: error %d\n", err);
		return err;
	}
	pf->pub.bar2_phys = pci_resource_start(pdev, 2);
	pf->bar2 = attach_map_bar2(pdev);
	if (!pf->bar2)
		goto err_release;
	if (pf->attach->wake_value) {
		pf->wake_reg = pci_iomap(pdev, pf->attach->wake_bar, 0);
		if (!pf->wake_reg)
			goto err_unmap_bar2;
	}
	return 0;

err_unmap_bar2:
	iounmap(pf->bar2);
err_release:
	dev_err(&pdev->dev, "cannot map the BARs\n");
	pci_release_selected_regions(pdev, attach_used_bars(pf));
	return -ENOMEM;
}

/**
 * tally_unmap_bars() - Undo tally_map_bars().
 * @pf: device
 */
void tally_unmap_bars(struct tally_pf *pf)
{
	if (pf->wake_reg)
		pci_iounmap(pf->pub.pdev, pf->wake_reg);
	iounmap(pf->bar2);
	pci_release_selected_regions(pf->pub.pdev, attach_used_bars(pf));
}

/**
 * tally_map_wake() - Find out whether processes may map the wake-up register.
 * @pf: device, BARs mapped
 */
void tally_map_wake(struct tally_pf *pf)
{
	if (!pf->attach->wake_value)
		return;
	pf->pub.wake_value = pf->attach->wake_value;
	pf->pub.wake_offset = pf->attach->wake_offset;
	pf->pub.wake_phys = pf->attach->wake_page(pf);
}

/**
 * tally_wake() - Wake the device if it sleeps. Callers must have written a doorbell before.
 * @pf: device
 */
void tally_wake(struct tally_pf *pf)
{
	if (!pf->wake_reg)
		return;
	/* A device that sets need_wake and then looks again must see the doorbell. */
	mb();
	if (readl(&pf_status(pf)->need_wake))
		iowrite32(pf->attach->wake_value, pf->wake_reg + pf->attach->wake_offset);
}

/**
 * tally_uar_phys() - Physical address of a UAR page.
 * @tdev: device
 * @uar: UAR page, below caps.num_uars
 *
 * Return: the address.
 */
phys_addr_t tally_uar_phys(const struct tally_dev *tdev, u32 uar)
{
	return tdev->bar2_phys + TALLY_BAR_UAR_OFFSET + (phys_addr_t)uar * TALLY_PAGE_SIZE;
}
EXPORT_SYMBOL_GPL(tally_uar_phys);

static struct tally_uar_slot __iomem *attach_uar_slot(struct tally_dev *tdev,
						      struct tally_doorbell_id slot)
{
	u8 __iomem *page = to_pf(tdev)->bar2 + TALLY_BAR_UAR_OFFSET + slot.uar * TALLY_PAGE_SIZE;

	return (struct tally_uar_slot __iomem *)page + slot.slot;
}

/**
 * tally_doorbell_clear() - Set the counters of a doorbell slot to 0, as new objects expect.
 * @tdev: device
 * @slot: a slot that no object is bound to
 */
void tally_doorbell_clear(struct tally_dev *tdev, struct tally_doorbell_id slot)
{
	struct tally_uar_slot __iomem *p = attach_uar_slot(tdev, slot);

	writeq(0, &p->counter);
	writeq(0, &p->arm);
}
EXPORT_SYMBOL_GPL(tally_doorbell_clear);

/**
 * tally_uar_clear() - Clear all slots of a UAR page, to hide the previous owner's data.
 * @tdev: device
 * @uar: UAR page that is not in use
 */
void tally_uar_clear(struct tally_dev *tdev, u32 uar)
{
	struct tally_doorbell_id first = { .uar = uar };

	memset_io(attach_uar_slot(tdev, first), 0, TALLY_PAGE_SIZE);
}
EXPORT_SYMBOL_GPL(tally_uar_clear);

/**
 * tally_push_phys() - Physical address of a UAR page's push buffer.
 * @tdev: device with TALLY_CAP_PUSH
 * @uar: UAR page, below caps.num_uars
 *
 * Return: the address.
 */
phys_addr_t tally_push_phys(const struct tally_dev *tdev, u32 uar)
{
	return tdev->bar2_phys + TALLY_BAR_PUSH_OFFSET + (phys_addr_t)uar * TALLY_PUSH_SIZE;
}
EXPORT_SYMBOL_GPL(tally_push_phys);

/**
 * tally_push_clear() - Clear a push buffer, to hide the previous owner's data.
 * @tdev: device with TALLY_CAP_PUSH
 * @uar: UAR page whose push buffer is not in use
 *
 * Return: 0 or a negative errno.
 */
int tally_push_clear(struct tally_dev *tdev, u32 uar)
{
	void __iomem *buf = ioremap_wc(tally_push_phys(tdev, uar), TALLY_PUSH_SIZE);

	if (!buf)
		return -ENOMEM;
	memset_io(buf, 0, TALLY_PUSH_SIZE);
	/* The zeroes must precede the stores of the new owner. */
	wmb();
	iounmap(buf);
	return 0;
}
EXPORT_SYMBOL_GPL(tally_push_clear);
