/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Building one entry of a send queue: struct tally_wqe, then the gather list or the inline data,
 * then the result list. The caller has checked that all fits into the entry.
 */
#ifndef TALLY_WQE_H
#define TALLY_WQE_H

#include <endian.h>
#include <string.h>

#include "tally.h"

static inline bool tally_opcode_is_triggered(uint8_t opcode)
{
	return opcode >= TALLY_OPCODE_REDUCE_MP;
}

/* Flags of the work request for those of struct ibv_send_wr. QUERY and ABORT always complete. */
static inline uint32_t tally_wqe_flags(const struct tally_qp *qp,
				       const struct tallydv_coll_attr *coll,
				       unsigned int send_flags)
{
	uint32_t flags = coll->flags;

	if (send_flags & IBV_SEND_SIGNALED || qp->signal_all || tally_wr_is_apart(coll->opcode))
		flags |= TALLY_WQE_F_SIGNALED;
	if (send_flags & IBV_SEND_SOLICITED)
		flags |= TALLY_WQE_F_SOLICITED;
	return flags;
}

/* Every field is stored once, in order: clearing the whole first costs as much again. */
static inline void tally_wqe_put_trigger(struct tally_wqe *wqe,
					 const struct tallydv_trigger *trigger)
{
	wqe->cpcnt = htole32(trigger->cpcnt);
	wqe->counter = trigger->counter;
	wqe->dest_counter = trigger->dest_counter;
	wqe->dest_port = htole16(trigger->dest_port);
	wqe->branch = trigger->branch;
	wqe->rsvd0 = 0;
	wqe->err_vector = htole16(trigger->err_vector);
}

static inline void tally_wqe_put_no_trigger(struct tally_wqe *wqe)
{
	wqe->cpcnt = 0;
	wqe->counter = 0;
	wqe->dest_counter = 0;
	wqe->dest_port = 0;
	wqe->branch = 0;
	wqe->rsvd0 = 0;
	wqe->err_vector = 0;
}

/* The fixed part, as yet without data and result. */
static inline void tally_wqe_fill(struct tally_wqe *wqe, const struct tally_qp *qp,
				  const struct tallydv_coll_attr *coll, uint32_t flags,
				  uint32_t index)
{
	bool triggered = tally_opcode_is_triggered(coll->opcode);

	wqe->opcode = coll->opcode;
	wqe->op = coll->op;
	wqe->dtype = coll->dtype;
	wqe->num_gather = 0;
	wqe->flags = htole32(flags);
	wqe->index = htole32(index);
	wqe->inline_len = 0;
	wqe->count = htole64(coll->count);
	wqe->jid = htole32(qp->jid);
	wqe->mid = htole32(coll->mid);
	wqe->root_node = htole16(coll->root_node);
	wqe->root_rank = coll->root_rank;
	wqe->num_result = 0;
	wqe->seg_first = htole16(coll->seg_first);
	wqe->seg_count = htole16(coll->seg_count);
	wqe->rank_mask = htole64(coll->rank_mask ? coll->rank_mask : qp->ranks);
	wqe->node_mask = htole64(coll->node_mask || triggered ? coll->node_mask : UINT64_MAX);
	wqe->flag_addr = htole64(coll->flag_addr);
	wqe->flag_lkey = htole32(coll->flag_lkey);
	wqe->flag_value = htole32(coll->flag_value);
	if (triggered)
		tally_wqe_put_trigger(wqe, &coll->trigger);
	else
		tally_wqe_put_no_trigger(wqe);
	wqe->chunk_len = htole32(coll->chunk_len);
	wqe->loc_index = htole64(coll->loc_index);
	wqe->timeout_ms = htole32(coll->timeout_ms);
	memset((char *)wqe + offsetof(struct tally_wqe, rsvd1), 0,
	       sizeof(*wqe) - offsetof(struct tally_wqe, rsvd1));
}

static inline void tally_wqe_put_list(struct tally_sge *to, const struct ibv_sge *from,
				      unsigned int count)
{
	for (unsigned int i = 0; i < count; i++) {
		to[i].addr = htole64(from[i].addr);
		to[i].length = htole32(from[i].length);
		to[i].lkey = htole32(from[i].lkey);
	}
}

static inline void tally_wqe_put_gather(struct tally_wqe *wqe, const struct ibv_sge *list,
					unsigned int count)
{
	wqe->num_gather = count;
	tally_wqe_put_list((struct tally_sge *)(wqe + 1), list, count);
}

/* Append to the inline data. */
static inline void tally_wqe_put_inline(struct tally_wqe *wqe, const void *data, size_t length)
{
	uint32_t at = le32toh(wqe->inline_len);

	wqe->flags |= htole32(TALLY_WQE_F_INLINE);
	memcpy((char *)(wqe + 1) + at, data, length);
	wqe->inline_len = htole32(at + length);
}

/* Last: where the result list goes depends on what is before it. */
static inline void tally_wqe_put_result(struct tally_wqe *wqe, const struct ibv_sge *list,
					unsigned int count)
{
	size_t before = TALLY_ROUND_UP(le32toh(wqe->inline_len), sizeof(struct tally_sge)) +
			wqe->num_gather * sizeof(struct tally_sge);

	wqe->num_result = count;
	tally_wqe_put_list((struct tally_sge *)((char *)(wqe + 1) + before), list, count);
}

#endif
