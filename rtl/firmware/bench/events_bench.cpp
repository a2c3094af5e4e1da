// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_events: sources of all events, drops, and the reads of the firmware, each fast or slowly, compared with the
// model's queue. The hardware has no common order, so an event of a packet or a timer must be the oldest of these in the model, and
// no BEGIN may wait then; any other one must be the first kind of its group. A read finds none only if there is none. Every register is that of the model.
#include <algorithm>
#include <cstring>

#include "Vdut.h"
#include "event_bits.h"

// The stream of one source: it offers, stays, and is taken. The ready output is read before the clock.
struct Source {
	explicit Source(tally::Rng &rng) : throttle(rng) {}
	tally::Throttle throttle;
	bool valid = false, taken = false;

	bool begins() { return !valid && (valid = throttle.go()); }
	bool takes(bool ready) { return taken = valid && ready; }
	void advance() { valid = valid && !taken; }
};

class World {
public:
	explicit World(tally::Bench<Vdut> &bench) : bench_(bench), rng_(bench.rng), dut_(*bench.dut) {}

	uint64_t seen[11] = {}, lost = 0, timers_lost = 0, drops = 0, again = 0;

	void restart()
	{
		model_reset();
		reader_.restart();
		for (Source *s : { &packet_, &timer_, &raise_, &query_, &drop_, &forget_ })
			s->valid = false;
		drive();
		dut_.open_ready_i = 0;
		bench_.reset();
		rates();
		opened_ = in_a_row_ = 0;
		quiet_ = false;
		shared_before_ = others_before_ = 0;
		begins_before_ = false;
	}

	void step(bool more = true)
	{
		if (more && rng_.one_in(300))
			rates();
		if (more)
			choose();
		drive();
		reader_.offer();
		dut_.open_ready_i = rng_.one_in(3);
		dut_.open_i = rng_.next();
		bench_.settle();
		watch();
		bench_.tick();
		for (Source *s : { &packet_, &timer_, &raise_, &query_, &drop_, &forget_ })
			s->advance();
		reader_.advance();
	}

	void finish()
	{
		for (unsigned int i = 0; i < 200 * (Groups * 4 + Qps + Depth); i++)
			step(false);
		CHECK(!model_shared() && !model_others(), "%u and %u events have not been taken", model_shared(), model_others());
		CHECK(!dut_.wait_o, "an event waits that nobody has raised");
	}

private:
	tally::Bench<Vdut> &bench_;
	tally::Rng &rng_;
	Vdut &dut_;
	Reader<Vdut> reader_{ rng_, dut_ };
	Source packet_{ rng_ }, timer_{ rng_ }, raise_{ rng_ }, query_{ rng_ }, drop_{ rng_ }, forget_{ rng_ };
	model_tch tch_ = {};
	model_event exception_ = {};
	bool after_ = false;
	unsigned int packet_rate_ = 1, other_rate_ = 1, drop_rate_ = 1;	// one in so many clocks
	uint32_t opened_ = 0;
	bool quiet_ = false, last_shared_ = false;
	unsigned int in_a_row_ = 0;	// events of one side, while the other waits
	uint32_t shared_before_ = 0, others_before_ = 0;	// what waited before the last clock
	bool begins_before_ = false;
	uint32_t raised_last_ = 0, raised_group_ = 0;	// the type and the group of what was raised in the last clock

	// ---- Inputs ----
	void rates()
	{
		const unsigned int rate[] = { 1, 3, 10, 40, 200 };

		packet_rate_ = rate[rng_.below(5)];
		other_rate_ = rate[rng_.below(5)];
		drop_rate_ = rng_.one_in(4) ? 10 : rng_.one_in(2) ? 300 : 3000;
	}

	// Few contexts, so that their events meet.
	unsigned int context() { return rng_.one_in(4) ? TALLY_MAX_GROUP + rng_.below(3) : rng_.below(Groups); }
	unsigned int edge() { return rng_.one_in(8) ? static_cast<unsigned int>(TALLY_CONTRIB_PARENT) : rng_.below(64); }

	void choose()
	{
		if (rng_.one_in(packet_rate_) && packet_.begins())
			choose_packet();
		if (rng_.one_in(packet_rate_) && timer_.begins()) {
			dut_.tmr_context_i = context();
			dut_.tmr_edge_i = rng_.one_in(2) ? edge() : static_cast<unsigned int>(TALLY_FW_NO_EDGE);
		}
		if (rng_.one_in(other_rate_) && raise_.begins())
			choose_raise();
		if (rng_.one_in(other_rate_) && query_.begins()) {
			dut_.query_qp_i = rng_.below(Qps);
			dut_.query_i = rng_.below(Groups) << 32 | (rng_.next() & UINT32_MAX);
		}
		if (rng_.one_in(drop_rate_) && drop_.begins())
			dut_.drop_context_i = context();
		if (rng_.one_in(drop_rate_) && forget_.begins())
			dut_.forget_qp_i = rng_.below(Qps);
	}

