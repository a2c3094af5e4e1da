// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_sender_unit: barriers and descriptors of the queue pairs of some groups, which the firmware makes known by
// registers. Only those whose requests the unit begins are looked at, each of their requests begins once, in order, a refused
// descriptor when its queue pair has been marked. The clock stands still while the unit is not busy and has no input, as it does in the
// NIC. The bench of tally_sender has the rules.
#include <algorithm>
#include <cstddef>
#include <deque>
#include <vector>

#include "Vdut.h"
#include "rtl/axi_lite.h"
#include "sender_bits.h"

extern "C" {
#include "gen/tally_fw_hw.h"
}

#define AT(field) static_cast<uint32_t>(offsetof(struct tally_fw_sender, field))

enum Command { CREATE, STATE };
constexpr unsigned int longest = 3000;	// clocks

struct Queue {
	bool begins = false;
	uint32_t posted = 0, begun = 0;		// requests
	uint32_t messages = 0;			// that have begun
	std::deque<bool> descriptors;		// of those that have not begun, which is one
	bool refused = false;
};

class World {
public:
	explicit World(tally::Bench<Vdut> &bench) : bench_(bench), rng_(bench.rng), dut_(*bench.dut) {}

	uint64_t begun = 0, ignored = 0, looks = 0, wants = 0, handed = 0, refused = 0;

	// A life of the unit, with some epochs.
	void run()
	{
		reset();
		for (unsigned int q = 0; q < Qps; q++)
			create(q);
		for (unsigned int g = 0; g < Groups; g++)
			epoch(g);
		for (unsigned int i = rng_.below(40); i; i--)
			step();
		if (rng_.one_in(2))
			settle();
	}

private:
	tally::Bench<Vdut> &bench_;
	tally::Rng &rng_;
	Vdut &dut_;
	tally::Throttle row_{ rng_ }, post_{ rng_ }, upd_{ rng_ }, due_{ rng_ }, hand_{ rng_ };
	Queue queues_[Qps];
	uint32_t limit_[Groups] = {};
	std::deque<std::pair<unsigned int, unsigned int>> its_;	// queue pair and entry
	std::deque<unsigned int> moved_;				// groups
	std::deque<unsigned int> refused_;				// queue pairs that are to be marked
	unsigned int it_gap_ = 0, moved_gap_ = 0, moved_wait_ = 2, row_entry_ = 0;
	int row_left_ = -1, ans_left_ = -1;
	bool settles_ = false;
	bool handed_ = false;		// a descriptor was taken in the clock before

	// The only rank of a queue pair is that of its number; its group is that modulo the number of groups.
	static unsigned int entry_of(unsigned int q, uint32_t index) { return q * (Entries / Qps) + index % (Entries / Qps); }
	static unsigned int group_of(unsigned int q) { return q % Groups; }

	void reset()
	{
		dut_.axil_awvalid_i = dut_.axil_wvalid_i = dut_.axil_bready_i = 0;
		dut_.it_valid_i = dut_.moved_valid_i = dut_.got_valid_i = dut_.ans_valid_i = dut_.cmd_valid_i = dut_.upd_flag_i = dut_.mark_valid_i = 0;
		dut_.peek_valid_i = 0;
		dut_.room_i = dut_.pass_ready_i = dut_.look_ready_i = dut_.flag_ready_i = 1;
		settles_ = handed_ = false;
		its_.clear();
		moved_.clear();
		refused_.clear();
		row_left_ = ans_left_ = -1;
		bench_.reset();
		for (bench_.settle(); dut_.busy_o; bench_.settle())
			bench_.tick();
	}

	// ---- The firmware ----

	void set(uint32_t at, uint32_t value, bool good = true)
	{
		CHECK(tally::axil_write(dut_, TALLY_FW_SENDER_BASE + at, value, [this] { answered_cycle(); }) == good, "register %x: %x", at, value);
	}

	// The answer of a write may wait.
	void answered_cycle()
	{
		for (dut_.axil_bready_i = 0; dut_.axil_bvalid_o && rng_.one_in(2);)
			cycle();
		dut_.axil_bready_i = 1;
		cycle();
	}

	void create(unsigned int q)
	{
		dut_.cmd_qp_i = q;
		dut_.cmd_group_i = group_of(q);
		for (Command c : { CREATE, STATE }) {
			dut_.cmd_i = c;
			dut_.cmd_state_i = c == CREATE ? TALLY_QPS_RESET : TALLY_QPS_RTS;
			dut_.cmd_valid_i = 1;
			while (bench_.settle(), !dut_.cmd_ready_o)
				cycle();
			cycle();
			dut_.cmd_valid_i = 0;
		}
		queues_[q] = {};
		queues_[q].begins = rng_.one_in(2);
		set(AT(flags), queues_[q].begins ? TALLY_FW_SENDER_F_BEGINS : 0);
		set(AT(sole), 0);
		set(AT(sole) + 4, 0);
		set(AT(go), TALLY_FW_SENDER_SET_QP | q << 16);
		set(AT(next), q < Groups ? TALLY_FW_NO_QP : q - Groups);
		set(AT(go), TALLY_FW_SENDER_NEXT_QP | q << 16);
		set(AT(next), q);
		set(AT(go), TALLY_FW_SENDER_FIRST_QP | group_of(q) << 16);
		set(AT(go), TALLY_FW_SENDER_FIRST_QP | Groups << 16, false);
	}

