// SPDX-License-Identifier: BSD-2-Clause
/*
 * Completions for the provider: arbitrary entries at any place of the ring, while requests are
 * posted and polled through both interfaces, and the device fails. Only posted requests are
 * reported, each at most once.
 */
#include "input.h"
#include "providers/tally/tests/rig.h"

#define CQ_DEPTH	8
#define MOST_DEEDS	200
#define MOST_POLLED	6

struct run {
	struct rig *rig;
	struct input *in;
	uint64_t posted;
	bool reported[MOST_DEEDS];
};

/*
 * Checks that the request was posted and not reported before. Requests are numbered in the order of
 * posts.
 */
static void report(struct run *r, uint64_t wr_id)
{
	FUZZ_MUST(wr_id < r->posted && !r->reported[wr_id]);
	r->reported[wr_id] = true;
}

static void post(struct run *r)
{
	static const uint8_t opcodes[] = { TALLY_OPCODE_ALLREDUCE, TALLY_OPCODE_BARRIER, TALLY_OPCODE_QUERY,
					   TALLY_OPCODE_ABORT };

	if (!rig_post(r->rig, opcodes[input_below(r->in, sizeof(opcodes))], r->posted))
		r->posted++;
}

/* Writes a completion, which mostly matches a request and is in the right place. */
static void complete(struct run *r)
{
	uint32_t index = input_one_in(r->in, 4) ? input_number(r->in) :
			 r->rig->qp.tracker.retired + input_below(r->in, 8);
	struct tally_cqe cqe = rig_cqe(input_one_in(r->in, 8) ? input_number(r->in) : RIG_QPN, index,
				       input_u8(r->in), input_below(r->in, 30), input_below(r->in, 100));

	if (input_one_in(r->in, 4))
		input_spoil(r->in, &cqe, sizeof(cqe), 3);
	rig_write(r->rig, cqe);
}

static void overwrite(struct run *r)
{
	input_spoil(r->in, r->rig->cq.ring, CQ_DEPTH * sizeof(*r->rig->cq.ring), 4);
}

static void poll(struct run *r)
{
	int most = input_below(r->in, MOST_POLLED + 1), n, i;
	struct ibv_wc *wc = calloc(most, sizeof(*wc));

	FUZZ_MUST(wc);
	n = tally_poll_cq(&r->rig->cq.vcq.cq, most, wc);
	FUZZ_MUST(n <= most);
	for (i = 0; i < n; i++) {
		FUZZ_MUST(wc[i].opcode == IBV_WC_DRIVER1);
		report(r, wc[i].wr_id);
	}
	free(wc);
}

static void read_all(struct ibv_cq_ex *cq)
{
	ibv_wc_read_opcode(cq);
	ibv_wc_read_vendor_err(cq);
	ibv_wc_read_byte_len(cq);
	ibv_wc_read_qp_num(cq);
	ibv_wc_read_completion_ts(cq);
	tallydv_wc_read_coll_status(cq);
	tallydv_wc_read_node_bitmap(cq);
	tallydv_wc_read_elapsed_ns(cq);
}

static void poll_extended(struct run *r)
{
	struct ibv_cq_ex *cq = &r->rig->cq.vcq.cq_ex;
	struct ibv_poll_cq_attr attr = { 0 };
	unsigned int most = 1 + input_below(r->in, MOST_POLLED);

	if (ibv_start_poll(cq, &attr))
		return;
	do {
		report(r, cq->wr_id);
		read_all(cq);
	} while (--most && !ibv_next_poll(cq));
	ibv_end_poll(cq);
}

static void arm(struct run *r)
{
	tally_req_notify_cq(&r->rig->cq.vcq.cq, input_u8(r->in) & 1);
}

/* Detaches the queue pair from its completion queue, and attaches it again. */
static void detach(struct run *r)
{
	tally_cq_detach(&r->rig->cq, &r->rig->qp);
	tally_cq_attach(&r->rig->cq, &r->rig->qp);
}

static void spoil_status(struct run *r)
{
	input_spoil(r->in, &r->rig->status, sizeof(r->rig->status), 2);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const deeds[])(struct run *r) = {
		post, complete, poll, post, complete, poll_extended, post, complete, poll, overwrite, arm, detach,
		spoil_status,
	};
	struct input in = { data, size };
	struct run r = { .rig = rig_new(15, CQ_DEPTH), .in = &in };

	for (unsigned int i = 0; in.left && i < MOST_DEEDS; i++)
		deeds[input_below(&in, sizeof(deeds) / sizeof(deeds[0]))](&r);
	rig_free(r.rig);
	return 0;
}
