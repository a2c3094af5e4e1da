// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_sender_post: random chunks of requests of all operations, and refusals. The engine's slots are the reference for the
// ranks that give data, are absent, or are finished; a scoreboard for the order in which the store and the others are told.
#include "Vdut.h"
#include "sender_bits.h"
#include "sender_shares_model.h"

constexpr unsigned int work_words = 10;

namespace work_bits { // tally_sender_pkg::work_t
constexpr Field seg_count{ 0, 9 }, chunks{ 9, 32 }, chunk{ 41, 13 }, total{ 54, 32 }, out{ 86, 64 }, ranks{ 150, 64 }, mid{ 214, 32 },
	combined{ 246, 1 }, empty{ 247, 1 }, root_here{ 248, 1 }, root_rank{ 249, 8 }, root_node{ 257, 16 }, mode{ 273, 8 }, dtype{ 281, 8 },
	op{ 289, 8 }, opcode{ 297, 8 }, all{ 0, 305 };
} // namespace work_bits

class World {
public:
	explicit World(tally::Bench<Vdut> &bench) : bench_(bench), rng_(bench.rng), dut_(*bench.dut) {}

	uint64_t posts = 0, lost = 0, refusals = 0, flags = 0, aways = 0, early = 0;

	void restart()
	{
		dut_.go_valid_i = dut_.ans_valid_i = 0;
		bench_.reset();
		ans_left_ = -1;
		took_ = gave_up_ = heard_ = was_told_ = false;
		within_ = false;
	}

	// A chunk that is posted, or not for want of room; or a request that is refused.
	void step()
	{
		choose();
		for (unsigned int i = 2 + rng_.below(3); i; i--)
			cycle();
		dut_.go_valid_i = 1;
		went_ = done_ = lost_ = false;
		bool was_lost = false;
		for (unsigned int i = 0; !done_ && !was_lost; i++) {
			CHECK(i < 5000, "the block has stopped");
			cycle();
			was_lost = lost_;
			if (rng_.one_in(3000))
				return restart();
			if (went_) {
				dut_.go_valid_i = 0;
				dut_.go_num_i = rng_.next();
				dut_.go_last_i = rng_.next() & 1;
				dut_.go_status_i = rng_.next();
			}
		}
		dut_.go_valid_i = 0;
		cycle();
		if (was_lost) {
			lost++;
			return;
		}
		CHECK(told_ && began_ && !refs_, "something has not been told");
		CHECK(due_ == (at_once_ || (stored_ && !refused_ && !flag_) ? s_.due : 0), "due are %llx, not %llx", static_cast<unsigned long long>(due_),
		      static_cast<unsigned long long>(s_.due));
		refused_ ? refusals++ : away_ ? aways++ : posts++;
		early += at_once_;
	}

private:
	tally::Bench<Vdut> &bench_;
	tally::Rng &rng_;
	Vdut &dut_;
	tally::Throttle room_{ rng_ }, post_{ rng_ }, told_throttle_{ rng_ };
	shares s_ = {};
	int ans_left_ = -1;
	bool went_ = false, done_ = false, lost_ = false, told_ = false, stored_ = false, refused_ = false, flag_ = false, within_ = false, away_ = false, began_ = false;
	uint64_t ranks_ = 0, refs_ = 0, due_ = 0;
	uint32_t num_ = 0;
	unsigned int slot_ = 0;
	uint16_t status_ = 0, err_vector_ = 0, errors_ = 0, disagrees_ = 0;
	unsigned int answer_ = 0;
	bool last_ = false, at_once_ = false, has_room_ = false;
	// Of the clock before: the post was taken, or withdrawn, the store has answered, the outcome was told.
	bool took_ = false, gave_up_ = false, heard_ = false, was_told_ = false;

	uint64_t work(Field f) { return get(dut_.go_work_i, f); }

