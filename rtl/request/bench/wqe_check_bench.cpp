// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_wqe_check: compares it with the parser of the engine. Every status of the fixed part must occur.
#include <cstring>

#include "Vdut.h"
#include "bench.h"
#include "wqe_record.h"
#include "wqe_requests.h"

constexpr uint64_t latency = 7;

static uint64_t seen[128];

static void check(tally::Bench<Vdut> &bench, Requests &requests)
{
	Vdut &dut = *bench.dut;
	std::vector<uint8_t> entry = requests.entry();
	model_request want;
	uint16_t status, lists;
	tally_wqe w;

	std::memcpy(&w, entry.data(), sizeof(w));
	model_check(&want, &requests.around, &w, &status, &lists);
	put_fields(dut.group_i, group_fields(requests.around));
	put_fields(dut.qp_i, qp_fields(requests.around));
	dut.index_i = requests.around.index;
	std::memcpy(&dut.wqe_i, &w, sizeof(w));
	dut.start_i = 1;
	bench.tick();
	dut.start_i = 0;
	if (bench.rng.one_in(100))
		for (uint64_t left = bench.rng.below(latency + 20); left; left--)
			bench.tick(); // the next one may begin at any time
	if (bench.rng.one_in(200))
		return;
	uint64_t began = bench.cycle();
	for (bench.settle(); !dut.done_o; bench.settle()) {
		CHECK(bench.cycle() - began < latency, "done_o does not come");
		bench.tick();
	}
	seen[status]++;
	want.status = 0;
	CHECK(dut.status_o == status, "status %d instead of %d, opcode %d", dut.status_o, status, w.opcode);
	CHECK(dut.lists_o == lists || status, "lists %d instead of %d, opcode %d", dut.lists_o, lists, w.opcode);
	if (status) {
		check_fields(dut.req_o, request_fields(want), 2);
		return;
	}
	seen[lists]++;
	while (!dut.divided_o) {
		CHECK(bench.cycle() - began < 2 * latency + 20, "the division does not end");
		bench.tick();
		bench.settle();
	}
	check_fields(dut.req_o, request_fields(want), lists ? 2 : valid_fields(want));
}

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("wqe_check", argc, argv);
	Requests requests(bench.rng);

	bench.dut->start_i = 0;
	bench.reset();
	for (uint64_t i = 0, n = bench.times(30000); i < n; i++) {
		if (i % 16 == 0)
			requests.other_group();
		requests.around.index++;
		check(bench, requests);
	}
	for (unsigned int status : { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 17, 18, 19, 20, 23, 24, 25, 26, 27, 28, 32, 33, 34 })
		CHECK(seen[status] > 5, "status %u came %llu times", status, (unsigned long long)seen[status]);
	return bench.finish();
}
