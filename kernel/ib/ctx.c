// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Contexts and their mappings, doorbell slots, and protection domains. */
#include "ib.h"

enum tally_mmap_kind {
	TALLY_MMAP_STATUS,
	TALLY_MMAP_WAKE,
	TALLY_MMAP_UAR,
	TALLY_MMAP_PUSH,
};

/**
 * struct tally_mmap_entry - Pages of the device that a process may map.
 * @rdma: mmap entry of the RDMA core
 * @phys: physical address
 * @kind: kind of the pages
 */
struct tally_mmap_entry {
	struct rdma_user_mmap_entry rdma;
	phys_addr_t phys;
	enum tally_mmap_kind kind;
};

/* ---- Mappings ---- */

static struct rdma_user_mmap_entry *mmap_entry_new(struct tally_ucontext *ctx, phys_addr_t phys,
						   size_t size, enum tally_mmap_kind kind)
{
	struct tally_mmap_entry *entry = kzalloc(sizeof(*entry), GFP_KERNEL);
	int err;

	if (!entry)
		return ERR_PTR(-ENOMEM);
	entry->phys = phys;
	entry->kind = kind;
	err = rdma_user_mmap_entry_insert(&ctx->ibucontext, &entry->rdma, size);
	if (err) {
		kfree(entry);
		return ERR_PTR(err);
	}
	return &entry->rdma;
}

void tally_ib_mmap_free(struct rdma_user_mmap_entry *entry)
{
	kfree(container_of(entry, struct tally_mmap_entry, rdma));
}

static int ctx_map_entry(struct tally_ucontext *ctx, struct vm_area_struct *vma,
			 const struct tally_mmap_entry *entry, struct rdma_user_mmap_entry *rdma)
{
	pgprot_t prot = pgprot_noncached(vma->vm_page_prot);

	if (entry->kind == TALLY_MMAP_STATUS) {
		if (vma->vm_flags & VM_WRITE)
			return tally_refuse(ctx->ibucontext.device, -EPERM,
					    "mmap: the status page is read-only");
		vm_flags_clear(vma, VM_MAYWRITE);
	}
	if (entry->kind == TALLY_MMAP_PUSH)
		prot = pgprot_writecombine(vma->vm_page_prot);
	return rdma_user_mmap_io(&ctx->ibucontext, vma, PHYS_PFN(entry->phys),
				 rdma->npages * PAGE_SIZE, prot, rdma);
}

int tally_ib_mmap(struct ib_ucontext *ibucontext, struct vm_area_struct *vma)
{
	struct rdma_user_mmap_entry *rdma = rdma_user_mmap_entry_get(ibucontext, vma);
	int err;

	if (!rdma)
		return tally_refuse(ibucontext->device, -EINVAL,
				    "mmap: no mapping of this size at page offset %#lx",
				    vma->vm_pgoff);
	err = ctx_map_entry(to_tctx(ibucontext), vma,
			    container_of(rdma, struct tally_mmap_entry, rdma), rdma);
	rdma_user_mmap_entry_put(rdma);
	return err;
}

/* ---- Contexts ---- */

static int ctx_map_device(struct tally_ucontext *ctx, struct tally_dev *tdev)
{
	struct rdma_user_mmap_entry *entry;

	entry = mmap_entry_new(ctx, tdev->bar2_phys + TALLY_BAR_STATUS_OFFSET, PAGE_SIZE,
			       TALLY_MMAP_STATUS);
	if (IS_ERR(entry))
		return PTR_ERR(entry);
	ctx->status_mmap = entry;
	if (!tdev->wake_value)
		return 0;
	entry = mmap_entry_new(ctx, tdev->wake_phys, PAGE_SIZE, TALLY_MMAP_WAKE);
	if (IS_ERR(entry)) {
		rdma_user_mmap_entry_remove(ctx->status_mmap);
		return PTR_ERR(entry);
	}
	ctx->wake_mmap = entry;
	return 0;
}

