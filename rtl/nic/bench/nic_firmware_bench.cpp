// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_nic_firmware: registers are written, groups move, edges are renewed, and the firmware gives commands and asks about
// OPENs, while
// tally_send has packets and asks for rows. Packets of the firmware are those of the C model, and so is what is found in an OPEN; those
// of tally_send leave once, in their order, with their own payloads. Between all this nothing happens for some clocks. The bench of
// tally_fw_send has the rest of the commands.
#include <optional>

#include "Vdut.h"
#include "bench.h"
#include "fw_send_command.h"
#include "open_words.h"
#include "rtl/record.h"

constexpr unsigned int contexts = Groups + Tombs, slverr = 2, header_words = (tally::tx_bits + 31) / 32, longest_wait = 3000;

struct Head {		// what tally_send offers
	uint32_t header[header_words];
	uint32_t word;
	bool offered = false, has_payload = false, left = false;	// its header has
};

class Firmware {
public:
	Firmware(int argc, char **argv)
		: bench("nic_firmware", argc, argv), dut(*bench.dut), rng(bench.rng), heads(rng), asks(rng), looks(rng), outs(rng), dats(rng)
	{
	}
	int run();

private:
	void restart();
	void offer_head();
	void row_side();
	void observe();
	void header();
	void word();
	void looked_up();
	void clock();
	void rest();
	void move();
	void write_reg(unsigned int context, unsigned int edge, uint32_t reg, uint32_t value, bool whole);
	void write_word(unsigned int context, unsigned int edge, unsigned int word, bool whole);
	void write_open_reg(unsigned int context, unsigned int edge, unsigned int k, bool whole);
	void open();
	unsigned int write(uint32_t at, uint32_t value);
	void write_edge(unsigned int context, unsigned int edge);
	void put_by_renew(unsigned int group, unsigned int edge);
	void renew();
	void command();
	void step();

	tally::Bench<Vdut> bench;
	Vdut &dut;
	tally::Rng &rng;
	tally::Throttle heads, asks, looks, outs, dats;
	uint32_t group_words[contexts][tally::open_words] = {}, edge_words[contexts][EdgesOf][tally::open_words] = {};
	std::optional<struct fw_send_packet> wanted;
	bool left = false;	// the header of this packet has
	Head head;
	bool quiet = false;	// tally_send has nothing
	bool asked = false;	// tally_send asks for a row
	std::optional<unsigned int> look, looked;	// rows that were asked for in the clock before, and the one before that
	bool writing = false;
	uint64_t packets = 0, headers = 0, rows = 0, refusals = 0, between = 0, opened = 0, agreed = 0, renewed = 0;
};

static unsigned int row_of(unsigned int group, unsigned int edge)
{
	return Groups * EdgesOf - 1 - (edge * Groups + group);
}

void Firmware::restart()
{
	dut.axil_awvalid_i = dut.axil_wvalid_i = dut.axil_bready_i = dut.written_i = dut.moved_valid_i = dut.starts_i = dut.open_valid_i = 0;
	dut.random_valid_i = dut.put_ready_i = dut.put_bvalid_i = dut.put_bresp_i = 0;
	dut.head_valid_i = dut.head_tvalid_i = dut.head_look_valid_i = dut.look_ready_i = dut.out_ready_i = dut.dat_tready_i = 0;
	dut.axil_wstrb_i = 15;
	head.offered = asked = writing = false;
	wanted.reset();
	look.reset();
	looked.reset();
	dut.starts_i = 1;
	bench.reset();
	dut.starts_i = 0;
}

void Firmware::offer_head()
{
	if (!quiet && !head.offered && heads.go()) {
		struct roce_hdr hdr = {};
		struct tally_tch tch;

		rng.fill(hdr.dmac, sizeof(hdr.dmac));
		rng.fill(&tch, sizeof(tch));
		head.offered = true;
		head.left = false;
		head.has_payload = rng.one_in(2);
		head.word = rng.next();
		tally::write_header(head.header, hdr, tch, head.has_payload ? 8 : 0);
	}
	dut.head_valid_i = head.offered && !head.left;
	if (head.offered)
		std::memcpy(&dut.head_i, head.header, sizeof(head.header));
	dut.head_tvalid_i = head.offered && head.has_payload;
	std::memcpy(&dut.head_tdata_i, &head.word, sizeof(head.word));
	dut.head_tkeep_i = 0xff;
	dut.head_tlast_i = 1;
	if (!quiet && !asked && asks.go()) {
		asked = true;
		dut.head_look_group_i = rng.below(Groups);
		dut.head_look_edge_i = rng.below(EdgesOf);
	}
	dut.head_look_valid_i = asked;
}

