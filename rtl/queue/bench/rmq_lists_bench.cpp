// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_rmq_lists: compares it with lists of cells. It appends in the middle of walks, walks to few and many
// contributors, and flushes. At most one operation comes in three cycles. A walk without stalls must take two cycles
// for each message that it examines.
#include <deque>
#include <set>
#include <vector>

#include "Vdut.h"
#include "bench.h"

enum Op { Nothing, Append, Take, Flush };

struct Cell {
	unsigned int cell = 0, contributor = 0, note = 0;
	bool end = false;
};

struct Event { // event of a flush: a counter is cleared, or a cell leaves
	bool clear;
	unsigned int counter;
	Cell cell;
};

class ListsBench : public tally::Bench<Vdut> {
public:
	ListsBench(int argc, char **argv) : Bench("rmq_lists", argc, argv) {}
	int run();

private:
	using List = std::deque<Cell>;
	List &list() { return lists_[port_][counter_]; }
	std::set<unsigned int> contributors();
	void initialize();
	void choose();
	void drive();
	void perform();
	void do_take();
	void do_flush();
	void check_walk();
	void check_flush();
	void check_release();
	bool is_cell(const Cell &c) const;

	tally::Throttle op_{ rng }, taken_{ rng }, release_{ rng };
	List lists_[Ports][Counters];
	std::deque<unsigned int> free_;
	std::deque<Cell> taken_expected_;
	std::deque<Event> flushed_;
	std::deque<unsigned int> releases_;
	Op now_ = Nothing;
	Cell new_;
	unsigned int port_ = 0, counter_ = 0, cpcnt_ = 0, since_ = 3; // cycles since the last operation
	unsigned int walk_port_ = 0, walk_counter_ = 0;
	uint64_t walk_ends_ = 0; // last cycle, unless it is stalled
	bool flushing_ = false, appended_ = false, slow_ = false;
	unsigned int takes_ = 4, contributors_ = Contributors;
};

std::set<unsigned int> ListsBench::contributors()
{
	std::set<unsigned int> found;

	for (const Cell &c : list())
		found.insert(c.contributor);
	return found;
}

// Chooses the list of the next operation, which comes one cycle later.
void ListsBench::choose()
{
	if (rng.one_in(200)) {
		takes_ = 1 + rng.below(20);
		contributors_ = 1 + rng.below(Contributors);
	}
	port_ = rng.below(Ports);
	counter_ = rng.one_in(2) ? 0 : rng.below(Counters);
	now_ = free_.empty() ? Nothing : Append;
	if (!dut->walking_o && taken_expected_.empty()) {
		if (rng.one_in(takes_) || free_.empty())
			now_ = Take;
		if (rng.one_in(60) && releases_.empty() && !dut->release_valid_o)
			now_ = Flush;
	}
	cpcnt_ = rng.one_in(2) ? contributors().size() : rng.below(contributors().size() + 1);
	if (!free_.empty())
		new_.cell = free_.front();
	new_.contributor = rng.below(contributors_);
	new_.note = rng.below(1 << NoteW);
}

void ListsBench::drive()
{
	since_++;
	if (since_ >= 3 && !flushing_ && op_.go()) {
		choose();
		since_ = 0;
	}
	dut->port_i = port_;
	dut->counter_i = counter_;
	dut->append_valid_i = since_ == 1 && now_ == Append;
	dut->append_cell_i = new_.cell;
	dut->append_contributor_i = new_.contributor;
	dut->append_note_i = new_.note;
	dut->take_valid_i = since_ == 1 && now_ == Take;
	dut->take_cpcnt_i = cpcnt_;
	dut->flush_valid_i = since_ == 1 && now_ == Flush;
	dut->taken_ready_i = taken_.go();
	dut->release_ready_i = release_.go();
}

void ListsBench::do_take()
{
	std::set<unsigned int> seen;
	List left;
	unsigned int looked = 0;

	for (const Cell &c : list()) {
		if (seen.size() < cpcnt_)
			looked++;
		if (seen.size() == cpcnt_ || !seen.insert(c.contributor).second) {
			left.push_back(c);
			continue;
		}
		taken_expected_.push_back(c);
		taken_expected_.back().end = seen.size() == cpcnt_;
	}
	list() = left;
	walk_port_ = port_;
	walk_counter_ = counter_;
	walk_ends_ = cycle() + 2 * looked;
	slow_ = false;
}