	void choose_packet()
	{
		const uint8_t kinds[] = { TALLY_KIND_OPEN, TALLY_KIND_KILL, TALLY_KIND_ACK };
		uint8_t header[64] = {};

		rng_.fill(&tch_, sizeof(tch_));
		tch_.kind = kinds[rng_.below(3)];
		if (rng_.one_in(2))
			tch_.limit = 0;
		tch_.len = rng_.below(sizeof(tch_.data) + 1);
		memset(tch_.data + tch_.len, 0, sizeof(tch_.data) - tch_.len);
		after_ = rng_.one_in(5);
		model_header(&tch_, header);
		for (unsigned int k = 0; k < 64; k++) {
			set_byte(dut_.pkt_tch_i, 63 - k, header[k]);
			set_byte(dut_.pkt_data_i, k, tch_.data[k]);
		}
		dut_.pkt_after_i = after_;
		dut_.pkt_context_i = context();
		dut_.pkt_edge_i = edge();
	}

	template <typename Words> static void set_byte(Words &words, unsigned int at, uint8_t value)
	{
		words[at / 4] = (words[at / 4] & ~(0xffu << 8 * (at % 4))) | static_cast<uint32_t>(value) << 8 * (at % 4);
	}

	void choose_raise()
	{
		rng_.fill(&exception_, sizeof(exception_));
		exception_.cause = rng_.below(3);
		exception_.status &= 0xffff;
		dut_.raise_kind_i = rng_.below(4);
		dut_.raise_group_i = rng_.below(Groups);

		Fields<decltype(dut_.raise_exception_i)> fields(dut_.raise_exception_i);

		fields.put(64, exception_.ranks);
		fields.put(64, exception_.contributors);
		fields.put(32, exception_.sid);
		fields.put(32, exception_.mid);
		fields.put(16, exception_.status);
		fields.put(2, exception_.cause);
	}

	void drive()
	{
		dut_.pkt_valid_i = packet_.valid;
		dut_.tmr_valid_i = timer_.valid;
		dut_.raise_valid_i = raise_.valid;
		dut_.query_valid_i = query_.valid;
		dut_.drop_valid_i = drop_.valid;
		dut_.forget_valid_i = forget_.valid;
	}

	// ---- What happens in a clock ----
	void watch()
	{
		if (reader_.answers())
			compare();
		watch_work();
		shared_before_ = model_shared();
		others_before_ = model_others();
		begins_before_ = begins();
		enter();
		raise();
		drop();
		if (dut_.open_valid_o && dut_.open_ready_i)
			opened_ = dut_.open_i;
	}

	void watch_work()
	{
		const bool asks = packet_.valid || timer_.valid || raise_.valid || query_.valid || drop_.valid || forget_.valid;

		CHECK(!dut_.busy_o || !quiet_, "busy_o without an input");
		quiet_ = !dut_.busy_o && !asks && !dut_.axil_arvalid_i;
		// Packets and timers need no search, also if they wait for a BEGIN, for which there is one.
		CHECK(dut_.wait_o || !model_shared() || !shared_before_ || drop_.valid, "%u packets and timers wait, and wait_o is low",
		      model_shared());
		if (!dut_.busy_o && !asks)
			CHECK(dut_.wait_o == (model_shared() || model_others()), "%u and %u events wait, and wait_o is %d",
			      model_shared(), model_others(), dut_.wait_o);
	}

	void enter()
	{
		if (packet_.takes(dut_.pkt_ready_o)) {
			const bool found = after_ ? model_after_end(dut_.pkt_context_i, dut_.pkt_edge_i) :
						    model_packet(dut_.pkt_context_i, dut_.pkt_edge_i, &tch_);

			CHECK(dut_.lost_o == !found, "%u events of packets and timers wait, and lost_o is %d", model_shared(), dut_.lost_o);
			lost += !found;
		} else {
			CHECK(!dut_.lost_o, "a loss without a packet");
		}
		if (timer_.takes(dut_.tmr_ready_o)) {
			const bool found = model_timer(dut_.tmr_context_i, dut_.tmr_edge_i);

			CHECK(dut_.tmr_found_o == found, "%u events of packets and timers wait, and tmr_found_o is %d", model_shared(),
			      dut_.tmr_found_o);
			timers_lost += !found;
		}
	}

