// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_local_jobs: random jobs of all kinds, whose accesses end in any order, some of them refused. A scoreboard has the
// rules of sim/engine/wr.c and entry.c: each access and its words leave once; an end, the store's Taken, the flag word and a refusal are
// told once each, after the access has ended and before the job is given away.
#include <algorithm>
#include <cstring>
#include <deque>
#include <vector>

#include "Vdut.h"
#include "local_bits.h"

constexpr unsigned int word_bytes = 64;
using Word = std::vector<uint32_t>;

enum Phase { IDLE, ACCESS, MEMORY, ENDED, TOLD, FLAG_ROW, FLAG_ACCESS, FLAG_MEMORY, FLAG_ENDED, FAULT, SILENT };

struct Job {
	Phase phase = IDLE;
	unsigned int kind = 0, qp = 0, entry = 0, rank = 0, bytes = 0;
	bool tells = false, none = false, write = false, failed = false, flag = false;
	uint16_t group = 0, err_vector = 0, pd = 0;
	uint32_t num = 0, lkey = 0;
	uint64_t addr = 0;
	unsigned int len = 0;
	size_t words_left = 0;
	// of its request
	uint64_t flag_addr = 0, ranks = 0;
	uint32_t flag_lkey = 0, flag_value = 0, mid = 0;
	uint16_t flag_pd = 0;
};

class World {
public:
	explicit World(tally::Bench<Vdut> &bench) : bench_(bench), rng_(bench.rng), dut_(*bench.dut) {}

	bool stalls = true;
	uint64_t ends = 0, takes = 0, faults = 0, flags = 0, failed = 0, silent = 0, begun_flags = 0;

	void restart()
	{
		dut_.new_valid_i = dut_.word_valid_i = dut_.acc_ready_i = dut_.dat_ready_i = dut_.done_valid_i = dut_.gave_valid_i = 0;
		dut_.got_valid_i = 0;
		bench_.reset();
		for (Job &j : jobs_)
			j = {};
		words_.clear(), data_.clear();
		next_ = {};
		offers_ = false;
		row_ = -1;
		waits_ = 0;
	}

	void cycle(bool choose = true)
	{
		if (choose && !offers_ && rng_.one_in(3))
			offer();
		dut_.new_valid_i = offers_ && (next_.kind != GIVE || dut_.room_reads_o) && (next_.kind != GET || dut_.room_writes_o);
		offer_word();
		end_access();
		answer_row();
		dut_.acc_ready_i = !stalls || rng_.one_in(2);
		dut_.dat_ready_i = !data_.empty() && (!stalls || rng_.one_in(2));
		dut_.end_ready_i = !stalls || end_.go();
		dut_.take_ready_i = !stalls || rng_.one_in(2);
		dut_.fault_ready_i = !stalls || rng_.one_in(2);
		dut_.row_ready_i = !stalls || rng_.one_in(2);
		dut_.end_flag_i = rng_.one_in(3);
		quiet_before_ = dut_.quiet_qp_i;
		dut_.quiet_qp_i = rng_.below(Qps);
		dut_.written_group_i = rng_.below(Groups);
		bench_.settle();
		if (dut_.end_valid_o && (get_end(37, 1) || get_end(36, 1)))
			dut_.end_flag_i = 0; // a request that has failed writes none
		bench_.settle();
		observe();
		CHECK(++waits_ < 4000, "the block has stopped");
		bench_.tick();
	}

	void finish()
	{
		for (unsigned int i = 0; i < 3000; i++) {
			waits_ = 0;
			cycle(false);
		}
		for (unsigned int n = 0; n < Jobs; n++)
			CHECK(jobs_[n].phase == IDLE || jobs_[n].phase == SILENT, "job %u has stopped in phase %d", n, jobs_[n].phase);
		for (unsigned int n = 0; n < Qps; n++) {
			dut_.quiet_qp_i = n;
			bench_.tick();
			CHECK(dut_.quiet_o, "queue pair %u has jobs", n);
		}
		for (unsigned int n = 0; n < Groups; n++) {
			dut_.written_group_i = n;
			bench_.settle();
			CHECK(dut_.written_o, "group %u has results", n);
		}
		CHECK(!dut_.busy_o, "the block is busy");
	}

private:
	tally::Bench<Vdut> &bench_;
	tally::Rng &rng_;
	Vdut &dut_;
	Job jobs_[Jobs], next_;
	std::vector<Word> next_words_;
	std::deque<Word> words_;			// of results, in the order of their jobs
	std::deque<std::pair<int, Word>> data_;	// that must leave, in the order of the accesses
	std::vector<Word> of_job_[Jobs];
	bool offers_ = false;
	unsigned int quiet_before_ = 0;
	int row_ = -1;
	unsigned int waits_ = 0;
	tally::Throttle end_{ rng_ };

