// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_rmq: compares it with rmq.c, sum.c and rmq_cells.c of the model. Messages, descriptors and their own
// data, flushes, reservations, places for payloads, and cells of other reductions come at the same time, with stalls on every interface. The
// model performs an operation when the block takes it. Verdicts, times of verdicts, counts, and what fires must agree,
// with the data of each intermediate result. The block is reset amid traffic, and its registers begin with random values.
#include <algorithm>
#include <memory>

#include "rmq_bench.h"

namespace {

struct Fire { // expected
	unsigned int port, counter, tag;
	model_fire taken;
};

struct Holder { // of a place: what has fired, or a cell of another reduction
	unsigned int place = 0, group = 0;
	uint16_t cell = MODEL_NONE; // of the model
	Data data;		    // expected contents
	size_t written = 0;	    // words of a cell that are written
};

struct Read { // under way
	Word word;
	size_t len; // bytes that count
};

} // namespace

class RmqBench : public tally::Bench<Vdut> {
public:
	RmqBench(int argc, char **argv) : Bench("rmq", argc, argv) {}
	int run();
	int measure();
};

// What happens from one reset to the next.
class Traffic {
public:
	explicit Traffic(RmqBench &bench)
		: bench_(bench), dut_(*bench.dut), rng_(bench.rng), alu_(dut_), offers_(dut_),
		  model_(model_new(Ports, Groups, Cells), model_free)
	{
	}
	void cycle();
	void idle() { quiet_ = true; }
	void flood(bool alone);
	void drain();
	uint64_t latency(unsigned int children);

private:
	void mood();
	void fill_message(model_message &m, Data &data);
	void make_message();
	void make_own();
	void make_arm();
	void make_flush();
	void make_give_up();
	void make_group();
	void make_cell();
	void make_buffer();
	void offer();
	void take(Op op);
	void apply(const Task &task);
	void after(unsigned int port, bool gives_up);
	void check_answer();
	void check_counts();
	void check_lacks();
	void take_fire();
	void hold(unsigned int place);
	void drive_memory();
	void note_memory();
	void note_written();
	std::vector<Holder> &to_write();
	void queue_words(const Task &task);

	RmqBench &bench_;
	Vdut &dut_;
	tally::Rng &rng_;
	Alu alu_;
	Offers offers_;
	std::unique_ptr<model, void (*)(model *)> model_;
	tally::Throttle in_{ rng_ }, data_{ rng_ }, fire_{ rng_ }, call_{ rng_ }, read_{ rng_ };

	// The operation in progress.
	Op now_ = Op::None;
	bool message_turn_ = false; // the one before was no message
	Task task_;
	uint64_t answer_at_ = 0;
	bool yes_ = false, lacks_ = false;
	uint64_t lacks_at_ = 0;
	uint16_t cell_ = MODEL_NONE;

	std::deque<Word> words_; // of stored messages, to be sent
	bool data_offered_ = false;
	std::deque<Fire> fires_;
	std::deque<unsigned int> owns_; // ports of descriptors whose own data are to be sent
	std::vector<Holder> fired_, cells_, buffers_written_; // places in use
	std::set<unsigned int> held_;
	std::deque<Read> reads_;
	size_t to_read_ = 0;
	bool reading_ = false, releasing_ = false, writing_ = false;
	Holder written_; // the place to which a word is written

	struct Port {
		bool armed = false, swaps = false, own = false;
		unsigned int counter = 0, tag = 0;
	};
	std::vector<Port> ports_ = std::vector<Port>(Ports);
	unsigned int buffers_ = 0; // in use
	bool quiet_ = false;
	uint64_t since_ = 0;

	// Mood.
	unsigned int contributors_ = 4, branch_ = 4, ports_used_ = 1, counters_used_ = 1, wild_ = 0, flushes_ = 2000, arms_ = 4,
		     alone_ = 5, flood_ = 0, cells_wanted_ = 10, longest_ = 64;
	Kind kind_ = { TALLY_OP_SUM, TALLY_TYPE_INT32 };
	uint32_t count_ = 1;
	unsigned int turn_ = 0;
	bool in_turn_ = true;
};

