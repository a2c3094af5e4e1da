/* SPDX-License-Identifier: BSD-2-Clause */
/* Methods called by ioctl: those of the driver's own objects, and any of the core's. */
#include <infiniband/verbs.h>
#include <string.h>
#include <sys/ioctl.h>

#include "check.h"
#include "fuzz_uverbs.h"

#define MAX_ATTRS 20
#define DEPTH 16
#define SQ_STRIDE 1024
#define JOIN_KEY 42
#define RTO_US 1 /* makes the tombstone end soon */
#define LIST_SIZE 16384
#define DRIVER_NS (1U << UVERBS_ID_NS_SHIFT) /* first number of the driver's own objects */

struct method {
	struct ib_uverbs_ioctl_hdr hdr;
	struct ib_uverbs_attr attrs[MAX_ATTRS];
};

static __thread uint8_t list[LIST_SIZE];

static struct method method(uint16_t object, uint16_t number)
{
	return (struct method){
		.hdr = {
			.object_id = object, .method_id = number, .driver_id = TALLY_RDMA_DRIVER_ID
		},
	};
}

static struct ib_uverbs_attr *add(struct method *m, uint16_t id)
{
	struct ib_uverbs_attr *attr = &m->attrs[m->hdr.num_attrs++];

	*attr = (struct ib_uverbs_attr){ .attr_id = id, .flags = UVERBS_ATTR_F_MANDATORY };
	return attr;
}

static void add_handle(struct method *m, uint16_t id, uint32_t handle)
{
	add(m, id)->data = handle;
}

/*
 * Adds an attribute. One of up to eight bytes contains the data; `p` must stay valid until the
 * call.
 */
static void add_in(struct method *m, uint16_t id, const void *p, uint16_t len)
{
	struct ib_uverbs_attr *attr = add(m, id);

	attr->len = len;
	if (len > sizeof(attr->data))
		attr->data = (uintptr_t)p;
	else
		memcpy(&attr->data, p, len);
}

static void add_out(struct method *m, uint16_t id, void *p, uint16_t len)
{
	struct ib_uverbs_attr *attr = add(m, id);

	attr->len = len;
	attr->data = (uintptr_t)p;
}

/* Calls the method, possibly with a fault in its header or its attributes. */
static int call(struct fuzz_context *c, struct bytes *b, struct method *m)
{
	size_t size = sizeof(m->hdr) + m->hdr.num_attrs * sizeof(m->attrs[0]);

	m->hdr.length = size;
	if (take8(b) >= 192) {
		spoil(b, m, size);
		m->hdr.num_attrs += pick(b, 8) == 7;
	}
	return ioctl(c->fd, RDMA_VERBS_IOCTL, m) ? errno : 0;
}

/* ---- Segments ---- */
int alloc_seg(struct fuzz_context *c, struct bytes *b)
{
	struct method m = method(TALLY_OBJECT_SEG, TALLY_METHOD_SEG_ALLOC);
	uint32_t count = 4, base;
	int err;

	spoil(b, &count, sizeof(count));
	add_handle(&m, TALLY_ATTR_SEG_ALLOC_HANDLE, 0);
	add_in(&m, TALLY_ATTR_SEG_ALLOC_COUNT, &count, sizeof(count));
	add_out(&m, TALLY_ATTR_SEG_ALLOC_RESP_BASE, &base, sizeof(base));
	err = call(c, b, &m);
	if (!err)
		have(c, KIND_SEG, m.attrs[0].data);
	return err;
}

static int destroy(struct fuzz_context *c, struct bytes *b, uint16_t object, uint16_t number,
		   enum kind kind)
{
	struct method m = method(object, number);

	/* All of these methods have the handle as their only attribute, with the same number. */
	add_handle(&m, TALLY_ATTR_SEG_FREE_HANDLE, choose(c, b, kind));
	return call(c, b, &m);
}

int free_seg(struct fuzz_context *c, struct bytes *b)
{
	return destroy(c, b, TALLY_OBJECT_SEG, TALLY_METHOD_SEG_FREE, KIND_SEG);
}

