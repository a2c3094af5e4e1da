// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_store.
#include "store_world.h"

int main(int argc, char **argv)
{
	return store_traffic("store", 2, argc, argv);
}
