// SPDX-License-Identifier: BSD-2-Clause
// Common parts of the bench of tally_rmq.
#ifndef TALLY_RTL_RMQ_BENCH_H
#define TALLY_RTL_RMQ_BENCH_H

#include <array>
#include <cstring>
#include <deque>
#include <set>
#include <vector>

#include "Vdut.h"
#include "bench.h"
#include "gen/tally_hw.h"
#include "queue_model.h"

constexpr unsigned int word_bytes = 64;
using Data = std::vector<uint8_t>;
using Word = std::array<uint8_t, word_bytes>;

enum class Op { None, Message, Own, Arm, GiveUp, Flush, Group, Cell, Back, Buffer };

// An operation that is offered, or has been taken.
struct Task {
	Op op = Op::None;
	model_message message = {};
	Data data;
	model_descriptor descriptor = {};
	unsigned int port = 0, group = 0, counter = 0, tag = 0, cells = 0, keep = 0, place = 0;
	bool oldest = false;
};

struct Kind {
	uint8_t op, dtype;
};

inline size_t words_of(size_t len)
{
	return (len + word_bytes - 1) / word_bytes;
}

// Data of one element type without values that make the bench slow or the results trivial: any bytes do.
Kind random_kind(tally::Rng &rng);

// The reduce ALU, of AluLatency clocks, as the C model has it.
class Alu {
public:
	explicit Alu(Vdut &dut) : dut_(dut), way_(AluLatency) {}
	void drive(); // sets the result of this cycle
	void note();  // takes the word of this cycle
	bool empty() const;

private:
	struct Result {
		Word word = {};
		uint16_t events = 0;
		bool valid = false;
	};
	Vdut &dut_;
	std::deque<Result> way_; // results of the last AluLatency cycles, oldest first
};

// Drives the inputs of operations. An operation stays until it is taken.
class Offers {
public:
	explicit Offers(Vdut &dut) : dut_(dut) {}
	void drive();
	Op taken() const; // the operation that is taken in this cycle
	Task &of(Op op);
	bool any() const;

	Task in, arm, give_up, flush, group, cell, buffer;

private:
	Vdut &dut_;
};

#endif
