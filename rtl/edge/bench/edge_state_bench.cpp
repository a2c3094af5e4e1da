// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_edge_state: edges of several groups get rows, open and close, hear their neighbours and tell them values,
// while groups move and are walked, and who is asked for rows and who tells stalls. Answers and what each walk tells must
// be those of the C model for the same edge at that time.
#include <deque>
#include <optional>
#include <vector>

#include "Vdut.h"
#include "bench.h"
#include "edge_state_model.h"

// tally_edge_pkg::state_op_e
enum { CLOSE, RENEW, OPEN, SETTLE, HEARD, ASK, TELL, NUM_OPS, ASK_MESSAGE = NUM_OPS };

constexpr unsigned int none = ~0u;
constexpr unsigned int last_edge = EdgesOf - 1;	// that of a parent besides the contributors

// The number of an edge in the model.
unsigned int model(unsigned int edge)
{
	return edge == last_edge ? STATE_MODEL_PARENT : edge;
}

struct Answer {
	uint64_t at;	// cycle
	unsigned int op;
	bool open, may, raised;
	uint32_t done;
	uint16_t limit;
};

struct Op {
	unsigned int kind, group, edge;
	uint32_t done, limit;
	bool gives;
};

struct Group {
	struct state_model_group what;
	uint32_t done, limit;
	bool posted;
	std::vector<unsigned int> edges;	// in the order of a walk
};

struct Walk {
	unsigned int group;
	bool soon;
	size_t next;	// edge to be looked at
};

class State {
public:
	State(int argc, char **argv)
		: bench("edge_state", argc, argv), dut(*bench.dut), rng(bench.rng), ops(rng), moves(rng), looks(rng), tells(rng), walks(rng)
	{
		state_model_init();
	}
	int run();

private:
	void restart();
	void cycle();
	void configure(unsigned int group);
	void replace(unsigned int group);
	void move(unsigned int group);
	void new_op();
	uint32_t near(uint32_t number) { return number + rng.below(9) - 4; }
	void give_row(unsigned int group, unsigned int edge);
	void carry_out(const Op &op);
	void check_answer();
	void drive();
	void look_up();
	void check_walk();
	void ended();
	void decide();

	tally::Bench<Vdut> bench;
	Vdut &dut;
	tally::Rng &rng;
	tally::Throttle ops, moves, looks, tells, walks;
	Group groups[Groups];
	unsigned int row_of[Groups][EdgesOf];
	bool renewed[Groups][EdgesOf];	// since it got the row: before that, nothing is known of it
	std::vector<unsigned int> free_rows;
	std::optional<Op> op;
	std::deque<Answer> answers;
	std::optional<Walk> walk;
	bool moved = false;
	// What was looked for one and two cycles ago, or three, and whether its neighbour must be told.
	unsigned int looked = none, read = none;
	bool compared = false, must_tell = false, telling = false;
	uint64_t told[2] = {}, silent[2] = {}, mays = 0, may_nots = 0, missing = 0, raises = 0, messages[2] = {};
};

void State::configure(unsigned int group)
{
	Group &g = groups[group];
	unsigned int edges = rng.below(EdgesOf);
	int parent = rng.one_in(3) ? -1 : STATE_MODEL_PARENT;
	uint64_t peers = rng.next() & ((1ull << edges) - 1);

	if (parent < 0 && edges && rng.one_in(2))
		parent = rng.below(edges);	// a contributor or a peer
	g.what = { edges, peers, parent, rng.one_in(2), uint32_t(1 + rng.below(6)) };
	state_model_group(group, &g.what);
	g.edges.clear();
	for (unsigned int i = 0; i < edges; i++)
		g.edges.push_back(i);
	if (parent == STATE_MODEL_PARENT)
		g.edges.push_back(last_edge);
	dut.group_write_i = 1;
	dut.group_index_i = group;
	dut.group_edges_i = edges;
	dut.group_parent_i = parent == STATE_MODEL_PARENT;
	dut.group_borrows_i = g.what.borrows;
}

// The group is released, and its number given to another one.
void State::replace(unsigned int group)
{
	for (unsigned int edge = 0; edge < EdgesOf; edge++)
		if (row_of[group][edge] != none)
			give_row(group, edge);
	configure(group);
}

void State::move(unsigned int group)
{
	Group &g = groups[group];

	g.done = rng.one_in(20) ? rng.next() : g.done + rng.below(4);
	g.limit = g.done + (rng.one_in(10) ? rng.below(65536) : rng.below(12));
	g.posted = rng.one_in(2);
	state_model_moved(group, g.done, g.limit);
	dut.moved_valid_i = 1;
	dut.moved_group_i = group;
	dut.moved_done_i = g.done;
	dut.moved_limit_i = g.limit;
	dut.moved_posted_i = g.posted;
}

