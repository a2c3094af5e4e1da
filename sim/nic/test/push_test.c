// SPDX-License-Identifier: BSD-2-Clause
/* Work requests that come with their doorbells, and what a guest may do to them. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "nic/test/host.h"

#define PUSHED	0x11	/* what a pushed request is filled with; one in the send queue: its slot */

static int setup(void **state)
{
	struct host *h = host_new(NULL, sim_new(1));

	h->push_qp = true;
	host_objects(h);
	for (unsigned int i = 0; i < HOST_SQ_DEPTH; i++)
		memset((uint8_t *)host_ptr(h, h->sq) + i * HOST_SQ_STRIDE, (int)i, HOST_SQ_STRIDE);
	*state = h;
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

/* A request with @data bytes of inline data and lists of @gather and @result entries. */
static void fill(struct tally_push_buf *push, uint32_t data, uint8_t gather, uint8_t result)
{
	struct tally_wqe w;

	memset(push->wqe, PUSHED, sizeof(push->wqe));
	memset(&w, PUSHED, sizeof(w));
	w.inline_len = htole32(data);
	w.num_gather = gather;
	w.num_result = result;
	memcpy(push->wqe, &w, sizeof(w));
}

static void mark(struct host *h, uint64_t begin, uint64_t end)
{
	h->push->begin = htole64(begin);
	h->push->end = htole64(end);
}

static void push(struct host *h, uint64_t posted)
{
	fill(h->push, 16, 0, 1);
	mark(h, posted, posted);
}

static void ring(struct host *h, uint64_t posted)
{
	h->qp_slot->counter = htole64(posted);
	host_run(h);
}

static void fetch(struct host *h, uint32_t index)
{
	h->engine->host->fetch_wqe(h->engine->ctx, HOST_QPN, index);
}

/* The engine asks for entry @index and gets it from the buffer, at once, or from memory. */
static void expect(struct host *h, uint32_t index, bool pushed)
{
	uint64_t before = nic_counter(h->nic, TALLY_CTR_pushed);
	unsigned int wqes = h->engine->wqes;
	vtime_t start = sim_now(h->sim);

	fetch(h, index);
	assert_int_equal(h->engine->wqes, wqes);
	host_run(h);
	assert_int_equal(h->engine->wqes, wqes + 1);
	assert_int_equal(h->engine->wqe_index, index);
	assert_int_equal(h->engine->wqe_len, HOST_SQ_STRIDE);
	assert_int_equal(h->engine->wqe[sizeof(struct tally_wqe)],
			 pushed ? PUSHED : index % HOST_SQ_DEPTH);
	assert_int_equal(nic_counter(h->nic, TALLY_CTR_pushed), before + pushed);
	if (pushed)
		assert_int_equal(sim_now(h->sim), start);
	else
		assert_true(sim_now(h->sim) > start);
}

static void taken(void **state)
{
	struct host *h = *state;

	push(h, 1);
	ring(h, 1);
	assert_int_equal(h->engine->posted, 1);
	expect(h, 0, true);
	/* The list behind the data came along, and nothing behind that. */
	assert_int_equal(h->engine->wqe[sizeof(struct tally_wqe) + 31], PUSHED);
	assert_int_equal(h->engine->wqe[sizeof(struct tally_wqe) + 32], 0);
	/* Once only. */
	expect(h, 0, false);
	push(h, 2);
	ring(h, 2);
	expect(h, 1, true);
}

/* What the engine fetches next need not be what was pushed. */
static void another_entry(void **state)
{
	struct host *h = *state;

	push(h, 3);
	ring(h, 3);
	expect(h, 0, false);
	expect(h, 1, false);
	expect(h, 2, true);
	/* A later doorbell without a request makes an end of it. */
	push(h, 4);
	ring(h, 4);
	ring(h, 5);
	expect(h, 3, false);
}

static void torn(void **state)
{
	static const uint64_t begin_end[][2] = { { 1, 0 }, { 0, 1 }, { 2, 1 }, { 1, 2 }, { 0, 0 },
						 { 2, 2 }, { UINT64_MAX, 1 }, { 1 + (1ull << 32), 1 },
						 { 1 + (1ull << 32), 1 + (1ull << 32) } };
	struct host *h = *state;

	for (unsigned int i = 0; i < sizeof(begin_end) / sizeof(begin_end[0]); i++) {
		uint64_t base = 10 * i;

		fill(h->push, 16, 0, 1);
		mark(h, base + begin_end[i][0], base + begin_end[i][1]);
		ring(h, base + 1);
		expect(h, (uint32_t)base, false);
	}
}

/* Requests that say they are longer than the entry, or the buffer. */
static void hostile_lengths(void **state)
{
	const uint32_t room = HOST_SQ_STRIDE - sizeof(struct tally_wqe);
	const struct { uint32_t data; uint8_t gather, result; bool taken; } lengths[] = {
		{ room, 0, 0, true }, { room + 1, 0, 0, false }, { UINT32_MAX, 0, 0, false },
		{ UINT32_MAX - 15, 255, 255, false }, { 0, room / 16, 0, true },
		{ 0, room / 16, 1, false }, { room - 17, 0, 1, true }, { room - 15, 0, 1, false },
		{ 0, 255, 255, false },
	};
	struct host *h = *state;

	for (unsigned int i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		fill(h->push, lengths[i].data, lengths[i].gather, lengths[i].result);
		mark(h, i + 1, i + 1);
		ring(h, i + 1);
		expect(h, i, lengths[i].taken);
	}
}

/* What was copied when the doorbell was noticed counts, whatever becomes of the buffer. */
static void changed_afterwards(void **state)
{
	struct host *h = *state;

	push(h, 1);
	h->qp_slot->counter = htole64(1);
	nic_doorbells(h->nic);
	memset(h->push, 0xee, sizeof(*h->push));
	host_run(h);
	expect(h, 0, true);
	/* Two doorbells noticed at one time: the second one's request is the one that came. */
	push(h, 2);
	h->qp_slot->counter = htole64(2);
	nic_doorbells(h->nic);
	push(h, 3);
	ring(h, 3);
	expect(h, 1, false);
	expect(h, 2, true);
}

/* Two on their way: the later one is there before the engine asked for the earlier one. */
static void overtaken(void **state)
{
	struct host *h = *state;

	push(h, 1);
	h->qp_slot->counter = htole64(1);
	nic_doorbells(h->nic);
	sim_run_until(h->sim, sim_now(h->sim) + VT_NS);
	push(h, 2);
	ring(h, 2);
	expect(h, 0, false);
	expect(h, 1, true);
}

static void not_bound(void **state)
{
	struct host *h = *state;
	union admin_body other, destroy = { .raw = { 0 } };
	struct tally_admin_cqe cqe;

	h->push_qp = false;
	other = host_create_qp(h);
	other.create_qp.qpn = htole32(HOST_QPN + 1);
	other.create_qp.slot = htole16(3);
	other.create_qp.push = htole16(1);
	cqe = host_command(h, TALLY_ADMIN_CREATE_QP, &other);
	assert_int_equal(le16toh(cqe.status), TALLY_ADMIN_STATUS_IN_USE);
	assert_int_equal(le16toh(cqe.bad_offset),
			 8 + offsetof(struct tally_cmd_create_qp, push));
	assert_int_equal(h->engine->qps_created, 1);
	/* One that does not push may share the UAR. */
	other.create_qp.push = 0;
	host_must(h, TALLY_ADMIN_CREATE_QP, &other);
	push(h, 1);
	((struct tally_uar_slot *)h->qp_slot)[3 - (TALLY_UAR_SLOTS - 1)].counter = htole64(1);
	host_run(h);
	assert_int_equal(h->engine->qpn, HOST_QPN + 1);
	h->engine->host->fetch_wqe(h->engine->ctx, HOST_QPN + 1, 0);
	host_run(h);
	assert_int_equal(nic_counter(h->nic, TALLY_CTR_pushed), 0);
	/* With its queue pair the buffer becomes free. */
	destroy.object.id = htole32(HOST_QPN);
	host_must(h, TALLY_ADMIN_DESTROY_QP, &destroy);
	other.create_qp.qpn = htole32(HOST_QPN);
	other.create_qp.slot = htole16(4);
	other.create_qp.push = htole16(1);
	host_must(h, TALLY_ADMIN_CREATE_QP, &other);
}

static void modify(struct host *h, enum tally_qp_state to)
{
	union admin_body m = { .raw = { 0 } };

	m.modify_qp.qpn = htole32(HOST_QPN);
	m.modify_qp.state = (uint8_t)to;
	host_must(h, TALLY_ADMIN_MODIFY_QP, &m);
}

/* Counts begin anew, and what is left in the buffer is not of the new ones. */
static void reset(void **state)
{
	struct host *h = *state;

	push(h, 1);
	ring(h, 1);
	modify(h, TALLY_QPS_RESET);
	assert_int_equal(h->push->begin, 0);
	assert_int_equal(h->push->end, 0);
	h->qp_slot->counter = 0;
	modify(h, TALLY_QPS_RTS);
	expect(h, 0, false);
	ring(h, 1);
	expect(h, 0, false);
	push(h, 2);
	ring(h, 2);
	expect(h, 1, true);
	/* A device that is reset lets go of all buffers, with a request in each place it may be. */
	push(h, 3);
	ring(h, 3);
	push(h, 4);
	h->qp_slot->counter = htole64(4);
	nic_doorbells(h->nic);
	fetch(h, 2);
	host_objects(h);
	push(h, 1);
	ring(h, 1);
	expect(h, 0, true);
}

/* A queue pair goes while its request is on its way to the engine. */
static void destroyed(void **state)
{
	struct host *h = *state;
	unsigned int wqes = h->engine->wqes;

	push(h, 1);
	ring(h, 1);
	fetch(h, 0);
	qp_free(h->nic, h->nic->qp[HOST_QPN]);
	host_run(h);
	assert_int_equal(h->engine->wqes, wqes);
	assert_int_equal(h->push->end, 0);
}

#define ROUNDS 200000

static void *write_on(void *arg)
{
	struct tally_push_buf *push = arg;
	struct tally_wqe w = { 0 };

	w.inline_len = htole32(128);
	for (uint64_t i = 1; i <= ROUNDS; i++) {
		__atomic_store_n(&push->begin, htole64(i), __ATOMIC_RELAXED);
		__atomic_thread_fence(__ATOMIC_RELEASE);
		w.jid = (uint32_t)i;
		memcpy(push->wqe, &w, sizeof(w));
		for (unsigned int k = 0; k < 32; k++)
			memcpy(push->wqe + sizeof(w) + 4 * k, &w.jid, sizeof(w.jid));
		__atomic_store_n(&push->end, htole64(i), __ATOMIC_RELEASE);
	}
	return NULL;
}

/* Another thread writes all the time: a copy is of one request or there is none. */
static void concurrent(void **state)
{
	struct host *h = *state;
	const struct qp *qp = h->nic->qp[HOST_QPN];
	uint64_t posted = 0;
	pthread_t writer;

	assert_int_equal(pthread_create(&writer, NULL, write_on, h->push), 0);
	while (posted < ROUNDS) {
		struct pushed *p;

		posted = bar_load64(&h->push->end);
		p = posted ? push_take(h->nic, qp, posted) : NULL;
		for (unsigned int k = 0; p && k < 32; k++)
			assert_memory_equal(p->wqe + sizeof(struct tally_wqe) + 4 * k, &posted, 4);
		/* Once the writer is done there is nothing in the way. */
		assert_true(p || posted < ROUNDS);
		free(p);
	}
	assert_int_equal(pthread_join(writer, NULL), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(taken), TEST(another_entry), TEST(torn), TEST(hostile_lengths),
		TEST(changed_afterwards), TEST(overtaken), TEST(not_bound), TEST(reset),
		TEST(destroyed), TEST(concurrent),
	};

	return cmocka_run_group_tests_name("push", tests, NULL, NULL);
}
