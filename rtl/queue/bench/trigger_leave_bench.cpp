// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_trigger_leave: messages of random descriptors leave for edges and for the node itself, while all sides stall. The
// header, the number of words and each word must be those of the descriptor; words leave only behind a header that has left.
#include <cstring>
#include <deque>

#include "Vdut.h"
#include "bench.h"
#include "trigger_bits.h"

enum End { Sent, Waits, Dropped };
enum Self { Stored, Starved, Nobody };

class Leave {
public:
	Leave(int argc, char **argv) : bench("trigger_leave", argc, argv), dut(*bench.dut), rng(bench.rng) {}
	int run();

private:
	void restart();
	void cycle();
	void choose();
	void check_head();
	void check_words(const uint32_t *data, bool taken);
	void finish();
	uint32_t word(unsigned int at) const { return (place * 64 + at) * 2654435761u; }

	tally::Bench<Vdut> bench;
	Vdut &dut;
	tally::Rng &rng;
	tally::Throttle head{ rng }, pay{ rng }, memory{ rng };
	struct Read {
		uint32_t value;
		uint64_t at;
	};
	std::deque<Read> reads;
	uint32_t row[6];
	unsigned int place = 0, len = 0, words = 0, given = 0;
	bool left = false, told = false, wants = false;
	int end = -1;
	uint64_t count[2][3] = {};
};

void Leave::restart()
{
	dut.go_valid_i = dut.head_ready_i = dut.pay_tready_i = dut.self_ready_i = dut.self_wants_i = dut.self_tready_i = 0;
	dut.rd_ready_i = dut.rdata_valid_i = 0;
	reads.clear();
	bench.reset();
}

void Leave::choose()
{
	len = rng.one_in(4) ? 0 : 1 + rng.below(rng.one_in(3) ? 4096 : 300);
	words = (len + 63) / 64;
	place = rng.below(Places);
	for (uint32_t &w : row)
		w = rng.next();
	row[5] &= (1u << 183 % 32) - 1;
	bits::put(row, 151, 16, place);
	bits::put(row, 8, 13, len);
	std::memcpy(&dut.left_i, row, sizeof(row));
	dut.go_valid_i = 1;
	dut.go_desc_i = rng.below(Descs);
	dut.go_receiver_i = rng.one_in(3) ? TALLY_CONTRIB_SELF : rng.below(TALLY_CONTRIB_PARENT + 1);
	dut.go_again_i = rng.one_in(3);
	dut.go_seq_i = rng.next();
	left = told = wants = false;
	given = 0;
	end = -1;
}

void Leave::check_head()
{
	uint32_t source[11];

	std::memcpy(source, &dut.head_o, sizeof(source));
	bits::Fields s(source, 346);
	CHECK(dut.go_receiver_i != TALLY_CONTRIB_SELF && !told, "a header that nobody wants");
	CHECK(s.take(8) == TALLY_KIND_TRIGGER && !s.take(1) && s.take(1) == dut.go_again_i, "another kind");
	CHECK(s.take(16) == bits::get(row, 167, 16) && s.take(8) == dut.go_receiver_i, "another edge");
	CHECK(s.take(16) == (dut.go_desc_i | 1u << 14) && s.take(32) == dut.go_seq_i, "another reference or number");
	s.skip(bits::source_message_bits - bits::trigger_bits);
	CHECK(s.take(8) == bits::get(row, 143, 8) && s.take(8) == bits::get(row, 77, 8) && s.take(8) == bits::get(row, 69, 8) &&
	      s.take(8) == bits::get(row, 85, 8), "another operation or Branch");
	CHECK(s.take(32) == bits::get(row, 111, 32) && s.take(32) == bits::get(row, 37, 32), "another message or count");
	CHECK(s.take(8) == bits::get(row, 0, 8) && s.take(16) == bits::get(row, 95, 16), "another counter or port");
	CHECK(s.take(1) == bits::get(row, 93, 1) && s.take(1) == bits::get(row, 94, 1), "other flags");
	CHECK(s.take(13) == bits::get(row, 8, 13) && s.take(16) == bits::get(row, 21, 16), "another length or error");
}

