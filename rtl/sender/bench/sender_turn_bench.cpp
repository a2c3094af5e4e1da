// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_sender_turn: random requests of several groups, whose windows and epochs change meanwhile. Each request is offered
// to the engine's sender, which posts as many of its chunks as it may, and to the block until no chunk can be posted any more. Both
// must post the same ones, refuse or wait for the same reason, and want as many segments. Which ranks have begun a message must be
// what the registers of the engine say.
#include <algorithm>
#include <vector>

#include "Vdut.h"
#include "bench.h"
#include "sender_turn_model.h"
#include "gen/tally_hw.h"

enum Verdict { POST, SHUT, STREAMS, AHEAD, REFUSE, ENDED, NUM_VERDICTS };

struct Group {
	turn_group g = {};
	bool known = false;	// an epoch has begun since the reset
	std::vector<turn_request> streaming;	// some of their chunks have not been posted
};

class World {
public:
	explicit World(tally::Bench<Vdut> &bench) : bench_(bench), rng_(bench.rng), dut_(*bench.dut) {}

	uint64_t seen[NUM_VERDICTS] = {}, refused[3] = {}, borrowed = 0, some_begun = 0;

	void restart()
	{
		dut_.cmd_valid_i = dut_.moved_valid_i = dut_.ask_valid_i = dut_.verdict_ready_i = dut_.peek_valid_i = 0;
		bench_.reset();
		std::fill(std::begin(runs_), std::end(runs_), false);
		cleared_ = 0;
		turn_reset();
		for (unsigned int i = 0; i < Groups; i++)
			groups_[i] = {};
		for (unsigned int i = 0; i < Groups; i++) {
			groups_[i].g.max_segs = 4;
			if (rng_.one_in(2))
				begin(i);
		}
		choose_others();
	}

	void step()
	{
		unsigned int n = rng_.below(Groups);
		Group &group = groups_[n];

		if (rng_.one_in(300))
			return amid_a_reset(n);
		if (rng_.one_in(60))
			return rng_.one_in(2) ? begin(n) : end(n);
		if (rng_.one_in(20))
			choose_others();
		if (group.known && rng_.one_in(4))
			peek(n);
		move(group.g);
		tell(n);
		if (!group.streaming.empty() && rng_.one_in(2)) {
			unsigned int k = rng_.below(group.streaming.size());
			turn_request r = group.streaming[k];

			group.streaming.erase(group.streaming.begin() + k);
			offer(n, r);
		} else {
			offer(n, choose(group.g));
		}
	}

private:
	tally::Bench<Vdut> &bench_;
	tally::Rng &rng_;
	Vdut &dut_;
	Group groups_[Groups];
	uint64_t sole_ = 0;
	turn_result result_ = {};

	bool runs_[Groups] = {};	// epochs, as the block was told
	unsigned int cleared_ = 0;	// rows, since the reset

	void cycle()
	{
		const unsigned int n = rng_.below(Groups);

		dut_.look_group_i = n;
		bench_.settle();
		const bool commanded = dut_.cmd_valid_i && dut_.cmd_ready_o, runs = runs_[n];

		if (commanded)
			runs_[dut_.cmd_group_i] = dut_.cmd_begin_i;
		bench_.tick();
		CHECK(cleared_++ < Groups || dut_.look_runs_o == runs, "the epoch of group %u runs: %d", n, dut_.look_runs_o);
		dut_.moved_valid_i = 0;
	}

	// ---- Groups ----

	void tell(unsigned int n)
	{
		const turn_group &g = groups_[n].g;

		dut_.moved_valid_i = 1;
		dut_.moved_group_i = n;
		dut_.moved_done_i = g.done;
		dut_.moved_limit_i = g.limit;
		cycle();
	}

	void command(unsigned int n, bool begins)
	{
		dut_.cmd_valid_i = 1;
		dut_.cmd_begin_i = begins;
		dut_.cmd_group_i = n;
		dut_.cmd_max_segs_i = groups_[n].g.max_segs;
		for (unsigned int i = 0; dut_.cmd_valid_i; i++) {
			CHECK(i < 1000, "no command is taken");
			bench_.settle();
			bool taken = dut_.cmd_ready_o;

			cycle();
			if (taken)
				dut_.cmd_valid_i = 0;
		}
	}

	// Messages and numbers begin with 0.
	void begin(unsigned int n)
	{
		turn_group &g = groups_[n].g;

		groups_[n] = {};
		g.runs = groups_[n].known = true;
		g.max_segs = rng_.one_in(4) ? TALLY_MAX_GROUP_SEGS : 1 + rng_.below(12);
		g.limit = rng_.below(std::min(g.max_segs, 8u) + 1);
		tell(n);
		command(n, true);
	}

	void end(unsigned int n)
	{
		groups_[n].g.runs = false;
		groups_[n].streaming.clear();
		command(n, false);
	}

