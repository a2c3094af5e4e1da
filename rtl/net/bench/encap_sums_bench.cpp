// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_encap_sums: compares it with the checksums of roce_build(), for every length near that of a word, both
// IP versions, with and without gaps, some unfinished packets, and some rare UDP checksums.
#include "crc_stream.h"
#include "encap_packets.h"
extern "C" {
#include "wire/inet.h"
}

using Stream = CrcStream<word_bytes>;

// Offsets of the fields.
struct Places {
	size_t udp, udp_checksum, icrc;
};

static Places places(const Bytes &frame, bool ip4)
{
	size_t udp = ETH_HEADER_BYTES + (ip4 ? sizeof(tally_ipv4_hdr) : sizeof(tally_ipv6_hdr));

	return { udp, udp + offsetof(tally_udp_hdr, checksum), frame.size() - TALLY_ICRC_SIZE };
}

static void send(Stream &stream, Bytes frame, bool ip4, bool finished)
{
	const Places at = places(frame, ip4);
	uint64_t udp = frame[at.udp_checksum] << 8 | frame[at.udp_checksum + 1];
	uint32_t icrc;

	std::memcpy(&icrc, &frame[at.icrc], sizeof(icrc));
	if (ip4)
		std::memset(&frame[ETH_HEADER_BYTES + offsetof(tally_ipv4_hdr, checksum)], 0, 2);
	std::memset(&frame[at.udp_checksum], 0, 2);
	stream.dut.ip6_i = !ip4;
	stream.dut.pseudo_i = frame.size() - at.udp + TALLY_IP_PROTO_UDP;
	stream.words(frame.data(), at.icrc, udp << 32 | icrc, finished);
	// Drives the word after, if the ICRC extends into it or begins it, with zeros.
	if (finished && (at.icrc - 1) / word_bytes != (frame.size() - 1) / word_bytes)
		stream.word(nullptr, 0, false, false);
}

static bool is_zero(const Bytes &frame, bool ip4)
{
	const size_t at = places(frame, ip4).udp_checksum;

	return frame[at] == 0xff && frame[at + 1] == 0xff;
}

// Returns whether adding the ICRC's halves to the other sum carries, and adding the carry carries again.
static bool carries_twice(const Bytes &frame, bool ip4)
{
	const Places at = places(frame, ip4);
	const size_t addrs_len = ip4 ? 8 : 32;
	const uint8_t *icrc = &frame[at.icrc];
	Bytes rest = frame;
	uint32_t sum;

	std::memset(&rest[at.udp_checksum], 0, 2);
	std::memset(&rest[at.icrc], 0, TALLY_ICRC_SIZE);
	sum = static_cast<uint16_t>(~inet_udp_checksum(&rest[at.udp - addrs_len], addrs_len, &rest[at.udp],
						       rest.size() - at.udp));
	sum += (icrc[0] << 8 | icrc[1]) + (icrc[2] << 8 | icrc[3]);
	return (sum & 0xffff) + (sum >> 16) > 0xffff;
}

// Sends a frame for which wanted() is true, found by trial.
static void find(Stream &stream, bool ip4, bool (*wanted)(const Bytes &frame, bool ip4))
{
	Packet p = packet(stream.bench.rng, ip4, 0);
	Bytes frame = built(p);

	while (!wanted(frame, ip4)) {
		stream.bench.rng.fill(&p.tch.jid, sizeof(p.tch.jid));
		frame = built(p);
	}
	send(stream, frame, ip4, true);
}

int main(int argc, char **argv)
{
	Stream stream("encap_sums", argc, argv, 6,
		      [](const Vdut &dut) { return static_cast<uint64_t>(dut.udp_o) << 32 | dut.icrc_o; });
	tally::Rng &rng = stream.bench.rng;

	stream.clean = true;
	for (unsigned int len = 0; len < 200; len++)
		for (bool ip4 : { false, true })
			send(stream, built(packet(rng, ip4, len)), ip4, true);
	for (uint64_t left = stream.bench.times(3000); left; left--) {
		bool ip4 = rng.one_in(2);

		send(stream, built(packet(rng, ip4, rng.below(rng.one_in(10) ? Mtu + 1 : 200))), ip4, !rng.one_in(20));
	}
	for (bool ip4 : { false, true }) {
		find(stream, ip4, is_zero);
		find(stream, ip4, carries_twice);
	}
	return stream.finish();
}
