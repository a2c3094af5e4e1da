// SPDX-License-Identifier: BSD-2-Clause
#include "parser_frames.h"

#include <cstring>

extern "C" {
#include "alu/alu.h"
#include "gen/tally_hw.h"
#include "wire/bytes.h"
#include "wire/gid.h"
#include "wire/icrc.h"
#include "wire/inet.h"
#include "wire/roce.h"
#include "wire/roce_layout.h"
}

static const uint8_t kinds[] = { TALLY_KIND_REDUCE, TALLY_KIND_RESULT, TALLY_KIND_TRIGGER, TALLY_KIND_ACK,
				 TALLY_KIND_BUSY, TALLY_KIND_OPEN, TALLY_KIND_QUERY, TALLY_KIND_NOTIFY,
				 TALLY_KIND_CONFIG, TALLY_KIND_GRANT, TALLY_KIND_KILL };
#define TYPE(name, value, doc) value,
static const uint8_t types[] = { TALLY_TYPE_LIST(TYPE) };
#undef TYPE

Frames::Frames(tally::Rng &rng) : rng_(rng)
{
	static const uint8_t address[4] = { 10, 1, 2, 3 };

	rng.fill(mac, sizeof(mac));
	mac[0] = 2;
	rng.fill(gid6, sizeof(gid6));
	gid6[0] = 0xfe;
	gid_from_ipv4(gid4, address);
}

static struct roce_hdr header(tally::Rng &rng, const Frames &frames, bool ip6)
{
	struct roce_hdr h;

	rng.fill(&h, offsetof(struct roce_hdr, se));
	h.se = rng.below(2);
	h.migreq = rng.below(2);
	h.fecn = rng.below(2);
	h.becn = rng.below(2);
	h.ackreq = rng.below(2);
	h.flow_label &= ip6 ? IP6_FLOW_MASK : 0;
	h.dest_qp &= BTH_24_MASK;
	h.psn &= BTH_24_MASK;
	h.opcode = TALLY_BTH_OPCODE_COLL;
	h.sgid[0] = 0x20;
	std::memcpy(h.dmac, frames.mac, sizeof(h.dmac));
	std::memcpy(h.dgid, ip6 ? frames.gid6 : frames.gid4, sizeof(h.dgid));
	if (!ip6)
		gid_from_ipv4(h.sgid, &h.sgid[1]);
	if (ip6 && rng.one_in(4)) {
		rng.fill(h.dgid + 1, 15);
		h.dgid[0] = 0xff;
		gid_multicast_mac(h.dmac, h.dgid);
	}
	return h;
}

/* Returns the flags that a packet of this kind may have: those of one mode, or of none. */
static uint16_t mode_flags(tally::Rng &rng, uint8_t kind)
{
	bool has_mode = kind == TALLY_KIND_REDUCE || kind == TALLY_KIND_RESULT || kind == TALLY_KIND_QUERY;
	uint16_t others = static_cast<uint16_t>(~(TALLY_TCH_F_EXCHANGE | TALLY_TCH_F_RING));

	if (!has_mode)
		return others;
	return others | (rng.one_in(2) ? +TALLY_TCH_F_EXCHANGE : +TALLY_TCH_F_RING);
}

/* Fills the header and returns the payload length of the header, which may be an invalid one. */
static size_t tch_fill(tally::Rng &rng, struct tally_tch *t, size_t data_len)
{
	uint32_t elem;

	rng.fill(t, sizeof(*t));
	t->tag = htobe32(TALLY_TCH_TAG);
	t->version = TALLY_WIRE_VERSION;
	t->contributor = rng.below(TALLY_CONTRIB_PARENT + 1);
	t->kind = data_len ? kinds[rng.below(3)] : kinds[rng.below(sizeof(kinds))];
	t->round = t->kind == TALLY_KIND_REDUCE ? rng.below(TALLY_MAX_ROUNDS + 1) : 0;
	t->op = rng.below(16);
	t->dtype = types[rng.below(sizeof(types))];
	t->opcode = rng.one_in(4) ? rng.below(256) : rng.below(20);
	t->flags &= htobe16(mode_flags(rng, t->kind));
	switch (t->kind) {
	case TALLY_KIND_REDUCE:
	case TALLY_KIND_RESULT:
	case TALLY_KIND_TRIGGER:
		elem = alu_elem_size(t->op, t->dtype);
		t->count = htobe32(elem ? data_len / elem : 0);
		return elem ? data_len / elem * elem : 0;
	case TALLY_KIND_ACK:
		return be16toh(t->flags) & TALLY_TCH_F_KILL_ACK ? 0 : sizeof(struct tally_tch_ack);
	case TALLY_KIND_OPEN:
		return sizeof(struct tally_tch_open);
	case TALLY_KIND_KILL:
		return sizeof(struct tally_tch_kill);
	default:
		return 0;
	}
}

