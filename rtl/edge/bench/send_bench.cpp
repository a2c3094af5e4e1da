// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_send, whose parts have benches of their own: it shows that the join is right. Groups are created and their
// edges renewed, opened, settled and closed by registers; groups move, neighbours tell their limits, chunks and
// acknowledgements are to leave. Each header must be that of the C model for its edge, and payloads follow their headers. A
// chunk leaves if the neighbour's limit permits it, else the block must say so when the limit has risen. When nothing moves
// any more, each open edge must have been told the newest done and limit.
#include <cstring>
#include <deque>
#include <optional>
#include <vector>

#include "Vdut.h"
#include "bench.h"
#include "rtl/record.h"

extern "C" {
#include "gen/tally_fw_hw.h"
#include "gen/tally_hw.h"
#include "nic/tx_header.h"
}

#define AT(block, field) static_cast<uint32_t>(offsetof(struct tally_fw_##block, field))

enum { SENT, WAITS, DROPPED };
using Bytes = std::vector<uint8_t>;
constexpr unsigned int edges_of_group = 2;	// that have rows
constexpr size_t word_bytes = 64, source_bits = 346;
constexpr uint64_t clock_ps = 4000;
constexpr int message_branch = 3, message_counter = 2, message_port = 0x1234;

struct Window {
	uint32_t done, limit;
	bool operator==(const Window &w) const { return done == w.done && limit == w.limit; }
};

struct Edge {
	unsigned int row, index;
	bool open = false, settled = false, notified = false;	// notified: its last packet was NOTIFY
	uint32_t peer_limit = 0, key = 0;
	struct engine_addr addr = {};
	uint8_t remote_index = 0;
	Window told = {};
};

struct Group {
	bool does;
	uint32_t jid, epoch, segs;
	Window w = {};
	Edge edges[edges_of_group];
};

struct Source {		// a chunk, a message or an acknowledgement
	unsigned int group, edge;
	Edge *to;	// none: no edge has this name
	bool again, sum, message, busy, may, could;	// it may leave now; it could at some time since it was offered
	uint32_t num, seq, count;
	uint16_t ref;
	uint64_t seen;
	Bytes data;
};

// Fields of a packed structure, the first one in the highest bits.
class Packer {
public:
	Packer(uint32_t *words, size_t bits) : words_(words), at_(bits) { std::memset(words, 0, (bits + 31) / 32 * 4); }
	void put(unsigned int bits, uint64_t value)
	{
		while (bits--) {
			at_--;
			words_[at_ / 32] |= uint32_t(value >> bits & 1) << at_ % 32;
		}
	}

private:
	uint32_t *words_;
	size_t at_;
};

class Send {
public:
	Send(int argc, char **argv)
		: bench("send", argc, argv), dut(*bench.dut), rng(bench.rng), asks(rng), outs(rng), dats(rng), looks(rng), pays(rng), passes(rng)
	{
	}
	int run();

private:
	void restart();
	void step();
	void write(uint32_t at, uint32_t value, bool mine);
	void bytes(uint32_t at, const uint8_t *from, unsigned int n, bool mine);
	uint32_t reg(unsigned int g, uint32_t at) { return TALLY_FW_GROUP_BASE + g * TALLY_FW_GROUP_STRIDE + at; }
	uint32_t edge_reg(unsigned int g, const Edge &e, uint32_t at)
	{
		return reg(g, TALLY_FW_EDGE_OFFSET + e.index * TALLY_FW_EDGE_STRIDE + at);
	}
	void create(unsigned int g);
	void begin(unsigned int g, Edge &e);
	void close_row(unsigned int row);
	void close(unsigned int g);
	void tell_window(unsigned int g);
	void move();
	void hear();
	void hear_again(const Edge &e);
	void tell_heard(const Edge &e, uint32_t done, uint32_t more);
	void choose_chunk();
	void put_message(Packer &p);
	void choose_ack();
	void review();
	void offer();
	void observe();
	void header();
	void check_tch(const struct tally_tch &t, const Edge &e, const Group &g, const Window &w);
	void payload();
	void chunk_end();
	void ask_side();
	void look_side();
	void rest();

