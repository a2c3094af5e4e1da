// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_place: all chunks of small messages, possible and impossible ones, and random ones, of packets and of
// requests. Compares with message_plausible() and slot_post() of the model.
#include "Vdut.h"
#include "bench.h"
#include "plan_model.h"

struct Question {
	bool request, last;
	uint32_t sid, count, total;
	uint8_t size;
	uint16_t mtu;
};

class Tester {
public:
	explicit Tester(tally::Bench<Vdut> &bench) : bench_(bench), dut_(*bench.dut), rng_(bench.rng) {}

	void ask(const Question &q)
	{
		const unsigned int clocks = q.sid ? latency : latency - 2;

		while (!go_.go())
			cycle();
		dut_.valid_i = 1;
		dut_.request_i = q.request;
		dut_.last_i = q.last;
		dut_.sid_i = q.sid;
		dut_.count_i = q.count;
		dut_.total_i = q.total;
		dut_.size_i = q.size;
		cycle();
		for (unsigned int clock = 1; clock < clocks; clock++) {
			spoil();
			if (clock >= 2)
				dut_.mtu_i = q.mtu;
			cycle();
		}
		spoil();
		bench_.settle();
		CHECK(dut_.valid_o, "no answer after %u clocks", clocks);
		check(q);
		answered_ = true; /* until the next clock */
	}

	void small();
	void random();

private:
	void random_packet(Question q);
	void random_request(Question q);

	static constexpr unsigned int latency = 5; /* PlaceLatency of tally_plan_pkg */

	void cycle()
	{
		bench_.settle();
		CHECK(bool(dut_.valid_o) == answered_, "valid is %d", dut_.valid_o);
		answered_ = false;
		bench_.tick();
	}

	// What is not the chunk, or not yet its MTU.
	void spoil()
	{
		dut_.valid_i = 0;
		dut_.request_i = rng_.one_in(2);
		dut_.last_i = rng_.one_in(2);
		dut_.sid_i = rng_.one_in(2) ? 0 : rng_.next();
		dut_.count_i = rng_.next();
		dut_.total_i = rng_.next();
		dut_.size_i = rng_.below(5);
		dut_.mtu_i = rng_.next();
	}

	void check(const Question &q)
	{
		const plan_place p = q.request ? plan_model_request(q.sid, q.count, q.total, q.size) :
						 plan_model_packet(q.sid, q.count, q.total, q.last, q.size, q.mtu);

		CHECK(dut_.ok_o == p.ok, "chunk %u of %u elements of %u, last %d: ok is %d", q.sid, q.count, q.total, q.last,
		      dut_.ok_o);
		if (!p.ok)
			return;
		CHECK(dut_.first_o == p.first && dut_.count_o == p.count, "elements %u + %u, not %u + %u", dut_.first_o,
		      dut_.count_o, p.first, p.count);
		CHECK(dut_.last_o == p.last, "last is %d", dut_.last_o);
		CHECK(dut_.bytes_o == p.bytes, "%d bytes, not %u", dut_.bytes_o, p.bytes);
	}

	tally::Bench<Vdut> &bench_;
	Vdut &dut_;
	tally::Rng &rng_;
	tally::Throttle go_{ rng_ };
	bool answered_ = false; /* the answer of the chunk before is there */
};

void Tester::small()
{
	for (uint32_t total = 0; total <= 7; total++)
		for (uint32_t count = 0; count <= total + 1; count++)
			for (uint32_t sid = 0; sid <= total + 1; sid++) {
				ask({ false, false, sid, count, total, 0, 256 });
				ask({ false, true, sid, count, total, 2, 256 });
				if (count && sid * count < total)
					ask({ true, false, sid, count, total, 3, 256 });
			}
	ask({ true, false, 0, 0, 0, 0, 256 }); /* a barrier */
}

void Tester::random_packet(Question q)
{
	q.last = rng_.one_in(2);
	q.sid = rng_.one_in(4) ? 0 : rng_.next() >> rng_.below(32);
	if (q.last && rng_.one_in(2)) /* the numbers that just fit */
		q.sid = q.count ? (q.total - q.count) / q.count + rng_.below(3) - 1 : 0;
	else if (rng_.one_in(2))
		q.sid = q.count ? q.total / q.count + rng_.below(3) - 1 : 0;
	if (rng_.one_in(8))
		q.total = q.count;
	if (rng_.one_in(8)) /* just too long */
		q.count = (q.mtu >> q.size) + rng_.below(2);
	if (q.size && rng_.one_in(8)) { /* its bytes fit but for bits beyond the 32nd */
		q.sid = 0;
		q.last = true;
		q.total = q.count = (1u << (32 - q.size)) + rng_.below(q.mtu >> q.size);
	}
	ask(q);
}

void Tester::random_request(Question q)
{
	q.request = true;
	q.count = 1 + rng_.below(q.mtu >> q.size);
	q.total = rng_.next() >> rng_.below(30) >> 1 | 1;
	q.sid = rng_.one_in(2) ? (q.total - 1) / q.count : rng_.below((q.total - 1) / q.count + 1);
	ask(q);
}

void Tester::random()
{
	Question q = {};

	q.size = rng_.below(5);
	q.mtu = 256 << rng_.below(5);
	q.count = rng_.one_in(8) ? rng_.next() >> rng_.below(32) : rng_.below((q.mtu >> q.size) + 2);
	q.total = rng_.next() >> rng_.below(32);
	if (rng_.one_in(2))
		random_packet(q);
	else
		random_request(q);
}

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("place", argc, argv);
	Tester tester(bench);

	bench.dut->valid_i = 0;
	bench.reset();
	tester.small();
	for (uint64_t left = bench.times(100000); left; left--)
		tester.random();
	return bench.finish();
}
