// SPDX-License-Identifier: BSD-2-Clause
#include "ordered_case.h"

#include <cstring>

#include "ordered_model.h"
extern "C" {
#include "alu/alu.h"
}

static void fill_input(tally::Rng &rng, const Case &c, Bytes &data)
{
	rng.fill(data.data(), data.size());
	if (c.dtype != TALLY_TYPE_FP32)
		return;
	// The numbers differ in size, so that each order of additions rounds to other bits.
	for (size_t i = 0; i + 4 <= data.size(); i += 4) {
		uint32_t value;

		std::memcpy(&value, &data[i], 4);
		value = (value & 0x807fffff) | static_cast<uint32_t>(118 + rng.below(20)) << 23;
		std::memcpy(&data[i], &value, 4);
	}
}

Case random_case(tally::Rng &rng, unsigned int num, uint32_t max_len)
{
	static const uint8_t kinds[][2] = {
		{ TALLY_OP_PROD, TALLY_TYPE_FP64 }, { TALLY_OP_MINLOC, TALLY_TYPE_INT32 },
		{ TALLY_OP_BXOR, TALLY_TYPE_UINT8 }, { TALLY_OP_SUM, TALLY_TYPE_FP16 },
		{ TALLY_OP_MAX, TALLY_TYPE_BF16 },
	};
	const uint8_t *kind = kinds[rng.below(5)];
	bool plain = !rng.one_in(4);
	Case c = {};
	uint32_t elem, some = rng.one_in(2) ? 10 : rng.one_in(3) ? 1 : 100;

	c.op = plain ? static_cast<uint8_t>(TALLY_OP_SUM) : kind[0];
	c.dtype = plain ? static_cast<uint8_t>(TALLY_TYPE_FP32) : kind[1];
	elem = alu_elem_size(c.op, c.dtype);
	c.len = elem * (1 + rng.below(max_len / elem));
	c.inputs.resize(num);
	for (Bytes &data : c.inputs) {
		if (rng.one_in(some))
			continue;
		data.resize(c.len);
		fill_input(rng, c, data);
	}
	return c;
}

Case full_case(tally::Rng &rng, unsigned int num, bool absent)
{
	Case c = {};

	c.op = TALLY_OP_SUM;
	c.dtype = TALLY_TYPE_FP32;
	c.len = cell_bytes;
	c.inputs.resize(num);
	for (Bytes &data : c.inputs) {
		data.resize(absent ? 0 : c.len);
		fill_input(rng, c, data);
	}
	return c;
}

std::vector<unsigned int> random_order(tally::Rng &rng, size_t num)
{
	std::vector<unsigned int> order(num);

	for (unsigned int i = 0; i < num; i++)
		order[i] = i;
	for (size_t i = num; i > 1; i--)
		std::swap(order[i - 1], order[rng.below(i)]);
	return order;
}

void ask_model(Case &c, const std::vector<unsigned int> &order)
{
	const uint8_t *result;

	ordered_model_begin(c.inputs.size(), c.op, c.dtype, c.len / alu_elem_size(c.op, c.dtype));
	for (unsigned int input : order)
		ordered_model_input(input, c.inputs[input].empty() ? nullptr : c.inputs[input].data());
	result = ordered_model_result(&c.err_vector, &c.combines);
	c.filled = result;
	if (result)
		c.result.assign(result, result + c.len);
}
