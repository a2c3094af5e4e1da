// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_nic_memory: three users access memory regions, requests are checked and read, two sources give completions, and the
// driver writes registers of both parts, all with pauses in which the clocks stand still. Each access ends once, for its user, with
// the bytes of its region; each answer is that of its check; each completion and event is in memory once, in the order of its
// source. What the parts do in all cases is shown by their own benches: here, all memory is there, and no queue is too full.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <deque>
#include <map>
#include <vector>

#include "Vdut.h"
#include "bench.h"
#include "cqe_writer_model.h"
#include "quiet.h"
extern "C" {
#include "gen/tally_fw_hw.h"
#include "gen/tally_hw.h"
}

#define REGION(field) (TALLY_FW_REGION_BASE + offsetof(struct tally_fw_region, field))
#define QUEUE(field) (TALLY_FW_QUEUE_BASE + offsetof(struct tally_fw_queue, field))

constexpr uint64_t base = 5ull << 40, page = 4096;
constexpr unsigned int users = 3, jobs = 8, cqs = 2, log_depth = 4, depth = 1 << log_depth, word_bytes = 64;
constexpr unsigned int engine = 0, local = 1, desc = 2;
// Places in memory: what is only read, a page of each job of each user that is only written, rings.
constexpr uint64_t read_bytes = 16 * page, written_at = read_bytes, written_bytes = users * jobs * page,
		   rings_at = written_at + written_bytes, memory_bytes = rings_at + (cqs + 1) * page;
constexpr uint32_t read_key = 1 << 8 | 1, write_key = 2 << 8 | 1, pd_of_regions = 3;
constexpr uint64_t read_iova = 7ull << 32 | 24, write_iova = 9ull << 32 | 8;

template <typename Port> void put(Port &port, unsigned int at, unsigned int bits, uint64_t value)
{
	uint32_t *words = reinterpret_cast<uint32_t *>(&port);

	for (unsigned int i = 0; i < bits; i++, at++)
		words[at / 32] = (words[at / 32] & ~(1u << at % 32)) | uint32_t(value >> i & 1) << at % 32;
}

template <typename Port> uint64_t address(const Port &port)
{
	return uint64_t(port[2]) << 51 | uint64_t(port[1]) << 19 | port[0] >> 13;
}

struct Access {
	bool write, good;
	unsigned int job, len;
	uint64_t offset;		// in its region
	std::vector<uint8_t> data;	// that is written, or has been read
	bool ends = false;		// the last word was read
};

struct Burst {
	unsigned int id, words;
	uint64_t addr;
};

struct Write {
	uint32_t reg, value;
	bool good = true;
};

struct Completion {
	tally_cqe cqe;
	bool rung;
	uint64_t rung_at;
};

struct Source {		// of completions
	bool offered = false;
	unsigned int cqn = 0;
	Completion next = {};
};

class World {
public:
	explicit World(tally::Bench<Vdut> &bench) : bench_(bench), rng_(bench.rng), dut_(*bench.dut), memory_(memory_bytes) {}

	uint64_t reads[users] = {}, writes[users] = {}, refused[users] = {}, answers[2] = {}, fetched = 0, completions[2] = {}, events = 0,
		 told = 0, still = 0;

	void restart()
	{
		dut_.axil_awvalid_i = dut_.axil_wvalid_i = dut_.axil_bready_i = dut_.acc_valid_i = dut_.acw_valid_i = 0;
		dut_.loc_valid_i = dut_.loc_dat_valid_i = dut_.desc_valid_i = dut_.desc_dat_valid_i = dut_.chk_valid_i = 0;
		dut_.req_arvalid_i = dut_.bell_valid_i = dut_.done_valid_i = dut_.cpl_valid_i = dut_.evt_valid_i = 0;
		dut_.dma_awready_i = dut_.dma_wready_i = dut_.dma_bvalid_i = dut_.dma_arready_i = dut_.dma_rvalid_i = dut_.irq_ready_i = 0;
		forget();
		quiet_.restart();
		dut_.starts_i = 1;
		bench_.reset();
		bench_.tick();
		dut_.starts_i = 0;
		rng_.fill(memory_.data(), read_bytes);
		std::fill(memory_.begin() + read_bytes, memory_.end(), 0);
		set_up();
	}

	void cycle()
	{
		dut_.now_ns_i = now_ += rng_.below(10);
		if (!left_--) {
			pauses_ = !pauses_ && rng_.one_in(2);
			left_ = rng_.below(300);
		}
		offer();
		bench_.settle();
		take();
		bench_.tick();
		held_ -= held_ > 0;
	}

