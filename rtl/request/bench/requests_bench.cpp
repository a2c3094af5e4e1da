// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_requests: a driver with registers, processes that write requests to their send queues and ring for them,
// pushed or not, and an engine that takes the parsed requests. Each request must come in its order, once, and as the model's
// parser sees it; queue pairs fail, are flushed, reset and created again amid their traffic. Which entry is read when is what
// the bench of tally_fetch compares with the model.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <deque>
#include <map>
#include <set>
#include <vector>

#include "Vdut.h"
#include "bench.h"
#include "wqe_ports.h"
#include "wqe_record.h"
#include "wqe_requests.h"

extern "C" {
#include "gen/tally_fw_hw.h"
#include "tally-push.h"
}

#define REG(field) (TALLY_FW_REQUEST_BASE + static_cast<uint32_t>(offsetof(struct tally_fw_request, field)))
#define AT(block, field) static_cast<uint32_t>(offsetof(struct tally_fw_##block, field))
#define SETUP(field) (TALLY_FW_SETUP_OFFSET + AT(setup, field))

constexpr unsigned int cq_slot = 9, cqn = 1;
constexpr uint64_t page_size = TALLY_PAGE_SIZE;

enum Phase { RUN, FAIL, RESET, BEGIN };

struct Posted {
	model_around around;
	model_request want;
	bool there;	// it can be read
};

struct Queue {
	Phase phase = RESET;
	bool busy = false;	// registers are being written for the next phase
	bool in_error = false, overruns = false, failing = false, asked = false;
	model_around around = {};
	uint32_t pd = 0;
	unsigned int log_depth = 0;
	uint64_t base = 0, root = 0;
	unsigned int levels = 0;
	bool lost = false;	// its page list cannot be read
	uint64_t posted = 0, admit = 0, head = 0;
	uint32_t known = 0;	// of those posted, as the hardware says
	std::vector<Posted> entries;
	std::set<uint64_t> ahead;
	std::map<uint64_t, bool> skips;	// whether it passes at once

	uint64_t depth() const { return 1ull << log_depth; }
};

struct Write {
	uint32_t reg, value;
	int qp;		// whose command it is; -1: nobody's
};

struct Store {
	uint32_t offset;
	uint8_t data[64];
	uint64_t strb;
	int qp;		// whose slot or push buffer it is; -1: that of a completion queue
};

struct Burst {
	unsigned int id;
	uint64_t addr;
	unsigned int beats;
};

class World {
public:
	explicit World(tally::Bench<Vdut> &bench) : bench_(bench), rng_(bench.rng), dut_(*bench.dut), requests_(bench.rng) {}

	bool stalls = true, posts = true, slow = false; // slow: few requests retire, and few fail, so that windows are full
	uint64_t verdicts[6] = {}, skips = 0, pushed = 0, bells = 0, unread = 0, refused = 0, resets = 0, overs = 0, listed = 0;

	void restart();
	void cycle();
	void finish();

private:
	tally::Bench<Vdut> &bench_;
	tally::Rng &rng_;
	Vdut &dut_;
	Requests requests_;
	Queue queues_[Qps];
	std::map<uint64_t, std::array<uint8_t, page_size>> memory_;
	std::deque<Write> writes_;
	std::deque<Store> stores_;
	std::deque<uint64_t> bell_counts_;
	std::vector<Burst> bursts_;
	std::deque<uint16_t> answers_;
	std::vector<Access> accesses_;
	std::map<unsigned int, std::pair<uint64_t, uint32_t>> gather_, result_;
	uint8_t data_[64 * 64];
	std::vector<uint32_t> domains_;	// of accesses_
	bool written_ = false;		// a write waits for its answer
	bool quiet_ = false;
	tally::Throttle reg_{ rng_ }, w_{ rng_ }, ar_{ rng_ }, r_{ rng_ }, chk_{ rng_ }, ans_{ rng_ }, req_{ rng_ }, bell_{ rng_ };

	bool go(tally::Throttle &t) { return !stalls || t.go(); }
	static unsigned int uar_of(unsigned int n) { return n % Uars; }
	static unsigned int slot_of(unsigned int n) { return n; }
	static bool has_push(unsigned int n) { return n < Uars; }

