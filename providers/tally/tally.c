// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Detection of Tally devices, and their contexts. */
#include "tally.h"

#include <fnmatch.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "uverbs.h"

#define TALLY_PCI_DRIVER "tally"

/* A board with a PCI id of its own needs another VERBS_PCI_MATCH. */
static const struct verbs_match_ent match_table[] = {
	VERBS_DRIVER_ID(TALLY_RDMA_DRIVER_ID),
	VERBS_PCI_MATCH(TALLY_IVSHMEM_VENDOR, TALLY_IVSHMEM_DEVICE, NULL),
	{}
};

static bool is_our_pci_id(const char *modalias)
{
	char pattern[64];

	for (const struct verbs_match_ent *ent = match_table; ent->kind; ent++) {
		if (ent->kind != VERBS_MATCH_PCI)
			continue;
		snprintf(pattern, sizeof(pattern), "pci:v%08Xd%08Xsv*", ent->vendor, ent->device);
		if (!fnmatch(pattern, modalias, 0))
			return true;
	}
	return false;
}

/*
 * The PCI id alone is not sufficient, because every ivshmem device has it. The device must be
 * driven by the Tally driver, which is recognized by its driver id, or by its name if the kernel
 * does not tell the id (0).
 */
bool tally_match(const char *modalias, uint32_t driver_id, const char *driver_name)
{
	if (!is_our_pci_id(modalias))
		return false;
	if (driver_id)
		return driver_id == TALLY_RDMA_DRIVER_ID;
	return !strcmp(driver_name, TALLY_PCI_DRIVER);
}

static bool match_device(struct verbs_sysfs_dev *sysfs_dev)
{
	char modalias[sizeof(sysfs_dev->modalias)], path[IBV_SYSFS_PATH_MAX + 32];
	char target[PATH_MAX];
	ssize_t len;

	if (ibv_read_ibdev_sysfs_file(modalias, sizeof(modalias), sysfs_dev, "device/modalias") <= 0)
		return false;
	snprintf(path, sizeof(path), "%s/device/driver", sysfs_dev->ibdev_path);
	len = readlink(path, target, sizeof(target) - 1);
	target[len > 0 ? len : 0] = '\0';
	return tally_match(modalias, sysfs_dev->driver_id, basename(target));
}

static struct verbs_device *alloc_device(struct verbs_sysfs_dev *sysfs_dev)
{
	struct tally_device *dev = calloc(1, sizeof(*dev));

	(void)sysfs_dev;
	return dev ? &dev->vdev : NULL;
}

static void uninit_device(struct verbs_device *vdev)
{
	free(container_of(vdev, struct tally_device, vdev));
}

static void free_context(struct ibv_context *context);

static const struct verbs_context_ops context_ops = {
	.alloc_parent_domain = tally_alloc_parent_domain,
	.alloc_pd = tally_alloc_pd,
	.alloc_td = tally_alloc_td,
	.async_event = tally_async_event,
	.cq_event = tally_cq_event,
	.create_cq = tally_create_cq,
	.create_cq_ex = tally_create_cq_ex,
	.create_qp = tally_create_qp,
	.create_qp_ex = tally_create_qp_ex,
	.dealloc_pd = tally_dealloc_pd,
	.dealloc_td = tally_dealloc_td,
	.dereg_mr = tally_dereg_mr,
	.destroy_cq = tally_destroy_cq,
	.destroy_qp = tally_destroy_qp,
	.free_context = free_context,
	.modify_qp = tally_modify_qp,
	.poll_cq = tally_poll_cq,
	.post_send = tally_post_send,
	.query_device_ex = tally_query_device_ex,
	.query_port = tally_query_port,
	.query_qp = tally_query_qp,
	.reg_dmabuf_mr = tally_reg_dmabuf_mr,
	.reg_mr = tally_reg_mr,
	.req_notify_cq = tally_req_notify_cq,
	.rereg_mr = tally_rereg_mr,
};

static void unmap_pages(struct tally_context *ctx)
{
	if (ctx->wake_page)
		munmap(ctx->wake_page, TALLY_PAGE_SIZE);
	if (ctx->status_page)
		munmap(ctx->status_page, TALLY_PAGE_SIZE);
}

