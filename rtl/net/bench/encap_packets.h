// SPDX-License-Identifier: BSD-2-Clause
// Packets for tally_encap: random ones, invalid ones, and the expected results.
#ifndef TALLY_ENCAP_PACKETS_H
#define TALLY_ENCAP_PACKETS_H

#include <algorithm>
#include <cstring>
#include <vector>

#include "bench.h"

extern "C" {
#include "gen/tally_hw.h"
#include "wire/roce.h"
}

#ifndef Mtu
#define Mtu TALLY_MAX_MTU
#endif

enum Err { ErrNone, ErrGids, ErrFlow, ErrLength, ErrShort, ErrLong, ErrKeep };

constexpr unsigned int word_bytes = 64;
constexpr uint64_t all = ~0ull;

using Bytes = std::vector<uint8_t>;

// As gid_is_ipv4() and gid_from_ipv4(), whose file does not compile as C++.
static const uint8_t mapped[12] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff };

inline bool is_ip4(const uint8_t gid[16])
{
	return !std::memcmp(gid, mapped, sizeof(mapped));
}

struct Word {
	uint8_t data[word_bytes];
	uint64_t keep;
	bool last;
};

struct Packet {
	roce_hdr h;
	tally_tch tch;
	unsigned int len;		// length in the header
	std::vector<Word> payload;	// words that are sent
	Bytes body;
};

// Bits of the header, the most significant one first.
class Bits {
public:
	void put(uint64_t value, unsigned int width)
	{
		while (width--)
			bits_.push_back(value >> width & 1);
	}
	void put(const void *bytes, size_t len)
	{
		for (size_t i = 0; i < len; i++)
			put(static_cast<const uint8_t *>(bytes)[i], 8);
	}
	template <typename Port> void get(Port &port) const
	{
		size_t n = bits_.size();

		std::memset(&port, 0, sizeof(port));
		for (size_t i = 0; i < n; i++)
			port[(n - 1 - i) / 32] |= static_cast<uint32_t>(bits_[i]) << (n - 1 - i) % 32;
	}

private:
	std::vector<bool> bits_;
};

inline Bits record(const Packet &p)
{
	Bits b;

	b.put(p.h.dmac, 6);
	b.put(p.h.smac, 6);
	b.put(p.h.sgid, 16);
	b.put(p.h.dgid, 16);
	b.put(p.h.flow_label, 20);
	b.put(p.h.traffic_class, 8);
	b.put(p.h.hop_limit, 8);
	b.put(p.h.udp_sport, 16);
	b.put(p.h.se, 1);
	b.put(p.h.migreq, 1);
	b.put(p.h.pkey, 16);
	b.put(p.h.fecn, 1);
	b.put(p.h.becn, 1);
	b.put(p.h.dest_qp, 24);
	b.put(p.h.ackreq, 1);
	b.put(p.h.psn, 24);
	b.put(p.len, 13);
	b.put(&p.tch, sizeof(p.tch));
	return b;
}

// Fills with random bytes, or with all zeros or ones, as corner values of the sums.
inline void fill(tally::Rng &rng, void *to, size_t len)
{
	if (rng.one_in(8))
		std::memset(to, rng.one_in(2) ? 0xff : 0, len);
	else
		rng.fill(to, len);
}

inline void gid(tally::Rng &rng, uint8_t to[16], bool ip4)
{
	bool near = !ip4 && rng.one_in(8);	// one bit is wrong
	unsigned int bit = rng.below(96);

	do
		fill(rng, to, 16);
	while (!ip4 && is_ip4(to));
	if (ip4 || near)
		std::memcpy(to, mapped, sizeof(mapped));
	if (near)
		to[bit / 8] ^= 1 << bit % 8;
}

inline std::vector<Word> words(const Bytes &body)
{
	std::vector<Word> list;

	for (size_t at = 0; at < body.size(); at += word_bytes) {
		size_t n = std::min<size_t>(word_bytes, body.size() - at);
		Word w;

		std::memset(w.data, 0xa5, sizeof(w.data));	// bytes outside of tkeep
		std::memcpy(w.data, &body[at], n);
		w.keep = all >> (word_bytes - n);
		w.last = at + n == body.size();
		list.push_back(w);
	}
	return list;
}

