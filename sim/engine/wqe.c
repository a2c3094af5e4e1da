// SPDX-License-Identifier: BSD-2-Clause
/*
 * Parser of work requests. The send queue is in the user's memory and hostile: the entry was copied
 * once, and the parser checks every field. The first field at fault gives the status.
 */
#include "engine/wqe.h"
#include "engine/chunk.h"
#include "engine/coll_status.h"
#include "engine/common.h"
#include "engine/mode.h"
#include "engine/payload.h"
#include "alu/alu.h"

#include <endian.h>
#include <string.h>

#define ALWAYS (TALLY_WQE_F_SIGNALED | TALLY_WQE_F_SOLICITED)
#define COLL_FLAGS                                                                                 \
	(ALWAYS | TALLY_WQE_F_FLAG_WORD | TALLY_WQE_F_EMPTY | TALLY_WQE_F_NO_CONTRIBUTORS)
#define DATA_FLAGS (COLL_FLAGS | TALLY_WQE_F_INLINE | TALLY_WQE_F_COMBINED)
#define BLOCK_FLAGS                                                                                \
	(ALWAYS | TALLY_WQE_F_FLAG_WORD | TALLY_WQE_F_INLINE | TALLY_WQE_F_COMBINED)
#define REDUCE_BLOCK_FLAGS (BLOCK_FLAGS | TALLY_WQE_F_ORDERED | TALLY_WQE_F_LOC_VALUES)
#define REDUCE_FLAGS (DATA_FLAGS | TALLY_WQE_F_ORDERED | TALLY_WQE_F_LOC_VALUES)
#define TRIGGER_FLAGS                                                                              \
	(ALWAYS | TALLY_WQE_F_FLAG_WORD | TALLY_WQE_F_INLINE | TALLY_WQE_F_CP |                    \
	 TALLY_WQE_F_SWP_FLAG | TALLY_WQE_F_SWP_MP | TALLY_WQE_F_TO_PARENT | TALLY_WQE_F_TO_SELF | \
	 TALLY_WQE_F_LOC_VALUES)

static const struct opcode_rule {
	bool known, reduces;
	uint32_t flags;
} rules[] = {
	[TALLY_OPCODE_ALLREDUCE] = { true, true, REDUCE_FLAGS },
	[TALLY_OPCODE_REDUCE] = { true, true, REDUCE_FLAGS },
	[TALLY_OPCODE_BCAST] = { true, false, DATA_FLAGS },
	[TALLY_OPCODE_BARRIER] = { true, false, COLL_FLAGS },
	[TALLY_OPCODE_ALLGATHER] = { true, false, BLOCK_FLAGS },
	[TALLY_OPCODE_REDUCE_SCATTER] = { true, true, REDUCE_BLOCK_FLAGS },
	[TALLY_OPCODE_GATHER] = { true, false, BLOCK_FLAGS },
	[TALLY_OPCODE_SCATTER] = { true, false, BLOCK_FLAGS },
	[TALLY_OPCODE_QUERY] = { true, false, ALWAYS },
	[TALLY_OPCODE_ABORT] = { true, false, ALWAYS },
	[TALLY_OPCODE_REDUCE_MP] = { true, true, TRIGGER_FLAGS | TALLY_WQE_F_RFLAG },
	[TALLY_OPCODE_BCAST_MP] = { true, false, TRIGGER_FLAGS },
	[TALLY_OPCODE_PUT_MP] = { true, false, TRIGGER_FLAGS },
};

#define NUM_RULES (sizeof(rules) / sizeof(rules[0]))
_Static_assert(NUM_RULES <= 32, "a bit for each opcode");

uint32_t engine_opcodes(const struct engine *e)
{
	uint32_t opcode, known = 0;

	for (opcode = 0; opcode < NUM_RULES; opcode++)
		known |= (uint32_t)rules[opcode].known << opcode;
	return known & ~e->no_opcodes;
}

