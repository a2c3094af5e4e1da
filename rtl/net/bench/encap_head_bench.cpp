// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_encap_head: compares it with roce_build(), for every length of payload, both IP versions, and headers
// of random content, valid and invalid.
#include <cstring>

#include "Vdut.h"
#include "bench.h"
#include "encap_packets.h"
extern "C" {
#include "wire/inet.h"
}

class Head {
public:
	Head(int argc, char **argv) : bench("encap_head", argc, argv), dut(*bench.dut) {}

	int run()
	{
		for (unsigned int len = 0; len <= Mtu; len++)
			for (bool ip4 : { false, true })
				check(packet(bench.rng, ip4, len));
		for (uint64_t left = bench.times(10000); left; left--) {
			Packet p = packet(bench.rng, bench.rng.one_in(2), bench.rng.below(Mtu + 1));

			spoil(bench.rng, p);
			check(p);
		}
		return bench.finish();
	}

private:
	void check(const Packet &p)
	{
		// The block does not see the payload, so it does not report its errors.
		Err err = verdict(p) < ErrShort ? verdict(p) : ErrNone;

		record(p).get(dut.hdr_i);
		bench.settle();
		CHECK(dut.err_o == err, "error %d, not %d", dut.err_o, err);
		if (!err)
			compare(p);
		bench.tick();
	}

	void compare(const Packet &p)
	{
		bool ip4 = is_ip4(p.h.sgid);
		size_t ip_len = ip4 ? sizeof(tally_ipv4_hdr) : sizeof(tally_ipv6_hdr);
		size_t udp_at = ETH_HEADER_BYTES + ip_len;
		size_t head = udp_at + sizeof(tally_udp_hdr) + sizeof(tally_bth_hdr) + sizeof(tally_tch);
		Packet right = p;	// with the payload of the header's length

		right.body.resize(p.len);
		Bytes frame = built(right);
		size_t last = (frame.size() - 1) % word_bytes + 1;
		size_t udp_len = frame.size() - udp_at;

		CHECK(dut.ip6_o == !ip4, "ip6_o is %d", dut.ip6_o);
		CHECK(dut.len_o == frame.size(), "len_o is %d, not %zu", dut.len_o, frame.size());
		CHECK(dut.words_o == (frame.size() + word_bytes - 1) / word_bytes, "words_o is %d", dut.words_o);
		CHECK(dut.straddle_o == (last <= TALLY_ICRC_SIZE), "straddle_o is %d", dut.straddle_o);
		CHECK(dut.covered_o == (frame.size() - TALLY_ICRC_SIZE - 1) % word_bytes + 1, "covered_o is %d", dut.covered_o);
		CHECK(dut.pay_words_o == (p.len + word_bytes - 1) / word_bytes, "pay_words_o is %d", dut.pay_words_o);
		CHECK(!p.len || dut.pay_keep_o == all >> (word_bytes - 1 - (p.len - 1) % word_bytes), "pay_keep_o is %llx",
		      static_cast<unsigned long long>(dut.pay_keep_o));
		CHECK(dut.pseudo_o == udp_len + TALLY_IP_PROTO_UDP, "pseudo_o is %d", dut.pseudo_o);
		if (ip4)
			check_ip_sum(frame);
		clear_sums(frame, ip4, udp_at);
		CHECK(!std::memcmp(&dut.head_o, frame.data(), head), "wrong header");
		for (size_t k = head; k < sizeof(dut.head_o); k++)
			CHECK(!reinterpret_cast<const uint8_t *>(&dut.head_o)[k], "byte %zu behind the header", k);
	}

	// Checks the sum of the IPv4 header: together with the right checksum it folds to ones.
	void check_ip_sum(const Bytes &frame)
	{
		uint8_t wire[4] = { 0, static_cast<uint8_t>(dut.ip_sum_o >> 16), static_cast<uint8_t>(dut.ip_sum_o >> 8),
				    static_cast<uint8_t>(dut.ip_sum_o) };
		const uint8_t *checksum = &frame[ETH_HEADER_BYTES + offsetof(tally_ipv4_hdr, checksum)];

		CHECK(!inet_fold(inet_sum(inet_sum(0, wire, sizeof(wire)), checksum, 2)), "ip_sum_o is %x", dut.ip_sum_o);
	}

	static void clear_sums(Bytes &frame, bool ip4, size_t udp_at)
	{
		if (ip4)
			std::memset(&frame[ETH_HEADER_BYTES + offsetof(tally_ipv4_hdr, checksum)], 0, 2);
		std::memset(&frame[udp_at + offsetof(tally_udp_hdr, checksum)], 0, 2);
	}

	tally::Bench<Vdut> bench;
	Vdut &dut;
};

int main(int argc, char **argv)
{
	return Head(argc, argv).run();
}
