// SPDX-License-Identifier: BSD-2-Clause
// The nodes of the bench of tally_store, and the links between them. What the firmware reads amid the traffic must be of the chunk
// that was asked for, and must not lack what has come before.
#ifndef TALLY_STORE_WORLD_H
#define TALLY_STORE_WORLD_H

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <tuple>

#include "Vdut.h"
#include "bench.h"
#include "plan_model.h"
#include "plan_world.h"
#include "store_parts_model.h"

constexpr unsigned int word_bytes = Width / 8, most_bytes = Words * word_bytes;
constexpr unsigned int index_of_group = 1, most_nodes = 8;
constexpr unsigned int other_group = 0;	// has tables, but no chunks
// Edges: children, neighbours of rounds, the left and the right one in the ring.
constexpr unsigned int first_round_edge = 5, left_edge = Contributors - 2, right_edge = Contributors - 1;
using Bytes = std::vector<uint8_t>;

struct Header {
	uint8_t mode = 0, opcode = 0, op = 0, dtype = 0, root_rank = 0;
	uint16_t root_node = 0;
	uint32_t num = 0, mid = 0, sid = 0, total = 0, first = 0, count = 0;
};

struct Sent {		// a packet, as its slot and the edge name it
	unsigned int slot, edge;
	bool sum;
	bool operator<(const Sent &s) const { return std::tie(slot, edge, sum) < std::tie(s.slot, s.edge, s.sum); }
};

struct Op {
	int op = 0;
	Header h;
	bool last = false, rank = false, sum = false;
	bool bad = false; // must be refused
	bool torn = false; // of a chunk about whose mode the nodes disagree
	bool stray = false; // a result that does not come from where it is expected
	bool other = false; // of the other group
	uint16_t err = 0;
	uint8_t edge = 0, round = 0;
	uint64_t ranks = 0, absent = 0, quits = 0, out = 0; // of a post
	Bytes data;
	int from = -1;	     // the node that waits for an acknowledgement
	std::vector<Op> acks; // what it gets then
	uint64_t at = 0;     // when it may enter
	uint32_t epoch = 0;
	std::optional<Sent> acked, sent; // of an acknowledgement, by acked_* or as an operation
};

struct RoundEdge { // a neighbour in a round of EXCHANGE
	int node;
	unsigned int round, position; // of its part among those that the round joins
	bool in, out;		      // it gives data, it gets data
};

struct OwnPart { // of a node in a round
	unsigned int position, parts;
};

// Edges of each node, and its own part in each round, from 1 on.
struct Rounds {
	unsigned int num = 0;
	std::vector<std::vector<RoundEdge>> edges;
	std::vector<std::vector<OwnPart>> own;
};

struct Chunk {
	Header h; // as in a request: count is that of whole chunks
	uint32_t first, count;
	Bytes result;
	uint16_t err; // of a chunk with parts: the flags of the result
	std::vector<Bytes> give; // by global rank; none: the rank gives nothing
	std::vector<bool> quits; // by global rank: it gets nothing
	uint32_t posted = 0;	 // ranks
	bool last;
};

// A packet that may leave, perhaps once more.
struct Leaving {
	Sent s;
	bool again, is_sum;
	uint16_t err;
	Header h;
};

// An acknowledgement for the store.
struct Acked {
	Sent s;
	Header h;
	bool told;	// it is told of the chunk; else it may have been cleared before, or this is the same once more
	bool again;
};

class World;

class Node {
public:
	enum { SENT, WAITS, DROPPED };
	enum State { RUNNING, ENDING, ENDED };

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
	void tear(uint32_t num);
	uint64_t who_quits(const Chunk &c) const; // of its ranks, who gets nothing
	void begin_epoch();
	// The epoch has ended, and nothing of it waits.
	bool at_rest() const { return state == ENDED && !offering_ && asked.empty() && acked_.empty() && !dut.again_valid_i; }