	tally::Bench<Vdut> bench;
	Vdut &dut;
	tally::Rng &rng;
	tally::Throttle asks, outs, dats, looks, pays, passes;
	uint8_t mac[6], gid[16];
	Group groups[Groups];
	std::optional<Source> chunk, ack;
	std::deque<std::pair<unsigned int, Window>> past;	// windows that groups have had while a header may have been formed
	std::deque<std::pair<unsigned int, unsigned int>> looked;	// row, or none; by clock
	std::deque<Bytes> expected;	// payloads, of headers that have left
	Bytes got;
	std::deque<Bytes> words;	// of the chunk that leaves
	std::optional<uint32_t> number;	// that was given
	uint32_t before = 0;	// and the one that a message is behind
	uint64_t now = 0;
	unsigned int wakes = 0;		// clocks until wake_o must have come
	uint64_t ends[3] = {}, notes = 0, acks = 0, passed = 0, woken = 0;
};

void Send::write(uint32_t at, uint32_t value, bool mine)
{
	unsigned int left = 2000;

	while (bench.settle(), dut.regs_busy_o) {
		CHECK(left--, "the registers are busy for ever");
		step();
	}
	dut.axil_awaddr_i = at;
	dut.axil_wdata_i = value;
	bench.settle();
	CHECK(dut.mine_o == mine, "mine_o is %d at %x", dut.mine_o, at);
	if (!mine) {
		dut.taken_i = 1;
		step();
		dut.taken_i = 0;
		return;
	}
	dut.axil_awvalid_i = dut.axil_wvalid_i = 1;
	for (bool taken = false, done = false; !done;) {
		CHECK(left--, "the write of %x is stuck", at);
		dut.axil_bready_i = rng.one_in(2);
		bench.settle();
		taken |= dut.axil_awvalid_i && dut.axil_awready_o;
		done = dut.axil_bvalid_o && dut.axil_bready_i;
		step();
		if (taken)
			dut.axil_awvalid_i = dut.axil_wvalid_i = 0;
	}
	dut.axil_bready_i = 0;
}

void Send::bytes(uint32_t at, const uint8_t *from, unsigned int n, bool mine)
{
	for (unsigned int i = 0; i < n; i += 4) {
		uint32_t word = 0;

		std::memcpy(&word, from + i, n - i < 4 ? n - i : 4);
		write(at + i, word, mine);
	}
}

void Send::create(unsigned int g)
{
	Group &n = groups[g];

	n.does = !rng.one_in(4);
	n.jid = rng.next();
	n.segs = 1 + rng.below(4);
	n.edges[0].index = 0;
	n.edges[1].index = rng.one_in(2) ? 1 : EdgesOf - 1;
	write(reg(g, AT(group, flags)), 0, false);
	write(reg(g, AT(group, parent)), n.edges[1].index == 1 ? TALLY_FW_NO_EDGE : EdgesOf - 1, false);
	write(reg(g, AT(group, num_edges)), n.edges[1].index == 1 ? 2 : 1, false);
	write(reg(g, AT(group, children)), 3, false);
	write(reg(g, AT(group, children) + 4), 0, false);
	write(reg(g, AT(group, num_segs)), n.segs, true);
	write(reg(g, TALLY_FW_SETUP_OFFSET + AT(setup, jid)), n.jid, false);
	write(reg(g, TALLY_FW_SETUP_OFFSET + AT(setup, max_segs)), n.segs + rng.below(3), true);
	dut.does_write_i = 1;
	dut.does_group_i = g;
	dut.does_i = n.does;
	write(TALLY_FW_COMMAND_BASE + AT(command, go), TALLY_FW_CMD_CREATE | g << 16, false);
	dut.does_write_i = 0;
}

