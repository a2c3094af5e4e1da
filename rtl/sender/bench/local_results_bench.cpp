// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_local_results: random results for the ranks of several requests. The engine's local_deliver() is the reference: each
// rank must have its job, with the engine's access and words, or none.
#include <algorithm>
#include <cstring>
#include <deque>
#include <vector>

#include "Vdut.h"
#include "local_bits.h"

constexpr unsigned int word_bytes = 64, most_requests = 3;

struct Result {
	local_chunk c = {};
	local_request r[most_requests];
	unsigned int requests = 1, qp[most_requests] = {}, entry[most_requests] = {}, slot = 0;
	uint64_t ranks = 0, takers = 0;
	uint16_t err_vector = 0;
	bool ended = false, shut = false; // its group is fenced when it begins to leave
	uint64_t serial = 0;
	std::vector<uint8_t> data;

	bool is_lost() const { return ended || shut; }

	unsigned int of_rank(unsigned int rank) const
	{
		for (unsigned int k = 0; k < requests; k++)
			if (r[k].rank_mask >> rank & 1)
				return k;
		tally::fail("rank %u has no request", rank);
	}
};

class World {
public:
	explicit World(tally::Bench<Vdut> &bench) : bench_(bench), rng_(bench.rng), dut_(*bench.dut) {}

	bool stalls = true;
	uint64_t writes = 0, nones = 0, ended = 0, held = 0, shut = 0;

	void restart()
	{
		dut_.res_tvalid_i = dut_.rgot_valid_i = dut_.got_valid_i = dut_.sgot_valid_i = dut_.hold_i = 0;
		bench_.reset();
		results_.clear();
		looks_.clear();
		offers_ = sends_ = ref_waits_ = row_waits_ = sge_waits_ = false;
		left_ = 0;
		at_ = word_at_ = words_ = waits_ = 0;
	}

	void cycle()
	{
		if (!offers_ && rng_.one_in(4))
			offer();
		send();
		answer();
		dut_.hold_i = stalls && rng_.one_in(4);
		dut_.ref_ready_i = !stalls || rng_.one_in(2);
		dut_.row_ready_i = !stalls || rng_.one_in(2);
		dut_.sge_ready_i = !stalls || rng_.one_in(2);
		dut_.new_ready_i = !stalls || new_.go();
		dut_.word_ready_i = !stalls || rng_.one_in(2);
		bench_.settle();
		CHECK(dut_.busy_o || (results_.empty() && !dut_.within_o), "it has a result and is not busy");
		CHECK(!hold_ || within_ || !dut_.within_o, "a result begins although it is held");
		held += hold_ && !within_ && !results_.empty();
		const bool looks = dut_.look_o;
		take();	// a result may begin to leave with its last word
		if (looks)
			observe_look();
		observe();
		hold_ = dut_.hold_i, within_ = dut_.within_o;
		CHECK(++waits_ < 4000, "the block has stopped");
		bench_.tick();
		if (looks)
			dut_.shut_i = shut_;
	}

private:
	tally::Bench<Vdut> &bench_;
	tally::Rng &rng_;
	Vdut &dut_;
	Result next_;
	std::deque<Result> results_; // taken
	std::deque<std::pair<uint64_t, uint16_t>> looks_; // of results that were taken: serial and group
	uint64_t serial_ = 0;
	bool shut_ = false;
	bool offers_ = false, sends_ = false, ref_waits_ = false, row_waits_ = false, sge_waits_ = false, hold_ = false, within_ = false;
	uint64_t left_ = 0; // ranks of the oldest result without a job
	size_t at_ = 0, word_at_ = 0, words_ = 0;
	unsigned int waits_ = 0, request_ = 0, sge_ = 0, row_ = 0;
	tally::Throttle new_{ rng_ };

	// ---- Results ----

	void divide()
	{
		const uint64_t all = next_.r[0].rank_mask;
		uint64_t cut = rng_.next();

		next_.requests = 1 + rng_.below(most_requests);
		for (unsigned int k = 0; k < next_.requests; k++) {
			local_request &r = next_.r[k];

			if (k)
				r = next_.r[0];
			r.rank_mask = k + 1 == next_.requests ? all : all & cut;
			for (unsigned int i = 0; i < k; i++)
				r.rank_mask &= ~next_.r[i].rank_mask;
			cut = rng_.next();
			random_lists(rng_, r);
			r.pd = rng_.below(TALLY_MAX_PD);
			r.flags = rng_.one_in(4) && r.opcode != TALLY_OPCODE_BARRIER ? TALLY_WQE_F_COMBINED : 0;
			if (rng_.one_in(6))
				r.flags |= TALLY_WQE_F_EMPTY;
			local_set(&r, &next_.c);
			r.num_result = rng_.one_in(10) ? 0 : __builtin_popcountll(local_getters());
			next_.takers |= local_takers();
			next_.qp[k] = rng_.below(Qps);
		}
	}