	// All that was begun ends, and what comes while all rests does so, too.
	void finish()
	{
		const bool paused = pauses_;

		pauses_ = true;
		left_ = 60000;
		end();
		ring_all();
		for (unsigned int u = 0; u < users; u++)
			alone([&] {
				choose(u);
				held_ = rng_.below(100);
			});
		alone([&] { choose_check(); });
		alone([&] { choose_fetch(); });
		alone([&] { choose_event(); });
		pauses_ = paused;
		left_ = 0;
	}

private:
	tally::Bench<Vdut> &bench_;
	tally::Rng &rng_;
	Vdut &dut_;
	Quiet quiet_;
	tally::Throttle irq_{ rng_ };
	std::vector<uint8_t> memory_;
	uint64_t now_ = 0, left_ = 0;
	bool pauses_ = false;
	unsigned int held_ = 0;		// clocks in which the memory takes no address of a write, and the engine gives no word

	void end()
	{
		for (unsigned int i = 0; i < 10000 && !rests(); i++)
			cycle();
		CHECK(rests(), "%zu %zu %zu accesses, %zu checks, %zu reads, %zu registers, %zu completions, %llu events wait for ever",
		      inside_[0].size(), inside_[1].size(), inside_[2].size(), checks_.size(), fetches_.size(), registers_.size(),
		      accepted_[0].size() - polled_[0] + accepted_[1].size() - polled_[1], (unsigned long long)(expected_ - interrupts_));
	}

	// What is given here must start the clock that it needs.
	template <typename Give> void alone(Give give)
	{
		give();
		end();
	}

	// Doorbells right behind each other, with nothing else under way, and then a completion for each: all of them raise events.
	void ring_all()
	{
		for (unsigned int q = 0; q < cqs; q++)
			ask(q);
		end();
		for (unsigned int q = 0; q < cqs; q++)
			alone([&] { give(sources_[rng_.below(2)], q); });
		for (unsigned int q = 0; q < cqs; q++)
			CHECK(!armed_[q], "a doorbell of CQ %u is lost", q);
	}

	bool offered_[users] = {}, word_offered_[users] = {};
	Access access_[users] = {};
	std::map<unsigned int, Access> inside_[users];	// by job
	std::deque<std::vector<uint8_t>> words_[users];
	std::deque<unsigned int> order_;		// users of accesses of own, and of their words
	std::deque<std::vector<uint8_t>> own_words_;
	bool asks_ = false, ask_good_ = false;
	std::deque<bool> checks_;			// whether they are permitted
	bool fetches_on_ = false;
	Burst fetch_ = {};
	std::map<unsigned int, Burst> fetches_;
	std::deque<Write> registers_;
	bool reg_offered_ = false, reg_taken_ = false;
	std::vector<Burst> bursts_;
	std::deque<Burst> write_bursts_;
	std::deque<unsigned int> write_ids_;
	bool r_offered_ = false, b_offered_ = false;
	size_t r_from_ = 0, b_from_ = 0;
	Source sources_[2];				// done_*, cpl_*
	bool on_offer_ = false;				// the one of cpl_* has its turn
	std::vector<Completion> accepted_[cqs];
	uint64_t polled_[cqs] = {}, told_of_[cqs] = {};	// told_of_: asked for an event up to here
	std::deque<unsigned int> bells_;
	bool bell_offered_ = false, armed_[cqs] = {}, evt_offered_ = false;
	uint64_t arm_[cqs] = {}, expected_ = 0, interrupts_ = 0, consumed_ = 0;

	bool go(unsigned int one_in = 3) { return !pauses_ && rng_.one_in(one_in); }
	bool ready() { return pauses_ || !rng_.one_in(3); }

	void forget()
	{
		for (unsigned int u = 0; u < users; u++) {
			offered_[u] = word_offered_[u] = false;
			inside_[u].clear();
			words_[u].clear();
		}
		for (unsigned int q = 0; q < cqs; q++) {
			accepted_[q].clear();
			polled_[q] = told_of_[q] = arm_[q] = 0;
			armed_[q] = false;
		}
		order_.clear();
		own_words_.clear();
		checks_.clear();
		fetches_.clear();
		registers_.clear();
		bursts_.clear();
		write_bursts_.clear();
		write_ids_.clear();
		bells_.clear();
		sources_[0] = sources_[1] = Source();
		asks_ = fetches_on_ = reg_offered_ = reg_taken_ = r_offered_ = b_offered_ = bell_offered_ = evt_offered_ = false;
		on_offer_ = false;
		expected_ = interrupts_ = consumed_ = 0;
	}

