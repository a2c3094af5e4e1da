// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_ordered: compares it with sim/engine/ordered.c, for any number of inputs, any order of arrival, absent
// inputs, trees given up, and stalls on all interfaces. Then the bench measures the times of the block's header.
#include <algorithm>

#include "ordered_world.h"

static void random_runs(tally::Bench<Vdut> &bench, World &world)
{
	uint64_t runs = bench.times(48);

	for (uint64_t run = 0; run < runs; run++) {
		world.max_num = run % 2 ? Inputs : std::min<unsigned int>(Inputs, 6);
		world.give_up_one_in = run % 3 == 2 ? 150 : 0;
		for (uint64_t left = 10000; left; left--)
			world.cycle();
		// Ends the run by a reset with trees open, or in order.
		if (run % 3 == 1)
			world.reset();
		else
			world.finish();
	}
	CHECK(world.results > runs * 20, "only %llu results", static_cast<unsigned long long>(world.results));
}

// Checks that the last of many inputs, after all others are combined, costs at most one combine per level.
static void last_arrivals(tally::Bench<Vdut> &bench, World &world)
{
	world.stalls = false;
	world.trees_in_use = 1;
	world.max_num = Inputs;
	world.min_num = 2;
	for (uint64_t left = bench.times(30); left; left--) {
		unsigned int levels = 0, combines;
		uint64_t begin, cycles, results;

		world.hold_last = 1;
		while (world.idle())
			world.cycle();
		world.begin_more = false;
		world.settle_down();
		const Tree &tree = world.tree(0);
		while (1u << levels < tree.c.inputs.size())
			levels++;
		combines = tree.combines;
		results = world.results;
		begin = bench.cycle();
		world.hold_last = 0;
		while (world.results == results)
			world.cycle();
		cycles = bench.cycle() - begin;
		CHECK(tree.combines - combines <= levels, "the last input of %zu costs %u combines", tree.c.inputs.size(),
		      tree.combines - combines);
		// The bench chooses the slots of inputs at random. Each level takes all words and the latency of the
		// ALU.
		CHECK(cycles <= 20 * Slots + levels * (Words + AluLatency + 8), "the last input takes %llu cycles",
		      static_cast<unsigned long long>(cycles));
		world.begin_more = true;
	}
	world.min_num = 1;
	world.trees_in_use = Slots;
	world.finish();
}

// Clocks of an input that waits, of a level without a combine, and of a level with one.
constexpr unsigned int input_clocks = 2, climb_clocks = 1;
constexpr unsigned int combine_clocks = Words + ReadLatency + AluLatency + 5;

// Opens trees of whole chunks, or of absent inputs, and waits until all inputs except `held` have been taken.
static void prepare(World &world, unsigned int num, World::Given given, size_t held)
{
	world.max_num = num;
	world.given = given;
	world.hold_last = held;
	while (world.open_trees() < world.trees_in_use)
		world.cycle();
	world.begin_more = false;
	world.settle_down();
}

static void run_to_result(World &world)
{
	uint64_t results = world.results;

	while (world.results == results)
		world.cycle();
	world.begin_more = true;
}

// Measures the last of `1 << levels` inputs until its first word is requested. Returns the cycles until the result.
static uint64_t measure_last(World &world, unsigned int levels)
{
	uint64_t words, taken;

	prepare(world, 1u << levels, World::all, 1);
	world.hold_last = 0;
	words = world.words_read;
	while (world.words_read == words)
		world.cycle();
	taken = world.taken_at;
	CHECK(world.read_at - taken == 3, "the first word is requested after %d clocks", int(world.read_at - taken));
	run_to_result(world);
	CHECK(world.offered_at - world.written_at == 3, "the result comes %d clocks after its last word",
	      int(world.offered_at - world.written_at));
	CHECK(world.offered_at - taken == levels * combine_clocks + 2, "%u levels take %d clocks", levels,
	      int(world.offered_at - taken));
	return world.offered_at - taken;
}

// Measures a tree of 1 << levels absent inputs at full rate: pairs move up without a combine.
static void measure_absent(World &world, unsigned int levels)
{
	unsigned int num = 1u << levels;
	uint64_t before, first;

	prepare(world, num, World::none, num);
	world.hold_last = 0;
	before = world.taken_at;
	while (world.taken_at == before)
		world.cycle();
	first = world.taken_at;
	run_to_result(world);
	CHECK(world.offered_at - first == num * input_clocks + (num - 1) * climb_clocks,
	      "%u absent inputs take %d clocks", num, int(world.offered_at - first));
}

// Checks that a word is requested in each clock while inputs are available.
static void measure_rate(World &world, unsigned int levels)
{
	const unsigned int warm = 100, stretch = Slots * (1u << levels) * Words / 2;
	uint64_t words;

	prepare(world, 1u << levels, World::in_turn, 1u << levels);
	world.hold_last = 0;
	for (unsigned int i = 0; i < warm; i++)
		world.cycle();
	words = world.words_read;
	for (unsigned int i = 0; i < stretch; i++)
		world.cycle();
	words = world.words_read - words;
	std::printf("words asked for in %u clocks: %u\n", stretch, unsigned(words));
	CHECK(words == stretch, "%u words in %u clocks", unsigned(words), stretch);
	world.finish();
}

static void measure(tally::Bench<Vdut> &bench, World &world)
{
	unsigned int levels = 31 - __builtin_clz(Inputs);
	uint64_t first, second;

	world.stalls = false;
	world.trees_in_use = 1;
	first = measure_last(world, 1);
	second = measure_last(world, 2);
	// Cycles until the first word: each further word of a chunk takes one more.
	bench.report_cycles("first", first - (Words - 1));
	bench.report_cycles("chain", second - first - (Words - 1));
	bench.report_cycles("alu", AluLatency);
	for (unsigned int k = 3; k <= levels; k++)
		measure_last(world, k);
	measure_absent(world, levels);
	world.finish();
	world.trees_in_use = Slots;
	if (Inputs >= 64)
		measure_rate(world, levels);
}

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("ordered", argc, argv);
	World world(bench);

	world.reset();
	random_runs(bench, world);
	last_arrivals(bench, world);
	measure(bench, world);
	return bench.finish();
}
