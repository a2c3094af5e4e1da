// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_store_look: it is the map, the segments, the hold side, the headers and the tables, each of which answers when it
// likes, and otherwise shows anything. Chunks have one part or several, some of which are not open. The engine's registers are the
// reference: its slots get what these parts hold together. Amid a read done may move; the answer must be that of one moment.
#include <algorithm>
#include <cstring>
#include <map>
#include <vector>

#include "Vdut.h"
#include "bench.h"
#include "gen/tally_fw_hw.h"
#include "gen/tally_hw.h"
#include "store_look_model.h"

constexpr unsigned int most_held = Slots / Groups, header_words = 8;
constexpr uint8_t no_edge = 0xff;

struct Part {
	bool open, finished, busy, up, have, awaits;	// busy: on the hold side
	uint64_t lacks, copies, ranks, unposted;
};

struct Chunk {
	look_chunk c;
	uint32_t num, words[header_words];
	unsigned int slot;
	bool plan_up, plan_down;
	bool stale;	// it has just been opened, and the headers are those of another chunk
};

struct Group {
	bool ordered;
	unsigned int last[3];
	uint64_t ranks, ins[3][Parts], outs[3][Parts];
	uint8_t rounds[64];
	uint32_t done;
	std::vector<Chunk> chunks;	// of the numbers from done on
	std::vector<unsigned int> slots;	// that are free
};

struct Answer {
	bool ok;		// there is such a number
	uint32_t held;
	look_view v;
};

class World {
public:
	explicit World(tally::Bench<Vdut> &bench) : bench_(bench), rng_(bench.rng), dut_(*bench.dut) {}

	uint64_t moved = 0, gave_up = 0, chunks = 0;

	void restart();
	void step();

private:
	tally::Bench<Vdut> &bench_;
	tally::Rng &rng_;
	Vdut &dut_;
	Group groups_[Groups];
	Part parts_[Slots][Parts];
	Chunk *of_slot_[Slots] = {};
	tally::Throttle peek_{ rng_ }, seg_{ rng_ }, hold_{ rng_ }, header_{ rng_ }, table_{ rng_ };
	bool gets_seg_ = false, gets_hold_ = false, gets_header_ = false, gets_table_ = false;
	unsigned int place_ = 0, peek_in_ = 0, moves_ = 0, group_ = 0;
	uint32_t index_ = 0;
	std::map<uint32_t, Answer> answers_;	// by done, since the read was taken

	uint64_t some(uint64_t of) { return rng_.one_in(4) ? of : of & rng_.next() & (rng_.one_in(2) ? rng_.next() : ~0ull); }
	void make_group(unsigned int n);
	Chunk make_chunk(unsigned int n, uint32_t num);
	unsigned int shape_of(const Chunk &k) const { return k.c.mode == TALLY_MODE_EXCHANGE ? 1 : k.c.mode == TALLY_MODE_RING ? 2 : 0; }
	bool shaped(const Group &g, const Chunk &k) const;
	void open_parts(const Group &g, Chunk &k);
	void sum_up(const Group &g, Chunk &k);
	void tell_model(unsigned int n);
	void note();
	void move();
	void cycle();
	void show_seg();
	void show_hold();
	void show_header();
	void show_table();
	void show_peek();
	uint64_t field(unsigned int at, unsigned int width) const;
	void check_chunk(const look_view &v);
	void check();
};

// ---- What there is ----

void World::make_group(unsigned int n)
{
	Group &g = groups_[n];

	g = {};
	g.ordered = rng_.one_in(2);
	g.ranks = rng_.next();
	for (uint8_t &round : g.rounds)
		round = 1 + rng_.below(TALLY_MAX_ROUNDS);
	for (unsigned int m = 0; m < 3; m++) {
		g.last[m] = rng_.below(Parts);
		for (unsigned int p = 0; p < Parts; p++) {
			g.ins[m][p] = some(rng_.next());
			g.outs[m][p] = some(rng_.next());	// they count in EXCHANGE only
		}
	}
	g.done = rng_.one_in(2) ? rng_.next() : -rng_.below(4);
	for (unsigned int i = 0; i < most_held; i++)
		g.slots.push_back(n * most_held + i);
	for (unsigned int i = rng_.below(most_held + 1); i; i--)
		g.chunks.push_back(make_chunk(n, g.done + g.chunks.size()));
	look_model_group(n, g.ranks, g.rounds);
}

