// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The mode of each operation in a shared plan. Every mode that offers the operation gets an estimate
 * for messages of each power of two of bytes. The table has a mode for small messages, one for
 * middle ones and one for large ones. Those are taken that are closest to the best mode of every
 * length.
 */
#include "plan/plan_int.h"

#include <errno.h>
#include <string.h>

#define LEAST_LOG 3		/* 8 bytes */
#define NUM_SIZES 22		/* up to 16 MiB */
#define NUM_MODES (TALLY_MODE_RING + 1)
#define UNIT 1024		/* of a quotient of times */

struct table {
	struct plan *plan;
	const struct plan_request *req;
	/* EXCHANGE: times of a chunk by log2 of its bytes + 1; those of first_ns 0 are unknown */
	struct plan_time chunk[16];
	uint64_t ns[NUM_MODES][NUM_SIZES];
	uint64_t wanted;		/* segments */
};

/* ---- Estimates ---- */

static bool offers(const struct table *t, enum tally_mode mode, enum tally_opcode opcode)
{
	bool blocks = TALLY_OPCODES_BLOCKS >> opcode & 1;

	if (t->plan->flags & TALLY_GROUP_F_SPARSE && blocks)
		return false;
	return t->plan->modes & plan_mode_bit(mode) && plan_mode_offers(mode, opcode);
}

/* The time depends only on the length of a chunk, which is rounded up to a power of two. */
static int exchange_time(struct table *t, uint64_t bytes, struct plan_time *time)
{
	struct plan_shape *shape = t->plan->shape;
	uint32_t at = bytes ? 1 + plan_levels(bytes) : 0;
	struct plan_time *known = &t->chunk[at];
	struct plan_work work = shape->work;
	int err = 0;

	if (!known->first_ns) {
		plan_set_chunk(&work, t->req, at ? 1u << (at - 1) : 0);
		err = plan_exchange_estimate(&shape->topo, &work.costs, &shape->parts,
					     shape->exchange, known);
	}
	*time = *known;
	return err;
}

static bool goes_to_all(enum tally_opcode opcode)
{
	return opcode == TALLY_OPCODE_ALLREDUCE || opcode == TALLY_OPCODE_BARRIER ||
	       opcode == TALLY_OPCODE_BCAST;
}

static bool in_fixed_order(const struct plan *plan, enum tally_mode mode, enum tally_opcode opcode)
{
	bool reduces = opcode == TALLY_OPCODE_ALLREDUCE || opcode == TALLY_OPCODE_REDUCE ||
		       opcode == TALLY_OPCODE_REDUCE_SCATTER;

	return reduces &&
	       (mode == TALLY_MODE_EXCHANGE || plan->flags & TALLY_GROUP_F_ORDERED);
}

/* Estimates a message, and notes the segments that it needs. */
static int estimate(struct table *t, enum tally_mode mode, enum tally_opcode opcode,
		    uint64_t bytes, uint64_t *ns)
{
	struct plan *plan = t->plan;
	struct plan_shape *shape = plan->shape;
	uint32_t most = in_fixed_order(plan, mode, opcode) ? plan->chunk : plan->mtu;
	struct plan_time *time = &shape->time;
	uint64_t wanted;
	int err;

	shape->work = plan_work_for(plan, t->req, opcode, bytes, most);
	*time = (struct plan_time){ 0 };
	if (mode == TALLY_MODE_TREE)
		err = plan_tree_estimate(plan, shape->tree, shape->multicast && goes_to_all(opcode),
					 time);
	else if (mode == TALLY_MODE_EXCHANGE)
		err = exchange_time(t, shape->work.chunk, time);
	else
		err = plan_ring_make(plan, t->req, NULL);
	if (err)
		return err;
	*ns = plan_total(&shape->work, time);
	wanted = plan_wanted_segs(mode, &shape->work, time);
	t->wanted = wanted > t->wanted ? wanted : t->wanted;
	return 0;
}

/* ---- Choices ---- */

/* Sets the quotients of each mode's time and the best one. */
static void compare(struct table *t, enum tally_opcode opcode)
{
	for (uint32_t k = 0; k < NUM_SIZES; k++) {
		uint64_t best = UINT64_MAX;

		for (uint32_t m = TALLY_MODE_TREE; m < NUM_MODES; m++)
			if (offers(t, m, opcode) && t->ns[m][k] < best)
				best = t->ns[m][k];
		for (uint32_t m = TALLY_MODE_TREE; m < NUM_MODES; m++)
			t->ns[m][k] = t->ns[m][k] * UNIT / best;
	}
}

/* Columns of the table, and the number of sizes up to the end of each one. */
#define COLUMNS 3
struct choice {
	uint8_t mode[COLUMNS];
	uint32_t end[COLUMNS];
	uint64_t cost;
};

