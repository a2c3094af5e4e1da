// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_edge_news: groups move, often the same ones, while time passes, sometimes in leaps, and walks take long. Each
// group that has moved must come out for either walk, once, in its turn, as soon as no group moves, and not before it is due.
#include <algorithm>
#include <deque>

#include "Vdut.h"
#include "bench.h"

struct Due {
	unsigned int group;
	uint64_t at;
};

class News {
public:
	News(int argc, char **argv) : bench("edge_news", argc, argv), dut(*bench.dut), rng(bench.rng), moves(rng), walks(rng)
	{
		dut.now_i = 0;
	}
	int run();

private:
	void restart();
	void cycle();
	void check();
	void arrives();
	void move(std::deque<Due> &queue, uint64_t at);

	tally::Bench<Vdut> bench;
	Vdut &dut;
	tally::Rng &rng;
	tally::Throttle moves, walks;
	std::deque<Due> now, soon;
	bool held = false;	// a walk is offered, which is not in the queues any more
	bool must = false;	// one must be offered in this cycle
	bool few = false;
	uint64_t out[2] = {}, full = 0;
};

void News::restart()
{
	dut.moved_valid_i = dut.walk_ready_i = 0;
	now.clear();
	soon.clear();
	held = must = false;
	bench.reset();
	for (unsigned int left = Groups; left; left--) {
		bench.settle();
		CHECK(dut.busy_o && !dut.walk_valid_o, "the flags are not being cleared");
		bench.tick();
	}
}

void News::move(std::deque<Due> &queue, uint64_t at)
{
	if (std::none_of(queue.begin(), queue.end(), [this](const Due &d) { return d.group == dut.moved_group_i; }))
		queue.push_back({ dut.moved_group_i, at });
}

// Another walk is offered.
void News::arrives()
{
	std::deque<Due> &queue = dut.walk_soon_o ? soon : now;

	CHECK(!queue.empty() && queue.front().group == dut.walk_group_o, "group %u is walked", dut.walk_group_o);
	CHECK(queue.front().at <= dut.now_i, "it is walked too early");
	CHECK(!dut.walk_soon_o || now.empty(), "another one is to be walked at once");
	queue.pop_front();
	out[dut.walk_soon_o]++;
}

void News::check()
{
	CHECK(!must || dut.walk_valid_o, "no group is walked");
	CHECK(!held || dut.walk_valid_o, "a walk is not offered any more");
	if (dut.walk_valid_o && !held)
		arrives();
	held = dut.walk_valid_o;
	CHECK(dut.deadline_valid_o == !soon.empty() && (soon.empty() || dut.deadline_o == soon.front().at), "the deadline is another one");
	bool due = !soon.empty() && soon.front().at <= dut.now_i;

	CHECK(dut.busy_o == (held || !now.empty() || due), "busy_o is %d", dut.busy_o);
}

void News::cycle()
{
	if (rng.one_in(300))
		few = rng.one_in(2);
	dut.moved_valid_i = moves.go() && !rng.one_in(3);
	dut.moved_group_i = few ? rng.below(2) : rng.below(Groups);
	dut.walk_ready_i = walks.go();
	bench.settle();
	check();
	bool taken = held && dut.walk_ready_i;

	must = !dut.moved_valid_i && !held && (!now.empty() || (!soon.empty() && soon.front().at <= dut.now_i));
	if (taken)
		held = false;
	if (dut.moved_valid_i) {
		move(now, dut.now_i);
		move(soon, dut.now_i + Delay);
	}
	full += now.size() == Groups && soon.size() == Groups;
	bench.tick();
	dut.now_i += rng.one_in(200) ? rng.below(3 * Delay) : 4;
}

int News::run()
{
	bench.live(bench.times(60000), [this] { restart(); }, [this] { cycle(); });
	CHECK(out[0] > 1000 && out[1] > 100 && full > 10, "%llu and %llu walks, %llu times all", (unsigned long long)out[0],
	      (unsigned long long)out[1], (unsigned long long)full);
	return bench.finish();
}

int main(int argc, char **argv)
{
	return News(argc, argv).run();
}
