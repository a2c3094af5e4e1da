// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_rmq_lists: compares it with lists of intermediate results. Contributors, Branch and numbers of messages
// are chosen freely, so that lists become long and have places of all kinds. The block is reset amid operations, and its
// registers begin with random values. rmq_bench compares the same rules with the model's C code.
#include <algorithm>
#include <deque>
#include <vector>

#include "Vdut.h"
#include "bench.h"
#include "gen/tally_hw.h"

namespace {

enum Op { Find, Await, Awaited, Fire, Count, Out, Flush };

struct Sum {
	uint64_t filled = 0, op = 0, dtype = 0, count = 0, err_vector = 0, disagree = 0, branch = 0, messages = 0, number = 0,
		 from = 0, counted = 0;

	bool is_open() const { return !branch || messages < branch; }
};

constexpr unsigned int count_bits = 3; // of a number of messages
static_assert(Contributors >= 4 && Contributors < 8, "as count_bits has it");

struct Entry {
	unsigned int place;
	Sum sum;
};

struct List {
	bool awaits = false;
	Entry awaited = {};
	std::deque<Entry> entries;
};

// Fields of a sum, from the highest bit down.
struct Field {
	uint64_t Sum::*value;
	unsigned int bits;
};

const Field fields[] = {
	{ &Sum::filled, 1 },	   { &Sum::op, 8 },		 { &Sum::dtype, 8 },	       { &Sum::count, 32 },
	{ &Sum::err_vector, 16 },  { &Sum::disagree, Contributors }, { &Sum::branch, 8 },      { &Sum::messages, count_bits },
	{ &Sum::number, count_bits }, { &Sum::from, Contributors },	 { &Sum::counted, Contributors },
};

bool same(const Sum &a, const Sum &b)
{
	return std::all_of(std::begin(fields), std::end(fields), [&](const Field &f) { return a.*f.value == b.*f.value; });
}

} // namespace

class ListsBench : public tally::Bench<Vdut> {
public:
	ListsBench(int argc, char **argv) : Bench("rmq_lists", argc, argv) {}
	int run();

private:
	List &list() { return lists_[port_][counter_]; }
	void restart();
	bool choose();
	Sum random_sum(const Sum &from);
	void put(void *to, const Sum &sum);
	Sum get(const void *from);
	void begin();
	void wait_until_done();
	Entry *find();
	void finish_find();
	void finish_await();
	void finish_awaited();
	void finish_count();
	void flush();
	void go();
	void check_found(const Entry *entry, bool awaited);

	List lists_[Ports][Counters];
	std::vector<unsigned int> free_;
	Op op_ = Find;
	unsigned int port_ = 0, counter_ = 0, contributor_ = 0, steps_ = 0, contributors_ = Contributors, takes_ = 3;
};

void ListsBench::put(void *to, const Sum &sum)
{
	auto *words = static_cast<uint32_t *>(to);
	unsigned int at = 0;

	std::fill(words, words + 4, 0);
	for (size_t i = std::size(fields); i-- > 0;)
		for (unsigned int bit = 0; bit < fields[i].bits; bit++, at++)
			words[at / 32] |= static_cast<uint32_t>(sum.*fields[i].value >> bit & 1) << at % 32;
}

Sum ListsBench::get(const void *from)
{
	auto *words = static_cast<const uint32_t *>(from);
	unsigned int at = 0;
	Sum sum;

	for (size_t i = std::size(fields); i-- > 0;)
		for (unsigned int bit = 0; bit < fields[i].bits; bit++, at++)
			sum.*fields[i].value |= static_cast<uint64_t>(words[at / 32] >> at % 32 & 1) << bit;
	return sum;
}

void ListsBench::restart()
{
	dut->op_valid_i = dut->go_i = dut->init_valid_i = 0;
	reset();
	dut->init_valid_i = 1;
	for (unsigned int i = 0; i < 8; i++) { // two bits for three counters, one for two ports
		dut->init_list_i = i;
		tick();
	}
	dut->init_valid_i = 0;
	free_.clear();
	for (unsigned int i = 0; i < Places; i++)
		free_.push_back(i);
	for (auto &port : lists_)
		for (List &l : port)
			l = List();
}

