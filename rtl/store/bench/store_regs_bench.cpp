// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_store_regs: groups are created as the firmware does it, their registers in any order, some of them by
// writes that another unit takes. Each row must be that of its group, and be written only for the groups of the store.
#include <algorithm>
#include <cstring>
#include <vector>

#include "Vdut.h"
#include "bench.h"

extern "C" {
#include "gen/tally_fw_hw.h"
#include "gen/tally_hw.h"
}

#define AT(block, field) static_cast<uint32_t>(offsetof(struct tally_fw_##block, field))

constexpr unsigned int part_bits = __builtin_ctz(TALLY_FW_STORE_PARTS);

struct Write {
	uint32_t at, value;
	bool elsewhere;	// another unit takes it
};

struct Group {
	uint32_t flags, parent, mtu, node, nodes, modes, ranks, edges;
	uint64_t mask, children;
	uint32_t left, right, inverse, shift, parts[TALLY_FW_PART_MODES], log;
	uint64_t ins;
};

class RegsBench {
public:
	RegsBench(int argc, char **argv) : bench("store_regs", argc, argv), rng(bench.rng), dut(*bench.dut)
	{
		dut.axil_awvalid_i = dut.axil_wvalid_i = dut.taken_i = 0;
		dut.axil_bready_i = 1;
		dut.axil_wstrb_i = 0xf;
		dut.read_group_i = 0;
		bench.reset();
	}
	int run();

private:
	uint32_t reg(unsigned int g, uint32_t at) const { return TALLY_FW_GROUP_BASE + g * TALLY_FW_GROUP_STRIDE + at; }
	void tick();
	void write(const Write &w);
	void others();
	void create(unsigned int g);
	void check_row(unsigned int g, const Group &group, bool does);
	void check_reading(unsigned int g);
	void check_inverse(unsigned int g, uint32_t ranks);
	void write_until_taken(uint32_t at, uint32_t value, bool elsewhere = false);
	void written();
	void edge(unsigned int g);
	void part(unsigned int g);
	void inputs(unsigned int g);

	tally::Bench<Vdut> bench;
	tally::Rng &rng;
	Vdut &dut;
	bool pending_ = false;	// the registers are those of a group that was not created
	uint32_t does_[Groups] = {};	// modes
	uint32_t nodes_[Groups] = {};
	unsigned int inverses_ = 0, rows_ = 0;	// that were written
	unsigned int inverse_group_ = 0, down_ = 0;
	unsigned __int128 inverse_ = 0;
};

// Notes what is written in this clock.
void RegsBench::tick()
{
	bench.settle();
	rows_ += dut.group_write_o;
	if (dut.inverse_write_o) {
		inverses_++;
		inverse_group_ = dut.inverse_group_o;
		down_ = dut.inverse_down_o;
		inverse_ = 0;
		std::memcpy(&inverse_, &dut.inverse_o, 11);
	}
	bench.tick();
}

void RegsBench::write(const Write &w)
{
	dut.axil_awaddr_i = w.at;
	dut.axil_wdata_i = w.value;
	bench.settle();
	CHECK(dut.mine_o == !w.elsewhere, "mine_o is %d at %x", dut.mine_o, w.at);
	if (w.elsewhere) {
		dut.taken_i = 1;
		tick();
		dut.taken_i = 0;
		return;
	}
	dut.axil_awvalid_i = dut.axil_wvalid_i = 1;
	for (unsigned int left = 200; bench.settle(), !dut.axil_awready_o; left--) {
		CHECK(left, "the write of %x is not taken", w.at);
		tick();
	}
	tick();
	dut.axil_awvalid_i = dut.axil_wvalid_i = 0;
	bench.settle();
	CHECK(dut.axil_bvalid_o && !dut.axil_bresp_o && dut.busy_o, "no answer to the write of %x", w.at);
	tick();
}

// Registers of other units, and parts of words.
void RegsBench::others()
{
	const uint32_t beyond = reg(rng.below(Groups), TALLY_FW_EDGE_OFFSET + TALLY_MAX_CONTRIBUTORS * TALLY_FW_EDGE_STRIDE);
	const uint32_t list[] = { reg(rng.below(Groups), AT(group, epoch)), reg(Groups, AT(group, mtu)), TALLY_FW_NET_BASE,
				  reg(rng.below(Groups), TALLY_FW_EDGE_OFFSET + AT(edge, key)),
				  beyond + AT(edge, subtree_first), beyond + TALLY_FW_NEIGHBOUR_OFFSET + AT(neighbour, part) };

	dut.axil_awaddr_i = list[rng.below(6)];
	bench.settle();
	CHECK(!dut.mine_o, "register %x is one of the store", dut.axil_awaddr_i);
	dut.axil_wstrb_i = rng.below(15);
	dut.axil_awaddr_i = reg(0, AT(group, mtu));
	bench.settle();
	CHECK(!dut.mine_o, "a part of a word is written");
	dut.axil_wstrb_i = 0xf;
	dut.axil_awaddr_i = beyond + AT(edge, subtree_count);
	dut.taken_i = 1;
	bench.settle();
	CHECK(!dut.route_write_o, "an edge beyond the contributors has a route");
	dut.taken_i = 0;
}

