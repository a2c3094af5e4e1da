// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_store_in: records of all kinds come as from tally_edge_gate, with operations of two users beside them,
// while a store answers in order at random moments, often before the last word of an operation, and often when others have
// entered. What is for the store must enter it with its header and its words, everything else must leave as it came, and
// each flight must end as the store has answered.
#include <algorithm>
#include <cstring>
#include <deque>
#include <vector>

#include "Vdut.h"
#include "bench.h"
#include "parser_record.h"

extern "C" {
#include "gen/tally_fw_hw.h"
#include "gen/tally_hw.h"
#include "alu/alu.h"
}

using Bytes = std::vector<uint8_t>;
constexpr size_t word_bytes = 64;
constexpr size_t most_inside = 8;
constexpr unsigned int longest_wait = 3000;	// clocks without a transfer

struct Message {
	uint8_t mode, opcode, op, dtype, root_rank;
	uint16_t root_node;
	uint32_t num, mid, sid, total, count;
};

struct Packet {			// a record, or an operation
	uint32_t record[record_words];
	unsigned int verdict, context, edge, round, flight, op;
	bool good, flies, here, last, rank, sum;
	unsigned int user;	// of an operation
	Message m;
	uint16_t err;
	uint64_t ranks, absent, quits, out;	// of a post
	Bytes payload;		// as it comes from the gate

	bool passes() const { return good && verdict == TALLY_FW_ADMISSION_OK && !payload.empty(); }
};

enum { POST, LOCAL, USERS };	// of operations
constexpr unsigned int of_user[USERS] = { 1, 2 };	// tally_store_pkg::of_e

class InBench {
public:
	InBench(int argc, char **argv)
		: bench("store_in", argc, argv), rng(bench.rng), dut(*bench.dut), rec_go(rng), pay_go(rng), out_go(rng), dat_go(rng), op_go(rng),
		  in_go(rng), answer_go(rng), end_go(rng), ans_go(rng), other_go(rng)
	{
	}
	int run();

private:
	Packet packet();
	Packet operation(unsigned int user);
	Message message();
	void restart();
	void offer();
	void offer_operations();
	void word_taken(bool last);
	void user_served(unsigned int user);
	void offer_words(const Bytes &from, size_t at, VlWide<16> &data, QData &keep, CData &last);
	void tables();
	void records();
	void payloads();
	void into_store();
	void check_header();
	void check_words(const Bytes &expected, size_t at, const VlWide<16> &data, uint64_t keep, bool last);
	void pack(const Packet &p, uint32_t *words);
	void answers();
	void answered();
	void cycle();

	tally::Bench<Vdut> bench;
	tally::Rng &rng;
	Vdut &dut;
	tally::Throttle rec_go, pay_go, out_go, dat_go, op_go, in_go, answer_go, end_go, ans_go, other_go;
	std::deque<Packet> coming, ops[USERS];
	std::deque<Bytes> payload_in, payload_out;	// from the gate, and past the store
	std::deque<Packet> looked;			// records that were taken, and have not left; at most one
	std::deque<Packet> kept;			// here, and not in the store yet; at most one
	std::deque<Packet> posted;	// taken, and not in the store yet; at most one
	size_t pay_at = 0, dat_at = 0, op_at[USERS] = {}, in_at = 0;
	bool rec_offered = false, pay_offered = false, op_offered[USERS] = {}, other_offered = false;
	struct Inside {			// what the store has begun with
		Packet p;
		bool entered, ended, answered;
		unsigned int answer, status, err, slot;
	};
	std::deque<Inside> inside;
	unsigned int packets_before = 0;	// have entered in succession, and an operation was offered
	unsigned int ops_before = 0;		// have begun since a packet is kept
	unsigned int answer = 0, status = 0, err = 0, slot = 0;
	uint64_t together = 0;		// operations that have entered before the answer to the one before
	bool room = false, post_enters = false;	// the store is offered a post
	unsigned int waits[USERS] = {};		// operations of the other user since this one's could be taken
	unsigned int does[Groups] = {};	// modes
	uint16_t nodes[Groups] = {};
	unsigned int asked = 0, flight = 0, still = 0;
	uint64_t taken_in[6] = {}, served[USERS] = {}, passed = 0, ended = 0;
};

