// SPDX-License-Identifier: BSD-2-Clause
// The packed structures of tally_request_pkg, for the benches.
#ifndef TALLY_RTL_WQE_RECORD_H
#define TALLY_RTL_WQE_RECORD_H

#include <cstdint>
#include <cstring>
#include <vector>

#include "bench.h"
#include "wqe_model.h"

struct Field {
	const char *name;
	unsigned int width;
	uint64_t value;
};

// Fields of group_t and qp_t, from the highest bits to the lowest.
inline std::vector<Field> group_fields(const model_around &a)
{
	std::vector<Field> f = {
		{ "jid", 32, a.jid },		{ "mode", 8, a.mode },
		{ "modes", 8, a.modes },	{ "sparse", 1, a.sparse },
		{ "ordered", 1, a.ordered },	{ "mtu", 13, a.mtu },
		{ "chunk", 13, a.chunk },	{ "max_segs", 9, a.max_segs },
		{ "total_ranks", 19, a.total_ranks }, { "num_nodes", 13, a.num_nodes },
		{ "node", 13, a.node },		{ "rank_mask", 64, a.rank_mask },
		{ "children", 64, a.children }, { "dests", 64, a.dests },
		{ "has_parent", 1, a.parent != 0xff }, { "parent", 7, a.parent != 0xff ? a.parent : uint64_t(0) },
	};

	for (int k = 7; k >= 0; k--) {
		const model_choice &c = a.choice[k];

		f.push_back({ "small", 2, c.small });
		f.push_back({ "middle", 2, c.middle });
		f.push_back({ "large", 2, c.large });
		f.push_back({ "small_log", 5, c.small_log });
		f.push_back({ "middle_log", 5, c.middle_log });
	}
	return f;
}

inline std::vector<Field> qp_fields(const model_around &a)
{
	return { { "ranks", 64, a.ranks }, { "stride", 14, a.stride } };
}

inline unsigned int log2_of(uint32_t size)
{
	return size ? __builtin_ctz(size) : 0;
}

// Fields of request_t: those that every request has, and in the end those of a good message.
inline std::vector<Field> request_fields(const model_request &r)
{
	return {
		{ "status", 16, r.status },
		{ "opcode", 8, r.opcode },
		{ "flags", 32, r.flags },
		{ "index", 32, r.index },
		{ "mid", 32, r.mid },
		{ "rank_mask", 64, r.rank_mask },
		{ "count", 32, r.count },
		{ "op", 8, r.op },
		{ "dtype", 8, r.dtype },
		{ "mode", 8, r.mode },
		{ "root_node", 16, r.root_node },
		{ "root_rank", 8, r.root_rank },
		{ "counter", 8, r.counter },
		{ "dest_counter", 8, r.dest_counter },
		{ "dest_port", 16, r.dest_port },
		{ "branch", 8, r.branch },
		{ "err_vector", 16, r.err_vector },
		{ "cpcnt", 7, r.cpcnt },
		{ "total", 32, r.total },
		{ "elem_log", 3, log2_of(r.elem) },
		{ "give_log", 3, log2_of(r.give) },
		{ "chunk", 13, r.chunk },
		{ "chunks", 32, r.chunks },
		{ "give_len", 32, r.give_len },
		{ "get_len", 32, r.get_len },
		{ "loc_index", 32, r.loc_index },
		{ "edges", 64, r.edges },
		{ "timeout_ms", 32, r.timeout_ms },
		{ "seg_count", 9, r.seg_count },
		{ "flag_addr", 64, r.flag_addr },
		{ "flag_lkey", 32, r.flag_lkey },
		{ "flag_value", 32, r.flag_value },
		{ "inline_len", 13, r.inline_len },
		{ "num_gather", 7, r.num_gather },
		{ "num_result", 7, r.num_result },
	};
}

inline unsigned int width_of(const std::vector<Field> &fields)
{
	unsigned int width = 0;

	for (const Field &f : fields)
		width += f.width;
	return width;
}

// Reads or writes `width` bits of a port from bit `at` on.
template <typename Port> uint64_t get_bits(const Port &port, unsigned int at, unsigned int width)
{
	const uint8_t *bytes = reinterpret_cast<const uint8_t *>(&port);
	uint64_t value = 0;

	for (unsigned int i = 0; i < width; i++)
		value |= static_cast<uint64_t>(bytes[(at + i) / 8] >> (at + i) % 8 & 1) << i;
	return value;
}

template <typename Port> void put_fields(Port &port, const std::vector<Field> &fields)
{
	uint8_t *bytes = reinterpret_cast<uint8_t *>(&port);
	unsigned int at = width_of(fields);

	std::memset(bytes, 0, sizeof(port));
	for (const Field &f : fields) {
		at -= f.width;
		for (unsigned int i = 0; i < f.width; i++)
			bytes[(at + i) / 8] |= (f.value >> i & 1) << (at + i) % 8;
	}
}

// Checks the first `num` fields of a port.
template <typename Port> void check_fields(const Port &port, const std::vector<Field> &fields, size_t num)
{
	unsigned int at = width_of(fields);

	for (size_t k = 0; k < num; k++) {
		uint64_t is = get_bits(port, at -= fields[k].width, fields[k].width);

		CHECK(is == fields[k].value, "%s is 0x%llx instead of 0x%llx (status %llu, opcode %llu)", fields[k].name,
		      (unsigned long long)is, (unsigned long long)fields[k].value, (unsigned long long)fields[0].value,
		      (unsigned long long)fields[1].value);
	}
}

// The number of fields of request_t that count.
inline size_t valid_fields(const model_request &r)
{
	if (r.status != TALLY_COLL_OK)
		return 2; // and those that the caller checks by name
	return r.opcode == TALLY_OPCODE_QUERY ? 6 : r.opcode == TALLY_OPCODE_ABORT ? 7 : request_fields(r).size();
}

#endif
