// SPDX-License-Identifier: BSD-2-Clause
/* Scripted hosts that push their work requests, with the real engine behind the NIC. */
#include <endian.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "hosts/test/chain.h"
#include "tally-push.h"

static struct chain chain;

static int setup(void **state)
{
	chain_build(&chain, true, NULL);
	*state = &chain;
	return 0;
}

static int setup_plain(void **state)
{
	chain_build(&chain, false, NULL);
	*state = &chain;
	return 0;
}

static int teardown(void **state)
{
	chain_free(*state);
	return 0;
}

static uint64_t pushed(const struct chain *c, unsigned int i)
{
	return nic_counter(c->member[i].host->nic, TALLY_CTR_pushed);
}

static void retired(void *arg, struct host_qp *qp, uint64_t id, const struct tally_cqe *cqe)
{
	(void)arg;
	(void)qp;
	(void)id;
	assert_non_null(cqe);
}

/* Expects @n completions with @status at every member, and the last result if successful. */
static void expect(struct chain *c, unsigned int n, uint32_t count)
{
	chain_run(c);
	c->num_sent = 0;
	for (unsigned int i = 0; i < CHAIN; i++) {
		struct chain_member *m = &c->member[i];
		uint32_t result[CHAIN_MR / 4];
		struct tally_cqe cqe;

		for (unsigned int k = 0; k < n; k++) {
			assert_true(host_cq_poll(&m->cq, &cqe));
			assert_int_equal(cqe.status, TALLY_WC_SUCCESS);
			assert_true(host_qp_complete(&m->qp, &cqe, retired, NULL));
		}
		assert_false(host_cq_poll(&m->cq, &cqe));
		host_mr_read(&m->mr, m->mr.iova, result, sizeof(result));
		for (uint32_t k = 0; k < count; k++)
			assert_int_equal(le32toh(result[k]), 1 + 2 + 3);
	}
}

static void one_at_a_time(void **state)
{
	struct chain *c = *state;

	for (uint32_t mid = 0; mid < 200; mid++) {
		uint32_t count = 1 + mid % 24;

		for (unsigned int i = 0; i < CHAIN; i++) {
			chain_post(c, i, mid, count);
			host_qp_push(&c->member[i].qp);
		}
		expect(c, 1, count);
	}
	for (unsigned int i = 0; i < CHAIN; i++)
		assert_int_equal(pushed(c, i), 200);
}

/*
 * Pushes several requests while the device fetches. It uses the push buffer only for the newest
 * request, if that is the one it needs next.
 */
static void in_a_burst(void **state)
{
	struct chain *c = *state;

	for (uint32_t mid = 0; mid < 40; mid++) {
		for (unsigned int i = 0; i < CHAIN; i++) {
			chain_post(c, i, mid, 2);
			(mid % 8 ? host_qp_push : host_qp_ring)(&c->member[i].qp);
		}
		sim_run_until(c->sim, sim_now(c->sim) + 50 * VT_NS);
	}
	expect(c, 40, 2);
	for (unsigned int i = 0; i < CHAIN; i++)
		assert_in_range(pushed(c, i), 1, 39);
}

/* Several requests with one doorbell are fetched, and so is a request with a plain doorbell. */
static void several_at_once(void **state)
{
	struct chain *c = *state;

	for (unsigned int i = 0; i < CHAIN; i++) {
		chain_post(c, i, 0, 2);
		chain_post(c, i, 1, 3);
		host_qp_push(&c->member[i].qp);
	}
	expect(c, 2, 3);
	for (unsigned int i = 0; i < CHAIN; i++) {
		chain_post(c, i, 2, 2);
		host_qp_ring(&c->member[i].qp);
	}
	expect(c, 1, 2);
	for (unsigned int i = 0; i < CHAIN; i++)
		assert_int_equal(pushed(c, i), 0);
	for (unsigned int i = 0; i < CHAIN; i++) {
		chain_post(c, i, 3, 2);
		host_qp_push(&c->member[i].qp);
	}
	expect(c, 1, 2);
	for (unsigned int i = 0; i < CHAIN; i++)
		assert_int_equal(pushed(c, i), 1);
}

