// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_edge_send: edges open and close, packets get numbers, acknowledgements come with gaps, late or twice, and
// time-outs pass. Numbers, what is acknowledged, what is sent again and which number a TRIGGER names are those of
// edge_send(), edge_ack() and edge_busy(). No expiry is early, or late without a reason; while the block is not busy,
// nothing is due, and time may leap to its deadline. A reset amid the traffic closes all edges.
#include <algorithm>
#include <map>
#include <set>

#include "Vdut.h"
#include "bench.h"
#include "edge_model.h"

constexpr unsigned int places = Groups * EdgesOf, window = 64, max_doublings = 10;
constexpr unsigned int patience = 2000;	// clocks in which what is due comes out if nothing is held up

static_assert(places <= EDGE_MODEL_MAX, "the model has an edge for each");

enum { SET_OPEN, SET_CLOSE, SET_STOP, SET_ROW };	// tally_edge_pkg::set_op_e
enum { REPLY_ACK, REPLY_BUSY };		// tally_edge_pkg::reply_e

struct Packet {
	unsigned int ref;
	bool trigger;
	unsigned int tag;
};

struct Timer {
	bool runs;
	uint64_t earliest, latest;	// when it is due
	unsigned int tries;
};

struct Edge {
	bool row;		// it has one
	unsigned int at;	// which
	std::map<uint32_t, Packet> held;
	std::set<uint32_t> due;	// numbers to be sent again
	std::set<uint32_t> repeats;	// numbers that are going to ask again
	uint64_t rto, cap;
	unsigned int limit;
	Timer timer;
	unsigned int late;	// clocks since something was due, or was sent again
};

class Send {
public:
	Send(int argc, char **argv)
		: bench("edge_send", argc, argv), dut(*bench.dut), rng(bench.rng), sets(rng), replies(rng), asks(rng), acks(rng),
		  agains(rng), expiries(rng)
	{
		edge_model_init();
		dut.now_i = 0;
	}

	int run();

private:
	void restart();
	void cycle();
	void mood();
	void offer_set();
	void offer_reply();
	void offer_ask();
	unsigned __int128 known_row(unsigned int k);
	bool repeat(unsigned int k);
	uint32_t number(unsigned int k);
	void set_done();
	void reply_done();
	void ask_done();
	void new_packet(unsigned int k);
	void old_packet(unsigned int k);
	void acked();
	void again();
	void expired();
	void start(Edge &e, uint64_t since);
	void check_due();
	void leap();
	unsigned int place(unsigned int group, unsigned int edge) const
	{
		CHECK(group < Groups && edge < EdgesOf, "edge %u of group %u", edge, group);
		return group * EdgesOf + edge;
	}

	tally::Bench<Vdut> bench;
	Vdut &dut;
	tally::Rng &rng;
	tally::Throttle sets, replies, asks, acks, agains, expiries;
	Edge edges[places];
	uint64_t set_at = 0, reply_at = 0, ask_at = 0;	// when the offer began
	uint64_t reply_acked = 0;			// what the present reply has acknowledged so far
	bool again_offered = false, expired_offered = false;
	unsigned int sends = 50, loses = 0, favourite = 0;
	unsigned int lasts = 0;	// clocks in which the mood stays
	bool one_edge = false, stirs = false, alone = false;
	// Packets ask without a pause, and all is taken at once; nobody takes what is to be sent again, or time-outs.
	bool presses = false, jams_agains = false, jams_expiries = false;
	struct {
		uint64_t opened, full, numbers, refused, triggers, named, again, acked, repeats, given_up, expired, leaps, misled;
	} count = {};
};

void Send::restart()
{
	dut.set_valid_i = dut.reply_valid_i = dut.ask_valid_i = 0;
	dut.acked_ready_i = dut.again_ready_i = dut.expired_ready_i = 0;
	dut.look_valid_i = 0;	// bench/edge_rows_bench.cpp has looks
	bench.reset();
	for (unsigned int k = 0; k < places; k++) {
		edges[k] = {};
		edge_model_close(k);
	}
	reply_acked = 0;
	again_offered = expired_offered = false;
}

