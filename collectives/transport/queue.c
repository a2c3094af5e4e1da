// SPDX-License-Identifier: BSD-2-Clause
/* Queues: queue pairs that complete to the net's only completion queue. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "transport/objects.h"

static struct ibv_qp *create_qp(struct tc_group *group, uint64_t ranks, uint16_t port, char *why,
				size_t size)
{
	struct tc_dv_net *net = group->net;
	struct tallydv_qp_init_attr dv_attr = {
		.group = group->dv,
		.ranks = ranks,
		.port = port,
		.flags = TALLYDV_QP_SINGLE_THREADED,
	};
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_DRIVER,
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = net->pd,
		.send_cq = ibv_cq_ex_to_cq(net->cq),
		.cap = {
			.max_send_wr = TC_DV_DEPTH,
			.max_send_sge = 1,
			.max_inline_data = net->net.max_inline,
		},
	};

	return tallydv_create_qp(net->context, &attr, &dv_attr, why, size);
}

int tc_dv_queue_open(struct tc_group *group, uint64_t ranks, uint16_t port,
		     struct tc_queue **out, char *why, size_t size)
{
	struct tc_dv_net *net = group->net;
	struct tc_queue *queue;
	int err;

	if (net->entries - net->reserved < TC_DV_ENTRIES) {
		snprintf(why, size, "The completion queue has no room for a further queue.");
		return -ENOSPC;
	}
	queue = calloc(1, sizeof(*queue));
	if (!queue) {
		snprintf(why, size, "There is no memory left.");
		return -ENOMEM;
	}
	queue->qp = create_qp(group, ranks, port, why, size);
	if (!queue->qp) {
		err = errno;
		free(queue);
		return -err;
	}
	queue->group = group;
	queue->next = group->queues;
	group->queues = queue;
	tc_dv_queue_prepare(queue);
	net->reserved += TC_DV_ENTRIES;
	*out = queue;
	return 0;
}

/* Completions of the queue may be left, and take room until they have been passed over. */
void tc_dv_queue_close(struct tc_queue *queue)
{
	struct tc_dv_net *net = queue->group->net;
	struct tc_queue **at = &queue->group->queues;

	while (*at != queue)
		at = &(*at)->next;
	*at = queue->next;
	if (queue->posted || queue->group->aborted)
		net->stale += TC_DV_ENTRIES;
	else
		net->reserved -= TC_DV_ENTRIES;
	net->awaited -= queue->awaited;
	ibv_destroy_qp(queue->qp);
	free(queue);
}
