// SPDX-License-Identifier: BSD-2-Clause
// One node of the bench of tally_store: what enters its store, and what becomes of what leaves it.
#include <algorithm>

#include "gen/tally_fw_hw.h"
#include "gen/tally_hw.h"
#include "store_world.h"

Node::Node(World &world, unsigned int index)
	: dut(world.store(index)), w(world), index(index), in_go_(world.rng), out_go_(world.rng)
{
	group.node = index;
	group.nodes = w.tree.size();
	group.root = !index;
	group.parent = index ? TALLY_CONTRIB_PARENT : 0xff;
	group.left = group.nodes > 1 ? left_edge : 0xff;
	group.right = group.nodes > 1 ? right_edge : 0xff;
	group.edges = Contributors;
	neighbour.assign(TALLY_CONTRIB_PARENT + 1, -1);
	add_tree();
	neighbour[left_edge] = (index + group.nodes - 1) % group.nodes;
	neighbour[right_edge] = (index + 1) % group.nodes;
	group.rank_mask = 1 + w.rng.below((1 << Ranks) - 1);
	add_rounds();
	ranks = __builtin_popcountll(group.rank_mask);
	first_rank = w.total_ranks;
	w.total_ranks += ranks;
}

void Node::add_tree()
{
	for (unsigned int n = index + 1, at = 0; n < group.nodes && w.tree[n] > w.tree[index]; n++) {
		if (w.tree[n] == w.tree[index] + 1) {
			neighbour[at] = n;
			group.first[at] = n;
			group.children |= 1ULL << at++;
		}
		group.count[at - 1]++;
		subtree++;
	}
	for (unsigned int n = index; n > 0; n--)
		if (w.tree[n - 1] + 1 == w.tree[index]) {
			neighbour[TALLY_CONTRIB_PARENT] = n - 1;
			break;
		}
}

void Node::add_rounds()
{
	parts_node shape = {};

	rounds = w.rounds.edges[index];
	shape.rank_mask = group.rank_mask;
	for (uint8_t mode : w.group_modes)
		shape.modes |= 1u << (mode - TALLY_MODE_TREE);
	shape.ordered = w.ordered;
	shape.children = group.children;
	shape.contributors = w.contributors(*this);
	shape.left = group.left;
	shape.rounds = w.rounds.num;
	for (unsigned int r = 1; r <= w.rounds.num; r++) {
		shape.own[r] = w.rounds.own[index][r].position;
		shape.parts[r] = w.rounds.own[index][r].parts;
	}
	for (unsigned int i = 0; i < rounds.size(); i++) {
		unsigned int edge = first_round_edge + i;

		neighbour[edge] = rounds[i].node;
		shape.position[edge] = rounds[i].position;
		shape.ins[rounds[i].round] |= uint64_t(rounds[i].in) << edge;
		shape.outs[rounds[i].round] |= uint64_t(rounds[i].out) << edge;
		group.exchange_ins |= uint64_t(rounds[i].in) << edge;
	}
	parts_model_rows(&shape, parts);
	for (const parts_rows &rows : parts)
		most_parts = std::max(most_parts, rows.num);
	CHECK(most_parts <= Parts, "node %u has %u parts", index, most_parts);
}

// Returns the edge by which a packet of another node comes.
unsigned int Node::edge_from(int node, const Header &h, unsigned int round) const
{
	if (h.mode == TALLY_MODE_RING)
		return left_edge;
	for (unsigned int i = 0; i < rounds.size() && h.mode == TALLY_MODE_EXCHANGE; i++)
		if (rounds[i].node == node && rounds[i].round == round && rounds[i].in)
			return first_round_edge + i;
	for (unsigned int e = 0; e < first_round_edge && h.mode == TALLY_MODE_TREE; e++)
		if (neighbour[e] == node)
			return e;
	CHECK(h.mode == TALLY_MODE_TREE && neighbour[TALLY_CONTRIB_PARENT] == node, "node %u: a packet of node %d, mode %d, round %u",
	      index, node, h.mode, round);
	return TALLY_CONTRIB_PARENT;
}

static void pack_header(const Header &h, uint32_t *words)
{
	unsigned int at = 0;
	auto put = [&](unsigned int bits, uint64_t value) {
		for (unsigned int i = 0; i < bits; i++, at++) {
			words[at / 32] &= ~(1U << at % 32);
			words[at / 32] |= uint32_t(value >> i & 1) << at % 32;
		}
	};

	for (uint32_t field : { h.count, h.first, h.total, h.sid, h.mid, h.num })
		put(32, field);
	put(16, h.root_node);
	for (uint8_t field : { h.root_rank, h.dtype, h.op, h.opcode, h.mode })
		put(8, field);
}

