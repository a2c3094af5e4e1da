// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_sender_ready: lists that get requests and lose them, windows that move, queue pairs that are named, or that join
// and leave groups. Each queue pair with requests is visited after each event that concerns it. Now and then all visits are awaited, and a single
// event follows, of which the visits are known: those of the queue pairs of a group with requests, each once.
#include <algorithm>
#include <deque>
#include <vector>

#include "Vdut.h"
#include "bench.h"

constexpr int NONE = -1;

struct Link {
	bool first;
	unsigned int index;
	int qp;
};

struct Qp {
	int group = NONE;
	bool any = false;	// it has requests
	bool owed = false;	// it is to be visited
	bool may = false;	// an event has concerned it since all was quiet
};

class World {
public:
	explicit World(tally::Bench<Vdut> &bench) : bench_(bench), rng_(bench.rng), dut_(*bench.dut), sink_(bench.rng) {}

	uint64_t visits = 0, walks = 0, alone = 0, named = 0;

	void restart()
	{
		idle();
		dut_.group_valid_i = dut_.out_ready_i = 0;
		bench_.reset();
		for (Qp &qp : qps_)
			qp = {};
		for (int &first : first_)
			first = NONE;
		links_.clear();
		listed_ = moved_ = false;
		initialize();
		const bool few = rng_.one_in(2);

		for (unsigned int i = 0; i < Qps; i++)
			if (rng_.one_in(4) == few)
				join(i, rng_.below(Groups));
	}

	void step()
	{
		if (rng_.one_in(300))
			return be_quiet();
		if (rng_.one_in(50))
			traffic_ = rng_.below(4);
		idle();
		choose_list();
		choose_group();
		choose_name();
		choose_link();
		dut_.out_ready_i = sink_.go();
		cycle();
	}

private:
	tally::Bench<Vdut> &bench_;
	tally::Rng &rng_;
	Vdut &dut_;
	tally::Throttle sink_;
	Qp qps_[Qps];
	int first_[Groups], next_[Qps];
	std::deque<Link> links_;	// that the firmware is about to write
	unsigned int traffic_ = 1;
	bool listed_ = false, moved_ = false;	// in the last clock

	void idle() { dut_.list_valid_i = dut_.moved_valid_i = dut_.mark_valid_i = dut_.link_valid_i = 0; }

	// Nothing that comes meanwhile has an effect.
	void initialize()
	{
		for (unsigned int i = 0; i < std::max<unsigned int>(Groups, Qps); i++) {
			dut_.moved_valid_i = rng_.one_in(4);
			dut_.moved_group_i = rng_.below(Groups);
			bench_.settle();
			CHECK(dut_.busy_o && !dut_.out_valid_o && !dut_.link_ready_o, "it is not busy");
			bench_.tick();
		}
		idle();
		bench_.settle();
		CHECK(!dut_.busy_o, "it is busy for too long");
	}

	std::vector<unsigned int> chain(unsigned int group) const
	{
		std::vector<unsigned int> all;

		for (int qp = first_[group]; qp != NONE; qp = next_[qp])
			all.push_back(qp);
		return all;
	}

	// ---- One clock ----

	void cycle()
	{
		bench_.settle();
		if (dut_.out_valid_o && dut_.out_ready_i)
			visit(dut_.out_qp_o);
		if (dut_.list_valid_i)
			list(qps_[dut_.list_qp_i]);
		CHECK(dut_.group_ready_o == !dut_.moved_valid_i, "group_ready_o is %d", dut_.group_ready_o);
		if (dut_.moved_valid_i)
			event(dut_.moved_group_i);
		bool taken = dut_.group_valid_i && dut_.group_ready_o;

		if (taken)
			event(dut_.group_i);
		if (dut_.mark_valid_i)
			name(qps_[dut_.mark_qp_i]);
		if (dut_.link_valid_i)
			link();
		bench_.tick();
		if (taken)
			dut_.group_valid_i = 0;
	}

	void visit(unsigned int n)
	{
		CHECK(qps_[n].may, "queue pair %u is visited without a reason", n);
		qps_[n].owed = false;
		visits++;
	}

	void list(Qp &qp)
	{
		qp.any = qp.owed = dut_.list_any_i;
		qp.may |= qp.any;
	}

	void event(unsigned int group)
	{
		for (unsigned int n : chain(group)) {
			qps_[n].may = true;
			qps_[n].owed |= qps_[n].any;
		}
		walks++;
	}

	void name(Qp &qp)
	{
		qp.may = true;
		qp.owed |= qp.any;
		named++;
	}

	void link()
	{
		Link l = links_.front();

		CHECK(dut_.link_ready_o, "a link is not taken");
		links_.pop_front();
		(l.first ? first_[l.index] : next_[l.index]) = l.qp;
	}

	// ---- What comes in a clock ----

	void choose_list()
	{
		Qp &qp = qps_[dut_.list_qp_i = rng_.below(Qps)];

		listed_ = !listed_ && qp.group != NONE && traffic_ && rng_.one_in(traffic_ == 1 ? 20 : 2);
		dut_.list_valid_i = listed_;
		dut_.list_any_i = !rng_.one_in(3);
	}

	void choose_group()
	{
		moved_ = !moved_ && traffic_ && rng_.one_in(traffic_ == 3 ? 2 : 60);
		dut_.moved_valid_i = moved_;
		dut_.moved_group_i = rng_.below(Groups);
		if (dut_.group_valid_i || !traffic_ || !rng_.one_in(traffic_ == 3 ? 3 : 60))
			return;
		dut_.group_valid_i = 1;
		dut_.group_i = rng_.below(Groups);
	}

