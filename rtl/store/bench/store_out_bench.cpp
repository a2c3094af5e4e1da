// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_store_out: random entries and repetitions, whose words come from segments that the bench stands in for, and a
// two receivers that stall. What is for a neighbour asks whether it may leave; the answers are random. Each entry must leave once,
// in the order of those for neighbours or for ranks, with the header of its slot and all words, wait, or be dropped. The block
// must not read while the read port is taken, and take each word at once. What one receiver does must not hold up the other one:
// an entry may wait for a receiver only if that has more than a packet in its buffer.
#include <cstring>
#include <deque>

#include "Vdut.h"
#include "bench.h"
#include "gen/tally_fw_hw.h"
#include "gen/tally_hw.h"


struct Header {
	unsigned int group, up_edge, err;
	bool exchange;
	uint32_t num;
};

struct Entry {
	unsigned int slot, kind, edge, ranks, words;
	Header h;
	bool ended, again, asked, waits, may_ask;
	uint32_t seq;
};

enum { SENT, WAITS, DROPPED };

static Header headers[Slots];

class Tester {
public:
	explicit Tester(tally::Bench<Vdut> &bench) : bench_(bench), dut_(*bench.dut), rng_(bench.rng) {}
	void restart();
	void step();

private:
	void drive();
	void offer();
	void read();
	void leave();
	void ask();
	void check_room();
	void check_header(const Entry &e) const;
	void check_word(const Entry &e, unsigned int word, bool last, uint64_t keep, uint64_t data) const;
	void leave_out();
	void leave_results();
	void take(const Entry &e);

	tally::Bench<Vdut> &bench_;
	Vdut &dut_;
	tally::Rng &rng_;
	tally::Throttle in_go_{ rng_ }, out_go_{ rng_ }, res_go_{ rng_ }, words_go_{ rng_ };
	std::deque<Entry> inside_;	// the entry that asks or is to be read
	std::deque<Entry> reading_;	// the one of which words come
	std::deque<Entry> out_, res_;	// those with words in the buffers
	size_t out_words_ = 0, res_words_ = 0;	// in the buffers
	size_t out_old_ = 0, res_old_ = 0;	// of them, those that were there at the last mark
	unsigned int words_left_ = 0, word_ = 0, out_word_ = 0, res_word_ = 0, slot_before_ = 0;
	bool offering_ = false, repeating_ = false, header_next_ = false, taken_ = false;
};

static uint64_t word_of(unsigned int slot, bool result, unsigned int word)
{
	return (uint64_t(slot) << 32 | word << 8 | result) * 0x9e3779b97f4a7c15;
}

static bool reads_result(const Entry &e)
{
	return e.kind == TALLY_FW_STORE_SEND_RANKS || (e.kind == TALLY_FW_STORE_SEND_RESULT && !e.h.exchange);
}

void Tester::restart()
{
	dut_.again_valid_i = dut_.ask_ready_i = dut_.wait_ready_i = 0;
	dut_.due_valid_i = dut_.words_valid_i = dut_.out_tready_i = dut_.res_tready_i = dut_.read_ready_i = dut_.read_taken_i = 0;
	for (auto *q : { &inside_, &reading_, &out_, &res_ })
		q->clear();
	words_left_ = word_ = out_word_ = res_word_ = 0;
	out_words_ = res_words_ = out_old_ = res_old_ = 0;
	offering_ = repeating_ = header_next_ = false;
	bench_.reset();
}

void Tester::offer()
{
	if (!offering_ && in_go_.go()) {
		offering_ = true;
		dut_.due_slot_i = rng_.below(Slots);
		dut_.due_kind_i = rng_.below(3);
		dut_.due_edge_i = rng_.below(Contributors);
		dut_.due_ranks_i = rng_.below(1 << Ranks);
	}
	dut_.due_valid_i = offering_;
	if (!repeating_ && rng_.one_in(16)) {
		repeating_ = true;
		dut_.again_slot_i = rng_.below(Slots);
		dut_.again_sum_i = rng_.one_in(2);
		dut_.again_group_i = rng_.below(Groups);
		dut_.again_edge_i = rng_.below(65);
		dut_.again_seq_i = rng_.next();
	}
	dut_.again_valid_i = repeating_;
	dut_.ask_ready_i = rng_.one_in(4);
	dut_.ask_end_i = rng_.below(3);
	dut_.wait_ready_i = rng_.one_in(2);
}

