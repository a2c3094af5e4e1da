// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_rmq: compares it with rmq.c and rmq_cells.c. Messages, arms, firings, flushes and reservations come at the
// same time, with stalls on every interface. The model performs an operation when the block takes it. It gives a cell
// back one cycle after the block begins to offer the message's last word. Therefore verdicts and counts agree in every
// cycle. In a rush only messages come, and the block must take one every three cycles.
#include <cstring>
#include <deque>
#include <vector>

#include "Vdut.h"
#include "bench.h"
#include "gen/tally_hw.h"
#include "model.h"

constexpr unsigned int word_bytes = 64, rush_words = 3;
using Data = std::vector<uint8_t>;

struct Message {
	unsigned int port = 0;
	model_message fields = {};
	Data data;
};

struct Call { // an arm, take, flush or group
	bool offered = false;
	unsigned int port = 0, group = 0, counter = 0, cpcnt = 0, tag = 0, cells = 0, keep = 0;
};

struct Leaving { // a message of a firing
	unsigned int port;
	uint16_t cell; // cell of the model
	model_message fields;
	Data data;
	bool end;
};

enum PortState { Idle, Armed, Fired, Flushed };
enum Kind { Nothing, IsMessage, IsArm, IsTake, IsFlush, IsGroup };

struct Port {
	PortState state = Idle;
	unsigned int counter = 0, cpcnt = 0, tag = 0;
	uint64_t fires_at = 0; // cycle of the fire
};

class RmqBench : public tally::Bench<Vdut> {
public:
	RmqBench(int argc, char **argv) : Bench("rmq", argc, argv) {}
	int run();

private:
	void mood();
	void make_message();
	void make_arm();
	void make_take();
	void make_flush();
	void make_group();
	void drive();
	void check_decision();
	void do_message();
	void do_arm();
	void do_take();
	void do_flush();
	void do_operation(Kind kind);
	void did_fire(unsigned int port);
	void take_fire();
	void check_out();
	void check_counts();
	void note_transfers();
	void header_to_dut();
	void check_header(const Leaving &m);
	bool calm() const;
	void check_speed();

	model *model_ = model_new(Ports, Groups, Cells);
	tally::Throttle in_{ rng }, data_{ rng }, fire_{ rng }, out_{ rng }, call_{ rng };
	Message message_;
	Call arm_, take_, flush_, group_;
	bool offered_ = false, data_offered_ = false;
	Kind deciding_ = Nothing; // operation that was taken
	unsigned int decide_in_ = 0; // cycles until it is decided
	bool yes_ = false; // expected decision
	bool flushing_ = false;
	std::deque<Data> words_; // words of stored messages, to be written
	std::deque<Leaving> out_expected_;
	size_t out_word_ = 0;
	bool last_given_ = false, out_held_ = false, out_amid_ = false;
	Leaving given_ = {}; // message whose cell becomes free
	bool giving_ = false; // it becomes free in the next cycle
	bool rush_ = false, rushing_ = false;
	uint64_t last_message_ = 0;
	std::vector<Port> ports_ = std::vector<Port>(Ports);
	std::deque<unsigned int> fires_expected_, to_take_;
	bool in_turn_ = false; // contributors send in order
	unsigned int turn_ = 0, ports_used_ = Ports, counters_used_ = 1, contributors_ = 4, calls_ = 2, longest_ = 0, flushes_ = 500;
};

static unsigned int words_of(size_t len)
{
	return (len + word_bytes - 1) / word_bytes;
}

// Changes the mix now and then: number of contributors, length of messages, frequency of descriptors.
void RmqBench::mood()
{
	static const unsigned int limits[] = { 0, 64, 200, 4096 };

	if (!rng.one_in(1500))
		return;
	contributors_ = rng.one_in(2) ? 1 + rng.below(5) : TALLY_CONTRIB_SELF + 1 - rng.below(20);
	ports_used_ = rng.one_in(3) ? 1 : Ports;
	counters_used_ = rng.one_in(3) ? 1 : TALLY_NUM_CP_COUNTERS;
	in_turn_ = rng.one_in(2);
	calls_ = rng.one_in(3) ? 2000 : 1 + rng.below(30);
	longest_ = limits[rng.below(4)];
	flushes_ = rng.one_in(2) ? 300 : 20000;
	rush_ = rng.one_in(4);
	rushing_ = false;
	if (rush_)
		longest_ = rush_words * word_bytes;
}

