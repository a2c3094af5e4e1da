// SPDX-License-Identifier: BSD-2-Clause
#include "rtl/alu.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "Valu.h"

extern "C" {
#include "alu/alu.h"
}

namespace tally {

constexpr size_t word_bytes = 64;

Alu::Alu() : dut_(std::make_unique<Valu>(&context_, "alu"))
{
	dut_->clk_i = 0;
	dut_->valid_i = 0;
	dut_->tag_i = 0;
	dut_->rst_ni = 0;
	tick();
	tick();
	dut_->rst_ni = 1;
}

Alu::~Alu() = default;

void Alu::tick()
{
	dut_->eval();
	dut_->clk_i = 1;
	dut_->eval();
	dut_->clk_i = 0;
}

// A word, padded with zeros.
void Alu::offer(const uint8_t *a, const uint8_t *b, size_t n)
{
	std::memset(&dut_->a_i, 0, word_bytes);
	std::memset(&dut_->b_i, 0, word_bytes);
	std::memcpy(&dut_->a_i, a, n);
	std::memcpy(&dut_->b_i, b, n);
}

uint16_t Alu::reduce(uint8_t op, uint8_t type, void *acc, const void *in, uint32_t count)
{
	uint8_t *a = static_cast<uint8_t *>(acc);
	const uint8_t *b = static_cast<const uint8_t *>(in);
	size_t len = size_t(count) * alu_elem_size(op, type), entered = 0, left = 0;
	uint16_t flags = 0;

	dut_->op_i = op;
	dut_->type_i = type;
	while (left < len) {
		dut_->valid_i = entered < len;
		if (dut_->valid_i) {
			offer(a + entered, b + entered, std::min(word_bytes, len - entered));
			entered += word_bytes;
		}
		tick();
		if (!dut_->valid_o)
			continue;
		if (dut_->error_o)
			std::abort();	// as alu_reduce(): a fault of the caller
		std::memcpy(a + left, &dut_->result_o, std::min(word_bytes, len - left));
		flags |= dut_->flags_o;
		left += word_bytes;
	}
	dut_->valid_i = 0;
	return flags;
}

} // namespace tally