static int ctx_respond(struct tally_ucontext *ctx, struct tally_dev *tdev,
		       struct ib_udata *udata)
{
	const struct tally_caps *caps = &tdev->caps;
	struct tally_uresp_alloc_ucontext resp = {
		.caps = caps->caps,
		.status_mmap_offset = rdma_user_mmap_get_offset(ctx->status_mmap),
		.wake_page_offset = tdev->wake_offset,
		.wake_value = tdev->wake_value,
		.mtu = caps->mtu,
		.max_message = caps->max_message,
		.max_inline = caps->max_inline,
		.max_sge = caps->max_sge,
		.max_sq_depth = caps->max_sq_depth,
		.max_cq_depth = caps->max_cq_depth,
		.max_segs = tally_quota_segs(ctx->quota),
		.max_groups = tally_quota_groups(ctx->quota),
		.clock_khz = caps->clock_khz,
		.max_cells = tally_quota_cells(ctx->quota),
		.epoch = tdev->epoch,
		.opcodes = caps->opcodes,
	};

	if (ctx->wake_mmap)
		resp.wake_mmap_offset = rdma_user_mmap_get_offset(ctx->wake_mmap);
	return ib_copy_to_udata(udata, &resp, min(sizeof(resp), udata->outlen));
}

int tally_ib_alloc_ucontext(struct ib_ucontext *ibucontext, struct ib_udata *udata)
{
	struct tally_dev *tdev = to_tdev(ibucontext->device)->tdev;
	struct tally_ucontext *ctx = to_tctx(ibucontext);
	int err;

	if (tdev->wake_value && !tdev->wake_phys)
		return tally_refuse(ibucontext->device, -ENXIO,
				    "open: the wake-up register shares its page, see the message of probe");
	if (udata->inlen && !ib_is_udata_cleared(udata, 0, udata->inlen))
		return tally_refuse(ibucontext->device, -EINVAL, "open: request with unknown data");
	ctx->quota = tally_quota_of_process(tdev);
	if (!ctx->quota)
		return -ENOMEM;
	mutex_init(&ctx->uar_lock);
	INIT_LIST_HEAD(&ctx->uars);
	xa_init_flags(&ctx->groups, XA_FLAGS_ALLOC1);
	err = ctx_map_device(ctx, tdev);
	if (err)
		goto err_quota;
	err = ctx_respond(ctx, tdev, udata);
	if (err)
		goto err_unmap;
	return 0;

err_unmap:
	rdma_user_mmap_entry_remove(ctx->wake_mmap);
	rdma_user_mmap_entry_remove(ctx->status_mmap);
err_quota:
	tally_quota_put(ctx->quota);
	return err;
}

/* The context has no objects and no mappings any more, so nothing can write to the UARs. */
void tally_ib_dealloc_ucontext(struct ib_ucontext *ibucontext)
{
	struct tally_ibdev *dev = to_tdev(ibucontext->device);
	struct tally_ucontext *ctx = to_tctx(ibucontext);
	struct tally_uar *uar, *next;

	list_for_each_entry_safe(uar, next, &ctx->uars, entry) {
		rdma_user_mmap_entry_remove(uar->push_mmap);
		rdma_user_mmap_entry_remove(uar->mmap);
		ida_free(&dev->uars, uar->num);
		tally_quota_uncharge_objects(ctx->quota, TALLY_QUOTA_UAR, 1);
		kfree(uar);
	}
	rdma_user_mmap_entry_remove(ctx->wake_mmap);
	rdma_user_mmap_entry_remove(ctx->status_mmap);
	xa_destroy(&ctx->groups);
	tally_quota_put(ctx->quota);
}

/* The RDMA core needs this function to take the device away from contexts that are still open. */
void tally_ib_disassociate_ucontext(struct ib_ucontext *ibucontext)
{
}

/**
 * tally_charge() - Charge objects of one kind to the quota of a process.
 * @ctx: context of the objects
 * @kind: kind of the objects
 * @count: number of objects
 * @name: name of the kind, in the plural
 *
 * Return: 0 or -EDQUOT.
 */
int tally_charge(struct tally_ucontext *ctx, enum tally_quota_kind kind, u32 count,
		 const char *name)
{
	if (tally_quota_charge_objects(ctx->quota, kind, count))
		return 0;
	return tally_refuse(ctx->ibucontext.device, -EDQUOT,
			    "a process may not have more than half of the %s", name);
}

