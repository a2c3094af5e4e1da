// SPDX-License-Identifier: BSD-2-Clause
/* The latencies of NIC and engine with the default timing, to the picosecond. */
#include <endian.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "hosts/test/chain.h"
#include "plan/cycles.h"

#define CYCLES(name)	(ENGINE_CYCLES_##name * 4 * VT_NS)	/* at 250 MHz */
#define DOORBELL	(150 * VT_NS)
#define READ		(450 * VT_NS)
#define WRITE		(200 * VT_NS)
#define BUS(bytes)	((bytes) * 8 * 5 * VT_PS)	/* at 200 Gb/s */
#define CQE		BUS(sizeof(struct tally_cqe))
#define STRIDE		256

static struct chain chain;

static int setup(void **state)
{
	chain_build(&chain, true, NULL);
	*state = &chain;
	return 0;
}

static int teardown(void **state)
{
	chain_free(*state);
	return 0;
}

static bool completed(struct chain *c, unsigned int i)
{
	struct tally_cqe cqe;

	if (!host_cq_poll(&c->member[i].cq, &cqe))
		return false;
	assert_int_equal(cqe.status, TALLY_WC_SUCCESS);
	return true;
}

/* Checks that the completion is in memory exactly at @at, and the result before it. */
static void expect_completion(struct chain *c, unsigned int i, vtime_t at)
{
	const struct nic *nic = c->member[i].host->nic;
	uint64_t written = nic_counter(nic, TALLY_CTR_cqes);
	uint32_t result = 0;

	sim_run_until(c->sim, at - 1);
	assert_false(completed(c, i));
	assert_int_equal(nic_counter(nic, TALLY_CTR_cqes), written);
	host_mr_read(&c->member[i].mr, c->member[i].mr.iova, &result, sizeof(result));
	assert_int_equal(le32toh(result), 1 + 2 + 3);
	sim_run_until(c->sim, at);
	assert_true(completed(c, i));
	assert_int_equal(nic_counter(nic, TALLY_CTR_cqes), written + 1);
}

/* Root and middle post first; the leaf posts last, with @ring, at the returned time. */
static vtime_t leaf_last(struct chain *c, void (*ring)(struct host_qp *qp))
{
	vtime_t at;

	chain_post(c, ROOT, 0, 2);
	chain_post(c, MIDDLE, 0, 2);
	host_qp_push(&c->member[ROOT].qp);
	host_qp_push(&c->member[MIDDLE].qp);
	chain_run(c);
	c->num_sent = 0;
	at = sim_now(c->sim);
	chain_post(c, LEAF, 0, 2);
	ring(&c->member[LEAF].qp);
	return at;
}

/* Latency from a pushed request to its packet: decode and packet formation. */
static void pushed_request(void **state)
{
	struct chain *c = *state;
	vtime_t at = leaf_last(c, host_qp_push);

	chain_run(c);
	assert_int_equal(chain_packet(c, 0, LEAF, TALLY_KIND_REDUCE)->first_bit - at,
			 DOORBELL + CYCLES(REQUEST) + CYCLES(ENCAP));
	assert_int_equal(nic_counter(c->member[LEAF].host->nic, TALLY_CTR_pushed), 1);
}

/* The same, preceded by a DMA read. */
static void fetched_request(void **state)
{
	struct chain *c = *state;
	vtime_t at = leaf_last(c, host_qp_ring);

	chain_run(c);
	assert_int_equal(chain_packet(c, 0, LEAF, TALLY_KIND_REDUCE)->first_bit - at,
			 DOORBELL + BUS(STRIDE) + READ + CYCLES(REQUEST) + CYCLES(ENCAP));
	assert_int_equal(nic_counter(c->member[LEAF].host->nic, TALLY_CTR_pushed), 0);
}

/* On the way up a node forms a sum; on the way down it only parses a result and forwards it. */
static void through_a_node(void **state)
{
	const vtime_t pass_on = CYCLES(PARSE) + CYCLES(ENCAP), add = CYCLES(ALU);
	struct chain *c = *state;
	const struct chain_packet *in, *out;

	leaf_last(c, host_qp_push);
	chain_run(c);
	in = chain_packet(c, 0, LEAF, TALLY_KIND_REDUCE);
	out = chain_packet(c, 0, MIDDLE, TALLY_KIND_REDUCE);
	assert_int_equal(out->first_bit - in->arrival, pass_on + add);
	/* At the root the sum becomes the result. */
	in = out;
	out = chain_packet(c, 0, ROOT, TALLY_KIND_RESULT);
	assert_int_equal(out->first_bit - in->arrival, pass_on + add);
	in = out;
	out = chain_packet(c, 0, MIDDLE, TALLY_KIND_RESULT);
	assert_int_equal(out->first_bit - in->arrival, pass_on);
}

/* The write of the completion begins after that of the data. */
static void result_to_completion(void **state)
{
	struct chain *c = *state;
	const struct chain_packet *in;

	leaf_last(c, host_qp_push);
	while (c->num_sent < 1 || c->sent[c->num_sent - 1].from != MIDDLE ||
	       c->sent[c->num_sent - 1].kind != TALLY_KIND_RESULT)
		sim_run_until(c->sim, sim_now(c->sim) + VT_NS);
	in = &c->sent[c->num_sent - 1];
	expect_completion(c, LEAF, in->arrival + CYCLES(PARSE) + CYCLES(STATUS) + CQE + WRITE);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(pushed_request), TEST(fetched_request), TEST(through_a_node),
		TEST(result_to_completion),
	};

	return cmocka_run_group_tests_name("latency", tests, NULL, NULL);
}
