// SPDX-License-Identifier: BSD-2-Clause
/* Tests the admin queue and every field of every command. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "nic/test/host.h"

static int setup(void **state)
{
	*state = host_new(NULL, sim_new(1));
	return 0;
}

static int teardown(void **state)
{
	struct host *h = *state;
	struct sim *sim = h->sim;

	host_free(h);
	sim_free(sim);
	return 0;
}

static void expect(struct host *h, unsigned int opcode, const void *body,
		   enum tally_admin_status status, size_t bad_offset)
{
	struct tally_admin_cqe cqe = host_command(h, opcode, body);

	assert_int_equal(le16toh(cqe.status), status);
	assert_int_equal(le16toh(cqe.bad_offset), bad_offset);
}

/* A bad value for one field of a good command. */
struct bad_field {
	size_t offset;		/* in the body */
	size_t size;
	uint64_t value;
	enum tally_admin_status status;
	size_t blamed;		/* field that is blamed, in the body */
};

#define BAD(type, field, val, what)                                                                \
	{ offsetof(struct tally_cmd_##type, field),                                                \
	  sizeof(((struct tally_cmd_##type *)NULL)->field), val, TALLY_ADMIN_STATUS_##what,        \
	  offsetof(struct tally_cmd_##type, field) }

/* A byte behind the fields of a command. */
#define TAIL(type, last, val)                                                                      \
	{ offsetof(struct tally_cmd_##type, last) +                                                \
		  sizeof(((struct tally_cmd_##type *)NULL)->last), 1, val,                         \
	  TALLY_ADMIN_STATUS_BAD_FIELD,                                                            \
	  offsetof(struct tally_cmd_##type, last) +                                                \
		  sizeof(((struct tally_cmd_##type *)NULL)->last) }

#define LAST_BYTE { 119, 1, 1, TALLY_ADMIN_STATUS_BAD_FIELD, 119 }

static void try_bad(struct host *h, unsigned int opcode, const union admin_body *good,
		    const struct bad_field *bad, size_t n)
{
	size_t i, j;

	for (i = 0; i < n; i++) {
		union admin_body body = *good;

		for (j = 0; j < bad[i].size; j++)
			body.raw[bad[i].offset + j] = (uint8_t)(bad[i].value >> 8 * j);
		expect(h, opcode, &body, bad[i].status,
		       offsetof(struct tally_admin_cmd, body) + bad[i].blamed);
	}
}

#define TRY_BAD(h, opcode, good, bad) try_bad(h, opcode, good, bad, sizeof(bad) / sizeof((bad)[0]))

static void unknown_commands(void **state)
{
	static const unsigned int opcodes[] = { TALLY_ADMIN_QUERY_ARRIVALS + 1, 0xffff };
	struct host *h = *state;
	size_t i;

	host_reset(h);
	for (i = 0; i < sizeof(opcodes) / sizeof(opcodes[0]); i++)
		expect(h, opcodes[i], NULL, TALLY_ADMIN_STATUS_BAD_OPCODE, 0);
}

static void nop(void **state)
{
	struct host *h = *state;
	union admin_body body = { .raw = { [0] = 1 } };
	struct tally_admin_cmd *cmd = host_ptr(h, h->aq_sq);
	const struct tally_admin_cqe *cqe = host_ptr(h, h->aq_cq);
	unsigned int i;

	host_reset(h);
	cmd->rsvd0 = htole32(1);
	h->control->aq_db = htole64(++h->commands);
	host_run(h);
	assert_int_equal(le16toh(cqe->status), TALLY_ADMIN_STATUS_BAD_FIELD);
	assert_int_equal(le16toh(cqe->bad_offset), offsetof(struct tally_admin_cmd, rsvd0));
	h->control->aq_ci = htole64(1);
	expect(h, TALLY_ADMIN_NOP, &body, TALLY_ADMIN_STATUS_BAD_FIELD, 8);
	/* Several times around the rings. */
	for (i = 0; i < 5 * HOST_AQ_DEPTH; i++)
		host_must(h, TALLY_ADMIN_NOP, NULL);
}

/* If there is no room for completions, commands wait and none is lost. */
static void completion_ring_full(void **state)
{
	struct host *h = *state;

	host_reset(h);
	h->control->aq_db = htole64(HOST_AQ_DEPTH);
	host_run(h);
	assert_int_equal(h->interrupts[0], HOST_AQ_DEPTH);
	h->control->aq_db = htole64(2 * HOST_AQ_DEPTH);
	host_run(h);
	assert_int_equal(h->interrupts[0], HOST_AQ_DEPTH);
	h->control->aq_ci = htole64(3);
	host_run(h);
	assert_int_equal(h->interrupts[0], HOST_AQ_DEPTH + 3);
	h->control->aq_ci = htole64(HOST_AQ_DEPTH);
	host_run(h);
	assert_int_equal(h->interrupts[0], 2 * HOST_AQ_DEPTH);
	assert_int_equal(le32toh(h->ident->state), TALLY_DEVICE_READY);
}

static void impossible_counts(void **state)
{
	struct host *h = *state;

	host_reset(h);
	host_must(h, TALLY_ADMIN_NOP, NULL);
	h->control->aq_db = htole64(0);		/* backwards: stale */
	h->control->aq_ci = htole64(0);
	host_run(h);
	assert_int_equal(le32toh(h->ident->state), TALLY_DEVICE_READY);
	h->control->aq_db = htole64(HOST_AQ_DEPTH + 2);
	host_run(h);
	assert_int_equal(le32toh(h->ident->fatal_code), TALLY_FATAL_BAD_CONTROL);
	host_reset(h);
	h->control->aq_ci = htole64(1);
	host_run(h);
	assert_int_equal(le32toh(h->ident->fatal_code), TALLY_FATAL_BAD_CONTROL);
}

static void ring_unreachable(void **state)
{
	struct host *h = *state;

	host_reset(h);
	h->hole = h->aq_sq;
	h->hole_bytes = 1;
	h->control->aq_db = htole64(1);
	host_run(h);
	assert_int_equal(le32toh(h->ident->fatal_code), TALLY_FATAL_AQ_DMA);
	h->hole_bytes = 0;
	host_reset(h);
	h->hole = h->aq_cq;
	h->hole_bytes = 1;
	h->control->aq_db = htole64(1);
	host_run(h);
	assert_int_equal(le32toh(h->ident->fatal_code), TALLY_FATAL_AQ_DMA);
	assert_int_equal(le32toh(h->ident->state), TALLY_DEVICE_FATAL);
}

static void eq_commands(void **state)
{
	static const struct bad_field bad[] = {
		BAD(create_eq, eqn, TALLY_MAX_EQ, BAD_FIELD),
		BAD(create_eq, eqn, UINT32_MAX, BAD_FIELD),
		BAD(create_eq, depth, 0, BAD_FIELD),
		BAD(create_eq, depth, 3, BAD_FIELD),
		BAD(create_eq, depth, 2 * TALLY_MAX_EQ_DEPTH, BAD_FIELD),
		BAD(create_eq, vector, TALLY_NUM_VECTORS, BAD_FIELD),
		BAD(create_eq, rsvd0, 1, BAD_FIELD),
		BAD(create_eq, ring.levels, 4, BAD_FIELD),
		BAD(create_eq, ring.length, 8, BAD_FIELD),
		BAD(create_eq, ring.addr, HOST_BASE + 8, BAD_FIELD),
		BAD(create_eq, ring.addr, HOST_BASE + HOST_BYTES, DMA_ERROR),
		BAD(create_eq, ring.rsvd1, 1, BAD_FIELD),
		TAIL(create_eq, ring, 1), LAST_BYTE,
	};
	struct host *h = *state;
	union admin_body eq, id = { .raw = { 0 } };

	host_reset(h);
	eq = host_create_eq(h);
	TRY_BAD(h, TALLY_ADMIN_CREATE_EQ, &eq, bad);
	host_must(h, TALLY_ADMIN_CREATE_EQ, &eq);
	expect(h, TALLY_ADMIN_CREATE_EQ, &eq, TALLY_ADMIN_STATUS_ID_BUSY, 8);
	id.object.id = htole32(HOST_EQN + 1);
	expect(h, TALLY_ADMIN_DESTROY_EQ, &id, TALLY_ADMIN_STATUS_NOT_FOUND, 8);
	id.object.id = htole32(TALLY_MAX_EQ);
	expect(h, TALLY_ADMIN_DESTROY_EQ, &id, TALLY_ADMIN_STATUS_NOT_FOUND, 8);
	id.object.id = htole32(HOST_EQN);
	id.raw[4] = 1;
	expect(h, TALLY_ADMIN_DESTROY_EQ, &id, TALLY_ADMIN_STATUS_BAD_FIELD, 12);
	id.raw[4] = 0;
	host_must(h, TALLY_ADMIN_DESTROY_EQ, &id);
	host_must(h, TALLY_ADMIN_CREATE_EQ, &eq);
}

static void cq_commands(void **state)
{
	static const struct bad_field bad[] = {
		BAD(create_cq, cqn, TALLY_MAX_CQ, BAD_FIELD),
		BAD(create_cq, depth, 0, BAD_FIELD),
		BAD(create_cq, depth, 6, BAD_FIELD),
		BAD(create_cq, depth, 2 * TALLY_MAX_CQ_DEPTH, BAD_FIELD),
		BAD(create_cq, eqn, TALLY_MAX_EQ, BAD_FIELD),
		BAD(create_cq, eqn, HOST_EQN + 1, NOT_FOUND),
		BAD(create_cq, uar, TALLY_NUM_UARS, BAD_FIELD),
		BAD(create_cq, slot, TALLY_UAR_SLOTS, BAD_FIELD),
		BAD(create_cq, ring.length, (HOST_CQ_DEPTH + 1) * 64 - 1, BAD_FIELD),
		BAD(create_cq, ring.addr, HOST_BASE + 32, BAD_FIELD),
		BAD(create_cq, ring.addr, 0, DMA_ERROR),
		BAD(create_cq, ring.rsvd0, 1, BAD_FIELD),
		TAIL(create_cq, ring, 1), LAST_BYTE,
	};
	struct host *h = *state;
	union admin_body eq, cq, other, id = { .raw = { 0 } };

	host_reset(h);
	eq = host_create_eq(h);
	cq = host_create_cq(h);
	host_must(h, TALLY_ADMIN_CREATE_EQ, &eq);
	TRY_BAD(h, TALLY_ADMIN_CREATE_CQ, &cq, bad);
	host_must(h, TALLY_ADMIN_CREATE_CQ, &cq);
	expect(h, TALLY_ADMIN_CREATE_CQ, &cq, TALLY_ADMIN_STATUS_ID_BUSY, 8);
	other = cq;
	other.create_cq.cqn = htole32(HOST_CQN + 1);
	expect(h, TALLY_ADMIN_CREATE_CQ, &other, TALLY_ADMIN_STATUS_IN_USE,
	       8 + offsetof(struct tally_cmd_create_cq, slot));
	id.object.id = htole32(HOST_EQN);
	expect(h, TALLY_ADMIN_DESTROY_EQ, &id, TALLY_ADMIN_STATUS_IN_USE, 8);
	id.object.id = htole32(HOST_CQN + 1);
	expect(h, TALLY_ADMIN_DESTROY_CQ, &id, TALLY_ADMIN_STATUS_NOT_FOUND, 8);
	id.object.id = htole32(TALLY_MAX_CQ);
	expect(h, TALLY_ADMIN_DESTROY_CQ, &id, TALLY_ADMIN_STATUS_NOT_FOUND, 8);
	id.object.id = htole32(HOST_CQN);
	host_must(h, TALLY_ADMIN_DESTROY_CQ, &id);
	host_must(h, TALLY_ADMIN_CREATE_CQ, &other);
}

static void mr_commands(void **state)
{
	static const struct bad_field bad[] = {
		BAD(reg_mr, lkey, TALLY_MAX_MR << 8, BAD_FIELD),
		BAD(reg_mr, pd, TALLY_MAX_PD, BAD_FIELD),
		BAD(reg_mr, access, 8, BAD_FIELD),
		BAD(reg_mr, rsvd0, 1, BAD_FIELD),
		BAD(reg_mr, rsvd1, 1, BAD_FIELD),
		BAD(reg_mr, iova, UINT64_MAX - HOST_MR_BYTES + 2, BAD_FIELD),
		BAD(reg_mr, buf.length, 0, BAD_FIELD),
		BAD(reg_mr, buf.offset, 1, BAD_FIELD),
		BAD(reg_mr, buf.levels, 4, BAD_FIELD),
		BAD(reg_mr, buf.page_shift, 31, BAD_FIELD),
		TAIL(reg_mr, buf, 1), LAST_BYTE,
	};
	struct host *h = *state;
	union admin_body mr, id = { .raw = { 0 } };

	host_reset(h);
	mr = host_reg_mr(h);
	TRY_BAD(h, TALLY_ADMIN_REG_MR, &mr, bad);
	host_must(h, TALLY_ADMIN_REG_MR, &mr);
	mr.reg_mr.lkey = htole32(HOST_LKEY ^ 1);
	expect(h, TALLY_ADMIN_REG_MR, &mr, TALLY_ADMIN_STATUS_ID_BUSY, 8);
	id.object.id = htole32(HOST_LKEY ^ 1);
	expect(h, TALLY_ADMIN_DEREG_MR, &id, TALLY_ADMIN_STATUS_NOT_FOUND, 8);
	id.object.id = htole32(TALLY_MAX_MR << 8);
	expect(h, TALLY_ADMIN_DEREG_MR, &id, TALLY_ADMIN_STATUS_NOT_FOUND, 8);
	id.object.id = htole32(HOST_LKEY);
	host_must(h, TALLY_ADMIN_DEREG_MR, &id);
	expect(h, TALLY_ADMIN_DEREG_MR, &id, TALLY_ADMIN_STATUS_NOT_FOUND, 8);
	/* The table grows to the highest index. */
	mr.reg_mr.lkey = id.object.id = htole32((TALLY_MAX_MR - 1) << 8);
	expect(h, TALLY_ADMIN_DEREG_MR, &id, TALLY_ADMIN_STATUS_NOT_FOUND, 8);
	host_must(h, TALLY_ADMIN_REG_MR, &mr);
	mr.reg_mr.lkey = htole32(HOST_LKEY);
	/* The end of the address space may be used like any other range. */
	mr.reg_mr.iova = htole64(UINT64_MAX - HOST_MR_BYTES + 1);
	host_must(h, TALLY_ADMIN_REG_MR, &mr);
}

static void make_eq_cq(struct host *h)
{
	union admin_body eq, cq;

	host_reset(h);
	eq = host_create_eq(h);
	cq = host_create_cq(h);
	host_must(h, TALLY_ADMIN_CREATE_EQ, &eq);
	host_must(h, TALLY_ADMIN_CREATE_CQ, &cq);
}

static void qp_create(void **state)
{
	static const struct bad_field bad[] = {
		BAD(create_qp, qpn, TALLY_MAX_QP, BAD_FIELD),
		BAD(create_qp, pd, TALLY_MAX_PD, BAD_FIELD),
		BAD(create_qp, cqn, TALLY_MAX_CQ, BAD_FIELD),
		BAD(create_qp, cqn, HOST_CQN + 1, NOT_FOUND),
		BAD(create_qp, group, TALLY_MAX_GROUP, BAD_FIELD),
		BAD(create_qp, depth, 0, BAD_FIELD),
		BAD(create_qp, depth, 5, BAD_FIELD),
		BAD(create_qp, depth, 2 * TALLY_MAX_SQ_DEPTH, BAD_FIELD),
		BAD(create_qp, stride, 0, BAD_FIELD),
		BAD(create_qp, stride, TALLY_MIN_WQE_SIZE / 2, BAD_FIELD),
		BAD(create_qp, stride, TALLY_MAX_WQE_SIZE * 2, BAD_FIELD),
		BAD(create_qp, uar, TALLY_NUM_UARS, BAD_FIELD),
		BAD(create_qp, slot, TALLY_UAR_SLOTS, BAD_FIELD),
		BAD(create_qp, push, 2, BAD_FIELD),
		BAD(create_qp, sq.length, HOST_SQ_DEPTH * HOST_SQ_STRIDE - 1, BAD_FIELD),
		BAD(create_qp, sq.addr, HOST_BASE + 64, BAD_FIELD),
		BAD(create_qp, sq.addr, 0, DMA_ERROR),
		TAIL(create_qp, holder, 1), LAST_BYTE,
	};
	struct host *h = *state;
	union admin_body qp, other;

	make_eq_cq(h);
	qp = host_create_qp(h);
	TRY_BAD(h, TALLY_ADMIN_CREATE_QP, &qp, bad);
	assert_int_equal(h->engine->qps_created, 0);
	other = qp;
	other.create_qp.uar = htole16(0);
	other.create_qp.slot = htole16(1);	/* the slot of the CQ */
	expect(h, TALLY_ADMIN_CREATE_QP, &other, TALLY_ADMIN_STATUS_IN_USE,
	       8 + offsetof(struct tally_cmd_create_qp, slot));
	h->engine->result = (struct engine_result){ TALLY_ADMIN_STATUS_NOT_FOUND,
						    offsetof(struct tally_cmd_create_qp, group) };
	expect(h, TALLY_ADMIN_CREATE_QP, &qp, TALLY_ADMIN_STATUS_NOT_FOUND,
	       8 + offsetof(struct tally_cmd_create_qp, group));
	h->engine->result = (struct engine_result){ TALLY_ADMIN_STATUS_OK, 0xffff };
	host_must(h, TALLY_ADMIN_CREATE_QP, &qp);
	expect(h, TALLY_ADMIN_CREATE_QP, &qp, TALLY_ADMIN_STATUS_ID_BUSY, 8);
	assert_int_equal(h->engine->qp_cfg.pd, HOST_PD);
	assert_int_equal(h->engine->qp_cfg.cqn, HOST_CQN);
	assert_int_equal(h->engine->qp_cfg.ranks, 1);
	assert_int_equal(h->engine->qp_cfg.holder, 3);
	assert_int_equal(h->engine->qp_cfg.depth, HOST_SQ_DEPTH);
	assert_int_equal(h->engine->qp_cfg.stride, HOST_SQ_STRIDE);
	assert_int_equal(h->engine->qp_cfg.port, 9);
}

static void qp_modify_destroy(void **state)
{
	struct host *h = *state;
	union admin_body m = { .raw = { 0 } }, id = { .raw = { 0 } };
	struct tally_admin_cqe answer;

	host_objects(h);
	m.modify_qp.qpn = htole32(HOST_QPN);
	m.modify_qp.state = TALLY_QPS_ERROR + 1;
	expect(h, TALLY_ADMIN_MODIFY_QP, &m, TALLY_ADMIN_STATUS_BAD_FIELD, 12);
	m.modify_qp.state = TALLY_QPS_ERROR;
	m.raw[5] = 1;
	expect(h, TALLY_ADMIN_MODIFY_QP, &m, TALLY_ADMIN_STATUS_BAD_FIELD, 13);
	m.raw[5] = 0;
	host_must(h, TALLY_ADMIN_MODIFY_QP, &m);
	assert_int_equal(h->engine->modified_qpn, HOST_QPN);
	assert_int_equal(h->engine->modified_state, TALLY_QPS_ERROR);
	m.modify_qp.qpn = htole32(HOST_QPN + 1);
	expect(h, TALLY_ADMIN_MODIFY_QP, &m, TALLY_ADMIN_STATUS_NOT_FOUND, 8);
	m.modify_qp.qpn = htole32(TALLY_MAX_QP);
	expect(h, TALLY_ADMIN_MODIFY_QP, &m, TALLY_ADMIN_STATUS_NOT_FOUND, 8);

	id.object.id = htole32(HOST_QPN + 1);
	expect(h, TALLY_ADMIN_QUERY_QP, &id, TALLY_ADMIN_STATUS_NOT_FOUND, 8);
	id.object.id = htole32(HOST_QPN);
	answer = host_command(h, TALLY_ADMIN_QUERY_QP, &id);
	assert_int_equal(le16toh(answer.status), TALLY_ADMIN_STATUS_OK);
	assert_int_equal(le64toh(answer.value[0]), TALLY_QPS_ERROR);

	id.object.id = htole32(HOST_CQN);
	expect(h, TALLY_ADMIN_DESTROY_CQ, &id, TALLY_ADMIN_STATUS_IN_USE, 8);
	id.object.id = htole32(TALLY_MAX_QP);
	expect(h, TALLY_ADMIN_DESTROY_QP, &id, TALLY_ADMIN_STATUS_NOT_FOUND, 8);
	id.object.id = htole32(HOST_QPN);
	h->engine->result.status = TALLY_ADMIN_STATUS_IN_USE;
	expect(h, TALLY_ADMIN_DESTROY_QP, &id, TALLY_ADMIN_STATUS_IN_USE, 0xffff);
	h->engine->result.status = TALLY_ADMIN_STATUS_OK;
	host_must(h, TALLY_ADMIN_DESTROY_QP, &id);
	expect(h, TALLY_ADMIN_DESTROY_QP, &id, TALLY_ADMIN_STATUS_NOT_FOUND, 8);
	assert_int_equal(h->engine->qps_destroyed, 1);
	id.object.id = htole32(HOST_CQN);
	host_must(h, TALLY_ADMIN_DESTROY_CQ, &id);
}

/* A queue pair is destroyed with operations in flight. */
static void qp_destroyed_with_work(void **state)
{
	struct host *h = *state;
	struct tally_admin_cmd *cmd = host_ptr(h, h->aq_sq);
	const struct nic_timing *t = &h->nic->timing;

	host_objects(h);
	cmd += h->commands % HOST_AQ_DEPTH;
	*cmd = (struct tally_admin_cmd){ .opcode = htole16(TALLY_ADMIN_DESTROY_QP) };
	cmd->body[0] = HOST_QPN;
	h->control->aq_db = htole64(++h->commands);
	nic_doorbells(h->nic);
	/* Shortly before the command is carried out. */
	sim_run_until(h->sim, sim_now(h->sim) + (t->doorbell_ns + t->pcie_read_ns - 100) * VT_NS);
	assert_int_equal(h->engine->qps_destroyed, 0);
	h->qp_slot->counter = htole64(1);
	nic_doorbells(h->nic);
	h->engine->host->fetch_wqe(h->engine->ctx, HOST_QPN, 0);
	host_complete(h, 0, false);
	host_run(h);
	assert_int_equal(h->engine->qps_destroyed, 1);
	assert_int_equal(h->engine->wqes + h->engine->doorbells, 0);
	/* Completions of the queue pair still arrive. */
	assert_int_equal(host_cqe(h, 0)->owner, TALLY_OWNER_PHASE);
}

static void set_edge(struct host *h, const union admin_body *g, size_t edge, size_t offset,
		     uint8_t value)
{
	uint8_t *cfg = host_ptr(h, le64toh(g->group.addr));

	cfg[sizeof(struct tally_group_cfg) + edge * sizeof(struct tally_group_edge) + offset] =
		value;
}

static void group_create_command(void **state)
{
	static const struct bad_field bad[] = {
		BAD(group, group, TALLY_MAX_GROUP, BAD_FIELD),
		BAD(group, length, 0, BAD_FIELD),
		BAD(group, length, sizeof(struct tally_group_cfg) - 1, BAD_FIELD),
		BAD(group, length, sizeof(struct tally_group_cfg) + 1, BAD_FIELD),
		BAD(group, length,
		    sizeof(struct tally_group_cfg) +
			    (TALLY_MAX_CONTRIBUTORS + 2) * sizeof(struct tally_group_edge),
		    BAD_FIELD),
		BAD(group, length, UINT32_MAX, BAD_FIELD),
		BAD(group, addr, UINT64_MAX - 8, BAD_FIELD),
		BAD(group, addr, HOST_BASE + HOST_BYTES - 64, DMA_ERROR),
		TAIL(group, addr, 1), LAST_BYTE,
	};
	struct host *h = *state;
	union admin_body eq, g;

	host_reset(h);
	g = host_create_group(h, 3);
	expect(h, TALLY_ADMIN_CREATE_GROUP, &g, TALLY_ADMIN_STATUS_BAD_STATE, 0xffff);
	eq = host_create_eq(h);
	host_must(h, TALLY_ADMIN_CREATE_EQ, &eq);
	TRY_BAD(h, TALLY_ADMIN_CREATE_GROUP, &g, bad);
	assert_int_equal(h->engine->groups_created, 0);
	host_must(h, TALLY_ADMIN_CREATE_GROUP, &g);
	assert_int_equal(h->engine->group, 2);
	assert_int_equal(h->engine->num_edges, 3);
	assert_int_equal(le32toh(h->engine->group_cfg.jid), 0x1234);
	g = host_create_group(h, TALLY_MAX_CONTRIBUTORS + 1);
	host_must(h, TALLY_ADMIN_CREATE_GROUP, &g);
	assert_int_equal(h->engine->num_edges, TALLY_MAX_CONTRIBUTORS + 1);
}

/* Errors in the configuration have an offset in it, and value[0] says so. */
static void group_configuration(void **state)
{
	static const struct { size_t offset; uint8_t bad, good; } bad[] = {
		{ offsetof(struct tally_group_edge, gid), 0, 0xfe },
		{ offsetof(struct tally_group_edge, gid), 0xff, 0xfe },
		{ offsetof(struct tally_group_edge, mac), 0, 2 },
		{ offsetof(struct tally_group_edge, mac), 1, 2 },
	};
	struct host *h = *state;
	struct tally_admin_cqe cqe;
	struct tally_group_cfg *cfg;
	union admin_body eq, g;
	size_t i;

	host_reset(h);
	eq = host_create_eq(h);
	host_must(h, TALLY_ADMIN_CREATE_EQ, &eq);
	g = host_create_group(h, 2);
	cfg = host_ptr(h, le64toh(g.group.addr));
	cfg->num_edges = htole16(3);
	cqe = host_command(h, TALLY_ADMIN_CREATE_GROUP, &g);
	assert_int_equal(le16toh(cqe.status), TALLY_ADMIN_STATUS_BAD_FIELD);
	assert_int_equal(le16toh(cqe.bad_offset), offsetof(struct tally_group_cfg, num_edges));
	assert_int_equal(le64toh(cqe.value[0]), 1);
	cfg->num_edges = htole16(2);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		set_edge(h, &g, 1, bad[i].offset, bad[i].bad);
		expect(h, TALLY_ADMIN_CREATE_GROUP, &g, TALLY_ADMIN_STATUS_BAD_FIELD,
		       sizeof(*cfg) + sizeof(struct tally_group_edge) + bad[i].offset);
		set_edge(h, &g, 1, bad[i].offset, bad[i].good);
	}
	set_edge(h, &g, 0, 0, 0);
	set_edge(h, &g, 0, 10, 0xff);	/* ::ffff:0.0.0.0 */
	set_edge(h, &g, 0, 11, 0xff);
	expect(h, TALLY_ADMIN_CREATE_GROUP, &g, TALLY_ADMIN_STATUS_BAD_FIELD, sizeof(*cfg));
	set_edge(h, &g, 0, 11, 0);
	set_edge(h, &g, 0, 0, 0xfe);
	assert_int_equal(h->engine->groups_created, 0);
	h->engine->result = (struct engine_result){ TALLY_ADMIN_STATUS_EXISTS,
						    offsetof(struct tally_group_cfg, jid) };
	expect(h, TALLY_ADMIN_CREATE_GROUP, &g, TALLY_ADMIN_STATUS_EXISTS, 0);
}

static void group_commands(void **state)
{
	static const struct bad_field bad[] = {
		BAD(group_ranks, group, TALLY_MAX_GROUP, NOT_FOUND),
		BAD(group_ranks, rsvd0, 1, BAD_FIELD),
		TAIL(group_ranks, ranks, 1), LAST_BYTE,
	};
	struct host *h = *state;
	union admin_body r = { .raw = { 0 } }, id = { .raw = { 0 } };

	host_reset(h);
	r.group_ranks.group = htole32(4);
	r.group_ranks.ranks = htole64(0xf00000000ull);
	TRY_BAD(h, TALLY_ADMIN_ATTACH_RANK, &r, bad);
	TRY_BAD(h, TALLY_ADMIN_DETACH_RANK, &r, bad);
	host_must(h, TALLY_ADMIN_ATTACH_RANK, &r);
	assert_int_equal(h->engine->group, 4);
	assert_int_equal(h->engine->ranks, 0xf00000000ull);
	host_must(h, TALLY_ADMIN_DETACH_RANK, &r);
	assert_int_equal(h->engine->ranks, ~0xf00000000ull);
	id.object.id = htole32(TALLY_MAX_GROUP);
	expect(h, TALLY_ADMIN_DESTROY_GROUP, &id, TALLY_ADMIN_STATUS_NOT_FOUND, 8);
	id.object.id = htole32(6);
	host_must(h, TALLY_ADMIN_DESTROY_GROUP, &id);
	assert_int_equal(h->engine->group, 6);
	h->engine->result = (struct engine_result){
		TALLY_ADMIN_STATUS_IN_USE, offsetof(struct tally_cmd_group_ranks, ranks) };
	expect(h, TALLY_ADMIN_ATTACH_RANK, &r, TALLY_ADMIN_STATUS_IN_USE, 16);
}

static void group_reset(void **state)
{
	static const struct bad_field bad[] = {
		BAD(reset_group, group, TALLY_MAX_GROUP, NOT_FOUND),
		BAD(reset_group, group, UINT32_MAX, NOT_FOUND),
		TAIL(reset_group, epoch, 1), LAST_BYTE,
	};
	struct host *h = *state;
	union admin_body r = { .raw = { 0 } };

	host_reset(h);
	r.reset_group.group = htole32(TALLY_MAX_GROUP - 1);
	r.reset_group.epoch = htole32(0x80000001);
	TRY_BAD(h, TALLY_ADMIN_RESET_GROUP, &r, bad);
	assert_int_equal(h->engine->epoch, 0);
	host_must(h, TALLY_ADMIN_RESET_GROUP, &r);
	assert_int_equal(h->engine->group, TALLY_MAX_GROUP - 1);
	assert_int_equal(h->engine->epoch, 0x80000001);
	h->engine->result = (struct engine_result){ TALLY_ADMIN_STATUS_BAD_STATE, 0xffff };
	expect(h, TALLY_ADMIN_RESET_GROUP, &r, TALLY_ADMIN_STATUS_BAD_STATE, 0xffff);
	h->engine->result = (struct engine_result){
		TALLY_ADMIN_STATUS_BAD_FIELD, offsetof(struct tally_cmd_reset_group, epoch) };
	expect(h, TALLY_ADMIN_RESET_GROUP, &r, TALLY_ADMIN_STATUS_BAD_FIELD,
	       8 + offsetof(struct tally_cmd_reset_group, epoch));
}

/* Event queue 0 stays while a group may raise events. */
static void eq_0_in_use(void **state)
{
	struct host *h = *state;
	union admin_body eq, g, id = { .raw = { 0 } };

	host_reset(h);
	eq = host_create_eq(h);
	host_must(h, TALLY_ADMIN_CREATE_EQ, &eq);
	g = host_create_group(h, 0);
	host_must(h, TALLY_ADMIN_CREATE_GROUP, &g);
	expect(h, TALLY_ADMIN_DESTROY_EQ, &id, TALLY_ADMIN_STATUS_IN_USE, 8);
	h->engine->host->event(h->engine->ctx, TALLY_EQE_GROUP_DRAINED, 2, 0);
	host_run(h);
	assert_int_equal(host_eqe(h, 0)->etype, TALLY_EQE_GROUP_DRAINED);
	host_must(h, TALLY_ADMIN_DESTROY_EQ, &id);
}

static void queries(void **state)
{
	static const struct bad_field bad_counters[] = {
		BAD(query, id, 1, BAD_FIELD),
		BAD(query, length, 7, BAD_FIELD),
		BAD(query, addr, UINT64_MAX - 8, BAD_FIELD),
		BAD(query, addr, HOST_BASE + HOST_BYTES - 8, DMA_ERROR),
		TAIL(query, addr, 1), LAST_BYTE,
	};
	static const struct bad_field bad_group[] = {
		BAD(query, id, TALLY_MAX_GROUP, NOT_FOUND),
		BAD(query, length, sizeof(struct tally_group_info) - 1, BAD_FIELD),
		BAD(query, addr, 0, DMA_ERROR),
	};
	struct host *h = *state;
	union admin_body q = { .raw = { 0 } };
	struct tally_group_info *info;
	uint64_t addr, *values;

	host_reset(h);
	nic_count(h->nic, TALLY_CTR_alu_words, 77);
	nic_count(h->nic, TALLY_CTR_rx_frames, 5);
	addr = host_alloc(h, 1024, 8);
	values = host_ptr(h, addr);
	memset(values, 0xee, 1024);
	q.query.addr = htole64(addr);
	q.query.length = htole32(1024);
	TRY_BAD(h, TALLY_ADMIN_QUERY_COUNTERS, &q, bad_counters);
	host_must(h, TALLY_ADMIN_QUERY_COUNTERS, &q);
	assert_int_equal(values[TALLY_CTR_rx_frames], htole64(5));
	assert_int_equal(values[TALLY_CTR_alu_words], htole64(77));
	assert_int_equal(values[NIC_NUM_COUNTERS], 0xeeeeeeeeeeeeeeeeull);
	/* A driver that knows fewer counters. */
	memset(values, 0xee, 1024);
	q.query.length = htole32(8);
	host_must(h, TALLY_ADMIN_QUERY_COUNTERS, &q);
	assert_int_equal(values[0], htole64(5));
	assert_int_equal(values[1], 0xeeeeeeeeeeeeeeeeull);

	q.query.length = htole32(1024);
	q.query.id = htole32(3);
	TRY_BAD(h, TALLY_ADMIN_QUERY_GROUP, &q, bad_group);
	host_must(h, TALLY_ADMIN_QUERY_GROUP, &q);
	info = host_ptr(h, addr);
	assert_int_equal(info->state, TALLY_GROUP_OPEN);
	assert_int_equal(h->engine->group, 3);
	h->engine->result = (struct engine_result){ TALLY_ADMIN_STATUS_NOT_FOUND, 0 };
	expect(h, TALLY_ADMIN_QUERY_GROUP, &q, TALLY_ADMIN_STATUS_NOT_FOUND, 8);
}

#define LIST_BYTES 16384
#define LIST_GROUP 3

/*
 * Query a list of @size bytes, after each field of the command was wrong in turn. Returns the list.
 */
static void *query_list(struct host *h, enum tally_admin_opcode opcode, uint32_t size)
{
	const struct bad_field bad[] = {
		BAD(query, id, TALLY_MAX_GROUP, NOT_FOUND),
		BAD(query, length, size - 1, BAD_FIELD),
		BAD(query, length, 0, BAD_FIELD),
		BAD(query, addr, UINT64_MAX - 8, BAD_FIELD),
		BAD(query, addr, HOST_BASE + HOST_BYTES - size + 1, DMA_ERROR),
		TAIL(query, addr, 1), LAST_BYTE,
	};
	union admin_body q = { .raw = { 0 } };
	struct tally_admin_cqe cqe;
	uint64_t addr = host_alloc(h, LIST_BYTES, 8);
	uint8_t *list = host_ptr(h, addr);

	q.query.id = htole32(LIST_GROUP);
	q.query.length = htole32(size);
	q.query.addr = htole64(addr);
	TRY_BAD(h, opcode, &q, bad);
	h->engine->result = (struct engine_result){ TALLY_ADMIN_STATUS_NOT_FOUND, 0 };
	expect(h, opcode, &q, TALLY_ADMIN_STATUS_NOT_FOUND, 8);
	h->engine->result = (struct engine_result){ TALLY_ADMIN_STATUS_OK, 0xffff };
	memset(list, 0xee, LIST_BYTES);
	cqe = host_command(h, opcode, &q);
	assert_int_equal(le16toh(cqe.status), TALLY_ADMIN_STATUS_OK);
	assert_int_equal(le64toh(cqe.value[0]), size);
	assert_int_equal(list[size], 0xee);
	return list;
}

static void lists(void **state)
{
	const struct tally_arrival *arrivals;
	const struct tally_edge_info *edges;
	const struct tally_seg_info *segs;
	struct host *h = *state;
	uint32_t n;

	host_reset(h);
	edges = query_list(h, TALLY_ADMIN_QUERY_EDGES,
			   (TALLY_MAX_CONTRIBUTORS + 1) * sizeof(*edges));
	assert_int_equal(le32toh(edges[0].peer_done), LIST_GROUP);
	assert_int_equal(edges[TALLY_MAX_CONTRIBUTORS].index, TALLY_CONTRIB_PARENT);
	assert_int_equal(edges[1].state, TALLY_EDGE_NONE);
	arrivals = query_list(h, TALLY_ADMIN_QUERY_ARRIVALS,
			      TALLY_NUM_ARRIVALS * sizeof(*arrivals));
	assert_int_equal(le32toh(arrivals[0].mid), LIST_GROUP);
	assert_int_equal(arrivals[TALLY_NUM_ARRIVALS - 1].last, TALLY_MAX_RANKS);
	/* The list is as long as the group has segments. */
	for (n = 2; n <= TALLY_MAX_GROUP_SEGS; n *= 2) {
		h->engine->num_segs = n;
		segs = query_list(h, TALLY_ADMIN_QUERY_SEGS, n * sizeof(*segs));
		assert_int_equal(le32toh(segs[0].num), LIST_GROUP);
		assert_int_equal(segs[n - 1].state, TALLY_SEG_BUSY);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(unknown_commands), TEST(nop), TEST(completion_ring_full),
		TEST(impossible_counts), TEST(ring_unreachable), TEST(eq_commands),
		TEST(cq_commands), TEST(mr_commands), TEST(qp_create), TEST(qp_modify_destroy),
		TEST(qp_destroyed_with_work), TEST(group_create_command),
		TEST(group_configuration), TEST(group_commands), TEST(group_reset), TEST(eq_0_in_use),
		TEST(queries), TEST(lists),
	};

	return cmocka_run_group_tests_name("admin queue", tests, NULL, NULL);
}