void Leave::check_words(const uint32_t *data, bool taken)
{
	CHECK(given < words && data[0] == word(given) && data[15] == word(given), "not word %u", given);
	given += taken;
}

void Leave::finish()
{
	const bool self = dut.go_receiver_i == TALLY_CONTRIB_SELF;

	CHECK(told && dut.go_end_o == end, "end %d, not %d", dut.go_end_o, end);
	CHECK(given == (end == Sent ? words : 0), "%u of %u words have left", given, words);
	CHECK(dut.nobody_o == (self && end == Dropped), "nobody %d", dut.nobody_o);
	count[self][end]++;
}

void Leave::cycle()
{
	if (!dut.go_valid_i && rng.one_in(3))
		choose();
	dut.head_ready_i = head.go();
	dut.head_end_i = rng.one_in(2) ? 0 : rng.below(3); // EndSent
	dut.pay_tready_i = pay.go();
	dut.rd_ready_i = memory.go();
	dut.rdata_valid_i = !reads.empty() && reads.front().at == bench.cycle();
	for (int i = 0; i < 16; i++)
		dut.rdata_i[i] = dut.rdata_valid_i ? reads.front().value : 0;
	// A message to this node: its verdict comes after some time, then its words are wanted.
	dut.self_ready_i = 0;
	bench.settle();
	if (dut.self_valid_o && !told) {
		if (wants ? given == words : rng.one_in(6)) {
			const bool stored = wants || (!words && rng.one_in(2));

			if (!wants && words && rng.one_in(2)) {
				wants = true;
			} else {
				dut.self_ready_i = 1;
				dut.self_i = stored ? Stored : rng.one_in(2) ? Starved : Nobody;
			}
		}
	}
	dut.self_wants_i = wants && given < words;
	dut.self_tready_i = dut.self_wants_i && pay.go();
	bench.settle();
	if (dut.rdata_valid_i)
		reads.pop_front();
	if (dut.rd_valid_o && dut.rd_ready_i) {
		CHECK(dut.rd_place_o == place, "place %u is read", dut.rd_place_o);
		reads.push_back({ word(dut.rd_word_o), bench.cycle() + 2 });
	}
	if (dut.head_valid_o) {
		check_head();
		if (dut.head_ready_i) {
			told = true;
			end = dut.head_end_i;
			left = end == Sent;
		}
	}
	if (dut.self_valid_o) {
		uint32_t message[3];

		std::memcpy(message, &dut.self_o, sizeof(message));
		CHECK(dut.self_port_o == bits::get(row, 95, 16) && dut.self_group_o == bits::get(row, 167, 2), "another port");
		for (unsigned int i = 0; i < 95; i += 5)
			CHECK(bits::get(message, i, 5) == bits::get(row, i, 5), "another message to this node");
	}
	if (dut.pay_tvalid_o) {
		const unsigned int n = len - given * 64;

		CHECK(left, "words without a header");
		CHECK(dut.pay_tlast_o == (given + 1 == words), "another word is the last");
		CHECK(dut.pay_tkeep_o == (n >= 64 ? ~0ull : (1ull << n) - 1), "other bytes");
		check_words(dut.pay_tdata_o, dut.pay_tready_i);
	}
	if (dut.self_tvalid_o && dut.self_wants_i)
		check_words(dut.self_tdata_o, dut.self_tready_i);
	if (dut.self_ready_i) {
		told = true;
		end = dut.self_i == Stored ? Sent : dut.self_i == Starved ? Waits : Dropped;
	}
	const bool goes = dut.go_ready_o;

	CHECK(!goes || dut.go_valid_i, "an end of nothing");
	if (goes)
		finish();
	bench.tick();
	if (goes)
		dut.go_valid_i = 0;
}

int Leave::run()
{
	bench.live(bench.times(200000), [this] { restart(); }, [this] { cycle(); });
	for (int s = 0; s < 2; s++)
		for (int e = 0; e < 3; e++)
			CHECK(count[s][e] > 50, "end %d has come %llu times", e, static_cast<unsigned long long>(count[s][e]));
	return bench.finish();
}

int main(int argc, char **argv)
{
	return Leave(argc, argv).run();
}
