// SPDX-License-Identifier: BSD-2-Clause
/*
 * Makes the largest number of hosts that the simulator supports, each with a NIC, a group and a
 * queue pair, and checks how much memory of the machine they use.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "hosts/host.h"
#include "hosts/qp.h"

#define HOSTS		1024
#define MEMORY		(64u << 20)	/* of each host; little of it is touched */

#ifdef __SANITIZE_ADDRESS__
#define LIMIT		(4u << 20)	/* includes the sanitizer's shadow memory */
#else
#define LIMIT		(768u << 10)
#endif

struct member {
	struct host *host;
	struct host_cq cq;
	struct host_qp qp;
	uint32_t group;
	unsigned int answers;
};

static struct member member[HOSTS];

static size_t resident(void)
{
	unsigned long total, pages;
	FILE *f = fopen("/proc/self/statm", "r");

	assert_non_null(f);
	assert_int_equal(fscanf(f, "%lu %lu", &total, &pages), 2);
	fclose(f);
	return pages * (size_t)sysconf(_SC_PAGESIZE);
}

static void answered(void *arg, const struct tally_admin_cqe *cqe)
{
	struct member *m = arg;

	assert_non_null(cqe);
	if (cqe->status)
		fail_msg("refused: status %u, field at %u, %u answers before", le16toh(cqe->status),
			 le16toh(cqe->bad_offset), m->answers);
	m->answers++;
}

static void on_error(void *arg, struct host *h, const char *what)
{
	(void)arg;
	(void)h;
	fail_msg("%s", what);
}

static void no_event(void *arg)
{
	(void)arg;
}

static void group_event(void *arg, enum tally_eqe_type type, uint64_t data)
{
	(void)arg;
	fail_msg("event %d of a group, data %ju", type, (uintmax_t)data);
}

static void create(struct sim *sim, struct member *m, unsigned int i)
{
	struct host_cfg cfg = {
		.mac = { 2, 0, 0, 0, (uint8_t)(i >> 8), (uint8_t)i },
		.timing = nic_timing_default,
		.memory = MEMORY,
		.irq_ns = 500,
		.seed = i,
		.on_error = on_error,
	};
	struct tally_group_cfg group = {
		.jid = htole32(i + 1), .flags = htole32(TALLY_GROUP_F_ROOT),
		.mode = TALLY_MODE_TREE, .num_nodes = htole16(1), .num_segs = htole16(4),
		.timeout_ms = htole32(1000), .rank_mask = htole64(1), .owner_ranks = htole64(1), .epoch = htole32(1),
		.mtu = htole32(4096), .rto_us = htole32(100), .retry_limit = 7,
		.total_ranks = htole32(1),
	};
	const struct host_group_hook hook = { group_event, m };
	struct host_qp_cfg qp = { .ranks = 1, .depth = 64, .stride = 256, .push = true };

	m->host = host_new(sim, &cfg);
	assert_non_null(m->host);
	host_start(m->host, answered, m);
	assert_int_equal(host_group_create(m->host, &m->group, &group, sizeof(group), &hook,
					   answered, m), 0);
	assert_int_equal(host_cq_create(m->host, &m->cq, 64, no_event, NULL, answered, m), 0);
	qp.group = m->group;
	assert_int_equal(host_qp_create(m->host, &m->qp, &m->cq, &qp, answered, m), 0);
}

static void memory(void **state)
{
	struct sim *sim = sim_new(1);
	size_t before = resident();

	(void)state;
	for (unsigned int i = 0; i < HOSTS; i++)
		create(sim, &member[i], i);
	assert_true(sim_run_idle(sim, VT_S));
	print_message("%zu bytes for each host\n", (resident() - before) / HOSTS);
	assert_in_range((resident() - before) / HOSTS, 0, LIMIT);
	for (unsigned int i = 0; i < HOSTS; i++) {
		assert_int_equal(member[i].answers, HOST_NUM_EQ + 3);
		host_qp_forget(&member[i].qp);
		host_cq_forget(&member[i].cq);
		host_free(member[i].host);
	}
	sim_free(sim);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(memory) };

	return cmocka_run_group_tests_name("many hosts", tests, NULL, NULL);
}
