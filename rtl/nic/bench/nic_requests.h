// SPDX-License-Identifier: BSD-2-Clause
// Requests in the bench of tally_nic: some that are pushed, with accesses that are permitted and refused, and one that cannot be
// read. Each begins, ends and is completed, as is one of the engine. The benches of tally_requests and tally_status have the rest.
#ifndef TALLY_NIC_REQUESTS_H
#define TALLY_NIC_REQUESTS_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <endian.h>
#include <functional>
#include <vector>

#include "Vdut.h"
#include "bench.h"
#include "nic_access.h"
#include "rtl/axi_lite.h"
#include "rtl/record.h"

extern "C" {
#include "engine/divide.h"
#include "gen/tally_fw_hw.h"
#include "gen/tally_hw.h"
#include "tally-push.h"
}

class Requests {
public:
	explicit Requests(tally::Bench<Vdut> &bench) : bench_(bench), dut_(*bench.dut), tick_([this] { bench_.tick(); }) {}
	// Those of another queue pair, in a group that there is, for a bench that counts clocks by itself.
	Requests(tally::Bench<Vdut> &bench, uint32_t qp, uint32_t group, uint32_t jid, uint32_t place, std::function<void()> tick)
		: bench_(bench), dut_(*bench.dut), tick_(tick), qp(qp), group(group), jid(jid), place(place) {}

	// The sender begins its requests, in an epoch of the group that has begun in the store.
	void begin_to_send(uint32_t max_segs)
	{
		begin_cq();
		begin_queue_pair();
		set_sender(offsetof(struct tally_fw_sender, next), TALLY_FW_NO_QP);
		set_sender(offsetof(struct tally_fw_sender, go), TALLY_FW_SENDER_NEXT_QP | qp << 16);
		set_sender(offsetof(struct tally_fw_sender, next), qp);
		set_sender(offsetof(struct tally_fw_sender, go), TALLY_FW_SENDER_FIRST_QP | group << 16);
		know(TALLY_FW_SENDER_F_BEGINS | TALLY_FW_SENDER_F_ALONE, 1);
		set_sender(offsetof(struct tally_fw_sender, max_segs), max_segs);
		set_sender(offsetof(struct tally_fw_sender, go), TALLY_FW_SENDER_BEGIN_EPOCH | group << 16);
	}

	// They were forgotten with the epoch, and the next one begins.
	void begin_next_epoch()
	{
		begin_again();
		know(TALLY_FW_SENDER_F_BEGINS | TALLY_FW_SENDER_F_ALONE, 1);
		set_sender(offsetof(struct tally_fw_sender, go), TALLY_FW_SENDER_BEGIN_EPOCH | group << 16);
	}

	// Posts an integer for a sum, without a completion unless @flags say so. Returns the entry of the request.
	unsigned int give(uint32_t mid, const std::vector<uint8_t> &value, uint32_t flags = 0)
	{
		Entry e = allreduce(mid, Accesses::last_bytes(length));

		e.w.flags = htole32(TALLY_WQE_F_INLINE | flags);
		std::memcpy(e.data, value.data(), length);
		push(e);
		return place * TALLY_REQUEST_STEP + (posted_ - 1) % TALLY_REQUEST_STEP;
	}

	// Posts an integer that is read from memory, to where its sum is written, behind the answer to the post. Returns the entry of
	// the request.
	unsigned int give_from_memory(uint32_t mid)
	{
		Entry e = allreduce(mid, Accesses::last_bytes(length));

		know(TALLY_FW_SENDER_F_BEGINS);
		e.w.flags = e.w.inline_len = 0;
		e.w.num_gather = 1;
		std::memcpy(e.data, &e.result, sizeof(e.result));
		push(e);
		return place * TALLY_REQUEST_STEP + (posted_ - 1) % TALLY_REQUEST_STEP;
	}

