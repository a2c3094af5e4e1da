// SPDX-License-Identifier: BSD-2-Clause
// tally_ordered against sim/engine/ordered.c: any number of inputs, any order of arrival, absent ones, trees given up,
// stalls on all interfaces. The cells, and the ALU (sim/alu), are here.
#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <vector>

#include "Vdut.h"
#include "bench.h"
#include "ordered_model.h"
extern "C" {
#include "alu/alu.h"
}

using Bytes = std::vector<uint8_t>;
constexpr unsigned int word_bytes = WordW / 8, cell_bytes = Words *word_bytes;
constexpr int nobody = -1;

// A reduction: what it is given, and what the model makes of it.
struct Case {
	uint8_t op, dtype;
	uint32_t len;
	std::vector<Bytes> inputs; // empty: absent
	bool filled;
	Bytes result;
	uint16_t err_vector;
	unsigned int combines;
};

static void fill_input(tally::Rng &rng, const Case &c, Bytes &data)
{
	rng.fill(data.data(), data.size());
	if (c.dtype != TALLY_TYPE_FP32)
		return;
	// Numbers of different size, so that each order of additions rounds to other bits.
	for (size_t i = 0; i + 4 <= data.size(); i += 4) {
		uint32_t value;

		std::memcpy(&value, &data[i], 4);
		value = (value & 0x807fffff) | static_cast<uint32_t>(118 + rng.below(20)) << 23;
		std::memcpy(&data[i], &value, 4);
	}
}

static Case random_case(tally::Rng &rng, unsigned int num, uint32_t max_len)
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

static std::vector<unsigned int> random_order(tally::Rng &rng, size_t num)
{
	std::vector<unsigned int> order(num);

	for (unsigned int i = 0; i < num; i++)
		order[i] = i;
	for (size_t i = num; i > 1; i--)
		std::swap(order[i - 1], order[rng.below(i)]);
	return order;
}

static void ask_model(Case &c, const std::vector<unsigned int> &order)
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

struct Tree {
	bool open = false, giving_up = false;
	Case c;
	std::vector<unsigned int> order;
	size_t given = 0;
	unsigned int combines = 0;
};

struct AluWord {
	bool valid = false;
	Bytes result;
	uint16_t flags = 0;
	uint64_t tag = 0;
};

struct Read {
	Bytes left, right;
};

class World {
public:
	explicit World(tally::Bench<Vdut> &bench)
		: bench_(bench), rng_(bench.rng), dut_(*bench.dut), memory_(Cells * cell_bytes), owner_(Cells, nobody),
		  lowest_(Cells)
	{
		rng_.fill(memory_.data(), memory_.size());
	}

	bool stalls = true; // else all interfaces are always willing
	unsigned int max_num = Inputs, min_num = 1, trees_in_use = Slots;
	uint32_t max_len = cell_bytes;
	unsigned int give_up_one_in = 0; // cycles; 0: never
	size_t hold_last = 0;		 // inputs that are not given for now
	uint64_t results = 0, words_read = 0;
	bool begin_more = true;

	void reset()
	{
		dut_.open_valid_i = dut_.in_valid_i = dut_.clear_valid_i = dut_.rdata_valid_i = 0;
		dut_.res_ready_i = dut_.free_ready_i = dut_.rd_ready_i = dut_.wr_ready_i = dut_.alu_valid_i = 0;
		std::fill(owner_.begin(), owner_.end(), nobody);
		for (Tree &tree : trees_)
			tree = Tree();
		for (AluWord &word : alu_)
			word = AluWord();
		reads_.clear();
		in_slot_ = clear_slot_ = nobody;
		bench_.reset();
	}

	void cycle()
	{
		offer();
		bench_.settle();
		take();
		bench_.tick();
	}

	bool idle() const
	{
		return std::none_of(trees_.begin(), trees_.end(), [](const Tree &tree) { return tree.open; });
	}

	// All is given that may be, and nothing moves any more.
	void settle_down()
	{
		uint64_t quiet = 0;

		while (quiet < 4 * (AluLatency + 10) + Words) {
			cycle();
			quiet = moved_ ? 0 : quiet + 1;
		}
	}