Message InBench::message()
{
	static const uint8_t opcodes[] = { TALLY_OPCODE_ALLREDUCE, TALLY_OPCODE_REDUCE, TALLY_OPCODE_BCAST, TALLY_OPCODE_BARRIER,
					   TALLY_OPCODE_GATHER };
	static const uint8_t types[] = { TALLY_TYPE_INT8,   TALLY_TYPE_INT64, TALLY_TYPE_UINT16, TALLY_TYPE_UINT32,
					 TALLY_TYPE_FP16, TALLY_TYPE_FP64,  TALLY_TYPE_BF16,   TALLY_TYPE_NONE };
	Message m;

	rng.fill(&m, sizeof(m));
	m.mode = TALLY_MODE_TREE;
	m.opcode = opcodes[rng.below(5)];
	m.op = rng.one_in(3) ? +TALLY_OP_NONE : rng.one_in(16) ? 33 : rng.below(20);
	m.dtype = rng.one_in(16) ? rng.next() : types[rng.below(8)];
	if (m.opcode == TALLY_OPCODE_BARRIER && rng.one_in(2)) {
		if (!rng.one_in(4))
			m.total = 0;
		m.dtype = TALLY_TYPE_NONE;
		m.op = TALLY_OP_NONE;
	}
	m.root_rank = rng.one_in(8) ? rng.next() : rng.below(64);
	m.root_node = rng.below(6);
	return m;
}

// What the model calls plausible, as far as it is not the place of the chunk.
static bool plausible(const Message &m)
{
	if (m.opcode == TALLY_OPCODE_ALLREDUCE || m.opcode == TALLY_OPCODE_REDUCE)
		return alu_check(m.op, m.dtype) == TALLY_COLL_OK;
	if (m.op != TALLY_OP_NONE)
		return false;
	return m.opcode == TALLY_OPCODE_BCAST || (m.opcode == TALLY_OPCODE_BARRIER && m.dtype == TALLY_TYPE_NONE && !m.total);
}