bool World::shaped(const Group &g, const Chunk &k) const
{
	return k.c.mode == TALLY_MODE_EXCHANGE || (g.ordered && (k.c.opcode == TALLY_OPCODE_ALLREDUCE || k.c.opcode == TALLY_OPCODE_REDUCE));
}

Chunk World::make_chunk(unsigned int n, uint32_t num)
{
	static const uint8_t modes[] = { TALLY_MODE_TREE, TALLY_MODE_EXCHANGE, TALLY_MODE_RING };
	static const uint8_t opcodes[] = { TALLY_OPCODE_ALLREDUCE, TALLY_OPCODE_BARRIER, TALLY_OPCODE_REDUCE, TALLY_OPCODE_BCAST };
	const uint8_t edges[] = { uint8_t(rng_.below(64)), 64, no_edge };
	Group &g = groups_[n];
	Chunk k = {};

	k.c.mode = modes[rng_.below(3)];
	k.c.opcode = opcodes[rng_.below(k.c.mode == TALLY_MODE_EXCHANGE ? 2 : 4)];
	k.c.op = rng_.below(8);
	k.c.dtype = rng_.below(8);
	k.c.mid = rng_.next();
	k.c.sid = rng_.next();
	k.c.up_edge = edges[rng_.below(3)];
	k.c.down_edge = edges[rng_.below(3)];
	k.plan_up = rng_.one_in(2);
	k.plan_down = rng_.one_in(2);
	k.num = num;
	k.slot = g.slots.back();
	g.slots.pop_back();
	for (uint32_t &word : k.words)
		word = rng_.next();
	k.words[3] = k.c.sid;
	k.words[4] = k.c.mid;
	k.words[5] = num;
	k.words[6] = (k.words[6] & 0xffffff) | uint32_t(k.c.dtype) << 24;
	k.words[7] = k.c.op | uint32_t(k.c.opcode) << 8 | uint32_t(k.c.mode) << 16;
	open_parts(g, k);
	k.stale = rng_.one_in(8);
	sum_up(g, k);
	chunks++;
	return k;
}

// The parts of a slot, also those that its chunk does not have.
void World::open_parts(const Group &g, Chunk &k)
{
	const unsigned int m = shape_of(k), last = shaped(g, k) ? g.last[m] : 0;
	const bool closed = rng_.one_in(6), finished = !closed && rng_.one_in(6);

	for (unsigned int p = 0; p < Parts; p++) {
		Part &part = parts_[k.slot][p];

		part.open = !closed && p <= last && (finished || !last || !rng_.one_in(3));
		part.finished = part.open && (p ? rng_.one_in(2) : finished);	// only the first one says it for the chunk
		part.busy = part.open && !finished && !rng_.one_in(4);
		part.up = rng_.one_in(2);
		part.have = rng_.one_in(2);
		part.awaits = !part.have && rng_.one_in(2);
		part.lacks = some(last ? g.ins[m][p] : rng_.next());
		part.copies = some(rng_.next());
		if (last && (m == 1) != (p < last))
			part.copies = 0;
		part.ranks = some(g.ranks);
		part.unposted = some(g.ranks);
	}
}

