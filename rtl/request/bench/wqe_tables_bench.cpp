// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_wqe_tables: writes of all registers of groups and queue pairs, in any order, and of others, amid searches.
// Each search must find the rows that the model's registers have when it reads them.
#include <cstddef>
#include <vector>

#include "Vdut.h"
#include "bench.h"
#include "wqe_record.h"
#include "wqe_tables_model.h"

extern "C" {
#include "gen/tally_fw_hw.h"
}

#define AT(block, field) static_cast<uint32_t>(offsetof(struct tally_fw_##block, field))
#define SETUP(field) (TALLY_FW_SETUP_OFFSET + AT(setup, field))

// A register that the block keeps: its place, and the bits that the firmware writes at most.
struct Register {
	uint32_t at;
	unsigned int bits;
};

static const std::vector<Register> of_group = {
	{ AT(group, flags), 5 },	 { AT(group, mtu), 13 },	{ AT(group, chunk), 13 },
	{ AT(group, node), 12 },	 { AT(group, num_nodes), 13 },	{ AT(group, modes), 8 },
	{ AT(group, total_ranks), 19 },	 { AT(group, parent), 8 },	{ AT(group, rank_mask), 64 },
	{ AT(group, children), 64 },	 { AT(group, combined), 64 },	{ AT(group, peers), 64 },
	{ SETUP(jid), 32 },		 { SETUP(max_segs), 9 },	{ SETUP(mode), 8 },
	{ SETUP(choice_modes), 24 },	 { SETUP(choice_logs), 16 },
};
static const std::vector<Register> of_qp = { { AT(qp, group), 10 }, { AT(qp, stride), 14 }, { AT(qp, pd), 10 },
						   { AT(qp, ranks), 64 } };

class Tables {
public:
	Tables(int argc, char **argv) : bench("wqe_tables", argc, argv), dut(*bench.dut), rng(bench.rng) {}

	int run();

private:
	struct Word {
		uint32_t reg, value;
		bool ends;	// the register is complete with it
		uint32_t whole_reg;
		uint64_t whole;
	};

	void restart();
	void cycle();
	void choose_write();
	void add(uint32_t reg, unsigned int bits, uint64_t value);
	void add_group(unsigned int group, const Register &r);
	void add_qp(unsigned int qp, const Register &r);
	void other_write();
	bool is_kept(uint32_t reg) const;
	void search();

	tally::Bench<Vdut> bench;
	Vdut &dut;
	tally::Rng &rng;
	std::vector<Word> words;	// to be written, the last one first
	bool silent = false;		// nobody carries the write out
	model_around found = {};	// what the last search must find
	uint32_t pd_found = 0;
	int group_of = -1;		// group whose row is read in this clock; -1: none
	bool qp_valid = false, group_valid = false;
	uint64_t searches = 0;
};

void Tables::add(uint32_t reg, unsigned int bits, uint64_t value)
{
	if (bits > 32)
		words.push_back({ reg + 4, uint32_t(value >> 32), true, reg, value });
	words.push_back({ reg, uint32_t(value), bits <= 32, reg, value });
}

void Tables::add_group(unsigned int group, const Register &r)
{
	uint32_t reg = TALLY_FW_GROUP_BASE + group * TALLY_FW_GROUP_STRIDE + r.at;
	uint64_t value = rng.next() & (~0ull >> (64 - r.bits));

	if (r.at == AT(group, parent))
		value = rng.one_in(3) ? TALLY_FW_NO_EDGE : rng.below(TALLY_MAX_CONTRIBUTORS + 1);
	if (r.at == SETUP(choice_modes)) {
		reg += 4 * rng.below(8);
		value &= 0x030303;
	} else if (r.at == SETUP(choice_logs)) {
		reg += 4 * rng.below(8);
		value &= 0x1f1f;
	}
	add(reg, r.bits, value);
}

void Tables::add_qp(unsigned int qp, const Register &r)
{
	uint32_t reg = TALLY_FW_QP_BASE + qp * TALLY_FW_QP_STRIDE + r.at;

	add(reg, r.bits, r.at == AT(qp, group) ? rng.below(Groups) : rng.next() & (~0ull >> (64 - r.bits)));
}

