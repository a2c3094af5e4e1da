// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_mr: every verdict and every piece are those of the simulator's memory regions, which get the same commands.
// Keys, protection domains, addresses and lengths are at and beyond what is permitted; page lists have entries that lead
// nowhere; their reads are answered in any order. Regions are entered and removed meanwhile, and resets come amid all of it.
#include <algorithm>
#include <deque>
#include <map>
#include <vector>

#include "Vdut.h"
#include "bench.h"
#include "mr_host.h"

constexpr uint64_t longest = (Pieces + 1) * page_size; // of an access whose memory is to be found

struct Request {
	model_access access;
	bool find;
	uint8_t tag;
};

struct Expected {
	uint8_t tag;
	uint16_t status;
	std::vector<model_piece> pieces;
	bool any = false;   // memory of the data is missing, which the block cannot know
	size_t at = 0;
	bool told_missing = false;
};

struct Read {
	unsigned int tag;
	uint64_t addr;
};

class World {
public:
	explicit World(tally::Bench<Vdut> &bench)
		: bench_(bench), rng_(bench.rng), dut_(*bench.dut), host_(bench.rng)
	{
	}

	bool stalls = true, requests = true;
	std::map<uint16_t, uint64_t> statuses;
	uint64_t ended = 0, pieces = 0, refused = 0, removed = 0, overtakes = 0, first_request = 0, first_answer = 0;

	void restart()
	{
		dut_.cfg_valid_i = dut_.in_valid_i = dut_.rd_ready_i = dut_.rsp_valid_i = dut_.out_ready_i = 0;
		bench_.reset();
		model_start(host_.model());
		regions_.clear();
		expected_.clear();
		reads_.clear();
		offered_ = configures_ = false;
		born_ = bench_.cycle();
	}

	void cycle()
	{
		offer_request();
		offer_cfg();
		dut_.rd_ready_i = go(rd_);
		dut_.out_ready_i = go(out_);
		size_t from = offer_entry();
		bench_.settle();
		if (dut_.in_ready_o || dut_.cfg_ready_o)
			CHECK(bench_.cycle() >= born_ + (NumMr + 63) / 64, "something is taken before the table is empty");
		take_out();
		if (dut_.rsp_valid_i)
			reads_.erase(reads_.begin() + from);
		take_read();
		take_request();
		take_cfg();
		bench_.tick();
	}

	void finish()
	{
		requests = false;
		for (unsigned int i = 0; i < 20000 && (offered_ || configures_ || !expected_.empty()); i++)
			cycle();
		CHECK(expected_.empty() && !configures_ && reads_.empty(), "%zu answers never come", expected_.size());
		requests = true;
	}

	// Enters this region, and asks for these accesses without stalls. Returns the number of clocks that they take.
	uint64_t run(const Region &region, const std::deque<Request> &these)
	{
		stalls = false;
		requests = false;
		region_ = region;
		configures_ = enables_ = true;
		finish();
		script_ = these;
		uint64_t start = bench_.cycle();
		requests = false;
		first_request = first_answer = 0;
		while (!script_.empty() || offered_ || !expected_.empty()) {
			CHECK(bench_.cycle() - start < 100000, "the block stands still");
			cycle();
		}
		stalls = requests = true;
		return bench_.cycle() - start;
	}

	Host &host() { return host_; }

private:
	tally::Bench<Vdut> &bench_;
	tally::Rng &rng_;
	Vdut &dut_;
	Host host_;
	std::map<uint32_t, Region> regions_; // by index
	std::deque<Expected> expected_;
	std::deque<Request> script_;
	std::vector<Read> reads_;
	Request request_;
	Region region_;
	bool offered_ = false, configures_ = false, enables_ = false;
	uint64_t born_ = 0;
	tally::Throttle in_{ rng_ }, rd_{ rng_ }, rsp_{ rng_ }, out_{ rng_ };

	bool go(tally::Throttle &throttle) { return !stalls || throttle.go(); }

	uint32_t random_key()
	{
		uint32_t index = rng_.below(rng_.one_in(20) ? 2 * NumMr : NumMr);

		if (rng_.one_in(40))
			index = rng_.next() >> 40;
		return index << 8 | rng_.below(rng_.one_in(4) ? 256 : 2);
	}

	// A place in the region: anywhere, or near its ends, or near the end of a page.
	uint64_t random_place(const tally_mem &m)
	{
		switch (rng_.below(6)) {
		case 0:
			return rng_.below(64) - 32;
		case 1:
			return m.length - rng_.below(longest) + rng_.below(3);
		case 2:
			return (rng_.below(m.length) & ~(page_size - 1)) - m.offset + rng_.below(9) - 4;
		case 3:
			return rng_.next();
		default:
			return rng_.below(m.length);
		}
	}

