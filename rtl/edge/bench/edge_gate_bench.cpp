// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_edge_gate: records of all kinds come with answers of the admission, and those that pass end their flights
// later and in any order, stored or not, while rows are given back and opened again. It compares with edge_judge() and edge_verdict() of
// the model, and checks that no edge has two packets in flight. Acknowledgements must come in turn, at their time, and with
// the window as it was then.
#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <vector>

#include "Vdut.h"
#include "bench.h"
#include "parser_record.h"
extern "C" {
#include "edge_model.h"
#include "gen/tally_fw_hw.h"
}

static_assert(Rows <= EDGE_MODEL_MAX, "the model has an edge for each");

using Bytes = std::vector<uint8_t>;
constexpr size_t word_bytes = 64;
constexpr uint64_t clock_ps = 4000, delay_ps = 1000ull * TALLY_FW_ACK_DELAY;
constexpr unsigned int ack_clocks = 4;	// from when it is due
constexpr unsigned int numbered_clocks = 4, other_clocks = 2;	// from one record to the next

struct Packet {
	uint32_t record[record_words];
	bool good, alive, numbered;
	unsigned int verdict, context, edge, at;	// at: the row
	uint32_t seq, before;
	Bytes payload;	// as it comes from the admission

	unsigned int row() const { return at; }
};

struct Flight {
	unsigned int row;
	uint32_t seq;
	bool stale;
};

struct Name {		// the edge that has a row
	bool valid;
	unsigned int group, edge;
};

struct Armed {		// an edge that is to be acknowledged
	unsigned int row;
	uint64_t due;
};

struct Ack {
	unsigned int row;
	Name name;
	uint32_t top;
	uint64_t seen;
};

class Gate {
public:
	Gate(int argc, char **argv)
		: bench("edge_gate", argc, argv), dut(*bench.dut), in(bench.rng), pay(bench.rng), out(bench.rng), dat(bench.rng),
		  end(bench.rng), ack(bench.rng)
	{
		dut.now_i = 0;
		edge_model_init();
	}
	int run();

private:
	Packet packet();
	void numbers(Packet &p, struct tally_tch &t);
	void restart();
	void open(unsigned int row);
	void offer();
	void offer_payload();
	void offer_end();
	void offer_first();
	void taken();
	void answers();
	void check_answer(const Packet &p);
	void payloads();
	void ends();
	void arm(unsigned int row);
	void take_due();
	void check_ack();
	bool reads_window() const { return acking && ack_in == ack_clocks - 1; }
	void acknowledgements(bool taken);
	void cycle();
	void rate(bool numbered, unsigned int clocks);

	tally::Bench<Vdut> bench;
	Vdut &dut;
	tally::Throttle in, pay, out, dat, end, ack;
	bool stalls = true, quick = false;	// quick: flights end at once
	std::deque<Packet> coming;
	bool in_offered = false, pay_offered = false, end_offered = false;
	std::deque<Bytes> payload_in, expected;
	size_t pay_at = 0, dat_at = 0;
	std::deque<Packet> inside;	// at most one
	bool reopened = false;		// its edge, since it was taken
	std::vector<unsigned int> earlier;	// what the window would have said before each time
	std::map<unsigned int, Flight> flights;
	Name names[Rows] = {};
	std::deque<Armed> armed;
	unsigned int ack_in = 0;	// clocks until the acknowledgement is offered; 0: it is, or there is none
	bool acking = false;
	Ack expected_ack = {};
	bool room = true;		// for a further one
	bool duplicate = false;		// one is taken in this clock
	uint64_t seen[4] = {}, stale = 0, outs = 0, acks = 0, nobody = 0;
};