static bool performs(const struct engine *e, uint8_t opcode)
{
	return opcode < NUM_RULES && rules[opcode].known && !(e->no_opcodes >> opcode & 1);
}

static void unpack(struct wqe *w, const struct tally_wqe *in)
{
	memset(w, 0, offsetof(struct wqe, data));
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
	w->seg_count = le16toh(in->seg_count);
	w->flag = (struct engine_sge){ le64toh(in->flag_addr), sizeof(uint32_t),
				       le32toh(in->flag_lkey) };
	w->flag_value = le32toh(in->flag_value);
}

/* ---- Fields of every request ---- */

static const uint8_t zeros[sizeof(((struct tally_wqe *)0)->__rsvd_68)];

static bool is_collective(uint8_t opcode)
{
	return opcode >= TALLY_OPCODE_ALLREDUCE && opcode <= TALLY_OPCODE_SCATTER;
}

/*
 * Whether the group has the mode of a request, and the mode offers the operation. Sets the mode:
 * the request names it, or the group chooses it. Requests that are not collective have none.
 */
static bool check_mode(const struct group *g, const struct tally_wqe *in, struct wqe *w)
{
	if (!is_collective(w->opcode))
		return opcode_offered(g->mode, w->opcode);
	w->mode = in->mode;
	if (!w->mode)
		w->mode = mode_choose(g, w->opcode, le64toh(in->count),
				      alu_elem_size(w->op, w->dtype));
	return (mode_bit(w->mode) & g->modes) && opcode_offered(w->mode, w->opcode);
}

static enum tally_coll_status check_common(const struct engine *e, const struct qp *qp,
					   uint32_t index, const struct tally_wqe *in,
					   struct wqe *w)
{
	const struct group *g = &e->groups[qp->cfg.group];
	uint32_t ms = le32toh(in->timeout_ms);

	if (!performs(e, w->opcode))
		return TALLY_COLL_BAD_OPCODE;
	if (!check_mode(g, in, w) ||
	    (opcode_blocked(w->opcode) && (g->flags & TALLY_GROUP_F_SPARSE)))
		return TALLY_COLL_BAD_MODE;
	if (w->index != index)
		return TALLY_COLL_BAD_WQE_INDEX;
	if (w->flags & ~rules[w->opcode].flags)
		return TALLY_COLL_BAD_FLAGS;
	if ((in->mode && !is_collective(w->opcode)) || in->rsvd1 ||
	    memcmp(in->__rsvd_68, zeros, sizeof(zeros)))
		return TALLY_COLL_BAD_RESERVED;
	if (w->jid != g->jid)
		return TALLY_COLL_BAD_JID;
	if (ms && (ms < TALLY_MIN_TIMEOUT_MS || ms > TALLY_MAX_TIMEOUT_MS))
		return TALLY_COLL_BAD_TIMEOUT;
	if (!w->rank_mask || (w->rank_mask & ~qp->cfg.ranks))
		return TALLY_COLL_BAD_RANK_MASK;
	return TALLY_COLL_OK;
}

/* Check operation and type, and set the size of an element. */
static enum tally_coll_status check_type(const struct group *g, struct wqe *w)
{
	bool reduces = rules[w->opcode].reduces;

	if (!alu_value_size(w->dtype))
		return TALLY_COLL_BAD_TYPE;
	if (w->opcode == TALLY_OPCODE_BARRIER && w->dtype != TALLY_TYPE_NONE)
		return TALLY_COLL_BAD_TYPE;
	if (reduces || (is_triggered(w->opcode) && w->op != TALLY_OP_NONE)) {
		enum tally_coll_status st = alu_check(w->op, w->dtype);

		if (st != TALLY_COLL_OK)
			return st;
	} else if (w->op != TALLY_OP_NONE) {
		return TALLY_COLL_BAD_OP;
	}
	if ((w->flags & TALLY_WQE_F_ORDERED) && !is_ordered(g))
		return TALLY_COLL_NOT_ORDERED;
	w->elem = alu_elem_size(w->op, w->dtype);
	return TALLY_COLL_OK;
}

