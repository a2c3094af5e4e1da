// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_sender: random requests of the queue pairs of several groups, whose windows move meanwhile. The engine's
// sender_pump() is the reference: when nothing is left to do, both must have posted the same chunks, with the same ranks that give
// data, are absent or are finished; wait for the same messages, have refused the same requests, and want as many segments. Epochs
// end amid posts, queue pairs are reset, and refused requests have others behind them. The bench is the store, tally_status,
// tally_local, the pool and the firmware. Chunks of GATHER and SCATTER are away. Triggered descriptors, of which the engine knows
// nothing here, are offered in their turn. Some are refused, then nothing behind them begins until the queue pair is marked.
#include <algorithm>
#include <deque>
#include <map>
#include <tuple>
#include <vector>

#include "Vdut.h"
#include "sender_bits.h"
#include "sender_model.h"

constexpr unsigned int ranks_in_group = 8, quiet_clocks = 60, most_offers = 4;
enum Command { CREATE, STATE, END };
enum Event { TAKEN, FAILS, ERROR };

constexpr uint64_t mask = 0x8040201008040201;	// local ranks of each group

static uint64_t bit_of(unsigned int rank)
{
	return 1ull << 9 * rank;
}

struct Request {
	model_request q;
	uint32_t begun = 0;
	bool descriptor = false;
};

struct Post {
	model_post p;
	unsigned int qp, entry;
	bool last, stored, away, told, at_once;	// at_once: data do not wait for the answer to the post
};

struct It {
	Event what;
	unsigned int qp, entry;
	bool soon = false;	// as the request whose row was read is judged
};

struct Group {
	uint32_t issue[ranks_in_group] = {};	// next message of each rank that a request is made for
	std::vector<model_request> messages;	// by mid
	uint32_t max_segs = 0;
	model_window told = {};
	bool runs = false;			// its epoch
};

struct Queue {
	unsigned int group = 0;
	uint64_t ranks = 0, sole = 0;		// sole, alone: as the block was told
	bool alone = false;
	int64_t waits = -1;
	bool looked = false, appended = false;
	bool ended = false, broken = false;	// its epoch has ended; it fails or is in ERROR
	bool declined = false;			// its first descriptor, and it has not been marked since
	unsigned int offers = 0;		// of descriptors, since something has happened
	bool finishes = false;			// a message is refused whose chunks the engine may have finished already
	std::vector<unsigned int> list;		// entries that have chunks to begin
};

class World {
public:
	explicit World(tally::Bench<Vdut> &bench) : bench_(bench), rng_(bench.rng), dut_(*bench.dut) {}

	uint64_t posted = 0, refused[3] = {}, borrowed = 0, flags = 0, ends = 0, resets = 0, looks = 0, aways = 0, descriptors = 0, declined = 0, early = 0, shortest = ~0ull;

	void restart()
	{
		dut_.it_valid_i = dut_.moved_valid_i = dut_.got_valid_i = dut_.ans_valid_i = dut_.cmd_valid_i = 0;
		dut_.mark_valid_i = dut_.epoch_valid_i = dut_.tab_valid_i = dut_.link_valid_i = dut_.peek_valid_i = 0;
		bench_.reset();
		model_reset();
		its_.clear();
		moved_.clear();
		live_.clear();
		posts_.clear();
		entries_.clear();
		for (unsigned int i = 0; i < Entries; i++)
			entries_.push_back(i);
		row_left_ = ans_left_ = -1;
		within_ = flag_next_ = taken_ = false;
		refused_now_ = 0;
		held_away_ = began_away_ = handed_ = heard_ = told_away_ = false;
		marks_.clear();
		std::fill(refusals_, refusals_ + Qps, 0);
		it_gap_ = moved_gap_ = row_age_ = 0;
		amid_ = false;
		calm_ = true;
		rests_ = false;
		for (bench_.settle(); dut_.busy_o; bench_.settle())
			bench_.tick();
		arrange();
	}

	// Some events, until nothing is left to do; then both are compared.
	void step()
	{
		calm_ = rng_.one_in(6);
		declines_ = rng_.one_in(4);
		amid_ = rng_.one_in(3);
		if (rng_.one_in(4)) {
			lends_ = !lends_;
			for (unsigned int g = 0; g < Groups; g++)
				moved_.push_back(g);	// who asked in vain does so again when the window moves
		}
		model_lend(lends_);
		if (rng_.one_in(6))
			return rng_.one_in(8) ? error() : refusal();
		if (calm_)
			add_to(rng_.below(Groups));
		if (rng_.one_in(20)) {
			settle();
			compare(Groups);
			closed_ = true;
			add_to(rng_.below(Groups));
			add_to(rng_.below(Groups));
		}
		burst_ = rng_.one_in(3);
		burst_qp_ = rng_.below(Qps);
		for (unsigned int i = amid_ ? rng_.below(8) : 0; i; i--)
			moved_.push_back(rng_.below(Groups));
		for (unsigned int i = calm_ ? 0 : rng_.below(8); i; i--)
			rng_.one_in(3) ? advance(rng_.below(Groups)) : add_to(rng_.below(Groups));
		for (unsigned int i = closed_ ? 60 : 0; i; i--)
			cycle();
		closed_ = false;
		if (rng_.one_in(25))
			return end_amid();
		settle();
		compare(Groups);
		if (rng_.one_in(3))
			reset_one();
		for (unsigned int g = 0; g < Groups; g++)
			if (groups_[g].messages.size() > 300)
				begin_anew(g);
	}

private:
	tally::Bench<Vdut> &bench_;
	tally::Rng &rng_;
	Vdut &dut_;
	Group groups_[Groups];
	Queue queues_[Qps];
	std::vector<unsigned int> entries_;		// free ones
	std::map<unsigned int, Request> live_;		// by entry
	std::deque<It> its_;
	std::deque<unsigned int> moved_;		// groups
	std::multimap<uint64_t, unsigned int> marks_;	// queue pairs to be marked, by the clock from which on
	std::vector<Post> posts_;			// since both were compared
	unsigned int it_gap_ = 0, moved_gap_ = 0, row_age_ = 0;	// clocks since these
	unsigned int it_phase_ = 0, moved_phase_ = 0;		// clocks after a row, see amid_
	unsigned int quiet_ = 0, row_entry_ = 0, slot_ = 0;
	int row_left_ = -1, ans_left_ = -1;		// clocks until the answer
	bool within_ = false, flag_next_ = false, calm_ = true, lends_ = true, taken_ = false, rests_ = true, closed_ = false, burst_ = false,
	     declines_ = false;
	bool amid_ = false;	// what happens does so a short time after a row was read
	unsigned int burst_qp_ = 0;
	const CData *watched_ = nullptr;
	uint64_t refs_left_ = 0, since_ = 0;
	bool held_away_ = false, began_away_ = false;
	bool handed_ = false, heard_ = false, told_away_ = false;	// in the clock before: a descriptor was taken, and so on
	uint16_t answer_ = 0, err_vector_ = 0, refused_now_ = 0, refusals_[Qps] = {};
	tally::Throttle row_{ rng_ }, room_{ rng_ }, post_{ rng_ }, upd_{ rng_ }, due_{ rng_ }, look_{ rng_ }, hand_{ rng_ };

