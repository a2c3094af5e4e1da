// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A refused call explains the reason in a sentence, whether library, kernel or device refuses it.
 */
#include <string.h>

#include "objects.h"

static char why[256];

static struct tallydv_neighbour neighbour = {
	.mac = { 2, 0, 0, 0, 0, 7 }, .remote_index = 3, .roles = 8
};

/* Makes the kernel refuse with `err` and a reason. */
static void refuse(int err, struct tally_uresp_why with)
{
	kernel.refusal = err;
	kernel.why = with;
	memset(why, 'x', sizeof(why));
}

static void group_says(struct objects *o, const struct tallydv_group_attr *attr, const char *text)
{
	int err = kernel.refusal;

	errno = 0;
	assert_null(tallydv_create_group(o->context, attr, why, sizeof(why)));
	assert_int_equal(errno, err);
	assert_string_equal(why, text);
}

#define GROUP_FIELD(field) \
	(struct tally_uresp_why){ .where = TALLY_WHY_REQUEST, \
				  .offset = offsetof(struct tally_ureq_group, field) }

static void fields_of_groups(void **state)
{
	struct objects *o = *state;
	struct tallydv_group_attr attr = group_attr(o);

	attr.mtu = 300;
	refuse(EINVAL, GROUP_FIELD(mtu));
	group_says(o, &attr, "mtu: is 300, and must be a power of two, from 256 to the device's");
	attr.timeout_ms = 5;
	refuse(EINVAL, GROUP_FIELD(timeout_ms));
	group_says(o, &attr, "timeout_ms: is 5, and must be 0, or 10 to 600000");
	attr.owner_ranks = 0xf0;
	refuse(EINVAL, GROUP_FIELD(owner_ranks));
	group_says(o, &attr, "owner_ranks: is 0xf0, and must be a subset of rank_mask");
	refuse(EINVAL, GROUP_FIELD(rounds));
	group_says(o, &attr, "rounds: is 0, and must be 1 to 12 in EXCHANGE with more than one node, else 0");
	refuse(EINVAL, GROUP_FIELD(mcast_gid));
	group_says(o, &attr, "mcast_gid: must be in ff00::/8 with MULTICAST, else 0");
	attr.retry_limit = 9;
	attr.rto_us = 1000000;
	refuse(EINVAL, GROUP_FIELD(rto_us));
	group_says(o, &attr, "rto_us: is 1000000, and must be at most 1000000, and retry_limit times rto_us at most 8000 ms");
	refuse(EINVAL, GROUP_FIELD(retry_limit));
	group_says(o, &attr, "retry_limit: is 9, and must be at most 255, and retry_limit times rto_us at most 8000 ms");
	attr.flags = TALLY_GROUP_F_UNIFORM;
	refuse(EINVAL, GROUP_FIELD(flags));
	group_says(o, &attr, "flags: is 0x10, and must be flags that the device offers: SPARSE and MULTICAST in TREE only, and UNIFORM only if all nodes have the same number of ranks");
	attr.parent = &neighbour;
	attr.level = 9;
	refuse(EINVAL, GROUP_FIELD(level));
	group_says(o, &attr, "level: is 9, and must be below num_nodes");
}