inline Packet packet(tally::Rng &rng, bool ip4, unsigned int len)
{
	Packet p = {};

	fill(rng, p.h.dmac, 6);
	fill(rng, p.h.smac, 6);
	gid(rng, p.h.sgid, ip4);
	gid(rng, p.h.dgid, ip4);
	p.h.flow_label = ip4 ? 0 : rng.below(TALLY_IPV6_FLOW_MASK + 1);
	p.h.traffic_class = rng.next();
	p.h.hop_limit = rng.next();
	p.h.udp_sport = rng.next();
	p.h.opcode = TALLY_BTH_OPCODE_COLL;
	p.h.pkey = rng.next();
	p.h.dest_qp = rng.below(TALLY_BTH_24_MASK + 1);
	p.h.psn = rng.below(TALLY_BTH_24_MASK + 1);
	p.h.se = rng.one_in(2);
	p.h.migreq = rng.one_in(2);
	p.h.fecn = rng.one_in(2);
	p.h.becn = rng.one_in(2);
	p.h.ackreq = rng.one_in(2);
	fill(rng, &p.tch, sizeof(p.tch));
	p.tch.kind = rng.below(TALLY_KIND_NOTIFY + 2);
	p.len = len;
	p.body.resize(len);
	fill(rng, p.body.data(), len);
	p.payload = words(p.body);
	return p;
}

// Returns the result that the block must report.
inline Err verdict(const Packet &p)
{
	bool ip4 = is_ip4(p.h.sgid);
	unsigned int n = (p.len + word_bytes - 1) / word_bytes;

	if (ip4 != is_ip4(p.h.dgid))
		return ErrGids;
	if (ip4 && p.h.flow_label)
		return ErrFlow;
	if (p.len > Mtu)
		return ErrLength;
	for (unsigned int i = 0; i < n; i++) {
		bool end = i == n - 1;
		uint64_t keep = end && p.len % word_bytes ? ~(all << p.len % word_bytes) : all;

		if (p.payload[i].last != end)
			return end ? ErrLong : ErrShort;
		if (p.payload[i].keep != keep)
			return ErrKeep;
	}
	return ErrNone;
}

// Makes a packet invalid in one way.
inline void spoil(tally::Rng &rng, Packet &p)
{
	switch (rng.below(6)) {
	case 0:
		gid(rng, rng.one_in(2) ? p.h.sgid : p.h.dgid, !is_ip4(p.h.sgid));
		break;
	case 1:
		p.h.flow_label = 1u << rng.below(20);
		break;
	case 2:
		p.len = Mtu + 1 + (rng.one_in(2) ? 0 : rng.below(0x2000 - Mtu - 1));
		break;
	case 3:		// another number of words, or one byte more or less
		p.body.resize(1 + rng.below(std::min<unsigned int>(Mtu, 2 * p.len + 64)));
		p.payload = words(p.body);
		break;
	case 4:
		p.body.resize(p.len + (p.len > 1 && rng.one_in(2) ? -1 : 1));
		p.payload = words(p.body);
		break;
	case 5:
		if (p.payload.size())
			p.payload[rng.below(p.payload.size())].keep ^= 1ull << rng.below(64);
		break;
	}
	if (p.len && p.payload.empty())
		p.payload = words(Bytes(1));
	if (!p.len)
		p.payload.clear();
}

inline Bytes built(const Packet &p)
{
	tally_tch tch = p.tch;
	Bytes bytes;

	tch.tag = htobe32(TALLY_TCH_TAG);
	tch.version = TALLY_WIRE_VERSION;
	frame *f = roce_build(&p.h, &tch, sizeof(tch), p.body.data(), p.len);
	CHECK(f, "roce_build() refuses the packet");
	bytes.assign(f->data, f->data + f->len);
	frame_unref(f);
	return bytes;
}

#endif