	// ---- One clock ----

	bool may(tally::Throttle &t) { return t.go() || calm_; }

	bool comes(bool amid, unsigned int gap, unsigned int phase)
	{
		return amid ? row_age_ == phase || gap >= 80 : calm_ || rng_.one_in(3);
	}

	void cycle()
	{
		dut_.it_valid_i = !its_.empty() && ++it_gap_ >= 6 && comes(amid_ || its_.front().soon, it_gap_, it_phase_);
		// What moves may lead to a visit, which must know of an ERROR that the model knows of.
		const bool knows = dut_.it_valid_i || std::all_of(its_.begin(), its_.end(), [](const It &it) { return it.what == TAKEN; });
		dut_.moved_valid_i = !moved_.empty() && ++moved_gap_ >= 2 && comes(amid_, moved_gap_, moved_phase_) && knows;
		drive();
		answer();
		bench_.settle();
		choose_answers();
		observe();
		taken_ = watched_ && *watched_;
		rests_ &= !dut_.it_valid_i && !dut_.moved_valid_i && !dut_.mark_valid_i;
		if (dut_.mark_valid_i) {
			queues_[dut_.mark_qp_i].declined = false;
			marks_.erase(marks_.begin());
		}
		if (dut_.it_valid_i) {
			its_.pop_front();
			it_gap_ = 0;
			it_phase_ = rng_.below(!its_.empty() && its_.front().soon ? 3 : rng_.one_in(2) ? 10 : 40);
		}
		if (dut_.moved_valid_i) {
			moved_.pop_front();
			moved_gap_ = 0;
			moved_phase_ = rng_.below(40);
		}
		bench_.tick();
	}

	void drive()
	{
		if (dut_.it_valid_i) {
			dut_.it_i = its_.front().what;
			dut_.it_qp_i = its_.front().qp;
			dut_.it_entry_i = its_.front().entry;
			since_ = calm_ && rests_ && its_.size() == 1 && moved_.empty() ? bench_.cycle() : 0;
		}
		if (dut_.moved_valid_i) {
			Group &g = groups_[moved_.front()];

			dut_.moved_group_i = moved_.front();
			dut_.moved_done_i = g.told.done;
			dut_.moved_limit_i = g.told.limit;
		}
		dut_.mark_valid_i = !marks_.empty() && marks_.begin()->first <= bench_.cycle();
		if (dut_.mark_valid_i)
			dut_.mark_qp_i = marks_.begin()->second;
		dut_.hand_ready_i = may(hand_);
		dut_.row_ready_i = may(row_);
		dut_.room_i = !closed_ && may(room_);
		dut_.post_ready_i = dut_.room_i && may(post_);
		dut_.upd_ready_i = may(upd_);
		dut_.due_ready_i = dut_.flag_ready_i = may(due_);
		dut_.look_ready_i = may(look_);
		dut_.pass_ready_i = calm_ || rng_.one_in(4);
	}

	void answer()
	{
		dut_.got_valid_i = row_left_ == 0;
		row_age_ = dut_.got_valid_i ? 0 : row_age_ + 1;
		if (row_left_ >= 0)
			row_left_--;
		for (unsigned int i = 0; i <= request_bits::width / 32; i++)
			dut_.got_i[i] = rng_.next();
		put(dut_.got_i, { request_bits::width, 32 - request_bits::width % 32 }, 0);
		if (dut_.got_valid_i)
			row(live_.at(row_entry_).q);
		dut_.ans_valid_i = ans_left_ == 0;
		if (ans_left_ >= 0)
			ans_left_--;
		const uint16_t errors = rng_.next();

		dut_.ans_i = uint64_t(answer_) << 43 | uint64_t(errors) << 11 | slot_;
		if (dut_.ans_valid_i)
			err_vector_ = errors;
	}

	void row(const model_request &q)
	{
		put(dut_.got_i, request_bits::opcode, q.opcode);
		put(dut_.got_i, request_bits::flags, q.flags);
		put(dut_.got_i, request_bits::mid, q.mid);
		put(dut_.got_i, request_bits::rank_mask, q.ranks);
		put(dut_.got_i, wanted_bits::op, q.op);
		put(dut_.got_i, wanted_bits::dtype, q.dtype);
		put(dut_.got_i, wanted_bits::mode, TALLY_MODE_TREE);
		put(dut_.got_i, wanted_bits::root_node, q.root_node);
		put(dut_.got_i, wanted_bits::root_rank, q.root_rank);
		put(dut_.got_i, wanted_bits::total, q.total);
		put(dut_.got_i, wanted_bits::chunk, q.chunk);
		put(dut_.got_i, wanted_bits::chunks, q.chunks);
		put(dut_.got_i, wanted_bits::seg_count, q.seg_count);
		put(dut_.got_i, wanted_bits::edges, q.out);
		for (auto &word : dut_.got_row_i.m_storage)
			word = rng_.next();
		dut_.got_row_i.m_storage[row_bits::width / 32] &= (1u << row_bits::width % 32) - 1;
		put(dut_.got_row_i, row_bits::root, q.root_node == MODEL_NODE && (q.ranks >> q.root_rank & 1));
	}

	// ---- What the block does ----

