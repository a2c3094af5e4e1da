/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attacks through a process's own queues. Their memory is overwritten while the NIC reads and
 * writes it, and their doorbells hold random values. Only the work of that process may suffer.
 */
#include "isolation.h"

#include <pthread.h>

#define QUEUES 4
#define ROUNDS 5	/* most rounds */
#define STORES 50	/* stores between two checks of the queue pair */
#define CHANGES 60
#define CQS 96
#define FLOOD 100	/* arm requests for each completion queue */
#define COUNT 8

static struct cluster cluster;
static struct lone lone;
static struct tally_wqe template; /* a valid request, followed by its two list entries */
static struct tally_sge template_sge[2];
static unsigned int stop;

/* ---- A request as the library writes it ---- */
static void take_template(void)
{
	struct port *port = &lone.port;
	struct request r;

	request_allreduce(&r, lone.nic, TALLY_OP_SUM, TALLY_TYPE_INT32, COUNT, sizeof(int32_t),
			  lone.mid);
	ibv_wr_start(port->ex);
	port->ex->wr_flags = IBV_SEND_SIGNALED;
	tallydv_wr_coll(port->dv, &r.w.coll);
	ibv_wr_set_sge_list(port->ex, 1, r.give);
	tallydv_wr_set_result(port->dv, 1, r.get);
	template = *to_tqp(port->qp)->wqe;
	memcpy(template_sge, to_tqp(port->qp)->wqe + 1, sizeof(template_sge));
	ibv_wr_abort(port->ex);
}

/* ---- Random data at random places and times ---- */
static void write_request(struct tally_qp *qp, uint64_t index)
{
	uint8_t *entry = (uint8_t *)tally_qp_entry(qp, index);
	struct tally_sge sge[2] = { template_sge[0], template_sge[1] };
	unsigned int which = random64() % 2;

	memcpy(entry, &template, sizeof(template));
	((struct tally_wqe *)entry)->index = htole32(index);
	if (random64() & 1) {
		sge[which].addr = htole64(stage->victim.addr[0]);
		sge[which].lkey = htole32(stage->victim.lkey[0]);
	}
	memcpy(entry + sizeof(template), sge, sizeof(sge));
	if (random64() & 1)
		entry[random64() % (sizeof(template) + sizeof(sge))] = random64();
}

static void *scribble(void *arg)
{
	struct tally_qp *qp = to_tqp(lone.port.qp);
	struct tally_cq *cq = to_tcq_ex(lone.nic->cq);
	size_t sq_bytes = (qp->tracker.mask + 1) << qp->stride_shift;

	(void)arg;
	while (!look(&stop)) {
		uint64_t word = random64();

		write_request(qp, random64() % (qp->tracker.mask + 1));
		memcpy(qp->sq + random64() % (sq_bytes / sizeof(word)) * sizeof(word), &word,
		       sizeof(word));
		((uint64_t *)cq->ring)[random64() % (cq->depth * sizeof(*cq->ring) / sizeof(word))] =
			random64();
	}
	return NULL;
}

static void wake(const struct tally_doorbell *doorbell)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (*doorbell->need_wake)
		*doorbell->wake = doorbell->wake_value;
}

/* Stores counts that step, jump and go back, also for the completion queue. */
static void ring_doorbells(void)
{
	struct tally_qp *qp = to_tqp(lone.port.qp);
	struct tally_cq *cq = to_tcq_ex(lone.nic->cq);
	uint64_t posted = 0;

	for (unsigned int i = 0; i < STORES; i++) {
		posted += random64() % 4;
		*qp->doorbell.counter = htole64(random64() % 64 ? posted : random64());
		*cq->doorbell.counter = htole64(random64() % 2 ? random64() % 512 : random64());
		cq->record->consumed = htole64(random64() % 2 ? random64() % 512 : random64());
		*cq->doorbell.arm = htole64(random64() >> random64() % 64);
		wake(&qp->doorbell);
	}
}

/* Corrupts the queues until the completion queue has overrun, which happens sooner or later. */
static void spoil_queues(void)
{
	pthread_t thread;

	stop = 0;
	take_template();
	REQUIRE(!pthread_create(&thread, NULL, scribble, NULL), "thread");
	for (unsigned int i = 0; i < ROUNDS; i++) {
		ring_doorbells();
		if (lone_revive(&lone))
			break;
	}
	add(&stop, 1);
	pthread_join(thread, NULL);
	lone_read_nothing(&lone);
	add(&stage->refused, 1);
}

