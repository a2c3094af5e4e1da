// SPDX-License-Identifier: BSD-2-Clause
// Frames for tally_parser: valid ones of every kind, and corrupted ones.
#ifndef TALLY_RTL_PARSER_FRAMES_H
#define TALLY_RTL_PARSER_FRAMES_H

#include <functional>
#include <vector>

#include "bench.h"

struct Frame {
	std::vector<uint8_t> data;
	bool mac_error = false;
};

struct roce_hdr;
struct tally_tch;

class Frames {
public:
	explicit Frames(tally::Rng &rng);

	// Returns a valid packet. A packet of data has about data_len bytes of it.
	Frame good(bool ip6, size_t data_len);
	// Returns a packet with a changed, maybe invalid header, and right checksums.
	Frame other(bool ip6);
	// Returns a packet with some bytes changed. The checksums may be corrected.
	Frame mutated(bool ip6);
	Frame garbage();
	// Corrects the checksums, as far as the lengths are those of a RoCE packet.
	static void mend(std::vector<uint8_t> &data);

	// Called with the header of each valid packet that is IPv6, if it is set. It must leave kind and payload as they are.
	std::function<void(struct roce_hdr &, struct tally_tch &)> edit;
	uint8_t mac[6];
	uint8_t gid4[16], gid6[16];
	bool at_ip6 = false;	// the address of this node is gid6, otherwise gid4

private:
	tally::Rng &rng_;
};

#endif