	void observe()
	{
		quiet_++;
		if (dut_.row_valid_o && dut_.row_ready_i) {
			CHECK(row_left_ < 0 && !dut_.got_valid_i, "two reads of rows at a time");
			CHECK(live_.count(dut_.row_entry_o), "row %u of no request", dut_.row_entry_o);
			row_entry_ = dut_.row_entry_o;
			row_left_ = calm_ ? 0 : rng_.below(6);
		}
		CHECK(!closed_ || !dut_.row_valid_o, "a visit begins without room");
		CHECK(!dut_.pass_valid_o || dut_.cmd_valid_i, "no command is passed on");
		if (dut_.hand_valid_o && dut_.hand_ready_i)
			offered(queues_[dut_.upd_qp_o], dut_.upd_qp_o, dut_.upd_entry_o);
		if (dut_.began_valid_o)
			began();
		else
			CHECK(!handed_ && !told_away_, "nobody hears of a descriptor, or of a chunk that is away");
		handed_ = dut_.hand_valid_o && dut_.hand_ready_i && dut_.hand_took_i;
		heard_ = dut_.ans_valid_i;
		told_away_ = false;
		held();
		if (dut_.ref_valid_o)
			reference();
		if (dut_.upd_valid_o && dut_.upd_ready_i)
			update();
		if (dut_.flag_valid_o && dut_.flag_ready_i)
			flag();
		if (dut_.due_valid_o && dut_.due_ready_i)
			data_due();
		if (dut_.post_valid_o && since_) {
			shortest = std::min(shortest, bench_.cycle() - since_);
			since_ = 0;
		}
		if (dut_.post_valid_o && dut_.post_ready_i)
			operation();
		if (dut_.ask_valid_o)
			lend(dut_.ask_group_o, dut_.ask_top_o);
		if (dut_.look_valid_o && dut_.look_ready_i) {
			queues_[dut_.look_qp_o].looked = true;
			looks++;
		}
		if (dut_.row_valid_o || dut_.upd_valid_o || dut_.flag_valid_o || dut_.due_valid_o || dut_.post_valid_o ||
		    dut_.look_valid_o || dut_.hand_valid_o || !marks_.empty() || dut_.mark_valid_i || within_ || row_left_ >= 0 || !its_.empty() || !moved_.empty() || dut_.it_valid_i || dut_.moved_valid_i)
			quiet_ = 0;
		if (dut_.it_valid_i || dut_.moved_valid_i || dut_.mark_valid_i || dut_.post_valid_o || dut_.upd_valid_o || watched_)
			for (Queue &q : queues_)
				q.offers = 0;
	}

	template <typename Wide> static uint64_t of_message(const Wide &from, unsigned int at, Field f) { return get(from, inside(at, f)); }

	void operation()
	{
		using namespace message_bits;
		const auto &op = dut_.post_o;
		const unsigned int at = operation_bits::message, kind = get(op, operation_bits::op), group = get(op, operation_bits::group);
		const model_post p = { group, uint32_t(of_message(op, at, num)), uint32_t(of_message(op, at, mid)), uint32_t(of_message(op, at, sid)),
			uint32_t(of_message(op, at, total)), uint32_t(of_message(op, at, count)), uint8_t(of_message(op, at, opcode)),
			uint8_t(of_message(op, at, message_bits::op)), uint8_t(of_message(op, at, dtype)), uint8_t(of_message(op, at, root_rank)),
			uint8_t(of_message(op, at, mode)), uint16_t(of_message(op, at, root_node)), get(op, operation_bits::ranks), get(op, operation_bits::absent),
			get(op, operation_bits::quits), get(op, operation_bits::out), 0, 0 };

		CHECK(ans_left_ < 0 && !dut_.ans_valid_i, "an operation before the answer to the one before");
		CHECK(kind == TALLY_FW_STORE_OP_POST && dut_.room_i, "a post without room, or operation %u", kind);
		begin(p);
		ans_left_ = 1 + (calm_ ? 0 : rng_.below(20));
	}

	// Results may also be held back for a chunk that is away, which begins at the end of this time.
	void held()
	{
		CHECK(dut_.hold_o || !within_, "results are not held back");
		if (dut_.hold_o && !within_)
			held_away_ = true;
		CHECK(!held_away_ || (dut_.hold_o && !within_) || began_away_, "results are held back for nothing");
		if (began_away_)
			held_away_ = false;
		began_away_ = false;
	}

	// ---- What begins ----

	void began()
	{
		const auto &b = dut_.began_o;
		const unsigned int entry = dut_.upd_entry_o, qp = dut_.upd_qp_o;

		if (told_away_) {
			const Post &p = posts_.back();

			CHECK(p.entry == entry && p.qp == qp && p.p.num == get(b, began_bits::num) && !get(b, began_bits::here) && !get(b, began_bits::refused),
			      "chunk %u of entry %u is away", p.p.num, entry);
			return;
		}
		CHECK(live_.count(entry) && live_[entry].q.qp == qp, "entry %u of queue pair %u begins", entry, qp);
		if (get(b, began_bits::refused))
			refused_now_ = get(b, began_bits::status);
		else if (live_[entry].descriptor)
			descriptor_begins(qp, entry);
		else
			here_begins(entry, get(b, began_bits::num), get(b, began_bits::answer), get(b, began_bits::err_vector));
	}

	// All before it have begun.
	void check_turn(unsigned int qp, unsigned int entry)
	{
		for (unsigned int before : queues_[qp].list) {
			if (before == entry)
				break;
			CHECK(live_[before].begun, "entry %u begins before entry %u", entry, before);
		}
	}

	// A descriptor is offered; if it is refused, its queue pair is marked some time later.
	void offered(Queue &q, unsigned int qp, unsigned int entry)
	{
		CHECK(live_.count(entry) && live_[entry].descriptor && live_[entry].q.qp == qp, "entry %u of queue pair %u is offered", entry, qp);
		CHECK(groups_[q.group].runs && !q.ended && !within_, "a descriptor is offered after the end of its epoch");
		CHECK(++q.offers <= most_offers, "entry %u is offered again and again", entry);
		check_turn(qp, entry);
		declined += !dut_.hand_took_i;
		if (dut_.hand_took_i || q.declined)
			return;
		q.declined = true;
		marks_.emplace(bench_.cycle() + 1 + rng_.below(rng_.one_in(4) ? 300 : 20), qp);
	}

