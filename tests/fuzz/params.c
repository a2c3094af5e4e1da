// SPDX-License-Identifier: BSD-2-Clause
/*
 * Parameter files: refused with file and line, or read as a set whose every number is in its range.
 */
#include <stdio.h>
#include <string.h>

#include "input.h"
#include "workload/params.h"
#include "workload/params_keys.h"

/* The values that the simulator derives from a set must be possible as well. */
static void use(const struct bench_params *p)
{
	for (int i = 0; i < PARAMS_NUM_KEYS; i++) {
		const struct params_key *k = &params_keys[i];
		uint64_t value;

		memcpy(&value, (const char *)p + k->offset, sizeof(value));
		FUZZ_MUST(!k->power_of_two || !(value & (value - 1)));
		FUZZ_MUST(k->min <= 0 || value);
	}
	bench_nic_timing(p);
	bench_link_propagation(p);
	bench_trunk_propagation(p);
	bench_bytes_time(p->mtu, p->pcie_rate);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bench_params p;
	char *why = malloc(256);
	FILE *file;

	FUZZ_MUST(why);
	why[0] = '\0';
	if (!size)
		goto out;
	file = fmemopen((void *)data, size, "r");
	FUZZ_MUST(file);
	if (bench_params_parse(&p, file, "set.params", why, 256))
		FUZZ_MUST(!strncmp(why, "set.params", 10));
	else
		use(&p);
	fclose(file);
out:
	free(why);
	return 0;
}
