// SPDX-License-Identifier: BSD-2-Clause
/* The firmware on the processor of a NIC: it handles events, and sleeps while there is none. */
#include "firmware/firmware.h"

int main(void);

int main(void)
{
	for (;;)
		if (!firmware_step())
			__asm__ volatile("wfi");
}
