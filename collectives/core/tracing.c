// SPDX-License-Identifier: BSD-2-Clause
#include "core/tracing.h"

#include <stdlib.h>

#include "core/roles.h"

void tc_trace_choice(const struct tallycoll_team *t, const struct tallycoll_args *args,
		     const struct tc_way *way, enum tallycoll_reason reason)
{
	if (t->context->tune.trace)
		fprintf(stderr, "tallycoll: rank %u: %s of %llu elements: %s\n", t->context->rank,
			tc_opcode_name(args->opcode), (unsigned long long)args->count,
			reason ? tallycoll_reason_name(reason) : way->name);
}

void tc_trace_why(const struct tallycoll_context *c, const char *why)
{
	if (c->tune.trace && *why)
		fprintf(stderr, "tallycoll: rank %u: %s\n", c->rank, why);
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
