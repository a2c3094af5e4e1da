// SPDX-License-Identifier: BSD-2-Clause
/*
 * The node way: the ranks of a node combine their data in shared memory, and one of them posts for
 * all. The socket way is the same for the ranks of a CPU socket: one of each posts, and the NIC
 * combines what they post (Node and Socket mode of document 000, whose sockets have groups of their
 * own because its NICs cannot). In a reduction each rank combines a slice of all ranks' data, and the last to finish posts.
 * Data that come from a root are posted by the root, and awaited by the first rank that comes
 * (document 002's competition), so that no rank waits for a leader that is late. Between nodes a BCAST
 * is that of the NICs, or a SCATTER of blocks and then an ALLGATHER of them (RDAAS, RingAAS of 002).
 */
#include "algo/node.h"

enum phase {
	ENTER,	 /* waits until the slot is free, then brings its data */
	COMBINE, /* waits for the data of all, then combines its slice */
	TURN,	 /* posts, or knows who does */
	NET,	 /* waits for the NIC */
	SECOND,	 /* posts the last of three messages */
	RESULT,	 /* waits for the result, then takes it */
	LEAVE,
};

static uint64_t most(const struct tallycoll_request *r)
{
	bool blocks = r->give_blocks || r->get_blocks;

	/* Whole blocks for all ranks, so that those of the last piece fit when they are rounded up. */
	if (tc_node_scatters(r))
		return TC_AREA_NET / (r->elem * r->team->oob.size) * r->elem * r->team->oob.size;
	return (tc_node_reduces(r) ? TC_AREA_IN : TC_AREA_NET) / (blocks ? r->team->oob.size : 1);
}

/* ---- Uses of the area ---- */
/* Whether a flag has been set for this use or a later one. */
static bool reached(const struct tc_flag *flag, uint32_t use)
{
	return (int32_t)(tc_flag_get(flag) - use) >= 0;
}

static bool all_left(const struct tc_area *a, uint32_t use)
{
	for (uint32_t i = 0; i < a->num_local; i++)
		if (!reached(&a->head->rank[i].left, use))
			return false;
	return true;
}

static bool all_arrived(const struct tc_area *a, uint32_t use)
{
	for (uint32_t i = 0; i < a->num_local; i++)
		if (!reached(&a->head->rank[i].arrived, use))
			return false;
	return true;
}

/* Takes this rank's turn at the slot. Returns how many ranks of this use came before. */
static uint32_t take_turn(const struct tallycoll_request *r, const struct tc_piece *p)
{
	struct tc_area *a = r->party->area;
	struct tc_area_slot *slot = &a->head->slot[tc_node_slot(r, p)];
	uint32_t earlier = (tc_node_use(r, p) - 1) / TC_AREA_SLOTS * a->num_local;

	return a->host->ops->add(a->host, &slot->turns, 1) - earlier;
}

/* Whether the ranks of the node that have come called the same. If not, tc_watch() ends the group. */
static bool agree(const struct tallycoll_request *r)
{
	const struct tc_member_group *mg = r->team->mg;

	return !tc_area_compare(mg->party[TC_PARTY_NODE].area, mg->shape.local, r->call);
}

/* Beyond the contributors there are ranks without a queue, so on such a node the first rank posts. */
static bool is_crowded(const struct tallycoll_request *r)
{
	return r->party->num > TALLY_MAX_RANKS;
}

static bool is_first(const struct tallycoll_request *r)
{
	return r->party->number == 0;
}

/* Whether the first rank posts whoever comes first: the method P of document 002. */
static bool has_fixed_leader(const struct tallycoll_request *r)
{
	return r->way->fixed || is_crowded(r);
}

/*
 * Data that the NIC reads where they are brought must not be overwritten by a rank that called
 * something else: a message of it may be on its way, and other nodes would take the result for right.
 * Each rank writes its call before it looks at those of others, so of two that differ one notices.
 */
static bool must_not_bring(const struct tallycoll_request *r)
{
	return r->gives && !tc_node_reduces(r) && !agree(r);
}

/* ---- Phases: each returns whether the piece goes on ---- */
/*
 * Slots become free between two looks, so the second of two pieces may find its slot free when the
 * first one did not. It waits all the same: `arrived` counts uses.
 */