// Changes the mix now and then: number of contributors, lengths, how often messages disagree or come without data.
void Traffic::mood()
{
	static const unsigned int limits[] = { 0, 64, 200, 4096 };

	if (quiet_ || flood_) {
		flood_ -= flood_ > 0;
		return;
	}
	if (!rng_.one_in(600))
		return;
	contributors_ = rng_.one_in(3) ? TALLY_CONTRIB_SELF + 1 - rng_.below(20) : 1 + rng_.below(6);
	branch_ = rng_.one_in(4) ? 1 + rng_.below(contributors_) : contributors_;
	ports_used_ = rng_.one_in(2) ? 1 : Ports;
	counters_used_ = rng_.one_in(3) ? TALLY_NUM_CP_COUNTERS : 1;
	wild_ = rng_.one_in(2) ? 0 : 1 + rng_.below(rng_.one_in(2) ? 4 : 40);
	flushes_ = rng_.one_in(2) ? 400 : 20000;
	arms_ = rng_.one_in(3) ? 300 : 1 + rng_.below(8);
	alone_ = rng_.one_in(3) ? rng_.below(100) : rng_.below(5);
	cells_wanted_ = rng_.one_in(2) ? 200 : 5;
	in_turn_ = !rng_.one_in(3);
	longest_ = limits[rng_.below(4)];
	kind_ = random_kind(rng_);
	count_ = rng_.below(longest_ / model_elem_size(kind_.op, kind_.dtype) + 1);
	if (rng_.one_in(8))
		flood(rng_.one_in(2));
}

// A contributor is far ahead: until the port has as many cells as it may, or too many messages without data.
void Traffic::flood(bool alone)
{
	flood_ = 9000;
	contributors_ = branch_ = ports_used_ = counters_used_ = 1;
	wild_ = 0;
	alone_ = alone ? 100 : 0;
	count_ = 0;
}

void Traffic::fill_message(model_message &m, Data &data)
{
	bool wild = wild_ && rng_.one_in(wild_);
	Kind kind = wild && rng_.one_in(4) ? random_kind(rng_) : kind_;

	if (wild && rng_.one_in(3))
		kind.op = rng_.one_in(2) ? TALLY_OP_MAX : TALLY_OP_NONE;
	m.op = kind.op;
	m.dtype = kind.dtype;
	m.count = wild && rng_.one_in(4) ? rng_.below(9) : count_;
	m.count = std::min<uint32_t>(m.count, 4096 / model_elem_size(m.op, m.dtype));
	m.len = m.count * model_elem_size(m.op, m.dtype);
	m.branch = wild && rng_.one_in(4) ? 1 + rng_.below(contributors_ + 2) : branch_;
	m.err_vector = wild && rng_.one_in(4) ? rng_.next() : rng_.one_in(3) ? 1 << rng_.below(4) : 0;
	m.kept = true;
	m.counts = !(wild && rng_.one_in(4));
	data.resize(m.len);
	rng_.fill(data.data(), m.len);
}

void Traffic::make_message()
{
	Task task;
	model_message &m = task.message;

	m.port = rng_.below(ports_used_);
	if (offers_.group.op != Op::None && m.port % Groups == offers_.group.group)
		return;
	fill_message(m, task.data);
	m.counter = rng_.one_in(2) ? 0 : rng_.below(counters_used_);
	m.contributor = TALLY_CONTRIB_SELF - (in_turn_ ? turn_++ : rng_.below(contributors_)) % contributors_;
	if (rng_.below(100) < alone_) {
		m.kept = false;
		m.counts = true;
		m.branch = m.count = m.len = 0;
		task.data.clear();
	}
	task.op = Op::Message;
	offers_.in = task;
}

// The own data of the descriptor that waits longest for them.
void Traffic::make_own()
{
	Task task;
	unsigned int port = owns_.front();

	if (offers_.flush.op != Op::None && offers_.flush.port == port)
		return;
	owns_.pop_front();
	fill_message(task.message, task.data);
	task.message.port = port;
	task.message.counter = ports_[port].counter;
	task.message.err_vector = rng_.next(); // not used
	task.op = Op::Own;
	offers_.in = task;
}

