// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_trigger_sends: descriptors fire, windows of edges open and shut, packets leave, are repeated, acknowledged and
// forgotten, all at the same time. The engine's send_all() and trigger_tx_acked() (trigger.c) do the same: what is offered must be
// due there, descriptors end in the same moment, and at the end nothing is left. Of a group, what leaves on an edge first is what began
// first.
#include <map>
#include <utility>
#include <vector>

#include "Vdut.h"
#include "bench.h"
#include "trigger_sends_model.h"

extern "C" {
#include "gen/tally_hw.h"
}

static_assert(Descs <= SENDS_DESCS, "the model's descriptors");

enum End { Sent, Waits, Dropped };

struct Packet { // is not acknowledged
	unsigned int desc, edge;
	uint32_t seq;
};

class Sends {
public:
	Sends(int argc, char **argv) : bench("trigger_sends", argc, argv), dut(*bench.dut), rng(bench.rng) {}
	int run();

private:
	void restart();
	void cycle(bool begins);
	void drive(bool begins);
	void choose_end();
	void begin_one();
	void land(unsigned int desc);
	void taken_begin();
	void taken_out();
	bool is_first(unsigned int desc, unsigned int to) const;
	void check_rest() const;
	void taken_acked();
	void check_rows();
	void check_out();
	void ended(bool expected);
	void check_look();
	void drain();
	bool idle() const;

	tally::Bench<Vdut> bench;
	Vdut &dut;
	tally::Rng &rng;
	tally::Throttle out{ rng }, ack{ rng }, repeat{ rng };
	bool lives[Descs] = {};
	unsigned int groups[Descs] = {};
	uint64_t began[Descs] = {}, begins_so_far = 0; // the order of begins
	std::vector<Packet> flying;
	uint64_t open = 0; // windows
	bool open_parent = false, room = false, nobody = false, clean = false;
	uint64_t begin_mask = 0;
	bool begin_parent = false, begin_self = false;
	uint32_t seq = 0;
	bool wake_due = false, was_offered = false;
	int late = -1;		 // a descriptor that has ended with a packet that has just left
	int left = -1;		 // one of which a packet has just left
	unsigned int late_age = 0, left_age = 0;
	Packet repeated = {};
	// How often descriptors and receivers were tried in vain since the last event, which may have come amid a round.
	std::map<std::pair<unsigned int, unsigned int>, unsigned int> tried;
	uint64_t dones = 0, repeats = 0, starved = 0, forgotten = 0;
};

void Sends::restart()
{
	dut.begin_valid_i = dut.out_ready_i = dut.acked_valid_i = dut.again_valid_i = dut.wake_i = 0;
	dut.look_valid_i = dut.forget_valid_i = 0;
	for (bool &l : lives)
		l = false;
	flying.clear();
	wake_due = was_offered = false;
	late = left = -1;
	tried.clear();
	bench.reset();
}

void Sends::begin_one()
{
	const unsigned int desc = rng.below(Descs);

	if (lives[desc] || (dut.forget_valid_i && dut.forget_desc_i == desc))
		return;
	begin_mask = rng.one_in(8) ? 0 : rng.one_in(8) ? ~0ull : rng.one_in(2) ? 1ull << rng.below(64) : rng.next() & rng.next() & rng.next();
	begin_parent = rng.one_in(3);
	begin_self = rng.one_in(3);
	dut.begin_valid_i = 1;
	dut.begin_desc_i = desc;
	dut.begin_group_i = rng.below(Groups);
	dut.begin_receivers_i[0] = begin_mask;
	dut.begin_receivers_i[1] = begin_mask >> 32;
	dut.begin_receivers_i[2] = begin_parent | begin_self << 1;
}

void Sends::drive(bool begins)
{
	if (rng.one_in(begins ? 20 : 400)) { // windows change
		const uint64_t before = open;
		const bool had_parent = open_parent, had_room = room;

		open = clean ? ~0ull : rng.next() | (rng.one_in(2) ? rng.next() : 0);
		open_parent = clean || rng.one_in(2);
		room = clean || rng.one_in(2);
		nobody = !clean && rng.one_in(8);
		wake_due = wake_due || (open & ~before) || (open_parent && !had_parent) || (room && !had_room) || nobody;
	}
	dut.wake_i = wake_due && rng.one_in(3);
	if (dut.wake_i) {
		wake_due = false;
		tried.clear();
	}
	if (!dut.begin_valid_i && begins && rng.one_in(6))
		begin_one();
	if (!dut.acked_valid_i && !flying.empty() && ack.go()) {
		const size_t at = rng.below(flying.size());

		if (!dut.forget_valid_i || dut.forget_desc_i != flying[at].desc) {
			dut.acked_valid_i = 1;
			dut.acked_desc_i = flying[at].desc;
			dut.acked_edge_i = flying[at].edge;
			flying.erase(flying.begin() + static_cast<ptrdiff_t>(at));
		}
	}
	if (!dut.again_valid_i && !flying.empty() && repeat.go() && rng.one_in(2) && !clean) {
		const Packet &p = flying[rng.below(flying.size())];

		dut.again_valid_i = !dut.forget_valid_i || dut.forget_desc_i != p.desc;
		dut.again_desc_i = p.desc;
		dut.again_edge_i = p.edge;
		dut.again_seq_i = p.seq;
	}
	if (!dut.look_valid_i && rng.one_in(20)) {
		dut.look_valid_i = 1;
		dut.look_desc_i = rng.below(Descs);
	}
	if (!dut.forget_valid_i && !clean && rng.one_in(300)) {
		const unsigned int desc = rng.below(Descs);

		// its edges are closed, so nothing is acknowledged or repeated any more
		if (lives[desc] && !(dut.acked_valid_i && dut.acked_desc_i == desc) && !(dut.again_valid_i && dut.again_desc_i == desc)) {
			dut.forget_valid_i = 1;
			dut.forget_desc_i = desc;
			land(desc);
		}
	}
}

