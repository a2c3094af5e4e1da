// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Taking a device into service and out of it, and offering it on the auxiliary bus. */
#include "adminq.h"
#include "debug/inject.h"
#include "eq.h"
#include "group.h"
#include "pf.h"
#include "reset.h"
#include "lifecycle.h"

/**
 * tally_start() - Take a device into service: reset it, and create its queues.
 * @pf: device, TALLY_PF_QUIET, with its queues allocated
 *
 * From now on until tally_stop() or tally_quiet() the device may access the rings, even if this
 * function fails.
 *
 * Return: 0 or a negative errno, which is logged.
 */
int tally_start(struct tally_pf *pf)
{
	int err;

	err = tally_reset(pf);
	if (err)
		return err;
	tally_inject_device_reset(pf);
	/*
	 * The order matters: tally_fail() closes the queue only if the device is up, and it must
	 * stay closed.
	 */
	tally_adminq_open(pf);
	WRITE_ONCE(pf->state, TALLY_PF_UP);
	err = tally_eqs_create(pf);
	if (err)
		return err;
	/* It may have changed since the identification page was read. */
	tally_link_refresh(&pf->pub);
	return 0;
}

/**
 * tally_stop() - Take a device out of service for good.
 * @pf: device, which accesses no memory any more when this returns
 */
void tally_stop(struct tally_pf *pf)
{
	tally_quiet(pf);
	pci_clear_master(pf->pub.pdev);
	tally_groups_free_draining(pf);
}

static void aux_release(struct device *dev)
{
	kfree(container_of(dev, struct tally_aux, adev.dev));
}

/**
 * tally_aux_add() - Offer a device on the auxiliary bus.
 * @pf: device, in service
 *
 * Return: 0 or a negative errno.
 */
int tally_aux_add(struct tally_pf *pf)
{
	struct tally_aux *aux = kzalloc(sizeof(*aux), GFP_KERNEL);
	int err;

	if (!aux)
		return -ENOMEM;
	aux->tdev = &pf->pub;
	aux->adev.name = "rdma";
	aux->adev.id = pf->pub.index;
	aux->adev.dev.parent = pf_dev(pf);
	aux->adev.dev.release = aux_release;
	err = auxiliary_device_init(&aux->adev);
	if (err) {
		kfree(aux);
		return err;
	}
	err = auxiliary_device_add(&aux->adev);
	if (err) {
		auxiliary_device_uninit(&aux->adev);
		return err;
	}
	pf->aux = aux;
	return 0;
}

/**
 * tally_aux_remove() - Undo tally_aux_add(), if it succeeded.
 * @pf: device
 *
 * When this returns, the users of the device have released everything.
 */
void tally_aux_remove(struct tally_pf *pf)
{
	if (!pf->aux)
		return;
	auxiliary_device_delete(&pf->aux->adev);
	auxiliary_device_uninit(&pf->aux->adev);
	pf->aux = NULL;
}
