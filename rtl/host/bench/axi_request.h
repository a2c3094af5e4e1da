// SPDX-License-Identifier: BSD-2-Clause
// Random accesses for the benches of the AXI blocks.
#ifndef TALLY_AXI_REQUEST_H
#define TALLY_AXI_REQUEST_H

#include <algorithm>
#include <cstdint>
#include <deque>

#include "bench.h"

struct Request {
	uint64_t addr = 0;
	uint32_t len = 0;
	uint8_t tag = 0;
	bool more = false; // the next one continues it
};

// Pages of memory in which an access lies page by page, the last page of all first.
struct Pages {
	uint64_t first, size, number;

	uint64_t at(uint64_t addr) const
	{
		uint64_t place = addr - first;

		return first + (number - 1 - place / size) * size + place % size;
	}
};

// Returns the requests for an access to such pages, one for each page that it touches.
inline std::deque<Request> scatter(Request whole, const Pages &pages)
{
	std::deque<Request> parts;

	while (whole.len) {
		uint32_t here = std::min<uint64_t>(whole.len, pages.size - (whole.addr - pages.first) % pages.size);

		parts.push_back({ pages.at(whole.addr), here, whole.tag, here < whole.len });
		whole.addr += here;
		whole.len -= here;
	}
	return parts;
}

// Returns an access within [first, end). Most are short, or end near a boundary; some are as long as a request can be.
inline Request random_request(tally::Rng &rng, uint64_t first, uint64_t end, uint32_t most, uint32_t bytes,
			      uint32_t boundary)
{
	Request r;

	most = std::min<uint64_t>(most, end - first);
	if (rng.one_in(3))
		r.len = 1 + rng.below(most);
	else
		r.len = 1 + rng.below(std::min(3 * bytes, most));
	if (rng.one_in(10))
		r.len = most;
	r.addr = first + rng.below(end - first - r.len + 1);
	if (rng.one_in(4)) { // begin or end within a word of a boundary
		uint64_t at = r.addr / boundary * boundary + rng.below(2 * bytes) - bytes;
		uint64_t moved = rng.one_in(2) ? at : at - r.len;

		if (moved >= first && moved < end && r.len <= end - moved)
			r.addr = moved;
	}
	if (rng.one_in(8))
		r.addr = std::max(first, r.addr / bytes * bytes);
	r.tag = rng.next();
	return r;
}

#endif