static void *map_page(struct tally_context *ctx, uint64_t offset, int prot)
{
	void *page = mmap(NULL, TALLY_PAGE_SIZE, prot, MAP_SHARED, ctx->vctx.context.cmd_fd, offset);

	return page == MAP_FAILED ? NULL : page;
}

/* Maps the status page, and the page of the wake-up register if the device needs it. */
static int map_pages(struct tally_context *ctx)
{
	static const __le32 never;
	const struct tally_uresp_alloc_ucontext *info = &ctx->info;
	const struct tally_status_page *status;

	status = ctx->status_page = map_page(ctx, info->status_mmap_offset, PROT_READ);
	if (!status)
		return errno;
	ctx->doorbell.need_wake = &never;
	if (!info->wake_value)
		return 0;
	if (info->wake_page_offset > TALLY_PAGE_SIZE - sizeof(__le32) ||
	    info->wake_page_offset % sizeof(__le32))
		return EPROTO;
	ctx->wake_page = map_page(ctx, info->wake_mmap_offset, PROT_READ | PROT_WRITE);
	if (!ctx->wake_page)
		return errno;
	ctx->doorbell.need_wake = &status->need_wake;
	ctx->doorbell.wake = (void *)((char *)ctx->wake_page + info->wake_page_offset);
	ctx->doorbell.wake_value = htole32(info->wake_value);
	return 0;
}

/* The capability bits of the modes are those of groups. */
static void init_ops(struct tally_context *ctx)
{
	uint64_t caps = ctx->info.caps;
	uint32_t opcodes = ctx->info.opcodes;

	tally_ops_init(&ctx->ops, caps, opcodes, caps & TALLY_OPS_MODES, false);
	for (unsigned int modes = 1; modes <= TALLY_OPS_MODES; modes++)
		for (unsigned int sparse = 0; sparse < 2; sparse++)
			tally_ops_init(&ctx->group_ops[modes - 1][sparse], caps, opcodes, modes,
				       sparse);
}

static struct verbs_context *alloc_context(struct ibv_device *device, int cmd_fd,
					   void *private_data)
{
	struct tally_get_context_resp resp = {};
	struct ibv_get_context cmd = {};
	struct tally_context *ctx;
	int err;

	(void)private_data;
	ctx = verbs_init_and_alloc_context(device, cmd_fd, ctx, vctx, TALLY_RDMA_DRIVER_ID);
	if (!ctx)
		return NULL;
	err = tally_cmd_get_context(&ctx->vctx, &cmd, sizeof(cmd), &resp.ibv_resp, sizeof(resp));
	if (err)
		goto err_free;
	ctx->info = resp.drv_payload;
	init_ops(ctx);
	err = map_pages(ctx);
	if (err) {
		verbs_err(&ctx->vctx, "cannot map the status or wake-up page\n");
		goto err_unmap;
	}
	pthread_mutex_init(&ctx->uar_lock, NULL);
	pthread_mutex_init(&ctx->qp_lock, NULL);
	verbs_set_ops(&ctx->vctx, &context_ops);
	return &ctx->vctx;

err_unmap:
	unmap_pages(ctx);
err_free:
	verbs_uninit_context(&ctx->vctx);
	free(ctx);
	errno = err;
	return NULL;
}

static void free_context(struct ibv_context *context)
{
	struct tally_context *ctx = to_tctx(context);

	pthread_mutex_destroy(&ctx->qp_lock);
	pthread_mutex_destroy(&ctx->uar_lock);
	unmap_pages(ctx);
	verbs_uninit_context(&ctx->vctx);
	free(ctx);
}

static const struct verbs_device_ops device_ops = {
	.name = "tally",
	.match_min_abi_version = TALLY_UVERBS_ABI_VERSION,
	.match_max_abi_version = TALLY_UVERBS_ABI_VERSION,
	.match_table = match_table,
	.match_device = match_device,
	.alloc_device = alloc_device,
	.uninit_device = uninit_device,
	.alloc_context = alloc_context,
};
PROVIDER_DRIVER(tally, device_ops);

bool tallydv_is_supported(struct ibv_device *device)
{
	return verbs_get_device(device)->ops == &device_ops;
}