void RmqBench::make_message()
{
	model_message &m = message_.fields;

	message_.port = rng.below(ports_used_);
	if (group_.offered && message_.port % Groups == group_.group)
		return;
	m.counter = rng.one_in(2) ? 0 : rng.below(counters_used_);
	m.contributor = TALLY_CONTRIB_SELF - (in_turn_ ? turn_++ : rng.below(contributors_)) % contributors_;
	m.branch = rng.next();
	m.reduce = rng.next() & 1;
	m.op = rng.one_in(2) ? TALLY_OP_SUM : TALLY_OP_NONE;
	m.dtype = m.op == TALLY_OP_SUM ? static_cast<uint8_t>(TALLY_TYPE_FP32) : rng.next();
	m.err_vector = rng.next();
	m.count = rng.next();
	m.len = rng.below(longest_ + 1);
	message_.data.resize(m.len);
	rng.fill(message_.data.data(), m.len);
	offered_ = true;
}

void RmqBench::make_arm()
{
	unsigned int port = rng.below(ports_used_);

	if (arm_.offered || !rng.one_in(calls_) || ports_[port].state != Idle || flush_.offered ||
	    (group_.offered && port % Groups == group_.group))
		return;
	arm_ = {};
	arm_.offered = true;
	arm_.port = port;
	arm_.group = port % Groups;
	arm_.counter = rng.below(3) ? 0 : rng.below(counters_used_);
	arm_.cpcnt = rng.one_in(2) ? rng.below(contributors_ + 1) : contributors_;
	arm_.tag = rng.below(1 << 16);
}

void RmqBench::make_take()
{
	if (take_.offered || to_take_.empty() || flush_.offered)
		return;
	take_ = {};
	take_.port = to_take_.front();
	to_take_.pop_front();
	if (ports_[take_.port].state == Flushed) {
		ports_[take_.port].state = Idle;
		return;
	}
	take_.counter = ports_[take_.port].counter;
	take_.cpcnt = ports_[take_.port].cpcnt;
	take_.offered = true;
}

void RmqBench::make_flush()
{
	unsigned int port = rng.below(Ports);

	if (flush_.offered || arm_.offered || take_.offered || !rng.one_in(flushes_))
		return;
	flush_ = {};
	flush_.offered = true;
	flush_.port = port;
	flush_.group = port % Groups;
}

// Only reconfigures groups that use no cell and are about to use none: their queue pairs do not exist.
void RmqBench::make_group()
{
	unsigned int group = rng.below(Groups);

	if (group_.offered || !rng.one_in(300) || model_own_in_use(model_, group) || (offered_ && message_.port % Groups == group) ||
	    (arm_.offered && arm_.group == group))
		return;
	group_ = {};
	group_.offered = true;
	group_.group = group;
	group_.cells = rng.one_in(2) ? 0 : rng.below(Cells * 2 / 3);
	group_.keep = rng.one_in(2) ? 0 : rng.below(group_.cells + 1);
}

// Header bits from bit 0 up: count, err_vector, SwpMp, dtype, op, branch.
void RmqBench::header_to_dut()
{
	const model_message &m = message_.fields;
	uint64_t low = m.count | static_cast<uint64_t>(m.err_vector) << 32 | static_cast<uint64_t>(m.reduce) << 48 |
		       static_cast<uint64_t>(m.dtype) << 49 | static_cast<uint64_t>(m.op) << 57;

	dut->in_header_i[0] = low;
	dut->in_header_i[1] = low >> 32;
	dut->in_header_i[2] = m.op >> 7 | m.branch << 1;
}

void RmqBench::check_header(const Leaving &m)
{
	uint64_t low = dut->out_header_o[0] | static_cast<uint64_t>(dut->out_header_o[1]) << 32;

	CHECK(dut->out_contributor_o == m.fields.contributor && dut->out_len_o == m.fields.len,
	      "contributor %u, %u bytes come out, not %u, %u", dut->out_contributor_o, dut->out_len_o,
	      m.fields.contributor, m.fields.len);
	CHECK(static_cast<uint32_t>(low) == m.fields.count && static_cast<uint16_t>(low >> 32) == m.fields.err_vector &&
	      (low >> 48 & 1) == m.fields.reduce && static_cast<uint8_t>(low >> 49) == m.fields.dtype &&
	      static_cast<uint8_t>(low >> 57) == m.fields.op && dut->out_header_o[2] >> 1 == m.fields.branch,
	      "a wrong header leaves");
}

