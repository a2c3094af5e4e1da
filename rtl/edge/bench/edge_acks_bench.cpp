// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_edge_acks: edges are armed, often the same ones and also while no place is left, while time passes, sometimes
// in leaps. Each must come out in its turn, once, and in the first clock in which it is due.
#include <algorithm>
#include <deque>

#include "Vdut.h"
#include "bench.h"

struct Armed {
	unsigned int key;
	uint64_t due;
};

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("edge_acks", argc, argv);
	Vdut &dut = *bench.dut;
	tally::Throttle arm(bench.rng), take(bench.rng);
	std::deque<Armed> queue;
	bool few = false;
	uint64_t out = 0;

	dut.now_i = 0;
	auto restart = [&] {
		dut.arm_valid_i = dut.due_ready_i = 0;
		queue.clear();
		bench.reset();
	};
	auto check = [&] {
		bool due = !queue.empty() && dut.now_i >= queue.front().due;

		CHECK(dut.deadline_valid_o == !queue.empty(), "deadline_valid_o is %d", dut.deadline_valid_o);
		CHECK(queue.empty() || dut.deadline_o == queue.front().due, "the deadline is another one");
		CHECK(dut.due_valid_o == due, "due_valid_o is %d", dut.due_valid_o);
		CHECK(!due || dut.due_key_o == queue.front().key, "edge %u is due, not %u", dut.due_key_o, queue.front().key);
	};
	auto cycle = [&] {
		bool taken, full = queue.size() == Depth;

		if (bench.rng.one_in(400))
			few = bench.rng.one_in(2);
		dut.now_i += bench.rng.one_in(200) ? bench.rng.below(3 * Delay) : 4;
		dut.arm_valid_i = arm.go();
		dut.arm_key_i = bench.rng.below(few ? 3 : 1 << KeyW);
		dut.due_ready_i = take.go();
		bench.settle();
		check();
		taken = dut.due_valid_o && dut.due_ready_i;
		if (taken) {
			queue.pop_front();
			out++;
		}
		if (dut.arm_valid_i && !full && std::none_of(queue.begin(), queue.end(), [&](const Armed &a) { return a.key == dut.arm_key_i; }))
			queue.push_back({ dut.arm_key_i, dut.now_i + Delay });
		bench.tick();
	};
	bench.live(bench.times(100000), restart, cycle);
	CHECK(out > 1000, "%llu edges have come out", static_cast<unsigned long long>(out));
	return bench.finish();
}
