// SPDX-License-Identifier: BSD-2-Clause
/* Groups and queue pairs of the model's engine, written by its registers. */
#include "engine/common.h"
#include "engine/registers_qp.h"
#include "engine/registers_setup.h"

#include "wqe_tables_model.h"

#include <stdlib.h>

static struct engine *engine(void)
{
	static const struct engine_host host;
	static struct engine *e;

	if (!e)
		e = calloc(1, sizeof(*e));
	if (!e)
		abort();
	e->host = &host;
	return e;
}

void model_write(uint32_t reg, uint64_t value)
{
	uint32_t in = reg - TALLY_FW_GROUP_BASE;
	bool known;

	if (reg >= TALLY_FW_GROUP_BASE)
		known = setup_group_write(&engine()->groups[in / TALLY_FW_GROUP_STRIDE], in % TALLY_FW_GROUP_STRIDE, value);
	else
		known = qp_register_write(engine(), reg - TALLY_FW_QP_BASE, value);
	if (!known)
		abort();
}

uint32_t model_qp(struct model_around *to, uint32_t *pd, uint32_t number)
{
	const struct qp *qp = &engine()->qps[number];

	to->ranks = qp->cfg.ranks;
	to->stride = qp->cfg.stride;
	*pd = qp->cfg.pd;
	return qp->cfg.group;
}

void model_group(struct model_around *to, uint32_t number)
{
	const struct group *g = &engine()->groups[number];

	to->jid = g->jid;
	to->mtu = g->mtu;
	to->chunk = g->chunk;
	to->max_segs = g->max_segs;
	to->total_ranks = g->total_ranks;
	to->num_nodes = g->num_nodes;
	to->node = g->node;
	to->mode = g->mode;
	to->modes = g->modes;
	to->parent = has_parent(g) ? g->parent : 0xff;
	to->sparse = g->flags & TALLY_GROUP_F_SPARSE;
	to->ordered = g->flags & TALLY_GROUP_F_ORDERED;
	to->rank_mask = g->rank_mask;
	to->children = g->children;
	to->dests = g->contributors | g->peers;
	for (unsigned int k = 0; k < 8; k++) {
		const struct choice *c = &g->choice[k];

		to->choice[k] = (struct model_choice){ c->small, c->middle, c->large, c->small_log, c->middle_log };
	}
}
