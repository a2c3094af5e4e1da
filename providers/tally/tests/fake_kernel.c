// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "fake_kernel.h"

#include <rdma/rdma_user_ioctl_cmds.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

struct fake_kernel kernel;
const struct verbs_device_ops *provider_ops;

void verbs_register_driver(const struct verbs_device_ops *ops)
{
	provider_ops = ops;
}

/* ---- State ---- */
static uint64_t offset_of(unsigned int page)
{
	return (uint64_t)page * TALLY_PAGE_SIZE;
}

void kernel_reset(void)
{
	size_t size = KERNEL_PAGES * TALLY_PAGE_SIZE;

	faults.at = 0;
	if (kernel.pages)
		munmap(kernel.pages, size);
	kernel = (struct fake_kernel){
		.fd = memfd_create("uverbs", 0),
		.resp = {
			.caps = TALLY_CAP_TREE | TALLY_CAP_EXCHANGE | TALLY_CAP_RING,
			.status_mmap_offset = offset_of(KERNEL_PAGE_STATUS),
			.wake_mmap_offset = offset_of(KERNEL_PAGE_WAKE),
			.wake_page_offset = 12,
			.wake_value = 0x10000,
			.mtu = TALLY_MAX_MTU,
			.max_inline = TALLY_MAX_INLINE,
			.max_sge = TALLY_MAX_SGE,
			.max_sq_depth = TALLY_MAX_SQ_DEPTH,
			.max_cq_depth = TALLY_MAX_CQ_DEPTH,
			.max_segs = 100,
			.max_groups = 10,
			.epoch = KERNEL_EPOCH,
			.opcodes = UINT32_MAX,
		},
		.db_slot = 3,
		.qpn = 5,
		.list_count = 2,
	};
	assert_int_equal(ftruncate(kernel.fd, size), 0);
	kernel.pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, kernel.fd, 0);
	assert_ptr_not_equal(kernel.pages, MAP_FAILED);
	kernel_status()->epoch = htole32(KERNEL_EPOCH);
	faults = (struct faults){};
}

struct tally_status_page *kernel_status(void)
{
	return (void *)(kernel.pages + offset_of(KERNEL_PAGE_STATUS));
}

unsigned int kernel_objects(void)
{
	unsigned int count = 0;

	for (unsigned int i = 0; i < KERNEL_HANDLES; i++)
		count += kernel.kind[i] != KERNEL_NOTHING;
	return count;
}

static uint32_t create(enum kernel_kind kind)
{
	uint32_t handle = 1;

	while (kernel.kind[handle] != KERNEL_NOTHING)
		handle++;
	kernel.kind[handle] = kind;
	return handle;
}

static void check(uint64_t handle, enum kernel_kind kind)
{
	assert_in_range(handle, 1, KERNEL_HANDLES - 1);
	assert_int_equal(kernel.kind[handle], kind);
}

static void destroy(uint64_t handle, enum kernel_kind kind)
{
	check(handle, kind);
	kernel.kind[handle] = KERNEL_NOTHING;
}

/* The kernel destroys these objects before it reports their events, and the report may fail. */
static int destroy_and_tell(uint64_t handle, enum kernel_kind kind)
{
	if (handle < KERNEL_HANDLES && !kernel.kind[handle])
		return ENOENT;
	destroy(handle, kind);
	return kernel.fail_event_report ? EFAULT : 0;
}

/* ---- Commands by write() ---- */
struct command {
	const char *req; /* after the header */
	char *resp;
	size_t req_len, resp_len;
};

/* The driver's part is at the end of request and response. */
static void driver_req(const struct command *c, void *to, size_t size)
{
	assert_true(c->req_len >= size);
	memcpy(to, c->req + c->req_len - size, size);
}

static void respond(const struct command *c, const void *core, size_t core_size, const void *drv,
		    size_t drv_size)
{
	assert_true(c->resp_len >= core_size + drv_size);
	memcpy(c->resp, core, core_size);
	if (drv_size)
		memcpy(c->resp + c->resp_len - drv_size, drv, drv_size);
}

static void get_context(const struct command *c)
{
	const struct ib_uverbs_get_context_resp core = {
		.async_fd = memfd_create("async", 0), .num_comp_vectors = 4
	};

	respond(c, &core, sizeof(core), &kernel.resp, sizeof(kernel.resp));
}

static void alloc_pd(const struct command *c)
{
	const struct tally_uresp_alloc_pd drv = { .pdn = 77 };
	const struct ib_uverbs_alloc_pd_resp core = { .pd_handle = create(KERNEL_PD) };

	respond(c, &core, sizeof(core), &drv, sizeof(drv));
}

