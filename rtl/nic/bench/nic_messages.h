// SPDX-License-Identifier: BSD-2-Clause
// Triggered descriptors in the bench of tally_nic, in the group of the segment store's packets. Messages of the parent are passed on
// to the child by descriptors that are posted before them, the second of which begins when the first has fired, and one of the child
// is reduced for the parent. No unit beyond the boundary takes part. The benches of tally_trigger_unit and tally_sender have the rest.
#ifndef TALLY_NIC_MESSAGES_H
#define TALLY_NIC_MESSAGES_H

#include "nic_sends.h"

class Messages : public Sends {
public:
	using Sends::Sends;

private:
	static constexpr uint8_t up = 0, down = 1;	// counters
	static constexpr uint16_t port = 9, far_port = 700;

	std::vector<unsigned int> began_, fired_;	// entries
	unsigned int retired_ = 0, out_ = 0, in_ = 0;	// messages that have left, and are there
	uint32_t mid_ = 40;

	void more() override
	{
		make_known();
		retired_ = 0;
		pass_on();
		reduce();
	}

	void watch() override
	{
		if (dut_.began_valid_o)
			began_.push_back(dut_.began_entry_o);
		if (dut_.fired_valid_o)
			fired_.push_back(dut_.fired_entry_o);
		CHECK(!dut_.fired_valid_o || dut_.fired_qp_o == qp, "a descriptor of queue pair %d fires", dut_.fired_qp_o);
		retired_ += dut_.retire_valid_o;
		out_ += dut_.message_left_valid_o;
		in_ += dut_.message_there_valid_o;
		CHECK(!dut_.message_bad_o && !dut_.message_busy_o && (!dut_.freeze_valid_o || ends_), "a message is refused, or late");
	}

	// ---- Registers ----

	void set_trigger(size_t at, uint32_t value) { set(TALLY_FW_TRIGGER_BASE + at, value); }
#define TRIGGER(field, value) set_trigger(offsetof(struct tally_fw_trigger, field), value)
	void make_known()
	{
		TRIGGER(mtu, mtu);
		for (size_t at : { 0, 4 })	// no time limit
			set_trigger(offsetof(struct tally_fw_trigger, limit) + at, ~0u);
		TRIGGER(go, TALLY_FW_TRIGGER_SET_GROUP | group << 16);
		TRIGGER(cells, 2);
		TRIGGER(keep, 0);
		TRIGGER(go, TALLY_FW_TRIGGER_SET_CELLS | group << 16);
		TRIGGER(port, port);
		TRIGGER(go, TALLY_FW_TRIGGER_SET_QP | qp << 16);
		TRIGGER(next, TALLY_FW_NO_QP);
		TRIGGER(go, TALLY_FW_TRIGGER_NEXT_QP | qp << 16);
		TRIGGER(next, qp);
		TRIGGER(go, TALLY_FW_TRIGGER_FIRST_QP | group << 16);
	}
#undef TRIGGER

	// ---- Descriptors and messages ----

	// Of an integer, which waits for a message of the counter.
	struct tally_wqe descriptor(uint8_t opcode, uint8_t counter, uint32_t flags)
	{
		struct tally_wqe w = {};

		w.opcode = opcode;
		w.op = TALLY_OP_SUM;
		w.dtype = TALLY_TYPE_INT64;
		w.flags = htole32(flags | TALLY_WQE_F_SWP_FLAG | TALLY_WQE_F_CP | TALLY_WQE_F_SWP_MP);
		w.count = htole64(1);
		w.mid = htole32(mid_++);
		w.cpcnt = htole32(1);
		w.counter = w.dest_counter = counter;
		w.dest_port = htole16(far_port);
		w.branch = 1;
		return w;
	}

	unsigned int bcast()
	{
		const struct tally_sge result = Accesses::last_bytes(sizeof(uint64_t));
		struct tally_wqe w = descriptor(TALLY_OPCODE_BCAST_MP, down, 0);

		w.num_result = 1;
		w.node_mask = htole64(1ull << child.edge);
		return requests_.post(w, &result, sizeof(result));
	}

