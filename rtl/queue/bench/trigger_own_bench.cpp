// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_trigger_own: own data of descriptors come from memory, in any order and sometimes refused, and from the request. What
// is passed on must be what the engine's trigger_data() uses: the bytes of the list, or the pairs of alu_expand_loc(), for the right
// descriptor, to the message queue or to its place, once.
#include <cstring>
#include <deque>
#include <vector>

#include "Vdut.h"
#include "bench.h"
#include "trigger_bits.h"

extern "C" {
#include "alu/alu.h"
}

static_assert(Descs <= 8, "entries and queue pairs");

struct Desc {
	bool used = false, memory = false, swaps = false, fails = false, passed = false;
	unsigned int entry = 0, place = 0, qp = 0, group = 0, counter = 0;
	uint8_t op = 0, dtype = 0;
	uint32_t count = 0;
	std::vector<uint8_t> list, data;
};

class Own {
public:
	Own(int argc, char **argv) : bench("trigger_own", argc, argv), dut(*bench.dut), rng(bench.rng) {}
	int run();

private:
	void restart();
	void cycle();
	void note(unsigned int k);
	void drive_memory();
	void drive_line();
	void check_own();
	void check_place();
	void check_ready();
	void check_word(const Desc &d, size_t at, const uint32_t *word);

	tally::Bench<Vdut> bench;
	Vdut &dut;
	tally::Rng &rng;
	tally::Throttle out{ rng }, own{ rng }, place{ rng };
	Desc descs[Descs];
	std::vector<unsigned int> reads; // whose answers have not come
	int answers = -1, line = -1, taking = -1;
	size_t answer_at = 0, line_at = 0, taken = 0;
	unsigned int noted = 0;
	uint64_t to_queue = 0, to_place = 0, failed = 0, inlined = 0, values = 0;
};

void Own::restart()
{
	dut.note_valid_i = dut.out_valid_i = dut.line_ready_i = dut.inl_valid_i = dut.own_ready_i = dut.own_tready_i = dut.wr_ready_i = 0;
	for (Desc &d : descs)
		d = {};
	reads.clear();
	answers = line = taking = -1;
	taken = 0;
	bench.reset();
}

void Own::note(unsigned int k)
{
	Desc &d = descs[k];
	const bool loc = rng.one_in(3);
	uint32_t raw[6] = {};

	d = {};
	d.used = true;
	d.op = loc ? TALLY_OP_MINLOC : TALLY_OP_SUM;
	d.dtype = rng.one_in(2) ? TALLY_TYPE_INT32 : loc ? TALLY_TYPE_FP64 : TALLY_TYPE_INT8;
	const unsigned int elem = alu_elem_size(d.op, d.dtype);
	const bool expands = loc && rng.one_in(2);
	const unsigned int give = expands ? alu_value_size(d.dtype) : elem;
	const uint32_t index = rng.next() & 0xffffff;

	d.count = rng.one_in(5) ? 0 : 1 + rng.below((rng.one_in(4) ? 4096 : 300) / elem);
	d.entry = k + 8 * rng.below(Entries / 8);
	d.place = rng.below(Places);
	d.qp = k; // by which it is known
	d.group = rng.below(Groups);
	d.counter = rng.below(4);
	d.swaps = rng.one_in(2);
	d.memory = d.count && rng.one_in(2) && reads.size() + (answers >= 0) < Reads;
	d.fails = d.memory && rng.one_in(8);
	d.list.resize(d.count * give);
	rng.fill(d.list.data(), d.list.size());
	d.data = d.list;
	if (expands) {
		d.data.resize(d.count * elem);
		alu_expand_loc(d.dtype, d.data.data(), d.list.data(), d.count, index);
		values++;
	}
	bits::Fields(raw, 166)(1, d.swaps)(1, expands)(2, __builtin_ctz(give))(32, index)(16, d.group)(16, d.qp)(16, d.place)(8, d.op)(8, d.dtype)(
		8, d.counter)(32, d.count)(13, d.data.size())(13, d.list.size());
	std::memcpy(&dut.note_i, raw, sizeof(raw));
	dut.note_valid_i = 1;
	dut.note_desc_i = noted = k;
	dut.note_none_i = !d.memory;
	dut.note_entry_i = d.entry;
}

void Own::drive_memory()
{
	dut.out_valid_i = 0;
	if (answers < 0 && !reads.empty() && rng.one_in(8)) {
		const size_t at = rng.below(reads.size());

		answers = static_cast<int>(reads[at]);
		answer_at = 0;
		reads.erase(reads.begin() + static_cast<ptrdiff_t>(at));
	}
	if (answers < 0 || !out.go())
		return;
	std::vector<uint8_t> data = descs[answers].list;

	data.resize((data.size() + 63) / 64 * 64);
	dut.out_valid_i = 1;
	dut.out_desc_i = answers;
	dut.out_last_i = answer_at + 64 == data.size();
	dut.out_error_i = dut.out_last_i && descs[answers].fails;
	std::memcpy(&dut.out_data_i, &data[answer_at], 64);
}

void Own::drive_line()
{
	dut.line_ready_i = line < 0 && rng.one_in(2);
	dut.inl_valid_i = line >= 0;
	if (line < 0)
		return;
	std::vector<uint8_t> data = descs[line].list;

	data.resize((data.size() + 63) / 64 * 64);
	std::memcpy(&dut.inl_data_i, &data[line_at], 64);
}

