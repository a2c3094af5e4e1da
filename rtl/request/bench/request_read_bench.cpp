// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_request_read: entries of send queues of all sizes, contiguous or by page lists, in memory that partly does not
// exist, and pushed ones. The memory answers bursts in any order, and mixes their words. Where an entry is, and whether it can
// be read, is what the model's mem_find() says.
#include <cstring>
#include <deque>
#include <vector>

#include "Vdut.h"
#include "bench.h"
#include "mr_host.h"
#include "quiet.h"

constexpr unsigned int level_bits = 2, shift_bits = 5;

// The memory of a host whose bytes are those of its page lists, and elsewhere follow from their address.
class Memory {
public:
	explicit Memory(tally::Rng &rng) : host(rng) {}

	// Reads a word of 8 bytes. Returns false if there is none.
	bool read(uint64_t addr, uint64_t *value) const
	{
		if (!host.entry(addr, value))
			return false;
		if (!*value)
			*value = (addr | 1) * 0x9e3779b97f4a7c15;
		return true;
	}

	Host host;
};

struct Entry {
	bool waits = false;	// it was fetched, and has not left completely
	bool pushed = false, good = false, failed = false;
	uint32_t index = 0;
	unsigned int buffer = 0;
	std::vector<uint8_t> bytes;
	size_t read = 0;
};

struct Burst {
	unsigned int id;
	uint64_t addr;
	unsigned int beats;
};

class World {
public:
	explicit World(tally::Bench<Vdut> &bench) : bench_(bench), rng_(bench.rng), dut_(*bench.dut), memory_(bench.rng) {}

	bool stalls = true, fetches = true;
	uint64_t good = 0, bad = 0, pushed = 0, lists = 0, counted_bad = 0, counted_pushed = 0;

	void restart()
	{
		dut_.fetch_valid_i = dut_.take_ready_i = dut_.word_valid_i = dut_.arready_i = dut_.rvalid_i = dut_.out_ready_i = 0;
		for (Entry &e : entries_)
			e = Entry();
		bursts_.clear();
		open_ = reading_ = -1;
		given_ = 0;
		counted_bad = bad;
		counted_pushed = pushed;
		quiet_.restart();
		bench_.reset();
	}

	void cycle()
	{
		offer_fetch();
		offer_words();
		offer_memory();
		// tally_push gives a further buffer while the last word of the one before waits
		dut_.take_ready_i = (reading_ < 0 || (dut_.word_valid_i && dut_.word_last_i)) && go(take_);
		dut_.out_ready_i = go(out_);
		bench_.settle();
		quiet_.look(dut_.busy_o, dut_.fetch_valid_i || dut_.rvalid_i || dut_.word_valid_i, dut_.out_valid_o || dut_.arvalid_o);
		counted_bad += dut_.dma_error_o;
		counted_pushed += dut_.pushed_o;
		take_word();
		take_push();
		take_burst();
		bool fetched = take_fetch(), word_taken = take_buffer_word();
		bench_.tick();
		if (fetched)
			dut_.fetch_valid_i = 0;
		if (word_taken)
			dut_.word_valid_i = 0;
	}

	void finish()
	{
		fetches = false;
		for (unsigned int i = 0; i < 8000 && !is_quiet(); i++)
			cycle();
		for (unsigned int n = 0; n < Qps; n++)
			CHECK(!entries_[n].waits, "an entry of %u never leaves: pushed %d, good %d, word %zu of %zu", n, entries_[n].pushed,
			      entries_[n].good, entries_[n].read / 64, entries_[n].bytes.size() / 64);
		CHECK(is_quiet(), "a fetch never enters");
		CHECK(!dut_.busy_o, "it is busy with nothing");
		CHECK(counted_bad == bad && counted_pushed == pushed, "%llu errors and %llu pushed entries are counted, of %llu and %llu",
		      (unsigned long long)counted_bad, (unsigned long long)counted_pushed, (unsigned long long)bad, (unsigned long long)pushed);
		fetches = true;
	}

private:
	tally::Bench<Vdut> &bench_;
	tally::Rng &rng_;
	Vdut &dut_;
	Memory memory_;
	Quiet quiet_;
	Entry entries_[Qps];
	Entry next_;			// the fetch that is offered
	std::vector<Burst> bursts_;
	int open_ = -1;			// queue pair whose entry leaves
	size_t given_ = 0;		// bytes of its buffer that were taken
	int reading_ = -1;		// queue pair whose buffer is read
	tally::Throttle fetch_{ rng_ }, take_{ rng_ }, word_{ rng_ }, ar_{ rng_ }, r_{ rng_ }, out_{ rng_ };