// No packet of a descriptor is in flight any more.
void Sends::land(unsigned int desc)
{
	for (size_t i = flying.size(); i > 0; i--)
		if (flying[i - 1].desc == desc)
			flying.erase(flying.begin() + static_cast<ptrdiff_t>(i - 1));
}

// What becomes of the packet that is offered.
void Sends::choose_end()
{
	const unsigned int to = dut.out_receiver_o;
	const bool self = to == TALLY_CONTRIB_SELF;
	const bool may = self ? room : to == TALLY_CONTRIB_PARENT ? open_parent : open >> to & 1;

	dut.out_ready_i = out.go() || clean;
	dut.out_end_i = may || dut.out_again_o ? Sent : self && nobody ? Dropped : rng.one_in(8) && !self ? Dropped : Waits;
}

void Sends::ended(bool expected)
{
	CHECK(dut.done_valid_o == expected, "done %d, not %d", dut.done_valid_o, expected);
	if (!expected)
		return;
	CHECK(lives[dut.done_desc_o] && sends_done(dut.done_desc_o), "descriptor %u has not ended", dut.done_desc_o);
	lives[dut.done_desc_o] = false;
	dones++;
}

void Sends::taken_begin()
{
	const unsigned int desc = dut.begin_desc_i;

	sends_begin(desc, begin_mask, begin_parent, begin_self);
	tried.clear();
	groups[desc] = dut.begin_group_i;
	began[desc] = ++begins_so_far;
	lives[desc] = true;
	ended(sends_done(desc));
}

void Sends::taken_out()
{
	const unsigned int desc = dut.out_desc_o, to = dut.out_receiver_o;
	const bool self = to == TALLY_CONTRIB_SELF, parent = to == TALLY_CONTRIB_PARENT;

	if (dut.out_again_o) {
		repeats++;
		return;
	}
	const bool may = dut.out_end_i == Sent;

	sends_try(desc, may && !self && !parent ? 1ull << to : 0, may && parent,
		  self && dut.out_end_i == Dropped ? TALLY_COLL_BAD_DEST : self && may ? TALLY_COLL_OK : TALLY_COLL_RMQ_OVERFLOW);
	if (may && !self)
		flying.push_back({ desc, to, seq++ });
	if (!may)
		tried[{ desc, to }]++;
	left = static_cast<int>(desc);
	left_age = 0;
	if (sends_done(desc))
		late = left;
}

// No older message of the group is due on the edge.
bool Sends::is_first(unsigned int desc, unsigned int to) const
{
	if (to == TALLY_CONTRIB_SELF)
		return true;
	for (unsigned int d = 0; d < Descs; d++)
		if (lives[d] && groups[d] == groups[desc] && began[d] < began[desc] && sends_due(d, to))
			return false;
	return true;
}

// When the block is at rest, all that is due has been tried in vain, or an older message has.
void Sends::check_rest() const
{
	if (dut.busy_o || dut.begin_valid_i || wake_due || dut.wake_i || dut.forget_valid_i)
		return;
	for (unsigned int d = 0; d < Descs; d++)
		for (unsigned int to = 0; lives[d] && to <= TALLY_CONTRIB_SELF; to++)
			CHECK(!sends_due(d, to) || tried.count({ d, to }) || !is_first(d, to), "receiver %u of descriptor %u is not tried", to, d);
}

