// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_trigger_take: records of all kinds, with flights or without, of groups that the store does or does not, with
// payloads that come behind them. Each must go on once, in its order; messages of such groups must first be taken by the other
// side, which gets their payloads.
#include <cstring>
#include <deque>
#include <vector>

#include "Vdut.h"
#include "bench.h"
#include "trigger_bits.h"

extern "C" {
#include "gen/tally_fw_hw.h"
}

constexpr size_t verdict_bit = bits::rx_bits - 8;

struct Record {
	unsigned int group = 0, words = 0;
	uint8_t kind = 0;
	bool flies = false, good = false, admitted = false, here = false, mine = false, taken = false;
	uint32_t raw[bits::rx_words] = {};
	bool pays() const { return good && admitted && words && !here; }
};

class Take {
public:
	Take(int argc, char **argv) : bench("trigger_take", argc, argv), dut(*bench.dut), rng(bench.rng) {}
	int run();

private:
	void restart();
	void cycle();
	void drive_record();
	void drive_words();
	void take_record();
	void take_words();

	tally::Bench<Vdut> bench;
	Vdut &dut;
	tally::Rng &rng;
	tally::Throttle source{ rng }, words{ rng }, out{ rng }, rec{ rng }, pay{ rng };
	bool does[Groups] = {};
	Record record;
	bool offered = false;
	unsigned int left = 0;	// words of the payload that is on its way
	bool left_mine = false;
	uint64_t waited = 0, messages = 0, others = 0, mine_words = 0, other_words = 0;
};

void Take::restart()
{
	dut.in_valid_i = dut.dat_tvalid_i = dut.does_write_i = 0;
	offered = false;
	left = 0;
	bench.reset();
	for (unsigned int g = 0; g < Groups; g++) {
		dut.does_write_i = 1;
		dut.does_group_i = g;
		dut.does_i = does[g] = rng.one_in(2);
		bench.tick();
	}
	dut.does_write_i = 0;
}

// A record with a payload comes when that of the one before has passed, one without it may come before.
void Take::drive_record()
{
	if (!offered && source.go()) {
		Record r;

		r.group = rng.below(Groups);
		r.kind = rng.one_in(2) ? uint32_t(TALLY_KIND_TRIGGER) : rng.below(8);
		r.words = rng.one_in(3) ? 0 : 1 + rng.below(3);
		r.flies = !rng.one_in(4);
		r.good = r.flies || !rng.one_in(4);
		r.admitted = r.flies || (r.good && !rng.one_in(4));
		r.here = r.flies && r.kind != TALLY_KIND_TRIGGER && rng.one_in(3);
		r.mine = r.flies && r.kind == TALLY_KIND_TRIGGER && does[r.group];
		if (r.pays() && left) {
			dut.in_valid_i = 0;
			return;
		}
		for (uint32_t &w : r.raw)
			w = rng.next();
		bits::put(r.raw, verdict_bit, 8, r.good ? uint32_t(TALLY_RX_OK) : 1 + rng.below(5));
		bits::put(r.raw, bits::payload_len_bit, 13, 64 * r.words);
		bits::put(r.raw, TCH_BIT(kind, 8), 8, r.kind);
		record = r;
		offered = true;
		waited = 0;
	}
	dut.in_valid_i = offered;
	if (!offered)
		return;
	std::memcpy(&dut.in_i[0], record.raw, sizeof(record.raw));
	dut.in_admission_i = (record.admitted ? uint32_t(TALLY_FW_ADMISSION_OK) : 1u) << 24 | record.group << 8 | (rng.next() & 0xff);
	dut.in_flight_valid_i = record.flies;
	dut.in_here_i = record.here;
}

void Take::drive_words()
{
	dut.dat_tvalid_i = left && (dut.dat_tvalid_i || words.go());
	dut.out_ready_i = out.go();
	dut.rec_ready_i = rec.go();
	dut.out_tready_i = out.go();
	dut.pay_tready_i = pay.go();
}

void Take::take_record()
{
	CHECK(!dut.out_valid_o || offered, "a record that there is not");
	CHECK(dut.in_ready_o == (dut.out_valid_o && dut.out_ready_i), "a record is lost");
	CHECK(!dut.rec_valid_o || (record.mine && !record.taken), "a record of the wrong kind, or again");
	CHECK(!dut.out_valid_o || !record.mine || record.taken, "a message passes");
	if (dut.rec_valid_o && dut.rec_ready_i)
		record.taken = true;
	if (!dut.out_valid_o) {
		CHECK(!offered || dut.rec_valid_o || ++waited < 4, "a record waits");
		return;
	}
	CHECK(dut.out_here_o == (record.here || record.mine), "the payload is said to be elsewhere: %d", dut.out_here_o);
	CHECK(record.kind == TALLY_KIND_TRIGGER || !waited, "a record waits that is no message");
	if (!dut.out_ready_i)
		return;
	(record.mine ? messages : others)++;
	offered = false;
	if (!record.pays())
		return;
	left = record.words;
	left_mine = record.mine;
}

void Take::take_words()
{
	CHECK(dut.pay_tvalid_o == (dut.dat_tvalid_i && left_mine) && dut.out_tvalid_o == (dut.dat_tvalid_i && !left_mine), "a payload goes the wrong way");
	CHECK(!dut.dat_tvalid_i || dut.dat_tready_o == (left_mine ? dut.pay_tready_i : dut.out_tready_i), "a word is lost");
	if (!dut.dat_tvalid_i || !dut.dat_tready_o)
		return;
	left--;
	(left_mine ? mine_words : other_words)++;
}

void Take::cycle()
{
	drive_record();
	drive_words();
	bench.settle();
	const bool moves = dut.dat_tvalid_i;

	if (moves)
		take_words();
	else
		CHECK(!dut.pay_tvalid_o && !dut.out_tvalid_o, "a word that there is not");
	const bool clears = moves && dut.dat_tready_o;

	take_record();
	bench.tick();
	if (clears)
		dut.dat_tvalid_i = 0;
}

int Take::run()
{
	bench.live(bench.times(40000), [&] { restart(); }, [&] { cycle(); });
	CHECK(messages > 500 && others > 500 && mine_words > 500 && other_words > 500, "not everything has happened");
	return bench.finish();
}

int main(int argc, char **argv)
{
	return Take(argc, argv).run();
}