Packet InBench::packet()
{
	static const uint8_t kinds[] = { TALLY_KIND_REDUCE, TALLY_KIND_RESULT, TALLY_KIND_REDUCE, TALLY_KIND_TRIGGER, TALLY_KIND_ACK };
	static const uint16_t modes[] = { 0, 0, 0, TALLY_TCH_F_RING, TALLY_TCH_F_RING, TALLY_TCH_F_EXCHANGE,
					  TALLY_TCH_F_EXCHANGE | TALLY_TCH_F_RING };
	Packet p = {};
	Put f(p.record);
	struct tally_tch t;
	uint16_t flags = modes[rng.below(7)];
	bool exchange = flags & TALLY_TCH_F_EXCHANGE;
	unsigned int mode = exchange ? +TALLY_MODES_EXCHANGE : flags ? +TALLY_MODES_RING : +TALLY_MODES_TREE;
	uint64_t filler[8];

	rng.fill(filler, sizeof(filler));
	rng.fill(&t, sizeof(t));
	p.m = message();
	p.m.mode = exchange ? +TALLY_MODE_EXCHANGE : flags ? +TALLY_MODE_RING : +TALLY_MODE_TREE;
	p.last = rng.one_in(2);
	t.kind = kinds[rng.below(5)];
	t.opcode = p.m.opcode;
	t.op = p.m.op;
	t.dtype = p.m.dtype;
	t.flags = htobe16(flags | (p.last ? TALLY_TCH_F_LAST : 0));
	t.round = p.round = exchange ? rng.below(256) : rng.one_in(8);
	t.mid = htobe32(p.m.mid);
	t.sid = htobe32(p.m.sid);
	t.num = htobe32(p.m.num);
	t.total = htobe32(p.m.total);
	t.count = htobe32(p.m.count);
	t.root_node = htobe16(p.m.root_node);
	t.root_rank = p.m.root_rank;
	p.err = be16toh(t.err_vector);
	p.good = !rng.one_in(8);
	p.verdict = rng.one_in(6) ? rng.below(TALLY_FW_ADMISSION_TURN + 1) : +TALLY_FW_ADMISSION_OK;
	p.context = rng.below(Groups + 2);
	p.edge = rng.below(65);
	p.flies = p.good && p.verdict == TALLY_FW_ADMISSION_OK && t.kind != TALLY_KIND_ACK && !rng.one_in(8);
	p.flight = flight++ % Flights;
	if (rng.below(3))
		p.payload.resize(1 + rng.below(200));
	rng.fill(p.payload.data(), p.payload.size());
	p.here = p.flies && p.context < Groups && (does[p.context] & mode) && p.m.root_node < nodes[p.context] &&
		 (exchange ? !(flags & TALLY_TCH_F_RING) && t.kind == TALLY_KIND_REDUCE : !t.round) &&
		 p.m.root_rank < 64 && plausible(p.m) && (t.kind == TALLY_KIND_REDUCE || t.kind == TALLY_KIND_RESULT);
	p.op = t.kind == TALLY_KIND_RESULT ? TALLY_FW_STORE_OP_RESULT : TALLY_FW_STORE_OP_REDUCE;
	f.number(p.good ? +TALLY_RX_OK : 1 + rng.below(7), 8);
	f.number(rng.below(2), 1);
	f.bytes(filler, 44);
	f.number(filler[6], 63);
	f.number(filler[7], 58);
	f.number(p.payload.size(), 13);
	f.bytes(&t, sizeof(t));
	return p;
}

Packet InBench::operation(unsigned int user)
{
	static const unsigned int others[] = { TALLY_FW_STORE_OP_DATA, TALLY_FW_STORE_OP_TAKEN };
	Packet p = {};

	p.user = user;
	p.op = user != POST ? others[rng.below(2)] : +TALLY_FW_STORE_OP_POST;
	p.context = rng.below(Groups);
	p.edge = rng.below(65);
	p.m = message();
	p.ranks = rng.next();
	p.absent = rng.next();
	p.quits = rng.next();
	p.out = rng.next();
	p.rank = rng.one_in(2);
	p.sum = rng.one_in(2);
	p.last = rng.one_in(2);
	if (p.op == TALLY_FW_STORE_OP_DATA)
		p.payload.resize(rng.below(200));
	rng.fill(p.payload.data(), p.payload.size());
	return p;
}

void InBench::restart()
{
	dut.rec_valid_i = dut.pay_tvalid_i = dut.loc_valid_i = dut.post_valid_i = 0;
	dut.other_valid_i = dut.answer_valid_i = dut.in_tready_i = 0;
	dut.out_ready_i = dut.dat_tready_i = dut.end_ready_i = dut.ans_ready_i = dut.post_room_i = 0;
	coming.clear();
	looked.clear();
	posted.clear();
	post_enters = false;
	for (unsigned int user = 0; user < USERS; user++) {
		ops[user].clear();
		op_offered[user] = false;
		op_at[user] = waits[user] = 0;
	}
	payload_in.clear();
	payload_out.clear();
	kept.clear();
	inside.clear();
	packets_before = ops_before = 0;
	pay_at = dat_at = in_at = 0;
	rec_offered = pay_offered = other_offered = false;
	for (unsigned int g = 0; g < Groups; g++) {
		does[g] = (rng.one_in(3) ? 0 : TALLY_MODES_TREE) | (rng.one_in(2) ? 0 : TALLY_MODES_RING) |
			  (rng.one_in(2) ? 0 : TALLY_MODES_EXCHANGE);
		nodes[g] = 1 + rng.below(6);
	}
	bench.reset();
}

