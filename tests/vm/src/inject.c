/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Driver faults that a program gets as an errno. Each fault strikes the intended call once, with
 * the errno that docs/faults.md promises. The attributes of a fault select the call.
 */
#include "check.h"
#include "cluster.h"
#include "knobs.h"
#include "work.h"

#define MAKINGS 60

static struct cluster cluster;
static struct team team;
static struct knobs knobs;
static struct nic *nic; /* node 0, whose driver fails */

/* ---- Create and destroy one object of each kind: 0 or an errno ---- */
static int make_mr(void)
{
	struct ibv_mr *mr = ibv_reg_mr(nic->pd, nic->buf, 4096, IBV_ACCESS_LOCAL_WRITE);

	if (!mr)
		return errno;
	REQUIRE(!ibv_dereg_mr(mr), "memory region");
	return 0;
}

static int make_cq(void)
{
	struct ibv_cq *cq = ibv_create_cq(nic->context, 16, NULL, NULL, 0);

	if (!cq)
		return errno;
	REQUIRE(!ibv_destroy_cq(cq), "completion queue");
	return 0;
}

static int make_qp(void)
{
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_DRIVER,
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = nic->pd,
		.send_cq = ibv_cq_ex_to_cq(nic->cq),
		.cap = { .max_send_wr = QP_DEPTH, .max_send_sge = 1 },
	};
	struct tallydv_qp_init_attr dv = { .group = team.group[0], .port = 1 };
	struct ibv_qp *qp = tallydv_create_qp(nic->context, &attr, &dv, NULL, 0);

	if (!qp)
		return errno;
	REQUIRE(!ibv_destroy_qp(qp), "queue pair");
	return 0;
}

static int make_seg(void)
{
	struct tallydv_seg *seg = tallydv_alloc_seg(nic->context, 4);

	if (!seg)
		return errno;
	REQUIRE(!tallydv_free_seg(seg), "segments");
	return 0;
}

static int make_group(void)
{
	struct tallydv_seg *seg = tallydv_alloc_seg(nic->context, 1);
	struct tallydv_group_attr attr = {
		.jid = random_jid(),
		.seg = seg,
		.mode = TALLY_MODE_TREE,
		.num_nodes = 1,
		.rank_mask = 1,
		.owner_ranks = 1,
		.total_ranks = 1,
		.timeout_ms = 1000,
		.rto_us = 1,
	};
	struct tallydv_group *group;
	int err;

	REQUIRE(seg, "segment of a group");
	group = tallydv_create_group(nic->context, &attr, NULL, 0);
	err = group ? 0 : errno;
	REQUIRE(!group || !tallydv_destroy_group(group), "group");
	REQUIRE(!tallydv_free_seg(seg), "segment of a group");
	return err;
}

static int make_query(void)
{
	struct tallydv_group_info info;

	return tallydv_query_group(team.group[0], &info);
}

/* ---- Each fault ---- */
static const struct hit {
	const char *fault;
	const char *filter;
	const char *status; /* admin_status */
	int (*make)(void);
	int err;
} hits[] = {
	{ "seg_exhausted", "4", NULL, make_seg, ENOSPC },
	{ "group_create", NULL, NULL, make_group, ENOSPC },
	{ "mr_register", NULL, NULL, make_mr, ENOMEM },
	{ "admin_status", "CREATE_CQ", "NO_RESOURCE", make_cq, ENOSPC },
	{ "admin_status", "CREATE_QP", "NO_RESOURCE", make_qp, ENOSPC },
	{ "admin_status", "CREATE_GROUP", "EXISTS", make_group, EEXIST },
	{ "admin_status", "QUERY_GROUP", "DMA_ERROR", make_query, EFAULT },
	{ "admin_status", "REG_MR", "BAD_OPCODE", make_mr, EOPNOTSUPP },
	{ "admin_status", "REG_MR", "BAD_FIELD", make_mr, EINVAL },
	{ "admin_status", "REG_MR", "ID_BUSY", make_mr, EBUSY },
	{ "admin_status", "REG_MR", "NOT_FOUND", make_mr, ENOENT },
	{ "admin_status", "REG_MR", "IN_USE", make_mr, EBUSY },
	{ "admin_status", "REG_MR", "BAD_STATE", make_mr, EINVAL },
	{ "admin_status", "REG_MR", "NO_RESOURCE", make_mr, ENOSPC },
	{ "admin_status", "REG_MR", "DMA_ERROR", make_mr, EFAULT },
	{ "admin_status", "REG_MR", "4711", make_mr, EIO },
};

