// SPDX-License-Identifier: BSD-2-Clause
/* The identification page, and the page that tells processes when to ring. */
#include <string.h>

#include "alu/alu.h"
#include "nic/priv.h"

/* Implemented features; a driver must not ask for others. */
#define CAPS                                                                                       \
	(TALLY_CAP_TREE | TALLY_CAP_EXCHANGE | TALLY_CAP_RING | TALLY_CAP_MULTICAST |              \
	 TALLY_CAP_TRIGGERED | TALLY_CAP_PUT_MP | TALLY_CAP_ORDERED | TALLY_CAP_CHUNKED |          \
	 TALLY_CAP_PUSH | TALLY_CAP_INJECT | TALLY_CAP_GROUP_RESET | TALLY_CAP_FLAG_WORD)

/* Write the EUI-64 of a MAC address, as in a link-local address. */
static void eui64(uint8_t to[8], const uint8_t mac[6])
{
	memcpy(to, mac, 3);
	to[0] ^= 2;
	to[3] = 0xff;
	to[4] = 0xfe;
	memcpy(to + 5, mac + 3, 3);
}

void nic_gid(uint8_t gid[16], const uint8_t mac[6])
{
	memset(gid, 0, 16);
	gid[0] = 0xfe;
	gid[1] = 0x80;
	eui64(gid + 8, mac);
}

static void write_limits(const struct nic *nic, struct tally_ident *id)
{
	id->bar_size = htole32(TALLY_BAR_SIZE);
	id->num_uars = htole32(TALLY_NUM_UARS);
	id->num_vectors = htole32(TALLY_NUM_VECTORS);
	id->max_eq = htole32(TALLY_MAX_EQ);
	id->max_cq = htole32(TALLY_MAX_CQ);
	id->max_qp = htole32(TALLY_MAX_QP);
	id->max_requests = htole32(TALLY_MAX_REQUESTS);
	id->max_mr = htole32(TALLY_MAX_MR);
	id->max_pd = htole32(TALLY_MAX_PD);
	id->max_group = htole32(nic->max_groups);
	id->max_edges = htole32(TALLY_MAX_EDGES);
	id->max_seg = htole32(nic->max_segs);
	id->max_contributors = htole32(TALLY_MAX_CONTRIBUTORS);
	id->max_ranks = htole32(TALLY_MAX_RANKS);
	id->max_sq_depth = htole32(TALLY_MAX_SQ_DEPTH);
	id->max_cq_depth = htole32(TALLY_MAX_CQ_DEPTH);
	id->max_inline = htole32(TALLY_MAX_INLINE);
	id->max_sge = htole32(TALLY_MAX_SGE);
	id->mtu = htole32(TALLY_MAX_MTU);
	id->max_message = htole32(TALLY_MAX_MESSAGE);
}

static void write_alu(struct tally_ident *id)
{
	unsigned int class;

	_Static_assert(sizeof(id->alu_ops) / sizeof(id->alu_ops[0]) == sizeof(id->alu_sizes),
		       "both tables have a class in each place");
	for (class = 0; class < sizeof(id->alu_sizes); class++) {
		id->alu_ops[class] = htole32(alu_ops((uint8_t)class));
		id->alu_sizes[class] = alu_sizes((uint8_t)class);
	}
}

static void write_identity(const struct nic *nic, struct tally_ident *id)
{
	uint64_t guid;

	id->abi_version = htole32(TALLY_ABI_VERSION);
	id->engine_version = htole32(TALLY_ENGINE_VERSION);
	id->wire_version = htole32(TALLY_WIRE_VERSION);
	id->engine_kind = htole32(nic->units ? NIC_ENGINE_RTL : NIC_ENGINE_MODEL);
	id->caps = htole64(CAPS);
	id->opcodes = htole32(engine_opcodes(nic->engine));
	memcpy(id->mac, nic->mac, sizeof(id->mac));
	id->link_mbps = htole32(nic->ports[0].cable ? nic->link_mbps : 0);
	id->clock_khz = htole32((uint32_t)(VT_MS / VT_NS));
	/* The EUI-64 as a number, whose first byte is the most significant one. */
	memcpy(&guid, nic->gid + 8, sizeof(guid));
	id->guid = htole64(be64toh(guid));
}

/*
 * Write the page. After a restart under a running guest the page is already there. epoch continues
 * to count, and reset_ack still names the last reset that was carried out, so a reset that was
 * requested meanwhile is carried out now.
 */
void ident_start(struct nic *nic)
{
	struct tally_ident *id = nic->ident;

	if (bar_load64(&id->magic) == TALLY_MAGIC) {
		nic->epoch = bar_load32(&id->epoch);
		nic->reset_ack = bar_load32(&id->reset_ack);
	}
	nic->epoch++;
	bar_store64(&id->magic, 0);
	memset(id, 0, sizeof(*id));
	write_identity(nic, id);
	ident_port(nic);
	write_limits(nic, id);
	write_alu(id);
	bar_store32(&id->reset_ack, nic->reset_ack);
	bar_store32(&id->epoch, nic->epoch);
	bar_store32(&nic->status->epoch, nic->epoch);
	ident_state(nic, TALLY_DEVICE_NEEDS_RESET, TALLY_FATAL_NONE);
	bar_store64(&id->magic, TALLY_MAGIC);
}

void ident_port(struct nic *nic)
{
	__atomic_store_n(&nic->ident->port_state, nic->link_up, __ATOMIC_RELEASE);
}

void ident_state(struct nic *nic, enum tally_device_state state, enum tally_fatal code)
{
	nic->state = state;
	bar_store32(&nic->ident->fatal_code, code);
	bar_store32(&nic->ident->state, state);
}

void ident_seen(struct nic *nic)
{
	bar_store64(&nic->status->clock, sim_now(nic->sim) / VT_NS);
	bar_store64(&nic->ident->health, ++nic->health);
}
