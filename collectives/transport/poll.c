// SPDX-License-Identifier: BSD-2-Clause
/*
 * Polling. While only quiet requests are on their way, whose callers watch flag words, there are just
 * failures and freed entries to find. Few polls look for them.
 */
#include <errno.h>

#include "transport/objects.h"

/* There is no completion of a closed queue left. */
static inline int empty(struct tc_dv_net *net)
{
	net->reserved -= net->stale;
	net->stale = 0;
	return 0;
}

static void read_error(struct ibv_cq_ex *cq, struct tc_outcome *outcome)
{
	outcome->status = tallydv_wc_read_coll_status(cq);
	if (!outcome->status)
		outcome->status = TALLY_COLL_FLUSHED;
	outcome->detector = tallydv_wc_read_detector(cq);
	outcome->nodes = tallydv_wc_read_node_bitmap(cq);
	outcome->ranks = tallydv_wc_read_rank_bitmap(cq);
}

/* Reads the current completion. Returns false if the caller is not to see it. */
static bool read_completion(struct ibv_cq_ex *cq, struct tc_outcome *outcome)
{
	const struct tc_dv_slot *slot = (const struct tc_dv_slot *)(uintptr_t)cq->wr_id;
	const bool good = cq->status == IBV_WC_SUCCESS;

	if (slot->abort || (good && slot->hidden))
		return false;
	if (!slot->hidden) {
		slot->queue->awaited--;
		slot->queue->group->net->awaited--;
	}
	*outcome = (struct tc_outcome){ .id = slot->id };
	if (!good)
		read_error(cq, outcome);
	return true;
}

__attribute__((noinline)) static int look(struct tc_dv_net *net, struct tc_outcome *outcome)
{
	struct ibv_poll_cq_attr attr = { 0 };
	bool told = false;

	while (!told) {
		int err = ibv_start_poll(net->cq, &attr);

		if (err == ENOENT)
			return empty(net);
		if (err)
			return -err;
		told = read_completion(net->cq, outcome);
		ibv_end_poll(net->cq);
	}
	return 1;
}

int tc_dv_poll(struct tc_net *tc, struct tc_outcome *outcome)
{
	struct tc_dv_net *net = tc_dv_net_of(tc);
	int found;

	if (!net->awaited && ++net->polls < TC_DV_LOOK)
		return 0;
	found = look(net, outcome);
	/* A failure seldom comes alone. */
	net->polls = found ? TC_DV_LOOK - 1 : 0;
	return found;
}
