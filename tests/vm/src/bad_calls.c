/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls to the kernel that the library never makes. Each call has exactly one fault and is refused
 * with the error for it. The same calls without the fault succeed.
 */
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <limits.h>
#include <rdma/ib_user_verbs.h>
#include <sys/ioctl.h>

#include "tally.h" /* private header of the provider: constants that programs do not see */

#include "attrs.h"
#include "check.h"
#include "work.h"

#define DEPTH 16
#define STRIDE 1024
#define MAX_ATTRS 16
#define JOIN_KEY 42
#define LONG_LIST 16 /* too long for the smallest entry of a send queue */
#define NOBODY 0x1000 /* the bit of a rank that does not exist */

static struct cluster cluster;
static struct nic *nic;
static struct team team;
static uint8_t queue[DEPTH * STRIDE] __attribute__((aligned(4096)));
static uint64_t response[64];

static void expect(const char *what, int got, int want)
{
	REQUIRE(got == want, "%s: error %d, not %d", what, got, want);
}

static int call(uint16_t object, uint16_t method, const struct ib_uverbs_attr *attrs,
		unsigned int num)
{
	struct {
		struct ib_uverbs_ioctl_hdr hdr;
		struct ib_uverbs_attr attrs[MAX_ATTRS];
	} c = { .hdr = { .object_id = object, .method_id = method, .num_attrs = num,
			 .driver_id = TALLY_RDMA_DRIVER_ID } };

	c.hdr.length = sizeof(c.hdr) + num * sizeof(*attrs);
	memcpy(c.attrs, attrs, num * sizeof(*attrs));
	return ioctl(nic->context->cmd_fd, RDMA_VERBS_IOCTL, &c) ? errno : 0;
}

/* ---- Completion queues ---- */
struct cq_call {
	struct tally_ureq_create_cq req;
	uint64_t more; /* after the request */
	uint16_t len;
	uint32_t cqe, flags;
};

static int create_cq(const struct cq_call *c)
{
	struct tally_uresp_create_cq resp;
	uint64_t user_handle = 1;
	uint32_t vector = 0, cqe;
	const struct ib_uverbs_attr attrs[] = {
		attr_handle(UVERBS_ATTR_CREATE_CQ_HANDLE, 0),
		attr_in(UVERBS_ATTR_CREATE_CQ_CQE, &c->cqe, sizeof(c->cqe)),
		attr_in(UVERBS_ATTR_CREATE_CQ_USER_HANDLE, &user_handle, sizeof(user_handle)),
		attr_in(UVERBS_ATTR_CREATE_CQ_COMP_VECTOR, &vector, sizeof(vector)),
		attr_in(UVERBS_ATTR_CREATE_CQ_FLAGS, &c->flags, sizeof(c->flags)),
		attr_out(UVERBS_ATTR_CREATE_CQ_RESP_CQE, &cqe, sizeof(cqe)),
		attr_in(UVERBS_ATTR_UHW_IN, &c->req, c->len),
		attr_out(UVERBS_ATTR_UHW_OUT, &resp, sizeof(resp)),
	};

	return call(UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_CREATE, attrs, ARRAY_SIZE(attrs));
}

#define CQ_CASE(name, change) \
	static void cq_##name(struct cq_call *c) { change; }
CQ_CASE(nothing, (void)c)
CQ_CASE(short, c->len -= 8)
CQ_CASE(unknown_data, c->len += 8; c->more = 1)
CQ_CASE(clear_data, c->len += 8)
CQ_CASE(flag, c->flags = IB_UVERBS_CQ_FLAGS_IGNORE_OVERRUN)
CQ_CASE(reserved, c->req.reserved = 1)
CQ_CASE(depth_no_power, c->req.depth = DEPTH - 1; c->cqe = 1)
CQ_CASE(depth_too_large, c->req.depth = 1U << 31)
CQ_CASE(more_entries, c->cqe = DEPTH + 1)
CQ_CASE(crooked, c->req.buf_addr += 64)