	// Posts a request that is not completed, with what is behind its fixed part. Returns its entry.
	unsigned int post(const struct tally_wqe &w, const void *tail, size_t len)
	{
		Entry e = {};

		e.w = w;
		e.w.index = htole32(posted_);
		e.w.jid = htole32(jid);
		e.w.rank_mask = htole64(1);
		std::memcpy(reinterpret_cast<uint8_t *>(&e) + offsetof(Entry, data), tail, len);
		push(e);
		return place * TALLY_REQUEST_STEP + (posted_ - 1) % TALLY_REQUEST_STEP;
	}

	static void idle_inputs(Vdut &dut)
	{
		dut.push_awvalid_i = dut.push_wvalid_i = dut.upd_valid_i = dut.fin_valid_i = 0;
		dut.push_bready_i = dut.fail_ready_i = 1;
		dut.done_go_i = dut.rung_i = 0;
	}

	void run()
	{
		CHECK(Accesses(bench_).enter(), "a region is refused");
		begin_group();
		begin_cq();
		begin_queue_pair();
		know(0);
		push(barrier(77));
		take(TALLY_COLL_OK, 77);
		write_a_part();
		complete_of_engine();
		push(allreduce(78, Accesses::last_bytes(length)));
		take(TALLY_COLL_OK, 78);
		be_in_domain(Accesses::pd ^ 1);
		push(allreduce(79, Accesses::last_bytes(length)));
		take(TALLY_COLL_BAD_LKEY, 79);
		be_in_domain(Accesses::pd);
		begin_again();
		push(allreduce(80, beyond()));
		take(TALLY_COLL_MR_RANGE, 80);
		begin_again();
		push(barrier(81));
		take(TALLY_COLL_OK, 81);
		fail_to_read();
	}

private:
	static constexpr uint32_t uar = 1, slot = 5, memory = 0x10000;
	static constexpr uint32_t length = 8;	// of the data of a request
	static constexpr uint32_t cqn = 6, segs = 4, log_ring = 6;
	static constexpr uint64_t ring_at = 0x654321000;
	static constexpr unsigned int word_bytes = 64;

	struct Entry {
		struct tally_wqe w;
		uint64_t data[2];	// padded to the alignment of a list
		struct tally_sge result;
	};
	struct Outcome {
		uint16_t status;
		uint32_t index, mid;
	};

	tally::Bench<Vdut> &bench_;
	Vdut &dut_;
	const std::function<void()> tick_;
	const uint32_t qp = 3, group = 2, jid = 0x4a01, place = 9;	// place: of its entries
	uint64_t posted_ = 0, completed_ = 0;	// of the queue pair since its reset, and of all

	void set(uint32_t reg, uint32_t value)
	{
		CHECK(tally::axil_write(dut_, reg, value, tick_), "register %x is refused", reg);
	}

	void set_group(size_t at, uint32_t value) { set(TALLY_FW_GROUP_BASE + group * TALLY_FW_GROUP_STRIDE + at, value); }
	void set_qp(size_t at, uint32_t value) { set(TALLY_FW_QP_BASE + qp * TALLY_FW_QP_STRIDE + at, value); }
	void set_request(size_t at, uint32_t value) { set(TALLY_FW_REQUEST_BASE + at, value); }
	void set_status(size_t at, uint32_t value) { set(TALLY_FW_STATUS_BASE + at, value); }
	void set_sender(size_t at, uint32_t value) { set(TALLY_FW_SENDER_BASE + at, value); }
	void set_queue(size_t at, uint32_t value) { set(TALLY_FW_QUEUE_BASE + at, value); }
	void be_in_domain(uint32_t pd) { set_qp(offsetof(struct tally_fw_qp, pd), pd); }

	// The domain of the queue pair stays what it is, as all registers are written whole.
	void write_a_part()
	{
		auto tick = [this] {
			dut_.axil_wstrb_i = 7;
			tick_();
		};

		CHECK(!tally::axil_write(dut_, TALLY_FW_QP_BASE + qp * TALLY_FW_QP_STRIDE + offsetof(struct tally_fw_qp, pd), Accesses::pd ^ 1, tick),
		      "a part of a register is written");
	}