/* ---- Doorbell slots ---- */

/* Adds a UAR page with a number below @end to the context. */
static struct tally_uar *uar_new(struct tally_ucontext *ctx, u32 end)
{
	struct tally_ibdev *dev = to_tdev(ctx->ibucontext.device);
	struct tally_dev *tdev = dev->tdev;
	struct tally_uar *uar = kzalloc(sizeof(*uar), GFP_KERNEL);
	int num, err;

	if (!uar)
		return ERR_PTR(-ENOMEM);
	err = tally_charge(ctx, TALLY_QUOTA_UAR, 1, "UARs");
	if (err)
		goto err_free;
	num = ida_alloc_max(&dev->uars, end - 1, GFP_KERNEL);
	if (num < 0) {
		err = tally_refuse(&dev->ibdev, num, "all %u UARs are in use", end);
		goto err_uncharge;
	}
	uar->num = num;
	tally_uar_clear(tdev, num);
	uar->mmap = mmap_entry_new(ctx, tally_uar_phys(tdev, num), PAGE_SIZE, TALLY_MMAP_UAR);
	if (IS_ERR(uar->mmap)) {
		err = PTR_ERR(uar->mmap);
		goto err_ida;
	}
	list_add(&uar->entry, &ctx->uars);
	return uar;

err_ida:
	ida_free(&dev->uars, num);
err_uncharge:
	tally_quota_uncharge_objects(ctx->quota, TALLY_QUOTA_UAR, 1);
err_free:
	kfree(uar);
	return ERR_PTR(err);
}

/* Returns a UAR page of the context with a free slot. Adds a page if there is none. */
static struct tally_uar *uar_with_room(struct tally_ucontext *ctx)
{
	struct tally_uar *uar;

	list_for_each_entry(uar, &ctx->uars, entry)
		if (!bitmap_full(uar->taken, TALLY_UAR_SLOTS))
			return uar;
	return uar_new(ctx, to_tdev(ctx->ibucontext.device)->tdev->caps.num_uars);
}

/*
 * Returns a UAR page of the context with a free slot and a free push buffer. It adds pages only
 * from the lower half of the device's pages, to keep the other half for objects that must have a
 * slot.
 */
static struct tally_uar *uar_with_push(struct tally_ucontext *ctx)
{
	u32 num_uars = to_tdev(ctx->ibucontext.device)->tdev->caps.num_uars;
	struct tally_uar *uar;

	list_for_each_entry(uar, &ctx->uars, entry)
		if (!uar->push_taken && !bitmap_full(uar->taken, TALLY_UAR_SLOTS))
			return uar;
	return num_uars > 1 ? uar_new(ctx, num_uars / 2) : ERR_PTR(-ENOSPC);
}

/* Maps and clears the push buffer of a UAR page for a new owner. */
static int push_prepare(struct tally_ucontext *ctx, struct tally_uar *uar)
{
	struct tally_dev *tdev = to_tdev(ctx->ibucontext.device)->tdev;
	struct rdma_user_mmap_entry *entry;

	if (!uar->push_mmap) {
		entry = mmap_entry_new(ctx, tally_push_phys(tdev, uar->num), TALLY_PUSH_SIZE,
				       TALLY_MMAP_PUSH);
		if (IS_ERR(entry))
			return PTR_ERR(entry);
		uar->push_mmap = entry;
	}
	return tally_push_clear(tdev, uar->num);
}

static void slot_take(struct tally_ucontext *ctx, struct tally_doorbell *db, struct tally_uar *uar)
{
	unsigned long slot = find_first_zero_bit(uar->taken, TALLY_UAR_SLOTS);

	__set_bit(slot, uar->taken);
	db->ctx = ctx;
	db->uar = uar;
	db->slot.uar = uar->num;
	db->slot.slot = slot;
	db->push = false;
	tally_doorbell_clear(to_tdev(ctx->ibucontext.device)->tdev, db->slot);
}

