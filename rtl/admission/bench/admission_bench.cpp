// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_admission: groups and tombstones are created, changed and forgotten through its registers, as the model
// writes them, while packets come that are meant for one of them, or nearly. It compares every answer with the model's,
// and every payload, with stalls on every side. A write of one register may meet packets at any time.
#include <cstring>
#include <deque>
#include <vector>

#include "Vdut.h"
#include "admission_rows.h"
#include "bench.h"
#include "parser_record.h"
extern "C" {
#include "admission_model.h"
}

using Bytes = std::vector<uint8_t>;
constexpr size_t word_bytes = 64;
constexpr unsigned int max_writes = 2000, most_inside = 4;

struct Packet {
	uint32_t record[record_words];
	bool good;
	Bytes payload;
	struct model_packet model;
};

struct Answer {
	Packet packet;
	struct engine_admission says;
	bool alive;
};

class Admission {
public:
	Admission(int argc, char **argv)
		: bench("admission", argc, argv), dut(*bench.dut), in(bench.rng), pay(bench.rng), out(bench.rng), dat(bench.rng),
		  aw(bench.rng), b(bench.rng), ahead(bench.rng), rows(bench.rng)
	{
		dut.new_valid_i = dut.ahead_valid_i = 0;
		dut.in_valid_i = dut.pay_tvalid_i = dut.out_ready_i = dut.dat_tready_i = 0;
		dut.axil_awvalid_i = dut.axil_wvalid_i = dut.axil_bready_i = 0;
		dut.axil_wstrb_i = 15;
		model_init(bench.options.seed, Groups, Tombs);
		bench.reset();
	}
	int run();

private:
	Packet packet();
	void offer();
	void tell();
	void prepare(const struct model_write &w);
	void offer_write();
	void writes();
	void records();
	void answers();
	void payloads();
	void cycle();
	void drain();
	void change();
	void latency();

	tally::Bench<Vdut> bench;
	Vdut &dut;
	tally::Throttle in, pay, out, dat, aw, b, ahead;
	EdgeRows rows;
	bool stalls = true;
	std::deque<Packet> coming;		// records that have not been taken
	std::deque<Bytes> payload_words;	// payloads that have not been taken
	size_t pay_at = 0;
	bool in_offered = false, pay_offered = false;
	bool told = false;			// the header of the first record of coming
	std::deque<Answer> inside;		// records that have been taken
	std::deque<Bytes> expected;		// payloads of admitted packets
	size_t dat_at = 0;
	std::deque<struct model_write> to_write;	// of one change
	bool single = false;			// the write is one of a single register, which is made when it is taken
	bool aw_offered = false, w_offered = false, answer_due = false, prepared = false;
	uint64_t verdicts[8] = {};
};

// A record of the parser: a packet of the model, or a bad frame, whose other fields mean nothing.
Packet Admission::packet()
{
	Packet p = {};
	Put f(p.record);
	uint64_t filler[8];
	uint8_t kind;

	model_packet(&p.model);
	kind = p.model.tch.kind;
	p.good = !bench.rng.one_in(8);
	bench.rng.fill(filler, sizeof(filler));
	if (p.good && kind == TALLY_KIND_OPEN)
		p.payload.assign(p.model.payload, p.model.payload + sizeof(struct tally_tch_open));
	else if (p.good && bench.rng.below(2))
		p.payload.resize(1 + (bench.rng.one_in(8) ? bench.rng.below(TALLY_MAX_MTU) : bench.rng.below(130)));
	if (kind != TALLY_KIND_OPEN)
		bench.rng.fill(p.payload.data(), p.payload.size());
	f.number(p.good ? +TALLY_RX_OK : 1 + bench.rng.below(7), 8);
	f.number(bench.rng.below(2), 1);
	f.bytes(filler, 12);
	f.bytes(p.model.sgid, 16);
	f.bytes(filler + 2, 16);
	f.number(filler[4], 63);
	f.number(filler[5], 58);
	f.number(p.payload.size(), 13);
	f.bytes(&p.model.tch, sizeof(p.model.tch));
	return p;
}

