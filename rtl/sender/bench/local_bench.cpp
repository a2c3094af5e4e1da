// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_local: chunks of several requests, from the data of their ranks to their results, flag words and commands. The engine's
// local_fetch(), local_deliver() and wr_complete() are the reference: what the store gets must be the bytes of memory where the engine
// reads them, what is written must be the bytes of the result where the engine writes them, and each rank must be told once. Results that
// came before FENCE of their group may be written or not, but once it is answered, none is.
#include <algorithm>
#include <cstring>
#include <deque>
#include <vector>

#include "Vdut.h"
#include "local_bits.h"

constexpr unsigned int word_bytes = 64, most_requests = 3, readers = 3, entry_width = 4;
static_assert(Entries == 1u << entry_width, "packed entries");

struct Write {
	local_access a;
	std::vector<uint8_t> data;
	bool flag = false;
	unsigned int rank = 0;
	uint16_t err_vector = 0;
};

struct End {
	bool flag, failed;
	unsigned int bytes;
	uint16_t err_vector;
	bool has_ended; // its job has
	bool get = false; // of a result
	unsigned int rank = 0;
};

// A request in its entry. `gives` are ranks whose data the store has not had, `ends` what tally_status must hear.
struct Request {
	bool used = false, posted = false, flagged = false;
	unsigned int qp = 0, entry = 0, slot = 0;
	local_request r;
	uint64_t gives = 0, only_gives = 0;
	std::vector<uint8_t> inline_data;
	std::vector<Write> writes; // expected
	std::vector<End> ends;
	unsigned int faults = 0, accesses = 0; // of memory that has refused a read; in flight
};

struct Slot {
	bool used = false;
	local_chunk c = {};
	unsigned int requests = 0, entry[most_requests] = {};
	uint64_t without_result = 0, untaken = 0; // ranks; those whose Taken must come by now or later
	uint64_t undecided = 0; // ranks with a result that came before FENCE, and may not be written
};

struct Access { // in flight
	bool used = false, write = false;
	int request = -1;
	local_access a;
	unsigned int words = 0, at = 0;
	Write expected;
};

class World {
public:
	explicit World(tally::Bench<Vdut> &bench) : bench_(bench), rng_(bench.rng), dut_(*bench.dut) {}

	bool stalls = true, alone = false;	// alone: one chunk at a time, whose data do not wait for others
	uint64_t chunks = 0, stored = 0, lost = 0, refused = 0, written = 0, flags = 0, ends = 0, taken = 0, ended = 0, commands = 0, inlined = 0, values = 0, fenced = 0, unwritten = 0;

	void restart()
	{
		dut_.due_valid_i = dut_.ref_write_i = dut_.flag_valid_i = dut_.cmd_valid_i = dut_.fence_valid_i = dut_.got_valid_i = dut_.sgot_valid_i = 0;
		dut_.inl_valid_i = dut_.done_valid_i = dut_.out_valid_i = dut_.res_tvalid_i = dut_.ans_valid_i = 0;
		bench_.reset();
		for (Request &q : requests_)
			q = {};
		for (Slot &s : slots_)
			s = {};
		for (Access &a : accesses_)
			a = {};
		for (int &row : rows_)
			row = -1;
		std::fill(std::begin(groups_), std::end(groups_), OPEN);
		fence_ = waiting_ = told_ = -1;
		tells_ = false;
		posts_.clear(), order_.clear();
		due_ = command_ = flag_ = line_ = answers_ = result_ = -1;
		passes_ = sge_waits_ = sends_ = begun_ = res_waits_ = false;
		op_at_ = line_at_ = result_at_ = waits_ = 0;
		op_request_ = -1;
		asked_.clear();
	}

	void cycle(bool choose = true)
	{
		if (choose)
			begin();
		post();
		hold();
		offer_due();
		offer_flag();
		offer_command(choose);
		offer_fence(choose);
		answer_rows();
		answer_entry();
		send_line();
		answer_memory();
		send_result();
		answer_store();
		dut_.acc_ready_i = !stalls || rng_.one_in(2);
		dut_.dat_ready_i = !order_.empty() && (!stalls || rng_.one_in(2));
		dut_.op_ready_i = !stalls || op_.go();
		dut_.end_ready_i = !stalls || end_.go();
		dut_.fault_ready_i = !stalls || rng_.one_in(3);
		dut_.cmd_ready_i = !stalls || rng_.one_in(3);
		dut_.fenced_ready_i = !stalls || rng_.one_in(3);
		dut_.end_flag_i = 0;
		bench_.settle();
		choose_flag();
		bench_.settle();
		observe();
		CHECK(++waits_ < 6000, "the block has stopped");
		bench_.tick();
	}

