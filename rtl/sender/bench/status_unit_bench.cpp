// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_status_unit: the blocks are compared with the model in their own benches; this one shows that they are joined.
// Queue pairs are created by registers, take in requests in their order with others that were answered ahead, and fail. Each
// request must retire once, in order, with its completion, and what the firmware and the fetcher must know is told. Each entry is
// free when its request has retired, or is forgotten. Commands pass by tally_local, and its readers get the rows of requests.
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <deque>
#include <vector>

#include "Vdut.h"
#include "bench.h"

extern "C" {
#include "engine/divide.h"
#include "gen/tally_fw_hw.h"
#include "gen/tally_hw.h"
}

#define AT(field) (TALLY_FW_STATUS_BASE + static_cast<uint32_t>(offsetof(struct tally_fw_status, field)))
#define OF_GROUP(field) static_cast<uint32_t>(offsetof(struct tally_fw_group, field))
#define OF_SETUP(field) (TALLY_FW_SETUP_OFFSET + static_cast<uint32_t>(offsetof(struct tally_fw_setup, field)))

constexpr unsigned int Readers = 5, request_words = 24, all_places = Entries / TALLY_REQUEST_STEP, places = 2;
constexpr unsigned int window = places * TALLY_REQUEST_STEP;
constexpr uint32_t segs = 9;	// max_segs
constexpr unsigned int longest_wait = 2000;

struct Request {
	uint32_t index, chunks, ranks, num, begun = 0, ended = 0;
	uint16_t status;
	bool skip, signaled, flag, query, flag_due = false, taken = false, freed = false;
	uint64_t row = 0;	// of what its row has besides the request
	uint16_t entry = 0;
};

struct Queue {
	uint32_t next = 0, retired = 0;
	std::deque<Request> inside;	// that have not retired
	std::vector<uint32_t> skips;	// to be told
	bool failed = false, ready = false, asked = false;
	bool told = false;		// the firmware knows that it has failed, and has not begun it anew
	bool flushes = false;		// it is put into ERROR
};

template <typename Wide> void put(Wide &to, unsigned int at, unsigned int width, uint64_t value)
{
	for (unsigned int k = 0; k < width; k++, value >>= 1) {
		to[(at + k) / 32] &= ~(1u << (at + k) % 32);
		to[(at + k) / 32] |= uint32_t(value & 1) << (at + k) % 32;
	}
}

class World {
public:
	explicit World(tally::Bench<Vdut> &bench) : bench_(bench), rng_(bench.rng), dut_(*bench.dut) {}

	uint64_t completions = 0, failures = 0, flags = 0, answers = 0, skips = 0, frees = 0, heard[3] = {};

	void restart()
	{
		dut_.axil_awvalid_i = dut_.axil_wvalid_i = dut_.write_i = dut_.req_valid_i = dut_.skip_valid_i = 0;
		dut_.posted_valid_i = dut_.end_valid_i = dut_.upd_valid_i = dut_.peek_valid_i = 0;
		dut_.axil_bready_i = 1;
		dut_.axil_wstrb_i = 15;
		writes_.clear();
		reads_.clear();
		std::fill(std::begin(wants_), std::end(wants_), false);
		passes_ = write_taken_ = false;
		dut_.pass_valid_i = dut_.cmd_ready_i = dut_.row_valid_i = 0;
		for (Queue &q : queues_)
			q = {};
		since_ = still_ = 0;
		bench_.reset();
		do {
			bench_.settle();
			bench_.tick();
		} while (dut_.busy_o);
		for (unsigned int n = 0; n < Qps; n++)
			create(n);
	}