static bool is_loc(const struct wqe *w)
{
	return w->op == TALLY_OP_MINLOC || w->op == TALLY_OP_MAXLOC;
}

/* Check MINLOC and MAXLOC. Indices are int32, so those of all elements must be below 2^31. */
static enum tally_coll_status check_loc(const struct tally_wqe *in, struct wqe *w)
{
	uint64_t index = le64toh(in->loc_index), limit = INT32_MAX + 1ULL;
	bool values = w->flags & TALLY_WQE_F_LOC_VALUES;

	if ((index && !values) || (values && !is_loc(w)))
		return TALLY_COLL_BAD_LOC;
	if (index > limit || w->total > limit - index)
		return TALLY_COLL_BAD_LOC;
	w->loc_index = index;
	w->give = values ? alu_value_size(w->dtype) : w->elem;
	return TALLY_COLL_OK;
}

/* Check the number of elements, of this rank and of the whole message, and the chunk length. */
static enum tally_coll_status check_size(const struct group *g, const struct tally_wqe *in,
					 struct wqe *w)
{
	uint32_t chunk = le32toh(in->chunk_len) ? le32toh(in->chunk_len) : g->mtu;
	uint32_t most = payload_most(g, w->mode, w->opcode);
	uint64_t count = le64toh(in->count), max = TALLY_MAX_MESSAGE;
	uint32_t blocks = opcode_blocked(w->opcode) ? g->total_ranks : 1;

	if (w->opcode == TALLY_OPCODE_BARRIER && count)
		return TALLY_COLL_BAD_COUNT;
	if (is_triggered(w->opcode))
		max = g->mtu;
	if (count > max || count * blocks * w->elem > max)
		return TALLY_COLL_TOO_LONG;
	if (chunk > g->mtu || chunk < w->elem || (is_triggered(w->opcode) && chunk != g->mtu))
		return TALLY_COLL_BAD_CHUNK;
	w->count = count;
	w->total = count * blocks;
	w->chunk = (chunk < most ? chunk : most) >> __builtin_ctz(w->elem);
	w->chunks = w->total ? (w->total - 1) / w->chunk + 1 : 1;
	return check_loc(in, w);
}

/* ---- Lists ---- */

static enum tally_coll_status read_list(struct engine *e, const struct qp *qp, const uint8_t *at,
					const uint8_t *end, unsigned int n, uint32_t len,
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
		if (list[i].length != len)
			return TALLY_COLL_BAD_SGE_LENGTH;
		st = e->host->check(e->ctx, qp->cfg.pd, &list[i], write);
		if (st != TALLY_COLL_OK)
			return st;
	}
	return TALLY_COLL_OK;
}

/*
 * Check the lists: `give` ranks have data, `get` ranks receive a result. Empty data need no list.
 */
static enum tally_coll_status check_lists(struct engine *e, const struct qp *qp, struct wqe *w,
					  const uint8_t *tail, size_t room, unsigned int give,
					  unsigned int get)
{
	const uint8_t *end = tail + room;
	enum tally_coll_status st;

	if (w->flags & TALLY_WQE_F_INLINE) {
		if (give != 1 || w->inline_len != w->give_len || w->inline_len > room)
			return TALLY_COLL_BAD_INLINE;
		memcpy(w->data, tail, w->inline_len);
		tail += (w->inline_len + 15) / 16 * 16;
		give = 0;
	} else if (w->inline_len) {
		return TALLY_COLL_BAD_INLINE;
	}
	if (w->num_gather != give && (w->num_gather || w->give_len))
		return TALLY_COLL_BAD_NUM_SGE;
	if (w->num_result != get && (w->num_result || w->get_len))
		return TALLY_COLL_BAD_NUM_SGE;
	if (w->num_gather > TALLY_MAX_SGE || w->num_result > TALLY_MAX_SGE)
		return TALLY_COLL_BAD_NUM_SGE;
	st = read_list(e, qp, tail, end, w->num_gather, w->give_len, w->gather, false);
	if (st != TALLY_COLL_OK)
		return st;
	tail += w->num_gather * sizeof(struct tally_sge);
	return read_list(e, qp, tail, end, w->num_result, w->get_len, w->result, true);
}