// The edge's newest number is known from an acknowledgement.
void Gate::numbers(Packet &p, struct tally_tch &t)
{
	uint32_t top;
	uint64_t bits;

	edge_model_ack_contents(p.row(), &top, &bits);
	p.seq = bench.rng.one_in(8) ? top + 70 - bench.rng.below(140) : top + 2 - bench.rng.below(6);
	t.edge_seq = htobe32(p.seq);
	p.before = bench.rng.one_in(2) ? p.seq : p.seq - bench.rng.below(5);
	t.num = htobe32(p.before);
	if (t.kind != TALLY_KIND_TRIGGER)
		p.before = p.seq;
}

Packet Gate::packet()
{
	static const uint8_t kinds[] = { TALLY_KIND_REDUCE, TALLY_KIND_RESULT, TALLY_KIND_TRIGGER, TALLY_KIND_REDUCE,
					 TALLY_KIND_ACK,    TALLY_KIND_KILL,   TALLY_KIND_NOTIFY };
	Packet p = {};
	Put f(p.record);
	struct tally_tch t;
	uint64_t filler[8];
	bool mcast;

	bench.rng.fill(filler, sizeof(filler));
	bench.rng.fill(&t, sizeof(t));
	t.kind = kinds[bench.rng.below(bench.rng.one_in(4) ? sizeof(kinds) : 4)];
	t.flags = htobe16((be16toh(t.flags) & ~TALLY_TCH_F_MULTICAST) | (bench.rng.one_in(8) ? TALLY_TCH_F_MULTICAST : 0));
	mcast = t.kind == TALLY_KIND_RESULT && be16toh(t.flags) & TALLY_TCH_F_MULTICAST;
	p.good = !bench.rng.one_in(16);
	p.alive = !bench.rng.one_in(8);
	p.verdict = bench.rng.one_in(8) ? bench.rng.below(TALLY_FW_ADMISSION_STATE + 1) : +TALLY_FW_ADMISSION_OK;
	p.context = bench.rng.below(Groups);
	p.edge = bench.rng.below(EdgesOf);
	p.at = bench.rng.below(Rows);
	p.numbered = p.good && p.alive && p.verdict == TALLY_FW_ADMISSION_OK && !mcast &&
		     (t.kind == TALLY_KIND_REDUCE || t.kind == TALLY_KIND_RESULT || t.kind == TALLY_KIND_TRIGGER);
	if (bench.rng.below(3))
		p.payload.resize(1 + bench.rng.below(130));
	bench.rng.fill(p.payload.data(), p.payload.size());
	numbers(p, t);
	f.number(p.good ? +TALLY_RX_OK : 1 + bench.rng.below(7), 8);
	f.number(bench.rng.below(2), 1);
	f.bytes(filler, 44);
	f.number(filler[6], 63);
	f.number(filler[7], 58);
	f.number(p.payload.size(), 13);
	f.bytes(&t, sizeof(t));
	if (!p.good || p.verdict != TALLY_FW_ADMISSION_OK)
		p.payload.clear();	// the admission has dropped it
	return p;
}

void Gate::open(unsigned int row)
{
	uint32_t first = bench.rng.below(64) - 32;

	dut.first_valid_i = 1;
	dut.first_row_i = row;
	dut.first_group_i = bench.rng.below(Groups);
	dut.first_edge_i = bench.rng.below(EdgesOf);
	dut.first_seq_i = first;
	names[row] = { true, dut.first_group_i, dut.first_edge_i };
	edge_model_open(row, first);
}

void Gate::restart()
{
	dut.in_valid_i = dut.pay_tvalid_i = dut.end_valid_i = dut.first_valid_i = dut.gone_valid_i = dut.ack_ready_i = 0;
	armed.clear();
	acking = false;
	ack_in = 0;
	in_offered = pay_offered = end_offered = false;
	coming.clear();
	payload_in.clear();
	expected.clear();
	inside.clear();
	flights.clear();
	pay_at = dat_at = 0;
	bench.reset();
	for (unsigned int row = 0; row < Rows; row++) {
		open(row);
		bench.tick();
	}
	dut.first_valid_i = 0;
}

