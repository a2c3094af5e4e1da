// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_segment with the C model's ALU and division.
#include <cstring>

#include "segment_tester.h"

extern "C" {
#include "alu/alu.h"
}

class ModelAlu : public Tester {
public:
	explicit ModelAlu(tally::Bench<Vdut> &bench) : Tester(bench, AluLatency) {}

protected:
	void drive_alu() override;
	void take_alu() override;

private:
	struct Result {
		bool valid;
		uint8_t data[word_bytes];
		uint16_t flags;
	};
	std::deque<Result> under_way_;
	unsigned int group_ = 0; // that the block named in the last cycle
};

void ModelAlu::drive_alu()
{
	Result r = {};

	if (under_way_.size() == AluLatency) {
		r = under_way_.front();
		under_way_.pop_front();
	}
	if (!r.valid) {
		r.flags = rng_.next();
		std::memset(r.data, r.flags, word_bytes);
	}
	std::memcpy(&dut_.alu_result_i, r.data, word_bytes);
	dut_.alu_flags_i = r.flags;
}

void ModelAlu::take_alu()
{
	Result r = {};
	uint8_t b[word_bytes];

	r.valid = dut_.alu_valid_o;
	if (r.valid && dut_.alu_scale_o) {
		CHECK(dividing(group_), "a sum of group %d is divided", group_);
		std::memcpy(r.data, &dut_.alu_a_o, word_bytes);
		r.flags = alu_scale(dut_.alu_dtype_o, r.data, word_bytes / alu_value_size(dut_.alu_dtype_o),
				    segment_model_divisor(model_));
	} else if (r.valid) {
		CHECK(alu_supported(dut_.alu_op_o, dut_.alu_dtype_o), "the ALU gets operation %d on type %d",
		      dut_.alu_op_o, dut_.alu_dtype_o);
		std::memcpy(r.data, &dut_.alu_a_o, word_bytes);
		std::memcpy(b, &dut_.alu_b_o, word_bytes);
		r.flags = alu_reduce(dut_.alu_op_o, dut_.alu_dtype_o, r.data, b,
				     word_bytes / alu_elem_size(dut_.alu_op_o, dut_.alu_dtype_o));
	}
	under_way_.push_back(r);
	group_ = dut_.alu_group_o;
}

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("segment", argc, argv);

	reset_segment(bench);
	ModelAlu tester(bench);
	return run_segment(bench, tester);
}