	void cycle(bool more = true)
	{
		dut_.skip_valid_i = dut_.posted_valid_i = dut_.write_i = 0;
		since_++;
		offer(more);
		want_rows(more);
		dut_.cpl_ready_i = rng_.one_in(2);
		dut_.retire_ready_i = rng_.one_in(2);
		dut_.fail_ready_i = rng_.one_in(2);
		bench_.settle();
		CHECK(dut_.busy_o || !(dut_.cmd_valid_o || dut_.cpl_valid_o || dut_.fail_valid_o || dut_.retire_valid_o || dut_.told_valid_o || dut_.free_valid_o),
		      "an offer without busy_o");
		dut_.told_ready_i = dut_.told_valid_o && rng_.one_in(2);	// as tally_requests, which is not ready before
		pass();
		take();
		observe();
		read_rows();
		still_ = !dut_.busy_o || dut_.retired_o || dut_.took_valid_o || dut_.axil_bvalid_o || (dut_.cpl_valid_o && dut_.cpl_ready_i) ? 0 : still_ + 1;
		CHECK(still_ < longest_wait, "nothing proceeds");
		const bool req = dut_.req_valid_i && !dut_.req_ready_o, end = dut_.end_valid_i && !dut_.end_ready_o, upd = dut_.upd_valid_i && !dut_.upd_ready_o;
		bench_.tick();
		dut_.req_valid_i = req;
		dut_.end_valid_i = end;
		dut_.upd_valid_i = upd;
	}

	void finish()
	{
		for (unsigned int i = 0; i < 6000; i++)
			cycle(false);
		CHECK(!dut_.busy_o && writes_.empty(), "the unit never ends: busy %d, %zu writes", dut_.busy_o, writes_.size());
		for (const Queue &q : queues_)
			CHECK(q.failed || q.inside.empty(), "%zu requests do not retire", q.inside.size());
	}

private:
	struct Write {
		uint32_t at, value;
		int starts = -1;	// the queue pair that this write, when it is done, has started
	};

	tally::Bench<Vdut> &bench_;
	tally::Rng &rng_;
	Vdut &dut_;
	Queue queues_[Qps];
	std::deque<Write> writes_;
	struct Read {
		unsigned int reader, qp;
		uint32_t index;
		uint64_t row;
	};
	unsigned int still_ = 0;	// clocks in which it was busy, and nothing came of it
	unsigned int since_ = 0, at_ = 0, end_at_ = 0, upd_at_ = 0, req_at_ = 0;
	bool write_taken_ = false, passes_ = false, end_fails_ = false;
	bool wants_[Readers] = {};
	Read asked_[Readers] = {};
	std::deque<Read> reads_;

	static uint32_t jid(unsigned int n) { return 0x1000 + n; }

	// ---- Registers ----

	void write(uint32_t at, uint32_t value) { writes_.push_back({ at, value }); }

	void go(enum tally_fw_status_code code, unsigned int n, int starts = -1)
	{
		writes_.push_back({ AT(go), code | n << 16, starts });
	}

	// Each queue pair has a group of its own.
	void create(unsigned int n)
	{
		const uint32_t group = TALLY_FW_GROUP_BASE + n * TALLY_FW_GROUP_STRIDE;

		write(group + OF_SETUP(jid), jid(n));
		write(group + OF_GROUP(node), n + 7);
		write(group + OF_SETUP(max_segs), segs);
		write(group + OF_SETUP(segs_inverse), divisor_of(segs).inverse);
		write(group + OF_SETUP(segs_shift), divisor_of(segs).shift);
		write(TALLY_FW_COMMAND_BASE + offsetof(struct tally_fw_command, go), TALLY_FW_CMD_CREATE | n << 16);
		write(AT(group), n);
		write(AT(cqn), n % NumCq);
		write(AT(log_places), __builtin_ctz(places));
		write(AT(status), 0);
		write(AT(places), n * places | (n * places + 1) << 16);
		go(TALLY_FW_STATUS_CREATE_QP, n);
		go(TALLY_FW_STATUS_START_QP, n, n);
	}

	// What is of groups is seen as it is carried out by others; the rest is the unit's.
	void offer_write()
	{
		dut_.axil_awvalid_i = dut_.axil_wvalid_i = 0;
		if (writes_.empty() || write_taken_)
			return;
		const Write &w = writes_.front();

		if (w.at < TALLY_FW_STATUS_BASE || w.at >= TALLY_FW_GROUP_BASE) {
			dut_.write_i = 1;
			dut_.addr_i = w.at;
			dut_.data_i = w.value;
			return;
		}
		dut_.axil_awvalid_i = dut_.axil_wvalid_i = 1;
		dut_.axil_awaddr_i = w.at;
		dut_.axil_wdata_i = w.value;
	}

