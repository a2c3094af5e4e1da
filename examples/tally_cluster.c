// SPDX-License-Identifier: BSD-2-Clause
/*
 * Sums the numbers of all hosts of a cluster in the network. Every host runs
 *
 *     tally_cluster FOLDER JOB NODE NODES
 *
 * with its own NODE from 0 to NODES - 1. JOB is a random number that the hosts agree on. FOLDER is
 * an empty folder that they share, in which each node finds the GIDs of the others. On a real
 * cluster the job launcher distributes both.
 */
#include <err.h>
#include <errno.h>
#include <infiniband/tallydv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_NODES 64

static struct ibv_context *open_nic(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL), **device = list;

	while (device && *device && !tallydv_is_supported(*device))
		device++;
	return device && *device ? ibv_open_device(*device) : NULL;
}

/*
 * Writes this node's GID for the others, and waits for theirs. A file with its final name is
 * complete.
 */
static void exchange_gids(const char *folder, unsigned int node, unsigned int nodes,
			  union ibv_gid *gids)
{
	char temp[256], name[256];
	FILE *f;

	snprintf(temp, sizeof(temp), "%s/new-%u", folder, node);
	snprintf(name, sizeof(name), "%s/gid-%u", folder, node);
	f = fopen(temp, "w");
	if (!f || !fwrite(&gids[node], sizeof(gids[node]), 1, f) || fclose(f) || rename(temp, name))
		err(1, "%s", name);
	for (unsigned int i = 0; i < nodes; i++) {
		snprintf(name, sizeof(name), "%s/gid-%u", folder, i);
		while (!(f = fopen(name, "r")) && errno == ENOENT)
			usleep(10000);
		if (!f || !fread(&gids[i], sizeof(gids[i]), 1, f))
			err(1, "%s", name);
		fclose(f);
	}
}

/*
 * Every node makes the same plan, and creates its own part of the group. One group serves all
 * operations of a communicator.
 */
static struct tallydv_group *join(struct ibv_context *nic, const union ibv_gid *gids, uint32_t job,
				  unsigned int node, unsigned int nodes)
{
	struct tallydv_plan_attr want = { .comp_mask = TALLYDV_PLAN_ATTR_MODES,
					  .modes = TALLY_MODES_TREE | TALLY_MODES_EXCHANGE |
						   TALLY_MODES_RING,
					  .num_nodes = nodes,
					  .gids = gids };
	char why[256] = "no segments";
	struct tallydv_plan *plan = tallydv_plan_group(&want, why, sizeof(why));
	struct tallydv_node_plan mine;
	struct tallydv_group *group = NULL;

	if (!plan || tallydv_plan_node(plan, node, &mine))
		errx(1, "plan: %s", why);
	mine.attr.jid = job;
	mine.attr.timeout_ms = 60000;
	mine.attr.seg = tallydv_alloc_seg(nic, plan->seg_count);
	if (mine.attr.seg)
		group = tallydv_create_group(nic, &mine.attr, why, sizeof(why));
	if (!group)
		errx(1, "group: %s", why);
	tallydv_free_plan(plan);
	return group;
}

static struct ibv_qp *open_queues(struct ibv_context *nic, struct ibv_pd *pd,
				  struct tallydv_group *group)
{
	struct tallydv_qp_init_attr dv_attr = { .group = group };
	struct ibv_qp_init_attr_ex attr = { .qp_type = IBV_QPT_DRIVER,
					    .comp_mask = IBV_QP_INIT_ATTR_PD,
					    .cap = { .max_send_wr = 15, .max_send_sge = 1 },
					    .pd = pd };
	char why[256] = "no completion queue";
	struct ibv_qp *qp = NULL;

	attr.send_cq = ibv_create_cq(nic, 16, NULL, NULL, 0);
	if (attr.send_cq)
		qp = tallydv_create_qp(nic, &attr, &dv_attr, why, sizeof(why));
	if (!qp)
		errx(1, "queue pair: %s", why);
	return qp;
}

/* Posts one work request, which contributes *number and replaces it by the sum of all numbers. */
static void sum(struct ibv_qp *qp, struct ibv_mr *mr, int64_t *number, uint32_t mid)
{
	struct ibv_sge sge = { (uintptr_t)number, sizeof(*number), mr->lkey };
	struct tallydv_send_wr wr = {
		.wr = { .opcode = IBV_WR_DRIVER1,
			.send_flags = IBV_SEND_SIGNALED,
			.sg_list = &sge,
			.num_sge = 1 },
		.coll = { .opcode = TALLY_OPCODE_ALLREDUCE,
			  .op = TALLY_OP_SUM,
			  .dtype = TALLY_TYPE_INT64,
			  .count = 1,
			  .mid = mid,
			  .result_list = &sge,
			  .num_result = 1 },
	};
	struct ibv_send_wr *bad;
	struct ibv_wc wc;

	if (ibv_post_send(qp, &wr.wr, &bad))
		errx(1, "post: %s", tallydv_coll_status_str(tallydv_qp_last_refusal(qp)));
	while (!ibv_poll_cq(qp->send_cq, 1, &wc)) /* completes within the group's time limit */
		usleep(100);
	if (wc.status)
		errx(1, "message %u: %s", mid, tallydv_coll_status_str(wc.vendor_err));
}

int main(int argc, char **argv)
{
	unsigned int node = argc == 5 ? atoi(argv[3]) : 0, nodes = argc == 5 ? atoi(argv[4]) : 0;
	int64_t number = node + 1;
	union ibv_gid gids[MOST_NODES];

	if (node >= nodes || nodes > MOST_NODES)
		errx(2,
		     "usage: tally_cluster FOLDER JOB NODE NODES; NODE is below NODES, which are at most %d",
		     MOST_NODES);

	struct ibv_context *nic = open_nic();
	struct ibv_pd *pd = nic ? ibv_alloc_pd(nic) : NULL;
	struct ibv_mr *mr = pd ? ibv_reg_mr(pd, &number, sizeof(number), IBV_ACCESS_LOCAL_WRITE) :
				 NULL;

	if (!mr || ibv_query_gid(nic, 1, 0, &gids[node]))
		errx(1, "no Tally NIC, or it cannot be used: %s", strerror(errno));
	exchange_gids(argv[1], node, nodes, gids);

	struct tallydv_group *group = join(nic, gids, strtoul(argv[2], NULL, 0), node, nodes);
	struct ibv_qp *qp = open_queues(nic, pd, group);

	sum(qp, mr, &number, 0);
	printf("node %u: 1 + ... + %u = %lld\n", node, nodes, (long long)number);
	return number == (int64_t)nodes * (nodes + 1) / 2 ? 0 : 1;
}