// The header of the next record comes ahead, once and before it is offered. That of a bad frame may be any.
void Admission::tell()
{
	uint32_t *const tch = &dut.ahead_tch_i[0];

	dut.ahead_valid_i = 0;
	bench.rng.fill(tch, sizeof(struct tally_tch));
	bench.rng.fill(&dut.ahead_sgid_i[0], 16);
	if (told || in_offered || coming.empty() || !stalls || !ahead.go())
		return;
	const Packet &p = coming.front();

	dut.ahead_valid_i = told = true;
	if (!p.good && bench.rng.one_in(4))
		return;
	Put(tch, 8 * sizeof(p.model.tch)).bytes(&p.model.tch, sizeof(p.model.tch));
	Put(&dut.ahead_sgid_i[0], 128).bytes(p.model.sgid, 16);
}

void Admission::offer()
{
	tell();
	if (!in_offered && !dut.ahead_valid_i)
		in_offered = !coming.empty() && (!stalls || in.go());
	dut.in_valid_i = in_offered;
	if (in_offered)
		std::memcpy(&dut.in_i[0], coming.front().record, sizeof(coming.front().record));
	if (!pay_offered)
		pay_offered = !payload_words.empty() && (!stalls || pay.go());
	dut.pay_tvalid_i = pay_offered;
	if (pay_offered) {
		const Bytes &p = payload_words.front();
		size_t n = std::min(word_bytes, p.size() - pay_at);

		std::memset(&dut.pay_tdata_i, 0xee, word_bytes);
		std::memcpy(&dut.pay_tdata_i, &p[pay_at], n);
		dut.pay_tkeep_i = ~0ull >> (word_bytes - n);
		dut.pay_tlast_i = pay_at + n == p.size();
	}
	dut.out_ready_i = !stalls || out.go();
	dut.dat_tready_i = !stalls || dat.go();
}

// What tally_edge_regs does before a write goes on. A packet that is inside meanwhile may see the rows as before or after it;
// the model judges it before, so it must have left.
void Admission::prepare(const struct model_write &w)
{
	bool of_edge = EdgeRows::of_edge(w.reg);
	bool releases = w.reg == TALLY_FW_COMMAND_BASE + offsetof(struct tally_fw_command, go) &&
			(w.value & 0xff) == TALLY_FW_CMD_RELEASE && w.value >> 16 < Groups;

	if ((!inside.empty() || told) && (releases || (of_edge && rows.lacks(w.reg))))
		return;
	prepared = true;
	if (of_edge) {
		dut.new_valid_i = rows.before(w.reg);
		dut.new_row_i = dut.wr_row_i = rows.row;
	} else if (releases) {
		rows.release(w.value >> 16);
	}
}

// Address and data of a write may come one after the other.
void Admission::offer_write()
{
	dut.axil_bready_i = !stalls || b.go();
	dut.new_valid_i = 0;
	if (!answer_due && !to_write.empty()) {
		dut.axil_awaddr_i = to_write.front().reg;
		dut.axil_wdata_i = to_write.front().value;
		bool offers = prepared;

		if (!prepared)
			prepare(to_write.front());
		aw_offered |= offers && (!stalls || aw.go());
		w_offered |= offers && (!stalls || aw.go());
	}
	dut.axil_awvalid_i = aw_offered;
	dut.axil_wvalid_i = w_offered;
}

void Admission::writes()
{
	CHECK(dut.axil_awready_o == dut.axil_wready_o, "address and data of a write are not taken together");
	CHECK(!dut.axil_bvalid_o || answer_due, "an answer without a write");
	if (dut.axil_bvalid_o && dut.axil_bready_i) {
		CHECK(dut.axil_bresp_o == 0, "a write is refused");
		answer_due = false;
	}
	if (!dut.axil_awvalid_i || !dut.axil_wvalid_i || !dut.axil_awready_o)
		return;
	if (single)
		model_make(to_write.front());
	to_write.pop_front();
	aw_offered = w_offered = prepared = false;
	answer_due = true;
}

// The model judges at the time at which the record is taken.
void Admission::records()
{
	if (dut.pay_tvalid_i && dut.pay_tready_o) {
		pay_offered = false;
		pay_at += word_bytes;
		if (dut.pay_tlast_i) {
			payload_words.pop_front();
			pay_at = 0;
		}
	}
	if (!dut.in_valid_i || !dut.in_ready_o)
		return;
	in_offered = told = false;
	Answer a = { coming.front(), model_admit(&coming.front().model), false };

	a.alive = model_alive(&a.says);
	inside.push_back(a);
	coming.pop_front();
}