static const struct {
	const char *name;
	void (*change)(struct cq_call *c);
	int err;
} cq_cases[] = {
#define CASE(name, err) { "CQ: " #name, cq_##name, err }
	CASE(nothing, 0), CASE(clear_data, 0), CASE(short, EINVAL), CASE(unknown_data, EINVAL),
	CASE(flag, EOPNOTSUPP), CASE(reserved, EINVAL), CASE(depth_no_power, EINVAL),
	CASE(depth_too_large, EINVAL), CASE(more_entries, EINVAL), CASE(crooked, EINVAL),
#undef CASE
};

static void completion_queues(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(cq_cases); i++) {
		struct cq_call c = {
			.req = { .buf_addr = (uintptr_t)queue, .depth = DEPTH },
			.len = sizeof(c.req),
			.cqe = DEPTH,
		};

		cq_cases[i].change(&c);
		expect(cq_cases[i].name, create_cq(&c), cq_cases[i].err);
	}
}

/* ---- Queue pairs ---- */
struct qp_call {
	struct tally_ureq_create_qp req;
	uint64_t more; /* after the request */
	uint16_t len;
	struct ib_uverbs_qp_cap cap;
	uint64_t type; /* an enum occupies eight bytes */
	uint32_t flags;
};

static int create_qp(const struct qp_call *c)
{
	uint32_t cq = ibv_cq_ex_to_cq(nic->cq)->handle, num;
	struct tally_uresp_create_qp resp;
	struct ib_uverbs_qp_cap cap;
	uint64_t user_handle = 1;
	const struct ib_uverbs_attr attrs[] = {
		attr_handle(UVERBS_ATTR_CREATE_QP_HANDLE, 0),
		attr_handle(UVERBS_ATTR_CREATE_QP_PD_HANDLE, nic->pd->handle),
		attr_handle(UVERBS_ATTR_CREATE_QP_SEND_CQ_HANDLE, cq),
		attr_handle(UVERBS_ATTR_CREATE_QP_RECV_CQ_HANDLE, cq),
		attr_in(UVERBS_ATTR_CREATE_QP_USER_HANDLE, &user_handle, sizeof(user_handle)),
		attr_in(UVERBS_ATTR_CREATE_QP_CAP, &c->cap, sizeof(c->cap)),
		attr_in(UVERBS_ATTR_CREATE_QP_TYPE, &c->type, sizeof(c->type)),
		attr_in(UVERBS_ATTR_CREATE_QP_FLAGS, &c->flags, sizeof(c->flags)),
		attr_out(UVERBS_ATTR_CREATE_QP_RESP_CAP, &cap, sizeof(cap)),
		attr_out(UVERBS_ATTR_CREATE_QP_RESP_QP_NUM, &num, sizeof(num)),
		attr_in(UVERBS_ATTR_UHW_IN, &c->req, c->len),
		attr_out(UVERBS_ATTR_UHW_OUT, &resp, sizeof(resp)),
	};

	return call(UVERBS_OBJECT_QP, UVERBS_METHOD_QP_CREATE, attrs, ARRAY_SIZE(attrs));
}

#define QP_CASE(name, change) \
	static void qp_##name(struct qp_call *c) { change; }
QP_CASE(nothing, (void)c)
QP_CASE(type, c->type = IB_UVERBS_QPT_RC)
QP_CASE(flag, c->flags = IB_UVERBS_QP_CREATE_BLOCK_MULTICAST_LOOPBACK)
QP_CASE(receives, c->cap.max_recv_wr = 1)
QP_CASE(many_entries, c->cap.max_send_sge = 1U << 16)
QP_CASE(much_inline, c->cap.max_inline_data = TALLY_MAX_INLINE + 1)
QP_CASE(short, c->len -= 8)
QP_CASE(unknown_data, c->len += 8; c->more = 1)
QP_CASE(clear_data, c->len += 8; c->req.port = 2)
QP_CASE(unknown_flag, c->req.flags = 1 << 15)
QP_CASE(depth_no_power, c->req.sq_depth = DEPTH - 1; c->cap.max_send_wr = 1)
QP_CASE(depth_too_large, c->req.sq_depth = 1U << 31)
QP_CASE(more_requests, c->cap.max_send_wr = DEPTH + 1)
QP_CASE(stride_no_power, c->req.sq_stride = STRIDE - 64)
QP_CASE(stride_small, c->req.sq_stride = TALLY_MIN_WQE_SIZE / 2)
QP_CASE(stride_large, c->req.sq_stride = TALLY_MAX_WQE_SIZE * 2)
QP_CASE(lists_too_long, c->req.sq_stride = TALLY_MIN_WQE_SIZE; c->cap.max_send_sge = LONG_LIST)
QP_CASE(crooked, c->req.sq_addr += 64)
QP_CASE(no_group, c->req.group_handle += NOBODY)
QP_CASE(no_ranks, c->req.ranks = 0)
QP_CASE(foreign_rank, c->req.ranks |= NOBODY)