	void epoch(unsigned int g)
	{
		limit_[g] = 1 + rng_.below(4);
		moved_.push_back(g);
		while (!moved_.empty())
			cycle();
		set(AT(max_segs), 8);
		set(AT(go), TALLY_FW_SENDER_BEGIN_EPOCH | g << 16);
	}

	// ---- One clock ----

	void cycle()
	{
		dut_.it_valid_i = !its_.empty() && ++it_gap_ >= 6;
		if (dut_.it_valid_i) {
			dut_.it_i = 0;
			dut_.it_qp_i = its_.front().first;
			dut_.it_entry_i = its_.front().second;
		}
		dut_.moved_valid_i = !moved_.empty() && ++moved_gap_ >= moved_wait_;
		if (dut_.moved_valid_i) {
			dut_.moved_group_i = moved_.front();
			dut_.moved_done_i = 0;
			dut_.moved_limit_i = limit_[moved_.front()];
		}
		dut_.mark_valid_i = !refused_.empty() && rng_.one_in(30);
		if (dut_.mark_valid_i) {
			dut_.mark_qp_i = refused_.front();
			queues_[refused_.front()].refused = false;
			refused_.pop_front();
		}
		dut_.hand_ready_i = hand_.go();
		dut_.hand_took_i = rng_.one_in(2);
		dut_.row_ready_i = row_.go();
		dut_.post_ready_i = post_.go();
		dut_.upd_ready_i = upd_.go();
		dut_.due_ready_i = due_.go();
		dut_.got_valid_i = row_left_ == 0;
		if (row_left_ >= 0)
			row_left_--;
		if (dut_.got_valid_i)
			row();
		dut_.ans_valid_i = ans_left_ == 0;
		if (ans_left_ >= 0)
			ans_left_--;
		dut_.ans_i = 0;		// stored, in slot 0
		bench_.settle();
		observe();
		if (dut_.busy_o || has_input())
			bench_.tick();
		if (dut_.it_valid_i) {
			its_.pop_front();
			it_gap_ = 0;
		}
		if (dut_.moved_valid_i) {
			moved_.pop_front();
			moved_gap_ = 0;
			moved_wait_ = 2 + (rng_.one_in(3) ? rng_.below(60) : 0);	// the unit may rest in between
		}
	}

	bool has_input() const
	{
		return dut_.it_valid_i || dut_.moved_valid_i || dut_.axil_awvalid_i || dut_.cmd_valid_i || dut_.ans_valid_i || dut_.mark_valid_i ||
		       dut_.peek_valid_i;
	}

	// A barrier of the rank, of message 0, 1, 2 and so on, or a descriptor.
	void row()
	{
		const unsigned int q = row_entry_ / (Entries / Qps);
		// Of a rank that is ahead, the message is looked at again when something has moved.
		const uint32_t mid = queues_[q].messages + (!settles_ && rng_.one_in(8));

		std::fill(dut_.got_i.m_storage, dut_.got_i.m_storage + request_bits::width / 32 + 1, 0);
		std::fill(dut_.got_row_i.m_storage, dut_.got_row_i.m_storage + row_bits::width / 32 + 1, 0);
		put(dut_.got_i, request_bits::opcode, queues_[q].descriptors.front() ? TALLY_OPCODE_BCAST_MP : TALLY_OPCODE_BARRIER);
		put(dut_.got_i, request_bits::mid, mid);
		put(dut_.got_i, request_bits::rank_mask, 1ull << q);
		put(dut_.got_i, wanted_bits::mode, TALLY_MODE_TREE);
		put(dut_.got_i, wanted_bits::chunks, 1);
	}

	void observe()
	{
		const bool acts = dut_.row_valid_o || dut_.post_valid_o || dut_.upd_valid_o || dut_.due_valid_o || dut_.look_valid_o ||
				  dut_.hand_valid_o || dut_.axil_bvalid_o || dut_.pass_valid_o;

		CHECK(!acts || dut_.busy_o || has_input(), "something happens that nobody has waited for");
		if (dut_.row_valid_o && dut_.row_ready_i) {
			row_entry_ = dut_.row_entry_o;
			CHECK(queues_[row_entry_ / (Entries / Qps)].begins, "entry %u is looked at", row_entry_);
			row_left_ = rng_.below(3);
		}
		if (dut_.post_valid_o && dut_.post_ready_i)
			ans_left_ = 1 + rng_.below(20);
		CHECK(!handed_ || dut_.began_valid_o, "nobody hears of a descriptor");
		if (dut_.began_valid_o)
			begins();
		handed_ = dut_.hand_valid_o && dut_.hand_ready_i && dut_.hand_took_i;
		if (dut_.hand_valid_o && dut_.hand_ready_i)
			offered(dut_.upd_qp_o);
		looks += dut_.look_valid_o;
		wants += dut_.ask_valid_o;
	}

