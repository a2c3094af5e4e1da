// SPDX-License-Identifier: BSD-2-Clause
/* Admin commands on queue pairs, the virtual ports of 001. */
#include "firmware/qp_admin.h"
#include "firmware/group.h"

static bool port_used(uint32_t group, uint16_t port)
{
	uint32_t n;

	for (n = GROUP_GET(group, first_qp); n != TALLY_FW_NO_QP; n = QP_GET(n, next))
		if (QP_GET(n, port) == port)
			return true;
	return false;
}

/* Return the number of request entries that a queue pair with so deep a send queue owns. */
static uint32_t requests_of(uint32_t depth)
{
	if (depth > TALLY_QP_REQUESTS)
		return TALLY_QP_REQUESTS;
	return depth < TALLY_REQUEST_STEP ? TALLY_REQUEST_STEP : depth;
}

static struct engine_result check_group(const struct engine_qp_cfg *cfg)
{
	if (cfg->group >= TALLY_MAX_GROUP || GROUP_GET(cfg->group, state) == TALLY_GROUP_NONE)
		return ENGINE_REFUSE(NOT_FOUND, tally_cmd_create_qp, group);
	if (!fw_group_alive(cfg->group) || GROUP_GET(cfg->group, destroyed))
		return ENGINE_REFUSE(BAD_STATE, tally_cmd_create_qp, group);
	return ENGINE_OK;
}

static struct engine_result check(const struct engine_qp_cfg *cfg)
{
	struct engine_result r = check_group(cfg);

	if (r.status != TALLY_ADMIN_STATUS_OK)
		return r;
	if (!cfg->ranks || (cfg->ranks & ~GROUP_GET(cfg->group, attached)))
		return ENGINE_REFUSE(BAD_FIELD, tally_cmd_create_qp, ranks);
	if (cfg->holder & ~GROUP_GET(cfg->group, attached))
		return ENGINE_REFUSE(BAD_FIELD, tally_cmd_create_qp, holder);
	if (cfg->holder && (cfg->ranks & ~cfg->holder) &&
	    !(GROUP_GET(cfg->group, flags) & TALLY_GROUP_F_SHARED))
		return ENGINE_REFUSE(BAD_FIELD, tally_cmd_create_qp, ranks);
	if (!power_of_two(cfg->depth) || cfg->depth > TALLY_MAX_SQ_DEPTH)
		return ENGINE_REFUSE(BAD_FIELD, tally_cmd_create_qp, depth);
	if (!power_of_two(cfg->stride) || cfg->stride < TALLY_MIN_WQE_SIZE ||
	    cfg->stride > TALLY_MAX_WQE_SIZE)
		return ENGINE_REFUSE(BAD_FIELD, tally_cmd_create_qp, stride);
	if (requests_of(cfg->depth) > CONTROL_GET(requests_left))
		return ENGINE_REFUSE(NO_RESOURCE, tally_cmd_create_qp, depth);
	if (port_used(cfg->group, cfg->port))
		return ENGINE_REFUSE(IN_USE, tally_cmd_create_qp, port);
	return ENGINE_OK;
}

static void command(enum tally_fw_command_code code, uint32_t qpn)
{
	COMMAND_SET(qp, qpn);
	fw_command(code, QP_GET(qpn, group), TALLY_FW_NO_EDGE);
}

struct engine_result fw_create_qp(uint32_t qpn, const struct engine_qp_cfg *cfg)
{
	struct engine_result r = check(cfg);

	if (r.status != TALLY_ADMIN_STATUS_OK)
		return r;
	if (QP_GET(qpn, used))
		return ENGINE_REFUSE(ID_BUSY, tally_cmd_create_qp, qpn);
	QP_SET(qpn, group, cfg->group);
	QP_SET(qpn, pd, cfg->pd);
	QP_SET(qpn, cqn, cfg->cqn);
	QP_SET(qpn, depth, cfg->depth);
	QP_SET(qpn, stride, cfg->stride);
	QP_SET(qpn, requests, requests_of(cfg->depth));
	QP_SET(qpn, ranks, cfg->ranks);
	QP_SET(qpn, holder, cfg->holder ? cfg->holder : cfg->ranks);
	QP_SET(qpn, port, cfg->port);
	QP_SET(qpn, state, TALLY_QPS_RTS);
	command(TALLY_FW_CMD_CREATE_QP, qpn);
	return ENGINE_OK;
}

struct engine_result fw_modify_qp(uint32_t qpn, enum tally_qp_state state)
{
	if (!QP_GET(qpn, used))
		return ENGINE_REFUSE(NOT_FOUND, tally_cmd_modify_qp, qpn);
	switch (state) {
	case TALLY_QPS_RESET:
		command(TALLY_FW_CMD_ABANDON_QP, qpn);
		command(TALLY_FW_CMD_DISCARD_QP, qpn);
		break;
	case TALLY_QPS_RTS:
		if (QP_GET(qpn, state) != TALLY_QPS_RESET || !fw_group_alive(QP_GET(qpn, group)))
			return (struct engine_result){ TALLY_ADMIN_STATUS_BAD_STATE, 0xffff };
		break;
	case TALLY_QPS_ERROR:
		command(TALLY_FW_CMD_ABANDON_QP, qpn);
		break;
	default:
		return ENGINE_REFUSE(BAD_FIELD, tally_cmd_modify_qp, state);
	}
	QP_SET(qpn, state, state);
	command(TALLY_FW_CMD_RETIRE_QP, qpn);
	return ENGINE_OK;
}

struct engine_result fw_destroy_qp(uint32_t qpn)
{
	if (!QP_GET(qpn, used))
		return ENGINE_REFUSE(NOT_FOUND, tally_cmd_object, id);
	command(TALLY_FW_CMD_ABANDON_QP, qpn);
	command(TALLY_FW_CMD_DISCARD_QP, qpn);
	command(TALLY_FW_CMD_FORGET_QP, qpn);
	return ENGINE_OK;
}