static bool enter(struct tallycoll_request *r, struct tc_piece *p)
{
	struct tc_area *a = r->party->area;
	uint32_t use = tc_node_use(r, p), before;

	if (r->party->entered + 1 != use || !all_left(a, use - TC_AREA_SLOTS) || must_not_bring(r))
		return false;
	r->party->entered++;
	tc_node_bring(r, p);
	a->host->ops->set(a->host, &a->head->rank[r->party->number].arrived, use);
	p->phase = TURN;
	if (tc_node_reduces(r) || is_crowded(r)) {
		p->phase = COMBINE;
	} else if (tc_node_spreads(r)) {
		before = take_turn(r, p);
		p->posts = tc_node_near_root(r) ? r->gives :
			   has_fixed_leader(r)	? is_first(r) :
						  before == 0;
	} else {
		p->posts = take_turn(r, p) + 1 == a->num_local;
	}
	if (tc_node_spreads(r) && r->gives)
		a->host->ops->set(a->host, &a->head->slot[tc_node_slot(r, p)].posted, use);
	return true;
}

static bool combine(struct tallycoll_request *r, struct tc_piece *p)
{
	struct tc_area *a = r->party->area;

	if (!all_arrived(a, tc_node_use(r, p)))
		return false;
	if (tc_node_reduces(r)) {
		if (!agree(r))
			return false;
		tc_node_combine(r, p);
	}
	p->posts = take_turn(r, p) + 1 == a->num_local;
	p->phase = TURN;
	return true;
}

/* A fixed leader posts once all have taken their turns, but waits for nobody if a root's data spread. */
static bool may_post(struct tallycoll_request *r, struct tc_piece *p)
{
	struct tc_area *a = r->party->area;
	uint32_t turns = ((tc_node_use(r, p) - 1) / TC_AREA_SLOTS + 1) * a->num_local;

	if (!has_fixed_leader(r) || (tc_node_spreads(r) && !is_crowded(r)))
		return p->posts;
	p->posts = is_first(r);
	return p->posts && reached(&a->head->slot[tc_node_slot(r, p)].turns, turns);
}

/*
 * Other nodes take what is posted for right, so blocks that do not fit together are not posted. In a
 * reduction combine() has looked; data that spread are the poster's own.
 */
static bool must_not_post(const struct tallycoll_request *r)
{
	return !tc_node_reduces(r) && !tc_node_spreads(r) && !agree(r);
}

/* Posts what need not wait for another message. */
static bool post_first(struct tallycoll_request *r, struct tc_piece *p)
{
	const uint32_t num = tc_node_scatters(r) ? TC_NODE_GATHER : 1;

	while (p->messages < num)
		if (!tc_node_post(r, p))
			return false;
	return true;
}

static bool turn(struct tallycoll_request *r, struct tc_piece *p)
{
	struct tc_member_group *mg = r->team->mg;
	bool may = may_post(r, p);

	if (mg->next_post != tc_node_mid(r, p) || (p->posts && !may) ||
	    (may && (must_not_post(r) || !post_first(r, p))))
		return false;
	if (!p->posts)
		mg->next_post += tc_way_messages(r->way, r->args.opcode);
	p->phase = p->posts					     ? NET :
		   r->gets || r->args.opcode == TALLY_OPCODE_BARRIER ? RESULT :
								       LEAVE;
	return true;
}

/*
 * No message of this rank comes between those of a piece. The pieces are gathered one after the other, as with
 * a fixed leader: two leaders' rings at once would delay the first piece, and its copies with it.
 */
static bool second(struct tallycoll_request *r, struct tc_piece *p)
{
	const struct tc_area *a = r->party->area;
	uint32_t before = tc_node_use(r, p) - 1;

	if (p->index && !reached(&a->head->slot[(before - 1) % TC_AREA_SLOTS].result, before))
		return false;
	if (!tc_node_post(r, p))
		return false;
	p->phase = NET;
	return true;
}

static bool result(struct tallycoll_request *r, struct tc_piece *p)
{
	const struct tc_area_slot *slot = &r->party->area->head->slot[tc_node_slot(r, p)];
	const struct tc_flag *flag = &slot->result;

	if (r->args.opcode == TALLY_OPCODE_BCAST && tc_node_near_root(r))
		flag = &slot->posted;
	if (!reached(flag, tc_node_use(r, p)))
		return false;
	if (!agree(r))
		return false;
	if (r->gets)
		tc_node_take(r, p);
	p->phase = LEAVE;
	return true;
}

/* The flag counts uses, so a rank leaves them in order, also those of several requests. */
static bool leave(struct tallycoll_request *r, struct tc_piece *p)
{
	struct tc_area *a = r->party->area;

	if (r->party->left + 1 != tc_node_use(r, p))
		return false;
	r->party->left++;
	a->host->ops->set(a->host, &a->head->rank[r->party->number].left, r->party->left);
	p->busy = false;
	r->ended++;
	return false;
}