	void take_write()
	{
		if (dut_.axil_awvalid_i && dut_.axil_awready_o)
			write_taken_ = true;
		if (dut_.axil_bvalid_o) {
			const Write w = writes_.front();

			CHECK(!dut_.axil_bresp_o, "the write of %x to %x is refused", w.value, w.at);
			write_taken_ = false;
			if (w.starts >= 0) {
				forget(queues_[w.starts]);
				queues_[w.starts].ready = true;
			}
		} else if (!dut_.write_i) {
			return;
		}
		writes_.pop_front();
	}

	// What was inside before a queue pair was in RESET is forgotten when the next command to it is carried out.
	static void forget(Queue &q)
	{
		for (const Request &r : q.inside)
			CHECK(r.freed || r.skip || !r.taken, "request %u keeps its entry after a reset", r.index);
		q = {};
	}

	// ---- Inputs ----

	void offer(bool more)
	{
		at_ = rng_.below(Qps);
		Queue &q = queues_[at_];

		offer_write();
		if (q.told && !offers(at_))
			begin_anew(at_);
		if (q.ready && !q.failed && more && q.next - q.retired < window && rng_.one_in(2))
			take_in(q);
		offer_update(at_);
		offer_end(at_);
	}

	void take_in(Queue &q)
	{
		Request r = {};

		r.skip = since_ > 6 && rng_.one_in(6);
		if (!r.skip && (dut_.req_valid_i || q.asked))
			return;
		r.index = q.next++;
		r.taken = r.skip;
		r.chunks = 1 + rng_.below(3);
		r.ranks = 1 + rng_.below(3);
		r.num = rng_.next();
		r.signaled = rng_.one_in(2);
		r.flag = rng_.one_in(4);
		r.query = !r.skip && rng_.one_in(12);
		r.status = !r.query && rng_.one_in(60) ? TALLY_COLL_BAD_LKEY : 0;
		if (r.skip) {
			since_ = 0;
			dut_.skip_valid_i = 1;
			dut_.skip_qp_i = at_;
			dut_.skip_index_i = r.index;
			dut_.skip_passes_i = 0;
			skips++;
		} else {
			offer_request(r);
		}
		dut_.posted_valid_i = 1;
		dut_.posted_qp_i = at_;
		dut_.posted_count_i = q.next;
		q.inside.push_back(r);
	}

	void offer_request(Request &r)
	{
		r.row = rng_.next();
		dut_.req_valid_i = 1;
		dut_.req_qp_i = req_at_ = at_;
		dut_.req_verdict_i = r.query ? TALLY_FW_VERDICT_ASK : TALLY_FW_VERDICT_TAKE;
		for (unsigned int i = 0; i < request_words; i++)
			dut_.req_i[i] = 0;
		put(dut_.req_i, 750, 16, r.status);
		put(dut_.req_i, 742, 8, r.query ? TALLY_OPCODE_QUERY : TALLY_OPCODE_ALLREDUCE);
		put(dut_.req_i, 710, 32, (r.signaled ? TALLY_WQE_F_SIGNALED : 0) | (r.flag ? TALLY_WQE_F_FLAG_WORD : 0));
		put(dut_.req_i, 678, 32, r.index);
		put(dut_.req_i, 646, 32, ~r.index);
		put(dut_.req_i, 582, 64, (1u << r.ranks) - 1);
		dut_.req_row_i[0] = r.row;
		dut_.req_row_i[3] = r.row >> 32;
	}

	Request *find(unsigned int n, bool (*wants)(const Request &))
	{
		for (Request &r : queues_[n].inside)
			if (r.taken && !r.skip && !r.query && r.status != TALLY_COLL_BAD_LKEY && wants(r))
				return &r;
		return nullptr;
	}

	void offer_update(unsigned int n)
	{
		Request *r = find(n, [](const Request &q) { return q.begun < q.chunks; });

		// Requests behind one that has failed do not begin.
		if (dut_.upd_valid_i || !r || !queues_[n].ready || (queues_[n].failed && !r->begun))
			return;
		upd_at_ = n;
		dut_.upd_valid_i = 1;
		dut_.upd_qp_i = n;
		dut_.upd_entry_i = r->entry;
		put(dut_.upd_i, 0, 30, 0);
		put(dut_.upd_i, 23, 7, r->ranks);
		put(dut_.upd_i, 30, 32, r->num + r->begun);
		put(dut_.upd_i, 62, 18, r->begun + 1 == r->chunks);
		put(dut_.upd_i, 80, 64, 0);
	}