/* The sentence names every field as programs know it, whether device or kernel blames it. */
static void every_field(void **state)
{
	static const struct { size_t offset; const char *name; } group[] = {
#define F(field) { offsetof(struct tally_ureq_group, field), #field ":" }
		F(jid), F(flags), F(mode), F(level), F(node), F(num_nodes), F(num_segs),
		F(timeout_ms), F(rank_mask), F(owner_ranks), F(epoch), F(retry_limit), F(rto_us),
		F(mtu), F(total_ranks), F(rank_first), F(msg_cells), F(rounds), F(mcast_gid),
		F(source_gid), F(modes), F(plan), F(chunk), F(max_segs),
#undef F
#define F(field) { offsetof(struct tally_ureq_group, field), "choice:" }
		F(choice_small), F(choice_middle), F(choice_large), F(choice_small_log),
		F(choice_middle_log),
#undef F
	}, edge[] = {
#define F(field) { offsetof(struct tally_ureq_edge, field), "children: entry 0: " #field ":" }
		F(gid), F(mac), F(remote_index), F(rank_first), F(rank_count), F(subtree_first),
		F(subtree_count), F(roles), F(round), F(position), F(part_first), F(part_count),
#undef F
	};
	struct objects *o = *state;
	struct tallydv_group_attr attr = group_attr(o);

	for (unsigned int i = 0; i < sizeof(group) / sizeof(group[0]); i++) {
		refuse(EINVAL, (struct tally_uresp_why){ .where = TALLY_WHY_REQUEST,
							 .offset = group[i].offset });
		assert_null(tallydv_create_group(o->context, &attr, why, sizeof(why)));
		assert_memory_equal(why, group[i].name, strlen(group[i].name));
	}
	for (unsigned int i = 0; i < sizeof(edge) / sizeof(edge[0]); i++) {
		refuse(EINVAL, (struct tally_uresp_why){ .where = TALLY_WHY_EDGE,
							 .offset = edge[i].offset });
		assert_null(tallydv_create_group(o->context, &attr, why, sizeof(why)));
		assert_memory_equal(why, edge[i].name, strlen(edge[i].name));
	}
}

static void neighbours_of_groups(void **state)
{
	struct objects *o = *state;
	struct tallydv_group_attr attr = group_attr(o);
	struct tally_uresp_why edge = {
		.where = TALLY_WHY_EDGE, .offset = offsetof(struct tally_ureq_edge, mac)
	};

	attr.num_peers = 1;
	attr.peers = &neighbour;
	attr.parent = &neighbour;
	attr.level = 1;
	refuse(EINVAL, edge);
	group_says(o, &attr, "children: entry 0: mac: must be a station's: not 0, not multicast");
	edge.edge = 1;
	edge.offset = offsetof(struct tally_ureq_edge, roles);
	refuse(EINVAL, edge);
	group_says(o, &attr, "peers: entry 0: roles: is 8, and must be those that the mode requires, and 0 in TREE");
	edge.edge = 2;
	edge.offset = offsetof(struct tally_ureq_edge, remote_index);
	refuse(EINVAL, edge);
	group_says(o, &attr, "parent: remote_index: is 3, and must be the index of this node at the neighbour");
	/* A kernel that blames a neighbour that does not exist. */
	edge.edge = 3;
	refuse(EINVAL, edge);
	group_says(o, &attr, "the kernel refuses: Invalid argument");
	edge.edge = 0;
	edge.offset = 1;
	refuse(EINVAL, edge);
	group_says(o, &attr, "the kernel refuses: Invalid argument");
	refuse(EINVAL, (struct tally_uresp_why){ .where = TALLY_WHY_EDGES });
	group_says(o, &attr, "neighbours: their number, roles or ranks do not match the mode");
	refuse(EINVAL, (struct tally_uresp_why){ .where = 77 });
	group_says(o, &attr, "the kernel refuses: Invalid argument");
}