	// ---- Memory ----
	uint8_t *find(uint64_t addr)
	{
		auto page = memory_.find(addr / page_size);

		return page == memory_.end() ? nullptr : &page->second[addr % page_size];
	}

	void put_queue(unsigned int n);
	bool put_entry(unsigned int n, uint64_t index, const std::vector<uint8_t> &bytes);

	// ---- The driver ----
	void write(uint32_t reg, uint64_t value, int qp = -1) { writes_.push_back({ reg, uint32_t(value), qp }); }
	void write_wide(uint32_t reg, uint64_t value)
	{
		write(reg, value);
		write(reg + 4, value >> 32);
	}
	void command(tally_fw_request_code code, unsigned int n) { write(REG(go), code | n << 16, n); }
	void put_group(unsigned int n);
	void start(unsigned int n, bool create);
	void change(unsigned int n);
	void offer_register();
	void carried_out(const Write &w);

	// ---- The processes ----
	void store(uint32_t offset, const void *data, uint64_t strb, int qp);
	bool has_stores(int qp) const;
	void ring(unsigned int n, uint64_t count);
	void post(unsigned int n);
	void ring_cq();
	void push(unsigned int n, const std::vector<uint8_t> &bytes);
	void offer_stores();

	// ---- The engine ----
	void offer_engine();
	void take_engine();
	void advance(Queue &q);
	void note_posted(unsigned int n, uint32_t count);
	void take_request();
	void check_request(const Queue &q, uint64_t index);
	void take_accesses();
	void offer_memory();
	void take_memory();
	bool is_quiet() const;
};

// ---- Memory ----

// A send queue in contiguous memory, or in pages of which some are missing.
void World::put_queue(unsigned int n)
{
	Queue &q = queues_[n];
	uint64_t size = q.depth() * q.around.stride, area = (1ull + n) << 32;

	for (auto i = memory_.lower_bound(area / page_size); i != memory_.end() && i->first < (area + (1ull << 32)) / page_size;)
		i = memory_.erase(i);
	q.levels = rng_.below(3);
	q.lost = false;
	listed += q.levels != 0;
	q.base = q.levels ? rng_.below(2) * q.around.stride % page_size : area + rng_.below(8) * 8192;
	q.root = q.levels ? area : q.base;
	if (!q.levels) {
		for (uint64_t at = q.base & -page_size; at < q.base + size; at += page_size)
			memory_[at / page_size] = {};
		return;
	}
	uint64_t table = area, pages = area + (1ull << 20);

	for (unsigned int level = q.levels; level > 1; level--, table += page_size) {
		uint64_t next = table + page_size;

		memory_[table / page_size] = {};
		std::memcpy(find(table), &next, 8);
	}
	memory_[table / page_size] = {};
	for (uint64_t at = 0; at < q.base + size; at += page_size) {
		uint64_t page = pages + (at / page_size ^ 1) * page_size;

		if (slow || !rng_.one_in(16))
			memory_[page / page_size] = {};
		std::memcpy(find(table) + at / page_size * 8, &page, 8);
	}
	q.lost = !slow && rng_.one_in(5);
	if (q.lost)
		memory_.erase(table / page_size);
}

// Writes an entry where it can be written. Returns whether it can be read.
bool World::put_entry(unsigned int n, uint64_t index, const std::vector<uint8_t> &bytes)
{
	const Queue &q = queues_[n];
	uint64_t area = (1ull + n) << 32, place = q.base + index % q.depth() * q.around.stride;
	bool there = !q.lost;

	for (size_t i = 0; i < bytes.size(); i += 64) {
		uint64_t at = place + i;
		uint8_t *to = find(q.levels ? area + (1ull << 20) + (at / page_size ^ 1) * page_size + at % page_size : at);

		if (to)
			std::memcpy(to, &bytes[i], 64);
		there &= to != nullptr;
	}
	return there;
}

// ---- The driver ----