	// Lets everything end, and looks whether all has been told.
	void finish()
	{
		stalls = false;
		for (unsigned int i = 0; i < 30000 && !is_idle(); i++)
			cycle(false);
		for (unsigned int i = 0; i < 20; i++)
			cycle(false);
		CHECK(is_idle(), "a request never ends");
		CHECK(!dut_.busy_o, "the block is busy");
	}

private:
	tally::Bench<Vdut> &bench_;
	tally::Rng &rng_;
	Vdut &dut_;
	Request requests_[Entries];
	Slot slots_[Slots];
	Access accesses_[Jobs];
	std::deque<std::pair<unsigned int, unsigned int>> posts_; // references to be written: entry, rank
	std::deque<unsigned int> order_;			    // writes whose words have not come
	int due_ = -1, command_ = -1, flag_ = -1, line_ = -1, answers_ = -1, result_ = -1, op_request_ = -1;
	enum { OPEN, SHUTS, SHUT } groups_[Groups];
	int fence_ = -1, waiting_ = -1; // group of a command that is offered; of a FENCE that is not answered
	bool begins_ = false, tells_ = false;
	int told_ = -1; // entry of the end that was told last, if it is of a result that was not taken
	unsigned int told_rank_ = 0;
	int rows_[readers];
	bool passes_ = false, sge_waits_ = false, sge_result_ = false, sends_ = false, error_ = false, begun_ = false, res_waits_ = false;
	unsigned int sge_entry_ = 0, sge_index_ = 0, waits_ = 0, op_rank_ = 0;
	size_t op_at_ = 0, line_at_ = 0, line_from_ = 0, line_sent_ = 0, result_at_ = 0;
	uint64_t result_ranks_ = 0;
	bool result_ended_ = false;
	uint16_t result_err_ = 0, errors_ = 0;
	uint8_t verdict_ = 0;
	std::vector<uint8_t> result_data_, op_data_;
	local_operation op_expected_ = {};
	struct Asked {
		int request;	// of data, or -1
		unsigned int rank;
	};
	std::deque<Asked> asked_; // operations that the store has not answered
	tally::Throttle op_{ rng_ }, end_{ rng_ };

	bool is_idle() const
	{
		return std::none_of(requests_, requests_ + Entries, [](const Request &q) { return q.used; }) && command_ < 0 && fence_ < 0 && waiting_ < 0;
	}

	// ---- Requests ----

	void begin()
	{
		const unsigned int n = rng_.below(Slots);
		Slot &s = slots_[n];
		std::vector<unsigned int> free;

		for (unsigned int k = 0; k < Entries; k++)
			if (!requests_[k].used)
				free.push_back(k);
		if (s.used || free.size() < (alone ? Entries : most_requests) || !rng_.one_in(8))
			return;
		Request first;
		random_request(rng_, first.r, s.c);
		if (s.c.whole > 32 && !rng_.one_in(4)) // fewer long ones
			s.c.whole = s.c.total = 1 + rng_.below(32), s.c.first = s.c.sid = 0;
		if (rng_.one_in(3))
			first.r.rank_mask &= rng_.next() & rng_.next();
		if (!first.r.rank_mask)
			first.r.rank_mask = 1ull << first.r.root_rank;
		s.c.group = rng_.below(Groups / 16) << 4 | n; // names the slot
		if (fence_ == s.c.group && begins_) // the chunk is of the next epoch
			return;
		s.used = true;
		s.requests = 1 + rng_.below(most_requests);
		s.without_result = s.untaken = s.undecided = 0;
		uint64_t left = first.r.rank_mask;
		for (unsigned int k = 0; k < s.requests; k++) {
			const uint64_t mask = k + 1 == s.requests ? left : left & rng_.next();

			left &= ~mask;
			s.entry[k] = free[k];
			set_request(requests_[free[k]], first.r, mask, n);
			requests_[free[k]].entry = free[k];
		}
		chunks++;
	}

	void set_request(Request &q, const local_request &r, uint64_t mask, unsigned int slot)
	{
		const Slot &s = slots_[slot];
		bool has_inline;

		q = {};
		q.used = true;
		q.r = r;
		q.qp = rng_.below(Qps);
		q.slot = slot;
		q.r.rank_mask = mask;
		q.r.pd = rng_.below(TALLY_MAX_PD);
		q.r.flags &= TALLY_WQE_F_LOC_VALUES;
		if (rng_.one_in(4) && r.opcode != TALLY_OPCODE_BARRIER)
			q.r.flags |= TALLY_WQE_F_COMBINED;
		q.r.loc_index = rng_.next();
		if (rng_.one_in(8))
			q.r.flags |= TALLY_WQE_F_EMPTY;
		random_lists(rng_, q.r);
		q.r.flag = { rng_.next() >> 1, uint32_t(rng_.next()) };
		q.r.flag_value = rng_.next();
		if (!mask) {
			q.posted = true;
			return;
		}
		local_set(&q.r, &s.c);
		has_inline = r.opcode == TALLY_OPCODE_BARRIER || ((s.c.total << r.give_log) <= TALLY_MAX_INLINE && rng_.one_in(2));
		q.r.num_gather = has_inline ? 0 : __builtin_popcountll(local_givers());
		q.r.num_result = rng_.one_in(10) ? 0 : __builtin_popcountll(local_getters());
		q.inline_data.resize(std::min<uint64_t>(TALLY_MAX_INLINE + TALLY_MAX_MTU, uint64_t(s.c.total) << r.give_log));
		rng_.fill(q.inline_data.data(), q.inline_data.size());
	}

	Request &of_rank(const Slot &s, unsigned int rank)
	{
		for (unsigned int k = 0; k < s.requests; k++)
			if (requests_[s.entry[k]].r.rank_mask >> rank & 1)
				return requests_[s.entry[k]];
		tally::fail("rank %u has no request", rank);
	}

	void set_model(const Request &q) { local_set(&q.r, &slots_[q.slot].c); }

