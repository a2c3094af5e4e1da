// SPDX-License-Identifier: BSD-2-Clause
/* Requests for the planner: refused with a reason, or turned into a consistent plan. */
#include "plan/plan.h"

#include "input.h"
#include "plan/test/verify.h"

#define MOST_NODES	80	/* the maximum number is used rarely */

static uint32_t *switches(struct input *in, uint32_t n)
{
	uint32_t *sw = calloc(n, sizeof(*sw));
	uint32_t apart = 1 + input_below(in, 40), by = input_below(in, 3);

	FUZZ_MUST(sw);
	for (uint32_t i = 0; i < n; i++)
		sw[i] = by == 0 ? i / apart : by == 1 ? i % apart : input_u8(in);
	return sw;
}

static uint8_t *ranks(struct input *in, uint32_t n)
{
	uint8_t *r = calloc(n, 1), each = input_number(in);

	FUZZ_MUST(r);
	for (uint32_t i = 0; i < n; i++)
		r[i] = each;
	for (uint32_t k = input_below(in, 8); k; k--)
		r[input_below(in, n)] = input_number(in);
	return r;
}

/* Corrupts a few fields. Invalid values must be refused. */
static void spoil(struct input *in, struct plan_request *req)
{
	struct { void *at; size_t len; } fields[] = {
		{ &req->opcode, 3 }, { &req->bytes, sizeof(req->bytes) }, { &req->caps, sizeof(req->caps) },
		{ &req->costs, sizeof(req->costs) }, { &req->mode, 1 }, { &req->modes, sizeof(req->modes) }, { &req->flags, sizeof(req->flags) },
		{ &req->degree, sizeof(req->degree) }, { &req->num_rounds, sizeof(req->num_rounds) },
		{ req->radix, sizeof(req->radix) }, { &req->num_segs, sizeof(req->num_segs) },
		{ &req->max_segs, sizeof(req->max_segs) }, { &req->mtu, sizeof(req->mtu) },
	};

	for (unsigned int k = input_below(in, 6); k; k--) {
		unsigned int i = input_below(in, sizeof(fields) / sizeof(fields[0]));

		input_spoil(in, fields[i].at, fields[i].len, 2);
	}
}

static struct plan_request request(struct input *in)
{
	static const uint32_t large[] = { 1024, 4095, TALLY_MAX_NODES, TALLY_MAX_NODES + 1 };
	struct plan_request req = {
		.num_nodes = input_one_in(in, 32) ? large[input_below(in, 4)] : input_below(in, MOST_NODES),
		.mode = input_below(in, 4),
		.opcode = input_below(in, TALLY_OPCODE_SCATTER + 1),
		.bytes = input_number(in),
		.num_rounds = input_below(in, 4),
		.degree = input_below(in, 8) ? 0 : input_number(in),
		.keep_order = input_u8(in) & 1,
	};
	uint32_t r;

	for (r = 0; r < req.num_rounds; r++)
		req.radix[r] = 2 + input_below(in, 20);
	if (req.num_nodes && input_one_in(in, 2))
		req.ranks = ranks(in, req.num_nodes);
	req.num_levels = req.num_nodes ? input_below(in, PLAN_MAX_LEVELS + 1) : 0;
	for (r = 0; r < req.num_levels; r++)
		req.sw[r] = input_one_in(in, 8) ? NULL : switches(in, req.num_nodes);
	req.modes = input_one_in(in, 2) ? input_below(in, 8) : 0;
	spoil(in, &req);
	return req;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	struct plan_request req = request(&in);
	char *why = malloc(128);
	struct plan plan;
	int err;

	FUZZ_MUST(why);
	why[0] = '\0';
	err = plan_make(&plan, &req, why, 128);
	FUZZ_MUST(!err == !why[0]);
	if (!err) {
		verify_plan(&plan);
		plan_free(&plan);
	}
	for (uint32_t r = 0; r < PLAN_MAX_LEVELS; r++)
		free((void *)req.sw[r]);
	free((void *)req.ranks);
	free(why);
	return 0;
}