void World::put_group(unsigned int n)
{
	const model_around &a = queues_[n].around;
	uint32_t group = TALLY_FW_GROUP_BASE + n * TALLY_FW_GROUP_STRIDE, qp = TALLY_FW_QP_BASE + n * TALLY_FW_QP_STRIDE;

	write(group + SETUP(jid), a.jid);
	write(group + SETUP(mode), a.mode);
	write(group + SETUP(max_segs), a.max_segs);
	write(group + AT(group, flags), (a.sparse ? TALLY_GROUP_F_SPARSE : 0) | (a.ordered ? TALLY_GROUP_F_ORDERED : 0));
	write(group + AT(group, mtu), a.mtu);
	write(group + AT(group, chunk), a.chunk);
	write(group + AT(group, modes), a.modes);
	write(group + AT(group, total_ranks), a.total_ranks);
	write(group + AT(group, num_nodes), a.num_nodes);
	write(group + AT(group, node), a.node);
	write(group + AT(group, parent), a.parent);
	write_wide(group + AT(group, rank_mask), a.rank_mask);
	write_wide(group + AT(group, children), a.children);
	write_wide(group + AT(group, combined), a.dests & 0x5555555555555555);
	write_wide(group + AT(group, peers), a.dests & ~0x5555555555555555);
	for (unsigned int k = 0; k < 8; k++) {
		const model_choice &c = a.choice[k];

		write(group + SETUP(choice_modes) + 4 * k, c.small | c.middle << 8 | c.large << 16);
		write(group + SETUP(choice_logs) + 4 * k, c.small_log | c.middle_log << 8);
	}
	write(qp + AT(qp, group), n);
	write(qp + AT(qp, stride), a.stride);
	write(qp + AT(qp, pd), queues_[n].pd);
	write_wide(qp + AT(qp, ranks), a.ranks);
}

// Lets a queue pair that is in RESET, or does not exist, begin.
void World::start(unsigned int n, bool create)
{
	Queue &q = queues_[n];

	if (create) {
		do
			requests_.other_group();
		while (slow && requests_.around.stride > 512);
		q.around = requests_.around;
		q.pd = rng_.below(TALLY_MAX_PD);
		q.log_depth = slow ? 8 : rng_.below(9);
		put_queue(n);
		put_group(n);
		write(REG(offset), q.levels ? q.base : 0);
		write_wide(REG(addr), q.root);
		write(REG(levels), q.levels);
		write(REG(page_shift), q.levels ? TALLY_MIN_PAGE_SHIFT : 0);
		write(REG(log_depth), q.log_depth);
		write(REG(log_stride), __builtin_ctz(q.around.stride));
		command(TALLY_FW_REQUEST_CREATE_QP, n);
	}
	write(REG(log_stride), __builtin_ctz(q.around.stride));
	write(REG(uar), uar_of(n));
	write(REG(slot), slot_of(n));
	write(REG(push), has_push(n));
	command(TALLY_FW_REQUEST_BIND_QP, n);
	command(TALLY_FW_REQUEST_START_QP, n);
	q.busy = true;
}

// What the driver has seen to be carried out.
void World::carried_out(const Write &w)
{
	if (w.qp < 0)
		return;
	Queue &q = queues_[w.qp];

	switch (w.value & 0xff) {
	case TALLY_FW_REQUEST_CREATE_QP:
	case TALLY_FW_REQUEST_RESET_QP:
		q.in_error = q.overruns = q.failing = q.asked = false;
		q.posted = q.admit = q.head = q.known = 0;
		q.entries.clear();
		q.ahead.clear();
		q.skips.clear();
		resets++;
		if ((w.value & 0xff) == TALLY_FW_REQUEST_RESET_QP) {
			q.phase = BEGIN;
			q.busy = false;
		}
		break;
	case TALLY_FW_REQUEST_FAIL_QP:
		q.in_error = true;
		q.busy = false;
		break;
	case TALLY_FW_REQUEST_START_QP:
		q.phase = RUN;
		q.busy = false;
		break;
	default:
		break;
	}
}

