// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_head_regs: groups are created and their edges renewed, opened and settled as the firmware does it, with
// registers of further groups and edges in between, while rows are closed. Rows and operations must be those of the
// registers, once, and in this order. The source port is that of the C model.
#include <cstring>
#include <deque>

#include "Vdut.h"
#include "bench.h"

extern "C" {
#include "gen/tally_fw_hw.h"
#include "gen/tally_hw.h"
#include "nic/tx_header.h"
}

#define AT(block, field) static_cast<uint32_t>(offsetof(struct tally_fw_##block, field))

enum { CLOSE, RENEW, OPEN, SETTLE };

struct Group {
	bool known;
	uint32_t jid, flags, segs, parent, left;
	uint64_t children, ins;
};

struct Op {
	unsigned int op, row, group;
	uint32_t limit;
	bool gives;
};

class HeadRegs {
public:
	HeadRegs(int argc, char **argv) : bench("head_regs", argc, argv), rng(bench.rng), dut(*bench.dut), ops(rng), takes(rng), closes(rng)
	{
		restart();
	}
	int run();

private:
	static uint32_t reg(unsigned int g, uint32_t at) { return TALLY_FW_GROUP_BASE + g * TALLY_FW_GROUP_STRIDE + at; }
	static uint32_t edge_reg(unsigned int g, unsigned int e, uint32_t at)
	{
		return reg(g, TALLY_FW_EDGE_OFFSET + e * TALLY_FW_EDGE_STRIDE + at);
	}
	static uint32_t next_reg(unsigned int g, unsigned int e, uint32_t at) { return edge_reg(g, e, TALLY_FW_NEIGHBOUR_OFFSET + at); }
	void restart();
	void clock();
	void settle_down();
	void write(uint32_t at, uint32_t value, bool elsewhere);
	void bytes(uint32_t at, const uint8_t *from, unsigned int length, bool elsewhere);
	void check_edge();
	void check_group();
	void create(unsigned int g);
	void epoch(unsigned int g);
	void renew(unsigned int g);
	void open(unsigned int g);
	void settle_edge(unsigned int g);
	void others();

	tally::Bench<Vdut> bench;
	tally::Rng &rng;
	Vdut &dut;
	tally::Throttle ops, takes, closes;
	Group groups[Groups] = {};
	std::deque<Op> wanted;
	uint8_t edge_row[30] = {};	// that is wanted next, the first byte the lowest one
	bool wants_edge = false, wants_group = false;
	unsigned int row = 0, group = 0;
	uint32_t epoch_ = 0;
	uint64_t closed = 0, opened = 0, created = 0;
};

void HeadRegs::restart()
{
	dut.axil_awvalid_i = dut.axil_wvalid_i = dut.axil_bready_i = dut.taken_i = dut.close_valid_i = dut.op_ready_i = 0;
	dut.axil_wstrb_i = 0xf;
	wanted.clear();
	wants_edge = wants_group = false;
	std::memset(groups, 0, sizeof(groups));
	bench.reset();
}

void HeadRegs::check_edge()
{
	CHECK(wants_edge && dut.edge_row_o == row, "the row %u of an edge is written", dut.edge_row_o);
	CHECK(!std::memcmp(&dut.edge_o, edge_row, sizeof(edge_row)), "another row than that of the registers");
	wants_edge = false;
}

void HeadRegs::check_group()
{
	const Group &g = groups[group];
	uint32_t words[3];

	CHECK(wants_group && dut.group_index_o == group, "the row of group %u is written", dut.group_index_o);
	wants_group = false;
	std::memcpy(words, &dut.group_o, sizeof(words));
	bool ordered = words[0] & 1;
	uint32_t epoch = words[0] >> 1 | words[1] << 31, jid = words[1] >> 1 | words[2] << 31;

	CHECK(ordered == !!(g.flags & TALLY_GROUP_F_ORDERED) && epoch == epoch_ && jid == g.jid, "group %u: wrong row", group);
}

// One clock, with the other sides.
void HeadRegs::clock()
{
	dut.op_ready_i = ops.go();
	bench.settle();
	if (dut.edge_write_o)
		check_edge();
	if (dut.group_write_o)
		check_group();
	if (dut.op_valid_o) {
		CHECK(!wanted.empty() && !wants_edge, "operation %u that nobody has asked for, or ahead of its row", dut.op_o);
		const Op &o = wanted.front();

		CHECK(dut.op_o == o.op && dut.op_row_o == o.row, "operation %u of row %u, not %u of %u", dut.op_o, dut.op_row_o, o.op, o.row);
		CHECK(o.op != RENEW || (dut.op_group_o == o.group && dut.op_limit_o == o.limit), "an edge is renewed with another limit");
		CHECK(o.op != OPEN || (dut.op_limit_o == o.limit && dut.op_gives_o == o.gives), "an edge opens with limit %u, gives %d",
		      dut.op_limit_o, dut.op_gives_o);
		CHECK(dut.close_ready_o == (o.op == CLOSE && dut.op_ready_i), "close_ready_o is %d", dut.close_ready_o);
		CHECK(dut.busy_o, "not busy with an operation");
	}
	bool taken = dut.op_valid_o && dut.op_ready_i, close = dut.close_valid_i && dut.close_ready_o;

	if (taken)
		wanted.pop_front();
	bench.tick();
	if (close)
		dut.close_valid_i = 0;
	closed += close;
}

