// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_open_state: the model's open_state() for random groups, edges and packets. Most packets agree but for few fields.
#include <memory>

#include "Vdut.h"
#include "event_fields.h"
#include "open_model.h"

// From the lowest field on, as in tally_open_pkg.
template <typename Words> static void write_group(Words &to, const open_group &g)
{
	Fields<Words> fields(to);

	fields.put(1, g.alive);
	fields.put(32, g.key);
	fields.put(32, g.epoch);
	fields.put(8, g.rounds);
	fields.put(8, g.modes);
	fields.put(16, g.num_segs);
	fields.put(16, g.node);
	fields.put(16, g.num_nodes);
	fields.put(32, g.total_ranks);
	fields.put(32, g.plan);
	fields.put(32, g.mtu);
	fields.put(32, g.chunk);
	fields.put(32, g.flags);
}

template <typename Words> static void write_edge(Words &to, const open_edge &ed)
{
	Fields<Words> fields(to);

	fields.put(32, ed.awaits_epoch);
	fields.put(1, ed.unconfirmed);
	fields.put(2, ed.state);
	fields.put(32, ed.peer_key);
	fields.put(64, ed.peer_nonce);
	fields.put(64, ed.nonce);
	fields.put(16, ed.count);
	fields.put(16, ed.first);
}

template <typename Words> static void write_packet(Words &to, const open_packet &p)
{
	Fields<Words> fields(to);

	for (uint8_t byte : p.data)
		fields.put(8, byte);
	fields.put(32, 0);	// sid, mid
	fields.put(32, 0);
	fields.put(32, p.epoch);
	fields.put(16, p.flags);
	fields.put(32, 0);	// edge, type, context
}

// A group, an edge and a packet that agrees.
static void choose(tally::Rng &rng, open_group &g, open_edge &ed, open_packet &p)
{
	rng.fill(&g, sizeof(g));
	rng.fill(&ed, sizeof(ed));
	g.alive = rng.one_in(2);
	if (rng.one_in(3))
		g.flags &= ~static_cast<uint32_t>(TALLY_GROUP_F_MULTICAST);
	if (rng.one_in(4))
		g.epoch = 0;
	if (rng.one_in(4))
		g.key = 0;
	ed.count = rng.below(5);
	ed.unconfirmed = rng.one_in(2);
	ed.state = rng.below(3);
	ed.awaits_epoch = rng.below(4);
	p.epoch = rng.one_in(3) ? 0 : rng.one_in(2) ? g.epoch : rng.next();
	p.flags = rng.next();
	open_agreeing(&g, &ed, ed.first + (ed.count ? rng.below(ed.count) : rng.below(3)), &p);
}

// One bit of the packet, of the edge or of the group is another one, or its node is just outside of the subtree.
static void spoil(tally::Rng &rng, open_group &g, open_edge &ed, open_packet &p)
{
	switch (rng.below(4)) {
	case 0:
		p.data[rng.below(56)] ^= 1u << rng.below(8);
		break;
	case 1:
		open_agreeing(&g, &ed, rng.one_in(2) ? ed.first - 1 : ed.first + ed.count, &p);
		break;
	case 2:
		open_agreeing(&g, &ed, g.node, &p);
		break;
	default:
		g.num_segs++;
		break;
	}
}

int main(int argc, char **argv)
{
	const tally::Options options = tally::parse(argc, argv);
	tally::Rng rng(options.seed);
	const auto dut = std::make_unique<Vdut>();
	const uint64_t times = options.long_run ? 400000 : 40000;
	uint64_t agree = 0, know = 0;

	tally::place = { "open_state", options.seed, 0 };
	for (; tally::place.cycle < times; tally::place.cycle++) {
		open_group g;
		open_edge ed;
		open_packet p = {};

		choose(rng, g, ed, p);
		for (unsigned int n = rng.below(3); n; n--)
			spoil(rng, g, ed, p);
		write_group(dut->group_i, g);
		write_edge(dut->edge_i, ed);
		write_packet(dut->event_i, p);
		dut->eval();

		const uint32_t expected = open_model(&g, &ed, &p);

		CHECK(dut->open_o == expected, "open is %x, not %x", dut->open_o, expected);
		agree += !!(expected & TALLY_FW_OPEN_AGREES);
		know += !!(expected & TALLY_FW_OPEN_LEARNED);
	}
	CHECK(agree > times / 4 && agree < times * 3 / 4 && know > times / 4, "%llu agree, %llu know the edge",
	      static_cast<unsigned long long>(agree), static_cast<unsigned long long>(know));
	if (!options.coverage.empty())
		tally::write_coverage(options.coverage);
	std::printf("open_state: %llu packets, seed %llu: passed\n", static_cast<unsigned long long>(times),
		    static_cast<unsigned long long>(options.seed));
	return 0;
}
