// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_fw_send: the firmware writes registers of groups, tombstones, edges and commands, and gives commands, while
// groups move. Each packet must be that of the C model; a command that cannot be carried out is refused, without a packet. OPENs
// are compared before, during or behind a command, with what the model finds. All sides stall.
#include <optional>

#include "Vdut.h"
#include "bench.h"
#include "fw_send_command.h"
#include "open_words.h"
#include "rtl/record.h"

constexpr unsigned int contexts = Groups + Tombs, slverr = 2;

class Send {
public:
	Send(int argc, char **argv) : bench("fw_send", argc, argv), dut(*bench.dut), rng(bench.rng), looks(rng), outs(rng), dats(rng), takes(rng) {}
	int run();

private:
	void restart();
	void give_rows();
	void row_side();
	void packet_side();
	void move();
	void clock();
	void write_reg(unsigned int context, unsigned int edge, uint32_t reg, uint32_t value);
	void write_word(unsigned int context, unsigned int edge, unsigned int word);
	void write_open_reg(unsigned int context, unsigned int edge, unsigned int k);
	void open();
	void end_open();
	void compared();
	unsigned int write(uint32_t at, uint32_t value, uint8_t strobes = 15);
	void write_command(const tally::FwCommand &c);
	void others();
	void expect(const tally::FwCommand &c, unsigned int context, unsigned int edge);
	void send();
	void refused();
	void step();
	void write_edge(unsigned int context, unsigned int edge);

	tally::Bench<Vdut> bench;
	Vdut &dut;
	tally::Rng &rng;
	tally::Throttle looks, outs, dats, takes;
	int rows[Groups][EdgesOf];		// -1: the edge has none
	uint32_t group_words[contexts][tally::open_words], edge_words[contexts][EdgesOf][tally::open_words];
	std::optional<uint32_t> opens;		// what is to be found in an OPEN
	unsigned int target = contexts;		// the group of the present command
	std::optional<struct fw_send_packet> wanted;
	bool left = false;			// its header has
	std::optional<unsigned int> look, looked;	// edges by number, asked for in the clock before, and the one before that
	bool reset = false;			// amid the last write
	uint64_t packets = 0, tombs = 0, refusals = 0, gone = 0, resets = 0, opened = 0, agreed = 0, unopened = 0, between = 0;
};

void Send::restart()
{
	dut.axil_awvalid_i = dut.axil_wvalid_i = dut.axil_bready_i = dut.written_i = dut.moved_valid_i = 0;
	dut.look_ready_i = dut.out_ready_i = dut.dat_tready_i = 0;
	dut.axil_wstrb_i = 15;
	dut.open_valid_i = 0;
	opens.reset();
	wanted.reset();
	look.reset();
	looked.reset();
	target = contexts;
	bench.reset();
}

// The rows of edges, in another order than theirs; one edge of a group has none.
void Send::give_rows()
{
	for (unsigned int g = 0; g < Groups; g++)
		for (unsigned int e = 0; e < EdgesOf; e++)
			rows[g][e] = Groups * EdgesOf - 1 - (e * Groups + g);
	rows[rng.below(Groups)][rng.below(EdgesOf)] = -1;
}

void Send::row_side()
{
	const int row = look ? rows[*look / EdgesOf][*look % EdgesOf] : -1;

	dut.look_ready_i = looks.go();
	dut.look_row_i = row >= 0 ? row : int(rng.below(Rows));
	dut.look_found_i = looked ? rows[*looked / EdgesOf][*looked % EdgesOf] >= 0 : rng.below(2);
}