	// Chunks are finished, mostly when all ranks have posted them; limit is at most max_segs ahead.
	void move(turn_group &g)
	{
		uint32_t least = UINT32_MAX;

		for (const auto &rank : g.rank)
			least = std::min(least, rank.num);
		if (rng_.one_in(2) && least > g.done)
			g.done += 1 + rng_.below(least - g.done);
		else if (rng_.one_in(60))
			g.done++;
		if (int32_t(g.limit - g.done) < 0)
			g.limit = g.done;
		if (rng_.one_in(2))
			g.limit += rng_.below(g.max_segs - (g.limit - g.done) + 1) >> rng_.below(5);
	}

	void choose_others()
	{
		const uint64_t ranks[2] = { rng_.below(256), rng_.below(256) };
		const bool works[2] = { rng_.one_in(2), rng_.one_in(2) };

		sole_ = turn_others(ranks, works, rng_.one_in(2) ? 0 : rng_.below(256));
	}

	// ---- What the firmware reads ----

	void peek(unsigned int n)
	{
		const turn_group &g = groups_[n].g;
		const uint32_t mid = g.rank[rng_.below(Ranks)].mid + rng_.below(3) - 1;
		const bool command_too = rng_.one_in(20);
		unsigned int clocks = 0;
		uint64_t behind;

		if (command_too)
			end_at_once(n);
		dut_.peek_valid_i = 1;
		dut_.peek_group_i = n;
		dut_.peek_mid_i = mid;
		bench_.settle();
		CHECK(!dut_.peek_ready_o || !command_too, "a read is taken with a command");
		for (; dut_.peek_valid_i; clocks++) {
			bench_.settle();
			const bool taken = dut_.peek_ready_o;

			CHECK(clocks < Ranks + 4, "a read is not taken");
			const bool ended = dut_.cmd_ready_o;

			cycle();
			if (ended)
				dut_.cmd_valid_i = 0;
			if (taken)
				dut_.peek_valid_i = 0;
		}
		for (clocks = 0; bench_.settle(), !dut_.peeked_valid_o; clocks++) {
			CHECK(clocks <= Ranks + 1 && dut_.busy_o, "a read is not answered");
			cycle();
		}
		const bool begun = turn_begun(&g, mid, &behind);

		CHECK(dut_.peeked_begun_o == (~behind & ((1u << Ranks) - 1)), "ranks %x have begun message %u, not %llx", dut_.peeked_begun_o, mid,
		      static_cast<unsigned long long>(~behind));
		CHECK((dut_.peeked_begun_o != 0) == begun, "message %u has begun: %d", mid, begun);
		some_begun += begun && behind;
	}

	// The end of an epoch is offered in the same clock.
	void end_at_once(unsigned int n)
	{
		groups_[n].g.runs = false;
		groups_[n].streaming.clear();
		dut_.cmd_valid_i = 1;
		dut_.cmd_begin_i = 0;
		dut_.cmd_group_i = n;
	}

	// ---- Requests ----

	turn_request choose(const turn_group &g)
	{
		const auto &rank = g.rank[rng_.below(Ranks)];
		turn_request r = {};

		for (unsigned int i = 0; i < Ranks; i++)
			if (g.rank[i].mid == rank.mid ? !rng_.one_in(3) : rng_.one_in(12))
				r.ranks |= 1ull << i;
		if (!r.ranks || rng_.one_in(3))
			r.ranks = 1ull << (&rank - g.rank);
		r.mid = rank.mid;
		if (rng_.one_in(3))
			r.mid += rng_.below(5) - 2;
		r.chunks = rng_.one_in(3) ? 1 : 1 + rng_.below(rng_.one_in(5) ? 400 : 6);
		r.seg_count = rng_.one_in(2) ? 0 : 1 + rng_.below(rng_.one_in(5) ? TALLY_MAX_GROUP_SEGS : 6);
		return r;
	}

	// Now and then the epoch of another group ends at the same time.
	void end_another(unsigned int n)
	{
		unsigned int other = rng_.below(Groups);

		if (other == n || !rng_.one_in(40))
			return;
		groups_[other].g.runs = false;
		groups_[other].streaming.clear();
		dut_.cmd_valid_i = 1;
		dut_.cmd_begin_i = 0;
		dut_.cmd_group_i = other;
	}

	void ask(unsigned int n, const turn_request &r)
	{
		end_another(n);
		dut_.ask_valid_i = 1;
		dut_.ask_group_i = n;
		dut_.ask_mid_i = r.mid;
		dut_.ask_ranks_i = r.ranks;
		dut_.ask_sole_i = sole_;
		dut_.ask_chunks_i = r.chunks;
		dut_.ask_begun_i = r.begun;
		dut_.ask_seg_count_i = r.seg_count;
		for (unsigned int i = 0; dut_.ask_valid_i; i++) {
			CHECK(i < 1000, "no request is taken");
			bench_.settle();
			bool taken = dut_.ask_ready_o, ended = dut_.cmd_ready_o;

			CHECK(!taken || !dut_.cmd_valid_i, "a request is taken together with a command");
			cycle();
			if (taken)
				dut_.ask_valid_i = 0;
			if (ended)
				dut_.cmd_valid_i = 0;
		}
	}

