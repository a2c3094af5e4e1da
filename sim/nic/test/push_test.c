// SPDX-License-Identifier: BSD-2-Clause
/* Tests work requests that come with their doorbells, and what a guest may do to them. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/rng.h"
#include "nic/test/host.h"
#include "tally-push.h"

#define REQUEST	(TALLY_PUSH_LINES * TALLY_PUSH_PIECE)	/* bytes of the longest request */
#define LINES	3	/* lines of a request with 16 bytes of data and one list entry */
#define PUSHED	0x11	/* fills a pushed request; one in the send queue is filled with its slot */

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

/* Fill in a request with @data bytes of inline data and lists of @gather and @result entries. */
static void fill(uint8_t *request, uint32_t data, uint8_t gather, uint8_t result)
{
	struct tally_wqe w;

	memset(request, PUSHED, REQUEST);
	memset(&w, PUSHED, sizeof(w));
	w.inline_len = htole32(data);
	w.num_gather = gather;
	w.num_result = result;
	memcpy(request, &w, sizeof(w));
}

/* Write the lines of a request with the count @posted. */
static void deliver(struct tally_push_line *line, const uint8_t *request, uint64_t posted)
{
	for (unsigned int i = 0; i < TALLY_PUSH_LINES; i++, line++) {
		memcpy(line->data, request + i * TALLY_PUSH_PIECE, TALLY_PUSH_PIECE);
		line->posted = htole64(posted);
	}
}

static void push(struct host *h, uint64_t posted)
{
	uint8_t request[REQUEST];

	fill(request, 16, 0, 1);
	deliver(tally_push_first(h->push, posted), request, posted);
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

/* Fetch entry @index, and check whether it comes from the buffer at once or from memory. */
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
	/* The list behind the data was copied, and nothing behind it. */
	assert_int_equal(h->engine->wqe[sizeof(struct tally_wqe) + 31], PUSHED);
	assert_int_equal(h->engine->wqe[sizeof(struct tally_wqe) + 32], 0);
	/* Only once. */
	expect(h, 0, false);
	push(h, 2);
	ring(h, 2);
	expect(h, 1, true);
}

/* The entry that the engine fetches next need not be the pushed one. */
static void another_entry(void **state)
{
	struct host *h = *state;

	push(h, 3);
	ring(h, 3);
	expect(h, 0, false);
	expect(h, 1, false);
	expect(h, 2, true);
	/* A later doorbell without a request drops it. */
	push(h, 4);
	ring(h, 4);
	ring(h, 5);
	expect(h, 3, false);
}

/*
 * A line has the count of another doorbell: each line in turn, and the first one that is not
 * needed.
 */
static void other_counts(void **state)
{
	struct host *h = *state;
	uint64_t posted = 0;

	for (unsigned int line = 0; line <= LINES; line++) {
		for (unsigned int i = 0; i < 5; i++) {
			const uint64_t counts[] = { 0, posted, posted + 2, UINT64_MAX,
						    (1ull << 32) + posted + 1 };

			push(h, posted + 1);
			tally_push_first(h->push, posted + 1)[line].posted = htole64(counts[i]);
			ring(h, posted + 1);
			expect(h, (uint32_t)posted, line == LINES);
			posted++;
		}
	}
}

/* The whole request is in the half for other counts. */
static void wrong_half(void **state)
{
	struct host *h = *state;
	uint8_t request[REQUEST];

	fill(request, 16, 0, 1);
	deliver(tally_push_first(h->push, 0), request, 1);
	ring(h, 1);
	expect(h, 0, false);
	deliver(tally_push_first(h->push, 0), request, 2);
	ring(h, 2);
	expect(h, 1, true);
}

/* ---- An adversary between the CPU and the buffer ---- */
enum delivery { WHOLE, SHUFFLED, LATE, MISSING, PARTIAL, STALE, NOTHING, NUM_DELIVERIES };

