// SPDX-License-Identifier: BSD-2-Clause
// tally_segment against the slots of the C model's engine, which also is its ALU: openings, contributions, results and
// releases at random, right ones, duplicates and wrong ones, with stalls on every interface. What is accepted is told to
// the model in the same order, and all answers, payloads (with what lies behind their end), bitmaps and `done` have to be
// the model's. Then the clocks that words take.
#include <cstring>
#include <deque>

#include "Vdut.h"
#include "segment_traffic.h"

extern "C" {
#include "alu/alu.h"
}

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
	Tester(tally::Bench<Vdut> &bench) : bench_(bench), dut_(*bench.dut), rng_(bench.rng)
	{
		chunks_ = rng_.next();
		begin();
	}
	~Tester() { end(); }

	void cycle();
	// Nothing new, until all that is open is done.
	void drain();
	// Forgets all slots, when no packet is inside.
	void clear();

	bool random = false;
	std::deque<Open> opens;
	std::deque<Packet> packets;
	uint64_t words_in = 0, last_word_at = 0, first_outcome_at = 0;
	uint64_t first_last_at = 0;
	uint32_t done() const { return done_; }
	Open plain_open(uint32_t num, uint32_t bytes, uint64_t contributors);
	bool any_busy() const;
	bool idle() const { return !opening_ && !sending_ && outcomes_.empty() && opens.empty() && packets.empty(); }

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
	void drive_alu();
	void take_alu();
	void check_outcome();
	void check_opened();
	void check_read();
	void check_query();
	void check_release();
	void accept_word();
	void accept_open();
	void accept_release();
	void advance();

	tally::Bench<Vdut> &bench_;
	Vdut &dut_;
	tally::Rng &rng_;
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
	struct Result {
		bool valid;
		uint8_t data[word_bytes];
		uint16_t flags;
	};
	std::deque<Result> alu_;
};

void Tester::begin()
{
	model_ = segment_model_new(Slots);
	ahead_ = segment_model_new(Slots);
	done_ = 0;
	opening_ = sending_ = releasing_ = reading_ = false;
	open_valid_ = word_valid_ = release_valid_ = read_valid_ = false;
	word_ = out_word_ = 0;
	query_check_ = false;
	for (Slot &s : slots_)
		s.complete = s.have = s.released = false;
}

void Tester::end()
{
	segment_model_free(model_);
	segment_model_free(ahead_);
}

// ---- What is sent ----

bool Tester::busy(uint32_t num) const
{
	return segment_model_state(model_, num % Slots).busy && slots_[num % Slots].open.chunk.num == num;
}

segment_chunk Tester::chunk_for(uint32_t num)
{
	return busy(num) ? slots_[num % Slots].open.chunk : chunk_of(chunks_, num, most_bytes);
}

void Tester::choose_open()
{
	uint32_t num = done_ + rng_.below(Slots);
	bool spoil = false;

	if (opening_)
		return;
	if (!opens.empty()) {
		open_ = opens.front();
		opens.pop_front();
	} else if (random && rng_.one_in(6)) {
		for (uint32_t i = 0; busy(num) && i < 2; i++)
			num = done_ + rng_.below(Slots);
		if (rng_.one_in(30))
			num = done_ - 1 - rng_.below(Slots);
		else if (rng_.one_in(30))
			num = done_ + Slots + rng_.below(Slots);
		else
			spoil = busy(num) && rng_.one_in(2);
		open_.chunk = chunk_for(num);
		if (spoil)
			open_.chunk = spoiled(rng_, open_.chunk);
		open_.root = rng_.one_in(2);
		open_.plan = spoil ? slots_[num % Slots].open.plan : segment_model_plan(model_, &open_.chunk, open_.root);
		open_.contributors = some_bits(rng_, Contributors);
		open_.ranks = some_bits(rng_, Ranks);
	} else {
		return;
	}
	opening_ = true;
}

