// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_store_unit: a node with two ranks and two children, the root of its tree or below a parent. Its group is
// written by registers, its epochs begin and end by commands, its chunks are sums of packets and of local data, from some of
// which a child is left out, or everybody. The result of some of them is for a child alone. In EXCHANGE, each child is the
// neighbour of a round. Some groups are in fixed order. Packets for other groups pass.
// What the firmware reads is compared with what has been given while nothing else happens, and must be of its chunk amid the
// traffic. What is for neighbours may leave at once or later, and some of it again. Each sum and result must be that of the
// data, once, and each epoch must get all segments back. Its clock may stop whenever idle_o is high.
#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <set>
#include <vector>

#include "Vdut.h"
#include "bench.h"
#include "parser_record.h"
#include "quiet.h"
#include "rtl/axi_lite.h"

extern "C" {
#include "gen/tally_fw_hw.h"
#include "gen/tally_hw.h"
}

using Bytes = std::vector<uint8_t>;
constexpr size_t word_bytes = 64;
constexpr unsigned int own_group = 1, other_group = 2, own_segs = 3, longest_wait = 20000;
constexpr uint32_t most_elements = 40;
constexpr uint64_t ranks = 0x5, children = 0x3;

struct Operation {
	unsigned int op, edge;
	uint32_t num;
	uint64_t ranks;
	bool rank, sum;
	Bytes data;
	uint64_t quits = 0, out = 0;	// of a post: ranks and neighbours that take no part
};

struct Packet {
	unsigned int kind, edge, group;
	uint32_t num;
	Bytes data;
};

struct Sent {		// a packet for a neighbour
	unsigned int kind, edge, ref;
	uint32_t num, seq;
	bool again;
};

enum { SENT, WAITS, DROPPED };

class UnitBench {
public:
	UnitBench(int argc, char **argv) : bench("store_unit", argc, argv), rng(bench.rng), dut(*bench.dut) {}
	int run();

private:
	void restart();
	void put(uint32_t at, uint32_t value, bool elsewhere = false);
	void create(unsigned int g, bool multicast);
	void create_parts(unsigned int g);
	template <typename Rows> void put_parts(uint32_t at, const Rows &rows);
	void begin(unsigned int chunks);
	void end();
	void chunk(uint32_t num);
	void exchange(uint32_t num);
	unsigned int opcode(uint32_t num) const { return reduced_to.count(num) ? TALLY_OPCODE_REDUCE : TALLY_OPCODE_ALLREDUCE; }
	unsigned int own_node() const { return root ? 0 : 1; }
	unsigned int root_node(uint32_t num) const { return reduced_to.count(num) ? own_node() + 1 + reduced_to.at(num) : 0; }
	unsigned int children_that_get(uint32_t num) { return reduced_to.count(num) ? 1u << reduced_to[num] : kids[num]; }
	bool has_input() const;
	bool has_output() const;
	void post(uint32_t num, uint64_t getting, uint64_t out, Bytes &sum);
	void contribute(uint32_t num, unsigned int edge, Bytes &sum);
	Bytes some();
	void add(Bytes &sum, const Bytes &from);
	void offer();
	void offer_packet();
	template <typename Words> void pack(Words &to, const Operation &o);
	template <typename Data> void offer_word(const Bytes &from, size_t at, Data &data, QData &keep, CData &last);
	void offer_operations();
	bool is_posted(const Operation &o) const { return slots.count(o.num); }	// what follows a post waits for its answer
	void operations_out();
	void answer();
	void outputs();
	void out();
	void offer_sent();
	void asked();
	void packet_out();
	void passage(const uint32_t *words, const Sent &s, bool again);
	void put_local(const Operation &o);
	void moved();
	void step();
	void offer_read();
	void check_read();
	uint64_t look(unsigned int at, unsigned int width) const;
	void read(uint32_t index);
	void expect(uint32_t num, uint64_t missing, uint64_t first, uint64_t receivers, uint64_t unposted);
	void rest();
	void begin_epoch();
	void look_at_tree();
	void look_at_exchange();
	void look_at_chunks();
	void command(unsigned int cmd, uint32_t num = 0, unsigned int group = own_group);

