// SPDX-License-Identifier: BSD-2-Clause
/* The send queue of a scripted host: a request beyond its depth is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "hosts/test/chain.h"

static struct chain chain;
static unsigned int troubles;

static void on_error(void *arg, struct host *h, const char *what)
{
	(void)arg;
	(void)h;
	assert_non_null(strstr(what, "full"));
	troubles++;
}

static void fill(struct host_qp *qp, const struct host_wr *wr, uint32_t free)
{
	for (; free; free--) {
		assert_int_equal(host_qp_room(qp), free);
		assert_true(host_post(qp, wr));
	}
	assert_int_equal(host_qp_room(qp), 0);
}

/* A refused post changes neither the queue nor the host's record of outstanding requests. */
static void full_queue(void **state)
{
	struct host_qp *qp;
	struct host_wr wr = { .w = { .opcode = TALLY_OPCODE_QUERY }, .id = 5 };
	const struct host_wr late = { .w = { .opcode = TALLY_OPCODE_ABORT }, .id = 6 };
	uint64_t posted;

	(void)state;
	chain_build(&chain, false, NULL);
	qp = &chain.member[LEAF].qp;
	qp->host->cfg.on_error = on_error;
	for (unsigned int round = 0; round < 2; round++) {
		fill(qp, &wr, round ? 1 : qp->depth);
		posted = qp->posted;
		troubles = 0;
		assert_false(host_post(qp, &late));
		assert_int_equal(troubles, 1);
		assert_int_equal(qp->posted, posted);
		for (uint32_t i = 0; i < qp->depth; i++)
			assert_int_equal(qp->entry[i].id, 5);
		qp->retired++;
	}
	chain_free(&chain);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(full_queue) };

	return cmocka_run_group_tests_name("queue pairs of hosts", tests, NULL, NULL);
}
