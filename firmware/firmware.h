/* SPDX-License-Identifier: BSD-2-Clause */
/* The firmware of the collective engine, as its environment calls it. */
#ifndef TALLY_FIRMWARE_FIRMWARE_H
#define TALLY_FIRMWARE_FIRMWARE_H

#include <stdbool.h>

/* Handle the oldest event of the hardware. Returns false if there is none. */
bool firmware_step(void);

#endif