	tally::Bench<Vdut> bench;
	tally::Rng &rng;
	Vdut &dut;
	bool root = false, ordered = false;
	std::deque<Packet> packets;
	std::deque<Bytes> payload;
	std::deque<Operation> posts, locals;		// of each port
	std::deque<uint32_t> asked_posts;		// numbers
	std::map<uint32_t, unsigned int> slots;		// by number, as answers to posts name them
	std::map<uint32_t, bool> by_rounds;		// by number: in EXCHANGE
	std::map<uint32_t, std::set<bool>> were_by_rounds;	// those of epochs before
	std::map<uint32_t, std::map<unsigned int, Bytes>> sums;	// by number and edge
	std::map<uint32_t, Bytes> results;
	std::map<uint32_t, unsigned int> left;		// outputs that a chunk still has
	size_t pay_at = 0, loc_at = 0;
	std::map<uint32_t, uint64_t> getters;		// ranks that take part
	std::map<uint32_t, unsigned int> kids;		// that take part; 0: nobody does at all
	std::map<uint32_t, unsigned int> reduced_to;	// the child that has the root, of REDUCE
	Quiet quiet;
	std::map<unsigned int, Sent> unacked;		// by reference and edge
	std::deque<Sent> acked, repeat, there;		// there: acknowledged, of which the store is to tell
	Sent offered = {};
	std::deque<Sent> leaving;	// packets whose words are to follow
	Bytes result, words;
	uint32_t count = 0, done = 0, limit = 0;
	std::deque<bool> recs;	// records that were taken, and have not left: they are for the store
	bool waits = false;		// something may not leave before a wake
	bool ended = false, flying = false, again_taken = false, acks = false;
	bool reading = false;	// a read is under way
	uint32_t read_index = 0;
	unsigned int looked = 0;
	uint64_t other = 0;	// done and limit of the group that the store does not do
	bool other_ended = false;
	unsigned int passed = 0, told = 0, still = 0, expected_passed = 0, outs = 0, agains = 0, waited = 0;
};

void UnitBench::put(uint32_t at, uint32_t value, bool elsewhere)
{
	quiet.restart();
	if (!elsewhere) {
		CHECK(tally::axil_write(dut, at, value, [this] { bench.tick(); }), "the write of %x is refused", at);
		return;
	}
	dut.axil_awaddr_i = at;
	dut.axil_wdata_i = value;
	dut.taken_i = 1;
	bench.tick();
	dut.taken_i = 0;
}

#define AT(type, field) (uint32_t)offsetof(struct tally_fw_##type, field)
#define REG(g, field) (TALLY_FW_GROUP_BASE + (g) * TALLY_FW_GROUP_STRIDE + (uint32_t)offsetof(struct tally_fw_group, field))
template <typename Rows> void UnitBench::put_parts(uint32_t at, const Rows &rows)
{
	for (const auto &row : rows) {
		put(at + AT(part, ins), row.ins);
		put(at + AT(part, ins) + 4, 0);
		put(at + AT(part, outs), row.outs);
		put(at + AT(part, outs) + 4, 0);
		put(at + AT(part, link), row.next | row.inner << 16);
		at += TALLY_FW_PART_STRIDE;
	}
}

// Three parts of eight words: in EXCHANGE, the ranks, then each child in a round of its own; in TREE, if the group is in fixed
// order, the ranks, the children, and both.
void UnitBench::create_parts(unsigned int g)
{
	const uint32_t base = REG(g, flags) - AT(group, flags);
	struct Row {
		uint32_t ins, outs, next, inner;
	};
	const std::vector<Row> rounds = { { 0, 1, 1, 3 }, { 1, 2, 2, 1 }, { 2, 0, 0, 1 } };
	const std::vector<Row> sum = { { 0, 0, 2, 3 }, { 3, 0, 2 | 1 << 8, 0 }, { 0, 0, 0, 3 } };

	put_parts(base + TALLY_FW_PART_OFFSET + TALLY_FW_STORE_PARTS * TALLY_FW_PART_STRIDE, rounds);
	if (ordered)
		put_parts(base + TALLY_FW_PART_OFFSET, sum);
	for (unsigned int e = 0; e < 2; e++) {
		const uint32_t edge = base + TALLY_FW_EDGE_OFFSET + e * TALLY_FW_EDGE_STRIDE;

		put(edge + AT(edge, subtree_first), own_node() + 1 + e, true);	// one node behind each child
		put(edge + AT(edge, subtree_count), 1, true);
		put(edge + TALLY_FW_NEIGHBOUR_OFFSET + AT(neighbour, part), 1 | (e + 1) << 8 | (e + 1) << 24);
	}
	put(base + TALLY_FW_INPUTS_OFFSET + AT(inputs, rank[0]), 0);
	put(base + TALLY_FW_INPUTS_OFFSET + AT(inputs, rank[2]), 0x8080);
	put(REG(g, exchange_ins), children);
	put(REG(g, exchange_ins) + 4, 0);
	put(base + TALLY_FW_SETUP_OFFSET + AT(setup, parts), (ordered ? 3 : 0) | 3 << 8);
	put(base + TALLY_FW_SETUP_OFFSET + AT(setup, part_log), 3);
}

void UnitBench::create(unsigned int g, bool multicast)
{
	put(REG(g, flags), (root ? TALLY_GROUP_F_ROOT : 0) | (multicast ? TALLY_GROUP_F_MULTICAST : 0) |
				   (ordered ? TALLY_GROUP_F_ORDERED : 0), true);
	put(REG(g, parent), root ? 0xff : TALLY_CONTRIB_PARENT, true);
	put(REG(g, modes), TALLY_MODES_TREE | TALLY_MODES_EXCHANGE);
	create_parts(g);
	put(REG(g, mtu), 4096);
	put(REG(g, node), own_node());
	put(REG(g, num_nodes), 4);
	put(REG(g, total_ranks), 5);
	put(REG(g, num_edges), 2);
	put(REG(g, rank_mask), ranks);
	put(REG(g, rank_mask) + 4, 0);
	put(REG(g, children), children);
	put(REG(g, children) + 4, 0);
	put(TALLY_FW_COMMAND_BASE + offsetof(struct tally_fw_command, go), TALLY_FW_CMD_CREATE | g << 16, true);
	while (bench.settle(), !dut.idle_o)
		bench.tick();
}

