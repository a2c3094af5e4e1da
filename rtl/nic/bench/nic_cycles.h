// SPDX-License-Identifier: BSD-2-Clause
// Latencies of tally_nic, for `tools/rtl cycles`: of 8 bytes, in an epoch in which nothing else is under way, with a host and a
// wire that are always ready, and without what the model does beyond the boundary: completions may always enter (done_go_i).
// A clock is counted from the edge at which the last word of the cause is taken to the edge at which the first word of the
// effect is. The first chunk is not counted, since it has plans to make.
#ifndef TALLY_NIC_CYCLES_H
#define TALLY_NIC_CYCLES_H

#include "nic_sends.h"

class Cycles : public Sends {
public:
	using Sends::Sends;

	void run()
	{
		CHECK(Accesses(bench_).enter(), "a region is refused");
		connect();
		for (uint32_t num = 0; num < rounds; num++)
			round(num);
		report();
	}

protected:
	static constexpr uint32_t rounds = 3;

	virtual void round(uint32_t num) = 0;
	virtual void report() const = 0;

	void rest()
	{
		until([this] { bench_.settle(); return bool(dut_.idle_o); }, "rest");
		seen_.clear();
	}

	// The edge at which what was offered last has been taken.
	uint64_t taken_at() const { return bench_.cycle() - 1; }
};

// A leaf posts a chunk, and gets its result and a completion.
class LeafCycles : public Cycles {
public:
	using Cycles::Cycles;

private:
	uint64_t request_ = 0, post_ = 0, arrive_ = 0, result_in_ = 0, status_ = 0;	// clocks
	uint64_t took_ = 0, passed_ = 0, answered_ = 0, completed_ = 0;			// when

	bool has_child() const override { return false; }

	void watch() override
	{
		dut_.done_go_i = 1;
		if (dut_.took_valid_o)
			took_ = bench_.cycle();
		if (dut_.rec_valid_o && !passed_)
			passed_ = bench_.cycle();
		if (dut_.dma_bvalid_i && dut_.dma_bready_o)
			answered_ = bench_.cycle();
		if (completions_ && !completed_)
			completed_ = bench_.cycle();
	}

	void round(uint32_t num) override
	{
		rest();
		requests_.give(num, value(5), TALLY_WQE_F_SIGNALED);
		const uint64_t rung = taken_at();
		const Seen s = next(TALLY_KIND_REDUCE, parent);

		request_ = took_ - rung;
		post_ = s.at - rung;
		acknowledge(parent, parent.own_first + num);
		rest();
		completions_ = completed_ = passed_ = 0;
		arrive(parent, TALLY_KIND_RESULT, parent_seq_++, num, value(7));
		const uint64_t in = taken_at();

		until([this] { return completed_ != 0; }, "completion");
		arrive_ = passed_ - in;
		result_in_ = completed_ - in;
		status_ = completed_ - answered_;
	}

	void report() const override
	{
		bench_.report_cycles("request", request_);
		bench_.report_cycles("post", post_);
		bench_.report_cycles("arrive", arrive_);
		bench_.report_cycles("result", result_in_);
		bench_.report_cycles("status", status_);
	}
};

// An inner node has combined the data of its rank; the contribution of its child is the last one.
class InnerCycles : public Cycles {
public:
	using Cycles::Cycles;

private:
	uint64_t combine_ = 0, pass_ = 0;

	void round(uint32_t num) override
	{
		rest();
		requests_.give(num, value(5));
		rest();
		arrive(child, TALLY_KIND_REDUCE, child_seq_++, num, value(100));
		uint64_t in = taken_at();

		combine_ = next(TALLY_KIND_REDUCE, parent).at - in;
		acknowledge(parent, parent.own_first + num);
		rest();
		arrive(parent, TALLY_KIND_RESULT, parent_seq_++, num, value(7));
		in = taken_at();
		pass_ = next(TALLY_KIND_RESULT, child).at - in;
		acknowledge(child, child.own_first + num);
		rest();
	}

	void report() const override
	{
		bench_.report_cycles("combine", combine_);
		bench_.report_cycles("pass", pass_);
	}
};

#endif
