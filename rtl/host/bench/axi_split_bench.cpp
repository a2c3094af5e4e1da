// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_axi_split: the bursts of each request are those that a loop over its words finds, in their order, with
// stalls on both sides and resets amid the bursts. Addresses are anywhere, up to the last byte of the address space.
#include <deque>

#include "Vdut.h"
#include "axi_request.h"
#include "bench.h"

struct Burst {
	uint64_t addr;
	unsigned int beats;
	bool last;
	uint8_t tag;
};

// Counts the words one by one: slow, and unlike the block.
static void bursts_of(const Request &r, std::deque<Burst> &to)
{
	uint64_t word = r.addr / Bytes, end = (r.addr + (r.len - 1)) / Bytes;
	Burst b = { word * Bytes, 0, false, r.tag };

	for (; word != end; word++, b.beats++) {
		if ((word + 1) * Bytes % Boundary)
			continue;
		to.push_back(b);
		b = { (word + 1) * Bytes, 0, false, r.tag };
		b.beats--;
	}
	b.last = true;
	to.push_back(b);
}

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("axi_split", argc, argv);
	Vdut &dut = *bench.dut;
	tally::Rng &rng = bench.rng;
	tally::Throttle in(rng), out(rng);
	std::deque<Burst> expected;
	Request request;
	bool offered, was_free;
	uint64_t bursts = 0;

	auto restart = [&] {
		dut.in_valid_i = dut.out_ready_i = 0;
		expected.clear();
		offered = false;
		was_free = true;
		bench.reset();
	};
	auto step = [&] {
		if (!offered && in.go()) {
			// Some at the very end of the addresses.
			uint64_t base = rng.one_in(4) ? -(uint64_t(4) * Boundary) : rng.next() >> (1 + rng.below(40));

			request = random_request(rng, base, base + 4 * Boundary - 1, (1u << LenW) - 1, Bytes, Boundary);
			if (rng.one_in(50))
				request.addr = -uint64_t(request.len);
			offered = true;
		}
		dut.in_valid_i = offered;
		dut.in_addr_i = request.addr;
		dut.in_len_i = request.len;
		dut.in_tag_i = request.tag;
		dut.out_ready_i = out.go();
		bench.settle();
		CHECK(dut.out_valid_o == !expected.empty(), "out_valid_o is %d", dut.out_valid_o);
		CHECK(!was_free || dut.in_ready_o, "a request waits without a reason");
		if (dut.out_valid_o) {
			const Burst &b = expected.front();

			CHECK(dut.out_addr_o == b.addr && dut.out_beats_o == b.beats && dut.out_last_o == b.last &&
				      dut.out_tag_o == b.tag,
			      "burst at %llx of %d words, last %d, instead of %llx, %u, %d", (unsigned long long)dut.out_addr_o,
			      dut.out_beats_o + 1, dut.out_last_o, (unsigned long long)b.addr, b.beats + 1, b.last);
			if (dut.out_ready_i) {
				expected.pop_front();
				bursts++;
			}
		}
		if (dut.in_valid_i && dut.in_ready_o) {
			CHECK(expected.empty(), "a request is taken amid another one");
			bursts_of(request, expected);
			offered = false;
		}
		was_free = expected.empty();
		bench.tick();
	};
	bench.live(bench.times(60000), restart, step);
	CHECK(bursts > bench.cycle() / 8, "%llu bursts", (unsigned long long)bursts);
	return bench.finish();
}