// Rows are closed while nothing else is inside.
void HeadRegs::settle_down()
{
	unsigned int left = 300;

	while (bench.settle(), dut.busy_o) {
		CHECK(left--, "busy for ever");
		clock();
	}
	CHECK(wanted.empty() && !wants_edge && !wants_group, "something has not been written");
	if (!closes.go())
		return;
	dut.close_valid_i = 1;
	dut.close_row_i = rng.below(Rows);
	wanted.push_back({ CLOSE, dut.close_row_i, 0, 0, false });
}

void HeadRegs::write(uint32_t at, uint32_t value, bool elsewhere)
{
	unsigned int left = 300;

	dut.axil_awaddr_i = at;
	dut.axil_wdata_i = value;
	bench.settle();
	CHECK(dut.mine_o == !elsewhere, "mine_o is %d at %x", dut.mine_o, at);
	if (elsewhere) {
		while (bench.settle(), dut.busy_o)
			clock();
		dut.taken_i = 1;
		clock();
		dut.taken_i = 0;
		return;
	}
	dut.axil_awvalid_i = dut.axil_wvalid_i = 1;
	for (bool taken = false, done = false; !done; left--) {
		CHECK(left, "the write of %x is stuck", at);
		dut.axil_bready_i = takes.go();
		bench.settle();
		done = dut.axil_bvalid_o && dut.axil_bready_i;
		CHECK(!dut.axil_bvalid_o || (taken && !dut.axil_bresp_o), "a wrong answer at %x", at);
		CHECK(!done || (wanted.empty() && !wants_edge), "the answer at %x comes ahead of its operation", at);
		taken |= dut.axil_awvalid_i && dut.axil_awready_o;
		clock();
		if (taken)
			dut.axil_awvalid_i = dut.axil_wvalid_i = 0;
	}
	dut.axil_bready_i = 0;
}

void HeadRegs::bytes(uint32_t at, const uint8_t *from, unsigned int length, bool elsewhere)
{
	for (unsigned int i = 0; i < length; i += 4) {
		uint32_t word = 0;

		std::memcpy(&word, from + i, length - i < 4 ? length - i : 4);
		write(at + i, word, elsewhere);
	}
}

void HeadRegs::create(unsigned int g)
{
	static const uint32_t flags[] = { 0, TALLY_GROUP_F_ROOT, TALLY_GROUP_F_ORDERED };
	uint32_t max = rng.below(4), edges = rng.below(EdgesOf), parent = rng.one_in(4) ? uint32_t(TALLY_FW_NO_EDGE) : rng.below(EdgesOf);
	Group n = { true, (uint32_t)rng.next(), flags[rng.below(3)], (uint32_t)rng.below(4), parent,
		rng.one_in(2) ? uint32_t(TALLY_FW_NO_EDGE) : uint32_t(rng.below(EdgesOf)), rng.next(), rng.next() };

	write(reg(g, AT(group, flags)), n.flags, true);
	write(reg(g, AT(group, parent)), n.parent, true);
	write(reg(g, TALLY_FW_SETUP_OFFSET + AT(setup, left)), n.left, true);
	write(reg(g, AT(group, num_edges)), edges, true);
	write(reg(g, AT(group, exchange_ins)), n.ins, true);
	write(reg(g, AT(group, exchange_ins) + 4), n.ins >> 32, true);
	write(reg(g, AT(group, children)), n.children, true);
	write(reg(g, AT(group, children) + 4), n.children >> 32, true);
	write(reg(g, AT(group, num_segs)), n.segs, false);
	write(reg(g, TALLY_FW_SETUP_OFFSET + AT(setup, jid)), n.jid, true);
	write(reg(g, TALLY_FW_SETUP_OFFSET + AT(setup, max_segs)), max, false);
	others();
	while (bench.settle(), dut.busy_o)
		clock();
	dut.axil_awaddr_i = TALLY_FW_COMMAND_BASE + AT(command, go);
	dut.taken_i = 1;
	dut.axil_wdata_i = TALLY_FW_CMD_BEGIN | g << 16;
	bench.settle();
	CHECK(!dut.walk_write_o, "BEGIN writes a row");
	dut.axil_wdata_i = TALLY_FW_CMD_CREATE | (Groups + g) << 16;
	bench.settle();
	CHECK(!dut.walk_write_o, "a tombstone has a row");
	dut.axil_wdata_i = TALLY_FW_CMD_CREATE | g << 16;
	bench.settle();
	CHECK(dut.walk_write_o && dut.walk_group_o == g && dut.walk_edges_o == edges && dut.walk_parent_o == (parent == EdgesOf - 1) &&
		      dut.walk_borrows_o == (max > n.segs),
	      "wrong row of group %u for walks", g);
	clock();
	dut.taken_i = 0;
	groups[g] = n;
	created++;
}

