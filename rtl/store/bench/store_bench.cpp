// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_store: the stores of a group's nodes, joined by links that delay and duplicate packets. The ranks of all
// nodes post the same messages: ALLREDUCE, REDUCE, BCAST and BARRIER, of one or several chunks, in TREE and RING. Each rank
// must get the result that the functions of the model's ALU compute, once, and not before all have posted; each chunk is
// finished at each node, in order. A node whose output stands still takes packets all the same.
#include <algorithm>
#include <cstring>
#include <deque>
#include <map>

#include "Vdut.h"
#include "bench.h"
#include "gen/tally_hw.h"
#include "plan_model.h"
#include "plan_world.h"
#include "scale_vectors.h"

static constexpr unsigned int word_bytes = Width / 8, most_bytes = Words * word_bytes, index_of_group = 1;
enum { OP_REDUCE, OP_RESULT, OP_POST, OP_DATA, OP_TAKEN };
enum { ANSWER_STORED, ANSWER_DUPLICATE, ANSWER_PAST, ANSWER_WINDOW };
enum { SEND_SUM, SEND_RESULT, SEND_RANKS };
using Bytes = std::vector<uint8_t>;

struct Header {
	uint8_t mode = 0, opcode = 0, op = 0, dtype = 0, root_rank = 0;
	uint16_t root_node = 0;
	uint32_t num = 0, mid = 0, sid = 0, total = 0, first = 0, count = 0;
};

struct Op {
	int op = 0;
	Header h;
	bool last = false, rank = false, sum = false;
	uint16_t err = 0;
	uint8_t edge = 0;
	uint64_t ranks = 0;
	Bytes data;
	int from = -1;	     // the node that waits for an acknowledgement
	std::vector<Op> acks; // what it gets then
	uint64_t at = 0;     // when it may enter
};

struct Chunk {
	Header h; // as in a request: count is that of whole chunks
	uint32_t first, count;
	Bytes result;
	std::vector<Bytes> give; // by global rank
	uint32_t posted = 0;	 // ranks
	bool last;
};

class World;

class Node {
public:
	Node(World &world, unsigned int index);
	void drive();
	void settle() { dut.eval(); }
	void observe();
	void clock(int level)
	{
		dut.clk_i = level;
		dut.eval();
	}
	void post(Chunk &c);

	Vdut dut;
	World &w;
	unsigned int index, first_rank = 0, ranks = 0;
	uint32_t posted = 0, done = 0, limit = 0, raised = 0;
	std::map<uint32_t, uint64_t> got; // ranks by num
	std::vector<int> neighbour;	  // by edge
	std::deque<Op> local, net, asked;
	plan_group group = {};

private:
	void offer(const Op &op);
	void answered();
	void sent();
	void packet_out();

	tally::Throttle in_go_, out_go_;
	bool offering_ = false, commanding_ = false;
	unsigned int word_ = 0;
	Op now_;
	Bytes out_;
};

class World {
public:
	explicit World(tally::Bench<Vdut> &bench) : bench(bench), rng(bench.rng) {}
	void begin();
	void run(unsigned int messages);
	void end()
	{
		for (auto &n : nodes)
			n->dut.final();
	}
	void add_message(unsigned int mid);
	Chunk &chunk(uint32_t num) { return chunks[num]; }

	tally::Bench<Vdut> &bench;
	tally::Rng &rng;
	std::vector<std::unique_ptr<Node>> nodes;
	std::vector<Chunk> chunks;
	Tree tree;
	uint32_t total_ranks = 0;
	uint64_t now = 0, moved = 0;
};

// ---- Messages ----

static uint32_t pick(tally::Rng &rng, std::initializer_list<int> of)
{
	return *(of.begin() + rng.below(of.size()));
}

static Bytes combine(const Header &h, const std::vector<Bytes> &give, uint32_t count, uint32_t total_ranks)
{
	Bytes sum = give[0];

	sum.resize(most_bytes + 64);
	for (size_t r = 1; r < give.size(); r++) {
		Bytes in = give[r];

		in.resize(most_bytes + 64);
		alu_reduce(h.op, h.dtype, sum.data(), in.data(), count);
	}
	if (h.op == TALLY_OP_AVG)
		alu_scale(h.dtype, sum.data(), count, total_ranks);
	sum.resize(give[0].size());
	return sum;
}

