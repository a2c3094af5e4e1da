/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A context, a completion queue and queue pairs without kernel or device. Memory shared with a
 * device is plain memory here, and the test plays the device.
 */
#ifndef TALLY_TEST_RIG_H
#define TALLY_TEST_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tally.h"

#define RIG_QPN 7     /* number of rig.qp; rig.other has the next one */
#define RIG_JID 0xabcd1234
#define RIG_WAKE_VALUE 0x10000
#define RIG_EPOCH 11
#define RIG_CAPS (TALLY_CAP_TREE | TALLY_CAP_TRIGGERED | TALLY_CAP_PUT_MP)

struct rig {
	struct verbs_device device;
	struct tally_context ctx;
	struct tally_cq cq;
	struct tally_cq other_cq;
	struct tally_qp qp;      /* ranks 0 and 2, completes to cq */
	struct tally_qp other;   /* completes to other_cq */
	struct tally_uar_slot slots[4];
	struct tally_status_page status;
	__le32 rung;             /* wake-up register */
	uint64_t produced;       /* entries written to cq */
};

/* Creates a rig. max_send_wr is rounded up to a power of two minus one. */
struct rig *rig_new(uint32_t max_send_wr, uint32_t cq_depth);
void rig_free(struct rig *rig);

/* Returns the entry of the send queue at this index, as the device fetches it. */
const struct tally_wqe *rig_wqe(const struct rig *rig, uint64_t index);

/*
 * Returns whether entry `posted` - 1 of rig.qp was pushed: each line has the count, and all lines
 * together are the entry.
 */
bool rig_is_pushed(const struct rig *rig, uint64_t posted);

/* Returns a completion as the device writes it. Fields not given have patterns. */
struct tally_cqe rig_cqe(uint32_t qpn, uint32_t index, uint8_t opcode, uint8_t status,
			 uint16_t coll_status);
void rig_write(struct rig *rig, struct tally_cqe cqe);

/* Posts one work request. Returns the result of ibv_post_send(). */
int rig_post(struct rig *rig, uint8_t opcode, uint64_t wr_id);
/* Completes entry `index` of rig.qp with success. */
void rig_complete(struct rig *rig, uint32_t index, uint8_t opcode);

#endif
