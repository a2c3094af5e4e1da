// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_edge_replies: packets of all kinds with and without payloads pass while all sides stall. Each
// acknowledgement and BUSY of an edge of a living group comes out as a reply, once, in order, with what it says; nothing else
// does, and the packets pass in their order.
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

struct Packet {
	uint32_t words[rx_words];
	uint32_t admission;
	bool alive, replies, acks;
	unsigned int payload_words;
};

struct Reply {
	bool busy;
	unsigned int context, edge;
	uint32_t seq;
	uint64_t seen;
};

static void put_bits(uint32_t *words, size_t bit, size_t n, uint64_t value)
{
	for (size_t i = 0; i < n; i++) {
		words[(bit + i) / 32] &= ~(1u << (bit + i) % 32);
		words[(bit + i) / 32] |= uint32_t(value >> i & 1) << (bit + i) % 32;
	}
}

#define TCH_BIT(field, bits) (8 * (tch_bytes - offsetof(struct tally_tch, field)) - (bits))

class Replies {
public:
	Replies(int argc, char **argv)
		: bench("edge_replies", argc, argv), dut(*bench.dut), rng(bench.rng), in(rng), pay(rng), out(rng), dat(rng), take(rng)
	{
	}
	int run();

private:
	void restart();
	void cycle();
	void new_packet();
	void check_reply();

	tally::Bench<Vdut> bench;
	Vdut &dut;
	tally::Rng &rng;
	tally::Throttle in, pay, out, dat, take;
	Packet now;
	Reply says;			// what `now` says, if it replies
	bool offered = false;
	unsigned int left = 0;		// words of the payload of the packet that has passed last
	uint8_t word[64];
	std::deque<Reply> expected;
	bool awaits = false;		// the last one of `expected` lacks its payload
	uint64_t replies = 0, held = 0;
};

void Replies::restart()
{
	dut.in_valid_i = dut.pay_tvalid_i = dut.out_ready_i = dut.dat_tready_i = dut.reply_ready_i = 0;
	offered = awaits = false;
	left = 0;
	expected.clear();
	bench.reset();
}

void Replies::new_packet()
{
	static const uint8_t kinds[] = { TALLY_KIND_ACK, TALLY_KIND_ACK, TALLY_KIND_ACK, TALLY_KIND_BUSY, TALLY_KIND_BUSY,
					 TALLY_KIND_REDUCE, TALLY_KIND_NOTIFY, TALLY_KIND_KILL };
	uint8_t kind = kinds[rng.below(sizeof(kinds))];
	uint16_t flags = rng.one_in(2) ? 0 : 1u << rng.below(10);
	bool good = !rng.one_in(8), admitted = !rng.one_in(8);

	for (uint32_t &w : now.words)
		w = rng.next();
	now.words[rx_words - 1] &= (1u << rx_bits % 32) - 1;
	says.seq = rng.next();
	says.context = rng.below(65536);
	says.edge = rng.below(256);
	now.alive = !rng.one_in(8);
	now.acks = kind == TALLY_KIND_ACK && !(flags & (TALLY_TCH_F_KILL_ACK | TALLY_TCH_F_MULTICAST));
	now.replies = good && admitted && now.alive && (now.acks || kind == TALLY_KIND_BUSY);
	now.acks &= now.replies;
	says.busy = !now.acks;
	now.payload_words = now.acks ? 1 : now.replies || !good || !admitted || rng.one_in(2) ? 0 : 1 + rng.below(3);
	now.admission = (admitted ? 0 : 1 + rng.below(8)) << 24 | says.context << 8 | says.edge;
	put_bits(now.words, rx_bits - 8, 8, good ? uint64_t(TALLY_RX_OK) : 1 + rng.below(10));
	put_bits(now.words, payload_len_bit, 13, now.payload_words * 64);
	put_bits(now.words, TCH_BIT(kind, 8), 8, kind);
	put_bits(now.words, TCH_BIT(flags, 16), 16, flags);
	put_bits(now.words, TCH_BIT(edge_seq, 32), 32, says.seq);
}

void Replies::check_reply()
{
	if (!dut.reply_valid_o)
		return;
	CHECK(!expected.empty() && !awaits, "a reply that nobody has sent");
	const Reply &r = expected.front();

	CHECK(dut.reply_o == r.busy && dut.reply_context_o == r.context && dut.reply_edge_o == r.edge, "of another edge");
	CHECK(dut.reply_seq_o == r.seq, "with number %x, not %x", dut.reply_seq_o, r.seq);
	CHECK(r.busy || dut.reply_seen_o == r.seen, "with other numbers");
	CHECK(dut.busy_o, "not busy with a reply");
}

void Replies::cycle()
{
	// the payload of a packet passes before the next one with a payload comes
	if (!offered && in.go()) {
		new_packet();
		offered = true;
	}
	dut.in_valid_i = offered && !(left && now.payload_words);
	std::memcpy(&dut.in_i, now.words, sizeof(now.words));
	dut.in_admission_i = now.admission;
	dut.in_alive_i = now.alive;
	if (left && !dut.pay_tvalid_i && pay.go()) {
		dut.pay_tvalid_i = 1;
		rng.fill(word, sizeof(word));
		std::memcpy(&dut.pay_tdata_i, word, sizeof(word));
	}
	dut.out_ready_i = out.go();
	dut.dat_tready_i = dat.go();
	dut.reply_ready_i = take.go();
	bench.settle();
	check_reply();
	bool taken = dut.in_valid_i && dut.in_ready_o, replied = dut.reply_valid_o && dut.reply_ready_i;
	bool passed = dut.pay_tvalid_i && dut.pay_tready_o, waits = now.replies && !expected.empty();

	CHECK(taken == (dut.out_valid_o && dut.out_ready_i), "a packet does not pass");
	CHECK(dut.out_valid_o == (dut.in_valid_i && !waits), "out_valid_o is %d", dut.out_valid_o);
	CHECK(dut.dat_tvalid_o == dut.pay_tvalid_i && passed == (dut.pay_tvalid_i && dut.dat_tready_i), "a word does not pass");
	CHECK(dut.busy_o == !expected.empty(), "busy_o is %d", dut.busy_o);
	held += dut.in_valid_i && waits;
	bench.tick();
	if (replied) {
		expected.pop_front();
		replies++;
	}
	if (passed) {
		dut.pay_tvalid_i = 0;
		left--;
		if (awaits) {
			for (unsigned int i = 0; i < 8; i++)
				expected.back().seen = expected.back().seen << 8 | word[i];
			awaits = false;
		}
	}
	if (!taken)
		return;
	offered = false;
	if (now.payload_words)
		left = now.payload_words;
	if (now.replies) {
		expected.push_back(says);
		awaits = now.acks;
	}
}

int Replies::run()
{
	bench.live(bench.times(60000), [this] { restart(); }, [this] { cycle(); });
	CHECK(replies > 1000 && held > 500, "%llu replies, %llu clocks in which one waited", (unsigned long long)replies,
	      (unsigned long long)held);
	return bench.finish();
}

int main(int argc, char **argv)
{
	return Replies(argc, argv).run();
}