void RmqBench::drive()
{
	mood();
	if (!offered_ && (in_.go() || rush_))
		make_message();
	if (call_.go() && !rush_) {
		make_flush();
		make_arm();
		make_take();
		make_group();
	}
	dut->in_valid_i = offered_;
	dut->in_port_i = message_.port;
	dut->in_group_i = message_.port % Groups;
	dut->in_counter_i = message_.fields.counter;
	dut->in_contributor_i = message_.fields.contributor;
	dut->in_len_i = message_.fields.len;
	header_to_dut();
	dut->arm_valid_i = arm_.offered;
	dut->arm_port_i = arm_.port;
	dut->arm_group_i = arm_.group;
	dut->arm_counter_i = arm_.counter;
	dut->arm_cpcnt_i = arm_.cpcnt;
	dut->arm_tag_i = arm_.tag;
	dut->take_valid_i = take_.offered;
	dut->take_port_i = take_.port;
	dut->take_counter_i = take_.counter;
	dut->take_cpcnt_i = take_.cpcnt;
	dut->flush_valid_i = flush_.offered;
	dut->flush_port_i = flush_.port;
	dut->flush_group_i = flush_.group;
	dut->group_valid_i = group_.offered;
	dut->group_i = group_.group;
	dut->group_cells_i = group_.cells;
	dut->group_keep_i = group_.keep;
	data_offered_ = data_offered_ || (!words_.empty() && (data_.go() || rush_));
	dut->data_valid_i = data_offered_;
	if (data_offered_)
		std::memcpy(&dut->data_i, words_.front().data(), word_bytes);
	dut->fire_ready_i = fire_.go() || rush_;
	dut->out_ready_i = out_.go() || rush_;
	dut->show_port_i = rng.below(Ports);
	dut->show_group_i = rng.below(Groups);
}

void RmqBench::do_message()
{
	model_message &m = message_.fields;

	m.data = message_.data.data();
	yes_ = model_store(model_, message_.port, &m);
	for (unsigned int i = 0; yes_ && i < words_of(m.len); i++) {
		Data word(word_bytes, 0xa5);
		size_t at = i * word_bytes;

		std::memcpy(word.data(), &message_.data[at], std::min<size_t>(word_bytes, m.len - at));
		words_.push_back(word);
	}
	did_fire(message_.port);
}

void RmqBench::do_arm()
{
	yes_ = model_promise(model_, arm_.port, arm_.counter, arm_.cpcnt);
	if (!yes_)
		return;
	ports_[arm_.port] = { Armed, arm_.counter, arm_.cpcnt, arm_.tag };
	did_fire(arm_.port);
}

void RmqBench::do_take()
{
	uint16_t cell = take_.cpcnt ? model_take(model_, take_.port, take_.counter, take_.cpcnt) : MODEL_NONE;

	while (cell != MODEL_NONE) {
		model_message m = model_cell(model_, cell);
		uint16_t next = model_next(model_, cell);

		out_expected_.push_back({ take_.port, cell, m, Data(m.data, m.data + m.len), next == MODEL_NONE });
		cell = next;
	}
	ports_[take_.port].state = Idle;
}

// A flush keeps a fire that is offered already. No take follows that fire, however often the port is flushed.
void RmqBench::do_flush()
{
	Port &p = ports_[flush_.port];

	model_flush(model_, flush_.port);
	if (p.state != Flushed)
		p.state = p.state == Fired ? Flushed : Idle;
	flushing_ = true;
}

void RmqBench::did_fire(unsigned int port)
{
	Port &p = ports_[port];

	if (p.state != Armed || model_count(model_, port, p.counter) < p.cpcnt)
		return;
	p.state = Fired;
	p.fires_at = cycle() + 3;
	fires_expected_.push_back(port);
}

// Returns whether the block takes a message of the rush while at most a walk and the words of its messages are in
// progress.
bool RmqBench::calm() const
{
	return offered_ && dut->in_ready_o && fires_expected_.empty() && words_.empty() &&
	       !arm_.offered && !take_.offered && !flush_.offered && !group_.offered && !flushing_ &&
	       message_.fields.len <= rush_words * word_bytes;
}

// Checks rates: one message every three cycles, no pause within a message, fires three cycles after their cause.
void RmqBench::check_speed()
{
	rushing_ = rush_ && (rushing_ || calm());
	CHECK(!rushing_ || !offered_ || dut->in_ready_o || cycle() - last_message_ < 3,
	      "a message is delayed");
	CHECK(!out_amid_ || dut->out_valid_o || flushing_, "a pause within a message");
	CHECK(fires_expected_.empty() || cycle() < ports_[fires_expected_.front()].fires_at || dut->fire_valid_o,
	      "a fire is late");
}

// Checks that an operation is decided two cycles after it was taken.
void RmqBench::check_decision()
{
	Kind now = decide_in_ == 1 ? deciding_ : Nothing;

	CHECK(dut->verdict_valid_o == (now == IsMessage) && dut->promise_valid_o == (now == IsArm) &&
	      dut->group_done_o == (now == IsGroup), "missing or unexpected decision");
	CHECK(now != IsMessage || dut->verdict_stored_o == yes_, "verdict_stored_o is %d", dut->verdict_stored_o);
	CHECK(now != IsArm || dut->promise_given_o == yes_, "promise_given_o is %d", dut->promise_given_o);
	CHECK(now != IsGroup || dut->group_given_o == yes_, "group_given_o is %d", dut->group_given_o);
	CHECK(!dut->flush_done_o || flushing_, "flush_done_o without a flush");
	if (dut->flush_done_o)
		flushing_ = false;
	if (decide_in_)
		decide_in_--;
}

