// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_local_data: random jobs, whose data come from memory, from the request, or are none, with refusals of memory and of
// the store. The engine's store_data() is the reference for the operations. Each job ends once, and its words are those of its answer.
#include <algorithm>
#include <cstring>
#include <deque>
#include <vector>

#include "Vdut.h"
#include "local_bits.h"

constexpr unsigned int word_bytes = 64;

struct Job {
	bool used = false, none = false, has_inline = false, asked = false;
	unsigned int rank = 0, entry = 0;
	local_request r;
	local_chunk c;
	local_operation op;
	std::vector<uint8_t> data, wanted; // as it is in memory, and as the store gets it
};

struct Answer {
	int job, end;
	uint16_t errors;
};

class World {
public:
	explicit World(tally::Bench<Vdut> &bench) : bench_(bench), rng_(bench.rng), dut_(*bench.dut) {}

	bool stalls = true, one_by_one = false;
	uint64_t stored = 0, lost = 0, refused = 0, from_request = 0, early = 0, empty = 0, values = 0;

	void restart()
	{
		dut_.note_valid_i = dut_.out_valid_i = dut_.line_ready_i = dut_.inl_valid_i = dut_.op_ready_i = dut_.ans_valid_i = 0;
		bench_.reset();
		for (Job &j : jobs_)
			j = {};
		reading_.clear(), complete_.clear(), waiting_.clear(), asked_.clear(), given_.clear();
		now_ = line_ = -1;
		at_ = line_at_ = answer_at_ = reads_ = 0;
		sends_ = false;
		refused_ = -1;
		waits_ = 0;
		new_ = -1;
	}

	void finish()
	{
		stalls = false;
		for (unsigned int i = 0; i < 2000; i++) {
			waits_ = 0;
			cycle(false);
		}
		for (unsigned int n = 0; n < Jobs; n++)
			CHECK(!jobs_[n].used, "job %u never ends", n);
		CHECK(!dut_.busy_o, "the block is busy");
	}

	void cycle(bool choose = true)
	{
		note(choose);
		answer_read();
		send_line();
		dut_.line_ready_i = !stalls || rng_.one_in(2);
		dut_.op_ready_i = !stalls || op_.go();
		dut_.ans_valid_i = !asked_.empty() && (!stalls || rng_.one_in(4));
		verdict_ = TALLY_FW_STORE_ANSWER_STORED;
		if (rng_.one_in(8))
			verdict_ = rng_.one_in(2) ? unsigned(TALLY_FW_STORE_ANSWER_DUPLICATE) : TALLY_FW_STORE_ANSWER_PAST + rng_.below(6);
		dut_.ans_answer_i = verdict_;
		if (dut_.ans_valid_i)
			errors_ = rng_.next();
		dut_.ans_err_vector_i = errors_;
		bench_.settle();
		take();
		observe();
		CHECK(++waits_ < 4000, "the block has stopped");
		bench_.tick();
	}

private:
	tally::Bench<Vdut> &bench_;
	tally::Rng &rng_;
	Vdut &dut_;
	Job jobs_[Jobs];
	std::deque<int> reading_;		// jobs whose answers have not come, in their order
	std::deque<int> complete_;		// whose answers have
	std::vector<int> waiting_;		// which have no answer
	int now_ = -1, line_ = -1, new_ = -1;	// the operation, the line that is wanted, the job that begins
	std::deque<int> asked_;			// whose operations the store has not answered
	std::deque<Answer> given_;		// what has been answered, and is not told
	size_t at_ = 0, line_at_ = 0, line_sent_ = 0, answer_at_ = 0, reads_ = 0;
	int refused_ = -1;	// the job whose read was refused in the last clock
	bool sends_ = false, error_ = false;
	unsigned int verdict_ = 0, waits_ = 0;
	uint16_t errors_ = 0;
	tally::Throttle op_{ rng_ };

	// ---- Jobs ----

	void note(bool choose)
	{
		if (choose && new_ < 0 && rng_.one_in(3))
			begin();
		dut_.note_valid_i = new_ >= 0;
	}