void Gate::offer_payload()
{
	pay_offered |= !payload_in.empty() && (!stalls || pay.go());
	dut.pay_tvalid_i = pay_offered;
	if (!pay_offered)
		return;
	const Bytes &p = payload_in.front();
	size_t n = std::min(word_bytes, p.size() - pay_at);

	std::memset(&dut.pay_tdata_i, 0xee, word_bytes);
	std::memcpy(&dut.pay_tdata_i, &p[pay_at], n);
	dut.pay_tkeep_i = ~0ull >> (word_bytes - n);
	dut.pay_tlast_i = pay_at + n == p.size();
}

void Gate::offer()
{
	in_offered |= !coming.empty() && (!stalls || in.go());
	dut.in_valid_i = in_offered;
	if (in_offered) {
		const Packet &p = coming.front();

		std::memcpy(&dut.in_i[0], p.record, sizeof(p.record));
		dut.in_admission_i = p.verdict << 24 | p.context << 8 | p.edge;
		dut.in_alive_i = p.alive;
		dut.in_row_i = p.at;
	}
	dut.out_ready_i = !stalls || out.go();
	dut.dat_tready_i = !stalls || dat.go();
}

void Gate::offer_end()
{
	if (!end_offered && !flights.empty() && (quick || end.go())) {
		auto at = flights.begin();

		std::advance(at, bench.rng.below(flights.size()));
		end_offered = true;
		dut.end_flight_i = at->first;
		dut.end_stored_i = !quick && !bench.rng.one_in(4);
	}
	dut.end_valid_i = end_offered;
}

// Opens an edge, often one with a packet inside or in flight. A record that is taken in this clock would be of either life.
void Gate::offer_first()
{
	unsigned int row = bench.rng.below(Rows);

	dut.first_valid_i = dut.gone_valid_i = 0;
	if (!quick && bench.rng.one_in(30)) {
		dut.gone_valid_i = 1;
		dut.gone_row_i = row;
		names[row].valid = false;
		return;
	}
	if (quick || in_offered || !bench.rng.one_in(60))
		return;
	if (!inside.empty() && bench.rng.one_in(2))
		row = inside.front().row();
	else if (!flights.empty() && bench.rng.one_in(2))
		row = flights.begin()->second.row;
	if (!inside.empty() && inside.front().row() == row) {
		earlier.push_back(edge_model_query(row, inside.front().seq, inside.front().before));
		reopened = true;
	}
	for (auto &[number, f] : flights)
		f.stale |= f.row == row;
	open(row);
}

void Gate::taken()
{
	if (!dut.in_valid_i || !dut.in_ready_o)
		return;
	CHECK(inside.empty(), "two records are inside");
	inside.push_back(coming.front());
	coming.pop_front();
	reopened = in_offered = false;
	earlier.clear();
}

void Gate::check_answer(const Packet &p)
{
	static const unsigned int codes[] = { TALLY_FW_ADMISSION_OK, TALLY_FW_ADMISSION_DUPLICATE, TALLY_FW_ADMISSION_WINDOW,
					      TALLY_FW_ADMISSION_TURN };
	unsigned int answer = edge_model_query(p.row(), p.seq, p.before), verdict = dut.out_admission_o >> 24;
	bool passes = p.numbered && verdict == TALLY_FW_ADMISSION_OK;

	CHECK((dut.out_admission_o & 0xffffff) == (p.context << 8 | p.edge), "for edge %x", dut.out_admission_o);
	if (!p.numbered)
		CHECK(verdict == p.verdict, "verdict %u, not %u", verdict, p.verdict);
	else
		CHECK(verdict == codes[answer] ||
		      std::any_of(earlier.begin(), earlier.end(), [&](unsigned int a) { return verdict == codes[a]; }), "verdict %u, not %u", verdict, codes[answer]);
	CHECK(dut.out_flight_valid_o == passes, "out_flight_valid_o is %d", dut.out_flight_valid_o);
	if (p.numbered && dut.out_ready_i)
		seen[answer]++;
	if (!passes)
		return;
	for (const auto &[number, f] : flights)
		CHECK(number != dut.out_flight_o && f.row != p.row(), "two packets of an edge, or with the same flight, at a time");
	if (dut.out_ready_i)
		flights[dut.out_flight_o] = { p.row(), p.seq, reopened };
}

