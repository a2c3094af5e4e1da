// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_status: random requests of several queue pairs, whose chunks begin and end in any order, with refusals of all
// kinds, ends of epochs, flushing and resets. The engine's status update is the reference: every completion, retirement and
// failure must be the model's, in its order, and each entry is free when its request has retired or is forgotten. What the firmware reads of a queue pair must be the model's if nothing else happens.
#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <vector>

#include "Vdut.h"
#include "bench.h"
#include "status_model.h"

constexpr unsigned int step = TALLY_REQUEST_STEP, places = TALLY_QP_REQUESTS / step, place_bits = __builtin_ctz(Entries / step);
static_assert(Groups >= Qps, "one for each queue pair");
constexpr unsigned int row_words = 24, row_bits = 766;

enum Command { CREATE, STATE, END, ANSWER };

struct Chunk {
	uint32_t num;
	uint64_t waits;
};

struct Request {
	model_request q;
	std::vector<Chunk> chunks;	// that have begun and not finished
	uint32_t begun = 0, num = 0;	// of chunks, and of the newest
	bool flag = false;		// it is being written
};

struct Queue {
	bool exists = false;
	unsigned int places_log = 0, place[places] = {};
	uint32_t posted = 0;
	uint16_t node = 0;
	uint32_t mid = 0;			// of the newest request
	bool in_error = false;			// by a command
	std::deque<unsigned int> taken;		// entries, in the order of their requests
	std::map<uint32_t, Request> requests;	// that are taken in, by index
};

// An operation that is offered to the block.
struct Operation {
	bool valid = false;
	unsigned int qp = 0;
	uint32_t index = 0, num = 0;
	uint64_t ranks = 0;
	model_request q = {};
	model_report report = {};
	bool last = false, disagrees = false;
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

	bool stalls = true;
	uint64_t peeks = 0, helds = 0, mores = 0, seen[6] = {}, flags = 0, mismatches = 0, out_of_turn = 0, reported = 0, flushed = 0;

	void restart()
	{
		dut_.cmd_valid_i = dut_.end_valid_i = dut_.upd_valid_i = dut_.in_valid_i = dut_.posted_valid_i = dut_.got_valid_i = 0;
		dut_.group_write_i = dut_.peek_valid_i = 0;
		peeking_ = false;
		bench_.reset();
		model_reset();
		for (Queue &q : queues_)
			q = {};
		cmd_ = end_ = upd_ = in_ = {};
		for (unsigned int n = 0; n < Qps; n++)
			completions_[n].clear(), tells_[n].clear(), failures_[n].clear();
		std::fill(std::begin(failures_of_), std::end(failures_of_), 0);
		std::fill(std::begin(told_failures_), std::end(told_failures_), 0);
		reads_.clear();
		quiet_ = false;
		last_ = 0;
		forgets_ = Qps;
		message_ = message_failed_ = 0;
		for (unsigned int i = 0; i < 2; i++)
			cycle(false);
		while (dut_.busy_o)
			cycle(false);
	}

	void cycle(bool choose = true)
	{
		dut_.posted_valid_i = dut_.group_write_i = 0;
		if (choose)
			offer();
		answer_failure();
		answer_row();
		dut_.row_ready_i = !stalls || rng_.one_in(2);
		dut_.cpl_ready_i = !stalls || cpl_.go();
		dut_.tell_ready_i = !stalls || tell_.go();
		dut_.fail_ready_i = !stalls || rng_.one_in(2);
		bench_.settle();
		CHECK(!dut_.busy_o || !quiet_, "busy_o without an input");
		quiet_ = !dut_.busy_o && !dut_.peek_valid_i && !dut_.cmd_valid_i && !dut_.end_valid_i && !dut_.upd_valid_i && !dut_.in_valid_i;
		take();
		observe();
		const bool cmd = dut_.cmd_valid_i && !dut_.cmd_ready_o, end = dut_.end_valid_i && !dut_.end_ready_o,
			   upd = dut_.upd_valid_i && !dut_.upd_ready_o, in = dut_.in_valid_i && !dut_.in_ready_o;

		const bool peek_taken = dut_.peek_valid_i && dut_.peek_ready_o;

		if (dut_.peeked_valid_o) {
			CHECK(peeking_, "an answer without a read");
			peeking_ = false;
		}
		bench_.tick();
		if (peek_taken)
			dut_.peek_valid_i = 0;
		dut_.cmd_valid_i = cmd;
		dut_.end_valid_i = end;
		dut_.upd_valid_i = upd;
		dut_.in_valid_i = in;
	}

