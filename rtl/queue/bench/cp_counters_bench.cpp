// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_cp_counters: compares it with counters that are plain lists, for messages with and without data,
// decisions against them, firings of all kinds, and clears. The block is reset amid operations, and its registers begin
// with random values. rmq_bench compares the same counting with the model's C code.
#include <algorithm>
#include <map>
#include <vector>

#include "Vdut.h"
#include "bench.h"

namespace {

enum Op { Message, Look, Fire, Clear };

struct Counter {
	std::vector<unsigned int> order; // contributors that count
	std::map<unsigned int, unsigned int> alone, kept;
	uint16_t err_vector = 0;

	bool counts(unsigned int who) const { return std::find(order.begin(), order.end(), who) != order.end(); }
};

using Bits = std::vector<bool>;

constexpr unsigned int entries = 8; // one bit for two ports, two for three counters
static_assert(Ports == 2 && Counters == 3, "as entries has it");

} // namespace

class CountersBench : public tally::Bench<Vdut> {
public:
	CountersBench(int argc, char **argv) : Bench("cp_counters", argc, argv) {}
	int run();

private:
	void restart();
	void choose();
	void wait_for_answer();
	void message();
	void fire();
	void choose_firing(const Counter &c);
	void take(Counter &c, unsigned int who, bool of_sum);
	void end_to_count(Counter &c, unsigned int who);
	void walk(Counter &c);
	void go();
	Counter &counter() { return counters_[port_][counter_]; }

	tally::Throttle op_{ rng }, out_{ rng };
	Counter counters_[Ports][Counters];
	Op op = Message;
	unsigned int port_ = 0, counter_ = 0, who_ = 0, cpcnt_ = 0;
	bool alone_ = false, counts_ = false, swapped_ = false;
	Bits of_sum_, spoil_;
	std::vector<unsigned int> asked_; // contributors that are named, in order
	uint64_t steps_ = 0;		  // clocks of the firing, unless it is stalled
	unsigned int contributors_ = 4, fires_ = 4, lonely_ = 2;
};

static void set_bits(void *to, const Bits &bits)
{
	auto *words = static_cast<uint32_t *>(to);

	for (size_t i = 0; i < bits.size(); i += 32) {
		uint32_t word = 0;

		for (size_t k = i; k < bits.size() && k < i + 32; k++)
			word |= static_cast<uint32_t>(bits[k]) << (k - i);
		words[i / 32] = word;
	}
}

static bool bit(const void *of, unsigned int i)
{
	return static_cast<const uint32_t *>(of)[i / 32] >> i % 32 & 1;
}

void CountersBench::restart()
{
	dut->op_valid_i = dut->go_i = dut->out_ready_i = 0;
	reset();
	for (auto &port : counters_)
		for (Counter &c : port)
			c = Counter();
	for (unsigned int i = 0; i < entries; i++) {
		settle();
		CHECK(!dut->op_ready_o, "an operation is taken before the counters are cleared");
		tick();
	}
}

void CountersBench::choose()
{
	if (rng.one_in(300)) {
		contributors_ = rng.one_in(2) ? 1 + rng.below(4) : Contributors - rng.below(Contributors / 2);
		fires_ = rng.one_in(3) ? 200 : 2 + rng.below(10);
		lonely_ = 1 + rng.below(rng.one_in(2) ? 3 : 30);
	}
	port_ = rng.below(Ports);
	counter_ = rng.one_in(2) ? 0 : rng.below(Counters);
	who_ = Contributors - 1 - rng.below(contributors_);
	op = rng.one_in(fires_) ? Fire : Message;
	if (rng.one_in(40))
		op = Look;
	if (rng.one_in(500))
		op = Clear;
	alone_ = rng.one_in(lonely_);
	counts_ = alone_ || rng.below(4);
	if (op == Message && !alone_ && counter().kept[who_] == Kept)
		op = Look;
}

// Offers the operation, and waits until it is answered.
void CountersBench::wait_for_answer()
{
	while (!op_.go())
		tick();
	dut->op_valid_i = 1;
	dut->op_i = op;
	dut->port_i = port_;
	dut->counter_i = counter_;
	dut->contributor_i = who_;
	dut->alone_i = alone_;
	dut->counts_i = counts_;
	settle();
	CHECK(dut->op_ready_o, "an operation is not taken at once");
	tick();
	dut->op_valid_i = 0;
	dut->contributor_i = rng.below(Contributors);
	dut->alone_i = rng.next() & 1;
	dut->counts_i = rng.next() & 1;
	for (unsigned int i = 0; i < (op == Clear ? Counters : 1); i++) {
		settle();
		CHECK(!dut->answer_o && !dut->op_ready_o, "an answer comes too early");
		tick();
	}
	for (unsigned int wait = op_.go() ? 0 : rng.below(4); wait; wait--)
		tick();
	settle();
	CHECK(dut->answer_o, "no answer");
}