static void states_of_groups(void **state)
{
	struct objects *o = *state;
	struct tallydv_group_attr attr = group_attr(o);
	const struct tally_uresp_why device = { .status = TALLY_ADMIN_STATUS_DMA_ERROR };

	attr.msg_cells = 9;
	refuse(EEXIST, (struct tally_uresp_why){});
	group_says(o, &attr, "jid: 0x2a is in use on this device");
	refuse(EBUSY, (struct tally_uresp_why){});
	group_says(o, &attr, "seg: another group has these segments");
	refuse(EDQUOT, (struct tally_uresp_why){});
	group_says(o, &attr,
		   "group: this process may hold no more groups, or not as many edges as neighbours, which are 1, "
		   "or not as many cells as msg_cells, which is 9");
	refuse(ENOSPC, (struct tally_uresp_why){});
	group_says(o, &attr,
		   "group: the device has no more groups, or not as many edges as neighbours, which are 1, "
		   "or not as many cells as msg_cells, which is 9");
	attr.msg_cells = 0;
	refuse(EDQUOT, (struct tally_uresp_why){});
	group_says(o, &attr,
		   "group: this process may hold no more groups, or not as many edges as neighbours, which are 1");
	attr.num_children = 0;
	refuse(EDQUOT, (struct tally_uresp_why){});
	group_says(o, &attr, "group: this process may hold no more groups");
	refuse(ENOSPC, (struct tally_uresp_why){});
	group_says(o, &attr, "group: the device has no more groups");
	refuse(EIO, (struct tally_uresp_why){});
	group_says(o, &attr, "the kernel refuses: Input/output error");
	refuse(EFAULT, device);
	assert_null(tallydv_create_group(o->context, &attr, why, sizeof(why)));
	assert_non_null(strstr(why, "the device refuses: "));
}

/* The kernel names what is exhausted, and the sentence names nothing else. */
static void exhausted(void **state)
{
	struct tally_uresp_why groups = { .where = TALLY_WHY_GROUPS };
	struct tally_uresp_why edges = { .where = TALLY_WHY_EDGES, .value = 1 };
	struct tally_uresp_why field = { .where = TALLY_WHY_REQUEST };
	struct objects *o = *state;
	struct tallydv_group_attr attr = group_attr(o);

	attr.msg_cells = 9;
	refuse(EDQUOT, groups);
	group_says(o, &attr, "group: this process may hold no more groups");
	refuse(ENOSPC, groups);
	group_says(o, &attr, "group: the device has no more groups");
	refuse(EDQUOT, edges);
	group_says(o, &attr, "neighbours: are 1, and more edges than this process may still hold");
	edges.status = TALLY_ADMIN_STATUS_NO_RESOURCE;
	refuse(ENOSPC, edges);
	group_says(o, &attr, "neighbours: are 1, and more edges than the device has left");
	field.offset = offsetof(struct tally_ureq_group, msg_cells);
	refuse(EDQUOT, field);
	group_says(o, &attr, "msg_cells: is 9, and more cells than this process may still hold");
	refuse(ENOSPC, field);
	group_says(o, &attr, "msg_cells: is 9, and more cells than the device has left");
	attr.num_segs = 2;
	field.offset = offsetof(struct tally_ureq_group, num_segs);
	refuse(ENOSPC, field);
	group_says(o, &attr, "num_segs: is 2, and more segments than the device has left");
	/* A field that cannot be exhausted. */
	field.offset = offsetof(struct tally_ureq_group, mtu);
	attr.msg_cells = 0;
	refuse(ENOSPC, field);
	group_says(o, &attr, "group: the device has no more groups, or not as many edges as neighbours, which are 1");
}

static void attachments(void **state)
{
	struct objects *o = *state;
	const struct tallydv_group_attach_attr attr = { .jid = 42, .ranks = 0xf0 };
	static const struct { int err; const char *text; } cases[] = {
		{ ENOENT, "jid: no group of this device has 0x2a" },
		{ EACCES, "join_key: is not the creator's" },
		{ EBUSY, "ranks: one of 0xf0 belongs to another handle, or to a process that is gone" },
		{ EINVAL, "ranks: is 0xf0, and must be ranks of the group" },
	};

	for (unsigned int i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		refuse(cases[i].err, (struct tally_uresp_why){
			.where = TALLY_WHY_REQUEST,
			.offset = offsetof(struct tally_ureq_group_attach, ranks),
		});
		errno = 0;
		assert_null(tallydv_attach_group(o->context, &attr, why, sizeof(why)));
		assert_int_equal(errno, cases[i].err);
		assert_string_equal(why, cases[i].text);
	}
}

