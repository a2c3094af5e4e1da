// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_trigger_in: packets, messages of the node to itself and own data come at the same time, while all sides stall. The
// bench is the gate, the table of ports, and tally_rmq, whose verdicts it chooses. What is offered must be what was sent, for the
// queue pair that was found, each with its words; what is impossible (plausible() of the engine) must not be offered. Each flight
// and each message ends once, with what has become of it.
#include <cstring>
#include <deque>
#include <vector>

#include "Vdut.h"
#include "bench.h"
#include "trigger_bits.h"
#include "trigger_in_model.h"

namespace {

enum Source { Packet, Self, Own, Sources };

struct Message {
	in_message m;
	unsigned int group, edge, flight, qp;
	uint32_t seq;
	std::vector<uint8_t> data;
	size_t sent = 0; // words
};

struct Busy {
	unsigned int group, edge;
	uint32_t seq;
};

} // namespace

class In {
public:
	In(int argc, char **argv) : bench("trigger_in", argc, argv), dut(*bench.dut), rng(bench.rng) {}
	int run();

private:
	void restart();
	void cycle();
	void fill(Message &m, Source from);
	void offer(Source from);
	void drive_words();
	void drive_rest();
	void begin(Source from);
	void found();
	void take_header();
	void take_words();
	void judge(bool stored);
	void end();
	void check_ends();
	void check_busy();
	void check_quiet();

	tally::Bench<Vdut> bench;
	Vdut &dut;
	tally::Rng &rng;
	tally::Throttle ask{ rng }, word{ rng }, in{ rng }, dat{ rng }, last{ rng }, busy{ rng };

	Message next[Sources];
	bool offered[Sources] = {}, words_offered[Sources] = {};
	uint32_t mtus[Groups];

	// The message that is inside.
	bool inside = false, looked = false, exists = false, works = false, is_offered = false, verdict_due = false, judged = false;
	bool stored = false, refused = false, possible = false, full = false;
	Source from = Packet;
	Message now;
	size_t given = 0; // words to tally_rmq
	std::deque<Busy> busies;
	uint64_t begun = 0, count[Sources][4] = {}; // stored, refused, impossible, nobody
	uint64_t unsaid = 0;
};

void In::restart()
{
	dut.group_write_i = dut.rec_valid_i = dut.pay_tvalid_i = dut.end_ready_i = dut.busy_ready_i = 0;
	dut.self_valid_i = dut.self_tvalid_i = dut.own_valid_i = dut.own_tvalid_i = 0;
	dut.find_ready_i = dut.in_ready_i = dut.verdict_valid_i = dut.dat_ready_i = 0;
	std::memset(offered, 0, sizeof(offered));
	std::memset(words_offered, 0, sizeof(words_offered));
	inside = looked = is_offered = verdict_due = false;
	busies.clear();
	bench.reset();
	for (unsigned int i = 0; i < Groups; i++) {
		mtus[i] = 256u << rng.below(5);
		dut.group_write_i = 1;
		dut.group_index_i = i;
		dut.group_mtu_i = mtus[i];
		bench.tick();
	}
	dut.group_write_i = 0;
}

