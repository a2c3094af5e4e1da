// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_nic_events: admitted packets of all kinds come while the firmware reads registers of events and others, and
// creates, begins, freezes, fences and releases contexts; all sides stall. Each OPEN, KILL and acknowledgement of KILL is read
// once, in order, with the registers of the model, unless it finds no place, or its context is dropped before, and none while a
// group has an event BEGIN. Commands go on to the blocks that are concerned, behind the drop, and are answered behind them; no
// packet is taken until BEGIN is raised. Reads of other registers are answered by the other slave.
#include <cstring>

#include "Vdut.h"
#include "event_bits.h"

constexpr size_t rx_bits = 495 + 512, rx_words = (rx_bits + 31) / 32, payload_len_bit = 512;
constexpr unsigned int contexts = Groups + Tombs, commands = 5;
constexpr uint32_t codes[commands] = { TALLY_FW_CMD_RELEASE, TALLY_FW_CMD_CREATE, TALLY_FW_CMD_FREEZE, TALLY_FW_CMD_BEGIN,
				       TALLY_FW_CMD_FENCE };

class World {
public:
	explicit World(tally::Bench<Vdut> &bench)
		: bench_(bench), rng_(bench.rng), dut_(*bench.dut), in_(rng_), pay_(rng_), out_(rng_), dat_(rng_), write_(rng_), read_(rng_),
		  answer_(rng_), side_(rng_)
	{
	}

	uint64_t seen[11] = {}, lost = 0, refused = 0, dropped = 0, others = 0, passed = 0, done[commands] = {};

	void restart()
	{
		model_reset();
		dut_.in_valid_i = dut_.pay_tvalid_i = dut_.out_ready_i = dut_.dat_tready_i = 0;
		dut_.write_i = dut_.axil_awvalid_i = dut_.axil_bready_i = dut_.rel_bvalid_i = 0;
		dut_.axil_arvalid_i = dut_.axil_rready_i = dut_.next_arready_i = dut_.next_rvalid_i = 0;
		dut_.set_ready_i = dut_.fence_ready_i = dut_.raise_valid_i = 0;
		dut_.open_ready_i = 0;
		offered_ = inside_ = reads_ = next_due_ = compared_ = false;
		left_ = quiet_ = waits_ = 0;
		state_ = Nothing;
		bench_.reset();
	}