// What the chunk waits for, of all its parts.
void World::sum_up(const Group &g, Chunk &k)
{
	const unsigned int m = shape_of(k), last = shaped(g, k) ? g.last[m] : 0;
	const Part &end = parts_[k.slot][last];
	const bool exchange = k.c.mode == TALLY_MODE_EXCHANGE;
	bool open = false;

	for (unsigned int p = 0; p <= last; p++) {
		const Part &part = parts_[k.slot][p];

		open |= part.open;
		k.c.missing |= part.open ? part.lacks : g.ins[m][p];
		if (part.open && part.busy)
			k.c.receivers |= part.copies;
		else if (!part.open && exchange)
			k.c.receivers |= g.outs[m][p];
	}
	k.c.state = !open || k.stale ? TALLY_SEG_FREE : parts_[k.slot][0].finished ? TALLY_SEG_FINISHED : TALLY_SEG_BUSY;
	k.c.have = end.open && end.busy && end.have;
	k.c.up = end.open ? end.busy && end.up : k.plan_up;
	k.c.awaits = end.open ? end.busy && end.awaits : k.plan_down;
	k.c.unposted = end.open ? (end.busy ? end.unposted : 0) : g.ranks;
	k.c.deliver = end.open ? (end.busy ? end.ranks : 0) : k.c.opcode == TALLY_OPCODE_REDUCE ? 0 : g.ranks;
}

void World::tell_model(unsigned int n)
{
	Group &g = groups_[n];

	look_model_window(n, g.done, g.done + g.chunks.size());
	for (Chunk &k : g.chunks) {
		look_model_chunk(n, k.num, k.slot, &k.c);
		of_slot_[k.slot] = &k;
	}
}

// Notes what may be answered from now on.
void World::note()
{
	const Group &g = groups_[group_];

	answers_[g.done] = { index_ < g.chunks.size(), uint32_t(g.chunks.size()), {} };
	if (index_ < g.chunks.size())
		answers_[g.done].v = look_model_view(group_, index_);
}

// The oldest chunk is done, and its slot has another chunk.
void World::move()
{
	Group &g = groups_[group_];

	if (g.chunks.empty())
		return;
	g.slots.insert(g.slots.begin(), g.chunks.front().slot);
	g.chunks.erase(g.chunks.begin());
	g.done++;
	if (!rng_.one_in(8))
		g.chunks.push_back(make_chunk(group_, g.done + g.chunks.size()));
	tell_model(group_);
	moves_++;
	moved++;
	note();
}

// ---- Those who answer ----

void World::show_peek()
{
	const Group &g = groups_[dut_.peek_group_o % Groups];
	const uint32_t index = dut_.peek_index_o;

	dut_.peeked_valid_i = peek_in_ == 1;
	dut_.peeked_ok_i = index < g.chunks.size();
	dut_.peeked_done_i = g.done;
	dut_.peeked_held_i = g.chunks.size();
	dut_.peeked_slot_i = index < g.chunks.size() ? g.chunks[index].slot : rng_.below(Slots);
	if (!dut_.peeked_valid_i) {
		dut_.peeked_ok_i = rng_.one_in(2);
		dut_.peeked_done_i = rng_.next();
		dut_.peeked_slot_i = rng_.below(Slots);
	}
	if (peek_in_)
		peek_in_--;
}

void World::show_seg()
{
	Part part = parts_[place_ / Parts][place_ % Parts];

	if (!gets_seg_)
		rng_.fill(&part.lacks, sizeof(part.lacks));
	dut_.seg_busy_i = gets_seg_ ? part.open : rng_.one_in(2);
	dut_.seg_finished_i = gets_seg_ ? part.finished : rng_.one_in(2);
	dut_.seg_contributors_i = part.lacks;
}

void World::show_hold()
{
	Part part = parts_[place_ / Parts][place_ % Parts];

	dut_.hold_busy_i = gets_hold_ ? part.busy : rng_.one_in(2);
	dut_.hold_up_i = gets_hold_ ? part.up : rng_.one_in(2);
	dut_.hold_have_i = gets_hold_ ? part.have : rng_.one_in(2);
	dut_.hold_awaits_i = gets_hold_ ? part.awaits : rng_.one_in(2);
	dut_.hold_contributors_i = gets_hold_ ? part.copies : rng_.next();
	dut_.hold_ranks_i = gets_hold_ ? part.ranks : rng_.next();
	dut_.hold_unposted_i = gets_hold_ ? part.unposted : rng_.next();
}

