/* SPDX-License-Identifier: BSD-2-Clause */
/* Admin commands on groups. What carries the commands out has checked that the group's number is. */
#ifndef TALLY_FIRMWARE_GROUP_ADMIN_H
#define TALLY_FIRMWARE_GROUP_ADMIN_H

#include "firmware/result.h"

struct engine_result fw_create_group(uint32_t group, const struct tally_group_cfg *cfg,
					const struct tally_group_edge *edges, uint32_t num_edges);
struct engine_result fw_attach_ranks(uint32_t group, uint64_t ranks);
struct engine_result fw_detach_ranks(uint32_t group, uint64_t ranks);
struct engine_result fw_reset_group(uint32_t group, uint32_t epoch);
struct engine_result fw_destroy_group(uint32_t group);

#endif