/* The library itself refuses what it does not know, and says so. */
static void reserved(void **state)
{
	struct objects *o = *state;
	struct tallydv_group_attach_attr attach = { .jid = 42, .ranks = 0xf0, .reserved = 1 };
	struct ibv_qp_init_attr_ex attr = qp_attr(o);
	struct tallydv_qp_init_attr dv = qp_dv_attr(o);

	refuse(EIO, (struct tally_uresp_why){});
	assert_null(tallydv_attach_group(o->context, &attach, why, sizeof(why)));
	assert_int_equal(errno, EINVAL);
	assert_string_equal(why, "reserved: is not 0");
	attach.reserved = 0;
	attach.comp_mask = 1;
	assert_null(tallydv_attach_group(o->context, &attach, why, sizeof(why)));
	assert_int_equal(errno, EOPNOTSUPP);
	assert_string_equal(why, "comp_mask: has bits that this library does not know");
	dv.reserved = 1;
	assert_null(tallydv_create_qp(o->context, &attr, &dv, why, sizeof(why)));
	assert_int_equal(errno, EINVAL);
	assert_string_equal(why, "reserved: is not 0");
}

static void queue_pairs(void **state)
{
	struct objects *o = *state;
	struct tallydv_qp_init_attr dv = qp_dv_attr(o);
	struct ibv_qp_init_attr_ex attr = qp_attr(o);

	refuse(EBUSY, (struct tally_uresp_why){
		.where = TALLY_WHY_REQUEST, .offset = offsetof(struct tally_ureq_create_qp, port),
	});
	assert_null(tallydv_create_qp(o->context, &attr, &dv, why, sizeof(why)));
	assert_int_equal(errno, EBUSY);
	assert_string_equal(why, "port: is 1, and must be a number that no other queue pair of the group has at this node");
	refuse(ENOSPC, (struct tally_uresp_why){});
	assert_null(tallydv_create_qp(o->context, &attr, &dv, why, sizeof(why)));
	assert_string_equal(why, "the device has no queue pair or doorbell left");
	refuse(EDQUOT, (struct tally_uresp_why){});
	assert_null(tallydv_create_qp(o->context, &attr, &dv, why, sizeof(why)));
	assert_string_equal(why, "this process holds as many queue pairs or doorbells as it may");
	kernel.refusal = 0;
	kernel.qpn = 6;
	kernel.db_slot = TALLY_UAR_SLOTS;
	assert_null(tallydv_create_qp(o->context, &attr, &dv, why, sizeof(why)));
	assert_int_equal(errno, EPROTO);
	assert_string_equal(why, "the doorbell cannot be mapped: Protocol error");
	dv.ranks = 0x70;
	assert_null(tallydv_create_qp(o->context, &attr, &dv, why, sizeof(why)));
	assert_string_equal(why, "ranks: is 0x70, and must be a subset of those the group handle may post for, 0x3");
}

static void qp_says(struct objects *o, const struct ibv_qp_cap *cap, int err, const char *text)
{
	struct tallydv_qp_init_attr dv = qp_dv_attr(o);
	struct ibv_qp_init_attr_ex attr = qp_attr(o);

	if (cap)
		attr.cap = *cap;
	kernel.refusal = err;
	errno = 0;
	assert_null(tallydv_create_qp(o->context, &attr, &dv, why, sizeof(why)));
	assert_int_equal(errno, err);
	assert_string_equal(why, text);
}

/* The sentence names the capability and its limit. */
static void capabilities(void **state)
{
	struct objects *o = *state;
	struct ibv_qp_cap cap = {};

	qp_says(o, &cap, EINVAL, "cap.max_send_wr: is 0, and must be 1 to 4095");
	cap.max_send_wr = 4096;
	qp_says(o, &cap, EINVAL, "cap.max_send_wr: is 4096, and must be 1 to 4095");
	cap.max_send_wr = 1;
	cap.max_send_sge = 65;
	qp_says(o, &cap, EINVAL, "cap.max_send_sge: is 65, and must be at most 64");
	cap.max_send_sge = 0;
	cap.max_inline_data = 4097;
	qp_says(o, &cap, EINVAL, "cap.max_inline_data: is 4097, and must be at most 4096");
	to_tctx(o->context)->info.max_inline = 10000;
	cap.max_inline_data = 9000;
	qp_says(o, &cap, EINVAL, "cap: 0 of max_send_sge and 9000 of max_inline_data do not fit into a request of 8192 bytes");
}