	bool rests() const
	{
		for (unsigned int u = 0; u < users; u++)
			if (offered_[u] || !inside_[u].empty() || !words_[u].empty())
				return false;
		for (unsigned int q = 0; q < cqs; q++)
			if (polled_[q] != accepted_[q].size())
				return false;
		return !asks_ && checks_.empty() && !fetches_on_ && fetches_.empty() && registers_.empty() && bursts_.empty() &&
		       write_bursts_.empty() && write_ids_.empty() && !sources_[0].offered && !sources_[1].offered && bells_.empty() &&
		       !evt_offered_ && expected_ == interrupts_ && !dut_.busy_o;
	}

	// ---- Registers ----

	void put_reg(uint32_t reg, uint64_t value, bool good = true) { registers_.push_back({ reg, uint32_t(value), good }); }

	void put_reg64(uint32_t reg, uint64_t value)
	{
		put_reg(reg, value);
		put_reg(reg + 4, value >> 32);
	}

	void enter(uint32_t key, uint64_t iova, uint64_t addr, uint64_t length, uint32_t access)
	{
		put_reg(REGION(lkey), key);
		put_reg64(REGION(iova), iova);
		put_reg64(REGION(addr), addr);
		put_reg64(REGION(length), length);
		put_reg(REGION(offset), 0);
		put_reg(REGION(levels), 0);
		put_reg(REGION(page_shift), 0);
		put_reg(REGION(pd), pd_of_regions);
		put_reg(REGION(access), access);
		put_reg(REGION(go), TALLY_FW_REGION_ENTER);
	}

	void create(unsigned int code, unsigned int number, uint64_t addr)
	{
		put_reg(QUEUE(offset), 0);
		put_reg64(QUEUE(addr), addr);
		put_reg(QUEUE(levels), 0);
		put_reg(QUEUE(page_shift), 0);
		put_reg(QUEUE(log_depth), log_depth);
		put_reg(QUEUE(eqn), 0);
		put_reg(QUEUE(vector), 1);
		put_reg(QUEUE(go), code | number << 16);
	}

	void set_up()
	{
		enter(read_key, read_iova, base, read_bytes, 0);
		enter(write_key, write_iova, base + written_at, written_bytes, TALLY_ACCESS_LOCAL_WRITE);
		create(TALLY_FW_QUEUE_CREATE_EQ, 0, base + rings_at + cqs * page);
		for (unsigned int q = 0; q < cqs; q++)
			create(TALLY_FW_QUEUE_CREATE_CQ, q, base + rings_at + q * page);
		for (unsigned int i = 0; i < 4000 && !registers_.empty(); i++) {
			offer_register();
			bench_.settle();
			take_register();
			bench_.tick();
		}
		CHECK(registers_.empty(), "register %x is never written", registers_.front().reg);
	}

	void offer_register()
	{
		if (!reg_offered_ && !reg_taken_ && !registers_.empty() && ready()) {
			reg_offered_ = true;
			dut_.axil_awaddr_i = registers_.front().reg;
			dut_.axil_wdata_i = registers_.front().value;
			dut_.axil_wstrb_i = 15;
		} else if (!reg_offered_) {
			dut_.axil_awaddr_i = rng_.next();
		}
		dut_.axil_awvalid_i = dut_.axil_wvalid_i = reg_offered_;
		dut_.axil_bready_i = ready();
	}

	void take_register()
	{
		const uint32_t at = dut_.axil_awaddr_i;

		CHECK(dut_.mine_o == ((at >= TALLY_FW_QUEUE_BASE && at < TALLY_FW_QUEUE_BASE + sizeof(struct tally_fw_queue)) ||
				      (at >= TALLY_FW_REGION_BASE && at < TALLY_FW_REGION_BASE + sizeof(struct tally_fw_region))),
		      "register %x is taken for one of another unit", at);
		if (reg_offered_ && dut_.axil_awready_o) {
			reg_offered_ = false;
			reg_taken_ = true;
		}
		if (!dut_.axil_bvalid_o || !dut_.axil_bready_i)
			return;
		CHECK(reg_taken_ && (dut_.axil_bresp_o == 0) == registers_.front().good, "register %x has the answer %d", registers_.front().reg, dut_.axil_bresp_o);
		reg_taken_ = false;
		registers_.pop_front();
	}