	unsigned int get_end(unsigned int at, unsigned int width) const { return uint64_t(dut_.end_o) >> at & ((1u << width) - 1); }

	// ---- Jobs begin ----

	Word random_word()
	{
		Word w(word_bytes / 4);

		rng_.fill(w.data(), word_bytes);
		return w;
	}

	unsigned int free_entry()
	{
		for (;;) {
			const unsigned int entry = rng_.below(Entries);

			if (std::none_of(jobs_, jobs_ + Jobs, [&](const Job &j) { return j.phase != IDLE && j.entry == entry; }))
				return entry;
		}
	}

	void offer()
	{
		Job &j = next_;

		j = {};
		j.kind = rng_.one_in(8) ? unsigned(FLAG) : rng_.below(2);
		j.qp = rng_.below(Qps);
		j.entry = free_entry();
		j.rank = rng_.below(64);
		j.num = rng_.next();
		j.group = rng_.below(Groups);
		j.tells = j.kind != FLAG && !rng_.one_in(4);
		j.none = j.kind == FLAG || rng_.one_in(4);
		j.write = j.kind != GIVE;
		j.len = 1 + rng_.below(rng_.one_in(8) ? TALLY_MAX_MTU : 3 * word_bytes);
		j.bytes = j.kind == GET && !j.none ? j.len : 0;
		j.err_vector = rng_.next();
		j.addr = rng_.next(), j.lkey = rng_.next(), j.pd = rng_.below(TALLY_MAX_PD);
		j.flag_addr = rng_.next(), j.flag_lkey = rng_.next(), j.flag_value = rng_.next(), j.flag_pd = rng_.below(TALLY_MAX_PD);
		j.ranks = rng_.next(), j.mid = rng_.next();
		j.words_left = j.none || !j.write ? 0 : (j.len + word_bytes - 1) / word_bytes;
		next_words_.clear();
		for (size_t k = 0; k < j.words_left; k++)
			next_words_.push_back(random_word());
		offers_ = true;
		dut_.new_qp_i = j.qp;
		dut_.new_entry_i = j.entry;
		put(dut_.new_i, job_bits::err_vector, j.err_vector);
		put(dut_.new_i, job_bits::bytes, j.bytes);
		put(dut_.new_i, job_bits::rank, j.rank);
		put(dut_.new_i, job_bits::num, j.num);
		put(dut_.new_i, job_bits::group, j.group);
		put(dut_.new_i, job_bits::tells, j.tells);
		put(dut_.new_i, job_bits::kind, j.kind);
		put(dut_.access_i, access_bits::len, j.none ? rng_.below(100) : j.len);
		put(dut_.access_i, access_bits::addr, j.addr);
		put(dut_.access_i, access_bits::lkey, j.lkey);
		put(dut_.access_i, access_bits::pd, j.pd);
		put(dut_.access_i, access_bits::write, j.write);
		put(dut_.access_i, access_bits::none, j.none);
	}

	unsigned int gives() const
	{
		return std::count_if(jobs_, jobs_ + Jobs, [](const Job &j) {
			return j.kind == GIVE && j.phase != IDLE && j.phase != SILENT && j.phase != FLAG_ACCESS && j.phase != FLAG_MEMORY &&
			       j.phase != FLAG_ENDED;
		});
	}

	void take()
	{
		const unsigned int n = dut_.job_o;

		CHECK(n < Jobs && (jobs_[n].phase == IDLE || jobs_[n].phase == SILENT), "job %u begins in phase %d", n, jobs_[n].phase);
		CHECK(next_.kind != GIVE || gives() < Reads, "too many reads");
		jobs_[n] = next_;
		of_job_[n] = next_words_;
		for (const Word &w : next_words_)
			words_.push_back(w);
		if (!next_.none)
			jobs_[n].phase = ACCESS;
		else
			jobs_[n].phase = next_.kind == GIVE ? MEMORY : next_.kind == FLAG ? FLAG_ROW : next_.tells ? ENDED : TOLD;
		begun_flags += next_.kind == FLAG;
		offers_ = false;
		waits_ = 0;
	}

	void offer_word()
	{
		dut_.word_valid_i = !words_.empty() && (!stalls || dut_.word_valid_i || rng_.one_in(2));
		if (dut_.word_valid_i)
			std::copy(words_.front().begin(), words_.front().end(), &dut_.word_i[0]);
	}

	// ---- Accesses end ----

	int random_job(bool (*fits)(const Job &))
	{
		const unsigned int from = rng_.below(Jobs);

		for (unsigned int k = 0; k < Jobs; k++)
			if (fits(jobs_[(from + k) % Jobs]))
				return (from + k) % Jobs;
		return -1;
	}