static Header unpack_header(const uint32_t *words)
{
	unsigned int at = 0;
	auto get = [&](unsigned int bits) {
		uint64_t value = 0;

		for (unsigned int i = 0; i < bits; i++, at++)
			value |= uint64_t(words[at / 32] >> at % 32 & 1) << i;
		return value;
	};
	Header h;

	for (uint32_t *field : { &h.count, &h.first, &h.total, &h.sid, &h.mid, &h.num })
		*field = get(32);
	h.root_node = get(16);
	for (uint8_t *field : { &h.root_rank, &h.dtype, &h.op, &h.opcode, &h.mode })
		*field = get(8);
	return h;
}

// Returns the ranks of this node of which something is true, by their global numbers.
template <typename Is> uint64_t Node::ranks_that(Is is) const
{
	uint64_t map = 0;
	unsigned int rank = first_rank;

	for (uint64_t left = group.rank_mask; left; left &= left - 1, rank++)
		if (is(rank))
			map |= left & -left;
	return map;
}

uint64_t Node::who_quits(const Chunk &c) const
{
	return ranks_that([&](unsigned int rank) { return c.quits[rank]; });
}

// Whether nobody here or below takes part.
bool Node::is_out(const Chunk &c) const
{
	for (unsigned int n = index; n < index + subtree; n++)
		if (w.nodes[n]->who_quits(c) != w.nodes[n]->group.rank_mask)
			return false;
	return true;
}

// Lets all ranks of this node post a chunk, one by one or together, and give their data.
void Node::post(Chunk &c)
{
	uint64_t left = group.rank_mask;
	unsigned int rank = first_rank;
	Op op;

	op.h = c.h;
	op.epoch = epoch;
	for (unsigned int e = 0; e < first_round_edge && c.h.mode == TALLY_MODE_TREE; e++)
		if (group.children >> e & 1 && w.nodes[neighbour[e]]->is_out(c))
			op.out |= 1ull << e;
	while (left) {
		op.op = TALLY_FW_STORE_OP_POST;
		op.data.clear();
		op.ranks = w.rng.one_in(2) ? left : left & -left;
		left &= ~op.ranks;
		op.quits = op.ranks & who_quits(c);
		if (c.h.opcode != TALLY_OPCODE_BCAST && c.count)
			op.absent = op.ranks & ranks_that([&](unsigned int at) { return c.give[at].empty(); });
		local.push_back(op);
		for (uint64_t some = op.ranks; some; some &= some - 1, rank++) {
			uint8_t r = __builtin_ctzll(some);

			if (c.h.opcode == TALLY_OPCODE_BCAST && (c.h.root_node != index || c.h.root_rank != r))
				continue;
			Op give = op;
			give.op = TALLY_FW_STORE_OP_DATA;
			give.ranks = give.absent = give.quits = give.out = 0;
			give.edge = r;
			give.rank = true;
			give.data = c.give[rank];
			if (c.count && give.data.empty())
				continue;
			if (!w.has_parts(c.h) && local.back().op == TALLY_FW_STORE_OP_POST && w.rng.one_in(2)) {
				const Bytes data = give.data;	// both in one operation

				give = local.back();
				give.op = TALLY_FW_STORE_OP_DATA;
				give.edge = r;
				give.rank = true;
				give.data = data;
				local.pop_back();
			}
			local.push_back(give);
		}
	}
	if (op.absent && c.h.mode == TALLY_MODE_EXCHANGE && w.rng.one_in(4)) {
		op.bad = true; // disagrees with the parts of ranks that give nothing
		op.h.root_rank ^= 1;
		local.push_back(op);
	}
}

// Who gives nothing to a chunk with parts is left out of the first ones before the post is answered.
bool Node::counts_early(const Op &op) const
{
	return (op.absent || op.out) && w.has_parts(op.h) && !op.bad;
}

// Lets neighbours give data to a chunk in all modes of the group. The ranks give none, so nothing leaves.
void Node::tear(uint32_t num)
{
	Op op;

	op.op = TALLY_FW_STORE_OP_REDUCE;
	op.h.opcode = TALLY_OPCODE_ALLREDUCE;
	op.h.op = TALLY_OP_SUM;
	op.h.dtype = TALLY_TYPE_INT32;
	op.h.num = num;
	op.h.total = op.h.count = 1;
	op.last = op.torn = true;
	op.epoch = epoch;
	op.data.resize(4);
	for (uint8_t mode : w.group_modes) {
		const uint64_t ring = group.left < Contributors ? 1ULL << group.left : 0;
		uint64_t from = mode == TALLY_MODE_TREE ? group.children : mode == TALLY_MODE_RING ? ring : group.exchange_ins;

		for (op.h.mode = mode; from; from &= from - 1) {
			op.edge = __builtin_ctzll(from);
			op.round = mode == TALLY_MODE_EXCHANGE ? rounds[op.edge - first_round_edge].round : 0;
			op.at = w.now + w.rng.below(300);
			net.push_back(op);
		}
	}
}