	void finish()
	{
		begin_more = false;
		give_up_one_in = 0;
		for (uint64_t left = 400000; !idle() && left; left--)
			cycle();
		CHECK(idle(), "a tree never ends");
		settle_down();
		CHECK(std::count(owner_.begin(), owner_.end(), nobody) == Cells, "cells are lost");
		begin_more = true;
	}

	const Tree &tree(unsigned int slot) const { return trees_[slot]; }

private:
	tally::Bench<Vdut> &bench_;
	tally::Rng &rng_;
	Vdut &dut_;
	Bytes memory_;
	std::vector<int> owner_;	   // of each cell: a slot, nobody
	std::vector<unsigned int> lowest_; // input whose data are in it
	std::array<Tree, Slots> trees_;
	std::array<AluWord, AluLatency> alu_;
	size_t alu_at_ = 0;
	std::deque<Read> reads_;
	int in_slot_ = nobody, clear_slot_ = nobody, open_slot_ = nobody;
	bool moved_ = false;
	Case again_; // its result is known
	tally::Throttle opens_{ rng_ }, gives_{ rng_ }, results_{ rng_ }, frees_{ rng_ }, reads_go_{ rng_ },
		answers_{ rng_ }, writes_{ rng_ };

	bool go(tally::Throttle &throttle) { return !stalls || throttle.go(); }

	void offer()
	{
		offer_open();
		offer_input();
		offer_clear();
		dut_.res_ready_i = go(results_);
		dut_.free_ready_i = go(frees_);
		dut_.rd_ready_i = go(reads_go_);
		dut_.wr_ready_i = go(writes_);
		answer();
		AluWord &word = alu_[alu_at_];
		dut_.alu_valid_i = word.valid;
		if (word.valid) {
			std::memcpy(&dut_.alu_result_i, word.result.data(), word_bytes);
			dut_.alu_flags_i = word.flags;
			dut_.alu_tag_i = word.tag;
		}
	}

	void answer()
	{
		dut_.rdata_valid_i = !reads_.empty() && go(answers_);
		if (!dut_.rdata_valid_i)
			return;
		std::memcpy(&dut_.rdata_left_i, reads_.front().left.data(), word_bytes);
		std::memcpy(&dut_.rdata_right_i, reads_.front().right.data(), word_bytes);
	}

	// A new case, or that of the last result with its inputs in another order.
	void begin(unsigned int slot)
	{
		Tree &tree = trees_[slot];
		bool repeat = again_.filled && rng_.one_in(3);

		tree = Tree();
		tree.c = repeat ? again_ : random_case(rng_, min_num + rng_.below(max_num - min_num + 1), max_len);
		tree.order = random_order(rng_, tree.c.inputs.size());
		if (!repeat)
			ask_model(tree.c, tree.order);
		open_slot_ = slot;
	}

	void offer_open()
	{
		unsigned int slot = rng_.below(trees_in_use);

		if (open_slot_ == nobody && begin_more && !trees_[slot].open && go(opens_))
			begin(slot);
		dut_.open_valid_i = open_slot_ != nobody;
		if (open_slot_ == nobody)
			return;
		const Case &c = trees_[open_slot_].c;
		dut_.open_slot_i = open_slot_;
		dut_.open_num_i = c.inputs.size();
		dut_.open_op_i = c.op;
		dut_.open_dtype_i = c.dtype;
		dut_.open_len_i = c.len;
	}

	void offer_input()
	{
		unsigned int slot = rng_.below(Slots);
		Tree &tree = trees_[slot];

		if (in_slot_ == nobody && tree.open && !tree.giving_up && tree.given + hold_last < tree.order.size() &&
		    go(gives_)) {
			unsigned int input = tree.order[tree.given++];
			const Bytes &data = tree.c.inputs[input];

			dut_.in_slot_i = in_slot_ = slot;
			dut_.in_input_i = input;
			dut_.in_absent_i = data.empty();
			dut_.in_cell_i = data.empty() ? rng_.below(Cells) : store(slot, data);
			lowest_[dut_.in_cell_i] = data.empty() ? lowest_[dut_.in_cell_i] : input;
		}
		dut_.in_valid_i = in_slot_ != nobody;
	}