	void descriptor_begins(unsigned int qp, unsigned int entry)
	{
		CHECK(handed_, "entry %u begins, but is not taken", entry);
		leave(qp, entry);
		descriptors++;
	}

	void here_begins(unsigned int entry, uint32_t num, unsigned int answer, unsigned int errors)
	{
		Post &p = posts_.back();

		CHECK(within_ && heard_ && get(dut_.began_o, began_bits::here) && !p.told && p.entry == entry && p.p.num == num && answer == answer_ && errors == err_vector_,
		      "chunk %u begins", num);
		p.told = true;
	}

	void away_begins(unsigned int entry, uint32_t num)
	{
		Request &r = live_[entry];
		const model_request &q = r.q;
		const model_post p = { queues_[q.qp].group, num, q.mid, r.begun, q.total, q.chunk, q.opcode, q.op, q.dtype, q.root_rank,
			TALLY_MODE_TREE, q.root_node, q.ranks, 0, 0, 0, 0, 0 };

		CHECK(!within_ && !flag_next_ && !queues_[q.qp].ended && is_away(q.opcode), "chunk %u is away", num);
		if (!r.begun)
			check_turn(q.qp, entry);
		within_ = began_away_ = true;
		told_away_ = true;
		held_away_ = false;
		err_vector_ = 0;
		posts_.push_back({ p, q.qp, entry, ++r.begun == q.chunks, false, true, true, false });
		aways++;
	}

	static bool is_away(uint8_t opcode) { return opcode == TALLY_OPCODE_GATHER || opcode == TALLY_OPCODE_SCATTER; }

	void begin(const model_post &p)
	{
		CHECK(!within_ && !flag_next_, "two posts at a time");
		auto it = std::find_if(live_.begin(), live_.end(), [&](const auto &l) {
			return !l.second.descriptor && l.second.begun != l.second.q.chunks && l.second.q.ranks == p.ranks &&
				l.second.q.mid == p.mid && queues_[l.second.q.qp].group == p.group;
		});
		CHECK(it != live_.end() && !is_away(it->second.q.opcode), "a post of no request: message %u of group %u", p.mid, p.group);
		Request &r = it->second;

		CHECK(!queues_[r.q.qp].ended, "queue pair %u posts after the end of its epoch", r.q.qp);
		CHECK(p.sid == r.begun, "chunk %u instead of %u", p.sid, r.begun);
		if (!r.begun)
			check_turn(r.q.qp, it->first);
		within_ = true;
		slot_ = rng_.below(Slots);
		answer_ = rng_.one_in(2) ? TALLY_FW_STORE_ANSWER_STORED : TALLY_FW_STORE_ANSWER_DUPLICATE;
		if (rng_.one_in(20))
			answer_ = TALLY_FW_STORE_ANSWER_PAST + rng_.below(6);
		refs_left_ = p.ranks;
		const Queue &q = queues_[r.q.qp];
		const bool at_once = q.alone && q.sole == p.ranks && (p.opcode == TALLY_OPCODE_ALLREDUCE || p.opcode == TALLY_OPCODE_BARRIER) && !p.out &&
				     !(r.q.flags & (TALLY_WQE_F_EMPTY | TALLY_WQE_F_COMBINED));

		posts_.push_back({ p, r.q.qp, it->first, ++r.begun == r.q.chunks, answer_ <= TALLY_FW_STORE_ANSWER_DUPLICATE, false, false, at_once });
		posted++;
		early += at_once;
	}

	void reference()
	{
		const uint64_t rank = 1ull << dut_.ref_rank_o;

		CHECK(within_ && posts_.back().stored && (refs_left_ & -refs_left_) == rank, "a reference of rank %u", dut_.ref_rank_o);
		CHECK(dut_.ref_slot_o == slot_ && dut_.ref_entry_o == posts_.back().entry, "a reference in slot %u to %u", dut_.ref_slot_o, dut_.ref_entry_o);
		refs_left_ &= ~rank;
	}

	// Takes the entry off the list of its queue pair.
	void leave(unsigned int qp, unsigned int entry)
	{
		auto &list = queues_[qp].list;

		list.erase(std::find(list.begin(), list.end(), entry));
		live_.erase(entry);
		entries_.push_back(entry);
	}

	// The flag word may be due only if no rank has anything to do in the last chunk. A descriptor that is refused will be until its
	// queue pair is marked.
	void choose_answers()
	{
		const auto &u = dut_.upd_o;
		const bool declines = declines_ && rng_.one_in(2);

		dut_.upd_flag_i = dut_.upd_valid_o && get(u, update_bits::last) && get(u, update_bits::finished) == get(u, update_bits::ranks) &&
				  rng_.one_in(2);
		dut_.hand_took_i = dut_.hand_valid_o ? !declines && !queues_[dut_.upd_qp_o].declined : rng_.one_in(2);
		bench_.settle();
	}

	void refuse()
	{
		const unsigned int entry = dut_.upd_entry_o, qp = dut_.upd_qp_o;

		CHECK(!within_ && live_.count(entry) && live_[entry].q.qp == qp, "entry %u of queue pair %u is refused", entry, qp);
		for (unsigned int before : queues_[qp].list) {
			CHECK((live_[before].begun == 0) == (before == entry), "entry %u is refused amid others", entry);
			if (before == entry)
				break;
		}
		refusals_[qp] = get(dut_.upd_o, update_bits::status);
		CHECK(refused_now_ == refusals_[qp], "entry %u has not begun to be refused", entry);
		refused_now_ = 0;
		leave(qp, entry);
	}