void Send::packet_side()
{
	if (dut.out_valid_o) {
		uint32_t expected[(tally::tx_bits + 31) / 32];

		CHECK(wanted && !left, "a packet that nobody has asked for");
		tally::write_header(expected, wanted->hdr, wanted->tch, wanted->len);
		for (size_t i = 0; i < sizeof(expected) / 4; i++)
			CHECK(dut.out_o[i] == expected[i], "word %zu of the header is %08x, not %08x", i, dut.out_o[i], expected[i]);
		left = dut.out_ready_i;
		if (left && !wanted->len)
			wanted.reset();
	}
	if (dut.dat_tvalid_o) {
		CHECK(wanted && left && !std::memcmp(&dut.dat_tdata_o, wanted->payload, wanted->len), "another payload");
		if (dut.dat_tready_i)
			wanted.reset();
	}
}

// Any group but that of the present command may move.
void Send::move()
{
	const unsigned int g = rng.below(Groups);
	uint32_t *words = group_words[g];

	dut.moved_valid_i = g != target && rng.one_in(8);
	if (!dut.moved_valid_i)
		return;
	words[tally::fw_done] = rng.next();
	words[tally::fw_limit] = words[tally::fw_done] + rng.below(65536);
	dut.moved_group_i = g;
	dut.moved_done_i = words[tally::fw_done];
	dut.moved_limit_i = words[tally::fw_limit];
}

void Send::clock()
{
	move();
	row_side();
	dut.out_ready_i = outs.go();
	dut.dat_tready_i = dats.go();
	bench.settle();
	packet_side();
	compared();
	looked = look;
	look.reset();
	if (dut.look_valid_o && dut.look_ready_i)
		look = dut.look_group_o * EdgesOf + dut.look_edge_o;
	bench.tick();
	dut.open_valid_i = opens.has_value();
}

// ---- OPENs ----

void Send::compared()
{
	CHECK(!dut.open_ready_o || dut.open_valid_i, "an answer about no OPEN");
	if (!dut.open_ready_o)
		return;
	CHECK(dut.open_o == *opens, "open is %x, not %x", dut.open_o, *opens);
	between += wanted.has_value();
	opened++;
	agreed += !!(*opens & TALLY_FW_OPEN_AGREES);
	opens.reset();
}

// An edge without a row has no registers.
void Send::open()
{
	const unsigned int context = rng.below(contexts), edge = rng.below(EdgesOf);
	const bool found = context >= Groups || rows[context][edge] >= 0;
	open_packet p;

	opens = tally::open_choose(rng, group_words[context], edge_words[context][edge], p);
	if (!found)
		opens = 0;
	unopened += !found;
	tally::open_event(dut.open_event_i, p, context, edge);
	dut.open_valid_i = 1;
}

void Send::end_open()
{
	for (unsigned int patience = 1000; opens; patience--) {
		CHECK(patience, "an OPEN is not compared");
		clock();
	}
}

// ---- Registers ----

// Another unit answers the write of a register of a group or an edge.
void Send::write_reg(unsigned int context, unsigned int edge, uint32_t reg, uint32_t value)
{
	dut.axil_awaddr_i = reg;
	dut.axil_wdata_i = value;
	dut.row_i = context < Groups && rows[context][edge] >= 0 ? rows[context][edge] : 0;
	dut.written_i = 1;
	bench.settle();
	CHECK(dut.keeps_o && !dut.mine_o, "register %x: keeps_o is %d, mine_o %d", dut.axil_awaddr_i, dut.keeps_o, dut.mine_o);
	clock();
	dut.written_i = 0;
}

void Send::write_word(unsigned int context, unsigned int edge, unsigned int word)
{
	uint32_t *words = word < tally::fw_group_words ? group_words[context] : edge_words[context][edge];

	if (word >= tally::fw_group_words && context < Groups && rows[context][edge] < 0)
		return;
	words[word] = tally::fw_word_value(rng, word);
	write_reg(context, edge, tally::fw_word_reg(word, context, edge), words[word]);
}

void Send::write_open_reg(unsigned int context, unsigned int edge, unsigned int k)
{
	const uint32_t value = tally::open_reg_value(rng, k);

	if (context < Groups && rows[context][edge] < 0)
		return;
	tally::open_reg_write(edge_words[context][edge], k, value);
	write_reg(context, edge, tally::open_reg_address(k, context, edge), value);
}

