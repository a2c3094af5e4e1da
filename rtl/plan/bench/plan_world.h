// SPDX-License-Identifier: BSD-2-Clause
// Groups for the benches of rtl/plan: all trees of a few nodes, each seen from each node, and random large ones. Every
// group has a ring, and edges of EXCHANGE, too.
#ifndef TALLY_PLAN_WORLD_H
#define TALLY_PLAN_WORLD_H

#include <functional>
#include <vector>

#include "bench.h"
#include "plan_model.h"

// The depth of each node of a tree whose nodes are numbered depth first.
using Tree = std::vector<unsigned int>;

// Calls a function for each tree of so many nodes.
void all_trees(unsigned int nodes, const std::function<void(const Tree &)> &use);
// Returns a tree of up to so many nodes, each of which has at most 60 children.
Tree random_tree(tally::Rng &rng, unsigned int most);
// Returns the group of a tree as one of its nodes sees it. Its edges have random places.
plan_group group_of(tally::Rng &rng, const Tree &tree, unsigned int node);
// Returns a root, and a chunk of a mode and an operation.
plan_chunk random_chunk(tally::Rng &rng, const plan_group &g);

// Structs of tally_plan_pkg, as the words that Verilator makes of them.
void pack_group(const plan_group &g, uint32_t *words);
void pack_chunk(const plan_chunk &c, int route, uint32_t *words);
plan_moves unpack_moves(const uint32_t *words);

bool operator==(const plan_moves &a, const plan_moves &b);

#endif
