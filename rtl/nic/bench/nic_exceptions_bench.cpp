// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_nic_exceptions: all sources tell of exceptions of a few groups, commands begin and end their epochs, and all
// sides stall. The first exception of an epoch freezes its group, then it is raised as its source has told it, and others end
// nothing; none of what was told before a command counts behind it. A source is taken in the end.
#include <deque>
#include <optional>

#include "Vdut.h"
#include "event_fields.h"

extern "C" {
#include "gen/tally_fw_hw.h"
#include "gen/tally_hw.h"
}

enum Source { OfStore, OfLocal, OfDesc, OfOthers, OfDrained, OfFenced, Sources };
enum Kind { Begin, Exception, Fenced, Drained };	// of events
constexpr unsigned int longest_wait = 400;

struct Row {
	uint64_t ranks, contributors;
	uint32_t sid, mid, status, cause;

	bool operator==(const Row &o) const
	{
		return ranks == o.ranks && contributors == o.contributors && sid == o.sid && mid == o.mid && status == o.status &&
		       cause == o.cause;
	}
};

struct Told {
	unsigned int group;
	Row row;
	bool late;		// of a descriptor: its time, not a refusal of memory
	bool may_end = false;	// its epoch did not run at some time since, so it may be dropped
	bool before = false;	// it was taken before the command was offered
};

class World {
public:
	explicit World(tally::Bench<Vdut> &bench) : bench_(bench), rng_(bench.rng), dut_(*bench.dut) {}

	uint64_t raised[Sources] = {}, begun = 0, dropped = 0;

	void restart()
	{
		for (unsigned int s = 0; s < Sources; s++) {
			offered_[s].reset();
			inside_[s].clear();
			waits_[s] = 0;
		}
		command_.reset();
		frozen_.reset();
		begins_.reset();
		for (bool &r : runs_)
			r = false;
		drive();
		dut_.raise_ready_i = 0;
		bench_.reset();
	}

	void step()
	{
		choose();
		drive();
		dut_.raise_ready_i = sink_.go();
		bench_.settle();
		sources();
		command();
		outputs();
		bench_.tick();
	}

private:
	struct Command {
		unsigned int group;
		bool begins;
	};

	tally::Bench<Vdut> &bench_;
	tally::Rng &rng_;
	Vdut &dut_;
	tally::Throttle go_{ rng_ }, sink_{ rng_ };
	std::optional<Told> offered_[Sources];
	std::deque<Told> inside_[Sources];	// what was taken, and is neither raised nor dropped
	unsigned int waits_[Sources] = {};
	std::optional<Command> command_;
	std::optional<unsigned int> frozen_, begins_;	// groups of which an event must follow
	bool runs_[Groups] = {};
	unsigned int rate_ = 1;

	Told some(unsigned int source)
	{
		Told t = {};

		t.group = rng_.below(Groups);
		t.late = rng_.one_in(2);
		t.row = { rng_.next(), rng_.next(), uint32_t(rng_.next()), uint32_t(rng_.next()), uint32_t(rng_.next() & 0xffff), 0 };
		switch (source) {
		case OfStore:
			break;
		case OfLocal:
			t.row.contributors = t.row.sid = 0;
			t.row.status = TALLY_COLL_DMA_ERROR;
			break;
		case OfDesc:
			t.row.sid = t.late ? ~0u : 0;
			if (!t.late) {
				t.row.status = TALLY_COLL_DMA_ERROR;
				t.row.contributors = 0;
			}
			break;
		case OfOthers:
			t.row.cause = rng_.below(3);
			break;
		default:
			t.row = {};
		}
		return t;
	}

	void choose()
	{
		if (rng_.one_in(500))
			rate_ = rng_.one_in(2) ? 2 : rng_.one_in(2) ? 10 : 60;
		for (unsigned int s = 0; s < Sources; s++)
			if (!offered_[s] && go_.go() && rng_.one_in(rate_ * (s < OfDrained ? 1 : 3)))
				offered_[s] = some(s);
		if (command_ || !rng_.one_in(20))
			return;
		for (auto &inside : inside_)
			for (Told &t : inside)
				t.before = true;
		command_ = Command{ static_cast<unsigned int>(rng_.below(Groups)), !rng_.one_in(3) };
	}