// The packet may leave, must wait, or is dropped. What is sent again does not wait.
void Tester::ask()
{
	if (dut_.ask_valid_o && dut_.ask_ready_i) {
		CHECK(!inside_.empty(), "nobody asks");
		Entry &e = inside_.front();

		if (e.again && dut_.ask_end_i == WAITS)
			dut_.ask_end_i = DROPPED;
		bench_.settle();
		CHECK(e.kind != TALLY_FW_STORE_SEND_RANKS && !e.ended && !e.asked && !e.waits, "slot %u, kind %u: it asks", e.slot, e.kind);
		check_header(e);
		CHECK(dut_.ask_again_o == e.again && (!e.again || dut_.ask_seq_o == e.seq) && dut_.slot_o == e.slot &&
			      dut_.ask_sum_o == (e.kind == TALLY_FW_STORE_SEND_SUM),
		      "slot %u: asks for another packet", e.slot);
		e.asked = dut_.ask_end_i == SENT;
		e.waits = dut_.ask_end_i == WAITS;
		if (dut_.ask_end_i == DROPPED)
			inside_.pop_front();
	} else if (dut_.wait_valid_o && dut_.wait_ready_i) {
		CHECK(!inside_.empty() && inside_.front().waits, "it need not wait");
		const Entry &e = inside_.front();

		CHECK(dut_.slot_o == e.slot && dut_.wait_sum_o == (e.kind == TALLY_FW_STORE_SEND_SUM) &&
			      (dut_.wait_sum_o || dut_.wait_edge_o == e.edge),
		      "slot %u: another packet waits", e.slot);
		inside_.pop_front();
	}
}

// The header of the slot of a clock before, or anything.
void Tester::drive()
{
	const Header &h = headers[slot_before_];
	uint32_t message[8];

	offer();
	for (auto &word : message)
		word = rng_.next();
	message[7] = (message[7] & 0xffff) | uint32_t(h.exchange ? TALLY_MODE_EXCHANGE : TALLY_MODE_TREE) << 16;
	message[0] = h.num;
	std::memcpy(&dut_.header_message_i, message, sizeof(message));
	dut_.header_group_i = h.group;
	dut_.header_up_edge_i = h.up_edge;
	dut_.header_err_vector_i = h.err;
	dut_.ending_i = rng_.one_in(2);
	dut_.ending_group_i = rng_.below(Groups);
	taken_ = !words_left_ && rng_.one_in(3);
	dut_.read_taken_i = taken_;
	dut_.read_ready_i = rng_.one_in(2);
	dut_.words_valid_i = words_left_ && words_go_.go();
	dut_.words_last_i = words_left_ == 1;
	dut_.words_keep_i = words_left_ == 1 ? 0x1f : 0xff;
	dut_.words_data_i = words_left_ ? word_of(reading_.front().slot, reads_result(reading_.front()), word_) : 0;
	dut_.mark_i = rng_.one_in(20);
	dut_.out_tready_i = out_go_.go();
	dut_.res_tready_i = res_go_.go();
}