	bool go(tally::Throttle &t) { return !stalls || t.go(); }
	bool is_quiet() const
	{
		for (const Entry &e : entries_)
			if (e.waits)
				return false;
		return !dut_.fetch_valid_i;
	}

	// An entry in a send queue somewhere.
	void choose_memory(unsigned int length)
	{
		unsigned int s = rng_.below(shifts.size()), levels = rng_.below(TALLY_MEM_LEVELS + 1);
		tally_mem m = {};
		model_piece pieces[16];
		uint64_t num, place, at;

		m.levels = levels;
		m.page_shift = levels ? shifts[s] : 0;
		if (levels) {
			m.addr = memory_.host.table(s, levels);
			at = rng_.next() % (1ull << (9 * levels + shifts[s])) / length * length;
			place = at;
			m.length = 1ull << (9 * levels + shifts[s]);
		} else {
			m.addr = memory_.host.data_page(TALLY_MIN_PAGE_SHIFT) / length * length + (rng_.below(page_size) / length * length);
			if (rng_.one_in(8))	// where a page is missing
				m.addr = memory_.host.model()->hole / length * length;
			m.length = length;
			place = m.addr;
			at = 0;
		}
		// A page list may be so small that the entry is beyond its end.
		if (levels && at + length > m.length)
			at = place = 0;
		next_.good = model_walk(memory_.host.model(), &m, at, length, pieces, &num);
		next_.bytes.clear();
		for (uint64_t k = 0; next_.good && k < num; k++)
			for (uint64_t i = 0; i < pieces[k].len; i += 8) {
				uint64_t value = 0;

				next_.good &= memory_.read(pieces[k].addr + i, &value);
				next_.bytes.insert(next_.bytes.end(), reinterpret_cast<uint8_t *>(&value), reinterpret_cast<uint8_t *>(&value) + 8);
			}
		CHECK(!next_.good || next_.bytes.size() == length, "the model finds %zu bytes", next_.bytes.size());
		dut_.fetch_addr_i = place;
		put_ring(m.addr, levels, m.page_shift ? m.page_shift - TALLY_MIN_PAGE_SHIFT : 0);
		lists += levels != 0;
	}

	void put_ring(uint64_t addr, uint64_t levels, uint64_t shift)
	{
		unsigned __int128 ring = (unsigned __int128)addr << (level_bits + shift_bits) | levels << shift_bits | shift;

		for (unsigned int i = 0; i < 3; i++)
			dut_.fetch_ring_i[i] = ring >> (32 * i);
	}

	void offer_fetch()
	{
		unsigned int n = rng_.below(Qps), length = TALLY_MIN_WQE_SIZE << (rng_.one_in(4) ? rng_.below(6) : rng_.below(2));

		if (rng_.one_in(12))	// of two pages, of which the first one may be missing
			length = 2 * page_size;
		if (dut_.fetch_valid_i || !fetches || entries_[n].waits || !go(fetch_))
			return;
		next_ = Entry();
		next_.waits = true;
		next_.index = rng_.next();
		next_.pushed = rng_.one_in(3);
		next_.buffer = rng_.below(Buffers);
		dut_.fetch_valid_i = 1;
		dut_.fetch_qp_i = n;
		dut_.fetch_index_i = next_.index;
		dut_.fetch_pushed_i = next_.pushed;
		dut_.fetch_buffer_i = next_.buffer;
		dut_.fetch_length_i = length;
		choose_memory(length);
		if (next_.pushed) {
			next_.good = true;
			next_.bytes.resize(64 * (1 + rng_.below(8)));
			rng_.fill(next_.bytes.data(), next_.bytes.size());
		}
	}

	bool take_fetch()
	{
		if (!dut_.fetch_valid_i || !dut_.fetch_ready_o)
			return false;
		entries_[dut_.fetch_qp_i] = next_;
		return true;
	}

