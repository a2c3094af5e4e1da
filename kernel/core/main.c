// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The PCI driver: takes a function into service and adds it to the auxiliary bus. */
#include <linux/dma-mapping.h>
#include <linux/idr.h>
#include <linux/module.h>

#include "adminq.h"
#include "attach.h"
#include "debug/debugfs.h"
#include "debug/inject.h"
#include "devlink.h"
#include "eq.h"
#include "health.h"
#include "ident.h"
#include "pf.h"
#include "recover.h"
#include "reset.h"
#include "lifecycle.h"

#define MIN_TIMEOUT_MS 10

static uint cmd_timeout_ms = 10000;
module_param(cmd_timeout_ms, uint, 0644);
MODULE_PARM_DESC(cmd_timeout_ms, "Milliseconds after which a device that does not answer counts as failed");

static DEFINE_IDA(tally_ida);

/*
 * Maps a PCI id to the attachment of the board. The simulated board has the id of another vendor's
 * device, see attach_sim.c; a real board has an id of its own.
 */
static const struct pci_device_id tally_pci_ids[] = {
	{
		PCI_DEVICE(TALLY_IVSHMEM_VENDOR, TALLY_IVSHMEM_DEVICE),
		.driver_data = (kernel_ulong_t)&tally_attach_sim,
	},
	{ }
};
MODULE_DEVICE_TABLE(pci, tally_pci_ids);

/**
 * tally_cmd_timeout() - Return the time limit for an answer of the device.
 *
 * Return: jiffies.
 */
unsigned long tally_cmd_timeout(void)
{
	return msecs_to_jiffies(max_t(uint, READ_ONCE(cmd_timeout_ms), MIN_TIMEOUT_MS));
}

/* ---- Service ---- */

static int tally_enable(struct tally_pf *pf)
{
	struct pci_dev *pdev = pf->pub.pdev;
	int err;

	err = dma_set_mask_and_coherent(&pdev->dev, DMA_BIT_MASK(64));
	if (err) {
		dev_err(&pdev->dev, "cannot use 64-bit DMA: error %d\n", err);
		return err;
	}
	dma_set_max_seg_size(&pdev->dev, UINT_MAX);
	err = tally_adminq_alloc(pf);
	if (err)
		return err;
	err = tally_eqs_setup(pf);
	if (err)
		goto err_adminq_free;
	pci_set_master(pdev);
	err = tally_start(pf);
	if (err)
		goto err_stop;
	return 0;

err_stop:
	tally_stop(pf);
	tally_eqs_free(pf);
err_adminq_free:
	tally_adminq_free(pf);
	return err;
}

static void tally_disable(struct tally_pf *pf)
{
	tally_stop(pf);
	tally_eqs_free(pf);
	tally_adminq_free(pf);
}

/* ---- PCI driver ---- */

static struct tally_pf *pf_new(struct pci_dev *pdev, const struct tally_attach *attach)
{
	struct tally_pf *pf = kvzalloc(sizeof(*pf), GFP_KERNEL);
	int index;

	if (!pf)
		return ERR_PTR(-ENOMEM);
	index = ida_alloc(&tally_ida, GFP_KERNEL);
	if (index < 0) {
		kvfree(pf);
		return ERR_PTR(index);
	}
	pf->pub.index = index;
	snprintf(pf->pub.name, sizeof(pf->pub.name), "tally%d", index);
	pf->pub.pdev = pdev;
	pf->attach = attach;
	spin_lock_init(&pf->group_lock);
	mutex_init(&pf->inspecting);
	mutex_init(&pf->resetting);
	init_waitqueue_head(&pf->settled);
	mutex_init(&pf->recovery.lock);
	INIT_WORK(&pf->fail_work, tally_fail_work);
	tally_inject_init(pf);
	return pf;
}

static void pf_free(struct tally_pf *pf)
{
	ida_free(&tally_ida, pf->pub.index);
	kvfree(pf);
}

static void pf_report(struct tally_pf *pf)
{
	const struct tally_caps *caps = &pf->pub.caps;

	dev_info(pf_dev(pf), "%s: %pM, abi %u, engine %u (kind %u), wire %u, %u event queues\n",
		 pf->pub.name, caps->mac, caps->abi_version, caps->engine_version,
		 caps->engine_kind, caps->wire_version, pf->num_eqs);
}

static int tally_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	struct tally_pf *pf;
	int err;

	err = pci_enable_device_mem(pdev);
	if (err)
		return err;
	pf = pf_new(pdev, (const struct tally_attach *)id->driver_data);
	if (IS_ERR(pf)) {
		err = PTR_ERR(pf);
		goto err_disable_pci;
	}
	pci_set_drvdata(pdev, pf);
	err = tally_map_bars(pf);
	if (err)
		goto err_free;
	err = tally_read_ident(pf);
	if (err)
		goto err_unmap;
	tally_map_wake(pf);
	err = tally_enable(pf);
	if (err)
		goto err_unmap;
	pf_report(pf);
	err = tally_devlink_add(pf);
	if (err)
		goto err_disable;
	err = tally_aux_add(pf);
	if (err)
		goto err_devlink;
	tally_debugfs_add(pf);
	tally_devlink_register(pf);
	tally_health_start(pf);
	return 0;

err_devlink:
	tally_devlink_remove(pf);
err_disable:
	tally_disable(pf);
err_unmap:
	tally_unmap_bars(pf);
err_free:
	pf_free(pf);
err_disable_pci:
	pci_disable_device(pdev);
	return err;
}

static void tally_remove(struct pci_dev *pdev)
{
	struct tally_pf *pf = pci_get_drvdata(pdev);

	tally_health_stop(pf);
	tally_recovery_stop(pf);
	tally_devlink_unregister(pf);
	tally_debugfs_remove(pf);
	tally_aux_remove(pf);
	tally_devlink_remove(pf);
	tally_disable(pf);
	tally_unmap_bars(pf);
	pf_free(pf);
	pci_disable_device(pdev);
}

/* Stops the device, which must not write to the memory of the next kernel. */
static void tally_shutdown(struct pci_dev *pdev)
{
	struct tally_pf *pf = pci_get_drvdata(pdev);

	tally_health_stop(pf);
	tally_recovery_stop(pf);
	tally_stop(pf);
}

static struct pci_driver tally_pci_driver = {
	.name = KBUILD_MODNAME,
	.id_table = tally_pci_ids,
	.probe = tally_probe,
	.remove = tally_remove,
	.shutdown = tally_shutdown,
};

static int __init tally_init(void)
{
	int err;

	tally_debugfs_init();
	err = pci_register_driver(&tally_pci_driver);
	if (err)
		tally_debugfs_exit();
	return err;
}

static void __exit tally_exit(void)
{
	pci_unregister_driver(&tally_pci_driver);
	tally_debugfs_exit();
	ida_destroy(&tally_ida);
}

module_init(tally_init);
module_exit(tally_exit);

MODULE_DESCRIPTION("Tally collective-offload NIC");
MODULE_AUTHOR("Tally developers");
MODULE_LICENSE("Dual BSD/GPL");
