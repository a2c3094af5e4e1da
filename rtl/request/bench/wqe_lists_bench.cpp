// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_wqe_lists: requests whose fixed part is good, with the parser of the engine as the reference.
#include "Vdut.h"
#include "bench.h"
#include "wqe_ports.h"
#include "wqe_requests.h"

static uint64_t seen[128];

// Returns the words behind the fixed part; some are cut off.
static size_t words_of(tally::Bench<Vdut> &bench, Ports<Vdut> &ports, const std::vector<uint8_t> &entry, const model_request &r)
{
	size_t used = sizeof(tally_wqe) + (r.inline_len + 15) / 16 * 16 + 16 * (r.num_gather + r.num_result);
	size_t need = std::min((used + 63) / 64, entry.size() / 64), last = entry.size() / 64;

	if (bench.rng.one_in(2))
		last = std::max<size_t>(need, 2);
	if (bench.rng.one_in(16))
		last = 2 + bench.rng.below(last - 1);
	ports.no_words();
	for (size_t i = 2; i < last; i++) {
		Word w = { {}, i == last - 1, false };

		std::memcpy(w.data, &entry[64 * i], 64);
		ports.words.push_back(w);
	}
	return need <= last ? 0 : need - last;
}

static void run(tally::Bench<Vdut> &bench, Ports<Vdut> &ports, Requests &requests)
{
	Vdut &dut = *bench.dut;
	std::vector<uint8_t> entry = requests.entry();
	model_request fixed, want;
	uint16_t status, lists;
	tally_wqe w;

	std::memcpy(&w, entry.data(), sizeof(w));
	model_check(&fixed, &requests.around, &w, &status, &lists);
	if (!fixed.sized)
		return;
	model_parse(&want, &requests.around, entry.data());
	ports.next_request();
	size_t missing = words_of(bench, ports, entry, fixed);

	fixed.status = 0;
	put_fields(dut.req_i, request_fields(fixed));
	dut.lists_i = lists;
	dut.room_i = (requests.around.stride - sizeof(w)) / 16;
	dut.start_i = 1;
	uint64_t began = bench.cycle();
	for (bool done = false; !done; bench.tick(), dut.start_i = 0) {
		CHECK(bench.cycle() - began < 40000, "the request does not end");
		ports.drive();
		dut.ended_i = ports.words.empty();
		bench.settle();
		ports.take();
		done = dut.done_o;
		status = dut.status_o;
	}
	seen[status]++;
	if (missing) {
		CHECK(status == (want.status ? +want.status : +TALLY_COLL_WQE_FETCH) || status == TALLY_COLL_WQE_FETCH,
		      "status %d instead of %d, without all words", status, want.status);
		return;
	}
	CHECK(status == want.status, "status %d instead of %d, opcode %d", status, want.status, w.opcode);
	if (!status)
		ports.check(want);
}

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("wqe_lists", argc, argv);
	Requests requests(bench.rng);
	Ports<Vdut> ports(bench);

	bench.dut->start_i = 0;
	ports.idle();
	bench.reset();
	for (uint64_t i = 0, n = bench.times(12000); i < n; i++) {
		if (i % 16 == 0)
			requests.other_group();
		ports.stalls = i % 64 < 48;
		run(bench, ports, requests);
	}
	for (unsigned int status : { 0, 10, 11, 12, 13, 14, 15, 30 })
		CHECK(seen[status] > 5, "status %u came %llu times", status, (unsigned long long)seen[status]);
	return bench.finish();
}
