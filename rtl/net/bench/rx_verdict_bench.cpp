// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_rx_verdict: compares it with the model's NIC, wire and engine. It drives the headers of frames of
// every kind, split as tally_parser does, one frame per clock.
#include <cstring>
#include <deque>
#include <vector>

#include "Vdut.h"
#include "bench.h"
#include "parser_frames.h"
#include "parser_record.h"
extern "C" {
#include "wire/bytes.h"
#include "wire/icrc.h"
#include "wire/inet.h"
#include "wire/roce_layout.h"
}

constexpr uint64_t latency = 3;
constexpr size_t most_head = ETH_HEADER_BYTES + IP6_BYTES + UDP_BYTES + BTH_BYTES + sizeof(struct tally_tch);

struct Expected {
	Frame frame;
	enum tally_rx verdict = TALLY_RX_OK;
	struct model_rx rx = {};
	uint64_t entered = 0;
};

class Verdict {
public:
	Verdict(int argc, char **argv) : bench("rx_verdict", argc, argv), dut(*bench.dut), frames(bench.rng) {}

	int run();

private:
	void be_at(bool ip6);
	void check();
	void offer(const Frame &frame);
	void headers(const std::vector<uint8_t> &data);
	void sums(const std::vector<uint8_t> &data);
	void damage();
	void many(uint64_t n);

	tally::Bench<Vdut> bench;
	Vdut &dut;
	Frames frames;
	std::deque<Expected> inside;
	uint64_t verdicts[TALLY_RX_MAC_ERROR + 1] = {};
};

/* Drives a port with a structure of the wire. The first byte is the highest one. */
template <typename Port> static void put(Port &port, const uint8_t *wire, size_t len)
{
	std::vector<uint8_t> bytes(wire, wire + len);

	std::memset(&port, 0, sizeof(port));
	for (size_t k = 0; k < len; k++)
		reinterpret_cast<uint8_t *>(&port)[k] = bytes[len - 1 - k];
}

void Verdict::be_at(bool ip6)
{
	frames.at_ip6 = ip6;
	put(dut.mac_i, frames.mac, sizeof(frames.mac));
	put(dut.gid_i, ip6 ? frames.gid6 : frames.gid4, 16);
}

/* Checks the outputs after this cycle's settle(). */
void Verdict::check()
{
	for (const Expected &e : inside) {
		if (e.verdict == TALLY_RX_OK && e.entered + 1 == bench.cycle())
			SAME(dut.body_len_o, e.rx.payload_len + sizeof(struct tally_tch), "body_len_o");
		if (e.entered + latency == bench.cycle())
			check_record(dut.hdr_o, e.verdict, e.rx, e.frame.data);
	}
	while (!inside.empty() && inside.front().entered + latency <= bench.cycle())
		inside.pop_front();
}

void Verdict::offer(const Frame &frame)
{
	Expected e;

	e.frame = frame;
	inside.push_back(std::move(e));

	Expected &last = inside.back();
	const std::vector<uint8_t> &data = last.frame.data;

	headers(data);
	sums(data);
	dut.mac_error_i = frame.mac_error;
	last.entered = bench.cycle();
	last.verdict = model_rx(&last.rx, data.data(), data.size(), frames.mac, frames.at_ip6 ? frames.gid6 : frames.gid4);
	if (frame.mac_error)
		last.verdict = TALLY_RX_MAC_ERROR;
	verdicts[last.verdict]++;
	bench.settle();
	check();
	bench.tick();
}

/* Drives the headers. Bytes after the frame's end are random. */
void Verdict::headers(const std::vector<uint8_t> &data)
{
	std::vector<uint8_t> head(most_head);
	size_t ip_len, at;

	bench.rng.fill(head.data(), most_head);
	std::memcpy(head.data(), data.data(), data.size() < most_head ? data.size() : most_head);
	dut.is_ip6_i = get_be16(&head[ETH_TYPE]) == ETH_TYPE_IPV6;
	ip_len = dut.is_ip6_i ? +IP6_BYTES : +IP4_BYTES;
	put(dut.eth_i, head.data(), ETH_HEADER_BYTES);
	put(dut.ip4_i, &head[ETH_HEADER_BYTES], IP4_BYTES);
	put(dut.ip6_i, &head[ETH_HEADER_BYTES], IP6_BYTES);
	at = ETH_HEADER_BYTES + ip_len;
	put(dut.udp_i, &head[at], UDP_BYTES);
	put(dut.bth_i, &head[at + UDP_BYTES], BTH_BYTES);
	put(dut.tch_i, &head[at + UDP_BYTES + BTH_BYTES], sizeof(struct tally_tch));
	dut.ip_last_i = dut.is_ip6_i ? at - 1 + get_be16(&head[ETH_HEADER_BYTES + IP6_PAYLOAD]) :
				       ETH_HEADER_BYTES - 1 + get_be16(&head[ETH_HEADER_BYTES + IP4_TOTAL]);
	dut.too_long_i = data.size() > TALLY_MAX_FRAME;
	dut.len_i = dut.too_long_i ? bench.rng.below(1 << 14) : data.size();
}

