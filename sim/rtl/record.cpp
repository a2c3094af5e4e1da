// SPDX-License-Identifier: BSD-2-Clause
#include "rtl/record.h"

#include <cstring>

namespace tally {

namespace {

constexpr uint64_t ps_of_ms = 1000000000;

// Reads the fields of a packed structure, the first one from the highest bits.
class Reader {
public:
	Reader(const uint32_t *words, size_t bits) : words_(words), at_(bits) {}

	uint64_t number(unsigned int bits)
	{
		uint64_t value = 0;

		while (bits--) {
			at_--;
			value = value << 1 | (words_[at_ / 32] >> at_ % 32 & 1);
		}
		return value;
	}
	void bytes(uint8_t *to, size_t n)
	{
		while (n--)
			*to++ = number(8);
	}

private:
	const uint32_t *words_;
	size_t at_;
};

// Writes them. The words are zero before.
class Writer {
public:
	Writer(uint32_t *words, size_t bits) : words_(words), at_(bits) {}

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

} // namespace

Record read_record(const uint32_t *words, uint32_t admission, bool flies)
{
	Reader f(words, rx_bits);
	Record r = {};

	r.verdict = static_cast<enum tally_rx>(f.number(8));
	f.number(1);	// ip6: the GIDs tell
	f.bytes(r.hdr.dmac, 6);
	f.bytes(r.hdr.smac, 6);
	f.bytes(r.hdr.sgid, 16);
	f.bytes(r.hdr.dgid, 16);
	r.hdr.flow_label = f.number(20);
	r.hdr.traffic_class = f.number(8);
	r.hdr.hop_limit = f.number(8);
	r.hdr.udp_sport = f.number(16);
	r.hdr.se = f.number(1);
	r.hdr.migreq = f.number(1);
	r.hdr.pkey = f.number(16);
	r.hdr.fecn = f.number(1);
	r.hdr.becn = f.number(1);
	r.hdr.dest_qp = f.number(24);
	r.hdr.ackreq = f.number(1);
	r.hdr.psn = f.number(24);
	r.payload_len = f.number(13);
	f.bytes(r.tch, sizeof(r.tch));
	r.admission.verdict = static_cast<enum tally_fw_admission>(admission >> 24);
	r.admission.group = admission >> 8 & 0xffff;
	r.admission.edge = admission & 0xff;
	r.admission.answer.verdict = TALLY_FW_STORE_ANSWER_NONE;
	r.admission.numbered = flies || r.admission.verdict >= TALLY_FW_ADMISSION_DUPLICATE;
	r.hdr.opcode = TALLY_BTH_OPCODE_COLL;	// of every good packet
	r.hdr.ce = (r.hdr.traffic_class & ECN_MASK) == ECN_CE;
	return r;
}

struct engine_ack read_ack(const uint32_t *words)
{
	Reader f(words, ack_bits);
	struct engine_ack ack = {};

	ack.group = f.number(16);
	ack.edge = f.number(8);
	ack.top = f.number(32);
	ack.seen = f.number(64);
	return ack;
}

// What the completion of every request repeats comes first.
struct engine_request read_request(const uint32_t *words)
{
	Reader f(words, request_bits);
	struct engine_request r = {};
	struct wqe &w = r.w;

	r.status = static_cast<enum tally_coll_status>(f.number(16));
	w.opcode = f.number(8);
	w.flags = f.number(32);
	r.index = w.index = f.number(32);
	w.mid = f.number(32);
	w.rank_mask = f.number(64);
	w.count = f.number(32);
	w.op = f.number(8);
	w.dtype = f.number(8);
	w.mode = f.number(8);
	w.root_node = f.number(16);
	w.root_rank = f.number(8);
	w.counter = f.number(8);
	w.dest_counter = f.number(8);
	w.dest_port = f.number(16);
	w.branch = f.number(8);
	w.err_vector = f.number(16);
	w.cpcnt = f.number(7);
	w.total = f.number(32);
	w.elem = 1u << f.number(3);
	w.give = 1u << f.number(3);
	w.chunk = f.number(13);
	w.chunks = f.number(32);
	w.give_len = f.number(32);
	w.get_len = f.number(32);
	w.loc_index = f.number(32);
	w.node_mask = f.number(64);
	if (!is_triggered(w.opcode))	// those that are left out
		w.node_mask = ~w.node_mask;
	w.timeout = f.number(32) * ps_of_ms;
	w.seg_count = f.number(9);
	w.flag.addr = f.number(64);
	w.flag.lkey = f.number(32);
	w.flag.length = sizeof(w.flag_value);
	w.flag_value = f.number(32);
	w.inline_len = f.number(13);
	w.num_gather = f.number(7);
	w.num_result = f.number(7);
	return r;
}

void write_update(uint32_t *words, const struct engine_update &u)
{
	Writer f(words, update_bits);

	std::memset(words, 0, (update_bits + 31) / 32 * sizeof(*words));
	f.number(u.contributors, 64);
	f.number(u.refused, 1);
	f.number(u.status, 16);
	f.number(u.last, 1);
	f.number(u.num, 32);
	f.number(u.ranks, 7);
	f.number(0, 7);	// the model tells the end of each rank by itself
	f.number(u.err_vector, 16);
}

uint64_t end_word(const struct engine_end &x)
{
	return uint64_t(x.flag) << 37 | uint64_t(x.failed) << 36 | uint64_t(x.ranks) << 29 | uint64_t(x.bytes) << 16 | x.err_vector;
}

struct nic_region_access read_access(const uint32_t *words)
{
	Reader f(words, local_access_bits);
	struct nic_region_access a = {};

