/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Invalid groups of each mode are refused with EINVAL, for each kind of fault. Work requests that a
 * mode does not offer are refused with the status for this. The test needs four NICs.
 */
#include "check.h"
#include "shape.h"
#include "work.h"

#define NODES 4
#define SEGS 16

/* Attributes of a group, which are valid before one of them is corrupted. */
struct bad {
	struct tallydv_group_attr attr;
	struct shape shape;
};

static struct cluster cluster;

struct bad_case {
	const char *what;
	void (*spoil)(struct bad *b);
};

#define CASE(what, change) \
	static void what(struct bad *b) { change; }
CASE(roles_unknown, b->shape.peers[0].roles |= 1 << 15)
CASE(no_role_in, b->shape.peers[0].roles &= ~TALLY_ROLE_IN)
CASE(no_role_out, b->shape.peers[1].roles &= ~TALLY_ROLE_OUT)
CASE(two_roles_out, b->shape.peers[0].roles |= TALLY_ROLE_OUT)
CASE(no_epoch, b->shape.peers[0].roles &= ~TALLY_ROLE_EPOCH; b->shape.peers[1].roles &= ~TALLY_ROLE_EPOCH)
CASE(two_epochs, b->shape.peers[0].roles |= TALLY_ROLE_EPOCH; b->shape.peers[1].roles |= TALLY_ROLE_EPOCH)
CASE(round_zero, b->shape.peers[0].round = 0)
CASE(round_behind, b->shape.peers[0].round = 3)
CASE(round_of_ring, b->shape.peers[0].round = 1)
CASE(position_behind, b->shape.peers[0].position = 2)
CASE(position_of_ring, b->shape.peers[0].position = 1)
CASE(peer_is_parent, b->shape.peers[0].remote_index = TALLY_CONTRIB_PARENT)
CASE(no_rounds, b->attr.rounds = 0)
CASE(too_many_rounds, b->attr.rounds = TALLY_MAX_ROUNDS + 1)
CASE(rounds_cut_off, b->attr.rounds += 256)
CASE(some_rounds, b->attr.rounds = 1)
CASE(a_parent, b->shape.parent = b->shape.peers[0]; b->attr.parent = &b->shape.parent)
CASE(a_child, b->shape.children[0] = b->shape.peers[0]; b->attr.children = b->shape.children;
     b->attr.num_children = 1)
CASE(more_segs_than_there_are, b->attr.num_segs = SEGS + 1)
CASE(far_more_segs, b->attr.num_segs = 1U << 31)
CASE(more_segs_than_the_range, b->attr.num_segs = 2 * SEGS)
CASE(too_few_cells, b->attr.msg_cells--)
CASE(sparse, b->attr.flags |= TALLY_GROUP_F_SPARSE)
CASE(not_uniform, b->attr.flags |= TALLY_GROUP_F_UNIFORM; b->attr.total_ranks++;
     b->attr.rank_first = b->attr.node)
CASE(multicast, b->attr.flags |= TALLY_GROUP_F_MULTICAST; b->attr.mcast_gid = multicast_gid(1);
     b->attr.source_gid = b->shape.peers[0].gid)
CASE(ranks_missing, b->attr.total_ranks++)
CASE(ranks_left_out, b->attr.rank_first = 2; b->shape.peers[0].rank_first = 0)
CASE(ranks_twice, b->attr.rank_first = 2; b->shape.peers[0].rank_first = 2;
     b->shape.peers[0].rank_count = 2; b->shape.peers[1].rank_first = 3;
     b->shape.peers[1].rank_count = 1)
CASE(ranks_with_a_gap, b->attr.rank_first = 2; b->shape.peers[0].rank_first = 0;
     b->shape.peers[0].rank_count = 1; b->shape.peers[1].rank_first = 3;
     b->shape.peers[1].rank_count = 1)
CASE(mode_unknown, b->attr.mode = (enum tally_mode)77)
CASE(mode_not_offered, b->attr.mode = TALLY_MODE_SWITCH)
CASE(gid_not_multicast, b->attr.mcast_gid = b->attr.source_gid)
CASE(no_source, memset(&b->attr.source_gid, 0, sizeof(b->attr.source_gid)))
CASE(source_is_multicast, b->attr.source_gid = b->attr.mcast_gid)
CASE(gid_for_nothing, b->attr.flags &= ~TALLY_GROUP_F_MULTICAST)
CASE(roles_in_a_tree, b->shape.children[0].roles = TALLY_ROLE_IN)
CASE(round_in_a_tree, b->shape.children[0].round = 1)
CASE(level_of_no_node, b->attr.level = NODES)
CASE(child_without_gid, b->shape.children[0].mac[0] = 2;
     memset(&b->shape.children[0].gid, 0, sizeof(b->shape.children[0].gid)))
