// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_event_regs: random events and reads, with stalls. Every answer is that of the model's registers.
#include <cstring>

#include "Vdut.h"
#include "event_bits.h"

class World {
public:
	explicit World(tally::Bench<Vdut> &bench) : bench_(bench), rng_(bench.rng), dut_(*bench.dut) {}

	uint64_t reads = 0, opens = 0, refused = 0, taken = 0;

	void restart()
	{
		model_reset();
		reader_.restart();
		dut_.take_ready_i = dut_.open_ready_i = 0;
		bench_.reset();
		event_ = {};
		open_ = 0;
		took_ = false;
	}

	void step()
	{
		reader_.offer();
		choose();
		bench_.settle();
		watch();
		bench_.tick();
		reader_.advance();
	}

private:
	tally::Bench<Vdut> &bench_;
	tally::Rng &rng_;
	Vdut &dut_;
	Reader<Vdut> reader_{ rng_, dut_ };
	tally::Throttle events_{ rng_ }, compares_{ rng_ };
	model_event event_ = {}, offered_ = {};
	uint32_t open_ = 0;
	bool took_ = false;	// an event came with the last clock

	void choose()
	{
		rng_.fill(&offered_, sizeof(offered_));
		offered_.type = rng_.one_in(2) ? static_cast<uint32_t>(TALLY_FW_EV_OPEN) : rng_.below(256);
		offered_.context &= 0xffff;
		offered_.edge &= 0xff;
		offered_.flags &= 0xffff;
		offered_.cause &= 3;
		offered_.status &= 0xffff;
		offered_.qp &= 0xffff;
		write_event(dut_.take_i, offered_);
		dut_.take_ready_i = events_.go();
		dut_.open_ready_i = compares_.go();
		dut_.open_i = rng_.next();
	}

	void watch()
	{
		CHECK(dut_.busy_o == reader_.waits(), "busy_o is %d", dut_.busy_o);
		if (reader_.answers())
			compare();
		else
			CHECK(!took_, "no answer follows an event");

		const model_event now = read_event(dut_.event_o);

		CHECK(!memcmp(&now, &event_, sizeof(now)), "event_o changes");
		CHECK(!dut_.open_valid_o || event_.type == TALLY_FW_EV_OPEN, "no OPEN is compared");
		took_ = dut_.take_valid_o && dut_.take_ready_i;
		if (took_) {
			taken++;
			event_ = offered_;
			open_ = 0;
			model_set(&event_);
		}
		if (dut_.open_valid_o && dut_.open_ready_i)
			open_ = dut_.open_i;
	}

	void compare()
	{
		const uint32_t at = reader_.at();

		reads++;
		CHECK(reader_.resp() == (reader_.exists() ? 0 : 2), "a read at %x is answered with %u", at, reader_.resp());
		CHECK(took_ == reader_.is(AT(next)), "an event is taken by a read at %x, or none is", at);
		if (!reader_.exists()) {
			refused++;
			CHECK(reader_.data() == 0, "a register that there is not is %x", reader_.data());
		} else if (at == AT(next)) {
			CHECK(reader_.data() == (event_.type | event_.edge << 8 | event_.context << 16), "next is %x", reader_.data());
		} else if (at == AT(open)) {
			opens += event_.type == TALLY_FW_EV_OPEN;
			CHECK(reader_.data() == open_, "open is %x, not %x", reader_.data(), open_);
		} else {
			CHECK(reader_.data() == model_read(at), "register %x is %x, not %x", at, reader_.data(), model_read(at));
		}
	}
};

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("event_regs", argc, argv);
	World world(bench);

	bench.live(bench.times(50000), [&] { world.restart(); }, [&] { world.step(); });
	CHECK(world.reads > 2000 && world.opens > 20 && world.refused > 100 && world.taken > 200,
	      "%llu reads, %llu of open, %llu refused, %llu events", static_cast<unsigned long long>(world.reads),
	      static_cast<unsigned long long>(world.opens), static_cast<unsigned long long>(world.refused),
	      static_cast<unsigned long long>(world.taken));
	return bench.finish();
}
