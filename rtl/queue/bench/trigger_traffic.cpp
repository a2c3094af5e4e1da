// SPDX-License-Identifier: BSD-2-Clause
// Traffic of tally_trigger: descriptors of several queue pairs, messages of neighbours and of the node to itself, accesses to memory,
// acknowledgements, repetitions, time limits and commands come at the same time. The engine's message queue (rmq.c, sum.c) does each
// operation when tally_rmq decides it, and its request processor (trigger.c) says what follows when a descriptor fires: verdicts, what
// leaves for whom, what is written, and what tally_status is told must be the same.
#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "Vdut.h"
#include "bench.h"
#include "queue_model.h"
#include "trigger_bits.h"
#include "trigger_fired_model.h"
#include "trigger_setup.h"

extern "C" {
#include "alu/alu.h"
#include "gen/tally_fw_hw.h"
}

namespace {

constexpr unsigned int word_bytes = 64, contributors = 5;
constexpr uint64_t clock_ps = 4000;
using Data = std::vector<uint8_t>;
enum Step { Message, Own, Arm, GiveUp, Flush };
enum End { Sent, Waits, Dropped };

struct Kind {
	uint8_t op, dtype;
};

struct Desc { // a request, from its begin on
	bool used = false, begun = false, has_fired = false;
	unsigned int qp = 0, entry = 0, tag = 0;
	uint64_t since = 0;
	bits::Request r = {};
	Data list, own, payload; // as in memory; as it is used; that of its message or result
	struct fired f = {};
	uint64_t todo = 0;
	bool parent = false, self = false, written = true, refused = false;
	bool lost = false;     // memory has refused its own data, and nobody was told yet
	bool doubtful = false; // the queue pair of its message to this node may not work
	unsigned int flying = 0;
	std::map<unsigned int, uint32_t> numbers; // of its packets, by edge
};

struct Packet {
	unsigned int desc, edge;
	uint32_t seq;
	uint64_t heard; // when it may be acknowledged: some clocks after its last word has left
};

struct Incoming {
	unsigned int qp = 0, from = 0, flight = 0, port = 0;
	uint8_t flags = 0, branch = 0, op = 0, dtype = 0, counter = 0;
	uint16_t err_vector = 0, len = 0;
	uint32_t count = 0, seq = 0;
	Data data;
	size_t sent = 0;
	bool offered = false, inside = false, judged = false, stored = false, doubtful = false;
	bool said = false;	// that it is refused, or that nobody is told
};

struct Access {
	unsigned int tag = 0;
	bool write = false, fails = false;
	Data data;
	size_t at = 0;
	uint64_t when = 0;
};

void put_words(Data &data)
{
	data.resize((data.size() + word_bytes - 1) / word_bytes * word_bytes);
}

} // namespace

class Trigger {
public:
	Trigger(const char *name, int argc, char **argv) : bench(name, argc, argv), dut(*bench.dut), rng(bench.rng), model(nullptr, model_free) {}
	int run();

private:
	void restart();
	void cycle();
	void drain();
	void starve();
	void starved_descriptor(unsigned int qp);
	// The sides of the block.
	void drive_begin();
	void fill(Desc &d);
	void fill_data(Desc &d);
	void drive_packets();
	void fill_packet(unsigned int qp);
	void put_packet();
	void drive_rows();
	void drive_memory();
	void drive_wire();
	void drive_commands();
	void put_request(const Desc &d);
	// What happens in a clock.
	void step();
	void after(unsigned int port, bool gives_up);
	void fires(Desc &d, const model_fire &fire);
	void take_begin();
	void take_status();
	void take_end(Desc &d);
	void take_packets();
	Access *filled();
	void take_memory();
	void take_wire();
	void has_left();
	void take_head();
	void take_exceptions();
	void take_commands();
	void forget(unsigned int qp);
	Desc &by_entry(unsigned int entry);
	Desc &by_tag(unsigned int tag);

	tally::Bench<Vdut> bench;
	Vdut &dut;
	tally::Rng &rng;
	std::unique_ptr<struct model, void (*)(struct model *)> model;
	tally::Throttle begins{ rng }, packets{ rng }, words{ rng }, memory{ rng }, head{ rng }, pay{ rng }, acks{ rng }, status{ rng };
	uint64_t now = 0, limit = 0;
	Desc descs[Entries];
	int waiting[Qps] = {};	 // entry of the descriptor that is armed
	bool works[Qps] = {}, stopping[Qps] = {}, flushed[Qps] = {}, doomed[Qps] = {};
	int begin_entry = -1, row_entry = -1, cmd_qp = -1, again_at = -1;
	unsigned int row_wait = 0, quiet = 0;
	bool cmd_reset = false, draining = false, alone = false, wake_due = false, calm = false;
	Incoming in;
	std::deque<std::pair<unsigned int, uint32_t>> busies;
	std::deque<Access> reads, writes;
	bool line = false;
	unsigned int line_entry = 0;
	size_t line_at = 0;
	std::vector<Packet> flying;
	Packet leaving = {};
	Data leaving_data;	// a copy, since the descriptor may end before its last word has left
	size_t leaving_at = 0, leaving_len = 0;
	uint32_t seq = 0;
	setup::Alu alu;
	Kind kind = { TALLY_OP_SUM, TALLY_TYPE_INT32 };
	uint32_t count = 1;
	unsigned int branch = 2, slow_ = 3;
	uint64_t ended = 0, spoilt = 0, starvations = 0, exceptions = 0, begun = 0, arrived = 0, given_up = 0, give_ups = 0, resets = 0, selfs = 0, repeats = 0, refusals = 0, faults = 0, flags = 0,
		 inlines = 0;
};

Desc &Trigger::by_entry(unsigned int entry)
{
	CHECK(descs[entry].used, "entry %u has no descriptor", entry);
	return descs[entry];
}

