// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_event_retry: event queues that are often full give events back, completion queues are configured anew, and
// a scoreboard knows which events wait. Each is offered while it waits, and none waits for ever when there is room. The
// completion queues of an event queue have its places in turn, and new events do not pass those that wait.
#include <array>

#include "Vdut.h"
#include "bench.h"
#include "quiet.h"

constexpr unsigned int eqs = 8;
constexpr unsigned int most_passes = 2;	// places that another CQ has while one waits

struct Cq {
	bool waits = false;
	unsigned int eqn = 0;
	std::array<unsigned int, NumCq> passed = {};	// places of the others since
};

class World {
public:
	explicit World(tally::Bench<Vdut> &bench) : bench_(bench), rng_(bench.rng), dut_(*bench.dut) {}

	bool stalls = true, requests = true;
	uint64_t offered = 0, refused = 0, placed = 0, merged = 0, forgotten = 0, turns = 0, behind = 0;

	void restart()
	{
		dut_.given_i = dut_.refused_i = dut_.freed_i = dut_.hold_i = dut_.forget_i = dut_.out_ready_i = 0;
		for (Cq &cq : cqs_)
			cq = Cq{ false, (unsigned int)rng_.below(eqs) };
		room_ = {};
		last_ = {};
		given_ = offered_ = late_ = -1;
		old_ = behind_ = hold_ = held_ = still_ = false;
		quiet_.restart();
		bench_.reset();
		while (dut_.busy_o)	// the table is emptied
			bench_.tick();
	}

	void cycle()
	{
		dut_.given_i = dut_.refused_i = dut_.freed_i = dut_.forget_i = 0;
		offer_cfg();
		// What was given back holds the event queues for this clock, and so does a count.
		bool exec = give_back() || free_some();

		dut_.out_ready_i = !exec && (!stalls || out_.go());
		bench_.settle();
		quiet_.look(dut_.busy_o, dut_.refused_i || dut_.freed_i || dut_.forget_i || dut_.hold_i, dut_.out_valid_o);
		CHECK(!dut_.out_valid_o || !still_, "an event is offered while a CQ is configured");
		still_ = held_ && dut_.hold_i && !dut_.out_valid_o;
		held_ = dut_.hold_i;
		CHECK(offered_ < 0 || (dut_.out_valid_o && dut_.out_cqn_o == offered_), "the event of CQ %d is taken back", offered_);
		offered_ = dut_.out_valid_o && !dut_.out_ready_i ? dut_.out_cqn_o : -1;
		for (const Cq &cq : cqs_)
			CHECK(!cq.waits || waits_for(cq.eqn), "an event waits, and waits_o is low");
		take();
		note();
		bench_.tick();
	}

	void finish()
	{
		requests = false;
		for (auto &room : room_)
			room = 1000;
		free_ = true;
		for (unsigned int i = 0; i < 100 + 16 * NumCq && (given_ >= 0 || dut_.busy_o || free_ || i < 4); i++)
			cycle();
		for (unsigned int i = 0; i < NumCq; i++)
			CHECK(!cqs_[i].waits, "the event of CQ %u waits for ever", i);
		// A second search finds none.
		free_ = true;
		for (unsigned int i = 0; i < 100 + 16 * NumCq && (free_ || dut_.busy_o || i < 4); i++)
			cycle();
		CHECK(!dut_.waits_o, "waits_o with nothing inside");
		room_ = {};
		requests = true;
	}

	// All CQs have an event that waits, again and again, and their EQs one place at a time, also amid a search.
	void take_turns()
	{
		requests = false;
		while (hold_)
			cycle();
		for (unsigned int i = 0; i < NumCq; i++)
			make_due(i);
		for (unsigned int i = 0; i < 4 * NumCq; i++) {
			unsigned int eqn = cqs_[rng_.below(NumCq)].eqn, next = next_of(eqn);

			free_ = true;
			for (unsigned int n = rng_.below(4 * NumCq); n; n--)
				cycle();
			room_[eqn] = 1;
			free_ = true;
			for (unsigned int n = 0; n < 4 || free_ || given_ >= 0 || dut_.busy_o; n++)
				cycle();
			CHECK(!cqs_[next].waits, "CQ %u has not had its turn", next);
			turns++;
			make_due(next);
		}
		requests = true;
	}

	// There is room, and a new event comes in each clock around the end of a search.
	void come_late()
	{
		requests = false;
		while (hold_)
			cycle();
		for (unsigned int delay = 0; delay < 3 * NumCq; delay++) {
			unsigned int cqn = rng_.below(NumCq);

			room_ = {};
			make_due(cqn);
			room_.fill(1000);
			free_ = true;
			for (unsigned int n = 0; n < delay; n++)
				cycle();
			for (late_ = cqn; late_ >= 0 || given_ >= 0 || free_ || dut_.busy_o;)
				cycle();
			CHECK(!cqs_[cqn].waits, "the late event of CQ %u is overlooked", cqn);
		}
		room_ = {};
		requests = true;
	}