	void choose()
	{
		const uint8_t opcodes[] = { TALLY_OPCODE_ALLREDUCE, TALLY_OPCODE_REDUCE, TALLY_OPCODE_BCAST, TALLY_OPCODE_BARRIER };
		const uint8_t opcode = opcodes[rng_.below(4)];
		const bool empty = rng_.one_in(4), combined = rng_.one_in(2), root_here = rng_.one_in(2);
		const unsigned int root = rng_.below(64);

		ranks_ = rng_.one_in(3) ? 1ull << rng_.below(64) : rng_.one_in(4) ? ~0ull : (rng_.next() & rng_.next() & rng_.next()) | 1ull << rng_.below(64);
		for (unsigned int i = 0; i < work_words; i++)
			dut_.go_work_i[i] = rng_.next();
		put(dut_.go_work_i, { work_bits::all.width, 32 * work_words - work_bits::all.width }, 0);
		put(dut_.go_work_i, work_bits::opcode, opcode);
		put(dut_.go_work_i, work_bits::ranks, ranks_);
		put(dut_.go_work_i, work_bits::combined, combined);
		put(dut_.go_work_i, work_bits::empty, empty);
		put(dut_.go_work_i, work_bits::root_rank, root);
		put(dut_.go_work_i, work_bits::root_here, root_here && (ranks_ >> root & 1));
		s_ = shares_of(opcode, (empty ? TALLY_WQE_F_EMPTY : 0) | (combined ? TALLY_WQE_F_COMBINED : 0), ranks_, ranks_ | 1ull << root, root_here, root);
		const bool whole = !rng_.one_in(4);

		if (rng_.one_in(2))
			put(dut_.go_work_i, work_bits::out, 0);
		dut_.go_whole_i = whole;
		dut_.go_refuse_i = refused_ = rng_.one_in(8);
		dut_.go_away_i = away_ = rng_.one_in(6);
		dut_.go_status_i = status_ = rng_.next();
		dut_.go_qp_i = rng_.below(Qps);
		dut_.go_entry_i = rng_.below(Entries);
		dut_.go_group_i = rng_.below(Groups);
		dut_.go_sid_i = rng_.next();
		dut_.go_num_i = num_ = rng_.next();
		dut_.go_last_i = last_ = rng_.one_in(2);
		at_once_ = whole && (opcode == TALLY_OPCODE_ALLREDUCE || opcode == TALLY_OPCODE_BARRIER) && !empty && !combined && !work(work_bits::out) && !refused_ && !away_;
		told_ = flag_ = began_ = false;
		refs_ = due_ = 0;
	}

	void cycle()
	{
		const uint16_t errors = rng_.next();
		const unsigned int answer = rng_.one_in(5) ? TALLY_FW_STORE_ANSWER_PAST + rng_.below(6) : rng_.below(2);

		dut_.room_i = has_room_;
		has_room_ = room_.go() || rng_.one_in(4);
		dut_.post_ready_i = has_room_ && (post_.go() || rng_.one_in(8));
		dut_.upd_ready_i = told_throttle_.go() || rng_.one_in(8);
		dut_.flag_ready_i = told_throttle_.go() || rng_.one_in(8);
		dut_.due_ready_i = told_throttle_.go() || rng_.one_in(8);
		dut_.ans_valid_i = ans_left_ == 0;
		const unsigned int slot = rng_.below(Slots);

		const uint16_t disagrees = rng_.next();

		dut_.ans_i = uint64_t(rng_.below(4)) << 59 | uint64_t(rng_.below(1 << 8)) << 51 | uint64_t(answer) << 43 |
			      uint64_t(disagrees) << 27 | uint64_t(errors) << 11 | slot;
		if (ans_left_ >= 0)
			ans_left_--;
		bench_.settle();
		dut_.upd_flag_i = dut_.upd_valid_o && !refused_ && !at_once_ && (!stored_ || !s_.due) && rng_.one_in(3);
		bench_.settle();
		observe();
		if (dut_.ans_valid_i && within_) {
			stored_ = answer <= TALLY_FW_STORE_ANSWER_DUPLICATE;
			err_vector_ = errors;
			slot_ = slot;
			refs_ = stored_ ? ranks_ : 0;
			answer_ = answer;
			disagrees_ = disagrees;
			errors_ = errors;
		}
		heard_ = dut_.ans_valid_i && within_;
		took_ = dut_.post_valid_o && dut_.post_ready_i;
		gave_up_ = dut_.post_valid_o && !dut_.post_ready_i && !dut_.room_i;
		was_told_ = dut_.upd_valid_o && dut_.upd_ready_i;
		bench_.tick();
	}

	void observe()
	{
		CHECK(!(at_once_ && within_ && !due_) || dut_.due_valid_o, "data are not due with their post");
		went_ = dut_.went_o;
		if (went_ && away_ && !refused_) {
			within_ = true;
			stored_ = false;
			err_vector_ = 0;
		}
		CHECK(dut_.hold_o == within_, "results are held back: %d", dut_.hold_o);
		if (dut_.ref_valid_o) {
			CHECK(within_ && stored_ && (refs_ & -refs_) == 1ull << dut_.ref_rank_o && dut_.ref_slot_o == slot_ && dut_.ref_entry_o == dut_.go_entry_i,
			      "a reference of rank %u in slot %u", dut_.ref_rank_o, dut_.ref_slot_o);
			refs_ &= refs_ - 1;
		}
		lost_ = dut_.lost_o;
		done_ = dut_.done_o;
		CHECK(lost_ == gave_up_ && (!lost_ || (dut_.go_valid_i && !refused_ && !dut_.post_valid_o)), "a post is given up: %d", lost_);
		CHECK(went_ ? took_ || refused_ || away_ : !took_, "a post has gone: %d", went_);
		if (dut_.post_valid_o && dut_.post_ready_i)
			operation();
		if (dut_.began_valid_o)
			began();
		if (dut_.upd_valid_o && dut_.upd_ready_i)
			update();
		if (dut_.flag_valid_o && dut_.flag_ready_i) {
			CHECK(told_ && flag_, "a flag word");
			flags++;
		}
		if (dut_.due_valid_o && dut_.due_ready_i)
			data_due();
		CHECK(!done_ || (told_ && (dut_.upd_valid_o || dut_.due_valid_o || dut_.flag_valid_o)), "it is done");
	}