// The firmware renews an edge and opens it with what OPEN has told.
void Send::begin(unsigned int g, Edge &e)
{
	Group &n = groups[g];
	uint32_t limit = rng.below(4);

	dut.row_i = e.row;
	e.told = { 0, n.w.limit };
	e.notified = false;
	write(edge_reg(g, e, AT(edge, own_first_seq)), rng.next(), false);
	e.key = rng.next();
	e.remote_index = rng.below(65);
	rng.fill(&e.addr, sizeof(e.addr));
	write(edge_reg(g, e, AT(edge, peer_key)), e.key, true);
	bytes(edge_reg(g, e, TALLY_FW_NEIGHBOUR_OFFSET + AT(neighbour, gid)), e.addr.gid, 16, false);
	bytes(edge_reg(g, e, TALLY_FW_NEIGHBOUR_OFFSET + AT(neighbour, mac)), e.addr.mac, 6, true);
	write(edge_reg(g, e, TALLY_FW_NEIGHBOUR_OFFSET + AT(neighbour, remote_index)), e.remote_index, true);
	write(edge_reg(g, e, TALLY_FW_NEIGHBOUR_OFFSET + AT(neighbour, round)), 0, true);
	e.open = true;
	e.peer_limit = limit;
	write(edge_reg(g, e, AT(edge, first_limit)), limit, true);
	e.settled = true;
	review();
	wakes = 60;
	write(edge_reg(g, e, AT(edge, unconfirmed)), 0, true);
}

void Send::close_row(unsigned int row)
{
	while (bench.settle(), dut.closing_o)
		step();
	dut.close_i = 1;
	dut.close_row_i = row;
	step();
	dut.close_i = 0;
}

// The group is frozen, and a next epoch begins.
void Send::close(unsigned int g)
{
	rest();
	for (Edge &e : groups[g].edges) {
		close_row(e.row);
		if (rng.one_in(2))
			hear_again(groups[(g + 1) % Groups].edges[0]);
	}
	while (bench.settle(), dut.closing_o || dut.busy_o)
		step();
	for (Edge &e : groups[g].edges)
		e.open = e.settled = false;
	choose_chunk();
	for (unsigned int i = 0; i < 100; i++)
		step();
	rest();
	groups[g].w = {};
	tell_window(g);
	groups[g].epoch = rng.next();
	write(reg(g, AT(group, epoch)), groups[g].epoch, false);
	for (Edge &e : groups[g].edges)
		begin(g, e);
}

void Send::restart()
{
	unsigned int row = 0, turn = rng.below(Rows);

	dut.axil_awvalid_i = dut.axil_wvalid_i = dut.axil_bready_i = dut.taken_i = dut.close_i = dut.does_write_i = 0;
	dut.moved_valid_i = dut.heard_valid_i = dut.ack_valid_i = dut.chunk_valid_i = dut.pay_tvalid_i = 0;
	dut.ask_ready_i = dut.look_ready_i = dut.out_ready_i = dut.dat_tready_i = dut.pass_ready_i = 0;
	dut.axil_wstrb_i = 0xf;
	chunk.reset();
	ack.reset();
	number.reset();
	past.clear();
	looked.clear();
	expected.clear();
	got.clear();
	words.clear();
	wakes = 0;
	bench.reset();
	for (unsigned int left = 1000; bench.settle(), dut.busy_o; bench.tick())
		CHECK(left--, "busy after a reset");
	for (unsigned int g = 0; g < Groups; g++) {
		groups[g] = {};
		for (Edge &e : groups[g].edges) {
			e.row = (row++ + turn) % Rows;
			close_row(e.row);
		}
		create(g);
		tell_window(g);
		groups[g].epoch = rng.next();
		write(reg(g, AT(group, epoch)), groups[g].epoch, false);
		for (Edge &e : groups[g].edges)
			begin(g, e);
	}
}

