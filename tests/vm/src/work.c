/* SPDX-License-Identifier: BSD-2-Clause */
#include "work.h"

#include <unistd.h>

#include "check.h"

#define SOON_MS 15000
#define POLL_PAUSE_US 300

void port_open(struct port *port, struct nic *nic, struct tallydv_group *group, uint64_t ranks,
	       uint16_t number)
{
	unsigned int local = __builtin_popcountll(ranks ? ranks : group->ranks);
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_DRIVER,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.pd = nic->pd,
		.send_cq = ibv_cq_ex_to_cq(nic->cq),
		.cap = {
			.max_send_wr = QP_DEPTH,
			.max_send_sge = local > QP_SGE ? local : QP_SGE,
			.max_inline_data = QP_INLINE,
		},
	};
	struct tallydv_qp_init_attr dv = { .group = group, .ranks = ranks, .port = number };
	char why[256];

	port->nic = nic;
	port->qp = tallydv_create_qp(nic->context, &attr, &dv, why, sizeof(why));
	REQUIRE(port->qp, "queue pair %u of group %#x: %s", number, group->jid, why);
	port->ex = ibv_qp_to_qp_ex(port->qp);
	port->dv = tallydv_qp_from_ibv_qp_ex(port->ex);
}

void port_close(struct port *port)
{
	REQUIRE(!ibv_destroy_qp(port->qp), "queue pair");
	port->qp = NULL;
}

void ports_open(struct port *ports, struct team *team, uint16_t number)
{
	for (unsigned int i = 0; i < team->cluster->count; i++)
		if (team->group[i])
			port_open(&ports[i], &team->cluster->nic[i], team->group[i], 0, number);
}

void ports_close(struct port *ports, struct team *team)
{
	for (unsigned int i = 0; i < team->cluster->count; i++)
		if (team->group[i])
			port_close(&ports[i]);
}

/* ---- Posting ---- */
void request_plain(struct request *r, enum tally_opcode opcode, uint32_t mid)
{
	memset(r, 0, sizeof(*r));
	r->w.wr.opcode = IBV_WR_DRIVER1;
	r->w.wr.send_flags = IBV_SEND_SIGNALED;
	r->w.wr.wr_id = mid;
	r->w.wr.sg_list = r->give;
	r->w.coll.opcode = opcode;
	r->w.coll.mid = mid;
	r->w.coll.result_list = r->get;
}

void request_allreduce(struct request *r, const struct nic *nic, enum tally_op op,
		       enum tally_type type, uint32_t count, uint32_t size, uint32_t mid)
{
	request_plain(r, TALLY_OPCODE_ALLREDUCE, mid);
	r->w.coll.op = op;
	r->w.coll.dtype = type;
	r->w.coll.count = count;
	r->w.wr.num_sge = 1;
	r->w.coll.num_result = 1;
	r->give[0] = (struct ibv_sge){ (uintptr_t)nic->buf, count * size, nic->mr->lkey };
	r->get[0] = (struct ibv_sge){ (uintptr_t)nic->buf + BUF_SIZE / 2, count * size,
				      nic->mr->lkey };
}

void request_barrier(struct request *r, uint32_t mid)
{
	request_plain(r, TALLY_OPCODE_BARRIER, mid);
}

void post(struct port *port, struct request *r)
{
	struct ibv_send_wr *bad;
	int err = ibv_post_send(port->qp, &r->w.wr, &bad);

	REQUIRE(!err, "posting message %u: error %d", r->w.coll.mid, err);
}

/* ---- Completions ---- */
bool try_outcome(struct nic *nic, struct outcome *out)
{
	struct ibv_poll_cq_attr attr = {};
	int err = ibv_start_poll(nic->cq, &attr);

	REQUIRE(!err || err == ENOENT, "polling: error %d", err);
	if (err)
		return false;
	*out = (struct outcome){
		.wr_id = nic->cq->wr_id,
		.status = nic->cq->status,
		.coll = tallydv_wc_read_coll_status(nic->cq),
		.qp_num = ibv_wc_read_qp_num(nic->cq),
		.bytes = ibv_wc_read_byte_len(nic->cq),
		.jid = tallydv_wc_read_jid(nic->cq),
		.mid = tallydv_wc_read_mid(nic->cq),
		.sid = tallydv_wc_read_sid(nic->cq),
		.seg = tallydv_wc_read_seg(nic->cq),
		.detector = tallydv_wc_read_detector(nic->cq),
		.err_vector = tallydv_wc_read_err_vector(nic->cq),
		.opcode = tallydv_wc_read_opcode(nic->cq),
		.flags = tallydv_wc_read_flags(nic->cq),
		.nodes = tallydv_wc_read_node_bitmap(nic->cq),
		.ranks = tallydv_wc_read_rank_bitmap(nic->cq),
		.timestamp_ns = tallydv_wc_read_timestamp_ns(nic->cq),
		.elapsed_ns = tallydv_wc_read_elapsed_ns(nic->cq),
	};
	REQUIRE(ibv_wc_read_vendor_err(nic->cq) == out->coll, "vendor_err is %u, status %u",
		ibv_wc_read_vendor_err(nic->cq), out->coll);
	ibv_end_poll(nic->cq);
	return true;
}

bool wait_outcome(struct nic *nic, struct outcome *out, unsigned int ms)
{
	uint64_t end = now_ms() + (uint64_t)ms * slowness();

	while (!try_outcome(nic, out)) {
		if (now_ms() >= end)
			return false;
		usleep(POLL_PAUSE_US);
	}
	return true;
}

void expect_success(struct nic *nic, const char *what)
{
	struct outcome out;

	REQUIRE(wait_outcome(nic, &out, SOON_MS), "%s at %s: no completion in %u ms", what,
		ibv_get_device_name(nic->context->device), SOON_MS);
	REQUIRE(out.status == IBV_WC_SUCCESS, "%s at %s: %s; detector %u, nodes %#lx, ranks %#lx",
		what, ibv_get_device_name(nic->context->device), tallydv_coll_status_str(out.coll),
		out.detector, out.nodes, out.ranks);
}

struct outcome ask(struct port *port, uint32_t mid)
{
	struct outcome out;
	struct request r;

	request_plain(&r, TALLY_OPCODE_QUERY, mid);
	post(port, &r);
	REQUIRE(wait_outcome(port->nic, &out, SOON_MS), "no answer about message %u", mid);
	REQUIRE(out.opcode == TALLY_OPCODE_QUERY && out.status == IBV_WC_SUCCESS && out.mid == mid,
		"asked about message %u: opcode %u, message %u, %s", mid, out.opcode, out.mid,
		tallydv_coll_status_str(out.coll));
	return out;
}

void await_begun(struct port *port, uint32_t mid)
{
	uint64_t end = now_ms() + SOON_MS;

	for (;;) {
		struct outcome out = ask(port, mid);

		if (out.flags & TALLY_CQE_F_PENDING && !out.ranks)
			return;
		REQUIRE(now_ms() < end, "message %u: flags %#x, ranks %#lx", mid, out.flags,
			out.ranks);
		usleep(POLL_PAUSE_US);
	}
}

void expect_barrier(struct port *ports, struct team *team, uint32_t mid)
{
	struct request r;

	for (unsigned int i = 0; i < team->cluster->count; i++) {
		if (!team->group[i])
			continue;
		request_barrier(&r, mid);
		post(&ports[i], &r);
	}
	for (unsigned int i = 0; i < team->cluster->count; i++)
		if (team->group[i])
			expect_success(&team->cluster->nic[i], "barrier");
}