	// ---- Accesses ----

	void choose(unsigned int u)
	{
		Access a = {};

		a.job = rng_.below(jobs);
		if (inside_[u].count(a.job))
			return;
		a.write = rng_.one_in(2);
		a.good = !rng_.one_in(8);
		a.len = 1 + rng_.below(rng_.one_in(4) ? page - 64 : 130);
		a.offset = a.write ? (u * jobs + a.job) * page + rng_.below(page - a.len) : rng_.below(read_bytes - a.len);
		if (a.write) {
			a.data.resize(a.len);
			rng_.fill(a.data.data(), a.len);
		}
		access_[u] = a;
		offered_[u] = true;
	}

	void offer_access(unsigned int u)
	{
		if (!offered_[u] && go(6))
			choose(u);
		const Access &a = access_[u];
		const uint64_t addr = (a.write ? write_iova : read_iova) + a.offset;
		const uint32_t key = a.write ? write_key : read_key, pd = pd_of_regions ^ !a.good;

		word_offered_[u] = !words_[u].empty() && (word_offered_[u] || (ready() && !(u == engine && held_)));
		if (u == engine) {
			dut_.acc_valid_i = offered_[u];
			dut_.acc_pd_i = pd;
			dut_.acc_lkey_i = key;
			dut_.acc_addr_i = addr;
			dut_.acc_len_i = a.len;
			dut_.acc_write_i = a.write;
			dut_.acc_tag_i = a.job << 5 | 9;
			dut_.acw_valid_i = word_offered_[u];
		} else if (u == local) {
			dut_.loc_valid_i = offered_[u];
			fill(dut_.loc_i, a, addr, key, pd);
			dut_.loc_job_i = a.job;
			dut_.loc_dat_valid_i = word_offered_[u];
		} else {
			dut_.desc_valid_i = offered_[u];
			fill(dut_.desc_i, a, addr, key, pd);
			dut_.desc_number_i = a.job;
			dut_.desc_dat_valid_i = word_offered_[u];
		}
		if (word_offered_[u])
			std::memcpy(u == engine ? &dut_.acw_data_i : u == local ? &dut_.loc_dat_i : &dut_.desc_dat_i, words_[u].front().data(),
				    word_bytes);
	}

	// A tally_local_pkg::access_t.
	template <typename Port> void fill(Port &port, const Access &a, uint64_t addr, uint32_t key, uint32_t pd)
	{
		::put(port, 0, 13, a.len);
		::put(port, 13, 64, addr);
		::put(port, 77, 32, key);
		::put(port, 109, 16, pd);
		::put(port, 125, 1, a.write);
		::put(port, 126, 1, 0);
	}

	void take_access(unsigned int u)
	{
		const bool ready = u == engine ? dut_.acc_ready_o : u == local ? dut_.loc_ready_o : dut_.desc_ready_o;
		const bool word_ready = u == engine ? dut_.acw_ready_o : u == local ? dut_.loc_dat_ready_o : dut_.desc_dat_ready_o;

		if (word_offered_[u] && word_ready) {
			words_[u].pop_front();
			word_offered_[u] = false;
		}
		if (!offered_[u] || !ready)
			return;
		Access &a = access_[u];

		offered_[u] = false;
		for (size_t at = 0; a.write && at < a.len; at += word_bytes) {
			words_[u].emplace_back(word_bytes);
			std::memcpy(words_[u].back().data(), a.data.data() + at, std::min<size_t>(word_bytes, a.len - at));
			if (u != engine)
				own_words_.push_back(words_[u].back());
		}
		inside_[u][a.job] = a;
		if (u == engine)
			return;
		CHECK(dut_.acl_valid_o && dut_.acl_job_o == ((u == desc) << (OwnW - 1)) + a.job, "an access of user %u is not told", u);
		CHECK(!std::memcmp(&dut_.acl_o, u == local ? &dut_.loc_i : &dut_.desc_i, sizeof(dut_.acl_o)), "another access is told");
	}

	bool word_of(unsigned int u) const { return u == local ? dut_.loc_dat_valid_i : dut_.desc_dat_valid_i; }

	// The access that a tag names.
	Access &named(uint32_t tag, unsigned int &u, const char *what)
	{
		u = !(tag >> AccessTagW & 1) ? engine : tag >> (AccessTagW - 1) & 1 ? desc : local;
		const unsigned int job = u == engine ? tag >> 5 : tag & ((1u << (AccessTagW - 1)) - 1);

		CHECK(inside_[u].count(job) && (u != engine || (tag & 31) == 9), "%s of no access: tag %x", what, tag);
		return inside_[u][job];
	}

