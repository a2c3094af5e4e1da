// SPDX-License-Identifier: BSD-2-Clause
/*
 * Tests completion and event queues of the Verilated NIC at its seam: what is written to memory, by
 * which accesses, in which order and at which time, and that hardware that waits for memory gets no
 * clock.
 */
#include <endian.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gen/tally_fw_hw.h"
#include "nic/nic.h"
#include "rtl/rtl.h"

#define CLOCK		4000ull /* ps */
#define LATENCY		(100 * CLOCK)
#define MEMORY		0x10000
#define BASE		0x4000000000ull
#define REG(field)	(TALLY_FW_QUEUE_BASE + offsetof(struct tally_fw_queue, field))
#define REQUEST(field)	(TALLY_FW_REQUEST_BASE + offsetof(struct tally_fw_request, field))
#define UAR		7u
#define SLOT		5u
#define CQN		1023u
#define EQN		5u
#define VECTOR		3u
#define LOG_DEPTH	2
#define DEPTH		(1u << LOG_DEPTH)

#define ONE_MORE(name, value, doc) +1
enum { NUM_COUNTERS = 0 TALLY_CTR_LIST(ONE_MORE) };

enum { MOST = 64 };

struct seam {
	const struct nic_units *units;
	void *unit;
	uint64_t now;
	uint8_t memory[MEMORY]; /* of the addresses from BASE on */
	struct nic_access reads[MOST], writes[MOST];
	uint8_t data[MOST][64];
	uint64_t write_at[MOST], read_at[MOST];
	unsigned int num_reads, num_writes, reads_done, writes_done;
	unsigned int interrupts, cq_events, written, edges, counted[NUM_COUNTERS];
	struct nic_cq_event cq_event;
	enum tally_fatal fatal;
};

static void read(void *ctx, const struct nic_access *what)
{
	struct seam *s = ctx;

	assert_true(s->num_reads < MOST);
	s->read_at[s->num_reads] = s->now;
	s->reads[s->num_reads++] = *what;
}

static void write(void *ctx, const struct nic_access *what, const void *data)
{
	struct seam *s = ctx;

	assert_true(s->num_writes < MOST && what->len <= 64);
	memcpy(s->data[s->num_writes], data, what->len);
	s->write_at[s->num_writes] = s->now;
	s->writes[s->num_writes++] = *what;
}

static void interrupt(void *ctx, uint32_t eqn, uint32_t vector)
{
	struct seam *s = ctx;

	s->interrupts++;
	assert_int_equal(eqn, EQN);
	assert_int_equal(vector, VECTOR);
}

static void cq_event(void *ctx, const struct nic_cq_event *event)
{
	struct seam *s = ctx;

	s->cq_events++;
	s->cq_event = *event;
}

static void count(void *ctx, enum tally_counter counter)
{
	((struct seam *)ctx)->counted[counter]++;
}

static void fatal(void *ctx, enum tally_fatal code)
{
	((struct seam *)ctx)->fatal = code;
}

static void written(void *ctx)
{
	((struct seam *)ctx)->written++;
}

static const struct nic_units_host host = {
	.read = read, .write = write, .interrupt = interrupt, .cq_event = cq_event,
	.count = count, .fatal = fatal, .written = written,
};

static uint8_t *at(struct seam *s, uint64_t addr, size_t len)
{
	return addr >= BASE && addr - BASE <= MEMORY - len ? s->memory + (addr - BASE) : NULL;
}

/* The memory answers what was asked for a latency ago. */
static void answer(struct seam *s)
{
	while (s->writes_done < s->num_writes && s->write_at[s->writes_done] + LATENCY <= s->now) {
		unsigned int i = s->writes_done++;
		uint8_t *to = at(s, s->writes[i].addr, s->writes[i].len);

		if (to)
			memcpy(to, s->data[i], s->writes[i].len);
		s->units->write_done(s->unit, s->now, s->writes[i].id, to);
	}
	while (s->reads_done < s->num_reads && s->read_at[s->reads_done] + LATENCY <= s->now) {
		unsigned int i = s->reads_done++;

		s->units->read_done(s->unit, s->now, s->reads[i].id,
				    at(s, s->reads[i].addr, s->reads[i].len), s->reads[i].len);
	}
}

