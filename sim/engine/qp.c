// SPDX-License-Identifier: BSD-2-Clause
/* Queue pair contexts, the virtual ports of 001. */
#include "engine/common.h"
#include "engine/exception.h"
#include "engine/group.h"
#include "engine/firmware_run.h"
#include "engine/memory.h"
#include "engine/qp_failure.h"
#include "engine/rmq.h"
#include "engine/status.h"

#include <string.h>

#define OK ((struct engine_result){ TALLY_ADMIN_STATUS_OK, 0xffff })
#define REFUSE(what, field)                                                                        \
	((struct engine_result){ TALLY_ADMIN_STATUS_##what,                                        \
				 offsetof(struct tally_cmd_create_qp, field) })

static struct engine_result check(const struct engine *e, const struct engine_qp_cfg *cfg)
{
	const struct group *g;
	uint16_t n;

	if (cfg->group >= TALLY_MAX_GROUP || e->groups[cfg->group].state == TALLY_GROUP_NONE)
		return REFUSE(NOT_FOUND, group);
	g = &e->groups[cfg->group];
	if (!group_alive(g) || g->destroyed)
		return REFUSE(BAD_STATE, group);
	if (!cfg->ranks || (cfg->ranks & ~g->attached))
		return REFUSE(BAD_FIELD, ranks);
	if (!power_of_two(cfg->depth) || cfg->depth > TALLY_MAX_SQ_DEPTH)
		return REFUSE(BAD_FIELD, depth);
	if (!power_of_two(cfg->stride) || cfg->stride < TALLY_MIN_WQE_SIZE ||
	    cfg->stride > TALLY_MAX_WQE_SIZE)
		return REFUSE(BAD_FIELD, stride);
	for (n = g->qps; n != NONE; n = e->qps[n].next_in_group)
		if (e->qps[n].cfg.port == cfg->port)
			return REFUSE(IN_USE, port);
	return OK;
}

static void init(struct qp *qp)
{
	memset(qp->answered, 0, sizeof(qp->answered));
	qp->fetching = qp->fetch_stale = qp->failing = qp->abort_pending = qp->asked = false;
	qp->left_behind = false;
	rmq_init(qp);
	qp->bufs_used = 0;
	qp->wrs_used = 0;
}

struct engine_result engine_create_qp(struct engine *e, uint32_t qpn,
				      const struct engine_qp_cfg *cfg)
{
	struct qp *qp = &e->qps[qpn];
	struct engine_result r;

	firmware_finish(e);
	r = check(e, cfg);
	if (r.status != TALLY_ADMIN_STATUS_OK)
		return r;
	if (qp->used)
		return REFUSE(ID_BUSY, qpn);
	init(qp);
	qp->used = true;
	qp->state = TALLY_QPS_RTS;
	qp->cfg = *cfg;
	qp->posted = qp->admit = qp->scan = qp->head = 0;
	qp->next_in_group = e->groups[cfg->group].qps;
	e->groups[cfg->group].qps = qpn;
	return OK;
}

/* Requests that have begun cannot be taken back, so they end the epoch. */
static void abandon(struct engine *e, struct qp *qp, uint16_t status)
{
	struct group *g = &e->groups[qp->cfg.group];
	uint32_t i;

	for (i = qp->head; i != qp->admit; i++) {
		struct wr *wr = wr_at(qp, i);

		if (wr->state == WR_ACTIVE && group_alive(g))
			exception_raise(e, g, status, 0, qp->cfg.ranks, wr->w.mid, 0);
	}
}

static void discard(struct engine *e, struct qp *qp)
{
	bool fetching;

	while (qp->wrs_used) {
		struct wr *wr = &qp->wrs[__builtin_ctzll(qp->wrs_used)];

		wr_release(qp, wr);
		wr_return(qp, wr);
		wr->generation = 0;
		wr->io = 0;
	}
	rmq_flush(e, qp);
	fetching = qp->fetching;
	init(qp);
	qp->fetching = qp->fetch_stale = fetching; /* the answer may come in the next state */
	/* Counts begin at 0 in the next state, as in the doorbell slot. */
	qp->posted = qp->admit = qp->scan = qp->head = 0;
}

struct engine_result engine_modify_qp(struct engine *e, uint32_t qpn, enum tally_qp_state state)
{
	struct qp *qp = &e->qps[qpn];

	firmware_finish(e);
	if (!qp->used)
		return (struct engine_result){ TALLY_ADMIN_STATUS_NOT_FOUND,
					       offsetof(struct tally_cmd_modify_qp, qpn) };
	switch (state) {
	case TALLY_QPS_RESET:
		abandon(e, qp, TALLY_COLL_RANK_GONE);
		discard(e, qp);
		break;
	case TALLY_QPS_RTS:
		if (qp->state != TALLY_QPS_RESET || !group_alive(&e->groups[qp->cfg.group]))
			return (struct engine_result){ TALLY_ADMIN_STATUS_BAD_STATE, 0xffff };
		break;
	case TALLY_QPS_ERROR:
		abandon(e, qp, TALLY_COLL_RANK_GONE);
		break;
	default:
		return (struct engine_result){ TALLY_ADMIN_STATUS_BAD_FIELD,
					       offsetof(struct tally_cmd_modify_qp, state) };
	}
	qp->state = state;
	status_retire(e, qp);
	firmware_run(e);
	return OK;
}

void engine_qp_lost(struct engine *e, uint32_t qpn)
{
	struct qp *qp = &e->qps[qpn];
	struct group *g = &e->groups[qp->cfg.group];

	firmware_finish(e);
	qp_failure_queue_failed(e, g, qp, TALLY_COLL_RANK_GONE);
	group_pump(e, g);
	firmware_run(e);
}

enum tally_qp_state engine_qp_state(const struct engine *e, uint32_t qpn)
{
	return e->qps[qpn].state;
}

struct engine_result engine_destroy_qp(struct engine *e, uint32_t qpn)
{
	struct qp *qp = &e->qps[qpn];
	uint16_t *link;

	firmware_finish(e);
	if (!qp->used)
		return (struct engine_result){ TALLY_ADMIN_STATUS_NOT_FOUND,
					       offsetof(struct tally_cmd_object, id) };
	abandon(e, qp, TALLY_COLL_RANK_GONE);
	discard(e, qp);
	for (link = &e->groups[qp->cfg.group].qps; *link != qpn; link = &e->qps[*link].next_in_group)
		;
	*link = qp->next_in_group;
	e->groups[qp->cfg.group].had_qp |= qp->cfg.ranks;
	memory_forget(qp, sizeof(*qp));
	firmware_run(e);
	return OK;
}