void State::restart()
{
	dut.op_valid_i = dut.moved_valid_i = dut.group_write_i = dut.walk_valid_i = dut.look_ready_i = dut.tell_ready_i = 0;
	op.reset();
	answers.clear();
	walk.reset();
	looked = read = none;
	compared = must_tell = telling = false;
	bench.reset();
	free_rows.clear();
	for (unsigned int row = 0; row < Rows; row++)
		free_rows.push_back(row);
	for (unsigned int i = 0; i < Groups; i++) {
		for (unsigned int &row : row_of[i])
			row = none;
		configure(i);
		move(i);
		bench.tick();
		dut.group_write_i = dut.moved_valid_i = 0;
	}
}

// An edge gets a row, or gives it back. A row that somebody gets is closed first.
void State::give_row(unsigned int group, unsigned int edge)
{
	unsigned int &row = row_of[group][edge];

	if (row != none) {
		free_rows.push_back(row);
		row = none;
		state_model_close(group, model(edge));
	} else if (!free_rows.empty()) {
		size_t i = rng.below(free_rows.size());

		row = free_rows[i];
		free_rows.erase(free_rows.begin() + i);
		renewed[group][edge] = false;
		op = { CLOSE, group, edge, 0, 0, false };
	}
}

void State::new_op()
{
	unsigned int group = rng.below(Groups);
	const Group &g = groups[group];

	if (g.edges.empty())
		return;
	unsigned int edge = g.edges[rng.below(g.edges.size())];

	if (row_of[group][edge] == none || rng.one_in(60)) {
		if (looked == none && read == none && !compared && !telling)
			give_row(group, edge);
		return;
	}
	Op o = { unsigned(rng.below(NUM_OPS)), group, edge, 0, 0, state_model_gives(group, model(edge)) };

	if (o.kind <= OPEN && !rng.one_in(8))
		o.kind = rng.one_in(2) ? HEARD : ASK;
	if (!state_model_is_open(group, model(edge)) && rng.one_in(2))
		o.kind = OPEN;
	if (o.kind == ASK && rng.one_in(4))
		o.kind = ASK_MESSAGE;
	if (!renewed[group][edge])
		o.kind = RENEW;
	renewed[group][edge] = true;
	if (o.kind == RENEW)
		o.limit = g.what.segs;
	else if (o.kind == OPEN)
		o.limit = near(g.limit);
	else
		o.done = near(o.kind == ASK ? g.limit : g.done);
	if (o.kind == HEARD)
		o.limit = rng.one_in(50) ? rng.below(65536) : rng.below(12);
	op = o;
}

void State::carry_out(const Op &o)
{
	unsigned int edge = model(o.edge);
	Answer a = { bench.cycle() + 2, o.kind, false, false, false, 0, 0 };

	switch (o.kind) {
	case CLOSE:
		state_model_close(o.group, edge);
		break;
	case RENEW:
		state_model_renew(o.group, edge);
		break;
	case OPEN:
		state_model_open(o.group, edge, o.limit);
		break;
	case SETTLE:
		if (state_model_is_open(o.group, edge))	// the firmware settles no other one
			state_model_settle(o.group, edge);
		break;
	case HEARD:
		a.raised = state_model_heard(o.group, edge, o.done, o.limit);
		break;
	case ASK:
		a.may = state_model_may_send(o.group, edge, o.done);
		break;
	case ASK_MESSAGE:
		a.may = state_model_may_message(o.group, edge);
		break;
	case TELL:
		state_model_tell(o.group, edge, &a.done, &a.limit);
		break;
	}
	a.open = state_model_is_open(o.group, edge);
	answers.push_back(a);
}

void State::check_answer()
{
	bool due = !answers.empty() && answers.front().at == bench.cycle();

	CHECK(dut.answer_valid_o == due, "answer_valid_o is %d", dut.answer_valid_o);
	CHECK(!due || dut.busy_o, "not busy with an answer");
	if (!due)
		return;
	const Answer &a = answers.front();

	CHECK(dut.answer_open_o == a.open, "op %u: open is %d", a.op, dut.answer_open_o);
	CHECK(dut.answer_raised_o == a.raised, "op %u: raised is %d", a.op, dut.answer_raised_o);
	CHECK((a.op != ASK && a.op != ASK_MESSAGE) || dut.answer_may_o == a.may, "may is %d", dut.answer_may_o);
	CHECK(a.op != TELL || (dut.answer_done_o == a.done && (dut.answer_limit_o & 0xffff) == a.limit),
	      "tells done %u and limit %u, not %u and %u", dut.answer_done_o, dut.answer_limit_o, a.done, a.limit);
	mays += a.may;
	may_nots += a.op == ASK && !a.may;
	messages[a.may] += a.op == ASK_MESSAGE;
	raises += a.raised;
	answers.pop_front();
}