void Tester::choose_packet()
{
	uint32_t num = done_ + rng_.below(Slots), len;
	segment_kind kind = KIND_REDUCE;
	segment_chunk c;
	segment_state s;
	bool rank = rng_.one_in(2);
	unsigned int index;

	if (sending_)
		return;
	if (!packets.empty()) {
		packet_ = packets.front();
		packets.pop_front();
		sending_ = true;
		return;
	}
	if (!random)
		return;
	if (!busy(num))
		num = done_ + rng_.below(Slots);
	if (rng_.one_in(40))
		num = done_ - 1 - rng_.below(Slots);
	else if (rng_.one_in(40))
		num = done_ + Slots + rng_.below(Slots);
	c = chunk_for(num);
	len = segment_model_plan(model_, &c, false).bytes;
	s = segment_model_state(model_, num % Slots);
	index = rng_.below(rank ? Ranks : Contributors);
	if (busy(num)) {
		if (!(rank ? s.ranks : s.contributors))
			rank = !rank;
		if ((rank ? s.ranks : s.contributors) && !rng_.one_in(4))
			index = a_bit(rng_, rank ? s.ranks : s.contributors);
		if (rank && index >= Ranks)
			index = 0;
		else if (!rank && index >= Contributors)
			index = 0;
		if (rng_.one_in(16))
			c = spoiled(rng_, c);
	}
	if (rng_.one_in(s.ranks || s.contributors ? 8 : 2))
		kind = KIND_RESULT;
	else if (rng_.one_in(16))
		kind = KIND_NOTHING;
	if (kind == KIND_NOTHING)
		len = 0;
	else if (rng_.one_in(16))
		len = rng_.below(most_bytes + 1);
	packet_ = packet_of(rng_, c, kind, rank, index, len);
	sending_ = true;
}

void Tester::choose_release()
{
	unsigned int k = rng_.below(Slots);
	Slot &s = slots_[k];
	bool due = s.complete && (s.have || !s.open.plan.expected) && !s.released;

	if (releasing_ || (reading_ && read_.slot == k))
		return;
	for (const Read &r : reads_)
		if (r.slot == k)
			return;
	if (!(due && (s.reads >= s.reads_due || rng_.one_in(16))) && !(random && !s.released && rng_.one_in(60)))
		return;
	releasing_ = true;
	release_slot_ = k;
}

void Tester::choose_read()
{
	unsigned int k = rng_.below(Slots);
	Slot &s = slots_[k];
	bool result = s.have && (!s.complete || rng_.one_in(2));
	bool other = result && !s.open.plan.turns;

	if (reading_ || s.reads == s.reads_due || (!s.complete && !result) || s.released || (releasing_ && release_slot_ == k))
		return;
	read_ = { k, result, s.open.plan.bytes, other ? s.result : s.sum };
	s.reads++;
	reading_ = true;
}

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

// ---- The ALU ----

void Tester::drive_alu()
{
	Result r = {};

	if (alu_.size() == AluLatency) {
		r = alu_.front();
		alu_.pop_front();
	}
	if (!r.valid) {
		r.flags = rng_.next();
		std::memset(r.data, r.flags, word_bytes);
	}
	std::memcpy(&dut_.alu_result_i, r.data, word_bytes);
	dut_.alu_flags_i = r.flags;
}

void Tester::take_alu()
{
	Result r = {};
	uint8_t b[word_bytes];

	r.valid = dut_.alu_valid_o;
	if (r.valid) {
		CHECK(alu_supported(dut_.alu_op_o, dut_.alu_dtype_o), "the ALU is asked for operation %d of type %d",
		      dut_.alu_op_o, dut_.alu_dtype_o);
		std::memcpy(r.data, &dut_.alu_a_o, word_bytes);
		std::memcpy(b, &dut_.alu_b_o, word_bytes);
		r.flags = alu_reduce(dut_.alu_op_o, dut_.alu_dtype_o, r.data, b,
				     word_bytes / alu_elem_size(dut_.alu_op_o, dut_.alu_dtype_o));
	}
	alu_.push_back(r);
}

// ---- Answers ----