static enum tally_coll_status check_flag_word(struct engine *e, const struct qp *qp,
					      const struct wqe *w)
{
	if (!(w->flags & TALLY_WQE_F_FLAG_WORD))
		return w->flag.addr || w->flag.lkey || w->flag_value ? TALLY_COLL_BAD_FLAGS :
								       TALLY_COLL_OK;
	if (w->flag.addr % sizeof(uint32_t))
		return TALLY_COLL_MR_RANGE;
	return e->host->check(e->ctx, qp->cfg.pd, &w->flag, true);
}

/* ---- Collective ---- */

/* Whether only a part of the group may take part. AVG and messages of blocks need all ranks. */
static bool may_narrow(const struct wqe *w)
{
	return w->op != TALLY_OP_AVG && !opcode_blocked(w->opcode);
}

static enum tally_coll_status check_root(const struct group *g, const struct wqe *w)
{
	if (!opcode_rooted(w->opcode))
		return w->root_node || w->root_rank ? TALLY_COLL_BAD_ROOT : TALLY_COLL_OK;
	if (w->root_node >= g->num_nodes || w->root_rank >= TALLY_MAX_RANKS)
		return TALLY_COLL_BAD_ROOT;
	if (w->root_node != g->node)
		return TALLY_COLL_OK;
	if (!(g->rank_mask >> w->root_rank & 1))
		return TALLY_COLL_BAD_ROOT;
	if ((w->flags & TALLY_WQE_F_EMPTY) && (w->rank_mask >> w->root_rank & 1))
		return TALLY_COLL_BAD_ROOT;
	return TALLY_COLL_OK;
}

static enum tally_coll_status check_collective(const struct group *g, const struct tally_wqe *in,
					       struct wqe *w)
{
	bool none = w->flags & TALLY_WQE_F_NO_CONTRIBUTORS;
	bool narrows = mode_of(w->mode)->narrows;
	uint64_t mask = w->node_mask ? w->node_mask : none ? 0 : ~0ULL;

	if (none && mask)
		return TALLY_COLL_BAD_NODE_MASK;
	if (!narrows && (none || (w->flags & TALLY_WQE_F_EMPTY)))
		return TALLY_COLL_BAD_FLAGS;
	if ((w->flags & TALLY_WQE_F_EMPTY) && (w->flags & TALLY_WQE_F_COMBINED))
		return TALLY_COLL_BAD_FLAGS;
	if (!narrows && mask != ~0ULL)
		return TALLY_COLL_BAD_NODE_MASK;
	if ((w->flags & TALLY_WQE_F_COMBINED) && opcode_blocked(w->opcode) &&
	    w->rank_mask != g->rank_mask)
		return TALLY_COLL_BAD_RANK_MASK;
	w->node_mask = mask;
	/* num chooses the segments; a request may limit their number, but not choose them. */
	if (in->seg_first || w->seg_count > g->max_segs)
		return TALLY_COLL_BAD_SEG;
	if (mask != ~0ULL && (mask & ~g->children))
		return TALLY_COLL_BAD_NODE_MASK;
	if (mask != ~0ULL && mask != g->children && !may_narrow(w))
		return TALLY_COLL_BAD_NODE_MASK;
	if ((w->flags & TALLY_WQE_F_EMPTY) && !may_narrow(w))
		return TALLY_COLL_BAD_FLAGS;
	return check_root(g, w);
}