	void take_words()
	{
		unsigned int u;

		if (!dut_.acr_valid_o)
			return;
		Access &a = named(dut_.acr_tag_o, u, "a word");

		CHECK(dut_.loc_out_o == (u == local) && dut_.desc_out_o == (u == desc), "a word of user %u is for another one", u);
		CHECK(!a.write && a.good && !dut_.acr_error_o, "a word of an access that has none");
		if (u == engine && !dut_.acr_ready_i)
			return;
		const uint8_t *data = reinterpret_cast<uint8_t *>(&dut_.acr_data_o);

		a.data.insert(a.data.end(), data, data + __builtin_popcountll(dut_.acr_keep_o));
		if (!dut_.acr_last_o)
			return;
		CHECK(a.data.size() == a.len && !std::memcmp(a.data.data(), &memory_[a.offset], a.len), "user %u reads something else", u);
		reads[u]++;
		inside_[u].erase(a.job);
	}

	void take_end()
	{
		unsigned int u;

		if (!dut_.ace_valid_o)
			return;
		Access &a = named(dut_.ace_tag_o, u, "an end");

		CHECK(dut_.loc_done_o == (u == local) && dut_.desc_done_o == (u == desc), "an end of user %u is for another one", u);
		CHECK((dut_.ace_status_o == TALLY_COLL_OK) == a.good && (a.write || !a.good), "an access of user %u ends with %d", u, dut_.ace_status_o);
		if (u == engine && !dut_.ace_ready_i)
			return;
		if (a.good)
			CHECK(!std::memcmp(a.data.data(), &memory_[written_at + a.offset], a.len), "user %u writes something else", u);
		(a.good ? writes : refused)[u]++;
		inside_[u].erase(a.job);
	}

	void take_told()
	{
		const bool taken = (word_of(local) && dut_.loc_dat_ready_o) || (word_of(desc) && dut_.desc_dat_ready_o);

		CHECK(dut_.acl_valid_o == ((dut_.loc_valid_i && dut_.loc_ready_o) || (dut_.desc_valid_i && dut_.desc_ready_o)),
		      "an access is told that is not taken");
		CHECK(dut_.alw_valid_o == taken, "a word is told that is not taken");
		if (!dut_.alw_valid_o)
			return;
		CHECK(!own_words_.empty() && !std::memcmp(&dut_.alw_o, own_words_.front().data(), word_bytes), "another word is told");
		own_words_.pop_front();
	}

	// ---- Requests ----

	void choose_check()
	{
		asks_ = true;
		ask_good_ = rng_.one_in(2);
		dut_.chk_pd_i = pd_of_regions ^ !ask_good_;
		::put(dut_.chk_i, 0, 64, read_iova + rng_.below(100));
		::put(dut_.chk_i, 64, 32, rng_.below(10000));
		::put(dut_.chk_i, 96, 32, read_key);
		::put(dut_.chk_i, 128, 1, 0);
	}

	void choose_fetch()
	{
		fetch_ = { unsigned(rng_.below(16)), unsigned(1 + rng_.below(4)), base + rng_.below(100) * word_bytes };
		fetches_on_ = !fetches_.count(fetch_.id);
		::put(dut_.req_ar_i, 0, 13, (fetch_.words - 1) << 5 | 6 << 2 | 1);
		::put(dut_.req_ar_i, 13, 64, fetch_.addr);
		dut_.req_arid_i = fetch_.id;
	}

	void offer_requests()
	{
		if (!asks_ && go(8))
			choose_check();
		dut_.chk_valid_i = asks_;
		if (!fetches_on_ && go(10))
			choose_fetch();
		dut_.req_arvalid_i = fetches_on_;
		dut_.req_rready_i = ready();
	}