void In::fill(Message &m, Source source)
{
	static const uint16_t flags[] = { TALLY_TCH_F_CP, TALLY_TCH_F_SWP_MP, TALLY_TCH_F_CP | TALLY_TCH_F_SWP_MP, 0 };
	static const uint8_t types[] = { TALLY_TYPE_INT32, TALLY_TYPE_FP64, TALLY_TYPE_BF16, TALLY_TYPE_UINT8, TALLY_TYPE_NONE };
	const bool wild = source == Packet && rng.one_in(4);

	m = {};
	m.m.opcode = wild && rng.one_in(4) ? rng.below(32) : TALLY_OPCODE_REDUCE_MP + rng.below(3);
	m.m.op = wild ? rng.below(40) : rng.one_in(3) ? uint8_t(TALLY_OP_NONE) : uint8_t(TALLY_OP_SUM);
	m.m.dtype = wild && rng.one_in(3) ? rng.below(256) : types[rng.below(4 + wild)];
	m.m.flags = flags[rng.below(3 + wild)] | (rng.next() & ~(TALLY_TCH_F_CP | TALLY_TCH_F_SWP_MP));
	m.m.counter = wild && rng.one_in(4) ? rng.below(rng.one_in(2) ? 8 : 256) : rng.below(TALLY_NUM_CP_COUNTERS);
	m.m.branch = wild && rng.one_in(4) ? 0 : 1 + rng.below(255);
	m.m.err_vector = rng.next();
	m.m.count = rng.next();
	m.m.port = rng.next();
	m.group = rng.below(Groups);
	if ((m.m.flags & TALLY_TCH_F_SWP_MP) || wild)
		m.m.len = rng.one_in(3) ? 0 : 1 + rng.below(rng.one_in(2) ? 200 : wild ? TALLY_MAX_MTU : mtus[m.group]);
	m.edge = rng.below(TALLY_CONTRIB_PARENT + 1);
	m.flight = rng.below(8);
	m.qp = rng.below(Qps);
	m.seq = rng.next();
	m.data.resize((m.m.len + 63) / 64 * 64);
	rng.fill(m.data.data(), m.data.size());
}

static void put_message(uint32_t *to, const in_message &m)
{
	std::memset(to, 0, 4 * bits::message_words);
	bits::Fields(to, bits::message_bits)(1, !!(m.flags & TALLY_TCH_F_SWP_MP))(1, !!(m.flags & TALLY_TCH_F_CP))(8, m.branch)(8, m.op)(
		8, m.dtype)(32, m.count)(16, m.err_vector)(13, m.len)(8, m.counter);
}

void In::offer(Source source)
{
	Message &m = next[source];
	uint32_t rec[bits::rx_words], message[bits::message_words];

	offered[source] = true;
	fill(m, source);
	put_message(message, m.m);
	if (source == Self) {
		dut.self_group_i = m.group;
		dut.self_port_i = m.m.port;
		std::memcpy(&dut.self_i, message, sizeof(message));
	} else if (source == Own) {
		dut.own_group_i = m.group;
		dut.own_qp_i = m.qp;
		std::memcpy(&dut.own_i, message, sizeof(message));
	} else {
		for (uint32_t &w : rec)
			w = rng.next();
		rec[bits::rx_words - 1] &= (1u << bits::rx_bits % 32) - 1;
		bits::put(rec, bits::payload_len_bit, 13, m.m.len);
		bits::put(rec, TCH_BIT(opcode, 8), 8, m.m.opcode);
		bits::put(rec, TCH_BIT(op, 8), 8, m.m.op);
		bits::put(rec, TCH_BIT(dtype, 8), 8, m.m.dtype);
		bits::put(rec, TCH_BIT(branch, 8), 8, m.m.branch);
		bits::put(rec, TCH_BIT(counter, 8), 8, m.m.counter);
		bits::put(rec, TCH_BIT(flags, 16), 16, m.m.flags);
		bits::put(rec, TCH_BIT(err_vector, 16), 16, m.m.err_vector);
		bits::put(rec, TCH_BIT(port, 16), 16, m.m.port);
		bits::put(rec, TCH_BIT(count, 32), 32, m.m.count);
		bits::put(rec, TCH_BIT(edge_seq, 32), 32, m.seq);
		std::memcpy(&dut.rec_i, rec, sizeof(rec));
		dut.adm_i = m.group << 8 | m.edge;
		dut.flight_i = m.flight;
	}
}

// Words are offered once their message is inside; those of own data are there before.
void In::drive_words()
{
	static uint8_t zeros[64];

	for (int s = 0; s < Sources; s++) {
		const bool more = inside && from == s && now.sent < now.data.size() / 64;

		words_offered[s] = more && (words_offered[s] || word.go());
	}
	const uint8_t *data = inside && now.sent < now.data.size() / 64 ? &now.data[now.sent * 64] : zeros;
	dut.pay_tvalid_i = words_offered[Packet];
	dut.self_tvalid_i = words_offered[Self];
	dut.own_tvalid_i = words_offered[Own];
	std::memcpy(&dut.pay_tdata_i, data, 64);
	std::memcpy(&dut.self_tdata_i, data, 64);
	std::memcpy(&dut.own_tdata_i, data, 64);
}