/* The sentence says that the group has ended, and with which status. */
static void queue_pairs_of_dead_groups(void **state)
{
	struct objects *o = *state;

	kernel.why = (struct tally_uresp_why){
		.where = TALLY_WHY_REQUEST, .status = TALLY_ADMIN_STATUS_BAD_STATE,
		.offset = offsetof(struct tally_ureq_create_qp, group_handle),
	};
	kernel.info = (struct tally_uresp_group_info){
		.state = TALLY_GROUP_DEAD, .status = TALLY_COLL_TIMEOUT
	};
	qp_says(o, NULL, EINVAL, "group: its epoch has ended with TIMEOUT; tallydv_reset_group() begins the next epoch");
	kernel.info.gone = 2;
	qp_says(o, NULL, EINVAL, "group: its epoch has ended with TIMEOUT, and it can only be destroyed, because a rank of this node is gone");
	kernel.info.status = 0;
	qp_says(o, NULL, EINVAL, "group: its epoch has ended");
	kernel.why.status = TALLY_ADMIN_STATUS_NOT_FOUND;
	qp_says(o, NULL, ENOENT, "group: must be a handle that has not been destroyed");
	kernel.refusal = 0;
}

/* ---- Checks of the library: the kernel does not refuse here ---- */
static void own_says(struct objects *o, const struct tallydv_group_attr *attr, const char *text)
{
	kernel.refusal = 0;
	errno = 0;
	assert_null(tallydv_create_group(o->context, attr, why, sizeof(why)));
	assert_int_equal(errno, EINVAL);
	assert_string_equal(why, text);
}

static void places(void **state)
{
	struct objects *o = *state;
	const struct tallydv_group_attr good = group_attr(o);
	struct tallydv_group_attr attr;

#define SAYS(text, ...) (attr = good, __VA_ARGS__, own_says(o, &attr, text))
	SAYS("mode: is 0, and must be TREE, EXCHANGE or RING", attr.mode = 0);
	SAYS("mode: is 4, and must be TREE, EXCHANGE or RING", attr.mode = TALLY_MODE_RING + 1);
	SAYS("num_nodes: is 0, and must be 1 to 4096", attr.num_nodes = 0);
	SAYS("num_nodes: is 4097, and must be 1 to 4096", attr.num_nodes = TALLY_MAX_NODES + 1);
	SAYS("node: is 2, and must be below num_nodes, 2", attr.node = 2, attr.rank_first = 2);
	SAYS("num_children: is 65, and must be at most 64", attr.num_children = 65);
	SAYS("num_peers: 65535, and 1 children, are more than 64", attr.num_peers = UINT16_MAX);
	SAYS("num_children: is for TREE; elsewhere all neighbours are peers",
	     attr.mode = TALLY_MODE_RING);
	SAYS("parent: is for TREE; elsewhere all neighbours are peers",
	     attr.mode = TALLY_MODE_RING, attr.num_children = 0, attr.parent = &neighbour);
	SAYS("flags: ROOT is set by the library, at a tree's node without a parent or at node 0",
	     attr.flags = TALLY_GROUP_F_ROOT, attr.parent = &neighbour, attr.level = 1);
	SAYS("epoch: is for the root only: the tree's, or node 0",
	     attr.epoch = 1, attr.parent = &neighbour, attr.level = 1);
	SAYS("level: is 1, and must be 0 at a tree's root, in EXCHANGE and in RING",
	     attr.level = 1);
	SAYS("level: is 1, and must be 0 at a tree's root, in EXCHANGE and in RING",
	     attr.level = 1, attr.mode = TALLY_MODE_EXCHANGE, attr.num_children = 0, attr.node = 1,
	     attr.rank_first = 1);
	SAYS("level: is 0, and must be 1 or more below a tree's root", attr.parent = &neighbour);
	SAYS("rounds: is 13, and must be at most 12", attr.rounds = TALLY_MAX_ROUNDS + 1);
}

