// SPDX-License-Identifier: BSD-2-Clause
/*
 * Accesses of the engine to memory regions, which the units make. The device's part is to hand them
 * over, when the engine's own latency has passed, and to give the engine the answer. It keeps what
 * the answer refers to in a table, whose index is the tag of the access. An injected fault makes
 * the host's memory refuse the first byte of the access.
 */
#include <stdlib.h>
#include <string.h>

#include "gen/tally_fw_hw.h"
#include "nic/priv.h"

#define NO_ENTRY	UINT32_MAX
#define FIRST_ROOM	64
/* A segment has one access for each local rank, and a request one for its flag word. */
#define MOST		(1u << NIC_ACCESS_ID_BITS)

struct unit_access {
	uint32_t next;			/* free entry behind this one */
	bool used, write;
	uint64_t tag;			/* of the engine */
	struct engine_sge sge;
	vtime_t since;
	uint8_t *data;			/* of a write, for the commits */
	const uint8_t *fault;		/* byte that memory refuses; NULL: none */
};

struct access_item {
	struct delay_line_item item;
	struct nic_region_access what;
	uint64_t tag;
	uint8_t data[];
};

/* ---- The table ---- */

static void grow(struct nic *nic)
{
	struct unit_accesses *t = &nic->accesses;
	uint32_t room = t->room ? 2 * t->room : FIRST_ROOM;
	struct unit_access *table = reallocarray(t->table, room, sizeof(*table));

	if (!table || room > MOST)
		abort(); /* a run that loses an access has wrong results */
	t->table = table;
	for (uint32_t i = t->room; i < room; i++)
		table[i] = (struct unit_access){ .next = i + 1 < room ? i + 1 : NO_ENTRY };
	t->free = t->room;
	t->room = room;
}

static uint32_t take(struct nic *nic)
{
	struct unit_accesses *t = &nic->accesses;
	uint32_t id;

	if (!t->room || t->free == NO_ENTRY)
		grow(nic);
	id = t->free;
	t->free = t->table[id].next;
	return id;
}

static void give_back(struct nic *nic, uint32_t id)
{
	struct unit_accesses *t = &nic->accesses;

	free(t->table[id].data);
	t->faults -= t->table[id].fault != NULL;
	t->table[id] = (struct unit_access){ .next = t->free };
	t->free = id;
}

void unit_access_clear(struct nic *nic)
{
	for (uint32_t i = 0; i < nic->accesses.room; i++)
		free(nic->accesses.table[i].data);
	free(nic->accesses.table);
	nic->accesses = (struct unit_accesses){ 0 };
}

/* ---- Accesses ---- */

static uint8_t *copy(const void *data, size_t len)
{
	uint8_t *to = malloc(len + !len);

	if (!to)
		abort();
	memcpy(to, data, len);
	return to;
}

/* Return the entry of an access that begins. */
static struct unit_access *begin(struct nic *nic, const struct nic_region_access *what)
{
	struct unit_access *a = &nic->accesses.table[what->id];

	*a = (struct unit_access){ .used = true, .write = what->write, .sge = what->sge,
				   .since = sim_now(nic->sim) };
	a->fault = mr_fault(nic, what->pd, &a->sge, a->write);
	nic->accesses.faults += a->fault != NULL;
	return a;
}

static void run_access(void *owner, struct delay_line_item *item)
{
	struct access_item *i = (struct access_item *)item;
	struct nic *nic = owner;
	struct unit_access *a;

	i->what.id = take(nic);
	a = begin(nic, &i->what);
	a->tag = i->tag;
	if (a->write && nic->commits)
		a->data = copy(i->data, a->sge.length);
	units_access(nic, &i->what, i->data);
}

static void enter(struct nic *nic, const struct nic_region_access *what, const void *data,
		  uint64_t tag, vtime_t delay)
{
	size_t len = what->write ? what->sge.length : 0;
	struct access_item *i = delay_line_item(sizeof(*i) + len, run_access);
	vtime_t now = sim_now(nic->sim);

	if (what->sge.length > TALLY_PAGE_SIZE)
		abort(); /* more than a packet */
	i->what = *what;
	i->tag = tag;
	if (len)
		memcpy(i->data, data, len);
	span(nic, SPAN_ENGINE, what->write ? "write" : "read", now, now + delay, "bytes",
	     what->sge.length);
	delay_line_add(&nic->engine_reads, &i->item, now + delay);
}

