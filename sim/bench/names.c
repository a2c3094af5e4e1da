// SPDX-License-Identifier: BSD-2-Clause
#include "bench/names.h"

#include <stdio.h>
#include <string.h>

#include "core/log.h"

const struct bench_name bench_opcodes[] = {
	{ "allreduce", TALLY_OPCODE_ALLREDUCE }, { "barrier", TALLY_OPCODE_BARRIER },
	{ "bcast", TALLY_OPCODE_BCAST }, { "reduce", TALLY_OPCODE_REDUCE },
	{ "allgather", TALLY_OPCODE_ALLGATHER },
	{ "reduce_scatter", TALLY_OPCODE_REDUCE_SCATTER }, { NULL, 0 },
};

const struct bench_name bench_types[] = {
	{ "int8", TALLY_TYPE_INT8 }, { "int16", TALLY_TYPE_INT16 }, { "int32", TALLY_TYPE_INT32 },
	{ "int64", TALLY_TYPE_INT64 }, { "uint8", TALLY_TYPE_UINT8 },
	{ "uint16", TALLY_TYPE_UINT16 }, { "uint32", TALLY_TYPE_UINT32 },
	{ "uint64", TALLY_TYPE_UINT64 }, { "fp16", TALLY_TYPE_FP16 }, { "bf16", TALLY_TYPE_BF16 },
	{ "fp32", TALLY_TYPE_FP32 }, { "fp64", TALLY_TYPE_FP64 }, { NULL, 0 },
};

const struct bench_name bench_modes[] = {
	{ "auto", 0 }, { "tree", TALLY_MODE_TREE }, { "exchange", TALLY_MODE_EXCHANGE },
	{ "ring", TALLY_MODE_RING }, { "multicast", BENCH_MULTICAST }, { NULL, 0 },
};

static const char *name_of(const struct bench_name *names, unsigned int value)
{
	while (names->name && names->value != value)
		names++;
	return names->name ? names->name : "none";
}

const char *bench_opcode_name(enum tally_opcode opcode)
{
	return name_of(bench_opcodes, opcode);
}

const char *bench_type_name(enum tally_type type)
{
	return name_of(bench_types, type);
}

const char *bench_mode_name(enum tally_mode mode, uint32_t flags)
{
	return name_of(bench_modes, flags & TALLY_GROUP_F_MULTICAST ? BENCH_MULTICAST : mode);
}

bool bench_take_name(const char *option, const char *text, const struct bench_name *names,
		     unsigned int *value)
{
	char all[256] = "";

	for (const struct bench_name *n = names; n->name; n++) {
		if (!strcmp(text, n->name)) {
			*value = n->value;
			return true;
		}
		snprintf(all + strlen(all), sizeof(all) - strlen(all), "%s%s", *all ? ", " : "",
			 n->name);
	}
	sim_warn("--%s %s: unknown; there are %s", option, text, all);
	return false;
}