	// A request whose last event has come, and then a slot all of whose requests have ended.
	void pass(Slot &s)
	{
		waits_ = 0;
		if (!s.used || s.without_result || s.untaken)
			return;
		if (!posts_.empty() && requests_[posts_.front().first].slot == unsigned(&s - slots_)) // references are being written
			return;
		for (unsigned int k = 0; k < s.requests; k++) {
			const Request &q = requests_[s.entry[k]];

			if (!q.posted || q.gives || q.faults || q.accesses || !q.ends.empty() || !q.writes.empty())
				return;
		}
		for (unsigned int k = 0; k < s.requests; k++)
			requests_[s.entry[k]] = {};
		s = {};
	}

	// ---- What the sender does ----

	void post()
	{
		dut_.ref_write_i = !posts_.empty() && (!stalls || rng_.one_in(2));
		dut_.ref_slot_i = rng_.below(Slots);
		dut_.ref_rank_i = rng_.below(64);
		if (dut_.ref_write_i) {
			std::swap(posts_.front(), posts_[rng_.below(posts_.size())]); // in any order
			const auto [entry, rank] = posts_.front();

			dut_.ref_slot_i = requests_[entry].slot;
			dut_.ref_rank_i = rank;
			dut_.ref_entry_i = entry;
			posts_.pop_front();
			if (posts_.empty()) // nobody may take part
				pass(slots_[requests_[entry].slot]);
		}
		if (dut_.ref_write_i || !posts_.empty())
			return;
		const unsigned int n = rng_.below(Entries);
		Request &q = requests_[n];
		if (due_ >= 0 || command_ >= 0 || !q.used || q.posted)
			return;
		for (uint64_t left = q.r.rank_mask; left; left &= left - 1)
			posts_.push_back({ n, __builtin_ctzll(left) });
		set_model(q);
		q.posted = true;
		q.gives = local_givers();
		q.only_gives = q.r.opcode == TALLY_OPCODE_BARRIER ? 0 : q.gives & ~local_getters();
		slots_[q.slot].without_result |= local_takers();
		if (q.gives)
			due_ = n;
	}

	// Results may come before the references of their ranks are written.
	void hold() { dut_.hold_i = !posts_.empty(); }

	void offer_due()
	{
		dut_.due_valid_i = due_ >= 0 && posts_.empty();
		if (due_ < 0)
			return;
		const Request &q = requests_[due_];

		dut_.due_qp_i = q.qp;
		dut_.due_entry_i = q.entry;
		put(dut_.due_i, due_bits::group, slots_[q.slot].c.group);
		put(dut_.due_i, due_bits::ranks, q.gives);
		put_message(dut_.due_i, due_bits::message, q.r, slots_[q.slot].c);
	}

	// The flag word of a request whose last chunk ends with an update.
	void offer_flag()
	{
		if (flag_ < 0 && command_ < 0 && rng_.one_in(16)) {
			const unsigned int n = rng_.below(Entries);
			Request &q = requests_[n];

			if (q.used && q.r.rank_mask && !q.flagged) {
				flag_ = n;
				expect_flag(q);
			}
		}
		dut_.flag_valid_i = flag_ >= 0;
		if (flag_ < 0)
			return;
		dut_.flag_qp_i = requests_[flag_].qp;
		dut_.flag_entry_i = flag_;
	}

	void expect_flag(Request &q)
	{
		Write w;

		set_model(q);
		const uint32_t value = local_flag(&w.a);
		w.flag = true;
		w.data.resize(sizeof(value));
		std::memcpy(w.data.data(), &value, sizeof(value));
		q.flagged = true;
		q.writes.push_back(w);
	}

	void offer_command(bool choose)
	{
		if (choose && command_ < 0 && flag_ < 0 && due_ < 0 && posts_.empty() && rng_.one_in(100))
			command_ = rng_.below(Qps);
		dut_.cmd_valid_i = command_ >= 0;
		dut_.cmd_qp_i = command_ >= 0 ? command_ : rng_.below(Qps);
	}

	// ---- Groups that are fenced ----

	bool is_used(unsigned int group) const
	{
		return std::any_of(slots_, slots_ + Slots, [&](const Slot &s) { return s.used && s.c.group == group; });
	}

	void choose_fence()
	{
		const Slot &s = slots_[rng_.below(Slots)];
		const unsigned int group = s.used ? s.c.group : rng_.below(Groups);

		begins_ = groups_[group] == SHUT && !is_used(group);
		if (begins_ || rng_.one_in(8))
			fence_ = group;
	}

	void offer_fence(bool choose)
	{
		if (choose && fence_ < 0 && rng_.one_in(20))
			choose_fence();
		dut_.fence_valid_i = fence_ >= 0;
		dut_.fence_begins_i = fence_ >= 0 ? begins_ : rng_.one_in(2);
		dut_.fence_group_i = fence_ >= 0 ? fence_ : rng_.below(Groups);
	}

	// A result that has come before FENCE may have begun to leave its buffer.
	void fence_taken()
	{
		groups_[fence_] = begins_ ? OPEN : SHUTS;
		waiting_ = begins_ ? -1 : fence_;
		for (Slot &s : slots_) {
			if (!s.used || s.c.group != fence_ || begins_)
				continue;
			for (unsigned int k = 0; k < s.requests; k++) {
				const Request &q = requests_[s.entry[k]];

				for (const Write &w : q.writes)
					s.undecided |= uint64_t(!w.flag) << w.rank;
				for (const End &e : q.ends)
					s.undecided |= uint64_t(e.get && !e.has_ended) << e.rank;
			}
		}
		fence_ = -1;
	}