	void offer_end(unsigned int n)
	{
		Request *r = find(n, [](const Request &q) { return q.flag_due || q.ended < q.begun * q.ranks; });

		if (dut_.end_valid_i || !r || !queues_[n].ready)
			return;
		end_at_ = n;
		dut_.end_valid_i = 1;
		dut_.end_qp_i = n;
		dut_.end_entry_i = r->entry;
		dut_.end_i = r->flag_due ? 1ull << 37 : 1ull << 29;
		end_fails_ = rng_.one_in(100);
		dut_.end_i |= uint64_t(end_fails_) << 36;
	}

	Request &of_entry(unsigned int n, unsigned int entry)
	{
		for (Request &r : queues_[n].inside)
			if (r.taken && !r.skip && r.entry == entry)
				return r;
		CHECK(false, "entry %u is nobody's", entry);
		std::abort();
	}

	void take()
	{
		if (dut_.upd_valid_i && dut_.upd_ready_o) {
			Request &r = of_entry(upd_at_, dut_.upd_entry_i);

			r.begun++;
			CHECK(!dut_.upd_flag_o, "a flag word before the ranks have finished");
		}
		if (dut_.end_valid_i && dut_.end_ready_o) {
			Request &r = of_entry(end_at_, dut_.end_entry_i);
			const bool was = r.flag_due;

			r.ended += !was;
			if (end_fails_)
				r.status = TALLY_COLL_DMA_ERROR;
			r.flag_due = !was && r.flag && !r.status && r.ended == r.chunks * r.ranks;
			CHECK(dut_.end_flag_o == r.flag_due, "end_flag_o is %d", dut_.end_flag_o);
			flags += r.flag_due;
			if (was)
				r.flag = false;
			queues_[end_at_].failed |= r.status && !r.flag_due && r.ended == r.chunks * r.ranks;
		}
		if (dut_.took_valid_o)
			take_request();
	}

	void take_request()
	{
		Queue &q = queues_[dut_.took_qp_o];

		if (dut_.took_skip_o)
			return;
		CHECK(dut_.req_valid_i && dut_.req_ready_o && dut_.took_qp_o == req_at_, "a request of nobody");
		auto r = std::find_if(q.inside.begin(), q.inside.end(), [](const Request &k) { return !k.taken; });

		if (q.failed && r != q.inside.end()) {	// it waits for ERROR
			r->query = false;
			r->status = 0;
		}

		CHECK(r != q.inside.end() && dut_.took_row_o && dut_.took_ask_o == r->query && dut_.took_begin_o == (!r->query && !r->status && !q.failed),
		      "a request is taken in: %d, begins: %d, asks: %d", dut_.took_row_o, dut_.took_begin_o, dut_.took_ask_o);
		CHECK(!std::memcmp(&dut_.req_o[0], &dut_.req_i[0], sizeof(dut_.req_o)), "another request");
		r->taken = true;
		r->entry = dut_.took_entry_o;
		CHECK(r->entry == (req_at_ * places + r->index / TALLY_REQUEST_STEP % places) * TALLY_REQUEST_STEP + r->index % TALLY_REQUEST_STEP,
		      "entry %u", r->entry);
		if (r->query) {
			q.asked = true;
			write(AT(sid), r->index);
			write(AT(detector), req_at_ + 7);
			write(AT(flags), 0);
			go(TALLY_FW_STATUS_ANSWER, req_at_);
		}
		q.failed |= r->status != 0;
	}

	// ---- tally_local ----

	static unsigned int entry_of(unsigned int n, uint32_t index)
	{
		return (n * places + index / TALLY_REQUEST_STEP % places) * TALLY_REQUEST_STEP + index % TALLY_REQUEST_STEP;
	}

	// It lets a command pass in its time.
	void pass()
	{
		CHECK(dut_.cmd_valid_o || !passes_, "a command is withdrawn");
		passes_ |= dut_.cmd_valid_o && rng_.one_in(4);
		dut_.pass_valid_i = passes_;
		bench_.settle();
		dut_.cmd_ready_i = passes_ && dut_.pass_ready_o;
		bench_.settle();
		passes_ &= !dut_.cmd_ready_i;
	}