// The parent sends a result of another type to a chunk that is open, and has one slot.
void Node::contradict(const Op &torn)
{
	Op op = torn;

	if (neighbour[TALLY_CONTRIB_PARENT] < 0 || w.has_parts(op.h) || !std::count(w.group_modes.begin(), w.group_modes.end(), TALLY_MODE_TREE))
		return;
	op.op = TALLY_FW_STORE_OP_RESULT;
	op.h.mode = TALLY_MODE_TREE;
	op.h.dtype = TALLY_TYPE_INT64;
	op.edge = TALLY_CONTRIB_PARENT;
	op.round = 0;
	op.data.resize(8);
	op.at = w.now;
	net.push_back(op);
}

void Node::count_posted(const Op &op)
{
	if (who_quits(w.chunk(op.h.num)) != group.rank_mask)
		w.chunk(op.h.num).posted += __builtin_popcountll(op.ranks);
}

void Node::offer(const Op &op)
{
	now_ = op;
	if (counts_early(op))
		count_posted(op);
	if (op.sent)
		unacked_.erase(*op.sent);
	asked.push_back(op); // a refusal may come before the last word is taken
	offering_ = true;
	word_ = 0;
}

// A packet like an operation that follows, but of the group that has no chunks: it is refused, and changes nothing.
void Node::offer_other(const Op &like)
{
	Op op;

	op.op = TALLY_FW_STORE_OP_REDUCE;
	op.h = like.h;
	op.last = like.last;
	op.data = like.data;
	op.other = true;
	offer(op);
}

// A packet, an acknowledgement or something local, if there is any.
void Node::drive_op()
{
	bool may_post = !local.empty() && (!local.front().ranks || dut.post_ready_o);

	while (!net.empty() && net.front().epoch != epoch)
		net.pop_front();
	auto ready = std::find_if(net.begin(), net.end(),
				  [&](const Op &op) { return op.at <= w.now && op.epoch == epoch; });
	if (ready != net.end() && ready->acked) {
		acknowledge(*ready->acked);
		net.erase(ready);
		return;
	}
	if (ready != net.end() && (!may_post || w.rng.one_in(2))) {
		offer(*ready);
		net.erase(ready);
	} else if (may_post && w.rng.one_in(8)) {
		offer_other(local.front());
	} else if (may_post) {
		offer(local.front());
		local.pop_front();
	} else if (state == ENDING && w.rng.one_in(8)) {
		Op busy;	// keeps the words of the store

		busy.h = w.chunk(w.rng.below(w.chunks.size())).h;
		busy.data.resize(1 + w.rng.below(most_bytes));
		offer_other(busy);
	}
}

void Node::drive_command()
{
	if (!commanding_) {
		dut.cmd_i = to_begin_ ? TALLY_FW_STORE_CMD_BEGIN : to_end_ ? TALLY_FW_STORE_CMD_END : TALLY_FW_STORE_CMD_RAISE;
		commanding_ = to_begin_ || to_end_ || (state == RUNNING && raised < done + GroupSegs);
	}
	dut.cmd_valid_i = commanding_;
	dut.cmd_group_i = index_of_group;
}

// An acknowledgement has come, or two. None does once the epoch ends.
void Node::acknowledge(const Sent &s)
{
	const auto sent = unacked_.find(s);

	if (state != RUNNING || sent == unacked_.end())
		return;
	acked_.push_back({ s, sent->second, true, false });
	if (w.rng.one_in(4))
		acked_.push_back({ s, sent->second, false, true });
	unacked_.erase(sent);
}

// If the acknowledgement of a packet is on its way, it comes now.
void Node::hasten(const Sent &s)
{
	const auto is_it = [&](const Op &o) { return o.acked && !(*o.acked < s) && !(s < *o.acked); };

	if (std::any_of(net.begin(), net.end(), is_it))
		acknowledge(s);
}

// What is for a neighbour may leave, or must wait. What is acknowledged does not leave again. Once the epoch ends, its edges
// are closed.
void Node::drive_sent()
{
	if (state != RUNNING) {
		unacked_.clear();
		repeat_.clear();
	}
	dut.acked_valid_i = !acked_.empty();
	if (!acked_.empty()) {
		dut.acked_slot_i = acked_.front().s.slot;
		dut.acked_sum_i = acked_.front().s.sum;
		dut.acked_edge_i = acked_.front().s.edge;
	}
	if (again_taken_)
		dut.again_valid_i = 0;
	again_taken_ = false;
	if (!dut.again_valid_i && !repeat_.empty() && w.rng.one_in(8)) {
		dut.again_valid_i = 1;
		dut.again_slot_i = repeat_.front().slot;
		dut.again_sum_i = repeat_.front().sum;
		dut.again_edge_i = repeat_.front().edge;
		dut.again_group_i = index_of_group;
		repeat_.pop_front();
	}
	dut.wake_i = w.rng.one_in(16);
	dut.disagree_ready_i = w.rng.one_in(100);
	dut.eval();
	const Sent s = { dut.ask_slot_o, dut.ask_edge_o, bool(dut.ask_sum_o) };
	const bool again = dut.ask_valid_o && dut.ask_again_o;

	if (again && w.rng.one_in(4))	// what was sent first is acknowledged while it waits to be sent again
		hasten(s);
	dut.ask_ready_i = w.rng.one_in(again && w.now / 64 % 4 ? 32 : 4);
	if (dut.ask_again_o)
		dut.ask_end_i = unacked_.count(s) ? SENT : DROPPED;
	else
		dut.ask_end_i = w.rng.one_in(4) ? SENT : WAITS;
}