	void random_request()
	{
		model_access &a = request_.access;

		request_.find = !rng_.one_in(4);
		request_.tag = rng_.next();
		a.lkey = random_key();
		a.pd = rng_.below(4);
		a.write = rng_.one_in(2);
		a.addr = rng_.next();
		a.length = rng_.one_in(8) ? 0 : 1 + rng_.below(rng_.one_in(2) ? 64 : longest);
		if (!request_.find && rng_.one_in(2))
			a.length = rng_.one_in(2) ? ~0u - rng_.below(2) : rng_.next();
		if (regions_.empty() || rng_.one_in(10))
			return;
		auto it = regions_.begin();
		std::advance(it, rng_.below(regions_.size()));
		const tally_cmd_reg_mr &cmd = it->second.cmd;

		a.lkey = cmd.lkey ^ (rng_.one_in(20) ? 1 << rng_.below(32) : 0);
		a.pd = cmd.pd ^ (rng_.one_in(20) ? 1 << rng_.below(10) : 0);
		a.addr = cmd.iova + random_place(cmd.buf);
		if (rng_.one_in(6)) { // up to the region's end, or a byte more
			uint64_t left = cmd.iova + cmd.buf.length - a.addr + rng_.below(2);

			a.length = std::min<uint64_t>(left, request_.find ? longest : ~0u);
		}
		if (rng_.one_in(30)) // below a region that ends with the last address, by just its length
			a.addr = a.length = 0;
	}

	void offer_request()
	{
		if (!offered_ && !script_.empty()) {
			request_ = script_.front();
			script_.pop_front();
			offered_ = true;
			first_request = first_request ? first_request : bench_.cycle();
		} else if (!offered_ && requests && go(in_)) {
			random_request();
			offered_ = true;
		}
		dut_.in_valid_i = offered_;
		dut_.in_pd_i = request_.access.pd;
		dut_.in_lkey_i = request_.access.lkey;
		dut_.in_addr_i = request_.access.addr;
		dut_.in_len_i = request_.access.length;
		dut_.in_write_i = request_.access.write;
		dut_.in_find_i = request_.find;
		dut_.in_tag_i = request_.tag;
	}

	void offer_cfg()
	{
		if (!configures_ && requests && rng_.one_in(40)) {
			uint32_t key = random_key();
			auto it = regions_.find(key >> 8);

			configures_ = true;
			enables_ = it == regions_.end();
			region_ = enables_ ? random_region(rng_, host_, key) : it->second;
			if (enables_ && rng_.one_in(4))
				spoil(rng_, region_);
		}
		const tally_cmd_reg_mr &c = region_.cmd;

		dut_.cfg_valid_i = configures_;
		dut_.cfg_enable_i = enables_;
		dut_.cfg_lkey_i = c.lkey;
		dut_.cfg_pd_i = c.pd;
		dut_.cfg_write_i = c.access / TALLY_ACCESS_LOCAL_WRITE & 1;
		dut_.cfg_iova_i = c.iova;
		dut_.cfg_addr_i = c.buf.addr;
		dut_.cfg_length_i = c.buf.length;
		dut_.cfg_offset_i = c.buf.offset;
		dut_.cfg_levels_i = c.buf.levels;
		dut_.cfg_page_shift_i = c.buf.page_shift;
	}

	void take_cfg()
	{
		if (!dut_.cfg_valid_i || !dut_.cfg_ready_o)
			return;
		uint32_t index = region_.cmd.lkey >> 8;

		configures_ = false;
		if (!enables_) {
			CHECK(expected_.empty(), "a region is removed amid an access");
			CHECK(!dut_.cfg_bad_o, "a region cannot be removed");
			CHECK(model_deregister(region_.cmd.lkey), "the model has no such region");
			regions_.erase(index);
			removed++;
			return;
		}
		bool taken = index < NumMr && model_register(&region_.cmd);

		CHECK(dut_.cfg_bad_o == !taken, "a region is%s entered", taken ? " not" : "");
		refused += !taken;
		if (taken)
			regions_[index] = region_;
	}

	void take_request()
	{
		if (!dut_.in_valid_i || !dut_.in_ready_o)
			return;
		CHECK(!dut_.cfg_valid_i || dut_.cfg_enable_i, "an access is taken while a region is removed");
		const model_access &a = request_.access;
		Expected e = { request_.tag, model_check(&a), {} };

		offered_ = false;
		if (request_.find && !e.status && a.length)
			find(a, &e);
		expected_.push_back(e);
	}

	void find(const model_access &a, Expected *e)
	{
		const tally_cmd_reg_mr &cmd = regions_[a.lkey >> 8].cmd;
		uint64_t place = a.addr - cmd.iova, first = place + (cmd.buf.levels ? cmd.buf.offset : cmd.buf.addr), num;
		std::vector<model_piece> found(16);

		if ((first % page_size + a.length + page_size - 1) / page_size > Pieces) {
			e->status = TALLY_COLL_DMA_ERROR;
			return;
		}
		e->status = model_find(&a, found.data(), &num);
		found.resize(num);
		e->pieces = found;
		e->any = e->status == TALLY_COLL_DMA_ERROR;
	}

