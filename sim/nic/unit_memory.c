// SPDX-License-Identifier: BSD-2-Clause
/*
 * Accesses of the units' AXI4 master to host memory. They use the bus as the accesses of the model
 * do (dma.c): a write is behind all earlier writes, so data come before their completion. An access
 * of what is no host memory is answered with an error.
 */
#include <string.h>

#include "nic/priv.h"

struct access {
	struct delay_line_item item;
	struct nic_access what;
	vtime_t since;
	vtime_t landed;			/* posted writes: when the data are in memory, */
	bool refused;			/* and whether the bus refuses them */
	uint8_t data[];
};

static struct access *access_new(struct nic *nic, const struct nic_access *what, size_t room,
				 void (*run)(void *owner, struct delay_line_item *item))
{
	struct access *a = delay_line_item(sizeof(*a) + room, run);

	a->what = *what;
	a->since = sim_now(nic->sim);
	return a;
}

static void *memory_of(struct nic *nic, const struct access *a)
{
	void *at = nic->bus.ops->map(nic->bus.ctx, a->what.addr, a->what.len);

	return at && unit_access_fails(nic, at, a->what.len) ? NULL : at;
}

/* A host that writes eight bytes at once is read so. */
static void load(uint8_t *to, const uint8_t *from, size_t len)
{
	for (size_t i = 0; i < len; i += sizeof(uint64_t)) {
		uint64_t word = __atomic_load_n((const uint64_t *)(from + i), __ATOMIC_RELAXED);

		memcpy(to + i, &word, sizeof(word));
	}
}

static void run_read(void *owner, struct delay_line_item *item)
{
	struct access *a = (struct access *)item;
	struct nic *nic = owner;
	const void *from = memory_of(nic, a);

	if (from)
		load(a->data, from, a->what.len);
	units_read_done(nic, a->what.id, from ? a->data : NULL, a->what.len);
}

void unit_memory_read(struct nic *nic, const struct nic_access *what)
{
	struct access *a = access_new(nic, what, what->len, run_read);

	dma_read(nic, &a->item, what->len, 0);
}

/* The owner byte of an entry of a queue is among the last eight, which become visible last. */
static void store(uint8_t *to, const uint8_t *from, size_t len)
{
	size_t body = len - sizeof(uint64_t);
	uint64_t last;

	if (len % sizeof(last) || (uintptr_t)to % sizeof(last)) {
		memcpy(to, from, len);
		return;
	}
	memcpy(to, from, body);
	memcpy(&last, from + body, sizeof(last));
	__atomic_store_n((uint64_t *)(to + body), last, __ATOMIC_RELEASE);
}

static bool carry_out(struct nic *nic, struct access *a)
{
	void *to = memory_of(nic, a);

	if (!to)
		return false;
	if (a->what.id == NIC_AXI_COMPLETIONS && a->what.len == sizeof(struct tally_cqe) &&
	    !cq_unit_writes(nic, (struct tally_cqe *)a->data, a->since))
		return false;
	store(to, a->data, a->what.len);
	bus_written(&nic->bus, to, a->what.len);
	return true;
}

static void run_write(void *owner, struct delay_line_item *item)
{
	struct access *a = (struct access *)item;

	units_write_done(owner, a->what.id, carry_out(owner, a));
}

/*
 * The bus accepts a write of data: everything that is written later comes after it, so the units get the
 * answer, as the engine does in dma.c. Completions and events wait until they are in memory, because
 * interrupts do not use this bus.
 */
static void run_accepted(void *owner, struct delay_line_item *item)
{
	const struct access *a = (const struct access *)item;
	struct nic *nic = owner;

	nic->last_write = a->landed;
	units_write_done(nic, a->what.id, !a->refused);
}

static void run_posted(void *owner, struct delay_line_item *item)
{
	struct access *a = (struct access *)item;

	if (!a->refused)
		carry_out(owner, a);
}

static void post(struct nic *nic, struct access *a)
{
	struct access *answer = access_new(nic, &a->what, 0, run_accepted);

	answer->refused = a->refused = !memory_of(nic, a);
	answer->landed = dma_write(nic, &a->item, a->what.len, 0);
	delay_line_add(&nic->write_issues, &answer->item,
		       answer->landed - nic->timing.pcie_write_ns * VT_NS);
}

void unit_memory_write(struct nic *nic, const struct nic_access *what, const void *data)
{
	const bool posted = what->id == NIC_AXI_REGIONS;
	struct access *a = access_new(nic, what, what->len, posted ? run_posted : run_write);

	memcpy(a->data, data, what->len);
	if (posted)
		post(nic, a);
	else
		dma_write(nic, &a->item, what->len, 0);
}