// A packet may leave, and its words follow.
void Node::asked_out()
{
	const Sent s = { dut.ask_slot_o, dut.ask_edge_o, bool(dut.ask_sum_o) };

	if (dut.ask_end_i != SENT)
		return;
	CHECK(dut.ask_group_o == index_of_group, "node %u: wrong group", index);
	leaving_.push_back({ s, bool(dut.ask_again_o), dut.ask_kind_o == TALLY_FW_STORE_SEND_SUM, dut.ask_err_vector_o,
			     unpack_header(dut.ask_message_o) });
	if (dut.ask_again_o) {
		hasten(s);	// and while it is read
		return;
	}
	CHECK(state != ENDED && unacked_.insert({ s, leaving_.back().h }).second, "node %u: a packet leaves twice", index);
	if (w.rng.one_in(2))
		repeat_.push_back(s);
}

// An acknowledgement is taken. The epoch may end before the store looks at it.
void Node::acked()
{
	Acked a = acked_.front();

	acked_.pop_front();
	a.told = a.told && state == RUNNING;
	if (!a.again)
		there_.push_back(a);
}

// Each acknowledgement of what was due is told once, with its chunk.
void Node::there()
{
	const Header h = unpack_header(dut.there_message_o);
	auto is_it = [&](const Acked &a) {
		return dut.there_edge_o == a.s.edge && dut.there_sum_o == a.s.sum && h.num == a.h.num && h.mid == a.h.mid && h.sid == a.h.sid &&
		       h.mode == a.h.mode;
	};

	CHECK(dut.there_group_o == index_of_group, "node %u: wrong group", index);
	while (!there_.empty() && !there_.front().told && !is_it(there_.front()))
		there_.pop_front();
	CHECK(!there_.empty() && is_it(there_.front()), "node %u: chunk %u has reached edge %u, which was not due", index, h.num,
	      dut.there_edge_o);
	there_.pop_front();
}

// ---- What the firmware reads ----

// A field of look_t.
uint64_t Node::look(unsigned int at, unsigned int width) const
{
	uint64_t value = 0;

	for (unsigned int i = 0; i < width; i++)
		value |= uint64_t(dut.look_o[(at + i) / 32] >> (at + i) % 32 & 1) << i;
	return value;
}

void Node::drive_read()
{
	if (dut.read_valid_i || reading_ || !w.rng.one_in(16))
		return;
	dut.read_valid_i = 1;
	dut.read_group_i = index_of_group;
	dut.read_index_i = w.rng.below(GroupSegs + 1);
}

// What was given before the read began is not missing, and the chunk is the one that was asked for.
void Node::check_look(uint32_t num) const
{
	const Header &h = w.chunk(num).h;

	// A part that is just being opened may show the header that the number had in the epoch before.
	const bool settled = !w.has_parts(h) && (given_before_.count(num) || posts_before_.count(num));
	const bool is_it = look(577, 32) == h.mid && look(545, 32) == h.sid && look(689, 8) == h.mode && look(681, 8) == h.opcode;

	CHECK(look(609, 32) == num && (is_it || !settled), "node %u: chunk %llu of message %llu is read, not %u", index,
	      (unsigned long long)look(609, 32), (unsigned long long)look(577, 32), num);
	if (!is_it)
		return;
	const uint64_t missing = look(385, 64), first = look(321, 64), unposted = look(64, 64);
	const auto given = given_before_.find(num), posts = posts_before_.find(num);

	CHECK(given == given_before_.end() || !(missing & given->second), "node %u: chunk %u lacks %llx, of which some have come", index, num,
	      (unsigned long long)missing);
	CHECK(posts == posts_before_.end() || !(unposted & posts->second), "node %u: ranks %llx have not posted chunk %u", index,
	      (unsigned long long)unposted, num);
	CHECK(!(first & ~missing) && !(missing >> Contributors) && !(unposted & ~group.rank_mask) && !first == !missing,
	      "node %u: chunk %u lacks %llx, first %llx", index, num, (unsigned long long)missing, (unsigned long long)first);
}