CASE(child_is_many, b->shape.children[0].mac[0] = 1)
CASE(no_such_mtu, b->attr.mtu = 1000)
CASE(retried_for_long, b->attr.retry_limit = TALLY_MAX_RETRIES; b->attr.rto_us = 1000000)
CASE(level_of_exchange, b->attr.level = 1)
CASE(level_of_a_root, b->attr.level = 0)
CASE(root_with_a_parent, b->attr.flags |= TALLY_GROUP_F_ROOT)
CASE(parent_is_child, b->shape.parent.gid = b->shape.children[0].gid)
CASE(own_gid, b->shape.peers[0].gid = cluster.nic[b->attr.node].gid)
#undef CASE

#define CASE(name) { #name, name }
static const struct bad_case of_exchange[] = {
	CASE(roles_unknown), CASE(no_epoch), CASE(two_epochs), CASE(round_zero),
	CASE(round_behind), CASE(position_behind), CASE(peer_is_parent), CASE(no_rounds),
	CASE(too_many_rounds), CASE(rounds_cut_off), CASE(some_rounds), CASE(a_parent),
	CASE(a_child), CASE(more_segs_than_there_are), CASE(far_more_segs),
	CASE(too_few_cells), CASE(sparse), CASE(not_uniform), CASE(multicast), CASE(ranks_missing),
	CASE(ranks_left_out), CASE(ranks_twice), CASE(ranks_with_a_gap), CASE(mode_unknown),
	CASE(mode_not_offered), CASE(level_of_exchange), CASE(own_gid), { NULL, NULL },
};
static const struct bad_case of_ring[] = {
	CASE(roles_unknown), CASE(no_role_in), CASE(no_role_out), CASE(two_roles_out),
	CASE(no_epoch), CASE(two_epochs), CASE(round_of_ring), CASE(position_of_ring),
	CASE(peer_is_parent), CASE(some_rounds), CASE(a_parent), CASE(a_child),
	CASE(more_segs_than_the_range), CASE(too_few_cells), CASE(sparse),
	CASE(not_uniform), CASE(multicast), { NULL, NULL },
};
static const struct bad_case of_tree[] = {
	CASE(gid_not_multicast), CASE(no_source), CASE(source_is_multicast), CASE(gid_for_nothing),
	CASE(roles_in_a_tree), CASE(round_in_a_tree), CASE(some_rounds), CASE(level_of_no_node),
	CASE(child_without_gid), CASE(child_is_many), CASE(level_of_a_root),
	CASE(root_with_a_parent), CASE(parent_is_child),
	CASE(no_such_mtu), CASE(retried_for_long), { NULL, NULL },
};

struct mode_case {
	const char *name;
	struct team_spec spec;
	unsigned int node; /* node whose attributes are corrupted */
	const struct bad_case *bad;
	uint8_t refused[6]; /* opcodes */
};

static const struct mode_case modes[] = {
	{ "EXCHANGE", { .mode = TALLY_MODE_EXCHANGE, .rounds = 2, .radix = { 2, 2 }, .segs = SEGS },
	  2, of_exchange,
	  { TALLY_OPCODE_BCAST, TALLY_OPCODE_REDUCE, TALLY_OPCODE_GATHER, TALLY_OPCODE_SCATTER } },
	{ "RING", { .mode = TALLY_MODE_RING, .flags = TALLY_GROUP_F_ORDERED, .segs = SEGS }, 2,
	  of_ring, { TALLY_OPCODE_GATHER, TALLY_OPCODE_SCATTER } },
	{ "TREE", { .mode = TALLY_MODE_TREE, .flags = TALLY_GROUP_F_MULTICAST, .segs = SEGS }, 1,
	  of_tree, { TALLY_OPCODE_ALLGATHER, TALLY_OPCODE_REDUCE_SCATTER } },
};

static struct team team;
static struct port ports[MAX_NICS];

/* ---- Groups ---- */
/* Fills in the valid attributes of a group at a node, with segments of its own. */
static void fill(struct bad *b, const struct mode_case *m)
{
	struct team_spec spec = m->spec;

	spec.jid = random_jid();
	shape_fill(&b->shape, &b->attr, &team, &spec, m->node);
}

/*
 * The text begins with the name of the wrong field, whether library, driver or device found the
 * fault.
 */
static void names_field(const char *why, const char *what)
{
	REQUIRE(strstr(why, ": ") && strncmp(why, "the ", 4), "%s: \"%s\" names no field", what, why);
	printf("%s: %s\n", what, why);
}

/* Only the device knows that a port is in use. */
static void ports_refused(struct nic *nic, struct tallydv_group *group)
{
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_DRIVER, .comp_mask = IBV_QP_INIT_ATTR_PD, .pd = nic->pd,
		.send_cq = ibv_cq_ex_to_cq(nic->cq), .cap = { .max_send_wr = 1 },
	};
	struct tallydv_qp_init_attr dv = { .group = group, .port = 3 };
	struct ibv_qp *qp;
	char why[256];

	qp = tallydv_create_qp(nic->context, &attr, &dv, why, sizeof(why));
	REQUIRE(qp, "%s", why);
	errno = 0;
	REQUIRE(!tallydv_create_qp(nic->context, &attr, &dv, why, sizeof(why)) && errno == EBUSY,
		"port 3 twice");
	REQUIRE(!strncmp(why, "port: is 3", 10), "\"%s\"", why);
	REQUIRE(!ibv_destroy_qp(qp), "queue pair");
}

