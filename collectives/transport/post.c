// SPDX-License-Identifier: BSD-2-Clause
/* Posting. A queue keeps one work request, of which each post writes what differs. */
#include <errno.h>

#include "transport/objects.h"

void tc_dv_queue_prepare(struct tc_queue *queue)
{
	queue->wr.wr.opcode = IBV_WR_DRIVER1;
	queue->wr.wr.sg_list = &queue->from;
	queue->wr.coll.result_list = &queue->to;
	queue->abort.abort = true;
	for (unsigned int i = 0; i < TC_DV_ENTRIES; i++)
		queue->slot[i].queue = queue;
}

static inline void set_lists(struct tc_queue *queue, const struct tc_work *work)
{
	const bool is_inline = work->flags & TC_WORK_INLINE;

	queue->from.addr = is_inline ? (uintptr_t)work->data : work->from.addr;
	queue->from.length = work->from.bytes;
	queue->from.lkey = work->from.key;
	queue->wr.wr.num_sge = !!(work->flags & TC_WORK_FROM);
	queue->to.addr = work->to.addr;
	queue->to.length = work->to.bytes;
	queue->to.lkey = work->to.key;
	queue->wr.coll.num_result = !!(work->flags & TC_WORK_TO);
}

static inline void set_coll(struct tallydv_coll_attr *coll, const struct tc_work *work)
{
	coll->opcode = work->opcode;
	coll->op = work->op;
	coll->dtype = work->dtype;
	coll->root_rank = work->root_rank;
	coll->root_node = work->root_node;
	coll->mid = work->mid;
	coll->count = work->count;
	coll->rank_mask = work->rank_mask;
	coll->mode = work->mode;
	coll->comp_mask = work->mode ? TALLYDV_COLL_ATTR_MODE : 0;
	coll->flags = (work->flags & TC_WORK_COMBINED ? TALLY_WQE_F_COMBINED : 0) |
		      (work->flag ? TALLY_WQE_F_FLAG_WORD : 0);
	coll->flag_addr = (uintptr_t)work->flag;
	coll->flag_lkey = work->flag ? work->flag_key : 0;
	coll->flag_value = work->flag ? work->flag_value : 0;
}

/*
 * libtally's errors are positive; its ENOMEM means that the queue is full. Then the next poll looks
 * for the completion that frees it.
 */
__attribute__((cold, noinline)) static int post_errno(struct tc_queue *queue, int err)
{
	queue->group->net->polls = TC_DV_LOOK - 1;
	return err == ENOMEM ? -EAGAIN : -err;
}

/*
 * At least every second half of the queue has a request whose completion frees those before it, and
 * an entry is free again only then. So the slot of a new request is free, too.
 */
int tc_dv_post(struct tc_queue *queue, const struct tc_work *work)
{
	struct tc_dv_slot *slot = &queue->slot[queue->posted % TC_DV_ENTRIES];
	const bool quiet = work->flags & TC_WORK_QUIET;
	const bool signaled = !quiet || queue->quiet == TC_DV_QUIET;
	struct ibv_send_wr *bad;
	int err;

	slot->id = work->id;
	slot->hidden = quiet;
	queue->wr.wr.wr_id = (uintptr_t)slot;
	queue->wr.wr.send_flags = (signaled ? IBV_SEND_SIGNALED : 0) |
				  (work->flags & TC_WORK_INLINE ? IBV_SEND_INLINE : 0);
	set_lists(queue, work);
	set_coll(&queue->wr.coll, work);
	err = ibv_post_send(queue->qp, &queue->wr.wr, &bad);
	if (err)
		return post_errno(queue, err);
	queue->posted++;
	queue->quiet = signaled ? 0 : queue->quiet + 1;
	queue->awaited += !quiet;
	queue->group->net->awaited += !quiet;
	return 0;
}

/* An entry of the queue is kept for the ABORT, which ends once all others have. */
void tc_dv_group_abort(struct tc_group *group, enum tally_coll_status reason)
{
	struct tallydv_send_wr wr = { .wr = { .opcode = IBV_WR_DRIVER1 },
				      .coll = { .opcode = TALLY_OPCODE_ABORT, .count = reason } };
	struct ibv_send_wr *bad;

	if (group->aborted)
		return;
	for (struct tc_queue *queue = group->queues; queue; queue = queue->next) {
		wr.wr.wr_id = (uintptr_t)&queue->abort;
		group->aborted |= !ibv_post_send(queue->qp, &wr.wr, &bad);
	}
}