static uint64_t next_answer(const struct seam *s)
{
	uint64_t next = UINT64_MAX, t;

	if (s->writes_done < s->num_writes)
		next = s->write_at[s->writes_done] + LATENCY;
	if (s->reads_done < s->num_reads) {
		t = s->read_at[s->reads_done] + LATENCY;
		next = t < next ? t : next;
	}
	return next;
}

/* Run until nothing is left to do. */
static void run(struct seam *s)
{
	for (;;) {
		uint64_t edge = s->units->next(s->unit), memory = next_answer(s);
		uint64_t next = edge < memory ? edge : memory;

		if (next == UINT64_MAX)
			return;
		s->now = next > s->now ? next : s->now;
		answer(s);
		if (edge > s->now)
			continue;
		s->units->advance(s->unit, s->now);
		s->edges++;
		assert_true(s->edges < 20000);
	}
}

static void put(struct seam *s, uint32_t reg, uint64_t value)
{
	s->units->table(s->unit, s->now, reg, (uint32_t)value);
}

static void put_ring(struct seam *s, uint64_t addr, uint32_t levels, uint32_t offset)
{
	put(s, REG(offset), offset);
	put(s, REG(addr), addr);
	put(s, REG(addr) + 4, addr >> 32);
	put(s, REG(levels), levels);
	put(s, REG(page_shift), levels ? TALLY_MIN_PAGE_SHIFT : 0);
	put(s, REG(log_depth), LOG_DEPTH);
}

static void go(struct seam *s, enum tally_fw_queue_code code, uint32_t number)
{
	put(s, REG(go), code | number << 16);
}

/* The doorbell slot. */
static void bind(struct seam *s, enum tally_fw_request_code code)
{
	put(s, REQUEST(uar), UAR);
	put(s, REQUEST(slot), SLOT);
	put(s, REQUEST(push), 0);
	put(s, REQUEST(go), code | CQN << 16);
}

/* An EQ at BASE, and a CQ in the page behind it, with a doorbell slot. */
static struct seam *seam_new(const char *name, uint32_t levels)
{
	struct seam *s = calloc(1, sizeof(*s));
	struct nic_units_cfg cfg = { .host = &host, .ctx = s, .name = name, .clock_ps = CLOCK, .mac = { 2 } };
	const uint64_t cq = BASE + TALLY_PAGE_SIZE, root = BASE + 8 * TALLY_PAGE_SIZE;

	assert_non_null(s);
	s->units = rtl_units();
	s->unit = s->units->open(&cfg);
	assert_non_null(s->unit);
	put_ring(s, BASE, 0, 0);
	put(s, REG(vector), VECTOR);
	go(s, TALLY_FW_QUEUE_CREATE_EQ, EQN);
	memcpy(at(s, root, 8), &cq, 8); /* a list of one page */
	put_ring(s, levels ? root : cq, levels, levels ? 128 : 0);
	put(s, REG(eqn), EQN);
	go(s, TALLY_FW_QUEUE_CREATE_CQ, CQN);
	bind(s, TALLY_FW_REQUEST_BIND_CQ);
	assert_true(s->units->writing(s->unit));
	run(s);
	assert_false(s->units->writing(s->unit));
	assert_int_equal(s->written, 1);
	return s;
}

static void seam_free(struct seam *s)
{
	s->units->close(s->unit);
	free(s);
}

static void complete(struct seam *s, uint32_t index, uint8_t status)
{
	struct nic_completion c = { .cqn = CQN, .rung = true, .rung_at = s->now / 1000 - 7,
				    .cqe = { .qpn = htole32(9), .wqe_index = htole32(index), .status = status } };

	s->units->complete(s->unit, s->now, &c);
}