// Fails or resets queue pairs now and then, and those that have failed.
void World::change(unsigned int n)
{
	Queue &q = queues_[n];

	if (q.busy || !posts)
		return;
	// What the engine has offered must be taken before the command, which may forget what it is about.
	if ((dut_.retire_valid_i && dut_.retire_qp_i == n) || (dut_.told_valid_i && dut_.told_qp_i == n))
		return;
	bool offered = dut_.req_valid_o && dut_.req_qp_o == n && !slow;	// the command must wait

	if (q.phase == RUN && (offered ? rng_.one_in(60) : q.in_error || q.overruns || q.failing ? rng_.one_in(100) : rng_.one_in(slow ? 20000 : 3000))) {
		q.phase = rng_.one_in(4) ? RESET : FAIL;
		if (q.phase == FAIL) {
			command(TALLY_FW_REQUEST_FAIL_QP, n);
			q.busy = true;
		}
	} else if (q.phase == FAIL && q.head == q.posted) {
		q.phase = RESET;
	} else if (q.phase == RESET) {
		command(TALLY_FW_REQUEST_RESET_QP, n);
		q.busy = true;
	} else if (q.phase == BEGIN) {
		for (unsigned int left = rng_.below(8); left; left--)	// of before: they do not count
			ring(n, 1 + rng_.below(300));
		start(n, rng_.one_in(4));
	}
}

void World::offer_register()
{
	dut_.axil_bready_i = 1;
	dut_.write_i = 0;
	if (writes_.empty() || written_)
		return;
	const Write &w = writes_.front();

	// Its doorbells are inside, or are being taken in this clock.
	if (w.reg == REG(go) && (w.value & 0xff) == TALLY_FW_REQUEST_START_QP && has_stores(w.qp))
		return;
	dut_.addr_i = dut_.axil_awaddr_i = w.reg;
	dut_.data_i = dut_.axil_wdata_i = w.value;
	dut_.axil_wstrb_i = 15;
	if (w.reg >= TALLY_FW_QP_BASE) {
		dut_.write_i = go(reg_);
	} else if (!dut_.axil_awvalid_i && go(reg_)) {
		dut_.axil_awvalid_i = dut_.axil_wvalid_i = 1;
	}
}

// ---- The processes ----

bool World::has_stores(int qp) const
{
	return std::any_of(stores_.begin(), stores_.end(), [=](const Store &s) { return s.qp == qp; });
}

void World::store(uint32_t offset, const void *data, uint64_t strb, int qp)
{
	Store s = { offset, {}, strb, qp };

	std::memcpy(s.data, data, 64);
	stores_.push_back(s);
}

void World::ring(unsigned int n, uint64_t count)
{
	struct tally_uar_slot slot = {};

	slot.counter = count;
	store(TALLY_BAR_UAR_OFFSET + uar_of(n) * 4096 + slot_of(n) * 64, &slot, 0xff, n);
}

void World::push(unsigned int n, const std::vector<uint8_t> &bytes)
{
	const Queue &q = queues_[n];
	tally_wqe w;

	std::memcpy(&w, bytes.data(), sizeof(w));
	uint64_t used = sizeof(w) + (uint64_t(w.inline_len) + 15) / 16 * 16 + 16 * (w.num_gather + w.num_result);

	if (used > bytes.size() || used > TALLY_PUSH_LINES * TALLY_PUSH_PIECE)
		return;
	for (uint64_t i = 0; i < tally_push_lines(used); i++) {
		struct tally_push_line line = {};

		std::memcpy(line.data, &bytes[i * 56], std::min<size_t>(56, bytes.size() - i * 56));
		line.posted = q.posted;
		store(TALLY_BAR_PUSH_OFFSET + uar_of(n) * TALLY_PUSH_SIZE + (q.posted % 2 * TALLY_PUSH_LINES + i) * 64, &line, ~0ull, n);
	}
}