void Firmware::row_side()
{
	dut.look_ready_i = looks.go();
	dut.look_row_i = look ? *look : rng.below(Rows);
	dut.look_found_i = looked ? 1 : rng.below(2);
}

// A header leaves: one of the two.
void Firmware::header()
{
	uint32_t expected[header_words];
	const bool of_head = dut.head_valid_i && dut.head_ready_o;

	if (of_head) {
		std::memcpy(expected, head.header, sizeof(expected));
		head.left = true;
		head.offered = head.has_payload;
		headers++;
		between += wanted.has_value();
	} else {
		CHECK(wanted && !left, "a packet that nobody has asked for");
		tally::write_header(expected, wanted->hdr, wanted->tch, wanted->len);
		left = true;
	}
	for (size_t i = 0; i < header_words; i++)
		CHECK(dut.out_o[i] == expected[i], "word %zu of the header is %08x, not %08x", i, dut.out_o[i], expected[i]);
	if (!of_head && !wanted->len)
		wanted.reset();
}

// Its payload of one word is next.
void Firmware::word()
{
	CHECK(dut.dat_tlast_o, "a payload is longer");
	if (dut.head_tvalid_i && dut.head_tready_o) {
		CHECK(head.left && !std::memcmp(&dut.dat_tdata_o, &head.word, sizeof(head.word)) && dut.dat_tkeep_o == 0xff,
		      "another payload of tally_send");
		head.offered = false;
		return;
	}
	CHECK(wanted && left && !std::memcmp(&dut.dat_tdata_o, wanted->payload, wanted->len) &&
		      dut.dat_tkeep_o == ~0ull >> (64 - wanted->len),
	      "another payload");
	wanted.reset();
}

void Firmware::looked_up()
{
	looked = look;
	look.reset();
	if (dut.look_valid_o && dut.look_ready_i)
		look = row_of(dut.look_group_o, dut.look_edge_o);
	if (!dut.head_look_valid_i || !dut.head_look_ready_o)
		return;
	CHECK(look && dut.look_group_o == dut.head_look_group_i && dut.look_edge_o == dut.head_look_edge_i, "another row is asked for");
	asked = false;
	rows++;
}

void Firmware::observe()
{
	CHECK(dut.busy_o == writing, "busy_o is %d", dut.busy_o);
	CHECK(dut.axil_awvalid_i || !dut.axil_awready_o, "ready for no write, with the address %x", dut.axil_awaddr_i);
	if (dut.out_valid_o && dut.out_ready_i)
		header();
	if (dut.dat_tvalid_o && dut.dat_tready_i)
		word();
	looked_up();
}

void Firmware::clock()
{
	offer_head();
	row_side();
	dut.out_ready_i = outs.go();
	dut.dat_tready_i = dats.go();
	bench.settle();
	observe();
	bench.tick();
}

// What is offered leaves, and then nothing happens.
void Firmware::rest()
{
	quiet = true;
	for (unsigned int patience = longest_wait; head.offered || asked; patience--) {
		CHECK(patience, "a packet waits");
		clock();
	}
	for (uint64_t clocks = rng.below(20); clocks; clocks--)
		clock();
	quiet = false;
}

void Firmware::move()
{
	const unsigned int g = rng.below(Groups);
	uint32_t *words = group_words[g];

	words[tally::fw_done] = rng.next();
	words[tally::fw_limit] = words[tally::fw_done] + rng.below(65536);
	dut.moved_group_i = g;
	dut.moved_done_i = words[tally::fw_done];
	dut.moved_limit_i = words[tally::fw_limit];
	dut.moved_valid_i = 1;
	clock();
	dut.moved_valid_i = 0;
}

// The firmware asks about an OPEN.
void Firmware::open()
{
	const unsigned int context = rng.below(contexts), edge = rng.below(EdgesOf);
	open_packet p;
	const uint32_t expected = tally::open_choose(rng, group_words[context], edge_words[context][edge], p);

	tally::open_event(dut.open_event_i, p, context, edge);
	dut.open_valid_i = 1;
	for (unsigned int patience = longest_wait; bench.settle(), !dut.open_ready_o; patience--) {
		CHECK(patience, "an OPEN is not compared");
		clock();
	}
	CHECK(dut.open_o == expected, "open is %x, not %x", dut.open_o, expected);
	clock();
	dut.open_valid_i = 0;
	opened++;
	agreed += !!(expected & TALLY_FW_OPEN_AGREES);
}