static const struct {
	const char *name;
	void (*change)(struct qp_call *c);
	int err;
} qp_cases[] = {
#define CASE(name, err) { "QP: " #name, qp_##name, err }
	CASE(nothing, 0), CASE(clear_data, 0), CASE(type, EOPNOTSUPP), CASE(flag, EOPNOTSUPP),
	CASE(receives, EINVAL), CASE(many_entries, EINVAL), CASE(much_inline, EINVAL),
	CASE(short, EINVAL), CASE(unknown_data, EINVAL), CASE(unknown_flag, EINVAL),
	CASE(depth_no_power, EINVAL), CASE(depth_too_large, EINVAL), CASE(more_requests, EINVAL),
	CASE(stride_no_power, EINVAL), CASE(stride_small, EINVAL), CASE(stride_large, EINVAL),
	CASE(lists_too_long, EINVAL), CASE(crooked, EINVAL), CASE(no_group, ENOENT),
	CASE(no_ranks, EINVAL), CASE(foreign_rank, EINVAL),
#undef CASE
};

static void queue_pairs(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(qp_cases); i++) {
		struct qp_call c = {
			.req = {
				.sq_addr = (uintptr_t)queue,
				.ranks = 1,
				.group_handle = container_of(team.group[0], struct tally_group,
							     dv)->group_handle,
				.sq_depth = DEPTH,
				.sq_stride = STRIDE,
				.port = 1,
			},
			.len = sizeof(c.req),
			.cap = { .max_send_wr = DEPTH, .max_send_sge = 1 },
			.type = IB_UVERBS_QPT_DRIVER,
		};

		qp_cases[i].change(&c);
		expect(qp_cases[i].name, create_qp(&c), qp_cases[i].err);
	}
}

/* ---- Commands sent by write() ---- */
/* Sends a command. The end of the body may be data for the driver. */
static int command(int fd, unsigned int number, const void *body, size_t size, size_t out)
{
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		uint8_t body[128];
	} message = {
		.hdr = {
			.command = number,
			.in_words = (sizeof(message.hdr) + size) / 4,
			.out_words = out / 4,
		},
	};

	memcpy(message.body, body, size);
	size += sizeof(message.hdr);
	return write(fd, &message, size) == (ssize_t)size ? 0 : errno;
}

/* Sends an extended command. The eight bytes after its body are data for the driver. */
static int extended(unsigned int number, const void *body, size_t size, uint64_t more, size_t out)
{
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_ex_cmd_hdr ex;
		uint8_t body[256];
	} message = {
		.hdr = {
			.command = IB_USER_VERBS_CMD_FLAG_EXTENDED | number,
			.in_words = size / 8,
			.out_words = out / 8,
		},
		.ex = { .response = (uintptr_t)response, .provider_in_words = sizeof(more) / 8 },
	};

	memcpy(message.body, body, size);
	memcpy(message.body + size, &more, sizeof(more));
	size += sizeof(message.hdr) + sizeof(message.ex) + sizeof(more);
	return write(nic->context->cmd_fd, &message, size) == (ssize_t)size ? 0 : errno;
}

struct mr_call {
	struct ib_uverbs_reg_mr core;
	uint64_t more;
};

#define MR_CASE(name, change) \
	static void mr_##name(struct mr_call *c) { change; }
