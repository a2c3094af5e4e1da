// SPDX-License-Identifier: BSD-2-Clause
/* Admin commands on queue pairs, which the firmware carries out, and what the NIC tells of them. */
#include "engine/common.h"
#include "engine/firmware_run.h"
#include "engine/group.h"
#include "engine/qp_failure.h"
#include "firmware/qp_admin.h"

/* Let the firmware handle the events that its command has raised. */
static struct engine_result done(struct engine *e, struct engine_result r)
{
	firmware_run(e);
	return r;
}

struct engine_result engine_create_qp(struct engine *e, uint32_t qpn,
				      const struct engine_qp_cfg *cfg)
{
	firmware_finish(e);
	firmware_attach(e);
	return done(e, fw_create_qp(qpn, cfg));
}

struct engine_result engine_modify_qp(struct engine *e, uint32_t qpn, enum tally_qp_state state)
{
	firmware_finish(e);
	firmware_attach(e);
	return done(e, fw_modify_qp(qpn, state));
}

struct engine_result engine_destroy_qp(struct engine *e, uint32_t qpn)
{
	firmware_finish(e);
	firmware_attach(e);
	return done(e, fw_destroy_qp(qpn));
}

void engine_qp_lost(struct engine *e, uint32_t qpn)
{
	struct qp *qp = &e->qps[qpn];
	struct group *g = &e->groups[qp->cfg.group];

	firmware_finish(e);
	qp_failure_queue_failed(e, g, qp, TALLY_COLL_RANK_GONE);
	group_pump(e, g);
	firmware_run(e);
}

enum tally_qp_state engine_qp_state(const struct engine *e, uint32_t qpn)
{
	return e->qps[qpn].state;
}