void World::add_message(unsigned int mid)
{
	Header h;
	uint32_t size, chunk, total, root = 0;

	h.mode = pick(rng, { TALLY_MODE_TREE, TALLY_MODE_TREE, TALLY_MODE_RING });
	h.opcode = pick(rng, { TALLY_OPCODE_ALLREDUCE, TALLY_OPCODE_ALLREDUCE, TALLY_OPCODE_REDUCE, TALLY_OPCODE_BCAST,
			       TALLY_OPCODE_BARRIER });
	h.mid = mid;
	if (h.opcode != TALLY_OPCODE_BARRIER)
		h.dtype = pick(rng, { TALLY_TYPE_UINT8, TALLY_TYPE_UINT16, TALLY_TYPE_INT32, TALLY_TYPE_INT64 });
	if (h.opcode == TALLY_OPCODE_ALLREDUCE || h.opcode == TALLY_OPCODE_REDUCE)
		h.op = pick(rng, { TALLY_OP_SUM, TALLY_OP_MAX, TALLY_OP_BXOR, TALLY_OP_AVG });
	size = h.opcode == TALLY_OPCODE_BARRIER ? 1 : alu_value_size(h.dtype);
	chunk = rng.one_in(2) ? 8 / size : 1 + rng.below(most_bytes / size);
	total = h.opcode == TALLY_OPCODE_BARRIER ? 0 : rng.one_in(2) ? chunk : 1 + rng.below(3 * chunk);
	if (h.opcode == TALLY_OPCODE_REDUCE || h.opcode == TALLY_OPCODE_BCAST) {
		h.root_node = rng.below(nodes.size());
		for (root = rng.below(4); !(nodes[h.root_node]->group.rank_mask >> root & 1); root = (root + 1) % 4)
			;
		h.root_rank = root;
		root = nodes[h.root_node]->first_rank +
		       __builtin_popcountll(nodes[h.root_node]->group.rank_mask & ((1ULL << root) - 1));
	}
	h.total = total;
	h.count = chunk;
	for (h.sid = 0; !h.sid || h.sid * chunk < total; h.sid++) {
		Chunk c = { h, h.sid * chunk, std::min(chunk, total - h.sid * chunk), {}, {}, 0, false };

		c.h.num = chunks.size();
		c.last = c.first + c.count == total;
		for (uint32_t r = 0; r < total_ranks; r++) {
			c.give.emplace_back(c.count * size);
			rng.fill(c.give.back().data(), c.give.back().size());
		}
		if (h.opcode == TALLY_OPCODE_BCAST)
			c.result = c.give[root];
		else if (h.opcode != TALLY_OPCODE_BARRIER)
			c.result = combine(h, c.give, c.count, total_ranks);
		chunks.push_back(c);
	}
}

// ---- One node ----