	void message(const Neighbour &from, uint8_t opcode, uint8_t counter, uint32_t seq, uint64_t v)
	{
		Packet p = packet(from, TALLY_KIND_TRIGGER, seq, done_, value(v));

		p.tch.opcode = opcode;
		p.tch.op = TALLY_OP_SUM;
		p.tch.dtype = TALLY_TYPE_INT64;
		p.tch.branch = 1;
		p.tch.flags = htobe16(TALLY_TCH_F_CP | TALLY_TCH_F_SWP_MP);
		p.tch.num = htobe32(seq);	// there is none before it
		p.tch.mid = htobe32(mid_);
		p.tch.total = p.tch.count = htobe32(1);
		p.tch.counter = counter;
		p.tch.port = htobe16(port);
		enter(built(p));
	}

	// It leaves once, and is there.
	void passes(const Neighbour &to, uint8_t opcode, uint8_t counter, uint32_t seq, uint64_t v)
	{
		const unsigned int in = in_, retired = retired_;
		const Seen s = next(TALLY_KIND_TRIGGER, to);

		CHECK(be32toh(s.tch.edge_seq) == seq && s.tch.opcode == opcode && s.tch.counter == counter && be16toh(s.tch.port) == far_port &&
			      be16toh(s.tch.flags) == (TALLY_TCH_F_CP | TALLY_TCH_F_SWP_MP) && s.tch.branch == 1 && !s.tch.err_vector,
		      "another message leaves, with number %x, not %x", be32toh(s.tch.edge_seq), seq);
		CHECK(s.payload == value(v), "a message leaves with other words");
		CHECK(in_ == in && retired_ == retired, "a descriptor ends before its message is there");
		acknowledge(to, seq);
		until([&] { return in_ == in + 1 && retired_ == retired + 1; }, "descriptor ends");
	}

	// The first of two descriptors has not fired, so the second has not begun.
	void pass_on()
	{
		const unsigned int results = results_;

		began_.clear();
		const unsigned int first = bcast(), second = bcast();

		until([&] { return !began_.empty(); }, "descriptor begins");
		for (unsigned int clocks = 0; clocks < longest / 4; clocks++)
			tick();
		CHECK(began_ == std::vector<unsigned int>({ first }) && fired_.empty(), "%zu descriptors begin, %zu fire", began_.size(), fired_.size());
		for (unsigned int k = 0; k < 2; k++) {
			message(parent, TALLY_OPCODE_BCAST_MP, down, parent_seq_, 70 + k);
			passes(child, TALLY_OPCODE_BCAST_MP, down, child.own_first + 3 + messages_++, 70 + k);
			acknowledges(parent, parent_seq_++);
			CHECK(results_ == results + k + 1 && le64toh(result_) == 70 + k, "%llu is written", static_cast<unsigned long long>(le64toh(result_)));
			CHECK(began_ == std::vector<unsigned int>({ first, second }), "%zu descriptors begin", began_.size());
		}
		CHECK(fired_ == began_ && out_ == 2, "%zu descriptors fire, %u messages leave", fired_.size(), out_);
	}

	void reduce()
	{
		const std::vector<uint8_t> own = value(5);
		struct tally_wqe w = descriptor(TALLY_OPCODE_REDUCE_MP, up, TALLY_WQE_F_RFLAG | TALLY_WQE_F_INLINE | TALLY_WQE_F_TO_PARENT);

		w.inline_len = htole32(own.size());
		requests_.post(w, own.data(), own.size());
		message(child, TALLY_OPCODE_REDUCE_MP, up, child_seq_, 100);
		passes(parent, TALLY_OPCODE_REDUCE_MP, up, parent.own_first + 3, 105);
		acknowledges(child, child_seq_++);
	}
};

#endif