/*
 * Set the number of entries of each list and their length; some entries have blocks of all ranks.
 */
static void list_sizes(const struct group *g, struct wqe *w, unsigned int *give, unsigned int *get)
{
	bool gives_all = w->opcode == TALLY_OPCODE_SCATTER ||
			 w->opcode == TALLY_OPCODE_REDUCE_SCATTER;
	bool gets_all = w->opcode == TALLY_OPCODE_GATHER || w->opcode == TALLY_OPCODE_ALLGATHER;
	bool blocks = (w->flags & TALLY_WQE_F_COMBINED) && opcode_blocked(w->opcode);
	uint64_t own = w->count * (blocks ? __builtin_popcountll(w->rank_mask) : 1);

	*give = __builtin_popcountll(wqe_givers(g, w));
	*get = __builtin_popcountll(wqe_getters(g, w));
	w->give_len = (gives_all ? w->total : own) * w->give;
	w->get_len = (gets_all ? w->total : own) * w->elem;
}

/* ---- Triggered ---- */

static bool gives_own_data(const struct wqe *w)
{
	return !(w->flags & TALLY_WQE_F_SWP_FLAG) || (w->flags & TALLY_WQE_F_RFLAG);
}

/* A parent that is an ordinary contributor is a destination like the others. */
static bool name_parent(const struct group *g, struct wqe *w)
{
	uint64_t bit = has_parent(g) ? contributor_bit(g->parent) : 0;

	if (!(w->flags & TALLY_WQE_F_TO_PARENT) || !bit)
		return true;
	if (w->node_mask & bit)
		return false;
	w->node_mask |= bit;
	w->flags &= ~TALLY_WQE_F_TO_PARENT;
	return true;
}

static enum tally_coll_status check_destinations(const struct group *g, const struct wqe *w)
{
	bool parent = w->flags & TALLY_WQE_F_TO_PARENT, self = w->flags & TALLY_WQE_F_TO_SELF;
	unsigned int num = __builtin_popcountll(w->node_mask) + parent + self;

	if ((w->node_mask & ~(g->contributors | g->peers)) || (parent && !has_parent(g)) || (!num && !w->num_result))
		return TALLY_COLL_BAD_DEST;
	if (w->opcode == TALLY_OPCODE_PUT_MP && num != 1)
		return TALLY_COLL_BAD_DEST;
	if (num && (w->flags & TALLY_WQE_F_SWP_MP) && !w->branch)
		return TALLY_COLL_BAD_BRANCH;
	/* A message counts or is kept, or both. Only one that is kept has data. */
	if (num && !(w->flags & (TALLY_WQE_F_CP | TALLY_WQE_F_SWP_MP)))
		return TALLY_COLL_BAD_FLAGS;
	if (num && w->count && !(w->flags & TALLY_WQE_F_SWP_MP) && !w->num_result)
		return TALLY_COLL_BAD_FLAGS;
	return TALLY_COLL_OK;
}

static enum tally_coll_status check_triggered(const struct group *g, const struct tally_wqe *in,
					      struct wqe *w)
{
	if (in->seg_first || in->seg_count)
		return TALLY_COLL_BAD_SEG;
	if (w->counter >= TALLY_NUM_CP_COUNTERS || w->dest_counter >= TALLY_NUM_CP_COUNTERS)
		return TALLY_COLL_BAD_COUNTER;
	if (w->cpcnt > TALLY_MAX_CPCNT)
		return TALLY_COLL_BAD_CPCNT;
	if ((w->flags & TALLY_WQE_F_RFLAG) && !(w->flags & TALLY_WQE_F_SWP_FLAG))
		return TALLY_COLL_BAD_FLAGS;
	/* Only an operation can reduce several messages. */
	if (w->cpcnt > 1 && (w->flags & TALLY_WQE_F_SWP_FLAG) && w->op == TALLY_OP_NONE)
		return TALLY_COLL_BAD_OP;
	return name_parent(g, w) ? check_destinations(g, w) : TALLY_COLL_BAD_DEST;
}