void Traffic::make_arm()
{
	unsigned int port = rng_.below(ports_used_);
	Task &arm = offers_.arm;

	if (arm.op != Op::None || !rng_.one_in(arms_) || ports_[port].armed ||
	    (offers_.give_up.op != Op::None && offers_.give_up.port == port) ||
	    (offers_.flush.op != Op::None && offers_.flush.port == port) ||
	    (offers_.group.op != Op::None && port % Groups == offers_.group.group))
		return;
	arm = {};
	arm.op = Op::Arm;
	arm.port = arm.descriptor.port = port;
	arm.descriptor.counter = rng_.one_in(2) ? 0 : rng_.below(counters_used_);
	arm.descriptor.swaps = rng_.below(8) && buffers_ < Buffers;
	arm.descriptor.own = arm.descriptor.swaps && rng_.one_in(2);
	arm.descriptor.cpcnt = wild_ && rng_.one_in(4) ? rng_.below(contributors_ + 1) : branch_;
	if (rng_.one_in(20))
		arm.descriptor.cpcnt = 0;
	arm.tag = rng_.below(1 << 16);
	buffers_ += arm.descriptor.swaps;
}

void Traffic::make_give_up()
{
	unsigned int port = rng_.below(Ports);

	if (offers_.give_up.op != Op::None || !ports_[port].armed || !rng_.one_in(60) ||
	    (offers_.flush.op != Op::None && offers_.flush.port == port))
		return;
	offers_.give_up = {};
	offers_.give_up.op = Op::GiveUp;
	offers_.give_up.port = port;
	offers_.give_up.counter = ports_[port].counter;
}

void Traffic::make_flush()
{
	unsigned int port = rng_.below(Ports);

	if (offers_.flush.op != Op::None || !rng_.one_in(flushes_) || (offers_.arm.op != Op::None && offers_.arm.port == port) ||
	    (offers_.give_up.op != Op::None && offers_.give_up.port == port) ||
	    (offers_.in.op == Op::Own && offers_.in.message.port == port))
		return;
	offers_.flush = {};
	offers_.flush.op = Op::Flush;
	offers_.flush.port = port;
}

// Only reconfigures groups that use none of their cells and are about to use none.
void Traffic::make_group()
{
	unsigned int group = rng_.below(Groups);
	bool uses = offers_.in.op == Op::Message && offers_.in.message.port % Groups == group;

	uses = uses || (offers_.arm.op != Op::None && offers_.arm.port % Groups == group);
	uses = uses || (offers_.cell.op != Op::None && offers_.cell.group == group);
	if (offers_.group.op != Op::None || !rng_.one_in(300) || uses || model_own_used(model_.get(), group))
		return;
	offers_.group = {};
	offers_.group.op = Op::Group;
	offers_.group.group = group;
	offers_.group.cells = rng_.one_in(2) ? 0 : rng_.below(rng_.one_in(2) ? 8 : Cells * 2 / 3);
	offers_.group.keep = rng_.one_in(2) ? 0 : rng_.below(offers_.group.cells + 1);
}

// Takes a cell for an input of another reduction, or gives one back.
void Traffic::make_cell()
{
	Task task;
	unsigned int group = rng_.below(Groups);

	if (offers_.cell.op != Op::None || !rng_.one_in(cells_wanted_) ||
	    (offers_.group.op != Op::None && offers_.group.group == group))
		return;
	if (!cells_.empty() && (cells_.size() > Cells / 2 || rng_.one_in(2))) {
		size_t at = rng_.below(cells_.size());

		if (cells_[at].written != Words)
			return; // its words are under way
		task.op = Op::Back;
		task.group = cells_[at].group;
		task.place = cells_[at].place;
		task.cells = cells_[at].cell;
		held_.erase(task.place);
		cells_.erase(cells_.begin() + at);
	} else {
		task.op = Op::Cell;
		task.group = group;
		task.oldest = rng_.one_in(2);
	}
	offers_.cell = task;
}

// Takes a place for a payload, which is written, read and freed.
void Traffic::make_buffer()
{
	if (offers_.buffer.op != Op::None || buffers_ == Buffers || !rng_.one_in(100))
		return;
	offers_.buffer.op = Op::Buffer;
	buffers_++;
}