	// What the firmware reads while nothing else happens.
	void peek()
	{
		unsigned int n = rng_.below(Qps);
		uint32_t mid = rng_.next();
		bool more;

		// Of others, the answer is that there is none.
		while (!rng_.one_in(6) && (model_state(n) != TALLY_QPS_RTS || model_failing(n) || queues_[n].requests.empty()))
			n = rng_.below(Qps);

		if (!queues_[n].exists || peeking_)
			return;
		for (unsigned int i = 0; i < 400 && (dut_.busy_o || busy_at_all()); i++)
			cycle(false);
		if (dut_.busy_o || busy_at_all())
			return;
		if (!queues_[n].requests.empty() && !rng_.one_in(8)) {
			auto r = queues_[n].requests.begin();

			std::advance(r, rng_.below(queues_[n].requests.size()));
			mid = r->second.q.mid + (rng_.one_in(3) ? rng_.below(3) - 1 : 0);
		}
		const uint64_t held = model_holds(n, mid, &more);

		dut_.peek_valid_i = 1;
		dut_.peek_qp_i = n;
		dut_.peek_mid_i = mid;
		bench_.settle();
		CHECK(dut_.peek_ready_o, "a read is not taken");
		peeking_ = true;
		cycle(false);
		dut_.peek_valid_i = 0;
		for (unsigned int i = 0; bench_.settle(), !dut_.peeked_valid_o; i++) {
			CHECK(i < 2000, "a read is not answered");
			cycle(false);
		}
		CHECK(dut_.peeked_ranks_o == held && (dut_.peeked_more_o == more || held >> 63), "queue pair %u holds message %x of %llx, %d, not %llx, %d",
		      n, mid, static_cast<unsigned long long>(dut_.peeked_ranks_o), dut_.peeked_more_o, static_cast<unsigned long long>(held), more);
		cycle(false);
		peeking_ = false;
		peeks++;
		helds += held != 0;
		mores += more;
	}

	// A read amid all else, whose answer is of no moment.
	void begin_peek()
	{
		if (peeking_ || !rng_.one_in(50))
			return;
		dut_.peek_valid_i = peeking_ = true;
		dut_.peek_qp_i = rng_.below(Qps);
		dut_.peek_mid_i = rng_.next();
	}

	void end_peek()
	{
		if (!peeking_)
			return;
		for (unsigned int i = 0; peeking_; i++) {
			CHECK(i < 20000, "a read is not answered");
			cycle(false);
		}
	}

	void finish()
	{
		end_peek();
		for (unsigned int i = 0; i < 4000; i++)
			cycle(false);
		CHECK(!dut_.busy_o, "the block never ends");
		for (unsigned int n = 0; n < Qps; n++)
			CHECK(completions_[n].empty() && tells_[n].empty() && failures_[n].empty(), "the model does more: %zu completions, %zu, %zu",
			      completions_[n].size(), tells_[n].size(), failures_[n].size());
		CHECK(message_ == model_count(TALLY_CTR_messages) && message_failed_ == model_count(TALLY_CTR_messages_failed), "counters");
	}

private:
	tally::Bench<Vdut> &bench_;
	tally::Rng &rng_;
	Vdut &dut_;
	Queue queues_[Qps];
	// Failures of queue pairs that the firmware has not answered, and those of them that it knows.
	unsigned int failures_of_[Qps] = {}, told_failures_[Qps] = {};
	Operation cmd_, end_, upd_, in_;
	std::deque<model_event> completions_[Qps], tells_[Qps], failures_[Qps];	// of each queue pair, in their order
	std::vector<uint32_t> rows_[Entries];
	std::deque<unsigned int> reads_;
	tally::Throttle cpl_{ rng_ }, tell_{ rng_ };
	bool quiet_ = false, peeking_ = false, freed_ = false;
	unsigned int last_ = 0, forgets_ = Qps;	// the queue pair of the newest operation, and that which forgets its requests by it
	uint64_t message_ = 0, message_failed_ = 0;

	// ---- What may be offered ----

	bool busy(unsigned int n) const
	{
		return (cmd_.valid && cmd_.qp == n) || (end_.valid && end_.qp == n) || (upd_.valid && upd_.qp == n) || (in_.valid && in_.qp == n);
	}

