// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_segment_hold: random events of all slots, in any order that the engine allows, and acknowledgements
// of receivers to which nothing is due. Compares what is due, when a chunk is finished, and what the firmware reads with
// the C model's slots. A reset amid the events begins anew.
#include <deque>

#include "Vdut.h"
#include "bench.h"
#include "segment_hold_model.h"

static uint64_t ones(unsigned int n)
{
	return n < 64 ? (uint64_t(1) << n) - 1 : ~uint64_t(0);
}

class Tester {
public:
	explicit Tester(tally::Bench<Vdut> &bench) : bench_(bench), dut_(*bench.dut), rng_(bench.rng)
	{
		model_ = hold_model_new(Slots, ones(Contributors), ones(Ranks));
	}
	~Tester() { hold_model_free(model_); }
	void restart();
	void cycle();
	void clear();

private:
	struct Expected {
		unsigned int slot;
		bool clear;
		hold_answer answer;
	};

	uint64_t some(uint64_t of);
	unsigned int one(uint64_t of);
	void choose();
	void choose_open();
	void choose_taken();
	void drive();
	void check();
	void choose_peek();
	void accept_peek();
	void check_peeked();

	tally::Bench<Vdut> &bench_;
	Vdut &dut_;
	tally::Rng &rng_;
	void begin();

	hold_model *model_;
	tally::Throttle go_{ rng_ };
	bool sending_ = false, valid_ = false, clear_ = false;
	hold_event ev_ = {};
	hold_plan plans_[Slots] = {};
	uint64_t posted_[Slots] = {};
	std::deque<Expected> expected_;
	uint64_t entered_at_[4] = {};
	struct Change {
		uint64_t cycle;	// in which the event entered
		unsigned int slot;
		hold_view view;
	};
	std::deque<Change> changes_;
	hold_view views_[Slots] = {}, peeked_ = {};
	bool peeks_ = false, peek_taken_ = false;
};

// Returns a subset: usually a few bits, now and then none or all.
uint64_t Tester::some(uint64_t of)
{
	uint64_t map = 0;

	if (rng_.one_in(16))
		return of;
	for (unsigned int left = rng_.below(4); left; left--)
		map |= uint64_t(1) << one(of);
	return map & of;
}

unsigned int Tester::one(uint64_t of)
{
	if (!of)
		return 0;
	for (uint64_t n = rng_.below(__builtin_popcountll(of)); n; n--)
		of &= of - 1;
	return __builtin_ctzll(of);
}

void Tester::choose_open()
{
	ev_.plan = hold_model_plan(model_, rng_.one_in(2), rng_.one_in(3));
	ev_.plan.contributors &= some(ones(Contributors));
	ev_.plan.ranks &= some(ones(Ranks));
	ev_.plan.local &= some(ones(Ranks));
	ev_.open = true;
	plans_[ev_.num % Slots] = ev_.plan;
	posted_[ev_.num % Slots] = 0;
}

void Tester::choose_taken()
{
	hold_answer out = hold_model_outstanding(model_, ev_.num);
	uint64_t of;

	ev_.taken = true;
	ev_.parent = rng_.one_in(4);
	ev_.rank = rng_.one_in(2);
	if (!ev_.parent && !(ev_.rank ? out.ranks : out.contributors))
		ev_.rank = !ev_.rank;
	of = ev_.rank ? out.ranks : out.contributors;
	ev_.index = of && !rng_.one_in(8) ? one(of) : rng_.below(ev_.rank ? Ranks : Contributors);
	if (ev_.parent && !out.up && of && !rng_.one_in(8))
		ev_.parent = false;
}