void Tester::check_outcome()
{
	if (!dut_.outcome_valid_o)
		return;
	if (!first_outcome_at)
		first_outcome_at = bench_.cycle();
	CHECK(!outcomes_.empty(), "an outcome of nothing");
	const Expected e = outcomes_.front();
	const segment_answer &a = e.answer;

	CHECK(dut_.outcome_slot_o == e.slot && dut_.outcome_verdict_o == a.verdict && dut_.outcome_status_o == a.status,
	      "slot %d verdict %d status %d, not %d, %d, %d", dut_.outcome_slot_o, dut_.outcome_verdict_o,
	      dut_.outcome_status_o, e.slot, a.verdict, a.status);
	CHECK(dut_.outcome_complete_o == a.complete, "slot %d: complete is %d", e.slot, dut_.outcome_complete_o);
	/* what did not get into a slot tells no errors of it that count */
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
	CHECK(!openeds_.empty(), "an answer to no opening");
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
	CHECK(!reads_.empty(), "a word that nobody reads");
	const Read &r = reads_.front();
	bool last = r.bytes <= (out_word_ + 1) * word_bytes;

	CHECK(!std::memcmp(&dut_.out_tdata_o, &r.words[out_word_ * word_bytes], word_bytes),
	      "slot %d: word %d of the %s is another", r.slot, out_word_, r.result ? "result" : "sum");
	CHECK(dut_.out_tlast_o == last, "slot %d: word %d: last is %d", r.slot, out_word_, dut_.out_tlast_o);
	CHECK(dut_.out_tkeep_o == keep_of(r.bytes, out_word_), "slot %d: word %d: keep is %llx", r.slot, out_word_,
	      static_cast<unsigned long long>(dut_.out_tkeep_o));
	if (!dut_.out_tready_i)
		return;
	out_word_ = last ? 0 : out_word_ + 1;
	if (last)
		reads_.pop_front();
}

