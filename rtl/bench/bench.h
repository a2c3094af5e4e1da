// SPDX-License-Identifier: BSD-2-Clause
// Common parts of all benches: the clock, the options, random numbers, checks.
//
// What a reset does not set begins with random values, by the seed. A block that rests on zeros there fails.
//
// A bench runs a cycle as follows: it sets the block's inputs, calls settle(), reads the outputs, notes which transfers
// take place, and calls tick(). A bench ends in finish(). A check that fails ends the bench at once, with status 1, and
// prints the seed and the cycle.
#ifndef TALLY_RTL_BENCH_H
#define TALLY_RTL_BENCH_H

#include <cstdint>
#include <memory>
#include <string>

#include "verilated.h"
#if VM_TRACE
#include "verilated_vcd_c.h"
#endif

namespace tally {

// SplitMix64. The same seed gives the same numbers on every machine.
class Rng {
public:
	explicit Rng(uint64_t seed) : state_(seed) {}
	uint64_t next();
	uint64_t below(uint64_t bound) { return next() % bound; }
	bool one_in(uint64_t n) { return below(n) == 0; }
	void fill(void *to, size_t len);

private:
	uint64_t state_;
};

// Decides in each cycle whether one side of a handshake is ready. For some cycles it is always ready, then never, often
// or seldom.
class Throttle {
public:
	explicit Throttle(Rng &rng) : rng_(rng) {}
	bool go();

private:
	Rng &rng_;
	unsigned int left_ = 0, percent_ = 100;
};

struct Options {
	uint64_t seed = 1;		// --seed N
	bool long_run = false;		// --long: runs many times as many cycles
	std::string coverage;		// --coverage FILE: output file for the coverage data
	std::string trace;		// --trace FILE: output file for wave forms, if built with TALLY_RTL_TRACE
};

// Reads the command line. Prints the usage and ends the program if the command line is wrong. The models that are made
// afterwards begin with random values, by the seed.
Options parse(int argc, char **argv);

// Ends the program with status 1. The arguments, as of printf(), describe the fault.
[[noreturn]] void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

// Calls fail() unless the condition holds.
#define CHECK(condition, ...)                    \
	do {                                     \
		if (!(condition))                \
			tally::fail(__VA_ARGS__); \
	} while (0)

// Position that fail() prints. Bench keeps it up to date.
struct Place {
	const char *name;
	uint64_t seed, cycle;
};
extern Place place;

void write_coverage(const std::string &file);

// The block under test, with ports clk_i and rst_ni.
template <typename Dut> class Bench {
public:
	Bench(const char *name, int argc, char **argv)
		: options(parse(argc, argv)), rng(options.seed), dut(std::make_unique<Dut>())
	{
		place = { name, options.seed, 0 };
		start_trace();
		dut->clk_i = 0;
		dut->rst_ni = 1;
		settle();	// so that the first reset has an edge
	}

	// Resets the block, also amid its traffic. The caller sets the inputs to their idle values before. The reset ends
	// at the beginning of a cycle.
	void reset()
	{
		dut->rst_ni = 0;
		for (int i = 0; i < 2; i++)
			tick();
		dut->rst_ni = 1;
	}

	// Calls step() `steps` times. Before the first one and now and then amid the traffic, calls restart(), which resets
	// the block and forgets what the bench knows of its state. There are some eight restarts in a run of any length, and
	// each may be at any moment.
	template <typename Restart, typename Step> void live(uint64_t steps, Restart restart, Step step)
	{
		restart();
		for (uint64_t left = steps; left; left--) {
			if (rng.one_in(steps / 8 + 1))
				restart();
			step();
		}
	}

	void settle() { dut->eval(); }

	void tick()
	{
		settle();
		dump(0);
		dut->clk_i = 1;
		dut->eval();
		dump(5);
		dut->clk_i = 0;
		dut->eval();
		place.cycle++;
	}

	uint64_t cycle() const { return place.cycle; }

	// Prints a latency of the block for `tools/rtl cycles`, which finds these lines by their first word.
	void report_cycles(const char *what, uint64_t cycles) const
	{
		std::printf("cycles: %s.%s %llu\n", place.name, what, static_cast<unsigned long long>(cycles));
	}

	// Returns the number of iterations of a loop, which is smaller in make check than in make rtl-check.
	uint64_t times(uint64_t in_check, uint64_t factor = 10) const
	{
		return options.long_run ? in_check * factor : in_check;
	}

	// Ends the bench and returns the exit status for main().
	int finish()
	{
		dut->final();
		if (!options.coverage.empty())
			write_coverage(options.coverage);
		std::printf("%s: %llu cycles, seed %llu: passed\n", place.name,
			    static_cast<unsigned long long>(place.cycle),
			    static_cast<unsigned long long>(place.seed));
		return 0;
	}

	const Options options;
	Rng rng;
	const std::unique_ptr<Dut> dut;

private:
#if VM_TRACE
	VerilatedVcdC vcd_;
	void start_trace()
	{
		if (options.trace.empty())
			return;
		Verilated::traceEverOn(true);
		dut->trace(&vcd_, 99);
		vcd_.open(options.trace.c_str());
	}
	void dump(int phase)
	{
		if (vcd_.isOpen())
			vcd_.dump(place.cycle * 10 + phase);
	}
#else
	void start_trace()
	{
		CHECK(options.trace.empty(), "--trace: this bench was built without TALLY_RTL_TRACE");
	}
	void dump(int) {}
#endif
};

} // namespace tally

#endif