Desc &Trigger::by_tag(unsigned int tag)
{
	for (Desc &d : descs)
		if (d.used && d.begun && d.tag == tag)
			return d;
	tally::fail("descriptor %u does not exist", tag);
}

void Trigger::restart()
{
	dut.begin_valid_i = dut.cmd_valid_i = dut.got_valid_i = dut.inl_valid_i = dut.done_valid_i = dut.out_valid_i = dut.rec_valid_i = 0;
	dut.pay_tvalid_i = dut.acked_valid_i = dut.again_valid_i = dut.wake_i = 0;
	setup::idle(dut);
	model.reset(model_new(Qps, Groups, Cells));
	for (Desc &d : descs)
		d = {};
	for (unsigned int q = 0; q < Qps; q++) {
		waiting[q] = -1;
		works[q] = stopping[q] = flushed[q] = doomed[q] = false;
	}
	begin_entry = row_entry = cmd_qp = again_at = -1;
	in = {};
	busies.clear();
	reads.clear();
	writes.clear();
	line = wake_due = draining = alone = false;
	flying.clear();
	leaving_data.clear();
	leaving_at = leaving_len = 0;
	alu.clear();
	quiet = 0;
	calm = rng.one_in(2);
	limit = (20000 + rng.below(20000)) * clock_ps;
	dut.now_i = now;
	bench.reset();
	unsigned int cells[Groups];

	for (unsigned int g = 0; g < Groups; g++) {
		cells[g] = rng.one_in(2) ? rng.below(Cells / Groups / 2) : 0;
		CHECK(model_reserve(model.get(), g, cells[g], 0), "the model has no %u cells", cells[g]);
	}
	setup::configure(bench, limit, cells);
}

// ---- Descriptors ----

void Trigger::fill_data(Desc &d)
{
	const unsigned int elem = 1u << d.r.elem_log;
	const bool gives = !(d.r.flags & TALLY_WQE_F_SWP_FLAG) || (d.r.flags & TALLY_WQE_F_RFLAG);

	d.r.give_len = gives ? d.r.count << d.r.give_log : 0;
	d.r.get_len = d.r.count * elem;
	d.list.resize(d.r.give_len);
	rng.fill(d.list.data(), d.list.size());
	d.own.assign(d.r.count * elem, 0);
	if (!gives)
		return;
	d.r.num_gather = rng.below(3) && d.r.give_len ? 1 : 0;
	if (d.r.flags & TALLY_WQE_F_LOC_VALUES)
		alu_expand_loc(d.r.dtype, d.own.data(), d.list.data(), d.r.count, d.r.loc_index);
	else
		d.own = d.list;
}

void Trigger::fill(Desc &d)
{
	const bool wild = !calm && rng.one_in(6), loc = kind.op == TALLY_OP_MINLOC;
	bits::Request &r = d.r;

	r = {};
	r.opcode = TALLY_OPCODE_REDUCE_MP + rng.below(3);
	r.op = kind.op;
	r.dtype = kind.dtype;
	r.elem_log = __builtin_ctz(alu_elem_size(r.op, r.dtype));
	r.count = wild ? rng.below(9) : count;
	r.flags = rng.next() & (TALLY_WQE_F_CP | TALLY_WQE_F_SWP_MP | TALLY_WQE_F_TO_PARENT | TALLY_WQE_F_TO_SELF | TALLY_WQE_F_FLAG_WORD);
	if (!rng.one_in(4))
		r.flags |= TALLY_WQE_F_SWP_FLAG;
	if (r.opcode == TALLY_OPCODE_REDUCE_MP && (r.flags & TALLY_WQE_F_SWP_FLAG) && rng.one_in(2))
		r.flags |= TALLY_WQE_F_RFLAG;
	if (!(r.flags & (TALLY_WQE_F_CP | TALLY_WQE_F_SWP_MP)))
		r.flags |= TALLY_WQE_F_CP;
	if (loc && rng.one_in(2))
		r.flags |= TALLY_WQE_F_LOC_VALUES;
	r.give_log = r.flags & TALLY_WQE_F_LOC_VALUES ? __builtin_ctz(alu_value_size(r.dtype)) : r.elem_log;
	// Only a reduction minds that a single message is of another operation.
	if (!loc && r.opcode != TALLY_OPCODE_REDUCE_MP && rng.one_in(4))
		r.op = rng.one_in(2) ? TALLY_OP_NONE : TALLY_OP_MIN;
	r.loc_index = rng.next() & 0xffffff;
	r.branch = 1 + rng.below(3);
	r.counter = calm || rng.one_in(2) ? 0 : rng.below(TALLY_NUM_CP_COUNTERS);
	r.dest_counter = rng.below(TALLY_NUM_CP_COUNTERS);
	if (calm)
		r.flags |= TALLY_WQE_F_SWP_FLAG;
	if (calm && (r.flags & TALLY_WQE_F_TO_SELF))
		r.dest_counter = 3;
	r.cpcnt = wild ? rng.below(contributors + 1) : branch;
	if (rng.one_in(20) && r.cpcnt)
		r.cpcnt--;
	r.dest_port = rng.one_in(12) ? 77 : d.qp % Groups + Groups * rng.below(Qps / Groups);
	r.err_vector = rng.one_in(8) ? 1u << rng.below(5) : 0;
	r.node_mask = rng.one_in(3) ? 0 : rng.next() & rng.next() & ((1u << contributors) - 1);
	r.num_result = rng.one_in(2);
	r.mid = rng.next();
	r.rank_mask = rng.next();
	fill_data(d);
}