void UnitBench::restart()
{
	dut.rec_valid_i = dut.pay_tvalid_i = dut.loc_valid_i = dut.post_valid_i = dut.cmd_valid_i = dut.other_valid_i = dut.taken_i = 0;
	dut.axil_awvalid_i = dut.axil_wvalid_i = 0;
	dut.pay_tkeep_i = dut.loc_tkeep_i = 0;	// segments are cleared with what is there
	dut.out_ready_i = dut.dat_tready_i = dut.end_ready_i = dut.ans_ready_i = dut.res_tready_i = dut.disagree_ready_i = 1;
	dut.wake_i = dut.chunk_ready_i = dut.words_tready_i = dut.acked_valid_i = dut.again_valid_i = 0;
	dut.read_valid_i = 0;
	reading = false;
	unacked.clear();
	quiet.restart();
	recs.clear();
	waits = false;
	leaving.clear();
	acked.clear();
	acks = false;
	repeat.clear();
	there.clear();
	bench.reset();
	while (bench.settle(), !dut.idle_o)
		bench.tick();
	root = rng.one_in(2);
	ordered = rng.one_in(2);
	create(own_group, false);
	create(other_group, true);
}

Bytes UnitBench::some()
{
	Bytes b(8 * count);

	rng.fill(b.data(), b.size());
	return b;
}

void UnitBench::add(Bytes &sum, const Bytes &from)
{
	for (size_t i = 0; i < from.size(); i += 8) {
		uint64_t a, b;

		std::memcpy(&a, &sum[i], 8);
		std::memcpy(&b, &from[i], 8);
		a += b;
		std::memcpy(&sum[i], &a, 8);
	}
}

// Lets the ranks post a chunk, and gives the data of those that take part.
void UnitBench::post(uint32_t num, uint64_t getting, uint64_t out, Bytes &sum)
{
	getters[num] = getting;
	posts.push_back({ TALLY_FW_STORE_OP_POST, 0, num, ranks, false, false, {}, ranks & ~getting, out });
	for (unsigned int r : { 0u, 2u }) {
		if (!(getting >> r & 1))
			continue;
		locals.push_back({ TALLY_FW_STORE_OP_DATA, r, num, 0, true, false, some() });
		add(sum, locals.back().data);
	}
}

// Lets a neighbour give data, which are added to a sum.
void UnitBench::contribute(uint32_t num, unsigned int edge, Bytes &sum)
{
	packets.push_back({ TALLY_KIND_REDUCE, edge, own_group, num, some() });
	add(sum, packets.back().data);
	if (rng.one_in(4))
		packets.push_back(packets.back());	// once more
}

// What comes of a chunk enters in any order.
void UnitBench::chunk(uint32_t num)
{
	Bytes sum(8 * count);
	unsigned int with = kids[num] = rng.one_in(2) ? 3 : root ? 1 + rng.below(3) : rng.below(4);

	by_rounds[num] = false;
	if (with == 3 && rng.one_in(2))
		reduced_to[num] = rng.below(2);
	// Of a chunk in which a child or nobody takes part, ranks may have no part, either.
	post(num, !with ? 0 : with == 3 && rng.one_in(3) ? 1u << 2 * rng.below(2) : ranks, 3 & ~with, sum);
	for (unsigned int c = 0; c < 2; c++) {
		if (with >> c & 1)
			contribute(num, c, sum);
		if (rng.one_in(2))
			packets.push_back({ TALLY_KIND_REDUCE, c, other_group, num, some() });
	}
	sums[num] = { { TALLY_CONTRIB_PARENT, sum } };
	results[num] = root ? sum : some();
	// copies for the children, the result for ranks, and the sum for the parent
	left[num] = with ? __builtin_popcount(with) + 1 + !root : 0;
	if (reduced_to.count(num)) {
		left[num] = 1 + !root;
		getters[num] = 0;
	}
}

// A chunk in two rounds. A neighbour gets the sum before its own data; those of the second one may come first.
void UnitBench::exchange(uint32_t num)
{
	Bytes sum(8 * count), first = sum, second = sum;

	by_rounds[num] = true;
	kids[num] = 3;
	sums[num].clear();
	post(num, rng.one_in(2) ? 1u << 2 * rng.below(2) : ranks, 0, sum);
	const unsigned int early = rng.below(2);

	contribute(num, early, early ? second : first);
	contribute(num, !early, early ? first : second);
	sums[num][0] = sum;
	add(sum, first);
	sums[num][1] = sum;
	add(sum, second);
	results[num] = sum;
	left[num] = 3;
}

void UnitBench::command(unsigned int cmd, uint32_t num, unsigned int group)
{
	dut.cmd_valid_i = 1;
	dut.cmd_i = uint64_t(cmd) << 48 | uint64_t(group) << 32 | num;
	while (bench.settle(), !dut.cmd_ready_o)
		step();
	step();
	dut.cmd_valid_i = 0;
}