/* The first call fails, and the second one succeeds. */
static void strike(const struct hit *hit)
{
	uint64_t before = knob_read(&knobs, hit->fault, "count");
	int err;

	if (hit->status)
		knob_set(&knobs, hit->fault, "status", hit->status);
	fail_nth(&knobs, hit->fault, hit->filter, 1);
	err = hit->make();
	REQUIRE(err == hit->err, "%s, %s: error %d, not %d", hit->fault,
		hit->status ? hit->status : "", err, hit->err);
	knob_expect(&knobs, hit->fault, "times", "0");
	err = hit->make();
	REQUIRE(!err, "after %s: error %d", hit->fault, err);
	REQUIRE(knob_read(&knobs, hit->fault, "count") == before + 1, "%s was not counted once",
		hit->fault);
	fault_off(&knobs, hit->fault);
}

/* ---- Selection of the call ---- */

/* Returns a mask of the calls that fail. */
static uint64_t failures(int (*make)(void), int expected)
{
	uint64_t mask = 0;

	for (unsigned int i = 0; i < MAKINGS; i++) {
		int err = make();

		REQUIRE(!err || err == expected, "call %u: error %d", i, err);
		mask |= (uint64_t)!!err << i;
	}
	return mask;
}

static void nth(void)
{
	uint64_t mask;

	fail_nth(&knobs, "mr_register", NULL, 7);
	mask = failures(make_mr, ENOMEM);
	REQUIRE(mask == 1U << 6, "seventh: %#lx", mask);
	fail_nth(&knobs, "mr_register", NULL, 20);
	knob_number(&knobs, "mr_register", "times", 2);
	mask = failures(make_mr, ENOMEM);
	REQUIRE(mask == (1ULL << 19 | 1ULL << 20), "two from the twentieth on: %#lx", mask);
	fault_off(&knobs, "mr_register");
}

/* Each call that fails by chance is counted. */
static void chance(void)
{
	uint64_t before = knob_read(&knobs, "seg_exhausted", "count"), hit;

	fail_nth(&knobs, "seg_exhausted", NULL, 1);
	knob_set(&knobs, "seg_exhausted", "times", "-1");
	knob_number(&knobs, "seg_exhausted", "probability", 50);
	hit = __builtin_popcountll(failures(make_seg, ENOSPC));
	REQUIRE(knob_read(&knobs, "seg_exhausted", "count") == before + hit, "not %lu more", hit);
	knob_expect(&knobs, "seg_exhausted", "times", "-1");
	fault_off(&knobs, "seg_exhausted");
}

/* Faults must not strike other objects and other threads. */
static void bystanders(void)
{
	fail_nth(&knobs, "seg_exhausted", "8", 1);
	REQUIRE(!failures(make_seg, 0), "4 segments are not 8");
	knob_set(&knobs, "seg_exhausted", "filter", "4");
	let_fail(false);
	REQUIRE(!failures(make_seg, 0), "a thread that does not ask for it is meant");
	knob_set(&knobs, "seg_exhausted", "task-filter", "N");
	REQUIRE(failures(make_seg, ENOSPC) == 1, "everybody is meant");
	fault_off(&knobs, "seg_exhausted");
}

static void bad_words(void)
{
	static const char *const bad[][3] = {
		{ "lost_doorbell", "probability", "101" },
		{ "lost_doorbell", "probability", "-1" },
		{ "lost_doorbell", "probability", "half" },
		{ "lost_doorbell", "interval", "-1" },
		{ "lost_doorbell", "times", "-2" },
		{ "lost_doorbell", "times", " " },
		{ "lost_doorbell", "times", "00000000000000000000000000000000001" },
		{ "mr_register", "filter", "none" },
		{ "mr_register", "filter", "1 2" },
		{ "admin_status", "filter", "CREATE" },
		{ "admin_status", "filter", "22" },
		{ "admin_status", "filter", "4711" },
		{ "admin_status", "status", "OK" },
		{ "admin_status", "status", "0" },
		{ "admin_status", "status", "65536" },
		{ "admin_timeout", "filter", "0x100000000" },
	};

	for (unsigned int i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		knob_refused(&knobs, bad[i][0], bad[i][1], bad[i][2]);
	knob_set(&knobs, "admin_status", "filter", "4\n");
	knob_expect(&knobs, "admin_status", "filter", "DESTROY_CQ");
}

int main(void)
{
	struct team_spec spec = { .jid = random_jid() };

	limit_time(60);
	cluster_open(&cluster);
	nic = &cluster.nic[0];
	knobs_open(&knobs, nic->context);
	team_create(&team, &cluster, &spec, ALL_NODES);
	for (unsigned int i = 0; i < sizeof(hits) / sizeof(hits[0]); i++)
		strike(&hits[i]);
	nth();
	chance();
	bystanders();
	bad_words();
	team_destroy(&team);
	cluster_close(&cluster);
	return 0;
}