// Another unit answers the write of a register of a group or an edge. What is not whole changes nothing.
void Firmware::write_word(unsigned int context, unsigned int edge, unsigned int word, bool whole)
{
	uint32_t *words = word < tally::fw_group_words ? group_words[context] : edge_words[context][edge];
	const uint32_t value = tally::fw_word_value(rng, word);

	if (whole)
		words[word] = value;
	write_reg(context, edge, tally::fw_word_reg(word, context, edge), value, whole);
}

void Firmware::write_open_reg(unsigned int context, unsigned int edge, unsigned int k, bool whole)
{
	const uint32_t value = tally::open_reg_value(rng, k);

	if (whole)
		tally::open_reg_write(edge_words[context][edge], k, value);
	write_reg(context, edge, tally::open_reg_address(k, context, edge), value, whole);
}

void Firmware::write_reg(unsigned int context, unsigned int edge, uint32_t reg, uint32_t value, bool whole)
{
	dut.axil_awaddr_i = reg;
	dut.axil_wdata_i = value;
	dut.axil_wstrb_i = whole ? 15 : rng.below(15);
	dut.row_i = context < Groups ? row_of(context, edge) : rng.below(Rows);
	dut.written_i = 1;
	bench.settle();
	CHECK(dut.keeps_o && !dut.mine_o, "register %x: keeps_o is %d, mine_o %d", dut.axil_awaddr_i, dut.keeps_o, dut.mine_o);
	clock();
	dut.written_i = 0;
	dut.axil_wstrb_i = 15;
}

// A write that the block answers. Returns the answer.
unsigned int Firmware::write(uint32_t at, uint32_t value)
{
	dut.axil_awaddr_i = TALLY_FW_COMMAND_BASE + at;
	dut.axil_wdata_i = value;
	dut.axil_awvalid_i = dut.axil_wvalid_i = dut.axil_bready_i = 1;
	bench.settle();
	CHECK(dut.mine_o && !dut.keeps_o && dut.axil_awready_o, "register %x is not taken", dut.axil_awaddr_i);
	clock();
	dut.axil_awvalid_i = dut.axil_wvalid_i = 0;
	writing = true;
	for (unsigned int patience = longest_wait;; patience--) {
		CHECK(patience, "the write of %x is stuck", at);
		bench.settle();
		if (dut.axil_bvalid_o)
			break;
		clock();
	}
	const unsigned int resp = dut.axil_bresp_o;

	CHECK(!wanted, "an answer ahead of its packet");
	clock();
	writing = false;
	dut.axil_bready_i = 0;
	return resp;
}

// The next register of an edge that is renewed is written, which other units answer some time later.
void Firmware::put_by_renew(unsigned int group, unsigned int edge)
{
	for (unsigned int patience = longest_wait; bench.settle(), !dut.put_valid_o; patience--) {
		CHECK(patience, "a register of an edge is not written");
		clock();
	}
	for (uint64_t clocks = rng.below(4); clocks; clocks--)
		clock();
	const uint32_t at = dut.put_addr_o, data = dut.put_data_o;

	dut.put_ready_i = 1;
	clock();
	dut.put_ready_i = 0;
	for (uint64_t clocks = rng.below(4); clocks; clocks--)
		clock();
	dut.axil_awaddr_i = at;
	dut.axil_wdata_i = data;
	dut.written_i = 1;
	dut.row_i = row_of(group, edge);
	bench.settle();
	CHECK(dut.keeps_o, "keeps_o is %d at %x", dut.keeps_o, at);
	clock();
	dut.written_i = 0;
	for (uint64_t clocks = rng.below(4); clocks; clocks--)
		clock();
	dut.put_bvalid_i = 1;
	bench.settle();
	CHECK(!dut.axil_bvalid_o, "an answer before all is written");
	clock();
	dut.put_bvalid_i = 0;
}

