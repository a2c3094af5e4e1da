// SPDX-License-Identifier: BSD-2-Clause
// tally_segment, alone or with its ALU, against the slots of the C model's engine: openings, contributions, results and
// releases at random, right ones, duplicates and wrong ones, with stalls on every interface. What is accepted is told to
// the model in the same order, and all answers, payloads (with what lies behind their end), bitmaps and `done` have to be
// the model's. Then the clocks that words take.
#ifndef TALLY_SEGMENT_TESTER_H
#define TALLY_SEGMENT_TESTER_H

#include <deque>

#include "Vdut.h"
#include "segment_traffic.h"

constexpr uint32_t most_bytes = Words * word_bytes;
using Bytes = std::vector<uint8_t>;

struct Expected { // of a packet
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

// What the bench knows of a slot beside the model.
struct Slot {
	Open open;
	bool complete = false, have = false; // as the block has told
	bool released = false;
	unsigned int reads = 0, reads_due = 0;
	Bytes sum = Bytes(most_bytes), result = Bytes(most_bytes); // the model's, and what was there before
};

class Tester {
public:
	// latency: the ALU's
	Tester(tally::Bench<Vdut> &bench, unsigned int latency);
	virtual ~Tester() { end(); }

	void cycle();
	// Nothing new, until all that is open is done.
	void drain();
	// Forgets all slots, when no packet is inside.
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
	// The ALU, where it is not in the block: its answers of this cycle, and what it is asked in it.
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
	segment_model *model_, *ahead_; // ahead_ knows of releases at once, model_ when they count
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

// The whole of it, with the block's inputs at rest before.
int run_segment(tally::Bench<Vdut> &bench, Tester &tester);
// Inputs at rest, and a reset.
void reset_segment(tally::Bench<Vdut> &bench);

#endif
