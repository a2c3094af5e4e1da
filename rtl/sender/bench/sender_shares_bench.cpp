// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_sender_shares: random requests of all operations of the segment store, with all flags, compared with what the
// engine does with a slot when such a request is its first one.
#include "Vdut.h"
#include "bench.h"
#include "sender_shares_model.h"

static uint64_t some_ranks(tally::Rng &rng)
{
	switch (rng.below(4)) {
	case 0:
		return 1ull << rng.below(64);
	case 1:
		return ~0ull;
	case 2:
		return (rng.next() & rng.next()) | 1ull << rng.below(64);
	default:
		return rng.next() | 1ull << rng.below(64);
	}
}

int main(int argc, char **argv)
{
	const uint8_t opcodes[] = { TALLY_OPCODE_ALLREDUCE, TALLY_OPCODE_REDUCE, TALLY_OPCODE_BCAST, TALLY_OPCODE_BARRIER };
	tally::Bench<Vdut> bench("sender_shares", argc, argv);
	tally::Rng &rng = bench.rng;
	Vdut &dut = *bench.dut;

	bench.reset();
	CHECK(!dut.due_o && !dut.absent_o && !dut.quits_o, "something is due after a reset");
	for (uint64_t left = bench.times(100000); left; left--) {
		const uint64_t ranks = some_ranks(rng), rank_mask = ranks | (rng.one_in(2) ? rng.next() : 0);
		const uint8_t opcode = opcodes[rng.below(4)];
		const bool empty = rng.one_in(4), combined = rng.one_in(2), root_here = rng.one_in(2);
		const uint32_t flags = (empty ? TALLY_WQE_F_EMPTY : 0) | (combined ? TALLY_WQE_F_COMBINED : 0);
		unsigned int root = rng.below(64);

		while (!(rank_mask >> root & 1))
			root = (root + 1) % 64;
		dut.opcode_i = opcode;
		dut.empty_i = empty;
		dut.combined_i = combined;
		dut.ranks_i = ranks;
		dut.root_here_i = root_here;
		dut.root_rank_i = root;
		bench.tick();
		const struct shares s = shares_of(opcode, flags, ranks, rank_mask, root_here, root);

		CHECK(dut.due_o == s.due, "operation %u, flags %x: due are %llx, not %llx", opcode, flags,
		      static_cast<unsigned long long>(dut.due_o), static_cast<unsigned long long>(s.due));
		CHECK(dut.absent_o == s.absent, "operation %u, flags %x: absent are %llx, not %llx", opcode, flags,
		      static_cast<unsigned long long>(dut.absent_o), static_cast<unsigned long long>(s.absent));
		CHECK(dut.quits_o == s.quits, "operation %u, flags %x: %llx quit, not %llx", opcode, flags,
		      static_cast<unsigned long long>(dut.quits_o), static_cast<unsigned long long>(s.quits));
	}
	return bench.finish();
}