// Posts one or several requests, most of them good ones.
void World::post(unsigned int n)
{
	Queue &q = queues_[n];
	uint64_t room = q.depth() - (q.posted - q.head), num = rng_.one_in(3) ? 1 + rng_.below(4) : 1;
	bool single = num == 1 && has_push(n);

	if (q.phase != RUN || q.busy || q.in_error || q.overruns || !room || !posts)
		return;
	if (!slow && rng_.one_in(50)) {
		ring(n, q.posted + q.depth() + 1 + rng_.below(3));
		q.overruns = true;	// soon
		return;
	}
	for (uint64_t left = std::min(room, num); left; left--) {
		Posted p = {};
		std::vector<uint8_t> bytes;

		do {
			requests_.around = q.around;
			requests_.around.index = q.posted;
			bytes = requests_.entry();
			p.around = requests_.around;
			model_parse(&p.want, &p.around, bytes.data());
			// Behind an ABORT nothing is looked for ahead of its turn.
		} while ((p.want.status && !rng_.one_in(slow ? 2000 : 40)) || (slow && p.want.opcode == TALLY_OPCODE_ABORT && !rng_.one_in(20)));
		p.there = put_entry(n, q.posted, bytes);
		q.entries.push_back(p);
		q.posted++;
		if (single && p.there && !rng_.one_in(4))
			push(n, bytes);
	}
	ring(n, q.posted);
}

void World::ring_cq()
{
	struct tally_uar_slot slot = {};

	slot.counter = rng_.next();
	store(TALLY_BAR_UAR_OFFSET + cq_slot * 64, &slot, 0xff, -1);
	bell_counts_.push_back(slot.counter);
}

void World::offer_stores()
{
	dut_.push_awvalid_i = dut_.push_wvalid_i = !stores_.empty() && (dut_.push_wvalid_i || go(w_));
	dut_.push_bready_i = 1;
	if (!dut_.push_wvalid_i)
		return;
	dut_.push_awaddr_i = stores_.front().offset;
	dut_.push_awlen_i = 0;
	dut_.push_awsize_i = 6;
	dut_.push_awburst_i = 1;
	dut_.push_wlast_i = 1;
	std::memcpy(&dut_.push_wdata_i, stores_.front().data, 64);
	dut_.push_wstrb_i = stores_.front().strb;
}

// ---- The engine ----

void World::offer_engine()
{
	unsigned int n = rng_.below(Qps);
	const Queue &q = queues_[n];

	dut_.chk_ready_i = go(chk_);
	dut_.ans_valid_i = !answers_.empty() && go(ans_);
	dut_.ans_status_i = dut_.ans_valid_i ? answers_.front() : rng_.below(100);
	dut_.req_ready_i = go(req_);
	dut_.bell_ready_i = go(bell_);
	// Not while a command of the queue pair is on its way, which may forget what they are about.
	if (!dut_.retire_valid_i && q.head != q.admit && !q.busy && rng_.one_in(slow && posts && q.phase == RUN ? 1000 : 8)) {
		dut_.retire_valid_i = 1;
		dut_.retire_qp_i = n;
	}
	if (!dut_.told_valid_i && q.asked && !q.busy && rng_.one_in(20)) {
		dut_.told_valid_i = 1;
		dut_.told_qp_i = n;
		dut_.told_fails_i = 0;
	}
}

// Entries that were answered ahead pass in their turn.
void World::advance(Queue &q)
{
	for (auto next = q.skips.find(q.admit); next != q.skips.end(); next = q.skips.find(q.admit)) {
		if ((next->second && q.head != q.admit) || !q.ahead.erase(q.admit))
			return;
		q.head += next->second;
		q.skips.erase(next);
		q.admit++;
	}
}

void World::check_request(const Queue &q, uint64_t index)
{
	const Posted &p = q.entries[index];
	model_request want = p.want;
	unsigned int width = width_of(request_fields(want));
	uint16_t status = get_bits(dut_.req_o, width - 16, 16);

	if (!p.there) {
		std::memset(&want, 0, sizeof(want));
		want.status = TALLY_COLL_WQE_FETCH;
		want.index = index;
		check_fields(dut_.req_o, request_fields(want), 6);
		unread++;
		return;
	}
	if (status)
		want.flags = (want.flags & ~TALLY_WQE_F_TO_PARENT) | (get_bits(dut_.req_o, width - 56, 32) & TALLY_WQE_F_TO_PARENT);
	check_fields(dut_.req_o, request_fields(want), status ? 6 : valid_fields(want));
	refused += status != 0;
	if (status || is_bare(want))
		return;
	CHECK(accesses_ == accesses_of(want), "wrong accesses (%zu)", accesses_.size());
	for (uint32_t pd : domains_)
		CHECK(pd == q.pd, "an access in protection domain %u instead of %u", pd, q.pd);
	for (unsigned int i = 0; i < want.num_gather; i++)
		CHECK(gather_[i] == std::make_pair(uint64_t(want.gather[i].addr), uint32_t(want.gather[i].lkey)), "gather entry %u", i);
	for (unsigned int i = 0; i < want.num_result; i++)
		CHECK(result_[i] == std::make_pair(uint64_t(want.result[i].addr), uint32_t(want.result[i].lkey)), "result entry %u", i);
	CHECK(!std::memcmp(data_, want.data, want.inline_len), "wrong inline data");
}