// The fields of operation_t, from the lowest bits on.
template <typename Words> void UnitBench::pack(Words &to, const Operation &o)
{
	unsigned int at = 0;
	uint32_t words[18] = {};
	auto put_bits = [&](unsigned int bits, uint64_t value) {
		for (unsigned int i = 0; i < bits; i++, at++)
			words[at / 32] |= uint32_t(value >> i & 1) << at % 32;
	};
	for (uint64_t bit : { uint64_t(o.op == TALLY_FW_STORE_OP_RESULT), uint64_t(o.sum), uint64_t(o.rank) })
		put_bits(1, bit);
	for (uint64_t map : { o.out, o.quits, o.quits, o.ranks })
		put_bits(64, map);
	put_bits(8, o.edge);
	put_bits(16, o.data.size());
	for (uint32_t field : { count, 0u, count, 0u, o.num, o.num })
		put_bits(32, field);
	put_bits(16, root_node(o.num));
	put_bits(8, 0);
	for (uint32_t field : { uint32_t(TALLY_TYPE_INT64), uint32_t(TALLY_OP_SUM), uint32_t(opcode(o.num)),
				uint32_t(by_rounds[o.num] ? TALLY_MODE_EXCHANGE : TALLY_MODE_TREE) })
		put_bits(8, field);
	put_bits(16, own_group);
	put_bits(8, o.op);
	std::memcpy(&to[0], words, sizeof(words));
}

template <typename Data> void UnitBench::offer_word(const Bytes &from, size_t at, Data &data, QData &keep, CData &last)
{
	size_t n = std::min(word_bytes, from.size() - at);

	std::memcpy(&data, from.data() + at, n);
	keep = n < word_bytes ? (1ull << n) - 1 : ~0ull;
	last = at + n == from.size();
}

// What is offered stays; data may wait for their chunk, so others go before them.
void UnitBench::put_local(const Operation &o)
{
	locals.insert(locals.begin() + (dut.loc_valid_i && !locals.empty()), o);
}

void UnitBench::offer_operations()
{
	dut.loc_valid_i = !locals.empty() && is_posted(locals.front());
	if (dut.loc_valid_i) {
		pack(dut.loc_i, locals.front());
		offer_word(locals.front().data, loc_at, dut.loc_tdata_i, dut.loc_tkeep_i, dut.loc_tlast_i);
	}
	dut.post_valid_i = !posts.empty();
	if (!posts.empty())
		pack(dut.post_i, posts.front());
}

void UnitBench::offer_packet()
{
	const Packet &p = packets.front();
	uint32_t record[record_words];
	struct tally_tch t = {};
	const uint8_t zeros[44] = {};
	Put f(record);

	t.kind = p.kind;
	t.opcode = opcode(p.num);
	t.root_node = htobe16(root_node(p.num));
	t.op = TALLY_OP_SUM;
	t.dtype = TALLY_TYPE_INT64;
	t.flags = htobe16(TALLY_TCH_F_LAST | (by_rounds[p.num] ? TALLY_TCH_F_EXCHANGE : 0));
	t.round = by_rounds[p.num] ? p.edge + 1 : 0;
	t.num = t.mid = htobe32(p.num);
	t.total = t.count = htobe32(count);
	f.number(TALLY_RX_OK, 8);
	f.number(0, 1);
	f.bytes(zeros, 44);
	f.number(0, 63);
	f.number(0, 58);
	f.number(p.data.size(), 13);
	f.bytes(&t, sizeof(t));
	std::memcpy(&dut.rec_i[0], record, sizeof(record));
	dut.adm_i = TALLY_FW_ADMISSION_OK << 24 | p.group << 8 | p.edge;
	dut.flight_valid_i = 1;
	dut.flight_i = 3;
}

void UnitBench::offer()
{
	dut.rec_valid_i = !packets.empty() && payload.empty() && !flying;
	if (dut.rec_valid_i)
		offer_packet();
	dut.pay_tvalid_i = !payload.empty();
	if (!payload.empty()) {
		size_t n = std::min(word_bytes, payload.front().size() - pay_at);

		std::memcpy(&dut.pay_tdata_i, &payload.front()[pay_at], n);
		dut.pay_tkeep_i = n < word_bytes ? (1ull << n) - 1 : ~0ull;
		dut.pay_tlast_i = pay_at + n == payload.front().size();
	}
	offer_operations();
	dut.res_tready_i = !rng.one_in(4);
	offer_sent();
}

// The result for ranks has come out. They have it at once.
void UnitBench::out()
{
	Fields f(&dut.res_o[0], 16 + 64 + 1 + 248 + 16);
	unsigned int group = f.number(16);
	uint32_t num;
	uint64_t to = f.number(64);
	bool late = f.number(1);

	f.number(56);
	num = f.number(32);
	CHECK(group == own_group && !late && left.count(num) && left[num]-- && to == getters[num],
	      "a result of chunk %u comes out", num);
	CHECK(result == results[num], "chunk %u has another result", num);
	CHECK(slots.count(num) && dut.res_slot_o == slots[num], "the result of chunk %u is in slot %u", num, dut.res_slot_o);
	outs++;
	for (unsigned int r : { 0u, 2u })
		if (to >> r & 1)
			put_local({ TALLY_FW_STORE_OP_TAKEN, r, num, 0, true, false, {} });
	result.clear();
}