	template <typename Wide> void check_message(const Wide &from, unsigned int at)
	{
		using namespace message_bits;
		auto of = [&](Field f) { return get(from, inside(at, f)); };

		CHECK(of(mode) == work(work_bits::mode) && of(opcode) == work(work_bits::opcode) && of(op) == work(work_bits::op) &&
			      of(dtype) == work(work_bits::dtype) && of(root_rank) == work(work_bits::root_rank) && of(root_node) == work(work_bits::root_node) &&
			      of(num) == num_ && of(mid) == work(work_bits::mid) && of(sid) == dut_.go_sid_i && of(total) == work(work_bits::total) &&
			      of(first) == uint32_t(dut_.go_sid_i * work(work_bits::chunk)) && of(count) == work(work_bits::chunk),
		      "chunk %u is another one", num_);
	}

	void operation()
	{
		const auto &op = dut_.post_o;

		CHECK(ans_left_ < 0 && !dut_.ans_valid_i, "an operation before the answer to the one before");
		CHECK(get(op, operation_bits::op) == TALLY_FW_STORE_OP_POST && get(op, operation_bits::group) == dut_.go_group_i && !get(op, operation_bits::bytes) && !get(op, operation_bits::sum) &&
			      !get(op, operation_bits::last), "fields of an operation");
		check_message(op, operation_bits::message);
		CHECK(dut_.go_valid_i && !within_ && !refused_ && !away_ && get(op, operation_bits::ranks) == ranks_, "a post");
		CHECK(get(op, operation_bits::absent) == s_.absent && get(op, operation_bits::quits) == s_.quits &&
			      get(op, operation_bits::out) == work(work_bits::out), "who takes no part in chunk %u", num_);
		within_ = true;
		stored_ = false;
		ans_left_ = 1 + rng_.below(rng_.one_in(2) ? 2 : 20);
	}

	void began()
	{
		using namespace began_bits;
		const auto &b = dut_.began_o;

		CHECK(!began_ && dut_.upd_qp_o == dut_.go_qp_i && dut_.upd_entry_o == dut_.go_entry_i, "a chunk begins twice");
		CHECK(get(b, refused) == refused_ && get(b, here) == (!refused_ && !away_), "entry %u begins", dut_.upd_entry_o);
		CHECK(refused_ ? !told_ : away_ ? was_told_ : within_ && heard_, "entry %u begins at a wrong time", dut_.upd_entry_o);
		CHECK(get(b, num) == num_, "chunk %u begins", unsigned(get(b, num)));
		if (refused_)
			CHECK(get(b, status) == status_, "status %u of a refusal", unsigned(get(b, status)));
		else if (!away_)
			CHECK(get(b, answer) == answer_ && get(b, status) == disagrees_ && get(b, err_vector) == errors_, "the answer of the store");
		began_ = true;
	}

	void update()
	{
		using namespace update_bits;
		const auto &u = dut_.upd_o;

		CHECK(!told_ && began_ == (refused_ || !away_) && dut_.upd_qp_o == dut_.go_qp_i && dut_.upd_entry_o == dut_.go_entry_i && get(u, refused) == refused_, "entry %u is told", dut_.upd_entry_o);
		if (refused_) {
			CHECK(!within_ && get(u, update_bits::status) == status_, "status %u", unsigned(get(u, update_bits::status)));
		} else {
			CHECK(within_ && !refs_, "a chunk is told too early");
			CHECK(get(u, num) == num_ && get(u, last) == last_ && get(u, ranks) == unsigned(__builtin_popcountll(ranks_)) &&
				      get(u, finished) == (away_ ? 0 : unsigned(__builtin_popcountll(s_.quits))) && get(u, err_vector) == err_vector_ &&
				      !get(u, update_bits::status), "chunk %u is told", unsigned(get(u, num)));
		}
		within_ = false;
		told_ = true;
		flag_ = dut_.upd_flag_i;
	}

	void data_due()
	{
		const auto &d = dut_.due_o;

		CHECK((at_once_ ? within_ || told_ : told_ && stored_) && !refused_ && !flag_ && !due_ && get(d, due_bits::group) == dut_.go_group_i, "data are due");
		check_message(d, due_bits::message);
		due_ = get(d, due_bits::ranks);
	}
};

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("sender_post", argc, argv);
	World world(bench);

	bench.live(bench.times(10000), [&] { world.restart(); }, [&] { world.step(); });
	CHECK(world.posts > 1000 && world.early > 50 && world.aways > 100 && world.lost && world.refusals && world.flags, "posts %llu, lost %llu, refused %llu, flag words %llu",
	      static_cast<unsigned long long>(world.posts), static_cast<unsigned long long>(world.lost),
	      static_cast<unsigned long long>(world.refusals), static_cast<unsigned long long>(world.flags));
	return bench.finish();
}
