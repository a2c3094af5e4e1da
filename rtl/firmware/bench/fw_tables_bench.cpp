// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_fw_tables: random writes of registers that are kept and of others, and reads of words at the same time. A
// word that is read must be what its registers had before this clock. Groups move meanwhile, and a limit must belong to the
// done that was read before it.
#include <map>
#include <tuple>

#include "Vdut.h"
#include "open_words.h"

constexpr unsigned int kept_regs = tally::fw_regs + tally::open_regs;	// those of opens_t are the last ones

class Tables {
public:
	Tables(int argc, char **argv) : bench("fw_tables", argc, argv), dut(*bench.dut), rng(bench.rng) {}
	int run();

private:
	static constexpr unsigned int contexts = Groups + Tombs;

	void give_rows();
	uint32_t other();
	void move();
	void write_kept(unsigned int reg, unsigned int context, unsigned int edge);
	void write();
	void choose_read();
	void check();
	void cycle();

	tally::Bench<Vdut> bench;
	Vdut &dut;
	tally::Rng &rng;
	unsigned int rows[Groups][EdgesOf];
	struct Word {
		uint32_t value, known;	// known: the bits that were written
	};
	std::map<std::tuple<unsigned int, unsigned int, unsigned int>, Word> values;	// by context, edge and word
	Word written = {};
	std::tuple<unsigned int, unsigned int, unsigned int> written_at;
	struct Window {
		bool known;
		uint32_t done, limit;
	} windows[Groups] = {}, window = {};	// the one that was read
	uint64_t read = 0, refused = 0, limits = 0;
};

// Each edge has a row, in no order.
void Tables::give_rows()
{
	unsigned int order[Groups * EdgesOf];

	for (unsigned int k = 0; k < Groups * EdgesOf; k++) {
		const unsigned int at = rng.below(k + 1);

		order[k] = order[at];
		order[at] = k;
	}
	for (unsigned int k = 0; k < Groups * EdgesOf; k++)
		rows[k / EdgesOf][k % EdgesOf] = order[k];
}

// The address of a register that is not kept, or of none.
uint32_t Tables::other()
{
	const unsigned int word = rng.below(tally::fw_regs);
	const uint32_t list[] = {
		tally::fw_word_reg(word, contexts + rng.below(8), 0),
		tally::fw_word_reg(tally::fw_regs - 1, rng.below(contexts), EdgesOf + rng.below(8)),
		tally::fw_word_reg(0, rng.below(contexts), 0) + FW_AT(setup, max_segs),
		tally::open_reg_address(0, rng.below(contexts), rng.below(EdgesOf)) - tally::open_reg[0].at + FW_AT(edge, first_limit),
		TALLY_FW_GROUP_BASE + uint32_t(rng.below(contexts)) * TALLY_FW_GROUP_STRIDE + FW_AT(group, level),
		tally::fw_word_reg(word, rng.below(contexts), 0) - TALLY_FW_GROUP_BASE,
	};

	return list[rng.below(6)];
}

void Tables::move()
{
	dut.moved_valid_i = rng.one_in(3);
	dut.moved_group_i = rng.below(Groups);
	dut.moved_done_i = rng.next();
	dut.moved_limit_i = rng.next();
}

// A register that is kept, and what its word becomes.
void Tables::write_kept(unsigned int reg, unsigned int context, unsigned int edge)
{
	const bool opens = reg >= tally::fw_regs;
	const unsigned int k = opens ? reg - tally::fw_regs : 0, word = opens ? tally::open_reg[k].word : reg;

	dut.addr_i = opens ? tally::open_reg_address(k, context, edge) : tally::fw_word_reg(reg, context, edge);
	dut.data_i = opens && rng.one_in(2) ? tally::open_reg_value(rng, k) : uint32_t(rng.next());
	written.known = opens ? tally::open_reg[k].mask : 0xffffffff;
	written.value = opens ? tally::open_reg_bits(k, dut.data_i) : dut.data_i;
	written_at = { context, word < tally::fw_group_words ? 0 : edge, word };
	if (dut.read_i != tally::fw_done && dut.read_i != tally::fw_limit && rng.one_in(3)) {	// what is written is read
		dut.read_context_i = context;
		dut.read_edge_i = edge;
		dut.read_i = word;
	}
}

void Tables::write()
{
	const unsigned int context = rng.below(contexts), edge = rng.below(EdgesOf);
	const bool kept = !rng.one_in(4);

	if (kept) {
		write_kept(rng.below(kept_regs), context, edge);
	} else {
		dut.addr_i = other();
		dut.data_i = rng.next();
	}
	dut.row_i = context < Groups ? rows[context][edge] : rng.below(Rows);
	dut.write_i = !rng.one_in(4);
	bench.settle();
	CHECK(dut.mine_o == kept, "mine_o is %d at %x", dut.mine_o, dut.addr_i);
}

// The limit follows done. While done is read, or it, another register may be the next.
void Tables::choose_read()
{
	if (dut.read_i == tally::fw_done && !rng.one_in(4)) {
		dut.read_i = tally::fw_limit;
		return;
	}
	dut.read_context_i = rng.below(contexts);
	dut.read_edge_i = rng.below(EdgesOf);
	dut.read_i = rng.one_in(4) ? tally::fw_done : rng.below(tally::open_words);
	if (dut.read_i == tally::fw_limit)
		dut.read_i = tally::fw_regs - 1;
}

// What is read in the next clock is what is known now.
void Tables::check()
{
	const unsigned int context = dut.read_context_i, word = dut.read_i;
	const Window tomb = { true, 0, 0 };
	uint32_t known, expected;

	if (word == tally::fw_done || word == tally::fw_limit) {
		if (word == tally::fw_done)
			window = context < Groups ? windows[context] : tomb;
		known = window.known ? 0xffffffff : 0;
		expected = (word == tally::fw_done ? window.done : window.limit) & known;
		limits += known && word == tally::fw_limit;
	} else {
		const Word value = values[{ context, word < tally::fw_group_words ? 0 : unsigned(dut.read_edge_i), word }];

		known = value.known;
		expected = value.value;
	}
	if (dut.write_i && dut.mine_o) {
		Word &w = values[written_at];

		w = { (w.value & ~written.known) | written.value, w.known | written.known };
	}
	refused += dut.write_i && !dut.mine_o;
	if (dut.moved_valid_i)
		windows[dut.moved_group_i] = { true, dut.moved_done_i, dut.moved_limit_i };
	bench.tick();
	CHECK((dut.read_o & known) == expected, "word %u of context %u is %x, not %x of %x", word, context, dut.read_o, expected, known);
	read += !!known;
}

void Tables::cycle()
{
	move();
	choose_read();
	write();
	dut.read_row_i = dut.read_context_i < Groups ? rows[dut.read_context_i][dut.read_edge_i] : rng.below(Rows);
	check();
}

int Tables::run()
{
	bench.reset();
	give_rows();
	for (uint64_t left = bench.times(40000); left; left--)
		cycle();
	CHECK(read > 10000 && refused > 1000 && limits > 1000, "%llu words were read, %llu limits", static_cast<unsigned long long>(read),
	      static_cast<unsigned long long>(limits));
	return bench.finish();
}

int main(int argc, char **argv)
{
	return Tables(argc, argv).run();
}