	void step()
	{
		if (quiet_)
			quiet_--;
		else if (rng_.one_in(4000))
			quiet_ = rng_.below(1500);
		choose_packet();
		choose_write();
		choose_read();
		choose_sides();
		dut_.open_ready_i = 0;
		bench_.settle();
		compare();
		bench_.settle();
		answers();	// of what was taken in the last clock
		sides();
		drops();
		raise();
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
	tally::Throttle in_, pay_, out_, dat_, write_, read_, answer_, side_;
	// packets
	uint32_t words_[rx_words] = {};
	model_tch tch_ = {}, said_ = {};	// of the packet that is offered; that is inside
	bool offered_ = false, fresh_ = false, mine_ = false, taken_ = false;
	uint32_t context_ = 0, edge_ = 0, said_context_ = 0, said_edge_ = 0;
	unsigned int rate_ = 1;			// a packet comes in one of so many clocks
	bool inside_ = false;			// a packet was taken that may not be an event yet
	unsigned int left_ = 0;			// bytes of a payload, in one word
	bool left_mine_ = false, word_taken_ = false;
	uint8_t word_[64] = {};
	// commands
	State state_ = Nothing;
	unsigned int command_ = 0;
	bool good_ = false, over_ = false, stopped_ = false, dropped_ = false, set_ = false, raised_ = false, fenced_ = false;	// over_: all is done
	uint32_t go_ = 0;
	model_event exception_ = {};
	bool write_taken_ = false, write_done_ = false, stop_taken_ = false, set_taken_ = false, fence_taken_ = false, raise_taken_ = false;
	bool begins_waited_ = false;	// before this clock
	unsigned int waits_ = 0;	// clocks in which nothing kept it from its end
	// reads
	uint32_t at_ = 0, next_data_ = 0;
	uint32_t type_ = 0;	// of the event that is read
	uint32_t payload_[TALLY_FW_DATA_WORDS];
	bool reads_ = false, read_taken_ = false, answered_ = false;
	unsigned int quiet_ = 0;	// clocks without a further packet or read
	bool next_due_ = false, next_taken_ = false;	// the other slave has a read
	bool compared_ = false;				// the answer that is offered
	uint32_t open_ = 0;				// what was found last

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
	bool may_come(uint32_t context) const
	{
		return !of(TALLY_FW_CMD_RELEASE) || state_ != Taken || !dut_.rel_bvalid_i || context != go_ >> 16;
	}

	bool of(uint32_t code) const { return codes[command_] == code; }
	bool mine() const { return of(TALLY_FW_CMD_BEGIN) || of(TALLY_FW_CMD_FENCE); }	// no table has it
	bool begins() const { return of(TALLY_FW_CMD_BEGIN) || of(TALLY_FW_CMD_CREATE); }
	bool drops_some() const { return of(TALLY_FW_CMD_BEGIN) || of(TALLY_FW_CMD_RELEASE); }
	bool of_group() const { return go_ >> 16 < Groups; }

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
		if (rng_.one_in(4))
			tch_.epoch = 0;
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
		fresh_ = !quiet_ && !offered_ && !left_ && in_.go() && rng_.one_in(rate_);
		if (fresh_) {
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

	// The answer of the tables comes while no packet waits in front; one of another context may come in its clock.
	void choose_write()
	{
		if (state_ == Nothing && write_.go() && rng_.one_in(40)) {
			command_ = rng_.below(commands);
			good_ = !rng_.one_in(4);
			go_ = (good_ ? rng_.below(of(TALLY_FW_CMD_RELEASE) ? contexts : Groups) :
				       (of(TALLY_FW_CMD_RELEASE) ? contexts : Groups) + rng_.below(100)) << 16 | codes[command_];
			state_ = Offered;
		}
		dut_.addr_i = TALLY_FW_COMMAND_BASE + offsetof(struct tally_fw_command, go);
		dut_.data_i = state_ == Nothing ? rng_.next() & ~0xff : go_;
		dut_.axil_wstrb_i = 0xf;
		dut_.axil_awvalid_i = state_ == Offered && mine();
		dut_.write_i = state_ == Offered && !mine();
		if (state_ == Taken && !mine() && (!offered_ || (fresh_ && context_ != go_ >> 16)) && rng_.one_in(4))
			dut_.rel_bvalid_i = 1;
		dut_.axil_bready_i = answer_.go();
	}

	// Events of groups are raised, BEGIN once the command for it has come.
	void choose_raise()
	{
		const bool begin = state_ == Taken && begins() && good_ && set_ && !raised_;

		if ((quiet_ && !begin) || !rng_.one_in(begin ? 4 : 30) || (state_ == Taken && good_ && begins() && !raised_ && !begin))
			return;
		rng_.fill(&exception_, sizeof(exception_));
		exception_.cause = rng_.below(3);
		exception_.status &= 0xffff;
		dut_.raise_valid_i = 1;
		dut_.raise_kind_i = begin ? 0 : 1 + rng_.below(3);
		dut_.raise_group_i = begin ? go_ >> 16 : rng_.below(Groups);

		Fields<decltype(dut_.raise_exception_i)> fields(dut_.raise_exception_i);

		fields.put(64, exception_.ranks);
		fields.put(64, exception_.contributors);
		fields.put(32, exception_.sid);
		fields.put(32, exception_.mid);
		fields.put(16, exception_.status);
		fields.put(2, exception_.cause);
	}

	void choose_sides()
	{
		dut_.set_ready_i = side_.go() && !dut_.raise_valid_i;
		dut_.fence_ready_i = side_.go() && rng_.one_in(3);
		if (!dut_.raise_valid_i)
			choose_raise();
	}

	void choose_read()
	{
		if (!quiet_ && !dut_.axil_arvalid_i && read_.go()) {
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

	// The events of a context have been dropped before anything else happens.
	void drop()
	{
		const uint32_t before = model_shared();

		if (dropped_ || !drops_some() || !good_)
			return;
		dropped_ = true;
		flush();
		model_drop(go_ >> 16);
		dropped += before - model_shared();
	}

	void raise()
	{
		static constexpr uint32_t types[] = { TALLY_FW_EV_BEGIN, TALLY_FW_EV_EXCEPTION, TALLY_FW_EV_FENCED, TALLY_FW_EV_DRAINED };

		begins_waited_ = begin_waits();
		raise_taken_ = dut_.raise_valid_i && dut_.raise_ready_o;
		if (!raise_taken_)
			return;
		if (dut_.raise_kind_i == 1)
			model_exception(dut_.raise_group_i, &exception_);
		else
			model_of_group(dut_.raise_group_i, types[dut_.raise_kind_i]);
	}

	// What a command makes of the other blocks.
	void sides()
	{
		const bool done = state_ == Taken && good_ && (mine() || dut_.rel_bvalid_i);

		CHECK(!dut_.set_valid_o || (done && !set_ && of_group() && dut_.set_group_o == go_ >> 16 &&
					    dut_.set_begins_o == (begins() && (stopped_ || of(TALLY_FW_CMD_CREATE)))),
		      "an epoch of group %d begins or ends", dut_.set_group_o);
		CHECK(!dut_.fence_valid_o || (done && !fenced_ && (begins() ? raised_ : of(TALLY_FW_CMD_FENCE)) &&
					      dut_.fence_group_o == go_ >> 16 && dut_.fence_begins_o == begins()),
		      "group %d is fenced", dut_.fence_group_o);
		CHECK(!done || !begins() || raised_ || !drop_seen() || !dut_.in_valid_i || !mine_ || !dut_.in_ready_o,
		      "a packet is taken before its group begins");
		if ((dut_.set_valid_o && dut_.set_begins_o) || dut_.fence_valid_o)
			drop();
		stop_taken_ = dut_.set_valid_o && dut_.set_ready_i && !dut_.set_begins_o;
		set_taken_ = dut_.set_valid_o && dut_.set_ready_i && dut_.set_begins_o;
		fence_taken_ = dut_.fence_valid_o && dut_.fence_ready_i;
	}

	// The tables have answered before this clock, or the events have been dropped.
	bool drop_seen() const { return of(TALLY_FW_CMD_CREATE) || dropped_; }

	// A command is over when it may be answered.
	void drops()
	{
		const bool answered = mine() ? dut_.axil_bvalid_o : dut_.rel_bvalid_i && !dut_.drops_o;

		if (state_ != Taken || over_)
			return;
		if (!answered) {
			waits_ += mine() || dut_.rel_bvalid_i;
			CHECK(waits_ < 5000, "a command does not end");
			return;
		}
		over_ = true;
		if (!good_)
			return;
		drop();
		CHECK(!of_group() || of(TALLY_FW_CMD_FENCE) || of(TALLY_FW_CMD_CREATE) || stopped_, "command %u is answered too early",
		      codes[command_]);
		CHECK(!begins() || set_, "command %u is answered too early", codes[command_]);
		CHECK((!begins() || raised_) && (!(begins() || of(TALLY_FW_CMD_FENCE)) || fenced_), "command %u is answered too early",
		      codes[command_]);
		done[command_]++;
	}

	void next(uint32_t value)
	{
		const uint32_t type = value & 0xff;
		const model_event none = {};

		if (type == TALLY_FW_EV_NONE) {
			CHECK(!value && !model_shared(), "nothing is found of %u events", model_shared());
			model_set(&none);
		} else if (type == TALLY_FW_EV_OPEN || type == TALLY_FW_EV_KILL || type == TALLY_FW_EV_KILL_ACK) {
			if (!model_shared())
				flush();
			CHECK(value == model_take_shared(), "next is %x", value);
			CHECK(!begins_waited_, "a packet comes before a BEGIN");
		} else {
			CHECK(value == model_take_other(type, value >> 16), "next is %x", value);
		}
		CHECK(type <= TALLY_FW_EV_QUERY, "type %u", type);
		seen[type]++;
	}

	static bool begin_waits()
	{
		for (unsigned int group = 0; group < Groups; group++)
			if (model_waits(TALLY_FW_EV_BEGIN, group))
				return true;
		return false;
	}

	// What is found in an OPEN comes some time after it was asked for, while its event stays.
	void compare()
	{
		CHECK(!dut_.open_valid_o || (reads_ && type_ == TALLY_FW_EV_OPEN && at_ == TALLY_FW_EVENT_BASE + AT(open)),
		      "an OPEN that nobody asks about");
		if (!dut_.open_valid_o)
			return;
		CHECK(!std::memcmp(&dut_.open_event_o[0], model_payload(), 64), "another OPEN is asked about");
		dut_.open_ready_i = rng_.one_in(3);
		if (dut_.open_ready_i)
			dut_.open_i = open_ = rng_.next();
	}

	uint32_t expected(uint32_t at) const
	{
		if (at != AT(open))
			return model_read(at);
		return type_ == TALLY_FW_EV_OPEN ? open_ : 0;
	}

	const uint32_t *model_payload()
	{
		for (unsigned int i = 0; i < TALLY_FW_DATA_WORDS; i++)
			payload_[i] = model_read(AT(data) + 4 * i);
		return payload_;
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
		CHECK(state_ != Taken || over_ || (!mine() && !good_), "busy_o is low with a command");
		flush();
		if (!dut_.raise_valid_i)
			CHECK(dut_.wait_o == (model_shared() || model_others()), "%u and %u events wait, and wait_o is %d", model_shared(),
			      model_others(), dut_.wait_o);
	}

	void writes()
	{
		const uint32_t code = dut_.data_i & 0xff;

		write_taken_ = state_ == Offered && (!mine() || dut_.axil_awready_o);
		CHECK(dut_.mine_o == (code == TALLY_FW_CMD_BEGIN || code == TALLY_FW_CMD_FENCE), "mine_o is %d", dut_.mine_o);
		CHECK(!dut_.axil_bvalid_o || (state_ == Taken && mine()), "an answer to no command");
		CHECK(!dut_.drops_o || (state_ == Taken && !mine() && good_), "drops_o without a command");
		write_done_ = state_ == Taken && dut_.axil_bready_i && (mine() ? dut_.axil_bvalid_o : dut_.rel_bvalid_i && !dut_.drops_o);
		if (mine() && dut_.axil_bvalid_o) {
			CHECK(dut_.axil_bresp_o == (good_ ? 0 : 2), "the command for %x is answered with %u", go_ >> 16, dut_.axil_bresp_o);
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
		raised_ |= raise_taken_ && !dut_.raise_kind_i;
		stopped_ |= stop_taken_;
		set_ |= set_taken_;
		fenced_ |= fence_taken_;
		if (raise_taken_)
			dut_.raise_valid_i = 0;
		if (write_taken_) {
			state_ = Taken;
			over_ = stopped_ = dropped_ = set_ = raised_ = fenced_ = false;
			waits_ = 0;
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
	for (unsigned int type = 0; type < std::size(world.seen); type++)
		CHECK(world.seen[type] > 100 || type == TALLY_FW_EV_AFTER_END || type == TALLY_FW_EV_TIMER || type == TALLY_FW_EV_QUERY,
		      "event %u came only %llu times", type, static_cast<unsigned long long>(world.seen[type]));
	for (uint64_t n : world.done)
		CHECK(n > 50, "a command was carried out only %llu times", static_cast<unsigned long long>(n));
	CHECK(world.lost > 20 && world.refused > 10 && world.dropped > 100, "%llu packets are lost, %llu refused, %llu events dropped",
	      static_cast<unsigned long long>(world.lost), static_cast<unsigned long long>(world.refused),
	      static_cast<unsigned long long>(world.dropped));
	CHECK(world.others > 100 && world.passed > 100, "%llu reads of others, %llu other packets",
	      static_cast<unsigned long long>(world.others), static_cast<unsigned long long>(world.passed));
	return bench.finish();
}