void World::take_request()
{
	if (!dut_.req_valid_o || !dut_.req_ready_i)
		return;
	Queue &q = queues_[dut_.req_qp_o];
	unsigned int width = width_of(request_fields({})), verdict = dut_.req_verdict_o;
	uint32_t index = get_bits(dut_.req_o, width - 88, 32);
	uint16_t status = get_bits(dut_.req_o, width - 16, 16);
	uint8_t opcode = get_bits(dut_.req_o, width - 24, 8);
	bool asks = !status && (opcode == TALLY_OPCODE_QUERY || opcode == TALLY_OPCODE_ABORT);	// the engine is asked, also ahead of its turn

	verdicts[verdict]++;
	if (verdict == TALLY_FW_VERDICT_AHEAD) {
		CHECK(asks, "request %u is answered ahead and asks for nothing", index);
		CHECK(index >= q.admit && index < q.posted && q.ahead.insert(index).second, "request %u is answered ahead of %llu", index,
		      (unsigned long long)q.admit);
		check_request(q, index);
		q.asked |= opcode == TALLY_OPCODE_QUERY;
		return;
	}
	advance(q);
	if (verdict == TALLY_FW_VERDICT_FLUSH) {
		CHECK(q.in_error && q.head == q.admit && q.head < q.posted, "a queue pair is flushed too early");
		q.head++;
		q.admit++;
		return;
	}
	CHECK(verdict == (asks ? TALLY_FW_VERDICT_ASK : TALLY_FW_VERDICT_TAKE), "verdict %u is offered for opcode %u", verdict, opcode);
	CHECK(q.admit < q.posted && !q.failing, "a request of nobody");
	CHECK(q.entries[q.admit].want.index == index || !q.entries[q.admit].there || status, "request %u instead of %llu", index,
	      (unsigned long long)q.admit);
	check_request(q, q.admit++);
	q.failing = status != 0;
	q.asked |= asks && opcode == TALLY_OPCODE_QUERY;
}

void World::take_accesses()
{
	if (dut_.chk_valid_o && dut_.chk_ready_i) {
		Access a = { get_bits(dut_.chk_o, 0, 64), static_cast<uint32_t>(get_bits(dut_.chk_o, 64, 32)),
			     static_cast<uint32_t>(get_bits(dut_.chk_o, 96, 32)), get_bits(dut_.chk_o, 128, 1) != 0 };

		accesses_.push_back(a);
		domains_.push_back(dut_.chk_pd_o);
		answers_.push_back(model_access(a.addr, a.length, a.lkey, a.write));
	}
	if (dut_.data_valid_o)
		std::memcpy(data_ + 64 * dut_.data_index_o, &dut_.data_o, 64);
	if (dut_.entry_valid_o)
		(dut_.entry_result_o ? result_ : gather_)[dut_.entry_index_o] = { dut_.entry_addr_o, dut_.entry_lkey_o };
}

// A count of before a reset must not be seen any more when the queue pair runs again.
void World::note_posted(unsigned int n, uint32_t count)
{
	Queue &q = queues_[n];

	CHECK(count > q.known && count <= q.posted, "queue pair %u has posted %u of %llu, and %u before", n, count, (unsigned long long)q.posted,
	      q.known);
	q.known = count;
}

