/* SPDX-License-Identifier: BSD-2-Clause */
/* All kinds of objects of a process, for the sweeps. */
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"
#include "nth.h"

#define LARGE (3UL << 20) /* bytes; the page list takes more than one page */
#define JOIN_KEY 42
#define DEPTH 16

static int result_of(const void *made)
{
	return made ? 0 : errno;
}

/* ---- Protection domains, channels, queues, regions ---- */
static struct ibv_pd *pd;
static struct ibv_comp_channel *channel;
static struct ibv_cq *cq;
static struct ibv_mr *mr;
static uint8_t *large;

static int make_pd(void)
{
	pd = ibv_alloc_pd(world.nic->context);
	return result_of(pd);
}

static int drop_pd(void)
{
	return ibv_dealloc_pd(pd);
}

static int make_channel(void)
{
	channel = ibv_create_comp_channel(world.nic->context);
	return result_of(channel);
}

static int drop_channel(void)
{
	return ibv_destroy_comp_channel(channel);
}

/*
 * The queue has no channel: the library would count the queue as a user of the channel if its
 * destruction failed halfway.
 */
static int make_cq(void)
{
	cq = ibv_create_cq(world.nic->context, DEPTH, NULL, NULL, 0);
	return result_of(cq);
}

static int drop_cq(void)
{
	return ibv_destroy_cq(cq);
}

static int make_small_mr(void)
{
	mr = ibv_reg_mr(world.nic->pd, world.nic->buf, 4096, IBV_ACCESS_LOCAL_WRITE);
	return result_of(mr);
}

/* All pages are present, and neighbours are rarely adjacent in physical memory. */
static void map_large(void)
{
	large = mmap(NULL, LARGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	REQUIRE(large != MAP_FAILED, "%lu bytes", LARGE);
	REQUIRE(!madvise(large, LARGE, MADV_NOHUGEPAGE) || errno == EINVAL, "small pages");
	for (size_t at = 0; at < LARGE; at += 8192)
		large[at] = 1;
	for (size_t at = 4096; at < LARGE; at += 8192)
		large[at] = 1;
}

static void unmap_large(void)
{
	REQUIRE(!munmap(large, LARGE), "%lu bytes", LARGE);
}

static int make_large_mr(void)
{
	mr = ibv_reg_mr(world.nic->pd, large, LARGE, IBV_ACCESS_LOCAL_WRITE);
	return result_of(mr);
}

static int drop_mr(void)
{
	return ibv_dereg_mr(mr);
}

/* ---- Segments, groups, queue pairs ---- */
static struct tallydv_seg *seg;
static struct tallydv_group *group, *handle;

static int make_seg(void)
{
	seg = tallydv_alloc_seg(world.nic->context, 4);
	return result_of(seg);
}

static int drop_seg(void)
{
	return tallydv_free_seg(seg);
}

static void need_seg(void)
{
	REQUIRE(!make_seg(), "segments");
}

static void free_seg(void)
{
	REQUIRE(!drop_seg(), "segments");
}

/* Creates the root of a tree, whose child never joins. Rank 1 is for attached handles. */
static int make_group(void)
{
	struct tallydv_neighbour child = {
		.gid = world.all.nic[1].gid,
		.subtree_first = 1,
		.subtree_count = 1,
	};
	struct tallydv_group_attr attr = {
		.jid = world.spare_jid,
		.join_key = JOIN_KEY,
		.seg = seg,
		.mode = TALLY_MODE_TREE,
		.num_nodes = 2,
		.num_children = 1,
		.children = &child,
		.rank_mask = 3,
		.owner_ranks = 1,
		.total_ranks = 4,
		.timeout_ms = 10000,
		.rto_us = 1,
	};

	group = tallydv_create_group(world.nic->context, &attr, NULL, 0);
	return result_of(group);
}

static int drop_group(void)
{
	return tallydv_destroy_group(group);
}

static void need_group(void)
{
	need_seg();
	REQUIRE(!make_group(), "group");
}

static void free_group(void)
{
	REQUIRE(!drop_group(), "group");
	free_seg();
}

static int make_handle(void)
{
	struct tallydv_group_attach_attr attr = { .jid = world.spare_jid, .join_key = JOIN_KEY, .ranks = 2 };

	handle = tallydv_attach_group(world.nic->context, &attr, NULL, 0);
	return result_of(handle);
}

static int drop_handle(void)
{
	return tallydv_destroy_group(handle);
}

static struct ibv_qp *qp;

static int make_qp(void)
{
	qp = create_qp(world.nic->context, world.nic->pd, ibv_cq_ex_to_cq(world.nic->cq), group);
	return result_of(qp);
}

static int drop_qp(void)
{
	return ibv_destroy_qp(qp);
}

const struct nth_object nth_objects[] = {
	{ "a protection domain", make_pd, drop_pd, NULL, NULL },
	{ "a channel", make_channel, drop_channel, NULL, NULL },
	{ "a completion queue", make_cq, drop_cq, NULL, NULL },
	{ "a region", make_small_mr, drop_mr, NULL, NULL },
	{ "a large region", make_large_mr, drop_mr, map_large, unmap_large },
	{ "segments", make_seg, drop_seg, NULL, NULL },
	{ "a group", make_group, drop_group, need_seg, free_seg },
	{ "another handle of a group", make_handle, drop_handle, need_group, free_group },
	{ "a queue pair", make_qp, drop_qp, need_group, free_group },
};
const size_t nth_num_objects = sizeof(nth_objects) / sizeof(nth_objects[0]);
