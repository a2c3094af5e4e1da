// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_local_pairs: random operations, whose elements are values of each size, or others. alu_expand_loc() is the reference.
#include <algorithm>
#include <cstring>
#include <vector>

#include "Vdut.h"
#include "bench.h"

extern "C" {
#include "alu/alu.h"
}
#include "gen/tally_hw.h"

constexpr unsigned int word_bytes = 64;
static const uint8_t types[] = { TALLY_TYPE_INT8, TALLY_TYPE_INT16, TALLY_TYPE_INT32, TALLY_TYPE_INT64 };

class World {
public:
	explicit World(tally::Bench<Vdut> &bench) : bench_(bench), rng_(bench.rng), dut_(*bench.dut) {}

	bool stalls = true;
	uint64_t operations[5] = {}; // of values of 1, 2, 4, 8 bytes; others

	void restart()
	{
		dut_.start_i = dut_.in_valid_i = dut_.out_ready_i = 0;
		bench_.reset();
		given_.clear(), wanted_.clear();
		in_ = out_ = 0;
		comes_ = false;
	}

	void cycle()
	{
		const bool is_at_end = out_ >= wanted_.size();

		dut_.start_i = is_at_end;
		comes_ = !is_at_end && (comes_ || !stalls || rng_.one_in(2));
		dut_.in_valid_i = comes_;
		dut_.out_ready_i = !stalls || ready_.go();
		dut_.out_last_i = out_ + word_bytes >= wanted_.size();
		rng_.fill(&dut_.in_data_i[0], word_bytes);
		if (comes_ && in_ < given_.size())
			std::memcpy(&dut_.in_data_i[0], &given_[in_], std::min<size_t>(word_bytes, given_.size() - in_));
		bench_.settle();
		if (comes_)
			observe();
		bench_.tick();
		if (is_at_end)
			begin();
	}

private:
	tally::Bench<Vdut> &bench_;
	tally::Rng &rng_;
	Vdut &dut_;
	std::vector<uint8_t> given_, wanted_;
	size_t in_ = 0, out_ = 0;
	bool comes_ = false;
	tally::Throttle ready_{ rng_ };

	// The inputs of an operation come after the clock of start_i.
	void begin()
	{
		const unsigned int kind = rng_.below(5), size = kind < 4 ? 1u << kind : 1 + rng_.below(16), pair = kind < 4 ? std::max(8u, 2 * size) : size;
		const unsigned int most = TALLY_MAX_MTU / pair, count = 1 + rng_.below(rng_.one_in(3) ? most : std::min(most, 40u));

		given_.resize(count * size);
		wanted_.resize(count * pair);
		rng_.fill(given_.data(), given_.size());
		dut_.values_i = kind < 4;
		dut_.size_log_i = kind < 4 ? kind : rng_.below(4);
		dut_.index_i = rng_.next();
		if (kind < 4)
			alu_expand_loc(types[kind], wanted_.data(), given_.data(), count, dut_.index_i);
		else
			wanted_ = given_;
		in_ = out_ = 0;
		operations[kind]++;
	}

	void observe()
	{
		const size_t len = std::min<size_t>(word_bytes, wanted_.size() - out_);

		CHECK(!std::memcmp(&dut_.out_data_o[0], &wanted_[out_], len), "values of %d bytes: another pair behind byte %zu", 1 << dut_.size_log_i, out_);
		CHECK(dut_.out_ready_i || !dut_.in_ready_o, "a word is taken that has not left");
		if (!dut_.out_ready_i)
			return;
		out_ += word_bytes;
		if (dut_.in_ready_o) {
			in_ += word_bytes;
			comes_ = false;
		}
		if (out_ >= wanted_.size())
			CHECK(in_ >= given_.size() && in_ < given_.size() + word_bytes, "%zu bytes of %zu are taken", in_, given_.size());
	}
};

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("local_pairs", argc, argv);
	World world(bench);

	bench.live(bench.times(30000), [&] { world.restart(); }, [&] {
		world.stalls = bench.cycle() / 1024 % 2;
		world.cycle();
	});
	for (unsigned int kind = 0; kind < 5; kind++)
		CHECK(world.operations[kind] > 50, "%llu operations of kind %u", (unsigned long long)world.operations[kind], kind);
	return bench.finish();
}
