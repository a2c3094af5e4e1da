// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_fetch: random doorbells, results, retirements, failures and resets of several queue pairs, with the engine's
// fetcher as the reference. Every fetch, skip, verdict, freed buffer, count and overrun must be the model's, in its order.
#include <algorithm>
#include <deque>
#include <vector>

#include "Vdut.h"
#include "bench.h"
#include "fetch_model.h"
#include "gen/tally_hw.h"

constexpr unsigned int window = TALLY_MAX_RANKS;
static_assert(Window == window, "that of the model");

struct Queue {
	unsigned int depth_log = 6, stride_log = 8;
	uint64_t base = 0, ring = 0, count = 0;
	bool exists = false, busy = false; // busy: a fetch has left, and was not answered
	model_entry of_fetch = {};
	std::vector<model_entry> entries;
};

class World {
public:
	explicit World(tally::Bench<Vdut> &bench) : bench_(bench), rng_(bench.rng), dut_(*bench.dut) {}

	uint64_t verdicts[6] = {}, skips = 0, frees = 0, overs = 0, copies = 0;
	bool stalls = true, slow = false, lazy = false; // slow: few requests retire; lazy: few fetches are answered

	void begin()
	{
		dut_.set_valid_i = dut_.res_valid_i = dut_.retire_valid_i = dut_.told_valid_i = dut_.db_valid_i = 0;
		dut_.fetch_ready_i = 0;
		bench_.reset();
	}

	void cycle()
	{
		choose();
		dut_.fetch_ready_i = !stalls || fetch_.go();
		bench_.settle();
		CHECK(dut_.busy_o || !(dut_.fetch_valid_o || dut_.skip_valid_o || dut_.free_valid_o || dut_.over_valid_o || dut_.posted_valid_o), "an offer without busy_o");
		CHECK(!dut_.busy_o || !quiet_, "busy_o without an input");
		quiet_ = !dut_.busy_o && !dut_.set_valid_i && !dut_.res_valid_i && !dut_.retire_valid_i && !dut_.told_valid_i && !dut_.db_valid_i;
		take_operation();
		take_events();
		const bool set = dut_.set_valid_i && !dut_.set_ready_o, res = dut_.res_valid_i && !dut_.res_ready_o,
			   retire = dut_.retire_valid_i && !dut_.retire_ready_o, told = dut_.told_valid_i && !dut_.told_ready_o,
			   db = dut_.db_valid_i && !dut_.db_ready_o;

		bench_.tick();
		dut_.set_valid_i = set;
		dut_.res_valid_i = res;
		dut_.retire_valid_i = retire;
		dut_.told_valid_i = told;
		dut_.db_valid_i = db;
	}

	void finish()
	{
		for (unsigned int i = 0; i < 300; i++) {
			stop_ = true;
			cycle();
		}
		stop_ = false;
		CHECK(fetches_.empty() && others_.empty(), "the model asks for more");
	}

private:
	tally::Bench<Vdut> &bench_;
	tally::Rng &rng_;
	Vdut &dut_;
	Queue queues_[Qps];
	std::deque<model_event> fetches_, others_;
	std::vector<unsigned int> answers_; // queue pairs whose fetch has left
	unsigned int waits_ = 0, next_buffer_ = 0;
	bool stop_ = false, quiet_ = false;
	tally::Throttle fetch_{ rng_ };

	void choose()
	{
		unsigned int n = rng_.below(Qps);

		waits_ = dut_.set_valid_i || dut_.res_valid_i || dut_.retire_valid_i || dut_.told_valid_i || dut_.db_valid_i ? waits_ + 1 : 0;
		CHECK(waits_ < 800 * (Depth / 64), "the operations wait for ever");
		if (stop_)
			return;
		if (!dut_.set_valid_i && !of_this(n) && rng_.one_in(life(n)))
			choose_set(n);
		else if (!dut_.res_valid_i && !answers_.empty() && rng_.one_in(lazy ? 200 : 3))
			choose_result();
		else if (!dut_.retire_valid_i && model_in_window(n) && !of_this(n) && rng_.one_in(slow && model_state(n) == TALLY_QPS_RTS ? 100 : 2)) {
			dut_.retire_valid_i = 1;
			dut_.retire_qp_i = n;
		} else if (!dut_.told_valid_i && !of_this(n) && (model_asked(n) ? rng_.one_in(20) : rng_.one_in(30000))) {
			dut_.told_valid_i = 1;
			dut_.told_qp_i = n;
			dut_.told_fails_i = !model_asked(n);
		} else if (!dut_.db_valid_i && queues_[n].exists && !of_this(n) && rng_.one_in(12)) {
			choose_doorbell(n);
		}
	}

	// All bits of a ring, folded.
	template <typename Wide> static uint64_t ring_of(const Wide &ring)
	{
		return (uint64_t(ring[1]) << 32 | ring[0]) ^ uint64_t(ring[2]) * 0x9e3779b97f4a7c15;
	}

	// Cycles after which the state of a queue pair changes, about.
	uint64_t life(unsigned int n) const
	{
		if (!queues_[n].exists || model_state(n) == TALLY_QPS_RESET)
			return 20;
		return model_state(n) == TALLY_QPS_RTS ? 4000 : 600;
	}