/* ---- Groups ---- */
static void keep_group(struct fuzz_context *c, const struct method *m,
		       const struct tally_uresp_group *resp, uint32_t jid)
{
	have(c, KIND_GROUP, m->attrs[0].data);
	c->group_number = resp->group_handle;
	c->jid = jid;
}

/* Describes a group: the root of a tree with a child that never appears, or a single node. */
static struct tally_ureq_group group_request(struct bytes *b, unsigned int num_edges)
{
	return (struct tally_ureq_group){
		.join_key = JOIN_KEY,
		.rank_mask = 3,
		.owner_ranks = 1,
		.jid = 0x5000 + pick(b, 4),
		.flags = TALLY_GROUP_F_ROOT,
		.timeout_ms = 1000,
		.epoch = 1,
		.mtu = 1024,
		.total_ranks = num_edges ? 3 : 2,
		.rto_us = RTO_US,
		.num_nodes = 1 + num_edges,
		.mode = TALLY_MODE_TREE,
		.edge_size = sizeof(struct tally_ureq_edge),
	};
}

int create_group(struct fuzz_context *c, struct bytes *b)
{
	struct method m = method(TALLY_OBJECT_GROUP, TALLY_METHOD_GROUP_CREATE);
	unsigned int num_edges = pick(b, 2);
	struct tally_ureq_group req = group_request(b, num_edges);
	struct tally_ureq_edge edges[2] = { {
		.gid = { 0xfe, 0x80, [8] = 2, 0x54, 0, 0xff, 0xfe, 0, 0, 9 },
		.mac = { 2, 0x54, 0, 0, 0, 9 },
		.remote_index = TALLY_CONTRIB_PARENT,
		.subtree_first = 1,
		.subtree_count = 1,
		.rank_first = 2,
		.rank_count = 1,
	} };
	struct tally_uresp_group resp = {};
	struct tally_uresp_why why;
	int err;

	spoil(b, &req, sizeof(req));
	spoil(b, edges, sizeof(edges));
	add_handle(&m, TALLY_ATTR_GROUP_CREATE_HANDLE, 0);
	add_handle(&m, TALLY_ATTR_GROUP_CREATE_SEG, choose(c, b, KIND_SEG));
	add_in(&m, TALLY_ATTR_GROUP_CREATE_REQ, &req, sizeof(req));
	add_out(&m, TALLY_ATTR_GROUP_CREATE_RESP, &resp, sizeof(resp));
	if (pick(b, 2))
		add_out(&m, TALLY_ATTR_GROUP_CREATE_RESP_WHY, &why, sizeof(why));
	if (num_edges)
		add_in(&m, TALLY_ATTR_GROUP_CREATE_EDGES, edges, num_edges * sizeof(edges[0]));
	err = call(c, b, &m);
	if (!err)
		keep_group(c, &m, &resp, req.jid);
	return err;
}

int attach_group(struct fuzz_context *c, struct bytes *b)
{
	struct method m = method(TALLY_OBJECT_GROUP, TALLY_METHOD_GROUP_ATTACH);
	struct tally_ureq_group_attach req = { .join_key = JOIN_KEY, .ranks = 2, .jid = c->jid };
	struct tally_uresp_group resp = {};
	int err;

	spoil(b, &req, sizeof(req));
	add_handle(&m, TALLY_ATTR_GROUP_ATTACH_HANDLE, 0);
	add_in(&m, TALLY_ATTR_GROUP_ATTACH_REQ, &req, sizeof(req));
	add_out(&m, TALLY_ATTR_GROUP_ATTACH_RESP, &resp, sizeof(resp));
	err = call(c, b, &m);
	if (!err)
		have(c, KIND_GROUP, m.attrs[0].data);
	return err;
}

int query_group(struct fuzz_context *c, struct bytes *b)
{
	struct method m = method(TALLY_OBJECT_GROUP, TALLY_METHOD_GROUP_QUERY);
	struct tally_uresp_group_info info;

	add_handle(&m, TALLY_ATTR_GROUP_QUERY_HANDLE, choose(c, b, KIND_GROUP));
	add_out(&m, TALLY_ATTR_GROUP_QUERY_RESP, &info, sizeof(info));
	return call(c, b, &m);
}