	// A group of two nodes.
	void begin_group()
	{
		set_group(TALLY_FW_SETUP_OFFSET + offsetof(struct tally_fw_setup, jid), jid);
		set_group(TALLY_FW_SETUP_OFFSET + offsetof(struct tally_fw_setup, max_segs), segs);
		set_group(TALLY_FW_SETUP_OFFSET + offsetof(struct tally_fw_setup, segs_inverse), divisor_of(segs).inverse);
		set_group(TALLY_FW_SETUP_OFFSET + offsetof(struct tally_fw_setup, segs_shift), divisor_of(segs).shift);
		set_group(TALLY_FW_SETUP_OFFSET + offsetof(struct tally_fw_setup, mode), TALLY_MODE_TREE);
		for (uint32_t k = 0; k < 8; k++)
			set_group(TALLY_FW_SETUP_OFFSET + offsetof(struct tally_fw_setup, choice_modes) + 4 * k, 0);
		set_group(offsetof(struct tally_fw_group, flags), 0);
		set_group(offsetof(struct tally_fw_group, parent), 0xff);
		set_group(offsetof(struct tally_fw_group, modes), TALLY_MODES_TREE);
		set_group(offsetof(struct tally_fw_group, mtu), 1024);
		set_group(offsetof(struct tally_fw_group, chunk), 0);
		set_group(offsetof(struct tally_fw_group, total_ranks), 2);
		set_group(offsetof(struct tally_fw_group, num_nodes), 2);
		set_group(offsetof(struct tally_fw_group, node), 0);
		for (size_t at : { offsetof(struct tally_fw_group, rank_mask), offsetof(struct tally_fw_group, children) }) {
			set_group(at, at == offsetof(struct tally_fw_group, rank_mask));
			set_group(at + 4, 0);
		}
		// Packets must not find it.
		set(TALLY_FW_COMMAND_BASE + offsetof(struct tally_fw_command, go), TALLY_FW_CMD_CREATE | group << 16);
		set(TALLY_FW_COMMAND_BASE + offsetof(struct tally_fw_command, go), TALLY_FW_CMD_RELEASE | group << 16);
	}

	void begin_cq()
	{
		set_queue(offsetof(struct tally_fw_queue, addr), uint32_t(ring_at));
		set_queue(offsetof(struct tally_fw_queue, addr) + 4, ring_at >> 32);
		set_queue(offsetof(struct tally_fw_queue, log_depth), log_ring);
		set_queue(offsetof(struct tally_fw_queue, eqn), 2);
		set_queue(offsetof(struct tally_fw_queue, go), TALLY_FW_QUEUE_CREATE_CQ | cqn << 16);
	}

	void begin_queue_pair()
	{
		set_qp(offsetof(struct tally_fw_qp, ranks), 1);
		set_qp(offsetof(struct tally_fw_qp, ranks) + 4, 0);
		set_qp(offsetof(struct tally_fw_qp, group), group);
		set_qp(offsetof(struct tally_fw_qp, stride), TALLY_MIN_WQE_SIZE);
		be_in_domain(Accesses::pd);
		set_request(offsetof(struct tally_fw_request, addr), memory);
		set_request(offsetof(struct tally_fw_request, log_depth), 4);
		set_request(offsetof(struct tally_fw_request, log_stride), __builtin_ctz(TALLY_MIN_WQE_SIZE));
		set_request(offsetof(struct tally_fw_request, go), TALLY_FW_REQUEST_CREATE_QP | qp << 16);
		set_request(offsetof(struct tally_fw_request, uar), uar);
		set_request(offsetof(struct tally_fw_request, slot), slot);
		set_request(offsetof(struct tally_fw_request, push), 1);
		set_status(offsetof(struct tally_fw_status, group), group);
		set_status(offsetof(struct tally_fw_status, cqn), cqn);
		set_status(offsetof(struct tally_fw_status, places), place);
		set_status(offsetof(struct tally_fw_status, go), TALLY_FW_STATUS_CREATE_QP | qp << 16);
		start();
	}