void Gate::answers()
{
	if (!dut.out_valid_o)
		return;
	CHECK(!inside.empty(), "a record that nobody sent");
	const Packet &p = inside.front();

	CHECK(!std::memcmp(&dut.out_o[0], p.record, sizeof(p.record)), "the record has changed");
	if (p.good)
		check_answer(p);
	else
		CHECK(!dut.out_flight_valid_o, "a bad frame flies");
	if (!dut.out_ready_i)
		return;
	outs++;
	if (duplicate)
		arm(p.row());
	if (!p.payload.empty() && dut.out_admission_o >> 24 == TALLY_FW_ADMISSION_OK)
		expected.push_back(p.payload);
	inside.pop_front();
}

void Gate::payloads()
{
	if (dut.pay_tvalid_i && dut.pay_tready_o) {
		pay_at += word_bytes;
		pay_offered = false;
		if (pay_at >= payload_in.front().size()) {
			payload_in.pop_front();
			pay_at = 0;
		}
	}
	if (!dut.dat_tvalid_o)
		return;
	CHECK(!expected.empty(), "a payload of no packet that passes");
	const Bytes &p = expected.front();
	size_t n = std::min(word_bytes, p.size() - dat_at);

	CHECK(dut.dat_tkeep_o == ~0ull >> (word_bytes - n), "wrong dat_tkeep_o");
	CHECK(dut.dat_tlast_o == (dat_at + n == p.size()), "wrong dat_tlast_o");
	CHECK(!std::memcmp(&dut.dat_tdata_o, &p[dat_at], n), "wrong payload at byte %zu", dat_at);
	if (!dut.dat_tready_i)
		return;
	dat_at += n;
	if (dat_at < p.size())
		return;
	expected.pop_front();
	dat_at = 0;
}

void Gate::ends()
{
	if (!dut.end_valid_i || !dut.end_ready_o)
		return;
	const Flight &f = flights.at(dut.end_flight_i);

	CHECK(!dut.first_valid_i, "the end of a flight as an edge is opened");
	CHECK(!duplicate, "the end of a flight as a duplicate is taken");
	if (dut.end_stored_i && !f.stale) {
		CHECK(edge_model_mark(f.row, f.seq), "a number has passed twice");
		arm(f.row);
	}
	stale += f.stale;
	flights.erase(dut.end_flight_i);
	end_offered = false;
}

void Gate::arm(unsigned int row)
{
	if (room && std::none_of(armed.begin(), armed.end(), [row](const Armed &a) { return a.row == row; }))
		armed.push_back({ row, dut.now_i + delay_ps });
}

// An edge that is due is taken if no acknowledgement is under way, and then may be armed again.
void Gate::take_due()
{
	CHECK(dut.deadline_valid_o == !armed.empty(), "deadline_valid_o is %d", dut.deadline_valid_o);
	CHECK(armed.empty() || dut.deadline_o == armed.front().due, "the deadline is another one");
	if (acking || armed.empty() || dut.now_i < armed.front().due)
		return;
	acking = true;
	ack_in = ack_clocks;
	expected_ack.row = armed.front().row;
	armed.pop_front();
}

void Gate::check_ack()
{
	Fields f(&dut.ack_o[0], 120);

	SAME(f.number(16), expected_ack.name.group, "the context of an acknowledgement");
	SAME(f.number(8), expected_ack.name.edge, "the edge of an acknowledgement");
	SAME(f.number(32), expected_ack.top, "the newest number of an acknowledgement");
	SAME(f.number(64), expected_ack.seen, "the bitmap of an acknowledgement");
}

