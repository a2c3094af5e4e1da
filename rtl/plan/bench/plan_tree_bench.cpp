// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_plan_tree: each operation with each root in all trees of up to six nodes, seen from each node, and in
// random large ones. Compares with chunk_plan() of the model.
#include "Vdut.h"
#include "gen/tally_hw.h"
#include "plan_model.h"
#include "plan_world.h"

static const uint8_t opcodes[] = { TALLY_OPCODE_ALLREDUCE, TALLY_OPCODE_REDUCE, TALLY_OPCODE_BCAST, TALLY_OPCODE_BARRIER };

static void compare(tally::Bench<Vdut> &bench, const plan_group &g, const plan_chunk &c)
{
	plan_moves m;

	plan_model_group(&g);
	m = plan_model_moves(&c);
	pack_group(g, bench.dut->group_i);
	pack_chunk(c, plan_model_route(c.root_node), bench.dut->chunk_i);
	bench.tick();
	bench.settle();
	CHECK(unpack_moves(bench.dut->plan_o) == m, "node %d of %d, opcode %d, root %d: another plan", g.node, g.nodes, c.opcode,
	      c.root_node);
}

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("plan_tree", argc, argv);

	bench.reset();
	for (unsigned int nodes = 1; nodes <= 6; nodes++)
		all_trees(nodes, [&](const Tree &tree) {
			for (unsigned int node = 0; node < nodes; node++) {
				const plan_group g = group_of(bench.rng, tree, node);

				for (uint8_t opcode : opcodes)
					for (uint16_t root = 0; root < nodes; root++) {
						uint8_t rank = bench.rng.below(64);

						compare(bench, g, { TALLY_MODE_TREE, opcode, rank, root, 0 });
					}
			}
		});
	for (uint64_t left = bench.times(1000); left; left--) {
		const Tree tree = random_tree(bench.rng, 300);
		const plan_group g = group_of(bench.rng, tree, bench.rng.one_in(2) ? 0 : bench.rng.below(tree.size()));

		for (int i = 0; i < 20; i++) {
			plan_chunk c = random_chunk(bench.rng, g);

			c.mode = TALLY_MODE_TREE;
			compare(bench, g, c);
		}
	}
	return bench.finish();
}