void Node::read_out()
{
	if (dut.look_valid_o && reading_) {
		const uint32_t num = look(737, 32) + read_index_, state_now = look(697, 8);

		reading_ = false;
		if (state == RUNNING && epoch == read_epoch_) {
			CHECK(look(737, 32) - read_from_ <= done - read_from_ + GroupSegs && look(705, 32) <= GroupSegs, "node %u: done is read as %llu",
			      index, (unsigned long long)look(737, 32));
			if (state_now != TALLY_SEG_FREE && num < w.torn && num < w.chunks.size()) {
				check_look(num);
				w.looked++;
			}
		}
	}
	if (dut.read_valid_i && dut.read_ready_o) {
		reading_ = true;
		read_index_ = dut.read_index_i;
		read_epoch_ = limit ? epoch : UINT32_MAX;	// its epoch has begun in the store
		read_from_ = done;
		given_before_ = given_;
		posts_before_ = posts_;
	}
}

void Node::drive()
{
	unsigned int words;

	if (state == RUNNING && w.now >= end_at) {
		state = ENDING;
		to_end_ = true;
		local.clear();
	}
	if (!offering_ && state != ENDED && in_go_.go())
		drive_op();
	words = std::max<unsigned int>(1, (now_.data.size() + word_bytes - 1) / word_bytes);
	dut.in_tvalid_i = offering_;
	dut.in_op_i = now_.op;
	dut.in_group_i = now_.other ? other_group : index_of_group;
	pack_header(now_.h, dut.in_message_i);
	dut.in_last_i = now_.last;
	dut.in_bytes_i = now_.data.size();
	dut.in_err_vector_i = now_.err;
	dut.in_edge_i = now_.edge;
	dut.in_round_i = now_.round;
	dut.in_ranks_i = now_.ranks;
	dut.in_absent_i = now_.absent;
	dut.in_quits_i = now_.quits;
	dut.in_out_i = now_.out;
	dut.in_rank_i = now_.rank;
	dut.in_sum_i = now_.sum;
	auto *data = reinterpret_cast<uint8_t *>(&dut.in_tdata_i);
	dut.in_tkeep_i = 0;
	for (unsigned int k = 0; k < word_bytes && word_ * word_bytes + k < now_.data.size(); k++) {
		data[k] = now_.data[word_ * word_bytes + k];
		dut.in_tkeep_i |= 1 << k;
	}
	dut.in_tlast_i = word_ + 1 == words;
	if (w.rng.one_in(1000))
		still_until_ = w.now + w.rng.below(1000);
	dut.out_tready_i = out_go_.go() && w.now >= still_until_;
	dut.res_tready_i = out_go_.go() && w.now >= still_until_;
	drive_command();
	if (reading_)
		dut.read_valid_i = 0;
	drive_read();
	drive_sent();
}

// The sender of a packet gets its acknowledgement, or sends again.
void Node::answer_packet(Op &op)
{
	if (op.bad) {
		CHECK(dut.answer_o == TALLY_FW_STORE_ANSWER_BAD, "node %u: a bad packet of chunk %u is answered %d", index, op.h.num,
		      dut.answer_o);
		return;
	}
	if (dut.answer_o == TALLY_FW_STORE_ANSWER_STORED && op.op == TALLY_FW_STORE_OP_REDUCE && op.edge < Contributors)
		given_[op.h.num] |= 1ull << op.edge;
	if (op.stray && dut.answer_o != TALLY_FW_STORE_ANSWER_WINDOW) {
		CHECK(dut.answer_o == TALLY_FW_STORE_ANSWER_DROPPED || dut.answer_o == TALLY_FW_STORE_ANSWER_PAST,
		      "node %u: a result of chunk %u from contributor %u is answered %d", index, op.h.num, op.edge, dut.answer_o);
		return;
	}
	CHECK(dut.answer_o <= TALLY_FW_STORE_ANSWER_WINDOW, "node %u: a packet of chunk %u is answered %d", index, op.h.num,
	      dut.answer_o);
	if (dut.answer_o == TALLY_FW_STORE_ANSWER_WINDOW) {
		op.at = w.now + 100;
		net.push_back(op);
	} else if (op.from >= 0) {
		for (Op &ack : op.acks)
			w.nodes[op.from]->net.push_back(ack);
	}
}

