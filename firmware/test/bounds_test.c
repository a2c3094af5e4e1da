// SPDX-License-Identifier: BSD-2-Clause
/* Checks of the configuration of a group: values that are just permitted, and several errors. */
#include "firmware/limits.h"
#include "firmware/test/described.h"
#include "firmware/test/tests.h"

/* The driver is told of one error, the first one in a fixed order. */
void first_error_is_told(void)
{
	const struct group_room none = { GROUPS_SEGS, 16, 0 };
	struct setting s;

	setting_new(&s, TREE_ROOT);
	s.cfg.msg_cells = le32(TALLY_MAX_GROUP_CELLS + 1);
	expect_with(&s, &none, TALLY_ADMIN_STATUS_BAD_FIELD, OF_GROUP(msg_cells), "a field before room");
	setting_new(&s, TREE_ROOT);
	s.cfg.total_ranks = le32(1);
	s.edges[0].subtree_count = 0;
	expect_refused(&s, OF_EDGE(0, subtree_count), "an edge of a tree before its ranks");
	setting_new(&s, RING);
	s.cfg.total_ranks = le32(1);
	s.edges[0].round = 1;
	expect_refused(&s, OF_GROUP(total_ranks), "the ranks of a ring before its edges");
	setting_new(&s, TREE_ROOT);
	s.cfg.flags = le32(TALLY_GROUP_F_ROOT | TALLY_GROUP_F_SPARSE | TALLY_GROUP_F_UNIFORM);
	s.cfg.rank_mask = s.cfg.owner_ranks = 0;
	s.cfg.total_ranks = 0;
	expect_refused(&s, OF_GROUP(flags), "UNIFORM without a rank before the ranks");
	s.cfg.flags = le32(TALLY_GROUP_F_ROOT | TALLY_GROUP_F_SPARSE);
	expect_refused(&s, OF_GROUP(total_ranks), "the number of ranks before theirs");
}

/* Expect a choice to be taken where the mode offers the operation. */
static void expect_choice(struct setting *s, uint8_t *choice, unsigned int i, uint8_t mode,
			  uint32_t opcodes, size_t first)
{
	choice[i] = mode;
	if (opcodes >> (i + 1) & 1)
		expect_taken(s, "an operation that is offered");
	else
		expect_refused(s, first + i, "an operation that is not offered");
	choice[i] = 0;
}

static void expect_length(struct setting *s, uint8_t *log, unsigned int i, size_t first)
{
	log[i] = TALLY_MAX_CHOICE_LOG;
	expect_taken(s, "the largest length");
	log[i]++;
	expect_refused(s, first + i, "a length that is too large");
	log[i] = 0;
}

void choices_of_each_operation(void)
{
	static const struct {
		enum groups_base base;
		uint8_t mode;
		uint32_t opcodes;
	} modes[] = {
		{ TREE_OF_7, TALLY_MODE_TREE, TALLY_OPCODES_TREE },
		{ EXCHANGE_OF_5, TALLY_MODE_EXCHANGE, TALLY_OPCODES_EXCHANGE },
		{ RING_OF_5, TALLY_MODE_RING, TALLY_OPCODES_RING },
	};
	struct setting s;
	unsigned int m, i;

	for (m = 0; m < 3; m++) {
		setting_new(&s, modes[m].base);
		for (i = 0; i < NUM_CHOICES; i++) {
			expect_choice(&s, s.cfg.choice_small, i, modes[m].mode, modes[m].opcodes,
				      OF_GROUP(choice_small));
			expect_choice(&s, s.cfg.choice_middle, i, modes[m].mode, modes[m].opcodes,
				      OF_GROUP(choice_middle));
			expect_choice(&s, s.cfg.choice_large, i, modes[m].mode, modes[m].opcodes,
				      OF_GROUP(choice_large));
			expect_length(&s, s.cfg.choice_small_log, i, OF_GROUP(choice_small_log));
			expect_length(&s, s.cfg.choice_middle_log, i, OF_GROUP(choice_middle_log));
		}
	}
}

static void expect_inputs(struct setting *s, uint32_t inputs, const char *name)
{
	s->cfg.flags |= le32(TALLY_GROUP_F_ORDERED);
	s->cfg.msg_cells = le32(inputs);
	expect_taken(s, name);
	s->cfg.msg_cells = le32(inputs - 1);
	expect_refused(s, OF_GROUP(msg_cells), name);
}

static void make_peer(struct tally_group_edge *edge)
{
	edge->remote_index = le16(7);
	edge->subtree_first = edge->subtree_count = 0;
	edge->rank_first = edge->rank_count = 0;
}

