// SPDX-License-Identifier: BSD-2-Clause
// What the bench of tally_nic knows of the packets that have a number: which edges send, what is outstanding, and what is
// still to be acknowledged, or told of a time-out.
#ifndef TALLY_NIC_NUMBERS_H
#define TALLY_NIC_NUMBERS_H

#include <map>
#include <utility>
#include <vector>

#include "bench.h"

extern "C" {
#include "engine/engine.h"
#include "gen/tally_fw_hw.h"
#include "gen/tally_hw.h"
}

struct RegisterWrite {
	uint32_t reg, value;
};

// An edge that sends: of group and number.
using EdgeName = std::pair<unsigned int, unsigned int>;

struct Sending {
	uint32_t next;				// number of the next packet whose header is taken
	std::map<uint32_t, unsigned int> held;	// references of what is not acknowledged, by number
	std::map<uint32_t, bool> owed;		// numbers that an acknowledgement has named; whether they had been taken by then
	uint32_t top;				// the newest number of the last acknowledgement,
	uint64_t seen;				// and what it has named
	unsigned int queued;			// packets whose header is not taken
	unsigned int tries;
};

class Numbers {
public:
	Numbers(tally::Rng &rng, unsigned int groups) : rng_(rng), groups_(groups) {}

	// A register was written. Commands close the edges of a group; those of one that is created may be opened.
	void written(uint32_t reg, uint32_t value)
	{
		unsigned int group = value >> 16, code = value & 0xff;

		if (reg != TALLY_FW_COMMAND_BASE + offsetof(struct tally_fw_command, go) || group >= groups_ || code == TALLY_FW_CMD_BEGIN)
			return;
		for (auto at = edges.begin(); at != edges.end();)
			at = at->first.first == group ? edges.erase(at) : std::next(at);
		created_[group] = code != TALLY_FW_CMD_RELEASE;
	}

	// Writes that open an edge, or freeze its group; none if there is no such group.
	std::vector<RegisterWrite> open(unsigned int group, unsigned int edge)
	{
		uint32_t reg = TALLY_FW_GROUP_BASE + group * TALLY_FW_GROUP_STRIDE, first = rng_.next();
		uint32_t rto = 1000000 * (1 + rng_.below(3));

		if (!created_[group] || (edges.count({ group, edge }) && !edges[{ group, edge }].held.empty()))
			return {};
		if (rng_.one_in(8))
			return { { TALLY_FW_COMMAND_BASE + offsetof(struct tally_fw_command, go), group << 16 | TALLY_FW_CMD_FREEZE } };
		edges[{ group, edge }] = { first, {}, {}, 0, 0, 0, 0 };
		return { { reg + uint32_t(offsetof(struct tally_fw_group, rto)), rto },
			 { reg + uint32_t(offsetof(struct tally_fw_group, rto)) + 4, 0 },
			 { reg + uint32_t(offsetof(struct tally_fw_group, max_backoff)), 2 * rto },
			 { reg + uint32_t(offsetof(struct tally_fw_group, max_backoff)) + 4, 0 },
			 { reg + uint32_t(offsetof(struct tally_fw_group, retry_limit)), retry_limit },
			 { reg + uint32_t(TALLY_FW_EDGE_OFFSET) + edge * uint32_t(TALLY_FW_EDGE_STRIDE) +
				   uint32_t(offsetof(struct tally_fw_edge, own_first_seq)), first } };
	}

	// An edge that may send a further packet, or another one.
	bool some_edge(EdgeName &name)
	{
		if (edges.empty() || rng_.one_in(16)) {
			name = { rng_.below(groups_), rng_.below(TALLY_MAX_CONTRIBUTORS + 1) };
			return edges.count(name) == 0 && created_[name.first];
		}
		auto at = edges.begin();

		std::advance(at, rng_.below(edges.size()));
		name = at->first;
		Sending &s = at->second;
		uint32_t oldest = s.held.empty() ? s.next : oldest_of(s);

		if (s.next - oldest + s.queued >= TALLY_EDGE_WINDOW)
			return false;
		s.queued++;
		return true;
	}

	// A header is taken. Returns whether the packet leaves, and its number.
	bool take(const EdgeName &name, unsigned int ref, uint32_t &seq)
	{
		auto at = edges.find(name);

		if (at == edges.end())
			return false;
		Sending &s = at->second;

		seq = s.next++;
		s.held[seq] = ref;
		s.queued -= s.queued > 0;
		if (names(s.top, s.seen, seq))	// that acknowledgement may be on its way to the edge
			s.owed[seq] = false;
		numbered++;
		return true;
	}

	// A number that an acknowledgement of an edge may name: the newest that has left.
	bool newest(const EdgeName &name, uint32_t &seq) const
	{
		auto at = edges.find(name);

		if (at == edges.end() || at->second.held.empty())
			return false;
		seq = at->second.next - 1;
		return true;
	}

	void acknowledged(const EdgeName &name, uint32_t top, uint64_t seen)
	{
		auto at = edges.find(name);

		if (at == edges.end())
			return;
		at->second.top = top;
		at->second.seen = seen;
		for (const auto &[seq, ref] : at->second.held)
			if (names(top, seen, seq))
				at->second.owed[seq] = true;
	}

	void acked(const engine_sent &s)
	{
		auto at = edges.find({ s.group, s.edge });

		CHECK(at != edges.end() && at->second.owed.erase(s.seq), "number %x is acknowledged", s.seq);
		CHECK(at->second.held[s.seq] == s.ref, "another packet is acknowledged");
		at->second.held.erase(s.seq);
		at->second.tries = 0;
		acks++;
	}

	void again(const engine_sent &s)
	{
		auto at = edges.find({ s.group, s.edge });

		CHECK(at != edges.end(), "an edge that sends nothing sends again");
		// a header that has its number may wait for the payload before it
		bool waits = at->second.queued && s.seq == at->second.next;

		CHECK(waits || (at->second.held.count(s.seq) && at->second.held[s.seq] == s.ref),
		      "what is sent again is not outstanding");
		repeats++;
	}

	void expired(const engine_expiry &x)
	{
		auto at = edges.find({ x.group, x.edge });

		CHECK(at != edges.end() && (at->second.queued || !at->second.held.empty()), "a time-out of an edge that sends nothing");
		CHECK(x.over == (x.tries > retry_limit), "over after %u tries", x.tries);
		expiries++;
	}

	void drained() const
	{
		for (const auto &[name, s] : edges)
			for (const auto &[seq, taken] : s.owed)
				CHECK(!taken, "the acknowledgement of number %x is not told", seq);
	}

	static constexpr unsigned int retry_limit = 2;
	std::map<EdgeName, Sending> edges;
	uint64_t numbered = 0, acks = 0, repeats = 0, expiries = 0;

private:
	static bool names(uint32_t top, uint64_t seen, uint32_t seq)
	{
		return top - seq < TALLY_EDGE_WINDOW && seen >> (top - seq) & 1;
	}

	static uint32_t oldest_of(const Sending &s)
	{
		uint32_t oldest = s.next;

		for (const auto &[seq, ref] : s.held)
			if (s.next - seq > s.next - oldest)
				oldest = seq;
		return oldest;
	}

	tally::Rng &rng_;
	const unsigned int groups_;
	std::map<unsigned int, bool> created_;
};

#endif