// Chooses an operation that is permitted; false if there is none now.
bool ListsBench::choose()
{
	if (rng.one_in(200)) {
		contributors_ = 1 + rng.below(Contributors);
		takes_ = 2 + rng.below(8);
	}
	port_ = rng.below(Ports);
	counter_ = rng.one_in(2) ? 0 : rng.below(Counters);
	contributor_ = rng.below(contributors_);
	op_ = rng.one_in(takes_) ? static_cast<Op>(rng.below(6)) : Find;
	if (rng.one_in(100))
		op_ = Flush;
	switch (op_) {
	case Await:
		return !list().awaits && !free_.empty();
	case Awaited:
	case Fire:
		return list().awaits;
	case Count:
	case Out:
		return std::any_of(list().entries.begin(), list().entries.end(),
				   [this](const Entry &e) { return e.sum.counted >> contributor_ & 1; });
	default:
		return true;
	}
}

// The next state of an intermediate result, with one more message of the contributor.
Sum ListsBench::random_sum(const Sum &from)
{
	Sum sum = from;

	for (const Field &f : fields)
		if (f.bits > 7)
			sum.*f.value = rng.next() & ((1ULL << f.bits) - 1);
	sum.filled = rng.next() & 1;
	sum.disagree = rng.below(1 << Contributors);
	sum.branch = rng.one_in(8) ? 0 : from.branch ? from.branch : 1 + rng.below(contributors_ + 1);
	sum.messages = from.messages + 1;
	sum.from = from.from | 1ULL << contributor_;
	if (rng.below(4)) {
		sum.counted = from.counted | 1ULL << contributor_;
		sum.number = from.number + 1;
	}
	return sum;
}

void ListsBench::begin()
{
	dut->op_valid_i = 1;
	dut->op_i = op_;
	dut->port_i = port_;
	dut->counter_i = counter_;
	dut->contributor_i = contributor_;
	settle();
	CHECK(dut->op_ready_o && !dut->done_o, "an operation is not taken");
	tick();
	dut->op_valid_i = 0;
	dut->port_i = rng.below(Ports);
	dut->counter_i = rng.below(Counters);
	dut->contributor_i = rng.below(Contributors);
}

// The operation looks at `steps_` intermediate results.
void ListsBench::wait_until_done()
{
	for (unsigned int i = 0; i < 1 + steps_; i++) {
		settle();
		CHECK(!dut->done_o && !dut->op_ready_o && !dut->gone_valid_o, "done too early");
		tick();
	}
	for (uint64_t wait = rng.one_in(2) ? 0 : rng.below(3); wait; wait--)
		tick();
	settle();
	CHECK(dut->done_o, "an operation takes too long");
}

void ListsBench::go()
{
	dut->go_i = 1;
	settle();
}

void ListsBench::check_found(const Entry *entry, bool awaited)
{
	CHECK(dut->found_o == (entry != nullptr), "found_o is %d", dut->found_o);
	CHECK(same(get(&dut->sum_o), entry ? entry->sum : Sum()), "a wrong intermediate result");
	CHECK(!entry || (dut->at_o == entry->place && dut->awaited_o == awaited), "place %u is found", dut->at_o);
}

// place_of() of sim/engine/rmq.c
Entry *ListsBench::find()
{
	Entry *found = nullptr;
	List &l = list();

	steps_ = l.awaits + l.entries.size();
	if (l.awaits && !(l.awaited.sum.from >> contributor_ & 1) && l.awaited.sum.is_open())
		found = &l.awaited;
	for (Entry &e : l.entries) {
		if (e.sum.from >> contributor_ & 1)
			found = nullptr;
		else if (!found && e.sum.is_open())
			found = &e;
	}
	return found;
}

void ListsBench::finish_find()
{
	Entry *found = find();
	bool store = rng.below(8) && (found || !free_.empty());
	Sum sum = random_sum(found ? found->sum : Sum());

	wait_until_done();
	check_found(found, found == &list().awaited);
	put(&dut->store_sum_i, sum);
	dut->store_i = store;
	if (!free_.empty())
		dut->place_i = free_.back();
	go();
	if (!store)
		return;
	if (found) {
		found->sum = sum;
		return;
	}
	list().entries.push_back({ free_.back(), sum });
	free_.pop_back();
}

