// SPDX-License-Identifier: BSD-2-Clause
#include "core/tracing.h"

#include <stdlib.h>

#include "alu/alu.h"
#include "core/roles.h"

static void print_estimates(const struct tallycoll_team *t, const struct tallycoll_args *args)
{
	const struct tc_shape *s = &t->mg->shape;
	uint64_t ns[TC_COST_NUM];
	struct tc_cost_row row;

	tc_cost_row(&row, args->opcode, s->num_nodes, s->most_local);
	tc_cost_at(&row, args->count * alu_elem_size(args->op, args->dtype), ns);
	fprintf(stderr, " (estimates: direct %.1f us, node %.1f, host %.1f)",
		ns[TC_COST_DIRECT] / 1e3, ns[TC_COST_NODE] / 1e3, ns[TC_COST_HOST] / 1e3);
}

void tc_trace_choice(const struct tallycoll_team *t, const struct tallycoll_args *args,
		     const struct tc_way *way, enum tallycoll_reason reason)
{
	if (!t->context->tune.trace)
		return;
	fprintf(stderr, "tallycoll: rank %u: %s of %llu elements: %s", t->context->rank,
		tc_opcode_name(args->opcode), (unsigned long long)args->count,
		reason ? tallycoll_reason_name(reason) : way->name);
	if (t->mg && (!reason || reason == TALLYCOLL_REASON_SLOWER))
		print_estimates(t, args);
	fputc('\n', stderr);
}

void tc_trace_why(const struct tallycoll_context *c, const char *why)
{
	if (c->tune.trace && *why)
		fprintf(stderr, "tallycoll: rank %u: %s\n", c->rank, why);
}

void tc_trace_nic(const struct tallycoll_context *c)
{
	if (c->tune.trace && c->net->name)
		fprintf(stderr, "tallycoll: rank %u: NIC %s, socket %u\n", c->rank, c->net->name,
			c->host->socket);
}

static void trace_role(const struct tallycoll_team *t)
{
	const struct tc_shape *s = &t->mg->shape;
	struct tc_location *at = calloc(s->size, sizeof(*at));
	struct tc_roles roles;

	for (uint32_t r = 0; at && r < s->size; r++)
		at[r] = (struct tc_location){ s->node_of[r], t->context->process[s->member[r]].socket };
	if (at && tc_roles_init(&roles, at, s->size, s->has_sockets)) {
		fprintf(stderr, "tallycoll: rank %u: team %08x of %u ranks on %u nodes: rank %u, %s of group %u\n",
			t->context->rank, t->mg->jid, s->size, s->num_nodes, s->rank,
			tc_role_name(tc_role_of(&roles, s->rank)), tc_role_group(&roles, s->rank));
		tc_roles_free(&roles);
	}
	free(at);
}

void tc_trace_team(const struct tallycoll_team *t)
{
	if (!t->context->tune.trace)
		return;
	if (t->mg)
		trace_role(t);
	else
		fprintf(stderr, "tallycoll: rank %u: team of %u ranks: %s\n", t->context->rank,
			t->oob.size, tallycoll_reason_str(t->reason));
}