// Only a part that is open has the header of its chunk.
void World::show_header()
{
	const Chunk *k = of_slot_[place_ / Parts];
	const bool known = gets_header_ && k && !k->stale && parts_[place_ / Parts][place_ % Parts].open;
	const bool near = gets_header_ && k && k->stale && rng_.one_in(2);	// only the group, or only the number, is right

	rng_.fill(&dut_.header_message_i, header_words * 4);
	reinterpret_cast<uint32_t *>(&dut_.header_message_i)[7] &= 0xffffff;
	dut_.header_group_i = known ? place_ / Parts / most_held : rng_.below(Groups);
	if (near && rng_.one_in(2)) {
		dut_.header_group_i = place_ / Parts / most_held;
	} else if (near) {
		dut_.header_group_i = (place_ / Parts / most_held + 1) % Groups;
		reinterpret_cast<uint32_t *>(&dut_.header_message_i)[5] = k->num;
	}
	dut_.header_up_i = known ? k->plan_up : rng_.one_in(2);
	dut_.header_down_i = known ? k->plan_down : rng_.one_in(2);
	dut_.header_up_edge_i = known ? k->c.up_edge : rng_.below(256);
	dut_.header_down_edge_i = known ? k->c.down_edge : rng_.below(256);
	if (known)
		std::memcpy(&dut_.header_message_i, k->words, sizeof(k->words));
}

void World::show_table()
{
	const Group &g = groups_[dut_.table_group_o % Groups];
	const unsigned int m = dut_.table_mode_o == TALLY_MODE_EXCHANGE ? 1 : dut_.table_mode_o == TALLY_MODE_RING ? 2 : 0;
	const unsigned int part = dut_.table_part_o % Parts;

	dut_.table_ordered_i = gets_table_ ? g.ordered : rng_.one_in(2);
	dut_.table_last_i = rng_.next();
	if (gets_table_)
		dut_.table_last_i = g.last[0] | g.last[1] * Parts | g.last[2] * Parts * Parts;
	dut_.table_ranks_i = gets_table_ ? g.ranks : rng_.next();
	dut_.table_ins_i = gets_table_ ? g.ins[m][part] : rng_.next();
	dut_.table_outs_i = gets_table_ ? g.outs[m][part] : rng_.next();
	dut_.table_round_i = gets_table_ ? g.rounds[dut_.table_edge_o % 64] : rng_.below(256);
}

void World::cycle()
{
	show_peek();
	show_seg();
	show_hold();
	show_header();
	show_table();
	dut_.peek_ready_i = peek_.go();
	dut_.seg_ready_i = seg_.go();
	dut_.hold_ready_i = hold_.go();
	dut_.header_ready_i = header_.go();
	dut_.table_ready_i = table_.go();
	bench_.settle();
	place_ = dut_.place_o;
	gets_seg_ = dut_.seg_valid_o && dut_.seg_ready_i;
	gets_hold_ = dut_.hold_valid_o && dut_.hold_ready_i;
	gets_header_ = dut_.header_valid_o && dut_.header_ready_i;
	gets_table_ = dut_.table_valid_o && dut_.table_ready_i;
	if (dut_.peek_valid_o && dut_.peek_ready_i)
		peek_in_ = 1 + rng_.below(4);
	bench_.tick();
}

// ---- Reads ----

// A field of look_t.
uint64_t World::field(unsigned int at, unsigned int width) const
{
	uint64_t value = 0;

	for (unsigned int i = 0; i < width; i++)
		value |= uint64_t(dut_.look_o[(at + i) / 32] >> (at + i) % 32 & 1) << i;
	return value;
}