	void take_requests()
	{
		if (asks_ && dut_.chk_ready_o) {
			checks_.push_back(ask_good_);
			asks_ = false;
		}
		if (dut_.ans_valid_o) {
			CHECK(!checks_.empty() && (dut_.ans_status_o == TALLY_COLL_OK) == checks_.front(), "a check has status %d", dut_.ans_status_o);
			answers[checks_.front()]++;
			checks_.pop_front();
		}
		if (dut_.req_rvalid_o && dut_.req_rready_i) {
			auto it = fetches_.find(dut_.req_rid_o);

			CHECK(it != fetches_.end() && !dut_.req_rresp_o, "a word for no request");
			CHECK(!std::memcmp(&dut_.req_rdata_o, &memory_[it->second.addr - base], word_bytes), "another word for a request");
			it->second.addr += word_bytes;
			fetched++;
			if (!--it->second.words)
				fetches_.erase(it);
		}
		if (fetches_on_ && dut_.req_arready_o) {
			fetches_[fetch_.id] = fetch_;
			fetches_on_ = false;
		}
	}

	// ---- Queues ----

	void offer_source(Source &s)
	{
		const unsigned int q = rng_.below(cqs);

		if (!s.offered && go(8) && accepted_[q].size() + 2 - polled_[q] < depth)
			give(s, q);
	}

	void give(Source &s, unsigned int q)
	{
		s.offered = true;
		s.cqn = q;
		rng_.fill(&s.next.cqe, sizeof(s.next.cqe));
		s.next.rung = rng_.one_in(2);
		s.next.rung_at = now_ - rng_.below(1000);
	}

	void offer_queues()
	{
		const Source &d = sources_[0], &c = sources_[1];

		offer_source(sources_[0]);
		offer_source(sources_[1]);
		dut_.done_valid_i = d.offered;
		dut_.done_go_i = ready();
		dut_.done_cqn_i = d.cqn;
		std::memcpy(&dut_.done_i, &d.next.cqe, word_bytes);
		dut_.done_solicited_i = rng_.one_in(2);
		dut_.rung_i = d.next.rung;
		dut_.rung_at_i = d.next.rung_at;
		dut_.cpl_valid_i = c.offered;
		dut_.cpl_cqn_i = c.cqn;
		std::memcpy(&dut_.cpl_cqe_i, &c.next.cqe, word_bytes);
		dut_.cpl_solicited_i = rng_.one_in(2);
		dut_.cpl_rung_i = c.next.rung;
		dut_.cpl_rung_at_i = c.next.rung_at;
		const unsigned int asked = rng_.below(cqs);

		if (!armed_[asked] && go(10))
			ask(asked);
		bell_offered_ = !bells_.empty() && (bell_offered_ || ready());
		dut_.bell_valid_i = bell_offered_;
		if (bell_offered_) {
			dut_.bell_cqn_i = bells_.front();
			dut_.bell_counts_i = dut_.bell_arms_i = 1;
			dut_.bell_count_i = told_of_[bells_.front()];
			dut_.bell_arm_i = arm_[bells_.front()];
		}
		if (!evt_offered_ && expected_ - interrupts_ < 3 && go(30))
			choose_event();
		dut_.evt_valid_i = evt_offered_;
		dut_.irq_ready_i = pauses_ || irq_.go();
	}

	void choose_event()
	{
		evt_offered_ = true;
		dut_.evt_eqn_i = 0;
		dut_.evt_type_i = TALLY_EQE_PORT;
		dut_.evt_id_i = rng_.next();
		dut_.evt_data_i = rng_.next();
	}

	// One event for what comes next.
	void ask(unsigned int q)
	{
		armed_[q] = true;
		told_of_[q] = polled_[q];
		arm_[q] += 4;
		bells_.push_back(q);
	}

	void accept(Source &s, unsigned int which)
	{
		accepted_[s.cqn].push_back(s.next);
		completions[which]++;
		s.offered = false;
	}

	void take_queues()
	{
		const bool done = dut_.done_valid_i && dut_.done_ready_o, other = dut_.cpl_valid_i && dut_.cpl_ready_o;

		CHECK(!dut_.overrun_o && !dut_.dma_error_o && !dut_.fatal_code_o, "something fails");
		CHECK(!done || dut_.done_go_i, "a completion enters before it may");
		CHECK(!(done && other), "two completions enter");
		// The one from beyond that is on offer, since no other one may enter, stays so.
		on_offer_ = dut_.cpl_valid_i && (on_offer_ || !(dut_.done_valid_i && dut_.done_go_i));
		CHECK(!other || on_offer_, "a completion from beyond passes another one");
		CHECK(!done || !on_offer_, "a completion passes the one from beyond that is on offer");
		on_offer_ = on_offer_ && !other;
		if (done)
			accept(sources_[0], 0);
		if (other)
			accept(sources_[1], 1);
		if (bell_offered_ && dut_.bell_ready_o) {
			bells_.pop_front();
			bell_offered_ = false;
		}
		if (evt_offered_ && dut_.evt_ready_o) {
			evt_offered_ = false;
			expected_++;
		}
		if (dut_.told_valid_o) {
			CHECK(armed_[dut_.told_cqn_o] && dut_.told_type_o == TALLY_EQE_CQ, "an event of a CQ that has not asked");
			armed_[dut_.told_cqn_o] = false;
			told++;
			expected_++;
		}
		take_irq();
		for (unsigned int q = 0; q < cqs; q++)
			poll(q);
	}