	bool busy_at_all() const
	{
		return cmd_.valid || end_.valid || upd_.valid || in_.valid ||
		       std::any_of(told_failures_, told_failures_ + Qps, [](unsigned int n) { return n; });
	}

	unsigned int entry_of(unsigned int n, uint32_t index) const
	{
		const Queue &q = queues_[n];

		return q.place[index / step % (1u << q.places_log)] * step + index % step;
	}

	void offer()
	{
		unsigned int n = rng_.below(Qps);

		if (busy(n) || failures_of_[n])
			return;
		if (!queues_[n].exists) {
			offer_create(n);
			return;
		}
		tell_posted(n);
		switch (rng_.below(5)) {
		case 0:
			if (!cmd_.valid && rng_.one_in(12))
				offer_command(n);
			break;
		case 1:
			if (!upd_.valid)
				offer_update(n);
			break;
		case 2:
			if (!in_.valid)
				offer_request(n);
			break;
		default:
			if (!end_.valid)
				offer_end(n);
		}
	}

	// ---- Commands ----

	// The firmware puts a queue pair that has failed into ERROR. Until then nothing else happens to it, as requests behind the
	// one that has failed may be begun, but wait here.
	void answer_failure()
	{
		for (unsigned int n = 0; n < Qps && !cmd_.valid; n++) {
			if (!told_failures_[n] || busy(n))
				continue;
			told_failures_[n]--;
			command(n, STATE, TALLY_QPS_ERROR, false);
			cmd_.disagrees = true;
		}
	}

	bool writes_flag(unsigned int n) const
	{
		return std::any_of(queues_[n].requests.begin(), queues_[n].requests.end(), [](const auto &r) { return r.second.flag; });
	}

	void command(unsigned int n, Command command, unsigned int state = 0, bool ended = true)
	{
		cmd_ = {};
		cmd_.valid = true;
		cmd_.qp = n;
		cmd_.index = command;
		cmd_.num = state;
		dut_.cmd_valid_i = 1;
		dut_.cmd_i = command;
		dut_.cmd_qp_i = n;
		dut_.cmd_state_i = state;
		cmd_.report = { uint16_t(TALLY_COLL_TIMEOUT + rng_.below(20)), uint16_t(rng_.below(4)), rng_.next(), rng_.next(), uint32_t(rng_.next()) };
		if (rng_.one_in(2))
			cmd_.report.ranks = 1ull << rng_.below(64);
		if (rng_.one_in(4))
			cmd_.report.status = 1 + rng_.below(TALLY_COLL_BAD_CHUNK);
		if (!ended || (command == STATE && rng_.one_in(3)))
			cmd_.report.status = 0;
		put(dut_.cmd_report_i, 0, 32, cmd_.report.sid);
		put(dut_.cmd_report_i, 32, 64, cmd_.report.ranks);
		put(dut_.cmd_report_i, 96, 64, cmd_.report.contributors);
		put(dut_.cmd_report_i, 160, 16, cmd_.report.detector);
		put(dut_.cmd_report_i, 176, 16, cmd_.report.status);
		dut_.cmd_flags_i = rng_.below(2) * TALLY_CQE_F_PENDING;
	}

	void offer_create(unsigned int n)
	{
		const uint32_t jid = rng_.next(), segs = 1 + rng_.below(TALLY_MAX_GROUP_SEGS);
		const uint16_t node = rng_.below(4);
		model_inverse inverse;
		Queue &q = queues_[n];
		uint64_t at = 0;

		if (cmd_.valid)
			return;
		command(n, CREATE, rng_.one_in(4) ? TALLY_QPS_RESET : TALLY_QPS_RTS);
		inverse = model_group(n, jid, node, segs);
		dut_.group_write_i = 1;
		dut_.group_index_i = n;
		put(dut_.group_i, 0, 6, inverse.shift);
		put(dut_.group_i, 6, 32, inverse.inverse);
		put(dut_.group_i, 38, 9, segs);
		put(dut_.group_i, 47, 16, node);
		put(dut_.group_i, 63, 32, jid);
		q.node = node;
		q.places_log = rng_.below(4);
		for (unsigned int k = 0; k < places; k++) {
			q.place[k] = k * Qps + n;
			at |= uint64_t(q.place[k]) << k * place_bits;
		}
		cmd_.ranks = rng_.below(NumCq);
		dut_.cmd_group_i = n;
		dut_.cmd_cqn_i = cmd_.ranks;
		dut_.cmd_places_i = at;
		dut_.cmd_places_log_i = q.places_log;
	}