	void drive()
	{
		const auto of = [&](Source s) { return offered_[s].value_or(Told{}); };
		const Told store = of(OfStore), local = of(OfLocal), desc = of(OfDesc), others = of(OfOthers);

		dut_.disagree_valid_i = offered_[OfStore].has_value();
		dut_.disagree_group_i = store.group;
		dut_.disagree_status_i = store.row.status;
		dut_.disagree_mid_i = store.row.mid;
		dut_.disagree_sid_i = store.row.sid;
		dut_.disagree_contributors_i = store.row.contributors;
		dut_.disagree_ranks_i = store.row.ranks;
		dut_.fault_valid_i = offered_[OfLocal].has_value();
		dut_.fault_group_i = local.group;
		dut_.fault_ranks_i = local.row.ranks;
		dut_.fault_mid_i = local.row.mid;
		dut_.desc_fault_valid_i = offered_[OfDesc] && !desc.late;
		dut_.desc_late_valid_i = offered_[OfDesc] && desc.late;
		dut_.desc_group_i = desc.group;
		dut_.desc_status_i = desc.late ? desc.row.status : rng_.next();
		dut_.desc_contributors_i = desc.late ? desc.row.contributors : rng_.next();
		dut_.desc_ranks_i = desc.row.ranks;
		dut_.desc_mid_i = desc.row.mid;
		dut_.exc_valid_i = offered_[OfOthers].has_value();
		dut_.exc_group_i = others.group;
		put(dut_.exc_i, others.row);
		dut_.drained_valid_i = offered_[OfDrained].has_value();
		dut_.drained_group_i = of(OfDrained).group;
		dut_.fenced_valid_i = offered_[OfFenced].has_value();
		dut_.fenced_group_i = of(OfFenced).group;
		dut_.set_valid_i = command_.has_value();
		dut_.set_group_i = command_ ? command_->group : 0;
		dut_.set_begins_i = command_ && command_->begins;
	}

	template <typename Words> static void put(Words &words, const Row &row)
	{
		Fields<Words> fields(words);

		fields.put(64, row.ranks);
		fields.put(64, row.contributors);
		fields.put(32, row.sid);
		fields.put(32, row.mid);
		fields.put(16, row.status);
		fields.put(2, row.cause);
	}

	Row raised_row()
	{
		Fields<decltype(dut_.raise_exception_o)> fields(dut_.raise_exception_o);
		Row row = {};

		row.ranks = fields.get(64);
		row.contributors = fields.get(64);
		row.sid = fields.get(32);
		row.mid = fields.get(32);
		row.status = fields.get(16);
		row.cause = fields.get(2);
		return row;
	}

	bool ready(unsigned int source) const
	{
		switch (source) {
		case OfStore:
			return dut_.disagree_ready_o;
		case OfLocal:
			return dut_.fault_ready_o;
		case OfDesc:
			CHECK(!dut_.desc_fault_ready_o || !dut_.desc_late_valid_i, "a late descriptor is taken as a refusal");
			return offered_[OfDesc]->late ? dut_.desc_late_ready_o : dut_.desc_fault_ready_o;
		case OfOthers:
			return dut_.exc_ready_o;
		case OfDrained:
			return dut_.drained_ready_o;
		default:
			return dut_.fenced_ready_o;
		}
	}

	// ---- What happens in a clock ----

	void sources()
	{
		for (unsigned int s = 0; s < Sources; s++) {
			if (!offered_[s])
				continue;
			CHECK(++waits_[s] < longest_wait, "source %u is not taken", s);
			if (!ready(s))
				continue;
			waits_[s] = 0;
			offered_[s]->may_end = !runs_[offered_[s]->group];
			inside_[s].push_back(*offered_[s]);
			offered_[s].reset();
		}
	}

