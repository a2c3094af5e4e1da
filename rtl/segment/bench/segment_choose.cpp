// SPDX-License-Identifier: BSD-2-Clause
// Chooses the next operations of a block of segments.
#include "segment_tester.h"

#include "gen/tally_hw.h"

Tester::Tester(tally::Bench<Vdut> &bench, unsigned int alu_latency)
	: latency(alu_latency), bench_(bench), dut_(*bench.dut), rng_(bench.rng)
{
	chunks_ = rng_.next();
	begin();
}

void Tester::begin()
{
	model_ = segment_model_new(Slots);
	done_ = 0;
	sending_ = reading_ = false;
	word_valid_ = read_valid_ = false;
	word_ = out_word_ = 0;
	for (Slot &s : slots_)
		s.complete = s.have = s.dividing = false;
}

void Tester::end()
{
	segment_model_free(model_);
}

bool Tester::busy(uint32_t num) const
{
	return segment_model_state(model_, num % Slots).busy && slots_[num % Slots].open.chunk.num == num;
}

// Returns the open chunk of this number, or a new one.
Open Tester::open_for(uint32_t num)
{
	Open o;

	if (busy(num))
		return slots_[num % Slots].open;
	o.chunk = chunk_of(chunks_, num, word_bytes << shift_of(num % Slots));
	o.root = rng_.one_in(2);
	o.plan = segment_model_plan(model_, &o.chunk, o.root);
	o.contributors = some_bits(rng_, Contributors);
	o.ranks = some_bits(rng_, Ranks);
	if (o.chunk.op == TALLY_OP_AVG && !o.ranks) /* every rank takes part, so there is something to divide */
		o.ranks = 1;
	if (Parts == 1 && o.chunk.op != TALLY_OP_AVG && rng_.one_in(2)) // parts of a chunk have the same neighbours
		o.out = some_bits(rng_, Contributors);
	return o;
}

// Lets a packet post the chunk, now and then with another mask than others of it; or a part gives nothing.
void Tester::choose_posts(const Open &o, const segment_state &s)
{
	segment_packet &p = packet_.p;

	if (p.kind != KIND_POST && !(p.kind == KIND_REDUCE && p.rank && rng_.one_in(4)))
		return;
	p.posts = p.kind == KIND_REDUCE || !rng_.one_in(4);
	p.out = o.out; // without a post, it does not count
	if (p.posts && Parts == 1 && busy(o.chunk.num) && rng_.one_in(8)) // some of them may have given data
		p.out = rng_.one_in(2) ? some_bits(rng_, Contributors) : o.contributors & ~s.contributors;
	if (o.chunk.op != TALLY_OP_AVG && rng_.one_in(3))
		p.absent = some_bits(rng_, Ranks) & (rng_.one_in(4) ? ~0ull : s.ranks);
	if (p.kind == KIND_REDUCE)
		p.absent &= ~(uint64_t(1) << p.index);
}

void Tester::choose_packet()
{
	if (sending_)
		return;
	if (!clears_.empty()) {
		packet_ = clears_.front();
		clears_.pop_front();
	} else if (choose_release()) {
	} else if (!packets.empty()) {
		packet_ = packets.front();
		packets.pop_front();
	} else if (random && rng_.one_in(2)) {
		choose_random();
	} else {
		return;
	}
	sending_ = true;
}

