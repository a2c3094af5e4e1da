// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_fw_renew: commands for edges, some of which cannot be, while random words, writes and answers come now and then. The
// writes of a command must be those of RENEW_EDGE of the C model, with its numbers, each once and in order, and it takes as many random
// words as the model does. Some writes are refused; that of the first one ends the command.
#include <vector>

#include "Vdut.h"
#include "bench.h"
#include "fw_send_model.h"
#include "fw_send_words.h"

extern "C" {
#include "gen/tally_hw.h"
}

constexpr unsigned int slverr = 2;

struct Put {
	uint32_t at, value;
};

class Renew {
public:
	Renew(int argc, char **argv)
		: bench("fw_renew", argc, argv), dut(*bench.dut), rng(bench.rng), words(rng), commands(rng), puts(rng), puts_answered(rng), takes(rng)
	{
	}
	int run();

private:
	void restart();
	uint64_t special();
	void choose();
	void expect(uint32_t group, uint32_t edge);
	void inputs();
	void written();
	void cycle();

	tally::Bench<Vdut> bench;
	Vdut &dut;
	tally::Rng &rng;
	tally::Throttle words, commands, puts, puts_answered, takes;
	bool offered = false, inside = false, good = false, fails = false;
	std::vector<Put> wanted;	// writes of the command, the next one at the end
	bool waits = false;		// a write for its answer
	bool first = false;		// this is that of the first one
	uint64_t seed = 0;
	unsigned int left = 0;		// random words that the command takes
	uint64_t done = 0, refused = 0, rowless = 0, again = 0;
};

void Renew::restart()
{
	dut.axil_awvalid_i = dut.axil_bready_i = dut.random_valid_i = dut.put_ready_i = dut.put_bvalid_i = 0;
	offered = inside = waits = false;
	wanted.clear();
	left = 0;
	bench.reset();
}

// A word that is 0, or whose upper or lower half is, or none of these.
uint64_t Renew::special()
{
	static const uint64_t masks[] = { 0, UINT32_MAX, ~0ull << 32, ~0ull };

	return rng.next() & masks[rng.below(4)];
}

void Renew::expect(uint32_t group, uint32_t edge)
{
	struct fw_send_state s;
	const uint32_t reg = TALLY_FW_GROUP_BASE + group * TALLY_FW_GROUP_STRIDE + TALLY_FW_EDGE_OFFSET + edge * TALLY_FW_EDGE_STRIDE;

	seed = fw_send_model_seed(special(), 1 + rng.below(4));
	left = fw_send_model_renew(seed, &s);
	again += left > 3;
	wanted = { { FW_AT(edge, awaits_epoch), 0 }, { FW_AT(edge, unconfirmed), 0 }, { FW_AT(edge, peer_key), 0 },
		   { FW_AT(edge, state), TALLY_EDGE_OPENING }, { FW_AT(edge, peer_nonce) + 4, 0 }, { FW_AT(edge, peer_nonce), 0 },
		   { FW_AT(edge, nonce) + 4, uint32_t(s.nonce >> 32) }, { FW_AT(edge, nonce), uint32_t(s.nonce) },
		   { FW_AT(edge, key), s.key }, { FW_AT(edge, own_first_seq), s.own_first_seq } };
	for (Put &put : wanted)
		put.at += reg;
}

void Renew::choose()
{
	const uint32_t group = rng.below(Groups), edge = rng.below(EdgesOf);
	const unsigned int kind = rng.below(12);

	good = kind > 2;
	fails = !good;
	dut.axil_wdata_i = TALLY_FW_CMD_RENEW_EDGE | (kind == 0 ? EdgesOf + rng.below(256 - EdgesOf) : edge) << 8 |
			   (kind == 1 ? Groups + rng.below(1000) : group) << 16;
	dut.axil_wstrb_i = kind == 2 ? rng.below(15) : 15;
	if (good)
		expect(group, edge);
}

void Renew::inputs()
{
	if (!offered && !inside && commands.go()) {
		choose();
		offered = true;
	}
	dut.axil_awvalid_i = offered;
	dut.axil_bready_i = takes.go();
	if (inside && left && !dut.random_valid_i && words.go()) {
		dut.random_i = fw_send_model_random(&seed);
		dut.random_valid_i = 1;
	}
	dut.put_ready_i = puts.go();
	dut.put_bvalid_i = waits && puts_answered.go();
	dut.put_bresp_i = first ? (rng.one_in(8) ? slverr : 0) : rng.below(4);
}

void Renew::written()
{
	if (dut.put_bvalid_i) {
		waits = false;
		if (first && dut.put_bresp_i) {
			wanted.clear();
			fails = true;
			rowless++;
		}
		first = false;
	}
	CHECK(!dut.put_valid_o || (inside && !left && !waits && !wanted.empty()), "a write that nobody wants");
	if (!dut.put_valid_o || !dut.put_ready_i)
		return;
	CHECK(dut.put_addr_o == wanted.back().at && dut.put_data_o == wanted.back().value,
	      "%x is written to %x, not %x to %x", dut.put_data_o, dut.put_addr_o, wanted.back().value, wanted.back().at);
	first = wanted.size() == 10;
	wanted.pop_back();
	waits = true;
}

void Renew::cycle()
{
	inputs();
	bench.settle();
	CHECK(dut.busy_o == inside, "busy_o is %d", dut.busy_o);
	CHECK(dut.axil_awready_o == (offered && !inside), "axil_awready_o is %d", dut.axil_awready_o);
	CHECK(!dut.random_ready_o || (inside && left), "a random word that nobody wants");
	CHECK(!dut.axil_bvalid_o || (inside && !left && !waits && wanted.empty()), "an answer ahead of its writes");
	const bool answered = dut.axil_bvalid_o && dut.axil_bready_i, taken = dut.axil_awvalid_i && dut.axil_awready_o;

	CHECK(!dut.axil_bvalid_o || (dut.axil_bresp_o == slverr) == fails, "a command is answered with %u", dut.axil_bresp_o);
	written();
	const bool word = dut.random_valid_i && dut.random_ready_o;

	if (answered) {
		inside = false;
		done += good;
		refused += !good;
	}
	if (taken) {
		inside = true;
		offered = false;
	}
	bench.tick();
	if (word) {
		left--;
		dut.random_valid_i = 0;
	}
}

int Renew::run()
{
	const uint8_t address[16] = {};

	fw_send_model_init(address, address);
	bench.live(bench.times(60000), [this] { restart(); }, [this] { cycle(); });
	CHECK(done > 200 && refused > 50 && rowless > 20 && again > 50, "%llu edges, %llu refused, %llu without a row, %llu with a word that was not good",
	      (unsigned long long)done, (unsigned long long)refused, (unsigned long long)rowless, (unsigned long long)again);
	return bench.finish();
}

int main(int argc, char **argv)
{
	return Renew(argc, argv).run();
}
