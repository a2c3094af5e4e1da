// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_local_due: the ranks of random requests that give data to a chunk. The engine's local_fetch() is the reference: each
// rank must have its job, with the engine's access or none, and what its operation needs.
#include "Vdut.h"
#include "local_bits.h"

class World {
public:
	explicit World(tally::Bench<Vdut> &bench) : bench_(bench), rng_(bench.rng), dut_(*bench.dut) {}

	bool stalls = true;
	uint64_t accesses = 0, nones = 0, only_give = 0, others = 0, dues = 0, asked = 0;

	void restart()
	{
		dut_.due_valid_i = dut_.got_valid_i = dut_.sgot_valid_i = 0;
		bench_.reset();
		offered_ = left_ = 0;
		got_ = asks_ = asked_ = false;
		row_waits_ = sge_waits_ = job_waits_ = false;
		waits_ = 0;
	}

	void cycle()
	{
		if (!offered_ && rng_.one_in(2))
			offer();
		dut_.due_valid_i = offered_ != 0;
		answer();
		dut_.row_ready_i = !stalls || rng_.one_in(2);
		dut_.sge_ready_i = !stalls || rng_.one_in(2);
		dut_.new_ready_i = !stalls || new_.go();
		dut_.note_ready_i = job_waits_ || !stalls || rng_.one_in(2); // it does not go away under an offer
		dut_.may_ask_i = rng_.one_in(2);
		dut_.line_ready_i = !stalls || rng_.one_in(3);
		bench_.settle();
		take();
		observe_line();
		observe();
		job_waits_ = dut_.new_valid_o && !dut_.new_ready_i;
		CHECK(++waits_ < 3000, "the block has stopped");
		bench_.tick();
	}

private:
	tally::Bench<Vdut> &bench_;
	tally::Rng &rng_;
	Vdut &dut_;
	uint64_t offered_ = 0, left_ = 0; // ranks that are offered, and of what was taken
	unsigned int waits_ = 0, index_ = 0, qp_ = 0, entry_ = 0, next_qp_ = 0, next_entry_ = 0, sge_index_ = 0;
	local_request r_ = {}, next_ = {};
	local_chunk c_ = {}, next_chunk_ = {};
	bool got_ = false; // the row has come in the last clock
	bool asks_ = false, asked_ = false; // the line of the first rank is wanted; it was taken
	bool row_waits_ = false, sge_waits_ = false, job_waits_ = false;
	tally::Throttle new_{ rng_ };

	void offer()
	{
		random_request(rng_, next_, next_chunk_);
		offered_ = local_givers();
		if (!offered_)
			return;
		next_qp_ = rng_.below(Qps);
		next_entry_ = rng_.below(Entries);
		dut_.due_qp_i = next_qp_;
		dut_.due_entry_i = next_entry_;
		put(dut_.due_i, due_bits::group, next_chunk_.group);
		put(dut_.due_i, due_bits::ranks, offered_);
		put_message(dut_.due_i, due_bits::message, next_, next_chunk_);
	}

	void answer()
	{
		dut_.got_valid_i = row_waits_ && (!stalls || rng_.one_in(3));
		dut_.sgot_valid_i = sge_waits_ && (!stalls || rng_.one_in(3));
		for (unsigned int i = 0; i <= request_bits::width / 32; i++)
			dut_.got_i[i] = rng_.next();
		put(dut_.got_i, { request_bits::width, 32 - request_bits::width % 32 }, 0);
		put(dut_.got_i, request_bits::num_gather, r_.num_gather);
		put(dut_.got_i, request_bits::give_log, r_.give_log);
		put(dut_.got_i, request_bits::elem_log, r_.elem_log);
		put(dut_.got_i, request_bits::flags, r_.flags);
		put(dut_.got_i, request_bits::loc_index, r_.loc_index);
		put_row(dut_.got_row_i, r_);
		put_entry(dut_.sgot_i, 0, dut_.sgot_valid_i ? r_.gather[sge_index_] : local_entry{ rng_.next(), uint32_t(rng_.next()) });
		row_waits_ &= !dut_.got_valid_i;
		sge_waits_ &= !dut_.sgot_valid_i;
	}

	void take()
	{
		CHECK(dut_.busy_o || dut_.due_ready_o, "the block takes nothing and is not busy");
		if (!dut_.due_valid_i || !dut_.due_ready_o)
			return;
		CHECK(!left_, "the next request is taken before all ranks have their jobs");
		left_ = offered_;
		r_ = next_, c_ = next_chunk_, qp_ = next_qp_, entry_ = next_entry_;
		index_ = waits_ = 0;
		offered_ = 0;
		dues++;
	}

	void observe()
	{
		if (dut_.row_valid_o && dut_.row_ready_i) {
			CHECK(dut_.row_entry_o == entry_ && !row_waits_, "row %d is read", dut_.row_entry_o);
			row_waits_ = true;
		}
		if (dut_.sge_valid_o && dut_.sge_ready_i) {
			CHECK(dut_.sge_entry_o == entry_ && dut_.sge_index_o == index_ && index_ && !sge_waits_, "list entry %d of %d is read", dut_.sge_index_o,
			      dut_.sge_entry_o);
			sge_index_ = index_;
			sge_waits_ = true;
		}
		if (!dut_.new_valid_o)
			return;
		CHECK(left_, "a job for nobody");
		CHECK(dut_.note_ready_i, "a job that cannot be noted");
		observe_job();
		if (dut_.new_ready_i) {
			left_ &= left_ - 1;
			index_++;
			waits_ = 0;
		}
	}

