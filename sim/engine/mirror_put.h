/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes of registers in tables of the host, for what mirrors (mirror.h). */
#ifndef TALLY_SIM_ENGINE_MIRROR_PUT_H
#define TALLY_SIM_ENGINE_MIRROR_PUT_H

#include "engine/events.h"
#include "engine/tables.h"

#include <endian.h>
#include <string.h>

#define AT(block, field) __builtin_offsetof(struct tally_fw_##block, field)

static inline void put(struct engine *e, uint32_t reg, uint32_t value)
{
	e->host->table(e->ctx, reg, value);
}

static inline void put_wide(struct engine *e, uint32_t reg, uint64_t value)
{
	put(e, reg, value);
	put(e, reg + 4, value >> 32);
}

/* Bytes of an address, the first one in the low byte of the first register. */
static inline void put_bytes(struct engine *e, uint32_t reg, const uint8_t *bytes, size_t len)
{
	uint32_t word, i;

	for (i = 0; i < len; i += 4) {
		word = 0;
		memcpy(&word, bytes + i, len - i < 4 ? len - i : 4);
		put(e, reg + i, le32toh(word));
	}
}

static inline void put_gid(struct engine *e, uint32_t reg, const uint8_t *gid)
{
	put_bytes(e, reg, gid, 16);
}

static inline void put_mac(struct engine *e, uint32_t reg, const uint8_t *mac)
{
	put_bytes(e, reg, mac, 6);
}

static inline uint32_t reg_of_group(const struct engine *e, const struct group *g)
{
	return TALLY_FW_GROUP_BASE + events_number(e, g) * TALLY_FW_GROUP_STRIDE;
}

static inline uint32_t reg_of_edge(const struct engine *e, const struct group *g,
				   const struct edge *ed)
{
	return reg_of_group(e, g) + TALLY_FW_EDGE_OFFSET + (ed - g->edges) * TALLY_FW_EDGE_STRIDE;
}

#endif
