// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_edge_tx: compares it with edge_send(), edge_ack() and edge_busy(). It tries acknowledgements that have
// gaps, are late, doubled or random, or name numbers never sent, and numbers that wrap around, on several edges or
// repeatedly on one. After a reset amid the traffic, the edges are opened again.
#include <deque>

#include "Vdut.h"
#include "bench.h"
#include "edge_model.h"

static_assert(Edges <= EDGE_MODEL_MAX, "the model has an edge for each");

enum { OP_OPEN, OP_CLOSE, OP_SEND, OP_ACK, OP_BUSY, OP_LOOK, OPS };	// tally_edge_pkg::tx_op_e

struct Expected {
	bool valid, ok, idle, sends;
	bool first;	// since the reset: nothing is known of the edge before
	uint32_t seq;
	uint64_t acked, hurried;
	edge_model_tx after;
};

// Current mix of the operations and acknowledgements.
struct Neighbour {
	explicit Neighbour(tally::Rng &rng) : rng(rng) {}

	void change()
	{
		one_edge = rng.one_in(2);
		favourite = rng.below(Edges);
		sends = rng.one_in(4) ? 98 : rng.below(100);
		loses = rng.below(3);
	}

	unsigned int edge() { return one_edge ? favourite : rng.below(Edges); }

	uint32_t number(const edge_model_tx &tx)
	{
		static const int32_t corners[] = { 0, 1, 62, 63, 64, 65, -1, -2, -63, -64, -65, -66, INT32_MIN };

		switch (rng.below(20)) {
		case 0:
			return rng.next();
		case 1:
			return tx.next + corners[rng.below(sizeof(corners) / sizeof(*corners))];
		case 2:
			return tx.una + corners[rng.below(sizeof(corners) / sizeof(*corners))];
		case 3:
			return tx.next + 70 - rng.below(140);
		case 4:
		case 5:
			return tx.next - 1;
		default:
			return tx.una + rng.below(tx.next - tx.una + 1);
		}
	}

	uint64_t seen()
	{
		uint64_t bits = rng.next();

		return loses == 0 ? ~0ULL : loses == 1 ? bits | rng.next() | rng.next() : bits & rng.next();
	}

	unsigned int op()
	{
		if (rng.one_in(500))
			return rng.one_in(3) ? OP_CLOSE : OP_OPEN;
		if (rng.below(100) < sends)
			return OP_SEND;
		return OP_ACK + rng.below(rng.one_in(4) ? 3 : 1);
	}

	tally::Rng &rng;
	bool one_edge = false;
	unsigned int favourite = 0, sends = 50, loses = 0;
};

static Expected perform(const Vdut &dut)
{
	unsigned int edge = dut.op_edge_i;
	Expected e = {};

	e.valid = true;
	e.idle = !edge_model_look(edge).held;
	switch (dut.op_i) {
	case OP_OPEN:
		edge_model_open(edge, dut.op_seq_i);
		break;
	case OP_CLOSE:
		edge_model_close(edge);
		break;
	case OP_SEND:
		e.sends = e.ok = edge_model_send(edge, &e.seq);
		break;
	case OP_ACK:
		edge_model_ack(edge, dut.op_seq_i, dut.op_seen_i, &e.acked, &e.hurried);
		e.ok = e.acked != 0;
		break;
	case OP_BUSY:
		e.ok = edge_model_busy(edge, dut.op_seq_i);
		break;
	}
	e.after = edge_model_look(edge);
	return e;
}

static void check(const Vdut &dut, const Expected &e)
{
	CHECK(dut.answer_valid_o == e.valid, "answer_valid_o is %d", dut.answer_valid_o);
	if (!e.valid)
		return;
	CHECK(dut.ok_o == e.ok, "ok_o is %d", dut.ok_o);
	CHECK(e.first || dut.idle_o == e.idle, "idle_o is %d", dut.idle_o);
	CHECK(!e.sends || dut.seq_o == e.seq, "the number is %08x, not %08x", dut.seq_o, e.seq);
	CHECK(dut.acked_o == e.acked, "wrong acked_o");
	CHECK(dut.hurry_o == e.hurried, "wrong hurry_o");
	CHECK(dut.held_o == e.after.held, "wrong held_o");
	CHECK(dut.next_o == e.after.next, "next is %08x, not %08x", dut.next_o, e.after.next);
	CHECK(dut.una_o == e.after.una, "una is %08x, not %08x", dut.una_o, e.after.una);
}

static void check_early(const Vdut &dut, const Expected &e)
{
	CHECK(dut.gave_valid_o == e.sends, "gave_valid_o is %d", dut.gave_valid_o);
	CHECK(!e.sends || dut.gave_seq_o == e.seq, "number %08x is told early, not %08x", dut.gave_seq_o, e.seq);
}

static void request(Vdut &dut, Neighbour &peer, bool wanted)
{
	dut.op_valid_i = wanted;
	dut.op_i = peer.op();
	dut.op_edge_i = peer.edge();
	dut.op_seq_i = dut.op_i == OP_OPEN ? uint32_t(peer.rng.below(600)) - 300 :
			peer.number(edge_model_look(dut.op_edge_i));
	dut.op_seen_i = peer.seen();
}

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("edge_tx", argc, argv);
	Vdut &dut = *bench.dut;
	tally::Throttle wants(bench.rng);
	Neighbour peer(bench.rng);
	std::deque<Expected> under_way;
	unsigned int opened;

	edge_model_init();
	auto restart = [&] {
		dut.op_valid_i = 0;
		bench.reset();
		under_way.assign(4, {});
		opened = 0;
	};
	auto cycle = [&] {
		if (bench.rng.one_in(100))
			peer.change();
		request(dut, peer, wants.go());
		bool first = opened < Edges;
		if (first) {
			dut.op_valid_i = 1;
			dut.op_i = OP_OPEN;
			dut.op_edge_i = opened++;
		}
		bench.settle();
		check(dut, under_way.front());
		check_early(dut, under_way[2]);
		under_way.pop_front();
		under_way.push_back(dut.op_valid_i ? perform(dut) : Expected());
		under_way.back().first = first;
		bench.tick();
	};
	bench.live(bench.times(150000), restart, cycle);
	return bench.finish();
}
