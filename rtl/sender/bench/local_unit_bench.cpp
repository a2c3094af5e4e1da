// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_local_unit: the blocks have their own benches; this one shows that they are joined. Requests of some ranks are taken
// in with lists or inline data, of which not all get a line. The ranks' data are due; each must be read from its list entry, or come
// from the request, and be given to the store. Commands come meanwhile, and nothing else of the sender is taken beside them.
// FENCE of a group, which has no results here, is answered at once.
#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <vector>

#include "Vdut.h"
#include "bench.h"
#include "local_bits.h"

constexpr unsigned int word_bytes = 64, longest_wait = 4000, most_ranks = 4, most_inline = 300;
constexpr unsigned int free_clocks = 8;	// a line can be taken again that many clocks after its request

struct Taken {			// a request
	bool used = false, listed = false, due = false;
	unsigned int ranks = 0, given = 0, ended = 0, len = 0;
	local_entry list[most_ranks];
	std::vector<uint8_t> data;
	uint32_t num = 0;
	bool full = false;		// when its first piece came, all lines may have been in use

	bool wants_line() const { return !listed || ranks > 1; }
};

class World {
public:
	explicit World(tally::Bench<Vdut> &bench) : bench_(bench), rng_(bench.rng), dut_(*bench.dut) {}

	uint64_t listed = 0, inlined = 0, far_entries = 0, far_words = 0, commands = 0, fenced = 0;

	void restart()
	{
		dut_.begin_i = dut_.data_valid_i = dut_.entry_valid_i = dut_.keep_valid_i = dut_.free_valid_i = dut_.due_valid_i = 0;
		dut_.ref_write_i = dut_.flag_valid_i = dut_.desc_flag_valid_i = dut_.desc_line_valid_i = dut_.cmd_valid_i = dut_.fence_valid_i = dut_.got_valid_i = dut_.far_sgot_valid_i = dut_.far_word_valid_i = 0;
		dut_.done_valid_i = dut_.out_valid_i = dut_.res_tvalid_i = dut_.ans_valid_i = dut_.hold_i = 0;
		for (Taken &t : taken_)
			t = {};
		steps_.clear();
		rows_.clear();
		reads_.clear();
		far_.clear();
		far_entry_ = {};
		op_.clear();
		freed_.clear();
		answer_due_ = commanded_ = free_before_ = false;
		fence_ = -1;
		still_ = 0;
		due_ = -1;
		freed_at_ = 0;
		bench_.reset();
	}

	void cycle()
	{
		dut_.keep_valid_i = dut_.free_valid_i = dut_.begin_i = dut_.data_valid_i = dut_.entry_valid_i = 0;
		offer();
		bench_.settle();
		observe();
		bench_.tick();
		if (fence_taken_) {
			dut_.fence_valid_i = fence_taken_ = false;
			if (dut_.fence_begins_i)
				fence_ = -1;
		}
		CHECK(++still_ < longest_wait, "nothing proceeds");
	}

private:
	struct Step {		// of the parser
		enum { BEGIN, ENTRY, DATA, KEEP, NONE } what;
		unsigned int index;
	};
	struct Read {
		unsigned int job, entry, rank;
	};

	tally::Bench<Vdut> &bench_;
	tally::Rng &rng_;
	Vdut &dut_;
	Taken taken_[Entries];
	std::deque<Step> steps_;
	std::deque<std::pair<unsigned int, unsigned int>> rows_;	// reader and entry
	std::deque<Read> reads_;
	std::deque<std::array<uint8_t, word_bytes>> far_;
	std::pair<bool, local_entry> far_entry_;
	std::vector<uint8_t> op_;
	unsigned int parsed_ = 0, still_ = 0;
	int due_ = -1;

	// ---- The parser ----

