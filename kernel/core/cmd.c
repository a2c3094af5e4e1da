// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Typed commands: each function fills in a body for the admin queue and turns the answer into an
 * errno.
 */
#include <linux/mutex.h>

#include "adminq.h"
#include "cmd.h"
#include "debug/inject.h"
#include "opcode.h"
#include "pf.h"
#include "reset.h"

#define COUNTER_INDEX(name, value, text) \
	COUNTER_##name,
enum { TALLY_CTR_LIST(COUNTER_INDEX) NUM_COUNTERS };

#define STATUS_TEXT(name, value, text) \
	[value] = text,
static const char * const status_texts[] = { TALLY_ADMIN_STATUS_LIST(STATUS_TEXT) };

static const char *cmd_status_text(u16 status)
{
	return status < ARRAY_SIZE(status_texts) ? status_texts[status] : "Unknown status.";
}

static int cmd_status_errno(u16 status)
{
	switch (status) {
	case TALLY_ADMIN_STATUS_OK:
		return 0;
	case TALLY_ADMIN_STATUS_BAD_OPCODE:
		return -EOPNOTSUPP;
	case TALLY_ADMIN_STATUS_BAD_FIELD:
	case TALLY_ADMIN_STATUS_BAD_STATE:
		return -EINVAL;
	case TALLY_ADMIN_STATUS_ID_BUSY:
	case TALLY_ADMIN_STATUS_IN_USE:
		return -EBUSY;
	case TALLY_ADMIN_STATUS_NOT_FOUND:
		return -ENOENT;
	case TALLY_ADMIN_STATUS_NO_RESOURCE:
		return -ENOSPC;
	case TALLY_ADMIN_STATUS_DMA_ERROR:
		return -EFAULT;
	case TALLY_ADMIN_STATUS_EXISTS:
		return -EEXIST;
	default:
		return -EIO;
	}
}

/*
 * Returns whether a refusal is due to a mistake of the process that asked for the command, or to
 * other processes that hold what it asked for. The process learns this from the errno. Any other
 * refusal is a failure of the device or the driver, which the administrator must see in the log.
 */
static bool cmd_is_mistake(enum tally_admin_opcode opcode, u16 status)
{
	switch (opcode) {
	case TALLY_ADMIN_CREATE_CQ:
	case TALLY_ADMIN_REG_MR:
	case TALLY_ADMIN_CREATE_QP:
	case TALLY_ADMIN_MODIFY_QP:
	case TALLY_ADMIN_CREATE_GROUP:
	case TALLY_ADMIN_RESET_GROUP:
	case TALLY_ADMIN_ATTACH_RANK:
	case TALLY_ADMIN_INJECT:
		break;
	default:
		return false;
	}
	switch (status) {
	case TALLY_ADMIN_STATUS_BAD_FIELD:
	case TALLY_ADMIN_STATUS_BAD_STATE:
	case TALLY_ADMIN_STATUS_ID_BUSY:
	case TALLY_ADMIN_STATUS_IN_USE:
	case TALLY_ADMIN_STATUS_NOT_FOUND:
	case TALLY_ADMIN_STATUS_NO_RESOURCE:
	case TALLY_ADMIN_STATUS_EXISTS:
		return true;
	default:
		return false;
	}
}

#define REFUSAL_FORMAT \
	"%s %#x: device answers status %u (%s) for offset %#x of the %s: error %d\n"

static void cmd_report_refusal(struct tally_pf *pf, enum tally_admin_opcode opcode, u32 object,
			       const struct tally_admin_cqe *answer, int err)
{
	u16 status = le16_to_cpu(answer->status);
	u16 offset = le16_to_cpu(answer->bad_offset);
	/* value[0] is 1 if the offset is one in the configuration. */
	const char *where = answer->value[0] ? "configuration" : "command";

	if (cmd_is_mistake(opcode, status))
		dev_dbg(pf_dev(pf), REFUSAL_FORMAT, tally_opcode_name(opcode), object, status,
			cmd_status_text(status), offset, where, err);
	else
		dev_err_ratelimited(pf_dev(pf), REFUSAL_FORMAT, tally_opcode_name(opcode), object,
				    status, cmd_status_text(status), offset, where, err);
}

