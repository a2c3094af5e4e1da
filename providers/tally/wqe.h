/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Builds one entry of a send queue: struct tally_wqe, then the gather list or the inline data, then
 * the result list. The caller has checked that all of this fits into the entry.
 */
#ifndef TALLY_WQE_H
#define TALLY_WQE_H

#include <endian.h>
#include <string.h>

#include "tally.h"
#define TALLY_SEND_FLAGS ((unsigned int)(IBV_SEND_SIGNALED | IBV_SEND_SOLICITED | IBV_SEND_INLINE))

/*
 * Returns the flags of a request by the flags of struct ibv_send_wr, which must be within
 * TALLY_SEND_FLAGS. INLINE is set later, with the data.
 */
static inline uint32_t tally_wqe_flags(unsigned int send_flags)
{
	static const uint8_t flags[TALLY_SEND_FLAGS + 1] = {
		[IBV_SEND_SIGNALED] = TALLY_WQE_F_SIGNALED,
		[IBV_SEND_SOLICITED] = TALLY_WQE_F_SOLICITED,
		[IBV_SEND_SIGNALED | IBV_SEND_SOLICITED] =
			TALLY_WQE_F_SIGNALED | TALLY_WQE_F_SOLICITED,
		[IBV_SEND_INLINE | IBV_SEND_SIGNALED] = TALLY_WQE_F_SIGNALED,
		[IBV_SEND_INLINE | IBV_SEND_SOLICITED] = TALLY_WQE_F_SOLICITED,
		[IBV_SEND_INLINE | IBV_SEND_SIGNALED | IBV_SEND_SOLICITED] =
			TALLY_WQE_F_SIGNALED | TALLY_WQE_F_SOLICITED,
	};

	return flags[send_flags];
}

/*
 * Copies members that most requests leave at 0. In the device's byte order, the entry and the
 * attributes have the same layout from node_mask to loc_index. The device refuses a reserved byte
 * that is not 0.
 */
static inline void tally_wqe_fill_rare(struct tally_wqe *restrict wqe,
				       const struct tallydv_coll_attr *restrict coll)
{
#if __BYTE_ORDER == __LITTLE_ENDIAN
#define TALLY_WQE_ALIKE(field, other)                                                              \
	static_assert(offsetof(struct tally_wqe, field) - offsetof(struct tally_wqe, node_mask) == \
			      offsetof(struct tallydv_coll_attr, other) -                          \
				      offsetof(struct tallydv_coll_attr, node_mask),               \
		      "entry and attributes differ")
	TALLY_WQE_ALIKE(flag_addr, flag_addr);
	TALLY_WQE_ALIKE(flag_lkey, flag_lkey);
	TALLY_WQE_ALIKE(flag_value, flag_value);
	TALLY_WQE_ALIKE(cpcnt, trigger.cpcnt);
	TALLY_WQE_ALIKE(counter, trigger.counter);
	TALLY_WQE_ALIKE(dest_counter, trigger.dest_counter);
	TALLY_WQE_ALIKE(dest_port, trigger.dest_port);
	TALLY_WQE_ALIKE(branch, trigger.branch);
	TALLY_WQE_ALIKE(mode, trigger.reserved);
	TALLY_WQE_ALIKE(err_vector, trigger.err_vector);
	TALLY_WQE_ALIKE(chunk_len, chunk_len);
	TALLY_WQE_ALIKE(loc_index, loc_index);
	TALLY_WQE_ALIKE(timeout_ms, result_list);
#undef TALLY_WQE_ALIKE
	memcpy(&wqe->node_mask, &coll->node_mask,
	       offsetof(struct tally_wqe, timeout_ms) - offsetof(struct tally_wqe, node_mask));
#else
	wqe->node_mask = htole64(coll->node_mask);
	wqe->flag_addr = htole64(coll->flag_addr);
	wqe->flag_lkey = htole32(coll->flag_lkey);
	wqe->flag_value = htole32(coll->flag_value);
	wqe->cpcnt = htole32(coll->trigger.cpcnt);
	wqe->counter = coll->trigger.counter;
	wqe->dest_counter = coll->trigger.dest_counter;
	wqe->dest_port = htole16(coll->trigger.dest_port);
	wqe->branch = coll->trigger.branch;
	wqe->mode = coll->trigger.reserved;
	wqe->err_vector = htole16(coll->trigger.err_vector);
	wqe->chunk_len = htole32(coll->chunk_len);
	wqe->loc_index = htole64(coll->loc_index);
#endif
}

