// SPDX-License-Identifier: BSD-2-Clause
#include "rtl/rtl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/options.h"
#include "core/log.h"

/* The options of the program. All NICs that it makes share them. */
static struct {
	char *text;		/* a copy of the option, in parts; the strings below are in it */
	const char *dir;	/* NULL: no wave forms */
	const char *nic;	/* NULL: all */
	vtime_t from, to;
	bool found;		/* a NIC of this name was made */
} wave;

bool rtl_take_engine(const char *text, const struct nic_units **units)
{
	*units = NULL;
	if (!strcmp(text, "model"))
		return true;
	if (strcmp(text, "rtl")) {
		sim_warn("--engine %s: unknown engine; there are: model, rtl", text);
		return false;
	}
	*units = rtl_units();
	if (!*units)
		sim_warn("--engine rtl: this tallysim was built without Verilator; build with "
			 "-DTALLY_RTL=ON");
	return *units;
}

static bool take_part(char *part)
{
	if (!strncmp(part, "nic=", 4)) {
		wave.nic = part + 4;
		return true;
	}
	if (!strncmp(part, "from=", 5))
		return option_time("wave from", part + 5, VT_NEVER / 2, &wave.from);
	if (!strncmp(part, "to=", 3))
		return option_time("wave to", part + 3, VT_NEVER / 2, &wave.to);
	sim_warn("--wave: %s: not nic=NAME, from=TIME or to=TIME", part);
	return false;
}

/* NICs are made while the program runs, so that none has the name is known at its end. */
static void look_for_nic(void)
{
	if (wave.nic && !wave.found)
		sim_warn("--wave: no NIC had the name %s", wave.nic);
}

bool rtl_take_wave(const char *text)
{
	static bool looks;
	char *rest = strdup(text), *part;

	if (!rest)
		abort();
	free(wave.text);
	wave = (typeof(wave)){ .text = rest, .to = VT_NEVER };
	wave.dir = strsep(&rest, ",");
	if (!looks)
		atexit(look_for_nic);
	looks = true;
	while ((part = strsep(&rest, ",")))
		if (!take_part(part))
			return false;
	if (access(wave.dir, W_OK | X_OK)) {
		sim_warn("--wave %s: %s", wave.dir, strerror(errno));
		return false;
	}
	if (wave.from > wave.to)
		sim_warn("--wave: from is later than to");
	return wave.from <= wave.to;
}

bool rtl_check_wave(const struct nic_units *units)
{
	if (wave.dir && !units)
		sim_warn("--wave: only the hardware has wave forms: --engine rtl");
	return !wave.dir || units;
}

struct rtl_wave rtl_wave_of(const char *name)
{
	struct rtl_wave w = { NULL, wave.from, wave.to };

	if (!wave.dir || (wave.nic && strcmp(wave.nic, name)))
		return w;
	wave.found = true;
	if (asprintf(&w.path, "%s/%s.fst", wave.dir, name) < 0)
		abort();
	return w;
}
