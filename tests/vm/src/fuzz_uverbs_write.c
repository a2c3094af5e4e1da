/* SPDX-License-Identifier: BSD-2-Clause */
/* Commands written to the node: those of the common verbs, followed by the driver's data. */
#include <infiniband/verbs.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "fuzz_uverbs.h"

#define RESPONSE_SIZE 512
#define BODY_SIZE 1024
#define DEPTH 16
#define NUM_COMMANDS 64

static __thread uint64_t response[RESPONSE_SIZE / sizeof(uint64_t)];

/*
 * Sends a command. `body` of `size` bytes ends with `drv_size` bytes for the driver. Unless the
 * command is extended, it begins with the address of the response. Header and body may be
 * corrupted.
 */
static int send_command(struct fuzz_context *c, struct bytes *b, unsigned int command,
			const void *body, size_t size, size_t out)
{
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		uint8_t body[BODY_SIZE];
	} message = {
		.hdr = {
			.command = command,
			.in_words = (sizeof(message.hdr) + size) / 4,
			.out_words = out / 4,
		},
	};

	memset(response, 0, sizeof(response));
	memcpy(message.body, body, size);
	if (b) {
		spoil(b, message.body, size);
		if (take8(b) >= 224)
			spoil(b, &message.hdr, sizeof(message.hdr));
	}
	size += sizeof(message.hdr);
	return write(c->fd, &message, size) == (ssize_t)size ? 0 : errno;
}

static int send_extended(struct fuzz_context *c, struct bytes *b, unsigned int command,
			 const void *body, size_t core, size_t drv, size_t out_core, size_t out_drv)
{
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_ex_cmd_hdr ex;
		uint8_t body[BODY_SIZE];
	} message = {
		.hdr = {
			.command = IB_USER_VERBS_CMD_FLAG_EXTENDED | command,
			.in_words = core / 8,
			.out_words = out_core / 8,
		},
		.ex = {
			.response = (uintptr_t)response,
			.provider_in_words = drv / 8,
			.provider_out_words = out_drv / 8,
		},
	};
	size_t size = sizeof(message.hdr) + sizeof(message.ex) + core + drv;

	memset(response, 0, sizeof(response));
	memcpy(message.body, body, core + drv);
	spoil(b, message.body, core + drv);
	if (take8(b) >= 224)
		spoil(b, &message, sizeof(message.hdr) + sizeof(message.ex));
	return write(c->fd, &message, size) == (ssize_t)size ? 0 : errno;
}

