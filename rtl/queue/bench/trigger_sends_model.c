// SPDX-License-Identifier: BSD-2-Clause
/* Includes the engine's request processor, with edges and a message queue of this file. */
#include "engine/common.h"
#include "engine/edge.h"
#include "engine/encap.h"
#include "engine/exception.h"
#include "engine/rmq.h"
#include "engine/wr.h"

static bool may_send(const struct group *g, const struct edge *ed);
static struct tx_entry *sent(void);
static uint16_t to_self(void);

#define edge_can_send_message(g, ed) may_send(g, ed)
#define packet_fill(g, ed, t, kind) ((void)(g), (void)(ed), (void)(t))
#define edge_send(e, g, idx, t, payload, len) ((void)(g), sent())
#define rmq_to_self(e, g, t, payload, len) ((void)(g), to_self())
#define wr_complete(e, qp, wr) ((void)(e), (void)(qp), (void)(wr))
#define exception_raise(e, g, status, contributors, ranks, mid, num) \
	((void)(e), (void)(g), (void)(status), (void)(wr))
#include "engine/trigger.c"

#include "trigger_sends_model.h"

#include <stdlib.h>

static struct engine *e;
static struct tx_entry entry;
static uint64_t may;
static bool may_parent;
static uint16_t self_status;

static bool may_send(const struct group *g, const struct edge *ed)
{
	unsigned int idx = ed - g->edges;

	return idx == EDGE_PARENT ? may_parent : may >> idx & 1;
}

static struct tx_entry *sent(void)
{
	return &entry;
}

static uint16_t to_self(void)
{
	return self_status;
}

static const struct engine_host host = { .count = NULL };

static struct wr *wr_of(unsigned int d)
{
	return &e->qps[d].wrs[0];
}

void sends_begin(unsigned int d, uint64_t contributors, bool parent, bool self)
{
	struct wr *wr;

	if (!e)
		e = calloc(1, sizeof(*e));
	if (!e)
		abort();
	e->host = &host;
	wr = wr_of(d);
	memset(wr, 0, sizeof(*wr));
	wr->state = WR_ACTIVE;
	wr->buf = 1;
	wr->fired = true;
	wr->send_todo = contributors;
	wr->parent_todo = parent;
	wr->self_todo = self;
	finish_if_done(e, &e->qps[d], wr);
}

void sends_try(unsigned int d, uint64_t contributors, bool parent, uint16_t status)
{
	may = contributors;
	may_parent = parent;
	self_status = status;
	send_all(e, &e->qps[d], wr_of(d));
	finish_if_done(e, &e->qps[d], wr_of(d));
}

void sends_acked(unsigned int d, unsigned int edge)
{
	const struct acked a = { TALLY_KIND_TRIGGER, 0, d, 0 };

	trigger_tx_acked(e, edge, &a);
}

bool sends_due(unsigned int d, unsigned int receiver)
{
	const struct wr *wr = wr_of(d);

	if (receiver == TALLY_CONTRIB_SELF)
		return wr->self_todo;
	return receiver == EDGE_PARENT ? wr->parent_todo : wr->send_todo >> receiver & 1;
}

bool sends_awaits(unsigned int d, unsigned int edge)
{
	const struct wr *wr = wr_of(d);

	return edge == EDGE_PARENT ? wr->parent_waiting : wr->send_waiting >> edge & 1;
}

bool sends_done(unsigned int d)
{
	return !wr_of(d)->buf;
}

bool sends_starved(unsigned int d)
{
	return wr_of(d)->starved;
}

uint64_t sends_missing(unsigned int d)
{
	return wr_of(d)->send_todo | wr_of(d)->send_waiting;
}