/**
 * tally_doorbell_alloc() - Allocate a doorbell slot, and clear it.
 * @ctx: context
 * @db: the slot
 * @offset: set to the mmap offset of its UAR page
 *
 * Return: 0 or a negative errno.
 */
int tally_doorbell_alloc(struct tally_ucontext *ctx, struct tally_doorbell *db, u64 *offset)
{
	struct tally_uar *uar;

	mutex_lock(&ctx->uar_lock);
	uar = uar_with_room(ctx);
	if (!IS_ERR(uar))
		slot_take(ctx, db, uar);
	mutex_unlock(&ctx->uar_lock);
	if (IS_ERR(uar))
		return PTR_ERR(uar);
	*offset = rdma_user_mmap_get_offset(uar->mmap);
	return 0;
}

/**
 * tally_doorbell_alloc_push() - Allocate and clear a doorbell slot and its page's push buffer.
 * @ctx: context
 * @db: the slot; db->push is false if no push buffer is available
 * @offset: set to the mmap offset of its UAR page
 * @push_offset: set to the mmap offset of the push buffer, if there is one
 *
 * Return: 0 or a negative errno.
 */
int tally_doorbell_alloc_push(struct tally_ucontext *ctx, struct tally_doorbell *db, u64 *offset,
			      u64 *push_offset)
{
	struct tally_uar *uar;
	bool push;

	mutex_lock(&ctx->uar_lock);
	uar = uar_with_push(ctx);
	push = !IS_ERR(uar) && !push_prepare(ctx, uar);
	if (push) {
		slot_take(ctx, db, uar);
		uar->push_taken = true;
		db->push = true;
	}
	mutex_unlock(&ctx->uar_lock);
	if (!push)
		return tally_doorbell_alloc(ctx, db, offset);
	*offset = rdma_user_mmap_get_offset(uar->mmap);
	*push_offset = rdma_user_mmap_get_offset(uar->push_mmap);
	return 0;
}

/**
 * tally_doorbell_free() - Free a doorbell slot and its push buffer. The context keeps the page.
 * @db: slot that is not bound to an object any more
 */
void tally_doorbell_free(struct tally_doorbell *db)
{
	mutex_lock(&db->ctx->uar_lock);
	if (db->push)
		db->uar->push_taken = false;
	db->push = false;
	__clear_bit(db->slot.slot, db->uar->taken);
	mutex_unlock(&db->ctx->uar_lock);
}

/* ---- Protection domains ---- */

int tally_ib_alloc_pd(struct ib_pd *ibpd, struct ib_udata *udata)
{
	struct tally_ucontext *ctx =
		rdma_udata_to_drv_context(udata, struct tally_ucontext, ibucontext);
	struct tally_ibdev *dev = to_tdev(ibpd->device);
	struct tally_uresp_alloc_pd resp = {};
	int pdn, err;

	err = tally_charge(ctx, TALLY_QUOTA_PD, 1, "protection domains");
	if (err)
		return err;
	pdn = ida_alloc_max(&dev->pds, dev->tdev->caps.max_pd - 1, GFP_KERNEL);
	if (pdn < 0) {
		err = tally_refuse(&dev->ibdev, pdn, "all %u protection domains are in use",
				   dev->tdev->caps.max_pd);
		goto err_uncharge;
	}
	to_tpd(ibpd)->pdn = pdn;
	to_tpd(ibpd)->quota = ctx->quota;
	resp.pdn = pdn;
	err = ib_copy_to_udata(udata, &resp, min(sizeof(resp), udata->outlen));
	if (err)
		goto err_ida;
	return 0;

err_ida:
	ida_free(&dev->pds, pdn);
err_uncharge:
	tally_quota_uncharge_objects(ctx->quota, TALLY_QUOTA_PD, 1);
	return err;
}

int tally_ib_dealloc_pd(struct ib_pd *ibpd, struct ib_udata *udata)
{
	ida_free(&to_tdev(ibpd->device)->pds, to_tpd(ibpd)->pdn);
	tally_quota_uncharge_objects(to_tpd(ibpd)->quota, TALLY_QUOTA_PD, 1);
	return 0;
}
