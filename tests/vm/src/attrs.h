/* SPDX-License-Identifier: BSD-2-Clause */
/* Attributes of a method of a driver-specific uverbs object. */
#ifndef TALLY_ATTRS_H
#define TALLY_ATTRS_H

#include <rdma/rdma_user_ioctl_cmds.h>
#include <stdint.h>
#include <string.h>

static inline struct ib_uverbs_attr attr_handle(uint16_t id, uint32_t handle)
{
	return (struct ib_uverbs_attr){
		.attr_id = id, .flags = UVERBS_ATTR_F_MANDATORY, .data = handle
	};
}

static inline struct ib_uverbs_attr attr_out(uint16_t id, void *to, uint16_t len)
{
	return (struct ib_uverbs_attr){
		.attr_id = id, .len = len, .flags = UVERBS_ATTR_F_MANDATORY, .data = (uintptr_t)to
	};
}

/* An attribute of up to eight bytes contains the data itself. */
static inline struct ib_uverbs_attr attr_in(uint16_t id, const void *from, uint16_t len)
{
	struct ib_uverbs_attr attr = {
		.attr_id = id, .len = len, .flags = UVERBS_ATTR_F_MANDATORY, .data = (uintptr_t)from
	};

	if (len <= sizeof(attr.data)) {
		attr.data = 0;
		memcpy(&attr.data, from, len);
	}
	return attr;
}

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

#endif