	void offered(unsigned int q)
	{
		CHECK(queues_[q].begins && dut_.upd_entry_o == entry_of(q, queues_[q].begun) && queues_[q].descriptors.front(), "entry %u is offered",
		      dut_.upd_entry_o);
		if (dut_.hand_took_i || queues_[q].refused)
			return;
		queues_[q].refused = true;
		refused_.push_back(q);
		refused++;
	}

	void begins()
	{
		const unsigned int q = dut_.upd_qp_o;

		CHECK(queues_[q].begins, "a request of queue pair %u begins", q);
		CHECK(queues_[q].begun < queues_[q].posted && dut_.upd_entry_o == entry_of(q, queues_[q].begun), "entry %u begins",
		      dut_.upd_entry_o);
		CHECK(queues_[q].descriptors.front() == handed_, "entry %u begins as a %s", dut_.upd_entry_o, handed_ ? "descriptor" : "message");
		if (handed_)
			handed++;
		else
			CHECK(get(dut_.began_o, began_bits::here) && get(dut_.began_o, began_bits::num) == queues_[q].messages++, "chunk %u begins",
			      unsigned(get(dut_.began_o, began_bits::num)));
		queues_[q].descriptors.pop_front();
		queues_[q].begun++;
		begun++;
	}

	// ---- Requests ----

	void step()
	{
		const unsigned int q = rng_.below(Qps);

		if (queues_[q].posted - queues_[q].begun < Entries / Qps / 2) {
			its_.push_back({ q, entry_of(q, queues_[q].posted++) });
			queues_[q].descriptors.push_back(rng_.one_in(3));
			ignored += !queues_[q].begins;
		}
		if (rng_.one_in(3)) {
			limit_[group_of(q)]++;
			moved_.push_back(group_of(q));
		}
		for (unsigned int i = rng_.below(60); i; i--)
			cycle();
	}

	// With room for all, everything begins, and the unit rests.
	void settle()
	{
		settles_ = true;
		for (unsigned int g = 0; g < Groups; g++) {
			limit_[g] = 1000;
			moved_.push_back(g);
		}
		for (unsigned int i = 0; its_.size() || moved_.size() || refused_.size() || dut_.busy_o; i++) {
			CHECK(i < longest, "the unit does not come to rest");
			cycle();
			bench_.settle();
		}
		for (unsigned int q = 0; q < Qps; q++)
			CHECK(!queues_[q].begins || queues_[q].begun == queues_[q].posted, "queue pair %u: %u of %u requests have begun", q, queues_[q].begun,
			      queues_[q].posted);
		for (unsigned int g = 0; g < Groups; g++)
			check_begun(g);
	}

	// Which ranks of a group have begun a message.
	void check_begun(unsigned int g)
	{
		const uint32_t mid = rng_.below(4);
		uint64_t expected = 0;

		for (unsigned int q = g; q < Qps; q += Groups)
			expected |= uint64_t(queues_[q].messages > mid) << q;
		dut_.peek_valid_i = 1;
		dut_.peek_group_i = g;
		dut_.peek_mid_i = mid;
		for (unsigned int i = 0; bench_.settle(), !dut_.peeked_valid_o; i++) {
			const bool taken = dut_.peek_valid_i && dut_.peek_ready_o;

			CHECK(i < longest, "a read is not answered");
			cycle();
			if (taken)
				dut_.peek_valid_i = 0;
		}
		CHECK(dut_.peeked_begun_o == expected, "ranks %llx of group %u have begun message %u, not %llx",
		      static_cast<unsigned long long>(dut_.peeked_begun_o), g, mid, static_cast<unsigned long long>(expected));
		cycle();
	}
};

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("sender_unit", argc, argv);
	World world(bench);

	for (uint64_t left = bench.times(60); left; left--)
		world.run();
	CHECK(world.handed > 50 && world.refused > 20, "%llu descriptors, %llu refused", static_cast<unsigned long long>(world.handed),
	      static_cast<unsigned long long>(world.refused));
	CHECK(world.begun > 200 && world.ignored > 100 && world.looks && world.wants, "begun %llu, ignored %llu, looks %llu, wants %llu",
	      static_cast<unsigned long long>(world.begun), static_cast<unsigned long long>(world.ignored),
	      static_cast<unsigned long long>(world.looks), static_cast<unsigned long long>(world.wants));
	return bench.finish();
}