	void begin()
	{
		const unsigned int n = rng_.below(Jobs);
		Job &j = jobs_[n];
		const bool rests = std::none_of(jobs_, jobs_ + Jobs, [](const Job &k) { return k.used; });
		uint64_t givers;

		if (j.used || (one_by_one && !rests))
			return;
		random_request(rng_, j.r, j.c);
		givers = local_givers();
		if (!givers)
			return;
		j.rank = __builtin_ctzll(givers);
		j.op = local_gives(j.rank);
		j.has_inline = !j.r.num_gather && j.op.bytes;
		j.none = !j.r.num_gather || !j.op.bytes;
		if (!j.none && reads_ == Reads)
			return;
		j.asked = j.has_inline && rests && rng_.one_in(2);	// its line has been wanted already
		if (j.asked)
			line_ = n, line_at_ = 0, early++;
		j.entry = rng_.below(Entries);
		j.data.resize(j.op.bytes >> j.r.elem_log << j.r.give_log);
		rng_.fill(j.data.data(), j.data.size());
		j.wanted = given_bytes(j.r, j.c, j.data);
		values += j.data.size() != j.wanted.size();
		new_ = n;
		dut_.note_job_i = n;
		dut_.note_none_i = j.none;
		dut_.note_asked_i = j.asked;
		dut_.note_entry_i = j.entry;
		put(dut_.note_i, chunk_bits::len, j.data.size());
		put(dut_.note_i, chunk_bits::values, !!(j.r.flags & TALLY_WQE_F_LOC_VALUES));
		put(dut_.note_i, chunk_bits::give_log, j.r.give_log);
		put(dut_.note_i, chunk_bits::index, j.r.loc_index + j.c.first);
		put(dut_.note_i, chunk_bits::from, uint64_t(j.c.first) << j.r.give_log);
		put(dut_.note_i, chunk_bits::bytes, j.op.bytes);
		put(dut_.note_i, chunk_bits::rank, j.rank);
		put(dut_.note_i, chunk_bits::group, j.c.group);
		put_message(dut_.note_i, chunk_bits::message, j.r, j.c);
	}

	void take()
	{
		if (!dut_.note_valid_i || !dut_.note_ready_o)
			return;
		Job &j = jobs_[new_];
		j.used = true;
		if (j.none) {
			waiting_.push_back(new_);
		} else {
			reading_.push_back(new_);
			reads_++;
		}
		new_ = -1;
	}

	// ---- Memory, and lines ----

	void word_of(const Job &j, size_t at, uint32_t *word)
	{
		rng_.fill(word, word_bytes);
		if (at < j.data.size())
			std::memcpy(word, &j.data[at], std::min<size_t>(word_bytes, j.data.size() - at));
	}

	void answer_read()
	{
		dut_.out_valid_i = !reading_.empty() && (!stalls || rng_.one_in(2));
		if (!dut_.out_valid_i)
			return;
		const Job &j = jobs_[reading_.front()];

		if (!answer_at_)
			error_ = rng_.one_in(10);
		word_of(j, answer_at_, &dut_.out_data_i[0]);
		dut_.out_job_i = reading_.front();
		answer_at_ += word_bytes;
		dut_.out_last_i = answer_at_ >= j.data.size();
		dut_.out_error_i = dut_.out_last_i ? error_ : rng_.below(2);
		if (!dut_.out_last_i)
			return;
		answer_at_ = 0;
		if (!error_)
			complete_.push_back(reading_.front());
		reading_.pop_front();
	}

	// From the first word on, there is one in each clock in which the block wants one.
	void send_line()
	{
		const bool waits = sends_ && line_at_ == line_sent_;

		sends_ = line_ >= 0 && (sends_ || !stalls || rng_.one_in(3));
		dut_.inl_valid_i = sends_;
		if (sends_ && !waits)
			word_of(jobs_[line_], line_at_, &dut_.inl_data_i[0]);
		line_sent_ = line_at_;
	}

	// ---- What the block does ----

	void observe()
	{
		CHECK(dut_.busy_o || (!dut_.line_valid_o && !dut_.op_valid_o && dut_.note_ready_o), "it does something and is not busy");
		CHECK(dut_.busy_o || !dut_.gave_valid_o, "a job ends and it is not busy");
		if (dut_.line_valid_o && dut_.line_ready_i)
			observe_line();
		if (dut_.op_valid_o)
			observe_word();
		else
			CHECK(!at_, "a pause between the words of an operation");
		if (dut_.inl_valid_i && dut_.inl_ready_o)
			line_at_ += word_bytes;
		if (dut_.gave_valid_o)
			observe_end();
		CHECK(refused_ < 0 || !jobs_[refused_].used, "a refusal is not told");
		refused_ = dut_.out_valid_i && dut_.out_last_i && error_ ? dut_.out_job_i : -1;
		if (dut_.ans_valid_i) {
			const bool is_stored = verdict_ == TALLY_FW_STORE_ANSWER_STORED || verdict_ == TALLY_FW_STORE_ANSWER_DUPLICATE;

			given_.push_back({ asked_.front(), is_stored ? STORED : LOST, errors_ });
			asked_.pop_front();
		}
	}

	int find(unsigned int entry) const
	{
		for (int n : waiting_)
			if (jobs_[n].has_inline && !jobs_[n].asked && jobs_[n].entry == entry && dut_.line_len_o == jobs_[n].data.size() &&
			    dut_.line_from_o == (jobs_[n].c.first << jobs_[n].r.give_log & 0x1fff))
				return n;
		return -1;
	}

