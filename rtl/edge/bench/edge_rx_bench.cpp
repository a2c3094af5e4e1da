// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_edge_rx: compares it with edge_accept(), edge_in_turn() and edge_verdict(). It tries numbers near the
// window, at its ends and at the wrap-around, far away and random ones, on several edges or repeatedly on one. After a
// reset amid the traffic, the edges are opened again.
#include <vector>

#include "Vdut.h"
#include "bench.h"
#include "edge_model.h"

static_assert(Edges <= EDGE_MODEL_MAX, "the model has an edge for each");

enum { OPEN, MARK, QUERY, ACK };	// tally_edge_pkg::rx_op_e

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

// Operation of one clock, and the answer of the model.
static Expected request(Vdut &dut, Traffic &traffic, tally::Throttle &wants)
{
	tally::Rng &rng = traffic.rng;
	Expected e = {};

	dut.op_valid_i = wants.go();
	dut.op_i = rng.one_in(2000) ? +OPEN : MARK + static_cast<unsigned int>(rng.below(3));
	dut.op_edge_i = traffic.edge();
	dut.op_seq_i = dut.op_i == OPEN ? uint32_t(rng.below(600)) - 300 : traffic.number(top_of(dut.op_edge_i));
	dut.op_before_i = rng.one_in(2) ? dut.op_seq_i : traffic.number(top_of(dut.op_edge_i));
	if (!dut.op_valid_i)
		return e;
	e.query = dut.op_i == QUERY;
	e.mark = dut.op_i == MARK;
	e.ack = dut.op_i == ACK;
	e.answer = edge_model_query(dut.op_edge_i, dut.op_seq_i, dut.op_before_i);
	edge_model_ack_contents(dut.op_edge_i, &e.top, &e.seen);
	if (dut.op_i == OPEN)
		edge_model_open(dut.op_edge_i, dut.op_seq_i);
	else if (e.mark)
		e.fresh = edge_model_mark(dut.op_edge_i, dut.op_seq_i);
	return e;
}

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("edge_rx", argc, argv);
	Vdut &dut = *bench.dut;
	tally::Throttle wants(bench.rng);
	Traffic traffic(bench.rng);
	Expected before, last;

	edge_model_init();
	auto restart = [&] {
		dut.op_valid_i = 0;
		bench.reset();
		before = last = {};
		for (unsigned int i = 0; i < Edges; i++) {
			dut.op_valid_i = 1;
			dut.op_i = OPEN;
			dut.op_edge_i = i;
			dut.op_seq_i = -(i * 100);
			edge_model_open(i, dut.op_seq_i);
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
	bench.live(bench.times(300000), restart, cycle);
	return bench.finish();
}
