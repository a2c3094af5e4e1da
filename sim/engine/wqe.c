// SPDX-License-Identifier: BSD-2-Clause
/*
 * Work request parser. The send queue is the user's memory and hostile: the
 * entry has been copied once, and every field is checked here. The first field
 * at fault gives the status.
 */
#include "engine/engine_int.h"
#include "engine/alu.h"

#include <endian.h>
#include <string.h>

#define ALWAYS (TALLY_WQE_F_SIGNALED | TALLY_WQE_F_SOLICITED)
#define TRIGGER_FLAGS                                                                              \
	(TALLY_WQE_F_INLINE | TALLY_WQE_F_CP | TALLY_WQE_F_SWP_FLAG | TALLY_WQE_F_SWP_MP |         \
	 TALLY_WQE_F_TO_PARENT | TALLY_WQE_F_TO_SELF)

static const struct opcode_rule {
	bool known, reduces;
	uint32_t flags;
} rules[] = {
	[TALLY_OPCODE_ALLREDUCE] = { true, true, ALWAYS | TALLY_WQE_F_INLINE },
	[TALLY_OPCODE_REDUCE] = { true, true, ALWAYS | TALLY_WQE_F_INLINE },
	[TALLY_OPCODE_BCAST] = { true, false, ALWAYS | TALLY_WQE_F_INLINE },
	[TALLY_OPCODE_BARRIER] = { true, false, ALWAYS },
	[TALLY_OPCODE_QUERY] = { true, false, ALWAYS },
	[TALLY_OPCODE_ABORT] = { true, false, ALWAYS },
	[TALLY_OPCODE_REDUCE_MP] = { true, true, ALWAYS | TRIGGER_FLAGS | TALLY_WQE_F_RFLAG },
	[TALLY_OPCODE_BCAST_MP] = { true, false, ALWAYS | TRIGGER_FLAGS },
};

static void unpack(struct wqe *w, const struct tally_wqe *in)
{
	memset(w, 0, offsetof(struct wqe, gather));
	w->opcode = in->opcode;
	w->op = in->op;
	w->dtype = in->dtype;
	w->num_gather = in->num_gather;
	w->num_result = in->num_result;
	w->root_node = le16toh(in->root_node);
	w->root_rank = in->root_rank;
	w->counter = in->counter;
	w->dest_counter = in->dest_counter;
	w->dest_port = le16toh(in->dest_port);
	w->branch = in->branch;
	w->err_vector = le16toh(in->err_vector);
	w->flags = le32toh(in->flags);
	w->index = le32toh(in->index);
	w->cpcnt = le32toh(in->cpcnt);
	w->jid = le32toh(in->jid);
	w->mid = le32toh(in->mid);
	w->rank_mask = le64toh(in->rank_mask);
	w->node_mask = le64toh(in->node_mask);
	w->timeout = le32toh(in->timeout_ms) * MS;
}

/* ---- Fields of every request ---- */

static const uint8_t zeros[sizeof(((struct tally_wqe *)0)->__rsvd_68)];

static enum tally_coll_status check_common(const struct group *g, const struct qp *qp,
					   uint32_t index, const struct tally_wqe *in,
					   const struct wqe *w)
{
	uint32_t ms = le32toh(in->timeout_ms);

	if (w->opcode >= sizeof(rules) / sizeof(rules[0]) || !rules[w->opcode].known)
		return TALLY_COLL_BAD_OPCODE;
	if (w->index != index)
		return TALLY_COLL_BAD_WQE_INDEX;
	if (w->flags & ~rules[w->opcode].flags)
		return TALLY_COLL_BAD_FLAGS;
	if (in->rsvd0 || in->rsvd1 || memcmp(in->__rsvd_68, zeros, sizeof(zeros)))
		return TALLY_COLL_BAD_RESERVED;
	if (w->jid != g->jid)
		return TALLY_COLL_BAD_JID;
	if (ms && (ms < TALLY_MIN_TIMEOUT_MS || ms > TALLY_MAX_TIMEOUT_MS))
		return TALLY_COLL_BAD_TIMEOUT;
	if (!w->rank_mask || (w->rank_mask & ~qp->cfg.ranks))
		return TALLY_COLL_BAD_RANK_MASK;
	return TALLY_COLL_OK;
}

static enum tally_coll_status check_type(struct wqe *w, uint64_t elements, uint32_t mtu)
{
	uint32_t size = alu_elem_size(w->dtype);