	Vdut &dut; // of the world, which keeps it for the node of that index in the next group
	World &w;
	unsigned int index, first_rank = 0, ranks = 0;
	State state = ENDED;
	uint32_t posted = 0, done = 0, limit = 0, raised = 0, epoch = 0;
	uint32_t writes = 0;  // results that ranks have not told to have
	uint64_t end_at = 0; // when the epoch ends, however many chunks are open
	std::map<uint32_t, uint64_t> got; // ranks by num
	std::vector<int> neighbour;	  // by edge
	std::vector<RoundEdge> rounds;	  // from first_round_edge on
	parts_rows parts[PARTS_MODES] = {}; // from TREE on
	unsigned int most_parts = 0;	    // in a mode
	std::deque<Op> local, net, asked;
	plan_group group = {};
	unsigned int subtree = 1; // number of nodes

private:
	void add_tree();
	void add_rounds();
	unsigned int edge_from(int node, const Header &h, unsigned int round) const;
	void offer(const Op &op);
	bool counts_early(const Op &op) const;
	void count_posted(const Op &op);
	void answered();
	void answer_packet(Op &op);
	void answer_own(const Op &op);
	void disagreed();
	void check_disagreement(const Op &op) const;
	template <typename Is> uint64_t ranks_that(Is is) const;
	bool is_out(const Chunk &c) const;
	void drive_op();
	void drive_command();
	void drive_sent();
	void acknowledge(const Sent &s);
	void hasten(const Sent &s);
	void drive_read();
	void read_out();
	void check_look(uint32_t num) const;
	uint64_t look(unsigned int at, unsigned int width) const;
	void asked_out();
	void acked();
	void there();
	void moved();
	void check_leaves(const Header &h, const Bytes &data);
	void sent();
	void resulted();
	void ranks_get(const Header &h);
	void send(const Leaving &l);
	void spoil(Op p, unsigned int to);
	void stray(Op p, unsigned int to);
	void offer_other(const Op &like);
	void contradict(const Op &torn);

	tally::Throttle in_go_, out_go_;
	bool offering_ = false, commanding_ = false, to_begin_ = false, to_end_ = false;
	unsigned int word_ = 0;
	Op now_;
	Bytes out_, result_;
	std::deque<Leaving> leaving_; // packets whose words are to follow
	uint64_t still_until_ = 0;	// the output stands still
	bool again_taken_ = false;
	bool told_ = false, tells_ = false; // a disagreement is offered: as in the last clock, for the first time
	std::map<Sent, Header> unacked_;
	std::deque<Acked> acked_, there_;	// to be told to the store, and by it
	std::deque<Sent> repeat_;
	// What the firmware reads: who has given data to a chunk, and which ranks have posted it, and both when the read began.
	std::map<uint32_t, uint64_t> given_, posts_, given_before_, posts_before_;
	bool reading_ = false;
	uint32_t read_index_ = 0, read_from_ = 0, read_epoch_ = 0;
};

class World {
public:
	explicit World(tally::Bench<Vdut> &bench);
	void reset();
	void begin();
	void write_routes();
	void write_parts();
	void write_row(Node &n, unsigned int i);
	void begin_epoch(unsigned int messages);
	void complete_epoch(unsigned int messages);
	void end_epoch(uint64_t at);
	void cycle();
	void check_results();
	void end()
	{
		for (auto &s : stores_)
			s->final();
	}
	Vdut &store(unsigned int index) { return *stores_[index]; }
	void add_message(unsigned int mid);
	Chunk &chunk(uint32_t num) { return chunks[num]; }
	bool has_parts(const Header &h) const;
	unsigned int contributors(const Node &n) const;

	tally::Bench<Vdut> &bench;
	tally::Rng &rng;
	std::vector<std::unique_ptr<Node>> nodes;
	std::vector<Chunk> chunks;
	Tree tree;
	Rounds rounds;
	unsigned int part_shift = 0; // log2 of the words of a part
	uint32_t total_ranks = 0;
	bool ordered = false;		  // the group is in fixed order
	std::vector<uint8_t> group_modes; // its modes
	uint64_t now = 0, moved = 0, looked = 0;	// chunks that were read while they were open
	std::vector<uint8_t> modes; // of the messages of this epoch
	bool divides = false; // its chunks are long, and all of its sums are divided
	uint32_t torn = UINT32_MAX; // the chunk about whose mode the nodes disagree; none behind it is posted

private:
	bool is_rank(uint32_t node, uint32_t rank) const;
	void leave_out(Chunk &c);
	void choose_modes();
	void choose_plan(Header &h, bool first);
	void choose_type(Header &h);
	void give_data(Chunk &c);
	void combine_rounds(Chunk &c) const;
	Bytes combine_node(Chunk &c, const Node &n, const std::map<unsigned int, Bytes> &sums) const;
	Bytes combine_tree(Chunk &c, const Node &n) const;
	Bytes combine_ring(Chunk &c) const;
	void combine_ordered(Chunk &c) const;

	Header last_; // mode, opcode and root of the last message
	// They live until the coverage has been written, as their counters are part of them.
	std::vector<std::unique_ptr<Vdut>> stores_;
};

// Returns rounds in which no node has more than so many neighbours.
Rounds random_rounds(tally::Rng &rng, unsigned int nodes, unsigned int most_edges);

// Runs the bench of this name: returns the status of the program. Before each epoch that is completed, up to `most_ended` epochs
// end amid their chunks.
int store_traffic(const char *name, unsigned int most_ended, int argc, char **argv);

#endif
