// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_admission_tables: random writes of all registers, of registers that the block does not have, and beyond
// its tables; contexts enter lists and leave them. Between them, lookups read all lists and rows, and compare them with
// a copy.
#include <cstddef>
#include <cstring>
#include <list>
#include <optional>
#include <vector>

#include "Vdut.h"
#include "admission_rows.h"
#include "bench.h"
#include "parser_record.h"
extern "C" {
#include "gen/tally_fw_hw.h"
#include "gen/tally_hw.h"
}

constexpr unsigned int contexts = Groups + Tombs, edges = EdgesOf, okay = 0, slverr = 2;
constexpr size_t group_bits = 252, edge_bits = 290;

#define AT(block, field) offsetof(struct tally_fw_##block, field)

struct Context {
	uint32_t jid = 0, epoch = 0, key = 0;
	uint8_t source[16] = {};
	bool multicast = false, has_parent = false, alive = false, destroyed = false, linked = false;
	unsigned int parent = 0;
};

struct Edge {
	uint32_t key = 0;
	uint64_t nonce = 0, peer = 0;
	uint8_t gid[16] = {};
	unsigned int state = 0;
};

class Tables {
public:
	Tables(int argc, char **argv)
		: bench("admission_tables", argc, argv), dut(*bench.dut), aw(bench.rng), b(bench.rng), grant(bench.rng), rows(bench.rng)
	{
		dut.new_valid_i = 0;
		dut.axil_awvalid_i = dut.axil_wvalid_i = dut.axil_bready_i = 0;
		dut.grant_i = 0;
		dut.jid_i = 0;
		dut.context_i = dut.edge_i = 0;
		bench.reset();
	}
	int run();

private:
	void write(uint32_t at, uint32_t data, unsigned int expected, unsigned int strb = 15);
	// What its row holds, if it is an edge of a group, which has one.
	Edge &edge(unsigned int c, unsigned int e) { return c < Groups ? of_row[rows.of(c, e)] : of_tomb[c - Groups][e]; }
	void passed_on(uint32_t at, uint32_t data, bool good);
	void fill(unsigned int c);
	void change();
	void group_register(unsigned int c);
	void edge_register(unsigned int c, unsigned int e);
	void wrong_access();
	void create(unsigned int c);
	void forget(unsigned int c);
	void look(unsigned int c, unsigned int e);
	void ask();
	void check_group(const Context &x);
	void check_edge(const Edge &x);
	std::optional<unsigned int> next_of(unsigned int c);
	void check_lists();

	static uint32_t reg(unsigned int c) { return TALLY_FW_GROUP_BASE + c * TALLY_FW_GROUP_STRIDE; }
	static uint32_t reg(unsigned int c, unsigned int e)
	{
		return reg(c) + TALLY_FW_EDGE_OFFSET + e * TALLY_FW_EDGE_STRIDE;
	}

	tally::Bench<Vdut> bench;
	Vdut &dut;
	tally::Throttle aw, b, grant;
	EdgeRows rows;
	Context context[contexts];
	Edge of_row[Rows], of_tomb[Tombs][edges];
	std::list<unsigned int> list[1 << BucketW];
};

// As in the block: the bits of a job id, folded.
static unsigned int bucket(uint32_t jid)
{
	unsigned int sum = 0;

	for (unsigned int i = 0; i < 32; i++)
		sum ^= (jid >> i & 1) << i % BucketW;
	return sum;
}

// What the block says of first numbers in the clock after that in which a write is taken, or in another one.
void Tables::passed_on(uint32_t at, uint32_t data, bool good)
{
	uint32_t in = at - TALLY_FW_GROUP_BASE, page = in % TALLY_FW_GROUP_STRIDE / TALLY_FW_EDGE_STRIDE;
	bool first = good && in / TALLY_FW_GROUP_STRIDE < Groups && at >= TALLY_FW_GROUP_BASE && in % TALLY_FW_GROUP_STRIDE >= TALLY_FW_EDGE_OFFSET &&
		     in % TALLY_FW_EDGE_STRIDE == AT(edge, first_seq);

	CHECK(dut.first_valid_o == first, "first_valid_o is %d at the write of %x", dut.first_valid_o, at);
	if (!first)
		return;
	CHECK(dut.first_group_o == in / TALLY_FW_GROUP_STRIDE && dut.first_seq_o == data && dut.first_row_o == rows.row &&
	      dut.first_edge_o == page - TALLY_FW_EDGE_OFFSET / TALLY_FW_EDGE_STRIDE, "the first number of another edge");
}