static void reg_mr(const struct command *c)
{
	const struct ib_uverbs_reg_mr_resp core = {
		.mr_handle = create(KERNEL_MR), .lkey = 0x101, .rkey = 0x102
	};

	respond(c, &core, sizeof(core), NULL, 0);
}

static void create_cq(const struct command *c)
{
	const struct tally_uresp_create_cq drv = {
		.db_mmap_offset = offset_of(KERNEL_PAGE_UAR), .cqn = 9, .db_slot = kernel.db_slot
	};
	const struct ib_uverbs_create_cq_resp core = { .cq_handle = create(KERNEL_CQ), .cqe = 16 };

	driver_req(c, &kernel.cq_req, sizeof(kernel.cq_req));
	respond(c, &core, sizeof(core), &drv, sizeof(drv));
}

/* Number and handle are at the beginning of every version of the response. */
static int create_qp(const struct command *c)
{
	const struct tally_uresp_create_qp refusal = { .why = kernel.why };
	const struct tally_uresp_create_qp drv = {
		.db_mmap_offset = offset_of(KERNEL_PAGE_UAR + 1), .qpn = kernel.qpn,
		.db_slot = kernel.db_slot, .push_size = kernel.push_size,
		.push_mmap_offset = offset_of(KERNEL_PAGE_PUSH),
	};
	uint32_t core[] = { 0, kernel.qpn };

	driver_req(c, &kernel.qp_req, sizeof(kernel.qp_req));
	if (kernel.refusal) {
		memcpy(c->resp + c->resp_len - sizeof(refusal), &refusal, sizeof(refusal));
		return kernel.refusal;
	}
	core[0] = create(KERNEL_QP);
	respond(c, core, sizeof(core), &drv, sizeof(drv));
	return 0;
}

static void query_device(const struct command *c)
{
	const struct ib_uverbs_query_device_resp core = { .fw_ver = 0x100020003, .max_qp = 321 };

	respond(c, &core, sizeof(core), NULL, 0);
}

static void query_port(const struct command *c)
{
	const struct ib_uverbs_query_port_resp core = { .state = IBV_PORT_ACTIVE };

	respond(c, &core, sizeof(core), NULL, 0);
}

static int run_command(uint32_t number, const struct command *c)
{
	const uint32_t *word = (const uint32_t *)c->req; /* [2]: after the response's address */

	switch (number) {
	case IB_USER_VERBS_CMD_GET_CONTEXT:
		return get_context(c), 0;
	case IB_USER_VERBS_CMD_ALLOC_PD:
		return alloc_pd(c), 0;
	case IB_USER_VERBS_CMD_DEALLOC_PD:
		return destroy(word[0], KERNEL_PD), 0;
	case IB_USER_VERBS_CMD_REG_MR:
		return reg_mr(c), 0;
	case IB_USER_VERBS_CMD_DEREG_MR:
		return destroy(word[0], KERNEL_MR), 0;
	case IB_USER_VERBS_CMD_CREATE_CQ:
		return create_cq(c), 0;
	case IB_USER_VERBS_CMD_DESTROY_CQ:
		return destroy_and_tell(word[2], KERNEL_CQ);
	case IB_USER_VERBS_CMD_CREATE_QP:
		return create_qp(c);
	case IB_USER_VERBS_CMD_DESTROY_QP:
		return destroy_and_tell(word[2], KERNEL_QP);
	case IB_USER_VERBS_CMD_QUERY_QP:
	case IB_USER_VERBS_CMD_MODIFY_QP:
		return 0;
	case IB_USER_VERBS_CMD_QUERY_DEVICE:
		return query_device(c), 0;
	case IB_USER_VERBS_CMD_QUERY_PORT:
		return query_port(c), 0;
	default:
		return ENOSYS;
	}
}

/* Replaces the C library's write() for this program and for libibverbs. */
ssize_t write(int fd, const void *buf, size_t size)
{
	const struct ib_uverbs_cmd_hdr *hdr = buf;
	struct command c = {
		.req = (const char *)(hdr + 1), .req_len = size - sizeof(*hdr),
		.resp_len = hdr->out_words * 4UL,
	};
	uint64_t response;

	if (fd != kernel.fd)
		return syscall(SYS_write, fd, buf, size);
	if (kernel.gone || fault_here(EDQUOT)) {
		errno = kernel.gone ? EIO : EDQUOT;
		return -1;
	}
	/* If there is a response, the request begins with its address. */
	if (c.resp_len) {
		memcpy(&response, c.req, sizeof(response));
		c.resp = memset((void *)(uintptr_t)response, 0, c.resp_len);
	}
	errno = run_command(hdr->command, &c);
	return errno ? -1 : (ssize_t)size;
}