bool Tables::is_kept(uint32_t reg) const
{
	uint32_t in = reg - TALLY_FW_GROUP_BASE, at = in % TALLY_FW_GROUP_STRIDE;

	if (reg >= TALLY_FW_GROUP_BASE) {
		for (const Register &r : of_group) {
			unsigned int words = r.at == SETUP(choice_modes) || r.at == SETUP(choice_logs) ? 8 : r.bits > 32 ? 2 : 1;

			for (unsigned int i = 0; i < words; i++)
				if (at == r.at + 4 * i && in / TALLY_FW_GROUP_STRIDE < Groups)
					return true;
		}
		return false;
	}
	in = reg - TALLY_FW_QP_BASE;
	for (const Register &r : of_qp)
		for (unsigned int i = 0; i < (r.bits > 32 ? 2 : 1); i++)
			if (in % TALLY_FW_QP_STRIDE == r.at + 4 * i && reg >= TALLY_FW_QP_BASE && in / TALLY_FW_QP_STRIDE < Qps)
				return true;
	return false;
}

// A write that changes nothing: of another register, of a group or queue pair that there is not, or one that is not carried
// out.
void Tables::other_write()
{
	uint32_t reg = TALLY_FW_GROUP_BASE + rng.below(Groups + 2) * TALLY_FW_GROUP_STRIDE + 4 * rng.below(TALLY_FW_ROUND_OFFSET / 4);

	if (rng.one_in(3))
		reg = TALLY_FW_QP_BASE + rng.below(Qps + 2) * TALLY_FW_QP_STRIDE + 4 * rng.below(TALLY_FW_QP_STRIDE / 4);
	if (rng.one_in(8))
		reg ^= 1u << rng.below(32);
	silent = is_kept(reg);
	dut.addr_i = reg;
	dut.data_i = rng.next();
	dut.write_i = !silent;
}

void Tables::choose_write()
{
	dut.write_i = 0;
	dut.data_i = rng.next();
	silent = false;
	if (words.empty() && rng.one_in(2)) {
		if (rng.one_in(3))
			add_qp(rng.below(Qps), of_qp[rng.below(of_qp.size())]);
		else
			add_group(rng.below(Groups), of_group[rng.below(of_group.size())]);
	}
	if (words.empty() || rng.one_in(4)) {
		other_write();
		return;
	}
	dut.addr_i = words.back().reg;
	dut.data_i = words.back().value;
	dut.write_i = 1;
}

// Reads the rows as the model has them before the write of this clock.
void Tables::search()
{
	if (group_of >= 0) {
		model_group(&found, group_of);
		group_valid = true;
	}
	group_of = -1;
	if (!dut.find_valid_i)
		return;
	group_of = model_qp(&found, &pd_found, dut.find_qp_i);
	qp_valid = true;
	searches++;
}

void Tables::cycle()
{
	bool reads = group_of >= 0;

	choose_write();
	dut.find_valid_i = rng.one_in(4);
	dut.find_qp_i = rng.below(Qps);
	bench.settle();
	CHECK(dut.mine_o == is_kept(dut.addr_i), "mine_o is %d for register %x", dut.mine_o, dut.addr_i);
	if (qp_valid)
		check_fields(dut.qp_o, qp_fields(found), 2);
	CHECK(!qp_valid || dut.pd_o == pd_found, "protection domain %u instead of %u", dut.pd_o, pd_found);
	// The row of the group comes a clock after that of the queue pair.
	if (group_valid && !reads)
		check_fields(dut.group_o, group_fields(found), group_fields(found).size());
	search();
	if (dut.write_i && !words.empty() && dut.addr_i == words.back().reg && dut.data_i == words.back().value) {
		if (words.back().ends)
			model_write(words.back().whole_reg, words.back().whole);
		words.pop_back();
	}
	bench.tick();
}

void Tables::restart()
{
	dut.write_i = dut.find_valid_i = 0;
	words.clear();
	group_of = -1;
	qp_valid = group_valid = false;
	bench.reset();
	for (unsigned int g = 0; g < Groups; g++)
		for (const Register &r : of_group)
			for (unsigned int k = 0; k < (r.at >= SETUP(choice_modes) ? 8 : 1); k++)
				add(TALLY_FW_GROUP_BASE + g * TALLY_FW_GROUP_STRIDE + r.at + 4 * k, r.bits, 0);
	for (unsigned int n = 0; n < Qps; n++)
		for (const Register &r : of_qp)
			add(TALLY_FW_QP_BASE + n * TALLY_FW_QP_STRIDE + r.at, r.bits, 0);
	for (; !words.empty(); words.pop_back()) {
		dut.addr_i = words.back().reg;
		dut.data_i = words.back().value;
		dut.write_i = 1;
		if (words.back().ends)
			model_write(words.back().whole_reg, words.back().whole);
		bench.settle();
		bench.tick();
	}
	dut.write_i = 0;
}

int Tables::run()
{
	bench.live(bench.times(60000), [this] { restart(); }, [this] { cycle(); });
	CHECK(searches > 1000, "%llu searches", (unsigned long long)searches);
	return bench.finish();
}

int main(int argc, char **argv)
{
	return Tables(argc, argv).run();
}
