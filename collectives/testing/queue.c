// SPDX-License-Identifier: BSD-2-Clause
/*
 * Queues of a test job. The first request of a queue waits until its mid is the next of all its
 * ranks. A refused request is the last of its queue.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "testing/soft.h"

static int refuse(char *why, size_t size, int err, const char *sentence)
{
	snprintf(why, size, "%s", sentence);
	return -err;
}

static int check_queue(const struct tc_group *h, uint64_t ranks, uint16_t port, char *why,
		       size_t size)
{
	const struct soft_group *g = h->group;

	if (soft_fault(h->net->rank, JOB_QUEUE_OPEN))
		return refuse(why, size, ENOMEM, "The test wants no queue.");
	if (!ranks || ranks & ~g->nodes[h->node].attached)
		return refuse(why, size, EINVAL, "ranks: nobody holds them");
	for (const struct tc_queue *u = g->queues; u; u = u->next)
		if (u->group->node == h->node && u->port == port)
			return refuse(why, size, EINVAL, "port: it is in use");
	return 0;
}

int soft_queue_open(struct tc_group *h, uint64_t ranks, uint16_t port, struct tc_queue **queue,
		    char *why, size_t size)
{
	struct soft_group *g = h->group;
	struct tc_queue *u;
	int err;

	pthread_mutex_lock(&g->job->lock);
	err = check_queue(h, ranks, port, why, size);
	if (!err) {
		u = calloc(1, sizeof(*u));
		u->group = h;
		u->ranks = ranks;
		u->port = port;
		soft_list_init(&u->waiting);
		u->next = g->queues;
		g->queues = u;
		h->net->num_queues++;
		*queue = u;
	}
	pthread_mutex_unlock(&g->job->lock);
	return err;
}

/* Forgets the queue in requests that have begun, and ends their messages. */
static void disown(struct tc_queue *u)
{
	struct soft_group *g = u->group->group;
	bool begun = false;

	for (struct soft_message *m = g->messages; m; m = m->next)
		for (struct soft_request *q = m->requests.first; q; q = q->next)
			if (q->queue == u) {
				q->queue = NULL;
				begun = true;
			}
	for (struct soft_request *q = u->group->net->outcomes.first; q; q = q->next)
		if (q->queue == u)
			q->queue = NULL;
	if (begun)
		soft_group_end(g, TALLY_COLL_RANK_GONE, u->group->node, u->ranks);
}

void soft_queue_close(struct tc_queue *u)
{
	struct soft_group *g = u->group->group;
	struct tc_queue **at = &g->queues;
	struct soft_request *q;

	pthread_mutex_lock(&g->job->lock);
	while (*at != u)
		at = &(*at)->next;
	*at = u->next;
	while ((q = soft_take(&u->waiting)))
		soft_request_free(q);
	disown(u);
	u->group->net->num_queues--;
	pthread_mutex_unlock(&g->job->lock);
	free(u);
}

/* ---- Turns ---- */
/* Ranks of the mask for which only this queue posts. */
static uint64_t only_here(const struct tc_queue *u, uint64_t mask)
{
	for (const struct tc_queue *o = u->group->group->queues; o; o = o->next)
		if (o != u && o->group->node == u->group->node && !o->failed)
			mask &= ~o->ranks;
	return mask;
}

/* Ranks of the request whose next message comes before it (sign -1) or after it (1). */
static uint64_t off_turn(const struct soft_request *q, int sign)
{
	const struct tc_group *h = q->queue->group;
	const struct soft_node *node = &h->group->nodes[h->node];
	uint64_t ranks = 0;

	for (uint32_t k = 0; k < node->num_ranks; k++) {
		int32_t ahead = h->group->next_mid[node->first + k] - q->work.mid;

		if ((q->work.rank_mask >> k & 1) && ahead * sign > 0)
			ranks |= 1ULL << k;
	}
	return ranks;
}

static void refuse_request(struct tc_queue *u, enum tally_coll_status status)
{
	struct soft_group *g = u->group->group;
	struct soft_request *q = soft_take(&u->waiting);
	struct tc_outcome outcome = { .status = status, .detector = u->group->node };
	uint64_t stuck = only_here(u, q->work.rank_mask & u->ranks);

	soft_complete(q, &outcome);
	u->failed = true;
	outcome.status = TALLY_COLL_FLUSHED;
	while ((q = soft_take(&u->waiting)))
		soft_complete(q, &outcome);
	if (stuck)
		soft_group_end(g, status, u->group->node, stuck);
}

/* Returns whether the first request of the queue has left it. */
static bool turn(struct tc_queue *u)
{
	struct soft_request *q = u->waiting.first;
	enum tally_coll_status status;

	if (!q)
		return false;
	status = soft_check(q);
	if (!status && off_turn(q, 1))
		status = TALLY_COLL_MID_BEHIND;
	if (!status && only_here(u, off_turn(q, -1)))
		status = TALLY_COLL_MID_SKIPPED;
	if (status) {
		refuse_request(u, status);
		return true;
	}
	if (off_turn(q, -1))
		return false;
	soft_join(u->group->group, soft_take(&u->waiting));
	return true;
}

static void pump(struct soft_group *g)
{
	bool moved = true;

	while (moved && !g->end.status) {
		moved = false;
		for (struct tc_queue *u = g->queues; u && !g->end.status; u = u->next)
			while (!g->end.status && turn(u))
				moved = true;
	}
	if (!g->end.status)
		soft_check_gone(g);
}

/* ---- Posts ---- */
static void enter(struct tc_queue *u, const struct tc_work *work, bool spoil)
{
	struct soft_group *g = u->group->group;
	struct soft_request *q = calloc(1, sizeof(*q));
	struct tc_outcome flushed = { .status = TALLY_COLL_FLUSHED, .detector = u->group->node };

	q->queue = u;
	q->work = *work;
	if (work->flags & TC_WORK_INLINE) {
		q->data = malloc(work->from.bytes + 1);
		memcpy(q->data, work->data, work->from.bytes);
	}
	if (spoil)
		q->work.opcode = TALLY_OPCODE_PUT_MP;
	u->used++;
	if (g->end.status) {
		soft_complete(q, &g->end);
	} else if (u->failed) {
		soft_complete(q, &flushed);
	} else {
		soft_append(&u->waiting, q);
		pump(g);
	}
}

int soft_post(struct tc_queue *u, const struct tc_work *work)
{
	struct soft_group *g = u->group->group;
	struct soft_net *net = u->group->net;
	int err = 0;

	pthread_mutex_lock(&g->job->lock);
	if (u->used == net->base.queue_depth)
		err = -EAGAIN;
	else if (soft_fault(net->rank, JOB_POST))
		err = -ENOMEM;
	else if ((work->flags & TC_WORK_INLINE) && work->from.bytes > net->base.max_inline)
		err = -EINVAL;
	else
		enter(u, work, soft_fault(net->rank, JOB_REFUSE));
	pthread_mutex_unlock(&g->job->lock);
	return err;
}
