// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_cp_counters: compares it with the counters of the C model, for messages of all contributors, firings
// with their releases, and flushes. Fires are stalled at random. The model chooses the messages that a firing takes.
#include <deque>
#include <vector>

#include "Vdut.h"
#include "bench.h"
#include "gen/tally_hw.h"
#include "model.h"

enum Op { Message, Arm, Release, Clear };

struct Task {
	Op op = Message;
	unsigned int port = 0, counter = 0, contributor = 0, cpcnt = 0, tag = 0;
	bool amid = false; // message between the releases of a firing, whose messages the model has already taken
};

// Descriptor of a port. It stays armed until its fire is taken and its messages are released.
struct Waiting {
	bool armed = false, fired = false;
	unsigned int counter = 0, cpcnt = 0, tag = 0;
};

class CountersBench : public tally::Bench<Vdut> {
public:
	CountersBench(int argc, char **argv) : Bench("cp_counters", argc, argv) {}
	int run();

private:
	Task choose();
	void check_last();
	void apply(const Task &task, bool keep);
	void fired_by(const Task &task);
	void take_fire();
	void take_messages(Task fire);
	void drive();

	model *model_ = model_new(Ports, 1, TALLY_RMQ_CELLS);
	tally::Throttle source_{ rng }, sink_{ rng };
	std::vector<Waiting> waiting_ = std::vector<Waiting>(Ports);
	std::deque<Task> queue_; // operations that must come next
	std::deque<Task> fires_; // expected fires
	std::deque<Task> takes_; // fires taken, whose messages must be released
	Task task_, look_, last_; // offered; taken one cycle ago, two cycles ago
	bool offered_ = false, look_valid_ = false, last_valid_ = false;
	bool amid_ = false; // a message came between two releases
	bool in_turn_ = false; // contributors send in order
	unsigned int turn_ = 0, contributors_ = 1, ports_used_ = 1, counters_used_ = 1, arms_ = 3, clears_ = 300; // vary
};

Task CountersBench::choose()
{
	Task task;

	if (queue_.empty() && !takes_.empty() && !look_valid_ && !rng.one_in(3)) {
		take_messages(takes_.front());
		takes_.pop_front();
	}
	if (!queue_.empty() && (amid_ || queue_.front().op != Release || !rng.one_in(4))) {
		task = queue_.front();
		queue_.pop_front();
		amid_ = false;
		return task;
	}
	if (!queue_.empty()) { // a message between two releases, often of the contributor released next
		task = queue_.front();
		task.op = Message;
		task.amid = amid_ = true;
		if (rng.one_in(3))
			task.contributor = TALLY_CONTRIB_SELF - rng.below(contributors_);
		return task;
	}
	if (rng.one_in(800)) {
		contributors_ = rng.one_in(2) ? 1 + rng.below(4) : TALLY_CONTRIB_SELF + 1 - rng.below(20);
		ports_used_ = rng.one_in(2) ? 1 : Ports;
		counters_used_ = rng.one_in(2) ? 1 : TALLY_NUM_CP_COUNTERS;
		clears_ = rng.one_in(2) ? 300 : 5000;
		in_turn_ = rng.one_in(2);
		arms_ = rng.one_in(3) ? 1000 : 1 + rng.below(3);
	}
	task.port = rng.below(ports_used_);
	task.counter = rng.below(counters_used_);
	task.contributor = TALLY_CONTRIB_SELF - (in_turn_ ? turn_++ : rng.below(contributors_)) % contributors_;
	if (rng.one_in(arms_) && !waiting_[task.port].armed) {
		task.op = Arm;
		task.cpcnt = rng.one_in(2) ? rng.below(contributors_ + 1) : contributors_;
		task.tag = rng.below(1 << 16);
	} else if (rng.one_in(clears_)) {
		for (task.counter = 1; task.counter < TALLY_NUM_CP_COUNTERS; task.counter++) {
			task.op = Clear;
			queue_.push_back(task);
		}
		task.counter = 0;
		task.op = Clear;
	}
	return task;
}

// Checks whether the message or arm, which the model has seen, makes the port's descriptor fire.
void CountersBench::fired_by(const Task &task)
{
	Waiting &w = waiting_[task.port];

	if (!w.armed || w.fired || model_count(model_, task.port, w.counter) < w.cpcnt)
		return;
	w.fired = true;
	Task fire;
	fire.port = task.port;
	fire.counter = w.counter;
	fire.tag = w.tag;
	fires_.push_back(fire);
}

