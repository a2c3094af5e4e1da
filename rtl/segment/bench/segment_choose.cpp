// SPDX-License-Identifier: BSD-2-Clause
// Chooses the next operations of a block of segments.
#include "segment_tester.h"

Tester::Tester(tally::Bench<Vdut> &bench, unsigned int alu_latency)
	: latency(alu_latency), bench_(bench), dut_(*bench.dut), rng_(bench.rng)
{
	chunks_ = rng_.next();
	begin();
}

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
		if (!opening_ && opens.empty() && any_busy() && !busy(done_)) /* the others wait for it */
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
			releasing_ = release_valid_ = false; /* no opening can come any more */
	}
}
