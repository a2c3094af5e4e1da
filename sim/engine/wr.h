/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory accesses and outcome of work requests. */
#ifndef TALLY_SIM_ENGINE_WR_H
#define TALLY_SIM_ENGINE_WR_H

#include "engine/tables.h"

struct access { /* a memory access */
	struct qp *qp;
	struct wr *wr;
	unsigned int entry, seg;
};
/* Decode the tag of an answer. Returns false if nobody waits for the answer any more. */
bool wr_access(struct engine *e, uint64_t tag, struct access *a);
/* Begin the time limit of a request that is in no slot, unless it has begun. */
void wr_wait(struct engine *e, struct group *g, struct wr *wr);
#define WR_FLAG_ENTRY TALLY_MAX_SGE /* used in place of a list entry, for the flag word */
/* Access `len` bytes at `offset` of list entry k, for the chunk in segment `seg`. */
void wr_read(struct engine *e, struct qp *qp, struct wr *wr, unsigned int k, unsigned int seg,
	     uint64_t offset, uint32_t len);
void wr_write(struct engine *e, struct qp *qp, struct wr *wr, unsigned int k, unsigned int seg,
	      uint64_t offset, uint32_t len, const void *data);
/* Everything but the flag word is done: write the flag word, or finish the request. */
void wr_complete(struct engine *e, struct qp *qp, struct wr *wr);
/* Write the flag word. From now on the request succeeds, even if the group ends. */
void wr_write_flag(struct engine *e, struct qp *qp, struct wr *wr);
/* Set the outcome of a request; it retires in its turn. */
void wr_finish(struct engine *e, struct qp *qp, struct wr *wr, uint16_t status);

#endif