	void parse()
	{
		if (steps_.empty())
			begin();
		if (steps_.empty())
			return;
		const Step s = steps_.front();
		const Taken &t = taken_[parsed_];

		steps_.pop_front();
		dut_.begin_i = s.what == Step::BEGIN;
		dut_.entry_valid_i = s.what == Step::ENTRY;
		dut_.entry_result_i = 0;
		dut_.entry_index_i = dut_.data_index_i = s.index;
		if (s.what == Step::ENTRY) {
			put(dut_.entry_i, entry_bits::addr, t.list[s.index].addr);
			put(dut_.entry_i, entry_bits::lkey, t.list[s.index].lkey);
		}
		dut_.data_valid_i = s.what == Step::DATA;
		if ((s.what == Step::DATA && !s.index) || (s.what == Step::ENTRY && s.index == 1))
			taken_[parsed_].full = lines_are_full();
		if (s.what == Step::DATA)
			std::memcpy(&dut_.data_i[0], &t.data[s.index * word_bytes], std::min<size_t>(word_bytes, t.data.size() - s.index * word_bytes));
		dut_.keep_valid_i = s.what == Step::KEEP;
		dut_.keep_entry_i = parsed_;
		if (s.what == Step::KEEP) {
			taken_[parsed_].used = true;
			still_ = 0;
		}
	}

	bool lines_are_full() const
	{
		const unsigned int used = std::count_if(std::begin(taken_), std::end(taken_), [](const Taken &t) { return t.used && t.wants_line(); });

		return used >= Lines || bench_.cycle() < freed_at_ + free_clocks;
	}

	void begin()
	{
		parsed_ = rng_.below(Entries);
		Taken &t = taken_[parsed_];

		// Now and then so few that lines are free.
		if (t.used || (bench_.cycle() / 2048 % 2 ? !rng_.one_in(300) : rng_.one_in(4)))
			return;
		t = {};
		t.listed = rng_.one_in(2);
		t.ranks = 1 + rng_.below(most_ranks);
		t.len = 8 * (1 + rng_.below((t.listed ? word_bytes : most_inline) / 8));
		t.num = rng_.next();
		steps_ = { { Step::BEGIN, 0 }, { Step::NONE, 0 }, { Step::NONE, 0 } };
		for (unsigned int k = 0; t.listed && k < t.ranks; k++) {
			t.list[k] = { rng_.next(), uint32_t(rng_.next()) };
			steps_.push_back({ Step::ENTRY, k });
		}
		if (!t.listed) {
			t.ranks = 1;
			t.data.resize(t.len);
			rng_.fill(t.data.data(), t.len);
			for (unsigned int k = 0; k * word_bytes < t.len; k++)
				steps_.push_back({ Step::DATA, k });
		}
		steps_.push_back({ Step::KEEP, 0 });
		steps_.push_back({ Step::NONE, 0 });
	}

	// ---- Inputs ----

	void offer()
	{
		parse();
		offer_due();
		dut_.free_valid_i = !freed_.empty() && rng_.one_in(2) && !free_before_;
		if ((free_before_ = dut_.free_valid_i)) {
			dut_.free_entry_i = freed_.front();
			taken_[freed_.front()] = {};
			freed_at_ = bench_.cycle();
			freed_.pop_front();
		}
		dut_.cmd_valid_i = (dut_.cmd_valid_i && !commanded_) || rng_.one_in(60);
		commanded_ = false;
		if (fence_ < 0 && rng_.one_in(60)) {
			fence_ = dut_.fence_group_i = rng_.below(TALLY_MAX_GROUP);
			dut_.fence_begins_i = rng_.one_in(3);
			dut_.fence_valid_i = 1;
		}
		dut_.fenced_ready_i = rng_.one_in(2);
		dut_.cmd_qp_i = 0;
		dut_.cmd_ready_i = rng_.one_in(2);
		dut_.row_ready_i = 0;
		dut_.got_valid_i = 0;
		if (!rows_.empty()) {
			const auto [reader, entry] = rows_.front();
			const Taken &t = taken_[entry];

			dut_.got_valid_i = 1 << reader;
			dut_.got_qp_i = entry % Qps;
			put(dut_.got_i, request_bits::opcode, TALLY_OPCODE_REDUCE);
			put(dut_.got_i, request_bits::flags, 0);
			put(dut_.got_i, request_bits::give_log, 3);
			put(dut_.got_i, request_bits::elem_log, 3);
			put(dut_.got_i, request_bits::num_gather, t.listed ? t.ranks : 0);
			put(dut_.got_row_i, row_bits::root, 0);
			put(dut_.got_row_i, row_bits::pd, entry);
			put(dut_.got_row_i, { row_bits::gather, 32 }, t.list[0].lkey);
			put(dut_.got_row_i, { row_bits::gather + 32, 64 }, t.list[0].addr);
			rows_.pop_front();
		} else {
			dut_.row_ready_i = 7;
		}
		offer_answers();
	}