	void update()
	{
		const auto &u = dut_.upd_o;

		if (get(u, update_bits::refused)) {
			refuse();
			return;
		}
		if (live_.count(dut_.upd_entry_o) && is_away(live_[dut_.upd_entry_o].q.opcode))
			away_begins(dut_.upd_entry_o, get(u, update_bits::num));
		Post &p = posts_.back();

		CHECK(within_ && p.told && dut_.upd_entry_o == p.entry && dut_.upd_qp_o == p.qp, "entry %u is told", dut_.upd_entry_o);
		CHECK(!p.stored || !refs_left_, "references are missing");
		CHECK(get(u, update_bits::num) == p.p.num && get(u, update_bits::last) == p.last, "chunk %u is told", unsigned(get(u, update_bits::num)));
		CHECK(get(u, update_bits::ranks) == unsigned(__builtin_popcountll(p.p.ranks)), "%u ranks", unsigned(get(u, update_bits::ranks)));
		CHECK(get(u, update_bits::err_vector) == err_vector_, "error vector %x", unsigned(get(u, update_bits::err_vector)));
		p.p.finished = get(u, update_bits::finished);
		within_ = false;
		flag_next_ = dut_.upd_flag_i;
		if (p.last)
			leave(p.qp, p.entry);
	}

	void flag()
	{
		CHECK(flag_next_ && dut_.upd_entry_o == posts_.back().entry && dut_.upd_qp_o == posts_.back().qp, "a flag word that is not due");
		flag_next_ = false;
		flags++;
	}

	void data_due()
	{
		using namespace message_bits;
		const auto &d = dut_.due_o;
		const unsigned int at = due_bits::message;
		Post &of = posts_.back();
		const model_post &p = of.p;

		CHECK((of.at_once || (!within_ && of.stored)) && !p.due && get(d, due_bits::group) == p.group && dut_.upd_entry_o == of.entry && dut_.upd_qp_o == of.qp,
		      "data are due of entry %u", dut_.upd_entry_o);
		CHECK(of_message(d, at, num) == p.num && of_message(d, at, mid) == p.mid && of_message(d, at, sid) == p.sid &&
			      of_message(d, at, total) == p.total && of_message(d, at, message_bits::count) == p.count &&
			      of_message(d, at, opcode) == p.opcode && of_message(d, at, message_bits::op) == p.op &&
			      of_message(d, at, dtype) == p.dtype && of_message(d, at, root_rank) == p.root_rank &&
			      of_message(d, at, root_node) == p.root_node && of_message(d, at, mode) == p.mode,
		      "data are due of another chunk than %u", p.num);
		CHECK(of_message(d, at, message_bits::first) == p.sid * p.count, "chunk %u begins at %u", p.sid, unsigned(of_message(d, at, message_bits::first)));
		of.p.due = get(d, due_bits::ranks);
		CHECK(of.p.due, "data of no rank are due");
	}

	// ---- The pool ----

	void lend(unsigned int group, uint32_t top)
	{
		Group &g = groups_[group];

		CHECK(int32_t(top - g.told.done) <= int32_t(g.max_segs), "segments up to %u", top);
		const model_window w = model_borrow(group, top);

		CHECK(w.done == g.told.done, "the pool has moved done");
		if (w.limit == g.told.limit)
			return;
		g.told = w;
		moved_.push_back(group);
		borrowed++;
	}

	// The oldest chunks are finished that all ranks have posted.
	void advance(unsigned int group)
	{
		Group &g = groups_[group];
		uint32_t least = ~0u;

		for (unsigned int r = 0; r < ranks_in_group; r++)
			least = std::min(least, model_next_num(group, 9 * r));
		if (least == g.told.done)
			return;
		g.told = model_advance(group, g.told.done + 1 + (rng_.one_in(2) ? rng_.below(least - g.told.done) : least - g.told.done - 1));
		model_lend(lends_);
		moved_.push_back(group);
	}

	// ---- The firmware ----

	// Offers what has been set, until it is taken.
	void offer(CData &valid, const CData &ready)
	{
		rests_ = false;	// a post may come of this
		valid = 1;
		watched_ = &ready;
		for (unsigned int i = 0; !taken_; i++) {
			CHECK(i < 5000, "the firmware waits");
			cycle();
		}
		valid = 0;
		watched_ = nullptr;
		taken_ = false;
	}

	void command(Command c, unsigned int qp, unsigned int state)
	{
		dut_.cmd_i = c;
		dut_.cmd_qp_i = qp;
		dut_.cmd_state_i = state;
		dut_.cmd_group_i = queues_[qp].group;
		offer(dut_.cmd_valid_i, dut_.cmd_ready_o);
	}

	void epoch(unsigned int group, bool begins)
	{
		dut_.epoch_begin_i = begins;
		dut_.epoch_group_i = group;
		dut_.epoch_max_segs_i = groups_[group].max_segs;
		groups_[group].runs = groups_[group].runs || begins;
		offer(dut_.epoch_valid_i, dut_.epoch_ready_o);
		groups_[group].runs = begins;
	}

	void link(bool first, unsigned int index, bool end, unsigned int qp)
	{
		dut_.link_first_i = first;
		dut_.link_index_i = index;
		dut_.link_end_i = end;
		dut_.link_qp_i = qp;
		offer(dut_.link_valid_i, dut_.link_ready_o);
	}

	void table(unsigned int qp, uint64_t sole)
	{
		Queue &q = queues_[qp];
		bool others = false;

		q.sole = sole;
		q.alone = !rng_.one_in(4);

		for (unsigned int i = 0; i < Qps; i++)
			others |= i != qp && queues_[i].group == q.group && (queues_[i].ranks & q.ranks);
		dut_.tab_qp_i = qp;
		dut_.tab_sole_i = sole;
		dut_.tab_shared_i = __builtin_popcountll(q.ranks) > 1;
		dut_.tab_others_i = others;
		dut_.tab_alone_i = q.alone;
		offer(dut_.tab_valid_i, dut_.tab_ready_o);
	}

	// Ranks of a queue pair of a group with three or two, if each rank has one.
	static uint64_t part(unsigned int k, bool three)
	{
		uint64_t ranks = 0;

		for (unsigned int r = 0; r < ranks_in_group; r++)
			if (three ? r % 3 == k : r % 2 == k)
				ranks |= bit_of(r);
		return ranks;
	}