	void read_rows()
	{
		if (dut_.got_valid_o) {
			const Read r = reads_.front();
			unsigned __int128 row = 0;

			CHECK(dut_.got_valid_o == 1u << r.reader && dut_.got_qp_o == r.qp, "the row of another entry");
			for (unsigned int bit = 0; bit < 32; bit++)
				row |= (unsigned __int128)(dut_.got_o[(678 + bit) / 32] >> (678 + bit) % 32 & 1) << bit;
			CHECK(uint32_t(row) == r.index, "the row of request %u, not %u", uint32_t(row), r.index);
			CHECK(dut_.got_row_o[0] == uint32_t(r.row) && dut_.got_row_o[3] == uint32_t(r.row >> 32), "another rest of the row");
			reads_.pop_front();
		}
		for (unsigned int k = 0; k < Readers; k++)
			if (dut_.row_valid_i >> k & 1 && dut_.row_ready_o >> k & 1) {
				reads_.push_back(asked_[k]);
				wants_[k] = false;
			}
	}

	// Of requests that stay for a while.
	void want_rows(bool more)
	{
		dut_.row_valid_i = 0;
		for (unsigned int k = 0; k < Readers; k++) {
			const unsigned int n = rng_.below(Qps);
			const Request *r = find(n, [](const Request &q) { return !q.begun; });

			if (more && !wants_[k] && r && rng_.one_in(2)) {
				wants_[k] = true;
				asked_[k] = { k, n, r->index, r->row };
				dut_.row_entry_i = (dut_.row_entry_i & ~(0x1ffull << 9 * k)) | uint64_t(r->entry) << 9 * k;
			}
			dut_.row_valid_i |= wants_[k] << k;
		}
	}

	void check_free()
	{
		const unsigned int n = dut_.free_entry_o / (places * TALLY_REQUEST_STEP);

		CHECK(n < Qps, "entry %u is free", dut_.free_entry_o);
		for (Request &r : queues_[n].inside) {
			if (r.freed || entry_of(n, r.index) != dut_.free_entry_o)
				continue;
			r.freed = true;
			frees++;
			return;
		}
		CHECK(false, "entry %u is free again", dut_.free_entry_o);
	}

	// ---- Outputs ----

	void observe()
	{
		if (dut_.free_valid_o)
			check_free();
		take_write();
		if (dut_.retired_o) {
			Queue &q = queues_[dut_.retire_qp_o];

			CHECK(!q.inside.empty() && q.inside.front().taken, "a request retires before it is taken in");
			const Request &r = q.inside.front();

			CHECK(r.skip || r.query || r.status || (r.ended == r.chunks * r.ranks && !r.flag), "request %u retires too early", r.index);
			CHECK(r.skip || r.query || (!r.signaled && !r.status), "request %u has had no completion", r.index);
			CHECK(r.freed, "request %u keeps its entry", r.index);
			q.inside.pop_front();
			q.retired++;
		}
		tell_sender();
		if (dut_.cmd_valid_o && dut_.cmd_ready_i) {	// ERROR, or END
			last_qp_ = dut_.cmd_qp_o;
			last_breaks_ = dut_.cmd_o == 2 || (dut_.cmd_o == 1 && dut_.cmd_state_o == TALLY_QPS_ERROR);
		}
		if (dut_.told_valid_o && dut_.told_ready_i && !dut_.told_fails_o) {
			CHECK(queues_[dut_.told_qp_o].asked, "an answer to nobody");
			queues_[dut_.told_qp_o].asked = false;
			answers++;
		}
		if (dut_.cpl_valid_o && dut_.cpl_ready_i)
			complete();
		if (dut_.fail_valid_o && dut_.fail_ready_i)
			fail();
	}

	// What the sender hears of: a request is taken in, one fails, or a queue pair is in ERROR, by a command or since one has failed.
	unsigned int last_qp_ = 0;	// of the newest command that has passed
	bool last_breaks_ = false;

