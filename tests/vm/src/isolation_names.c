/* SPDX-License-Identifier: BSD-2-Clause */
/* Attacks with names of other processes: keys, addresses, job ids, handles, neighbours. */
#include "isolation.h"

#include <rdma/rdma_user_ioctl_cmds.h>
#include <sys/ioctl.h>

#include "attrs.h"

#define VARIANT_STEP 15
#define FIRST_KEYS 64 /* table indices that are guessed */
#define WRONG_KEYS 100
#define HANDLES 256
#define COUNT 8

static struct cluster cluster;

/* ---- Memory ---- */
static void good_request(struct lone *lone, struct request *r)
{
	request_allreduce(r, lone->nic, TALLY_OP_SUM, TALLY_TYPE_INT32, COUNT, sizeof(int32_t),
			  lone->mid);
}

/* Uses the key for data, for a result and for a flag word. */
static void try_key(struct lone *lone, uint64_t addr, uint32_t lkey)
{
	struct request r;

	good_request(lone, &r);
	r.give[0].addr = addr;
	r.give[0].lkey = lkey;
	lone_refused(lone, &r, TALLY_COLL_BAD_LKEY);
	good_request(lone, &r);
	r.get[0].addr = addr;
	r.get[0].lkey = lkey;
	lone_refused(lone, &r, TALLY_COLL_BAD_LKEY);
	good_request(lone, &r);
	r.w.coll.flags = TALLY_WQE_F_FLAG_WORD;
	r.w.coll.flag_addr = addr;
	r.w.coll.flag_lkey = lkey;
	lone_refused(lone, &r, TALLY_COLL_BAD_LKEY);
}

void foreign_memory(void)
{
	uint64_t addr = stage->victim.addr[0];
	uint32_t key = stage->victim.lkey[0];
	struct lone lone;

	cluster_open(&cluster);
	lone_open(&lone, &cluster.nic[0]);
	do {
		try_key(&lone, addr, key);
		try_key(&lone, stage->victim.secret_addr, stage->victim.secret_lkey);
		for (unsigned int v = 0; v < 256; v += VARIANT_STEP)
			try_key(&lone, addr, (key & ~0xffU) | v);
		for (unsigned int i = 0; i < FIRST_KEYS; i++)
			if (i != lone.nic->mr->lkey >> 8)
				try_key(&lone, addr, i << 8 | 1);
		try_key(&lone, addr, UINT32_MAX);
	} while (under_way());
	lone_read_nothing(&lone);
	lone_close(&lone);
	cluster_close(&cluster);
}

/* ---- Groups and segments ---- */
static void refused(const char *what, int err, int expected)
{
	REQUIRE(err == expected, "%s: error %d, not %d", what, err, expected);
	add(&stage->refused, 1);
}

static void try_join_key(struct ibv_context *context, uint64_t key)
{
	struct tallydv_group_attach_attr attr = {
		.jid = stage->victim.jid, .join_key = key, .ranks = 1
	};

	errno = 0;
	REQUIRE(!tallydv_attach_group(context, &attr, NULL, 0), "attached with a wrong key");
	refused("wrong join key", errno, EACCES);
}

static void try_join_keys(struct ibv_context *context)
{
	uint64_t key = stage->victim.join_key;

	try_join_key(context, 0);
	try_join_key(context, ~key);
	for (unsigned int bit = 0; bit < 64; bit++)
		try_join_key(context, key ^ 1ULL << bit);
	for (unsigned int i = 0; i < WRONG_KEYS; i++)
		try_join_key(context, key + (random64() | 1));
}

static void try_jid(struct lone *lone)
{
	struct tallydv_seg *seg = tallydv_alloc_seg(lone->nic->context, 4);
	struct tallydv_group_attr attr = {
		.jid = stage->victim.jid,
		.join_key = 1,
		.seg = seg,
		.mode = TALLY_MODE_TREE,
		.num_nodes = 1,
		.rank_mask = 1,
		.owner_ranks = 1,
		.total_ranks = 1,
		.timeout_ms = 1000,
	};

	REQUIRE(seg, "segments");
	errno = 0;
	REQUIRE(!tallydv_create_group(lone->nic->context, &attr, NULL, 0), "a group with a taken job id");
	refused("job id of another group", errno, EEXIST);
	REQUIRE(!tallydv_free_seg(seg), "segments");
}

static int call(struct ibv_context *context, uint16_t object, uint16_t method,
		const struct ib_uverbs_attr *attrs, unsigned int num)
{
	struct {
		struct ib_uverbs_ioctl_hdr hdr;
		struct ib_uverbs_attr attrs[4];
	} c = { .hdr = { .object_id = object, .method_id = method, .num_attrs = num,
			 .driver_id = TALLY_RDMA_DRIVER_ID } };

	c.hdr.length = sizeof(c.hdr) + num * sizeof(*attrs);
	memcpy(c.attrs, attrs, num * sizeof(*attrs));
	return ioctl(context->cmd_fd, RDMA_VERBS_IOCTL, &c) ? errno : 0;
}

/* The kernel reports a handle that does not exist and one of another type with different errors. */
static void no_object(const char *what, int err)
{
	refused(what, err == EINVAL ? ENOENT : err, ENOENT);
}

/*
 * Calls every method that takes a handle, with a handle that is no group or segment range of this
 * process.
 */
