// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_nic_events: admitted packets of all kinds come while the firmware reads registers of events and others, and
// begins and releases contexts; all sides stall. Each OPEN, KILL and acknowledgement of KILL is read once, in order, with the
// registers of the model, unless it finds no place, or its context is dropped before. A drop is over when its command is
// answered: what is read afterwards came after it. Reads of other registers are answered by the other slave.
#include <cstring>

#include "Vdut.h"
#include "event_bits.h"

constexpr size_t rx_bits = 495 + 512, rx_words = (rx_bits + 31) / 32, payload_len_bit = 512;
constexpr unsigned int contexts = Groups + Tombs;

class World {
public:
	explicit World(tally::Bench<Vdut> &bench)
		: bench_(bench), rng_(bench.rng), dut_(*bench.dut), in_(rng_), pay_(rng_), out_(rng_), dat_(rng_), write_(rng_), read_(rng_),
		  answer_(rng_)
	{
	}

	uint64_t seen[4] = {}, lost = 0, begun = 0, released = 0, refused = 0, dropped = 0, others = 0, passed = 0;

	void restart()
	{
		model_reset();
		dut_.in_valid_i = dut_.pay_tvalid_i = dut_.out_ready_i = dut_.dat_tready_i = 0;
		dut_.write_i = dut_.axil_awvalid_i = dut_.axil_bready_i = dut_.rel_bvalid_i = 0;
		dut_.axil_arvalid_i = dut_.axil_rready_i = dut_.next_arready_i = dut_.next_rvalid_i = 0;
		offered_ = inside_ = reads_ = next_due_ = compared_ = false;
		left_ = 0;
		state_ = Nothing;
		bench_.reset();
	}

	void step()
	{
		choose_packet();
		choose_write();
		choose_read();
		bench_.settle();
		drops();
		answers();
		enters();
		writes();
		if (!dut_.busy_o)
			rests();
		bench_.tick();
		advance();
	}

private:
	enum State { Nothing, Offered, Taken };	// of a command

	tally::Bench<Vdut> &bench_;
	tally::Rng &rng_;
	Vdut &dut_;
	tally::Throttle in_, pay_, out_, dat_, write_, read_, answer_;
	// packets
	uint32_t words_[rx_words] = {};
	model_tch tch_ = {}, said_ = {};	// of the packet that is offered; that is inside
	bool offered_ = false, mine_ = false, taken_ = false;
	uint32_t context_ = 0, edge_ = 0, said_context_ = 0, said_edge_ = 0;
	unsigned int rate_ = 1;			// a packet comes in one of so many clocks
	bool inside_ = false;			// a packet was taken that may not be an event yet
	unsigned int left_ = 0;			// bytes of a payload, in one word
	bool left_mine_ = false, word_taken_ = false;
	uint8_t word_[64] = {};
	// commands
	State state_ = Nothing;
	bool release_ = false, good_ = false, over_ = false;	// over_: the drop is
	uint32_t go_ = 0;
	bool write_taken_ = false, write_done_ = false;
	// reads
	uint32_t at_ = 0, next_data_ = 0;
	uint32_t type_ = 0;	// of the event that is read
	bool reads_ = false, read_taken_ = false, answered_ = false;
	bool next_due_ = false, next_taken_ = false;	// the other slave has a read
	bool compared_ = false;				// the answer that is offered

	template <typename Words> static void set_byte(Words &words, unsigned int at, uint8_t value)
	{
		words[at / 4] = (words[at / 4] & ~(0xffu << 8 * (at % 4))) | static_cast<uint32_t>(value) << 8 * (at % 4);
	}

	static void put_bits(uint32_t *words, size_t bit, size_t n, uint64_t value)
	{
		for (size_t i = 0; i < n; i++) {
			words[(bit + i) / 32] &= ~(1u << (bit + i) % 32);
			words[(bit + i) / 32] |= uint32_t(value >> i & 1) << (bit + i) % 32;
		}
	}

	// A context that is being released gets no packet.
	bool may_come(uint32_t context) const { return !release_ || state_ != Taken || !dut_.rel_bvalid_i || context != go_ >> 16; }