void Tester::choose_random()
{
	uint32_t num = done_ + rng_.below(Slots), len;
	segment_kind kind = KIND_REDUCE;
	bool rank = rng_.one_in(2);
	unsigned int index = rng_.below(rank ? Ranks : Contributors);
	segment_state s;
	Open o;

	if (!busy(num))
		num = done_ + rng_.below(Slots);
	o = open_for(num);
	len = o.plan.bytes;
	s = segment_model_state(model_, num % Slots);
	if (!busy(num)) {
		s.contributors = o.contributors;
		s.ranks = o.ranks;
	}
	s.contributors &= ones(Contributors);
	s.ranks &= ones(Ranks);
	if (!(rank ? s.ranks : s.contributors))
		rank = !rank;
	index %= rank ? Ranks : Contributors;
	if ((rank ? s.ranks : s.contributors) && !rng_.one_in(4))
		index = a_bit(rng_, rank ? s.ranks : s.contributors);
	if (busy(num) && rng_.one_in(16))
		o.chunk = spoiled(rng_, o.chunk);
	if (rng_.one_in(s.ranks || s.contributors ? 8 : 2))
		kind = KIND_RESULT;
	else if (rng_.one_in(4))
		kind = rng_.one_in(3) ? KIND_QUERY : KIND_POST;
	if (kind != KIND_REDUCE && kind != KIND_RESULT)
		len = 0;
	else if (rng_.one_in(16))
		len = rng_.below(most_bytes + 1);
	packet_ = packet_of(rng_, o, kind, rank, index, len);
	choose_posts(o, s);
}

// Releases a chunk that all receivers have, and now and then another one. The block may still have to divide that one.
bool Tester::choose_release()
{
	unsigned int k = rng_.below(Slots);
	Slot &s = slots_[k];
	bool now = segment_model_state(model_, k).busy;
	bool due = now && s.complete && (s.have || !s.open.plan.expected);

	if ((reading_ && read_.slot == k) || s.dividing)
		return false;
	for (const Read &r : reads_)
		if (r.slot == k)
			return false;
	if (!(due && (s.reads >= s.reads_due || rng_.one_in(16))) && !(random && rng_.one_in(60)))
		return false;
	packet_ = packet_of(rng_, s.open, KIND_RELEASE, false, 0, 0);
	if (!now && s.open.chunk.num % Slots != k)
		return false; /* nothing was ever here */
	if (now && rng_.one_in(16))
		packet_.p.chunk = spoiled(rng_, packet_.p.chunk);
	return true;
}

void Tester::choose_read()
{
	unsigned int k = rng_.below(Slots);
	Slot &s = slots_[k];
	bool result = s.have && (!s.complete || rng_.one_in(2));
	bool other = result && !s.open.plan.turns;

	if (reading_ || s.reads == s.reads_due || (!s.complete && !result) || !segment_model_state(model_, k).busy)
		return;
	if (sending_ && packet_.p.kind == KIND_RELEASE && packet_.p.chunk.num % Slots == k)
		return;
	const Payload &payload = other ? s.result : s.sum;
	read_ = { k, result, s.open.plan.bytes, payload.bytes, payload.known };
	s.reads++;
	reading_ = true;
}

Open Tester::plain_open(uint32_t num, uint32_t bytes, uint64_t contributors)
{
	segment_chunk c = plain_chunk(num, bytes);

	return { c, true, segment_model_plan(model_, &c, true), contributors, 0, 0 };
}

Packet Tester::post(const Open &o)
{
	Packet p = packet_of(rng_, o, KIND_POST, false, 0, 0);

	p.p.posts = true;
	return p;
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
	while (!idle() || any_busy() || reading_ || !reads_.empty()) {
		if (packets.empty() && any_busy() && !busy(done_)) /* the others wait for it */
			packets.push_back(post(plain_open(done_, word_bytes, 1)));
		for (unsigned int k = 0; k < Slots && !sending_ && packets.empty(); k++) {
			segment_state s = segment_model_state(model_, k);
			const Open &o = slots_[k].open;

			if (!s.busy)
				continue;
			for (; s.ranks; s.ranks &= s.ranks - 1)
				packets.push_back(packet_of(rng_, o, KIND_REDUCE, true, __builtin_ctzll(s.ranks),
							    o.plan.bytes));
			for (; s.contributors; s.contributors &= s.contributors - 1)
				packets.push_back(packet_of(rng_, o, KIND_REDUCE, false,
							    __builtin_ctzll(s.contributors), o.plan.bytes));
			if (o.plan.expected && !o.plan.turns && !s.have)
				packets.push_back(packet_of(rng_, o, KIND_RESULT, false, 0, o.plan.bytes));
		}
		CHECK(bench_.cycle() < limit, "slots are not freed");
		cycle();
	}
}
