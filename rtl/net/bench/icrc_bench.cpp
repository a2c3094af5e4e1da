// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_icrc: compares it with roce_icrc(), for headers of random bytes, all lengths, IPv4 and IPv6. For whole
// packets of roce_build(), whose ICRC is covered as well, it expects the residue.
#include <vector>

#include "crc_stream.h"
extern "C" {
#include "wire/crc32.h"
#include "wire/icrc.h"
#include "wire/roce.h"
#include "wire/roce_layout.h"
}

using Stream = CrcStream<64>;

static void frame(Stream &stream, bool v6, size_t body, bool finished)
{
	size_t ip_len = v6 ? +IP6_BYTES : +IP4_BYTES;
	size_t len = ETH_HEADER_BYTES + ip_len + UDP_BYTES + BTH_BYTES + body;
	std::vector<uint8_t> data(len);
	uint16_t type = v6 ? ETH_TYPE_IPV6 : ETH_TYPE_IPV4;

	stream.bench.rng.fill(data.data(), len);
	data[ETH_TYPE] = type >> 8;
	data[ETH_TYPE + 1] = type & 0xff;
	stream.words(data.data(), len, roce_icrc(&data[ETH_HEADER_BYTES], ip_len, len - ETH_HEADER_BYTES), finished);
}

/* Returns the residue: the CRC of a zero register and its checksum. */
static uint32_t residue()
{
	const uint8_t ones[ICRC_BYTES] = { 0xff, 0xff, 0xff, 0xff };

	return ~crc32_update(0, ones, sizeof(ones));
}

static void packet(Stream &stream, bool v6, size_t body)
{
	std::vector<uint8_t> payload(body);
	struct roce_hdr hdr = {};
	struct frame *f;
	size_t len;

	stream.bench.rng.fill(payload.data(), body);
	if (!v6)
		hdr.sgid[10] = hdr.sgid[11] = hdr.dgid[10] = hdr.dgid[11] = 0xff;
	f = roce_build(&hdr, nullptr, 0, payload.data(), body);
	CHECK(f, "no frame");
	/* without the padding to the shortest frame */
	len = ETH_HEADER_BYTES + (v6 ? +IP6_BYTES : +IP4_BYTES) + UDP_BYTES + BTH_BYTES;
	len += (body + 3) / 4 * 4 + ICRC_BYTES;
	stream.words(f->data, len, residue(), true);
	frame_unref(f);
}

int main(int argc, char **argv)
{
	Stream stream("icrc", argc, argv, 5, [](const Vdut &dut) -> uint64_t { return dut.icrc_o; });
	tally::Rng &rng = stream.bench.rng;

	for (bool odd : { false, true })
		for (size_t body = 0; body <= 200; body++)
			frame(stream, odd != body % 2, body, true);
	for (uint64_t left = stream.bench.times(3000); left; left--)
		frame(stream, rng.below(2), rng.below(rng.one_in(10) ? 4200 : 200), !rng.one_in(20));
	for (uint64_t left = stream.bench.times(500); left; left--)
		packet(stream, rng.below(2), rng.below(300));
	return stream.finish();
}
