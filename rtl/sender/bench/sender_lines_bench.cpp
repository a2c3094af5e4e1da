// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_sender_lines: random requests with inline data and lists, of which some are not taken in. What is read of a request must
// be what was found in its entry, from its line, or from the far side if no line was free when the first of it came.
#include <algorithm>
#include <cstring>
#include <vector>

#include "Vdut.h"
#include "local_bits.h"

constexpr unsigned int longest_wait = 3000;
constexpr unsigned int word_bytes = 64;

struct Request {
	bool used = false, wants = false, full = false; // has more than first entries; no line can have been free
	unsigned int entry = 0;
	std::vector<uint8_t> data;
	std::vector<local_entry> lists[2];
};

class World {
public:
	explicit World(tally::Bench<Vdut> &bench) : bench_(bench), rng_(bench.rng), dut_(*bench.dut) {}

	bool stalls = true;
	uint64_t near = 0, far = 0, dropped = 0, words = 0, entries = 0;

	void restart()
	{
		dut_.begin_i = dut_.data_valid_i = dut_.entry_valid_i = dut_.keep_valid_i = dut_.free_valid_i = 0;
		dut_.sge_valid_i = dut_.read_valid_i = dut_.far_sgot_valid_i = dut_.far_word_valid_i = 0;
		bench_.reset();
		for (Request &r : requests_)
			r = {};
		parse_ = idle_ = freed_ = 0;
		sge_ = read_ = -1;
		sge_taken_ = read_taken_ = far_sge_ = far_read_ = sends_ = amid_ = false;
		word_ = words_left_ = far_word_ = 0;
		waits_[0] = waits_[1] = 0;
	}

	void cycle()
	{
		dut_.begin_i = dut_.data_valid_i = dut_.entry_valid_i = dut_.keep_valid_i = dut_.free_valid_i = 0;
		parse();
		retire();
		want_entry();
		want_words();
		answer_far();
		dut_.word_ready_i = !stalls || rng_.one_in(2);
		bench_.settle();
		observe();
		for (unsigned int &waits : waits_)
			CHECK(++waits < longest_wait, "the block has stopped");
		bench_.tick();
	}

private:
	tally::Bench<Vdut> &bench_;
	tally::Rng &rng_;
	Vdut &dut_;
	Request requests_[Entries], next_;
	unsigned int parse_ = 0, idle_ = 0, freed_ = 0; // the next piece; clocks until the next begin, and the next free one
	int sge_ = -1, read_ = -1;			 // entries whose lists and data are read
	unsigned int list_ = 0, index_ = 0, word_ = 0, words_left_ = 0, far_word_ = 0, far_sent_ = 0;
	unsigned int waits_[2] = {}; // clocks since an entry came, and since words did
	bool sge_taken_ = false, read_taken_ = false, far_sge_ = false, far_read_ = false, sends_ = false, amid_ = false, took_ = false;

	unsigned int inside() const
	{
		return std::count_if(requests_, requests_ + Entries, [](const Request &r) { return r.used && r.wants; });
	}

	// ---- Entries of send queues ----

	unsigned int pieces() const { return (next_.data.size() + word_bytes - 1) / word_bytes + next_.lists[0].size() + next_.lists[1].size(); }

	void parse()
	{
		if (idle_ && idle_--)
			return;
		if (!parse_) {
			begin();
			return;
		}
		if (stalls && rng_.one_in(2))
			return;
		if (parse_ <= pieces())
			piece(parse_ - 1);
		else
			end();
	}

	void begin()
	{
		const bool is_short = bench_.cycle() / 4096 % 3 == 0 && !rng_.one_in(8); // no more than first entries

		next_ = {};
		if (!is_short && rng_.one_in(2))
			next_.data.resize(1 + rng_.below(rng_.one_in(4) ? TALLY_MAX_INLINE : 200));
		else if (rng_.one_in(2))
			next_.lists[0].resize(is_short ? 1 : 1 + rng_.below(rng_.one_in(3) ? TALLY_MAX_SGE : 4));
		if (rng_.one_in(2))
			next_.lists[1].resize(is_short ? 1 : 1 + rng_.below(rng_.one_in(3) ? TALLY_MAX_SGE : 4));
		rng_.fill(next_.data.data(), next_.data.size());
		for (std::vector<local_entry> &list : next_.lists)
			for (local_entry &e : list)
				e = { rng_.next(), uint32_t(rng_.next()) };
		next_.wants = !next_.data.empty() || next_.lists[0].size() > 1 || next_.lists[1].size() > 1;
		took_ = false;
		dut_.begin_i = 1;
		parse_ = 1;
	}