void Node::answer_own(const Op &op)
{
	if (op.bad) {
		CHECK(dut.answer_o == TALLY_FW_STORE_ANSWER_PAST || (dut.answer_o == TALLY_FW_STORE_ANSWER_DISAGREES &&
								     dut.answer_status_o == TALLY_COLL_ROOT_MISMATCH),
		      "node %u: a post of chunk %u that disagrees is answered %d, status %d", index, op.h.num, dut.answer_o,
		      dut.answer_status_o);
		return;
	}
	if (op.op == TALLY_FW_STORE_OP_POST && dut.answer_o == TALLY_FW_STORE_ANSWER_STORED)
		posts_[op.h.num] |= op.ranks;
	if (!counts_early(op))
		count_posted(op);
	if (op.op == TALLY_FW_STORE_OP_TAKEN && op.rank)
		writes--;
	CHECK(dut.answer_o == TALLY_FW_STORE_ANSWER_STORED, "node %u: operation %d on chunk %u is answered %d, status %d", index,
	      op.op, op.h.num, dut.answer_o, dut.answer_status_o);
}

// Who disagrees is told beside the answer, or without one if it is a part that enters another one.
void Node::disagreed()
{
	CHECK(dut.disagree_valid_o || !told_, "node %u: a disagreement is withdrawn", index);
	tells_ = dut.disagree_valid_o && !told_;
	told_ = dut.disagree_valid_o && !dut.disagree_ready_i;
	if (!tells_)
		return;
	CHECK(dut.disagree_group_o == index_of_group && dut.disagree_status_o, "node %u: group %d disagrees, status %d", index,
	      dut.disagree_group_o, dut.disagree_status_o);
	if (!dut.answer_valid_o || dut.answer_o != TALLY_FW_STORE_ANSWER_DISAGREES)
		CHECK(!dut.disagree_contributors_o && !dut.disagree_ranks_o, "node %u: a part that disagrees is of somebody", index);
}

void Node::check_disagreement(const Op &op) const
{
	const bool is_packet = op.op == TALLY_FW_STORE_OP_REDUCE || op.op == TALLY_FW_STORE_OP_RESULT;
	const uint64_t from = op.edge < 64 ? 1ull << op.edge : 0;
	const uint64_t ranks = is_packet ? 0 : op.op == TALLY_FW_STORE_OP_DATA ? from : op.ranks;

	CHECK(tells_ && dut.disagree_status_o == dut.answer_status_o, "node %u: an operation on chunk %u disagrees, and nobody is told", index,
	      op.h.num);
	CHECK(dut.disagree_contributors_o == (is_packet ? from : 0) && dut.disagree_ranks_o == ranks &&
	      dut.disagree_mid_o == op.h.mid && dut.disagree_sid_o == op.h.sid,
	      "node %u: operation %d on chunk %u disagrees, and contributors %llx, ranks %llx are named", index, op.op, op.h.num,
	      (unsigned long long)dut.disagree_contributors_o, (unsigned long long)dut.disagree_ranks_o);
}

void Node::answered()
{
	CHECK(!asked.empty(), "node %u: an answer to nothing", index);
	Op op = asked.front();

	asked.pop_front();
	if (op.other) {
		CHECK(dut.answer_o != TALLY_FW_STORE_ANSWER_STORED && dut.answer_o != TALLY_FW_STORE_ANSWER_DISAGREES,
		      "node %u: a packet of a group without chunks is answered %d", index, dut.answer_o);
		return;
	}
	if (dut.answer_o == TALLY_FW_STORE_ANSWER_DISAGREES)
		check_disagreement(op);
	CHECK(state != ENDED || dut.answer_o != TALLY_FW_STORE_ANSWER_STORED, "node %u: an operation is stored after the end", index);
	if (op.torn) {
		CHECK(dut.answer_o != TALLY_FW_STORE_ANSWER_BAD, "node %u: a packet of mode %d is bad", index, op.h.mode);
		if (dut.answer_o == TALLY_FW_STORE_ANSWER_STORED)
			contradict(op);
		return;
	}
	if (state == ENDED || (state == ENDING && dut.answer_o == TALLY_FW_STORE_ANSWER_ENDED &&
			       !(op.op == TALLY_FW_STORE_OP_TAKEN && op.rank)))
		return;
	if (op.op == TALLY_FW_STORE_OP_REDUCE || op.op == TALLY_FW_STORE_OP_RESULT)
		answer_packet(op);
	else
		answer_own(op);
}

// Ranks get a result, or their write is given up as the epoch ends.
void Node::ranks_get(const Header &h)
{
	Chunk &c = w.chunk(h.num);
	Op ack;

	uint32_t due = 0; // posts, but for those of nodes that are left out

	for (const auto &n : w.nodes)
		due += n->who_quits(c) != n->group.rank_mask ? n->ranks : 0;
	CHECK(c.posted == due || h.opcode == TALLY_OPCODE_BCAST || h.opcode == TALLY_OPCODE_REDUCE,
	      "node %u: chunk %u is delivered before all have posted it", index, h.num);
	CHECK(!(got[h.num] & dut.res_ranks_o), "node %u: a second result of chunk %u", index, h.num);
	got[h.num] |= dut.res_ranks_o;
	ack.op = TALLY_FW_STORE_OP_TAKEN;
	ack.h = h;
	ack.epoch = epoch;
	if (w.rng.one_in(2))
		ack.h.mode = TALLY_MODE_TREE;	// who tells it need not know the mode
	ack.rank = true;
	ack.at = w.now + w.rng.below(state == ENDING ? 800 : 200);
	for (uint64_t left = dut.res_ranks_o; left; left &= left - 1) {
		ack.edge = __builtin_ctzll(left);
		net.push_back(ack);
		writes++;
	}
}

