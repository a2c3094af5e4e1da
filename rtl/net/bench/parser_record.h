// SPDX-License-Identifier: BSD-2-Clause
// Compares a record of tally_parser, tally_net_pkg::rx_hdr_t, with the model's view of the frame.
#ifndef TALLY_RTL_PARSER_RECORD_H
#define TALLY_RTL_PARSER_RECORD_H

#include <cstring>
#include <vector>

#include "bench.h"
extern "C" {
#include "parser_model.h"
}

constexpr size_t hdr_bits = 495 + 8 * sizeof(struct tally_tch), record_words = (hdr_bits + 31) / 32;

/* Reads the fields of a packed record, the first one from the highest bits. */
class Fields {
public:
	Fields(const uint32_t *words, size_t bits) : words_(words), at_(bits) {}
	uint64_t number(unsigned int bits)
	{
		uint64_t value = 0;

		while (bits--) {
			at_--;
			value = value << 1 | (words_[at_ / 32] >> at_ % 32 & 1);
		}
		return value;
	}
	std::vector<uint8_t> bytes(size_t n)
	{
		std::vector<uint8_t> all(n);

		for (uint8_t &byte : all)
			byte = number(8);
		return all;
	}
	size_t left() const { return at_; }

private:
	const uint32_t *words_;
	size_t at_;
};

/* Writes the fields of a record, the first one to the highest bits. */
class Put {
public:
	explicit Put(uint32_t *words, size_t bits = hdr_bits) : words_(words), at_(bits) { std::memset(words, 0, (bits + 31) / 32 * 4); }
	void number(uint64_t value, unsigned int bits)
	{
		while (bits--) {
			at_--;
			words_[at_ / 32] |= static_cast<uint32_t>(value >> bits & 1) << at_ % 32;
		}
	}
	void bytes(const void *from, size_t n)
	{
		for (size_t i = 0; i < n; i++)
			number(static_cast<const uint8_t *>(from)[i], 8);
	}

private:
	uint32_t *words_;
	size_t at_;
};

#define SAME(is, expected, what) \
	do { \
		uint64_t is_ = is, expected_ = expected; \
		CHECK(is_ == expected_, "%s is %llx, not %llx", what, (unsigned long long)is_, \
		      (unsigned long long)expected_); \
	} while (0)
#define SAME_BYTES(is, expected, n, what) CHECK(!std::memcmp((is).data(), expected, n), "wrong " what)

inline void check_record(const uint32_t *record, enum tally_rx verdict, const struct model_rx &rx,
			 const std::vector<uint8_t> &frame)
{
	const struct roce_hdr &h = rx.hdr;
	Fields f(record, hdr_bits);

	SAME(f.number(8), verdict, "verdict");
	if (verdict != TALLY_RX_OK)
		return;
	SAME(f.number(1), frame[12] == 0x86, "ip6");
	SAME_BYTES(f.bytes(6), h.dmac, 6, "dmac");
	SAME_BYTES(f.bytes(6), h.smac, 6, "smac");
	SAME_BYTES(f.bytes(16), h.sgid, 16, "sgid");
	SAME_BYTES(f.bytes(16), h.dgid, 16, "dgid");
	SAME(f.number(20), h.flow_label, "flow_label");
	SAME(f.number(8), h.traffic_class, "traffic_class");
	SAME(f.number(8), h.hop_limit, "hop_limit");
	SAME(f.number(16), h.udp_sport, "udp_sport");
	SAME(f.number(1), h.se, "se");
	SAME(f.number(1), h.migreq, "migreq");
	SAME(f.number(16), h.pkey, "pkey");
	SAME(f.number(1), h.fecn, "fecn");
	SAME(f.number(1), h.becn, "becn");
	SAME(f.number(24), h.dest_qp, "dest_qp");
	SAME(f.number(1), h.ackreq, "ackreq");
	SAME(f.number(24), h.psn, "psn");
	SAME(f.number(13), rx.payload_len, "payload_len");
	SAME_BYTES(f.bytes(sizeof(struct tally_tch)), rx.tch, sizeof(struct tally_tch), "collective header");
	CHECK(!f.left(), "%zu bits of the record are left", f.left());
}

#endif