	// Whether an operation of the queue pair waits. What it permits is not known before it is carried out.
	bool of_this(unsigned int n) const
	{
		return (dut_.set_valid_i && dut_.set_qp_i == n) || (dut_.retire_valid_i && dut_.retire_qp_i == n) ||
		       (dut_.told_valid_i && dut_.told_qp_i == n) || (dut_.db_valid_i && dut_.db_qp_i == n);
	}

	void choose_set(unsigned int n)
	{
		Queue &q = queues_[n];

		if (of_this(n))
			return;
		dut_.set_valid_i = 1;
		dut_.set_qp_i = n;
		dut_.set_create_i = !q.exists || rng_.one_in(4);
		dut_.set_state_i = dut_.set_create_i ? +TALLY_QPS_RESET : rng_.below(3);
		if (q.exists && model_state(n) == TALLY_QPS_RESET)
			dut_.set_state_i = rng_.one_in(8) ? TALLY_QPS_RESET : TALLY_QPS_RTS, dut_.set_create_i = 0;
		else if (q.exists && model_state(n) == TALLY_QPS_ERROR)
			dut_.set_state_i = TALLY_QPS_RESET;
		else if (q.exists && dut_.set_state_i == TALLY_QPS_RTS)
			dut_.set_state_i = TALLY_QPS_ERROR;
		if (dut_.set_create_i)
			dut_.set_state_i = TALLY_QPS_RESET;
		dut_.set_depth_log_i = __builtin_ctz(Depth) - (rng_.one_in(2) ? 0 : rng_.below(__builtin_ctz(Depth) + 1));
		dut_.set_stride_log_i = 8 + rng_.below(6);
		dut_.set_base_i = rng_.next() << 13;
		for (unsigned int i = 0; i < 3; i++)
			dut_.set_ring_i[i] = rng_.next() & (i < 2 ? ~0u : 0x7fu);
	}

	void choose_result()
	{
		unsigned int k = rng_.below(answers_.size()), n = answers_[k];

		if (of_this(n))
			return;
		answers_.erase(answers_.begin() + k);
		dut_.res_valid_i = 1;
		dut_.res_qp_i = n;
		dut_.res_good_i = queues_[n].of_fetch.good;
		dut_.res_query_i = queues_[n].of_fetch.query;
		dut_.res_abort_i = queues_[n].of_fetch.abort;
	}

	void choose_doorbell(unsigned int n)
	{
		Queue &q = queues_[n];
		uint64_t depth = 1ull << q.depth_log, room = depth - std::min<uint64_t>(depth, model_posted(n) - model_head(n));

		dut_.db_valid_i = 1;
		dut_.db_qp_i = n;
		dut_.db_count_i = q.count + std::min<uint64_t>(room, rng_.one_in(2) ? 1 : rng_.below(room + 1));
		if (rng_.one_in(2000))
			dut_.db_count_i = q.count + room + rng_.below(3);
		else if (rng_.one_in(400))
			dut_.db_count_i = rng_.one_in(2) ? q.count - rng_.below(4) : q.count + (rng_.next() >> rng_.below(64));
		dut_.db_pushed_i = rng_.one_in(2);
		dut_.db_buffer_i = next_buffer_++ % Buffers;
	}

	model_entry entry_of(unsigned int n, uint32_t index)
	{
		Queue &q = queues_[n];

		if (q.entries.empty())
			q.entries.resize(Depth);
		// The same entry as long as its place is not posted again.
		return q.entries[index % (1u << q.depth_log)];
	}

	void new_entries(Queue &q, uint64_t from, uint64_t to)
	{
		q.entries.resize(Depth);
		if (to - from > Depth)
			from = to - Depth;
		for (; from < to; from++)
			q.entries[from % (1u << q.depth_log)] = { !rng_.one_in(1000), rng_.one_in(20), rng_.one_in(400) };
	}

	void take_operation()
	{
		unsigned int taken = dut_.set_valid_i && dut_.set_ready_o;

		if (taken)
			take_set();
		if (dut_.res_valid_i && dut_.res_ready_o) {
			model_entry entry = queues_[dut_.res_qp_i].of_fetch;
			unsigned int verdict = model_result(dut_.res_qp_i, &entry);

			CHECK(dut_.res_verdict_o == verdict, "verdict %d instead of %u", dut_.res_verdict_o, verdict);
			verdicts[verdict]++;
			queues_[dut_.res_qp_i].busy = false;
			taken++;
		}
		if (dut_.retire_valid_i && dut_.retire_ready_o) {
			model_retire(dut_.retire_qp_i);
			taken++;
		}
		if (dut_.told_valid_i && dut_.told_ready_o) {
			dut_.told_fails_i ? model_fail(dut_.told_qp_i) : model_answered(dut_.told_qp_i);
			taken++;
		}
		if (dut_.db_valid_i && dut_.db_ready_o) {
			Queue &q = queues_[dut_.db_qp_i];

			if (dut_.db_count_i > q.count && model_state(dut_.db_qp_i) != TALLY_QPS_RESET) {
				new_entries(q, q.count, dut_.db_count_i);
				q.count = dut_.db_count_i;
			}
			model_doorbell(dut_.db_qp_i, dut_.db_count_i, dut_.db_pushed_i, dut_.db_buffer_i);
			taken++;
		}
		CHECK(taken <= 1, "%u operations at once", taken);
		if (taken)
			waits_ = 0;
		for (model_event event; model_next_event(&event);)
			(event.what == MODEL_FETCH ? fetches_ : others_).push_back(event);
	}

