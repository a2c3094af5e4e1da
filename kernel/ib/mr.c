// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Memory regions. */
#include "ib.h"

/* The access flags of the device equal those of verbs. */
static_assert(TALLY_ACCESS_LOCAL_WRITE == IB_ACCESS_LOCAL_WRITE);
static_assert(TALLY_ACCESS_REMOTE_WRITE == IB_ACCESS_REMOTE_WRITE);
static_assert(TALLY_ACCESS_REMOTE_READ == IB_ACCESS_REMOTE_READ);

#define SUPPORTED_ACCESS (IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ)

/*
 * Takes a table index. The variant of the key differs from the previous one of this index, so that
 * a stale key is not accepted. No key is 0.
 */
static int mr_take_key(struct tally_ibdev *dev, u32 *key)
{
	int index = ida_alloc_max(&dev->mrs, dev->tdev->caps.max_mr - 1, GFP_KERNEL);

	if (index < 0)
		return tally_refuse(&dev->ibdev, index, "all %u memory regions are in use",
				    dev->tdev->caps.max_mr);
	if (!++dev->mr_variants[index])
		dev->mr_variants[index] = 1;
	*key = index << 8 | dev->mr_variants[index];
	return 0;
}

static void mr_drop_key(struct tally_ibdev *dev, u32 key)
{
	ida_free(&dev->mrs, key >> 8);
}

static int mr_register(struct tally_ibdev *dev, struct tally_mr *mr, u32 pdn, u64 iova, int access)
{
	struct tally_mr_params params = {
		.pd = pdn,
		.access = access,
		.iova = iova,
		.buf = mr->buf.mem,
	};
	int err;

	err = mr_take_key(dev, &params.key);
	if (err)
		return err;
	err = tally_reg_mr(dev->tdev, &params);
	if (err) {
		mr_drop_key(dev, params.key);
		return err;
	}
	mr->ibmr.lkey = params.key;
	mr->ibmr.rkey = params.key;
	return 0;
}

static int mr_check(struct ib_device *ibdev, u64 start, u64 length, u64 virt_addr, int access,
		    struct ib_udata *udata)
{
	u64 last;

	if (udata->inlen && !ib_is_udata_cleared(udata, 0, udata->inlen))
		return tally_refuse(ibdev, -EINVAL, "memory region: request with unknown data");
	if (access & ~SUPPORTED_ACCESS)
		return tally_refuse(ibdev, -EOPNOTSUPP,
				    "memory region: access flags %#x, only %#x are supported",
				    access, SUPPORTED_ACCESS);
	if (!length || check_add_overflow(virt_addr, length - 1, &last))
		return tally_refuse(ibdev, -EINVAL,
				    "memory region: %llu bytes at %#llx are empty or wrap around", length,
				    virt_addr);
	if (length > tally_umem_max())
		return tally_refuse(ibdev, -EINVAL,
				    "memory region: %llu bytes, a page list has room for %llu",
				    length, tally_umem_max());
	return 0;
}

static int mr_get_memory(struct tally_ibdev *dev, struct tally_mr *mr)
{
	const struct tally_mr_what *what = &mr->what;
	int err;

	if (what->fd >= 0)
		err = tally_umem_get_dmabuf(dev, &mr->buf, what->start, what->length, what->fd,
					    what->access);
	else
		err = tally_umem_get(dev, &mr->buf, what->start, what->length, 1, what->access);
	if (err)
		tally_refuse(&dev->ibdev, err, "memory region: cannot pin %llu bytes at %#llx",
			     what->length, what->start);
	return err;
}

static struct ib_mr *mr_create(struct ib_pd *ibpd, const struct tally_mr_what *what,
			       struct ib_udata *udata)
{
	struct tally_ucontext *ctx =
		rdma_udata_to_drv_context(udata, struct tally_ucontext, ibucontext);
	struct tally_ibdev *dev = to_tdev(ibpd->device);
	struct tally_mr *mr;
	int err;

