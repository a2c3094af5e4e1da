// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_store_parts: the parts of random chunks are opened and finish in any order. The chunk must be finished
// with the last of them, and its slot begins anew when it is free, or after a reset. Parts of some chunks have two shapes, of
// which the longer one counts, once one of its parts has been opened.
#include <algorithm>

#include "Vdut.h"
#include "bench.h"

struct Slot {
	unsigned int lasts[2];		     // of the shapes
	unsigned int last, opened, finished; // bits of parts
};

static Slot slots[Slots];

static Slot begin(tally::Rng &rng)
{
	const unsigned int last = rng.below(Parts), other = rng.one_in(2) ? last : rng.below(Parts);

	return { { last, other }, 0, 0, 0 };
}

static void restart(tally::Bench<Vdut> &bench)
{
	bench.dut->read_i = bench.dut->write_i = 0;
	bench.reset();
	for (unsigned int i = 0; i < Slots; i++) {
		slots[i] = begin(bench.rng);
		bench.tick();
	}
}

// Lets a part of a slot open, finish or both, or frees the slot.
static void step(tally::Bench<Vdut> &bench)
{
	Vdut &dut = *bench.dut;
	tally::Rng &rng = bench.rng;
	unsigned int k = rng.below(Slots), part = 0;
	Slot &s = slots[k];

	dut.read_i = 1;
	dut.read_slot_i = k;
	bench.tick();
	dut.read_i = 0;
	dut.read_slot_i = rng.below(Slots);
	for (unsigned int wait = rng.below(3); wait; wait--)
		bench.tick();
	CHECK(!s.opened || dut.last_o == s.last, "slot %u: the last part is %d, not %u", k, dut.last_o, s.last);
	const unsigned int last = s.lasts[rng.below(2)];

	part = rng.below(last + 1);
	dut.clear_i = s.finished == (2U << s.last) - 1 || rng.one_in(20);
	dut.open_i = !dut.clear_i && !(s.opened >> part & 1);
	dut.last_i = last;
	s.opened |= 1U << part;
	s.last = dut.open_i ? std::max(s.last, last) : s.last;
	dut.finish_i = !dut.clear_i && !(s.finished >> part & 1) && rng.one_in(2);
	s.finished |= unsigned(dut.finish_i) << part;
	dut.write_i = dut.clear_i || dut.open_i || dut.finish_i;
	dut.write_slot_i = k;
	bench.settle();
	CHECK(dut.finished_o == (dut.finish_i && __builtin_popcount(s.finished) == int(s.last) + 1), "slot %u: finished is %d, parts %x of %u", k,
	      dut.finished_o, s.finished, s.last + 1);
	bench.tick();
	if (dut.clear_i)
		s = begin(rng);
	dut.write_i = 0;
}

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("store_parts", argc, argv);

	bench.live(bench.times(40000), [&] { restart(bench); }, [&] { step(bench); });
	return bench.finish();
}