// The answer of the last cycle; and what it has to be in the next.
void Tester::check_query()
{
	if (query_check_) {
		const segment_state &q = query_;

		CHECK(dut_.query_state_o == query_state_, "state %d, not %d", dut_.query_state_o, query_state_);
		CHECK(!q.busy || (dut_.query_contributors_o == (q.contributors & ones(Contributors)) &&
				  dut_.query_ranks_o == q.ranks && dut_.query_complete_o == q.complete &&
				  dut_.query_have_o == q.have),
		      "a slot's bitmaps, complete %d or have %d are others", dut_.query_complete_o, dut_.query_have_o);
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

// ---- What the block accepts ----

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

// `done` goes on by one each clock as long as the model, who has no clock, is ahead.
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

Open Tester::plain_open(uint32_t num, uint32_t bytes, uint64_t contributors)
{
	segment_chunk c = plain_chunk(num, bytes);

	return { c, true, segment_model_plan(model_, &c, true), contributors, 0 };
}

bool Tester::any_busy() const
{
	for (unsigned int k = 0; k < Slots; k++)
		if (segment_model_state(model_, k).busy)
			return true;
	return false;
}

void Tester::drain()
{
	uint64_t limit = bench_.cycle() + 40000;

	random = false;
	while (!idle() || any_busy() || releasing_ || reading_ || !reads_.empty() || !openeds_.empty()) {
		if (!opening_ && opens.empty() && any_busy() && !busy(done_)) /* which the others wait for */
			opens.push_back(plain_open(done_, word_bytes, 1));
		for (unsigned int k = 0; k < Slots && !sending_ && packets.empty(); k++) {
			segment_state s = segment_model_state(model_, k);
			const Open &o = slots_[k].open;

			if (!s.busy)
				continue;
			for (; s.ranks; s.ranks &= s.ranks - 1)
				packets.push_back(packet_of(rng_, o.chunk, KIND_REDUCE, true,
							    __builtin_ctzll(s.ranks), o.plan.bytes));
			for (; s.contributors; s.contributors &= s.contributors - 1)
				packets.push_back(packet_of(rng_, o.chunk, KIND_REDUCE, false,
							    __builtin_ctzll(s.contributors), o.plan.bytes));
			if (o.plan.expected && !o.plan.turns && !s.have)
				packets.push_back(packet_of(rng_, o.chunk, KIND_RESULT, false, 0, o.plan.bytes));
		}
		CHECK(bench_.cycle() < limit, "slots are not freed");
		cycle();
		if (releasing_ && !segment_model_state(model_, release_slot_).busy)
			releasing_ = release_valid_ = false; /* nobody opens it any more */
	}
}

void Tester::clear()
{
	dut_.in_tvalid_i = dut_.open_valid_i = dut_.release_valid_i = dut_.read_valid_i = 0;
	dut_.clear_i = 1;
	bench_.settle();
	CHECK(dut_.idle_o, "packets are inside");
	bench_.tick();
	dut_.clear_i = 0;
	for (unsigned int k = 0; k < Slots; k++) {
		dut_.query_slot_i = k;
		bench_.tick();
		CHECK(dut_.query_state_o == TALLY_SEG_FREE, "slot %d is not free", k);
	}
	CHECK(!dut_.done_o, "done is %u", dut_.done_o);
	alu_.clear();
	end();
	begin();
}

// ---- Clocks ----

// Of `packets` contributions of `words` words to `slots` slots in turn: clocks from the first word to the last.
static uint64_t clocks(Tester &t, tally::Rng &rng, unsigned int slots, unsigned int packets, uint32_t words)
{
	std::vector<segment_chunk> chunks;
	uint64_t before, first;

	t.drain();
	for (unsigned int k = 0; k < slots; k++) {
		chunks.push_back(plain_chunk(t.done() + k, words * word_bytes));
		t.opens.push_back(t.plain_open(t.done() + k, words * word_bytes, ones(packets / slots)));
	}
	while (!t.opens.empty())
		t.cycle();
	for (int i = 0; i < 100; i++)
		t.cycle();
	for (unsigned int i = 0; i < packets; i++)
		t.packets.push_back(packet_of(rng, chunks[i % slots], KIND_REDUCE, false, i / slots, words * word_bytes));
	before = t.words_in;
	t.first_outcome_at = t.first_last_at = 0;
	while (t.words_in == before)
		t.cycle();
	first = t.last_word_at;
	t.drain();
	CHECK(t.first_outcome_at == t.first_last_at + AluLatency + 2, "the first outcome comes after %d clocks",
	      int(t.first_outcome_at - t.first_last_at));
	return t.last_word_at - first + 1;
}

static void measure(Tester &t, tally::Rng &rng)
{
	unsigned int packets = Slots * Contributors, n = Contributors;
	uint64_t spread = clocks(t, rng, Slots, packets, 1), longs = clocks(t, rng, 1, n, Words),
		 shorts = clocks(t, rng, 1, n, 1);

	std::printf("words in clocks: %u slots, one word each: %u in %u; one slot, %u words each: %u in %u; "
		    "one slot, one word each: %u in %u\n",
		    Slots, packets, unsigned(spread), Words, n * Words, unsigned(longs), n, unsigned(shorts));
	CHECK(spread == packets && longs == n * Words, "not a word in each clock");
	CHECK(shorts == (n - 1) * (AluLatency + 1) + 1, "the same word waits for more than the ALU");
}

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("segment", argc, argv);
	Vdut &dut = *bench.dut;

	dut.clear_i = dut.in_tvalid_i = dut.open_valid_i = dut.release_valid_i = dut.read_valid_i = 0;
	dut.opened_ready_i = dut.outcome_ready_i = dut.out_tready_i = 0;
	bench.reset();
	Tester tester(bench);
	for (uint64_t left = bench.times(16); left; left--) {
		tester.random = true;
		for (int i = 0; i < 12000; i++)
			tester.cycle();
		tester.drain();
		if (left % 2)
			continue;
		tester.opens.push_back(tester.plain_open(tester.done(), word_bytes, 1));
		for (int i = 0; i < 300; i++)
			tester.cycle();
		tester.clear();
	}
	measure(tester, bench.rng);
	return bench.finish();
}