int query_list(struct fuzz_context *c, struct bytes *b)
{
	struct method m = method(TALLY_OBJECT_GROUP, TALLY_METHOD_GROUP_QUERY_EDGES + pick(b, 3));
	uint32_t count, size = sizeof(struct tally_uresp_edge);
	uint16_t room = LIST_SIZE;

	spoil(b, &room, sizeof(room));
	spoil(b, &size, sizeof(size));
	add_handle(&m, TALLY_ATTR_GROUP_QUERY_LIST_HANDLE, choose(c, b, KIND_GROUP));
	add_in(&m, TALLY_ATTR_GROUP_QUERY_LIST_ENTRY_SIZE, &size, sizeof(size));
	add_out(&m, TALLY_ATTR_GROUP_QUERY_LIST_RESP_LIST, list,
		room < LIST_SIZE ? room : LIST_SIZE);
	add_out(&m, TALLY_ATTR_GROUP_QUERY_LIST_RESP_COUNT, &count, sizeof(count));
	return call(c, b, &m);
}

int reset_group(struct fuzz_context *c, struct bytes *b)
{
	struct method m = method(TALLY_OBJECT_GROUP, TALLY_METHOD_GROUP_RESET);
	uint32_t epoch = 2;

	spoil(b, &epoch, sizeof(epoch));
	add_handle(&m, TALLY_ATTR_GROUP_RESET_HANDLE, choose(c, b, KIND_GROUP));
	add_in(&m, TALLY_ATTR_GROUP_RESET_EPOCH, &epoch, sizeof(epoch));
	return call(c, b, &m);
}

int destroy_group(struct fuzz_context *c, struct bytes *b)
{
	return destroy(c, b, TALLY_OBJECT_GROUP, TALLY_METHOD_GROUP_DESTROY, KIND_GROUP);
}

/* ---- Objects of the core, with the driver's data ---- */
int ioctl_create_cq(struct fuzz_context *c, struct bytes *b)
{
	struct method m = method(UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_CREATE);
	struct tally_ureq_create_cq req = { .buf_addr = (uintptr_t)arena, .depth = DEPTH };
	uint32_t cqe = DEPTH, vector = 0, resp_cqe;
	struct tally_uresp_create_cq resp;
	uint64_t user_handle = 1;
	int err;

	spoil(b, &req, sizeof(req));
	add_handle(&m, UVERBS_ATTR_CREATE_CQ_HANDLE, 0);
	add_in(&m, UVERBS_ATTR_CREATE_CQ_CQE, &cqe, sizeof(cqe));
	add_in(&m, UVERBS_ATTR_CREATE_CQ_USER_HANDLE, &user_handle, sizeof(user_handle));
	if (take8(b) & 1)
		add_handle(&m, UVERBS_ATTR_CREATE_CQ_COMP_CHANNEL, choose(c, b, KIND_CHANNEL));
	add_in(&m, UVERBS_ATTR_CREATE_CQ_COMP_VECTOR, &vector, sizeof(vector));
	add_out(&m, UVERBS_ATTR_CREATE_CQ_RESP_CQE, &resp_cqe, sizeof(resp_cqe));
	add_in(&m, UVERBS_ATTR_UHW_IN, &req, sizeof(req));
	add_out(&m, UVERBS_ATTR_UHW_OUT, &resp, sizeof(resp));
	err = call(c, b, &m);
	if (!err)
		have(c, KIND_CQ, m.attrs[0].data);
	return err;
}

