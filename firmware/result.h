/* SPDX-License-Identifier: BSD-2-Clause */
/* Outcome of a configuration call, for the firmware and for those who call the engine. */
#ifndef TALLY_FIRMWARE_RESULT_H
#define TALLY_FIRMWARE_RESULT_H

#include <stddef.h>
#include <stdint.h>

#include "gen/tally_hw.h"

/* An admin status and the offset of the field at fault. */
struct engine_result {
	enum tally_admin_status status;
	uint16_t bad_offset; /* in the structure that was passed; 0xffff: no field */
};

#define ENGINE_OK ((struct engine_result){ TALLY_ADMIN_STATUS_OK, 0xffff })
#define ENGINE_REFUSE(what, type, field)                                                           \
	((struct engine_result){ TALLY_ADMIN_STATUS_##what, offsetof(struct type, field) })

#endif
