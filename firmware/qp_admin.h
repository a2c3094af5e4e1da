/* SPDX-License-Identifier: BSD-2-Clause */
/* Admin commands on queue pairs. What carries the commands out has checked the numbers. */
#ifndef TALLY_FIRMWARE_QP_ADMIN_H
#define TALLY_FIRMWARE_QP_ADMIN_H

#include "firmware/result.h"

struct engine_qp_cfg {
	uint32_t pd;
	uint32_t cqn;
	uint32_t group;
	uint64_t ranks;
	uint64_t holder; /* ranks of the process; 0: those of `ranks` */
	uint32_t depth;  /* number of entries, a power of two */
	uint32_t stride; /* bytes of an entry */
	uint16_t port;
};

struct engine_result fw_create_qp(uint32_t qpn, const struct engine_qp_cfg *cfg);
struct engine_result fw_modify_qp(uint32_t qpn, enum tally_qp_state state);
struct engine_result fw_destroy_qp(uint32_t qpn);

#endif