void Tester::read()
{
	if (dut_.words_valid_i) {
		const bool to_ranks = reading_.front().kind == TALLY_FW_STORE_SEND_RANKS;

		CHECK(dut_.read_busy_o, "the block does not take a word");
		(to_ranks ? res_words_ : out_words_)++;
		word_++;
		if (!--words_left_) {
			(to_ranks ? res_ : out_).push_back(reading_.front());
			reading_.pop_front();
		}
		return;
	}
	if (!dut_.read_valid_o || !dut_.read_ready_i)
		return;
	CHECK(!inside_.empty() && !taken_ && reading_.empty(), "the block reads without an entry, or while the port is taken");
	Entry &e = inside_.front();
	CHECK(e.asked || e.kind == TALLY_FW_STORE_SEND_RANKS, "slot %u, kind %u: it is read and may not leave", e.slot, e.kind);
	CHECK(dut_.read_slot_o == e.slot && dut_.read_result_o == reads_result(e), "slot %d is read, result %d", dut_.read_slot_o,
	      dut_.read_result_o);
	e.words = words_left_ = rng_.one_in(2) ? 1 : 1 + rng_.below(Words);
	word_ = 0;
	reading_.push_back(e);
	inside_.pop_front();
}

// The header with which an entry asks.
void Tester::check_header(const Entry &e) const
{
	bool partial = e.kind == TALLY_FW_STORE_SEND_RESULT && e.h.exchange;
	unsigned int edge = e.kind == TALLY_FW_STORE_SEND_SUM && !e.again ? e.h.up_edge : e.edge;

	CHECK(dut_.ask_kind_o == (partial ? unsigned(TALLY_FW_STORE_SEND_SUM) : e.kind) && dut_.ask_group_o == e.h.group &&
		      uint32_t(dut_.ask_message_o[0]) == e.h.num && dut_.ask_err_vector_o == e.h.err,
	      "slot %u, kind %u: another header", e.slot, e.kind);
	CHECK(dut_.ask_edge_o == edge, "slot %u, kind %u: edge %d", e.slot, e.kind, dut_.ask_edge_o);
}

void Tester::check_word(const Entry &e, unsigned int word, bool last, uint64_t keep, uint64_t data) const
{
	bool is_last = word + 1 == e.words;

	CHECK(last == is_last && keep == (is_last ? 0x1f : 0xff) && data == word_of(e.slot, reads_result(e), word),
	      "slot %u, kind %u: another word", e.slot, e.kind);
}

// The entry whose words leave by a port, if the words of the one that is being read are the next.
static const Entry &first_of(const std::deque<Entry> &q, const std::deque<Entry> &reading, bool ranks)
{
	if (!q.empty())
		return q.front();
	CHECK(!reading.empty() && (reading.front().kind == TALLY_FW_STORE_SEND_RANKS) == ranks, "a word of no entry");
	return reading.front();
}

void Tester::leave_out()
{
	if (!dut_.out_tvalid_o || !dut_.out_tready_i)
		return;
	const Entry &e = first_of(out_, reading_, false);

	check_word(e, out_word_, dut_.out_tlast_o, dut_.out_tkeep_o, dut_.out_tdata_o);
	out_words_--;
	out_word_ = dut_.out_tlast_o ? 0 : out_word_ + 1;
	if (dut_.out_tlast_o)
		out_.pop_front();
}

void Tester::leave_results()
{
	if (!dut_.res_tvalid_o)
		return;
	const Entry &e = first_of(res_, reading_, true);

	CHECK(dut_.res_slot_o == e.slot && dut_.res_ranks_o == e.ranks && dut_.res_ended_o == e.ended && dut_.res_group_o == e.h.group &&
		      uint32_t(dut_.res_message_o[0]) == e.h.num && dut_.res_err_vector_o == e.h.err,
	      "slot %u: another header of a result", e.slot);
	if (!dut_.res_tready_i)
		return;
	check_word(e, res_word_, dut_.res_tlast_o, dut_.res_tkeep_o, dut_.res_tdata_o);
	res_words_--;
	res_word_ = dut_.res_tlast_o ? 0 : res_word_ + 1;
	if (dut_.res_tlast_o)
		res_.pop_front();
}

// One of `used` words may have left; of those that were there at the last mark, some are left.
static void count_old(size_t &old, bool mark, size_t used, bool pops)
{
	if (mark)
		old = used - (pops && used);
	else
		old -= pops && old;
}

void Tester::leave()
{
	leave_out();
	leave_results();
}