void Trigger::drive_begin()
{
	if (begin_entry < 0 && begins.go() && !draining && !alone && rng.one_in(8)) {
		const unsigned int entry = rng.below(Entries), qp = rng.below(Qps);

		if (!descs[entry].used && works[qp] && !stopping[qp]) {
			Desc &d = descs[entry];

			d = {};
			d.used = true;
			d.qp = qp;
			d.entry = entry;
			fill(d);
			begin_entry = static_cast<int>(entry);
		}
	}
	dut.begin_valid_i = begin_entry >= 0;
	if (begin_entry < 0)
		return;
	dut.begin_qp_i = descs[begin_entry].qp;
	dut.begin_entry_i = begin_entry;
	setup::of_group(dut, descs[begin_entry].qp % Groups);
}

void Trigger::take_begin()
{
	if (begin_entry < 0 || !dut.begin_ready_o)
		return;
	Desc &d = descs[begin_entry];

	unsigned int used = 0;
	for (const Desc &o : descs)
		used += o.used && o.begun && o.qp == d.qp;
	if (dut.begin_took_o) {
		CHECK(waiting[d.qp] < 0 && used < TALLY_SEND_BUFS, "descriptor %u must not begin", begin_entry);
		d.begun = true;
		begun++;
		d.tag = dut.begin_desc_o;
		d.since = now;
		waiting[d.qp] = begin_entry;
	} else {
		d.used = false; // the sender forgets about it here
	}
	begin_entry = -1;
}

// ---- Rows of requests ----

void Trigger::put_request(const Desc &d)
{
	uint32_t words_[bits::request_words], row[7];

	for (uint32_t &w : words_)
		w = rng.next();
	words_[bits::request_words - 1] &= (1u << bits::request_bits % 32) - 1;
	bits::put_request(words_, d.r);
	std::memcpy(&dut.got_i, words_, sizeof(words_));
	std::memset(row, 0, sizeof(row));
	bits::Fields(row, 209)(16, d.qp + 5)(1, 0)(64, 0x1000 + d.entry)(32, d.entry + 7)(64, 0x2000 + d.entry)(32, d.entry + 9);
	std::memcpy(&dut.got_row_i, row, sizeof(row));
}

void Trigger::drive_rows()
{
	dut.row_ready_i = row_entry < 0 && rng.below(4);
	dut.got_valid_i = row_entry >= 0 && !row_wait;
	if (dut.got_valid_i)
		put_request(by_entry(row_entry));
}

// ---- Messages of neighbours ----

void Trigger::fill_packet(unsigned int qp)
{
	const bool wild = !alone && rng.one_in(calm ? 100 : 12);

	in = {};
	in.qp = qp;
	in.from = rng.below(contributors);
	in.flight = rng.below(8);
	in.op = kind.op;
	in.dtype = kind.dtype;
	in.count = wild ? rng.below(9) : count;
	in.flags = rng.one_in(calm ? 60 : 8) ? TALLY_TCH_F_CP : rng.one_in(calm ? 60 : 10) ? TALLY_TCH_F_SWP_MP : TALLY_TCH_F_CP | TALLY_TCH_F_SWP_MP;
	in.branch = wild ? 1 + rng.below(4) : branch;
	in.counter = waiting[in.qp] < 0 || rng.one_in(8) ? rng.below(TALLY_NUM_CP_COUNTERS) : descs[waiting[in.qp]].r.counter;
	in.err_vector = rng.one_in(10) ? 1u << rng.below(5) : 0;
	in.port = rng.one_in(30) ? 99 : in.qp;
	in.seq = rng.next();
}

void Trigger::put_packet()
{
	uint32_t rec[bits::rx_words];

	if (!(in.flags & TALLY_TCH_F_SWP_MP))
		in.count = 0;
	in.offered = true;
	in.len = in.count * alu_elem_size(in.op, in.dtype);
	in.data.resize(in.len);
	rng.fill(in.data.data(), in.len);
	for (uint32_t &w : rec)
		w = rng.next();
	rec[bits::rx_words - 1] &= (1u << bits::rx_bits % 32) - 1;
	bits::put(rec, bits::payload_len_bit, 13, in.len);
	bits::put(rec, TCH_BIT(opcode, 8), 8, TALLY_OPCODE_PUT_MP);
	bits::put(rec, TCH_BIT(op, 8), 8, in.op);
	bits::put(rec, TCH_BIT(dtype, 8), 8, in.dtype);
	bits::put(rec, TCH_BIT(branch, 8), 8, in.branch);
	bits::put(rec, TCH_BIT(counter, 8), 8, in.counter);
	bits::put(rec, TCH_BIT(flags, 16), 16, in.flags);
	bits::put(rec, TCH_BIT(err_vector, 16), 16, in.err_vector);
	bits::put(rec, TCH_BIT(port, 16), 16, in.port);
	bits::put(rec, TCH_BIT(count, 32), 32, in.count);
	bits::put(rec, TCH_BIT(edge_seq, 32), 32, in.seq);
	std::memcpy(&dut.rec_i, rec, sizeof(rec));
	dut.adm_i = in.qp % Groups << 8 | in.from;
	dut.flight_i = in.flight;
}

void Trigger::drive_packets()
{
	if (!in.offered && !in.inside && packets.go() && !draining && !alone && rng.one_in(slow_)) {
		fill_packet(rng.below(Qps));
		if (waiting[in.qp] < 0 && !rng.one_in(8))
			in = {};
		else
			put_packet();
	}
	in.doubtful = in.doubtful || ((in.offered || in.inside) && (!works[in.qp] || stopping[in.qp]));
	dut.rec_valid_i = in.offered;
	const bool more = in.inside && in.sent < in.data.size();

	if (more && (dut.pay_tvalid_i || words.go())) {
		uint8_t word[word_bytes];

		rng.fill(word, sizeof(word));
		std::memcpy(word, &in.data[in.sent], std::min<size_t>(word_bytes, in.data.size() - in.sent));
		if (!dut.pay_tvalid_i)
			std::memcpy(&dut.pay_tdata_i, word, sizeof(word));
		dut.pay_tvalid_i = 1;
	} else {
		dut.pay_tvalid_i = 0;
	}
	dut.end_flight_ready_i = rng.below(3) != 0;
	dut.busy_ready_i = rng.below(3) != 0;
}