	void offer_due()
	{
		const unsigned int n = rng_.below(Entries);

		if (due_ < 0 && taken_[n].used && !taken_[n].due) {
			due_ = n;
			taken_[n].due = true;
		}
		dut_.due_valid_i = due_ >= 0;
		if (due_ < 0)
			return;
		const Taken &t = taken_[due_];

		dut_.due_qp_i = due_ % Qps;
		dut_.due_entry_i = due_;
		put(dut_.due_i, due_bits::group, 5);
		put(dut_.due_i, due_bits::ranks, (1ull << t.ranks) - 1);
		for (unsigned int at = 0; at < message_bits::width; at += 32)
			put(dut_.due_i, { due_bits::message + at, std::min(32u, message_bits::width - at) }, 0);
		put(dut_.due_i, { due_bits::message + message_bits::opcode.at, 8 }, TALLY_OPCODE_REDUCE);
		put(dut_.due_i, { due_bits::message + message_bits::num.at, 32 }, t.num);
		put(dut_.due_i, { due_bits::message + message_bits::total.at, 32 }, t.len / 8);
		put(dut_.due_i, { due_bits::message + message_bits::count.at, 32 }, t.len / 8);
	}

	// Of memory, one word; of the user of requests without a line; and of the store.
	void offer_answers()
	{
		dut_.acc_ready_i = rng_.one_in(2);
		dut_.end_ready_i = rng_.one_in(2);
		dut_.end_flag_i = 0;
		dut_.fault_ready_i = dut_.dat_ready_i = 1;
		dut_.out_valid_i = !reads_.empty() && rng_.one_in(2);
		if (dut_.out_valid_i) {
			dut_.out_job_i = reads_.front().job;
			dut_.out_last_i = 1;
			dut_.out_error_i = 0;
			std::memset(&dut_.out_data_i[0], 0x40 + reads_.front().rank, word_bytes);
			reads_.pop_front();
		}
		dut_.far_sge_ready_i = !far_entry_.first;
		dut_.far_sgot_valid_i = far_entry_.first;
		put(dut_.far_sgot_i, entry_bits::addr, far_entry_.second.addr);
		put(dut_.far_sgot_i, entry_bits::lkey, far_entry_.second.lkey);
		far_entry_.first = false;
		dut_.far_read_ready_i = far_.empty();
		dut_.far_word_valid_i = !far_.empty();
		if (!far_.empty())
			std::memcpy(&dut_.far_word_i[0], far_.front().data(), word_bytes);
		dut_.op_ready_i = rng_.one_in(2);
		dut_.ans_valid_i = answer_due_;
		dut_.ans_answer_i = TALLY_FW_STORE_ANSWER_STORED;
		answer_due_ = false;
	}
	bool answer_due_ = false;

	// ---- Outputs ----

	void observe()
	{
		CHECK(!dut_.cmd_valid_i || !dut_.due_ready_o, "data that are due are taken beside a command");
		if (dut_.due_valid_i && dut_.due_ready_o)
			due_ = -1;
		CHECK(!dut_.fenced_valid_o || (fence_ == int(dut_.fenced_group_o) && !dut_.fence_begins_i), "group %d is fenced", dut_.fenced_group_o);
		if (dut_.fenced_valid_o && dut_.fenced_ready_i)
			fence_ = -1, fenced++;
		if (dut_.fence_valid_i && dut_.fence_ready_o)
			fence_taken_ = true;
		if (dut_.cmd_valid_o && dut_.cmd_ready_i) {
			CHECK(dut_.cmd_ready_o, "a command passes, and stays");
			for (const Read &r : reads_)
				CHECK(r.entry % Qps, "a command passes an access");
			commands++;
			commanded_ = true;
		}
		for (unsigned int k = 0; k < 3; k++)
			if (dut_.row_valid_o >> k & 1 && dut_.row_ready_i >> k & 1)
				rows_.push_back({ k, dut_.row_entry_o >> k * entry_width & (Entries - 1) });
		observe_far();
		observe_access();
		observe_operation();
		observe_end();
	}
	static constexpr unsigned int entry_width = 4;
	bool commanded_ = false, fence_taken_ = false;
	int fence_ = -1;	// group of a command that was not taken, or not answered