int ioctl_create_qp(struct fuzz_context *c, struct bytes *b)
{
	struct method m = method(UVERBS_OBJECT_QP, UVERBS_METHOD_QP_CREATE);
	struct ib_uverbs_qp_cap cap = { .max_send_wr = DEPTH, .max_send_sge = 1 }, resp_cap;
	struct tally_ureq_create_qp req = {
		.sq_addr = (uintptr_t)arena + ARENA_SIZE / 2,
		.ranks = 1,
		.group_handle = c->group_number,
		.sq_depth = DEPTH,
		.sq_stride = SQ_STRIDE,
		.port = take8(b),
	};
	uint64_t type = IB_UVERBS_QPT_DRIVER; /* an enum occupies eight bytes */
	uint32_t flags = 0, cq = choose(c, b, KIND_CQ), num;
	struct tally_uresp_create_qp resp;
	uint64_t user_handle = 1;
	int err;

	spoil(b, &req, sizeof(req));
	add_handle(&m, UVERBS_ATTR_CREATE_QP_HANDLE, 0);
	add_handle(&m, UVERBS_ATTR_CREATE_QP_PD_HANDLE, choose(c, b, KIND_PD));
	add_handle(&m, UVERBS_ATTR_CREATE_QP_SEND_CQ_HANDLE, cq);
	add_handle(&m, UVERBS_ATTR_CREATE_QP_RECV_CQ_HANDLE, cq);
	add_in(&m, UVERBS_ATTR_CREATE_QP_USER_HANDLE, &user_handle, sizeof(user_handle));
	add_in(&m, UVERBS_ATTR_CREATE_QP_CAP, &cap, sizeof(cap));
	add_in(&m, UVERBS_ATTR_CREATE_QP_TYPE, &type, sizeof(type));
	add_in(&m, UVERBS_ATTR_CREATE_QP_FLAGS, &flags, sizeof(flags));
	add_out(&m, UVERBS_ATTR_CREATE_QP_RESP_CAP, &resp_cap, sizeof(resp_cap));
	add_out(&m, UVERBS_ATTR_CREATE_QP_RESP_QP_NUM, &num, sizeof(num));
	add_in(&m, UVERBS_ATTR_UHW_IN, &req, sizeof(req));
	add_out(&m, UVERBS_ATTR_UHW_OUT, &resp, sizeof(resp));
	err = call(c, b, &m);
	if (err)
		return err;
	have(c, KIND_QP, m.attrs[0].data);
	have_page(c, resp.db_mmap_offset);
	return 0;
}

/* ---- Methods of the core ---- */
int info_handles(struct fuzz_context *c, struct bytes *b)
{
	struct method m = method(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INFO_HANDLES);
	uint64_t object = UVERBS_OBJECT_PD + pick(b, 4);
	uint32_t total;

	add_in(&m, UVERBS_ATTR_INFO_OBJECT_ID, &object, sizeof(object));
	add_out(&m, UVERBS_ATTR_INFO_TOTAL_HANDLES, &total, sizeof(total));
	add_out(&m, UVERBS_ATTR_INFO_HANDLES_LIST, list, 64);
	return call(c, b, &m);
}

/* Calls any method of any object, with handles, numbers and buffers as attributes. */
int any_method(struct fuzz_context *c, struct bytes *b)
{
	uint8_t object = take8(b), number = take8(b);
	struct method m = method(
		(object & 0x80 ? DRIVER_NS : 0) + object % (UVERBS_OBJECT_ASYNC_EVENT + 2),
		(number & 0x80 ? DRIVER_NS : 0) + number % 16);

	for (unsigned int i = 0, num = pick(b, 6); i < num; i++) {
		struct ib_uverbs_attr *attr = add(&m, (number & 0x80 ? DRIVER_NS : 0) + i);

		attr->data = pick(b, 2) ? choose(c, b, pick(b, NUM_KINDS)) : (uintptr_t)list;
		attr->len = attr->data == (uintptr_t)list ? 8 * pick(b, 32) : 0;
	}
	return call(c, b, &m);
}

int any_ioctl(struct fuzz_context *c, struct bytes *b)
{
	unsigned long command = RDMA_VERBS_IOCTL;

	spoil(b, &command, sizeof(command));
	return ioctl(c->fd, command, (uintptr_t)arena + take8(b)) ? errno : 0;
}