	void raise()
	{
		const uint32_t types[] = { TALLY_FW_EV_BEGIN, TALLY_FW_EV_EXCEPTION, TALLY_FW_EV_FENCED, TALLY_FW_EV_DRAINED };
		const unsigned int kind = dut_.raise_kind_i;

		raised_last_ = 0;
		if (raise_.takes(dut_.raise_ready_o)) {
			raised_last_ = types[kind];
			raised_group_ = dut_.raise_group_i;
			again += !(kind == 1 ? model_exception(dut_.raise_group_i, &exception_) :
					       model_of_group(dut_.raise_group_i, types[kind]));
		}
		if (query_.takes(dut_.query_ready_o))
			again += !model_query(dut_.query_qp_i, dut_.query_i >> 32, dut_.query_i);
	}

	void drop()
	{
		if (drop_.takes(dut_.drop_ready_o)) {
			model_drop(dut_.drop_context_i);
			drops++;
		}
		if (forget_.takes(dut_.forget_ready_o))
			model_forget(dut_.forget_qp_i);
	}

	// Whether an epoch begins, of which the firmware does not know.
	static bool begins()
	{
		for (unsigned int group = 0; group < Groups; group++)
			if (model_waits(TALLY_FW_EV_BEGIN, group))
				return true;
		return false;
	}

	// ---- Answers ----
	void compare()
	{
		const uint32_t at = reader_.at();

		CHECK(reader_.resp() == (reader_.exists() ? 0 : 2), "a read at %x is answered with %u", at, reader_.resp());
		if (!reader_.exists())
			return;
		if (at == AT(next))
			next();
		else if (at == AT(open))
			CHECK(reader_.data() == opened_, "open is %x, not %x", reader_.data(), opened_);
		else
			CHECK(reader_.data() == model_read(at), "register %x is %x, not %x", at, reader_.data(), model_read(at));
	}

	static bool is_shared(uint32_t type)
	{
		return type == TALLY_FW_EV_OPEN || type == TALLY_FW_EV_KILL || type == TALLY_FW_EV_KILL_ACK ||
		       type == TALLY_FW_EV_AFTER_END || type == TALLY_FW_EV_TIMER;
	}

	static bool is_of_group(uint32_t type)
	{
		return type == TALLY_FW_EV_BEGIN || type == TALLY_FW_EV_EXCEPTION || type == TALLY_FW_EV_FENCED ||
		       type == TALLY_FW_EV_DRAINED;
	}

	// A side whose events wait has its turn, behind the search for it, which passes what was dropped.
	void turn(bool shared)
	{
		const bool other_waits = shared ? others_before_ : shared_before_ && !begins_before_;

		in_a_row_ = shared == last_shared_ && other_waits ? in_a_row_ + 1 : 0;
		last_shared_ = shared;
		CHECK(in_a_row_ <= 30, "%s do not come", shared ? "other events" : "packets and timers");
	}

	// The event was taken in the last clock, in which one of an earlier kind may have been raised behind it.
	void next()
	{
		const uint32_t type = reader_.data() & 0xff, group = reader_.data() >> 16;
		uint32_t expected = 0;

		opened_ = 0;
		CHECK(type <= TALLY_FW_EV_QUERY, "type %u", type);
		seen[type]++;
		if (type == TALLY_FW_EV_NONE) {
			const model_event none = {};

			CHECK(!shared_before_ && !others_before_, "nothing is found of %u and %u events", shared_before_, others_before_);
			model_set(&none);
		} else if (is_shared(type)) {
			turn(true);
			CHECK(!begins_before_, "type %u comes before a BEGIN", type);
			expected = model_take_shared();
		} else {
			turn(false);
			expected = model_take_other(type, type == TALLY_FW_EV_QUERY ? read_event(dut_.event_o).qp : group);
		}
		CHECK(reader_.data() == expected, "next is %x, not %x", reader_.data(), expected);
		for (uint32_t earlier : { TALLY_FW_EV_BEGIN, TALLY_FW_EV_EXCEPTION, TALLY_FW_EV_FENCED })
			CHECK(!is_of_group(type) || earlier >= type || !model_waits(earlier, group) || (raised_last_ == earlier && raised_group_ == group),
			      "type %u of group %u comes before type %u", type, group, earlier);
	}
};

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("events", argc, argv);
	World world(bench);

	bench.live(bench.times(250000), [&] { world.restart(); }, [&] { world.step(); });
	world.finish();
	for (uint64_t n : world.seen)
		CHECK(n > 100, "an event came only %llu times", static_cast<unsigned long long>(n));
	CHECK(world.lost > 100 && world.timers_lost > 100 && world.drops > 100 && world.again > 100,
	      "%llu packets and %llu timers found no place, %llu drops, %llu raised again", static_cast<unsigned long long>(world.lost),
	      static_cast<unsigned long long>(world.timers_lost), static_cast<unsigned long long>(world.drops),
	      static_cast<unsigned long long>(world.again));
	return bench.finish();
}
