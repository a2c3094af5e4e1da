// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_sender_rows: random rows are written, and read by all readers. Each reader must get what was written last, in the
// order of its reads and a clock later. The last one is served at once, and asks in every other clock at most; of the others, none waits
// for more than one read of each other, each of which takes two clocks if the last one asks.
#include <deque>
#include <map>
#include <vector>

#include "Vdut.h"
#include "local_bits.h"

constexpr unsigned int request_words = request_bits::width / 32 + 1, row_words = row_bits::width / 32 + 1;
constexpr unsigned int entry_width = 6, latency = 1, last = Readers - 1, longest_wait = 2 * last;
static_assert(Entries == 1u << entry_width, "packed entries");

struct Row {
	unsigned int qp;
	std::vector<uint32_t> request, rest;
};

struct Read {
	unsigned int entry;
	uint64_t due; // the cycle of its answer
};

class World {
public:
	explicit World(tally::Bench<Vdut> &bench) : bench_(bench), rng_(bench.rng), dut_(*bench.dut) {}

	uint64_t reads = 0, writes = 0, longest = 0;

	void restart()
	{
		dut_.write_valid_i = dut_.row_valid_i = 0;
		bench_.reset();
		rows_.clear();
		for (unsigned int k = 0; k < Readers; k++) {
			asked_[k] = 0;
			wants_[k] = false;
			pending_[k].clear();
		}
	}

	void cycle()
	{
		write();
		ask();
		bench_.settle();
		observe();
		bench_.tick();
	}

private:
	tally::Bench<Vdut> &bench_;
	tally::Rng &rng_;
	Vdut &dut_;
	std::map<unsigned int, Row> rows_;
	unsigned int asks_[Readers] = {}, asked_[Readers] = {}; // entries that are wanted, and clocks for which they have been
	bool wants_[Readers] = {};
	std::deque<Read> pending_[Readers];

	template <typename Wide> std::vector<uint32_t> random_record(Wide &to, unsigned int words, unsigned int width)
	{
		for (unsigned int i = 0; i < words; i++)
			to[i] = rng_.next();
		put(to, { width, 32 - width % 32 }, 0);
		return std::vector<uint32_t>(&to[0], &to[0] + words);
	}

	bool is_read(unsigned int entry) const
	{
		for (unsigned int k = 0; k < Readers; k++) {
			if (wants_[k] && asks_[k] == entry)
				return true;
			for (const Read &r : pending_[k])
				if (r.entry == entry)
					return true;
		}
		return false;
	}

	void write()
	{
		const unsigned int entry = rng_.below(Entries);

		dut_.write_valid_i = rng_.one_in(2) && !is_read(entry);
		dut_.write_entry_i = entry;
		dut_.write_qp_i = rng_.below(Qps);
		const Row row{ dut_.write_qp_i, random_record(dut_.write_i, request_words, request_bits::width),
			       random_record(dut_.write_row_i, row_words, row_bits::width) };
		if (!dut_.write_valid_i)
			return;
		rows_[entry] = row;
		written_ = entry;
		writes++;
	}
	unsigned int written_ = 0; // the newest row

	void ask()
	{
		uint64_t entries = 0;
		const unsigned int rate = 1 + bench_.cycle() / 512 % 4;

		dut_.row_valid_i = 0;
		for (unsigned int k = 0; k < Readers; k++) {
			const bool may = k != last || pending_[k].empty();

			if (!wants_[k] && may && !rows_.empty() && rng_.one_in(rate)) {
				auto r = rows_.lower_bound(rng_.below(Entries));

				asks_[k] = rng_.one_in(4) && rows_.count(written_) ? written_ : r == rows_.end() ? rows_.begin()->first : r->first;
				// A row can be read from the clock after its write on.
				wants_[k] = !dut_.write_valid_i || asks_[k] != dut_.write_entry_i;
				asked_[k] = 0;
			}
			dut_.row_valid_i |= wants_[k] << k;
			entries |= uint64_t(wants_[k] ? asks_[k] : rng_.below(Entries)) << k * entry_width;
		}
		dut_.row_entry_i = entries;
	}

	void observe()
	{
		CHECK(!(dut_.row_ready_o & (dut_.row_ready_o - 1)), "two reads in a clock");
		CHECK(!(dut_.row_ready_o & ~dut_.row_valid_i), "a read that nobody wants");
		for (unsigned int k = 0; k < Readers; k++) {
			answer(k);
			if (!wants_[k])
				continue;
			asked_[k]++;
			CHECK(asked_[k] <= (k == last ? 1 : longest_wait), "reader %u waits for %u clocks", k, asked_[k]);
			if (!(dut_.row_ready_o >> k & 1))
				continue;
			pending_[k].push_back({ asks_[k], bench_.cycle() + latency });
			wants_[k] = false;
			longest = std::max<uint64_t>(longest, asked_[k]);
			reads++;
		}
	}

	void answer(unsigned int k)
	{
		const bool is_due = !pending_[k].empty() && pending_[k].front().due == bench_.cycle();

		CHECK((dut_.got_valid_o >> k & 1) == is_due, "reader %u: an answer: %d", k, !is_due);
		CHECK(pending_[k].empty() || dut_.busy_o, "a read is inside and the block is not busy");
		if (!is_due)
			return;
		const Row &row = rows_[pending_[k].front().entry];

		CHECK(dut_.got_qp_o == row.qp, "the row of another queue pair");
		for (unsigned int i = 0; i < request_words; i++)
			CHECK(dut_.got_o[i] == row.request[i], "another request, from bit %u on", 32 * i);
		for (unsigned int i = 0; i < row_words; i++)
			CHECK(dut_.got_row_o[i] == row.rest[i], "another rest, from bit %u on", 32 * i);
		pending_[k].pop_front();
	}
};

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("sender_rows", argc, argv);
	World world(bench);

	bench.live(bench.times(20000), [&] { world.restart(); }, [&] { world.cycle(); });
	CHECK(world.reads > 1000 && world.writes > 1000 && world.longest > Readers, "%llu reads, %llu writes, at most %llu clocks",
	      (unsigned long long)world.reads, (unsigned long long)world.writes, (unsigned long long)world.longest);
	return bench.finish();
}
