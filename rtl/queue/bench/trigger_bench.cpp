// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_trigger.
#include "trigger_setup.h"

int main(int argc, char **argv)
{
	return trigger_traffic("trigger", argc, argv);
}