/* As many cells as a chunk has inputs: the ranks, and whatever comes in one mode. */
void inputs_of_fixed_order(void)
{
	struct setting s;

	setting_new(&s, TREE_OF_7);
	expect_inputs(&s, 4, "two ranks and two children");
	setting_new(&s, TREE_OF_7);
	make_peer(&s.edges[0]);
	s.edges[1].rank_first = le32(4);
	expect_inputs(&s, 4, "two ranks, a child and a peer");
	setting_new(&s, RING_OF_5);
	expect_inputs(&s, 3, "two ranks and the left one");
	setting_new(&s, EXCHANGE_OF_5);
	expect_inputs(&s, 7, "two ranks, three parts and the own one of each round");
	s.cfg.rounds = TALLY_MAX_ROUNDS;
	expect_inputs(&s, 5 + TALLY_MAX_ROUNDS, "rounds in which this node has no neighbour");
	setting_new(&s, TREE_OF_7);
	s.cfg.mode = TALLY_MODE_RING;
	s.cfg.modes = TALLY_MODES_TREE | TALLY_MODES_RING;
	s.edges[0].roles = le16(TALLY_ROLE_RING_IN);
	s.edges[1].roles = le16(TALLY_ROLE_RING_OUT);
	s.edges[0].remote_index = s.edges[1].remote_index = 0;
	s.edges[0].roles |= le16(TALLY_ROLE_CHILD);
	s.edges[1].roles |= le16(TALLY_ROLE_CHILD);
	expect_inputs(&s, 4, "two children, of whom one is the left one");
}

/* A chunk with its inputs and results fits into a slot of 8 KiB. */
void longest_chunks(void)
{
	struct setting s;

	setting_new(&s, EXCHANGE);
	s.cfg.chunk = le32(512);
	s.cfg.msg_cells = 0;
	expect_taken(&s, "no cells, because all fits into a slot");
	setting_new(&s, RING_OF_5);
	s.cfg.flags |= le32(TALLY_GROUP_F_ORDERED);
	s.cfg.chunk = le32(1024);
	expect_taken(&s, "two ranks, two edges, the sum and the result");
	s.cfg.chunk = le32(2048);
	expect_refused(&s, OF_GROUP(chunk), "longer ones");
	s.cfg.rank_mask = le64(0xf);
	s.cfg.total_ranks = le32(20);
	s.cfg.chunk = le32(1024);
	expect_taken(&s, "four ranks and two edges, which fill the slot");
	s.cfg.rank_mask = le64(0x1f);
	expect_refused(&s, OF_GROUP(chunk), "a rank more");
	s.cfg.rank_mask = le64(7);
	s.cfg.chunk = le32(1u << 31);
	expect_refused(&s, OF_GROUP(chunk), "six of them have 0 bytes in 32 bits");
}

/* Node 0 of `nodes`, all others of which are its children, or but for the last, which is the parent. */
static void describe_star(struct setting *s, unsigned int children)
{
	unsigned int i;

	setting_new(s, TREE_ROOT);
	s->cfg.num_nodes = le16(children + 1);
	s->cfg.num_edges = le16(children);
	s->cfg.total_ranks = le32(2 * (children + 1));
	for (i = 0; i < children && i <= TALLY_MAX_CONTRIBUTORS; i++) {
		s->edges[i] = s->edges[0];
		s->edges[i].subtree_first = le16(i + 1);
		s->edges[i].rank_first = le32(2 * (i + 1));
	}
}

void most_neighbours(void)
{
	static struct setting s;

	describe_star(&s, TALLY_MAX_CONTRIBUTORS);
	expect_taken(&s, "most children of a root");
	describe_star(&s, TALLY_MAX_CONTRIBUTORS + 1);
	expect_refused(&s, OF_GROUP(num_edges), "one more");
	s.cfg.flags = 0;
	s.cfg.epoch = 0;
	s.cfg.num_nodes = le16(TALLY_MAX_CONTRIBUTORS + 2);
	s.cfg.total_ranks = le32(2 * (TALLY_MAX_CONTRIBUTORS + 2));
	make_peer(&s.edges[TALLY_MAX_CONTRIBUTORS]);
	expect_taken(&s, "most children and a parent");
	s.edges[TALLY_MAX_CONTRIBUTORS].roles = le16(TALLY_ROLE_PARENT);
	expect_refused(&s, OF_EDGE(TALLY_MAX_CONTRIBUTORS, roles), "a parent with a role");
}

static void alone(struct setting *s, enum groups_base base)
{
	setting_new(s, base);
	s->cfg.flags = le32(TALLY_GROUP_F_ROOT);
	s->cfg.epoch = le32(1);
	s->cfg.node = s->cfg.num_edges = s->cfg.rank_first = 0;
	s->cfg.num_nodes = le16(1);
	s->cfg.total_ranks = le32(2);
	s->cfg.rounds = 0;
}

void groups_of_one_node(void)
{
	struct setting s;

	alone(&s, RING);
	expect_taken(&s, "a ring");
	alone(&s, TREE_ROOT);
	expect_taken(&s, "a tree");
	s.cfg.total_ranks = le32(3);
	expect_refused(&s, OF_GROUP(total_ranks), "a rank elsewhere");
	alone(&s, EXCHANGE);
	expect_taken(&s, "an exchange");
	s.cfg.rounds = 1;
	expect_refused(&s, OF_GROUP(rounds), "a round with nobody");
}
