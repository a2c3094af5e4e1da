// SPDX-License-Identifier: BSD-2-Clause
/*
 * A group whose epoch has ended begins nothing, also while its firmware collects reports: a request that is
 * posted meanwhile is flushed, with the cause. With TEST_UNITS the same with the Verilated NIC.
 */
#include <endian.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hosts/test/chain.h"
#ifdef TEST_UNITS
#include "rtl/rtl.h"
#endif

#define MESSAGES 3

static struct chain chain;

/* What has become of the requests of a member, by their ids. */
struct seen {
	unsigned int outcomes;
	struct tally_cqe cqe[MESSAGES + 1];
};

static void outcome(void *arg, struct host_qp *qp, uint64_t id, const struct tally_cqe *cqe)
{
	struct seen *s = arg;

	(void)qp;
	assert_true(id <= MESSAGES);
	assert_non_null(cqe);
	s->outcomes++;
	s->cqe[id] = *cqe;
}

static void look(struct chain *c, unsigned int i, struct seen *s)
{
	struct chain_member *m = &c->member[i];
	struct tally_cqe cqe;

	while (host_cq_poll(&m->cq, &cqe))
		assert_true(host_qp_complete(&m->qp, &cqe, outcome, s));
}

static void post(struct chain *c, unsigned int i, uint32_t mid)
{
	chain_post(c, i, mid, 16);
	host_qp_ring(&c->member[i].qp);
}

static void abort_by(struct chain *c, unsigned int i)
{
	struct host_wr wr = { .w = { .opcode = TALLY_OPCODE_ABORT,
				     .jid = htole32(CHAIN_JID),
				     .mid = htole32(1),
				     .rank_mask = htole64(1) } };

	host_post(&c->member[i].qp, &wr);
	host_qp_ring(&c->member[i].qp);
}

/* All members post @messages from 1 on, @apart each, after the one member has aborted the epoch. */
static void late_requests(unsigned int messages, vtime_t apart)
{
	struct seen s[CHAIN] = { 0 };

	for (unsigned int i = 0; i < CHAIN; i++)
		post(&chain, i, 0);
	chain_run(&chain);
	abort_by(&chain, LEAF);
	for (uint32_t mid = 1; mid <= messages; mid++) {
		sim_run_until(chain.sim, sim_now(chain.sim) + apart);
		for (unsigned int i = 0; i < CHAIN; i++)
			post(&chain, i, mid);
	}
	sim_run_until(chain.sim, sim_now(chain.sim) + 2000 * VT_MS);
	for (unsigned int i = 0; i < CHAIN; i++) {
		look(&chain, i, &s[i]);
		assert_int_equal(s[i].outcomes, 1 + messages + (i == LEAF));
		for (uint32_t mid = 1; mid <= messages; mid++) {
			assert_int_equal(s[i].cqe[mid].status, TALLY_WC_WR_FLUSH_ERR);
			assert_int_equal(le16toh(s[i].cqe[mid].coll_status), TALLY_COLL_ABORTED);
		}
	}
}

static void soon_after_the_end(void **state)
{
	(void)state;
	late_requests(2, 20 * VT_US);
}

static void while_reports_are_collected(void **state)
{
	(void)state;
	late_requests(MESSAGES, 2 * VT_MS);
}

/* A request whose data type does not exist. */
static void post_bad(struct chain *c, unsigned int i, uint32_t mid)
{
	struct host_wr wr = { .w = { .opcode = TALLY_OPCODE_ALLREDUCE,
				     .dtype = 255,
				     .flags = htole32(TALLY_WQE_F_SIGNALED),
				     .jid = htole32(CHAIN_JID),
				     .mid = htole32(mid),
				     .rank_mask = htole64(1) },
			      .id = mid };

	host_post(&c->member[i].qp, &wr);
	host_qp_ring(&c->member[i].qp);
}

/* The request that ends the epoch puts its queue pair into ERROR before there is a report. */
static void in_the_queue_pair_that_failed(void **state)
{
	struct seen s = { 0 };

	(void)state;
	post_bad(&chain, LEAF, 0);
	sim_run_until(chain.sim, sim_now(chain.sim) + 20 * VT_US);
	for (uint32_t mid = 1; mid <= MESSAGES; mid++) {
		post(&chain, LEAF, mid);
		sim_run_until(chain.sim, sim_now(chain.sim) + 20 * VT_US);
	}
	look(&chain, LEAF, &s);
	assert_int_equal(s.outcomes, 1 + MESSAGES);
	assert_int_equal(le16toh(s.cqe[0].coll_status), TALLY_COLL_BAD_TYPE);
	for (uint32_t mid = 1; mid <= MESSAGES; mid++) {
		assert_int_equal(s.cqe[mid].status, TALLY_WC_WR_FLUSH_ERR);
		assert_int_equal(le16toh(s.cqe[mid].coll_status), TALLY_COLL_BAD_TYPE);
		assert_int_equal(le64toh(s.cqe[mid].ranks), 1);
	}
}

static int setup(void **state)
{
	(void)state;
	chain_build(&chain, false, NULL);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	chain_free(&chain);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(soon_after_the_end, setup, teardown),
		cmocka_unit_test_setup_teardown(while_reports_are_collected, setup, teardown),
		cmocka_unit_test_setup_teardown(in_the_queue_pair_that_failed, setup, teardown),
	};

	chain_setup.may_end = true;
#ifdef TEST_UNITS
	chain_setup.units = rtl_units();
#endif
	return cmocka_run_group_tests_name("requests behind the end of an epoch", tests, NULL,
					   NULL);
}
