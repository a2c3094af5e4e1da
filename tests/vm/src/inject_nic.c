/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Faults during communication: those that the NIC injects, and lost interrupts. Each fault strikes
 * as docs/faults.md promises. The other ranks of the group get their results or the promised
 * errors, and new queue pairs work again.
 */
#include <poll.h>
#include <unistd.h>

#include "check.h"
#include "knobs.h"
#include "work.h"

#define PATIENCE_MS 60000 /* for events that need no further action */
#define LIMIT_MS 5000     /* time limit of a message, in the devices' time */
#define COUNT 100
#define SIZE sizeof(int32_t)

static struct cluster cluster;
static struct team team;
static struct port ports[MAX_NICS];
static struct knobs knobs; /* knobs of node 0 */
static uint32_t mid;

static void begin(void)
{
	struct team_spec spec = { .jid = random_jid(), .timeout_ms = LIMIT_MS };

	team_create(&team, &cluster, &spec, ALL_NODES);
	ports_open(ports, &team, 0);
	mid = 0;
	expect_barrier(ports, &team, mid++);
}

static void end(void)
{
	ports_close(ports, &team);
	team_destroy(&team);
}

static void post_barriers(void)
{
	struct request r;

	request_barrier(&r, mid++);
	for (unsigned int node = 0; node < cluster.count; node++)
		post(&ports[node], &r);
}

/* Checks the next outcome at a node. `coll` TALLY_COLL_OK means success. */
static void expect(unsigned int node, enum ibv_wc_status status, enum tally_coll_status coll)
{
	struct outcome out;

	REQUIRE(wait_outcome(&cluster.nic[node], &out, PATIENCE_MS), "node %u: no completion", node);
	REQUIRE(out.status == status && out.coll == coll,
		"node %u, message %u: %s (%s), not %s (%s)", node, out.mid,
		tallydv_coll_status_name(out.coll), ibv_wc_status_str(out.status),
		tallydv_coll_status_name(coll), ibv_wc_status_str(status));
}

/* Waits until a fault was injected `count` times. */
static void await_count(const char *fault, uint64_t count)
{
	uint64_t limit = now_ms() + PATIENCE_MS;

	while (knob_read(&knobs, fault, "count") < count) {
		REQUIRE(now_ms() < limit, "%s was not injected", fault);
		usleep(1000);
	}
	REQUIRE(knob_read(&knobs, fault, "count") == count, "%s: too often", fault);
}

static void one_more(const char *fault, const char *filter, unsigned int n, uint64_t *count)
{
	*count = knob_read(&knobs, fault, "count") + 1;
	fail_nth(&knobs, fault, filter, n);
}

/* ---- Lost doorbells ---- */

/* The next doorbell also announces the request before. */
static void doorbell_then_another(void)
{
	char qpn[16];
	uint64_t count;

	begin();
	snprintf(qpn, sizeof(qpn), "%u", ports[0].qp->qp_num);
	one_more("lost_doorbell", qpn, 1, &count);
	post_barriers();
	await_count("lost_doorbell", count);
	post_barriers();
	for (unsigned int i = 0; i < 2; i++)
		for (unsigned int node = 0; node < cluster.count; node++)
			expect_success(&cluster.nic[node], "barrier whose doorbell was lost");
	end();
}

/* No doorbell follows: the other ranks time out, and the request is flushed with its group. */
static void doorbell_and_no_other(void)
{
	uint64_t count;

	begin();
	one_more("lost_doorbell", NULL, 1, &count);
	post_barriers();
	for (unsigned int node = 1; node < cluster.count; node++)
		expect(node, IBV_WC_RESP_TIMEOUT_ERR, TALLY_COLL_TIMEOUT);
	expect(0, IBV_WC_WR_FLUSH_ERR, TALLY_COLL_TIMEOUT);
	await_count("lost_doorbell", count);
	end();
}

/* ---- Memory ---- */
static void post_sum(unsigned int node)
{
	struct request r;

	request_allreduce(&r, &cluster.nic[node], TALLY_OP_SUM, TALLY_TYPE_INT32, COUNT, SIZE, mid);
	post(&ports[node], &r);
}

/* Posts at all nodes. The failing node posts last, when all others wait for it. */
static void post_sums(void)
{
	for (unsigned int node = 1; node < cluster.count; node++) {
		post_sum(node);
		await_begun(&ports[node], mid);
	}
	post_sum(0);
	mid++;
}

static void data_unreadable(const char *lkey)
{
	uint64_t count;

	begin();
	one_more("dma_error", lkey, 1, &count);
	post_sums();
	expect(0, IBV_WC_LOC_ACCESS_ERR, TALLY_COLL_DMA_ERROR);
	for (unsigned int node = 1; node < cluster.count; node++)
		expect(node, IBV_WC_REM_ABORT_ERR, TALLY_COLL_DMA_ERROR);
	await_count("dma_error", count);
	end();
}

