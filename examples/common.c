// SPDX-License-Identifier: BSD-2-Clause
#ifndef _GNU_SOURCE
#define _GNU_SOURCE	/* strverscmp() */
#endif
#include "common.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

static int fail(const char *what, int err)
{
	fprintf(stderr, "demo: %s: %s\n", what, strerror(err));
	return -1;
}

/* Prints the sentence of the library. */
static int refused(const char *what, const char *why)
{
	fprintf(stderr, "demo: %s: %s\n", what, why);
	return -1;
}

/* ---- Nodes ---- */
static int by_name(const void *a, const void *b)
{
	return strverscmp(ibv_get_device_name(*(struct ibv_device *const *)a),
			  ibv_get_device_name(*(struct ibv_device *const *)b));
}

static int read_gid(struct ibv_device *device, union ibv_gid *gid)
{
	struct ibv_context *context = ibv_open_device(device);
	int err;

	if (!context)
		return fail(ibv_get_device_name(device), errno);
	err = ibv_query_gid(context, 1, 0, gid) ? errno : 0;
	ibv_close_device(context);
	return err ? fail("ibv_query_gid", err) : 0;
}

/*
 * Finds the NICs of this machine. On a cluster each process opens its own NIC, and the job launcher
 * distributes the addresses.
 */
static int collect(struct demo_job *job)
{
	struct ibv_device **entry;

	for (entry = job->list; *entry && job->num_nodes < DEMO_MAX_NODES; entry++)
		if (tallydv_is_supported(*entry))
			job->device[job->num_nodes++] = *entry;
	qsort(job->device, job->num_nodes, sizeof(job->device[0]), by_name);
	for (unsigned int i = 0; i < job->num_nodes; i++)
		if (read_gid(job->device[i], &job->gid[i]))
			return -1;
	return 0;
}

/*
 * One group serves all operations: the plan chooses the mode of each by its length. Every process
 * makes the same plan. The nodes keep their numbers.
 */
static int make_plan(struct demo_job *job)
{
	const struct tallydv_plan_attr want = {
		.comp_mask = TALLYDV_PLAN_ATTR_MODES,
		.modes = TALLY_MODES_TREE | TALLY_MODES_EXCHANGE | TALLY_MODES_RING,
		.num_nodes = job->num_nodes,
		.gids = job->gid,
		.ranks = job->ranks,
		.degree = job->num_nodes > 1 ? DEMO_DEGREE : 0,
		.keep_order = 1,
	};
	char why[DEMO_WHY] = "out of memory";

	memset(job->ranks, job->ranks_per_node, sizeof(job->ranks));
	job->plan = tallydv_plan_group(&want, why, sizeof(why));
	return job->plan ? 0 : refused("tallydv_plan_group", why);
}

static void draw(void *to, size_t size)
{
	if (getrandom(to, size, 0) != (ssize_t)size)
		abort();
}

int demo_find_nodes(struct demo_job *job, unsigned int ranks_per_node)
{
	*job = (struct demo_job){ .ranks_per_node = ranks_per_node };
	job->list = ibv_get_device_list(NULL);
	if (!job->list && errno == ENOSYS)
		return fail("no RDMA device (are the modules tally and tally_ib loaded?)", ENODEV);
	if (!job->list)
		return fail("ibv_get_device_list", errno);
	if (collect(job))
		return -1;
	if (!job->num_nodes)
		return fail("no Tally NIC (is the provider found? see docs/tutorial.md)", ENODEV);
	while (!job->jid)
		draw(&job->jid, sizeof(job->jid));
	draw(&job->join_key, sizeof(job->join_key));
	return make_plan(job);
}

void demo_forget_nodes(struct demo_job *job)
{
	if (job->plan)
		tallydv_free_plan(job->plan);
	if (job->list)
		ibv_free_device_list(job->list);
}

static uint64_t children_of(const struct tallydv_group_attr *attr)
{
	uint64_t children = 0;

	for (unsigned int i = 0; i < attr->num_peers; i++)
		if (attr->peers[i].roles & TALLY_ROLE_CHILD)
			children |= 1ULL << i;
	return children;
}

/* Returns the parent, which is among the peers if it has other roles too, or NULL at the root. */
static const struct tallydv_neighbour *parent_of(const struct tallydv_group_attr *attr)
{
	for (unsigned int i = 0; i < attr->num_peers; i++)
		if (attr->peers[i].roles & TALLY_ROLE_PARENT)
			return &attr->peers[i];
	return attr->parent;
}

