/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Calls of uverbs methods, for a build outside of an rdma-core tree. The command buffer is the one
 * that execute_ioctl() of libibverbs takes, with the same layout and names, as far as this provider
 * uses them.
 */
#ifndef TALLY_COMPAT_CMD_IOCTL_H
#define TALLY_COMPAT_CMD_IOCTL_H

#include <assert.h>
#include <infiniband/verbs.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include <stdint.h>
#include <string.h>

/* Attributes are filled in from next_attr up to last_attr. */
struct ibv_command_buffer {
	struct ibv_command_buffer *next;
	struct ib_uverbs_attr *next_attr;
	struct ib_uverbs_attr *last_attr;
	uint8_t uhw_in_idx; /* 0xff: none */
	uint8_t uhw_out_idx;
	uint8_t uhw_in_headroom_dwords;
	uint8_t uhw_out_headroom_dwords;
	uint8_t buffer_error : 1;
	uint8_t fallback_require_ex : 1;
	uint8_t fallback_ioctl_only : 1;
	struct ib_uverbs_ioctl_hdr hdr; /* followed by the attributes */
};

static_assert(offsetof(struct ibv_command_buffer, hdr) == 32,
	      "execute_ioctl() finds the header there");

int execute_ioctl(struct ibv_context *context, struct ibv_command_buffer *cmd);

/* Number of buffers needed for one with a constant number of attributes after its header. */
#define TALLY_COMPAT_BUFFERS(num_attrs)                                                            \
	(1 + ((num_attrs) * sizeof(struct ib_uverbs_attr) + sizeof(struct ibv_command_buffer) - 1) / \
		     sizeof(struct ibv_command_buffer))

#define DECLARE_COMMAND_BUFFER(name, object, method, num_attrs)                                    \
	struct ibv_command_buffer name[TALLY_COMPAT_BUFFERS(num_attrs)] = { {                      \
		.next_attr = name[0].hdr.attrs,                                                    \
		.last_attr = name[0].hdr.attrs + (num_attrs),                                      \
		.uhw_in_idx = 0xff,                                                                \
		.uhw_out_idx = 0xff,                                                               \
		.hdr = { .object_id = (object), .method_id = (method) },                           \
	} }

static inline struct ib_uverbs_attr *tally_compat_next_attr(struct ibv_command_buffer *cmd,
							    uint16_t id, size_t len, uint64_t data)
{
	struct ib_uverbs_attr *attr = cmd->next_attr++;

	assert(attr < cmd->last_attr);
	if (len > UINT16_MAX)
		cmd->buffer_error = 1;
	*attr = (struct ib_uverbs_attr){
		.attr_id = id, .len = len, .flags = UVERBS_ATTR_F_MANDATORY, .data = data
	};
	return attr;
}

/* Lets a kernel that does not know the attribute ignore it. */
static inline struct ib_uverbs_attr *attr_optional(struct ib_uverbs_attr *attr)
{
	attr->flags &= ~UVERBS_ATTR_F_MANDATORY;
	return attr;
}

static inline struct ib_uverbs_attr *fill_attr_in_obj(struct ibv_command_buffer *cmd, uint16_t id,
						      uint32_t handle)
{
	return tally_compat_next_attr(cmd, id, 0, handle);
}

static inline struct ib_uverbs_attr *fill_attr_out_obj(struct ibv_command_buffer *cmd, uint16_t id)
{
	return tally_compat_next_attr(cmd, id, 0, 0);
}

static inline uint32_t read_attr_obj(uint16_t id, const struct ib_uverbs_attr *attr)
{
	assert(attr->attr_id == id);
	(void)id;
	return attr->data;
}

/* Values of up to eight bytes are stored in the attribute itself. */
static inline struct ib_uverbs_attr *fill_attr_in(struct ibv_command_buffer *cmd, uint16_t id,
						  const void *from, size_t len)
{
	uint64_t data = (uintptr_t)from;

	if (len <= sizeof(data)) {
		data = 0;
		memcpy(&data, from, len);
	}
	return tally_compat_next_attr(cmd, id, len, data);
}

static inline struct ib_uverbs_attr *fill_attr_in_uint32(struct ibv_command_buffer *cmd,
							 uint16_t id, uint32_t data)
{
	return fill_attr_in(cmd, id, &data, sizeof(data));
}

static inline struct ib_uverbs_attr *fill_attr_out(struct ibv_command_buffer *cmd, uint16_t id,
						   void *to, size_t len)
{
	return tally_compat_next_attr(cmd, id, len, (uintptr_t)to);
}

#define fill_attr_in_ptr(cmd, id, from) fill_attr_in(cmd, id, from, sizeof(*(from)))
#define fill_attr_out_ptr(cmd, id, to) fill_attr_out(cmd, id, to, sizeof(*(to)))

#endif