void World::take_engine()
{
	if (dut_.ans_valid_i)
		answers_.pop_front();
	if (dut_.skip_valid_o) {
		Queue &q = queues_[dut_.skip_qp_o];

		CHECK(!dut_.skip_passes_o || q.in_error, "entry %u passes, although the queue pair has not failed", dut_.skip_index_o);
		CHECK(q.skips.insert({ dut_.skip_index_o, dut_.skip_passes_o != 0 }).second, "entry %u is skipped twice", dut_.skip_index_o);
		skips++;
	}
	if (dut_.over_valid_o) {
		CHECK(queues_[dut_.over_qp_o].overruns, "queue pair %u is overrun", dut_.over_qp_o);
		queues_[dut_.over_qp_o].in_error = true;
		overs++;
	}
	if (dut_.posted_valid_o)
		note_posted(dut_.posted_qp_o, dut_.posted_count_o);
	take_request();
	if (dut_.begin_o) {
		accesses_.clear();
		domains_.clear();
	}
	take_accesses();
	if (dut_.bell_valid_o) {
		CHECK(!bell_counts_.empty() && dut_.bell_cqn_o == cqn && dut_.bell_counts_o && dut_.bell_count_o == bell_counts_.front(),
		      "a doorbell of nobody");
		if (dut_.bell_ready_i) {
			bell_counts_.pop_front();
			bells++;
		}
	}
	pushed += dut_.pushed_o;
}

void World::offer_memory()
{
	dut_.dma_arready_i = go(ar_);
	dut_.dma_rvalid_i = 0;
	if (bursts_.empty() || !go(r_))
		return;
	size_t k = rng_.below(bursts_.size());
	Burst &b = bursts_[k];
	const uint8_t *at = find(b.addr);

	dut_.dma_rvalid_i = 1;
	dut_.dma_rid_i = b.id;
	dut_.dma_rresp_i = at ? 0 : 2;
	if (at)
		std::memcpy(&dut_.dma_rdata_i, at, 64);
	b.addr += 64;
	if (!--b.beats)
		bursts_.erase(bursts_.begin() + k);
}

void World::take_memory()
{
	if (dut_.dma_arvalid_o && dut_.dma_arready_i)
		bursts_.push_back({ dut_.dma_arid_o, dut_.dma_araddr_o & ~63ull, dut_.dma_arlen_o + 1u });
}

void World::cycle()
{
	unsigned int n = rng_.below(Qps);

	change(n);
	if (posts && rng_.one_in(40))
		ring_cq();
	if (rng_.one_in(slow ? 8 : 30) && stores_.size() < 200)
		post(slow && !rng_.one_in(8) ? 0 : rng_.below(Qps));
	offer_register();
	offer_stores();
	offer_engine();
	offer_memory();
	bench_.settle();

	bool input = dut_.axil_awvalid_i || dut_.push_wvalid_i || dut_.retire_valid_i || dut_.told_valid_i || dut_.dma_rvalid_i;
	bool output = dut_.req_valid_o || dut_.bell_valid_o || dut_.dma_arvalid_o || dut_.chk_valid_o || dut_.push_bvalid_o;

	CHECK(dut_.busy_o || !output, "an offer without busy_o");
	CHECK(!dut_.busy_o || !quiet_, "busy_o without an input");
	quiet_ = !dut_.busy_o && !input;
	CHECK(!dut_.write_i || dut_.mine_o, "register %x is not one", dut_.addr_i);
	if (dut_.axil_bvalid_o) {
		CHECK(!dut_.axil_bresp_o, "register %x is refused", writes_.front().reg);
		carried_out(writes_.front());
	}
	take_engine();
	take_memory();
	bool retired = dut_.retire_valid_i && dut_.retire_ready_o, told = dut_.told_valid_i && dut_.told_ready_o;
	bool stored = dut_.push_wvalid_i && dut_.push_wready_o, taken = dut_.axil_awvalid_i && dut_.axil_awready_o;
	bool answered = dut_.axil_bvalid_o || dut_.write_i;

	if (retired)
		queues_[dut_.retire_qp_i].head++;
	if (told)
		queues_[dut_.told_qp_i].asked = false;
	for (Queue &q : queues_)
		advance(q);
	bench_.tick();
	if (retired)
		dut_.retire_valid_i = 0;
	if (told)
		dut_.told_valid_i = 0;
	if (stored)
		stores_.pop_front();
	if (stored)
		dut_.push_wvalid_i = 0;
	if (taken) {
		dut_.axil_awvalid_i = dut_.axil_wvalid_i = 0;
		written_ = true;
	}
	if (answered) {
		writes_.pop_front();
		written_ = false;
	}
}