// At the end of a clock. The window is read in the clock after the edge was taken, or later if an edge is opened then.
void Gate::acknowledgements(bool taken)
{
	const Ack &a = expected_ack;

	if (reads_window() && dut.first_valid_i)
		return;
	if (reads_window()) {
		edge_model_ack_contents(a.row, &expected_ack.top, &expected_ack.seen);
		expected_ack.name = names[a.row];
	}
	if (taken) {
		acking = false;
		acks++;
	} else if (ack_in) {
		ack_in--;
		acking = ack_in || a.name.valid;
		nobody += !acking;
	}
}

void Gate::cycle()
{
	bool acked;

	if (coming.size() < 3) {
		coming.push_back(packet());
		if (!coming.back().payload.empty())
			payload_in.push_back(coming.back().payload);
	}
	offer();
	offer_payload();
	offer_end();
	offer_first();
	dut.ack_ready_i = !stalls || ack.go();
	dut.now_i += quick ? delay_ps : bench.rng.one_in(100) ? bench.rng.below(2 * delay_ps) : clock_ps;
	bench.settle();
	duplicate = dut.out_valid_o && dut.out_ready_i && dut.out_admission_o >> 24 == TALLY_FW_ADMISSION_DUPLICATE;
	CHECK(dut.end_ready_o == (!dut.first_valid_i && !duplicate && !reads_window()), "end_ready_o is %d", dut.end_ready_o);
	CHECK(dut.ack_valid_o == (acking && !ack_in), "ack_valid_o is %d", dut.ack_valid_o);
	if (dut.ack_valid_o)
		check_ack();
	acked = dut.ack_valid_o && dut.ack_ready_i;
	room = armed.size() < Acks;
	take_due();
	payloads();
	ends();
	answers();
	taken();
	acknowledgements(acked);
	bench.tick();
	bench.settle();
	CHECK(dut.busy_o || (inside.empty() && expected.empty() && !acking), "idle with something inside");
}

// Clocks from one record to the next one of another edge, without stalls and payloads.
void Gate::rate(bool numbered, unsigned int clocks)
{
	uint64_t before = outs, from = 0;
	unsigned int edge = 0;

	restart();
	stalls = false;
	quick = true;
	while (coming.size() < 10) {
		Packet p = packet();

		if (!p.payload.empty() || p.numbered != numbered || (numbered && p.row() != edge % Rows))
			continue;
		if (numbered && edge_model_query(p.row(), p.seq, p.before) != EDGE_ACCEPT)
			continue;	// an acknowledgement would take a clock
		coming.push_back(p);
		edge++;
	}
	while (outs < before + 8) {
		cycle();
		if (outs == before + 3 && !from)
			from = bench.cycle();
	}
	CHECK(bench.cycle() - from == 5 * clocks, "five records take %llu clocks", (unsigned long long)(bench.cycle() - from));
	stalls = true;
	quick = false;
}

int Gate::run()
{
	bench.live(bench.times(200000), [this] { restart(); }, [this] {
		if (bench.rng.one_in(500))
			stalls = !bench.rng.one_in(4);
		cycle();
	});
	for (unsigned int i = 0; i < 4; i++)
		CHECK(seen[i] > 50, "only %llu answers %u", (unsigned long long)seen[i], i);
	CHECK(acks > 100, "%llu acknowledgements", (unsigned long long)acks);
	CHECK(nobody > 10, "%llu acknowledgements of rows that were given back", (unsigned long long)nobody);
	CHECK(stale > 10, "%llu flights of an earlier life", (unsigned long long)stale);
	rate(false, other_clocks);
	rate(true, numbered_clocks);
	return bench.finish();
}

int main(int argc, char **argv)
{
	return Gate(argc, argv).run();
}
