// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_route: random groups, whose tables change between requests. Compares each answer with group_route() of
// the model, and counts the clocks that a request takes.
#include <vector>

#include "Vdut.h"
#include "plan_model.h"
#include "plan_world.h"

static_assert(Contributors == PLAN_MAX_EDGES, "the model's number of edges");

class Tester {
public:
	explicit Tester(tally::Bench<Vdut> &bench) : bench_(bench), dut_(*bench.dut), rng_(bench.rng)
	{
		for (unsigned int g = 0; g < Groups; g++)
			create(g);
	}
	void create(unsigned int index);
	void ask();
	void finish()
	{
		dut_.out_ready_i = 1;
		while (waiting_)
			cycle();
	}

private:
	struct Request {
		int route;
		uint16_t tag;
		uint64_t at;
		unsigned int steps;
	};

	void cycle();
	uint16_t node_for(const plan_group &g);

	tally::Bench<Vdut> &bench_;
	Vdut &dut_;
	tally::Rng &rng_;
	tally::Throttle go_{ rng_ }, ready_{ rng_ };
	plan_group groups_[Groups] = {};
	std::vector<Request> asked_;
	bool waiting_ = false;
	uint16_t tag_ = 0;
	bool held_ = false; /* an answer was offered, and not taken */
	uint64_t free_at_ = 0;
};

// Writes the table of a new group. Entries behind its contributors keep their values.
void Tester::create(unsigned int index)
{
	const Tree tree = random_tree(rng_, 80);
	plan_group &g = groups_[index];

	g = group_of(rng_, tree, rng_.one_in(2) ? 0 : rng_.below(tree.size()));
	finish();
	for (unsigned int edge = 0; edge < g.edges; edge++) {
		dut_.write_i = 1;
		dut_.write_group_i = index;
		dut_.write_edge_i = edge;
		dut_.write_first_i = g.first[edge];
		dut_.write_count_i = g.count[edge];
		cycle();
	}
	dut_.write_i = 0;
}

// A node, often one at the ends of a range.
uint16_t Tester::node_for(const plan_group &g)
{
	unsigned int edge;

	if (!g.edges || rng_.one_in(3))
		return rng_.below(g.nodes + 2);
	edge = rng_.below(g.edges);
	return rng_.one_in(2) ? g.first[edge] + rng_.below(3) - 1 : g.first[edge] + g.count[edge] - rng_.below(2);
}

void Tester::ask()
{
	unsigned int index = rng_.below(Groups);
	const plan_group &g = groups_[index];
	uint16_t node = node_for(g);
	Request r = {};

	plan_model_group(&g);
	r.route = plan_model_route(node);
	r.tag = tag_;
	r.steps = r.route >= 0 ? r.route / Lanes + 1 : g.edges ? (g.edges + Lanes - 1) / Lanes : 1;
	while (!go_.go())
		cycle();
	dut_.in_valid_i = 1;
	dut_.in_group_i = index;
	dut_.in_edges_i = g.edges;
	dut_.in_node_i = node;
	dut_.in_tag_i = tag_++;
	asked_.push_back(r);
	waiting_ = true;
	for (bool taken = false; !taken;) {
		dut_.out_ready_i = ready_.go();
		bench_.settle();
		taken = dut_.in_ready_o;
		if (taken)
			asked_.back().at = bench_.cycle();
		cycle();
	}
	dut_.in_valid_i = 0;
}

void Tester::cycle()
{
	bench_.settle();
	CHECK(!held_ || dut_.out_valid_o, "an answer is withdrawn");
	if (dut_.out_valid_o) {
		CHECK(!asked_.empty(), "an answer without a request");
		const Request &r = asked_.front();

		CHECK(dut_.out_tag_o == r.tag, "tag %d, not %d", dut_.out_tag_o, r.tag);
		CHECK(dut_.out_found_o == (r.route >= 0), "found is %d", dut_.out_found_o);
		CHECK(r.route < 0 || dut_.out_edge_o == r.route, "edge %d, not %d", dut_.out_edge_o, r.route);
		if (!held_)
			CHECK(bench_.cycle() == std::max(r.at + 1 + r.steps, free_at_), "%u steps take %u clocks", r.steps,
			      unsigned(bench_.cycle() - r.at));
	}
	held_ = dut_.out_valid_o && !dut_.out_ready_i;
	if (dut_.out_valid_o && dut_.out_ready_i) {
		asked_.erase(asked_.begin());
		free_at_ = bench_.cycle() + 1;
	}
	waiting_ = !asked_.empty();
	bench_.tick();
}

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("route", argc, argv);

	bench.dut->in_valid_i = bench.dut->write_i = 0;
	bench.dut->out_ready_i = 0;
	bench.reset();
	Tester tester(bench);
	for (uint64_t left = bench.times(1000); left; left--) {
		for (int i = 0; i < 30; i++)
			tester.ask();
		tester.create(bench.rng.below(Groups));
	}
	tester.finish();
	return bench.finish();
}