// One write until its answer is taken, with stalls. It waits for the grant.
void Tables::write(uint32_t at, uint32_t data, unsigned int expected, unsigned int strb)
{
	bool taken = false, passes = false;

	dut.axil_awaddr_i = at;
	dut.axil_wdata_i = data;
	dut.axil_wstrb_i = strb;
	if (EdgeRows::of_edge(at)) {
		dut.new_valid_i = rows.before(at);
		dut.new_row_i = dut.wr_row_i = rows.row;
		if (dut.new_valid_i)
			of_row[rows.row].state = TALLY_EDGE_NONE;
		bench.tick();
		dut.new_valid_i = 0;
	}
	for (;;) {
		bool answered;

		if (!taken) {
			dut.axil_awvalid_i |= aw.go();
			dut.axil_wvalid_i |= aw.go();
		}
		dut.axil_bready_i = b.go();
		dut.grant_i = grant.go();
		bench.settle();
		CHECK(!dut.axil_awready_o || dut.grant_i, "a write without a grant");
		CHECK(dut.axil_awready_o == dut.axil_wready_o, "half a write is taken");
		CHECK(!taken || dut.busy_o, "idle during a write");
		CHECK(taken || !dut.free_o || !(dut.axil_awvalid_i && dut.axil_wvalid_i), "free although a write waits");
		answered = dut.axil_bvalid_o && dut.axil_bready_i;
		if (dut.axil_bvalid_o)
			CHECK(dut.axil_bresp_o == expected, "the write of %x to %x is answered with %u", data, at, dut.axil_bresp_o);
		CHECK(!dut.axil_bvalid_o || taken, "an answer without a write");
		passed_on(at, data, passes);
		passes = expected == okay && dut.axil_awvalid_i && dut.axil_awready_o;
		if (dut.axil_awvalid_i && dut.axil_awready_o) {
			taken = true;
			bench.tick();
			dut.axil_awvalid_i = dut.axil_wvalid_i = 0;
			continue;
		}
		bench.tick();
		if (answered)
			break;
	}
	dut.grant_i = 0;
	bench.settle();
	CHECK(!dut.busy_o && dut.free_o, "still busy after a write");
}

void Tables::group_register(unsigned int c)
{
	Context &x = context[c];
	uint32_t value = bench.rng.next(), i = bench.rng.below(4);

	switch (bench.rng.below(8)) {
	case 0:
		if (x.linked)	// its list would not be found again
			break;
		x.jid = value & 0x30000003;
		write(reg(c) + TALLY_FW_SETUP_OFFSET + AT(setup, jid), x.jid, okay);
		break;
	case 1:
		x.multicast = value & TALLY_GROUP_F_MULTICAST;
		write(reg(c) + AT(group, flags), value, okay);
		break;
	case 2:
		value = bench.rng.below(4) ? bench.rng.below(edges) : 0xff;
		x.has_parent = value != TALLY_FW_NO_EDGE;
		x.parent = value & 0x7f;
		write(reg(c) + AT(group, parent), value, okay);
		break;
	case 3:
		value = bench.rng.one_in(8) ? value : bench.rng.below(7);
		x.alive = value == TALLY_GROUP_OPENING || value == TALLY_GROUP_OPEN || value == TALLY_GROUP_DRAINING;
		write(reg(c) + AT(group, state), value, okay);
		break;
	case 4:
		x.epoch = value;
		write(reg(c) + AT(group, epoch), value, okay);
		break;
	case 5:
		x.key = value;
		write(reg(c) + AT(group, group_key), value, okay);
		break;
	case 6:
		value &= -bench.rng.below(2);
		x.destroyed = value;
		write(reg(c) + AT(group, destroyed), value, okay);
		break;
	default:
		std::memcpy(x.source + 4 * i, &value, 4);
		write(reg(c) + TALLY_FW_SETUP_OFFSET + AT(setup, source_gid) + 4 * i, value, okay);
		break;
	}
}