	if (!size)
		return TALLY_COLL_BAD_TYPE;
	if (w->opcode == TALLY_OPCODE_BARRIER) {
		if (w->dtype != TALLY_TYPE_NONE)
			return TALLY_COLL_BAD_TYPE;
		if (elements)
			return TALLY_COLL_BAD_COUNT;
	}
	if (rules[w->opcode].reduces) {
		enum tally_coll_status st = alu_check(w->op, w->dtype);

		if (st != TALLY_COLL_OK)
			return st;
	} else if (w->op != TALLY_OP_NONE && w->opcode != TALLY_OPCODE_BCAST_MP) {
		return TALLY_COLL_BAD_OP;
	}
	if (elements > mtu / size)
		return TALLY_COLL_TOO_LONG;
	w->count = elements;
	w->len = elements * size;
	return TALLY_COLL_OK;
}

/* ---- Lists ---- */

static enum tally_coll_status read_list(struct engine *e, const struct qp *qp, const struct wqe *w,
					const uint8_t *at, const uint8_t *end, unsigned int n,
					struct engine_sge *list, bool write)
{
	unsigned int i;

	for (i = 0; i < n; i++, at += sizeof(struct tally_sge)) {
		enum tally_coll_status st;
		struct tally_sge sge;

		if (at + sizeof(sge) > end)
			return TALLY_COLL_BAD_NUM_SGE;
		memcpy(&sge, at, sizeof(sge));
		list[i].addr = le64toh(sge.addr);
		list[i].length = le32toh(sge.length);
		list[i].lkey = le32toh(sge.lkey);
		if (list[i].length != w->len)
			return TALLY_COLL_BAD_SGE_LENGTH;
		st = e->host->check(e->ctx, qp->cfg.pd, &list[i], write);
		if (st != TALLY_COLL_OK)
			return st;
	}
	return TALLY_COLL_OK;
}

/* `give` ranks have data, `get` ranks receive; empty data need no list. */
static enum tally_coll_status check_lists(struct engine *e, const struct qp *qp, struct wqe *w,
					  const uint8_t *tail, size_t room, unsigned int give,
					  unsigned int get)
{
	const uint8_t *end = tail + room;
	enum tally_coll_status st;

	if (w->flags & TALLY_WQE_F_INLINE) {
		if (give != 1 || w->inline_len != w->len || w->len > TALLY_MAX_INLINE ||
		    w->len > room)
			return TALLY_COLL_BAD_INLINE;
		memcpy(w->data, tail, w->len);
		tail += (w->len + 15) / 16 * 16;
		give = 0;
	} else if (w->inline_len) {
		return TALLY_COLL_BAD_INLINE;
	}
	if (w->num_gather != give && (w->num_gather || w->len))
		return TALLY_COLL_BAD_NUM_SGE;
	if (w->num_result != get && (w->num_result || w->len))
		return TALLY_COLL_BAD_NUM_SGE;
	if (w->num_gather > TALLY_MAX_SGE || w->num_result > TALLY_MAX_SGE)
		return TALLY_COLL_BAD_NUM_SGE;
	st = read_list(e, qp, w, tail, end, w->num_gather, w->gather, false);
	if (st != TALLY_COLL_OK)
		return st;
	tail += w->num_gather * sizeof(struct tally_sge);
	return read_list(e, qp, w, tail, end, w->num_result, w->result, true);
}

/* ---- Collective ---- */

static enum tally_coll_status check_collective(const struct group *g, const struct tally_wqe *in,
					       const struct wqe *w)
{
	uint16_t first = le16toh(in->seg_first), segs = le16toh(in->seg_count);
	bool rooted = w->opcode == TALLY_OPCODE_REDUCE || w->opcode == TALLY_OPCODE_BCAST;

	/* Narrowing to some segments or contributors is not offered: the whole, or the default. */
	if (first || (segs && segs != g->num_segs))
		return TALLY_COLL_BAD_SEG;
	if (w->node_mask != ~0ULL && w->node_mask != g->contributors)
		return TALLY_COLL_BAD_NODE_MASK;
	if (!rooted)
		return w->root_node || w->root_rank ? TALLY_COLL_BAD_ROOT : TALLY_COLL_OK;
	if (w->root_node >= g->num_nodes || w->root_rank >= TALLY_MAX_RANKS)
		return TALLY_COLL_BAD_ROOT;
	if (w->root_node == g->node && !(g->rank_mask >> w->root_rank & 1))
		return TALLY_COLL_BAD_ROOT;
	return TALLY_COLL_OK;
}

