// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_fw_open: OPENs of random groups and edges, one after the other or with pauses, some of which a reset cuts off. What
// is found must be open_state() of the model, from words that are there one clock after they were asked for, and after as many
// clocks as the block says.
#include "Vdut.h"
#include "open_words.h"

constexpr unsigned int clocks_of_one = 23;

class Open {
public:
	Open(int argc, char **argv) : bench("fw_open", argc, argv), dut(*bench.dut), rng(bench.rng) {}
	int run();

private:
	void restart();
	void clock();
	void choose();
	void step();

	tally::Bench<Vdut> bench;
	Vdut &dut;
	tally::Rng &rng;
	uint32_t words[tally::open_words] = {};
	uint32_t next = 0;	// the word that was asked for in the clock before
	uint64_t found = 0, agree = 0, learned = 0, alive = 0, resets = 0;
};

void Open::restart()
{
	dut.in_valid_i = 0;
	bench.reset();
}

void Open::clock()
{
	dut.read_i = next;
	bench.settle();
	next = dut.read_o < tally::open_words ? words[dut.read_o] : uint32_t(rng.next());
	bench.tick();
}

void Open::choose()
{
	for (unsigned int k = 0; k < tally::fw_regs; k++)
		words[k] = tally::fw_word_value(rng, k);
	for (unsigned int k = 0; k < tally::open_regs; k++)
		tally::open_reg_write(words, k, tally::open_reg_value(rng, k));
	if (rng.one_in(3))
		words[2] &= ~uint32_t(TALLY_GROUP_F_MULTICAST);
}

void Open::step()
{
	open_packet p;
	unsigned int clocks = 1;

	for (unsigned int left = rng.one_in(2) ? 0 : rng.below(4); left; left--)
		clock();
	choose();
	const uint32_t expected = tally::open_choose(rng, words, words, p);

	tally::open_event(dut.in_i, p, 0, 0);
	dut.in_valid_i = 1;
	while (bench.settle(), !dut.in_ready_o) {
		clock();
		clocks++;
		CHECK(clocks <= clocks_of_one, "an OPEN is not compared");
		if (!rng.one_in(2000))
			continue;
		resets++;
		restart();
		return;
	}
	CHECK(clocks == clocks_of_one, "an OPEN takes %u clocks", clocks);
	CHECK(dut.open_o == expected, "open is %x, not %x", dut.open_o, expected);
	clock();
	dut.in_valid_i = 0;
	found++;
	agree += !!(expected & TALLY_FW_OPEN_AGREES);
	learned += !!(expected & TALLY_FW_OPEN_LEARNED);
	alive += !!(expected & TALLY_FW_OPEN_ALIVE);
}

int Open::run()
{
	bench.live(bench.times(6000), [this] { restart(); }, [this] { step(); });
	CHECK(agree > found / 4 && agree < found * 3 / 4 && learned > found / 4 && alive > found / 8 && resets > 10,
	      "%llu OPENs, %llu agree, %llu are known, %llu of groups that live; %llu resets", (unsigned long long)found,
	      (unsigned long long)agree, (unsigned long long)learned, (unsigned long long)alive, (unsigned long long)resets);
	return bench.finish();
}

int main(int argc, char **argv)
{
	return Open(argc, argv).run();
}