MR_CASE(nothing, (void)c)
MR_CASE(unknown_data, c->more = 1)
MR_CASE(atomic_access, c->core.access_flags |= IBV_ACCESS_REMOTE_ATOMIC)
MR_CASE(no_bytes, c->core.length = 0)
MR_CASE(wraps, c->core.hca_va = -4096ULL; c->core.length = 8192)

static const struct {
	const char *name;
	void (*change)(struct mr_call *c);
	int err;
} mr_cases[] = {
#define CASE(name, err) { "MR: " #name, mr_##name, err }
	CASE(nothing, 0), CASE(unknown_data, EINVAL), CASE(atomic_access, EOPNOTSUPP),
	CASE(no_bytes, EINVAL), CASE(wraps, EINVAL),
#undef CASE
};

static void regions(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(mr_cases); i++) {
		struct mr_call c = {
			.core = {
				.response = (uintptr_t)response,
				.start = (uintptr_t)queue,
				.length = sizeof(queue),
				.hca_va = (uintptr_t)queue,
				.pd_handle = nic->pd->handle,
				.access_flags = IBV_ACCESS_LOCAL_WRITE,
			},
		};

		mr_cases[i].change(&c);
		expect(mr_cases[i].name,
		       command(nic->context->cmd_fd, IB_USER_VERBS_CMD_REG_MR, &c, sizeof(c),
			       sizeof(struct ib_uverbs_reg_mr_resp)),
		       mr_cases[i].err);
	}
}

/* Opens a device node of its own, first with unknown data, then without. */
static void contexts(void)
{
	struct {
		struct ib_uverbs_get_context core;
		uint64_t more;
	} cmd = { .core = { .response = (uintptr_t)response }, .more = 1 };
	const size_t out = sizeof(struct ib_uverbs_get_context_resp) +
			   sizeof(struct tally_uresp_alloc_ucontext);
	struct ib_uverbs_get_context_resp resp;
	char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "/dev/infiniband/%s", nic->context->device->dev_name);
	fd = open(path, O_RDWR | O_CLOEXEC);
	REQUIRE(fd >= 0, "%s", path);
	expect("context: unknown data",
	       command(fd, IB_USER_VERBS_CMD_GET_CONTEXT, &cmd, sizeof(cmd), out), EINVAL);
	cmd.more = 0;
	expect("context", command(fd, IB_USER_VERBS_CMD_GET_CONTEXT, &cmd, sizeof(cmd), out), 0);
	memcpy(&resp, response, sizeof(resp));
	close(resp.async_fd);
	close(fd);
}

static void query_device(void)
{
	const struct ib_uverbs_ex_query_device cmd = {};

	for (uint64_t more = 0; more < 2; more++)
		expect("query device",
		       extended(IB_USER_VERBS_EX_CMD_QUERY_DEVICE, &cmd, sizeof(cmd), more,
				sizeof(struct ib_uverbs_ex_query_device_resp)),
		       more ? EINVAL : 0);
}

static void modify_qp(void)
{
	struct ib_uverbs_ex_modify_qp cmd = {
		.base = { .attr_mask = IBV_QP_STATE, .qp_state = IBV_QPS_ERR },
	};
	struct port port;

	port_open(&port, nic, team.group[0], 0, 0);
	cmd.base.qp_handle = port.qp->handle;
	for (int more = 1; more >= 0; more--)
		expect("modify QP",
		       extended(IB_USER_VERBS_EX_CMD_MODIFY_QP, &cmd, sizeof(cmd), more,
				sizeof(struct ib_uverbs_ex_modify_qp_resp)),
		       more ? EINVAL : 0);
	port_close(&port);
}

/* ---- Groups ---- */
static int attach(uint32_t reserved)
{
	const struct tally_ureq_group_attach req = {
		.join_key = JOIN_KEY,
		.ranks = 2,
		.jid = team.group[0]->jid,
		.reserved = reserved,
	};
	struct tally_uresp_group resp;
	const struct ib_uverbs_attr attrs[] = {
		attr_handle(TALLY_ATTR_GROUP_ATTACH_HANDLE, 0),
		attr_in(TALLY_ATTR_GROUP_ATTACH_REQ, &req, sizeof(req)),
		attr_out(TALLY_ATTR_GROUP_ATTACH_RESP, &resp, sizeof(resp)),
	};

	return call(TALLY_OBJECT_GROUP, TALLY_METHOD_GROUP_ATTACH, attrs, ARRAY_SIZE(attrs));
}

