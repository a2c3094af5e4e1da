// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_crc32_512: compares it with crc32_update(), for messages of all lengths, with and without gaps, some
// of them unfinished.
#include <vector>

#include "crc_stream.h"
extern "C" {
#include "wire/crc32.h"
}

using Stream = CrcStream<Bytes>;

static void message(Stream &stream, size_t len, bool finished)
{
	std::vector<uint8_t> data(len);

	stream.bench.rng.fill(data.data(), len);
	stream.words(data.data(), len, ~crc32_update(CRC32_INIT, data.data(), len), finished);
}

int main(int argc, char **argv)
{
	Stream stream("crc32_512", argc, argv, 3 + (__builtin_ctz(Bytes) + 2) / 3,
		      [](const Vdut &dut) -> uint64_t { return dut.crc_o; });
	tally::Rng &rng = stream.bench.rng;

	for (size_t len = 1; len <= stream.bench.times(6) * Bytes + 1; len++)
		message(stream, len, true);
	for (uint64_t left = stream.bench.times(8000); left; left--)
		message(stream, 1 + rng.below(rng.one_in(8) ? 300 : 3 * Bytes), !rng.one_in(20));
	return stream.finish();
}
