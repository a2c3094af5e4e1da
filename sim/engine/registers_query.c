// SPDX-License-Identifier: BSD-2-Clause
/* What the firmware tells the driver of segments, of arrivals, and of the traffic on edges. */
#include "engine/registers_query.h"
#include "engine/common.h"
#include "engine/mode.h"
#include "engine/segment.h"

#include <endian.h>
#include <string.h>

#define AT(block, field) __builtin_offsetof(struct tally_fw_##block, field)
#define READ(block, field, from) \
	case AT(block, field):   \
		*value = (from); \
		return true
#define WRITE(block, field, to) \
	case AT(block, field):  \
		(to) = value;   \
		return true

/* ---- Segments ---- */

static bool chunk_read(const struct slot *s, uint32_t at, uint64_t *value)
{
	switch (at) {
		READ(segment, opcode, s->opcode);
		READ(segment, op, s->op);
		READ(segment, dtype, s->dtype);
		READ(segment, num, s->num);
		READ(segment, mid, s->mid);
		READ(segment, sid, s->sid);
		READ(segment, missing, s->up_contributors);
		READ(segment, receivers,
		     s->down_todo | s->down_waiting | s->out_todo | s->out_waiting);
		READ(segment, deliver, s->deliver | s->delivering);
	default:
		return false;
	}
}

/* Return the oldest unfinished chunk of a message, counted from done on, or NO_CHUNK. */
static uint32_t oldest_chunk(struct engine *e, const struct group *g, uint32_t mid)
{
	uint32_t num;

	for (num = g->done; num != g->limit; num++) {
		const struct slot *s = slot_of(e, g, num);

		if (s->state == TALLY_SEG_BUSY && s->mid == mid)
			return num - g->done;
	}
	return NO_CHUNK;
}

bool query_segment_read(struct engine *e, uint32_t at, uint64_t *value)
{
	const struct group *g = &e->groups[e->fw_segment.group];
	const struct slot *s = slot_of(e, g, g->done + e->fw_segment.index);

	switch (at) {
		READ(segment, state, s->state);
		READ(segment, ranks, slot_missing_ranks(g, s));
		READ(segment, waits, mode_of(s->mode)->missing(g, s));
		READ(segment, index, e->fw_segment.index);
	default:
		return chunk_read(s, at, value);
	}
}

bool query_segment_write(struct engine *e, uint32_t at, uint32_t value)
{
	switch (at) {
		WRITE(segment, group, e->fw_segment.group);
		WRITE(segment, index, e->fw_segment.index);
	case AT(segment, find):
		e->fw_segment.index = oldest_chunk(e, &e->groups[e->fw_segment.group], value);
		return true;
	default:
		return false;
	}
}

/* ---- Arrivals ---- */

bool query_arrival_read(const struct engine *e, uint32_t at, uint64_t *value)
{
	const struct group *g = &e->groups[e->fw_arrival.group];
	const struct arrival *a = &g->arrivals[e->fw_arrival.index];

	switch (at) {
		READ(arrival, used, a->used);
		READ(arrival, mid, a->mid);
		READ(arrival, opcode, a->opcode);
		READ(arrival, op, a->op);
		READ(arrival, dtype, a->dtype);
		READ(arrival, last, a->last);
		READ(arrival, count, a->count);
		READ(arrival, first_at, a->first_at);
		READ(arrival, last_at, a->last_at);
		READ(arrival, done_at, a->done_at);
		READ(arrival, ranks, a->ranks);
		READ(arrival, contributors, a->contributors);
	default:
		return false;
	}
}

bool query_arrival_write(struct engine *e, uint32_t at, uint32_t value)
{
	switch (at) {
		WRITE(arrival, group, e->fw_arrival.group);
	case AT(arrival, index):
		e->fw_arrival.index = value % TALLY_NUM_ARRIVALS;
		return true;
	default:
		return false;
	}
}

/* ---- Edges ---- */

static bool traffic_read(const struct edge *ed, uint32_t at, uint64_t *value)
{
	switch (at) {
		READ(traffic, peer_done, ed->peer_done);
		READ(traffic, outstanding, __builtin_popcountll(ed->tx_held));
		READ(traffic, retries, ed->retries);
		READ(traffic, probes, ed->probes);
		READ(traffic, sent, ed->sent);
		READ(traffic, retransmits, ed->retransmits);
		READ(traffic, received, ed->received);
		READ(traffic, duplicates, ed->duplicates);
		READ(traffic, busy, ed->busy);
	default:
		return false;
	}
}

/* Read a word of an address, the first byte in the low byte of the first word. */
static bool read_bytes(const uint8_t *bytes, size_t len, uint32_t at, uint64_t *value)
{
	uint32_t word = 0;

	memcpy(&word, bytes + at, len - at < 4 ? len - at : 4);
	*value = le32toh(word);
	return true;
}

bool query_edge_read(const struct edge *ed, uint32_t at, uint64_t *value)
{
	uint32_t gid = at - TALLY_FW_NEIGHBOUR_OFFSET - AT(neighbour, gid);
	uint32_t mac = at - TALLY_FW_NEIGHBOUR_OFFSET - AT(neighbour, mac);

	if (at >= TALLY_FW_TRAFFIC_OFFSET)
		return traffic_read(ed, at - TALLY_FW_TRAFFIC_OFFSET, value);
	if (gid < sizeof(ed->addr.gid))
		return read_bytes(ed->addr.gid, sizeof(ed->addr.gid), gid, value);
	if (mac < sizeof(ed->addr.mac))
		return read_bytes(ed->addr.mac, sizeof(ed->addr.mac), mac, value);
	return false;
}