	void new_packet()
	{
		const uint8_t kinds[] = { TALLY_KIND_OPEN, TALLY_KIND_KILL, TALLY_KIND_ACK, TALLY_KIND_NOTIFY, TALLY_KIND_REDUCE };
		uint8_t header[64] = {};
		bool payload;

		do
			context_ = rng_.below(contexts);
		while (!may_come(context_));
		edge_ = rng_.below(64);
		rng_.fill(&tch_, sizeof(tch_));
		tch_.kind = kinds[rng_.below(rng_.one_in(3) ? 5 : 3)];
		mine_ = tch_.kind == TALLY_KIND_OPEN || tch_.kind == TALLY_KIND_KILL ||
			(tch_.kind == TALLY_KIND_ACK && tch_.flags & TALLY_TCH_F_KILL_ACK);
		payload = tch_.kind == TALLY_KIND_OPEN || tch_.kind == TALLY_KIND_KILL || tch_.kind == TALLY_KIND_REDUCE;
		tch_.len = payload ? 1 + rng_.below(sizeof(tch_.data)) : 0;
		memset(tch_.data + tch_.len, 0, sizeof(tch_.data) - tch_.len);
		rng_.fill(words_, sizeof(words_));
		words_[rx_words - 1] &= (1u << rx_bits % 32) - 1;
		model_header(&tch_, header);
		for (unsigned int k = 0; k < 64; k++)
			set_byte(words_, 63 - k, header[k]);
		put_bits(words_, rx_bits - 8, 8, TALLY_RX_OK);
		put_bits(words_, payload_len_bit, 13, tch_.len);
	}

	void choose_packet()
	{
		if (rng_.one_in(1000))
			rate_ = rng_.one_in(2) ? 1 : rng_.one_in(2) ? 20 : 200;
		if (!offered_ && !left_ && in_.go() && rng_.one_in(rate_)) {
			new_packet();
			offered_ = true;
		}
		dut_.in_valid_i = offered_;
		memcpy(&dut_.in_i, words_, sizeof(words_));
		dut_.in_admission_i = context_ << 8 | edge_;
		if (left_ && !dut_.pay_tvalid_i && pay_.go()) {
			dut_.pay_tvalid_i = 1;
			memcpy(&dut_.pay_tdata_i, word_, sizeof(word_));
			dut_.pay_tkeep_i = ~0ull >> (64 - left_);
			dut_.pay_tlast_i = 1;
		}
		dut_.out_ready_i = out_.go();
		dut_.dat_tready_i = dat_.go();
	}

	// The answer of the tables comes while no packet waits in front.
	void choose_write()
	{
		if (state_ == Nothing && write_.go() && rng_.one_in(40)) {
			release_ = rng_.one_in(2);
			good_ = !rng_.one_in(4);
			go_ = (good_ ? rng_.below(release_ ? contexts : Groups) : contexts + rng_.below(100)) << 16 |
			      (release_ ? TALLY_FW_CMD_RELEASE : TALLY_FW_CMD_BEGIN);
			state_ = Offered;
		}
		dut_.addr_i = TALLY_FW_COMMAND_BASE + offsetof(struct tally_fw_command, go);
		dut_.data_i = state_ == Nothing ? rng_.next() & ~0xff : go_;
		dut_.axil_wstrb_i = 0xf;
		dut_.axil_awvalid_i = state_ == Offered && !release_;
		dut_.write_i = state_ == Offered && release_;
		if (state_ == Taken && release_ && !offered_ && rng_.one_in(4))
			dut_.rel_bvalid_i = 1;
		dut_.axil_bready_i = answer_.go();
	}

	void choose_read()
	{
		if (!dut_.axil_arvalid_i && read_.go()) {
			dut_.axil_arvalid_i = 1;
			dut_.axil_araddr_i = rng_.one_in(4) ? TALLY_FW_NET_BASE + 4 * rng_.below(16) :
							      TALLY_FW_EVENT_BASE + (rng_.one_in(2) ? 0 : 4 * rng_.below(64));
		}
		dut_.axil_rready_i = answer_.go();
		dut_.next_arready_i = out_.go();
		if (next_due_ && !dut_.next_rvalid_i && rng_.one_in(3)) {
			dut_.next_rvalid_i = 1;
			dut_.next_rdata_i = next_data_ = rng_.next();
			dut_.next_rresp_i = rng_.below(4);
		}
	}