// What becomes of packets, and whether the one that is offered may leave.
void UnitBench::offer_sent()
{
	auto put_sent = [](auto &words, const Sent &s) {
		unsigned __int128 bits = (unsigned __int128)own_group << 56 | uint64_t(s.edge) << 48 | uint64_t(s.ref) << 32 | s.seq;

		for (unsigned int i = 0; i < 3; i++)
			words[i] = bits >> 32 * i;
	};

	dut.wake_i = rng.one_in(40);
	dut.chunk_ready_i = rng.one_in(3);
	dut.words_tready_i = !rng.one_in(4);
	acks = !acked.empty() && (acks || rng.one_in(40));	// so some come while all else rests
	dut.acked_valid_i = acks;
	if (acks)
		put_sent(dut.acked_i, acked.front());
	if (!dut.again_valid_i && !repeat.empty() && rng.one_in(20)) {
		dut.again_valid_i = 1;
		put_sent(dut.again_i, repeat.front());
		repeat.pop_front();
	}
	bench.settle();
	Fields f(&dut.chunk_o[0], 346);
	Sent &s = offered;

	s.kind = f.number(8);
	f.number(1);
	s.again = f.number(1);
	f.number(16);
	s.edge = f.number(8);
	s.ref = f.number(16);
	s.seq = f.number(32);
	f.number(56);
	s.num = f.number(32);
	dut.chunk_end_i = s.again ? (unacked.count(s.ref << 8 | s.edge) ? SENT : DROPPED) : rng.one_in(3) ? WAITS : SENT;
}

void UnitBench::asked()
{
	const unsigned int key = offered.ref << 8 | offered.edge;

	waited += dut.chunk_end_i == WAITS;
	if (dut.chunk_end_i != SENT)
		return;
	leaving.push_back(offered);
	agains += offered.again;
	if (offered.again) {
		CHECK(unacked[key].seq == offered.seq && unacked[key].num == offered.num, "another packet is sent again");
		return;
	}
	leaving.back().seq = rng.next();
	CHECK(unacked.insert({ key, leaving.back() }).second, "a packet leaves twice");
	if (rng.one_in(4))
		repeat.push_back(leaving.back());
}

// What is told of a sum or a result that leaves, or is there.
void UnitBench::passage(const uint32_t *told_of, const Sent &s, bool again)
{
	Fields f(told_of, 90);

	CHECK(f.number(1) == again && f.number(1) == (s.kind == TALLY_KIND_REDUCE && !by_rounds[s.num]) && f.number(16) == own_group &&
		      f.number(8) == s.edge && f.number(32) == s.num && f.number(32) == s.num,
	      "another passage is told");
}

// The neighbour has it at once, or when it is sent again.
void UnitBench::packet_out()
{
	CHECK(!leaving.empty(), "words of no packet");
	const Sent s = leaving.front();
	bool is_sum = s.kind == TALLY_KIND_REDUCE;

	CHECK(words == (is_sum ? sums[s.num][s.edge] : results[s.num]), "kind %u of chunk %u has other words", s.kind, s.num);
	CHECK(is_sum && !by_rounds[s.num] ? !root && s.edge == TALLY_CONTRIB_PARENT && kids[s.num] :
					    s.edge < 2 && children_that_get(s.num) >> s.edge & 1 && is_sum == by_rounds[s.num],
	      "kind %u of chunk %u to edge %u", s.kind, s.num, s.edge);
	words.clear();
	leaving.pop_front();
	if (!s.again) {
		CHECK(left.count(s.num) && left[s.num]--, "kind %u of chunk %u leaves", s.kind, s.num);
		outs++;
		if (is_sum && !by_rounds[s.num])
			packets.push_back({ TALLY_KIND_RESULT, TALLY_CONTRIB_PARENT, own_group, s.num, results[s.num] });
	} else if (!unacked.count(s.ref << 8 | s.edge)) {
		return;
	}
	auto is_it = [&s](const Sent &r) { return r.ref == s.ref && r.edge == s.edge; };
	if (!s.again && std::any_of(repeat.begin(), repeat.end(), is_it) && rng.one_in(2))
		return;	// it is lost
	unacked.erase(s.ref << 8 | s.edge);
	if (by_rounds[s.num] || rng.one_in(2))
		acked.push_back(s);
	else
		put_local({ TALLY_FW_STORE_OP_TAKEN, is_sum ? 0 : s.edge, s.num, 0, false, is_sum, {} });
}