	err = mr_check(ibpd->device, what->start, what->length, what->iova, what->access, udata);
	if (err)
		return ERR_PTR(err);
	mr = kzalloc(sizeof(*mr), GFP_KERNEL);
	if (!mr)
		return ERR_PTR(-ENOMEM);
	err = tally_charge(ctx, TALLY_QUOTA_MR, 1, "memory regions");
	if (err)
		goto err_free;
	mr->quota = ctx->quota;
	mr->what = *what;
	err = mr_get_memory(dev, mr);
	if (err)
		goto err_uncharge;
	err = mr_register(dev, mr, to_tpd(ibpd)->pdn, what->iova, what->access);
	if (err)
		goto err_umem;
	return &mr->ibmr;

err_umem:
	tally_umem_put(dev, &mr->buf);
err_uncharge:
	tally_quota_uncharge_objects(mr->quota, TALLY_QUOTA_MR, 1);
err_free:
	kfree(mr);
	return ERR_PTR(err);
}

struct ib_mr *tally_ib_reg_user_mr(struct ib_pd *ibpd, u64 start, u64 length, u64 virt_addr,
				   int access, struct ib_udata *udata)
{
	const struct tally_mr_what what = {
		.start = start, .length = length, .iova = virt_addr,
		/* Relaxed ordering is a hint, which the device does not need. */
		.access = access & ~IB_ACCESS_OPTIONAL, .fd = -1,
	};

	return mr_create(ibpd, &what, udata);
}

/*
 * Registers memory of another device. It must be pinned, because the device does not support moves.
 */
struct ib_mr *tally_ib_reg_user_mr_dmabuf(struct ib_pd *ibpd, u64 offset, u64 length, u64 virt_addr,
					  int fd, int access,
					  struct tally_reg_dmabuf_attrs *attrs)
{
	const struct tally_mr_what what = {
		.start = offset, .length = length, .iova = virt_addr,
		.access = access & ~IB_ACCESS_OPTIONAL, .fd = fd,
	};

	if (fd < 0)
		return ERR_PTR(-EBADF);
	return mr_create(ibpd, &what, tally_reg_dmabuf_udata(attrs));
}

/*
 * The new region replaces the old one once the core has it, and has another key. Parameters that do
 * not change are copied from the old one. For a dma-buf, the file descriptor may name another file
 * now.
 */
struct ib_mr *tally_ib_rereg_user_mr(struct ib_mr *ibmr, int flags, u64 start, u64 length,
				     u64 virt_addr, int access, struct ib_pd *ibpd,
				     struct ib_udata *udata)
{
	struct tally_mr_what what = to_tmr(ibmr)->what;

	if (flags & ~IB_MR_REREG_SUPPORTED || (what.fd >= 0 && !(flags & IB_MR_REREG_TRANS)))
		return ERR_PTR(tally_refuse(ibmr->device, -EOPNOTSUPP,
					    "memory region %#x: cannot be changed by flags %#x",
					    ibmr->lkey, flags));
	if (flags & IB_MR_REREG_TRANS) {
		what.start = start;
		what.length = length;
		what.iova = virt_addr;
		what.fd = -1;
	}
	if (flags & IB_MR_REREG_ACCESS)
		what.access = access & ~IB_ACCESS_OPTIONAL;
	return mr_create(ibpd, &what, udata);
}

int tally_ib_dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata)
{
	struct tally_ibdev *dev = to_tdev(ibmr->device);
	struct tally_mr *mr = to_tmr(ibmr);

	tally_dereg_mr(dev->tdev, ibmr->lkey);
	mr_drop_key(dev, ibmr->lkey);
	tally_umem_put(dev, &mr->buf);
	tally_quota_uncharge_objects(mr->quota, TALLY_QUOTA_MR, 1);
	kfree(mr);
	return 0;
}