	// The rank does not get its result, if that has not been written or told.
	void lose(Slot &s, unsigned int rank)
	{
		Request &q = of_rank(s, rank);
		auto w = std::find_if(q.writes.begin(), q.writes.end(), [&](const Write &x) { return !x.flag && x.rank == rank; });
		auto e = std::find_if(q.ends.begin(), q.ends.end(), [&](const End &x) { return x.get && !x.has_ended && x.rank == rank; });

		if (!(s.undecided >> rank & 1))
			return;
		s.undecided &= ~(1ull << rank);
		if (w == q.writes.end() && e == q.ends.end())
			return;
		if (w != q.writes.end())
			q.writes.erase(w);
		if (e != q.ends.end())
			q.ends.erase(e);
		s.untaken |= 1ull << rank;
		unwritten++;
	}

	// A result is taken right after its end was told, if that is not lost. Ends of several ranks may look alike.
	void decide(Slot &s, unsigned int rank)
	{
		Request &q = of_rank(s, rank);

		if (told_ != int(q.entry)) {
			lose(s, rank);
			return;
		}
		for (End &e : q.ends)
			if (e.get && !e.has_ended && e.rank == rank)
				e.rank = told_rank_;
		told_rank_ = rank;
		s.undecided &= ~(1ull << rank);
	}

	void observe_fence()
	{
		CHECK(dut_.fenced_valid_o || !tells_, "an answer to FENCE is withdrawn");
		CHECK(!dut_.fenced_valid_o || (waiting_ >= 0 && dut_.fenced_group_o == waiting_), "group %d is fenced", dut_.fenced_group_o);
		tells_ = dut_.fenced_valid_o && !dut_.fenced_ready_i;
		if (dut_.fenced_valid_o)
			check_fenced();
		if (dut_.fenced_valid_o && dut_.fenced_ready_i) {
			waiting_ = -1;
			waits_ = 0;
			fenced++;
		}
		if (dut_.fence_valid_i && dut_.fence_ready_o) {
			CHECK(waiting_ < 0, "a command passes FENCE");
			fence_taken();
		}
	}

	// Nothing of the group is being written or told, and nothing will be.
	void check_fenced()
	{
		groups_[waiting_] = SHUT;
		for (const Access &a : accesses_)
			CHECK(!a.used || !a.write || a.expected.flag || slots_[requests_[a.request].slot].c.group != waiting_, "a result is being written");
		for (Slot &s : slots_) {
			if (!s.used || s.c.group != waiting_)
				continue;
			for (unsigned int k = 0; k < s.requests; k++) {
				const Request &q = requests_[s.entry[k]];

				CHECK(std::none_of(q.ends.begin(), q.ends.end(), [](const End &e) { return e.get && e.has_ended; }), "a result is not told");
			}
			for (uint64_t left = s.undecided; left; left &= left - 1)
				lose(s, __builtin_ctzll(left));
		}
	}

	// ---- Tables ----

	void answer_rows()
	{
		int served = -1;

		dut_.got_valid_i = 0;
		for (unsigned int k = 0; k < readers; k++)
			if (rows_[k] >= 0 && served < 0 && (!stalls || rng_.one_in(2)))
				served = k;
		dut_.row_ready_i = !stalls ? 7 : rng_.below(8);
		for (unsigned int i = 0; i <= request_bits::width / 32; i++)
			dut_.got_i[i] = rng_.next();
		for (unsigned int i = 0; i <= row_bits::width / 32; i++)
			dut_.got_row_i[i] = rng_.next();
		put(dut_.got_i, { request_bits::width, 32 - request_bits::width % 32 }, 0);
		put(dut_.got_row_i, { row_bits::width, 32 - row_bits::width % 32 }, 0);
		if (served < 0)
			return;
		const Request &q = requests_[rows_[served]];

		dut_.got_valid_i = 1u << served;
		dut_.got_qp_i = q.qp;
		put(dut_.got_i, request_bits::num_gather, q.r.num_gather);
		put(dut_.got_i, request_bits::num_result, q.r.num_result);
		put(dut_.got_i, request_bits::give_log, q.r.give_log);
		put(dut_.got_i, request_bits::elem_log, q.r.elem_log);
		put(dut_.got_i, request_bits::flags, q.r.flags);
		put(dut_.got_i, request_bits::loc_index, q.r.loc_index);
		put(dut_.got_i, request_bits::rank_mask, q.r.rank_mask);
		put(dut_.got_i, request_bits::mid, slots_[q.slot].c.mid);
		put(dut_.got_i, request_bits::flag_addr, q.r.flag.addr);
		put(dut_.got_i, request_bits::flag_lkey, q.r.flag.lkey);
		put(dut_.got_i, request_bits::flag_value, q.r.flag_value);
		put_row(dut_.got_row_i, q.r);
		rows_[served] = -1;
	}

	void answer_entry()
	{
		dut_.sge_ready_i = !stalls || rng_.one_in(2);
		dut_.sgot_valid_i = sge_waits_ && (!stalls || rng_.one_in(2));
		for (unsigned int i = 0; i < 3; i++)
			dut_.sgot_i[i] = rng_.next();
		if (!dut_.sgot_valid_i)
			return;
		const local_request &r = requests_[sge_entry_].r;
		put_entry(dut_.sgot_i, 0, (sge_result_ ? r.result : r.gather)[sge_index_]);
		sge_waits_ = false;
	}