// A write that makes a row, perhaps one that another unit takes; it is there in this clock.
void RegsBench::write_until_taken(uint32_t at, uint32_t value, bool elsewhere)
{
	dut.axil_awaddr_i = at;
	dut.axil_wdata_i = value;
	if (elsewhere) {
		dut.taken_i = 1;
		bench.settle();
		CHECK(!dut.mine_o, "mine_o is 1 at %x", at);
		return;
	}
	dut.axil_awvalid_i = dut.axil_wvalid_i = 1;
	while (bench.settle(), !dut.axil_awready_o)
		tick();
	CHECK(dut.mine_o, "mine_o is 0 at %x", at);
}

void RegsBench::written()
{
	tick();
	dut.axil_awvalid_i = dut.axil_wvalid_i = dut.taken_i = 0;
	bench.settle();
	CHECK(!dut.route_write_o && !dut.part_write_o && !dut.rank_write_o && !dut.edge_write_o, "a row is written twice");
	tick();
}

void RegsBench::edge(unsigned int g)
{
	unsigned int e = rng.below(64);
	uint32_t at = reg(g, TALLY_FW_EDGE_OFFSET + e * TALLY_FW_EDGE_STRIDE), first = rng.below(65536), count = rng.below(65536);

	write({ at + AT(edge, subtree_first), first, true });
	write_until_taken(at + AT(edge, subtree_count), count, true);
	CHECK(dut.route_write_o && dut.route_group_o == g && dut.route_edge_o == e && dut.route_first_o == first &&
		      dut.route_count_o == count,
	      "wrong route of edge %u of group %u", e, g);
	written();
}

void RegsBench::part(unsigned int g)
{
	unsigned int i = rng.below(TALLY_FW_STORE_PARTS), mode = rng.below(TALLY_FW_PART_MODES);
	uint32_t at = reg(g, TALLY_FW_PART_OFFSET + (mode * TALLY_FW_STORE_PARTS + i) * TALLY_FW_PART_STRIDE), next = rng.below(TALLY_FW_STORE_PARTS);
	uint32_t right = rng.below(2), inner = rng.below(4);
	uint64_t ins = rng.next(), outs = rng.next();

	write({ at + AT(part, ins), uint32_t(ins), false });
	write({ at + AT(part, ins) + 4, uint32_t(ins >> 32), false });
	write({ at + AT(part, outs) + 4, uint32_t(outs >> 32), false });
	write({ at + AT(part, outs), uint32_t(outs), false });
	write_until_taken(at + AT(part, link), next | right << 8 | inner << 16);
	CHECK(dut.part_write_o && dut.part_group_o == g && dut.part_mode_o == mode && dut.part_index_o == i && dut.part_ins_o == ins && dut.part_outs_o == outs &&
		      dut.part_next_o == next && dut.part_right_o == right && dut.part_inner_o == inner,
	      "wrong row of part %u of group %u", i, g);
	written();
}

// Of a rank, and of an edge: a part for each mode.
void RegsBench::inputs(unsigned int g)
{
	unsigned int i = rng.below(64);
	uint32_t part = 0, right = 0, round = rng.below(13), parts = 0, rights = 0;

	for (unsigned int m = 0; m < TALLY_FW_PART_MODES; m++) {
		uint32_t to = rng.below(TALLY_FW_STORE_PARTS), as = rng.below(2);

		part |= to << part_bits * m;
		right |= as << m;
		parts |= to << 8 * m;
		rights |= as << (8 * m + 7);
	}
	write_until_taken(reg(g, TALLY_FW_INPUTS_OFFSET) + AT(inputs, rank) + 4 * i, parts | rights);
	CHECK(dut.rank_write_o && dut.rank_group_o == g && dut.rank_index_o == i && dut.rank_part_o == part &&
		      dut.rank_right_o == right && !dut.edge_write_o && !dut.part_write_o,
	      "wrong row of rank %u of group %u", i, g);
	written();
	write_until_taken(reg(g, TALLY_FW_EDGE_OFFSET + i * TALLY_FW_EDGE_STRIDE + TALLY_FW_NEIGHBOUR_OFFSET) + AT(neighbour, part),
			  parts | round << 24);
	CHECK(dut.edge_write_o && dut.edge_group_o == g && dut.edge_index_o == i && dut.edge_part_o == part &&
		      dut.edge_round_o == round && !dut.rank_write_o && !dut.part_write_o,
	      "wrong part of edge %u of group %u", i, g);
	written();
}

