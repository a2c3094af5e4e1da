// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_plan: every chunk of the first two rounds of all groups of up to five nodes, seen from each node, in
// each mode, with each operation and root; and random chunks of random groups of up to 4096 nodes. Compares with
// chunk_plan() of the model.
#include "Vdut.h"
#include "gen/tally_hw.h"
#include "plan_model.h"
#include "plan_stream.h"
#include "plan_world.h"

struct Question {
	plan_group group;
	plan_chunk chunk;
	plan_moves moves;
	bool known;
};

static const uint8_t opcodes[] = { TALLY_OPCODE_ALLREDUCE, TALLY_OPCODE_REDUCE, TALLY_OPCODE_BCAST, TALLY_OPCODE_BARRIER };

class Tester {
public:
	explicit Tester(tally::Bench<Vdut> &bench) : bench_(bench), dut_(*bench.dut), rng_(bench.rng) {}

	void ask(const plan_group &g, const plan_chunk &c, bool known = true)
	{
		Question q = { g, c, {}, known };

		while (!go_.go())
			cycle();
		plan_model_group(&g);
		if (known)
			q.moves = plan_model_moves(&c);
		dut_.valid_i = 1;
		pack_group(g, dut_.group_i);
		pack_chunk(c, plan_model_route(c.root_node), dut_.chunk_i);
		dut_.tag_i = stream_.tag();
		stream_.ask(bench_.cycle(), q);
		cycle();
		dut_.valid_i = 0;
		dut_.tag_i = ~0;
	}

	void finish()
	{
		while (!stream_.empty())
			cycle();
	}

	void all(const plan_group &g);
	void others(const plan_group &g);
	void small();
	void random();

private:
	void cycle()
	{
		bench_.settle();
		if (const Question *q = stream_.answered(bench_.cycle(), dut_.valid_o, dut_.tag_o))
			check(*q);
		bench_.tick();
	}

	void check(const Question &q)
	{
		const plan_moves m = unpack_moves(dut_.plan_o);

		CHECK(dut_.known_o == q.known, "mode %d, opcode %d: known is %d", q.chunk.mode, q.chunk.opcode, dut_.known_o);
		CHECK(!q.known || m == q.moves, "node %d of %d, mode %d, opcode %d, root %d, sid %u: another plan", q.group.node,
		      q.group.nodes, q.chunk.mode, q.chunk.opcode, q.chunk.root_node, q.chunk.sid);
	}

	tally::Bench<Vdut> &bench_;
	Vdut &dut_;
	tally::Rng &rng_;
	tally::Throttle go_{ rng_ };
	Stream<Question> stream_{ 12 };
};

// Asks for all chunks of the first two rounds.
void Tester::all(const plan_group &g)
{
	for (uint8_t opcode : opcodes)
		for (uint16_t root = 0; root < g.nodes; root++) {
			uint8_t rank = rng_.below(64);

			ask(g, { TALLY_MODE_TREE, opcode, rank, root, 0 });
			if (opcode != TALLY_OPCODE_REDUCE && opcode != TALLY_OPCODE_BCAST)
				ask(g, { TALLY_MODE_EXCHANGE, opcode, rank, root, 0 });
			for (uint32_t sid = 0; sid < 2u * g.nodes; sid++)
				ask(g, { TALLY_MODE_RING, opcode, rank, root, sid });
		}
}

// Asks for what the block does not plan.
void Tester::others(const plan_group &g)
{
	for (uint8_t mode = 0; mode <= TALLY_MODE_RING + 1; mode++)
		for (uint8_t opcode = 0; opcode < 32; opcode++) {
			bool rooted = opcode == TALLY_OPCODE_REDUCE || opcode == TALLY_OPCODE_BCAST;
			bool known = opcode >= TALLY_OPCODE_ALLREDUCE && opcode <= TALLY_OPCODE_BARRIER &&
				     mode >= TALLY_MODE_TREE && mode <= TALLY_MODE_RING &&
				     !(rooted && mode == TALLY_MODE_EXCHANGE);

			ask(g, { mode, opcode, 0, 0, 0 }, known);
		}
}

void Tester::small()
{
	for (unsigned int nodes = 1; nodes <= 5; nodes++)
		all_trees(nodes, [&](const Tree &tree) {
			for (unsigned int node = 0; node < nodes; node++)
				all(group_of(rng_, tree, node));
		});
	others(group_of(rng_, { 0, 1, 1 }, 1));
}

void Tester::random()
{
	const Tree tree = random_tree(rng_, rng_.one_in(4) ? TALLY_MAX_NODES : 64);
	const plan_group g = group_of(rng_, tree, rng_.one_in(4) ? 0 : rng_.below(tree.size()));

	for (int i = 0; i < 20; i++)
		ask(g, random_chunk(rng_, g));
}

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("plan", argc, argv);
	Tester tester(bench);

	bench.dut->valid_i = 0;
	bench.reset();
	tester.small();
	for (uint64_t left = bench.times(1000); left; left--)
		tester.random();
	tester.finish();
	return bench.finish();
}
