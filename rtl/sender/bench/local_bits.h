// SPDX-License-Identifier: BSD-2-Clause
// Fields of the records of tally_local in words of 32 bits, for its benches, and random requests.
#ifndef TALLY_RTL_LOCAL_BITS_H
#define TALLY_RTL_LOCAL_BITS_H

#include <cstdint>
#include <vector>

#include "bench.h"
#include "local_model.h"

// A field: its lowest bit and its width.
struct Field {
	unsigned int at, width;
};

namespace request_bits { // tally_request_pkg::request_t
constexpr unsigned int width = 766;
constexpr Field num_result{ 0, 7 }, num_gather{ 7, 7 }, flag_value{ 27, 32 }, flag_lkey{ 59, 32 }, flag_addr{ 91, 64 }, loc_index{ 260, 32 },
	give_log{ 401, 3 }, elem_log{ 404, 3 }, rank_mask{ 582, 64 }, mid{ 646, 32 }, flags{ 710, 32 }, opcode{ 742, 8 };
} // namespace request_bits

namespace message_bits { // tally_segment_pkg::message_t
constexpr unsigned int width = 248;
constexpr Field count{ 0, 32 }, first{ 32, 32 }, total{ 64, 32 }, sid{ 96, 32 }, mid{ 128, 32 }, num{ 160, 32 }, root_node{ 192, 16 },
	root_rank{ 208, 8 }, dtype{ 216, 8 }, op{ 224, 8 }, opcode{ 232, 8 }, mode{ 240, 8 };
} // namespace message_bits

namespace due_bits { // tally_local_pkg::due_t
constexpr Field ranks{ 0, 64 }, group{ 312, 16 };
constexpr unsigned int message = 64;
} // namespace due_bits

namespace entry_bits { // tally_local_pkg::entry_t
constexpr unsigned int width = 96;
constexpr Field lkey{ 0, 32 }, addr{ 32, 64 };
} // namespace entry_bits

namespace row_bits { // tally_local_pkg::row_t
constexpr unsigned int width = 209, result = 0, gather = 96;
constexpr Field root{ 192, 1 }, pd{ 193, 16 };
} // namespace row_bits

namespace access_bits { // tally_local_pkg::access_t
constexpr Field len{ 0, 13 }, addr{ 13, 64 }, lkey{ 77, 32 }, pd{ 109, 16 }, write{ 125, 1 }, none{ 126, 1 };
} // namespace access_bits

namespace job_bits { // tally_local_pkg::job_t
constexpr Field err_vector{ 0, 16 }, bytes{ 16, 13 }, rank{ 29, 6 }, num{ 35, 32 }, group{ 67, 16 }, tells{ 83, 1 }, kind{ 84, 2 };
} // namespace job_bits

namespace chunk_bits { // tally_local_pkg::chunk_t
constexpr Field len{ 0, 13 }, from{ 13, 13 }, bytes{ 26, 13 }, rank{ 39, 6 }, group{ 293, 16 }, index{ 309, 32 }, give_log{ 341, 2 },
	values{ 343, 1 };
constexpr unsigned int message = 45;
} // namespace chunk_bits

namespace operation_bits { // tally_store_pkg::operation_t
constexpr Field last{ 0, 1 }, sum{ 1, 1 }, rank{ 2, 1 }, out{ 3, 64 }, quits{ 67, 64 }, absent{ 131, 64 }, ranks{ 195, 64 }, edge{ 259, 8 },
	bytes{ 267, 16 }, group{ 531, 16 }, op{ 547, 8 };
constexpr unsigned int message = 283;
} // namespace operation_bits

namespace result_bits { // tally_store_pkg::result_t
constexpr Field err_vector{ 0, 16 }, ended{ 264, 1 }, ranks{ 265, 64 }, group{ 329, 16 };
constexpr unsigned int message = 16;
} // namespace result_bits

enum Kind { GIVE, GET, FLAG };
enum Gave { STORED, LOST, REFUSED };

template <typename Wide> void put(Wide &to, Field f, uint64_t value)
{
	for (unsigned int k = f.at; k < f.at + f.width; k++, value >>= 1) {
		to[k / 32] &= ~(1u << k % 32);
		to[k / 32] |= uint32_t(value & 1) << k % 32;
	}
}

template <typename Wide> uint64_t get(const Wide &from, Field f)
{
	uint64_t value = 0;

	for (unsigned int k = f.at + f.width; k > f.at; k--)
		value = value << 1 | (from[(k - 1) / 32] >> (k - 1) % 32 & 1);
	return value;
}

// A field of a record within another one.
constexpr Field inside(unsigned int at, Field f)
{
	return { at + f.at, f.width };
}

// The message of a chunk, as it is told with it.
template <typename Wide> void put_message(Wide &to, unsigned int at, const local_request &r, const local_chunk &c)
{
	using namespace message_bits;
	put(to, inside(at, count), c.whole);
	put(to, inside(at, first), c.first);
	put(to, inside(at, total), c.total);
	put(to, inside(at, sid), c.sid);
	put(to, inside(at, mid), c.mid);
	put(to, inside(at, num), c.num);
	put(to, inside(at, root_node), r.root_node);
	put(to, inside(at, root_rank), r.root_rank);
	put(to, inside(at, dtype), r.dtype);
	put(to, inside(at, op), c.op);
	put(to, inside(at, opcode), r.opcode);
	put(to, inside(at, mode), c.mode);
}

// An entry of a list.
template <typename Wide> void put_entry(Wide &to, unsigned int at, const local_entry &entry)
{
	put(to, inside(at, entry_bits::addr), entry.addr);
	put(to, inside(at, entry_bits::lkey), entry.lkey);
}

// What the row of a request has besides the request.
template <typename Wide> void put_row(Wide &to, const local_request &r)
{
	put(to, row_bits::pd, r.pd);
	put(to, row_bits::root, r.root_node == r.node && (r.rank_mask >> r.root_rank & 1));
	put_entry(to, row_bits::gather, r.gather[0]);
	put_entry(to, row_bits::result, r.result[0]);
}

// A random request, which gives and gets something unless it is a BARRIER, and a chunk of it.
void random_request(tally::Rng &rng, local_request &r, local_chunk &c);
void random_lists(tally::Rng &rng, local_request &r);
// What the store gets of these bytes of a gather list, or of inline data.
std::vector<uint8_t> given_bytes(const local_request &r, const local_chunk &c, const std::vector<uint8_t> &data);

#endif