void Tables::edge_register(unsigned int c, unsigned int e)
{
	uint64_t value = bench.rng.next(), i = bench.rng.below(4);

	switch (bench.rng.below(6)) {
	case 0:
		write(reg(c, e) + AT(edge, key), value, okay);
		edge(c, e).key = value;
		break;
	case 1:
		write(reg(c, e) + AT(edge, nonce), value, okay);
		look(c, e);	// half a nonce does not count
		edge(c, e).nonce = value;
		write(reg(c, e) + AT(edge, nonce) + 4, value >> 32, okay);
		break;
	case 2:
		write(reg(c, e) + AT(edge, peer_nonce), value, okay);
		look(c, e);
		edge(c, e).peer = value;
		write(reg(c, e) + AT(edge, peer_nonce) + 4, value >> 32, okay);
		break;
	case 3:
		value = bench.rng.below(3);
		write(reg(c, e) + AT(edge, state), value, okay);
		edge(c, e).state = value;
		break;
	case 4:
		write(reg(c, e) + AT(edge, first_seq), value, okay);
		break;
	default:
		write(reg(c, e) + TALLY_FW_NEIGHBOUR_OFFSET + AT(neighbour, gid) + 4 * i, value, okay);
		std::memcpy(edge(c, e).gid + 4 * i, &value, 4);
		break;
	}
}

// Accesses that must change nothing; the lookups behind them show it.
void Tables::wrong_access()
{
	static const uint32_t others[] = { AT(group, flags) + 1, AT(group, mtu), AT(group, state) + 2, 0x3fc,
					   TALLY_FW_SETUP_OFFSET + AT(setup, max_segs), TALLY_FW_SETUP_OFFSET + AT(setup, source_gid) + 16 };
	static const uint32_t edge_others[] = { AT(edge, peer_key), AT(edge, first_seq) + 4, AT(edge, nonce) + 1,
						TALLY_FW_NEIGHBOUR_OFFSET + AT(neighbour, mac), TALLY_FW_TRAFFIC_OFFSET };
	unsigned int c = bench.rng.below(contexts), e = bench.rng.below(edges);
	uint32_t value = bench.rng.next(), go = TALLY_FW_COMMAND_BASE + AT(command, go);

	switch (bench.rng.below(8)) {
	case 0:
		write(reg(c) + others[bench.rng.below(6)], value, slverr);
		break;
	case 1:
		write(reg(c, e) + edge_others[bench.rng.below(5)], value, slverr);
		break;
	case 2:
		write(reg(contexts + bench.rng.below(3)) + AT(group, epoch), value, slverr);
		break;
	case 3:
		write(reg(c, edges + bench.rng.below(3)) + AT(edge, key), value, slverr);
		break;
	case 4:
		write(reg(c) + AT(group, epoch), value, slverr, bench.rng.below(15));
		break;
	case 5:
		write(bench.rng.below(2) ? AT(group, epoch) : go + 4, value, slverr);
		break;
	case 6:
		write(go, (contexts + bench.rng.below(3)) << 16 | TALLY_FW_CMD_CREATE, slverr);
		break;
	default:
		write(go, c << 16 | (bench.rng.below(2) ? TALLY_FW_CMD_FREEZE : TALLY_FW_CMD_BEGIN), slverr);
		break;
	}
}

void Tables::create(unsigned int c)
{
	write(TALLY_FW_COMMAND_BASE + AT(command, go), c << 16 | bench.rng.below(256) << 8 | TALLY_FW_CMD_CREATE, okay);
	for (unsigned int e = 0; e < edges && c >= Groups; e++)
		edge(c, e).state = TALLY_EDGE_NONE;
	list[bucket(context[c].jid)].push_front(c);
	context[c].linked = true;
}

void Tables::forget(unsigned int c)
{
	write(TALLY_FW_COMMAND_BASE + AT(command, go), c << 16 | TALLY_FW_CMD_RELEASE, context[c].linked ? okay : slverr);
	list[bucket(context[c].jid)].remove(c);
	context[c].linked = false;
	if (c < Groups)
		rows.release(c);
}

void Tables::change()
{
	unsigned int c = bench.rng.below(contexts);

	switch (bench.rng.below(8)) {
	case 0:
		wrong_access();
		break;
	case 1:
	case 2:
		if (!context[c].linked)
			create(c);
		break;
	case 3:
		forget(c);
		break;
	case 4:
	case 5:
		edge_register(c, bench.rng.below(edges));
		break;
	default:
		group_register(c);
		break;
	}
}

void Tables::check_group(const Context &x)
{
	Fields f(&dut.group_o[0], group_bits);

	SAME(f.number(32), x.jid, "jid");
	SAME(f.number(32), x.epoch, "epoch");
	SAME(f.number(32), x.key, "group_key");
	SAME_BYTES(f.bytes(16), x.source, 16, "source_gid");
	SAME(f.number(1), x.multicast, "multicast");
	SAME(f.number(1), x.has_parent, "has_parent");
	SAME(f.number(7), x.parent, "parent");
	SAME(f.number(1), x.alive, "alive");
	SAME(f.number(1), x.destroyed, "destroyed");
}