void In::drive_rest()
{
	for (int s = 0; s < Sources; s++)
		if (!offered[s] && !(inside && from == s) && ask.go())
			offer(static_cast<Source>(s));
	dut.rec_valid_i = offered[Packet] && !(inside && from == Packet);
	dut.self_valid_i = offered[Self];
	dut.own_valid_i = offered[Own];
	drive_words();
	dut.end_ready_i = last.go();
	dut.busy_ready_i = bench.cycle() >> 12 & 1 ? rng.one_in(800) : busy.go(); // now and then they are full
	dut.in_ready_i = in.go();
	dut.dat_ready_i = dat.go();
	dut.find_ready_i = 0;
	dut.found_i = rng.one_in(2); // is an answer only with find_ready_i
	dut.found_works_i = rng.one_in(2);
	dut.found_qp_i = rng.below(Qps);
	dut.verdict_valid_i = verdict_due && rng.one_in(3);
	dut.verdict_stored_i = from == Own || rng.below(4);
	dut.quiet_qp_i = inside && rng.one_in(2) ? now.qp : rng.below(Qps);
}

void In::begin(Source source)
{
	CHECK(!inside, "two messages at once");
	begun++;
	inside = true;
	from = source;
	now = next[source];
	possible = source != Packet || in_possible(&now.m, mtus[now.group]);
	looked = source == Own || !possible;
	exists = works = source == Own;
	is_offered = verdict_due = judged = stored = refused = false;
	given = 0;
	if (source == Packet)
		offered[Packet] = false;
}

// The search for a port answers.
void In::found()
{
	CHECK(!looked, "a search that nobody needs");
	CHECK(dut.find_group_o == now.group && dut.find_port_o == now.m.port, "a search for port %u", dut.find_port_o);
	if (!rng.one_in(3))
		return;
	exists = rng.below(8);
	works = exists && rng.below(8);
	now.qp = rng.below(Qps);
	dut.find_ready_i = 1;
	dut.found_i = exists;
	dut.found_works_i = works || (!exists && rng.one_in(2));
	dut.found_qp_i = now.qp;
	looked = true;
	refused = !works;
}

void In::take_header()
{
	uint32_t want[bits::message_words];

	CHECK(inside && looked && works && possible && !is_offered, "a message that nobody has sent");
	put_message(want, now.m);
	CHECK(!std::memcmp(&dut.in_o, want, sizeof(want)), "another message");
	CHECK(dut.in_own_o == (from == Own), "own data or not");
	CHECK(dut.in_qp_o == now.qp && dut.in_group_o == now.group, "queue pair %u, not %u", dut.in_qp_o, now.qp);
	CHECK(from == Own || dut.in_contributor_o == (from == Packet ? now.edge : TALLY_CONTRIB_SELF), "contributor %u",
	      dut.in_contributor_o);
	if (!dut.in_ready_i)
		return;
	is_offered = verdict_due = true;
}

void In::judge(bool yes)
{
	verdict_due = false;
	judged = true;
	stored = yes;
	refused = !yes;
}

void In::take_words()
{
	const bool taken[Sources] = { static_cast<bool>(dut.pay_tready_o), static_cast<bool>(dut.self_tready_o),
				      static_cast<bool>(dut.own_tready_o) };

	if (dut.dat_valid_o) {
		CHECK(judged && stored && given < now.data.size() / 64, "words of nothing");
		CHECK(!std::memcmp(&dut.dat_o, &now.data[given * 64], 64), "word %zu is another one", given);
		given += dut.dat_ready_i;
	}
	for (int s = 0; s < Sources; s++) {
		if (!words_offered[s] || !taken[s])
			continue;
		now.sent++;
		words_offered[s] = false;
	}
}

void In::end()
{
	const size_t words = now.data.size() / 64;

	CHECK(inside && (judged || refused || !possible), "an end without a reason");
	CHECK(given == (stored ? words : 0), "%zu words were given", given);
	CHECK(now.sent == (from == Packet ? words : given), "%zu of %zu words were taken", now.sent, words);
	count[from][stored ? 0 : !possible ? 2 : exists && works ? 1 : 3]++;
	inside = false;
	if (from != Packet)
		offered[from] = false;
}

