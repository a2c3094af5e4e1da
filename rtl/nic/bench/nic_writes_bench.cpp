// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_nic_writes: writes to registers of all units and to addresses of nobody, which the units take and answer
// after any time. Units that are not asked are ready, too. Each write must reach one unit, the one whose address it is,
// and have one answer.
#include "Vdut.h"
#include "bench.h"
extern "C" {
#include "gen/tally_fw_hw.h"
}

constexpr unsigned int okay = 0, slverr = 2;

enum Target : int { // target_e of tally_nic_pkg
	to_regs,
	to_tables,
	to_memory,
	to_store,
	to_requests,
	to_status,
	to_sender,
	to_trigger,
	to_pool,
	to_events,
	to_firmware,
	targets,
	nobody = -1
};

struct Window {
	uint32_t base, bytes;
	Target target;
};

static const Window windows[] = {
	{ TALLY_FW_NET_BASE, sizeof(struct tally_fw_net), to_regs },
	{ TALLY_FW_CONTROL_BASE, sizeof(struct tally_fw_control), to_regs },
	{ TALLY_FW_COMMAND_BASE, TALLY_FW_SEGMENT_BASE - TALLY_FW_COMMAND_BASE, to_tables },
	{ TALLY_FW_GROUP_BASE, ~0u - TALLY_FW_GROUP_BASE, to_tables },
	{ TALLY_FW_QP_BASE, TALLY_FW_GROUP_BASE - TALLY_FW_QP_BASE, to_requests },
	{ TALLY_FW_REQUEST_BASE, sizeof(struct tally_fw_request), to_requests },
	{ TALLY_FW_STATUS_BASE, sizeof(struct tally_fw_status), to_status },
	{ TALLY_FW_SENDER_BASE, sizeof(struct tally_fw_sender), to_sender },
	{ TALLY_FW_TRIGGER_BASE, sizeof(struct tally_fw_trigger), to_trigger },
	{ TALLY_FW_POOL_BASE, sizeof(struct tally_fw_pool), to_pool },
};
constexpr unsigned int num_windows = sizeof(windows) / sizeof(windows[0]);

class Writes
{
      public:
	Writes(int argc, char **argv)
	    : bench("nic_writes", argc, argv), dut(*bench.dut), rng(bench.rng), writer(rng),
	      takes(rng), ready(rng), answers(rng)
	{
	}

	int run()
	{
		bench.live(
			bench.times(60000), [this] { restart(); }, [this] { cycle(); });
		return bench.finish();
	}

      private:
	void restart();
	void choose();
	void claims();
	void offer();
	void units();
	void check();
	void transfers(bool took, bool answered, int to, bool hears);
	void cycle();
	Target by_address() const;
	Target target() const;

	tally::Bench<Vdut> bench;
	Vdut &dut;
	tally::Rng &rng;
	tally::Throttle writer, takes, ready, answers;
	bool taken = true;
	int owner = nobody;	    // the unit that is to answer
	unsigned int answer = okay; // what it answers, and what the host must get
	bool answering = false, heard = false;
};

void Writes::restart()
{
	dut.axil_awvalid_i = dut.axil_wvalid_i = dut.axil_bready_i = dut.hold_i = dut.listened_i =
		0;
	dut.write_ready_i = dut.bvalid_i = dut.bresp_i = 0;
	dut.memory_mine_i = dut.store_mine_i = dut.events_mine_i = dut.firmware_mine_i = 0;
	taken = true;
	owner = nobody;
	answering = false;
	bench.reset();
}

// Mostly the borders of windows: their first and last register, and those before and behind.
void Writes::choose()
{
	const Window &w = windows[rng.below(num_windows)];
	const uint32_t places[] = { 0, w.bytes - 4, w.bytes, ~3u,
				    uint32_t(rng.below(w.bytes)) & ~3u };

	dut.axil_awaddr_i = w.base + places[rng.below(5)];
	dut.axil_wstrb_i = rng.one_in(8) ? rng.below(15) : 15;
	claims();
}