void HeadRegs::epoch(unsigned int g)
{
	settle_down();
	while (bench.settle(), dut.busy_o)
		clock();
	wants_group = true;
	group = g;
	epoch_ = rng.next();
	write(reg(g, AT(group, epoch)), epoch_, true);
}

void HeadRegs::renew(unsigned int g)
{
	settle_down();
	dut.row_i = rng.below(Rows);
	wanted.push_back({ RENEW, dut.row_i, g, groups[g].segs, false });
	write(edge_reg(g, rng.below(EdgesOf), AT(edge, own_first_seq)), rng.next(), true);
}

void HeadRegs::open(unsigned int g)
{
	unsigned int e = rng.below(EdgesOf);
	uint32_t limit = rng.next(), key = rng.next();
	uint8_t gid[16], mac[6], index = rng.below(256), round = rng.below(256);
	const Group &n = groups[g];

	rng.fill(gid, sizeof(gid));
	rng.fill(mac, sizeof(mac));
	write(edge_reg(g, e, AT(edge, peer_key)), key, false);
	bytes(next_reg(g, e, AT(neighbour, gid)), gid, sizeof(gid), true);
	bytes(next_reg(g, e, AT(neighbour, mac)), mac, sizeof(mac), false);
	write(next_reg(g, e, AT(neighbour, remote_index)), index, false);
	write(next_reg(g, e, AT(neighbour, round)), round, false);
	others();
	settle_down();

	uint16_t port = tx_source_port(gid, htobe32(n.jid));

	edge_row[0] = round;
	std::memcpy(edge_row + 1, &port, 2);
	edge_row[3] = index;
	std::memcpy(edge_row + 4, &key, 4);
	for (unsigned int i = 0; i < 16; i++)
		edge_row[8 + i] = gid[15 - i];
	for (unsigned int i = 0; i < 6; i++)
		edge_row[24 + i] = mac[5 - i];
	row = dut.row_i = rng.below(Rows);
	wants_edge = true;
	wanted.push_back({ OPEN, row, g, limit, e == n.parent || e == n.left || (e < 64 && (n.children | n.ins) >> e & 1) });
	// A row that is closed comes ahead, and the row of this edge is not yet written then.
	while (dut.close_valid_i) {
		wants_edge = false;
		clock();
		wants_edge = true;
	}
	write(edge_reg(g, e, AT(edge, first_limit)), limit, false);
	opened++;
}

void HeadRegs::settle_edge(unsigned int g)
{
	bool settles = rng.one_in(2);

	settle_down();
	dut.row_i = rng.below(Rows);
	if (settles)
		wanted.push_back({ SETTLE, dut.row_i, g, 0, false });
	write(edge_reg(g, rng.below(EdgesOf), AT(edge, unconfirmed)), !settles, false);
}

// Registers of other units, of edges and groups that there are not, and parts of words.
void HeadRegs::others()
{
	const uint32_t list[] = { reg(rng.below(Groups), AT(group, mtu)), reg(Groups, AT(group, num_segs)), TALLY_FW_NET_BASE,
				  edge_reg(rng.below(Groups), rng.below(EdgesOf), AT(edge, key)),
				  edge_reg(rng.below(Groups), EdgesOf, AT(edge, first_limit)),
				  next_reg(rng.below(Groups), EdgesOf, AT(neighbour, mac)) };

	while (bench.settle(), dut.busy_o)
		clock();
	write(list[rng.below(6)], rng.next(), true);
	dut.axil_wstrb_i = rng.below(15);
	write(edge_reg(0, 0, AT(edge, peer_key)), rng.next(), true);
	write(edge_reg(0, 0, AT(edge, own_first_seq)), rng.next(), true);
	dut.axil_wstrb_i = 0xf;
}

int HeadRegs::run()
{
	for (uint64_t left = bench.times(3000); left; left--) {
		unsigned int g = rng.below(Groups);

		if (rng.one_in(200)) {
			clock();
			restart();
		}
		if (!groups[g].known || rng.one_in(8))
			create(g);
		else if (rng.one_in(4))
			epoch(g);
		else if (rng.one_in(3))
			renew(g);
		else if (rng.one_in(2))
			open(g);
		else
			settle_edge(g);
	}
	settle_down();
	CHECK(closed > 100 && opened > 100 && created > 100, "too little has happened");
	return bench.finish();
}

int main(int argc, char **argv)
{
	return HeadRegs(argc, argv).run();
}
