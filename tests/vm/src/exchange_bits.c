/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * exchange_bits NODES RANKS RADIX...: sums of doubles whose bits depend on the order of additions,
 * over an EXCHANGE group of the first NODES NICs with RANKS ranks each. All ranks must get the same
 * bits in every run, whatever the order of posts. The bits must be those of the shape in
 * docs/protocol.md, a binary tree over the parts of each round.
 */
#include <unistd.h>

#include "check.h"
#include "shape.h"
#include "work.h"

#define RUNS 12
#define SMALL 40
#define LARGE 1100 /* more than two chunks */
#define ROOM 9216  /* bytes of a rank's data, and of its result */
#define MAX_RANKS 3
#define LONGEST_PAUSE_US 1500
#define SEED 21

_Static_assert(2 * MAX_RANKS * ROOM <= BUF_SIZE, "the buffer of a NIC is too small");

static struct cluster cluster;
static struct team team;
static struct port ports[MAX_NICS];
static struct team_spec spec = { .mode = TALLY_MODE_EXCHANGE };
static unsigned int num_ranks;
static double wanted[LARGE];

static double *data_of(unsigned int node, unsigned int rank)
{
	return (double *)(cluster.nic[node].buf + 2 * rank * ROOM);
}

static double *result_of(unsigned int node, unsigned int rank)
{
	return (double *)(cluster.nic[node].buf + (2 * rank + 1) * ROOM);
}

/* Returns a value of random magnitude and sign. */
static double some_value(void)
{
	double value = lrand48() * 0x1p-20 + lrand48();

	return (lrand48() & 1 ? -value : value) * (double)(1ULL << lrand48() % 40);
}

/* ---- Shape ---- */
/* Combines neighbours, then pairs with pairs. A value without a partner moves up unchanged. */
static double fold(double *v, unsigned int count)
{
	for (; count > 1; count = (count + 1) / 2) {
		for (unsigned int i = 0; i < count / 2; i++)
			v[i] = v[2 * i] + v[2 * i + 1];
		if (count & 1)
			v[count / 2] = v[count - 1];
	}
	return v[0];
}

static double expect(unsigned int i)
{
	double partial[MAX_NICS], inputs[TALLY_MAX_RANKS];
	unsigned int n = cluster.count;

	for (unsigned int node = 0; node < n; node++) {
		for (unsigned int rank = 0; rank < num_ranks; rank++)
			inputs[rank] = data_of(node, rank)[i];
		partial[node] = fold(inputs, num_ranks);
	}
	for (unsigned int round = 1; round <= spec.rounds; round++) {
		unsigned int step = shape_part(&spec, n, round - 1, 0).count;

		/* The sum of a part is stored at its first node. */
		for (unsigned int node = 0; node < n;) {
			struct part whole = shape_part(&spec, n, round, node);
			unsigned int k = 0;

			for (unsigned int at = 0; at < whole.count; at += step)
				inputs[k++] = partial[node + at];
			partial[node] = fold(inputs, k);
			node += whole.count;
		}
	}
	return partial[0];
}

/* Returns the number of elements whose sum differs if the values are added one after the other. */
static unsigned int sensitive(void)
{
	unsigned int found = 0;

	for (unsigned int i = 0; i < LARGE; i++) {
		volatile double sum = 0; /* rounded at every step */

		for (unsigned int node = 0; node < cluster.count; node++)
			for (unsigned int rank = 0; rank < num_ranks; rank++)
				sum += data_of(node, rank)[i];
		found += sum != wanted[i];
	}
	return found;
}

/* ---- Sums ---- */
static void post_node(unsigned int node, unsigned int count, uint32_t mid)
{
	struct nic *nic = &cluster.nic[node];
	struct request r;

	request_allreduce(&r, nic, TALLY_OP_SUM, TALLY_TYPE_FP64, count, sizeof(double), mid);
	r.w.wr.num_sge = r.w.coll.num_result = num_ranks;
	for (unsigned int rank = 0; rank < num_ranks; rank++) {
		r.give[rank] = r.get[rank] = r.give[0];
		r.give[rank].addr = (uintptr_t)data_of(node, rank);
		r.get[rank].addr = (uintptr_t)result_of(node, rank);
		memset(result_of(node, rank), 0xff, ROOM);
	}
	post(&ports[node], &r);
}

static void run(unsigned int count, uint32_t mid)
{
	unsigned int order[MAX_NICS];

	for (unsigned int k = 0; k < cluster.count; k++) {
		unsigned int at = lrand48() % (k + 1);

		order[k] = order[at];
		order[at] = k;
	}
	for (unsigned int k = 0; k < cluster.count; k++) {
		usleep(lrand48() % LONGEST_PAUSE_US);
		post_node(order[k], count, mid);
	}
	for (unsigned int node = 0; node < cluster.count; node++)
		expect_success(&cluster.nic[node], "allreduce");
	for (unsigned int node = 0; node < cluster.count; node++)
		for (unsigned int rank = 0; rank < num_ranks; rank++)
			REQUIRE(!memcmp(result_of(node, rank), wanted, count * sizeof(double)),
				"message %u: other bits at rank %u.%u", mid, node, rank);
}

static void fill(void)
{
	for (unsigned int node = 0; node < cluster.count; node++)
		for (unsigned int rank = 0; rank < num_ranks; rank++)
			for (unsigned int i = 0; i < LARGE; i++)
				data_of(node, rank)[i] = some_value();
	for (unsigned int i = 0; i < LARGE; i++)
		wanted[i] = expect(i);
	REQUIRE(sensitive() > LARGE / 4, "only %u sums depend on the order", sensitive());
}

int main(int argc, char **argv)
{
	unsigned int num_nodes = argc > 3 ? strtoul(argv[1], NULL, 10) : 0, num_nics;

	num_ranks = argc > 3 ? strtoul(argv[2], NULL, 10) : 0;
	REQUIRE(num_ranks && num_ranks <= MAX_RANKS && argc - 3 <= TALLY_MAX_ROUNDS,
		"usage: exchange_bits NODES RANKS RADIX...");
	for (int i = 3; i < argc; i++)
		spec.radix[spec.rounds++] = strtoul(argv[i], NULL, 10);
	spec.ranks = ~0ULL >> (64 - num_ranks);
	spec.jid = random_jid();
	srand48(SEED);
	cluster_open(&cluster);
	num_nics = cluster.count;
	REQUIRE(num_nodes && num_nodes <= num_nics, "%u nodes of %u", num_nodes, num_nics);
	cluster.count = num_nodes;
	fill();
	team_create(&team, &cluster, &spec, ALL_NODES);
	ports_open(ports, &team, 1);
	for (uint32_t mid = 0; mid < RUNS; mid++)
		run(mid & 1 ? LARGE : SMALL, mid);
	ports_close(ports, &team);
	team_destroy(&team);
	cluster.count = num_nics;
	cluster_close(&cluster);
	printf("%u runs over %u nodes of %u ranks: the same bits\n", RUNS, num_nodes, num_ranks);
	return 0;
}