static void groups_refused(const struct mode_case *m)
{
	struct ibv_context *context = cluster.nic[m->node].context;
	struct tallydv_group *group;
	char why[256];
	struct bad b;

	team = (struct team){ .cluster = &cluster, .ranks = 1 };
	team.seg[m->node] = tallydv_alloc_seg(context, SEGS);
	REQUIRE(team.seg[m->node], "segments");
	for (const struct bad_case *c = m->bad; c->what; c++) {
		memset(&b, 0, sizeof(b));
		fill(&b, m);
		c->spoil(&b);
		errno = 0;
		group = tallydv_create_group(context, &b.attr, why, sizeof(why));
		REQUIRE(!group && errno == EINVAL, "%s: %s is taken for good", m->name, c->what);
		names_field(why, c->what);
	}
	/* Without the fault, the attributes are valid. */
	memset(&b, 0, sizeof(b));
	fill(&b, m);
	group = tallydv_create_group(context, &b.attr, why, sizeof(why));
	REQUIRE(group, "%s: %s", m->name, why);
	ports_refused(&cluster.nic[m->node], group);
	REQUIRE(group->mode == b.attr.mode && group->rounds == b.attr.rounds &&
		group->num_segs == SEGS,
		"mode %u, %u rounds, %u segments", group->mode, group->rounds, group->num_segs);
	REQUIRE(!tallydv_destroy_group(group) && !tallydv_free_seg(team.seg[m->node]), "%s", m->name);
}

/* ---- Work requests ---- */
static void posts_refused(const struct mode_case *m)
{
	struct request r;
	struct ibv_send_wr *bad;

	for (const uint8_t *opcode = m->refused; *opcode; opcode++) {
		request_allreduce(&r, &cluster.nic[0], TALLY_OP_NONE, TALLY_TYPE_FP32, 1, 4, 0);
		r.w.coll.opcode = *opcode;
		if (*opcode == TALLY_OPCODE_REDUCE || *opcode == TALLY_OPCODE_REDUCE_SCATTER)
			r.w.coll.op = TALLY_OP_SUM;
		REQUIRE(ibv_post_send(ports[0].qp, &r.w.wr, &bad) == EOPNOTSUPP,
			"%s: %s is posted", m->name, tallydv_opcode_str(*opcode));
		REQUIRE(tallydv_qp_last_refusal(ports[0].qp) == TALLY_COLL_BAD_MODE,
			"%s: %s: %s", m->name, tallydv_opcode_str(*opcode),
			tallydv_coll_status_name(tallydv_qp_last_refusal(ports[0].qp)));
		/* The device supports the opcode in another mode. */
		REQUIRE(tallydv_query_op(cluster.nic[0].context, *opcode, r.w.coll.op,
					 TALLY_TYPE_FP32) == TALLY_COLL_OK,
			"%s", tallydv_opcode_str(*opcode));
	}
}

/*
 * Only the device can refuse this: requests without data of all ranks are allowed in a tree only.
 */
static void narrowing_refused(const struct mode_case *m, bool empty)
{
	enum tally_coll_status want = empty ? TALLY_COLL_BAD_FLAGS : TALLY_COLL_BAD_NODE_MASK;
	struct outcome out;
	struct request r;

	request_barrier(&r, 0);
	r.w.coll.flags = empty ? TALLY_WQE_F_EMPTY : 0;
	r.w.coll.node_mask = empty ? 0 : 1;
	post(&ports[1], &r);
	REQUIRE(wait_outcome(&cluster.nic[1], &out, 15000), "%s: no completion", m->name);
	REQUIRE(out.coll == want, "%s: %s", m->name, tallydv_coll_status_name(out.coll));
}

static void work_refused(const struct mode_case *m, bool empty)
{
	struct team_spec spec = m->spec;

	spec.jid = random_jid();
	team_create(&team, &cluster, &spec, ALL_NODES);
	ports_open(ports, &team, 1);
	posts_refused(m);
	expect_barrier(ports, &team, 0);
	if (m->spec.mode != TALLY_MODE_TREE)
		narrowing_refused(m, empty);
	ports_close(ports, &team);
	team_destroy(&team);
}

int main(void)
{
	unsigned int num_nics;

	cluster_open(&cluster);
	num_nics = cluster.count;
	REQUIRE(num_nics >= NODES, "only %u NICs", num_nics);
	cluster.count = NODES;
	for (unsigned int i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		groups_refused(&modes[i]);
		work_refused(&modes[i], false);
		work_refused(&modes[i], true);
	}
	cluster.count = num_nics;
	cluster_close(&cluster);
	return 0;
}