static void without_a_buffer(void **state)
{
	struct chain *c = *state;

	for (unsigned int i = 0; i < CHAIN; i++) {
		assert_null(c->member[i].qp.push);
		chain_post(c, i, 0, 2);
		host_qp_push(&c->member[i].qp);
	}
	expect(c, 1, 2);
	for (unsigned int i = 0; i < CHAIN; i++)
		assert_int_equal(pushed(c, i), 0);
}

/* A correctly pushed request with the index of another is refused by the engine. */
static void wrong_index(void **state)
{
	struct chain *c = *state;
	struct host_qp *qp = &c->member[LEAF].qp;
	struct tally_cqe cqe;

	chain_post(c, LEAF, 0, 2);
	host_qp_push(qp);
	sim_run_until(c->sim, sim_now(c->sim));
	chain_post(c, LEAF, 1, 2);
	for (unsigned int i = 0; i < TALLY_PUSH_LINES; i++) {
		struct tally_push_line *line = &tally_push_first(qp->push, 2)[i];

		*line = tally_push_first(qp->push, 1)[i];
		line->posted = htole64(2);
	}
	chain_run(c);
	host_qp_ring(qp);
	chain_run(c);
	assert_int_equal(pushed(c, LEAF), 2);
	assert_int_equal(nic_counter(c->member[LEAF].host->nic, TALLY_CTR_wqe_refused), 1);
	for (unsigned int i = 0; i < 2; i++) {
		chain_post(c, i, 0, 2);
		host_qp_push(&c->member[i].qp);
	}
	chain_run(c);
	assert_true(host_cq_poll(&c->member[LEAF].cq, &cqe));
	assert_int_equal(cqe.status, TALLY_WC_SUCCESS);
	assert_true(host_cq_poll(&c->member[LEAF].cq, &cqe));
	assert_int_equal(le16toh(cqe.coll_status), TALLY_COLL_BAD_WQE_INDEX);
}

static void ignore(void *arg, const struct tally_admin_cqe *cqe)
{
	*(uint16_t *)arg = cqe ? le16toh(cqe->status) : UINT16_MAX;
}

/* There is one push buffer for every UAR that remains, and freed buffers are available again. */
static void buffers(void **state)
{
	struct chain *c = *state;
	struct chain_member *m = &c->member[ROOT];
	struct host_qp_cfg cfg = { .pd = 1, .ranks = 1, .group = m->group, .depth = 4,
				   .stride = 256, .port = 1, .push = true };
	struct host_qp qp[TALLY_NUM_UARS];
	uint16_t status = 0;
	unsigned int n = 0;
	int err;

	while (!(err = host_qp_create(m->host, &qp[n], &m->cq, &cfg, ignore, &status))) {
		chain_run(c);
		assert_int_equal(status, TALLY_ADMIN_STATUS_OK);
		cfg.port++;
		n++;
		assert_true(n < TALLY_NUM_UARS);
	}
	assert_int_equal(err, -ENOSPC);
	assert_in_range(n, 200, TALLY_NUM_UARS);
	cfg.push = false;
	assert_int_equal(host_qp_create(m->host, &qp[n], &m->cq, &cfg, ignore, &status), 0);
	host_qp_destroy(&qp[3], ignore, &status);
	chain_run(c);
	assert_int_equal(status, TALLY_ADMIN_STATUS_OK);
	host_qp_forget(&qp[3]);
	cfg.push = true;
	cfg.port = 500;
	assert_int_equal(host_qp_create(m->host, &qp[3], &m->cq, &cfg, ignore, &status), 0);
	chain_run(c);
	assert_int_equal(status, TALLY_ADMIN_STATUS_OK);
	for (unsigned int i = 0; i <= n; i++)
		host_qp_forget(&qp[i]);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(one_at_a_time), TEST(in_a_burst), TEST(several_at_once),
		cmocka_unit_test_setup_teardown(without_a_buffer, setup_plain, teardown),
		TEST(wrong_index), TEST(buffers),
	};

	return cmocka_run_group_tests_name("pushing hosts", tests, NULL, NULL);
}
