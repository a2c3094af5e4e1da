// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Rings with arbitrary contents: random bytes, and valid completions with one changed byte. Each
 * completion that the library returns names a request that was outstanding, and no request has two.
 */
#include <stdlib.h>
#include <string.h>

#include "rig.h"

#define CQ_DEPTH 16
#define ROUNDS 20000

struct hostile {
	struct rig *rig;
	uint64_t random;
	bool outstanding[ROUNDS]; /* by wr_id: requests of rig.qp that have not completed */
	uint64_t posted;
	unsigned int good, bad;
};

static int setup(void **state)
{
	struct hostile *h = calloc(1, sizeof(*h));

	h->rig = rig_new(15, CQ_DEPTH);
	h->random = 0x9e3779b97f4a7c15;
	*state = h;
	return 0;
}

static int teardown(void **state)
{
	struct hostile *h = *state;

	rig_free(h->rig);
	free(h);
	return 0;
}

/* Returns a random number (xorshift64*). */
static uint32_t draw(struct hostile *h)
{
	h->random ^= h->random >> 12;
	h->random ^= h->random << 25;
	h->random ^= h->random >> 27;
	return h->random * 0x2545f4914f6cdd1d >> 32;
}

static struct tally_cqe random_cqe(struct hostile *h)
{
	struct tally_cqe cqe;
	uint8_t *byte = (uint8_t *)&cqe;

	for (size_t i = 0; i < sizeof(cqe); i++)
		byte[i] = draw(h);
	return cqe;
}

/* Returns a plausible completion of a request near the outstanding ones. */
static struct tally_cqe likely_cqe(struct hostile *h)
{
	uint32_t index = h->rig->qp.tracker.retired + draw(h) % 20 - 2;

	return rig_cqe(RIG_QPN + (draw(h) % 8 == 0), index, TALLY_OPCODE_BARRIER, draw(h) % 4 * 7,
		       draw(h) % 128);
}

static struct tally_cqe turned_cqe(struct hostile *h)
{
	struct tally_cqe cqe = likely_cqe(h);

	((uint8_t *)&cqe)[draw(h) % offsetof(struct tally_cqe, owner)] ^= 0xff;
	return cqe;
}

static void take(struct hostile *h, uint64_t wr_id)
{
	assert_true(wr_id < h->posted);
	assert_true(h->outstanding[wr_id]);
	h->outstanding[wr_id] = false;
	h->good++;
}

static void poll_array(struct hostile *h)
{
	struct ibv_wc wc[4];
	int n = tally_poll_cq(&h->rig->cq.vcq.cq, 4, wc);

	if (n < 0) {
		assert_int_equal(n, -EIO);
		h->bad++;
	}
	for (int i = 0; i < n; i++) {
		assert_true(wc[i].status <= IBV_WC_GENERAL_ERR);
		take(h, wc[i].wr_id);
	}
}

static void poll_extended(struct hostile *h)
{
	struct ibv_cq_ex *cq = &h->rig->cq.vcq.cq_ex;
	struct ibv_poll_cq_attr attr = {};
	int err = ibv_start_poll(cq, &attr);
	bool begun = !err;

	for (; !err; err = ibv_next_poll(cq)) {
		assert_true(cq->status <= IBV_WC_GENERAL_ERR);
		assert_non_null(tallydv_coll_status_str(tallydv_wc_read_coll_status(cq)));
		assert_non_null(tallydv_opcode_str(tallydv_wc_read_opcode(cq)));
		take(h, cq->wr_id);
	}
	assert_true(err == ENOENT || err == EIO);
	h->bad += err == EIO;
	if (begun)
		ibv_end_poll(cq);
}

/*
 * The queue accepts a request exactly if its oldest outstanding one is less than a whole queue
 * back.
 */
static void post(struct hostile *h)
{
	uint8_t opcode = draw(h) % 4 ? TALLY_OPCODE_BARRIER : TALLY_OPCODE_QUERY;
	const struct tally_wr_tracker *tracker = &h->rig->qp.tracker;
	bool room = tracker->posted - tracker->retired < tracker->mask;

	if (h->posted == ROUNDS)
		return;
	assert_int_equal(rig_post(h->rig, opcode, h->posted), room ? 0 : ENOMEM);
	if (room)
		h->outstanding[h->posted++] = true;
}