Node::Node(World &world, unsigned int index) : w(world), index(index), in_go_(world.rng), out_go_(world.rng)
{
	group.node = index;
	group.nodes = w.tree.size();
	group.root = !index;
	group.parent = index ? TALLY_CONTRIB_PARENT : 0xff;
	group.left = group.nodes > 1 ? Contributors - 2 : 0xff;
	group.right = group.nodes > 1 ? Contributors - 1 : 0xff;
	group.edges = Contributors;
	neighbour.assign(TALLY_CONTRIB_PARENT + 1, -1);
	for (unsigned int n = index + 1, at = 0; n < group.nodes && w.tree[n] > w.tree[index]; n++) {
		if (w.tree[n] == w.tree[index] + 1) {
			neighbour[at] = n;
			group.first[at] = n;
			group.children |= 1ULL << at++;
		}
		group.count[at - 1]++;
	}
	for (unsigned int n = index; n > 0; n--)
		if (w.tree[n - 1] + 1 == w.tree[index]) {
			neighbour[TALLY_CONTRIB_PARENT] = n - 1;
			break;
		}
	neighbour[Contributors - 2] = (index + group.nodes - 1) % group.nodes;
	neighbour[Contributors - 1] = (index + 1) % group.nodes;
	group.rank_mask = 1 + w.rng.below((1 << Ranks) - 1);
	ranks = __builtin_popcountll(group.rank_mask);
	first_rank = w.total_ranks;
	w.total_ranks += ranks;
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

// Lets all ranks of this node post a chunk, one by one or together, and give their data.
void Node::post(Chunk &c)
{
	uint64_t left = group.rank_mask;
	unsigned int rank = first_rank;
	Op op;

	op.h = c.h;
	while (left) {
		op.op = OP_POST;
		op.data.clear();
		op.ranks = w.rng.one_in(2) ? left : left & -left;
		left &= ~op.ranks;
		local.push_back(op);
		for (uint64_t some = op.ranks; some; some &= some - 1, rank++) {
			uint8_t r = __builtin_ctzll(some);

			if (c.h.opcode == TALLY_OPCODE_BCAST && (c.h.root_node != index || c.h.root_rank != r))
				continue;
			Op give = op;
			give.op = OP_DATA;
			give.edge = r;
			give.data = c.give[rank];
			local.push_back(give);
		}
	}
}

void Node::offer(const Op &op)
{
	now_ = op;
	asked.push_back(op); // a refusal may come before the last word is taken
	offering_ = true;
	word_ = 0;
}

void Node::drive()
{
	unsigned int words;

	if (!offering_ && in_go_.go()) {
		bool may_post = !local.empty() && (local.front().op != OP_POST || dut.post_ready_o);
		auto ready = std::find_if(net.begin(), net.end(), [&](const Op &op) { return op.at <= w.now; });

		if (ready != net.end() && (!may_post || w.rng.one_in(2))) {
			offer(*ready);
			net.erase(ready);
		} else if (may_post) {
			offer(local.front());
			local.pop_front();
		}
	}
	words = std::max<unsigned int>(1, (now_.data.size() + word_bytes - 1) / word_bytes);
	dut.in_tvalid_i = offering_;
	dut.in_op_i = now_.op;
	dut.in_group_i = index_of_group;
	pack_header(now_.h, dut.in_message_i);
	dut.in_last_i = now_.last;
	dut.in_bytes_i = now_.data.size();
	dut.in_err_vector_i = now_.err;
	dut.in_edge_i = now_.edge;
	dut.in_ranks_i = now_.ranks;
	dut.in_rank_i = now_.rank;
	dut.in_sum_i = now_.sum;
	auto *data = reinterpret_cast<uint8_t *>(&dut.in_tdata_i);
	dut.in_tkeep_i = 0;
	for (unsigned int k = 0; k < word_bytes && word_ * word_bytes + k < now_.data.size(); k++) {
		data[k] = now_.data[word_ * word_bytes + k];
		dut.in_tkeep_i |= 1 << k;
	}
	dut.in_tlast_i = word_ + 1 == words;
	dut.out_tready_i = out_go_.go();
	dut.cmd_valid_i = commanding_ || raised < done + GroupSegs;
	dut.cmd_raise_i = 1;
	dut.cmd_group_i = index_of_group;
	commanding_ = dut.cmd_valid_i;
}

// An operation was answered: the sender of a packet gets its acknowledgement, or sends again.
void Node::answered()
{
	CHECK(!asked.empty(), "node %u: an answer to nothing", index);
	Op op = asked.front();

	asked.pop_front();
	if (op.op == OP_REDUCE || op.op == OP_RESULT) {
		CHECK(dut.answer_o <= ANSWER_WINDOW, "node %u: a packet of chunk %u is answered %d", index, op.h.num, dut.answer_o);
		if (dut.answer_o == ANSWER_WINDOW) {
			op.at = w.now + 100;
			net.push_back(op);
		} else if (op.from >= 0) {
			for (Op &ack : op.acks)
				w.nodes[op.from]->net.push_back(ack);
		}
		return;
	}
	if (op.op == OP_POST)
		w.chunk(op.h.num).posted += __builtin_popcountll(op.ranks);
	CHECK(dut.answer_o == ANSWER_STORED, "node %u: operation %d on chunk %u is answered %d, status %d", index, op.op, op.h.num,
	      dut.answer_o, dut.answer_status_o);
}

// A packet or a result has left.
void Node::packet_out()
{
	const Header h = unpack_header(dut.out_message_o);
	Chunk &c = w.chunk(h.num);
	Op ack;

	CHECK(h.num < w.chunks.size() && h.mid == c.h.mid && h.sid == c.h.sid && h.total == c.h.total && h.first == c.first &&
		      h.count == c.count && h.opcode == c.h.opcode && h.mode == c.h.mode,
	      "node %u: wrong header of chunk %u", index, h.num);
	CHECK(dut.out_group_o == index_of_group, "node %u: wrong group", index);
	CHECK(out_.size() == c.result.size(), "node %u: %zu bytes of chunk %u", index, out_.size(), h.num);
	ack.op = OP_TAKEN;
	ack.h = h;
	ack.at = w.now + w.rng.below(200);
	if (dut.out_kind_o != SEND_SUM)
		CHECK(out_ == c.result, "node %u, mode %d, opcode %d, op %d, type %x: wrong result of chunk %u", index, h.mode,
		      h.opcode, h.op, h.dtype, h.num);
	if (dut.out_kind_o == SEND_RANKS) {
		CHECK(c.posted == w.total_ranks || h.opcode == TALLY_OPCODE_BCAST || h.opcode == TALLY_OPCODE_REDUCE,
		      "node %u: chunk %u is delivered before all have posted it", index, h.num);
		CHECK(!(got[h.num] & dut.out_ranks_o), "node %u: a second result of chunk %u", index, h.num);
		got[h.num] |= dut.out_ranks_o;
		for (uint64_t left = dut.out_ranks_o; left; left &= left - 1) {
			ack.rank = true;
			ack.edge = __builtin_ctzll(left);
			net.push_back(ack);
		}
		return;
	}
	int to = neighbour[dut.out_edge_o];
	bool ring = h.mode == TALLY_MODE_RING;
	Op p;

	CHECK(to >= 0, "node %u: a packet to edge %d", index, dut.out_edge_o);
	p.op = dut.out_kind_o == SEND_SUM ? OP_REDUCE : OP_RESULT;
	p.h = h;
	p.last = c.last;
	p.data = out_;
	p.err = dut.out_err_vector_o;
	p.from = index;
	for (unsigned int e = 0; e < w.nodes[to]->neighbour.size(); e++)
		if (w.nodes[to]->neighbour[e] == int(index) &&
		    (ring ? e == Contributors - 2 : e < Contributors - 2 || e == TALLY_CONTRIB_PARENT))
			p.edge = e;
	p.at = w.now + w.rng.below(300);
	ack.sum = p.op == OP_REDUCE;
	ack.edge = ack.sum ? 0 : dut.out_edge_o;
	p.acks = { ack };
	w.nodes[to]->net.push_back(p);
	if (w.rng.one_in(8)) { // the same once more
		p.acks.clear();
		p.at += w.rng.below(600);
		w.nodes[to]->net.push_back(p);
	}
}

void Node::sent()
{
	for (unsigned int k = 0; k < word_bytes && dut.out_tkeep_o >> k & 1; k++)
		out_.push_back(reinterpret_cast<uint8_t *>(&dut.out_tdata_o)[k]);
	if (!dut.out_tlast_o)
		return;
	packet_out();
	out_.clear();
	w.moved = w.now;
}

void Node::observe()
{
	if (dut.answer_valid_o)
		answered();
	if (dut.moved_valid_o) {
		CHECK(dut.moved_ok_o && dut.moved_group_o == index_of_group, "node %u: a command is refused", index);
		limit = dut.moved_limit_o;
		done = dut.moved_done_o;
		w.moved = w.now;
	}
	if (dut.out_tvalid_o && dut.out_tready_i)
		sent();
	if (dut.cmd_valid_i && dut.cmd_ready_o) {
		raised++;
		commanding_ = false;
	}
	if (dut.in_tvalid_i && dut.in_tready_o) {
		word_++;
		if (dut.in_tlast_i)
			offering_ = false;
	}
	while (posted < w.chunks.size() && posted < limit && local.size() < 8)
		post(w.chunk(posted++));
}

// ---- All nodes ----

static void tick(World &w)
{
	for (auto &n : w.nodes)
		n->settle();
	for (auto &n : w.nodes)
		n->clock(1);
	for (auto &n : w.nodes)
		n->clock(0);
	w.now++;
	w.bench.tick();
}

static void configure(World &w, Node &n)
{
	tally::Divisor d = tally::divisor_of(w.total_ranks);

	n.dut.group_write_i = 1;
	n.dut.group_index_i = index_of_group;
	pack_group(n.group, n.dut.group_i);
	n.dut.group_edges_i = n.group.edges;
	n.dut.group_mtu_i = most_bytes;
	n.dut.inverse_write_i = 1;
	n.dut.inverse_group_i = index_of_group;
	n.dut.inverse_down_i = d.down;
	std::memcpy(&n.dut.inverse_i, &d.inverse, sizeof(n.dut.inverse_i));
}

void World::begin()
{
	nodes.clear();
	chunks.clear();
	total_ranks = 0;
	do
		tree = random_tree(rng, 5);
	while (std::count(tree.begin(), tree.end(), 1) > int(Contributors) - 2);
	for (unsigned int i = 0; i < tree.size(); i++)
		nodes.push_back(std::make_unique<Node>(*this, i));
	for (auto &n : nodes) {
		n->dut.rst_ni = 1;
		n->settle(); // so that the reset has an edge
		n->dut.rst_ni = 0;
		n->dut.in_tvalid_i = n->dut.cmd_valid_i = n->dut.out_tready_i = 0;
	}
	tick(*this);
	tick(*this);
	for (auto &n : nodes) {
		n->dut.rst_ni = 1;
		configure(*this, *n);
	}
	for (unsigned int e = 0; e < Contributors; e++) {
		for (auto &n : nodes) {
			n->dut.route_write_i = 1;
			n->dut.route_group_i = index_of_group;
			n->dut.route_edge_i = e;
			n->dut.route_first_i = n->group.first[e];
			n->dut.route_count_i = n->group.count[e];
		}
		tick(*this);
	}
	for (auto &n : nodes)
		n->dut.group_write_i = n->dut.route_write_i = n->dut.inverse_write_i = 0;
	for (auto &n : nodes) { // the epoch begins
		n->dut.cmd_valid_i = 1;
		n->dut.cmd_raise_i = 0;
		n->dut.cmd_group_i = index_of_group;
	}
	tick(*this);
	for (auto &n : nodes)
		n->dut.cmd_valid_i = 0;
	for (int i = 0; i < 8; i++)
		tick(*this);
}

void World::run(unsigned int messages)
{
	begin();
	for (unsigned int mid = 0; mid < messages; mid++)
		add_message(mid);
	moved = now;
	for (bool all = false; !all;) {
		for (auto &n : nodes)
			n->drive();
		for (auto &n : nodes)
			n->settle();
		for (auto &n : nodes)
			n->observe();
		tick(*this);
		all = true;
		for (auto &n : nodes)
			all = all && n->done == chunks.size();
		CHECK(now < moved + 20000, "nothing moves");
	}
	for (auto &c : chunks)
		for (auto &n : nodes) {
			uint64_t due = n->group.rank_mask;
			uint64_t root = c.h.root_node == n->index ? 1ULL << c.h.root_rank : 0;

			if (c.h.opcode == TALLY_OPCODE_REDUCE)
				due = root;
			else if (c.h.opcode == TALLY_OPCODE_BCAST)
				due &= ~root;
			CHECK(n->got[c.h.num] == due, "node %u: chunk %u reached the ranks %llx, not %llx", n->index, c.h.num,
			      (unsigned long long)n->got[c.h.num], (unsigned long long)due);
		}
}

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("store", argc, argv);
	World world(bench);

	bench.dut->in_tvalid_i = bench.dut->cmd_valid_i = 0;
	bench.reset();
	for (uint64_t left = bench.times(6); left; left--)
		world.run(16);
	world.end();
	return bench.finish();
}