/* Executes a command. Fills in @answer if it returns 0. */
static int cmd_exec(struct tally_pf *pf, enum tally_admin_opcode opcode, u32 object, const void *body,
		    size_t size, struct tally_admin_cqe *answer)
{
	struct tally_admin_cmd cmd = { .opcode = cpu_to_le16(opcode) };
	int err;

	memcpy(cmd.body, body, min(size, sizeof(cmd.body)));
	if (tally_inject(pf, TALLY_FAULT_ADMIN_STATUS, opcode))
		err = tally_inject_status(pf, answer);
	else
		err = tally_adminq_exec(pf, &cmd, answer);
	if (err) {
		/* The cause is in the log already; do not repeat it for each command. */
		dev_dbg(pf_dev(pf), "%s %#x: no answer: error %d\n", tally_opcode_name(opcode), object,
			err);
		return err;
	}
	err = cmd_status_errno(le16_to_cpu(answer->status));
	if (err)
		cmd_report_refusal(pf, opcode, object, answer, err);
	return err;
}

/**
 * tally_exec() - Execute a command.
 * @pf: device
 * @opcode: command
 * @object: number of the object concerned, for the log
 * @body: body of the command
 * @size: its size in bytes
 *
 * Return: 0 or a negative errno, which is logged. Mistakes of a process are logged only with
 * dynamic debug.
 */
int tally_exec(struct tally_pf *pf, enum tally_admin_opcode opcode, u32 object, const void *body,
	       size_t size)
{
	return tally_exec_blame(pf, opcode, object, body, size, NULL);
}

/**
 * tally_exec_blame() - Execute a command, and return why the device refused it.
 * @pf: device
 * @opcode: command
 * @object: number of the object concerned, for the log
 * @body: body of the command
 * @size: its size in bytes
 * @blame: set if the device refuses the command, otherwise unchanged; may be NULL
 *
 * Return: as tally_exec().
 */
int tally_exec_blame(struct tally_pf *pf, enum tally_admin_opcode opcode, u32 object,
		     const void *body, size_t size, struct tally_blame *blame)
{
	struct tally_admin_cqe answer = {};
	int err = cmd_exec(pf, opcode, object, body, size, &answer);

	if (err && blame)
		*blame = (struct tally_blame){
			.status = le16_to_cpu(answer.status),
			.offset = le16_to_cpu(answer.bad_offset),
			.in_config = answer.value[0],
		};
	return err;
}

/**
 * tally_exec_query() - Execute a command that writes its answer to host memory.
 * @pf: device
 * @opcode: command
 * @object: number of the object concerned, 0 if there is none
 * @to: receives the answer
 * @size: size of the answer in bytes
 *
 * Return: 0 or a negative errno, which is logged.
 */
int tally_exec_query(struct tally_pf *pf, enum tally_admin_opcode opcode, u32 object, void *to,
		     size_t size)
{
	struct tally_cmd_query body = {
		.id = cpu_to_le32(object),
		.length = cpu_to_le32(size),
	};
	dma_addr_t dma;
	void *buf;
	int err;

	buf = dma_alloc_coherent(pf_dev(pf), size, &dma, GFP_KERNEL);
	if (!buf)
		return -ENOMEM;
	body.addr = cpu_to_le64(dma);
	err = tally_exec(pf, opcode, object, &body, sizeof(body));
	if (!err)
		memcpy(to, buf, size);
	dma_free_coherent(pf_dev(pf), size, buf, dma);
	return err;
}

/**
 * tally_exec_destroy() - Execute a command that destroys an object and whose body is the object's
 * number.
 * @pf: device
 * @opcode: command
 * @object: number or key
 *
 * Cannot fail: a device that refuses the command is reset, which destroys the object as well.
 */
void tally_exec_destroy(struct tally_pf *pf, enum tally_admin_opcode opcode, u32 object)
{
	struct tally_cmd_object body = { .id = cpu_to_le32(object) };

	if (tally_exec(pf, opcode, object, &body, sizeof(body))) {
		tally_fail(pf, "it refused to destroy an object");
		tally_wait_quiet(pf);
	}
}