	void know(uint32_t flags, uint32_t sole = 0)
	{
		set_sender(offsetof(struct tally_fw_sender, flags), flags);
		set_sender(offsetof(struct tally_fw_sender, sole), sole);
		set_sender(offsetof(struct tally_fw_sender, sole) + 4, 0);
		set_sender(offsetof(struct tally_fw_sender, go), TALLY_FW_SENDER_SET_QP | qp << 16);
	}

	void start()
	{
		set_status(offsetof(struct tally_fw_status, go), TALLY_FW_STATUS_START_QP | qp << 16);
		set_request(offsetof(struct tally_fw_request, go), TALLY_FW_REQUEST_BIND_QP | qp << 16);
		set_request(offsetof(struct tally_fw_request, go), TALLY_FW_REQUEST_START_QP | qp << 16);
		posted_ = 0;
	}

	// After a failed request nothing is taken in.
	void begin_again()
	{
		set_request(offsetof(struct tally_fw_request, go), TALLY_FW_REQUEST_RESET_QP | qp << 16);
		set_status(offsetof(struct tally_fw_status, go), TALLY_FW_STATUS_RESET_QP | qp << 16);
		start();
	}

	Entry barrier(uint32_t mid)
	{
		Entry e = {};

		e.w.opcode = TALLY_OPCODE_BARRIER;
		e.w.flags = htole32(TALLY_WQE_F_SIGNALED);
		e.w.index = htole32(posted_);
		e.w.jid = htole32(jid);
		e.w.mid = htole32(mid);
		e.w.rank_mask = htole64(1);
		return e;
	}

	// Of one integer in the entry, whose sum is written to `result`.
	Entry allreduce(uint32_t mid, const struct tally_sge &result)
	{
		Entry e = barrier(mid);

		e.w.opcode = TALLY_OPCODE_ALLREDUCE;
		e.w.op = TALLY_OP_SUM;
		e.w.dtype = TALLY_TYPE_INT64;
		e.w.flags |= htole32(TALLY_WQE_F_INLINE);
		e.w.inline_len = htole32(length);
		e.w.count = htole64(1);
		e.w.num_result = 1;
		e.result = result;
		return e;
	}

	static struct tally_sge beyond()
	{
		struct tally_sge s = Accesses::last_bytes(length);

		s.addr = htole64(le64toh(s.addr) + 1);
		return s;
	}

	// A write of the host to BAR2, in one beat.
	void store(uint32_t offset, const void *data, size_t len)
	{
		dut_.push_awaddr_i = offset;
		dut_.push_awlen_i = 0;
		dut_.push_awsize_i = 6;
		dut_.push_awburst_i = 1;
		dut_.push_wlast_i = 1;
		dut_.push_wstrb_i = ~0ull >> (word_bytes - len);
		std::memcpy(&dut_.push_wdata_i, data, len);
		dut_.push_awvalid_i = dut_.push_wvalid_i = 1;
		for (unsigned int i = 0; bench_.settle(), !dut_.push_wready_o; i++, tick_())
			CHECK(i < 100, "a doorbell is not taken");
		tick_();
		dut_.push_awvalid_i = dut_.push_wvalid_i = 0;
	}

	void ring()
	{
		const uint64_t count = htole64(posted_);

		store(TALLY_BAR_UAR_OFFSET + uar * TALLY_PAGE_SIZE + slot * sizeof(struct tally_uar_slot), &count, sizeof(count));
	}

	// As the provider does: into one half of the push buffer and the other in turn.
	void push(const Entry &e)
	{
		const uint64_t lines = tally_push_lines(sizeof(e)), half = ++posted_ & 1 ? TALLY_PUSH_LINES : 0;
		const uint32_t to = TALLY_BAR_PUSH_OFFSET + uar * TALLY_PUSH_SIZE;

		for (uint64_t i = 0; i < lines; i++) {
			struct tally_push_line line = {};
			const size_t from = i * TALLY_PUSH_PIECE;

			std::memcpy(line.data, reinterpret_cast<const uint8_t *>(&e) + from, std::min<size_t>(TALLY_PUSH_PIECE, sizeof(e) - from));
			line.posted = htole64(posted_);
			store(to + (half + i) * sizeof(line), &line, sizeof(line));
		}
		ring();
	}