/* Draw a request of random length into the send queue; all its bytes are random. */
static size_t draw_request(struct rng *rng, uint8_t *entry)
{
	struct tally_wqe w;

	for (unsigned int i = 0; i < HOST_SQ_STRIDE; i++)
		entry[i] = (uint8_t)rng_next(rng);
	memcpy(&w, entry, sizeof(w));
	w.inline_len = htole32((uint32_t)rng_below(rng, 4) * 16);
	w.num_gather = (uint8_t)rng_below(rng, 3);
	w.num_result = (uint8_t)rng_below(rng, 3);
	memcpy(entry, &w, sizeof(w));
	return sizeof(w) + le32toh(w.inline_len) + (w.num_gather + w.num_result) * 16;
}

/* The words of the lines of a request, which are written one by one. */
struct words {
	uint64_t word[REQUEST / TALLY_PUSH_PIECE * 8];
	unsigned int at[REQUEST / TALLY_PUSH_PIECE * 8], num;
};

static struct words words_of(const uint8_t *entry, size_t used, uint64_t posted)
{
	struct tally_push_line lines[TALLY_PUSH_LINES];
	uint8_t request[REQUEST] = { 0 };
	struct words w = { .num = (unsigned int)tally_push_lines(used) * 8 };

	memcpy(request, entry, used);
	deliver(lines, request, posted);
	memcpy(w.word, lines, w.num * 8);
	for (unsigned int i = 0; i < w.num; i++)
		w.at[i] = i;
	return w;
}

static void shuffle(struct rng *rng, struct words *w)
{
	for (unsigned int i = w->num; i > 1; i--) {
		unsigned int k = (unsigned int)rng_below(rng, i), at = w->at[i - 1];

		w->at[i - 1] = w->at[k];
		w->at[k] = at;
	}
}

/* Apply a kind of delivery. Returns the number of words that are written before the doorbell. */
static unsigned int spoil(struct rng *rng, struct words *w, enum delivery how)
{
	unsigned int line = (unsigned int)rng_below(rng, w->num / 8);
	unsigned int behind = w->num - line * 8 - 8;

	switch (how) {
	case SHUFFLED:
		shuffle(rng, w);
		return w->num;
	case LATE:	/* the words behind some point are written after the doorbell was noticed */
		return (unsigned int)rng_below(rng, w->num);
	case MISSING:	/* a line is missing, the others are complete */
		memmove(w->at + line * 8, w->at + line * 8 + 8, behind * sizeof(w->at[0]));
		return w->num - 8;
	case PARTIAL:	/* the last word of a line is missing */
		memmove(w->at + line * 8 + 7, w->at + line * 8 + 8, behind * sizeof(w->at[0]));
		return w->num - 1;
	case STALE:	/* a line has the count of an older request */
		w->word[line * 8 + 7] -= 2 * (1 + rng_below(rng, 3));
		return w->num;
	case NOTHING:
		return 0;
	default:
		return w->num;
	}
}

static void write_words(struct tally_push_line *first, const struct words *w, unsigned int from,
			unsigned int end)
{
	for (unsigned int i = from; i < end; i++)
		memcpy((uint8_t *)first + w->at[i] * 8, &w->word[w->at[i]], 8);
}

/* Deliver one request. Returns true if the device accepted the pushed one. */
static bool deliver_one(struct host *h, struct rng *rng, uint64_t posted, enum delivery how)
{
	uint8_t *entry = (uint8_t *)host_ptr(h, h->sq) +
			 (posted - 1) % HOST_SQ_DEPTH * HOST_SQ_STRIDE;
	uint64_t before = nic_counter(h->nic, TALLY_CTR_pushed);
	size_t used = draw_request(rng, entry);
	struct words w = words_of(entry, used, posted);
	unsigned int end = spoil(rng, &w, how);

	write_words(tally_push_first(h->push, posted), &w, 0, end);
	h->qp_slot->counter = htole64(posted);
	nic_doorbells(h->nic);
	if (how == LATE)
		write_words(tally_push_first(h->push, posted), &w, end, w.num);
	host_run(h);
	fetch(h, (uint32_t)posted - 1);
	host_run(h);
	/* The request equals the entry in the send queue, whichever way it came. */
	assert_memory_equal(h->engine->wqe, entry, used);
	return nic_counter(h->nic, TALLY_CTR_pushed) != before;
}