static Frame build(tally::Rng &rng, const struct roce_hdr &h, const struct tally_tch &t, size_t len)
{
	std::vector<uint8_t> payload(len);
	struct frame *f;
	Frame made;

	rng.fill(payload.data(), len);
	f = roce_build(&h, &t, sizeof(t), payload.data(), len);
	CHECK(f, "the model builds no frame of %zu bytes", len);
	made.data.assign(f->data, f->data + f->len);
	frame_unref(f);
	return made;
}

Frame Frames::good(bool ip6, size_t data_len)
{
	struct roce_hdr h = header(rng_, *this, ip6);
	struct tally_tch t;
	size_t len = tch_fill(rng_, &t, data_len);

	if (edit && ip6)
		edit(h, t);
	return build(rng_, h, t, len);
}

Frame Frames::other(bool ip6)
{
	struct roce_hdr h = header(rng_, *this, ip6);
	struct tally_tch t;
	size_t len = tch_fill(rng_, &t, rng_.below(200));
	auto *bytes = reinterpret_cast<uint8_t *>(&t);

	switch (rng_.below(9)) {
	case 0:
		len = rng_.below(100);
		break;
	case 1:
		t.count = htobe32(be32toh(t.count) + rng_.below(3) - 1);
		if (rng_.one_in(2)) /* no opcode, whose lower bits are those of one */
			t.opcode |= 32 << rng_.below(3);
		break;
	case 2:
		t.count = htobe32(rng_.next());
		break;
	case 3:
		t.dtype = rng_.next();
		break;
	case 4:
		t.round = rng_.below(TALLY_MAX_ROUNDS + 3);
		t.contributor = rng_.one_in(2) ? TALLY_CONTRIB_PARENT + rng_.below(3) : rng_.below(TALLY_CONTRIB_PARENT);
		break;
	case 5:
		bytes[rng_.below(16)] ^= 1 << rng_.below(8);
		break;
	case 6:
		h.opcode ^= 1 << rng_.below(8);
		break;
	case 7:
		if (alu_elem_size(t.op, t.dtype))
			t.count = htobe32(TALLY_MAX_MTU / alu_elem_size(t.op, t.dtype) + rng_.below(3));
		break;
	default:
		h.dgid[15] ^= rng_.below(2);
		h.sgid[ip6 ? 0 : 15] = 0xff;
		h.dmac[rng_.below(6)] ^= rng_.one_in(4);
		break;
	}
	return build(rng_, h, t, len);
}

void Frames::mend(std::vector<uint8_t> &data)
{
	bool ip6 = data[ETH_TYPE] == ETH_TYPE_IPV6 >> 8;
	uint8_t *ip = &data[ETH_HEADER_BYTES];
	size_t ip_len = ip6 ? +IP6_BYTES : +IP4_BYTES, room = data.size() - ETH_HEADER_BYTES, udp_len;
	uint8_t *udp = ip + ip_len;
	uint32_t icrc;

	if (room < ip_len)
		return;
	if (!ip6) {
		put_be16(ip + IP4_CHECKSUM, 0);
		put_be16(ip + IP4_CHECKSUM, inet_fold(inet_sum(0, ip, IP4_BYTES)));
	}
	udp_len = ip6 ? get_be16(ip + IP6_PAYLOAD) : (uint16_t)(get_be16(ip + IP4_TOTAL) - IP4_BYTES);
	if (udp_len < UDP_BYTES || udp_len > room - ip_len)
		return;
	if (udp_len >= UDP_BYTES + BTH_BYTES + ICRC_BYTES) {
		icrc = htole32(roce_icrc(ip, ip_len, ip_len + udp_len - ICRC_BYTES));
		std::memcpy(udp + udp_len - ICRC_BYTES, &icrc, sizeof(icrc));
	}
	put_be16(udp + UDP_CHECKSUM, 0);
	put_be16(udp + UDP_CHECKSUM, inet_udp_checksum(ip + (ip6 ? +IP6_SRC : +IP4_SRC), ip6 ? 32 : 8, udp, udp_len));
}