	void end_access()
	{
		const int n = rng_.one_in(stalls ? 6 : 2) ? random_job([](const Job &j) {
			return (j.phase == MEMORY && (j.kind == GIVE ? !j.none : !j.words_left)) || (j.phase == FLAG_MEMORY && !j.words_left);
		}) : -1;
		const bool is_read = n >= 0 && jobs_[n].phase == MEMORY && jobs_[n].kind == GIVE;
		int given = -1;

		dut_.done_valid_i = n >= 0 && (!is_read || rng_.one_in(5));
		dut_.done_failed_i = rng_.one_in(4) || is_read;
		dut_.done_job_i = n >= 0 ? n : rng_.below(Jobs);
		if (dut_.done_valid_i)
			access_ends(jobs_[n], dut_.done_failed_i);
		if (rng_.one_in(stalls ? 4 : 2))
			given = random_job([](const Job &j) { return j.phase == MEMORY && j.kind == GIVE; });
		dut_.gave_valid_i = given >= 0;
		dut_.gave_job_i = given >= 0 ? given : rng_.below(Jobs);
		dut_.gave_i = given >= 0 && !jobs_[given].none && rng_.one_in(5) ? REFUSED : rng_.one_in(5) ? LOST : STORED;
		dut_.gave_err_vector_i = rng_.next();
		if (given >= 0)
			data_ends(jobs_[given]);
	}

	void access_ends(Job &j, bool fails)
	{
		failed += fails;
		if (j.phase == FLAG_MEMORY) {
			j.failed = fails;
			j.phase = FLAG_ENDED;
			return;
		}
		j.failed = fails;
		j.phase = j.kind == GIVE ? FAULT : j.tells ? ENDED : TOLD;
	}

	void data_ends(Job &j)
	{
		j.err_vector = dut_.gave_err_vector_i;
		if (dut_.gave_i == REFUSED)
			j.phase = FAULT;
		else if (dut_.gave_i == STORED && j.tells)
			j.phase = ENDED;
		else
			j.phase = SILENT, silent++;
	}

	// ---- Rows ----

	void answer_row()
	{
		dut_.got_valid_i = row_ >= 0 && (!stalls || rng_.one_in(3));
		for (unsigned int i = 0; i <= request_bits::width / 32; i++)
			dut_.got_i[i] = rng_.next();
		put(dut_.got_i, { request_bits::width, 32 - request_bits::width % 32 }, 0);
		for (unsigned int i = 0; i <= row_bits::width / 32; i++)
			dut_.got_row_i[i] = rng_.next();
		put(dut_.got_row_i, { row_bits::width, 32 - row_bits::width % 32 }, 0);
		if (!dut_.got_valid_i)
			return;
		Job &j = jobs_[row_];

		put(dut_.got_i, request_bits::flag_addr, j.flag_addr);
		put(dut_.got_i, request_bits::flag_lkey, j.flag_lkey);
		put(dut_.got_i, request_bits::flag_value, j.flag_value);
		put(dut_.got_i, request_bits::rank_mask, j.ranks);
		put(dut_.got_i, request_bits::mid, j.mid);
		put(dut_.got_row_i, row_bits::pd, j.flag_pd);
		if (j.phase == FLAG_ROW)
			j.phase = FLAG_ACCESS;
		row_ = -1;
	}

	// ---- What the block does ----

	Job &find(unsigned int entry)
	{
		for (Job &j : jobs_)
			if (j.phase != IDLE && j.phase != SILENT && j.entry == entry)
				return j;
		tally::fail("entry %u has no job", entry);
	}

	void observe()
	{
		observe_quiet();
		observe_written();
		if (dut_.acc_valid_o)
			observe_access();
		if (dut_.word_valid_i && dut_.word_ready_o)
			words_.pop_front();
		if (dut_.dat_valid_o && dut_.dat_ready_i)
			observe_data();
		if (dut_.row_valid_o && dut_.row_ready_i) {
			Job &j = find(dut_.row_entry_o);

			CHECK((j.phase == FLAG_ROW || j.phase == FAULT) && row_ < 0, "a row is read in phase %d", j.phase);
			row_ = &j - jobs_;
		}
		if (dut_.end_valid_o)
			observe_end();
		if (dut_.take_valid_o)
			observe_take();
		if (dut_.fault_valid_o)
			observe_fault();
		if (dut_.new_valid_i && dut_.new_ready_o)
			take();
	}

	void observe_quiet()
	{
		for (const Job &j : jobs_)
			if (j.phase != IDLE && j.phase != SILENT && j.qp == quiet_before_)
				CHECK(!dut_.quiet_o, "queue pair %u has a job in phase %d", quiet_before_, j.phase);
	}