	void observe_line()
	{
		CHECK(line_ < 0, "two lines at a time");
		line_ = find(dut_.line_entry_o);
		CHECK(line_ >= 0, "bytes %d to %d of the line of entry %d, which nobody gives", dut_.line_from_o, dut_.line_len_o, dut_.line_entry_o);
		line_at_ = 0;
		from_request++;
	}

	// The job of the operation that begins.
	int of_operation()
	{
		const unsigned int rank = get(dut_.op_o, operation_bits::edge);
		int n = -1;

		if (line_ >= 0) {
			n = line_;
		} else if (!get(dut_.op_o, operation_bits::bytes)) {
			for (int k : waiting_)
				if (!jobs_[k].has_inline && jobs_[k].rank == rank && jobs_[k].c.num == get(dut_.op_o, inside(operation_bits::message, message_bits::num)))
					n = k;
			empty++;
		} else if (!complete_.empty()) {
			n = complete_.front();
			complete_.pop_front();
		}
		CHECK(n >= 0, "an operation of nobody");
		waiting_.erase(std::remove(waiting_.begin(), waiting_.end(), n), waiting_.end());
		return n;
	}

	void observe_word()
	{
		if (now_ < 0) {
			CHECK(asked_.size() < Asks, "an operation, and %zu have no answer", asked_.size());
			now_ = of_operation();
		}
		const Job &j = jobs_[now_];
		const size_t left = j.wanted.size() - at_, len = std::min<size_t>(word_bytes, left);
		const uint64_t keep = len == 64 ? ~0ull : (1ull << len) - 1;

		observe_operation(j);
		CHECK(dut_.op_tkeep_o == keep && dut_.op_tlast_o == (left <= word_bytes), "job %d: %zu bytes are left, keep %llx", now_, left,
		      (unsigned long long)dut_.op_tkeep_o);
		CHECK(!len || !std::memcmp(&dut_.op_tdata_o[0], &j.wanted[at_], len), "job %d: other data at byte %zu", now_, at_);
		if (!dut_.op_ready_i)
			return;
		at_ += word_bytes;
		if (!dut_.op_tlast_o)
			return;
		at_ = 0;
		asked_.push_back(now_);
		now_ = line_ = -1;
	}

	void observe_operation(const Job &j)
	{
		const auto at = [this](Field f) { return get(dut_.op_o, f); };
		uint32_t message[8] = {}, told[8] = {};

		put_message(message, 0, j.r, j.c);
		for (unsigned int i = 0; i < message_bits::width; i += 8)
			put(told, { i, 8 }, at({ operation_bits::message + i, 8 }));
		for (unsigned int i = 0; i < 8; i++)
			CHECK(message[i] == told[i], "another message");
		CHECK(at(operation_bits::op) == j.op.kind && at(operation_bits::group) == j.op.group && at(operation_bits::bytes) == j.op.bytes &&
		      at(operation_bits::edge) == j.op.edge && at(operation_bits::rank) == j.op.rank && at(operation_bits::ranks) == j.op.ranks &&
		      at(operation_bits::sum) == j.op.sum && at(operation_bits::last) == j.op.last && message[0] == j.op.count, "another operation");
	}

	void observe_end()
	{
		const int n = dut_.gave_job_o;
		Job &j = jobs_[n];

		CHECK(j.used, "job %d, which does not run, ends", n);
		if (dut_.gave_o == REFUSED) {
			CHECK(n == refused_, "job %d is refused", n);
			refused++;
		} else {
			const Answer a = given_.empty() ? Answer{ -1, 0, 0 } : given_.front();

			CHECK(n == a.job && dut_.gave_o == a.end && dut_.gave_err_vector_o == a.errors, "job %d ends with %d", n, dut_.gave_o);
			(a.end == STORED ? stored : lost)++;
			given_.pop_front();
		}
		reads_ -= !j.none;
		j.used = false;
		waits_ = 0;
	}
};

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("local_data", argc, argv);
	World world(bench);

	bench.live(bench.times(60000), [&] { world.restart(); }, [&] {
		world.stalls = bench.cycle() / 2048 % 2;
		world.one_by_one = bench.cycle() / 1024 % 4 == 1;
		world.cycle();
		if (bench.cycle() % 5000 == 0)
			world.finish();
	});
	world.finish();
	CHECK(world.stored > 100 && world.lost > 20 && world.refused > 20 && world.from_request > 20 && world.early > 20 && world.empty > 20 && world.values > 20, "%llu stored, %llu lost, %llu "
	      "refused, %llu of requests, %llu empty", (unsigned long long)world.stored, (unsigned long long)world.lost,
	      (unsigned long long)world.refused, (unsigned long long)world.from_request, (unsigned long long)world.empty);
	return bench.finish();
}