/* Set the number of entries of each list, which is at most one, and their length. */
static void trigger_lists(struct wqe *w, unsigned int *give, unsigned int *get)
{
	*give = gives_own_data(w);
	*get = w->num_result ? 1 : 0;
	w->give_len = w->count * w->give;
	w->get_len = w->count * w->elem;
}

static enum tally_coll_status check_work(const struct group *g, const struct tally_wqe *in,
					 struct wqe *w)
{
	enum tally_coll_status st = check_type(g, w);

	if (st == TALLY_COLL_OK)
		st = check_size(g, in, w);
	if (st != TALLY_COLL_OK)
		return st;
	if (le32toh(in->inline_len) > TALLY_MAX_INLINE)
		return TALLY_COLL_BAD_INLINE;
	w->inline_len = le32toh(in->inline_len);
	return is_triggered(w->opcode) ? check_triggered(g, in, w) : check_collective(g, in, w);
}

/* An ABORT has the reason, which all ranks learn, in place of the count. */
static enum tally_coll_status check_abort(const struct tally_wqe *in, struct wqe *w)
{
	const uint64_t reason = in->count ? le64toh(in->count) : TALLY_COLL_ABORTED;

	w->count = reason;
	return reason <= UINT16_MAX && coll_status_is_reason(reason) ? TALLY_COLL_OK :
								      TALLY_COLL_BAD_COUNT;
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
	st = check_common(e, qp, index, &in, w);
	if (st != TALLY_COLL_OK || w->opcode == TALLY_OPCODE_QUERY)
		return st;
	if (w->opcode == TALLY_OPCODE_ABORT)
		return check_abort(&in, w);
	st = check_work(g, &in, w);
	if (st == TALLY_COLL_OK)
		st = check_flag_word(e, qp, w);
	if (st != TALLY_COLL_OK)
		return st;
	if (is_triggered(w->opcode))
		trigger_lists(w, &give, &get);
	else
		list_sizes(g, w, &give, &get);
	return check_lists(e, qp, w, (const uint8_t *)data + sizeof(in), len - sizeof(in), give,
			   get);
}

struct request wqe_request(const struct wqe *w)
{
	return (struct request){ w->opcode, w->flags, w->index, w->mid };
}

/* Return the ranks of a request that have an entry, where each one gives or gets something. */
static uint64_t with_entry(const struct wqe *w)
{
	return w->flags & TALLY_WQE_F_COMBINED ? w->rank_mask & -w->rank_mask : w->rank_mask;
}

uint64_t wqe_givers(const struct group *g, const struct wqe *w)
{
	uint64_t root = w->root_node == g->node ? w->rank_mask & 1ULL << w->root_rank : 0;

	if ((w->flags & TALLY_WQE_F_EMPTY) || w->opcode == TALLY_OPCODE_BARRIER)
		return w->opcode == TALLY_OPCODE_BARRIER ? w->rank_mask : 0;
	if (w->opcode == TALLY_OPCODE_BCAST || w->opcode == TALLY_OPCODE_SCATTER)
		return root;
	return with_entry(w);
}

uint64_t wqe_getters(const struct group *g, const struct wqe *w)
{
	uint64_t root = w->root_node == g->node ? w->rank_mask & 1ULL << w->root_rank : 0;

	if ((w->flags & TALLY_WQE_F_EMPTY) || w->opcode == TALLY_OPCODE_BARRIER)
		return 0;
	if (w->opcode == TALLY_OPCODE_REDUCE || w->opcode == TALLY_OPCODE_GATHER)
		return root;
	if (w->opcode != TALLY_OPCODE_BCAST)
		return with_entry(w);
	if (w->flags & TALLY_WQE_F_COMBINED) /* the root has what all of them get */
		return root ? 0 : with_entry(w);
	return w->rank_mask & ~root;
}