/* A queue pair that ended the group may report its end before or after the result. */
static void expect_result_or_end(unsigned int node)
{
	struct outcome out;

	REQUIRE(wait_outcome(&cluster.nic[node], &out, PATIENCE_MS), "node %u: no completion", node);
	REQUIRE(out.status == IBV_WC_SUCCESS || (out.status == IBV_WC_REM_ABORT_ERR &&
		out.coll == TALLY_COLL_DMA_ERROR && !out.detector && out.ranks == 1),
		"node %u: %s (%s), detector %u, ranks %#lx", node, tallydv_coll_status_name(out.coll),
		ibv_wc_status_str(out.status), out.detector, out.ranks);
}

/* The second access is that to the result. */
static void result_unwritable(const char *lkey)
{
	uint64_t count;

	begin();
	one_more("dma_error", lkey, 2, &count);
	post_sums();
	expect(0, IBV_WC_LOC_ACCESS_ERR, TALLY_COLL_DMA_ERROR);
	for (unsigned int node = 1; node < cluster.count; node++)
		expect_result_or_end(node);
	await_count("dma_error", count);
	end();
}

/* ---- Completion queues ---- */

/* The completion has a wrong queue pair number. Polling reports it and continues. */
static void corrupt_completion(void)
{
	struct ibv_poll_cq_attr attr = {};
	uint64_t count;
	int err;

	begin();
	knob_number(&knobs, "corrupt_cqe", "value", 0);
	one_more("corrupt_cqe", NULL, 1, &count);
	post_barriers();
	for (unsigned int node = 1; node < cluster.count; node++)
		expect_success(&cluster.nic[node], "barrier");
	while ((err = ibv_start_poll(cluster.nic[0].cq, &attr)) == ENOENT)
		usleep(1000);
	REQUIRE(err == EIO, "error %d", err);
	await_count("corrupt_cqe", count);
	expect_barrier(ports, &team, mid++);
	end();
}

/* The test uses a queue of its own, because the queue is unusable afterwards. */
static void overrun(void)
{
	struct nic *nic = &cluster.nic[0];
	struct ibv_cq_init_attr_ex attr = { .cqe = CQ_DEPTH };
	struct ibv_cq_ex *old = nic->cq, *cq = ibv_create_cq_ex(nic->context, &attr);
	struct ibv_async_event event;
	struct ibv_poll_cq_attr poll = {};
	uint64_t count;

	REQUIRE(cq, "completion queue");
	nic->cq = cq;
	begin();
	one_more("cq_overrun", NULL, 1, &count);
	post_barriers();
	for (unsigned int node = 1; node < cluster.count; node++)
		expect_success(&cluster.nic[node], "barrier");
	REQUIRE(!ibv_get_async_event(nic->context, &event), "event");
	REQUIRE(event.event_type == IBV_EVENT_CQ_ERR && event.element.cq == ibv_cq_ex_to_cq(cq),
		"event %s", ibv_event_type_str(event.event_type));
	ibv_ack_async_event(&event);
	await_count("cq_overrun", count);
	REQUIRE(ibv_start_poll(cq, &poll) == ENOENT, "a completion in a queue that overran");
	end();
	nic->cq = old;
	REQUIRE(!ibv_destroy_cq(ibv_cq_ex_to_cq(cq)), "completion queue");
}

/* ---- Interrupts ---- */

/* The events stay in the queue until the driver's health work examines it. */
static void lost_interrupt(void)
{
	struct nic *nic = &cluster.nic[0];
	struct pollfd fd = { .fd = nic->channel->fd, .events = POLLIN };
	struct ibv_cq *cq;
	void *context;
	uint64_t count;

	begin();
	REQUIRE(!ibv_req_notify_cq(ibv_cq_ex_to_cq(nic->cq), 0), "arming");
	one_more("lost_interrupt", "1", 1, &count);
	post_barriers();
	REQUIRE(poll(&fd, 1, PATIENCE_MS) == 1, "no event");
	await_count("lost_interrupt", count);
	REQUIRE(!ibv_get_cq_event(nic->channel, &cq, &context), "event");
	ibv_ack_cq_events(cq, 1);
	for (unsigned int node = 0; node < cluster.count; node++)
		expect_success(&cluster.nic[node], "barrier");
	end();
}

static void works(void)
{
	begin();
	for (unsigned int i = 0; i < 10; i++)
		expect_barrier(ports, &team, mid++);
	end();
}

int main(void)
{
	static const char *const faults[] = { "lost_doorbell", "corrupt_cqe", "dma_error", "cq_overrun",
					      "lost_interrupt" };
	char lkey[16];

	limit_time(100);
	cluster_open(&cluster);
	knobs_open(&knobs, cluster.nic[0].context);
	snprintf(lkey, sizeof(lkey), "%u", cluster.nic[0].mr->lkey);
	doorbell_then_another();
	doorbell_and_no_other();
	data_unreadable(lkey);
	result_unwritable(lkey);
	corrupt_completion();
	overrun();
	lost_interrupt();
	for (unsigned int i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		fault_off(&knobs, faults[i]);
	works();
	cluster_close(&cluster);
	return 0;
}