void Trigger::take_packets()
{
	CHECK(!dut.dropped_o, "a possible message is dropped");
	if (dut.pay_tvalid_i && dut.pay_tready_o) {
		in.sent += word_bytes;
		dut.pay_tvalid_i = 0;
	}
	in.said |= dut.unsaid_o;
	if (dut.busy_valid_o && dut.busy_ready_i) {
		// It may come before the end of its flight.
		if (busies.empty()) {
			CHECK(in.inside && !in.said, "a refusal that nobody knows of");
			in.said = true;
			busies.push_back({ in.from, in.seq });
		}
		CHECK(uint32_t(dut.busy_reply_o) == busies.front().second, "another packet is refused");
		busies.pop_front();
	}
	if (dut.end_flight_valid_o && dut.end_flight_ready_i) {
		CHECK(in.inside && dut.end_flight_o == in.flight && in.sent >= in.data.size(), "flight %u ends", dut.end_flight_o);
		CHECK(dut.end_stored_o == (in.judged && in.stored), "stored is %d", dut.end_stored_o);
		CHECK(in.judged || in.doubtful || in.port != in.qp, "a message is refused though its queue pair %u works", in.qp);
		arrived += in.stored;
		CHECK(!dut.end_stored_o || !in.said, "a message is refused, and stored");
		if (!dut.end_stored_o && !in.said)
			busies.push_back({ in.from, in.seq });
		refusals += in.judged && !in.stored;
		in.inside = false;
	}
	if (in.offered && dut.rec_ready_o) {
		in.offered = false;
		in.inside = true;
	}
}

// ---- Memory ----

// The write whose words come next. Those before it may not have ended.
Access *Trigger::filled()
{
	for (Access &w : writes)
		if (w.at < w.data.size())
			return &w;
	return nullptr;
}

void Trigger::drive_memory()
{
	dut.acc_ready_i = memory.go();
	dut.dat_ready_i = filled() && memory.go();
	dut.done_valid_i = dut.out_valid_i = 0;
	if (!writes.empty() && writes.front().at >= writes.front().data.size() && bench.cycle() >= writes.front().when) {
		dut.done_valid_i = 1;
		dut.done_desc_i = writes.front().tag;
		dut.done_failed_i = writes.front().fails;
	} else if (!reads.empty() && bench.cycle() >= reads.front().when && memory.go()) {
		const Access &a = reads.front();
		const bool refused = a.fails && a.tag % 2;

		if (refused) {
			dut.done_valid_i = 1;
			dut.done_desc_i = a.tag;
			dut.done_failed_i = 1;
		} else {
			dut.out_valid_i = 1;
			dut.out_desc_i = a.tag;
			dut.out_last_i = a.at + word_bytes >= a.data.size();
			dut.out_error_i = dut.out_last_i && a.fails;
			std::memcpy(&dut.out_data_i, &a.data[a.at], word_bytes);
		}
	}
	dut.line_ready_i = !line && rng.below(2);
	dut.inl_valid_i = line;
	if (line) {
		Data data = by_entry(line_entry).list;

		put_words(data);
		std::memcpy(&dut.inl_data_i, &data[line_at], word_bytes);
	}
}

void Trigger::take_memory()
{
	if (dut.done_valid_i) {
		const bool of_write = !writes.empty() && writes.front().tag == dut.done_desc_i && writes.front().at >= writes.front().data.size() &&
				      bench.cycle() >= writes.front().when;

		if (of_write) {
			by_tag(dut.done_desc_i).written = true;
			writes.pop_front();
		} else {
			by_tag(reads.front().tag).lost = true;
			reads.pop_front();
		}
	} else if (dut.out_valid_i) {
		reads.front().at += word_bytes;
		if (dut.out_error_i)
			by_tag(reads.front().tag).lost = true;
		if (dut.out_last_i)
			reads.pop_front();
	}
	if (dut.dat_valid_o && dut.dat_ready_i) {
		Access &w = *filled();
		const Desc &d = by_tag(w.tag);
		const size_t n = std::min<size_t>(word_bytes, d.r.get_len - w.at);

		CHECK(!std::memcmp(&dut.dat_o, &d.payload[w.at], n), "descriptor %u writes other words at %zu", w.tag, w.at);
		w.at += word_bytes;
		w.when = bench.cycle() + rng.below(40);
	}
	if (line && dut.inl_ready_o) {
		line_at += word_bytes;
		line = line_at < by_entry(line_entry).list.size();
		inlines += !line;
	} else if (dut.line_valid_o && dut.line_ready_i) {
		const Desc &d = by_entry(dut.line_entry_o);

		CHECK(!d.r.num_gather && dut.line_from_o == 0 && dut.line_len_o == d.list.size(), "%u bytes of a line", dut.line_len_o);
		line = true;
		line_entry = dut.line_entry_o;
		line_at = 0;
	}
	if (!dut.acc_valid_o || !dut.acc_ready_i)
		return;
	uint32_t acc[4];
	std::memcpy(acc, &dut.acc_o, sizeof(acc));
	bits::Fields f(acc, 127);
	Access a;
	Desc &d = by_tag(dut.acc_desc_o);

	CHECK(!f.take(1), "an access to nothing");
	a.tag = dut.acc_desc_o;
	a.write = f.take(1);
	a.fails = rng.one_in(a.write ? 80 : 25);
	a.when = bench.cycle() + rng.below(100);
	CHECK(f.take(16) == d.qp + 5, "another protection domain");
	CHECK(f.take(32) == d.entry + (a.write ? 9 : 7), "another key");
	CHECK(f.take(64) == d.entry + (a.write ? 0x2000u : 0x1000u), "another address");
	if (a.write) {
		CHECK(d.has_fired && d.f.writes && f.take(13) == d.r.get_len, "descriptor %u writes", a.tag);
		d.written = false;
		d.refused = a.fails;
		a.data.resize((d.r.get_len + word_bytes - 1) / word_bytes * word_bytes);
		writes.push_back(a);
	} else {
		CHECK(d.r.num_gather && f.take(13) == d.list.size(), "descriptor %u reads", a.tag);
		a.data = d.list;
		put_words(a.data);
		reads.push_back(a);
	}
}

