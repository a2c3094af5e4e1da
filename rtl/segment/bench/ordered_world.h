// SPDX-License-Identifier: BSD-2-Clause
// Environment of tally_ordered: opens trees, gives inputs, takes results, gives trees up, and models the cells and the
// ALU (alu).
#ifndef TALLY_ORDERED_WORLD_H
#define TALLY_ORDERED_WORLD_H

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>

#include "Vdut.h"
#include "ordered_case.h"
extern "C" {
#include "alu/alu.h"
}

constexpr int nobody = -1;

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
	uint64_t at; // cycle in which the memory answers
};

class World {
public:
	explicit World(tally::Bench<Vdut> &bench)
		: bench_(bench), rng_(bench.rng), dut_(*bench.dut), memory_(Cells * cell_bytes), owner_(Cells, nobody),
		  lowest_(Cells)
	{
		rng_.fill(memory_.data(), memory_.size());
	}

	bool stalls = true; // false: all interfaces are always ready
	unsigned int max_num = Inputs, min_num = 1, trees_in_use = Slots;
	enum Given { any, all, in_turn, none } given = any; // all, in_turn: whole chunks of all inputs; none: all absent
	uint32_t max_len = cell_bytes;
	unsigned int give_up_one_in = 0; // mean number of cycles; 0: never
	size_t hold_last = 0;		 // number of inputs at the end that are held back
	uint64_t results = 0, words_read = 0;
	uint64_t taken_at = 0, read_at = 0, written_at = 0, offered_at = 0; // times of the newest input, word, word, result
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

	// Runs until all permitted inputs are given and the block is idle. No interface stalls meanwhile.
	void settle_down()
	{
		const bool stalled = stalls;
		uint64_t quiet = 0;

		stalls = false;
		while (quiet < 4 * (AluLatency + 10) + Words) {
			cycle();
			quiet = moved_ ? 0 : quiet + 1;
		}
		stalls = stalled;
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

	unsigned int open_trees() const
	{
		return std::count_if(trees_.begin(), trees_.end(), [](const Tree &tree) { return tree.open; });
	}

	const Tree &tree(unsigned int slot) const { return trees_[slot]; }

private:
	tally::Bench<Vdut> &bench_;
	tally::Rng &rng_;
	Vdut &dut_;
	Bytes memory_;
	std::vector<int> owner_;	   // slot of each cell, or none
	std::vector<unsigned int> lowest_; // lowest input in each cell
	std::array<Tree, Slots> trees_;
	std::array<AluWord, AluLatency> alu_;
	size_t alu_at_ = 0;
	std::deque<Read> reads_;
	int in_slot_ = nobody, clear_slot_ = nobody, open_slot_ = nobody;
	bool moved_ = false;
	Case again_; // a reduction whose result is known
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
		dut_.rdata_valid_i = !reads_.empty() && reads_.front().at <= bench_.cycle() && go(answers_);
		if (!dut_.rdata_valid_i)
			return;
		std::memcpy(&dut_.rdata_left_i, reads_.front().left.data(), word_bytes);
		std::memcpy(&dut_.rdata_right_i, reads_.front().right.data(), word_bytes);
	}

	// Begins a new case, or repeats the last one with its inputs in another order.
	void begin(unsigned int slot)
	{
		Tree &tree = trees_[slot];
		bool repeat = given == any && again_.filled && rng_.one_in(3);

		tree = Tree();
		tree.c = given != any ? full_case(rng_, max_num, given == none) :
			 repeat	      ? again_ :
				   random_case(rng_, min_num + rng_.below(max_num - min_num + 1), max_len);
		tree.order = random_order(rng_, tree.c.inputs.size());
		if (given == in_turn)
			std::sort(tree.order.begin(), tree.order.end());
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
		unsigned int slot = rng_.below(trees_in_use);
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
		// The block must ignore the bytes behind the chunk.
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
			CHECK(std::count(owner_.begin(), owner_.end(), clear_slot_) == 0, "a clear leaves cells behind");
			trees_[clear_slot_].open = false;
			clear_slot_ = nobody;
		}
		if (dut_.in_valid_i && dut_.in_ready_o) {
			in_slot_ = nobody;
			taken_at = bench_.cycle();
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

		CHECK(slot != nobody && owner_[right] == slot && left != right,
		      "cells %u and %u of different trees are combined", left, right);
		// A sum does not depend on which operand is the left one.
		CHECK(lowest_[left] < lowest_[right], "inputs from %u on are left of those from %u on", lowest_[left],
		      lowest_[right]);
		CHECK(at < trees_[slot].c.len, "word %u is read of %u bytes", dut_.rd_word_o, trees_[slot].c.len);
		if (!dut_.rd_word_o)
			trees_[slot].combines++;
		reads_.push_back({ word(left), word(right), bench_.cycle() + ReadLatency });
		words_read++;
		read_at = bench_.cycle();
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
		written_at = bench_.cycle();
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

		CHECK(alu_supported(dut_.alu_op_o, dut_.alu_dtype_o), "the ALU gets operation %d on type %d", dut_.alu_op_o,
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

		CHECK(tree.open && tree.given == c.inputs.size(), "tree %d has a result too early", dut_.res_slot_o);
		CHECK(dut_.res_absent_o == !c.filled, "absent is %d", dut_.res_absent_o);
		CHECK(dut_.res_err_vector_o == c.err_vector, "error vector %x, not %x", dut_.res_err_vector_o, c.err_vector);
		CHECK(tree.combines == c.combines, "%u combines, not %u", tree.combines, c.combines);
		if (c.filled)
			take_result_cell(c, dut_.res_cell_o);
		// If the tree is being given up, it stays open until the clear ends, but gets no more inputs.
		tree.open = tree.giving_up;
		again_ = c;
		results++;
		offered_at = bench_.cycle();
		moved_ = true;
	}

	void take_result_cell(const Case &c, unsigned int cell)
	{
		const uint8_t *data = &memory_[cell * cell_bytes];
		uint32_t end = (c.len + word_bytes - 1) / word_bytes * word_bytes;

		CHECK(owner_[cell] == static_cast<int>(dut_.res_slot_o),
		      "the result is in cell %u, which is not of its tree", cell);
		owner_[cell] = nobody;
		CHECK(!std::memcmp(data, c.result.data(), c.len), "the result differs from the model's");
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

#endif