void Own::check_word(const Desc &d, size_t at, const uint32_t *word)
{
	CHECK(at < d.data.size(), "a word behind the end");
	CHECK(!std::memcmp(word, &d.data[at], std::min<size_t>(64, d.data.size() - at)), "the word at byte %zu is another one", at);
}

// What goes to the message queue. The bench takes its words, then its header.
void Own::check_own()
{
	if (!dut.own_valid_o)
		return;
	uint32_t raw[3];

	std::memcpy(raw, &dut.own_o, sizeof(raw));
	bits::Fields m(raw, 95);
	m.skip(10);
	if (taking < 0)
		for (unsigned int k = 0; k < Descs; k++)
			if (descs[k].used && descs[k].swaps && !descs[k].passed && descs[k].qp == dut.own_qp_o && descs[k].count == bits::get(raw, 37, 32) &&
			    descs[k].counter == bits::get(raw, 0, 8) && descs[k].group == dut.own_group_o && !descs[k].fails &&
			    descs[k].op == bits::get(raw, 77, 8) && descs[k].dtype == bits::get(raw, 69, 8))
				taking = static_cast<int>(k);
	CHECK(taking >= 0, "own data of nobody");
	Desc &d = descs[taking];

	CHECK(m.take(8) == d.op && m.take(8) == d.dtype && m.take(32) == d.count && !m.take(16) && m.take(13) == d.data.size(), "another Rtype");
	if (dut.own_tvalid_o)
		check_word(d, taken, dut.own_tdata_o);
}

void Own::check_place()
{
	if (!dut.wr_valid_o)
		return;
	for (Desc &d : descs) {
		if (!d.used || d.swaps || d.fails || d.place != dut.wr_place_o || d.passed || dut.wr_word_o * 64u >= d.data.size() ||
		    std::memcmp(&dut.wr_data_o, &d.data[dut.wr_word_o * 64u], std::min<size_t>(64, d.data.size() - dut.wr_word_o * 64u)))
			continue;
		CHECK(dut.wr_word_o * 64u == taken, "word %u is written", dut.wr_word_o);
		if (dut.wr_ready_i)
			taken += 64;
		if (taken >= d.data.size()) {
			d.passed = true;
			taken = 0;
		}
		return;
	}
	tally::fail("a word of nobody is written to place %u", dut.wr_place_o);
}

void Own::check_ready()
{
	if (!dut.ready_valid_o)
		return;
	Desc &d = descs[dut.ready_desc_o];

	CHECK(d.used && dut.ready_failed_o == d.fails, "descriptor %u is ready, failed %d", dut.ready_desc_o, dut.ready_failed_o);
	CHECK(d.passed || d.fails || !d.count, "descriptor %u is ready without its data", dut.ready_desc_o);
	(d.fails ? failed : d.swaps ? to_queue : to_place)++;
	d.used = false;
}

void Own::cycle()
{
	if (!dut.note_valid_i && rng.one_in(6)) {
		const unsigned int k = rng.below(Descs);

		if (!descs[k].used)
			note(k);
	}
	drive_memory();
	drive_line();
	dut.wr_ready_i = place.go();
	dut.own_tready_i = dut.own_ready_i = 0;
	bench.settle();
	const bool noting = dut.note_valid_i && dut.note_ready_o;

	if (dut.own_valid_o) {
		check_own();
		dut.own_tready_i = dut.own_tvalid_o && own.go();
		dut.own_ready_i = taken >= descs[taking].data.size() && rng.one_in(2);
		bench.settle();
	}
	check_place();
	check_ready();
	const bool took = dut.own_tvalid_o && dut.own_tready_i, ends = dut.own_valid_o && dut.own_ready_i;

	if (dut.out_valid_i) {
		answer_at += 64;
		answers = dut.out_last_i ? -1 : answers;
	}
	const bool lines = dut.line_valid_o && dut.line_ready_i, inl = dut.inl_valid_i && dut.inl_ready_o;
	const unsigned int entry = dut.line_entry_o, bytes = dut.line_len_o;

	bench.tick();
	taken += took ? 64 : 0;
	if (ends) {
		descs[taking].passed = true;
		taking = -1;
		taken = 0;
	}
	if (inl && (line_at += 64) >= descs[line].list.size())
		line = -1;
	if (lines) {
		for (unsigned int k = 0; k < Descs; k++)
			if (descs[k].used && !descs[k].memory && !descs[k].passed && descs[k].entry == entry && descs[k].list.size() == bytes)
				line = static_cast<int>(k);
		CHECK(line >= 0, "a line of nobody");
		line_at = 0;
		inlined++;
	}
	if (noting) {
		if (descs[noted].memory)
			reads.push_back(noted);
		dut.note_valid_i = 0;
	}
}

int Own::run()
{
	bench.live(bench.times(200000), [this] { restart(); }, [this] { cycle(); });
	CHECK(to_queue > 100 && to_place > 100 && failed > 20 && inlined > 100 && values > 100,
	      "%llu to the queue, %llu to places, %llu failed, %llu inline", static_cast<unsigned long long>(to_queue),
	      static_cast<unsigned long long>(to_place), static_cast<unsigned long long>(failed), static_cast<unsigned long long>(inlined));
	return bench.finish();
}

int main(int argc, char **argv)
{
	return Own(argc, argv).run();
}