void CountersBench::apply(const Task &task, bool keep)
{
	Waiting &w = waiting_[task.port];
	model_message m = {};

	if (task.op == Arm && keep) {
		w.armed = true;
		w.fired = false;
		w.counter = task.counter;
		w.cpcnt = task.cpcnt;
		w.tag = task.tag;
		fired_by(task);
	} else if (task.op == Message && keep) {
		m.counter = task.counter;
		m.contributor = task.contributor;
		CHECK(model_store(model_, task.port, &m), "the model refuses a message");
		fired_by(task);
	} else if (task.op == Clear && task.counter == 0) {
		model_flush(model_, task.port);
		if (!w.fired)
			w.armed = false;
	}
}

// Third cycle of an operation: checks its answer and decides keep_i.
void CountersBench::check_last()
{
	bool keep = !rng.one_in(8);

	if (!last_valid_ || last_.op > Arm) {
		dut->keep_i = rng.next() & 1;
		if (last_valid_)
			apply(last_, true);
		return;
	}
	unsigned int count = model_count(model_, last_.port, last_.counter);
	if (last_.op == Message) {
		bool counts = model_counts(model_, last_.port, last_.counter, last_.contributor);
		CHECK(last_.amid || dut->counts_o == counts, "contributor %u counts: %d", last_.contributor, dut->counts_o);
		keep = keep && model_used(model_, last_.port) < TALLY_RMQ_PORT_CAP;
	} else {
		unsigned int lacks = last_.cpcnt > count ? last_.cpcnt - count : 0;
		CHECK(dut->lacks_o == lacks, "CPCnt %u lacks %u, not %u", last_.cpcnt, dut->lacks_o, lacks);
	}
	dut->keep_i = keep;
	apply(last_, keep);
}

void CountersBench::take_fire()
{
	CHECK(!fires_.empty(), "unexpected fire");
	Task fire = fires_.front();

	CHECK(dut->fire_port_o == fire.port && dut->fire_counter_o == fire.counter && dut->fire_tag_o == fire.tag,
	      "fires (%u, %u, %u), not (%u, %u, %u)", dut->fire_port_o, dut->fire_counter_o, dut->fire_tag_o, fire.port,
	      fire.counter, fire.tag);
	fires_.pop_front();
	takes_.push_back(fire);
}

// Queues the releases of a fire's messages before any other operation.
void CountersBench::take_messages(Task fire)
{
	Waiting &w = waiting_[fire.port];

	w.armed = w.fired = false;
	if (model_count(model_, fire.port, fire.counter) < w.cpcnt)
		return; // cleared in the meantime
	uint16_t cell = w.cpcnt ? model_take(model_, fire.port, fire.counter, w.cpcnt) : MODEL_NONE;
	while (cell != MODEL_NONE) {
		uint16_t next = model_next(model_, cell);

		fire.op = Release;
		fire.contributor = model_cell(model_, cell).contributor;
		queue_.push_back(fire);
		model_give(model_, fire.port, cell);
		cell = next;
	}
}

void CountersBench::drive()
{
	if (!offered_ && source_.go() && !(look_valid_ && look_.op == Arm)) { // one descriptor at a time
		task_ = choose();
		offered_ = true;
	}
	dut->op_valid_i = offered_;
	dut->op_i = task_.op;
	dut->port_i = task_.port;
	dut->counter_i = task_.counter;
	dut->contributor_i = task_.contributor;
	dut->cpcnt_i = task_.cpcnt;
	dut->tag_i = task_.tag;
	dut->fire_ready_i = sink_.go();
}

int CountersBench::run()
{
	dut->op_valid_i = dut->fire_ready_i = dut->keep_i = 0;
	reset();
	settle();
	while (!dut->room_o)
		tick(), settle();
	for (uint64_t left = times(1000000); left; left--) {
		settle();
		check_last();
		drive();
		settle();
		CHECK(dut->op_ready_o == (dut->room_o || task_.op > Arm), "ready is %d", dut->op_ready_o);
		CHECK(dut->room_o || look_valid_ || dut->fire_valid_o, "an operation waits without a reason");
		bool taken = offered_ && dut->op_ready_o;
		if (dut->fire_valid_o && dut->fire_ready_i)
			take_fire();
		last_valid_ = look_valid_;
		last_ = look_;
		look_valid_ = taken;
		look_ = task_;
		offered_ = offered_ && !taken;
		tick();
	}
	model_free(model_);
	return finish();
}

int main(int argc, char **argv)
{
	return CountersBench(argc, argv).run();
}
