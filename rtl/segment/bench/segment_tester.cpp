// SPDX-License-Identifier: BSD-2-Clause
#include "segment_tester.h"

#include <cstring>

#include "gen/tally_hw.h"

// ---- Pins ----

template <typename Port> static void put_chunk(Port &port, const segment_chunk &c)
{
	const uint32_t words[] = {
		c.count, c.first, c.total, c.sid, c.mid, c.num,
		c.root_node | uint32_t(c.root_rank) << 16 | uint32_t(c.dtype) << 24, c.op | uint32_t(c.opcode) << 8,
	};

	std::memcpy(&port, words, sizeof(words));
}

static uint64_t keep_of(uint32_t len, uint32_t word)
{
	uint32_t left = len - word * word_bytes;

	return ones(left < word_bytes ? left : word_bytes);
}

void Tester::drive()
{
	open_valid_ |= opening_ && open_go_.go();
	dut_.open_valid_i = opening_ && open_valid_;
	put_chunk(dut_.open_message_i, open_.chunk);
	dut_.open_bytes_i = open_.plan.bytes;
	dut_.open_turns_i = open_.plan.turns;
	dut_.open_expected_i = open_.plan.expected;
	dut_.open_contributors_i = open_.contributors;
	dut_.open_ranks_i = open_.ranks;

	word_valid_ |= sending_ && (word_go_.go() || !random);
	dut_.in_tvalid_i = sending_ && word_valid_;
	if (sending_) {
		const segment_packet &p = packet_.p;

		put_chunk(dut_.in_message_i, p.chunk);
		std::memcpy(&dut_.in_tdata_i, &packet_.data[word_ * word_bytes], word_bytes);
		dut_.in_tkeep_i = keep_of(p.len, word_);
		dut_.in_tlast_i = word_ + 1 == packet_.words();
		dut_.in_bytes_i = p.len;
		dut_.in_err_vector_i = p.err_vector;
		dut_.in_kind_i = p.kind;
		dut_.in_rank_i = p.rank;
		dut_.in_index_i = p.index;
	}

	release_valid_ |= releasing_ && release_go_.go();
	dut_.release_valid_i = releasing_ && release_valid_;
	dut_.release_slot_i = release_slot_;
	read_valid_ |= reading_ && read_go_.go();
	dut_.read_valid_i = reading_ && read_valid_;
	dut_.read_slot_i = read_.slot;
	dut_.read_result_i = read_.result;

	dut_.opened_ready_i = opened_go_.go();
	dut_.outcome_ready_i = outcome_go_.go() || !random;
	dut_.out_tready_i = out_go_.go();
	query_slot_ = rng_.below(Slots);
	dut_.query_slot_i = query_slot_;
}

// ---- Answers ----

void Tester::check_outcome()
{
	if (!dut_.outcome_valid_o)
		return;
	if (!first_outcome_at)
		first_outcome_at = bench_.cycle();
	CHECK(!outcomes_.empty(), "an outcome without a packet");
	const Expected e = outcomes_.front();
	const segment_answer &a = e.answer;

	CHECK(dut_.outcome_slot_o == e.slot && dut_.outcome_verdict_o == a.verdict && dut_.outcome_status_o == a.status,
	      "slot %d verdict %d status %d, not %d, %d, %d", dut_.outcome_slot_o, dut_.outcome_verdict_o,
	      dut_.outcome_status_o, e.slot, a.verdict, a.status);
	CHECK(dut_.outcome_complete_o == a.complete, "slot %d: complete is %d", e.slot, dut_.outcome_complete_o);
	/* errors of a packet that was not stored are not in the slot's error vector */
	CHECK(a.verdict != VERDICT_STORED || dut_.outcome_err_vector_o == a.err_vector, "slot %d: errors %04x, not %04x",
	      e.slot, dut_.outcome_err_vector_o, a.err_vector);
	if (!dut_.outcome_ready_i)
		return;
	outcomes_.pop_front();
	Slot &s = slots_[e.slot];
	if (s.open.chunk.num != e.num) /* released before */
		return;
	s.complete |= a.complete;
	s.have |= (a.complete && s.open.plan.turns) || (a.verdict == VERDICT_STORED && e.kind == KIND_RESULT);
}

void Tester::check_opened()
{
	if (!dut_.opened_valid_o)
		return;
	CHECK(!openeds_.empty(), "an answer without an opening");
	const segment_answer &a = openeds_.front();

	CHECK(dut_.opened_verdict_o == a.verdict && dut_.opened_status_o == a.status &&
		      dut_.opened_complete_o == a.complete,
	      "an opening is answered %d, status %d, complete %d, not %d, %d, %d", dut_.opened_verdict_o,
	      dut_.opened_status_o, dut_.opened_complete_o, a.verdict, a.status, a.complete);
	if (dut_.opened_ready_i)
		openeds_.pop_front();
}