/* ---- Groups of several modes ---- */
static void modes(void **state)
{
	struct objects *o = *state;
	struct tallydv_group_attr good = group_attr(o), attr;
	struct tallydv_neighbour peer = neighbour;

	good.comp_mask = TALLYDV_GROUP_ATTR_MODES;
	good.num_peers = 1;
	good.num_children = 0;
	good.peers = &peer;
	good.modes = TALLY_MODES_TREE | TALLY_MODES_RING;
	SAYS("modes: is 0x8, and must be of TREE, EXCHANGE and RING", attr.modes = 8);
	SAYS("mode: is 2, and must be one of modes, 0x5", attr.mode = TALLY_MODE_EXCHANGE);
	SAYS("mode: is 1, and must be one of modes, 0x4", attr.modes = TALLY_MODES_RING);
	SAYS("choice: entry 4: small: is 1, and must be one of modes that offers ALLGATHER, or 0",
	     attr.choice[4].small = TALLY_MODE_TREE);
	SAYS("choice: entry 0: large: is 2, and must be one of modes that offers ALLREDUCE, or 0",
	     attr.choice[0].large = TALLY_MODE_EXCHANGE);
	SAYS("choice: entry 1: middle: is 2, and must be one of modes that offers REDUCE, or 0",
	     attr.choice[TALLY_OPCODE_REDUCE - 1].middle = TALLY_MODE_EXCHANGE);
	SAYS("choice: entry 1: small_log: is 32, and must be at most 31",
	     attr.choice[1].small_log = 32);
	SAYS("choice: entry 1: middle_log: is 255, and must be at most 31",
	     attr.choice[1].middle_log = 255);
	SAYS("choice: entry 7: large: is 255, and must be one of modes that offers SCATTER, or 0",
	     attr.choice[7].large = 255);
	SAYS("choice: entry 2: reserved: is not 0", attr.choice[2].reserved[2] = 1);
	SAYS("reserved: is not 0", attr.reserved[2] = 1);
	SAYS("num_children: is for TREE; elsewhere all neighbours are peers",
	     attr.num_children = 1);
	SAYS("parent: is for TREE; elsewhere all neighbours are peers",
	     attr.modes = TALLY_MODES_EXCHANGE | TALLY_MODES_RING, attr.mode = TALLY_MODE_RING,
	     attr.parent = &neighbour);
	SAYS("parent: is not NULL at node 0, the root of a group of several modes",
	     attr.parent = &neighbour);
	SAYS("level: is 0, and must be 1 or more below a tree's root", attr.node = 1,
	     attr.rank_first = 1);
	SAYS("level: is 1, and must be 0 at a tree's root, in EXCHANGE and in RING", attr.level = 1);
	SAYS("epoch: is for the root only: the tree's, or node 0", attr.node = 1,
	     attr.rank_first = 1, attr.level = 1, attr.epoch = 1);
	peer.remote_index = TALLY_CONTRIB_PARENT;
	SAYS("peers: entry 0: remote_index: is 64, and must be below 64", (void)0);
	peer.remote_index = TALLY_CONTRIB_PARENT + 1;
	peer.roles = TALLY_ROLE_CHILD;
	SAYS("peers: entry 0: remote_index: is 65, and must be below 64", (void)0);
}