/* Shortens a packet with consistent lengths, or sets its IP length to almost nothing. */
static void shorten(tally::Rng &rng, std::vector<uint8_t> &data, bool ip6)
{
	uint8_t *ip = &data[ETH_HEADER_BYTES], *udp = ip + (ip6 ? +IP6_BYTES : +IP4_BYTES);
	size_t udp_len = get_be16(udp + UDP_LENGTH);

	if (rng.one_in(8)) {
		put_be16(ip + (ip6 ? +IP6_PAYLOAD : +IP4_TOTAL), rng.below(2 * IP4_BYTES));
		Frames::mend(data);
		return;
	}
	udp_len = rng.below(2) ? rng.below(udp_len) : UDP_BYTES + BTH_BYTES + rng.below(10);
	put_be16(udp + UDP_LENGTH, udp_len);
	put_be16(ip + (ip6 ? +IP6_PAYLOAD : +IP4_TOTAL), udp_len + (ip6 ? 0 : +IP4_BYTES));
	udp[UDP_BYTES + BTH_FLAGS] = rng.below(4) << BTH_PAD_SHIFT;
	Frames::mend(data);
}

Frame Frames::mutated(bool ip6)
{
	Frame f = good(ip6, rng_.below(2) ? rng_.below(300) : 0);
	size_t head = f.data.size() < 140 ? f.data.size() : 140;

	switch (rng_.below(8)) {
	case 0:		/* a header byte */
		f.data[rng_.below(head)] ^= 1 << rng_.below(8);
		break;
	case 1:
		f.data[rng_.below(head)] = rng_.next();
		mend(f.data);
		break;
	case 2:		/* any byte */
		f.data[rng_.below(f.data.size())] ^= 1 << rng_.below(8);
		break;
	case 3:		/* truncated */
		f.data.resize(1 + rng_.below(f.data.size()));
		if (f.data.size() > ETH_HEADER_BYTES && rng_.below(2))
			mend(f.data);
		break;
	case 4:		/* padded, or with another IP length */
		f.data.resize(f.data.size() + rng_.below(200), 0xa5);
		if (rng_.below(2)) {
			f.data[ETH_HEADER_BYTES + (ip6 ? +IP6_PAYLOAD : +IP4_TOTAL) + 1] ^= 1 << rng_.below(8);
			mend(f.data);
		}
		break;
	case 5:		/* an IPv4-mapped IPv6 address, or nearly one */
		if (ip6) {
			uint8_t *gid = &f.data[ETH_HEADER_BYTES + (rng_.below(2) ? +IP6_SRC : +IP6_DST)];

			gid_from_ipv4(gid, gid);
			gid[rng_.below(GID_IPV4_AT)] ^= rng_.below(2) << rng_.below(8);
			mend(f.data);
		}
		break;
	case 6:
		shorten(rng_, f.data, ip6);
		break;
	default:	/* no UDP checksum, so only the ICRC protects the rest */
		f.mac_error = rng_.one_in(4);
		if (rng_.below(2))
			f.data[62 + rng_.below(f.data.size() - 62)] ^= 1 << rng_.below(8);
		put_be16(&f.data[ETH_HEADER_BYTES + (ip6 ? +IP6_BYTES : +IP4_BYTES) + UDP_CHECKSUM], 0);
		break;
	}
	return f;
}

Frame Frames::garbage()
{
	Frame f;
	size_t len = 1 + rng_.below(rng_.one_in(4) ? 400 : 80);

	f.data.resize(len);
	rng_.fill(f.data.data(), len);
	if (rng_.below(2))
		std::memcpy(f.data.data(), mac, len < 6 ? len : 6);
	if (len > 14 && rng_.below(2))
		put_be16(&f.data[ETH_TYPE], rng_.below(2) ? +ETH_TYPE_IPV4 : +ETH_TYPE_IPV6);
	return f;
}
