// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_fw_random: edges that get their numbers, from random words that come now and then. Some words are such that
// nonce or key would be 0. The numbers, and how many words they take, are those of RENEW_EDGE of the C model.
#include "Vdut.h"
#include "bench.h"
#include "fw_send_model.h"

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("fw_random", argc, argv);
	Vdut &dut = *bench.dut;
	tally::Rng &rng = bench.rng;
	tally::Throttle words(rng), in(rng), out(rng);
	const uint8_t address[16] = {};
	struct fw_send_state wanted = {};
	uint64_t seed = 0, word = 0;
	unsigned int left = 0;	// words that the present edge takes
	bool offered = false, has_word = false, inside = false;
	uint64_t edges = 0, again = 0;

	auto restart = [&] {
		dut.in_valid_i = dut.out_ready_i = dut.random_valid_i = 0;
		offered = has_word = inside = false;
		bench.reset();
	};
	// A word that is 0, or whose upper or lower half is, or none of these.
	auto special = [&] {
		static const uint64_t masks[] = { 0, UINT32_MAX, ~0ull << 32, ~0ull };

		return rng.next() & masks[rng.below(4)];
	};
	// What an edge gets that is taken now. A word that waits is its first one.
	auto choose = [&] {
		seed = has_word ? fw_send_model_seed(word, 1) : fw_send_model_seed(special(), 1 + rng.below(4));
		left = fw_send_model_renew(seed, &wanted);
		again += left > 3;
		if (has_word)
			fw_send_model_random(&seed);
	};
	auto cycle = [&] {
		offered |= !inside && in.go();
		if (!has_word && words.go()) {
			has_word = true;
			word = inside && left ? fw_send_model_random(&seed) : special();
		}
		dut.in_valid_i = offered;
		dut.random_valid_i = has_word;
		dut.random_i = word;
		dut.out_ready_i = out.go();
		bench.settle();

		const bool taken = dut.in_valid_i && dut.in_ready_o, given = dut.out_valid_o && dut.out_ready_i;

		CHECK(dut.in_ready_o == !inside && dut.busy_o == inside, "in_ready_o is %d", dut.in_ready_o);
		CHECK(dut.random_ready_o == (inside && left), "random_ready_o is %d, %u words are left", dut.random_ready_o, left);
		CHECK(dut.out_valid_o == (inside && !left), "out_valid_o is %d, %u words are left", dut.out_valid_o, left);
		CHECK(!dut.out_valid_o || (dut.nonce_o == wanted.nonce && dut.key_o == wanted.key && dut.first_seq_o == wanted.own_first_seq),
		      "other numbers: nonce %llx", static_cast<unsigned long long>(dut.nonce_o));
		if (dut.random_valid_i && dut.random_ready_o) {
			has_word = false;
			left--;
		}
		if (taken) {
			choose();
			offered = false;
			inside = true;
		}
		if (given) {
			inside = false;
			edges++;
		}
		bench.tick();
	};
	fw_send_model_init(address, address);
	bench.live(bench.times(40000), restart, cycle);
	CHECK(edges > 500 && again > 100, "%llu edges, %llu with a word that was not good", static_cast<unsigned long long>(edges),
	      static_cast<unsigned long long>(again));
	return bench.finish();
}