void UnitBench::moved()
{
	uint64_t low;

	std::memcpy(&low, &dut.moved_o[0], 8);
	CHECK(dut.moved_o[2] >> 18 & 1, "a command is refused");
	still = 0;
	if ((dut.moved_o[2] & 0xffff) == other_group) {
		CHECK(!dut.moved_here_o, "the store does another group");
		other = low;
		other_ended |= dut.moved_o[2] >> 16 & 1;
		return;
	}
	CHECK((dut.moved_o[2] & 0xffff) == own_group && dut.moved_here_o, "a group that the store does not do moves");
	limit = low;
	done = low >> 32;
	ended |= dut.moved_o[2] >> 16 & 1;
}

void UnitBench::operations_out()
{
	if (dut.loc_valid_i && dut.loc_ready_o) {
		loc_at += word_bytes;
		if (dut.loc_tlast_i) {
			locals.pop_front();
			loc_at = 0;
		}
	}
	if (dut.post_valid_i && dut.post_ready_o) {
		asked_posts.push_back(posts.front().num);
		posts.pop_front();
	}
}

// The answer to a post names the slot of its chunk. Chunks that are open have different ones.
void UnitBench::answer()
{
	const unsigned int of_post = 1;

	told++;
	if (dut.ans_o >> 59 != of_post)
		return;
	CHECK(!asked_posts.empty() && (dut.ans_o >> 43 & 0xff) == TALLY_FW_STORE_ANSWER_STORED, "a post is answered %u",
	      unsigned(dut.ans_o >> 43 & 0xff));
	const uint32_t num = asked_posts.front();
	const unsigned int slot = dut.ans_o & 0x7ff;

	asked_posts.pop_front();
	CHECK(slot < Slots, "slot %u", slot);
	for (const auto &[other, at] : slots)
		CHECK(at != slot || other < done, "chunks %u and %u are in slot %u", other, num, slot);
	slots[num] = slot;
}

void UnitBench::outputs()
{
	if (dut.out_valid_o) {
		CHECK(!recs.empty() && bool(dut.out_here_o) == recs.front(), "here_o is %d", dut.out_here_o);
		recs.pop_front();
	}
	if (dut.rec_valid_i && dut.rec_ready_o) {
		bool here = packets.front().group == own_group;

		recs.push_back(here);
		payload.push_back(packets.front().data);
		flying = here;
		expected_passed += !here;
		packets.pop_front();
	}
	passed += dut.dat_tvalid_o && dut.dat_tlast_o;
	if (dut.pay_tvalid_i && dut.pay_tready_o) {
		pay_at += word_bytes;
		if (dut.pay_tlast_i) {
			payload.pop_front();
			pay_at = 0;
		}
	}
	if (dut.end_valid_o) {
		CHECK(flying && dut.end_flight_o == 3 && dut.end_stored_o, "a flight ends, stored %d", dut.end_stored_o);
		flying = false;
	}
	operations_out();
	if (dut.ans_valid_o)
		answer();
	if (dut.moved_valid_o)
		moved();
	if (dut.there_valid_o) {
		CHECK(!there.empty(), "what is there has not been acknowledged");
		passage(&dut.there_o[0], there.front(), false);
		there.pop_front();
	}
	if (dut.acked_valid_i && dut.acked_ready_o) {
		acks = false;
		there.push_back(acked.front());
		acked.pop_front();
	}
	again_taken = dut.again_valid_i && dut.again_ready_o;
	const bool leaves = dut.chunk_valid_o && dut.chunk_ready_i && dut.chunk_end_i == SENT;

	CHECK(dut.left_valid_o == leaves, "left_valid_o is %d", dut.left_valid_o);
	if (leaves)
		passage(&dut.left_o[0], offered, offered.again);
	waits = (waits && !dut.wake_i) || (dut.chunk_valid_o && dut.chunk_ready_i && dut.chunk_end_i == WAITS);
	if (dut.chunk_valid_o && dut.chunk_ready_i)
		asked();
	if (dut.words_tvalid_o && dut.words_tready_i) {
		const uint8_t *word = reinterpret_cast<const uint8_t *>(&dut.words_tdata_o);

		words.insert(words.end(), word, word + (~dut.words_tkeep_o ? __builtin_ctzll(~dut.words_tkeep_o) : word_bytes));
		if (dut.words_tlast_o)
			packet_out();
	}
	if (!dut.res_tvalid_o || !dut.res_tready_i)
		return;
	const uint8_t *from = reinterpret_cast<const uint8_t *>(&dut.res_tdata_o);

	result.insert(result.end(), from, from + (~dut.res_tkeep_o ? __builtin_ctzll(~dut.res_tkeep_o) : word_bytes));
	if (dut.res_tlast_o)
		out();
}

// ---- What the firmware reads ----

// A field of look_t.
uint64_t UnitBench::look(unsigned int at, unsigned int width) const
{
	uint64_t value = 0;

	for (unsigned int i = 0; i < width; i++)
		value |= uint64_t(dut.look_o[(at + i) / 32] >> (at + i) % 32 & 1) << i;
	return value;
}

void UnitBench::offer_read()
{
	if (!reading && !dut.read_valid_i && rng.one_in(8)) {
		dut.read_valid_i = 1;
		dut.read_group_i = own_group;
		dut.read_index_i = read_index = rng.below(own_segs + 1);
	}
}