	void offer()
	{
		next_ = {};
		random_request(rng_, next_.r[0], next_.c);
		divide();
		for (unsigned int k = 0; k < next_.requests; k++) // one entry each
			next_.entry[k] = rng_.below(Entries / most_requests) * most_requests + k;
		next_.ended = rng_.one_in(6);
		next_.serial = ++serial_;
		next_.ranks = next_.takers;
		for (unsigned int k = 0; k < next_.requests && next_.ended; k++)
			next_.ranks |= next_.r[k].rank_mask;
		if (rng_.one_in(2))
			next_.ranks &= rng_.next();
		next_.slot = rng_.below(Slots);
		next_.err_vector = rng_.next();
		next_.data.resize(std::min(next_.c.whole, next_.c.total - next_.c.first) << next_.r[0].elem_log);
		rng_.fill(next_.data.data(), next_.data.size());
		offers_ = true;
		at_ = 0;
		put(dut_.res_i, result_bits::err_vector, next_.err_vector);
		put(dut_.res_i, result_bits::ended, next_.ended);
		put(dut_.res_i, result_bits::ranks, next_.ranks);
		put(dut_.res_i, result_bits::group, next_.c.group);
		put_message(dut_.res_i, result_bits::message, next_.r[0], next_.c);
		dut_.res_slot_i = next_.slot;
	}

	void send()
	{
		sends_ = offers_ && (!stalls || sends_ || rng_.one_in(2));
		dut_.res_tvalid_i = sends_;
		rng_.fill(&dut_.res_tdata_i[0], word_bytes);
		if (at_ < next_.data.size())
			std::memcpy(&dut_.res_tdata_i[0], &next_.data[at_], std::min<size_t>(word_bytes, next_.data.size() - at_));
		dut_.res_tlast_i = at_ + word_bytes >= next_.data.size();
	}

	void take()
	{
		if (!dut_.res_tvalid_i || !dut_.res_tready_o)
			return;
		at_ += word_bytes;
		sends_ = false;
		if (!dut_.res_tlast_i)
			return;
		offers_ = false;
		waits_ = 0;
		results_.push_back(next_);
		looks_.push_back({ next_.serial, next_.c.group });
		if (results_.size() == 1)
			left_ = next_.ranks;
		pass();
	}

	// Results all of whose ranks have their jobs.
	void pass()
	{
		while (!results_.empty() && !left_ && !words_) {
			results_.pop_front();
			left_ = results_.empty() ? 0 : results_.front().ranks;
		}
	}

	// ---- Tables ----

	void answer()
	{
		dut_.rgot_valid_i = ref_waits_ && (!stalls || rng_.one_in(3));
		dut_.got_valid_i = row_waits_ && (!stalls || rng_.one_in(3));
		dut_.sgot_valid_i = sge_waits_ && (!stalls || rng_.one_in(3));
		for (unsigned int i = 0; i <= request_bits::width / 32; i++)
			dut_.got_i[i] = rng_.next();
		put(dut_.got_i, { request_bits::width, 32 - request_bits::width % 32 }, 0);
		ref_waits_ &= !dut_.rgot_valid_i;
		row_waits_ &= !dut_.got_valid_i;
		sge_waits_ &= !dut_.sgot_valid_i;
		dut_.rgot_entry_i = rng_.below(Entries);
		if (results_.empty())
			return;
		const Result &x = results_.front();
		const local_request &r = x.r[request_];

		if (dut_.rgot_valid_i)
			dut_.rgot_entry_i = x.entry[request_];
		put(dut_.got_i, request_bits::num_result, r.num_result);
		put(dut_.got_i, request_bits::elem_log, r.elem_log);
		put(dut_.got_i, request_bits::flags, r.flags);
		put(dut_.got_i, request_bits::rank_mask, r.rank_mask);
		dut_.got_qp_i = x.qp[request_];
		put_row(dut_.got_row_i, r);
		put_entry(dut_.sgot_i, 0, r.result[sge_]);
	}

	// ---- What the block does ----

	// A result begins to leave, and its group may be fenced.
	void observe_look()
	{
		CHECK(!looks_.empty() && dut_.look_group_o == looks_.front().second, "a look for group %d", dut_.look_group_o);
		shut_ = rng_.one_in(6);
		if (!results_.empty() && results_.front().serial == looks_.front().first)
			results_.front().shut = shut_;
		looks_.pop_front();
	}