	void offer_command(unsigned int n)
	{
		const unsigned int state = model_state(n);

		if (model_asked(n) && rng_.one_in(2)) {
			command(n, ANSWER);
			// The firmware tells the report of the node itself.
			put(dut_.cmd_report_i, 160, 16, cmd_.report.detector = queues_[n].node);
		} else if (state == TALLY_QPS_RTS && rng_.one_in(8)) {
			command(n, END);
		} else if (state == TALLY_QPS_RTS && rng_.one_in(20)) {
			command(n, STATE, TALLY_QPS_ERROR);
		} else if (state == TALLY_QPS_RESET) {
			if (rng_.one_in(8))
				command(n, END);
			else
				command(n, STATE, rng_.one_in(6) ? TALLY_QPS_ERROR : TALLY_QPS_RTS);
		} else if (!writes_flag(n) && rng_.one_in(state == TALLY_QPS_RTS ? 60 : 12)) {
			if (rng_.one_in(4))
				offer_create(n);
			else
				command(n, STATE, TALLY_QPS_RESET);
		} else if (state == TALLY_QPS_ERROR && !model_left(n) && rng_.one_in(10)) {
			if (rng_.one_in(2))
				command(n, STATE, TALLY_QPS_ERROR);
			else
				command(n, END);
		}
	}

	void forget(unsigned int n)
	{
		Queue &q = queues_[n];

		q.requests.clear();
		q.posted = 0;
		q.in_error = false;
		forgets_ = n;
	}

	void take_command()
	{
		const unsigned int n = cmd_.qp;
		Queue &q = queues_[n];

		switch (cmd_.index) {
		case CREATE:
			model_create(n, n, cmd_.ranks, cmd_.num, step << q.places_log);
			forget(n);
			q.exists = true;
			break;
		case STATE:
			failures_of_[n] -= cmd_.disagrees;
			model_set_state(n, cmd_.num, &cmd_.report);
			if (cmd_.num == TALLY_QPS_RESET)
				forget(n);
			q.in_error = cmd_.num == TALLY_QPS_ERROR;
			break;
		case END:
			q.in_error |= model_state(n) != TALLY_QPS_RESET;
			model_end_epoch(n, &cmd_.report);
			break;
		default:
			model_answer(n, &cmd_.report, dut_.cmd_flags_i);
		}
		cmd_.valid = false;
	}

	// ---- Requests ----

	// The count moves before anything of the request is known, at a time at which nothing of the queue pair is retired.
	void tell_posted(unsigned int n)
	{
		Queue &q = queues_[n];

		if (q.posted - model_admit(n) > (forgets_ == Qps ? 0 : 3) || (dut_.busy_o && last_ == n) || model_state(n) == TALLY_QPS_RESET ||
		    rng_.one_in(2))
			return;
		q.posted += 1 + rng_.below(3);
		dut_.posted_valid_i = 1;
		dut_.posted_qp_i = n;
		dut_.posted_count_i = q.posted;
		model_posted(n, q.posted);
	}

	model_request random_request(unsigned int n)
	{
		static const uint8_t opcodes[] = { TALLY_OPCODE_ALLREDUCE, TALLY_OPCODE_ALLREDUCE, TALLY_OPCODE_BCAST, TALLY_OPCODE_BARRIER,
						   TALLY_OPCODE_REDUCE, TALLY_OPCODE_REDUCE_MP };
		Queue &q = queues_[n];
		model_request r = {};

		r.opcode = opcodes[rng_.below(6)];
		r.flags = (rng_.one_in(2) ? TALLY_WQE_F_SIGNALED : 0) | (rng_.one_in(3) ? TALLY_WQE_F_SOLICITED : 0) |
			  (rng_.one_in(3) ? TALLY_WQE_F_FLAG_WORD : 0);
		r.index = model_admit(n);
		// Several requests may be of a message, of some ranks each.
		r.mid = q.mid = rng_.one_in(3) ? rng_.next() : q.mid + rng_.below(2);
		r.chunks = r.opcode >= TALLY_OPCODE_REDUCE_MP ? 1 : 1 + rng_.below(4);
		r.rank_mask = rng_.one_in(3) ? rng_.next() | 1 : 1ull << rng_.below(64);
		if (rng_.one_in(50))
			r.status = 1 + rng_.below(TALLY_COLL_BAD_CHUNK);
		return r;
	}

