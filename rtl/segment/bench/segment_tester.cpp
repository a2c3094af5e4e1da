// SPDX-License-Identifier: BSD-2-Clause
#include "segment_tester.h"

#include <cstring>

#include "gen/tally_hw.h"

// ---- Pins ----

template <typename Port> static void put_chunk(Port &port, const segment_chunk &c)
{
	const uint32_t words[] = {
		c.count, c.first, c.total, c.sid, c.mid, c.num,
		c.root_node | uint32_t(c.root_rank) << 16 | uint32_t(c.dtype) << 24,
		c.op | uint32_t(c.opcode) << 8 | uint32_t(c.mode) << 16,
	};

	std::memcpy(&port, words, sizeof(words));
}

static uint64_t keep_of(uint32_t len, uint32_t word)
{
	uint32_t left = len - word * word_bytes;

	return ones(left < word_bytes ? left : word_bytes);
}

// A slot belongs to any group in the block; here its index says which.
static unsigned int group_of(unsigned int slot)
{
	return slot % Groups;
}

bool Tester::dividing(unsigned int group) const
{
	for (unsigned int k = 0; k < Slots; k++)
		if (slots_[k].dividing && group_of(k) == group)
			return true;
	return false;
}

void Tester::drive()
{
	word_valid_ |= sending_ && (word_go_.go() || !random);
	dut_.in_tvalid_i = sending_ && word_valid_;
	if (sending_) {
		const segment_packet &p = packet_.p;

		put_chunk(dut_.in_message_i, p.chunk);
		std::memcpy(&dut_.in_tdata_i, &packet_.data[word_ * word_bytes], word_bytes);
		dut_.in_tkeep_i = keep_of(p.len, word_);
		dut_.in_tlast_i = word_ + 1 == packet_.words();
		dut_.in_kind_i = p.kind;
		dut_.in_slot_i = p.chunk.num % Slots;
		dut_.in_group_i = group_of(p.chunk.num % Slots);
		dut_.in_bytes_i = p.len;
		dut_.in_err_vector_i = p.err_vector;
		dut_.in_rank_i = p.rank;
		dut_.in_index_i = p.index;
		dut_.in_posts_i = p.posts;
		dut_.in_out_i = p.out;
		dut_.in_absent_i = p.absent;
		dut_.in_plan_bytes_i = p.plan.bytes;
		dut_.in_plan_shift_i = shift_of(p.chunk.num % Slots);
		dut_.in_plan_turns_i = p.plan.turns;
		dut_.in_plan_expected_i = p.plan.expected;
		dut_.in_plan_contributors_i = p.contributors;
		dut_.in_plan_ranks_i = p.ranks;
	}

	read_valid_ |= reading_ && read_go_.go();
	dut_.read_valid_i = reading_ && read_valid_;
	dut_.read_slot_i = read_.slot;
	dut_.read_result_i = read_.result;
	dut_.outcome_ready_i = outcome_go_.go() || !random;
	dut_.out_tready_i = out_go_.go();
}

// ---- Answers ----

// Notes what the block has reported of a slot.
void Tester::reported(const Expected &e)
{
	Slot &s = slots_[e.slot];
	bool complete = e.answer.complete && (e.kind == KIND_SCALE || !e.answer.divided);

	if (s.open.chunk.num != e.num) /* released before */
		return;
	s.complete |= complete;
	s.have |= (complete && s.open.plan.turns) || (e.answer.verdict == VERDICT_STORED && e.kind == KIND_RESULT);
	if (e.kind == KIND_SCALE)
		s.dividing = false;
}

// A division reports in the order of the completions, but between any packets.
void Tester::check_divided()
{
	CHECK(!divided_.empty(), "a division without an AVG");
	const Expected e = divided_.front();

	CHECK(dut_.outcome_slot_o == e.slot && dut_.outcome_verdict_o == VERDICT_STORED && dut_.outcome_complete_o,
	      "slot %d is divided, not %d", dut_.outcome_slot_o, e.slot);
	CHECK(dut_.outcome_err_vector_o == e.answer.err_divided, "slot %d: errors %04x after the division, not %04x", e.slot,
	      dut_.outcome_err_vector_o, e.answer.err_divided);
	if (!dut_.outcome_ready_i)
		return;
	divided_.pop_front();
	reported(e);
}

