// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_mr_walk: the pieces are those of mem_find() of the model, and the entries that are read those that it
// reads, with lists of every depth and size of pages, entries that lead nowhere, late answers, stalls, and resets amid
// all of it.
#include <algorithm>
#include <vector>

#include "Vdut.h"
#include "bench.h"
#include "mr_host.h"

constexpr uint16_t dma_error = TALLY_COLL_DMA_ERROR;

class World {
public:
	explicit World(tally::Bench<Vdut> &bench)
		: bench_(bench), rng_(bench.rng), dut_(*bench.dut), host_(bench.rng)
	{
	}

	uint64_t found = 0, failed = 0, missing = 0, passed = 0, too_long = 0;

	void restart()
	{
		dut_.in_valid_i = dut_.rd_ready_i = dut_.rsp_valid_i = dut_.out_ready_i = 0;
		bench_.reset();
		offered_ = busy_ = reading_ = false;
	}

	void cycle()
	{
		if (!offered_ && in_.go())
			make_request();
		dut_.in_valid_i = offered_;
		dut_.rd_ready_i = rd_.go();
		dut_.out_ready_i = out_.go();
		offer_entry();
		bench_.settle();
		CHECK(dut_.in_ready_o == !busy_, "in_ready_o is %d", dut_.in_ready_o);
		CHECK(!dut_.out_valid_o || (busy_ && !reading_), "an answer to no request");
		CHECK(!dut_.rd_valid_o || (busy_ && !reading_), "a read for no request");
		// Without a walk nothing waits.
		CHECK(!busy_ || walks_ || dut_.out_valid_o, "an answer that needs no walk is late");
		if (dut_.out_valid_o && dut_.out_ready_i)
			take_out();
		if (dut_.rsp_valid_i)
			reading_ = false;
		if (dut_.rd_valid_o && dut_.rd_ready_i) {
			address_ = dut_.rd_addr_o;
			reading_ = true;
			CHECK(++reads_ <= Pieces * TALLY_MEM_LEVELS, "%u reads of entries", reads_);
		}
		if (dut_.in_valid_i && dut_.in_ready_o) {
			busy_ = true;
			offered_ = false;
			at_ = reads_ = 0;
			lost_ = false;
		}
		bench_.tick();
	}

private:
	tally::Bench<Vdut> &bench_;
	tally::Rng &rng_;
	Vdut &dut_;
	Host host_;
	bool offered_ = false, busy_ = false, reading_ = false, walks_ = false, lost_ = false, fails_ = false;
	unsigned int reads_ = 0;
	size_t at_ = 0;
	uint16_t status_ = 0;
	uint8_t tag_ = 0;
	uint64_t address_ = 0;
	std::vector<model_piece> pieces_;
	tally::Throttle in_{ rng_ }, rd_{ rng_ }, rsp_{ rng_ }, out_{ rng_ };

	void make_request()
	{
		if (busy_) // what is expected belongs to the request inside
			return;
		Region region = random_region(rng_, host_, 0x100);
		const tally_mem &m = region.cmd.buf;
		uint64_t len = std::min<uint64_t>(m.length, 1 + rng_.below(rng_.one_in(2) ? 64 : (Pieces + 1) * page_size));
		uint64_t place = rng_.below(m.length - len + 1);

		if (rng_.one_in(3)) // ends where a page does, or begins there
			place = std::min<uint64_t>(m.length - len, (place & ~(page_size - 1)) - (rng_.one_in(2) ? len : 0) - m.offset);
		offered_ = true;
		walks_ = !rng_.one_in(6);
		status_ = walks_ ? 0 : rng_.next();
		tag_ = rng_.next();
		dut_.in_status_i = status_;
		dut_.in_walk_i = walks_;
		expect(m, place, len);
		dut_.in_start_i = place + (m.levels ? m.offset : m.addr);
		dut_.in_len_i = len;
		dut_.in_root_i = m.addr / page_size;
		dut_.in_levels_i = m.levels;
		dut_.in_shift_i = m.levels ? m.page_shift - TALLY_MIN_PAGE_SHIFT : rng_.next();
		dut_.in_tag_i = tag_;
	}

	void expect(const tally_mem &m, uint64_t place, uint64_t len)
	{
		uint64_t first = place + (m.levels ? m.offset : m.addr), num = 0;

		pieces_.assign(16, {});
		fails_ = false;
		if (walks_ && (first % page_size + len + page_size - 1) / page_size > Pieces) {
			status_ = dma_error;
			too_long++;
			walks_ = false; // nothing is read
		} else if (walks_) {
			fails_ = !model_walk(host_.model(), &m, place, len, pieces_.data(), &num);
		}
		pieces_.resize(num);
	}

	void offer_entry()
	{
		uint64_t value = rng_.one_in(2) ? rng_.next() : host_.table(0, 1); // if it cannot be read

		dut_.rsp_valid_i = reading_ && rsp_.go();
		dut_.rsp_error_i = rng_.one_in(2);
		if (dut_.rsp_valid_i)
			dut_.rsp_error_i = !host_.entry(address_, &value);
		dut_.rsp_data_i = value;
	}

	void take_out()
	{
		CHECK(dut_.out_tag_o == tag_, "tag %d instead of %d", dut_.out_tag_o, tag_);
		if (fails_)
			take_failed();
		else
			take_piece();
		busy_ = !dut_.out_last_o;
	}

	// The list leads nowhere, or the memory of the data is missing, which the block cannot know.
	void take_failed()
	{
		lost_ = lost_ || dut_.out_status_o || !host_.is_memory(dut_.out_addr_o, dut_.out_len_o);
		CHECK(!dut_.out_status_o || (dut_.out_status_o == dma_error && !at_ && dut_.out_last_o && !dut_.out_len_o),
		      "status %d", dut_.out_status_o);
		CHECK(!dut_.out_last_o || lost_, "a page list that leads nowhere is followed");
		(dut_.out_status_o ? failed : missing) += dut_.out_last_o;
		at_++;
	}

	void take_piece()
	{
		model_piece p = pieces_.empty() ? model_piece{} : pieces_[at_];

		CHECK(dut_.out_status_o == status_, "status %d instead of %d", dut_.out_status_o, status_);
		CHECK(dut_.out_len_o == p.len && (!p.len || dut_.out_addr_o == p.addr), "%d bytes at %llx instead of %llu at %llx",
		      dut_.out_len_o, (unsigned long long)dut_.out_addr_o, (unsigned long long)p.len, (unsigned long long)p.addr);
		at_++;
		CHECK(dut_.out_last_o == (at_ >= pieces_.size()), "out_last_o is %d", dut_.out_last_o);
		(pieces_.empty() ? passed : found) += dut_.out_last_o;
	}
};

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("mr_walk", argc, argv);
	World world(bench);

	bench.live(bench.times(60000), [&] { world.restart(); }, [&] { world.cycle(); });
	CHECK(world.found > 500 && world.failed > 50 && world.missing > 5 && world.passed > 100 && world.too_long > 50,
	      "%llu found, %llu failed, %llu missing, %llu passed, %llu too long", (unsigned long long)world.found,
	      (unsigned long long)world.failed, (unsigned long long)world.missing, (unsigned long long)world.passed,
	      (unsigned long long)world.too_long);
	return bench.finish();
}