void InBench::offer_words(const Bytes &from, size_t at, VlWide<16> &data, QData &keep, CData &last)
{
	size_t n = std::min(word_bytes, from.size() - at);

	std::memset(&data, 0xee, word_bytes);
	std::memcpy(&data, from.data() + at, n);
	keep = n < word_bytes ? (1ull << n) - 1 : ~0ull;
	last = at + n == from.size();
}

void InBench::offer()
{
	if (coming.size() < 2)
		coming.push_back(packet());
	for (unsigned int user = 0; user < USERS; user++)
		if (ops[user].empty())
			ops[user].push_back(operation(user));
	// the gate: a payload that passes has left before the next one's record comes
	rec_offered |= rec_go.go() && !(coming.front().passes() && !payload_in.empty());
	dut.rec_valid_i = rec_offered;
	if (rec_offered) {
		const Packet &p = coming.front();

		std::memcpy(&dut.rec_i[0], p.record, sizeof(p.record));
		dut.adm_i = p.verdict << 24 | p.context << 8 | p.edge;
		dut.flight_valid_i = p.flies;
		dut.flight_i = p.flight;
	}
	pay_offered |= !payload_in.empty() && pay_go.go();
	dut.pay_tvalid_i = pay_offered;
	if (pay_offered)
		offer_words(payload_in.front(), pay_at, dut.pay_tdata_i, dut.pay_tkeep_i, dut.pay_tlast_i);
	offer_operations();
	dut.out_ready_i = out_go.go();
	dut.dat_tready_i = dat_go.go();
	dut.end_ready_i = end_go.go();
	dut.ans_ready_i = ans_go.go();
	dut.in_tready_i = in_go.go();
	other_offered |= other_go.go();
	dut.other_valid_i = other_offered;
	dut.other_flight_i = rng.below(Flights);
	dut.other_stored_i = rng.one_in(2);
	dut.answer_valid_i = std::any_of(inside.begin(), inside.end(), [](const Inside &i) { return !i.answered; }) && answer_go.go();
	dut.answer_i = answer = rng.below(8);
	dut.answer_status_i = status = rng.below(65536);
	dut.answer_err_vector_i = err = rng.below(65536);
	dut.answer_slot_i = slot = rng.below(Slots);
}

// A post may be withdrawn. The words of other operations have pauses.
void InBench::offer_operations()
{
	op_offered[POST] = op_go.go() || (op_offered[POST] && !rng.one_in(8));
	dut.post_valid_i = op_offered[POST];
	pack(ops[POST].front(), &dut.post_i[0]);
	dut.post_room_i = room = room ? !rng.one_in(64) : rng.one_in(16);
	if (posted.empty() || !room)
		waits[POST] = 0;
	op_offered[LOCAL] |= op_go.go();
	if (!op_offered[LOCAL])
		waits[LOCAL] = 0;
	dut.loc_valid_i = op_offered[LOCAL];
	pack(ops[LOCAL].front(), &dut.loc_i[0]);
	offer_words(ops[LOCAL].front().payload, op_at[LOCAL], dut.loc_tdata_i, dut.loc_tkeep_i, dut.loc_tlast_i);
}

// The fields of operation_t, from the lowest bits on.
void InBench::pack(const Packet &p, uint32_t *words)
{
	unsigned int at = 0;
	auto put = [&](unsigned int bits, uint64_t value) {
		for (unsigned int i = 0; i < bits; i++, at++) {
			words[at / 32] &= ~(1U << at % 32);
			words[at / 32] |= uint32_t(value >> i & 1) << at % 32;
		}
	};
	const Message &m = p.m;

	put(1, p.last);
	put(1, p.sum);
	put(1, p.rank);
	for (uint64_t map : { p.out, p.quits, p.absent, p.ranks })
		put(64, map);
	put(8, p.edge);
	put(16, p.payload.size());
	for (uint32_t field : { m.count, 0u, m.total, m.sid, m.mid, m.num })
		put(32, field);
	put(16, m.root_node);
	for (uint32_t field : { +m.root_rank, +m.dtype, +m.op, +m.opcode, +m.mode })
		put(8, field);
	put(16, p.context);
	put(8, p.op);
}