	void observe_far()
	{
		if (dut_.far_sge_valid_o && dut_.far_sge_ready_i) {
			CHECK(taken_[dut_.far_sge_entry_o].full, "entry %u has no line although some were free", dut_.far_sge_entry_o);
			far_entry_ = { true, taken_[dut_.far_sge_entry_o].list[dut_.far_sge_index_o] };
			far_entries++;
		}
		if (dut_.far_word_valid_i && dut_.far_word_ready_o)
			far_.pop_front();
		if (!dut_.far_read_valid_o || !dut_.far_read_ready_i)
			return;
		CHECK(taken_[dut_.far_read_entry_o].full, "entry %u has no line although some were free", dut_.far_read_entry_o);
		for (unsigned int i = 0; i < dut_.far_read_words_o; i++) {
			const std::vector<uint8_t> &data = taken_[dut_.far_read_entry_o].data;
			const size_t from = (dut_.far_read_first_o + i) * word_bytes;

			far_.push_back({});
			if (from < data.size())
				std::memcpy(far_.back().data(), &data[from], std::min<size_t>(word_bytes, data.size() - from));
			far_words++;
		}
	}

	void observe_access()
	{
		if (!dut_.acc_valid_o || !dut_.acc_ready_i)
			return;
		const unsigned int entry = get(dut_.acc_o, access_bits::pd);
		Taken &t = taken_[entry];

		CHECK(entry < Entries && t.due && t.listed && t.given < t.ranks, "an access for entry %u: due %d, listed %d, %u of %u", entry, t.due, t.listed, t.given, t.ranks);
		CHECK(get(dut_.acc_o, access_bits::addr) == t.list[t.given].addr && get(dut_.acc_o, access_bits::lkey) == t.list[t.given].lkey &&
			      get(dut_.acc_o, access_bits::len) == t.len && !get(dut_.acc_o, access_bits::write),
		      "another list entry of rank %u", t.given);
		reads_.push_back({ dut_.acc_job_o, entry, t.given++ });
	}

	void observe_operation()
	{
		if (!dut_.op_valid_o || !dut_.op_ready_i)
			return;
		const uint8_t *from = reinterpret_cast<const uint8_t *>(&dut_.op_tdata_o);

		op_.insert(op_.end(), from, from + (~dut_.op_tkeep_o ? __builtin_ctzll(~dut_.op_tkeep_o) : word_bytes));
		if (!dut_.op_tlast_o)
			return;
		const uint32_t num = get(dut_.op_o, { operation_bits::message + message_bits::num.at, 32 });
		auto t = std::find_if(std::begin(taken_), std::end(taken_), [num](const Taken &k) { return k.due && k.num == num; });

		CHECK(t != std::end(taken_) && op_.size() == t->len, "%zu bytes of chunk %x", op_.size(), num);
		if (!t->listed)
			CHECK(op_ == t->data, "other inline data of chunk %x", num);
		else
			CHECK(op_[0] == 0x40 + get(dut_.op_o, operation_bits::edge), "data of another rank");
		(t->listed ? listed : inlined)++;
		op_.clear();
		answer_due_ = true;
	}

	// The rank only gives data, so it has finished.
	void observe_end()
	{
		if (!dut_.end_valid_o || !dut_.end_ready_i)
			return;
		Taken &t = taken_[dut_.end_entry_o];

		CHECK(t.due && dut_.end_qp_o == dut_.end_entry_o % Qps && ++t.ended <= t.ranks, "an end for entry %u", dut_.end_entry_o);
		still_ = 0;
		if (t.ended == t.ranks)
			freed_.push_back(dut_.end_entry_o);
	}
	std::deque<unsigned int> freed_;	// entries whose requests have retired
	bool free_before_ = false;
	uint64_t freed_at_ = 0;			// cycle of the last one
};

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("local_unit", argc, argv);
	World world(bench);

	bench.live(bench.times(40000), [&] { world.restart(); }, [&] { world.cycle(); });
	CHECK(world.listed > 300 && world.inlined > 100 && world.far_entries > 30 && world.far_words > 30 && world.commands > 100 &&
	      world.fenced > 100, "%llu, %llu, %llu, %llu, %llu, %llu", (unsigned long long)world.listed, (unsigned long long)world.inlined,
	      (unsigned long long)world.far_entries, (unsigned long long)world.far_words, (unsigned long long)world.commands,
	      (unsigned long long)world.fenced);
	return bench.finish();
}
