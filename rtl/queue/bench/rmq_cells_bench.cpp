// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_rmq_cells: compares the rule for cells with plain counts (rmq_bench does with rmq_cells.c), and checks
// that no place is handed out twice. The block is reset amid traffic, and its registers begin with random values.
#include <set>
#include <vector>

#include "Vdut.h"
#include "bench.h"

namespace {

struct Group {
	unsigned int cells = 0, keep = 0, own = 0;
	std::vector<std::pair<unsigned int, bool>> used; // place, one of its own
};

} // namespace

class CellsBench : public tally::Bench<Vdut> {
public:
	CellsBench(int argc, char **argv) : Bench("rmq_cells", argc, argv) {}
	int run();

private:
	void restart();
	void step();
	void look();
	void act();
	void take(Group &g);
	void give(Group &g);
	void set(Group &g);
	void check();

	Group groups_[Groups];
	unsigned int group_ = 0, shared_ = Cells, takes_ = 2;
	std::vector<unsigned int> buffers_;
	std::set<unsigned int> held_;
	bool releasing_ = false;
	bool held_back_ = false;	// a place that was released is not in the ring yet
	uint64_t released_ = 0; // cycle of the last release
};

void CellsBench::restart()
{
	dut->look_valid_i = dut->take_i = dut->give_i = dut->push_i = dut->release_valid_i = dut->set_i = 0;
	dut->init_valid_i = 0;
	reset();
	for (Group &g : groups_)
		g = Group();
	shared_ = Cells;
	buffers_.clear();
	held_.clear();
	releasing_ = held_back_ = false;
	dut->init_valid_i = 1;
	for (unsigned int i = 0; i < Places + 3; i++) {
		dut->init_place_i = i < Places;
		dut->init_at_i = i;
		dut->init_group_i = i % 4; // two bits
		tick();
	}
	dut->init_valid_i = 0;
	tick();
	tick();
}

// One clock. A buffer is released when nothing else frees a place.
void CellsBench::step()
{
	if (!releasing_ && !buffers_.empty() && !dut->take_i && !dut->give_i && rng.one_in(6))
		releasing_ = true;
	dut->release_valid_i = releasing_;
	if (releasing_)
		dut->release_place_i = buffers_.back();
	settle();
	CHECK(dut->release_ready_o == !held_back_, "release_ready_o is %d", dut->release_ready_o);
	if (held_back_)
		released_ = cycle();
	held_back_ = held_back_ && dut->push_i;
	if (releasing_ && dut->release_ready_o) {
		held_back_ = true;
		held_.erase(buffers_.back());
		buffers_.pop_back();
		releasing_ = false;
		released_ = cycle();
	}
	tick();
	dut->take_i = dut->give_i = dut->push_i = dut->set_i = dut->look_valid_i = 0;
}

void CellsBench::look()
{
	group_ = rng.below(Groups);
	dut->look_valid_i = 1;
	dut->group_i = group_;
	step();
	dut->group_i = rng.below(Groups);
	step();
}

void CellsBench::check()
{
	const Group &g = groups_[group_];

	dut->show_group_i = group_;
	settle();
	CHECK(dut->own_room_o == (g.cells - g.own > g.keep), "own_room_o is %d", dut->own_room_o);
	CHECK(dut->own_any_o == (g.cells != g.own), "own_any_o is %d", dut->own_any_o);
	CHECK(dut->shared_any_o == (shared_ != 0), "shared_any_o is %d", dut->shared_any_o);
	CHECK(dut->show_own_o == g.own && dut->shared_free_o == shared_, "%u own cells, %u shared ones", dut->show_own_o,
	      dut->shared_free_o);
}

void CellsBench::take(Group &g)
{
	bool buffer = rng.one_in(3), oldest = rng.one_in(2);
	bool own = oldest ? g.cells != g.own : g.cells - g.own > g.keep;

	if (buffer ? buffers_.size() >= Places - Cells || cycle() < released_ + 3 : !own && !shared_)
		return;
	unsigned int place = dut->place_o;

	CHECK(place < Places && held_.insert(place).second, "place %u is in use", place);
	dut->take_i = 1;
	dut->take_cell_i = !buffer;
	dut->take_own_i = own;
	if (buffer) {
		buffers_.push_back(place);
		if (releasing_)
			std::swap(buffers_.back(), buffers_[buffers_.size() - 2]);
		return;
	}
	g.used.push_back({ place, own });
	g.own += own;
	shared_ -= !own;
}

// A cell is free, with its place or without; or only a place is.
void CellsBench::give(Group &g)
{
	if (rng.one_in(8) && buffers_.size() > releasing_) {
		dut->push_i = 1;
		dut->give_place_i = buffers_.front();
		held_.erase(buffers_.front());
		buffers_.erase(buffers_.begin());
		return;
	}
	if (g.used.empty())
		return;
	size_t at = rng.below(g.used.size());
	auto [place, own] = g.used[at];
	bool becomes_buffer = rng.one_in(4) && buffers_.size() < Places - Cells;

	g.used.erase(g.used.begin() + static_cast<std::ptrdiff_t>(at));
	g.own -= own;
	shared_ += !own;
	dut->give_i = 1;
	dut->push_i = !becomes_buffer;
	dut->give_place_i = place;
	if (becomes_buffer) {
		buffers_.insert(buffers_.begin(), place);
	} else {
		held_.erase(place);
	}
}

void CellsBench::set(Group &g)
{
	unsigned int cells = rng.one_in(2) ? 0 : rng.below(Cells + 1), keep = cells ? rng.below(cells) : 0;

	if (g.own)
		return;
	dut->set_i = 1;
	dut->set_cells_i = cells;
	dut->set_keep_i = keep;
	settle();
	CHECK(dut->set_given_o == (cells <= g.cells + shared_), "set_given_o is %d", dut->set_given_o);
	if (!dut->set_given_o)
		return;
	shared_ -= cells - g.cells;
	g.cells = cells;
	g.keep = keep;
}

void CellsBench::act()
{
	Group &g = groups_[group_];

	check();
	if (rng.one_in(20))
		set(g);
	else if (rng.one_in(takes_))
		take(g);
	else
		give(g);
	step();
	check();
}

int CellsBench::run()
{
	restart();
	for (uint64_t left = times(100000); left; left--) {
		if (rng.one_in(3000))
			restart();
		if (rng.one_in(500))
			takes_ = 1 + rng.below(4);
		look();
		for (uint64_t i = 1 + rng.below(3); i; i--) {
			act();
			for (uint64_t wait = 2 + rng.below(2); wait; wait--)
				step(); // the next place is fetched
		}
	}
	return finish();
}

int main(int argc, char **argv)
{
	return CellsBench(argc, argv).run();
}
