// SPDX-License-Identifier: BSD-2-Clause
/* Encapsulator of collective packets. */
#include "engine/encap.h"
#include "engine/common.h"
#include "engine/window.h"

#include <endian.h>
#include <string.h>

void packet_fill(const struct group *g, const struct edge *ed, struct tch *t, uint8_t kind)
{
	memset(t, 0, sizeof(*t));
	t->kind = kind;
	t->contributor = ed->remote_index;
	t->jid = g->jid;
	t->epoch = g->epoch;
	t->key = ed->peer_key;
}

/* The header on the wire, which tells the newest done and limit also in retransmissions. */
static struct tally_tch header(const struct group *g, struct edge *ed, const struct tch *t)
{
	const struct tally_tch w = {
		.tag = htobe32(TALLY_TCH_TAG),
		.version = TALLY_WIRE_VERSION,
		.kind = t->kind,
		.opcode = t->opcode,
		.op = t->op,
		.dtype = t->dtype,
		.contributor = t->contributor,
		.flags = htobe16(t->flags),
		.err_vector = htobe16(t->err_vector),
		.branch = t->branch,
		.round = t->round,
		.jid = htobe32(t->jid),
		.epoch = htobe32(t->epoch),
		.mid = htobe32(t->mid),
		.sid = htobe32(t->sid),
		.num = htobe32(t->num),
		.edge_seq = htobe32(t->edge_seq),
		.done = htobe32(window_done(g, ed)),
		.total = htobe32(t->total),
		.count = htobe32(t->count),
		.root_node = htobe16(t->root_node),
		.root_rank = t->root_rank,
		.counter = t->counter,
		.port = htobe16(t->port),
		.limit = htobe16(window_limit(g, ed) - window_done(g, ed)),
		.key = htobe32(t->key),
	};

	ed->told_done = window_done(g, ed);
	ed->told_limit = window_limit(g, ed);
	return w;
}

void packet_send(struct engine *e, struct group *g, struct edge *ed, const struct tch *t,
		 const void *payload, size_t len)
{
	const struct tally_tch w = header(g, ed, t);

	e->host->send(e->ctx, &ed->addr, &w, payload, len, after(e, e->timing.encap));
}

void packet_send_numbered(struct engine *e, struct group *g, struct edge *ed, const struct tch *t,
			  const void *payload, size_t len, const struct engine_name *name)
{
	const struct tally_tch w = header(g, ed, t);

	e->host->send_numbered(e->ctx, name, &ed->addr, &w, payload, len,
			       after(e, e->timing.encap));
}