static void run(struct hostile *h, struct tally_cqe (*make)(struct hostile *h))
{
	for (unsigned int round = 0; round < ROUNDS; round++) {
		const struct tally_wr_tracker *tracker = &h->rig->qp.tracker;

		if (draw(h) % 2)
			post(h);
		for (unsigned int i = draw(h) % 3; i; i--)
			rig_write(h->rig, draw(h) % 4 ? make(h) : likely_cqe(h));
		if (draw(h) % 2)
			poll_array(h);
		else
			poll_extended(h);
		assert_true(tracker->retired <= tracker->posted);
		assert_true(tracker->posted - tracker->retired <= tracker->mask + 1);
	}
	/* The run had enough good and enough bad completions. */
	assert_true(h->good > 500);
	assert_true(h->bad > 1000);
}

static void random_bytes(void **state)
{
	run(*state, random_cqe);
}

static void turned_bytes(void **state)
{
	run(*state, turned_cqe);
}

/* Changes every byte of the only completion of the only request, like INJECT_CORRUPT_CQE. */
static void each_byte(void **state)
{
	struct hostile *h = *state;
	struct rig *rig = h->rig;
	struct ibv_wc wc;

	for (size_t at = 0; at < offsetof(struct tally_cqe, owner); at++) {
		uint32_t index = rig->qp.tracker.posted;
		struct tally_cqe cqe = rig_cqe(RIG_QPN, index, TALLY_OPCODE_BARRIER,
					       TALLY_WC_SUCCESS, TALLY_COLL_OK);

		assert_int_equal(rig_post(rig, TALLY_OPCODE_BARRIER, at), 0);
		((uint8_t *)&cqe)[at] ^= 0xff;
		rig_write(rig, cqe);
		if (at < offsetof(struct tally_cqe, byte_cnt)) {
			/*
			 * It names another request: this is an error, and the request is still
			 * outstanding.
			 */
			assert_int_equal(tally_poll_cq(&rig->cq.vcq.cq, 1, &wc), -EIO);
			rig_complete(rig, index, TALLY_OPCODE_BARRIER);
		}
		assert_int_equal(tally_poll_cq(&rig->cq.vcq.cq, 1, &wc), 1);
		assert_int_equal(wc.wr_id, at);
		assert_int_equal(wc.status, at == offsetof(struct tally_cqe, status) ?
					    IBV_WC_GENERAL_ERR : IBV_WC_SUCCESS);
	}
}

/* All entries of the ring look written at once. */
static void a_ring_that_never_ends(void **state)
{
	struct hostile *h = *state;
	struct rig *rig = h->rig;
	struct ibv_wc wc[CQ_DEPTH];

	for (unsigned int round = 0; round < 100; round++) {
		post(h);
		/*
		 * Queue pairs are destroyed and created meanwhile. Entries of the old ones must not
		 * be returned.
		 */
		if (round % 10 == 9) {
			tally_cq_detach(&rig->cq, &rig->qp);
			tally_wr_tracker_reset(&rig->qp.tracker);
			tally_cq_attach(&rig->cq, &rig->qp);
			memset(h->outstanding, 0, sizeof(h->outstanding));
		}
		for (unsigned int i = 0; i < CQ_DEPTH; i++)
			rig_write(rig, random_cqe(h));
		for (unsigned int i = 0; i < CQ_DEPTH; i++) {
			int n = tally_poll_cq(&rig->cq.vcq.cq, CQ_DEPTH, wc);

			for (int k = 0; k < n; k++)
				take(h, wc[k].wr_id);
		}
		assert_true(rig->cq.consumed <= rig->produced);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(random_bytes, setup, teardown),
		cmocka_unit_test_setup_teardown(turned_bytes, setup, teardown),
		cmocka_unit_test_setup_teardown(each_byte, setup, teardown),
		cmocka_unit_test_setup_teardown(a_ring_that_never_ends, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
