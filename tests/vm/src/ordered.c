/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * In an ORDERED group, sums of floats whose bits depend on the order of additions have the same
 * bits for every order of posts. There are three ranks per node. One message has one chunk, and
 * another one many.
 */
#include <unistd.h>

#include "check.h"
#include "work.h"

#define RANKS 3
#define ALL ((1 << RANKS) - 1)
#define ORDERS 20
#define SMALL 100
#define LARGE 2500
#define ROOM 10240 /* bytes of a rank's data; its result follows */
#define LONGEST_PAUSE_US 2000
#define SEED 20

static struct cluster cluster;
static struct team team;
static struct port ports[MAX_NICS];

static float *data_of(unsigned int node, unsigned int rank)
{
	return (float *)(cluster.nic[node].buf + 2 * rank * ROOM);
}

static float *result_of(unsigned int node, unsigned int rank)
{
	return (float *)(cluster.nic[node].buf + (2 * rank + 1) * ROOM);
}

/* Returns a value of random magnitude and sign. */
static float value(unsigned int n, unsigned int i)
{
	uint32_t x = (n * 2654435761U) ^ (i * 40503U) ^ 0x9e3779b9U;

	x = (x ^ x >> 15) * 2246822519U;
	x ^= x >> 13;
	return (x & 1 ? -1.0f : 1.0f) * (float)(x >> 8) * (float)(1 << (x >> 1 & 15));
}

/* Returns the number of elements whose sum differs in reverse order. */
static unsigned int sensitive(void)
{
	unsigned int total = cluster.count * RANKS, found = 0;

	for (unsigned int i = 0; i < LARGE; i++) {
		volatile float up = 0, down = 0; /* rounded at every step */

		for (unsigned int n = 0; n < total; n++) {
			up += value(n, i);
			down += value(total - 1 - n, i);
		}
		found += up != down;
	}
	return found;
}

static void fill(void)
{
	for (unsigned int node = 0; node < cluster.count; node++)
		for (unsigned int rank = 0; rank < RANKS; rank++)
			for (unsigned int i = 0; i < LARGE; i++) {
				data_of(node, rank)[i] = value(node * RANKS + rank, i);
				result_of(node, rank)[i] = 0;
			}
}

static void post_rank(unsigned int n, unsigned int count, uint32_t mid)
{
	unsigned int node = n / RANKS, rank = n % RANKS;
	struct request r;

	request_allreduce(&r, &cluster.nic[node], TALLY_OP_SUM, TALLY_TYPE_FP32, count,
			  sizeof(float), mid);
	r.give[0].addr = (uintptr_t)data_of(node, rank);
	r.get[0].addr = (uintptr_t)result_of(node, rank);
	r.w.coll.rank_mask = 1 << rank;
	r.w.coll.flags = mid & 1 ? TALLY_WQE_F_ORDERED : 0; /* has no effect in this group */
	post(&ports[node], &r);
}

/* Posts in random order, with random pauses. */
static void post_all(unsigned int count, uint32_t mid)
{
	unsigned int total = cluster.count * RANKS, turn[MAX_NICS * RANKS];

	for (unsigned int i = 0; i < total; i++) {
		unsigned int k = lrand48() % (i + 1);

		turn[i] = turn[k];
		turn[k] = i;
	}
	for (unsigned int i = 0; i < total; i++) {
		if (lrand48() % 3 == 0)
			usleep(lrand48() % LONGEST_PAUSE_US);
		post_rank(turn[i], count, mid);
	}
	for (unsigned int i = 0; i < total; i++)
		expect_success(&cluster.nic[i / RANKS], "ordered sum");
}

static void same_everywhere(const float *first, unsigned int count, uint32_t mid)
{
	for (unsigned int node = 0; node < cluster.count; node++)
		for (unsigned int rank = 0; rank < RANKS; rank++)
			REQUIRE(!memcmp(result_of(node, rank), first, count * sizeof(*first)),
				"message %u of %u elements: other bits at %u.%u", mid, count, node,
				rank);
}

int main(void)
{
	struct team_spec spec = {
		.jid = random_jid(), .ranks = ALL, .flags = TALLY_GROUP_F_ORDERED,
		.cells = RANKS + 2,
	};
	static float small[SMALL], large[LARGE];
	uint32_t mid = 0;

	srand48(SEED);
	cluster_open(&cluster);
	REQUIRE(sensitive() > LARGE / 2, "only %u sums depend on the order", sensitive());
	team_create(&team, &cluster, &spec, ALL_NODES);
	ports_open(ports, &team, 0);
	for (unsigned int i = 0; i < ORDERS; i++) {
		fill();
		post_all(SMALL, mid);
		if (!i)
			memcpy(small, result_of(0, 0), sizeof(small));
		same_everywhere(small, SMALL, mid++);
		fill();
		post_all(LARGE, mid);
		if (!i)
			memcpy(large, result_of(0, 0), sizeof(large));
		same_everywhere(large, LARGE, mid++);
	}
	ports_close(ports, &team);
	team_destroy(&team);
	cluster_close(&cluster);
	printf("%u orders, %u elements of %u depend on them\n", ORDERS, sensitive(), LARGE);
	return 0;
}
