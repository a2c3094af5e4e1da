/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory regions of the simulator's NIC (sim/nic/mr.c, mem.c), for the bench. Host memory is one
 * range of bus addresses with a hole.
 */
#ifndef TALLY_RTL_MR_MODEL_H
#define TALLY_RTL_MR_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "gen/tally_hw.h"

#ifdef __cplusplus
extern "C" {
#endif

struct model_host {
	uint8_t *memory;	/* of bus address `base` */
	uint64_t base, size;
	uint64_t hole;		/* address of a page that is no host memory */
};

struct model_access {
	uint32_t pd, lkey, length;
	uint64_t addr;
	bool write;
};

struct model_piece {
	uint64_t addr;		/* on the bus */
	uint64_t len;
};

/* Host memory at @addr, within a page; NULL: none. */
void *model_map(const struct model_host *host, uint64_t addr, uint64_t len);
/* Begin with no regions. */
void model_start(const struct model_host *host);
/* REG_MR and DEREG_MR. Return whether the command succeeds. */
bool model_register(const struct tally_cmd_reg_mr *cmd);
bool model_deregister(uint32_t lkey);
/* Return the verdict on an access. */
uint16_t model_check(const struct model_access *access);
/* Return the status of an access of a few pages, and up to 16 pieces if it succeeds. */
uint16_t model_find(const struct model_access *access, struct model_piece *pieces, uint64_t *num);
/* Find bytes of a buffer by mem_find(). Returns false in the cases in which it does. */
bool model_walk(const struct model_host *host, const struct tally_mem *raw, uint64_t offset,
		uint64_t len, struct model_piece *pieces, uint64_t *num);
/* Return whether mem_decode() takes the buffer, and its region would end before 2**64. */
bool model_mem_ok(const struct tally_mem *raw, uint64_t iova);

#ifdef __cplusplus
}
#endif

#endif