	// Whether a piece is more than the first entry of a list.
	bool is_kept(unsigned int n) const
	{
		const unsigned int of_data = (next_.data.size() + word_bytes - 1) / word_bytes;

		return n < of_data || (n != of_data && n != of_data + next_.lists[0].size());
	}

	void piece(unsigned int n)
	{
		const unsigned int of_data = (next_.data.size() + word_bytes - 1) / word_bytes, of_gather = next_.lists[0].size();

		if (!took_ && is_kept(n)) {
			took_ = true;
			next_.full = inside() + 3 > Lines; // lines come back a few clocks later
		}
		parse_++;
		rng_.fill(&dut_.data_i[0], word_bytes);
		if (n < of_data) {
			dut_.data_valid_i = 1;
			dut_.data_index_i = n;
			std::memcpy(&dut_.data_i[0], &next_.data[n * word_bytes], std::min<size_t>(word_bytes, next_.data.size() - n * word_bytes));
			return;
		}
		n -= of_data;
		dut_.entry_valid_i = 1;
		dut_.entry_result_i = n >= of_gather;
		dut_.entry_index_i = n >= of_gather ? n - of_gather : n;
		put_entry(dut_.entry_i, 0, next_.lists[dut_.entry_result_i][dut_.entry_index_i]);
	}

	void end()
	{
		const unsigned int entry = rng_.below(Entries);

		parse_ = 0;
		idle_ = 2;
		if (requests_[entry].used || rng_.one_in(5)) {
			dropped++;
			return;
		}
		dut_.keep_valid_i = 1;
		dut_.keep_entry_i = entry;
		next_.used = true;
		next_.entry = entry;
		requests_[entry] = next_;
	}

	void retire()
	{
		const int entry = rng_.below(Entries);
		Request &r = requests_[entry];

		if (freed_ && freed_--)
			return;
		if (!r.used || entry == sge_ || entry == read_ || !rng_.one_in(20) || (dut_.keep_valid_i && int(dut_.keep_entry_i) == entry))
			return;
		dut_.free_valid_i = 1;
		dut_.free_entry_i = entry;
		freed_ = 1;
		r = {};
	}

	// ---- Readers ----

	void want_entry()
	{
		const int entry = rng_.below(Entries);

		if (sge_ < 0 && requests_[entry].used && !(dut_.keep_valid_i && int(dut_.keep_entry_i) == entry) && rng_.one_in(3)) {
			list_ = rng_.below(2);
			const size_t size = requests_[entry].lists[list_].size();
			if (size > 1) {
				sge_ = entry;
				index_ = 1 + rng_.below(size - 1);
				sge_taken_ = far_sge_ = false;
			}
		}
		dut_.sge_valid_i = sge_ >= 0 && !sge_taken_;
		dut_.sge_entry_i = dut_.sge_valid_i ? sge_ : rng_.below(Entries);
		dut_.sge_index_i = dut_.sge_valid_i ? index_ : rng_.below(TALLY_MAX_SGE);
		dut_.sge_result_i = dut_.sge_valid_i ? list_ : rng_.below(2);
	}

	void want_words()
	{
		const int entry = rng_.below(Entries);

		if (read_ < 0 && requests_[entry].used && !requests_[entry].data.empty() && !(dut_.keep_valid_i && int(dut_.keep_entry_i) == entry) &&
		    rng_.one_in(3)) {
			const unsigned int all = (requests_[entry].data.size() + word_bytes - 1) / word_bytes;

			read_ = entry;
			word_ = rng_.below(all);
			words_left_ = 1 + rng_.below(all - word_);
			far_word_ = word_;
			read_taken_ = far_read_ = sends_ = false;
		}
		dut_.read_valid_i = read_ >= 0 && !read_taken_;
		dut_.read_entry_i = dut_.read_valid_i ? read_ : rng_.below(Entries);
		dut_.read_first_i = dut_.read_valid_i ? word_ : rng_.below(64);
		dut_.read_words_i = dut_.read_valid_i ? words_left_ : rng_.below(64);
	}