void Send::mood()
{
	if (lasts)
		lasts--;
	if (jams_expiries && rng.one_in(400))
		favourite = rng.below(places);
	if (lasts || !rng.one_in(600))
		return;
	one_edge = rng.one_in(2);
	favourite = rng.below(places);
	sends = rng.one_in(4) ? 97 : rng.below(100);
	loses = rng.below(4);
	stirs = rng.one_in(4);
	alone = rng.one_in(3);
	presses = rng.one_in(8);
	jams_agains = !presses && rng.one_in(4);
	jams_expiries = !presses && rng.one_in(4);
	if (presses || jams_agains || jams_expiries)
		lasts = 2 * patience;
	// What nobody takes piles up: all rows have something to be sent again, and are closed and opened meanwhile. Of the
	// time-outs that wait, some are stale, as there are replies for one edge after another.
	if (jams_agains)
		stirs = true;
	else if (jams_expiries) {
		stirs = false;
		one_edge = true;
	}
}

void Send::offer_set()
{
	unsigned int k = rng.below(places);

	if (dut.set_valid_i || !sets.go() || !rng.one_in(stirs ? 100 : 4000))
		return;
	dut.set_valid_i = 1;
	set_at = dut.now_i;
	dut.set_op_i = rng.one_in(2) ? rng.below(4) : +SET_OPEN;
	dut.set_group_i = k / EdgesOf;
	dut.set_edge_i = k % EdgesOf;
	dut.set_seq_i = rng.one_in(4) ? rng.next() : uint32_t(rng.below(200)) - 100;
	dut.set_rto_i = 1 + rng.below(rng.one_in(3) ? 10000 : 1000);
	dut.set_cap_i = 1 + rng.below(rng.one_in(3) ? 2000 : 20000);
	dut.set_limit_i = 1 + rng.below(rng.one_in(2) ? 3 : 14);
}

// A number that a neighbour may name, or may not.
uint32_t Send::number(unsigned int k)
{
	const edge_model_tx tx = edge_model_look(k);

	switch (rng.below(14)) {
	case 0:
		return rng.next();
	case 12:
	case 13:	// a number that is outstanding, in another window
		return tx.una + rng.below(tx.next - tx.una + 1) + (rng.one_in(2) ? window : -window);
	case 1:
		return tx.next + 70 - rng.below(140);
	case 2:
	case 3:
		return tx.next - 1;
	default:
		return tx.una + rng.below(tx.next - tx.una + 1);
	}
}

void Send::offer_reply()
{
	unsigned int k = one_edge ? favourite : rng.below(places);

	if (dut.reply_valid_i || presses || !replies.go() || rng.below(100) < sends || (alone && rng.one_in(2)))
		return;
	uint64_t bits = rng.next();

	dut.reply_valid_i = 1;
	reply_at = dut.now_i;
	dut.reply_i = rng.one_in(6) ? REPLY_BUSY : REPLY_ACK;
	dut.reply_group_i = k / EdgesOf;
	dut.reply_edge_i = k % EdgesOf;
	dut.reply_seq_i = number(k);
	dut.reply_seen_i = loses == 0 ? ~0ULL : loses == 1 ? bits | rng.next() | rng.next() : loses == 2 ? bits & rng.next() : 1;
}

// Half of the packets know the row of their edge, or one that it has had, or another one.
unsigned __int128 Send::known_row(unsigned int k)
{
	unsigned int row = rng.one_in(8) ? rng.below(Rows) : edges[k].at;

	return rng.one_in(2) ? 0 : 1 << 16 | row;
}

// A packet that was told to be sent again asks for its number, perhaps late.
bool Send::repeat(unsigned int k)
{
	Edge &e = edges[k];

	// With a full window, more of those whose number is not outstanding any more.
	if (e.repeats.empty() && !rng.one_in(e.held.size() == window ? 3 : 20))
		return false;
	dut.ask_i[0] = 0;
	uint32_t seq = e.repeats.empty() ? number(k) : *e.repeats.begin();
	auto at = e.held.find(seq);
	Packet p = at != e.held.end() ? at->second : Packet{ 7, rng.one_in(2), 3 };

	e.repeats.erase(seq);
	// known, row, again, context, edge, ref, seq, is_trigger, tag
	unsigned __int128 ask = known_row(k) << 1 | 1;
	ask = ask << 16 | k / EdgesOf;
	ask = ask << 8 | k % EdgesOf;
	ask = ask << 16 | p.ref;
	ask = ask << 32 | seq;
	ask = ask << 1 | p.trigger;
	ask = ask << 24 | p.tag;
	for (unsigned int i = 0; i < 4; i++)
		dut.ask_i[i] = ask >> 32 * i;
	return true;
}