	// ---- What happens in a clock ----

	// The packet inside has become an event.
	void flush()
	{
		if (!inside_)
			return;
		inside_ = false;
		CHECK(model_packet(said_context_, said_edge_, &said_), "a packet has found a place that is not there");
	}

	// A drop is over when its command may be answered.
	void drops()
	{
		const bool answered = release_ ? dut_.rel_bvalid_i && !dut_.drops_o : dut_.axil_bvalid_o;
		uint32_t before;

		if (state_ != Taken || over_ || !answered)
			return;
		over_ = true;
		if (!good_)
			return;
		flush();
		before = model_shared();
		model_drop(go_ >> 16);
		dropped += before - model_shared();
		(release_ ? released : begun)++;
	}

	void next(uint32_t value)
	{
		const uint32_t type = value & 0xff;
		const model_event none = {};

		if (type == TALLY_FW_EV_NONE) {
			CHECK(!value && !model_shared(), "nothing is found of %u events", model_shared());
			model_set(&none);
		} else {
			if (!model_shared())
				flush();
			CHECK(value == model_take_shared(), "next is %x", value);
		}
		seen[type == TALLY_FW_EV_OPEN ? 1 : type == TALLY_FW_EV_KILL ? 2 : type == TALLY_FW_EV_KILL_ACK ? 3 : 0]++;
	}

	uint32_t expected(uint32_t at) const
	{
		if (at != AT(open))
			return model_read(at);
		return type_ == TALLY_FW_EV_OPEN ? model_read(at) & (TALLY_FW_OPEN_CONFIRM | TALLY_FW_OPEN_EPOCH) : 0;
	}

	void answers()
	{
		const bool of_event = at_ >= TALLY_FW_EVENT_BASE && at_ < TALLY_FW_EVENT_BASE + sizeof(struct tally_fw_event);

		answered_ = false;
		read_taken_ = dut_.axil_arvalid_i && dut_.axil_arready_o;
		next_taken_ = dut_.next_arvalid_o && dut_.next_arready_i;
		CHECK(!dut_.axil_rvalid_o || reads_, "an answer to nobody");
		CHECK(!reads_ || !dut_.axil_arready_o, "two reads at a time");
		CHECK(!dut_.next_arvalid_o || dut_.axil_arvalid_i, "a read that nobody asked for");
		if (!dut_.axil_rvalid_o)
			return;
		if (of_event && !compared_) {
			const uint32_t at = at_ - TALLY_FW_EVENT_BASE, data = dut_.axil_rdata_o;

			compared_ = true;	// it stays
			CHECK(dut_.axil_rresp_o == (model_has(at) ? 0 : 2), "a read at %x is answered with %u", at_, dut_.axil_rresp_o);
			if (at == AT(next)) {
				next(data);
				type_ = data & 0xff;
			} else if (model_has(at)) {
				CHECK(data == expected(at), "register %x is %x, not %x", at, data, expected(at));
			}
		} else if (!of_event) {
			CHECK(dut_.next_rvalid_i && dut_.axil_rdata_o == next_data_ && dut_.axil_rresp_o == dut_.next_rresp_i,
			      "another answer than that of the other slave");
			others += dut_.axil_rready_i;
		}
		answered_ = dut_.axil_rready_i;
	}