	// Waits for the verdict, while windows of other groups change. Takes it; `posts`: the chunk is posted then.
	Verdict verdict(unsigned int n, const turn_request &r, bool posts)
	{
		unsigned int clocks = 1;

		for (;; clocks++) {
			bench_.settle();
			if (dut_.verdict_valid_o)
				break;
			CHECK(clocks < 6u + (r.begun ? 1 : __builtin_popcountll(r.ranks)), "no verdict in time");
			unsigned int other = rng_.below(Groups);

			if (other != n && rng_.one_in(3)) {
				move(groups_[other].g);
				tell(other);
			} else {
				cycle();
			}
		}
		while (rng_.one_in(3))
			cycle();
		dut_.verdict_ready_i = 1;
		dut_.verdict_posted_i = posts;
		bench_.settle();
		Verdict v = Verdict(dut_.verdict_o);

		CHECK(v < NUM_VERDICTS, "verdict %u", v);
		return v;
	}

	void taken()
	{
		cycle();
		dut_.verdict_ready_i = dut_.verdict_posted_i = 0;
	}

	// Returns whether the block has something to do yet with the request, of which both lend as many segments.
	bool proceed(unsigned int n, turn_request &r, bool lends, unsigned int &posts, Verdict &v)
	{
		turn_group &g = groups_[n].g;
		bool posted = !rng_.one_in(4), borrows;

		ask(n, r);
		v = verdict(n, r, posted);
		borrows = dut_.borrow_o && lends;
		if (dut_.borrow_o) {
			CHECK(v == POST || v == SHUT, "segments for verdict %u", v);
			CHECK(int32_t(dut_.top_o - g.limit) > 0 && dut_.top_o - g.done <= g.max_segs, "segments up to %u", dut_.top_o);
		}
		uint32_t top = dut_.top_o;

		if (v == POST && posted) {
			CHECK(posts < result_.posts, "chunk %u is posted", dut_.num_o);
			CHECK(dut_.num_o == result_.num[posts] && r.begun == result_.sid[posts], "chunk %u of %u", dut_.num_o, r.begun);
			CHECK(dut_.last_o == (r.begun + 1 == r.chunks), "last_o is %d", dut_.last_o);
			posts++;
			r.begun++;
		}
		if (v == REFUSE)
			CHECK(result_.refused && dut_.status_o == result_.status, "status %u, not %u", dut_.status_o, result_.status);
		taken();
		seen[v]++;
		if (borrows) {
			g.limit = top;
			tell(n);
			borrowed++;
		}
		return r.begun != r.chunks && (v == POST || (v == SHUT && borrows));
	}

	void offer(unsigned int n, turn_request r)
	{
		turn_group after = groups_[n].g;
		bool lends = rng_.one_in(2);
		unsigned int posts = 0;
		Verdict v;

		turn_pump(&after, &r, lends, &result_);
		bool more = proceed(n, r, lends, posts, v);
		CHECK(groups_[n].g.limit == after.limit, "limit is %u, not %u", groups_[n].g.limit, after.limit);
		while (more)
			more = proceed(n, r, lends, posts, v);
		CHECK(posts == result_.posts, "%u chunks are posted, not %u", posts, result_.posts);
		CHECK((v == REFUSE) == result_.refused, "it is refused: %d", result_.refused);
		CHECK((v == AHEAD) == result_.waits, "it waits for its turn: %d", result_.waits);
		CHECK((v == ENDED) == !groups_[n].g.runs, "the epoch runs: %d", groups_[n].g.runs);
		CHECK(groups_[n].g.limit == after.limit, "limit is %u, not %u", groups_[n].g.limit, after.limit);
		if (v == REFUSE)
			refused[result_.status == TALLY_COLL_MID_BEHIND ? 0 : result_.status == TALLY_COLL_RANK_TWICE ? 1 : 2]++;
		groups_[n].g = after;
		if (r.begun && r.begun != r.chunks)
			groups_[n].streaming.push_back(r);
	}

	void amid_a_reset(unsigned int n)
	{
		ask(n, choose(groups_[n].g));
		for (unsigned int i = rng_.below(12); i; i--)
			cycle();
		restart();
	}
};

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("sender_turn", argc, argv);
	World world(bench);

	bench.live(bench.times(20000), [&] { world.restart(); }, [&] { world.step(); });
	for (unsigned int v = 0; v < NUM_VERDICTS; v++)
		CHECK(world.seen[v] > 50, "verdict %u has been seen %llu times", v, static_cast<unsigned long long>(world.seen[v]));
	for (uint64_t times : world.refused)
		CHECK(times > 50, "a refusal has been seen %llu times", static_cast<unsigned long long>(times));
	CHECK(world.some_begun > 50, "some ranks have begun a message %llu times", static_cast<unsigned long long>(world.some_begun));
	CHECK(world.borrowed > 50, "segments have been borrowed %llu times", static_cast<unsigned long long>(world.borrowed));
	return bench.finish();
}
