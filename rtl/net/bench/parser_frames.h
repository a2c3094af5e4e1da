// SPDX-License-Identifier: BSD-2-Clause
// Frames for tally_parser: good ones of every kind, and what a network may make of them.
#ifndef TALLY_RTL_PARSER_FRAMES_H
#define TALLY_RTL_PARSER_FRAMES_H

#include <vector>

#include "bench.h"

struct Frame {
	std::vector<uint8_t> data;
	bool mac_error = false;
};

class Frames {
public:
	explicit Frames(tally::Rng &rng);

	// A good packet; of data, with about this many bytes of them.
	Frame good(bool ip6, size_t data_len);
	// With its header changed, perhaps to a bad one, but right checksums.
	Frame other(bool ip6);
	// With some bytes changed: left so, or the checksums that stand before that made right again.
	Frame mutated(bool ip6);
	Frame garbage();
	// Mends the sums of what is still RoCE by its lengths.
	static void mend(std::vector<uint8_t> &data);

	uint8_t mac[6];
	uint8_t gid4[16], gid6[16];
	bool at_ip6 = false;	// whether gid6 is this node's, or gid4

private:
	tally::Rng &rng_;
};

#endif