void rings_overwritten(void)
{
	struct nic nic;

	cluster_open(&cluster);
	for (unsigned int i = 0; i < QUEUES || under_way(); i++) {
		nic = cluster.nic[0];
		nic.cq = ibv_create_cq_ex(nic.context, &(struct ibv_cq_init_attr_ex){ .cqe = 64 });
		REQUIRE(nic.cq, "completion queue");
		lone_open(&lone, &nic);
		spoil_queues();
		/* The rings are unusable, but all objects can be destroyed. */
		lone_close(&lone);
		REQUIRE(!ibv_destroy_cq(ibv_cq_ex_to_cq(nic.cq)), "completion queue");
	}
	cluster_close(&cluster);
}

/* ---- A request that changes after its doorbell ---- */
static void *flip(void *arg)
{
	const uint64_t addr[2] = { template_sge[0].addr, htole64(stage->victim.addr[0]) };
	const uint32_t lkey[2] = { template_sge[0].lkey, htole32(stage->victim.lkey[0]) };
	struct tally_qp *qp = to_tqp(lone.port.qp);

	(void)arg;
	for (unsigned int evil = 0; !look(&stop); evil ^= 1) {
		for (uint64_t i = 0; i <= qp->tracker.mask; i++) {
			volatile struct tally_sge *sge =
				(struct tally_sge *)(tally_qp_entry(qp, i) + 1);

			sge[evil].addr = addr[evil];
			sge[evil].lkey = lkey[evil];
			sge[!evil].lkey = lkey[!evil];
			sge[0].addr = addr[evil];
		}
	}
	return NULL;
}

/*
 * The data that the NIC fetched decide: success with memory of this process, or a refusal. The
 * victim checks its own memory.
 */
static void change_one(void)
{
	struct outcome out;
	struct request r;

	request_allreduce(&r, lone.nic, TALLY_OP_SUM, TALLY_TYPE_INT32, COUNT, sizeof(int32_t),
			  lone.mid);
	post(&lone.port, &r);
	REQUIRE(wait_outcome(lone.nic, &out, 60000), "no completion");
	if (out.status == IBV_WC_SUCCESS) {
		lone.mid++;
		return;
	}
	REQUIRE(out.coll == TALLY_COLL_BAD_LKEY || out.coll == TALLY_COLL_MR_RANGE, "%s",
		tallydv_coll_status_name(out.coll));
	add(&stage->refused, 1);
	REQUIRE(!lone_revive(&lone), "reviving the queue pair");
}

void changed_after_doorbell(void)
{
	pthread_t thread;

	cluster_open(&cluster);
	lone_open(&lone, &cluster.nic[0]);
	take_template();
	REQUIRE(!pthread_create(&thread, NULL, flip, NULL), "thread");
	for (unsigned int i = 0; i < CHANGES || under_way(); i++) {
		change_one();
		lone_read_nothing(&lone);
	}
	add(&stop, 1);
	pthread_join(thread, NULL);
	lone_close(&lone);
	cluster_close(&cluster);
}

/* ---- Events ---- */
/* Creates a completion queue with a completion that is never polled. */
static void open_cq(struct nic *nic, unsigned int i)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = 1,
		.channel = lone.nic->channel,
		.comp_vector = i % lone.nic->context->num_comp_vectors,
	};
	struct request r;
	struct port port;

	*nic = *lone.nic;
	nic->cq = ibv_create_cq_ex(nic->context, &attr);
	REQUIRE(nic->cq, "completion queue %u", i);
	port_open(&port, nic, lone.group, 0, i + 2);
	request_plain(&r, TALLY_OPCODE_QUERY, 0);
	post(&port, &r);
}

/*
 * Each arm request asks for an event that is due at once. Interrupts cannot keep up, so events
 * accumulate. They must not overflow the event queue, which all processes share.
 */
void events_flooded(void)
{
	static struct nic nics[CQS];
	uint64_t arm = 0;

	cluster_open(&cluster);
	lone_open(&lone, &cluster.nic[0]);
	for (unsigned int i = 0; i < CQS; i++)
		open_cq(&nics[i], i);
	for (unsigned int round = 0; round < FLOOD || under_way(); round++) {
		arm += 2;
		for (unsigned int i = 0; i < CQS; i++)
			*to_tcq_ex(nics[i].cq)->doorbell.arm = htole64(arm);
		wake(&to_tcq_ex(nics[0].cq)->doorbell);
	}
	/* The process ends with all objects open. */
}