// ---- The wire ----

void Trigger::drive_wire()
{
	dut.head_ready_i = 0;
	dut.txp_tready_i = pay.go();
	dut.wake_i = wake_due && rng.one_in(4);
	wake_due = wake_due && !dut.wake_i;
	if (!dut.acked_valid_i && !flying.empty() && acks.go() && rng.one_in(2)) {
		const size_t at = rng.below(flying.size());
		const Packet p = flying[at];
		uint32_t sent[3] = {};

		if (!stopping[by_tag(p.desc).qp] && bench.cycle() >= p.heard) {
			bits::Fields(sent, 72)(16, 0)(8, p.edge)(16, p.desc | 1u << 14)(32, p.seq);
			std::memcpy(&dut.acked_i, sent, sizeof(sent));
			dut.acked_valid_i = 1;
			flying.erase(flying.begin() + static_cast<ptrdiff_t>(at));
		}
	}
	if (!dut.again_valid_i && !flying.empty() && rng.one_in(60)) {
		const Packet &p = flying[rng.below(flying.size())];
		uint32_t sent[3] = {};

		if (!stopping[by_tag(p.desc).qp] && bench.cycle() >= p.heard) {
			bits::Fields(sent, 72)(16, 0)(8, p.edge)(16, p.desc | 1u << 14)(32, p.seq);
			std::memcpy(&dut.again_i, sent, sizeof(sent));
			dut.again_valid_i = 1;
		}
	}
}

// The header of a packet is offered.
void Trigger::take_head()
{
	uint32_t source[11];
	std::memcpy(source, &dut.head_o, sizeof(source));
	bits::Fields s(source, 346);

	CHECK(s.take(8) == TALLY_KIND_TRIGGER && !s.take(1), "another kind");
	const bool again = s.take(1);
	const unsigned int group = s.take(16);
	const unsigned int edge = s.take(8), ref = s.take(16);
	const uint32_t number = s.take(32);
	CHECK(ref >> 14 == 1, "another reference");
	Desc &d = by_tag(ref & ((1u << 14) - 1));
	const fired &f = d.f;

	CHECK(d.has_fired, "descriptor %u has not fired", d.tag);
	CHECK(group == d.qp % Groups, "another group");
	s.skip(bits::source_message_bits - bits::trigger_bits);
	CHECK(s.take(8) == f.opcode && s.take(8) == f.op && s.take(8) == f.dtype && s.take(8) == f.branch, "another Branch or Rtype");
	CHECK(s.take(32) == f.mid && s.take(32) == f.count, "another message or count");
	CHECK(s.take(8) == f.counter && s.take(16) == f.port, "another counter or port");
	CHECK(s.take(1) == !!(f.flags & TALLY_TCH_F_CP) && s.take(1) == !!(f.flags & TALLY_TCH_F_SWP_MP), "other flags");
	CHECK(s.take(13) == f.bytes && s.take(16) == f.err_vector, "another length or error");
	const bool parent = edge == TALLY_CONTRIB_PARENT;

	CHECK(!again || (d.numbers.count(edge) && d.numbers[edge] == number), "packet %u of descriptor %u to edge %u leaves again", number, d.tag, edge);
	if (!again)
		CHECK(parent ? d.parent : d.todo >> edge & 1, "edge %u of descriptor %u is not due", edge, d.tag);
	// tally_send takes no header with words before those of the one before have left.
	dut.head_ready_i = head.go() && !(f.bytes && leaving_at < leaving_len);
	dut.head_end_i = again || rng.below(5) || draining ? Sent : Waits;
	if (!dut.head_ready_i)
		return;
	if (dut.head_end_i == Waits) {
		wake_due = true;
		return;
	}
	if (again) {
		repeats++;
	} else {
		if (parent)
			d.parent = false;
		else
			d.todo &= ~(1ull << edge);
		d.flying++;
		d.numbers[edge] = seq;
		flying.push_back({ d.tag, edge, seq++, f.bytes ? UINT64_MAX : bench.cycle() + 8 });
	}
	if (!f.bytes)
		return;
	leaving_data = d.payload;
	leaving_at = 0;
	leaving_len = f.bytes;
}

// The words of a message have left, so it may be acknowledged some clocks later.
void Trigger::has_left()
{
	for (Packet &p : flying)
		if (p.heard == UINT64_MAX)
			p.heard = bench.cycle() + 8;
}

void Trigger::take_wire()
{
	if (dut.txp_tvalid_o) {
		CHECK(leaving_at < leaving_len, "words without a header");
		const size_t n = std::min<size_t>(word_bytes, leaving_len - leaving_at);

		CHECK(!std::memcmp(&dut.txp_tdata_o, leaving_data.data() + leaving_at, n), "another word leaves");
		CHECK(dut.txp_tkeep_o == (n == word_bytes ? ~0ull : (1ull << n) - 1), "other bytes of a word leave");
		CHECK(dut.txp_tlast_o == (leaving_at + word_bytes >= leaving_len), "another word is the last");
		if (dut.txp_tready_i)
			leaving_at += word_bytes;
		if (dut.txp_tready_i && dut.txp_tlast_o)
			has_left();
	}
	if (dut.acked_valid_i && dut.acked_ready_o) {
		uint32_t sent[3];

		std::memcpy(sent, &dut.acked_i, sizeof(sent));
		by_tag(bits::get(sent, 32, 14)).flying--;
		dut.acked_valid_i = 0;
	}
}

