// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_event_packets: packets of all kinds with and without payloads come while all sides stall, and while none may
// be taken. Each admitted OPEN, KILL and acknowledgement of KILL comes out as an event, once, in order, with what it says and
// zeros behind its payload; all others pass, with their payloads.
#include <cstring>
#include <deque>

#include "Vdut.h"
#include "bench.h"

extern "C" {
#include "gen/tally_fw_hw.h"
#include "gen/tally_hw.h"
}

constexpr size_t tch_bytes = sizeof(struct tally_tch), rx_bits = 495 + 8 * tch_bytes, rx_words = (rx_bits + 31) / 32;
constexpr size_t payload_len_bit = 8 * tch_bytes;
constexpr size_t traffic_class_bit = payload_len_bit + 13 + 24 + 1 + 24 + 2 + 16 + 2 + 16 + 8;	// fields below it in rx_hdr_t
constexpr unsigned int word_bytes = 64, ecn_ce = 3;

struct Packet {
	uint32_t words[rx_words];
	uint32_t admission;
	bool mine, marked;
	unsigned int bytes;	// of the payload
};

struct Event {
	uint32_t admission;
	uint32_t tch[tch_bytes / 4];
	uint8_t data[word_bytes];
};

static void put_bits(uint32_t *words, size_t bit, size_t n, uint64_t value)
{
	for (size_t i = 0; i < n; i++) {
		words[(bit + i) / 32] &= ~(1u << (bit + i) % 32);
		words[(bit + i) / 32] |= uint32_t(value >> i & 1) << (bit + i) % 32;
	}
}

#define TCH_BIT(field, bits) (8 * (tch_bytes - offsetof(struct tally_tch, field)) - (bits))

class Packets {
public:
	Packets(int argc, char **argv)
		: bench("event_packets", argc, argv), dut(*bench.dut), rng(bench.rng), in(rng), pay(rng), out(rng), dat(rng), take(rng)
	{
	}
	int run();

private:
	void restart();
	void cycle();
	void new_packet();
	void offer();
	void check();
	void check_event();
	void word_passes();
	void taken();

	tally::Bench<Vdut> bench;
	Vdut &dut;
	tally::Rng &rng;
	tally::Throttle in, pay, out, dat, take;
	Packet now;
	bool offered = false;
	unsigned int left = 0;		// bytes of the payload of the packet that came last
	bool left_mine = false;		// it is that of an event
	bool first = false;		// and its first word has not come
	uint8_t word[word_bytes];
	std::deque<Event> expected;
	uint64_t events = 0, passed = 0, held = 0, marks = 0;
};

void Packets::restart()
{
	dut.in_valid_i = dut.pay_tvalid_i = dut.out_ready_i = dut.dat_tready_i = dut.ev_ready_i = dut.hold_i = 0;
	offered = false;
	left = 0;
	expected.clear();
	bench.reset();
}

void Packets::new_packet()
{
	static const uint8_t kinds[] = { TALLY_KIND_OPEN, TALLY_KIND_KILL, TALLY_KIND_ACK, TALLY_KIND_ACK, TALLY_KIND_REDUCE,
					 TALLY_KIND_RESULT, TALLY_KIND_NOTIFY, TALLY_KIND_BUSY };
	uint8_t kind = kinds[rng.below(sizeof(kinds))], class_ = rng.next();
	uint16_t flags = rng.one_in(2) ? uint16_t(TALLY_TCH_F_KILL_ACK) : 1u << rng.below(10);
	bool good = !rng.one_in(8), admitted = !rng.one_in(8), of_end = kind == TALLY_KIND_ACK && flags & TALLY_TCH_F_KILL_ACK;

	for (uint32_t &w : now.words)
		w = rng.next();
	now.words[rx_words - 1] &= (1u << rx_bits % 32) - 1;
	now.mine = good && admitted && (of_end || kind == TALLY_KIND_OPEN || kind == TALLY_KIND_KILL);
	now.marked = now.mine && class_ % 4 == ecn_ce;
	now.bytes = !good || !admitted || rng.one_in(4) ? 0 : rng.one_in(8) ? 1 + rng.below(3 * word_bytes) : 1 + rng.below(word_bytes);
	now.admission = (admitted ? 0 : 1 + rng.below(8)) << 24 | rng.below(1 << 24);
	put_bits(now.words, rx_bits - 8, 8, good ? uint64_t(TALLY_RX_OK) : 1 + rng.below(10));
	put_bits(now.words, payload_len_bit, 13, now.bytes);
	put_bits(now.words, traffic_class_bit, 8, class_);
	put_bits(now.words, TCH_BIT(kind, 8), 8, kind);
	put_bits(now.words, TCH_BIT(flags, 16), 16, flags);
}