// Checks a word that leaves. The cell of a message is free one cycle after its last word is offered.
void RmqBench::check_out()
{
	if (giving_)
		model_give(model_, given_.port, given_.cell);
	giving_ = false;
	if (!dut->out_valid_o) {
		CHECK(!out_held_, "an offered word is withdrawn");
		return;
	}
	CHECK(!out_expected_.empty(), "a message leaves that was not taken");
	const Leaving &m = out_expected_.front();
	size_t words = words_of(m.fields.len);
	bool last = out_word_ + 1 >= words;

	CHECK(dut->out_last_o == last && dut->out_end_o == m.end, "last is %d, end %d", dut->out_last_o, dut->out_end_o);
	check_header(m);
	if (words) {
		size_t at = out_word_ * word_bytes;
		CHECK(!std::memcmp(&dut->out_data_o, &m.data[at], std::min<size_t>(word_bytes, m.fields.len - at)),
		      "wrong word %zu of %zu", out_word_, words);
	}
	if (last && !last_given_) {
		given_ = m;
		giving_ = last_given_ = true;
	}
}

void RmqBench::check_counts()
{
	unsigned int port = dut->show_port_i, group = dut->show_group_i;

	CHECK(dut->show_used_o == model_used(model_, port), "port %u uses %u cells, not %u", port, dut->show_used_o,
	      model_used(model_, port));
	CHECK(dut->show_promised_o == model_promised(model_, port), "port %u is promised %u cells, not %u", port,
	      dut->show_promised_o, model_promised(model_, port));
	CHECK(dut->show_spare_o == model_spare(model_, group), "group %u has %u spare cells, not %u", group,
	      dut->show_spare_o, model_spare(model_, group));
	CHECK(dut->shared_free_o == model_shared_free(model_), "%u shared cells are free, not %u", dut->shared_free_o,
	      model_shared_free(model_));
}

void RmqBench::take_fire()
{
	CHECK(!fires_expected_.empty(), "unexpected fire");
	unsigned int port = fires_expected_.front();
	const Port &p = ports_[port];

	CHECK(dut->fire_port_o == port && dut->fire_counter_o == p.counter && dut->fire_tag_o == p.tag,
	      "port %u fires, counter %u, tag %u", dut->fire_port_o, dut->fire_counter_o, dut->fire_tag_o);
	fires_expected_.pop_front();
	to_take_.push_back(port);
}

void RmqBench::note_transfers()
{
	Kind kinds[] = { offered_ && dut->in_ready_o ? IsMessage : Nothing,
			 arm_.offered && dut->arm_ready_o ? IsArm : Nothing,
			 take_.offered && dut->take_ready_o ? IsTake : Nothing,
			 flush_.offered && dut->flush_ready_o ? IsFlush : Nothing,
			 group_.offered && dut->group_ready_o ? IsGroup : Nothing };

	for (Kind kind : kinds)
		if (kind)
			do_operation(kind);
	if (data_offered_ && dut->data_ready_o) {
		words_.pop_front();
		data_offered_ = false;
	}
	if (dut->fire_valid_o && dut->fire_ready_i)
		take_fire();
	out_held_ = dut->out_valid_o && !dut->out_ready_i;
	out_amid_ = dut->out_valid_o && !dut->out_last_o;
	if (dut->out_valid_o && dut->out_ready_i) {
		if (dut->out_last_o) {
			out_expected_.pop_front();
			out_word_ = 0;
			last_given_ = false;
		} else {
			out_word_++;
		}
	}
}

void RmqBench::do_operation(Kind kind)
{
	CHECK(!decide_in_ && !flushing_, "two operations at once");
	deciding_ = kind;
	decide_in_ = 2;
	switch (kind) {
	case IsMessage:
		do_message();
		offered_ = false;
		last_message_ = cycle();
		break;
	case IsArm:
		do_arm();
		arm_.offered = false;
		break;
	case IsTake:
		do_take();
		take_.offered = false;
		break;
	case IsFlush:
		do_flush();
		flush_.offered = false;
		break;
	default:
		yes_ = model_reserve_cells(model_, group_.group, group_.cells, group_.keep);
		group_.offered = false;
	}
}

int RmqBench::run()
{
	reset();
	for (uint64_t left = times(800000); left; left--) {
		drive();
		settle();
		check_out();
		if (!decide_in_ && !flushing_)
			check_counts();
		check_speed();
		check_decision();
		note_transfers();
		tick();
	}
	model_free(model_);
	return finish();
}

int main(int argc, char **argv)
{
	return RmqBench(argc, argv).run();
}