static void addresses(void **state)
{
	struct objects *o = *state;
	struct tallydv_group_attr good = group_attr(o), attr;
	struct tallydv_neighbour children[2] = { *good.children, *good.children };
	struct tallydv_neighbour nobody = { .remote_index = 1 }, peer = neighbour, child = neighbour;
	struct tallydv_group *group;

	children[0].gid.raw[15] = 1;
	children[1].gid.raw[15] = 2;
	children[1].subtree_first = 2;
	good.num_children = 2;
	good.children = children;
	good.num_peers = 1;
	good.peers = &peer;
	good.level = 1;
	good.parent = &neighbour;
	SAYS("peers: entry 0: mac: is 0, and gid is not a link-local GID that contains a MAC",
	     attr.peers = &nobody);
	SAYS("parent: mac: is 0, and gid is not a link-local GID that contains a MAC",
	     attr.parent = &nobody);
	SAYS("peers: entry 0: remote_index: is 64, and must be below 64", peer.remote_index = 64);
	peer.remote_index = 63;
	SAYS("parent: gid: is that of another neighbour, children: entry 1",
	     peer.gid = child.gid = children[1].gid, attr.parent = &child);
	SAYS("children: entry 1: gid: is this node's own",
	     memcpy(kernel.gid, children[1].gid.raw, sizeof(kernel.gid)));
	SAYS("peers: entry 0: gid: is this node's own",
	     attr.num_children = 0);
	memset(kernel.gid, 0, sizeof(kernel.gid));
	children[1].gid = children[0].gid;
	SAYS("children: entry 1: gid: is that of another neighbour, children: entry 0",
	     attr.parent = NULL, attr.level = 0);
#undef SAYS
	/* A peer may also be a child. */
	good.num_children = 1;
	peer.gid = children[0].gid;
	group = tallydv_create_group(o->context, &good, NULL, 0);
	assert_non_null(group);
	assert_int_equal(tallydv_destroy_group(group), 0);
	good.num_children = 2;
	assert_null(_tallydv_create_group(o->context, &good, 8, why, sizeof(why)));
	assert_int_equal(errno, EINVAL);
	assert_string_equal(why, "children: entry 0 is shorter than the first version of struct tallydv_neighbour");
}

/* A short buffer gets the beginning of the sentence, and no buffer is needed. */
static void buffers(void **state)
{
	struct objects *o = *state;
	struct tallydv_group_attr attr = group_attr(o);

	refuse(EBUSY, (struct tally_uresp_why){});
	assert_null(tallydv_create_group(o->context, &attr, why, 5));
	assert_string_equal(why, "seg:");
	assert_int_equal(why[5], 'x');
	assert_null(tallydv_create_group(o->context, &attr, NULL, 0));
	assert_int_equal(errno, EBUSY);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(fields_of_groups, objects_setup, objects_teardown),
		cmocka_unit_test_setup_teardown(neighbours_of_groups, objects_setup,
						objects_teardown),
		cmocka_unit_test_setup_teardown(states_of_groups, objects_setup, objects_teardown),
		cmocka_unit_test_setup_teardown(exhausted, objects_setup, objects_teardown),
		cmocka_unit_test_setup_teardown(attachments, objects_setup, objects_teardown),
		cmocka_unit_test_setup_teardown(every_field, objects_setup, objects_teardown),
		cmocka_unit_test_setup_teardown(reserved, objects_setup, objects_teardown),
		cmocka_unit_test_setup_teardown(queue_pairs, objects_setup, objects_teardown),
		cmocka_unit_test_setup_teardown(capabilities, objects_setup, objects_teardown),
		cmocka_unit_test_setup_teardown(queue_pairs_of_dead_groups, objects_setup,
						objects_teardown),
		cmocka_unit_test_setup_teardown(places, objects_setup, objects_teardown),
		cmocka_unit_test_setup_teardown(modes, objects_setup, objects_teardown),
		cmocka_unit_test_setup_teardown(addresses, objects_setup, objects_teardown),
		cmocka_unit_test_setup_teardown(buffers, objects_setup, objects_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
