// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_mem_check: the same buffers and regions pass as in the model, among them those that just do.
#include <memory>

#include "Vdut.h"
#include "mr_host.h"

int main(int argc, char **argv)
{
	tally::Options options = tally::parse(argc, argv);
	tally::Rng rng(options.seed);
	Host host(rng);
	auto dut = std::make_unique<Vdut>();
	uint64_t passed = 0, times = options.long_run ? 1000000 : 40000;

	tally::place = { "mem_check", options.seed, 0 };
	for (; tally::place.cycle < times; tally::place.cycle++) {
		Region r = random_region(rng, host, 0x100);
		const tally_mem &m = r.cmd.buf;

		for (unsigned int n = rng.below(3); n; n--)
			spoil(rng, r);
		dut->iova_i = r.cmd.iova;
		dut->addr_i = m.addr;
		dut->length_i = m.length;
		dut->offset_i = m.offset;
		dut->levels_i = m.levels;
		dut->page_shift_i = m.page_shift;
		dut->eval();
		bool ok = model_mem_ok(&m, r.cmd.iova);

		CHECK(dut->ok_o == ok, "%llx bytes at %llx, offset %x, %d levels, pages of 2**%d, from %llx: %d",
		      (unsigned long long)m.length, (unsigned long long)m.addr, m.offset, m.levels, m.page_shift,
		      (unsigned long long)r.cmd.iova, dut->ok_o);
		passed += ok;
	}
	CHECK(passed > times / 4 && passed < times * 3 / 4, "%llu pass", (unsigned long long)passed);
	if (!options.coverage.empty())
		tally::write_coverage(options.coverage);
	std::printf("mem_check: %llu regions, seed %llu: passed\n", (unsigned long long)times, (unsigned long long)options.seed);
	return 0;
}
