// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_trigger_ports: queue pairs join and leave groups, in any order, while ports are searched. Each answer must be
// that of a search through the lists as they are in the clock of the answer, or were in one of the two clocks before it.
#include <deque>
#include <optional>
#include <vector>

#include "Vdut.h"
#include "bench.h"

namespace {

struct Pair {
	bool used = false, works = false;
	unsigned int group = 0, port = 0;
};

struct Answer {
	bool found = false, works = false;
	unsigned int qp = 0;
	bool operator==(const Answer &o) const { return found == o.found && (!found || (works == o.works && qp == o.qp)); }
};

// One write of the firmware.
struct Link {
	bool first, end;
	unsigned int index, qp;
};

class World {
public:
	explicit World(tally::Bench<Vdut> &bench) : bench_(bench), rng_(bench.rng), dut_(*bench.dut) {}
	uint64_t hits = 0, misses = 0;

	void restart()
	{
		dut_.link_valid_i = dut_.port_valid_i = dut_.works_valid_i = dut_.find_valid_i = 0;
		bench_.reset();
		pairs_.assign(Qps, {});
		lists_.assign(Groups, {});
		links_.clear();
		past_.clear();
		joins_ = leaves_ = -1;
		since_ = 0;
	}

	void cycle()
	{
		dut_.port_valid_i = dut_.works_valid_i = 0;
		if (links_.empty() && !(bench_.cycle() % 8))
			change();
		dut_.link_valid_i = !links_.empty() && rng_.one_in(2);
		if (dut_.link_valid_i) {
			const Link &l = links_.front();

			dut_.link_first_i = l.first;
			dut_.link_end_i = l.end;
			dut_.link_index_i = l.index;
			dut_.link_qp_i = l.qp;
		}
		if (!dut_.find_valid_i && rng_.one_in(3)) {
			dut_.find_valid_i = 1;
			const Pair &p = pairs_[rng_.below(Qps)];
			const bool known = rng_.one_in(2);

			dut_.find_group_i = known ? p.group : rng_.below(Groups);
			dut_.find_port_i = known ? p.port : rng_.below(2 * Qps);
			since_ = bench_.cycle();
			past_.clear();
		}
		bench_.settle();
		if (dut_.find_valid_i)
			past_.push_back(expected());
		const bool found = dut_.find_ready_o;

		if (found)
			check();
		if (dut_.link_valid_i && dut_.link_ready_o)
			written();
		else if (dut_.works_valid_i && dut_.works_ready_o)
			pairs_[dut_.works_qp_i].works = dut_.works_i;
		CHECK(!dut_.find_valid_i || bench_.cycle() < since_ + 400, "a search does not end");
		bench_.tick();
		if (found)
			dut_.find_valid_i = 0;
	}

private:
	tally::Bench<Vdut> &bench_;
	tally::Rng &rng_;
	Vdut &dut_;
	std::vector<Pair> pairs_;
	std::vector<std::deque<unsigned int>> lists_;
	std::deque<Link> links_;
	std::deque<Answer> past_;
	int joins_ = -1, leaves_ = -1;
	uint64_t since_ = 0;

	Answer expected() const
	{
		for (unsigned int qp : lists_[dut_.find_group_i])
			if (pairs_[qp].port == dut_.find_port_i)
				return { true, pairs_[qp].works, qp };
		return {};
	}

	// A queue pair joins a group in front, leaves it, or begins or ceases to work.
	void change()
	{
		unsigned int qp = rng_.below(Qps);
		Pair &p = pairs_[qp];

		if (!dut_.link_ready_o)
			return;
		if (!p.used) {
			join(qp);
		} else if (rng_.one_in(3)) {
			dut_.works_valid_i = 1;
			dut_.works_qp_i = qp;
			dut_.works_i = !p.works;
		} else if (rng_.one_in(2)) {
			leave(qp);
		}
	}

	void join(unsigned int qp)
	{
		const unsigned int group = rng_.below(Groups);
		std::deque<unsigned int> &list = lists_[group];

		pairs_[qp] = { true, pairs_[qp].works, group, static_cast<unsigned int>(rng_.below(2 * Qps)) };
		for (unsigned int other : list)
			if (pairs_[other].port == pairs_[qp].port) {
				pairs_[qp].used = false;
				return;
			}
		dut_.port_valid_i = 1;
		dut_.port_qp_i = qp;
		dut_.port_i = pairs_[qp].port;
		links_.push_back({ false, list.empty(), qp, list.empty() ? static_cast<unsigned int>(rng_.below(Qps)) : list.front() });
		links_.push_back({ true, false, group, qp });
		joins_ = static_cast<int>(qp);
	}

	void leave(unsigned int qp)
	{
		std::deque<unsigned int> &list = lists_[pairs_[qp].group];
		size_t at = 0;

		while (list[at] != qp)
			at++;
		const bool last = at + 1 == list.size();
		links_.push_back({ !at, last, at ? list[at - 1] : pairs_[qp].group, last ? 0 : list[at + 1] });
		leaves_ = static_cast<int>(qp);
	}

	void written()
	{
		links_.pop_front();
		if (!links_.empty())
			return;
		if (joins_ >= 0) {
			lists_[pairs_[joins_].group].push_front(joins_);
		} else {
			std::deque<unsigned int> &list = lists_[pairs_[leaves_].group];

			for (size_t i = 0; i < list.size(); i++)
				if (list[i] == static_cast<unsigned int>(leaves_))
					list.erase(list.begin() + static_cast<ptrdiff_t>(i));
			pairs_[leaves_].used = false;
		}
		joins_ = leaves_ = -1;
	}

	void check()
	{
		const Answer got = { static_cast<bool>(dut_.found_o), static_cast<bool>(dut_.found_works_o), dut_.found_qp_o };
		bool known = false;

		CHECK(dut_.find_valid_i, "an answer without a question");
		for (size_t i = past_.size() > 3 ? past_.size() - 3 : 0; i < past_.size(); i++)
			known = known || got == past_[i];
		CHECK(known, "port %u of group %u: found %d, queue pair %u, works %d", dut_.find_port_i, dut_.find_group_i,
		      got.found, got.qp, got.works);
		(got.found ? hits : misses)++;
		past_.clear();
	}
};

} // namespace

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("trigger_ports", argc, argv);
	World world(bench);

	for (unsigned int i = 0; i < 10; i++)
		bench.live(bench.times(20000), [&] { world.restart(); }, [&] { world.cycle(); });
	CHECK(world.hits > 1000 && world.misses > 1000, "%llu ports were found, %llu not", static_cast<unsigned long long>(world.hits),
	      static_cast<unsigned long long>(world.misses));
	return bench.finish();
}
