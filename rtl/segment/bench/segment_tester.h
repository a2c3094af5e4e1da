// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_segment, alone or with its ALU: compares it with the slots of the C model's engine. Posts,
// contributions, results and releases are random, and include duplicates and wrong ones, with stalls on every
// interface. The model gets what the block accepts, in the same order. All answers, payloads (with the bytes behind
// their end) and bitmaps must agree with the model. A reset amid the traffic closes all slots. Then the bench measures the
// clocks of words. What the firmware reads of a slot must be that of the packets that entered three clocks before.
#ifndef TALLY_SEGMENT_TESTER_H
#define TALLY_SEGMENT_TESTER_H

#include <deque>

#include "Vdut.h"
#include "segment_traffic.h"

constexpr uint32_t most_words = Words / Parts, most_bytes = most_words * word_bytes; // Parts slots share a payload

// Returns log2 of the words of a part. Slots that share a payload share this number.
inline unsigned int shift_of(unsigned int slot)
{
	unsigned int log = 0;

	while (2u << log <= most_words)
		log++;
	return Parts > 1 && slot / Parts % 2 ? log - 1 : log;
}
using Bytes = std::vector<uint8_t>;

struct Expected { // expected outcome of a packet
	uint32_t num;
	unsigned int slot;
	segment_kind kind;
	bool pending; // a division may have added its errors by now
	segment_answer answer;
};

struct Read {
	unsigned int slot;
	bool result;
	uint32_t bytes;
	Bytes words, known;
};

// Contents of a payload's memory: those of the model, over earlier ones. A byte is known once it has been written.
struct Payload {
	Bytes bytes = Bytes(most_bytes), known = Bytes(most_bytes);

	void write(const uint8_t *data, size_t len);
};

// What the firmware reads of a slot.
struct View {
	bool busy = false, finished = false;
	uint64_t contributors = 0;
};

// State of a slot that the bench keeps beside the model.
struct Slot {
	Open open = {};
	bool complete = false, have = false; // as the block reported
	bool dividing = false;		     // the model has divided, and the block has not reported it
	unsigned int reads = 0, reads_due = 0;
	Payload sum, result;
};

class Tester {
public:
	// latency: of the ALU
	Tester(tally::Bench<Vdut> &bench, unsigned int latency);
	virtual ~Tester() { end(); }

	// Resets the block, at any moment.
	void restart();
	void cycle();
	// Runs without new chunks until all open ones are done.
	void drain();
	// Clears all slots when no packet is inside.
	void clear();

	const unsigned int latency;
	bool random = false;
	std::deque<Packet> packets;
	uint64_t words_in = 0, last_word_at = 0, first_outcome_at = 0, last_outcome_at = 0;
	uint64_t first_last_at = 0;
	uint32_t done() const { return done_; }
	Open plain_open(uint32_t num, uint32_t bytes, uint64_t contributors);
	Packet post(const Open &o);
	bool any_busy() const;
	bool idle() const
	{
		return !sending_ && outcomes_.empty() && divided_.empty() && packets.empty() && clears_.empty();
	}

protected:
	// Model of an ALU outside of the block: drives its answers, and takes its operands, in this cycle.
	virtual void drive_alu() {}
	virtual void take_alu() {}
	// Whether a sum of this group is to be divided.
	bool dividing(unsigned int group) const;

	tally::Bench<Vdut> &bench_;
	Vdut &dut_;
	tally::Rng &rng_;
	segment_model *model_;

private:
	void begin();
	void end();
	Open open_for(uint32_t num);
	bool busy(uint32_t num) const;
	void choose_packet();
	void choose_random();
	void choose_posts(const Open &o, const segment_state &s);
	bool choose_release();
	void choose_read();
	void drive();
	void check_outcome();
	void check_divided();
	void reported(const Expected &e);
	void check_read();
	void choose_peek();
	void check_peeked();
	void accept_peek();
	void accept_word();
	void accept_packet();
	void opened(unsigned int k);
	void advance();

	tally::Throttle word_go_{ rng_ }, read_go_{ rng_ }, outcome_go_{ rng_ }, out_go_{ rng_ };
	uint64_t chunks_;
	Slot slots_[Slots];
	uint32_t done_;
	bool sending_, reading_;
	Packet packet_ = {};
	bool word_valid_, read_valid_;
	uint32_t word_;
	Read read_ = {};
	std::deque<Expected> outcomes_, divided_;
	std::deque<Packet> clears_;
	std::deque<Read> reads_;
	struct Change {
		uint64_t cycle; // in which the packet entered
		unsigned int slot;
		View view;
	};
	std::deque<Change> changes_;
	View views_[Slots] = {}, peeked_ = {};
	bool released_[Slots] = {};
	uint64_t lacks_[Slots] = {};
	bool peeks_ = false, peek_taken_ = false;
	uint32_t out_word_;
};

// Runs the whole bench. The block's inputs must be idle.
int run_segment(tally::Bench<Vdut> &bench, Tester &tester);
// Sets the inputs to their idle values and resets the block.
void reset_segment(tally::Bench<Vdut> &bench);

#endif
