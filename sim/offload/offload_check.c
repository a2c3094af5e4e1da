// SPDX-License-Identifier: BSD-2-Clause
/* Writes the data of an offload run and checks its results. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "offload/offload_int.h"

#define WINDOW		(8ull << 20)	/* a longer buffer repeats this memory */
#define WRONG		0xa5

uint64_t offload_buffer(const struct bench_workload *c, uint64_t *window)
{
	struct message m = bench_message(c);
	uint64_t give = message_give_bytes(&m), get = message_get_bytes(&m);
	uint64_t most = give > get ? give : get;

	*window = most > WINDOW ? WINDOW : 0;
	return most ? most : 1;
}

/* Returns the message without its repetitions, as it is in the window. */
static struct message once(const struct message *m)
{
	struct message part = *m;
	uint32_t most = WINDOW / message_elem_size(m);

	if (part.count > most)
		part.count = most;
	return part;
}

/* Blocks of different ranks overlap in memory that repeats, so they cannot be checked. */
bool offload_checkable(const struct bench_workload *c)
{
	struct message m = bench_message(c);
	bool blocks = message_gives_blocks(&m) || message_gets_blocks(&m);
	uint64_t window;

	offload_buffer(c, &window);
	return !blocks || !window;
}

bool offload_fill(struct offload *run)
{
	const struct message part = once(&run->m);
	uint64_t give = message_give_bytes(&part), get = message_get_bytes(&part);
	uint8_t *data = malloc(give + get + 1);

	for (uint32_t rank = 0; data && rank < run->group.total_ranks; rank++) {
		const struct bench_group_rank *r = &run->group.rank[rank];

		if (message_gives(&part, rank)) {
			message_input(&part, rank, data);
			host_mr_write(&r->in, r->in.iova, data, give);
		}
		memset(data, WRONG, get);
		if (message_gets(&part, rank))
			host_mr_write(&r->out, r->out.iova, data, get);
	}
	free(data);
	return data;
}

static bool compare(struct offload *run, const struct message *m, const uint8_t *want,
		    uint8_t *got, char *why, size_t size)
{
	uint64_t len = message_get_bytes(m);

	for (uint32_t rank = 0; rank < run->group.total_ranks; rank++) {
		const struct host_mr *out = &run->group.rank[rank].out;

		if (!message_gets(m, rank))
			continue;
		host_mr_read(out, out->iova, got, len);
		if (!memcmp(got, want + message_expect_offset(m, rank), len))
			continue;
		snprintf(why, size, "rank %u has a wrong result", rank);
		return false;
	}
	return true;
}

bool offload_check(struct offload *run, char *why, size_t size)
{
	const struct message part = once(&run->m);
	uint8_t *want = malloc(message_expect_bytes(&part) + 1);
	uint8_t *got = malloc(message_get_bytes(&part) + 1);
	struct oracle oracle = { 0 };
	bool right = want && got && message_expect(&part, &oracle, want);

	if (!right)
		snprintf(why, size, "no memory to check the results");
	else
		right = compare(run, &part, want, got, why, size);
	oracle_free(&oracle);
	free(want);
	free(got);
	return right;
}
