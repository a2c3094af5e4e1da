// SPDX-License-Identifier: BSD-2-Clause
// The Verilated NIC, rtl/nic/tally_nic.sv, as struct nic_units. docs/rtl-nic.md describes how virtual time becomes
// clocks, and what crosses the boundary.
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "Vdut.h"
#include "rtl/alu.h"
#include "rtl/axi_lite.h"
#include "rtl/axi_master.h"
#include "rtl/events.h"
#include "rtl/local.h"
#include "rtl/memory.h"
#include "rtl/record.h"
#include "rtl/requests.h"
#include "rtl/store.h"
#include "rtl/trigger.h"
#include "verilated.h"
#include "verilated_fst_c.h"

extern "C" {
#include "core/log.h"
#include "gen/tally_fw_hw.h"
#include "rtl/rtl.h"
}

namespace {

constexpr size_t word_bytes = 64;
constexpr uint64_t all_bytes = ~0ull;
constexpr uint32_t expected_units = TALLY_FW_UNIT_PARSER | TALLY_FW_UNIT_ENCAP | TALLY_FW_UNIT_ADMISSION |
				    TALLY_FW_UNIT_EDGE_RX | TALLY_FW_UNIT_EDGE_ACK | TALLY_FW_UNIT_EDGE_TX | TALLY_FW_UNIT_QUEUES |
				    TALLY_FW_UNIT_SEGMENTS | TALLY_FW_UNIT_MEMORY | TALLY_FW_UNIT_REQUESTS | TALLY_FW_UNIT_STATUS |
				    TALLY_FW_UNIT_LOCAL | TALLY_FW_UNIT_SENDER | TALLY_FW_UNIT_TRIGGER |
				    TALLY_FW_UNIT_POOL | TALLY_FW_UNIT_FW_SEND | TALLY_FW_UNIT_EVENTS |
				    TALLY_FW_UNIT_EXCEPTIONS | TALLY_FW_UNIT_OPEN;
constexpr uint64_t ps_of_ns = 1000;
constexpr unsigned int longest_start = 100000;	// clocks until the hardware is idle after a reset
constexpr unsigned int settling = 4096;	// clocks after a write; no packet takes as long from its admission on

using Bytes = std::vector<uint8_t>;

// AXI4-Stream packets whose words are to enter, the first one of each at its time or later.
class Source {
public:
	void add(uint64_t at, const void *data, size_t len)
	{
		const uint8_t *from = static_cast<const uint8_t *>(data);

		packets_.push_back({ at, Bytes(from, from + len) });
	}
	bool empty() const { return packets_.empty(); }
	void clear()
	{
		packets_.clear();
		done_ = 0;
	}

	// Puts the next word on the ports. Returns whether there is one.
	template <typename Data> bool offer(uint64_t now, Data &data, uint64_t &keep, uint8_t &last) const
	{
		if (packets_.empty() || now < packets_.front().at)
			return false;
		const Bytes &p = packets_.front().bytes;
		size_t n = std::min(word_bytes, p.size() - done_);

		std::memset(&data, 0, word_bytes);
		std::memcpy(&data, &p[done_], n);
		keep = n < word_bytes ? (1ull << n) - 1 : all_bytes;
		last = done_ + n == p.size();
		return true;
	}
	void taken()
	{
		done_ += word_bytes;
		if (done_ < packets_.front().bytes.size())
			return;
		packets_.pop_front();
		done_ = 0;
	}

private:
	struct Packet {
		uint64_t at;
		Bytes bytes;
	};
	std::deque<Packet> packets_;
	size_t done_ = 0;	// bytes of the first one that have entered
};

// Bytes of an AXI4-Stream packet that leaves.
template <typename Data> void append(Bytes &to, const Data &data, uint64_t keep)
{
	const uint8_t *from = reinterpret_cast<const uint8_t *>(&data);
	size_t n = ~keep ? __builtin_ctzll(~keep) : word_bytes;

	to.insert(to.end(), from, from + n);
}

struct Write {		// of a register
	uint64_t at;
	uint64_t after;		// number of completions that must have been taken
	uint64_t behind;	// and of headers
	std::optional<tally::Requests::Mark> mark;	// and of what concerns requests,
	uint64_t ends;	// and ends of epochs
	std::optional<uint64_t> commands;	// and of those for the store that are of its group
	uint32_t reg, value;
	uint64_t numbers;	// random numbers that have been given until then
	uint64_t raised;	// number of exceptions that must have been taken, of a command
};

struct Header {
	uint64_t at;		// when it may enter
	uint64_t after;		// number of writes that must have been carried out
	struct roce_hdr hdr;
	struct tally_tch tch;
	size_t payload_len;
	std::optional<struct engine_name> name;	// if it is to be numbered
	uint64_t number = 0;	// in the order of calls
	Bytes payload = {};

