// SPDX-License-Identifier: BSD-2-Clause
/*
 * Work requests, through send queue and push buffer, and their doorbells. A few fields are wrong.
 */
#include "hostile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static hostile_deed *const deeds[] = {
		guest_post, guest_wait, guest_post, hostile_consume, guest_push, guest_wait, guest_post,
		guest_memory, guest_command, guest_wait, guest_post,
	};

	return hostile_run(data, size, deeds, sizeof(deeds) / sizeof(deeds[0]));
}