// A write that the block answers. Returns the answer. A command may be cut off by a reset.
unsigned int Send::write(uint32_t at, uint32_t value, uint8_t strobes)
{
	unsigned int resp = 0;

	reset = false;
	dut.axil_awaddr_i = TALLY_FW_COMMAND_BASE + at;
	dut.axil_wdata_i = value;
	dut.axil_wstrb_i = strobes;
	bench.settle();
	CHECK(dut.mine_o, "mine_o is low at %x, %x", at, value);
	dut.axil_awvalid_i = dut.axil_wvalid_i = 1;
	for (unsigned int patience = 5000;; patience--) {
		CHECK(patience, "the write of %x is stuck", at);
		dut.axil_bready_i = takes.go();
		bench.settle();

		const bool taken = dut.axil_awvalid_i && dut.axil_awready_o, done = dut.axil_bvalid_o && dut.axil_bready_i;

		CHECK(!dut.axil_bvalid_o || !wanted, "an answer ahead of its packet");
		resp = dut.axil_bresp_o;
		CHECK(dut.busy_o || dut.axil_awvalid_i, "idle with a command");
		if (!at && !opens && rng.one_in(30))
			open();
		clock();
		if (taken)
			dut.axil_awvalid_i = dut.axil_wvalid_i = 0;
		if (done)
			break;
		reset = !at && rng.one_in(500);
		if (reset) {
			restart();
			break;
		}
	}
	dut.axil_bready_i = 0;
	dut.axil_wstrb_i = 15;
	return resp;
}

void Send::write_command(const tally::FwCommand &c)
{
	for (uint32_t at = FW_AT(command, kind); at < 4 * tally::fw_command_words; at += 4)
		CHECK(!write(at, c.reg(at)), "register %x is refused", at);
}

// Commands of other units, and registers that there are not.
void Send::others()
{
	static const uint32_t codes[] = { 0, TALLY_FW_CMD_RENEW_EDGE, TALLY_FW_CMD_CREATE, TALLY_FW_CMD_LEARN_PEER, TALLY_FW_CMD_SETTLE_EDGE };

	dut.axil_awaddr_i = TALLY_FW_COMMAND_BASE;
	dut.axil_wdata_i = codes[rng.below(5)];
	bench.settle();
	CHECK(!dut.mine_o && !dut.keeps_o, "command %u is taken", dut.axil_wdata_i);
	dut.axil_awaddr_i = rng.one_in(2) ? uint32_t(TALLY_FW_SEGMENT_BASE) : TALLY_FW_COMMAND_BASE + 4 * tally::fw_command_words;
	bench.settle();
	CHECK(!dut.mine_o && !dut.keeps_o, "register %x is taken", dut.axil_awaddr_i);
	CHECK(write(4 + rng.below(31) * 4, rng.next(), rng.below(15)) == slverr, "a part of a word is taken");
}

// The packet of a command; a tombstone has neither done nor limit.
void Send::expect(const tally::FwCommand &c, unsigned int context, unsigned int edge)
{
	uint32_t words[tally::fw_words];

	std::memcpy(words, group_words[context], sizeof(words));
	std::memcpy(words + tally::fw_group_words, edge_words[context][edge] + tally::fw_group_words,
		    4 * (tally::fw_regs - tally::fw_group_words));
	if (context >= Groups)
		words[tally::fw_done] = words[tally::fw_limit] = 0;
	tally::fw_send_words_to_model(words);
	wanted = c.model();
	left = false;
	dut.echo_i = c.echo;
}