	// A job that writes the flag word is a result no more.
	void observe_written()
	{
		bool inside = false, may_be = false;

		for (const Job &j : jobs_) {
			const bool of_group = j.kind == GET && j.group == dut_.written_group_i;

			inside |= of_group && (j.phase == ACCESS || j.phase == MEMORY || j.phase == ENDED || j.phase == TOLD);
			may_be |= of_group && (j.phase == FLAG_ROW || j.phase == FLAG_ACCESS);
		}
		CHECK(!inside || !dut_.written_o, "a result of group %d is inside", dut_.written_group_i);
		CHECK(inside || may_be || dut_.written_o, "no result of group %d is inside", dut_.written_group_i);
	}

	void observe_access()
	{
		Job &j = jobs_[dut_.acc_job_o];
		const bool flag = j.phase == FLAG_ACCESS;
		const auto at = [this](Field f) { return get(dut_.acc_o, f); };

		CHECK(j.phase == ACCESS || flag, "an access of job %d in phase %d", dut_.acc_job_o, j.phase);
		CHECK(at(access_bits::addr) == (flag ? j.flag_addr : j.addr) && at(access_bits::lkey) == (flag ? j.flag_lkey : j.lkey) &&
		      at(access_bits::pd) == (flag ? j.flag_pd : j.pd) && at(access_bits::len) == (flag ? 4 : j.len) &&
		      at(access_bits::write) == (flag || j.write), "another access of job %d", dut_.acc_job_o);
		if (!dut_.acc_ready_i)
			return;
		j.phase = flag ? FLAG_MEMORY : MEMORY;
		if (flag) {
			Word w(word_bytes / 4);

			w[0] = j.flag_value;
			j.words_left = 1;
			data_.push_back({ int(dut_.acc_job_o), w });
			flags++;
		} else {
			for (const Word &w : of_job_[dut_.acc_job_o])
				data_.push_back({ int(dut_.acc_job_o), w });
		}
	}

	void observe_data()
	{
		const auto &[n, word] = data_.front();

		CHECK(!std::memcmp(&dut_.dat_o[0], word.data(), n >= 0 && jobs_[n].phase == FLAG_MEMORY ? 4 : word_bytes), "another word of job %d", n);
		jobs_[n].words_left--;
		data_.pop_front();
	}

	void observe_end()
	{
		Job &j = find(dut_.end_entry_o);
		const bool flag = j.phase == FLAG_ENDED;

		CHECK(j.phase == ENDED || flag, "an end in phase %d", j.phase);
		CHECK(dut_.end_qp_o == j.qp && get_end(37, 1) == flag && get_end(36, 1) == j.failed && get_end(29, 7) == !flag &&
		      get_end(16, 13) == (flag ? 0 : j.bytes) && get_end(0, 16) == (flag ? 0 : j.err_vector), "another end");
		if (!dut_.end_ready_i)
			return;
		ends++;
		if (flag)
			j = {};
		else if (j.kind == GET)
			j.flag = dut_.end_flag_i, j.phase = TOLD;
		else
			flag_or_free(j, dut_.end_flag_i);
	}

	void flag_or_free(Job &j, bool flag)
	{
		if (!flag) {
			j = {};
			return;
		}
		j.phase = FLAG_ROW;
		j.flag = false;
	}

	void observe_take()
	{
		auto j = std::find_if(jobs_, jobs_ + Jobs, [this](const Job &k) { return k.phase == TOLD && k.num == dut_.take_num_o; });

		CHECK(j != jobs_ + Jobs && j->group == dut_.take_group_o && j->rank == dut_.take_rank_o, "a result of nobody is taken");
		if (!dut_.take_ready_i)
			return;
		takes++;
		flag_or_free(*j, j->flag);
	}

	void observe_fault()
	{
		auto j = std::find_if(jobs_, jobs_ + Jobs, [this](const Job &k) { return k.phase == FAULT && k.mid == dut_.fault_mid_o; });

		CHECK(j != jobs_ + Jobs && j->ranks == dut_.fault_ranks_o && j->group == dut_.fault_group_o, "another refusal");
		if (!dut_.fault_ready_i)
			return;
		faults++;
		*j = {};
	}
};

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("local_jobs", argc, argv);
	World world(bench);

	bench.live(bench.times(80000), [&] { world.restart(); }, [&] {
		world.stalls = bench.cycle() / 2048 % 2;
		world.cycle();
		if (bench.cycle() % 20000 == 0)
			world.finish();
	});
	world.finish();
	CHECK(world.ends > 100 && world.takes > 100 && world.faults > 50 && world.flags > 50 && world.failed > 50 && world.silent > 50 &&
	      world.begun_flags > 20, "%llu ends, %llu taken, %llu refusals, %llu flag words", (unsigned long long)world.ends,
	      (unsigned long long)world.takes, (unsigned long long)world.faults, (unsigned long long)world.flags);
	return bench.finish();
}