// Returns an edge of a node that gives no data in this mode and round; maybe it does in another mode.
static unsigned int stranger(tally::Rng &rng, const Node &n, uint8_t mode, unsigned int round)
{
	if (rng.one_in(3))
		return TALLY_CONTRIB_PARENT;
	if (mode == TALLY_MODE_TREE)
		return rng.one_in(2) ? left_edge : first_round_edge;
	if (mode == TALLY_MODE_RING)
		return rng.below(left_edge);
	for (unsigned int i = 0; i < n.rounds.size(); i++)
		if (n.rounds[i].round == round && !n.rounds[i].in)
			return first_round_edge + i;
	return rng.one_in(2) ? left_edge : rng.below(first_round_edge);
}

// A copy that the store must refuse: of another round or edge, or too long for its part.
void Node::spoil(Op p, unsigned int to)
{
	const bool is_sum = p.op == TALLY_FW_STORE_OP_REDUCE;

	p.bad = true;
	p.acks.clear();
	switch (!w.has_parts(p.h) ? 0 : p.data.empty() ? w.rng.below(2) : w.rng.below(3)) {
	case 0:
		if (p.h.mode != TALLY_MODE_EXCHANGE)
			p.round = 1;
		else
			p.round = p.round == w.rounds.num || w.rng.one_in(2) ? w.rounds.num + 1 : 0;
		break;
	case 1:
		p.edge = stranger(w.rng, *w.nodes[to], p.h.mode, p.round);
		break;
	default:
		p.h.count = (word_bytes << w.part_shift) / (p.data.size() / p.h.count) + 1;
		p.h.total = 2 * p.h.count;
		p.h.sid = 0;
		p.last = false;
		w.nodes[to]->net.push_back(p);
		return;
	}
	if (is_sum) // results have no round
		w.nodes[to]->net.push_back(p);
	else
		stray(p, to);
}

// A result that does not come from the parent or the left: its data must not count.
void Node::stray(Op p, unsigned int to)
{
	p.bad = false;
	p.stray = true;
	p.round = 0;
	p.edge = w.rng.below(Contributors);
	if (int(p.edge) == int(w.nodes[to]->edge_from(index, p.h, 0)))
		return;
	w.rng.fill(p.data.data(), p.data.size());
	w.nodes[to]->net.push_back(p);
}

void Node::send(const Leaving &l)
{
	const Header &h = l.h;
	int to = neighbour[l.s.edge];
	Op p, ack;

	CHECK(to >= 0, "node %u: a packet to edge %d", index, l.s.edge);
	p.op = l.is_sum ? TALLY_FW_STORE_OP_REDUCE : TALLY_FW_STORE_OP_RESULT;
	p.h = h;
	p.last = w.chunk(h.num).last;
	p.data = out_;
	p.err = l.err;
	p.from = index;
	p.epoch = ack.epoch = epoch;
	p.round = h.mode == TALLY_MODE_EXCHANGE ? rounds[l.s.edge - first_round_edge].round : 0;
	p.edge = w.nodes[to]->edge_from(index, h, p.round);
	p.at = w.now + w.rng.below(300);
	ack.op = TALLY_FW_STORE_OP_TAKEN;
	ack.h = h;
	ack.at = w.now + w.rng.below(200);
	ack.sum = p.op == TALLY_FW_STORE_OP_REDUCE;
	ack.edge = l.s.edge;
	(h.mode == TALLY_MODE_EXCHANGE || w.rng.one_in(2) ? ack.acked : ack.sent) = l.s;
	if (w.rng.one_in(16))
		spoil(p, to);
	p.acks = { ack };
	if (l.again) {	// it comes once more
		p.acks.clear();
		w.nodes[to]->net.push_back(p);
		return;
	}
	w.nodes[to]->net.push_back(p);
	if (w.rng.one_in(8)) { // the same once more
		p.acks.clear();
		p.at += w.rng.below(w.rng.one_in(2) ? 600 : 4000);
		w.nodes[to]->net.push_back(p);
	}
}