void CountersBench::go()
{
	dut->go_i = 1;
	tick();
	dut->go_i = 0;
	dut->keep_i = rng.next() & 1;
	dut->err_vector_i = rng.next();
	settle();
}

void CountersBench::message()
{
	Counter &c = counter();
	bool begins = counts_ && !c.counts(who_), full = alone_ && c.alone[who_] == Alone, keep = !full && rng.below(8);
	uint16_t err_vector = rng.next() & rng.next() & rng.next();

	CHECK(dut->count_o == c.order.size() + begins, "the count is %u", dut->count_o);
	CHECK(dut->full_o == full, "full_o is %d", dut->full_o);
	dut->keep_i = keep;
	dut->err_vector_i = err_vector;
	go();
	if (!keep || !counts_)
		return;
	if (alone_)
		c.err_vector |= err_vector;
	c.alone[who_] += alone_;
	c.kept[who_] += !alone_;
	if (begins)
		c.order.push_back(who_);
}

// The intermediate result has some contributors whose messages count and have data.
void CountersBench::choose_firing(const Counter &c)
{
	unsigned int all = 0;

	of_sum_.assign(Contributors, false);
	spoil_.assign(Contributors, false);
	swapped_ = rng.below(3);
	for (unsigned int who : c.order)
		if (swapped_ && c.kept.count(who) && c.kept.at(who) && rng.below(8)) {
			of_sum_[who] = true;
			all++;
		}
	cpcnt_ = rng.one_in(2) ? all : rng.below(c.order.size() + 1);
}

void CountersBench::end_to_count(Counter &c, unsigned int who)
{
	bool last = c.order.back() == who;

	c.order.erase(std::find(c.order.begin(), c.order.end(), who));
	steps_ += 3;
	if (!c.alone[who] && !c.kept[who])
		return;
	c.order.push_back(who);
	steps_ += !last;
}

void CountersBench::take(Counter &c, unsigned int who, bool of_sum)
{
	bool alone = !of_sum && c.alone[who];

	c.alone[who] -= alone;
	c.kept[who] -= !alone;
	if (!of_sum && !alone) {
		asked_.push_back(who);
		steps_++;
	}
	if (swapped_ && !alone && (!of_sum || !cpcnt_))
		spoil_[who] = true;
	if (cpcnt_)
		cpcnt_--;
	end_to_count(c, who);
}

void CountersBench::walk(Counter &c)
{
	asked_.clear();
	steps_ = 1;
	for (unsigned int who = 0; who < Contributors; who++)
		if (of_sum_[who])
			take(c, who, true);
	while (cpcnt_)
		take(c, c.order.front(), false);
	c.err_vector = 0;
}

void CountersBench::fire()
{
	Counter &c = counter();
	size_t next = 0;
	uint64_t since;

	choose_firing(c);
	CHECK(dut->count_o == c.order.size() && dut->err_vector_o == c.err_vector, "count or error vector");
	dut->cpcnt_i = cpcnt_;
	dut->swapped_i = swapped_;
	set_bits(&dut->of_sum_i, of_sum_);
	since = cycle();
	go();
	walk(c);
	for (;;) {
		dut->out_ready_i = out_.go();
		settle();
		if (dut->done_o)
			break;
		if (dut->out_valid_o) {
			CHECK(next < asked_.size() && dut->out_contributor_o == asked_[next], "contributor %u is named",
			      dut->out_contributor_o);
			next += dut->out_ready_i;
			steps_ += !dut->out_ready_i;
		}
		tick();
	}
	CHECK(next == asked_.size() && cycle() - since == steps_, "%zu contributors are named, %llu clocks", next,
	      static_cast<unsigned long long>(cycle() - since));
	for (unsigned int i = 0; i < Contributors; i++)
		CHECK(bit(&dut->spoil_o, i) == spoil_[i], "spoil_o of contributor %u is %d", i, bit(&dut->spoil_o, i));
	tick();
}

int CountersBench::run()
{
	restart();
	for (uint64_t left = times(60000); left; left--) {
		if (rng.one_in(8000))
			restart();
		choose();
		wait_for_answer();
		if (rng.one_in(8000)) { // amid an operation
			restart();
			continue;
		}
		switch (op) {
		case Message:
			message();
			break;
		case Fire:
			fire();
			break;
		case Look:
			CHECK(dut->count_o == counter().order.size(), "the count is %u", dut->count_o);
			go();
			break;
		case Clear:
			go();
			for (Counter &c : counters_[port_])
				c = Counter();
		}
	}
	return finish();
}

int main(int argc, char **argv)
{
	return CountersBench(argc, argv).run();
}
