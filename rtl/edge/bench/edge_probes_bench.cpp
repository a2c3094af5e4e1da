// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_edge_probes: edges open and close, are watched and heard of, while time goes on, in steps of any length. The engine says
// when each neighbour has been silent for too long, and whether it is probed, counts as silent or is watched no more.
#include <vector>

#include "Vdut.h"
#include "bench.h"
#include "edge_probes_model.h"

constexpr uint64_t us = 1000000, never = UINT64_MAX;
constexpr unsigned int longest = 1000;
enum { op_open, op_close, op_watch, op_heard };

struct Edge {
	bool open = false;
	unsigned int group = 0, edge = 0, over = 0; // clocks since it is due
};

class World {
public:
	explicit World(tally::Bench<Vdut> &bench) : bench_(bench), rng_(bench.rng), dut_(*bench.dut) {}

	uint64_t seen[3] = {}, sleeps = 0;

	void restart()
	{
		probes_model_reset();
		dut_.op_valid_i = dut_.waits_ready_i = dut_.query_ready_i = dut_.silent_ready_i = 0;
		dut_.now_i = now_;
		edges_.assign(Rows, {});
		known_ = 0;
		asked_ = told_ = tells_ = false;
		op_waits_ = 0;
		bench_.reset();
		for (bench_.settle(); dut_.busy_o; bench_.settle()) // the calendar is cleared
			bench_.tick();
	}

	void step(bool leaps)
	{
		pass_time(leaps);
		if (rng_.one_in(300))
			rare_ = rng_.one_in(2) ? 3 : 200;
		if (!dut_.op_valid_i && op_.go() && rng_.one_in(rare_))
			choose();
		dut_.waits_ready_i = answer_.go();
		dut_.waits_i = !rng_.one_in(8);
		dut_.query_ready_i = query_.go();
		dut_.silent_ready_i = silent_.go();
		bench_.settle();
		watch();
		bench_.tick();
		if (taken_)
			dut_.op_valid_i = 0;
	}

private:
	tally::Bench<Vdut> &bench_;
	tally::Rng &rng_;
	Vdut &dut_;
	tally::Throttle op_{ rng_ }, answer_{ rng_ }, query_{ rng_ }, silent_{ rng_ };
	std::vector<Edge> edges_;
	uint64_t now_ = 1;
	unsigned int known_ = 0, rare_ = 3, told_row_ = 0, asked_row_ = 0, op_waits_ = 0; // known_: rows that may be named
	bool taken_ = false, asked_ = false, told_ = false, tells_ = false;
	probes_model_result tells_what_ = PROBES_NOTHING;

	void choose()
	{
		const unsigned int row = rng_.below(Rows);

		dut_.op_row_i = row;
		dut_.op_i = rng_.one_in(12) ? op_close : rng_.one_in(4) ? op_heard : op_watch;
		if (!(known_ >> row & 1) || (!edges_[row].open && rng_.one_in(3)))
			dut_.op_i = op_open;
		dut_.op_group_i = rng_.below(Groups);
		dut_.op_edge_i = rng_.below(64);
		dut_.op_rto_i = rng_.below(4) * us + 1 + rng_.below(us);
		dut_.op_cap_i = dut_.op_rto_i << rng_.below(rng_.one_in(2) ? 4 : 14);
		dut_.op_limit_i = rng_.below(rng_.one_in(2) ? 4 : 16);
		dut_.op_valid_i = 1;
	}

	// A clock is 4 ns. A NIC that sleeps goes on at the deadline, or earlier.
	void pass_time(bool leaps)
	{
		now_ += 4000;
		dut_.now_i = now_;
		bench_.settle();
		if (!leaps || dut_.busy_o || dut_.op_valid_i || !rng_.one_in(4))
			return;
		uint64_t to = now_ + rng_.below(rng_.one_in(3) ? 40 * us : us);

		if (dut_.deadline_valid_o && dut_.deadline_o < to)
			to = dut_.deadline_o;
		for (unsigned int row = 0; row < Rows; row++)
			CHECK(probes_model_due(row) >= to, "the time of row %u passes while the NIC sleeps", row);
		now_ = dut_.now_i = to;
		sleeps++;
	}

	void watch()
	{
		watch_told();
		watch_asked();
		for (unsigned int row = 0; row < Rows; row++)
			watch_over(edges_[row], row);
		taken_ = dut_.op_valid_i && dut_.op_ready_o;
		op_waits_ = dut_.op_valid_i && !taken_ ? op_waits_ + 1 : 0;
		CHECK(op_waits_ < longest, "an operation waits");
		if (taken_)
			take(edges_[dut_.op_row_i], dut_.op_row_i);
	}