static struct tally_cqe entry(struct seam *s, size_t offset, unsigned int slot)
{
	struct tally_cqe cqe;

	memcpy(&cqe, at(s, BASE + TALLY_PAGE_SIZE + offset + slot * sizeof(cqe), sizeof(cqe)), sizeof(cqe));
	return cqe;
}

static void ring(struct seam *s, uint32_t uar, uint32_t slot, uint64_t count, uint64_t word)
{
	const struct tally_uar_slot value = { .counter = htole64(count), .arm = htole64(word) };
	uint32_t offset = TALLY_BAR_UAR_OFFSET + uar * TALLY_PAGE_SIZE + slot * sizeof(value);

	s->units->bar_write(s->unit, s->now, offset, &value, sizeof(value.counter) + sizeof(value.arm));
}

static void arm(struct seam *s, uint64_t request, uint64_t flags, uint64_t seen)
{
	ring(s, UAR, SLOT, seen, request << TALLY_CQ_ARM_SHIFT | flags);
}

static void consume(struct seam *s, uint64_t events)
{
	put(s, REG(count), events);
	put(s, REG(count) + 4, events >> 32);
	go(s, TALLY_FW_QUEUE_CONSUMED, EQN);
}

static void a_completion_is_written(void **state)
{
	struct seam *s = seam_new("cqe", 0);
	struct tally_cqe cqe;
	uint64_t begin;

	(void)state;
	s->now = begin = 1000000 * CLOCK;
	s->edges = 0;
	complete(s, 77, 0);
	run(s);
	assert_int_equal(s->num_writes, 1);
	assert_int_equal(s->writes[0].id, NIC_AXI_COMPLETIONS);
	assert_int_equal(s->writes[0].len, sizeof(cqe));
	assert_in_range(s->write_at[0], begin + CLOCK, begin + 12 * CLOCK);
	cqe = entry(s, 0, 0);
	assert_int_equal(le32toh(cqe.wqe_index), 77);
	assert_int_equal(cqe.owner, TALLY_OWNER_PHASE);
	assert_in_range(le64toh(cqe.timestamp), begin / 1000, s->write_at[0] / 1000);
	assert_int_equal(le32toh(cqe.elapsed), le64toh(cqe.timestamp) - begin / 1000 + 7);
	assert_int_equal(s->counted[TALLY_CTR_cqes], 1);
	assert_int_equal(s->num_reads, 0);
	assert_int_equal(s->cq_events, 0);
	assert_in_range(s->edges, 10, 40); /* and none of the hundred until the answer */
	seam_free(s);
}

static void a_page_list_is_followed(void **state)
{
	struct seam *s = seam_new("list", 1);

	(void)state;
	s->edges = 0;
	complete(s, 5, 0);
	run(s);
	assert_int_equal(s->num_reads, 1);
	assert_int_equal(s->reads[0].addr, BASE + 8 * TALLY_PAGE_SIZE);
	assert_int_equal(s->num_writes, 1);
	assert_in_range(s->write_at[0], s->read_at[0] + LATENCY, s->read_at[0] + LATENCY + 20 * CLOCK);
	assert_int_equal(le32toh(entry(s, 128, 0).wqe_index), 5);
	assert_in_range(s->edges, 10, 60);
	seam_free(s);
}