	void tell_sender()
	{
		const bool fails = dut_.told_valid_o && dut_.told_ready_i && dut_.told_fails_o, takes = dut_.took_valid_o && dut_.took_begin_o;

		CHECK(dut_.it_valid_o || !(fails || takes), "the sender does not hear of it");
		if (!dut_.it_valid_o)
			return;
		CHECK(dut_.it_o == (takes ? 0 : fails ? 1 : 2), "the sender hears of another event: %d", dut_.it_o);
		CHECK(!(takes || fails) || dut_.it_qp_o == (takes ? dut_.took_qp_o : dut_.told_qp_o), "the sender hears of queue pair %d", dut_.it_qp_o);
		CHECK(!takes || dut_.it_entry_o == dut_.took_entry_o, "the sender hears of entry %d", dut_.it_entry_o);
		CHECK(takes || fails || queues_[dut_.it_qp_o].failed || (last_breaks_ && dut_.it_qp_o == last_qp_), "queue pair %d is in ERROR",
		      dut_.it_qp_o);
		heard[takes ? 0 : fails ? 1 : 2]++;
	}

	void complete()
	{
		struct tally_cqe cqe;

		std::memcpy(&cqe, &dut_.cpl_o[0], sizeof(cqe));
		const unsigned int n = cqe.qpn;
		Queue &q = queues_[n];

		CHECK(cqe.jid == jid(n) && cqe.detector == n + 7 && dut_.cpl_cqn_o == n % NumCq, "a completion of another group");
		completions++;
		if (cqe.flags & TALLY_CQE_F_NO_RETIRE) {
			CHECK(cqe.sid == cqe.wqe_index, "an answer to another QUERY");
			return;
		}
		CHECK(!q.inside.empty() && cqe.wqe_index == q.inside.front().index && cqe.mid == ~cqe.wqe_index, "request %u completes", cqe.wqe_index);
		Request &r = q.inside.front();

		if (cqe.coll_status == TALLY_COLL_FLUSHED) {
			CHECK(cqe.status == TALLY_WC_WR_FLUSH_ERR && q.flushes && !r.begun, "request %u is flushed", r.index);
			r.query = true;
			r.signaled = false;
			return;
		}
		CHECK(cqe.coll_status == r.status && (r.status || r.signaled), "status %u", cqe.coll_status);
		CHECK(r.status || cqe.seg == (r.num + r.chunks - 1) % segs, "segment %u", cqe.seg);
		r.signaled = false;
		if (r.status)
			r.query = true;	// it retires with nothing more
	}

	void fail()
	{
		Queue &q = queues_[dut_.fail_qp_o];

		CHECK(q.failed && q.inside.front().status && dut_.fail_status_o == q.inside.front().status && dut_.fail_mid_o == ~q.inside.front().index,
		      "queue pair %d fails", dut_.fail_qp_o);
		failures++;
		q.told |= q.ready;
		q.ready = false;
	}

	// Whether something of a queue pair waits.
	bool offers(unsigned int n) const
	{
		return (dut_.req_valid_i && req_at_ == n) || (dut_.end_valid_i && end_at_ == n) || (dut_.upd_valid_i && upd_at_ == n);
	}

	// What has not begun is flushed; then the queue pair begins anew.
	void begin_anew(unsigned int n)
	{
		queues_[n].told = false;
		queues_[n].flushes = true;
		go(TALLY_FW_STATUS_FAIL_QP, n);
		go(TALLY_FW_STATUS_RESET_QP, n);
		go(TALLY_FW_STATUS_START_QP, n, n);
	}
};

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("status_unit", argc, argv);
	World world(bench);

	bench.live(bench.times(60000), [&] { world.restart(); }, [&] {
		world.cycle();
		if (bench.cycle() % 20000 == 0)
			world.finish();
	});
	world.finish();
	CHECK(world.heard[0] && world.heard[1] && world.heard[2], "the sender has not heard of all");
	CHECK(world.completions > 100 && world.failures > 2 && world.flags > 20 && world.answers > 20 && world.skips > 100,
	      "%llu completions, %llu failures, %llu flag words, %llu answers", (unsigned long long)world.completions,
	      (unsigned long long)world.failures, (unsigned long long)world.flags, (unsigned long long)world.answers);
	return bench.finish();
}