void Traffic::offer()
{
	mood();
	if (offers_.in.op == Op::None && in_.go() && !quiet_) {
		if (!owns_.empty() && rng_.one_in(3))
			make_own();
		else
			make_message();
	}
	if (call_.go() && !quiet_ && !flood_) {
		make_flush();
		make_arm();
		make_give_up();
		make_group();
		make_cell();
		make_buffer();
	}
	offers_.drive();
	data_offered_ = data_offered_ || (!words_.empty() && (data_.go() || quiet_));
	dut_.data_valid_i = data_offered_;
	if (data_offered_)
		std::memcpy(&dut_.data_i, words_.front().data(), word_bytes);
	dut_.fire_ready_i = fire_.go() || quiet_;
	dut_.show_port_i = rng_.below(Ports);
	dut_.show_group_i = rng_.below(Groups);
}

void Traffic::queue_words(const Task &task)
{
	for (size_t at = 0; at < task.data.size(); at += word_bytes) {
		Word word;

		rng_.fill(word.data(), word_bytes); // behind the end
		std::memcpy(word.data(), &task.data[at], std::min<size_t>(word_bytes, task.data.size() - at));
		words_.push_back(word);
	}
}

// What the port's descriptor does after an operation.
void Traffic::after(unsigned int port, bool gives_up)
{
	model_state state = model_state_of(model_.get(), port);
	Port &p = ports_[port];

	if (gives_up && state == MODEL_LACKS) {
		model_give_up(model_.get(), port);
		state = MODEL_FIRES;
	}
	lacks_ = state == MODEL_LACKS;
	if (state != MODEL_FIRES)
		return;
	fires_.push_back({ port, p.counter, p.tag, {} });
	model_fires(model_.get(), port, &fires_.back().taken);
	p.armed = false;
}

// The model performs the operation.
void Traffic::apply(const Task &task)
{
	model *m = model_.get();
	model_message message = task.message;
	unsigned int steps = 2;

	message.data = task.data.data();
	lacks_ = false;
	switch (task.op) {
	case Op::Message:
		if (message.kept)
			steps += model_entries(m, message.port, message.counter);
		yes_ = model_arrives(m, &message);
		if (yes_)
			queue_words(task);
		if (yes_ && ports_[message.port].counter == message.counter)
			after(message.port, false);
		break;
	case Op::Own:
		steps = 3;
		yes_ = true;
		model_own(m, &message);
		ports_[message.port].own = false;
		queue_words(task);
		after(message.port, false);
		break;
	case Op::Arm:
		if (task.descriptor.swaps)
			steps += model_entries(m, task.port, task.descriptor.counter) ? 1 : 0;
		model_arm(m, &task.descriptor);
		ports_[task.port] = { true, task.descriptor.swaps, task.descriptor.own, task.descriptor.counter, task.tag };
		if (task.descriptor.own)
			owns_.push_back(task.port);
		after(task.port, false);
		break;
	case Op::GiveUp:
		if (ports_[task.port].armed)
			after(task.port, true);
		break;
	case Op::Flush:
		if (ports_[task.port].armed && ports_[task.port].swaps)
			buffers_--;
		for (size_t i = owns_.size(); i > 0; i--)
			if (owns_[i - 1] == task.port)
				owns_.erase(owns_.begin() + static_cast<ptrdiff_t>(i - 1));
		model_flush(m, task.port);
		ports_[task.port] = {};
		break;
	case Op::Group:
		yes_ = model_reserve(m, task.group, task.cells, task.keep);
		break;
	case Op::Cell:
		cell_ = model_cell(m, task.group, task.oldest);
		yes_ = cell_ != MODEL_NONE;
		break;
	case Op::Buffer:
		break;
	default:
		model_cell_back(m, task.group, task.cells);
		yes_ = false;
	}
	answer_at_ = task.op == Op::Flush ? UINT64_MAX : bench_.cycle() + steps;
	lacks_at_ = answer_at_ + 1;
}

void Traffic::take(Op op)
{
	Task &task = offers_.of(op);

	CHECK(now_ == Op::None, "two operations at once");
	// What has room for an arm has room for a message.
	CHECK(!message_turn_ || offers_.in.op == Op::None || (op != Op::Arm && op != Op::GiveUp), "a message does not get its turn");
	CHECK(op != Op::Flush || (words_.empty() && alu_.empty()), "a flush does not wait for words");
	message_turn_ = op != Op::Message && op != Op::Own;
	check_counts();
	now_ = op;
	task_ = task;
	task = {};
	since_ = bench_.cycle();
	apply(task_);
}

