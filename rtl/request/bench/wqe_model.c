// SPDX-License-Identifier: BSD-2-Clause
/* Includes the engine's parser of requests, whose checks are static. */
#include "engine/wqe.c"

#include "wqe_model.h"

#include <stdlib.h>

static struct engine *e;
static unsigned int checks;
static bool permit_all;

uint16_t model_access(uint64_t addr, uint32_t length, uint32_t lkey, bool write)
{
	switch (lkey % 64) {
	case 1:
		return TALLY_COLL_BAD_LKEY;
	case 2:
		return write ? TALLY_COLL_MR_ACCESS : TALLY_COLL_OK;
	case 3:
		return TALLY_COLL_MR_RANGE;
	case 4: /* a region of which a part is mapped */
		return addr >> 63 || length > 64 ? TALLY_COLL_MR_RANGE : TALLY_COLL_OK;
	default:
		return TALLY_COLL_OK;
	}
}

static enum tally_coll_status check(void *ctx, uint32_t pd, const struct engine_sge *sge, bool write)
{
	(void)ctx;
	(void)pd;
	checks++;
	return permit_all ? TALLY_COLL_OK : model_access(sge->addr, sge->length, sge->lkey, write);
}

static const struct engine_host host = { .check = check };

/* The model's group and queue pair, filled from `a`. */
static struct qp *setup(const struct model_around *a)
{
	struct group *g;
	struct qp *qp;

	if (!e)
		e = calloc(1, sizeof(*e));
	if (!e)
		abort();
	e->host = &host;
	g = &e->groups[0];
	g->jid = a->jid;
	g->mtu = a->mtu;
	g->chunk = a->chunk;
	g->max_segs = a->max_segs;
	g->total_ranks = a->total_ranks;
	g->num_nodes = a->num_nodes;
	g->node = a->node;
	g->mode = a->mode;
	g->modes = a->modes;
	g->parent = a->parent;
	g->flags = (a->sparse ? TALLY_GROUP_F_SPARSE : 0) | (a->ordered ? TALLY_GROUP_F_ORDERED : 0);
	g->rank_mask = a->rank_mask;
	g->children = a->children;
	g->contributors = a->dests & 0x5555555555555555;
	g->peers = a->dests & ~0x5555555555555555;
	for (unsigned int i = 0; i < 8; i++)
		g->choice[i] = (struct choice){ a->choice[i].small, a->choice[i].middle, a->choice[i].large,
						a->choice[i].small_log, a->choice[i].middle_log };
	qp = &e->qps[0];
	qp->cfg.ranks = a->ranks;
	checks = 0;
	return qp;
}

static void copy_list(struct tally_sge *to, const struct engine_sge *from, unsigned int num)
{
	for (unsigned int i = 0; i < num && i < TALLY_MAX_SGE; i++)
		to[i] = (struct tally_sge){ .addr = from[i].addr, .length = from[i].length, .lkey = from[i].lkey };
}

static void copy(struct model_request *to, const struct group *g, const struct wqe *w, uint16_t status)
{
	to->status = status;
#define COPY(field) to->field = w->field
	COPY(opcode), COPY(op), COPY(dtype), COPY(mode), COPY(root_rank), COPY(counter), COPY(dest_counter);
	COPY(branch), COPY(num_gather), COPY(num_result), COPY(root_node), COPY(dest_port), COPY(err_vector);
	COPY(inline_len), COPY(seg_count), COPY(flags), COPY(index), COPY(mid), COPY(cpcnt), COPY(count), COPY(total);
	COPY(elem), COPY(give), COPY(chunk), COPY(chunks), COPY(give_len), COPY(get_len), COPY(loc_index);
	COPY(rank_mask), COPY(flag_value);
#undef COPY
	to->cpcnt &= 127; /* where nobody asks for it, the hardware keeps as many bits as a valid one has */
	to->edges = is_triggered(w->opcode) ? w->node_mask : g->children & ~w->node_mask;
	to->timeout_ms = w->timeout / MS;
	to->flag_addr = w->flag.addr;
	to->flag_lkey = w->flag.lkey;
	to->checks = checks;
}

static void sizes(struct model_request *to, const struct group *g, struct wqe *w)
{
	to->sized = true;
	if (is_triggered(w->opcode))
		trigger_lists(w, &to->givers, &to->getters);
	else
		list_sizes(g, w, &to->givers, &to->getters);
}

/* The fixed part, as wqe_parse() checks it. */
static enum tally_coll_status fixed_part(struct model_request *to, const struct model_around *a, const struct qp *qp,
					 const struct tally_wqe *in, struct wqe *w)
{
	const struct group *g = &e->groups[0];
	enum tally_coll_status st;

	unpack(w, in);
	st = check_common(e, qp, a->index, in, w);
	if (st != TALLY_COLL_OK || w->opcode == TALLY_OPCODE_QUERY)
		return st;
	if (w->opcode == TALLY_OPCODE_ABORT)
		return check_abort(in, w);
	st = check_work(g, in, w);
	if (st == TALLY_COLL_OK)
		st = check_flag_word(e, qp, w);
	if (st == TALLY_COLL_OK)
		sizes(to, g, w);
	return st;
}

/* Writes lists of the right lengths behind the inline data. */
static void good_lists(uint8_t *tail, const struct wqe *w)
{
	unsigned int i, at = (w->inline_len + 15) / 16 * 16;

	for (i = 0; i < w->num_gather + w->num_result; i++, at += sizeof(struct tally_sge)) {
		const struct tally_sge sge = { .length = htole32(i < w->num_gather ? w->give_len : w->get_len) };

		memcpy(tail + at, &sge, sizeof(sge));
	}
}

void model_check(struct model_request *to, const struct model_around *a, const struct tally_wqe *wqe, uint16_t *status,
		 uint16_t *lists)
{
	static uint8_t tail[TALLY_MAX_INLINE + 2 * 256 * sizeof(struct tally_sge)];
	static struct wqe w;
	const struct qp *qp = setup(a);
	size_t room = a->stride - sizeof(*wqe);

	memset(to, 0, sizeof(*to));
	permit_all = true;
	*lists = TALLY_COLL_OK;
	*status = fixed_part(to, a, qp, wqe, &w);
	if (to->sized) {
		bool fits = !(w.flags & TALLY_WQE_F_INLINE) || w.inline_len <= room;

		good_lists(tail, &w);
		*lists = check_lists(e, qp, &w, tail, fits ? sizeof(tail) : room, to->givers, to->getters);
	}
	permit_all = false;
	copy(to, &e->groups[0], &w, *status);
}

void model_parse(struct model_request *to, const struct model_around *a, const void *entry)
{
	static struct wqe w;
	const struct qp *qp = setup(a);
	struct tally_wqe in;

	memset(to, 0, sizeof(*to));
	memset(w.data, 0, sizeof(w.data));
	memcpy(&in, entry, sizeof(in));
	fixed_part(to, a, qp, &in, &w);
	checks = 0;
	copy(to, &e->groups[0], &w, wqe_parse(e, qp, a->index, entry, a->stride, &w));
	memcpy(to->data, w.data, sizeof(to->data));
	copy_list(to->gather, w.gather, w.num_gather);
	copy_list(to->result, w.result, w.num_result);
}
