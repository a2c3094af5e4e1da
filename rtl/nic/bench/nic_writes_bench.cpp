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

enum Stage { empty, decode, offer, taken, answer }; // state_e of tally_nic_writes

class Writes
{
      public:
	Writes(int argc, char **argv)
	    : bench("nic_writes", argc, argv), dut(*bench.dut), rng(bench.rng), writer(rng),
	      takes(rng), ready(rng), answers(rng), puts(rng)
	{
	}

	int run()
	{
		bench.live(
			bench.times(60000), [this] { restart(); }, [this] { cycle(); });
		CHECK(puts_done > 100, "%llu writes of put_*", (unsigned long long)puts_done);
		return bench.finish();
	}

      private:
	struct Write {
		uint32_t addr, data;
		unsigned int strobes;
	};
	struct Seen { // transfers of a clock
		bool enters, taken, puts, put_done, answered;
	};

	void restart();
	void choose();
	void claims();
	void offers();
	void units();
	void check();
	void check_answers();
	void decide(const Seen &seen);
	void cycle();
	Target by_address() const;
	Target target() const;

	tally::Bench<Vdut> bench;
	Vdut &dut;
	tally::Rng &rng;
	tally::Throttle writer, takes, ready, answers, puts;
	Stage stage = empty;
	Write at = {};		   // the write that is inside
	bool put = false;	   // it is one of put_*
	int owner = nobody;	   // whose it is
	unsigned int response = 0; // what the unit answers
	bool answering = false, heard = false;
	uint64_t puts_done = 0;
};

void Writes::restart()
{
	dut.axil_awvalid_i = dut.axil_wvalid_i = dut.axil_bready_i = dut.hold_i = dut.listened_i =
		0;
	dut.put_valid_i = dut.write_ready_i = dut.bvalid_i = dut.bresp_i = 0;
	dut.memory_mine_i = dut.store_mine_i = dut.events_mine_i = dut.firmware_mine_i = 0;
	stage = empty;
	put = answering = false;
	bench.reset();
}

// Mostly the borders of windows: their first and last register, and those before and behind.
void Writes::choose()
{
	const Window &w = windows[rng.below(num_windows)];
	const uint32_t places[] = { 0, w.bytes - 4, w.bytes, ~3u,
				    uint32_t(rng.below(w.bytes)) & ~3u };

	dut.axil_awaddr_i = w.base + places[rng.below(5)];
	dut.axil_wdata_i = rng.next();
	dut.axil_wstrb_i = rng.one_in(8) ? rng.below(15) : 15;
}

// At most one unit says that an address is its own, whatever it is.
void Writes::claims()
{
	const uint64_t who = rng.below(8);

	dut.memory_mine_i = who == 0;
	dut.store_mine_i = who == 1;
	dut.events_mine_i = who == 2;
	dut.firmware_mine_i = who == 3;
}

// An offer stays until it is taken. Address and data may come one after the other. Writes of put_* come amid one of the
// firmware's commands.
void Writes::offers()
{
	if (!dut.axil_awvalid_i && !dut.axil_wvalid_i)
		choose();
	dut.axil_awvalid_i |= writer.go();
	dut.axil_wvalid_i |= writer.go();
	if (stage == answer && !put && owner == to_firmware && !answering && !dut.put_valid_i &&
	    puts.go()) {
		dut.put_valid_i = 1;
		dut.put_addr_i = TALLY_FW_GROUP_BASE + (uint32_t(rng.next()) & 0xfffc);
		dut.put_data_i = rng.next();
	}
	dut.hold_i = rng.one_in(8);
	dut.listened_i = rng.one_in(4);
	dut.axil_bready_i = takes.go();
	claims();
}

// A unit answers in a later clock than it has taken the write, and until the answer is taken; not before the writes that it
// makes itself.
void Writes::units()
{
	dut.write_ready_i = ready.go() ? rng.below(1u << targets) : 0;
	answering = answering || ((stage == taken || stage == answer) && !dut.put_valid_i &&
				  answers.go());
	dut.bvalid_i = answering ? 1u << owner : 0;
	dut.bresp_i = rng.below(1u << (2 * targets));
	if (answering)
		dut.bresp_i = (dut.bresp_i & ~(3u << (2 * owner))) | response << (2 * owner);
}