	void offer_request(unsigned int n)
	{
		Queue &q = queues_[n];
		const unsigned int state = model_state(n);
		const bool flushes = state == TALLY_QPS_ERROR && model_head(n) == model_admit(n);
		const bool room = model_admit(n) - model_head(n) < step << q.places_log;
		enum tally_fw_verdict verdict = flushes ? TALLY_FW_VERDICT_FLUSH : TALLY_FW_VERDICT_TAKE;
		bool asks = rng_.one_in(12), ahead = state == TALLY_QPS_RTS && rng_.one_in(80);

		if (state == TALLY_QPS_RESET || q.posted == model_admit(n) || dut_.posted_valid_i || (!room && !ahead) || model_asked(n))
			return;
		in_ = {};
		in_.valid = true;
		in_.qp = n;
		in_.q = random_request(n);
		in_.last = rng_.one_in(15) && (flushes || state == TALLY_QPS_RTS);
		if (ahead)
			verdict = TALLY_FW_VERDICT_AHEAD, in_.last = false;
		else if (asks && !flushes)
			verdict = TALLY_FW_VERDICT_ASK;
		if (verdict == TALLY_FW_VERDICT_AHEAD || verdict == TALLY_FW_VERDICT_ASK) {
			in_.q.opcode = rng_.one_in(2) ? TALLY_OPCODE_QUERY : TALLY_OPCODE_ABORT;
			in_.q.status = 0;
		}
		in_.num = verdict;
		dut_.in_valid_i = 1;
		dut_.in_qp_i = n;
		dut_.in_skip_i = in_.last;
		dut_.in_passes_i = in_.last && flushes;
		dut_.in_verdict_i = verdict;
		for (unsigned int i = 0; i < row_words; i++)
			dut_.in_i[i] = rng_.next();
		put(dut_.in_i, 750, 16, in_.q.status);
		put(dut_.in_i, 742, 8, in_.q.opcode);
		put(dut_.in_i, 710, 32, in_.q.flags);
		put(dut_.in_i, 678, 32, in_.q.index);
		put(dut_.in_i, 646, 32, in_.q.mid);
		put(dut_.in_i, 582, 64, in_.q.rank_mask);
		dut_.in_i[row_words - 1] &= (1u << row_bits % 32) - 1;
	}

	void take_request()
	{
		const unsigned int n = in_.qp;
		const bool judged = model_state(n) == TALLY_QPS_RTS && !model_failing(n);
		const bool takes = !in_.last && (in_.num == TALLY_FW_VERDICT_TAKE || in_.num == TALLY_FW_VERDICT_ASK);
		const bool asks = !in_.last && (in_.num == TALLY_FW_VERDICT_AHEAD || (in_.num == TALLY_FW_VERDICT_ASK && judged));
		const uint32_t index = in_.q.index;

		CHECK(dut_.in_row_o == takes && dut_.in_ask_o == asks, "a request is taken in: %d, asks: %d", dut_.in_row_o, dut_.in_ask_o);
		CHECK(dut_.begin_valid_o == (takes && judged && in_.num == TALLY_FW_VERDICT_TAKE && !in_.q.status), "begin_valid_o is %d",
		      dut_.begin_valid_o);
		if (takes) {
			CHECK(dut_.in_entry_o == entry_of(n, index), "entry %d of request %u", dut_.in_entry_o, index);
			CHECK(!dut_.begin_valid_o || (dut_.begin_qp_o == n && dut_.begin_entry_o == dut_.in_entry_o), "another begins");
			rows_[dut_.in_entry_o].assign(&dut_.in_i[0], &dut_.in_i[row_words]);
			queues_[n].requests[index] = {};
			queues_[n].requests[index].q = in_.q;
		}
		if (takes || (in_.last && !dut_.in_passes_i))
			queues_[n].taken.push_back(entry_of(n, index));
		if (in_.last)
			model_skip(n, dut_.in_passes_i);
		else
			model_take(n, static_cast<enum tally_fw_verdict>(in_.num), &in_.q);
		in_.valid = false;
	}

	// ---- Chunks ----

	Request *random_of(unsigned int n, uint32_t &index)
	{
		std::map<uint32_t, Request> &all = queues_[n].requests;

		while (!all.empty() && int32_t(all.begin()->first - model_head(n)) < 0)
			all.erase(all.begin()); // it has retired
		if (all.empty())
			return nullptr;
		auto it = all.begin();
		std::advance(it, rng_.below(std::min<size_t>(all.size(), 4)));
		index = it->first;
		return &it->second;
	}