// Whether chunks of mode TREE + m have parts.
static bool needs_parts(const Group &g, unsigned int m)
{
	return g.modes >> m & 1 && (m == TALLY_MODE_EXCHANGE - TALLY_MODE_TREE || (g.flags & TALLY_GROUP_F_ORDERED));
}

static bool lacks_parts(const Group &g)
{
	for (unsigned int m = 0; m < TALLY_FW_PART_MODES; m++)
		if (needs_parts(g, m) && !g.parts[m])
			return true;
	return false;
}

void RegsBench::check_row(unsigned int g, const Group &group, bool does)
{
	uint32_t words[10] = {};
	unsigned int at = 0;
	auto get = [&](unsigned int bits) {
		uint64_t value = 0;

		for (unsigned int i = 0; i < bits; i++, at++)
			value |= uint64_t(words[at / 32] >> at % 32 & 1) << i;
		return value;
	};

	CHECK(dut.group_write_o == does, "group %u: a row is written: %d", g, dut.group_write_o);
	if (!does)
		return;
	CHECK(dut.group_ordered_o == !!(group.flags & TALLY_GROUP_F_ORDERED), "group %u: fixed order", g);
	for (unsigned int m = 0; m < TALLY_FW_PART_MODES; m++)
		CHECK(!needs_parts(group, m) || ((unsigned(dut.group_last_o) >> part_bits * m) % TALLY_FW_STORE_PARTS == group.parts[m] - 1 &&
						 dut.group_shift_o == group.log),
		      "group %u: parts", g);
	CHECK(dut.group_index_o == g && dut.group_edges_o == group.edges && dut.group_mtu_o == group.mtu, "wrong row of group %u", g);
	std::memcpy(words, &dut.group_o, sizeof(dut.group_o));
	CHECK(get(64) == group.ins, "group %u: neighbours in EXCHANGE", g);
	CHECK(get(64) == group.children, "group %u: children", g);
	CHECK(get(64) == group.mask, "group %u: ranks", g);
	CHECK(get(8) == group.right && get(8) == group.left, "group %u: neighbours in the ring", g);
	CHECK(get(8) == group.parent, "group %u: parent", g);
	CHECK(get(1) == (group.flags & TALLY_GROUP_F_ROOT), "group %u: root", g);
	CHECK(get(6) == group.shift && get(32) == group.inverse, "group %u: inverse of the number of nodes", g);
	CHECK(get(16) == group.nodes && get(16) == group.node, "group %u: node", g);
}

void RegsBench::check_reading(unsigned int g)
{
	dut.read_group_i = g;
	tick();
	bench.settle();
	CHECK(dut.read_tree_o == bool(does_[g] & TALLY_MODES_TREE) && dut.read_ring_o == bool(does_[g] & TALLY_MODES_RING) &&
		      dut.read_exchange_o == bool(does_[g] & TALLY_MODES_EXCHANGE),
	      "group %u: modes %d, %d, not %x", g, dut.read_tree_o, dut.read_ring_o, does_[g]);
	CHECK(!does_[g] || dut.read_nodes_o == nodes_[g], "group %u has %u nodes, not %u", g, dut.read_nodes_o, nodes_[g]);
}

// tally_scale_inverse has a bench of its own.
void RegsBench::check_inverse(unsigned int g, uint32_t ranks)
{
	unsigned int down = 31 - __builtin_clz(ranks);

	while (bench.settle(), dut.busy_o)
		tick();
	CHECK(inverses_ == 1 && inverse_group_ == g && down_ == down, "group %u: %u inverses, of group %u, down %u", g, inverses_,
	      inverse_group_, down_);
	CHECK(inverse_ == ((unsigned __int128)1 << 118) / (uint64_t(ranks) << (31 - down)), "group %u: wrong inverse of %u", g, ranks);
}