void Send::offer_ask()
{
	unsigned int k = one_edge ? favourite : rng.below(places);
	bool old = false;

	if (dut.ask_valid_i || !(presses || asks.go()))
		return;
	old = rng.one_in(2) && repeat(k);
	if (!old && !presses && rng.below(100) >= sends)
		return;
	if (!old) {
		unsigned __int128 ask = known_row(k) << 17 | k / EdgesOf;

		ask = ask << 8 | k % EdgesOf;
		ask = ask << 16 | rng.below(65536);
		ask = ask << 32 | (rng.next() & UINT32_MAX);
		ask = ask << 1 | rng.one_in(2);
		ask = ask << 24 | (rng.one_in(8) ? rng.below(1 << 24) : rng.below(4));
		for (unsigned int i = 0; i < 4; i++)
			dut.ask_i[i] = ask >> 32 * i;
	}
	dut.ask_valid_i = 1;
	ask_at = dut.now_i;
}

void Send::start(Edge &e, uint64_t since)
{
	e.timer = { true, since + e.rto, dut.now_i + 4 + e.rto, 0 }; // a new number is given before its timer starts
	e.late = 0;
}

void Send::set_done()
{
	unsigned int k = place(dut.set_group_i, dut.set_edge_i);
	Edge &e = edges[k];
	bool takes = dut.set_op_i == SET_OPEN || dut.set_op_i == SET_ROW, had = e.row, fails = false;

	if (takes) {
		unsigned int used = std::count_if(edges, edges + places, [](const Edge &one) { return one.row; });

		fails = !e.row && used == Rows;
		count.full += fails;
	}
	CHECK(dut.set_failed_o == fails, "set_failed_o is %d", dut.set_failed_o);
	CHECK(dut.taken_o == (takes && !had && !fails), "taken_o is %d", dut.taken_o);
	CHECK(dut.gone_o == (dut.set_op_i == SET_CLOSE && had), "gone_o is %d", dut.gone_o);
	CHECK(dut.stopped_o == (dut.set_op_i == SET_STOP && had), "stopped_o is %d", dut.stopped_o);
	CHECK(!had || dut.set_row_o == e.at, "row %u, not %u", dut.set_row_o, e.at);
	if (fails || (dut.set_op_i == SET_ROW && had))
		return;
	e.at = dut.set_row_o;
	e.held.clear();
	e.due.clear();
	e.repeats.clear();
	e.timer = {};
	e.late = 0;
	edge_model_close(k);
	e.row = takes || (had && dut.set_op_i == SET_STOP);
	if (dut.set_op_i != SET_OPEN)
		return;
	edge_model_open(k, dut.set_seq_i);
	e.rto = dut.set_rto_i;
	e.cap = dut.set_cap_i;
	e.limit = dut.set_limit_i;
	count.opened++;
}

void Send::reply_done()
{
	unsigned int k = place(dut.reply_group_i, dut.reply_edge_i);
	Edge &e = edges[k];
	uint64_t acked = 0, hurried = 0, told = reply_acked;
	bool useful;

	reply_acked = 0;
	if (dut.reply_i == REPLY_ACK) {
		edge_model_ack(k, dut.reply_seq_i, dut.reply_seen_i, &acked, &hurried);
		useful = acked;
	} else {
		useful = edge_model_busy(k, dut.reply_seq_i) && !e.held.empty();
	}
	CHECK(told == acked, "other numbers are acknowledged than those of the packet");
	const edge_model_tx tx = edge_model_look(k);

	for (unsigned int i = 0; i < window; i++) {
		uint32_t seq = tx.next - window + i;

		if (acked >> seq % window & 1) {
			e.held.erase(seq);
			e.due.erase(seq);
		}
		if (hurried >> seq % window & 1)
			e.due.insert(seq);
	}
	if (useful && e.held.empty())
		e.timer.runs = false;
	else if (useful)
		start(e, reply_at);
}

