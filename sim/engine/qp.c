// SPDX-License-Identifier: BSD-2-Clause
/* Queue pair contexts, the virtual ports of 001. */
#include "engine/qp.h"
#include "engine/common.h"
#include "engine/descriptor.h"
#include "engine/events.h"
#include "engine/exception.h"
#include "engine/memory.h"
#include "engine/mirror.h"
#include "engine/outcome.h"
#include "engine/qp_failure.h"
#include "engine/rmq.h"
#include "engine/store.h"

#include <string.h>

static void init(struct qp *qp)
{
	memset(qp->answered, 0, sizeof(qp->answered));
	qp->fetching = qp->fetch_stale = qp->failing = qp->abort_pending = qp->asked = false;
	qp->left_behind = qp->end_waits = false;
	rmq_init(qp);
	qp->bufs_used = 0;
	qp->wrs_used = 0;
}

void qp_create(struct engine *e, uint32_t qpn)
{
	struct qp *qp = &e->qps[qpn];
	struct group *g = &e->groups[qp->cfg.group];

	init(qp);
	qp->used = true;
	e->requests_owned += qp->requests;
	qp->posted = qp->admit = qp->scan = qp->head = 0;
	qp->next_in_group = g->qps;
	g->qps = qpn;
	if (host_completes(e)) {
		outcome_take_places(e, qp);
		mirror_qp_create(e, qp);
	}
	if (store_begins(e, g)) {
		mirror_sender_next(e, qp);
		mirror_sender_first(e, g);
	}
	if (descriptor_is_hosts(e, g)) {
		mirror_trigger_port(e, qp);
		mirror_trigger_next(e, qp);
		mirror_trigger_first(e, g);
	}
	qp->told_flags = ~0U; /* nothing has been told */
	qp_failure_tell_sender(e, g);
}

/* Requests that have begun cannot be taken back, so they end the epoch. */
void qp_abandon(struct engine *e, uint32_t qpn)
{
	struct qp *qp = &e->qps[qpn];
	struct group *g = &e->groups[qp->cfg.group];
	uint32_t i;

	for (i = qp->head; i != qp->admit; i++) {
		struct wr *wr = wr_at(qp, i);

		if (wr->state == WR_ACTIVE && group_alive(g))
			exception_raise(e, g, TALLY_COLL_RANK_GONE, 0, qp->cfg.holder, wr->w.mid, 0);
	}
}

void qp_discard(struct engine *e, uint32_t qpn)
{
	struct qp *qp = &e->qps[qpn];
	bool fetching;

	while (qp->wrs_used) {
		struct wr *wr = &qp->wrs[__builtin_ctzll(qp->wrs_used)];

		wr_release(qp, wr);
		wr_return(qp, wr);
		wr->generation = 0;
		wr->io = 0;
	}
	rmq_flush(e, qp);
	if (qp->asked)
		events_drop_query(e, qp);
	fetching = qp->fetching;
	init(qp);
	qp->fetching = qp->fetch_stale = fetching; /* the answer may come in the next state */
	/* Counts begin at 0 in the next state, as in the doorbell slot. */
	qp->posted = qp->admit = qp->scan = qp->head = 0;
}

void qp_set_state(struct engine *e, struct qp *qp, enum tally_qp_state state)
{
	qp->state = state;
	mirror_qp_state(e, qp);
	if (qp->used)
		qp_failure_tell_sender(e, &e->groups[qp->cfg.group]);
}

void qp_forget(struct engine *e, uint32_t qpn)
{
	struct qp *qp = &e->qps[qpn], *before = NULL;
	struct group *g = &e->groups[qp->cfg.group];
	uint16_t *link;

	for (link = &g->qps; *link != qpn; link = &before->next_in_group)
		before = &e->qps[*link];
	*link = qp->next_in_group;
	g->had_qp |= qp->cfg.ranks;
	e->requests_owned -= qp->requests;
	if (host_completes(e)) {
		outcome_give_places(e, qp);
		mirror_qp_forget(e, qp);
	}
	if (store_begins(e, g) && before)
		mirror_sender_next(e, before);
	else if (store_begins(e, g))
		mirror_sender_first(e, g);
	if (descriptor_is_hosts(e, g) && before)
		mirror_trigger_next(e, before);
	else if (descriptor_is_hosts(e, g))
		mirror_trigger_first(e, g);
	qp_failure_tell_sender(e, g);
	memory_forget(qp, sizeof(*qp));
}