void Send::tell_window(unsigned int g)
{
	past.push_back({ g, groups[g].w });
	dut.moved_valid_i = 1;
	dut.moved_group_i = g;
	dut.moved_done_i = groups[g].w.done;
	dut.moved_limit_i = groups[g].w.limit;
	dut.moved_posted_i = rng.one_in(2);
	step();
	dut.moved_valid_i = 0;
}

void Send::move()
{
	unsigned int g = rng.below(Groups);
	Window &w = groups[g].w;

	w.done += rng.below(w.limit - w.done + 1);
	w.limit += rng.below(4);
	tell_window(g);
}

void Send::hear()
{
	Edge &e = groups[rng.below(Groups)].edges[rng.below(edges_of_group)];
	uint32_t done = e.peer_limit - rng.below(3), limit = done + rng.below(6);

	if (int32_t(limit - e.peer_limit) > 0) {
		e.peer_limit = limit;
		review();
		wakes = 60;
	}
	tell_heard(e, done, limit - done);
}

// What is known already; a row that is being closed has to wait for it.
void Send::hear_again(const Edge &e)
{
	tell_heard(e, e.peer_limit, 0);
}

void Send::tell_heard(const Edge &e, uint32_t done, uint32_t more)
{
	unsigned int left = 50;

	dut.heard_valid_i = 1;
	dut.heard_row_i = e.row;
	dut.heard_done_i = done;
	dut.heard_limit_i = more;
	for (bool taken = false; !taken;) {
		bench.settle();
		taken = dut.heard_ready_o;
		CHECK(left--, "what has come is not taken");
		step();
	}
	dut.heard_valid_i = 0;
}

// The chunk may leave now, or could.
void Send::review()
{
	if (!chunk)
		return;
	chunk->may = chunk->again || chunk->busy || (chunk->to && chunk->to->settled && (chunk->message || int32_t(chunk->num - chunk->to->peer_limit) < 0));
	chunk->could |= chunk->may;
}

void Send::choose_chunk()
{
	Source s = {};

	if (chunk || !words.empty())
		return;
	s.group = rng.below(Groups);
	s.to = rng.one_in(16) ? nullptr : &groups[s.group].edges[rng.below(edges_of_group)];
	s.edge = s.to ? s.to->index : 3;
	s.again = rng.one_in(4);
	s.sum = rng.one_in(2);
	s.message = rng.one_in(3);
	s.busy = !s.message && rng.one_in(4);
	if (s.busy)
		s.again = false;
	s.num = s.to ? s.to->peer_limit - 4 + rng.below(7) : 0;
	s.seq = rng.next();
	s.ref = rng.next();
	s.count = s.busy || rng.one_in(4) ? 0 : 1 + rng.below(40);
	s.data.resize(8 * s.count);
	rng.fill(s.data.data(), s.data.size());
	chunk = s;
	review();
	Packer p(&dut.chunk_i[0], source_bits);
	p.put(8, s.message ? TALLY_KIND_TRIGGER : s.busy ? TALLY_KIND_BUSY : s.sum ? TALLY_KIND_REDUCE : TALLY_KIND_RESULT);
	p.put(1, !s.message && !s.busy);
	p.put(1, s.again);
	p.put(16, s.group);
	p.put(8, s.edge);
	p.put(16, s.ref);
	p.put(32, s.seq);
	dut.chunk_valid_i = 1;
	if (s.message)
		return put_message(p);
	if (s.busy)
		return;
	for (uint32_t field : { +TALLY_MODE_TREE, +TALLY_OPCODE_ALLREDUCE, +TALLY_OP_SUM, +TALLY_TYPE_INT64, 0 })
		p.put(8, field);
	p.put(16, 0);
	for (uint32_t field : { s.num, s.num + 7, 0u, s.count, 0u, s.count })
		p.put(32, field);
}

// trigger_t of tally_head_pkg, in the low bits of the place of a chunk.
void Send::put_message(Packer &p)
{
	for (unsigned int bits = 248 - 135; bits; bits--)
		p.put(1, 0);
	for (uint32_t field : { +TALLY_OPCODE_REDUCE_MP, +TALLY_OP_SUM, +TALLY_TYPE_INT64, +message_branch })
		p.put(8, field);
	p.put(32, chunk->num + 7);
	p.put(32, chunk->count);
	p.put(8, message_counter);
	p.put(16, message_port);
	p.put(2, 3);	// CP, SwpMp
	p.put(13, chunk->data.size());
}