	void offer_update(unsigned int n)
	{
		uint32_t index;
		Request *r = random_of(n, index);

		if (!r || model_state(n) != TALLY_QPS_RTS || model_left(n) || !(model_is_ready(n, index) || model_is_active(n, index)) ||
		    model_failing(n))
			return;
		// A descriptor has one chunk.
		if (model_is_active(n, index) && r->q.chunks == 1 && !r->flag && rng_.one_in(10)) {
			offer_mismatch(n, index);
			return;
		}
		if (r->begun == r->q.chunks)
			return;
		upd_ = {};
		upd_.valid = true;
		upd_.qp = n;
		upd_.index = index;
		upd_.num = r->begun ? r->num + 1 : uint32_t(rng_.next());
		upd_.last = r->begun + 1 == r->q.chunks;
		if (rng_.one_in(3))
			upd_.ranks = rng_.one_in(2) ? r->q.rank_mask : r->q.rank_mask & rng_.next();
		upd_.report.status = rng_.next();
		if (model_is_ready(n, index) && rng_.one_in(60))
			upd_.q.status = rng_.one_in(2) ? TALLY_COLL_MID_SKIPPED : TALLY_COLL_RANK_TWICE;
		dut_.upd_valid_i = 1;
		dut_.upd_qp_i = n;
		dut_.upd_entry_i = entry_of(n, index);
		put(dut_.upd_i, 0, 16, upd_.report.status);
		put(dut_.upd_i, 16, 7, __builtin_popcountll(upd_.ranks));
		put(dut_.upd_i, 23, 7, __builtin_popcountll(r->q.rank_mask));
		put(dut_.upd_i, 30, 32, upd_.num);
		put(dut_.upd_i, 62, 1, upd_.last);
		put(dut_.upd_i, 63, 16, upd_.q.status ? upd_.q.status : rng_.next());
		put(dut_.upd_i, 79, 1, upd_.q.status != 0);
		put(dut_.upd_i, 80, 64, rng_.next());
	}

	// Contributions to a descriptor disagree. Its ranks tell nothing any more.
	void offer_mismatch(unsigned int n, uint32_t index)
	{
		upd_ = {};
		upd_.valid = upd_.disagrees = true;
		upd_.qp = n;
		upd_.index = index;
		upd_.q.status = TALLY_COLL_MISMATCH;
		upd_.report.status = rng_.next();
		upd_.report.contributors = rng_.next();
		dut_.upd_valid_i = 1;
		dut_.upd_qp_i = n;
		dut_.upd_entry_i = entry_of(n, index);
		put(dut_.upd_i, 0, 16, upd_.report.status);
		put(dut_.upd_i, 63, 16, upd_.q.status);
		put(dut_.upd_i, 79, 1, 1);
		put(dut_.upd_i, 80, 64, upd_.report.contributors);
	}

	void take_update()
	{
		const unsigned int n = upd_.qp;
		Request &r = queues_[n].requests[upd_.index];
		bool flag = false;

		if (upd_.disagrees) {
			r.chunks.clear();
			mismatches++;
			model_mismatch(n, upd_.index, upd_.report.status, upd_.report.contributors);
		} else if (upd_.q.status) {
			model_refuse(n, upd_.index, upd_.q.status, upd_.report.status);
		} else {
			r.begun++;
			r.num = upd_.num;
			if (r.q.rank_mask & ~upd_.ranks)
				r.chunks.push_back({ upd_.num, r.q.rank_mask & ~upd_.ranks });
			flag = model_chunk(n, upd_.index, upd_.num, upd_.ranks, upd_.report.status);
			r.flag = flag;
		}
		CHECK(dut_.upd_flag_o == flag, "upd_flag_o is %d", dut_.upd_flag_o);
		flags += flag;
		upd_.valid = false;
	}