void State::drive()
{
	dut.group_write_i = dut.moved_valid_i = 0;
	if (!walk && rng.one_in(500)) {
		unsigned int group = rng.below(Groups);

		if (!op || op->group != group)
			replace(group);
	} else if (!walk && walks.go()) {
		walk = { unsigned(rng.below(Groups)), bool(rng.one_in(2)), 0 };
	}
	if (!op && ops.go())
		new_op();
	if (moves.go() && rng.one_in(4))
		move(rng.below(Groups));
	dut.op_valid_i = op.has_value();
	if (op) {
		dut.op_i = op->kind;
		dut.op_row_i = row_of[op->group][op->edge];
		dut.op_group_i = op->group;
		dut.op_done_i = op->done;
		dut.op_limit_i = op->limit;
		dut.op_gives_i = op->gives;
	}
	dut.walk_valid_i = walk.has_value();
	if (walk) {
		dut.walk_group_i = walk->group;
		dut.walk_soon_i = walk->soon;
	}
	dut.look_ready_i = looks.go();
	dut.tell_ready_i = tells.go();
	look_up();
}

// Answers of tally_edge_rows: the row a cycle after the question, and another one later, whether there is one.
void State::look_up()
{
	dut.look_row_i = rng.below(Rows);
	dut.look_found_i = rng.one_in(2);
	if (looked != none && row_of[walk->group][looked] != none)
		dut.look_row_i = row_of[walk->group][looked];
	if (read != none)
		dut.look_found_i = row_of[walk->group][read] != none;
}

// What the model says of the edge whose row is being read.
void State::decide()
{
	const Group &g = groups[walk->group];
	unsigned int edge = model(looked);
	bool found = row_of[walk->group][looked] != none;

	missing += !found;
	must_tell = found && (walk->soon ? state_model_has_news(walk->group, edge) :
					   state_model_hurries(walk->group, edge, g.posted));
	if (found && state_model_is_open(walk->group, edge))
		(must_tell ? told : silent)[walk->soon]++;
}

// All edges have been looked at.
void State::ended()
{
	const Group &g = groups[walk->group];

	CHECK(walk->next == g.edges.size() || (!walk->soon && !g.what.borrows && !walk->next),
	      "a walk of %zu edges ends after %zu", g.edges.size(), walk->next);
	walk.reset();
}

void State::check_walk()
{
	bool looks_now = dut.look_valid_o && dut.look_ready_i;

	CHECK(dut.tell_valid_o == telling, "tell_valid_o is %d", dut.tell_valid_o);
	if (dut.look_valid_o) {
		CHECK(walk && looked == none && read == none && !compared && !telling, "a row is looked for");
		const Group &g = groups[walk->group];

		CHECK(walk->soon || g.what.borrows, "a group that does not borrow is walked at once");
		CHECK(walk->next < g.edges.size() && dut.look_edge_o == g.edges[walk->next] && dut.look_group_o == walk->group,
		      "the row of edge %u is looked for", dut.look_edge_o);
	}
	if (telling) {
		unsigned int edge = groups[walk->group].edges[walk->next - 1];

		CHECK(dut.tell_group_o == walk->group && dut.tell_edge_o == edge && dut.tell_row_o == row_of[walk->group][edge],
		      "edge %u is told", dut.tell_edge_o);
		telling = !dut.tell_ready_i;
	}
	CHECK(!walk || !walk->next || dut.busy_o, "not busy with a walk");
	if (compared)
		telling = must_tell;
	compared = read != none;
	read = looked;
	if (looked != none)
		decide();
	looked = looks_now ? dut.look_edge_o : none;
	walk->next += looks_now;
}

void State::cycle()
{
	drive();
	bench.settle();
	bool taken = op && dut.op_ready_o, walked = dut.walk_ready_o;

	CHECK(dut.op_ready_o == (looked == none), "op_ready_o is %d", dut.op_ready_o);
	check_answer();
	CHECK(!walked || walk, "no walk is taken");
	if (walk) {
		check_walk();
		CHECK(!walked || (!telling && !compared && looked == none && read == none), "a walk ends too early");
	} else {
		CHECK(!dut.look_valid_o && !dut.tell_valid_o, "something is walked");
	}
	if (walked)
		ended();
	if (taken) {
		carry_out(*op);
		op.reset();
	}
	bench.tick();
}

int State::run()
{
	bench.live(bench.times(60000), [this] { restart(); }, [this] { cycle(); });
	for (unsigned int soon = 0; soon < 2; soon++)
		CHECK(told[soon] > 200 && silent[soon] > 200, "walk %u: %llu are told, %llu are not", soon,
		      (unsigned long long)told[soon], (unsigned long long)silent[soon]);
	CHECK(messages[0] > 100 && messages[1] > 100, "messages: %llu may, %llu may not", (unsigned long long)messages[1],
	      (unsigned long long)messages[0]);
	CHECK(mays > 300 && may_nots > 300 && missing > 100 && raises > 300, "%llu may, %llu may not, %llu without a row, %llu raised",
	      (unsigned long long)mays, (unsigned long long)may_nots, (unsigned long long)missing, (unsigned long long)raises);
	return bench.finish();
}

int main(int argc, char **argv)
{
	return State(argc, argv).run();
}