	Outcome outcome() const
	{
		auto bits = [this](unsigned int from, unsigned int n) {	// of request_t; `from` counts from the highest bit
			uint64_t value = 0;

			for (unsigned int at = tally::request_bits - from; n; n--) {
				at--;
				value = value << 1 | (dut_.req_o[at / 32] >> at % 32 & 1);
			}
			return value;
		};

		return { uint16_t(bits(0, 16)), uint32_t(bits(56, 32)), uint32_t(bits(88, 32)) };
	}

	// `inside`: something is, until the signal comes.
	void until(const CData &signal, const char *what, bool inside = true)
	{
		for (unsigned int i = 0; bench_.settle(), !signal; i++, bench_.tick())
			CHECK(i < 200 && !(inside && dut_.idle_o), "%s", what);
	}

	// The newest request comes, is carried out if it is good, and completes.
	void take(uint16_t status, uint32_t mid)
	{
		until(dut_.took_valid_o, "a request does not come");
		const Outcome is = outcome();

		CHECK(dut_.took_qp_o == qp && dut_.req_verdict_o == TALLY_FW_VERDICT_TAKE, "queue pair %d, verdict %d", dut_.took_qp_o,
		      dut_.req_verdict_o);
		CHECK(is.status == status && is.index == posted_ - 1 && is.mid == mid, "status %u, request %u, message %u", is.status, is.index, is.mid);
		CHECK(!dut_.took_skip_o && dut_.took_row_o && dut_.took_begin_o == !status && !dut_.took_ask_o &&
			      dut_.took_entry_o == place * TALLY_REQUEST_STEP + is.index, "it becomes entry %d", dut_.took_entry_o);
		const unsigned int entry = dut_.took_entry_o;

		bench_.tick();
		if (!status)
			carry_out(entry);
		complete(status, mid);
		for (unsigned int i = 0; bench_.settle(), !dut_.idle_o; i++, bench_.tick())
			CHECK(i < 100, "idle_o stays low after a request");
	}

	// Its only chunk begins, and its only rank finishes it.
	void carry_out(unsigned int entry)
	{
		const struct engine_update u = { qp, uint16_t(entry), 0, 0, false, true, 7, 1, 0 };
		const struct engine_end x = { qp, uint16_t(entry), 0, false, false, 1, 0 };

		dut_.upd_valid_i = 1;
		dut_.upd_qp_i = dut_.fin_qp_i = qp;
		dut_.upd_entry_i = dut_.fin_entry_i = entry;
		tally::write_update(&dut_.upd_i[0], u);
		until(dut_.upd_ready_o, "an update is not taken", false);
		bench_.tick();
		dut_.upd_valid_i = 0;
		dut_.fin_valid_i = 1;
		dut_.fin_i = tally::end_word(x);
		until(dut_.fin_ready_o, "an end is not taken", false);
		CHECK(!dut_.fin_flag_o, "a flag word that nobody wants");
		bench_.tick();
		dut_.fin_valid_i = 0;
	}

	// It is offered, and written behind the one before.
	void complete(uint16_t status, uint32_t mid)
	{
		struct tally_cqe cqe;

		until(dut_.done_valid_o, "a request does not complete");
		std::memcpy(&cqe, &dut_.done_o[0], sizeof(cqe));
		CHECK(dut_.done_cqn_o == cqn && le32toh(cqe.qpn) == qp && le32toh(cqe.wqe_index) == posted_ - 1 && le32toh(cqe.mid) == mid &&
			      le16toh(cqe.coll_status) == status && le32toh(cqe.jid) == jid && le16toh(cqe.seg) == (status ? 0 : 7 % segs),
		      "completion of request %u, status %u, segment %u", le32toh(cqe.wqe_index), le16toh(cqe.coll_status), le16toh(cqe.seg));
		bench_.tick();
		bench_.settle();
		CHECK(dut_.done_valid_o && !dut_.done_taken_o, "a completion enters before it may");
		dut_.done_go_i = 1;
		until(dut_.done_taken_o, "a completion is not taken");
		bench_.tick();
		dut_.done_go_i = 0;
		if (status)
			until(dut_.fail_valid_o, "a failure is not told");
		until(dut_.retire_valid_o, "a request does not retire");
		CHECK(dut_.retire_qp_o == qp, "a request of queue pair %d retires", dut_.retire_qp_o);
		written(cqe);
	}