	unsigned int store(unsigned int slot, const Bytes &data)
	{
		unsigned int cell = rng_.below(Cells);

		while (owner_[cell] != nobody)
			cell = (cell + 1) % Cells;
		owner_[cell] = slot;
		// What lies behind the chunk must not matter.
		std::memset(&memory_[cell * cell_bytes], 0xff, cell_bytes);
		std::memcpy(&memory_[cell * cell_bytes], data.data(), data.size());
		return cell;
	}

	void offer_clear()
	{
		unsigned int slot = rng_.below(Slots);

		if (clear_slot_ == nobody && give_up_one_in && trees_[slot].open && in_slot_ != static_cast<int>(slot) &&
		    rng_.one_in(give_up_one_in)) {
			clear_slot_ = slot;
			trees_[slot].giving_up = true;
		}
		dut_.clear_valid_i = clear_slot_ != nobody;
		dut_.clear_slot_i = clear_slot_ == nobody ? 0 : clear_slot_;
	}

	void take()
	{
		moved_ = false;
		take_write();
		take_read();
		take_alu();
		take_free();
		take_result();
		if (dut_.clear_valid_i && dut_.clear_ready_o) {
			CHECK(std::count(owner_.begin(), owner_.end(), clear_slot_) == 0, "a clear leaves cells over");
			trees_[clear_slot_].open = false;
			clear_slot_ = nobody;
		}
		if (dut_.in_valid_i && dut_.in_ready_o) {
			in_slot_ = nobody;
			moved_ = true;
		}
		if (dut_.open_valid_i && dut_.open_ready_o) {
			trees_[open_slot_].open = true;
			open_slot_ = nobody;
			moved_ = true;
		}
	}

	void take_read()
	{
		if (dut_.rdata_valid_i)
			reads_.pop_front();
		if (!dut_.rd_valid_o || !dut_.rd_ready_i)
			return;
		unsigned int left = dut_.rd_left_o, right = dut_.rd_right_o, at = dut_.rd_word_o * word_bytes;
		int slot = owner_[left];
		auto word = [&](unsigned int cell) {
			auto from = memory_.begin() + cell * cell_bytes + at;
			return Bytes(from, from + word_bytes);
		};

		CHECK(slot != nobody && owner_[right] == slot && left != right, "cells %u and %u are combined", left, right);
		// Sums do not show which operand is the left one.
		CHECK(lowest_[left] < lowest_[right], "inputs from %u on are left of those from %u on", lowest_[left],
		      lowest_[right]);
		CHECK(at < trees_[slot].c.len, "word %u is read of %u bytes", dut_.rd_word_o, trees_[slot].c.len);
		if (!dut_.rd_word_o)
			trees_[slot].combines++;
		reads_.push_back({ word(left), word(right) });
		words_read++;
		moved_ = true;
	}

	void take_write()
	{
		if (!dut_.wr_valid_o || !dut_.wr_ready_i)
			return;
		unsigned int cell = dut_.wr_cell_o, at = dut_.wr_word_o * word_bytes;
		int slot = owner_[cell];

		CHECK(slot != nobody && at < trees_[slot].c.len, "cell %u, word %u is written", cell, dut_.wr_word_o);
		std::memcpy(&memory_[cell * cell_bytes + at], &dut_.wr_data_o, word_bytes);
		moved_ = true;
	}

	void take_alu()
	{
		AluWord &word = alu_[alu_at_];

		alu_at_ = (alu_at_ + 1) % AluLatency;
		word.valid = dut_.alu_valid_o;
		if (!word.valid)
			return;
		Bytes right(word_bytes);
		uint32_t elem = alu_elem_size(dut_.alu_op_o, dut_.alu_dtype_o);

		CHECK(alu_supported(dut_.alu_op_o, dut_.alu_dtype_o), "operation %d of type %d", dut_.alu_op_o,
		      dut_.alu_dtype_o);
		word.result.resize(word_bytes);
		std::memcpy(word.result.data(), &dut_.alu_a_o, word_bytes);
		std::memcpy(right.data(), &dut_.alu_b_o, word_bytes);
		word.flags = alu_reduce(dut_.alu_op_o, dut_.alu_dtype_o, word.result.data(), right.data(),
					word_bytes / elem);
		word.tag = dut_.alu_tag_o;
		moved_ = true;
	}

