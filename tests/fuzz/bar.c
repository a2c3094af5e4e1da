// SPDX-License-Identifier: BSD-2-Clause
/* Stores to BAR2 at any place and time, while the device works. */
#include "hostile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static hostile_deed *const deeds[] = {
		guest_bar, guest_wait, guest_bar, guest_post, guest_bar, hostile_consume, guest_push, guest_wait,
		guest_command, guest_bar,
	};

	return hostile_run(data, size, deeds, sizeof(deeds) / sizeof(deeds[0]));
}
