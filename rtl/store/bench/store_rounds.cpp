// SPDX-License-Identifier: BSD-2-Clause
// Rounds of EXCHANGE for the bench of tally_store: parts of consecutive nodes are joined, two to four at a time, until one
// is left. Member i of a part takes data from member i modulo m of each other part of m members.
#include <algorithm>

#include "store_world.h"

using Edges = std::vector<std::vector<RoundEdge>>;

static RoundEdge &edge_to(std::vector<RoundEdge> &edges, int node, unsigned int round)
{
	for (RoundEdge &e : edges)
		if (e.node == node && e.round == round)
			return e;
	edges.push_back({ node, round, false, false });
	return edges.back();
}

// A part takes data from another one.
static void join(Edges &edges, unsigned int a, unsigned int end_a, unsigned int b, unsigned int end_b, unsigned int round)
{
	for (unsigned int i = a; i < end_a; i++) {
		unsigned int from = b + (i - a) % (end_b - b);

		edge_to(edges[i], from, round).in = true;
		edge_to(edges[from], i, round).out = true;
	}
}

static unsigned int try_rounds(tally::Rng &rng, Edges &edges)
{
	std::vector<unsigned int> parts(edges.size()); // first nodes
	unsigned int round = 0;

	for (unsigned int i = 0; i < parts.size(); i++)
		parts[i] = i;
	while (parts.size() > 1) {
		std::vector<unsigned int> joined;

		round++;
		parts.push_back(edges.size());
		for (unsigned int at = 0; at + 1 < parts.size();) {
			unsigned int end = std::min<unsigned int>(at + 2 + rng.below(3), parts.size() - 1);

			joined.push_back(parts[at]);
			for (unsigned int i = at; i < end; i++)
				for (unsigned int k = at; k < end; k++)
					if (i != k)
						join(edges, parts[i], parts[i + 1], parts[k], parts[k + 1], round);
			at = end;
		}
		parts = joined;
	}
	return round;
}

unsigned int random_rounds(tally::Rng &rng, Edges &edges, unsigned int most_edges)
{
	for (;;) {
		Edges tried(edges.size());
		unsigned int rounds = try_rounds(rng, tried), most = 0;

		for (auto &some : tried)
			most = std::max<unsigned int>(most, some.size());
		if (most > most_edges)
			continue;
		edges = tried;
		return rounds;
	}
}
