// SPDX-License-Identifier: BSD-2-Clause
// Arrivals while nothing may leave: rule 1 of docs/rtl-assembly.md, "No circle". The MAC takes no word of a frame, and the node gets
// all contributions that its window permits, and packets that it has got before. Each must be taken within a bounded time
// (longest_stall), and when the MAC takes frames again, all that is due leaves, and every chunk ends.
#ifndef TALLY_NIC_PRESSURE_H
#define TALLY_NIC_PRESSURE_H

#include "nic_sends.h"

class Pressure : public Sends {
public:
	using Sends::Sends;

	void run()
	{
		CHECK(Accesses(bench_).enter(), "a region is refused");
		connect();
		chunk(0, false);
		blocked_ = true;
		for (uint32_t num = 1; num <= segs; num++)
			inputs(num);
		for (unsigned int i = 0; i < repetitions; i++)
			again();
		CHECK(left_ < 2 + segs, "all sums have left a NIC whose frames nobody takes");	// some are in tally_encap
		blocked_ = false;
		for (uint32_t num = 1; num <= segs; num++)
			ends(num);
		until([this] { return done_ == 1 + segs; }, "chunks end");
		CHECK(results_ == 1 + segs, "the rank has %u results", results_);
	}

private:
	static constexpr unsigned int repetitions = 200;

	// Everything that is given to a chunk.
	void inputs(uint32_t num)
	{
		post(num);
		arrive(child, TALLY_KIND_REDUCE, child_seq_++, num, value(100));
	}

	// A packet that was stored before, an acknowledgement of nothing new, or a done that is known.
	void again()
	{
		const uint32_t back = 1 + bench_.rng.below(segs);

		switch (bench_.rng.below(4)) {
		case 0:
			arrive(child, TALLY_KIND_REDUCE, child_seq_ - back, 1 + segs - back, value(100));
			break;
		case 1:
			arrive(parent, TALLY_KIND_RESULT, parent_seq_ - 1, 0, value(1000));
			break;
		case 2:
			acknowledge(parent, parent.own_first);
			break;
		default:
			arrive(child, TALLY_KIND_NOTIFY, 0, 1, {});
		}
	}

	// Those of chunks before it may leave once more, because their time-out has passed.
	void leaves_after(uint8_t kind, const Neighbour &to, uint32_t num, uint64_t v)
	{
		Seen s;

		do
			s = next(kind, to);
		while (be32toh(s.tch.num) < num);
		CHECK(be32toh(s.tch.num) == num && be32toh(s.tch.edge_seq) == to.own_first + num, "chunk %u leaves with number %x",
		      be32toh(s.tch.num), be32toh(s.tch.edge_seq));
		CHECK(s.payload == value(v), "chunk %u leaves with other words", num);
	}

	void ends(uint32_t num)
	{
		leaves_after(TALLY_KIND_REDUCE, parent, num, 100 + own(num));
		acknowledge(parent, parent.own_first + num);
		arrive(parent, TALLY_KIND_RESULT, parent_seq_++, num, value(1000 + num));
		leaves_after(TALLY_KIND_RESULT, child, num, 1000 + num);
		acknowledge(child, child.own_first + num);
	}
};

#endif
