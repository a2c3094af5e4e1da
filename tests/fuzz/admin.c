// SPDX-License-Identifier: BSD-2-Clause
/*
 * Admin commands and the data that they point to: configurations of groups, lists of pages,
 * answers.
 */
#include "hostile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static hostile_deed *const deeds[] = {
		guest_command, guest_wait, guest_command, hostile_consume, guest_command, guest_memory,
		guest_command, guest_wait, guest_post,
	};

	return hostile_run(data, size, deeds, sizeof(deeds) / sizeof(deeds[0]));
}
