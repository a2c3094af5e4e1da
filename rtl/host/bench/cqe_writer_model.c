// SPDX-License-Identifier: BSD-2-Clause
#include "cqe_writer_model.h"
#include "nic/priv.h"

uint8_t model_owner(uint64_t produced, uint32_t depth)
{
	return ring_owner(produced, depth);
}

uint64_t model_consumed(uint64_t consumed, uint64_t produced, uint64_t value)
{
	take_consumed(&consumed, produced, value);
	return consumed;
}