// The row of the group that was asked for in the clock before.
void InBench::tables()
{
	dut.read_tree_i = asked < Groups && does[asked] & TALLY_MODES_TREE;
	dut.read_ring_i = asked < Groups && does[asked] & TALLY_MODES_RING;
	dut.read_exchange_i = asked < Groups && does[asked] & TALLY_MODES_EXCHANGE;
	dut.read_nodes_i = asked < Groups ? nodes[asked] : 0;
}

void InBench::records()
{
	if (dut.out_valid_o && dut.out_ready_i) {
		CHECK(!looked.empty(), "a record that nobody sent");
		const Packet &p = looked.front();

		CHECK(!std::memcmp(&dut.out_o[0], p.record, sizeof(p.record)) &&
			      dut.out_admission_o == (p.verdict << 24 | p.context << 8 | p.edge) && dut.out_flight_valid_o == p.flies &&
			      dut.out_flight_o == p.flight,
		      "the record has changed");
		CHECK(dut.out_here_o == p.here, "here_o is %d, opcode %d, op %d, type %x", dut.out_here_o, p.m.opcode, p.m.op, p.m.dtype);
		CHECK(!p.here || kept.empty(), "two packets are kept");
		if (p.passes() && !p.here)
			payload_out.push_back(p.payload);
		if (p.here)
			kept.push_back(p);
		passed += !p.here;
		looked.pop_front();
	}
	if (!dut.rec_valid_i || !dut.rec_ready_o)
		return;
	CHECK(looked.empty(), "a record replaces another one");
	if (coming.front().passes())
		payload_in.push_back(coming.front().payload);
	looked.push_back(coming.front());
	coming.pop_front();
	rec_offered = false;
}

void InBench::payloads()
{
	if (dut.dat_tvalid_o && dut.dat_tready_i) {
		CHECK(!payload_out.empty(), "a payload that is for the store leaves");
		check_words(payload_out.front(), dat_at, dut.dat_tdata_o, dut.dat_tkeep_o, dut.dat_tlast_o);
		dat_at += word_bytes;
		if (dut.dat_tlast_o) {
			payload_out.pop_front();
			dat_at = 0;
		}
	}
	if (!dut.pay_tvalid_i || !dut.pay_tready_o)
		return;
	pay_at += word_bytes;
	pay_offered = false;
	if (dut.pay_tlast_i) {
		payload_in.pop_front();
		pay_at = 0;
	}
}

void InBench::check_words(const Bytes &expected, size_t at, const VlWide<16> &data, uint64_t keep, bool last)
{
	size_t n = std::min(word_bytes, expected.size() - at);

	CHECK(!std::memcmp(&data, expected.data() + at, n), "wrong word at %zu of %zu", at, expected.size());
	CHECK(keep == (n < word_bytes ? (1ull << n) - 1 : ~0ull), "keep is %llx at %zu of %zu", (unsigned long long)keep, at,
	      expected.size());
	CHECK(last == (at + n == expected.size()), "last is %d at %zu of %zu", last, at, expected.size());
}

