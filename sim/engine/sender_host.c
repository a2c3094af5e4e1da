// SPDX-License-Identifier: BSD-2-Clause
/* Entry points for the sender of a host: what it has begun, and where it stands. */
#include "engine/begun.h"
#include "engine/common.h"
#include "engine/firmware_run.h"
#include "engine/group.h"
#include "engine/outcome.h"
#include "engine/sender.h"

void engine_began(struct engine *e, const struct engine_begun *b)
{
	struct qp *qp = &e->qps[b->qpn];
	struct group *g = &e->groups[qp->cfg.group];
	struct wr *wr;

	if (!qp->used || !group_alive(g))
		return;
	wr = outcome_find(qp, b->entry);
	if (wr->state != WR_READY && wr->state != WR_ACTIVE)
		return;
	begin_work(e, 0);
	begun_by_host(e, qp, wr, b);
	sender_pump(e, qp);
	group_pump(e, g);
	firmware_run(e);
}

void engine_look(struct engine *e, uint32_t qpn)
{
	struct qp *qp = &e->qps[qpn];

	if (!qp->used)
		return;
	begin_work(e, 0);
	sender_pump(e, qp);
	firmware_run(e);
}