	// After a reset: each group has its queue pairs, and each rank at least one of them.
	void arrange()
	{
		const bool apart = rng_.one_in(2);	// no rank has two queue pairs

		for (unsigned int g = 0; g < Groups; g++) {
			groups_[g] = {};
			model_begin(g, mask, 1, 1);
		}
		for (unsigned int i = 0; i < Qps; i++) {
			queues_[i] = {};
			queues_[i].group = i % Groups;
			queues_[i].ranks = i < Groups ? mask & (rng_.next() | 1) : mask & rng_.next();
		}
		for (unsigned int i = Groups; i < 2 * Groups; i++) {
			queues_[i].ranks |= mask & ~queues_[i - Groups].ranks;
			if (!queues_[i].ranks)
				queues_[i].ranks = 1ull << 9 * rng_.below(ranks_in_group);
		}
		for (unsigned int i = 0; i < Qps; i++) {
			Queue &q = queues_[i];

			if (!q.ranks)
				q.ranks = mask;
			if (apart)
				q.ranks = part(i / Groups, i % Groups + 2 * Groups < Qps);
			model_qp(i, q.group, q.ranks);
			command(CREATE, i, TALLY_QPS_RTS);
		}
		for (unsigned int i = 0; i < Qps; i++) {
			table(i, apart ? queues_[i].ranks : 0);
			link(false, i, i + Groups >= Qps, i + Groups);
		}
		for (unsigned int g = 0; g < Groups; g++) {
			link(true, g, false, g);
			begin_epoch(g);
		}
	}

	void begin_epoch(unsigned int group)
	{
		Group &g = groups_[group];

		g = {};
		g.max_segs = rng_.one_in(4) ? TALLY_MAX_GROUP_SEGS : 1 + rng_.below(12);
		g.told = model_begin(group, mask, 1 + rng_.below(std::min(g.max_segs, 8u)), g.max_segs);
		model_lend(lends_);
		for (Queue &q : queues_)
			if (q.group == group)
				q.waits = -1;
		if (rng_.one_in(2)) // requests come before the epoch begins
			add_to(group);
		moved_.push_back(group);
		if (rng_.one_in(2))
			settle();
		while (!moved_.empty())
			cycle();
		amid_ = false;
		for (unsigned int i = rng_.below(8); i; i--) // windows of others move as it begins
			moved_.push_back((group + 1 + rng_.below(Groups - 1)) % Groups);
		epoch(group, true);
	}

	// Forgets the requests that the queue pair has.
	void reset_queue(unsigned int qp)
	{
		command(STATE, qp, TALLY_QPS_RESET);
		while (!queues_[qp].list.empty())
			leave(qp, queues_[qp].list.back());
		command(STATE, qp, TALLY_QPS_RTS);
		queues_[qp].ended = queues_[qp].broken = false;
		refusals_[qp] = 0;
	}

	void end_epoch(unsigned int group)
	{
		const bool first = rng_.one_in(2);

		if (first) {
			epoch(group, false);
			for (unsigned int i = 0; i < Qps; i++)
				if (queues_[i].group == group && rng_.one_in(2))
					append_descriptor(i);
			for (unsigned int i = rng_.below(200); i; i--)
				cycle();
		}
		for (unsigned int i = 0; i < Qps; i++)
			if (queues_[i].group == group) {
				command(END, i, 0);
				queues_[i].ended = true;
			}
		if (!first) {
			for (unsigned int i = rng_.below(200); i; i--)
				cycle();
			epoch(group, false);
		}
	}

	void begin_anew(unsigned int group)
	{
		end_epoch(group);
		settle();
		for (unsigned int i = 0; i < Qps; i++)
			if (queues_[i].group == group)
				reset_queue(i);
		begin_epoch(group);
	}

	// An epoch ends amid posts. What has been posted of it must be some of what the engine would post.
	void end_amid()
	{
		const unsigned int group = rng_.below(Groups);

		for (unsigned int i = rng_.below(rng_.one_in(2) ? 20 : 200); i; i--)
			cycle();
		end_epoch(group);
		settle();
		compare(group);
		begin_anew(group);
		ends++;
	}

	// A queue pair is reset, and then has the same requests again.
	void reset_one()
	{
		const unsigned int qp = rng_.below(Qps);
		std::vector<model_request> again;

		for (unsigned int entry : queues_[qp].list) {
			if (live_[entry].begun)
				return;
			if (!live_[entry].descriptor)
				again.push_back(live_[entry].q);
		}
		calm_ = false;
		for (unsigned int i = rng_.below(20); i; i--)
			add_to((queues_[qp].group + 1) % Groups);
		for (unsigned int i = rng_.below(30); i; i--)
			cycle();
		reset_queue(qp);
		model_qp_reset(qp);
		queues_[qp].waits = -1;
		for (const model_request &q : again)
			append(q);
		resets++;
	}

	// ---- Requests ----

	void append(const model_request &q)
	{
		const unsigned int k = rng_.below(entries_.size()), entry = entries_[k];

		entries_.erase(entries_.begin() + k);
		live_[entry] = { q };
		queues_[q.qp].list.push_back(entry);
		queues_[q.qp].appended = true;
		its_.push_back({ TAKEN, q.qp, entry });
		model_add(&q);
	}

	// One that nothing but its turn concerns.
	void append_descriptor(unsigned int qp)
	{
		if (full(qp))
			return;
		const unsigned int k = rng_.below(entries_.size()), entry = entries_[k];
		const uint8_t opcodes[] = { TALLY_OPCODE_REDUCE_MP, TALLY_OPCODE_BCAST_MP, TALLY_OPCODE_PUT_MP };
		model_request q = {};

		q.qp = qp;
		q.opcode = opcodes[rng_.below(3)];
		q.ranks = queues_[qp].ranks & -queues_[qp].ranks;
		q.mid = rng_.next();
		q.chunks = 1;
		entries_.erase(entries_.begin() + k);
		live_[entry] = { q, 0, true };
		queues_[qp].list.push_back(entry);
		its_.push_back({ TAKEN, qp, entry });
	}