	void answer_far()
	{
		dut_.far_sge_ready_i = !stalls || rng_.one_in(3);
		dut_.far_read_ready_i = !stalls || rng_.one_in(3);
		dut_.far_sgot_valid_i = far_sge_ && (!stalls || rng_.one_in(4));
		for (unsigned int i = 0; i < 3; i++)
			dut_.far_sgot_i[i] = rng_.next();
		if (dut_.far_sgot_valid_i)
			put_entry(dut_.far_sgot_i, 0, requests_[sge_].lists[list_][index_]);
		const bool waits = sends_ && far_word_ == far_sent_;

		sends_ = far_read_ && words_left_ && (sends_ || !stalls || rng_.one_in(3));
		dut_.far_word_valid_i = sends_;
		if (!waits)
			rng_.fill(&dut_.far_word_i[0], word_bytes);
		far_sent_ = far_word_;
		if (sends_)
			put_word(&dut_.far_word_i[0], requests_[read_], far_word_);
	}

	static void put_word(uint32_t *to, const Request &r, unsigned int n)
	{
		std::memcpy(to, &r.data[n * word_bytes], std::min<size_t>(word_bytes, r.data.size() - n * word_bytes));
	}

	// ---- What the block does ----

	void observe()
	{
		if (dut_.keep_valid_i)
			observe_first();
		if (dut_.sge_valid_i && dut_.sge_ready_o)
			sge_taken_ = true;
		if (dut_.read_valid_i && dut_.read_ready_o)
			read_taken_ = true;
		if (dut_.far_sge_valid_o && dut_.far_sge_ready_i) {
			CHECK(sge_ >= 0 && sge_taken_ && !far_sge_ && int(dut_.far_sge_entry_o) == sge_ && dut_.far_sge_index_o == index_ &&
			      dut_.far_sge_result_o == list_, "another entry is wanted of the far side");
			observe_far(requests_[sge_]);
			far_sge_ = true;
		}
		if (dut_.far_read_valid_o && dut_.far_read_ready_i) {
			CHECK(read_ >= 0 && read_taken_ && !far_read_ && int(dut_.far_read_entry_o) == read_ && dut_.far_read_first_o == word_ &&
			      dut_.far_read_words_o == words_left_, "other words are wanted of the far side");
			observe_far(requests_[read_]);
			far_read_ = true;
		}
		if (dut_.sgot_valid_o)
			observe_entry();
		if (dut_.word_valid_o)
			observe_word();
		else
			CHECK(!amid_, "a pause between words");
	}

	void observe_first()
	{
		for (unsigned int k = 0; k < 2; k++) {
			if (next_.lists[k].empty())
				continue;
			const local_entry &e = next_.lists[k][0];
			const uint64_t addr = k ? get(dut_.result_o, entry_bits::addr) : get(dut_.gather_o, entry_bits::addr);
			const uint32_t lkey = k ? get(dut_.result_o, entry_bits::lkey) : get(dut_.gather_o, entry_bits::lkey);

			CHECK(addr == e.addr && lkey == e.lkey, "another first entry of list %u", k);
		}
	}

	void observe_far(const Request &r) { CHECK(r.full, "entry %u has no line although some were free", r.entry); }

	void observe_entry()
	{
		CHECK(sge_ >= 0 && sge_taken_, "an entry for nobody");
		const local_entry &e = requests_[sge_].lists[list_][index_];

		CHECK(get(dut_.sgot_o, entry_bits::addr) == e.addr && get(dut_.sgot_o, entry_bits::lkey) == e.lkey, "another entry than %u of list %u", index_,
		      list_);
		(far_sge_ ? far : near)++;
		entries++;
		sge_ = -1;
		far_sge_ = false;
		waits_[0] = 0;
	}

	void observe_word()
	{
		CHECK(read_ >= 0 && read_taken_ && words_left_, "a word for nobody");
		const Request &r = requests_[read_];
		const size_t from = word_ * word_bytes;

		CHECK(!std::memcmp(&dut_.word_o[0], &r.data[from], std::min<size_t>(word_bytes, r.data.size() - from)), "another word than %u", word_);
		amid_ = true;
		if (!dut_.word_ready_i)
			return;
		CHECK(!far_read_ || dut_.far_word_ready_o, "a far word is not taken");
		word_++;
		far_word_++;
		words++;
		if (--words_left_)
			return;
		amid_ = false;
		(far_read_ ? far : near)++;
		read_ = -1;
		far_read_ = sends_ = false;
		waits_[1] = 0;
	}
};

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("sender_lines", argc, argv);
	World world(bench);

	bench.live(bench.times(60000), [&] { world.restart(); }, [&] {
		world.stalls = bench.cycle() / 2048 % 2;
		world.cycle();
	});
	CHECK(world.near > 500 && world.far > 100 && world.dropped > 100 && world.words > 1000 && world.entries > 500, "%llu from lines, %llu far, %llu "
	      "dropped", (unsigned long long)world.near, (unsigned long long)world.far, (unsigned long long)world.dropped);
	return bench.finish();
}
