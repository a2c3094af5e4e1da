// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_status_in: a fetcher that takes in requests of several queue pairs, of which some were answered ahead of their
// turn, and resets. What leaves must be all that it told, of each queue pair in the order of the indices.
#include <deque>

#include "Vdut.h"
#include "bench.h"

struct Told {
	uint32_t index;
	bool skip, passes;
};

struct Queue {
	uint32_t next = 0;		// index of what is taken in next
	std::deque<Told> inside;	// that have not left
	bool passes = false;
};

class World {
public:
	explicit World(tally::Bench<Vdut> &bench) : bench_(bench), rng_(bench.rng), dut_(*bench.dut) {}

	uint64_t left[2] = {}, ahead = 0, resets = 0;

	void restart()
	{
		dut_.req_valid_i = dut_.skip_valid_i = dut_.cmd_valid_i = 0;
		for (Queue &q : queues_)
			q = {};
		since_ = 0;
		bench_.reset();
		do {
			bench_.settle();
			bench_.tick();
		} while (dut_.busy_o);
		quiet_ = false;
	}

	void cycle(bool more = true)
	{
		dut_.skip_valid_i = 0;
		since_++;
		if (more)
			choose();
		dut_.in_ready_i = ready_.go();
		dut_.cmd_ready_i = rng_.one_in(2);
		bench_.settle();
		CHECK(!dut_.busy_o || !quiet_, "busy_o without an input");
		quiet_ = !dut_.busy_o && !dut_.req_valid_i && !dut_.skip_valid_i && !dut_.cmd_valid_i;
		observe();
		bench_.tick();
		dut_.req_valid_i = dut_.req_valid_i && !req_left_;
		dut_.cmd_valid_i = dut_.cmd_valid_i && !cmd_left_;
	}

	void finish()
	{
		for (unsigned int i = 0; i < 2000; i++)
			cycle(false);
		CHECK(!dut_.busy_o && !dut_.req_valid_i, "something stays inside");
		for (const Queue &q : queues_)
			CHECK(q.inside.empty(), "%zu have not left", q.inside.size());
	}

private:
	tally::Bench<Vdut> &bench_;
	tally::Rng &rng_;
	Vdut &dut_;
	tally::Throttle ready_{ rng_ };
	Queue queues_[Qps];
	unsigned int since_ = 0, last_ = 0;	// clocks since the last skip, and its queue pair
	bool quiet_ = false, req_left_ = false, cmd_left_ = false;

	bool resets_now(unsigned int n) const { return dut_.cmd_valid_i && dut_.cmd_forgets_i && dut_.cmd_qp_i == n; }

	void choose()
	{
		// One queue pair again and again, so that much is answered in a row.
		const unsigned int n = rng_.one_in(3) ? rng_.below(Qps) : last_;

		if (!dut_.cmd_valid_i && rng_.one_in(40))
			offer_command(rng_.below(Qps));
		if (!dut_.req_valid_i && rng_.one_in(3))
			offer_request(rng_.below(Qps));
		else if (rng_.one_in(2))
			skip(n);
	}

	void offer_command(unsigned int n)
	{
		if (dut_.req_valid_i && dut_.req_qp_i == n)
			return;
		dut_.cmd_valid_i = 1;
		dut_.cmd_qp_i = n;
		dut_.cmd_forgets_i = rng_.one_in(2);
	}

	void offer_request(unsigned int n)
	{
		Queue &q = queues_[n];

		if (resets_now(n) || q.inside.size() >= Depth / 2)
			return;
		dut_.req_valid_i = 1;
		dut_.req_qp_i = n;
		dut_.req_ahead_i = rng_.one_in(6);
		dut_.req_index_i = q.next + (dut_.req_ahead_i ? rng_.below(3) : 0);
		if (!dut_.req_ahead_i)
			q.inside.push_back({ q.next++, false, false });
	}

	void skip(unsigned int n)
	{
		Queue &q = queues_[n];
		bool other = false;

		if (resets_now(n) || since_ < (n == last_ ? 2u : 6u) || q.inside.size() >= Depth)
			return;
		for (const Told &t : q.inside)
			other |= t.skip;
		if (!other)
			q.passes = rng_.one_in(3);
		last_ = n;
		since_ = 0;
		dut_.skip_valid_i = 1;
		dut_.skip_qp_i = n;
		dut_.skip_index_i = q.next;
		dut_.skip_passes_i = q.passes;
		q.inside.push_back({ q.next++, true, q.passes });
	}

	void observe()
	{
		if (dut_.in_valid_o && dut_.in_ready_i)
			leaves();
		CHECK(dut_.req_ready_o == (dut_.in_valid_o && dut_.in_ready_i && !dut_.in_skip_o), "req_ready_o is %d", dut_.req_ready_o);
		req_left_ = dut_.req_ready_o;
		cmd_left_ = dut_.cmd_ready_o;
		CHECK(!dut_.cmd_valid_o || dut_.cmd_valid_i, "a command of nobody");
		CHECK(dut_.cmd_ready_o == (dut_.cmd_valid_o && dut_.cmd_ready_i), "cmd_ready_o is %d", dut_.cmd_ready_o);
		if (!dut_.cmd_ready_o || !dut_.cmd_forgets_i)
			return;
		queues_[dut_.cmd_qp_i] = {};
		resets++;
	}

	void leaves()
	{
		Queue &q = queues_[dut_.in_qp_o];

		if (!dut_.in_skip_o && dut_.req_ahead_i) {
			CHECK(dut_.req_valid_i && dut_.req_qp_i == dut_.in_qp_o, "a request of nobody");
			ahead++;
			return;
		}
		CHECK(!q.inside.empty(), "something leaves of queue pair %d, which has nothing: %d", dut_.in_qp_o, dut_.in_skip_o);
		const Told t = q.inside.front();

		q.inside.pop_front();
		CHECK(t.skip == dut_.in_skip_o && (!t.skip || t.passes == dut_.in_passes_o), "%d leaves instead of %d", dut_.in_skip_o, t.skip);
		CHECK(t.skip || (dut_.req_valid_i && dut_.req_qp_i == dut_.in_qp_o && dut_.req_index_i == t.index), "request %u leaves, not %u",
		      dut_.req_index_i, t.index);
		left[t.skip]++;
	}
};

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("status_in", argc, argv);
	World world(bench);

	bench.live(bench.times(60000), [&] { world.restart(); }, [&] {
		world.cycle();
		if (bench.cycle() % 10000 == 0)
			world.finish();
	});
	world.finish();
	CHECK(world.left[0] > 100 && world.left[1] > 100 && world.ahead > 20 && world.resets > 20, "%llu requests, %llu answered",
	      (unsigned long long)world.left[0], (unsigned long long)world.left[1]);
	return bench.finish();
}