	size_t offer_entry()
	{
		size_t from = reads_.empty() ? 0 : rng_.below(reads_.size());
		uint64_t value = rng_.one_in(2) ? rng_.next() : host_.table(0, 1); // if it cannot be read

		dut_.rsp_valid_i = !reads_.empty() && go(rsp_);
		dut_.rsp_tag_i = rng_.below(Walks);
		dut_.rsp_error_i = rng_.one_in(2);
		if (dut_.rsp_valid_i) {
			overtakes += from != 0;
			dut_.rsp_tag_i = reads_[from].tag;
			dut_.rsp_error_i = !host_.entry(reads_[from].addr, &value);
		}
		dut_.rsp_data_i = value;
		return from;
	}

	void take_read()
	{
		if (!dut_.rd_valid_o || !dut_.rd_ready_i)
			return;
		CHECK(dut_.rd_addr_o % 8 == 0, "an entry at %llx", (unsigned long long)dut_.rd_addr_o);
		for (const Read &r : reads_)
			CHECK(r.tag != dut_.rd_tag_o, "walker %d has two reads", dut_.rd_tag_o);
		reads_.push_back({ dut_.rd_tag_o, dut_.rd_addr_o });
	}

	void take_out()
	{
		if (!dut_.out_valid_o || !dut_.out_ready_i)
			return;
		CHECK(!expected_.empty(), "an answer to no request");
		first_answer = first_answer ? first_answer : bench_.cycle();
		Expected &e = expected_.front();

		CHECK(dut_.out_tag_o == e.tag, "tag %d instead of %d", dut_.out_tag_o, e.tag);
		if (e.any && !dut_.out_status_o)
			take_missing(e);
		else
			take_piece(e);
		if (!dut_.out_last_o)
			return;
		statuses[dut_.out_status_o]++;
		ended++;
		expected_.pop_front();
	}

	// The model has found that there is no memory: a page of the data is none.
	void take_missing(Expected &e)
	{
		e.told_missing = e.told_missing || !host_.is_memory(dut_.out_addr_o, dut_.out_len_o);
		CHECK(!dut_.out_last_o || e.told_missing, "a page list that leads nowhere is followed");
	}

	void take_piece(Expected &e)
	{
		model_piece p = e.pieces.empty() ? model_piece{} : e.pieces[e.at];

		CHECK(dut_.out_status_o == e.status, "status %d instead of %d", dut_.out_status_o, e.status);
		CHECK(dut_.out_len_o == p.len && (!p.len || dut_.out_addr_o == p.addr), "%d bytes at %llx instead of %llu at %llx",
		      dut_.out_len_o, (unsigned long long)dut_.out_addr_o, (unsigned long long)p.len, (unsigned long long)p.addr);
		pieces += p.len != 0;
		CHECK(dut_.out_last_o == (e.at + 1 >= e.pieces.size()), "out_last_o is %d", dut_.out_last_o);
		e.at++;
	}
};

static Region flat(World &world)
{
	Region r = {};

	r.cmd.lkey = 0x105;
	r.cmd.pd = 3;
	r.cmd.iova = 0x10000;
	r.cmd.buf.addr = world.host().data_page(TALLY_MIN_PAGE_SHIFT);
	r.cmd.buf.length = 16 * page_size;
	return r;
}

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("mr", argc, argv);
	World world(bench);
	std::deque<Request> checks;

	world.restart();
	for (unsigned int i = 0; i < 1000; i++)
		checks.push_back({ { 3, 0x105, 64, 0x10000 + i, false }, false, static_cast<uint8_t>(i) });
	uint64_t clocks = world.run(flat(world), checks);
	CHECK(world.first_answer - world.first_request == 4, "a verdict takes %llu clocks",
	      (unsigned long long)(world.first_answer - world.first_request));
	CHECK(clocks <= 1010, "1000 verdicts take %llu clocks", (unsigned long long)clocks);
	bench.live(bench.times(60000), [&] { world.restart(); },
		   [&] {
			   if (bench.rng.one_in(3000)) {
				   world.finish();
				   world.stalls = !world.stalls;
			   }
			   world.cycle();
		   });
	world.finish();
	for (uint16_t s : { TALLY_COLL_OK, TALLY_COLL_BAD_LKEY, TALLY_COLL_MR_RANGE, TALLY_COLL_MR_ACCESS, TALLY_COLL_DMA_ERROR })
		CHECK(world.statuses[s] > 20, "status %d %llu times", s, (unsigned long long)world.statuses[s]);
	CHECK(world.pieces > 1000 && world.refused > 5 && world.removed > 20 && world.overtakes,
	      "%llu pieces, %llu regions refused, %llu removed, %llu out of order", (unsigned long long)world.pieces,
	      (unsigned long long)world.refused, (unsigned long long)world.removed, (unsigned long long)world.overtakes);
	return bench.finish();
}