void Tester::choose()
{
	unsigned int k;
	hold_answer out;

	if (sending_ || rng_.one_in(8))
		return;
	ev_ = {};
	clear_ = false;
	ev_.num = hold_model_done(model_) + rng_.below(Slots);
	for (unsigned int i = 0; i < Slots && !hold_model_busy(model_, ev_.num); i++)
		ev_.num = hold_model_done(model_) + rng_.below(Slots);
	if (rng_.one_in(4)) /* the oldest one holds up the others */
		ev_.num = hold_model_done(model_);
	k = ev_.num % Slots;
	if (hold_model_free_slot(model_, ev_.num))
		choose_open();
	else if (rng_.one_in(16))
		ev_.open = true; /* without effect; but not on a finished slot, which the model keeps until done passes it */
	if (ev_.open && !hold_model_free_slot(model_, ev_.num) && !hold_model_busy(model_, ev_.num))
		ev_.open = false;
	out = hold_model_outstanding(model_, ev_.num);
	if (ev_.open && hold_model_free_slot(model_, ev_.num))
		out = {};
	else
		ev_.plan = plans_[k];
	if (rng_.one_in(out.ok ? 32 : 4)) /* once more, without effect */
		ev_.complete = true;
	if (plans_[k].turns)
		ev_.have = ev_.complete;
	else if (!out.finished && rng_.one_in(4))
		ev_.have = true;
	if (rng_.one_in(3))
		ev_.posted = some(plans_[k].local);
	if (rng_.one_in(8))
		ev_.posted = plans_[k].local;
	if (rng_.one_in(4))
		ev_.quits = rng_.one_in(2) ? ev_.posted : some(ones(Ranks));
	if (!(ev_.open && hold_model_free_slot(model_, ev_.num)) && rng_.one_in(2))
		choose_taken();
	ev_.nothing = ev_.complete && !out.ok && rng_.one_in(4);
	if (!ev_.taken && rng_.one_in(8))
		ev_.out = some(ones(Contributors));
	sending_ = true;
}

void Tester::drive()
{
	valid_ |= sending_ && go_.go();
	dut_.in_valid_i = sending_ && valid_;
	dut_.in_slot_i = ev_.num % Slots;
	dut_.in_clear_i = clear_;
	dut_.in_open_i = ev_.open;
	dut_.in_complete_i = ev_.complete;
	dut_.in_have_i = ev_.have;
	dut_.in_nothing_i = ev_.nothing;
	dut_.in_out_i = ev_.out;
	dut_.in_posted_i = ev_.posted;
	dut_.in_quits_i = ev_.quits;
	dut_.in_taken_i = ev_.taken;
	dut_.in_parent_i = ev_.parent;
	dut_.in_rank_i = ev_.rank;
	dut_.in_index_i = ev_.index;
	dut_.in_plan_up_i = ev_.plan.up;
	dut_.in_plan_expected_i = ev_.plan.expected;
	dut_.in_plan_contributors_i = ev_.plan.contributors;
	dut_.in_plan_ranks_i = ev_.plan.ranks;
	dut_.in_plan_local_i = ev_.plan.local;
}

void Tester::check()
{
	bool due = entered_at_[(bench_.cycle() + 1) % 4]; /* three clocks ago */

	CHECK(dut_.out_valid_o == due, "valid is %d", dut_.out_valid_o);
	if (!due)
		return;
	const Expected e = expected_.front();
	const hold_answer &a = e.answer;

	expected_.pop_front();
	CHECK(dut_.out_slot_o == e.slot, "slot %d, not %d", dut_.out_slot_o, e.slot);
	CHECK(dut_.out_finished_o == a.finished, "slot %d: finished is %d", e.slot, dut_.out_finished_o);
	if (e.clear)
		return;
	CHECK(dut_.out_ok_o == a.ok, "slot %d: ok is %d", e.slot, dut_.out_ok_o);
	CHECK(dut_.out_up_o == a.up && dut_.out_contributors_o == a.contributors && dut_.out_ranks_o == a.ranks,
	      "slot %d: due are sum %d, copies %llx, ranks %llx, not %d, %llx, %llx", e.slot, dut_.out_up_o,
	      (unsigned long long)dut_.out_contributors_o, (unsigned long long)dut_.out_ranks_o, a.up,
	      (unsigned long long)a.contributors, (unsigned long long)a.ranks);
}

