// SPDX-License-Identifier: BSD-2-Clause
// Rounds of EXCHANGE for the bench of tally_store: parts of consecutive nodes are joined, two to four at a time, until one
// is left. Member i of a part takes data from member i modulo m of each other part of m members.
#include <algorithm>

#include "store_world.h"

using Firsts = std::vector<unsigned int>; // first nodes of parts, and the end

static RoundEdge &edge_to(std::vector<RoundEdge> &edges, int node, unsigned int round, unsigned int position)
{
	for (RoundEdge &e : edges)
		if (e.node == node && e.round == round)
			return e;
	edges.push_back({ node, round, position, false, false });
	return edges.back();
}

// Part a takes data from part b in the last round, which joins parts from `base` on.
static void take(Rounds &rounds, const Firsts &parts, unsigned int base, unsigned int a, unsigned int b)
{
	for (unsigned int i = parts[a]; i < parts[a + 1]; i++) {
		unsigned int from = parts[b] + (i - parts[a]) % (parts[b + 1] - parts[b]);

		edge_to(rounds.edges[i], from, rounds.num, b - base).in = true;
		edge_to(rounds.edges[from], i, rounds.num, a - base).out = true;
	}
}

// Joins some parts in the last round.
static void join(Rounds &rounds, const Firsts &parts, unsigned int base, unsigned int end)
{
	for (unsigned int a = base; a < end; a++) {
		for (unsigned int b = base; b < end; b++)
			if (a != b)
				take(rounds, parts, base, a, b);
		for (unsigned int i = parts[a]; i < parts[a + 1]; i++)
			rounds.own[i].push_back({ a - base, end - base });
	}
}

static Rounds try_rounds(tally::Rng &rng, unsigned int nodes)
{
	Rounds rounds;
	Firsts parts(nodes);

	rounds.edges.resize(nodes);
	rounds.own.resize(nodes, { { 0, 1 } });
	for (unsigned int i = 0; i < nodes; i++)
		parts[i] = i;
	while (parts.size() > 1) {
		Firsts joined;

		rounds.num++;
		parts.push_back(nodes);
		for (unsigned int at = 0, end; at + 1 < parts.size(); at = end) {
			end = std::min<unsigned int>(at + 2 + rng.below(3), parts.size() - 1);
			joined.push_back(parts[at]);
			join(rounds, parts, at, end);
		}
		parts = joined;
	}
	return rounds;
}

Rounds random_rounds(tally::Rng &rng, unsigned int nodes, unsigned int most_edges)
{
	for (;;) {
		Rounds rounds = try_rounds(rng, nodes);
		size_t most = 0;

		for (auto &some : rounds.edges)
			most = std::max(most, some.size());
		if (most <= most_edges)
			return rounds;
	}
}