void Tables::check_edge(const Edge &x)
{
	Fields f(&dut.edge_o[0], edge_bits);

	SAME(f.number(2), x.state, "state");
	SAME(f.number(32), x.key, "key");
	SAME(f.number(64), x.nonce, "nonce");
	SAME(f.number(64), x.peer, "peer_nonce");
	SAME_BYTES(f.bytes(16), x.gid, 16, "gid");
}

// One clock of a lookup.
void Tables::ask()
{
	rows.answer(dut, true);
	bench.settle();
	CHECK(dut.row_ready_o, "the row of an edge will not be there");
	CHECK(dut.look_valid_o == (dut.context_i < Groups), "look_valid_o is %d", dut.look_valid_o);
	rows.asks(dut);
	bench.tick();
	rows.answer(dut, false);
	bench.settle();
	CHECK(dut.row_ready_o == (dut.look_ready_i || dut.context_i >= Groups), "row_ready_o is %d", dut.row_ready_o);
}

void Tables::look(unsigned int c, unsigned int e)
{
	dut.context_i = c;
	dut.edge_i = e;
	ask();
	check_group(context[c]);
	dut.context_i = bench.rng.below(contexts);
	ask();
	if (c >= Groups || rows.has(c, e))
		check_edge(edge(c, e));
	else
		SAME(Fields(&dut.edge_o[0], edge_bits).number(2), +TALLY_EDGE_NONE, "state of an edge without a row");
}

// The next one in its list, of which the rows have just been read.
std::optional<unsigned int> Tables::next_of(unsigned int c)
{
	dut.context_i = c;
	bench.tick();
	Fields f(&dut.group_o[0], group_bits);

	f.number(32 * 3);
	f.bytes(16);
	f.number(11);
	if (!f.number(1))
		return std::nullopt;
	return f.number(16);
}

void Tables::check_lists()
{
	for (unsigned int i = 0; i < 1 << BucketW; i++) {
		std::optional<unsigned int> at;

		dut.jid_i = i;	// one of the job ids of this list
		bench.tick();
		if (dut.head_valid_o)
			at = dut.head_o;
		for (unsigned int c : list[i]) {
			CHECK(at && *at == c, "context %u is not at its place", c);
			at = next_of(c);
		}
		CHECK(!at, "list %u has a context too many", i);
	}
}

// Memories have no contents after power-up.
void Tables::fill(unsigned int c)
{
	write(reg(c) + TALLY_FW_SETUP_OFFSET + AT(setup, jid), 0, okay);
	for (uint32_t at : { AT(group, flags), AT(group, parent), AT(group, state), AT(group, epoch), AT(group, group_key),
			     AT(group, destroyed) })
		write(reg(c) + at, 0, okay);
	context[c].has_parent = true;
	for (unsigned int i = 0; i < 16; i += 4)
		write(reg(c) + TALLY_FW_SETUP_OFFSET + AT(setup, source_gid) + i, 0, okay);
	for (unsigned int e = 0; e < edges; e++) {
		for (uint32_t at : { AT(edge, state), AT(edge, key), AT(edge, nonce), AT(edge, nonce) + 4, AT(edge, peer_nonce),
				     AT(edge, peer_nonce) + 4 })
			write(reg(c, e) + at, 0, okay);
		for (unsigned int i = 0; i < 16; i += 4)
			write(reg(c, e) + TALLY_FW_NEIGHBOUR_OFFSET + AT(neighbour, gid) + i, 0, okay);
	}
}

int Tables::run()
{
	unsigned int waits = 0;

	while (bench.settle(), !dut.free_o) {
		CHECK(dut.busy_o, "idle although the lists are not empty yet");
		waits++;
		bench.tick();
	}
	CHECK(waits == 1 << BucketW, "it was free after %u clocks", waits);
	check_lists();
	for (unsigned int c = 0; c < contexts; c++)
		fill(c);
	for (uint64_t left = bench.times(6000); left; left--) {
		change();
		look(bench.rng.below(contexts), bench.rng.below(edges));
		if (bench.rng.one_in(4))
			check_lists();
	}
	return bench.finish();
}

int main(int argc, char **argv)
{
	return Tables(argc, argv).run();
}