void Tester::choose_peek()
{
	if (!peeks_ && rng_.one_in(2)) {
		peeks_ = true;
		dut_.peek_slot_i = rng_.one_in(2) ? ev_.num % Slots : rng_.below(Slots);
	}
	dut_.peek_valid_i = peeks_;
}

void Tester::accept_peek()
{
	peek_taken_ = dut_.peek_valid_i && dut_.peek_ready_o;
	if (!peek_taken_)
		return;
	peeks_ = false;
	for (; !changes_.empty() && changes_.front().cycle + 3 <= bench_.cycle(); changes_.pop_front())
		views_[changes_.front().slot] = changes_.front().view;
	peeked_ = views_[dut_.peek_slot_i];
}

void Tester::check_peeked()
{
	const hold_view &v = peeked_;

	CHECK(dut_.peeked_valid_o == peek_taken_, "an answer to a read at the wrong time");
	if (!peek_taken_)
		return;
	CHECK(dut_.peeked_busy_o == v.busy, "slot %d: busy is read as %d", dut_.peek_slot_i, dut_.peeked_busy_o);
	if (!v.busy)
		return;
	const bool have = v.contributors || v.ranks ? v.have : dut_.peeked_have_o;	// nobody asks for a result that nobody gets

	CHECK(dut_.peeked_up_o == v.up && dut_.peeked_have_o == have && dut_.peeked_awaits_o == v.awaits,
	      "slot %d: sum %d, result %d, awaited %d are read, not %d, %d, %d", dut_.peek_slot_i, dut_.peeked_up_o, dut_.peeked_have_o,
	      dut_.peeked_awaits_o, v.up, v.have, v.awaits);
	CHECK(dut_.peeked_contributors_o == v.contributors && dut_.peeked_ranks_o == v.ranks && dut_.peeked_unposted_o == v.unposted,
	      "slot %d: wrong bitmaps are read", dut_.peek_slot_i);
}

void Tester::cycle()
{
	bool entered;

	choose();
	choose_peek();
	drive();
	bench_.settle();
	check();
	check_peeked();
	accept_peek();
	entered = dut_.in_valid_i && dut_.in_ready_o;
	if (entered) {
		Expected e = { unsigned(ev_.num % Slots), clear_, {} };

		if (!clear_)
			e.answer = hold_model_event(model_, &ev_);
		changes_.push_back({ bench_.cycle(), e.slot, clear_ ? hold_view{} : hold_model_view(model_, ev_.num) });
		expected_.push_back(e);
		sending_ = valid_ = false;
	}
	entered_at_[bench_.cycle() % 4] = entered;
	bench_.tick();
}

void Tester::begin()
{
	hold_model_free(model_);
	model_ = hold_model_new(Slots, ones(Contributors), ones(Ranks));
}

void Tester::restart()
{
	dut_.in_valid_i = 0;
	dut_.peek_valid_i = 0;
	bench_.reset();
	begin();
	sending_ = valid_ = peeks_ = peek_taken_ = false;
	changes_.clear();
	for (hold_view &v : views_)
		v = {};
	expected_.clear();
	for (uint64_t &entered : entered_at_)
		entered = 0;
}

// The end of an epoch: all slots are cleared, and the next one begins with a new model.
void Tester::clear()
{
	while (sending_)
		cycle();
	for (unsigned int k = 0; k < Slots; k++) {
		ev_ = {};
		ev_.num = k;
		sending_ = clear_ = true;
		while (sending_)
			cycle();
	}
	begin();
}

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("segment_hold", argc, argv);

	Tester tester(bench);
	auto step = [&] {
		tester.cycle();
		if (bench.rng.one_in(4000))
			tester.clear();
	};
	bench.live(bench.times(160000), [&] { tester.restart(); }, step);
	return bench.finish();
}