Target Writes::by_address() const
{
	for (const Window &w : windows)
		if (at.addr - w.base < w.bytes)
			return w.target;
	return at.addr >= TALLY_FW_GROUP_BASE ? to_tables : to_regs;
}

Target Writes::target() const
{
	if (put)
		return to_tables;
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
	const bool enters = stage == empty && dut.axil_awvalid_i && dut.axil_wvalid_i;
	const uint32_t valid = stage == offer && !dut.hold_i ? 1u << owner : 0;
	const bool told = stage == taken && !put;

	CHECK(dut.axil_awready_o == enters && dut.axil_wready_o == enters,
	      "a write is taken: %d, %d, not %d", dut.axil_awready_o, dut.axil_wready_o, enters);
	CHECK(stage == empty || (dut.at_addr_o == at.addr && dut.at_data_o == at.data &&
				 dut.at_strb_o == at.strobes),
	      "the write of %08x is one of %08x", at.addr, dut.at_addr_o);
	CHECK(dut.write_valid_o == valid, "units %x are asked for %08x, not %x", dut.write_valid_o,
	      at.addr, valid);
	CHECK(dut.taken_o == told, "taken_o is %d", dut.taken_o);
	CHECK(dut.tables_o == (told && by_address() == to_tables), "tables_o is %d", dut.tables_o);
	CHECK(dut.busy_o == (stage != empty), "busy_o is %d", dut.busy_o);
	check_answers();
}

void Writes::check_answers()
{
	const bool given = stage == answer && answering;

	CHECK(dut.bready_o == (stage == answer && (put || dut.axil_bready_i)), "bready_o is %d",
	      dut.bready_o);
	CHECK(dut.axil_bvalid_o == (given && !put), "axil_bvalid_o is %d", dut.axil_bvalid_o);
	CHECK(dut.put_bvalid_o == (given && put), "put_bvalid_o is %d", dut.put_bvalid_o);
	CHECK(dut.put_ready_o == (stage == answer && !put && dut.put_valid_i),
	      "put_ready_o is %d", dut.put_ready_o);
	if (given)
		CHECK(put ? dut.put_bresp_o == response :
			    dut.axil_bresp_o == (heard ? okay : response),
		      "the answer is %d", dut.axil_bresp_o);
}

// What the clock makes of the transfers in it.
void Writes::decide(const Seen &seen)
{
	if (seen.enters) {
		at = { dut.axil_awaddr_i, dut.axil_wdata_i, dut.axil_wstrb_i };
		stage = decode;
	} else if (stage == decode) {
		owner = target();
		response = rng.one_in(3) ? slverr : okay;
		if (!put)
			heard = dut.listened_i && at.strobes == 15;
		stage = offer;
	} else if (seen.taken) {
		stage = taken;
	} else if (stage == taken) {
		stage = answer;
	} else if (seen.puts) {
		at = { dut.put_addr_i, dut.put_data_i, 15 };
		put = true;
		stage = decode;
	} else if (seen.put_done) {
		puts_done++;
		put = answering = false;
		owner = to_firmware;
		response = rng.one_in(3) ? slverr : okay;
	} else if (seen.answered) {
		answering = false;
		stage = empty;
	}
}

void Writes::cycle()
{
	offers();
	units();
	bench.settle();
	check();
	const Seen seen = { bool(dut.axil_awready_o), bool(dut.write_valid_o & dut.write_ready_i),
			    bool(dut.put_ready_o), bool(dut.put_bvalid_o),
			    dut.axil_bvalid_o && dut.axil_bready_i };

	decide(seen);
	bench.tick();
	if (seen.enters)
		dut.axil_awvalid_i = dut.axil_wvalid_i = 0;
	if (seen.puts)
		dut.put_valid_i = 0;
}

int main(int argc, char **argv)
{
	return Writes(argc, argv).run();
}
