// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_store_front, within tally_store.
#include "store_world.h"

int main(int argc, char **argv)
{
	// It takes many ends until one falls between a part that is complete and its entry into another one.
	return store_traffic("store_front", 16, argc, argv);
}
