// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_plan_ring: all chunks of the first two rounds of rings of up to nine nodes, seen from each node, with
// each operation and root; and random chunks of large rings. Compares with what chunk_plan() of the model makes of the way.
#include "Vdut.h"
#include "gen/tally_hw.h"
#include "plan_model.h"
#include "plan_stream.h"
#include "plan_world.h"

static const uint8_t opcodes[] = { TALLY_OPCODE_ALLREDUCE, TALLY_OPCODE_REDUCE, TALLY_OPCODE_BCAST, TALLY_OPCODE_BARRIER };

struct Question {
	uint16_t node, nodes;
	plan_chunk chunk;
	plan_moves moves;
};

class Tester {
public:
	explicit Tester(tally::Bench<Vdut> &bench) : bench_(bench), dut_(*bench.dut), rng_(bench.rng) {}

	void ask(uint16_t node, uint16_t nodes, const plan_chunk &c)
	{
		plan_group g = {};

		while (!go_.go())
			cycle();
		g.node = node;
		g.nodes = nodes;
		g.edges = 2;
		g.left = 0;
		g.right = 1;
		g.rank_mask = 1;
		plan_model_group(&g);
		dut_.valid_i = 1;
		pack_group(g, dut_.group_i);
		pack_chunk(c, -1, dut_.chunk_i);
		stream_.ask(bench_.cycle(), { node, nodes, c, plan_model_moves(&c) });
		cycle();
		dut_.valid_i = 0;
	}

	void small()
	{
		for (uint16_t nodes = 1; nodes <= 9; nodes++)
			for (uint16_t node = 0; node < nodes; node++)
				for (uint8_t opcode : opcodes)
					for (uint16_t root = 0; root < nodes; root++)
						for (uint32_t sid = 0; sid < 2u * nodes; sid++)
							ask(node, nodes, { TALLY_MODE_RING, opcode, 0, root, sid });
	}

	void random()
	{
		uint16_t nodes = 1 + rng_.below(rng_.one_in(2) ? TALLY_MAX_NODES : 40);
		uint16_t node = rng_.below(nodes), root = rng_.one_in(2) ? (node + rng_.below(3)) % nodes : rng_.below(nodes);
		uint32_t sid = rng_.next() >> rng_.below(32);

		if (rng_.one_in(2)) /* near this node */
			sid = sid / nodes * nodes + node + rng_.below(4);
		ask(node, nodes, { TALLY_MODE_RING, opcodes[rng_.below(4)], 0, root, sid });
	}

	void finish()
	{
		while (!stream_.empty())
			cycle();
	}

private:
	void cycle()
	{
		bench_.settle();
		if (const Question *q = stream_.answered(bench_.cycle(), dut_.valid_o, tag_))
			check(*q);
		bench_.tick();
	}

	void check(const Question &q)
	{
		const plan_moves &m = q.moves;
		bool up = dut_.way_o >> 4 & 1, begins = dut_.way_o >> 3 & 1, turns = dut_.way_o >> 2 & 1;
		bool down = dut_.way_o >> 1 & 1, stops = dut_.way_o & 1;
		bool ups = m.up_send || m.turns; /* every node that the sum reaches sends it on, or turns it */

		tag_++;
		CHECK(up == ups && (!up || turns == m.turns), "node %d of %d, opcode %d, sid %u: up %d, turns %d", q.node, q.nodes,
		      q.chunk.opcode, q.chunk.sid, up, turns);
		CHECK(!up || begins == !m.up_contributors, "node %d of %d: begins is %d", q.node, q.nodes, begins);
		CHECK(down == m.down_expected && (!down || stops == !m.down_todo), "node %d of %d: down %d, stops %d", q.node,
		      q.nodes, down, stops);
	}

	tally::Bench<Vdut> &bench_;
	Vdut &dut_;
	tally::Rng &rng_;
	tally::Throttle go_{ rng_ };
	Stream<Question> stream_{ 10 };
	uint16_t tag_ = 0; /* of the next answer: the block has no tags, its user counts the clocks */
};

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("plan_ring", argc, argv);
	Tester tester(bench);

	bench.dut->valid_i = 0;
	bench.reset();
	tester.small();
	for (uint64_t left = bench.times(50000); left; left--)
		tester.random();
	tester.finish();
	return bench.finish();
}