	// ---- The buffers of pushed requests ----
	void take_push()
	{
		CHECK(!dut_.take_valid_o || (dut_.fetch_valid_i && next_.pushed && dut_.take_buffer_o == next_.buffer), "another buffer");
		CHECK(dut_.pushed_o == (dut_.take_valid_o && dut_.take_ready_i), "pushed_o is %d", dut_.pushed_o);
		if (!dut_.take_valid_o || !dut_.take_ready_i)
			return;
		CHECK(dut_.fetch_ready_o, "a buffer is taken without its fetch");
		reading_ = dut_.fetch_qp_i;
		pushed++;
	}

	void offer_words()
	{
		if (reading_ < 0 || dut_.word_valid_i)
			return;
		const Entry &e = entries_[reading_];

		dut_.word_valid_i = go(word_);
		std::memcpy(&dut_.word_i, e.bytes.data() + given_, 64);
		dut_.word_last_i = given_ + 64 == e.bytes.size();
	}

	// Returns whether a word is taken.
	bool take_buffer_word()
	{
		if (!dut_.word_valid_i || !dut_.word_ready_o)
			return false;
		given_ += 64;
		if (dut_.word_last_i) {
			reading_ = -1;
			given_ = 0;
		}
		return true;
	}

	// ---- Host memory ----
	void offer_memory()
	{
		dut_.arready_i = go(ar_);
		dut_.rvalid_i = 0;
		if (bursts_.empty() || !go(r_))
			return;
		// The words of a burst stay in order.
		size_t k = rng_.below(bursts_.size());
		Burst &b = bursts_[k];
		uint64_t word[8];
		bool there = true;

		for (unsigned int i = 0; i < 8; i++)
			there = memory_.read(b.addr + 8 * i, &word[i]) && there;
		dut_.rvalid_i = 1;
		dut_.rid_i = b.id;
		dut_.rresp_i = there ? 0 : 2 + rng_.below(2);
		std::memcpy(&dut_.rdata_i, word, 64);
		b.addr += 64;
		if (!--b.beats)
			bursts_.erase(bursts_.begin() + k);
	}

	void take_burst()
	{
		CHECK(dut_.rready_o || !dut_.rvalid_i, "a word is not taken");
		if (!dut_.arvalid_o || !dut_.arready_i)
			return;
		CHECK(dut_.arsize_o == 6 && dut_.arburst_o == 1, "burst of type %d", dut_.arburst_o);
		bursts_.push_back({ dut_.arid_o, dut_.araddr_o & ~63ull, dut_.arlen_o + 1u });
	}

	// ---- Words that leave ----
	void take_word()
	{
		if (!dut_.out_valid_o)
			return;
		Entry &e = entries_[dut_.out_qp_o];

		CHECK(open_ < 0 || open_ == dut_.out_qp_o, "an entry of %d amid that of %d", dut_.out_qp_o, open_);
		CHECK(e.waits && e.index == dut_.out_index_o, "entry %u of %d, not %u", dut_.out_index_o, dut_.out_qp_o, e.index);
		if (e.good) {
			CHECK(!dut_.out_error_o, "an entry in memory cannot be read");
			CHECK(e.read + 64 <= e.bytes.size() && !std::memcmp(&dut_.out_data_o, e.bytes.data() + e.read, 64), "word %zu is wrong", e.read / 64);
			CHECK(dut_.out_last_o == (e.read + 64 == e.bytes.size()), "an entry ends after word %zu", e.read / 64);
		}
		if (!dut_.out_ready_i)
			return;
		e.read += 64;
		e.failed |= dut_.out_error_o;
		open_ = dut_.out_last_o ? -1 : dut_.out_qp_o;
		if (!dut_.out_last_o)
			return;
		CHECK(e.failed != e.good, "an entry without memory is good");
		(e.good ? good : bad)++;
		e.waits = false;
	}
};

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("request_read", argc, argv);
	World world(bench);

	bench.live(bench.times(24), [&] { world.restart(); }, [&] {
		world.stalls = !world.stalls;
		for (unsigned int left = 3000; left; left--)
			world.cycle();
		world.finish();
	});
	CHECK(world.good > 300 && world.bad > 50 && world.pushed > 300 && world.lists > 300, "%llu good, %llu bad, %llu pushed, %llu lists",
	      (unsigned long long)world.good, (unsigned long long)world.bad, (unsigned long long)world.pushed,
	      (unsigned long long)world.lists);
	return bench.finish();
}
