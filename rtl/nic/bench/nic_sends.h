// SPDX-License-Identifier: BSD-2-Clause
// Packets of the segment store in the bench of tally_nic. A node with a rank, a child and a parent sends sums and results,
// repeats what is not acknowledged, acknowledges, and tells its neighbours of its done, without a unit beyond the boundary. The
// benches of tally_store_unit and tally_send have the rest.
#ifndef TALLY_NIC_SENDS_H
#define TALLY_NIC_SENDS_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <endian.h>
#include <vector>

#include "Vdut.h"
#include "bench.h"
#include "encap_packets.h"
#include "nic_requests.h"
#include "rtl/axi_lite.h"
#include "rtl/record.h"

extern "C" {
#include "gen/tally_fw_hw.h"
#include "gen/tally_hw.h"
}

class Sends {
public:
	explicit Sends(tally::Bench<Vdut> &bench) : bench_(bench), dut_(*bench.dut) {}
	virtual ~Sends() = default;

	void run()
	{
		connect();
		for (uint32_t num = 0; num < 3; num++)
			chunk(num, num == 1);
		more();
		full_window_waits();
		freeze();
		next_epoch();
	}

protected:
	// What other units do in the group, and what is seen in each clock.
	virtual void more() {}
	virtual void watch() {}
	virtual bool has_child() const { return true; }

	// An epoch begins, and its requests are sent.
	void connect()
	{
		set_addresses();
		create();
		event(TALLY_FW_EV_BEGIN);
		if (has_child())
			open(child, parent);
		open(parent, has_child() ? child : parent);
		begin();
		requests_.begin_to_send(segs);
	}

	static constexpr uint32_t qp = 1, group = 3, place = 10, jid = 0x51, epoch = 9, segs = 4, mtu = 1024;
	static constexpr uint64_t clock_ps = 4000, rto = 4000000;
	static constexpr unsigned int headers = 14 + 40 + 8 + 12;	// IPv6
	static constexpr unsigned int walk_clocks = 100;	// of the edges of the group, with what leaves meanwhile
	static constexpr unsigned int longest = 6000, longest_stall = 100;	// clocks; the latter of a frame that comes

	struct Neighbour {
		unsigned int edge;
		uint8_t remote, last;	// this node's index there; the last byte of its addresses
		uint32_t key, peer_key, first, own_first;
	};
	static constexpr Neighbour child = { 0, TALLY_CONTRIB_PARENT, 0x11, 0xa1a2a3a4, 0xb1b2b3b4, 500, 0xfffffffe };
	static constexpr Neighbour parent = { TALLY_CONTRIB_PARENT, 4, 0x12, 0xc1c2c3c4, 0xd1d2d3d4, 0xffffffff, 70 };

	struct Seen {		// a packet that has left
		struct tally_tch tch;
		uint8_t to;	// the last byte of the address
		uint64_t at;	// the clock of its first word
		std::vector<uint8_t> payload;
	};