/* A root with or without a child. Data of a future program come after the fields known today. */
struct group_call {
	struct {
		struct tally_ureq_group known;
		uint64_t more;
	} req;
	struct {
		struct tally_ureq_edge known;
		uint32_t more[2];
	} edges[2];
	uint16_t req_len, edges_len;
	struct {
		struct tally_uresp_why known;
		uint64_t more;
	} why;
};

static int create_group(struct group_call *c)
{
	struct tallydv_seg *seg = tallydv_alloc_seg(nic->context, 4);
	struct tally_uresp_group resp;
	struct ib_uverbs_attr attrs[6] = {
		attr_handle(TALLY_ATTR_GROUP_CREATE_HANDLE, 0),
		attr_in(TALLY_ATTR_GROUP_CREATE_REQ, &c->req, c->req_len),
		attr_out(TALLY_ATTR_GROUP_CREATE_RESP, &resp, sizeof(resp)),
		attr_out(TALLY_ATTR_GROUP_CREATE_RESP_WHY, &c->why, sizeof(c->why)),
	};
	int err;

	REQUIRE(seg, "segments");
	memset(&c->why, 0xff, sizeof(c->why));
	attrs[4] = attr_handle(TALLY_ATTR_GROUP_CREATE_SEG,
			       container_of(seg, struct tally_seg, dv)->handle);
	attrs[5] = attr_in(TALLY_ATTR_GROUP_CREATE_EDGES, c->edges, c->edges_len);
	err = call(TALLY_OBJECT_GROUP, TALLY_METHOD_GROUP_CREATE, attrs,
		   ARRAY_SIZE(attrs) - !c->edges_len);
	REQUIRE(!tallydv_free_seg(seg), "segments");
	return err;
}

static struct group_call good_group(void)
{
	return (struct group_call){
		.req.known = {
			.jid = random_jid(), .flags = TALLY_GROUP_F_ROOT, .mode = TALLY_MODE_TREE,
			.epoch = 1, .num_nodes = 2, .total_ranks = 2, .rank_mask = 1,
			.owner_ranks = 1, .timeout_ms = 1000, .mtu = 1024,
			.edge_size = sizeof(struct tally_ureq_edge),
		},
		.edges[0].known = {
			.gid = { 0xfe, 0x80, [15] = 9 }, .mac = { 2, 0, 0, 0, 0, 9 },
			.remote_index = TALLY_CONTRIB_PARENT, .subtree_first = 1,
			.subtree_count = 1, .rank_first = 1, .rank_count = 1,
		},
		.req_len = sizeof(struct tally_ureq_group),
		.edges_len = sizeof(struct tally_ureq_edge),
	};
}

#define GROUP_CASE(name, change) \
	static void group_##name(struct group_call *c) { change; }
#define LONGER(c) ((c)->edges_len = (c)->req.known.edge_size = sizeof((c)->edges[0]))
GROUP_CASE(good, (void)c)
GROUP_CASE(longer_request, c->req_len = sizeof(c->req))
GROUP_CASE(unknown_request, c->req_len = sizeof(c->req); c->req.more = 1ULL << 63)
GROUP_CASE(first_version, c->req_len = offsetof(struct tally_ureq_group, max_segs))
GROUP_CASE(shorter_request, c->req_len = offsetof(struct tally_ureq_group, max_segs) - 8)
GROUP_CASE(longer_edge, LONGER(c))
GROUP_CASE(unknown_edge, LONGER(c); c->edges[0].more[1] = 1)
GROUP_CASE(shorter_edge, c->edges_len = c->req.known.edge_size = 40)
GROUP_CASE(no_edge_size, c->req.known.edge_size = 0)
GROUP_CASE(large_edge_size, c->req.known.edge_size = UINT32_MAX)
GROUP_CASE(half_an_edge, c->edges_len += c->edges_len / 2)
GROUP_CASE(unknown_modes, c->req.known.modes = 8)