// The answer comes at the expected time, and nothing else does.
void Traffic::check_answer()
{
	bool due = now_ != Op::None && bench_.cycle() == answer_at_;
	Op op = due ? now_ : Op::None;

	CHECK(dut_.verdict_valid_o == (op == Op::Message || op == Op::Own), "verdict_valid_o is %d", dut_.verdict_valid_o);
	CHECK(!dut_.verdict_valid_o || dut_.verdict_stored_o == yes_, "verdict_stored_o is %d", dut_.verdict_stored_o);
	CHECK(dut_.group_done_o == (op == Op::Group), "group_done_o is %d", dut_.group_done_o);
	CHECK(!dut_.group_done_o || dut_.group_given_o == yes_, "group_given_o is %d", dut_.group_given_o);
	CHECK(dut_.cell_done_o == (op == Op::Cell || op == Op::Back), "cell_done_o is %d", dut_.cell_done_o);
	CHECK(!dut_.cell_done_o || dut_.cell_given_o == yes_, "cell_given_o is %d", dut_.cell_given_o);
	CHECK(!dut_.flush_done_o || now_ == Op::Flush, "flush_done_o without a flush");
	CHECK(now_ != Op::Flush || bench_.cycle() < since_ + 400, "a flush does not end");
	CHECK(dut_.buffer_done_o == (op == Op::Buffer), "buffer_done_o is %d", dut_.buffer_done_o);
	if (op == Op::Buffer || (op == Op::Cell && yes_)) {
		Holder h;

		h.place = op == Op::Cell ? dut_.cell_place_o : dut_.buffer_place_o;
		h.group = task_.group;
		h.cell = cell_;
		h.data.resize(Words * word_bytes);
		rng_.fill(h.data.data(), h.data.size());
		hold(h.place);
		(op == Op::Cell ? cells_ : buffers_written_).push_back(h);
	}
	if (due || dut_.flush_done_o)
		now_ = Op::None;
}

void Traffic::check_lacks()
{
	bool due = lacks_ && bench_.cycle() == lacks_at_;

	CHECK(dut_.lacks_valid_o == due, "lacks_valid_o is %d", dut_.lacks_valid_o);
	CHECK(!due || dut_.lacks_port_o == (task_.op == Op::Message || task_.op == Op::Own ? task_.message.port : task_.port),
	      "lacks_port_o is %u", dut_.lacks_port_o);
	CHECK(!due || dut_.lacks_tag_o == ports_[dut_.lacks_port_o].tag, "lacks_tag_o is %u", dut_.lacks_tag_o);
}

// The block takes an operation only when it has done the previous ones.
void Traffic::check_counts()
{
	unsigned int port = dut_.show_port_i, group = dut_.show_group_i;

	CHECK(dut_.show_used_o == model_used(model_.get(), port), "port %u uses %u cells, not %u", port, dut_.show_used_o,
	      model_used(model_.get(), port));
	CHECK(dut_.show_own_o == model_own_used(model_.get(), group), "group %u uses %u own cells, not %u", group,
	      dut_.show_own_o, model_own_used(model_.get(), group));
	CHECK(dut_.shared_free_o == model_shared_free(model_.get()), "%u shared cells are free, not %u", dut_.shared_free_o,
	      model_shared_free(model_.get()));
}

void Traffic::hold(unsigned int place)
{
	CHECK(place < Cells + Buffers && held_.insert(place).second, "place %u is in use", place);
}