// What is offered first is due in the model; what is offered again is not acknowledged there.
void Sends::check_out()
{
	const unsigned int desc = dut.out_desc_o, to = dut.out_receiver_o;

	if (!dut.out_valid_o || was_offered)
		return;
	CHECK(lives[desc], "descriptor %u does not live", desc);
	if (!dut.out_again_o) {
		CHECK(sends_due(desc, to), "receiver %u of descriptor %u is not due", to, desc);
		CHECK(!tried.count({ desc, to }) || tried.at({ desc, to }) < 2, "receiver %u of descriptor %u is tried again for no reason", to, desc);
		CHECK(is_first(desc, to), "receiver %u of descriptor %u is ahead of an older message", to, desc);
		return;
	}
	CHECK(desc == repeated.desc && to == repeated.edge && dut.out_seq_o == repeated.seq,
	      "receiver %u of descriptor %u, number %x, is repeated, not %u, %u, %x", to, desc, dut.out_seq_o, repeated.edge,
	      repeated.desc, repeated.seq);
	CHECK(sends_awaits(desc, to), "a packet that was acknowledged is repeated");
}

// Operations on rows, and the ends of descriptors, which come with them.
void Sends::check_rows()
{
	if (dut.acked_valid_i && dut.acked_ready_o) {
		const unsigned int desc = dut.acked_desc_i;

		taken_acked();
		if (sends_done(desc) && left == static_cast<int>(desc) && !dut.done_valid_o)
			late = static_cast<int>(desc); // its packet that has just left is not noted yet
		else
			ended(sends_done(desc));
	} else if (dut.begin_valid_i && dut.begin_ready_o) {
		taken_begin();
	} else if (dut.done_valid_o) {
		CHECK(late == static_cast<int>(dut.done_desc_o), "descriptor %u ends by itself", dut.done_desc_o);
		late = -1;
		ended(true);
	}
	if (dut.look_valid_i && dut.look_ready_o)
		check_look();
	if (dut.forget_valid_i && dut.forget_ready_o) {
		land(dut.forget_desc_i);
		forgotten += lives[dut.forget_desc_i];
		tried.clear();
		lives[dut.forget_desc_i] = false;
	}
	if (++left_age > 3)
		left = -1;
	late_age = late < 0 ? 0 : late_age + 1;
	CHECK(late_age < 6, "descriptor %d does not end", late);
}

void Sends::cycle(bool begins)
{
	drive(begins);
	bench.settle();
	if (dut.out_valid_o)
		choose_end();
	bench.settle();
	const bool taken = dut.out_valid_o && dut.out_ready_i, again = dut.again_valid_i && dut.again_ready_o;
	const bool acked = dut.acked_ready_o, begun = dut.begin_ready_o, looked = dut.look_ready_o, forgot = dut.forget_ready_o;

	check_out();
	check_rows();
	check_rest();
	was_offered = dut.out_valid_o && !taken;
	if (taken)
		taken_out();
	bench.tick();
	dut.acked_valid_i = dut.acked_valid_i && !acked;
	dut.begin_valid_i = dut.begin_valid_i && !begun;
	dut.look_valid_i = dut.look_valid_i && !looked;
	dut.forget_valid_i = dut.forget_valid_i && !forgot;
	if (again) {
		repeated = { dut.again_desc_i, dut.again_edge_i, dut.again_seq_i };
		dut.again_valid_i = 0;
	}
}

bool Sends::idle() const
{
	for (bool l : lives)
		if (l)
			return false;
	return true;
}

// With all windows open, and all acknowledged, every descriptor ends.
void Sends::drain()
{
	clean = true;
	for (unsigned int i = 0; i < 60000 && !(idle() && !dut.begin_valid_i); i++)
		cycle(false);
	CHECK(idle(), "a descriptor does not end");
	clean = false;
	dut.wake_i = 0;
	for (unsigned int i = 0; i < 300; i++) // stale descriptors leave the ring
		cycle(false);
	CHECK(!dut.busy_o || dut.look_valid_i || wake_due || dut.wake_i, "busy without a reason");
}

int Sends::run()
{
	for (uint64_t life = bench.times(12); life; life--) {
		restart();
		for (uint64_t left = 8000 + rng.below(8000); left; left--)
			cycle(left / 2048 % 2); // in between, the block comes to rest
		if (!rng.one_in(3)) // otherwise it is reset amid traffic
			drain();
	}
	CHECK(dones > 200 && repeats > 20 && starved && forgotten, "%llu ends, %llu repeated, %llu starved, %llu forgotten",
	      static_cast<unsigned long long>(dones), static_cast<unsigned long long>(repeats), static_cast<unsigned long long>(starved),
	      static_cast<unsigned long long>(forgotten));
	return bench.finish();
}

void Sends::taken_acked()
{
	sends_acked(dut.acked_desc_i, dut.acked_edge_i);
}

// Between EndSent and its note in the row, the model is ahead.
void Sends::check_look()
{
	const unsigned int desc = dut.look_desc_i;

	if (lives[desc]) {
		CHECK(dut.look_missing_o == sends_missing(desc), "others lack the message of descriptor %u", desc);
		CHECK(!dut.look_starved_o || sends_due(desc, TALLY_CONTRIB_SELF) || left == static_cast<int>(desc), "descriptor %u is starved",
		      desc);
		starved += dut.look_starved_o;
	}
}

int main(int argc, char **argv)
{
	return Sends(argc, argv).run();
}