	void send_line()
	{
		const bool waits = sends_ && line_at_ == line_sent_;

		dut_.line_ready_i = !stalls || rng_.one_in(2);
		sends_ = line_ >= 0 && (sends_ || !stalls || rng_.one_in(3));
		dut_.inl_valid_i = sends_;
		if (sends_ && !waits) {
			const std::vector<uint8_t> &data = requests_[line_].inline_data;
			const size_t from = line_from_ + line_at_;

			rng_.fill(&dut_.inl_data_i[0], word_bytes);
			if (from < data.size())
				std::memcpy(&dut_.inl_data_i[0], &data[from], std::min<size_t>(word_bytes, data.size() - from));
		}
		line_sent_ = line_at_;
	}

	// ---- Memory: each byte is a function of its place ----

	static uint8_t byte_at(uint32_t lkey, uint64_t addr)
	{
		uint64_t x = (addr ^ uint64_t(lkey) << 32) * 0x9e3779b97f4a7c15;

		return (x ^ x >> 29) * 0xbf58476d1ce4e5b9 >> 56;
	}

	int random_access(bool write) const
	{
		const unsigned int from = rng_.below(Jobs);

		for (unsigned int k = 0; k < Jobs; k++) {
			const unsigned int n = (from + k) % Jobs;
			const Access &a = accesses_[n];

			if (a.used && a.write == write && (!write || a.at == a.words))
				return n;
		}
		return -1;
	}

	void answer_memory()
	{
		const int n = rng_.one_in(stalls ? 8 : 2) ? random_access(rng_.one_in(2) || answers_ >= 0) : -1;

		dut_.done_valid_i = n >= 0 && (accesses_[n].write || rng_.one_in(20));
		dut_.done_job_i = n >= 0 ? n : rng_.below(Jobs);
		dut_.done_failed_i = n >= 0 && (!accesses_[n].write || rng_.one_in(8));
		if (dut_.done_valid_i)
			access_ends(n, dut_.done_failed_i);
		if (answers_ < 0 && rng_.one_in(stalls ? 20 : 3)) {
			answers_ = random_access(false);
			error_ = rng_.one_in(20);
		}
		dut_.out_valid_i = answers_ >= 0 && (!stalls || rng_.one_in(2));
		rng_.fill(&dut_.out_data_i[0], word_bytes);
		dut_.out_job_i = answers_ >= 0 ? answers_ : rng_.below(Jobs);
		dut_.out_last_i = dut_.out_error_i = 0;
		if (dut_.out_valid_i)
			send_word();
	}

	void send_word()
	{
		Access &a = accesses_[answers_];
		uint8_t *to = reinterpret_cast<uint8_t *>(&dut_.out_data_i[0]);

		for (unsigned int i = 0; i < word_bytes && a.at * word_bytes + i < a.a.len; i++)
			to[i] = byte_at(a.a.lkey, a.a.addr + a.at * word_bytes + i);
		dut_.out_last_i = ++a.at == a.words;
		dut_.out_error_i = dut_.out_last_i && error_;
		if (!dut_.out_last_i)
			return;
		if (error_)
			access_ends(answers_, true);
		else
			requests_[a.request].accesses--, a = {};
		answers_ = -1;
	}

	void access_ends(unsigned int n, bool fails)
	{
		const Access a = accesses_[n];
		Request &q = requests_[a.request];

		accesses_[n] = {};
		q.accesses--;
		if (!a.write) {
			set_model(q);
			q.gives &= ~(1ull << a.expected.rank);
			q.faults++;
			refused++;
			return;
		}
		if (a.expected.flag) {
			q.ends.push_back({ true, fails, 0, 0, true });
			return;
		}
		q.ends.push_back({ false, fails, a.a.len, a.expected.err_vector, true, true, a.expected.rank });
		slots_[q.slot].untaken |= 1ull << a.expected.rank;
	}

	// ---- Results of the store ----

	void choose_result()
	{
		const unsigned int n = rng_.below(Slots);
		Slot &s = slots_[n];

		if (!s.used || !s.without_result)
			return;
		for (unsigned int k = 0; k < s.requests; k++)
			if (!requests_[s.entry[k]].posted || requests_[s.entry[k]].gives)
				return;
		result_ = n;
		result_at_ = 0;
		result_ranks_ = s.without_result;
		if (rng_.one_in(2))
			result_ranks_ &= rng_.next();
		if (!result_ranks_)
			result_ranks_ = s.without_result & -s.without_result;
		result_ended_ = rng_.one_in(8);
		result_err_ = rng_.next();
		result_data_.resize(std::min(s.c.whole, s.c.total - s.c.first) << requests_[s.entry[0]].r.elem_log);
		rng_.fill(result_data_.data(), result_data_.size());
		put(dut_.res_i, result_bits::err_vector, result_err_);
		put(dut_.res_i, result_bits::ended, result_ended_);
		put(dut_.res_i, result_bits::ranks, result_ranks_);
		put(dut_.res_i, result_bits::group, s.c.group);
		put_message(dut_.res_i, result_bits::message, requests_[s.entry[0]].r, s.c);
		dut_.res_slot_i = n;
	}

	void send_result()
	{
		if (result_ < 0)
			choose_result();
		dut_.res_tvalid_i = result_ >= 0 && (!stalls || res_waits_ || rng_.one_in(2));
		res_waits_ = dut_.res_tvalid_i;
		if (result_ < 0)
			return;
		rng_.fill(&dut_.res_tdata_i[0], word_bytes);
		if (result_at_ < result_data_.size())
			std::memcpy(&dut_.res_tdata_i[0], &result_data_[result_at_], std::min<size_t>(word_bytes, result_data_.size() - result_at_));
		dut_.res_tlast_i = result_at_ + word_bytes >= result_data_.size();
	}