	void offer_end(unsigned int n)
	{
		uint32_t index;
		Request *r = random_of(n, index);
		const bool writes = r && r->q.opcode == TALLY_OPCODE_ALLREDUCE;

		if (!r || (r->flag && rng_.one_in(2)) || (r->chunks.empty() && !r->flag) || (model_left(n) && !r->flag) || !model_is_active(n, index))
			return;
		end_ = {};
		end_.valid = true;
		end_.qp = n;
		end_.index = index;
		end_.q.status = (writes || r->flag) && rng_.one_in(12);
		end_.last = r->flag;
		end_.report.status = r->flag ? 0 : rng_.next();
		if (!r->flag) {
			Chunk &c = r->chunks[rng_.below(r->chunks.size())];

			end_.num = c.num;
			end_.ranks = rng_.one_in(2) && !writes ? c.waits : c.waits & -c.waits;
			end_.q.chunks = writes ? 1 + rng_.below(TALLY_MAX_MTU) : 0;
		}
		dut_.end_valid_i = 1;
		dut_.end_qp_i = n;
		dut_.end_entry_i = entry_of(n, index);
		dut_.end_i = uint64_t(end_.report.status) | uint64_t(end_.q.chunks) << 16 | uint64_t(__builtin_popcountll(end_.ranks)) << 29 |
			     uint64_t(end_.q.status) << 36 | uint64_t(end_.last) << 37;
	}

	void take_end()
	{
		const unsigned int n = end_.qp;
		Request &r = queues_[n].requests[end_.index];
		bool flag = false;

		if (end_.last) {
			r.flag = false;
			model_flag_written(n, end_.index, end_.q.status);
		} else {
			auto c = std::find_if(r.chunks.begin(), r.chunks.end(), [this](const Chunk &k) { return k.num == end_.num; });

			c->waits &= ~end_.ranks;
			if (!c->waits)
				r.chunks.erase(c);
			flag = model_finish(n, end_.index, end_.num, end_.ranks, end_.report.status, end_.q.chunks, end_.q.status);
			r.flag = flag;
		}
		CHECK(dut_.end_flag_o == flag, "end_flag_o is %d", dut_.end_flag_o);
		flags += flag;
		end_.valid = false;
	}

	// ---- What the block does ----

	void take()
	{
		const unsigned int taken = (dut_.cmd_valid_i && dut_.cmd_ready_o) + (dut_.end_valid_i && dut_.end_ready_o) +
					   (dut_.upd_valid_i && dut_.upd_ready_o) + (dut_.in_valid_i && dut_.in_ready_o);

		CHECK(taken <= 1, "%u operations at once", taken);
		CHECK(!taken || forgets_ == Qps || queues_[forgets_].taken.empty(), "queue pair %u has forgotten its requests, but keeps entries", forgets_);
		if (taken)
			forgets_ = Qps;
		if (dut_.cmd_valid_i && dut_.cmd_ready_o)
			last_ = cmd_.qp, take_command();
		else if (dut_.end_valid_i && dut_.end_ready_o)
			last_ = end_.qp, take_end();
		else if (dut_.upd_valid_i && dut_.upd_ready_o)
			last_ = upd_.qp, take_update();
		else if (dut_.in_valid_i && dut_.in_ready_o)
			last_ = in_.qp, take_request();
		for (model_event event; model_next_event(&event);) {
			seen[event.what]++;
			if (event.what == MODEL_FAILED)
				failures_of_[event.qp]++;
			if (event.what == MODEL_COMPLETION)
				completions_[event.qp].push_back(event);
			else
				(event.what == MODEL_FAILED ? failures_ : tells_)[event.qp].push_back(event);
		}
	}

	void answer_row()
	{
		dut_.got_valid_i = !reads_.empty();
		if (!dut_.got_valid_i)
			return;
		CHECK(rows_[reads_.front()].size() == row_words, "entry %u was never written", reads_.front());
		std::copy(rows_[reads_.front()].begin(), rows_[reads_.front()].end(), &dut_.got_i[0]);
		reads_.pop_front();
	}

	// Entries are free in the order of their requests.
	void observe_free()
	{
		const unsigned int entry = dut_.free_entry_o;
		std::deque<unsigned int> &taken = queues_[entry / step % Qps].taken;

		CHECK(!dut_.free_valid_o || (!freed_ && !taken.empty() && taken.front() == entry), "entry %u is free", entry);
		CHECK(dut_.free_valid_o || !(dut_.tell_valid_o && dut_.tell_ready_i && dut_.tell_o == 0), "a request retires and keeps its entry");
		freed_ = dut_.free_valid_o;
		if (freed_)
			taken.pop_front();
	}