	// The only event that waits is forgotten with its CQ.
	void forget_last()
	{
		requests = false;
		while (hold_)
			cycle();
		for (unsigned int i = 0; i < NumCq; i++) {
			make_due(i);
			hold_ = true;
			for (only_ = i; hold_ || dut_.busy_o;)
				cycle();
			CHECK(!dut_.waits_o, "waits_o after the only event was forgotten, that of CQ %u", i);
		}
		only_ = -1;
		requests = true;
	}

private:
	tally::Bench<Vdut> &bench_;
	tally::Rng &rng_;
	Vdut &dut_;
	std::array<Cq, NumCq> cqs_;
	std::array<unsigned int, eqs> room_;
	std::array<unsigned int, eqs> last_;	// CQ that has waited and had a place last
	int offered_ = -1;	// CQ whose event was not taken
	int late_ = -1;		// CQ that has a new event next
	int only_ = -1;		// CQ that is configured; -1: any
	int given_ = -1;	// CQ whose event the event queues have taken a clock ago,
	bool old_ = false;	// after it has waited,
	bool behind_ = false;	// or while others waited
	bool hold_ = false;	// a configuration waits,
	bool held_ = false;	// for a clock at least,
	bool still_ = false;	// and nothing is offered any more
	bool free_ = false;
	Quiet quiet_;
	tally::Throttle out_{ rng_ };

	void offer_cfg()
	{
		if (!hold_ && !(requests && rng_.one_in(100))) {
			dut_.hold_i = 0;
			return;
		}
		dut_.hold_i = hold_ = true;
		if (!still_ || given_ >= 0 || rng_.one_in(2))
			return;
		dut_.forget_i = 1;
		dut_.forget_cqn_i = only_ < 0 ? rng_.below(NumCq) : only_;
	}

	// An event for which there is no room.
	void make_due(unsigned int cqn)
	{
		given_ = cqn;
		old_ = behind_ = false;
		cycle();
	}

	bool waits_for(unsigned int eqn) const { return dut_.waits_o >> eqn & 1; }

	unsigned int next_of(unsigned int eqn) const
	{
		unsigned int cqn = last_[eqn];

		do
			cqn = (cqn + 1) % NumCq;
		while (!cqs_[cqn].waits || cqs_[cqn].eqn != eqn);
		return cqn;
	}

	bool give_back()
	{
		if (given_ < 0)
			return false;
		unsigned int eqn = cqs_[given_].eqn;

		dut_.given_i = 1;
		dut_.refused_cqn_i = given_;
		dut_.refused_eqn_i = eqn;
		if (room_[eqn] && !behind_) {
			room_[eqn]--;
			placed++;
			if (old_)
				last_[eqn] = given_;
			for (Cq &cq : cqs_)
				if (cq.waits && cq.eqn == eqn)
					CHECK(++cq.passed[given_] <= most_passes, "an event waits, and CQ %d has %u places", given_, most_passes + 1);
		} else {
			dut_.freed_i = room_[eqn] != 0;
			behind += dut_.freed_i;
			dut_.refused_i = 1;
			refused++;
		}
		return true;
	}

	bool free_some()
	{
		if (dut_.forget_i || !(free_ || (requests && rng_.one_in(40))))
			return false;
		free_ = false;
		dut_.freed_i = 1;
		if (requests)
			room_[rng_.below(eqs)] += rng_.below(3);
		return true;
	}

	void take()
	{
		int next = -1;

		if (dut_.out_valid_o) {
			Cq &cq = cqs_[dut_.out_cqn_o];

			CHECK(cq.waits && dut_.out_eqn_o == cq.eqn, "an event of CQ %d, which does not wait", dut_.out_cqn_o);
			if (dut_.out_ready_i) {
				offered++;
				cq.waits = false;
				passed_ = cq.passed;
				cq.passed = {};
				next = dut_.out_cqn_o;
			}
		}
		// A new event, if the event queues have taken none.
		if (next < 0 && given_ < 0 && !dut_.freed_i && !dut_.hold_i && requests && rng_.one_in(10))
			next = rng_.below(NumCq);
		if (next < 0 && given_ < 0 && !dut_.freed_i && !dut_.hold_i && late_ >= 0) {
			next = late_;
			late_ = -1;
		}
		taken_ = next;
	}
	int taken_ = -1;
	std::array<unsigned int, NumCq> passed_ = {};	// of the event that was taken

	// What the inputs of this clock have changed.
	void note()
	{
		if (dut_.refused_i) {
			merged += cqs_[given_].waits;
			cqs_[given_].waits = true;
			if (old_)	// it has not waited for less
				cqs_[given_].passed = passed_;
		}
		if (dut_.forget_i) {
			Cq &cq = cqs_[dut_.forget_cqn_i];

			forgotten += cq.waits;
			cq = Cq{ false, (unsigned int)rng_.below(eqs) };
			hold_ = still_ = false;
		}
		given_ = taken_;
		old_ = taken_ >= 0 && dut_.out_valid_o && dut_.out_ready_i;
		behind_ = taken_ >= 0 && !old_ && waits_for(cqs_[taken_].eqn);
	}
};

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("event_retry", argc, argv);
	World world(bench);
	uint64_t left = 0, run = 0;

	bench.live(bench.times(60000), [&] { world.restart(); },
		   [&] {
			   if (!left) {
				   world.finish();
				   world.take_turns();
				   world.finish();
				   world.come_late();
				   world.finish();
				   world.forget_last();
				   world.finish();
				   world.stalls = run++ % 3 != 2;
				   left = 3000;
			   }
			   left--;
			   world.cycle();
		   });
	world.finish();
	CHECK(world.offered > 500 && world.refused > 500 && world.placed > 300 && world.merged > 20 && world.forgotten > 20 &&
		      world.turns > 100 && world.behind > 50,
	      "%llu offered, %llu refused, %llu placed, %llu merged, %llu forgotten, %llu turns, %llu behind", (unsigned long long)world.offered,
	      (unsigned long long)world.refused, (unsigned long long)world.placed, (unsigned long long)world.merged,
	      (unsigned long long)world.forgotten, (unsigned long long)world.turns, (unsigned long long)world.behind);
	return bench.finish();
}