	void take_result()
	{
		if (!dut_.res_tvalid_i || !dut_.res_tready_o)
			return;
		result_at_ += word_bytes;
		res_waits_ = false;
		if (!dut_.res_tlast_i)
			return;
		Slot &s = slots_[result_];

		s.without_result &= ~result_ranks_;
		for (uint64_t left = result_ranks_; left; left &= left - 1)
			expect_result(s, __builtin_ctzll(left));
		result_ = -1;
	}

	void expect_result(Slot &s, unsigned int rank)
	{
		Request &q = of_rank(s, rank);
		uint32_t place;
		Write w;

		if (result_ended_ || groups_[s.c.group] != OPEN) {
			s.untaken |= 1ull << rank;
			(result_ended_ ? ended : unwritten)++;
			return;
		}
		set_model(q);
		if ((local_getters() >> rank & 1) && !local_writes(1ull << rank, result_data_.data()) && local_next_write(&w.a, &place)) {
			w.data.assign(&result_data_[place], &result_data_[place] + w.a.len);
			w.rank = rank;
			w.err_vector = result_err_;
			q.writes.push_back(w);
			return;
		}
		q.ends.push_back({ false, false, 0, result_err_, false, true, rank });
		s.untaken |= 1ull << rank;
	}

	void answer_store()
	{
		dut_.ans_valid_i = !asked_.empty() && (!stalls || rng_.one_in(4));
		verdict_ = TALLY_FW_STORE_ANSWER_STORED;
		if (rng_.one_in(8))
			verdict_ = rng_.one_in(2) ? unsigned(TALLY_FW_STORE_ANSWER_DUPLICATE) : TALLY_FW_STORE_ANSWER_PAST + rng_.below(6);
		errors_ = rng_.next();
		dut_.ans_answer_i = verdict_;
		dut_.ans_err_vector_i = errors_;
		if (!dut_.ans_valid_i)
			return;
		const Asked a = asked_.front();

		asked_.pop_front();
		if (a.request >= 0)
			data_answered(requests_[a.request], a.rank);
	}

	void data_answered(Request &q, unsigned int rank)
	{
		const bool is_stored = verdict_ == TALLY_FW_STORE_ANSWER_STORED || verdict_ == TALLY_FW_STORE_ANSWER_DUPLICATE;

		q.gives &= ~(1ull << rank);
		if (is_stored && (q.only_gives >> rank & 1))
			q.ends.push_back({ false, false, 0, errors_, true });
		(is_stored ? stored : lost)++;
		pass(slots_[q.slot]);
	}

	// ---- What the block does ----

	void observe()
	{
		CHECK(dut_.busy_o || (!dut_.op_valid_o && !dut_.acc_valid_o && !dut_.end_valid_o && !dut_.fault_valid_o &&
		      !dut_.fenced_valid_o && waiting_ < 0), "it does something, and is not busy");
		if (dut_.due_valid_i && dut_.due_ready_o)
			due_ = -1, waits_ = 0;
		if (dut_.flag_valid_i && dut_.flag_ready_o)
			flag_ = -1, waits_ = 0;
		observe_command();
		take_result(); // one that is whole in the clock of FENCE has come before it
		observe_fence();
		observe_tables();
		if (dut_.acc_valid_o && dut_.acc_ready_i)
			observe_access();
		if (dut_.dat_valid_o && dut_.dat_ready_i)
			observe_word_written();
		if (dut_.op_valid_o)
			observe_operation();
		else
			CHECK(!op_at_, "a pause between the words of an operation");
		if (dut_.inl_valid_i && dut_.inl_ready_o)
			line_at_ += word_bytes;
		if (dut_.end_valid_o && dut_.end_ready_i)
			observe_end();
		if (dut_.fault_valid_o && dut_.fault_ready_i)
			observe_fault();
	}

	void check_quiet(const Request &q)
	{
		CHECK(!q.gives && !q.faults && !q.accesses, "a command passes while ranks %llx give, with %u accesses", (unsigned long long)q.gives, q.accesses);
		CHECK(std::none_of(q.writes.begin(), q.writes.end(), [](const Write &w) { return w.flag; }), "a command passes before a flag word");
		CHECK(std::none_of(q.ends.begin(), q.ends.end(), [](const End &e) { return e.has_ended; }), "a command passes before an end");
	}

	// A command passes when no access of the queue pair is in flight, and nothing of one is left to be told.
	void observe_command()
	{
		if (!dut_.cmd_valid_o) {
			CHECK(!passes_, "a command is withdrawn");
			return;
		}
		CHECK(command_ >= 0, "a command of nobody");
		for (const Request &q : requests_)
			if (q.used && int(q.qp) == command_)
				check_quiet(q);
		passes_ = !dut_.cmd_ready_i;
		CHECK(dut_.cmd_ready_o == dut_.cmd_ready_i, "a command is taken twice");
		if (passes_)
			return;
		command_ = -1;
		waits_ = 0;
		commands++;
	}