void unit_engine_read(struct nic *nic, uint32_t pd, const struct engine_sge *sge, uint64_t tag,
		      vtime_t delay)
{
	enter(nic, &(struct nic_region_access){ .pd = pd, .sge = *sge }, NULL, tag, delay);
}

void unit_engine_write(struct nic *nic, uint32_t pd, const struct engine_sge *sge, const void *data,
		       uint64_t tag, vtime_t delay)
{
	enter(nic, &(struct nic_region_access){ .pd = pd, .sge = *sge, .write = true }, data, tag,
	      delay);
}

static void end(struct nic *nic, const struct unit_access *a, enum tally_coll_status status,
		const void *data)
{
	if (status)
		nic_count(nic, TALLY_CTR_dma_errors, 1);
	else if (a->write)
		commit_write(nic, &a->sge, data);
	span(nic, a->write ? SPAN_WRITE : SPAN_READ, a->write ? "write" : "read", a->since,
	     sim_now(nic->sim), "bytes", a->sge.length);
}

void unit_access_begins(struct nic *nic, const struct nic_region_access *what)
{
	struct nic_region_access entered = *what;

	entered.id = nic->accesses.own[what->id] = take(nic);
	begin(nic, &entered);
}

void unit_access_ended(struct nic *nic, uint32_t id, enum tally_coll_status status, const void *data)
{
	uint32_t entry = nic->accesses.own[id];

	end(nic, &nic->accesses.table[entry], status, data);
	give_back(nic, entry);
}

void unit_accessed(struct nic *nic, uint32_t id, enum tally_coll_status status, const void *data,
		   size_t len)
{
	const struct unit_access a = nic->accesses.table[id];

	end(nic, &a, status, a.data);
	give_back(nic, id);
	if (a.write)
		engine_write_done(nic_enter(nic), a.tag, status);
	else
		engine_read_done(nic_enter(nic), a.tag, status, status ? NULL : data,
				 status ? 0 : len);
	nic_leave(nic);
}

bool unit_access_fails(struct nic *nic, const void *at, size_t len)
{
	const struct unit_accesses *t = &nic->accesses;
	const uint8_t *from = at;

	for (uint32_t i = 0; t->faults && i < t->room; i++) {
		const uint8_t *fault = t->table[i].fault;

		if (fault && fault >= from && fault < from + len)
			return true;
	}
	return false;
}

/* ---- Registers of regions ---- */

#define REG(field)	(TALLY_FW_REGION_BASE + offsetof(struct tally_fw_region, field))

static void put(struct nic *nic, uint32_t reg, uint32_t value)
{
	units_table(nic, reg, value);
}

static void put64(struct nic *nic, uint32_t reg, uint64_t value)
{
	put(nic, reg, (uint32_t)value);
	put(nic, reg + sizeof(uint32_t), value >> 32);
}

void unit_mr_enter(struct nic *nic, uint32_t lkey, uint32_t pd, uint32_t access, uint64_t iova,
		   const struct host_mem *mem)
{
	if (!nic->units)
		return;
	put(nic, REG(lkey), lkey);
	put64(nic, REG(iova), iova);
	put64(nic, REG(addr), mem->addr);
	put64(nic, REG(length), mem->length);
	put(nic, REG(offset), mem->offset);
	put(nic, REG(levels), mem->levels);
	put(nic, REG(page_shift), mem->page_shift);
	put(nic, REG(pd), pd);
	put(nic, REG(access), access);
	put(nic, REG(go), TALLY_FW_REGION_ENTER);
}

void unit_mr_remove(struct nic *nic, uint32_t lkey)
{
	if (!nic->units)
		return;
	put(nic, REG(lkey), lkey);
	put(nic, REG(go), TALLY_FW_REGION_REMOVE);
}