// ---- The ALU ----

void Trigger::drive_commands()
{
	if (cmd_qp < 0) {
		const unsigned int q = rng.below(Qps);

		if (!works[q] && !draining) {
			cmd_qp = static_cast<int>(q);
			cmd_reset = flushed[q] = false;
		} else if (works[q] && (doomed[q] || (rng.one_in(6000) && !draining && !alone))) {
			bool offered = false;

			for (const Desc &d : descs)
				offered = offered || (d.used && d.qp == q && !d.begun);
			uint32_t sent[3];

			std::memcpy(sent, &dut.acked_i, sizeof(sent));
			offered = offered || (dut.acked_valid_i && by_tag(bits::get(sent, 32, 14)).qp == q);
			std::memcpy(sent, &dut.again_i, sizeof(sent));
			offered = offered || dut.again_valid_i;
			if (offered) {
				dut.cmd_valid_i = 0;
				return;
			}
			cmd_qp = static_cast<int>(q);
			cmd_reset = stopping[q] = true;
		}
	}
	dut.cmd_valid_i = cmd_qp >= 0;
	dut.cmd_ready_i = rng.below(2);
	if (cmd_qp < 0)
		return;
	dut.cmd_i = cmd_reset ? 1 : 0; // CommandState, CommandCreate
	dut.cmd_qp_i = cmd_qp;
	dut.cmd_group_i = cmd_qp % Groups;
	dut.cmd_state_i = cmd_reset ? TALLY_QPS_RESET : TALLY_QPS_RTS;
}

void Trigger::forget(unsigned int qp)
{
	for (size_t i = flying.size(); i > 0; i--)
		if (by_tag(flying[i - 1].desc).qp == qp)
			flying.erase(flying.begin() + static_cast<ptrdiff_t>(i - 1));
	for (Desc &d : descs) {
		if (!d.used || d.qp != qp)
			continue;
		for (const Access &a : reads)
			CHECK(a.tag != d.tag, "a descriptor goes while it reads");
		for (const Access &a : writes)
			CHECK(a.tag != d.tag, "a descriptor goes while it writes");
		d = {};
	}
	waiting[qp] = -1;
}

void Trigger::take_commands()
{
	if (!dut.cmd_valid_o || !dut.cmd_ready_i)
		return;
	CHECK(dut.cmd_ready_o && cmd_qp >= 0, "a command passes that was not given");
	if (cmd_reset) {
		forget(cmd_qp);
		resets++;
	}
	works[cmd_qp] = !cmd_reset;
	stopping[cmd_qp] = doomed[cmd_qp] = false;
	cmd_qp = -1;
}

// ---- The message queue ----

void Trigger::fires(Desc &d, const model_fire &fire)
{
	const fired_descriptor fd = { d.r.opcode, d.r.op, d.r.dtype, d.r.branch, d.r.dest_counter, static_cast<uint8_t>(1u << d.r.elem_log),
				      d.r.num_result != 0, d.r.dest_port, d.r.err_vector, d.r.flags, d.r.mid, d.r.count, d.r.node_mask };
	const fired_sum s = { fire.err_vector, fire.op, fire.dtype, static_cast<uint8_t>(fire.many ? 2 : 1), fire.count, fire.disagree };

	d.f = fired_follow(&fd, &s);
	d.has_fired = true;
	d.todo = d.f.contributors;
	d.parent = d.f.parent;
	d.self = d.f.self;
	d.written = !d.f.writes || !d.r.get_len;
	d.payload = d.own;
	if (fire.swaps)
		d.payload.assign(fire.data, fire.data + std::max<uint32_t>(d.r.get_len, 1));
	waiting[d.qp] = -1;
}

// What the descriptor of a port does after an operation.
void Trigger::after(unsigned int port, bool gives_up)
{
	model_state state = model_state_of(model.get(), port);
	model_fire fire;

	if (gives_up && state == MODEL_LACKS) {
		model_give_up(model.get(), port);
		state = MODEL_FIRES;
		given_up++;
	}
	if (state != MODEL_FIRES)
		return;
	CHECK(waiting[port] >= 0, "nothing waits at port %u", port);
	model_fires(model.get(), port, &fire);
	fires(descs[waiting[port]], fire);
}