void World::restart()
{
	dut_.axil_awvalid_i = dut_.axil_wvalid_i = dut_.write_i = dut_.push_awvalid_i = dut_.push_wvalid_i = 0;
	dut_.retire_valid_i = dut_.told_valid_i = dut_.ans_valid_i = dut_.chk_ready_i = dut_.req_ready_i = dut_.bell_ready_i = 0;
	dut_.dma_arready_i = dut_.dma_rvalid_i = dut_.push_bready_i = 0;
	for (Queue &q : queues_)
		q = Queue();
	slow = !slow;
	writes_.clear();
	stores_.clear();
	bell_counts_.clear();
	bursts_.clear();
	answers_.clear();
	accesses_.clear();
	domains_.clear();
	written_ = quiet_ = false;
	bench_.reset();
	write(REG(uar), 0);
	write(REG(slot), cq_slot);
	write(REG(go), TALLY_FW_REQUEST_BIND_CQ | cqn << 16);
	for (unsigned int n = 0; n < Qps; n++)
		start(n, true);
	posts = false;
	for (unsigned int left = 4000; left && !writes_.empty(); left--)
		cycle();
	CHECK(writes_.empty(), "the registers are stuck");
	posts = true;
}

bool World::is_quiet() const
{
	if (!writes_.empty() || !stores_.empty() || dut_.busy_o || !bell_counts_.empty())
		return false;
	for (const Queue &q : queues_)
		if (q.phase == RUN && !q.failing && !q.in_error && !q.overruns && (q.head != q.posted || q.known != q.posted || q.asked))
			return false;
	return true;
}

void World::finish()
{
	posts = false;
	for (unsigned int left = 200000; left && !is_quiet(); left--)
		cycle();
	for (unsigned int n = 0; n < Qps; n++) {
		const Queue &q = queues_[n];

		CHECK(q.phase != RUN || q.failing || q.in_error || q.overruns || q.head == q.posted, "queue pair %u: %llu of %llu requests have come", n,
		      (unsigned long long)q.admit, (unsigned long long)q.posted);
	}
	CHECK(is_quiet(), "something waits for ever: %zu registers, %zu stores, %zu doorbells, busy_o %d", writes_.size(), stores_.size(),
	      bell_counts_.size(), dut_.busy_o);
	posts = true;
}

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("requests", argc, argv);
	World world(bench);

	bench.live(bench.times(20), [&] { world.restart(); }, [&] {
		world.stalls = bench.rng.one_in(2);
		for (unsigned int left = world.slow ? 12000 : 6000; left; left--)
			world.cycle();
		world.finish();
	});
	for (enum tally_fw_verdict v : { TALLY_FW_VERDICT_TAKE, TALLY_FW_VERDICT_ASK, TALLY_FW_VERDICT_AHEAD, TALLY_FW_VERDICT_FLUSH })
		CHECK(world.verdicts[v] > 5, "verdict %d came %llu times", v, (unsigned long long)world.verdicts[v]);
	CHECK(world.pushed > 100 && world.bells > 100 && world.unread && world.refused > 10 && world.resets > 20 && world.overs && world.listed > 5 &&
		      world.skips,
	      "%llu pushed, %llu bells, %llu unread, %llu refused, %llu resets, %llu overruns, %llu lists, %llu skips",
	      (unsigned long long)world.pushed, (unsigned long long)world.bells, (unsigned long long)world.unread,
	      (unsigned long long)world.refused, (unsigned long long)world.resets, (unsigned long long)world.overs,
	      (unsigned long long)world.listed, (unsigned long long)world.skips);
	return bench.finish();
}