	// Also in clocks in succession.
	void choose_name()
	{
		dut_.mark_valid_i = traffic_ && rng_.one_in(traffic_ == 3 ? 12 : 30);
		if (!rng_.one_in(3))
			dut_.mark_qp_i = rng_.below(Qps);
	}

	void choose_link()
	{
		unsigned int n = rng_.below(Qps);

		if (links_.empty() && traffic_ != 2 && rng_.one_in(30)) {
			if (qps_[n].group == NONE)
				join(n, rng_.below(Groups));
			else if (!qps_[n].any && !dut_.list_valid_i)
				leave(n);
		}
		if (!links_.empty() && rng_.one_in(2))
			offer_link();
	}

	void offer_link()
	{
		const Link &l = links_.front();

		dut_.link_valid_i = 1;
		dut_.link_first_i = l.first;
		dut_.link_index_i = l.index;
		dut_.link_end_i = l.qp == NONE;
		dut_.link_qp_i = l.qp == NONE ? rng_.below(Qps) : l.qp;
	}

	// What is linked last was linked first, or behind another one.
	void join(unsigned int n, unsigned int group)
	{
		std::vector<unsigned int> all;

		write_links();
		all = chain(group);
		if (all.empty() || rng_.one_in(2)) {
			links_.push_back({ false, n, first_[group] });
			links_.push_back({ true, group, int(n) });
		} else {
			unsigned int before = all[rng_.below(all.size())];

			links_.push_back({ false, n, next_[before] });
			links_.push_back({ false, before, int(n) });
		}
		write_links();
		qps_[n].group = group;
	}

	void leave(unsigned int n)
	{
		unsigned int group = qps_[n].group;

		qps_[n].group = NONE;
		if (first_[group] == int(n)) {
			links_.push_back({ true, group, next_[n] });
			return;
		}
		for (unsigned int before : chain(group))
			if (next_[before] == int(n))
				links_.push_back({ false, before, next_[n] });
	}

	void write_links()
	{
		while (!links_.empty()) {
			idle();
			offer_link();
			cycle();
		}
		idle();
	}

	// ---- Quiet ----

	void drain(unsigned int clocks)
	{
		dut_.out_ready_i = 1;
		for (; clocks; clocks--)
			cycle();
		dut_.out_ready_i = 0;
	}

	void be_quiet()
	{
		idle();
		write_links();
		drain(Groups * (6 + 3 * Qps) + 5 * Qps);
		CHECK(!dut_.out_valid_o, "queue pair %u is still visited", dut_.out_qp_o);
		for (unsigned int n = 0; n < Qps; n++) {
			CHECK(!qps_[n].owed, "queue pair %u is not visited", n);
			qps_[n].may = false;
		}
		switch (rng_.below(4)) {
		case 0:
			return list_alone();
		case 1:
			return name_alone(rng_.below(Qps));
		default:
			return event_alone(rng_.below(Groups));
		}
	}

	void name_alone(unsigned int n)
	{
		std::vector<unsigned int> expected;

		if (qps_[n].any)
			expected.push_back(n);
		dut_.mark_valid_i = 1;
		dut_.mark_qp_i = n;
		cycle();
		idle();
		visits_are(expected, 12);
	}

	void list_alone()
	{
		unsigned int n = rng_.below(Qps);

		if (qps_[n].group == NONE)
			return;
		dut_.list_valid_i = dut_.list_any_i = 1;
		dut_.list_qp_i = n;
		cycle();
		idle();
		for (unsigned int clocks = 1; !dut_.out_valid_o; clocks++) {
			CHECK(clocks < 5, "queue pair %u is not offered in time", n);
			cycle();
			bench_.settle();
		}
		CHECK(dut_.out_qp_o == n, "queue pair %u is offered, not %u", dut_.out_qp_o, n);
		visits_are({ n });
	}

	void event_alone(unsigned int group)
	{
		std::vector<unsigned int> expected;
		unsigned int clocks = 12;

		for (unsigned int n : chain(group)) {
			clocks += qps_[n].any ? 6 : 1;
			if (qps_[n].any)
				expected.push_back(n);
		}
		dut_.moved_valid_i = 1;
		dut_.moved_group_i = group;
		cycle();
		idle();
		visits_are(expected, clocks);
		alone++;
	}

	// The queue pairs are visited, each once, and no other one.
	void visits_are(std::vector<unsigned int> expected, unsigned int within = 8)
	{
		std::vector<unsigned int> found;

		dut_.out_ready_i = 1;
		for (unsigned int clocks = 0; clocks < within + 20; clocks++) {
			bench_.settle();
			if (dut_.out_valid_o) {
				CHECK(clocks < within, "queue pair %u is visited after %u clocks", dut_.out_qp_o, clocks);
				found.push_back(dut_.out_qp_o);
			}
			cycle();
		}
		dut_.out_ready_i = 0;
		std::sort(found.begin(), found.end());
		std::sort(expected.begin(), expected.end());
		CHECK(found == expected, "%zu visits, not %zu, or of other queue pairs", found.size(), expected.size());
	}
};

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("sender_ready", argc, argv);
	World world(bench);

	bench.live(bench.times(60000), [&] { world.restart(); }, [&] { world.step(); });
	CHECK(world.visits > 5000, "%llu visits", static_cast<unsigned long long>(world.visits));
	CHECK(world.named > 1000, "%llu queue pairs are named", static_cast<unsigned long long>(world.named));
	CHECK(world.walks > 1000 && world.alone > 50, "%llu walks", static_cast<unsigned long long>(world.walks));
	return bench.finish();
}
