// SPDX-License-Identifier: BSD-2-Clause
#include "bench/take.h"

#include <getopt.h>

#include "bench/names.h"
#include "core/log.h"

bool bench_take_u32(const char *option, uint64_t min, uint64_t max, uint32_t *out)
{
	uint64_t v;

	if (!option_number(option, optarg, min, max, &v))
		return false;
	*out = v;
	return true;
}

bool bench_take_params(struct bench_workload *c, struct bench_params *params)
{
	char why[256];

	if (!bench_params_read(params, optarg, why, sizeof(why))) {
		c->params = params;
		return true;
	}
	sim_warn("%s", why);
	return false;
}

bool bench_take_type(struct bench_workload *c)
{
	unsigned int v;

	if (!bench_take_name("type", optarg, bench_types, &v))
		return false;
	c->type = v;
	return true;
}

bool bench_take_topology(struct bench_workload *c)
{
	if (!topo_kind_parse(optarg, &c->topology))
		return true;
	sim_warn("--topology %s: unknown; there are direct, ring, switch, fattree2, fattree3",
		 optarg);
	return false;
}

void bench_settle(struct bench_workload *c, struct option_list *sizes)
{
	struct message m = { .opcode = c->opcode };

	if (!message_reduces(&m))
		c->op = TALLY_OP_NONE;
	if (c->opcode != TALLY_OPCODE_BARRIER)
		return;
	c->type = TALLY_TYPE_NONE;
	sizes->n = 1;
	sizes->value[0] = 0;
}

bool bench_check_sizes(const struct bench_workload *c, const struct option_list *sizes, bool sized)
{
	const struct message m = { .op = c->op, .type = c->type };
	uint32_t elem = message_elem_size(&m);

	if (sized && c->opcode == TALLY_OPCODE_BARRIER) {
		sim_warn("--size is for operations with data, and --op selects barrier");
		return false;
	}
	for (size_t i = 0; i < sizes->n; i++) {
		if (!sizes->value[i] || sizes->value[i] % elem == 0)
			continue;
		sim_warn("--size: %ju bytes are no multiple of an element's %u",
			 (uintmax_t)sizes->value[i], elem);
		return false;
	}
	return true;
}