// tally_rmq has decided an operation: the model does the same.
void Trigger::step()
{
	const unsigned int port = dut.step_port_o;
	model_message m = {};
	model_descriptor a = {};

	if (!dut.step_valid_o)
		return;
	CHECK(dut.step_op_o == Flush || dut.free_o == model_shared_free(model.get()), "%u cells are free, not %u", dut.free_o, model_shared_free(model.get()));
	m.port = port;
	m.contributor = dut.step_contributor_o;
	switch (dut.step_op_o) {
	case Message:
		CHECK(!flushed[port], "a message for port %u behind its flush", port);
		if (m.contributor == TALLY_CONTRIB_SELF) {
			Desc &d = by_tag(dut.step_self_o);

			CHECK(d.has_fired && d.self && d.f.port == port, "a message to port %u that nobody sends", port);
			m.counter = d.f.counter;
			m.kept = d.f.flags & TALLY_TCH_F_SWP_MP;
			m.counts = d.f.flags & TALLY_TCH_F_CP;
			m.branch = d.f.branch;
			m.op = d.f.op;
			m.dtype = d.f.dtype;
			m.err_vector = d.f.err_vector;
			m.len = d.f.bytes;
			m.count = d.f.count;
			m.data = d.payload.data();
			CHECK(model_arrives(model.get(), &m) == dut.step_stored_o, "stored is %d", dut.step_stored_o);
			d.self = !dut.step_stored_o;
			selfs += dut.step_stored_o;
		} else {
			CHECK(in.inside && in.qp == port && in.from == m.contributor && !in.judged, "a message that nobody has sent");
			m.counter = in.counter;
			m.kept = in.flags & TALLY_TCH_F_SWP_MP;
			m.counts = in.flags & TALLY_TCH_F_CP;
			m.branch = in.branch;
			m.op = in.op;
			m.dtype = in.dtype;
			m.err_vector = in.err_vector;
			m.len = in.len;
			m.count = in.count;
			m.data = in.data.data();
			in.judged = true;
			in.stored = model_arrives(model.get(), &m);
			CHECK(in.stored == dut.step_stored_o, "a message of %u for port %u, counter %u, flags %x: stored is %d; %u free, %u used, waits %d",
			      in.from, port, in.counter, in.flags, dut.step_stored_o, dut.free_o, model_used(model.get(), port), waiting[port]);
		}
		after(port, false);
		break;
	case Own: {
		CHECK(waiting[port] >= 0, "own data for port %u, where nothing waits", port);
		const Desc &d = descs[waiting[port]];

		m.counter = d.r.counter;
		m.op = d.r.op;
		m.dtype = d.r.dtype;
		m.count = d.r.count;
		m.len = d.own.size();
		m.data = d.own.data();
		model_own(model.get(), &m);
		after(port, false);
		break;
	}
	case Arm: {
		CHECK(waiting[port] >= 0, "port %u is armed for nothing", port);
		const Desc &d = descs[waiting[port]];

		CHECK(d.tag == dut.step_tag_o, "descriptor %u is armed", dut.step_tag_o);
		a.port = port;
		a.counter = d.r.counter;
		a.cpcnt = d.r.cpcnt;
		a.swaps = d.r.flags & TALLY_WQE_F_SWP_FLAG;
		a.own = a.swaps && (d.r.flags & TALLY_WQE_F_RFLAG);
		model_arm(model.get(), &a);
		after(port, false);
		break;
	}
	case GiveUp:
		give_ups++;
		if (waiting[port] >= 0)
			after(port, true);
		break;
	case Flush:
		model_flush(model.get(), port);
		flushed[port] = true;
		break;
	default:
		break;
	}
}

// ---- What is told ----

void Trigger::take_end(Desc &d)
{
	CHECK(d.has_fired && !d.todo && !d.parent && !d.self && !d.flying && d.written, "descriptor %u has not ended", d.tag);
	waiting[d.qp] = waiting[d.qp] == static_cast<int>(d.entry) ? -1 : waiting[d.qp];
	ended++;
	d = {};
}

void Trigger::take_status()
{
	if (dut.upd_valid_o && dut.upd_ready_i) {
		uint32_t upd[5];
		std::memcpy(upd, &dut.upd_o, sizeof(upd));
		bits::Fields f(upd, 144);
		Desc &d = by_entry(dut.upd_entry_o);
		const uint64_t disagree = f.take(64);
		const bool refused = f.take(1);
		const unsigned int status_ = f.take(16);

		CHECK(dut.upd_qp_o == d.qp, "another queue pair");
		if (!refused) {
			CHECK(f.take(1) && !f.take(32) && f.take(7) == 1 && !f.take(7), "another chunk has begun");
		} else {
			f.skip(47);
			CHECK(d.f.spoilt && status_ == TALLY_COLL_MISMATCH && disagree == d.f.disagree, "a descriptor is refused");
			CHECK(f.take(16) == d.f.err_vector, "another error vector");
			spoilt++;
			take_end(d);
		}
	}
	if (dut.end_valid_o && dut.end_ready_i) {
		uint64_t end = dut.end_o;
		Desc &d = by_entry(dut.end_entry_o);

		CHECK(!d.f.spoilt && dut.end_qp_o == d.qp, "a spoilt descriptor ends");
		CHECK((end & 0xffff) == d.f.err_vector, "another error vector");
		CHECK((end >> 16 & 0x1fff) == (d.f.writes ? d.r.get_len : 0), "%u bytes", unsigned(end >> 16 & 0x1fff));
		CHECK((end >> 29 & 0x7f) == 1 && (end >> 36 & 1) == d.refused && !(end >> 37), "another end");
		take_end(d);
	}
	flags += dut.flag_valid_o && dut.flag_ready_i;
}

void Trigger::take_exceptions()
{
	if (dut.fault_valid_o && dut.fault_ready_i) {
		faults++;
		for (Desc &d : descs)
			d.lost = d.lost && d.r.mid != dut.exc_mid_o;
		for (unsigned int q = 0; q < Qps; q++)
			doomed[q] = doomed[q] || q % Groups == dut.exc_group_o; // the epoch ends
	}
	if (!dut.exc_valid_o || !dut.exc_ready_i)
		return;
	for (Desc &d : descs) {
		if (!d.used || !d.begun || d.r.mid != dut.exc_mid_o)
			continue;
		if (dut.exc_status_o == TALLY_COLL_BAD_DEST) {
			CHECK(d.self, "a message to this node that was not to be sent");
			CHECK(d.r.dest_port >= Qps || d.doubtful, "port %u exists", d.r.dest_port);
			d.self = false;
		} else {
			CHECK(now >= d.since + limit / 8 * 6, "descriptor %u is not out of time", d.tag);
			CHECK(!d.lost, "nobody was told that memory has refused to be read for descriptor %u", d.tag);
			CHECK(dut.exc_status_o == TALLY_COLL_TIMEOUT || dut.exc_status_o == TALLY_COLL_RMQ_OVERFLOW, "status %u", dut.exc_status_o);
			doomed[d.qp] = true;
		}
		exceptions++;
		return;
	}
	tally::fail("an exception of nobody");
}