/* ---- Methods of the driver's objects, by ioctl() ---- */
static struct ib_uverbs_attr *attr_of(struct ib_uverbs_ioctl_hdr *hdr, uint16_t id)
{
	for (unsigned int i = 0; i < hdr->num_attrs; i++)
		if (hdr->attrs[i].attr_id == id)
			return &hdr->attrs[i];
	return NULL;
}

static void put(struct ib_uverbs_ioctl_hdr *hdr, uint16_t id, const void *from, size_t size)
{
	const struct ib_uverbs_attr *attr = attr_of(hdr, id);

	assert_true(attr->len >= size);
	memcpy((void *)(uintptr_t)attr->data, from, size);
}

static int run_seg(struct ib_uverbs_ioctl_hdr *hdr)
{
	const uint32_t base = 64;

	if (hdr->method_id == TALLY_METHOD_SEG_FREE) {
		destroy(attr_of(hdr, TALLY_ATTR_SEG_FREE_HANDLE)->data, KERNEL_SEG);
		return 0;
	}
	attr_of(hdr, TALLY_ATTR_SEG_ALLOC_HANDLE)->data = create(KERNEL_SEG);
	put(hdr, TALLY_ATTR_SEG_ALLOC_RESP_BASE, &base, sizeof(base));
	return 0;
}

static struct tally_uresp_group group_resp(void)
{
	return (struct tally_uresp_group){
		.group_handle = 1234, .num_segs = 8, .mtu = 1024, .timeout_ms = 30, .node = 1,
		.num_nodes = 3, .rank_mask = 7, .total_ranks = 9, .rank_first = 3, .msg_cells = 2,
		.mode = TALLY_MODE_TREE, .level = 1, .modes = kernel.modes,
		.max_segs = kernel.max_segs,
	};
}

/* Errors write nothing but the reason, if the caller asks for it. */
static bool refuses(struct ib_uverbs_ioctl_hdr *hdr, uint16_t why)
{
	if (kernel.refusal)
		put(hdr, why, &kernel.why, sizeof(kernel.why));
	return kernel.refusal;
}

static int create_group(struct ib_uverbs_ioctl_hdr *hdr)
{
	const struct ib_uverbs_attr *req = attr_of(hdr, TALLY_ATTR_GROUP_CREATE_REQ);
	const struct ib_uverbs_attr *edges = attr_of(hdr, TALLY_ATTR_GROUP_CREATE_EDGES);
	const struct tally_uresp_group resp = group_resp();

	check(attr_of(hdr, TALLY_ATTR_GROUP_CREATE_SEG)->data, KERNEL_SEG);
	memcpy(&kernel.group_req, (void *)(uintptr_t)req->data, sizeof(kernel.group_req));
	kernel.num_edges = edges ? edges->len / kernel.group_req.edge_size : 0;
	if (edges)
		memcpy(kernel.edges, (void *)(uintptr_t)edges->data, edges->len);
	if (refuses(hdr, TALLY_ATTR_GROUP_CREATE_RESP_WHY))
		return kernel.refusal;
	attr_of(hdr, TALLY_ATTR_GROUP_CREATE_HANDLE)->data = create(KERNEL_GROUP);
	put(hdr, TALLY_ATTR_GROUP_CREATE_RESP, &resp, sizeof(resp));
	return 0;
}

/* Fills in entries, all of whose bytes are the number of the entry, from 1. */
static void query_list(struct ib_uverbs_ioctl_hdr *hdr, size_t size)
{
	const struct ib_uverbs_attr *list = attr_of(hdr, TALLY_ATTR_GROUP_QUERY_LIST_RESP_LIST);

	assert_int_equal(attr_of(hdr, TALLY_ATTR_GROUP_QUERY_LIST_ENTRY_SIZE)->data, size);
	for (uint32_t i = 0; i < list->len / size && i < kernel.list_count; i++)
		memset((char *)(uintptr_t)list->data + i * size, 1 + i, size);
	put(hdr, TALLY_ATTR_GROUP_QUERY_LIST_RESP_COUNT, &kernel.list_count,
	    sizeof(kernel.list_count));
}