void Node::check_leaves(const Header &h, const Bytes &data)
{
	const Chunk &c = w.chunk(h.num);

	CHECK(state != ENDED, "node %u: a packet after the end of the epoch", index);
	CHECK(h.num < w.chunks.size() && h.mid == c.h.mid && h.sid == c.h.sid && h.total == c.h.total && h.first == c.first &&
		      h.count == c.count && h.opcode == c.h.opcode && h.mode == c.h.mode,
	      "node %u: wrong header of chunk %u", index, h.num);
	CHECK(data.size() == c.result.size(), "node %u: %zu bytes of chunk %u", index, data.size(), h.num);
}

static bool add_word(Bytes &to, const void *data, uint64_t keep, bool last)
{
	for (unsigned int k = 0; k < word_bytes && keep >> k & 1; k++)
		to.push_back(static_cast<const uint8_t *>(data)[k]);
	return last;
}

// A packet has left.
void Node::sent()
{
	if (!add_word(out_, &dut.out_tdata_o, dut.out_tkeep_o, dut.out_tlast_o))
		return;
	CHECK(!leaving_.empty(), "node %u: words of no packet", index);
	const Leaving l = leaving_.front();

	check_leaves(l.h, out_);
	CHECK(!l.is_sum || l.h.mode != TALLY_MODE_TREE || !is_out(w.chunk(l.h.num)), "node %u: a sum of nobody leaves", index);
	CHECK(l.is_sum || out_ == w.chunk(l.h.num).result, "node %u: wrong result of chunk %u for edge %u", index, l.h.num, l.s.edge);
	send(l);
	leaving_.pop_front();
	out_.clear();
	w.moved = w.now;
}

// A result for ranks has left.
void Node::resulted()
{
	if (!add_word(result_, &dut.res_tdata_o, dut.res_tkeep_o, dut.res_tlast_o))
		return;
	const Header h = unpack_header(dut.res_message_o);
	const Chunk &c = w.chunk(h.num);

	check_leaves(h, result_);
	CHECK(dut.res_group_o == index_of_group, "node %u: wrong group", index);
	CHECK(!dut.res_ended_o || state == ENDING, "node %u: chunk %u is given up", index, h.num);
	CHECK(result_ == c.result, "node %u, mode %d, opcode %d, op %d, type %x: wrong result of chunk %u", index, h.mode, h.opcode,
	      h.op, h.dtype, h.num);
	CHECK(!w.has_parts(h) || dut.res_err_vector_o == c.err,
	      "node %u, op %d, type %x: flags %x of chunk %u, not %x", index, h.op, h.dtype, dut.res_err_vector_o, h.num, c.err);
	ranks_get(h);
	result_.clear();
	w.moved = w.now;
}

void Node::moved()
{
	CHECK(dut.moved_ok_o && dut.moved_group_o == index_of_group, "node %u: a command is refused", index);
	limit = dut.moved_limit_o;
	done = dut.moved_done_o;
	w.moved = w.now;
	if (!dut.moved_ended_o)
		return;
	CHECK(state == ENDING && limit == done, "node %u: the epoch has ended, done %u, limit %u", index, done, limit);
	CHECK(!writes, "node %u: the epoch has ended amid %u writes", index, writes);
	CHECK(std::none_of(there_.begin(), there_.end(), [](const Acked &a) { return a.told; }), "node %u: an acknowledgement is not told",
	      index);
	state = ENDED;
}

void Node::begin_epoch()
{
	state = RUNNING;
	to_begin_ = true;
	posted = done = limit = raised = 0;
	epoch++;
	end_at = UINT64_MAX;
	got.clear();
	given_.clear();
	posts_.clear();
	unacked_.clear();
	repeat_.clear();
	there_.clear();
}

void Node::observe()
{
	if (dut.there_valid_o)
		there();
	if (dut.acked_valid_i && dut.acked_ready_o)
		acked();
	again_taken_ = dut.again_valid_i && dut.again_ready_o;
	if (dut.ask_valid_o && dut.ask_ready_i)
		asked_out();
	disagreed();
	if (dut.answer_valid_o)
		answered();
	if (dut.moved_valid_o)
		moved();
	read_out();
	if (dut.out_tvalid_o && dut.out_tready_i)
		sent();
	if (dut.res_tvalid_o && dut.res_tready_i)
		resulted();
	if (dut.cmd_valid_i && dut.cmd_ready_o) {
		raised += dut.cmd_i == TALLY_FW_STORE_CMD_RAISE;
		if (dut.cmd_i == TALLY_FW_STORE_CMD_BEGIN)
			to_begin_ = false;
		if (dut.cmd_i == TALLY_FW_STORE_CMD_END)
			to_end_ = false;
		commanding_ = false;
	}
	if (dut.in_tvalid_i && dut.in_tready_o) {
		word_++;
		if (dut.in_tlast_i)
			offering_ = false;
	}
	while (state == RUNNING && posted < w.chunks.size() && posted < w.torn && posted < limit && local.size() < 8)
		post(w.chunk(posted++));
	if (state == RUNNING && posted == w.torn && posted < limit)
		tear(posted++);
}
