// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_store_wait: packets of all slots begin, some of them wait, things change at any moment, and the output stalls.
// Everything that waits must come out, with all that waits of its slot, in the order of the slots, once something has changed
// after it has begun, and not before.
#include <algorithm>
#include <deque>

#include "Vdut.h"
#include "bench.h"

class Wait {
public:
	Wait(int argc, char **argv)
		: bench("store_wait", argc, argv), dut(*bench.dut), rng(bench.rng), begins(rng), changes(rng), takes(rng)
	{
	}
	int run();

private:
	void restart();
	void cycle();
	void drive();
	void check_due();
	void add();

	tally::Bench<Vdut> bench;
	Vdut &dut;
	tally::Rng &rng;
	tally::Throttle begins, changes, takes;
	uint64_t waits[Slots];			// bit Contributors: the sum
	std::deque<unsigned int> list;		// slots with something that waits
	unsigned int due = 0;			// how many of them are due
	bool begun = false, offered = false;	// a packet; it waits
	bool missed = false;			// something has changed since it has begun
	bool adds = false, late = false;	// it was taken, in the clock before
	bool held = false;			// something is offered by the block
	unsigned int idle = 0;			// clocks in which something due could have been offered
	unsigned int stalled = 0;		// clocks for which a packet has not been taken
	unsigned int one_in = 4;		// how often something changes
	uint64_t out = 0, several = 0, lates = 0, all = 0;
};

void Wait::restart()
{
	dut.begin_i = dut.wake_i = dut.wait_valid_i = dut.due_ready_i = 0;
	list.clear();
	std::fill(waits, waits + Slots, 0);
	due = idle = stalled = 0;
	begun = offered = missed = adds = held = false;
	bench.reset();
	for (bench.settle(); dut.busy_o; bench.settle()) {
		CHECK(!dut.wait_ready_o && !dut.due_valid_o, "something is offered right after a reset");
		bench.tick();
	}
}

void Wait::drive()
{
	if (rng.one_in(2000))
		one_in = rng.one_in(2) ? 4 : 200;
	dut.begin_i = !begun && !offered && begins.go();
	dut.wake_i = changes.go() && rng.one_in(one_in);
	if (begun && rng.one_in(3)) {
		begun = false;
		offered = !rng.one_in(4);
		dut.wait_slot_i = rng.below(Slots);
		dut.wait_sum_i = rng.one_in(3);
		dut.wait_edge_i = rng.below(Contributors);
	}
	dut.wait_valid_i = offered;
	dut.due_ready_i = takes.go();
}

// What was taken in the clock before enters the list.
void Wait::add()
{
	unsigned int slot = dut.wait_slot_i;

	if (!waits[slot])
		list.push_back(slot);
	several += waits[slot] != 0;
	waits[slot] |= 1ull << (dut.wait_sum_i ? Contributors : dut.wait_edge_i);
	if (late)
		due = list.size();
	lates += late;
	adds = false;
}

void Wait::check_due()
{
	if (dut.due_valid_o && !held) {
		CHECK(due && dut.due_slot_o == list.front(), "slot %u is due", dut.due_slot_o);
		uint64_t &w = waits[list.front()];

		CHECK(dut.due_sum_o == w >> Contributors && dut.due_contributors_o == (w & ((1ull << Contributors) - 1)),
		      "something else of the slot is due");
		w = 0;
		list.pop_front();
		due--;
		out++;
	}
	CHECK(dut.due_valid_o || !held, "it is not due any more");
	held = dut.due_valid_o;
	CHECK(dut.used_o == list.size() + held, "used_o is %u", dut.used_o);
	all += list.size() == Slots;
	idle = due && !held && !dut.wait_valid_i && !adds ? idle + 1 : 0;
	CHECK(idle < 3, "what is due is not offered");
	CHECK(dut.busy_o || !(due || held), "it is not busy");
	CHECK(!dut.busy_o || idle || adds || held || due || !dut.wait_ready_o, "it is busy with nothing");
}

void Wait::cycle()
{
	drive();
	bench.settle();
	bool taken = offered && dut.wait_ready_o;

	stalled = offered && !taken ? stalled + 1 : 0;
	CHECK(stalled < 2, "what waits is not taken");
	check_due();
	if (adds)
		add();
	if (dut.wake_i)
		due = list.size();
	late = missed || dut.wake_i;
	missed = dut.wake_i || (missed && !dut.begin_i);
	adds = taken;
	offered &= !taken;
	begun |= dut.begin_i;
	if (held && dut.due_ready_i)
		held = false;
	bench.tick();
}

int Wait::run()
{
	bench.live(bench.times(80000), [this] { restart(); }, [this] { cycle(); });
	CHECK(out > 1000 && several > 300 && lates > 300 && all > 50, "%llu come out, %llu of several, %llu late, %llu times all",
	      (unsigned long long)out, (unsigned long long)several, (unsigned long long)lates, (unsigned long long)all);
	return bench.finish();
}

int main(int argc, char **argv)
{
	return Wait(argc, argv).run();
}