static int find_place(const struct demo_job *job, unsigned int index, struct demo_place *place)
{
	const struct tallydv_neighbour *parent;
	struct tallydv_node_plan mine, there;
	unsigned int up = 0;
	int err = tallydv_plan_node(job->plan, index, &mine);

	if (err)
		return fail("tallydv_plan_node", err);
	place->children = children_of(&mine.attr);
	place->num_children = __builtin_popcountll(place->children);
	parent = parent_of(&mine.attr);
	place->has_parent = parent;
	if (!parent)
		return 0;
	while (memcmp(&job->gid[up], &parent->gid, sizeof(parent->gid)))
		up++;
	err = tallydv_plan_node(job->plan, up, &there);
	place->num_siblings = __builtin_popcountll(children_of(&there.attr));
	return err ? fail("tallydv_plan_node", err) : 0;
}

int demo_open(const struct demo_job *job, unsigned int index, struct demo_node *node)
{
	memset(node, 0, sizeof(*node));
	node->index = index;
	if (find_place(job, index, &node->place))
		return -1;
	node->context = ibv_open_device(job->device[index]);
	if (!node->context)
		return fail("ibv_open_device", errno);
	node->pd = ibv_alloc_pd(node->context);
	if (!node->pd)
		return fail("ibv_alloc_pd", errno);
	node->buf = aligned_alloc(64, (sizeof(*node->buf) + 63) / 64 * 64);
	if (!node->buf)
		return fail("buffers", ENOMEM);
	node->mr = ibv_reg_mr(node->pd, node->buf, sizeof(*node->buf), IBV_ACCESS_LOCAL_WRITE);
	if (!node->mr)
		return fail("ibv_reg_mr", errno);
	return 0;
}

/* ---- Groups ---- */
int demo_create_group(const struct demo_job *job, struct demo_node *node, uint64_t ranks)
{
	struct tallydv_node_plan mine;
	char why[DEMO_WHY];
	int err = tallydv_plan_node(job->plan, node->index, &mine);

	if (err)
		return fail("tallydv_plan_node", err);
	node->seg = tallydv_alloc_seg(node->context, job->plan->seg_count);
	if (!node->seg)
		return fail("tallydv_alloc_seg", errno);
	mine.attr.jid = job->jid;
	mine.attr.join_key = job->join_key;
	mine.attr.seg = node->seg;
	mine.attr.timeout_ms = DEMO_TIMEOUT_MS;
	mine.attr.owner_ranks = ranks;
	node->group = tallydv_create_group(node->context, &mine.attr, why, sizeof(why));
	return node->group ? 0 : refused("tallydv_create_group", why);
}

int demo_attach_group(const struct demo_job *job, struct demo_node *node, uint64_t ranks)
{
	struct tallydv_group_attach_attr attr = {
		.jid = job->jid,
		.join_key = job->join_key,
		.ranks = ranks,
	};
	char why[DEMO_WHY];

	node->group = tallydv_attach_group(node->context, &attr, why, sizeof(why));
	return node->group ? 0 : refused("tallydv_attach_group", why);
}

int demo_create_queues(struct demo_node *node, uint16_t port)
{
	struct ibv_cq_init_attr_ex cq_attr = {
		.cqe = 16,
		.wc_flags = IBV_WC_EX_WITH_COMPLETION_TIMESTAMP,
	};
	struct tallydv_qp_init_attr dv_attr = { .group = node->group, .port = port };
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_DRIVER,
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = node->pd,
		.cap = { .max_send_wr = 15, .max_send_sge = 1 },
	};
	char why[DEMO_WHY];

	node->cq = ibv_create_cq_ex(node->context, &cq_attr);
	if (!node->cq)
		return fail("ibv_create_cq_ex", errno);
	attr.send_cq = ibv_cq_ex_to_cq(node->cq);
	node->qp = tallydv_create_qp(node->context, &attr, &dv_attr, why, sizeof(why));
	return node->qp ? 0 : refused("tallydv_create_qp", why);
}

void demo_close(struct demo_node *node)
{
	if (node->qp)
		ibv_destroy_qp(node->qp);
	if (node->cq)
		ibv_destroy_cq(ibv_cq_ex_to_cq(node->cq));
	if (node->group)
		tallydv_destroy_group(node->group);
	if (node->seg)
		tallydv_free_seg(node->seg);
	if (node->mr)
		ibv_dereg_mr(node->mr);
	free(node->buf);
	if (node->pd)
		ibv_dealloc_pd(node->pd);
	if (node->context)
		ibv_close_device(node->context);
	memset(node, 0, sizeof(*node));
}

/* ---- Waiting ---- */
static void read_completion(struct ibv_cq_ex *cq, struct demo_row *row)
{
	row->valid = true;
	row->status = cq->status;
	row->coll_status = tallydv_wc_read_coll_status(cq);
	row->jid = tallydv_wc_read_jid(cq);
	row->mid = tallydv_wc_read_mid(cq);
	row->sid = tallydv_wc_read_sid(cq);
	row->seg = tallydv_wc_read_seg(cq);
	row->node_bitmap = tallydv_wc_read_node_bitmap(cq);
	row->rank_bitmap = tallydv_wc_read_rank_bitmap(cq);
	row->elapsed_ns = tallydv_wc_read_elapsed_ns(cq);
}

