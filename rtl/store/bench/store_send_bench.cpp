// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_store_send: random entries, as many as the store may have, and a receiver that stalls. Each entry must
// become its packets, once, in order: the sum, each contributor from the lowest on, all ranks together.
#include <deque>

#include "Vdut.h"
#include "bench.h"

struct Packet {
	unsigned int slot, kind, edge, ranks;
};

// The packets of the entry that enters.
static std::deque<Packet> packets_of(const Vdut &dut)
{
	std::deque<Packet> packets;

	if (dut.in_up_i)
		packets.push_back({ dut.in_slot_i, 0, 0, 0 });
	for (unsigned int e = 0; e < Contributors; e++)
		if (dut.in_contributors_i >> e & 1)
			packets.push_back({ dut.in_slot_i, 1, e, 0 });
	if (dut.in_ranks_i)
		packets.push_back({ dut.in_slot_i, 2, 0, dut.in_ranks_i });
	return packets;
}

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("store_send", argc, argv);
	tally::Throttle in_go(bench.rng), out_go(bench.rng);
	std::deque<std::deque<Packet>> expected; // by entry
	Vdut &dut = *bench.dut;

	dut.in_valid_i = dut.out_ready_i = 0;
	bench.reset();
	for (uint64_t left = bench.times(40000); left; left--) {
		bool must = bench.rng.one_in(2); // an entry that need not wait

		dut.in_slot_i = bench.rng.below(Slots * Parts);
		dut.in_up_i = bench.rng.one_in(3);
		dut.in_contributors_i = bench.rng.next() & bench.rng.next();
		dut.in_ranks_i = bench.rng.next() & bench.rng.below(1 << Ranks);
		dut.out_ready_i = out_go.go();
		bench.settle();
		CHECK(dut.in_ready_o == (expected.size() < Slots), "in_ready_o is %d with %zu entries", dut.in_ready_o,
		      expected.size());
		dut.in_valid_i = in_go.go() && (dut.in_ready_o || must) &&
				 (dut.in_up_i || dut.in_contributors_i || dut.in_ranks_i) && expected.size() < (3 + Parts) * Slots;
		bench.settle();
		const size_t inside = expected.size();

		CHECK(dut.used_o == inside, "%d entries are inside, not %zu", dut.used_o, inside);
		if (dut.in_valid_i)
			expected.push_back(packets_of(dut));
		CHECK(dut.out_valid_o == !expected.empty(), "out_valid_o is %d", dut.out_valid_o);
		bool pops = false;

		if (!expected.empty()) {
			const Packet &p = expected.front().front();

			CHECK(dut.out_slot_o == p.slot && dut.out_kind_o == p.kind, "slot %d, kind %d, not %d, %d", dut.out_slot_o,
			      dut.out_kind_o, p.slot, p.kind);
			CHECK(p.kind != 1 || dut.out_edge_o == p.edge, "edge %d, not %d", dut.out_edge_o, p.edge);
			CHECK(p.kind != 2 || dut.out_ranks_o == p.ranks, "ranks %x, not %x", dut.out_ranks_o, p.ranks);
			if (dut.out_ready_i) {
				expected.front().pop_front();
				if (expected.front().empty()) {
					expected.pop_front();
					pops = inside > 0;
				}
			}
		}
		CHECK(bool(dut.pop_o) == pops, "pop_o is %d", dut.pop_o);
		bench.tick();
	}
	return bench.finish();
}