/* An event is behind the completion that causes it, and its interrupt behind the event. */
static void an_armed_queue_raises_an_event(void **state)
{
	struct seam *s = seam_new("event", 0);
	struct tally_eqe eqe;

	(void)state;
	arm(s, 1, 0, 0);
	complete(s, 1, 0);
	complete(s, 2, 0);
	run(s);
	assert_int_equal(s->cq_events, 1);
	assert_int_equal(s->cq_event.cqn, CQN);
	assert_int_equal(s->cq_event.eqn, EQN);
	assert_int_equal(s->cq_event.type, TALLY_EQE_CQ);
	assert_int_equal(s->interrupts, 1);
	assert_int_equal(s->num_writes, 3);
	assert_int_equal(s->writes[2].id, NIC_AXI_EVENTS);
	assert_int_equal(s->writes[2].len, sizeof(eqe));
	assert_true(s->write_at[2] >= s->write_at[0] + LATENCY);
	memcpy(&eqe, at(s, BASE, sizeof(eqe)), sizeof(eqe));
	assert_int_equal(eqe.etype, TALLY_EQE_CQ);
	assert_int_equal(le32toh(eqe.id), CQN);
	assert_int_equal(eqe.owner, TALLY_OWNER_PHASE);
	seam_free(s);
}

static void only_solicited_completions_raise_one(void **state)
{
	struct seam *s = seam_new("solicited", 0);

	(void)state;
	arm(s, 1, TALLY_CQ_ARM_SOLICITED, 0);
	complete(s, 1, 0);
	run(s);
	assert_int_equal(s->cq_events, 0);
	complete(s, 2, TALLY_WC_GENERAL_ERR);
	run(s);
	assert_int_equal(s->cq_events, 1);
	seam_free(s);
}

/* Only a greater arm word counts, in the CQ's own slot, while it is bound; the count is that of the slot. */
static void only_its_slot_arms_a_queue(void **state)
{
	struct seam *s = seam_new("slot", 0);
	const uint64_t word = htole64(2 << TALLY_CQ_ARM_SHIFT);

	(void)state;
	complete(s, 1, 0);
	ring(s, UAR, SLOT + 1, 0, 2);
	ring(s, UAR + 1, SLOT, 0, 2);
	arm(s, 1, 0, 1); /* it has consumed the completion */
	run(s);
	assert_int_equal(s->cq_events, 0);
	complete(s, 2, 0);
	run(s);
	assert_int_equal(s->cq_events, 1);
	arm(s, 1, 0, 1);
	run(s);
	assert_int_equal(s->cq_events, 1);
	/* The arm word alone, behind its count. */
	s->units->bar_write(s->unit, s->now,
			    TALLY_BAR_UAR_OFFSET + UAR * TALLY_PAGE_SIZE + SLOT * sizeof(struct tally_uar_slot) +
				    offsetof(struct tally_uar_slot, arm),
			    &word, sizeof(word));
	run(s);
	assert_int_equal(s->cq_events, 2);
	bind(s, TALLY_FW_REQUEST_UNBIND);
	arm(s, 3, 0, 1);
	run(s);
	assert_int_equal(s->cq_events, 2);
	seam_free(s);
}

/* Half of the EQ is for events of CQs. A further one waits until the driver has consumed. */
static void an_event_waits_for_room(void **state)
{
	struct seam *s = seam_new("room", 0);

	(void)state;
	complete(s, 1, 0);
	for (unsigned int i = 1; i <= DEPTH; i++) {
		arm(s, i, 0, 0);
		run(s);
	}
	assert_int_equal(s->interrupts, DEPTH / 2);
	assert_int_equal(s->cq_events, DEPTH / 2);
	assert_true(s->units->waiting(s->unit));
	consume(s, 1);
	run(s);
	assert_int_equal(s->interrupts, DEPTH / 2 + 1);
	assert_int_equal(s->cq_events, DEPTH / 2 + 1);
	assert_false(s->units->waiting(s->unit));
	/* One that waits is forgotten with its queue. */
	arm(s, DEPTH + 1, 0, 0);
	run(s);
	assert_true(s->units->waiting(s->unit));
	go(s, TALLY_FW_QUEUE_DESTROY_CQ, CQN);
	run(s);
	assert_false(s->units->waiting(s->unit));
	consume(s, DEPTH / 2 + 1);
	run(s);
	assert_int_equal(s->interrupts, DEPTH / 2 + 1);
	seam_free(s);
}