#define SEND(c, b, name, request, out) \
	send_command(c, b, IB_USER_VERBS_CMD_##name, &(request), sizeof(request), out)

/* ---- Contexts ---- */
int get_context(struct fuzz_context *c, struct bytes *b)
{
	struct ib_uverbs_get_context cmd = { .response = (uintptr_t)response };
	const struct {
		struct ib_uverbs_get_context_resp core;
		struct tally_uresp_alloc_ucontext drv;
	} *resp = (void *)response;
	int err = SEND(c, b, GET_CONTEXT, cmd, sizeof(*resp));

	if (err)
		return err;
	if (resp->core.async_fd > STDERR_FILENO && resp->core.async_fd != (uint32_t)c->fd)
		close(resp->core.async_fd);
	have_page(c, resp->drv.status_mmap_offset);
	have_page(c, resp->drv.wake_mmap_offset);
	return 0;
}

int query_device(struct fuzz_context *c, struct bytes *b)
{
	struct ib_uverbs_query_device cmd = { .response = (uintptr_t)response };

	return SEND(c, b, QUERY_DEVICE, cmd, sizeof(struct ib_uverbs_query_device_resp));
}

int query_port(struct fuzz_context *c, struct bytes *b)
{
	struct ib_uverbs_query_port cmd = { .response = (uintptr_t)response, .port_num = 1 };

	return SEND(c, b, QUERY_PORT, cmd, sizeof(struct ib_uverbs_query_port_resp));
}

/* ---- Protection domains, channels ---- */
int alloc_pd(struct fuzz_context *c, struct bytes *b)
{
	struct ib_uverbs_alloc_pd cmd = { .response = (uintptr_t)response };
	const struct ib_uverbs_alloc_pd_resp *resp = (void *)response;
	int err = SEND(c, b, ALLOC_PD, cmd, sizeof(*resp) + sizeof(struct tally_uresp_alloc_pd));

	if (!err)
		have(c, KIND_PD, resp->pd_handle);
	return err;
}

int dealloc_pd(struct fuzz_context *c, struct bytes *b)
{
	struct ib_uverbs_dealloc_pd cmd = { .pd_handle = choose(c, b, KIND_PD) };

	return SEND(c, b, DEALLOC_PD, cmd, 0);
}

int create_channel(struct fuzz_context *c, struct bytes *b)
{
	struct ib_uverbs_create_comp_channel cmd = { .response = (uintptr_t)response };
	const struct ib_uverbs_create_comp_channel_resp *resp = (void *)response;
	int err = SEND(c, b, CREATE_COMP_CHANNEL, cmd, sizeof(*resp));

	if (!err && resp->fd > STDERR_FILENO)
		have(c, KIND_CHANNEL, resp->fd);
	return err;
}

/* ---- Completion queues ---- */
static struct tally_ureq_create_cq cq_request(struct bytes *b)
{
	return (struct tally_ureq_create_cq){
		.buf_addr = (uintptr_t)arena + pick(b, 4) * 4096,
		.depth = DEPTH,
	};
}

int create_cq(struct fuzz_context *c, struct bytes *b)
{
	struct {
		struct ib_uverbs_create_cq core;
		struct tally_ureq_create_cq drv;
	} cmd = {
		.core = {
			.response = (uintptr_t)response,
			.cqe = DEPTH,
			.comp_channel = take8(b) & 1 ? (int)choose(c, b, KIND_CHANNEL) : -1,
		},
		.drv = cq_request(b),
	};
	const struct {
		struct ib_uverbs_create_cq_resp core;
		struct tally_uresp_create_cq drv;
	} *resp = (void *)response;
	int err = SEND(c, b, CREATE_CQ, cmd, sizeof(*resp));

	if (err)
		return err;
	have(c, KIND_CQ, resp->core.cq_handle);
	have_page(c, resp->drv.db_mmap_offset);
	return 0;
}

int create_cq_ex(struct fuzz_context *c, struct bytes *b)
{
	struct {
		struct ib_uverbs_ex_create_cq core;
		struct tally_ureq_create_cq drv;
	} cmd = {
		.core = { .cqe = DEPTH, .comp_channel = -1 },
		.drv = cq_request(b),
	};
	const struct ib_uverbs_ex_create_cq_resp *resp = (void *)response;
	int err = send_extended(c, b, IB_USER_VERBS_EX_CMD_CREATE_CQ, &cmd, sizeof(cmd.core),
				sizeof(cmd.drv), sizeof(*resp), sizeof(struct tally_uresp_create_cq));

	if (!err)
		have(c, KIND_CQ, resp->base.cq_handle);
	return err;
}

int destroy_cq(struct fuzz_context *c, struct bytes *b)
{
	struct ib_uverbs_destroy_cq cmd = {
		.response = (uintptr_t)response, .cq_handle = choose(c, b, KIND_CQ)
	};

	return SEND(c, b, DESTROY_CQ, cmd, sizeof(struct ib_uverbs_destroy_cq_resp));
}

/* ---- Regions ---- */
int reg_mr(struct fuzz_context *c, struct bytes *b)
{
	uint64_t start = (uintptr_t)arena + pick(b, 64) * 4096;
	struct ib_uverbs_reg_mr cmd = {
		.response = (uintptr_t)response,
		.start = start,
		.length = 1 + pick(b, 4) * 4096,
		.hca_va = start,
		.pd_handle = choose(c, b, KIND_PD),
		.access_flags = IBV_ACCESS_LOCAL_WRITE,
	};
	const struct ib_uverbs_reg_mr_resp *resp = (void *)response;
	int err = SEND(c, b, REG_MR, cmd, sizeof(*resp));

	if (!err)
		have(c, KIND_MR, resp->mr_handle);
	return err;
}

int dereg_mr(struct fuzz_context *c, struct bytes *b)
{
	struct ib_uverbs_dereg_mr cmd = { .mr_handle = choose(c, b, KIND_MR) };

	return SEND(c, b, DEREG_MR, cmd, 0);
}

/* ---- Queue pairs, which are created by an ioctl ---- */
int modify_qp(struct fuzz_context *c, struct bytes *b)
{
	struct ib_uverbs_modify_qp cmd = {
		.qp_handle = choose(c, b, KIND_QP),
		.attr_mask = IBV_QP_STATE,
		.qp_state = pick(b, 8),
		.port_num = 1,
	};

	return SEND(c, b, MODIFY_QP, cmd, 0);
}

int query_qp(struct fuzz_context *c, struct bytes *b)
{
	struct ib_uverbs_query_qp cmd = {
		.response = (uintptr_t)response,
		.qp_handle = choose(c, b, KIND_QP),
		.attr_mask = IBV_QP_STATE,
	};

	return SEND(c, b, QUERY_QP, cmd, sizeof(struct ib_uverbs_query_qp_resp));
}

int destroy_qp(struct fuzz_context *c, struct bytes *b)
{
	struct ib_uverbs_destroy_qp cmd = {
		.response = (uintptr_t)response, .qp_handle = choose(c, b, KIND_QP)
	};

	return SEND(c, b, DESTROY_QP, cmd, sizeof(struct ib_uverbs_destroy_qp_resp));
}

/* ---- All commands of the core, supported by this device or not ---- */
int any_command(struct fuzz_context *c, struct bytes *b)
{
	uint8_t command = take8(b);
	uint64_t to = (uintptr_t)response;
	size_t size = 8 * (1 + pick(b, 32));
	uint32_t body[64] = {};

	memcpy(body, &to, sizeof(to));
	for (unsigned int i = 2; i < 8; i++)
		body[i] = choose(c, b, pick(b, NUM_KINDS));
	if (command & 0x80)
		return send_extended(c, b, command % NUM_COMMANDS, body, size, 0, size, 0);
	return send_command(c, b, command % NUM_COMMANDS, body, size, sizeof(response));
}