static void list_sizes(const struct group *g, const struct wqe *w, unsigned int *give,
		       unsigned int *get)
{
	unsigned int ranks = __builtin_popcountll(w->rank_mask);
	unsigned int root = w->root_node == g->node && (w->rank_mask >> w->root_rank & 1);

	*give = *get = 0;
	switch (w->opcode) {
	case TALLY_OPCODE_ALLREDUCE:
		*give = *get = ranks;
		break;
	case TALLY_OPCODE_REDUCE:
		*give = ranks;
		*get = root;
		break;
	case TALLY_OPCODE_BCAST:
		*give = root;
		*get = ranks - root;
		break;
	}
}

/* ---- Triggered ---- */

static bool gives_own_data(const struct wqe *w)
{
	return !(w->flags & TALLY_WQE_F_SWP_FLAG) || (w->flags & TALLY_WQE_F_RFLAG);
}

static enum tally_coll_status check_triggered(const struct group *g, const struct wqe *w)
{
	bool sends = w->node_mask || (w->flags & (TALLY_WQE_F_TO_PARENT | TALLY_WQE_F_TO_SELF));

	if (w->counter >= TALLY_NUM_CP_COUNTERS || w->dest_counter >= TALLY_NUM_CP_COUNTERS)
		return TALLY_COLL_BAD_COUNTER;
	if (w->cpcnt > TALLY_MAX_CPCNT || (!w->cpcnt && (w->flags & TALLY_WQE_F_SWP_FLAG)))
		return TALLY_COLL_BAD_CPCNT;
	if ((w->node_mask & ~g->contributors) ||
	    ((w->flags & TALLY_WQE_F_TO_PARENT) && is_root(g)) || (!sends && !w->num_result))
		return TALLY_COLL_BAD_DEST;
	if ((w->flags & TALLY_WQE_F_RFLAG) && !(w->flags & TALLY_WQE_F_SWP_FLAG))
		return TALLY_COLL_BAD_FLAGS;
	/* what is kept is taken by a firing, and only what counts is taken */
	if ((w->flags & TALLY_WQE_F_SWP_MP) && !(w->flags & TALLY_WQE_F_CP))
		return TALLY_COLL_BAD_FLAGS;
	if (sends && (w->flags & TALLY_WQE_F_SWP_MP) && !w->branch)
		return TALLY_COLL_BAD_BRANCH;
	/* several queued messages can only be reduced by an operation */
	if (w->opcode == TALLY_OPCODE_BCAST_MP && (w->cpcnt > 1 || w->op != TALLY_OP_NONE))
		return alu_check(w->op, w->dtype);
	return TALLY_COLL_OK;
}

enum tally_coll_status wqe_parse(struct engine *e, const struct qp *qp, uint32_t index,
				 const void *data, size_t len, struct wqe *w)
{
	const struct group *g = &e->groups[qp->cfg.group];
	enum tally_coll_status st;
	unsigned int give, get;
	struct tally_wqe in;

	memcpy(&in, data, sizeof(in)); /* the stride is at least TALLY_MIN_WQE_SIZE */
	unpack(w, &in);
	st = check_common(g, qp, index, &in, w);
	if (st != TALLY_COLL_OK || w->opcode == TALLY_OPCODE_QUERY ||
	    w->opcode == TALLY_OPCODE_ABORT)
		return st;
	st = check_type(w, le64toh(in.count), g->mtu);
	if (st != TALLY_COLL_OK)
		return st;
	if (le32toh(in.inline_len) > TALLY_MAX_INLINE)
		return TALLY_COLL_BAD_INLINE;
	w->inline_len = le32toh(in.inline_len);
	if (is_triggered(w->opcode)) {
		st = check_triggered(g, w);
		give = gives_own_data(w);
		get = w->num_result ? 1 : 0;
	} else {
		st = check_collective(g, &in, w);
		list_sizes(g, w, &give, &get);
	}
	if (st != TALLY_COLL_OK)
		return st;
	if (le32toh(in.chunk_len) && le32toh(in.chunk_len) != g->mtu)
		return TALLY_COLL_BAD_COUNT;
	return check_lists(e, qp, w, (const uint8_t *)data + sizeof(in), len - sizeof(in), give,
			   get);
}
