// SPDX-License-Identifier: BSD-2-Clause
#include "workload/cpu.h"

#include "hosts/values.h"

static vtime_t next_gap(struct bench_cpu *cpu)
{
	return rng_below(&cpu->rng, 2 * cpu->gap) + 1;
}

void cpu_init(struct bench_cpu *cpu, const struct bench_workload *c, uint32_t rank)
{
	*cpu = (struct bench_cpu){ .length = c->noise_time };
	if (!(c->noise_rate > 0) || !c->noise_time)
		return;
	rng_seed(&cpu->rng, values_mix(c->seed) ^ values_mix(~(uint64_t)rank));
	cpu->gap = (vtime_t)((double)VT_S / c->noise_rate);
	cpu->next = next_gap(cpu);
}

/* Ends the interruption at cpu->next. Returns the time of its end. */
static vtime_t interrupted(struct bench_cpu *cpu)
{
	vtime_t end = cpu->next + cpu->length;

	cpu->next = end + next_gap(cpu);
	return end;
}

vtime_t cpu_run(struct bench_cpu *cpu, vtime_t from, vtime_t work)
{
	vtime_t start = from > cpu->busy ? from : cpu->busy, end;

	if (!cpu->gap) {
		cpu->busy = start + work;
		return cpu->busy;
	}
	while (cpu->next <= start) {
		end = interrupted(cpu);
		start = end > start ? end : start;
	}
	end = start + work;
	while (cpu->next < end) {
		interrupted(cpu);
		end += cpu->length;
	}
	cpu->busy = end;
	return end;
}