void Tester::check_outcome()
{
	if (!dut_.outcome_valid_o)
		return;
	if (!first_outcome_at)
		first_outcome_at = bench_.cycle();
	last_outcome_at = bench_.cycle();
	if (dut_.outcome_kind_o == KIND_SCALE) {
		check_divided();
		return;
	}
	CHECK(!outcomes_.empty(), "an outcome without a packet");
	const Expected e = outcomes_.front();
	const segment_answer &a = e.answer;
	bool stands = a.verdict != VERDICT_CLOSED && e.kind != KIND_CLEAR && e.kind != KIND_RELEASE;

	CHECK(dut_.outcome_kind_o == e.kind && dut_.outcome_slot_o == e.slot && dut_.outcome_verdict_o == a.verdict &&
		      dut_.outcome_status_o == a.status,
	      "slot %d verdict %d status %d, not %d, %d, %d", dut_.outcome_slot_o, dut_.outcome_verdict_o,
	      dut_.outcome_status_o, e.slot, a.verdict, a.status);
	CHECK(dut_.outcome_opened_o == a.opened && dut_.outcome_complete_o == (a.complete && !a.divided),
	      "slot %d: opened is %d, complete is %d", e.slot, dut_.outcome_opened_o, dut_.outcome_complete_o);
	CHECK(!stands || (dut_.outcome_contributors_o == (a.contributors & ones(Contributors)) &&
			  dut_.outcome_ranks_o == (a.ranks & ones(Ranks))),
	      "slot %d: wrong bitmaps", e.slot);
	CHECK(!stands || e.pending || dut_.outcome_err_vector_o == a.err_vector, "slot %d: errors %04x, not %04x", e.slot,
	      dut_.outcome_err_vector_o, a.err_vector);
	if (!dut_.outcome_ready_i)
		return;
	outcomes_.pop_front();
	reported(e);
}

void Tester::check_read()
{
	if (!dut_.out_tvalid_o)
		return;
	CHECK(!reads_.empty(), "a word that was not read");
	const Read &r = reads_.front();
	bool last = r.bytes <= (out_word_ + 1) * word_bytes;

	for (unsigned int at = 0, from = out_word_ * word_bytes; at < word_bytes; at++)
		CHECK(!r.known[from + at] || reinterpret_cast<const uint8_t *>(&dut_.out_tdata_o)[at] == r.words[from + at],
		      "slot %d: wrong byte %d of word %d of the %s", r.slot, at, out_word_, r.result ? "result" : "sum");
	CHECK(dut_.out_tlast_o == last, "slot %d: word %d: last is %d", r.slot, out_word_, dut_.out_tlast_o);
	CHECK(dut_.out_tkeep_o == keep_of(r.bytes, out_word_), "slot %d: word %d: keep is %llx", r.slot, out_word_,
	      static_cast<unsigned long long>(dut_.out_tkeep_o));
	if (!dut_.out_tready_i)
		return;
	out_word_ = last ? 0 : out_word_ + 1;
	if (last)
		reads_.pop_front();
}

// ---- What the firmware reads ----

void Tester::choose_peek()
{
	if (!peeks_ && rng_.one_in(2)) {
		peeks_ = true;
		dut_.peek_slot_i = sending_ && rng_.one_in(2) ? packet_.p.chunk.num % Slots : rng_.below(Slots);
	}
	dut_.peek_valid_i = peeks_;
}

void Tester::check_peeked()
{
	CHECK(dut_.peeked_valid_o == peek_taken_, "an answer to a read at the wrong time");
	if (!peek_taken_)
		return;
	CHECK(dut_.peeked_busy_o == peeked_.busy, "slot %d: busy is read as %d", dut_.peek_slot_i, dut_.peeked_busy_o);
	CHECK(!peeked_.busy || dut_.peeked_finished_o == peeked_.finished, "slot %d: finished is read as %d", dut_.peek_slot_i,
	      dut_.peeked_finished_o);
	CHECK(!peeked_.busy || dut_.peeked_contributors_o == peeked_.contributors, "slot %d: wrong contributors are read", dut_.peek_slot_i);
}