	void observe()
	{
		if (dut_.ref_valid_o && dut_.ref_ready_i) {
			CHECK(left_ && !words_ && !ref_waits_ && !results_.front().is_lost() && dut_.ref_rank_o == __builtin_ctzll(left_) && dut_.ref_slot_o == results_.front().slot,
			      "reference of rank %d is read", dut_.ref_rank_o);
			request_ = results_.front().of_rank(dut_.ref_rank_o);
			ref_waits_ = true;
		}
		if (dut_.row_valid_o && dut_.row_ready_i) {
			CHECK(dut_.row_entry_o == results_.front().entry[request_] && !row_waits_, "row %d is read", dut_.row_entry_o);
			row_waits_ = true;
		}
		if (dut_.sge_valid_o && dut_.sge_ready_i) {
			CHECK(dut_.sge_entry_o == results_.front().entry[request_] && dut_.sge_index_o && !sge_waits_, "list entry of %d is read",
			      dut_.sge_entry_o);
			sge_ = dut_.sge_index_o;
			sge_waits_ = true;
		}
		if (dut_.word_valid_o)
			observe_word();
		if (dut_.new_valid_o)
			observe_job();
	}

	void observe_word()
	{
		CHECK(words_, "a word of nobody");
		const Result &x = results_.front();

		CHECK(!std::memcmp(&dut_.word_o[0], &x.data[word_at_], std::min<size_t>(word_bytes, x.data.size() - word_at_)), "other data at byte %zu", word_at_);
		if (!dut_.word_ready_i)
			return;
		word_at_ += word_bytes;
		words_--;
		pass();
	}

	void observe_job()
	{
		CHECK(left_ && !words_, "a job of nobody");
		const Result &x = results_.front();

		CHECK(looks_.empty() || looks_.front().first > x.serial, "a job before the look");
		CHECK(dut_.within_o && dut_.within_group_o == x.c.group, "it leaves for group %d", dut_.within_group_o);
		if (x.is_lost()) {
			observe_lost(x);
			return;
		}
		const unsigned int rank = __builtin_ctzll(left_);
		const local_request &r = x.r[request_];
		const auto job = [this](Field f) { return get(dut_.new_o, f); };
		local_access a = {};
		uint32_t place = 0;
		bool writes = false;

		local_set(&r, &x.c);
		if ((local_getters() >> rank & 1) && !local_writes(1ull << rank, x.data.data()))
			writes = local_next_write(&a, &place);
		CHECK(dut_.new_qp_o == x.qp[request_] && dut_.new_entry_o == x.entry[request_], "rank %u: a job of another request", rank);
		CHECK(job(job_bits::kind) == GET && job(job_bits::tells) && job(job_bits::rank) == rank && job(job_bits::num) == x.c.num &&
		      job(job_bits::group) == x.c.group && job(job_bits::err_vector) == x.err_vector && job(job_bits::bytes) == (writes ? a.len : 0),
		      "rank %u of opcode %u: tells %llu, %llu bytes instead of %u", rank, r.opcode, (unsigned long long)job(job_bits::tells),
		      (unsigned long long)job(job_bits::bytes), a.len);
		observe_access(a, rank, writes);
		CHECK(!place, "the result begins with its first byte");
		if (dut_.new_ready_i)
			begin(writes);
	}

	// The store hears that the rank has its result, and nothing else happens.
	void observe_lost(const Result &x)
	{
		const auto job = [this](Field f) { return get(dut_.new_o, f); };

		CHECK(job(job_bits::kind) == GET && !job(job_bits::tells) && job(job_bits::rank) == unsigned(__builtin_ctzll(left_)) &&
		      job(job_bits::num) == x.c.num && job(job_bits::group) == x.c.group && get(dut_.access_o, access_bits::none),
		      "another job of a result that nobody gets");
		if (!dut_.new_ready_i)
			return;
		ended += x.ended;
		shut += !x.ended;
		begin(false);
	}

	void observe_access(const local_access &a, unsigned int rank, bool writes)
	{
		const auto access = [this](Field f) { return get(dut_.access_o, f); };

		CHECK(access(access_bits::none) == !writes && access(access_bits::write), "rank %u: an access", rank);
		CHECK(!writes || (access(access_bits::addr) == a.addr && access(access_bits::len) == a.len && access(access_bits::lkey) == a.lkey &&
				  access(access_bits::pd) == a.pd),
		      "rank %u: %llu bytes at %llx instead of %u at %llx", rank, (unsigned long long)access(access_bits::len),
		      (unsigned long long)access(access_bits::addr), a.len, (unsigned long long)a.addr);
	}

	void begin(bool is_written)
	{
		left_ &= left_ - 1;
		waits_ = 0;
		word_at_ = 0;
		words_ = is_written ? (results_.front().data.size() + word_bytes - 1) / word_bytes : 0;
		(is_written ? writes : nones)++;
		pass();
	}
};

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("local_results", argc, argv);
	World world(bench);

	bench.live(bench.times(60000), [&] { world.restart(); }, [&] {
		world.stalls = bench.cycle() / 2048 % 2;
		world.cycle();
	});
	CHECK(world.writes > 100 && world.nones > 100 && world.ended > 20 && world.shut > 20 && world.held > 0, "%llu writes, %llu without, "
	      "%llu ended, %llu fenced", (unsigned long long)world.writes, (unsigned long long)world.nones, (unsigned long long)world.ended, (unsigned long long)world.shut);
	return bench.finish();
}
