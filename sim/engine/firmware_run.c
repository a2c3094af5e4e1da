// SPDX-License-Identifier: BSD-2-Clause
/* The firmware of the NIC, which runs natively: it handles its events at once. */
#include "engine/firmware_run.h"
#include "engine/common.h"
#include "engine/group.h"
#include "engine/registers.h"
#include "firmware/firmware.h"
#include "firmware/port.h"

static _Thread_local struct engine *attached; /* whose firmware runs */

uint64_t port_read(uint32_t reg, unsigned int bytes)
{
	(void)bytes;
	return registers_read(attached, reg);
}

void port_write(uint32_t reg, unsigned int bytes, uint64_t value)
{
	(void)bytes;
	registers_write(attached, reg, value);
}

void firmware_attach(struct engine *e)
{
	attached = e;
}

/* An edge has opened: let its group proceed. */
static void proceed(struct engine *e)
{
	struct group *g = e->opened;

	e->opened = NULL;
	if (g && group_alive(g))
		group_pump(e, g);
}

void firmware_run(struct engine *e)
{
	firmware_attach(e);
	while (firmware_step())
		proceed(e);
}