	bool is_new() const { return name && !name->again; }
};

struct Arrived {	// a good packet
	tally::Record record;
	std::optional<unsigned int> flight;	// if it has a number, and passes
	bool here;	// its payload is in the segment store, which answers
};

template <typename What> struct Queued {	// a completion or an event
	uint64_t at;		// when it may enter
	uint64_t after;		// number of writes that must have been carried out
	What what;
};

struct End {		// of the flight of a numbered packet
	unsigned int flight;
	bool stored;
};

constexpr uint32_t command_go = TALLY_FW_COMMAND_BASE + offsetof(struct tally_fw_command, go);

class Hardware {
public:
	explicit Hardware(const struct nic_units_cfg &cfg);
	~Hardware();

	bool start();		// after a reset: identifies the hardware, and tells its addresses
	void reset();		// it is started with its next input
	void frame(uint64_t now, const void *data, size_t len);
	void send(uint64_t now, Header h, const void *payload);
	void table(uint64_t now, uint32_t reg, uint32_t value);
	void complete(uint64_t now, const struct nic_completion &c);
	void event(uint64_t now, const struct nic_event &e);
	void read_done(uint64_t now, uint32_t id, const void *data, size_t len);
	void write_done(uint64_t now, uint32_t id, bool good);
	void access(uint64_t now, const struct nic_region_access &what, const void *data);
	bool writing() const { return !writes_.empty(); }
	bool waiting() const { return dut_->waits_o; }
	bool event_waits() const { return dut_->fw_wait_o; }
	void take_event(uint64_t now);
	void raise(uint64_t now, const struct engine_event &ev);
	void random(uint64_t number);
	uint64_t next() const;
	void advance(uint64_t now);
	void command(uint64_t now, enum tally_fw_store_command command, uint32_t group, uint32_t num);
	void bar_write(uint64_t now, uint32_t offset, const void *data, size_t len);
	void update(uint64_t now, const struct engine_update &u);
	void end(uint64_t now, const struct engine_end &x);

	tally::Alu alu;

private:
	bool busy() const
	{
		return !dut_->idle_o || !frames_.empty() || !headers_.empty() || !data_.empty() || !writes_.empty() ||
		       !ends_.empty() || !completions_.empty() || !events_.empty() || memory_.has_answers() || store_.busy() || local_.busy() ||
		       accesses_.busy(*dut_) || requests_.busy() || reads_.busy();
	}
	bool settled() const { return writes_.empty() && at_ - written_at_ >= settling * cfg_.clock_ps; }
	bool blocked() const	// by what concerns requests, or epochs
	{
		const Write *w = writes_.empty() ? nullptr : &writes_.front();

		return w && ((w->mark && !(requests_.passed(*w->mark) && store_.passed(w->ends))) ||
			     (w->commands && !store_.passed(w->value >> 16, *w->commands)) ||
			     (w->reg == command_go && !reads_.passed(w->value, w->raised, writes_done_)));
	}
	uint64_t edge_at(uint64_t now) const;
	uint64_t deadline() const { return dut_->deadline_valid_o ? edge_at(dut_->deadline_o) : UINT64_MAX; }
	void wake(uint64_t edge);
	void idle_inputs();
	void edge();
	void offer();
	void offer_queues();
	void take_queues();
	void report();
	void report_fatal();
	bool written();
	bool reserve_again(const Write &w);
	void settle();
	void rise();
	void tick();
	void dump(uint64_t time);
	void received();
	void deliver();
	bool complete(Arrived &a);
	void deliver(const Arrived &a);
	bool headers_before(uint64_t number) const;
	bool may_enter(const Header &h) const;
	void pass_by();
	void header_taken();
	void offer_write();
	void read_numbers();
	void tell_numbers();
	bool write_address(uint32_t at, const uint8_t *bytes, size_t n);

