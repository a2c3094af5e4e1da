// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_store_end: results become due to ranks of random groups and are taken, the lists are filled and drained, what
// waits in the third one gets to the first one once it is woken, and epochs end. What leaves the first list is looked at, and
// perhaps read, without a pause if others follow. The segments must return when nothing of the epoch is left, not before, and
// soon after that, whatever is sent for other groups. While others end, the counts of all groups must stay right.
#include "Vdut.h"
#include "bench.h"

class Tester {
public:
	explicit Tester(tally::Bench<Vdut> &bench) : bench_(bench), dut_(*bench.dut), rng_(bench.rng) {}
	void restart();
	void step();

private:
	void drive_results();
	void drive_lists();
	void send(bool pops);
	void wait_list();
	void check_map();
	bool may_begin(unsigned int group) const { return !dut_.stop_o && !(dut_.ending_o && dut_.group_o == group); }

	tally::Bench<Vdut> &bench_;
	Vdut &dut_;
	tally::Rng &rng_;
	tally::Throttle take_go_{ rng_ }, pop_go_{ rng_ };
	unsigned int open_[Groups] = {}, send_used_ = 0, own_used_ = 0, send_old_ = 0, own_old_ = 0, wait_used_ = 0,
		     wait_old_ = 0, wait_due_ = 0;
	uint64_t changed_at_ = 0, free_since_ = 0;
	bool was_ending_ = false, map_taken_ = false, woken_ = false;
	// what was taken from the first list is looked at or read; it is of the epoch
	bool looks_ = false, reads_ = false, look_old_ = false, read_old_ = false, crowded_ = false;
	unsigned int words_old_ = 0;	// that were read when the block said so, and have not left
	unsigned int ended_ = 0;
};

void Tester::restart()
{
	dut_.cmd_valid_i = dut_.quiet_i = dut_.due_valid_i = dut_.due_taken_i = dut_.send_pop_i = dut_.own_pop_i = 0;
	dut_.map_ready_i = dut_.map_done_i = dut_.send_used_i = dut_.own_used_i = 0;
	for (auto &n : open_)
		n = 0;
	send_used_ = own_used_ = send_old_ = own_old_ = wait_used_ = wait_old_ = wait_due_ = 0;
	dut_.wait_used_i = dut_.wait_pop_i = 0;
	was_ending_ = map_taken_ = woken_ = false;
	looks_ = reads_ = look_old_ = read_old_ = false;
	words_old_ = 0;
	crowded_ = rng_.one_in(2);
	bench_.reset();
	changed_at_ = free_since_ = bench_.cycle();
}

void Tester::drive_results()
{
	unsigned int g = rng_.below(Groups);

	dut_.due_group_i = g;
	dut_.due_valid_i = dut_.due_taken_i = 0;
	dut_.due_ranks_i = rng_.next() & ((1 << Ranks) - 1);
	if (bench_.cycle() < changed_at_ + 4 || dut_.quiet_i)
		return;
	if (open_[g] && take_go_.go()) {
		dut_.due_valid_i = dut_.due_taken_i = 1;
		dut_.due_ranks_i = 0;
		open_[g]--;
	} else if (may_begin(g) && dut_.due_ranks_i && open_[g] + Ranks <= GroupSegs * Ranks) {
		dut_.due_valid_i = 1;
		open_[g] += __builtin_popcount(dut_.due_ranks_i);
	}
	if (dut_.due_valid_i)
		changed_at_ = bench_.cycle();
}

void Tester::drive_lists()
{
	dut_.send_used_i = send_used_;
	dut_.own_used_i = own_used_;
	dut_.send_looks_i = looks_;
	dut_.send_reads_i = reads_;
	dut_.send_old_i = words_old_ != 0;
	dut_.send_pop_i = send_used_ && !looks_ && (crowded_ || pop_go_.go());
	dut_.own_pop_i = own_used_ && pop_go_.go();
	dut_.wait_used_i = wait_used_;
	dut_.wait_pop_i = wait_due_ && send_used_ < Due - 1 && pop_go_.go();
	send_used_ -= dut_.send_pop_i;
	own_used_ -= dut_.own_pop_i;
	send(dut_.send_pop_i);
	send_old_ -= send_old_ && dut_.send_pop_i;
	own_old_ -= own_old_ && dut_.own_pop_i;
	wait_used_ -= dut_.wait_pop_i;
	wait_due_ -= dut_.wait_pop_i;
	send_used_ += dut_.wait_pop_i;
	if (dut_.wait_pop_i && wait_old_ && !--wait_old_)
		send_old_ = send_used_;	// the last one of the epoch is at the end of the first list
	if (!dut_.quiet_i && send_used_ < (crowded_ ? 3 : Due))
		send_used_ += crowded_ || rng_.one_in(3);
	if (!dut_.quiet_i && own_used_ < Due)
		own_used_ += rng_.one_in(3);
}