void Tester::check_read()
{
	if (!dut_.out_tvalid_o)
		return;
	CHECK(!reads_.empty(), "a word that was not read");
	const Read &r = reads_.front();
	bool last = r.bytes <= (out_word_ + 1) * word_bytes;

	CHECK(!std::memcmp(&dut_.out_tdata_o, &r.words[out_word_ * word_bytes], word_bytes),
	      "slot %d: wrong word %d of the %s", r.slot, out_word_, r.result ? "result" : "sum");
	CHECK(dut_.out_tlast_o == last, "slot %d: word %d: last is %d", r.slot, out_word_, dut_.out_tlast_o);
	CHECK(dut_.out_tkeep_o == keep_of(r.bytes, out_word_), "slot %d: word %d: keep is %llx", r.slot, out_word_,
	      static_cast<unsigned long long>(dut_.out_tkeep_o));
	if (!dut_.out_tready_i)
		return;
	out_word_ = last ? 0 : out_word_ + 1;
	if (last)
		reads_.pop_front();
}

// Checks the answer of the last cycle, and computes that of the next one.
void Tester::check_query()
{
	if (query_check_) {
		const segment_state &q = query_;

		CHECK(dut_.query_state_o == query_state_, "state %d, not %d", dut_.query_state_o, query_state_);
		CHECK(!q.busy || (dut_.query_contributors_o == (q.contributors & ones(Contributors)) &&
				  dut_.query_ranks_o == q.ranks && dut_.query_complete_o == q.complete &&
				  dut_.query_have_o == q.have),
		      "wrong bitmaps, complete %d or have %d of a slot", dut_.query_complete_o, dut_.query_have_o);
	}
	query_check_ = dut_.idle_o;
	query_ = segment_model_state(model_, query_slot_);
	query_state_ = !query_.busy ? TALLY_SEG_FREE :
		       slots_[query_slot_].released ? TALLY_SEG_FINISHED : TALLY_SEG_BUSY;
}

void Tester::check_release()
{
	const Slot &s = slots_[release_slot_];
	segment_state now = segment_model_state(model_, release_slot_);
	bool may = now.busy && !s.released && now.complete && (now.have || !s.open.plan.expected);

	CHECK(!dut_.release_ready_o || may, "slot %d may be released too early", release_slot_);
	CHECK(dut_.release_ready_o || s.released || !s.complete || (s.open.plan.expected && !s.have),
	      "slot %d may not be released", release_slot_);
}

// ---- Transfers that the block accepts ----

void Tester::accept_word()
{
	if (!dut_.in_tvalid_i || !dut_.in_tready_o)
		return;
	words_in++;
	last_word_at = bench_.cycle();
	word_valid_ = false;
	if (!word_) {
		segment_packet &p = packet_.p;
		unsigned int k = p.chunk.num % Slots;
		segment_state s;

		p.data = packet_.data.data();
		outcomes_.push_back({ p.chunk.num, k, p.kind, segment_model_packet(model_, &p) });
		s = segment_model_state(model_, k);
		if (outcomes_.back().answer.verdict == VERDICT_STORED && p.len)
			std::memcpy(p.kind == KIND_RESULT ? slots_[k].result.data() : slots_[k].sum.data(),
				    p.kind == KIND_RESULT ? s.result : s.sum, p.len);
	}
	if (++word_ < packet_.words())
		return;
	if (!first_last_at)
		first_last_at = bench_.cycle();
	word_ = 0;
	sending_ = false;
}

void Tester::accept_open()
{
	segment_answer a;
	unsigned int k = open_.chunk.num % Slots;

	if (!dut_.open_valid_i || !dut_.open_ready_o)
		return;
	a = segment_model_open(model_, &open_.chunk, open_.root, open_.contributors, open_.ranks);
	openeds_.push_back(a);
	opening_ = open_valid_ = false;
	if (a.verdict != VERDICT_STORED)
		return;
	segment_model_open(ahead_, &open_.chunk, open_.root, open_.contributors, open_.ranks);
	slots_[k].open = open_;
	slots_[k].complete = a.complete;
	slots_[k].have = a.complete && open_.plan.turns;
	slots_[k].released = false;
	slots_[k].reads = 0;
	slots_[k].reads_due = rng_.below(3);
}

void Tester::accept_release()
{
	if (!dut_.release_valid_i || !dut_.release_ready_o)
		return;
	segment_model_release(ahead_, release_slot_, true);
	slots_[release_slot_].released = true;
	releasing_ = release_valid_ = false;
}

// `done` advances by one in each clock while the model, which has no clock, is ahead.
void Tester::advance()
{
	if (done_ == segment_model_done(ahead_))
		return;
	segment_model_release(model_, done_ % Slots, false);
	done_++;
	CHECK(segment_model_done(model_) == done_, "the model does not release slot %d", done_ - 1);
}

void Tester::cycle()
{
	choose_open();
	choose_packet();
	choose_release();
	choose_read();
	drive();
	drive_alu();
	bench_.settle();
	CHECK(dut_.done_o == done_, "done is %u, not %u", dut_.done_o, done_);
	check_outcome();
	check_opened();
	check_read();
	check_query();
	check_release();
	take_alu();
	bool before = done_ != segment_model_done(ahead_);
	accept_word();
	accept_open();
	accept_release();
	if (dut_.read_valid_i && !read_.words.empty()) { /* from its first word on */
		reads_.push_back(read_);
		read_.words.clear();
	}
	if (dut_.read_valid_i && dut_.read_ready_o)
		reading_ = read_valid_ = false;
	if (before)
		advance();
	bench_.tick();
}
