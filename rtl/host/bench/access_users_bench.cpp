// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_access_users: two users offer accesses of any length in both directions, and the words of their writes at random
// times. Each access must leave once, as it came, and the words of writes in the order in which the accesses left. One that is offered
// stays until it is taken. No user may wait for more than one access of the other one.
#include <algorithm>
#include <cstring>
#include <deque>

#include "Vdut.h"
#include "bench.h"

constexpr unsigned int users = 2, word_bytes = 64, longest_wait = 4000;

struct Access {
	uint64_t what;
	unsigned int len;
	bool write;
};

class World {
public:
	explicit World(tally::Bench<Vdut> &bench) : bench_(bench), rng_(bench.rng), dut_(*bench.dut) {}

	uint64_t reads[users] = {}, writes[users] = {}, moved = 0;

	void restart()
	{
		dut_.acc_valid_i = dut_.dat_valid_i = dut_.acc_ready_i = dut_.dat_ready_i = 0;
		for (unsigned int u = 0; u < users; u++) {
			offered_[u] = false;
			passed_[u] = 0;
			words_[u].clear();
			ahead_[u] = 0;
		}
		order_.clear();
		still_ = 0;
		stays_ = -1;
		bench_.reset();
	}

	void cycle()
	{
		for (unsigned int u = 0; u < users; u++)
			offer(u);
		dut_.acc_ready_i = rng_.one_in(2);
		dut_.dat_ready_i = rng_.one_in(3) != 0;
		bench_.settle();
		take_access();
		take_word();
		bench_.tick();
		CHECK(++still_ < longest_wait, "nothing proceeds");
	}

private:
	struct Write {
		unsigned int user;
		std::deque<uint64_t> words;
	};

	tally::Bench<Vdut> &bench_;
	tally::Rng &rng_;
	Vdut &dut_;
	bool offered_[users] = {};
	Access access_[users] = {};
	std::deque<uint64_t> words_[users];	// of accesses that were taken
	unsigned int passed_[users] = {}, ahead_[users] = {}, still_ = 0;
	int stays_ = -1;			// whose access was offered, and not taken, in the clock before
	std::deque<Write> order_;

	void offer(unsigned int u)
	{
		uint32_t *word = &dut_.dat_i[16 * u];

		if (!offered_[u] && rng_.one_in(3)) {
			offered_[u] = true;
			access_[u] = { rng_.next() & 0xffffffffff, unsigned(rng_.one_in(8) ? 0 : 1 + rng_.below(rng_.one_in(2) ? 4096 : 130)),
				       rng_.one_in(2) };
		}
		dut_.acc_valid_i = (dut_.acc_valid_i & ~(1 << u)) | offered_[u] << u;
		dut_.acc_write_i = (dut_.acc_write_i & ~(1 << u)) | access_[u].write << u;
		dut_.acc_len_i = (dut_.acc_len_i & ~(0x1fffu << 13 * u)) | access_[u].len << 13 * u;
		for (unsigned int bit = 0; bit < AccessW; bit++) {
			const unsigned int at = AccessW * u + bit;

			dut_.acc_i[at / 32] = (dut_.acc_i[at / 32] & ~(1u << at % 32)) | uint32_t(access_[u].what >> bit & 1) << at % 32;
		}
		ahead_[u] = words_[u].empty() ? 0 : ahead_[u] || rng_.one_in(2);
		dut_.dat_valid_i = (dut_.dat_valid_i & ~(1 << u)) | ahead_[u] << u;
		std::memset(word, 0, word_bytes);
		if (ahead_[u])
			std::memcpy(word, &words_[u].front(), sizeof(uint64_t));
	}

	void take_access()
	{
		CHECK(stays_ < 0 || (dut_.acc_valid_o && dut_.acc_user_o == stays_), "an access is withdrawn");
		stays_ = dut_.acc_valid_o && !dut_.acc_ready_i ? dut_.acc_user_o : -1;
		if (!dut_.acc_valid_o || !dut_.acc_ready_i) {
			CHECK(!dut_.acc_ready_o, "an access is taken that does not leave");
			return;
		}
		const unsigned int u = dut_.acc_user_o;
		const Access a = access_[u];

		CHECK(offered_[u] && dut_.acc_ready_o == 1u << u, "an access leaves that nobody offers");
		CHECK(dut_.acc_o == a.what && dut_.acc_len_o == a.len && dut_.acc_write_o == a.write, "the access has changed");
		offered_[u] = false;
		passed_[u] = 0;
		CHECK(!offered_[!u] || ++passed_[!u] < 2, "user %u waits for two accesses", !u);
		(a.write ? writes : reads)[u]++;
		still_ = 0;
		if (!a.write || !a.len)
			return;
		order_.push_back({ u, {} });
		for (unsigned int i = 0; i < a.len; i += word_bytes) {
			order_.back().words.push_back(rng_.next());
			words_[u].push_back(order_.back().words.back());
		}
	}

	void take_word()
	{
		uint64_t word;

		CHECK((dut_.dat_valid_o && dut_.dat_ready_i) == (dut_.dat_ready_o & dut_.dat_valid_i ? 1 : 0), "a word is lost");
		if (!dut_.dat_valid_o || !dut_.dat_ready_i)
			return;
		CHECK(!order_.empty() && dut_.dat_ready_o == 1u << order_.front().user, "a word of another write");
		std::memcpy(&word, &dut_.dat_o, sizeof(word));
		CHECK(word == order_.front().words.front(), "another word");
		words_[order_.front().user].pop_front();
		ahead_[order_.front().user] = 0;
		order_.front().words.pop_front();
		if (order_.front().words.empty())
			order_.pop_front();
		moved++;
		still_ = 0;
	}
};

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("access_users", argc, argv);
	World world(bench);

	bench.live(bench.times(60000), [&] { world.restart(); }, [&] { world.cycle(); });
	for (unsigned int u = 0; u < users; u++)
		CHECK(world.reads[u] > 100 && world.writes[u] > 100, "few accesses of user %u", u);
	CHECK(world.moved > 1000, "few words");
	return bench.finish();
}