// The command RENEW_EDGE; what it writes is seen by packets and OPENs later.
void Firmware::renew()
{
	const unsigned int group = rng.below(Groups), edge = rng.below(EdgesOf);
	uint32_t *words = edge_words[group][edge];
	uint64_t seed = rng.next();
	struct fw_send_state s;

	for (unsigned int left = fw_send_model_renew(seed, &s), first = left; left || first; left -= !!left) {
		if (first) {
			dut.axil_awaddr_i = TALLY_FW_COMMAND_BASE;
			dut.axil_wdata_i = TALLY_FW_CMD_RENEW_EDGE | edge << 8 | group << 16;
			dut.axil_awvalid_i = dut.axil_wvalid_i = 1;
			bench.settle();
			CHECK(dut.mine_o && dut.axil_awready_o && dut.axil_wready_o, "RENEW_EDGE is not taken");
			clock();
			dut.axil_awvalid_i = dut.axil_wvalid_i = first = 0;
			writing = true;
		}
		dut.random_valid_i = 1;
		dut.random_i = fw_send_model_random(&seed);
		while (bench.settle(), !dut.random_ready_o)
			clock();
		clock();
		dut.random_valid_i = 0;
		for (uint64_t clocks = rng.below(4); clocks; clocks--)
			clock();
	}
	for (unsigned int puts = 0; puts < 10; puts++)
		put_by_renew(group, edge);
	dut.axil_bready_i = 1;
	for (unsigned int patience = longest_wait; bench.settle(), !dut.axil_bvalid_o; patience--) {
		CHECK(patience, "RENEW_EDGE is not answered");
		clock();
	}
	CHECK(!dut.axil_bresp_o, "RENEW_EDGE is refused");
	clock();
	writing = false;
	dut.axil_bready_i = 0;
	words[tally::fw_written_words] = s.nonce;
	words[tally::fw_written_words + 1] = s.nonce >> 32;
	words[tally::fw_written_words + 2] = words[tally::fw_written_words + 3] = 0;
	words[tally::fw_regs - 2] = s.key;
	words[tally::fw_regs - 1] = s.own_first_seq;
	words[tally::open_first] = 0;
	words[tally::open_first + 2] = TALLY_EDGE_OPENING;
	renewed++;
}

void Firmware::command()
{
	const tally::FwCommand c(rng);
	const unsigned int context = rng.below(contexts + 1), edge = rng.below(EdgesOf);
	uint32_t words[tally::fw_words];

	for (uint32_t at = FW_AT(command, kind); at < 4 * tally::fw_command_words; at += 4)
		CHECK(!write(at, c.reg(at)), "register %x is refused", at);
	if (context < contexts) {
		std::memcpy(words, group_words[context], sizeof(words));
		std::memcpy(words + tally::fw_group_words, edge_words[context][edge] + tally::fw_group_words,
			    4 * (tally::fw_regs - tally::fw_group_words));
		if (context >= Groups)
			words[tally::fw_done] = words[tally::fw_limit] = 0;
		tally::fw_send_words_to_model(words);
		wanted = c.model();
		left = false;
		tally::open_event(dut.open_event_i, tally::open_with_nonce(c.echo), rng.below(contexts), rng.below(EdgesOf));
	}
	CHECK((write(0, c.code | edge << 8 | context << 16) == slverr) == (context == contexts), "a command for context %u", context);
	packets += context < contexts;
	refusals += context == contexts;
}

void Firmware::step()
{
	for (uint64_t n = rng.below(4); n; n--)
		write_word(rng.below(contexts), rng.below(EdgesOf), rng.below(tally::fw_regs), !rng.one_in(4));
	write_open_reg(rng.below(contexts), rng.below(EdgesOf), rng.below(tally::open_regs), !rng.one_in(4));
	if (rng.one_in(3))
		rest();
	if (rng.one_in(2))
		move();
	if (rng.one_in(3))
		renew();
	if (rng.one_in(2))
		open();
	if (rng.one_in(3))
		rest();
	if (rng.one_in(2))
		command();
}

void Firmware::write_edge(unsigned int context, unsigned int edge)
{
	for (unsigned int word = 0; word < tally::fw_regs; word++)
		write_word(context, edge, word, true);
	for (unsigned int k = 0; k < tally::open_regs; k++)
		write_open_reg(context, edge, k, true);
}

int Firmware::run()
{
	tally::give_addresses(rng, dut);
	restart();
	for (unsigned int context = 0; context < contexts; context++)
		for (unsigned int edge = 0; edge < EdgesOf; edge++)
			write_edge(context, edge);
	for (unsigned int moves = 0; moves < 60; moves++)
		move();
	bench.live(bench.times(500), [this] { restart(); }, [this] { step(); });
	CHECK(packets > 100 && headers > 1000 && rows > 1000 && refusals > 10 && between > 100,
	      "%llu packets, %llu refused, %llu headers and %llu rows of tally_send, %llu while a packet is formed", (unsigned long long)packets,
	      (unsigned long long)refusals, (unsigned long long)headers, (unsigned long long)rows, (unsigned long long)between);
	CHECK(opened > 100 && agreed > 20 && renewed > 50, "%llu OPENs, %llu agree, %llu edges are renewed", (unsigned long long)opened,
	      (unsigned long long)agreed, (unsigned long long)renewed);
	return bench.finish();
}

int main(int argc, char **argv)
{
	return Firmware(argc, argv).run();
}