	void take_set()
	{
		Queue &q = queues_[dut_.set_qp_i];

		if (dut_.set_create_i) {
			q.exists = true;
			q.depth_log = dut_.set_depth_log_i;
			q.stride_log = dut_.set_stride_log_i;
			q.base = dut_.set_base_i;
			q.ring = ring_of(dut_.set_ring_i);
			model_create(dut_.set_qp_i, 1u << q.depth_log);
		} else {
			model_set_state(dut_.set_qp_i, dut_.set_state_i);
		}
		if (dut_.set_state_i == TALLY_QPS_RESET)
			q.count = 0;
	}

	void expect(model_what what, unsigned int qp, uint64_t value, bool passes = false)
	{
		CHECK(!others_.empty(), "event %d of nobody", what);
		model_event e = others_.front();

		others_.pop_front();
		CHECK(e.what == what && (what == MODEL_FREE || e.qp == qp), "event %d of %u instead of %d of %u", what, qp, e.what, e.qp);
		CHECK(what != MODEL_FREE || e.buffer == value, "buffer %llu instead of %u", (unsigned long long)value, e.buffer);
		CHECK((what != MODEL_SKIP && what != MODEL_POSTED) || e.index == value, "index or count %llu instead of %u", (unsigned long long)value,
		      e.index);
		CHECK(what != MODEL_SKIP || e.passes == passes, "entry %u retires, or does not", e.index);
	}

	void take_events()
	{
		if (dut_.free_valid_o)
			expect(MODEL_FREE, 0, dut_.free_buffer_o);
		if (dut_.over_valid_o)
			expect(MODEL_OVER, dut_.over_qp_o, 0);
		if (dut_.skip_valid_o)
			expect(MODEL_SKIP, dut_.skip_qp_o, dut_.skip_index_o, dut_.skip_passes_o);
		if (dut_.posted_valid_o)
			expect(MODEL_POSTED, dut_.posted_qp_o, dut_.posted_count_o);
		skips += dut_.skip_valid_o;
		frees += dut_.free_valid_o;
		overs += dut_.over_valid_o;
		if (!dut_.fetch_valid_o)
			return;
		CHECK(!fetches_.empty(), "a fetch that the model does not want");
		model_event e = fetches_.front();
		Queue &q = queues_[e.qp];

		CHECK(dut_.fetch_qp_o == e.qp && dut_.fetch_index_o == e.index, "fetch of %d %u instead of %u %u", dut_.fetch_qp_o,
		      dut_.fetch_index_o, e.qp, e.index);
		CHECK(dut_.fetch_pushed_o == e.pushed && (!e.pushed || dut_.fetch_buffer_o == e.buffer), "buffer %d", dut_.fetch_buffer_o);
		if (!dut_.fetch_ready_i)
			return;
		CHECK(!q.busy, "a second fetch of a queue pair");
		fetches_.pop_front();
		// The queue may have been created again since.
		CHECK(dut_.fetch_length_o >= 256 && dut_.fetch_addr_o % dut_.fetch_length_o == 0, "address %llx",
		      (unsigned long long)dut_.fetch_addr_o);
		if (dut_.fetch_length_o == 1u << q.stride_log && dut_.fetch_addr_o >> 26 == q.base >> 26) {
			CHECK(ring_of(dut_.fetch_ring_o) == q.ring, "another send queue");
			CHECK(dut_.fetch_addr_o == q.base + (uint64_t(e.index % (1u << q.depth_log)) << q.stride_log), "address %llx",
			      (unsigned long long)dut_.fetch_addr_o);
		}
		q.busy = true;
		q.of_fetch = entry_of(e.qp, e.index);
		copies += e.pushed;
		answers_.push_back(e.qp);
	}
};

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("fetch", argc, argv);
	World world(bench);

	world.begin();
	for (uint64_t run = 0; run < bench.times(24); run++) {
		world.slow = run % 2;
		world.lazy = run % 6 == 4;
		world.stalls = run % 4 < 2;
		for (unsigned int left = 15000; left; left--)
			world.cycle();
		world.finish();
	}
	for (unsigned int k = 0; k < 6; k++)
		CHECK(world.verdicts[k] > 5, "verdict %u came %llu times", k, (unsigned long long)world.verdicts[k]);
	CHECK(world.skips > 5 && world.frees > 5 && world.overs && world.copies > 5, "%llu skips, %llu frees, %llu overruns, %llu copies",
	      (unsigned long long)world.skips, (unsigned long long)world.frees, (unsigned long long)world.overs,
	      (unsigned long long)world.copies);
	return bench.finish();
}