	void ends(unsigned int group)
	{
		runs_[group] = false;
		for (auto &inside : inside_)
			for (Told &t : inside)
				t.may_end |= t.group == group;
	}

	// All, or all that was taken before the command, has been raised or dropped.
	void nothing_inside(bool all)
	{
		for (unsigned int s = 0; s < Sources; s++)
			while (!inside_[s].empty() && (all || inside_[s].front().before))
				drop(s, 1);
	}

	void command()
	{
		if (!command_ || !dut_.set_ready_o)
			return;
		nothing_inside(false);
		if (command_->begins) {
			begins_ = command_->group;
			begun++;
		} else {
			ends(command_->group);
		}
		command_.reset();
	}

	void outputs()
	{
		if (dut_.freeze_valid_o) {
			CHECK(!frozen_ && runs_[dut_.freeze_group_o], "group %u is frozen", dut_.freeze_group_o);
			frozen_ = dut_.freeze_group_o;
		}
		if (dut_.raise_valid_o && dut_.raise_ready_i)
			raise();
		if (!dut_.busy_o && !dut_.disagree_valid_i && !dut_.fault_valid_i && !dut_.desc_fault_valid_i && !dut_.desc_late_valid_i &&
		    !dut_.exc_valid_i && !dut_.drained_valid_i && !dut_.fenced_valid_i && !dut_.set_valid_i) {
			CHECK(!frozen_ && !begins_, "busy_o is low with an event");
			nothing_inside(true);
		}
	}

	void raise()
	{
		const unsigned int group = dut_.raise_group_o;

		switch (dut_.raise_kind_o) {
		case Begin:
			CHECK(begins_ == group, "group %u begins", group);
			begins_.reset();
			runs_[group] = true;
			break;
		case Exception:
			CHECK(frozen_ == group, "an exception of group %u, which is not frozen", group);
			take_exception(group, raised_row());
			frozen_.reset();
			ends(group);
			break;
		case Fenced:
			take(OfFenced, group);
			break;
		default:
			CHECK(runs_[group], "a group drains that does not run");
			take(OfDrained, group);
		}
	}

	// Those before it of the same source have been dropped.
	void take_exception(unsigned int group, const Row &row)
	{
		for (unsigned int s = 0; s < OfDrained; s++) {
			for (size_t i = 0; i < inside_[s].size(); i++) {
				if (inside_[s][i].group != group || !(inside_[s][i].row == row))
					continue;
				drop(s, i);
				inside_[s].pop_front();
				raised[s]++;
				return;
			}
		}
		CHECK(false, "an exception of group %u that nobody has told", group);
	}

	// They are taken when nothing else is under way, so it is the newest one.
	void take(Source s, unsigned int group)
	{
		CHECK(!inside_[s].empty() && inside_[s].back().group == group, "an event of group %u that nobody has told", group);
		drop(s, inside_[s].size() - 1);
		inside_[s].pop_front();
		raised[s]++;
	}

	void drop(unsigned int s, size_t n)
	{
		for (; n; n--) {
			CHECK(inside_[s].front().may_end && s != OfFenced, "what source %u tells of group %u is lost", s,
			      inside_[s].front().group);
			inside_[s].pop_front();
			dropped++;
		}
	}
};

int main(int argc, char **argv)
{
	tally::Bench<Vdut> bench("nic_exceptions", argc, argv);
	World world(bench);

	bench.live(bench.times(150000), [&] { world.restart(); }, [&] { world.step(); });
	for (unsigned int s = 0; s < Sources; s++)
		CHECK(world.raised[s] > 40, "source %u has raised only %llu events", s, static_cast<unsigned long long>(world.raised[s]));
	CHECK(world.begun > 1000 && world.dropped > 1000, "%llu epochs have begun, %llu exceptions are dropped",
	      static_cast<unsigned long long>(world.begun), static_cast<unsigned long long>(world.dropped));
	return bench.finish();
}