void Traffic::take_fire()
{
	CHECK(!fires_.empty(), "unexpected fire of port %u", dut_.fire_port_o);
	const Fire &f = fires_.front();
	const model_fire &t = f.taken;

	CHECK(dut_.fire_port_o == f.port && dut_.fire_counter_o == f.counter && dut_.fire_tag_o == f.tag,
	      "port %u, counter %u, tag %u fires, not %u, %u, %u", dut_.fire_port_o, dut_.fire_counter_o, dut_.fire_tag_o,
	      f.port, f.counter, f.tag);
	CHECK(dut_.fire_err_vector_o == t.err_vector, "port %u: error vector %#x, not %#x", f.port, dut_.fire_err_vector_o,
	      t.err_vector);
	CHECK(dut_.fire_swaps_o == t.swaps, "fire_swaps_o is %d", dut_.fire_swaps_o);
	if (t.swaps) {
		CHECK(dut_.fire_disagree_o == t.disagree, "%#llx disagree, not %#llx",
		      static_cast<unsigned long long>(dut_.fire_disagree_o), static_cast<unsigned long long>(t.disagree));
		CHECK(dut_.fire_filled_o == t.filled && dut_.fire_many_o == t.many, "filled is %d, many is %d", dut_.fire_filled_o,
		      dut_.fire_many_o);
		CHECK(!t.filled || (dut_.fire_op_o == t.op && dut_.fire_dtype_o == t.dtype && dut_.fire_count_o == t.count),
		      "wrong op, type or count");
		Holder h;

		h.place = dut_.fire_place_o;
		if (t.filled && !(t.err_vector & TALLY_ERR_MISMATCH))
			h.data.assign(t.data, t.data + t.count * model_elem_size(t.op, t.dtype));
		hold(h.place);
		fired_.push_back(h);
	}
	fires_.pop_front();
}

// Reads what has fired, and reads and writes cells; frees places.
void Traffic::drive_memory()
{
	if (!reading_ && !releasing_ && !fired_.empty() && (read_.go() || quiet_)) {
		reading_ = to_read_ < words_of(fired_.front().data.size());
		releasing_ = !reading_ && reads_.empty();
	}
	dut_.rd_valid_i = reading_;
	dut_.release_valid_i = releasing_;
	if (!fired_.empty()) {
		dut_.rd_place_i = dut_.release_place_i = fired_.front().place;
		dut_.rd_word_i = to_read_;
	}
	// Cells are written whole, one after the other; the last one is read back when nothing has fired.
	if (!writing_ && !to_write().empty() && to_write().back().written < Words && read_.go()) {
		writing_ = true;
		written_ = to_write().back();
	}
	dut_.wr_valid_i = writing_;
	if (writing_) {
		dut_.wr_place_i = written_.place;
		dut_.wr_word_i = written_.written;
		std::memcpy(&dut_.wr_data_i, &written_.data[written_.written * word_bytes], word_bytes);
	}
	if (!reading_ && fired_.empty() && !cells_.empty()) {
		const Holder &h = cells_.front();

		if (h.written == Words) {
			dut_.rd_valid_i = rng_.one_in(2);
			dut_.rd_place_i = h.place;
			dut_.rd_word_i = rng_.below(Words);
		}
	}
}

// Payloads are written before cells, and then are read and freed like those that have fired.
std::vector<Holder> &Traffic::to_write()
{
	return buffers_written_.empty() ? cells_ : buffers_written_;
}

void Traffic::note_written()
{
	writing_ = false;
	for (std::vector<Holder> *list : { &cells_, &buffers_written_ })
		for (Holder &h : *list)
			h.written += h.place == written_.place;
	if (!buffers_written_.empty() && buffers_written_.back().written == Words) {
		fired_.push_back(buffers_written_.back());
		buffers_written_.pop_back();
	}
}

void Traffic::note_memory()
{
	if (dut_.rdata_valid_o) {
		CHECK(!reads_.empty(), "a word without a read");
		const Read &r = reads_.front();

		CHECK(!std::memcmp(&dut_.rdata_o, r.word.data(), r.len), "a wrong word is read");
		reads_.pop_front();
	}
	if (dut_.rd_valid_i && dut_.rd_ready_o) {
		const Holder &h = fired_.empty() ? cells_.front() : fired_.front();
		size_t at = dut_.rd_word_i * word_bytes;
		Read r = { {}, std::min<size_t>(word_bytes, h.data.size() - at) };

		std::memcpy(r.word.data(), &h.data[at], r.len);
		reads_.push_back(r);
		to_read_ += reading_;
		reading_ = false;
	}
	if (releasing_ && dut_.release_ready_o) {
		held_.erase(fired_.front().place);
		fired_.erase(fired_.begin());
		releasing_ = false;
		to_read_ = 0;
		buffers_--;
	}
	if (writing_ && dut_.wr_ready_o)
		note_written();
}