#ifdef CONFIG_INFINIBAND_TALLY_FAULT_INJECTION
/**
 * tally_cmd_inject() - Send INJECT.
 * @pf: device
 * @cmd: the command
 * @count: number of times that the fault was injected since the device was reset
 *
 * Return: 0 or a negative errno, which is logged.
 */
int tally_cmd_inject(struct tally_pf *pf, const struct tally_cmd_inject *cmd, u64 *count)
{
	struct tally_admin_cqe answer;
	int err;

	err = cmd_exec(pf, TALLY_ADMIN_INJECT, le32_to_cpu(cmd->fault), cmd, sizeof(*cmd), &answer);
	if (!err)
		*count = le64_to_cpu(answer.value[0]);
	return err;
}
#endif

/**
 * tally_create_cq() - Create a completion queue.
 * @tdev: device
 * @params: attributes of the queue
 *
 * Return: 0 or a negative errno, which is logged.
 */
int tally_create_cq(struct tally_dev *tdev, const struct tally_cq_params *params)
{
	struct tally_pf *pf = to_pf(tdev);
	/* With a single vector, event queue 0 serves completions too. */
	u32 eqn = pf->num_eqs > 1 ? 1 + params->comp_vector : 0;
	struct tally_cmd_create_cq body = {
		.cqn = cpu_to_le32(params->cqn),
		.depth = cpu_to_le32(params->depth),
		.eqn = cpu_to_le32(eqn),
		.uar = cpu_to_le16(params->slot.uar),
		.slot = cpu_to_le16(params->slot.slot),
		.ring = params->ring,
	};

	return tally_exec(pf, TALLY_ADMIN_CREATE_CQ, params->cqn, &body, sizeof(body));
}
EXPORT_SYMBOL_GPL(tally_create_cq);

/**
 * tally_destroy_cq() - Destroy a completion queue that no queue pair uses.
 * @tdev: device
 * @cqn: number of the queue
 */
void tally_destroy_cq(struct tally_dev *tdev, u32 cqn)
{
	tally_exec_destroy(to_pf(tdev), TALLY_ADMIN_DESTROY_CQ, cqn);
}
EXPORT_SYMBOL_GPL(tally_destroy_cq);

/**
 * tally_reg_mr() - Register a memory region.
 * @tdev: device
 * @params: attributes of the region; its page list stays in use until tally_dereg_mr()
 *
 * Return: 0 or a negative errno, which is logged.
 */
int tally_reg_mr(struct tally_dev *tdev, const struct tally_mr_params *params)
{
	struct tally_cmd_reg_mr body = {
		.lkey = cpu_to_le32(params->key),
		.pd = cpu_to_le32(params->pd),
		.access = cpu_to_le32(params->access),
		.iova = cpu_to_le64(params->iova),
		.buf = params->buf,
	};
	struct tally_pf *pf = to_pf(tdev);

	if (tally_inject(pf, TALLY_FAULT_MR_REGISTER, params->key >> 8))
		return -ENOMEM;
	return tally_exec(pf, TALLY_ADMIN_REG_MR, params->key, &body, sizeof(body));
}
EXPORT_SYMBOL_GPL(tally_reg_mr);

/**
 * tally_dereg_mr() - Remove a memory region, which the device no longer accesses afterwards.
 * @tdev: device
 * @key: key of the region
 */
void tally_dereg_mr(struct tally_dev *tdev, u32 key)
{
	tally_exec_destroy(to_pf(tdev), TALLY_ADMIN_DEREG_MR, key);
}
EXPORT_SYMBOL_GPL(tally_dereg_mr);

/**
 * tally_create_qp() - Create a collective queue pair in state RTS.
 * @tdev: device
 * @params: attributes of the queue pair; the caller keeps its reference to the group handle until
 *	the queue pair is destroyed
 * @blame: set if the device refuses the command; may be NULL
 *
 * Return: 0 or a negative errno, which is logged.
 */