static void adversary(void **state)
{
	struct host *h = *state;
	const char *chosen = getenv("TALLY_SEED");
	uint64_t seed = chosen ? strtoull(chosen, NULL, 0) : 1;
	struct rng rng;

	print_message("seed %ju\n", (uintmax_t)seed);
	rng_seed(&rng, seed);
	for (uint64_t posted = 1; posted <= 20000; posted++) {
		enum delivery how = (enum delivery)rng_below(&rng, NUM_DELIVERIES);
		bool pushed = deliver_one(h, &rng, posted, how);

		assert_int_equal(pushed, how == WHOLE || how == SHUFFLED);
	}
}

/* Requests claim to be longer than the entry, or the buffer. */
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
	uint8_t request[REQUEST];

	for (unsigned int i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		fill(request, lengths[i].data, lengths[i].gather, lengths[i].result);
		deliver(tally_push_first(h->push, i + 1), request, i + 1);
		ring(h, i + 1);
		expect(h, i, lengths[i].taken);
	}
}

/* The copy that was made when the doorbell was noticed counts, whatever happens to the buffer. */
static void changed_afterwards(void **state)
{
	struct host *h = *state;

	push(h, 1);
	h->qp_slot->counter = htole64(1);
	nic_doorbells(h->nic);
	memset(h->push, 0xee, sizeof(*h->push));
	host_run(h);
	expect(h, 0, true);
	/* Two doorbells are noticed at the same time: the request of the second one is used. */
	push(h, 2);
	h->qp_slot->counter = htole64(2);
	nic_doorbells(h->nic);
	push(h, 3);
	ring(h, 3);
	expect(h, 1, false);
	expect(h, 2, true);
}

/* The doorbell has changed while the lines were read, so they may belong to a later request. */
static void doorbell_changed(void **state)
{
	struct host *h = *state;
	const struct qp *qp = h->nic->qp[HOST_QPN];
	struct pushed *p;

	push(h, 1);
	h->qp_slot->counter = htole64(2);
	assert_null(push_take(h->nic, qp, 1));
	h->qp_slot->counter = htole64(1);
	p = push_take(h->nic, qp, 1);
	assert_non_null(p);
	free(p);
}

/*
 * Two doorbells are in flight: the later one arrives before the engine has fetched the earlier
 * entry.
 */
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
	/* A queue pair that does not push may share the UAR. */
	other.create_qp.push = 0;
	host_must(h, TALLY_ADMIN_CREATE_QP, &other);
	push(h, 1);
	((struct tally_uar_slot *)h->qp_slot)[3 - (TALLY_UAR_SLOTS - 1)].counter = htole64(1);
	host_run(h);
	assert_int_equal(h->engine->qpn, HOST_QPN + 1);
	h->engine->host->fetch_wqe(h->engine->ctx, HOST_QPN + 1, 0);
	host_run(h);
	assert_int_equal(nic_counter(h->nic, TALLY_CTR_pushed), 0);
	/* The buffer becomes free with its queue pair. */
	destroy.object.id = htole32(HOST_QPN);
	host_must(h, TALLY_ADMIN_DESTROY_QP, &destroy);
	other.create_qp.qpn = htole32(HOST_QPN);
	other.create_qp.slot = htole16(4);
	other.create_qp.push = htole16(1);
	host_must(h, TALLY_ADMIN_CREATE_QP, &other);
}

/* A queue pair without the buffer does not release that of another in its UAR. */
static void neighbour_destroyed(void **state)
{
	union admin_body other, destroy = { .raw = { 0 } };
	struct host *h = *state;
	struct tally_admin_cqe cqe;

	h->push_qp = false;
	other = host_create_qp(h);
	other.create_qp.qpn = htole32(HOST_QPN + 1);
	other.create_qp.slot = htole16(3);
	host_must(h, TALLY_ADMIN_CREATE_QP, &other);
	destroy.object.id = htole32(HOST_QPN + 1);
	host_must(h, TALLY_ADMIN_DESTROY_QP, &destroy);
	other.create_qp.push = htole16(1);
	cqe = host_command(h, TALLY_ADMIN_CREATE_QP, &other);
	assert_int_equal(le16toh(cqe.status), TALLY_ADMIN_STATUS_IN_USE);
	assert_int_equal(le16toh(cqe.bad_offset),
			 8 + offsetof(struct tally_cmd_create_qp, push));
}