	// One of the engine, while none of the status unit waits.
	void complete_of_engine()
	{
		struct tally_cqe cqe = {};

		cqe.qpn = htole32(qp + 1);
		cqe.mid = htole32(bench_.rng.next());
		cqe.contributors = htole64(bench_.rng.next());
		std::memcpy(&dut_.cpl_cqe_i[0], &cqe, sizeof(cqe));
		dut_.cpl_cqn_i = cqn;
		dut_.cpl_solicited_i = dut_.cpl_rung_i = dut_.cpl_rung_at_i = 0;
		dut_.cpl_valid_i = 1;
		until(dut_.cpl_ready_o, "a completion of the engine is not taken", false);
		bench_.tick();
		dut_.cpl_valid_i = 0;
		written(cqe);
	}

	// The completion comes to its place in memory. The device adds the times and the owner.
	void written(const struct tally_cqe &cqe)
	{
		struct tally_cqe there;

		dut_.dma_awready_i = dut_.dma_wready_i = 1;
		until(dut_.dma_awvalid_o, "a completion is not written");
		CHECK(dut_.dma_awaddr_o == ring_at + completed_++ % (1 << log_ring) * sizeof(cqe), "a completion is written to %llx",
		      (unsigned long long)dut_.dma_awaddr_o);
		dut_.dma_bid_i = dut_.dma_awid_o;
		bench_.tick();
		until(dut_.dma_wvalid_o, "a completion has no word");
		std::memcpy(&there, &dut_.dma_wdata_o[0], sizeof(there));
		there.timestamp = cqe.timestamp;
		there.elapsed = cqe.elapsed;
		there.owner = cqe.owner;
		CHECK(!std::memcmp(&there, &cqe, sizeof(cqe)), "another completion is written for request %u", le32toh(there.wqe_index));
		bench_.tick();
		dut_.dma_awready_i = dut_.dma_wready_i = 0;
		dut_.dma_bvalid_i = 1;
		dut_.dma_bresp_i = 0;
		until(dut_.dma_bready_o, "an answer is not taken", false);
		bench_.tick();
		dut_.dma_bvalid_i = 0;
	}

	// A request that is not pushed, whose read fails.
	void fail_to_read()
	{
		const uint64_t from = memory + posted_++ * TALLY_MIN_WQE_SIZE;

		ring();
		for (unsigned int i = 0; bench_.settle(), !dut_.dma_arvalid_o; i++, bench_.tick())
			CHECK(i < 100 && !dut_.idle_o, "a request is not read");
		CHECK(dut_.dma_araddr_o == from && (dut_.dma_arlen_o + 1) * word_bytes == TALLY_MIN_WQE_SIZE, "%d words at %llx are read",
		      dut_.dma_arlen_o + 1, (unsigned long long)dut_.dma_araddr_o);
		dut_.dma_rid_i = dut_.dma_arid_o;
		dut_.dma_arready_i = 1;
		bench_.tick();
		dut_.dma_arready_i = 0;
		for (unsigned int i = 0; bench_.settle(), !dut_.idle_o; i++, bench_.tick())
			CHECK(i < 100, "idle_o is low while the memory is due");
		dut_.dma_rvalid_i = 1;
		dut_.dma_rresp_i = 2;
		for (unsigned int left = TALLY_MIN_WQE_SIZE / word_bytes; left; bench_.tick()) {
			bench_.settle();
			left -= dut_.dma_rready_o;
		}
		dut_.dma_rvalid_i = 0;
		take(TALLY_COLL_WQE_FETCH, 0);
	}
};

#endif
