// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_mr_walks: answers leave in the order of the requests, each with the pieces that mem_find() of the model
// finds, while entries of the lists of several accesses are read at once and come in any order. Resets come amid all of it.
#include <algorithm>
#include <deque>
#include <vector>

#include "Vdut.h"
#include "bench.h"
#include "mr_host.h"

struct Access {
	uint8_t tag;
	uint16_t status;
	bool found = true;	     // false: the list or the memory leads nowhere
	bool told = false;	     // that it does
	std::vector<model_piece> pieces;
	size_t at = 0;
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

	uint64_t ended = 0, overtakes = 0;
	size_t most_reads = 0;

	void restart()
	{
		dut_.in_valid_i = dut_.rd_ready_i = dut_.rsp_valid_i = dut_.out_ready_i = 0;
		bench_.reset();
		inside_.clear();
		reads_.clear();
		offered_ = false;
	}

	void cycle()
	{
		if (!offered_ && in_.go())
			make_request();
		dut_.in_valid_i = offered_;
		dut_.rd_ready_i = rd_.go();
		dut_.out_ready_i = out_.go();
		size_t from = offer_entry();
		bench_.settle();
		CHECK(dut_.idle_o == inside_.empty(), "idle_o is %d with %zu accesses inside", dut_.idle_o, inside_.size());
		CHECK(dut_.in_ready_o || inside_.size() >= Walks, "an access waits for a walker that is free");
		if (dut_.out_valid_o && dut_.out_ready_i)
			take_out();
		if (dut_.rsp_valid_i)
			reads_.erase(reads_.begin() + from);
		take_read();
		if (dut_.in_valid_i && dut_.in_ready_o) {
			inside_.push_back(next_);
			offered_ = false;
		}
		CHECK(inside_.size() <= Walks + 1, "%zu accesses are inside", inside_.size());
		bench_.tick();
	}

private:
	tally::Bench<Vdut> &bench_;
	tally::Rng &rng_;
	Vdut &dut_;
	Host host_;
	bool offered_ = false;
	Access next_;
	std::deque<Access> inside_;
	std::vector<Read> reads_;
	tally::Throttle in_{ rng_ }, rd_{ rng_ }, rsp_{ rng_ }, out_{ rng_ };

	void make_request()
	{
		Region region = random_region(rng_, host_, 0x100);
		const tally_mem &m = region.cmd.buf;
		uint64_t len = std::min<uint64_t>(m.length, 1 + rng_.below((Pieces - 1) * page_size)), num = 0;
		uint64_t place = rng_.below(m.length - len + 1);

		offered_ = true;
		next_ = Access();
		next_.tag = rng_.next();
		next_.status = rng_.one_in(4) ? TALLY_COLL_MR_RANGE : 0;
		dut_.in_walk_i = !next_.status;
		next_.pieces.resize(16);
		if (!next_.status)
			next_.found = model_walk(host_.model(), &m, place, len, next_.pieces.data(), &num);
		next_.pieces.resize(num);
		dut_.in_status_i = next_.status;
		dut_.in_tag_i = next_.tag;
		dut_.in_start_i = place + (m.levels ? m.offset : m.addr);
		dut_.in_len_i = len;
		dut_.in_root_i = m.addr / page_size;
		dut_.in_levels_i = m.levels;
		dut_.in_shift_i = m.levels ? m.page_shift - TALLY_MIN_PAGE_SHIFT : 0;
	}

	size_t offer_entry()
	{
		size_t from = reads_.empty() ? 0 : rng_.below(reads_.size());
		uint64_t value = rng_.one_in(2) ? rng_.next() : host_.table(0, 1); // if it cannot be read

		dut_.rsp_valid_i = !reads_.empty() && rsp_.go();
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
		for (const Read &r : reads_)
			CHECK(r.tag != dut_.rd_tag_o, "walker %d has two reads", dut_.rd_tag_o);
		reads_.push_back({ dut_.rd_tag_o, dut_.rd_addr_o });
		most_reads = std::max(most_reads, reads_.size());
	}

	void take_out()
	{
		CHECK(!inside_.empty(), "an answer to no request");
		Access &a = inside_.front();

		CHECK(dut_.out_tag_o == a.tag, "tag %d instead of %d", dut_.out_tag_o, a.tag);
		if (!a.found) {
			a.told = a.told || dut_.out_status_o == TALLY_COLL_DMA_ERROR ||
				 !host_.is_memory(dut_.out_addr_o, dut_.out_len_o);
			CHECK(!dut_.out_last_o || a.told, "a page list that leads nowhere is followed");
		} else {
			model_piece p = a.pieces.empty() ? model_piece{} : a.pieces[a.at];

			CHECK(dut_.out_status_o == a.status, "status %d instead of %d", dut_.out_status_o, a.status);
			CHECK(dut_.out_len_o == p.len && (!p.len || dut_.out_addr_o == p.addr), "%d bytes at %llx", dut_.out_len_o,
			      (unsigned long long)dut_.out_addr_o);
			CHECK(dut_.out_last_o == (a.at + 1 >= a.pieces.size()), "out_last_o is %d", dut_.out_last_o);
		}
		a.at++;
		if (!dut_.out_last_o)
			return;
		inside_.pop_front();
		ended++;
	}
};

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("mr_walks", argc, argv);
	World world(bench);

	bench.live(bench.times(40000), [&] { world.restart(); }, [&] { world.cycle(); });
	CHECK(world.ended > 2000 && world.overtakes > 100 && world.most_reads == Walks, "%llu accesses, %llu overtake, %zu reads at once",
	      (unsigned long long)world.ended, (unsigned long long)world.overtakes, world.most_reads);
	return bench.finish();
}