	// What all requests of a message have in common.
	const model_request &message(unsigned int group, uint32_t mid)
	{
		auto &messages = groups_[group].messages;

		while (messages.size() <= mid) {
			const uint8_t opcodes[] = { TALLY_OPCODE_ALLREDUCE, TALLY_OPCODE_REDUCE, TALLY_OPCODE_BCAST, TALLY_OPCODE_BARRIER,
				TALLY_OPCODE_GATHER, TALLY_OPCODE_SCATTER };
			model_request m = {};
			const bool reduces = (m.opcode = opcodes[rng_.below(rng_.one_in(3) ? 6 : 4)]) <= TALLY_OPCODE_REDUCE;

			static_assert(TALLY_OPCODE_ALLREDUCE < TALLY_OPCODE_BCAST && TALLY_OPCODE_REDUCE < TALLY_OPCODE_BCAST);
			m.mid = messages.size();
			m.op = reduces ? TALLY_OP_SUM : TALLY_OP_NONE;
			m.dtype = m.opcode == TALLY_OPCODE_BARRIER ? TALLY_TYPE_NONE : TALLY_TYPE_INT8;
			m.chunk = 1 + rng_.below(9);
			m.chunks = m.opcode == TALLY_OPCODE_BARRIER || rng_.one_in(3) ? 1 : 1 + rng_.below(rng_.one_in(8) ? 40 : 5);
			m.total = m.opcode == TALLY_OPCODE_BARRIER ? 0 : m.chunks * m.chunk - rng_.below(m.chunk);
			if (m.opcode == TALLY_OPCODE_REDUCE || m.opcode == TALLY_OPCODE_BCAST || is_away(m.opcode)) {
				m.root_node = rng_.one_in(2) ? MODEL_NODE : rng_.below(MODEL_NODE);
				m.root_rank = m.root_node == MODEL_NODE ? 9 * rng_.below(ranks_in_group) : rng_.below(64);
			}
			m.out = is_away(m.opcode) || rng_.one_in(2) ? 0 : MODEL_CHILDREN;
			messages.push_back(m);
		}
		return messages[mid];
	}

	model_request request(unsigned int qp, uint32_t mid, uint64_t ranks)
	{
		model_request q = message(queues_[qp].group, mid);

		q.qp = qp;
		q.ranks = ranks;
		q.flags = (rng_.one_in(5) ? TALLY_WQE_F_EMPTY : 0) | (rng_.one_in(4) ? TALLY_WQE_F_COMBINED : 0);
		q.seg_count = rng_.one_in(2) ? 0 : 1 + rng_.below(6);
		return q;
	}

	bool full(unsigned int qp) { return queues_[qp].list.size() >= 10 || model_room(qp) < 4 || entries_.size() < 4; }

	// The next message of a rank, and of others that are as far; mostly of those that are behind.
	void add_to(unsigned int group)
	{
		Group &g = groups_[group];
		unsigned int rank = rng_.below(ranks_in_group), qp = rng_.below(Qps);
		uint64_t ranks = 0;

		if (burst_ && queues_[burst_qp_].group == group)
			qp = burst_qp_;
		if (!rng_.one_in(3))
			rank = std::min_element(g.issue, g.issue + ranks_in_group) - g.issue;
		while (queues_[qp].group != group || !(queues_[qp].ranks & bit_of(rank)))
			qp = (qp + 1) % Qps;
		if (full(qp))
			return;
		const uint32_t mid = g.issue[rank];
		const bool together = rng_.one_in(2);

		for (unsigned int r = 0; r < ranks_in_group; r++)
			if (r == rank || (g.issue[r] == mid && (queues_[qp].ranks & bit_of(r)) && (together || !rng_.one_in(3)))) {
				ranks |= bit_of(r);
				g.issue[r]++;
			}
		append(request(qp, mid, ranks));
		if (rng_.one_in(6))
			append_descriptor(qp);
	}

	bool all_begun(unsigned int qp)
	{
		return std::all_of(queues_[qp].list.begin(), queues_[qp].list.end(), [&](unsigned int entry) { return live_[entry].begun; });
	}

	// A request that is to be refused or is ahead, with another one behind it.
	void refusal()
	{
		settle();
		compare(Groups);
		const unsigned int qp = rng_.below(Qps), group = queues_[qp].group;
		const Queue &q = queues_[qp];
		unsigned int rank = rng_.below(ranks_in_group);

		while (!(q.ranks & bit_of(rank)))
			rank = (rank + 1) % ranks_in_group;
		const uint32_t next = model_next_mid(group, 9 * rank);
		bool skips = rng_.one_in(3);
		const uint64_t also = rng_.one_in(2) ? bit_of(rng_.below(ranks_in_group)) & q.ranks : 0;

		for (unsigned int i = 0; i < Qps; i++) // no other one is to be refused in its stead
			skips &= queues_[i].group != group || all_begun(i);
		if (!all_begun(qp) || full(qp) || (!skips && !next))
			return;
		const bool streams = !q.list.empty();

		calm_ = rng_.one_in(3);

		const uint64_t sole = q.sole;

		if (skips)
			table(qp, model_alone(qp));
		const uint32_t mid = skips ? next + 1 + rng_.below(3) : next - 1 - (rng_.one_in(2) ? 0 : rng_.below(next));

		queues_[qp].finishes = !skips && is_away(message(group, mid).opcode);
		append(request(qp, mid, bit_of(rank) | also));
		const unsigned int other = rng_.below(Qps);

		burst_ = rng_.one_in(2);
		burst_qp_ = other;
		if (queues_[other].group != group)
			break_queue(other, burst_);
		append(request(qp, groups_[group].issue[rank], bit_of(rank)));
		for (unsigned int i = rng_.below(16); i; i--)
			add_to((group + 1 + rng_.below(Groups - 1)) % Groups);
		settle();
		compare(Groups);
		if (refusals_[qp])
			refused[refusals_[qp] == TALLY_COLL_MID_BEHIND ? 0 : refusals_[qp] == TALLY_COLL_RANK_TWICE ? 1 : 2]++;
		if (refusals_[qp] && !streams && rng_.one_in(2))
			its_.push_back({ rng_.one_in(2) ? ERROR : FAILS, qp, 0 });
		if (streams && !skips) { // what has begun goes on
			advance(group);
			settle();
			compare(Groups);
		}
		if (queues_[other].broken)
			begin_anew(queues_[other].group);
		if (skips)
			table(qp, sole);
		if (skips || streams) {
			begin_anew(group);
		} else {
			settle();
			reset_queue(qp);
			model_qp_reset(qp);
			queues_[qp].waits = -1;
		}
	}

