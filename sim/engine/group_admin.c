// SPDX-License-Identifier: BSD-2-Clause
/* Admin commands on groups, which the firmware carries out. */
#include "engine/common.h"
#include "engine/firmware_run.h"
#include "firmware/group_admin.h"

/* Let the firmware handle the events that its command has raised. */
static struct engine_result done(struct engine *e, struct engine_result r)
{
	firmware_run(e);
	return r;
}

struct engine_result engine_create_group(struct engine *e, uint32_t group,
					 const struct tally_group_cfg *cfg,
					 const struct tally_group_edge *edges, uint32_t num_edges)
{
	firmware_finish(e);
	firmware_attach(e);
	return done(e, fw_create_group(group, cfg, edges, num_edges));
}

struct engine_result engine_attach_ranks(struct engine *e, uint32_t group, uint64_t ranks)
{
	firmware_finish(e);
	firmware_attach(e);
	return done(e, fw_attach_ranks(group, ranks));
}

struct engine_result engine_detach_ranks(struct engine *e, uint32_t group, uint64_t ranks)
{
	firmware_finish(e);
	firmware_attach(e);
	return done(e, fw_detach_ranks(group, ranks));
}

struct engine_result engine_reset_group(struct engine *e, uint32_t group, uint32_t epoch)
{
	firmware_finish(e);
	firmware_attach(e);
	return done(e, fw_reset_group(group, epoch));
}

struct engine_result engine_destroy_group(struct engine *e, uint32_t group)
{
	firmware_finish(e);
	firmware_attach(e);
	return done(e, fw_destroy_group(group));
}