/* The record behind the ring says that nothing was consumed: entry DEPTH + 1 is lost. */
static void a_full_queue_fails(void **state)
{
	struct seam *s = seam_new("full", 0);

	(void)state;
	for (unsigned int i = 0; i < DEPTH + 2; i++)
		complete(s, i, 0);
	run(s);
	assert_int_equal(s->counted[TALLY_CTR_cqes], DEPTH);
	assert_int_equal(s->counted[TALLY_CTR_cq_overruns], 2);
	assert_int_equal(s->cq_events, 1);
	assert_int_equal(s->cq_event.type, TALLY_EQE_CQ_ERROR);
	assert_int_equal(s->interrupts, 1);
	assert_true(s->num_reads > 0);
	assert_int_equal(s->reads[0].addr, BASE + TALLY_PAGE_SIZE + DEPTH * sizeof(struct tally_cqe));
	seam_free(s);
}

/* What comes before the destruction is in memory when it has been carried out. */
static void a_destroyed_queue_is_not_written(void **state)
{
	struct seam *s = seam_new("destroy", 0);

	(void)state;
	complete(s, 1, 0);
	go(s, TALLY_FW_QUEUE_DESTROY_CQ, CQN);
	complete(s, 2, 0);
	while (s->units->writing(s->unit)) {
		s->now += CLOCK;
		answer(s);
		s->units->advance(s->unit, s->now);
	}
	assert_int_equal(s->written, 2);
	assert_int_equal(s->writes_done, 1);
	assert_int_equal(le32toh(entry(s, 0, 0).wqe_index), 1);
	run(s);
	assert_int_equal(s->num_writes, 1);
	seam_free(s);
}

static void an_event_without_memory_stops_the_device(void **state)
{
	const struct nic_event e = { .eqn = EQN, .id = 4, .type = TALLY_EQE_PORT, .data = 1 };
	struct seam *s = seam_new("fatal", 0);

	(void)state;
	s->units->event(s->unit, s->now, &e);
	run(s);
	assert_int_equal(s->interrupts, 1);
	assert_int_equal(s->fatal, 0);
	put_ring(s, BASE + MEMORY, 0, 0);
	go(s, TALLY_FW_QUEUE_CREATE_EQ, EQN);
	s->units->event(s->unit, s->now, &e);
	run(s);
	assert_int_equal(s->interrupts, 1);
	assert_int_equal(s->fatal, TALLY_FATAL_EQ_DMA);
	seam_free(s);
}

/* Accesses that the memory has not answered are forgotten, and the queues as well. */
static void a_reset_forgets_the_queues(void **state)
{
	struct seam *s = seam_new("reset", 0);

	(void)state;
	complete(s, 1, 0);
	while (!s->num_writes)
		s->units->advance(s->unit, s->now += CLOCK);
	complete(s, 2, 0);
	s->units->reset(s->unit);
	s->num_writes = s->num_reads = 0;
	assert_int_equal(s->units->next(s->unit), UINT64_MAX);
	complete(s, 3, 0);
	run(s);
	assert_int_equal(s->num_writes, 0);
	assert_int_equal(s->counted[TALLY_CTR_cqes], 0);
	seam_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_completion_is_written),
		cmocka_unit_test(a_page_list_is_followed),
		cmocka_unit_test(an_armed_queue_raises_an_event),
		cmocka_unit_test(only_solicited_completions_raise_one),
		cmocka_unit_test(only_its_slot_arms_a_queue),
		cmocka_unit_test(an_event_waits_for_room),
		cmocka_unit_test(a_full_queue_fails),
		cmocka_unit_test(a_destroyed_queue_is_not_written),
		cmocka_unit_test(an_event_without_memory_stops_the_device),
		cmocka_unit_test(a_reset_forgets_the_queues),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