void Admission::answers()
{
	Answer a;

	if (!dut.out_valid_o)
		return;
	CHECK(!inside.empty(), "a record that nobody sent");
	a = inside.front();
	CHECK(!std::memcmp(&dut.out_o[0], a.packet.record, sizeof(a.packet.record)), "the record has changed");
	if (a.packet.good) {
		uint64_t is = dut.admission_o;

		CHECK((is >> 24) == a.says.verdict, "the verdict is %u, not %u", unsigned(is >> 24), a.says.verdict);
		if (a.says.verdict == TALLY_FW_ADMISSION_OK) {
			CHECK((is >> 8 & 0xffff) == a.says.group, "context %u, not %u", unsigned(is >> 8 & 0xffff), a.says.group);
			CHECK((is & 0xff) == a.says.edge, "edge %u, not %u", unsigned(is & 0xff), a.says.edge);
			CHECK(a.says.group >= Groups || dut.row_o == rows.of(a.says.group, a.says.edge), "row %u of another edge", dut.row_o);
		}
		CHECK(dut.alive_o == a.alive, "alive_o is %d", dut.alive_o);
	} else {
		CHECK(!dut.alive_o && dut.admission_o >> 24 == TALLY_FW_ADMISSION_JID, "a bad frame is admitted");
	}
	if (!dut.out_ready_i)
		return;
	if (a.packet.good)
		verdicts[a.says.verdict]++;
	if (a.packet.good && a.says.verdict == TALLY_FW_ADMISSION_OK && !a.packet.payload.empty())
		expected.push_back(a.packet.payload);
	inside.pop_front();
}

void Admission::payloads()
{
	if (!dut.dat_tvalid_o)
		return;
	CHECK(!expected.empty(), "a payload of no admitted packet");
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

void Admission::cycle()
{
	offer();
	offer_write();
	rows.answer(dut, !stalls);
	bench.settle();
	payloads();
	records();
	answers();
	writes();
	rows.asks(dut);
	bench.tick();
	bench.settle();
	CHECK(dut.busy_o || (inside.empty() && expected.empty() && !answer_due), "idle with something inside");
}

// The block becomes idle by itself.
void Admission::drain()
{
	uint64_t limit = bench.cycle() + 20000;

	while (!coming.empty() || !payload_words.empty() || !to_write.empty() || dut.busy_o) {
		CHECK(bench.cycle() < limit, "the block is stuck");
		cycle();
	}
	CHECK(inside.empty() && expected.empty() && !answer_due, "something is lost");
}

// Makes a change of many registers. Records that wait are not taken meanwhile, because the model has changed already.
void Admission::change()
{
	std::vector<struct model_write> list(max_writes);

	while (!coming.empty() || !to_write.empty())
		cycle();
	list.resize(model_change(list.data(), max_writes));
	single = false;
	to_write.assign(list.begin(), list.end());
	while (!to_write.empty() || answer_due)
		cycle();
}

// Cycles from the take of a record to its answer, if its group is the first of its list.
void Admission::latency()
{
	uint64_t begin, took = 0;

	stalls = false;
	for (unsigned int tries = 0; took == 0; tries++) {
		Packet p = packet();

		if (tries % 64 == 0) {
			change();
			drain();
		}
		if (!p.good || p.model.tch.kind == TALLY_KIND_OPEN || model_admit(&p.model).verdict != TALLY_FW_ADMISSION_OK)
			continue;
		begin = bench.cycle();
		if (!p.payload.empty())
			payload_words.push_back(p.payload);
		coming.push_back(p);
		do {
			cycle();
			took = bench.cycle() - begin;
		} while (!inside.empty() || !coming.empty());
		drain();
		if (took > 6)
			took = 0;	// it was not the first one
	}
	CHECK(took == 6, "an answer after %llu cycles", (unsigned long long)took);
	stalls = true;
}

int Admission::run()
{
	for (uint64_t left = bench.times(1200); left; left--) {
		change();
		for (unsigned int n = bench.rng.below(40); n; n--) {
			Packet p = packet();

			if (!p.payload.empty())
				payload_words.push_back(p.payload);
			coming.push_back(p);
			if (to_write.empty() && bench.rng.one_in(4)) {
				to_write.push_back(model_single());
				single = true;
			}
			while (coming.size() >= most_inside)
				cycle();
		}
		if (bench.rng.one_in(4))
			drain();
		stalls = left % 4;
	}
	latency();
	for (unsigned int v = 0; v <= TALLY_FW_ADMISSION_STATE; v++)
		CHECK(verdicts[v] > 20, "only %llu answers %u", (unsigned long long)verdicts[v], v);
	return bench.finish();
}

int main(int argc, char **argv)
{
	return Admission(argc, argv).run();
}