void Traffic::cycle()
{
	alu_.drive();
	offer();
	drive_memory();
	bench_.settle();
	check_answer();
	check_lacks();
	note_memory();
	if (dut_.fire_valid_o && dut_.fire_ready_i)
		take_fire();
	if (data_offered_ && dut_.data_ready_o) {
		words_.pop_front();
		data_offered_ = false;
	}
	Op op = offers_.taken();
	if (op != Op::None)
		take(op);
	alu_.note();
	bench_.tick();
}

// Nothing is left under way.
void Traffic::drain()
{
	quiet_ = true;
	for (unsigned int i = 0; i < 4000 && (i < 400 || offers_.any() || !fires_.empty() || !words_.empty()); i++)
		cycle();
	CHECK(!offers_.any(), "an operation is not taken");
	CHECK(fires_.empty(), "%zu fires are missing", fires_.size());
	CHECK(words_.empty(), "%zu words are not taken", words_.size());
	check_counts();
	// A place for a payload waits for no message.
	if (buffers_ < Buffers) {
		offers_.buffer.op = Op::Buffer;
		buffers_++;
	}
	for (unsigned int i = 0; i < 400 && offers_.any(); i++)
		cycle();
	CHECK(!offers_.any(), "a place for a payload is not given");
	quiet_ = false;
}

// Returns the cycles from the last of a number of messages of one word to the fire.
uint64_t Traffic::latency(unsigned int children)
{
	Task &arm = offers_.arm;

	quiet_ = true;
	arm.op = Op::Arm;
	arm.descriptor.cpcnt = children;
	arm.descriptor.swaps = true;
	buffers_++;
	cycle();
	branch_ = children;
	for (unsigned int i = 0; i < children; i++) {
		while (offers_.any() || now_ != Op::None)
			cycle();
		for (unsigned int wait = 0; i + 1 == children && wait < 100; wait++) // the last one comes later
			cycle();
		fill_message(offers_.in.message, offers_.in.data);
		offers_.in.message.contributor = i;
		offers_.in.op = Op::Message;
	}
	while (offers_.any() || now_ != Op::None || !words_.empty())
		cycle();
	uint64_t since = bench_.cycle();

	while (!fires_.empty())
		cycle();
	uint64_t took = bench_.cycle() - since;

	while (!fired_.empty())
		cycle();
	return took;
}

static void set_inputs(Vdut &dut)
{
	dut.in_valid_i = dut.arm_valid_i = dut.give_up_valid_i = dut.flush_valid_i = dut.group_valid_i = dut.cell_valid_i = dut.buffer_valid_i = 0;
	dut.data_valid_i = dut.rd_valid_i = dut.wr_valid_i = dut.release_valid_i = 0;
}

// The time from the last message to the fire does not depend on the number of messages.
int RmqBench::measure()
{
	set_inputs(*dut);
	reset();
	Traffic traffic(*this);
	traffic.idle();
	uint64_t first = traffic.latency(1);

	for (unsigned int children : { 2, 4, 16, 64, 66 }) {
		uint64_t took = traffic.latency(children);
		CHECK(took == first, "%u messages fire after %llu cycles, one after %llu", children,
		      static_cast<unsigned long long>(took), static_cast<unsigned long long>(first));
	}
	report_cycles("last", first);
	report_cycles("alu", AluLatency); // of the real one: rtl/queue/CMakeLists.txt
	return 0;
}

int RmqBench::run()
{
	measure();
	const uint64_t lives = times(12);

	for (uint64_t life = 0; life < lives; life++) {
		set_inputs(*dut);
		reset();
		Traffic traffic(*this);

		if (life < 2)
			traffic.flood(life);
		for (uint64_t left = 12000 + rng.below(40000); left; left--)
			traffic.cycle();
		if (!rng.one_in(4)) // otherwise it is reset amid traffic
			traffic.drain();
	}
	return finish();
}

int main(int argc, char **argv)
{
	return RmqBench(argc, argv).run();
}
