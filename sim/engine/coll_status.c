// SPDX-License-Identifier: BSD-2-Clause
#include "engine/coll_status.h"

#include "gen/tally_hw.h"

uint8_t coll_status_wc(uint16_t coll_status)
{
	switch (coll_status) {
	case TALLY_COLL_OK:
		return TALLY_WC_SUCCESS;
	case TALLY_COLL_BAD_COUNT:
	case TALLY_COLL_TOO_LONG:
	case TALLY_COLL_BAD_SGE_LENGTH:
	case TALLY_COLL_BAD_INLINE:
	case TALLY_COLL_BAD_CHUNK:
		return TALLY_WC_LOC_LEN_ERR;
	case TALLY_COLL_BAD_LKEY:
	case TALLY_COLL_MR_RANGE:
	case TALLY_COLL_MR_ACCESS:
		return TALLY_WC_LOC_PROT_ERR;
	case TALLY_COLL_WQE_FETCH:
	case TALLY_COLL_DMA_ERROR:
		return TALLY_WC_LOC_ACCESS_ERR;
	case TALLY_COLL_TIMEOUT:
	case TALLY_COLL_NO_HANDSHAKE:
	case TALLY_COLL_RMQ_OVERFLOW:
		return TALLY_WC_RESP_TIMEOUT_ERR;
	case TALLY_COLL_RETRY_EXCEEDED:
		return TALLY_WC_RETRY_EXC_ERR;
	case TALLY_COLL_FLUSHED:
		return TALLY_WC_WR_FLUSH_ERR;
	case TALLY_COLL_RANK_GONE:
	case TALLY_COLL_ABORTED:
	case TALLY_COLL_MISMATCH:
	case TALLY_COLL_OPCODE_MISMATCH:
	case TALLY_COLL_OP_MISMATCH:
	case TALLY_COLL_TYPE_MISMATCH:
	case TALLY_COLL_COUNT_MISMATCH:
	case TALLY_COLL_ROOT_MISMATCH:
	case TALLY_COLL_CHUNK_MISMATCH:
	case TALLY_COLL_MASK_MISMATCH:
	case TALLY_COLL_MODE_MISMATCH:
	case TALLY_COLL_PEER_GONE:
	case TALLY_COLL_EPOCH_CHANGED:
	case TALLY_COLL_CONFIG_MISMATCH:
		return TALLY_WC_REM_ABORT_ERR;
	default:
		return coll_status < TALLY_COLL_TIMEOUT ? TALLY_WC_LOC_QP_OP_ERR :
							  TALLY_WC_GENERAL_ERR;
	}
}

bool coll_status_spares_queue(uint16_t coll_status)
{
	return coll_status == TALLY_COLL_OK || coll_status == TALLY_COLL_MISMATCH;
}

bool coll_status_is_local(uint16_t coll_status)
{
	return (coll_status && coll_status < TALLY_COLL_TIMEOUT) ||
	       coll_status == TALLY_COLL_DMA_ERROR;
}

uint8_t coll_status_wc_of_end(uint16_t coll_status)
{
	return coll_status_is_local(coll_status) ? TALLY_WC_REM_ABORT_ERR : coll_status_wc(coll_status);
}

bool coll_status_is_reason(uint16_t coll_status)
{
	return coll_status == TALLY_COLL_RANK_GONE || coll_status == TALLY_COLL_ABORTED ||
	       (coll_status >= TALLY_COLL_OPCODE_MISMATCH &&
		coll_status <= TALLY_COLL_MASK_MISMATCH) ||
	       coll_status == TALLY_COLL_MODE_MISMATCH;
}

bool coll_status_ends_epoch(uint16_t coll_status)
{
#define KNOWN(name, value, doc) known |= coll_status == (value);
	bool known = false;

	TALLY_COLL_LIST(KNOWN)
#undef KNOWN
	return known && !coll_status_spares_queue(coll_status) && coll_status != TALLY_COLL_FLUSHED &&
	       coll_status != TALLY_COLL_DEVICE_LOST;
}
