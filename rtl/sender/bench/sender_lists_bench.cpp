// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_sender_lists: compares it with lists of the standard library. Requests are appended to all lists at any moment,
// also to the one that is visited, while visits go through lists, count chunks and take entries off.
#include <functional>
#include <list>
#include <vector>

#include "Vdut.h"
#include "bench.h"

enum Op { FIRST, NEXT, POSTED, DROP, CLEAR };

struct Entry {
	unsigned int number;
	uint32_t begun;
};

using List = std::list<Entry>;

class World {
public:
	explicit World(tally::Bench<Vdut> &bench) : bench_(bench), rng_(bench.rng), dut_(*bench.dut) {}

	uint64_t found = 0, ends = 0;

	void restart()
	{
		dut_.append_valid_i = dut_.op_valid_i = 0;
		bench_.reset();
		for (List &list : lists_)
			list.clear();
		free_.clear();
		for (unsigned int i = 0; i < Entries; i++)
			free_.push_back(i);
		pause_ = due_ = 0;
		for (unsigned int i = 0; i < Qps; i++) {
			bench_.settle();
			CHECK(dut_.busy_o && !dut_.op_ready_o, "it is not busy");
			bench_.tick();
		}
		bench_.settle();
		CHECK(!dut_.busy_o, "it is busy for too long");
	}

	void step()
	{
		unsigned int qp = rng_.below(Qps);

		if (rng_.one_in(50))
			rate_ = rng_.below(4);
		while (rng_.one_in(2))
			cycle();
		if (rng_.one_in(12))
			clear(qp);
		else
			visit(qp);
	}

private:
	tally::Bench<Vdut> &bench_;
	tally::Rng &rng_;
	Vdut &dut_;
	List lists_[Qps];
	std::vector<unsigned int> free_;	// entries in no list
	unsigned int rate_ = 1;
	unsigned int pause_ = 0;		// clocks until an entry may be appended
	unsigned int due_ = 0;			// clocks until the answer
	bool any_ = false;			// the list has had entries after the operation

	void cycle()
	{
		const unsigned int one_in[] = { 1, 6, 30, 1000 };

		dut_.append_valid_i = !pause_ && !free_.empty() && rng_.one_in(one_in[rate_]);
		pause_ -= pause_ > 0;
		if (dut_.append_valid_i)
			append();
		bench_.tick();
		dut_.append_valid_i = 0;
		const bool is_due = due_ && !--due_;

		CHECK(dut_.ans_valid_o == is_due, "ans_valid_o is %d", dut_.ans_valid_o);
	}

	void append()
	{
		unsigned int k = rng_.below(free_.size()), qp = rng_.below(Qps);

		pause_ = 3;
		dut_.append_qp_i = qp;
		dut_.append_entry_i = free_[k];
		lists_[qp].push_back({ free_[k], 0 });
		free_[k] = free_.back();
		free_.pop_back();
	}

	// What is appended before the clock in which the operation is taken comes before it. `change` is what it does to the list.
	void perform(Op op, unsigned int qp, const std::function<void()> &change)
	{
		dut_.op_valid_i = 1;
		dut_.op_i = op;
		dut_.op_qp_i = op == FIRST || op == CLEAR ? qp : rng_.below(Qps);
		bench_.settle();
		for (unsigned int clocks = 0; !dut_.op_ready_o; clocks++) {
			CHECK(clocks < 2, "an operation is not taken");
			cycle();
			bench_.settle();
		}
		change();
		any_ = !lists_[qp].empty();
		due_ = 2;
		cycle();
		dut_.op_valid_i = 0;
		cycle();
	}

	void clear(unsigned int qp)
	{
		perform(CLEAR, qp, [&] {
			for (const Entry &entry : lists_[qp])
				free_.push_back(entry.number);
			lists_[qp].clear();
		});
		CHECK(!dut_.found_o && !dut_.any_o, "entries are left in the list of %u", qp);
	}

	// Goes through a list, now and then not to its end. What has been found stays until the next operation.
	void visit(unsigned int qp)
	{
		List &list = lists_[qp];
		List::iterator at;
		bool is_found = false;

		perform(FIRST, qp, [&] { at = list.begin(), is_found = at != list.end(); });
		for (;;) {
			Entry entry = is_found ? *at : Entry{};

			while (rng_.one_in(3))
				cycle();
			CHECK(dut_.any_o == any_, "any_o is %d", dut_.any_o);
			CHECK(dut_.found_o == is_found, "found_o is %d", dut_.found_o);
			if (!is_found) {
				ends++;
				return;
			}
			CHECK(dut_.entry_o == entry.number, "entry %u is found, not %u", dut_.entry_o, entry.number);
			CHECK(dut_.begun_o == entry.begun, "%u chunks have begun, not %u", dut_.begun_o, entry.begun);
			found++;
			if (rng_.one_in(30))
				return;
			go_on(qp, at, is_found);
		}
	}

	void go_on(unsigned int qp, List::iterator &at, bool &is_found)
	{
		Op op = rng_.one_in(rate_ ? 4 : 2) ? DROP : rng_.one_in(2) ? POSTED : NEXT;

		perform(op, qp, [&] {
			if (op == POSTED)
				at->begun++;
			if (op == DROP) {
				free_.push_back(at->number);
				at = lists_[qp].erase(at);
			} else {
				at++;
			}
			is_found = at != lists_[qp].end();
		});
	}
};

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("sender_lists", argc, argv);
	World world(bench);

	bench.live(bench.times(10000), [&] { world.restart(); }, [&] { world.step(); });
	CHECK(world.found > 5000, "%llu entries were found", static_cast<unsigned long long>(world.found));
	CHECK(world.ends > 1000, "%llu visits have ended", static_cast<unsigned long long>(world.ends));
	return bench.finish();
}