// The payload of a packet passes before the next one with a payload comes.
void Packets::offer()
{
	unsigned int n = left < word_bytes ? left : word_bytes;

	if (!offered && in.go()) {
		new_packet();
		offered = true;
	}
	dut.in_valid_i = offered && !(left && now.bytes);
	std::memcpy(&dut.in_i, now.words, sizeof(now.words));
	dut.in_admission_i = now.admission;
	if (left && !dut.pay_tvalid_i && pay.go()) {
		dut.pay_tvalid_i = 1;
		rng.fill(word, sizeof(word));
		std::memcpy(&dut.pay_tdata_i, word, sizeof(word));
		dut.pay_tkeep_i = ~0ull >> (word_bytes - n);
		dut.pay_tlast_i = left <= word_bytes;
	}
	if (rng.one_in(dut.hold_i ? 10 : 40))
		dut.hold_i = !dut.hold_i;
	dut.out_ready_i = out.go();
	dut.dat_tready_i = dat.go();
	dut.ev_ready_i = take.go();
}

void Packets::check_event()
{
	if (!dut.ev_valid_o)
		return;
	CHECK(!expected.empty() && !(left && left_mine), "an event that no packet has brought");
	const Event &e = expected.front();

	CHECK(dut.ev_context_o == (e.admission >> 8 & 0xffff) && dut.ev_edge_o == (e.admission & 0xff), "of another edge");
	CHECK(!std::memcmp(&dut.ev_tch_o, e.tch, sizeof(e.tch)), "with another header");
	CHECK(!std::memcmp(&dut.ev_data_o, e.data, sizeof(e.data)), "with another payload");
}

void Packets::check()
{
	const bool to_event = left && left_mine, room = expected.empty() && !dut.hold_i;

	check_event();
	CHECK(dut.busy_o == !expected.empty(), "busy_o is %d", dut.busy_o);
	CHECK(dut.out_valid_o == (dut.in_valid_i && !now.mine), "out_valid_o is %d", dut.out_valid_o);
	if (dut.in_valid_i)
		CHECK(dut.in_ready_o == (now.mine ? room : dut.out_ready_i), "in_ready_o is %d", dut.in_ready_o);
	CHECK(dut.dat_tvalid_o == (dut.pay_tvalid_i && !to_event), "dat_tvalid_o is %d", dut.dat_tvalid_o);
	if (dut.pay_tvalid_i)
		CHECK(dut.pay_tready_o == (to_event || dut.dat_tready_i), "pay_tready_o is %d", dut.pay_tready_o);
	CHECK(dut.marked_o == (dut.in_valid_i && dut.in_ready_o && now.marked), "marked_o is %d", dut.marked_o);
	held += dut.in_valid_i && now.mine && !room;
	marks += dut.marked_o;
}

void Packets::word_passes()
{
	unsigned int n = left < word_bytes ? left : word_bytes;

	dut.pay_tvalid_i = 0;
	if (left_mine && first)
		std::memcpy(expected.back().data, word, n);
	first = false;
	left -= n;
}

void Packets::taken()
{
	offered = false;
	if (now.bytes) {
		left = now.bytes;
		left_mine = now.mine;
		first = true;
	}
	if (!now.mine) {
		passed++;
		return;
	}
	Event e = { now.admission, {}, {} };

	std::memcpy(e.tch, now.words, sizeof(e.tch));
	expected.push_back(e);
}

void Packets::cycle()
{
	offer();
	bench.settle();
	check();
	bool comes = dut.in_valid_i && dut.in_ready_o, leaves = dut.ev_valid_o && dut.ev_ready_i;
	bool passes = dut.pay_tvalid_i && dut.pay_tready_o;

	bench.tick();
	if (leaves) {
		expected.pop_front();
		events++;
	}
	if (passes)
		word_passes();
	if (comes)
		taken();
}

int Packets::run()
{
	bench.live(bench.times(60000), [this] { restart(); }, [this] { cycle(); });
	CHECK(events > 1000 && passed > 1000 && held > 500 && marks > 100,
	      "%llu events, %llu packets passed, %llu clocks in which one waited, %llu marks", (unsigned long long)events,
	      (unsigned long long)passed, (unsigned long long)held, (unsigned long long)marks);
	return bench.finish();
}

int main(int argc, char **argv)
{
	return Packets(argc, argv).run();
}