/* Appends the mode that costs least for the sizes up to, but not including, `end`. */
static void append(const struct table *t, enum tally_opcode opcode, struct choice *c, uint32_t k,
		   uint32_t end)
{
	uint64_t least = UINT64_MAX;

	for (uint32_t m = TALLY_MODE_TREE; m < NUM_MODES; m++) {
		uint64_t cost = 0;

		for (uint32_t i = k ? c->end[k - 1] : 0; i < end; i++)
			cost += t->ns[m][i];
		if (!offers(t, m, opcode) || cost >= least)
			continue;
		least = cost;
		c->mode[k] = m;
	}
	c->end[k] = end;
	c->cost += least;
}

/* Returns the choice with the lowest cost, and of those the one with the fewest columns. */
static struct choice best_choice(const struct table *t, enum tally_opcode opcode)
{
	struct choice best = { .cost = UINT64_MAX };

	for (uint32_t a = NUM_SIZES; a > 0; a--) {
		for (uint32_t b = NUM_SIZES; b >= a; b--) {
			struct choice c = { .cost = 0 };

			append(t, opcode, &c, 0, a);
			append(t, opcode, &c, 1, b);
			append(t, opcode, &c, 2, NUM_SIZES);
			if (c.cost < best.cost)
				best = c;
		}
	}
	return best;
}

static uint8_t log_of(uint32_t sizes)
{
	return sizes < NUM_SIZES ? LEAST_LOG + sizes - 1 : 0;
}

/* Enters a choice into the table; a column without sizes is as the one before it. */
static void enter(struct plan *plan, uint32_t i, const struct choice *c)
{
	bool two = c->end[0] < NUM_SIZES, three = two && c->end[1] < NUM_SIZES;

	plan->choice_small[i] = c->mode[0];
	plan->choice_middle[i] = two ? c->mode[1] : c->mode[0];
	plan->choice_large[i] = three ? c->mode[2] : plan->choice_middle[i];
	plan->choice_small_log[i] = log_of(c->end[0]);
	plan->choice_middle_log[i] = log_of(c->end[1]);
}

static int choose(struct table *t, enum tally_opcode opcode)
{
	struct plan *plan = t->plan;
	struct choice choice;
	int err = 0;

	memset(t->ns, 0, sizeof(t->ns));
	for (uint32_t m = TALLY_MODE_TREE; m < NUM_MODES; m++)
		for (uint32_t k = 0; k < NUM_SIZES && !err && offers(t, m, opcode); k++)
			err = estimate(t, m, opcode, 1ULL << (LEAST_LOG + k), &t->ns[m][k]);
	if (err)
		return err;
	compare(t, opcode);
	choice = best_choice(t, opcode);
	enter(plan, opcode - 1, &choice);
	return 0;
}

/* ---- Mode of the group ---- */

static int choose_mode(struct table *t, const struct refusal *to)
{
	enum tally_opcode opcode = t->req->opcode ? t->req->opcode : TALLY_OPCODE_ALLREDUCE;
	struct plan *plan = t->plan;
	int err = 0;

	if (t->req->mode && !offers(t, t->req->mode, opcode))
		return plan_refuse(to, "mode: %s does not offer %s", plan_mode_name(t->req->mode),
				   plan_opcode_name(opcode));
	plan->estimate_ns = UINT64_MAX;
	for (uint32_t m = TALLY_MODE_TREE; m < NUM_MODES && !err; m++) {
		uint64_t ns = 0;

		if (!offers(t, m, opcode))
			continue;
		err = estimate(t, m, opcode, t->req->bytes, &ns);
		plan_add_reason(plan, m, ns);
		if (t->req->mode ? m != t->req->mode : ns >= plan->estimate_ns)
			continue;
		plan->mode = m;
		plan->estimate_ns = ns;
	}
	if (err || plan->mode)
		return err;
	return plan_refuse(to, "opcode: the modes of the group do not offer %s",
			   plan_opcode_name(opcode));
}

/* Messages of the operations that a requested mode offers have this mode. */
static void prefer_mode(struct plan *plan, enum tally_mode mode)
{
	for (uint32_t i = 0; i < PLAN_NUM_CHOICES && mode; i++) {
		if (!plan_mode_offers(mode, i + 1))
			continue;
		plan->choice_small[i] = plan->choice_middle[i] = plan->choice_large[i] = 0;
		plan->choice_small_log[i] = plan->choice_middle_log[i] = 0;
	}
}

int plan_choose_table(struct plan *plan, const struct plan_request *req, const struct refusal *to)
{
	struct table t = { .plan = plan, .req = req };
	int err = 0;

	for (uint32_t opcode = 1; opcode <= PLAN_NUM_CHOICES && !err; opcode++)
		err = choose(&t, opcode);
	if (!err)
		err = choose_mode(&t, to);
	if (err)
		return err;
	prefer_mode(plan, req->mode);
	return plan_share_segs(plan, req, t.wanted, to);
}