static bool advance(struct tallycoll_request *r, struct tc_piece *p)
{
	switch (p->phase) {
	case ENTER:
		return enter(r, p);
	case COMBINE:
		return combine(r, p);
	case TURN:
		return turn(r, p);
	case SECOND:
		return second(r, p);
	case RESULT:
		return result(r, p);
	case LEAVE:
		return leave(r, p);
	default:
		return false;
	}
}

/* ---- The way ---- */
static bool is_alone(const struct tallycoll_request *r)
{
	return !r->party->area;
}

static void begin(struct tallycoll_request *r, enum tc_party_kind kind)
{
	r->party = &r->team->mg->party[kind];
	if (is_alone(r)) {
		tc_way_direct.begin(r);
		return;
	}
	r->first_use = r->party->next_use;
	r->party->next_use += r->pieces;
}

static void begin_node(struct tallycoll_request *r)
{
	begin(r, TC_PARTY_NODE);
}

static void begin_socket(struct tallycoll_request *r)
{
	begin(r, TC_PARTY_SOCKET);
}

static void start_pieces(struct tallycoll_request *r)
{
	while (r->started < r->pieces && r->started - r->ended < TC_AREA_SLOTS) {
		struct tc_piece *p = &r->piece[r->started % TC_AREA_SLOTS];

		*p = (struct tc_piece){ .request = r, .index = r->started++, .busy = true };
	}
}

static void step(struct tallycoll_request *r)
{
	uint32_t ended = r->ended;
	bool moved = false;

	if (is_alone(r)) {
		tc_way_direct.step(r);
		return;
	}
	start_pieces(r);
	for (uint32_t i = r->ended; i < r->started; i++) {
		struct tc_piece *p = &r->piece[i % TC_AREA_SLOTS];

		while (p->busy && advance(r, p))
			moved = true;
		start_pieces(r);
	}
	if (moved || r->ended != ended)
		r->team->looked_ns = 0;
	else if (r->ended < r->pieces)
		tc_watch(r);
}

static void outcome(struct tallycoll_request *r, struct tc_piece *p, const struct tc_outcome *o)
{
	struct tc_area *a = r->party->area;

	if (is_alone(r)) {
		tc_way_direct.outcome(r, p, o);
		return;
	}
	p->outcomes++;
	if (o->status) {
		tc_outcome_failed(r, o);
	} else if (p->outcomes == tc_way_messages(r->way, r->args.opcode)) {
		p->phase = r->gets ? RESULT : LEAVE;
		a->host->ops->set(a->host, &a->head->slot[tc_node_slot(r, p)].result,
				  tc_node_use(r, p));
	} else if (p->outcomes == TC_NODE_GATHER) {
		p->phase = SECOND;
	}
}

static void drop(struct tallycoll_request *r)
{
	if (is_alone(r)) {
		tc_way_direct.drop(r);
		return;
	}
	for (unsigned int i = 0; i < TC_AREA_SLOTS; i++)
		if (r->piece[i].busy && r->piece[i].outcomes == r->piece[i].messages) {
			r->piece[i].busy = false;
			r->ended++;
		}
}

#define NODE_WAY .most = most, .begin = begin_node, .step = step, .outcome = outcome, .drop = drop

const struct tc_way tc_way_node = { .name = "node", NODE_WAY };
const struct tc_way tc_way_fixed = { .name = "fixed", .fixed = true, NODE_WAY };
const struct tc_way tc_way_cp_bt = { .name = "cp-bt", .mode = TALLY_MODE_TREE, NODE_WAY };
const struct tc_way tc_way_cp_rdaas = {
	.name = "cp-rdaas", .mode = TALLY_MODE_EXCHANGE, .scatters = true, NODE_WAY
};
const struct tc_way tc_way_cp_ringaas = {
	.name = "cp-ringaas", .mode = TALLY_MODE_RING, .scatters = true, NODE_WAY
};
const struct tc_way tc_way_p_bt = {
	.name = "p-bt", .fixed = true, .mode = TALLY_MODE_TREE, NODE_WAY
};
const struct tc_way tc_way_p_rdaas = {
	.name = "p-rdaas", .fixed = true, .mode = TALLY_MODE_EXCHANGE, .scatters = true, NODE_WAY
};
const struct tc_way tc_way_p_ringaas = {
	.name = "p-ringaas", .fixed = true, .mode = TALLY_MODE_RING, .scatters = true, NODE_WAY
};

const struct tc_way tc_way_socket = {
	.name = "socket",
	.most = most,
	.begin = begin_socket,
	.step = step,
	.outcome = outcome,
	.drop = drop,
};
