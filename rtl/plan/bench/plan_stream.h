// SPDX-License-Identifier: BSD-2-Clause
// Answers of a block that never stalls: each comes a fixed number of clocks after its question, with its tag.
#ifndef TALLY_PLAN_STREAM_H
#define TALLY_PLAN_STREAM_H

#include <deque>

#include "bench.h"

template <typename Question> class Stream {
public:
	explicit Stream(unsigned int latency) : latency_(latency) {}

	void ask(uint64_t cycle, const Question &q)
	{
		asked_.push_back({ cycle + latency_, q, tag_++ });
	}
	uint16_t tag() const { return tag_; }
	bool empty() const { return asked_.empty(); }

	// Checks that an answer is valid exactly when one is due, with the tag of its question, which it returns.
	const Question *answered(uint64_t cycle, bool valid, uint16_t tag)
	{
		bool due = !asked_.empty() && asked_.front().at == cycle;

		CHECK(valid == due, "valid is %d", valid);
		if (!due)
			return nullptr;
		CHECK(tag == asked_.front().tag, "tag %d, not %d", tag, asked_.front().tag);
		answer_ = asked_.front().question;
		asked_.pop_front();
		return &answer_;
	}

private:
	struct Asked {
		uint64_t at;
		Question question;
		uint16_t tag;
	};

	unsigned int latency_;
	uint16_t tag_ = 0;
	std::deque<Asked> asked_;
	Question answer_ = {};
};

#endif