void RegsBench::create(unsigned int g)
{
	static const uint32_t modes[] = { TALLY_MODES_TREE,
					  TALLY_MODES_RING,
					  TALLY_MODES_TREE | TALLY_MODES_RING,
					  TALLY_MODES_TREE | TALLY_MODES_EXCHANGE,
					  TALLY_MODES_TREE | TALLY_MODES_EXCHANGE | TALLY_MODES_RING,
					  TALLY_MODES_EXCHANGE,
					  0 };
	static const uint32_t flags[] = { 0, TALLY_GROUP_F_ROOT, TALLY_GROUP_F_ORDERED, TALLY_GROUP_F_MULTICAST };
	Group n = { flags[rng.below(4)], (uint32_t)rng.below(256), (uint32_t)rng.below(65536), (uint32_t)rng.below(65536),
		    (uint32_t)rng.below(65536), modes[rng.below(std::size(modes))], 1 + (uint32_t)rng.below(1000), (uint32_t)rng.below(65), rng.next(),
		    rng.next(), (uint32_t)rng.below(256), (uint32_t)rng.below(256), (uint32_t)rng.next(), (uint32_t)rng.below(64),
		    {}, (uint32_t)rng.below(7), rng.next() };

	for (auto &parts : n.parts)
		parts = rng.one_in(6) ? 0 : 1 + rng.below(TALLY_FW_STORE_PARTS);
	std::vector<Write> writes = {
		{ reg(g, AT(group, flags)), n.flags, true },	     { reg(g, AT(group, parent)), n.parent, true },
		{ reg(g, AT(group, mtu)), n.mtu, false },	     { reg(g, AT(group, node)), n.node, false },
		{ reg(g, AT(group, num_nodes)), n.nodes, false },    { reg(g, AT(group, total_ranks)), n.ranks, false },
		{ reg(g, AT(group, num_edges)), n.edges, false },    { reg(g, AT(group, rank_mask)), uint32_t(n.mask), false },
		{ reg(g, AT(group, rank_mask)) + 4, uint32_t(n.mask >> 32), false },
		{ reg(g, AT(group, children)), uint32_t(n.children), false },
		{ reg(g, AT(group, children)) + 4, uint32_t(n.children >> 32), false },
		{ reg(g, AT(group, exchange_ins)), uint32_t(n.ins), false },
		{ reg(g, AT(group, exchange_ins)) + 4, uint32_t(n.ins >> 32), false },
		{ reg(g, TALLY_FW_SETUP_OFFSET + AT(setup, left)), n.left, false },
		{ reg(g, TALLY_FW_SETUP_OFFSET + AT(setup, right)), n.right, false },
		{ reg(g, TALLY_FW_SETUP_OFFSET + AT(setup, nodes_inverse)), n.inverse, false },
		{ reg(g, TALLY_FW_SETUP_OFFSET + AT(setup, nodes_shift)), n.shift, false },
		{ reg(g, TALLY_FW_SETUP_OFFSET + AT(setup, parts)), n.parts[0] | n.parts[1] << 8 | n.parts[2] << 16, false },
		{ reg(g, TALLY_FW_SETUP_OFFSET + AT(setup, part_log)), n.log, false },
	};
	bool told = pending_ || !rng.one_in(4);	// the modes are written
	bool does = told && n.modes && !lacks_parts(n) && !(n.flags & TALLY_GROUP_F_MULTICAST);
	unsigned int created = rng.one_in(8) ? (g + 1) % Groups : g;

	if (told)
		writes.push_back({ reg(g, AT(group, modes)), n.modes, false });
	for (size_t i = writes.size(); i > 1; i--)
		std::swap(writes[i - 1], writes[rng.below(i)]);
	for (const Write &w : writes)
		write(w);
	if (rng.one_in(2))
		edge(g);
	if (rng.one_in(2))
		part(g);
	if (rng.one_in(2))
		inputs(g);
	does = does && created == g;
	rows_ = inverses_ = 0;
	dut.axil_awaddr_i = TALLY_FW_COMMAND_BASE + AT(command, go);
	dut.axil_wdata_i = TALLY_FW_CMD_RELEASE | created << 16;
	dut.taken_i = 1;
	tick();
	CHECK(!rows_, "RELEASE writes a row");
	dut.axil_wdata_i = TALLY_FW_CMD_CREATE | (Groups + 1) << 16;	// a tombstone
	if (rng.one_in(8))
		tick(), dut.taken_i = 0;
	CHECK(!rows_, "a tombstone has a row");
	pending_ = !dut.taken_i;
	if (pending_)
		return;
	dut.axil_wdata_i = TALLY_FW_CMD_CREATE | created << 16;
	bench.settle();
	check_row(g, n, does);
	tick();
	dut.taken_i = 0;
	does_[created] = does ? n.modes : 0;
	nodes_[created] = n.nodes;
	if (does)
		check_inverse(g, n.ranks);
	for (unsigned int i = 0; i < Groups; i++)
		if (nodes_[i])
			check_reading(i);
}

int RegsBench::run()
{
	for (uint64_t left = bench.times(400); left; left--) {
		create(rng.below(Groups));
		others();
	}
	return bench.finish();
}

int main(int argc, char **argv)
{
	return RegsBench(argc, argv).run();
}