void Tester::accept_peek()
{
	peek_taken_ = dut_.peek_valid_i && dut_.peek_ready_o;
	if (!peek_taken_)
		return;
	peeks_ = false;
	for (; !changes_.empty() && changes_.front().cycle + 3 <= bench_.cycle(); changes_.pop_front())
		views_[changes_.front().slot] = changes_.front().view;
	peeked_ = views_[dut_.peek_slot_i];
}

// ---- Transfers that the block accepts ----

void Payload::write(const uint8_t *data, size_t len)
{
	std::memcpy(bytes.data(), data, len);
	std::memset(known.data(), 1, len);
}

void Tester::opened(unsigned int k)
{
	const segment_packet &p = packet_.p;
	Slot &s = slots_[k];

	s.open = { p.chunk, p.root, p.plan, p.contributors, p.ranks, p.out };
	s.complete = s.have = s.dividing = false;
	s.reads = 0;
	s.reads_due = rng_.below(3);
}

// `done` advances; the slots of the chunks that it passes are free in the model, and are now cleared in the block.
void Tester::advance()
{
	for (; done_ != segment_model_done(model_); done_++) {
		const Open &o = slots_[done_ % Slots].open;

		clears_.push_back(packet_of(rng_, o, KIND_CLEAR, false, 0, 0));
	}
}

void Tester::accept_packet()
{
	segment_packet &p = packet_.p;
	unsigned int k = p.chunk.num % Slots;
	Expected e = { p.chunk.num, k, p.kind, slots_[k].dividing, {} };
	segment_state s;

	if (p.kind == KIND_CLEAR) {
		changes_.push_back({ bench_.cycle(), k, {} });
		outcomes_.push_back(e);
		return;
	}
	p.data = packet_.data.data();
	e.answer = segment_model_packet(model_, &p);
	if (e.answer.opened)
		opened(k);
	if (e.answer.opened)
		released_[k] = false;
	released_[k] |= p.kind == KIND_RELEASE && e.answer.verdict == VERDICT_STORED;
	if (e.answer.verdict != VERDICT_CLOSED && p.kind != KIND_RELEASE)
		lacks_[k] = e.answer.contributors & ones(Contributors);
	if (e.answer.verdict != VERDICT_CLOSED)
		changes_.push_back({ bench_.cycle(), k, { true, released_[k], lacks_[k] } });
	outcomes_.push_back(e);
	s = segment_model_state(model_, k);
	if (e.answer.verdict == VERDICT_STORED && p.len)
		p.kind == KIND_RESULT ? slots_[k].result.write(s.result, p.len) : slots_[k].sum.write(s.sum, p.len);
	if (e.answer.divided) {
		slots_[k].sum.write(s.sum, slots_[k].open.plan.bytes);
		slots_[k].dividing = true;
		e.kind = KIND_SCALE;
		divided_.push_back(e);
	}
	advance();
}

void Tester::accept_word()
{
	if (!dut_.in_tvalid_i || !dut_.in_tready_o)
		return;
	words_in++;
	last_word_at = bench_.cycle();
	word_valid_ = false;
	if (!word_)
		accept_packet();
	if (++word_ < packet_.words())
		return;
	if (!first_last_at)
		first_last_at = bench_.cycle();
	word_ = 0;
	sending_ = false;
}

void Tester::cycle()
{
	choose_packet();
	choose_read();
	choose_peek();
	drive();
	drive_alu();
	bench_.settle();
	check_outcome();
	check_read();
	check_peeked();
	take_alu();
	accept_peek();
	accept_word();
	if (dut_.read_valid_i && dut_.read_ready_o) {
		reads_.push_back(read_);
		reading_ = read_valid_ = false;
	}
	bench_.tick();
}
