// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_fw_tables: random writes of registers that are kept and of others, and reads of words at the same time. A
// word that is read must be what its register had before this clock. Groups move meanwhile, and a limit must belong to the
// done that was read before it.
#include <map>

#include "Vdut.h"
#include "bench.h"
#include "fw_send_words.h"

class Tables {
public:
	Tables(int argc, char **argv) : bench("fw_tables", argc, argv), dut(*bench.dut), rng(bench.rng) {}
	int run();

private:
	static constexpr unsigned int contexts = Groups + Tombs;

	void give_rows();
	uint32_t other();
	void move();
	void write();
	void choose_read();
	void check();
	void cycle();

	tally::Bench<Vdut> bench;
	Vdut &dut;
	tally::Rng &rng;
	unsigned int rows[Groups][EdgesOf];
	std::map<uint32_t, uint32_t> values;	// by the address of a register
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
		tally::fw_word_reg(tally::fw_regs - 1, rng.below(contexts), rng.below(EdgesOf)) + 4,
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

void Tables::write()
{
	const unsigned int word = rng.below(tally::fw_regs), context = rng.below(contexts), edge = rng.below(EdgesOf);
	const bool kept = !rng.one_in(4);

	dut.addr_i = kept ? tally::fw_word_reg(word, context, edge) : other();
	dut.row_i = context < Groups ? rows[context][edge] : rng.below(Rows);
	dut.data_i = rng.next();
	dut.write_i = !rng.one_in(4);
	if (dut.read_i < tally::fw_regs && rng.one_in(3)) {	// what is written is read
		dut.read_context_i = context;
		dut.read_edge_i = edge;
		dut.read_i = word;
	}
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
	dut.read_i = rng.one_in(4) ? tally::fw_done : rng.below(tally::fw_regs);
}

// What is read in the next clock is what is known now.
void Tables::check()
{
	const unsigned int context = dut.read_context_i, word = dut.read_i;
	const Window tomb = { true, 0, 0 };
	bool known;
	uint32_t expected;

	if (word >= tally::fw_regs) {
		if (word == tally::fw_done)
			window = context < Groups ? windows[context] : tomb;
		known = window.known;
		expected = word == tally::fw_done ? window.done : window.limit;
		limits += known && word == tally::fw_limit;
	} else {
		const auto value = values.find(tally::fw_word_reg(word, context, dut.read_edge_i));

		known = value != values.end();
		expected = known ? value->second : 0;
	}
	if (dut.write_i && dut.mine_o)
		values[dut.addr_i] = dut.data_i;
	refused += dut.write_i && !dut.mine_o;
	if (dut.moved_valid_i)
		windows[dut.moved_group_i] = { true, dut.moved_done_i, dut.moved_limit_i };
	bench.tick();
	CHECK(!known || dut.read_o == expected, "word %u of context %u is %x, not %x", word, context, dut.read_o, expected);
	read += known;
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