struct Ask {
	explicit Ask(const Vdut &dut)
	{
		unsigned __int128 a = 0;

		for (int i = 3; i >= 0; i--)
			a = a << 32 | dut.ask_i[i];
		tag = a & 0xffffff;
		trigger = a >> 24 & 1;
		seq = a >> 25;
		ref = a >> 57 & 0xffff;
		edge = a >> 73 & 0xff;
		group = a >> 81 & 0xffff;
		again = a >> 97 & 1;
		row = a >> 98 & 0xffff;
		known = a >> 114 & 1;
	}
	unsigned int tag, ref, edge, group, row;
	bool trigger, again, known;
	uint32_t seq;
};

void Send::new_packet(unsigned int k)
{
	Ask a(dut);
	Edge &e = edges[k];
	uint32_t seq = 0, before = 0;
	bool idle = e.held.empty(), ok;

	ok = a.trigger ? edge_model_trigger(k, a.tag >> 8, a.tag, &seq, &before) : edge_model_send(k, &seq);
	CHECK(dut.ask_ok_o == ok, "ask_ok_o is %d", dut.ask_ok_o);
	CHECK(dut.ask_full_o == (!ok && !e.held.empty()), "ask_full_o is %d", dut.ask_full_o);
	count.refused += !ok;
	if (!ok)
		return;
	CHECK(dut.ask_seq_o == seq, "the number is %x, not %x", dut.ask_seq_o, seq);
	if (a.trigger)
		CHECK(dut.ask_before_o == before, "number %x names %x, not %x", seq, dut.ask_before_o, before);
	count.triggers += a.trigger;
	count.named += a.trigger && before != seq;
	count.numbers++;
	e.held[seq] = { a.ref, a.trigger, a.tag };
	if (idle)
		start(e, ask_at);
}

void Send::old_packet(unsigned int k)
{
	Ask a(dut);
	const Edge &e = edges[k];
	auto at = e.held.find(a.seq);
	uint32_t before = a.seq;

	CHECK(dut.ask_ok_o == (at != e.held.end()) && !dut.ask_full_o, "sent again, ask_ok_o is %d", dut.ask_ok_o);
	if (at == e.held.end())
		return;
	count.again++;
	CHECK(dut.ask_seq_o == a.seq, "the number becomes %x, not %x", dut.ask_seq_o, a.seq);
	if (!a.trigger)
		return;
	for (unsigned int age = 1; age < window && before == a.seq; age++) {
		auto other = e.held.find(a.seq - age);

		if (other != e.held.end() && other->second.trigger && other->second.tag == a.tag)
			before = a.seq - age;
	}
	CHECK(dut.ask_before_o == before, "again, number %x names %x, not %x", a.seq, dut.ask_before_o, before);
}

void Send::ask_done()
{
	Ask a(dut);
	unsigned int k = place(a.group, a.edge);

	if (a.known && (!edges[k].row || a.row != edges[k].at)) {
		CHECK(!dut.ask_ok_o && !dut.ask_full_o, "a packet gets a number for a row that is not its edge's");
		count.misled++;
		return;
	}
	if (a.again)
		old_packet(k);
	else
		new_packet(k);
}

struct Sent {
	explicit Sent(const uint32_t *words)
	{
		seq = words[0];
		ref = words[1] & 0xffff;
		edge = words[1] >> 16 & 0xff;
		group = words[1] >> 24 | (words[2] & 0xff) << 8;
	}
	uint32_t seq;
	unsigned int ref, edge, group;
};

void Send::acked()
{
	if (!dut.acked_valid_o)
		return;
	Sent s(&dut.acked_o[0]);
	Edge &e = edges[place(s.group, s.edge)];
	auto at = e.held.find(s.seq);

	CHECK(dut.reply_valid_i && dut.reply_i == REPLY_ACK && s.group == dut.reply_group_i && s.edge == dut.reply_edge_i,
	      "a packet is acknowledged without an acknowledgement");
	CHECK(at != e.held.end() && at->second.ref == s.ref, "what is acknowledged is not outstanding");
	if (!dut.acked_ready_i)
		return;
	CHECK(!(reply_acked >> s.seq % window & 1), "a packet is acknowledged twice");
	reply_acked |= 1ULL << s.seq % window;
	count.acked++;
}