	void observe()
	{
		observe_free();
		if (dut_.row_valid_o && dut_.row_ready_i)
			reads_.push_back(dut_.row_entry_o);
		CHECK(reads_.size() <= 1, "two reads at a time");
		if (dut_.cpl_valid_o)
			observe_completion();
		if (dut_.tell_valid_o) {
			static const model_what told[] = { MODEL_RETIRED, MODEL_FAILS, MODEL_ANSWERED, MODEL_ERROR };

			std::deque<model_event> &tells = tells_[dut_.tell_qp_o];

			CHECK(!tells.empty() && tells.front().what == told[dut_.tell_o], "%d of queue pair %d is told, instead of %d", dut_.tell_o,
			      dut_.tell_qp_o, tells.empty() ? -1 : tells.front().what);
			if (dut_.tell_ready_i)
				tells.pop_front();
		}
		if (dut_.fail_valid_o) {
			std::deque<model_event> &failures = failures_[dut_.fail_qp_o];

			CHECK(!failures.empty() && failures.front().status == dut_.fail_status_o && failures.front().ranks == dut_.fail_ranks_o &&
			      failures.front().mid == dut_.fail_mid_o, "a failure of queue pair %d, status %d",
			      dut_.fail_qp_o, dut_.fail_status_o);
			if (dut_.fail_ready_i) {
				told_failures_[dut_.fail_qp_o]++;
				failures.pop_front();
			}
		}
		message_ += dut_.message_o;
		message_failed_ += dut_.message_failed_o;
	}

	void observe_completion()
	{
		struct tally_cqe cqe;

		std::memcpy(&cqe, &dut_.cpl_o[0], sizeof(cqe));
		CHECK(cqe.qpn < Qps && !completions_[cqe.qpn].empty(), "a completion of nobody");
		const model_event e = completions_[cqe.qpn].front();
		CHECK(!std::memcmp(&cqe, &e.cqe, sizeof(cqe)), "completion of queue pair %u, request %u, status %u (%u), instead of %u, %u, %u (%u): detector "
		      "%u and %u, sid %u and %u, seg %u and %u, bytes %u and %u, errors %x and %x, flags %x and %x", cqe.qpn, cqe.wqe_index, cqe.coll_status,
		      cqe.status, e.cqe.qpn, e.cqe.wqe_index, e.cqe.coll_status, e.cqe.status, cqe.detector, e.cqe.detector, cqe.sid, e.cqe.sid, cqe.seg,
		      e.cqe.seg, cqe.byte_cnt, e.cqe.byte_cnt, cqe.err_vector, e.cqe.err_vector, cqe.flags, e.cqe.flags);
		CHECK(dut_.cpl_cqn_o == e.cqn && dut_.cpl_solicited_o == e.solicited, "completion for CQ %d, solicited %d", dut_.cpl_cqn_o,
		      dut_.cpl_solicited_o);
		CHECK(cqe.status != TALLY_WC_WR_FLUSH_ERR || queues_[cqe.qpn].in_error, "queue pair %u flushes before it is in ERROR", cqe.qpn);
		if (!dut_.cpl_ready_i)
			return;
		out_of_turn += (cqe.flags & TALLY_CQE_F_NO_RETIRE) != 0;
		reported += cqe.contributors != 0;
		flushed += cqe.status == TALLY_WC_WR_FLUSH_ERR;
		completions_[cqe.qpn].pop_front();
	}
};

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("status", argc, argv);
	World world(bench);

	bench.live(bench.times(150000), [&] { world.restart(); }, [&] {
		world.stalls = bench.cycle() / 4096 % 2;
		world.cycle();
		world.begin_peek();
		if (bench.rng.one_in(60))
			world.peek();
		if (bench.cycle() % 20000 == 0)
			world.finish();
	});
	world.finish();
	for (unsigned int k = 0; k < 6; k++)
		CHECK(world.seen[k] > 5, "event %u came %llu times", k, (unsigned long long)world.seen[k]);
	CHECK(world.peeks > 200 && world.helds > 50 && world.mores > 20, "%llu reads, %llu of requests, %llu of others", (unsigned long long)world.peeks,
	      (unsigned long long)world.helds, (unsigned long long)world.mores);
	CHECK(world.flags > 5 && world.out_of_turn > 5 && world.reported > 5 && world.flushed > 5 && world.mismatches > 5, "%llu flag words, "
	      "%llu out of turn, %llu reported, %llu flushed, %llu disagree", (unsigned long long)world.flags, (unsigned long long)world.out_of_turn,
	      (unsigned long long)world.reported, (unsigned long long)world.flushed, (unsigned long long)world.mismatches);
	return bench.finish();
}