	void observe_tables()
	{
		for (unsigned int k = 0; k < readers; k++) {
			if (!(dut_.row_valid_o >> k & 1) || !(dut_.row_ready_i >> k & 1))
				continue;
			const unsigned int entry = uint64_t(dut_.row_entry_o) >> k * entry_width & (Entries - 1);

			CHECK(rows_[k] < 0 && requests_[entry].used, "reader %u wants row %u", k, entry);
			rows_[k] = entry;
		}
		if (dut_.sge_valid_o && dut_.sge_ready_i) {
			CHECK(!sge_waits_ && requests_[dut_.sge_entry_o].used && dut_.sge_index_o, "entry %d of list %d", dut_.sge_index_o, dut_.sge_entry_o);
			sge_waits_ = true;
			sge_entry_ = dut_.sge_entry_o, sge_index_ = dut_.sge_index_o, sge_result_ = dut_.sge_result_o;
		}
		if (dut_.line_valid_o && dut_.line_ready_i) {
			CHECK(line_ < 0 && requests_[dut_.line_entry_o].used && !requests_[dut_.line_entry_o].r.num_gather, "the line of entry %d",
			      dut_.line_entry_o);
			line_ = dut_.line_entry_o;
			line_from_ = dut_.line_from_o;
			line_at_ = 0;
			inlined++;
		}
	}

	bool same(const local_access &a) const
	{
		const auto at = [this](Field f) { return get(dut_.acc_o, f); };

		return at(access_bits::addr) == a.addr && at(access_bits::lkey) == a.lkey && at(access_bits::len) == a.len && at(access_bits::pd) == a.pd;
	}

	void observe_access()
	{
		Access &a = accesses_[dut_.acc_job_o];

		CHECK(!a.used && !get(dut_.acc_o, access_bits::none), "job %d has an access already", dut_.acc_job_o);
		a.used = true;
		a.write = get(dut_.acc_o, access_bits::write);
		if (a.write)
			find_write(a);
		else
			find_read(a);
		CHECK(a.request >= 0, "nobody's access: %s %llu bytes at %llx", a.write ? "writes" : "reads",
		      (unsigned long long)get(dut_.acc_o, access_bits::len), (unsigned long long)get(dut_.acc_o, access_bits::addr));
		CHECK(!a.write || a.expected.flag || groups_[slots_[requests_[a.request].slot].c.group] != SHUT, "a result of a fenced group is written");
		requests_[a.request].accesses++;
		a.words = (a.a.len + word_bytes - 1) / word_bytes;
		if (a.write)
			order_.push_back(dut_.acc_job_o);
		waits_ = 0;
	}

	void find_write(Access &a)
	{
		for (Request &q : requests_)
			for (size_t k = 0; q.used && k < q.writes.size(); k++)
				if (same(q.writes[k].a)) {
					a.request = q.entry;
					a.a = q.writes[k].a;
					a.expected = q.writes[k];
					q.writes.erase(q.writes.begin() + k);
					return;
				}
	}

	void find_read(Access &a)
	{
		for (Request &q : requests_) {
			if (!q.used || !q.posted)
				continue;
			set_model(q);
			for (uint64_t left = q.gives; left; left &= left - 1) {
				local_access wanted;

				a.expected.rank = __builtin_ctzll(left);
				if (local_reads(a.expected.rank, &wanted) && same(wanted)) {
					a.request = q.entry;
					a.a = wanted;
					return;
				}
			}
		}
	}

	void observe_word_written()
	{
		CHECK(!order_.empty(), "a word of no write");
		Access &a = accesses_[order_.front()];
		const size_t at = a.at * word_bytes;

		CHECK(!std::memcmp(&dut_.dat_o[0], &a.expected.data[at], std::min<size_t>(word_bytes, a.a.len - at)), "other data are written at byte %zu", at);
		if (++a.at == a.words) {
			order_.pop_front();
			(a.expected.flag ? flags : written)++;
		}
	}

	void observe_operation()
	{
		const auto at = [this](Field f) { return get(dut_.op_o, f); };

		CHECK(asked_.size() < Asks, "an operation, and %zu have no answer", asked_.size());
		if (at(operation_bits::op) == TALLY_FW_STORE_OP_DATA) {
			observe_data();
			return;
		}
		const unsigned int rank = at(operation_bits::edge);
		Slot &s = slots_[at(operation_bits::group) % 16];
		const local_operation o = local_takes(rank);

		if (s.used && s.c.group == at(operation_bits::group))
			decide(s, rank);
		CHECK(s.used && s.c.group == at(operation_bits::group) && s.c.num == at(inside(operation_bits::message, message_bits::num)) &&
		      (s.untaken >> rank & 1), "rank %u takes a result that it has not got", rank);
		CHECK(o.kind == at(operation_bits::op) && o.rank == at(operation_bits::rank) && o.sum == at(operation_bits::sum) &&
		      o.ranks == at(operation_bits::ranks) && o.bytes == at(operation_bits::bytes) && o.last == at(operation_bits::last) &&
		      o.mode == at(inside(operation_bits::message, message_bits::mode)) && dut_.op_tlast_o && !dut_.op_tkeep_o, "another Taken");
		if (!dut_.op_ready_i)
			return;
		s.untaken &= ~(1ull << rank);
		told_ = -1;
		asked_.push_back({ -1, rank });
		taken++;
		pass(s);
	}

	bool is_asked(int request, unsigned int rank) const
	{
		return std::any_of(asked_.begin(), asked_.end(), [=](const Asked &a) { return a.request == request && a.rank == rank; });
	}