// What has room in its buffer goes on: behind two packets, one of which may still be read.
void Tester::check_room()
{
	if (inside_.empty() || inside_.front().waits)
		return;
	Entry &e = inside_.front();
	const bool packet_comes = !reading_.empty() && reading_.front().kind != TALLY_FW_STORE_SEND_RANKS;

	if (e.kind == TALLY_FW_STORE_SEND_RANKS) {
		CHECK(dut_.read_valid_o == (reading_.empty() && !taken_ && res_words_ <= Words && res_.size() < 4), "a result is read: %d",
		      dut_.read_valid_o);
	} else if (e.asked) {
		CHECK(dut_.read_valid_o == (reading_.empty() && !taken_), "a packet is read: %d", dut_.read_valid_o);
	} else {
		e.may_ask |= out_words_ <= (packet_comes ? 1 : 2) * Words;
		CHECK(dut_.ask_valid_o == e.may_ask, "a packet asks: %d", dut_.ask_valid_o);
	}
}

// An entry or a repetition is taken. Its header comes a clock later, and it asks, or is read, in that clock.
void Tester::take(const Entry &e)
{
	CHECK(inside_.empty() && dut_.header_slot_o == e.slot, "a second entry is taken, or another header is read");
	headers[e.slot] = { unsigned(rng_.below(Groups)), unsigned(rng_.below(65)), unsigned(rng_.below(65536)), bool(rng_.one_in(2)),
			    uint32_t(rng_.next()) };
	inside_.push_back(e);
	inside_.back().h = headers[e.slot];
	if (e.again)
		inside_.back().h.group = dut_.again_group_i;
	header_next_ = true;
}

void Tester::step()
{
	drive();
	bench_.settle();
	CHECK(dut_.busy_o == !inside_.empty() && dut_.idle_o == (inside_.empty() && reading_.empty() && !out_words_ && !res_words_),
	      "idle_o is %d, busy_o %d; %zu, %zu and %zu words inside", dut_.idle_o, dut_.busy_o, inside_.size(), out_words_, res_words_);
	CHECK(dut_.read_busy_o == !reading_.empty() && (reading_.empty() || dut_.busy_slot_o == reading_.front().slot), "slot %d is read: %d",
	      dut_.busy_slot_o, dut_.read_busy_o);
	CHECK(dut_.wait_begin_o == header_next_, "a packet begins, or does not");
	if (header_next_) {
		Entry &e = inside_.back();

		e.ended = dut_.ending_i && dut_.ending_group_i == e.h.group;
		if (e.ended && e.kind != TALLY_FW_STORE_SEND_RANKS)
			inside_.pop_back();
	}
	header_next_ = false;
	check_room();
	ask();
	CHECK(dut_.old_o == (out_old_ || res_old_), "old_o is %d; %zu and %zu words are old", dut_.old_o, out_old_, res_old_);
	count_old(out_old_, dut_.mark_i, out_words_, dut_.out_tvalid_o && dut_.out_tready_i);
	count_old(res_old_, dut_.mark_i, res_words_, dut_.res_tvalid_o && dut_.res_tready_i);
	read();
	leave();	// a word may leave as it comes
	slot_before_ = dut_.header_slot_o;
	if (dut_.again_valid_i && dut_.again_ready_o) {
		take({ dut_.again_slot_i, unsigned(dut_.again_sum_i ? TALLY_FW_STORE_SEND_SUM : TALLY_FW_STORE_SEND_RESULT),
		       dut_.again_edge_i, 0, 0, {}, false, true, false, false, false, dut_.again_seq_i });
		repeating_ = false;
		CHECK(!dut_.due_ready_o, "two are taken at once");
	} else if (dut_.due_valid_i && dut_.due_ready_o) {
		take({ dut_.due_slot_i, dut_.due_kind_i, dut_.due_edge_i, dut_.due_ranks_i, 0, {}, false, false, false, false, false, 0 });
		offering_ = false;
	}
	bench_.tick();
}

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("store_out", argc, argv);
	Tester tester(bench);

	bench.live(bench.times(60000), [&] { tester.restart(); }, [&] { tester.step(); });
	return bench.finish();
}