	// The line of the first rank, if its data are in the request and it may be wanted early.
	void observe_line()
	{
		const unsigned int bytes = left_ ? inline_bytes() : 0;

		if (got_)
			asks_ = dut_.may_ask_i && !r_.num_gather && bytes;
		got_ = dut_.got_valid_i;
		CHECK(dut_.line_valid_o == asks_, "a line is wanted: %d", dut_.line_valid_o);
		if (!asks_)
			return;
		CHECK(dut_.new_entry_o == entry_ && dut_.line_len_o == bytes && dut_.line_from_o == (c_.first << r_.give_log & 0x1fff),
		      "%d bytes from byte %d of the line of entry %d are wanted", dut_.line_len_o, dut_.line_from_o, dut_.new_entry_o);
		CHECK(!dut_.new_valid_o, "a job before its line");
		asked_ = true;
		asks_ = !dut_.line_ready_i;
		asked += dut_.line_ready_i;
	}

	unsigned int inline_bytes()
	{
		local_set(&r_, &c_);
		return local_gives(__builtin_ctzll(left_)).bytes >> r_.elem_log << r_.give_log;
	}

	void observe_job()
	{
		const unsigned int rank = __builtin_ctzll(left_);
		local_access a = {};
		bool reads, only;
		local_operation op;

		local_set(&r_, &c_);
		reads = local_reads(rank, &a);
		only = r_.opcode != TALLY_OPCODE_BARRIER && !(local_getters() >> rank & 1);
		if (r_.opcode == TALLY_OPCODE_ALLREDUCE)
			CHECK(!only, "all get the result of an ALLREDUCE");
		op = local_gives(rank);
		CHECK(dut_.new_qp_o == qp_ && dut_.new_entry_o == entry_, "a job of another request");
		CHECK(get(dut_.access_o, access_bits::none) == !reads && !get(dut_.access_o, access_bits::write), "rank %u: an access", rank);
		if (reads)
			CHECK(get(dut_.access_o, access_bits::addr) == a.addr && get(dut_.access_o, access_bits::len) == a.len &&
			      get(dut_.access_o, access_bits::lkey) == a.lkey && get(dut_.access_o, access_bits::pd) == a.pd,
			      "rank %u: %llu bytes at %llx instead of %u at %llx", rank, (unsigned long long)get(dut_.access_o, access_bits::len),
			      (unsigned long long)get(dut_.access_o, access_bits::addr), a.len, (unsigned long long)a.addr);
		CHECK(get(dut_.new_o, job_bits::kind) == GIVE && get(dut_.new_o, job_bits::rank) == rank && get(dut_.new_o, job_bits::num) == c_.num &&
		      get(dut_.new_o, job_bits::group) == c_.group, "another job");
		CHECK(get(dut_.new_o, job_bits::tells) == only, "rank %u of opcode %u: has finished with its data: %d", rank, r_.opcode, !only);
		observe_note(rank, op);
		CHECK(dut_.note_asked_o == asked_, "rank %u: its line was wanted: %d", rank, dut_.note_asked_o);
		if (dut_.new_ready_i)
			asked_ = false;
		if (dut_.new_ready_i)
			(reads ? accesses : nones)++, (only ? only_give : others)++;
	}

	void observe_note(unsigned int rank, const local_operation &op)
	{
		uint32_t message[8] = {}, told[8] = {};
		const uint32_t elements = op.bytes >> r_.elem_log;

		put_message(message, 0, r_, c_);
		for (unsigned int i = 0; i < message_bits::width; i += 8)
			put(told, { i, 8 }, get(dut_.note_o, { chunk_bits::message + i, 8 }));
		for (unsigned int i = 0; i < 8; i++)
			CHECK(message[i] == told[i], "another message");
		if (r_.flags & TALLY_WQE_F_LOC_VALUES)
			CHECK(get(dut_.note_o, chunk_bits::give_log) == r_.give_log && get(dut_.note_o, chunk_bits::index) == r_.loc_index + c_.first,
			      "rank %u: values from %llu on", rank, (unsigned long long)get(dut_.note_o, chunk_bits::index));
		CHECK(get(dut_.note_o, chunk_bits::values) == !!(r_.flags & TALLY_WQE_F_LOC_VALUES), "rank %u: values", rank);
		CHECK(get(dut_.note_o, chunk_bits::rank) == rank && get(dut_.note_o, chunk_bits::group) == c_.group &&
		      get(dut_.note_o, chunk_bits::bytes) == op.bytes && get(dut_.note_o, chunk_bits::len) == elements << r_.give_log &&
		      get(dut_.note_o, chunk_bits::from) == ((uint64_t(c_.first) << r_.give_log) & 0x1fff), "rank %u: %llu bytes of %u", rank,
		      (unsigned long long)get(dut_.note_o, chunk_bits::bytes), op.bytes);
	}
};

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("local_due", argc, argv);
	World world(bench);

	bench.live(bench.times(60000), [&] { world.restart(); }, [&] {
		world.stalls = bench.cycle() / 1024 % 2;
		world.cycle();
	});
	CHECK(world.accesses > 100 && world.nones > 100 && world.only_give > 100 && world.others > 100 && world.dues > 100 && world.asked > 100,
	      "%llu accesses, %llu without", (unsigned long long)world.accesses, (unsigned long long)world.nones);
	return bench.finish();
}