// Compares the answer with the registers.
void World::check_chunk(const look_view &v)
{
	const uint32_t message = 449;	// its lowest bit

	CHECK(field(message + 232, 8) == v.opcode && field(message + 224, 8) == v.op && field(message + 216, 8) == v.dtype, "another operation");
	CHECK(field(message + 160, 32) == v.num && field(message + 128, 32) == v.mid && field(message + 96, 32) == v.sid, "another chunk");
	CHECK(field(385, 64) == v.missing && field(321, 64) == v.waits, "missing: %llx, first %llx, not %llx, %llx",
	      (unsigned long long)field(385, 64), (unsigned long long)field(321, 64), (unsigned long long)v.missing, (unsigned long long)v.waits);
	CHECK(field(128, 64) == v.receivers && field(64, 64) == v.ranks && field(0, 64) == v.deliver, "receivers, ranks or deliver differ");
	if (index_ || v.state != TALLY_SEG_BUSY)
		return;
	CHECK((field(message + 240, 8) == TALLY_MODE_TREE) == v.oldest_tree, "the mode is %llu", (unsigned long long)field(message + 240, 8));
	CHECK(v.oldest_mid == v.mid && v.oldest_sid == v.sid, "the oldest chunk is another one");
	CHECK(field(257, 64) == v.oldest_missing, "late: %llx, not %llx", (unsigned long long)field(257, 64),
	      (unsigned long long)v.oldest_missing);
	CHECK(field(193, 64) == v.oldest_waits && field(192, 1) == v.oldest_waits_parent, "waits: %llx, parent %llu, not %llx, %u",
	      (unsigned long long)field(193, 64), (unsigned long long)field(192, 1), (unsigned long long)v.oldest_waits, v.oldest_waits_parent);
}

void World::check()
{
	const uint32_t done = field(737, 32), state = field(697, 8);

	CHECK(answers_.count(done), "done is %u", done);
	const Answer &a = answers_[done];

	CHECK(field(705, 32) == a.held, "%llu segments are held, not %u", (unsigned long long)field(705, 32), a.held);
	if (state == TALLY_SEG_FREE && moves_ >= 4) {	// the chunk has been another one each time
		gave_up++;
		return;
	}
	CHECK(state == (a.ok ? a.v.state : uint32_t(TALLY_SEG_FREE)), "the state of chunk %u of group %u is %u", index_, group_, state);
	CHECK(!a.ok || index_ || a.v.oldest_busy == (state == TALLY_SEG_BUSY), "the oldest chunk");
	if (state != TALLY_SEG_FREE)
		check_chunk(a.v);
}

void World::step()
{
	const bool moves = rng_.one_in(3);
	unsigned int clocks = 0;

	group_ = rng_.below(Groups);
	index_ = rng_.one_in(2) ? 0 : rng_.one_in(16) ? rng_.next() : rng_.below(most_held + 1);
	if (rng_.one_in(4)) {
		make_group(group_);
		tell_model(group_);
	}
	answers_.clear();
	moves_ = 0;
	note();
	dut_.read_valid_i = 1;
	dut_.read_group_i = group_;
	dut_.read_index_i = index_;
	CHECK(dut_.read_ready_o && !dut_.busy_o, "a read is not taken");
	for (;;) {
		cycle();
		dut_.read_valid_i = 0;
		bench_.settle();
		if (dut_.look_valid_o)
			break;
		CHECK(clocks++ < 20000, "a read is not answered");
		if (moves && rng_.one_in(12))
			move();
	}
	check();
	cycle();
	check();	// it stays
}

void World::restart()
{
	dut_.read_valid_i = dut_.peeked_valid_i = 0;
	bench_.reset();
	look_model_reset();
	gets_seg_ = gets_hold_ = gets_header_ = gets_table_ = false;
	peek_in_ = 0;
	std::fill(of_slot_, of_slot_ + Slots, nullptr);
	for (unsigned int n = 0; n < Groups; n++) {
		make_group(n);
		tell_model(n);
	}
}

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("store_look", argc, argv);
	World world(bench);

	bench.live(bench.times(6000), [&] { world.restart(); }, [&] { world.step(); });
	CHECK(world.moved > 500 && world.chunks > 1000, "%llu moves, %llu chunks", (unsigned long long)world.moved, (unsigned long long)world.chunks);
	return bench.finish();
}