int demo_wait(struct demo_node *node, struct demo_row *row)
{
	const struct timespec pause = { .tv_nsec = 50000 };
	time_t deadline = time(NULL) + DEMO_PATIENCE_S;
	struct ibv_poll_cq_attr attr = {};
	int err;

	/*
	 * The NIC ends every message within its time limit, in its time, which may pass more slowly
	 * than that of the VM. The deadline catches a NIC that does not.
	 */
	while ((err = ibv_start_poll(node->cq, &attr)) == ENOENT && time(NULL) < deadline)
		nanosleep(&pause, NULL);
	if (err == ENOENT) {
		fprintf(stderr, "demo: node %u: no completion within %u seconds\n", node->index,
			DEMO_PATIENCE_S);
		return -1;
	}
	if (err)
		return fail("ibv_start_poll", err);
	read_completion(node->cq, row);
	ibv_end_poll(node->cq);
	return 0;
}

/* ---- Values ---- */
/* Small multiples of 0.5, whose sums are exact in any order. */
static double fp64_of(unsigned int rank, unsigned int i)
{
	return 0.5 * (rank + 1) * (i + 1);
}

static int64_t int64_of(unsigned int rank, unsigned int i)
{
	return (int64_t)((rank + 3) * 7919 + i * 104729) % 1009 - 500;
}

void demo_fill(struct demo_buffers *buf, enum tally_type dtype, unsigned int rank)
{
	memset(&buf->out, 0xff, sizeof(buf->out));
	for (unsigned int i = 0; i < DEMO_COUNT; i++) {
		if (dtype == TALLY_TYPE_FP64)
			buf->in.fp64[i] = fp64_of(rank, i);
		else
			buf->in.int64[i] = int64_of(rank, i);
	}
}

bool demo_check(const struct demo_buffers *buf, enum tally_type dtype, unsigned int num_ranks)
{
	for (unsigned int i = 0; i < DEMO_COUNT; i++) {
		double sum = 0;
		int64_t max = INT64_MIN;

		for (unsigned int rank = 0; rank < num_ranks; rank++) {
			sum += fp64_of(rank, i);
			if (int64_of(rank, i) > max)
				max = int64_of(rank, i);
		}
		if (dtype == TALLY_TYPE_FP64 ? buf->out.fp64[i] != sum : buf->out.int64[i] != max)
			return false;
	}
	return true;
}

/* ---- The table ---- */
bool demo_print(const char *title, const struct demo_row *rows, unsigned int count)
{
	bool good = true;

	printf("\n%s\nrank result jid        mid  sid seg status  nodes ranks      ns\n", title);
	for (unsigned int i = 0; i < count; i++) {
		const struct demo_row *row = &rows[i];
		bool row_good = row->valid && row->result_ok && row->status == IBV_WC_SUCCESS;

		good &= row_good;
		if (!row->valid) {
			printf("%4u no completion\n", i);
			continue;
		}
		printf("%4u %-6s 0x%08x %3u %4u %3u %-7s %#5" PRIx64 " %#5" PRIx64 " %7u\n", i,
		       row->result_ok ? "ok" : "WRONG", row->jid, row->mid, row->sid, row->seg,
		       tallydv_coll_status_name(row->coll_status), row->node_bitmap,
		       row->rank_bitmap, row->elapsed_ns);
		if (row->status != IBV_WC_SUCCESS)
			printf("     %s: %s\n", ibv_wc_status_str(row->status),
			       tallydv_coll_status_str(row->coll_status));
	}
	return good;
}

bool demo_print_packets(const struct demo_job *job, const struct demo_node *nodes)
{
	uint64_t sent = 0, again = 0, twice = 0;

	for (unsigned int i = 0; i < job->num_nodes; i++) {
		struct tallydv_edge_info edges[TALLY_MAX_CONTRIBUTORS + 1];
		uint32_t count = TALLY_MAX_CONTRIBUTORS + 1;
		int err = tallydv_query_edges(nodes[i].group, edges, &count);

		if (err)
			return !fail("tallydv_query_edges", err);
		for (uint32_t k = 0; k < count; k++) {
			sent += edges[k].sent;
			again += edges[k].retransmits;
			twice += edges[k].duplicates;
		}
	}
	printf("\nThe NICs sent one another %" PRIu64 " packets, and %" PRIu64 " of them again; %" PRIu64
	       " arrived twice.\n", sent, again, twice);
	return true;
}
