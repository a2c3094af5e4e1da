// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_segment, alone or with its ALU: compares it with the slots of the C model's engine. Openings,
// contributions, results and releases are random, and include duplicates and wrong ones, with stalls on every
// interface. The model gets what the block accepts, in the same order. All answers, payloads (with the bytes behind
// their end), bitmaps and `done` must agree with the model. Then the bench measures the clocks of words.
#ifndef TALLY_SEGMENT_TESTER_H
#define TALLY_SEGMENT_TESTER_H

#include <deque>

#include "Vdut.h"
#include "segment_traffic.h"

constexpr uint32_t most_bytes = Words * word_bytes;
using Bytes = std::vector<uint8_t>;

struct Expected { // expected outcome of a packet
	uint32_t num;
	unsigned int slot;
	segment_kind kind;
	segment_answer answer;
};

struct Read {
	unsigned int slot;
	bool result;
	uint32_t bytes;
	Bytes words;
};

// State of a slot that the bench keeps beside the model.
struct Slot {
	Open open;
	bool complete = false, have = false; // as the block reported
	bool released = false;
	unsigned int reads = 0, reads_due = 0;
	Bytes sum = Bytes(most_bytes), result = Bytes(most_bytes); // payloads of the model, over earlier contents
};

class Tester {
public:
	// latency: of the ALU
	Tester(tally::Bench<Vdut> &bench, unsigned int latency);
	virtual ~Tester() { end(); }

	void cycle();
	// Runs without new chunks until all open ones are done.
	void drain();
	// Clears all slots when no packet is inside.
	void clear();

	const unsigned int latency;
	bool random = false;
	std::deque<Open> opens;
	std::deque<Packet> packets;
	uint64_t words_in = 0, last_word_at = 0, first_outcome_at = 0;
	uint64_t first_last_at = 0;
	uint32_t done() const { return done_; }
	Open plain_open(uint32_t num, uint32_t bytes, uint64_t contributors);
	bool any_busy() const;
	bool idle() const { return !opening_ && !sending_ && outcomes_.empty() && opens.empty() && packets.empty(); }

protected:
	// Model of an ALU outside of the block: drives its answers, and takes its operands, in this cycle.
	virtual void drive_alu() {}
	virtual void take_alu() {}

	tally::Bench<Vdut> &bench_;
	Vdut &dut_;
	tally::Rng &rng_;

private:
	void begin();
	void end();
	segment_chunk chunk_for(uint32_t num);
	bool busy(uint32_t num) const;
	void choose_open();
	void choose_packet();
	void choose_release();
	void choose_read();
	void drive();
	void check_outcome();
	void check_opened();
	void check_read();
	void check_query();
	void check_release();
	void accept_word();
	void accept_open();
	void accept_release();
	void advance();

	tally::Throttle word_go_{ rng_ }, open_go_{ rng_ }, release_go_{ rng_ }, read_go_{ rng_ };
	tally::Throttle opened_go_{ rng_ }, outcome_go_{ rng_ }, out_go_{ rng_ };
	uint64_t chunks_;
	segment_model *model_, *ahead_; // ahead_ takes releases at once, model_ when they take effect
	Slot slots_[Slots];
	uint32_t done_;
	bool opening_, sending_, releasing_, reading_;
	Open open_ = {};
	Packet packet_ = {};
	bool open_valid_, word_valid_, release_valid_, read_valid_;
	uint32_t word_;
	unsigned int release_slot_ = 0;
	Read read_ = {};
	std::deque<Expected> outcomes_;
	std::deque<segment_answer> openeds_;
	std::deque<Read> reads_;
	uint32_t out_word_;
	bool query_check_;
	unsigned int query_slot_ = 0;
	segment_state query_ = {};
	uint8_t query_state_ = 0;
};

// Runs the whole bench. The block's inputs must be idle.
int run_segment(tally::Bench<Vdut> &bench, Tester &tester);
// Sets the inputs to their idle values and resets the block.
void reset_segment(tally::Bench<Vdut> &bench);

#endif