// What is looked at may be read when nothing else is. The next clock's state; crowded_: there is always a next one.
void Tester::send(bool pops)
{
	bool ends = looks_ && rng_.one_in(3), wants = ends && rng_.one_in(2);

	if (reads_ && rng_.one_in(4)) {
		reads_ = read_old_ = false;
	} else if (wants && !reads_) {
		reads_ = true;
		read_old_ = look_old_;
	} else if (wants || (ends && crowded_ && rng_.one_in(2))) {
		ends = false;	// it still waits for the read before
	}
	look_old_ = pops ? send_old_ != 0 : look_old_ && !ends;
	looks_ = pops || (looks_ && !ends);
	if (dut_.send_mark_o)
		words_old_ = rng_.below(4);
	else
		words_old_ -= words_old_ && rng_.one_in(4);
}

// The third list: all of it is due at the end of an epoch, and now and then.
void Tester::wait_list()
{
	if (dut_.wake_o) {
		CHECK(dut_.ending_o && !send_old_ && !own_old_ && !look_old_, "the third list is woken too early");
		woken_ = true;
		wait_old_ = wait_used_;
		if (!wait_old_)
			send_old_ = send_used_;
	}
	if (dut_.wake_o || rng_.one_in(100))
		wait_due_ = wait_used_;
	if (!dut_.quiet_i && wait_used_ < Due / 2 && rng_.one_in(8))
		wait_used_++;
}

void Tester::check_map()
{
	unsigned int g = dut_.group_o;

	if (dut_.ending_o && !was_ending_) { // what is in the lists now, is of the epoch
		CHECK(!dut_.stop_o, "the store stays stopped");
		free_since_ = bench_.cycle();
	}
	bool old = send_old_ || own_old_ || wait_old_ || look_old_ || read_old_ || (words_old_ && !dut_.send_mark_o);

	if (!dut_.ending_o || open_[g] || old || !dut_.quiet_i)
		free_since_ = dut_.ending_o && !open_[g] && !old ? free_since_ : bench_.cycle();
	CHECK(map_taken_ || bench_.cycle() < free_since_ + 1000, "group %u: the segments do not return", g);
	CHECK(!dut_.map_valid_o || (!open_[g] && !old && woken_ && dut_.ending_o), "group %u: %u results, %u, %u and %u entries",
	      g, open_[g], send_old_, own_old_, wait_old_);
	was_ending_ = dut_.ending_o;
}

void Tester::step()
{
	dut_.cmd_group_i = dut_.cmd_valid_i ? dut_.cmd_group_i : rng_.below(Groups);
	dut_.cmd_valid_i = dut_.cmd_valid_i || rng_.one_in(100);
	dut_.map_ready_i = rng_.one_in(2);
	dut_.map_done_i = map_taken_ && rng_.one_in(8);
	bench_.settle();
	dut_.quiet_i = dut_.stop_o && bench_.cycle() >= changed_at_ + 4 && rng_.one_in(4);
	drive_results();
	drive_lists();
	bench_.settle();
	check_map();
	if (dut_.quiet_i && dut_.stop_o && !dut_.ending_o) {
		send_old_ = send_used_ - dut_.wait_pop_i;	// what comes now is looked at later
		own_old_ = own_used_;
	}
	wait_list();
	if (dut_.map_done_i) {
		map_taken_ = woken_ = false;
		ended_++;
	}
	if (dut_.map_valid_o && dut_.map_ready_i)
		map_taken_ = true;
	if (dut_.cmd_valid_i && dut_.cmd_ready_o) {
		bench_.tick();
		dut_.cmd_valid_i = 0;
		return;
	}
	bench_.tick();
}

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("store_end", argc, argv);
	Tester tester(bench);

	bench.live(bench.times(100000), [&] { tester.restart(); }, [&] { tester.step(); });
	return bench.finish();
}