// Amid the traffic it is of the chunk that was asked for.
void UnitBench::check_read()
{
	if (dut.read_valid_i && dut.read_ready_o)
		reading = true;
	if (!dut.look_valid_o)
		return;
	const uint32_t num = look(737, 32) + read_index, state = look(697, 8);

	CHECK(reading && look(705, 32) <= own_segs, "%llu segments are read", (unsigned long long)look(705, 32));
	reading = false;
	if (state == TALLY_SEG_FREE)
		return;
	looked++;
	CHECK(read_index < own_segs && look(609, 32) == num && look(577, 32) == num, "chunk %llu is read, not %u",
	      (unsigned long long)look(609, 32), num);
	const bool is_by_rounds = look(689, 8) == TALLY_MODE_EXCHANGE;

	// It may have the message of an epoch before until its own is there: see tally_store_look.
	if (is_by_rounds != by_rounds[num] && were_by_rounds[num].count(is_by_rounds))
		return;
	CHECK(is_by_rounds == by_rounds[num], "chunk %u has mode %llu", num, (unsigned long long)look(689, 8));
	CHECK(!((look(385, 64) | look(128, 64)) & ~(kids[num] & children)), "chunk %u waits for others: %llx, %llx", num,
	      (unsigned long long)look(385, 64), (unsigned long long)look(128, 64));
}

// Reads a chunk while nothing else happens.
void UnitBench::read(uint32_t index)
{
	while (reading || dut.read_valid_i)
		step();
	dut.read_valid_i = 1;
	dut.read_group_i = own_group;
	dut.read_index_i = read_index = index;
	while (dut.read_valid_i || reading)
		step();
}

void UnitBench::expect(uint32_t num, uint64_t missing, uint64_t first, uint64_t receivers, uint64_t unposted)
{
	read(num - done);
	const bool parent = look(192, 1), exchange = by_rounds[num];

	CHECK(look(737, 32) == done && look(705, 32) == limit - done && look(697, 8) == TALLY_SEG_BUSY, "done %llu, held %llu, state %llu",
	      (unsigned long long)look(737, 32), (unsigned long long)look(705, 32), (unsigned long long)look(697, 8));
	CHECK(look(385, 64) == missing && look(321, 64) == first, "chunk %u lacks %llx, first %llx, not %llx, %llx", num,
	      (unsigned long long)look(385, 64), (unsigned long long)look(321, 64), (unsigned long long)missing, (unsigned long long)first);
	CHECK(look(128, 64) == receivers && look(257, 64) == (exchange ? first | receivers : first) && look(193, 64) == (first | receivers),
	      "chunk %u waits for %llx", num, (unsigned long long)look(193, 64));
	CHECK(look(64, 64) == unposted && look(0, 64) == ranks, "ranks %llx have not posted chunk %u, %llx are to get it",
	      (unsigned long long)look(64, 64), num, (unsigned long long)look(0, 64));
	CHECK(parent == (!exchange && !root), "the parent of chunk %u", num);
}

// Until nothing happens any more.
void UnitBench::rest()
{
	for (unsigned int quiet = 0; quiet < 100; quiet++) {
		step();
		if (!packets.empty() || !posts.empty() || !locals.empty() || !payload.empty() || flying || !acked.empty() || !repeat.empty() ||
		    !unacked.empty() || dut.again_valid_i || dut.chunk_valid_o || waits)
			quiet = 0;
	}
}

bool UnitBench::has_input() const
{
	return dut.rec_valid_i || dut.pay_tvalid_i || dut.loc_valid_i || dut.post_valid_i || dut.cmd_valid_i || dut.wake_i ||
	       dut.acked_valid_i || dut.again_valid_i || dut.read_valid_i || dut.axil_awvalid_i || dut.taken_i || dut.other_valid_i;
}

bool UnitBench::has_output() const
{
	return dut.out_valid_o || dut.dat_tvalid_o || dut.end_valid_o || dut.ans_valid_o || dut.moved_valid_o || dut.there_valid_o ||
	       dut.chunk_valid_o || dut.words_tvalid_o || dut.res_tvalid_o || dut.look_valid_o;
}

void UnitBench::step()
{
	offer();
	offer_read();
	bench.settle();
	check_read();
	CHECK(!dut.idle_o || (asked_posts.empty() && !loc_at && !flying) || dut.rec_valid_i || dut.loc_valid_i ||
		      dut.post_valid_i || dut.acked_valid_i,
	      "idle_o is high amid a packet or an operation");
	quiet.look(!dut.idle_o, has_input(), !has_input() && has_output());	// some inputs pass at once
	outputs();
	const bool read_taken = dut.read_valid_i && dut.read_ready_o;

	bench.tick();
	if (read_taken)
		dut.read_valid_i = 0;
	if (again_taken)
		dut.again_valid_i = 0;
	CHECK(++still < longest_wait, "nothing proceeds: %zu packets, %zu operations, done %u", packets.size(), locals.size(), done);
}