	const struct nic_units_cfg cfg_;
	std::string name_;
	VerilatedContext context_;
	std::unique_ptr<Vdut> dut_;
	std::unique_ptr<VerilatedFstC> fst_;
	struct rtl_wave wave_;
	uint64_t at_ = 0;		// time of the next edge; every earlier one has been or is left out
	uint64_t left_from_ = 0;	// time of the first word of the frame that leaves
	Source frames_, data_;
	std::deque<Header> headers_;
	uint64_t headers_put_ = 0;
	std::deque<Write> writes_;	// without an answer
	bool write_taken_ = false;	// of the first one
	uint64_t writes_put_ = 0, writes_done_ = 0;
	uint64_t written_at_ = 0;	// when the last one was put, or carried out
	std::deque<Arrived> arrived_;
	std::deque<End> ends_;
	std::deque<Queued<struct nic_completion>> completions_;
	std::deque<Queued<struct nic_event>> events_;
	uint64_t completions_put_ = 0, completions_taken_ = 0;
	tally::AxiMaster memory_;
	bool fatal_told_ = false;
	bool fresh_ = false;		// nothing has entered since the last reset
	bool started_ = false;
	std::deque<Bytes> payloads_;		// the last one may be incomplete
	bool payload_open_ = false;
	std::optional<struct engine_sent> acked_, again_;	// of the present edge
	std::optional<struct engine_expiry> expired_;
	Bytes leaving_;
	tally::Requests requests_;
	tally::Local local_{ requests_ };
	tally::Store store_;
	tally::Accesses accesses_;
	tally::Trigger trigger_{ store_ };
	tally::Events reads_;
	std::deque<uint64_t> numbers_;		// random ones that have not been taken
	uint64_t numbers_given_ = 0;
};

constexpr uint32_t pool_go = TALLY_FW_POOL_BASE + offsetof(struct tally_fw_pool, go);

bool begins_epoch(uint32_t reg, uint32_t value)
{
	return reg == pool_go && (value & 0xff) == TALLY_FW_POOL_BEGIN;
}

bool renews_edge(uint32_t reg, uint32_t value)
{
	return reg == TALLY_FW_COMMAND_BASE + offsetof(struct tally_fw_command, go) && (value & 0xff) == TALLY_FW_CMD_RENEW_EDGE;
}

// Whether a write opens an edge for packets that are sent. Tombstones send none that have numbers.
bool opens_edge(uint32_t reg, uint32_t value)
{
	constexpr uint32_t tombstones = TALLY_FW_GROUP_BASE + TALLY_MAX_GROUP * TALLY_FW_GROUP_STRIDE;
	uint32_t at = (reg - TALLY_FW_GROUP_BASE) % TALLY_FW_GROUP_STRIDE;

	return renews_edge(reg, value) ||
	       (reg >= TALLY_FW_GROUP_BASE && reg < tombstones && at >= TALLY_FW_EDGE_OFFSET &&
		(at - TALLY_FW_EDGE_OFFSET) % TALLY_FW_EDGE_STRIDE == offsetof(struct tally_fw_edge, own_first_seq));
}

std::string name_of(const struct nic_units_cfg &cfg)
{
	char text[2 * sizeof(cfg.mac) + 1];

	if (cfg.name)
		return cfg.name;
	for (size_t i = 0; i < sizeof(cfg.mac); i++)
		std::snprintf(text + 2 * i, 3, "%02x", cfg.mac[i]);
	return text;
}

Hardware::Hardware(const struct nic_units_cfg &cfg)
	: cfg_(cfg), name_(name_of(cfg)), wave_(rtl_wave_of(name_.c_str())), memory_(cfg.host, cfg.ctx),
	  requests_(cfg.host, cfg.ctx)
{
	if (wave_.path)
		context_.traceEverOn(true);
	dut_ = std::make_unique<Vdut>(&context_, name_.c_str());
	if (wave_.path) {
		fst_ = std::make_unique<VerilatedFstC>();
		dut_->trace(fst_.get(), 99);
		fst_->open(wave_.path);
	}
	dut_->clk_i = 0;
	dut_->rst_ni = 1;
	idle_inputs();
	reset();
}

Hardware::~Hardware()
{
	if (fst_)
		fst_->close();
	dut_->final();
	std::free(wave_.path);
}

void Hardware::idle_inputs()
{
	dut_->axil_awvalid_i = dut_->axil_wvalid_i = dut_->axil_arvalid_i = 0;
	dut_->axil_bready_i = dut_->axil_rready_i = 0;
	dut_->rx_tvalid_i = dut_->hdr_valid_i = dut_->dat_tvalid_i = dut_->end_valid_i = 0;
	dut_->rx_terror_i = 0;
	dut_->random_valid_i = 0;
	dut_->cpl_valid_i = dut_->evt_valid_i = dut_->dma_bvalid_i = dut_->dma_rvalid_i = 0;
	dut_->irq_ready_i = 1;
	dut_->now_i = at_;
	dut_->now_ns_i = at_ / ps_of_ns;
	tally::Store::idle_inputs(*dut_);
	tally::Requests::idle_inputs(*dut_);
	tally::Accesses::idle_inputs(*dut_);
	tally::Local::idle_inputs(*dut_);
	tally::Events::idle_inputs(*dut_);
	dut_->tx_tready_i = dut_->rec_ready_i = dut_->pay_tready_i = dut_->ack_ready_i = 1;
	dut_->acked_ready_i = dut_->again_ready_i = dut_->expired_ready_i = 1;
}

// The inputs of a cycle are set: evaluates what depends on them.
void Hardware::settle()
{
	dut_->clk_i = 0;
	dut_->eval();
}

// One clock. It ends with the clock high, and with the outputs of the new cycle. Each evaluation costs as much as the
// other, so the falling edge is that at which the inputs change.
void Hardware::tick()
{
	settle();
	rise();
}

void Hardware::rise()
{
	dut_->clk_i = 1;
	dut_->eval();
}

void Hardware::reset()
{
	if (fresh_)
		return;
	fresh_ = true;
	started_ = false;
	frames_.clear();
	data_.clear();
	headers_.clear();
	writes_.clear();
	write_taken_ = false;
	writes_done_ = writes_put_;
	written_at_ = at_;
	arrived_.clear();
	ends_.clear();
	completions_.clear();
	completions_taken_ = completions_put_;
	events_.clear();
	memory_.clear();
	fatal_told_ = false;
	payloads_.clear();
	leaving_.clear();
	store_.clear();
	requests_.clear();
	accesses_.clear();
	local_.clear();
	trigger_.clear();
	reads_.clear();
	numbers_.clear();
	payload_open_ = false;
	idle_inputs();
	dut_->rst_ni = 0;
	tick();
	tick();
	dut_->rst_ni = 1;
	settle();
}

// An address in registers of 32 bits, the first byte in the low bits of the first one.
bool Hardware::write_address(uint32_t at, const uint8_t *bytes, size_t n)
{
	for (size_t i = 0; i < n; i += 4) {
		uint32_t word = 0;

		std::memcpy(&word, bytes + i, std::min<size_t>(4, n - i));
		if (!tally::axil_write(*dut_, at + i, word, [this] { tick(); }))
			return false;
	}
	return true;
}

bool Hardware::start()
{
	constexpr uint32_t base = TALLY_FW_NET_BASE;
	auto get = [this](uint32_t at) { return tally::axil_read(*dut_, at, [this] { tick(); }); };
	auto id = get(base + offsetof(struct tally_fw_net, id)), units = get(base + offsetof(struct tally_fw_net, units));

	if (id != TALLY_FW_NET_ID || units != expected_units) {
		sim_warn("%s: the hardware has id %x and units %x, not %x and %x", name_.c_str(), id.value_or(0), units.value_or(0),
			 TALLY_FW_NET_ID, expected_units);
		return false;
	}
	for (unsigned int left = longest_start; !dut_->idle_o; left--) {	// it empties its tables
		if (!left)
			return false;
		tick();
	}
	started_ = write_address(base + offsetof(struct tally_fw_net, mac), cfg_.mac, sizeof(cfg_.mac)) &&
		   write_address(base + offsetof(struct tally_fw_net, gid), cfg_.gid, sizeof(cfg_.gid));
	return started_;
}

// The first edge at or after a time.
uint64_t Hardware::edge_at(uint64_t now) const
{
	return (now + cfg_.clock_ps - 1) / cfg_.clock_ps * cfg_.clock_ps;
}

// The next edge is needed for what is inside, or a later one because a time comes.
uint64_t Hardware::next() const
{
	if (!started_)
		return UINT64_MAX;
	return busy() ? at_ : deadline() == UINT64_MAX ? UINT64_MAX : std::max(at_, deadline());
}

// Called before an input is added that may enter at this edge.
void Hardware::wake(uint64_t edge)
{
	if (!started_ && !start())
		std::abort();	// it did so before
	fresh_ = false;
	if (!busy())
		at_ = std::max(at_, edge);
}

// The frame's last bit is here now; its words have come one by one before. They enter at their edges, as far as those
// have not been needed for something else.
void Hardware::frame(uint64_t now, const void *data, size_t len)
{
	uint64_t last = edge_at(now), before = (len - 1) / word_bytes * cfg_.clock_ps, first = last - std::min(before, last);

	wake(first);
	frames_.add(first, data, len);
}

void Hardware::send(uint64_t now, Header h, const void *payload)
{
	h.at = edge_at(now);
	h.after = writes_put_;
	wake(h.at);
	h.number = headers_put_++;
	if (h.payload_len) {
		const uint8_t *from = static_cast<const uint8_t *>(payload);

		h.payload.assign(from, from + h.payload_len);
	}
	headers_.push_back(std::move(h));
}

void Hardware::table(uint64_t now, uint32_t reg, uint32_t value)
{
	// A CQ must not be destroyed before its completions have entered, and packets of an earlier life of an edge must not
	// take numbers of the next one. What was told of a queue pair before a command is of before it.
	const bool queue = reg == TALLY_FW_QUEUE_BASE + offsetof(struct tally_fw_queue, go);
	Write w = { edge_at(now), queue ? completions_put_ : 0, opens_edge(reg, value) ? headers_put_ : 0, {}, 0, {}, reg, value, numbers_given_,
		    reads_.raised() };

	if (reg == TALLY_FW_REQUEST_BASE + offsetof(struct tally_fw_request, go) ||
	    reg == TALLY_FW_STATUS_BASE + offsetof(struct tally_fw_status, go)) {
		w.mark = requests_.mark();
		w.ends = store_.mark();
	}
	// A group begins or leaves when its last epoch has ended in the store.
	if (begins_epoch(reg, value) || (reg == pool_go && (value & 0xff) == TALLY_FW_POOL_LEAVE))
		w.commands = store_.commands();
	requests_.put(reg, value);
	trigger_.put(reg, value);
	if (reg == command_go)
		reads_.commanded(value);

	wake(w.at);
	writes_.push_back(w);
	writes_put_++;
	written_at_ = std::max(at_, w.at);
}

void Hardware::command(uint64_t now, enum tally_fw_store_command command, uint32_t group, uint32_t num)
{
	uint64_t at = edge_at(now);

	wake(at);
	store_.command(at, writes_put_, command, group, num);
}

void Hardware::bar_write(uint64_t now, uint32_t offset, const void *data, size_t len)
{
	uint64_t at = edge_at(now);

	wake(at);
	requests_.bar_write(at, writes_put_, offset, data, len);
}

void Hardware::update(uint64_t now, const struct engine_update &u)
{
	uint64_t at = edge_at(now);

	wake(at);
	requests_.update(at, u);
}

void Hardware::end(uint64_t now, const struct engine_end &x)
{
	uint64_t at = edge_at(now);

	wake(at);
	requests_.end(at, x);
}

void Hardware::take_event(uint64_t now)
{
	uint64_t at = edge_at(now);

	wake(at);
	reads_.take(at, writes_put_);
}

void Hardware::raise(uint64_t now, const struct engine_event &ev)
{
	uint64_t at = edge_at(now);

	wake(at);
	reads_.raise(at, writes_put_, ev);
}

void Hardware::random(uint64_t number)
{
	numbers_.push_back(number);
	numbers_given_++;
}

void Hardware::complete(uint64_t now, const struct nic_completion &c)
{
	uint64_t at = edge_at(now);

	wake(at);
	completions_.push_back({ at, writes_put_, c });
	completions_put_++;
}

void Hardware::event(uint64_t now, const struct nic_event &e)
{
	uint64_t at = edge_at(now);

	wake(at);
	events_.push_back({ at, writes_put_, e });
}

void Hardware::read_done(uint64_t now, uint32_t id, const void *data, size_t len)
{
	uint64_t at = edge_at(now);

	wake(at);
	memory_.read_done(at, id, data, len);
}

void Hardware::write_done(uint64_t now, uint32_t id, bool good)
{
	uint64_t at = edge_at(now);

	wake(at);
	memory_.write_done(at, id, good);
}

void Hardware::access(uint64_t now, const struct nic_region_access &what, const void *data)
{
	uint64_t at = edge_at(now);

	wake(at);
	accesses_.put(at, what, data);
}

void Hardware::offer_queues()
{
	auto may_enter = [this](const auto &queue) {
		return !queue.empty() && queue.front().at <= at_ && queue.front().after <= writes_done_;
	};

	dut_->cpl_valid_i = may_enter(completions_);
	if (dut_->cpl_valid_i) {
		const struct nic_completion &c = completions_.front().what;

		dut_->cpl_cqn_i = c.cqn;
		dut_->cpl_solicited_i = c.solicited;
		dut_->cpl_rung_i = c.rung;
		dut_->cpl_rung_at_i = c.rung_at;
		std::memcpy(&dut_->cpl_cqe_i, &c.cqe, sizeof(c.cqe));
	}
	dut_->evt_valid_i = may_enter(events_);
	if (dut_->evt_valid_i) {
		const struct nic_event &e = events_.front().what;

		dut_->evt_eqn_i = e.eqn;
		dut_->evt_type_i = e.type;
		dut_->evt_id_i = e.id;
		dut_->evt_data_i = e.data;
	}
	memory_.offer(at_, *dut_);
}

void Hardware::take_queues()
{
	if (dut_->cpl_valid_i && dut_->cpl_ready_o) {
		completions_.pop_front();
		completions_taken_++;
	}
	if (dut_->evt_valid_i && dut_->evt_ready_o)
		events_.pop_front();
	memory_.transfer(*dut_);
}

// What the queues say at this edge.
void Hardware::report()
{
	const struct nic_cq_event e = { dut_->told_cqn_o, dut_->told_eqn_o, dut_->told_type_o };

	if (dut_->cqe_o)
		cfg_.host->count(cfg_.ctx, TALLY_CTR_cqes);
	if (dut_->event_lost_o)
		cfg_.host->count(cfg_.ctx, TALLY_CTR_drop_event);
	if (dut_->event_marked_o)
		cfg_.host->count(cfg_.ctx, TALLY_CTR_ecn_marked);
	if (dut_->overrun_o)
		cfg_.host->count(cfg_.ctx, TALLY_CTR_cq_overruns);
	if (dut_->dma_error_o)
		cfg_.host->count(cfg_.ctx, TALLY_CTR_dma_errors);
	if (dut_->irq_valid_o)
		cfg_.host->interrupt(cfg_.ctx, dut_->irq_eqn_o, dut_->irq_vector_o);
	if (dut_->told_valid_o)
		cfg_.host->cq_event(cfg_.ctx, &e);
}

// The code stays, and changes at the last edge that there is a need for.
void Hardware::report_fatal()
{
	if (!dut_->fatal_code_o || fatal_told_)
		return;
	fatal_told_ = true;
	cfg_.host->fatal(cfg_.ctx, static_cast<enum tally_fatal>(dut_->fatal_code_o));
}

bool Hardware::headers_before(uint64_t number) const
{
	return std::any_of(headers_.begin(), headers_.end(), [=](const Header &h) { return h.number < number; });
}

bool Hardware::may_enter(const Header &h) const
{
	return h.at <= at_ && h.after <= writes_done_;
}

// The header that is offered waits until packets of its edge are acknowledged. What is sent again and what has no number
// passes it, since the neighbour may wait for that before it acknowledges anything.
void Hardware::pass_by()
{
	auto other = std::find_if(headers_.begin(), headers_.end(), [this](const Header &h) { return !h.is_new() && may_enter(h); });

	if (other != headers_.end())
		std::rotate(headers_.begin(), other, std::next(other));
}

void Hardware::header_taken()
{
	const Header &h = headers_.front();

	if (h.payload_len)
		data_.add(at_, h.payload.data(), h.payload_len);
	headers_.pop_front();
}

void Hardware::offer_write()
{
	const bool write = !writes_.empty() && !write_taken_ && writes_.front().at <= at_ &&
			   writes_.front().after <= completions_taken_ &&
			   !headers_before(writes_.front().behind) && !blocked();

	dut_->axil_awvalid_i = dut_->axil_wvalid_i = write;
	dut_->axil_bready_i = 1;
	dut_->axil_wstrb_i = 0xf;
	if (!write)
		return;
	dut_->axil_awaddr_i = writes_.front().reg;
	dut_->axil_wdata_i = writes_.front().value;
}

void Hardware::offer()
{
	requests_.complete(*dut_);
	offer_write();
	dut_->rx_tvalid_i = frames_.offer(at_, dut_->rx_tdata_i, dut_->rx_tkeep_i, dut_->rx_tlast_i);
	dut_->dat_tvalid_i = data_.offer(at_, dut_->dat_tdata_i, dut_->dat_tkeep_i, dut_->dat_tlast_i);
	dut_->now_i = at_;
	dut_->now_ns_i = at_ / ps_of_ns;
	offer_queues();
	reads_.offer(*dut_, at_, writes_done_);
	dut_->random_valid_i = !numbers_.empty();
	if (dut_->random_valid_i)
		dut_->random_i = numbers_.front();
	store_.offer(*dut_, at_, writes_done_);
	requests_.offer(*dut_, at_, writes_done_);
	accesses_.offer(*dut_, at_);
	local_.offer(*dut_);
	dut_->end_valid_i = !ends_.empty();
	if (dut_->end_valid_i) {
		dut_->end_flight_i = ends_.front().flight;
		dut_->end_stored_i = ends_.front().stored;
	}
	dut_->hdr_valid_i = !headers_.empty() && may_enter(headers_.front());
	if (!dut_->hdr_valid_i)
		return;
	const Header &h = headers_.front();

	tally::write_header(&dut_->hdr_i[0], h.hdr, h.tch, h.payload_len);
	dut_->name_i = h.name ? tally::name_word(*h.name) : 0;
}

// The firmware of the model does not know how many shared cells messages hold in the hardware.
bool Hardware::reserve_again(const Write &w)
{
	const uint32_t reg = w.reg, value = w.value;
	const std::optional<uint32_t> cells = trigger_.cells(reg, value);

	if (!cells)
		return false;
	table(at_, TALLY_FW_TRIGGER_BASE + offsetof(struct tally_fw_trigger, cells), *cells);
	table(at_, reg, value);
	return true;
}

// The hardware takes the write that is offered, or has carried it out. Returns whether it was the last one.
bool Hardware::written()
{
	if (dut_->axil_awvalid_i && dut_->axil_awready_o)
		write_taken_ = true;
	if (!dut_->axil_bvalid_o)
		return false;
	if (dut_->axil_bresp_o && !reserve_again(writes_.front())) {
		sim_warn("%s: the hardware refuses to write %x to register %x", name_.c_str(), writes_.front().value,
			 writes_.front().reg);
		std::abort();
	}
	// The model has the numbers that were meant for it.
	if (renews_edge(writes_.front().reg, writes_.front().value) && numbers_given_ - numbers_.size() != writes_.front().numbers) {
		sim_warn("%s: the hardware takes other random numbers than the model", name_.c_str());
		std::abort();
	}
	requests_.written(writes_.front().reg, writes_.front().value);
	if (writes_.front().reg == command_go)
		reads_.carried_out(writes_.front().value);
	if (begins_epoch(writes_.front().reg, writes_.front().value))
		store_.begun(writes_.front().value >> 16);
	writes_.pop_front();
	writes_done_++;
	write_taken_ = false;
	written_at_ = at_;
	return writes_.empty();
}

void Hardware::received()
{
	if (dut_->rec_valid_o) {
		Arrived a = { tally::read_record(&dut_->rec_o[0], dut_->adm_o, dut_->rec_flight_valid_o), std::nullopt,
			      static_cast<bool>(dut_->rec_here_o) };

		if (dut_->rec_flight_valid_o)
			a.flight = dut_->rec_flight_o;
		if (a.record.verdict == TALLY_RX_OK)
			arrived_.push_back(a);
		else
			cfg_.host->bad(cfg_.ctx, a.record.verdict);
	}
	if (!dut_->pay_tvalid_o)
		return;
	if (!payload_open_)
		payloads_.emplace_back();
	append(payloads_.back(), dut_->pay_tdata_o, dut_->pay_tkeep_o);
	payload_open_ = !dut_->pay_tlast_o;
}

// Whether all of a packet is here, or the answer of the store that has its payload.
bool Hardware::complete(Arrived &a)
{
	tally::Record &r = a.record;

	if (a.here) {
		auto answer = store_.packets.find(*a.flight);

		if (answer == store_.packets.end())
			return false;
		r.admission.answer = answer->second;
		store_.packets.erase(answer);
		return true;
	}
	return !r.payload_len || r.admission.verdict != TALLY_FW_ADMISSION_OK || payloads_.size() >= (payload_open_ ? 2u : 1u);
}

// The hardware learns at the next edge which packets are stored; of those in the store it knows that.
void Hardware::deliver(const Arrived &a)
{
	const tally::Record &r = a.record;
	Bytes body(r.tch, r.tch + sizeof(r.tch));

	if (a.here) {
		body.resize(sizeof(r.tch) + r.payload_len);
	} else if (r.payload_len && r.admission.verdict == TALLY_FW_ADMISSION_OK) {
		body.insert(body.end(), payloads_.front().begin(), payloads_.front().end());
		payloads_.pop_front();
	}
	bool stored = cfg_.host->packet(cfg_.ctx, &r.hdr, body.data(), body.size(), &r.admission, settled());

	if (a.flight && !a.here)
		ends_.push_back({ *a.flight, stored });
}

// Hands over the packets that are complete. One that waits for the store holds up no other one.
void Hardware::deliver()
{
	store_.deliver(*cfg_.host, cfg_.ctx);
	for (auto at = arrived_.begin(); at != arrived_.end();) {
		if (!complete(*at)) {
			if (!at->here)
				return;
			++at;
			continue;
		}
		Arrived a = *at;

		at = arrived_.erase(at);
		deliver(a);
	}
}

// What becomes of numbered packets.
void Hardware::read_numbers()
{
	if (dut_->acked_valid_o)
		acked_ = tally::read_sent(&dut_->acked_o[0]);
	if (dut_->again_valid_o)
		again_ = tally::read_sent(&dut_->again_o[0]);
	if (dut_->expired_valid_o)
		expired_ = tally::read_expiry(dut_->expired_o);
}

void Hardware::tell_numbers()
{
	if (acked_)
		cfg_.host->acked(cfg_.ctx, &*acked_, settled());
	if (again_)
		cfg_.host->again(cfg_.ctx, &*again_, settled());
	if (expired_)
		cfg_.host->expired(cfg_.ctx, &*expired_);
	acked_.reset();
	again_.reset();
	expired_.reset();
}

// Runs the edge at at_. What the hardware offers before it, with all of it taken, is what leaves at this edge.
void Hardware::edge()
{
	uint64_t now = at_;
	struct engine_ack ack;
	bool acks, leaves, all_written;

	offer();
	settle();
	if (dut_->err_valid_o) {
		sim_warn("%s: tally_encap refuses a packet: error %u", name_.c_str(), dut_->err_o);
		std::abort();	// a run that loses a packet has wrong results
	}
	if (dut_->rx_tvalid_i && dut_->rx_tready_o)
		frames_.taken();
	if (dut_->end_valid_i && dut_->end_ready_o)
		ends_.pop_front();
	if (dut_->dat_tvalid_i && dut_->dat_tready_o)
		data_.taken();
	if (dut_->hdr_valid_i && dut_->hdr_ready_o)
		header_taken();
	else if (dut_->hdr_full_o)
		pass_by();
	requests_.observe(*dut_);
	all_written = written();
	local_.observe(*dut_);
	store_.observe(*dut_);
	trigger_.observe(*dut_);
	reads_.observe(*dut_);
	if (dut_->random_valid_i && dut_->random_ready_o)
		numbers_.pop_front();
	accesses_.observe(*dut_);
	at_ += cfg_.clock_ps;	// before the calls, which may bring inputs for the next edge
	take_queues();
	report();
	received();
	if (dut_->tx_tvalid_o && leaving_.empty())
		left_from_ = now;
	if (dut_->tx_tvalid_o)
		append(leaving_, dut_->tx_tdata_o, dut_->tx_tkeep_o);
	leaves = dut_->tx_tvalid_o && dut_->tx_tlast_o;
	acks = dut_->ack_valid_o;
	if (acks)
		ack = tally::read_ack(&dut_->ack_o[0]);
	read_numbers();
	dump(now);
	rise();
	report_fatal();
	deliver();
	accesses_.deliver(*cfg_.host, cfg_.ctx);
	local_.deliver(*cfg_.host, cfg_.ctx);
	trigger_.deliver(*cfg_.host, cfg_.ctx);
	reads_.deliver(*dut_, writes_put_, *cfg_.host, cfg_.ctx);
	requests_.deliver();
	tell_numbers();
	if (all_written)
		cfg_.host->written(cfg_.ctx);
	if (acks)
		cfg_.host->acknowledge(cfg_.ctx, &ack);
	if (leaves) {
		cfg_.host->transmit(cfg_.ctx, leaving_.data(), leaving_.size(), now - left_from_);
		leaving_.clear();
	}
}

void Hardware::dump(uint64_t time)
{
	if (fst_ && time >= wave_.from && time <= wave_.to)
		fst_->dump(time);
}

void Hardware::advance(uint64_t now)
{
	for (uint64_t at; (at = next()) <= now; edge())
		at_ = at;
}

// ---- struct nic_units ----

Hardware *self(void *units)
{
	return static_cast<Hardware *>(units);
}

void *open_units(const struct nic_units_cfg *cfg)
{
	auto h = std::make_unique<Hardware>(*cfg);

	if (h->start())
		return h.release();
	errno = ENODEV;
	return nullptr;
}

void close_units(void *units)
{
	delete self(units);
}

void reset_units(void *units)
{
	self(units)->reset();
}

void put_frame(void *units, uint64_t now, const void *data, size_t len)
{
	self(units)->frame(now, data, len);
}

void put_packet(void *units, uint64_t now, const struct roce_hdr *hdr, const struct tally_tch *tch, const void *payload,
		size_t len, const struct engine_name *name)
{
	self(units)->send(now, { 0, 0, *hdr, *tch, len, name ? std::optional(*name) : std::nullopt }, payload);
}

void put_register(void *units, uint64_t now, uint32_t reg, uint32_t value)
{
	self(units)->table(now, reg, value);
}

void raise_event(void *units, uint64_t now, const struct engine_event *ev)
{
	self(units)->raise(now, *ev);
}

void command(void *units, uint64_t now, enum tally_fw_store_command command, uint32_t group, uint32_t num)
{
	self(units)->command(now, command, group, num);
}

uint16_t reduce(void *units, uint8_t op, uint8_t type, void *acc, const void *in, uint32_t count)
{
	return self(units)->alu.reduce(op, type, acc, in, count);
}

uint64_t next_edge(void *units)
{
	return self(units)->next();
}

void advance(void *units, uint64_t now)
{
	self(units)->advance(now);
}

void put_completion(void *units, uint64_t now, const struct nic_completion *c)
{
	self(units)->complete(now, *c);
}

void put_event(void *units, uint64_t now, const struct nic_event *e)
{
	self(units)->event(now, *e);
}

void read_done(void *units, uint64_t now, uint32_t id, const void *data, size_t len)
{
	self(units)->read_done(now, id, data, len);
}

void write_done(void *units, uint64_t now, uint32_t id, bool good)
{
	self(units)->write_done(now, id, good);
}

void bar_write(void *units, uint64_t now, uint32_t offset, const void *data, size_t len)
{
	self(units)->bar_write(now, offset, data, len);
}

void put_update(void *units, uint64_t now, const struct engine_update *u)
{
	self(units)->update(now, *u);
}

void put_end(void *units, uint64_t now, const struct engine_end *x)
{
	self(units)->end(now, *x);
}

void access(void *units, uint64_t now, const struct nic_region_access *what, const void *data)
{
	self(units)->access(now, *what, data);
}

bool writing(void *units)
{
	return self(units)->writing();
}

bool waiting(void *units)
{
	return self(units)->waiting();
}

bool event_waits(void *units)
{
	return self(units)->event_waits();
}

void take_event(void *units, uint64_t now)
{
	self(units)->take_event(now);
}

void random(void *units, uint64_t number)
{
	self(units)->random(number);
}

const struct nic_units hardware = {
	open_units, close_units, reset_units, put_frame, put_packet, put_register, command, reduce, next_edge, advance,
	put_completion, put_event, read_done, write_done, bar_write, put_update, put_end, access, writing, waiting, event_waits,
	take_event, raise_event, random,
};

} // namespace

extern "C" const struct nic_units *rtl_units(void)
{
	return &hardware;
}
