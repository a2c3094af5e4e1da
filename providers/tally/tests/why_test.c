// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Calls that are refused say why in a sentence, whoever refuses. */
#include <string.h>

#include "objects.h"

static char why[256];

static struct tallydv_neighbour neighbour = {
	.mac = { 2, 0, 0, 0, 0, 7 }, .remote_index = 3, .roles = 8
};

/* The kernel refuses with `err`, and this goes with it. */
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
	group_says(o, &attr, "timeout_ms: is 5, and must be 10 to 600000");
	attr.owner_ranks = 0xf0;
	refuse(EINVAL, GROUP_FIELD(owner_ranks));
	group_says(o, &attr, "owner_ranks: is 0xf0, and must be a subset of rank_mask");
	refuse(EINVAL, GROUP_FIELD(rounds));
	group_says(o, &attr, "rounds: is 0, and must be 1 to 12 in EXCHANGE with more nodes than one, else 0");
	refuse(EINVAL, GROUP_FIELD(mcast_gid));
	group_says(o, &attr, "mcast_gid: must be in ff00::/8 with MULTICAST, else 0");
	attr.level = 9;
	refuse(EINVAL, GROUP_FIELD(level));
	group_says(o, &attr, "level: is 9, and must be below num_nodes");
	attr.retry_limit = 9;
	attr.rto_us = 1000000;
	refuse(EINVAL, GROUP_FIELD(rto_us));
	group_says(o, &attr, "rto_us: is 1000000, and must be at most 1000000, and times retry_limit at most 8000 ms");
	refuse(EINVAL, GROUP_FIELD(retry_limit));
	group_says(o, &attr, "retry_limit: is 9, and must be at most 255, and times rto_us at most 8000 ms");
}

/* It is told by what the field is called whatever the device or the kernel blames. */
static void every_field(void **state)
{
	static const struct { size_t offset; const char *name; } group[] = {
#define F(field) { offsetof(struct tally_ureq_group, field), #field ":" }
		F(jid), F(flags), F(mode), F(level), F(node), F(num_nodes), F(num_segs),
		F(timeout_ms), F(rank_mask), F(owner_ranks), F(epoch), F(retry_limit), F(rto_us),
		F(mtu), F(total_ranks), F(rank_first), F(msg_cells), F(rounds), F(mcast_gid),
		F(source_gid),
#undef F
	}, edge[] = {
#define F(field) { offsetof(struct tally_ureq_edge, field), "children: entry 0: " #field ":" }
		F(gid), F(mac), F(remote_index), F(rank_first), F(rank_count), F(subtree_first),
		F(subtree_count), F(roles), F(round), F(position),
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
	refuse(EINVAL, edge);
	group_says(o, &attr, "children: entry 0: mac: must be a station's: not 0, not multicast");
	edge.edge = 1;
	edge.offset = offsetof(struct tally_ureq_edge, roles);
	refuse(EINVAL, edge);
	group_says(o, &attr, "peers: entry 0: roles: is 8, and must be IN, OUT and EPOCH as the mode asks, and 0 in TREE");
	edge.edge = 2;
	edge.offset = offsetof(struct tally_ureq_edge, remote_index);
	refuse(EINVAL, edge);
	group_says(o, &attr, "parent: remote_index: is 3, and must be an index that this node has there");
	/* A kernel that blames what is not there. */
	edge.edge = 3;
	refuse(EINVAL, edge);
	group_says(o, &attr, "the kernel refuses: Invalid argument");
	edge.edge = 0;
	edge.offset = 1;
	refuse(EINVAL, edge);
	group_says(o, &attr, "the kernel refuses: Invalid argument");
	refuse(EINVAL, (struct tally_uresp_why){ .where = TALLY_WHY_EDGES });
	group_says(o, &attr, "neighbours: their number, roles or ranks do not go together as the mode asks");
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
	group_says(o, &attr, "msg_cells: 9, or another group, is more than this process may hold");
	refuse(ENOSPC, (struct tally_uresp_why){});
	group_says(o, &attr, "msg_cells: 9, or another group, is more than the device has left");
	refuse(EIO, (struct tally_uresp_why){});
	group_says(o, &attr, "the kernel refuses: Input/output error");
	refuse(EFAULT, device);
	assert_null(tallydv_create_group(o->context, &attr, why, sizeof(why)));
	assert_non_null(strstr(why, "the device refuses: "));
}

static void attachments(void **state)
{
	struct objects *o = *state;
	const struct tallydv_group_attach_attr attr = { .jid = 42, .ranks = 0xf0 };
	static const struct { int err; const char *text; } cases[] = {
		{ ENOENT, "jid: no group of this device has 0x2a" },
		{ EACCES, "join_key: is not the creator's" },
		{ EBUSY, "ranks: another handle has one of 0xf0" },
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

/* What this library knows nothing of it refuses itself, and says so. */
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
	assert_string_equal(why, "port: is 1, and must be a number that no other queue pair of the group has here");
	refuse(ENOSPC, (struct tally_uresp_why){});
	assert_null(tallydv_create_qp(o->context, &attr, &dv, why, sizeof(why)));
	assert_string_equal(why, "the device has no queue pair or doorbell left");
	refuse(EDQUOT, (struct tally_uresp_why){});
	assert_null(tallydv_create_qp(o->context, &attr, &dv, why, sizeof(why)));
	assert_string_equal(why, "this process has as many queue pairs or doorbells as it may");
	kernel.refusal = 0;
	kernel.qpn = 6;
	kernel.db_slot = TALLY_UAR_SLOTS;
	assert_null(tallydv_create_qp(o->context, &attr, &dv, why, sizeof(why)));
	assert_int_equal(errno, EPROTO);
	assert_string_equal(why, "its doorbell cannot be mapped: Protocol error");
	dv.ranks = 0x70;
	assert_null(tallydv_create_qp(o->context, &attr, &dv, why, sizeof(why)));
	assert_string_equal(why, "ranks: 0x70 has some that the group's handle has not, 0x3");
}

/* Short buffers get the beginning, and none is no crime. */
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
		cmocka_unit_test_setup_teardown(attachments, objects_setup, objects_teardown),
		cmocka_unit_test_setup_teardown(every_field, objects_setup, objects_teardown),
		cmocka_unit_test_setup_teardown(reserved, objects_setup, objects_teardown),
		cmocka_unit_test_setup_teardown(queue_pairs, objects_setup, objects_teardown),
		cmocka_unit_test_setup_teardown(buffers, objects_setup, objects_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