// What is offered may be acknowledged before it is taken.
void Send::again()
{
	if (dut.again_valid_o && !again_offered) {
		Sent s(&dut.again_o[0]);
		Edge &e = edges[place(s.group, s.edge)];
		auto at = e.held.find(s.seq);

		CHECK(e.due.erase(s.seq), "number %x is sent again", s.seq);
		CHECK(at != e.held.end() && at->second.ref == s.ref, "what is sent again is not outstanding");
		e.repeats.insert(s.seq);
		e.late = 0;
		count.repeats++;
	}
	again_offered = dut.again_valid_o && !dut.again_ready_i;
}

void Send::expired()
{
	if (dut.expired_valid_o && !expired_offered) {
		uint64_t x = dut.expired_o;
		Edge &e = edges[place(x >> 18 & 0xffff, x >> 10 & 0xff)];
		bool over = ++e.timer.tries > e.limit;
		uint64_t wait = std::min(e.rto << std::min(e.timer.tries, max_doublings), e.cap);

		CHECK(e.timer.runs && e.timer.earliest <= dut.now_i && !e.held.empty(), "an early expiry");
		CHECK((x >> 1 & 0x1ff) == e.timer.tries && (x & 1) == over, "wrong number of tries");
		e.timer.runs = !over;
		e.timer.earliest += wait;
		e.timer.latest = dut.now_i + wait;
		e.late = 0;
		count.given_up += over;
		count.expired++;
		if (!over)
			for (const auto &[seq, packet] : e.held)
				e.due.insert(seq);
	}
	expired_offered = dut.expired_valid_o && !dut.expired_ready_i;
}

void Send::check_due()
{
	bool held_up = !dut.acked_ready_i || !dut.again_ready_i || !dut.expired_ready_i;

	for (Edge &e : edges) {
		bool due = !e.due.empty() || (e.timer.runs && e.timer.latest < dut.now_i);

		CHECK(!due || dut.busy_o, "not busy while something is due");
		e.late = due ? e.late + !held_up : 0;
		CHECK(e.late < patience, "what is due does not come");
	}
}

// While nothing is inside and nothing enters, the clock may stand still.
void Send::leap()
{
	if (dut.busy_o || dut.set_valid_i || dut.reply_valid_i || dut.ask_valid_i || !rng.one_in(3))
		return;
	uint64_t until = dut.deadline_valid_o ? dut.deadline_o : dut.now_i + 100;

	for (const Edge &e : edges)
		CHECK(!e.timer.runs || e.timer.latest >= until, "the deadline is too late");
	count.leaps++;
	dut.now_i = until;
}

void Send::cycle()
{
	mood();
	offer_set();
	offer_reply();
	offer_ask();
	dut.acked_ready_i = presses || acks.go();
	dut.again_ready_i = presses || (!jams_agains && agains.go());
	dut.expired_ready_i = presses || (!jams_expiries && expiries.go());
	bench.settle();
	again();
	expired();
	acked();
	bool set = dut.set_valid_i && dut.set_ready_o, reply = dut.reply_valid_i && dut.reply_ready_o;
	bool ask = dut.ask_valid_i && dut.ask_ready_o;

	if (set)
		set_done();
	if (reply)
		reply_done();
	if (ask)
		ask_done();
	check_due();
	leap();
	bench.tick();
	dut.now_i++;
	if (set)
		dut.set_valid_i = 0;
	if (reply)
		dut.reply_valid_i = 0;
	if (ask)
		dut.ask_valid_i = 0;
}

int Send::run()
{
	bench.live(bench.times(250000), [this] { restart(); }, [this] { cycle(); });
	auto show = [](const char *what, uint64_t n, uint64_t least) {
		CHECK(n >= least, "%s: %llu", what, static_cast<unsigned long long>(n));
	};
	show("opened edges", count.opened, 50);
	show("no row left", count.full, 5);
	show("numbers", count.numbers, 1000);
	show("refusals", count.refused, 100);
	show("triggers", count.triggers, 300);
	show("predecessors", count.named, 100);
	show("asked again", count.again, 100);
	show("acknowledged", count.acked, 500);
	show("repeats", count.repeats, 100);
	show("time-outs", count.expired, 30);
	show("silent neighbours", count.given_up, 5);
	show("leaps", count.leaps, 50);
	show("rows of others", count.misled, 50);
	return bench.finish();
}

int main(int argc, char **argv)
{
	return Send(argc, argv).run();
}
