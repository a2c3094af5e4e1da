// SPDX-License-Identifier: BSD-2-Clause
// The sides of tally_wqe and of tally_wqe_lists that are the same: words of an entry, accesses to be checked, and what
// leaves of inline data and lists.
#ifndef TALLY_RTL_WQE_PORTS_H
#define TALLY_RTL_WQE_PORTS_H

#include <cstring>
#include <deque>
#include <vector>

#include "bench.h"
#include "wqe_record.h"

struct Access {
	uint64_t addr;
	uint32_t length, lkey;
	bool write;

	bool operator==(const Access &a) const
	{
		return addr == a.addr && length == a.length && lkey == a.lkey && write == a.write;
	}
};

struct Word {
	uint8_t data[64];
	bool last, error;
};

// A request whose lists nobody looks at.
inline bool is_bare(const model_request &r)
{
	return r.opcode == TALLY_OPCODE_QUERY || r.opcode == TALLY_OPCODE_ABORT;
}

// The accesses of a good request.
inline std::vector<Access> accesses_of(const model_request &r)
{
	std::vector<Access> all;

	if (is_bare(r))
		return all;
	if (r.flags & TALLY_WQE_F_FLAG_WORD)
		all.push_back({ r.flag_addr, 4, r.flag_lkey, true });
	for (unsigned int i = 0; i < r.num_gather; i++)
		all.push_back({ r.gather[i].addr, r.gather[i].length, r.gather[i].lkey, false });
	for (unsigned int i = 0; i < r.num_result; i++)
		all.push_back({ r.result[i].addr, r.result[i].length, r.result[i].lkey, true });
	return all;
}

template <typename Dut> class Ports {
public:
	explicit Ports(tally::Bench<Dut> &bench) : bench_(bench), rng_(bench.rng), dut_(*bench.dut) {}

	bool stalls = true;
	std::deque<Word> words; // to come

	void no_words()
	{
		words.clear();
		offered_ = false;
	}

	// Forgets everything, before a reset.
	void forget()
	{
		no_words();
		answers_.clear();
		waits_ = false;
		idle();
	}

	void idle()
	{
		dut_.in_valid_i = dut_.chk_ready_i = dut_.ans_valid_i = 0;
	}

	void drive()
	{
		if (!offered_ && !words.empty() && go(in_))
			offered_ = true;
		dut_.in_valid_i = offered_;
		if (offered_)
			std::memcpy(&dut_.in_data_i, words.front().data, 64);
		else
			rng_.fill(&dut_.in_data_i, 64);
		dut_.chk_ready_i = go(chk_);
		dut_.ans_valid_i = !answers_.empty() && go(ans_);
		dut_.ans_status_i = dut_.ans_valid_i ? answers_.front() : rng_.below(100);
	}

	// Notes what happens in this clock. Returns whether a word was taken.
	bool take()
	{
		bool taken = dut_.in_valid_i && dut_.in_ready_o;

		if (dut_.ans_valid_i)
			answers_.pop_front();
		take_access();
		if (dut_.data_valid_o)
			std::memcpy(data_ + 64 * dut_.data_index_o, &dut_.data_o, 64);
		if (dut_.entry_valid_o) {
			auto &list = dut_.entry_result_o ? result_ : gather_;

			CHECK(dut_.entry_index_o == list.size(), "entry %d comes after %zu", dut_.entry_index_o, list.size());
			list.push_back({ dut_.entry_addr_o, 0, dut_.entry_lkey_o, false });
		}
		if (taken) {
			words.pop_front();
			offered_ = false;
		}
		return taken;
	}

	// Checks what has left of a good request.
	void check(const model_request &want) const
	{
		CHECK(accesses_ == accesses_of(want), "wrong accesses (%zu)", accesses_.size());
		CHECK(gather_.size() == (is_bare(want) ? 0 : want.num_gather) &&
			      result_.size() == (is_bare(want) ? 0 : want.num_result),
		      "%zu and %zu entries", gather_.size(), result_.size());
		for (size_t i = 0; i < gather_.size(); i++)
			CHECK(gather_[i].addr == want.gather[i].addr && gather_[i].lkey == want.gather[i].lkey, "gather entry %zu", i);
		for (size_t i = 0; i < result_.size(); i++)
			CHECK(result_[i].addr == want.result[i].addr && result_[i].lkey == want.result[i].lkey, "result entry %zu", i);
		CHECK(!std::memcmp(data_, want.data, want.inline_len), "wrong inline data");
	}

	void next_request()
	{
		CHECK(answers_.empty(), "the block does not wait for its accesses");
		accesses_.clear();
		gather_.clear();
		result_.clear();
		std::memset(data_, 0x5a, sizeof(data_));
	}

private:
	tally::Bench<Dut> &bench_;
	tally::Rng &rng_;
	Dut &dut_;
	bool offered_ = false, waits_ = false;
	Access waiting_ = {};
	std::deque<uint16_t> answers_;
	std::vector<Access> accesses_, gather_, result_;
	uint8_t data_[64 * 64];
	tally::Throttle in_{ rng_ }, chk_{ rng_ }, ans_{ rng_ };

	bool go(tally::Throttle &throttle) { return !stalls || throttle.go(); }

	void take_access()
	{
		Access a = { get_bits(dut_.chk_o, 0, 64), static_cast<uint32_t>(get_bits(dut_.chk_o, 64, 32)),
			     static_cast<uint32_t>(get_bits(dut_.chk_o, 96, 32)), get_bits(dut_.chk_o, 128, 1) != 0 };

		CHECK(!waits_ || (dut_.chk_valid_o && a == waiting_), "an access that waits has changed");
		waits_ = dut_.chk_valid_o && !dut_.chk_ready_i;
		waiting_ = a;
		if (!dut_.chk_valid_o || !dut_.chk_ready_i)
			return;
		accesses_.push_back(a);
		answers_.push_back(model_access(a.addr, a.length, a.lkey, a.write));
		CHECK(answers_.size() <= Accesses, "%zu accesses in flight", answers_.size());
	}
};

#endif
