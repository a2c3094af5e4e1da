// SPDX-License-Identifier: BSD-2-Clause
// Rows of the edges of groups, as tally_edge_regs and tally_edge_rows give them: an edge gets one before the first write of
// its registers, and RELEASE takes those of a group. Answers questions for rows as tally_edge_rows does, not in each clock.
#pragma once
#include <map>
#include <vector>

#include "bench.h"
extern "C" {
#include "gen/tally_fw_hw.h"
}

class EdgeRows {
public:
	explicit EdgeRows(tally::Rng &rng) : rng(rng), looks(rng)
	{
		for (unsigned int row = 0; row < Rows; row++)
			free.push_back(row);
	}

	static bool of_edge(uint32_t reg)
	{
		uint32_t at = (reg - TALLY_FW_GROUP_BASE) % TALLY_FW_GROUP_STRIDE;

		return reg >= TALLY_FW_GROUP_BASE && (reg - TALLY_FW_GROUP_BASE) / TALLY_FW_GROUP_STRIDE < Groups &&
		       at >= TALLY_FW_EDGE_OFFSET && (at - TALLY_FW_EDGE_OFFSET) / TALLY_FW_EDGE_STRIDE < EdgesOf;
	}

	bool has(unsigned int group, unsigned int edge) const { return rows.count(key(group, edge)); }
	unsigned int of(unsigned int group, unsigned int edge) const { return rows.at(key(group, edge)); }

	bool lacks(uint32_t reg) const { return !rows.count(key_of(reg)); }

	// What precedes a write: its edge has a row then. Returns whether it is a new one.
	bool before(uint32_t reg)
	{
		unsigned int k = key_of(reg);
		bool taken = lacks(reg);

		if (taken) {
			std::swap(free.back(), free[rng.below(free.size())]);
			rows[k] = free.back();
			free.pop_back();
		}
		row = rows[k];
		return taken;
	}

	void release(unsigned int group)
	{
		for (unsigned int edge = 0; edge < EdgesOf; edge++) {
			auto at = rows.find(key(group, edge));

			if (at == rows.end())
				continue;
			free.push_back(at->second);
			rows.erase(at);
		}
	}

	// For this clock: the answers to the questions of the last two, and whether one is taken now.
	template <class Dut> void answer(Dut &dut, bool always)
	{
		dut.look_row_i = asked[0].row;
		dut.look_found_i = asked[1].found;
		dut.look_ready_i = always || looks.go();
	}

	// At the end of the clock.
	template <class Dut> void asks(const Dut &dut)
	{
		auto at = rows.find(key(dut.look_group_o, dut.look_edge_o));
		bool found = dut.look_valid_o && dut.look_ready_i && at != rows.end();

		asked[1] = asked[0];
		asked[0] = { found ? at->second : unsigned(rng.below(Rows)), found };
	}

	unsigned int row = 0;		// of the last write of an edge

private:
	static unsigned int key(unsigned int group, unsigned int edge) { return group << 8 | edge; }

	static unsigned int key_of(uint32_t reg)
	{
		uint32_t group = (reg - TALLY_FW_GROUP_BASE) / TALLY_FW_GROUP_STRIDE, at = (reg - TALLY_FW_GROUP_BASE) % TALLY_FW_GROUP_STRIDE;

		return key(group, (at - TALLY_FW_EDGE_OFFSET) / TALLY_FW_EDGE_STRIDE);
	}

	struct Asked {
		unsigned int row;
		bool found;
	};
	tally::Rng &rng;
	tally::Throttle looks;
	std::map<unsigned int, unsigned int> rows;
	std::vector<unsigned int> free;
	Asked asked[2] = {};
};