	tally::Bench<Vdut> &bench_;
	Vdut &dut_;
	uint8_t gid_[16] = { 0xfd, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
	uint8_t mac_[6] = { 2, 4, 6, 8, 10, 12 };
	std::vector<uint8_t> frame_;
	uint64_t frame_at_ = 0;
	std::deque<Seen> seen_;
	unsigned int left_ = 0, agains_ = 0, there_ = 0;
	uint64_t moved_at_ = 0;	// the clock in which done or limit did
	uint32_t done_ = 0, limit_ = 0, child_seq_ = child.first, parent_seq_ = parent.first;

	// ---- Registers ----

	void set(uint32_t reg, uint32_t value)
	{
		CHECK(tally::axil_write(dut_, reg, value, [this] { tick(); }), "register %x is refused", reg);
	}
	void set_group(size_t at, uint32_t value) { set(TALLY_FW_GROUP_BASE + group * TALLY_FW_GROUP_STRIDE + at, value); }
	void set_wide(size_t at, uint32_t value)
	{
		set_group(at, value);
		set_group(at + 4, 0);
	}
	void set_edge(const Neighbour &n, size_t at, uint32_t value)
	{
		set_group(TALLY_FW_EDGE_OFFSET + n.edge * TALLY_FW_EDGE_STRIDE + at, value);
	}
	void set_bytes(const uint8_t *bytes, size_t n, uint32_t reg)
	{
		for (size_t i = 0; i < n; i += 4) {
			uint32_t word = 0;

			std::memcpy(&word, bytes + i, n - i < 4 ? n - i : 4);
			set(reg + i, le32toh(word));
		}
	}
	void go(enum tally_fw_command_code code)
	{
		set(TALLY_FW_COMMAND_BASE + offsetof(struct tally_fw_command, go), code | group << 16);
	}

	void set_addresses()
	{
		set_bytes(mac_, sizeof(mac_), TALLY_FW_NET_BASE + offsetof(struct tally_fw_net, mac));
		set_bytes(gid_, sizeof(gid_), TALLY_FW_NET_BASE + offsetof(struct tally_fw_net, gid));
	}

#define GROUP(field, value) set_group(offsetof(struct tally_fw_group, field), value)
#define SETUP(field, value) set_group(TALLY_FW_SETUP_OFFSET + offsetof(struct tally_fw_setup, field), value)
#define EDGE(n, field, value) set_edge(n, offsetof(struct tally_fw_edge, field), value)
#define NEXT(n, field, value) set_edge(n, TALLY_FW_NEIGHBOUR_OFFSET + offsetof(struct tally_fw_neighbour, field), value)
	void create()
	{
		set_wide(offsetof(struct tally_fw_group, rto), rto);
		set_wide(offsetof(struct tally_fw_group, max_backoff), 4 * rto);
		set_wide(offsetof(struct tally_fw_group, rank_mask), 1);
		set_wide(offsetof(struct tally_fw_group, children), has_child());
		set_wide(offsetof(struct tally_fw_group, combined), has_child());
		set_wide(offsetof(struct tally_fw_group, peers), 0);
		set_wide(offsetof(struct tally_fw_group, exchange_ins), 0);
		GROUP(retry_limit, 7);
		GROUP(flags, 0);
		GROUP(parent, TALLY_CONTRIB_PARENT);
		GROUP(epoch, epoch);
		GROUP(group_key, 0);
		GROUP(destroyed, 0);
		GROUP(modes, TALLY_MODES_TREE);
		GROUP(mtu, mtu);
		GROUP(node, 1);
		GROUP(num_nodes, 3);
		GROUP(total_ranks, 3);
		GROUP(num_segs, segs);
		GROUP(num_edges, has_child());
		SETUP(jid, jid);
		SETUP(max_segs, segs);
		SETUP(segs_inverse, divisor_of(segs).inverse);
		SETUP(segs_shift, divisor_of(segs).shift);
		SETUP(mode, TALLY_MODE_TREE);
		for (uint32_t k = 0; k < 8; k++)
			set_group(TALLY_FW_SETUP_OFFSET + offsetof(struct tally_fw_setup, choice_modes) + 4 * k, 0);
		GROUP(chunk, 0);
		GROUP(state, TALLY_GROUP_OPEN);
		EDGE(child, subtree_first, 2);
		EDGE(child, subtree_count, 1);
		go(TALLY_FW_CMD_CREATE);
		GROUP(epoch, epoch);
	}

	// Writes of another edge come in between, so the rows of two edges take turns.
	void open(const Neighbour &n, const Neighbour &other)
	{
		uint8_t gid[16], mac[6];

		std::memcpy(gid, gid_, sizeof(gid));
		std::memcpy(mac, mac_, sizeof(mac));
		gid[15] = mac[5] = n.last;
		EDGE(n, own_first_seq, n.own_first);
		EDGE(n, key, n.key);
		EDGE(n, first_seq, n.first);
		set_bytes(gid, sizeof(gid), edge_reg(n) + TALLY_FW_NEIGHBOUR_OFFSET + offsetof(struct tally_fw_neighbour, gid));
		set_bytes(mac, sizeof(mac), edge_reg(n) + TALLY_FW_NEIGHBOUR_OFFSET + offsetof(struct tally_fw_neighbour, mac));
		EDGE(other, key, other.key);
		NEXT(n, remote_index, n.remote);
		NEXT(n, round, 0);
		EDGE(n, peer_key, n.peer_key);
		EDGE(other, key, other.key);
		EDGE(n, first_limit, segs);
		EDGE(other, key, other.key);
		EDGE(n, state, TALLY_EDGE_OPEN);
		EDGE(other, key, other.key);
		EDGE(n, unconfirmed, 0);
	}
	static uint32_t edge_reg(const Neighbour &n)
	{
		return TALLY_FW_GROUP_BASE + group * TALLY_FW_GROUP_STRIDE + TALLY_FW_EDGE_OFFSET + n.edge * TALLY_FW_EDGE_STRIDE;
	}

	// ---- The clock ----

	void tick()
	{
		dut_.now_i += clock_ps;
		serve_memory();
		dut_.rec_ready_i = dut_.pay_tready_i = dut_.acked_ready_i = dut_.again_ready_i = dut_.expired_ready_i = 1;
		dut_.tx_tready_i = !blocked_;
		bench_.settle();
		see_memory();
		CHECK(!dut_.freeze_valid_o || (ends_ && dut_.freeze_group_o == group), "group %d is frozen", dut_.freeze_group_o);
		freezes_ += dut_.freeze_valid_o;
		CHECK(!dut_.ack_valid_o && (others_ || (!dut_.acked_valid_o && !dut_.again_valid_o)), "a packet of the store crosses the boundary");
		watch();
		if (dut_.tx_tvalid_o && dut_.tx_tready_i)
			leaving();
		if (dut_.left_valid_o)
			passage(tally::read_passage(&dut_.left_o[0]), left_);
		if (dut_.there_valid_o)
			passage(tally::read_passage(&dut_.there_o[0]), there_);
		if (dut_.moved_valid_o) {
			const tally::Moved m = tally::read_moved(&dut_.moved_o[0]);

			CHECK(m.ok, "the store refuses a command");
			done_ = m.done;
			limit_ = m.limit;
			moved_at_ = bench_.cycle();
		}
		const bool takes = dut_.hdr_valid_i && dut_.hdr_ready_o;

		bench_.tick();
		if (takes)
			dut_.hdr_valid_i = 0;
		taken_ += takes;
		dut_.tx_tready_i = dut_.rec_ready_i = dut_.pay_tready_i = dut_.acked_ready_i = dut_.again_ready_i = dut_.expired_ready_i = 0;
		dut_.dma_awready_i = dut_.dma_wready_i = dut_.dma_arready_i = dut_.dma_bvalid_i = dut_.dma_rvalid_i = 0;
	}

	// ---- The memory of the rank, to which results are written ----

	static constexpr uint64_t page = 0x2345678000;	// of which all memory consists: lists of regions, and data, of which one
	static constexpr uint64_t in_memory = page >> 8;	// begins at the second byte of a page's address

	void serve_memory()
	{
		dut_.dma_awready_i = dut_.dma_wready_i = dut_.dma_arready_i = 1;
		dut_.dma_rvalid_i = !reads_.empty();
		dut_.dma_rresp_i = 0;
		if (!reads_.empty())
			dut_.dma_rid_i = reads_.front();
		for (unsigned int k = 0; k < word_bytes / sizeof(page); k++)
			std::memcpy(reinterpret_cast<uint8_t *>(&dut_.dma_rdata_i) + k * sizeof(page), &page, sizeof(page));
		dut_.dma_bvalid_i = !written_.empty();
		dut_.dma_bresp_i = 0;
		if (!written_.empty())
			dut_.dma_bid_i = written_.front();
	}

	void see_memory()
	{
		if (dut_.dma_bvalid_i && dut_.dma_bready_o)
			written_.pop_front();
		if (dut_.dma_rvalid_i && dut_.dma_rready_o)
			reads_.pop_front();
		if (dut_.dma_arvalid_o)
			reads_.push_back(dut_.dma_arid_o);
		if (dut_.dma_awvalid_o)
			writes_.push_back(dut_.dma_awid_o);
		if (!dut_.dma_wvalid_o)
			return;
		const int len = __builtin_popcountll(dut_.dma_wstrb_o);

		CHECK(!writes_.empty() && dut_.dma_wlast_o && (len == 8 || len == sizeof(struct tally_cqe)), "a write of %d bytes", len);
		written_.push_back(writes_.front());
		writes_.pop_front();
		if (len != 8) {
			completions_++;
			return;
		}
		std::memcpy(&result_, bytes(dut_.dma_wdata_o) + __builtin_ctzll(dut_.dma_wstrb_o), sizeof(result_));
		results_++;
	}

	template <typename Data> static const uint8_t *bytes(const Data &data) { return reinterpret_cast<const uint8_t *>(&data); }

	void passage(const struct engine_passage &p, unsigned int &count)
	{
		CHECK(p.group == group && p.edge == (p.sum ? parent.edge : child.edge), "a passage to edge %u of group %u", p.edge, p.group);
		agains_ += p.again;
		count += !p.again;
	}

	void leaving()
	{
		if (frame_.empty())
			frame_at_ = bench_.cycle();
		for (unsigned int k = 0; k < word_bytes && dut_.tx_tkeep_o >> k & 1; k++)
			frame_.push_back(bytes(dut_.tx_tdata_o)[k]);
		if (!dut_.tx_tlast_o)
			return;
		Seen s;

		CHECK(frame_.size() >= headers + sizeof(s.tch) + 4, "a frame of %zu bytes leaves", frame_.size());
		s.to = frame_[5];
		s.at = frame_at_;
		std::memcpy(&s.tch, &frame_[headers], sizeof(s.tch));
		CHECK(s.tch.kind == TALLY_KIND_TRIGGER || (!std::memcmp(&frame_[6], mac_, sizeof(mac_)) && frame_[14 + 39] == s.to),
		      "addresses of a frame");
		s.payload.assign(frame_.begin() + headers + sizeof(s.tch), frame_.end() - 4);
		frame_.clear();
		seen_.push_back(s);
	}

	template <typename What> void until(What what, const char *text)
	{
		for (unsigned int clocks = 0; !what(); clocks++) {
			CHECK(clocks < longest, "no %s", text);
			tick();
		}
	}

	// The next packet of a kind that leaves for a neighbour.
	Seen next(uint8_t kind, const Neighbour &n)
	{
		auto is_it = [&](const Seen &s) { return s.tch.kind == kind && s.to == n.last; };
		auto found = [&] { return std::find_if(seen_.begin(), seen_.end(), is_it); };

		until([&] { return found() != seen_.end(); }, "packet leaves");
		Seen s = *found();

		seen_.erase(found());
		CHECK(be32toh(s.tch.key) == n.peer_key && s.tch.contributor == n.remote && be32toh(s.tch.jid) == jid &&
			      be32toh(s.tch.epoch) == epoch,
		      "a packet for another edge leaves");
		CHECK(be32toh(s.tch.done) <= done_ && be16toh(s.tch.limit) <= segs, "done %u, limit %u", be32toh(s.tch.done),
		      be16toh(s.tch.limit));
		return s;
	}

	// ---- Packets that come, operations and commands ----

	Packet packet(const Neighbour &from, uint8_t kind, uint32_t seq, uint32_t done, const std::vector<uint8_t> &payload)
	{
		Packet p = {};

		std::memcpy(p.h.dmac, mac_, sizeof(mac_));
		std::memcpy(p.h.smac, mac_, sizeof(mac_));
		std::memcpy(p.h.dgid, gid_, sizeof(gid_));
		std::memcpy(p.h.sgid, gid_, sizeof(gid_));
		p.h.smac[5] = p.h.sgid[15] = from.last;
		p.h.hop_limit = TALLY_FW_HOP_LIMIT;
		p.h.udp_sport = 0xc001;
		p.h.opcode = TALLY_BTH_OPCODE_COLL;
		p.h.pkey = TALLY_FW_PKEY;
		p.tch.tag = htobe32(TALLY_TCH_TAG);
		p.tch.version = TALLY_WIRE_VERSION;
		p.tch.kind = kind;
		p.tch.contributor = from.edge;
		p.tch.jid = htobe32(jid);
		p.tch.epoch = htobe32(epoch);
		p.tch.key = htobe32(from.key);
		p.tch.edge_seq = htobe32(seq);
		p.tch.done = htobe32(done);
		p.tch.limit = htobe16(segs);
		p.body = payload;
		p.len = payload.size();
		return p;
	}

	void arrive(const Neighbour &from, uint8_t kind, uint32_t seq, uint32_t num, const std::vector<uint8_t> &payload,
		    uint8_t op = TALLY_OP_SUM)
	{
		Packet p = packet(from, kind, seq, num, payload);

		if (kind == TALLY_KIND_REDUCE || kind == TALLY_KIND_RESULT) {
			p.tch.opcode = TALLY_OPCODE_ALLREDUCE;
			p.tch.op = op;
			p.tch.dtype = TALLY_TYPE_INT64;
			p.tch.flags = htobe16(TALLY_TCH_F_LAST);
			p.tch.num = p.tch.mid = htobe32(num);
			p.tch.total = p.tch.count = htobe32(1);
		}
		enter(built(p));
	}

	void enter(const Bytes &frame)
	{
		unsigned int stalls = 0;

		for (size_t at = 0; at < frame.size();) {
			size_t n = std::min<size_t>(word_bytes, frame.size() - at);

			dut_.rx_tvalid_i = 1;
			std::memcpy(&dut_.rx_tdata_i, &frame[at], n);
			dut_.rx_tkeep_i = all >> (word_bytes - n);
			dut_.rx_tlast_i = at + n == frame.size();
			dut_.rx_terror_i = 0;
			bench_.settle();
			at += dut_.rx_tready_o ? n : 0;
			stalls += !dut_.rx_tready_o;
			CHECK(stalls < longest_stall, "a frame is not taken");
			tick();
		}
		dut_.rx_tvalid_i = 0;
	}

	void acknowledge(const Neighbour &from, uint32_t top)
	{
		arrive(from, TALLY_KIND_ACK, top, 0, std::vector<uint8_t>(8, 0xff));
	}

	void command(enum tally_fw_store_command code)
	{
		dut_.cmd_valid_i = 1;
		dut_.cmd_i = tally::write_command(code, group, 0);
		until([this] { bench_.settle(); return bool(dut_.cmd_ready_o); }, "command is taken");
		tick();
		dut_.cmd_valid_i = 0;
		until([this] { bench_.settle(); return bool(dut_.idle_o); }, "command is carried out");
	}

	void set_pool(size_t at, uint32_t value) { set(TALLY_FW_POOL_BASE + at, value); }

	// Its segments are set aside before the write is done; the store tells of the last one some clocks later.
	void begin()
	{
		set_pool(offsetof(struct tally_fw_pool, num), segs);
		set_pool(offsetof(struct tally_fw_pool, max), segs);
		set_pool(offsetof(struct tally_fw_pool, go), TALLY_FW_POOL_JOIN | group << 16);
		set_pool(offsetof(struct tally_fw_pool, go), TALLY_FW_POOL_BEGIN | group << 16);
		until([this] { bench_.settle(); return bool(dut_.idle_o); }, "epoch has begun");
		CHECK(limit_ == segs, "the limit is %u", limit_);
	}

	static uint64_t own(uint32_t num) { return num == 3 ? 1 : 5 + num; }	// the rank's value of a chunk

	// The rank posts a chunk, which the sender begins.
	void post(uint32_t num) { begins(num, requests_.give(num, value(own(num)))); }
	void begins(uint32_t num, unsigned int entry)
	{
		until([this] { bench_.settle(); return bool(dut_.began_valid_o); }, "chunk begins");
		const struct engine_begun b = tally::read_begun(&dut_.began_o[0]);

		CHECK(dut_.began_qp_o == qp && dut_.began_entry_o == entry, "entry %u of queue pair %u begins", dut_.began_entry_o, dut_.began_qp_o);
		CHECK(b.here && !b.refused && b.num == num && b.answer.verdict == TALLY_FW_STORE_ANSWER_STORED, "chunk %u begins, answer %d", b.num,
		      b.answer.verdict);
	}

	// ---- A chunk: its sum goes up, its result comes down ----

	static std::vector<uint8_t> value(uint64_t v)
	{
		std::vector<uint8_t> b(8);

		v = htole64(v);
		std::memcpy(b.data(), &v, 8);
		return b;
	}

	void leaves(uint8_t kind, const Neighbour &to, uint32_t num, uint32_t seq, uint64_t v)
	{
		Seen s = next(kind, to);

		CHECK(be32toh(s.tch.num) == num && be32toh(s.tch.mid) == num && be32toh(s.tch.edge_seq) == seq &&
			      be32toh(s.tch.count) == 1 && s.tch.opcode == TALLY_OPCODE_ALLREDUCE && s.tch.dtype == TALLY_TYPE_INT64 &&
			      be16toh(s.tch.flags) == TALLY_TCH_F_LAST,
		      "another chunk leaves: %u with number %x, not %x", be32toh(s.tch.num), be32toh(s.tch.edge_seq), seq);
		CHECK(s.payload == value(v), "chunk %u leaves with other words", num);
	}

	// What is told of in the acknowledgement that this node sends.
	void acknowledges(const Neighbour &n, uint32_t seq)
	{
		Seen s;

		do
			s = next(TALLY_KIND_ACK, n);
		while (be32toh(s.tch.edge_seq) != seq);
		CHECK(s.payload.size() == 8 && s.payload[7] & 1, "number %x is not acknowledged", seq);
	}

	// Done and limit reach both neighbours, by a packet of their own once the delay is over in which another one might leave.
	void notifies(uint32_t free)
	{
		until([&] { return limit_ - done_ == free; }, "segment is free");
		for (const Neighbour *n : { &child, &parent }) {
			const uint64_t due = moved_at_ + 1000 * TALLY_FW_ANNOUNCE_DELAY / clock_ps + walk_clocks;

			until([&] { return bench_.cycle() > due || told(*n); }, "neighbour is told");
			CHECK(told(*n), "the neighbour at %x is not told that %u chunks are done", n->last, done_);
		}
	}
	bool told(const Neighbour &n) const
	{
		return std::any_of(seen_.begin(), seen_.end(), [&](const Seen &s) {
			return s.to == n.last && be32toh(s.tch.done) == done_ && be16toh(s.tch.limit) == limit_ - done_;
		});
	}

	void chunk(uint32_t num, bool lossy)
	{
		pass_chunk(num, lossy);
		notifies(segs);
	}

	void pass_chunk(uint32_t num, bool lossy)
	{
		const unsigned int left = left_, there = there_, agains = agains_;

		post(num);
		arrive(child, TALLY_KIND_REDUCE, child_seq_, num, value(100));
		leaves(TALLY_KIND_REDUCE, parent, num, parent_own(num), 105 + num);
		if (lossy)
			leaves(TALLY_KIND_REDUCE, parent, num, parent_own(num), 105 + num);
		else
			acknowledges(child, child_seq_);
		acknowledge(parent, parent_own(num));
		arrive(parent, TALLY_KIND_RESULT, parent_seq_, num, value(1000 + num));
		leaves(TALLY_KIND_RESULT, child, num, child.own_first + num, 1000 + num);
		acknowledge(child, child.own_first + num);
		until([&] { return there_ == there + 2; }, "acknowledgement is told");
		CHECK(left_ == left + 2 && (agains_ > agains) == lossy, "%u packets have left, and %u again", left_ - left, agains_ - agains);
		until([&] { return done_ == num + 1; }, "chunk is done");
		CHECK(results_ == num + 1 && le64toh(result_) == 1000 + num, "the rank gets %llu", static_cast<unsigned long long>(le64toh(result_)));
		child_seq_++;
		parent_seq_++;
	}

	// ---- Packets of other units on the same edge, and the end ----

	void offer_other(const Neighbour &to)
	{
		Packet p = {};

		std::memcpy(p.h.sgid, gid_, sizeof(gid_));
		std::memcpy(p.h.dgid, gid_, sizeof(gid_));
		p.tch.kind = TALLY_KIND_TRIGGER;
		record(p).get(dut_.hdr_i);
		dut_.name_i = 1ull << 41 | uint64_t(group) << 24 | uint64_t(to.edge) << 16 | 7;
		dut_.hdr_valid_i = 1;
	}

	// A packet for which the window is full waits, and leaves when something is acknowledged.
	void full_window_waits()
	{
		others_ = true;
		for (unsigned int n = 1; n <= TALLY_EDGE_WINDOW; n++) {
			offer_other(child);
			until([&] { return taken_ == n; }, "packet of another unit leaves");
		}
		offer_other(child);
		for (unsigned int clocks = 0; clocks < longest / 4; clocks++)
			tick();
		CHECK(taken_ == TALLY_EDGE_WINDOW, "a packet is taken while the window is full");
		acknowledge(child, child.own_first + 3 + messages_);
		until([this] { return taken_ == TALLY_EDGE_WINDOW + 1; }, "packet leaves a window with room");
	}

	// ---- What ends an epoch, and the events of groups ----

	uint32_t read_event(size_t at)
	{
		const auto value = tally::axil_read(dut_, TALLY_FW_EVENT_BASE + at, [this] { tick(); });

		CHECK(value, "a register of an event is refused");
		return *value;
	}
	uint64_t read_wide(size_t at) { return read_event(at) | uint64_t(read_event(at + 4)) << 32; }

	void event(enum tally_fw_event_type type)
	{
		const uint32_t value = read_event(offsetof(struct tally_fw_event, next));

		CHECK(value == (type == TALLY_FW_EV_NONE ? 0 : type | TALLY_FW_NO_EDGE << 8 | group << 16),
		      "event %x is read, not one of type %u", value, type);
	}

#define EVENT(field) read_event(offsetof(struct tally_fw_event, field))
	void exception(enum tally_fw_cause cause, uint32_t status, uint32_t mid, uint32_t sid, uint64_t contributors, uint64_t ranks)
	{
		event(TALLY_FW_EV_EXCEPTION);
		CHECK(EVENT(cause) == cause && EVENT(status) == status && EVENT(mid) == mid && EVENT(sid) == sid,
		      "an exception has cause %u, status %u, message %x, chunk %x", EVENT(cause), EVENT(status), EVENT(mid), EVENT(sid));
		CHECK(read_wide(offsetof(struct tally_fw_event, contributors)) == contributors &&
			      read_wide(offsetof(struct tally_fw_event, ranks)) == ranks,
		      "an exception names others");
	}
#undef EVENT

	// A unit beyond the boundary has an exception, or a group has drained.
	template <typename Ready> void offer(CData &valid, const Ready &ready)
	{
		dut_.exc_group_i = dut_.drained_group_i = group;
		dut_.exc_cause_i = TALLY_FW_CAUSE_SILENCE;
		dut_.exc_status_i = 0x1234;
		dut_.exc_mid_i = 0x89abcdef;
		dut_.exc_sid_i = 0x76543210;
		dut_.exc_contributors_i = 0x8000000000000001;
		dut_.exc_ranks_i = 0x4000000000000002;
		valid = 1;
		until([&] { bench_.settle(); return bool(ready); }, "exception is taken");
		tick();
		valid = 0;
		until([this] { bench_.settle(); return bool(dut_.idle_o); }, "rest");
	}

	// The child sends a second sum of the chunk, of another operation. What follows from it does not count.
	void disagree()
	{
		ends_ = true;
		arrive(child, TALLY_KIND_REDUCE, child_seq_ + 1, 3, value(1), TALLY_OP_MAX);
		until([this] { return freezes_ == 1; }, "group is frozen");
		offer(dut_.exc_valid_i, dut_.exc_ready_o);
		offer(dut_.drained_valid_i, dut_.drained_ready_o);
		CHECK(dut_.fw_wait_o, "an exception does not wait for the firmware");
		exception(TALLY_FW_CAUSE_KNOWN, TALLY_COLL_OP_MISMATCH, 3, 0, 1, 0);
		event(TALLY_FW_EV_NONE);
	}

	// The firmware ends the epoch, and the next one begins, which drains, and ends.
	void begin_again()
	{
		go(TALLY_FW_CMD_FENCE);
		until([this] { bench_.settle(); return bool(dut_.fw_wait_o); }, "group is fenced");
		event(TALLY_FW_EV_FENCED);
		offer(dut_.exc_valid_i, dut_.exc_ready_o);
		event(TALLY_FW_EV_NONE);
		go(TALLY_FW_CMD_BEGIN);
		event(TALLY_FW_EV_BEGIN);
		offer(dut_.drained_valid_i, dut_.drained_ready_o);
		event(TALLY_FW_EV_DRAINED);
		offer(dut_.exc_valid_i, dut_.exc_ready_o);
		exception(TALLY_FW_CAUSE_SILENCE, 0x1234, 0x89abcdef, 0x76543210, 0x8000000000000001, 0x4000000000000002);
		event(TALLY_FW_EV_NONE);
		CHECK(freezes_ == 2, "the group is frozen %u times", freezes_);
	}

	// What is due, or not acknowledged, is forgotten.
	void freeze()
	{
		arrive(child, TALLY_KIND_REDUCE, child_seq_, 3, value(1));
		post(3);
		until([this] { return left_ == 7; }, "sum leaves");
		disagree();
		go(TALLY_FW_CMD_FREEZE);
		set_pool(offsetof(struct tally_fw_pool, go), TALLY_FW_POOL_END | group << 16);
		command(TALLY_FW_STORE_CMD_END);
		CHECK(done_ == limit_, "segments are left: %u, %u", done_, limit_);
		until([this] { bench_.settle(); return bool(dut_.idle_o); }, "rest");
		seen_.clear();
		for (unsigned int clocks = 0; clocks < longest; clocks++)
			tick();
		CHECK(seen_.empty() && !dut_.deadline_valid_o, "something leaves after the end");
		begin_again();
	}

	// All segments are given back. The edges begin anew, so numbers and done do, too; nobody is told what an OPEN has told.
	void next_epoch()
	{
		set_pool(offsetof(struct tally_fw_pool, go), TALLY_FW_POOL_BEGIN | group << 16);
		until([this] { bench_.settle(); return bool(dut_.idle_o); }, "epoch has begun");
		CHECK(!done_ && limit_ == segs, "the limit is %u", limit_);
		seen_.clear();
		open(child, parent);
		open(parent, child);
		for (unsigned int clocks = 0; clocks < longest / 4; clocks++)
			tick();
		CHECK(seen_.empty(), "a packet of kind %d leaves a new epoch", seen_.front().tch.kind);
		requests_.begin_next_epoch();
		others_ = ends_ = false;
		child_seq_ = child.first;
		parent_seq_ = parent.first;
		results_ = 0;
		chunk(0, false);
		for (uint32_t num = 1; num <= rivals; num++)
			two_ask(num);
		from_memory(rivals + 1);
		last_chunk(rivals + 2);
	}

	// The sum of what the rank has posted goes up, and its result comes down, before which `amid` happens.
	template <typename Amid> void up_and_down(uint32_t num, uint64_t own, Amid amid)
	{
		arrive(child, TALLY_KIND_REDUCE, child_seq_++, num, value(100));
		leaves(TALLY_KIND_REDUCE, parent, num, parent_own(num), 100 + own);
		acknowledge(parent, parent_own(num));
		arrive(parent, TALLY_KIND_RESULT, parent_seq_++, num, value(1000 + num));
		amid();
		leaves(TALLY_KIND_RESULT, child, num, child.own_first + num, 1000 + num);
		acknowledge(child, child.own_first + num);
		until([&] { return done_ == num + 1; }, "chunk is done");
	}

	// A packet of another unit asks for a number of the parent's edge at about the time at which the result does of the child's.
	void two_ask(uint32_t num)
	{
		post(num);
		up_and_down(num, own(num), [&] {
			for (uint32_t clocks = 0; clocks < first_ask + 3 * num; clocks++)
				tick();
			others_ = true;
			offer_other(parent);
		});
		until([this] { return !dut_.hdr_valid_i; }, "packet of another unit leaves");
		acknowledge(parent, parent_own(num) + 1);
		parent_others_++;
	}

	// The value comes from memory long after the post, whose answer the sender must not miss.
	void from_memory(uint32_t num)
	{
		begins(num, requests_.give_from_memory(num));
		up_and_down(num, in_memory, [] {});
	}

	// The limit does not rise any more, but neighbours learn that the chunk is done.
	void last_chunk(uint32_t num)
	{
		set_pool(offsetof(struct tally_fw_pool, go), TALLY_FW_POOL_END | group << 16);
		pass_chunk(num, false);
		notifies(segs - 1);
	}

	Requests requests_{ bench_, qp, group, jid, place, [this] { tick(); } };
	std::deque<unsigned int> reads_, writes_, written_;	// IDs without an answer; of writes_, without a word
	uint64_t result_ = 0;
	unsigned int results_ = 0, completions_ = 0;
	static constexpr uint32_t first_ask = 12, rivals = 12;	// clocks, and packets that ask together with another one
	uint32_t parent_others_ = 0;	// numbers of the parent's edge that others have
	uint32_t parent_own(uint32_t num) const { return parent.own_first + parent_others_ + num; }
	bool others_ = false;	// other units have packets on the edges,
	unsigned int taken_ = 0;	// of which so many have been taken
	unsigned int messages_ = 0;	// that the child has of this node
	bool blocked_ = false;		// the MAC takes no frame
	bool ends_ = false;		// the epoch does
	unsigned int freezes_ = 0;
};

#endif