void InBench::check_header()
{
	uint32_t words[8];
	const Packet &now = inside.back().p;

	CHECK(dut.in_op_o == now.op && dut.in_group_o == now.context && dut.in_edge_o == now.edge && dut.in_round_o == now.round &&
		      dut.in_bytes_o == now.payload.size() && dut.in_last_o == now.last,
	      "wrong header of operation %u", now.op);
	std::memcpy(words, &dut.in_message_o[0], sizeof(words));
	const uint32_t expected[] = { now.m.count, 0, now.m.total, now.m.sid, now.m.mid, now.m.num,
				      now.m.root_node | uint32_t(now.m.root_rank) << 16 | uint32_t(now.m.dtype) << 24,
				      now.m.op | uint32_t(now.m.opcode) << 8 | uint32_t(now.m.mode) << 16 };
	words[7] &= 0xffffff;
	CHECK(!std::memcmp(words, expected, sizeof(words)), "wrong message of operation %u", now.op);
	if (now.op > TALLY_FW_STORE_OP_RESULT)
		CHECK(dut.in_ranks_o == (now.user == POST ? now.ranks : 0) && dut.in_rank_o == now.rank && dut.in_sum_o == now.sum && !dut.in_err_vector_o,
		      "wrong ranks of operation %u", now.op);
	if (now.op == TALLY_FW_STORE_OP_POST)
		CHECK(dut.in_absent_o == now.absent && dut.in_quits_o == now.quits && dut.in_out_o == now.out, "who takes no part");
	if (now.op <= TALLY_FW_STORE_OP_RESULT)
		CHECK(dut.in_err_vector_o == now.err, "wrong errors of a packet");
}

void InBench::into_store()
{
	if (!dut.in_tvalid_o || !dut.in_tready_i)
		return;
	bool of_packet = dut.in_op_o <= TALLY_FW_STORE_OP_RESULT;

	if (!in_at) {
		bool of_post = dut.in_op_o == TALLY_FW_STORE_OP_POST;
		unsigned int user = of_post ? POST : LOCAL;

		CHECK(of_packet ? !kept.empty() : of_post ? !posted.empty() : op_offered[user], "operation %d that nobody sent", dut.in_op_o);
		together += !inside.empty();
		inside.push_back({ of_packet ? kept.front() : of_post ? posted.front() : ops[user].front(), false, false, false, 0, 0, 0, 0 });
		CHECK(inside.size() <= most_inside, "%zu operations are inside", inside.size());
		// One may begin in the clock in which the record leaves.
		ops_before = of_packet || kept.empty() ? 0 : ops_before + 1;
		CHECK(ops_before <= 2, "a packet waits for %u operations", ops_before);
	}
	check_header();
	check_words(inside.back().p.payload, in_at, dut.in_tdata_o, dut.in_tkeep_o, dut.in_tlast_o);
	in_at += word_bytes;
	if (!of_packet)
		word_taken(dut.in_tlast_o);
	if (!dut.in_tlast_o)
		return;
	if (of_packet)
		kept.pop_front();
	packets_before = of_packet && op_offered[LOCAL] ? packets_before + 1 : 0;
	CHECK(packets_before < 2, "an operation waits for %u packets", packets_before);
	inside.back().entered = true;
	in_at = 0;
}

void InBench::word_taken(bool last)
{
	const unsigned int user = inside.back().p.user;

	if (user == POST) {
		posted.pop_front();
		user_served(POST);
		return;
	}
	CHECK(op_offered[user], "a word that is not offered is taken");
	CHECK(dut.loc_ready_o, "the word of an operation is not taken");
	op_at[user] += word_bytes;
	op_offered[user] = false;
	if (!last)
		return;
	ops[user].pop_front();
	op_at[user] = 0;
	user_served(LOCAL);
}

// The users take turns. A post that is withdrawn or has no room begins to wait anew.
void InBench::user_served(unsigned int user)
{
	const unsigned int other = user == POST ? LOCAL : POST;

	served[user]++;
	waits[user] = 0;
	waits[other]++;
	CHECK((other == POST ? posted.empty() : !op_offered[LOCAL]) || waits[other] < 2, "an operation waits for two of the other user");
}

