// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_edge_rx: compares it with edge_accept(), edge_in_turn() and edge_verdict(). It tries numbers near the
// window, at its ends and at the wrap-around, far away and random ones, on several edges or repeatedly on one. After a
// reset amid the traffic, the edges are opened again.
#include <vector>

#include "Vdut.h"
#include "bench.h"
#include "edge_model.h"

static_assert(Edges <= EDGE_MODEL_MAX, "the model has an edge for each");

struct Expected {
	bool query, mark, ack, fresh;
	edge_model_answer answer;
	uint32_t top;
	uint64_t seen;
};

// Current mix of the edges' traffic.
struct Traffic {
	explicit Traffic(tally::Rng &rng) : rng(rng) {}

	unsigned int edge()
	{
		return one_edge ? favourite : rng.below(Edges);
	}

	// Returns a number, mostly one near the newest number of an edge.
	uint32_t number(uint32_t top)
	{
		static const int32_t corners[] = { 0, 1, 2, 63, 64, 65, -1, -62, -63, -64, -65, INT32_MIN, INT32_MAX };

		switch (rng.below(16)) {
		case 0:
			return top + corners[rng.below(sizeof(corners) / sizeof(*corners))];
		case 1:
			return rng.next();
		case 2:
			return top + 1 + rng.below(70);
		case 3:
		case 4:
		case 5:
			return top - rng.below(70);
		default:
			return top + 4 - rng.below(12);
		}
	}

	void change()
	{
		one_edge = rng.one_in(2);
		favourite = rng.below(Edges);
	}

	tally::Rng &rng;
	bool one_edge = false;
	unsigned int favourite = 0;
};

static uint32_t top_of(unsigned int edge)
{
	uint32_t top;
	uint64_t seen;

	edge_model_ack_contents(edge, &top, &seen);
	return top;
}

static void check(const Vdut &dut, const Expected &e)
{
	CHECK(dut.answer_valid_o == e.query, "answer_valid_o is %d", dut.answer_valid_o);
	CHECK(!e.query || dut.answer_o == e.answer, "the answer is %d, not %d", dut.answer_o, e.answer);
	CHECK(dut.mark_valid_o == e.mark, "mark_valid_o is %d", dut.mark_valid_o);
	CHECK(!e.mark || dut.mark_new_o == e.fresh, "mark_new_o is %d", dut.mark_new_o);
	CHECK(dut.ack_valid_o == e.ack, "ack_valid_o is %d", dut.ack_valid_o);
	CHECK(!e.ack || (dut.ack_top_o == e.top && dut.ack_seen_o == e.seen),
	      "acknowledges %08x %016llx, not %08x %016llx", dut.ack_top_o,
	      static_cast<unsigned long long>(dut.ack_seen_o), e.top, static_cast<unsigned long long>(e.seen));
}

// Requests of one clock, and the answers of the model.
static Expected request(Vdut &dut, Traffic &traffic, tally::Throttle *wants)
{
	tally::Rng &rng = traffic.rng;
	Expected e = {};

	dut.query_valid_i = e.query = wants[0].go();
	dut.query_edge_i = traffic.edge();
	dut.query_seq_i = traffic.number(top_of(dut.query_edge_i));
	dut.query_before_i = rng.one_in(2) ? dut.query_seq_i : traffic.number(top_of(dut.query_edge_i));
	e.answer = edge_model_query(dut.query_edge_i, dut.query_seq_i, dut.query_before_i);
	dut.ack_valid_i = e.ack = wants[1].go();
	dut.ack_edge_i = traffic.edge();
	edge_model_ack_contents(dut.ack_edge_i, &e.top, &e.seen);
	dut.update_valid_i = wants[2].go();
	dut.update_edge_i = traffic.edge();
	dut.update_open_i = rng.one_in(2000);
	dut.update_seq_i = dut.update_open_i ? uint32_t(rng.below(600)) - 300 : traffic.number(top_of(dut.update_edge_i));
	if (!dut.update_valid_i)
		return e;
	e.mark = !dut.update_open_i;
	if (dut.update_open_i)
		edge_model_open(dut.update_edge_i, dut.update_seq_i);
	else
		e.fresh = edge_model_mark(dut.update_edge_i, dut.update_seq_i);
	return e;
}

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("edge_rx", argc, argv);
	Vdut &dut = *bench.dut;
	tally::Throttle wants[] = { tally::Throttle(bench.rng), tally::Throttle(bench.rng), tally::Throttle(bench.rng) };
	Traffic traffic(bench.rng);
	Expected before, last;

	edge_model_init();
	auto restart = [&] {
		dut.query_valid_i = dut.ack_valid_i = dut.update_valid_i = 0;
		bench.reset();
		before = last = {};
		for (unsigned int i = 0; i < Edges; i++) {
			dut.update_valid_i = dut.update_open_i = 1;
			dut.update_edge_i = i;
			dut.update_seq_i = -(i * 100);
			edge_model_open(i, dut.update_seq_i);
			bench.settle();
			check(dut, {});
			bench.tick();
		}
	};
	auto cycle = [&] {
		Expected now;

		if (bench.rng.one_in(50))
			traffic.change();
		now = request(dut, traffic, wants);
		bench.settle();
		check(dut, before);
		before = last;
		last = now;
		bench.tick();
	};
	bench.live(bench.times(150000), restart, cycle);
	return bench.finish();
}