	void enters()
	{
		const bool to_this = left_ && left_mine_;

		if (dut_.lost_o) {
			CHECK(inside_ && model_shared() == TALLY_FW_EVENT_DEPTH, "a packet is lost, while %u wait", model_shared());
			inside_ = false;
			lost++;
		}
		taken_ = dut_.in_valid_i && dut_.in_ready_o;
		CHECK(dut_.out_valid_o == (dut_.in_valid_i && !mine_), "out_valid_o is %d", dut_.out_valid_o);
		CHECK(mine_ || dut_.in_ready_o == dut_.out_ready_i, "another packet waits");
		CHECK(dut_.dat_tvalid_o == (dut_.pay_tvalid_i && !to_this), "dat_tvalid_o is %d", dut_.dat_tvalid_o);
		word_taken_ = dut_.pay_tvalid_i && dut_.pay_tready_o;
		passed += taken_ && !mine_;
	}

	// Nothing is inside: what was taken before this clock is an event.
	void rests()
	{
		CHECK(!reads_ && !next_due_, "busy_o is low with a read");
		CHECK(state_ != Taken || over_ || (release_ && !good_), "busy_o is low with a drop");
		flush();
		CHECK(dut_.wait_o == (model_shared() != 0), "%u events wait, and wait_o is %d", model_shared(), dut_.wait_o);
	}

	void writes()
	{
		write_taken_ = state_ == Offered && (release_ || dut_.axil_awready_o);
		CHECK(dut_.mine_o == ((dut_.data_i & 0xff) == TALLY_FW_CMD_BEGIN), "mine_o is %d", dut_.mine_o);
		CHECK(!dut_.axil_bvalid_o || (state_ == Taken && !release_), "an answer to no command");
		CHECK(!dut_.drops_o || (state_ == Taken && release_ && good_), "drops_o without a release");
		write_done_ = state_ == Taken && dut_.axil_bready_i && (release_ ? dut_.rel_bvalid_i && !dut_.drops_o : dut_.axil_bvalid_o);
		if (!release_ && dut_.axil_bvalid_o) {
			CHECK(dut_.axil_bresp_o == (good_ ? 0 : 2), "the begin of %x is answered with %u", go_ >> 16, dut_.axil_bresp_o);
			refused += write_done_ && !good_;
		}
	}

	void advance()
	{
		if (word_taken_) {
			dut_.pay_tvalid_i = 0;
			left_ = 0;
		}
		if (taken_)
			advance_packet();
		if (write_taken_) {
			state_ = Taken;
			over_ = false;
		} else if (write_done_) {
			state_ = Nothing;
			dut_.rel_bvalid_i = 0;
		}
		advance_read();
	}

	void advance_packet()
	{
		offered_ = false;
		if (mine_) {
			flush();	// there is a place for one
			inside_ = true;
			said_context_ = context_;
			said_edge_ = edge_;
			said_ = tch_;
		}
		left_ = tch_.len;
		left_mine_ = mine_;
		rng_.fill(word_, sizeof(word_));	// behind its end, too
		memcpy(word_, tch_.data, tch_.len);
	}

	void advance_read()
	{
		if (answered_) {
			if (dut_.next_rvalid_i)
				next_due_ = false;
			dut_.next_rvalid_i = 0;
			reads_ = compared_ = false;
		}
		next_due_ |= next_taken_;
		if (read_taken_) {
			reads_ = true;
			at_ = dut_.axil_araddr_i;
			dut_.axil_arvalid_i = 0;
		}
	}
};

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("nic_events", argc, argv);
	World world(bench);

	bench.live(bench.times(250000), [&] { world.restart(); }, [&] { world.step(); });
	for (uint64_t n : world.seen)
		CHECK(n > 100, "an event came only %llu times", static_cast<unsigned long long>(n));
	CHECK(world.lost > 20 && world.begun > 50 && world.released > 50 && world.refused > 10 && world.dropped > 100,
	      "%llu packets are lost, %llu groups begun, %llu contexts released, %llu refused, %llu events dropped",
	      static_cast<unsigned long long>(world.lost), static_cast<unsigned long long>(world.begun),
	      static_cast<unsigned long long>(world.released), static_cast<unsigned long long>(world.refused),
	      static_cast<unsigned long long>(world.dropped));
	CHECK(world.others > 100 && world.passed > 100, "%llu reads of others, %llu other packets",
	      static_cast<unsigned long long>(world.others), static_cast<unsigned long long>(world.passed));
	return bench.finish();
}