void Send::choose_ack()
{
	Source s = {};

	if (ack)
		return;
	s.group = rng.below(Groups);
	s.to = rng.one_in(16) ? nullptr : &groups[s.group].edges[rng.below(edges_of_group)];
	s.edge = s.to ? s.to->index : 3;
	s.seq = rng.next();
	s.seen = rng.next();
	ack = s;
	Packer p(&dut.ack_i[0], 120);
	p.put(16, s.group);
	p.put(8, s.edge);
	p.put(32, s.seq);
	p.put(64, s.seen);
	dut.ack_valid_i = 1;
}

void Send::ask_side()
{
	dut.ask_ready_i = asks.go();
	dut.ask_ok_i = !rng.one_in(4);
	dut.ask_seq_i = chunk && chunk->again ? chunk->seq : rng.next();
	dut.ask_before_i = rng.next();
}

// Rows come a clock after a question, and whether there is one two clocks after.
void Send::look_side()
{
	dut.look_ready_i = looks.go();
	dut.look_row_i = looked.size() > 0 && looked[0].second ? looked[0].first : rng.below(Rows);
	dut.look_found_i = looked.size() > 1 ? looked[1].second : rng.one_in(2);
}

void Send::offer()
{
	ask_side();
	look_side();
	dut.now_i = now;
	dut.out_ready_i = outs.go();
	dut.dat_tready_i = dats.go();
	dut.pass_ready_i = passes.go();
	dut.pay_tvalid_i = !words.empty() && (dut.pay_tvalid_i || pays.go());
	if (dut.pay_tvalid_i) {
		size_t n = words.front().size();

		std::memcpy(&dut.pay_tdata_i, words.front().data(), n);
		dut.pay_tkeep_i = n < word_bytes ? (1ull << n) - 1 : ~0ull;
		dut.pay_tlast_i = words.size() == 1;
	}
}

void Send::check_tch(const struct tally_tch &t, const Edge &e, const Group &g, const Window &w)
{
	struct tally_tch x = {};
	size_t len = 0;

	x.tag = htobe32(TALLY_TCH_TAG);
	x.version = TALLY_WIRE_VERSION;
	x.kind = t.kind;
	x.contributor = e.remote_index;
	x.jid = htobe32(g.jid);
	x.epoch = htobe32(g.epoch);
	x.key = htobe32(e.key);
	x.done = htobe32(w.done);
	x.limit = htobe16(w.limit - w.done);
	if (t.kind == TALLY_KIND_ACK) {
		x.edge_seq = htobe32(ack->seq);
		len = 8;
	} else if (t.kind == TALLY_KIND_BUSY) {
		x.edge_seq = htobe32(chunk->seq);
	} else if (t.kind != TALLY_KIND_NOTIFY) {
		x.edge_seq = htobe32(*number);
		x.opcode = chunk->message ? TALLY_OPCODE_REDUCE_MP : TALLY_OPCODE_ALLREDUCE;
		x.op = TALLY_OP_SUM;
		x.dtype = TALLY_TYPE_INT64;
		x.flags = htobe16(chunk->message ? TALLY_TCH_F_CP | TALLY_TCH_F_SWP_MP : TALLY_TCH_F_LAST);
		x.num = htobe32(chunk->message ? before : chunk->num);
		x.mid = htobe32(chunk->num + 7);
		x.total = x.count = htobe32(chunk->count);
		len = chunk->data.size();
		if (chunk->message) {
			x.branch = message_branch;
			x.counter = message_counter;
			x.port = htobe16(message_port);
		}
	}
	struct roce_hdr hdr = tx_header(mac, gid, &e.addr, &x);
	uint32_t wanted[(tally::tx_bits + 31) / 32] = {};

	tally::write_header(wanted, hdr, x, len);
	for (size_t i = 0; i < sizeof(wanted) / 4; i++)
		CHECK(dut.out_o[i] == wanted[i], "kind %u: word %zu of the header is %08x, not %08x", t.kind, i, dut.out_o[i], wanted[i]);
}