// The flight of a packet ends before its answer is told. Ends of others pass meanwhile, but not in the same clock.
void InBench::answers()
{
	if (dut.other_valid_i && dut.other_ready_o) {
		CHECK(dut.end_valid_o && dut.end_ready_i && dut.end_flight_o == dut.other_flight_i &&
			      dut.end_stored_o == dut.other_stored_i,
		      "the end of another flight gets lost");
		other_offered = false;
	} else if (dut.end_valid_o && dut.end_ready_i) {
		CHECK(!inside.empty() && inside.front().answered && inside.front().entered, "a flight ends before the answer");
		Inside &i = inside.front();

		CHECK(i.p.op <= TALLY_FW_STORE_OP_RESULT && !i.ended && dut.end_flight_o == i.p.flight, "the end of another flight");
		CHECK(dut.end_stored_o == (i.answer <= TALLY_FW_STORE_ANSWER_PAST), "a flight ends: %d, after answer %u", dut.end_stored_o,
		      i.answer);
		i.ended = true;
		ended++;
	}
	if (!dut.ans_valid_o || !dut.ans_ready_i)
		return;
	CHECK(!inside.empty() && inside.front().answered && inside.front().entered, "an answer to nothing");
	const Inside i = inside.front();
	const bool packet = i.p.op <= TALLY_FW_STORE_OP_RESULT;
	const uint64_t expected = uint64_t(packet ? 0 : of_user[i.p.user]) << 59 | uint64_t(i.answer) << 43 | uint64_t(i.status) << 27 |
				  uint64_t(i.err) << 11 | i.slot;

	CHECK(i.ended == packet, "an answer before the flight has ended");
	CHECK((dut.ans_o & ~(0xffull << 51)) == expected, "another answer than %u: %llx", i.answer, (unsigned long long)dut.ans_o);
	CHECK(!packet || (dut.ans_o >> 51 & 0xff) == i.p.flight, "the answer is to another packet");
	taken_in[i.p.op]++;
	inside.pop_front();
	still = 0;
}

// The store answers the oldest operation that it has not answered.
void InBench::answered()
{
	auto i = std::find_if(inside.begin(), inside.end(), [](const Inside &i) { return !i.answered; });

	i->answered = true;
	i->answer = answer;
	i->status = status;
	i->err = err;
	i->slot = slot;
}

void InBench::cycle()
{
	tables();
	offer();
	bench.settle();
	CHECK(dut.busy_o || (looked.empty() && kept.empty() && inside.empty() && posted.empty()), "busy_o is low");
	if (dut.post_valid_i && dut.post_ready_o) {
		CHECK((room || ops[POST].front().op != TALLY_FW_STORE_OP_POST) && posted.empty(), "a post is taken that must wait");
		posted.push_back(ops[POST].front());
		ops[POST].pop_front();
		op_offered[POST] = false;
	}
	payloads();
	records();
	CHECK(room || post_enters || !dut.in_tvalid_o || dut.in_op_o != TALLY_FW_STORE_OP_POST, "a post enters without room");
	post_enters = dut.in_tvalid_o && !dut.in_tready_i && dut.in_op_o == TALLY_FW_STORE_OP_POST;
	if (dut.answer_valid_i)	// before the words of this clock
		answered();
	into_store();
	answers();
	asked = dut.read_group_o;
	bench.tick();
	CHECK(++still < longest_wait, "nothing proceeds");
}

int InBench::run()
{
	bench.live(bench.times(120000), [this] { restart(); }, [this] { cycle(); });
	for (unsigned int op = 0; op < 5; op++)
		CHECK(taken_in[op] > 20, "only %llu operations %u", (unsigned long long)taken_in[op], op);
	CHECK(served[POST] > 20 && served[LOCAL] > 50, "few operations of users");
	CHECK(together > 500, "%llu operations have entered together with others", (unsigned long long)together);
	CHECK(passed > 500 && ended > 100, "%llu records have passed, %llu flights ended", (unsigned long long)passed,
	      (unsigned long long)ended);
	return bench.finish();
}

int main(int argc, char **argv)
{
	return InBench(argc, argv).run();
}