void In::check_ends()
{
	const unsigned int self = stored ? 0 : works ? 1 : 2;

	if (dut.end_valid_o) {
		CHECK(inside && from == Packet, "a flight ends that has not begun");
		CHECK(dut.end_flight_o == now.flight && dut.end_stored_o == stored, "flight %u, stored %d", dut.end_flight_o,
		      dut.end_stored_o);
		if (dut.end_ready_i) {
			CHECK(dut.unsaid_o == (refused && full), "a refusal is left out or not");
			unsaid += dut.unsaid_o;
			if (refused && !full)
				busies.push_back({ now.group, now.edge, now.seq });
			end();
		}
	} else if (dut.self_ready_o) {
		CHECK(from == Self && dut.self_o == self, "a message to this node ends with %u, not %u", dut.self_o, self);
		end();
	} else if (dut.own_ready_o) {
		CHECK(from == Own, "own data end that have not begun");
		end();
	}
}

void In::check_busy()
{
	if (!dut.busy_valid_o)
		return;
	CHECK(!busies.empty(), "a refusal too many");
	const Busy &b = busies.front();

	CHECK(dut.busy_reply_o == (uint64_t(b.group) << 40 | uint64_t(b.edge) << 32 | b.seq), "another refusal");
	if (dut.busy_ready_i)
		busies.pop_front();
}

// Quiet is only what certainly does not concern a queue pair.
void In::check_quiet()
{
	if (!inside)
		CHECK(dut.quiet_o && !dut.busy_o, "something is inside");
	else if (looked && works && !judged && now.qp == dut.quiet_qp_i)
		CHECK(!dut.quiet_o, "quiet with a message for queue pair %u", now.qp);
	else if (dut.find_valid_o)
		CHECK(!dut.quiet_o, "quiet while a message of any queue pair is searched for");
	else if (judged && now.qp != dut.quiet_qp_i)
		CHECK(dut.quiet_o, "not quiet for queue pair %u", dut.quiet_qp_i);
}

void In::cycle()
{
	drive_rest();
	bench.settle();
	check_quiet();
	if (dut.find_valid_o)
		found();
	bench.settle();
	const bool packet = dut.rec_valid_i && dut.rec_ready_o, was_inside = inside;
	const bool drops = dut.dropped_o;
	full = busies.size() == Busies;

	CHECK(!words_offered[Self] || dut.self_wants_o == (judged && stored), "words of this node are wanted or not");
	if (dut.in_valid_o)
		take_header();
	else if (dut.verdict_valid_i)
		judge(dut.verdict_stored_i);
	take_words();
	check_busy();
	check_ends();
	CHECK(!drops || (was_inside && !possible), "%u: operation %u, type %u, branch %u, counter %u, flags %x, %u of %u bytes: dropped", now.m.opcode, now.m.op,
	      now.m.dtype, now.m.branch, now.m.counter, now.m.flags, now.m.len, mtus[now.group]);
	if (packet)
		begin(Packet);
	bench.tick();
	// What is taken of the others shows only when it is offered or looked for.
	if (!inside && !was_inside && dut.busy_o) {
		if (dut.find_valid_o)
			begin(Self);
		else
			begin(Own);
	}
}

int In::run()
{
	bench.live(bench.times(300000), [this] { restart(); }, [this] { cycle(); });
	for (int s = 0; s < Sources; s++)
		CHECK(count[s][0] > 200, "few messages of source %d are stored", s);
	CHECK(count[Packet][1] && count[Packet][2] && count[Packet][3] && count[Self][1] && count[Self][3] && unsaid,
	      "packets: %llu refused, %llu impossible, %llu for nobody, %llu unsaid; own: %llu refused, %llu for nobody",
	      static_cast<unsigned long long>(count[Packet][1]), static_cast<unsigned long long>(count[Packet][2]),
	      static_cast<unsigned long long>(count[Packet][3]), static_cast<unsigned long long>(unsaid),
	      static_cast<unsigned long long>(count[Self][1]), static_cast<unsigned long long>(count[Self][3]));
	return bench.finish();
}

int main(int argc, char **argv)
{
	return In(argc, argv).run();
}