	void take_irq()
	{
		if (!dut_.irq_valid_o || !dut_.irq_ready_i)
			return;
		tally_eqe eqe;

		CHECK(interrupts_ < expected_ && dut_.irq_vector_o == 1 && !dut_.irq_eqn_o, "an interrupt for nothing");
		std::memcpy(&eqe, &memory_[rings_at + cqs * page + interrupts_ % depth * sizeof(eqe)], sizeof(eqe));
		CHECK(eqe.owner == model_owner(interrupts_, depth), "an interrupt before its event");
		events++;
		interrupts_++;
		if (interrupts_ - consumed_ < depth / 4 || registers_.size() > 4)
			return;
		consumed_ = interrupts_;
		put_reg64(QUEUE(count), consumed_);
		put_reg(QUEUE(go), TALLY_FW_QUEUE_CONSUMED);
		if (rng_.one_in(2))
			put_reg(REGION(__rsvd_34), 1, false);	// reserved bytes of a region are not there
		if (rng_.one_in(2))
			put_reg(QUEUE(go), UINT32_MAX, false);	// no command
	}

	void poll(unsigned int q)
	{
		if (polled_[q] == accepted_[q].size())
			return;
		const Completion &c = accepted_[q][polled_[q]];
		tally_cqe cqe, expected = c.cqe;

		std::memcpy(&cqe, &memory_[rings_at + q * page + polled_[q] % depth * sizeof(cqe)], sizeof(cqe));
		if (cqe.owner != model_owner(polled_[q], depth))
			return;
		expected.owner = cqe.owner;
		expected.timestamp = cqe.timestamp;
		expected.elapsed = c.rung ? std::min<uint64_t>(cqe.timestamp - c.rung_at, UINT32_MAX) : 0;
		CHECK(!std::memcmp(&cqe, &expected, sizeof(cqe)), "completion %llu of CQ %u is wrong", (unsigned long long)polled_[q], q);
		polled_[q]++;
		std::memcpy(&memory_[rings_at + q * page + depth * sizeof(cqe)], &polled_[q], 8);
	}

	// ---- The memory ----

	void offer_memory()
	{
		dut_.dma_awready_i = ready() && !held_;
		dut_.dma_wready_i = ready();
		dut_.dma_arready_i = ready();
		if (!b_offered_ && !write_ids_.empty() && ready()) {
			b_from_ = rng_.below(write_ids_.size());
			dut_.dma_bid_i = write_ids_[b_from_];
			dut_.dma_bresp_i = 0;
			b_offered_ = true;
		}
		dut_.dma_bvalid_i = b_offered_;
		if (!r_offered_ && !bursts_.empty() && ready()) {
			r_from_ = rng_.below(bursts_.size());
			for (size_t i = 0; i < r_from_; i++)	// the first one of its ID
				if (bursts_[i].id == bursts_[r_from_].id)
					r_from_ = i;
			dut_.dma_rid_i = bursts_[r_from_].id;
			dut_.dma_rresp_i = 0;
			std::memcpy(&dut_.dma_rdata_i, at(bursts_[r_from_].addr), word_bytes);
			r_offered_ = true;
		}
		dut_.dma_rvalid_i = r_offered_;
	}

	uint8_t *at(uint64_t addr)
	{
		addr = addr / word_bytes * word_bytes;
		CHECK(addr >= base && addr + word_bytes <= base + memory_bytes, "an access to %llx", (unsigned long long)addr);
		return &memory_[addr - base];
	}

	template <typename Port> Burst burst(unsigned int id, const Port &port)
	{
		CHECK((port[0] & 0x1f) == (6u << 2 | 1), "a burst of another kind");
		return { id, (port[0] >> 5 & 0xff) + 1, address(port) };
	}

