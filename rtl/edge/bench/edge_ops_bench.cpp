// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_edge_ops: packets, registers and tally_head have operations at any time, and the bench takes and answers them
// as tally_edge_state does, two clocks later. Each must be taken once, unchanged, in the order of who comes first, and its answer
// get to who has asked.
#include <deque>

#include "Vdut.h"
#include "bench.h"

enum { HEARD_OP = 4, SETTLE_OP = 3, ASK_OP = 5 };	// tally_edge_pkg::state_op_e
enum { HEARD, REG, HEAD };

struct Taken {
	uint64_t at;	// cycle of the answer
	unsigned int whose, op;
};

class Ops {
public:
	Ops(int argc, char **argv)
		: bench("edge_ops", argc, argv), dut(*bench.dut), rng(bench.rng), heards(rng), regs(rng), heads(rng), takes(rng)
	{
	}
	int run();

private:
	void restart();
	void cycle();
	void drive();
	void answer();
	void check_op();

	tally::Bench<Vdut> bench;
	Vdut &dut;
	tally::Rng &rng;
	tally::Throttle heards, regs, heads, takes;
	std::deque<Taken> inside;
	int held = -1;	// whose operation was offered, and not taken, in the clock before
	uint64_t count[3] = {}, raised = 0;
};

void Ops::restart()
{
	dut.heard_valid_i = dut.reg_valid_i = dut.head_valid_i = dut.op_ready_i = dut.answer_valid_i = 0;
	inside.clear();
	held = -1;
	bench.reset();
}

void Ops::drive()
{
	if (!dut.heard_valid_i && heards.go() && rng.one_in(2)) {
		dut.heard_valid_i = 1;
		dut.heard_row_i = rng.below(Rows);
		dut.heard_done_i = rng.next();
		dut.heard_limit_i = rng.next();
	}
	if (!dut.reg_valid_i && regs.go() && rng.one_in(2)) {
		dut.reg_valid_i = 1;
		dut.reg_op_i = rng.below(HEARD_OP);
		dut.reg_row_i = rng.below(Rows);
		dut.reg_group_i = rng.below(Groups);
		dut.reg_limit_i = rng.next();
		dut.reg_gives_i = rng.one_in(2);
	}
	if (!dut.head_valid_i && heads.go()) {
		dut.head_valid_i = 1;
		dut.head_op_i = ASK_OP + rng.below(2);
		dut.head_row_i = rng.below(Rows);
		dut.head_group_i = rng.below(Groups);
		dut.head_num_i = rng.next();
	}
	dut.op_ready_i = takes.go();
}

void Ops::answer()
{
	dut.answer_valid_i = !inside.empty() && inside.front().at == bench.cycle();
	dut.answer_raised_i = rng.one_in(2);
	bench.settle();
	bool head = dut.answer_valid_i && inside.front().whose == HEAD;
	bool settles = dut.answer_valid_i && inside.front().op == SETTLE_OP;

	CHECK(dut.head_answer_o == head, "head_answer_o is %d", dut.head_answer_o);
	CHECK(dut.raised_o == (dut.answer_valid_i && (dut.answer_raised_i || settles)), "raised_o is %d", dut.raised_o);
	CHECK(dut.busy_o == (!inside.empty() && inside.back().at == bench.cycle() + 1), "busy_o is %d", dut.busy_o);
	raised += dut.raised_o;
	if (dut.answer_valid_i)
		inside.pop_front();
}

void Ops::check_op()
{
	bool any = dut.heard_valid_i || dut.reg_valid_i || dut.head_valid_i;
	unsigned int whose = held >= 0 ? held : dut.heard_valid_i ? HEARD : dut.reg_valid_i ? REG : HEAD;
	unsigned int op = whose == HEARD ? +HEARD_OP : whose == REG ? dut.reg_op_i : dut.head_op_i;

	CHECK(dut.op_valid_o == any, "op_valid_o is %d", dut.op_valid_o);
	held = -1;
	if (!any)
		return;
	CHECK(dut.op_o == op, "operation %u, not %u", dut.op_o, op);
	CHECK(dut.op_row_o == (whose == HEARD ? dut.heard_row_i : whose == REG ? dut.reg_row_i : dut.head_row_i), "another row");
	CHECK(dut.op_done_o == (whose == HEARD ? dut.heard_done_i : whose == REG ? 0 : dut.head_num_i), "another number");
	CHECK(whose == HEAD || dut.op_limit_o == (whose == HEARD ? dut.heard_limit_i : dut.reg_limit_i), "another limit");
	CHECK(whose == HEARD || dut.op_group_o == (whose == REG ? dut.reg_group_i : dut.head_group_i), "another group");
	CHECK(whose != REG || dut.op_gives_o == dut.reg_gives_i, "another role");
	CHECK(dut.heard_ready_o == (dut.op_ready_i && whose == HEARD) && dut.reg_ready_o == (dut.op_ready_i && whose == REG) &&
	      dut.head_ready_o == (dut.op_ready_i && whose == HEAD), "another one is taken");
	if (!dut.op_ready_i) {
		held = whose;
		return;
	}
	count[whose]++;
	inside.push_back({ bench.cycle() + 2, whose, op });
}

void Ops::cycle()
{
	bool heard, reg, head;

	drive();
	answer();
	check_op();
	heard = dut.heard_valid_i && dut.heard_ready_o;
	reg = dut.reg_valid_i && dut.reg_ready_o;
	head = dut.head_valid_i && dut.head_ready_o;
	bench.tick();
	dut.heard_valid_i &= !heard;
	dut.reg_valid_i &= !reg;
	dut.head_valid_i &= !head;
}

int Ops::run()
{
	bench.live(bench.times(40000), [this] { restart(); }, [this] { cycle(); });
	for (uint64_t n : count)
		CHECK(n > 1000 && raised > 1000, "%llu operations, %llu raised", (unsigned long long)n, (unsigned long long)raised);
	return bench.finish();
}

int main(int argc, char **argv)
{
	return Ops(argc, argv).run();
}