// A header leaves: of the chunk or of the acknowledgement that is offered, or NOTIFY.
void Send::header()
{
	uint8_t raw[64];
	struct tally_tch t;

	for (unsigned int i = 0; i < 64; i++)
		raw[i] = dut.out_o[(63 - i) / 4] >> 8 * ((63 - i) % 4);
	std::memcpy(&t, raw, sizeof(t));
	for (unsigned int g = 0; g < Groups; g++)
		for (Edge &e : groups[g].edges) {
			Window w = { be32toh(t.done), be32toh(t.done) + be16toh(t.limit) };

			if (e.key != be32toh(t.key))
				continue;
			CHECK(e.open, "kind %u leaves on a closed edge", t.kind);
			bool known = w == groups[g].w;
			for (auto &[group, before] : past)
				known |= group == g && w == before;
			CHECK(known, "done %u and limit %u are not of group %u", w.done, w.limit, g);
			check_tch(t, e, groups[g], w);
			CHECK(t.kind != TALLY_KIND_NOTIFY || !e.notified || !(e.told == w), "NOTIFY leaves again with the same values");
			e.notified = t.kind == TALLY_KIND_NOTIFY;
			e.told = w;
			if (t.kind == TALLY_KIND_ACK) {
				CHECK(ack && ack->to == &e && groups[g].does && expected.empty(), "an acknowledgement that nobody wants");
				expected.emplace_back(8);
				for (unsigned int i = 0; i < 8; i++)
					expected.back()[i] = ack->seen >> 8 * (7 - i);
			} else if (t.kind == TALLY_KIND_NOTIFY) {
				notes++;
			} else {
				CHECK(chunk && chunk->to == &e && (t.kind == TALLY_KIND_TRIGGER) == chunk->message &&
				      (t.kind == TALLY_KIND_BUSY) == chunk->busy && (chunk->message || chunk->busy || (t.kind == TALLY_KIND_REDUCE) == chunk->sum), "another chunk leaves");
				CHECK(expected.empty() || ((chunk->message || chunk->busy) && !chunk->count), "a header leaves amid a payload");
				if (chunk->count)
					expected.push_back(chunk->data);
			}
			return;
		}
	CHECK(false, "kind %u for no edge", t.kind);
}

void Send::payload()
{
	const uint8_t *from = reinterpret_cast<const uint8_t *>(&dut.dat_tdata_o);
	size_t n = ~dut.dat_tkeep_o ? __builtin_ctzll(~dut.dat_tkeep_o) : word_bytes;

	CHECK(!expected.empty(), "a payload of no header");
	got.insert(got.end(), from, from + n);
	if (!dut.dat_tlast_o)
		return;
	CHECK(got == expected.front(), "another payload, of %zu bytes and not %zu", got.size(), expected.front().size());
	expected.pop_front();
	got.clear();
}

void Send::chunk_end()
{
	unsigned int end = dut.chunk_end_o;

	ends[end]++;
	if (!chunk->to)
		CHECK(end == DROPPED, "end %u of a chunk to nobody", end);
	else if (end == SENT)
		CHECK(chunk->could && (chunk->busy ? !number && dut.chunk_seq_o == chunk->seq : number && dut.chunk_seq_o == *number) && dut.out_valid_o && dut.out_ready_i, "a chunk may not leave");
	else if (end == WAITS)
		CHECK(!chunk->again && !chunk->busy && !number, "a packet waits that was sent before, or has its number");
	if (end == SENT)
		for (size_t at = 0; (at == 0 && !chunk->message && !chunk->busy) || at < chunk->data.size(); at += word_bytes)
			words.emplace_back(chunk->data.begin() + at, chunk->data.begin() + std::min(at + word_bytes, chunk->data.size()));
	number.reset();
	chunk.reset();
}