static int run_group(struct ib_uverbs_ioctl_hdr *hdr)
{
	const struct tally_uresp_group group = group_resp();
	const struct tally_uresp_group_info works = { .jid = 42, .state = TALLY_GROUP_OPEN };
	uint64_t handle = hdr->attrs[0].data; /* the first attribute of all methods */

	switch (hdr->method_id) {
	case TALLY_METHOD_GROUP_CREATE:
		return create_group(hdr);
	case TALLY_METHOD_GROUP_ATTACH:
		if (refuses(hdr, TALLY_ATTR_GROUP_ATTACH_RESP_WHY))
			return kernel.refusal;
		attr_of(hdr, TALLY_ATTR_GROUP_ATTACH_HANDLE)->data = create(KERNEL_GROUP);
		put(hdr, TALLY_ATTR_GROUP_ATTACH_RESP, &group, sizeof(group));
		return 0;
	case TALLY_METHOD_GROUP_DESTROY:
		return destroy(handle, KERNEL_GROUP), 0;
	}
	check(handle, KERNEL_GROUP);
	switch (hdr->method_id) {
	case TALLY_METHOD_GROUP_QUERY:
		return put(hdr, TALLY_ATTR_GROUP_QUERY_RESP, kernel.info.state ? &kernel.info : &works,
			   sizeof(works)), 0;
	case TALLY_METHOD_GROUP_QUERY_EDGES:
		return query_list(hdr, sizeof(struct tally_uresp_edge)), 0;
	case TALLY_METHOD_GROUP_QUERY_SEGS:
		return query_list(hdr, sizeof(struct tally_uresp_seg)), 0;
	case TALLY_METHOD_GROUP_QUERY_ARRIVALS:
		return query_list(hdr, sizeof(struct tally_uresp_arrival)), 0;
	case TALLY_METHOD_GROUP_RESET:
		return ++kernel.resets <= kernel.busy_resets ? EBUSY : 0;
	default:
		return EPROTONOSUPPORT;
	}
}

/* The common objects have no methods here, so libibverbs uses write() for them. */
int ioctl(int fd, unsigned long request, ...)
{
	struct ib_uverbs_ioctl_hdr *hdr;
	va_list args;

	va_start(args, request);
	hdr = va_arg(args, void *);
	va_end(args);
	if (fd != kernel.fd)
		return syscall(SYS_ioctl, fd, request, hdr);
	if (request != RDMA_VERBS_IOCTL ||
	    (hdr->object_id != TALLY_OBJECT_SEG && hdr->object_id != TALLY_OBJECT_GROUP)) {
		errno = ENOTTY;
		return -1;
	}
	assert_int_equal(hdr->driver_id, TALLY_RDMA_DRIVER_ID);
	if (kernel.gone || fault_here(EDQUOT)) {
		errno = kernel.gone ? EIO : EDQUOT;
		return -1;
	}
	errno = hdr->object_id == TALLY_OBJECT_SEG ? run_seg(hdr) : run_group(hdr);
	return errno ? -1 : 0;
}

/* libibverbs reads the GID from sysfs. */
int __wrap_ibv_query_gid(struct ibv_context *context, uint8_t port, int index, union ibv_gid *gid);
int __wrap_ibv_query_gid(struct ibv_context *context, uint8_t port, int index, union ibv_gid *gid)
{
	static const uint8_t none[sizeof(kernel.gid)];

	(void)context;
	assert_int_equal(port, 1);
	assert_int_equal(index, 0);
	memcpy(gid->raw, kernel.gid, sizeof(kernel.gid));
	return memcmp(kernel.gid, none, sizeof(none)) ? 0 : -1;
}

/* ---- Devices and contexts ---- */
struct ibv_device *device_new(void)
{
	struct verbs_sysfs_dev *sysfs = calloc(1, sizeof(*sysfs));
	struct verbs_device *vdev = provider_ops->alloc_device(sysfs);

	assert_non_null(vdev);
	vdev->ops = provider_ops;
	vdev->sysfs = sysfs;
	atomic_init(&vdev->refcount, 1);
	strcpy(vdev->device.name, "fake");
	return &vdev->device;
}

void device_free(struct ibv_device *device)
{
	struct verbs_device *vdev = verbs_get_device(device);

	assert_int_equal(atomic_load(&vdev->refcount), 1);
	free(vdev->sysfs);
	provider_ops->uninit_device(vdev);
}

struct ibv_context *context_open(struct ibv_device *device)
{
	struct verbs_context *vctx = provider_ops->alloc_context(device, kernel.fd, NULL);

	return vctx ? &vctx->context : NULL;
}