int tally_create_qp(struct tally_dev *tdev, const struct tally_qp_params *params,
		    struct tally_blame *blame)
{
	struct tally_cmd_create_qp body = {
		.qpn = cpu_to_le32(params->qpn),
		.pd = cpu_to_le32(params->pd),
		.cqn = cpu_to_le32(params->cqn),
		.group = cpu_to_le32(tally_group_handle_num(params->handle)),
		.ranks = cpu_to_le64(params->ranks),
		.holder = cpu_to_le64(tally_group_handle_ranks(params->handle)),
		.depth = cpu_to_le32(params->depth),
		.stride = cpu_to_le32(params->stride),
		.uar = cpu_to_le16(params->slot.uar),
		.slot = cpu_to_le16(params->slot.slot),
		.port = cpu_to_le16(params->port),
		.push = cpu_to_le16(params->push),
		.sq = params->sq,
	};

	return tally_exec_blame(to_pf(tdev), TALLY_ADMIN_CREATE_QP, params->qpn, &body,
				sizeof(body), blame);
}
EXPORT_SYMBOL_GPL(tally_create_qp);

/**
 * tally_modify_qp() - Change the state of a queue pair.
 * @tdev: device
 * @qpn: number of the queue pair
 * @state: new state
 *
 * Return: 0 or a negative errno, which is logged.
 */
int tally_modify_qp(struct tally_dev *tdev, u32 qpn, enum tally_qp_state state)
{
	struct tally_cmd_modify_qp body = {
		.qpn = cpu_to_le32(qpn),
		.state = state,
	};

	return tally_exec(to_pf(tdev), TALLY_ADMIN_MODIFY_QP, qpn, &body, sizeof(body));
}
EXPORT_SYMBOL_GPL(tally_modify_qp);

/**
 * tally_query_qp() - Ask for the state of a queue pair.
 * @tdev: device
 * @qpn: number of the queue pair
 * @state: set to the state, a value of enum tally_qp_state
 *
 * Return: 0 or a negative errno, which is logged.
 */
int tally_query_qp(struct tally_dev *tdev, u32 qpn, enum tally_qp_state *state)
{
	struct tally_cmd_object body = { .id = cpu_to_le32(qpn) };
	struct tally_pf *pf = to_pf(tdev);
	struct tally_admin_cqe answer;
	u64 value;
	int err;

	err = cmd_exec(pf, TALLY_ADMIN_QUERY_QP, qpn, &body, sizeof(body), &answer);
	if (err)
		return err;
	value = le64_to_cpu(answer.value[0]);
	if (value > TALLY_QPS_ERROR) {
		dev_err_ratelimited(pf_dev(pf), "QP %u: unknown state %llu\n", qpn, value);
		return -EIO;
	}
	*state = value;
	return 0;
}
EXPORT_SYMBOL_GPL(tally_query_qp);

/**
 * tally_destroy_qp() - Destroy a queue pair.
 * @tdev: device
 * @qpn: number of the queue pair
 */
void tally_destroy_qp(struct tally_dev *tdev, u32 qpn)
{
	tally_exec_destroy(to_pf(tdev), TALLY_ADMIN_DESTROY_QP, qpn);
}
EXPORT_SYMBOL_GPL(tally_destroy_qp);

/**
 * tally_query_counters() - Read the hardware counters.
 * @tdev: device
 * @values: receives the counters, in the order of enum tally_counter
 * @count: number of counters to read, at most the number that exist
 *
 * Return: 0 or a negative errno, which is logged.
 */
int tally_query_counters(struct tally_dev *tdev, u64 *values, unsigned int count)
{
	__le64 counters[NUM_COUNTERS];
	unsigned int i;
	int err;

	if (WARN_ON(count > NUM_COUNTERS))
		return -EINVAL;
	err = tally_exec_query(to_pf(tdev), TALLY_ADMIN_QUERY_COUNTERS, 0, counters,
			       sizeof(counters));
	for (i = 0; !err && i < count; i++)
		values[i] = le64_to_cpu(counters[i]);
	return err;
}
EXPORT_SYMBOL_GPL(tally_query_counters);