	f.number(1);	// none: such a one is not made
	a.write = f.number(1);
	a.pd = f.number(16);
	a.sge.lkey = f.number(32);
	a.sge.addr = f.number(64);
	a.sge.length = f.number(13);
	return a;
}

Answer read_answer(uint64_t bits)
{
	const uint32_t words[] = { static_cast<uint32_t>(bits), static_cast<uint32_t>(bits >> 32) };
	Reader f(words, answer_bits);
	Answer a = {};

	a.of = static_cast<Answer::Of>(f.number(2));
	a.flight = f.number(8);
	a.answer.verdict = static_cast<enum tally_fw_store_answer>(f.number(8));
	a.answer.status = f.number(16);
	a.answer.err_vector = f.number(16);
	a.slot = f.number(11);
	return a;
}

uint64_t write_command(enum tally_fw_store_command command, uint32_t group, uint32_t num)
{
	return static_cast<uint64_t>(command) << 48 | static_cast<uint64_t>(group) << 32 | num;
}

Moved read_moved(const uint32_t *words)
{
	Reader f(words, moved_bits);
	Moved m = {};

	m.ok = f.number(1);
	m.finished = f.number(1);
	m.ended = f.number(1);
	m.group = f.number(16);
	m.done = f.number(32);
	m.limit = f.number(32);
	return m;
}

struct engine_passage read_passage(const uint32_t *words)
{
	Reader f(words, passage_bits);
	struct engine_passage p = {};

	p.again = f.number(1);
	p.sum = f.number(1);
	p.group = f.number(16);
	p.edge = f.number(8);
	p.num = f.number(32);
	p.mid = f.number(32);
	return p;
}

struct engine_begun read_begun(const uint32_t *words)
{
	Reader f(words, begun_bits);
	struct engine_begun b = {};

	b.refused = f.number(1);
	b.here = f.number(1);
	b.status = b.answer.status = f.number(16);
	b.num = f.number(32);
	b.answer.verdict = static_cast<enum tally_fw_store_answer>(f.number(8));
	b.answer.err_vector = f.number(16);
	return b;
}

struct engine_sent read_sent(const uint32_t *words)
{
	Reader f(words, sent_bits);
	struct engine_sent sent = {};

	sent.group = f.number(16);
	sent.edge = f.number(8);
	sent.ref = f.number(16);
	sent.seq = f.number(32);
	return sent;
}

struct engine_expiry read_expiry(uint64_t word)
{
	struct engine_expiry x = {};

	x.group = word >> 18 & 0xffff;
	x.edge = word >> 10 & 0xff;
	x.tries = word >> 1 & 0x1ff;
	x.over = word & 1;
	return x;
}

uint64_t name_word(const struct engine_name &name)
{
	return 1ull << 41 | uint64_t(name.again) << 40 | uint64_t(name.group) << 24 | uint64_t(name.edge) << 16 | name.ref;
}

void write_header(uint32_t *words, const struct roce_hdr &hdr, const struct tally_tch &tch, size_t payload_len)
{
	Writer f(words, tx_bits);

	std::memset(words, 0, (tx_bits + 31) / 32 * sizeof(*words));
	f.bytes(hdr.dmac, 6);
	f.bytes(hdr.smac, 6);
	f.bytes(hdr.sgid, 16);
	f.bytes(hdr.dgid, 16);
	f.number(hdr.flow_label, 20);
	f.number(hdr.traffic_class, 8);
	f.number(hdr.hop_limit, 8);
	f.number(hdr.udp_sport, 16);
	f.number(hdr.se, 1);
	f.number(hdr.migreq, 1);
	f.number(hdr.pkey, 16);
	f.number(hdr.fecn, 1);
	f.number(hdr.becn, 1);
	f.number(hdr.dest_qp, 24);
	f.number(hdr.ackreq, 1);
	f.number(hdr.psn, 24);
	f.number(payload_len, 13);
	f.bytes(&tch, sizeof(tch));
}

} // namespace tally