	// Whether the queue pair has nothing that is to go on.
	bool none_begun(unsigned int qp)
	{
		return std::none_of(queues_[qp].list.begin(), queues_[qp].list.end(), [&](unsigned int entry) { return live_[entry].begun; });
	}

	// A queue pair fails; this is the same for the engine as ERROR, if nothing has begun.
	void break_queue(unsigned int qp, bool soon = false)
	{
		its_.push_back({ none_begun(qp) && (soon || rng_.one_in(2)) ? FAILS : ERROR, qp, 0, soon });
		model_error(qp);
		queues_[qp].broken = true;
	}

	// A queue pair goes into ERROR: what has begun does not go on, and nothing more begins.
	void error()
	{
		const unsigned int qp = rng_.below(Qps), group = queues_[qp].group;

		settle();
		compare(Groups);
		break_queue(qp);
		for (unsigned int i = 0; i < 3; i++) {
			add_to(group);
			advance(group);
			settle();
			compare(Groups);
		}
		begin_anew(group);
	}

	// ---- Both are compared ----

	void settle()
	{
		for (quiet_ = 0; quiet_ < quiet_clocks;)
			cycle();
		calm_ = true;
		for (quiet_ = 0; quiet_ < quiet_clocks;)
			cycle();
		rests_ = true;
	}

	static std::tuple<unsigned int, uint32_t, uint64_t> key(const model_post &p) { return { p.group, p.num, p.ranks }; }

	void compare_post(const Post &d, const model_post &m)
	{
		CHECK(d.p.mid == m.mid && d.p.sid == m.sid && d.p.total == m.total && d.p.count == m.count && d.p.opcode == m.opcode &&
			      d.p.op == m.op && d.p.dtype == m.dtype && d.p.root_rank == m.root_rank && d.p.root_node == m.root_node && d.p.mode == m.mode,
		      "chunk %u of group %u is another one", m.num, m.group);
		if (d.away)
			CHECK(!d.p.finished && !d.p.due, "chunk %u is away, and ranks are told", m.num);
		else
			CHECK(d.p.absent == m.absent && d.p.quits == m.quits && d.p.out == m.out && d.p.finished == unsigned(__builtin_popcountll(m.quits)),
			      "chunk %u: absent %llx, not %llx; %u quit, not %d", m.num, static_cast<unsigned long long>(d.p.absent),
			      static_cast<unsigned long long>(m.absent), d.p.finished, __builtin_popcountll(m.quits));
		if (d.stored || d.at_once)
			CHECK(d.p.due == m.due, "chunk %u: due are %llx, not %llx", m.num, static_cast<unsigned long long>(d.p.due),
			      static_cast<unsigned long long>(m.due));
		else
			CHECK(!d.p.due, "chunk %u is not in the store", m.num);
	}

	bool first_unbegun_is_descriptor(const Queue &q)
	{
		auto first = std::find_if(q.list.begin(), q.list.end(), [&](unsigned int entry) { return !live_[entry].begun; });

		return first != q.list.end() && live_[*first].descriptor;
	}

	void compare_queue(unsigned int i)
	{
		Queue &q = queues_[i];
		const int64_t waits = model_waits(i);

		CHECK(refusals_[i] == model_refusal(i) || (q.finishes && refusals_[i] == TALLY_COLL_RANK_TWICE && model_refusal(i) == TALLY_COLL_MID_BEHIND),
		      "queue pair %u: status %u, not %u", i, refusals_[i], model_refusal(i));
		if (q.broken)
			return;
		if (waits != q.waits && !refusals_[i])
			CHECK(q.looked, "queue pair %u: nobody has told that message %d waits", i, int(waits));
		q.waits = waits;
		if (!refusals_[i] && !q.ended)
			CHECK(!first_unbegun_is_descriptor(q), "queue pair %u: a descriptor does not begin", i);
		if (__builtin_popcountll(q.ranks) > 1 && q.appended && !q.list.empty() && !refusals_[i])
			CHECK(q.looked, "queue pair %u may have a jam", i);
	}

	// Of group `ended`, the block may have posted less.
	void compare(unsigned int ended)
	{
		std::map<std::tuple<unsigned int, uint32_t, uint64_t>, model_post> of_model;
		model_post m;

		CHECK(!within_ && !flag_next_, "a post has not been told");
		model_pump();
		while (model_next_post(&m))
			CHECK(of_model.emplace(key(m), m).second, "the engine posts chunk %u twice", m.num);
		for (const Post &d : posts_) {
			auto it = of_model.find(key(d.p));

			CHECK(it != of_model.end(), "chunk %u of group %u is posted", d.p.num, d.p.group);
			compare_post(d, it->second);
			of_model.erase(it);
		}
		posts_.clear();
		for (const auto &left : of_model)
			CHECK(left.second.group == ended, "chunk %u of group %u is not posted", left.second.num, left.second.group);
		for (unsigned int g = 0; g < Groups; g++)
			CHECK(g == ended || model_window_of(g).limit == groups_[g].told.limit, "group %u has segments up to %u, not %u", g,
			      groups_[g].told.limit, model_window_of(g).limit);
		for (unsigned int i = 0; i < Qps; i++)
			if (queues_[i].group != ended)
				compare_queue(i);
		for (Queue &q : queues_)
			q.looked = q.appended = false;
	}
};

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("sender", argc, argv);
	World world(bench);

	bench.live(bench.times(3000), [&] { world.restart(); }, [&] { world.step(); });
	CHECK(world.shortest == 11, "a post comes after %llu clocks", static_cast<unsigned long long>(world.shortest));
	for (uint64_t times : world.refused)
		CHECK(times, "a status of refusals has not been seen");
	CHECK(world.posted > 1000 && world.early > 10 && world.aways > 50 && world.descriptors > 50 && world.declined > 20 && world.borrowed && world.flags && world.ends && world.resets && world.looks,
	      "posts %llu, %llu with their data, borrowed %llu, flag words %llu, ends %llu, resets %llu", static_cast<unsigned long long>(world.posted),
	      static_cast<unsigned long long>(world.early),
	      static_cast<unsigned long long>(world.borrowed), static_cast<unsigned long long>(world.flags),
	      static_cast<unsigned long long>(world.ends), static_cast<unsigned long long>(world.resets));
	return bench.finish();
}