void Send::observe()
{
	if (wakes && --wakes == 0)
		CHECK(false, "a limit has risen, and nothing is woken");
	if (dut.wake_o) {
		wakes = 0;
		woken++;
	}
	if (dut.out_valid_o && dut.out_ready_i)
		header();
	if (dut.dat_tvalid_o && dut.dat_tready_i)
		payload();
	if (dut.ask_valid_o && dut.ask_ready_i) {
		CHECK(chunk && chunk->could && !chunk->busy && !number, "a number is asked for");
		if (dut.ask_ok_i) {
			number = dut.ask_seq_i;
			before = dut.ask_before_i;
		}
	}
	looked.push_front({ 0, 0 });
	if (dut.look_valid_o && dut.look_ready_i)
		for (Edge &e : groups[dut.look_group_o].edges)
			if (e.index == dut.look_edge_o)
				looked.front() = { e.row, 1 };
	looked.resize(std::min<size_t>(looked.size(), 3));
	if (dut.pass_valid_o && dut.pass_ready_i) {
		CHECK(ack && !groups[ack->group].does && dut.ack_ready_o, "an acknowledgement of a group of the store passes");
		passed++;
	}
}

void Send::step()
{
	offer();
	bench.settle();
	observe();
	bool chunked = dut.chunk_valid_i && dut.chunk_ready_o, acked = dut.ack_valid_i && dut.ack_ready_o,
	     paid = dut.pay_tvalid_i && dut.pay_tready_o;

	if (chunked)
		chunk_end();
	if (acked) {
		acks += groups[ack->group].does;
		ack.reset();
	}
	if (paid)
		words.pop_front();
	if (past.size() > 200)
		past.pop_front();
	bench.tick();
	now += clock_ps;
	if (chunked)
		dut.chunk_valid_i = 0;
	if (acked)
		dut.ack_valid_i = 0;
	if (paid)
		dut.pay_tvalid_i = 0;
}

// Until nothing is inside, and each open edge knows the newest values.
void Send::rest()
{
	unsigned int left = 20000;

	while (bench.settle(), dut.busy_o || dut.deadline_valid_o || chunk || ack || !words.empty() || !expected.empty()) {
		CHECK(left--, "it does not come to rest");
		step();
	}
	for (unsigned int g = 0; g < Groups; g++)
		for (Edge &e : groups[g].edges)
			CHECK(!e.open || e.told == groups[g].w, "group %u: edge %u was told %u, %u, not %u, %u", g, e.index, e.told.done,
			      e.told.limit, groups[g].w.done, groups[g].w.limit);
}

int Send::run()
{
	uint64_t address = 0;

	rng.fill(mac, sizeof(mac));
	rng.fill(gid, sizeof(gid));
	for (uint8_t byte : mac)
		address = address << 8 | byte;
	dut.mac_i = address;
	Packer address_words(&dut.gid_i[0], 128);
	for (uint8_t byte : gid)
		address_words.put(8, byte);
	restart();
	for (uint64_t left = bench.times(4000); left; left--) {
		if (rng.one_in(500))
			restart();
		else if (rng.one_in(100))
			close(rng.below(Groups));
		else if (rng.one_in(100))
			rest();
		else if (rng.one_in(6))
			move();
		else if (rng.one_in(6))
			hear();
		if (rng.one_in(2))
			choose_chunk();
		if (rng.one_in(4))
			choose_ack();
		for (unsigned int n = rng.below(8); n; n--)
			step();
	}
	rest();
	CHECK(ends[SENT] > 100 && ends[WAITS] > 50 && ends[DROPPED] > 10 && notes > 100 && acks > 50 && passed > 10 && woken > 50,
	      "too little has happened");
	return bench.finish();
}

int main(int argc, char **argv)
{
	return Send(argc, argv).run();
}