static void modify(struct host *h, enum tally_qp_state to)
{
	union admin_body m = { .raw = { 0 } };

	m.modify_qp.qpn = htole32(HOST_QPN);
	m.modify_qp.state = (uint8_t)to;
	host_must(h, TALLY_ADMIN_MODIFY_QP, &m);
}

/* Counts begin at 0 again, and what remains in the buffer is not taken for new requests. */
static void reset(void **state)
{
	struct host *h = *state;

	push(h, 1);
	ring(h, 1);
	modify(h, TALLY_QPS_RESET);
	assert_int_equal(tally_push_first(h->push, 1)->posted, 0);
	h->qp_slot->counter = 0;
	modify(h, TALLY_QPS_RTS);
	expect(h, 0, false);
	ring(h, 1);
	expect(h, 0, false);
	push(h, 2);
	ring(h, 2);
	expect(h, 1, true);
	/* A device that is reset releases all buffers, wherever a request may be. */
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

/* A queue pair is destroyed while its request is in flight to the engine. */
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
	assert_int_equal(tally_push_first(h->push, 1)->posted, 0);
}

#define ROUNDS 200000
#define WORDS (HOST_SQ_STRIDE / 8)

/* Fill in a request as long as an entry, whose other words are all its count. */
static void count_words(uint64_t *request, uint64_t posted)
{
	struct tally_wqe *w = (struct tally_wqe *)request;

	for (unsigned int k = 0; k < WORDS; k++)
		request[k] = posted;
	w->inline_len = htole32(HOST_SQ_STRIDE - sizeof(*w));
	w->num_gather = w->num_result = 0;
}

static void *post_on(void *arg)
{
	struct host *h = arg;

	for (uint64_t i = 1; i <= ROUNDS; i++) {
		struct tally_push_line *line = tally_push_first(h->push, i);
		uint64_t request[REQUEST / 8] = { 0 };

		count_words(request, i);
		for (unsigned int k = 0; k < tally_push_lines(HOST_SQ_STRIDE); k++, line++) {
			memcpy(line->data, request + 7 * k, sizeof(line->data));
			__atomic_store_n(&line->posted, htole64(i), __ATOMIC_RELAXED);
		}
		__atomic_store_n(&h->qp_slot->counter, htole64(i), __ATOMIC_RELEASE);
	}
	return NULL;
}

/* Another thread posts continuously: a copy contains exactly one request, or there is none. */
static void concurrent(void **state)
{
	struct host *h = *state;
	const struct qp *qp = h->nic->qp[HOST_QPN];
	uint64_t posted = 0, want[WORDS];
	pthread_t poster;

	assert_int_equal(pthread_create(&poster, NULL, post_on, h), 0);
	while (posted < ROUNDS) {
		struct pushed *p;

		posted = bar_load64(&h->qp_slot->counter);
		p = posted ? push_take(h->nic, qp, posted) : NULL;
		count_words(want, posted);
		if (p)
			assert_memory_equal(p->wqe, want, sizeof(want));
		/* Once the other thread is done, there must be a copy. */
		assert_true(p || posted < ROUNDS);
		free(p);
	}
	assert_int_equal(pthread_join(poster, NULL), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(taken), TEST(another_entry), TEST(other_counts), TEST(wrong_half),
		TEST(adversary), TEST(hostile_lengths),
		TEST(changed_afterwards), TEST(doorbell_changed), TEST(overtaken), TEST(not_bound),
		TEST(neighbour_destroyed), TEST(reset), TEST(destroyed), TEST(concurrent),
	};

	return cmocka_run_group_tests_name("push", tests, NULL, NULL);
}
