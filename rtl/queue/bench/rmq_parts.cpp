// SPDX-License-Identifier: BSD-2-Clause
#include <algorithm>

#include "rmq_bench.h"

Kind random_kind(tally::Rng &rng)
{
	static const Kind kinds[] = {
		{ TALLY_OP_SUM, TALLY_TYPE_INT32 },	{ TALLY_OP_SUM, TALLY_TYPE_FP32 },
		{ TALLY_OP_PROD, TALLY_TYPE_FP64 },	{ TALLY_OP_MINLOC, TALLY_TYPE_FP64 },
		{ TALLY_OP_MAX, TALLY_TYPE_INT8 },	{ TALLY_OP_BXOR, TALLY_TYPE_UINT64 },
		{ TALLY_OP_SUM, TALLY_TYPE_BF16 },	{ TALLY_OP_PROD, TALLY_TYPE_UINT16 },
		{ TALLY_OP_NONE, TALLY_TYPE_INT32 },
		{ TALLY_OP_MAX, TALLY_TYPE_INT32 },	{ TALLY_OP_MIN, TALLY_TYPE_FP32 },
	};

	return kinds[rng.below(sizeof(kinds) / sizeof(*kinds))];
}

void Alu::drive()
{
	const Result &r = way_.front();

	std::memcpy(&dut_.alu_result_i, r.word.data(), word_bytes);
	dut_.alu_flags_i = r.events;
}

void Alu::note()
{
	Result r;
	Word in;

	way_.pop_front();
	r.valid = dut_.alu_valid_o;
	if (r.valid) {
		std::memcpy(r.word.data(), &dut_.alu_a_o, word_bytes);
		std::memcpy(in.data(), &dut_.alu_b_o, word_bytes);
		r.events = model_alu(dut_.alu_op_o, dut_.alu_dtype_o, r.word.data(), in.data(), word_bytes);
	} else {
		r.word.fill(0x5a);
		r.events = UINT16_MAX;
	}
	way_.push_back(r);
}

bool Alu::empty() const
{
	return std::none_of(way_.begin(), way_.end(), [](const Result &r) { return r.valid; });
}

void Offers::drive()
{
	const model_message &m = in.message;

	dut_.in_valid_i = in.op != Op::None;
	dut_.in_own_i = in.op == Op::Own;
	dut_.in_port_i = m.port;
	dut_.in_group_i = m.port % Groups;
	dut_.in_counter_i = m.counter;
	dut_.in_contributor_i = m.contributor;
	dut_.in_swp_mp_i = m.kept;
	dut_.in_cp_i = m.counts;
	dut_.in_branch_i = m.branch;
	dut_.in_op_i = m.op;
	dut_.in_dtype_i = m.dtype;
	dut_.in_count_i = m.count;
	dut_.in_err_vector_i = m.err_vector;
	dut_.in_len_i = m.len;
	dut_.arm_valid_i = arm.op != Op::None;
	dut_.arm_port_i = arm.port;
	dut_.arm_group_i = arm.port % Groups;
	dut_.arm_counter_i = arm.descriptor.counter;
	dut_.arm_cpcnt_i = arm.descriptor.cpcnt;
	dut_.arm_swaps_i = arm.op == Op::None || arm.descriptor.swaps;
	dut_.arm_own_i = arm.op == Op::None || arm.descriptor.own;
	dut_.arm_tag_i = arm.tag;
	dut_.give_up_valid_i = give_up.op != Op::None;
	dut_.give_up_port_i = give_up.port;
	dut_.give_up_group_i = give_up.port % Groups;
	dut_.give_up_counter_i = give_up.counter;
	dut_.flush_valid_i = flush.op != Op::None;
	dut_.flush_port_i = flush.port;
	dut_.flush_group_i = flush.port % Groups;
	dut_.group_valid_i = group.op != Op::None;
	dut_.group_i = group.group;
	dut_.group_cells_i = group.cells;
	dut_.group_keep_i = group.keep;
	dut_.cell_valid_i = cell.op != Op::None;
	dut_.cell_group_i = cell.group;
	dut_.cell_back_i = cell.op == Op::Back;
	dut_.cell_place_i = cell.place;
	dut_.cell_oldest_i = cell.op == Op::None || cell.oldest;
	dut_.buffer_valid_i = buffer.op != Op::None;
}

Op Offers::taken() const
{
	const Op ops[] = { in.op != Op::None && dut_.in_ready_o ? in.op : Op::None,
			   arm.op != Op::None && dut_.arm_ready_o ? Op::Arm : Op::None,
			   give_up.op != Op::None && dut_.give_up_ready_o ? Op::GiveUp : Op::None,
			   flush.op != Op::None && dut_.flush_ready_o ? Op::Flush : Op::None,
			   group.op != Op::None && dut_.group_ready_o ? Op::Group : Op::None,
			   cell.op != Op::None && dut_.cell_ready_o ? cell.op : Op::None,
			   buffer.op != Op::None && dut_.buffer_ready_o ? Op::Buffer : Op::None };
	Op taken = Op::None;

	for (Op op : ops) {
		CHECK(op == Op::None || taken == Op::None, "two operations at once");
		taken = op == Op::None ? taken : op;
	}
	return taken;
}

Task &Offers::of(Op op)
{
	switch (op) {
	case Op::Arm:
		return arm;
	case Op::GiveUp:
		return give_up;
	case Op::Flush:
		return flush;
	case Op::Group:
		return group;
	case Op::Cell:
	case Op::Back:
		return cell;
	case Op::Buffer:
		return buffer;
	default:
		return in;
	}
}

bool Offers::any() const
{
	return in.op != Op::None || arm.op != Op::None || give_up.op != Op::None || flush.op != Op::None ||
	       group.op != Op::None || cell.op != Op::None || buffer.op != Op::None;
}
