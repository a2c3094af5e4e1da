// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_scale_lane: compares it with the host's arithmetic in longer formats, and with the C model. Each clock
// has another type and divisor: first corner values by corner divisors, then random ones.
#include <cinttypes>
#include <deque>

#include "Vdut.h"
#include "scale_vectors.h"

// Bench drives a reset, which a lane does not have.
struct Lane : Vdut {
	uint8_t rst_ni;
};

constexpr size_t kLatency = 12; // tally_alu_pkg::ScaleLatency - 1
constexpr uint64_t kElements = 1000000; // random elements of each float as long as the lane

class LaneBench {
public:
	LaneBench(int argc, char **argv) : bench("scale_lane", argc, argv)
	{
		rng_seed(&alu_rng, bench.options.seed);
		for (const alu_type &type : alu_types)
			if (type.bits <= W)
				types_.push_back({ &type, bench.times(type.bits == W && type.man ? kElements : kElements / 10), 0, 0, 0 });
	}

	void corners()
	{
		for (Type &type : types_) {
			uint64_t values[MAX_CORNERS];
			size_t n = alu_corners(type.type, values);

			for (size_t i = 0; i < n; i++)
				for (uint32_t divisor : tally::corner_divisors())
					step(type, values[i], divisor);
		}
	}

	// Drives random elements until each type has had its number of them.
	void random()
	{
		for (Type &type : types_) {
			type.corners = type.done;
			type.wanted += type.done;
		}
		for (size_t open = types_.size(); open;) {
			size_t at = bench.rng.below(open);
			tally::Division next = tally::random_division(bench.rng, types_[at].type);

			step(types_[at], next.a, next.n);
			if (types_[at].done >= types_[at].wanted)
				std::swap(types_[at], types_[--open]);
		}
	}

	void end()
	{
		const uint16_t all = TALLY_ERR_FP_INVALID | TALLY_ERR_FP_UNDERFLOW | TALLY_ERR_FP_INEXACT;

		for (size_t i = 0; i < kLatency; i++)
			step(types_[0], 0, 1);
		for (const Type &type : types_) {
			CHECK(type.seen == (type.type->man ? all : 0), "%s raised flags %#x in all", type.type->name,
			      type.seen);
			std::printf("%s: %" PRIu64 " corner quotients, %" PRIu64 " random ones\n", type.type->name, type.corners,
				    type.done - type.corners);
		}
	}

	tally::Bench<Lane> bench;

private:
	struct Type {
		const alu_type *type;
		uint64_t wanted, corners, done;
		uint16_t seen;
	};

	struct Inside {
		const alu_type *type;
		uint64_t a;
		uint32_t n;
		uint64_t result;
		uint16_t flags;
	};

	// Runs one clock with this element. The lane must ignore the bits above the element.
	void step(Type &type, uint64_t a, uint32_t n)
	{
		Inside in = { type.type, a, n, 0, 0 };

		in.result = alu_reference_scale(type.type, a, n, &in.flags);
		check_model(in);
		type.done++;
		type.seen |= in.flags;
		if (type.type->bits < 64)
			a |= bench.rng.next() << type.type->bits;
		std::memcpy(&bench.dut->a_i, &a, W / 8);
		bench.dut->type_i = type.type->type;
		tally::drive_divisor(*bench.dut, tally::divisor_of(n));
		bench.tick();
		inside_.push_back(in);
		if (inside_.size() == kLatency) {
			check(inside_.front());
			inside_.pop_front();
		}
	}

	static void check_model(const Inside &in)
	{
		uint64_t model = in.a;
		uint16_t flags = alu_scale(in.type->type, &model, 1, in.n);

		CHECK(model == in.result && flags == in.flags, "%s: the model differs from the host's arithmetic",
		      in.type->name);
	}

	void check(const Inside &in)
	{
		uint64_t result = bench.dut->result_o & alu_mask(in.type);
		uint16_t flags = bench.dut->flags_o;

		CHECK(result == in.result && flags == in.flags,
		      "%s: %#" PRIx64 " / %" PRIu32 " gave %#" PRIx64 " flags %#x, not %#" PRIx64 " flags %#x", in.type->name,
		      in.a, in.n, result, flags, in.result, in.flags);
	}

	std::vector<Type> types_;
	std::deque<Inside> inside_;
};

int main(int argc, char **argv)
{
	LaneBench lane(argc, argv);

	lane.corners();
	lane.random();
	lane.end();
	return lane.bench.finish();
}