void UnitBench::begin_epoch()
{
	for (const auto &[num, rounds] : by_rounds)
		were_by_rounds[num].insert(rounds);
	reduced_to.clear();
	done = limit = 0;
	ended = false;
	count = 1 + rng.below(most_elements);
	for (uint32_t cmd : { TALLY_FW_STORE_CMD_BEGIN, TALLY_FW_STORE_CMD_RAISE, TALLY_FW_STORE_CMD_RAISE, TALLY_FW_STORE_CMD_FINISH })
		command(cmd, 0, other_group);
	command(TALLY_FW_STORE_CMD_BEGIN);
	for (unsigned int i = 0; i < own_segs; i++)
		command(TALLY_FW_STORE_CMD_RAISE);
}

// An epoch of some chunks, which are posted as the limit permits. One of them another unit has finished.
void UnitBench::begin(unsigned int chunks)
{
	uint32_t posted = 0, raised = own_segs, elsewhere = rng.below(chunks);

	begin_epoch();
	while (done != chunks) {
		step();
		if (posted < chunks && posted < limit) {
			if (posted == elsewhere)
				command(TALLY_FW_STORE_CMD_FINISH, posted);
			else if (rng.one_in(3))
				exchange(posted);
			else
				chunk(posted);
			posted++;
		}
		if (raised < done + own_segs) {
			command(TALLY_FW_STORE_CMD_RAISE);
			raised++;
		}
	}
	while (!packets.empty() || !locals.empty() || !posts.empty() || !payload.empty() || flying || !acked.empty() || !repeat.empty() || dut.again_valid_i)
		step();
	for (auto &[num, n] : left)
		CHECK(!n, "%u outputs of chunk %u are missing", n, num);
	left.clear();
	slots.clear();
}

// What is given one after the other is missing in the registers as long as it is. A chunk that nobody has begun has no state.
void UnitBench::look_at_tree()
{
	Bytes sum(8 * count);

	read(0);
	CHECK(look(697, 8) == TALLY_SEG_FREE && look(705, 32) == own_segs, "a chunk is read that has not begun");
	by_rounds[0] = false;
	kids[0] = 3;
	post(0, ranks, 0, sum);
	contribute(0, 0, sum);
	const auto first = packets;

	packets.clear();
	contribute(0, 1, sum);
	const auto second = packets;
	const auto data = locals;
	const auto requests = posts;

	posts.clear();
	locals.clear();
	sums[0] = { { TALLY_CONTRIB_PARENT, sum } };
	results[0] = root ? sum : some();
	left[0] = 3 + !root;
	packets = first;
	rest();
	expect(0, 2, 2, ordered ? 0 : 3, ranks);	// in fixed order, nobody has opened the last part yet
	posts = requests;
	rest();
	expect(0, 2, 2, 3, 0);
	locals = data;
	rest();
	expect(0, 2, 2, 3, 0);
	packets = second;
	rest();
}

// Of the data that are missing, those of the first round are waited for.
void UnitBench::look_at_exchange()
{
	Bytes sum(8 * count), all;

	by_rounds[1] = true;
	kids[1] = 3;
	post(1, ranks, 0, sum);
	sums[1] = { { 0, sum } };
	all = sum;
	contribute(1, 0, all);
	const auto first = packets;

	packets.clear();
	sums[1][1] = all;
	contribute(1, 1, all);
	const auto second = packets;

	packets.clear();
	results[1] = all;
	left[1] = 3;
	if (rng.one_in(2)) {	// the later round first
		packets = second;
		rest();
		expect(1, 1, 1, 2, 0);
		packets = first;
	} else {
		rest();
		expect(1, 3, 1, 2, 0);
		packets = first;
		rest();
		expect(1, 2, 2, 0, 0);
		packets = second;
	}
	rest();
}

void UnitBench::look_at_chunks()
{
	begin_epoch();
	rest();
	look_at_tree();
	CHECK(done == 1, "done is %u", done);
	look_at_exchange();
	CHECK(done == 2, "done is %u", done);
	left.clear();
	slots.clear();
	end();
}

void UnitBench::end()
{
	CHECK(other == (1ull << 32 | 2), "done and limit of another group: %llx", static_cast<unsigned long long>(other));
	other_ended = false;
	command(TALLY_FW_STORE_CMD_END, 0, other_group);
	while (!other_ended)
		step();
	command(TALLY_FW_STORE_CMD_END);
	while (!ended)
		step();
	CHECK(done == limit, "segments are left: %u, %u", done, limit);
	CHECK(there.empty(), "%zu acknowledgements are not told", there.size());
	for (unsigned int clocks = 50; bench.settle(), !dut.idle_o; clocks--) {
		CHECK(clocks, "idle_o stays low");
		step();
	}
}

int UnitBench::run()
{
	for (uint64_t epochs = bench.times(12); epochs; epochs--) {
		if (epochs % 3 == 0)
			restart();
		begin(6);
		end();
		if (epochs % 3 == 1)
			look_at_chunks();
	}
	CHECK(passed == expected_passed && passed && told && outs && agains && waited && looked, "%u of %u payloads have passed", passed, expected_passed);
	return bench.finish();
}

int main(int argc, char **argv)
{
	return UnitBench(argc, argv).run();
}