	void take_free()
	{
		if (!dut_.free_valid_o || !dut_.free_ready_i)
			return;
		CHECK(owner_[dut_.free_cell_o] != nobody, "cell %d is freed twice", dut_.free_cell_o);
		owner_[dut_.free_cell_o] = nobody;
		moved_ = true;
	}

	void take_result()
	{
		if (!dut_.res_valid_o || !dut_.res_ready_i)
			return;
		Tree &tree = trees_[dut_.res_slot_o];
		const Case &c = tree.c;

		CHECK(tree.open && tree.given == c.inputs.size(), "a result of tree %d too soon", dut_.res_slot_o);
		CHECK(dut_.res_absent_o == !c.filled, "absent is %d", dut_.res_absent_o);
		CHECK(dut_.res_err_vector_o == c.err_vector, "error vector %x, not %x", dut_.res_err_vector_o, c.err_vector);
		CHECK(tree.combines == c.combines, "%u combines, not %u", tree.combines, c.combines);
		if (c.filled)
			take_result_cell(c, dut_.res_cell_o);
		// While it is given up, the clear's end is to come; no input is to.
		tree.open = tree.giving_up;
		again_ = c;
		results++;
		moved_ = true;
	}

	void take_result_cell(const Case &c, unsigned int cell)
	{
		const uint8_t *data = &memory_[cell * cell_bytes];
		uint32_t end = (c.len + word_bytes - 1) / word_bytes * word_bytes;

		CHECK(owner_[cell] == static_cast<int>(dut_.res_slot_o), "the result is in cell %u", cell);
		owner_[cell] = nobody;
		CHECK(!std::memcmp(data, c.result.data(), c.len), "other bits than the model's");
		if (c.combines) {
			for (uint32_t i = c.len; i < end; i++)
				CHECK(!data[i], "byte %u behind the chunk is %02x", i, data[i]);
		} else {
			end = c.len;
		}
		for (uint32_t i = end; i < cell_bytes; i++)
			CHECK(data[i] == 0xff, "byte %u behind the chunk has changed", i);
	}
};

static void random_runs(tally::Bench<Vdut> &bench, World &world)
{
	uint64_t runs = bench.times(48);

	for (uint64_t run = 0; run < runs; run++) {
		world.max_num = run % 2 ? Inputs : std::min<unsigned int>(Inputs, 6);
		world.give_up_one_in = run % 3 == 2 ? 150 : 0;
		for (uint64_t left = 10000; left; left--)
			world.cycle();
		// Reset in the midst of it, or an orderly end.
		if (run % 3 == 1)
			world.reset();
		else
			world.finish();
	}
	CHECK(world.results > runs * 20, "only %llu results", static_cast<unsigned long long>(world.results));
}

// The last of many inputs, when all else is done, costs no more than one combine a level.
static void last_arrivals(tally::Bench<Vdut> &bench, World &world)
{
	world.stalls = false;
	world.trees_in_use = 1;
	world.max_num = Inputs;
	world.min_num = 2;
	for (uint64_t left = bench.times(30); left; left--) {
		unsigned int levels = 0, combines;
		uint64_t begin, cycles, results;

		world.hold_last = 1;
		while (world.idle())
			world.cycle();
		world.begin_more = false;
		world.settle_down();
		const Tree &tree = world.tree(0);
		while (1u << levels < tree.c.inputs.size())
			levels++;
		combines = tree.combines;
		results = world.results;
		begin = bench.cycle();
		world.hold_last = 0;
		while (world.results == results)
			world.cycle();
		cycles = bench.cycle() - begin;
		CHECK(tree.combines - combines <= levels, "the last input of %zu costs %u combines", tree.c.inputs.size(),
		      tree.combines - combines);
		// It is offered when the bench's dice choose its slot; each level: all words, the way through the ALU.
		CHECK(cycles <= 20 * Slots + levels * (Words + AluLatency + 8), "and %llu cycles",
		      static_cast<unsigned long long>(cycles));
		world.begin_more = true;
	}
	world.min_num = 1;
	world.trees_in_use = Slots;
	world.finish();
}

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("ordered", argc, argv);
	World world(bench);

	world.reset();
	random_runs(bench, world);
	last_arrivals(bench, world);
	return bench.finish();
}