	void take_memory()
	{
		if (dut_.dma_bvalid_i && dut_.dma_bready_o) {
			write_ids_.erase(write_ids_.begin() + b_from_);
			b_offered_ = false;
		}
		if (dut_.dma_rvalid_i && dut_.dma_rready_o) {
			Burst &b = bursts_[r_from_];

			b.addr = b.addr / word_bytes * word_bytes + word_bytes;
			if (!--b.words)
				bursts_.erase(bursts_.begin() + r_from_);
			r_offered_ = false;
		}
		if (dut_.dma_awvalid_o && dut_.dma_awready_i) {
			write_bursts_.push_back(burst(dut_.dma_awid_o, dut_.dma_aw_o));
			CHECK(dut_.dma_awid_o == writer(write_bursts_.back().addr - base), "a write to %llx with ID %d",
			      (unsigned long long)write_bursts_.back().addr, dut_.dma_awid_o);
		}
		if (dut_.dma_wvalid_o && dut_.dma_wready_i)
			write();
		if (dut_.dma_arvalid_o && dut_.dma_arready_i)
			bursts_.push_back(burst(dut_.dma_arid_o, dut_.dma_ar_o));
	}

	// The ID of writes: those of completions, of events, and of regions.
	static unsigned int writer(uint64_t offset) { return offset < rings_at ? 2 : offset >= rings_at + cqs * page; }

	void write()
	{
		CHECK(!write_bursts_.empty(), "data of nothing");
		Burst &b = write_bursts_.front();
		uint8_t *to = at(b.addr);

		for (unsigned int i = 0; i < word_bytes; i++)
			if (dut_.dma_wstrb_o >> i & 1)
				to[i] = reinterpret_cast<uint8_t *>(&dut_.dma_wdata_o)[i];
		b.addr = b.addr / word_bytes * word_bytes + word_bytes;
		CHECK(dut_.dma_wlast_o == (b.words == 1), "a burst has another length");
		if (--b.words)
			return;
		write_ids_.push_back(b.id);
		write_bursts_.pop_front();
	}

	void offer()
	{
		offer_register();
		for (unsigned int u = 0; u < users; u++)
			offer_access(u);
		dut_.acr_ready_i = ready();
		dut_.ace_ready_i = ready();
		offer_requests();
		offer_queues();
		offer_memory();
	}

	void take()
	{
		const bool inputs = dut_.axil_awvalid_i || dut_.acc_valid_i || dut_.loc_valid_i || dut_.desc_valid_i || dut_.acw_valid_i ||
				    dut_.loc_dat_valid_i || dut_.desc_dat_valid_i || dut_.chk_valid_i || dut_.bell_valid_i ||
				    dut_.req_arvalid_i || dut_.done_valid_i || dut_.cpl_valid_i || dut_.evt_valid_i || dut_.dma_bvalid_i ||
				    dut_.dma_rvalid_i;

		quiet_.look(dut_.busy_o, inputs,
			    dut_.acr_valid_o || dut_.ace_valid_o || dut_.axil_bvalid_o || dut_.irq_valid_o || dut_.told_valid_o ||
				    dut_.dma_awvalid_o || dut_.dma_wvalid_o || (dut_.dma_arvalid_o && !dut_.req_arvalid_i));
		still += !dut_.busy_o;
		take_register();
		take_words();
		take_end();
		for (unsigned int u = 0; u < users; u++)
			take_access(u);
		take_told();
		take_requests();
		take_memory();
		take_queues();
	}
};

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("nic_memory", argc, argv);
	World world(bench);
	uint64_t left = 0;

	bench.live(bench.times(160000), [&] { world.restart(); },
		   [&] {
			   if (!left--) {
				   world.finish();
				   left = 2000;
			   }
			   world.cycle();
		   });
	world.finish();
	for (unsigned int u = 0; u < users; u++)
		CHECK(world.reads[u] > 100 && world.writes[u] > 100 && world.refused[u] > 20, "few accesses of user %u: %llu, %llu, %llu", u,
		      (unsigned long long)world.reads[u], (unsigned long long)world.writes[u], (unsigned long long)world.refused[u]);
	CHECK(world.answers[0] > 100 && world.answers[1] > 100 && world.fetched > 300, "few requests");
	CHECK(world.completions[0] > 200 && world.completions[1] > 200 && world.events > 100 && world.told > 50,
	      "%llu and %llu completions, %llu events, %llu of CQs", (unsigned long long)world.completions[0],
	      (unsigned long long)world.completions[1], (unsigned long long)world.events, (unsigned long long)world.told);
	CHECK(world.still > 1000, "the clocks run all the time");
	return bench.finish();
}