	void watch_over(Edge &e, unsigned int row)
	{
		const uint64_t due = probes_model_due(row);
		const bool out = e.open && due <= now_;

		CHECK(!out || dut_.busy_o, "row %u is forgotten", row);
		CHECK(dut_.busy_o || !e.open || due == never || (dut_.deadline_valid_o && dut_.deadline_o <= due), "the deadline is later than that of row %u",
		      row);
		e.over = !out ? 0 : e.over + !(dut_.waits_valid_o || dut_.query_valid_o || dut_.silent_valid_o);
		CHECK(e.over < longest, "row %u is not looked at", row);
	}

	void watch_told()
	{
		const bool tells = dut_.query_valid_o || dut_.silent_valid_o;

		CHECK(!tells || dut_.busy_o, "it tells and is not busy");
		CHECK(!(dut_.query_valid_o && dut_.silent_valid_o), "it tells two");
		CHECK(tells == tells_, tells ? "nobody was silent" : "a neighbour that was silent is not told");
		if (!tells)
			return;
		CHECK(dut_.silent_valid_o == (tells_what_ == PROBES_SILENT), "what is told of row %u", told_row_);
		CHECK(dut_.told_row_o == told_row_ && (told_ || !edges_[told_row_].open ||
		      (dut_.told_group_o == edges_[told_row_].group && dut_.told_edge_o == edges_[told_row_].edge)), "another edge is told");
		told_ = true; // it may be opened anew while it is offered
		if (dut_.query_ready_i && dut_.query_valid_o)
			tells_ = false;
		if (dut_.silent_ready_i && dut_.silent_valid_o)
			tells_ = false;
	}

	void watch_asked()
	{
		CHECK(dut_.waits_valid_o || !asked_, "a question is withdrawn");
		if (!dut_.waits_valid_o)
			return;
		const unsigned int row = dut_.waits_row_o;

		CHECK(dut_.busy_o && !tells_ && row < Rows && (!asked_ || row == asked_row_), "row %u is asked for", row);
		CHECK(edges_[row].open && probes_model_due(row) <= now_, "row %u was not silent long enough", row);
		CHECK(dut_.waits_group_o == edges_[row].group && dut_.waits_edge_o == edges_[row].edge, "another edge is asked for");
		asked_ = !dut_.waits_ready_i;
		asked_row_ = row;
		if (asked_)
			return;
		tells_what_ = probes_model_timer(now_, row, dut_.waits_i);
		seen[tells_what_]++;
		tells_ = tells_what_ != PROBES_NOTHING;
		told_ = false;
		told_row_ = row;
		if (tells_what_ != PROBES_SILENT)
			return;
		edges_[row].open = false; // its group is frozen: nothing but the next epoch follows
		known_ &= ~(1u << row);
		if (dut_.op_row_i == row)
			dut_.op_valid_i = 0;
		probes_model_close(row);
	}

	void take(Edge &e, unsigned int row)
	{
		CHECK(!dut_.waits_valid_o, "an operation overtakes a question");
		switch (dut_.op_i) {
		case op_open:
			known_ |= 1u << row;
			e = { .open = true, .group = dut_.op_group_i, .edge = dut_.op_edge_i };
			probes_model_open(row, e.edge, dut_.op_rto_i, dut_.op_cap_i, dut_.op_limit_i);
			break;
		case op_close:
			e.open = false;
			probes_model_close(row);
			break;
		case op_watch:
			if (e.open)
				probes_model_watch(now_, row);
			break;
		default:
			probes_model_heard(now_, row);
			break;
		}
	}
};

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("edge_probes", argc, argv);
	World world(bench);

	for (unsigned int i = 0; i < 8; i++)
		bench.live(bench.times(25000), [&] { world.restart(); }, [&] { world.step(i % 4); });
	CHECK(world.seen[PROBES_NOTHING] > 50 && world.seen[PROBES_QUERY] > 500 && world.seen[PROBES_SILENT] > 50 && world.sleeps > 1000,
	      "%llu times nothing, %llu queries, %llu silent, %llu sleeps", static_cast<unsigned long long>(world.seen[PROBES_NOTHING]),
	      static_cast<unsigned long long>(world.seen[PROBES_QUERY]), static_cast<unsigned long long>(world.seen[PROBES_SILENT]),
	      static_cast<unsigned long long>(world.sleeps));
	return bench.finish();
}