static void try_handle(struct ibv_context *context, uint32_t handle)
{
	uint32_t epoch = 1, count, size = sizeof(struct tally_uresp_edge);
	struct tally_uresp_group_info info;
	struct tally_uresp_edge edges[2];
	struct ib_uverbs_attr query[] = {
		attr_handle(TALLY_ATTR_GROUP_QUERY_HANDLE, handle),
		attr_out(TALLY_ATTR_GROUP_QUERY_RESP, &info, sizeof(info)),
	};
	struct ib_uverbs_attr list[] = {
		attr_handle(TALLY_ATTR_GROUP_QUERY_LIST_HANDLE, handle),
		attr_in(TALLY_ATTR_GROUP_QUERY_LIST_ENTRY_SIZE, &size, sizeof(size)),
		attr_out(TALLY_ATTR_GROUP_QUERY_LIST_RESP_LIST, edges, sizeof(edges)),
		attr_out(TALLY_ATTR_GROUP_QUERY_LIST_RESP_COUNT, &count, sizeof(count)),
	};
	struct ib_uverbs_attr reset[] = {
		attr_handle(TALLY_ATTR_GROUP_RESET_HANDLE, handle),
		attr_in(TALLY_ATTR_GROUP_RESET_EPOCH, &epoch, sizeof(epoch)),
	};
	struct ib_uverbs_attr destroy[] = {
		attr_handle(TALLY_ATTR_GROUP_DESTROY_HANDLE, handle),
	};
	struct ib_uverbs_attr free_seg[] = { attr_handle(TALLY_ATTR_SEG_FREE_HANDLE, handle) };

	no_object("query", call(context, TALLY_OBJECT_GROUP, TALLY_METHOD_GROUP_QUERY, query, 2));
	no_object("list",
		  call(context, TALLY_OBJECT_GROUP, TALLY_METHOD_GROUP_QUERY_EDGES, list, 3));
	no_object("reset", call(context, TALLY_OBJECT_GROUP, TALLY_METHOD_GROUP_RESET, reset, 2));
	no_object("destroy",
		  call(context, TALLY_OBJECT_GROUP, TALLY_METHOD_GROUP_DESTROY, destroy, 1));
	no_object("free", call(context, TALLY_OBJECT_SEG, TALLY_METHOD_SEG_FREE, free_seg, 1));
}

/* Creates a queue pair for a group, and a group in a segment range, of another process. */
static void try_numbers(struct lone *lone, uint32_t number)
{
	struct tally_group group = *container_of(lone->group, struct tally_group, dv);
	struct tally_seg seg = *container_of(lone->seg, struct tally_seg, dv);
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_DRIVER,
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = lone->nic->pd,
		.send_cq = ibv_cq_ex_to_cq(lone->nic->cq),
		.cap = { .max_send_wr = 1 },
	};
	struct tallydv_qp_init_attr dv = { .group = &group.dv, .port = 1 };
	struct tallydv_group_attr in = { .jid = random_jid(), .seg = &seg.dv, .num_nodes = 1,
					 .mode = TALLY_MODE_TREE, .rank_mask = 1,
					 .owner_ranks = 1, .total_ranks = 1, .timeout_ms = 1000 };

	if (number != group.group_handle) {
		group.group_handle = number;
		REQUIRE(!tallydv_create_qp(lone->nic->context, &attr, &dv, NULL, 0), "queue pair");
		no_object("unknown group handle", errno);
	}
	if (number != seg.handle) {
		seg.handle = number;
		REQUIRE(!tallydv_create_group(lone->nic->context, &in, NULL, 0), "group");
		no_object("unknown segments", errno);
	}
}

void foreign_groups(void)
{
	struct lone lone;

	cluster_open(&cluster);
	lone_open(&lone, &cluster.nic[0]);
	do {
		try_join_keys(lone.nic->context);
		try_jid(&lone);
		for (uint32_t i = 0; i < HANDLES; i++) {
			if (i != container_of(lone.group, struct tally_group, dv)->handle &&
			    i != container_of(lone.seg, struct tally_seg, dv)->handle)
				try_handle(lone.nic->context, i);
			try_numbers(&lone, i);
		}
	} while (under_way());
	lone_close(&lone);
	cluster_close(&cluster);
}

/* ---- Neighbours ---- */
/*
 * The victim's job id is free at the last NIC, which is not in its group. There the attacker
 * creates a group whose neighbours are the victim's nodes. It poses as one of the nodes or as an
 * additional one.
 */
static void pose(unsigned int as, unsigned int nodes)
{
	struct cluster fake = { .count = nodes };
	struct team_spec spec = { .jid = stage->victim.jid, .timeout_ms = 100, .rto_us = 500,
				  .epoch = 1 };
	struct team team = { .cluster = &fake, .ranks = 1 };
	struct outcome out;
	struct request r;
	struct port port;

	memcpy(fake.nic, cluster.nic, sizeof(fake.nic));
	fake.nic[as] = cluster.nic[cluster.count - 1];
	team_create_at(&team, &spec, as);
	port_open(&port, &fake.nic[as], team.group[as], 0, 0);
	request_allreduce(&r, &fake.nic[as], TALLY_OP_SUM, TALLY_TYPE_INT32, COUNT, sizeof(int32_t),
			  0);
	post(&port, &r);
	request_plain(&r, TALLY_OPCODE_ABORT, 0);
	REQUIRE(wait_outcome(&fake.nic[as], &out, 60000), "no answer to an impostor");
	REQUIRE(out.status != IBV_WC_SUCCESS, "an impostor got a result");
	post(&port, &r);
	REQUIRE(wait_outcome(&fake.nic[as], &out, 60000), "no completion of an ABORT");
	add(&stage->refused, 1);
	port_close(&port);
	team_destroy(&team);
}

void impostor(void)
{
	unsigned int nodes = stage->victim.nodes;

	cluster_open(&cluster);
	REQUIRE(nodes == cluster.count - 1, "the victim is at %u of %u nodes", nodes, cluster.count);
	do {
		for (unsigned int as = 0; as < nodes; as++)
			pose(as, nodes);
		pose(nodes, nodes + 1);
	} while (under_way());
	cluster_close(&cluster);
}
