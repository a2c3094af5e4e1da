// SPDX-License-Identifier: BSD-2-Clause
// Host memory and page lists for the benches of memory regions. All lists of the same size of pages share their tables, so
// that any index of any level leads somewhere: mostly to a page of the range, sometimes to none, or to an address that is
// no multiple of the size. The rest of the range is never written, and reads as zeros.
#ifndef TALLY_MR_HOST_H
#define TALLY_MR_HOST_H

#include <sys/mman.h>

#include <array>
#include <cstring>
#include <vector>

#include "bench.h"
#include "mr_model.h"

constexpr uint64_t page_size = TALLY_PAGE_SIZE, gib = 1ull << 30;
constexpr std::array<unsigned int, 5> shifts = { 12, 13, 16, 21, 30 };

class Host {
public:
	explicit Host(tally::Rng &rng) : rng_(rng)
	{
		host_.base = 64 * gib;
		host_.size = 3 * gib;
		void *at = mmap(nullptr, host_.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		CHECK(at != MAP_FAILED, "no memory for the host");
		host_.memory = static_cast<uint8_t *>(at);
		host_.hole = host_.base + 256 * page_size;
		fill();
	}

	const struct model_host *model() const { return &host_; }
	bool is_memory(uint64_t addr, uint64_t len) const { return model_map(&host_, addr, len); }

	// The page of a table of this level whose lists have pages of this size.
	uint64_t table(unsigned int shift_index, unsigned int level)
	{
		return tables_[shift_index][level - 1][rng_.below(of_level)];
	}

	// Reads an entry. Returns false if it is not in host memory.
	bool entry(uint64_t addr, uint64_t *value) const
	{
		const void *at = model_map(&host_, addr, sizeof(*value));

		if (at)
			std::memcpy(value, at, sizeof(*value));
		return at;
	}

	uint64_t data_page(unsigned int shift)
	{
		uint64_t size = 1ull << shift;

		return host_.base + rng_.below(host_.size / size) * size;
	}

private:
	static constexpr unsigned int of_level = 3;
	tally::Rng &rng_;
	struct model_host host_ = {};
	uint64_t tables_[shifts.size()][TALLY_MEM_LEVELS][of_level];

	// An entry that points to no page as it must.
	uint64_t bad_entry(unsigned int shift)
	{
		switch (rng_.below(4)) {
		case 0:
			return host_.hole;
		case 1:
			return rng_.next();
		case 2:
			return data_page(shift) | 1ull << rng_.below(shift);
		default:
			return (host_.base + host_.size) >> shift << shift;
		}
	}

	void fill()
	{
		uint64_t next = host_.base + page_size;

		for (unsigned int s = 0; s < shifts.size(); s++)
			for (unsigned int level = 1; level <= TALLY_MEM_LEVELS; level++)
				for (unsigned int i = 0; i < of_level; i++, next += page_size)
					tables_[s][level - 1][i] = next;
		for (unsigned int s = 0; s < shifts.size(); s++)
			for (unsigned int level = 1; level <= TALLY_MEM_LEVELS; level++)
				for (uint64_t at : tables_[s][level - 1])
					fill_table(at, s, level);
	}

	void fill_table(uint64_t at, unsigned int s, unsigned int level)
	{
		for (uint64_t i = 0; i < page_size; i += sizeof(uint64_t)) {
			uint64_t entry = level > 1 ? table(s, level - 1) : data_page(shifts[s]);

			if (rng_.one_in(20))
				entry = bad_entry(level > 1 ? TALLY_MIN_PAGE_SHIFT : shifts[s]);
			std::memcpy(host_.memory + (at - host_.base) + i, &entry, sizeof(entry));
		}
	}
};

struct Region {
	tally_cmd_reg_mr cmd; // the host is little-endian, as the commands are
};

// Returns a region that may be registered under the key.
inline Region random_region(tally::Rng &rng, Host &host, uint32_t lkey)
{
	unsigned int s = rng.below(shifts.size()), levels = rng.below(TALLY_MEM_LEVELS + 1);
	Region r = {};
	tally_mem &m = r.cmd.buf;
	uint64_t most = 1ull << (9 * levels + shifts[s]);

	r.cmd.lkey = lkey;
	r.cmd.pd = rng.below(4);
	r.cmd.access = rng.below(8);
	m.levels = levels;
	m.page_shift = levels || rng.one_in(2) ? shifts[s] : 0;
	if (levels) {
		m.addr = host.table(s, levels);
		m.offset = rng.below(1ull << shifts[s]);
		most -= m.offset;
	} else {
		m.addr = host.data_page(TALLY_MIN_PAGE_SHIFT) + rng.below(page_size);
		most = rng.one_in(8) ? 0 - m.addr : gib;
	}
	m.length = 1 + rng.below(rng.one_in(2) ? most : std::min<uint64_t>(most, 5 * page_size));
	if (rng.one_in(6))
		m.length = most;
	// Some end with the last address.
	r.cmd.iova = rng.one_in(8) ? 0 - m.length : rng.next() % (0 - m.length);
	return r;
}

// Changes the region such that it is at, or just beyond, what is permitted.
inline void spoil(tally::Rng &rng, Region &r)
{
	tally_mem &m = r.cmd.buf;
	uint64_t most = (1ull << ((9 * m.levels + m.page_shift) & 63)) - m.offset;

	switch (rng.below(9)) {
	case 0:
		m.length = 0;
		break;
	case 1:
		m.length = (m.levels ? most : 0 - m.addr) + rng.below(3) - 1;
		break;
	case 2:
		r.cmd.iova = 0 - m.length + rng.below(3) - 1;
		break;
	case 3:
		m.levels = TALLY_MEM_LEVELS + rng.below(3);
		break;
	case 4:
		m.page_shift = rng.one_in(2) ? TALLY_MAX_PAGE_SHIFT + rng.below(3) : TALLY_MIN_PAGE_SHIFT - rng.below(3);
		break;
	case 5:
		m.page_shift = rng.next();
		break;
	case 6:
		m.offset = (1ull << (m.page_shift & 31)) - 1 + rng.below(2);
		break;
	case 7:
		m.addr += 1ull << rng.below(13);
		break;
	default:
		m.levels = 1 + rng.below(255);
	}
}

#endif