void Send::send()
{
	tally::FwCommand c(rng);
	const unsigned int context = rng.below(contexts), edge = rng.below(EdgesOf);
	const bool found = context >= Groups || rows[context][edge] >= 0;

	if (c.open())	// the values of SEND do not matter
		for (uint32_t at = FW_AT(command, kind); at < 4 * tally::fw_command_words; at += 4)
			c.regs[at / 4] = rng.next();
	write_command(c);
	dut.moved_valid_i = 0;
	target = context;
	if (found)
		expect(c, context, edge);

	const unsigned int resp = write(0, c.code | edge << 8 | context << 16);

	target = contexts;
	resets += reset;
	if (reset)
		return;
	CHECK(!wanted && (resp == slverr) == !found, "a command is answered with %u", resp);
	packets += found;
	tombs += context >= Groups;
	gone += !found;
}

// A command that cannot be: its group, its edge, or a value.
void Send::refused()
{
	tally::FwCommand c(rng);
	unsigned int context = rng.below(contexts), edge = rng.below(EdgesOf);

	switch (rng.below(6)) {
	case 0:
		context = contexts + rng.below(rng.one_in(2) ? 2 : 60000);
		break;
	case 1:
		edge = EdgesOf + rng.below(rng.one_in(2) ? 2 : 250);
		break;
	case 2:
		c.code = TALLY_FW_CMD_SEND;
		c.regs[FW_AT(command, kind) / 4] = rng.one_in(2) ? +TALLY_KIND_OPEN : +TALLY_KIND_REDUCE;
		break;
	case 3:
		c.code = TALLY_FW_CMD_SEND;
		c.regs[FW_AT(command, kind) / 4] |= 256u << rng.below(24);
		break;
	case 4:
		c.code = TALLY_FW_CMD_SEND;
		c.regs[FW_AT(command, flags) / 4] |= 65536u << rng.below(16);
		break;
	default:
		c.code = TALLY_FW_CMD_SEND;
		c.regs[FW_AT(command, length) / 4] = rng.one_in(2) ? 65 : 65u << rng.below(24);
	}
	write_command(c);
	CHECK(write(0, c.code | edge << 8 | context << 16) == slverr || reset, "a command that cannot be is carried out");
	refusals++;
}

void Send::step()
{
	for (unsigned int left = rng.below(8); left; left--)
		write_word(rng.below(contexts), rng.below(EdgesOf), rng.below(tally::fw_regs));
	write_open_reg(rng.below(contexts), rng.below(EdgesOf), rng.below(tally::open_regs));
	if (rng.one_in(2))
		open();
	if (rng.one_in(3))
		end_open();
	if (rng.one_in(6))
		others();
	if (rng.one_in(5))
		refused();
	else
		send();
	end_open();
}

void Send::write_edge(unsigned int context, unsigned int edge)
{
	for (unsigned int word = 0; word < tally::fw_regs; word++)
		write_word(context, edge, word);
	std::fill_n(edge_words[context][edge] + tally::open_first, 3, 0);
	for (unsigned int k = 0; k < tally::open_regs; k++)
		write_open_reg(context, edge, k);
}

int Send::run()
{
	tally::give_addresses(rng, dut);
	restart();
	give_rows();
	for (unsigned int context = 0; context < contexts; context++)
		for (unsigned int edge = 0; edge < EdgesOf; edge++)
			write_edge(context, edge);
	for (unsigned int left = 200; left; left--)	// every group moves
		clock();
	bench.live(bench.times(600), [this] { restart(); }, [this] { step(); });
	CHECK(packets > 200 && tombs > 100 && refusals > 50 && gone > 5 && resets > 10, "%llu packets, %llu of tombstones, %llu refused, %llu without a row",
	      (unsigned long long)packets, (unsigned long long)tombs, (unsigned long long)refusals, (unsigned long long)gone);
	CHECK(opened > 200 && agreed > 50 && unopened > 5 && between > 10, "%llu OPENs, %llu agree, %llu without a row, %llu amid a command",
	      (unsigned long long)opened, (unsigned long long)agreed, (unsigned long long)unopened, (unsigned long long)between);
	return bench.finish();
}

int main(int argc, char **argv)
{
	return Send(argc, argv).run();
}