void Trigger::cycle()
{
	now += clock_ps;
	dut.now_i = now;
	if (rng.one_in(calm ? 8000 : 3000)) {
		static const Kind kinds[] = { { TALLY_OP_SUM, TALLY_TYPE_INT32 }, { TALLY_OP_MINLOC, TALLY_TYPE_INT32 }, { TALLY_OP_SUM, TALLY_TYPE_FP64 },
					      { TALLY_OP_MAX, TALLY_TYPE_INT8 } };

		kind = kinds[rng.below(4)];
		count = rng.below((rng.one_in(3) ? 4096 : 200) / alu_elem_size(kind.op, kind.dtype));
		branch = 1 + rng.below(contributors);
		slow_ = rng.one_in(3) ? 6 : 1;
	}
	for (Desc &d : descs)
		d.doubtful = d.doubtful || (d.self && d.r.dest_port < Qps && (!works[d.r.dest_port] || stopping[d.r.dest_port]));
	alu.offer(dut);
	drive_begin();
	drive_packets();
	drive_rows();
	drive_memory();
	drive_wire();
	drive_commands();
	dut.upd_ready_i = status.go();
	dut.end_ready_i = status.go();
	dut.end_flag_i = rng.one_in(3);
	dut.flag_ready_i = rng.below(2);
	dut.fault_ready_i = dut.exc_ready_i = rng.below(2);
	bench.settle();
	if (dut.head_valid_o)
		take_head();
	bench.settle();
	alu.observe(dut);
	step();
	const int row = dut.row_valid_o && dut.row_ready_i ? static_cast<int>(dut.row_entry_o) : -1;
	const bool got = dut.got_valid_i, again = dut.again_valid_i && dut.again_ready_o;
	const uint8_t acked = dut.acked_valid_i, paid = dut.pay_tvalid_i;

	take_packets();
	take_memory();
	take_wire();
	take_status();
	take_exceptions();
	take_begin();
	take_commands();
	const uint8_t acked_after = dut.acked_valid_i, paid_after = dut.pay_tvalid_i;
	dut.acked_valid_i = acked;
	dut.pay_tvalid_i = paid;
	bench.tick();
	dut.acked_valid_i = acked_after;
	dut.pay_tvalid_i = paid_after;
	if (again)
		dut.again_valid_i = 0;
	if (got)
		row_entry = -1;
	if (row >= 0) {
		row_entry = row;
		row_wait = rng.below(3);
	} else if (row_wait) {
		row_wait--;
	}
}

void Trigger::drain()
{
	draining = true;
	for (unsigned int i = 0; i < 200000; i++) {
		cycle();
		if (std::none_of(descs, descs + Entries, [](const Desc &d) { return d.used; }) && cmd_qp < 0)
			break;
	}
	for (const Desc &d : descs)
		CHECK(!d.used, "the descriptor of entry %u (number %u, queue pair %u) never ends: fired %d, todo %llx, self %d, %u in flight",
		      d.entry, d.tag, d.qp, d.has_fired, static_cast<unsigned long long>(d.todo), d.self, d.flying);
	draining = false;
}

// A descriptor that fires at once, and whose only message is to another queue pair of its group here.
void Trigger::starved_descriptor(unsigned int qp)
{
	Desc &d = descs[0];

	d = {};
	d.used = true;
	d.qp = qp;
	fill(d);
	d.r.flags = TALLY_WQE_F_CP | TALLY_WQE_F_SWP_MP | TALLY_WQE_F_TO_SELF;
	d.r.give_log = d.r.elem_log;
	d.r.cpcnt = d.r.node_mask = d.r.num_gather = 0;
	d.r.dest_port = (qp + Groups) % Qps;
	fill_data(d);
	begin_entry = 0;
}

// While nothing else happens, a message to this node finds no cell, and leaves when the flush of another queue pair has freed some.
void Trigger::starve()
{
	const unsigned int fills = 1;

	alone = true;
	while (std::any_of(works, works + Qps, [](bool w) { return !w; }) || in.offered || in.inside || cmd_qp >= 0)
		cycle();
	do {
		fill_packet(fills);
		in.from = in.counter = 0;
		in.port = fills;
		in.flags = TALLY_TCH_F_CP | TALLY_TCH_F_SWP_MP;
		put_packet();
		while (in.offered || in.inside)
			cycle();
	} while (in.stored);
	starved_descriptor(0);
	for (unsigned int i = 0; i < 1000; i++)
		cycle();
	if (!descs[0].self)	// its own group has had a cell
		return;
	starvations++;
	doomed[fills] = true;
	for (unsigned int i = 0, room = 0; descs[0].self && i < 4000; i++) {
		room += model_shared_free(model.get()) != 0;
		CHECK(room < 2000, "a message to this node does not leave, though there is room");
		cycle();
	}
}

int Trigger::run()
{
	for (uint64_t life = bench.times(16); life; life--) {
		restart();
		for (uint64_t left = 10000 + rng.below(30000); left; left--)
			cycle();
		if (rng.one_in(3)) // it is reset amid traffic
			continue;
		drain();
		starve();
	}
	std::printf("trigger: %llu begun, %llu arrived, %llu ended, %llu spoilt, %llu exceptions, %llu (%llu) given up, %llu resets, %llu to itself, %llu repeated, %llu refused, "
		    "%llu faults, %llu flags, %llu inline\n",
		    static_cast<unsigned long long>(begun), static_cast<unsigned long long>(arrived), static_cast<unsigned long long>(ended), static_cast<unsigned long long>(spoilt), static_cast<unsigned long long>(exceptions),
		    static_cast<unsigned long long>(given_up), static_cast<unsigned long long>(give_ups), static_cast<unsigned long long>(resets), static_cast<unsigned long long>(selfs),
		    static_cast<unsigned long long>(repeats), static_cast<unsigned long long>(refusals), static_cast<unsigned long long>(faults),
		    static_cast<unsigned long long>(flags), static_cast<unsigned long long>(inlines));
	CHECK(ended > 500 && spoilt && exceptions && resets && selfs && repeats && refusals && inlines && starvations, "not everything has happened");
	return bench.finish();
}

int trigger_traffic(const char *name, int argc, char **argv)
{
	return Trigger(name, argc, argv).run();
}
