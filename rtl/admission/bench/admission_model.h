/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Groups and tombstones of the C model with random contents, which often agree: few job ids, keys,
 * nonces and addresses, so that packets are nearly right. Each change is told as the writes to
 * registers that the model makes for it.
 */
#ifndef TALLY_RTL_ADMISSION_MODEL_H
#define TALLY_RTL_ADMISSION_MODEL_H

#include "engine/engine.h"

struct model_write {
	uint32_t reg, value;
};

struct model_packet {
	uint8_t sgid[16];
	struct tally_tch tch;
	uint8_t payload[64];	/* of OPEN */
};

/* There are contexts 0 to groups - 1 and, behind them, as many tombstones as given. */
void model_init(uint64_t seed, unsigned int groups, unsigned int tombs);
/*
 * Create, bury, forget or renew something. Returns the number of writes; 0: nothing was possible.
 */
unsigned int model_change(struct model_write *writes, unsigned int max);
/* Return a write of one register, by which the firmware may change a group. It is not made yet. */
struct model_write model_single(void);
/* Make it. */
void model_make(struct model_write w);
/* Make a packet that may be for one of the groups. */
void model_packet(struct model_packet *p);
/* Return what the model says about it; contexts are numbered as above. */
struct engine_admission model_judge(const struct model_packet *p);
/* The same without what its number says. */
struct engine_admission model_admit(const struct model_packet *p);
/* Return whether a packet is admitted to a group that lives. */
bool model_alive(const struct engine_admission *a);
/* Return whether each number that is acknowledged has been stored. Numbers before the window have. */
bool model_has(unsigned int group, unsigned int edge, uint32_t top, uint64_t seen);
/* The packet with this number is stored. */
void model_store(const struct engine_admission *a, uint32_t seq);

#endif