/* Drives the results of the checksums. They are random for headers that the frame does not have. */
void Verdict::sums(const std::vector<uint8_t> &data)
{
	size_t ip_len = dut.is_ip6_i ? +IP6_BYTES : +IP4_BYTES, room, udp_len;
	const uint8_t *ip, *udp;

	dut.ip_sum_ok_i = bench.rng.below(2);
	dut.udp_sum_ok_i = bench.rng.below(2);
	dut.icrc_ok_i = bench.rng.below(2);
	if (data.size() < ETH_HEADER_BYTES + ip_len)
		return;
	ip = &data[ETH_HEADER_BYTES];
	if (!dut.is_ip6_i)
		dut.ip_sum_ok_i = !inet_fold(inet_sum(0, ip, IP4_BYTES));
	room = data.size() - ETH_HEADER_BYTES - ip_len;
	udp = ip + ip_len;
	udp_len = dut.is_ip6_i ? get_be16(ip + IP6_PAYLOAD) : (uint16_t)(get_be16(ip + IP4_TOTAL) - IP4_BYTES);
	if (udp_len > room || udp_len < UDP_BYTES)
		return;
	dut.udp_sum_ok_i = !inet_udp_checksum(ip + (dut.is_ip6_i ? +IP6_SRC : +IP4_SRC), dut.is_ip6_i ? 32 : 8, udp, udp_len);
	if (udp_len < UDP_BYTES + BTH_BYTES + ICRC_BYTES)
		return;
	uint32_t icrc;

	std::memcpy(&icrc, udp + udp_len - ICRC_BYTES, sizeof(icrc));
	dut.icrc_ok_i = le32toh(icrc) == roce_icrc(ip, ip_len, ip_len + udp_len - ICRC_BYTES);
}

/* Changes every bit of the headers: without correcting the sums, with it, and with a wrong checksum of IPv4 besides. */
void Verdict::damage()
{
	for (unsigned int bit = 0; bit < 8; bit++)
		for (size_t byte = 0; byte < most_head; byte++) {
			Frame f = frames.good(frames.at_ip6, 64 + bench.rng.below(64));

			f.data[byte % f.data.size()] ^= 1 << bit;
			offer(f);
			Frames::mend(f.data);
			offer(f);
			if (frames.at_ip6 || f.data.size() < ETH_HEADER_BYTES + IP4_BYTES)
				continue;
			f.data[ETH_HEADER_BYTES + IP4_CHECKSUM] ^= 1;
			offer(f);
		}
}

void Verdict::many(uint64_t n)
{
	for (; n; n--)
		switch (bench.rng.below(8)) {
		case 0:
			offer(frames.mutated(frames.at_ip6 != bench.rng.one_in(8)));
			break;
		case 1:
		case 2:
			offer(frames.other(frames.at_ip6));
			break;
		case 3:
			offer(frames.garbage());
			break;
		default:
			offer(frames.good(frames.at_ip6, bench.rng.below(bench.rng.one_in(8) ? 4097 : 200)));
			break;
		}
}

int Verdict::run()
{
	Frame longest;

	longest.data.resize(TALLY_MAX_FRAME + 1);
	for (bool ip6 : { false, true }) {
		be_at(ip6);
		many(bench.times(8000));
		damage();
		offer(longest);
	}
	for (uint64_t i = 0; i < latency; i++)
		offer(frames.garbage());
	for (unsigned int v = TALLY_RX_OK; v <= TALLY_RX_MAC_ERROR; v++)
		CHECK(verdicts[v], "no frame had verdict %u", v);
	return bench.finish();
}

int main(int argc, char **argv)
{
	return Verdict(argc, argv).run();
}