// At most one unit says that an address is its own, whatever it is.
void Writes::claims()
{
	const uint64_t who = rng.below(16);

	dut.memory_mine_i = who == 0;
	dut.store_mine_i = who == 1;
	dut.events_mine_i = who == 2;
	dut.firmware_mine_i = who == 3;
}

// An offer stays until it is taken. Behind it, the address stays on the bus. Address and data may come one after the other.
void Writes::offer()
{
	if (taken) {
		const bool more = writer.go();

		if (more)
			choose();
		dut.axil_awvalid_i = more && !rng.one_in(4);
		dut.axil_wvalid_i = more && !rng.one_in(4);
		taken = !more;
	} else {
		dut.axil_awvalid_i |= writer.go();
		dut.axil_wvalid_i |= writer.go();
	}
	dut.hold_i = rng.one_in(8);
	dut.listened_i = rng.one_in(4);
	dut.axil_bready_i = takes.go();
}

// A unit answers in a later clock than it has taken the write, and until the host takes the answer.
void Writes::units()
{
	dut.write_ready_i = ready.go() ? rng.below(1u << targets) : 0;
	answering = answering || (owner != nobody && answers.go());
	dut.bvalid_i = answering ? 1u << owner : 0;
	dut.bresp_i = rng.below(1u << (2 * targets));
	if (answering)
		dut.bresp_i = (dut.bresp_i & ~(3u << (2 * owner))) | answer << (2 * owner);
}

Target Writes::by_address() const
{
	for (const Window &w : windows)
		if (dut.axil_awaddr_i - w.base < w.bytes)
			return w.target;
	return dut.axil_awaddr_i >= TALLY_FW_GROUP_BASE ? to_tables : to_regs;
}

Target Writes::target() const
{
	if (dut.memory_mine_i)
		return to_memory;
	if (dut.store_mine_i)
		return to_store;
	if (dut.events_mine_i)
		return to_events;
	return dut.firmware_mine_i ? to_firmware : by_address();
}

void Writes::check()
{
	const bool offered = dut.axil_awvalid_i && dut.axil_wvalid_i && !dut.hold_i &&
			     owner == nobody;
	const uint32_t valid = offered ? 1u << target() : 0;
	const bool takes_it = valid & dut.write_ready_i;

	CHECK(dut.write_valid_o == valid, "units %x are asked for %08x, not %x", dut.write_valid_o,
	      dut.axil_awaddr_i, valid);
	CHECK(dut.taken_o == takes_it && dut.axil_awready_o == takes_it &&
		      dut.axil_wready_o == takes_it,
	      "a write is taken: %d, %d, %d, not %d", dut.taken_o, dut.axil_awready_o,
	      dut.axil_wready_o, takes_it);
	CHECK(dut.tables_o == (takes_it && by_address() == to_tables), "tables_o is %d",
	      dut.tables_o);
	CHECK(dut.axil_bvalid_o == answering, "axil_bvalid_o is %d", dut.axil_bvalid_o);
	CHECK(!answering || dut.axil_bresp_o == (heard ? okay : answer), "the answer is %d",
	      dut.axil_bresp_o);
}

// Notes what was agreed in the clock that has passed.
void Writes::transfers(bool took, bool answered, int to, bool hears)
{
	if (answered) {
		owner = nobody;
		answering = false;
	}
	if (!took)
		return;
	owner = to;
	answer = rng.one_in(3) ? slverr : okay;
	heard = hears;
	taken = true;
	dut.axil_awvalid_i = dut.axil_wvalid_i = 0;
}

void Writes::cycle()
{
	offer();
	units();
	bench.settle();
	check();
	const bool took = dut.taken_o, answered = dut.axil_bvalid_o && dut.axil_bready_i;
	const bool hears = dut.listened_i && dut.axil_wstrb_i == 15;
	const int to = target();

	bench.tick();
	transfers(took, answered, to, hears);
}

int main(int argc, char **argv)
{
	return Writes(argc, argv).run();
}