void ListsBench::do_flush()
{
	for (unsigned int counter = 0; counter < Counters; counter++) {
		flushed_.push_back({ true, counter, {} });
		for (const Cell &c : lists_[port_][counter])
			flushed_.push_back({ false, counter, c });
		lists_[port_][counter].clear();
	}
	flushing_ = true;
}

void ListsBench::perform()
{
	appended_ = dut->append_valid_i;
	if (dut->append_valid_i) {
		list().push_back(new_);
		free_.pop_front();
	}
	if (dut->take_valid_i)
		do_take();
	if (dut->flush_valid_i)
		do_flush();
}

bool ListsBench::is_cell(const Cell &c) const
{
	return dut->cell_o == c.cell && dut->contributor_o == c.contributor && dut->note_o == c.note;
}

void ListsBench::check_walk()
{
	slow_ = slow_ || !dut->taken_ready_i || (dut->release_valid_o && !dut->release_ready_i) || appended_;
	CHECK(!taken_expected_.empty() || !dut->walking_o, "a walk does not end");
	if (!dut->taken_valid_o) {
		CHECK(slow_ || taken_expected_.empty() || cycle() < walk_ends_, "a walk takes too long");
		return;
	}
	CHECK(dut->taken_ready_i, "taken_valid_o without taken_ready_i");
	CHECK(!taken_expected_.empty() && is_cell(taken_expected_.front()), "cell %u is taken unexpectedly", dut->cell_o);
	CHECK(dut->taken_end_o == taken_expected_.front().end, "end is %d", dut->taken_end_o);
	free_.push_back(taken_expected_.front().cell);
	taken_expected_.pop_front();
}

void ListsBench::check_flush()
{
	if (dut->clear_valid_o) {
		CHECK(!flushed_.empty() && flushed_.front().clear && flushed_.front().counter == dut->clear_counter_o,
		      "counter %u is cleared unexpectedly", dut->clear_counter_o);
		flushed_.pop_front();
	}
	if (dut->gone_valid_o) {
		CHECK(!flushed_.empty() && !flushed_.front().clear && is_cell(flushed_.front().cell),
		      "cell %u leaves unexpectedly", dut->cell_o);
		free_.push_back(flushed_.front().cell.cell);
		flushed_.pop_front();
	}
	CHECK(!dut->flush_done_o || (flushing_ && flushed_.empty()), "flush_done_o too early or without a flush");
	flushing_ = flushing_ && !dut->flush_done_o;
}

void ListsBench::check_release()
{
	CHECK(dut->release_valid_o == !releases_.empty(), "release_valid_o is %d", dut->release_valid_o);
	if (dut->release_valid_o) {
		CHECK(dut->release_port_o == walk_port_ && dut->release_counter_o == walk_counter_ &&
		      dut->release_contributor_o == releases_.front(), "contributor %u is released unexpectedly",
		      dut->release_contributor_o);
		if (dut->release_ready_i)
			releases_.pop_front();
	}
	if (dut->taken_valid_o)
		releases_.push_back(dut->contributor_o);
}

void ListsBench::initialize()
{
	dut->append_valid_i = dut->take_valid_i = dut->flush_valid_i = dut->init_valid_i = 0;
	reset();
	dut->init_valid_i = 1;
	for (unsigned int i = 0; i < 8; i++) { // two bits for three counters, one for two ports
		dut->init_list_i = i;
		tick();
	}
	dut->init_valid_i = 0;
	for (unsigned int i = 0; i < Cells; i++)
		free_.push_back(i);
}

int ListsBench::run()
{
	initialize();
	for (uint64_t left = times(300000); left; left--) {
		settle();
		drive();
		settle();
		check_walk();
		check_flush();
		check_release();
		perform();
		tick();
	}
	return finish();
}

int main(int argc, char **argv)
{
	return ListsBench(argc, argv).run();
}