static const struct {
	const char *name;
	void (*change)(struct group_call *c);
	int err;
} group_cases[] = {
#define CASE(name, err) { "group: " #name, group_##name, err }
	CASE(good, 0), CASE(longer_request, 0), CASE(unknown_request, EOPNOTSUPP),
	CASE(shorter_request, EINVAL), CASE(longer_edge, 0), CASE(unknown_edge, EOPNOTSUPP),
	CASE(shorter_edge, EINVAL), CASE(no_edge_size, EINVAL), CASE(large_edge_size, EINVAL),
	CASE(half_an_edge, EINVAL), CASE(unknown_modes, EINVAL), CASE(first_version, 0),
#undef CASE
};

/*
 * The reason for a failure comes with the error. Fields that the process asks for and the kernel
 * does not know are 0.
 */
static void told_with_error(void)
{
	struct group_call c = good_group();

	c.req.known.mtu = 300;
	expect("mtu", create_group(&c), EINVAL);
	REQUIRE(c.why.known.where == TALLY_WHY_REQUEST && c.why.known.value == 300 && !c.why.more &&
		c.why.known.offset == offsetof(struct tally_ureq_group, mtu), "mtu: %u, %u",
		c.why.known.where, c.why.known.offset);
	c = good_group();
	expect("good", create_group(&c), 0);
	REQUIRE(c.why.known.where == UINT32_MAX, "a call that succeeds reports a reason");
}

/* Queries the edges, with entries of the size that the process chooses. */
static int query_edges(uint32_t size, uint16_t room)
{
	uint32_t handle = container_of(team.group[0], struct tally_group, dv)->handle, count;
	const struct ib_uverbs_attr attrs[] = {
		attr_handle(TALLY_ATTR_GROUP_QUERY_LIST_HANDLE, handle),
		attr_in(TALLY_ATTR_GROUP_QUERY_LIST_ENTRY_SIZE, &size, sizeof(size)),
		attr_out(TALLY_ATTR_GROUP_QUERY_LIST_RESP_LIST, response, room),
		attr_out(TALLY_ATTR_GROUP_QUERY_LIST_RESP_COUNT, &count, sizeof(count)),
	};

	return call(TALLY_OBJECT_GROUP, TALLY_METHOD_GROUP_QUERY_EDGES, attrs, ARRAY_SIZE(attrs));
}

static void lists(void)
{
	const uint32_t entry = sizeof(struct tally_uresp_edge);

	expect("list", query_edges(entry, entry), 0);
	expect("list: longer entry", query_edges(entry + 8, entry + 8), 0);
	expect("list: shorter entry", query_edges(entry - 8, entry), EINVAL);
	expect("list: misaligned entry", query_edges(entry + 4, 2 * entry), EINVAL);
	expect("list: no entry", query_edges(0, entry), EINVAL);
	expect("list: no room for one", query_edges(entry + 8, entry), EINVAL);
	expect("list: large entry", query_edges(UINT32_MAX - 7, entry), EINVAL);
}

static void groups(void)
{
	expect("attach: reserved", attach(1), EINVAL);
	expect("attach", attach(0), 0);
	for (size_t i = 0; i < ARRAY_SIZE(group_cases); i++) {
		struct group_call c = good_group();

		group_cases[i].change(&c);
		expect(group_cases[i].name, create_group(&c), group_cases[i].err);
	}
	told_with_error();
	lists();
}

/* The end of the process releases the objects that were created. */
int main(void)
{
	struct team_spec spec = {
		.jid = random_jid(), .join_key = JOIN_KEY, .ranks = 3, .owned = 1,
	};
	struct cluster one;

	cluster_open(&cluster);
	nic = &cluster.nic[0];
	one = (struct cluster){ .count = 1, .nic = { *nic } };
	team_create(&team, &one, &spec, ALL_NODES);
	completion_queues();
	queue_pairs();
	regions();
	contexts();
	query_device();
	modify_qp();
	groups();
	return 0;
}