	void begin_data()
	{
		const unsigned int rank = get(dut_.op_o, operation_bits::edge);
		Slot &s = slots_[get(dut_.op_o, operation_bits::group) % 16];

		CHECK(s.used && s.c.group == get(dut_.op_o, operation_bits::group), "data of no chunk");
		Request &q = of_rank(s, rank);
		local_access a;

		CHECK(q.posted && (q.gives >> rank & 1) && !is_asked(q.entry, rank), "rank %u gives its data twice", rank);
		op_request_ = q.entry;
		op_rank_ = rank;
		set_model(q);
		op_expected_ = local_gives(rank);
		op_data_.resize(op_expected_.bytes >> q.r.elem_log << q.r.give_log);
		if (local_reads(rank, &a))
			for (size_t i = 0; i < op_data_.size(); i++)
				op_data_[i] = byte_at(a.lkey, a.addr + i);
		else if (!op_data_.empty())
			std::memcpy(op_data_.data(), &q.inline_data[s.c.first << q.r.give_log], op_data_.size());
		values += op_data_.size() != op_expected_.bytes;
		op_data_ = given_bytes(q.r, s.c, op_data_);
	}

	void observe_data()
	{
		const auto at = [this](Field f) { return get(dut_.op_o, f); };
		const auto of_message = [&](Field f) { return at(inside(operation_bits::message, f)); };

		if (!begun_) {
			begin_data();
			begun_ = true;
		}
		const local_operation &o = op_expected_;
		const size_t left = op_data_.size() - op_at_, len = std::min<size_t>(word_bytes, left);
		const uint64_t keep = len == 64 ? ~0ull : (1ull << len) - 1;

		CHECK(o.group == at(operation_bits::group) && o.bytes == at(operation_bits::bytes) && o.edge == at(operation_bits::edge) &&
		      o.rank == at(operation_bits::rank) && o.ranks == at(operation_bits::ranks) && o.sum == at(operation_bits::sum) &&
		      o.last == at(operation_bits::last) && o.num == of_message(message_bits::num) && o.count == of_message(message_bits::count) &&
		      o.total == of_message(message_bits::total) && o.sid == of_message(message_bits::sid) && o.mid == of_message(message_bits::mid) &&
		      o.opcode == of_message(message_bits::opcode), "another operation");
		CHECK(dut_.op_tkeep_o == keep && dut_.op_tlast_o == (left <= word_bytes), "%zu bytes are left", left);
		CHECK(!len || !std::memcmp(&dut_.op_tdata_o[0], &op_data_[op_at_], len), "rank %u gives other data at byte %zu", op_rank_, op_at_);
		if (!dut_.op_ready_i)
			return;
		op_at_ += word_bytes;
		if (!dut_.op_tlast_o)
			return;
		op_at_ = 0;
		begun_ = false;
		line_ = -1;
		asked_.push_back({ op_request_, op_rank_ });
		waits_ = 0;
	}

	unsigned int of_end(unsigned int at, unsigned int width) const { return uint64_t(dut_.end_o) >> at & ((1u << width) - 1); }

	// tally_status wants the flag word with an end, once, if the request has not failed.
	void choose_flag()
	{
		if (!dut_.end_valid_o || of_end(36, 2))
			return;
		dut_.end_flag_i = requests_[dut_.end_entry_o].used && !requests_[dut_.end_entry_o].flagged && rng_.one_in(3);
	}

	void observe_end()
	{
		Request &q = requests_[dut_.end_entry_o];
		auto e = std::find_if(q.ends.begin(), q.ends.end(), [this](const End &x) {
			return x.flag == of_end(37, 1) && x.failed == of_end(36, 1) && x.bytes == of_end(16, 13) && x.err_vector == of_end(0, 16) &&
			       of_end(29, 7) == !x.flag;
		});

		CHECK(q.used && q.qp == dut_.end_qp_o, "an end of queue pair %d", dut_.end_qp_o);
		CHECK(e != q.ends.end(), "an end that is not due");
		told_ = e->get ? int(q.entry) : -1;
		told_rank_ = e->rank;
		q.ends.erase(e);
		if (dut_.end_flag_i)
			expect_flag(q);
		ends++;
		pass(slots_[q.slot]);
	}

	void observe_fault()
	{
		for (Request &q : requests_)
			if (q.used && q.faults && q.r.rank_mask == dut_.fault_ranks_o && slots_[q.slot].c.mid == dut_.fault_mid_o &&
			    slots_[q.slot].c.group == dut_.fault_group_o) {
				q.faults--;
				pass(slots_[q.slot]);
				return;
			}
		tally::fail("nobody's refusal");
	}
};

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("local", argc, argv);
	World world(bench);

	bench.live(bench.times(80000), [&] { world.restart(); }, [&] {
		world.stalls = bench.cycle() / 4096 % 2;
		world.alone = bench.cycle() / 2048 % 7 == 5;
		world.cycle();
		if (bench.cycle() % 20000 == 0)
			world.finish();
	});
	world.finish();
	CHECK(world.chunks > 100 && world.stored > 100 && world.lost > 20 && world.refused > 20 && world.written > 100 && world.flags > 50 &&
	      world.ended > 20 && world.fenced > 50 && world.unwritten > 50 && world.commands > 50 && world.inlined > 50 && world.values > 20, "%llu chunks, %llu stored, %llu lost, %llu refused, %llu written, %llu flag "
	      "words, %llu ended, %llu fenced, %llu unwritten, %llu commands, %llu inline", (unsigned long long)world.chunks, (unsigned long long)world.stored,
	      (unsigned long long)world.lost, (unsigned long long)world.refused, (unsigned long long)world.written, (unsigned long long)world.flags,
	      (unsigned long long)world.ended, (unsigned long long)world.fenced, (unsigned long long)world.unwritten, (unsigned long long)world.commands, (unsigned long long)world.inlined);
	return bench.finish();
}