/*
 * Fills in the fixed part, without data and result. Every field is stored once, because clearing
 * the whole part first would double the cost. Both structures have the same order of fields, so
 * that the compiler can copy several at a time.
 */
static inline void tally_wqe_fill(struct tally_wqe *restrict wqe, const struct tally_qp *qp,
				  const struct tallydv_coll_attr *restrict coll, uint32_t flags,
				  uint32_t index)
{
	wqe->opcode = coll->opcode;
	wqe->op = coll->op;
	wqe->dtype = coll->dtype;
	wqe->num_gather = 0;
	wqe->flags = htole32(coll->flags | flags);
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
	tally_wqe_fill_rare(wqe, coll);
	wqe->timeout_ms = htole32(coll->timeout_ms);
	wqe->rsvd1 = 0;
	memset(wqe->__rsvd_68, 0, sizeof(wqe->__rsvd_68));
}

/*
 * Fills in the fixed part of a request that has only these members, and is not triggered. `what`
 * has the layout of the entry, with reserved bytes of value 0 where the entry has numbers of list
 * entries, so that two stores suffice.
 */
static inline void tally_wqe_fill_basic(struct tally_wqe *wqe, const struct tally_qp *qp,
					struct tallydv_basic what, uint64_t count, uint32_t mid,
					uint32_t flags, uint32_t index)
{
	static_assert(offsetof(struct tally_wqe, num_gather) ==
		      offsetof(struct tallydv_basic, reserved0), "entry and what differ");
	static_assert(offsetof(struct tally_wqe, num_result) - offsetof(struct tally_wqe, root_node) ==
		      offsetof(struct tallydv_basic, reserved1) -
		      offsetof(struct tallydv_basic, root_node), "entry and what differ");

	what.root_node = htole16(what.root_node);
	memcpy(&wqe->opcode, &what.opcode, 4);
	wqe->flags = htole32(flags);
	wqe->index = htole32(index);
	wqe->inline_len = 0;
	wqe->count = htole64(count);
	wqe->jid = htole32(qp->jid);
	wqe->mid = htole32(mid);
	memcpy(&wqe->root_node, &what.root_node, 4);
	wqe->seg_first = 0;
	wqe->seg_count = 0;
	wqe->rank_mask = htole64(qp->ranks);
	wqe->node_mask = 0;
	memset(&wqe->flag_addr, 0, offsetof(struct tally_wqe, loc_index) -
				   offsetof(struct tally_wqe, flag_addr));
	memset(&wqe->loc_index, 0, sizeof(*wqe) - offsetof(struct tally_wqe, loc_index));
}

/*
 * Lists follow the fixed part, one after the other. These functions return the place of the next
 * list.
 */
static inline struct tally_sge *tally_wqe_put_list(struct tally_sge *to, const struct ibv_sge *from,
						   size_t count)
{
	for (; count; count--, to++, from++) {
		to->addr = htole64(from->addr);
		to->length = htole32(from->length);
		to->lkey = htole32(from->lkey);
	}
	return to;
}

static inline struct tally_sge *tally_wqe_put_gather(struct tally_wqe *wqe,
						     const struct ibv_sge *list, size_t count)
{
	wqe->num_gather = count;
	return tally_wqe_put_list((struct tally_sge *)(wqe + 1), list, count);
}

/* Appends to the inline data. */
static inline void tally_wqe_put_inline(struct tally_wqe *wqe, const void *data, size_t length)
{
	uint32_t at = le32toh(wqe->inline_len);

	if (length) /* otherwise `data` may be NULL */
		memcpy((char *)(wqe + 1) + at, data, length);
	wqe->inline_len = htole32(at + length);
}

/* Completes the inline data, which may be empty. */
static inline struct tally_sge *tally_wqe_end_inline(struct tally_wqe *wqe)
{
	wqe->flags |= htole32(TALLY_WQE_F_INLINE);
	return (struct tally_sge *)(wqe + 1) +
	       (le32toh(wqe->inline_len) + sizeof(struct tally_sge) - 1) / sizeof(struct tally_sge);
}

static inline struct tally_sge *tally_wqe_put_result(struct tally_wqe *wqe, struct tally_sge *to,
						     const struct ibv_sge *list, size_t count)
{
	wqe->num_result = count;
	return tally_wqe_put_list(to, list, count);
}

#endif
