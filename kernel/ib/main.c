// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The auxiliary driver: registers a verbs device for each device of tally.ko. */
#include <linux/module.h>

#include "ib.h"

static const struct ib_device_ops tally_ib_ops = {
	.owner = THIS_MODULE,
	.driver_id = (enum rdma_driver_id)TALLY_RDMA_DRIVER_ID,
	.uverbs_abi_ver = TALLY_UVERBS_ABI_VERSION,

	.query_device = tally_ib_query_device,
	.query_port = tally_ib_query_port,
	.query_gid = tally_ib_query_gid,
	.query_pkey = tally_ib_query_pkey,
	.get_port_immutable = tally_ib_port_immutable,
	.get_link_layer = tally_ib_link_layer,
	.get_dev_fw_str = tally_ib_fw_str,

	.alloc_ucontext = tally_ib_alloc_ucontext,
	.dealloc_ucontext = tally_ib_dealloc_ucontext,
	.disassociate_ucontext = tally_ib_disassociate_ucontext,
	.mmap = tally_ib_mmap,
	.mmap_free = tally_ib_mmap_free,

	.alloc_pd = tally_ib_alloc_pd,
	.dealloc_pd = tally_ib_dealloc_pd,
	.reg_user_mr = tally_ib_reg_user_mr,
	.reg_user_mr_dmabuf = tally_ib_reg_user_mr_dmabuf,
	.rereg_user_mr = tally_ib_rereg_user_mr,
	.dereg_mr = tally_ib_dereg_mr,
	.create_cq = tally_ib_create_cq,
	.destroy_cq = tally_ib_destroy_cq,
	.create_qp = tally_ib_create_qp,
	.modify_qp = tally_ib_modify_qp,
	.query_qp = tally_ib_query_qp,
	.destroy_qp = tally_ib_destroy_qp,

	.alloc_hw_port_stats = tally_ib_alloc_port_stats,
	.get_hw_stats = tally_ib_get_stats,
	.fill_res_mr_entry = tally_ib_fill_mr,
	.fill_res_cq_entry = tally_ib_fill_cq,
	.fill_res_qp_entry = tally_ib_fill_qp,

	INIT_RDMA_OBJ_SIZE(ib_ucontext, tally_ucontext, ibucontext),
	INIT_RDMA_OBJ_SIZE(ib_pd, tally_pd, ibpd),
	INIT_RDMA_OBJ_SIZE(ib_cq, tally_cq, ibcq),
	INIT_RDMA_OBJ_SIZE(ib_qp, tally_qp, ibqp),
};

static const struct uapi_definition tally_ib_defs[] = {
	UAPI_DEF_CHAIN(tally_seg_defs),
	UAPI_DEF_CHAIN(tally_group_defs),
	UAPI_DEF_CHAIN(tally_group_query_defs),
	{},
};

static const struct tally_events tally_ib_events = {
	.cq = tally_ib_cq_event,
	.cq_error = tally_ib_cq_error_event,
	.qp_fatal = tally_ib_qp_fatal_event,
	.group_dead = tally_ib_group_dead_event,
	.port = tally_ib_port_event,
	.fatal = tally_ib_fatal_event,
};

/* ---- Registration ---- */

static int tally_ib_init(struct tally_ibdev *dev, struct tally_dev *tdev)
{
	struct ib_device *ibdev = &dev->ibdev;

	dev->tdev = tdev;
	spin_lock_init(&dev->event_lock);
	ida_init(&dev->pds);
	ida_init(&dev->uars);
	ida_init(&dev->mrs);
	xa_init_flags(&dev->cqs, XA_FLAGS_ALLOC);
	xa_init_flags(&dev->qps, XA_FLAGS_ALLOC);
	dev->mr_variants = kvzalloc(tdev->caps.max_mr, GFP_KERNEL);
	if (!dev->mr_variants)
		return -ENOMEM;
	ibdev->node_type = RDMA_NODE_IB_CA;
	ibdev->phys_port_cnt = 1;
	ibdev->num_comp_vectors = tdev->num_comp_vectors;
	ibdev->node_guid = cpu_to_be64(tdev->caps.guid);
	ibdev->dev.parent = &tdev->pdev->dev;
	ibdev->driver_def = tally_ib_defs;
	ib_set_device_ops(ibdev, &tally_ib_ops);
	return 0;
}

static void tally_ib_cleanup(struct tally_ibdev *dev)
{
	kvfree(dev->mr_variants);
	xa_destroy(&dev->qps);
	xa_destroy(&dev->cqs);
	ida_destroy(&dev->mrs);
	ida_destroy(&dev->uars);
	ida_destroy(&dev->pds);
}

static int tally_ib_probe(struct auxiliary_device *adev, const struct auxiliary_device_id *id)
{
	struct tally_dev *tdev = tally_from_aux(adev);
	struct tally_ibdev *dev;
	int err;

	dev = ib_alloc_device(tally_ibdev, ibdev);
	if (!dev)
		return -ENOMEM;
	err = tally_ib_init(dev, tdev);
	if (err)
		goto err_dealloc;
	/*
	 * Registered before a process can create a completion queue, because no event may be
	 * missed.
	 */
	err = tally_events_register(tdev, &tally_ib_events, dev);
	if (err)
		goto err_cleanup;
	err = ib_register_device(&dev->ibdev, tdev->name, &tdev->pdev->dev);
	if (err) {
		dev_err(&adev->dev, "cannot register verbs device %s: error %d\n", tdev->name, err);
		goto err_unregister_events;
	}
	tally_ib_events_release(dev);
	auxiliary_set_drvdata(adev, dev);
	return 0;

err_unregister_events:
	tally_events_unregister(tdev);
err_cleanup:
	tally_ib_cleanup(dev);
err_dealloc:
	ib_dealloc_device(&dev->ibdev);
	return err;
}

static void tally_ib_remove(struct auxiliary_device *adev)
{
	struct tally_ibdev *dev = auxiliary_get_drvdata(adev);

	/*
	 * This comes first, because an event for a device that is no longer registered would
	 * outlive it.
	 */
	tally_events_unregister(dev->tdev);
	ib_unregister_device(&dev->ibdev);
	tally_ib_cleanup(dev);
	ib_dealloc_device(&dev->ibdev);
}

static const struct auxiliary_device_id tally_ib_ids[] = {
	{ .name = "tally.rdma" },
	{ }
};
MODULE_DEVICE_TABLE(auxiliary, tally_ib_ids);

static struct auxiliary_driver tally_ib_driver = {
	.name = "rdma",
	.probe = tally_ib_probe,
	.remove = tally_ib_remove,
	.id_table = tally_ib_ids,
};

module_auxiliary_driver(tally_ib_driver);

MODULE_DESCRIPTION("Tally verbs device");
MODULE_AUTHOR("Tally developers");
MODULE_LICENSE("Dual BSD/GPL");