void ListsBench::finish_await()
{
	List &l = list();

	steps_ = !l.entries.empty();
	wait_until_done();
	check_found(steps_ ? &l.entries.front() : nullptr, false);
	dut->place_i = free_.back();
	go();
	l.awaits = true;
	if (steps_) {
		l.awaited = l.entries.front();
		l.entries.pop_front();
	} else {
		l.awaited = { free_.back(), Sum() };
		free_.pop_back();
	}
}

void ListsBench::finish_awaited()
{
	List &l = list();
	Sum sum = random_sum(l.awaited.sum);

	steps_ = 1;
	wait_until_done();
	check_found(&l.awaited, true);
	dut->store_i = op_ == Awaited && rng.below(4) && sum.messages <= Contributors;
	put(&dut->store_sum_i, sum);
	go();
	if (dut->store_i)
		l.awaited.sum = sum;
	if (op_ == Fire) {
		l.awaits = false;
		free_.insert(free_.begin(), l.awaited.place);
	}
}

// take_out() of sim/engine/rmq.c
void ListsBench::finish_count()
{
	std::deque<Entry> &entries = list().entries;
	size_t at = 0;

	while (!(entries[at].sum.counted >> contributor_ & 1))
		at++;
	steps_ = at + 1;
	wait_until_done();
	check_found(&entries[at], false);
	go();
	Sum &sum = entries[at].sum;

	sum.counted &= ~(1ULL << contributor_);
	sum.number--;
	CHECK(dut->gone_valid_o == (op_ == Out && sum.messages == 1), "gone_valid_o is %d", dut->gone_valid_o);
	if (op_ == Count)
		return;
	sum.from &= ~(1ULL << contributor_);
	sum.branch = 0;
	sum.err_vector |= TALLY_ERR_MISMATCH;
	sum.disagree |= 1ULL << contributor_;
	if (--sum.messages)
		return;
	CHECK(dut->gone_place_o == entries[at].place && !dut->gone_awaited_o, "place %u leaves", dut->gone_place_o);
	free_.insert(free_.begin(), entries[at].place);
	entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(at));
}

void ListsBench::flush()
{
	uint64_t since = cycle(), clocks = 0;

	for (List &l : lists_[port_]) {
		std::vector<Entry> all(l.entries.begin(), l.entries.end());

		if (l.awaits)
			all.insert(all.begin(), l.awaited);
		for (size_t i = 0; i < all.size(); i++) {
			for (settle(); !dut->gone_valid_o; settle()) {
				CHECK(!dut->done_o && cycle() < since + 100, "a place does not leave");
				tick();
			}
			CHECK(dut->gone_place_o == all[i].place && dut->gone_awaited_o == (l.awaits && i == 0), "place %u leaves",
			      dut->gone_place_o);
			free_.insert(free_.begin(), all[i].place);
			tick();
		}
		clocks += 2 + all.size();
		l = List();
	}
	while (settle(), !dut->done_o) {
		CHECK(!dut->gone_valid_o, "place %u leaves unexpectedly", dut->gone_place_o);
		tick();
	}
	CHECK(cycle() - since == clocks, "a flush takes %llu clocks", static_cast<unsigned long long>(cycle() - since));
	go();
}

int ListsBench::run()
{
	restart();
	for (uint64_t left = times(150000); left; left--) {
		if (rng.one_in(10000))
			restart();
		if (!choose())
			continue;
		begin();
		if (rng.one_in(10000)) { // amid an operation
			restart();
			continue;
		}
		dut->store_i = 0;
		if (op_ == Find)
			finish_find();
		else if (op_ == Await)
			finish_await();
		else if (op_ == Flush)
			flush();
		else if (op_ == Awaited || op_ == Fire)
			finish_awaited();
		else
			finish_count();
		tick();
		dut->go_i = dut->store_i = 0;
	}
	return finish();
}

int main(int argc, char **argv)
{
	return ListsBench(argc, argv).run();
}
